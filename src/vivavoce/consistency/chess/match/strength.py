"""At how many nodes is an engine as strong as another one: matches at several numbers of nodes, as one finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from vivavoce.consistency.chess.describe import share_in_words
from vivavoce.consistency.chess.finding import engine
from vivavoce.consistency.chess.match.finding import ChessMatch, caveats_of, told_of_faults
from vivavoce.consistency.chess.match.game import Game
from vivavoce.consistency.chess.match.report import endings, how_played
from vivavoce.consistency.chess.match.score import FEWEST_OPENINGS, LEVEL, EqualNodes, equal_nodes, in_elo, pair_scores
from vivavoce.consistency.chess.match.words import elo_cell, nodes_in_words
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, Column, Figure, Report, Row, Table
from vivavoce.report.cells import count_cell, share_cell
from vivavoce.report.parts import method_of, paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True)
class ScoresOverNodes:
    """The second engine's scores over its nodes, with the fitted line, to be drawn."""

    scores: tuple[tuple[int, Estimate], ...]
    equal: EqualNodes | None


@dataclass(frozen=True, slots=True, repr=False)
class ChessStrength(Reported):
    """What matches at several numbers of nodes have found."""

    candidate: str
    """The engine whose nodes are as its name says."""
    opponent: str
    """The other one, without its number of nodes."""
    matches: tuple[tuple[int, ChessMatch], ...]
    """By the opponent's nodes, the fewest first; from the same openings."""
    equal: EqualNodes | None
    """None for too few openings."""
    signature: Signature

    @property
    def scores(self) -> tuple[tuple[int, Estimate], ...]:
        """The opponent's score at each number of nodes."""
        return tuple((nodes, turned(match.score)) for nodes, match in self.matches)

    @property
    def headline(self) -> str:
        """The number of nodes, in one sentence."""
        opponent, candidate = engine(self.opponent), engine(self.candidate)
        if self.equal is not None and self.equal.nodes.value is not None:
            return f"{opponent} is as strong as {candidate} at about {nodes_in_words(self.equal.nodes)} nodes."
        least, most = (count(self.matches[i][0]) for i in (0, -1))
        return f"At how many nodes {opponent} is as strong as {candidate} is not known after matches with {least} to {most}."

    @property
    def statement(self) -> str:
        """The result in plain words."""
        told = "; ".join(f"{share_in_words(score)} with {count(nodes)}" for nodes, score in self.scores)
        return " ".join(filter(None, (self.headline, f"Its scores: {told}.", told_of_faults(self.games))))

    @property
    def games(self) -> tuple[Game, ...]:
        """Those of all matches."""
        return tuple(game for _, match in self.matches for game in match.games)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What it does not show."""
        openings = self.matches[0][1].config.openings
        line = (
            "The line through the logits of scores over the logarithm of nodes is a description: where it does not cross one "
            "half within the nodes played no number is given, and an interval that reaches beyond them is left open there."
        )
        few = f"With fewer than {FEWEST_OPENINGS} openings no line is laid." if openings < FEWEST_OPENINGS else ""
        return tuple(filter(None, (line, few, *caveats_of(self.games, openings=openings))))

    def report(self) -> Report:
        """All of it as blocks."""
        first = self.matches[0][1]
        rows = tuple(
            Row(count_cell(nodes), (share_cell(score), elo_cell(in_elo(score)), count_cell(len(match.games))))
            for (nodes, score), (_, match) in zip(self.scores, self.matches, strict=True)
        )
        return self.reported(
            "Engines of equal strength",
            f"When is {engine(self.opponent)} as strong as {engine(self.candidate)}?",
            *paragraphs(told_of_faults(self.games)),
            Table((Column("Nodes"), Column("Score"), Column("Elo"), Column("Games", number=True)), rows),
            Figure(ScoresOverNodes(self.scores, self.equal)),
            endings(self.games),
            Caveats(self.caveats),
            method_of((*how_played(first.config, first.source), _FITTED)),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        fit = self.equal
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "opponent": self.opponent,
            "equal_nodes": None if fit is None else fit.nodes.as_json(),
            "slope": None if fit is None else fit.slope,
            "intercept": None if fit is None else fit.intercept,
            "rows": [
                {"nodes": nodes, "score": score.as_json(), "elo": in_elo(score).as_json(), "pairs": _turned_pairs(match)}
                for (nodes, score), (_, match) in zip(self.scores, self.matches, strict=True)
            ],
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


_FITTED = (
    f"The line is laid through the logits of scores over the logarithm of nodes by maximum likelihood. Its interval at level "
    f"{LEVEL:.0%}: openings are drawn again with replacement, the same ones at every number of nodes, and the line is "
    "laid again."
)


def strength(opponent: str, matches: Mapping[int, ChessMatch]) -> ChessStrength:
    """Matches at several numbers of the second engine's nodes, as one finding.

    Parameters
    ----------
    opponent: the second engine's name without nodes.
    matches: by number of nodes; all from the same openings.

    Raises `BadInput` for fewer than two numbers of nodes.
    """
    if len(matches) < 2:
        raise BadInput("a study of strength needs two or more numbers of nodes")
    rows = tuple(sorted(matches.items()))
    first = rows[0][1]
    settings = {**first.signature.settings, "against": opponent, "nodes": [nodes for nodes, _ in rows]}
    return ChessStrength(
        candidate=first.candidate,
        opponent=opponent,
        matches=rows,
        equal=equal_nodes([(nodes, pair_scores(match.games)) for nodes, match in rows], seed=first.config.seed),
        signature=replace(first.signature, examination="consistency/chess-strength", settings=settings),
    )


def turned(score: Estimate) -> Estimate:
    """The other engine's score.

    >>> turned(Estimate(0.25, Interval(0.0, 0.5), 8))
    Estimate(value=0.75, interval=Interval(lower=0.5, upper=1.0), n=8)
    """
    ends = score.interval
    return Estimate(None if score.value is None else 1 - score.value, Interval(1 - ends.upper, 1 - ends.lower), score.n)


def _turned_pairs(match: ChessMatch) -> list[float]:
    return [1 - score for score in pair_scores(match.games)]
