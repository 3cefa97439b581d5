"""`python -m torchdet_lint`."""

from __future__ import annotations

import os
import sys

if sys.path and os.path.isdir(sys.path[0]) and os.path.samefile(sys.path[0], "."):
    # `python -m` looks for modules here first, and a user's `random.py` would be taken for Python's.
    sys.path.append(sys.path.pop(0))

from torchdet_lint.cli import main

if __name__ == "__main__":
    sys.exit(main())
