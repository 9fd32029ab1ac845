"""The chat candidate and servers that speak as reasoning models do: thoughts, refusals, cut-offs, presets."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.candidates.reasoning import DECOY, ReasoningServer
from tests.each_case import each_case
from tests.serving import ROOT
from vivavoce.candidates.chat.candidate import open_chat
from vivavoce.candidates.providers import PRESETS
from vivavoce.errors import BadInput, CandidateMisconfigured, ParameterRefused, TransportFault, UnknownName
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import heard
from vivavoce.interview.record import canonical_json
from vivavoce.interview.requests import reply_formats_of

SCHEMA = {"type": "object", "properties": {"answer": {"type": "number"}}, "required": ["answer"]}
KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def model() -> Iterator[ReasoningServer]:
    with ReasoningServer() as server:
        yield server


async def ask(model: ReasoningServer, query: str = "", prompt: Prompt | None = None, **environment: str) -> Reply:
    candidate = open_chat(f"m@{model.url}", query, environment=environment)
    try:
        return await candidate.answer(prompt or Prompt("2 + 2?"))
    finally:
        await candidate.close()


@pytest.mark.parametrize("field", ["content", "reasoning", "reasoning_content"])
async def test_thoughts_are_kept_apart_wherever_they_come(model: ReasoningServer, field: str) -> None:
    model.thoughts = field  # type: ignore[assignment]
    reply = await ask(model)
    assert (reply.text, reply.thoughts, reply.finish) == ("Answer: C", DECOY, "stop")
    assert heard(reply) == ("Answer: C", "")


async def test_thoughts_that_are_told_twice_are_kept_once(model: ReasoningServer) -> None:
    model.thoughts = "reasoning"
    model._reply = lambda request: {  # type: ignore[method-assign]
        "choices": [
            {
                "message": {
                    "reasoning": "Hm.",
                    "reasoning_content": "Hm.",
                    "content": [
                        {"type": "thinking", "thinking": [{"type": "text", "text": "Well."}]},
                        {"type": "text", "text": "<think>So.</think>4"},
                    ],
                }
            }
        ]
    }
    reply = await ask(model)
    assert (reply.text, reply.thoughts) == ("4", "Hm.\n\nWell.\n\nSo.")


@pytest.mark.parametrize("finish", ["", "stop"])
@pytest.mark.parametrize("field", ["content", "reasoning", "reasoning_content"])
async def test_a_thought_that_is_cut_off_is_no_answer(model: ReasoningServer, field: str, finish: str) -> None:
    model.thoughts, model.cut, model.finish = field, "thought", finish  # type: ignore[assignment]
    reply = await ask(model)
    assert reply.text == ""
    assert DECOY in reply.thoughts
    assert reply.finish == (finish or "length")  # as the server said it
    # apart and said to have stopped, it is a thought with nothing behind it
    assert heard(reply) == ("", "empty" if finish and field != "content" else "cut off")


async def test_a_reply_that_is_cut_off_is_no_answer(model: ReasoningServer) -> None:
    model.cut = "reply"
    reply = await ask(model)
    assert (reply.text, reply.finish) == ("Answ", "length")
    assert heard(reply) == ("", "cut off")


async def test_no_secret_comes_back_in_a_thought(model: ReasoningServer) -> None:
    for where in ("content", "reasoning", "reasoning_content"):
        model.thoughts, model.thought = where, f"My key is {KEY}."
        assert (await ask(model, VIVA_API_KEY=KEY)).thoughts == "My key is [key]."


async def test_a_schema_is_sent_as_the_protocol_has_it(model: ReasoningServer) -> None:
    model.answer = lambda request: json.dumps({"answer": 4} if "response_format" in request else "?")
    reply = await ask(model, prompt=Prompt("2 + 2?", schema=canonical_json(SCHEMA)))
    assert reply.text == '{"answer": 4}'
    assert model.requests[-1]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }
    await ask(model)
    assert "response_format" not in model.requests[-1]


PROMPTS = {
    "temperature": Prompt("?", temperature=0.0),
    "max_tokens": Prompt("?", max_tokens=5),
    "response_format": Prompt("?", schema=canonical_json(SCHEMA)),
    "logprobs": Prompt("?", first_tokens=2),
}


@pytest.mark.parametrize("worded", [False, True])
@pytest.mark.parametrize("parameter", PROMPTS)
async def test_what_the_prompt_set_is_refused_by_name(model: ReasoningServer, parameter: str, worded: bool) -> None:
    model.refuses, model.worded = {parameter}, worded
    with pytest.raises(ParameterRefused) as caught:
        await ask(model, prompt=PROMPTS[parameter])
    assert caught.value.parameter == parameter
    assert caught.value.reason.startswith(f"refuses the parameter '{parameter}': status 400: Unsupported")
    assert len(model.requests) == 1
    assert (await ask(model)).text == "Answer: C"


@pytest.mark.parametrize(
    ("parameter", "query", "remedy"),
    [
        ("temperature", "temperature=0", r"leave out \?temperature="),
        ("max_tokens", "max_tokens=5", r"use \?max_completion_tokens= instead"),
        ("max_completion_tokens", "max_completion_tokens=5", r"use \?max_tokens= instead"),
        ("max_completion_tokens", "max_tokens=5&preset=vllm", r"leave out \?preset="),
        ("seed", "seed=1", r"leave out \?seed="),
        ("stop", "stop=END", r"leave out \?stop="),
        ("reasoning_effort", "reasoning_effort=low", r"leave out \?reasoning_effort="),
    ],
)
async def test_what_the_user_set_is_for_the_user_to_leave_out(
    model: ReasoningServer, parameter: str, query: str, remedy: str
) -> None:
    model.refuses = {parameter}
    with pytest.raises(CandidateMisconfigured, match=rf"refuses the parameter '{parameter}': {remedy}"):
        await ask(model, query)


async def test_the_prompts_value_comes_before_the_users_and_is_the_one_refused(model: ReasoningServer) -> None:
    model.refuses = {"temperature"}
    with pytest.raises(ParameterRefused):
        await ask(model, "temperature=0", Prompt("?", temperature=1.0))


async def test_a_refusal_of_one_question_is_its_outcome_and_of_all_is_settled_once(model: ReasoningServer) -> None:
    model.refuses = {"temperature"}
    model.when = lambda request: "hard" in request["messages"][-1]["content"]
    candidate = open_chat(f"m@{model.url}", "", environment={"VIVA_API_KEY": KEY})
    interview = Interview(candidate, answers=Reply)
    assert isinstance(await interview.ask(Prompt("easy?", temperature=0.0)), Reply)
    answer = await interview.ask(Prompt("hard?", temperature=0.0))
    assert isinstance(answer, NoAnswer)
    assert answer.reason.startswith("refuses the parameter 'temperature'")
    assert (answer.attempts, len(model.refused)) == (1, 1)
    model.when = lambda _: True
    for name in ("first", "second"):
        assert isinstance(await Interview(candidate, answers=Reply).ask(Prompt(name, temperature=0.0)), Reply)
    await candidate.close()
    assert len(model.refused) == 3  # one more for each of two interviews: the probe


async def test_a_complaint_about_the_prompts_length_is_no_refusal(model: ReasoningServer) -> None:
    model.refuses = {"max_tokens"}
    model._refusal = lambda *_: {  # type: ignore[method-assign]
        "message": "'max_tokens' is too large: this model's maximum context length is 4096 tokens.",
        "param": "max_tokens",
    }
    with pytest.raises(TransportFault, match=r"^status 400: ") as caught:
        await ask(model, "max_tokens=9000")
    assert not isinstance(caught.value, ParameterRefused)


async def test_limits_of_tokens_go_by_one_name(model: ReasoningServer) -> None:
    await ask(model, "max_completion_tokens=64")
    assert model.requests[-1]["max_completion_tokens"] == 64
    await ask(model, "max_completion_tokens=64", Prompt("?", max_tokens=5))
    assert (model.requests[-1]["max_completion_tokens"], "max_tokens" in model.requests[-1]) == (5, False)
    await ask(model, "max_tokens=64", Prompt("?", max_tokens=5))
    assert (model.requests[-1]["max_tokens"], "max_completion_tokens" in model.requests[-1]) == (5, False)
    with pytest.raises(BadInput, match="set the same limit"):
        open_chat(f"m@{model.url}", "max_tokens=1&max_completion_tokens=1", environment={})


async def test_a_preset_says_what_is_sent_and_by_which_name(model: ReasoningServer) -> None:
    model.refuses = {"temperature", "max_tokens", "logprobs"}
    everything = Prompt("?", temperature=0.5, max_tokens=5, first_tokens=2, schema=canonical_json(SCHEMA))
    await ask(model, "preset=openai-reasoning&max_tokens=9", Prompt("?"))
    await ask(model, "preset=openai-reasoning&reasoning_effort=low", everything)
    first, second = model.requests
    assert first.keys() == {"model", "messages", "max_completion_tokens"}
    assert second.keys() == {"model", "messages", "max_completion_tokens", "response_format", "reasoning_effort"}
    assert second["max_completion_tokens"] == 5
    model.refuses = {"max_completion_tokens"}
    await ask(model, "preset=ollama&max_completion_tokens=9&stop=A&stop=B%0A&seed=3")
    assert model.requests[-1] | {"messages": 0} == {
        "model": "m",
        "messages": 0,
        "max_tokens": 9,
        "stop": ["A", "B\n"],
        "seed": 3,
    }


@each_case("name", PRESETS)
def test_a_candidate_tells_how_it_can_be_asked(name: str) -> None:
    preset = PRESETS[name]
    candidate = open_chat("m@http://h/v1", f"preset={name}", environment={})
    assert candidate.name == f"chat:m@http://h/v1?preset={name}"
    assert candidate.never_sent == preset.never_sent
    assert reply_formats_of(candidate) == (("text", "turn") if name == "anthropic" else ("text", "schema", "turn"))
    assert preset.source.startswith("https://")
    assert preset.never_sent <= {"temperature", "top_p", "logprobs", "response_format", "seed", "reasoning_effort"}


def test_without_a_preset_all_is_sent() -> None:
    candidate = open_chat("m@http://h/v1", "", environment={})
    assert (candidate.never_sent, candidate.ways) == (frozenset(), ("text", "schema", "turn"))


def test_a_preset_that_contradicts_what_is_given_is_told() -> None:
    with pytest.raises(BadInput, match=r"without temperature: leave out \?temperature= or \?preset="):
        open_chat("m@http://h/v1", "preset=openai-reasoning&temperature=0", environment={})
    with pytest.raises(UnknownName, match="did you mean 'openai-reasoning'"):
        open_chat("m@http://h/v1", "preset=openai-reasonin", environment={})


def test_the_documentation_lists_the_presets_as_they_are() -> None:
    text = (ROOT / "docs" / "candidates.md").read_text()
    rows = {cells[1].strip("` "): cells[1:-1] for line in text.splitlines() if len(cells := line.split("|")) == 7}
    for name, preset in PRESETS.items():
        _, limit, never_sent, thoughts, source = (cell.strip() for cell in rows[name])
        assert limit == f"`{preset.limit}`"
        assert never_sent == ", ".join(f"`{word}`" for word in sorted(preset.never_sent))
        assert thoughts.replace("`", "") == preset.thoughts
        assert preset.source in source
