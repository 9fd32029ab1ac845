"""Turns of a conversation: forms in words, a second turn after an unreadable reply, and thoughts apart from words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, SupportsIndex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.interview.candidates import collect
from vivavoce.candidates.function import function_given
from vivavoce.errors import CandidateUnreachable, TransportFault
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Exchange, NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.form import Outcome, ParsedReply, ReplyFormat, answered, unreadable
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import FormReadings, heard, read, split_thoughts
from vivavoce.interview.requests import follow_up_prompt, full_prompt, holds_conversation, next_turn, question_text
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.schedule import Clock
from vivavoce.interview.transcript import Transcript

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
class ScriptedTalker:
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
    talker = ScriptedTalker({"sky": "blue"})
    [sky] = colours("sky")
    assert await collect(Interview(talker, answers=Reply), [sky]) == [(sky, Reply("blue", Usage(10, 5, 0.5)))]
    assert [asked.text for asked in talker.asked] == [f"What colour is sky?\n\n{Colour.instruction}"]


async def test_a_reply_that_cannot_be_read_gets_one_further_turn_in_the_same_conversation(transcript: Transcript) -> None:
    talker = ScriptedTalker({"sky": EXPLAINED, "sun": "red"}, {"sky": "blue"})
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
    talker = ScriptedTalker({"sky": EXPLAINED}, {"sky": "Who knows?"})
    [sky] = await collect(Interview(talker, answers=Reply), colours("sky"))
    assert len(talker.asked) == 2
    assert read(*sky).outcome is Outcome.UNREADABLE


async def test_each_draw_of_a_question_has_a_turn_of_its_own(transcript: Transcript) -> None:
    talker = ScriptedTalker({"sky": EXPLAINED}, {"sky": "blue"})
    await collect(Interview(talker, answers=Reply, transcript=transcript), colours("sky", "sky", "sky"))
    turns = [record.draw for record in transcript.records() if record.topic.endswith("further turn")]
    assert sorted(turns) == [0, 1, 2]


async def test_a_run_that_was_killed_between_the_two_asks_only_the_turn(transcript: Transcript) -> None:
    class KilledCandidate(ScriptedTalker):
        async def answer(self, question: Prompt, /) -> Reply:
            if question.text == Colour.further:
                raise CandidateUnreachable("the line is dead")
            return await super().answer(question)

    with pytest.raises(CandidateUnreachable):
        await Interview(KilledCandidate({"sky": EXPLAINED}), answers=Reply, transcript=transcript).ask(colours("sky")[0])
    assert transcript.head.count == 1
    talker = ScriptedTalker({}, {"sky": "blue"})
    again = Interview(talker, answers=Reply, transcript=transcript)
    answer = await again.ask(colours("sky")[0])
    assert [asked.text for asked in talker.asked] == [Colour.further]
    assert read(colours("sky")[0], answer).value == "blue"
    assert again.spending == Usage(20, 10, 1.0)
    third = Interview(ScriptedTalker({}), answers=Reply, transcript=transcript)
    assert await third.ask(colours("sky")[0]) == answer
    assert third.progress.from_record == 1


async def test_turns_do_not_count_as_questions_and_are_paid_for() -> None:

    talker = ScriptedTalker(dict.fromkeys("abcdef", EXPLAINED), dict.fromkeys("abcdef", "blue"))
    by_questions = Interview(talker, answers=Reply, budget=Budget(questions=3), concurrency=1)
    assert len(await collect(by_questions, colours(*"abcdef"))) == 3
    by_tokens = Interview(
        ScriptedTalker(talker.script, talker.after_turn), answers=Reply, budget=Budget(tokens=60), concurrency=1
    )
    assert len(await collect(by_tokens, colours(*"abcdef"))) < 6
    assert by_tokens.exhausted == "tokens"


@each_case(
    ("ways", "finish", "reply"),
    [
        (("text",), "", EXPLAINED),  # holds no conversation
        (("text", "turn"), "length", EXPLAINED),  # cut off: its remedy is another limit
        (("text", "turn"), "", ""),  # nothing to go on from
        (("text", "turn"), "", "<think>It is blue"),
    ],
)
async def test_who_gets_no_turn(ways: tuple[ReplyFormat, ...], finish: str, reply: str) -> None:
    talker = ScriptedTalker({"sky": reply}, ways=ways, finish=finish)
    [sky] = await collect(Interview(talker, answers=Reply), colours("sky"))
    assert len(talker.asked) == 1
    assert read(*sky).outcome.unread


async def test_the_user_decides_how_is_asked() -> None:
    as_text = ScriptedTalker({"sky": EXPLAINED})
    await Interview(as_text, answers=Reply, settings=AskSettings(reply_format="text")).ask(colours("sky")[0])
    assert len(as_text.asked) == 1
    by_schema = ScriptedTalker({"sky": '{"colour": "blue"}'})
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
    before = Interview(ScriptedTalker({"sky": "blue"}), answers=Reply, transcript=transcript)
    await before.ask(Prompt("And the sky?", id="sky"), topic="colours")
    again = ScriptedTalker({"sky": "blue", "sun": "red"})
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
    class RefusingTalker(ScriptedTalker):
        never_sent: frozenset[str] = frozenset()

        async def answer(self, question: Prompt, /) -> Reply:
            return Reply("ready") if question.id == "probe" else await super().answer(question)

    [sky] = colours("sky")
    for temperature, text in ((0.0, EXPLAINED), (1.0, f"Hm. {EXPLAINED}")):
        talker = RefusingTalker({"sky": text, "sea": "blue"}, after_turn={"sky": "blue"})
        interview = Interview(talker, answers=Reply, transcript=transcript)
        await interview.ask(Prompt("The sea?", temperature=temperature, id="sea"), topic=f"at {temperature}")
        assert interview.caveats == ()
        await Interview(talker, answers=Reply, transcript=transcript).ask(sky, draw=int(temperature), topic="sky")
    third = Interview(RefusingTalker({"sky": "?"}, after_turn={"sky": "blue"}), answers=Reply, transcript=transcript)
    await third.ask(sky, draw=2, topic="sky")
    assert third.progress.turns == 1
    assert third.caveats == ()


@pytest.mark.parametrize("in_turn", [False, True])
async def test_a_fault_of_either_request_is_one_of_the_answer(transcript: Transcript, in_turn: bool) -> None:
    class FailsOnce(ScriptedTalker):
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
    assert (await Interview(ScriptedTalker({}), answers=Reply, transcript=transcript).ask(colours("sky")[0])).met == "fault"


FORM = OneOption(("Rome", "Oslo"))
FIRST = Prompt("Capital of Italy?", id="q", form=FORM)


class MumblingTalker:
    """Mumbles first, and then says what is asked for."""

    name = "test:talker"
    ways = ("text", "schema", "turn")

    def __init__(self) -> None:
        self.heard: list[tuple[tuple[str, str], ...]] = []

    async def answer(self, question: Prompt, /) -> Reply:
        self.heard.append(question.conversation)
        if question.schema:
            return Reply('{"answer": "A"}')
        return Reply("A" if question.text == FORM.further else "Well, well.")


def test_a_prompt_without_earlier_turns_is_on_record_as_before_there_were_any() -> None:
    assert "earlier" not in json.loads(question_text(FIRST))
    later = replace(FIRST, earlier=(Exchange("one", "two"),))
    assert json.loads(question_text(later))["earlier"] == [{"asked": "one", "replied": "two"}]


def test_the_next_turn_holds_what_was_really_sent_and_replied_the_further_turn_included() -> None:
    async def talk() -> tuple[MumblingTalker, Prompt]:
        who = MumblingTalker()
        interview = Interview(who, answers=Reply, transcript=Transcript.open(None))
        answer = await interview.ask(FIRST)
        assert isinstance(answer, Reply)
        second = interview.next_turn(FIRST, answer, "Are you sure?", id="q/sure/1")
        again = await interview.ask(second)
        assert isinstance(again, Reply)
        return who, interview.next_turn(second, again, "Really?", id="q/sure/2")

    who, third = asyncio.run(talk())
    asked = f"Capital of Italy?\n\n{FORM.instruction}"
    sure = f"Are you sure?\n\n{FORM.instruction}"
    begun = (("user", asked), ("assistant", "Well, well."), ("user", FORM.further), ("assistant", "A"))
    assert who.heard[0] == (("user", asked),)
    assert who.heard[1] == begun[:3]
    assert who.heard[2] == (*begun, ("user", sure))
    assert who.heard[3] == (*begun, ("user", sure), ("assistant", "Well, well."), ("user", FORM.further))
    assert third.conversation == (*who.heard[3], ("assistant", "A"), ("user", "Really?"))
    assert third.form is FORM


def test_under_a_schema_the_conversation_holds_what_was_asked_under_it() -> None:
    interview = Interview(MumblingTalker(), answers=Reply, settings=AskSettings(reply_format="schema"))
    answer = asyncio.run(interview.ask(FIRST))
    assert isinstance(answer, Reply)
    second = interview.next_turn(FIRST, answer, "Are you sure?", id="q/sure/1")
    assert second.conversation[:2] == (("user", full_prompt(FIRST, "schema").text), ("assistant", '{"answer": "A"}'))
    assert second.schema == ""  # the next turn is put into words, or under a schema, when it is asked


def test_own_words_may_be_repeated_and_a_turn_that_is_said_back_is_no_answer() -> None:
    text = "The seat of government is there, as every atlas of Europe shows.\nAnswer: A"
    turn = "A colleague of mine explains it like this: by a general rule it can only be (B) Oslo."
    second = next_turn(full_prompt(FIRST), Reply(text), turn, id="q/bogus/1")
    assert read(second, Reply(text)).value == "A"
    assert read(second, Reply(turn)).outcome is Outcome.COPIED
    assert read(full_prompt(second), Reply(turn)).outcome is Outcome.COPIED
    assert read(second, Reply("You are right.\nAnswer: B")).value == "B"


def test_the_further_turn_of_a_first_question_is_on_record_as_before() -> None:
    first = follow_up_prompt(full_prompt(FIRST), Reply("Well."))
    assert (first.shown, first.earlier) == ((Exchange(full_prompt(FIRST).text, "Well."),), ())


def test_who_holds_a_conversation() -> None:
    def plain(text: str) -> str:
        return text

    def whole(prompt: Prompt) -> str:
        return prompt.conversation[0][1]

    assert holds_conversation(MumblingTalker())
    assert holds_conversation(function_given(whole))
    assert not holds_conversation(function_given(plain))


MARKS = [
    ("<think>", "</think>"), ("<THINK>\n", "\n</THINK>\n\n"), ("<thinking>", "</thinking>"), ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"), ("<seed:think>", "</seed:think>"), ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"),
    ("<|START_THINKING|>", "<|END_THINKING|>"), ("<|begin_of_thought|>\n", "\n<|end_of_thought|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"), ("<|channel>thought\n", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"), ("analysis", "assistantfinal"),
]  # fmt: skip
THOUGHT = "We need 12. Answer: 12"


@each_case(("opened", "closed"), MARKS)
def test_what_is_thought_is_no_word(opened: str, closed: str) -> None:
    assert split_thoughts(f"{opened}{THOUGHT}{closed}Answer: 13") == (THOUGHT, "Answer: 13", True)
    assert split_thoughts(f" \n{opened}{THOUGHT}{closed}Answer: 13").words == "Answer: 13" or opened == "analysis"
    # some servers strip what opens a thought
    assert split_thoughts(f"{THOUGHT}{closed} Answer: 13") == (THOUGHT, "Answer: 13", True)


@each_case(("opened", "closed"), MARKS)
def test_a_thought_without_an_end_leaves_no_words(opened: str, closed: str) -> None:
    assert split_thoughts(opened + THOUGHT) == (opened + THOUGHT, "", False)
    for answer in (
        Reply(opened + THOUGHT),  # as records from before have it
        Reply("", thoughts=opened + THOUGHT),
        Reply("", finish="stop", thoughts=f"Told apart.\n\n{opened}{THOUGHT}")
        if opened != "analysis"
        else Reply(opened + "Hm"),
    ):
        assert heard(answer) == heard(answer, whole=True) == ("", "cut off")


@each_case(
    "text",
    [
        "Use the <think> tag. Answer: 4", "The tags `<think>` and `</think>` mark a thought.\nAnswer: 4",
        'def words(text): return re.sub(r"<think>.*?</think>", "", text)', "Analysis: 2 + 2 is 4", "analysis of the text",
        '{"reasoning": "<think>", "answer": 4}', "  4 \n", "",
    ],
)  # fmt: skip
def test_a_mark_that_is_spoken_of_is_a_word(text: str) -> None:
    assert split_thoughts(text) == ("", text, True)


@each_case(
    ("text", "thoughts", "words"),
    [
        ("<think>\n\n</think>\n\nAnswer: 4", "", "Answer: 4"),
        ("<think>a</think>b\n<think>c</think>\nd", "a\n\nc", "b\n \nd"),
        ("Sure. <think>Answer: 1</think> Answer: 4", "Answer: 1", "Sure. Answer: 4"),
        ("<think>I close with </think> soon. 12.</think> 13", "I close with\n\nsoon. 12.", "13"),
        ("<think>as <reasoning>12</reasoning></think>13", "as <reasoning>12</reasoning>", "13"),
        ("<|channel|>final<|message|>4<|return|>", "", "4"),
        ("<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>4<|END_RESPONSE|>", "a", "4"),
        ("1</think>", "1", ""),
    ],
)
def test_thoughts_in_odd_places(text: str, thoughts: str, words: str) -> None:
    assert split_thoughts(text) == (thoughts, words, True)


def test_a_thought_that_begins_behind_words_and_has_no_end_takes_them_with_it() -> None:
    text = "Answer: 12\n<think>Wait, 13"
    assert split_thoughts(text) == (text, "", False)


def test_what_a_thought_names_of_another_kind_does_not_end_it() -> None:
    assert not split_thoughts("<think>In the form <reasoning>...</reasoning> Answer: 3").ended


def test_a_reply_is_heard_alike_whether_its_thoughts_stand_in_it_or_apart() -> None:
    assert heard(Reply("<think>12?</think> 13")) == heard(Reply("13", thoughts="12?")) == ("13", "")
    assert heard(Reply("<think>12?</think>")) == heard(Reply("", thoughts="12?")) == ("", "empty")
    assert heard(Reply("13", finish="length", thoughts="12?")) == ("", "cut off")
    assert heard(Reply("13", finish="length", thoughts="12?"), whole=True) == ("13", "")
    assert heard(NoAnswer("time-out")) == ("", "time-out")


PIECES = st.sampled_from([mark for pair in MARKS for mark in pair] + ["a", " ", "\n", '"', "`", "Answer: 4", "<", "think>"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_words_are_left_alone_when_they_are_split_again(text: str) -> None:
    split = split_thoughts(text)
    if split.ended:
        assert split_thoughts(split.words) == ("", split.words, True)
    else:
        assert (split.thoughts, split.words) == (text, "")


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "a", "\n", '"', "Answer: 12"]), max_size=8).map("".join), st.text("ab \n")
)
def test_what_follows_the_last_end_is_what_is_said(before: str, after: str) -> None:
    assert split_thoughts(f"<think>{before}</think>{after}").words.endswith(after.strip())


@each_case("piece", ["<think>", "x <think>", "</think>", " \t", "\n<think>", "<think></think>", "<|channel|>final"])
def test_work_grows_with_length_alone(piece: str) -> None:
    """What is cut out of the reply is counted, in characters: a square would make 256 times as much of 16 times the length."""

    class CountingText(str):
        cut = 0

        def __getitem__(self, key: SupportsIndex | slice) -> str:
            part = super().__getitem__(key)
            CountingText.cut += len(part)
            return part

    def cut(repeats: int) -> int:
        CountingText.cut = 0
        split_thoughts.__wrapped__(CountingText(piece * repeats + "<think>"))
        return CountingText.cut

    assert cut(16_000) <= 16 * cut(1_000) + 100
