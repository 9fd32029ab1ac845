"""Comparisons rechecked within this program: where a budget ended one, at that question again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from tests.examination.made import FunctionSpeaker
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.examination.recheck import recheck
from vivavoce.interview.budget import Budget, SharedBudget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope


def saying(number: int) -> Callable[[str], str]:
    return lambda _: f"Answer: {number}"


def test_a_budget_ends_it_again_at_the_same_question() -> None:
    """Each answer costs 10 tokens, and both give it in turn: 95 of them are used up by 10 answers."""
    transcript, shared = Transcript.open(None), SharedBudget(Budget(tokens=95))
    interviews = [
        Interview(
            FunctionSpeaker(saying(number), f"test:{number}"),
            answers=Reply,
            transcript=transcript,
            budget=shared.share(),
            concurrency=1,
        )
        for number in (0, 1)
    ]
    comparison = asyncio.run(compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0)))
    document: dict[str, Any] = json.loads(json.dumps(comparison.as_json()))
    assert document["verdict"] == "undecided"
    assert any("tokens" in text for text in comparison.exhausted)
    assert {entry["limit"] for entry in document["budget_ended"].values()} == {"tokens"}
    again = recheck(document, transcript)
    assert (again.same, [str(difference) for difference in again.differences]) == (True, [])
    assert any("a budget ended the questions" in caveat for caveat in again.caveats)
    unsaid = {name: value for name, value in document.items() if name != "budget_ended"}
    assert any("lacks an answer" in difference.found for difference in recheck(unsaid, transcript).differences)


def test_it_is_drawn_again_from_strata_as_the_ledger_says() -> None:
    transcript = Transcript.open(None)
    interviews = [
        Interview(FunctionSpeaker(saying(number), f"test:{number}"), answers=Reply, transcript=transcript) for number in (0, 1)
    ]
    config = ComparisonConfig(seed=0, questions=30)
    comparison = asyncio.run(compare(interviews, open_scope("arithmetic"), config, drawing="strata"))
    document: dict[str, Any] = json.loads(json.dumps(comparison.as_json()))
    assert document["figures"]["drawing"] == "strata"
    again = recheck(document, transcript)
    assert (again.same, [str(difference) for difference in again.differences]) == (True, [])
