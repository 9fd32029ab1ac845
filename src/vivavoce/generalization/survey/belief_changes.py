"""The survey finding: how often beliefs changed, by stage and by the shown answer, and the distribution of beliefs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate
from vivavoce.formats.wording import clipped, count, counted, numbered, percent, percent_interval
from vivavoce.generalization.pairs import BeliefPair, labelled
from vivavoce.generalization.survey.responses import (
    UNKNOWN,
    OwnAnswers,
    mean,
    own_section,
    share,
    share_in_words,
    shares_by_number,
    weighted_share,
)
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, count_cell, score_cell, share_cell, signed_cell
from vivavoce.report.figures import Histogram, Lines
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True)
class StageShares:
    """Shares of changed beliefs in one stage of a survey."""

    stage: int | None
    """None if the answers have no stage."""
    changed: Estimate
    """Share of answers with a belief change."""
    weighted: Estimate | None
    """Weighted estimate for the whole pool; None if all weights are equal."""


@dataclass(frozen=True, slots=True)
class AnswerEffect:
    """Beliefs after a right answer, or after a wrong one."""

    changed: Estimate
    risen: Estimate
    """Share of answers after which the belief was higher."""
    fallen: Estimate
    posterior: Estimate
    """Mean belief afterwards, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class BeliefSpread:
    """The distribution of beliefs and of their changes (Figure 5 of `vafa2024`)."""

    prior: Estimate
    """Mean."""
    posterior: Estimate
    change: Estimate
    """Mean signed change."""
    slight: Estimate
    """Share of changes of 5 percentage points or less."""
    priors: tuple[int, ...]
    """Number of answers with a belief from 0, from 10 ... from 90 to 100 percent."""
    posteriors: tuple[int, ...]
    changes: tuple[int, ...]
    """Number of beliefs that fell by 90 to 100 points ... by up to 10, stayed, rose by up to 10 ... by 90 to 100."""


def spread_figures(spread: BeliefSpread | None) -> tuple[blocks.Block, ...]:
    """Histograms of beliefs and of changes (Figure 5 of `vafa2024`); nothing if only changes are known."""
    if spread is None:
        return ()
    most = max(*spread.priors, *spread.posteriors) / spread.prior.n
    before, after = (_beliefs(counts, most, when) for when, counts in (("before", spread.priors), ("after", spread.posteriors)))
    return blocks.Panels((before, after)), blocks.ReportFigure(_changes_histogram(spread.changes))


def _beliefs(counts: Sequence[int], most: float, when: str) -> blocks.ReportFigure:
    shares = tuple(number / sum(counts) for number in counts)
    alt = f"Beliefs {when} the answer was seen: {percent(sum(shares[3:7]))} are from 30 to 69 percent."
    data = Histogram(0.0, 10.0, shares, alt, "Belief (%)", "Answers", "percent", limit=None, top=most)
    return blocks.ReportFigure(data, title=f"Beliefs {when}")


def _changes_histogram(changes: Sequence[int]) -> Histogram:
    """Unchanged beliefs are a mark in the middle, not a bar."""
    half, answers = len(changes) // 2, sum(changes)
    stayed, rose = changes[half] / answers, sum(changes[half + 1 :]) / answers
    moved = tuple(number / answers for index, number in enumerate(changes) if index != half)
    alt = f"Changes in percentage points: {percent(stayed)} of the beliefs stayed, {percent(rose)} rose, and the others fell."
    return Histogram(
        -10.0 * half, 10.0, moved, alt, "Change in percentage points", "Answers", "percent", limit=None,
        mark=(0.0, f"no change: {percent(stayed)}"),
    )  # fmt: skip


def stage_lines(stages: Sequence[StageShares]) -> Lines:
    """Shares of changed beliefs by stage."""
    shown = [(stage.stage, stage.changed) for stage in stages if stage.stage is not None and stage.changed.value is not None]
    shares = ", ".join(f"{share_in_words(changed)} in stage {stage}" for stage, changed in shown)
    return shares_by_number(shown, "Stage", f"Answers that changed a belief, with 95% intervals: {shares}.")


def change_rows(changed: Estimate, stages: Sequence[StageShares]) -> list[blocks.ReportRow]:
    """How often beliefs changed: on the whole, and by stage where there are several."""
    rows = [_share("Answers that changed a belief", changed)]
    for stage in stages:
        if stage.stage is None and len(stages) == 1:
            name = ""
        else:
            name = f" in stage {stage.stage}" if stage.stage is not None else " without a stage"
            rows.append(_share(f"Changed{name}", stage.changed))
        if stage.weighted is not None:
            rows.append(_share(f"Of all pairs of the pool{name}, by weights", stage.weighted, f"Changed{name}, weighted"))
    return rows


def mean_rows(spread: BeliefSpread | None) -> list[blocks.ReportRow]:
    """Mean beliefs and changes; none if only changes are known."""
    if spread is None:
        return []
    return [
        _row("Belief before, mean", score_cell(spread.prior), spread.prior.n),
        _row("Belief after, mean", score_cell(spread.posterior), spread.posterior.n),
        _row("Change, mean", signed_cell(spread.change), spread.change.n),
        _share("Changes of 5 points or less", spread.slight),
    ]


def respondents_in_words(counts: Mapping[str, int] | None) -> str:
    """The number of respondents by outcome, in a sentence; empty if unknown."""
    if counts is None:
        return ""
    number = {name: count(counts.get(name, 0)) for name in ("begun", "done", "failed", "withdrawn", "unfinished")}
    return (
        f"{number['begun']} began the survey: {number['done']} finished it, {number['failed']} failed the comprehension "
        f"questions, {number['withdrawn']} withdrew, and {number['unfinished']} stopped early or have not finished yet."
    )


def _directed(kind: str, direction: AnswerEffect) -> list[blocks.ReportRow]:
    rows = [_share(f"Changed after a {kind} answer", direction.changed)]
    if direction.risen.value is not None:
        rows += [
            _share(f"Belief rose after a {kind} answer", direction.risen),
            _share(f"Belief fell after a {kind} answer", direction.fallen),
            _row(f"Belief after a {kind} answer, mean", score_cell(direction.posterior), direction.posterior.n),
        ]
    return rows


def _share(what: str, estimate: Estimate, short: str = "") -> blocks.ReportRow:
    return _row(what, share_cell(estimate), estimate.n, short)


def _row(what: str, cell: TableCell, n: int, short: str = "") -> blocks.ReportRow:
    return blocks.ReportRow(
        TableCell(what, short=short), (cell if cell.known else TableCell(UNKNOWN, known=False), count_cell(n))
    )


SHOWN_SOURCE: Final = 200
"""Characters of a source that are shown."""


@dataclass(frozen=True, slots=True, repr=False)
class SurveyFinding(ReportedFinding):
    """The finding of a survey."""

    source: str
    digest: str
    counts: Mapping[str, int] | None
    """Respondents: begun, agreed, done, failed, withdrawn, unfinished; None if unknown."""
    unfinished: int
    """Answers with a first belief only."""
    people: int
    """0 if the answers name no people."""
    distinct: int
    """Number of different pairs."""
    changed: Estimate
    stages: tuple[StageShares, ...]
    after_right: AnswerEffect
    after_wrong: AnswerEffect
    spread: BeliefSpread | None
    """None if only changes are known."""
    own_answers: OwnAnswers | None = None
    """Participants' own answers; None if they were not asked for."""

    json_keys = "counts unfinished people pairs=distinct changed stages after_right after_wrong spread own_answers?"

    @property
    def statement(self) -> str:
        """The result in up to three plain sentences."""
        return " ".join((self.headline, *self.more))

    @property
    def headline(self) -> str:
        """How often beliefs changed."""
        who = f" by {count(self.people)} {'person' if self.people == 1 else 'people'}" if self.people else ""
        answers = f"{numbered(self.changed.n, 'answer')}{who}"
        return (
            "An answer to one question changed the belief about another one in "
            f"{percent(self.changed.value or 0.0)} {percent_interval(self.changed.interval)} of {answers}."
        )

    @property
    def more(self) -> tuple[str, ...]:
        """Stages and directions, a sentence each."""
        sentences = []
        numbered = [stage for stage in self.stages if stage.stage is not None]
        if len(numbered) > 1:
            first, last = (f"{share_in_words(stage.changed)} in stage {stage.stage}" for stage in (numbered[0], numbered[-1]))
            sentences.append(f"It was {first} and {last}.")
        right, wrong = self.after_right.risen, self.after_wrong.fallen
        if right.value is not None and wrong.value is not None:
            sentences.append(
                f"Beliefs rose after {share_in_words(right)} of right answers, and fell after {share_in_words(wrong)} of wrong "
                "ones."
            )
        return tuple(sentences)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the figures."""
        sentences = [
            "Participants chose to take part (self-selection), so results may differ for other people.",
            "Any difference between the two numbers counts as a change, even one point. People were not asked twice without an "
            "answer in between, so the share of random changes is unknown.",
            "Respondents may think that all answers come from one answerer, so earlier answers may affect later beliefs.",
        ]
        if any(stage.weighted is not None for stage in self.stages):
            sentences.append("Shares by stage are of the pairs that were drawn for it; weighted shares are of all pairs.")
        if self.unfinished:
            sentences.append(f"{counted(self.unfinished, 'pair')} with a first belief only: not counted.")
        if not self.people:
            sentences.append(
                "The answers name no people: intervals assume that each is by a different person, and may be too narrow."
            )
        if self.spread is None:
            sentences.append("Only changes are known: levels of belief and sizes of changes are unknown.")
        lost = 0 if self.counts is None else self.counts.get("unfinished", 0) + self.counts.get("withdrawn", 0)
        if lost:
            sentences.append(
                f"{count(lost)} of {count((self.counts or {})['begun'])} respondents stopped, have not finished yet, or "
                "withdrew."
            )
        return tuple(sentences)

    @property
    def signature(self) -> Signature:
        """How these figures were computed."""
        settings = {"confidence": CONFIDENCE, "answers": self.changed.n, "people": self.people}
        return Signature(__version__, "generalization survey", "people", self.source, self.digest, 0, settings)

    def report(self) -> blocks.Report:
        """The whole finding as blocks."""
        rows = change_rows(self.changed, self.stages)
        rows += _directed("right", self.after_right) + _directed("wrong", self.after_wrong) + mean_rows(self.spread)
        return self.reported(
            "Survey of belief changes",
            f"Belief changes in {clipped(self.source, SHOWN_SOURCE)}",
            blocks.Tiles(
                (
                    blocks.tile_of("Answers that changed a belief", share_cell(self.changed), (0.0, 1.0)),
                    blocks.tile_of("Rose after a right answer", share_cell(self.after_right.risen), (0.0, 1.0)),
                    blocks.tile_of("Fell after a wrong answer", share_cell(self.after_wrong.fallen), (0.0, 1.0)),
                )
            ),
            blocks.InFull(blocks.paragraphs(" ".join(self.more))),
            blocks.Caveats(self.caveats),
            blocks.ReportFigure(stage_lines(self.stages)),
            *spread_figures(self.spread),
            blocks.ReportTable((blocks.Column("What"), blocks.Column("Here"), blocks.Column("Answers")), tuple(rows)),
            *blocks.paragraphs(respondents_in_words(self.counts)),
            *((own_section(self.own_answers),) if self.own_answers is not None else ()),
        )


BINS = 10
"""Bins of beliefs from 0 to 1, and of changes in each direction."""
SLIGHT = 0.05
"""The largest slight change."""
_TINY = 1e-9  # beliefs are whole percents, stored as decimals


def score_survey(
    pairs: Sequence[BeliefPair],
    *,
    source: str,
    digest: str = "",
    counts: Mapping[str, int] | None = None,
    own_answers: OwnAnswers | None = None,
) -> SurveyFinding:
    """Measure how often beliefs changed in a survey.

    Intervals allow for answers that share a person or a pair (`vivavoce.statistics.clustered`).

    Parameters
    ----------
    pairs: one per answer, as `read_pairs` reads them; answers without a second belief are counted separately.
    source, digest: name and SHA-256 of the file.
    counts: number of respondents who began, finished and so on, if known.
    own_answers: participants' own answers, if they were asked for.

    Raises `BadInput` if no answer says whether a belief changed.

    >>> answers = [BeliefPair("a", "b", "s", "t", True, prior=0.5, posterior=0.5 + change, person=str(i)) for i, change in
    ...            enumerate([0.0, 0.0, 0.2])]
    >>> finding = score_survey(answers, source="three")
    >>> round(finding.changed.value, 3), finding.after_right.risen.value, finding.spread.changes[10]
    (0.333, 0.3333333333333333, 2)
    """
    known = labelled(pairs)
    if not known:
        raise BadInput(f"{source} has {counted(len(pairs), 'answer')} without a change: add 'belief_change' or both beliefs")
    both = [pair for pair in known if pair.prior is not None and pair.posterior is not None]
    stages = sorted({pair.stage for pair in known}, key=lambda stage: (stage is None, stage or 0))
    return SurveyFinding(
        source=source,
        digest=digest,
        counts=None if counts is None else dict(counts),
        unfinished=len(pairs) - len(known),
        people=len({pair.person for pair in known if pair.person}),
        distinct=len({(pair.q1, pair.q2, pair.previous_correct) for pair in known}),
        changed=share(known, lambda pair: bool(pair.changed)),
        stages=tuple(_stage(stage, [pair for pair in known if pair.stage == stage]) for stage in stages),
        after_right=_direction([pair for pair in known if pair.previous_correct]),
        after_wrong=_direction([pair for pair in known if not pair.previous_correct]),
        spread=_spread(both) if both else None,
        own_answers=own_answers,
    )


def _stage(stage: int | None, pairs: Sequence[BeliefPair]) -> StageShares:
    weighted = weighted_share(pairs) if len({pair.weight for pair in pairs}) > 1 else None
    return StageShares(stage, share(pairs, lambda pair: bool(pair.changed)), weighted)


def _direction(pairs: Sequence[BeliefPair]) -> AnswerEffect:
    both = [pair for pair in pairs if pair.prior is not None and pair.posterior is not None]
    return AnswerEffect(
        changed=share(pairs, lambda pair: bool(pair.changed)),
        risen=share(both, lambda pair: _change(pair) > _TINY),
        fallen=share(both, lambda pair: _change(pair) < -_TINY),
        posterior=mean(both, [pair.posterior or 0.0 for pair in both]),
    )


def _spread(pairs: Sequence[BeliefPair]) -> BeliefSpread:
    priors, posteriors = [pair.prior or 0.0 for pair in pairs], [pair.posterior or 0.0 for pair in pairs]
    changes = [_change(pair) for pair in pairs]
    moved = [pair for pair in pairs if abs(_change(pair)) > _TINY]
    return BeliefSpread(
        prior=mean(pairs, priors),
        posterior=mean(pairs, posteriors),
        change=mean(pairs, changes, lowest=-1.0),
        slight=share(moved, lambda pair: abs(_change(pair)) <= SLIGHT + _TINY),
        priors=_histogram(priors),
        posteriors=_histogram(posteriors),
        changes=_changes(changes),
    )


def _change(pair: BeliefPair) -> float:
    return (pair.posterior or 0.0) - (pair.prior or 0.0)


def _histogram(beliefs: Sequence[float]) -> tuple[int, ...]:
    counts = [0] * BINS
    for belief in beliefs:
        counts[min(BINS - 1, int(belief * BINS + _TINY))] += 1
    return tuple(counts)


def _changes(changes: Sequence[float]) -> tuple[int, ...]:
    """Counts of falls from the largest to the smallest, of no change, and of rises from the smallest to the largest."""
    counts = [0] * (2 * BINS + 1)
    for change in changes:
        size = 0 if abs(change) <= _TINY else max(1, ceil(abs(change) * BINS - _TINY))
        counts[BINS + (size if change > 0 else -size)] += 1
    return tuple(counts)
