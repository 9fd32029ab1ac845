"""Findings in the names that readers are told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from vivavoce.examination.dossier_file import dossier_from_json
from vivavoce.examination.run import in_names
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Report
from vivavoce.report.reported import ReportedFinding

CALLED = {"bot:x": "Ann"}


class NamePair(NamedTuple):
    who: str
    what: str


@dataclass(frozen=True, slots=True)
class FindingWithNames(ReportedFinding):
    """A finding in which the candidate's name stands in all kinds of places."""

    candidate: str
    roles: Mapping[str, str]
    by_name: Mapping[str, int]
    pairs: tuple[NamePair, ...]
    said: list[str]
    signature: Signature
    caveats: tuple[str, ...] = ()
    made: str = field(init=False, default="bot:x")

    @property
    def statement(self) -> str:
        return f"{self.candidate} did well."

    def report(self) -> Report:
        return Report("A test", self.candidate, self.statement, (Caveats(self.caveats),), self.statement)

    def as_json(self) -> dict[str, Any]:
        return {}


FOUND = FindingWithNames(
    "bot:x",
    {"explainer": "bot:x", "checker": "bot:y"},
    {"bot:x": 1, "bot:y": 2},
    (NamePair("bot:x", "bot:x is good"),),
    ["bot:x", "bot:xy"],
    Signature("1", "test", "bot:x", "sums", "", 0, {"judge": "bot:x"}),
)


def test_what_is_exactly_the_name_is_told_by_another_and_nothing_else() -> None:
    shown = in_names(FOUND, CALLED)
    assert (shown.candidate, shown.statement) == ("Ann", "Ann did well.")
    assert (shown.roles, shown.by_name) == ({"explainer": "Ann", "checker": "bot:y"}, {"Ann": 1, "bot:y": 2})
    assert shown.pairs == (NamePair("Ann", "bot:x is good"),)
    assert shown.said == ["Ann", "bot:xy"]
    assert shown.signature is FOUND.signature
    assert FOUND.candidate == "bot:x"


def test_without_names_it_is_the_finding_itself() -> None:
    assert in_names(FOUND, {}) is FOUND
    assert in_names(FOUND, {"bot:z": "Zoe"}) is FOUND


def test_a_stranger_s_name_in_a_file_is_cut_and_does_not_steer() -> None:
    usage = {"tokens_in": 0, "tokens_out": 0, "money": 0.0}
    values = {"kind": "report", "format": 1, "version": "1", "made": "2026-01-01T00:00:00Z", "nature": "bot"}
    values |= {"candidates": ["bot:x"], "figures": {"spending": usage}, "cards": [], "absent": []}
    values |= {"name": f"A\x1b[2J{90 * 'n'}", "plan_digest": 64 * "a"}
    called = dossier_from_json(json.dumps(values)).dossier.called
    assert "\x1b" not in called
    assert len(called) <= 60
