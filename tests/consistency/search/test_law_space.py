"""Tuples under a law as a space: which statements can contradict, and what is found of planted forecasters."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest

from vivavoce.consistency.forecasts.making.questions import BaseQuestion
from vivavoce.consistency.forecasts.tuples import QuestionTuple
from vivavoce.consistency.invariance.sentences import PERSONAS
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.examine import search
from vivavoce.consistency.search.finding import ContradictionSearch
from vivavoce.consistency.search.genome import Genome
from vivavoce.consistency.search.spaces.laws import Tuples, can_be_broken, law_of
from vivavoce.consistency.search.spaces.sources import Given, composed_of, given
from vivavoce.consistency.search.spaces.varied import kinds_of
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.laws import law_named

AND = {
    "P": "Will thing {n} be red?",
    "Q": "Will thing {n} be large?",
    "P_and_Q": "Will thing {n} be both red and large, at once, on day 2?",
}
NEG = {"P": "Will stone {n} be red?", "not_P": "Will stone {n} be other than red?"}


def tuples(number: int = 30) -> list[QuestionTuple]:
    made = []
    for n in range(number):
        law, questions = ("and", AND) if n % 2 else ("neg", NEG)
        made.append(QuestionTuple(law, {key: text.format(n=n) for key, text in questions.items()}, id=f"{law} {n}"))
    return made


def space(number: int = 30) -> Tuples:
    return Tuples(Given(tuples(number)), kinds_of(("typos", "context", "persona")))


class Forecaster:
    name = "test:forecaster"

    def __init__(self, says: Callable[[str], float]) -> None:
        self.says = says

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply(f"Answer: {round(100 * self.says(question.text))}%")


def coherent(text: str) -> float:
    """Both are less likely than either, with typing errors as well."""
    return 0.2 if "day 2" in text else 0.5


def carried_away(text: str) -> float:
    """A nurse is told that both are likelier than one, of every other thing."""
    number = int(re.findall(r"\d+", text)[0])
    return 0.9 if PERSONAS[1] in text and "day 2" in text and number % 4 == 1 else coherent(text)


def searched(says: Callable[[str], float], calls: int = 800) -> ContradictionSearch:
    interview = Interview(Forecaster(says), answers=Reply)
    return asyncio.run(search(interview, space(), ContradictionSearchConfig(calls=calls, cases=30)))


@pytest.mark.parametrize(
    ("law", "asked", "broken"),
    [
        ("and", ("P", "Q"), False),
        ("and", ("P", "P_and_Q"), True),
        ("and", ("P", "Q", "P_and_Q"), True),
        ("cond", ("P", "Q_given_P"), False),
        ("cond", ("P", "P_and_Q"), True),
        ("bayes", ("P", "Q", "P_given_Q"), True),
        ("bayes", ("P", "P_given_Q"), False),
    ],
)
def test_which_statements_can_contradict(law: str, asked: tuple[str, ...], broken: bool) -> None:
    """By hand: P and Q are free of each other; P&Q is at most P; P is at least (P given Q) times Q."""
    keys = law_named(law, _keys(law)).keys
    assert can_be_broken(law_of(law, keys, asked)) is broken


def _keys(law: str) -> tuple[str, ...]:
    from vivavoce.laws.builtin import keys_of

    return keys_of(law) or ()


def test_a_coherent_forecaster_has_none() -> None:
    assert searched(coherent).contradictions == ()


@pytest.mark.long
def test_the_pair_that_contradicts_is_what_is_left() -> None:
    found = searched(carried_away)
    assert found.contradictions
    for one in found.contradictions:
        assert one.case.startswith("and")
        assert [side.label for side in one.sides] in (["P", "P_and_Q"], ["Q", "P_and_Q"])
        assert [list(side.answers) for side in one.sides] == [["0.5"], ["0.9"]]
        assert one.changes[-1] == ("persona", PERSONAS[1])
        assert len(one.changes) == 3
        # both at .5 and .9 must meet at the same number: by .4 in all
        assert one.strength == pytest.approx(0.4, abs=0.01)


def test_a_statement_that_a_tuple_lacks_is_not_asked() -> None:
    drawn = space(2)
    assert [gene.name for gene in drawn.genes[:3]] == ["statement 1", "statement 2", "statement 3"]
    assert drawn.pose(Genome(0, (1, 1, 1, 0, 0, 0))) == ()
    assert [one.label for one in drawn.pose(Genome(0, (1, 1, 0, 0, 0, 0)))] == ["P", "not_P"]
    assert drawn.pose(Genome(1, (1, 1, 0, 0, 0, 0))) == ()
    assert [one.label for one in drawn.pose(Genome(1, (1, 0, 1, 0, 0, 2)))] == ["P", "P_and_Q"]


def test_quantities_and_long_laws_are_left_out() -> None:
    series = QuestionTuple("increasing", {"2026": "a?", "2027": "b?", "2028": "c?"})
    long = QuestionTuple("chain", {str(n): f"over {n}?" for n in range(6)})
    assert given([series, long, tuples(1)[0]]).tuples == tuples(1)
    with pytest.raises(BadInput, match="no tuples of probabilities"):
        given([series, long])


def base(number: int = 20) -> list[BaseQuestion]:
    return [BaseQuestion(f"b{n}", f"Will event {n} come to pass?") for n in range(number)]


def of_two(text: str) -> float:
    """Takes both of two things for likelier than either, where one is the seventh and the other one even."""
    numbers = [int(number) for number in re.findall(r"event (\d+)", text)]
    return 0.9 if len(numbers) == 2 and 7 in numbers and "both of these" in text and sum(numbers) % 2 else 0.5


@pytest.mark.long
def test_tuples_are_composed_of_questions_and_the_pair_that_contradicts_is_found() -> None:
    source = composed_of(base(), ["and", "or"], cases=20, seed=1)
    interview = Interview(Forecaster(of_two), answers=Reply)
    found = asyncio.run(search(interview, Tuples(source, ()), ContradictionSearchConfig(calls=600)))
    assert found.contradictions
    for one in found.contradictions:
        assert dict(one.changes)["law"] == "and"
        assert "both of these" in one.sides[-1].question
        assert "event 7 " in one.sides[-1].question
        assert [list(side.answers) for side in one.sides] == [["0.5"], ["0.9"]]


def test_a_law_takes_as_many_questions_as_it_needs() -> None:
    source = composed_of(base(5), ["neg", "and", "cond-cond"], cases=5, seed=0)
    assert [gene.name for gene in source.genes] == ["law", "second question", "third question"]
    fit = {
        values: source.tuple_of(0, values) is not None
        for values in ((0, 2, 0), (1, 0, 0), (1, 2, 0), (2, 2, 0), (2, 0, 2), (2, 1, 0), (3, 2, 3), (3, 2, 2), (3, 2, 0))
    }
    assert [values for values, made in fit.items() if made] == [(1, 0, 0), (2, 2, 0), (3, 2, 3)]
    with pytest.raises(BadInput, match="relates 3 questions"):
        composed_of(base(2), ["cond-cond"], cases=5, seed=0)
    with pytest.raises(BadInput, match="cannot be composed"):
        composed_of(base(), ["paraphrase"], cases=5, seed=0)
