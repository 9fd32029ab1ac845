"""Grades: by the rule of a scope, and how well two graders agree."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.certificate.graders.grades import agreement_of
from vivavoce.errors import NotEnoughEvidence
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.scope import Grade
from vivavoce.scopes.questions import Question, prompt
from vivavoce.scopes.score import as_wrong, grade, unit_mean
from vivavoce.statistics.agreement import krippendorff_alpha
from vivavoce.statistics.confidence_sequences import mean_bounds

CAPITAL = Question("q", "Capital of Italy?", ("Milan", "Rome", "Oslo"), ("B",), dont_know_score=0.25, unacceptable=("C",))
SUM = Question("s", "What is 200 + 300?", accepted=("500",), plausible=(5, 50_000))
WORDS = Question("w", "Who found radium?", accepted=("Marie Curie", "Curie"), unacceptable=("Napoleon", "I don't know"))


@each_case(
    ("question", "reply", "score", "unacceptable", "outcome", "read_as"),
    [
        (CAPITAL, "Answer: B", 1.0, False, Outcome.ANSWER, "B"),
        (CAPITAL, "Answer: A", 0.0, False, Outcome.ANSWER, "A"),
        (CAPITAL, "Answer: C", 0.0, True, Outcome.ANSWER, "C"),
        (CAPITAL, "Answer: I don't know", 0.25, False, Outcome.DONT_KNOW, "I don't know"),
        (CAPITAL, "A or B", 0.0, False, Outcome.UNREADABLE, ""),
        (SUM, "Answer: 500.0", 1.0, False, Outcome.ANSWER, "500.0"),
        (SUM, "Answer: 501", 0.0, False, Outcome.ANSWER, "501"),
        (SUM, "Answer: 50,001", 0.0, True, Outcome.ANSWER, "50001"),
        (SUM, "Answer: -500", 0.0, True, Outcome.ANSWER, "-500"),
        (SUM, "a lot", 0.0, False, Outcome.UNREADABLE, ""),
        (WORDS, "Answer: **marie  curie**.", 1.0, False, Outcome.ANSWER, "marie curie"),
        (WORDS, "The answer is Curie. She was a chemist.", 1.0, False, Outcome.ANSWER, "Curie"),
        (WORDS, "Napoleon", 0.0, True, Outcome.ANSWER, "Napoleon"),
        (WORDS, "I don't know", 0.0, True, Outcome.DONT_KNOW, "I don't know"),
    ],
)
def test_grades(question: Question, reply: str, score: float, unacceptable: bool, outcome: Outcome, read_as: str) -> None:
    unread = outcome is Outcome.UNREADABLE
    assert grade(question, Reply(reply)) == Grade(score, unacceptable, outcome, read_as, upper=1.0 if unread else None)
    # Definition 3.1: with a score of exactly 0, and only then, an answer is unacceptable; what nobody can read may be.
    strict = grade(question, Reply(reply), zero_is_unacceptable=True)
    assert (strict.unacceptable, strict.maybe_unacceptable) == (score == 0 and not unread, unread)
    assert as_wrong(strict).unacceptable is (score == 0)
    assert as_wrong(strict).upper_score == score


def test_no_answer_scores_zero_and_is_not_unacceptable_by_itself() -> None:
    assert grade(CAPITAL, NoAnswer("time-out")) == Grade(0.0, False, Outcome.NO_ANSWER)
    assert grade(CAPITAL, NoAnswer("time-out"), zero_is_unacceptable=True).unacceptable


def test_a_letter_given_in_free_text_is_compared_as_text() -> None:
    assert grade(Question("q", "Which note is at 440 Hz?", accepted=("A",)), Reply("Answer: a")).score == 1


def test_the_prompt_names_the_question_and_how_to_answer() -> None:
    assert prompt(SUM).id == "s"
    assert [full_prompt(prompt(question)).text.rpartition('"Answer:" ')[2] for question in (SUM, CAPITAL, WORDS)] == [
        "and gives the number alone.",
        "and gives the letter of one option alone.\nIf you do not know, say so.",  # it is worth something
        "and gives your answer alone.\nIf you do not know, say so.",  # it is unacceptable
    ]
    assert "(C) Oslo" in prompt(CAPITAL).text


def test_unit_mean_by_hand() -> None:
    # (2·1 + 1·0 + 1·½) / 4 = 0.625, and one unacceptable answer of weight 1 in 4.
    grades = [Grade(1.0, False), Grade(0.0, True), Grade(0.5, False)]
    assert unit_mean(grades, [2, 1, 1]) == (0.625, 0.25, 0.625, 0.25)
    # a fourth of weight 4 that nobody can read: (2.5 + 0)/8 to (2.5 + 4)/8, and 1/8 to 5/8 unacceptable
    grades.append(Grade(0.0, False, Outcome.UNREADABLE, upper=1.0, maybe_unacceptable=True))
    assert unit_mean(grades, [2, 1, 1, 4]) == (0.3125, 0.125, 0.8125, 0.625)
    with pytest.raises(ValueError, match="at least one"):
        unit_mean([], [])
    with pytest.raises(ValueError, match="shorter"):
        unit_mean(grades, [1])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(1e-3, 1e3)), min_size=1, max_size=20))
def test_unit_means_lie_between_the_grades(rows: list[tuple[float, bool, float]]) -> None:
    grades, weights = [Grade(score, unacceptable) for score, unacceptable, _ in rows], [weight for *_, weight in rows]
    score, unacceptable, *most = unit_mean(grades, weights)
    assert most == [score, unacceptable]
    assert min(g.score for g in grades) - 1e-9 <= score <= max(g.score for g in grades) + 1e-9
    assert -1e-9 <= unacceptable <= 1 + 1e-9


JUDGE = (0.9, 0.8, 0.3, 1.0, 0.0, 0.55, 0.7, 0.2, 0.95, 0.1)
PEOPLE = (1.0, 0.5, 0.2, 1.0, 0.0, 0.6, 1.0, 0.0, 0.9, 0.0)
SAID = (False, False, False, False, True, False, False, True, True, False)
MEANT = (False, False, False, False, True, False, False, True, False, True)
PAIRS = [(Grade(a, b), Grade(c, d)) for a, b, c, d in zip(JUDGE, SAID, PEOPLE, MEANT, strict=True)]


def test_numbers_by_hand_and_by_scipy() -> None:
    agreement = agreement_of(PAIRS)
    assert agreement.answers == 10
    # -.1 +.3 +.1 +0 +0 -.05 -.3 +.2 +.05 +.1 = .3, over ten
    assert agreement.difference.value == pytest.approx(0.03)
    bounds = mean_bounds([(a - c + 1) / 2 for a, c in zip(JUDGE, PEOPLE, strict=True)], 0.05)
    assert (agreement.difference.interval.lower, agreement.difference.interval.upper) == pytest.approx(
        (2 * bounds.lower - 1, 2 * bounds.upper - 1)
    )
    assert agreement.close.value == pytest.approx(0.7)  # all but .3, -.3 and .2; .1 apart is close
    for estimate, hits, n in ((agreement.unacceptable_sensitivity, 2, 3), (agreement.unacceptable_specificity, 6, 7)):
        exact = scipy.stats.binomtest(hits, n).proportion_ci(0.95, method="exact")
        assert estimate.value == pytest.approx(hits / n)
        assert (estimate.interval.lower, estimate.interval.upper) == pytest.approx((exact.low, exact.high))
        assert estimate.n == n


def test_alpha_by_hand() -> None:
    # differences squared: .01 + .09 + .01 + 0 + 0 + .0025 + .09 + .04 + .0025 + .01 = .255, over ten answers; all 20 scores add
    # up to 10.7 and their squares to 8.745, so two of them differ by 2 (8.745 - 10.7^2 / 20) / 19 on average, squared
    alpha = agreement_of(PAIRS).krippendorff_alpha
    assert alpha.value is not None
    assert alpha.value == pytest.approx(1 - (0.255 / 10) / (2 * (8.745 - 10.7**2 / 20) / 19))
    assert alpha.n == 10
    assert alpha.interval.lower < alpha.value < alpha.interval.upper < 1


@given(st.lists(st.booleans(), min_size=3, max_size=40).filter(lambda grades: 0 < sum(grades) < len(grades)), st.randoms())
def test_alpha_of_equally_many_passes_is_cohens_kappa_by_scikit_learn(grades: list[bool], random: Random) -> None:
    from sklearn.metrics import cohen_kappa_score  # type: ignore[import-untyped]

    others = random.sample(grades, len(grades))
    alpha = krippendorff_alpha(np.array(grades, dtype=float), np.array(others, dtype=float)).value
    assert alpha is not None
    # alpha has a correction for few answers: its expected disagreement is of 2n scores drawn without replacement
    assert 1 - (1 - alpha) / (1 - 1 / (2 * len(grades))) == pytest.approx(cohen_kappa_score(grades, others))


def test_alpha_of_perfect_agreement_has_a_lower_end_of_clopper_and_pearson() -> None:
    # Of five right and five wrong answers on which both agree, up to 31% may be disagreements (binomial): with equal shares
    # alpha is 1 - 2 x .31, and resampled shares make it less sure.
    scores = np.repeat([0.0, 1.0], 5)
    alpha = krippendorff_alpha(scores, scores)
    assert (alpha.value, alpha.interval.upper) == (1, 1)
    assert alpha.interval.lower == pytest.approx(
        1 - 2 * scipy.stats.binomtest(0, 10).proportion_ci(0.95, method="exact").high, abs=0.1
    )


def test_what_cannot_be_known_is_not_a_number() -> None:
    agreement = agreement_of([(Grade(0.5, False), Grade(0.5, False))] * 5)
    assert agreement.krippendorff_alpha.value is None
    assert (agreement.krippendorff_alpha.interval.lower, agreement.krippendorff_alpha.interval.upper) == (-1.0, 1.0)
    assert agreement_of([(Grade(0.5, False), Grade(1.0, False))]).krippendorff_alpha.value is None
    assert agreement.unacceptable_sensitivity.value is None
    assert (agreement.unacceptable_sensitivity.interval.lower, agreement.unacceptable_sensitivity.interval.upper) == (0.0, 1.0)
    assert agreement.krippendorff_alpha.value is None
    with pytest.raises(NotEnoughEvidence):
        agreement_of([])
