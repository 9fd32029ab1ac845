"""The report on one candidate: all findings, and the answer that they give, never stronger than the findings; also as JSON.

Files are untrusted: their size is limited, and they are checked and never evaluated.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import fsum
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from vivavoce.certificate.report.junit import JUnitCase, Outcome
from vivavoce.errors import BadFile, BadInput
from vivavoce.examination.part import Claim, ComparableFigure, Count, FindingCard, Kind, Nature, Text
from vivavoce.examination.parts.certificate import CertificatePart
from vivavoce.examination.rooms import QUESTIONS, Room
from vivavoce.formats.json_values import given
from vivavoce.formats.lines import write_whole
from vivavoce.formats.wording import LONGEST_NAME, clipped, count, first_problem, name_of, numbered, share
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Signature
from vivavoce.report.cells import listed
from vivavoce.report.reported import FORMAT, document, figures_of
from vivavoce.settings import DELTA

FAULT_DELTA: Final = DELTA / 3
"""Bound on the chance that a report says any fault that is not there. The certificates of the default plan have the rest."""
FAULT_TESTS: Final = 5
"""Tests for faults in the default report. A test that ends early counts as well: otherwise its end could help the others."""


def judged_cards(cards: Sequence[FindingCard]) -> tuple[FindingCard, ...]:
    """The cards with the faults that their measurements show, the worst first.

    By Holm's rule (`holm1979`), the chance of any wrong one is at most `FAULT_DELTA`, however the tests depend on each other.
    Certificates stay first. Then come contradictions, which need no test because they can be read, and faults by p-value.
    """
    tests = sorted(claim.fault.p for card in cards for claim in card.claims if claim.fault is not None)
    number = max(FAULT_TESTS, len(tests))
    held = next((rank for rank, p in enumerate(tests) if p > FAULT_DELTA / (number - rank)), len(tests))
    largest = tests[held - 1] if held else -1.0
    judged = [replace(card, claims=tuple(_judged(claim, largest) for claim in card.claims)) for card in cards]
    return tuple(sorted(judged, key=_order))


def faults_guarantee(cards: Sequence[FindingCard]) -> str:
    """The bound on wrong faults, in a sentence; empty without a test."""
    if not any(claim.fault for card in cards for claim in card.claims):
        return ""
    return f"Measurements are tested for faults: any fault named is wrong at most {share(FAULT_DELTA)} of the time."


def _judged(claim: Claim, largest: float) -> Claim:
    if (fault := claim.fault) is None or fault.p > largest:
        return claim
    return replace(claim, kind="not", words=fault.words, subject=fault.subject)


def _order(card: FindingCard) -> tuple[int, float]:
    faults = [claim for claim in card.claims if claim.kind == "not"]
    if card.room == CertificatePart.room:
        return 0, 0.0
    return (1, min(claim.fault.p if claim.fault else -1.0 for claim in faults)) if faults else (2, 0.0)


KIND: Final = "report"
"""Kind of the JSON document."""


@dataclass(frozen=True, slots=True)
class ExaminationConduct:
    """The conduct of an examination: with its record, enough to run it again."""

    candidate: str
    """Name given by the caller, without folders."""
    plan: Mapping[str, Any]
    """The plan as JSON values; files by their names."""
    files: tuple[tuple[str, str], ...]
    """Name and digest of each file and scope that the plan names."""
    budget_ended: Mapping[str, tuple[BudgetEnd | None, ...]]
    """The limit of the budget that ended the questions, for each interview that it ended."""
    strict_faults: bool = False
    """Whether rate-limited questions counted as received."""
    source: str = ""
    """Digest of the candidate's source, if the record has one."""


@dataclass(frozen=True, slots=True)
class Dossier:
    """All findings on one candidate.

    >>> dossier = Dossier("bot:x", "bot", "ab", (), (SkippedRoom("luna", "left out by the plan"),), Usage())
    >>> dossier.headline
    'bot:x took no test with a pass mark.'
    """

    candidate: str
    """The candidate's recorded name."""
    nature: Nature
    plan_digest: str
    cards: tuple[FindingCard, ...]
    absent: tuple[SkippedRoom, ...]
    """Examinations without a finding, with the reasons."""
    spending: Usage
    """The cost of all answers behind the findings, including recorded ones. Answers still in flight at a verdict don't count,
    so a run that was killed and resumed reports the same cost.
    """
    conduct: ExaminationConduct | None = field(default=None, compare=False)
    """None if the report was read from a file."""
    name: str = ""
    """Display name; empty: `candidate`."""

    @property
    def called(self) -> str:
        """The candidate's name for readers."""
        if self.name:
            return name_of(self.name)
        if self.nature == "engine":
            from vivavoce.consistency.chess.comparison import engine

            return name_of(engine(self.candidate))
        return name_of(self.candidate)

    @property
    def judged(self) -> tuple[FindingCard, ...]:
        """The cards with the faults that they show, the worst first (`faults.judged_cards`)."""
        return judged_cards(self.cards)

    @property
    def answer(self) -> Answer:
        """The tests that it passes, the uses to avoid, and what is unknown."""
        return answer_of(self.judged, self.absent)

    @property
    def headline(self) -> str:
        """The result in a sentence."""
        return f"{self.called} {self.answer.result}."

    @property
    def statement(self) -> str:
        """The whole answer in sentences."""
        return f"{self.headline} {self.answer.paragraph}"

    @property
    def verdict(self) -> Literal["pass", "fail", "undecided"] | None:
        """The worst verdict of all certificates and of all studies with a limit; None without any."""
        kinds = {claim.kind for card in with_pass_mark(self.cards) for claim in card.claims}
        return "fail" if "not" in kinds else "undecided" if "unknown" in kinds else "pass" if kinds else None

    def of(self, room: str) -> Sequence[FindingCard]:
        """The findings of one examination."""
        return [card for card in self.cards if card.room == room]

    def as_json(self, *, made: datetime, version: str) -> dict[str, Any]:
        """The report as JSON values; with the same findings only the date differs. Apart from other findings: it takes a date.

        Parameters
        ----------
        made: when, with its time zone; written in UTC.
        version: of the program.
        """
        seed = None if self.conduct is None else self.conduct.plan.get("seed")
        signature = Signature(version, KIND, self.candidate, "plan", self.plan_digest, seed or 0, {})
        return document(
            KIND,
            statement=self.statement,
            verdict=self.verdict,
            candidates=(self.candidate,),
            figures={"spending": self.spending},
            caveats=[f"Not examined: {room.question} ({room.reason})" for room in self.absent if room.fits],
            signature=signature,
            made=made.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            **given(name=self.name),
            nature=self.nature,
            plan_digest=self.plan_digest,
            cards=self.judged,
            absent=self.absent,
            **given(examination=self.conduct),
        )


OUTCOMES: Final[Mapping[Kind, Outcome]] = {"trusted": "passed", "measured": "passed", "not": "failed", "unknown": "skipped"}
VERDICTS: Final[Mapping[Kind, str]] = {
    "trusted": "pass",
    "measured": "measured",
    "not": "fail",
    "unknown": "unknown",
}


def cases_of_dossier(dossier: Dossier) -> tuple[JUnitCase, ...]:
    """A case for each claim; examinations without a finding are skipped, with the reason."""
    claims = (_case(card, claim) for card in dossier.judged for claim in card.claims)
    absent = (JUnitCase(room.room, "skipped", "not examined", room.reason) for room in dossier.absent)
    return (*claims, *absent)


def _case(card: FindingCard, claim: Claim) -> JUnitCase:
    return JUnitCase(f"{card.room}: {claim.words}", OUTCOMES[claim.kind], VERDICTS[claim.kind], card.statement)


PASSES: Final = "Passes"
FAILS: Final = "Don't use it for"
UNKNOWN: Final = "Unknown"
MEASURED: Final = "Measured only"
NONE_PASSED: Final = "none of the tests"
NONE_FAILED: Final = "no test failed"
MOST_NAMED: Final = 3
"""Failed tests that the first sentence names."""


@dataclass(frozen=True, slots=True)
class SkippedRoom:
    """An examination without a finding, and the reason."""

    room: str
    reason: str
    fits: bool = True
    """Whether the examination is for such a candidate at all; if not, its question is not open."""

    @property
    def question(self) -> str:
        """The open question."""
        return QUESTIONS[self.room]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer in parts, each with its phrases."""

    result: str
    """After the candidate's name: how many tests it passes, and what not to use it for."""
    trusted: tuple[str, ...]
    not_for: tuple[str, ...]
    unknown: tuple[str, ...]
    measured: tuple[str, ...]
    """Sentences."""
    guarantee: str
    """The bound on the errors of all verdicts together, in a sentence; empty without verdicts."""

    @property
    def paragraph(self) -> str:
        """The answer without the result.

        >>> print(Answer("passes the test", ("sums",), (), ("anything else",), (), "").paragraph)
        Passes: sums. Don't use it for: no test failed. Unknown: anything else.
        """
        parts = [f"{heading}: {joined(kind, texts).rstrip('.')}." for kind, heading, texts in parts_of(self)]
        return " ".join(filter(None, [*parts, self.guarantee]))


def parts_of(answer: Answer) -> list[tuple[Kind, str, tuple[str, ...]]]:
    """The parts of an answer with their headings. Empty parts say so, or are left out."""
    rows: list[tuple[Kind, str, tuple[str, ...]]] = [
        ("trusted" if answer.trusted else "unknown", PASSES, answer.trusted or (NONE_PASSED,)),
        ("not" if answer.not_for else "unknown", FAILS, answer.not_for or (NONE_FAILED,)),
        ("unknown", UNKNOWN, answer.unknown),
        ("measured", MEASURED, answer.measured),
    ]
    return [row for row in rows if row[2]]


def joined(kind: Kind, texts: Sequence[str]) -> str:
    """Phrases as a list; measurements are whole sentences."""
    return (" " if kind == "measured" else "; ").join(texts)


def with_pass_mark(cards: Sequence[FindingCard]) -> list[FindingCard]:
    """The findings with a pass mark: certificates, and studies with a limit."""
    return [card for card in cards if card.room == CertificatePart.room or figures_of(card.details).get("limit_test")]


def answer_of(cards: Sequence[FindingCard], absent: Sequence[SkippedRoom]) -> Answer:
    """The answer that the findings give; anything not tested is unknown."""

    def of(kind: Kind) -> tuple[str, ...]:
        return tuple(claim.words for card in cards for claim in card.claims if claim.kind == kind)

    questions = [f"“{skipped.question}” (not examined)" for skipped in absent if skipped.fits]
    return Answer(
        _result(cards),
        of("trusted"),
        of("not"),
        (*of("unknown"), *questions, "anything else"),
        of("measured"),
        _guarantee(cards),
    )


def _result(cards: Sequence[FindingCard]) -> str:
    kinds = [claim.kind for card in with_pass_mark(cards) for claim in card.claims]
    passed = f"passes {count(kinds.count('trusted'))} of {numbered(len(kinds), 'test')}"
    if not kinds:
        passed = "took no test with a pass mark"
    undecided = f" ({count(kinds.count('unknown'))} undecided)" if "unknown" in kinds else ""
    failed = [
        clipped(claim.subject or claim.words, LONGEST_NAME) for card in cards for claim in card.claims if claim.kind == "not"
    ]
    if len(failed) > MOST_NAMED + 1:
        failed = [*failed[:MOST_NAMED], f"{count(len(failed) - MOST_NAMED)} more"]
    return f"{passed}{undecided}" + (f". Don't use it for {listed(failed)}" if failed else "")


def _guarantee(cards: Sequence[FindingCard]) -> str:
    """The bound for all verdicts together: at most the sum of the bounds of each procedure."""
    promises = Counter(promise for card in cards if (promise := _promise(card)))
    each = [_sentence(promise, number) for promise, number in promises.items()]
    total = fsum(number * promise.chance for promise, number in promises.items())
    if faults := faults_guarantee(cards):
        each.append(faults)
        total += FAULT_DELTA
    if promises.total() + bool(faults) > 1 and total < 1 and not any(promise.shared for promise in promises):
        each.append(f"Together they give any wrong verdict at most {share(total)} of the time.")
    return " ".join(each)


class _Promise(NamedTuple):
    """The bound on the errors of a card's verdicts."""

    verdicts: int
    chance: float
    shared: bool
    """Whether the bound is on the mean share of wrong verdicts."""


def _promise(card: FindingCard) -> _Promise | None:
    """None if the card gives no verdict."""
    bounds = [(claim.chance, claim.shared) for claim in card.claims if claim.chance is not None]
    return _Promise(len(bounds), *bounds[0]) if bounds else None


def _sentence(promise: _Promise, cards: int) -> str:
    """The promise of so many cards."""
    number, chance = promise.verdicts * cards, share(promise.chance)
    verdicts = f"{numbered(number, 'verdict')} {'comes' if number == 1 else 'come'} from"
    procedures = "a procedure" if cards == 1 else f"{count(cards)} procedures"
    if promise.shared:
        return f"{verdicts} {procedures}: on average at most {chance} of its verdicts are wrong."
    wrong = "is wrong" if promise.verdicts == 1 else "gives any wrong one"
    return f"{verdicts} {procedures}{' that' if cards == 1 else ', each of which'} {wrong} at most {chance} of the time."


LARGEST: Final = 20_000_000
"""Bytes of a report."""
MOST: Final = 1_000
"""Most cards in a report, and most claims, figures and caveats in a card."""

Moment = Annotated[AwareDatetime, Field(ge=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9999, 1, 1, tzinfo=UTC))]


@dataclass(frozen=True, slots=True)
class _Card:
    room: Room
    statement: Text
    claims: Annotated[tuple[Claim, ...], Field(max_length=MOST)]
    figures: Annotated[tuple[ComparableFigure, ...], Field(max_length=MOST)]
    caveats: Annotated[tuple[Text, ...], Field(max_length=MOST)]
    command: Text
    scope_digest: Text
    signature: Text
    details: dict[str, Any]


@dataclass(frozen=True, slots=True)
class _SkippedPart:
    room: Room
    reason: Text
    fits: bool


@dataclass(frozen=True, slots=True)
class _Usage:
    tokens_in: Count
    tokens_out: Count
    money: Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True)
class _Figures:
    spending: _Usage


@dataclass(frozen=True, slots=True)
class _File:
    kind: Literal["report"]
    format: Literal[1]
    version: Text
    candidates: Annotated[tuple[Text], Field()]
    figures: _Figures
    made: Moment
    nature: Nature
    plan_digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    cards: Annotated[tuple[_Card, ...], Field(max_length=MOST)]
    absent: Annotated[tuple[_SkippedPart, ...], Field(max_length=MOST)]
    name: Text = ""


@dataclass(frozen=True, slots=True)
class DossierFile:
    """A report as it was written, with date and version."""

    dossier: Dossier
    made: datetime
    version: str


def dossier_from_json(text: str | bytes) -> DossierFile:
    """The report in a file; its answer is recomputed from its claims, and findings are only JSON values. Raises `BadInput` for
    text that is not a report, is too large, or is from a later version.
    """
    if len(text) > LARGEST:
        raise BadInput(f"larger than {LARGEST} bytes, so it is not a report")
    try:
        file = TypeAdapter(_File).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["loc"] == ("format",) and first["type"] == "literal_error":
            raise BadInput(f"not in format {FORMAT}: read it with the version that wrote it") from None
        raise BadInput(
            f"is not a report ({first_problem(error, whole='the file')}): give the report.json of 'viva report'"
        ) from None
    return DossierFile(_dossier(file), file.made, file.version)


def read_dossier(file: Path) -> DossierFile:
    """The report in a file. Raises `BadFile`."""
    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST + 1)
    except OSError as error:
        raise BadFile(file, f"can't be read: {error.strerror or error}") from None
    try:
        return dossier_from_json(text)
    except BadInput as error:
        raise BadFile(file, str(error)) from None


def write_dossier(
    file: Path,
    dossier: Dossier,
    *,
    made: datetime,
    version: str,
    of_run: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Write the report as JSON, and return what was written.

    Parameters
    ----------
    of_run: keys of this run only, after the report: `transcript_head`, or `run`, which contains it.
    """
    values = {**dossier.as_json(made=made, version=version), **of_run}
    write_whole(file, json.dumps(values, indent=1, allow_nan=False) + "\n")
    return values


def _dossier(file: _File) -> Dossier:
    spent = file.figures.spending
    return Dossier(
        candidate=file.candidates[0],
        nature=file.nature,
        plan_digest=file.plan_digest,
        cards=tuple(FindingCard(**{name: getattr(card, name) for name in _Card.__dataclass_fields__}) for card in file.cards),
        absent=tuple(SkippedRoom(part.room, part.reason, part.fits) for part in file.absent),
        spending=Usage(spent.tokens_in, spent.tokens_out, spent.money),
        name=file.name,
    )
