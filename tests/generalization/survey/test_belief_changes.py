"""Figures of surveys: changes of belief against counts by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy

from vivavoce.errors import BadInput
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.survey.belief_changes import score_survey
from vivavoce.generalization.survey.cards import sample_stage
from vivavoce.generalization.survey.cards import weighted_share as independent_share
from vivavoce.generalization.survey.responses import weighted_share


def belief_answer(number: int, prior: float | None, posterior: float | None, right: bool = True, **more: Any) -> BeliefPair:
    """An answer of a person of its own about a pair of its own."""
    pair = BeliefPair(f"q{number}", f"z{number}", "a", "b", right, prior=prior, posterior=posterior, person=f"p{number}")
    return replace(pair, **more)


BY_HAND = [
    belief_answer(1, 0.5, 0.5),
    belief_answer(2, 0.5, 0.62),
    belief_answer(3, 0.0, 1.0),
    belief_answer(4, 0.65, 0.6, right=False),
    belief_answer(5, 1.0, 0.99, right=False),
    belief_answer(6, 0.3, 0.7, right=False),
    belief_answer(7, 0.2, None, right=False),
]


def test_figures_counted_by_hand() -> None:
    finding = score_survey(BY_HAND, source="hand")
    assert (finding.unfinished, finding.people, finding.distinct) == (1, 6, 6)
    # 5 of 6; Clopper and Pearson's interval by scipy
    assert finding.changed.value == 5 / 6
    assert finding.changed.interval.lower == pytest.approx(scipy.stats.beta.ppf(0.025, 5, 2))
    assert finding.changed.interval.upper == pytest.approx(scipy.stats.beta.ppf(0.975, 6, 1))
    assert (finding.after_right.risen.value, finding.after_right.fallen.value) == (2 / 3, 0.0)
    assert (finding.after_wrong.risen.value, finding.after_wrong.fallen.value) == (1 / 3, 2 / 3)
    assert finding.after_wrong.posterior.value == pytest.approx((0.6 + 0.99 + 0.7) / 3)
    spread = finding.spread
    assert spread is not None
    assert spread.prior.value == pytest.approx((0.5 + 0.5 + 0 + 0.65 + 1 + 0.3) / 6)
    assert spread.change.value == pytest.approx((0 + 0.12 + 1 - 0.05 - 0.01 + 0.4) / 6)
    assert spread.slight.value == 2 / 5  # .05 and .01 of five changes
    assert spread.priors == (1, 0, 0, 1, 0, 2, 1, 0, 0, 1)
    assert spread.posteriors == (0, 0, 0, 0, 0, 1, 2, 1, 0, 2)
    # from -1 to 1: two fell by up to .1; one stayed; one rose by .12, one by .4, one by 1
    assert spread.changes == (0,) * 9 + (2,) + (1,) + (0, 1, 0, 1, 0, 0, 0, 0, 0, 1)


def test_every_percent_falls_into_its_own_tenth() -> None:
    answers = [belief_answer(number, number / 100, number / 100) for number in range(101)]
    spread = score_survey(answers, source="all").spread
    assert spread is not None
    assert spread.priors == (10,) * 9 + (11,)  # 0 to 9, 10 to 19 ... 90 to 100
    moved = [belief_answer(number, 0.0, number / 100) for number in range(1, 101)]
    spread = score_survey(moved, source="all").spread
    assert spread is not None
    assert spread.changes == (0,) * 11 + (10,) * 10  # 1 to 10, 11 to 20 ...


def test_where_only_changes_are_known_nothing_is_made_up() -> None:
    answers = [belief_answer(number, None, None, belief_change=number < 3) for number in range(10)]
    finding = score_survey(answers, source="labels")
    assert finding.changed.value == 0.3
    assert finding.spread is None
    assert finding.after_right.risen.value is None
    assert finding.after_wrong.changed.value is None
    assert "Only changes are known" in " ".join(finding.caveats)
    assert json.loads(json.dumps(finding.as_json(), allow_nan=False))["figures"]["spread"] is None


def test_nothing_to_count_is_said() -> None:
    with pytest.raises(BadInput, match="one answer without a change"):
        score_survey([belief_answer(1, 0.5, None)], source="x")


def test_one_person_has_no_interval() -> None:
    answers = [belief_answer(number, 0.5, 0.5 + number % 2 / 10, person="one") for number in range(10)]
    finding = score_survey(answers, source="x")
    assert finding.changed.value == 0.5
    assert (finding.changed.interval.lower, finding.changed.interval.upper) == (0.0, 1.0)


def test_stages_stand_apart_and_in_order() -> None:
    answers = [
        belief_answer(number, 0.5, 0.6 if number % 10 < stage else 0.5, stage=stage)
        for stage in (10, 2)
        for number in range(10)
    ]
    answers.append(belief_answer(99, 0.5, 0.5))
    finding = score_survey(answers, source="x")
    assert [(shares.stage, shares.changed.value, shares.changed.n) for shares in finding.stages] == [
        (2, 0.2, 10),
        (10, 1.0, 10),
        (None, 0.0, 1),
    ]
    assert "in stage 2 and 100%" in finding.statement
    assert [shares.weighted for shares in finding.stages] == [None] * 3


@pytest.mark.long
def test_weights_undo_the_choice_and_their_interval_covers() -> None:
    # a pool of 2000 pairs: the top tenth changes beliefs in 60 of 100 cases, the rest in 15
    rng = np.random.default_rng(5)
    chances = np.arange(2000) / 2000
    rates = np.where(chances >= 0.9, 0.6, 0.15)
    truth = float(rates.mean())  # .195
    values, covered, alike = [], 0, []
    for _ in range(300):
        draw = sample_stage(chances, 300, rng=rng)
        answers = [
            belief_answer(
                int(index),
                None,
                None,
                belief_change=bool(rng.random() < rates[index]),
                weight=float(weight),
                person=f"p{k % 150}",
            )
            for k, (index, weight) in enumerate(zip(draw.indices, draw.weights, strict=True))
        ]
        estimate = weighted_share(answers)
        assert estimate.value is not None
        values.append(estimate.value)
        covered += truth in estimate.interval
        other = independent_share([bool(pair.changed) for pair in answers], [pair.weight for pair in answers])
        alike.append(estimate.value == pytest.approx(other.value))
    assert all(alike)  # the same ratio, by another formula
    # standard error of the mean of 300: .0022
    assert np.mean(values) == pytest.approx(truth, abs=0.007)
    # binomial with n = 300, p = .95: three standard deviations are 11
    assert covered >= 274


def test_answers_that_are_all_alike_are_no_certainty() -> None:
    finding = score_survey([belief_answer(n, 0.5, 0.6) for n in range(40)], source="x")
    assert finding.spread is not None
    # an event never seen in 40 answers may have a share of 1 - .025^(1/40), and be as far off as can be: 0 and 1, -1 and 1
    unseen = 1 - 0.025 ** (1 / 40)
    posterior, change = finding.spread.posterior.interval, finding.spread.change.interval
    assert (posterior.lower, posterior.upper) == pytest.approx((0.6 * (1 - unseen), 0.6 + 0.4 * unseen))
    assert (change.lower, change.upper) == pytest.approx((0.1 - 1.1 * unseen, 0.1 + 0.9 * unseen))


def test_people_who_agree_with_themselves_make_intervals_wider() -> None:
    # half of 40 people always change, the others never: as good as 40 answers, not 400
    answers = [belief_answer(100 * who + k, 0.5, 0.5 + who % 2 / 10, person=f"p{who}") for who in range(40) for k in range(10)]
    interval = score_survey(answers, source="x").changed.interval
    assert interval.lower == pytest.approx(scipy.stats.beta.ppf(0.025, 20, 21), abs=0.02)
    assert interval.upper == pytest.approx(scipy.stats.beta.ppf(0.975, 21, 20), abs=0.02)


def test_the_end_of_respondents_is_told() -> None:
    counts = {"begun": 9, "agreed": 7, "done": 5, "failed": 1, "withdrawn": 1, "unfinished": 2}
    finding = score_survey(BY_HAND, source="x", counts=counts)
    assert "3 of 9 respondents stopped, have not finished yet, or withdrew." in finding.caveats
