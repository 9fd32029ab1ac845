"""`viva gate`: exit codes, what it can be held against, going on, and the files that it writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Refuses, Viva
from vivavoce.interview.transcript import Transcript

GATE = ("gate", "--scope", "file:q.jsonl", "--quiet", "--json")
SEEDED = ("--seed", "0")
WORSE = "bot:calculator?wrong=0.3"
SIZE = 300


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    """Questions that bots can answer; the first one is hostile."""
    rows = [{"id": f"q{n}", "question": f"What is {n} + {n}?", "answer": 2 * n} for n in range(1, SIZE)]
    hostile = {"id": "<b>|`a`*", "question": "What is 1 + 1? <script>alert(1)</script> | [x](y) ]]> \u0001", "answer": 3}
    file = tmp_path / "q.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in [hostile, *rows]))
    return file


@pytest.mark.usefixtures("sums")
def test_exit_codes_say_pass_fail_and_undecided(viva: Viva) -> None:
    for new, old, code, verdict in (("bot:calculator", WORSE, 0, "pass"), (WORSE, "bot:calculator", 3, "fail")):
        ended = viva(*GATE, *SEEDED, new, "--baseline", old)
        assert (ended.code, ended.values["verdict"]) == (code, verdict)
    ended = viva(*GATE, *SEEDED, WORSE, "--baseline", "bot:calculator", "--questions", "5")
    assert (ended.code, ended.values["verdict"], ended.values["figures"]["questions"]) == (4, "undecided", 5)
    assert ended.values["figures"]["still_needed"] > 0


@pytest.mark.usefixtures("sums")
@pytest.mark.parametrize("command", ["gate", "compare"])
def test_a_finished_run_again_says_that_nothing_was_asked(viva: Viva, command: str) -> None:
    both = [WORSE, "bot:calculator"] if command == "compare" else [WORSE, "--baseline", "bot:calculator"]
    given = (command, *both, "--scope", "file:q.jsonl", "--quiet", "--transcript", "run.sqlite")
    first, again = viva(*given), viva(*given)
    assert again.out.splitlines()[0] == first.out.splitlines()[0]
    assert "Answers: 0 from the record" in first.out
    assert re.search(r"Answers: from the record of \d{4}-\d\d-\d\d, nothing asked", again.out)


@pytest.mark.usefixtures("sums")
@pytest.mark.parametrize(
    "words",
    [
        ("certify", WORSE, "--questions", "4"),
        ("certify", "bot:gibberish"),  # to the end of the list
        ("certify", WORSE, "--scope", "arithmetic", "--questions", "4"),
        ("compare", WORSE, "bot:calculator", "--questions", "4"),
        ("compare", WORSE, "bot:calculator", "bot:calculator?wrong=0.2", "--questions", "4"),
        ("gate", WORSE, "--baseline", "bot:calculator", "--questions", "4"),
    ],
)
def test_an_undecided_run_again_asks_nothing_and_says_so(viva: Viva, words: tuple[str, ...]) -> None:
    given = (*words, "--scope", "file:q.jsonl", "--quiet", "--transcript", "run.sqlite")
    first = viva(*given)
    with Transcript.open("run.sqlite") as transcript:
        sent = len(list(transcript.askings()))
    again = viva(*given)
    assert (first.code, again.code) == (4, 4), first.out + first.err
    assert "Answers: 0 from the record, " in first.out
    assert re.search(r"Answers: from the record of \d{4}-\d\d-\d\d, nothing asked", again.out)
    with Transcript.open("run.sqlite") as transcript:
        assert len(list(transcript.askings())) == sent


@pytest.mark.usefixtures("sums")
def test_an_old_record_is_asked_again_as_another_attempt(viva: Viva) -> None:
    given = (*GATE, WORSE, "--baseline", "bot:calculator", "--transcript", "run.sqlite")
    for age, number in (("7", 1), ("7", 1), ("0", 2)):
        assert viva(*given, "--max-age", age).values["attempt"]["number"] == number
    assert "leave out '--max-age'" in viva(*given, "--max-age", "7", "--new-attempt").err


@pytest.mark.usefixtures("sums")
@pytest.mark.long
def test_with_a_margin_of_0_nothing_passes(viva: Viva) -> None:
    assert viva(*GATE, *SEEDED, "bot:calculator", "--baseline", WORSE, "--margin", "0").code == 4
    assert viva(*GATE, *SEEDED, WORSE, "--baseline", "bot:calculator", "--margin", "0").code == 3


@pytest.mark.usefixtures("sums")
def test_mistakes_are_refused(refuses: Refuses) -> None:
    for given, words in (
        (("--baseline", "bot:calculator"), "is given twice"),
        (("--baseline", "none.sqlite"), "no such transcript"),
        (("--baseline", "bot:x"), "there is no bot"),
        (("--baseline", WORSE, "--margin", "2"), "from 0 to 1"),
        (("--baseline", "a.csv", "--scope", "arithmetic"), "give a list"),
    ):
        refuses(*GATE, "bot:calculator", *given, says=words)


@pytest.mark.usefixtures("sums")
@pytest.mark.long
def test_what_was_answered_earlier_does_as_well_as_who_answered_it(viva: Viva) -> None:
    fixed = ("--set", "procedure=fixed", "--questions", str(SIZE), "--unacceptable-limit", "none", "--quiet")
    kept = ("--transcript", "old.sqlite", "--results", "old.csv")
    viva("certify", WORSE, "--scope", "file:q.jsonl", *fixed, *kept)
    viva("certify", WORSE, "--scope", "file:q.jsonl", *fixed, "--transcript", "old.sqlite", "--results", "old.jsonl")
    live = viva(*GATE, *SEEDED, "bot:calculator", "--baseline", WORSE).values
    for baseline in ("old.sqlite", f"old.sqlite#{WORSE}", "old.csv", "old.jsonl", "replay:old.csv#reply"):
        values = viva(*GATE, *SEEDED, "bot:calculator", "--baseline", baseline).values
        same = ("questions", "difference", "first_better", "second_better", "log_e", "left_out")
        assert values["verdict"] == live["verdict"]
        assert {name: values["figures"][name] for name in same} == {name: live["figures"][name] for name in same}
        assert values["candidates"][1].startswith(
            ("transcript:old.sqlite#bot:", "results:old.", "replay:old.csv#reply?sha256=")
        )
        assert any("so its answers are known" in caveat for caveat in values["caveats"])


@pytest.mark.usefixtures("sums")
def test_questions_that_a_transcript_lacks_are_left_out_and_the_claim_says_so(viva: Viva) -> None:
    viva("certify", WORSE, "--scope", "file:q.jsonl", "--questions", "120", "--transcript", "old.sqlite", "--quiet")
    values = viva(*GATE, "bot:calculator", "--baseline", "old.sqlite", "--transcript", "old.sqlite").values
    asked = SIZE - values["figures"]["left_out"]
    assert 0 < asked <= 130  # some were in flight when the verdict came
    assert values["figures"]["questions"] <= asked
    assert any(f"{values['figures']['left_out']} questions of the scope are left out" in caveat for caveat in values["caveats"])
    # the gate itself wrote answers into that record, and another candidate's: it goes on all the same
    assert viva(*GATE, "bot:calculator", "--baseline", f"old.sqlite#{WORSE}", "--transcript", "old.sqlite").values == values
    several = viva(*GATE, "bot:calculator", "--baseline", "old.sqlite")
    assert several.code == 2
    assert "has several candidates: write old.sqlite#CANDIDATE" in several.err


@pytest.mark.usefixtures("sums")
def test_with_a_larger_budget_it_goes_on(viva: Viva) -> None:
    kept = (*GATE, *SEEDED, WORSE, "--baseline", "bot:calculator", "--transcript", "run.sqlite")
    whole = viva(*GATE, *SEEDED, WORSE, "--baseline", "bot:calculator").values
    assert viva(*kept, "--questions", "4").code == 4
    values = viva(*kept).values
    values.pop("transcript_head")
    same = whole.keys() - {"attempt"}
    assert {name: values[name] for name in same} == {name: whole[name] for name in same}
    assert values["attempt"]["number"] == 1
    assert "other terms" in viva(*kept, "--delta", "0.1").err
    assert viva(*kept, "--delta", "0.1", "--new-attempt").values["attempt"]["number"] == 2


@pytest.mark.usefixtures("sums")
def test_junit_and_markdown_are_fit_for_those_who_read_them(viva: Viva) -> None:
    given = ("--junit", "g.xml", "--markdown", "g.md", "--html", "g.html", "--margin", "0")
    values = (
        ended := viva(*GATE, *SEEDED, "bot:gibberish", "--baseline", "bot:calculator", *given, "--set", "unreadable=wrong")
    ).values
    assert ended.code == 3
    assert all(f"{what}: g." in ended.err for what in ("JUnit", "Markdown", "Page"))
    root = ElementTree.parse("g.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("skipped")) == ("1", "1", "0")
    [failure] = root.iter("failure")
    assert (failure.get("type"), failure.text) == ("fail", values["statement"])
    properties = {element.get("name"): element.get("value") for element in root.iter("property")}
    assert (properties["delta"], properties["seed"], properties["margin"]) == ("0.05", "0", "0.0")
    assert (properties["questions"], properties["signature"]) == (str(values["figures"]["questions"]), values["signature"])
    assert float(root.get("time", "")) > 0
    assert "**✕ Fail**" in Path("g.md").read_text()


def test_markdown_shows_hostile_questions_as_they_are(viva: Viva, tmp_path: Path) -> None:
    hostile = "What is 1 + {n}? <script>alert(1)</script> | [x](y)\n# head"
    rows = ({"id": f"<b>|`{n}`*", "question": hostile.replace("{n}", str(n)), "answer": n + 1} for n in range(1, 60))
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, rows)))
    unparsed = ("--set", "unreadable=wrong", "--markdown", "g.md")
    ended = viva(*GATE, *SEEDED, "bot:gibberish", "--baseline", "bot:calculator", *unparsed)
    text = (tmp_path / "g.md").read_text()
    assert ended.code == 3
    assert "alert" in text
    for raw in ("<script>", "<b>", " | [x]", "\n# head"):
        assert raw not in text


@pytest.mark.usefixtures("sums")
def test_commands_with_verdicts_write_junit(viva: Viva, tmp_path: Path) -> None:
    (tmp_path / "prices.py").write_text("def price(x):\n    return x\n")
    (tmp_path / "pairs.jsonl").write_text('{"inputs": [1, 2], "relation": "at most"}\n' * 3)
    quick = ("--quiet", "--junit", "j.xml")
    for given, counts in (
        (("certify", WORSE, "--scope", "arithmetic", "--passing-grade", "0.95", "--seed", "0"), ("1", "1", "0")),
        (("compare", WORSE, "bot:calculator", "--scope", "arithmetic", "--seed", "0", "--markdown", "c.md"), ("1", "1", "0")),
        (("consistency", "rules", "function:prices:price", "--table", "pairs.jsonl"), ("1", "0", "0")),
    ):
        viva(*given, *quick)
        root = ElementTree.parse("j.xml").getroot()
        assert (root.get("tests"), root.get("failures"), root.get("skipped")) == counts
        Path("j.xml").unlink()
    assert Path("c.md").read_text().startswith("Comparison on the same questions")


def test_an_examination_writes_a_case_for_each_claim(viva: Viva) -> None:
    ended = viva(
        "report", "bot:calculator", "--only", "certificate", "--out", "d", "--quiet", "--seed", "0", "--junit", "j.xml"
    )
    root = ElementTree.parse("j.xml").getroot()
    cases = {case.get("name", ""): case for case in root.iter("testcase")}
    assert ended.code == 3
    assert any("arithmetic" in name and case.find("failure") is None for name, case in cases.items())
    assert int(root.get("failures", "")) > 0


@pytest.mark.long
def test_replies_that_cannot_be_graded_and_not_questions_are_said_to_be_missing(viva: Viva) -> None:
    rows = "".join(f"What is thing {number} called?,thing{number}\n" for number in range(20))
    Path("things.csv").write_text("question,answer\n" + rows, encoding="utf-8")
    Path("vague.py").write_text('def answer(asked):\n    return "It is one of those things that people tell stories about."\n')
    shown = viva(
        "gate", "function:vague:answer", "--baseline", "bot:gibberish", "--scope", "file:things.csv", "--seed", "1"
    ).out
    text = " ".join(shown.split())
    assert "too many replies could not be graded" in text
    assert "too few questions" not in text
    assert "0 more questions" not in text


COINS = """
from collections import Counter
from random import Random

ASKED = Counter()


def thrown(text, who, right):
    ASKED[text, who] += 1
    number = int(text.split()[2])
    return f"Answer: {2 * number if Random(f'{who} {text} {ASKED[text, who]}').random() < right else 0}"


def new(text):
    return thrown(text, "new", 0.9)


def old(text):
    return thrown(text, "old", 0.9)
"""


@pytest.fixture
def coins(sums: Path) -> tuple[str, ...]:
    """A gate of two functions that answer at random."""
    sums.with_name("gate_coins.py").write_text(COINS)
    return "gate", "function:gate_coins:new", "--baseline", "function:gate_coins:old", "--scope", "file:q.jsonl", *SEEDED


def test_of_models_that_sample_it_says_before_it_asks_what_to_expect(viva: Viva, coins: tuple[str, ...]) -> None:
    ended = viva(*coins, "--margin", "0.1", "--questions", "40", "--json")
    assert ended.code == 4
    assert "A candidate may answer differently each time, so questions are drawn with replacement" in ended.err
    assert "at most 40 questions: if both are equally good, " in ended.err
    values = ended.values
    assert [entry["number"] for entry in values["figures"]["draws"]] == [1, 1]
    assert "40 questions drawn with replacement and answered afresh once each" in values["statement"]
    assert "differently" not in viva(*coins, "--questions", "40", "--quiet").err


def test_what_cannot_be_drawn_again_is_refused_with_the_remedy(viva: Viva, coins: tuple[str, ...]) -> None:
    rows = "".join(f'{{"id": "q{n}", "score": 1}}\n' for n in range(SIZE))
    Path("history.jsonl").write_text(rows)
    for given, named in ((("--history", "history.jsonl"), "--history"), (("--margin", "0"), "--questions N")):
        ended = viva(*coins, *given)
        assert ended.code == 2
        assert "may answer differently each time" in ended.err
        assert named in ended.err


def test_a_false_declaration_ends_the_gate(viva: Viva, coins: tuple[str, ...]) -> None:
    _, new, *rest = coins
    ended = viva("gate", f"{new}?deterministic=yes", *rest, "--quiet")
    assert ended.code == 2
    assert "is not deterministic: to question 'q" in ended.err
    assert ended.out == ""


def test_what_is_paid_for_again_is_said_before_it_is_asked(viva: Viva, coins: tuple[str, ...], tmp_path: Path) -> None:
    kept = ("--transcript", "t.sqlite", "--quiet")
    certified = ("certify", coins[1], "--scope", "file:q.jsonl", *SEEDED, *kept, "--questions", "30")
    assert "again" not in viva(*certified).err
    ended = viva(*coins, "--questions", "20", *kept)
    asked = "questions that function:gate_coins:new has answered are asked, and paid for, again: they may have been chosen by"
    assert asked in ended.err
    assert "again" not in viva(*coins, "--questions", "20", *kept).err, "this one goes on"
