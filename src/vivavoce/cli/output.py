"""What is printed and written of a finding, and what to remember of its transcript."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.clustering import clustered
from vivavoce.cli.pages import write_finding, write_wanted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from vivavoce.interview.batch_state import BatchAccount
    from vivavoce.interview.transcript import Transcript
    from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True)
class Kept:
    """A transcript's name, without a password, and its head as COUNT:DIGEST."""

    name: str
    head: str
    from_record: int = 0
    """Answers that were there already."""
    new: int = 0
    """Answers that were asked for."""
    asked_again: int = 0
    """Questions that were on their way when an earlier run ended."""
    by_batch: BatchAccount | None = None
    """What came of batches; None where nobody was asked by batch."""
    others: tuple[Kept, ...] = ()
    """Of candidates with a transcript each those of the further ones, in their order."""
    finished_at: str = ""
    """When an earlier run had this result, UTC in ISO 8601; empty where this run asked for it."""

    @property
    def answers(self) -> str:
        """Where they came from, in a line."""
        if self.finished_at and not self.new:
            return f"Answers: from the record of {self.finished_at[:10]}, nothing asked"
        return f"Answers: {self.from_record} from the record, {self.new} new"

    @property
    def batches(self) -> str:
        """What came of batches, in a line; empty where there were none."""
        if (found := self.by_batch) is None or not found.asked:
            return ""
        money = f"; money {found.paid.money:.2g}" if found.paid.money else ""
        return f"Batches: {found.batches} in this run, with {found.asked} questions{money}"


def keepsake(transcript: Transcript, given: str | None) -> Kept | None:
    """What to remember of it; None for one in memory, for which no place was given."""
    return None if given is None else kept_of(transcript)


def kept_of(transcript: Transcript) -> Kept:
    """The same of one that is kept for certain."""
    again = len(transcript.asked_again | transcript.orphans)
    origins = transcript.origins
    return Kept(transcript.name, str(transcript.head), origins["from record"], origins["new"], again, transcript.by_batch)


def show(
    finding: Reported,
    *,
    as_json: bool,
    html: Path | None,
    kept: Kept | None = None,
    more: Mapping[str, Any] | None = None,
    measured: bool = True,
) -> None:
    """Print a finding and the head of its transcript, and write its page and whatever else is wanted of it.

    It is printed as JSON with `more` values, or as the terminal shows its report.

    measured: of a finding without a verdict, whether there was anything to measure.
    """

    if kept is not None:
        kept = replace(kept, finished_at=_finished_at(finding))

    def values() -> Mapping[str, Any]:
        return {**finding.as_json(), **(more or {}), **head_of(kept)}

    try:
        if as_json:
            print_json(values())
        else:
            _print(finding, kept)
    finally:  # the reader of the output may have gone away; the page is wanted all the same
        answers, recheck = run_in_words(kept), recheck_of(finding, kept, folders=False)
        document = _as_text(values()) if html is not None and recheck and _is_side_by_side(finding) else ""
        write_finding(html, finding, quietly=as_json, recheck=recheck, answers=answers, document=document)
        write_wanted(finding, quietly=as_json, measured=measured, head="" if kept is None else kept.head)


def _is_side_by_side(finding: Reported) -> bool:
    """Whether its page carries its JSON, so that the page can be rechecked."""
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate_finding import Gate

    return isinstance(finding, Comparison | Gate)


def _print(finding: Reported, kept: Kept | None) -> None:
    from rich.console import Console

    from vivavoce.render.console import print_report, print_statement

    (print_statement if quiet() else print_report)(finding.report(), Console())
    tell(kept)
    if (command := recheck_of(finding, kept)) and not quiet():
        click.echo(f"Recheck: {command}, with what --json prints as {_document_of(finding)}")


def quiet() -> bool:
    """Whether the command that runs was given `--quiet`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("quiet"))


def recheck_of(finding: Reported, kept: Kept | None, *, folders: bool = True) -> str:
    """The command that has a finding again from its record; empty for what cannot be had so, and where no record is kept.

    folders: whether the record is named with them; a page tells nothing of the examiner's machine.
    """
    document = _document_of(finding)
    if kept is None or not document:
        return ""

    def name(one: Kept) -> str:
        return one.name if folders or "://" in one.name else one.name.replace("\\", "/").rpartition("/")[2]

    context = click.get_current_context(silent=True)
    given = {} if context is None else context.params
    scopes = scope_words(given.get("scopes") or [given.get("scope_name") or ""], folders=folders)
    if not kept.others:
        return shlex.join(["viva", "recheck", document, "--transcript", name(kept), *scopes])
    records = [word for one in (kept, *kept.others) for word in ("--record", name(one))]
    return shlex.join(["viva", "recheck", document, *records, *scopes])


def scope_words(addresses: Iterable[str], *, folders: bool = True) -> list[str]:
    """What a recheck needs to be told of these scopes: those that are not generated, which it opens once more.

    >>> scope_words(["arithmetic?digits=2", "file:mine/law.csv"]), scope_words(["file:mine/law.csv"], folders=False)
    (['--scope', 'file:mine/law.csv'], ['--scope', 'file:law.csv'])
    """
    from vivavoce.examination.plan_file import bare_scope
    from vivavoce.examination.recheck.scopes import GENERATED

    named = [one for one in addresses if one and one.partition("?")[0] not in GENERATED]
    return [word for one in named for word in ("--scope", one if folders else bare_scope(one))]


def _finished_at(finding: Reported) -> str:
    """When an earlier run had this result; empty where this run asked for it, and for findings that are no attempts."""
    from vivavoce.certificate.claims import ClaimFinding
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate_finding import Gate

    attempt = finding.attempt if isinstance(finding, ClaimFinding | Comparison | Gate) else None
    return "" if attempt is None else attempt.finished_at


def _document_of(finding: Reported) -> str:
    """The name of the file that would hold its JSON in a recheck; empty for a finding that cannot be rechecked."""
    from vivavoce.certificate.claims import ClaimFinding
    from vivavoce.certificate.comparison.finding import Comparison
    from vivavoce.certificate.comparison.gate_finding import Gate

    match finding:
        case ClaimFinding():
            name = "certificate.json"
        case Comparison():
            name = "comparison.json"
        case Gate():
            name = "gate.json"
        case _:
            return ""
    return "" if finding.attempt is None else name


def head_of(kept: Kept | None) -> dict[str, Any]:
    """The head of a transcript, where there is one, as a part of what is printed as JSON; of several, all of them.

    Where a cluster answered it stands in a part `run`, with all that is of the run alone: the rest is that of one machine.
    """
    heads: dict[str, Any] = {}
    if kept is not None:
        all_heads = [one.head for one in (kept, *kept.others)]
        heads = {"transcript_head": kept.head} | ({"record_heads": all_heads} if kept.others else {})
    batches = {} if kept is None else _run_of(kept.by_batch)
    if (cluster := clustered()) is None:
        return heads | ({"run": batches} if batches else {})
    answers = {} if kept is None else {"from_record": kept.from_record, "new": kept.new, "asked_again": kept.asked_again}
    return {"run": {**cluster.run, **batches, **({"answers": answers} if answers else {}), **heads}}


def run_in_words(kept: Kept | None) -> str:
    """Where answers came from, and who computed them, for the foot of a page; empty where neither is known."""
    cluster = clustered()
    return " · ".join(filter(None, ("" if kept is None else kept.answers, "" if cluster is None else cluster.statement)))


def _run_of(found: BatchAccount | None) -> dict[str, Any]:
    """What is of this run alone, and would be otherwise in one that is resumed: the batches."""
    if found is None:
        return {}
    return {"batch": {"batches": found.batches, "asked": found.asked, "money": found.paid.money}}


def tell(kept: Kept | None, *, err: bool = False) -> None:
    """Say where the transcript is, its head, and how many answers were there already, where there is one."""
    if kept is not None:
        click.echo(f"Transcript: {kept.name}, head {kept.head} · {kept.answers}", err=err)
        if kept.batches:
            click.echo(kept.batches, err=err)


def say(values: Mapping[str, Any], words: str, as_json: bool, *, err: bool = False) -> None:
    """What was done, as JSON or in words; `err`: words go to standard error, where they are no result."""
    if as_json:
        print_json(values)
    else:
        click.echo(words, err=err)


def print_json(values: object) -> None:
    """Print as JSON, in a line; a number that JSON does not know is a mistake of ours."""
    click.echo(_as_text(values))


def _as_text(values: object) -> str:
    import json

    return json.dumps(values, allow_nan=False)
