"""An answer key of one's own: read, found among the questions, compared with, kept, and refused where it cannot be one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.luna.predict.made_people import RIGHT, made_people
from vivavoce.errors import BadFile, BadInput
from vivavoce.luna.predict.answer_files import read_key, read_people, with_key
from vivavoce.luna.predict.answers import Answer, answer_key, keys_of, people_of
from vivavoce.luna.predict.comparison import compare
from vivavoce.luna.predict.features import Compared
from vivavoce.luna.predict.predictors import Linear, predictor
from vivavoce.luna.settings import SplitsConfig

KEY = {question: (texts[0],) for question, texts in RIGHT.items()}


def test_a_table_of_right_answers(tmp_path: Path) -> None:
    file = tmp_path / "key.csv"
    file.write_text("question,reference2,Reference,reference10,other\nWhy?,b,a,,x\nHow?,,c,d,y\n", encoding="utf-8")
    assert read_key(file) == {"Why?": ("a", "b"), "How?": ("c", "d")}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("question,answer\nWhy?,a\n", "reference"),
        ("question,reference\nWhy?,\n", "no right answer"),
        ("question,reference\n,a\n", "'question' has 0 characters"),
        ("question,reference\nWhy?,a\nWhy?,b\n", "has a row already"),
        ("question,reference\n", "no row below"),
        (f"question,reference\nWhy?,{'x' * 5001}\n", "5001 characters"),
        (
            "question,reference," + ",".join(f"reference{n}" for n in range(2, 30)) + "\nWhy?" + ",a" * 29 + "\n",
            "20 is the most",
        ),
    ],
)
def test_what_is_no_key(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "key.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=words):
        read_key(file)


def test_questions_are_found_but_for_case_and_punctuation() -> None:
    people = people_of([Answer("Ann", "Capital of France?", "paris", 1.0), Answer("Ann", "2", "x", 0.0)])
    assert with_key(people, {"  capital OF france": ("Paris",)}).references == {"Capital of France?": ("Paris",)}
    with pytest.raises(BadInput, match="none of the 2 questions"):
        with_key(people, {"3": ("x",)})


def test_the_nearest_right_answer_counts() -> None:
    keys = ((("free", "speech"),), (("religion",),))
    fitted = Compared("fwo", keys[0], keys[1:])
    assert fitted.columns([["free speech", "religion", "free press", ""]]).ravel().tolist() == [1.0, 1.0, 1 / 3, 0.0]


def test_an_own_key_stands_before_the_commonest_answer_which_stands_for_the_others() -> None:
    people = with_key(made_people(30), {"First month?": ("January", "the"), "Who wrote Hamlet?": ("Shakespeare", "the Bard")})
    common = answer_key(people)
    found = keys_of(people)
    assert len(found) == 2
    own: dict[str, list[tuple[str, ...]]] = {
        "First month?": [("january",), ("january",)],
        "Who wrote Hamlet?": [("shakespeare",), ("bard",)],
    }
    places = {question: place for place, question in enumerate(people.questions)}
    for question, place in places.items():
        assert [key[place] for key in found] == own.get(question, [common[place]] * 2)
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


@pytest.mark.parametrize("name", ["fwo", "wcs", "com", "items"])
def test_it_is_kept_and_predicts_the_same_again(name: str) -> None:
    people = with_key(made_people(30), {"Who wrote Hamlet?": ("Shakespeare", "the Bard")})
    fitted = predictor(name).fit(people)
    assert isinstance(fitted, Linear)
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
            answers.append(Answer(f"p{person}", f"q{question}", text))
    grades = {f"p{n}": np.mean([one.text.startswith("right") for one in answers if one.person == f"p{n}"]) for n in range(60)}
    people = people_of(answers, {person: float(mean) for person, mean in grades.items()})
    keyed = with_key(people, {f"q{question}": (f"right {question}",) for question in range(5)})
    found = compare(keyed, ["fwo", "cbg"], SplitsConfig(3))
    assert (found.scores[0].rmse.value or 1) < 0.01
    assert any("An answer key was given for 5 of 5 questions" in one for one in found.caveats)
    assert not any("No answer key comes" in one for one in found.caveats)
    assert found.as_json()["figures"]["questions_with_key"] == 5
    assert "questions_with_key" not in compare(people, ["fwo", "cbg"], SplitsConfig(3)).as_json()
