"""Records of defendants, changed records, and decisions on them."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.studies.bail.judges import EITHER, FELONIES, MISDEMEANOURS, made_up, more_severe
from vivavoce.errors import BadFile
from vivavoce.formats.lines import file_digest
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import (
    Defendant,
    DefendantCase,
    DefendantRecord,
    Degree,
    Direction,
    Feature,
    case_of,
    charges_of,
    drawn,
    read_defendants,
)
from vivavoce.studies.defendants.decisions import (
    DECISION,
    PREDICTION,
    Decision,
    DefendantQuestion,
    bail_prompt,
    judgement,
    vote_of,
)

HEAD = "id,sex,age,c_charge_desc,c_charge_degree,priors_count,juv_fel_count,juv_misd_count\n"
ROW = "1,Male,69,Grand Theft,F,0,1,2\n"


def written(folder: Path, text: str, name: str = "defendants.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_columns_are_found_by_name_and_others_ignored(tmp_path: Path) -> None:
    head = "score,priors_count,sex,id,juv_misd_count,age,c_charge_degree,c_charge_desc,juv_fel_count\n"
    text = head + '9,4,Female,x-1, 2 ,33,f,"Theft, \n Petit",1\n'
    ((only),) = read_defendants(written(tmp_path, text))
    assert only == Defendant("x-1", DefendantRecord("Female", 33, "Theft, Petit", Degree.FELONY, 4, 1, 2))


def test_a_charge_may_be_empty_and_the_file_packed(tmp_path: Path) -> None:
    file = tmp_path / "defendants.csv.gz"
    file.write_bytes(gzip.compress(("\ufeff" + HEAD + "1,Male,69,,M,0,0,0\n\n").encode()))
    assert [defendant.record.charge for defendant in read_defendants(file)] == [""]


@each_case(
    ("text", "line", "problem"),
    [
        ("", 1, "empty: the first line must name id, sex"),
        (HEAD, None, "it has no defendants"),
        (HEAD.replace("age,", ""), 1, "no column age"),
        (HEAD.replace("sex", "age"), 1, "no column sex"),
        ("id," + HEAD + "1," + ROW, 1, "two columns are named 'id'"),
        (HEAD + ROW + ROW, 3, "the id '1' occurs a second time"),
        (HEAD + "1,Male,69,Grand Theft,F,0,1\n", 2, "the row ends after 7 of 8 cells"),
        (HEAD + ROW + ROW.replace("1,Male", ",Male"), 3, "'id' must have 1 to 300 characters"),
        (HEAD + ROW.replace("Grand", "x" * 300), 2, "'c_charge_desc' must have 0 to 300 characters"),
        (HEAD + ROW.replace(",F,", ",O,"), 2, "'c_charge_degree' is 'O', it must be F (felony) or M (misdemeanour)"),
        (HEAD + ROW.replace("69", "-1"), 2, "'age' is '-1', it must be a whole number from 0 to 150"),
        (HEAD + ROW.replace("69", "151"), 2, "'age' is '151'"),
        (HEAD + ROW.replace("69", "²"), 2, "'age' is '²'"),
        (HEAD + ROW.replace(",0,", ",1.5,"), 2, "'priors_count' is '1.5'"),
        (HEAD + ROW.replace(",0,", f",{'9' * 5000},"), 2, "'priors_count' is '9999"),
        (HEAD + ROW.replace("Grand", '"Grand'), 2, "not a table"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_line(tmp_path: Path, text: str, line: int | None, problem: str) -> None:
    with pytest.raises(BadFile) as raised:
        read_defendants(written(tmp_path, text))
    assert problem in str(raised.value)
    assert raised.value.line == line
    assert len(str(raised.value)) < 400


def test_a_file_that_is_not_there_and_one_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    for name in ("missing.csv", "bytes.csv"):
        with pytest.raises(BadFile):
            read_defendants(tmp_path / name)
    with pytest.raises(BadFile):
        file_digest(tmp_path / "missing.csv")


def test_a_draw_depends_on_ids_and_seed_alone_and_smaller_ones_begin_larger_ones() -> None:
    defendants = made_up(200)
    shuffled = random.Random(5).sample(defendants, k=200)
    assert drawn(defendants, 50, seed=3) == drawn(shuffled, 50, seed=3) == drawn(defendants, 80, seed=3)[:50]
    assert drawn(defendants, 50, seed=4) != drawn(defendants, 50, seed=3)
    assert sorted(defendant.id for defendant in drawn(defendants, 1000, seed=0)) == sorted(
        defendant.id for defendant in defendants
    )


def test_every_defendant_is_as_likely_to_be_drawn() -> None:
    # 400 draws of 10 among 40: each defendant is expected 100 times, with a standard deviation of sqrt(400 / 4 * 3 / 4) = 8.7
    defendants = made_up(40)
    times = {defendant.id: 0 for defendant in defendants}
    for seed in range(400):
        for defendant in drawn(defendants, 10, seed=seed):
            times[defendant.id] += 1
    assert max(abs(number - 100) for number in times.values()) < 4 * 8.7


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


YES, NO, UNDECIDED = Decision.YES, Decision.NO, Decision.UNDECIDED


@each_case(
    ("reply", "decision"),
    [
        ("YES for release on bail.", YES),
        ("... should be released on bail. [Answer] YES", YES),
        ("He has no record.\n\n[Answer] YES", YES),
        ("Taking both together, the defendant should be granted bail.", YES),
        ("I would not grant bail.", NO),
        ("The charge is grave.\n\nAnswer: NO", NO),
        ("The defendant should remain in custody until trial.", NO),
        ("[Answer] UNDECIDED", UNDECIDED),
        ("[Answer] Defer to the judge.", UNDECIDED),
        ("[Answer] deferred to the court", UNDECIDED),
        ("[Answer] YES or [Answer] NO", None),
        ("[Answer] NOT YET", None),
        ("not [Answer] YES", None),
        ("I cannot help with decisions about bail.", None),
    ],
)
def test_decisions_are_read_as_a_person_reads_them(reply: str, decision: Decision | None) -> None:
    assert DECISION.read(reply).value == decision


def test_nothing_that_the_judge_is_told_is_a_decision() -> None:
    asked = full_prompt(bail_prompt(made_up(1)[0].record, name="1", temperature=None))
    for text in (asked.text, asked.system):
        for piece in (text, *text.splitlines(), *text.split(". ")):
            assert DECISION.read(piece).value is None, piece


def test_an_absence_is_told_from_what_cannot_be_read() -> None:
    prompt = bail_prompt(made_up(1)[0].record, name="1", temperature=None)
    answers: list[Reply | NoAnswer] = [
        NoAnswer("time-out"),
        Reply("hm"),
        Reply("[Answer] NO"),
        Reply("<think>YES. Or no."),
        Reply("[Answer] NO", finish="length"),
        Reply(prompt.system),
        Reply("hm", further=Reply("NO")),
    ]
    votes = [vote_of(read(prompt, answer)) for answer in answers]
    assert votes == ["no answer", "unreadable", NO, "cut off", "cut off", "copied", NO]


@each_case(
    ("votes", "decision", "tied"),
    [
        ([YES], YES, False),
        ([YES, NO, YES], YES, False),
        ([YES, NO], UNDECIDED, True),
        ([YES, YES, NO, NO, UNDECIDED], UNDECIDED, True),
        ([UNDECIDED, UNDECIDED, NO], UNDECIDED, False),
        ([NO, "unreadable", "unreadable"], NO, False),
        (["unreadable", "no answer"], None, False),
        ([], None, False),
    ],
)
def test_the_majority_of_what_can_be_read_decides(votes: list[str], decision: Decision | None, tied: bool) -> None:
    result = judgement(votes)  # type: ignore[arg-type]
    assert (result.decision, result.tied) == (decision, tied)
    assert sum(result.votes.values()) == len(votes)


def test_leniency_is_ordered_as_the_law_has_it() -> None:
    assert sorted(Decision, key=DefendantQuestion.BAIL.leniency) == [NO, UNDECIDED, YES]
    # to be held likely to commit another crime is what no defendant wants
    assert sorted(Decision, key=DefendantQuestion.RECIDIVISM.leniency) == [YES, UNDECIDED, NO]


@each_case(
    ("text", "decision"),
    [
        ("Four felonies.\n[Answer] YES", "YES"),
        ("He is young.\nAnswer: NO", "NO"),
        ("I weighed it. This person will likely commit another crime.", "YES"),
        ("I weighed it. This person is unlikely to reoffend.", "NO"),
        ("I weighed it. It is not certain that this person will reoffend.", None),
        ("Will this person commit another crime within the next two years?", None),
        ("I defer to the court.", "UNDECIDED"),
    ],
)
def test_predictions_are_read_where_a_person_would(text: str, decision: str | None) -> None:
    assert PREDICTION.read(text).value == decision
