"""Confirmed failures as a question file, so that a later version is asked the same again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vivavoce.probe.confirmation import ProbeFailure
from vivavoce.scopes.made_questions import MADE, ProbeRecord


def failure_rows(failures: Iterable[ProbeFailure], *, candidate: str, scope: str) -> list[dict[str, Any]]:
    """A row for each failure whose question a file can hold; those with a rule of another tool are left out.

    Earlier turns are kept with the candidate's replies, word for word.
    """
    kept = [failure for failure in failures if not failure.conversation.plan.turns[-1].question.rule]
    made = ProbeRecord(candidate=candidate, scope=scope, failures=len(kept)).model_dump()
    return [{**_row(failure, number), MADE: made} for number, failure in enumerate(kept, start=1)]


def _row(failure: ProbeFailure, number: int) -> dict[str, Any]:
    talk = failure.conversation
    planned, last = talk.plan.turns[-1], talk.turns[-1]
    question = planned.question
    text = last.prompt.text if planned.text else question.text
    if planned.text and question.options:  # the file lists the options, and whoever asks adds them
        text = text.partition("\n\n(A) ")[0]
    asked: Any = text
    if last.prompt.earlier or last.prompt.system:
        messages = [{"role": "system", "content": last.prompt.system}] if last.prompt.system else []
        for exchange in last.prompt.earlier:
            messages += [{"role": "user", "content": exchange.asked}, {"role": "assistant", "content": exchange.replied}]
        asked = [*messages, {"role": "user", "content": text}]
    row = {
        "id": f"{number}/{question.id}/{talk.kind}",
        "question": asked,
        "options": list(question.options),
        "answer": list(question.accepted),
        "category": talk.topic,
        "unacceptable": list(question.unacceptable),
        "rubric": question.rubric,
        "match": question.match,
        "idk_score": question.dont_know_score,
        "scores": dict(question.scores),
    }
    return {name: value for name, value in row.items() if value}
