"""Sweeps rechecked: every cell and comparison again, by the plan that stands in the document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Viva
from tests.examination.recheck.altered import altered_at, places
from vivavoce.cli.viva import main
from vivavoce.errors import BadInput
from vivavoce.examination.recheck import recheck
from vivavoce.interview.transcript import Transcript

PLAN = """\
candidates = ["bot:calculator", {{ candidate = "bot:calculator?wrong=0.5", name = "careless" }}]
scopes = [{scopes}]
seed = 0
budget = {{ questions = {budget} }}
[certificate]
ridiculous_limit = "none"
questions = 60
[compare]
questions = 40
"""
SUMS = '{ scope = "arithmetic?operations=+-", title = "sums" }, { scope = "arithmetic?operations=*/", title = "products" }'
AS_WRITTEN = ("called", "title", "budget", "questions", "name", "transcript_head")
"""What is the examiner's to say; without a head the recheck says what it does not see."""


def swept(viva: Viva, folder: Path, scopes: str = SUMS, budget: int = 4_000) -> dict[str, Any]:
    """What a sweep wrote."""
    (folder / "plan.toml").write_text(PLAN.format(scopes=scopes, budget=budget))
    ended = viva("sweep", "plan.toml", "--quiet")
    assert ended.code == 0, ended.err
    found: dict[str, Any] = json.loads((folder / "sweep-plan/sweep.json").read_text())
    return found


def again(viva: Viva) -> tuple[int, str]:
    ended = viva("recheck", "sweep-plan/sweep.json", "--transcript", "sweep-plan/transcript.sqlite")
    return ended.code, ended.out + ended.err


def test_a_sweep_is_the_same_again(viva: Viva, tmp_path: Path) -> None:
    document = swept(viva, tmp_path)
    code, said = again(viva)
    assert (code, "● The same: each verdict, interval and figure of the sweep of 2 candidates" in said) == (0, True), said
    assert str(tmp_path) not in json.dumps(document)


def test_what_was_not_examined_is_taken_as_it_is_written(viva: Viva, tmp_path: Path) -> None:
    document = swept(viva, tmp_path, budget=60)
    assert any(one["verdict"] == "no conclusion" for one in document["cells"])
    code, said = again(viva)
    assert code == 0, said


def test_a_scope_of_ones_own_is_named(viva: Viva, tmp_path: Path) -> None:
    rows = "".join(f"{a}+{b},What is {a} + {b}?,{a + b}\n" for a in range(1, 7) for b in range(1, 7))
    (tmp_path / "sums.csv").write_text("id,question,answer\n" + rows)
    (tmp_path / "more.csv").write_text("id,question,answer\n" + rows.replace(" + 1?", " + 1 ?"))
    swept(viva, tmp_path, scopes='"file:sums.csv", "file:more.csv"')
    code, said = again(viva)
    assert code != 0
    assert "--scope" in said
    ended = viva(
        *("recheck", "sweep-plan/sweep.json", "--transcript", "sweep-plan/transcript.sqlite"),
        *("--scope", "file:sums.csv", "--scope", "file:more.csv"),
    )
    assert ended.code == 0, ended.out + ended.err


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], Transcript]]:
    """A sweep and its record."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "plan.toml").write_text(PLAN.format(scopes=SUMS, budget=4_000))
    assert main(("sweep", str(folder / "plan.toml"), "--quiet", "--out", str(folder / "out"))) == 0
    with Transcript.open(folder / "out/transcript.sqlite", must_exist=True) as transcript:
        yield json.loads((folder / "out/sweep.json").read_text()), transcript


def test_a_cell_that_differs_is_named(made: tuple[dict[str, Any], Transcript]) -> None:
    document, transcript = made
    [place] = [n for n, one in enumerate(document["cells"]) if "wrong" in one["candidate"] and "+-" in one["scope"]]
    altered = altered_at(document, ("cells", place, "verdict"), "understands")
    [found] = recheck(altered, transcript).differences
    assert found.path == "careless on sums, verdict"
    assert (found.said, found.found) == ('"understands"', '"does not understand"')


@settings(max_examples=25, deadline=None)
@given(drawn=st.data())
def test_whatever_is_altered_is_found_or_refused(made: tuple[dict[str, Any], Transcript], drawn: st.DataObject) -> None:
    document, transcript = made
    way = drawn.draw(st.sampled_from([way for way in places(document) if not set(way) & set(AS_WRITTEN)]))
    value: Any = drawn.draw(st.sampled_from([None, True, -1, 10**400, 1e-9, "bot:y", [], {}, [[]], {"scope": 3}]))
    altered = altered_at(document, way, value)
    if json.dumps(altered) == json.dumps(document):
        return
    try:
        found = recheck(altered, transcript)
    except BadInput:
        return
    assert not found.same, way
