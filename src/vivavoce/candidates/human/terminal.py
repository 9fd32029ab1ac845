"""The terminal where a person answers: a question on the standard error stream, the answer from the standard input.

Input is read byte by byte as soon as there is some, without a thread: a question that is withdrawn leaves nothing behind that
would swallow the answer to the next one, and nothing that keeps the program from ending.
"""

from __future__ import annotations

import asyncio
import os
import select
import shutil
import sys
import textwrap
from typing import Final

from vivavoce.candidates.human.item import LONGEST, Item, cleaned
from vivavoce.errors import BadInput, CandidateMisconfigured
from vivavoce.interview.progress import Progress

WIDEST: Final = 88
"""Characters of a line."""
STOP: Final = "/stop"
_EVERY: Final = 0.02
"""Seconds between two looks at the input."""
_YES: Final = ("y", "yes")
_NO: Final = ("n", "no")
_turn = asyncio.Lock()
"""Of two people at one terminal one is asked at a time."""


class StopRequest(Exception):
    """The person asks to stop."""


class TermsRefusal(Exception):
    """The person does not agree to be asked."""


class Terminal:
    """Asks where the program was started."""

    def __init__(self) -> None:
        self._agreed = False

    async def agree(self, alias: str, terms: tuple[str, ...]) -> None:
        """Ask once whether the person agrees to these terms. Raises `TermsRefusal` and `StopRequest`."""
        async with _turn:
            if self._agreed:
                return
            _say("", *(_wrapped(sentence) for sentence in terms), f"Type {STOP} instead of an answer to stop.")
            while True:
                _say("Do you agree? Type yes or no.")
                text = (await _line()).strip().casefold()
                if text in _NO:
                    raise TermsRefusal
                if text in _YES:
                    self._agreed = True
                    return

    async def ask(self, alias: str, item: Item, progress: Progress | None) -> str:
        """Show the question until something is typed that can be an answer; the reply. Raises `StopRequest`."""
        async with _turn:
            _say("", _heading(alias, progress), "", _shown(item), "", _hint(item))
            while True:
                typed = await (_paragraphs() if item.kind == "reply" else _line())
                try:
                    return item.reply(typed)
                except BadInput as error:
                    _say(str(error))


def _heading(alias: str, progress: Progress | None) -> str:
    done = 0 if progress is None else progress.answered
    expected = None if progress is None else progress.expected
    of = f" of about {expected}" if expected is not None and expected > done else ""
    return f"── {alias} · question {done + 1}{of} ──"


def _shown(item: Item) -> str:
    parts = [item.system]
    for exchange in item.shown:
        parts.append(f"For example:\n{exchange.asked}\n{exchange.replied}")
    parts += [item.text, "\n".join(f"({letter}) {option}" for letter, option in item.options)]
    return "\n\n".join(_wrapped(part) for part in map(cleaned, parts) if part)


def _hint(item: Item) -> str:
    return f"{item.hint} End it with an empty line." if item.kind == "reply" else item.hint


def _wrapped(text: str) -> str:
    """Each line folded to the terminal's width, its indentation kept."""
    width = max(20, min(WIDEST, shutil.get_terminal_size().columns))

    def folded(line: str) -> str:
        indent = line[: len(line) - len(line.lstrip())][: width // 2]
        return textwrap.fill(line, width, subsequent_indent=indent, replace_whitespace=False, drop_whitespace=True)

    return "\n".join(folded(line) if len(line) > width else line for line in text.split("\n"))


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr, flush=True)


async def _paragraphs() -> str:
    """Lines up to an empty one."""
    lines: list[str] = []
    length = 0
    while (line := await _line()).strip() or not lines:
        if length <= LONGEST:  # what is too long is read to its end, so that its rest answers nothing
            lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


async def _line() -> str:
    """The next line. Raises `StopRequest` where there is none any more, or the person asks to stop."""
    try:
        stream = sys.stdin.fileno()
        select.select([stream], [], [], 0)
    except (AttributeError, OSError, ValueError) as error:
        raise CandidateMisconfigured(
            f"no answer can be typed here ({error}): start it in a terminal",
            hearing="unheard",
        ) from None
    line = bytearray()
    while True:
        if not select.select([stream], [], [], 0)[0]:
            await asyncio.sleep(_EVERY)
            continue
        byte = os.read(stream, 1)
        if byte == b"\n" or (not byte and line):
            break
        if not byte:
            raise StopRequest
        if len(line) <= 4 * LONGEST:
            line += byte
    result = line.decode("utf-8", "replace")
    if result.strip() == STOP:
        raise StopRequest
    return result
