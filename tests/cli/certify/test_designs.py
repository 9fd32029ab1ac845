"""Designs of `viva certify`: as people use it, with laws, with explanations, with an extended list of unacceptable answers."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva, in_full
from vivavoce.interview.transcript import Transcript


@pytest.fixture
def scope(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """300 questions of which people ask the first 60 five times as often, and a candidate that does not know those."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "all_but_the_first.py").write_text(
        "def answer(text: str) -> str:\n"
        "    number = int(text.split()[1].rstrip('?'))\n"
        "    return f'Answer: {number}' if number >= 60 else '<script>alert(1)</script>\\nAnswer: -7'\n"
    )
    rows = ({"id": f"q{n}", "question": f"Number {n}?", "answer": n, "weight": 5 if n < 60 else 1} for n in range(300))
    (tmp_path / "used.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return f"file:{tmp_path / 'used.jsonl'}"


KNOWS_THE_REST = "function:all_but_the_first:answer"


@pytest.mark.long
def test_two_verdicts_in_words_in_json_and_on_a_page(viva: Viva, scope: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    given = (KNOWS_THE_REST, "--scope", scope, "--unacceptable-limit", "none", "--deployed", "--html", str(page))
    ended = viva("certify", "--seed", "0", *given, "--quiet")
    assert ended.code == 3
    assert "it fails as people will use it: " in " ".join(ended.out.split())
    ended = viva("certify", "--seed", "0", *given, "--json")
    values = ended.values
    assert (ended.code, values["figures"]["whole"]["verdict"], values["figures"]["deployed"]["verdict"]) == (3, "pass", "fail")
    text = page.read_text()
    assert "Pass as a whole; fail as used" in text
    assert "<script>alert" not in text


def test_started_again_it_asks_nothing_twice(viva: Viva, scope: str, tmp_path: Path) -> None:
    given = (KNOWS_THE_REST, "--scope", scope, "--unacceptable-limit", "none", "--deployed", "--json")
    kept = ("--transcript", str(tmp_path / "run.sqlite"))
    first, again = (viva("certify", "--seed", "0", *given, *kept).values for _ in range(2))
    assert first["transcript_head"] == again["transcript_head"]
    assert first["statement"] == again["statement"]


def test_what_the_weights_cost_is_said_before(viva: Viva, scope: str) -> None:
    # the heaviest counts 5 * 300 / 540 = 2.78 times its share
    limit = ("--unacceptable-limit", "0.01")
    ended = viva("certify", "--seed", "0", "bot:eliza", "--scope", scope, "--deployed", "--questions", "2", *limit)
    assert ended.code == 4
    assert "The heaviest question counts 2.78 times its share" in ended.err
    assert "Within 2 questions no pass is possible" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--scope", "arithmetic"), "endless"),
        (("--strata", "category"), "leave out other designs"),
        (("--set", "importance-weighting"), "leave out other designs"),
        (("--scope", "intervals"), "two verdicts each"),
    ],
)
def test_what_does_not_go_together(viva: Viva, scope: str, arguments: tuple[str, ...], words: str) -> None:
    own = () if arguments == ("--scope", "arithmetic") else ("--scope", scope)
    ended = viva("certify", "--seed", "0", "bot:gibberish", *own, *arguments, "--deployed")
    assert ended.code == 2
    assert words in " ".join(ended.err.split())


def test_weights_that_are_alike_are_refused(refuses: Refuses, tmp_path: Path) -> None:
    (tmp_path / "alike.jsonl").write_text('{"question": "1?", "answer": 1}\n{"question": "2?", "answer": 2}\n')
    refuses("certify", "bot:gibberish", "--scope", "file:alike.jsonl", "--deployed", says="viva people deploy")


CONTRARY = """
import re

def answer(text):
    number, dry = int(re.search(r"town (\\d+)", text)[1]), "dry" in text
    if number % 50 == 0:
        return "Answer: 0.7"
    return f"Answer: {0.3 if dry else 0.7}"
"""
"""Of 200 towns it contradicts itself about 4."""


@pytest.fixture
def contrary(tmp_path: Path) -> tuple[str, ...]:
    """The command, up to its options: 200 pairs of questions to which nobody knows the answers."""
    (tmp_path / "contrary_on_rain.py").write_text(CONTRARY)
    rows = [
        {
            "question": f"How probable is it that town {town} is {state} tomorrow?",
            "cluster": f"town {town}",
            "law": "neg",
            "category": "ab"[town % 2],
        }
        for town in range(200)
        for state in ("wet", "dry")
    ]
    (tmp_path / "rain.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return "certify", "--seed", "0", "function:contrary_on_rain:answer", "--scope", "file:rain.jsonl", "--quiet"


@pytest.mark.long
def test_every_contradiction_is_found_and_shown(viva: Viva, contrary: tuple[str, ...], tmp_path: Path) -> None:
    ended = viva(*contrary, "--set", "procedure=fixed", "--questions", "400", "--json", "--html", "page.html")
    document = ended.values
    assert ended.code == 3  # .02 is above the usual limit of .001
    assert document["figures"]["broken_laws"] == {"count": 4, "judged": 200, "unjudged": 0, "without_truth": 400}
    assert document["figures"]["unacceptable"]["rate"] == pytest.approx(0.02)
    assert document["figures"]["unacceptable"]["count"] == 8
    assert document["figures"]["score"]["mean"] == pytest.approx(0.98)
    assert {int(answer["id"].partition(" ")[2]) % 50 for answer in document["figures"]["worst"]} == {0}
    text = "is wet tomorrow?” was answered 0.7, “How probable is it that town"
    assert all(text in answer["broken_law"] for answer in document["figures"]["worst"])
    assert text in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_verdict_is_by_the_share_that_hangs_together(viva: Viva, contrary: tuple[str, ...]) -> None:
    assert viva(*contrary, "--unacceptable-limit", "0.1").code == 0
    ended = viva(*in_full(contrary))
    assert ended.code == 3
    assert "% unacceptable (shown: above " in ended.out
    assert "law: “How probable is it that town" in ended.out
    assert "Broken laws" in ended.out


@pytest.mark.long
def test_other_ways_of_asking_know_laws(viva: Viva, contrary: tuple[str, ...]) -> None:
    for options in (("--strata", "category"), ("--split-by", "category"), ("--scope", "arithmetic?laws=commute")):
        ended = viva(*contrary, *options, "--unacceptable-limit", "0.2", "--json")
        assert '"broken_laws"' in ended.out, options


@pytest.mark.parametrize(
    ("option", "words"),
    [(("--judge", "bot:gibberish"), "which graders do not know"), (("--explanations", "1"), "which explanations do not know")],
)
def test_graders_and_explanations_refuse_laws(
    refuses: Refuses, contrary: tuple[str, ...], option: tuple[str, ...], words: str
) -> None:
    refuses(*contrary, *option, says=words)


@pytest.mark.long
def test_sums_both_ways_round(viva: Viva) -> None:
    command = (
        "certify",
        "--seed",
        "0",
        "bot:calculator?wrong=0.1",
        "--scope",
        "arithmetic?laws=commute",
        "--unacceptable-limit",
    )
    document = viva(*command, "0.1", "--json").values
    assert document["verdict"] == "fail"  # one in a tenth is wrong alone, so nearly a fifth of the pairs
    assert document["figures"]["score"]["mean"] > 0.7
    assert document["figures"]["broken_laws"]["count"] > 0
    plain = viva("certify", "--seed", "0", command[3], "--scope", "arithmetic", "--unacceptable-limit", "0.1", "--json").values
    assert plain["verdict"] == "pass"


SEVENS = """
ASKED = []

def answer(text):
    number = int(text.split()[2])
    return f"Answer: {number * 7 if number % 10 else -1}"
"""


def prepared(folder: Path) -> list[str]:
    rows = [json.dumps({"id": f"q{n}", "question": f"What is {n} * 7?", "answer": n * 7}) for n in range(1, 401)]
    (folder / "q.jsonl").write_text("\n".join(rows))
    (folder / "sevens_pupil.py").write_text(SEVENS)
    (folder / "more.jsonl").write_text('{"unacceptable": [-1]}')
    return ["certify", "function:sevens_pupil:answer", "--scope", "file:q.jsonl", "--transcript", "t.sqlite", "--json"]


@pytest.mark.long
def test_from_the_first_verdict_to_the_recheck_of_the_second(tmp_path: Path, viva: Viva) -> None:
    asked = prepared(tmp_path)
    extended = [*asked, "--unacceptable-limit", "0.05", "--set", "also-unacceptable=more.jsonl"]
    first = viva(*asked, "--unacceptable-limit", "none")
    assert first.code == 0
    refused = viva(*extended)
    assert refused.code == 2
    assert "--new-attempt" in refused.err
    assert re.search(r"unacceptable answers none, now [0-9a-f]{12};", refused.err), refused.err
    second = viva(*extended, "--new-attempt")
    assert second.code == 3, "a tenth of the answers is -1"
    result = second.values
    before = first.values["figures"]["questions"]
    [earlier] = result["figures"]["extension"]["rescored"]
    assert (earlier["attempt"], earlier["answers"], earlier["unacceptable_before"]) == (1, before, 0)
    assert earlier["unacceptable_after"] <= before
    assert result["attempt"]["number"] == 2
    assert result["attempt"]["others"][0]["verdict"] == "pass"
    assert any("decide nothing" in entry for entry in result["caveats"])
    again = viva(*extended).values
    same = ("questions", "extension", "unacceptable", "path")
    assert again["verdict"] == result["verdict"]
    assert [again["figures"][name] for name in same] == [result["figures"][name] for name in same]
    (tmp_path / "c.json").write_text(second.out)
    (tmp_path / "first.json").write_text(first.out)
    for document in ("c.json", "first.json"):
        rechecked = viva("recheck", document, "--transcript", "t.sqlite", "--scope", "file:q.jsonl")
        assert rechecked.code == 0, rechecked.out


def test_a_seed_that_was_drawn_from_is_refused(tmp_path: Path, viva: Viva) -> None:
    asked = [*prepared(tmp_path), "--unacceptable-limit", "0.05"]
    assert viva(*asked, "--seed", "7", "--questions", "20").code == 4
    refused = viva(*asked, "--seed", "7", "--set", "also-unacceptable=more.jsonl", "--new-attempt")
    assert refused.code == 2
    assert "seed 7" in refused.err


@pytest.mark.parametrize(
    "other",
    [["--scope", "arithmetic"], ["--deployed"], ["--judge", "bot:eliza"], ["--explanations", "1"], ["--draws", "1"]],
    ids=lambda entry: entry[0],
)
def test_what_an_extension_does_not_go_with(other: list[str], tmp_path: Path, viva: Viva) -> None:
    asked = [*prepared(tmp_path), "--set", "also-unacceptable=more.jsonl"]
    assert viva(*asked, *other).code == 2


def test_a_list_made_after_looking_says_nothing_of_probabilities(tmp_path: Path, viva: Viva) -> None:
    asked = [*prepared(tmp_path), "--draws", "1", "--unacceptable-limit", "0.05"]
    assert viva(*asked, "--questions", "20", "--quiet").code == 4
    refused = viva(*asked, "--set", "also-unacceptable=more.jsonl", "--new-attempt")
    assert refused.code == 2
    assert "write the list into the file of questions, which is then asked again" in refused.err
    assert not refused.out


SCOPE = ("--scope", "arithmetic?digits=1&operations=+*", "--unacceptable-limit", "0.02", "--set", "checks=500", "--quiet")
EXPLAINS = "bot:calculator?explains=multiplication"


@pytest.mark.long
def test_a_procedure_is_asked_for_and_halves_the_questions(viva: Viva, tmp_path: Path) -> None:
    ended = viva(
        "certify",
        "--seed",
        "0",
        EXPLAINS,
        *in_full(SCOPE),
        "--explanations",
        "1",
        "--transcript",
        "t.sqlite",
        "--html",
        "page.html",
    )
    assert ended.code == 0
    assert "together with 1 procedure, passes" in ended.out
    assert "program, request 1" in ended.out
    assert "def covers(question)" in (tmp_path / "page.html").read_text(encoding="utf-8")
    # the request is on record like any other question
    assert (
        "certificate/arithmetic?digits=1&operations=+*/explanations"
        in viva("transcript", "export", "t.sqlite", "--records").out
    )


@pytest.mark.long
def test_from_files(viva: Viva, tmp_path: Path) -> None:
    products = {f"What is {a} * {b}?": a * b for a in range(10) for b in range(10)}
    (tmp_path / "products.json").write_text(json.dumps(products))
    sums = "def covers(q): return q['category'] == '+'\ndef answer(q): return eval(q['text'][8:-1])\n"
    (tmp_path / "sums.py").write_text(sums)
    files = ("--set", "explanation-file=products.json", "--set", "explanation-file=sums.py")
    ended = viva("certify", "--seed", "0", "bot:gibberish", *SCOPE, *files, "--json")
    document = ended.values
    assert ended.code == 0  # all is explained, so that nothing was asked of it
    assert document["figures"]["explained"]["standing"] == 2
    assert document["figures"]["explained"]["asked"] == 0
    assert [entry["kind"] for entry in document["figures"]["explained"]["explanations"]] == ["table", "program"]


@pytest.mark.parametrize(
    ("covered", "answer", "code", "verdict", "score"),
    [
        ("True", "eval(q['text'][8:-1])", 0, "pass", 1.0),
        # some question is left, and gibberish answers it
        ("q['category'] == '+'", "eval(q['text'][8:-1])", 4, "undecided", None),
    ],
)
@pytest.mark.long
def test_a_fixed_number_where_a_program_answers_everything(
    viva: Viva,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    covered: str,
    answer: str,
    code: int,
    verdict: str,
    score: float | None,
) -> None:
    monkeypatch.setattr("vivavoce.certificate.explanations.examine.IDLE", 5_000)  # so many in vain, and it gives up
    (tmp_path / "full.py").write_text(f"def covers(q): return {covered}\ndef answer(q): return {answer}\n")
    fixed = ("--set", "procedure=fixed", "--questions", "30", "--set", "explanation-file=full.py", "--json")
    ended = viva("certify", "--seed", "0", "bot:gibberish", *SCOPE, *fixed)
    document = ended.values
    assert (ended.code, document["verdict"]) == (code, verdict)
    if score is not None:
        assert document["figures"]["score"] == {"mean": score, "lower": score, "upper": score}
        assert (document["figures"]["questions"], document["figures"]["explained"]["asked"]) == (0, 0)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--set", "explanation-file=missing.py"), "missing.py"),
        (("--set", "explanation-file=words.txt"), "not a program (.py) or a table"),
        (("--set", "explanation-file=empty.py"), "empty.py"),
        (("--explanations", "0"), "--explanations"),
        ((), "--explanations N"),
        (("--explanations", "1", "--scope", "intervals"), "for one scope"),
        (("--set", "explain-again=1", "--set", "procedure=fixed", "--questions", "5"), "asked for again"),
    ],
)
def test_explanations_that_cannot_be_had_are_refused(
    refuses: Refuses, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "words.txt").write_text("x")
    (tmp_path / "empty.py").write_text("\n")
    refuses("certify", "--seed", "0", EXPLAINS, *SCOPE, *arguments, says=problem)


@pytest.mark.slow
def test_killed_it_goes_on_with_the_same_procedures(
    viva: Viva, tmp_path: Path, viva_copy: Callable[..., subprocess.Popen[str]]
) -> None:
    asked = (*SCOPE, "--explanations", "1", "--json", "--concurrency", "2")
    whole = viva("certify", "--seed", "0", EXPLAINS, *asked).values
    for seconds in (2.0, 3.0, 4.0):
        with viva_copy("certify", "--seed", "0", f"{EXPLAINS}&delay=0.1", *asked, "--transcript", "kept.sqlite") as process:
            time.sleep(seconds)
            process.kill()
            process.communicate()
    ended = viva("certify", "--seed", "0", EXPLAINS, *asked, "--transcript", "kept.sqlite")
    again = ended.values
    assert again.pop("transcript_head")
    assert again == whole
    with Transcript.open(tmp_path / "kept.sqlite") as transcript:
        answers = sum(record.candidate.startswith("bot:") for record in transcript.records(topic="certificate"))
    # every answer once, and what was ahead: at most the look-ahead of 4 at the verdict
    assert answers <= whole["figures"]["explained"]["asked"] + 1 + 4  # 1: the procedure itself is an answer, too
