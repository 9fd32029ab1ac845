"""Folders that something fitted is kept in: whole, in place of what was kept there before."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from vivavoce.errors import BadInput
from vivavoce.formats.lines import writing


def replace_folder(folder: Path, write: Callable[[Path], object]) -> None:
    """Have a folder written in place of the one that is there.

    All is written beside it first, so that whatever goes wrong, the folder holds the old one or the new one. Between the two
    there is a moment in which it is not there; stopped just then, the old one lies beside it with a name that begins alike.

    write: fills the empty folder that it is given. Raises `BadFile` where nothing can be written.
    """
    folder = folder.absolute()
    with writing(folder), _beside(folder) as beside:
        new, old = Path(beside, "new"), Path(beside, "old")
        new.mkdir()
        write(new)
        try:
            if folder.exists():
                os.replace(folder, old)
            os.replace(new, folder)
        except BaseException:
            if old.is_dir() and not folder.exists():
                os.replace(old, folder)
            raise


def check_replaceable(folder: Path, what: str, holds: Callable[[Path], bool]) -> None:
    """Raise `BadInput` for a place where this cannot be kept without a loss of something else, `BadFile` where none may write.

    what: such as "classifier".
    holds: whether a folder that is there holds one.
    """
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise BadInput(f"{folder} is no folder: give another place for the {what}")
    if not folder.absolute().parent.is_dir():
        raise BadInput(f"{folder}: the folder '{folder.absolute().parent}' does not exist; create it first")
    if folder.is_dir() and any(folder.iterdir()) and not holds(folder):
        raise BadInput(f"{folder} holds something else than a {what}: give a new folder, or an empty one")
    with writing(folder), _beside(folder.absolute()):
        pass


def _beside(folder: Path) -> AbstractContextManager[str]:
    return tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True)
