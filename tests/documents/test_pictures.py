"""The documentation's pictures: each is there, and made by a script that still works."""

from __future__ import annotations

import re
import runpy
import struct
from pathlib import Path
from typing import Any

import pytest

from tests.web.chromium import CHROMIUM
from vivavoce.render.colours import DARK, LIGHT

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
KINDS = ("png", "svg", "jpg", "gif")
PICTURE = re.compile(rf"(?:\]\(|src(?:set)?=\")([^)\s\"]+\.(?:{'|'.join(KINDS)}))")
WIDTHS = (390, 1280)
"""Pixels of a telephone and of a desk."""
SCREENSHOTS = runpy.run_path(str(DOCS / "screenshots.py"))


def shown() -> dict[Path, Path]:
    """Each picture that a page of the documentation shows, with the page."""
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    pictures = ((page, name) for page in pages for name in PICTURE.findall(page.read_text(encoding="utf-8")))
    return {(page.parent / name).resolve(): page for page, name in pictures if "://" not in name}


def test_every_picture_that_a_page_shows_exists() -> None:
    pictures = shown()
    assert len(pictures) > 10
    assert {str(file): page.name for file, page in pictures.items() if not file.is_file()} == {}


def test_every_picture_is_shown_and_is_made_by_a_script_or_listed() -> None:
    there = {file for kind in KINDS for file in DOCS.rglob(f"*.{kind}")}
    assert {file.name for file in there - shown().keys() if file.parent.name != "pictures"} == set()
    drawn = {f"{make.__name__}.svg" for make in runpy.run_path(str(DOCS / "pictures.py"))["PLOTS"]}
    taken, by_hand = set(SCREENSHOTS["PICTURES"]), set(SCREENSHOTS["BY_HAND"])
    assert {file.name for file in there} == drawn | taken | by_hand
    assert not taken & by_hand
    assert {picture.page for picture in SCREENSHOTS["PICTURES"].values()} == set(SCREENSHOTS["PAGES"])


def size_of(file: Path) -> tuple[int, int]:
    """Width and height of a PNG."""
    head = file.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:])
    return width, height


def light_of(file: Path) -> tuple[float, float]:
    """The median brightness of a picture, from 0 to 1, and the share of its pixels that differ from it."""
    import numpy as np
    from matplotlib.image import imread

    pixels = imread(file)[..., :3].mean(axis=2)
    median = float(np.median(pixels))
    return median, float((abs(pixels - median) > 0.1).mean())


@pytest.mark.parametrize("name", sorted(SCREENSHOTS["PICTURES"]))
def test_pictures_of_pages_have_their_width_and_are_not_blank(name: str) -> None:
    picture = SCREENSHOTS["PICTURES"][name]
    if not picture.part:
        assert size_of(DOCS / name) == (picture.width, picture.height)
    assert light_of(DOCS / name)[1] > 0.01


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of a report and of a certificate."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: apt install chromium")
    files: dict[str, Path] = SCREENSHOTS["make_pages"](tmp_path_factory.mktemp("pages"), ("report", "certificate"))
    return files


@pytest.mark.long
@pytest.mark.browser
def test_pages_are_taken_in_both_colours_and_widths(pages: dict[str, Path], tmp_path: Path) -> None:
    picture: Any = SCREENSHOTS["Picture"]
    wanted = {
        tmp_path / f"{page}-{colours}-{width}.png": picture(page, colours, width, 900)
        for page in pages
        for colours in ("light", "dark")
        for width in WIDTHS
    }
    SCREENSHOTS["take"](pages, wanted)
    for file, asked in wanted.items():
        assert size_of(file) == (asked.width, 900), file.name
        brightness, share = light_of(file)
        paper = LIGHT if asked.colours == "light" else DARK
        assert brightness == pytest.approx(brightness_of(paper.variables["--paper"]), abs=0.1), file.name
        assert share > 0.01, file.name


def brightness_of(colour: str) -> float:
    """From 0 to 1, of a colour such as #1a2b3c."""
    return sum(bytes.fromhex(colour.removeprefix("#"))) / 3 / 255


@pytest.mark.long
@pytest.mark.browser
def test_a_part_of_a_page_is_taken_at_twice_its_pixels(pages: dict[str, Path], tmp_path: Path) -> None:
    file = tmp_path / "bar.png"
    SCREENSHOTS["take"](pages, {file: SCREENSHOTS["Picture"]("certificate", width=800, part=".tiles")})
    width, height = size_of(file)
    assert 1_200 < width <= 1_600
    assert 100 < height < 1_000
    assert light_of(file)[1] > 0.01
