"""Options of commands that ask candidates, and the interviews with one candidate or several side by side."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import click

from vivavoce.cli import options
from vivavoce.cli.clustering import CLUSTER
from vivavoce.cli.endings import ask_in_loop, checked_concurrency, records_at
from vivavoce.cli.options import config_options
from vivavoce.cli.output import RESULTS, rows_into, running, verdict_options
from vivavoce.cli.progress import first_answers_on, kept_of
from vivavoce.cli.tracing import traced
from vivavoce.interview.candidate import (
    Candidate,
    Prompt,
    Reply,
    Usage,
    takes_terminal,
    usual_concurrency,
    usual_time_out,
)
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.record import Head
from vivavoce.settings import Count, Within, setting

if TYPE_CHECKING:
    from vivavoce.interview.budget import Budget, SharedBudget
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Front, ResultRows
    from vivavoce.interview.transcript import Transcript


Found = TypeVar("Found")

NOBODY: Final = "none"
"""What to write for a role that no model has."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The options of commands that ask a candidate."""

    concurrency: Annotated[int, Within(1, 10_000)] | None = setting(
        None, "Ask N at once. [default: 8; 1 for a sync function; the cluster's threads]"
    )
    transcript: str | None = setting(
        None, "Keep every answer; the same command again reuses them and resumes.", metavar="FILE|URL"
    )
    tokens: Count | None = setting(None, "Stop after this many tokens.", expert=True)
    money: Annotated[float, Within(above=0)] | None = setting(None, "Stop after spending this much, at the candidate's prices.")
    time_out: Annotated[float, Within(above=0)] | None = setting(
        None, "Wait this many seconds for an answer. [default: 120; no limit for a person]", metavar="S", expert=True
    )
    attempts: Annotated[int, Within(1, 100)] = setting(5, "Try a failed request this many times.", expert=True)
    reply_format: ReplyFormat | None = setting(
        None, "Request the form in words, JSON Schema or a second turn. [default: by question]", expert=True
    )
    strict_faults: bool = setting(False, "Ignore answers to retried requests (status 429).", expert=True)
    quiet: bool = False
    head: Head | None = None
    """A head that the transcript must extend; None: no check."""
    results: Path | None = None
    """File for one row per question; None: no file."""
    finishes: bool = False
    """Whether answers already under way are awaited and recorded when no more are wanted."""

    def interview(
        self,
        candidate: Candidate[Prompt, Reply],
        transcript: Transcript,
        *,
        expected: int | None,
        on_progress: Callable[[Progress], None] | None,
        shared_budget: SharedBudget | None = None,
        results: ResultRows | None = None,
        from_record: bool = False,
    ) -> Interview[Prompt, Reply]:
        """An interview within the budget of these options, or within a shared one.

        from_record: take answers from the record only, and ask nothing.
        """
        from vivavoce.candidates.human import is_person
        from vivavoce.interview.interview import Interview, Monitor
        from vivavoce.interview.retries import AskSettings
        from vivavoce.interview.vendor_batches import VendorBatchCandidate

        if not transcript.outlasts_the_program and is_person(candidate):
            raise click.UsageError(f"{candidate.name} is a person: give '--transcript FILE' to keep the answers.")
        if isinstance(candidate, VendorBatchCandidate) and not transcript.outlasts_the_program:
            raise click.UsageError("a batch may outlive this program: give '--transcript FILE', so that the next run finds it.")
        return Interview(
            candidate,
            answers=Reply,
            transcript=transcript,
            concurrency=self.concurrency,
            budget=self.budget if shared_budget is None else shared_budget.share(),
            settings=AskSettings(
                time_out=usual_time_out(candidate) if self.time_out is None else self.time_out,
                attempts=self.attempts,
                reply_format=self.reply_format,
                strict_faults=self.strict_faults,
                from_record=from_record,
                finishes=self.finishes,
            ),
            monitor=Monitor(expected=expected, on_progress=progress_for(candidate, on_progress), results=results),
        )

    def at_once(self, candidates: Iterable[object]) -> int | None:
        """The least number of questions in flight to any of these candidates; None if all are asked by batch."""
        from vivavoce.interview.vendor_batches import VendorBatchCandidate

        usual = [usual_concurrency(candidate) for candidate in candidates if not isinstance(candidate, VendorBatchCandidate)]
        return self.concurrency or min(usual) if usual else None

    @property
    def budget(self) -> Budget:
        """The budget of all interviews of the command."""
        from vivavoce.interview.budget import Budget

        return Budget(tokens=self.tokens, money=self.money)

    def after(self, spent: Usage) -> AskOptions:
        """The options with the budget that is left after this usage."""
        tokens = None if self.tokens is None else max(0, self.tokens - spent.tokens)
        money = None if self.money is None else max(0.0, self.money - spent.money)
        return replace(self, tokens=tokens, money=money)

    def examined(
        self,
        candidate: Candidate[Prompt, Reply],
        examination: Callable[[Interview[Prompt, Reply]], Awaitable[Found]],
        *,
        expected: int | None,
        front: tuple[Front, ...] = (),
        graded: bool = False,
    ) -> Found:
        """Run an examination in one interview, and close the candidate; returns the finding.

        front: columns that come first in the file of results.
        graded: whether to show the first answers with their grades, if the record has none of this candidate.
        """
        return examined_side_by_side(
            [candidate],
            lambda interviews, _: examination(interviews[0]),
            self,
            expected=expected,
            front=front,
            graded=graded,
        )


def progress_for(candidate: object, on_progress: Callable[[Progress], None] | None) -> Callable[[Progress], None] | None:
    """A progress callback that also notifies the candidate if it is a person."""
    from vivavoce.candidates.human import is_person

    if not is_person(candidate):
        return on_progress

    def told(progress: Progress) -> None:
        candidate.notice(progress)
        if on_progress is not None:
            on_progress(progress)

    return told


def open_each(*names: str | None) -> list[Candidate[Prompt, Reply] | None]:
    """A candidate for each name, the same for the same name; None for None and for "none"."""
    from vivavoce.candidates import open_candidate

    opened: dict[str | None, Candidate[Prompt, Reply]] = {}
    for name in names:
        if name is not None and name != NOBODY and name not in opened:
            opened[name] = open_candidate(name)
    return [opened.get(name) for name in names]


async def close_all(*candidates: Candidate[Any, Any] | None) -> None:
    """Close each of these candidates once."""
    from vivavoce.candidates import close_candidate

    for candidate in {id(candidate): candidate for candidate in candidates if candidate is not None}.values():
        await close_candidate(candidate)


def warn_of_few(there: int, limit: float | None, delta: float, which: str) -> None:
    """Warn if there are too few questions to certify this limit even without a single event; nothing without a limit.

    which: a phrase after "questions", such as "without a flip".
    """
    if limit is None:
        return
    from vivavoce.formats.wording import count
    from vivavoce.statistics.confidence_sequences import rate_boundary

    least = next(rate_boundary(limit, delta))
    if there < least:
        needed = f"of independent questions at least {count(least)} {which} are needed to certify this limit"
        click.echo(f"viva: {needed}: there are {count(there)}", err=True)


def on_record(
    address: str | None,
    asked: Callable[[Transcript, Callable[[Progress], None]], Coroutine[Any, Any, Found]],
    *,
    quiet: bool,
    head: Head | None = None,
) -> Found:
    """Run an examination on the transcript at this place; returns the finding.

    head: a head that the transcript must extend.
    """
    return _on_records((address,), lambda transcripts, tell: asked(transcripts[0], tell), quiet=quiet, head=head)


def _on_records(
    places: Sequence[str | None],
    asked: Callable[[Sequence[Transcript], Callable[[Progress], None]], Coroutine[Any, Any, Found]],
    *,
    quiet: bool,
    head: Head | None = None,
    graded: Candidate[Any, Any] | None = None,
) -> Found:
    """The same on several transcripts. The running command keeps the first one's summary, which holds the others.

    graded: the candidate whose first answers are shown with their grades, if the first record has none of them.
    """
    from rich.console import Console

    from vivavoce.render.terminal import ProgressLine

    console, distinct = Console(stderr=True, quiet=quiet), list(dict.fromkeys(places))
    with records_at(*distinct, head=head) as records:
        opened = dict(zip(distinct, records, strict=True))
        transcripts = [opened[where] for where in places]
        with (
            ProgressLine(console) as progress,
            first_answers_on(console, graded, transcripts[0]),
            traced(),
        ):
            finding = ask_in_loop(asked(transcripts, progress))
        others = tuple(map(kept_of, transcripts[1:])) if len(distinct) > 1 else ()
        running().record = None if places[0] is None else replace(kept_of(transcripts[0]), others=others)
        return finding


TRANSCRIPT = config_options(AskOptions, only=("transcript",))
_AT_ONCE = config_options(AskOptions, only=("concurrency",), concurrency={"callback": checked_concurrency})
_LIMITS_AND_FORM = config_options(
    AskOptions,
    only=("tokens", "money", "time_out", "attempts", "reply_format", "strict_faults"),
    money={"option": "--money --budget"},
    time_out={"option": "--timeout"},
    attempts={"option": "--max-tries"},
)
asked_how = options.together(_AT_ONCE, TRANSCRIPT, _LIMITS_AND_FORM)
"""The options of `AskOptions`."""
asked_without_transcript = options.together(_AT_ONCE, _LIMITS_AND_FORM)
"""The same without a transcript."""
asking_options = options.together(asked_how, CLUSTER, options.QUIET)
"""All of these options, with `--cluster`."""
examining_options = options.together(RESULTS, asking_options, verdict_options)
"""Options of commands that ask a candidate and show a finding."""


def asking_of(given: dict[str, Any]) -> AskOptions:
    """Pop `AskOptions` from the command's options."""
    return options.taken_out(given, AskOptions)


@contextmanager
def writing_after(file: Path | None, name: str, values: Callable[[], Iterable[Mapping[str, Any]]]) -> Iterator[None]:
    """After this block, write values as JSON Lines and print the file's name, even if standard output was closed."""
    try:
        yield
    finally:
        if file is not None:
            write_lines(file, values())
            click.echo(f"{name}: {file}", err=options.wants_json())


def write_lines(file: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """Write values as JSON Lines."""
    with file.open("w", encoding="utf-8", errors="replace") as out:
        out.writelines(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n" for value in values)


Examination = Callable[["Sequence[Interview[Prompt, Reply]]", "Interview[Prompt, Reply] | None"], "Awaitable[Found]"]
"""Takes the interviews with all candidates, and the one with a judge if there is one."""


def check_head(asking: AskOptions) -> None:
    """Refuse a head without a transcript."""
    if asking.head is not None and asking.transcript is None:
        raise click.UsageError("'--set head' belongs to a transcript: give '--transcript'.")


def examined_side_by_side(
    candidates: Sequence[Candidate[Prompt, Reply]],
    examination: Examination[Found],
    asking: AskOptions,
    *,
    records: Sequence[str] = (),
    expected: int | None = None,
    front: tuple[Front, ...] = (),
    graded: bool = False,
    judging: Candidate[Prompt, Reply] | None = None,
) -> Found:
    """Ask one or more candidates, then close them; returns the finding.

    records: a transcript for each candidate; empty: the one of `asking` for all.
    expected: questions to each candidate.
    front: columns that come first in a file of results, after the name if there are several candidates.
    graded: whether to show the first candidate's first answers with grades, if the record has none of them.
    judging: the judge; its answers go into the first record, and its cost counts towards the budget.
    """
    if len(candidates) > 1:
        front = ("candidate", *front)
    quiet = asking.quiet or takes_terminal(*candidates, judging)
    with rows_into(asking.results, *front) as results:

        async def ask(transcripts: Sequence[Transcript], on_progress: Callable[[Progress], None]) -> Found:
            from vivavoce.interview.budget import SharedBudget
            from vivavoce.interview.progress import together

            shared, number = SharedBudget(asking.budget), len(candidates)
            try:
                interviews = [
                    asking.interview(
                        candidate, transcript, expected=expected, on_progress=tell, shared_budget=shared, results=results
                    )
                    for candidate, transcript, tell in zip(
                        candidates, transcripts, together(number, on_progress, every=number), strict=True
                    )
                ]
                judge = None
                if judging is not None:
                    judge = asking.interview(judging, transcripts[0], expected=None, on_progress=None, shared_budget=shared)
                return await examination(interviews, judge)
            finally:
                await close_all(*candidates, judging)

        places, shown = records or (asking.transcript,) * len(candidates), candidates[0] if graded else None
        return _on_records(places, ask, quiet=quiet, head=asking.head, graded=shown)
