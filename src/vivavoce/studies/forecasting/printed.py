"""The prompts of Boxes 1 to 4 of `fluri2024`, word for word, for those who repeat the paper (`ForecastsConfig.prompts`).

Departures. Each mark in brackets, such as `[Answer]`, begins a line, and so does what follows the derived question: the text
that we have runs them together. Replies are read by our own reader, which takes percentages, too.

Small models copy the one worked example, its number included. Our own prompts have a dozen, of which the question chooses one
(`prompts`), so that who copies contradicts itself; who copies the printed one is consistent.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from vivavoce.interview.candidate import Exchange


@dataclass(frozen=True, slots=True)
class Box:
    """A printed prompt."""

    system: str
    question: str
    """Of the worked example."""
    reply: str

    @property
    def stated(self) -> tuple[str, str]:
        """The lines with a number that it shows: at the end of its system text, and of the worked example.

        >>> boxes()["plain"].stated
        ('[Answer] 0.5', '[Answer] 0.9')
        """
        return f"[Answer]{self.system.rpartition('[Answer]')[2]}", self.reply.splitlines()[-1]

    @property
    def shown(self) -> Exchange:
        """The worked example as it is put."""
        return Exchange(asked(self.question), self.reply)


def asked(question: str) -> str:
    """A question as it is put.

    >>> asked("Will it rain?")
    '[Q] Will it rain?'
    """
    return f"[Q] {question}"


@cache
def boxes() -> Mapping[str, Box]:
    """Those of probabilities by variant, and `quantity`.

    >>> list(boxes())
    ['plain', 'quantity', 'opposite', 'canonical']
    """
    text = files("vivavoce.studies.forecasting").joinpath("printed.toml").read_text(encoding="utf-8")
    return {name: Box(**texts) for name, texts in tomllib.loads(text).items()}


def says_a_shown_line(reply: str) -> bool:
    """Whether a reply is nothing but a line with a number that a printed prompt shows: perhaps a copy, perhaps a forecast.

    >>> says_a_shown_line("[Answer] 0.5"), says_a_shown_line("It is open.\\n[Answer] 0.5")
    (True, False)
    """
    return any(reply.strip() in box.stated for box in boxes().values())
