"""What the finding says, and which contradictions it shows first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.consistency.legal.bail.test_score import HEARINGS, MILDER, NO, PRIORS, WORSE, YES, hearing
from vivavoce.consistency.legal.bail.config import BailConfig
from vivavoce.consistency.legal.bail.counterfactuals import Counterfactual, Feature
from vivavoce.consistency.legal.bail.decisions import Decision, judgement
from vivavoce.consistency.legal.bail.defendants import Defendant, Degree, Record
from vivavoce.consistency.legal.bail.finding import BailConsistency, Reach, gravity
from vivavoce.consistency.legal.bail.hearing import Hearing, Pair
from vivavoce.consistency.legal.bail.score import count_hearings
from vivavoce.interview.candidate import Usage
from vivavoce.interview.finding import Signature

RECORD = Record("Male", 30, "Theft", Degree.MISDEMEANOUR, 5, 0, 0)


def finding(hearings: list[Hearing]) -> BailConsistency:
    number = len(hearings)
    return BailConsistency(
        candidate="bot:judge",
        source="made up",
        counts=count_hearings(hearings),
        reach=Reach(number, number, number, ""),
        config=BailConfig(temperature=0.5),
        pairs=tuple(pair for one in hearings for pair in one.pairs),
        spending=Usage(),
        signature=Signature("0.1.0", "consistency/bail", "bot:judge", "made up", "", 0, {}),
    )


def test_the_sentences_tell_defendants_blatant_ones_and_chance() -> None:
    # by hand in test_score: 4 of 5 defendants; a wins bail, b loses it; 1 of 3 asked again, so a sixth of pairs by chance
    found = finding(HEARINGS)
    assert found.headline.startswith("bot:judge contradicts itself on 4 of 5 defendants, 80% [28, 100]:")
    assert found.basis.startswith("1 would be refused bail and get it with a worse record; 1 would get bail")
    assert "decided otherwise in 1 of 3 cases: chance alone would make 17%" in found.beside
    assert "56%" in found.beside  # 5 of 9 pairs
    assert found.statement == f"{found.headline} {found.basis} {found.beside}"


def test_without_a_control_nothing_is_said_of_chance_but_that_it_is_unknown() -> None:
    found = finding([replace(one, again=None) for one in HEARINGS])
    assert found.beside == ""
    assert any("No record was judged twice" in caveat for caveat in found.caveats)
    assert not any(
        "No record was judged twice" in caveat for caveat in replace(found, config=BailConfig(temperature=0.0)).caveats
    )


def test_one_defendant_is_said_in_the_singular() -> None:
    assert "on any of 1 defendant (" in finding([hearing("a", NO, [(WORSE, (PRIORS,), NO), (MILDER, (PRIORS,), YES)])]).headline


def pair(other: Record, said: Decision, *, name: str = "x") -> Pair:
    return Pair(Defendant(name, RECORD), Counterfactual(WORSE, (Feature.PRIORS,), other), judgement([NO]), judgement([said]))


@pytest.mark.parametrize(
    ("other", "said", "expected"),
    [
        (replace(RECORD, priors=6), YES, (True, 1)),
        (replace(RECORD, priors=8, juvenile_felonies=2), YES, (True, 5)),
        (replace(RECORD, degree=Degree.FELONY), YES, (True, 3)),
        (replace(RECORD, priors=8), Decision.UNDECIDED, (False, 3)),
    ],
)
def test_blatant_ones_and_large_changes_are_the_worst(other: Record, said: Decision, expected: tuple[bool, int]) -> None:
    assert gravity(pair(other, said)) == expected


def test_the_worst_are_one_of_each_defendant_and_at_most_ten() -> None:
    pairs = [pair(replace(RECORD, priors=5 + step), YES, name=f"x{i}") for i in range(12) for step in (1, 3, 2)]
    found = replace(finding(HEARINGS), pairs=(*pairs, pair(replace(RECORD, priors=9), Decision.UNDECIDED, name="soft")))
    assert [(one.defendant.id, one.other.record.priors) for one in found.worst] == [(f"x{i}", 8) for i in range(10)]


def test_json_of_a_pair_without_a_decision_is_null_not_false() -> None:
    without = next(one for one in finding(HEARINGS).pairs if one.decisions is None)
    values = without.as_json()
    assert values["violation"] is values["blatant"] is values["changed_decision"] is None
    assert values["changed_votes"] == {"unreadable": 1}
