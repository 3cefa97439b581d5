"""Orders that are not defined: of file listings and of sets, followed to where they make a difference."""

from torchdet_lint.analysis.ordering.uses import OrderUse, order_uses

__all__ = ["OrderUse", "order_uses"]
