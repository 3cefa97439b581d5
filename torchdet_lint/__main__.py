"""`python -m torchdet_lint`."""

from __future__ import annotations

import sys

from torchdet_lint.cli import main

if __name__ == "__main__":
    sys.exit(main())
