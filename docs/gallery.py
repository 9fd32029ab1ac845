"""The gallery's small models: their reports, tiers and thirty replies, by one command.

`python docs/gallery.py FOLDER NAME=CANDIDATE ...` (`qwen=chat:qwen2.5-coder@http://localhost:8080/v1`) examines each model with
the built-in material, compares all of them, and writes the reports and `replies.md` to docs/gallery/. FOLDER keeps the
records: the same command again asks only what is missing. The comments in gallery.md are written by hand.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.cli import main as viva
from vivavoce.formats.wording import count

OUT: Final = Path(__file__).parent / "gallery"
SEED: Final = 1
REPLIES: Final = 10
"""Shown of each model."""
AT_ONCE: Final = 4
ASKING: Final = ("--seed", str(SEED), "--timeout", "300", "--concurrency", str(AT_ONCE), "--quiet")
"""A small model on a processor takes seconds for a reply."""


def main(folder: Path, models: Mapping[str, str]) -> None:
    """Examine and compare the models, and write what the gallery shows."""
    OUT.mkdir(exist_ok=True)
    folder.mkdir(exist_ok=True)
    sections = ["# Replies of small models", *(section(name, model, folder) for name, model in models.items())]
    sections += ["## Tiers", compared(folder, models)]
    (OUT / "replies.md").write_text("\n\n".join(sections) + "\n", encoding="utf-8")


def section(name: str, model: str, folder: Path) -> str:
    """Examine one model; its findings and some of its replies as Markdown."""
    results = folder / f"{name}.jsonl"
    viva(("report", model, "--set", f"name={name}", "--out", str(folder / name), "--results", str(results), *ASKING))
    shutil.copy(folder / name / "report.html", OUT / f"{name}.html")
    report = json.loads((folder / name / "report.json").read_text(encoding="utf-8"))
    rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    findings = [f"- **{card['room']}**: {card['statement']}" for card in report["cards"]]
    findings += [f"- **{absent['room']}**: {absent['reason']}" for absent in report["absent"] if absent["fits"]]
    minutes = sum(row["seconds"] for row in rows) / 60 / AT_ONCE
    asked = f"{count(len(rows))} replies in {minutes:.0f} minutes, {AT_ONCE} at once. [The report]({name}.html)."
    return "\n\n".join([f"## {name}", asked, "\n".join(findings), *shown(rows)])


def shown(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Replies drawn at random from each test in turn, in full and with what was read."""
    places: Counter[str] = Counter()
    drawn = []
    for at in np.random.default_rng(SEED).permutation(len(rows)):
        row = rows[at]
        drawn.append((places[row["examination"]], row))
        places[row["examination"]] += 1
    for _, row in sorted(drawn, key=lambda pair: pair[0])[:REPLIES]:
        grade = "not graded" if row["score"] is None else f"score {row['score']:g}"
        yield f"### {row['examination'].capitalize()}: {row['outcome']}, {grade}"
        for title, text in (("Question", row["question"]), ("Reply", row["reply"]), ("Read as", row["read as"] or "nothing")):
            yield f"{title}:\n\n{verbatim(text)}"


def verbatim(text: str) -> str:
    """Text as a block that nothing in it can end.

    >>> verbatim("a ~~~~ b")
    '~~~~~text\\na ~~~~ b\\n~~~~~'
    """
    fence = "~" * max(3, 1 + max(map(len, re.findall("~+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


def compared(folder: Path, models: Mapping[str, str]) -> str:
    """Compare the models on the obvious questions, and say the result."""
    said = StringIO()
    record = ("--transcript", str(folder / "tiers.sqlite"), "--html", str(OUT / "tiers.html"), "--json")
    with redirect_stdout(said):
        viva(("compare", *models.values(), "--scope", "obvious", "--questions", "100", *ASKING, *record))
    statement = json.loads(said.getvalue())["statement"]
    for name, model in models.items():
        statement = statement.replace(model.removeprefix("chat:"), name)
    return f"{statement} [The page](tiers.html)."


if __name__ == "__main__":
    main(Path(sys.argv[1]), dict(argument.split("=", 1) for argument in sys.argv[2:]))
