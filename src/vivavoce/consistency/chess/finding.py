"""What the chess checks find: how often and how far an engine contradicts itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from vivavoce.consistency.chess.comparison import Check, Comparison
from vivavoce.consistency.chess.report.beside import beside_the_paper
from vivavoce.consistency.chess.report.checks import differences, histograms, method, skipped, worst_positions
from vivavoce.consistency.chess.summary import Summary
from vivavoce.formats.wording import count, percent, percent_interval, share
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported

TELLING = 0.25
"""The difference that a sentence speaks of: an eighth of the way from lost to won."""

OCCASION: Mapping[Check, str] = {
    Check.FORCED: "when the only legal move is played",
    Check.RECOMMENDED: "when it plays its own recommended move",
    Check.MIRROR: "when the colours are swapped and the board is turned over",
    Check.BOARDS: "when a board without pawns is turned or flipped",
}
"""When the contradiction shows, to end a sentence with."""


@dataclass(frozen=True, slots=True, repr=False)
class ChessConsistency(Reported):
    """What `check_chess` returns."""

    candidate: str
    source: str
    """Where the positions come from."""
    summaries: tuple[Summary, ...]
    """One a check, in the order in which they were asked for."""
    each: tuple[Comparison, ...] | None
    """All comparisons, where they were asked for."""
    made_forced: int
    """Positions with a forced move that were made, by a check that leaves one reply, not found."""
    signature: Signature

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the checks do not show."""
        return caveats_of(self.summaries, source=self.source, made_forced=self.made_forced)

    @property
    def statement(self) -> str:
        """The result in plain words: the check that fails most often, and then the others."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def headline(self) -> str:
        """The check that fails most often, in one sentence."""
        by_share = self._by_share()
        if not by_share:
            return f"Nothing was compared: no position was fit for a check of {engine(self.candidate)}."
        row = by_share[0]
        found = row.share_over(TELLING)
        on = "on none" if not found.value else f"on {percent(found.value)} {percent_interval(found.interval)}"
        beyond = "" if found.value else f" (at most {percent(found.interval.upper)} is likely)"
        where = f"{on} of {count(row.n)} positions {OCCASION[row.check]}{beyond}"
        if not found.is_shown:
            return f"{engine(self.candidate)} is not shown to contradict itself by more than {TELLING:g}: {where}."
        return f"{engine(self.candidate)} contradicts itself by more than {TELLING:g} {where}."

    @property
    def others(self) -> str:
        """The other checks in one sentence; empty where there are none."""
        parts = []
        for row in self._by_share()[1:]:
            found = row.share_over(TELLING)
            parts.append(
                f"on {percent(found.value or 0.0)} {percent_interval(found.interval)} of {count(row.n)} {OCCASION[row.check]}"
            )
        return f"By as much {'; '.join(parts)}." if parts else ""

    def report(self) -> Report:
        """All of it as blocks."""
        return self.reported(
            "Contradictions in chess",
            f"Contradictions of {engine(self.candidate)} in chess",
            InFull(paragraphs(self.others, f"{_LEAD} Positions: {self.source or 'not named'}.")),
            differences(self.summaries),
            *skipped(self.summaries),
            histograms(self.summaries),
            *beside_the_paper(self.candidate, self.summaries),
            worst_positions(self.summaries),
            Caveats(self.caveats),
            method([of.check for of in self.summaries]),
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.candidate,)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "source": self.source,
            "made_forced": self.made_forced,
            "rows": [row.as_json() for row in self.summaries],
            **({} if self.each is None else {"each": [comparison.as_json() for comparison in self.each]}),
        }

    def _by_share(self) -> list[Summary]:
        return sorted(
            (row for row in self.summaries if row.n), key=lambda row: row.share_over(TELLING).value or 0.0, reverse=True
        )


def engine(candidate: str) -> str:
    """The engine in a reader's words: what it calls itself, its limits, and in brackets its other options but the hash.

    >>> engine("uci:stockfish?nodes=1000&hash=16&Use NNUE=false&engine=Stockfish 15.1")
    'Stockfish 15.1 at 1\u202f000 nodes (Use NNUE=false)'
    >>> engine("uci:gnuchess --uci?depth=4&engine=GNU Chess 6.2.7")
    'GNU Chess 6.2.7 at depth 4'
    """
    if not candidate.startswith("uci:"):
        return candidate  # a name that was given for readers
    place, _, query = candidate.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    nodes = options.pop("nodes", "")
    depth = options.pop("depth", "")
    searched = f"{count(int(nodes))} node{'' if nodes == '1' else 's'}" if nodes.isdecimal() else ""
    limits = (f"depth {depth}" if depth else "", f"at most {searched}" if depth and searched else searched)
    at = f" at {', '.join(filter(None, limits))}" if any(limits) else ""
    program = options.pop("engine", "") or place.removeprefix("uci:").rpartition("/")[2]
    rest = ", ".join(f"{name}={value}" for name, value in options.items() if name.lower() != "hash")
    return f"{program}{at}" + (f" ({rest})" if rest else "")


_LEAD = (
    "Two positions that must be worth the same are evaluated each by itself, between −1 (lost) and 1 (won). The table says how "
    "many differ by how much."
)
FEWEST_GAMES = 3
"""With fewer, nothing can be said about how games differ."""
FEW_GAMES = 30
"""With fewer, intervals over games are rough."""


def caveats_of(rows: Sequence[Summary], *, source: str, made_forced: int = 0) -> tuple[str, ...]:
    """The caveats that apply, the weightiest first."""
    return tuple(sentence for sentence in _all(rows, source, made_forced) if sentence)


def _all(rows: Sequence[Summary], source: str, made_forced: int) -> tuple[str, ...]:
    checks = {row.check for row in rows}
    judged = [judged for row in rows for comparison in row.worst for judged in (comparison.first, comparison.second)]
    saturated = max((row.saturated.value or 0.0 for row in rows), default=0.0)
    no_answers = sum(row.no_answers for row in rows)
    fewest = min((row.games for row in rows if row.n), default=FEW_GAMES)
    return (
        "A difference says that at least one of the two evaluations is wrong, not which one, nor how bad a move would be.",
        "The engine reports no WDL statistics (wins, draws, losses): its centipawns were mapped to an expected outcome by a "
        "logistic curve, and the size of every difference rests on that curve."
        if any(one.evaluation.wins is None for one in judged)
        else "Expected outcomes are the engine's own, as it maps its score to wins, draws and losses; another engine's mapping "
        "may be flatter, so do not compare sizes of differences between engines.",
        f"In up to {share(saturated)} of the comparisons an evaluation stands at the end of the scale (won or lost for "
        "certain): a difference may be hidden there."
        if saturated
        else "",
        "After a move the engine sees half a move further, so small differences are expected there; they shrink as the "
        "end of the game comes near."
        if checks & {Check.FORCED, Check.RECOMMENDED}
        else "",
        "Of eight orientations the two that differ most are compared, so the difference is larger than that of a single pair, "
        "and its sign means nothing."
        if Check.BOARDS in checks
        else "",
        f"In {count(made_forced)} of the positions the forced move was made, not found: a legal check that leaves one reply "
        "was played, often no move of a sensible game."
        if made_forced
        else "",
        f"It holds for positions as they come from {source or 'this source'}, each evaluated alone, without its game's history "
        "and with an empty hash table; other positions, another version or more nodes may give other results.",
        f"Left out of all shares, since the engine gave no evaluation: {count(no_answers)}." if no_answers else "",
        f"A check's positions come from {count(fewest)} game{'' if fewest == 1 else 's'} only, and positions of one game are "
        f"alike: {_rough(fewest)}"
        if fewest < FEW_GAMES
        else "",
    )


def _rough(games: int) -> str:
    return "intervals are rough." if games >= FEWEST_GAMES else "too few for an interval, so every possible value is given."
