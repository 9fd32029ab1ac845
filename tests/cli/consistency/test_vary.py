"""`viva consistency vary` against a real chat server with planted candidates and a writer, and with a law of one's own."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import CliResult, Refuses, Start, Viva, wait_for_records
from tests.serving import ChatServer
from tests.studies.vary.favourites import OPTIONS
from tests.studies.vary.serving import copies, serving, spoils
from vivavoce.studies.forecasting.forecast_files import read_tuples

VARY = ("consistency", "vary")
SCOPE = ("--scope", "file:things.jsonl", "--questions", "40")
NUMBERS = range(1, 41)
RIGHT = [n for n in NUMBERS if not copies(n) and not spoils(n)]
"""Whose translation is accepted: 28 of 40."""


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with serving() as running:
        yield running


@pytest.fixture(autouse=True)
def things(tmp_path: Path) -> None:
    rows = [{"id": f"t{n}", "question": f"Which colour has thing {n}?", "options": OPTIONS, "answer": "A"} for n in NUMBERS]
    (tmp_path / "things.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def rates(ended: CliResult) -> dict[str, tuple[int, int]]:
    return {
        row["name"]: (row["rates"]["flipped"]["events"], row["rates"]["flipped"]["n"])
        for row in ended.values["figures"]["treatments"]
    }


@pytest.mark.long
def test_each_planted_flip_rate_is_found(viva: Viva, server: ChatServer) -> None:
    steady, first = (viva(*VARY, server.candidate(model), *SCOPE, "--json", "--quiet") for model in ("steady", "first"))
    assert (steady.code, steady.err, first.code) == (0, "", 0)
    assert rates(steady) == dict.fromkeys(("order", "typos", "context", "persona"), (0, 40))
    assert rates(first) == rates(steady) | {"order": (40, 40)}
    assert first.values["figures"]["control"][0]["rates"]["flipped"]["events"] == 0
    assert first.values["examples"][0]["texts"][1] == ["Answer", OPTIONS[0]]
    assert "order 100%" in first.values["statement"]


@pytest.mark.long
def test_the_verdict_is_the_exit_code(viva: Viva, server: ChatServer) -> None:
    limit = ("--vary", "order", "--flip-limit", "0.2", "--quiet")
    junit = ("--junit", "cases.xml")
    codes = {}
    for model in ("steady", "first"):
        codes[model] = viva(*VARY, server.candidate(model), *SCOPE, *limit, *junit).code
        assert f'failures="{int(model == "first")}"' in Path("cases.xml").read_text()
    assert codes == {"steady": 0, "first": 3}
    few = viva(*VARY, server.candidate("steady"), "--scope", "file:things.jsonl", "--questions", "5", *limit)
    assert few.code == 4
    assert "Undecided: " in few.out


@pytest.mark.long
def test_translations_are_written_checked_and_compared(viva: Viva, server: ChatServer) -> None:
    arguments = ("--vary", "translate:de", "--writer", server.candidate("writer"), "--save-variants", "de.jsonl", "--json")
    german, steady = (viva(*VARY, server.candidate(model), *SCOPE, *arguments) for model in ("german", "steady"))
    assert german.code == 0
    assert rates(german) == {"translate:de": (len(RIGHT), len(RIGHT))}
    assert rates(steady) == {"translate:de": (0, len(RIGHT))}
    (row,) = german.values["figures"]["treatments"]
    rejected = [n for n in NUMBERS if spoils(n) and not copies(n)]
    assert row["left_out"] == {"a statement is a copy": sum(map(copies, NUMBERS)), "the checker said no": len(rejected)}
    assert row["excess"]["flipped"]["least"] == 1.0
    tuples = {question_tuple.base[0]: question_tuple for question_tuple in read_tuples(Path("de.jsonl"))}
    assert len(tuples) == 40
    assert tuples["t1"].questions["para_P"].splitlines()[0] == "Auf Deutsch: Which colour has thing 1?"
    assert (tuples["t1"].status, tuples["t7"].status) == ("accepted", "rejected")
    assert "The writer checked itself." in german.values["caveats"]
    assert "at most 40 calls of the writer; at most 40 of the checker" in german.err


@pytest.mark.long
def test_what_people_have_reviewed_is_what_is_asked(viva: Viva, server: ChatServer) -> None:
    candidate = server.candidate("german")
    translated = (*VARY, candidate, *SCOPE, "--vary", "translate:de")
    viva(*translated, "--writer", server.candidate("writer"), "--checker", "none", "--save-variants", "de.jsonl", "--quiet")
    assert viva("consistency", "forecasts", "review", "de.jsonl", "sheet.csv").code == 0
    with Path("sheet.csv").open(encoding="utf-8-sig", newline="") as sheet:
        rows = list(csv.DictReader(sheet))
    for row in rows:
        row["keep"] = "no" if row["verdict"].startswith("rejected") or "t3" in row["id"] else "yes"
    with Path("sheet.csv").open("w", encoding="utf-8-sig", newline="") as sheet:
        writer = csv.DictWriter(sheet, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    ended = viva("consistency", "forecasts", "review", "de.jsonl", "sheet.csv", "--by", "Ann", "--out", "reviewed.jsonl")
    assert ended.code == 0, ended.err
    before = server.seen()["writer"]
    ended = viva(*translated, "--written", "reviewed.jsonl", "--json")
    kept = [row for row in rows if row["keep"] == "yes"]
    assert rates(ended)["translate:de"][1] == len(kept) > 0
    assert server.seen()["writer"] == before
    lines = Path("reviewed.jsonl").read_text().splitlines()
    Path("other.jsonl").write_text(lines[0].replace("Which colour has thing", "Which weight has thing") + "\n")
    ended = viva(*translated, "--written", "other.jsonl")
    assert (ended.code, ended.out) == (2, "")
    assert "is worded differently in the scope" in ended.err


def test_the_estimate_comes_first_and_a_dry_run_asks_nothing(viva: Viva, server: ChatServer) -> None:
    candidate = f"{server.candidate('steady')}?price_in=1&price_out=2"
    before = server.seen()["steady"]
    ended = viva(*VARY, candidate, *SCOPE, "--vary", "order,typos", "--variants", "3", "--flip-limit", "0.01", "--dry-run")
    assert (ended.code, ended.out) == (0, "")
    assert server.seen()["steady"] == before
    # 40 questions, each as it is, three times again, and three times varied in two ways
    assert "viva: 40 questions, 400 calls" in ended.err
    # 400 replies of 100 tokens at 2 a million are .08; prompts of some 50 tokens each at 1 a million some .02
    found_price = re.search(r"about ([\d.]+) of money for replies of 100 tokens", ended.err)
    assert found_price is not None
    assert 0.08 < float(found_price[1]) < 0.11
    assert "at least 326 without a flip are needed to certify this limit: there are 40" in ended.err


def open_things() -> None:
    """Open-ended questions, of which forty have a rubric alone."""
    rows = [{"id": f"t{n}", "question": f"Which colour has thing {n}, and why?", "rubric": "10: a colour"} for n in NUMBERS]
    Path("open.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.long
def test_a_judge_decides_whether_open_answers_are_the_same(viva: Viva, server: ChatServer) -> None:
    open_things()
    options = ("--scope", "file:open.jsonl", "--vary", "persona", "--questions", "40")
    refused = viva(*VARY, server.candidate("talker"), *options)
    assert refused.code == 2
    assert "only a judge can compare its answers" in refused.err
    asking = (*VARY, server.candidate("talker"), *options, "--judge", server.candidate("writer"), "--transcript", "run.sqlite")
    before = server.seen()["writer"]
    ended = viva(*asking, "--json")
    assert ended.code == 0, ended.err
    assert "at most 160 of the judge" in ended.err
    document = ended.values
    # planted: another colour of every fourth thing, in other words of all; the identical question is answered word for word
    assert rates(ended) == {"persona": (10, 40)}
    assert document["details"]["judgements"] == {
        "pairs": 40,
        "same": 30,
        "different": 10,
        "torn": 0,
        "not_asked": 0,
        "undecided": 0,
    }
    assert server.seen()["writer"] - before == 80 + 1  # each pair in both orders, and the probe
    again = viva(*asking, "--json", "--quiet")
    assert {**again.values, "transcript_head": ""} == {**document, "transcript_head": ""}
    needless = viva(*VARY, server.candidate("first"), *SCOPE, "--judge", server.candidate("writer"))
    assert needless.code == 2
    assert "leave out the judge" in needless.err


@pytest.mark.long
def test_as_a_room_with_a_judge_it_is_what_its_command_finds_and_is_had_again(viva: Viva, server: ChatServer) -> None:
    open_things()
    Path("plan.toml").write_text(
        f"examinations = ['vary']\n[vary]\nscope = 'file:open.jsonl'\nvary = ['persona']\nquestions = 40\nflip_limit = 0.1\n"
        f"judge = '{server.candidate('writer')}'\n"
    )
    ended = viva("report", server.candidate("talker"), "--plan", "plan.toml", "--out", "out", "--json")
    assert ended.code == 3, ended.err  # a quarter of the answers change, and a tenth may
    document = ended.values
    (card,) = document["cards"]
    assert (card["room"], card["claims"][0]["kind"]) == ("vary", "not")
    assert card["details"]["verdict"] == "fail"
    alone = viva(*shlex.split(card["command"])[1:], "--json", "--quiet")
    assert alone.code == 3
    assert alone.values == card["details"]
    again = viva("recheck", "out", "--transcript", "out/transcript.sqlite", "--scope", "file:open.jsonl")
    assert again.code == 0, again.out + again.err
    assert "The same: each" in again.out
    page = Path("out/report.html").read_text()
    assert "Does its answer change under variations that must not matter?" in page


@pytest.mark.long
def test_killed_and_started_again_it_asks_only_what_was_in_flight(viva: Viva, viva_copy: Start, tmp_path: Path) -> None:
    with serving(latency=0.02) as server:
        options = (
            *SCOPE,
            "--vary",
            "order,translate:de",
            "--concurrency",
            "4",
            "--writer",
            server.candidate("writer"),
            "--json",
        )
        command = (*VARY, server.candidate("german"), *options)
        whole = viva(*command, "--transcript", "whole.sqlite")
        asked = {model: server.seen()[model] for model in ("german", "writer")}
        for records in (20, 60, 110):  # amid the writing, the checks and the questions
            process = viva_copy(*command, "--transcript", "killed.sqlite")
            wait_for_records(tmp_path / "killed.sqlite", records)
            process.kill()
            process.communicate()
        again = viva(*command, "--transcript", "killed.sqlite")
        for name in ("figures", "examples", "statement"):
            assert again.values[name] == whole.values[name], name
        for model, number in asked.items():
            assert server.seen()[model] - number <= number + 3 * 4, model


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--vary", "ordre"], "did you mean 'order'"),
        (["--vary", "order:de"], "takes no language"),
        (["--vary", "translate"], "name a language"),
        (["--vary", ","], "no kind of variation"),
        (["--vary", "order,order"], "given twice"),
        (["--vary", "paraphrase"], "needs written variants: give --writer"),
        (["--vary", "order", "--writer", "bot:eliza"], "needs a writer"),
        (["--vary", "paraphrase", "--written", "things.jsonl", "--writer", "bot:eliza"], "already has the variants"),
        (["--vary", "paraphrase", "--written", "things.jsonl"], "things.jsonl"),
        (["--vary", "paraphrase", "--writer", "bot:eliza", "--save-variants", "things.jsonl"], "already uses that file"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, arguments: list[str], message: str) -> None:
    refuses(*VARY, "bot:calculator", *SCOPE, *arguments, says=message)


TAILOR = '''\
def answer(text):
    """Two more where somebody says who asks; nothing about a chair as it is."""
    if "chair" in text and "my question" not in text:
        return "It depends."
    return f"Answer: {(150 if 'table' in text else 200) + 2 * ('my question' in text)}"
'''
RUN = (
    "consistency",
    "vary",
    "function:tailor_of_ours:answer",
    "--scope",
    "file:lengths.jsonl",
    "--vary",
    "persona",
    "--variants",
    "2",
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "tailor_of_ours.py").write_text(TAILOR)
    rows = [
        {"id": name, "question": f"About how many cm long is a {name}?", "answer": 150} for name in ("table", "bed", "chair")
    ]
    (tmp_path / "lengths.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("law", "flipped", "unknown"),
    [
        ("same", 2, 1),  # two more is another answer; of the chair as it is nothing is known
        ("same within 2", 0, 1),
        ("same within 1.5", 2, 1),
        ("at most", 0, 1),
        ("at least", 2, 1),
        ("at least within 2", 0, 1),
    ],
)
def test_what_breaks_the_law_is_another_answer(viva: Viva, law: str, flipped: int, unknown: int) -> None:
    ended = viva(*RUN, "--law", law, "--flip-limit", "0.9", "--json", "--quiet")
    document = ended.values
    rate = document["figures"]["treatments"][0]["rates"]["flipped"]
    assert (rate["events"], rate["unknown"], rate["n"]) == (flipped, unknown, 3)
    assert document["figures"]["control"][0]["rates"]["flipped"]["events"] == 0
    assert document["details"]["law"] == law
    assert any("breaks the law" in caveat for caveat in document["caveats"]) == (law != "same")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("--law", "different"), "can't relate a question to its variants"),
        (("--law", "P, ~P"), "can't relate a question to its variants"),
        (("--law", "sum"), "needs at least 3 answers"),
        (("--law", "sane"), "did you mean 'same'"),
        (("--law", "same within -1"), "give a number from 0 on"),
        (("--law", "at most", "--scope", "file:lettered.csv"), "but the answer to question '1' is not a number"),
    ],
)
def test_a_law_that_cannot_bind_variants_is_refused(refuses: Refuses, given: tuple[str, ...], problem: str) -> None:
    Path("lettered.csv").write_text("question,options,answer\nWhich?,one|two,A\n")
    refuses(*RUN, *given, says=problem)


def test_a_plan_has_it_and_the_dossier_is_rechecked(viva: Viva) -> None:
    Path("plan.toml").write_text(
        'examinations = ["vary"]\n[vary]\nscope = "file:lengths.jsonl"\nvary = ["persona"]\nlaw = "same within 2"\n'
    )
    run = ("report", "function:tailor_of_ours:answer", "--plan", "plan.toml", "--out", "out", "--quiet")
    assert viva(*run).code == 0
    [card] = json.loads(Path("out/report.json").read_text())["cards"]
    assert card["details"]["details"]["law"] == "same within 2"
    assert "--law 'same within 2'" in card["command"]
    again = ("recheck", "out", "--transcript", "out/transcript.sqlite", "--scope", "file:lengths.jsonl")
    assert viva(*again).code == 0
