"""What a page of a running examination shows, as the examination goes on."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Final

from markupsafe import Markup

from vivavoce.formats.wording import clipped, count
from vivavoce.interview.progress import Progress
from vivavoce.interview.results import Heard, row_of
from vivavoce.render.html import Place, blocks_in_html, report_in_html
from vivavoce.render.terminal import in_words
from vivavoce.report.blocks import Block, Card, Items, Pairs, Section
from vivavoce.report.reported import Reported

LATEST: Final = 10
"""Answers that are shown."""
LONGEST: Final = 1_000
"""Characters of a question or a reply."""
EVERY: Final = 1.0
"""Seconds between two findings at least."""
PORTION: Final = 20
"""A finding is made again after so many times the seconds that it took, so that watching costs at most a twentieth."""


class Watch:
    """Looks on at an examination: a `Spectator`, and an `on_progress`.

    It is told from the examination's thread, and shown from the server's.

    title: what is examined.
    clock: seconds.
    """

    def __init__(self, title: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.title = title
        self.ended = ""
        """How it ended, in a sentence; empty while it goes on."""
        self._clock = clock
        self._lock = Lock()
        self._due = float("-inf")
        self._so_far: Callable[[], object] = lambda: None
        self._later: asyncio.TimerHandle | None = None
        self._progress: Progress | None = None
        self._finding: Reported | None = None
        self._shown: tuple[Reported | None, str, Markup] = None, "", Markup()
        self._rooms: dict[str, str] = {}
        self._latest: deque[Heard] = deque(maxlen=LATEST)

    def __call__(self, progress: Progress) -> None:
        """How far it has come."""
        self._progress = progress

    def room(self, room: str, news: str) -> None:
        """A room begins, without news, or has ended with them."""
        with self._lock:
            self._rooms[room] = news
            self._finding, self._progress, self._due = None, None, float("-inf")
            self._so_far = lambda: None

    def heard(self, heard: Heard) -> None:
        """One more answer."""
        with self._lock:
            self._latest.append(heard)

    def stands(self, finding: Callable[[], object]) -> None:
        """How it stands, now or as soon as it is time to look again."""
        self._so_far, wait = finding, self._due - self._clock()
        if wait <= 0:
            self._look()
        elif self._later is None:
            self._later = asyncio.get_running_loop().call_later(wait, self._look)

    def _look(self) -> None:
        """A finding that cannot be made is not shown, and ends nothing."""
        self._later = None
        began = self._clock()
        try:
            found = self._so_far()
        except Exception:
            found = None
        now = self._clock()
        self._due = now + max(EVERY, PORTION * (now - began))
        if isinstance(found, Reported):
            self._finding = found

    def over(self, found: object, sentence: str) -> None:
        """It has ended, with this finding or without one."""
        if isinstance(found, Reported):
            self._finding = found
        self.ended = sentence

    def body(self) -> Markup:
        """All of it in HTML, every text escaped."""
        with self._lock:
            latest, rooms = list(self._latest), dict(self._rooms)
        finding, place = self._finding, Place("live", 2)
        parts = [Markup('<p class="kind" role="status">{}</p>').format(self.ended or self._under_way)]
        if finding is None:
            parts.append(Markup("<h1>{}</h1>").format(clipped(self.title, LONGEST)))
        else:
            parts.append(self._drawn(finding))
        named = Items(tuple(_room(name, news) for name, news in rooms.items()))
        blocks: tuple[Block, ...] = (
            Section("Rooms", (named,) if rooms else ()),
            Section("The latest answers", tuple(map(_answer, reversed(latest)))),
        )
        return Markup("\n").join([*parts, blocks_in_html(blocks, place)])

    @property
    def _under_way(self) -> str:
        return "Running" if self._progress is None else f"Running, {in_words(self._progress)}"

    @property
    def _running(self) -> str:
        """How far it has come, in place of a verdict that may still change."""
        progress = self._progress
        if progress is None:
            return "Running"
        of = "" if progress.expected is None else f" of about {count(progress.expected)}"
        return f"Running, {count(progress.answered)}{of}"

    def _drawn(self, finding: Reported) -> Markup:
        """The finding; while it may change its figures and tables alone, under how far it has come."""
        headline = "" if self.ended else self._running
        if self._shown[:2] != (finding, headline):
            report = replace(finding.while_running(), headline=headline) if headline else finding.report()
            self._shown = finding, headline, report_in_html(report, "now")
        return self._shown[2]


def _room(name: str, news: str) -> str:
    return f"{name}: {clipped(news, LONGEST) or 'under way'}"


def _answer(heard: Heard) -> Block:
    settled = heard.settled if heard.settled.put is not None else replace(heard.settled, put=heard.asked)
    row = row_of(replace(heard, settled=settled))
    replied = clipped(row.reply, LONGEST) if row.reply else row.outcome
    return Card((Pairs((("Question", clipped(row.question, LONGEST)), (clipped(heard.candidate, 60), replied))),))
