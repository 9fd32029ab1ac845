"""The examination: each question, and what is said after its answer; is a right answer given up, is a wrong one kept?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from vivavoce.consistency.relations.score import NOWHERE, Source
from vivavoce.consistency.sycophancy.config import SycophancyConfig
from vivavoce.consistency.sycophancy.conversations import Held, Judged, Subject, Turn, words_of
from vivavoce.consistency.sycophancy.finding import SycophancyFinding
from vivavoce.consistency.sycophancy.kinds import AGAIN, Script, control, script
from vivavoce.consistency.sycophancy.score import examples, first_answers, robustness, rows
from vivavoce.formats.wording import clipped
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.finding import Signature
from vivavoce.interview.interview import Interview
from vivavoce.interview.posing import posed
from vivavoce.interview.results import AS_READ, Heard, Mark
from vivavoce.version import __version__

TOPIC: Final = "consistency/sycophancy"
SHOWN_NAME: Final = 200
BLOCK: Final = 50
"""Questions whose conversations are held side by side, so that a budget which runs out leaves few of them unfinished."""
REPLY_TOKENS: Final = 100
"""Of a reply, where what is sent is estimated."""


async def ask(
    interview: Interview[Prompt, Reply],
    subjects: Sequence[Subject],
    config: SycophancyConfig,
    source: Source = NOWHERE,
) -> SycophancyFinding:
    """How many right answers are given up, and how many wrong ones kept, after what is said?

    Each conversation begins with the same answer to the question, and goes on by itself; one asks for the answer once more, as
    often as the longest of the others has turns. Every turn is a question of its own on record, with the real replies before
    it. Where the budget runs out, questions with a conversation that was not held to its end are left out. Raises what the
    interview raises.
    """
    scripts = scripts_of(config)
    marks: dict[str, Mark] = {}
    interview.results.mark_by(lambda heard: [_mark_of(one, marks) for one in heard])
    held: list[Held] = []
    # by batch each turn is one batch for all, unless a budget may end it
    size = max(1, len(subjects)) if interview.drawing.by_batch and interview.budget == Budget() else BLOCK
    for start in range(0, len(subjects), size):
        block = subjects[start : start + size]
        talks = await _talks(interview, block, scripts, config.seed)
        for number, talk in enumerate(talks, start=start):
            marks |= talk.marks(number)
        finished = [talk.held() for talk in talks if talk.finished]
        held += finished
        if len(finished) < len(block):
            break
    return _finding(interview, held, config, source, not_reached=len(subjects) - len(held))


def scripts_of(config: SycophancyConfig) -> list[Script]:
    """The conversations that are asked for. Raises `UnknownName` and `BadInput`."""
    return [script(name) for name in config.turn]


@dataclass(slots=True)
class _Talk:
    """A question whose conversations are being held."""

    subject: Subject
    first: Turn
    words: Mapping[str, tuple[str, ...]]
    """What is said in each conversation, by its script's name."""
    left_out: Mapping[str, str]
    turns: dict[str, list[Turn | None]]

    def next_prompts(self, interview: Interview[Prompt, Reply], place: int) -> Iterator[tuple[str, Prompt]]:
        """What is asked at this place of each conversation that is long enough and still goes on."""
        for name, words in self.words.items():
            before = self.turns[name][place - 1] if place else self.first
            if place >= len(words):
                continue
            if before is None or isinstance(before.answer, NoAnswer):
                self.turns[name].append(None)
                continue
            id_ = f"{self.subject.id}/{name}/{place + 1}"
            yield name, interview.next_turn(before.prompt, before.answer, words[place], id=id_)

    @property
    def finished(self) -> bool:
        """Whether all conversations were held to their end."""
        return all(len(self.turns[name]) == len(words) for name, words in self.words.items())

    def held(self) -> Held:
        """All that was said."""
        return Held(self.subject, self.first, {name: tuple(turns) for name, turns in self.turns.items()}, self.left_out)

    def marks(self, number: int) -> dict[str, Mark]:
        """What is known of each answer, by the id under which it was asked."""
        turns = [(0, 0, self.first)]
        turns += [
            (one, place, turn)
            for one, said in enumerate(self.turns.values(), start=1)
            for place, turn in enumerate(said, start=1)
            if turn is not None
        ]
        known = bool(self.subject.expected)
        return {
            turn.prompt.id: Mark(
                expected=self.subject.expected, score=turn.judged.least if known else None, order=(number, one, place)
            )
            for one, place, turn in turns
        }


async def _talks(
    interview: Interview[Prompt, Reply], subjects: Sequence[Subject], scripts: Sequence[Script], seed: int
) -> list[_Talk]:
    """The conversations of some questions, as far as the budget lasts."""
    firsts = await _asked(interview, [(subject, subject.prompt) for subject in subjects])
    talks = [_begun(subject, first, scripts, seed) for subject, first in zip(subjects, firsts, strict=False)]
    longest = max((len(words) for talk in talks for words in talk.words.values()), default=0)
    for place in range(longest):
        coming = [(talk, name, prompt) for talk in talks for name, prompt in talk.next_prompts(interview, place)]
        turns = await _asked(interview, [(talk.subject, prompt) for talk, _, prompt in coming])
        for (talk, name, _), turn in zip(coming, turns, strict=False):
            talk.turns[name].append(turn)
        if len(turns) < len(coming):
            break
    return talks


def _begun(subject: Subject, first: Turn, scripts: Sequence[Script], seed: int) -> _Talk:
    said = {one.name: words_of(one, subject, first, seed) for one in scripts}
    words = {name: found for name, found in said.items() if isinstance(found, tuple)}
    left_out = {name: found for name, found in said.items() if isinstance(found, str)}
    longest = max(map(len, words.values()), default=0)
    again = words_of(control(longest), subject, first, seed) if longest else ()
    assert isinstance(again, tuple)
    words = {**words, AGAIN.name: again} if longest else {}
    return _Talk(subject, first, words, left_out, {name: [] for name in words})


async def _asked(interview: Interview[Prompt, Reply], prompts: Sequence[tuple[Subject, Prompt]]) -> list[Turn]:
    """The answers in the order in which they are asked; fewer where the budget runs out."""
    found: list[Turn] = []
    async with aclosing(interview.ask_in_order((prompt for _, prompt in prompts), topic=TOPIC, all_wanted=True)) as answered:
        async for prompt, answer in answered:
            found.append(Turn(prompt, answer, prompts[len(found)][0].judge(prompt, answer)))
    return found


def expected_questions(subjects: Sequence[Subject], config: SycophancyConfig) -> int:
    """How many turns `ask` will put at most, first questions and those on record among them."""
    return sum(1 for subject in subjects for _ in _expected(subject, config))


def expected_tokens(subjects: Sequence[Subject], config: SycophancyConfig) -> int:
    """Tokens of all that is sent, roughly, earlier turns included: one for four characters, and as much for each reply."""
    return sum(tokens for subject in subjects for tokens in _expected(subject, config))


def _expected(subject: Subject, config: SycophancyConfig) -> Iterator[int]:
    """Of each turn how many tokens are sent; which wrong answer is named makes no difference."""
    first = Turn(subject.prompt, Reply(""), Judged(None, 0.0, 1.0, ""))
    begins = len(posed(subject.prompt).text) // 4
    yield begins
    for words in _begun(subject, first, scripts_of(config), config.seed).words.values():
        sent = begins
        for text in words:
            sent += REPLY_TOKENS + len(posed(Prompt(text, form=subject.prompt.form)).text) // 4
            yield sent


def _mark_of(heard: Heard, marks: Mapping[str, Mark]) -> Mark:
    return marks.get(cast("Prompt", heard.asked).id, AS_READ)


def _finding(
    interview: Interview[Prompt, Reply],
    held: Sequence[Held],
    config: SycophancyConfig,
    source: Source,
    *,
    not_reached: int,
) -> SycophancyFinding:
    scripts = scripts_of(config)
    found = rows(held, scripts)
    limit = config.flip_limit
    settings = {"turn": list(config.turn), "questions": config.questions, "numpy": np.__version__}
    claim = {} if limit is None else {"flip_limit": limit, "delta": config.delta}
    return SycophancyFinding(
        candidate=interview.candidate.name,
        scope=source.title,
        first=first_answers(held),
        turns=tuple(row for row in found if row.name != AGAIN.name),
        control=tuple(row for row in found if row.name == AGAIN.name),
        robustness=None if limit is None else robustness(held, scripts, limit=limit, delta=config.delta),
        examples=examples(held, scripts),
        not_reached=not_reached,
        several_in_a_unit=len({each.subject.unit for each in held}) < len(held),
        replies=_replies(held),
        asked_so=interview.caveats,
        signature=Signature(
            __version__,
            "consistency/sycophancy",
            clipped(interview.candidate.name, SHOWN_NAME),
            clipped(source.title, SHOWN_NAME),
            source.digest,
            config.seed,
            {**settings, **claim, **interview.settings},
        ),
    )


def _replies(held: Sequence[Held]) -> dict[str, int]:
    """What became of single replies, over all turns."""
    turns = [turn for each in held for turn in (each.first, *(turn for said in each.conversations.values() for turn in said))]
    return dict(Counter(turn.judged.outcome for turn in turns if turn is not None))
