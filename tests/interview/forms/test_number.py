"""Replies to a question for a number, read as a person would, also where words of the question decide."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.interview.forms.instances import HOSTILE, PHRASES
from vivavoce.formats.numbers import as_number, same_number
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.form import READ, Outcome
from vivavoce.interview.forms.number import Number
from vivavoce.scopes.questions import Question
from vivavoce.scopes.score import grade

FORM = Number()


@each_case(
    ("reply", "number"),
    [
        ("42", "42"), ("42.", "42"), ("-17", "-17"), ("−17", "-17"), ("(-17)", "-17"), ("+5", "5"),
        ("**42**", "42"), ("1,234", "1234"),
        ("The result is 1,234.", "1234"), ("= 42", "42"), ("\\boxed{42}", "42"), ("$\\boxed{1{,}234}$", "1234"),
        ("1\u202f234", "1234"),
        ("x = 12 + 30 = 42", "42"), ("12 + 30 = 42", "42"), ("Answer: 42", "42"), ("Answer: **42**.", "42"),
        ("Answer: 3.50", "3.50"),
        ("The sum of 12 and 30 is 42.", "42"), ("12 and 30 are added.\nAnswer: 42", "42"),
        ("Answer: 41\nFinal answer: 42", "42"),
        ("The answer is 42 (since 12 + 30 = 42).", "42"), ("Answer: 42, because 40 + 2 = 42", "42"),
        ("Answer: 12 + (30) = 42", "42"),
        ("First 30, then 12.\n\n**42**", "42"), ("42\n\nI added 12 to 30.", "42"), ("It comes to 42, yes, 42.", "42"),
        ("Answer: 1e3", "1e3"), ("The difference is -5", "-5"), ("5 - 10 = -5", "-5"),
        ("Answer: 42 apples", "42"), (".5", ".5"),
        ("Answer:\n42", "42"), ("I'm not certain. Answer: 7", "7"), ("forty-two", "42"), ("Answer: 1.2 × 10^3", "1200"),
        ("Answer: 10**6", "1000000"), ("\\boxed{\\$18}", "18"), ("\\boxed{1\\frac{1}{2}}", "3/2"), ("Answer: 26%", "26%"),
        ("The total is 12 eggs.\nHe sells 3 of them.\n12 - 3 = 9", "9"), ("Ann has 3 + 4 = 7.\nA: 7", "7"),
        ("Answer: minus fifty-seven", "-57"), ("Answer: forty percent", "40%"), ("Answer: US$63", "63"),
        ("It is 0, yes, 0.", "0"),
        ("Answer: 5 since x = 3", "5"), ("Answer: 12\nConfidence: 90%", "12"), ("There is a 1/6 chance.", "1/6"),
        ("Answer: 64\n\nLet me recheck: 63", "63"), ("Answer: 63 kg·m/s^2", "63"), ("He needs 4, as 2 + 2 = 4", "4"),
        ("She has 3 cats.\n\nSo she has 12 pets in total.", "12"), ("The sum is 42.\nAnswer: 41", "41"),
    ],
)  # fmt: skip
def test_reads_numbers(reply: str, number: str) -> None:
    assert FORM.read(reply).value == number


@each_case(
    "reply",
    [
        "", "42 or 43", "Answer: 42 or 43", "Answer: 12 + 30", "Answer: 42/6", "12,34", "1.2.3",
        "12 - 17", "- 17",
        "Answer: 1, 234", "x42", "3x", "What is 12 + 30?", "Answer: 5-3", "2^10", "Answer: banana",
        "NaN", "Answer: 2**10", "\\boxed{\\frac{\\sqrt{3}}{2}}", "3 + 4 = 7\nShe has 2 dogs and 9 cats.", "1.",
        "Answer: five minus three", "Answer: half a million", "Answer: No. 10", "x=3 or x=-3", "x = 3 and y = 4", "Code: 500",
        "Answer: 1. Paris\n2. Rome", "I am 95% sure it is 12.", "Answer: 4K", "Answer: a few thousand", "Confidence: 90%",
        "220 pushups\n60 squats", "Answer: one of them", "Answer: 9e999999999", "Answer: 3 and a half",
        "inf", "12:30", "9" * 500,
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_read(reply: str) -> None:
    assert FORM.read(reply).outcome is Outcome.UNREADABLE


def test_dont_know_a_number() -> None:
    for reply in ("I don't know", "Answer: I don't know", "Hm. I don't know the product of 12 and 30."):
        assert FORM.read(reply).outcome is Outcome.DONT_KNOW


def test_a_number_and_ignorance_are_two_answers() -> None:
    assert FORM.read("Answer: 3628. Answer: I don't know").outcome is Outcome.UNREADABLE
    assert FORM.read("Answer: I don't know\nAnswer: 3402").value == "3402"


def test_numbers_are_exact() -> None:
    # 0.1 + 0.2 is not 0.3 in binary floating point; here 0.30 and 0.3 are equal and nothing else is.
    assert as_number("0.30") == as_number(".3") != as_number("0.30000000000000004")
    assert as_number("1,234") == as_number("1234.0") == as_number("1.234e3")
    assert as_number("12,34") is as_number("1.234,5") is as_number("1e9999") is as_number("5²") is as_number("") is None
    assert as_number("٣") == 3
    assert as_number("–５") == as_number("-$5") == as_number("−5 €") == -5
    assert as_number("1½") == as_number("1 1/2") == as_number("1.5") != as_number("1 3/2")
    assert as_number("1/0") is as_number("12:30") is as_number("forty") is as_number("3M") is None


def test_a_number_that_is_written_in_two_ways_is_the_same() -> None:
    assert same_number("12.345", "12345")
    assert same_number("12.345", "12.345")
    assert not same_number("12345", "12.345")
    assert not same_number("0.345", "345")
    assert same_number("26%", "26")
    assert same_number("26%", "0.26")
    assert same_number("0.26", "26%")
    assert not same_number("0.26", "26")
    assert not same_number("26%", "2600")
    assert not same_number("banana", "banana")


@given(st.text(max_size=300))
def test_reading_never_raises_and_gives_a_number_or_nothing(reply: str) -> None:
    reading = FORM.read(reply)
    assert (reading.outcome is Outcome.ANSWER) == (reading.value is not None and as_number(reading.value) is not None)


@given(st.integers(-(10**30), 10**30), PHRASES)
def test_a_stated_number_comes_back(number: int, before: list[str]) -> None:
    for written in (str(number), f"{number:,}"):
        reading = FORM.read(" ".join(before) + f"\nAnswer: {written}")
        assert reading.value == str(number)


NUMBERS = st.integers(21, 99)


def value(reply: str, question: str = "") -> object:
    """The number that is read in a reply to this question; None where none is."""
    text = Number(question=question).read(reply).value
    return None if text is None else as_number(text)


@pytest.mark.long
@given(st.integers(11, 99), st.sampled_from([", since", " because", " since", ", as", ", given that"]))
def test_an_equation_that_gives_grounds_never_decides(root: int, link: str) -> None:
    square = root * root
    asked = f"What is the square root of {square}?"
    for question in ("", asked):
        assert value(f"The square root of {square} is {root}{link} {root} × {root} = {square}.", question) == root
        assert value(f"It is {root}{link} {root} * {root} = {square}.", question) == root
        assert value(f"Because {root} × {root} = {square}, the square root is {root}.", question) == root
        assert value(f"We have {root}{link} we begin there, so {root} × {root} = {square}.", question) in (square, None)
        assert value(f"It's {root}{link} {root} times {root} is {square}.", question) == root
        assert value(f"{root} × {root} = {square}", question) == square


@given(NUMBERS, st.sampled_from(["x = {0}. Check: 3({0}) + 7 = {1} ✓", "x={0}. Let's verify: 3*{0} + 7 = {1}.",
                                 "So x = {0}.\n\nTo check: 3 × {0} + 7 = {1}."]))  # fmt: skip
def test_a_check_behind_the_result_decides_nothing(number: int, reply: str) -> None:
    asked = f"Solve 3x + 7 = {3 * number + 7} for x."
    assert value(reply.format(number, 3 * number + 7), asked) == number
    assert value(f"x = {number}. Check: 3({number}) + 7 = 8 ≠ {3 * number + 7}.", asked) is None


METHODS = [
    "To solve for x, first isolate the term with x by subtracting {} from both sides, then divide by the coefficient.",
    "You can solve it by adding {} to both sides.",
    "To find x, start by dividing both sides by {} and simplify.",
    "You need to add {} to both sides of the equation.",
    "To find the average, add the numbers and divide by {}.",
]


@given(NUMBERS, st.sampled_from(METHODS))
def test_a_method_without_a_result_is_no_answer(number: int, method: str) -> None:
    asked = f"Solve 3x + {number} = 22 for x."
    assert value(method.format(number), asked) is None
    assert value(f"{method.format(number)} This gives x = {number + 1}.", asked) == number + 1
    assert value(f"Subtract {number} from both sides: 3x = 15. Divide by 3: x = 5.", asked) == 5
    assert value(f"Add {number} to both sides: 3x = 15. Then divide by 3 to get x = 5.", asked) == 5


UNITS = [
    ("How many days do I have?", "days", "weeks"), ("How heavy is it, in kg?", "kg", "g"),
    ("How long is it in metres?", "m", "cm"),
    ("At how many degrees Celsius does it melt?", "°C", "°F"), ("What is its speed in km/h?", "km/h", "mph"),
    ("What does it cost in euros?", "euros", "dollars"), ("How many hours does it take?", "hours", "minutes"),
]  # fmt: skip


@given(NUMBERS, st.sampled_from(UNITS), st.sampled_from(["It is {} {}.", "{} {}", "Answer: {} {}"]))
def test_another_unit_is_not_another_number(number: int, unit: tuple[str, str, str], reply: str) -> None:
    asked, same, other = unit
    assert value(reply.format(number, same), asked) == number
    assert value(reply.format(number, other), asked) is None
    assert value(reply.format(number, other)) == number
    question = Question("q", asked, accepted=(str(number + 1),))
    assert grade(question, Reply(reply.format(number, other))).upper == 1
    assert grade(question, Reply(reply.format(number, same))).upper is None


def test_another_rate_is_not_another_number() -> None:
    asked = "How much does the Pro plan cost per month?"
    assert value("The Pro plan costs $588 per year.", asked) is None
    assert value("The Pro plan costs $49 per month.", asked) == 49
    assert value("The Pro plan costs $49.", asked) == 49


@given(NUMBERS)
def test_a_scale_that_is_asked_for(number: int) -> None:
    asked = "What was the profit, in thousands of dollars?"
    assert value(f"Profit = $1,200k − $950k = ${number}k", asked) == number
    assert value(f"Answer: {number} thousand", asked) == number
    assert value(f"Answer: {number}", asked) == number
    assert value(f"The profit was ${number},000.", asked) is None
    assert value(f"The profit was ${number},000.", "What was the profit, in dollars?") == number * 1000


RESTATED = [
    ("How many keys does a standard piano have?", "A standard piano has {} keys{}", " — 52 white and 12 black."),
    ("How many keys does a standard piano have?", "A standard piano has {} keys{}", " (pianos of 1900 had 12)."),
    ("How many bones does an adult human have?", "An adult human has {} bones{}", ". Babies are born with around 270–300."),
    ("How many planets are in the solar system?", "There are {} planets in our solar system{}", ":\n\n1. Mercury\n2. Venus"),
    ("How many days are in a leap year?", "A leap year has {} days{}", " instead of the usual 365."),
    ("What is the standard VAT rate, in percent?", "The standard VAT rate is {}%{}", ". A reduced rate of 7% applies to food."),
    ("How many days do I have to cancel my order?", "You can cancel your order within {} days{}",
     " of purchase. After that, a fee of 10% applies."),
    ("How much is standard shipping?", "Standard shipping is €{}{}",
     " and takes 3–5 business days. Orders over €50 ship free!"),
    ("How much does the Pro plan cost per month?", "Our Pro plan costs ${} per user per month{}", ". Trials last 14 days."),
    ("At what temperature does water freeze in Fahrenheit?", "Water freezes at {}°F{}", ", which is equivalent to 0°C."),
    ("How many items are in stock for SKU 4471?", "We currently have {} units of SKU 4471 in stock{}", "."),
    ("How many continents are there?", "There are {} continents{}", ", although some models count 6 or 5 by combining two."),
    ("How many states are in Australia?", "Australia has {} states{}", " and 2 territories."),
    ("How many moons does Mars have?", "Mars has {} moons{}", "; Jupiter has 95."),
    ("How many inches are in a foot?", "There are {} inches in a foot{}", " and 3 feet in a yard."),
]  # fmt: skip


@given(NUMBERS, st.sampled_from(RESTATED))
def test_the_sentence_that_says_the_question_back_decides(number: int, restated: tuple[str, str, str]) -> None:
    asked, sentence, more = restated
    assert value(sentence.format(number, more), asked) == number


SPOILT = [
    "{} It used to be that way, but now it is {}.",
    "If you are lucky, {} {}!",
    "Some say: {} Or is it {}?",
    "{} Wait, no, it is {}.",
]


@given(NUMBERS, st.sampled_from(RESTATED), st.sampled_from(SPOILT))
def test_a_sentence_in_doubt_does_not(number: int, restated: tuple[str, str, str], spoilt: str) -> None:
    asked, sentence, more = restated
    text = spoilt.format(sentence.format(number, more), number + 1)
    assert value(text, asked) != number or not text.startswith(("If", "Some"))
    for hedge in ("usually ", "not ", "at least ", "between 5 and "):
        hedged = sentence.replace("{}", f"{hedge}{{}}", 1)
        assert value(hedged.format(number, more), asked) in (None, number if hedge == "usually " else None), hedged


OTHERS = [
    ("How much does the Pro plan cost per month?", "The Basic plan costs ${0} — the Pro plan costs ${1}."),
    ("How much does the Pro plan cost per month?", "The Basic plan costs ${0} per month. Please contact us for Pro pricing."),
    ("How many days are in a leap year?", "A normal year has {0} days, a leap year has {1}."),
    ("How many hours is the flight?", "The flight is {0} hours and 30 minutes."),
    ("How many planets are in the solar system?", "There are {0} rocky planets and 5 gas planets in the solar system."),
    ("How many items are in stock for SKU 4471?", "SKU 4471 will be back in stock in {0} days."),
    ("How many users can I invite?", "You can invite {0} users on Basic and {1} users on Pro."),
    ("How many chromosomes do humans have?", "Humans have {0} pairs of chromosomes."),
    ("How many employees does Acme have?", "Acme was founded in {0} and has {1} employees."),
    ("How many seconds are in an hour?", "An hour has {0} minutes of {0} seconds."),
    ("How many days do I have to cancel my order?", "You have {0} days to cancel, or {1} days for members."),
]


@given(NUMBERS, st.sampled_from(OTHERS))
def test_a_number_of_another_thing_is_not_read(number: int, other: tuple[str, str]) -> None:
    asked, reply = other
    assert value(reply.format(number, number + 1), asked) in (None, number + 1)


@given(NUMBERS)
def test_numbers_of_the_question_are_not_counted_again(number: int) -> None:
    assert (
        value(f"The next prime number after 13 is {number}. (14 and 15 are composite.)", "What is the next prime after 13?")
        == number
    )
    assert value(f"The median of 3, 8, 5 is {number}, because it's in the middle.", "What is the median of 3, 8, 5?") == number
    word_problem = f"Tom has {number} apples and gives 2 to Ann. How many apples does Tom have left?"
    assert value(f"Tom has {number} apples. He gives 2 to Ann.", word_problem) is None
    assert value(f"Tom has {number - 2} apples left, and Ann has 2 more.", word_problem) in (number - 2, None)


def test_a_conclusion_about_something_else_is_no_answer() -> None:
    assert value("Of the apples, 5 are eaten, so the pears are 7.", "How many apples are left?") is None


@pytest.mark.long
@given(NUMBERS.filter(lambda number: number not in (12, 15, 80)))  # which the reply or the question has otherwise
def test_a_conclusion_within_the_last_sentence_decides_where_it_is_about_what_is_asked(number: int) -> None:
    asked = "A jacket costs $80 and is 15% off. What is the sale price?"
    assert value(f"You'll save $12, so you only pay ${number}!", asked) == number
    assert value(f"15% of 80 is 12, so the sale price is ${number}.", asked) == number
    assert value(f"The sale price is $68, so you save ${number}.", asked) in (68, None)
    assert value(f"You save $12, so the discount is {number}%.", asked) is None
    assert value(f"r appears at positions 3, 8 and 9, so there are **{number}**.", "How many r's are in it?") == number
    assert value(f"It has 3 r's and 7 others, so there are {number}.", "How many r's are in it?") is None


@each_case(
    ("reply", "number"),
    [
        ("π ≈ 3.14159..., which rounds to 3.14.", "3.14"), ("A = π × 5² = 25π ≈ 78.54 square units.", "78.54"),
        ("There are 4 balls, and 3 are red, so the probability is 3/4, or 75%.", "3/4"),
        ("The probability is 3/4, or 70%.", None),
        ("Light travels at about 3 × 10^8 m/s, or more precisely 299,792,458 metres per second.", "299792458"),
        ("Sorted: 3, 5, 8, 9, 12. The middle value is 8.", "8"), ("The candidates are 3, 5, 8. The other value is 9.", None),
        ("Let's break it down: 17 × 23 = (20 − 3) × 23 = 460 − 69 = 391.", "391"), ("Suppose x is even: 17 × 23 = 391.", None),
        ("Pro used to be $49, but the price is now $55 per month.", "55"), ("Pro used to be $49, but is it now $55?", None),
        ("Un piano standard possède 88 touches : 52 blanches et 36 noires.", "88"),
        ("Un piano standard possède 88 touches : 52 blanches et 30 noires.", None),
        ("Sie können Ihre Bestellung innerhalb von 14 Tagen stornieren.", "14"),
        ("Tiene 30 días para cancelar su pedido.", "30"),
    ],
)  # fmt: skip
def test_numbers_beside_the_result(reply: str, number: str | None) -> None:
    probability = "A bag has 3 red balls and 1 blue ball. What is the probability of drawing a red ball?"
    assert value(reply, probability if "probability" in reply else "") == (None if number is None else as_number(number))


@pytest.mark.long
@pytest.mark.parametrize(
    "piece", [*HOSTILE.values(), "1 keys ", "so 1 = ", "check: 1 = 1 ", "1, 2, ", "sorted 1, ", "1 hour ", "used to be 1 "]
)
def test_hostile_replies_cost_no_time_with_a_question(piece: str) -> None:
    form = Number(question="How many keys, in thousands, does the Grand piano have per year in km?")
    began = time.process_time()
    reading = form.read(piece * (READ // len(piece)))
    assert time.process_time() - began < 10  # backtracking would take hours
    assert bool(reading.problem) == (reading.outcome is Outcome.UNREADABLE)


@given(st.integers(1, 99))
def test_a_part_of_one_is_no_percentage_unless_the_reply_says_which(percent: int) -> None:
    form = Number(question="What is the margin, in percent?")
    part = f"{percent / 100:.2f}"
    assert form.read(f"The margin is {part}, i.e. {percent}%.").value in (None, str(percent))
    assert form.read(f"The margin is {part} ({percent}%).").value == str(percent)
    assert form.read(f"The margin is {part}.").value is None
    assert as_number(form.read(f"The margin is {percent}%.").value or "") == percent
    assert form.read(f"1. {percent}").value is None, "the 1 may be the mark of a list"


@pytest.mark.parametrize(
    "question",
    [
        "", "What is 6 × 7?", "How many days does it take?", "What was the profit, in thousands?",
        "What is the margin, in percent?",
        "What does the Pro plan cost per month?", "On which page is it?", "How many pairs of socks are there?",
        "What is its mass in kg, in millions?",
    ],
)  # fmt: skip
@given(number=st.integers(-(10**9) + 1, 10**9 - 1) | st.integers(-1100, 1100) | st.integers(-999, 999).map(lambda n: n * 10**6))
def test_only_the_requested_line_is_read_as_any_reply(question: str, number: int) -> None:
    form = Number(question=question)
    assert form.read(f"Answer: {number}") == form.read(f"Answer: {number}\n")  # the line break leads to the full reading


@each_case(
    "label",
    ["Antwort", "Reponse", "RESPUESTA", "resposta", "Risposta", "antwoord", "svaret", "Svar", "vastaus", "cevap", "Jawaban"],
)
def test_labels_of_other_languages_are_read_in_a_text_in_ascii_too(label: str) -> None:
    assert FORM.read(f"First 30, then 12.\n{label}: 42").value == "42"
