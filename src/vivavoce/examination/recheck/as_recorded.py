"""Rechecks of certificates from recorded grades, which are taken as recorded, if a scope is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final, TypeGuard

from vivavoce.certificate.attempts.attempt import AttemptHistory, RecordedAttempt, Seed
from vivavoce.certificate.attempts.grades_log import Gradebook, read_grades, unlike
from vivavoce.certificate.evidence.recomputed import recomputed
from vivavoce.examination.recheck.attempt import criterion_of, ledger
from vivavoce.examination.recheck.comparison import differences
from vivavoce.examination.recheck.rechecked import FieldDifference
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import count
from vivavoce.interview.record import Record, RecordReader
from vivavoce.report.reported import figures_of

GRADES: Final = "grades on record"


def as_recorded(
    document: Mapping[str, Any], records: RecordReader, held: RecordedAttempt, reason: str
) -> tuple[list[FieldDifference], str]:
    """Differences from what the recorded grades give, and a sentence on what was taken.

    records: as they were when the certificate was written.
    reason: why the answers are not graded again, in a clause.
    """
    if "history" in held.terms.settings:
        return [], f"Not rechecked, since {reason}: bets with a history need the question of each grade."
    if held.terms.settings.get("draws_claim") == "vote":
        return [], f"Not rechecked, since {reason}: a vote needs to know which answers are equal."
    kept = read_grades(records.records(), held.terms, held.line)
    if kept is None or kept.book.grades is None:
        return [], f"Not rechecked, since {reason}, and the recorded grades are not enough."
    of_grades, of_terms, figures = recomputed(held, kept.book.grades), _of_terms(records, held), figures_of(document)
    made = {**of_grades, **of_terms, "figures": of_grades["figures"] | of_terms["figures"]}
    values = {name: document[name] for name in made if name in document}
    values["figures"] = {name: figures[name] for name in made["figures"] if name in figures}
    grades = len(kept.book.grades.score)
    return (
        differences(values, made),
        f"Grades taken as recorded: {count(grades)}, since {reason}; verdict, intervals and evidence are computed from them.",
    )


def regraded(before: Gradebook | None, records: Iterable[Record], held: RecordedAttempt) -> Iterator[FieldDifference]:
    """A difference if the recorded grades differ from those of the answers graded again.

    before: the grades on record.
    records: of the copy over which the examination ran again; grades that differ from those before come last.
    """
    after = read_grades(records, held.terms, held.line)
    if before is not None and after is not None and (problem := unlike(before, after.book)):
        yield FieldDifference(GRADES, "", problem)


def _of_terms(records: RecordReader, held: RecordedAttempt) -> dict[str, Any]:
    """Fields of a certificate's document that come from the ledger."""
    settings = held.terms.settings
    criterion = criterion_of(settings)
    others = tuple(
        recorded_attempt
        for recorded_attempt in ledger(records, held.terms.examined)
        if recorded_attempt.line != held.line and held.terms.touches(recorded_attempt.terms)
    )
    given = settings["seed"]
    attempt = AttemptHistory(
        held, others, held.seed or Seed(given if isinstance(given, int) else 0, "" if isinstance(given, int) else "-")
    )
    figures = {**asdict(criterion), "scope_digest": held.terms.scopes[0][1]}
    made = {"figures": figures, "attempt": to_json(attempt)}
    if held.seed is not None or isinstance(given, int):
        made |= attempt.seed_as_json()
    return made


def certificates_of(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The certificates of one scope in a document, each with its place."""
    if _is_certificate(document):
        yield "", document
    for number, card in enumerate(_cards(document)):
        if _is_certificate(details := card.get("details")):
            yield f"cards[{number}].details.", details


def _is_certificate(values: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether these are the values of a certificate of one scope."""
    return isinstance(values, dict) and {"verdict", "attempt"} <= values.keys() and "path" in figures_of(values)


def _cards(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cards = document.get("cards")
    return [card for card in cards if isinstance(card, dict)] if isinstance(cards, list) else []
