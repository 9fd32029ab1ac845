"""Reports and progress in a terminal, and progress below a cell of a notebook."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import count as numbers
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from tests.interview_settings import interview_settings
from tests.render.html_pages import printed
from vivavoce.candidates import open_candidate
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Stratum
from vivavoce.interview.candidate import Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Progress, watcher
from vivavoce.render import terminal
from vivavoce.render.terminal import ProgressLine, ProgressOutput, shown_progress, table


def state(answered: int) -> Progress:
    return Progress(answered, answered, 0, 0, 0, 0, Usage(), 10.0, 1000)


def test_the_sentence_is_the_last_word(granted: Certificate) -> None:
    lines = printed(granted, width=100).rstrip().splitlines()
    assert lines[-1] == f"● {granted.statement}"
    assert any("0.98 (≥ 0.97), n = 6\N{NARROW NO-BREAK SPACE}282" in line and "at least 0.70" in line for line in lines)


def ticking(seconds: float) -> Iterator[float]:
    return (number * seconds for number in numbers())


def test_without_a_terminal_a_plain_line_now_and_then() -> None:
    # the clock goes on 1 s at each look, and each line shown looks twice: 100 states give a line about every 10 s
    console = Console(file=io.StringIO(), force_terminal=False, width=200)
    clock = ticking(1.0)
    with ProgressLine(console, clock=lambda: next(clock)) as progress:
        for answered in range(1, 101):
            progress(state(answered))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert 8 <= len(lines) <= 10
    assert all("of about 1\N{NARROW NO-BREAK SPACE}000 answered" in line and "to go" in line for line in lines)


def test_in_a_terminal_one_line_that_goes_away() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=200, legacy_windows=False)
    clock = ticking(1.0)
    with ProgressLine(console, clock=lambda: next(clock)) as progress:
        progress(state(7))
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert "7 of about" in text
    assert text.endswith("\x1b[2K")  # the line is erased at the end


def test_strata_have_a_row_each(granted: Certificate) -> None:
    strata = (Stratum("sums [bold]", 0.75, 4712, 1, 0.98), Stratum("", 0.25, 0, 0, None))
    lines = printed(replace(granted, strata=strata)).splitlines()
    assert any(line.split()[:2] == ["sums", "[bold]"] and line.split()[-2:] == ["1", "0.98"] for line in lines)
    assert any(line.startswith("(no category)") and "25%" in line and "unknown" in line for line in lines)


def test_a_strangers_name_in_a_table_is_neither_markup_nor_an_error() -> None:
    console = Console(file=io.StringIO(), width=100)
    console.print(table(("[/head]", "n"), [("[/name]", "1"), ("[red]x", "2")]))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().split() == ["[/head]", "n", "[/name]", "1", "[red]x", "2"]


def test_a_statement_and_caveats_do_not_steer_the_terminal(refused: Certificate) -> None:
    text = printed(replace(refused, candidate="\x1b[2J\u202e", caveats=("never \x1b]0;x\x07 this",)))
    assert "Not shown" in text
    assert not set("\x1b\x07\u202e") & set(text)


def test_a_quiet_progress_line_leaves_the_terminal_to_others() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, quiet=True)
    before = sys.stderr
    with ProgressLine(console):
        assert sys.stderr is before, "what others write there would be swallowed"


class NotebookCell:
    """What a notebook would show below the cell, renewed in place."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, data: dict[str, str], *, raw: bool, display_id: bool) -> NotebookCell:
        assert raw
        assert display_id
        self.update(data, raw=raw)
        return self

    def update(self, data: dict[str, str], *, raw: bool) -> None:
        self.lines.append(data["text/plain"])


def test_the_line_is_renewed_when_it_is_time_and_taken_away_at_the_end() -> None:
    screen, now = NotebookCell(), [0.0]
    output = ProgressOutput(screen, clock=lambda: now[0])
    for seconds, answered in ((0.1, 1), (0.6, 20), (0.7, 25), (1.2, 40)):
        now[0] = seconds
        output(Progress(answered, answered, 0, 0, 0, 0, Usage(), seconds=10.0, expected=100))
    output.end()
    # 20 in 10 s leave 80 for 40 s, 40 leave 60 for 15 s
    assert screen.lines == ["20 of about 100 answered · 2/s · 40 s to go", "40 of about 100 answered · 4/s · 15 s to go", ""]


def test_interviews_that_nobody_listens_to_are_shown_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("IPython")
    screen = NotebookCell()
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=screen))
    monkeypatch.setattr(terminal, "NOTEBOOK_EVERY", -1.0)
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
