"""Findings as one static page: a single HTML file without scripts, servers or external files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from vivavoce.formats.lines import write_whole
from vivavoce.formats.wording import clipped, showable
from vivavoce.render import colours
from vivavoce.render.html import hyphenated, report_in_html
from vivavoce.report.blocks import Report
from vivavoce.report.reported import ReportedFinding

if TYPE_CHECKING:
    from jinja2 import Environment


LONGEST_SIGNATURE = 4_000
"""Characters of a title, which may contain an untrusted name."""


@dataclass(frozen=True, slots=True)
class PageSection:
    """The content of one report on the page."""

    title: str
    body: Markup
    signature: str


def page(
    findings: Sequence[ReportedFinding],
    *,
    made: datetime,
    version: str,
    recheck: str = "",
    answers: str = "",
) -> str:
    """One self-contained HTML page on these findings, in their order; see `page_of`."""
    reports = [finding.report() for finding in findings]
    return page_of(reports, made=made, version=version, recheck=recheck, answers=answers)


def page_of(
    reports: Sequence[Report],
    *,
    made: datetime,
    version: str,
    recheck: str = "",
    answers: str = "",
) -> str:
    """One self-contained HTML page of these reports, in their order.

    The same reports, date and version give the same bytes.

    Parameters
    ----------
    made: when, with its time zone; shown in UTC.
    version: of the program that made the page.
    recheck: the command that recomputes the findings from their record; empty without one. answers: how many were already on
    record, in a sentence; empty if not counted.
    """
    sections = [
        PageSection(report.title, report_in_html(report, f"s{number}"), clipped(report.signature, LONGEST_SIGNATURE))
        for number, report in enumerate(reports, 1)
    ]
    return showable(
        environment()
        .get_template("page.html.j2")
        .render(
            title="; ".join(section.title for section in sections),
            sections=sections,
            made=made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            version=version,
            recheck=recheck,
            answers=answers,
        )
    )


def write_page(file: Path, findings: Sequence[ReportedFinding], *, made: datetime, version: str, answers: str = "") -> None:
    """Write a page without a recheck command."""
    write_whole(file, page(findings, made=made, version=version, answers=answers))


@cache
def environment() -> Environment:
    """The templates, every value in them escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    result = Environment(
        loader=PackageLoader("vivavoce.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    result.filters["hyphenated"] = hyphenated
    result.globals["theme"] = colours
    return result
