"""An examination in the terminal: its cost, its progress, and the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from vivavoce.examination.page import SHOWN, answer_rows
from vivavoce.formats.wording import clipped, count, duration, name_of
from vivavoce.render.terminal import ProgressLine, table

if TYPE_CHECKING:
    from vivavoce.examination.dossier import Dossier
    from vivavoce.examination.part import ExaminationConfig
    from vivavoce.examination.run import ExaminationOutlook

SECONDS: Final = 2.0
"""Assumed seconds of one call of a language model."""
COLOURS: Final = {"green": "green", "vermilion": "red", "grey": "bright_black", "accent": "cyan"}
LONGEST: Final = 300
"""Characters of an examination's line when it ends."""


class RoomLines(ProgressLine):
    """Prints a line when an examination starts and ends, and a live line between."""

    def room(self, room: str, news: str) -> None:
        """An examination starts (without news), or has ended with them."""
        text = f": {clipped(news, LONGEST)}" if news else " ..."
        self._console.print(Text(f"{room}{text}", style="" if news else "dim"), soft_wrap=True)


def print_outlook(
    outlook: ExaminationOutlook, examination: ExaminationConfig, console: Console, *, concurrency: int | None
) -> None:
    """The examinations in order with their costs, and those left out; concurrency: None with batches."""
    made = table(("examination", "calls", "tokens", "money", "time", ""))
    for column in made.columns[1:5]:
        column.justify = "right"
    made.columns[5].style = "dim"
    timed = examination.nature == "model" and concurrency is not None
    for planned in outlook.rooms:
        cost_estimate = planned.cost_estimate
        seconds = cost_estimate.calls / (concurrency or 1) * SECONDS
        cells = (
            f"~{count(cost_estimate.calls)}",
            f"~{count(cost_estimate.tokens)}" if examination.nature == "model" else "–",
            f"~{cost_estimate.money:.2f}" if cost_estimate.money else "–",
            f"~{duration(seconds)}" if timed else "–",
        )
        made.add_row(*map(Text, (planned.part.room, *cells, cost_estimate.note)))
    console.print(
        Text(f"{examination.plan.name or name_of(examination.candidate)}: planned questions, without answers on record")
    )
    console.print(made)
    for room in outlook.absent:
        if room.fits:
            console.print(Text(f"not {room.room}: {room.reason}", style="dim"), soft_wrap=True)
    if timed:
        console.print(Text(f"At about {SECONDS:g} s per call, {concurrency} at once.", style="dim"))
    elif examination.nature == "model":
        console.print(Text("By batch: each takes minutes to hours. The money is the price of batches.", style="dim"))


def print_answer(dossier: Dossier, console: Console) -> None:
    """The result, with the tests that it passes and fails, and what is unknown."""
    console.print(Text(clipped(dossier.headline, SHOWN), style="bold"), soft_wrap=True)
    for mark, colour, heading, texts in answer_rows(dossier):
        console.print(Text(f"{mark} ", style=COLOURS[colour]) + Text(heading, style="bold"))
        for text in texts:
            console.print(Text(f"  {text}"), soft_wrap=True)
    if dossier.answer.guarantee:
        console.print(Text(dossier.answer.guarantee), soft_wrap=True)
