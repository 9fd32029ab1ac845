"""The list of deleted tests is true: none of them exists, and each test that replaces some does."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTED = tomllib.loads(Path(__file__).with_name("deleted_tests.toml").read_text("utf-8"))


def exists(name: str) -> bool:
    """Whether there is a file of tests, or a test `FILE::TEST` in one."""
    file, _, test = name.partition("::")
    path = ROOT / file
    return path.is_file() and (not test or f"def {test}(" in path.read_text("utf-8"))


def test_no_listed_test_exists() -> None:
    names = [name for group in LISTED.values() for tests in group.values() for name in tests]
    assert len(names) == len(set(names)) > 80
    assert [name for name in names if exists(name)] == []


def test_each_test_that_replaces_others_exists() -> None:
    assert [name for name in LISTED["replaced"] if not exists(name)] == []
