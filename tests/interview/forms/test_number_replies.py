"""Further kinds of replies to a question for a number, drawn by rule; each with neighbours that must stay the other way."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.formats.numbers import as_number
from vivavoce.interview.forms.number import Number

FORM = Number()
NUMBERS = st.integers(21, 9_999)
SMALL = st.integers(2, 20)


def reads(number: object, reply: str) -> bool:
    """Whether a reply is read as this number."""
    value = FORM.read(reply).value
    return value is not None and as_number(value) == number


def is_unread(reply: str) -> bool:
    """Whether a reply is read as no number."""
    return FORM.read(reply).value is None


LABELLED = ["Page {}.", "It is on page {}.", "On page {}, I think.", "page no. {}", "It's the {}th page."]
OTHERWISE = [
    "After page {}.",
    "Before page {}.",
    "It isn't on page {}.",
    "On page {} or 7",
    "Pages 7 to {}",
    "On line {}.",
    "page {}?",
]


@given(NUMBERS)
def test_a_label_that_the_question_asks_for_is_no_name(number: int) -> None:
    asked = Number(question="On which page is it?")
    assert [asked.read(reply.format(number)).value for reply in LABELLED] == [str(number)] * len(LABELLED)
    assert {asked.read(reply.format(number)).value for reply in OTHERWISE} == {None}
    assert is_unread(f"It is on page {number}.")


COUNTED = ["42個", "42个", "42人", "42명", "42개", "42本", "42"]
BOUNDS = ["以上", "以下", "未満", "미만", " 이상", "을 초과", "を超える", "より多い"]


@given(NUMBERS, st.sampled_from(COUNTED), st.sampled_from(BOUNDS), st.sampled_from(["", "です。", "입니다."]))
def test_a_bound_behind_a_counter_is_no_value(number: int, counted: str, bound: str, end: str) -> None:
    text = counted.replace("42", str(number))
    assert is_unread(f"{text}{bound}{end}")
    assert reads(number, f"{text}です。")


@given(
    NUMBERS,
    st.sampled_from(
        ["au moins", "como mínimo", "al menos", "mindestens", "höchstens", "und mehr", "et plus", "y más", "и более"]
    ),
)
def test_a_bound_behind_a_number_in_other_languages_is_no_value(number: int, bound: str) -> None:
    assert is_unread(f"{number} {bound}")
    assert is_unread(f"Answer: {number} {bound}")
    assert reads(number, f"{number} personas")


@given(st.integers(3, 9), st.sampled_from([" = ", " equals ", " is "]))
def test_a_factorial_is_worked_out(number: int, equals: str) -> None:
    assert reads(math.factorial(number), f"{number}!{equals}{math.factorial(number)}")
    assert reads(number, f"Answer: {number}!")
    assert is_unread(f"{number} factorial")


UNKNOWN = ["{}x = {}", "x + {} = {}", "{} + y = {}", "n - {} = {}", "x/{} = {}", "{}z + {} = 5"]


@given(SMALL, NUMBERS, st.sampled_from(UNKNOWN))
def test_an_equation_with_its_unknown_left_is_no_answer(first: int, second: int, equation: str) -> None:
    text = equation.format(first, second)
    assert is_unread(text)
    assert reads(7, f"{text}, so x = 7")
    assert reads(7, f"{text}\nx = 7")
    assert reads(second, f"{first} x 3 = {second}")
    assert reads(second, f"A = {first}w = {second}")
    assert reads(second, f"x + y = {second}")


@given(NUMBERS, st.sampled_from(["$", "€", "£"]), st.sampled_from(["Net result: ", "The total: ", "Answer: ", ""]))
def test_an_amount_in_brackets_has_either_sign(number: int, currency: str, lead: str) -> None:
    assert is_unread(f"{lead}({currency}{number:,})")
    assert reads(-number, f"{lead}-{currency}{number:,}")
    assert reads(number, f"{lead}{currency}{number:,}")
    assert reads(number, f"Answer: ({number})")
    assert reads(40, "He paid forty dollars ($40).")


@given(NUMBERS, st.integers(1, 99), st.sampled_from(["[{}]", "[{}][2]", "[1, {}]"]))
def test_a_source_is_no_number(number: int, source: int, cited: str) -> None:
    cite = cited.format(source)
    assert reads(number, f"There are {number} gallons in it.{cite}")
    assert reads(number, f"There are {number} gallons in it {cite}.")
    assert is_unread(f"[{source}] Smith et al., Journal of Examples.")
    assert is_unread(f"[{source}] Smith et al. ({number})")
    assert reads(source, f"The answer is [{source}].")


REJECTED = [
    "The answer {} was marked wrong.", "{} (rejected)", "{} (ruled out)", "{} ✗", "{} ❌", "✗ {}",
    "{} isn't among the options.", "{} doesn't work.", "{} makes no sense.", "PR #{}", "three times {}",
    "{} is not one of them.", "A result of {} would be absurd.", "A value of {} is impossible.", "{} is what Tom got.",
    "Suppose the answer is {}. Then 4 = 5, a contradiction.", "Assume the total is {}.", "Example: Answer: {}",
    "Sample answer: {}", "If the answer is {}, he is happy.",
    "Adams said {}, but that's a joke.", "far from {}",
]  # fmt: skip
TAKEN = [
    "{} ✓", "{} students were rejected.", "{} ballots were invalid.", "{} is what I get.", "I suppose the answer is {}.",
    "The answer would be {}.", "{} eggs are not broken.", "For example, if x were 1, it fails. So the answer is {}.",
    "41 ✗\n{} ✓", "Answer: {} (2 rejected)", "I assume the total is {}.",
]  # fmt: skip


@given(NUMBERS, st.sampled_from(REJECTED), st.sampled_from(TAKEN))
def test_a_number_that_is_rejected_or_supposed_is_none(number: int, rejected: str, taken: str) -> None:
    assert is_unread(rejected.format(number)), rejected
    assert reads(number, taken.format(number)), taken


LABELS = ["Issue #{}", "ticket #{}", "Ps. {}", "Rom. {}", "Op. {}", "Psalm {}", "{} seconds elapsed; request aborted",
          "{} s; connection was terminated"]  # fmt: skip


@given(NUMBERS, st.sampled_from(LABELS), st.sampled_from(["{} issues", "{} seconds elapsed", "The {} flights were cancelled."]))
def test_a_label_or_a_fault_has_no_answer(number: int, label: str, answer: str) -> None:
    assert is_unread(label.format(number))
    assert reads(number, answer.format(number))


PARTS = ["Half of the {} guests left.", "Most of the {} guests left.", "double {}", "a quarter of the {} pupils", "twice {}",
         "some of the {} pupils", "{} more than yesterday", "{} times as many as Tom", "{} years older than his sister",
         "{} less than the total"]  # fmt: skip
WHOLES = ["All of the {} guests left.", "Tom has {} more apples than Ann.", "Half of the students got {}.", "{} other guests"]


@given(NUMBERS, st.sampled_from(PARTS), st.sampled_from(WHOLES))
def test_a_part_or_a_multiple_of_a_number_is_not_the_number(number: int, part: str, whole: str) -> None:
    assert is_unread(part.format(number))
    assert reads(number, whole.format(number))


COMMAS = [
    "Die Antwort lautet {}.", "La réponse est {}.", "Es sind {}", "La respuesta es {}", "{} €", "{} kg", "{} %",
    "Ответ: это {}",
]  # fmt: skip


@given(st.integers(0, 999), st.integers(1, 99), st.sampled_from(COMMAS))
def test_decimal_commas(whole: int, part: int, text: str) -> None:
    decimal = as_number(f"{whole}.{part:02}")
    assert reads(decimal, text.format(f"{whole},{part:02}"))
    assert is_unread(f"Answer: {whole + 1},{part:02}")
    assert is_unread(f"({whole},{part:02})")
    assert is_unread(f"The roots are {whole},{part:02}")


@given(st.integers(1, 999), st.integers(0, 999))
def test_a_comma_that_may_be_either_leaves_the_number_open(whole: int, part: int) -> None:
    assert is_unread(f"Das Ergebnis ist {whole},{part:03}.")
    assert reads(1000 * whole + part, f"The result is {whole},{part:03}.")
    assert reads(as_number(f"0.{part:03}"), f"0,{part:03}")


@given(SMALL, NUMBERS, st.sampled_from(["Lisa has {} apples left.", "**So she has {} left.**", "She has {}."]))
def test_a_last_sentence_that_repeats_the_last_result_is_read(used: int, left: int, last: str) -> None:
    working = f"She had {used + left} and ate {used}. {used + left} - {used} = {left}. "
    assert reads(left, working + last.format(left))
    assert is_unread(f"{working}Tom has {left + 1} apples.")
    assert is_unread(f"She had {used + left} and ate {used}. Tom has {left} apples.")


LEADING = ["After giving {} apples to Tom, ", "So, after eating {} of them, ", "Because he has {} boxes, ", "By adding {}, "]


@given(SMALL, NUMBERS, st.sampled_from(LEADING))
def test_a_clause_before_the_main_one_is_not_looked_at(other: int, number: int, lead: str) -> None:
    assert reads(number, f"{lead.format(other)}she has {number} left.")
    assert is_unread(f"{lead.format(other)}she has {number} and Ann has {number + 1}.")
    assert is_unread(f"After {other} days, she has {number}.")
    assert is_unread(f"She had {other}, after buying {other + 1}, she has {number}.")


TURNED = ["{0} = {1} × {2}", "{0} = {1} * {2}", "{0} = sqrt({1})", "{0} = x", "{1} times {2} is {0}.", "{1} × {2} is {0}",
          "The average of {1} and {2} is {0}.", "{1}% of {2} is {0}.", "{1} squared is {0}.", "The square root of {1} is {0}.",
          "The remainder when {1} is divided by {2} is {0}.", "The product is {1} × {2}, i.e. {0}."]  # fmt: skip
UNTURNED = ["{0} = {1} × n", "{1} times {2} is not {0}.", "If {1} times {2} is {0}, we stop.", "{1} squared", "{1} × {2}"]


@given(NUMBERS, SMALL, SMALL, st.sampled_from(TURNED), st.sampled_from(UNTURNED))
def test_the_result_of_a_working_is_read(number: int, first: int, second: int, turned: str, unturned: str) -> None:
    assert reads(number, turned.format(number, first, second)), turned
    assert is_unread(unturned.format(number, first, second)), unturned


SIZES = {"K": 10**3, "M": 10**6, "m": 10**6, "B": 10**9, "T": 10**12}


@given(NUMBERS, st.sampled_from(sorted(SIZES)), st.sampled_from(["${}", "€{}", "£{}", "{} USD", "{} €"]))
def test_a_letter_beside_a_currency_is_a_size(number: int, letter: str, money: str) -> None:
    assert reads(number * SIZES[letter], money.format(f"{number}{letter}"))
    assert is_unread(f"{number}{letter}") or letter == "m"
    assert is_unread(f"$x = {number}{letter}$")


BESIDE = ["{} km/h ({} m/s)", "{} keys ({} white)", "It is {} m ({} ft) tall.", "{} of them. (In {}, 7.)",
          "There are {} bones, compared with about {} at birth.", "So it travels a total of {} km in {} hours."]  # fmt: skip


@given(NUMBERS, SMALL, st.sampled_from(BESIDE))
def test_another_number_beside_the_one_that_is_said_is_not_looked_at(number: int, other: int, text: str) -> None:
    assert reads(number, text.format(number, other)), text
    for open_ in (f"{number} (or {other})", f"{number} eggs (and {other} more)", f"It travels {number} km in {other} hours."):
        assert is_unread(open_), open_


@given(SMALL, st.sampled_from(["C4H10", "February 2024", "COVID-19", "H2O", "The 26th of them"]))
def test_digits_of_a_name_are_not_looked_at(number: int, name: str) -> None:
    assert reads(number, f"{name} has {number} of them.")
    assert is_unread(name)


@given(NUMBERS)
def test_what_is_said_behind_a_program_or_in_an_aligned_equation(number: int) -> None:
    assert reads(number, f"```python\nprint(3 + 5)\n```\nOutput: {number}")
    assert is_unread(f"```python\nx = {number}\nprint(x + 3)\n```")
    assert reads(number, f"\\begin{{align*}}\n2x &= 10 \\\\\nx &= {number}\n\\end{{align*}}")


@each_case(
    ("text", "value"),
    [("half", "1/2"), ("Three quarters.", "3/4"), ("a third", "1/3"), ("four and a half", "9/2"), ("two-thirds", "2/3"),
     ("十二", "12"), ("四百零二", "402"), ("3 degrees below zero", "-3")],
)  # fmt: skip
def test_numbers_without_digits(text: str, value: str) -> None:
    assert reads(as_number(value), text)
    assert reads(as_number(value), f"Answer: {text}")


@each_case("text", ["third", "half of it", "half an hour ago", "a third party", "十百", "一", "quarter"])
def test_words_that_are_no_number_alone(text: str) -> None:
    assert is_unread(text)
