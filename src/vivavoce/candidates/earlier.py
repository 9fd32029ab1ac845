"""What a candidate answered in an earlier examination, as a candidate: from a transcript, or from a file of results.

Its answers are found by the ids of the questions, and only where the question was put in the same words: what was asked
otherwise counts as not answered.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from vivavoce.candidates.names import KINDS, open_candidate
from vivavoce.candidates.replay import recorded_rows
from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadFile, BadInput, CandidateMisconfigured, TranscriptDamaged, UnknownName
from vivavoce.formats.cells import unguarded
from vivavoce.formats.lines import expanded, file_digest
from vivavoce.interview.candidate import ORPHAN, Again, Candidate, NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome, Way
from vivavoce.interview.notation import Notation
from vivavoce.interview.outcomes import FURTHER_TURN
from vivavoce.interview.record import Key, Record, canonical_json, digest_of
from vivavoce.interview.results import AFTER_TURN, COLUMNS
from vivavoce.interview.transcript import Transcript

RESULT_FILES: Final = (".csv", ".jsonl")
TRANSCRIPTS: Final = (".sqlite", ".sqlite3", ".db")
ADDRESSES: Final = ("postgresql://", "postgresql+psycopg://", "postgres://")
NEEDED: Final = ("id", "question", "reply", "outcome")
"""Columns of a file of results that are read."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of one question."""

    first: Reply | NoAnswer
    further: Reply | None = None
    """The reply to the further turn that asked for the final answer alone."""


class Earlier:
    """Says again what was said then, further turns included; absences stay absences."""

    asked_again: Again = "same"
    """It would say the same."""
    ways: tuple[Way, ...] = ("text", "turn")

    def __init__(self, name: str, answers: Mapping[str, Answer]) -> None:
        self.name = name
        self._answers = answers

    @property
    def recorded(self) -> Mapping[str, str]:
        """All first replies, by question id; of an absence nothing."""
        return {name: one.first.text if isinstance(one.first, Reply) else "" for name, one in self._answers.items()}

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self._answers)} answers>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The answer on record. Raises `CandidateMisconfigured` for a question that was not asked then."""
        found = self._answers.get(question.id)
        if found is None:
            raise CandidateMisconfigured(f"{self.name} has no answer to question '{question.id[:80]}' in these words")
        if question.form is not None and question.text == question.form.further:
            return found.further or Reply("")
        return cast("Reply", found.first)  # an absence is one, as whoever asks can tell


def open_baseline(name: str, prompts: Sequence[Prompt]) -> Candidate[Prompt, Reply]:
    """A candidate by its name, or what one answered earlier: FILE or FILE#CANDIDATE, of results or a transcript.

    Parameters
    ----------
    prompts: all questions of the scope, in its words; none where it has no end.

    Raises what `open_candidate` and transcripts raise; `BadInput` where none of the questions was asked then, or of several
    candidates none is named, and `UnknownName` where the one that is named is not there.
    """
    place, _, who = name.strip().partition("#")
    if place.partition(":")[0] in {kind.prefix for kind in KINDS} and not expanded(place).exists():
        return open_candidate(name)
    ending = Path(place).suffix.lower()
    if not place.startswith(ADDRESSES) and ending not in (*RESULT_FILES, *TRANSCRIPTS):
        if expanded(place).is_file():
            endings = ", ".join((*RESULT_FILES, *TRANSCRIPTS))
            raise BadInput(
                f"'{place}' is neither a file of results nor a transcript by its ending, which is one of {endings}; for a "
                "recording of your own give replay:FILE#COLUMN"
            )
        return open_candidate(name)
    if not prompts:
        raise BadInput(f"'{place}' answers a list of questions: give a scope that is one; this scope makes its questions up")
    if ending in RESULT_FILES:
        return _from_results(expanded(place), who, prompts)
    return _from_transcript(place, who, prompts)


def _from_results(file: Path, who: str, prompts: Sequence[Prompt]) -> Earlier:
    whose, answers = answers_in_results(file, prompts).of(who, file.name)
    return Earlier(f"results:{file.name}{f'#{whose}' if whose else ''}?sha256={file_digest(file)[:12]}", answers)


def answers_in_results(file: Path, prompts: Sequence[Prompt]) -> Found:
    """What a file of results holds of these questions. Raises `BadFile` for one that is none."""
    by_id, found = {prompt.id: prompt for prompt in prompts}, Found()
    clean = unguarded if file.suffix.lower() == ".csv" else str
    for row in recorded_rows(file):
        missing = [column for column in NEEDED if column not in row.values]
        if missing:
            raise BadFile(file, f"is no file of results, whose columns are {', '.join(COLUMNS)}: use replay:{file.name}#COLUMN")
        values = {name: clean(as_unicode(str(row.values[name] or ""))) for name in (*NEEDED, "candidate") if name in row.values}
        prompt = by_id.get(values["id"])
        if prompt is not None and _same_words(values["question"], prompt):
            found.add(values.get("candidate", ""), prompt.id, _of_row(values["reply"], values["outcome"]))
    return found


def _of_row(reply: str, outcome: str) -> Answer:
    """What a row says came of its question."""
    if outcome in (Outcome.ORPHAN.value, Outcome.FAULT.value):
        return Answer(NoAnswer(ORPHAN))  # nobody can know what it is worth
    if outcome.startswith(Outcome.NO_ANSWER.value):
        return Answer(NoAnswer(outcome.partition(": ")[2] or outcome))
    first, turned, further = reply.partition(AFTER_TURN)
    finish = "length" if outcome == Outcome.CUT_OFF.value else ""
    return Answer(Reply(first, finish=finish), Reply(further) if turned else None)


def _from_transcript(place: str, who: str, prompts: Sequence[Prompt]) -> Earlier:
    found, shown = answers_in_transcript(place, prompts)
    whose, answers = found.of(who, shown)
    digest = digest_of(canonical_json([[name, _digested(one.first), _digested(one.further)] for name, one in answers.items()]))
    return Earlier(f"transcript:{shown}#{whose}?sha256={digest[:12]}", answers)


def answers_in_transcript(place: str, prompts: Sequence[Prompt]) -> tuple[Found, str]:
    """What a transcript holds of these questions, and its name without its folder."""
    by_id, found, further = {prompt.id: prompt for prompt in prompts}, Found(), Found()
    notation = Notation(Reply)
    with Transcript.open(place if "://" in place else expanded(place), must_exist=True) as transcript:
        for record in transcript.records():
            question = _question_of(record)
            prompt = by_id.get(str(question.get("id") or ""))
            if prompt is None or record.draw:
                continue
            answer = notation.read(record).answer
            if record.topic.endswith(FURTHER_TURN):
                further.add(record.candidate, prompt.id, Answer(answer))
            elif _same_words(str(question.get("text")), prompt) and _same_conversation(question, prompt):
                lost = Key(record.candidate, record.question_digest, 0) in transcript.faults
                found.add(record.candidate, prompt.id, Answer(NoAnswer(ORPHAN) if lost else answer))
        shown = transcript.name.replace("\\", "/").rpartition("/")[2]
    for whose, answers in found.answers.items():
        turns = further.answers.get(whose, {})
        answers.update({name: Answer(one.first, _reply(turns.get(name))) for name, one in answers.items()})
    return found, shown


class Found:
    """Answers by candidate and question, the first of each."""

    def __init__(self) -> None:
        self.answers: defaultdict[str, dict[str, Answer]] = defaultdict(dict)

    def add(self, candidate: str, question: str, answer: Answer) -> None:
        """Keep it, unless there is one."""
        self.answers[candidate].setdefault(question, answer)

    def of(self, who: str, file: str) -> tuple[str, dict[str, Answer]]:
        """The candidate of that name, or the only one, and its answers."""
        self.check(who, file)
        if not who and len(self.answers) > 1:
            raise BadInput(f"{file} holds several candidates: write {file}#CANDIDATE, one of {_listed(self.answers)}")
        whose = who or next(iter(self.answers))
        return whose, self.answers[whose]

    def check(self, who: str, file: str) -> None:
        """Refuse a file without any answer, or without this candidate's."""
        if not self.answers:
            raise BadInput(f"no question of the scope was asked in {file}, in the words that it has now")
        if who and who not in self.answers:
            raise UnknownName(f"candidate in {file}", who, list(self.answers))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))[:300]


def _question_of(record: Record) -> dict[str, Any]:
    try:
        found = json.loads(record.question)
    except (ValueError, RecursionError):
        raise TranscriptDamaged(f"{record} holds what no interview writes") from None
    return found if isinstance(found, dict) else {}


def _same_words(asked: str, prompt: Prompt) -> bool:
    """Whether a question is this one, whichever way its form was asked for."""
    return asked == prompt.text or asked.startswith(f"{prompt.text}\n\n")


def _same_conversation(asked: Mapping[str, Any], prompt: Prompt) -> bool:
    """Whether the same was said before it."""
    shown = [{"asked": one.asked, "replied": one.replied} for one in prompt.shown]
    return (asked.get("system", ""), asked.get("shown", [])) == (prompt.system, shown)


def _reply(answer: Answer | None) -> Reply | None:
    return answer.first if answer is not None and isinstance(answer.first, Reply) else None


def _digested(answer: Reply | NoAnswer | None) -> str:
    return "" if answer is None else answer.text if isinstance(answer, Reply) else f"absent: {answer.reason}"
