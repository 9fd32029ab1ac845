"""What a match finds: the score, the difference in Elo, and what can be said of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.consistency.chess.config import MatchConfig
from vivavoce.consistency.chess.describe import share_in_words
from vivavoce.consistency.chess.finding import engine
from vivavoce.consistency.chess.match.game import ADJUDICATED, Ending, Game
from vivavoce.consistency.chess.match.report import endings, how_played, results, scores_of_pairs
from vivavoce.consistency.chess.match.score import in_elo, pair_scores, score_of
from vivavoce.consistency.chess.match.words import elo_in_words
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, Report
from vivavoce.report.parts import method_of, paragraphs
from vivavoce.report.reported import Reported

Verdict = Literal["stronger", "weaker", "equal", "not told apart"]
FEW_OPENINGS = 30
"""With fewer, Student's interval over openings is rough."""


@dataclass(frozen=True, slots=True, repr=False)
class ChessMatch(Reported):
    """What `play_match` returns."""

    candidate: str
    """The first engine, whose score it is."""
    opponent: str
    source: str
    """Where the openings come from."""
    games: tuple[Game, ...]
    config: MatchConfig
    signature: Signature

    @property
    def score(self) -> Estimate:
        """The first engine's mean score with its interval over openings."""
        return score_of(self.games)

    @property
    def difference(self) -> Estimate:
        """In Elo; above 0 the first engine is stronger."""
        return in_elo(self.score)

    @property
    def verdict(self) -> Verdict:
        """What the interval says of the first engine.

        Equal: the whole interval is within the margin, even if it leaves out 0.
        """
        ends, margin = self.difference.interval, self.config.margin
        if -margin <= ends.lower and ends.upper <= margin:
            return "equal"
        if ends.lower > 0:
            return "stronger"
        return "weaker" if ends.upper < 0 else "not told apart"

    @property
    def headline(self) -> str:
        """The score and what it means, in one sentence."""
        return (
            f"{engine(self.candidate)} scores {share_in_words(self.score)} against {engine(self.opponent)}: "
            f"{elo_in_words(self.difference)}."
        )

    @property
    def conclusion(self) -> str:
        """What may be concluded, and of how many games it is not to be believed, in a sentence each."""
        return " ".join(filter(None, (self._concluded(), told_of_faults(self.games))))

    def _concluded(self) -> str:
        if self.candidate == self.opponent:
            return "Both are one engine with the same settings: both games of an opening are one game, and the score is half."
        margin = f"{self.config.margin:g}"
        first, second = engine(self.candidate), engine(self.opponent)
        match self.verdict:
            case "equal":
                return f"They are equally strong within {margin} Elo."
            case "stronger":
                return f"{first} is stronger than {second}."
            case "weaker":
                return f"{first} is weaker than {second}."
            case "not told apart":
                return f"Which one is stronger, or whether they are within {margin} Elo, these games do not tell."

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.conclusion}"

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the match does not show."""
        return caveats_of(self.games, openings=len(pair_scores(self.games)))

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "A match of chess engines",
            f"{engine(self.candidate)} against {engine(self.opponent)}",
            *paragraphs(self.conclusion),
            results(self.games, self.difference),
            *scores_of_pairs(self.games),
            endings(self.games),
            Caveats(self.caveats),
            method_of(how_played(self.config, self.source)),
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "opponent": self.opponent,
            "source": self.source,
            "verdict": self.verdict,
            "score": self.score.as_json(),
            "elo": self.difference.as_json(),
            "pairs": pair_scores(self.games),
            "games": [game.as_json() for game in self.games],
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


def told_of_faults(games: Sequence[Game]) -> str:
    """How many games were lost by a fault, in a sentence; empty where none was."""
    faults = sum(game.ending is Ending.FAULT for game in games)
    if not faults:
        return ""
    return (
        f"{count(faults)} of {count(len(games))} games were lost because no legal move came, which may be a failure "
        "of the program and not of its play."
    )


def caveats_of(games: Sequence[Game], *, openings: int) -> tuple[str, ...]:
    """What games from so many openings do not show."""
    stopped = sum(game.ending in ADJUDICATED for game in games)
    told = (
        "It holds for games from these openings, with these numbers of nodes or depths and not for equal time, between "
        "engines that begin to think afresh at every move.",
        f"{count(stopped)} of {count(len(games))} games were not played to an end by the rules of chess: see how they ended."
        if stopped
        else "",
        f"Only {count(openings)} openings were played: the interval is rough." if openings < FEW_OPENINGS else "",
        "Elo from one opponent says nothing certain of other opponents.",
    )
    return tuple(filter(None, told))
