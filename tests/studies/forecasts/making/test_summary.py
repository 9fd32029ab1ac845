"""What making tuples has come to, as it is reported."""

import io

from rich.console import Console

from vivavoce.render.console import print_report
from vivavoce.studies.forecasting.config import NOBODY, TEMPLATE
from vivavoce.studies.forecasting.making.summary import MakingSummary, TupleTally

MADE = MakingSummary(
    {"neg": TupleTally(5, 3, 0, 2, {"no exact negation": 2}), "and": TupleTally(5, 4, 1, 0, {})},
    TEMPLATE,
    NOBODY,
    seed=0,
    bodies=False,
    several=True,
    exhausted="",
)


def test_the_table_has_a_row_a_law_and_the_sentence_is_the_last_word() -> None:
    file = io.StringIO()
    print_report(MADE.report(), Console(file=file, width=80))
    lines = [line.split() for line in file.getvalue().splitlines()]
    assert lines[0] == ["Law", "Tuples", "Accepted", "Rejected", "Not", "checked"]
    assert lines[1:3] == [["neg", "5", "3", "2", "0"], ["and", "5", "4", "0", "1"]]
    assert "Rejected\n  2: no exact negation\n" in file.getvalue()
    assert "Not shown" in file.getvalue()
    assert file.getvalue().rstrip().endswith("7 of 10 tuples accepted, 2 rejected, 1 not checked.")


def test_without_a_rejected_tuple_no_reason_is_given() -> None:
    kept = MakingSummary({"and": MADE.laws["and"]}, TEMPLATE, NOBODY, 0, bodies=False, several=False, exhausted="")
    file = io.StringIO()
    print_report(kept.report(), Console(file=file, width=80))
    assert "\nRejected\n" not in file.getvalue()
