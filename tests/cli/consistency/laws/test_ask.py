"""`viva consistency forecasts ask` end to end, against a chat server that plays forecasters with planted faults."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CliResult, Viva
from tests.studies.forecasts.finding import json_rows
from tests.studies.forecasts.forecasters import probability_tuples, quantity_tuples, report, running
from vivavoce.studies.forecasting.forecast_files import QuestionTuple, Status, read_rows, write_tuples

Ask = Callable[..., CliResult]
ONCE = ("--json", "--repeats", "1")
EACH = 8
"""Tuples of each law on probabilities."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running(0.002) as address:
        yield address


@pytest.fixture
def ask(viva: Viva, server: str, tmp_path: Path) -> Ask:
    """Ask a model of the server the tuples of `tuples.jsonl`: eight of each law, unless the test has written others."""

    def call(model: str, *arguments: str) -> CliResult:
        if not (tmp_path / "tuples.jsonl").exists():
            write_tuples(tmp_path / "tuples.jsonl", [*probability_tuples(EACH), *quantity_tuples(4)])
        options = ("--tuples", "tuples.jsonl", "--concurrency", "16")
        return viva("consistency", "forecasts", "ask", f"chat:{model}@{server}/v1", *options, *arguments)

    return call


def table(ended: CliResult) -> dict[str, dict[str, Any]]:
    """The rows of the table by law."""
    assert ended.code == 0, ended.err
    return {row["law"]: row for row in json_rows(ended.values)}


def test_the_steady_one_breaks_no_law(ask: Ask) -> None:
    values = table(ask("steady", *ONCE))
    assert values.pop("repeat")["n"] == len({question_tuple.questions["P"] for question_tuple in probability_tuples(EACH)})
    assert len(values) == 12
    assert all(row["unreadable"] == 0 and row["strong"]["value"] == 0 for row in values.values())
    # six decimals of the reply, in a square root for Bayes: sqrt(2e-6) = .0014
    assert all(row["mean"]["value"] < 0.0015 for row in values.values())


@pytest.mark.long
def test_several_models_are_compared_on_the_same_tuples_beside_the_papers_tables(server: str, ask: Ask) -> None:
    names = [f"chat:{model}@{server}/v1" for model in ("steady", "deaf")]
    together = ask("steady", names[1], *ONCE, "--html", "page.html", "--transcript", "both.sqlite")
    assert together.code == 0, together.err
    document = together.values
    assert document["candidates"] == [f"{name} (single replies)" for name in names]
    for name, model in zip(document["candidates"], ("steady", "deaf"), strict=True):
        own = {row["law"]: row for row in json_rows(document) if row["forecaster"] == name}
        assert own == {law: {**row, "forecaster": name} for law, row in table(ask(model, *ONCE)).items()}
    assert document["figures"]["comparisons"]
    assert "GPT-3.5-turbo, temperature 0" in Path("page.html").read_text()
    assert ask("steady", names[0], *ONCE).code == 2


def test_without_tuples_the_built_in_ones_are_asked(viva: Viva, server: str) -> None:
    ended = viva("consistency", "forecasts", "ask", f"chat:steady@{server}/v1", *ONCE, "--limit", "20", "--quiet")
    assert ended.code == 0, ended.err
    assert "forecasts.jsonl" in ended.values["signature"]


def test_a_model_that_takes_no_temperature_says_so_and_can_be_asked_at_its_own(ask: Ask) -> None:
    refused, taken = (ask("hot", "--json", "--law", "neg", "--limit", "3", *more) for more in ((), ("--temperature", "none")))
    assert (refused.code, refused.out) == (5, "")
    assert "status 400: this model takes no " in refused.err
    assert "\x1b" not in refused.err
    assert table(taken)["neg"]["n"] == 3


def test_replies_that_do_not_come_are_counted_and_the_first_reason_is_told(ask: Ask) -> None:
    # with 10 tuples the last replies come: a rejection while nothing else is in flight may be an outage
    few = ("--law", "neg", "--limit", "10", "--control", "0", "--concurrency", "2")
    ended = ask("steady+moody", "--json", *few, "--set", "max-tries=1")
    replies = ended.values["figures"]["replies"]
    # every seventh request, of which the probe is the first, and no other
    assert replies["no answer"] == (1 + sum(replies.values())) // 7
    assert "viva: the first missing reply: " in ended.err


@pytest.mark.long
def test_the_rows_are_what_score_reads(ask: Ask, viva: Viva, tmp_path: Path) -> None:
    ended = ask("rambler", "--json", "--out", "forecasts.jsonl", "--variant", "canonical")
    scored = viva("consistency", "forecasts", "score", "forecasts.jsonl", "--json")
    here, there = (json_rows(json.loads(reply.out)) for reply in (ended, scored))
    assert here == there
    rows = list(read_rows(tmp_path / "forecasts.jsonl"))
    assert {row.forecaster.rpartition("/v1")[2] for row in rows} == {" (canonical first)"}
    assert all(set(row.questions) == set(row.forecasts) and row.id and row.base for row in rows)


def test_what_will_be_asked_is_said_before_and_what_came_of_it_after(ask: Ask) -> None:
    ended = ask("steady", "--json", "--law", "neg", "--limit", "5", "--control", "2")
    lines = ended.err.splitlines()
    # 5 pairs without a question in common: 10 questions 3 times, and 2 of them 9 times more
    assert lines[0] == "viva: 5 tuples and 2 controls: 10 different questions, 48 replies (3 a forecast), less those on record"
    assert lines[-1] == "viva: 48 replies: 48 read"
    assert ask("steady", "--json", "--limit", "2", "--quiet").err == ""


def test_a_budget_that_runs_out_leaves_fewer_rows_and_says_so(ask: Ask) -> None:
    ended = ask("steady", "--json", "--set", "tokens=900")
    assert ended.code == 0
    values = ended.values
    kept = sum(row["n"] for row in json_rows(values))
    assert 0 < kept < values["planned"]
    assert values["exhausted"] == "tokens"
    assert f"the budget of tokens ran out: {kept} of {values['planned']} tuples" in ended.err


def test_a_budget_for_nothing_is_no_conclusion(ask: Ask) -> None:
    ended = ask("steady", "--json", "--set", "tokens=1", "--concurrency", "1", "--quiet")
    assert (ended.code, ended.out) == (4, "")
    assert ended.err.startswith("viva: the budget of tokens ran out after 2 replies, before a tuple was complete")


def test_tuples_that_nobody_has_accepted_are_asked_on_demand_alone(ask: Ask, tmp_path: Path) -> None:
    statuses: tuple[Status, ...] = ("accepted", "proposed", "rejected")
    pairs = [question_tuple for question_tuple in probability_tuples(3) if question_tuple.law == "neg"]
    tuples = [
        QuestionTuple(question_tuple.law, question_tuple.questions, question_tuple.id, question_tuple.base, status)
        for question_tuple, status in zip(pairs, statuses, strict=True)
    ]
    write_tuples(tmp_path / "tuples.jsonl", tuples)
    usual, more = ask("steady", "--json"), ask("steady", "--json", "--include-proposed")
    assert (table(usual)["neg"]["n"], table(more)["neg"]["n"]) == (1, 2)
    assert "2 of 3 tuples are left out: not yet accepted" in usual.err
    write_tuples(tmp_path / "tuples.jsonl", tuples[1:])
    nothing = ask("steady", "--json")
    assert nothing.code == 2
    assert "--include-proposed also asks 1 not yet accepted" in nothing.err


@pytest.mark.parametrize("model", ["long", "escapes", "coloured", "page", "brackets"])
def test_hostile_replies_reach_neither_terminal_nor_page(ask: Ask, tmp_path: Path, model: str) -> None:
    hostile = QuestionTuple(
        "neg",
        {"P": "Will event 1 happen? <script>alert(1)</script>\x1b[2J\u202e", "not_P": "Will event 1 not happen?"},
        id="<b>",
    )
    write_tuples(tmp_path / "tuples.jsonl", [hostile])
    ended = ask(model, "--html", "page.html")
    assert ended.code == 0
    assert not {"\x1b", "\u202e", "\x00"} & set(ended.out + ended.err)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "\x1b" not in page


@pytest.mark.long
def test_a_recording_is_asked_by_the_digest_of_the_question(viva: Viva, tmp_path: Path) -> None:
    from vivavoce.studies.forecasting.prompts import forecast_prompt

    pair = next(probability_tuples(1))
    write_tuples(tmp_path / "tuples.jsonl", [pair])
    document = {"P": "[Answer] 0.7", "not_P": "[Answer] 0.5"}
    lines = [{"id": forecast_prompt(pair.questions[key]).id, "reply": reply} for key, reply in document.items()]
    (tmp_path / "said.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ended = viva("consistency", "forecasts", "ask", "replay:said.jsonl#reply", "--tuples", "tuples.jsonl", "--json", "--quiet")
    # |.7 + .5 - 1| = .2; a recording says the same whenever it is asked
    assert table(ended)["neg"]["mean"]["value"] == pytest.approx(0.2)
    assert table(ended)["repeat"]["mean"]["value"] == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "holds no tuples"),
        ("rubbish\n", "line 1: not JSON"),
        ('{"law": "neg", "questions": {"P": "Will it?"}}\n', "line 1"),
        ('{"law": "neg", "questions": {"P": "Will it?", "Q": "Will that?"}}\n', "line 1"),
        ('{"law": "nag", "questions": {"P": "Will it?", "not_P": "Not?"}}\n', "neg"),
        ('{"law": "neg", "questions": {"P": 5, "not_P": []}}\n', "line 1"),
        ('{"law": "increasing", "questions": {"soon": "How many?", "late": "How many?"}}\n', "soon"),
        ("[" * 100_000, "line 1: lists or objects are nested more than"),
    ],
)
def test_rubbish_is_refused_before_anything_is_asked(ask: Ask, tmp_path: Path, server: str, text: str, problem: str) -> None:
    (tmp_path / "tuples.jsonl").write_text(text)
    before = report(server)["requests"]
    ended = ask("steady", "--transcript", "run.sqlite")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert problem in ended.err
    assert report(server)["requests"] == before
    assert not (tmp_path / "run.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--law", "bays"), "did you mean 'bayes'"),
        (("--temperature", "hot"), "from 0 to 10, or none"),
        (("--temperature", "nan"), "from 0 to 10, or none"),
        (("--out", "missing/rows.jsonl"), "the folder 'missing' does not exist"),
        (("--out", "tuples.jsonl"), "already uses that file"),
        (("--variant", "backwards"), "plain"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    ask: Ask, server: str, arguments: tuple[str, ...], problem: str
) -> None:
    before = report(server)["requests"]
    ended = ask("steady", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert problem in ended.err
    assert report(server)["requests"] == before


def test_a_candidate_out_of_reach_is_exit_code_5(viva: Viva, tmp_path: Path) -> None:
    write_tuples(tmp_path / "tuples.jsonl", list(probability_tuples(1)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound but not listening: every connection is refused
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        ended = viva(
            "consistency",
            "forecasts",
            "ask",
            f"chat:x@{address}",
            "--tuples",
            "tuples.jsonl",
            "--set",
            "max-tries=1",
            "--quiet",
        )
    assert (ended.code, ended.out) == (5, "")
    assert "use --transcript FILE" in ended.err
