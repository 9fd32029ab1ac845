import re
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from tests.render.html_pages import MADE, Outline, assert_in_order, html_of, outline
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Stratum
from vivavoce.certificate.report.caveats import ReplyCounts
from vivavoce.certificate.report.numbers import shown_of
from vivavoce.formats.wording import percent_interval, score_interval
from vivavoce.render.page import page


def test_verdict_first_numbers_second_method_last(granted: Certificate) -> None:
    text = outline(granted).text
    order = [
        "passes arithmetic: 98% correct, 70% required",
        "shown: at least 97%",
        "What it got wrong",
        "Limits",
        "For statisticians",
        "Mean score",
        "The guarantee is on the procedure",
        "seed 7",
    ]
    assert_in_order(text, order)
    assert "0.98 (≥ 0.97), n = 6\N{NARROW NO-BREAK SPACE}282" in re.sub(r"\s+(?=n =)", " ", text)


def bar_of(html: str) -> tuple[str, str]:
    """What the first bar of a page says to a screen reader, and its parts."""
    match = re.search(r'<div class="bar [^"]*" role="img" aria-label="([^"]*)">(.*?)</div>', html)
    assert match
    return match[1], match[2]


def region_of(parts: str) -> tuple[float, float]:
    """From where to where a bar is filled, in percent of its width."""
    match = re.search(r'<span style="left:([\d.]+)%;width:([\d.]+)%">', parts)
    assert match
    return float(match[1]), float(match[1]) + float(match[2])


def test_the_bar_draws_the_bound_that_the_verdict_rests_on(granted: Certificate, refused: Certificate) -> None:
    shown = shown_of(granted, granted.criterion).score
    assert shown is not None
    spoken, parts = bar_of(html_of(granted))
    assert spoken == "98%, shown: at least 97%; required 70%."
    assert region_of(parts) == pytest.approx((100 * shown.value, 100), abs=0.1)
    assert re.search(r"<small class=below [^>]*>at least 97%</small>", parts)
    spoken, parts = bar_of(html_of(refused))
    assert "shown: below " in spoken
    assert region_of(parts)[0] == 0
    assert region_of(parts)[1] <= 100 * refused.criterion.passing_grade


def test_the_two_sided_interval_is_in_the_fold_for_statisticians(granted: Certificate) -> None:
    before, _, fold = outline(granted).text.partition("For statisticians")
    interval = score_interval(granted.score.interval)
    assert interval in fold
    assert interval not in before
    assert "two-sided" not in before


def test_without_a_verdict_the_bar_has_the_interval_and_no_bound(undecided: Certificate) -> None:
    spoken, parts = bar_of(html_of(undecided))
    assert f"interval {percent_interval(undecided.score.interval)}" in spoken
    assert "class=below" not in parts
    ends = undecided.score.interval
    assert region_of(parts) == pytest.approx((100 * ends.lower, 100 * ends.upper), abs=0.1)


def test_the_page_says_when_it_was_made_in_utc_and_by_which_version(granted: Certificate) -> None:
    elsewhere = MADE.astimezone(timezone(timedelta(hours=5)))
    assert "Vivavoce 0.1.0 on 2025-11-20T09:30:00Z" in Outline(page([granted], made=elsewhere, version="0.1.0")).text


def test_long_text_is_cut_and_says_so(refused: Certificate) -> None:
    html = html_of(refused)
    assert "more characters)" in html
    assert len(html) < 100_000  # three texts of 50,000 characters each are in the certificate


def test_nothing_runs(granted: Certificate) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html_of(granted))
    assert policy
    assert "default-src 'none'" in policy[1]
    assert "script-src" not in policy[1]  # so that default-src rules


def test_no_conclusion_says_what_is_missing(undecided: Certificate) -> None:
    text = outline(undecided).text
    assert "the budget of 400 questions is spent" in text
    assert "about 5\N{NARROW NO-BREAK SPACE}882 more questions" in text


def test_every_kind_of_certificate_has_a_page(fixed: Certificate, unlimited: Certificate) -> None:
    assert "not limited" in outline(unlimited).text
    assert outline(fixed).tags["svg"] == 2  # the score and the rate; no course of evidence
    assert "fixed in advance" in outline(fixed).text


@pytest.mark.long
def test_a_certificate_needs_no_extra_of_another_room() -> None:
    code = """
import sys
for extra in ("chess", "ribs", "inspect_ai", "distributed"):
    sys.modules[extra] = None  # importing it fails
import vivavoce.render.page, vivavoce.render.console, vivavoce.certificate.certificate
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_strata_have_a_table_of_their_own(granted: Certificate) -> None:
    stratified = outline(replace(granted, strata=(Stratum("<b>sums</b>", 0.75, 4712, 1, 0.98), Stratum("x", 0.25, 0, 0, None))))
    assert stratified.tags["table"] == outline(granted).tags["table"] + 1
    assert "<b>sums</b>" in stratified.text  # escaped: it is text, not a tag
    assert "the error is not divided among strata" in stratified.text
    assert "each once, whatever its weight" in outline(replace(granted, largest_weight=1.5)).text


def test_what_became_of_replies_has_rows_where_it_happened(granted: Certificate) -> None:
    plain = html_of(granted)
    late = html_of(replace(granted, replies=ReplyCounts(copied=4, after_turn=11)))
    for name, number in (("Copied from the prompt", 4), ("Read after a further turn", 11)):
        assert name not in plain
        assert f'<th scope="row">{name}</th><td>{number}</td>' in late
    assert "Cut off" not in late
