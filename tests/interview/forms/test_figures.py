import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.probability import PROBLEMS, Probability, Quantity

Form = Probability | Quantity
THIN, NARROW, NO_BREAK = "\u2009", "\u202f", "\u00a0"


def said(text: str, form: Form = Probability()) -> object:  # noqa: B008 - frozen
    """The value, or why there is none, of what stands behind the marker."""
    reading = form.read(f"Let me think.\nAnswer: {text}")
    return reading.problem if reading.value is None else reading.value


@each_case(
    ("text", "value"),
    [
        ("0.5", 0.5),
        (".5", 0.5),
        ("50%", 0.5),
        ("50 %", 0.5),
        ("0.5.", 0.5),
        ("**0.5**.", 0.5),
        ("`0.5`", 0.5),
        ("0", 0.0),
        ("1", "1 without a sign: certain, or one per cent"),
        ("1.", "1 without a sign: certain, or one per cent"),
        ("1.0", 1.0),
        ("1%", 0.01),
        ("12.5%", 0.125),
        ("100%", 1.0),
        ("0.5%", 0.005),
        ("1e-3", 0.001),
        ("+0.25", 0.25),
        ("-0.1", "not between 0 and 1"),
        ("−0.1", "not between 0 and 1"),
        ("1.01", "not between 0 and 1"),
        ("50", 0.5),
        ("101", "not between 0 and 1"),
        ("150%", "not between 0 and 1"),
        ("1e999", "not between 0 and 1"),
        ("0.3-0.5", "a range"),
        ("30%–50%", "a range"),
        ("0.3 to 0.5", "a range"),
        ("between 0.3 and 0.5", "a range"),
        ("[0.3, 0.5]", "a range"),
        ("0.4 ± 0.1", "a range"),
        ("<0.05", "a range"),
        ("0.4 or 0.5", "a range"),
        ("0.5 (50%)", 0.5),
        ("0.5 (60%)", "several numbers"),
        ("0.3, 0.5", "several numbers"),
        ("likely", "no plain number"),
        ("", "no stated answer"),
        ("nan", "no plain number"),
        ("inf", "no plain number"),
        ("0,5", "no plain number"),
        ("~0.5", 0.5),
        ("0.5</b>", "no plain number"),
        ("\x1b[31m0.5\x1b[0m", "several numbers"),
        ("\x1b0.5\x00", "no plain number"),
        ("٠.٥", "no plain number"),
        ("0.5" + "0" * 1000, "no plain number"),
    ],
)
def test_probabilities(text: str, value: object) -> None:
    assert said(text) == value


@each_case(
    ("text", "value"),
    [
        ("9.58 seconds", 9.58),
        ("9.58s", 9.58),
        ("1,200", 1200),
        (f"1{THIN}200", 1200),
        (f"12{NARROW}345{NARROW}678 people.", 12_345_678),
        (f"1{NO_BREAK}200", 1200),
        ("1,200.5 t/ha", 1200.5),
        ("1.200", 1.2),
        ("-4", -4),
        ("−4.5 °C", -4.5),
        ("1.2e9", 1.2e9),
        ("3 million", 3e6),
        ("3.5 billion people", 3.5e9),
        ("45%", 45),
        ("7 new medicines per year", 7),
        ("1200.", 1200),
        ("3bn", 3e9),
        ("3 thousand million", 3e9),
        ("1 200", 1200),
        ("$5", 5),
        ("7×10³", 7000),
        # what a number is left open by
        ("3 M", "unclear words after the number"),
        ("3 million-dollar films", "unclear words after the number"),
        ("1200 or more", "a range"),
        ("1200+", "a range"),
        ("0x1F", "unclear words after the number"),
        ("1-2 people", "a range"),
        ("5 to 10", "a range"),
        ("9.58-9.60 seconds", "a range"),
        ("66.5, so 67", "several numbers"),
        ("9 seconds for 100 metres", "several numbers"),
        ("1,2", "no plain number"),
        ("1,2000", "no plain number"),
        ("2:01:09", "no plain number"),
        ("1e999", "no plain number"),
        ("1e300 trillion", "no plain number"),
        ("1e151", "no plain number"),
        ("many", "no plain number"),
    ],
)
def test_quantities(text: str, value: object) -> None:
    assert said(text, Quantity()) == value


@each_case(
    "text",
    [
        "Answer: 0.5", "[Answer] 0.5", "[answer]: 0.5", "**[Answer]** 0.5", "**Answer: 0.5**", "**Answer:** 0.5",
        "Hence [Answer] 0.5", "The final answer is 50%.", "Answer: 0.2\nNo, wait.\nAnswer: 0.5", "[Answer] 0.5\r\n \t\n\n",
        "[Answer] 0.5\nI hope this helps.", "[Answer]\n0.5", "Answer: 0.5, since nothing else is known.",
        "Answer: 0.5, not more.", "Answer: about 50%",
        "Answer: 0.5 (50%)", "It may be 0.2 or 0.3.\n\n0.5", "0.5", "So I settle at 50%.",
        "My probability for this event is 0.5.", "Probability: 0.5", "Answer: 0.5<|eot_id|>",
        "Answer: 0.5\n\nQuestion: And tomorrow?\nAnswer: 0.2", "0.5\n\nUser: And tomorrow?\nAssistant: Answer: 0.2",
    ],
)  # fmt: skip
def test_a_probability_is_read_where_a_person_would_read_it(text: str) -> None:
    assert Probability().read(text).value == 0.5


@each_case(
    ("text", "problem"),
    [
        ("Answer: 0.2 Answer: 0.5\nI hope this helps.", "no stated answer"),
        ("Answer: 0.2\nAnswer: 0.5\nI hope this helps.", "no stated answer"),
        ("For it speaks 0.3, against it 0.5.", "no stated answer"),
        ("The probability is 0.3, and that of the opposite is 0.7.", "no stated answer"),
        ("I would say that 0.2 is low.", "no stated answer"), ("I will not say.", "no stated answer"),
        ("Answer: 1 in 5", "several numbers"), ("Answer: 3 out of 10", "several numbers"), ("Answer: less than 0.1", "a range"),
        ("The chance that it does not happen is 70%", "no stated answer"),
        ("Answer: 70% that it won't happen", "unclear words after the number"), ("70% no", "unclear words after the number"),
        ("Answer: 0.5 or so", "no plain number"), ("", "no stated answer"), (" \n\t\n ", "no stated answer"),
    ],
)  # fmt: skip
def test_what_leaves_the_number_open_is_none(text: str, problem: str) -> None:
    reading = Probability().read(text)
    assert (reading.value, reading.problem) == (None, problem)


def test_the_schema_is_read_as_it_is() -> None:
    assert Probability().read_fields({"reasoning": "0.9", "per_cent": 25}).value == 0.25
    assert Probability().read_fields({"per_cent": "25%"}).value == 0.25
    assert Quantity().read_fields({"reasoning": "", "answer": -3}).value == -3
    others: tuple[object, ...] = (True, None, [0.5], {}, "0.2-0.4")
    for other in others:
        assert Probability().read_fields({"per_cent": other}).value is None
        assert Quantity().read_fields({"answer": other}).value is None
    assert Probability().read_fields({"per_cent": 101}).problem == "not between 0 and 1"


@pytest.mark.parametrize("form", [Probability(), Quantity()])
def test_no_instruction_said_back_is_a_number(form: Form) -> None:
    for text in (form.instruction, form.schema_instruction, form.further):
        for piece in (text, *text.split("\n"), *text.split(". ")):
            assert form.read(piece).value is None, piece


@given(st.floats(0, 1))
def test_every_probability_that_python_writes_is_read_as_it_is(p: float) -> None:
    assert said(repr(p)) == p


@given(st.integers(-(10**15), 10**15), st.sampled_from([",", THIN, NARROW]), st.sampled_from(["", " km", " people"]))
def test_whole_numbers_with_separators_are_read_as_they_are(number: int, separator: str, unit: str) -> None:
    assert said(f"{number:,}".replace(",", separator) + unit, Quantity()) == number


@given(st.text(max_size=300), st.sampled_from([Probability(), Quantity()]), st.booleans())
def test_whatever_is_said_has_a_known_outcome(text: str, form: Form, marked: bool) -> None:
    reading = form.read(f"[Answer] {text}" if marked else text)
    assert (reading.outcome is Outcome.ANSWER) == (reading.value is not None) == (reading.problem not in PROBLEMS)
    if reading.value is not None:
        assert math.isfinite(reading.value)
        assert isinstance(form, Quantity) or 0 <= reading.value <= 1


@each_case("form", [Probability(), Quantity()])
@each_case(
    ("start", "piece", "times"),
    [
        ("[Answer] ", "1", 190),
        ("[Answer] ", "1-", 90),
        ("[Answer] ", "1111.", 38),
        ("[Answer] ", "1e1", 60),
        ("", "[Answer]", 600_000),
        ("[Answer] ", "1,111", 38),
        ("[Answer] ", "a ", 95),
        ("", "[Answer", 700_000),
        ("", "\n", 5_000_000),
        ("", "1", 5_000_000),
    ],
)
def test_hostile_replies_cost_no_time(start: str, piece: str, times: int, form: Form) -> None:
    text = start + piece * times
    began = time.process_time()
    form.read(text)
    assert time.process_time() - began < 10  # backtracking would take hours
