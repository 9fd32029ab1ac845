"""Findings as tests look at them: the text and tags of their page, what a browser makes of it, the terminal, and figures."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from vivavoce.render.canvas import Drawing, drawing_of
from vivavoce.render.console import print_report
from vivavoce.render.page import page
from vivavoce.report.reported import ReportedFinding

MADE = datetime(2025, 11, 20, 9, 30, tzinfo=UTC)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WIDTHS = (390, 1280)
"""Pixels of a telephone and of a desk."""
MOST_WORDS = 20
"""Of the first sentence of a page."""
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--allow-file-access-from-files",
)
FRAMES = """<!doctype html>{frames}<script>
addEventListener("load", () => {{
  document.title = JSON.stringify([...document.querySelectorAll("iframe")].map(frame => {{
    const inside = frame.contentDocument;
    const wide = [...inside.querySelectorAll("body *")].filter(
      e => !e.closest(frame.clientWidth < 480 ? ".wide thead" : ".wide table")
        && e.getBoundingClientRect().right > frame.clientWidth + 0.5);
    return [inside.documentElement.scrollWidth, wide.map(e => e.tagName), inside.scripts.length,
      inside.querySelectorAll("svg text").length];
  }}));
}});
</script>"""


class Outline(HTMLParser):
    """Tags with their attributes, and the text in reading order: all of it, and that outside folds."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.text = self.unfolded = ""
        self._folds = 0
        self._in_summary = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self._folds += tag == "details"
        self._in_summary = tag == "summary"
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        self._folds -= tag == "details"
        self._in_summary &= tag != "summary"

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._folds - self._in_summary <= 0 and self.lasttag != "style":
            self.unfolded += data

    def values_of(self, *names: str) -> list[str]:
        """The values of all attributes of these names."""
        return [value for name, value in self.attributes if name in names]


class NestingChecker(HTMLParser):
    """Complains about tags that are not closed where they should be."""

    VOID = frozenset({"col", "meta", "link", "br", "wbr", "img", "hr", "input"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


_DRAWN: dict[tuple[int, ...], tuple[tuple[ReportedFinding, ...], str]] = {}
"""Pages by the identities of their findings, which are kept so that no other gets the same; findings cannot be altered."""


def html_of(*findings: ReportedFinding) -> str:
    """The page of these findings, drawn once for all tests that look at it."""
    key = tuple(map(id, findings))
    if key not in _DRAWN:
        _DRAWN[key] = findings, drawn_again(*findings)
    return _DRAWN[key][1]


def drawn_again(*findings: ReportedFinding) -> str:
    """The page of these findings, whether or not it was drawn before."""
    return page(findings, made=MADE, version="0.1.0")


def outline(*findings: ReportedFinding) -> Outline:
    return Outline(html_of(*findings))


def printed(finding: ReportedFinding, *, width: int = 80, terminal: bool = False) -> str:
    """What a terminal of this width shows; in colours where it is one, and not a file."""
    file = io.StringIO()
    print_report(finding.report(), Console(file=file, width=width, force_terminal=terminal, legacy_windows=False))
    return file.getvalue()


def drawings(finding: ReportedFinding) -> list[Drawing]:
    """The figures that there is enough for, but pictures of boards."""
    return [drawing for figure in finding.report().figures if isinstance(drawing := drawing_of(figure.data), Drawing)]


def assert_in_order(text: str, parts: Sequence[str]) -> None:
    """Each of these is in the text, whose blanks don't matter, and they begin in this order."""
    starts = [spaced(text).index(spaced(part)) for part in parts]
    assert starts == sorted(starts), list(zip(parts, starts, strict=True))


def spaced(text: str) -> str:
    """Every run of blanks of any kind as one."""
    return " ".join(text.replace("\xad", "").split())


def words_of(sentence: str) -> list[str]:
    """The words of a sentence, without intervals in brackets."""
    return re.sub(r"\[[^\]]*\]", "", sentence).split()


def unheaded(html: str) -> str:
    """The cells of wide tables without what their columns are, which telephones show beside them."""
    return re.sub(r' data-head="[^"]*"', "", html)


def plain(html: str) -> str:
    """The text alone, every run of blanks and lines as one blank, words whole where they may be broken."""
    return re.sub(r"[ \n]+", " ", unescape(re.sub(r"<[^>]+>", " ", html.replace("<wbr>", "").replace("\xad", ""))))


def assert_self_contained(*findings: ReportedFinding) -> None:
    """Nothing is fetched, ids are unique, every tag is closed, the bytes are the same each time, and below a megabyte."""
    html = html_of(*findings)
    shown = Outline(html)
    ids = shown.values_of("id")
    assert len(ids) == len(set(ids))
    addresses = shown.values_of("src", "href", "xlink:href", "action", "data")
    assert {address.removeprefix("#") for address in addresses} <= set(ids)  # all of them are places on the page
    assert not re.search(r"url\((?!#)", html)
    assert "@import" not in html
    assert len(html.encode(errors="replace")) < 1_000_000
    assert html == drawn_again(*findings)
    assert NestingChecker(html).open == []


def assert_fits(folder: Path, *findings: ReportedFinding) -> None:
    """In a browser, with all that is folded laid open, nothing is wider than the window.

    On a desk a table may be that scrolls in its box.
    """
    html = html_of(*findings).replace("<details", "<details open")
    (folder / "page.html").write_text(html, encoding="utf-8", errors="replace")
    frames = "".join(f'<iframe src="page.html" style="width:{w}px;height:3000px;border:0"></iframe>' for w in WIDTHS)
    title = title_of(folder, FRAMES.format(frames=frames))
    for width, (reach, wider, scripts, _) in zip(WIDTHS, json.loads(title), strict=True):
        assert (reach, wider, scripts) == (width, [], 0), title
    assert html.count("<text") == json.loads(title)[0][3]  # the plots are there, their words as text


def title_of(folder: Path, frame: str) -> str:
    """The title that the script of a page gives it in a browser; its files are in the folder."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    (folder / "frame.html").write_text(frame, encoding="utf-8")
    command = (CHROMIUM, *OPTIONS, f"--user-data-dir={folder / 'profile'}", "--dump-dom", f"file://{folder}/frame.html")
    shown = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout
    return unescape(shown[shown.index("<title>") + 7 : shown.index("</title>")])
