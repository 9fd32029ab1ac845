"""Ways to ask: how the command line writes them, and the settings that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import expanded, text_lines
from vivavoce.formats.wording import clipped
from vivavoce.studies.config import ForecastsConfig, VariantsConfig
from vivavoce.studies.forecasting.prompts import VARIANTS, Instructions

TOGETHER: Final = "together"
INSTRUCTIONS, CANDIDATE = "instructions:", "candidate:"
LONGEST: Final = 20_000
"""Most characters of instructions."""
LONGEST_LABEL: Final = 60


@dataclass(frozen=True, slots=True)
class AskedWay:
    """One way to ask."""

    label: str
    """Unique display name in tables."""
    config: ForecastsConfig
    candidate: str = ""
    """Name of the candidate; empty: the same as for the others."""
    instructions: Instructions | None = None


def ways_of(config: VariantsConfig, base: ForecastsConfig) -> list[AskedWay]:
    """The requested ways to ask; other settings are as in `base`.

    Raises `BadInput` for a repeated way, `UnknownName`, and `BadFile` for a file of instructions that can't be used.

    >>> [way.label for way in ways_of(VariantsConfig(("plain", "together+opposite")), ForecastsConfig())]
    ['plain', 'together+opposite']
    """
    ways = [way_named(name, base) for name in config.variants]
    labels = [variant.label for variant in ways]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise BadInput(f"two variants are called '{twice}': give each once, and rename files of instructions")
    return ways


def way_named(name: str, base: ForecastsConfig) -> AskedWay:
    """The way with this name on the command line."""
    beginning, _, rest = name.partition("+")
    config, text = base, name
    if beginning == TOGETHER:
        config, text = replace(base, together=True), rest or "plain"
    if text.startswith(CANDIDATE) and len(text) > len(CANDIDATE):
        return AskedWay(_label(name), config, candidate=text.removeprefix(CANDIDATE))
    if text.startswith(INSTRUCTIONS) and len(text) > len(INSTRUCTIONS):
        instructions = read_instructions(expanded(text.removeprefix(INSTRUCTIONS)))
        label = name.removesuffix(text) + instructions.name
        return AskedWay(_label(label), config, instructions=instructions)
    if text not in VARIANTS:
        raise UnknownName(
            "variant", clipped(text, LONGEST_LABEL), (*VARIANTS, TOGETHER, f"{INSTRUCTIONS}FILE", f"{CANDIDATE}NAME")
        )
    config = replace(config, variant=text)
    return AskedWay(_label(name), config)


def read_instructions(file: Path) -> Instructions:
    """Read instructions from a text file. Raises `BadFile` if it is empty or too long."""
    lines: list[str] = []
    for line in text_lines(file):
        lines.append(line)
        if sum(map(len, lines)) > LONGEST:
            raise BadFile(
                file, f"instructions of more than {LONGEST} characters: shorten them, they are sent with each question"
            )
    text = "".join(lines).strip()
    if not text:
        raise BadFile(file, "the instructions are empty: write how to forecast a probability")
    return Instructions(clipped(file.name, LONGEST_LABEL), text)


def candidates_of(ways: Sequence[AskedWay], candidate: str) -> list[str]:
    """Names of the candidates that are asked in these ways."""
    return [variant.candidate or candidate for variant in ways]


def _label(name: str) -> str:
    return clipped(name, LONGEST_LABEL)
