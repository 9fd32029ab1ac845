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

from vivavoce.dossier.wording import hyphenated
from vivavoce.interview.finding import Finding
from vivavoce.interview.lines import write_whole
from vivavoce.interview.wording import clipped

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
    "Alignment": Kind("generalization_align.html.j2", "vivavoce.dossier.generalization_align_page:alignment"),
    "BailConsistency": Kind("bail.html.j2", "vivavoce.dossier.bail_page:bail"),
    "CaseConsistency": Kind("cases.html.j2", "vivavoce.dossier.cases_page:cases"),
    "Certificate": Kind("certificate.html.j2", "vivavoce.dossier.certificate_page:certificate"),
    "ChessConsistency": Kind("chess.html.j2", "vivavoce.dossier.chess_page:chess"),
    "ChessScaling": Kind("chess_scaling.html.j2", "vivavoce.dossier.chess_scaling_page:scaling"),
    "ChessSearch": Kind("chess_search.html.j2", "vivavoce.dossier.chess_search_page:chess_search"),
    "DeploymentCertificate": Kind("certificate_deployed.html.j2", "vivavoce.dossier.certificate_deployed_page:deployed"),
    "EqtBenchmark": Kind("eqt_benchmark.html.j2", "vivavoce.dossier.eqt_benchmark_page:benchmark"),
    "EqtComparison": Kind("eqt_comparison.html.j2", "vivavoce.dossier.eqt_comparison_page:comparison"),
    "Evaluation": Kind("generalization_evaluate.html.j2", "vivavoce.dossier.generalization_evaluate_page:evaluation"),
    "ExplainQueryTest": Kind("eqt.html.j2", "vivavoce.dossier.eqt_page:eqt"),
    "PredictedRatings": Kind("luna_predict_ratings.html.j2", "vivavoce.dossier.luna_predict_page:predicted"),
    "GradingStudy": Kind("luna_predict_grading.html.j2", "vivavoce.dossier.luna_predict_grading_page:grading"),
    "SurveyRehearsal": Kind("generalization_simulate.html.j2", "vivavoce.dossier.generalization_simulate_page:simulate"),
    "LawConsistency": Kind("laws.html.j2", "vivavoce.dossier.laws_page:laws"),
    "LunaRating": Kind("luna_rate.html.j2", "vivavoce.dossier.luna_rate_page:luna_rate"),
    "LunaSimulation": Kind("luna_simulate.html.j2", "vivavoce.dossier.luna_simulate_page:luna_simulate"),
    "LunaStatistics": Kind("luna_stats.html.j2", "vivavoce.dossier.luna_stats_page:luna_stats"),
    "ManyScopes": Kind("many_scopes.html.j2", "vivavoce.dossier.many_scopes_page:many_scopes"),
    "RatingComparison": Kind("luna_predict_compare.html.j2", "vivavoce.dossier.luna_predict_page:rating_comparison"),
    "RatingCurve": Kind("luna_predict_curve.html.j2", "vivavoce.dossier.luna_predict_page:rating_curve"),
    "RelationFinding": Kind("relations.html.j2", "vivavoce.dossier.relations_page:relations"),
    "Telling": Kind("generalization_telling.html.j2", "vivavoce.dossier.generalization_telling_page:telling"),
    "SurveyFinding": Kind("generalization_survey.html.j2", "vivavoce.dossier.generalization_survey_page:survey"),
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
        loader=PackageLoader("vivavoce.dossier"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["hyphenated"] = hyphenated
    return found


def section_of(finding: Finding, name: str) -> Section:
    """One finding's part of a page; `name` begins every id in it. Raises `TypeError` for a finding that has no page."""
    kind = KINDS.get(type(finding).__name__)
    if kind is None:
        raise TypeError(f"no page is written for {type(finding).__name__}")
    module, _, prefix = kind.place.partition(":")
    words = import_module(module)
    title: str = getattr(words, f"{prefix}_title")(finding)
    body = environment().get_template(kind.template).render(getattr(words, f"{prefix}_body")(finding, name))
    signature = clipped(finding.signature.line, LONGEST_SIGNATURE)
    return Section(title, Markup(body), signature)  # noqa: S704 - made by a template that escapes
