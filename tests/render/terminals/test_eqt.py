"""Examinations on a candidate's own explanations, in the terminal."""

import re

from tests.render.eqt_findings import benchmark, benchmark_comparison, comparison, finding, shown, with_every_line
from tests.render.html_pages import printed
from vivavoce.eqt.eqt_finding import finding_of
from vivavoce.eqt.report.parts import points, points_interval
from vivavoce.formats.wording import percent, percent_interval, signed


def test_figures_over_all_and_over_valid_questions() -> None:
    text = printed(finding())
    [result] = finding().results
    closed, valid, gap = result.whole.closed, result.valid.closed, result.whole.gap
    every = re.escape(f"{shown(result.whole, 'closed', percent)} {percent_interval(closed.interval)}")
    sound = re.escape(f"{shown(result.valid, 'closed', percent)} {percent_interval(valid.interval)}")
    assert re.search(
        rf"^right, closed book\s+{every}, n = 1.096\s+{sound}, n = {valid.n}\s*$",
        text.replace("\N{NO-BREAK SPACE}", " "),
        re.MULTILINE,
    )
    assert f"{shown(result.whole, 'gap', points)} {points_interval(gap.interval)}" in text
    for figures in result.categories:
        first, *_ = figures.name.split()  # a long name goes on in the next line
        assert re.search(rf"^{first}[ \w]*\s+{re.escape(shown(figures, 'closed', percent))} \[", text, re.MULTILINE)


def test_questions_worth_and_cost() -> None:
    text = " ".join(printed(with_every_line()).split())
    assert "1 of 32 questions points at a text that the reader can't see (3.1%)" in text
    assert "key A, C; with the explanation A, C (right)" in text
    assert "without it A (partly right); A, C (right); not parsed: no option named; is missing: empty" in text
    assert "Ended by: money" in text
    visit = with_every_line().results[0].visitors["openai:model-v"]
    assert f"openai:model-v {percent(visit.value or 0)} {percent_interval(visit.interval)}" in text


def test_who_answers_whose_questions_in_blocks_as_wide_as_the_terminal() -> None:
    compared = comparison(5, ("math", "law"))
    text = printed(compared)
    assert re.search(r"^  questions of\s+answered by 1\s+answered by 2\s+answered by 3\s+answered by 4\s*$", text, re.MULTILINE)
    own = compared.results[0].whole.closed_originals
    visit = compared.results[0].visitors["openai:model-b"]
    cells = [re.escape(f"{percent(estimate.value or 0)} {percent_interval(estimate.interval)}") for estimate in (own, visit)]
    assert re.search(rf"^  1 openai:model-a\s+{cells[0]}\s+{cells[1]}", text, re.MULTILINE)
    guest = finding_of(compared.results[2:])
    assert "4 openai:model-a, 5 openai:model-b" in printed(guest)


def test_correlations_with_n_and_p() -> None:
    beside = benchmark_comparison()
    text = printed(benchmark())
    r = re.escape(signed(beside.overall.pearson.value or 0))
    assert re.search(rf"^All pairs of model and category\s+{r} \[.*\s70\s*$", text, re.MULTILINE)
    assert re.search(r"^Between models .*\s5\s*$", text, re.MULTILINE)
    assert re.search(r"^1 · openai:model-a\s+62%\s+50%\s+\d+ of 14", text, re.MULTILINE)
