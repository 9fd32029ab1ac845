"""Flags, own answers and waves, against counts by hand; the yield by rank, against a planted ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.survey.belief_changes import score_survey
from vivavoce.generalization.survey.conduct import conduct_of, slope
from vivavoce.generalization.survey.held_out_yield import held_out_yield
from vivavoce.generalization.survey.responses import (
    PLANTED,
    FormSignals,
    SurveyResponse,
    flags_of,
    planted_word,
    read_responses,
)


def said(number: int, person: str, prior: float = 0.5, posterior: float = 0.5, **more: object) -> SurveyResponse:
    pair = BeliefPair(f"q{number}", f"z{number}", "a", "b", True, prior=prior, posterior=posterior, person=person)
    return replace(SurveyResponse(pair), **more)  # type: ignore[arg-type]


@given(st.text(max_size=500))
def test_whatever_a_form_says_of_itself_is_read_or_is_nothing(text: str) -> None:
    signals = FormSignals.read(text)
    assert signals is None or all(0 <= value <= 1_000_000 for value in asdict(signals).values())


@each_case("text", ["[" * 399, '{"pastes": true}', '{"pastes": "1"}', '{"other": 1}', '{"keys": 1000001}', '{"keys": 1.5}'])
def test_what_the_script_does_not_send_is_nothing(text: str) -> None:
    assert FormSignals.read(text) is None


@given(st.text(max_size=40))
def test_who_does_not_write_the_word_has_not_written_it(text: str) -> None:
    holds = planted_word("somebody") in text.lower()
    assert ("planted" in flags_of("somebody", closing=text)) <= holds


def test_every_word_is_planted_for_somebody() -> None:
    assert {planted_word(str(number)) for number in range(400)} == set(PLANTED)


def test_flags_are_counted_and_nobody_is_left_out() -> None:
    answers = [said(n, "a", posterior=0.6) for n in range(2)]
    answers += [said(n, "b", flags=frozenset({"pasted", "fast"})) for n in range(2)]
    answers += [said(n, "c") for n in range(2)]
    authenticity = conduct_of(answers, checked=True).authenticity
    assert authenticity is not None
    assert {name: estimate.value for name, estimate in authenticity.flagged.items()} == {
        "planted": 0.0, "pasted": 1 / 3, "fast": 1 / 3, "any": 1 / 3,
    }  # fmt: skip
    assert authenticity.unflagged_changed.value == 1 / 2  # of the four answers of those who are not flagged
    finding = score_survey([response.pair for response in answers], source="s", conduct=conduct_of(answers, checked=True))
    assert finding.changed.value == 1 / 3
    assert finding.as_json()["figures"]["conduct"]["authenticity"]["unflagged_changed"]["value"] == 1 / 2


def test_own_answers_stand_beside_beliefs() -> None:
    answers = [
        said(1, "a", 0.8, own_asked=True, own_right=True),
        said(2, "a", 0.4, own_asked=True, own_right=False),
        said(1, "b", 0.6, own_asked=True, own_right=True),
        said(2, "b", 0.6, own_asked=True, own_right=None),
        said(3, "c", 0.9),  # of another survey, which does not ask for own answers
    ]
    own = conduct_of(answers, checked=False).own_answers
    assert own is not None
    assert (own.right.value, own.right.n, own.unreadable) == (2 / 3, 3, 1)
    graded = [replace(response, own_right=bool(response.own_right)) for response in answers if response.own_asked]
    least = conduct_of(graded, checked=False).own_answers
    assert least is not None
    assert (least.right.value, least.right.interval.lower) == (1 / 2, own.right.interval.lower)
    assert own.before_right.value == pytest.approx(0.7)
    assert own.before_wrong.value == pytest.approx(0.4)
    assert own.difference.value == pytest.approx(0.4)
    assert own.difference.n == 1  # only the first has both


def test_the_trend_of_two_waves_is_their_difference() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.uniform(0.2, 0.6, 12), rng.uniform(0.3, 0.9, 30)
    estimate = slope(np.repeat([1.0, 2.0], [12, 30]), np.concatenate([first, second]))
    welch = scipy.stats.ttest_ind(second, first, equal_var=False)
    assert estimate.value is not None
    assert estimate.value == pytest.approx(second.mean() - first.mean())
    interval = estimate.interval
    # the standard error is Welch's; the degrees of freedom are n - 2
    assert (interval.upper - interval.lower) / 2 / 2.0211 == pytest.approx(estimate.value / welch.statistic, rel=1e-4)
    assert slope(np.ones(5), np.ones(5)).value is None


def test_waves_are_told_apart() -> None:
    answers = [said(n, f"{wave}{n}", 0.5, 0.5 + 0.1 * wave, wave=wave) for wave in (1, 2, 4) for n in range(3)]
    waves = conduct_of(answers, checked=False).waves
    assert waves is not None
    assert [(entry.wave, entry.people) for entry in waves.waves] == [(1, 3), (2, 3), (4, 3)]
    assert [entry.change.value for entry in waves.waves] == pytest.approx([0.1, 0.2, 0.4])
    assert waves.change_trend.value == pytest.approx(0.1)
    assert conduct_of(answers[:3], checked=False).waves is None


def test_columns_that_are_wrong_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    head = "q1,q2,source1,source2,previous_correct,prior,posterior,person,arm,wave,flags,own_right\n"
    file.write_text(head + "a,b,s,t,1,0.5,0.6,p,answers:2,3,pasted fast,0\na,b,s,t,1,0.5,0.6,p,,,,\n")
    first, second = read_responses(file)
    assert (first.arm, first.wave, first.flags, first.own_right) == ("answers:2", 3, frozenset({"pasted", "fast"}), False)
    assert (second.arm, second.wave, second.flags, second.own_right) == ("", 1, frozenset(), None)
    for wrong in ("nothing,1,,0", "plain,0,,0", "plain,1,rude,0", "plain,1,,7"):
        file.write_text(head + f"a,b,s,t,1,0.5,0.6,p,{wrong}\n")
        with pytest.raises(BadFile, match="line 2"):
            read_responses(file)


class _KnowingPredictor:
    """A predictor that knows the first question's number, if it has not been fitted to it."""

    def __init__(self, learnt: Sequence[BeliefPair]) -> None:
        self.learnt = {pair.q1 for pair in learnt}

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        assert not self.learnt & {pair.q1 for pair in pairs}, "judged by pairs that it was fitted to"
        return np.array([(int(pair.q1[1:]) + 1) / 1_000 for pair in pairs])

    def save(self, folder: Path) -> None:
        raise AssertionError("nobody keeps it")


def planted(pairs: int, people: int) -> list[BeliefPair]:
    """Pairs of which only the half with high numbers changes a belief."""
    return [replace(said(n, f"p{who}").pair, belief_change=n >= pairs // 2) for n in range(pairs) for who in range(people)]


def test_pairs_are_held_out_and_ranked() -> None:
    out_yield = held_out_yield(planted(100, 3), _KnowingPredictor, predictor="told", source="s", folds=5)
    assert [estimate.value for estimate in out_yield.tenths[:4]] == [1.0] * 4
    assert [estimate.value for estimate in out_yield.tenths[6:]] == [0.0] * 4
    assert sum(estimate.n for estimate in out_yield.tenths) == 300
    assert (out_yield.overall.value, out_yield.pairs, out_yield.seen) == (0.5, 100, 0)
    assert out_yield.tenths[0].interval.lower < 1


def test_pairs_of_the_fit_are_left_out() -> None:
    pairs = planted(60, 2)
    earlier = [pair for pair in pairs if int(pair.q1[1:]) % 3 == 0]
    out_yield = held_out_yield(pairs, _KnowingPredictor, predictor="told", source="s", earlier=earlier)
    assert (out_yield.pairs, out_yield.seen, out_yield.folds) == (40, 20, None)
    assert out_yield.tenths[0].value == 1.0
    unlabelled = [replace(pair, belief_change=None, posterior=None) for pair in earlier]
    with pytest.raises(NotEnoughEvidence, match="none of 40 earlier answers has"):
        held_out_yield(pairs, _KnowingPredictor, predictor="told", source="s", earlier=unlabelled)
    with pytest.raises(NotEnoughEvidence, match="nine held-out pairs"):
        held_out_yield(planted(9, 2), _KnowingPredictor, predictor="told", source="s")
    with pytest.raises(BadInput, match="5 folds of 40 pairs"):
        held_out_yield(planted(40, 2), _KnowingPredictor, predictor="told", source="s", folds=5)
