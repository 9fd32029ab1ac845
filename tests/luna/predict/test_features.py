"""Features of answers, checked by hand, and difficulty and discrimination of questions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.luna.predict.people import made_people
from vivavoce.errors import BadInput
from vivavoce.luna.predict.answers import PeopleTable, PersonAnswer, answer_key, content_words, people_of, plain, sheet_of
from vivavoce.luna.predict.comparison_finding import errors_of, splits_of
from vivavoce.luna.predict.features import (
    KeyLikeness,
    NearestAnswers,
    QuestionItems,
    WordBag,
    WordVectors,
    binary_word_overlap,
    character_edit_distance,
    fraction_word_overlap,
    grade_sheet,
    likeness,
    restored,
    state_of,
    word_edit_distance,
)
from vivavoce.luna.predict.predictor import targets
from vivavoce.luna.predict.predictors import predictor
from vivavoce.luna.settings import SplitsConfig

NO_RATINGS = np.zeros(0)
KEY = (("bill", "rights"), ("free", "speech"))


def test_marks_and_common_words_vanish() -> None:
    assert content_words("The Bill_of Rights (1791), isn't it?") == ("billof", "rights", "1791", "isnt")
    assert content_words("???") == ()
    assert plain("The Bill_of Rights (1791), isn't it?") == "the bill of rights 1791 isn t it"


def test_questions_left_out_are_empty_texts() -> None:
    table = people_of([PersonAnswer("a", "1", "yes"), PersonAnswer("b", "2", "no"), PersonAnswer("a", "3", "more")])
    assert sheet_of(table, ["1", "2"]) == [["yes", ""], ["", "no"]]


def test_the_key_is_the_commonest_answer_with_the_best_grade() -> None:
    rows = [("a", "Paris", 1.0), ("b", "PARIS!", 1.0), ("c", "paris france", 1.0), ("d", "Rome", 0.5)]
    rows += [(f"e{n}", "the Rome", 0.5) for n in range(4)] + [(f"f{n}", "the", 1.0) for n in range(9)]
    table = people_of(PersonAnswer(person, "q", text, grade) for person, text, grade in rows)
    assert answer_key(table) == (("paris",),)
    assert answer_key(table.without_grades()) == (("rome",),)
    assert answer_key(people_of([PersonAnswer("a", "q", "???")])) == ((),)


def test_likeness_to_the_right_answer_by_hand() -> None:
    some, right = ("rights", "people"), ("bill", "rights")
    assert binary_word_overlap(some, right) == 1
    assert binary_word_overlap((), right) == 0
    assert fraction_word_overlap(some, right) == 1 / 3  # rights, of bill, people, rights
    assert word_edit_distance(some, right) == 0  # both words differ in their places
    assert word_edit_distance(("bill", "human", "rights"), right) == pytest.approx(1 - 1 / 3)
    # kitten -> sitting takes 3 edits, the longer has 7 characters
    assert character_edit_distance(("kitten",), ("sitting",)) == pytest.approx(1 - 3 / 7)
    assert character_edit_distance((), ()) == 1


def plain_levenshtein(first: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, letter in enumerate(first, start=1):
        before, row[0] = row[0], at
        for index, there in enumerate(other, start=1):
            before, row[index] = row[index], min(row[index] + 1, row[index - 1] + 1, before + (letter != there))
    return row[-1]


@given(st.text("abc ", max_size=8), st.text("abc ", max_size=8))
def test_edit_distances_are_those_of_the_textbook(first: str, other: str) -> None:
    assert likeness("nnc", [first], [other])[0, 0] == -plain_levenshtein(first, other)
    letters = {word: chr(65 + index) for index, word in enumerate(dict.fromkeys([*first.split(), *other.split()]))}
    coded = ["".join(letters[word] for word in text.split()) for text in (first, other)]
    assert likeness("nnw", [first], [other])[0, 0] == -plain_levenshtein(*coded)
    assert likeness("nno", [first], [other])[0, 0] == len(set(first.split()) & set(other.split()))


def test_compared_columns_go_by_question_and_person() -> None:
    sheet = [["the bill of rights", "rights"], ["", "free speech"]]
    assert KeyLikeness("fwo").fit(sheet, NO_RATINGS, KEY).columns(sheet).tolist() == [[1.0, 0.0], [0.5, 1.0]]


def test_bags_are_those_of_scikit_learn() -> None:
    from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]

    table = made_people(20)
    sheet = sheet_of(table, table.questions)
    together = [" ".join(texts) for texts in zip(*sheet, strict=True)]
    for of, sizes in (("words", (1, 1)), ("bigrams", (2, 2))):
        settings = {"analyzer": lambda text, size=sizes[0]: ngrams(text, size), "binary": True}
        own = WordBag("words" if of == "words" else "bigrams").fit(sheet, NO_RATINGS, ())
        columns = own.columns(sheet).toarray()
        theirs = CountVectorizer(**settings).fit(together if of == "words" else [text for texts in sheet for text in texts])
        assert [term for _, term in own.terms] == theirs.get_feature_names_out().tolist()
        by_answer = sum(theirs.transform(texts).toarray() for texts in sheet)
        assert np.array_equal(columns, np.minimum(by_answer, 1))
    apart = WordBag("words", by_question=True).fit(sheet, NO_RATINGS, ())
    theirs_apart = [CountVectorizer(analyzer=content_words, binary=True).fit_transform(texts).toarray() for texts in sheet]
    assert np.array_equal(apart.columns(sheet).toarray(), np.hstack(theirs_apart))


def ngrams(text: str, size: int) -> list[str]:
    words = content_words(text)
    return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]


def test_unknown_words_are_left_out() -> None:
    bag = WordBag("words").fit([["red green"]], NO_RATINGS, ())
    assert bag.columns([["green blue green"]]).toarray().tolist() == [[1.0, 0.0]]


def test_neighbours_by_hand() -> None:
    sheet = [["red green blue", "red yellow", "yellow"]]
    ratings = np.array([0.2, 0.6, 0.9])
    asked = [["yellow red", "blue", "nothing like it", "yello"]]
    # most words shared: the second (2), the first (1), none: the first, none: the first
    assert NearestAnswers("nno").fit(sheet, ratings, ()).columns(asked).ravel().tolist() == [0.6, 0.2, 0.2, 0.2]
    # fewest edits of "yello": the third; of whole words "blue" is one edit from "yellow", two from all others
    assert NearestAnswers("nnc").fit(sheet, ratings, ()).columns(asked)[3, 0] == 0.9
    assert NearestAnswers("nnw").fit(sheet, ratings, ()).columns(asked)[1, 0] == 0.9


def test_the_first_of_equal_answers_counts_and_everybody_is_her_own_neighbour() -> None:
    sheet = [["green", "the green", "red", "red green"]]
    answers = NearestAnswers("nno").fit(sheet, np.array([0.1, 0.2, 0.3, 0.4]), ())
    assert answers.columns(sheet).ravel().tolist() == [0.1, 0.1, 0.3, 0.4]


def test_words_of_the_same_answers_have_like_vectors() -> None:
    sheet = [
        ["car engine", "engine wheel", "car wheel", "milk cheese", "cheese butter", "milk butter", "bee", "ant", "fly"] * 2
    ]
    ravel = WordVectors().fit(sheet, NO_RATINGS, (("car",),)).columns([["car", "wheel", "milk", "unknown", ""]]).ravel()
    assert ravel[0] == pytest.approx(1)
    assert ravel[1] > 0.3 > abs(ravel[2])
    assert ravel[3:].tolist() == [0, 0]


def test_settings_come_from_the_name_and_what_was_learnt_from_the_state() -> None:
    fitted = NearestAnswers("nno").fit([["red"]], np.array([0.5]), ())
    assert restored(NearestAnswers("nnc"), state_of(fitted)) == NearestAnswers("nnc", fitted.texts, fitted.ratings)
    for wrong in ({}, {"texts": [["red"]], "ratings": [[]]}, {"texts": [["red"]], "ratings": [[float("nan")]]}, {"texts": 3}):
        with pytest.raises(BadInput, match="not a state of a NearestAnswers"):
            restored(NearestAnswers("nno"), wrong)


NAMES = ("items", "com?items=yes", "bow?items=yes", "fwo?items=yes")


def test_difficulty_and_discrimination_are_the_textbook_s() -> None:
    rng = np.random.default_rng(0)
    grades = (rng.random((40, 5)) < rng.random((40, 1))).astype(float)
    sheet = [["right" if entry else "wrong" for entry in column] for column in grades.T.tolist()]
    items = QuestionItems().fit_to(sheet, grades.mean(axis=1), (("right",),) * 5, grades)
    for index in range(5):
        others = np.delete(grades, index, axis=1).sum(axis=1)  # corrected item-rest, by hand
        assert items.difficulty[index] == pytest.approx(grades[:, index].mean())
        assert items.discrimination[index] == pytest.approx(np.corrcoef(grades[:, index], others)[0, 1])
    weights = np.maximum(items.discrimination, 0) / np.maximum(items.discrimination, 0).sum()
    columns = items.columns(sheet)
    assert columns[:, 2] == pytest.approx(grades @ weights)
    assert columns[:, 3] == pytest.approx((grades - items.difficulty) @ weights)
    assert columns[:, 0] == pytest.approx(np.full(40, np.mean(items.difficulty)))


def test_what_a_person_was_asked_counts_where_people_were_asked_different_things() -> None:
    easy, hard = (("yes",),) * 2
    items = QuestionItems((easy, hard), (0.9, 0.1), (0.5, 0.5))
    columns = items.columns([["yes", "", ""], ["", "yes", ""]])
    assert columns[:, 0].tolist() == [0.9, 0.1, 0.0]
    # to be right where it is hard says more
    assert columns[:, 3] == pytest.approx([0.1, 0.9, 0.0])


def test_a_left_out_question_is_no_wrong_answer() -> None:
    people = people_of([*(PersonAnswer(f"p{n}", "1", "yes", n % 2) for n in range(20)), PersonAnswer("p0", "2", "no", 1.0)])
    grades = grade_sheet(people)
    assert grades is not None
    assert np.isnan(grades[1:, 1]).all()
    items = QuestionItems().fit_to([["yes"] * 20, ["no"] + [""] * 19], targets(people), (("yes",), ("no",)), grades)
    assert items.difficulty == (0.5, 1.0)
    assert items.discrimination == (0.0, 0.0)  # nobody has enough other grades: nothing is known of either


@each_case("name", NAMES)
def test_nothing_of_those_to_be_rated_is_learnt(name: str) -> None:
    people = made_people(40)
    split = splits_of(people, SplitsConfig(2))[0]
    learn, test = people.only(split.learn), people.only(split.test)
    spoilt = [replace(answer, grade=1 - (answer.grade or 0), text=f"nonsense {answer.text}") for answer in test.answers]
    spoiled = people_of([*learn.answers, *spoilt])
    fitted, again = predictor(name).fit(learn), predictor(name).fit(spoiled.only(split.learn))
    assert np.array_equal(fitted.predict(test.unrated()), again.predict(test.unrated()))
    assert repr(fitted.state()) == repr(again.state())
    # nor does the answer of one person to be rated depend on who else is
    alone = test.only(test.people[:1]).unrated()
    assert fitted.predict(alone)[0] == pytest.approx(fitted.predict(test.unrated())[0])


def turned(people: PeopleTable, of: tuple[str, ...]) -> PeopleTable:
    """The same ratings, but these persons' grades stand at other questions."""
    grades = {person: [answer.grade for answer in people.of(person)] for person in of}
    answers = [
        replace(answer, grade=grades[answer.person].pop()) if answer.person in grades else answer for answer in people.answers
    ]
    return people_of(answers)


@each_case("name", NAMES)
def test_a_comparison_learns_about_questions_from_one_side_of_the_split(name: str) -> None:
    people = made_people(40)
    split = splits_of(people, SplitsConfig(2))[0]
    [values] = errors_of(people, [split], [name])
    assert list(errors_of(turned(people, split.test), [split], [name])) == [values]
    assert list(errors_of(turned(people, split.learn), [split], [name])) != [values]


def test_where_ratings_are_noise_nothing_is_predicted() -> None:
    rng = np.random.default_rng(4)
    correlations = []
    for seed in range(12):
        made = made_people(60, seed=seed)
        noise = {person: float(rng.random()) for person in made.people}
        people = PeopleTable(made.without_grades().answers, noise)
        split = splits_of(people, SplitsConfig(2, seed=seed))[0]
        predict = predictor("items").fit(people.only(split.learn)).predict(people.only(split.test).unrated())
        correlations.append(np.corrcoef(predict, targets(people.only(split.test)))[0, 1] if np.ptp(predict) else 0.0)
    # a leak would lift all of them; the mean of twelve correlations of 12 people has a standard error of about .09
    assert abs(np.mean(correlations)) < 0.27


def test_it_helps_where_questions_differ_from_person_to_person() -> None:
    rng = np.random.default_rng(6)
    answers, ratings = [], {}
    for person in range(120):
        skill = rng.random()
        ratings[f"p{person}"] = float(skill)
        for question in rng.choice(12, 4, replace=False):
            right = rng.random() < 1 / (1 + np.exp(-8 * (skill - question / 11)))
            answers.append(
                PersonAnswer(f"p{person}", f"q{question}", f"right {question}" if right else f"wrong{rng.integers(99)}")
            )
    key = {f"q{question}": (f"right {question}",) for question in range(12)}
    people = PeopleTable(tuple(answers), ratings, key)
    errors: dict[str, list[float]] = {"items": [], "cbg": []}
    for split in splits_of(people, SplitsConfig(8)):
        for name, error in errors.items():
            learn, test = people.only(split.learn), people.only(split.test)
            off = predictor(name).fit(learn).predict(test.unrated()) - targets(test)
            error.append(float(np.sqrt((off**2).mean())))
    assert np.mean(errors["items"]) < 0.8 * np.mean(errors["cbg"])


@given(st.lists(st.lists(st.sampled_from(["", "yes", "no", "?"]), min_size=3, max_size=3), min_size=1, max_size=12))
def test_any_sheet_gives_finite_columns(rows: list[list[str]]) -> None:
    sheet = [list(column) for column in zip(*rows, strict=True)]
    fitted = QuestionItems().fit(sheet, np.linspace(0, 1, len(rows)), (("yes",), (), ("no",)))
    assert np.isfinite(fitted.columns(sheet)).all()
