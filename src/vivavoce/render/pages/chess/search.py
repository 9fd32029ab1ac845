"""What a search for contradictions says on its page: everything its template needs, already in words."""

from __future__ import annotations

from typing import Any

from vivavoce.consistency.chess.comparison import THRESHOLDS, Comparison
from vivavoce.consistency.chess.describe import in_words
from vivavoce.consistency.chess.finding import engine
from vivavoce.consistency.chess.search.finding import ChessSearch, Method
from vivavoce.consistency.chess.search.score import Spread
from vivavoce.formats.wording import count
from vivavoce.render.plots.chess_search import convergence
from vivavoce.render.plots.drawing import Plot, figure

COUNTED = {
    "raw": "Boards as they were asked",
    "distinct": "Boards up to symmetry and the swap of colours",
    "families": "Families: boards with the same pieces and kings",
}
"""What is counted, as the tables are headed."""

HOW = {
    Method.RANDOM: "Random search draws every board afresh.",
    Method.GENETIC: "Genetic search breeds: the fittest of a tenth of the population become parents, pairs exchange a pair of "
    "pieces, and every child is mutated in one of seven ways.",
    Method.ARCHIVE: "Archive search keeps the fittest board for each set of pieces, distance of the kings and distance from "
    "the edge of the king to move, and mutates boards drawn from all of these alike. A mutant that is an image of a board seen "
    "before is drawn again.",
}


def chess_search_title(found: ChessSearch) -> str:
    """What the page is."""
    return f"Search for contradictions of {engine(found.candidate)} in chess"


def chess_search_body(found: ChessSearch, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    return {
        "finding": found,
        "thresholds": [f"> {threshold:g}" for threshold in THRESHOLDS],
        "tables": [(heading, rows(found, what)) for what, heading in COUNTED.items()],
        "plots": [figure(convergence(found, f"{name}c"))],
        "examples": [_example(comparison, f"{name}b{number}") for number, comparison in enumerate(found.examples, 1)],
        "method": method(found),
    }


def rows(found: ChessSearch, what: str) -> list[tuple[str, list[tuple[str, str]]]]:
    """For each method the counts above each threshold: their mean over the seeds, and the least and the most."""
    return [
        (method.value, [_cell(found.spread(method, what, threshold)) for threshold in THRESHOLDS]) for method in found.methods
    ]


def _example(comparison: Comparison, name: str) -> dict[str, Any]:
    from vivavoce.render.plots.chess_boards import boards

    drawing = figure(Plot(boards(comparison, name), in_words(comparison)))
    fens = (comparison.first.fen, comparison.second.fen)
    return {**drawing, "search": comparison.game, "fens": fens}


def _cell(spread: Spread) -> tuple[str, str]:
    mean = count(round(spread.mean)) if spread.mean >= 10 or spread.mean == round(spread.mean) else f"{spread.mean:.1f}"
    return mean, "" if spread.least == spread.most else f"{count(round(spread.least))}–{count(round(spread.most))}"


def method(found: ChessSearch) -> list[str]:
    """How boards were searched, in sentences."""
    cost = 2 if found.half_turn_only else 8
    images = "its rotation by 180°" if found.half_turn_only else "its seven other orientations"
    return [
        "Each side has its king and the same three pieces, drawn from one set of chessmen; there are no pawns and no castling, "
        f"so a turned board is worth the same. A board costs {cost} evaluations: itself and {images}. What a run asks again "
        "costs nothing.",
        *(HOW[method] for method in found.methods),
        f"Largest and smallest of {found.seeds} runs are given with each mean."
        if found.seeds > 1
        else "There was one run a method.",
        f"Children that were not wanted, mostly not legal, were drawn again: {count(sum(run.redrawn for run in found.runs))} "
        f"times in all. Where that failed for good, {count(sum(run.given_up for run in found.runs))} times, a fresh board or "
        "the parents took their place.",
    ]
