"""Readers are held against what is to be read in replies of a real model.

`tests/replies/*.jsonl`: replies of whole runs of all rooms, or drawn from them by seed, none picked, each with the form
that was asked for and with what is to be read in it; null where it holds no answer. The labels were made blind: by reading
prompt and reply alone, in shuffled order, without what the readers made of them; but for 57, of prompts in newer words. In
four cases of doubt, which bear their reason under `decided`, the label was settled afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tests.replies.said import FORMS, form_named, noted
from vivavoce.consistency.legal.paraphrasing import HEADING, paraphrases_in
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ParsedReply
from vivavoce.interview.forms.written_texts import Rewordings
from vivavoce.interview.reading import read

FOLDER: Final = Path(__file__).parents[2] / "replies"
LEAST: Final = 400
LEAST_WITHOUT: Final = 100
"""Replies in which a person reads no answer."""


@dataclass(frozen=True)
class RecordedReply:
    """A reply of a real model, and what a person reads in it."""

    where: str
    form: str
    prompt: Prompt
    reply: Reply
    person: Any

    @property
    def reader(self) -> Any:
        """What the form reads."""
        assert self.prompt.form is not None
        reading = read(self.prompt, self.reply)
        if reading.outcome is Outcome.DONT_KNOW:
            return reading.outcome.value
        if isinstance(self.prompt.form, Rewordings):
            return self._versions(reading, self.prompt.form.number)
        return noted(self.prompt.form, reading.value)

    def _versions(self, reading: ParsedReply[Any], number: int) -> list[int] | None:
        """Those that can be used: a text given twice is no second version."""
        fact = self.prompt.text.split(f"{HEADING}\n")[1].split("\n\n")[0]
        value = enumerate(paraphrases_in(reading, fact, number), start=1)
        return [index for index, version in value if not version.problem] or None


def recorded() -> Iterator[RecordedReply]:
    """All of them."""
    for file in sorted(FOLDER.glob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            document = json.loads(line)
            prompt = Prompt(
                document["prompt"], document.get("system", ""), form=form_named(document["form"], document["settings"])
            )
            reply = Reply(document["reply"], finish=document.get("finish", ""))
            yield RecordedReply(f"{file.name}:{number}", document["form"], prompt, reply, document["person"])


@pytest.fixture(scope="module")
def replies() -> list[RecordedReply]:
    return list(recorded())


def test_there_are_enough_of_every_form(replies: list[RecordedReply]) -> None:
    assert len(replies) >= LEAST
    assert sum(reply.person is None for reply in replies) >= LEAST_WITHOUT
    assert {reply.form for reply in replies} == set(FORMS)


def test_nothing_is_read_wrongly(replies: list[RecordedReply]) -> None:
    wrong = {
        reply.where: (reply.reader, reply.person)
        for reply in replies
        if reply.reader is not None and reply.reader != reply.person
    }
    assert wrong == {}


def test_what_a_person_can_read_is_read(replies: list[RecordedReply]) -> None:
    """But for replies that were cut off: they may have had more to say, so they are never read."""
    readable = [reply for reply in replies if reply.person is not None and reply.reply.finish != "length"]
    missed = {entry.where: entry.person for entry in readable if entry.reader is None}
    assert len(missed) <= 0.02 * len(readable), missed
