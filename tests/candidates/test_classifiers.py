"""Classifiers of cases: Python functions, well-behaved and not, and a classifier that was trained here."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.consistency.legal.made_training import training
from tests.each_case import each_case
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import FunctionClassifier, is_classifier, open_classifier
from vivavoce.candidates.trained import KNOWN_FACTS, TrainedClassifier
from vivavoce.embeddings.set_classifier import digest_of_folder, save_classifier
from vivavoce.errors import BadFile, BadInput, MissingExtra, TransportFault, UnknownName
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


@each_case("number", [1, 0, True, 0.25, Fraction(1, 4), np.float32(0.25), np.float64(0.25), np.array(0.25), np.int64(1)])
async def test_numbers_of_any_kind_are_probabilities(number: Any) -> None:
    assert (await said(lambda facts: number)).probability == float(number)


@each_case("number", [1.5, -0.1, float("nan"), float("inf"), None, "0.5", [0.5], np.array([0.5]), 1j])
async def test_what_is_no_probability_is_a_fault_of_that_case(number: Any) -> None:
    with pytest.raises(TransportFault, match=r"not a probability|not a number") as caught:
        await said(lambda facts: number)
    assert not caught.value.worth_retrying


@each_case("importance", [[0.5], [0.1] * 3, None, 5, ["a", "b"], [0.5, float("nan")], (x for x in iter(int, 1))])
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
    class WrongModel:
        name = "test:wrong"

        async def answer(self, question: FactCase, /) -> CaseJudgement:
            return CaseJudgement(2.0 if len(question.facts) == 1 else 0.5, (0.1, 0.2))

    interview = Interview(WrongModel(), answers=CaseJudgement)
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


@pytest.fixture
def judge(tmp_path: Path) -> Path:
    save_classifier(tmp_path / "judge", training().classifier)
    return tmp_path / "judge"


async def test_it_says_what_was_trained_to_the_last_digit(judge: Path) -> None:
    classifier = open_classifier(f"trained:{judge}")
    interview = Interview(classifier, answers=CaseJudgement)
    try:
        for case in training().division.held_out[:5]:
            judgement = await interview.ask(FactCase(case.case.facts, weigh=True))
            assert isinstance(judgement, CaseJudgement)
            assert judgement.probability == training().classifier.probability(case.case.facts)
            assert judgement.importance is not None
            assert list(judgement.importance) == training().classifier.attention(case.case.facts).tolist()
            decided_case = next(decided for decided in training().decided if decided.case == case.case.id)
            assert judgement.probability == pytest.approx(decided_case.probability, abs=1e-12)
            assert await interview.ask(FactCase(case.case.facts)) == CaseJudgement(judgement.probability)
    finally:
        await close_candidate(classifier)


def test_other_weights_are_another_candidate(judge: Path) -> None:
    digest = digest_of_folder(judge)[:12]
    assert open_classifier(f"trained:{judge}").name == f"trained:judge?weights={digest}"
    assert open_classifier(f"trained:{judge}?weights={digest}").name == f"trained:judge?weights={digest}"
    with pytest.raises(BadInput, match=f"has weights {digest}, but the name says 00"):
        open_classifier(f"trained:{judge}?weights=00")
    save_classifier(judge, training(60, seed=2).classifier)
    assert open_classifier(f"trained:{judge}").name != f"trained:judge?weights={digest}"


def test_facts_do_not_depend_on_those_before_and_few_are_kept(judge: Path) -> None:
    facts = training().division.held_out[0].case.facts
    alone, after = (TrainedClassifier("trained:x", training().classifier) for _ in range(2))
    for i in range(KNOWN_FACTS // 100):
        after.judge(FactCase((f"Something else {i}.", *facts)))
    assert alone.judge(FactCase(facts, weigh=True)) == after.judge(FactCase(facts, weigh=True))


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("trained:", BadInput, "write trained:FOLDER"),
        ("trained:nowhere", BadFile, "'viva consistency cases train' makes one"),
        ("trained:judge?layer=1", UnknownName, "option of trained 'layer'"),
    ],
)
def test_a_slip_is_an_error_in_words(name: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message.replace("?", r"\?")):
        open_classifier(name)


def test_it_judges_cases_and_is_no_language_model() -> None:
    assert is_classifier("trained:judge")
    with pytest.raises(BadInput, match="viva consistency cases check"):
        open_candidate("trained:judge")
