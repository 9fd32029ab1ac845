"""The report of forecasts and of ways to ask, on the page and in the terminal."""

from __future__ import annotations

import io
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial

import pytest
from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.html_pages import assert_in_order, html_of, outline, plain
from tests.studies.forecasts.finding import LAWS, OWN, alone, law_rows, rows, score, several
from vivavoce.formats.wording import THIN, percent, percent_interval
from vivavoce.formats.wording import score as written
from vivavoce.render.canvas import drawing_of
from vivavoce.render.console import print_report
from vivavoce.report.blocks import MOST_OUTCOMES, ordered
from vivavoce.report.figures import Histogram, LinePoint, Lines
from vivavoce.studies.config import ForecastsConfig
from vivavoce.studies.forecasting.counting import ForecastFinding, ForecastPair
from vivavoce.studies.forecasting.forecast_files import Row
from vivavoce.studies.forecasting.planning import AskedForecasts, AskedWay
from vivavoce.studies.forecasting.prompts import Instructions
from vivavoce.studies.forecasting.scoring import law_name
from vivavoce.studies.forecasting.sections import PER_LAW
from vivavoce.studies.study import Source
from vivavoce.studies.variants import compare_ways


def printed(finding: ForecastFinding, *, width: int = 80) -> str:
    file = io.StringIO()
    print_report(finding.report(), Console(file=file, width=width))
    return file.getvalue()


def asked(spread: dict[str, float], laws: tuple[str, ...], planned: int = 0) -> AskedForecasts:
    made = [row for law in laws for row in rows("x", (law,), 40, spread=spread.get(law, 0.3), questions=True)]
    return AskedForecasts(tuple(made), planned or len(made), {"read": 2 * len(made)}, "tokens" if planned else "")


@cache
def ways(hostile: str = "") -> ForecastFinding:
    """One way is better on negation and worse on Bayes' rule; the budget did not allow the last one to finish."""
    of = [
        AskedWay("plain", ForecastsConfig()),
        AskedWay(f"careful.txt{hostile}", ForecastsConfig(), instructions=Instructions(f"careful.txt{hostile}", "Careful.")),
        AskedWay("together", ForecastsConfig(together=True)),
    ]
    usual, laws = {"neg": 0.8, "paraphrase": 0.3, "bayes": 0.3}, ("neg", "paraphrase", "bayes", "repeat")
    made = [
        asked(usual, laws),
        asked({"neg": 0.05, "paraphrase": 0.3, "bayes": 1.0}, laws),
        asked(usual, ("neg", "paraphrase"), planned=200),
    ]
    source = Source(f"tuples.jsonl{hostile}", "ab" * 32)
    return compare_ways(f"model{hostile}", of, made, [f"model{hostile}"] * 3, source=source)


MADE = pytest.mark.parametrize("made", [alone, several, partial(several, 7), ways], ids=["one", "two", "seven", "ways"])


def hostile_forecasts() -> ForecastFinding:
    """Of a law that somebody wrote, and of a candidate, questions and replies that somebody spoilt."""
    law = "<b>x</b>[red]: A, B where A implies B"
    made = [
        replace(row, forecaster=HOSTILE, replies={HOSTILE: 1}, questions=dict.fromkeys(row.forecasts, HOSTILE))
        for row in [*rows("model", ("neg", "repeat"), 5), Row("model", law, {"A": 0.9, "B": 0.1})]
    ]
    return score([*made, *rows("{{ 7*7 }}</table>", ("neg",), 5)], source=HOSTILE)


@MADE
def test_the_sentence_comes_first_on_the_page_and_last_in_the_terminal(made: Callable[[], ForecastFinding]) -> None:
    finding, text = made(), outline(made()).text
    order = [finding.headline, "Limits", "Size of the contradictions", "Largest contradictions", "How this was"]
    assert_in_order(text, order)
    assert all(caveat in text for caveat in finding.caveats)
    assert " ".join(printed(finding).split()).endswith(" ".join(finding.statement.split()))
    assert all(len(line) <= 80 for line in printed(finding).splitlines()[:-1] if "“" not in line and "→" not in line)


@MADE
def test_the_tables_have_the_numbers_of_the_finding(made: Callable[[], ForecastFinding]) -> None:
    text = plain(html_of(made()))
    for row in law_rows(made()):
        assert row.strong.value is not None
        assert row.mean.value is not None
        assert f"{percent(row.strong.value)} {percent_interval(row.strong.interval)}" in text
        assert f"{written(row.mean.value)} [" in text
        assert f"{row.distinct} of {row.forecasts}" in text


def test_one_forecaster_is_shown_with_forecasters_that_know_nothing() -> None:
    text = plain(html_of(alone()))
    # Negation at random: the share above .2 is .8 squared. Always .4: |.4 + .4 - 1| is exactly .2, not strong.
    assert re.search(r"Negation 39 \S+ \[[^]]+\] 64% 0% 0\.\d\d \[", text)
    # Three years in random order: rho is 1, .5 twice, -.5 twice or -1; only 1 is not strong.
    assert re.search(r"Never falls 40 \S+ \[[^]]+\] 83% 0% 0\.\d\d \[", text)
    assert html_of(alone()).count('<tr class="control">') == 2  # of both tables
    assert "1 tuple (2.5%) had no forecast that could be parsed (law: Negation)" in text


def test_several_forecasters_stand_above_those_that_know_nothing() -> None:
    html = html_of(several())
    head = re.search(r"<thead>.*?</thead>", html, re.DOTALL)
    foot = re.search(r"<tfoot>.*?</tfoot>", html, re.DOTALL)
    assert head
    assert foot
    assert plain(head[0]).strip() == "Forecaster Negation n = 40 And n = 40 The same question again control, n = 40"
    # The same question twice at random: |x - y| has mean 1/3, and is above .2 with probability .8 squared.
    assert "Each cell: share of strong contradictions, then the mean metric." in plain(html)
    assert re.match(r" At random 64% · 0\.33 .* 64% · 0\.33 Always the same 0% · 0\.20 .* 0% · 0\.00", plain(foot[0]))


def test_a_law_that_one_was_not_asked_has_no_number_and_numbers_of_tuples_are_told() -> None:
    text = plain(html_of(score([*rows("one", ("neg", "and")), *rows("other", ("neg",), 17)])))
    assert text.count("not asked") == 2  # in both tables
    assert " n = 40 " in text
    assert " n = 17 " in text


def test_comparisons_have_a_sentence_and_a_table() -> None:
    text = plain(html_of(several()))
    assert "model_0 is better than model_1 on Negation, And and The same question again." in text
    first = several().comparisons[0]
    assert first.difference.value is not None
    assert first.difference.value < 0
    assert re.search(rf"Negation n = 40 −0\.\d\d \[−0\.\d\d, −0\.\d\d\] .* <\s0\.001 0 : {first.second_only} p <\s0\.001", text)
    three = html_of(several(3))
    assert "model_1 and model_2: no significant difference on 3 laws." in plain(three)
    assert three.count(" compared with model_") == 3
    assert "<summary>All comparisons</summary>" in three


def test_ways_to_ask_are_compared_with_the_first() -> None:
    finding, text = ways(), plain(html_of(ways()))
    assert finding.headline == (
        "Asked by careful.txt, model contradicts itself less on Negation and more on Bayes' rule than by plain."
    )
    assert "together: 80 of 200 tuples were asked." in finding.statement
    assert any("Holm" in caveat for caveat in finding.caveats)
    assert "careful.txt is better than plain on Negation and worse than plain on Bayes" in text
    assert all(comparison.second == "plain" for comparison in finding.comparisons)
    assert "The same question again" not in {comparison.label for comparison in finding.comparisons}  # the control is no law


def test_the_largest_contradiction_is_shown_with_the_nearest_coherent_forecasts() -> None:
    asked_so = {"P": "Will it rain?", "not_P": "Will it stay dry?"}
    worst = Row("model", "neg", {"P": 0.9, "not_P": 0.9}, "1", questions=asked_so)
    finding = score([worst, *rows("model", ("neg",), spread=0.1)])
    text = plain(html_of(finding))
    # By symmetry the nearest is .5 and .5; 2 KL(.5 || .9) = ln(.25 / .09) = 1.02.
    assert "P Will it rain? 90%, nearest coherent 50% ~P Will it stay dry? 90%, nearest coherent 50%" in text
    assert "Metric 0.80, sure profit 1.0 nats" in text
    assert "Negation: “P, ~P” 90%, 90% → 50%, 50%" in printed(finding)


def test_quantities_are_no_percentages_and_cost_no_nats() -> None:
    text = plain(html_of(score([Row("model", "increasing", {"2025": 9000.0, "2028": 5000.0, "2032": 1000.5})])))
    # The nearest series that never falls to one that always does is its mean, 15 000.5 / 3.
    assert f"2025 9{THIN}000, nearest coherent 5000.17" in text
    assert "Metric 1.00 " in text
    assert "Never falls none none" in text  # a distance in nats, for the forecaster and at random


def test_a_tuple_of_many_questions_is_cut() -> None:
    series = {f"{index}": 0.5 - index for index in range(40)}
    text = plain(html_of(score([Row("model", "increasing", series, questions={"1": "why? " * 1000})])))
    assert "and 28 more" in text
    assert f"(4{THIN}699 more characters)" in text


def test_figures_are_histograms_pairs_and_series() -> None:
    pairs = [(0.1, 0.9), (0.3, 0.7), (0.3, 0.7), (0.5, 0.7), (0.9, 0.9)]
    negations = [Row("m", "neg", {"P": p, "not_P": q}, str(index)) for index, (p, q) in enumerate(pairs)]
    years = ({"2025": 3.0, "2028": 1.0, "2032": 2.0}, {"2025": 1.0, "2028": 2.0, "2032": 3.0})
    draws = {year: tuple(value + step / 10 for step in range(-2, 3)) for year, value in years[0].items()}
    series = [Row("m", "increasing", years[0], "a", draws=draws), Row("m", "increasing", years[1], "b")]
    finding = score([*negations, *series])
    assert finding.details.laws[0].pairs == (
        ForecastPair(0.1, 0.9, 1), ForecastPair(0.3, 0.7, 2), ForecastPair(0.5, 0.7, 1), ForecastPair(0.9, 0.9, 1),
    )  # fmt: skip
    _, histogram, _, scatter, worst, in_order = (figure.data for figure in finding.report().figures)
    assert isinstance(histogram, Histogram)
    assert isinstance(scatter, Lines)
    assert isinstance(worst, Lines)
    assert isinstance(in_order, Lines)
    # |P + Q - 1| is 0 three times, .2 once, .8 once; only the last is strong
    assert [(index, share) for index, share in enumerate(histogram.counts) if share] == [(0, 0.6), (3, 0.2), (15, 0.2)]
    assert "above 0.2 in 20% of 5 tuples" in histogram.alt
    assert [len(line.points) for line in scatter.lines] == [3, 1, 2]
    assert "5 pairs of forecasts of an event and its negation; 20% are further than 0.2 from agreement" in scatter.alt
    assert worst.alt.endswith("2025: 3, 2028: 1, 2032: 2; metric 0.75.")
    assert [point.y for point in worst.lines[0].points] == [3.0, 1.0, 2.0]
    assert worst.lines[0].points[0].interval is not None
    assert in_order.lines[0].points == (LinePoint(2025.0, 1.0), LinePoint(2028.0, 2.0), LinePoint(2032.0, 3.0))
    assert all(drawing_of(data) is not None for data in (histogram, scatter, worst, in_order))


def test_without_questions_the_statement_is_shown_in_logical_form() -> None:
    finding = score([Row("model", "bayes", {"P": 0.5, "Q": 0.5, "P_given_Q": 0.9, "Q_given_P": 0.1}), *rows("model", (OWN,))])
    assert re.search(
        r"P 50%, nearest coherent \S+ Q 50%, nearest coherent \S+ P given Q 90%, nearest coherent \S+ Q given P 10%,",
        plain(html_of(finding)),
    )


@pytest.mark.parametrize(("number", "laws"), [(1, LAWS), (3, ("neg", "and", "or")), (1, ("repeat",))])
def test_examples_are_the_largest_of_every_law_but_the_control(number: int, laws: tuple[str, ...]) -> None:
    finding = several(number, laws)
    names = Counter(example.treatment for example in finding.examples)
    in_full = {example.treatment.partition(", ")[2] for example in finding.examples}
    expected = [law for law in finding.details.laws if law.law != "repeat" and (number == 1 or law.subject in in_full)]
    assert len(names) == len(expected)
    assert all(count <= PER_LAW for count in names.values())
    for law in expected:
        metrics = [scored.metric or 0.0 for scored in law.worst]
        assert metrics == sorted(metrics, reverse=True)
    if expected:
        worst = max((scored for law in expected for scored in law.worst), key=lambda scored: (scored.strong, scored.metric))
        assert finding.examples[0].id == (worst.row.id or "number 1")
        assert law_name(worst.row.law) in finding.examples[0].treatment


def test_outcomes_of_replies_are_ordered_and_rare_ones_summed_up() -> None:
    assert ordered({"no number": 25, "read": 75, "time-out": 0}) == [("read", 75, 0.75), ("no number", 25, 0.25)]
    many = ordered({f"reason {number}": 1 for number in range(100)})
    assert many[-1] == ("other", 100 - MOST_OUTCOMES, 1 - MOST_OUTCOMES / 100)
    assert ordered({}) == []
    assert "Outcomes of replies" not in plain(html_of(score([Row("model", "neg", {"P": 0.5, "not_P": 0.5})])))


def test_appendix_c_and_the_figures_of_the_paper_stand_on_the_page() -> None:
    text = plain(html_of(alone()))
    for heading in ("Failed negations", "Round numbers", "Figures of the paper", "Forecasts that belong together"):
        assert heading in text
    # 92 of 175, Clopper and Pearson by R: .4492 to .6016
    assert re.search(r"GPT-3.5-turbo, temperature 0 53% \[44, 61\] 0\.34", text)
    assert "Monotone series" not in text  # no draws are known


def test_many_forecasters_show_the_two_extremes_and_the_terminal_the_first() -> None:
    finding = several(58, ("neg", "and"))
    text = printed(finding)
    assert "The first 20 of 58; the page has more." in text
    assert {law.subject for law in finding.details.laws} == {f"model_{index}" for index in range(58)}
    assert {example.treatment.partition(", ")[2] for example in finding.examples} == {"model_0", _worst(finding)}


def _worst(finding: ForecastFinding) -> str:
    shares = {
        name: sum(row.strong.value or 0.0 for row in law_rows(finding) if row.forecaster == name) for name in finding.candidates
    }
    return max(reversed(list(shares)), key=lambda name: round(shares[name], 9))


def test_a_file_of_a_thousand_laws_is_cut_and_says_so() -> None:
    finding = several()
    first = finding.effects[0]
    treatments = (
        replace(first.treatment, name=f"law{index % 1000}", label=f"law{index % 1000}", subject=f"model {index}")
        for index in range(2000)
    )
    many = tuple(replace(first, treatment=treatment) for treatment in treatments)
    crowd = replace(finding, effects=many, control=(), comparisons=(), examples=())
    begun = time.process_time()
    html = html_of(crowd)
    assert time.process_time() - begun < 5
    assert len(html.encode()) < 1_000_000
    assert f"Shown: 62 of 2{THIN}000 rows and 24 of 1{THIN}000 columns. The JSON has all of them." in plain(html)


def test_without_any_answer_nothing_is_claimed() -> None:
    nothing = score([Row("model", "neg", {"P": None, "not_P": None}), Row("model", OWN, {"A": None, "B": 0.1})])
    text = plain(html_of(nothing))
    assert nothing.headline == "Undecided: no tuple has all its forecasts (2 can't be parsed)."
    assert "Negation 0 unknown" in text
    assert not nothing.measured
