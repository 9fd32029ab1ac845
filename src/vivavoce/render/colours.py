"""The style of pages, plots and boards: every colour by its meaning, and the marks that accompany colours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Final, NamedTuple

from vivavoce.report.cells import Tone


class Look(NamedTuple):
    """The look of a meaning: never colour alone."""

    mark: str
    colour: str
    """A variable and a class of the page's style."""
    style: str
    """In a terminal."""


TONES: Final[Mapping[Tone, Look]] = {
    "good": Look("●", "green", "green"),
    "bad": Look("✕", "vermilion", "red"),
    "open": Look("◆", "grey", "dim"),
}

FONT: Final = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif'
"""The reader's system fonts: pages fetch nothing."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a page by what they mean, those of plots after Okabe and Ito (`okabe2008`)."""

    ink: str
    """Text and axes."""
    quiet: str
    """Less prominent text."""
    hairline: str
    """Lines of tables and plots."""
    paper: str
    """Behind everything."""
    accent: str
    """Links and folds."""
    blue: str
    """The candidate."""
    orange: str
    """A reference or a peer."""
    vermilion: str
    """A violation, or "fail"."""
    green: str
    """Understands."""
    grey: str
    """Undecided."""
    square_light: str
    """Light squares of a chessboard."""
    square_dark: str

    @property
    def variables(self) -> dict[str, str]:
        """Its colours by the names of the page's CSS variables."""
        return {f"--{field.name.replace('_', '-')}": getattr(self, field.name) for field in fields(self)}

    @property
    def css(self) -> str:
        """Declarations of these variables."""
        return " ".join(f"{name}: {colour};" for name, colour in self.variables.items())


LIGHT: Final = Palette(
    ink="#1b1c1d",
    quiet="#5c5f63",
    hairline="#d9d9d6",
    paper="#ffffff",
    accent="#0072B2",
    blue="#0072B2",
    orange="#E69F00",
    vermilion="#D55E00",
    green="#009E73",
    grey="#767676",
    square_light="#ece8e0",
    square_dark="#b9b1a4",
)
DARK: Final = Palette(
    ink="#e8e8e5",
    quiet="#a5a8ac",
    hairline="#3a3d40",
    paper="#17191b",
    accent="#56B4E9",
    blue="#56B4E9",
    orange="#E69F00",
    vermilion="#F0762B",
    green="#1FBF92",
    grey="#9a9c9f",
    square_light="#a8a49c",
    square_dark="#76726a",
)
PRINT: Final = replace(LIGHT, ink="#000000", quiet="#444444", hairline="#bbbbbb")
"""On paper: black text, also for readers with a dark theme."""
