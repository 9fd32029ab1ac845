"""The rules for whole replies that are named after scorers of Inspect, against these scorers themselves."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.each_case import each_case

pytest.importorskip("inspect_ai")

from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import Scorer as Inspects
from inspect_ai.scorer import Target, answer, exact, includes, match, pattern
from inspect_ai.solver import TaskState

from vivavoce.scopes.rules.scorers import Scorer

pytestmark = pytest.mark.long  # importing Inspect takes seconds

WORDS = (
    "ANSWER: ", "answer:", "Answer : ", "B", "b", "(C)", "The", "a", "an", "42", "42.", "$1,234", "1234", "3.0", "3", "-5",
    "0.5", "1e3", "Rome", "rome", "ROME.", "Rome,", "well-known", "\n", " ", "  ", ".", "!", ":", "*", "_", "is", "x y",
    "50%", "\\$20", "20", "é",
)  # fmt: skip
USUAL = ("ANSWER: ", "answer: B", "is Rome", "42 42", "is b.", "ANSWER: 42.", "3")
TARGETS = ("B", "Rome", "42", "1,234", "3", "-5", "the rome", "well known", "x y", "50%", "0.5", "1000", "20", "C", "é")


async def theirs(scorer: Inspects, reply: str, targets: Sequence[str]) -> float:
    state = TaskState(
        ModelName("mockllm/model"),
        1,
        1,
        "asked",
        [ChatMessageUser(content="asked")],
        output=ModelOutput.from_content("m", reply),
    )
    score = await scorer(state, Target(list(targets)))
    assert score is not None
    return 1.0 if score.value == "C" else 0.0


def scorers() -> list[tuple[dict[str, Any], Callable[[], Inspects]]]:
    """Settings of our rule, and the scorer that it is named after."""
    result: list[tuple[dict[str, Any], Callable[[], Inspects]]] = [
        ({"scorer": "includes"}, includes),
        ({"scorer": "includes", "ignore_case": False}, lambda: includes(ignore_case=False)),
        ({"scorer": "exact"}, exact),
        ({"scorer": "pattern", "pattern": r"is (\w+)\.?"}, lambda: pattern(r"is (\w+)\.?")),
        ({"scorer": "pattern", "pattern": r"(\d+) (\w+)", "match_all": True}, lambda: pattern(r"(\d+) (\w+)", match_all=True)),
        ({"scorer": "pattern", "pattern": r"[A-Z]\w+", "ignore_case": False}, lambda: pattern(r"[A-Z]\w+", ignore_case=False)),
    ]
    for what in ("letter", "word", "line"):
        result.append(({"scorer": "answer", "answer": what}, lambda what=what: answer(what)))  # type: ignore[misc]
    for location in ("begin", "end", "any", "exact"):
        for numeric in (False, True):
            settings = {"location": location, "numeric": numeric}
            result.append(({"scorer": "match", **settings}, lambda settings=settings: match(**settings)))  # type: ignore[misc]
    return result


@each_case(("settings", "made"), scorers())
async def test_a_reply_earns_what_it_earns_in_inspect(settings: dict[str, Any], made: Callable[[], Inspects]) -> None:
    rng, scorer, right = random.Random(7), made(), 0
    for _ in range(400):
        words = rng.choice((WORDS, USUAL))
        reply = "".join(rng.choice((" ", "", "\n")) + rng.choice(words) for _ in range(rng.randrange(7))).strip()
        targets = rng.sample(TARGETS, rng.randrange(1, 3))
        ours = Scorer(targets=tuple(targets), **settings).judged(reply).score
        assert ours == await theirs(scorer, reply, targets), (reply, targets)
        right += ours > 0
    assert right, "no reply was right, so that nothing was compared"
