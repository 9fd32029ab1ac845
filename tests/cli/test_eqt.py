"""`viva eqt`: from candidates and result files to table, page, scope and comparison."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.each_case import each_case
from vivavoce.cli.eqt.command import eqt
from vivavoce.cli.transcript import transcript
from vivavoce.errors import VivavoceError
from vivavoce.scopes import open_scope

PUPIL, FORGETFUL = "function:pupil_of_eqt:answer", "function:pupil_of_eqt:forgetful"
SMALL = ("--concepts", "math", "--limit", "3", "--questions", "10", "--paraphrases", "1", "--quiet")
ONE = ("--limit", "1")
"""One concept instead."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own with the pupil in it."""
    shutil.copy(Path(__file__).parent / "pupil.py", tmp_path / "pupil_of_eqt.py")
    with (tmp_path / "pupil_of_eqt.py").open("a") as file:
        file.write("\n\ndef broken(prompt):\n    raise SystemExit('asked')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: object) -> Result:
    """The command with these arguments; bad input is raised, as it is by the group."""
    return CliRunner().invoke(eqt, list(map(str, arguments)), catch_exceptions=False)


def values(*arguments: object) -> dict[str, Any]:
    """What it prints as JSON."""
    by_name: dict[str, Any] = json.loads(run(*arguments, "--json").stdout)
    return by_name


def result(*arguments: object) -> dict[str, Any]:
    """The figures of the one candidate."""
    [figures] = values(*arguments)["figures"]["results"]
    return dict(figures)


def test_what_is_planted_is_found() -> None:
    by_name = result(PUPIL, *SMALL)
    # Questions are on rules 4, 8, ..., 40: it remembers those to 20, five of ten, and all with the explanation at hand
    assert by_name["whole"]["closed"]["value"] == by_name["whole"]["closed_originals"]["value"] == 0.5
    assert by_name["whole"]["open_book"]["value"] == 1.0
    assert by_name["whole"]["gap"]["value"] == 0.5
    assert by_name["whole"]["acs"]["value"] == 1.0
    assert (by_name["validity"]["written"], by_name["validity"]["valid"], by_name["completed"]) == (30, 30, 3)
    # A concept: 1 explanation, 10 questions, 10 paraphrases, 20 answers, 10 open book, 30 checks; the key check is the same
    # question to the same candidate as no other
    assert by_name["calls"] == 3 * (1 + 10 + 10 + 20 + 10 + 30)


def test_what_it_will_take_is_said_first() -> None:
    text = run(PUPIL, *SMALL[:-1]).stderr
    assert "viva: 3 concepts: 243 calls, roughly " in text


def test_a_result_is_shown_again_and_is_a_scope(folder: Path) -> None:
    by_name = result(PUPIL, *SMALL, "--out", "pupil.json", "--html", "page.html")
    assert "<!doctype html>" in (folder / "page.html").read_text().lower()
    assert result("pupil.json")["whole"] == by_name["whole"]
    shown = run("pupil.json").stdout
    assert "comprehension gap" in shown
    assert "answers 50%" in shown
    assert "Scope: questions.jsonl (60 questions)" in run("pupil.json", "--scope-out", "questions.jsonl").stderr
    assert open_scope("file:questions.jsonl").population == 30  # wordings of one question are drawn together
    assert run("pupil.json", "--scope-out", "questions.jsonl").exit_code == 2


def test_a_scope_has_questions_with_faults_only_if_wanted(folder: Path) -> None:
    run(PUPIL, *SMALL, *ONE, "--out", "one.json")
    whole = json.loads((folder / "one.json").read_text())
    whole["concept_records"][0]["items"][0]["pointing"] = "the passage"
    (folder / "one.json").write_text(json.dumps(whole))
    for file, more, number in (("valid.jsonl", (), 18), ("all.jsonl", ("--scope-all",), 20)):
        assert run("one.json", "--scope-out", file, *more).exit_code == 0
        assert len((folder / file).read_text().splitlines()) == number


def test_the_transcript_reads_as_a_story(folder: Path) -> None:
    first = result(PUPIL, *SMALL, "--transcript", "run.sqlite")["concepts"][0]["name"]
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
    by_name = result(PUPIL, *SMALL, *ONE, "--role", f"answerer={FORGETFUL}")
    assert by_name["whole"]["closed"]["value"] == 0.0
    assert by_name["whole"]["unreadable"]["value"] == 1.0
    assert by_name["whole"]["open_book"]["value"] == 1.0
    assert (by_name["roles"]["writer"], by_name["roles"]["answerer"]) == (PUPIL, FORGETFUL)


def test_several_candidates_examine_each_other(folder: Path) -> None:
    done = run(PUPIL, FORGETFUL, *SMALL, *ONE, "--cross", "--out", "both.json", "--html", "page.html")
    assert done.exit_code == 0
    assert "<svg" in (folder / "page.html").read_text()
    document = values("both-1.json", "both-2.json")
    assert document["candidates"] == [PUPIL, FORGETFUL]
    result = document["figures"]
    assert result["results"][1]["visitors"][PUPIL]["value"] == 0.5
    assert result["results"][0]["visitors"][FORGETFUL]["value"] == 0.0
    assert result["mean_over_all_questions"] == {PUPIL: 0.5, FORGETFUL: 0.0}


def test_a_candidate_is_compared_with_an_earlier_result() -> None:
    run(PUPIL, *SMALL, *ONE, "--out", "one.json")
    document = values(FORGETFUL, "one.json", *SMALL, *ONE)
    assert document["candidates"] == [FORGETFUL, PUPIL]
    assert [entry["whole"]["closed"]["value"] for entry in document["figures"]["results"]] == [0.0, 0.5]


def test_beside_a_benchmark(folder: Path) -> None:
    run(PUPIL, FORGETFUL, *SMALL, *ONE, "--out", "both.json")
    (folder / "benchmark.csv").write_text("model,category,accuracy\npupil,math,0.8\nforgetful,math,0.3\n")
    names = ("--name", f"{PUPIL}=pupil", "--name", f"{FORGETFUL}=forgetful")
    figures = values("both-1.json", "both-2.json", "--benchmark", "benchmark.csv", *names)["figures"]["benchmark"]
    assert [(entry["model"], entry["eqt"], entry["benchmark"]) for entry in figures["pairings"]] == [
        ("pupil", 0.5, 0.8), ("forgetful", 0.0, 0.3),
    ]  # fmt: skip
    assert figures["overall"]["pearson"]["value"] is None  # of two points nothing can be said
    assert figures["matches"] == 2
    # recorded answers: three of four are right, and one
    (folder / "recorded.csv").write_text(
        "question_id,category,answer,pupil,forgetful\n1,math,A,A,A\n2,math,B,B,C\n3,math,C,C,\n4,math,D,A,B\n"
    )
    figures = values("both-1.json", "both-2.json", "--benchmark", "recorded.csv", *names)["figures"]["benchmark"]
    assert [entry["benchmark"] for entry in figures["pairings"]] == [0.75, 0.25]
    assert [round(entry["drop"]["value"], 9) for entry in figures["pairings"]] == [0.25, 0.25]
    assert figures["unparsed"] == 1


def test_the_built_in_benchmark_has_a_short_name() -> None:
    """Right answers of both models in its mathematics, of the published replies."""
    run(PUPIL, FORGETFUL, *SMALL, *ONE, "--out", "both.json")
    names = ("--name", f"{PUPIL}=Yi-34B", "--name", f"{FORGETFUL}=Llama-2-7b-hf")
    short, whole = (
        values("both-1.json", "both-2.json", "--benchmark", name, *names) for name in ("mmlu-pro", "material:mmlu_pro.csv")
    )
    assert short == whole
    assert [entry["benchmark"] for entry in short["figures"]["benchmark"]["pairings"]] == [0.2961, 0.0836]
    assert "--benchmark mmlu-pro" in run("--help").output


@each_case(
    ("arguments", "problem"),
    [
        ((PUPIL, PUPIL), "named twice"),
        (("a.json", "a.json"), "named twice"),
        ((PUPIL, "--cross"), "at least two"),
        (("a.json", "b.json", "--cross"), "--cross needs a candidate to ask"),
        (("a.json", "--concepts-from", "q.jsonl"), "--concepts-from needs a candidate to ask"),
        (("a.json", "--out", "b.json"), "all arguments are result files;"),
        ((PUPIL, FORGETFUL, "--role", f"answerer={PUPIL}"), "all candidates get the same answers"),
        ((PUPIL, "--role", "teacher=x"), "the roles are explainer"),
        ((PUPIL, "--role", "writer"), "write NAME=VALUE"),
        ((PUPIL, "--role", "writer=bot:eliza", "--role", "writer=bot:eliza"), "named twice"),
        ((PUPIL, "--out", "no/where.json"), "the folder"),
        ((PUPIL, "--name", "x=y"), "--name is for --benchmark"),
        ((PUPIL, "--scope-out", "b.txt"), "must end in .jsonl"),
        ((PUPIL, FORGETFUL, "--scope-out", "b.jsonl"), "of one candidate"),
        ((PUPIL, "--scope-all"), "is for --scope-out"),
        ((), "name a candidate, or a result file"),
        ((PUPIL, "--benchmark", "nowhere.csv"), "nowhere.csv"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(arguments: tuple[str, ...], problem: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert problem in done.stderr + done.stdout


@each_case(
    ("arguments", "problem"),
    [
        ((PUPIL, "--concepts", "maths"), "did you mean 'math'"),
        ((PUPIL, "--concepts", "nowhere.csv"), "nowhere.csv"),
        (("nowhere.json",), "nowhere.json"),
        (("nobody",), "needs more|kind of candidate"),
        ((PUPIL, "--originals", "nowhere.jsonl"), "nowhere.jsonl"),
    ],
)
def test_what_does_not_exist_is_told(arguments: tuple[str, ...], problem: str) -> None:
    with pytest.raises(VivavoceError, match=problem):
        run(*arguments)


def test_rubbish_is_no_result(folder: Path) -> None:
    for text in ("", "{", "[]", '{"concept_records": 3}', '{"kind": "vary"}', "\x00" * 100):
        (folder / "bad.json").write_text(text)
        with pytest.raises(VivavoceError, match=r"bad\.json"):
            run("bad.json")


def test_two_results_of_one_candidate_are_refused(folder: Path) -> None:
    run(PUPIL, *SMALL, *ONE, "--out", "one.json")
    shutil.copy(folder / "one.json", folder / "again.json")
    for arguments in (("one.json", "again.json"), (PUPIL, "one.json")):
        with pytest.raises(VivavoceError, match="give one result for each candidate"):
            run(*arguments)


def test_a_benchmark_without_the_candidates_is_refused_before_anything_is_asked(folder: Path) -> None:
    (folder / "other.csv").write_text("model,category,accuracy\nbig,math,0.5\n")
    with pytest.raises(VivavoceError, match=rf"no candidate 'bot:other'.*There are: {re.escape(PUPIL)}"):
        run(PUPIL, *SMALL, "--benchmark", "other.csv", "--name", "bot:other=big")
    with pytest.raises(VivavoceError, match=r"has none of the candidates.* one of big"):
        run("function:pupil_of_eqt:broken", *SMALL, "--benchmark", "other.csv")
    with pytest.raises(VivavoceError, match=r"no model in the benchmark 'little'"):
        run(PUPIL, *SMALL, "--benchmark", "other.csv", "--name", f"{PUPIL}=little")


def test_a_budget_is_money() -> None:
    assert result(PUPIL, *SMALL, *ONE, "--budget", "0.5")["exhausted"] == ""  # a function costs nothing
    assert run(PUPIL, *SMALL, "--budget", "0").exit_code == 2


def test_concepts_are_listed() -> None:
    listed = run("--concepts", "math", "--concepts", "law", "--list-concepts").stdout.splitlines()
    assert listed[0] == "[math]"
    assert "[law]" in listed
    assert len(listed) == 42
    drawn = run("--concepts", "math", "--limit", "3", "--list-concepts").stdout.splitlines()
    assert drawn[1:] == [entry["name"] for entry in result(PUPIL, *SMALL)["concepts"]]


@each_case("option", [("--out", "a.json"), ("--html", "a.html"), ("--name", "a=b"), ("--scope-all",)])
def test_listing_concepts_refuses_options_without_an_effect(option: tuple[str, ...]) -> None:
    refused = run("--concepts", "math", "--list-concepts", *option)
    assert refused.exit_code == 2
    assert f"{option[0]} has no effect with --list-concepts" in refused.output


def test_listing_concepts_refuses_a_benchmark(folder: Path) -> None:
    (folder / "other.csv").write_text("model,category,accuracy\nbig,math,0.5\n")
    assert "--benchmark has no effect" in run("--list-concepts", "--benchmark", "other.csv").output


def test_sources_locate_failures(folder: Path) -> None:
    """The pupil's rules as they are, but for one concept that has no source."""
    concepts = [entry["name"] for entry in json.loads(run("--concepts", "math", "--list-concepts", "--json").stdout)][:2]
    (folder / "two.txt").write_text("\n".join(concepts))
    sources = folder / "sources"
    sources.mkdir()
    (sources / f"{concepts[0]}.txt").write_text(" ".join(f"Rule {n} gives {7 * n}." for n in range(1, 41)))
    small = ("--concepts", "two.txt", "--questions", "10", "--paraphrases", "0", "--quiet")
    done = run(PUPIL, *small, "--sources", "sources", "--json")
    document = json.loads(done.stdout)["figures"]["results"][0]["grounding"]
    assert (document["concepts"], document["without"]) == (1, 1)
    assert {name: number for name, number in document["counts"].items() if number} == {"answering": 5, "none": 5}
    assert run(PUPIL, *small, "--sources", "sources", "--no-checks").exit_code == 2


ORIGINAL = {
    "question_id": 1,
    "category": "math",
    "question": "What does rule 4 give?",
    "options": ["28", "29", "4", "25"],
    "answer": "A",
}


def test_concepts_are_extracted_from_a_benchmark(folder: Path) -> None:
    (folder / "original.jsonl").write_text(json.dumps(ORIGINAL))
    shutil.copy(folder / "pupil_of_eqt.py", folder / "names.py")
    with (folder / "names.py").open("a") as file:
        file.write("\n\ndef name(p):\n    return 'Answer: Rule four' if p.startswith('<question>') else answer(p)\n")
    start = ("function:names:name", "--concepts-from", "original.jsonl")
    listed = run(*start, "--list-concepts", "--transcript", "names.sqlite")
    assert listed.stdout == "[math]\nRule four\n"
    assert "viva: 1 concept from 1 question; 19 fewer than wanted\n" in listed.stderr
    again = run(*start, "--list-concepts", "--json", "--transcript", "names.sqlite")
    assert json.loads(again.stdout) == [{"category": "math", "name": "Rule four", "questions": ["1"]}]
    assert "Answers: 1 from the record, 0 new" in again.stderr
    document = values(*start, "--questions", "10", "--paraphrases", "0", "--quiet")
    [result] = document["figures"]["results"]
    assert [(entry["name"], entry["closed"]["value"]) for entry in result["concepts"]] == [("Rule four", 0.5)]
    with pytest.raises(VivavoceError, match="law"):
        run(*start, "--concepts", "law", "--list-concepts")


def test_no_concept_is_no_conclusion(folder: Path) -> None:
    (folder / "original.jsonl").write_text(json.dumps(ORIGINAL))
    (folder / "nobody.py").write_text("def name(prompt: str) -> str:\n    return 'Answer: I do not know'\n")
    start = ("function:nobody:name", "--concepts-from", "original.jsonl")
    none = run(*start, "--list-concepts")
    assert (none.exit_code, none.stdout) == (4, "")
    assert "replies that name none: says that it does not know: 1" in none.stderr
    assert run(*start, "--quiet").exit_code == 4


def test_one_budget_covers_extraction_and_examination(folder: Path) -> None:
    (folder / "original.jsonl").write_text(json.dumps(ORIGINAL))
    (folder / "dear.py").write_text(
        "from vivavoce import Reply\nfrom vivavoce.interview.candidate import Usage\n\n"
        "def say(prompt: str) -> Reply:\n    return Reply('Answer: Rule four', Usage(5, 5))\n"
    )
    how = ("--concepts-from", "original.jsonl", "--concurrency", "1", "--quiet")
    # 10 tokens a reply: the concept takes 10 of 15, so there is room for one more question
    by_name = result("function:dear:say", *how, "--set", "tokens=15")
    assert (by_name["calls"], by_name["exhausted"]) == (1, "tokens")
    assert result("function:dear:say", *how, "--set", "tokens=25")["calls"] == 2


def test_questions_that_repeat_a_benchmark(folder: Path) -> None:
    (folder / "original.jsonl").write_text(json.dumps(ORIGINAL))
    run(PUPIL, *SMALL, *ONE, "--out", "one.json")
    [figures] = values("one.json", "--originals", "original.jsonl", "--html", "page.html")["figures"]["overlaps"]
    assert (figures["share"]["value"], figures["nearest"][0]["original"]) == (0.1, "1")
    assert "Most similar questions" in (folder / "page.html").read_text()
    assert "1 of 10 questions by" in run("one.json", "--originals", "original.jsonl").stdout
