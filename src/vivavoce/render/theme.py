"""The one look of pages, plots and boards: colours by what they mean, and the mark beside each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from vivavoce.report.cells import Tone


class Look(NamedTuple):
    """How something that means something looks: never by colour alone."""

    mark: str
    colour: str
    """A variable of the page's style, and a class of it."""
    style: str
    """In a terminal."""


TONES: Final[Mapping[Tone, Look]] = {
    "good": Look("●", "green", "green"),
    "bad": Look("✕", "vermilion", "red"),
    "open": Look("◆", "grey", "dim"),
}
