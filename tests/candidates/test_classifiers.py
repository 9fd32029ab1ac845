"""Python functions as classifiers of cases, well-behaved and not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vivavoce.candidates.classifiers import FunctionClassifier, is_classifier, open_classifier
from vivavoce.errors import BadInput, MissingExtra, TransportFault, UnknownName
from vivavoce.interview.candidate import NoAnswer
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase
from vivavoce.interview.interview import Interview

CASE = FactCase(("One.", "Two."), weigh=True)
MODULE = '''
class Trained:
    """A class is called to get the object."""

    def __init__(self):
        self.bias = 0.25

    def probability(self, facts):
        return self.bias + 0.25 * len(facts)

    def importance(self, facts):
        return [float(len(fact)) for fact in facts]


class Broken:
    def __init__(self):
        raise OSError("no weights")

    def probability(self, facts):
        return 0.5


trained = Trained()
number = 3


def probability(facts):
    return 0.5


async def later(facts):
    return 0.125
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_classifier.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "my_classifier", raising=False)


async def said(
    probability: Callable[[Sequence[str]], Any], importance: Callable[[Sequence[str]], Any] | None = None
) -> CaseJudgement:
    return await FunctionClassifier("function:test", probability, importance).answer(CASE)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("name", "judgement"),
    [
        ("probability", CaseJudgement(0.5)),
        ("later", CaseJudgement(0.125)),
        ("trained", CaseJudgement(0.75, (4.0, 4.0))),
        ("Trained", CaseJudgement(0.75, (4.0, 4.0))),
        ("trained.probability", CaseJudgement(0.75)),
    ],
)
async def test_a_function_an_object_and_a_class_are_found(name: str, judgement: CaseJudgement) -> None:
    classifier = open_classifier(f"function:my_classifier:{name}")
    assert classifier.name == f"function:my_classifier:{name}"
    assert await classifier.answer(CASE) == judgement


@pytest.mark.usefixtures("module")
async def test_importance_is_told_only_if_it_is_asked_for() -> None:
    assert await open_classifier("function:my_classifier:trained").answer(FactCase(("One.",))) == CaseJudgement(0.5)


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("function:my_classifier", BadInput, "needs a module and a callable"),
        ("function:", BadInput, "function:MODULE:CALLABLE"),
        ("function:my_classifier:probabilty", UnknownName, "did you mean 'probability'"),
        ("function:my_classifier:number", BadInput, "name a function, or an object with a method 'probability'"),
        ("function:my_classifier:Broken", BadInput, "no weights"),
        ("function:no_such_module:f", BadInput, "cannot be imported"),
        ("function:my_classifier:probability?a=1", UnknownName, "option of function"),
    ],
)
def test_mistakes_are_told_with_the_remedy(name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        open_classifier(name)


@pytest.mark.parametrize(
    "number", [1, 0, True, 0.25, Fraction(1, 4), np.float32(0.25), np.float64(0.25), np.array(0.25), np.int64(1)]
)
async def test_numbers_of_any_kind_are_probabilities(number: Any) -> None:
    assert (await said(lambda facts: number)).probability == float(number)


@pytest.mark.parametrize("number", [1.5, -0.1, float("nan"), float("inf"), None, "0.5", [0.5], np.array([0.5]), 1j])
async def test_what_is_no_probability_is_a_fault_of_that_case(number: Any) -> None:
    with pytest.raises(TransportFault, match=r"not a probability|not a number") as caught:
        await said(lambda facts: number)
    assert not caught.value.worth_retrying


@pytest.mark.parametrize("importance", [[0.5], [0.1] * 3, None, 5, ["a", "b"], [0.5, float("nan")], (x for x in iter(int, 1))])
async def test_importance_needs_a_number_for_each_fact(importance: Any) -> None:
    with pytest.raises(TransportFault):
        await said(lambda facts: 0.5, lambda facts: importance)


async def test_importance_may_be_any_series_of_numbers() -> None:
    assert await said(lambda facts: 0.5, lambda facts: np.array([1, 2])) == CaseJudgement(0.5, (1.0, 2.0))


async def test_what_it_raises_is_said_and_only_what_may_pass_is_tried_again() -> None:
    def raises(error: Exception) -> Callable[[Sequence[str]], float]:
        def function(facts: Sequence[str]) -> float:
            raise error

        return function

    with pytest.raises(TransportFault, match="function:test raised KeyError: 'x'") as caught:
        await said(raises(KeyError("x")))
    assert not caught.value.worth_retrying
    with pytest.raises(TransportFault) as caught:
        await said(raises(ConnectionError("gone")))
    assert (caught.value.worth_retrying, caught.value.reached) == (True, False)


async def test_an_interview_keeps_judgements_and_refuses_impossible_ones() -> None:
    class Wrong:
        name = "test:wrong"

        async def answer(self, question: FactCase, /) -> CaseJudgement:
            return CaseJudgement(2.0 if len(question.facts) == 1 else 0.5, (0.1, 0.2))

    interview = Interview(Wrong(), answers=CaseJudgement)
    assert await interview.ask(CASE) == CaseJudgement(0.5, (0.1, 0.2))
    assert await interview.ask(CASE) == CaseJudgement(0.5, (0.1, 0.2))
    assert interview.progress.from_record == 1
    assert isinstance(await interview.ask(FactCase(("One.",))), NoAnswer)


def test_names_of_classifiers_are_told_from_those_of_language_models() -> None:
    assert [is_classifier(name) for name in ("hf:x", " function:a:b", "bot:eliza", "chat:m@http://x/v1")] == [
        True,
        True,
        False,
        False,
    ]


def test_without_the_extra_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['torch'] = None\nfrom vivavoce.candidates.classifiers import open_classifier\n"
    code += "from vivavoce.errors import MissingExtra\ntry: open_classifier('hf:folder')\nexcept MissingExtra as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "'torch' is not installed: pip install 'vivavoce[neural]'\n"
    assert issubclass(MissingExtra, BadInput)
