"""The file of defendants: what it may hold, what it may not, and draws from it."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from tests.studies.bail.judges import made_up
from vivavoce.errors import BadFile
from vivavoce.formats.lines import file_digest
from vivavoce.studies.defendants.records import Defendant, DefendantRecord, Degree, drawn, read_defendants

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


@pytest.mark.parametrize(
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
