"""`viva luna predict`: what it prints, keeps and refuses."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import Refuses, Viva
from tests.luna.predict.people import as_csv, pupils

pytestmark = pytest.mark.skipif(find_spec("sklearn") is None, reason="scikit-learn is not installed")


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """`train.csv` and `new.csv`, where `viva` is called."""
    (tmp_path / "train.csv").write_text(as_csv(pupils()))
    (tmp_path / "new.csv").write_text(as_csv(pupils(6, seed=1), grades=False))
    return tmp_path


def test_fitting_and_applying(viva: Viva, tables: Path) -> None:
    ended = viva("luna", "predict", "fit", "train.csv", "--out", "model.json", "--predictor", "com")
    assert ended.code == 0
    assert "com has learnt from 40 people with answers to 5 questions. Of 40 left out in turn, 90%" in ended.out
    assert "learning from 40 people" in ended.err
    ended = viva("luna", "predict", "apply", "model.json", "new.csv", "--json", "--html", "page.html")
    document = ended.values
    assert ended.err.strip() == "Page: page.html"
    assert list(document["figures"]["ratings"]) == [f"pupil {number}" for number in range(6)]
    assert all(set(entry) == {"person", "rating", "lower", "upper"} for entry in document["figures"]["ratings"].values())
    assert "<svg" in (tables / "page.html").read_text()
    ended = viva("luna", "predict", "apply", "model.json", "new.csv")
    assert document["statement"] in ended.out
    # with grades in the file they are not looked at
    (tables / "new.csv").write_text(as_csv(pupils(6, seed=1)))
    assert (
        viva("luna", "predict", "apply", "model.json", "new.csv", "--json").values["figures"]["ratings"]
        == document["figures"]["ratings"]
    )


def test_fitting_speaks_json_and_the_same_seed_keeps_the_same(viva: Viva, tables: Path) -> None:
    ended = viva("luna", "predict", "fit", "train.csv", "--out", "one.json", "--json", "-q", "--predictor", "bow")
    assert (ended.code, ended.err) == (0, "")
    assert ended.values["people"] == 40
    viva("luna", "predict", "fit", "train.csv", "--out", "two.json", "-q", "--predictor", "bow")
    assert (tables / "one.json").read_bytes() == (tables / "two.json").read_bytes()
    (tables / "few.csv").write_text(as_csv(pupils(5)))
    ended = viva("luna", "predict", "fit", "few.csv", "--out", "few.json", "-q", "--predictor", "bow")
    assert "too few to estimate its error" in ended.out


@pytest.mark.long
def test_comparing(viva: Viva, tables: Path) -> None:
    arguments = ("train.csv", "--predictor", "cbg", "--predictor", "bow", "--splits", "4")
    ended = viva("luna", "predict", "compare", *arguments, "--html", "page.html")
    assert ended.code == 0
    assert "4 of 4 splits" in ended.err
    assert "bow has the smallest error of 2 predictors" in ended.out
    document = viva("luna", "predict", "compare", *arguments, "--json", "-q", "--workers", "2").values
    assert document["statement"] in ended.out
    assert "<svg" in (tables / "page.html").read_text()


def test_a_key_of_one_s_own(viva: Viva, tables: Path) -> None:
    people = pupils()
    answers = {answer.question: answer.text for answer in people.answers if answer.grade == 1}
    key = "question,reference\n" + "".join(f'"{question}","{text}"\n' for question, text in answers.items())
    (tables / "key.csv").write_text(key)
    named = ("--predictor", "items", "--key", "key.csv")
    ended = viva("luna", "predict", "fit", "train.csv", "--out", "model.json", *named, "--json", "-q")
    assert ended.values["training"].startswith("train.csv with the key key.csv (")
    assert viva("luna", "predict", "apply", "model.json", "new.csv", "--json").code == 0
    ended = viva("luna", "predict", "compare", "train.csv", *named, "--predictor", "cbg", "--splits", "3", "--json", "-q")
    document = ended.values
    assert document["figures"]["questions_with_key"] == len(people.questions)
    (tables / "key.csv").write_text("question,reference\nanother,x\n")
    ended = viva("luna", "predict", "fit", "train.csv", "--out", "model.json", *named)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert "the answer key has none of the 5 answered questions" in ended.err


@pytest.mark.long
def test_grading(viva: Viva, tables: Path) -> None:
    (tables / "train.csv").write_text(as_csv(pupils(24)))
    ended = viva("luna", "predict", "grade", "train.csv", "--html", "page.html")
    assert ended.code == 0
    assert "unseen questions: part 5 of 5" in ended.err
    assert "New answers to known questions are graded better than by a constant" in ended.out
    assert "<svg" in (tables / "page.html").read_text()


def test_the_published_table_is_read_as_it_is(viva: Viva, tables: Path) -> None:
    rows = [f"s{n}\t{q}\t{'speech' if n % 2 else 'tea'}\t{n % 2}\t{n % 2}\t{n % 2}" for n in range(20) for q in (1, 2)]
    (tables / "answers.tsv").write_text("\n".join(["student\tQ#\tanswer\tG1\tG2\tG3", *rows, ""]))
    assert viva("luna", "predict", "fit", "answers.tsv", "--out", "model.json", "-q", "--predictor", "bow").code == 0
    document = viva("luna", "predict", "apply", "model.json", "answers.tsv", "--json").values
    assert document["figures"]["ratings"]["s1"]["rating"] == pytest.approx(1)
    assert document["figures"]["ratings"]["s2"]["rating"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fit", "train.csv"), "--out"),
        (("fit", "train.csv", "--out", "none/model.json"), "the folder"),
        (("fit", "train.csv", "--out", "new.csv"), "is not a predictor"),
        (("fit", "train.csv", "--out", "model.json", "--predictor", "modem", "--quiet"), "did you mean 'modern'?"),
        (("fit", "new.csv", "--out", "model.json"), "no column 'grade' or 'rating'"),
        (("apply", "train.csv", "new.csv"), "not a rating predictor"),
        (("apply", "none.json", "new.csv"), "does not exist"),
        (("compare", "train.csv", "--predictor", "bow", "--predictor", "bow"), "a predictor is repeated"),
        (("compare", "train.csv", "--predictor", "syn?wordnet=nowhere", "--splits", "2"), "WordNet"),
        (("grade", "new.csv"), "no column grade"),
    ],
)
def test_mistakes_are_refused(refuses: Refuses, tables: Path, arguments: tuple[str, ...], words: str) -> None:
    refuses("luna", "predict", *arguments, says=words)
