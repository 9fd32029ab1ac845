"""Words that make a text read as translated: few in the documentation and in the program's own text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.reading import ROOT

STILTED = re.compile(
    r"\b(?:whoever|wherever|somebody|nobody's|likewise|hence|thus|lest|heeds?|anew|beside|begun|nor|in vain|for want of|by lot"
    r"|by and by|to and fro|at one go|in the midst|told (?:apart|from)|in place of|instead thereof|thereby|therein|whereby"
    r"|whilst|of today|mend(?:ed|s|ing)?|the own|one looks|as one does|none that|is that of|of which there"
    r"|comes? of (?:it|this|that)|stands? (?:in|on|at|by itself|behind|with)"
    r"|what (?:is|was|are|were) (?:asked|answered|drawn|said|told|found|kept))\b",
    re.IGNORECASE,
)
IN_TEN_THOUSAND = 3
REPLIES = ("interview/forms", "scripted_players", "game_texts", "prompts.py", "recipes.py")
"""What holds the words of candidates, players and prompts, rather than the program's own."""


def _of_python(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    yield from (line for line in text.splitlines() if line.lstrip().startswith("#"))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\w \w", node.value):
            yield "" if re.search(r"\(\?|\\[bswd]", node.value) else node.value


def _of_markdown(path: Path) -> Iterator[str]:
    yield re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def _share(texts: Iterator[str]) -> tuple[float, list[str]]:
    """Stilted words per ten thousand, and the first of them with their surroundings."""
    words, places = 0, []
    for text in texts:
        words += len(re.findall(r"[A-Za-z']+", text))
        places += [" ".join(text[max(0, match.start() - 40) : match.end() + 40].split()) for match in STILTED.finditer(text)]
    return 1e4 * len(places) / max(words, 1), places


@pytest.mark.parametrize("part", ["README.md", "docs", "src"])
def test_text_is_in_plain_words(part: str) -> None:
    if part == "src":
        paths = [path for path in sorted((ROOT / "src").rglob("*.py")) if not any(each in path.as_posix() for each in REPLIES)]
        share, places = _share(text for path in paths for text in _of_python(path))
    else:
        paths = [ROOT / part] if part.endswith(".md") else sorted((ROOT / part).rglob("*.md"))
        share, places = _share(text for path in paths for text in _of_markdown(path))
    assert len(paths) >= 1
    assert share <= IN_TEN_THOUSAND, "\n".join(places)


def test_stilted_words_are_seen() -> None:
    share, places = _share(iter(["Whoever asks is told apart by lot.", "You choose the questions."]))
    assert (round(share), places) == (round(1e4 * 3 / 11), places)
    assert len(places) == 3
