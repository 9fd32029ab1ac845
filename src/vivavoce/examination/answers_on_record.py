"""The answers behind a report's certificates, read from its record: graded, in drawn order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.certificate.attempts.attempt import RecordedAttempt
from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.claims.many_scopes import NAME as MANY
from vivavoce.certificate.comparison.asking import Order, answered
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.paired_answers import UnitAnswers
from vivavoce.errors import NotOnRecord, VivavoceError
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.parts.certificate import CertificatePart
from vivavoce.examination.recheck.attempt import claimed
from vivavoce.examination.recheck.recorded import RECORDED, read_again, silent
from vivavoce.formats.wording import LONGEST_NAME, clipped, name_of
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import figures_of
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Unit

Taken = list[tuple[Unit, UnitAnswers]]


@dataclass(frozen=True, slots=True)
class RecordedDossier:
    """A report with its record, if that is available."""

    dossier: Dossier
    transcript: Transcript | None
    why_not: str = ""
    """Why the record is missing, in a clause."""


@dataclass(frozen=True, slots=True)
class RecordedCertificate:
    """A certificate of one scope, or of one among several."""

    side: RecordedDossier
    title: str
    """The scope's name on record."""
    digest: str
    questions: int
    """That counted."""
    several: bool
    held: RecordedAttempt | None
    """The attempt on record; None without one."""
    why_not: str = ""
    """Why the attempt is missing, in a clause."""
    words: str = ""
    """Display title, if the report has one."""

    @property
    def called(self) -> str:
        """The scope, for readers."""
        return self.words or name_of(self.title)

    @property
    def order(self) -> tuple[int | None, bool]:
        """Equal for two certificates of one scope: both drew the same order."""
        return self._seed, self.several

    @property
    def refusal(self) -> str:
        """Why its answers can't be read one by one, in a clause; empty if they can."""
        if self.held is None:
            return self.why_not
        settings = self.held.terms.settings
        if "graded_by_people" in settings:
            return "answers were not graded by the scope's own rule"
        if "explanations" in settings or self.held.terms.examination not in ("certificate", MANY):
            return "the certificate is not a plain one"
        if "draws" in settings:
            return "each question was answered several times"
        if settings.get("design"):
            return "questions were not drawn as the scope draws them"
        return "the order is not revealed while the examination may continue" if self._seed is None else ""

    def units(self, scope: Any) -> Iterator[Unit]:
        """The units in the order in which they were asked."""
        seed = [self._seed or 0, int(scope.digest, 16)] if self.several else self._seed
        units: Iterator[Unit] = scope.draw(np.random.default_rng(seed))
        return units

    async def taken(self, scope: Any) -> Taken:
        """The counted units, each with its answers, as far as they are on record; writes nothing to it."""
        assert self.held is not None
        assert self.side.transcript is not None
        settings, name = self.held.terms.settings, self.held.terms.candidate
        known = getattr(scope, "questions", ()) if name.partition(":")[0] in RECORDED else ()
        config = ComparisonConfig(questions=max(1, self.questions), unreadable=settings["unreadable"])
        units, result = self.units(scope), Taken()
        with self.side.transcript.copy() as copy:
            interview = read_again(
                silent(name, copy, str(settings.get("source", "")), {question.id: "" for question in known}),
                copy,
                asking=settings["asking"],
                strict_faults=settings.get("strict_faults"),
            )
            first, order = self.held.first_draws.get(interview.name_on_record, 0), Order(scope, config, self.units(scope))
            with suppress(NotOnRecord):  # a shorter beginning is also a beginning
                async with aclosing(answered(interview, scope, order, first_draw=first)) as stream:
                    async for answers in stream:
                        result.append((next(units), answers))
        return result

    @property
    def _seed(self) -> int | None:
        """The seed of its order; None if it is not revealed."""
        if self.held is None:
            return None
        given = self.held.terms.settings["seed"]
        return given if isinstance(given, int) else None if self.held.seed is None else self.held.seed.number


def certified(side: RecordedDossier) -> dict[str, RecordedCertificate]:
    """The certificates of a report by the digest of their scope; the first of several on one scope."""
    result: dict[str, RecordedCertificate] = {}
    for card in side.dossier.of(CertificatePart.room):
        figures = figures_of(card.details)
        scopes = figures.get("scopes")
        several = isinstance(scopes, list)
        for part in scopes if isinstance(scopes, list) else [figures]:
            named = [part.get(name) for name in ("scope", "scope_digest", "questions")] if isinstance(part, Mapping) else []
            match named:
                case [str() as title, str() as digest, int() as questions] if digest not in result:
                    certificate = _certified(side, card.details, title, digest, questions, several=several)
                    result[digest] = replace(certificate, words=_words(part.get("title")))
    return result


def scopes_beside(sides: Iterable[RecordedDossier], folders: Sequence[Path]) -> list[str]:
    """Addresses of question files in these folders that have names from the reports' certificates. Reports are untrusted: their
    folders are not opened, and a file counts only if its digest fits.
    """
    titles = dict.fromkeys(brief(certificate.title) for side in sides for certificate in certified(side).values())
    result = []
    for kind, colon, where in (title.partition(":") for title in titles):
        name = re.split("[#?]", where, maxsplit=1)[0]
        there = [folder / name for folder in folders if colon and name and (folder / name).is_file()]
        for address in (f"{kind}:{file}{where[len(name) :]}" for file in there):
            with suppress(VivavoceError):
                open_scope(address)
                result.append(address)
    return result


def _words(title: object) -> str:
    return clipped(title, LONGEST_NAME) if isinstance(title, str) and title.isprintable() else ""


def _certified(
    side: RecordedDossier, details: Mapping[str, Any], title: str, digest: str, questions: int, *, several: bool
) -> RecordedCertificate:
    if side.transcript is None:
        return RecordedCertificate(side, title, digest, questions, several, None, side.why_not)
    try:
        held = claimed(details, side.transcript, side.transcript).held
    except VivavoceError as error:
        return RecordedCertificate(side, title, digest, questions, several, None, str(error))
    on_record = next((name for name, of in held.terms.scopes if of == digest), None)
    if on_record is None:
        return RecordedCertificate(
            side, title, digest, questions, several, None, "the certificate on record is about other questions"
        )
    return RecordedCertificate(side, on_record, digest, questions, several, held)
