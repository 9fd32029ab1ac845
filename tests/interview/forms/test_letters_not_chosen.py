"""Letters that a reply names without choosing them, and choices that are said in sentences; each kind with its neighbours."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.forms.plain import RIGHT_MARKS, WRONG_MARKS

CITIES = ("Lyon", "Paris", "Nice", "Lille")
LETTERS = st.sampled_from("ABCD")
TWO = st.permutations("ABCD").map(lambda letters: (letters[0], letters[1]))
ORDERS = st.permutations("ABCD")


def read(reply: str, options: tuple[str, ...] = CITIES) -> str:
    """The letter that is read; empty where none is."""
    return OneOption(options).read(reply).value or ""


def text(letter: str) -> str:
    return CITIES["ABCD".index(letter)]


@given(
    ORDERS,
    st.sampled_from(RIGHT_MARKS),
    st.sampled_from(WRONG_MARKS),
    st.sampled_from(("{} {}", "{}) {}", "({}) {}", "{}: {}", "{}{}")),
    st.sampled_from((" ", ", ", "; ", " | ")),
)
def test_marks_in_one_line_belong_to_the_letter_before_or_behind(
    order: list[str], right: str, wrong: str, style: str, between: str
) -> None:
    chosen = order[0]
    marks = {letter: right if letter == chosen else wrong for letter in "ABCD"}
    assert read(between.join(style.format(letter, marks[letter]) for letter in sorted(order))) == chosen
    assert read(between.join(f"{marks[letter]} {letter}" for letter in sorted(order))) == chosen
    assert read(between.join(f"{letter} {text(letter)} {marks[letter]}" for letter in sorted(order))) == chosen
    both = {letter: right if letter in order[:2] else wrong for letter in "ABCD"}
    assert read(between.join(style.format(letter, both[letter]) for letter in sorted(order))) == ""


@given(ORDERS, st.sampled_from((("yes", "no"), ("true", "false"), ("T", "F"), ("right", "wrong"))), st.sampled_from("?:=–"))
def test_words_in_one_line_are_verdicts_on_letters(order: list[str], words: tuple[str, str], sign: str) -> None:
    right, wrong = words
    after = " " if sign in "?:" else ""
    texts = [f"{letter}{sign}{after}{right if letter == order[0] else wrong}" for letter in sorted(order)]
    assert read(", ".join(texts)) == order[0]
    assert read(", ".join(f"{letter}{sign}{after}{wrong}" for letter in order[:2])) == ""


OPEN = (
    "{0} is wrong, and I can't decide between {1} and {2}.", "{0} is out and I cannot choose between {1} and {2}.",
    "I can't rule out {1} or {2}, but {0} is wrong.", "{0} is wrong. I don't know about {1} and {2}.",
    "{0}, {1}: no. {2}: no idea.", "{0} and {1} are wrong. {2}: maybe.",
    "I can rule out {0}, {1} and {2} only if the map is right.", "{0}, {1} and {2} can be excluded, provided the map is right.",
    "I cannot exclude {0}, {1} or {2}.", "{0}, {1} and {2} may be wrong.", "Perhaps {0}, {1} and {2} are wrong.",
    "I'm not sure that {0}, {1} and {2} are wrong.",
)  # fmt: skip
LEFT = (
    "{0}, {1} and {2} are wrong.", "I can rule out {0}, {1} and {2}.", "Neither {0}, {1} nor {2}.",
    "None of {0}, {1} or {2} fits, so {3}.", "Neither {0} nor {1}; {3}.", "Neither {0} nor {1}, {3}.",
    "It's not {0} or {1}; {3}.", "Not {0} and not {1}; {3} is right.", "Not {0}, {3} is right.",
    "Between {0} and {3}, {3} is the better choice.",
)  # fmt: skip


@given(ORDERS, st.sampled_from(OPEN), st.sampled_from(LEFT))
def test_an_option_is_left_only_if_the_others_are_denied(order: list[str], undecided: str, denied: str) -> None:
    assert read(undecided.format(*order)) == ""
    assert read(denied.format(*order)) == order[3]


RANKS = (
    ("My second choice would be {}.", "My first choice would be {}."),
    ("The next best option is {}.", "The next best step is {}."),
    ("The second-best answer is {}.", "The best answer is {}."),
    ("The runner-up is {}.", "The winner is {}."),
    ("Second choice: {}", "First choice: {}"),
    ("The second most likely answer is {}.", "The most likely answer is {}."),
    ("My fallback answer is {}.", "My answer is {}."),
    ("Next in line is {}.", "First in line is {}."),
    ("{} as a second choice.", "I choose {}, as the second statement is false."),
)


@given(TWO, st.sampled_from(RANKS))
def test_an_option_that_comes_second_is_not_chosen(letters: tuple[str, str], ranks: tuple[str, str]) -> None:
    second, first = ranks
    assert read(second.format(letters[0])) == ""
    assert read(first.format(letters[0])) == letters[0]
    assert read(f"{first.format(letters[0])}\n{second.format(letters[1])}") == letters[0]


@given(
    TWO,
    st.sampled_from(("Tom", "Anna Miller", "My friend", "He", "The majority", "GPT-4", "Everybody")),
    st.sampled_from(("chose", "picked", "went with", "selected option", "voted for")),
)
def test_what_others_chose_is_no_choice(letters: tuple[str, str], person: str, chose: str) -> None:
    assert read(f"{person} {chose} {letters[0]}.") == ""
    assert read(f"I choose {letters[0]}.") == letters[0]
    assert read(f"{person} {chose} {letters[0]}, but the answer is {letters[1]}.") == letters[1]
    assert read(f"Tom thinks the answer is {letters[0]}.") == ""
    assert read(f"So I think the answer is {letters[0]}.") == letters[0]


@given(TWO, st.sampled_from(("{0} ({2}%), {1} ({3}%)", "Answer: {0} ({2}%), {1} ({3}%)", "{0}: {2}%, {1}: {3}%")))
def test_equal_shares_leave_it_open(letters: tuple[str, str], frame: str) -> None:
    assert read(frame.format(*letters, 50, 50)) == ""
    if ":" not in frame.removeprefix("Answer:"):
        assert read(frame.format(*letters, 90, 10)) == letters[0]


@given(
    TWO,
    st.sampled_from((", but also arguably {}", ", but arguably {} too", " (or arguably {})", ", though {} is also possible")),
    st.sampled_from((", but not {}", ", though {} is wrong", " ({} is wrong)", ", not {}")),
)
def test_another_letter_that_may_also_be_right_leaves_it_open(letters: tuple[str, str], also: str, denied: str) -> None:
    first, second = letters
    assert read(first + also.format(second)) == ""
    assert read(f"Answer: {first}{also.format(second)}") == ""
    assert read(f"Answer: {first}{denied.format(second)}") == first


@given(
    LETTERS,
    st.sampled_from(("is_correct", "correct", "isRight".lower(), "verdict", "result")),
    st.sampled_from((False, "false", "incorrect", "Wrong", "no")),
)
def test_a_field_that_calls_the_answer_wrong_takes_it_back(letter: str, key: str, wrong: object) -> None:
    key = "is_right" if key == "isright" else key
    for fields in ({"answer": letter, key: wrong}, {key: wrong, "answer": letter}):
        assert read(json.dumps(fields)) == ""
        assert OneOption(CITIES).read_fields(fields).value is None
    assert read(json.dumps({"answer": letter, key: True})) == letter
    assert OneOption(CITIES).read_fields({"answer": letter, key: True}).value == letter


@given(LETTERS, st.sampled_from(("Result", "Verdict", "Status")), st.sampled_from(("Incorrect", "wrong", "❌ Incorrect")))
def test_a_line_that_calls_the_answer_wrong_takes_it_back(letter: str, label: str, wrong: str) -> None:
    assert read(f"Your answer: {letter}\n{label}: {wrong}") == ""
    assert read(f"Answer: {letter}\n{wrong}.") == ""
    assert read(f"Your answer: {letter}\n{label}: correct") == letter
    assert read(f"Answer: {letter}\n{label}: wrong options are the others") == letter


ECHOES = (
    "Format: [[{}]]", "Output format: {}", "Example: Answer: {}", "Example:\nAnswer: {}", "Sample answer: {}",
    "Example - Answer: {}", "Here is an example: Answer: {}", "Template: Answer: {}", "Reply with a letter, e.g. {}",
    "Reply with one letter, for example {}.", "Answer with a single letter such as {}.",
    "Please answer in the form 'Answer: {}'.", "Format your answer like this: {}",
)  # fmt: skip
ANSWERS_IN_FORM = (
    "Here is my answer in the requested format: [[{}]]",
    "In the required format: Answer: {}",
    "Following the format:\n\nAnswer: {}",
    "It is like Rome, for example. Answer: {}",
    "Answer: {}, e.g. because it is by the sea.",
)


@given(TWO, st.sampled_from(ECHOES), st.sampled_from(ANSWERS_IN_FORM))
def test_an_example_or_a_format_is_no_choice(letters: tuple[str, str], echo: str, answer: str) -> None:
    assert read(echo.format(letters[0])) == ""
    assert read(answer.format(letters[0])) == letters[0]
    assert read(f"{echo.format(letters[0])}\nAnswer: {letters[1]}") == letters[1]


PARTS = (
    ("Dear Mr. {}., thank you.", "Dear Mr. Smith, it is {}."), ("Hello Dr. {}.!", "Hello! {}"),
    ("{}/c you gave no question, I can't answer.", "{}/"), ("{}:\\Users\\anna\\quiz.txt not found", "{}: easy"),
    ("{}:/data/quiz.txt is missing", "{}: clear"), ("{}. subtilis grows in soil.", "{}. because it grows."),
    ("{}. Smith et al. (2020) give the list.", "{}. As Smith et al. (2020) say, it is so."),
    ("{}. Miller (1987) shows it.", "Answer: {}. Miller said it."), ("Error code: 401 - invalid key ({})", "No error. So ({})"),
    ("TypeError: bad operand ({})", "No type fits, so ({})"), ("KeyError: '{}'", "Key: '{}'"), ("{}:\\> dir", "-> {}"),
    ("{0}&{0}", "{0}, yes {0}"), ("Question ({})", "So ({})"), ("See Fig. {}", "See: {}"), ("Appendix ({})", "({})"),
)  # fmt: skip


@given(LETTERS, st.sampled_from(PARTS))
def test_a_letter_of_a_name_a_path_or_an_error_is_no_choice(letter: str, parts: tuple[str, str]) -> None:
    part, choice = parts
    assert read(part.format(letter)) == ""
    if choice not in ("{}/", "{}: easy", "{}: clear", "{}. As Smith et al. (2020) say, it is so."):
        assert read(choice.format(letter)) == letter


@given(st.sampled_from("CD"), st.sampled_from((":", ";", ":-")), st.sampled_from(("", "Sure thing ", "Haha ")))
def test_an_emoticon_is_no_choice(letter: str, eyes: str, before: str) -> None:
    assert read(f"{before}{eyes}{letter}") == ""
    assert read(f"Answer :{letter}") == letter
    assert read(f"Answer: {letter}\n{eyes}D") == letter


@given(st.permutations(("1", "2", "3", "4")), st.sampled_from(("Option {}", "I choose option {}.", "Choice {}")))
def test_the_number_of_an_option_and_its_text_must_agree(options: list[str], frame: str) -> None:
    for index, (letter, option) in enumerate(zip("ABCD", options, strict=True), start=1):
        assert read(frame.format(option), tuple(options)) == (letter if option == str(index) else "")
        assert read(f"Answer: {option}", tuple(options)) == letter


ELSEWHERE = (
    ("La réponse {} est incorrecte.", "La réponse {} est correcte."), ("La réponse {} est à exclure.", "La réponse est {}."),
    ("Antwort {} scheidet aus.", "Antwort {} ist richtig."),
    ("Antwort {} widerspricht dem Text.", "Antwort {}, weil es passt."),
    ("La respuesta {} queda descartada.", "La respuesta {} es correcta."),
    ("La risposta {} è errata.", "La risposta {} è corretta."),
    ("A resposta {} está incorreta.", "A resposta {} está correta."), ("Antwoord {} valt af.", "Antwoord {} is juist."),
    ("Svaret {} är felaktigt.", "Svaret är {}."), ("Odpowiedź {} jest nieprawidłowa.", "Odpowiedź {} jest poprawna."),
    ("Ответ {} исключается.", "Ответ {} правильный."), ("答案{}被排除。", "答案是{}。"),
)  # fmt: skip


@each_case(("denied", "stated"), ELSEWHERE)
@each_case("letter", "ABCD")
def test_other_languages_leave_an_option_out(denied: str, stated: str, letter: str) -> None:
    assert read(denied.format(letter)) == ""
    assert read(stated.format(letter)) == letter


@given(TWO, st.sampled_from(("The city by the sea is {}.", "I believe the city is {}.", "It is {}, not {}.")))
def test_the_only_option_whose_text_is_asserted_is_chosen(letters: tuple[str, str], frame: str) -> None:
    first, second = map(text, letters)
    assert read(frame.format(first, second)) == letters[0]
    for words in ("It is not {0}.", "Is it {0}?", "It is {0} or {1}.", "Tom says it is {0}.", "{0} is close to {1}."):
        assert read(words.format(first, second)) == ""


@pytest.mark.long
@given(st.permutations(("3.5 kg", "7 kg", "10.5 kg", "14 kg")), st.sampled_from(("so {}.", "hence {}", "thus it is {}.")))
def test_the_option_in_which_a_calculation_ends_is_chosen(options: list[str], end: str) -> None:
    for letter, option in zip("ABCD", options, strict=True):
        number = option.removesuffix(" kg")
        assert read(f"7 × 1.5 = {number}, {end.format(option)}", tuple(options)) == letter
        assert read(f"7 × 1.5 = {number}, {end.format('15 kg')}", tuple(options)) == ""
        assert read(f"(2 + 3) / 2 = {number}.", tuple(name.removesuffix(" kg") for name in options)) == letter


@given(
    TWO, st.sampled_from(("Final verdict: [[{}]]", "My verdict is {}.", "Verdict: {}", "Final decision: {}", "Prediction: {}"))
)
def test_a_verdict_behind_a_discussion_decides(letters: tuple[str, str], verdict: str) -> None:
    first, second = letters
    discussed = f"Assistant {second} is shorter, but wrong. Assistant {first} is long."
    assert read(f"{discussed}\n{verdict.format(first)}") == first
    assert read(f'Output your final verdict: "[[{first}]]" if it is better.') == ""


@given(TWO, st.sampled_from(("choice", "option", "selected_option", "letter", "label", "prediction", "correct_answer")))
def test_a_field_by_another_name_holds_the_answer(letters: tuple[str, str], key: str) -> None:
    first, second = letters
    assert read(json.dumps({key: first, "explanation": f"{second} is the largest city."})) == first
    assert read(json.dumps({"explanation": f"Not {second}.", key: first})) == first
    assert read(json.dumps({key: second, "answer": first})) == first


@given(st.permutations("ABC"), st.sampled_from(("Common mistake: choosing {}.", "Pitfall: picking {} because it is large.")))
def test_a_common_mistake_behind_an_answer_changes_nothing(order: list[str], mistake: str) -> None:
    first, second, _ = order
    assert read(f"Answer: {first}\n\n{mistake.format(second)}") == first
    assert read(f"Answer: {first}\n\nCorrection: choosing {second}.") in ("", second)


@given(ORDERS)
def test_a_letter_before_descriptions_of_the_others_is_chosen(order: list[str]) -> None:
    first, second, third, fourth = order
    rest = f"{second} is the largest city, {third} was a harbour, {fourth} is in the west."
    assert read(f"{first}. {rest}") == first
    assert read(f"{first}. {second} is also correct.") == ""
    assert read(f"{first}. {second} could be right as well.") == ""


@pytest.mark.parametrize("covering", ["All of the above", "All of these"])
def test_letters_in_the_reason_for_all_of_them_leave_the_choice(covering: str) -> None:
    options = ("Cost", "Time", "Scope", covering)
    assert read("Answer: D (A, B and C are all correct)", options) == "D"
    assert read("Answer: D, since A, B and C are correct.", options) == "D"
    assert read("Answer: D or A", options) == ""
    assert read("Answer: D (or A)", options) == ""


@pytest.mark.parametrize(("reply", "letter"), [("The statement is false.", "B"), ("The statement is true.", "A")])
def test_a_statement_called_true_or_false_chooses_that_option(reply: str, letter: str) -> None:
    assert read(reply, ("True", "False")) == letter
    assert read("It is not true that I can see the image.", ("True", "False")) == ""
