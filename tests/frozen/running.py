"""Runs the commands of `commands.txt` in this process, each case in a folder of its own, and returns what each printed."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.frozen import files, models
from vivavoce.cli import main

COMMANDS = Path(__file__).with_name("commands.txt")
HELPERS: Mapping[str, Callable[..., None]] = {
    "fill-sheet": files.fill_sheet,
    "review-sheet": files.review_sheet,
    "play-games": files.play_games,
    "spoil": files.spoil,
}
"""Steps between commands: what people do, or a site where games were played."""


@dataclass(frozen=True)
class FrozenCase:
    """Command lines that are run one after the other in one folder."""

    name: str
    marks: tuple[str, ...]
    """The programs that it needs, such as `stockfish`."""
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Output:
    """What one command left: its exit code, what it printed on each stream."""

    line: str
    code: int
    out: str
    err: str


def read_cases(text: str | None = None) -> dict[str, FrozenCase]:
    """All cases by name: `[name mark mark]`, then a command line each."""
    cases: dict[str, FrozenCase] = {}
    blocks = re.split(r"^\[(.+)\]\n", text if text is not None else COMMANDS.read_text("utf-8"), flags=re.MULTILINE)
    for header, block in zip(blocks[1::2], blocks[2::2], strict=True):
        name, *marks = header.split()
        if name in cases:
            raise ValueError(f"{COMMANDS.name}: two cases are named '{name}': give one of them another name")
        lines = block.replace("\\\n", " ").splitlines()
        cases[name] = FrozenCase(name, tuple(marks), tuple(line.strip() for line in lines if line.strip() and line[0] != "#"))
    return cases


def run_case(case: FrozenCase, folder: Path) -> Iterator[Output]:
    """Run its commands in this folder, which is empty; yield what each left. Keys and lots are drawn from its name."""
    lots = random.Random(case.name)
    with chdir(folder), _plain_environment(), patch("random._urandom", lots.randbytes):
        files.make_files()
        models.forget()
        for line in case.lines:
            words = [Path(word[1:]).read_text("utf-8") if word.startswith("@") else word for word in shlex.split(line)]
            if words[0] in HELPERS:
                HELPERS[words[0]](*words[1:])
            elif words[0] == "look":
                yield Output(line, 0, _text_of(Path(words[1])), "")
            else:
                yield _called(line, words)


def _called(line: str, words: list[str]) -> Output:
    """`> FILE` at the end keeps the standard output."""
    words, file = (words[:-2], words[-1]) if ">" in words[-2:-1] else (words, None)
    buffers = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(buffer, encoding="utf-8", write_through=True) for buffer in buffers]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        code = main(words)
    out, err = (buffer.getvalue().decode("utf-8") for buffer in buffers)
    if file is not None:
        Path(file).write_text(out, encoding="utf-8")
    return Output(line, code, out, err)


def _text_of(file: Path) -> str:
    return gzip.decompress(file.read_bytes()).decode("utf-8") if file.suffix == ".gz" else file.read_text("utf-8-sig")


@contextmanager
def _plain_environment() -> Iterator[None]:
    """No key and no setting of whoever runs it; a terminal as wide as elsewhere."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("VIVA_", "OPENAI_", "FORCE_COLOR"))}
    with patch.dict(os.environ, {**kept, "COLUMNS": "120", "NO_COLOR": "1"}, clear=True):
        yield


def values_of(text: str) -> Any:
    """The values in JSON, JSON Lines or CSV; `None` where a text is none of these."""
    for read in (_json, _json_lines, _csv):
        try:
            return read(text)
        except ValueError:
            continue
    return None


def _json(text: str) -> Any:
    values = json.loads(text)
    if not isinstance(values, dict | list):
        raise ValueError("a text, not a document")
    return values


def _json_lines(text: str) -> list[Any]:
    rows = [json.loads(line) for line in text.splitlines()]
    if not rows or not all(isinstance(row, dict | list) for row in rows):
        raise ValueError("no rows")
    return rows


def _csv(text: str) -> list[Mapping[str, Any]]:
    rows = list(csv.DictReader(io.StringIO(text)))
    if not rows or "," not in text.partition("\n")[0] or any(None in row or None in row.values() for row in rows):
        raise ValueError("no table")
    return [{name: _number(cell) for name, cell in row.items()} for row in rows]


def _number(cell: str) -> str | float:
    try:
        return float(cell)
    except ValueError:
        return cell
