"""Two reports question by question: what both candidates answered of one scope, paired.

Certificates of the same scope were drawn in an order each, and stopped each when it had its verdict. Let Q_1, Q_2, ... be the
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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np

from vivavoce.certificate.comparison import report as parts
from vivavoce.certificate.comparison.compared import ComparedCandidate, PairDifference
from vivavoce.certificate.comparison.concluding import exact_verdict, pair_differences
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.drawing import paired_drawing
from vivavoce.certificate.comparison.evidence import PairedEvidence
from vivavoce.certificate.comparison.paired_answers import MOST_KEPT, PairedAnswers, UnitAnswers, discordant
from vivavoce.errors import BadInput
from vivavoce.examination.answers_on_record import RecordedCertificate, RecordedDossier, Taken, certified
from vivavoce.examination.dossier import Dossier
from vivavoce.examination.recheck.scopes import Scopes
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, exactly, numbered, signed
from vivavoce.interview.candidate import Usage
from vivavoce.report.blocks import Report, ReportFigure, paragraphs
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
            return "The difference on these questions is known; it says nothing of others."
        if self.pair.complete:
            return "All questions of the scope were answered by both."
        after = f"After {count(self.pair.questions)} of {numbered(self.common, 'question')} that both have answered"
        if self.pair.questions == self.common:
            after = f"On {numbered(self.common, 'question')} that both have answered"
        return f"{after}, by a procedure that makes any wrong statement of these at most {self.delta * 100:.3g}% of the time."

    @property
    def statement(self) -> str:
        """The verdict, and what it rests on."""
        return f"{self.headline} {self.basis}"

    @property
    def error_bound(self) -> float | None:
        """`delta`, where the difference is about more than the questions in common, on which it is known."""
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
    """Why two certificates are not compared question by question, in a clause."""


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
    """By bets on the pairs in this order, as in `viva compare`, until it is clear."""
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
