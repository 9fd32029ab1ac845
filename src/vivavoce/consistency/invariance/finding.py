"""What varying questions finds: on which share the answer flips, and whether that is rare enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from vivavoce.consistency.forecasts.outcomes import copies_of, unread_caveats_of
from vivavoce.consistency.invariance.config import SAME
from vivavoce.consistency.invariance.report import certificate, examples, method, plotted, rates, verdict
from vivavoce.consistency.invariance.summary import Flip, FlipRate, Judgements, KindSummary, Robustness
from vivavoce.consistency.invariance.words import between, certified, excess_in_words, rate_in_words
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs, replies
from vivavoce.report.reported import Reported

LONGEST_NAME: Final = 120
FEW: Final = 30
"""Questions, below which that is said."""


@dataclass(frozen=True, slots=True, repr=False)
class InvarianceFinding(Reported):
    """What `examine.ask` returns."""

    candidate: str
    scope: str
    variants: int
    """Of each question for each kind; the identical question was asked again as often."""
    kinds: tuple[KindSummary, ...]
    """In the order in which they were asked for."""
    control: FlipRate
    """Of the identical question, over all questions."""
    robustness: Robustness | None
    """None where no certificate was wanted, or nothing was varied."""
    flips: tuple[Flip, ...]
    not_reached: int
    """Questions that the budget did not reach, or not with all their variants."""
    several_in_a_unit: bool
    """Whether some questions were drawn together."""
    free_texts: int
    """Questions whose answers are texts, which are compared as texts."""
    replies: Mapping[str, int]
    """What became of single replies: `read`, or why not -> how many."""
    writer: str
    """Who wrote variants; empty where nobody did."""
    checker: str
    asked_so: tuple[str, ...]
    """What a reader must know of how it was asked."""
    signature: Signature
    law: str = SAME
    """What must hold between the answers."""
    judge: str = ""
    """Who decided whether open answers say the same; empty where nobody did."""
    judgements: Judgements | None = None
    """What that came to; None where nobody judged."""

    @property
    def compared(self) -> int:
        """Questions that were asked with variants of at least one kind; the largest number of any kind."""
        return max((row.rate.n for row in self.kinds), default=0)

    @property
    def measured(self) -> bool:
        """Whether any question can be said to have flipped or not."""
        return any(row.rate.n > row.rate.unknown for row in self.kinds)

    @property
    def name(self) -> str:
        """The candidate's, fit to begin a sentence."""
        return clipped(self.candidate, LONGEST_NAME)

    @property
    def headline(self) -> str:
        """The verdict where there is one, else the kind under which the answer flips most often."""
        if self.robustness is not None:
            return certified(self.robustness, self.name)
        rows = self._by_rate()
        if not rows:
            unused = ", or nothing that was written could be used" if self.writer else ""
            return f"Nothing was varied: no kind applies to a question that {self.name} was asked{unused}."
        row = rows[0]
        return f"With {row.about}, {self.name} changes its answer {excess_in_words(row.excess)}: on {between(row.rate)}."

    @property
    def copies(self) -> str:
        """How many replies only repeat the prompt, in one sentence; empty where few do."""
        return copies_of(self.replies)

    @property
    def others(self) -> str:
        """The rates of all kinds and of the control, in a sentence; empty where nothing was varied."""
        rates = [f"{row.name} {_rate(row.rate)}" for row in self._by_rate()]
        again = f"{_rate(self.control)} with the identical question asked again"
        return f"Flips by kind: {', '.join(rates)}; {again}." if rates else ""

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(filter(None, (self.headline, self.copies, self.others)))

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        heard = unread_caveats_of(self.replies)
        return (*_caveats(self), *heard, *self.asked_so)

    def report(self) -> Report:
        """All of it as blocks."""
        about = f"{_LEAD} Questions: {clipped(self.scope, LONGEST_NAME) or 'not named'}."
        found = self.reported(
            "Invariances",
            f"Variations and {self.name}",
            InFull(paragraphs(self.others, about)),
            *certificate(self.robustness),
            rates(self.kinds, self.control),
            *plotted(self.kinds, self.control, None if self.robustness is None else self.robustness.limit),
            *examples(self.flips),
            *replies(self.replies),
            Caveats(self.caveats),
            method(self.kinds, self.variants),
        )
        return found if self.robustness is None else replace(found, verdict=verdict(self.robustness))

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "scope": self.scope,
            "variants": self.variants,
            **({} if self.law == SAME else {"law": self.law}),
            "kinds": [row.as_json() for row in self.kinds],
            "control": self.control.as_json(),
            "robustness": None if self.robustness is None else self.robustness.as_json(),
            "flips": [flip.as_json() for flip in self.flips],
            "not_reached": self.not_reached,
            "replies": dict(self.replies),
            "writer": self.writer or None,
            "checker": self.checker or None,
            **({} if self.judgements is None else {"judge": self.judge, "judgements": self.judgements.as_json()}),
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }

    def _by_rate(self) -> list[KindSummary]:
        return sorted((row for row in self.kinds if row.rate.n), key=lambda row: row.rate.least or 0.0, reverse=True)


_LEAD: Final = "Each question is asked as it is, once more as it is, and with variations that must not matter."
NOT_TRUTH: Final = "An answer that stays the same need not be right, and one that flips is wrong at least once."
CLAIM: Final = (
    "That a variation must not matter is a claim: read the questions on which the answer flips before blaming anybody."
)
LAW: Final = (
    "An answer counts as another one where it breaks the law '{law}' with that to the question as it is, and as the same where "
    "it keeps it."
)
OTHERS: Final = (
    "Other variants of the same kind, or more of them, may show more flips: each question had the number fixed here."
)
EACH: Final = "Each interval is at level 95% by itself: of many kinds, some excess may be a matter of chance."
CHANCE: Final = (
    "The certificate counts every flip, also those of chance that the identical question shows: a candidate that answers "
    "differently each time is not robust."
)
UNKNOWN: Final = (
    "Where a reply cannot be read, or says that it does not know, and the others agree, nobody can tell whether the answer "
    "flipped: rates then go from their least to their most."
)
FREE: Final = "Free texts differ by rule only if both are closed, such as names, numbers, yes and no. Others need a judge."
OWN_JUDGE: Final = "The candidate judged itself whether its answers say the same."
SHARED: Final = "Some questions were drawn together, and are alike; intervals and certificate allow for it."
TYPOS: Final = "A typing error may by chance make another word."
OWN: Final = "The candidate wrote variants itself: they are in words that are familiar to it, so that flips may be too few."
SELF_CHECKED: Final = "The writer checked itself."
UNCHECKED: Final = "Nobody checked what was written: a flip may be an error of the writer."
WRITTEN: Final = "A checker errs: a variant that does not ask the same makes a flip that is none."


def _caveats(finding: InvarianceFinding) -> tuple[str, ...]:
    """In the order of their weight."""
    unknown = finding.control.unknown + sum(row.rate.unknown for row in finding.kinds)
    written = bool(finding.writer)
    told = {
        NOT_TRUTH: True,
        CLAIM: True,
        LAW.format(law=clipped(finding.law, LONGEST_NAME)): finding.law != SAME,
        OTHERS: True,
        CHANCE: finding.robustness is not None,
        EACH: len(finding.kinds) > 1,
        UNKNOWN: bool(unknown),
        FREE: bool(finding.free_texts) and finding.judgements is None,
        _judged(finding): finding.judgements is not None,
        OWN_JUDGE: bool(finding.judge) and finding.judge == finding.candidate,
        TYPOS: any(row.name == "typos" and row.rate.n for row in finding.kinds),
        OWN: written and finding.writer == finding.candidate,
        SELF_CHECKED: written and finding.writer == finding.checker,
        UNCHECKED: written and not finding.checker,
        WRITTEN: written and bool(finding.checker),
        **{_left_out(row): bool(row.left_out) for row in finding.kinds},
        f"Fewer than {FEW} questions were varied: intervals are wide.": 0 < finding.compared < FEW,
        SHARED: finding.several_in_a_unit,
        _not_reached(finding.not_reached): bool(finding.not_reached),
    }
    return tuple(sentence for sentence, applies in told.items() if applies)


def _judged(finding: InvarianceFinding) -> str:
    found = finding.judgements
    if found is None:
        return ""
    told = (
        f"{count(found.undecided)} of {count(found.pairs)} pairs it left open, {count(found.torn)} of them since it said "
        "otherwise when they came in the other order"
    )
    late = f" The budget ran out before {count(found.not_asked)} pairs were judged." if found.not_asked else ""
    return (
        f"Whether two open answers say the same was decided by {clipped(finding.judge, LONGEST_NAME)}, which errs as judges "
        f"do; {told}.{late}"
    )


def _rate(rate: FlipRate) -> str:
    return f"{rate_in_words(rate)} {percent_interval(rate.interval)}"


def _left_out(row: KindSummary) -> str:
    number = sum(row.left_out.values())
    questions = "1 question has" if number == 1 else f"{count(number)} questions have"
    share = percent(number / (number + row.rate.n)) if number + row.rate.n else "0%"
    return f"{questions} no variant of the kind '{row.name}' ({share}): its rate is that of the others."


def _not_reached(number: int) -> str:
    questions = "1 question was" if number == 1 else f"{count(number)} questions were"
    return f"{questions} not asked with all variants, because the budget ran out; they have no part in any rate."
