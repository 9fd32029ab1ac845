"""Where markers stand: long tests alone are looked for in files with that marker, there or in a `conftest` above."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent


def test_long_tests_are_marked_in_the_files_where_they_stand() -> None:
    marking = {file for file in TESTS.rglob("*.py") if "mark.long" in file.read_text("utf-8")}
    assert [file for file in marking if not file.name.startswith(("test_", "conftest."))] == []
