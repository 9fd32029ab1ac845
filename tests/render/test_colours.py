"""Colours stand in one place: plots, pages, boards and the site are tied to it."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

import pytest

from vivavoce.render import canvas, colours
from vivavoce.render.colours import DARK, LIGHT, PRINT, TONES, Palette
from vivavoce.render.markdown import in_notebook
from vivavoce.render.page import environment
from vivavoce.report.blocks import Report

HEX = re.compile(r"(?<![&\w])#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b")
SOURCE = Path(str(files("vivavoce")))
COMMON = {LIGHT: ("--ink", "--quiet", "--accent"), DARK: ("--ink", "--accent")}
"""Colours that the site has from the theme; its others differ, for its paper is tinted and its buttons are filled."""


def test_no_other_file_has_a_colour_of_its_own() -> None:
    kinds = {".py", ".css", ".j2", ".html"}
    texts = (file for file in SOURCE.rglob("*.*") if file.relative_to(SOURCE).parts[0] not in ("web", "cli"))
    lines = {file.name for file in texts if file.suffix in kinds and HEX.search(file.read_text(encoding="utf-8"))}
    assert lines == {Path(colours.__file__).name}


@pytest.mark.parametrize("palette", [LIGHT, DARK, PRINT])
def test_a_palette_is_whole(palette: Palette) -> None:
    assert all(re.fullmatch(r"#[0-9a-fA-F]{6}", getattr(palette, field.name)) for field in fields(palette))


def test_the_style_of_pages_has_every_colour_for_light_dark_and_print() -> None:
    css = environment().get_template("page.css").render()
    light, dark, print_ = (css.index(palette.css) for palette in (LIGHT, DARK, PRINT))
    assert light < css.index("(prefers-color-scheme: dark)") < dark < css.index("@media print") < print_
    used = set(re.findall(r"var\((--[a-z-]+)\)", css))
    assert used <= {*LIGHT.variables, "--font", "--columns"}
    notebook = in_notebook(Report("A check", "Of a model", "All is well.", (), "All is well."))
    assert all(palette.css in notebook for palette in (LIGHT, DARK, PRINT))


def test_colours_of_plots_are_those_of_a_light_page() -> None:
    assert {LIGHT.variables[name]: name for name in canvas.VARIABLES.values()} == canvas.VARIABLES
    assert {
        canvas.BLUE,
        canvas.ORANGE,
        canvas.VERMILION,
        canvas.GREEN,
        canvas.GREY,
        canvas.INK,
        canvas.HAIRLINE,
        canvas.PAPER,
    } == set(canvas.VARIABLES)


def test_marks_have_a_colour_of_the_page() -> None:
    css = environment().get_template("page.css").render()
    for look in TONES.values():
        assert f".{look.colour} {{ color: var(--{look.colour}); }}" in css


@pytest.mark.parametrize(("palette", "names"), COMMON.items())
def test_the_site_has_the_same_ink_and_accent(palette: Palette, names: tuple[str, ...]) -> None:
    css = (SOURCE / "web" / "static" / "site.css").read_text(encoding="utf-8")
    light, _, dark = css.partition("@media (prefers-color-scheme: dark)")
    declared = dict(re.findall(r"(--[a-z-]+): (#\w+);", light if palette is LIGHT else dark.partition("* {")[0]))
    assert {name: declared[name].lower() for name in names} == {name: palette.variables[name].lower() for name in names}
