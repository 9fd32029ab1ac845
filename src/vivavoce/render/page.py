"""Findings as one static page: a single HTML file that needs no script, no server and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from vivavoce.formats.lines import write_whole
from vivavoce.formats.wording import clipped
from vivavoce.interview.finding import Finding
from vivavoce.render import theme
from vivavoce.render.html import report_in_html
from vivavoce.render.wording import hyphenated
from vivavoce.report.reported import Reported

if TYPE_CHECKING:
    from jinja2 import Environment


LONGEST_SIGNATURE = 4_000
"""Characters; a candidate's name in it may be a stranger's."""


@dataclass(frozen=True, slots=True)
class Section:
    """What one finding puts on the page."""

    title: str
    body: Markup
    signature: str


@dataclass(frozen=True, slots=True)
class Kind:
    """How findings of one type are written."""

    template: str
    place: str
    """MODULE:NAME of the functions NAME_title (what the page is) and NAME_body (the values of the template, from the finding
    and from the name that begins every id of its section). Not imported before it is needed: rooms have extras of their own."""


KINDS: Mapping[str, Kind] = {
    "PredictedRatings": Kind("luna_predict_ratings.html.j2", "vivavoce.render.pages.luna.predict:predicted"),
    "GradingStudy": Kind("luna_predict_grading.html.j2", "vivavoce.render.pages.luna.predict_grading:grading"),
    "LunaRating": Kind("luna_rate.html.j2", "vivavoce.render.pages.luna.rate:luna_rate"),
    "LunaSimulation": Kind("luna_simulate.html.j2", "vivavoce.render.pages.luna.simulate:luna_simulate"),
    "LunaStatistics": Kind("luna_stats.html.j2", "vivavoce.render.pages.luna.stats:luna_stats"),
    "RatingComparison": Kind("luna_predict_compare.html.j2", "vivavoce.render.pages.luna.predict:rating_comparison"),
    "RatingCurve": Kind("luna_predict_curve.html.j2", "vivavoce.render.pages.luna.predict:rating_curve"),
}
"""Every type of finding that has a page."""


def page(findings: Sequence[Finding], *, made: datetime, version: str, recheck: str = "", answers: str = "") -> str:
    """One self-contained HTML page on these findings, in their order.

    The same findings, date and version give the same bytes.

    Parameters
    ----------
    made: when, with its time zone; shown in UTC.
    version: of the program that made the page.
    recheck: the command that has the findings again from their record; empty where there is none.
    answers: how many were on record already, in a sentence; empty where nobody counted.

    Raises `TypeError` for a finding that no section is written for.
    """
    sections = [section_of(finding, f"s{number}") for number, finding in enumerate(findings, 1)]
    return (
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


def write_page(
    file: Path, findings: Sequence[Finding], *, made: datetime, version: str, recheck: str = "", answers: str = ""
) -> None:
    """Write the page to a file."""
    write_whole(file, page(findings, made=made, version=version, recheck=recheck, answers=answers))


@cache
def environment() -> Environment:
    """The templates, every value in them escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    found = Environment(
        loader=PackageLoader("vivavoce.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["hyphenated"] = hyphenated
    found.globals["theme"] = theme
    return found


def section_of(finding: Finding, name: str) -> Section:
    """One finding's part of a page; `name` begins every id in it. Raises `TypeError` for a finding that has no page."""
    if isinstance(finding, Reported):
        report = finding.report()
        return Section(report.title, report_in_html(report, name), clipped(report.signature, LONGEST_SIGNATURE))
    kind = KINDS.get(type(finding).__name__)
    if kind is None:
        raise TypeError(f"no page is written for {type(finding).__name__}")
    module, _, prefix = kind.place.partition(":")
    words = import_module(module)
    title: str = getattr(words, f"{prefix}_title")(finding)
    body = environment().get_template(kind.template).render(getattr(words, f"{prefix}_body")(finding, name))
    signature = clipped(finding.signature.line, LONGEST_SIGNATURE)
    return Section(title, Markup(body), signature)  # noqa: S704 - made by a template that escapes
