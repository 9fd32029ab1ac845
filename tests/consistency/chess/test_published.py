"""The paper's tables as data: equal to another transcription, and intervals by hand."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from tests.papers import consistency_tables as papers
from vivavoce.consistency.chess.published import (
    PublishedTable,
    published_table,
    share,
    tables_beside,
)

TABLE_1, TABLE_6, TABLE_8, TABLE_9, TABLE_10 = map(published_table, (1, 6, 8, 9, 10))


@pytest.mark.parametrize(("table", "text"), [(TABLE_1, papers.TABLE_1), (TABLE_8, papers.TABLE_8), (TABLE_9, papers.TABLE_9)])
def test_tables_equal_another_transcription(table: PublishedTable, text: str) -> None:
    others = papers.shares(text)
    assert [row.check.value for row in table.rows] == list(others)
    for row in table.rows:
        assert [estimate.value for estimate in row.shares] == pytest.approx(others[row.check.value])


def test_table_6_equals_another_transcription_and_its_row_of_400_is_table_1() -> None:
    others = papers.shares(papers.TABLE_6)
    assert {str(row.nodes): [estimate.value for estimate in row.shares] for row in TABLE_6.rows} == {
        nodes: pytest.approx(row) for nodes, row in others.items()
    }
    at_400 = next(row for row in TABLE_6.rows if row.nodes == 400)
    assert at_400.printed == TABLE_1.rows[1].printed


def test_samples_are_those_of_the_text() -> None:
    assert [row.n for row in TABLE_1.rows] == [200_000, 400_000, 400_000, 400_000]
    assert [row.n for row in TABLE_9.rows] == [200_000] * 4
    assert [row.n for row in TABLE_10.rows] == [100_000, 100_000, 100_000, 50_000]


def test_an_interval_reaches_over_all_counts_that_are_printed_so() -> None:
    estimate = share("0.09", 200_000)  # from 0.085% to 0.095%: 170 to 190 positions
    assert estimate.interval.lower == pytest.approx(binomtest(170, 200_000).proportion_ci(method="exact").low)
    assert estimate.interval.upper == pytest.approx(binomtest(190, 200_000).proportion_ci(method="exact").high)
    none = share("0", 400_000)
    assert (none.value, none.interval.lower) == (0.0, 0.0)
    assert none.interval.upper == pytest.approx(1 - 0.025 ** (1 / 400_000))
    bound = share("<0.01", 400_000)
    assert bound.value is None
    assert bound.interval.upper == pytest.approx(binomtest(40, 400_000).proportion_ci(method="exact").high)
    unknown = share("53.9", None)
    assert unknown.n == 0
    assert (unknown.interval.lower, unknown.interval.upper) == pytest.approx((0.5385, 0.5395))


@pytest.mark.parametrize(
    ("candidate", "numbers"),
    [
        ("uci:lc0?nodes=400&wdl=moves&engine=Lc0 v0.29.0%2Bgit.ece6f22", [1]),
        ("uci:stockfish?nodes=400&hash=1&engine=Stockfish 15.1", [8]),
        ("uci:stockfish?nodes=400&hash=1&Use NNUE=false&engine=Stockfish 15.1", [9, 10]),
        ("uci:glaurung?nodes=400&engine=Glaurung 2.2", []),
        ("a program", []),
    ],
)
def test_each_engine_has_the_tables_of_its_kind(candidate: str, numbers: list[int]) -> None:
    assert [table.number for table in tables_beside(candidate)] == numbers
