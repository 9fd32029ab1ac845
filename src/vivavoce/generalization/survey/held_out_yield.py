"""The share of changed beliefs by rank among pairs that the predictor has not seen (Figure 3 of `vafa2024`).

There are two ways to hold pairs out. With earlier answers, the predictor is fitted to them and judged on the other pairs, as
the paper does from stage to stage. Without earlier answers the survey's pairs are divided into folds. Each fold is judged by a
predictor fitted to the others, with all answers about a pair in one fold. Tenths are computed within each fold, because scores
of two fits have different scales; ties are broken at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, counted, in_words
from vivavoce.generalization.pairs import BeliefPair, labelled
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.survey.responses import share, share_in_words, shares_by_number
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Column, InFull, Report, ReportFigure, ReportRow, ReportTable, method_of, paragraphs
from vivavoce.report.cells import TableCell, count_cell, share_cell
from vivavoce.report.figures import Lines
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

TENTHS: Final = 10
FOLDS: Final = 5
Fit = Callable[[Sequence[BeliefPair]], Predictor]


@dataclass(frozen=True, slots=True, repr=False)
class HeldOutYield(ReportedFinding):
    """The finding: the share of changed beliefs by rank among held-out pairs."""

    source: str
    digest: str
    predictor: str
    tenths: tuple[Estimate, ...]
    overall: Estimate
    pairs: int
    """Number of held-out pairs."""
    seen: int
    """Pairs that are left out because the predictor was fitted to them."""
    folds: int | None
    """None if it was fitted to earlier answers."""
    seed: int

    json_keys = "predictor tenths all=overall pairs seen folds"

    @property
    def headline(self) -> str:
        """The first tenth, and the last."""
        return (
            f"Beliefs changed in {share_in_words(self.tenths[0])} of answers in the highest tenth of the predictor's ranking, "
            f"and in {share_in_words(self.tenths[-1])} in the lowest."
        )

    @property
    def statement(self) -> str:
        """The result in two sentences."""
        return f"{self.headline} {self._among_all}"

    @property
    def _among_all(self) -> str:
        unseen = f"which “{clipped(self.predictor, 60)}” had not seen"
        return f"Among all {count(self.pairs)} pairs, {unseen}, they changed in {share_in_words(self.overall)}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the shares."""
        sentences = [
            "Tenths are of the pairs in the survey: if a predictor drew them, they are not tenths of all pairs.",
            "Intervals allow for answers that share a participant or a pair, not for another fit of the predictor.",
            "A held-out pair may share a question with training pairs: the ranking of pairs of new questions may be worse.",
        ]
        if self.seen:
            sentences.append(f"{count(self.seen)} pairs are left out, because the predictor was fitted to them.")
        return tuple(sentences)

    @property
    def signature(self) -> Signature:
        """How these figures were computed."""
        settings = {"predictor": self.predictor, "folds": self.folds or 0, "pairs": self.pairs}
        return Signature(__version__, "generalization survey yield", "people", self.source, self.digest, self.seed, settings)

    @property
    def _by_rank(self) -> Lines:
        known = [(number, tenth) for number, tenth in enumerate(self.tenths, 1) if tenth.value is not None]
        first, last = share_in_words(self.tenths[0]), share_in_words(self.tenths[-1])
        alt = (
            "Answers that changed a belief among held-out pairs, by tenth of the predictor's ranking: "
            f"{first} in the first tenth, {last} in the last. Bars: 95% intervals."
        )
        return shares_by_number(known, "Tenth of the predictor's ranking, the highest first", alt, self.overall.value)

    def report(self) -> Report:
        """The whole finding as blocks."""
        columns = (Column("Tenth of the ranking"), Column("Answers that changed a belief"), Column("Answers"))
        rows = tuple(
            ReportRow(TableCell(str(number), number), (share_cell(tenth), count_cell(tenth.n)))
            for number, tenth in enumerate(self.tenths, 1)
        )
        foot = (ReportRow(TableCell("all"), (share_cell(self.overall), count_cell(self.overall.n)), kind="sum"),)
        if self.folds is None:
            how = "The predictor was fitted to earlier answers; pairs among these are left out."
        else:
            how = f"Pairs were divided into {in_words(self.folds)} folds, each judged by a predictor fitted to the others."
        return self.reported(
            "Held-out yield by rank",
            f"Changes by rank in {clipped(self.source, 200)}",
            InFull(paragraphs(self._among_all)),
            ReportFigure(self._by_rank),
            Caveats(self.caveats),
            ReportTable(columns, rows, foot),
            method_of((how,)),
        )


def held_out_yield(
    pairs: Sequence[BeliefPair],
    fit: Fit,
    *,
    predictor: str,
    source: str,
    digest: str = "",
    earlier: Sequence[BeliefPair] = (),
    folds: int = FOLDS,
    seed: int = 0,
) -> HeldOutYield:
    """The share of changed beliefs by rank among held-out pairs.

    pairs: answers to judge the predictor on.
    fit: fits a predictor to answers.
    predictor: its name.
    earlier: answers to fit to; without any, `pairs` are divided into `folds`.

    Raises `NotEnoughEvidence` for fewer held-out pairs than tenths, or if no earlier answer says whether a belief changed.
    """
    known = labelled(pairs)
    rng = np.random.default_rng(seed)
    trained = {_key(pair) for pair in labelled(earlier)}
    if earlier and not trained:
        raise NotEnoughEvidence(f"none of {len(earlier)} earlier answers has a change of belief: give labelled ones")
    keys = sorted({_key(pair) for pair in known} - trained)
    if len(keys) < TENTHS:
        raise NotEnoughEvidence(f"{counted(len(keys), 'held-out pair')}: tenths of a ranking need at least {TENTHS}")
    if not trained and not 2 <= folds <= len(keys) // TENTHS:
        raise BadInput(
            f"{folds} folds of {len(keys)} pairs: give from 2 to {len(keys) // TENTHS}, so that each fold has tenths"
        )
    order = [keys[int(index)] for index in rng.permutation(len(keys))]
    parts = [order] if trained else [order[start::folds] for start in range(folds)]
    tenth: dict[tuple[str, str, bool], int] = {}
    for part in parts:
        inside = set(part)
        learnt = labelled(earlier) if trained else [pair for pair in known if _key(pair) not in inside]
        first = {_key(pair): pair for pair in known}
        chances = fit(learnt).predict([first[key] for key in part])
        ranked = [part[int(index)] for index in np.argsort(-np.asarray(chances), kind="stable")]  # `part` is shuffled
        for number, indices in enumerate(np.array_split(np.arange(len(ranked)), TENTHS)):
            tenth |= {ranked[int(index)]: number for index in indices}
    judged = [pair for pair in known if _key(pair) in tenth]
    tenths = [share([pair for pair in judged if tenth[_key(pair)] == number], _changed) for number in range(TENTHS)]
    seen = len({_key(pair) for pair in known} & trained)
    return HeldOutYield(
        source, digest, predictor, tuple(tenths), share(judged, _changed), len(keys), seen, None if trained else folds, seed
    )


def _key(pair: BeliefPair) -> tuple[str, str, bool]:
    return (pair.q1, pair.q2, pair.previous_correct)


def _changed(pair: BeliefPair) -> bool:
    return bool(pair.changed)
