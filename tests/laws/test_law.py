"""Laws as people write them: what is understood, and what is refused with a remedy."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.laws import laws
from vivavoce.errors import BadInput, UnknownName
from vivavoce.laws.law import BUILT_IN, FAMILIES, NAMES, Law, law_named, parse_law

# By hand, from the table of the research data: P, Q (and R) over all truth values; -1 is void.
WORLDS = {
    "neg": {(0, 1), (1, 0)},
    "and": {(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)},
    "or": {(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)},
    "and-or": {(0, 0, 0, 0), (0, 1, 0, 1), (1, 0, 0, 1), (1, 1, 1, 1)},
    "but": {(0, 0, 0), (0, 1, 1), (1, 0, 1)},
    "cond": {(0, -1, 0), (1, 0, 0), (1, 1, 1)},
    "cond-cond": {(0, -1, -1, 0), (1, 0, -1, 0), (1, 1, 0, 0), (1, 1, 1, 1)},
    "consequence": {(0, 0), (0, 1), (1, 1)},
    "expected-evidence": {(0, 0, -1, 0), (0, 1, 0, -1), (1, 0, -1, 1), (1, 1, 1, -1)},
    "bayes": {(0, 0, -1, -1), (0, 1, 0, -1), (1, 0, -1, 0), (1, 1, 1, 1)},
}


def worlds(law: Law) -> set[tuple[int, ...]]:
    """The worlds as they would be written by hand."""
    return {tuple(row) for row in law.worlds.tolist()}


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_worlds_of_the_built_in_laws(name: str) -> None:
    assert worlds(BUILT_IN[name]) == WORLDS[name]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("paraphrase", {(0, 0, 0), (1, 1, 1)}),
        ("repeat", {(0, 0, 0), (1, 1, 1)}),
        ("exclusive", {(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)}),
        ("exhaustive", {(1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 1, 1)}),
        ("partition", {(1, 0, 0), (0, 1, 0), (0, 0, 1)}),
        ("chain", {(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)}),
    ],
)
def test_the_worlds_of_families(name: str, expected: set[tuple[int, ...]]) -> None:
    assert worlds(law_named(name, ["one", "two", "three"])) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("P, Q, P -> Q", None),
        ("P, Q, x = P ^ Q", {(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)}),
        ("P, Q, x = (P | Q) & ~(P & Q)", {(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)}),
        ("P, Q, x = not P and Q", {(0, 0, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0)}),
        ("A, B where A iff ~B", {(0, 1), (1, 0)}),
        ("A, B where ~(A & B); A | B", {(0, 1), (1, 0)}),
        ("A, B, C where exactly one of A, B, C", {(1, 0, 0), (0, 1, 0), (0, 0, 1)}),
        ("A, C where A implies B; B implies C", {(0, 0), (0, 1), (1, 1)}),
        ("A, sure = B | ~B", {(0, 1), (1, 1)}),
    ],
)
def test_a_law_in_a_line(line: str, expected: set[tuple[int, ...]] | None) -> None:
    if expected is None:
        with pytest.raises(BadInput, match="is not a formula"):
            parse_law(line)
    else:
        assert worlds(parse_law(line)) == expected


@given(laws)
def test_a_law_is_read_as_it_is_written(law: Law) -> None:
    again = parse_law(law.line)
    assert (again.name, again.keys, worlds(again)) == (law.name, law.keys, worlds(law))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "a statement is missing"),
        ("P,", "a statement is missing"),
        ("P, given Q", "a statement is missing"),
        ("P, Q given P given R", "more than one 'given'"),
        ("P, P", "have the same name"),
        ("P, __import__('os').system('true')", "only names"),
        ("P, Q[0]", "only names"),
        ("P, 1", "only names"),
        ("P, lambda: 0", "missing|not a formula|the same name"),
        ("P, " + "~" * 600 + "P", "longer than 500"),
        ("P, " + "(" * 240 + "P" + ")" * 240, "not a formula"),
        ("P, Q where P; ~P", "contradict"),
        ("P, Q given P & ~P", "void in every world"),
        (", ".join(f"E{i}" for i in range(17)), "17 events"),
        (", ".join(f"E{i}" for i in range(11)), "2048 worlds"),
        ("P, Q where exactly one of", "not a formula"),
    ],
)
def test_what_is_no_law_is_refused(line: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        parse_law(line)


@given(st.text(max_size=80))
def test_any_text_is_a_law_or_bad_input(text: str) -> None:
    with suppress(BadInput):
        assert len(parse_law(text).worlds)


def test_a_law_that_does_not_exist_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'neg'"):
        law_named("negg", ["P", "not_P"])
    with pytest.raises(BadInput, match="has the statements P, not_P; yours are P, Q"):
        law_named("neg", ["P", "Q"])
    with pytest.raises(BadInput, match="at least two"):
        law_named("paraphrase", ["P"])
    assert set(FAMILIES) < set(NAMES)


def test_statements_may_stand_in_any_order() -> None:
    assert law_named("and", ["P_and_Q", "Q", "P"]).keys == ("P", "Q", "P_and_Q")
