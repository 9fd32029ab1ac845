"""The published answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vivavoce.errors import BadFile
from vivavoce.luna.predict.answer_files import published_errors, read_powergrading
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer
from vivavoce.luna.predict.comparison import compare
from vivavoce.luna.settings import SplitsConfig

HEADER = "student\tQ#\tanswer\tG1\tG2\tG3\n"
FILE = Path(os.environ.get("VIVA_DATA", "")) / "powergrading" / "answers.tsv"


def written(folder: Path, rows: str) -> Path:
    file = folder / "answers.tsv"
    file.write_text(HEADER + rows, encoding="utf-8")
    return file


def test_a_grade_is_the_mean_of_three_and_ungraded_answers_are_left_out(tmp_path: Path) -> None:
    table = read_powergrading(written(tmp_path, 'a\t1\ta "quoted word\t1\t1\t0\na\t9\tnever graded\t-1\t-1\t-1\n'))
    assert table == PeopleTable((PersonAnswer("a", "1", 'a "quoted word', 2 / 3),), {"a": 2 / 3})


@pytest.mark.parametrize("row", ["a\t1\tyes\t1\t1\n", "a\t1\tyes\t1\t1\t2\n"])
def test_damaged_rows_are_named(tmp_path: Path, row: str) -> None:
    with pytest.raises(BadFile, match="line 2"):
        read_powergrading(written(tmp_path, row))


def test_another_table_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.tsv"
    file.write_text("person\tquestion\n")
    with pytest.raises(BadFile, match="first line"):
        read_powergrading(file)


def test_printed_errors_are_those_of_figure_5_3() -> None:
    assert dict(published_errors()) == {"cbg": 0.144, "bow": 0.106, "com": 0.105, "nno": 0.116}


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder")
def test_the_modern_regressor_is_ahead_of_the_thesis_on_its_data() -> None:
    """Few splits of the study that bench/luna_predict.py makes with a hundred."""
    people = read_powergrading(FILE)
    assert (len(people.people), len(people.questions), people.graded) == (548, 10, True)
    comparison = compare(people, ["cbg", "bow", "nno", "com", "modern?from=ratings"], config=SplitsConfig(2))
    errors = {score.name: score.rmse.value or 0.0 for score in comparison.scores}
    for name in ("cbg", "bow", "nno"):
        assert errors[name] == pytest.approx(published_errors()[name], abs=0.03)
    assert errors["modern?from=ratings"] < 0.06 < 0.8 * published_errors()["com"]
    assert errors["modern?from=ratings"] < errors["com"]
