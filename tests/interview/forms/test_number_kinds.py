"""Kinds of replies to a question for a number, drawn by rule; each with neighbours that must stay the other way."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.interview.forms.instances import HOSTILE
from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms.form import READ, Outcome
from vivavoce.interview.forms.number import Number

FORM = Number()
NUMBERS = st.integers(2, 9_999)
LEADS = st.sampled_from(["Answer: ", "**Answer:** ", "The answer is ", "The final answer is: ", "<answer>", "\\boxed{"])
NOUNS = st.sampled_from(["apples", "km", "people", "of them", "hours", "left"])
ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def reading(lead: str, text: str) -> str | None:
    """What is read in a statement, closed as it was opened."""
    closing = {"<": "</answer>", "\\": "}"}.get(lead[:1], "")
    return FORM.read(lead + text + closing).value


def is_read_as(number: object, lead: str, text: str) -> bool:
    """Whether the statement is read as this number."""
    value = reading(lead, text)
    return value is not None and as_number(value) == number


@given(NUMBERS, LEADS, st.sampled_from(["-", "–", "—", "−", "‒", "－", "minus ", "negative ", "moins ", "menos ", "-$"]), NOUNS)
def test_a_sign_belongs_to_its_number(number: int, lead: str, sign: str, noun: str) -> None:
    assert is_read_as(-number, lead, f"{sign}{number}")
    assert is_read_as(-number, lead, f"{sign}{number} {noun}")


@given(NUMBERS, NUMBERS, st.sampled_from([" – ", " - ", " — "]), st.sampled_from(["minus", "-", "–"]))
def test_a_dash_between_words_is_no_sign(number: int, other: int, dash: str, minus: str) -> None:
    assert is_read_as(number, "Answer: ", f"{number}{dash}checked")
    assert is_read_as(number, "", f"The answer{dash}after checking{dash}is {number}.")
    assert reading("Answer: ", f"- {number}") is None
    assert reading("Answer: ", f"{number} {minus} {other}") is None
    assert reading("Answer: ", f"{number}{dash}{other}") is None


SIZES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "Million": 10**6, "bn": 10**9, "crore": 10**7, "millones": 10**6}


@given(NUMBERS, LEADS, st.sampled_from(sorted(SIZES)), NOUNS, st.sampled_from(["", "$", "about "]))
def test_a_word_of_size_multiplies(number: int, lead: str, word: str, noun: str, before: str) -> None:
    assert is_read_as(number * SIZES[word], lead, f"{before}{number} {word}")
    assert is_read_as(number * SIZES[word], lead, f"{before}{number} {word} {noun}")


@given(NUMBERS, st.sampled_from(["million", "thousand", "billion"]))
def test_a_word_of_size_elsewhere_leaves_the_number_open(number: int, word: str) -> None:
    for text in (f"{number} in {word}s", f"{number} (in {word}s)", f"{number} per {word}", f"{number} {word}-dollar films"):
        assert reading("Answer: ", text) is None, text
    for letter in ("mil", "M", "B", "bG"):
        assert reading("Answer: ", f"{number}{letter}" if letter != "bG" else f"{number}b") is None


@given(st.integers(1, 9), st.integers(1, 20), LEADS, st.sampled_from(["×10^", " · 10^", " x 10^", "×10**", "e", "E", " E"]))
def test_a_power_of_ten_multiplies(number: int, power: int, lead: str, times: str) -> None:
    assert is_read_as(number * 10**power, lead, f"{number}{times}{power}")
    assert reading(lead, f"{number}^{power}") is None


@given(NUMBERS, LEADS, st.sampled_from(["√{}", "log({})", "e^{}", "π/{}", "{}π", "sin {}", "ln {}", "the square root of {}"]))
def test_a_number_inside_an_expression_is_not_its_value(number: int, lead: str, expression: str) -> None:
    assert reading(lead, expression.format(number)) is None


@given(NUMBERS, NUMBERS, st.sampled_from(["+", "-", "*", "×", "^", " + ", " / "]))
def test_a_sum_that_is_left_undone_is_no_answer(first: int, second: int, sign: str) -> None:
    assert reading("Answer: ", f"{first * second}{sign}{second}") is None
    assert is_read_as(first, "Answer: ", f"{first * second}{sign}{second} = {first}")


@given(st.integers(1, 99), st.integers(2, 99), st.integers(1, 99), LEADS)
def test_fractions_are_numbers(over: int, under: int, units: int, lead: str) -> None:
    whole = over % under == 0
    fraction = as_number(f"{over}/{under}")
    for text in (f"{over}/{under}", f"\\frac{{{over}}}{{{under}}}", f"{over}/{under} of it"):
        assert reading(lead, text) is None if whole else is_read_as(fraction, lead, text), text
    if over < under and fraction is not None:
        assert is_read_as(units + fraction, lead, f"{units} {over}/{under}")
        assert is_read_as(-units - fraction, lead, f"-{units} {over}/{under}")
    assert reading("Answer: ", f"{over}/{under}/2024") is None


@given(
    NUMBERS,
    LEADS,
    st.sampled_from(["km", "kg", "ml", " m^2", " cm^3", " km/h", "%", " %", "€", " €/kg", "°C", " degrees", " m"]),
)
def test_units_are_not_looked_at(number: int, lead: str, unit: str) -> None:
    assert is_read_as(number, lead, f"{number}{unit}")


@given(NUMBERS, st.sampled_from(["Rs.", "$", "€", "£", "USD ", "EUR ", "Rs. ", "about ", "exactly ", "x = ", "only "]))
def test_currencies_and_other_leads_are_not_looked_at(number: int, before: str) -> None:
    assert is_read_as(number, "Answer: ", f"{before}{number}")


@given(NUMBERS, st.sampled_from(["x", "n", "th", "pi", " pm", " May 2024", "-year-old", " o'clock", " and a half", " thirds"]))
def test_what_is_not_a_unit_leaves_the_number_open(number: int, after: str) -> None:
    if after != " thirds" or number < 10:
        assert reading("Answer: ", f"{number}{after}") is None


@given(st.integers(1_000, 10**9), LEADS, st.sampled_from([",", " ", "'", "_", "\u202f", "’"]))
def test_separators_of_thousands(number: int, lead: str, separator: str) -> None:
    assert is_read_as(number, lead, f"{number:,}".replace(",", separator))


@given(st.integers(10**6, 10**12), st.integers(1, 99))
def test_points_part_thousands_where_they_can_be_nothing_else(number: int, cents: int) -> None:
    pointed = f"{number:,}".replace(",", ".")
    assert is_read_as(number, "Answer: ", pointed)
    assert is_read_as(as_number(f"{number}.{cents:02}"), "Answer: ", f"{pointed},{cents:02}")
    assert reading("Answer: ", "12,34") is None


BOUNDS = (
    "> ;≥ ;<;≤;±;at least ;at most ;more than ;fewer than ;over ;under ;up to ;nearly ;between 1 and ;x > ;mindestens ;"
    "plus de ;au moins ;al menos ;não ;не менее ;больше ;至少;⩾ ;≯;max. ;máx. ;"
    "limited to ;starting at ;hardly ;less than or equal to ;is not "
)
AFTER = "+; or more; or less; at most; and above; maximum; onwards;以上; 이상; oder mehr; ou plus"


@given(NUMBERS, LEADS, NOUNS, st.sampled_from(BOUNDS.split(";")), st.sampled_from(AFTER.split(";")))
def test_a_bound_is_no_value(number: int, lead: str, noun: str, before: str, after: str) -> None:
    if lead[0] not in "<\\":
        assert reading(lead, f"{before}{number}") is None
        assert reading(lead, f"{before}{number} {noun}") is None
    assert reading(lead, f"{number}{after}") is None


@given(NUMBERS, st.sampled_from(["least", "largest", "minimum", "maximum", "highest possible"]))
def test_a_number_of_bounds_is_a_value(number: int, which: str) -> None:
    assert is_read_as(number, "", f"The {which} number is {number}.")
    assert is_read_as(number, "", f"It adds up to {number}.")


@given(
    NUMBERS, NUMBERS, st.sampled_from(["not {}", "never {}", "isn't {}", "definitely not {}", "{} is wrong", "{} is not right"])
)
def test_a_denied_number_is_none(number: int, other: int, denial: str) -> None:
    assert reading("Answer: ", denial.format(number)) is None
    if number != other:
        assert is_read_as(number, "Answer: ", f"{number}, not {other}")
        assert is_read_as(number, "The answer is ", f"{number} rather than {other}.")


@given(NUMBERS, st.sampled_from(["or", "to", "and", "-", "–"]), NUMBERS)
def test_two_numbers_are_none(number: int, between: str, other: int) -> None:
    if number != other:
        assert reading("Answer: ", f"{number} {between} {other}") is None


NAMES = [
    "{} Downing Street", "Ocean's {}", "The {} Steps", "Class of {}", "{} by Orwell", "COVID-{}", "Boeing {}", "Apollo {}",
    "Windows {}", "Catch-{}", "Route {}", "F-{}", "iPhone {}", "GPT-{}", "B{}", "v{}", "Q3 {}",
]  # fmt: skip
PLACES = [
    "Section {}", "see equation {}", "Chapter {}", "step {}", "page {}", "question {}", "rule {}", "room {}", "Figure {}",
    "code {}",
]  # fmt: skip
DATES = ["May {}", "{} pm", "{}:30", "{}-05-17", "until 2023", "as of 2021"]


@given(NUMBERS, st.sampled_from(NAMES + PLACES + DATES), NOUNS)
def test_a_number_in_a_name_or_a_date_is_none(number: int, name: str, noun: str) -> None:
    assert reading("Answer: ", name.format(number)) is None
    assert FORM.read(name.format(number)).value is None
    assert is_read_as(number, "Answer: ", f"{number} {noun}")


REFUSALS = [
    "Error {}: too many requests", "{} Service Unavailable", "HTTP {}", "Please wait {} seconds.", "Try again in {} seconds.",
    "I can't help with that. In an emergency call {}.", "As an AI I cannot answer before {}.", "Please see page {}.",
    "Let me think about this in {} steps.", "Here are {} possibilities:", "I need {} more minutes.", "I have {} questions.",
    "Sorry, question {} is unclear.", "The maximum context length is {} tokens.", "I lost track after {}.",
    "You have reached your limit of {} messages.", "There is not enough information to answer question {}.",
    "My guidelines (rule {}) forbid this.", "Step {}: read the question", "Is it {}?", "If it were {}, yes.",
    "I was trained on {} books.", "Our line is open {} hours.", "Your order {} has been received.", "Loading... {}%",
    "TokenLimitError: {} tokens", '{{"status": {}}}', "Tokens used: {}", "{} results found.", "First we compute {} + 4 = 7.",
    "We start with {}.", "Initially, there are {} apples.", "There are {} cases to consider.", "© {} Example Ltd.",
    "The answer has {} digits.", "The answer is worth {} points.", "The answer is given in [{}].", "I have {} parameters.",
    "This page has been viewed {} times.", "Last updated {}", "{} people found this helpful.",
    "We will call you back in {} minutes.", "Give me {} seconds.", "If x were 2 the answer would be {}.",
]  # fmt: skip
SENTENCES = [
    "So there are {} apples left.", "She needs {} bolts.", "You will pay {} dollars.", "That makes {}.", "We get {}.",
    "Therefore {} eggs remain.", "The train needs {} hours.", "I think it is {}.", "I get {}.", "She lost {} games.",
    "The standard error is {}.", "It takes {} steps.", "They sent {} messages.", "The error is {}.",
    "They have {} marbles altogether.", "This gives us a total of {} points.", "The answer is - as expected - {}.",
]  # fmt: skip


@given(NUMBERS, st.sampled_from(REFUSALS), st.sampled_from(SENTENCES))
def test_a_sentence_that_answers_is_read_and_no_other(number: int, refusal: str, sentence: str) -> None:
    assert FORM.read(refusal.format(number)).value is None
    assert is_read_as(number, "", sentence.format(number))


CORRECTIONS = [". Wait, that's wrong. It should be {}.", ", no, {}", "... sorry, {}", "\nCorrection: {}", "\n\nEdit: {}",
               "\n\nActually, I made a mistake: it is {}."]  # fmt: skip


@given(NUMBERS, st.sampled_from(CORRECTIONS))
def test_a_number_that_is_taken_back_is_none(number: int, correction: str) -> None:
    assert is_read_as(number, "Answer: ", f"{number + 1}{correction.format(number)}")
    assert is_read_as(number, "Answer: ", f"{number}{correction.format(number)}")
    assert reading("Answer: ", f"{number}. That's wrong.") is None
    assert is_read_as(number, "Answer: ", f"{number}\n\nSorry for the delay.")


AGAIN = [
    ". Nein, {}.", ". Non, {}.", "\n\nFinal: {}", ". Erratum: {}.", ". I forgot one, so {}.", ". That is off by one; {} it is.",
]  # fmt: skip
WITHDRAWN = [
    ". That can't be right.", "\n\nPlease ignore that.", " (wrong)", "\n\nSorry, I cannot answer this.",
    ". It does not look right.", " is what I first got.",
]  # fmt: skip


@given(NUMBERS, st.sampled_from(AGAIN), st.sampled_from(WITHDRAWN))
def test_a_later_number_or_a_withdrawal_leaves_no_number(number: int, again: str, withdrawal: str) -> None:
    assert reading("Answer: ", f"{number + 1}{again.format(number)}") in (None, str(number))
    assert reading("Answer: ", f"{number}{withdrawal}") is None
    assert is_read_as(number, "Answer: ", f"{number}\n\nTime taken: 3 seconds")


OPERATIONS = ["1/x", "{} squared", "{} times x", "5 less than x", "({}, -3)", "(2,∞)", "|{}|", "⌊{}.7⌋", "{}₂", "{} in binary",
              "(in millions) {}", "nine score", "{} MM", "{} choose k"]  # fmt: skip


@given(NUMBERS, st.sampled_from(OPERATIONS))
def test_what_needs_working_out_is_none(number: int, operation: str) -> None:
    assert reading("Answer: ", operation.format(number)) is None


@each_case(
    ("text", "value"),
    [("➖15", -15), ("{-}32", -32), ("&minus;7", -7), ("9 dozens", 108), ("8 млрд", 8 * 10**9),
     ("==73==", 73), ("<73>", 73), ("acht", 8), ("huit", 8), ("19Ω", 19)],
)  # fmt: skip
def test_signs_sizes_and_dress_of_other_scripts(text: str, value: int) -> None:
    assert is_read_as(value, "Answer: ", text)


@pytest.mark.parametrize("reply", ["#1", "2)", "(1)"])
def test_an_enumerator_is_no_number(reply: str) -> None:
    assert FORM.read(reply).value is None


@given(st.sampled_from(ONES[1:]), st.sampled_from(TENS), LEADS, NOUNS)
def test_numbers_in_words(unit: str, ten: str, lead: str, noun: str) -> None:
    value = 10 * (TENS.index(ten) + 2) + ONES.index(unit) + 1
    for text in (f"{ten}-{unit}", f"**{ten} {unit}**", f"{ten}-{unit} {noun}"):
        assert is_read_as(value, lead, text), text
    assert is_read_as(value, "", f"{ten}-{unit}".capitalize() + ".")
    assert is_read_as(value, "", f"There are {ten}-{unit} {noun}.")
    assert reading(lead, f"{unit} {ten}") is None
    assert reading(lead, f"{ten} or {unit}") is None


DRESSES = [
    "_{}_", "__{}__", "**{}**", "({})", "[{}]", "`{}`", '"{}"', "{} (2 × 7)", "{} [checked 3 times]", "{} (since it fits)",
]  # fmt: skip


@given(NUMBERS, st.sampled_from(DRESSES))
def test_dress_and_asides_are_not_looked_at(number: int, dress: str) -> None:
    assert is_read_as(number, "Answer: ", dress.format(number))
    assert is_read_as(number, "", f"He has 3 and buys 4, so 3+4=<<3+4=7>>7.\n#### {number}")
    assert is_read_as(number, "", f"So 2 times 44 equals {number}")
    assert reading("Answer: ", f"{number} (or {number + 1})") is None


@pytest.mark.long
@pytest.mark.parametrize(
    "piece",
    [
        *HOSTILE.values(),
        "1k ",
        "¼ ",
        "~1 ",
        "So 1 ",
        "forty ",
        "1'000",
        "not 1 ",
        "\\frac{1}{2}",
        "<<1",
        "-(",
        "if was ",
        "(1, ",
        "it not ",
        "is 40. so ",
        "- a b ",
        "==1",
        "1,2 ",
        "[1] 2 ",
        "($1",
        "1 (2",
    ],
)
@pytest.mark.parametrize("lead", ["", "Answer: ", "Answer: 1. Wait, "])
def test_hostile_replies_cost_no_time(piece: str, lead: str) -> None:
    text = lead + piece * ((READ - len(lead)) // len(piece))
    began = time.process_time()
    reading = FORM.read(text)
    assert time.process_time() - began < 10  # backtracking would take hours
    assert bool(reading.problem) == (reading.outcome is Outcome.UNREADABLE)


@given(
    st.lists(
        st.sampled_from(
            ["1", " ", "2", "/", "-", "–", ".", ",", "e", "%", "million", "=", "not", "\n", "Answer: ", "km", "√", "½"]
        )
    )
)
def test_what_is_read_is_written_and_read_again(pieces: list[str]) -> None:
    value = FORM.read("".join(pieces)).value
    if value is not None:
        assert as_number(value) is not None
        again = FORM.read(FORM.write(value))
        assert (again.value, again.strict) == (value, True)
