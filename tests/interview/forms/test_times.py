"""Times of day: which writings are one, and which are certainly two."""

from __future__ import annotations

from tests.each_case import each_case
from vivavoce.interview.forms.dates_and_times import with_times_as, written_times

SAME = """
6:30 pm | 18:30 | 6.30 p.m. | half past six in the evening | 18h30 | 6:30
14:15 | 2:15 pm | 14.15 Uhr | 2:15 PM
9:00 | 9 o'clock | nine o'clock | 09:00 | 9 Uhr
09:00 | 9 am | 9:00 | nine o'clock in the morning
noon | 12 pm | 12:00 | midday
midnight | 12 am | 00:00 | 24:00
11:45 | quarter to twelve
"""
OPEN = """
6:30 pm | 06:30
9:00 | 9 am | 9 pm
14:15 | 2:15 | quarter past two
midnight | 12:00
"""
OTHER = """
6:30 pm | 6:30 am | 18:31 | 5:30 | half past five | noon
14:15 | 2:15 am | 15:15 | quarter to two
9:00 | 9:30 | 10 pm
noon | 12 am | 1 pm
"""
NONE = (
    "It takes 2 h 10 min.",
    "It costs 6.30.",
    "13 pm",
    "John 3:5",
    "25:00",
    "3:61",
    "2026-03-03",
    "12:30:45",
    "a quarter of six",
)


def pairs(table: str) -> list[tuple[str, str]]:
    rows = (line.split(" | ") for line in table.strip().splitlines())
    return [(key, other) for key, *others in rows for other in others]


@each_case(("key", "other"), pairs(SAME))
def test_the_same_time_is_spelled_as_the_key(key: str, other: str) -> None:
    assert with_times_as(f"It is {other}, I think", [key]) == f"It is {key}, I think"


@each_case(("key", "other"), pairs(OPEN))
def test_a_time_that_may_be_another_is_neither(key: str, other: str) -> None:
    own, given = written_times(key)[0], written_times(other)[0]
    assert (own.agrees_with(given), own.differs_from(given)) == (False, False)


@each_case(("key", "other"), pairs(OTHER))
def test_another_time_differs(key: str, other: str) -> None:
    own, given = written_times(key)[0], written_times(other)[0]
    assert (own.agrees_with(given), own.differs_from(given)) == (False, True)


@each_case("text", NONE)
def test_other_numbers_are_no_times(text: str) -> None:
    assert written_times(text) == []


def test_a_full_stop_after_pm_ends_the_sentence_unless_it_goes_on() -> None:
    assert with_times_as("At 6 p.m. We leave.", ["18:00"]) == "At 18:00. We leave."
    assert with_times_as("At 6 p.m. on Monday.", ["18:00"]) == "At 18:00 on Monday."
