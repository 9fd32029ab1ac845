"""Two documents are the same where their bytes are, but for the last digits of figures, and nowhere else."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examination.made import FunctionSpeaker
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.errors import BadInput
from vivavoce.examination.recheck import recheck
from vivavoce.examination.recheck.comparison import (
    as_written,
    differences,
    document_of,
    rounded_otherwise,
    settings_of,
    with_versions,
)
from vivavoce.interview.budget import Budget, SharedBudget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.0, -0.0, 1.0, 0.1, 0.1 + 2**-56])
    | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@given(DOCUMENTS, DOCUMENTS)
def test_there_is_no_difference_if_and_only_if_the_bytes_are_equal(written: dict[str, Any], computed: dict[str, Any]) -> None:
    assert (not differences(written, computed)) == (
        json.dumps(in_twelve_digits(written)) == json.dumps(in_twelve_digits(computed))
    )


def in_twelve_digits(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: in_twelve_digits(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return list(map(in_twelve_digits, value))
    return round(value, 12) + 0.0 if isinstance(value, float) else value  # + 0.0: -0.0 is 0.0


def test_figures_are_the_same_up_to_a_billionth_and_others_are_not() -> None:
    document = {"path": [[1, 0.3], [2, 1e-17]], "mean": 250.0}
    assert differences(document, {"path": [[1, 0.1 + 0.2], [2, 0.0]], "mean": 250.0}) == []
    assert rounded_otherwise(document, {"path": [(1, 0.1 + 0.2), (2, 0.0)], "mean": 250.0}) == 2
    assert [difference.path for difference in differences(document, {"path": [[1, 0.3], [2, 2e-12]], "mean": 250.0000003})] == [
        "path[1][1]",
        "mean",
    ]
    assert differences({"n": 3}, {"n": 3.0}) != []


@given(DOCUMENTS)
def test_what_was_written_is_read_as_it_is(document: dict[str, Any]) -> None:
    read = document_of(json.dumps(document))
    assert json.dumps(read) == json.dumps(document)
    assert differences(read, document) == []
    assert json.dumps(as_written(read, document)) == json.dumps(document)


def test_each_place_is_named() -> None:
    document = {"a": [1, {"b": 0.5}], "c": True}
    values = {"a": [1, {"b": 0.25}, 3], "c": 1}
    assert [(difference.path, difference.said, difference.found) for difference in differences(document, values)] == [
        ("a[1].b", "0.5", "0.25"),
        ("a[2]", "", "3"),
        ("c", "true", "1"),
    ]


def test_a_name_with_braces_is_no_setting() -> None:
    """A candidate may be called like the beginning of settings."""
    line = 'vivavoce 0.1.0 · certificate · bot:x · {"delta": 9 · seed 3 · {"delta": 0.05, "numpy": "2.4"}'
    assert settings_of(line) == {"delta": 0.05, "numpy": "2.4"}
    assert with_versions(line.replace("2.4", "1.0"), line) == line.replace("2.4", "1.0")
    assert with_versions(line.replace("0.05", "0.01"), line) == line
    assert with_versions("forged", line) == line


def test_a_transcript_is_named_as_what_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "run.sqlite")) as record:
        record.execute("create table answers (id)")
    with pytest.raises(BadInput, match=r"it is a transcript: give the document that --json printed"):
        document_of((tmp_path / "run.sqlite").read_bytes())


def saying(number: int) -> Callable[[str], str]:
    return lambda _: f"Answer: {number}"


def test_a_budget_ends_it_again_at_the_same_question() -> None:
    """Each answer costs 10 tokens, and both give it in turn: 95 of them are used up by 10 answers."""
    transcript, shared = Transcript.open(None), SharedBudget(Budget(tokens=95))
    interviews = [
        Interview(
            FunctionSpeaker(saying(number), f"test:{number}"),
            answers=Reply,
            transcript=transcript,
            budget=shared.share(),
            concurrency=1,
        )
        for number in (0, 1)
    ]
    comparison = asyncio.run(compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0)))
    document: dict[str, Any] = json.loads(json.dumps(comparison.as_json()))
    assert document["verdict"] == "undecided"
    assert any("tokens" in text for text in comparison.exhausted)
    assert {entry["limit"] for entry in document["budget_ended"].values()} == {"tokens"}
    again = recheck(document, transcript)
    assert (again.same, [str(difference) for difference in again.differences]) == (True, [])
    assert any("a budget ended the questions" in caveat for caveat in again.caveats)
    unsaid = {name: value for name, value in document.items() if name != "budget_ended"}
    assert any("lacks an answer" in difference.found for difference in recheck(unsaid, transcript).differences)


def test_it_is_drawn_again_from_strata_as_the_ledger_says() -> None:
    transcript = Transcript.open(None)
    interviews = [
        Interview(FunctionSpeaker(saying(number), f"test:{number}"), answers=Reply, transcript=transcript) for number in (0, 1)
    ]
    config = ComparisonConfig(seed=0, questions=30)
    comparison = asyncio.run(compare(interviews, open_scope("arithmetic"), config, drawing="strata"))
    document: dict[str, Any] = json.loads(json.dumps(comparison.as_json()))
    assert document["figures"]["drawing"] == "strata"
    again = recheck(document, transcript)
    assert (again.same, [str(difference) for difference in again.differences]) == (True, [])
