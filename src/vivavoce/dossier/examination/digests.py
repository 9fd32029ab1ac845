"""What files hold, as digests."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vivavoce.errors import BadFile


def file_digest(file: Path) -> str:
    """SHA-256 of what is in a file, in hex. Raises `BadFile`."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise BadFile(file, f"cannot be read: {error.strerror or error}") from None
