"""Later turns of a conversation: what is sent, what is on record, how a reply to them is read."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from vivavoce.candidates.function import function_given
from vivavoce.interview.asker import AskSettings
from vivavoce.interview.candidate import Exchange, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.one_option import OneOption
from vivavoce.interview.interview import Interview
from vivavoce.interview.notation import question_text
from vivavoce.interview.reading import read
from vivavoce.interview.requests import follow_up_prompt, full_prompt, holds_conversation, next_turn
from vivavoce.interview.transcript import Transcript

FORM = OneOption(("Rome", "Oslo"))
FIRST = Prompt("Capital of Italy?", id="q", form=FORM)


class Talker:
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
    async def talk() -> tuple[Talker, Prompt]:
        who = Talker()
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
    interview = Interview(Talker(), answers=Reply, settings=AskSettings(reply_format="schema"))
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

    assert holds_conversation(Talker())
    assert holds_conversation(function_given(whole))
    assert not holds_conversation(function_given(plain))
