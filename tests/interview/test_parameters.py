"""What a server refuses of the parameters that rooms set is settled once, on record, for all questions alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from tests.interview.candidates import collect
from tests.interview.test_turns import Colour
from vivavoce.errors import ParameterRefused
from vivavoce.interview import Interview, NoAnswer, Prompt, Reply, Transcript, Usage
from vivavoce.interview.asker import AskSettings
from vivavoce.interview.forms.form import ReplyFormat

SENT_AS = {"temperature": "temperature", "max_tokens": "max_tokens", "first_tokens": "logprobs", "schema": "response_format"}


@dataclass
class Server:
    """Refuses some parameters, and some of them only for one question."""

    refuses: frozenset[str] = frozenset()
    refuses_for: Mapping[str, str] = field(default_factory=dict)
    never_sent: frozenset[str] = frozenset()
    name: str = "test:server"
    ways: tuple[ReplyFormat, ...] = ("text", "schema", "turn")
    asked: list[Prompt] = field(default_factory=list)

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question)
        borne = [sent for name, sent in SENT_AS.items() if getattr(question, name) not in (None, 0, "")]
        for name in borne:
            if name in self.refuses or self.refuses_for.get(question.id) == name:
                raise ParameterRefused(name, "not supported with this model")
        return Reply("blue", Usage(1, 1, 0.0))


def warm(*names: str) -> list[Prompt]:
    return [Prompt(f"What colour is {name}?", id=name, temperature=0.7) for name in names]


async def test_one_probe_decides_for_all_questions(transcript: Transcript) -> None:
    server = Server(refuses=frozenset({"temperature"}))
    interview: Interview[Prompt, Reply | NoAnswer] = Interview(server, answers=Reply, transcript=transcript)
    answers = await collect(interview, warm("sky", "sun", "sea"))
    assert [answer.text for _, answer in answers if isinstance(answer, Reply)] == ["blue"] * 3
    assert [asked.id for asked in server.asked if asked.temperature is not None] == ["probe"]
    assert sorted(asked.id for asked in server.asked) == ["probe", "sea", "sky", "sun"]
    assert interview.settings["left_out"] == ["temperature"]
    assert interview.caveats == ("test:server refuses the setting 'temperature': it was left out of all questions.",)
    assert transcript.head.count == 4


async def test_a_resumed_run_reads_the_probe_from_the_record(transcript: Transcript) -> None:
    await collect(Interview(Server(refuses=frozenset({"temperature"})), answers=Reply, transcript=transcript), warm("sky"))
    server = Server()  # even if the server would take it now
    interview = Interview(server, answers=Reply, transcript=transcript)
    await collect(interview, warm("sky", "sun"))
    assert [(asked.id, asked.temperature) for asked in server.asked] == [("sun", None)]
    assert interview.settings["left_out"] == ["temperature"]


async def test_several_parameters_are_told_apart_in_one_go() -> None:
    server = Server(refuses=frozenset({"temperature", "response_format"}))
    prompt = Prompt("What colour is sky?", id="sky", temperature=0.7, max_tokens=9, form=Colour())
    interview = Interview(server, answers=Reply, settings=AskSettings(reply_format="schema"))
    assert isinstance(await interview.ask(prompt), Reply)
    assert [asked.id for asked in server.asked] == ["probe", "probe", "probe", "sky"]
    last = server.asked[-1]
    assert (last.temperature, last.max_tokens, last.schema) == (None, 9, "")
    assert last.text.endswith(Colour.instruction)
    assert interview.settings["left_out"] == ["schema", "temperature"]


async def test_a_later_refusal_is_the_outcome_of_its_question() -> None:
    server = Server(refuses_for={"sun": "temperature"})
    interview: Interview[Prompt, Reply | NoAnswer] = Interview(server, answers=Reply)
    outcomes = dict(await collect(interview, warm("sky", "sun", "sea")))
    absent = outcomes[warm("sun")[0]]
    assert isinstance(absent, NoAnswer)
    assert absent.attempts == 1
    assert [asked.id for asked in server.asked].count("sun") == 1
    assert "left_out" not in interview.settings


async def test_what_is_known_to_be_refused_is_left_out_without_a_probe() -> None:
    server = Server(refuses=frozenset({"temperature"}), never_sent=frozenset({"temperature"}))
    interview = Interview(server, answers=Reply)
    await collect(interview, warm("sky"))
    assert [(asked.id, asked.temperature) for asked in server.asked] == [("sky", None)]
    assert interview.settings["left_out"] == ["temperature"]


@pytest.mark.parametrize("refuses", [frozenset(), frozenset({"temperature"})])
async def test_equal_questions_are_draws_of_their_own_whatever_is_left_out(
    refuses: frozenset[str], transcript: Transcript
) -> None:
    server = Server(refuses=refuses)
    await collect(Interview(server, answers=Reply, transcript=transcript), warm("sky") * 4)
    draws = sorted(record.draw for record in transcript.records() if record.topic != "probe")
    assert draws == [0, 1, 2, 3]
    assert all(replace(asked, temperature=None) == replace(warm("sky")[0], temperature=None) for asked in server.asked[1:])
