"""Findings as JUnit XML, which GitHub, GitLab and Jenkins show among the tests of a change.

A test case is a verdict: passed, failed, or skipped if it is undecided. A finding without a verdict counts as passed. The same
schema as most tools write: one `testsuite` in `testsuites`, with properties, and a time in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal
from xml.etree import ElementTree

from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.deployed import DeploymentCertificate
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.report import TONES as OF_PAIRS
from vivavoce.certificate.comparison.report import headline
from vivavoce.certificate.report.numbers import TONES, in_figures
from vivavoce.formats.wording import capital, clipped
from vivavoce.report.cells import Tone
from vivavoce.report.reported import ReportedFinding

Outcome = Literal["passed", "failed", "skipped"]
OUTCOMES: Final[Mapping[Tone, Outcome]] = {"good": "passed", "bad": "failed", "open": "skipped"}
PROPERTIES: Final = ("candidate", "scope", "margin", "delta", "seed", "questions")
"""The JSON values of a finding that are written as properties, if it has them."""
LONGEST_NAME: Final = 300
LONGEST: Final = 4_000
"""Characters of a message."""
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, even escaped."""


@dataclass(frozen=True, slots=True)
class JUnitCase:
    """One verdict."""

    name: str
    """On what."""
    outcome: Outcome
    verdict: str
    """In its own word."""
    statement: str
    """Why it failed or was skipped."""


def cases_of(finding: ReportedFinding, *, measured: bool = True) -> tuple[JUnitCase, ...]:
    """The verdicts of a finding: one for each scope, pair or claim.

    measured: of a finding without a verdict, whether there was anything to measure.
    """
    match finding:
        case ManyScopes():
            return tuple(
                JUnitCase(result.titled, OUTCOMES[TONES[result.verdict]], result.verdict.value, _of_scope(result, finding))
                for result in finding.scopes
            )
        case DeploymentCertificate():
            both = (("every question alike", finding.whole), ("as people will use it", finding.deployed))
            return tuple(_of_certificate(certificate, f"{certificate.report().title}, {how}") for how, certificate in both)
        case Certificate():
            return (_of_certificate(finding, finding.report().title),)
        case Comparison() if len(finding.pairs) > 1:
            return _of_pairs(finding)
    report = finding.report()
    if report.verdict is None:
        outcome: Outcome = "passed" if measured else "skipped"
        return (JUnitCase(report.title, outcome, "measured" if measured else "nothing to compare", finding.statement),)
    return (JUnitCase(report.title, OUTCOMES[report.verdict.tone], report.verdict.words.lower(), finding.statement),)


def junit(
    suite: str, cases: Sequence[JUnitCase], *, properties: Mapping[str, object], seconds: float = 0.0, made: datetime
) -> bytes:
    """JUnit XML in UTF-8, well-formed for any texts.

    Parameters
    ----------
    suite: the name that the cases share.
    seconds: total time.
    made: when, with its time zone; written in UTC.

    >>> cases = [JUnitCase("sums", "failed", "fail", "Wrong at ]]> too often.")]
    >>> print(junit("bot", cases, properties={"delta": 0.05}, made=datetime(2026, 1, 1, tzinfo=UTC)).decode())
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites name="bot" tests="1" failures="1" errors="0" skipped="0" time="0.000">
    ...
        <testcase classname="bot" name="sums" time="0.000">
          <failure message="Wrong at ]]&gt; too often." type="fail">Wrong at ]]&gt; too often.</failure>
    ...
    """
    counts = {
        "name": _clean(suite, LONGEST_NAME),
        "tests": str(len(cases)),
        "failures": str(sum(case.outcome == "failed" for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.outcome == "skipped" for case in cases)),
        "time": f"{seconds:.3f}",
    }
    root = ElementTree.Element("testsuites", counts)
    document = {**counts, "timestamp": made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")}
    listed = ElementTree.SubElement(root, "testsuite", document)
    of_suite = ElementTree.SubElement(listed, "properties")
    for name, value in properties.items():
        ElementTree.SubElement(of_suite, "property", name=_clean(name, LONGEST_NAME), value=_clean(str(value), LONGEST))
    for case in cases:
        _add(listed, case, counts["name"], seconds / len(cases))
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def properties_of(finding: ReportedFinding) -> dict[str, object]:
    """The properties that are needed to compute the numbers again."""
    document = finding.as_json()
    values = {**document["figures"], **document}
    plain = {name: values[name] for name in PROPERTIES if isinstance(values.get(name), str | int | float)}
    return {**plain, "signature": finding.signature.line}


def _add(suite: ElementTree.Element, case: JUnitCase, classname: str, seconds: float) -> None:
    name = _clean(case.name, LONGEST_NAME)
    element = ElementTree.SubElement(suite, "testcase", classname=classname, name=name, time=f"{seconds:.3f}")
    statement = _clean(case.statement, LONGEST)
    match case.outcome:
        case "failed":
            failure = ElementTree.SubElement(element, "failure", message=statement, type=_clean(case.verdict, LONGEST_NAME))
            failure.text = statement
        case "skipped":
            ElementTree.SubElement(element, "skipped", message=statement)
    output = ElementTree.SubElement(element, "system-out")
    output.text = f"{_clean(case.verdict, LONGEST_NAME)}: {statement}"


def _of_scope(result: ScopeResult, finding: ManyScopes) -> str:
    """The result on one scope of several, and the bound on the errors of all of them."""
    text = "; ".join(filter(None, (in_figures(result, finding.criterion), result.why_not)))
    return f"{capital(text)}. {finding.basis}"


def _of_certificate(certificate: Certificate, name: str) -> JUnitCase:
    verdict = certificate.verdict
    return JUnitCase(name, OUTCOMES[TONES[verdict]], verdict.value, certificate.statement)


def _of_pairs(comparison: Comparison) -> tuple[JUnitCase, ...]:
    """A case for each pair; a worse first candidate is a failure."""
    return tuple(
        JUnitCase(
            " against ".join(comparison.candidates[index].called for index in pair.pair),
            OUTCOMES[OF_PAIRS[pair.verdict]],
            pair.verdict,
            headline(comparison.candidates, [pair], comparison.on, comparison.config.margin),
        )
        for pair in comparison.pairs
    )


def _clean(text: str, limit: int) -> str:
    return clipped(_NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text), limit)
