"""Assertions rewritten once, by the process that hands tests out: each of its workers would rewrite all of them for itself.

Rewriting takes longer than all else that is done before the first test; where nothing changed, nothing is rewritten.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import (
    PYC_TAIL,
    _read_pyc,
    _rewrite_test,
    _write_pyc,
    assertstate_key,
    get_cache_dir,
    try_makedirs,
)


def rewrite(config: pytest.Config) -> None:
    """Rewrite the files of tests that pytest was asked for, as it does itself, and keep them where it looks for them."""
    for place in config.args:
        asked = Path(place.partition("::")[0])
        for file in (asked,) if asked.is_file() else sorted(asked.rglob("test_*.py")):
            kept = get_cache_dir(file.absolute()) / f"{file.stem}{PYC_TAIL}"
            if not sys.dont_write_bytecode and try_makedirs(kept.parent) and _read_pyc(file, kept) is None:
                digest, code = _rewrite_test(file.absolute(), config)
                _write_pyc(config.stash[assertstate_key], code, digest, kept)
