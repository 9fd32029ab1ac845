"""How files hang together: no circle of imports among modules, and markers that stand where they are looked for."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest


def in_order(imports: dict[str, set[str]]) -> list[str]:
    """The modules, each after all that it imports. Raises `CycleError`, which names the modules of a circle."""
    return list(TopologicalSorter(imports).static_order())


def test_modules_import_one_another_in_one_direction() -> None:
    import grimp

    graph = grimp.build_graph("vivavoce", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert len(imports) > 500
    assert sum(map(len, imports.values())) > 2_000
    assert len(in_order(imports)) == len(imports)


def test_a_circle_would_be_seen() -> None:
    with pytest.raises(CycleError) as seen:
        in_order({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
    assert set(seen.value.args[1]) == {"a", "b", "c"}


TESTS = Path(__file__).parent


def test_long_tests_are_marked_in_the_files_where_they_stand() -> None:
    marking = {file for file in TESTS.rglob("*.py") if "mark.long" in file.read_text("utf-8")}
    assert [file for file in marking if not file.name.startswith(("test_", "conftest."))] == []
