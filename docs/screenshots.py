"""The picture of a report in README.md and the index, light and dark, by headless Chromium: `make pictures` writes it.

Two pictures of the gallery need a model or research data, and are not made here: `docs/gallery.md` says where they come from.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from vivavoce.cli import main as viva

FOLDER = Path(__file__).parent
COMMAND = ("report", "bot:calculator?wrong=0.05", "--seed", "0", "--quiet", "--out")
SIZE = {"width": 760, "height": 1014}
PICTURES = {"light": "report.png", "dark": "report-dark.png"}
"""By the colours of the browser."""


def main(folder: Path = FOLDER) -> None:
    """Make the report, and write both pictures into a folder."""
    with TemporaryDirectory() as out:
        viva((*COMMAND, out))
        take(Path(out) / "report.html", {colours: folder / name for colours, name in PICTURES.items()})


def take(page: Path, pictures: dict[str, Path]) -> None:
    """Take pictures of the top of a page."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        for colours, picture in pictures.items():
            tab = browser.new_page(viewport=SIZE, color_scheme=colours)
            tab.goto(page.as_uri())
            tab.screenshot(path=picture)
        browser.close()


if __name__ == "__main__":
    main()
