"""How questions and answers are written down, and read again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.notation import Notation, question_text
from vivavoce.interview.record import Head, Key, chained, digest_of


def test_fields_that_are_rarely_set_are_written_only_where_they_are() -> None:
    written = '{"id":"q","max_tokens":null,"shown":[],"system":"","temperature":null,"text":"?"}'
    assert question_text(Prompt("?", id="q")) == written
    assert question_text(Prompt("?", id="q", first_tokens=5)) == written.replace('"id"', '"first_tokens":5,"id"')


def test_an_answer_without_the_fields_that_are_rarely_set_is_read() -> None:
    key = Key("chat:x", digest_of("?"), 0)
    written = '{"finish":"stop","model":"m","text":"4","usage":{"money":0.0,"tokens_in":7,"tokens_out":3}}'
    _, entry = Notation(Reply).entry(key, Reply("4", Usage(7, 3)), topic="", question="?", asked_at="2025-01-01", seconds=0.1)
    record = chained(replace(entry, answer=written), Head())
    assert Notation(Reply).read(record).answer == Reply("4", Usage(7, 3), "m", "stop")


class _Weigher:
    name = "bot:weighing"
    asked = 0

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked += 1
        return Reply("1", first_token=(("1", -0.5), (" 0", -1.25)) if question.first_tokens else ())


@pytest.mark.parametrize("prompt", [Prompt("?"), Prompt("?", first_tokens=2)])
async def test_what_was_answered_is_on_record_to_the_last_digit(prompt: Prompt) -> None:
    candidate = _Weigher()
    first = Interview(candidate, answers=Reply)
    answer = await first.ask(prompt)
    again = await Interview(candidate, answers=Reply, transcript=first.transcript).ask(prompt)
    assert not isinstance(answer, NoAnswer)
    assert answer == again == replace(answer, text="1")
    assert len(answer.first_token) == prompt.first_tokens
    assert candidate.asked == 1
