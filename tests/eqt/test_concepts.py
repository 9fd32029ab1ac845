"""Concepts: the built-in list, and those of users' files."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from vivavoce.eqt.concepts import all_concepts, categories, chosen_concepts, read_concepts
from vivavoce.eqt.record import Concept
from vivavoce.errors import BadFile, UnknownName

MMLU_PRO = {
    "biology", "business", "chemistry", "computer science", "economics", "engineering", "health",
    "history", "law", "math", "other", "philosophy", "physics", "psychology",
}  # fmt: skip


def test_the_built_in_list_has_twenty_of_each_category() -> None:
    assert Counter(concept.category for concept in all_concepts()) == dict.fromkeys(MMLU_PRO, 20)
    assert len({concept.name.lower() for concept in all_concepts()}) == 280
    assert all(len(concept.name) < 60 for concept in all_concepts())


@pytest.mark.data
@pytest.mark.skipif("VIVA_DATA" not in os.environ, reason="$VIVA_DATA names no data folder")
def test_the_published_list_is_read_and_is_not_ours() -> None:
    file = Path(os.environ["VIVA_DATA"]) / "eqt" / "mmlu_pro_concepts.json"
    published = read_concepts(file)
    assert len(published) == 280
    assert {concept.category for concept in published} == MMLU_PRO
    ours = {concept.name.lower() for concept in all_concepts()}
    assert len({concept.name.lower() for concept in published} & ours) < 28


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("c.txt", "# mine\nTides\n\n[sea]\nCurrents\n", [Concept("Tides"), Concept("Currents", "sea")]),
        ("c.json", '{"computer_science": ["Heaps"], "sea": []}', [Concept("Heaps", "computer science")]),
        ("c.json", '["Tides", "Heaps"]', [Concept("Tides"), Concept("Heaps")]),
        ("c.csv", "concept,category\nTides\n", [Concept("Tides")]),
        ("c.csv", "category,concept\nsea,Tides\n,Heaps\n", [Concept("Tides", "sea"), Concept("Heaps")]),
    ],
)
def test_files_of_concepts(tmp_path: Path, name: str, text: str, expected: list[Concept]) -> None:
    (tmp_path / name).write_text(text)
    assert list(chosen_concepts([str(tmp_path / name)])) == expected


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("c.txt", "# nothing\n", "holds no concepts"),
        ("c.json", "{", "not JSON"),
        ("c.json", '{"sea": "Tides"}', "must hold"),
        ("c.json", '{"sea": [3]}', "must be a text"),
        ("c.json", "3", "must hold"),
        ("c.csv", "name\nTides\n", "no column concept"),
        ("c.csv", "category,concept\nsea\n", "line 2: a concept must be a text, not ''"),
        ("c.csv", "concept\nTides\n" + "x" * 201 + "\n", "line 3: the concept 'xxx"),
        ("c.txt", "x" * 300, "longer than 200"),
        ("c.txt", "\n".join(map(str, range(10_001))), "10000 is the most"),
    ],
)
def test_what_is_no_file_of_concepts_is_refused(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadFile, match=problem):
        chosen_concepts([str(tmp_path / name)])


def test_what_is_named_is_chosen_once() -> None:
    assert chosen_concepts(["math", "math"]) == chosen_concepts(["Math"])
    assert {concept.category for concept in chosen_concepts(["computer_science", "law"])} == {"computer science", "law"}
    assert chosen_concepts([]) == all_concepts()
    with pytest.raises(UnknownName, match="did you mean 'physics'"):
        chosen_concepts(["phisics"])
    with pytest.raises(BadFile):
        chosen_concepts(["nowhere.txt"])
    assert categories() == tuple(sorted(MMLU_PRO))
