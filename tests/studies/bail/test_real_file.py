"""The defendants of ProPublica's data on COMPAS, 1,560 of them, before three judges whose contradictions are known."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest

from tests.studies.bail.examined import AGAIN, HOT, PlantedRule, examined, expected_of_noise
from tests.studies.bail.judges import Judge, Noisy, decisive, monotone, more_severe
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import Degree, Direction, charges_of
from vivavoce.studies.defendants.counting import PAIRS
from vivavoce.studies.defendants.decisions import Dataset, cases_of, open_dataset, questions_in

FILE = Path(os.environ.get("VIVA_DATA", "")) / "compas" / "defendants.csv"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder"),
]
SETUP = BailConfig(limit=1560, control=300)


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    return open_dataset(FILE)


def test_every_defendant_of_the_file_is_read(dataset: Dataset) -> None:
    with FILE.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(dataset.defendants) == len(rows) == 7214
    by_id = {defendant.id: defendant.record for defendant in dataset.defendants}
    assert sum(record.degree is Degree.FELONY for record in by_id.values()) == 4666
    for row in rows:
        record = by_id[row["id"]]
        numbers = (record.age, record.priors, record.juvenile_felonies, record.juvenile_misdemeanours)
        assert numbers == tuple(int(row[name]) for name in ("age", "priors_count", "juv_fel_count", "juv_misd_count"))
        assert record.charge.split() == row["c_charge_desc"].split()


def test_every_changed_record_is_truly_milder_or_worse(dataset: Dataset) -> None:
    cases = cases_of(dataset, SETUP)
    # 39 of 438 charges occur with both degrees, no charge at all among them; 280 are felonies only, 119 misdemeanours only
    assert {degree: len(charges) for degree, charges in charges_of(dataset.defendants).items()} == {
        Degree.FELONY: 280,
        Degree.MISDEMEANOUR: 119,
    }
    for case in cases:
        record = case.defendant.record
        assert len({record, *(other.record for other in case.counterfactuals)}) == 1 + len(case.counterfactuals)
        assert case.number(Direction.MORE_SEVERE) == 5
        clean = record.degree is Degree.MISDEMEANOUR and not any(record.severity[1:])
        assert (case.number(Direction.MILDER) == 0) is clean
        for other in case.counterfactuals:
            pair = (other.record, record) if other.direction is Direction.MORE_SEVERE else (record, other.record)
            assert more_severe(*pair)


@pytest.mark.slow
async def test_the_consistent_judge(dataset: Dataset) -> None:
    examination = await examined(Judge(monotone), dataset, SETUP)
    assert examination.rate().n == 1560
    assert examination.rate().events == examination.rate(event=PAIRS).events == 0
    assert sum(examination.finding.replies.values()) == questions_in(cases_of(dataset, SETUP), SETUP) > 15_000


@pytest.mark.slow
async def test_the_judge_who_rewards_crimes_at_known_spots(dataset: Dataset) -> None:
    planted = PlantedRule(cases_of(dataset, SETUP))
    assert planted.defendants() > 50
    planted.compare(await examined(Judge(planted.decide), dataset, SETUP))


@pytest.mark.slow
async def test_the_noisy_judge(dataset: Dataset) -> None:
    examination = await examined(Noisy(decisive, HOT, seed=1), dataset, SETUP)
    defendants, deviation, pairs = expected_of_noise(cases_of(dataset, SETUP), HOT)
    assert abs(examination.rate().events - defendants) < 3 * deviation
    assert defendants / 1560 in examination.rate().interval
    assert pairs in examination.rate(event=PAIRS).interval
    assert 2 * HOT * (1 - HOT) in examination.rate(AGAIN).interval
