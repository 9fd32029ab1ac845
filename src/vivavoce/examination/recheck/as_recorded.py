"""Certificates rechecked from the grades on record, which are taken as they stand: where texts or a scope are not at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final, TypeGuard

from vivavoce.certificate.attempts import Attempt, Held, Seed
from vivavoce.certificate.gradebook import Gradebook, read_grades, unlike
from vivavoce.certificate.recomputed import recomputed
from vivavoce.certificate.verdict import Criterion
from vivavoce.errors import BadInput
from vivavoce.examination.recheck.attempt import claimed, compared_names, ledger, seed_differs, told_side_by_side
from vivavoce.examination.recheck.comparison import HEAD, NO_DOCUMENT, differences, without_run
from vivavoce.examination.recheck.rechecked import Difference, Rechecked
from vivavoce.examination.recheck.side_by_side import kind_of
from vivavoce.examination.recheck.sweep import is_sweep, whose
from vivavoce.formats.wording import clipped, count
from vivavoce.interview.record import Record, Records, WithheldRecord
from vivavoce.interview.sealed import Excerpt, Sealed

GRADES: Final = "grades on record"


def recheck_withheld(document: Mapping[str, Any], sealed: Sealed) -> Rechecked:
    """What the record of a sealed export gives where texts are withheld: from the grades on record, taken as they stand.

    document: as for `recheck`.

    Raises `BadInput` for a document that is none, or of which the record holds nothing, and `TranscriptDamaged`.
    """
    document, whole = without_run(document), sealed.excerpt()
    excerpt, found = _up_to(document, whole)
    reason = f"the texts of {count(sealed.withheld)} records are withheld"
    sentence = f"Its answers are graded again, and {reason}."
    if is_sweep(document):
        return Rechecked("sweep", whose(document), excerpt.head.count, tuple(found), (sentence,), ())
    if (what := kind_of(document)) is not None:
        names = compared_names(document)
        called = told_side_by_side(document)
        return Rechecked(what, " vs. ".join(names), excerpt.head.count, tuple(found), (sentence,), (), called)
    not_rechecked, rest = [], []
    parts = list(certificates_of(document))
    for path, certificate in parts:
        attempt = claimed(certificate, excerpt, whole)
        differs, told = as_recorded(certificate, excerpt, attempt.held, reason)
        found += [Difference(f"{path}{one.path}", one.said, one.found) for one in (*seed_differs(attempt), *differs)]
        not_rechecked.append(told)
        rest += [] if not attempt.later else [f"{count(attempt.later)} later attempts are on record now: each verdict counts."]
    others = [clipped(str(card.get("room")), 40) for card in _cards(document) if not _is_certificate(card.get("details"))]
    others += ["a certificate of several scopes"] if {"verdicts", "whole"} & document.keys() else []
    if others:
        not_rechecked.append(f"Not rechecked, since {reason}: {', '.join(dict.fromkeys(others))}.")
    if not (parts or others):
        raise BadInput(NO_DOCUMENT)
    return Rechecked(
        "dossier" if "cards" in document else "certificate",
        str(document.get("candidate")),
        excerpt.head.count,
        tuple(found),
        tuple(not_rechecked),
        tuple(rest),
    )


def as_recorded(document: Mapping[str, Any], records: Records, held: Held, reason: str) -> tuple[list[Difference], str]:
    """What differs from what the grades on record give, and a sentence that says what was taken.

    records: as they were when the certificate was written.
    reason: why the answers are not graded again, in a clause.
    """
    if "history" in held.terms.settings:
        return [], f"Not rechecked, since {reason}: bets with a history need to know which question each grade is of."
    if held.terms.settings.get("draws_claim") == "vote":
        return [], f"Not rechecked, since {reason}: a vote needs to know which answers are the same."
    kept = read_grades(records.records(), held.terms, held.line)
    if kept is None or kept.book.grades is None:
        return [], f"Not rechecked, since {reason}, and no grades are on record that would be enough."
    made = {**recomputed(held, kept.book.grades), **_of_terms(document, records, held)}
    said = {name: document[name] for name in made if name in document}
    grades = len(kept.book.grades.score)
    return (
        differences(said, made),
        f"Grades taken as recorded: {count(grades)}, since {reason}; verdict, intervals and evidence are computed from them.",
    )


def regraded(before: Gradebook | None, records: Iterable[Record | WithheldRecord], held: Held) -> Iterator[Difference]:
    """That the grades on record are not those that the answers have when they are graded again.

    before: the grades on record.
    records: of the copy over which the examination was held again; grades that differ from those before stand there last.
    """
    after = read_grades(records, held.terms, held.line)
    if before is not None and after is not None and (problem := unlike(before, after.book)):
        yield Difference(GRADES, "", problem)


def _of_terms(document: Mapping[str, Any], records: Records, held: Held) -> dict[str, Any]:
    """The fields of a certificate that come from the ledger."""
    settings = held.terms.settings
    limit = settings["ridiculous_limit"]
    criterion = Criterion(float(settings["passing_grade"]), None if limit is None else float(limit), float(settings["delta"]))
    others = tuple(
        one for one in ledger(records, held.terms.examined) if one.line != held.line and held.terms.touches(one.terms)
    )
    given = settings["seed"]
    attempt = Attempt(
        held, others, held.seed or Seed(given if isinstance(given, int) else 0, "" if isinstance(given, int) else "-")
    )
    made = {**asdict(criterion), "scope_digest": held.terms.scopes[0][1], "attempt": attempt.as_json()}
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
    return isinstance(values, dict) and {"verdict", "path", "attempt"} <= values.keys()


def _cards(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cards = document.get("cards")
    return [card for card in cards if isinstance(card, dict)] if isinstance(cards, list) else []


def _up_to(document: Mapping[str, Any], whole: Excerpt) -> tuple[Excerpt, list[Difference]]:
    """The record as it was when the document was written, and what differs where it never was like that."""
    named = document.get(HEAD)
    if named is None:
        return whole, []
    head = next((one for one in whole.heads if str(one) == named), None)
    if head is None:
        return whole, [Difference(HEAD, clipped(str(named), 200), f"has no such head; it ends with {whole.head}")]
    return whole.up_to(head.count), []
