"""A candidate before and after a dialogue with a teacher, compared question by question.

The teacher is shown some questions of the scope, which are not part of the comparison, so it can't simply tell the answers.
Each turn is a record of the speaker, with the turns before it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import numpy as np

from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.report import shown
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.wording import clipped, exactly, name_of, numbered
from vivavoce.interview.candidate import Candidate, EnforcesTimeout, Exchange, NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Block, Caveats, Pairs, Report, ReportSection, paragraphs
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.questions import Question, Unit
from vivavoce.studies.config import TeachingConfig

SHOWN: Final = 2_000
"""Characters of a turn on a page."""
TOPIC: Final = "teaching"
KIND: Final = "teaching"
TEACHER: Final = (
    "You are a teacher in a dialogue with a student. Lead the student to understand the subject by short questions, one at a "
    "time, about what the student said last: so that the student sees what is wrong with it, and which rule holds. Write what "
    "you say to the student, and nothing else."
)
"""After section 6 of `leytonbrown2024`: "how an agent can come to understand things, such as through a series of Socratic
questions posed to it"."""
BEGIN: Final = "Say the first thing to the student."
SAME: Final = (
    "ways", "concurrency", "time_out", "asked_again", "declared_deterministic", "never_sent", "prices", "at_terminal",
    "source_digest", "errors_are_own",
)  # fmt: skip
"""Attributes of a candidate that an interview reads; a dialogue does not change them."""
ONE_DIALOGUE: Final = "Another dialogue with the same teacher may change more, or less."
LENGTH: Final = "Any long conversation before a question may change answers: compare with a dialogue about something else."
TOLD: Final = "The teacher saw no question that was asked later, but may have given the answers to similar ones."
ENDLESS: Final = "The teacher may have given the answers to similar questions, or by chance seen one that was asked later."


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A dialogue of a teacher and a candidate."""

    teacher: str
    """Its name."""
    exchanges: tuple[Exchange, ...]
    """The teacher's turns, each with the candidate's reply."""
    shown: tuple[str, ...]
    """The ids of the questions that the teacher was shown."""
    broken_off: str = ""
    """Why it ended before its last turn; empty if it did not."""

    @property
    def digest(self) -> str:
        """SHA-256 of all turns, in hex."""
        turns = [[exchange.asked, exchange.replied] for exchange in self.exchanges]
        return hashlib.sha256(json.dumps(turns).encode()).hexdigest()


def split_scope(
    scope: EndlessScope | ListedScope, config: TeachingConfig
) -> tuple[tuple[Question, ...], EndlessScope | ListedScope]:
    """Questions for the teacher, and the scope without them. Raises `BadInput` if none is left.

    >>> from vivavoce.scopes import open_scope
    >>> rows = [{"question": f"{n} + 1?", "answer": n + 1} for n in range(5)]
    >>> shown, rest = split_scope(open_scope(rows), TeachingConfig())
    >>> len(shown), rest.size
    (3, 2)
    """
    rng = np.random.default_rng([config.dialogue_seed, 1])
    if isinstance(scope, EndlessScope):
        return _first(list(islice(scope.draw(rng), config.examples))), scope
    order = [scope.units[i] for i in rng.permutation(len(scope.units))]
    left = {question.id for unit in order[config.examples :] for question in unit}
    if not left:
        raise BadInput(
            f"{scope.name} has {len(order)} units of questions, and the teacher would see {config.examples}: show "
            f"fewer, or give a larger scope"
        )
    rest = replace(scope, questions=tuple(question for question in scope.questions if question.id in left))
    return _first(order[: config.examples]), rest


def first_prompt(prompts: Sequence[Prompt]) -> str:
    """The teacher's instructions."""
    listed = "\n\n".join(f"Question {index}:\n{prompt.text}" for index, prompt in enumerate(prompts, start=1))
    return f"The student is going to be asked questions such as these:\n\n{listed}\n\n{BEGIN}"


async def hold_dialogue(
    teacher: Interview[Prompt, Reply],
    student: Interview[Prompt, Reply],
    shown: Sequence[str],
    prompts: Sequence[Prompt],
    config: TeachingConfig,
) -> Dialogue:
    """Let both speak in turn; the dialogue ends if one of them says nothing.

    shown: the ids of the questions that the teacher is shown.
    prompts: the same questions, as the candidate would get them.

    Raises `NotEnoughEvidence` without a single exchange.
    """
    to_teacher = Prompt(first_prompt(prompts), system=TEACHER, id=f"{TOPIC}/teacher/1")
    to_student: Prompt | None = None
    reply: Reply | None = None
    exchanges: list[Exchange] = []
    problem = ""
    for turn in range(1, config.dialogue_turns + 1):
        speech = await teacher.ask(to_teacher, topic=f"{TOPIC}/teacher")
        if isinstance(speech, NoAnswer) or not speech.text.strip():
            problem = f"the teacher said nothing in turn {turn}{_reason(speech)}"
            break
        id_ = f"{TOPIC}/student/{turn}"
        if to_student is None or reply is None:
            to_student = Prompt(speech.text, id=id_)
        else:
            to_student = student.next_turn(to_student, reply, speech.text, id=id_)
        answer = await student.ask(to_student, topic=f"{TOPIC}/student")
        if isinstance(answer, NoAnswer):
            problem = f"the candidate said nothing in turn {turn}{_reason(answer)}"
            break
        reply = answer
        exchanges.append(Exchange(speech.text, reply.text))
        to_teacher = teacher.next_turn(to_teacher, speech, reply.text, id=f"{TOPIC}/teacher/{turn + 1}")
    if not exchanges:
        raise NotEnoughEvidence(f"there was no dialogue: {problem}")
    return Dialogue(teacher.candidate.name, tuple(exchanges), tuple(shown), problem)


class CandidateAfterDialogue:
    """Asks a candidate each question as if the dialogue had just taken place.

    Its name holds the digest of the dialogue, so that answers after two dialogues are never mixed.
    """

    def __init__(self, candidate: Candidate[Prompt, Reply], dialogue: Dialogue) -> None:
        self.name = name_after(candidate.name, dialogue)
        self._candidate: Any = candidate
        self._dialogue = dialogue
        self.converses = True
        for name in SAME:
            if hasattr(candidate, name):
                setattr(self, name, getattr(candidate, name))
        if isinstance(candidate, EnforcesTimeout):
            self.answer_within = self._answer_within

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The candidate's answer after the dialogue."""
        reply: Reply = await self._candidate.answer(self._after_dialogue(question))
        return reply

    async def _answer_within(self, question: Prompt, seconds: float | None, /) -> Reply:
        """The same within that time, if the candidate can keep it."""
        reply: Reply = await self._candidate.answer_within(self._after_dialogue(question), seconds)
        return reply

    def _after_dialogue(self, question: Prompt) -> Prompt:
        return replace(question, earlier=(*self._dialogue.exchanges, *question.earlier))

    async def close(self) -> None:
        """Close the candidate."""
        close = getattr(self._candidate, "close", None)
        if close is not None:
            await close()


def name_after(candidate: str, dialogue: Dialogue) -> str:
    """The name of a candidate after a dialogue."""
    return f"{candidate} taught by {dialogue.teacher} ({dialogue.digest[:12]})"


@dataclass(frozen=True, slots=True, repr=False)
class TeachingFinding(ReportedFinding):
    """The effect of a dialogue: a candidate after it compared with itself before it."""

    comparison: Comparison
    """The comparison: first the candidate after the dialogue, second the candidate before it."""
    candidate: str
    dialogue: Dialogue

    @property
    def signature(self) -> Signature:
        """The comparison's."""
        return self.comparison.signature

    @property
    def name(self) -> str:
        """The candidate's display name."""
        return name_of(self.candidate)

    @property
    def headline(self) -> str:
        """The effect of the dialogue, in a sentence."""
        pair, margin, on = self.comparison.pairs[0], self.comparison.config.margin, f"on {self.comparison.on}"
        turns = numbered(len(self.dialogue.exchanges), "turn")
        after = f"After a dialogue of {turns} with {name_of(self.dialogue.teacher)}"
        if pair.difference.value is None:
            return f"{after}, nothing was asked {on}."
        verdict = {
            "better": f"{self.name} is better {on}",
            "worse": f"{self.name} is worse {on}",
            "equivalent": f"{self.name} is equivalent {on}, within {exactly(margin, '')}",
            "not worse": f"{self.name} is not worse {on} by {exactly(margin, '')} or more",
            "undecided": f"it is undecided whether {self.name} changed {on}",
        }[pair.verdict]
        return f"{after}, {verdict}. The difference of its mean scores is {shown(pair, margin)}."

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.comparison.basis}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the numbers."""
        broken = f"The dialogue ended early: {self.dialogue.broken_off}." if self.dialogue.broken_off else ""
        text = ENDLESS if self.comparison.scope_size is None else TOLD
        return (*filter(None, (broken, ONE_DIALOGUE, LENGTH, text)), *self.comparison.caveats)

    def report(self) -> Report:
        """The report of the comparison, with the dialogue after its numbers."""
        titles = (f"{self.name}, after", f"{self.name}, before")
        candidates = zip(self.comparison.candidates, titles, strict=True)
        named = replace(self.comparison, candidates=tuple(replace(candidate, title=title) for candidate, title in candidates))
        report = named.report()
        blocks = [Caveats(self.caveats) if isinstance(block, Caveats) else block for block in report.blocks]
        index = next((number for number, block in enumerate(blocks) if isinstance(block, Caveats)), len(blocks))
        return replace(
            report,
            kind="Before and after a dialogue",
            title=f"{self.name}, before and after a dialogue",
            headline=clipped(self.headline, 600),
            blocks=(*blocks[:index], self._section, *blocks[index:]),
            statement=self.statement,
        )

    @property
    def kind(self) -> str:
        """Kind of the JSON document."""
        return KIND

    @property
    def verdict_word(self) -> str | None:
        """The verdict of the comparison."""
        return self.comparison.verdict

    def figures(self) -> dict[str, Any]:
        """The dialogue, and the document of the comparison."""
        return {
            "teacher": self.dialogue.teacher,
            "dialogue": [{"teacher": turn.asked, "candidate": turn.replied} for turn in self.dialogue.exchanges],
            "broken_off": self.dialogue.broken_off or None,
            "shown_to_teacher": list(self.dialogue.shown),
            "comparison": self.comparison,
        }

    @property
    def _section(self) -> Block:
        turns = [
            pair
            for number, turn in enumerate(self.dialogue.exchanges, start=1)
            for pair in ((f"Teacher, {number}", clipped(turn.asked, SHOWN)), ("Candidate", clipped(turn.replied, SHOWN)))
        ]
        shown = f"The teacher was shown the questions {', '.join(clipped(name, 40) for name in self.dialogue.shown)}."
        return ReportSection("The dialogue", (*paragraphs(shown), Pairs(tuple(turns))))


def _reason(answer: Reply | NoAnswer) -> str:
    return f" ({clipped(answer.reason, 100)})" if isinstance(answer, NoAnswer) else ""


def _first(units: Sequence[Unit]) -> tuple[Question, ...]:
    return tuple(unit[0] for unit in units)
