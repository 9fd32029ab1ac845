"""Responses of a survey as exported, shares among them, and participants' own answers.

Intervals of shares and means allow for shared people and pairs.

The share of changed beliefs by rank among pairs that the predictor has not seen (Figure 3 of `vafa2024`).

There are two ways to hold pairs out. With earlier answers, the predictor is fitted to them and judged on the other pairs, as
the paper does from stage to stage. Without earlier answers the survey's pairs are divided into folds. Each fold is judged by a
predictor fitted to the others, with all answers about a pair in one fold. Tenths are computed within each fold, because scores
of two fits have different scales; ties are broken at random.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import clipped, count, counted, in_words
from vivavoce.generalization.evaluation.predictor_evaluation import weighted_interval, weighted_mean
from vivavoce.generalization.pairs import NEEDED, BeliefPair, Floats, flag, labelled, read_pairs
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import (
    Caveats,
    Column,
    InFull,
    Paragraph,
    Report,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    method_of,
    paragraphs,
)
from vivavoce.report.cells import TableCell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.clustered import Groups, bounded_share, mean_estimate, share_estimate
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True)
class SurveyResponse:
    """A participant's beliefs about a pair, before and after."""

    pair: BeliefPair
    own_asked: bool = False
    """Whether the survey asks participants for their own answers."""
    own_right: bool | None = None
    """Whether the participant's own answer to the second question is right; None if unknown."""


def read_responses(file: Path) -> list[SurveyResponse]:
    """Read the responses of an exported table, in its order; columns may be missing. Raises `BadFile`, with the line."""
    pairs, table = read_pairs(file), read_table(file, NEEDED)
    own_asked = "own_right" in table.names
    responses = []
    for pair, (line, row) in zip(pairs, table.rows, strict=True):
        try:
            cell = row.get("own_right", "").strip()
            responses.append(SurveyResponse(pair, own_asked=own_asked, own_right=flag(cell, "own_right") if cell else None))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    return responses


def groups_of(pairs: Sequence[BeliefPair]) -> Groups:
    """Groups of dependent answers: by person, if known, and by pair."""
    return [
        {("pair", pair.q1, pair.q2, pair.previous_correct), *([("person", pair.person)] if pair.person else [])}
        for pair in pairs
    ]


def shares_by_number(shares: Sequence[tuple[int, Estimate]], what: str, alt: str, level: float | None = None) -> Lines:
    """Shares of changed beliefs by number, such as by stage.

    level: the share of all answers; None: not drawn.
    """
    across = Axis(what, ticks=tuple((at, str(at)) for at, _ in shares))
    points = LinePoint.all_of((at for at, _ in shares), (share for _, share in shares))
    upwards = Axis("Answers that changed a belief (%)", "percent", span=(0.0, 1.0))
    return Lines(across, upwards, (Line("", points),), alt, None if level is None else (level, "all together"))


UNKNOWN = "too little to say"


def share_in_words(estimate: Estimate) -> str:
    """A share with its interval, or `too little to say`.

    >>> from vivavoce.formats.interval import Interval
    >>> share_in_words(Estimate(0.25, Interval(0.2, 0.3), 300)), share_in_words(Estimate(None, Interval(0, 1), 0))
    ('25% [20, 30]', 'too little to say')
    """
    cell = share_cell(estimate)
    return f"{cell.text} {cell.interval}" if cell.known else UNKNOWN


def share(pairs: Sequence[BeliefPair], hit: Callable[[BeliefPair], bool]) -> Estimate:
    """The share of answers for which `hit` holds; without a value if there are no answers."""
    return share_estimate([hit(pair) for pair in pairs], groups_of(pairs))


def weighted_share(pairs: Sequence[BeliefPair]) -> Estimate:
    """The share of all pairs of the pool that change a belief, by sampling weights.

    It is the ratio estimator (`hajek1971`), with an interval from linearised values that allows for shared people and pairs.
    """
    weights = np.asarray([pair.weight for pair in pairs])
    if not weights.sum() > 0:
        return Estimate(None, Interval(0.0, 1.0), len(pairs))
    changed = np.asarray([bool(pair.changed) for pair in pairs], dtype=float)
    try:
        interval = Interval(*weighted_interval(changed, weights, groups_of(pairs)))
    except NotEnoughEvidence:
        interval = Interval(0.0, 1.0)
    within = Interval(max(0.0, interval.lower), min(1.0, interval.upper))
    return Estimate(weighted_mean(changed, weights), within, len(pairs))


def mean(pairs: Sequence[BeliefPair], values: Sequence[float], *, lowest: float = 0.0) -> Estimate:
    """The mean of numbers from `lowest` to 1; without a value if there are none."""
    return mean_estimate(values, groups_of(pairs), smallest=lowest)


@dataclass(frozen=True, slots=True)
class OwnAnswers:
    """Participants' own answers, and their beliefs by these answers."""

    right: Estimate
    """Share of right answers among graded ones; the interval covers the cases that none or all of the others are right."""
    unreadable: int
    """Own answers that could not be graded."""
    before_right: Estimate
    """Mean first belief if the participant's own answer is right."""
    before_wrong: Estimate
    difference: Estimate
    """The former minus the latter, within participants who have both."""


def own_answers_of(responses: Sequence[SurveyResponse]) -> OwnAnswers | None:
    """Participants' own answers; None if no survey asked for them."""
    responses = [response for response in responses if response.own_asked]
    if not responses:
        return None
    graded = [response for response in responses if response.own_right is not None]
    by_person: dict[str, dict[bool, list[float]]] = {}
    for answer in graded:
        if answer.pair.prior is not None:
            by_person.setdefault(answer.pair.person, {True: [], False: []})[bool(answer.own_right)].append(answer.pair.prior)
    within = np.array(
        [np.mean(times[True]) - np.mean(times[False]) for times in by_person.values() if times[True] and times[False]]
    )
    return OwnAnswers(
        right=_own_right(responses),
        unreadable=len(responses) - len(graded),
        before_right=_belief_before([answer for answer in graded if answer.own_right]),
        before_wrong=_belief_before([answer for answer in graded if not answer.own_right]),
        difference=_mean(within, -1.0),
    )


def _own_right(responses: Sequence[SurveyResponse]) -> Estimate:
    """Answers to the same question, which may be in several pairs, are grouped too."""
    pairs = [response.pair for response in responses]
    groups = [{*group, ("question", pair.q2)} for group, pair in zip(groups_of(pairs), pairs, strict=True)]
    least, most = (
        bounded_share([bool(response.own_right) or (response.own_right is None and unread) for response in responses], groups)
        for unread in (False, True)
    )
    graded = [bool(response.own_right) for response in responses if response.own_right is not None]
    return Estimate(float(np.mean(graded)) if graded else None, Interval(least.lower, most.upper), len(graded))


def _belief_before(responses: Sequence[SurveyResponse]) -> Estimate:
    """The mean over participants of the mean of each one's first beliefs, of answers with both."""
    by_person: dict[str, list[float]] = {}
    for response in responses:
        if response.pair.prior is not None and response.pair.posterior is not None:
            by_person.setdefault(response.pair.person, []).append(response.pair.prior)
    return _mean(np.array([float(np.mean(values)) for values in by_person.values()]), 0.0)


def _mean(values: Floats, smallest: float) -> Estimate:
    return mean_estimate(values, [()] * values.size, smallest=smallest)


OWN: Final = "Participants' own answers"


def own_section(own: OwnAnswers) -> ReportSection:
    """The share of right own answers, and beliefs by own answer."""
    about = about_own(own)
    return ReportSection(OWN, (own_table(own), *((Paragraph(about, quiet=True),) if about else ())))


def about_own(own: OwnAnswers) -> str:
    """A note on own answers that could not be graded; empty if there are none."""
    if not own.unreadable:
        return ""
    number = "1 own answer" if own.unreadable == 1 else f"{own.unreadable} own answers"
    are = "is" if own.unreadable == 1 else "are"
    return (
        f"{number} could not be graded and {are} left out. The interval of the share of right answers covers the cases that "
        "none or all of them are right."
    )


def own_table(own: OwnAnswers) -> ReportTable:
    """The share of right own answers, and beliefs by own answer."""
    columns = (Column("What"), Column("Here"), Column("n"))
    rows = (
        _row("Own answers that are right", share_cell(own.right), own.right),
        _row("Belief before, own answer right", score_cell(own.before_right), own.before_right),
        _row("Belief before, own answer wrong", score_cell(own.before_wrong), own.before_wrong),
        _row("Difference, within participants", signed_cell(own.difference), own.difference),
    )
    return ReportTable(columns, rows)


def _row(what: str, cell: TableCell, estimate: Estimate) -> ReportRow:
    return ReportRow(TableCell(what), (cell, count_cell(estimate.n)))


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
