"""Generated scopes: the answers are right, the distribution is what it says, and equal seeds give equal questions."""

from __future__ import annotations

import itertools
import re
from collections import Counter

import numpy as np
import pytest

from tests.each_case import each_case
from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.candidate import Reply
from vivavoce.interview.scope import Scope
from vivavoce.scopes import KINDS, open_scope
from vivavoce.scopes.generated import (
    BEFORE,
    PREMISES,
    QUERIES,
    TOGETHER,
    UNKNOWN,
    Statement,
    answer,
    closure,
    interval_question,
    plausible_range,
    sum_question,
)
from vivavoce.scopes.questions import Question

TOGETHER_AT_FIRST = "{x} and {y} began at the same moment"


def drawn(name: str, n: int, seed: int = 0) -> list[Question]:
    scope: Scope[Question] = open_scope(name)
    units = list(itertools.islice(scope.draw(np.random.default_rng(seed)), n))
    assert all(len(unit) == 1 for unit in units)
    return [unit[0] for unit in units]


@each_case("name", ["arithmetic", "arithmetic?digits=9&operations=+-*/", "intervals", "intervals?events=5"])
def test_equal_seeds_equal_questions(name: str) -> None:
    assert drawn(name, 50) == drawn(name, 50)
    assert drawn(name, 50) != drawn(name, 50, seed=1)
    scope = open_scope(name)
    assert scope.population is None
    assert scope.size is None
    for question in drawn(name, 50):
        right = scope.grade(question, Reply(f"Answer: {question.accepted[0]}"))
        assert (right.score, right.unacceptable) == (1.0, False)
        assert scope.prompt(question).id == question.id


def test_ids_derive_from_content() -> None:
    questions = drawn("arithmetic?digits=1", 2000) + drawn("intervals", 500)
    assert len({q.id for q in questions}) == len(set(questions))


def test_arithmetic_is_right_by_another_way_of_computing() -> None:
    # Floats with 9-digit operands: sums and exact quotients are exact below 2^53; products are compared in numpy's int64.
    for question in drawn("arithmetic?digits=4&operations=+-*/", 2000):
        match = re.fullmatch(r"What is (\d+) ([-+*/]) (\d+)\?", question.text)
        assert match
        a, b = np.int64(match[1]), np.int64(match[3])
        right = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.true_divide}[match[2]](a, b)
        assert float(question.accepted[0]) == float(right)


def test_arithmetic_draws_operands_and_operations_evenly() -> None:
    questions = drawn("arithmetic?digits=1&operations=+*", 8000)
    counts = Counter(q.category for q in questions)
    # 8,000 fair draws: standard deviation sqrt(8000)/2 = 44.7; five of them are 224.
    assert abs(counts["+"] - 4000) < 224
    firsts = Counter(q.text.split()[2] for q in questions)
    # Each digit 800 times, standard deviation sqrt(8000·0.1·0.9) = 26.8; five of them are 134.
    assert set(firsts) == set("0123456789")
    assert all(abs(n - 800) < 134 for n in firsts.values())


@each_case(
    ("question", "reply", "unacceptable"),
    [
        (sum_question(200, "+", 300), "501", False),
        (sum_question(200, "+", 300), "50000", False),  # a hundred times too large
        (sum_question(200, "+", 300), "50001", True),
        (sum_question(200, "+", 300), "4", True),  # 500/100 = 5
        (sum_question(200, "+", 300), "-500", True),
        (sum_question(2, "-", 3), "1", False),  # -1: too small for the sign to be obvious
        (sum_question(2, "-", 903), "901", True),
        (sum_question(0, "*", 7), "100", False),
        (sum_question(0, "*", 7), "101", True),
        (sum_question(6, "/", 7), "-6", True),
    ],
)
def test_unacceptable_sums(question: Question, reply: str, unacceptable: bool) -> None:
    assert open_scope("arithmetic").grade(question, Reply(f"Answer: {reply}")).unacceptable is unacceptable


def test_the_right_answer_is_always_plausible() -> None:
    for right in (*range(-2000, 2001), 10**18, -(10**18)):
        lowest, highest = plausible_range(right, can_be_negative=right < 0)
        assert lowest <= right <= highest


def test_the_example_of_appendix_c() -> None:
    # B during A: A begins before B begins, B ends before A ends. C begins after A does and ends before B does. Take A from 0
    # to 10 and B from 3 to 9: C from 1 to 8 began before B, C from 4 to 8 began after it, C from 3 to 8 began with it.
    a, b, c = 0, 1, 2
    premises = (
        Statement("{x} happened during {y}", b, a),
        Statement("{x} began before {y} did", a, c),
        Statement("{x} ended before {y} did", c, b),
    )
    query = Statement("Which began first, {x} or {y}?", b, c)
    assert answer(premises, query, 3) == UNKNOWN
    question = interval_question(premises, query, ("A", "B", "C"))
    assert question.options == ("B", "C", "A", TOGETHER, UNKNOWN)
    assert question.accepted == ("E",)
    assert question.unacceptable == ("C",)  # "A" is not asked about
    # The first answer on record, that B began first, is wrong; that A began before both is what does follow.
    assert answer(premises, Statement(QUERIES[0], a, c), 3) == "x"
    # Which ended first, B or C: stated outright, so everything but C (and ignorance) contradicts a premise.
    ended = interval_question(premises, Statement(QUERIES[1], b, c), ("A", "B", "C"))
    assert (ended.accepted, ended.unacceptable) == (("B",), ("A", "C", "D"))


@each_case(
    ("premises", "query", "right"),
    [
        # x over before y began: no overlap, x began first, x was over before y began.
        ([("{x} was over before {y} began", 0, 1)], (QUERIES[0], 0, 1), "x"),
        ([("{x} was over before {y} began", 0, 1)], (QUERIES[2], 0, 1), "No"),
        ([("{x} was over before {y} began", 0, 1)], (QUERIES[3], 0, 1), "Yes"),
        ([("{x} was over before {y} began", 0, 1)], (QUERIES[3], 1, 0), "No"),
        # x ended when y began: they share no stretch of time, but x was not over strictly before.
        ([("{x} ended at the very moment {y} began", 0, 1)], (QUERIES[2], 0, 1), "No"),
        ([("{x} ended at the very moment {y} began", 0, 1)], (QUERIES[3], 0, 1), "No"),
        # Equal beginnings carry over: 0 with 1, 1 with 2, so 0 with 2.
        ([(TOGETHER_AT_FIRST, 0, 1), (TOGETHER_AT_FIRST, 1, 2)], (QUERIES[0], 0, 2), TOGETHER),
        ([("{x} and {y} ended at the same moment", 0, 1)], (QUERIES[2], 0, 1), "Yes"),
        # Through a third event: 0 ended before 2 did, 2 was over before 1 began.
        ([("{x} ended before {y} did", 0, 2), ("{x} was over before {y} began", 2, 1)], (QUERIES[3], 0, 1), "Yes"),
        ([("{x} began before {y} did", 0, 1)], (QUERIES[2], 0, 1), UNKNOWN),
    ],
)  # fmt: skip
def test_relations_by_hand(premises: list[tuple[str, int, int]], query: tuple[str, int, int], right: str) -> None:
    assert answer([Statement(*p) for p in premises], Statement(*query), 3) == right


def courses(events: int) -> list[list[tuple[int, int]]]:
    """All ways in which so many events can take place, as beginnings and ends on a grid that has room for every order."""
    spans = [(b, e) for b in range(2 * events) for e in range(b + 1, 2 * events)]
    return [list(course) for course in itertools.product(spans, repeat=events)]


def true_in(words: str, x: tuple[int, int], y: tuple[int, int]) -> bool:
    """What a premise means, written a second time and without points."""
    (xb, xe), (yb, ye) = x, y
    return {
        "{x} happened during {y}": yb < xb and xe < ye,
        "{x} began before {y} did": xb < yb,
        "{x} ended before {y} did": xe < ye,
        "{x} was over before {y} began": xe < yb,
        "{x} was already going on when {y} began": xb < yb < xe,
        "{x} and {y} began at the same moment": xb == yb,
        "{x} and {y} ended at the same moment": xe == ye,
        "{x} ended at the very moment {y} began": xe == yb,
    }[words]


def answered_in(words: str, x: tuple[int, int], y: tuple[int, int]) -> str:
    """What a query is answered about one course of events."""
    if words in QUERIES[:2]:
        which = QUERIES.index(words)
        return "x" if x[which] < y[which] else "y" if x[which] > y[which] else TOGETHER
    if words == QUERIES[2]:
        return "Yes" if max(x[0], y[0]) < min(x[1], y[1]) else "No"
    return "Yes" if x[1] < y[0] else "No"


def test_answers_agree_with_all_possible_courses_of_events() -> None:
    # 15 spans on a grid of 6 points, 3,375 courses of three events: every order of six points, ties included, is among them.
    everything = courses(3)
    assert len(everything) == 15**3
    rng = np.random.default_rng(1)
    pairs = list(itertools.permutations(range(3), 2))
    for _ in range(150):
        chosen = everything[int(rng.integers(len(everything)))]
        statements = [Statement(w, x, y) for w in PREMISES for x, y in pairs if true_in(w, chosen[x], chosen[y])]
        premises = [statements[i] for i in rng.permutation(len(statements))[: int(rng.integers(1, 5))]]
        possible = [c for c in everything if all(true_in(p.words, c[p.x], c[p.y]) for p in premises)]
        for words, (x, y) in itertools.product(QUERIES, pairs):
            answers = {answered_in(words, c[x], c[y]) for c in possible}
            expected = answers.pop() if len(answers) == 1 else UNKNOWN
            assert answer(premises, Statement(words, x, y), 3) == expected


def test_closure_knows_that_events_take_time() -> None:
    assert closure([], 1) == [[0, BEFORE], [0, 0]]


@pytest.mark.parametrize("events", [3, 4, 5])
def test_the_mix_of_interval_questions(events: int) -> None:
    questions = drawn(f"intervals?events={events}", 600)
    right = [q.options["ABCDEFG".index(q.accepted[0])] for q in questions]
    # 40% are meant to be unknowable: standard deviation sqrt(.4·.6/600) = 0.02; four of them are .08.
    assert abs(right.count(UNKNOWN) / 600 - 0.4) < 0.08
    assert {q.category for q in questions} == {words.format(x="X", y="Y") for words in QUERIES}
    assert all(not set(q.unacceptable) & set(q.accepted) for q in questions)
    assert sum(bool(q.unacceptable) for q in questions) > 300
    assert len({q.id for q in questions}) > 590
    for q in questions:
        assert q.text.count(". ") == events + 1  # the list of events, then as many premises
        assert f"Consider {events} events" in q.text


def test_digests_tell_scopes_apart() -> None:
    names = ["arithmetic", "arithmetic?digits=4", "arithmetic?operations=+", "intervals", "intervals?events=4"]
    digests = {open_scope(name, zero_is_unacceptable=zero).digest for name in names for zero in (False, True)}
    assert len(digests) == 10
    assert open_scope("arithmetic?operations=*-+&digits=03").digest == open_scope("arithmetic").digest


@each_case(
    ("name", "says"),
    [
        ("arithmatic", "arithmetic"),
        ("interval", "intervals"),
        ("mmlupro:x", "mmlu-pro"),
        ("", "no scope"),
        ("arithmetic?digit=3", "digits"),
        ("arithmetic?digits=3&digits=4", "twice"),
        ("arithmetic?digits=0", "from 1 to 9"),
        ("arithmetic?digits=10", "from 1 to 9"),
        ("arithmetic?digits=x", "from 1 to 9"),
        ("arithmetic?digits=²", "from 1 to 9"),
        ("arithmetic?digits=" + 5000 * "1", "from 1 to 9"),
        ("mmlu:~nobody of that name/mmlu", "write the full path"),
        ("file:~nobody of that name/q.csv", "write the full path"),
        ("arithmetic?operations=^", "some of"),
        ("arithmetic?operations=", "some of"),
        ("arithmetic?operations=++", "at most once"),
        ("arithmetic:3", "write arithmetic"),
        ("intervals?events=2", "from 3 to 5"),
        ("mmlu", "write mmlu:FOLDER"),
        ("file:", "write file:FILE"),
    ],
)
def test_bad_names_say_what_to_write(name: str, says: str) -> None:
    with pytest.raises(BadInput, match=re.escape(says)):
        open_scope(name)


def test_misspelt_scopes_are_unknown_names() -> None:
    with pytest.raises(UnknownName):
        open_scope("arithmatic")


def test_every_kind_has_an_example_of_its_form() -> None:
    for kind in KINDS:
        assert kind.example.startswith(kind.prefix)
        assert sum(reader is not None for reader in (kind.generator, kind.read, kind.material or None)) == 1


def test_a_task_of_inspect_is_told_apart_from_scopes() -> None:
    with pytest.raises(BadInput, match=r"'inspect-task:a\.py@b' is a task of Inspect, which 'viva certify', 'compare', 'gate'"):
        open_scope("inspect-task:a.py@b")
