"""The two ladders of person or machine as blocks and JSON: humanity of players, and skill of judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from vivavoce.formats.wording import count, name_of, percent
from vivavoce.luna.cells import number_cell
from vivavoce.luna.humanity import Humanity
from vivavoce.luna.identification_finding import share_cell, share_in_words
from vivavoce.luna.telling import Teller
from vivavoce.report.blocks import Block, Column, Figure, Paragraph, Row, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.figures import IntervalRow, IntervalRows

SHOWN: Final = 500
"""Players in a table."""
DRAWN: Final = 30
"""Players in a figure."""
HUMANITY_CAVEAT: Final = (
    "Humanity says how often people on this site take a player for a person, by words alone. It is no smartness, and judges "
    "who answer by a rule move it: players who always say machine lower everybody's in proportion."
)
METHOD: Final = (
    "Humanity is the share of people's judgements that say person; judgements of machines do not count. Its interval is "
    "Clopper and Pearson's, robust to judges who judged a player several times; its order is by the share that further "
    "judgements are expected to have, by a beta-binomial model of all players.",
    "Points of judges: 100 for certain and right, 0 for a coin, -300 for certain and wrong (Brier's score), people and "
    "machines weighing the same, so that no answer that is given to everybody is expected to get more than 0. Their order is "
    "by the mean, drawn towards that of all judges.",
)


def humanity_blocks(players: Sequence[Humanity]) -> tuple[Block, ...]:
    """A figure and a table; nothing where nobody was judged."""
    if not players:
        return ()
    rows = tuple(
        Row(
            Cell(shown_name(one)),
            (count_cell(one.share.n), share_cell(one.share), Cell(percent(one.expected.value or 0.0), one.expected.value)),
        )
        for one in players[:SHOWN]
    )
    heads = (Column("Player"), Column("Judgements"), Column("Say person"), Column("Expected of further ones"))
    return (Figure(humanity_rows(players[:DRAWN])), Table(heads, rows), *_left(len(players)))


def humanity_rows(players: Sequence[Humanity]) -> IntervalRows:
    """How often people take each player for a person, the most human first."""
    first, last = (f"{shown_name(one)}, {share_in_words(one.share)}" for one in (players[0], players[-1]))
    rows = tuple(
        IntervalRow.of(name_of(one.player), share_in_words(one.share), one.share, "plain" if one.human else "reference")
        for one in players
    )
    alt = f"How often people take players for people, of {len(players)} players: from {first}, to {last}."
    return IntervalRows("taken for a person", rows, alt=alt, key=(("plain", "people"), ("reference", "machines")))


def tellers_blocks(judges: Sequence[Teller] | None) -> tuple[Block, ...]:
    """A table; nothing where judges cannot be ordered."""
    if not judges:
        return ()
    rows = tuple(
        Row(
            Cell(name_of(one.player)),
            (
                Cell(f"{one.expected:.0f}".replace("-", "\N{MINUS SIGN}"), one.expected),
                number_cell(one.points, 0),
                Cell(f"{count(one.right)} of {count(one.points.n)}", one.right),
            ),
        )
        for one in judges[:SHOWN]
    )
    return (Table((Column("Judge"), Column("Stands at"), Column("Points"), Column("Right")), rows), *_left(len(judges)))


def shown_name(player: Humanity) -> str:
    """A stranger's name, and whether it is a machine's."""
    return name_of(player.player) if player.human else f"{name_of(player.player)} (machine)"


def humanity_json(one: Humanity) -> dict[str, Any]:
    """As JSON values."""
    return {
        "player": one.player,
        "machine": not one.human,
        "taken_for_a_person": one.share.as_json(),
        "expected": one.expected.as_json(),
    }


def teller_json(one: Teller) -> dict[str, Any]:
    """As JSON values."""
    return {"player": one.player, "standing": one.expected, "points": one.points.as_json(), "right": one.right}


def _left(number: int) -> tuple[Block, ...]:
    return (Paragraph(f"{count(number - SHOWN)} more are in the JSON."),) if number > SHOWN else ()
