"""What becomes of replies that cannot be read: a choice that every examination of this room has."""

from __future__ import annotations

from typing import Literal

Unreadable = Literal["interval", "wrong"]
"""What such a reply is worth: anything from 0 to 1, or 0."""
