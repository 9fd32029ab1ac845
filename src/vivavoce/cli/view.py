"""`viva view`: open the newest page in a browser."""

from __future__ import annotations

from pathlib import Path

import click

from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import JSON
from vivavoce.cli.output import say
from vivavoce.errors import BadFile

PATTERNS = ("*.html", "*/*.html")
"""Patterns of pages to look for in a folder and its subfolders."""


@command(epilog=exit_codes("0 done, also where there is no browser", "2 there is no page"))
@click.argument("path", metavar="[PAGE|FOLDER]", type=click.Path(path_type=Path), default=Path())
@JSON
def view(path: Path, as_json: bool) -> None:
    """Open PAGE, or the newest page in FOLDER; without a browser, print its path.

    \b
    viva view
    viva view calculator
    viva view page.html
    """
    page = newest_page(path)
    is_open = _opened(page)
    words = f"Opened {page}" if is_open else str(page)
    say({"page": str(page), "opened": is_open}, words, as_json, err=is_open)


def newest_page(path: Path) -> Path:
    """The page, or the newest one of a folder. Raises `BadFile` if there is none."""
    if path.is_file():
        if path.suffix not in (".html", ".htm"):
            raise BadFile(path, "is not a page (.html): name one, or a folder that has one")
        return path.resolve()
    if not path.is_dir():
        raise BadFile(path, "there is no such page or folder: check the path")
    pages = [page for pattern in PATTERNS for page in path.glob(pattern) if page.is_file()]
    if not pages:
        raise BadFile(path, "there is no page (.html) in it: 'viva certify ... --html page.html' writes one")
    return max(pages, key=lambda page: page.stat().st_mtime).resolve()


def _opened(page: Path) -> bool:
    """Whether a browser with a window opened it; a text browser would take over this terminal."""
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    in_terminal = ("w3m", "lynx", "links", "elinks", "www-browser")
    if str(getattr(browser, "name", "")).rpartition("/")[2] in in_terminal:
        return False
    return browser.open(page.as_uri())
