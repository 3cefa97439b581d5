"""Orders that are not defined: of file listings, of sets, of what finishes first, followed to where they make a difference."""

from torchdet_lint.analysis.ordering.screen import Outside, makes_order
from torchdet_lint.analysis.ordering.uses import OrderUse, names_to_watch, order_uses
from torchdet_lint.analysis.ordering.values import Listed

__all__ = ["Listed", "OrderUse", "Outside", "makes_order", "names_to_watch", "order_uses"]
