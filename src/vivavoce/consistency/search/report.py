"""What a search for contradictions reports: what each method found, its course, contradictions in full, the method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.consistency.search.config import ContradictionSearchConfig, Method
from vivavoce.consistency.search.genome import Gene
from vivavoce.consistency.search.summary import Contradiction, Run
from vivavoce.formats.wording import clipped, count, percent
from vivavoce.report.blocks import Block, Card, Column, Figure, Fold, InFull, InShort, Pairs, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import method_of, notes, paragraphs

SHOWN: Final = 30
"""Contradictions on a page; all of them are in the JSON."""
IN_SHORT: Final = 3
"""The same in a terminal."""
SHOWN_TEXT: Final = 2_000
SHOWN_ANSWER: Final = 200
IN_A_LINE: Final = 60
NAMES: Final[Mapping[Method, str]] = {"search": "search", "random": "at random"}


@dataclass(frozen=True, slots=True)
class Courses:
    """How the methods came along, to be drawn."""

    runs: tuple[Run, ...]


def runs_table(runs: Sequence[Run]) -> Table:
    """A row a method."""
    columns = (
        Column("Method"),
        Column("Confirmed", about="Contradictions after shrinking, confirmed on fresh answers, each counted once", number=True),
        Column(
            "Patterns", about="Different sets of changes among them, whatever the question they were applied to", number=True
        ),
        Column("Calls", number=True),
        Column("Attempts", about="Pairs or tuples that were tried, those of shrinking left out", number=True, detail=True),
        Column("At first", about="Attempts that contradicted before anything was confirmed", number=True, detail=True),
        Column("Refuted", about="Distinct ones that fresh answers did not confirm", number=True, detail=True),
    )
    counts = [(run.distinct, run.patterns, run.calls, run.attempts, run.contradicting, run.refuted) for run in runs]
    rows = tuple(
        Row(Cell(NAMES[run.method]), tuple(map(count_cell, of_run)), "control" if run.method == "random" else "plain")
        for run, of_run in zip(runs, counts, strict=True)
    )
    return Table(columns, rows, name="What each method found")


def courses(runs: tuple[Run, ...]) -> tuple[Figure, ...]:
    """How many were found as calls were spent; nothing where none was."""
    return (Figure(Courses(runs)),) if any(run.distinct for run in runs) else ()


def examples(found: Sequence[Contradiction]) -> tuple[Block, ...]:
    """The contradictions in full; some of them in a line where there is little room."""
    if not found:
        return ()
    more = f"{count(len(found) - SHOWN)} more are in the JSON." if len(found) > SHOWN else ""
    cards: tuple[Block, ...] = (*map(_card, found[:SHOWN]), *notes(more))
    return (Section("Contradictions", (InFull(cards), InShort(paragraphs(*map(_line, found[:IN_SHORT]))))),)


def method(genes: Sequence[Gene], config: ContradictionSearchConfig) -> Fold:
    """How contradictions were searched."""
    varied = "; ".join(f"{gene.name} ({count(len(gene.values))})" for gene in genes)
    return method_of(
        (
            f"An attempt is a case with some of its genes changed: {varied}; in brackets how many values each can have. At "
            "random, the case is drawn first, then each gene is changed with probability one half.",
            "The search keeps the strongest attempt of each kind (MAP-Elites, mouret2015) and draws by Thompson’s rule whether "
            "the next attempt is one at random, a mutant, a crossing, or a known set of changes moved to another case; "
            f"{percent(config.fresh)} are drawn at random whatever was found.",
            "What contradicts is asked once more; then changes are taken away one at a time for as long as the rest "
            f"contradicts; what is left is asked {config.confirm} times anew, and every combination of these answers must "
            "contradict. Neither method tries what contains a contradiction that it knows already.",
            "All calls count, those that confirm and shrink as well. A question that was asked before by the same method costs "
            "nothing.",
        )
    )


def _card(found: Contradiction) -> Card:
    pairs: list[tuple[str, str]] = []
    for side in found.sides:
        pairs += [
            (clipped(side.label, 80).capitalize(), clipped(side.question, SHOWN_TEXT)),
            ("Answers", _answers(side.answers)),
        ]
    pairs.append(("Changes", _changes(found.changes)))
    if found.found_with != found.changes:
        pairs.append(("Found with", _changes(found.found_with)))
    by = " and ".join(NAMES[one] for one in found.by)
    return Card((Pairs(tuple(pairs)),), title=clipped(found.case, 80), subtitle=f"found by: {by}")


def _changes(changes: Sequence[tuple[str, str]]) -> str:
    return "; ".join(f"{name}: {clipped(value, SHOWN_ANSWER)}" for name, value in changes)


def _answers(answers: Mapping[str, int]) -> str:
    return ", ".join(f"{clipped(answer, SHOWN_ANSWER)} ({count(number)}×)" for answer, number in answers.items())


def _line(found: Contradiction) -> str:
    said = " / ".join(clipped(", ".join(side.answers), IN_A_LINE) for side in found.sides)
    changes = ", ".join(f"{name} “{clipped(value, IN_A_LINE)}”" for name, value in found.changes)
    return f"{clipped(found.case, IN_A_LINE)}, {changes}: {said}"
