"""The process that runs a program: it imports the offered modules, locks itself, and only then reads the program.

`sandbox.LockedProcess` starts it with a bare interpreter, without the rest of the package. It writes lines: the first lists the
active layers. Then come the rulings, or one JSON string on why the program could not be loaded.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import os
import random
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import ModuleType
from typing import Any

from vivavoce.certificate.explanations.sandbox import isolation, program_reply

OFFERED = [
    "__future__",
    "abc",
    "array",
    "base64",
    "bisect",
    "calendar",
    "cmath",
    "collections",
    "collections.abc",
    "copy",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "dataclasses",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "json",
    "math",
    "numbers",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "time",
    "types",
    "typing",
    "unicodedata",
]
"""The modules that a program can import."""
_IMPORTED_LATE = ["_strptime", *(f"encodings.{name}" for name in ("ascii", "latin_1", "utf_16", "unicode_escape", "cp1252"))]
"""Modules that Python imports only at first use."""
_WHOLE = 2.0**53
"""Floating-point numbers represent every whole number up to this one."""


class _NullOutput(io.TextIOBase):
    """Discards a program's output."""

    def write(self, text: str, /) -> int:
        return len(text)


class _ModuleBlocker:
    """The last finder of modules: its error lists the available modules."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        raise ImportError(f"there is no module '{name[:80]}' here")


def main(parent: int, cpu_seconds: float, memory_bytes: int) -> None:
    """Lock, report the active layers, read the program, and answer."""
    isolation.die_with(parent)
    for name in OFFERED + _IMPORTED_LATE:
        importlib.import_module(name)
    os.environ.clear()
    standing = isolation.build(parent, cpu_seconds, memory_bytes)
    try:
        _write(json.dumps(standing))
        _rule(io.BytesIO(_read()))
    except MemoryError:
        os._exit(program_reply.OUT_OF_MEMORY)
    os._exit(0)


def _write(line: str) -> None:
    left = memoryview(f"{line}\n".encode())
    while left:
        left = left[os.write(1, left) :]


def _read() -> bytes:
    """Read all of the standard input before anything hostile runs: the other side writes it without reading."""
    return b"".join(iter(lambda: os.read(0, 1 << 20), b""))


def _rule(lines: io.BytesIO) -> None:
    code = json.loads(lines.readline())
    _prepare()
    try:
        covers, answer = _loaded(code)
    except BaseException as error:
        _write(json.dumps(_told(error), ensure_ascii=False))
        return
    for number, line in enumerate(lines):
        _write(program_reply.line_of(number, _ruling(covers, answer, json.loads(line))))


def _prepare() -> None:
    """Set up a program's environment: no input, no output, only the offered modules, the same random numbers each time."""
    sys.stdin = io.StringIO("")
    sys.stdout = sys.stderr = _NullOutput()
    sys.meta_path[:] = [_ModuleBlocker]
    sys.path.clear()
    random.seed(0)


def _loaded(code: str) -> tuple[Callable[[Any], object], Callable[[Any], object]]:
    module = sys.modules["explanation"] = ModuleType("explanation")
    exec(compile(code, "explanation", "exec"), module.__dict__)  # noqa: S102 - what all the layers are for
    for name in ("covers", "answer"):
        if not callable(getattr(module, name, None)):
            raise TypeError(f"it defines no function '{name}'")
    return module.covers, module.answer


def _ruling(covers: Callable[[Any], object], answer: Callable[[Any], object], question: object) -> program_reply.ProgramReply:
    covered = False
    try:
        value = covers(question)
        if type(value) is not bool:
            raise TypeError(f"covers() gives True or False, not a value of type '{type(value).__name__}'")
        covered = value
        return program_reply.ProgramReply(covered, _text(answer(question)) if covered else "")
    except BaseException as error:
        return program_reply.ProgramReply(covered, "", _told(error))


def _text(answer: object) -> str:
    """The answer as text: a number as Python writes it, without '.0' if it is whole."""
    if isinstance(answer, bool) or not isinstance(answer, str | int | float | Fraction | Decimal):
        raise TypeError(f"answer() gives text or a number, not a value of type '{type(answer).__name__}'")
    if isinstance(answer, float | Decimal) and not math.isfinite(answer):
        raise ValueError(f"answer() gives a number, not {answer}")
    if isinstance(answer, float):
        answer = int(answer) if answer.is_integer() and abs(answer) < _WHOLE else repr(answer)
    text = str(answer)
    if len(text) > program_reply.ANSWER_CHARACTERS:
        raise ValueError(f"an answer of {len(text)} characters; at most {program_reply.ANSWER_CHARACTERS}")
    text.encode()
    return text


def _told(error: BaseException) -> str:
    """The error in one line; it belongs to the program, so reading its message may do anything."""
    try:
        name, text = type(error).__name__, str(error)[: program_reply.FAILURE_CHARACTERS]
    except BaseException:
        name, text = "Error", "it has no readable message"
    line = f"{name}: {text}" if text else name
    printable = "".join(c if c.isprintable() else " " for c in line)
    return printable[: program_reply.FAILURE_CHARACTERS]
