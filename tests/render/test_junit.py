"""JUnit XML of findings: as tools read it, and well-formed whatever the texts hold."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.report.junit import JUnitCase, cases_of, junit, properties_of
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope

MADE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
CASES = (
    JUnitCase("sums", "passed", "pass", "It does."),
    JUnitCase("products", "failed", "fail", "It does not."),
    JUnitCase("roots", "skipped", "undecided", "Too few questions."),
)


def parsed(cases: tuple[JUnitCase, ...], **properties: object) -> ElementTree.Element:
    return ElementTree.fromstring(junit("a suite", cases, properties=properties, seconds=1.5, made=MADE))


def test_counts_times_and_properties_stand_where_tools_look() -> None:
    root = parsed(CASES, delta=0.05, seed=3)
    [suite] = root
    counts = {"name": "a suite", "tests": "3", "failures": "1", "errors": "0", "skipped": "1", "time": "1.500"}
    assert (root.tag, dict(root.attrib)) == ("testsuites", counts)
    assert (suite.tag, dict(suite.attrib)) == ("testsuite", {**counts, "timestamp": "2026-01-02T03:04:05"})
    assert {element.get("name"): element.get("value") for element in suite.iter("property")} == {"delta": "0.05", "seed": "3"}
    passed, failed, skipped = suite.iter("testcase")
    assert [element.tag for element in passed] == ["system-out"]
    failure = failed.find("failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message"), failure.text) == ("fail", "It does not.", "It does not.")
    assert [element.get("message") for element in skipped.iter("skipped")] == ["Too few questions."]
    assert all(
        element.get("classname") == "a suite" and float(element.get("time", "")) == 0.5 for element in (passed, failed, skipped)
    )


@pytest.mark.parametrize(
    "text", ["a ]]> b", "\x00\x01\x1b[31m\x0b", "<b>&amp;\"'", "\ud83d", "\ufffe\uffff", "é\u202e\U0001f600\x85"]
)
def test_hostile_texts_give_well_formed_xml(text: str) -> None:
    for outcome in ("passed", "failed", "skipped"):
        root = parsed((JUnitCase(text, outcome, text, text),), **{text: text})
        assert root.get("tests") == "1"
    [case] = parsed((JUnitCase("a ]]> b", "failed", "fail", "a ]]> b"),)).iter("testcase")
    assert (case.get("name"), case.findtext("failure")) == ("a ]]> b", "a ]]> b")


@given(st.text(max_size=60))
def test_any_text_gives_well_formed_xml(text: str) -> None:
    assert parsed((JUnitCase(text, "failed", text, text),), signature=text).get("failures") == "1"


def examined(name: str, scope: Any) -> Any:
    interview = Interview(open_candidate(name), answers=Reply)
    return asyncio.run(certify(interview, scope, Criterion(0.7, None), Composition(), seed=0))


def test_a_certificate_is_one_case_and_several_scopes_are_several() -> None:
    alone = examined("bot:calculator?wrong=0.9", open_scope("arithmetic"))
    [case] = cases_of(alone)
    assert (case.outcome, case.verdict, case.statement) == ("failed", "fail", alone.statement)
    properties = properties_of(alone)
    assert (properties["delta"], properties["seed"], properties["questions"], properties["signature"]) == (
        0.05,
        0,
        alone.questions,
        alone.signature.line,
    )
    several = examined("bot:calculator", [open_scope(f"arithmetic?operations={sign}") for sign in "+-"])
    assert [(entry.name, entry.outcome) for entry in cases_of(several)] == [
        ("arithmetic?operations=+", "passed"),
        ("arithmetic?operations=-", "passed"),
    ]
    [unread] = cases_of(examined("bot:gibberish", open_scope("arithmetic")))
    assert unread.outcome == "skipped"


def test_each_pair_of_a_comparison_is_a_case() -> None:
    names = ("bot:calculator?wrong=0.5", "bot:calculator", "bot:calculator?wrong=0.49")
    interviews = [Interview(open_candidate(name), answers=Reply) for name in names]
    comparison = asyncio.run(compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0, questions=60)))
    cases = {case.name: case for case in cases_of(comparison)}
    worse, open_, better = (cases[f"{text} against {other}"] for text, other in SHOWN)
    assert (worse.outcome, worse.verdict) == ("failed", "worse")
    assert (open_.outcome, open_.verdict) == ("skipped", "undecided")
    assert (better.outcome, better.verdict) == ("passed", "better")
    assert "is worse than" in worse.statement
    assert len({case.statement for case in cases.values()}) == 3


_CALLED = ("calculator?wrong=0.5", "calculator", "calculator?wrong=0.49")
SHOWN = (_CALLED[:2], _CALLED[::2], _CALLED[1:])
