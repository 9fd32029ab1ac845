"""A site with a grading queue as processes of its own, and people who grade there."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

from tests.web.site import Browser

Start = Callable[..., subprocess.Popen[str]]


@contextmanager
def served(start: Start, database: str) -> Iterator[str]:
    """The site as `viva serve` runs it; its address."""
    process = start("serve", "--database", database, "--port", "0")
    assert process.stderr is not None
    try:
        found = re.search(r"Luna is at (http://\S+),", process.stderr.readline())
        assert found is not None
        yield found[1]
    finally:
        process.terminate()
        process.communicate(timeout=20)


@dataclass
class Bot:
    """Somebody who grades what there is until told to stop: 10 points for what is right, none for the rest."""

    link: str
    right: str = "10"
    passes: bool = False
    """Says of every third answer that they cannot grade it."""
    graded: list[str] = field(default_factory=list)

    def begin(self) -> Browser:
        """Open the link, and agree."""
        url, _, path = self.link.partition("/grading")
        browser = Browser(url)
        browser.get(f"/grading{path}")
        if 'name="adult"' in browser.page:
            browser.send("/grading/consent", {"adult": "on", "agree": "on"})
        return browser

    def work(self, stop: Event) -> None:
        """Grade until told to stop."""
        browser, seen = self.begin(), 0
        while not stop.is_set():
            form = re.search(r'action="(/grading/answers/\d+)"', browser.page)
            if form is None:
                time.sleep(0.1)
                browser.get("/grading")
                continue
            seen += 1
            if self.passes and seen % 3 == 0:
                browser.send(form[1], {"do": "pass"})
                continue
            self.graded.append(form[1])
            browser.send(form[1], {"points": self.right if "right" in browser.words else "0", "ridiculous": "no"})


@contextmanager
def at_work(*bots: Bot) -> Iterator[None]:
    """These people, as long as the block lasts."""
    stop = Event()
    threads = [Thread(target=bot.work, args=(stop,), daemon=True) for bot in bots]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(20)
