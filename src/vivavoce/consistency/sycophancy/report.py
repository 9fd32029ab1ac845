"""What conversations report: certificate, tables of right and wrong answers and of scores, a plot, examples, the method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from vivavoce.consistency.invariance.report import FlipRates, excess_cell, rate_cell
from vivavoce.consistency.invariance.summary import Robustness
from vivavoce.consistency.sycophancy.summary import Example, FirstAnswers, Mean, Rate, TurnRow
from vivavoce.consistency.sycophancy.words import mean_in_words, of_right
from vivavoce.formats.wording import clipped, count, score_interval, share, signed_interval
from vivavoce.report.blocks import Block, Card, Column, Figure, Fold, InFull, InShort, Pairs, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import method_of, notes, paragraphs

SHOWN_TEXT: Final = 1_200
"""Characters of a turn or a reply on a page."""
IN_A_LINE: Final = 60
_WHAT: Final = {"given up": "A right answer given up", "kept": "A wrong answer kept", "mended": "A wrong answer mended"}
_NOTHING: Final = Cell("", known=False)


def certificate(found: Robustness | None) -> tuple[Block, ...]:
    """What a certificate rests on."""
    if found is None:
        return ()
    rate = Rate(found.rate.n, found.rate.flipped, found.rate.unknown, found.rate.interval)
    return paragraphs(f"Given up after at least one of these turns: {of_right(rate)}; the limit is {share(found.limit)}.")


def right_answers(turns: Sequence[TurnRow], control: Sequence[TurnRow]) -> Table:
    """A row a turn: how many right answers are given up."""
    columns = (
        Column("Said after the answer"),
        Column("Right", about="Conversations whose first answer is right", number=True),
        Column("Given up", about="Share of these after which the answer is not right any more"),
        Column("Asked again", about="The same when the answer is asked for once more, on the same questions", control=True),
        Column("Excess in points", short="Excess", about="Given up less asked again, in percentage points"),
        Column("Open", about="Conversations of which nobody can tell", number=True, detail=True),
        Column("Not asked", about="Questions without such a conversation", number=True, detail=True),
    )
    rows = [
        Row(
            Cell(row.called, about=row.about),
            (
                count_cell(row.rates.given_up.n),
                rate_cell(row.rates.given_up),
                _NOTHING if row.control is None else rate_cell(row.control.given_up),
                excess_cell(row.excess["given_up"]) if row.excess else _NOTHING,
                count_cell(row.rates.given_up.open),
                count_cell(sum(row.left_out.values())),
            ),
            _style(row),
        )
        for row in (*turns, *control)
    ]
    return Table(columns, tuple(rows), name="Right answers given up")


def wrong_answers(turns: Sequence[TurnRow], control: Sequence[TurnRow]) -> Table:
    """A row a turn: how many wrong answers are kept, how many are mended; and how often any answer changes."""
    columns = (
        Column("Said after the answer"),
        Column("Wrong", about="Conversations whose first answer is wrong", number=True),
        Column("Kept", about="Share of these after which the answer is the same"),
        Column("Mended", about="Share of these after which the answer is right"),
        Column("Mended, excess in points", short="Excess", about="Mended less the same when asked again"),
        Column(
            "Any changed", about="Share of all first answers, right or wrong, after which the answer is another", detail=True
        ),
        Column("Open", about="Conversations of which nobody can tell", number=True, detail=True),
    )
    rows = [
        Row(
            Cell(row.called, about=row.about),
            (
                count_cell(row.rates.kept.n),
                rate_cell(row.rates.kept),
                rate_cell(row.rates.mended),
                excess_cell(row.excess["mended"]) if row.excess else _NOTHING,
                rate_cell(row.rates.changed),
                count_cell(row.rates.mended.open),
            ),
            _style(row),
        )
        for row in (*turns, *control)
    ]
    return Table(columns, tuple(rows), name="Wrong answers kept and mended")


def scores(turns: Sequence[TurnRow], control: Sequence[TurnRow]) -> Table:
    """A row a turn: mean scores before and after, paired."""
    columns = (
        Column("Said after the answer"),
        Column("Questions", number=True, detail=True),
        Column("Before", about="Mean score of the first answers"),
        Column("After", about="Mean score after the turn"),
        Column("Difference", about="After less before, paired by the question"),
    )
    rows = [
        Row(
            Cell(row.called, about=row.about),
            (
                count_cell(row.accuracy.before.n),
                _mean(row.accuracy.before),
                _mean(row.accuracy.after),
                _mean(row.accuracy.difference, difference=True),
            ),
            _style(row),
        )
        for row in (*turns, *control)
    ]
    return Table(columns, tuple(rows), name="Mean scores before and after")


def plotted(turns: Sequence[TurnRow], control: Sequence[TurnRow], limit: float | None) -> tuple[Figure, ...]:
    """The shares of right answers that are given up, the control first."""
    rows = tuple((row.called, row.rates.given_up) for row in turns if row.rates.given_up.n)
    again = tuple(("asked again", row.rates.given_up) for row in control[:1])
    return (Figure(FlipRates((*again, *rows), limit, "right answers given up")),) if rows else ()


def conversations(examples: Sequence[Example]) -> tuple[Block, ...]:
    """Whole conversations, by what was said."""
    by_name: dict[str, list[Example]] = {}
    for example in examples:
        by_name.setdefault(example.name, []).append(example)
    if not by_name:
        return ()
    cards = tuple(Section(f"After {name}", tuple(map(_card, found))) for name, found in by_name.items())
    firsts = (next((one for one in found if one.what == "given up"), None) for found in by_name.values())
    lines = tuple(_line(one) for one in firsts if one is not None)
    return (Section("Conversations", (InFull(cards), InShort(paragraphs(*lines)))),)


def method(first: FirstAnswers, turns: Sequence[TurnRow]) -> Fold:
    """How the numbers were found."""
    reasons = [
        f"Not asked by {name}: {', '.join(f'{clipped(why, 100)} ({count(n)})' for why, n in left_out.items())}."
        for name, left_out in {row.name: row.left_out for row in turns}.items()
        if left_out
    ]
    answers = (
        f"First answers: {count(first.right)} right, {count(first.wrong)} wrong, {count(first.ignorant)} admit ignorance, "
        f"{count(first.open)} unknown."
    )
    sources = "; ".join(f"{name} {', '.join(found)}" for name, found in {r.name: r.sources for r in turns}.items() if found)
    sentences = (
        answers,
        "Each question is asked once. Every conversation goes on from that answer by itself, with all that was said before it, "
        "and asks for the form of the answer as the question did; the control asks for the answer once more, as often.",
        "Intervals are at level 95%: those of Clopper and Pearson for shares; for the excess one that is made of both "
        "(zou2008); for mean scores those of shares where all are 0 or 1, else Student's t; for their paired "
        "differences Student's t with a gain and a loss more than were seen (bonett2012).",
        *([f"Sources: {sources}."] if sources else []),
    )
    return method_of(sentences, *notes(*reasons))


def _style(row: TurnRow) -> Literal["plain", "control"]:
    return "control" if row.control is None else "plain"


def _mean(mean: Mean, *, difference: bool = False) -> Cell:
    if mean.least is None:
        return Cell("unknown", known=False)
    written = signed_interval if difference else score_interval
    return Cell(mean_in_words(mean, difference=difference), mean.least, mean.interval, written(mean.interval))


def _card(example: Example) -> Card:
    pairs: list[tuple[str, str]] = []
    for place, (asked, reply, read_as) in enumerate(example.said):
        pairs.append((f"Turn {place}" if place else "Question", clipped(asked, SHOWN_TEXT)))
        pairs += [("Reply", clipped(reply, SHOWN_TEXT)), ("Read as", clipped(read_as, 120) or "nothing")]
    expected = f"Right: {clipped(example.expected, 120)}" if example.expected else ""
    return Card((Pairs(tuple(pairs)),), title=f"{_WHAT[example.what]}: {clipped(example.id, 80)}", subtitle=expected)


def _line(example: Example) -> str:
    asked, *_ = example.said[0]
    answers = " → ".join(_flat(read_as) or "?" for _, _, read_as in example.said)
    return f"{example.name}: “{_flat(asked)}” {answers}"


def _flat(text: str) -> str:
    return clipped(" ".join(text.split())[:IN_A_LINE], IN_A_LINE)
