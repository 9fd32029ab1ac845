"""Own answers, against counts by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.survey.responses import SurveyResponse, own_answers_of, read_responses


def said(number: int, person: str, prior: float = 0.5, posterior: float = 0.5, **more: object) -> SurveyResponse:
    pair = BeliefPair(f"q{number}", f"z{number}", "a", "b", True, prior=prior, posterior=posterior, person=person)
    return replace(SurveyResponse(pair), **more)  # type: ignore[arg-type]


def test_own_answers_stand_beside_beliefs() -> None:
    answers = [
        said(1, "a", 0.8, own_asked=True, own_right=True),
        said(2, "a", 0.4, own_asked=True, own_right=False),
        said(1, "b", 0.6, own_asked=True, own_right=True),
        said(2, "b", 0.6, own_asked=True, own_right=None),
        said(3, "c", 0.9),  # of another survey, which does not ask for own answers
    ]
    own = own_answers_of(answers)
    assert own is not None
    assert (own.right.value, own.right.n, own.unreadable) == (2 / 3, 3, 1)
    graded = [replace(response, own_right=bool(response.own_right)) for response in answers if response.own_asked]
    least = own_answers_of(graded)
    assert least is not None
    assert (least.right.value, least.right.interval.lower) == (1 / 2, own.right.interval.lower)
    assert own.before_right.value == pytest.approx(0.7)
    assert own.before_wrong.value == pytest.approx(0.4)
    assert own.difference.value == pytest.approx(0.4)
    assert own.difference.n == 1  # only the first has both


def test_columns_that_are_wrong_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    head = "q1,q2,source1,source2,previous_correct,prior,posterior,person,own_right\n"
    file.write_text(head + "a,b,s,t,1,0.5,0.6,p,0\na,b,s,t,1,0.5,0.6,p,\n")
    first, second = read_responses(file)
    assert first.own_right is False
    assert second.own_right is None
    file.write_text(head + "a,b,s,t,1,0.5,0.6,p,7\n")
    with pytest.raises(BadFile, match="line 2"):
        read_responses(file)
