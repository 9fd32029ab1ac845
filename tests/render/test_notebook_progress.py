"""The line below a cell that tells how far interviews have come."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from tests.interview_settings import interview_settings
from vivavoce.candidates import open_candidate
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Progress, watcher
from vivavoce.render import notebook_progress
from vivavoce.render.notebook_progress import ProgressOutput, shown_progress


class Screen:
    """What a notebook would show below the cell, renewed in place."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, data: dict[str, str], *, raw: bool, display_id: bool) -> Screen:
        assert raw
        assert display_id
        self.update(data, raw=raw)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        self.lines.append(data["text/plain"])


def state(answered: int) -> Progress:
    return Progress(answered, answered, 0, 0, 0, 0, Usage(), seconds=10.0, expected=100)


def test_the_line_is_renewed_when_it_is_time_and_taken_away_at_the_end() -> None:
    screen, now = Screen(), [0.0]
    output = ProgressOutput(screen, clock=lambda: now[0])
    for seconds, answered in ((0.1, 1), (0.6, 20), (0.7, 25), (1.2, 40)):
        now[0] = seconds
        output(state(answered))
    output.end()
    # 20 in 10 s leave 80 for 40 s, 40 leave 60 for 15 s
    assert screen.lines == [
        "20 of about 100 answered · 2/s · 40 s to go",
        "40 of about 100 answered · 4/s · 15 s to go",
        "",
    ]


def test_interviews_that_nobody_listens_to_are_shown_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("IPython")
    screen = Screen()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=screen))
    monkeypatch.setattr(notebook_progress, "EVERY", -1.0)
    heard: list[Progress] = []

    def asked(**listener: Any) -> None:
        interview = Interview(open_candidate(str.upper), answers=Reply, **interview_settings(**listener))
        asyncio.run(interview.ask(Prompt("hello")))

    with shown_progress():
        asked(on_progress=heard.append)
        assert (len(heard), screen.lines) == (1, [])
        asked()
    assert screen.lines[0].startswith("1 answered")
    assert screen.lines[-1] == ""
    assert watcher.get() is None


def test_outside_of_a_notebook_nothing_is_shown() -> None:
    with shown_progress():
        assert watcher.get() is None
