"""Kinds of plain replies with a name: what states it, and a neighbour of each that does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.spellings import spellings_of, unaccented
from vivavoce.interview.forms.statements import DONT_KNOW
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.forms.yes_no import read_yes_no

NAMES = st.sampled_from(["Rembrandt", "Marie Curie", "Kepler", "Verdi", "Ada Lovelace"])
OTHERS = st.sampled_from(["Vermeer", "Lise Meitner", "Brahe", "Puccini"])


def read(reply: str, name: str, question: str = "Who was it?") -> str | None:
    return ShortText(known=((name,),), question=question).read(reply).value


STATED = (
    "It was made by {} between 1503 and 1519.", "It was made by {}, signed in the year of the fire.", "Hi there! It was {}.",
    "Sure thing! {}.", "Who? {}, of course.", "Name: {}\nYear: 1642", "1. {}", "This is known as {}, in which much happens.",
    "## Answer\n\n{}\n\n## Explanation\n\nIt is told in all books of the time.", "<reply><name>{}</name></reply>",
    "Great question! It's {}, not Dürer.", "Not Dürer, not Holbein: {}.", "It was by {} and shown in 1642.",
    "Es war nicht Dürer, sondern {}.", "Ce n'est pas Dürer mais {}.", "C'est l'œuvre d'{}.", "{}, nicht Dürer.",
    "```text\n{}\n```", "作者是{}。", "画家は{}です。",
)  # fmt: skip
NOT_STATED = (
    "It was made by a pupil of {}.", "It was made in the style of {}.", "It was made by the teacher of {}.",
    "It was made after {}.", "It was copied from {}.", "{} ist es jedenfalls nicht.", "Das stammt keineswegs von {}.",
    "{} (scratch that: Dürer)", "{}, I mean, Dürer.", "{} is out of the question.", "{} fails the second test.",
    "{} can be eliminated.", "{} is a red herring.", "Suppose the answer is {}.", "Pretend the answer is {}.",
    "If it were older, the answer would be {}.", "The answer would have been {} in 1939.", "I wish it were {}.",
    "Reply with a name, for example: {}", "Format your reply like this:\nAnswer: {}", 'Please reply in the form "Answer: {}".',
    "Your reply should end with a line such as:\nAnswer: {}", "Answer: {} (example)", "Yeah right, it was {}.",
    "The one who did it is Dürer; {} was his rival.", "Dürer is the painter. {} came later.", "绝不是{}。",
    "It is waiting to be {}.",
)  # fmt: skip


@given(NAMES, st.sampled_from(STATED), st.sampled_from(NOT_STATED))
def test_a_name_is_read_where_it_is_stated_and_not_where_it_is_not(name: str, stated: str, not_stated: str) -> None:
    assert read(stated.format(name), name) == name
    assert read(not_stated.format(name), name) != name


@given(NAMES, OTHERS)
def test_what_somebody_is_to_another_is_an_answer_where_it_is_asked_for(name: str, other: str) -> None:
    text = f"It was made by a pupil of {name}."
    assert read(text, name, "Who painted it?") is None
    assert read(text, name, "A pupil of which painter made it?") == name
    assert read(f"It was made by {name}, a pupil of {other}.", name, "Who painted it?") == name


@pytest.mark.parametrize(
    ("accepted", "said"),
    [
        ("São Paulo", "Sao Paulo"), ("Köln", "Koeln"), ("Köln", "Koln"), ("Reykjavik", "Reykjavík"), ("US", "The U.S. did."),
        ("The Beatles", "beatles"), ("Beatles", "The Beatles"), ("CO2", r"It is $\text{CO}_2$."), ("Łódź", "Lodz"),
        ("O(n log n)", r"$O(n \log n)$"), ("Rhin", "Réponse : le Rhin"), ("Émile Zola", "Un roman d'Émile Zola."),
    ],
)  # fmt: skip
def test_spellings_of_one_answer(accepted: str, said: str) -> None:
    assert fold(read(said, accepted) or "") == fold(accepted)


@pytest.mark.parametrize(("accepted", "said"), [("pêche", "péché"), ("año", "ano"), ("It", "It is so.")])
def test_words_that_differ_by_more_than_a_spelling(accepted: str, said: str) -> None:
    value = read(f"Answer: {said}", accepted)
    assert value is None or value.casefold() != accepted.casefold()


@given(st.text(st.characters(categories=["L"]), max_size=20))
def test_a_text_keeps_its_length_without_accents(text: str) -> None:
    assert len(unaccented(text)) == len(text)
    assert len(set(spellings_of(text))) == len(spellings_of(text))


EAST = st.sampled_from(["東京", "北京", "서울", "鲁迅"])


@given(
    EAST,
    st.sampled_from(
        [
            "日本の首都は{}です。",
            "中国的首都是{}。",
            "首都不是大阪，而是{}。",
            "首都は京都ではなく、{}です。",
            "수도는 {}입니다.",
        ]
    ),
    st.sampled_from(
        ["首都不是{}。", "首都は{}ではありません。", "首都は{}ですか？", "首都是{}或大阪。", "수도는 {}가 아닙니다.", "{}大学"]
    ),
)
def test_a_sentence_without_blanks(name: str, stated: str, not_stated: str) -> None:
    assert read(stated.format(name), name) == name
    assert read(not_stated.format(name), name) != name


@pytest.mark.parametrize(
    ("reply", "side"),
    [
        ("Yes, penguins are birds, even though they can't fly.", "yes"), ("No doubt about it: yes.", "yes"),
        ("No. 91 = 7 × 13, so it is not prime.", "no"), ("No. 5 is a perfume.", None), ("That's not correct, so no.", "no"),
        ("It's a no from me.", "no"), ("Sadly not, so no.", "no"), ("Yes Bank is an Indian lender.", None),
        ("Short answer: no. Long answer: yes, under some conditions.", None), ("Yes for adults, no for children.", None),
        ("Yes, please tell me more.", None), ("Yes, but they can't fly.", None), ("No record exists.", None),
    ],
)  # fmt: skip
def test_yes_and_no_with_more_words(reply: str, side: str | None) -> None:
    assert read_yes_no(reply).value == side


@given(
    NAMES,
    st.sampled_from(
        [
            "The first moons of Jupiter were seen by {} in 1610, although the drawings were lost for years.",
            "The moons of Jupiter were first seen by {}, and the book about them never left the house.",
            "The moons of Jupiter were first seen by {}, a scholar, and described in 1610.",
        ]
    ),
    st.sampled_from(
        [
            "The moons of Jupiter were seen by {}, although I am not sure.",
            "The moons of Jupiter were seen by Marius, just as Mars was seen by {}.",
            "The moons of Jupiter were seen by {} or Marius.",
            "The moons of Jupiter were seen by Marius. The newer book is by {}.",
            "They were seen by Marius. {} was second.",
        ]
    ),
)
def test_a_sentence_about_the_question_may_say_more(name: str, stated: str, not_stated: str) -> None:
    question = "Who was the first to see the moons of Jupiter?"
    assert read(stated.format(name), name, question) == name
    assert read(not_stated.format(name), name, question) is None


@pytest.mark.parametrize("reply", ["I'm sorry, I don't know.", "Das weiß ich leider nicht.", "I'm sorry, but I don't know."])
def test_an_apology_goes_with_ignorance(reply: str) -> None:
    assert ShortText().read(reply) == DONT_KNOW


def test_no_with_an_offer_is_no_and_with_a_yes_is_neither() -> None:
    assert read_yes_no("No, sorry, we don't have one, but you can sign up for our letter.").value == "no"
    assert read_yes_no("No, that's not what I thought at first, but yes.").value is None
