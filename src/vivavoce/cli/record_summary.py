"""The summary of a transcript that a command prints and stores: name, head, and where answers came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.clustering import clustered

if TYPE_CHECKING:
    from vivavoce.interview.progress import BatchAccount
    from vivavoce.interview.transcript import Transcript


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
