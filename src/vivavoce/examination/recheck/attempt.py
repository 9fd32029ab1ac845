"""The attempt of a certificate in the record's ledger, with its terms, and its seed once that is revealed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.certificate.attempts.attempt import PAIRS, RecordedAttempt
from vivavoce.certificate.attempts.log import attempts, problem_with_seed
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.examination.recheck.rechecked import FieldDifference
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import clipped, name_of
from vivavoce.interview.record import RecordReader
from vivavoce.report.reported import names_in

UNFINISHED = (
    "The examination may continue, so its seed is not revealed yet. It can be rechecked once it has a verdict, or all "
    "questions were asked."
)


@dataclass(frozen=True, slots=True)
class ClaimedAttempt:
    """The attempt that a certificate names, as the ledger has it."""

    held: RecordedAttempt
    seed: str
    """The problem with its seed, in a clause; empty without one."""
    later: int
    """Attempts on these scopes that started after the certificate was written."""

    @property
    def unfinished(self) -> bool:
        """Whether the seed is not revealed yet."""
        return self.held.seed is None and not isinstance(self.held.terms.settings["seed"], int)


def claimed(
    document: Mapping[str, Any], copy: RecordReader, whole: RecordReader, *, what: str = "certificate"
) -> ClaimedAttempt:
    """The attempt as the ledger had it when the certificate was written.

    If no attempt in the ledger has the certificate's terms, it is the most similar one, and the comparison finds the
    differences.

    copy, whole: the record up to the certificate, and as it is now.
    what: the kind of document, for the reader.

    Raises `BadInput` where the record holds no attempt of the candidate.
    """
    named = document.get("attempt")
    named = named if isinstance(named, dict) else {}
    for names in _candidates(document, named):
        held = ledger(copy, names)
        if alike := [attempt for attempt in held if sorted(attempt.terms.examined) == sorted(names)]:
            own = _most_like(named, alike)
            later = [attempt for attempt in ledger(whole, names)[len(held) :] if own.terms.touches(attempt.terms)]
            return ClaimedAttempt(own, problem_with_seed(copy, own), len(later))
    whose = " against ".join(names_in(document)) or "nobody"
    raise BadInput(f"the record has no {what} of {clipped(whose, 200)}: give the transcript of that run")


def ledger(transcript: RecordReader, names: Sequence[str]) -> list[RecordedAttempt]:
    """All attempts of a candidate; for several names all comparisons. Raises `TranscriptDamaged` for an invalid line."""
    try:
        held = attempts(transcript, names[0] if len(names) == 1 else PAIRS)
        for attempt in held:
            attempt.terms.settings["seed"]
        return held
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        raise TranscriptDamaged(
            f"transcript {transcript.name} is damaged: its ledger of attempts has an entry that is not an attempt"
        ) from None


def criterion_of(settings: Mapping[str, Any]) -> Criterion:
    """When a candidate passes, by the terms of an attempt."""
    limit = settings["unacceptable_limit"]
    return Criterion(float(settings["passing_grade"]), None if limit is None else float(limit), float(settings["delta"]))


def seed_differs(attempt: ClaimedAttempt) -> Iterator[FieldDifference]:
    """That a seed is not what the record committed to."""
    if attempt.seed and not attempt.unfinished:
        yield FieldDifference("seed", "drawn and committed to before the first question", f"that {attempt.seed}")


def _candidates(document: Mapping[str, Any], named: Mapping[str, Any]) -> list[list[str]]:
    """All candidates that the document names."""
    terms = named["terms"] if isinstance(named.get("terms"), dict) else {}
    settings = terms["settings"] if isinstance(terms.get("settings"), dict) else {}
    alone = [terms["candidate"]] if isinstance(terms.get("candidate"), str) else []
    asked = list(settings["asked"]) if isinstance(settings.get("asked"), dict) else []
    named_ones = names_in(document)
    return [names for names in (named_ones[:1] if len(named_ones) == 1 else [], alone, asked, named_ones) if names]


def told_side_by_side(document: Mapping[str, Any]) -> str:
    """The compared candidates, for readers."""
    names = names_in(document)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (
        clipped((" instead of " if document.get("kind") == "gate" else " against ").join(map(name_of, names[:3])), 400) + more
    )


def _most_like(named: Mapping[str, Any], held: list[RecordedAttempt]) -> RecordedAttempt:
    """By digest, else by terms, else by number; the last of several."""

    def alike(attempt: RecordedAttempt) -> tuple[bool, bool, bool, int]:
        terms = attempt.terms
        return (
            terms.digest == named.get("terms_digest"),
            to_json(terms) == named.get("terms"),
            attempt.number == named.get("number"),
            attempt.line,
        )

    return max(held, key=alike)
