"""`viva consistency forecasts make` and `review` against a chat server with planted faults."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CliResult, Refuses, Start, Viva, in_full, wait_for_records
from tests.studies.forecasts.making.serving import KINDS, GatedChatServer, base, negation, serving
from vivavoce.interview.transcript import Transcript
from vivavoce.studies.forecasting.forecast_files import read_tuples
from vivavoce.studies.forecasting.making.recipes import COMPOSED_LAWS, MADE_LAWS

MAKE = ("consistency", "forecasts", "make", "--quiet", "--out", "tuples.jsonl")
TUPLES = Path("tuples.jsonl")
REASONS = {
    "copy": "a statement is a copy",
    "refuse": "the writer refused",
    "unmarked": "the writer's reply can't be parsed",
    "twice": "the writer's reply can't be parsed",
    "wrong": "the checker said no",
    "empty": "a statement is empty",
    "long": "a statement is longer than 2,000 characters",
    "statement": "a statement is not a question",
    "decline": "the writer says that it cannot be written",
    "steer": "a statement holds characters that steer a terminal or turn text",
    "fault": "the writer gave no answer",
}


@pytest.fixture(scope="module")
def server() -> Iterator[GatedChatServer]:
    with serving() as running:
        yield running


@pytest.fixture
def events(tmp_path: Path) -> Path:
    """130 base questions: ten for each of the server's 13 kinds."""
    file = tmp_path / "base.txt"
    file.write_text("".join(f"{base(n)}\n" for n in range(130)))
    return file


def made(ended: CliResult) -> dict[str, Any]:
    values: dict[str, Any] = ended.values
    return {**values, **values["total"]}


@pytest.mark.long
def test_each_planted_fault_is_kept_with_its_reason(viva: Viva, server: GatedChatServer, events: Path) -> None:
    ended = viva(*MAKE, "--questions", "base.txt", "--law", "neg", "--writer", server.candidate("writer"), "--json")
    assert (ended.code, ended.err) == (0, "")
    # by hand: 130 questions by turns of 13 kinds are ten of each; two kinds are right, two cannot be read
    planted = Counter(REASONS[kind] for kind in KINDS * 10 if kind != "right")
    counts = made(ended)
    assert (counts["tuples"], counts["accepted"], counts["proposed"], counts["rejected"]) == (130, 20, 0, 110)
    assert counts["reasons"] == planted
    assert counts["reasons"]["the writer's reply can't be parsed"] == 20
    tuples = read_tuples(TUPLES)
    assert [question_tuple.questions["P"] for question_tuple in tuples] == [base(n) for n in range(130)], (
        "nothing is dropped, and in order"
    )
    for number, question_tuple in enumerate(tuples):
        kind = KINDS[number % 13]
        assert question_tuple.base == (str(number + 1),)
        assert question_tuple.reason.startswith(REASONS.get(kind, "accepted by the checker chat:writer@"))
        if kind == "right":
            assert (question_tuple.status, question_tuple.questions["not_P"]) == ("accepted", negation(number))
    assert tuples[3].reason == "the checker said no: not_P: The dates differ."
    assert tuples[3].questions["not_P"] == "Will event 3 happen before 2031?", "what failed can be read"
    assert tuples[1].questions["not_P"] == "(not written)"
    assert len(tuples[5].questions["not_P"]) <= 2_000
    assert any("too consistent" in caveat for caveat in counts["caveats"])
    assert any("checked itself" in caveat for caveat in counts["caveats"])


@pytest.mark.long
def test_only_what_can_be_checked_is_checked(viva: Viva, events: Path) -> None:
    with serving() as server:
        viva(*MAKE, "--questions", "base.txt", "--law", "neg", "--writer", server.candidate("writer"))
        # by hand: 130 times writing, 10 wrong with 20 right ones to be checked, and a probe for the schema of each
        assert server.seen()["writer"] == 162


def test_a_setting_that_the_server_refuses_is_told_once(viva: Viva, server: GatedChatServer, events: Path) -> None:
    asked = ("--questions", "base.txt", "--law", "neg", "--limit", "3", "--writer")
    plain, fluent = (made(viva(*MAKE, *asked, server.candidate(model), "--json")) for model in ("plain", "fluent"))
    assert plain["accepted"] == fluent["accepted"] == 3
    usual = [caveat.replace("fluent", "plain") for caveat in fluent["caveats"]]
    assert plain["caveats"] == [*usual, f"{plain['writer']} refuses the setting 'schema': it was left out of all questions."]


@pytest.mark.long
def test_a_checker_s_errors_are_as_they_were_planted(viva: Viva, server: GatedChatServer, events: Path) -> None:
    writer, checker = server.candidate("writer"), server.candidate("lax")
    ended = viva(*MAKE, "--questions", "base.txt", "--law", "neg", "--writer", writer, "--checker", checker, "--json")
    checked = [n for n in range(130) if KINDS[n % 13] in ("right", "wrong")]
    errors = Counter(n % 10 for n in checked)
    reasons = made(ended)["reasons"]
    assert reasons["the checker said no"] == errors[0], "right ones that it turned down"
    assert reasons["the checker's verdict can't be parsed"] == errors[1] + errors[2]
    assert made(ended)["accepted"] == len(checked) - errors[0] - errors[1] - errors[2]
    tuples = read_tuples(TUPLES)
    assert any(KINDS[n % 13] == "wrong" and tuples[n].status == "accepted" for n in checked), "it lets wrong ones pass"
    assert made(ended)["checker"].startswith("chat:lax@")
    assert not any("checked itself" in caveat for caveat in made(ended)["caveats"])


def test_what_nobody_checks_is_proposed(viva: Viva, server: GatedChatServer, events: Path) -> None:
    writer = server.candidate("writer")
    ended = viva(*in_full(MAKE), "--questions", "base.txt", "--law", "neg", "--writer", writer, "--checker", "none")
    # by hand: 20 right and 10 wrong negations look alike without a checker
    assert "30 not checked." in ended.out
    assert "neg" in ended.out
    assert {question_tuple.status for question_tuple in read_tuples(TUPLES)} == {"proposed", "rejected"}
    assert sum(question_tuple.reason == "no one checked it" for question_tuple in read_tuples(TUPLES)) == 30


@pytest.mark.long
def test_all_laws_by_a_writer(viva: Viva, server: GatedChatServer, tmp_path: Path) -> None:
    (tmp_path / "base.jsonl").write_text(
        "".join(json.dumps({"question": base(n), "body": "Yes if it\n does.", "id": f"e+{n}"}) + "\n" for n in range(6))
    )
    laws = ",".join(MADE_LAWS)
    ended = viva(*MAKE, "--questions", "base.jsonl", "--law", laws, "--writer", server.candidate("fluent"), "--json")
    assert ended.code == 0
    values = made(ended)
    assert {law: tally["accepted"] for law, tally in values["laws"].items()} == dict.fromkeys(MADE_LAWS, 6)
    tuples = read_tuples(TUPLES)
    assert len({question_tuple.id for question_tuple in tuples}) == len(tuples) == 6 * len(MADE_LAWS)
    paraphrases = next(question_tuple for question_tuple in tuples if question_tuple.law == "paraphrase")
    assert list(paraphrases.questions) == ["P", "para_P", "para_P_2", "para_P_3"]
    assert all(question_tuple.base and set(question_tuple.base) <= {f"e+{n}" for n in range(6)} for question_tuple in tuples)
    assert any("without the texts" in caveat for caveat in values["caveats"])


def test_all_laws_by_template(viva: Viva, events: Path) -> None:
    laws = ",".join(COMPOSED_LAWS)
    ended = viva(*MAKE, "--questions", "base.txt", "--law", laws, "--writer", "template", "--limit", "5", "--json")
    assert {law: tally["accepted"] for law, tally in made(ended)["laws"].items()} == dict.fromkeys(COMPOSED_LAWS, 5)
    first = TUPLES.read_text()
    assert viva(*MAKE, "--questions", "base.txt", "--law", laws, "--writer", "template", "--limit", "5").code == 0
    assert TUPLES.read_text() == first, "the seed says all"
    assert len({question_tuple.id for question_tuple in read_tuples(TUPLES)}) == 5 * len(COMPOSED_LAWS)


def test_what_is_composed_can_be_checked_too(viva: Viva, server: GatedChatServer, events: Path) -> None:
    checker = server.candidate("fluent")
    viva(*MAKE, "--questions", "base.txt", "--limit", "3", "--law", "and", "--writer", "template", "--checker", checker)
    assert {question_tuple.reason.split(" chat:")[0] for question_tuple in read_tuples(TUPLES)} == {
        "composed by template; accepted by the checker"
    }


@pytest.mark.parametrize(("pairs", "tuples"), [("all", 10), ("4", 4)])
def test_groups_of_base_questions(viva: Viva, events: Path, pairs: str, tuples: int) -> None:
    command = (*MAKE, "--questions", "base.txt", "--limit", "5", "--law", "or", "--writer", "template")
    assert viva(*command, "--pairs", pairs).code == 0
    assert len({frozenset(question_tuple.base) for question_tuple in read_tuples(TUPLES)}) == tuples  # 5 choose 2 = 10


@pytest.mark.long
def test_base_questions_that_cannot_do_are_kept_and_nobody_is_asked(viva: Viva, tmp_path: Path) -> None:
    lines = [{"question": "Will it?", "id": 1}, {"question": "will it", "id": 2}, {"question": f"Will {'x' * 2000}?", "id": 3}]
    (tmp_path / "base.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with serving() as server:
        writer = server.candidate("fluent")
        ended = viva(*MAKE, "--questions", "base.jsonl", "--law", "and", "--writer", writer, "--pairs", "all", "--json")
        assert server.seen()["fluent"] == 0
    assert ended.code == 4, "nothing was accepted"
    assert made(ended)["reasons"] == {"a statement is longer than 2,000 characters": 2, "a statement is a copy": 1}
    assert len(read_tuples(TUPLES)) == 3


@pytest.mark.long
def test_a_budget_that_runs_out_leaves_nothing_out(viva: Viva, server: GatedChatServer, events: Path) -> None:
    # 100 tokens a reply, none for one that does not come (every 13th): 6,000 are used up by the first 65 tuples, when at most
    # 2 x 8 more are on their way, and nothing is left for the checker
    command = (*MAKE, "--questions", "base.txt", "--law", "neg", "--writer", server.candidate("writer"), "--json")
    short = viva(*command, "--set", "tokens=6000", "--transcript", "run.sqlite")
    assert short.code == 4
    counts = made(short)
    assert counts["exhausted"] == "tokens"
    assert counts["tuples"] == 130
    not_written = counts["reasons"]["not written"]
    assert 130 - 65 - 2 * 8 <= not_written <= 130 - 65
    assert counts["accepted"] == 0
    assert counts["proposed"] > 0
    assert any(
        "no one checked it: the budget of tokens was used up" in question_tuple.reason for question_tuple in read_tuples(TUPLES)
    )
    whole = viva(*command, "--transcript", "run.sqlite")
    assert (whole.code, made(whole)["accepted"]) == (0, 20)


def test_series(viva: Viva, tmp_path: Path) -> None:
    ended = viva(*MAKE, "--template", "How many by {}?", "--values", "2040,2025,2031", "--law", "increasing")
    assert ended.code == 0
    assert "1 of 1 tuples accepted" in ended.out
    assert list(read_tuples(TUPLES)[0].questions) == ["2025", "2031", "2040"]
    (tmp_path / "templates.jsonl").write_text('{"template": "Over {}?", "values": [1, 2], "law": "chain"}\n' * 3)
    ended = viva(*MAKE, "--templates", "templates.jsonl", "--implies", "higher", "--json")
    assert made(ended)["laws"]["chain"]["accepted"] == 3
    assert len({question_tuple.base for question_tuple in read_tuples(TUPLES)}) == 1, "one template, one cluster"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "Give exactly one of"),
        (("--template", "Over {}?"), "needs --values"),
        (("--template", "Over {}?", "--values", "1,2"), "needs --law"),
        (("--template", "Over {}?", "--values", "1,2", "--law", "neg"), "no law of series 'neg'"),
        (("--template", "Over {}?", "--values", "1,2", "--law", "chain", "--writer", "template"), "have no --writer"),
        (("--template", "Over {}?", "--values", "1,2", "--questions", "base.txt"), "can't be combined with series"),
        (("--templates", "base.txt", "--values", "1,2"), "put the values into the file"),
        (("--questions", "base.txt"), "needs --law"),
        (("--questions", "base.txt", "--law", "neg"), "needs --writer"),
        (("--questions", "base.txt", "--law", "negg", "--writer", "template"), "did you mean 'neg'"),
        (("--questions", "base.txt", "--law", "paraphrase", "--writer", "template"), "can't be made from a template"),
        (("--questions", "nowhere.txt", "--law", "neg", "--writer", "template"), "nowhere.txt: cannot be read"),
        (("--questions", "base.txt", "--law", "and", "--writer", "template", "--pairs", "0"), "above 0, or all"),
        (("--questions", "base.txt", "--law", "and", "--writer", "template", "--limit", "1"), "needs 2 base questions"),
        (("--questions", "base.txt", "--law", "neg", "--writer", "bot:nobody"), "no bot 'nobody'"),
        (("--questions", "base.txt", "--law", "neg", "--writer", "template", "--out", "base.txt"), "already uses that file"),
        (("--questions", "base.txt", "--law", "neg", "--writer", "template", "--out", "no/t.jsonl"), "the folder"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, events: Path, arguments: tuple[str, ...], problem: str) -> None:
    refuses(*MAKE, *arguments, says=problem)


def test_a_writer_that_talks_nonsense_is_no_error(viva: Viva, events: Path) -> None:
    ended = viva(*MAKE, "--questions", "base.txt", "--law", "neg", "--writer", "bot:gibberish", "--json")
    assert ended.code == 4
    assert made(ended)["reasons"] == {"the writer's reply can't be parsed": 130}


@pytest.mark.long
@pytest.mark.usefixtures("events")
def test_killed_and_started_again_it_asks_only_what_was_in_flight(viva: Viva, viva_copy: Start, tmp_path: Path) -> None:
    with serving(latency=0.02) as server:
        options = (
            "--questions",
            "base.txt",
            "--limit",
            "52",
            "--law",
            "neg",
            "--concurrency",
            "4",
            "--writer",
            server.candidate("writer"),
        )
        whole = viva(*MAKE, *options, "--transcript", "whole.sqlite", "--json")
        expected, asked = TUPLES.read_text(), server.seen()["writer"]
        TUPLES.unlink()
        server.let_checks_pass(6)  # so that the last kill is amid them, however late it comes
        for records in (20, 55):  # amid the writing, and amid the checks
            process = viva_copy(*MAKE, *options, "--transcript", "killed.sqlite")
            wait_for_records(tmp_path / "killed.sqlite", records)
            process.kill()
            process.communicate()
        assert not TUPLES.exists()
        server.let_checks_pass(inf)
        again = viva(*MAKE, *options, "--transcript", "killed.sqlite", "--json")
        assert TUPLES.read_text() == expected
        assert _but_for_the_kills(made(again)) == _but_for_the_kills(made(whole))
        # after each of two kills at most what was in flight is asked again, and what the service has failed to answer
        with Transcript.open(tmp_path / "whole.sqlite") as transcript:
            faults = sum(record.kind == "no answer" for record in transcript.records())
        assert server.seen()["writer"] - asked <= asked + 2 * (4 + faults)


def _but_for_the_kills(summary: dict[str, Any]) -> dict[str, Any]:
    """Without the record's head, and without what it says of questions that were asked again."""
    caveats = [caveat for caveat in summary["caveats"] if "again, since the program had ended" not in caveat]
    return summary | {"caveats": caveats, "transcript_head": ""}


@pytest.mark.long
@pytest.mark.data
@pytest.mark.skipif("VIVA_DATA" not in os.environ, reason="needs the research data folder named by $VIVA_DATA")
def test_published_questions(viva: Viva, server: GatedChatServer) -> None:
    questions = str(Path(os.environ["VIVA_DATA"]) / "forecasting" / "resolved_questions.jsonl.gz")
    writer = ("--questions", questions, "--law", "neg", "--writer", server.candidate("fluent"), "--json")
    ended = viva(*MAKE, *writer)
    # 242 questions; equal texts make copies when both are drawn
    assert {law: tally["tuples"] for law, tally in made(ended)["laws"].items()} == {"neg": 242}
    assert made(ended)["laws"]["neg"]["accepted"] == 242
    tuples = read_tuples(TUPLES)
    assert len({question_tuple.id for question_tuple in tuples}) == len(tuples) == 242
    assert all(question_tuple.base and all(len(name) == 36 for name in question_tuple.base) for question_tuple in tuples), (
        "the data's own ids"
    )
    composed = viva(*MAKE, "--questions", questions, "--law", ",".join(COMPOSED_LAWS), "--writer", "template", "--json")
    assert made(composed)["tuples"] == len(read_tuples(TUPLES)) == 242 * len(COMPOSED_LAWS)
    assert set(made(composed)["reasons"]) <= {"a statement is a copy"}
    assert made(composed)["accepted"] > 240 * len(COMPOSED_LAWS)


def test_formulas_reach_no_spreadsheet(viva: Viva, server: GatedChatServer, tmp_path: Path) -> None:
    (tmp_path / "base.jsonl").write_text(json.dumps({"question": "@SUM(1)?", "id": "=1+1"}) + "\n")
    hostile = server.candidate("hostile")
    viva(*MAKE, "--questions", "base.jsonl", "--law", "neg", "--writer", hostile, "--checker", "none")
    assert read_tuples(TUPLES)[0].questions["not_P"].startswith("=HYPERLINK")
    assert viva("consistency", "forecasts", "review", "tuples.jsonl", "sheet.csv").code == 0
    cells = [cell for row in csv.reader((tmp_path / "sheet.csv").read_text("utf-8-sig").splitlines()) for cell in row]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)
    assert any(cell == "'@SUM(1)?" for cell in cells)
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t")]
    ended = viva("consistency", "forecasts", "review", "tuples.jsonl", "sheet.csv", "--out", "same.jsonl")
    assert ended.code == 0
    assert read_tuples(Path("same.jsonl")) == read_tuples(TUPLES)
    checked = viva(*MAKE, "--questions", "base.jsonl", "--law", "neg", "--writer", hostile, "--json")
    # the same verdict by the megabyte is one verdict
    assert (made(checked)["accepted"], made(checked)["reasons"]) == (1, {})


@pytest.mark.long
def test_people_review(viva: Viva, server: GatedChatServer, events: Path, tmp_path: Path) -> None:
    viva(*MAKE, "--questions", "base.txt", "--law", "neg", "--writer", server.candidate("writer"))
    assert viva("consistency", "forecasts", "review", "tuples.jsonl", "sheet.csv").code == 0
    again = viva("consistency", "forecasts", "review", "tuples.jsonl", "sheet.csv")
    assert (again.code, "may have a person's review" in again.err) == (2, True)
    sheet = tmp_path / "sheet.csv"
    rows = list(csv.DictReader(sheet.read_text("utf-8-sig").splitlines()))
    rows[1] |= {"keep": "yes", "question not_P": "Will event 1 fail to happen before 2030?"}
    rows[11] |= {"keep": "no", "reason": "too vague"}

    def save() -> None:
        with sheet.open("w", newline="") as stream:
            table = csv.DictWriter(stream, list(rows[0]))
            table.writeheader()
            table.writerows(rows)

    rows[2]["keep"], rows[3]["keep"] = "perhaps", "yes please"
    save()
    command = ("consistency", "forecasts", "review", "tuples.jsonl", "sheet.csv", "--by", "Ann", "--out", "reviewed.jsonl")
    wrong = viva(*command)
    assert wrong.code == 2
    assert wrong.err.splitlines()[0] == "sheet.csv, line 4: 'keep' is 'perhaps': write yes or no, or leave it empty"
    assert wrong.err.splitlines()[1].startswith("sheet.csv, line 5: 'keep' is 'yes please'")
    assert "nothing was written" in wrong.err
    assert not Path("reviewed.jsonl").exists()
    rows[2]["keep"] = rows[3]["keep"] = ""
    save()
    right = viva(*command, "--json")
    expected = {"tuples": 130, "accepted": 1, "edited": 1, "rejected": 1, "undecided": 128, "out": "reviewed.jsonl"}
    assert right.values == expected
    tuples = read_tuples(Path("reviewed.jsonl"))
    assert tuples[1].status == "accepted"
    assert tuples[1].reason.startswith("accepted by review of Ann, words changed: not_P (before: the writer refused")
    assert tuples[11].reason.startswith("rejected by review of Ann: too vague")
    assert viva(*command).code == 2, "a reviewed file is not replaced"
