"""Flags and own answers, against counts by hand."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.survey.belief_changes import score_survey
from vivavoce.generalization.survey.conduct import conduct_of
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


def test_columns_that_are_wrong_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    head = "q1,q2,source1,source2,previous_correct,prior,posterior,person,flags,own_right\n"
    file.write_text(head + "a,b,s,t,1,0.5,0.6,p,pasted fast,0\na,b,s,t,1,0.5,0.6,p,,\n")
    first, second = read_responses(file)
    assert (first.flags, first.own_right) == (frozenset({"pasted", "fast"}), False)
    assert (second.flags, second.own_right) == (frozenset(), None)
    for wrong in ("rude,0", ",7"):
        file.write_text(head + f"a,b,s,t,1,0.5,0.6,p,{wrong}\n")
        with pytest.raises(BadFile, match="line 2"):
            read_responses(file)
