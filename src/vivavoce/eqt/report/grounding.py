"""Where a candidate fails by the user's sources, as blocks."""

from __future__ import annotations

from typing import Final

from vivavoce.eqt.grounding import DECIDED, VERDICTS, Grounding, Verdict
from vivavoce.eqt.report.cells import points_cell, share_cell
from vivavoce.formats.wording import count, percent, percent_interval
from vivavoce.interview.forms.several_options import letters
from vivavoce.report.blocks import Column, InFull, Paragraph, Row, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import notes

WHERE: Final[dict[Verdict, tuple[str, str]]] = {
    "explaining": ("In explaining", "the key follows from the explanation, and the source denies it"),
    "writing": ("In writing the question", "the key is not what the explanation says"),
    "answering": ("In answering", "explanation, source and key agree, and the answer without them does not"),
    "none": ("Nowhere", "all agree"),
}
BOOKS: Final = (
    ("closed", "Nothing at hand", "answered as keyed"),
    ("with_explanation", "Its explanation at hand", "answered as keyed"),
    ("with_source", "The source at hand", "answered as keyed"),
    ("true", "Nothing at hand, by the source", "answered as the checker does with the source at hand"),
)
DIFFERENCES: Final = (
    ("explanation_gains", "What the explanation adds", "with it less with nothing, in points"),
    ("source_loses", "What the source does not bear out", "with the explanation less with the source, in points"),
)


def grounded(found: Grounding | None) -> Section:
    """The two tables, or nothing where there are no sources."""
    if found is None:
        return Section("", ())
    where = tuple(
        Row(Cell(WHERE[name][0], below=(WHERE[name][1],)), (share_cell(found.shares[name]),))
        for name in VERDICTS
        if name in DECIDED
    )
    books = tuple(
        Row(Cell(name, below=(about,)), (cell(getattr(found, what)),))
        for rows, cell in ((BOOKS, share_cell), (DIFFERENCES, points_cell))
        for what, name, about in rows
    )
    silent, unread = found.counts["not in the source"], found.counts["unreadable"]
    left_out = (
        f"Of {count(sum(found.counts.values()))} questions {count(silent + unread)} are in no share of the first table: "
        f"{count(silent)} that the source does not settle, and {count(unread)} where a check or the answer could not be read. "
        "In the second table what could not be read counts as wrong."
    )
    return Section(
        "Where it fails, by the sources",
        (
            InFull((Paragraph(_LEAD),)),
            Table((Column("Fails", short="fails", percent=70), Column("Questions", short="questions")), where),
            Table((Column("With what at hand", short="at hand", percent=70), Column("Right", short="right")), books),
            *notes(left_out),
        ),
    )


def sources_say(found: Grounding) -> str:
    """How much of what is keyed is explained wrongly, in a clause; empty where nothing is known."""
    share = found.shares["explaining"]
    if share.value is None:
        return ""
    return (
        f"by the sources {percent(share.value)} {percent_interval(share.interval)} of the questions rest on a wrong explanation"
    )


def sources_caveat(found: Grounding | None, *, itself: bool, completed: int) -> str:
    """Who says what the sources say, and which concepts have none; `itself`: the checker is the candidate."""
    if found is None:
        return ""
    whose = (
        ", and the checker is the candidate itself: give the checking to another model (--role checker=...)" if itself else ""
    )
    left = f" {count(found.without)} of {count(completed)} concepts have none." if found.without else ""
    return f"Whether it is true only the sources tell, as far as the checker finds it in them{whose}.{left}{_one_answer(found)}"


def _one_answer(found: Grounding) -> str:
    """Where the checker gives one answer whatever is asked, or may."""
    pattern = found.checker
    if pattern is None or not (pattern.prevails or pattern.untold):
        return ""
    said = (
        f" It finds “{letters(pattern.value)}” in {count(pattern.questions)} of {count(pattern.of_questions)} questions, and "
        f"{count(pattern.keys)} of them have it as their key"
    )
    if pattern.prevails:
        return f"{said}: what it finds says nothing, and where the candidate fails is withheld."
    return f"{said}: these are too few questions to tell whether it finds that whatever is asked."


_LEAD: Final = (
    "A candidate that explains a thing wrongly, and answers by that, would pass. So each question is also held against a "
    "source that the user supplied: the checker says what it finds there and in the explanation, and the answerer answers "
    "with either at hand."
)
