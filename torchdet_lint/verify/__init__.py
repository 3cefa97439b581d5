"""The companion: runs a sample of a program several times, and says where two runs part and which findings that confirms."""

from __future__ import annotations
