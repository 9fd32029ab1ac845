"""Options in sentences, in the words of the question, and of published questions: what is chosen, and what is not."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path
from random import Random
from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.forms.one_option import OneOption

CITIES = ("Lyon", "Paris", "Nice", "Lille")
PLANETS = ("Earth", "Mars", "Jupiter", "Venus")
TABS = ("Settings", "Billing", "Profile", "Integrations")
LETTERS = st.sampled_from("ABCD")
ORDERS = st.permutations("ABCD")


def read(reply: str, options: tuple[str, ...] = CITIES, question: str = "") -> str:
    """The letter that is read; empty where none is."""
    return OneOption(options, question=question).read(reply).value or ""


def text(letter: str, options: tuple[str, ...] = CITIES) -> str:
    return options["ABCD".index(letter)]


LISTS = ("{}, {} and {}", "{}, {}, and {}", "{}, {} or {}", "{} and {}, {}")
SAID_OF_ALL = (" all have moons.", " are planets.", " have moons, of course.", ".", "")


@given(ORDERS, st.sampled_from(LISTS), st.sampled_from(SAID_OF_ALL))
def test_several_options_as_a_subject_choose_none(order: list[str], listed: str, reply: str) -> None:
    texts = [text(letter, PLANETS) for letter in order]
    assert read(listed.format(*texts[:3]) + reply, PLANETS) == ""
    assert read(f"{texts[0]}, {texts[1]}{reply}", PLANETS) == ""
    assert read(f"The answer is {texts[0]}, {texts[1]}.", PLANETS) == ""
    assert read(f"{texts[0]}, not {texts[1]}.", PLANETS) == order[0]


NO_MOONS = "Which planet has NO moons?"
DIFFERS = (
    "{0}, {1} and {2} all have moons, while {3} does not.",
    "{0}, {1}, and {2} have moons, but {3} doesn't.",
    "{0}, {1} and {2} have moons; {3} does not have moons.",
    "{0} has moons, {1} has moons, and {2} has moons, whereas {3} does not.",
    "{3} has no moons.",
    "{3} does not have moons.",
)


@given(ORDERS, st.sampled_from(DIFFERS))
def test_the_option_that_differs_is_chosen_where_the_question_is_negated(order: list[str], template: str) -> None:
    reply = template.format(*(text(letter, PLANETS) for letter in order))
    assert read(reply, PLANETS, NO_MOONS) == order[3]
    assert read(reply, PLANETS, "Which planet has moons?") == ""


@given(ORDERS)
def test_what_holds_of_an_option_does_not_choose_it_where_the_question_is_negated(order: list[str]) -> None:
    first, second, third, fourth = (text(letter, PLANETS) for letter in order)
    assert read(f"{first} has moons.", PLANETS, NO_MOONS) == ""
    assert read(f"{first} has moons.", PLANETS, "Which planet has moons?") == order[0]
    assert read(f"{first} and {second} have moons, {third} and {fourth} do not.", PLANETS, NO_MOONS) == ""
    assert read(f"{order[0]}. {first} does not have moons.", PLANETS, NO_MOONS) == order[0]
    assert read(f"{order[0]}. {first} does not have moons.", PLANETS, "Which planet has moons?") == ""
    assert read(f"{order[0]}. {first} is not the right planet.", PLANETS, NO_MOONS) == ""


BRANCHES = (
    "If we count the suburbs, then {}; otherwise {}.",
    "It depends: if we count the suburbs, then {}, otherwise {}.",
    "If we count the suburbs, the answer is {}; otherwise the answer is {}.",
    "If we count the suburbs, the answer is {}. Otherwise, it's {}.",
    "Assuming that the suburbs count, it is {}. If not, it would be {}.",
    "Unless the suburbs count, {}, else {}.",
    "{}, if you count the suburbs; {} otherwise.",
    "It is {} if the suburbs count and {} otherwise.",
)


@given(ORDERS, st.sampled_from(BRANCHES), st.booleans())
def test_a_choice_that_depends_on_a_condition_is_none(order: list[str], reply: str, by_text: bool) -> None:
    first, second, third = (text(letter) if by_text else letter for letter in order[:3])
    assert read(reply.format(first, second)) == ""
    assert read(f"{reply.format(first, second)}\nFinal answer: {third}") == order[2]
    assert read(f"If it were {first}, it would lie at the sea; otherwise it would not. So the answer is {second}.") == order[1]


DESCRIBED = (
    "is the capital and largest city.", "is a city by the sea, which has a port.", "has been the capital for a long time.",
    "was founded by the Romans. It has a port.", "is the capital, unlike {}.",
    "is often called the city of light due to its lamps, unlike {}, which is dark.", "is the capital, not {}.",
    "is the capital, while the others are ports.", "is the capital. {} is the largest city.",
)  # fmt: skip
TURNED = (
    "is not the capital.",
    "is the largest city, but {} is the capital.",
    "is commonly mistaken for the capital.",
    "is larger than {}.",
    "is a capital. However, the answer is {}.",
)
LABELS = ("{0}. {1}", "{0}) {1}", "The answer is {0}. {1}", "The correct answer is ({0}). {1}", "Answer: {0}. {1}")


@given(ORDERS, st.sampled_from(LABELS), st.sampled_from(DESCRIBED))
def test_a_letter_before_a_sentence_about_its_option_is_chosen(order: list[str], label: str, reply: str) -> None:
    own, other = text(order[0]), text(order[1])
    assert read(f"{label.format(order[0], own)} {reply.format(other)}") == order[0]


@given(ORDERS, st.sampled_from(LABELS), st.sampled_from(TURNED))
def test_a_sentence_that_turns_from_its_option_chooses_it_not(order: list[str], label: str, reply: str) -> None:
    assert read(f"{label.format(order[0], text(order[0]))} {reply.format(text(order[1]))}") in ("", order[1])


@given(ORDERS, st.sampled_from(LABELS))
def test_a_letter_before_a_sentence_that_gives_another_option_is_unreadable(order: list[str], label: str) -> None:
    question = "Which is the capital of the region?"
    own, other = text(order[0]), text(order[1])
    assert read(f"{label.format(order[0], own)} is the capital of the region.", question=question) == order[0]
    assert read(f"{label.format(order[0], other)} is the capital of the region.", question=question) == ""
    assert read(f"{label.format(order[0], other)} is a port, but not the capital.", question=question) in ("", order[0])


AUTHORS = ("Charles Dickens", "Jane Austen", "Mark Twain", "George Eliot")
IN_ITS_WORDS = (
    (AUTHORS, "Who wrote Emma?", ("{} wrote Emma.", "{} wrote Emma, which came out in 1815.", "**{}** wrote *Emma*.")),
    (AUTHORS, "Who wrote Emma?", ("{} wrote Emma in 1815.",)),
    (
        ("Nile", "Amazon", "Yangtze", "Mississippi"),
        "Which river flows through Brazil?",
        (
            "The {} flows through Brazil.",
            "The {} River.",
            "The {} river, of course.",
            "The {} flows through Brazil, unlike the {}.",
            "The {} River. The {} is in another country.",
        ),
    ),
    (
        TABS,
        "Under which tab do customers update their credit card?",
        (
            "The {} tab.", "{} tab", "Under the {} tab.", "Customers update their credit card under the {} tab.",
            "You'll find it under “{}”.", "Hi there! They can change it under {}.",
        ),
    ),
    (
        TABS,
        "Wo ändern Kunden ihre Karte?",
        ("Das geht unter „{}“. Klicken Sie dort auf „Ändern“.", "Das finden Sie unter „{}“."),
    ),
    (
        ("Full refund", "Store credit", "Exchange only", "Gift card"),
        "What does a customer get when returning a sale item?",
        ("You'll receive a {} within 5 days.", "Customers get {}.", "Sale items can be returned for {} only."),
    ),
    (
        ("Mercurio", "Júpiter", "La Tierra", "Marte"),
        "¿Qué planeta se conoce como el planeta rojo?",
        ("El planeta rojo es {}, por el óxido de hierro de su superficie.", "El planeta rojo es {}."),
    ),
    (("Zeno", "Crito", "Socrates", "Gorgias"), "Whom did Plato teach?", ("{} was taught by Plato.",)),
    (("umbrella", "anorak", "apple", "atlas"), "What do you take?", ("An {}.", "An {}, of course.")),
)  # fmt: skip
CASES = [(options, question, reply) for options, question, replies in IN_ITS_WORDS for reply in replies]
OPENINGS = ("Maybe ", "I doubt that ", "Not ", "If ", "Some say ")


@pytest.mark.parametrize(("options", "question", "reply"), CASES)
@given(order=ORDERS, opening=st.sampled_from(OPENINGS))
def test_an_option_in_the_words_of_the_question_is_chosen(
    options: tuple[str, ...], question: str, reply: str, order: list[str], opening: str
) -> None:
    own, other = text(order[0], options), text(order[1], options)
    assert read(reply.format(own, other), options, question) == order[0]
    assert read(opening + reply.format(own, other), options, question) != order[0]
    assert read(reply.format(f"{own} or {other}", other), options, question) == ""


NOT_ITS_WORDS = (
    ("The {} flows through Egypt.", "Which river flows through Brazil?", ("Nile", "Amazon", "Volga", "Po")),
    ("{} did not write Emma.", "Who wrote Emma?", AUTHORS),
    ("{} wrote Emma? No.", "Who wrote Emma?", AUTHORS),
    ("{0} wrote Emma, and {1} wrote Emma as well.", "Who wrote Emma?", AUTHORS),
    ("Plato taught {}.", "Who taught Plato?", ("Zeno", "Crito", "Socrates", "Gorgias")),
    ("It's not under the {} tab.", "Under which tab is it?", TABS),
    ("It used to be under the {} tab.", "Under which tab is it?", TABS),
    ("We can't offer a {}.", "What do customers get?", ("refund", "voucher", "gift", "discount")),
    ("Other items can be returned for a {}.", "What does one get for a sale item?", ("refund", "voucher", "gift", "discount")),
    ("El planeta rojo no es {}.", "¿Qué planeta se conoce como el planeta rojo?", ("Marte", "Venus", "Urano", "Saturno")),
    ("{} was taught by Plato.", "Who taught Plato?", ("Zeno", "Crito", "Socrates", "Gorgias")),
    ("You can mix bleach with {}.", "What should you not mix with bleach?", ("water", "ammonia", "salt", "sugar")),
    ("Das geht nicht unter „{}“.", "Wo ändern Kunden ihre Karte?", TABS),
)


@pytest.mark.parametrize(("reply", "question", "options"), NOT_ITS_WORDS)
@given(order=ORDERS)
def test_other_words_than_those_of_the_question_choose_none(
    reply: str, question: str, options: tuple[str, ...], order: list[str]
) -> None:
    assert read(reply.format(text(order[0], options), text(order[1], options)), options, question) == ""


@given(LETTERS, LETTERS, st.sampled_from(("{}. {}", "{}) {}", "({}) {}", "Answer: {}. {}", "The answer is {}. {}")))
def test_the_number_of_an_option_may_stand_before_its_text(letter: str, other: str, style: str) -> None:
    words = style.format("ABCD".index(letter) + 1, text(other))
    assert read(words) == (letter if letter == other else "")
    assert read(f"1. {text('A')}\n2. {text('B')}") == ""


CONCLUSIONS = (
    "So it must be {}.",
    "It's not {1} or {2}, and {3} is on the coast, so it must be {0}.",
    "{1} is where it ended and {2} is where it went on; {3} is far away. So it has to be {0}.",
    "I can rule out {1}, {2} and {3}, which leaves {0}.",
    "{1} and {2} are too far away. That leaves only {0}.",
    "{1} and {2} are only ports, so the capital must be {0}.",
)


@given(ORDERS, st.sampled_from(CONCLUSIONS))
def test_a_conclusion_about_an_options_text_chooses_it(order: list[str], reply: str) -> None:
    texts = [text(letter) for letter in order]
    assert read(reply.format(*texts)) == order[0]
    assert read(reply.format(f"{texts[0]} or {texts[1]}", *texts[1:])) == ""
    assert read(reply.replace("must be", "cannot be").replace("has to be", "cannot be").format(*texts)) in (
        "",
        *([] if "not be" in reply.replace("must", "not").replace("has to", "not") else [order[0]]),
    )


ALL_ABOVE = ("Mammals", "Birds", "Reptiles", "All of the above")


@each_case("named", ["A, B and C", "A, B, and C", "Mammals, birds and reptiles"])
@each_case("reply", ["are all vertebrates", "are vertebrates", "have a backbone"])
def test_letters_before_a_conclusion_are_its_reason(named: str, reply: str) -> None:
    assert read(f"{named} {reply}, so D.", ALL_ABOVE) == "D"
    for open_one in ("so D?", "so not D.", "so D is wrong.", "I think."):
        assert read(f"{named} {reply}, {open_one}", ALL_ABOVE) == ""


@each_case(
    ("reply", "letter"),
    [
        ("Earth: hot. Mars: cold. Venus: neutral. So it's Venus.", "D"),
        ("Earth = hot, Mars = cold, so Venus", "D"),
        ("Earth: hot. Mars: cold.", ""),
        ("Earth: it is hot.", "A"),
    ],
)
def test_a_text_before_its_description_is_no_choice_among_others(reply: str, letter: str) -> None:
    assert read(reply, PLANETS) == letter


@each_case("reply", ["正解はCの{}です。", "答えはCの{}。", "Cの{}です。", "Cの{}が正解です。"])
def test_a_letter_may_be_joined_to_its_text_in_japanese(reply: str) -> None:
    cities = ("シドニー", "メルボルン", "キャンベラ", "パース")
    assert read(reply.format("キャンベラ"), cities) == "C"
    assert read(reply.format("キャンベラ"), ("Sydney", "Melbourne", "Canberra", "Perth")) == "C"
    if "正解です" not in reply:
        assert read(reply.format("可能性"), cities) == ""
        assert read(reply.format("シドニー"), cities) == ""
    assert read("正解はCではありません。", cities) == ""


@given(LETTERS)
def test_a_letter_before_brackets_is_a_function_and_no_option(letter: str) -> None:
    options = ("O(n)", "O(n log n)", "O(n^2)", "O(log n)")
    own = text(letter, options)
    assert read(f"{letter}. Merge sort is {own} in all cases.", options) == letter
    assert read(f"{letter}. Unlike others, which degrade to T(n), it is {own}.", options) == letter
    assert read(f"{letter}(because it halves)", options) == letter


FILE = Path(os.environ.get("VIVA_DATA", "")) / "mmlu_pro" / "questions.jsonl.gz"
CHOSEN = (
    "Answer: {X}", "The answer is ({X}) {text}.", "{X}. {text}", "Answer: {text}", "Therefore, option ({X}) is correct.",
    "{question}\n\n{all}\n\nTherefore, the answer is ({X}) {text}.",
    "{X}\n\nExplanation: {text} is what follows. {other} is not it.",
    "The answer is {X}, because {text} is right and {other} is wrong.", "Answer: {Y}. Wait, no: {X}.",
    "({X}) {text}: correct\n({Y}) {other}: incorrect", "Answer: {X}\n\nQuestion: {question}\nAnswer: {Y}", "Not {Y}. {X}.",
)  # fmt: skip
NOT_CHOSEN = ("({X}) is incorrect.", "{text} is wrong.", "Answer: {X}) {other}", "{X} and {Y}", "The answer is not {X}.")


@pytest.mark.data
@pytest.mark.skipif(not FILE.is_file(), reason="$VIVA_DATA does not name the research data folder")
@pytest.mark.long
def test_options_of_published_questions_are_read_as_they_are_named() -> None:
    with gzip.open(FILE, "rt", encoding="utf-8") as file:
        questions = [json.loads(line) for line in file]
    random = Random(0)
    unread, wrong = Counter[str](), Counter[str]()
    for question in random.sample(questions, 400):
        options = tuple(map(str, question["options"]))
        index = random.randrange(len(options))
        near = (index + 1) % len(options)
        words = {
            "X": ascii_uppercase[index],
            "Y": ascii_uppercase[near],
            "text": options[index],
            "other": options[near],
            "question": question["question"],
            "all": "\n".join(f"({letter}) {option}" for letter, option in zip(ascii_uppercase, options, strict=False)),
        }
        form = OneOption(options)
        for frame in CHOSEN:
            letter = form.read(frame.format(**words)).value
            unread[frame] += letter is None
            wrong[frame] += letter not in (None, words["X"])
        for frame in NOT_CHOSEN:
            wrong[frame] += form.read(frame.format(**words)).value is not None
    assert all(count <= 8 for count in unread.values()), unread
    assert all(count <= 4 for count in wrong.values()), wrong
    assert wrong.total() <= 8, wrong
