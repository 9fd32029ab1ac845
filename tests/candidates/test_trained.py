"""A classifier that was trained here, as a candidate."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consistency.legal.made_training import training
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import is_classifier, open_classifier
from vivavoce.candidates.trained import KNOWN_FACTS, TrainedClassifier
from vivavoce.embeddings.set_classifier import digest_of_folder, save_classifier
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.interview.candidate_kinds import CaseJudgement, FactCase
from vivavoce.interview.interview import Interview


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
