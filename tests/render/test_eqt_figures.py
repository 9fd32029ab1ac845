"""Examinations on a candidate's own explanations: figures, and the terminal."""

import re
from dataclasses import replace

from tests.render.eqt_findings import CATEGORIES, benchmark_comparison, comparison, nothing, result, shown
from tests.render.html_pages import printed
from vivavoce.eqt.eqt_finding import EqtFinding, finding_of
from vivavoce.eqt.report.parts import MOST_GROUPS, MOST_ROWS
from vivavoce.formats.wording import percent, percent_interval, signed
from vivavoce.render.canvas import Drawing, drawing_of, svg
from vivavoce.report.figures import IntervalRows, Lines


def rows_of(finding: EqtFinding) -> list[IntervalRows]:
    return [figure.data for figure in finding.report().figures if isinstance(figure.data, IntervalRows)]


def drawn(finding: EqtFinding) -> list[str]:
    """All figures, as SVG."""
    drawings = [drawing_of(figure.data) for figure in finding.report().figures]
    assert all(isinstance(drawing, Drawing) for drawing in drawings)
    return [svg(drawing, "p") for drawing in drawings if isinstance(drawing, Drawing)]


def test_shares_without_the_explanation_and_with_it_by_category() -> None:
    eqt_result = result()
    first, *more = rows_of(finding_of([eqt_result]))
    rows = [row for figure in (first, *more) for row in figure.rows]
    assert [row.group for row in rows[::2]] == ["All concepts", *CATEGORIES]
    for figures, without, opened in zip((eqt_result.whole, *eqt_result.categories), rows[::2], rows[1::2], strict=True):
        for row, name in ((without, "closed_originals"), (opened, "open_book")):
            share = getattr(figures, name)
            assert (row.least, row.most) == (share.value, figures.highest.get(name, share.value))
            assert row.interval == share.interval
            assert row.text == f"{shown(figures, name, percent)} {percent_interval(share.interval)}"
    assert {(row.label, row.kind) for row in rows} == {("without", "plain"), ("with", "control")}
    assert f"math, without {shown(eqt_result.categories[9], 'closed_originals', percent)} [" in first.alt
    assert len(drawn(finding_of([eqt_result]))) == 1


def test_a_single_category_is_not_shown_twice_and_nothing_is_not_drawn() -> None:
    [figure] = rows_of(finding_of([result(categories=("math",))]))
    assert {row.group for row in figure.rows} == {"All concepts"}
    assert rows_of(nothing()) == []


def test_many_categories_are_cut_and_go_into_several_figures() -> None:
    eqt_result = result(categories=("math",))
    many = replace(
        eqt_result, categories=tuple(replace(eqt_result.categories[0], name=f"kind {index}") for index in range(100))
    )
    figures = rows_of(finding_of([many]))
    assert all(len(figure.rows) <= MOST_ROWS for figure in figures)
    assert sum(len(figure.rows) for figure in figures) == 2 * (1 + MOST_GROUPS)


def test_several_candidates_by_category() -> None:
    compared = comparison(5)
    whole, *parts = rows_of(compared)
    assert [row.least for row in whole.rows[::2]] == [
        eqt_result.whole.closed_originals.value for eqt_result in compared.results
    ]
    assert [row.least for row in whole.rows[1::2]] == [eqt_result.whole.open_book.value for eqt_result in compared.results]
    # five candidates on fourteen categories are 70 rows
    rows = [row for figure in parts for row in figure.rows]
    assert [row.group for row in rows[::5]] == list(CATEGORIES)
    by_place = [
        eqt_result.categories[index].closed.value for index in range(len(CATEGORIES)) for eqt_result in compared.results
    ]
    assert [row.least for row in rows] == by_place
    assert rows[1].label == "2 · openai:model-b"
    assert len(drawn(compared)) == 3
    assert len(rows_of(comparison(2, ("math",)))) == 1


def test_the_scatter_has_a_point_a_pair_and_a_line_a_model() -> None:
    beside = benchmark_comparison()
    finding = finding_of([], benchmark=beside)
    [scatter] = [figure.data for figure in finding.report().figures if isinstance(figure.data, Lines)]
    assert [line.label for line in scatter.lines] == [f"{n} · openai:model-{letter}" for n, letter in enumerate("abcde", 1)]
    points = [(point.x, point.y) for line in scatter.lines for point in line.points]
    assert sorted(points) == sorted((entry.benchmark, entry.eqt) for entry in beside.pairings)
    assert not any(line.joined for line in scatter.lines)
    assert "70 pairs of model and category by their accuracy in mmlu_pro.csv (across) and in EQT (upwards)" in scatter.alt
    assert f"correlation {signed(beside.overall.pearson.value or 0)} " in scatter.alt
    many = finding_of([], benchmark=benchmark_comparison(7, ("math", "law")))
    [scatter] = [figure.data for figure in many.report().figures if isinstance(figure.data, Lines)]
    assert [(line.label, len(line.points)) for line in scatter.lines] == [("", 14)]


def test_a_model_by_category_in_both_tests() -> None:
    beside = benchmark_comparison(2, ("math", "law"))
    figures = rows_of(finding_of([], benchmark=beside))
    assert len(figures) == 2
    for figure, model in zip(figures, ("openai:model-a", "openai:model-b"), strict=True):
        own = [pairing for pairing in beside.pairings if pairing.model == model]
        assert [(row.group, row.label, row.least) for row in figure.rows] == [
            line
            for entry in own
            for line in ((entry.category, "benchmark", entry.benchmark), (entry.category, "EQT", entry.eqt))
        ]


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
