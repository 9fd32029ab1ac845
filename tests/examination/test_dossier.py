"""Dossiers: their answer, their files, which are bounded and checked, and the names that readers are told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examination.made import FAILED, PASSED, card, dossier, score
from vivavoce.errors import BadInput
from vivavoce.examination.dossier import LARGEST, dossier_from_json, read_dossier, write_dossier
from vivavoce.examination.part import Claim
from vivavoce.examination.run import in_names
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Report
from vivavoce.report.reported import ReportedFinding


def test_each_claim_stands_in_its_place() -> None:
    answer = dossier(card(PASSED, FAILED, Claim("unknown", "verbs"), Claim("measured", "Half."))).answer
    assert answer.trusted == (PASSED.words,)
    assert answer.not_for == (FAILED.words,)
    # a room that was left out stays open; one that is for other candidates does not
    luna = "“How does it play a game of questions and answers?” (not examined)"
    assert answer.unknown == ("verbs", luna, "anything else")
    assert answer.measured == ("Half.",)
    assert "Measured only: Half." in answer.paragraph


def test_one_procedure_for_several_verdicts() -> None:
    text = dossier(card(PASSED, FAILED)).answer.guarantee
    assert text == "2 verdicts come from a procedure that gives any wrong one at most 5% of the time."
    assert dossier(card(PASSED)).answer.guarantee == "1 verdict comes from a procedure that is wrong at most 5% of the time."


def test_chances_of_several_certificates_add_up() -> None:
    # P(A or B) <= P(A) + P(B): .05 + .01 = .06
    text = dossier(card(PASSED), card(replace(FAILED, chance=0.01))).answer.guarantee
    name = "1 verdict comes from a procedure that is wrong at most {}% of the time."
    all_ = "Together they give any wrong verdict at most 6% of the time."
    assert text == f"{name.format(5)} {name.format(1)} {all_}"
    assert dossier(card(PASSED), card(FAILED)).answer.guarantee == (
        "2 verdicts come from 2 procedures, each of which is wrong at most 5% of the time. "
        "Together they give any wrong verdict at most 10% of the time."
    )


def test_a_mean_share_of_wrong_verdicts_bounds_no_chance() -> None:
    shared = card(replace(PASSED, shared=True), replace(FAILED, shared=True))
    assert "on average at most 5% of its verdicts are wrong" in dossier(shared).answer.guarantee
    assert "errs" not in dossier(shared, card(PASSED)).answer.guarantee


def test_without_a_verdict_there_is_no_promise() -> None:
    answer = dossier(card(Claim("unknown", "sums"))).answer
    assert answer.guarantee == ""
    assert "Passes: none of the tests." in answer.paragraph


def test_the_result_counts_tests_and_names_what_failed() -> None:
    failed = replace(FAILED, subject="opening hours")
    assert dossier(card(PASSED, PASSED, failed)).headline == "bot:x passes 2 of 3 tests. Don't use it for opening hours."
    assert dossier(card(PASSED)).headline == "bot:x passes 1 of 1 test."
    assert dossier(card(PASSED, Claim("unknown", "verbs"))).headline == "bot:x passes 1 of 2 tests (1 undecided)."
    assert dossier().headline == "bot:x took no test with a pass mark."
    many = [replace(FAILED, subject=name) for name in "abcdef"]
    assert dossier(card(*many)).headline == "bot:x passes 0 of 6 tests. Don't use it for a, b, c and 3 more."


def test_a_contradiction_is_no_test_but_is_named() -> None:
    flawed = replace(card(Claim("not", "decisions on bail: one in ten", subject="decisions on bail")), room="bail", details={})
    assert dossier(flawed).headline == "bot:x took no test with a pass mark. Don't use it for decisions on bail."


MADE = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)
WHOLE = dossier(card(PASSED, FAILED, figures=(score(0.9, 0.8, 1.0),)))


def values() -> dict[str, Any]:
    result: dict[str, Any] = json.loads(json.dumps(WHOLE.as_json(made=MADE, version="0.1.0")))
    return result


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_dossier(tmp_path / "d.json", WHOLE, made=MADE, version="0.1.0")
    file = read_dossier(tmp_path / "d.json")
    assert file.dossier == WHOLE
    assert (file.made, file.version) == (MADE, "0.1.0")


def test_the_answer_is_made_from_the_claims_not_believed() -> None:
    forged = values() | {"statement": "Passes: everything."}
    result = dossier_from_json(json.dumps(forged)).dossier
    assert result.answer == WHOLE.answer
    assert "everything" not in result.answer.paragraph


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"format": 2}, "not in format 1"),
        ({"candidates": ["x" * 20_001]}, "candidates"),
        ({"cards": [{"room": "kitchen"}]}, "cards.0.room"),
        ({"made": "2025-11-20T09:30:00"}, "'made': "),
        ({"made": "0001-01-01T00:00:00+14:00"}, "'made': "),  # before the first year, in UTC
        ({"made": "9999-12-31T23:59:59-14:00"}, "'made': "),
        ({"plan_digest": "<script>"}, "'plan_digest': "),
        ({"figures": {"spending": {"tokens_in": -1, "tokens_out": 0, "money": 0}}}, "spending.tokens_in"),
        ({"absent": "none"}, "'absent': "),
    ],
)
def test_what_is_no_dossier_is_refused(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        dossier_from_json(json.dumps(values() | change))


@pytest.mark.parametrize(
    ("piece", "times"),
    [(b"", 1), (b"{", 1), (b"[", 100_000), (b"\xff", 1), (b"1", 5_000), (b"{}", 1), (b"null", 1), (b" ", LARGEST + 1)],
)
def test_rubbish_is_refused(piece: bytes, times: int) -> None:
    with pytest.raises(BadInput):
        dossier_from_json(piece * times)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "1e308", "-1e308"])
def test_numbers_that_cannot_be_reckoned_with_are_refused(number: str) -> None:
    text = json.dumps(values()).replace('"value": 0.9', f'"value": {number}')
    with pytest.raises(BadInput, match=r"figures\.0\.value"):
        dossier_from_json(text)


def test_a_chance_too_small_to_be_written_is_refused() -> None:
    text = json.dumps(values()).replace('"chance": 0.05', '"chance": 5e-324')
    assert text != json.dumps(values())
    with pytest.raises(BadInput, match=r"claims\.0\.chance"):
        dossier_from_json(text)


@given(st.dictionaries(st.sampled_from(list(values())), st.one_of(st.none(), st.integers(), st.text(), st.lists(st.text()))))
def test_changed_files_are_read_or_refused(changes: dict[str, Any]) -> None:
    text = ""
    try:
        dossier_from_json(json.dumps(values() | changes))
    except BadInput as error:
        text = str(error)
    assert len(text) < 1_000


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
