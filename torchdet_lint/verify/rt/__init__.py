"""What runs inside the user's process. Needs the standard library only, and works from its files alone.

Modules here import each other relatively and nothing else of this project: the user's Python may not have it.
"""

from __future__ import annotations
