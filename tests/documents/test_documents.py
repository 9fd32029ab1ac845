"""The commands of the documentation do what the documentation says.

In each ```console block, `$ ` begins a command and `> ` goes on with it. A command must end with exit code 0 (one that is meant
to end otherwise shows it: `; echo $?`). The lines below it must be lines of its output, in this order; `...` leaves some out.
A block with a title (```python title="my_model.py") is a file of that name, which commands below it find.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.candidates.engines import missing

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
CODED = {
    "README.md", "certificate.md", "scopes.md", "candidates.md", "transcript.md", "chess.md",
    "forecasts.md", "making-tuples.md", "bail.md", "cases.md", "relations.md", "eqt.md", "luna.md", "luna-machines.md",
    "generalization.md", "belief-change.md", "surveys.md", "luna-ratings.md", "luna-prediction.md",
    "graders.md", "examine.md", "inspect.md", "howto/own-model.md", "howto/own-scope.md", "howto/own-law.md",
    "howto/own-engine.md", "howto/own-survey.md", "howto/many-machines.md", "start.md",
}  # fmt: skip
"""Those that must have commands: if none is found in them, this test has lost its way."""


FIRST = {"README.md", "start.md", "certificate.md", "examine.md", "scopes.md", "candidates.md", "transcript.md"}
"""What whoever is new reads; the commands of the other pages are run with the slow tests."""


def _name(document: Path) -> str:
    """README.md, and pages by their place in docs/."""
    return document.name if document.parent == ROOT else document.relative_to(ROOT / "docs").as_posix()


_BLOCK = re.compile(r'^```(?:console|\w+ title="(?P<file>[\w.-]+)")\n(?P<text>.*?)^```', flags=re.DOTALL | re.MULTILINE)


@dataclass
class Step:
    """A command and what it is said to print."""

    command: str
    prints: list[str] = field(default_factory=list)


def steps(document: Path) -> list[Step]:
    found: list[Step] = []
    for block in _BLOCK.finditer(document.read_text(encoding="utf-8")):
        if block["file"]:
            found.append(Step(f"cat > {block['file']} <<'END OF FILE'\n{block['text']}END OF FILE"))
            continue
        for line in block["text"].splitlines():
            if line.startswith("$ "):
                found.append(Step(line[2:]))
            elif line.startswith("> ") or line == ">":
                found[-1].command += "\n" + line[2:]
            elif line.strip() not in ("", "..."):
                found[-1].prints.append(plain(line))
    return found


def plain(line: str) -> str:
    return " ".join(line.split())  # thin spaces are spaces, too


def _marked(document: Path) -> object:
    return document if _name(document) in FIRST else pytest.param(document, marks=pytest.mark.slow)


@pytest.mark.parametrize("document", [_marked(document) for document in DOCUMENTS], ids=_name)
def test_commands_do_what_the_document_says(document: Path, tmp_path: Path) -> None:
    program = steps(document)
    assert program or _name(document) not in CODED
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    left_out = [step for step in program if "uci:stockfish" in step.command and missing("stockfish")]
    for step in program:
        if step in left_out:
            continue
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=tmp_path,
            env={**os.environ, "PATH": path, "COLUMNS": "120"},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f"$ {step.command}\n{done.stderr}"
        rest = [plain(line) for line in (done.stdout + done.stderr).splitlines()]
        for line in step.prints:
            assert line in rest, f"$ {step.command}\ndoes not print (here): {line}\nbut:\n{done.stdout}{done.stderr}"
            rest = rest[rest.index(line) + 1 :]
    if left_out:
        pytest.skip(f"{len(left_out)} of {len(program)} commands need stockfish: apt-get install stockfish")


@pytest.mark.parametrize("document", DOCUMENTS, ids=_name)
def test_links_to_files_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_every_cited_key_is_in_the_bibliography() -> None:
    bibliography = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
    known = set(re.findall(r"^@\w+\{(\w+),", bibliography, flags=re.MULTILINE))
    sources = [*DOCUMENTS, *(ROOT / "src").rglob("*.py")]
    cited = {key for file in sources for key in re.findall(r"`([a-z]+[12]\d{3}[a-z]*)`", file.read_text(encoding="utf-8"))}
    assert cited
    assert cited <= known, sorted(cited - known)
