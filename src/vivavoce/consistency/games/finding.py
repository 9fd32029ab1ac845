"""What the checks of a game find: how often and how far an engine contradicts itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from vivavoce.consistency.chess.finding import FEW_GAMES, FEWEST_GAMES, TELLING
from vivavoce.consistency.games.chesslike import BOARDS
from vivavoce.consistency.games.config import GameName
from vivavoce.consistency.games.describe import NAME, OCCASION
from vivavoce.consistency.games.report import differences, histograms, largest, left_out, method
from vivavoce.consistency.games.summary import Summary
from vivavoce.formats.wording import count, percent, percent_interval, share
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class GamesConsistency(Reported):
    """What `check_game` returns."""

    game: GameName
    candidate: str
    source: str
    """Where the positions come from."""
    summaries: tuple[Summary, ...]
    """One a check."""
    signature: Signature

    @property
    def statement(self) -> str:
        """The result in plain words: the check that fails most often, and then the others."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def headline(self) -> str:
        """The check that fails most often, in one sentence."""
        rows = self._by_share()
        if not rows:
            return f"Nothing was compared: no position of {self.game} was fit for a check of {engine(self.candidate)}."
        row = rows[0]
        on = f"{_on(row)} of {count(row.n)} positions {OCCASION[row.check]}"
        if not row.telling.is_shown:
            return f"{engine(self.candidate)} is not shown to contradict itself in {self.game} by more than {TELLING:g}: {on}."
        return f"{engine(self.candidate)} contradicts itself in {self.game} by more than {TELLING:g} {on}."

    @property
    def others(self) -> str:
        """The other checks in one sentence; empty where there are none."""
        parts = [f"{_on(row)} of {count(row.n)} {OCCASION[row.check]}" for row in self._by_share()[1:]]
        return f"By as much {'; '.join(parts)}." if parts else ""

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the checks do not show, the weightiest first."""
        rows = [row for row in self.summaries if row.n]
        saturated = max((row.saturated.value or 0.0 for row in rows), default=0.0)
        fewest = min(rows, key=lambda row: row.games, default=None)
        checks = {row.check for row in rows}
        sentences = (
            "A difference says that at least one of the two values is wrong, not which one, nor how bad a move would be.",
            _UNIT,
            f"In up to {share(saturated)} of the comparisons a value stands at the end of the scale (won or lost for certain): "
            "a difference may be hidden there."
            if saturated
            else "",
            "After a move the engine sees half a move further, so small differences are expected there."
            if checks & {"recommended", "forced"}
            else "",
            f"It holds for positions like these ({self.source}), each evaluated without its game's history; "
            "other positions, another version or a longer search may give other results.",
            _rough(fewest) if fewest is not None and fewest.games < FEW_GAMES else "",
        )
        return tuple(filter(None, sentences))

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            f"Contradictions in {self.game}",
            f"Contradictions of {engine(self.candidate)} in {self.game}",
            InFull(paragraphs(self.others, f"{_LEAD} Positions: {self.source}.")),
            differences(self.summaries),
            *left_out(self.summaries),
            histograms(self.summaries),
            largest(self.summaries, BOARDS[self.game]),
            Caveats(self.caveats),
            method([row.check for row in self.summaries]),
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.candidate,)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "game": self.game,
            "measure": "outcome",
            "source": self.source,
            "rows": [row.as_json() for row in self.summaries],
            "each": [one.as_json() for row in self.summaries for one in row.comparisons],
        }

    def _by_share(self) -> list[Summary]:
        return sorted((row for row in self.summaries if row.n), key=lambda row: row.telling.value or 0.0, reverse=True)


def engine(candidate: str) -> str:
    """The engine in a reader's words: what it calls itself, and its limits.

    >>> engine("uci:fairy-stockfish?nodes=1000&hash=1&UCI_Variant=shogi&engine=Fairy-Stockfish 11.1 LB 64")
    'Fairy-Stockfish 11.1 LB 64 at 1\u202f000 nodes'
    """
    place, _, query = candidate.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    limits = [
        f"{count(int(options[name]))} {name}" if name == "nodes" else f"{name} {options[name]}"
        for name in ("depth", "nodes")
        if options.get(name, "").isdecimal()
    ]
    program = options.get("engine") or place.partition(":")[2].rpartition("/")[2]
    return " at ".join(filter(None, (program, ", ".join(limits))))


_LEAD = (
    "Two positions that must be worth the same are evaluated each by itself, for the side to move. The table says how many "
    "differ by how much."
)
_UNIT = (
    "Expected outcomes, from −1 (lost) to 1 (won), are the engine's win rates, or its centipawns mapped by a "
    "logistic curve where it tells those alone; the size of every difference rests on that curve, so do not compare sizes "
    "between engines or games."
)


def _on(row: Summary) -> str:
    """On which share of its positions a check fails by more than what is told."""
    return f"on {percent(row.telling.value or 0.0)} {percent_interval(row.telling.interval)}"


def _rough(row: Summary) -> str:
    rest = "intervals are rough." if row.games >= FEWEST_GAMES else "too few for an interval, so every possible value is given."
    games = "1 game" if row.games == 1 else f"{count(row.games)} games"
    return f"{NAME[row.check]}: positions come from {games} only, and positions of one game are alike: {rest}"
