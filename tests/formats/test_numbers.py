"""Cells that are numbers to a reader: whatever signs people and programs put around them, the value stays."""

from __future__ import annotations

import struct
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.formats.numbers import as_number, bare, short, written_number

WIDE = str.maketrans("0123456789-.,", "０１２３４５６７８９－．，")
DRESSES = {
    "plain": "{n}",
    "minus": "{minus}",
    "full width": "{wide}",
    "unseen": "\u200b{n}\ufeff",
    "guarded": '="{n}"',
    "apostrophe": "'{n}",
    "formula": "={n}",
    "dollars": "${n}",
    "euros": "{n} €",
}


@given(st.decimals(-(10**9), 10**9, places=2), st.sampled_from(sorted(DRESSES)))
def test_a_number_keeps_its_value_in_any_dress(value: Decimal, dress: str) -> None:
    written = f"{value:,}"
    cell = DRESSES[dress].format(n=written, minus=written.replace("-", "–"), wide=written.translate(WIDE))
    assert as_number(written_number(bare(cell))) == Fraction(value)


@given(st.text(st.characters(exclude_categories=["Nd", "Nl", "No", "Cc", "Cs"]), min_size=1, max_size=20))
def test_a_text_without_a_digit_stays_as_it_is(text: str) -> None:
    assert written_number(text) == text


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("3/4", "3/4"), ("-1 1/2", "-3/2"), ("½", "1/2"), ("1/3", "1/3"), ("50%", "50"), ("1 000 000", "1000000"),
        ("1'000.5", "1000.5"), ("1,00,000", "100000"), ("٤٢", "42"), ("0.30000000000000004", "0.3"), ("=42", "42"),
    ],
)  # fmt: skip
def test_numbers_keep_their_value(cell: str, value: str) -> None:
    assert as_number(written_number(cell)) == Fraction(value)


@pytest.mark.parametrize("cell", ["5/0", "10²", "5–7", "COVID-19", "3,5", "€1.234,50", "=6*7", "1.5.2", "Rome"])
def test_what_is_no_number_stays_as_it_is(cell: str) -> None:
    assert written_number(cell) == cell
    assert as_number(written_number(cell)) is None


@given(st.decimals(1, 1000, places=3))
def test_noise_of_binary_fractions_is_taken_off(value: Decimal) -> None:
    single = struct.unpack("f", struct.pack("f", float(value)))[0]
    assert Decimal(short(single)) == value
    assert Decimal(short(float(value) + 0.1 - 0.1)) == value


@pytest.mark.parametrize("value", [2.0**-15, 3 * 2.0**-20, 1 / 3, 2 / 3, 0.1, 1e22, 123456789.123, 5e-324])
def test_what_is_exact_stays(value: float) -> None:
    assert short(value) == repr(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_changed_by_noise_at_most(value: float) -> None:
    assert float(short(value)) == pytest.approx(value, rel=1e-7)
    assert short(round(value, 3)) == repr(round(value, 3)) or len(repr(round(value, 3))) > 15


@pytest.mark.parametrize(
    ("cell", "text"), [('="a ""b"""', 'a "b"'), ("\u200bRome \u00a0", "Rome"), ("=1", "=1"), ('="a', '="a')]
)
def test_guards_are_taken_off(cell: str, text: str) -> None:
    assert bare(cell) == text
