"""Several candidates that are asked the same questions, each with a record of its own or all with one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vivavoce.cli.asking import Asking
from vivavoce.cli.endings import ask_in_loop, records_at
from vivavoce.cli.first_answers import first_answers_on
from vivavoce.cli.output import Kept, keepsake, kept_of
from vivavoce.cli.results import rows_into
from vivavoce.cli.watching import tell_end, watching

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.results import Front, Results
    from vivavoce.interview.transcript import Transcript

Found = TypeVar("Found")
Examination = Callable[["Sequence[Interview[Prompt, Reply]]", "Interview[Prompt, Reply] | None"], "Coroutine[Any, Any, Found]"]
"""Of the interviews with all candidates, and the one with a judge where there is one."""


def check_head(asking: Asking) -> None:
    """Refuse now a head without a transcript."""
    if asking.head is not None and asking.transcript is None:
        raise click.UsageError("'--head' belongs to a transcript: give '--transcript'.")


def examined_side_by_side(
    candidates: Sequence[Candidate[Prompt, Reply]],
    examination: Examination[Found],
    asking: Asking,
    *,
    records: Sequence[str] = (),
    expected: int | None = None,
    front: tuple[Front, ...] = (),
    graded: bool = False,
    judging: Candidate[Prompt, Reply] | None = None,
) -> tuple[Found, Kept | None]:
    """The finding, and what to remember of the first transcript; None for one in memory. The candidates then are let go.

    records: one for each candidate; none: that of `asking` for all.
    expected: questions to each.
    front: further columns of a file of results, after the candidate's name.
    graded: whether the first answers of the first candidate are shown with their grades, where none of its answers are
        on record.
    judging: the candidate that judges; what it says goes into the first record, and its cost counts towards the budget.
    """

    from rich.console import Console

    from vivavoce.interview.candidate import takes_terminal
    from vivavoce.render.terminal import ProgressLine

    places = records or (asking.transcript,) * len(candidates)
    with ExitStack() as stack:
        results = stack.enter_context(rows_into(asking.results, "candidate", *front))
        distinct = list(dict.fromkeys(places))
        found = dict(zip(distinct, stack.enter_context(records_at(*distinct, head=asking.head)), strict=True))
        console = Console(stderr=True, quiet=asking.quiet or takes_terminal(*candidates, judging))
        progress = stack.enter_context(ProgressLine(console))
        transcripts = [found[place] for place in places]
        stack.enter_context(first_answers_on(console, candidates[0] if graded else None, transcripts[0]))
        told, watch = stack.enter_context(watching(progress))
        finding = ask_in_loop(_examined(candidates, judging, transcripts, examination, asking, told, results, expected))
        tell_end(watch, finding)
        kept = keepsake(transcripts[0], places[0])
        if kept is not None and len(found) > 1:
            kept = replace(kept, others=tuple(map(kept_of, transcripts[1:])))
        return finding, kept


async def _examined(
    candidates: Sequence[Candidate[Prompt, Reply]],
    judging: Candidate[Prompt, Reply] | None,
    transcripts: Sequence[Transcript],
    examination: Examination[Found],
    asking: Asking,
    on_progress: Callable[[Progress], None],
    results: Results | None,
    expected: int | None,
) -> Found:
    from vivavoce.candidates import close_candidate
    from vivavoce.interview.budget import Budget, SharedBudget
    from vivavoce.interview.progress import together

    shared = SharedBudget(Budget(tokens=asking.tokens, money=asking.money))
    tell = together(len(candidates), on_progress, every=len(candidates))
    try:
        interviews = []
        for candidate, transcript, told in zip(candidates, transcripts, tell, strict=True):
            interviews.append(
                asking.interview(
                    candidate, transcript, expected=expected, on_progress=told, shared_budget=shared, results=results
                )
            )
        judge = None
        if judging is not None:
            judge = asking.interview(judging, transcripts[0], expected=None, on_progress=None, shared_budget=shared)
        return await examination(interviews, judge)
    finally:
        for one in (*candidates, judging):
            if one is not None:
                await close_candidate(one)
