"""What every candidate keeps, whatever its kind, and names that are refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest

from tests.each_case import each_case
from vivavoce.candidates import BOTS, KINDS, CandidateKind, close_candidate, open_candidate
from vivavoce.errors import BadInput, UnknownName
from vivavoce.interview.candidate import Prompt, Reply

SECRET = "sk-contract-0123456789"
PROMPT = Prompt("What is 17 + 25?", id="17+25")

NAMES = (
    "chat:ok@{server}/v1?temperature=0&price_in=1",
    "chat:leak-reply@{server}/v1?key=CONTRACT_KEY",
    pytest.param(
        "inspect:openai-api/loopback/leak-reply?base_url={server}/v1&max_tokens=5",
        marks=pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning"),  # Inspect's, of tenacity
    ),
    "function:contract_functions:by_text",
    "function:contract_functions:by_prompt",
    "function:contract_functions:later",
    "function:contract_functions:Answerer.answer",
    "replay:answers.csv#model",
    "replay:answers.csv#model?id=id",
    "human:p07",
    "bot:calculator?wrong=0.5&delay=0.001",
    "bot:timekeeper",
    "bot:eliza?seed=3",
    "bot:gibberish",
)
FUNCTIONS = """
from vivavoce.interview.candidate import Prompt

def by_text(text):
    return text.upper()

def by_prompt(prompt: Prompt) -> str:
    return prompt.id

async def later(text: str) -> float:
    return 42.0

class Answerer:
    @staticmethod
    def answer(text):
        return len(text)
"""


@pytest.fixture
def typed(tmp_path: Path) -> Iterator[TextIO]:
    """What a person types who is asked twice."""
    (tmp_path / "typed").write_text("yes\n42\n\n" * 2)
    with (tmp_path / "typed").open() as terminal:
        yield terminal


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest, server: str, typed: TextIO, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A name that can be opened in the current folder."""
    (tmp_path / "contract_functions.py").write_text(FUNCTIONS)
    (tmp_path / "answers.csv").write_text("id,model\n17+25,Answer: 42\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.stdin", typed)
    monkeypatch.setenv("VIVA_API_KEY", SECRET)
    monkeypatch.setenv("CONTRACT_KEY", SECRET)
    monkeypatch.setenv("LOOPBACK_API_KEY", SECRET)
    written: str = request.param
    return written.format(server=server)


async def test_a_candidate_answers_and_closes(name: str) -> None:
    candidate = open_candidate(name)
    reply = await candidate.answer(PROMPT)
    assert isinstance(reply, Reply)
    assert reply.text
    await close_candidate(candidate)
    await close_candidate(candidate)


async def test_equal_names_equal_candidates(name: str) -> None:
    first, second = open_candidate(name), open_candidate(name)
    assert first.name == second.name
    assert open_candidate(first.name).name == first.name
    assert await first.answer(PROMPT) == await second.answer(PROMPT)
    for candidate in (first, second):
        await close_candidate(candidate)


async def test_nothing_shows_a_secret(name: str) -> None:
    candidate = open_candidate(name)
    shown = f"{candidate.name} {candidate!r} {candidate!s} {await candidate.answer(PROMPT)!r}"
    await close_candidate(candidate)
    assert SECRET not in shown
    assert "CONTRACT_KEY" not in shown


def test_the_price_of_a_model_is_no_part_of_its_name(server: str) -> None:
    assert open_candidate(f"chat:m@{server}/v1?price_in=1&temperature=0").name == f"chat:m@{server}/v1?temperature=0"


@each_case("kind", [*KINDS, *BOTS])
def test_every_kind_explains_itself(kind: CandidateKind) -> None:
    assert kind.explanation.endswith(".")
    assert kind.prefix in kind.form
    assert kind.form.partition(kind.prefix)[0] == kind.example.partition(kind.prefix)[0]


@each_case("kind", [*BOTS, KINDS[0]])
def test_every_example_can_be_opened(kind: CandidateKind) -> None:
    assert open_candidate(kind.example).name


@each_case(
    ("name", "nearest"),
    [
        ("chta:m@http://h/v1", "did you mean 'chat'"),
        ("bots:calculator", "did you mean 'bot'"),
        ("bot:elisa", "did you mean 'eliza'"),
        ("bot:calculator?worng=0.1", "did you mean 'wrong'"),
        ("bot:timekeeper?seed=1", "There are: none"),
    ],
)
def test_a_misspelt_name_is_told_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(UnknownName, match=nearest):
        open_candidate(name)


@each_case("name", ["chat:", "bot", "bot:?a=1", "inspect:gpt", "inspect:nobody/x", "function:json", "replay:x.csv"])
def test_half_a_name_is_told_what_is_missing(name: str) -> None:
    with pytest.raises(BadInput):
        open_candidate(name)


def test_a_model_alone_is_answered_with_examples_that_hold_its_name() -> None:
    with pytest.raises(BadInput) as refused:
        open_candidate("gpt-4o")
    example = "chat:gpt-4o@http://localhost:11434/v1"
    assert example in str(refused.value)
    assert "inspect:PROVIDER/gpt-4o" in str(refused.value)
    assert open_candidate(example).name.startswith("chat:gpt-4o")
