"""Tables of answers and answer keys, and the published answers: read, checked, and rejected with the line."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import pickle
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.luna.predict.people import RIGHT, made_people
from vivavoce.errors import BadFile, BadInput, VivavoceError
from vivavoce.luna.predict import answers
from vivavoce.luna.predict.answers import (
    PeopleTable,
    PersonAnswer,
    answer_key,
    keys_of,
    normalised,
    people_of,
    published_errors,
    read_graded,
    read_key,
    read_people,
    read_powergrading,
    with_key,
)
from vivavoce.luna.predict.comparison_finding import compare
from vivavoce.luna.predict.features import KeyLikeness
from vivavoce.luna.predict.predictors import LinearPredictor, predictor
from vivavoce.luna.settings import SplitsConfig

ANN = (PersonAnswer("Ann", "1", "yes", 1.0), PersonAnswer("Ann", "2", "no", 0.5))
BOB = (PersonAnswer("Bob", "2", "yes", 0.0),)


def test_a_rating_is_the_mean_grade() -> None:
    table = people_of((*ANN, *BOB))
    assert table.ratings == {"Ann": 0.75, "Bob": 0.0}
    assert table.graded
    assert table.people == ("Ann", "Bob")
    assert table.questions == ("1", "2")
    assert table.of("Ann") == ANN


def test_parts_keep_the_order_and_the_ratings() -> None:
    table = people_of((*ANN, *BOB))
    assert table.only(["Bob"]) == PeopleTable(BOB, {"Bob": 0.0})
    assert table.only(["Bob", "Ann"]) == table
    assert table.unrated().ratings == {}
    assert not table.unrated().graded
    assert table.without_grades() == people_of(
        [PersonAnswer("Ann", "1", "yes"), PersonAnswer("Ann", "2", "no"), PersonAnswer("Bob", "2", "yes")],
        {"Ann": 0.75, "Bob": 0.0},
    )


def test_other_processes_can_have_it() -> None:
    table = people_of((*ANN, *BOB))
    again = pickle.loads(pickle.dumps(table))
    assert again == table
    assert again.of("Bob") == BOB


@each_case(
    ("answers", "ratings", "words"),
    [
        ((), None, "there are no answers"),
        ((*ANN, ANN[0]), None, "Ann answers 1 2 times"),
        ((*ANN, PersonAnswer("Bob", "2", "yes")), None, "2 of 3 answers have a grade"),
        (ANN, {"Ann": 0.5}, "grades and ratings"),
        ((PersonAnswer("Ann", "1", "yes", 1.5),), None, "a grade of Ann is 1.5"),
        ((PersonAnswer("Ann", "1", "yes"),), {"Ann": float("nan")}, "a rating of Ann is nan"),
        ((PersonAnswer("Ann", "1", "yes"),), {}, "Ann has no rating"),
        ((PersonAnswer("Ann", "1", "yes"),), {"Ann": 0.5, "Bob": 0.5}, "Bob, who has no answers"),
    ],
)
def test_what_is_no_table_is_refused(answers: tuple[PersonAnswer, ...], ratings: dict[str, float] | None, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        people_of(answers, ratings)


def told(folder: Path, text: str, name: str = "answers.csv") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def test_grades_of_answers(tmp_path: Path) -> None:
    table = 'remark,question,answer,person,grade\n,1,"yes, twice",ann,1\n,2,no,ann,0.5\n\n,1,,bob,0\n'
    people = read_people(told(tmp_path, "\ufeff" + table), need_ratings=True)
    assert people.people == ("ann", "bob")
    assert people.graded
    assert dict(people.ratings) == {"ann": 0.75, "bob": 0.0}
    assert [answer.text for answer in people.answers] == ["yes, twice", "no", ""]


def test_ratings_of_people(tmp_path: Path) -> None:
    table = "person\tquestion\tanswer\trating\nann\t1\tyes\t.8\nann\t2\tno\t0.80\nbob\t1\t\t1\n"
    people = read_people(told(tmp_path, table, "answers.tsv"), need_ratings=True)
    assert not people.graded
    assert dict(people.ratings) == {"ann": 0.8, "bob": 1.0}


def test_what_a_predictor_is_applied_to_is_not_looked_at_for_ratings(tmp_path: Path) -> None:
    people = read_people(told(tmp_path, "person,question,answer,grade\nann,1,yes,often\n"), need_ratings=False)
    assert (people.people, dict(people.ratings), people.graded) == (("ann",), {}, False)


@each_case(
    ("rows", "line", "problem"),
    [
        ("", 1, "empty: the first line must name person, question, answer"),
        ("person,question\nann,1\n", 1, "no column answer"),
        ("person,question,answer,answer\nann,1,a,b\n", 1, "two columns are named 'answer'"),
        ("person,question,answer,grade\n", None, "no row"),
        ("person,question,answer\nann,1,yes\n", None, "no column 'grade' or 'rating'"),
        ("person,question,answer,grade,rating\nann,1,yes,1,1\n", None, "both column 'grade' and 'rating'"),
        ("person,question,answer,grade\nann,1,yes,1\nann,2,no\n", 3, "the row ends after 3 of 4 cells"),
        ("person,question,answer,grade\nann,1,yes,1\nann,2,no,\n", 3, "'grade' is ''"),
        ("person,question,answer,grade\nann,1,yes,5\n", 2, "from 0 to 1"),
        ("person,question,answer,grade\nann,1,yes,nan\n", 2, "from 0 to 1"),
        ("person,question,answer,grade\n ,1,yes,1\n", 2, "'person' has 0 characters"),
        ("person,question,answer,grade\nann,1,yes,1\nann,1 ,no,1\n", 3, "already answers this question in line 2"),
        ("person,question,answer,rating\nann,1,yes,.5\nann,2,no,.6\n", 3, "a person has one rating"),
        ('person,question,answer,grade\n"ann,1,yes,1\n', 2, "not a table"),
    ],
)
def test_what_is_no_table_of_answers(tmp_path: Path, rows: str, line: int | None, problem: str) -> None:
    with pytest.raises(BadFile, match=r"answers\.csv") as caught:
        read_people(told(tmp_path, rows), need_ratings=True)
    assert problem in str(caught.value)
    assert caught.value.line == line


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = "person,question,answer,grade\n"
    with pytest.raises(BadFile, match="'answer' has 100001 characters"):
        read_people(told(tmp_path, f"{head}ann,1,{'x' * 100_001},1\n"), need_ratings=True)
    with pytest.raises(BadFile, match="'question' has 5001 characters"):
        read_people(told(tmp_path, f"{head}ann,{'x' * 5_001},y,1\n"), need_ratings=True)
    monkeypatch.setattr(answers, "MOST_ROWS", 2)
    with pytest.raises(BadFile, match="line 4: more than 2 answers"):
        read_people(told(tmp_path, f"{head}ann,1,x,1\nann,2,x,1\nann,3,x,1\n"), need_ratings=True)


@given(st.binary(max_size=200))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_read_or_refused(tmp_path: Path, body: bytes) -> None:
    file = tmp_path / "any.csv"
    file.write_bytes(b"person,question,answer,grade\n" + body)
    for need_ratings in (True, False):
        with contextlib.suppress(VivavoceError):
            read_people(file, need_ratings=need_ratings)


def test_graded_answers_one_by_one(tmp_path: Path) -> None:
    table = "question_id,question,reference,position,answer,grade_1,grade_2,grade\n1.1,Why?,Because.,0,Because it is,4,3,3.5\n"
    (answer,) = read_graded(told(tmp_path, table))
    assert (answer.question, answer.text, answer.grade, answer.reference) == ("Why?", "Because it is", 3.5, "Because.")
    with pytest.raises(BadFile, match="line 2: 'grade' is 'good'"):
        read_graded(told(tmp_path, "question,answer,grade\nWhy?,So.,good\n"))


KEY = {question: (texts[0],) for question, texts in RIGHT.items()}


def test_a_table_of_right_answers(tmp_path: Path) -> None:
    file = tmp_path / "key.csv"
    file.write_text("question,reference2,Reference,reference10,other\nWhy?,b,a,,x\nHow?,,c,d,y\n", encoding="utf-8")
    assert read_key(file) == {"Why?": ("a", "b"), "How?": ("c", "d")}


@each_case(
    ("text", "words"),
    [
        ("question,answer\nWhy?,a\n", "reference"),
        ("question,reference\nWhy?,\n", "no right answer"),
        ("question,reference\n,a\n", "'question' has 0 characters"),
        ("question,reference\nWhy?,a\nWhy?,b\n", "already has a row"),
        ("question,reference\n", "no rows"),
        (f"question,reference\nWhy?,{'x' * 5001}\n", "5001 characters"),
        (
            "question,reference," + ",".join(f"reference{n}" for n in range(2, 30)) + "\nWhy?" + ",a" * 29 + "\n",
            "the limit is 20",
        ),
    ],
)
def test_what_is_no_key(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "key.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=words):
        read_key(file)


def test_questions_are_found_but_for_case_and_punctuation() -> None:
    people = people_of([PersonAnswer("Ann", "Capital of France?", "paris", 1.0), PersonAnswer("Ann", "2", "x", 0.0)])
    assert with_key(people, {"  capital OF france": ("Paris",)}).references == {"Capital of France?": ("Paris",)}
    with pytest.raises(BadInput, match="none of the 2 answered questions"):
        with_key(people, {"3": ("x",)})


def test_the_nearest_right_answer_counts() -> None:
    keys = ((("free", "speech"),), (("religion",),))
    fitted = KeyLikeness("fwo", keys[0], keys[1:])
    assert fitted.columns([["free speech", "religion", "free press", ""]]).ravel().tolist() == [1.0, 1.0, 1 / 3, 0.0]


def test_an_own_key_stands_before_the_commonest_answer_which_stands_for_the_others() -> None:
    people = with_key(made_people(30), {"First month?": ("January", "the"), "Who wrote Hamlet?": ("Shakespeare", "the Bard")})
    common = answer_key(people)
    keys = keys_of(people)
    assert len(keys) == 2
    own: dict[str, list[tuple[str, ...]]] = {
        "First month?": [("january",), ("january",)],
        "Who wrote Hamlet?": [("shakespeare",), ("bard",)],
    }
    places = {question: index for index, question in enumerate(people.questions)}
    for question, index in places.items():
        assert [key[index] for key in keys] == own.get(question, [common[index]] * 2)
    assert people.only(people.people[:3]).references == people.references
    assert people.without_grades().references == people.references


def test_a_table_may_have_its_key_in_columns(tmp_path: Path) -> None:
    file = tmp_path / "graded.csv"
    file.write_text("person,question,answer,grade,reference,reference2\na,1,x,1,r,s\nb,1,y,0,,\nb,2,y,0,,\n", encoding="utf-8")
    assert read_people(file, need_ratings=True).references == {"1": ("r", "s")}
    assert read_people(file, need_ratings=False).references == {}
    file.write_text("person,question,answer,grade,reference\na,1,x,1,r\nb,1,y,0,other\n", encoding="utf-8")
    with pytest.raises(BadFile, match="line 3: the right answers"):
        read_people(file, need_ratings=True)


@each_case("name", ["fwo", "wcs", "com", "items"])
def test_it_is_kept_and_predicts_the_same_again(name: str) -> None:
    people = with_key(made_people(30), {"Who wrote Hamlet?": ("Shakespeare", "the Bard")})
    fitted = predictor(name).fit(people)
    assert isinstance(fitted, LinearPredictor)
    asked = made_people(9, seed=3).unrated()
    kept = json.loads(json.dumps(fitted.state(), default=lambda array: array.tolist()))
    assert np.array_equal(predictor(name).from_state(kept).predict(asked), fitted.predict(asked))


def test_a_key_helps_where_most_people_are_wrong() -> None:
    rng = np.random.default_rng(2)
    answers = []
    for person in range(60):
        skill = rng.random() * 0.6
        for question in range(5):
            good = rng.random() < skill
            text = f"right {question}" if good else f"common mistake {question}"
            answers.append(PersonAnswer(f"p{person}", f"q{question}", text))
    grades = {
        f"p{n}": np.mean([answer.text.startswith("right") for answer in answers if answer.person == f"p{n}"]) for n in range(60)
    }
    people = people_of(answers, {person: float(mean) for person, mean in grades.items()})
    keyed = with_key(people, {f"q{question}": (f"right {question}",) for question in range(5)})
    comparison = compare(keyed, ["fwo", "cbg"], SplitsConfig(3))
    assert (comparison.scores[0].rmse.value or 1) < 0.01
    assert any("An answer key was given for 5 of 5 questions" in caveat for caveat in comparison.caveats)
    assert not any("There is no answer key" in caveat for caveat in comparison.caveats)
    assert comparison.as_json()["figures"]["questions_with_key"] == 5
    assert "questions_with_key" not in compare(people, ["fwo", "cbg"], SplitsConfig(3)).as_json()


FILE = Path(os.environ.get("VIVA_DATA", "")) / "powergrading" / "answers.tsv"
BENCH_KEY = Path(__file__).parents[3] / "bench" / "powergrading_key.csv"


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", text.lower().replace("'s", ""))) - {
        "the",
        "a",
        "of",
        "our",
        "or",
        "because",
        "there",
        "were",
    }


@pytest.mark.data
@pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder")
def test_whoever_says_what_the_key_says_is_right_by_all_graders() -> None:
    with BENCH_KEY.open(encoding="utf-8") as file:
        key = {row.pop("question"): [_words(text) for text in row.values() if text] for row in csv.DictReader(file)}
    document: dict[str, list[bool]] = defaultdict(list)
    with FILE.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            grades = [row[grader] for grader in ("G1", "G2", "G3")]
            if row["Q#"] in key and "-1" not in grades and any(groups <= _words(row["answer"]) for groups in key[row["Q#"]]):
                document[row["Q#"]].append(grades == ["1", "1", "1"])
    assert set(document) == set(key)
    for question, right in document.items():
        assert len(right) > 70, question
        assert sum(right) > 0.9 * len(right), question


HEADER = "student\tQ#\tanswer\tG1\tG2\tG3\n"


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


@pytest.mark.long
@given(st.text(max_size=40))
def test_to_normalise_again_changes_nothing(text: str) -> None:
    once = normalised(text)
    assert normalised(once) == once
    assert normalised(f"  {text.upper()} ") == normalised(text.upper())


def test_letters_of_all_scripts_count() -> None:
    assert normalised("Что это?") != normalised("Кто это?")
    assert normalised("C++ or C#?") == "c or c"
    assert normalised("ＦＵＬＬ width") == normalised("full  WIDTH.")
