"""The modern regressor: quality from ratings and grades, checked on planted people."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy
from scipy.special import expit, logit

from tests.each_case import each_case
from tests.generalization.predictors.tiny_models import tiny_sentences
from tests.luna.predict.people import made_people
from vivavoce.embeddings.neural import open_sentences
from vivavoce.errors import BadInput, MissingExtra, NotEnoughEvidence
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, people_of
from vivavoce.luna.predict.modern import (
    DistinctAnswers,
    ModernRegressor,
    PriorStrength,
    QualityFit,
    TermSpace,
    _of_grades,
    _of_ratings,
    read,
    weights,
)
from vivavoce.luna.predict.predictor import FloatArray
from vivavoce.luna.predict.predictors import predictor

RNG = np.random.default_rng(5)
ALONE = DistinctAnswers([np.eye(2), np.eye(2)], np.zeros(4), np.array([[0, 0, 1, 1] * 5, [2, 3, 2, 3] * 5]))
"""Two questions with two answers each that have nothing in common; everybody in all four ways."""


@pytest.mark.parametrize("loss", [_of_ratings, _of_grades])
def test_derivatives_are_those_of_small_steps(loss: Callable[..., Any]) -> None:
    logits, logarithms = RNG.normal(size=(3, 4)), RNG.normal(size=3)
    values = RNG.random(4) if loss is _of_ratings else RNG.random((3, 4))
    _, by_answer, by_weight = loss(logits, values, logarithms)

    def at(flat: FloatArray) -> float:
        return float(loss(flat[:12].reshape(3, 4), values, flat[12:])[0])

    steps = scipy.optimize.approx_fprime(np.concatenate([logits.ravel(), logarithms]), at, 1e-6)
    assert np.concatenate([by_answer.ravel(), by_weight]) == pytest.approx(steps, rel=1e-3, abs=1e-3)


def test_weights_of_questions_have_the_sum_1() -> None:
    assert weights(np.array([0.0, np.log(3)])) == pytest.approx([0.25, 0.75])
    assert weights(np.array([1000.0, 1000.0])) == pytest.approx([0.5, 0.5])


def test_quality_is_found_from_ratings_alone() -> None:
    """Of both questions the first answer is worth .9, the second .2 and .4; each rating is the mean of two."""
    worth = np.array([0.9, 0.2, 0.9, 0.4])
    ratings = worth[ALONE.places].mean(axis=0)
    fit = QualityFit(ALONE)
    answer_quality = fit.fit(np.arange(20), ratings, PriorStrength(1e-4, inf))
    assert fit.ratings(answer_quality, np.arange(4)) == pytest.approx(ratings[:4], abs=0.01)
    assert answer_quality.questions == pytest.approx([0.5, 0.5])
    # a rating tells the sum alone; that an answer is better than another of the same question by how much, it tells
    logits = np.concatenate([terms + level for terms, level in zip(answer_quality.terms, answer_quality.levels, strict=True)])
    quality = expit(logits)
    assert quality[0] - quality[1] == pytest.approx(0.7, abs=0.03)
    assert quality[2] - quality[3] == pytest.approx(0.5, abs=0.03)


def test_quality_is_found_from_grades() -> None:
    """Without a hold on it, quality is the share of right answers: 4 of 5 for one, 1 of 5 for the other."""
    grades = np.vstack([np.tile([1, 1, 0, 0], 5), np.ones(20)]).astype(float)
    grades[0, 0] = 0.0
    grades[0, 2] = 1.0
    quality = QualityFit(ALONE).fit(np.arange(20), grades, PriorStrength(1e-6, inf))
    assert quality.terms[0] + quality.levels[0] == pytest.approx(logit([0.9, 0.1]), abs=0.05)


def test_the_weight_of_a_question_is_learnt_where_it_may_be() -> None:
    worth = np.array([0.95, 0.05, 0.95, 0.05])
    ratings = np.array([0.9, 0.1]) @ worth[ALONE.places]
    quality = QualityFit(ALONE).fit(np.arange(20), ratings, PriorStrength(0.3, 0.01))
    assert quality.questions[0] > 0.7
    assert QualityFit(ALONE).fit(np.arange(20), ratings, PriorStrength(0.3, inf)).questions[0] == 0.5


def test_fits_to_some_people_see_no_others() -> None:
    ratings = np.linspace(0, 1, 20)
    some = np.arange(8)
    whole = QualityFit(ALONE).fit(some, ratings[some], PriorStrength(0.1, 0.1))
    part = QualityFit(DistinctAnswers(ALONE.likeness, ALONE.nearness, ALONE.places[:, some])).fit(
        some, ratings[some], PriorStrength(0.1, 0.1)
    )
    assert np.array_equal(whole.levels, part.levels)


LEARN, TEST = made_people(40, seed=1), made_people(40, seed=2)


@cache
def error(name: str) -> float:
    predict = predictor(name).fit(LEARN).predict(TEST.unrated())
    return float(np.sqrt(np.mean((predict - np.array(list(TEST.ratings.values()))) ** 2)))


def test_it_is_ahead_of_the_thesis_and_grades_help() -> None:
    assert error("modern") < error("modern?from=ratings") < 0.7 * error("com")
    assert error("com") < error("constant")


def test_ratings_alone_are_what_it_learns_from_where_there_are_no_grades() -> None:
    few, new = made_people(12), TEST.unrated()
    of_ratings = predictor("modern?from=ratings").fit(few)
    assert np.array_equal(predictor("modern").fit(few.without_grades()).predict(new), of_ratings.predict(new))


def test_quality_tells_right_answers_from_wrong_ones_that_it_learnt_from_ratings() -> None:
    model = ModernRegressor(from_ratings=True).fit(LEARN)
    table = people_of(
        [
            PersonAnswer("a", "First month?", "the month of january"),
            PersonAnswer("b", "First month?", "no idea 77"),
            PersonAnswer("b", "New?", "?"),
        ]
    )
    right, wrong = model.qualities(table)[model.names.index("First month?")]
    assert right > 0.8 > 0.5 > wrong


def test_the_questions_that_make_the_rating_are_found() -> None:
    """Five questions more that nobody's rating depends on."""
    rng = np.random.default_rng(3)
    idle = [
        PersonAnswer(person, f"idle {number}", ("yes", "no", "perhaps")[rng.integers(3)])
        for person in LEARN.people
        for number in range(5)
    ]
    table = people_of([*LEARN.without_grades().answers, *idle], LEARN.ratings)
    model = ModernRegressor().fit(table)
    assert model.shares[:4].sum() > 0.7
    assert model.shares.sum() == pytest.approx(1)


def test_what_was_left_out_counts_as_empty() -> None:
    few = made_people(16, seed=1)
    learn = PeopleTable(few.answers[1:], few.ratings)
    empty = PeopleTable((PersonAnswer("p0", few.questions[0], "", 0.0), *few.answers[1:]), few.ratings)
    assert ModernRegressor(from_ratings=True).fit(learn).predict(TEST.unrated()) == pytest.approx(
        ModernRegressor(from_ratings=True).fit(empty).predict(TEST.unrated()), abs=0.02
    )


def test_a_space_is_that_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer  # type: ignore[import-untyped]

    texts = read(["Bill of Rights", "the bill", "no idea!", ""])
    space, rows = TermSpace.of(texts, np.array([3.0, 1.0, 1.0, 1.0]))
    words = TfidfVectorizer(token_pattern=r"\S+", ngram_range=(1, 2), sublinear_tf=True).fit_transform(texts).toarray()
    groups = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True).fit_transform(texts).toarray()
    assert rows.toarray() == pytest.approx(np.hstack([words, groups]) / np.sqrt(2))
    assert np.array_equal(space.rows(texts).toarray(), rows.toarray())
    # the mean likeness of groups to all six people's answers
    mean = groups @ (groups * np.array([[3], [1], [1], [1]])).sum(axis=0) / 6
    assert space.nearness(rows) == pytest.approx(np.log(0.01 + mean))


def test_no_words_at_all_are_no_reason_to_fail() -> None:
    marks = people_of([PersonAnswer(f"p{n}", "q", "?" * n, n / 11) for n in range(12)])
    model = ModernRegressor().fit(marks)
    assert 0 <= model.predict(marks.unrated())[0] <= 1
    assert np.array_equal(ModernRegressor().from_state(model.state()).predict(marks), model.predict(marks))


def test_too_few_people_are_refused() -> None:
    with pytest.raises(NotEnoughEvidence, match="9 people with ratings"):
        ModernRegressor().fit(made_people(9))


@each_case(
    "wrong",
    [
        {"shares": [0.5, 0.5]},
        {"shares": [0.7, 0.1, 0.1, 0.2]},
        {"slope": float("inf")},
        {"names": ["a", "a", "b", "c"]},
        {"questions": []},
    ],
)
def test_states_of_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match="state of 'modern'"):
        ModernRegressor().from_state({**ModernRegressor().fit(made_people(10)).state(), **wrong})


@each_case(("part", "value"), [("weights", [1.0]), ("level", float("nan")), ("rarity", [1.0]), ("terms", [["b", "a"], []])])
def test_states_of_no_question_are_refused(part: str, value: object) -> None:
    state = ModernRegressor().fit(made_people(10)).state()
    state["questions"][0][part] = value
    with pytest.raises(BadInput, match="the state of a"):
        ModernRegressor().from_state(state)


@pytest.mark.neural
def test_sentence_embeddings_count_where_they_are_installed(tmp_path: Path) -> None:
    """A tiny random network: what is learnt uses it, round-trips exactly, and keeps to that very model."""
    pytest.importorskip("transformers")
    folder = tiny_sentences(tmp_path / "tiny", pooling_mode_mean_tokens=True)
    model = ModernRegressor(embeddings=str(folder)).fit(LEARN)
    assert all(question.meaning.shape == (32,) and question.meaning.any() for question in model.questions)
    predict = model.predict(TEST.unrated())
    assert not np.array_equal(predict, ModernRegressor().fit(LEARN).predict(TEST.unrated()))
    again = ModernRegressor().from_state(model.state())
    assert np.array_equal(again.predict(TEST.unrated()), predict)
    # by hand: the logit without the embedding, and the embedding's part
    question, embed = model.questions[0], open_sentences(str(folder)).embed
    texts = read(["January", "no idea 7"])
    bare = question.logits(texts, model.slope, lambda some: np.zeros((len(some), 32)))
    assert question.logits(texts, model.slope, embed) == pytest.approx(bare + embed(texts) @ question.meaning)


@pytest.mark.parametrize("named", ["some/model", "", "./folder?weights="])
def test_a_state_must_pin_the_embedding_that_it_knows(named: str) -> None:
    state = ModernRegressor().fit(made_people(10)).state()
    state["embeddings"] = named
    for question in state["questions"]:
        question["meaning"] = np.ones(3) if "weights" not in named else np.zeros(0)
    with pytest.raises(BadInput, match="the embedding of"):
        ModernRegressor().from_state(state)


def test_embeddings_need_their_extra() -> None:
    if find_spec("transformers"):
        pytest.skip("transformers is installed")
    with pytest.raises(MissingExtra, match=r"vivavoce\[neural\]"):
        predictor("modern?embeddings=./minilm").fit(LEARN)
