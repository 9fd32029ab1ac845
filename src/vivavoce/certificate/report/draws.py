"""Questions that were answered several times: how many rightly each time, and which with mixed results."""

from __future__ import annotations

from typing import Final

from vivavoce.certificate.draws.found import DrawsFound, QuestionDraws
from vivavoce.formats.wording import clipped, count
from vivavoce.report.blocks import Block, Column, InFull, InShort, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import notes

MOST_IN_SHORT: Final = 5
"""In a terminal."""
SHOWN_QUESTION: Final = 160


def repeated_answers(found: DrawsFound | None, whose: str = "") -> tuple[Block, ...]:
    """How the different questions were answered, and those with mixed results; nothing where each was answered once.

    whose: of several candidates the one that answered.
    """
    if found is None or not found.questions:
        return ()
    sentence = (
        f"Of {count(found.questions)} different questions, {count(found.always)} were answered rightly each time, "
        f"{count(found.never)} never, and {count(found.mixed)} with mixed results."
    )
    more = len(found.shown) < found.mixed
    note = notes(sentence + (f" The {len(found.shown)} most mixed ones are shown." if more else ""))
    title = "Answers to the same question" + (f": {whose}" if whose else "")
    if not found.shown:
        return (Section(title, note),)
    in_short = _table(found.shown[:MOST_IN_SHORT])
    return InFull((Section(title, (*note, _table(found.shown))),)), InShort((Section(title, (*note, in_short)),))


def drawn_for_all(found: DrawsFound) -> tuple[str, ...]:
    """How candidates were compared on draws, each in a sentence."""
    number, again = count(found.draws.number), "" if found.draws.number == 1 else "s"
    return (
        f"Differences are of {found.compared}. Questions were drawn with replacement, and each candidate answered each afresh "
        f"{number} time{again} whenever it was drawn: answering all of a list would prove nothing about probabilities, so no "
        "verdict is exact.",
    )


def _table(shown: tuple[QuestionDraws, ...]) -> Table:
    rows = tuple(
        Row(
            Cell(clipped(one.id, 100)),
            (Cell(one.words, one.right), Cell(clipped(" ".join(one.question.split()), SHOWN_QUESTION))),
        )
        for one in shown
    )
    return Table((Column("Question", short="question"), Column("Right", short="right"), Column("Text", short="text")), rows)


def drawn_so(found: DrawsFound) -> tuple[str, ...]:
    """How a claim on draws was tested, each in a sentence."""
    number, again = count(found.draws.number), "" if found.draws.number == 1 else "s"
    sentence = (
        f"The claim is on probabilities, {found.claimed}. Questions were drawn with replacement and each answered afresh "
        f"{number} time{again} whenever it was drawn: answering all of a list would prove nothing about probabilities, so no "
        "verdict is exact."
    )
    if found.draws.claim != "share":
        return (sentence,)
    reliability = found.draws.reliability or 0.0
    together, none = reliability**found.draws.number, (1 - reliability) ** found.draws.number
    return (
        sentence,
        f"{number} answer{again} to a question do not tell its probability. Where it is below {reliability:g}, all are right "
        f"at most {together:.3g} of the time, and elsewhere none is right at most {none:.2g} of the time: the share lies "
        "between what these two leave, and is a range.",
    )
