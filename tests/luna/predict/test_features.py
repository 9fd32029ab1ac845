"""Features of answers: by hand, and beside other programs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer  # type: ignore[import-untyped]

from tests.luna.predict.made_people import made_people
from vivavoce.errors import BadInput
from vivavoce.luna.predict.answers import Answer, answer_key, content_words, people_of, plain, sheet_of
from vivavoce.luna.predict.features import (
    Bag,
    Compared,
    Neighbour,
    Vectors,
    binary_word_overlap,
    character_edit_distance,
    fraction_word_overlap,
    likeness,
    restored,
    state_of,
    word_edit_distance,
)

NO_RATINGS = np.zeros(0)
KEY = (("bill", "rights"), ("free", "speech"))


def test_marks_and_common_words_vanish() -> None:
    assert content_words("The Bill_of Rights (1791), isn't it?") == ("billof", "rights", "1791", "isnt")
    assert content_words("???") == ()
    assert plain("The Bill_of Rights (1791), isn't it?") == "the bill of rights 1791 isn t it"


def test_questions_left_out_are_empty_texts() -> None:
    table = people_of([Answer("a", "1", "yes"), Answer("b", "2", "no"), Answer("a", "3", "more")])
    assert sheet_of(table, ["1", "2"]) == [["yes", ""], ["", "no"]]


def test_the_key_is_the_commonest_answer_with_the_best_grade() -> None:
    rows = [("a", "Paris", 1.0), ("b", "PARIS!", 1.0), ("c", "paris france", 1.0), ("d", "Rome", 0.5)]
    rows += [(f"e{n}", "the Rome", 0.5) for n in range(4)] + [(f"f{n}", "the", 1.0) for n in range(9)]
    table = people_of(Answer(person, "q", text, grade) for person, text, grade in rows)
    assert answer_key(table) == (("paris",),)
    assert answer_key(table.without_grades()) == (("rome",),)
    assert answer_key(people_of([Answer("a", "q", "???")])) == ((),)


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


def plain_levenshtein(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for at, letter in enumerate(one, start=1):
        before, row[0] = row[0], at
        for place, there in enumerate(other, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (letter != there))
    return row[-1]


@given(st.text("abc ", max_size=8), st.text("abc ", max_size=8))
def test_edit_distances_are_those_of_the_textbook(one: str, other: str) -> None:
    assert likeness("nnc", [one], [other])[0, 0] == -plain_levenshtein(one, other)
    letters = {word: chr(65 + place) for place, word in enumerate(dict.fromkeys([*one.split(), *other.split()]))}
    coded = ["".join(letters[word] for word in text.split()) for text in (one, other)]
    assert likeness("nnw", [one], [other])[0, 0] == -plain_levenshtein(*coded)
    assert likeness("nno", [one], [other])[0, 0] == len(set(one.split()) & set(other.split()))


def test_compared_columns_go_by_question_and_person() -> None:
    sheet = [["the bill of rights", "rights"], ["", "free speech"]]
    assert Compared("fwo").fit(sheet, NO_RATINGS, KEY).columns(sheet).tolist() == [[1.0, 0.0], [0.5, 1.0]]


def test_bags_are_those_of_scikit_learn() -> None:
    table = made_people(20)
    sheet = sheet_of(table, table.questions)
    together = [" ".join(texts) for texts in zip(*sheet, strict=True)]
    for of, sizes in (("words", (1, 1)), ("bigrams", (2, 2))):
        settings = {"analyzer": lambda text, size=sizes[0]: ngrams(text, size), "binary": True}
        own = Bag("words" if of == "words" else "bigrams").fit(sheet, NO_RATINGS, ())
        columns = own.columns(sheet).toarray()
        theirs = CountVectorizer(**settings).fit(together if of == "words" else [text for texts in sheet for text in texts])
        assert [term for _, term in own.terms] == theirs.get_feature_names_out().tolist()
        by_answer = sum(theirs.transform(texts).toarray() for texts in sheet)
        assert np.array_equal(columns, np.minimum(by_answer, 1))
    apart = Bag("words", by_question=True).fit(sheet, NO_RATINGS, ())
    theirs_apart = [CountVectorizer(analyzer=content_words, binary=True).fit_transform(texts).toarray() for texts in sheet]
    assert np.array_equal(apart.columns(sheet).toarray(), np.hstack(theirs_apart))


def ngrams(text: str, size: int) -> list[str]:
    words = content_words(text)
    return [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]


def test_unknown_words_are_left_out() -> None:
    bag = Bag("words").fit([["red green"]], NO_RATINGS, ())
    assert bag.columns([["green blue green"]]).toarray().tolist() == [[1.0, 0.0]]


def test_neighbours_by_hand() -> None:
    sheet = [["red green blue", "red yellow", "yellow"]]
    ratings = np.array([0.2, 0.6, 0.9])
    asked = [["yellow red", "blue", "nothing like it", "yello"]]
    # most words shared: the second (2), the first (1), none: the first, none: the first
    assert Neighbour("nno").fit(sheet, ratings, ()).columns(asked).ravel().tolist() == [0.6, 0.2, 0.2, 0.2]
    # fewest edits of "yello": the third; of whole words "blue" is one edit from "yellow", two from all others
    assert Neighbour("nnc").fit(sheet, ratings, ()).columns(asked)[3, 0] == 0.9
    assert Neighbour("nnw").fit(sheet, ratings, ()).columns(asked)[1, 0] == 0.9


def test_the_first_of_equal_answers_counts_and_everybody_is_her_own_neighbour() -> None:
    sheet = [["green", "the green", "red", "red green"]]
    found = Neighbour("nno").fit(sheet, np.array([0.1, 0.2, 0.3, 0.4]), ())
    assert found.columns(sheet).ravel().tolist() == [0.1, 0.1, 0.3, 0.4]


def test_words_of_the_same_answers_have_like_vectors() -> None:
    sheet = [
        ["car engine", "engine wheel", "car wheel", "milk cheese", "cheese butter", "milk butter", "bee", "ant", "fly"] * 2
    ]
    found = Vectors().fit(sheet, NO_RATINGS, (("car",),)).columns([["car", "wheel", "milk", "unknown", ""]]).ravel()
    assert found[0] == pytest.approx(1)
    assert found[1] > 0.3 > abs(found[2])
    assert found[3:].tolist() == [0, 0]


def test_settings_come_from_the_name_and_what_was_learnt_from_the_state() -> None:
    fitted = Neighbour("nno").fit([["red"]], np.array([0.5]), ())
    assert restored(Neighbour("nnc"), state_of(fitted)) == Neighbour("nnc", fitted.texts, fitted.ratings)
    for wrong in ({}, {"texts": [["red"]], "ratings": [[]]}, {"texts": [["red"]], "ratings": [[float("nan")]]}, {"texts": 3}):
        with pytest.raises(BadInput, match="no state of a Neighbour"):
            restored(Neighbour("nno"), wrong)
