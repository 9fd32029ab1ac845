"""What a deployment certificate says on its page: everything its template needs, already in words."""

from __future__ import annotations

from typing import Any

from vivavoce.certificate.deployed_finding import DeploymentCertificate
from vivavoce.certificate.finding import Certificate, Verdict
from vivavoce.formats.wording import clipped, count, name_of, score, share
from vivavoce.render.pages.certificate.page import (
    COLOUR,
    MARK,
    attempts,
    mean_score,
    named_rows,
    ridiculous_rate,
    shown_answer,
    spending,
    unread_title,
)
from vivavoce.render.plots.certificate import evidence_path
from vivavoce.render.plots.drawing import figure

Row = tuple[str, tuple[str, ...], tuple[str, ...], str]
"""What, as a whole, as people will use it, what was required."""


def deployed_title(finding: DeploymentCertificate) -> str:
    """What the page is."""
    return f"Deployment certificate: {name_of(finding.whole.called)} on {finding.whole.titled}"


def deployed_body(finding: DeploymentCertificate, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    kind = overall(finding)
    paths = [("As a whole", finding.whole, "w"), ("As people will use it", finding.deployed, "d")]
    return {
        "finding": finding,
        "names": named_rows(finding.whole),
        "headline": clipped(finding.headline, 600),
        "mark": MARK[kind],
        "colour": COLOUR[kind],
        "verdict": short_verdict(finding),
        "numbers": numbers(finding),
        "use": use(finding),
        "plots": [
            {"title": title, **figure(plot)} for title, one, letter in paths if (plot := evidence_path(one, f"{name}{letter}"))
        ],
        "worst": [shown_answer(answer) for answer in finding.deployed.worst],
        "unread": [shown_answer(answer) for answer in finding.deployed.unread],
        "unread_title": unread_title(finding.deployed),
        "remedies": finding.deployed.remedies or finding.whole.remedies,
        "attempts": attempts(finding.attempt),
        "method": method(finding),
    }


METHOD = (
    "Questions are drawn evenly, each once in random order, and answers are taken in the order of drawing. For the first "
    "verdict each answer counts the same. For the second it counts by how often people will ask its question, as far as the "
    "heaviest question allows (importance weights with a cap).",
    "Each verdict is given at half of the attempt's share of δ, so that either of the two is wrong with probability at most "
    "that share, however often one looks (anytime-valid).",
    "How often people will ask each question comes from what they believe the candidate can do, by the rule that the file of "
    "questions was written with.",
)


def method(finding: DeploymentCertificate) -> tuple[str, ...]:
    """How the verdicts were reached, in sentences."""
    return tuple(sentence for sentence in (*METHOD, spending(finding.criterion.delta, finding.attempt).strip()) if sentence)


def overall(finding: DeploymentCertificate) -> Verdict:
    """The verdict that decides: understood only if both are, not understood if either is not."""
    found = set(finding.verdicts)
    return next(v for v in (Verdict.DOES_NOT_UNDERSTAND, Verdict.NO_CONCLUSION, Verdict.UNDERSTANDS) if v in found)


def short_verdict(finding: DeploymentCertificate) -> str:
    """Both verdicts in a few words."""
    whole, deployed = (verdict.value for verdict in finding.verdicts)
    return f"{whole} as a whole; {deployed} as used".capitalize()


def numbers(finding: DeploymentCertificate) -> list[Row]:
    """Both verdicts in figures."""
    whole, deployed, criterion = finding.whole, finding.deployed, finding.criterion
    limit = criterion.ridiculous_limit

    def both(of: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return of(whole), of(deployed)

    def ridiculous(one: Certificate) -> tuple[str, ...]:
        return ridiculous_rate(one)

    rows: list[Row] = [
        ("Verdict", (whole.verdict.value,), (deployed.verdict.value,), ""),
        (
            "Mean score",
            *both(mean_score),
            f"at least {score(criterion.passing_grade)}",
        ),
        ("Ridiculous answers", *both(ridiculous), "not limited" if limit is None else f"at most {share(limit)}"),
        ("Questions it rests on", *both(lambda one: (count(one.questions),)), f"of {count(whole.scope_size or 0)} in the file"),
    ]
    if whole.broken_laws and deployed.broken_laws:
        broken = both(lambda one: (count(one.broken_laws.count), f"of {count(one.broken_laws.judged)}"))
        rows.append(("Broken laws", *broken, "of those that could be judged"))
    return rows


def use(finding: DeploymentCertificate) -> str:
    """How unevenly people will use it, in a sentence."""
    return f"People will put {share(finding.most_used)} of all their questions to the tenth of the file that they ask most."
