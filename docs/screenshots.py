"""The pictures of pages in the documentation, by headless Chromium: `make pictures` writes them.

`BY_HAND` lists the pictures that are not made here, and what each needs.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Literal, NamedTuple

from vivavoce.cli import main as viva

FOLDER = Path(__file__).parent
PAGES: Final[Mapping[str, tuple[tuple[str, ...], str]]] = {
    "report": (("report", "bot:calculator?wrong=0.05", "--seed", "0", "--out"), "report.html"),
    "certificate": (("certify", "bot:calculator?wrong=0.1", "--scope", "arithmetic", "--seed", "0", "--html"), ""),
    "rehearsal": (("people", "simulate", "--stages", "7", "--html"), ""),
}
"""For each page the command, whose last argument is a path, and the file in it; empty: the path is the page."""


class Picture(NamedTuple):
    """What to show of a page."""

    page: str
    colours: Literal["light", "dark"] = "light"
    width: int = 760
    """Of the window, in pixels."""
    height: int = 1014
    part: str = ""
    """A CSS selector of what to show, with twice as many pixels; empty: what the window shows."""


PICTURES: Final[Mapping[str, Picture]] = {
    "report.png": Picture("report"),
    "report-dark.png": Picture("report", "dark"),
    "certificate.png": Picture("certificate", width=800, height=890),
    "bandit.png": Picture("rehearsal", width=640, part="figure svg"),
}
BY_HAND: Final[Mapping[str, str]] = {
    "weak-model.png": "the report on the first model of the gallery",
    "compare-plan.png": "a comparison of the published answers of twelve models",
    "luna.png": "the end of a game that two players played on the site",
}


def main(folder: Path = FOLDER) -> None:
    """Make the pages, and write all pictures into a folder."""
    with TemporaryDirectory() as out:
        take(make_pages(Path(out)), {folder / name: picture for name, picture in PICTURES.items()})


def make_pages(folder: Path, names: Iterable[str] = PAGES) -> dict[str, Path]:
    """Make pages in a folder by their commands; returns their files by name."""
    files = {}
    for name in names:
        command, file = PAGES[name]
        path = folder / (name if file else f"{name}.html")
        viva((*command[:-1], "--quiet", command[-1], str(path)))
        files[name] = path / file if file else path
    return files


def take(pages: Mapping[str, Path], pictures: Mapping[Path, Picture]) -> None:
    """Take pictures of pages, and write each to its file."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for file, picture in pictures.items():
            size = {"width": picture.width, "height": picture.height}
            scale = 2 if picture.part else 1
            tab = browser.new_page(viewport=size, color_scheme=picture.colours, device_scale_factor=scale)
            tab.goto(pages[picture.page].as_uri())
            shown = tab.locator(picture.part).first if picture.part else tab
            shown.screenshot(path=file)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main()
