"""`viva eqt`: from a candidate's name to table, page, result file, scope and comparison."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from vivavoce.certificate.scopes import open_scope
from vivavoce.cli.eqt.group import eqt
from vivavoce.cli.transcript.command import transcript
from vivavoce.errors import VivavoceError

PUPIL, FORGETFUL = "function:pupil_of_eqt:answer", "function:pupil_of_eqt:forgetful"
SMALL = ("--concepts", "math", "--limit", "3", "--questions", "10", "--paraphrases", "1", "--quiet")
ONE = ("--limit", "1")
"""One concept instead."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with the pupil in it."""
    shutil.copy(Path(__file__).parents[1] / "pupil.py", tmp_path / "pupil_of_eqt.py")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: object) -> Result:
    """The command with these arguments; bad input is raised, as it is by the group."""
    return CliRunner().invoke(eqt, list(map(str, arguments)), catch_exceptions=False)


def values(*arguments: object) -> dict[str, Any]:
    """What it prints as JSON."""
    found: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return found


def test_what_is_planted_is_found() -> None:
    found = values(PUPIL, *SMALL)
    # Questions are on rules 4, 8, ..., 40: it remembers those to 20, five of ten, and all with the explanation at hand
    assert found["figures"]["whole"]["closed"]["value"] == found["figures"]["whole"]["closed_originals"]["value"] == 0.5
    assert found["figures"]["whole"]["open_book"]["value"] == 1.0
    assert found["figures"]["whole"]["gap"]["value"] == 0.5
    assert found["figures"]["whole"]["acs"]["value"] == 1.0
    assert (found["validity"]["written"], found["validity"]["valid"], found["completed"]) == (30, 30, 3)
    # A concept: 1 explanation, 10 questions, 10 paraphrases, 20 answers, 10 open book, 30 checks; the key check is the same
    # question to the same candidate as no other
    assert found["calls"] == 3 * (1 + 10 + 10 + 20 + 10 + 30)


def test_what_it_will_take_is_said_first() -> None:
    said = run(PUPIL, *SMALL[:-1]).stderr
    assert "viva: 3 concepts: 243 calls, roughly " in said


def test_a_result_is_shown_again_and_is_a_scope(folder: Path) -> None:
    found = values(PUPIL, *SMALL, "--out", "pupil.json", "--html", "page.html")
    assert "<!doctype html>" in (folder / "page.html").read_text().lower()
    assert values("show", "pupil.json")["figures"]["whole"] == found["figures"]["whole"]
    shown = run("show", "pupil.json").stdout
    assert "comprehension gap" in shown
    assert "answers 50%" in shown
    assert run("scope", "pupil.json", "questions.jsonl").stdout == "60 questions written to questions.jsonl\n"
    assert open_scope("file:questions.jsonl").population == 30  # wordings of one question are drawn together
    assert run("scope", "pupil.json", "questions.jsonl").exit_code == 2


def test_the_transcript_reads_as_a_story(folder: Path) -> None:
    first = values(PUPIL, *SMALL, "--transcript", "run.sqlite")["concepts"][0]["name"]
    story = CliRunner().invoke(transcript, ["show", "run.sqlite", "--concept", first.upper()]).stdout
    steps = [
        "asked: Explain the concept",
        "answer: Question: What does rule 4 give?",
        "Correct: B",
        "Name the number",
        "answer: Answer:",
    ]
    places = [story.index(step) for step in steps]
    assert places == sorted(places)
    assert "81 of 243 records shown." in story
    again = run(PUPIL, *SMALL, "--transcript", "run.sqlite")
    assert "head 243:" in again.stdout


def test_roles_are_given_to_others() -> None:
    found = values(PUPIL, *SMALL, *ONE, "--role", f"answerer={FORGETFUL}")
    assert found["figures"]["whole"]["closed"]["value"] == 0.0
    assert found["figures"]["whole"]["unreadable"]["value"] == 1.0
    assert found["figures"]["whole"]["open_book"]["value"] == 1.0
    assert (found["roles"]["writer"], found["roles"]["answerer"]) == (PUPIL, FORGETFUL)


def test_several_candidates_examine_each_other(folder: Path) -> None:
    done = run(PUPIL, FORGETFUL, *SMALL, *ONE, "--cross", "--out", "both.json", "--html", "page.html")
    assert done.exit_code == 0
    assert "<svg" in (folder / "page.html").read_text()
    found = values("compare", "both-1.json", "both-2.json")
    assert [one["candidate"] for one in found["findings"]] == [PUPIL, FORGETFUL]
    assert found["findings"][1]["visitors"][PUPIL]["value"] == 0.5
    assert found["findings"][0]["visitors"][FORGETFUL]["value"] == 0.0


def test_beside_a_benchmark(folder: Path) -> None:
    run(PUPIL, FORGETFUL, *SMALL, *ONE, "--out", "both.json")
    (folder / "benchmark.csv").write_text("model,category,accuracy\npupil,math,0.8\nforgetful,math,0.3\n")
    names = ("--name", f"{PUPIL}=pupil", "--name", f"{FORGETFUL}=forgetful")
    found = values("compare", "both-1.json", "both-2.json", "--benchmark", "benchmark.csv", *names)
    assert [(one["model"], one["eqt"], one["benchmark"]) for one in found["pairings"]] == [
        ("pupil", 0.5, 0.8), ("forgetful", 0.0, 0.3),
    ]  # fmt: skip
    assert found["figures"]["overall"]["pearson"]["value"] is None  # of two points nothing can be said
    assert found["matches"] == 2


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((PUPIL, PUPIL), "named twice"),
        ((PUPIL, "--cross"), "at least two"),
        ((PUPIL, FORGETFUL, "--role", f"answerer={PUPIL}"), "all candidates would be the same"),
        ((PUPIL, "--role", "teacher=x"), "where ROLE is explainer"),
        ((PUPIL, "--role", "writer=bot:eliza", "--role", "writer=bot:eliza"), "named twice"),
        ((PUPIL, "--html", "no/where.html"), "there is no folder"),
        ((PUPIL, "--out", "no/where.json"), "there is no folder"),
        (("compare", "a.json", "--name", "x=y"), "--name is for --benchmark"),
        (("scope", "a.json", "b.txt"), "must end in .jsonl"),
        ((), "Usage"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(arguments: tuple[str, ...], problem: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert problem in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((PUPIL, "--concepts", "maths"), "did you mean 'math'"),
        ((PUPIL, "--concepts", "nowhere.csv"), "nowhere.csv"),
        (("show", "nowhere.json"), "nowhere.json"),
        (("nobody",), "needs more|kind of candidate"),
    ],
)
def test_what_does_not_exist_is_told(arguments: tuple[str, ...], problem: str) -> None:
    with pytest.raises(VivavoceError, match=problem):
        run(*arguments)


def test_rubbish_is_no_result(folder: Path) -> None:
    for text in ("", "{", "[]", '{"sittings": 3}', "\x00" * 100):
        (folder / "bad.json").write_text(text)
        with pytest.raises(VivavoceError, match=r"bad\.json"):
            run("show", "bad.json")


def test_a_budget_is_money() -> None:
    assert values(PUPIL, *SMALL, *ONE, "--budget", "0.5")["figures"]["exhausted"] == ""  # a function costs nothing
    assert run(PUPIL, *SMALL, "--budget", "0").exit_code == 2


def test_concepts_are_listed() -> None:
    listed = run("concepts", "math", "law").stdout.splitlines()
    assert listed[0] == "[math]"
    assert "[law]" in listed
    assert len(listed) == 42


def test_sources_and_pairs(folder: Path) -> None:
    """The pupil's rules as they are, but for one concept that has no source."""
    concepts = [one["name"] for one in json.loads(run("concepts", "math", "--json").stdout)][:2]
    (folder / "two.txt").write_text("\n".join(concepts))
    sources = folder / "sources"
    sources.mkdir()
    (sources / f"{concepts[0]}.txt").write_text(" ".join(f"Rule {n} gives {7 * n}." for n in range(1, 41)))
    small = ("--concepts", "two.txt", "--questions", "10", "--paraphrases", "0", "--quiet")
    done = run(PUPIL, *small, "--sources", "sources", "--pairs", "pairs.jsonl", "--out", "two.json", "--json")
    found = json.loads(done.stdout)["grounding"]
    assert (found["concepts"], found["without"]) == (1, 1)
    assert {name: number for name, number in found["counts"].items() if number} == {"answering": 5, "none": 5}
    pairs = [json.loads(line) for line in (folder / "pairs.jsonl").read_text().splitlines()]
    # five rules of either concept are forgotten; of the one without a source, valid questions count
    assert [one["failure"] for one in pairs] == ["answering"] * 10
    assert run("show", "two.json", "--pairs", "again.jsonl").exit_code == 0
    assert (folder / "again.jsonl").read_text() == (folder / "pairs.jsonl").read_text()
    for wrong in (("--pairs", "pairs.csv"), ("--sources", "sources", "--no-checks")):
        assert run(PUPIL, *small, *wrong).exit_code == 2


def test_from_a_benchmark(folder: Path) -> None:
    original = {"question_id": 1, "category": "math", "question": "What does rule 4 give?", "options": ["28", "29", "4", "25"]}
    (folder / "original.jsonl").write_text(json.dumps(original | {"answer": "A"}))
    (folder / "names.py").write_text("def name(prompt: str) -> str:\n    return 'Answer: Rule four'\n")
    out = values("extract", "function:names:name", "original.jsonl", "--out", "concepts.csv")
    assert (out["concepts"], out["short"]) == (1, {"math": 19})
    assert (folder / "concepts.csv").read_text() == "concept,category,questions\nRule four,math,1\n"
    assert json.loads(run("concepts", "concepts.csv", "--json").stdout) == [{"category": "math", "name": "Rule four"}]
    kept = ("extract", "function:names:name", "original.jsonl", "--out", "concepts.csv", "--transcript", "names.sqlite")
    run(*kept)
    again = run(*kept).stdout
    assert again.startswith("1 concept from 1 question written to concepts.csv; 19 fewer than wanted\n")
    assert "Answers: 1 from the record, 0 new" in again
    assert values(*kept)["transcript_head"].startswith("1:")
    (folder / "nobody.py").write_text("def name(prompt: str) -> str:\n    return 'Answer: I do not know'\n")
    none = run("extract", "function:nobody:name", "original.jsonl", "--out", "none.csv")
    assert none.exit_code == 4
    assert "replies that name none: says that it does not know: 1" in none.stdout
    run(PUPIL, *SMALL, *ONE, "--out", "one.json")
    found = values("overlap", "one.json", "original.jsonl", "--html", "page.html")
    assert (found["figures"]["share"]["value"], found["nearest"][0]["original"]) == (0.1, "1")
    (folder / "said.csv").write_text("question_id,category,answer,=m\n1,math,A,A\n2,math,B,A\n")
    assert values("benchmark", "said.csv", "bench.csv")["figures"]["rows"] == 1
    assert (folder / "bench.csv").read_text().splitlines()[1].startswith("'=m,math,0.5,")
    for wrong in (("benchmark", "said.csv", "bench.txt"), ("extract", PUPIL, "original.jsonl", "--out", "c.txt")):
        assert run(*wrong).exit_code == 2
