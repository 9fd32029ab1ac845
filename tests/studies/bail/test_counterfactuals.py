"""Changed records: truly milder or truly worse, distinct, and the same whenever they are made again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.studies.bail.judges import EITHER, FELONIES, MISDEMEANOURS, made_up, more_severe
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import DefendantCase, Direction, Feature, case_of, charges_of
from vivavoce.studies.defendants.records import Defendant, DefendantRecord, Degree

USUAL = BailConfig()
records = st.builds(
    DefendantRecord,
    sex=st.sampled_from(("Male", "Female")),
    age=st.integers(18, 20),
    charge=st.sampled_from(("a", "b")),
    degree=st.sampled_from(Degree),
    priors=st.integers(0, 3),
    juvenile_felonies=st.integers(0, 2),
    juvenile_misdemeanours=st.integers(0, 2),
)
OTHERS = made_up(60)
CHARGES = charges_of(OTHERS)
FIELD = {
    Feature.CHARGE: ("charge", "degree"),
    Feature.PRIORS: ("priors",),
    Feature.JUVENILE_FELONIES: ("juvenile_felonies",),
    Feature.JUVENILE_MISDEMEANOURS: ("juvenile_misdemeanours",),
}
configs = st.builds(BailConfig, variants=st.integers(1, 12), largest_step=st.integers(1, 4), keep_charge=st.booleans())


def case(record: DefendantRecord, config: BailConfig = USUAL, seed: int = 0) -> DefendantCase:
    return case_of(Defendant("x", record), CHARGES, config, seed=seed)


def differing(first: DefendantRecord, other: DefendantRecord) -> set[str]:
    mine, others = asdict(first), asdict(other)
    return {name for name in mine if mine[name] != others[name]}


@given(records, configs, st.integers(0, 5))
def test_every_changed_record_is_ordered_distinct_and_says_what_was_changed(
    record: DefendantRecord, config: BailConfig, seed: int
) -> None:
    made = case(record, config, seed).counterfactuals
    assert len({other.record for other in made}) == len(made)
    for other in made:
        assert other.record != record
        worse, milder = (other.record, record) if other.direction is Direction.MORE_SEVERE else (record, other.record)
        assert more_severe(worse, milder)
        assert 1 <= len(other.changed) <= 2
        assert differing(record, other.record) <= {name for feature in other.changed for name in FIELD[feature]}
        for feature in set(other.changed) - {Feature.CHARGE}:
            before, after = (getattr(entry, FIELD[feature][0]) for entry in (record, other.record))
            assert 1 <= abs(before - after) <= config.largest_step
            assert after >= 0
        if Feature.CHARGE in other.changed:
            assert other.record.degree is record.degree.other
            assert other.record.charge in (FELONIES if other.record.degree is Degree.FELONY else MISDEMEANOURS)
            assert not config.keep_charge
        else:
            assert (other.record.charge, other.record.degree) == (record.charge, record.degree)


@given(records, configs)
def test_as_many_as_there_are_up_to_those_wanted(record: DefendantRecord, config: BailConfig) -> None:
    made = case(record, config)
    step = config.largest_step
    room = [min(step, number) for number in record.severity[1:]]
    a, b, c = room
    # by hand: one number lowered, or two; a replaced charge in as many ways as there are other charges
    numbers = a + b + c + a * b + a * c + b * c
    others = 0 if config.keep_charge or record.degree is Degree.MISDEMEANOUR else len(CHARGES[Degree.MISDEMEANOUR])
    assert made.number(Direction.MILDER) == min(config.variants, numbers + others)
    upwards = 0 if config.keep_charge or record.degree is Degree.FELONY else len(CHARGES[Degree.FELONY])
    assert made.number(Direction.MORE_SEVERE) == min(config.variants, 3 * step + 3 * step**2 + upwards)


@given(st.permutations(OTHERS), st.integers(0, 3))
def test_the_order_of_the_file_does_not_matter(shuffled: Sequence[Defendant], seed: int) -> None:
    by_id = {defendant.id: case_of(defendant, charges_of(shuffled), BailConfig(), seed=seed) for defendant in shuffled[:8]}
    assert all(made == case_of(made.defendant, CHARGES, BailConfig(), seed=seed) for made in by_id.values())


def test_another_seed_or_another_defendant_gets_other_changes() -> None:
    record = DefendantRecord("Male", 30, "Robbery", Degree.FELONY, 5, 2, 2)
    made = {seed: case(record, seed=seed).counterfactuals for seed in range(20)}
    assert len(set(made.values())) == 20
    assert case_of(Defendant("y", record), CHARGES, BailConfig(), seed=0).counterfactuals != made[0]


def test_a_misdemeanour_and_no_record_cannot_be_made_milder() -> None:
    made = case(DefendantRecord("Male", 30, "Littering", Degree.MISDEMEANOUR, 0, 0, 0))
    assert (made.number(Direction.MILDER), made.number(Direction.MORE_SEVERE)) == (0, 5)


def test_a_felony_and_no_record_gets_five_different_misdemeanours() -> None:
    made = case(DefendantRecord("Male", 30, "Robbery", Degree.FELONY, 0, 0, 0))
    milder = [other.record.charge for other in made.counterfactuals if other.direction is Direction.MILDER]
    assert len(set(milder)) == 5


def test_a_charge_that_occurs_with_both_degrees_is_never_drawn() -> None:
    assert EITHER in {defendant.record.charge for defendant in OTHERS}
    assert not any(EITHER in charges for charges in CHARGES.values())
    assert {degree: set(charges) for degree, charges in CHARGES.items()} == {
        Degree.FELONY: set(FELONIES),
        Degree.MISDEMEANOUR: set(MISDEMEANOURS),
    }


def test_charges_are_drawn_as_they_occur() -> None:
    # a file with 90 thefts and 10 trespasses: of single draws, about nine in ten are thefts
    thefts = [Defendant(f"t{i}", DefendantRecord("Male", 30, "Theft", Degree.MISDEMEANOUR, 0, 0, 0)) for i in range(90)]
    others = [Defendant(f"o{i}", DefendantRecord("Male", 30, "Trespass", Degree.MISDEMEANOUR, 0, 0, 0)) for i in range(10)]
    clean = DefendantRecord("Male", 30, "Robbery", Degree.FELONY, 0, 0, 0)
    drawn: Counter[str] = Counter()
    for i in range(1000):
        made = case_of(Defendant(f"x{i}", clean), charges_of([*thefts, *others]), BailConfig(variants=1), seed=0)
        drawn[made.counterfactuals[0].record.charge] += 1
    # standard deviation sqrt(1000 * .9 * .1) = 9.5
    assert drawn["Theft"] == pytest.approx(900, abs=4 * 9.5)


def test_one_feature_or_two_are_equally_likely_and_so_is_each() -> None:
    record = DefendantRecord("Male", 30, "Robbery", Degree.FELONY, 9, 9, 9)
    numbers: Counter[int] = Counter()
    features: Counter[Feature] = Counter()
    steps: Counter[int] = Counter()
    for i in range(2000):
        made = case_of(Defendant(f"x{i}", record), CHARGES, BailConfig(variants=1), seed=0).counterfactuals[0]
        numbers[len(made.changed)] += 1
        features.update(made.changed)
        steps.update([record.priors - made.record.priors])
    # half of 2,000, sd 22; each of four features in (1/4 + 1/2) / 2 = 3/8 of them, sd 22; each step of three 250 times, sd 15
    assert numbers[1] == pytest.approx(1000, abs=4 * 22.4)
    assert all(features[feature] == pytest.approx(750, abs=4 * 21.7) for feature in Feature)
    assert all(steps[step] == pytest.approx(250, abs=4 * 14.8) for step in (1, 2, 3))
