"""Converted files as scopes, by way of the question file that is written of them."""

from __future__ import annotations

from pathlib import Path

from vivavoce.scopes import open_scope
from vivavoce.scopes.importers.conversion import Conversion
from vivavoce.scopes.listed_and_endless import ListedScope


def as_scope(conversion: Conversion, folder: Path) -> ListedScope:
    """The scope of a converted file, with its worked examples; raises the first problem where no row could be converted."""
    if not conversion.lines:
        raise conversion.refused[0]
    file = folder / "converted.jsonl"
    file.write_text("".join(f"{line}\n" for line in conversion.lines), encoding="utf-8")
    scope = open_scope(f"file:{file}{f'?shots={conversion.examples}' if conversion.examples else ''}")
    assert isinstance(scope, ListedScope)
    return scope
