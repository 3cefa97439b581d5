"""What is kept between runs: it saves time and never changes an outcome.

Any fault in it is ignored, and what it held is made again.
"""

from __future__ import annotations
