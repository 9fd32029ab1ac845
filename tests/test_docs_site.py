"""The documentation's site: it is built without a warning, fetches nothing, and has a page for all that there is."""

from __future__ import annotations

import json
import pkgutil
import re
import runpy
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import vivavoce
from tests.each_case import each_case
from vivavoce.cli.viva import viva

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
MOST_DISTRIBUTIONS = 36
"""Of others, in a base install."""
SEARCHED = {
    "predict": "luna-prediction",
    "confidence interval": "certificate",
    "paired": "compare",
    "regression test": "gate",
    "LLM as a judge": "graders",
    "sycophancy": "conversations",
    "pass@k": "draws",
    "flaky": "draws",
    "drift": "certificate",
    "calibration": "generalization",
    "tablebase": "chess",
}
"""Words of the field that people search for, each with the page that answers."""
_FETCHED = re.compile(r"<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=[\"']?([^\"'> ]+)", flags=re.IGNORECASE)
_LINK = re.compile(r"<a\b[^>]*?\bhref=[\"']?([^\"'> #?]+)", flags=re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site is built with mkdocs: pip install 'vivavoce[docs]'")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert built.returncode == 0, built.stderr
    return folder


@pytest.mark.slow
def test_nothing_comes_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    fetched = {address for page in pages for address in _FETCHED.findall(page.read_text(encoding="utf-8"))}
    assert fetched
    assert not [address for address in fetched if re.match(r"(?:[a-z]+:)?//", address)]
    sheets = "".join(sheet.read_text(encoding="utf-8") for sheet in site.rglob("*.css"))
    assert not re.search(r"(?:url\([\"']?|@import [\"'])(?:https?:)?//", sheets)


@pytest.mark.slow
def test_every_page_can_be_reached_from_the_first(site: Path) -> None:
    reached, waiting = set(), [site / "index.html"]
    while waiting:
        page = waiting.pop()
        if page not in reached and page.suffix == ".html":
            reached.add(page)
            links = _LINK.findall(page.read_text(encoding="utf-8"))
            waiting += [(page.parent / unquote(link)).resolve() for link in links if ":" not in link]
    assert reached == {page.resolve() for page in site.rglob("*.html")} - {site / "404.html"}
    assert len(reached) >= len(list(DOCS.rglob("*.md")))


@pytest.mark.slow
def test_the_search_finds_the_page_by_the_words_of_the_field(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    pages_by_word = {
        word: {
            entry["location"].partition(".html")[0]
            for entry in entries
            if word.lower() in re.sub(r"<[^>]*>", "", f"{entry['title']} {entry['text']}").lower()
        }
        for word in SEARCHED
    }
    assert {word: page for word, page in SEARCHED.items() if page not in pages_by_word[word]} == {}


@each_case(("word", "page"), SEARCHED.items())
def test_the_words_of_the_field_are_on_their_page(word: str, page: str) -> None:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert word.lower() in " ".join(text.lower().split())


@pytest.mark.slow
def test_docstrings_are_laid_out(site: Path) -> None:
    page = (site / "api" / "statistics.html").read_text(encoding="utf-8")
    assert "<strong>Parameters</strong>" in page
    assert 'class="language-pycon' in page
    assert "----" not in re.sub(r"<[^>]*>", "", page)


def test_the_reference_has_each_command_with_its_options_and_an_example() -> None:
    reference = runpy.run_path(str(DOCS / "cli_reference.py"))
    pages = reference["pages"]()
    commands = [context for context in reference["contexts"](viva) if not isinstance(context.command, click.Group)]
    assert len(commands) > 70
    for context in commands:
        _, name, *below = context.command_path.split()
        (section,) = re.findall(
            rf"^#+ {context.command_path}\n(.*?)(?=^# |^## |\Z)", pages[f"cli/{name}.md"], re.DOTALL | re.MULTILINE
        )
        options = [option for option in context.command.params if isinstance(option, click.Option) and not option.hidden]
        assert [option.name for option in options if max(option.opts, key=len).removeprefix("--set ") not in section] == []
        assert f"Example:\n\n```text\n{context.command_path}" in section, below


def test_every_package_has_a_page_of_reference() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    packages = {module.name for module in pkgutil.iter_modules(vivavoce.__path__)} - {"__main__"}
    assert {package for package in packages if f"::: vivavoce.{package}" not in pages} == set()


@pytest.mark.slow
def test_pictures_show_what_the_page_says() -> None:
    page = (DOCS / "statistics.md").read_text(encoding="utf-8")
    drawn = runpy.run_path(str(DOCS / "pictures.py"))["pictures"]()
    document = {name: alt for alt, name in re.findall(r"!\[(.*?)\]\(pictures/(\w+)\.svg\)", page)}
    assert document == {name: plot.alt for name, plot in drawn.items()}
    assert {file.stem for file in (DOCS / "pictures").iterdir()} == set(document)


def test_every_distribution_of_a_base_install_stands_in_its_page() -> None:
    needed, waiting = set(), ["vivavoce"]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            asked = map(Requirement, distribution(name).requires or ())
            waiting += [
                canonicalize_name(requirement.name)
                for requirement in asked
                if not requirement.marker or requirement.marker.evaluate({"extra": ""})
            ]
    needed.remove("vivavoce")
    assert len(needed) <= MOST_DISTRIBUTIONS
    page = (DOCS / "dependencies.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"[a-z][a-z-]+[a-z0-9]", page[: page.index("## Measure it")]))
    assert needed <= listed, sorted(needed - listed)
