"""A row a question: what was asked and replied, how that was read, what it was worth, and what it took.

An interview hears every answer that it hands out, in drawn order; a room marks it with what only the room knows. Both happen
again when a run is resumed, so that rows are the same whether answers were asked for or came from the record.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.classifier import Case
from vivavoce.interview.engine import Position
from vivavoce.interview.forms.ending import DONT_KNOW
from vivavoce.interview.forms.form import Form, Outcome, Reading
from vivavoce.interview.forms.several_options import letters
from vivavoce.interview.notation import Settled, question_text
from vivavoce.interview.reading import read
from vivavoce.interview.replies import CUT_OFF, heard

COLUMNS: Final = ("id", "question", "reply", "read as", "expected", "score", "outcome", "seconds", "tokens")
"""Of every file of results, in this order."""
AFTER_TURN: Final = "\n[after a further turn]\n"
"""Stands between a reply and the reply to a further turn."""
Front = Literal["room", "scope", "candidate", "draw", "right"]
"""A further column before these, where there are several: of each answer to a question its number, and how many are right."""


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One question and what became of it.

    >>> ResultRow("q1", "2 + 2?", "Answer: 4", "4", "4", 1.0, "answer", 0.5, 12).cells
    ('q1', '2 + 2?', 'Answer: 4', '4', '4', 1.0, 'answer', 0.5, 12)
    """

    id: str
    """Its name in its scope, else its topic or number."""
    question: str
    """As it was put, with the words on how to end the reply; of a chess engine the FEN."""
    reply: str
    """Word for word; empty where none came."""
    read_as: str
    """What the reply was taken to say; empty where it could not be read."""
    expected: str = ""
    """What is accepted, by `or`; empty where the room knows nothing."""
    score: float | None = None
    """None where nothing scores it, or its reply can't be graded."""
    outcome: str = Outcome.ANSWER.value
    """A word of `Outcome`; where no answer came, `no answer: ` or `asked, met a fault: `, and why."""
    seconds: float = 0.0
    """From the first attempt to the outcome, a further turn included."""
    tokens: int = 0
    """In both directions, a further turn included."""
    front: tuple[str, ...] = ()
    """Of the columns before the others, where the file has any."""

    @property
    def cells(self) -> tuple[str | float | int | None, ...]:
        """The values in the order of the columns."""
        own = (self.id, self.question, self.reply, self.read_as, self.expected, self.score, self.outcome)
        return (*self.front, *own, self.seconds, self.tokens)


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer as an interview handed it out."""

    candidate: str
    settled: Settled[Any]
    """What came of it; `put` is the question."""
    topic: str = ""
    draw: int = 0
    number: int | None = None
    """Which of the answers of one `ask_in_order` it is, from 0; None for one that was asked by itself."""
    asked: object = None
    """The question as the room asked it, before its form was put into words."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a room knows of an answer; what it leaves open is as the form reads it."""

    id: str = ""
    expected: str = ""
    score: float | None = None
    read_as: str | None = None
    outcome: Outcome | None = None
    scope: str = ""
    order: tuple[int | str, ...] = ()
    """Where the row stands, for a room that asks many at once: smaller first, equal ones as they were heard."""
    draw: str = ""
    """Which of the answers to a question it is, where there are several: `2 of 5`."""
    right: str = ""
    """How many of these were right."""


Marker = Callable[[Sequence[Heard]], Sequence[Mark | None]]
"""A room's marks of all that it heard, in the same order; None for an answer that counts for nothing, which gets no row.

Called when all is over, however it ended.
"""
AS_READ: Final = Mark()


@dataclass(slots=True)
class _Stretch:
    """What was heard under one marker."""

    room: str
    marker: Marker
    heard: list[Heard]


class Results:
    """The rows of one run.

    Parameters
    ----------
    front: which columns stand before the others.
    wanted: without that nothing is kept.

    >>> from vivavoce.interview.candidate import Usage
    >>> results = Results()
    >>> results.hear(Heard("bot:x", Settled(Reply("4"), Usage(3, 9), seconds=0.5, put=Prompt("2 + 2?", id="q1"))))
    >>> results.rows
    [ResultRow(id='q1', question='2 + 2?', reply='4', ..., score=None, outcome='answer', seconds=0.5, tokens=12, front=())]
    """

    def __init__(self, front: tuple[Front, ...] = (), *, wanted: bool = True) -> None:
        self.front = front
        self.wanted = wanted
        self._room = ""
        self._stretches: list[_Stretch] = []

    def enter(self, room: str) -> None:
        """What is heard from here on is of that room, and is not marked yet."""
        self._room = room
        self.mark_by(lambda heard: [AS_READ] * len(heard))

    def mark_by(self, marker: Marker) -> None:
        """What is heard from here on is marked by it."""
        if not self.wanted:
            return
        self._stretches.append(_Stretch(self._room, marker, []))

    def hear(self, heard: Heard) -> None:
        """One more answer, in drawn order unless marks say otherwise."""
        if not self.wanted:
            return
        if not self._stretches:
            self.enter(self._room)
        self._stretches[-1].heard.append(heard)

    @property
    def rows(self) -> list[ResultRow]:
        """All that was heard and counts for something."""
        found = []
        for stretch in self._stretches:
            marks = stretch.marker(stretch.heard)
            marked = [(mark, one) for mark, one in zip(marks, stretch.heard, strict=True) if mark is not None]
            marked.sort(key=lambda pair: pair[0].order)
            found += [self._row(stretch.room, mark, one) for mark, one in marked]
        return found

    def _row(self, room: str, mark: Mark, heard: Heard) -> ResultRow:
        front = {
            "room": room, "scope": mark.scope, "candidate": heard.candidate, "draw": mark.draw, "right": mark.right,
        }  # fmt: skip
        return replace(row_of(heard, mark), front=tuple(front[name] for name in self.front))


def row_of(heard: Heard, mark: Mark = AS_READ) -> ResultRow:
    """The row of an answer with these marks."""
    question, answer, settled = heard.settled.put, heard.settled.answer, heard.settled
    read_as, outcome = _as_read(question, answer)
    named = isinstance(answer, NoAnswer) and outcome.startswith(Outcome.FAULT.value)  # with the service's own words
    if mark.outcome is not None and mark.outcome is not Outcome.NO_ANSWER and not named:
        outcome = mark.outcome.value
    own = question.id if isinstance(question, Prompt) else ""
    return ResultRow(
        id=mark.id or own or heard.topic,
        question=in_words(question),
        reply=reply_of(answer),
        read_as=read_as if mark.read_as is None else mark.read_as,
        expected=mark.expected,
        score=mark.score,
        outcome=outcome,
        seconds=settled.seconds,
        tokens=settled.usage.tokens,
    )


def in_words(value: object) -> str:
    """A question as one would read it: a prompt's text, a position's FEN, a case's facts, else JSON."""
    match value:
        case Prompt():
            return value.text
        case Position():
            return value.fen
        case Case():
            return "\n".join(value.facts)
        case str():
            return value
    return question_text(value)


def reply_of(answer: object) -> str:
    """What was said, with the reply to a further turn behind the first, or as JSON; empty for a `NoAnswer`."""
    match answer:
        case Reply():
            further = answer.further
            return answer.text if further is None else f"{answer.text}{AFTER_TURN}{further.text}"
        case NoAnswer():
            return ""
    return in_words(answer)


def absence(reason: str, *, by_service: bool = False) -> str:
    """The outcome of a question that got no answer, by the reason of the `NoAnswer`, and whether the service failed.

    >>> from vivavoce.interview.candidate import ORPHAN
    >>> absence("time-out after 120 s"), absence(ORPHAN), absence("status 403", by_service=True)
    ('no answer: time-out after 120 s', 'asked, never answered', 'asked, met a fault: status 403')
    """
    if NoAnswer(reason).orphan:
        return Outcome.ORPHAN.value
    return f"{(Outcome.FAULT if by_service else Outcome.NO_ANSWER).value}: {reason}"


def _as_read(question: object, answer: object) -> tuple[str, str]:
    """What the answer was taken to say, and the outcome."""
    if isinstance(answer, NoAnswer):
        return "", absence(answer.reason, by_service=answer.by_service)
    if not isinstance(answer, Reply):
        return "", Outcome.ANSWER.value
    if isinstance(question, Prompt) and question.form is not None:
        reading = read(question, answer)
        return _said(question.form, reading), reading.outcome.value
    return "", _unformed(answer).value


def _unformed(answer: Reply) -> Outcome:
    """The outcome of a reply that is taken as it is."""
    _, problem = heard(answer)
    return Outcome.ANSWER if not problem else Outcome.CUT_OFF if problem == CUT_OFF else Outcome.UNREADABLE


def _said(form: Form[Any], reading: Reading[Any]) -> str:
    """What was read, in words."""
    if reading.outcome is Outcome.DONT_KNOW:
        return DONT_KNOW
    match reading.value:
        case None:
            return ""
        case str():
            return reading.value
        case int() | float():
            return f"{reading.value:.12g}"
        case frozenset():
            return letters(reading.value)
    return form.write(reading.value)
