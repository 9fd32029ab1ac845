"""A dialogue of a teacher with a candidate, each turn a record of whoever speaks, with the real turns before it.

The teacher is shown some questions of the scope, which are no part of the comparison: what it says can help with others only
by what the candidate makes of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import numpy as np

from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.scopes.endless import EndlessScope
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.examination.teaching.config import TeachingConfig
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Exchange, NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview

TOPIC: Final = "teaching"
TEACHER: Final = (
    "You are a teacher in a dialogue with a student. Lead the student to understand the subject by short questions, one at a "
    "time, about what the student said last: so that the student sees what is wrong with it, and which rule holds. Write what "
    "you say to the student, and nothing else."
)
"""After section 6 of `leytonbrown2024`: "how an agent can come to understand things, such as through a series of Socratic
questions posed to it"."""
BEGIN: Final = "Say the first thing to the student."


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What was said."""

    teacher: str
    """Its name."""
    exchanges: tuple[Exchange, ...]
    """What the teacher said, and what the candidate replied."""
    shown: tuple[str, ...]
    """The ids of the questions that the teacher was shown."""
    broken_off: str = ""
    """Why it ended before its last turn; empty where it did not."""

    @property
    def digest(self) -> str:
        """SHA-256 in hex of what was said."""
        said = [[one.asked, one.replied] for one in self.exchanges]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def parted(
    scope: EndlessScope | ListedScope, config: TeachingConfig
) -> tuple[tuple[Question, ...], EndlessScope | ListedScope]:
    """Questions for the teacher, and the scope without them. Raises `BadInput` where too few are left.

    >>> from vivavoce.certificate.scopes import open_scope
    >>> rows = [{"question": f"{n} + 1?", "answer": n + 1} for n in range(5)]
    >>> shown, rest = parted(open_scope(rows), TeachingConfig())
    >>> len(shown), rest.size
    (3, 2)
    """
    rng = np.random.default_rng([config.dialogue_seed, 1])
    if isinstance(scope, EndlessScope):
        return _first(list(islice(scope.draw(rng), config.examples)), config), scope
    units = scope.units
    order = [units[i] for i in rng.permutation(len(units))]
    shown = order[: config.examples]
    left = {question.id for unit in order[config.examples :] for question in unit}
    if not left:
        raise BadInput(f"{scope.name} has {len(units)} units of questions, and the teacher is to be shown {config.examples}")
    return _first(shown, config), replace(scope, questions=tuple(one for one in scope.questions if one.id in left))


def first_words(prompts: Sequence[Prompt]) -> str:
    """What the teacher is told before it speaks."""
    listed = "\n\n".join(f"Question {place}:\n{prompt.text}" for place, prompt in enumerate(prompts, start=1))
    return f"The student is going to be asked questions such as these:\n\n{listed}\n\n{BEGIN}"


async def hold(
    teacher: Interview[Prompt, Reply],
    student: Interview[Prompt, Reply],
    shown: Sequence[str],
    prompts: Sequence[Prompt],
    config: TeachingConfig,
) -> Dialogue:
    """The dialogue; where one of the two says nothing it ends, and where nothing was said at all, `NotEnoughEvidence`.

    shown: the ids of the questions that the teacher is shown.
    prompts: these as the candidate is asked them.
    """
    to_teacher = Prompt(first_words(prompts), system=TEACHER, id=f"{TOPIC}/teacher/1")
    to_student: Prompt | None = None
    exchanges: list[Exchange] = []
    problem = ""
    said: Reply | None = None
    for turn in range(1, config.dialogue_turns + 1):
        told = await teacher.ask(to_teacher, topic=f"{TOPIC}/teacher")
        if isinstance(told, NoAnswer) or not told.text.strip():
            problem = f"the teacher said nothing in turn {turn}{_why(told)}"
            break
        id_ = f"{TOPIC}/student/{turn}"
        to_student = (
            Prompt(told.text, id=id_)
            if to_student is None or said is None
            else student.next_turn(to_student, said, told.text, id=id_)
        )
        replied = await student.ask(to_student, topic=f"{TOPIC}/student")
        if isinstance(replied, NoAnswer):
            problem = f"the candidate said nothing in turn {turn}{_why(replied)}"
            break
        said = replied
        exchanges.append(Exchange(told.text, said.text))
        to_teacher = teacher.next_turn(to_teacher, told, said.text, id=f"{TOPIC}/teacher/{turn + 1}")
    if not exchanges:
        raise NotEnoughEvidence(f"there was no dialogue: {problem}")
    return Dialogue(teacher.candidate.name, tuple(exchanges), tuple(shown), problem)


def _why(answer: Reply | NoAnswer) -> str:
    return f" ({clipped(answer.reason, 100)})" if isinstance(answer, NoAnswer) else ""


def _first(units: Sequence[Unit], config: TeachingConfig) -> tuple[Question, ...]:
    return tuple(unit[0] for unit in units)[: config.examples]
