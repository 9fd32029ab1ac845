"""`--draws` and `--set draws-claim` of certify, compare, gate and plan, with votes counted again by hand from the rows."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.serving import process_of

PLUS = ("--scope", "arithmetic?operations=+", "--seed", "0")
NO_LIMIT = ("--unacceptable-limit", "none")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with process_of("tests.candidates.server") as address:
        yield address


@pytest.fixture
def questions(tmp_path: Path) -> str:
    lines = (json.dumps({"id": f"q{i}", "question": f"What is {i} + {3 * i}?", "answer": str(4 * i)}) for i in range(20))
    (tmp_path / "sums.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return "file:sums.jsonl"


@pytest.mark.long
def test_a_model_that_answers_otherwise_each_time(viva: Viva, server: str, questions: str) -> None:
    model = f"chat:unsure@{server}/v1"
    run = ("--scope", questions, "--seed", "0", "--draws", "4", "--transcript", "run.sqlite", "--results", "rows.csv")
    ended = viva("certify", model, *run, "--set", "draws-claim=all-right", "--json", "--html", "page.html")
    document = ended.values
    assert ended.code == 3  # .8 of the answers are right: .8 x .8 x .8 x .8 = .41
    draws = document["figures"]["draws"]
    assert (draws["number"], draws["claim"], draws["answers"]) == (4, "all-right", 4 * document["figures"]["questions"])
    assert draws["mixed"] > 0
    assert not draws["identical"]
    rows = list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert len(rows) == draws["answers"]
    replies = {(row["id"], row["reply"]) for row in rows}
    assert len(replies) > len({name for name, _ in replies})  # one question, several replies
    right = {index: sum(row["score"] == "1.0" for row in rows[index : index + 4]) for index in range(0, len(rows), 4)}
    assert [rows[index]["right"] for index in right] == [f"{number} of 4" for number in right.values()]
    page = Path("page.html").read_text(encoding="utf-8")
    assert "All 4 answers right" in page
    assert "with mixed results" in page
    again = viva("certify", model, *run, "--set", "draws-claim=all-right", "--json").values
    assert again == document
    rechecked = viva("recheck", "--transcript", "run.sqlite", "--scope", questions, _kept(document))
    assert (rechecked.code, rechecked.err) == (0, "")
    assert viva("recheck", "--transcript", "run.sqlite", _kept(document)).code == 4  # grades as they stand on record
    other = viva("certify", model, *run, "--set", "draws-claim=mean")
    assert other.code == 2
    assert "claim on these all-right, now mean" in other.err


def _kept(values: dict[str, Any]) -> str:
    Path("certificate.json").write_text(json.dumps(values), encoding="utf-8")
    return "certificate.json"


def test_two_models_and_a_gate(viva: Viva, server: str, questions: str) -> None:
    unsure, sure = f"chat:unsure@{server}/v1", f"chat:calculator@{server}/v1"
    run = ("--scope", questions, "--seed", "0", "--draws", "3", "--questions", "300", "--json")
    document = viva("compare", unsure, sure, *run, "--set", "draws-claim=all-right").values
    assert document["verdict"] == "worse"
    assert [entry["identical"] for entry in document["figures"]["draws"]] == [False, True]
    assert sum("word for word" in caveat for caveat in document["caveats"]) == 1
    gated = viva("gate", unsure, "--baseline", sure, *run)
    assert (gated.code, gated.values["verdict"]) == (3, "fail")
    shown = viva("gate", unsure, "--baseline", sure, *run[:-1], "--quiet")
    assert "mean scores over questions and draws" in shown.out


def test_a_share_of_questions(viva: Viva) -> None:
    share = ("--draws", "3", "--set", "draws-claim=share", "--set", "reliability=0.9", *NO_LIMIT)
    good = viva("certify", "bot:calculator", *PLUS, *share, "--quiet")
    assert good.code == 0
    assert "the share of questions with a probability of a right answer of at least 0.90 is " in good.out
    assert "(shown: at least 70%), 70% required" in good.out
    poor = viva("certify", "bot:calculator?wrong=0.6", *PLUS, *share, "--json")
    document = poor.values
    assert poor.code == 3
    # a bot answers alike each time, so 40% are right: the share lies between what N answers show
    assert document["figures"]["score"]["lower"] < 0.4 < document["figures"]["score"]["upper"]
    assert document["figures"]["draws"]["reliability"] == 0.9


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("--draws", "0"), "--draws"),
        (("--set", "draws-claim=mean"), "give '--draws N'"),
        (("--set", "reliability=0.9"), "give '--draws N'"),
        (("--draws", "3", "--set", "draws-claim=share"), "needs '--set reliability=R'"),
        (("--draws", "3", "--set", "reliability=0.9"), "is for '--set draws-claim=share'"),
        (("--draws", "3", "--strata", "category"), "leave out --strata"),
        (("--draws", "3", "--explanations", "1"), "a procedure answers the same each time"),
        (("--draws", "3", "--sheet", "sheet.csv"), "people grade an answer once"),
        (("--draws", "3", "--scope", "intervals"), "is for one scope"),
    ],
)
def test_designs_that_do_not_go_with_draws_are_refused(refuses: Refuses, given: tuple[str, ...], problem: str) -> None:
    refuses("certify", "bot:calculator", *PLUS, *given, says=problem)


def test_recordings_have_one_answer(refuses: Refuses, questions: str) -> None:
    gate = ("gate", "bot:calculator", "--baseline", "replay:sums.jsonl#answer", "--scope", questions)
    refuses(*gate, "--draws", "2", says="is a recording with one answer to each question")


@pytest.mark.long
def test_a_plan_counts_answers(viva: Viva) -> None:
    plan = ("plan", "--score", "0.9", "--simulations", "200", "--price", "0.01", "--json")
    once, five = (viva(*plan, *more).values for more in ((), ("--draws", "5")))
    [row], [again] = once["figures"]["forecasts"], five["figures"]["forecasts"]
    assert "answers" not in row
    assert again["questions"] == row["questions"]
    assert again["answers"]["mean"] == 5 * row["questions"]["mean"]
    assert again["money"] == pytest.approx(5 * row["money"])
    pair = ("plan", "--compare", "--score", "0.8", "--simulations", "50", "--discordance", "0.1", "--price", "0.01")
    [entry], [two] = (viva(*pair, *more, "--json").values["figures"]["forecasts"] for more in ((), ("--draws", "2")))
    assert two["money"] == pytest.approx(2 * entry["money"])
    assert two["answers"]["mean"] == 2 * entry["questions"]["mean"]
    assert "Each question is answered 2 times" in viva(*pair, "--draws", "2").out
    assert "leave out '--size'" in viva(*pair, "--draws", "2", "--size", "100").err


SAMPLING = """
from pathlib import Path
from random import Random

def asked(text: str, sure: float) -> str:
    with Path("asked.txt").open("a+") as log:
        log.write(f"{sure} {text.splitlines()[0]}\\n")
        log.seek(0)
        number = log.read().count("\\n")
    left, right = (int(word) for word in text.splitlines()[0].removesuffix("?").split() if word.isdigit())
    return f"Answer: {left + right if Random(number).random() < sure else 0}"

def new(text: str) -> str:
    return asked(text, 0.9)

def old(text: str) -> str:
    return asked(text, 0.6)
"""


@pytest.fixture
def sampling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Two functions that answer at random; how often they were asked."""
    (tmp_path / "sampling.py").write_text(SAMPLING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    log = tmp_path / "asked.txt"
    return lambda: log.read_text(encoding="utf-8").count("\n") if log.exists() else 0


NEW, OLD = "function:sampling:new", "function:sampling:old"


@pytest.mark.usefixtures("sampling")
@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("certify", NEW, "--draws", "1", *NO_LIMIT), "if its score is 0.80, "),
        (("compare", NEW, OLD, "--draws", "1"), "if both are equally good, "),
        (("gate", NEW, "--baseline", OLD), "if NEW is worse by 0.02, "),
        (("compare", NEW, OLD), "this tests its answers to the list, not the model. "),
        (("certify", NEW, *NO_LIMIT), "this tests its answers to the list, not the model. "),
    ],
)
def test_what_to_expect_is_said_before_anything_is_asked(
    viva: Viva, questions: str, asked: tuple[str, ...], words: str
) -> None:
    text = viva(*asked, "--scope", questions, "--seed", "0", "--questions", "15").err
    first = text.splitlines()[0]
    assert first.startswith("viva: A candidate may answer differently each time")
    assert "Expected for each candidate, at most 15 questions: " in first
    assert words in first
    assert "% reach a verdict" in first
    assert text.splitlines()[1] == "viva: if a candidate always gives the same answer, declare it: 'NAME?deterministic=yes'"
    assert not viva(*asked, "--scope", questions, "--seed", "0", "--questions", "15", "--quiet").err


def test_a_gate_reads_what_a_comparison_in_its_design_has_asked(
    viva: Viva, questions: str, sampling: Callable[[], int]
) -> None:
    where = ("--scope", questions, "--transcript", "run.sqlite", "--margin", "0.1", "--seed", "0")
    listed = viva("compare", NEW, OLD, "--scope", questions, "--questions", "5", "--seed", "0")
    assert "viva: '--draws 1' tests the models, as 'viva gate' does: with the same '--transcript', " in listed.err
    compared = viva("compare", NEW, OLD, "--draws", "1", *where)
    assert "viva: 'viva gate' draws the same questions: with the same '--transcript', '--seed', " in compared.err
    before = sampling()
    gated = viva("gate", NEW, "--baseline", OLD, *where)
    assert (gated.code, sampling()) == (0, before)
    assert "attempt 2" not in gated.out
    other = viva("gate", NEW, "--baseline", OLD, *where, "--delta", "0.01")
    assert (other.code, sampling()) == (2, before)
    assert "is on record with other terms" in other.err


def test_a_comparison_reads_what_a_gate_has_asked(viva: Viva, questions: str, sampling: Callable[[], int]) -> None:
    where = ("--scope", questions, "--transcript", "run.sqlite", "--margin", "0.1", "--seed", "0")
    viva("gate", NEW, "--baseline", OLD, *where)
    before = sampling()
    assert before > 0
    compared = viva("compare", OLD, NEW, "--draws", "1", *where, "--json")
    document = compared.values
    assert document["verdict"] == "worse"
    assert document["attempt"]["number"] == 1
    assert sampling() < 2 * (document["figures"]["questions"] + 16)  # one answer of each, and those on their way at the end


NUMBER = 9
VOTES = ("--draws", str(NUMBER), "--set", "draws-claim=vote", "--seed", "0", "--transcript", "run.sqlite")


def by_hand(rows: list[dict[str, str]]) -> float:
    """The mean score of votes: what came most often counts, and of a tie the mean."""
    values = []
    for replies in (rows[index : index + NUMBER] for index in range(0, len(rows), NUMBER)):
        often = Counter(float(row["read as"]) for row in replies)
        tied = [answer for answer, number in often.items() if number == max(often.values())]
        values.append(mean(answer == float(replies[0]["expected"]) for answer in tied))
    return mean(values)


@pytest.mark.long
def test_a_vote_mends_what_single_answers_do_wrong(viva: Viva, server: str, questions: str) -> None:
    unsure, sure = f"chat:unsure@{server}/v1", f"chat:calculator@{server}/v1"
    held = ("gate", unsure, "--baseline", sure, "--scope", questions, "--margin", "0.2")
    gated = viva(*held, *VOTES, "--results", "rows.csv", "--json")
    document = gated.values
    assert (gated.code, document["verdict"]) == (0, "pass")  # .8 of the answers are right, 5 or more of 9 in .98 of cases
    rows = list(csv.DictReader(Path("rows.csv").read_text(encoding="utf-8-sig").splitlines()))
    new, old = ([row for row in rows if row["candidate"] == name] for name in (unsure, sure))
    assert document["figures"]["difference"]["mean"] == pytest.approx(by_hand(new) - by_hand(old))
    assert document["figures"]["difference"]["lower"] < 0.98 - 1 < document["figures"]["difference"]["upper"]
    Path("gate.json").write_text(json.dumps(document), encoding="utf-8")
    assert viva("recheck", "gate.json", "--transcript", "run.sqlite", "--scope", questions).code == 0
    other = viva(*held, *VOTES, "--set", "draws-claim=mean")
    assert other.code == 2
    assert "vote" in other.err
    alone = viva(*held, "--draws", str(NUMBER), "--seed", "0")
    assert alone.code == 3  # .8 of single answers are right


@pytest.mark.long
def test_two_are_compared_on_a_page(viva: Viva, server: str, questions: str) -> None:
    unsure, sure = f"chat:unsure@{server}/v1", f"chat:calculator@{server}/v1"
    votes = ("--seed", "0", "--draws", "3", "--set", "draws-claim=vote")
    ended = viva("compare", sure, unsure, "--scope", questions, *votes, "--html", "page.html")
    assert "is better than" in ended.out
    page = " ".join(Path("page.html").read_text(encoding="utf-8").split())
    assert "Mean score of the vote of 3" in page
    assert "mean scores of the answers that most of 3 replies to a question agree on" in page
