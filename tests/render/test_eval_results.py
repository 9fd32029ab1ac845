"""Results for a model's page on a hub, read again as YAML by another program."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from vivavoce.candidates import open_candidate
from vivavoce.certificate.examine import certify
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.verdict import Criterion
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.render.eval_results import eval_results, place_of
from vivavoce.version import __version__

yaml: Any = pytest.importorskip("yaml")

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def scope(name: str, questions: int) -> ListedScope:
    asked = tuple(Question(f"{n}", f"What is {n} + {n}?", accepted=(str(2 * n),)) for n in range(questions))
    return ListedScope(f"hf-eval:me/sums@{COMMIT}#{name}", asked)


async def certified(*scopes: ListedScope, candidate: str = "bot:calculator", questions: int | None = None) -> Any:
    interview = Interview(open_candidate(candidate), answers=Reply, budget=Budget(questions=questions))
    return await certify(interview, scopes[0] if len(scopes) == 1 else scopes, Criterion(ridiculous_limit=None), seed=0)


async def test_an_entry_has_the_fields_of_the_format() -> None:
    finding = await certified(scope("all", 3))
    (entry,) = yaml.safe_load(eval_results(finding, made=date(2026, 11, 25), source="https://example.org/x"))
    assert entry == {
        "dataset": {"id": "me/sums", "task_id": "all", "revision": COMMIT},
        "value": 1.0,
        "date": "2026-11-25",
        "source": {"url": "https://example.org/x"},
        "notes": "Mean score from 0 to 1 over 3 of 3 questions, all of them, so nothing of it is left to chance. "
        f"Verdict: pass, 100% correct, 70% required; wrong at most 5% of the time. Vivavoce {__version__}.",
    }


async def test_a_mean_of_few_questions_has_its_interval_beside_it() -> None:
    finding = await certified(scope("first", 500), candidate="bot:calculator?wrong=0.3")
    (entry,) = yaml.safe_load(eval_results(finding, made=date(2026, 11, 25)))
    interval = finding.score.interval
    assert entry["value"] == round(finding.score.value, 6)
    assert (
        f"over {finding.questions} of 500 questions, drawn at random until a sequential test ended, 95% interval ["
        in entry["notes"]
    )
    assert f"[{interval.lower:.1f}" in entry["notes"]
    assert "source" not in entry


async def test_several_tasks_are_several_entries() -> None:
    finding = await certified(scope("one", 3), scope("two", 4))
    entries = yaml.safe_load(eval_results(finding, made=date(2026, 11, 25)))
    assert [entry["dataset"]["task_id"] for entry in entries] == ["one", "two"]


async def test_where_nothing_was_asked_there_is_no_number() -> None:
    finding = await certified(scope("none", 3), questions=0)
    with pytest.raises(NotEnoughEvidence, match="there is no mean score to publish"):
        eval_results(finding, made=date(2026, 11, 25))


@pytest.mark.parametrize(
    "name", ["arithmetic", f"hf:me/sums@{COMMIT}#test", f"hf-eval:me/sums@{COMMIT}", "hf-eval:eval.yaml#one"]
)
def test_other_scopes_have_no_leaderboard(name: str) -> None:
    with pytest.raises(BadInput, match="is no task of a benchmark on a hub: write hf-eval:OWNER/NAME@COMMIT#TASK"):
        place_of(name)
