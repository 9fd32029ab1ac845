"""Every room that asks in words, end to end on a server that speaks as models do that reason.

The server says what the form asks for, and thinks something else before it in all the forms there are; it refuses what such
models refuse, or cuts its replies off. So whatever is read besides what it said was misread.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, cast
from unittest.mock import patch

import pytest

from tests.candidates.reasoning import ReasoningServer, Request
from tests.cli.conftest import viva as viva
from tests.model.harness import ModelReadings
from tests.model.test_rooms import rooms as rooms
from tests.model.test_rooms import (
    test_bail,
    test_cases,
    test_certificate,
    test_certificate_with_a_judge,
    test_certificate_with_explanations,
    test_eqt,
    test_forecasts,
    test_games,
    test_rules,
)
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.forms.form import ReplyForm, ReplyFormat
from vivavoce.interview.forms.guesses import JudgedGuess
from vivavoce.interview.forms.judgements import JudgeScore, ReasonedDecision
from vivavoce.interview.forms.prose import Proposal
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.interview.requests import PROBE, full_prompt

__all__ = [
    "test_bail",
    "test_cases",
    "test_certificate",
    "test_certificate_with_a_judge",
    "test_certificate_with_explanations",
    "test_eqt",
    "test_forecasts",
    "test_games",
    "test_rules",
]

DECOYS = ("987654", "0.987")
"""What the server thinks, and never says."""
REFUSED = ("temperature", "max_tokens", "response_format")
PROGRAM = "def covers(question):\n    return False\n\ndef answer(question):\n    return 0\n"
_numbers = count(1)


def said_in(form: Any) -> Any:
    """Something that can be said in this form."""
    n = next(_numbers)
    document: dict[str, Callable[[], Any]] = {
        "OneOption": lambda: "B",
        "Digit": lambda: "1",
        "GuessAndJudgementForm": lambda: JudgedGuess(61.0, (50.0,) * form.number, "person", 70.0),
        "Message": lambda: "I would rather walk.",
        "WrittenQuestion": lambda: MultipleChoice(
            f"Which of these is number {n}?", tuple(f"the case of {n * 100 + i}" for i in range(form.options)), frozenset({0})
        ),
        "Number": lambda: "12",
        "Probability": lambda: 0.25,
        "Quantity": lambda: 14.0,
        "SeveralOptions": lambda: frozenset({1}),
        "Rewording": lambda: f"Number {n} it is: {' '.join(reversed(form.original.rstrip('?').split()))}?",
        "Points": lambda: JudgeScore(7.0, False),
        "Programs": lambda: (PROGRAM,),
        "SeveralQuestions": lambda: tuple(f"Why {i}?" for i in range(form.number)),
        "ShortText": lambda: "Paris",
        "ReasonedYesNo": lambda: ReasonedDecision(True, "Both say so."),
        "Words": lambda: form.words[0],
        "Proposals": lambda: Proposal(dict.fromkeys(form.names, f"Will it be otherwise in case {n}?")),
        "Rewordings": lambda: {i: f"In case {n} it was put in words of kind {i}." for i in range(1, form.number + 1)},
        "Explanation": lambda: "A group has an operation, a neutral element and inverses. " * 5,
    }
    return document[type(form).__name__]()


class FormReader:
    """Says what the form of a prompt asks for; it learns the form where the prompt is put into words."""

    def __init__(self) -> None:
        self.forms: dict[str, ReplyForm[Any]] = {}

    def full_prompt(self, prompt: Prompt, reply_format: ReplyFormat = "text") -> Prompt:
        asked = full_prompt(prompt, reply_format)
        if prompt.form is not None:
            self.forms[asked.text] = prompt.form
        return asked

    def __call__(self, request: Request) -> str:
        form = self.forms.get(str(request["messages"][-1]["content"]))
        return "ready" if form is None else form.write(said_in(form))


@pytest.fixture
def seen() -> ModelReadings:
    return ModelReadings()


THOUGHTS = (
    "content",
    pytest.param("reasoning", marks=pytest.mark.slow),
    pytest.param("reasoning_content", marks=pytest.mark.slow),
)


@pytest.fixture(params=THOUGHTS)
def server(request: pytest.FixtureRequest) -> Iterator[ReasoningServer]:
    mind = FormReader()
    with (
        patch("vivavoce.interview.requests.full_prompt", mind.full_prompt),
        ReasoningServer(mind, thoughts=request.param, refuses=REFUSED) as server,
    ):
        yield server


@pytest.fixture
def model(server: ReasoningServer, seen: ModelReadings) -> Iterator[str]:
    """The candidate's name; in the end nothing of what it thought was read, and nothing was refused twice."""
    yield f"chat:thinker@{server.url}"
    assert seen.replies
    for reply in seen.replies:
        assert not any(decoy in str(reply["value"]) for decoy in DECOYS), reply
        assert reply["outcome"] in ("answer", "I don't know"), reply
        assert reply["further"] is None
    probes = [request for request in server.requests if request["messages"][-1]["content"] == PROBE]
    assert [request for request in server.refused if request not in probes] == [], "a question was sent with what is refused"
    left_out = {name for interview in seen.interviews for name in cast("list[str]", interview.settings.get("left_out", []))}
    assert bool(left_out) == bool(server.refused)


@pytest.mark.parametrize("cut", ["thought", "reply"])
def test_what_was_cut_off_is_no_answer_and_is_not_asked_again(
    viva: Callable[..., Any], seen: ModelReadings, rooms: Callable[..., Any], server: ReasoningServer, cut: str
) -> None:
    server.cut = cut  # type: ignore[assignment]  # one of the two
    name = f"chat:thinker@{server.url}"
    ended = rooms("certify", name, "--scope", "arithmetic", "--questions", "6", "--quiet", "--json")
    document = json.loads(ended.out)
    assert (ended.code, document["verdict"], document["figures"]["cut_off"]) == (4, "undecided", 6)
    assert {reply["outcome"] for reply in seen.replies} == {"cut off"}
    assert len(server.requests) == 6
