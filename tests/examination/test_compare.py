"""Dossiers side by side, as wholes and question by question: differences by hand, and what is told instead of one."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.examination.made import PASSED, FunctionSpeaker, card, dossier, examination, score
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.errors import BadInput
from vivavoce.examination.compare import LITTLE, MISSING, OTHER, UNTOLD, compare
from vivavoce.examination.paired import IN_COMMON, ORDER_KNOWN, PairedDifferences, RecordedDossier, pair_up
from vivavoce.examination.parts.certificate import CertificatePlan
from vivavoce.examination.plan import Plan
from vivavoce.interview.transcript import Transcript
from vivavoce.render.console import print_report


def pair(*figures: object) -> object:
    """What stands beside the second of two dossiers with one figure each."""
    entry, other = (dossier(card(PASSED, figures=(figure,)) if figure else card(PASSED)) for figure in figures)  # type: ignore[arg-type]
    return compare([entry, other]).compared[0].differences[0]


def test_the_interval_is_as_wide_as_both_allow() -> None:
    entry = dossier(card(PASSED, figures=(score(0.9, 0.85, 0.95),)), candidate="bot:a")
    other = dossier(card(PASSED, figures=(score(0.6, 0.5, 0.7),)), candidate="bot:b")
    difference = compare([entry, other]).compared[0].differences[0]
    assert difference.difference is not None
    # .6 - .9; from .5 - .95 to .7 - .85
    assert difference.difference.value == pytest.approx(-0.3)
    assert difference.difference.lower == pytest.approx(-0.45)
    assert difference.difference.upper == pytest.approx(-0.15)
    assert difference.beyond_chance
    file = io.StringIO()
    print_report(compare([entry, other]).report(), Console(file=file, width=120))
    assert "−30 points [−45, −15]" in file.getvalue()
    assert "0.90 [0.85, 0.95]" in file.getvalue().replace("\N{NO-BREAK SPACE}", " ")


@given(st.lists(st.floats(0, 1), min_size=3, max_size=3), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_it_holds_wherever_both_hold(first: list[float], second: list[float]) -> None:
    (a, x, b), (c, y, d) = sorted(first), sorted(second)
    difference = (
        compare([dossier(card(figures=(score(x, a, b),))), dossier(card(figures=(score(y, c, d),)))]).compared[0].differences[0]
    )
    assert difference.difference is not None
    assert difference.difference.lower is not None
    assert difference.difference.upper is not None
    assert difference.difference.lower <= y - x <= difference.difference.upper
    assert difference.difference.lower <= min(c, d) - max(a, b) + 1e-12


def test_other_questions_are_not_compared() -> None:
    mine = score(0.9, 0.8, 1.0)
    assert pair(mine, score(0.9, 0.8, 1.0, asked="cd")).why_not == OTHER  # type: ignore[attr-defined]
    assert pair(score(0.9, 0.8, 1.0, asked=""), score(0.9, 0.8, 1.0, asked="")).why_not == UNTOLD  # type: ignore[attr-defined]
    assert pair(mine, None).why_not == MISSING  # type: ignore[attr-defined]
    unknown = type(mine)(mine.name, None, 0.0, 1.0, 0, "score", "ab")
    assert pair(mine, unknown).why_not == LITTLE  # type: ignore[attr-defined]


def test_too_many() -> None:
    with pytest.raises(BadInput, match="21 reports: give 1 to 20"):
        compare([dossier()] * 21)


SIZE = 40
Right = Callable[[int], bool]


@pytest.fixture
def scope(tmp_path: Path) -> str:
    rows = ({"id": f"q{n}", "question": f"What is {n} + 1?", "answer": n + 1} for n in range(SIZE))
    file = tmp_path / "q.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return f"file:{file}"


def side(name: str, right: Right, seed: int, *scopes: str, questions: int = 1_000, grade: float = 0.7) -> RecordedDossier:
    """Examined by a plan with this seed, over a record of its own."""
    transcript = Transcript.open(None)

    def answer(text: str) -> str:
        words = text.split()
        return f"Answer: {int(words[2]) + right(int(words[2]))}" if words[3] == "+" and words[4] == "1?" else "Answer: 0"

    sections = tuple(CertificatePlan(word, questions=questions) for word in scopes)
    sections = tuple(
        replace(certificate_plan, claim=replace(certificate_plan.claim, passing_grade=grade, unacceptable_limit=None))
        for certificate_plan in sections
    )
    plan = Plan(sections=sections, examinations=("certificate",), seed=seed)
    held = examination(FunctionSpeaker(answer, f"test:{name}"), plan, transcript=transcript)
    return RecordedDossier(asyncio.run(held.run()), transcript)


def test_one_order_is_a_claim_about_the_scope(scope: str) -> None:
    """One is right on all, the other on none; as many as the first of the two was asked are in common."""
    first = side("good", lambda n: True, 0, scope, grade=0.9)
    other = side("poor", lambda n: False, 0, scope, grade=0.2)
    [paired_scope] = pair_up([first, other], scopes=[scope]).scopes
    asked = first.dossier.cards[0].details["figures"]["questions"], other.dossier.cards[0].details["figures"]["questions"]
    assert paired_scope.common == min(asked)
    assert (paired_scope.claim, paired_scope.one_order, paired_scope.pair.verdict) == ("scope", True, "worse")
    assert paired_scope.pair.difference.value == -1.0
    assert (paired_scope.pair.better, paired_scope.pair.worse) == (0, paired_scope.pair.difference.n)
    assert paired_scope.pair.difference.interval.lower == pytest.approx(-1.0)
    assert -1.0 < paired_scope.pair.difference.interval.upper < 0
    assert "test:poor is worse than test:good on file:q.jsonl" in paired_scope.headline
    assert compare([first.dossier, other.dossier], PairedDifferences((paired_scope,))).caveats[-1] == ORDER_KNOWN


def test_two_orders_are_a_number_about_the_questions_in_common(scope: str) -> None:
    first = side("good", lambda n: True, 0, scope)
    other = side("half", lambda n: n % 2 == 0, 5, scope, questions=30, grade=0.5)
    [paired_scope] = pair_up([first, other], scopes=[scope]).scopes
    both = _ids(first) & _ids(other)
    assert 0 < len(both) < SIZE
    odd = sum(int(name.removeprefix("q")) % 2 for name in both)
    assert (paired_scope.claim, paired_scope.one_order, paired_scope.common) == ("in common", False, len(both))
    assert (paired_scope.pair.worse, paired_scope.pair.better) == (odd, 0)
    assert paired_scope.pair.difference.value == pytest.approx(-odd / len(both))
    assert paired_scope.pair.difference.interval.lower == paired_scope.pair.difference.interval.upper
    assert {name.id for name in paired_scope.pair.discordant} == {name for name in both if int(name[1:]) % 2}
    assert (paired_scope.error_bound, paired_scope.claim) == (None, "in common")
    assert "it says nothing about others" in paired_scope.basis
    assert compare([first.dossier, other.dossier], PairedDifferences((paired_scope,))).caveats[-1] == IN_COMMON


def _ids(side: RecordedDossier) -> set[str]:
    assert side.transcript is not None
    asked = [json.loads(record.question)["id"] for record in side.transcript.records(candidate=side.dossier.candidate)]
    return set(asked[: side.dossier.cards[0].details["figures"]["questions"]])


def test_two_orders_are_a_claim_where_one_has_answered_all(scope: str) -> None:
    """Whoever is right on 70% of the questions, where .7 is required, is asked all; the order of the other decides."""
    first = side("edge", lambda n: n % 10 < 7, 0, scope)
    assert first.dossier.cards[0].details["figures"]["complete"]
    other = side("poor", lambda n: False, 5, scope, grade=0.9)
    [paired_scope] = pair_up([first, other], scopes=[scope]).scopes
    assert (paired_scope.claim, paired_scope.one_order, paired_scope.common) == (
        "scope",
        False,
        other.dossier.cards[0].details["figures"]["questions"],
    )
    assert ORDER_KNOWN not in PairedDifferences((paired_scope,)).caveats
    again = side("edge too", lambda n: n % 10 < 7 or n == 8, 7, scope, grade=0.725)
    [whole] = pair_up([first, again], scopes=[scope]).scopes
    assert (whole.common, whole.pair.complete, whole.pair.better, whole.pair.worse) == (SIZE, True, 1, 0)
    assert whole.pair.difference.value == pytest.approx(1 / SIZE)


def test_several_scopes_and_dossiers_share_delta(scope: str) -> None:
    """Four claims at a quarter of delta each: 8 one-sided questions are enough for one, and too few for four."""
    scopes = ("arithmetic?digits=2&operations=+", scope)
    sides = [side(name, lambda n: False, 0, *scopes) for name in ("a", "b", "c")]
    differences = pair_up(sides, scopes=[scope])
    assert [(paired_scope.other.candidate, paired_scope.scope) for paired_scope in differences.scopes] == [
        (name, title) for name in ("test:b", "test:c") for title in (scopes[0], "file:q.jsonl")
    ]
    alone = pair_up(sides[:2], scopes=[scope], config=ComparisonConfig(delta=0.05 / 2))
    assert [paired_scope.pair.difference.interval for paired_scope in differences.scopes[:2]] == [
        paired_scope.pair.difference.interval for paired_scope in alone.scopes
    ]


def test_what_is_not_at_hand_is_said(scope: str) -> None:
    first, other = (side(name, lambda n: True, 0, scope) for name in ("a", "b"))
    without = pair_up([first, other])
    assert without.scopes == ()
    assert "give it with --scope" in without.why_not[0]
    no_record = pair_up([first, RecordedDossier(other.dossier, None, "there is none")], scopes=[scope])
    assert no_record.why_not == ("file:q.jsonl: test:b is not compared question by question, since of test:b there is none.",)
    assert "has no kind of scope" in pair_up([first, other], scopes=["q.jsonl"]).why_not[0]
    another = pair_up([first, RecordedDossier(other.dossier, Transcript.open(None))], scopes=[scope])
    assert "the record has no certificate of test:b" in another.why_not[0]
    endless = [side(name, lambda n: True, seed, "arithmetic") for name, seed in (("a", 0), ("b", 1))]
    assert "none are in common" in pair_up(endless).why_not[0]
    assert pair_up([first, side("c", lambda n: True, 0, "intervals")], scopes=[scope]) == PairedDifferences()


@pytest.mark.parametrize(
    "details",
    [
        {},
        {"scopes": 5},
        {"scopes": [7, {}]},
        {"scope": [], "scope_digest": 4},
        {"scopes": [{"scope": "x", "scope_digest": "y"}]},
    ],
)
def test_hostile_details_compare_nothing(scope: str, details: dict[str, Any]) -> None:
    first, other = (side(name, lambda n: True, 0, scope) for name in ("a", "b"))
    altered = replace(other.dossier, cards=(replace(other.dossier.cards[0], details=details),))
    assert pair_up([first, RecordedDossier(altered, other.transcript)], scopes=[scope]).scopes == ()


def test_nothing_is_written_to_a_record(scope: str) -> None:
    first, other = (side(name, lambda n: True, seed, scope) for name, seed in (("a", 0), ("b", 1)))
    assert first.transcript is not None
    before = first.transcript.head
    pair_up([first, other], scopes=[scope])
    assert first.transcript.head == before


def test_whoever_stops_when_lucky_is_not_believed_for_the_whole_scope() -> None:
    """The trap that the two claims are for, without a program: of 40 questions each of two is right on 20, so D is 0.

    The first stops at the first moment at which it leads by 3 on its own luck. On the questions that both have answered it is
    better on average, so that a bet on these for the whole scope would be lost more often than it may be; on one order the
    difference at a moment fixed by the other alone has the mean 0.
    """
    rng = np.random.default_rng(4)
    a = np.repeat([1.0, 0.0], 20)
    biased, fair = [], []
    for _ in range(600):
        b, mine, theirs = rng.permutation(a), rng.permutation(40), rng.permutation(40)
        lead = np.cumsum(2 * a[mine] - 1)
        stop = int(np.argmax(lead >= 3)) + 1 if (lead >= 3).any() else 40
        common = np.intersect1d(mine[:stop], theirs[:20])
        biased += [(a - b)[common].mean()] if common.size else []
        fair.append((a - b)[theirs[:20]].mean())
    assert np.mean(biased) > 5 * np.std(biased) / np.sqrt(len(biased))
    assert abs(np.mean(fair)) < 3 * np.std(fair) / np.sqrt(len(fair))
