import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.consistency.forecasts.prompts import Kind
from vivavoce.consistency.forecasts.reading import OUTCOMES, read_forecast
from vivavoce.interview.candidate import NoAnswer, Reply

THIN, NARROW, NO_BREAK = "\u2009", "\u202f", "\u00a0"


def said(text: str, kind: Kind = Kind.PROBABILITY) -> object:
    """The value, or why there is none, of what stands behind the marker."""
    reading = read_forecast(Reply(f"Let me think.\n[Answer] {text}"), kind)
    return reading.outcome if reading.value is None else reading.value


@pytest.mark.parametrize(
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
        ("1", 1.0),
        ("1.", 1.0),
        ("100%", 1.0),
        ("0.5%", 0.005),
        ("1e-3", 0.001),
        ("+0.25", 0.25),
        ("-0.1", "not between 0 and 1"),
        ("−0.1", "not between 0 and 1"),
        ("1.01", "not between 0 and 1"),
        ("50", "not between 0 and 1"),
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
        ("0.5 (50%)", "several numbers"),
        ("0.3, 0.5", "several numbers"),
        ("likely", "no plain number"),
        ("", "no plain number"),
        ("nan", "no plain number"),
        ("inf", "no plain number"),
        ("0,5", "no plain number"),
        ("~0.5", "no plain number"),
        ("0.5</b>", "no plain number"),
        ("\x1b[31m0.5\x1b[0m", "several numbers"),
        ("\x1b0.5\x00", "no plain number"),
        ("٠.٥", "no plain number"),
        ("0.5" + "0" * 1000, "no plain number"),
    ],
)
def test_probabilities(text: str, value: object) -> None:
    assert said(text) == value


@pytest.mark.parametrize(
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
        # what a number is left open by
        ("3bn", "unclear words after the number"),
        ("3 M", "unclear words after the number"),
        ("3 thousands", "unclear words after the number"),
        ("3 million-dollar films", "unclear words after the number"),
        ("3 thousand million", "unclear words after the number"),
        ("1200 or more", "unclear words after the number"),
        ("1200+", "unclear words after the number"),
        ("0x1F", "unclear words after the number"),
        ("1-2 people", "a range"),
        ("5 to 10", "a range"),
        ("9.58-9.60 seconds", "a range"),
        ("1 200", "several numbers"),
        ("66.5, so 67", "several numbers"),
        ("9 seconds for 100 metres", "several numbers"),
        ("1,2", "no plain number"),
        ("1,2000", "no plain number"),
        ("2:01:09", "no plain number"),
        ("$5", "no plain number"),
        ("1e999", "no plain number"),
        ("1e300 trillion", "no plain number"),
        ("1e151", "no plain number"),
        ("many", "no plain number"),
    ],
)
def test_quantities(text: str, value: object) -> None:
    assert said(text, Kind.QUANTITY) == value


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("[Answer] 0.5", "read"),
        ("[answer]: 0.5", "read"),
        ("**[Answer]** 0.5", "read"),
        ("**[Answer]: 0.5**", "read"),
        ("Hence [Answer] 0.5", "read"),
        ("[Answer] 0.2\nNo, wait.\n[Answer] 0.5", "read"),
        ("[Answer] 0.5\r\n \t\n\n", "read"),
        ("[Answer] 0.5\n[", "[Answer] not on the last line"),
        ("[Answer] 0.5\nI hope this helps.", "[Answer] not on the last line"),
        ("[Answer]\n0.5", "[Answer] not on the last line"),
        ("[Answer] 0.5\u2028I hope this helps.", "[Answer] not on the last line"),
        ("[Answer] 0.2 [Answer] 0.5", "several numbers"),
        ("0.5", "no [Answer]"),
        ("Answer: 0.5", "no [Answer]"),
        ("I will not say.", "no [Answer]"),
        ("", "empty"),
        (" \n\t\n ", "empty"),
    ],
)
def test_the_marker_must_stand_on_the_last_line(text: str, outcome: str) -> None:
    reading = read_forecast(Reply(text))
    assert (reading.outcome, reading.value) == (outcome, 0.5 if outcome == "read" else None)


def test_what_the_server_says_of_the_end_comes_first() -> None:
    # "0.1" may have been going to be "0.15"
    assert read_forecast(Reply("[Answer] 0.1", finish="length")).outcome == "cut off"
    assert read_forecast(Reply("", finish="max_tokens")).outcome == "cut off"
    assert read_forecast(Reply("[Answer] 0.1", finish="content_filter")).outcome == "filtered"
    assert read_forecast(Reply("[Answer] 0.1", finish="stop")).value == 0.1


def test_no_answer_has_reasons_of_its_own() -> None:
    assert read_forecast(NoAnswer("time-out after 120 s")).outcome == "time-out"
    assert read_forecast(NoAnswer("status 500: <b>[Answer] 0.5</b>")).outcome == "no answer"


@given(st.floats(0, 1))
def test_every_probability_that_python_writes_is_read_as_it_is(p: float) -> None:
    assert said(repr(p)) == p


@given(st.integers(-(10**15), 10**15), st.sampled_from([",", THIN, NARROW]), st.sampled_from(["", " km", " people"]))
def test_whole_numbers_with_separators_are_read_as_they_are(number: int, separator: str, unit: str) -> None:
    assert said(f"{number:,}".replace(",", separator) + unit, Kind.QUANTITY) == number


@given(st.text(max_size=300), st.sampled_from(list(Kind)), st.booleans())
def test_whatever_is_said_has_a_known_outcome(text: str, kind: Kind, marked: bool) -> None:
    reading = read_forecast(Reply(f"[Answer] {text}" if marked else text), kind)
    assert reading.outcome in OUTCOMES
    assert (reading.outcome == "read") == (reading.value is not None)
    if reading.value is not None:
        assert math.isfinite(reading.value)
        assert kind is Kind.QUANTITY or 0 <= reading.value <= 1


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize(
    "text",
    [
        "[Answer] " + "1" * 190,
        "[Answer] " + "1-" * 90,
        "[Answer] " + "1111." * 38,
        "[Answer] " + "1e1" * 60,
        "[Answer]" * 600_000,
        "[Answer] " + "1,111" * 38,
        "[Answer] " + "a " * 95,
        "[Answer" * 700_000,
        "\n" * 5_000_000,
        "1" * 5_000_000,
    ],
)
def test_hostile_replies_cost_no_time(text: str, kind: Kind) -> None:
    began = time.process_time()
    read_forecast(Reply(text), kind)
    assert time.process_time() - began < 0.5
