"""What every finding can do by its report: the same suite over one of each kind."""

from __future__ import annotations

import csv
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from dataclasses import FrozenInstanceError, fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.render import eqt_findings
from tests.render.findings import BOTS, FINDINGS, HOSTILE_FINDINGS, certified_bot
from tests.render.html_pages import (
    MOST_WORDS,
    Outline,
    assert_fits,
    assert_in_order,
    assert_self_contained,
    drawings,
    html_of,
    plain,
    printed,
    spaced,
    title_of,
    words_of,
)
from tests.studies.forecasts import finding as laws
from vivavoce.errors import NotEnoughEvidence
from vivavoce.render.canvas import Drawing, drawing_of, svg
from vivavoce.render.console import MOST_ROWS
from vivavoce.render.markdown import report_in_markdown
from vivavoce.render.page import page
from vivavoce.report.blocks import Block, CaseCard, Fold, InFull, InShort, ReportSection, ReportTable
from vivavoce.report.reported import ReportedFinding, rows_of

MADE = datetime(2026, 11, 23, tzinfo=UTC)
WIDTH = 80
MOST_BYTES = 120_000
STEERING = frozenset("\x1b\x07\u202e\ud800")
"""What neither a page nor a terminal may get from a stranger."""
OUR_TAGS = frozenset(
    re.split(
        " +",
        "article b bdi body circle clippath code col colgroup dd defs del details div dl dt em figcaption figure footer g h1 "
        "h2 h3 h4 h5 h6 head html ins li line main meta p path pattern polygon pre rect small span strong style summary svg "
        "table tbody td text tfoot th thead time title tr ul use wbr",
    )
)
"""What pages are made of."""


def name_of(make: Any) -> str:
    """Of a function that makes a finding, with the arguments that are bound to it."""
    if isinstance(make, partial):
        return "-".join([make.func.__name__, *(str(arg)[:9] for arg in make.args)])
    return f"{make.__module__.rpartition('.')[2]}-{make.__name__}"


@pytest.fixture(scope="module", params=FINDINGS, ids=name_of)
def finding(request: pytest.FixtureRequest) -> ReportedFinding:
    made: ReportedFinding = request.param()
    return made


@pytest.fixture(scope="module")
def html(finding: ReportedFinding) -> str:
    """The finding on a page, drawn once."""
    return html_of(finding)


@pytest.fixture(scope="module")
def terminal(finding: ReportedFinding) -> str:
    """The finding in a terminal."""
    return printed(finding, width=WIDTH)


def every(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, ReportSection | Fold | CaseCard | InFull | InShort):
            yield from every(block.blocks)


def test_a_report_is_a_frozen_value_and_the_same_each_time(finding: ReportedFinding) -> None:
    report = finding.report()
    assert report == finding.report()
    for block in every(report.blocks):
        with pytest.raises(FrozenInstanceError):
            setattr(block, fields(block)[0].name, None)
    assert report.statement == finding.statement
    assert report.signature == finding.signature.line


def test_page_terminal_markdown_and_notebook_hold_the_result_and_what_is_not_shown(
    finding: ReportedFinding, html: str, terminal: str
) -> None:
    report = finding.report()
    shown = {
        "page": Outline(html).text,
        "notebook": Outline(finding._repr_html_()).text,
        "terminal": terminal,
        "markdown": report_in_markdown(report).replace("\\", ""),
    }
    for where, text in shown.items():
        words = " ".join(text.replace("\xad", "").split())
        for caveat in finding.caveats:
            assert " ".join(caveat.split())[:200] in words, where
        assert " ".join((report.statement if where == "terminal" else report.headline).split())[:200] in words, where


def test_a_page_says_the_result_first_and_how_it_was_found_last(finding: ReportedFinding, html: str) -> None:
    shown = spaced(Outline(html).text)
    headline = spaced(finding.report().headline)
    text = shown[shown.index(headline) :]
    method = [words for words in ("For statisticians", "How this was found") if words in text][:1]
    assert_in_order(text, [headline, "Limits", *method, spaced(finding.signature.line)])


def test_the_first_sentence_of_a_page_has_at_most_20_words(finding: ReportedFinding) -> None:
    first, _ = finding.report().banner
    assert len(words_of(first)) <= MOST_WORDS, first


def test_options_e_values_and_json_stand_in_folds_alone(html: str) -> None:
    assert re.findall(r"(?<![\w-])--[a-z][\w-]*|\be-(?:value|process)\w*|\bJSON\b", Outline(html).unfolded) == []


def test_a_page_has_at_most_120_kilobytes(html: str) -> None:
    assert len(html.encode()) <= MOST_BYTES


def test_a_page_fetches_nothing_has_no_id_twice_and_is_the_same_each_time(finding: ReportedFinding, html: str) -> None:
    assert_self_contained(finding)
    assert not re.search("https?:", re.sub(r'xmlns(:xlink)?="[^"]*"', "", html))


def test_a_terminal_of_eighty_columns_is_enough_and_ends_with_the_statement(finding: ReportedFinding, terminal: str) -> None:
    *lines, last = terminal.rstrip().splitlines()
    assert [line for line in lines if len(line) > WIDTH] == []
    assert last.endswith(finding.statement)
    assert "\x1b" not in terminal
    assert "\x1b[" in printed(finding, width=WIDTH, terminal=True)


def test_each_number_of_a_table_stands_with_its_interval_on_the_page(finding: ReportedFinding, html: str) -> None:
    words = spaced(plain(html))
    for table in finding.report().tables:
        for row in table.rows:
            for part in [part for cell in (row.head, *row.cells) for part in (cell.text, cell.interval)]:
                assert spaced(part) in words, (row.head.text, part)


def test_each_number_of_a_table_stands_with_its_interval_in_a_wide_terminal(finding: ReportedFinding) -> None:
    """But in columns and rows that it leaves out."""
    words = spaced(printed(finding, width=400))
    for table in shown_in_terminal(finding.report().blocks):
        for row in table.rows[:MOST_ROWS]:
            for column, cell in zip(table.columns, (row.head, *row.cells), strict=True):
                if not column.detail and isinstance(cell.value, float | int):
                    assert spaced(f"{cell.short or cell.text} {cell.interval}") in words, row.head.text


def shown_in_terminal(blocks: Sequence[Block]) -> Iterator[ReportTable]:
    """The tables that are neither folded nor for where there is room alone."""
    for block in blocks:
        if isinstance(block, ReportTable):
            yield block
        elif isinstance(block, ReportSection | CaseCard | InShort):
            yield from shown_in_terminal(block.blocks)


def test_rows_are_values_between_the_ends_of_their_intervals(finding: ReportedFinding) -> None:
    tables = finding.report().tables
    assert finding.rows() == rows_of(tables[0])
    for number, table in enumerate(tables):
        for row in finding.rows(number):
            for name, value in row.items():
                assert value is None or isinstance(value, float | int | str)
                assert not (isinstance(value, float) and math.isnan(value))
                lower, upper = row.get(f"{name}, lower"), row.get(f"{name}, upper")
                if isinstance(value, float | int) and lower is not None and upper is not None:
                    assert lower - 1e-9 <= value <= upper + 1e-9, (name, row)
        assert len({tuple(row) for row in finding.rows(number)}) == min(1, len(table.rows))


def test_figures_are_drawn_and_say_what_they_show(finding: ReportedFinding, html: str) -> None:
    report = finding.report()
    drawings = [drawing for figure in report.figures if (drawing := drawing_of(figure.data)) is not None]
    labels = [value for name, value in Outline(html).attributes if name == "aria-label"]
    assert all(len(drawing.alt) > 20 and drawing.alt in labels for drawing in drawings)
    plots = [drawing for drawing in drawings if isinstance(drawing, Drawing)]
    assert all(finding.plot(number).axes for number in range(len(plots)))
    with pytest.raises(NotEnoughEvidence, match=f"has {len(plots)} plots"):
        finding.plot(len(plots))


def test_it_is_saved_as_values_words_and_table(finding: ReportedFinding, tmp_path: Path) -> None:
    for kind in ("json", "md", "csv"):
        finding.save(tmp_path / f"finding.{kind}")
    assert json.loads((tmp_path / "finding.json").read_text(encoding="utf-8")) == json.loads(json.dumps(finding.as_json()))
    assert (tmp_path / "finding.md").read_text(encoding="utf-8") == report_in_markdown(finding.report())
    with (tmp_path / "finding.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(finding.rows())


def test_it_is_saved_as_a_page_that_holds_its_report(tmp_path: Path) -> None:
    """Of whatever kind it is: the page holds a report, as it is drawn above for each of them."""
    finding = laws.alone()
    finding.save(tmp_path / "finding.html")
    saved = (tmp_path / "finding.html").read_text(encoding="utf-8")
    assert saved.startswith("<!doctype html>")
    assert finding.signature.line in saved.replace("&#34;", '"')


def test_a_line_stands_for_it(finding: ReportedFinding) -> None:
    assert repr(finding).startswith(f"<{type(finding).__name__}: ")
    assert len(repr(finding)) < 400


@pytest.fixture(scope="module", params=HOSTILE_FINDINGS, ids=name_of)
def hostile(request: pytest.FixtureRequest) -> ReportedFinding:
    made: ReportedFinding = request.param()
    return made


@pytest.mark.long
def test_strangers_words_stay_words_on_the_page_and_in_a_notebook(hostile: ReportedFinding) -> None:
    html = html_of(hostile)
    assert_self_contained(hostile)
    for text in (html, hostile._repr_html_()):
        shown = Outline(text)
        assert shown.tags["script"] == shown.tags["img"] == 0
        assert not set(shown.tags) - OUR_TAGS, set(shown.tags) - OUR_TAGS
        assert not any(name.startswith("on") for name, _ in shown.attributes)
        assert not STEERING & set(text)
        assert len(text) < 400_000
    assert "&lt;script&gt;alert(1)" in html
    assert "abc&amp;49" not in html  # what a template would make of it


def test_strangers_words_steer_neither_a_terminal_nor_markdown(hostile: ReportedFinding) -> None:
    text = printed(hostile)
    assert not STEERING & set(text)
    assert len(text) < 40_000
    lines = report_in_markdown(hostile.report()).splitlines()
    assert not any("<script>" in line for line in lines if not line.startswith("    "))  # those are programs


def test_strangers_words_do_not_leave_a_figure(hostile: ReportedFinding) -> None:
    for drawing in drawings(hostile):
        picture = svg(drawing, "p")
        ET.fromstring(picture)
        tags = Outline(picture).tags
        assert tags["script"] == tags["img"] == 0
        assert len(picture) < 100_000


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("some", [FINDINGS[::2], FINDINGS[1::2], HOSTILE_FINDINGS[::2], HOSTILE_FINDINGS[1::2]])
def test_nothing_is_wider_than_the_window(some: Sequence[Callable[[], ReportedFinding]], tmp_path: Path) -> None:
    assert_fits(tmp_path, *(make() for make in some))


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("bot", BOTS)
def test_a_certificate_takes_at_most_one_screen_of_a_notebook(bot: str, tmp_path: Path) -> None:
    (tmp_path / "output.html").write_text(f"<!doctype html><body style='margin:0'>{certified_bot(bot)._repr_html_()}")
    height = title_of(
        tmp_path,
        """<iframe src="output.html" style="width:1280px;height:10px"></iframe><script>
      onload = () => document.title = document.querySelector("iframe").contentDocument.documentElement.scrollHeight;
    </script><title></title>""",
    )
    assert 300 < int(height) <= 800


@pytest.mark.long
def test_several_stand_on_one_page() -> None:
    both: Any = [laws.alone(), eqt_findings.finding(), laws.alone()]
    html = page(both, made=MADE, version="0.1.0")
    ids = Outline(html).values_of("id")
    assert len(ids) == len(set(ids))
    assert html.count("<article>") == 3
    assert np.all([result.signature.line in html.replace("&#34;", '"') for result in both])
