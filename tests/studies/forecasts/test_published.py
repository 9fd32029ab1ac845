"""The paper's tables as data: each printed share is one count, and intervals are those of another program."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from vivavoce.studies.forecasting.published import TUPLES, counted, published_laws, published_rows

# Table 3, read with the eye
TABLE_3 = {
    "GPT-3.5-turbo": {"neg": (52.6, 0.34), "paraphrase": (30.8, 0.21), "increasing": (42.0, 0.23), "bayes": (68.6, 0.28)},
    "GPT-4": {"neg": (10.9, 0.10), "paraphrase": (12.5, 0.13), "increasing": (16.0, 0.11), "bayes": (58.8, 0.25)},
}


def test_every_printed_share_is_that_of_one_count() -> None:
    assert len(published_rows()) == 12
    rows = [(check, entry) for row in published_rows() for check, entry in row.checks.items()]
    assert len(rows) == 4 * 4 + 8 * 3
    for check, entry in rows:
        assert entry.strong.n == TUPLES[check]
        assert entry.strong.value is not None
        count = round(entry.strong.value * entry.strong.n)
        expected = binomtest(count, entry.strong.n).proportion_ci(0.95, method="exact")
        assert (entry.strong.interval.lower, entry.strong.interval.upper) == pytest.approx((expected.low, expected.high))
    # the counts of the note: 92 and 19 of 175, 32 of 104, 21 of 50, 35 and 30 of 51
    shares = ((52.6, 175), (10.9, 175), (30.8, 104), (42.0, 50), (68.6, 51), (58.8, 51))
    assert [counted(printed, n) for printed, n in shares] == [92, 19, 32, 21, 35, 30]


@pytest.mark.parametrize("model", TABLE_3)
def test_table_3_is_among_them(model: str) -> None:
    row = next(row for row in published_rows() if (row.model, row.temperature, row.variant) == (model, 0, "plain"))
    for law, (percent, mean) in TABLE_3[model].items():
        printed = row.of(law)
        assert printed is not None
        assert printed.strong.value is not None
        assert (round(100 * printed.strong.value, 1), printed.mean) == (percent, mean)


@pytest.mark.parametrize(
    ("variant", "model", "law", "percent", "mean"),
    [
        ("opposite", "GPT-4", "neg", 2.9, 0.06),  # Table 4
        ("canonical", "GPT-4", "bayes", 62.7, 0.27),  # Table 4
        ("opposite", "GPT-3.5-turbo", "paraphrase", 41.3, 0.28),  # Table 12
        ("canonical", "GPT-3.5-turbo", "neg", 44.0, 0.33),  # Table 13
    ],
)
def test_tables_4_12_and_13_are_among_them(variant: str, model: str, law: str, percent: float, mean: float) -> None:
    row = next(row for row in published_rows() if (row.model, row.temperature, row.variant) == (model, 0, variant))
    printed = row.of(law)
    assert printed is not None
    assert printed.strong.value is not None
    assert (round(100 * printed.strong.value, 1), printed.mean) == (percent, mean)
    assert row.of("increasing") is None


def test_a_share_that_no_count_gives_is_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        counted(52.7, 50)
    assert published_laws(("and", "or")) == ()
