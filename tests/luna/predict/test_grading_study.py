"""The study of grading, and its progress messages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import count
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from vivavoce.errors import NotEnoughEvidence
from vivavoce.luna.predict import grading_study
from vivavoce.luna.predict.answers import GradedResponse, read_graded
from vivavoce.luna.predict.grader import AnswerGrader, GradedEvidence, TermRarity, alone, folds, vectors_of
from vivavoce.luna.predict.grading_study import GRADERS, _estimating, grade_study, scores
from vivavoce.luna.predict.predictor import FloatArray

pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")
MOHLER = Path(os.environ.get("VIVA_DATA", "")) / "mohler" / "answers.csv"

SUBJECTS = ("stack", "queue", "array", "list", "tree", "heap", "graph", "loop", "class", "table")


def class_test(seed: int = 0, each: int = 14) -> list[GradedResponse]:
    """Answers that say some of four words of the reference among others, graded by how many they say, from 0 to 4."""
    rng = np.random.default_rng(seed)
    answers = []
    for subject in SUBJECTS:
        key = [f"{subject}{part}" for part in ("head", "body", "tail", "foot")]
        for _ in range(each):
            number = int(rng.integers(0, 5))
            words = [*rng.choice(key, number, replace=False), *rng.choice(["it", "was", "so", "they", "say"], 3)]
            answers.append(GradedResponse(f"What is a {subject}?", " ".join(rng.permutation(words)), number, " ".join(key)))
    return answers


@pytest.mark.long
def test_the_study_finds_what_words_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading_study, "FOLDS", 3)  # each is a grader that learns
    study = grade_study(class_test(), source="class.csv")
    for split in study.splits.values():
        grader, constant = split.graders["grader"], split.graders["constant"]
        # the grade is the number of words in common with the reference; a constant errs by the deviation of 0..4, sqrt(2)
        assert (grader.rmse.value or 9) < 0.75
        assert constant.rmse.value == pytest.approx(sqrt(2), abs=0.2)
        assert constant.gain_of_grader is not None
        assert constant.gain_of_grader.interval.lower > 0
    assert "question mean" not in study.unseen_questions.graders
    assert study.statement.count("are graded better than by a constant") == 2
    assert study.as_json()["figures"]["unseen_questions"]["graders"]["grader"]["correlation"]["value"] > 0.9
    assert "unseen questions are rough" in " ".join(study.caveats)


@pytest.mark.long
def test_where_words_tell_nothing_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading_study, "FOLDS", 2)
    rng = np.random.default_rng(3)
    grades = rng.permutation([response.grade for response in class_test(each=6)])
    shuffled = [replace(response, grade=float(grade)) for response, grade in zip(class_test(each=6), grades, strict=True)]
    study = grade_study(shuffled)
    for split in study.splits.values():
        gain = split.graders["constant"].gain_of_grader
        assert gain is not None
        assert gain.interval.lower < 0.05
    assert "are graded better" not in study.statement


def test_answers_that_all_stand_among_those_learnt_from_are_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def constants(training: Sequence[GradedResponse], test: Sequence[GradedResponse], seed: int) -> dict[str, FloatArray]:
        return {name: np.full(len(test), 0.5) for name in GRADERS}

    monkeypatch.setattr(grading_study, "_predicted", constants)
    texts = ["yes", "no"] * 30
    answers = [GradedResponse(f"q{index % 5}", text, float(text == "yes")) for index, text in enumerate(texts)]
    study = grade_study(answers)
    assert (study.unseen_answers.repeated, study.unseen_answers.rmse_of_others.value) == (60, None)
    assert "there are no others" in " ".join(study.caveats)
    one_more = grade_study([*answers, GradedResponse("q0", "perhaps", 0.0)])
    assert one_more.unseen_answers.rmse_of_others.n == 1
    assert "(too little for an interval)" in " ".join(one_more.caveats)
    assert one_more.as_json()["figures"]["unseen_answers"]["rmse_of_others"]["upper"] is None


def test_error_and_correlation_are_those_of_numpy() -> None:
    answers = class_test(each=5)
    rng = np.random.default_rng(1)
    grades = np.array([response.grade for response in answers])
    guesses = grades + rng.normal(0, 1, grades.size)
    values = scores(answers, {"grader": guesses, "constant": np.full(grades.size, grades.mean())})
    own = values["grader"]
    assert own.rmse.value == pytest.approx(np.sqrt(np.mean((guesses - grades) ** 2)))
    assert own.correlation.value == pytest.approx(np.corrcoef(guesses, grades)[0, 1])
    assert values["constant"].rmse.value == pytest.approx(grades.std())
    assert values["constant"].correlation.value is None
    gain = values["constant"].gain_of_grader
    assert gain is not None
    assert gain.value == pytest.approx(grades.std() - (own.rmse.value or 0))


def test_intervals_of_correlations_cover() -> None:
    """Correlation sqrt(1/2) by its definition; of 200 tables with 30 questions about 95% of intervals hold it (±4 errors)."""
    rng, hits = np.random.default_rng(5), 0
    for _ in range(200):
        effect = rng.normal(0, 1, 30).repeat(4)  # answers to one question are alike
        first = (effect + rng.normal(0, 1, 120)) / sqrt(2)
        second = (first + (rng.normal(0, 1, 30).repeat(4) + rng.normal(0, 1, 120)) / sqrt(2)) / sqrt(2)
        table = [GradedResponse(str(index // 4), "", float(grade)) for index, grade in enumerate(second)]
        hits += sqrt(0.5) in scores(table, {"grader": first})["grader"].correlation.interval
    assert 0.95 - 4 * sqrt(0.05 * 0.95 / 200) < hits / 200


def test_evidence_on_a_repeated_answer_is_its_grade() -> None:
    answers = [GradedResponse("q", text, grade) for text, grade in (("red", 1.0), ("blue", 0.0), ("green", 0.5))]
    lexicon = TermRarity([response.text for response in answers])
    evidence = GradedEvidence(answers, vectors_of(lexicon, answers))
    asked = [GradedResponse("q", "blue", 9.0), GradedResponse("other", "blue", 9.0)]
    known, unknown = evidence.about(asked, vectors_of(lexicon, asked))
    # mean with two answers of the mean of all added: (1.5 + 2 * 0.5) / 5; how many; the nearest's grade; a likeness of 2
    assert known[[0, 1, 6, 7]].tolist() == pytest.approx([0.5, 3, 0.0, 2.0])
    assert unknown.tolist() == [0.5, 0, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0]


def test_grades_that_test_answers_bear_are_not_looked_at() -> None:
    answers = class_test()
    grader = AnswerGrader().fit(answers[:100])
    test = answers[100:]
    hidden = [replace(response, grade=0.0) for response in test]
    assert grader.predict(test).tolist() == grader.predict(hidden).tolist()
    assert AnswerGrader().fit(answers[:100]).predict(test).tolist() == grader.predict(test).tolist()
    assert grader.predict([]).size == 0


def test_odd_texts_have_features() -> None:
    odd = [GradedResponse("", text, 1.0) for text in ("", "\x00", "?!", "a" * 50_000, "\u202e", "١٢")]
    rows = alone(TermRarity([response.text for response in odd]), odd)
    assert rows.shape[0] == 6
    assert np.isfinite(rows).all()
    assert np.isfinite(alone(TermRarity([""]), odd)).all()


def test_folds_are_a_partition() -> None:
    parts = folds(23, 5, 7)
    assert sorted(np.concatenate(parts).tolist()) == list(range(23))
    assert [part.tolist() for part in folds(23, 5, 7)] == [part.tolist() for part in parts]


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (class_test()[:49], "49 graded answers"),
        ([replace(response, question="q") for response in class_test()], "to 1 questions"),
        ([replace(response, grade=2.0) for response in class_test()], "all 140 grades are 2"),
    ],
)
def test_too_little_is_told(answers: list[GradedResponse], words: str) -> None:
    with pytest.raises(NotEnoughEvidence, match=words):
        grade_study(answers)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.skipif(not MOHLER.is_file(), reason="$VIVA_DATA does not name the research data folder")
def test_real_answers_are_graded_better_than_by_sentence_embeddings() -> None:
    """On unseen answers of Mohler's 2,442 a regression on MiniLM's sentence embeddings has .85 and .64, a constant 1.11."""
    study = grade_study(read_graded(MOHLER))
    answers, questions = study.unseen_answers.graders, study.unseen_questions.graders
    assert answers["grader"].rmse.interval.upper < 0.85
    assert answers["grader"].correlation.interval.lower > 0.64
    assert answers["constant"].rmse.value == pytest.approx(1.11, abs=0.01)
    assert questions["constant"].rmse.value == pytest.approx(1.11, abs=0.02)
    assert (questions["grader"].rmse.value or 9) < 1.0
    assert questions["constant"].gain_of_grader is not None
    assert questions["constant"].gain_of_grader.interval.lower > 0


def test_the_rest_takes_as_long_as_what_was_before() -> None:
    messages: list[str] = []
    seconds = iter([0, 10, 40, 100])  # begun; asked when the second, third and fourth part begin
    tell = _estimating(messages.append, 4, lambda: next(seconds))
    for number in count(1):
        tell(f"part {number}")
        if number == 4:
            break
    # 10 s for one part leave 3 x 10; 40 s for two leave 2 x 20; 100 s for three leave 33
    assert messages == ["part 1", "part 2; about 30 s left", "part 3; about 40 s left", "part 4; about 33 s left"]
