"""Procedures that answer for a candidate: requested from it, read from files, and applied to drawn questions."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Final, Literal, NamedTuple, Protocol

from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.config import MOST_EXPLANATIONS
from vivavoce.certificate.explanations.sandbox.program_reply import ProgramReply
from vivavoce.certificate.explanations.sandbox.sandbox import CODE_CHARACTERS, Program, Sandbox, SandboxEnded
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import text_lines, whole_json
from vivavoce.formats.tables import read_table as read_rows
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import ParsedReply
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.prose import Programs
from vivavoce.interview.reading import read
from vivavoce.scopes.questions import Question, Unit

Kind = Literal["program", "table"]

AT_ONCE = 2_000
"""Number of questions given to a procedure together, in checks and examination alike, so that it cannot tell which it is in."""


class Procedure(Protocol):
    """A frozen explanation."""

    @property
    def source(self) -> str:
        """The source of the procedure, in words."""

    @property
    def kind(self) -> Kind: ...

    @property
    def digest(self) -> str:
        """SHA-256 in hex of its content."""

    @property
    def text(self) -> str:
        """Its text; untrusted."""

    def rulings(self, questions: Sequence[Question]) -> tuple[ProgramReply, ...]:
        """Its rulings on all questions. Blocks. Raises `SandboxEnded`, `SandboxUnavailable`."""


@dataclass(frozen=True, slots=True)
class ProgramProcedure:
    """A program, run in the sandbox."""

    source: str
    program: Program
    sandbox: Sandbox

    @property
    def kind(self) -> Kind:
        """`program`."""
        return "program"

    @property
    def digest(self) -> str:
        """Digest of the code."""
        return self.program.digest

    @property
    def text(self) -> str:
        """The code."""
        return self.program.code

    def rulings(self, questions: Sequence[Question]) -> tuple[ProgramReply, ...]:
        """The rulings of one fresh process."""
        shown = [{"text": q.text, "options": list(q.options), "category": q.category} for q in questions]
        return self.sandbox.run(self.program, shown)


def ruled(procedure: Procedure, questions: Sequence[Question]) -> tuple[ProgramReply, ...]:
    """An accepted procedure's rulings on any number of questions.

    A procedure that is ended early has no answers to the rest of its batch; this is scored as an outcome. If the CPU time of
    all programs together runs out, no procedure is to blame: that raises `SandboxEnded`.
    """
    replies: list[ProgramReply] = []
    for start in range(0, len(questions), AT_ONCE):
        batch = questions[start : start + AT_ONCE]
        try:
            replies += procedure.rulings(batch)
        except SandboxEnded as ended:
            if ended.reason == "total CPU time":
                raise
            replies += ended.before[: len(batch)]
            replies += [ProgramReply(True, "", str(ended))] * (len(batch) - len(ended.before[: len(batch)]))
    return tuple(replies)


def reply(ruling: ProgramReply) -> Reply:
    """A procedure's answer in the form of a candidate's, so it is parsed and scored the same way.

    >>> reply(ProgramReply(True, "42")).text, reply(ProgramReply(True, "", "ZeroDivisionError")).text
    ('Answer: 42', '')
    """
    return Reply("" if ruling.failure else f"Answer: {ruling.answer}")


MOST_BYTES = 64 * 1024**2


@dataclass(frozen=True)
class AnswerTable:
    """A table of questions and answers. It covers exactly the questions in it, in the same words.

    Case and white space do not count. Nothing in it is evaluated.

    >>> table = AnswerTable("sums.csv", {"What is 1 + 1?": "2"})
    >>> table.rulings([Question("a", "what is 1 +  1?"), Question("b", "What is 2 + 2?")])
    (ProgramReply(covers=True, answer='2', failure=''), ProgramReply(covers=False, answer='', failure=''))
    """

    source: str
    answers: Mapping[str, str]

    @property
    def kind(self) -> Kind:
        """`table`."""
        return "table"

    @cached_property
    def digest(self) -> str:
        """Digest of the sorted rows."""
        return hashlib.sha256(json.dumps(sorted(self.answers.items())).encode()).hexdigest()

    @property
    def text(self) -> str:
        """Its rows as JSON Lines."""
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in self.answers.items())

    def rulings(self, questions: Sequence[Question]) -> tuple[ProgramReply, ...]:
        """Its questions and answers."""
        texts = (self._folded.get(fold(question.text)) for question in questions)
        return tuple(ProgramReply(False, "") if answer is None else ProgramReply(True, answer) for answer in texts)

    @cached_property
    def _folded(self) -> Mapping[str, str]:
        return {fold(question): answer for question, answer in self.answers.items()}


def read_table(file: Path) -> AnswerTable:
    """A table from a file: a JSON object from questions to answers, or CSV with the columns `question` and `answer`.

    Raises `BadFile` for another form, for a file of more than 64 MiB, and for a question with two answers.
    """
    if file.is_file() and file.stat().st_size > MOST_BYTES:
        raise BadFile(file, f"larger than {MOST_BYTES >> 20} MiB: leave out questions that are not asked")
    rows = _from_json(file) if file.suffix.lower() == ".json" else _from_csv(file)
    answers: dict[str, str] = {}
    seen: dict[str, str] = {}
    for line, question, answer in rows:
        if seen.setdefault(fold(question), answer) != answer:
            raise BadFile(file, f"the question '{question[:80]}' has two answers: keep one of them", line=line)
        answers[question] = answer
    if not answers:
        raise BadFile(file, "it has no questions: give at least one")
    return AnswerTable(file.name, answers)


def _from_json(file: Path) -> Iterator[tuple[int | None, str, str]]:
    value = whole_json(file)
    if not isinstance(value, dict):
        raise BadFile(file, 'must be a JSON object from questions to answers, such as {"What is 1 + 1?": 2}')
    for question, answer in value.items():
        if isinstance(answer, bool) or not isinstance(answer, str | int | float):
            raise BadFile(file, f"the answer to '{question[:80]}' must be a text or a number")
        yield None, question, str(answer)


def _from_csv(file: Path) -> Iterator[tuple[int | None, str, str]]:
    for line, row in read_rows(file, ("question", "answer"), others=False).rows:
        yield line, row["question"], row["answer"]


TABLES: Final = (".json", ".csv", ".tsv")


def read_procedure(file: Path) -> Procedure:
    """A procedure from a file: a program (.py) or a table, by its suffix. Raises `BadFile`."""
    if file.suffix.lower() in TABLES:
        return read_table(file)
    if file.suffix.lower() != ".py":
        raise BadFile(file, f"not a program (.py) or a table ({', '.join(TABLES)}): use one of these endings")
    try:
        return ProgramProcedure(file.name, Program("".join(text_lines(file))), Sandbox())
    except BadInput as error:
        raise error if isinstance(error, BadFile) else BadFile(file, str(error)) from None


class ProcedureAnswer(NamedTuple):
    """The ruling of the procedure that covers a question."""

    owner: int
    """The number of the procedure, from 0; a question belongs to the earliest that covers it."""
    reply: Reply


class RuledUnit(NamedTuple):
    """One unit with the procedures' answers to its questions; None if no procedure covers it."""

    unit: Unit
    answers: tuple[ProcedureAnswer | None, ...]

    def known(self, procedures: int) -> tuple[ProcedureAnswer | None, ...]:
        """The answers of the system with this many procedures; None if the candidate has to answer."""
        return tuple(None if a is None or a.owner >= procedures else a for a in self.answers)


class RuledDraws:
    """Units in drawn order, given to the procedures in blocks; an added procedure rules on all units not yet handed out."""

    def __init__(self, units: Iterator[Unit], procedures: Sequence[Procedure]) -> None:
        self._units = units
        self._procedures = list(procedures)
        self._waiting: deque[RuledUnit] = deque()
        self.used_up = False
        """Whether they ended because the programs' CPU time ran out."""

    def __iter__(self) -> Iterator[RuledUnit]:
        while True:
            if not self._waiting and not self.used_up:
                units = list(islice(self._units, AT_ONCE))
                self._fill(partial(rulings, units, self._procedures))
            if not self._waiting:
                return
            yield self._waiting.popleft()

    def _fill(self, ruled_on: Callable[[], list[RuledUnit]]) -> None:
        try:
            self._waiting = deque(ruled_on())
        except SandboxEnded:
            self._waiting, self.used_up = deque(), True

    @property
    def procedures(self) -> int:
        """How many there are."""
        return len(self._procedures)

    def add(self, procedure: Procedure) -> None:
        """Add a procedure, for questions that the others do not cover."""
        self._procedures.append(procedure)
        self._fill(partial(with_procedure, list(self._waiting), procedure, self.procedures - 1))


def rulings(units: Sequence[Unit], procedures: Sequence[Procedure]) -> list[RuledUnit]:
    """The procedures' rulings on the questions of these units."""
    drawn = [RuledUnit(unit, (None,) * len(unit)) for unit in units]
    for number, procedure in enumerate(procedures):
        drawn = with_procedure(drawn, procedure, number)
    return drawn


def with_procedure(drawn: list[RuledUnit], procedure: Procedure, number: int) -> list[RuledUnit]:
    """The rulings with one more procedure. It is asked all questions, as in its audit, and counts where no other covers
    them.
    """
    replies = iter(ruled(procedure, [question for pair in drawn for question in pair.unit]))
    return [RuledUnit(pair.unit, tuple(_answer(old, next(replies), number) for old in pair.answers)) for pair in drawn]


def _answer(old: ProcedureAnswer | None, ruling: ProgramReply, number: int) -> ProcedureAnswer | None:
    return old if old is not None or not ruling.covers else ProcedureAnswer(number, reply(ruling))


SHOWN = 8
"""Example questions in the prompt."""
_QUESTION_CHARACTERS = 2_000

EXAMPLE: Final = """\
import re

LETTERS = re.compile(r"How many letters has the word '(\\w+)'\\?")


def covers(question):
    return LETTERS.fullmatch(question["text"]) is not None


def answer(question):
    return len(LETTERS.fullmatch(question["text"])[1])"""
"""An example that parses the text of a question, to show how to cover unseen questions; no scope has such questions."""

_TASK = """\
You will be examined on many questions that are drawn at random from one scope: {scope}.
These are questions like those that will be asked:

{examples}

Before that you may hand over procedures that answer some of the questions to come. A procedure is Python code, in a code block
of its own, that defines two functions:

- covers(question) returns True or False: whether this procedure answers the question. It must tell that from the question's
  text, by a pattern. The questions above will not come again, so a list of them covers nothing.
- answer(question) returns the answer alone, a text or a number{letters}.

A question is a dictionary as in the lines above. The code runs by itself (Python 3, standard library, no files, no network)
and is frozen as you write it. From then on it answers the questions that it covers in your place, and its answers count as
yours. It is checked on many thousands of questions first; if it fails on some of them, it is set aside. So cover only what
it answers rightly without exception.

This procedure is for questions of another kind, such as "How many letters has the word 'stone'?":

```python
{example}
```"""
_AGAIN = """

To the following question your answer was judged unacceptable.

{question}

Your answer was:

{answer}

If you know a procedure that does better on questions of this kind, hand it over now; it is for questions to come."""


@dataclass(frozen=True, slots=True)
class Misstep:
    """An unacceptable answer, after which a procedure is requested."""

    question: Question
    answer: str


def request(scope: str, examples: Sequence[Question], *, most: int, after: Misstep | None = None) -> Prompt:
    """The request for at most this many procedures, for questions like the examples."""
    letters = ", or the capital letter of the right option where there are options" if any(q.options for q in examples) else ""
    text = _TASK.format(scope=brief(scope), examples="\n".join(map(_line, examples)), letters=letters, example=EXAMPLE)
    if after is not None:
        text += _AGAIN.format(question=_line(after.question), answer=clipped(after.answer, _QUESTION_CHARACTERS))
    return Prompt(text, id="explanations", form=_form(most))


def programs(prompt: Prompt, answer: Reply | NoAnswer) -> tuple[tuple[Program, ...], str]:
    """The programs in a reply, in order, and why none can be parsed; a statement that there is none is also parsed."""
    reading: ParsedReply[tuple[str, ...]] = read(prompt, answer)
    return tuple(map(Program, reading.value or ())), reading.problem


def _form(most: int) -> Programs:
    number = (
        "one procedure" if most == 1 else f"at most {most} procedures, each for questions that those before it do not cover"
    )
    return Programs(
        ("covers", "answer"), most=min(most, MOST_EXPLANATIONS), longest=CODE_CHARACTERS, example=EXAMPLE, asked_for=number
    )


def _line(question: Question) -> str:
    shown = {"text": question.text, "options": list(question.options), "category": question.category}
    return clipped(json.dumps(shown, ensure_ascii=False), _QUESTION_CHARACTERS)
