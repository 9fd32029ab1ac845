"""Answers of an earlier examination, and of other candidates: from transcripts, files of results, and tables.

They are found by the ids of the questions. An answer to other words of a question counts as missing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from vivavoce.candidates.names import KINDS, open_candidate
from vivavoce.candidates.options import read_options
from vivavoce.candidates.replay import (
    ID_COLUMNS,
    RecordedReplies,
    RepeatedReplies,
    ReplayedAnswer,
    ReplayOptions,
    columns_of,
    open_replays,
    recorded_rows,
)
from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadFile, BadInput, TranscriptDamaged, UnknownName
from vivavoce.formats.lines import expanded, file_digest
from vivavoce.formats.tables import unguarded
from vivavoce.interview.candidate import INTERRUPTED, Candidate, NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, ReplyFormat
from vivavoce.interview.question_runner import FURTHER_TURN
from vivavoce.interview.record import Record, canonical_json, digest_of
from vivavoce.interview.requests import Notation
from vivavoce.interview.results import AFTER_TURN, COLUMNS
from vivavoce.interview.transcript import Transcript

RESULT_FILES: Final = (".csv", ".jsonl")
TRANSCRIPTS: Final = (".sqlite", ".sqlite3", ".db")
ADDRESSES: Final = ("postgresql://", "postgresql+psycopg://", "postgres://")
NEEDED: Final = ("id", "question", "reply", "outcome")
"""Columns of a file of results that are read."""


class EarlierAnswers(RecordedReplies):
    """Repeats recorded answers, including follow-ups; missing answers stay missing."""

    ways: tuple[ReplyFormat, ...] = ("text", "turn")


def is_recorded(name: str) -> bool:
    """Whether a baseline's name means recorded answers.

    >>> is_recorded("old/run.sqlite#chat:a"), is_recorded("rows.csv"), is_recorded("inspect:openai/gpt-4o")
    (True, True, False)
    """
    where = name.strip().partition("#")[0]
    named = where.partition(":")[0] in {kind.prefix for kind in KINDS} and not expanded(where).exists()
    return not named and (where.startswith(ADDRESSES) or Path(where).suffix.lower() in (*RESULT_FILES, *TRANSCRIPTS))


def open_baseline(name: str, prompts: Sequence[Prompt], *, several: bool = False) -> Candidate[Prompt, Reply]:
    """A candidate by its name, or earlier answers: FILE or FILE#CANDIDATE, from a file of results or a transcript.

    Parameters
    ----------
    prompts: all questions of the scope in its words; none if it is endless.
    several: whether all answers to a question count, each for its own draw; else only the first.

    Raises what `open_candidate` and transcripts raise; `BadInput` if none of the questions was asked, or if there are several
    candidates and none is named; and `UnknownName` for an unknown candidate.
    """
    where, _, who = name.strip().partition("#")
    if where.partition(":")[0] in {kind.prefix for kind in KINDS} and not expanded(where).exists():
        return open_candidate(name)
    ending = Path(where).suffix.lower()
    if not where.startswith(ADDRESSES) and ending not in (*RESULT_FILES, *TRANSCRIPTS):
        if expanded(where).is_file():
            endings = ", ".join((*RESULT_FILES, *TRANSCRIPTS))
            raise BadInput(
                f"'{where}' is not a file of results or a transcript, which end in {endings}. For your own recording write "
                "replay:FILE#COLUMN"
            )
        return open_candidate(name)
    if not prompts:
        raise BadInput(f"'{where}' answers a list of questions, but this scope generates them: give a list")
    if ending in RESULT_FILES:
        return _from_results(expanded(where), who, prompts, several)
    return _from_transcript(where, who, prompts, several)


def _from_results(file: Path, who: str, prompts: Sequence[Prompt], several: bool) -> EarlierAnswers | RepeatedReplies:
    collection = answers_in_results(file, prompts)
    whose, answers = collection.of(who, file.name)
    name = f"results:{file.name}{f'#{whose}' if whose else ''}?sha256={file_digest(file)[:12]}"
    return RepeatedReplies(name, collection.every(whose), EarlierAnswers.ways) if several else EarlierAnswers(name, answers)


def answers_in_results(file: Path, prompts: Sequence[Prompt]) -> AnswerCollection:
    """The answers to these questions in a file of results. Raises `BadFile` for another file."""
    by_id, collection = {prompt.id: prompt for prompt in prompts}, AnswerCollection()
    clean = unguarded if file.suffix.lower() == ".csv" else str
    for row in recorded_rows(file):
        missing = [column for column in NEEDED if column not in row.values]
        if missing:
            raise BadFile(
                file, f"is not a file of results, whose columns are {', '.join(COLUMNS)}: use replay:{file.name}#COLUMN"
            )
        values = {name: clean(as_unicode(str(row.values[name] or ""))) for name in (*NEEDED, "candidate") if name in row.values}
        prompt = by_id.get(values["id"])
        if prompt is not None and _same_words(values["question"], prompt):
            collection.add(values.get("candidate", ""), prompt.id, _of_row(values["reply"], values["outcome"]))
    return collection


def _of_row(reply: str, outcome: str) -> ReplayedAnswer:
    if outcome == Outcome.ORPHAN.value or outcome.startswith(Outcome.FAULT.value):
        return ReplayedAnswer(NoAnswer(INTERRUPTED))  # no one can know what it is worth
    if outcome.startswith(Outcome.NO_ANSWER.value):
        return ReplayedAnswer(NoAnswer(outcome.partition(": ")[2] or outcome))
    first, turned, further = reply.partition(AFTER_TURN)
    finish = "length" if outcome == Outcome.CUT_OFF.value else ""
    return ReplayedAnswer(Reply(first, finish=finish), Reply(further) if turned else None)


def _from_transcript(where: str, who: str, prompts: Sequence[Prompt], several: bool) -> EarlierAnswers | RepeatedReplies:
    collection, shown = answers_in_transcript(where, prompts)
    whose, answers = collection.of(who, shown)
    every = collection.every(whose) if several else {name: [answer] for name, answer in answers.items()}
    parts = [[name, _digested(answer.first), _digested(answer.further)] for name, all_ in every.items() for answer in all_]
    name = f"transcript:{shown}#{whose}?sha256={digest_of(canonical_json(parts))[:12]}"
    return RepeatedReplies(name, every, EarlierAnswers.ways) if several else EarlierAnswers(name, answers)


def answers_in_transcript(path: str, prompts: Sequence[Prompt]) -> tuple[AnswerCollection, str]:
    """The answers to these questions in a transcript, with all draws of each, and its name without its folder."""
    by_id, collection, further = {prompt.id: prompt for prompt in prompts}, AnswerCollection(), AnswerCollection()
    notation = Notation(Reply)
    with Transcript.open(path if "://" in path else expanded(path), must_exist=True) as transcript:
        for record in transcript.records():
            question, draw = _question_of(record), record.key.first.draw
            prompt = by_id.get(str(question.get("id") or ""))
            if prompt is None:
                continue
            answer = notation.read(record).answer
            if record.topic.endswith(FURTHER_TURN):
                further.add(record.candidate, prompt.id, ReplayedAnswer(answer), draw)
            elif _same_words(str(question.get("text")), prompt) and _same_conversation(question, prompt):
                lost = record.key in transcript.faults or (isinstance(answer, NoAnswer) and answer.by_service)
                collection.add(record.candidate, prompt.id, ReplayedAnswer(NoAnswer(INTERRUPTED) if lost else answer), draw)
        shown = transcript.name.replace("\\", "/").rpartition("/")[2]
    return collection.turned(further), shown


class AnswerCollection:
    """Answers by candidate and question.

    A question's first draw is the first one recorded; earlier numbers belong to other attempts.
    """

    def __init__(self) -> None:
        self._draws: defaultdict[str, defaultdict[str, dict[int, ReplayedAnswer]]] = defaultdict(lambda: defaultdict(dict))

    @property
    def answers(self) -> Mapping[str, dict[str, ReplayedAnswer]]:
        """The first of each."""
        return {whose: {name: answers[0] for name, answers in self.every(whose).items()} for whose in self._draws}

    def every(self, whose: str) -> dict[str, list[ReplayedAnswer]]:
        """All answers of a candidate to each question. A missing draw between two recorded ones is unknown."""
        lost = ReplayedAnswer(NoAnswer(INTERRUPTED))
        items = self._draws[whose].items()
        return {name: [draws.get(number, lost) for number in range(min(draws), max(draws) + 1)] for name, draws in items}

    def add(self, candidate: str, question: str, answer: ReplayedAnswer, draw: int | None = None) -> None:
        """Add the answer unless this draw has one; an interrupted one is replaced. None: the next draw."""
        draws = self._draws[candidate][question]
        index = len(draws) if draw is None else draw
        known = draws.get(index)
        if known is None or (isinstance(known.first, NoAnswer) and known.first.orphan):
            draws[index] = answer

    def turned(self, further: AnswerCollection) -> AnswerCollection:
        """The recordings with the replies to follow-ups."""
        for whose, questions in self._draws.items():
            for name, draws in questions.items():
                turns = further._draws[whose][name]
                draws.update(
                    {number: ReplayedAnswer(answer.first, _reply(turns.get(number))) for number, answer in draws.items()}
                )
        return self

    def of(self, who: str, file: str) -> tuple[str, dict[str, ReplayedAnswer]]:
        """The candidate of that name, or the only one, and its answers."""
        self.check(who, file)
        if not who and len(self._draws) > 1:
            names = ", ".join(sorted(self._draws))[:300]
            raise BadInput(f"{file} has several candidates: write {file}#CANDIDATE with one of {names}")
        whose = who or next(iter(self._draws))
        return whose, self.answers[whose]

    def check(self, who: str, file: str) -> None:
        """Refuse a file without any answer, or without this candidate's."""
        if not self._draws:
            raise BadInput(f"no question of the scope was asked in {file} in its current words")
        if who and who not in self._draws:
            raise UnknownName(f"candidate in {file}", who, list(self._draws))


def _question_of(record: Record) -> dict[str, Any]:
    try:
        document = json.loads(record.question)
    except (ValueError, RecursionError):
        raise TranscriptDamaged(f"{record} has content that no interview writes: restore an unchanged copy") from None
    return document if isinstance(document, dict) else {}


def _same_words(asked: str, prompt: Prompt) -> bool:
    return asked == prompt.text or asked.startswith(f"{prompt.text}\n\n")


def _same_conversation(asked: Mapping[str, Any], prompt: Prompt) -> bool:
    shown, earlier = (
        [{"asked": x.asked, "replied": x.replied} for x in exchanges] for exchanges in (prompt.shown, prompt.earlier)
    )
    asked_so = asked.get("system", ""), asked.get("shown", []), asked.get("earlier", [])
    return asked_so == (prompt.system, shown, earlier)


def _reply(answer: ReplayedAnswer | None) -> Reply | None:
    return answer.first if answer is not None and isinstance(answer.first, Reply) else None


def _digested(answer: Reply | NoAnswer | None) -> str:
    return "" if answer is None else answer.text if isinstance(answer, Reply) else f"absent: {answer.reason}"


SCORE: Final = "score"
NOBODY: Final = frozenset(
    (*ID_COLUMNS, "answer", "answer_index", "category", "cluster", "expected", "options", "question", "score", "src", "topic")
)
"""Columns that do not count as a candidate's answers unless they are named."""


@dataclass(frozen=True, slots=True)
class OtherRecording:
    """The recorded answers of one other candidate."""

    name: str
    """The name of the candidate, which may be the examined one."""
    answers: Mapping[str, Reply | NoAnswer] = field(default_factory=dict)
    """Answers by question, if it was asked in the same words."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Scores by question."""


def open_history(places: Sequence[str], scope: Any) -> list[OtherRecording]:
    """All recordings for a scope's questions in these places. Raises what `open_recordings` raises."""
    prompts = [scope.prompt(question) for question in getattr(scope, "questions", ())]
    return [recording for where in places for recording in open_recordings(where, prompts)]


def open_recordings(where: str, prompts: Sequence[Prompt]) -> tuple[OtherRecording, ...]:
    """All recordings for these questions in one place, or only those of one candidate.

    Parameters
    ----------
    where: a transcript; a file of results; a file with the columns `id` and `score`; or a table of recorded answers. With
        `#NAME` after it, only of that candidate or column; `?id=COLUMN` as in `replay:`.

    Raises `BadInput` and `UnknownName` if there is nothing, and `BadFile` for a file that cannot be read.
    """
    path, _, query = where.strip().removeprefix("replay:").partition("?") if "://" not in where else (where.strip(), "", "")
    path, _, who = path.partition("#")
    if path.startswith(ADDRESSES) or Path(path).suffix.lower() in TRANSCRIPTS:
        collection, shown = answers_in_transcript(path, prompts)
        return _all_of(collection, who, shown, {}, unnamed="")
    file = expanded(path)
    columns = columns_of(file)
    if set(NEEDED) <= set(columns):
        results, unnamed = answers_in_results(file, prompts), f"results:{file.name}?sha256={file_digest(file)[:12]}"
        return _all_of(results, who, file.name, _scores(file, "id"), unnamed=unnamed)
    id_column = read_options(query, ReplayOptions, of="replay").id or next((word for word in ID_COLUMNS if word in columns), "")
    if SCORE in columns and id_column and not who:
        name = f"scores:{file.name}?sha256={file_digest(file)[:12]}"
        return tuple(OtherRecording(candidate or name, scores=scores) for candidate, scores in _scores(file, id_column).items())
    named = [who] if who else [column for column in columns if column.lower() not in NOBODY and column != id_column]
    if not named:
        raise BadInput(f"no column of {file.name} looks like a candidate's answers: name one, {file.name}#COLUMN")
    replays = open_replays(file, named, query)
    return tuple(
        OtherRecording(replay.name, {name: Reply(text) for name, text in replay.recorded.items()}) for replay in replays
    )


def _all_of(
    collection: AnswerCollection, who: str, file: str, scores: Mapping[str, Mapping[str, float]], *, unnamed: str
) -> tuple[OtherRecording, ...]:
    collection.check(who, file)
    return tuple(
        OtherRecording(
            name or unnamed, {question: _whole(answer) for question, answer in answers.items()}, scores.get(name, {})
        )
        for name, answers in sorted(collection.answers.items())
        if not who or name == who
    )


def _whole(answer: ReplayedAnswer) -> Reply | NoAnswer:
    """A reply together with the reply to its follow-up, as an interview returns it."""
    first = answer.first
    return first if isinstance(first, NoAnswer) or answer.further is None else replace(first, further=answer.further)


def _scores(file: Path, id_column: str) -> dict[str, dict[str, float]]:
    """Values in the score column by candidate and question; the first of each."""
    result: dict[str, dict[str, float]] = {}
    for line, candidate, question, cell in _cells(file, id_column):
        try:
            score = float(cell)
        except ValueError:
            score = -1.0
        if not 0 <= score <= 1:
            raise BadFile(file, f"the score '{cell[:40]}' is not a number from 0 to 1", line=line)
        result.setdefault(candidate, {}).setdefault(question, score)
    return result


def _cells(file: Path, id_column: str) -> Iterator[tuple[int, str, str, str]]:
    """Line, candidate, question and score of the rows that have one."""
    for row in recorded_rows(file):
        cell = row.values.get(SCORE)
        if cell is not None and str(cell).strip():
            yield row.line, str(row.values.get("candidate") or ""), str(row.values.get(id_column) or ""), str(cell)
