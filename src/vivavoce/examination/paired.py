"""Compares two reports question by question: it pairs the answers of both candidates to one scope.

Each certificate of the scope has its own order of questions, and stopped when it had its verdict. Let Q_1, Q_2, ... be the
order in which a scope was drawn, let each candidate's answer to each question be fixed (or drawn with the question, independent
of the order), and D(q) the difference of the two scores on q. What can be shown depends on the orders.

**One order** (the same seed, as a plan that gives one fixes it; claim `scope`). Both were asked Q_1, Q_2, ... The first stopped
after s units, the second after t: the pairs are those of Q_1 ... Q_m, m = min(s, t). The e-processes of `comparison.evidence`
are computed from D(Q_1), D(Q_2), ... and the past alone. They are supermartingales with regard to both candidates' answers to
the questions drawn so far, s and t are stopping times of it, and so is m. None of that is needed: by Ville's inequality an
e-process exceeds 1/delta *ever* with probability at most delta, so also at m, however m came about. The claim is about the
whole scope, that is all of its questions or the distribution they are drawn from, and so are the confidence sequence and the
verdicts.

**One has answered all** (of a finite scope that is drawn without replacement; claim `scope`, too). Then the answers of that one
are fixed and known whatever its order was, and the other's order Q_1 ... Q_t was drawn independently of them. D(Q_1), D(Q_2),
... is a draw without replacement from the D of the whole scope in that order, and the same holds. Which of the two has answered
all may depend on answers, so that either order may come to be used: each at delta / 2. Where both have, D is known.

**Two orders** (claim `in common`). The questions that both have answered are the intersection of two prefixes. Which these are
depends on the answers: a candidate that is lucky at first stops early, and its lucky questions are the ones in common. A new
order over them, drawn now, would give an e-process for *their* mean alone, and that mean needs none: the set is given, the
answers to it are given, so the mean difference on these questions is a known number. It is reported exactly, without an
interval for chance (with one for replies that cannot be read), and nothing is claimed of other questions. For an endless scope
there is nothing in common but by chance, and nothing is reported.

Several scopes and several reports: each of them has delta / K, where K counts all scopes that the first report and a later
one have in common, whatever was answered. So with probability 1 - delta no statement is wrong.

What it assumes: the order was drawn without regard to either candidate's answers, and neither candidate was chosen in view of
the other's answers in this order. Examining many in a known order until one is good finds one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from vivavoce.certificate.attempts.attempt import RecordedAttempt
from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.claims.many_scopes import NAME as MANY
from vivavoce.certificate.comparison import report as parts
from vivavoce.certificate.comparison.asking import Order, answered
from vivavoce.certificate.comparison.compared import ComparedCandidate, PairDifference
from vivavoce.certificate.comparison.concluding import exact_verdict, pair_differences
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.drawing import paired_drawing
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.paired_answers import MOST_KEPT, PairedAnswers, UnitAnswers, discordant
from vivavoce.errors import BadInput, NotOnRecord, VivavoceError
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.parts.certificate import CertificatePart
from vivavoce.examination.recheck.attempt import claimed
from vivavoce.examination.recheck.recorded import RECORDED, Scopes, read_again, silent
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import LONGEST_NAME, clipped, count, exactly, name_of, numbered, signed
from vivavoce.interview.candidate import Usage
from vivavoce.interview.transcript import Transcript
from vivavoce.report.blocks import Report, ReportFigure, paragraphs
from vivavoce.report.reported import figures_of
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Unit

Claim = Literal["scope", "in common"]
"""The subject of a difference: the whole scope, or only the questions that both have answered."""
ORDER_KNOWN: Final = (
    "Question by question: the order of the questions was known when the second candidate was examined. The guarantee holds "
    "only if it was drawn without regard to answers, and neither candidate was chosen in view of the other's."
)
IN_COMMON: Final = (
    "With two orders, the difference is about the questions that both have answered, and no others. Which ones these are "
    "depends on when each examination stopped, and so on the answers."
)
Pairs = list[tuple[Unit, UnitAnswers, UnitAnswers]]
"""A unit with the answers of the later report's candidate, and of the first one's."""
OTHER_SEEDS: Final = (
    "each was asked questions drawn by its own seed, and none are in common; a plan with a seed fixes one order"
)


@dataclass(frozen=True, slots=True)
class PairedScope:
    """A later report compared with the first, on the questions of a scope that both have answered."""

    scope: str
    called: str
    """The scope, for readers, as the first report calls it."""
    digest: str
    first: Dossier
    other: Dossier
    claim: Claim
    one_order: bool
    """Whether both were asked in the same order."""
    common: int
    """Questions that both have answered."""
    pair: PairDifference
    """The later report minus the first."""
    margin: float
    delta: float
    """Bound on the chance that any verdict, on any scope and any report, is wrong."""

    json_keys = "scope scope_digest=digest claim one_order statement in_common=common margin delta=error_bound *figures"

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        if self.claim == "scope":
            return parts.headline(self._compared, (self.pair,), self.called, self.margin)
        other, first = (candidate.called for candidate in self._compared)
        number, ends = self.pair.difference.value or 0.0, self.pair.difference.interval
        by = signed(number) if ends.lower == ends.upper else f"from {signed(ends.lower)} to {signed(ends.upper)}"
        within = exactly(self.margin, "")
        is_ = {"equivalent": f"equivalent within {within} to", "not worse": "not worse than"}.get(self.pair.verdict)
        text = f"{other} is {is_ or f'{self.pair.verdict} than'} {first}"
        if self.pair.verdict == "undecided":
            text = f"undecided whether {other} or {first} is better"
        on = f"On the {numbered(self.common, 'question')} of {self.called} that both have answered"
        return f"{on}, {text}. The difference of their mean scores is {by}."

    @property
    def basis(self) -> str:
        """The basis of the difference, in a sentence."""
        if self.claim == "in common":
            return "The difference on these questions is known; it says nothing about others."
        if self.pair.complete:
            return "All questions of the scope were answered by both."
        after = f"After {count(self.pair.questions)} of {numbered(self.common, 'question')} that both have answered"
        if self.pair.questions == self.common:
            after = f"On {numbered(self.common, 'question')} that both have answered"
        return f"{after}, by a procedure that makes any wrong statement of these at most {self.delta * 100:.3g}% of the time."

    @property
    def statement(self) -> str:
        """The verdict and its basis."""
        return f"{self.headline} {self.basis}"

    @property
    def error_bound(self) -> float | None:
        """`delta`; None if the difference is about the common questions only, on which it is known."""
        return None if self.claim == "in common" else self.delta

    @property
    def figures(self) -> dict[str, Any]:
        """The numbers; `first` is the later report, since the verdict is about it."""
        return self.pair.figures(self._compared)

    def report(self) -> Report:
        """All of it as blocks."""
        names = [candidate.called for candidate in self._compared]
        ends = self.pair.difference.interval
        numbers = parts.of_two(names, self.pair)
        if ends.lower == ends.upper:
            numbers = tuple(block for block in numbers if not isinstance(block, ReportFigure))  # a point, without an interval
        return Report(
            kind="",
            title=f"{names[0]} against {names[1]} on {self.called}",
            headline=clipped(self.headline, 600),
            verdict=parts.shown_verdict((self.pair,)),
            blocks=(*paragraphs(self.basis), *numbers, *parts.discordant(names, self.pair)),
            statement=self.statement,
            signature="",
        )

    @property
    def _compared(self) -> tuple[ComparedCandidate, ComparedCandidate]:
        unknown = Estimate(None, Interval(0.0, 1.0), 0)
        other, first = (
            ComparedCandidate(dossier.candidate, unknown, self.common, 0, Usage(), title=dossier.called)
            for dossier in (self.other, self.first)
        )
        return other, first


@dataclass(frozen=True, slots=True)
class PairedDifferences:
    """All comparisons question by question."""

    scopes: tuple[PairedScope, ...] = ()
    why_not: tuple[str, ...] = ()
    """Reasons why scopes that both were asked are not compared question by question, one sentence each."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the comparisons."""
        known = (ORDER_KNOWN,) if any(scope.one_order for scope in self.scopes) else ()
        return (*known, *((IN_COMMON,) if any(scope.claim == "in common" for scope in self.scopes) else ()))


def pair_up(
    sides: Sequence[RecordedDossier],
    *,
    scopes: Sequence[str] = (),
    config: ComparisonConfig = ComparisonConfig(),  # noqa: B008 -- frozen
) -> PairedDifferences:
    """Each later report compared with the first, question by question.

    Parameters
    ----------
    sides: the reports with their records.
    scopes: addresses of scopes that are not generated; matched by digest.
    config: margin and delta count.
    """
    mine, given = certified(sides[0]), Scopes(scopes)
    asked = [
        (certificate, theirs[digest])
        for theirs in map(certified, sides[1:])
        for digest, certificate in mine.items()
        if digest in theirs
    ]
    each = config.delta / max(1, len(asked))
    paired_scopes, why_not = list[PairedScope](), list[str]()
    for first, other in asked:
        try:
            paired_scopes.append(asyncio.run(_paired(first, other, given, config, each)))
        except (_NotPaired, BadInput) as problem:
            whose = clipped(other.side.dossier.called, 60)
            why = str(problem).rstrip(".")
            why_not.append(f"{first.called}: {whose} is not compared question by question, since {why}.")
    return PairedDifferences(tuple(paired_scopes), tuple(dict.fromkeys(why_not)))


class _NotPaired(Exception):
    """The reason why two certificates are not compared question by question, as a clause."""


async def _paired(
    first: RecordedCertificate, other: RecordedCertificate, given: Scopes, config: ComparisonConfig, delta: float
) -> PairedScope:
    """One claim, wrong with a chance of at most delta. Raises `_NotPaired`, and `NotAtHand` for a missing scope."""
    for certificate in (first, other):
        if certificate.refusal:
            raise _NotPaired(f"of {clipped(certificate.side.dossier.called, 60)} {certificate.refusal}")
    scope = given.find(first.title, first.digest)
    later, before = await other.taken(scope), await first.taken(scope)
    claim: Claim = "scope"
    if first.order == other.order:
        pairs = [(unit, answers, two) for (unit, answers), (_, two) in zip(later, before, strict=False)]
    elif scope.population is not None and scope.population in (len(later), len(before)):
        pairs, delta = _matched(later, before, in_order_of=min(later, before, key=len)), delta / 2
    elif hasattr(scope, "questions"):
        claim, pairs = "in common", _matched(later, before, in_order_of=later)
    else:
        pairs = []
    if not pairs:
        raise _NotPaired(OTHER_SEEDS)
    pair = _of_scope(pairs, scope, config, delta) if claim == "scope" else _in_common(pairs, config.margin)
    common = sum(len(unit) for unit, _, _ in pairs)
    one_order = first.order == other.order
    return PairedScope(
        scope=first.title,
        called=first.called,
        digest=first.digest,
        first=first.side.dossier,
        other=other.side.dossier,
        claim=claim,
        one_order=one_order,
        common=common,
        pair=pair,
        margin=config.margin,
        delta=config.delta,
    )


def _matched(later: Taken, before: Taken, *, in_order_of: Taken) -> Pairs:
    """The units that both have, each once, in the order of one of the two."""
    entry, two = (dict(reversed(taken)) for taken in (later, before))
    both = [unit for unit in dict.fromkeys(unit for unit, _ in in_order_of) if unit in entry and unit in two]
    return [(unit, entry[unit], two[unit]) for unit in both]


def _of_scope(pairs: Pairs, scope: Any, config: ComparisonConfig, delta: float) -> PairDifference:
    """The difference by bets on the pairs in this order, as in `viva compare`, until it is clear."""
    evidence = PairedEvidence([(0, 1)], margin=config.margin, delta=delta, population=scope.population)
    protocol = PairedAnswers(("", " "), [(0, 1)], paired_drawing("scope", scope))
    for unit, answers, two in pairs:
        protocol.take(unit, (answers, two), evidence)
        if evidence.settled.all():
            break
    [pair] = pair_differences(config, delta, evidence, protocol)
    return replace(pair, categories=())  # later pairs would give further statements


def _in_common(pairs: Pairs, margin: float) -> PairDifference:
    """The difference on these questions only: exact, except for unparsed replies."""
    low = np.array([answers.mean.score - two.mean.upper for _, answers, two in pairs])
    high = np.array([answers.mean.upper - two.mean.score for _, answers, two in pairs])
    least, most = float(low.mean()), float(high.mean())
    apart = [(unit, answers, two) for unit, answers, two in pairs if answers.mean.score != two.mean.score]
    return PairDifference(
        pair=(0, 1),
        verdict=exact_verdict(least, most, margin) or "undecided",
        questions=sum(len(unit) for unit, _, _ in pairs),
        difference=Estimate((least + most) / 2, Interval(least, most), len(pairs)),
        better=int((low > 0).sum()),
        worse=int((high < 0).sum()),
        log_e=(0.0, 0.0, 0.0, 0.0),
        complete=False,
        still_needed=None,
        discordant=tuple(discordant(unit, answers, two) for unit, answers, two in apart[:MOST_KEPT]),
    )


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
    """Questions that counted."""
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
        """The counted units, each with its recorded answers; writes nothing to the record."""
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
