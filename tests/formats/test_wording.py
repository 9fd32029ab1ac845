from hypothesis import given
from hypothesis import strategies as st

from vivavoce.formats.interval import Interval
from vivavoce.formats.wording import THIN, clipped, score_interval, share, share_interval

rates = st.floats(min_value=1e-6, max_value=1.0)


def read(text: str) -> float:
    """The rate that was written, whichever way."""
    text = text.replace(THIN, "")
    if text.endswith("%"):
        return float(text[:-1]) / 100
    part, whole = text.split(" in ")
    return float(part) / float(whole)


@given(rates)
def test_a_share_is_right_to_two_digits(rate: float) -> None:
    # two significant digits: off by at most half a unit of the second one, 5% of the number at worst
    assert abs(read(share(rate)) - rate) <= 0.0501 * rate


@given(rates, rates)
def test_a_written_interval_holds_the_interval(first: float, other: float) -> None:
    lower, upper = sorted((first, other))
    written = share_interval(Interval(lower, upper))[1:-1].split(", ")
    assert read(written[0]) <= lower * (1 + 1e-9)
    assert read(written[1]) >= upper * (1 - 1e-9)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_written_interval_of_scores_holds_the_interval(first: float, other: float) -> None:
    lower, upper = sorted((first, other))
    below, above = score_interval(Interval(lower, upper))[1:-1].split(", ")
    assert float(below) <= lower + 1e-9
    assert float(above) >= upper - 1e-9


def test_no_percent_has_three_decimals() -> None:
    # .00052 would be 0.052%; the paper's own limit for a test of 100 questions
    assert share(0.00052) == f"5.2 in 10{THIN}000"


@given(st.text(st.characters(), max_size=80), st.integers(1, 60))
def test_clipped_text_is_short_and_cannot_steer_a_terminal(text: str, limit: int) -> None:
    shown = clipped(text, limit)
    assert len(shown) <= limit + len("… (80 more characters)")
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    shown.encode()  # a lone surrogate would fail here
