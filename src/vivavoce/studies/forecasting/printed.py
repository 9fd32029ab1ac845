"""The prompts of Boxes 1 to 4 of `fluri2024`, word for word, for replications of the paper (`ForecastsConfig.prompts`).

Differences: each mark in brackets, such as `[Answer]`, begins a new line, and so does the text after the derived question,
because our copy of the text runs them together. Replies are parsed by our own parser, which also accepts percentages.

Small models copy the one worked example, including its number, and so appear consistent. Our own prompts have a dozen examples
and the question selects one (`prompts`), so a model that copies contradicts itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from vivavoce.interview.candidate import Exchange


@dataclass(frozen=True, slots=True)
class PrintedPrompt:
    """A printed prompt."""

    system: str
    question: str
    """Question of the worked example."""
    reply: str

    @property
    def stated(self) -> tuple[str, str]:
        """The two lines with a number that the prompt shows: at the end of the system text, and of the worked example.

        >>> boxes()["plain"].stated
        ('[Answer] 0.5', '[Answer] 0.9')
        """
        return f"[Answer]{self.system.rpartition('[Answer]')[2]}", self.reply.splitlines()[-1]

    @property
    def shown(self) -> Exchange:
        """The worked example as an exchange."""
        return Exchange(asked(self.question), self.reply)


def asked(question: str) -> str:
    """The question as printed.

    >>> asked("Will it rain?")
    '[Q] Will it rain?'
    """
    return f"[Q] {question}"


@cache
def boxes() -> Mapping[str, PrintedPrompt]:
    """Boxes for probabilities by variant, and the box for quantities.

    >>> list(boxes())
    ['plain', 'quantity', 'opposite', 'canonical']
    """
    text = files("vivavoce.studies.forecasting").joinpath("printed.toml").read_text(encoding="utf-8")
    return {name: PrintedPrompt(**texts) for name, texts in tomllib.loads(text).items()}


def says_a_shown_line(reply: str) -> bool:
    """Whether a reply consists only of a line with a number that a printed prompt shows: perhaps a copy, perhaps a forecast.

    >>> says_a_shown_line("[Answer] 0.5"), says_a_shown_line("It is open.\\n[Answer] 0.5")
    (True, False)
    """
    return any(reply.strip() in box.stated for box in boxes().values())
