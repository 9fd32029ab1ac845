"""Laws between answers: hand cases, closed forms, and what holds of all of them."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadInput, UnknownName
from vivavoce.scopes.answer_laws import NAMES, AnswerLaw, answer_law, asked_for, probability

numbers = st.lists(st.integers(-5, 5), min_size=2, max_size=5)
inner = st.integers(1, 99).map(lambda percent: percent / 100)


def as_said(values: list[int]) -> list[str | None]:
    return [str(value) for value in values]


@each_case(
    ("law", "answers", "broken"),
    [
        ("same", ["17", "17.0"], False),
        ("same", ["17", "16"], True),
        ("same", ["Yes", "yes."], False),
        ("same", ["Yes", "No"], True),
        ("same", ["17", "seventeen"], True),
        ("same within 1", ["17", "16", "18"], True),  # 16 and 18 are two apart
        ("same within 2", ["17", "16", "18"], False),
        ("different", ["Don", "Ural", "don"], True),
        ("different", ["Don", "Ural"], False),
        ("different", ["1", "1.0"], True),
        ("at most", ["1", "1", "2"], False),
        ("at most", ["3", "9", "2"], True),
        ("at most within 7", ["3", "9", "2"], False),  # from 9 to 2
        ("at least", ["3", "2", "2"], False),
        ("at least", ["3", "2", "2.001"], True),
        ("sum", ["1,000", "2", "1002"], False),
        ("sum", ["0.1", "0.2", "0.3"], False),  # which floats would miss
        ("sum", ["1" + 30 * "0", "1", "1" + 30 * "0"], True),  # which 28 digits would miss
        ("opposite", ["-664", "364"], True),
        ("opposite", ["-664", "664"], False),
        ("opposite", ["0", "0"], False),
        ("neg", ["0.7", "0.3"], False),
        ("neg", ["0.7", "0.31"], False),  # rounding
        ("neg", ["0.7", "0.6"], True),
        ("neg within 0.2", ["0.7", "0.6"], False),
        ("and", ["0.5", "0.6", "0.55"], True),  # of both, at most the lesser
        ("and", ["0.5", "0.6", "0.05"], True),  # at least .5 + .6 - 1
        ("and", ["0.5", "0.6", "0.3"], False),
        ("P, Q, P & Q", ["0.5", "0.6", "0.55"], True),
        ("A, B where A implies B", ["0.5", "0.4"], True),
        ("A, B where A implies B", ["0.4", "0.5"], False),
        ("partition", ["0.2", "0.3", "0.5"], False),
        ("partition", ["0.2", "0.3", "0.6"], True),
        ("neg", ["1", "0"], False),
        ("neg", ["1", "0.5"], True),
    ],
)
def test_by_hand(law: str, answers: list[str], broken: bool) -> None:
    text = answer_law(law, len(answers)).broken(answers)
    assert text is not None
    assert bool(text) is broken


def test_what_must_hold_is_said_in_words() -> None:
    assert answer_law("at most within 2", 2).broken(["5", "1"]) == "no answer may be above the next, within 2"
    # nearest to .7 and .6: log-odds (ln(7/3) - ln(6/4)) / 2 = .2209, which is .555
    assert answer_law("neg", 2).broken(["0.7", "0.6"]) == (
        "as probabilities of P, ~P they contradict each other, and the nearest that do not are 0.555, 0.445"
    )
    partition = answer_law("partition within 0.1", 2).broken(["0.9", "0.9"])
    assert partition is not None
    assert "E1, E2 where exactly one of E1, E2" in partition
    assert partition.endswith(", within 0.1")


@each_case("law", ["same", "different", "at most", "at least", "opposite", "neg", "chain", "P, ~P"])
def test_too_few_answers_cannot_be_judged(law: str) -> None:
    assert answer_law(law, 2).broken([None, "0.5"]) is None
    assert answer_law(law, 2).broken([None, None]) is None


def test_the_others_are_judged_where_one_is_missing() -> None:
    assert answer_law("same", 3).broken(["1", None, "2"])
    assert answer_law("at most", 3).broken(["2", None, "1"])
    assert answer_law("partition", 3).broken(["0.7", None, "0.6"])
    assert answer_law("partition", 3).broken(["0.1", None, "0.2"]) == ""  # the third may be all the rest
    assert answer_law("sum", 3).broken(["1", None, "3"]) is None


def test_what_is_no_probability_is_no_answer() -> None:
    assert answer_law("neg", 2).broken(["70", "0.5"]) is None
    assert probability("-0.1") is None


@given(numbers)
def test_same_is_that_there_is_one_value(values: list[int]) -> None:
    assert (answer_law("same", len(values)).broken(as_said(values)) == "") is (len(set(values)) == 1)
    assert (answer_law("different", len(values)).broken(as_said(values)) == "") is (len(set(values)) == len(values))


@given(numbers)
def test_order_is_that_of_sorting(values: list[int]) -> None:
    assert (answer_law("at most", len(values)).broken(as_said(values)) == "") is (values == sorted(values))
    assert answer_law("at least", len(values)).broken(as_said(values[::-1])) in ("", None) or values != sorted(values)


@given(numbers, st.data())
def test_whoever_contradicts_itself_in_a_part_does_so_in_the_whole(values: list[int], data: st.DataObject) -> None:
    law = answer_law(data.draw(st.sampled_from(["same", "different", "at most", "at least", "same within 2"])), len(values))
    part: list[str | None] = [data.draw(st.sampled_from([None, text])) for text in as_said(values)]
    assert not law.broken(part) or law.broken(as_said(values))


@given(st.lists(st.integers(0, 20), min_size=3, max_size=5), st.data())
def test_a_part_of_coherent_probabilities_is_coherent(counts: list[int], data: st.DataObject) -> None:
    assume(sum(counts))
    texts = [f"{count / sum(counts):.12f}" for count in counts]
    assert answer_law("partition", len(counts)).broken(texts) == ""
    part = [data.draw(st.sampled_from([None, text])) for text in texts]
    assert answer_law("partition", len(counts)).broken(part) in ("", None)


@given(inner, inner, st.integers(1, 40))
def test_negation_by_its_closed_form(p: float, q: float, percent: int) -> None:
    # KL(x, p) + KL(1 - x, q) is least where the log-odds of x are the mean of those of p and of 1 - q
    x = 1 / (1 + exp(-(log(p / (1 - p)) - log(q / (1 - q))) / 2))
    off = max(abs(x - p), abs(1 - x - q))
    assume(abs(off - percent / 100) > 1e-6)
    text = answer_law(f"neg within {percent / 100}", 2).broken([str(p), str(q)])
    assert bool(text) is (off > percent / 100)


@each_case(
    ("law", "answers", "problem"),
    [
        ("sum", 2, "at least 3 answers, not 2"),
        ("opposite", 3, "needs 2 answers, not 3"),
        ("neg", 3, "needs 2 answers, not 3"),
        ("same", 1, "at least 2 answers"),
        ("same within a lot", 2, "is not a formula|no law"),
        ("same within lots", 2, "'within lots': give a number"),
        ("same within -1", 2, "give a number from 0 on"),
        ("different within 1", 2, "leave out 'within'"),
        ("P, Q, P &", 3, "not a formula"),
        ("P, __import__('os')", 2, "no formula|only names"),
        ("P" * 501, 2, "longer than 500"),
    ],
)
def test_what_cannot_be_meant_is_refused(law: str, answers: int, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        answer_law(law, answers)


def test_a_slip_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'at most'"):
        answer_law("atmost", 2)


def test_every_name_is_a_law() -> None:
    sizes = {"sum": 3, "and": 3, "or": 3, "and-or": 4, "but": 3, "cond": 3, "cond-cond": 4, "expected-evidence": 4, "bayes": 4}
    laws = [answer_law(name, sizes.get(name, 2)) for name in NAMES]
    assert all(isinstance(law, AnswerLaw) for law in laws)
    # The usual tolerance is whole per cent for probabilities, and none for numbers.
    assert {law.tolerance for law in laws} == {Fraction(0), Fraction(1, 100)}


def test_what_each_law_asks_for() -> None:
    assert [asked_for(law) for law in ("", "same within 2", "sum", "neg")] == ["anything", "anything", "number", "probability"]
