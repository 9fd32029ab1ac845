"""`viva consistency prompts` and `ask --together` end to end, against a chat server that hears what it said before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CliResult, Viva
from tests.studies.forecasts.finding import json_rows
from tests.studies.forecasts.forecasters import probability_tuples, running
from tests.studies.forecasts.listeners import deaf_metric, negations
from vivavoce.studies.forecasting.forecast_files import read_rows, write_tuples

NEGATIONS = negations(24)
BAYES = [
    replace(question_tuple, base=(question_tuple.id,))
    for question_tuple in probability_tuples(20)
    if question_tuple.law == "bayes"
]
ONCE = ("--repeats", "1", "--control", "0", "--concurrency", "8")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running(0.001) as address:
        yield address


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    write_tuples(tmp_path / "tuples.jsonl", [*NEGATIONS, *BAYES])
    (tmp_path / "same.txt").write_text("Forecast as you like.")


@pytest.fixture
def variants(viva: Viva, server: str) -> Callable[..., CliResult]:
    def call(*arguments: str) -> CliResult:
        return viva("consistency", "prompts", f"chat:listener@{server}/v1", "--tuples", "tuples.jsonl", *ONCE, *arguments)

    return call


def by(*names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in ("--variant", name))


def effects(ended: CliResult) -> dict[tuple[str, str], dict[str, Any]]:
    return {(entry["first"], entry["treatment"]): entry for entry in ended.values["figures"]["comparisons"]}


@pytest.mark.long
def test_one_command_says_what_mends_negation_and_harms_bayes(variants: Callable[..., CliResult], tmp_path: Path) -> None:
    names = by("plain", "opposite", "together", "instructions:same.txt")
    ended = variants(*names, "--json", "--out", "all.jsonl", "--html", "page.html")
    assert ended.code == 0, ended.err
    document = effects(ended)
    assert {key: entry["verdict"] for key, entry in document.items()} == {
        ("opposite", "neg"): "better",
        ("opposite", "bayes"): "worse",
        ("together", "neg"): "better",
        ("together", "bayes"): "undecided",
        ("same.txt", "neg"): "undecided",
        ("same.txt", "bayes"): "undecided",
    }
    # by hand: a model that ignores "not" has |2p - 1|, and both ways to repair it have 0
    true = -sum(deaf_metric(NEGATIONS)) / len(NEGATIONS)
    assert document["together", "neg"]["difference"]["value"] == pytest.approx(true, abs=1e-5)
    interval = document["together", "neg"]["difference"]
    assert interval["lower"] < true < interval["upper"] < 0
    rows = list(read_rows(tmp_path / "all.jsonl"))
    assert len({row.forecaster for row in rows}) == 4
    assert len(rows) == 4 * (len(NEGATIONS) + len(BAYES))
    assert "Comparisons" in (tmp_path / "page.html").read_text()


def test_the_terminal_has_the_sentence_and_the_table(variants: Callable[..., CliResult]) -> None:
    ended = variants(*by("plain", "together"), "--law", "neg")
    assert "contradicts itself less on Negation than by plain" in ended.out
    assert "better" in ended.out
    # two tuples of two questions each way; the first turns are on record from the plain way
    assert ended.err.startswith("viva: 24 tuples, 2 variants: 96 replies, less those on record")


def test_a_budget_that_ends_it_leaves_what_can_be_compared(variants: Callable[..., CliResult]) -> None:
    ended = variants(*by("plain", "together"), "--law", "neg", "--set", "tokens=700", "--json")
    assert ended.code == 0
    first, second = ended.values["details"]["ways"]
    assert first["rows"] == first["planned"] == 24
    assert 0 < second["rows"] < 24
    nothing = variants(*by("plain", "together"), "--set", "tokens=1", "--concurrency", "1", "--repeats", "3", "--quiet")
    assert (nothing.code, nothing.out) == (4, "")
    assert "ran out before a tuple was complete" in nothing.err
    one_way = variants(*by("plain", "together"), "--law", "neg", "--set", "tokens=480", "--json", "--concurrency", "1")
    assert (one_way.code, one_way.values["details"]["ways"][1]["rows"]) == (4, 0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (by("plain"), "at least two variants"),
        (by("plain", "opposit"), "did you mean 'opposite'"),
        (by("plain", "plain"), "two variants are called 'plain'"),
        (by("plain", "instructions:none.txt"), "none.txt: cannot be read"),
        (by("plain", "candidate:nobody:x"), "no kind of candidate 'nobody'"),
        ((*by("plain", "together"), "--out", "tuples.jsonl"), "already uses that file"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_asked(
    variants: Callable[..., CliResult], arguments: tuple[str, ...], says: str
) -> None:
    ended = variants(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert says in ended.err


def test_another_candidate_is_a_way_as_well(variants: Callable[..., CliResult], server: str) -> None:
    other = f"candidate:chat:steady@{server}/v1"
    ended = variants(*by("plain", other), "--law", "neg", "--json")
    assert ended.code == 0, ended.err
    ((position, effect),) = effects(ended).items()
    assert (position[1], effect["verdict"]) == ("neg", "better")
    assert ended.values["details"]["ways"][1]["forecaster"].startswith("chat:steady@")


def test_ask_together_reports_the_conversations(viva: Viva, server: str) -> None:
    ended = viva(
        "consistency", "forecasts", "ask", f"chat:listener@{server}/v1", "--tuples", "tuples.jsonl", "--law", "neg",
        "--together", "--repeats", "1", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    (row,) = json_rows(ended.values)
    assert row["forecaster"].endswith(" (in one conversation, single replies)")
    assert row["mean"]["value"] < 1e-5
    assert '"together": true' in ended.values["signature"]


@pytest.mark.long
def test_a_person_is_asked_neither_together_nor_in_several_ways(viva: Viva) -> None:
    common = ("human:ann", "--tuples", "tuples.jsonl", "--transcript", "run.sqlite")
    together = viva("consistency", "forecasts", "ask", *common, "--together")
    assert (together.code, together.out) == (2, "")
    assert "'--together' would show a person" in together.err
    several = viva("consistency", "prompts", *common)
    assert (several.code, several.out) == (2, "")
    assert "a person can't be asked the same question in several variants" in several.err
