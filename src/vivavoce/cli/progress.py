"""Progress of a command in the terminal, and the summary of its transcript: name, head, and where answers came from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.clustering import clustered
from vivavoce.interview.candidate import Candidate, takes_terminal

if TYPE_CHECKING:
    from rich.console import Console

    from vivavoce.certificate.claims.claim import GradedAnswer
    from vivavoce.interview.progress import BatchAccount
    from vivavoce.interview.transcript import Transcript


HEADING = "The first answers, as parsed and graded ('viva try' shows more):"


def print_checked(answer: GradedAnswer, number: int, console: Console) -> None:
    """Print one answer with its number, so that the user can check how replies are parsed and graded."""
    from vivavoce.certificate.report.answers import checked_answer
    from vivavoce.render.console import Screen, print_blocks

    print_blocks((checked_answer(answer, number),), Screen(console))


EVERY: Final = 5.0
"""Seconds between two lines of progress."""


def now_and_then(words: Callable[..., str]) -> Callable[..., None]:
    """A callback that prints these words about its arguments on standard error, every few seconds."""
    due = time.monotonic() + EVERY

    def tell(*news: Any) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + EVERY
            click.echo(words(*news), err=True)

    return tell


@contextmanager
def first_answers_on(console: Console, candidate: Candidate[Any, Any] | None, transcript: Transcript) -> Iterator[None]:
    """In this block, show the first answers of a candidate without recorded answers; None: show nothing."""
    from vivavoce.interview.candidate_kinds import recorded_name

    if candidate is None or console.quiet or takes_terminal(candidate):
        yield
        return
    if transcript.knows(recorded_name(candidate)):
        yield
        return
    from vivavoce.certificate.graders.trace import FirstAnswers, first_answers

    numbers = iter(range(1, 1_000))

    def show(answer: GradedAnswer) -> None:
        number = next(numbers)
        if number == 1:
            console.print(HEADING, style="dim", markup=False, highlight=False, soft_wrap=True)
        print_checked(answer, number, console)

    before = first_answers.set(FirstAnswers(show))
    try:
        yield
    finally:
        first_answers.reset(before)


@dataclass(frozen=True, slots=True)
class RecordSummary:
    """A transcript's name without password, its head, and where answers came from."""

    name: str
    head: str
    from_record: int = 0
    """Answers that were already on record."""
    new: int = 0
    """Answers that this run asked for."""
    asked_again: int = 0
    """Questions in flight when an earlier run ended."""
    by_batch: BatchAccount | None = None
    """Batches of this run; None if no question was asked by batch."""
    others: tuple[RecordSummary, ...] = ()
    """Summaries of the other candidates' transcripts, if each has its own."""
    finished_at: str = ""
    """When an earlier run finished this attempt, UTC in ISO 8601; empty if this run asked."""

    @property
    def answers(self) -> str:
        """The origin of the answers, in one line."""
        if self.finished_at and not self.new:
            return f"Answers: from the record of {self.finished_at[:10]}, nothing asked"
        return f"Answers: {self.from_record} from the record, {self.new} new"

    @property
    def batches(self) -> str:
        """The batches in one line; empty without batches."""
        if (account := self.by_batch) is None or not account.asked:
            return ""
        money = f"; money {account.paid.money:.2g}" if account.paid.money else ""
        return f"Batches: {account.batches} in this run, with {account.asked} questions{money}"


def kept_of(transcript: Transcript) -> RecordSummary:
    """The summary of a transcript that is kept."""
    again = len(transcript.asked_again | transcript.orphans)
    origins = transcript.origins
    return RecordSummary(
        transcript.name, str(transcript.head), origins["from record"], origins["new"], again, transcript.by_batch
    )


def bare_name(kept: RecordSummary) -> str:
    """A transcript's name without folders, which a page must not reveal."""
    return kept.name if "://" in kept.name else kept.name.replace("\\", "/").rpartition("/")[2]


def head_of(kept: RecordSummary | None) -> dict[str, Any]:
    """The heads of transcripts as JSON values.

    On a cluster they are under `run`, with everything else that differs from a run on a single machine.
    """
    heads: dict[str, Any] = {}
    if kept is not None:
        all_heads = [summary.head for summary in (kept, *kept.others)]
        heads = {"transcript_head": kept.head} | ({"record_heads": all_heads} if kept.others else {})
    batches = {} if kept is None else _run_of(kept.by_batch)
    if (cluster := clustered()) is None:
        return heads | ({"run": batches} if batches else {})
    answers = {} if kept is None else {"from_record": kept.from_record, "new": kept.new, "asked_again": kept.asked_again}
    return {"run": {**cluster.run, **batches, **({"answers": answers} if answers else {}), **heads}}


def run_in_words(kept: RecordSummary | None) -> str:
    """The origin of the answers, and the cluster that computed them, for the foot of a page; may be empty."""
    cluster = clustered()
    return " · ".join(filter(None, ("" if kept is None else kept.answers, "" if cluster is None else cluster.statement)))


def _run_of(account: BatchAccount | None) -> dict[str, Any]:
    """The batches of this run, as JSON values: a resumed run has others."""
    if account is None:
        return {}
    return {"batch": {"batches": account.batches, "asked": account.asked, "money": account.paid.money}}


def tell(kept: RecordSummary | None, *, err: bool = False) -> None:
    """Print the transcript's name, its head and where answers came from; nothing without a transcript."""
    if kept is not None:
        click.echo(f"Transcript: {kept.name}, head {kept.head} · {kept.answers}", err=err)
        if kept.batches:
            click.echo(kept.batches, err=err)
