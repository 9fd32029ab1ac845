"""How contradictions become rarer with search: shares over nodes, and the line through their logarithms (Figure 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vivavoce.consistency.chess.comparison import Check
from vivavoce.consistency.chess.config import THRESHOLDS
from vivavoce.consistency.chess.finding import FEWEST_GAMES, OCCASION, TELLING, ChessConsistency, caveats_of, engine
from vivavoce.consistency.chess.fit import Fit
from vivavoce.consistency.chess.report.beside import over_nodes_beside_the_paper
from vivavoce.consistency.chess.report.checks import how_compared
from vivavoce.consistency.chess.report.nodes import HOW_FITTED, over_nodes, shares, slopes
from vivavoce.consistency.chess.summary import Summary
from vivavoce.errors import BadInput
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.formats.wording import count, percent, percent_interval
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import method_of, paragraphs
from vivavoce.report.reported import Reported

FEWEST_POINTS = 3
"""Two points always lie on a line, so a line through them says nothing."""


@dataclass(frozen=True, slots=True, repr=False)
class ChessScaling(Reported):
    """What a scaling study has found: one row a number of nodes, and a line for each threshold that has one."""

    candidate: str
    """Without the number of nodes."""
    source: str
    check: Check
    summaries: tuple[tuple[int, Summary], ...]
    """By number of nodes, the smallest first; the same positions in each."""
    fits: tuple[Fit, ...]
    made_forced: int
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.trend}"

    @property
    def headline(self) -> str:
        """From the fewest nodes to the most, in one sentence."""
        (least, first), (most, last) = self.summaries[0], self.summaries[-1]
        before, after = first.share_over(TELLING), last.share_over(TELLING)
        if before.value is None or after.value is None:
            return f"Nothing was compared at {count(least if before.value is None else most)} nodes."
        shown = before.is_shown or after.is_shown
        does = "contradicts itself" if shown else "is not shown to contradict itself"
        return (
            f"{engine(self.candidate)} {does} by more than {TELLING:g} {OCCASION[self.check]}{'' if shown else ':'} on "
            f"{percent(before.value)} {percent_interval(before.interval)} of {count(first.n)} positions with "
            f"{count(least)} node{'' if least == 1 else 's'}, and on {percent(after.value)} {percent_interval(after.interval)} "
            f"with {count(most)}."
        )

    @property
    def trend(self) -> str:
        """What ten times as many nodes do, in one sentence."""
        fit = next((fit for fit in self.fits if fit.threshold == TELLING), None)
        if fit is None or fit.tenfold.value is None:
            return "Too few contradictions at too few numbers of nodes to say how they decrease."
        left, ends = fit.tenfold.value, fit.tenfold.interval
        return f"Ten times as many nodes leave {left:.2f} [{ends.lower:.2f}, {ends.upper:.2f}] times as many contradictions."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the study does not show."""
        line = (
            "The line through the logarithms is a description, not a law: it leaves out numbers of nodes where nothing was "
            "found, which makes it flatter, and says nothing beyond the nodes examined."
        )
        rises = (f"{self.rise} A line that falls or rises all along does not describe that.",) if self.rise else ()
        others = caveats_of([row for _, row in self.summaries], source=self.source, made_forced=self.made_forced)
        return (*rises, line, *others)

    @property
    def rise(self) -> str:
        """Where more nodes brought more contradictions beyond chance, in a sentence; empty where they did nowhere."""
        shares = [(nodes, row.share_over(TELLING)) for nodes, row in self.summaries]
        for i, (fewer, before) in enumerate(shares):
            for more, after in shares[i + 1 :]:
                if after.interval.lower > before.interval.upper:
                    return (
                        f"Contradictions above {TELLING:g} are more frequent with {count(more)} nodes than with "
                        f"{count(fewer)}: "
                        "their intervals lie apart."
                    )
        return ""

    def report(self) -> Report:
        """All of it as blocks."""
        positions = f"Positions: {self.source or 'not named'}, the same at every number of nodes."
        return self.reported(
            "Contradictions in chess, over nodes",
            f"Contradictions of {engine(self.candidate)} in chess, over nodes",
            InFull(paragraphs(f"{self.trend} {positions}")),
            shares(self.summaries),
            over_nodes(self.summaries, self.fits),
            *slopes(self.fits),
            *over_nodes_beside_the_paper(self.check),
            Caveats(self.caveats),
            method_of((*how_compared([self.check]), HOW_FITTED)),
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.candidate,)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "source": self.source,
            "check": self.check.value,
            "rows": [{"nodes": nodes, **row.as_json()} for nodes, row in self.summaries],
            "fits": [
                {
                    "over": fit.threshold,
                    "slope": fit.slope.as_json(),
                    "intercept": fit.intercept,
                    "tenfold": fit.tenfold.as_json(),
                }
                for fit in self.fits
            ],
        }


def scaling(candidate: str, findings: Mapping[int, ChessConsistency]) -> ChessScaling:
    """Findings at several numbers of nodes, as one.

    Parameters
    ----------
    candidate: the engine's name without nodes.
    findings: by number of nodes; each of the same one check on the same positions with the same seed.

    Raises `BadInput` for fewer than two numbers of nodes, or several checks.
    """
    checks = {row.check for finding in findings.values() for row in finding.summaries}
    if len(findings) < 2 or len(checks) != 1:
        raise BadInput("a scaling study needs one check at two or more numbers of nodes")
    rows = tuple((nodes, findings[nodes].summaries[0]) for nodes in sorted(findings))
    first = findings[rows[0][0]]
    settings = {**first.signature.settings, "nodes": [nodes for nodes, _ in rows]}
    return ChessScaling(
        candidate=candidate,
        source=first.source,
        check=checks.pop(),
        summaries=rows,
        fits=tuple(fit for threshold in THRESHOLDS if (fit := fit_rows(rows, threshold)) is not None),
        made_forced=first.made_forced,
        signature=replace(first.signature, examination="consistency/chess-scaling", candidate=candidate, settings=settings),
    )


def fit_rows(rows: Sequence[tuple[int, Summary]], threshold: float) -> Fit | None:
    """The line for one threshold, through all node counts with a share above 0; None for fewer than three, or too few games.

    The slope's interval: the line is fitted again in each bootstrap world, the same games occurring as often at every node
    count; a node count where nothing is left in a world is left out there.
    """
    which = THRESHOLDS.index(threshold)
    used = [(nodes, row) for nodes, row in rows if row.over[which].value]
    if len(used) < FEWEST_POINTS or min(row.games for _, row in used) < FEWEST_GAMES:
        return None
    nodes = [count for count, _ in used]
    slope, intercept = line(nodes, [row.over[which].value or 0.0 for _, row in used])
    worlds = np.array([row.replicates[which] for _, row in used], dtype=np.float64).T
    slopes = [line(nodes, world)[0] for world in worlds if np.count_nonzero(world) >= FEWEST_POINTS]
    lower, upper = np.quantile(slopes, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Fit(threshold, Estimate(slope, Interval(float(lower), float(upper)), len(used)), intercept)


def line(nodes: Sequence[int], shares: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """Slope and intercept of ln(share) over ln(nodes) by least squares; shares of 0 are left out.

    Half as often with ten times the nodes, by hand: slope -ln(2)/ln(10) = -0.30103.

    >>> slope, intercept = line([1, 10], [0.4, 0.2])
    >>> round(slope, 5), round(intercept, 5)  # ln(0.4) = -0.91629
    (-0.30103, -0.91629)
    """
    x, y = np.log(np.asarray(nodes, dtype=np.float64)), np.asarray(shares, dtype=np.float64)
    x, y = x[y > 0], np.log(y[y > 0])
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    return slope, float(y.mean() - slope * x.mean())
