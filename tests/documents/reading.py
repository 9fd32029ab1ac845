"""What the documentation tells readers to type.

In a ```console block, `$ ` begins a command and `> ` goes on with it; the lines below it are what it prints, `...` leaves some
out. A block with a title (```python title="my_model.py") is a file of that name, which commands below it find. A ```sh block is
a script, and what it prints is not shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
_BLOCK = re.compile(
    r'^```(?P<kind>console|sh|python|csv|json|yaml)(?: title="(?P<file>[\w.-]+)")?\n(?P<text>.*?)^```',
    flags=re.DOTALL | re.MULTILINE,
)


@dataclass
class DocumentStep:
    """Something to run, and what it is said to print."""

    command: str
    kind: Literal["console", "sh", "python"] = "console"
    prints: list[str] = field(default_factory=list)


def name(document: Path) -> str:
    """README.md, and pages by their place in docs/."""
    return document.name if document.parent == ROOT else document.relative_to(ROOT / "docs").as_posix()


def steps(document: Path) -> list[DocumentStep]:
    """All steps, in the order of the page."""
    result: list[DocumentStep] = []
    for block in _BLOCK.finditer(document.read_text(encoding="utf-8")):
        if block["file"]:
            result.append(DocumentStep(f"cat > {block['file']} <<'END OF FILE'\n{block['text']}END OF FILE"))
        elif block["kind"] == "console":
            result += _typed(block["text"])
        elif block["kind"] in ("sh", "python"):
            result.append(DocumentStep(block["text"], "sh" if block["kind"] == "sh" else "python"))
    return result


def mentioned(document: Path) -> list[str]:
    """Commands in running text: `viva ...`, `python bench/...` and the like."""
    text = re.sub(r"^```.*?^```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    spans = [plain(span) for span in re.findall(r"`([^`]+)`", text)]
    return [span for span in spans if span.startswith(("viva ", "python "))]


def _typed(text: str) -> list[DocumentStep]:
    result: list[DocumentStep] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            result.append(DocumentStep(line[2:]))
        elif line.startswith("> ") or line == ">":
            result[-1].command += "\n" + line[2:]
        elif line.strip() not in ("", "..."):
            result[-1].prints.append(plain(line))
    return result


def commands(script: str) -> list[str]:
    """The commands of a script, a line each, however many lines they take there."""
    joined = re.sub(r"\\\n\s*", "", script)
    return [re.sub(r"\s+# .*", "", line) for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def plain(line: str) -> str:
    """With single spaces: thin ones are spaces, too."""
    return " ".join(line.split())
