"""Other candidates' answers to a scope's questions, from a transcript, a file of results, or a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from vivavoce.candidates.earlier import (
    ADDRESSES,
    NEEDED,
    TRANSCRIPTS,
    AnswerCollection,
    answers_in_results,
    answers_in_transcript,
)
from vivavoce.candidates.options import read_options
from vivavoce.candidates.replay import ID_COLUMNS, ReplayedAnswer, ReplayOptions, columns_of, open_replays, recorded_rows
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import expanded, file_digest
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply

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
    """A reply with the one to its further turn, as an interview returns it."""
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
