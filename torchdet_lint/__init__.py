"""torchdet-lint: know that a PyTorch training can be repeated, or which line is to blame when it cannot."""

__version__ = "0.1.0"
