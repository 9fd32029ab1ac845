"""File systems that are soon full, or that take no writing."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system of this size ("400k") in a new folder. Skips the test where none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a small file system cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def unwritable(what: Path) -> Iterator[None]:
    """Nobody may write there, not even root, who may write everywhere else."""
    if os.geteuid() != 0:
        before = what.stat().st_mode
        what.chmod(0o555)
        yield
        what.chmod(before)
        return
    calls = ["mount", "--bind", str(what), str(what)], ["mount", "-o", "remount,ro,bind", str(what)]
    if any(subprocess.run(call, capture_output=True, check=False).returncode for call in calls):
        pytest.skip("nothing can be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(what)], check=True)
