"""Forms are put into words as they are sent, and a reply that cannot be read gets one further turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from tests.interview.candidates import collect
from vivavoce.errors import CandidateUnreachable, TransportFault
from vivavoce.interview import Budget, Exchange, Interview, NoAnswer, Prompt, Reply, Transcript, Usage
from vivavoce.interview.asker import AskSettings
from vivavoce.interview.forms.form import Outcome, ParsedReply, ReplyFormat, answered, unreadable
from vivavoce.interview.reading import FormReadings, read
from vivavoce.interview.schedule import Clock

EXPLAINED = "Well, let me think about it for a while and then say something that is of no use to anybody at all."


class Colour:
    """A form for these tests: one of two words, and nothing else."""

    way: ClassVar[ReplyFormat] = "turn"
    instruction = "End your reply with the colour alone, in one word, on a line of its own."
    further = "Which colour is it? Reply with the word alone."
    schema: ClassVar[Mapping[str, Any]] = {
        "type": "object",
        "properties": {"colour": {"type": "string"}},
        "required": ["colour"],
    }
    schema_instruction = "Reply with a JSON object."

    def read(self, text: str) -> ParsedReply[str]:
        word = text.rstrip().rsplit("\n", 1)[-1]
        return answered(word) if word in ("red", "blue") else unreadable("no colour")

    def read_fields(self, fields: Mapping[str, Any]) -> ParsedReply[str]:
        return self.read(str(fields["colour"]))

    def write(self, value: str) -> str:
        return value


@dataclass
class Talker:
    """Answers a first question by its id's script, and a further turn by the last words of it."""

    script: Mapping[str, str]
    after_turn: Mapping[str, str] = field(default_factory=dict)
    name: str = "test:talker"
    ways: tuple[ReplyFormat, ...] = ("text", "schema", "turn")
    asked: list[Prompt] = field(default_factory=list)
    finish: str = ""

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question)
        script = self.after_turn if question.text == Colour.further else self.script
        return Reply(script[question.id], Usage(10, 5, 0.5), finish=self.finish)


def colours(*names: str) -> list[Prompt]:
    return [Prompt(f"What colour is {name}?", id=name, form=Colour()) for name in names]


async def test_a_form_is_put_into_words_and_the_question_that_was_asked_comes_back() -> None:
    talker = Talker({"sky": "blue"})
    [sky] = colours("sky")
    assert await collect(Interview(talker, answers=Reply), [sky]) == [(sky, Reply("blue", Usage(10, 5, 0.5)))]
    assert [asked.text for asked in talker.asked] == [f"What colour is sky?\n\n{Colour.instruction}"]


async def test_a_reply_that_cannot_be_read_gets_one_further_turn_in_the_same_conversation(transcript: Transcript) -> None:
    talker = Talker({"sky": EXPLAINED, "sun": "red"}, {"sky": "blue"})
    interview = Interview(talker, answers=Reply, transcript=transcript)
    sky, sun = await collect(interview, colours("sky", "sun"))
    first = f"What colour is sky?\n\n{Colour.instruction}"
    assert [asked.conversation for asked in talker.asked if asked.text == Colour.further] == [
        (("user", first), ("assistant", EXPLAINED), ("user", Colour.further))
    ]
    assert isinstance(sky[1], Reply)
    assert sky[1].further == Reply("blue", Usage(10, 5, 0.5))
    reading = read(*sky)
    assert (reading.value, reading.after_turn) == ("blue", True)
    assert not read(*sun).after_turn
    assert interview.spending == Usage(30, 15, 1.5)  # three calls of two questions
    assert (interview.progress.answered, interview.progress.turns) == (2, 1)
    assert interview.readings == (FormReadings("Colour", asked=2, at_once=1, after_turn=1, calls=3),)
    assert sorted(record.topic for record in transcript.records()) == ["", "", "/further turn"]


async def test_what_stays_unreadable_is_asked_no_third_time() -> None:
    talker = Talker({"sky": EXPLAINED}, {"sky": "Who knows?"})
    [sky] = await collect(Interview(talker, answers=Reply), colours("sky"))
    assert len(talker.asked) == 2
    assert read(*sky).outcome is Outcome.UNREADABLE


async def test_each_draw_of_a_question_has_a_turn_of_its_own(transcript: Transcript) -> None:
    talker = Talker({"sky": EXPLAINED}, {"sky": "blue"})
    await collect(Interview(talker, answers=Reply, transcript=transcript), colours("sky", "sky", "sky"))
    turns = [record.draw for record in transcript.records() if record.topic.endswith("further turn")]
    assert sorted(turns) == [0, 1, 2]


async def test_a_run_that_was_killed_between_the_two_asks_only_the_turn(transcript: Transcript) -> None:
    class Killed(Talker):
        async def answer(self, question: Prompt, /) -> Reply:
            if question.text == Colour.further:
                raise CandidateUnreachable("the line is dead")
            return await super().answer(question)

    with pytest.raises(CandidateUnreachable):
        await Interview(Killed({"sky": EXPLAINED}), answers=Reply, transcript=transcript).ask(colours("sky")[0])
    assert transcript.head.count == 1
    talker = Talker({}, {"sky": "blue"})
    again = Interview(talker, answers=Reply, transcript=transcript)
    answer = await again.ask(colours("sky")[0])
    assert [asked.text for asked in talker.asked] == [Colour.further]
    assert read(colours("sky")[0], answer).value == "blue"
    assert again.spending == Usage(20, 10, 1.0)
    third = Interview(Talker({}), answers=Reply, transcript=transcript)
    assert await third.ask(colours("sky")[0]) == answer
    assert third.progress.from_record == 1


async def test_turns_do_not_count_as_questions_and_are_paid_for() -> None:

    talker = Talker(dict.fromkeys("abcdef", EXPLAINED), dict.fromkeys("abcdef", "blue"))
    by_questions = Interview(talker, answers=Reply, budget=Budget(questions=3), concurrency=1)
    assert len(await collect(by_questions, colours(*"abcdef"))) == 3
    by_tokens = Interview(Talker(talker.script, talker.after_turn), answers=Reply, budget=Budget(tokens=60), concurrency=1)
    assert len(await collect(by_tokens, colours(*"abcdef"))) < 6
    assert by_tokens.exhausted == "tokens"


@pytest.mark.parametrize(
    ("ways", "finish", "reply"),
    [
        (("text",), "", EXPLAINED),  # holds no conversation
        (("text", "turn"), "length", EXPLAINED),  # cut off: its remedy is another limit
        (("text", "turn"), "", ""),  # nothing to go on from
        (("text", "turn"), "", "<think>It is blue"),
    ],
)
async def test_who_gets_no_turn(ways: tuple[ReplyFormat, ...], finish: str, reply: str) -> None:
    talker = Talker({"sky": reply}, ways=ways, finish=finish)
    [sky] = await collect(Interview(talker, answers=Reply), colours("sky"))
    assert len(talker.asked) == 1
    assert read(*sky).outcome.unread


async def test_the_user_decides_how_is_asked() -> None:
    as_text = Talker({"sky": EXPLAINED})
    await Interview(as_text, answers=Reply, settings=AskSettings(reply_format="text")).ask(colours("sky")[0])
    assert len(as_text.asked) == 1
    by_schema = Talker({"sky": '{"colour": "blue"}'})
    answer = await Interview(by_schema, answers=Reply, settings=AskSettings(reply_format="schema")).ask(colours("sky")[0])
    assert [(asked.text, asked.schema) for asked in by_schema.asked] == [
        (
            "What colour is sky?\n\nReply with a JSON object.",
            '{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}',
        )
    ]
    assert read(colours("sky")[0], answer).value == "blue"


def test_copies_thoughts_and_absences_are_no_answers() -> None:
    [sky] = colours("sky")
    assert read(sky, Reply(f"{Colour.instruction}\nred")).outcome is Outcome.COPIED
    assert read(sky, Reply("<think>red</think>\nblue")).value == "blue"
    assert read(sky, NoAnswer("time-out after 9 s")).outcome is Outcome.NO_ANSWER
    worked = Prompt(sky.text, form=Colour(), shown=(Exchange("Of grass?", f"{EXPLAINED}\nred"),))
    assert read(worked, Reply(f"{EXPLAINED}\nred")).outcome is Outcome.COPIED
    assert read(sky, Reply(f"{EXPLAINED}\nred")).value == "red"


async def test_questions_that_are_on_record_in_other_words_are_asked_again_and_that_is_said(transcript: Transcript) -> None:
    before = Interview(Talker({"sky": "blue"}), answers=Reply, transcript=transcript)
    await before.ask(Prompt("And the sky?", id="sky"), topic="colours")
    again = Talker({"sky": "blue", "sun": "red"})
    interview = Interview(again, answers=Reply, transcript=transcript)
    await interview.ask(Prompt("The sky 100%?", id="sky"), topic="colours")
    assert [asked.text for asked in again.asked] == ["The sky 100%?"]
    assert interview.caveats == (
        "Some of these questions are on record in other words; they were asked again, in their current words.",
    )
    resumed = Interview(again, answers=Reply, transcript=transcript)
    await resumed.ask(Prompt("The sky 100%?", id="sky"), topic="colours")
    await resumed.ask(Prompt("The sun?", id="sun"), topic="colours")
    assert resumed.caveats == ()


async def test_probes_and_further_turns_whose_words_depend_on_what_was_asked_are_no_questions_in_other_words(
    transcript: Transcript,
) -> None:
    class Refusing(Talker):
        never_sent: frozenset[str] = frozenset()

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply("ready") if question.id == "probe" else await super().answer(question)

    [sky] = colours("sky")
    for temperature, text in ((0.0, EXPLAINED), (1.0, f"Hm. {EXPLAINED}")):
        talker = Refusing({"sky": text, "sea": "blue"}, after_turn={"sky": "blue"})
        interview = Interview(talker, answers=Reply, transcript=transcript)
        await interview.ask(Prompt("The sea?", temperature=temperature, id="sea"), topic=f"at {temperature}")
        assert interview.caveats == ()
        await Interview(talker, answers=Reply, transcript=transcript).ask(sky, draw=int(temperature), topic="sky")
    third = Interview(Refusing({"sky": "?"}, after_turn={"sky": "blue"}), answers=Reply, transcript=transcript)
    await third.ask(sky, draw=2, topic="sky")
    assert third.progress.turns == 1
    assert third.caveats == ()


@pytest.mark.parametrize("in_turn", [False, True])
async def test_a_fault_of_either_request_is_one_of_the_answer(transcript: Transcript, in_turn: bool) -> None:
    class FailsOnce(Talker):
        async def answer(self, question: Prompt, /) -> Reply:
            if (question.text == Colour.further) == in_turn and question not in self.asked:
                self.asked.append(question)
                raise TransportFault("status 500")
            return await super().answer(question)

    talker = FailsOnce({"sky": EXPLAINED}, {"sky": "blue"})
    no_pause = AskSettings(clock=Clock(sleep=lambda _: asyncio.sleep(0)))
    answer = await Interview(talker, answers=Reply, transcript=transcript, settings=no_pause).ask(colours("sky")[0])
    assert answer.met == "fault"
    assert read(colours("sky")[0], answer).value == "blue"  # what it says is on record all the same
    assert (await Interview(Talker({}), answers=Reply, transcript=transcript).ask(colours("sky")[0])).met == "fault"
