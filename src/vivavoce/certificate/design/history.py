"""The history of a scope: other candidates' scores on its questions, known before the first question is drawn.

It is frozen: its digest is among the terms of the attempt, which are recorded before the seed. The data for the bets are
recorded too, so a verdict can be computed again from the record alone. It keeps only scores, no text of replies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.commitment import read_document, write_document
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import RecordReader, canonical_json, digest_of
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question, Unit
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.predictions import Predictions

if TYPE_CHECKING:
    from vivavoce.candidates.earlier import OtherRecording

TOPIC: Final = "history"
MOST: Final = 200
"""The most others."""
NEUTRAL: Final = 0.5
"""The assumed mean score of a candidate before it has any answers on this scope."""
PRECISION: Final = 4.0
"""Prior precision of slopes: the variance of a score or difference over the variance of its slope."""
SPREAD: Final = 4.0
"""Scale of the share of others, in logits."""
NO_LIST: Final = "a history needs a list of questions, each drawn once, which this scope is not: leave out --history"
_DIGITS: Final = 6
_SHA: Final = re.compile(r"[?&]sha256=[0-9a-f]+")
_SOURCE: Final = re.compile(r"@[0-9a-f]{12}$")


@dataclass(frozen=True)
class History:
    """Other candidates' scores, question by question.

    >>> history = History(("old",), {"q1": (1.0,), "q2": (None,)})
    >>> history.digest[:12], history.known
    ('3d55ba86d7dc', 1)
    """

    others: tuple[str, ...]
    """Their names."""
    scores: Mapping[str, tuple[float | None, ...]]
    """Each other's score by question id, None if unknown; only questions with a known score."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.others) <= MOST:
            raise BadInput(f"a history of {len(self.others)} models: give 1 to {MOST}")
        for scores in self.scores.values():
            if len(scores) != len(self.others) or any(score is not None and not 0 <= score <= 1 for score in scores):
                raise BadInput("a history needs one score in [0, 1] for each question and model")

    @property
    def known(self) -> int:
        """Questions with any known score."""
        return sum(any(score is not None for score in scores) for scores in self.scores.values())

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex of all of it."""
        return digest_of(self.text)

    @cached_property
    def text(self) -> str:
        """The history as canonical JSON."""
        return canonical_json(
            {"others": self.others, "scores": {name: list(self.scores[name]) for name in sorted(self.scores)}}
        )

    def place_of(self, candidate: str) -> int | None:
        """The index of the other with that candidate's name, or the name of the model that it replays; None without one.

        >>> History(("a", "chat:m@url"), {}).place_of("transcript:run.sqlite#chat:m@url?sha256=0123")
        1
        """
        bare = _bare(candidate)
        whose = bare.partition("#")[2] if bare.startswith(("results:", "transcript:")) else ""
        return next((index for index, name in enumerate(self.others) if _bare(name) in (bare, _bare(whose or bare))), None)

    def by_units(self, units: Sequence[Unit]) -> Floats:
        """Mean scores, as those of units are: shape (units, others); NaN if not all of a unit is known."""
        return np.array([self._of(unit) for unit in units], dtype=np.float64)

    def use(self, candidates: Sequence[str], size: int, predictions: Sequence[Predictions]) -> HistoryUse:
        """Its use for a scope of `size` questions, on average over these predictions."""
        return HistoryUse(
            others=len(self.others),
            questions_known=self.known,
            questions_unknown=size - self.known,
            digest=self.digest,
            candidate_among_others=any(self.place_of(candidate) is not None for candidate in candidates),
            belief=float(np.mean([prediction.belief for prediction in predictions])),
            explained=float(np.mean([prediction.explained for prediction in predictions])),
        )

    def _of(self, unit: Unit) -> list[float]:
        total = fsum(question.weight for question in unit)
        result = []
        for index in range(len(self.others)):
            given = [self.scores[question.id][index] if question.id in self.scores else None for question in unit]
            known = [value for value in given if value is not None]
            weighted = fsum(value * question.weight for value, question in zip(known, unit, strict=False))
            result.append(weighted / total if len(known) == len(unit) else float("nan"))
        return result


@dataclass(frozen=True, slots=True)
class HistoryUse:
    """A history and its effect on the bets."""

    others: int
    questions_known: int
    """Questions of the scope with at least one known score."""
    questions_unknown: int
    """Questions without a known score, which get a neutral value."""
    digest: str
    candidate_among_others: bool
    """Whether the candidate is among the others, by its name."""
    belief: float
    """The bets' final trust in it, from 0 to 1."""
    explained: float
    """The share of the variance of scores that it explains, times the trust."""


def _bare(name: str) -> str:
    """A name without digests: of a recording's file, of a function's source as the record has it.

    >>> _bare("function:bots:new@92d67188c8e2"), _bare("replay:a.csv#x?sha256=0123")
    ('function:bots:new', 'replay:a.csv#x')
    """
    bare = _SHA.sub("", name)
    return _SOURCE.sub("", bare) if bare.startswith("function:") else bare


def history_caveats(use: HistoryUse | None, *, several: bool = False) -> tuple[str, ...]:
    """The caveats of a history; nothing without one.

    several: whether candidates are compared.

    >>> history_caveats(None)
    ()
    """
    if use is None:
        return ()
    unknown, size = use.questions_unknown, use.questions_known + use.questions_unknown
    whom = "A candidate that is compared" if several else "The candidate itself"
    texts = [
        "Bets took account of other candidates' scores on the questions. These are fixed before the first question; "
        "misleading ones can cost power but never cause errors. The intervals rest on the answers alone, so they are wider "
        "than the verdict needs.",
        f"{whom} is among the others, by its name. The verdict is valid all the same: questions are drawn and answers graded "
        "afresh."
        if use.candidate_among_others
        else "",
        f"The history has no answer to {unknown} of {size} questions: they have a neutral value." if unknown else "",
    ]
    return tuple(filter(None, texts))


def filled(scores: Floats) -> Floats:
    """Scores of others, shape (units, others), with the mean of an other's known ones where one is NaN.

    >>> filled(np.array([[1.0], [0.5], [np.nan]])).ravel().tolist()
    [1.0, 0.5, 0.75]
    """
    known = ~np.isnan(scores)
    means = np.where(known.any(axis=0), np.where(known, scores, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1), NEUTRAL)
    result: Floats = np.where(known, scores, means)
    return result


def share_of_others(scores: Floats) -> Floats:
    """The logit of the share of others that are right, divided by `SPREAD`, with a mean of 0 over all units.

    scores: shape (units, others); an unknown unit has a neutral value.

    >>> share_of_others(np.array([[1.0], [0.0]])).tolist()
    [0.27465307216702745, -0.27465307216702745]
    """
    share = (filled(scores).sum(axis=1) + 0.5) / (scores.shape[1] + 1)
    logits: Floats = np.log(share / (1 - share)) / SPREAD
    centred: Floats = logits - logits.mean()
    return centred


def means_of_others(scores: Floats) -> Floats:
    """The mean score of each of the others of whom anything is known, shape (at most others,); scores: (units, others).

    >>> means_of_others(np.array([[1.0, np.nan], [0.5, np.nan]])).tolist()
    [0.75]
    """
    known = ~np.isnan(scores)
    some = known.any(axis=0)
    result: Floats = np.where(known, scores, 0.0).sum(axis=0)[some] / known.sum(axis=0)[some]
    return result


def history_of(scope: object, recordings: Sequence[OtherRecording]) -> History:
    """A history from recordings: answers graded by the scope's rule, with unparsed replies as wrong, or else the given scores.

    Of two with one name the first counts, where both know a question. Raises `BadInput` for a scope without an end, and where
    nothing is known of any of its questions.
    """
    if not isinstance(scope, ListedScope):
        raise BadInput(NO_LIST)
    names = tuple(dict.fromkeys(source.name for source in recordings))
    values: dict[str, list[float | None]] = {}
    for recording in recordings:
        index = names.index(recording.name)
        for question in scope.questions:
            score = _score(scope, question, recording)
            row = values.setdefault(question.id, [None] * len(names))
            if score is not None and row[index] is None:
                row[index] = score
    known = {name: tuple(row) for name, row in values.items() if any(value is not None for value in row)}
    if not known:
        raise BadInput(f"the history has no answers to questions of {scope.name} in their current wording")
    return History(names, known)


def _score(scope: ListedScope, question: Question, recording: OtherRecording) -> float | None:
    answer = recording.answers.get(question.id)
    if answer is not None and not question.open_ended:
        return round(float(scope.grade(question, answer).score), _DIGITS)
    score = recording.scores.get(question.id)
    return None if score is None else round(float(score), _DIGITS)


async def put_on_record(interview: Interview[Prompt, Reply], history: History) -> None:
    """Write the history to the transcript, once."""
    await write_document(interview.transcript, history, name="history", topic=TOPIC, clock=interview.clock)


def history_on_record(transcript: RecordReader, digest: str) -> History:
    """The history with that digest. Raises `NotOnRecord`, and `TranscriptDamaged` for an entry that holds another one."""
    missing = f"the history {digest[:12]} that bets were made from is not on record"
    return read_document(transcript, digest, _parsed, name="history", missing=missing, what="history")


def _parsed(text: str) -> History:
    values: dict[str, Any] = json.loads(text)
    return History(tuple(map(str, values["others"])), {str(name): tuple(row) for name, row in values["scores"].items()})
