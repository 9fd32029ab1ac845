"""Dossiers as files: what is written is read, and a stranger's file is bounded and checked."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examination.made import FAILED, PASSED, card, dossier, score
from vivavoce.errors import BadInput
from vivavoce.examination.dossier_file import LARGEST, dossier_from_json, read_dossier, write_dossier

MADE = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)
WHOLE = dossier(card(PASSED, FAILED, figures=(score(0.9, 0.8, 1.0),)))


def values() -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(WHOLE.as_json(made=MADE, version="0.1.0")))
    return result


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_dossier(tmp_path / "d.json", WHOLE, made=MADE, version="0.1.0")
    file = read_dossier(tmp_path / "d.json")
    assert file.dossier == WHOLE
    assert (file.made, file.version) == (MADE, "0.1.0")


def test_the_answer_is_made_from_the_claims_not_believed() -> None:
    forged = values() | {"statement": "Passes: everything."}
    result = dossier_from_json(json.dumps(forged)).dossier
    assert result.answer == WHOLE.answer
    assert "everything" not in result.answer.paragraph


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"format": 2}, "not in format 1"),
        ({"candidates": ["x" * 20_001]}, "candidates"),
        ({"cards": [{"room": "kitchen"}]}, "cards.0.room"),
        ({"made": "2025-11-20T09:30:00"}, "'made': "),
        ({"made": "0001-01-01T00:00:00+14:00"}, "'made': "),  # before the first year, in UTC
        ({"made": "9999-12-31T23:59:59-14:00"}, "'made': "),
        ({"plan_digest": "<script>"}, "'plan_digest': "),
        ({"figures": {"spending": {"tokens_in": -1, "tokens_out": 0, "money": 0}}}, "spending.tokens_in"),
        ({"absent": "none"}, "'absent': "),
    ],
)
def test_what_is_no_dossier_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        dossier_from_json(json.dumps(values() | change))


@pytest.mark.parametrize(
    ("piece", "times"),
    [(b"", 1), (b"{", 1), (b"[", 100_000), (b"\xff", 1), (b"1", 5_000), (b"{}", 1), (b"null", 1), (b" ", LARGEST + 1)],
)
def test_rubbish_is_refused(piece: bytes, times: int) -> None:
    with pytest.raises(BadInput):
        dossier_from_json(piece * times)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "1e308", "-1e308"])
def test_numbers_that_cannot_be_reckoned_with_are_refused(number: str) -> None:
    text = json.dumps(values()).replace('"value": 0.9', f'"value": {number}')
    with pytest.raises(BadInput, match=r"figures\.0\.value"):
        dossier_from_json(text)


def test_a_chance_too_small_to_be_written_is_refused() -> None:
    text = json.dumps(values()).replace('"chance": 0.05', '"chance": 5e-324')
    assert text != json.dumps(values())
    with pytest.raises(BadInput, match=r"claims\.0\.chance"):
        dossier_from_json(text)


@given(st.dictionaries(st.sampled_from(list(values())), st.one_of(st.none(), st.integers(), st.text(), st.lists(st.text()))))
def test_changed_files_are_read_or_refused(changes: dict[str, Any]) -> None:
    text = ""
    try:
        dossier_from_json(json.dumps(values() | changes))
    except BadInput as error:
        text = str(error)
    assert len(text) < 1_000
