"""Orders that are not defined: of file listings and of sets, followed to where they make a difference."""

from torchdet_lint.analysis.ordering.screen import Outside, makes_order
from torchdet_lint.analysis.ordering.uses import OrderUse, names_to_watch, order_uses

__all__ = ["OrderUse", "Outside", "makes_order", "names_to_watch", "order_uses"]
