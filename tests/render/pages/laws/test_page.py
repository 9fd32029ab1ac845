"""The page of forecasts measured against laws."""

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.render.conftest import HOSTILE
from tests.render.html_pages import Nesting, Outline, assert_fits, assert_self_contained, html_of, outline, plain, unheaded
from tests.render.laws_findings import LAWS, OWN, alone, rows, several
from vivavoce.studies.forecasts import ForecastFinding
from vivavoce.consistency.forecasts.report.view import view_of
from vivavoce.consistency.forecasts.report.worst import MOST, PER_LAW, worst
from vivavoce.studies.forecasting.forecast_files import Row
from tests.studies.forecasts.finding import law_rows, score
from vivavoce.formats.wording import THIN, percent, percent_interval
from vivavoce.formats.wording import score as written
from vivavoce.report.parts import ordered


def test_the_sentence_first_then_numbers_plots_questions_caveats_and_the_method_last() -> None:
    found = alone()
    text = plain(html_of(found))
    order = [
        found.statement.partition(" Also in ")[0],
        "Mean metric",
        "Distance in nats",
        "How large the contradictions are",
        "The worst contradictions",
        "What became of the replies",
        "What this does not show",
        "How this was found",
        "seed 0",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in outline(found).text for caveat in found.caveats)
    assert "Forecasts: forecasts.jsonl." in text


@pytest.mark.parametrize("made", [alone, several, partial(several, 7)], ids=["one", "two", "seven"])
def test_the_tables_have_the_numbers_of_the_finding(made: Callable[[], ForecastFinding]) -> None:
    found = made()
    text = plain(html_of(found))
    for row in law_rows(found):
        assert row.strong.value is not None
        assert row.mean.value is not None
        assert f"{percent(row.strong.value)} {percent_interval(row.strong.interval)}" in text
        assert re.search(rf"{written(row.mean.value)} \[{row.mean.interval.lower:.1f}"[:-1], text)
        assert f"{row.distinct} of {row.forecasts}" in text


def test_beside_one_forecaster_stand_those_who_know_nothing() -> None:
    text = plain(html_of(alone()))
    # Negation at random: the share above .2 is .8 squared, the mean 1/3. Always .4: |.4 + .4 - 1| is exactly .2, not strong.
    assert re.search(r"Negation n = 39 \S+ \[[^]]+\] \S+ \[[^]]+\] 64% 0\.33 0% 0\.20", text)
    # Three years in random order: rho is 1, .5 twice, -.5 twice or -1; only 1 is not strong, and the mean metric is .5.
    assert re.search(r"Never falls n = 40 \S+ \[[^]]+\] \S+ \[[^]]+\] 83% 0\.50 0% 0\.00", text)


def test_several_forecasters_stand_above_those_who_know_nothing() -> None:
    html = html_of(several())
    head = re.search(r"<thead>.*?</thead>", html, re.DOTALL)
    assert head
    assert plain(head[0]).strip() == "Forecaster Negation n = 40 And n = 40 The same question again control, n = 40"
    foot = re.search(r"<tfoot>.*?</tfoot>", html, re.DOTALL)
    assert foot
    # The same question twice at random: |x - y| has mean 1/3, and is above .2 with probability .8 squared.
    assert re.match(r" At random 64% 0\.33 .* 64% 0\.33 Always the same 0% 0\.20 .* 0% 0\.00", plain(foot[0]))
    assert re.search(r"At random 0\.\d+ 0\.\d+ 0\.\d+ Always the same 0\.0\d+ 0 0", plain(html))  # in nats


def test_the_control_is_set_apart_and_never_among_the_worst() -> None:
    html = html_of(alone())
    assert html.count('<tr class="control">') == 2  # of both tables, as the last row
    assert all("again" in part for part in re.findall(r'<tr class="control">.*?</tbody>', html, re.DOTALL))
    worst_part = html[html.index("The worst contradictions") : html.index("What this does not show")]
    assert "The same question again" not in worst_part


def test_who_was_not_asked_a_law_has_no_number_there() -> None:
    found = score([*rows("one", ("neg", "and")), *rows("other", ("neg",))])
    assert plain(html_of(found)).count("not asked") == 2  # in the table of shares and in that of distances


def test_tuples_of_different_number_are_counted_in_their_cells() -> None:
    found = score([*rows("one", ("neg",)), *rows("other", ("neg",), 17)])
    text = plain(html_of(found))
    assert " n = 40 " in text
    assert " n = 17 " in text


def test_many_forecasters_are_tinted_by_the_share_beside_it() -> None:
    html = unheaded(html_of(several(7)))
    cells = re.findall(r'<td class="[^"]*t(\d)">([\d.]+)%', html)
    assert len(cells) == 7 * 3
    for tint, share in cells:
        assert int(tint) == sum(float(share) >= bound for bound in (2, 10, 25, 50))
    assert "a stronger tint" in plain(html)
    assert "a stronger tint" not in plain(html_of(several(2)))


def test_a_comparison_in_one_sentence_and_a_table() -> None:
    found = several()
    text = plain(html_of(found))
    assert "model_0 is more consistent than model_1 on Negation, And and The same question again." in text
    first = found.comparisons[0]
    assert first.difference.value is not None
    assert first.difference.value < 0
    assert re.search(
        rf"Negation n = 40 −0\.\d\d \[−0\.\d\d, −0\.\d\d\] <\s0\.001 <\s0\.001 0 : {first.second_only} p <\s0\.001", text
    )


def test_every_pair_has_its_sentence_and_its_table_is_folded() -> None:
    html = html_of(several(3))
    text = plain(html)
    assert "Between model_1 and model_2 the difference on none of 3 laws is larger than chance explains." in text
    assert html.count(" compared with model_") == 3
    assert "<summary>All comparisons</summary>" in html


def test_the_worst_tuple_with_its_questions_its_repair_and_what_it_costs() -> None:
    asked = {"P": "Will it rain?", "not_P": "Will it stay dry?"}
    found = score([Row("model", "neg", {"P": 0.9, "not_P": 0.9}, "1", questions=asked), *rows("model", ("neg",), spread=0.1)])
    text = plain(html_of(found))
    # By symmetry the nearest is .5 and .5; 2 KL(.5 || .9) = ln(.25 / .09) = 1.02.
    assert "Will it rain? P 90% 50% Will it stay dry? ~P 90% 50%" in text
    assert "Metric 0.80, strong. Sure profit: 1.0 nats." in text


def test_without_questions_the_statement_is_shown_in_logical_form() -> None:
    found = score([Row("model", "bayes", {"P": 0.5, "Q": 0.5, "P_given_Q": 0.9, "Q_given_P": 0.1}), *rows("model", (OWN,))])
    text = plain(html_of(found))
    assert re.search(r"P 50% \S+ Q 50% \S+ P given Q 90% \S+ Q given P 10%", text)
    assert "won" in text


def test_quantities_are_no_percentages_and_cost_no_nats() -> None:
    found = score([Row("model", "increasing", {"2025": 9000.0, "2028": 5000.0, "2032": 1000.5})])
    text = plain(html_of(found))
    # The nearest series that never falls to one that always does is its mean, 15 000.5 / 3.
    assert f"2025 9{THIN}000 5000.17 2028 5{THIN}000 5000.17 2032 1000.5 5000.17" in text
    assert "Metric 1.00, strong." in text
    assert "nats." not in text[text.index("Metric 1.00") : text.index("What this does not show")]
    assert "Never falls none none" in text  # a distance in nats, for the forecaster and at random


@pytest.mark.parametrize(("number", "laws"), [(1, LAWS), (3, ("neg", "and", "or")), (5, ("neg",)), (1, ("repeat",))])
def test_the_worst_are_few_and_of_every_forecaster(number: int, laws: Sequence[str]) -> None:
    shown = view_of(several(number, laws).summaries)
    found = worst(shown, shown.forecasters)
    kinds = Counter((one.row.forecaster, one.row.law) for one in found)
    assert len(found) <= MOST
    assert max(kinds.values()) <= PER_LAW
    assert {forecaster for forecaster, _ in kinds} == set(shown.forecasters)
    if len(laws) > 1:
        assert {law for _, law in kinds} == set(laws) - {"repeat"}
    for forecaster, law in kinds:  # none of those left out is larger
        largest = [one.row for one in shown.rows[forecaster, law].worst[: kinds[forecaster, law]]]
        assert [one.row for one in found if (one.row.forecaster, one.row.law) == (forecaster, law)] == largest


def test_a_tuple_of_many_questions_is_cut() -> None:
    series = {f"{place}": 0.5 - place for place in range(40)}
    text = plain(html_of(score([Row("model", "increasing", series, questions={"1": "why? " * 1000})])))
    assert "… and 28 more questions" in text
    assert f"(4{THIN}699 more characters)" in text


def test_outcomes_of_replies() -> None:
    assert ordered({"no number": 25, "read": 75, "time-out": 0}) == [("read", 75, 0.75), ("no number", 25, 0.25)]
    many = ordered({f"reason {place}": 1 for place in range(100)})
    assert many[-1] == ("other", 88, 0.88)
    assert ordered({}) == []
    assert "What became of the replies" not in plain(html_of(score([Row("model", "neg", {"P": 0.5, "not_P": 0.5})])))


def test_hostile_text_stays_text() -> None:
    law = "<b>x</b>[red]: A, B where A implies B"
    said = [
        replace(row, forecaster=HOSTILE, replies={HOSTILE: 1}, questions=dict.fromkeys(row.forecasts, HOSTILE))
        for row in [*rows("model", ("neg", "repeat"), 5), Row("model", law, {"A": 0.9, "B": 0.1})]
    ]
    own = score(said, source=HOSTILE)
    both = score([*said, *rows("{{ 7*7 }}</table>", ("neg",), 5)], source=HOSTILE)
    harmless = outline(alone(), several())
    for found in (own, both):
        html = html_of(found)
        shown = Outline(html)
        assert shown.tags["script"] == shown.tags["img"] == 0
        assert set(shown.tags) <= set(harmless.tags)
        assert not any(name.startswith("on") for name, _ in shown.attributes)
        assert "<script>alert(1)</script>" in shown.text
        assert "\x1b" not in html
        assert "\u202e" not in html
        assert len(html.encode()) < 200_000
        assert Nesting(html).open == []
    assert "{{ 7*7 }}</table>" in outline(both).text


def test_nothing_is_fetched_the_bytes_are_the_same_and_tags_nest() -> None:
    assert_self_contained(several(), several(3), several())


@pytest.mark.long
def test_a_crowd_fits_into_a_megabyte() -> None:
    laws = ("neg", "paraphrase", "and", "or", "and-or", "but", "cond", "cond-cond", "consequence", "expected-evidence")
    two = several(2, laws, 12)
    first = [row for row in law_rows(two) if row.forecaster == "model_0"]
    crowd = tuple(replace(row, forecaster=f"model_{place}") for place in range(58) for row in first)
    html = html_of(replace(two, summaries=crowd, comparisons=()))
    assert len(html.encode()) < 500_000
    assert plain(html).count("model_57 ") >= 2  # in both tables


def test_a_file_of_a_thousand_laws_is_cut_and_says_so() -> None:
    row = law_rows(score([Row("model", OWN, {"A": 0.9, "B": 0.1})]))[0]
    laws = [f"law{place % 1000}: A, B where A implies B" for place in range(2000)]
    rows_of_many = tuple(replace(row, forecaster=f"model {place}", law=law, worst=()) for place, law in enumerate(laws))
    found = replace(several(), summaries=rows_of_many, comparisons=())
    begun = time.process_time()
    html = html_of(found)
    assert time.process_time() - begun < 5
    assert len(html.encode()) < 1_000_000
    assert f"There is room for 62 of 2{THIN}000 forecasters and 24 of 1{THIN}000 laws; the JSON has all of them." in plain(html)


def test_where_nothing_could_be_read_nothing_is_claimed() -> None:
    nothing = score([Row("model", "neg", {"P": None, "not_P": None}), Row("model", OWN, {"A": None, "B": 0.1})])
    text = plain(html_of(nothing))
    assert "Nothing can be said" in text
    assert "Negation n = 0 unknown unknown" in text
    assert "No contradiction was found." in text
    pair = score([Row(name, OWN, {"A": 0.9, "B": 0.1}, "1") for name in ("one", "other")])
    assert "too few" in plain(html_of(pair))


@pytest.mark.long
@pytest.mark.browser
def test_only_wide_tables_are_wider_than_the_window_and_those_in_a_box_that_scrolls(tmp_path: Path) -> None:
    laws = (
        "neg",
        "paraphrase",
        "and",
        "or",
        "and-or",
        "but",
        "cond",
        "cond-cond",
        "consequence",
        "expected-evidence",
        "repeat",
    )
    hostile = score([replace(row, forecaster=HOSTILE) for row in rows("model", ("neg",), 5)])
    assert_fits(tmp_path, alone(), several(), several(7, laws, 3), hostile)
