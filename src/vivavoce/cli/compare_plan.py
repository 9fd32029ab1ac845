"""`viva compare --plan`: compare many candidates on many scopes by a plan, and run further tests."""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import PopulationConfig
from vivavoce.cli import options, output
from vivavoce.cli.asking import AskOptions, asking_of, asking_options
from vivavoce.cli.endings import CANNOT_CONTINUE, ask_in_loop, exit_codes, records_at
from vivavoce.cli.help import command
from vivavoce.cli.options import config_options
from vivavoce.cli.progress import RecordSummary, head_of, kept_of, run_in_words
from vivavoce.cli.tracing import traced
from vivavoce.formats.lines import write_whole
from vivavoce.version import __version__

if TYPE_CHECKING:
    from rich.console import Console

    from vivavoce.examination.part import ExaminationCost
    from vivavoce.examination.presentation import SweepProgress
    from vivavoce.examination.sweep.examiner import SweepScope
    from vivavoce.examination.sweep.plan import SweepCell, SweepPlan
    from vivavoce.examination.sweep.run import RunningSweep, Sweep
    from vivavoce.interview.transcript import Transcript


@dataclass(frozen=True, slots=True)
class SweepRequest:
    """The parsed command line."""

    plan: SweepPlan
    asking: AskOptions
    out: Path
    dry_run: bool
    again: bool

    @property
    def place(self) -> str:
        """Place of the transcript."""
        return self.asking.transcript or str(self.out / "transcript.sqlite")


@command(
    epilog=exit_codes(
        "0 all cells were examined, whatever the results", "5 a cell could not be examined now", "130 interrupted"
    )
)
@click.option("--plan", type=options.KNOWN_FILE, help="Candidates, scopes and limits.")
@click.option("--init", is_flag=True, help="Print a commented plan to start from.")
@click.option("--out", type=options.FOLDER, metavar="FOLDER", help="[default: after the plan's name]")
@click.option("--questions", type=options.count, metavar="N", help="Stop after this many questions in all.")
@config_options(PopulationConfig, only=("seed",))
@click.option("--dry-run", is_flag=True, help="List the cells with their costs; ask nothing.")
@options.AGAIN
@asking_options
@output.output_options
@output.JUNIT
@output.MARKDOWN
def compare_plan(*, plan: Path | None, init: bool, **given: Any) -> int:
    """Test every candidate of a plan on all its scopes within one budget, and compare them in one table.

    \b
    viva compare --init > plan.toml
    viva compare --plan plan.toml --dry-run
    viva compare --plan plan.toml --html table.html

    The folder (--out) gets comparison.html, comparison.json and transcript.sqlite (unless --transcript names another place). To
    resume, run the same command again; no question is asked twice.
    """
    if init:
        from vivavoce.examination.sweep.plan import INIT

        click.echo(INIT, nl=False)
        return 0
    assert plan is not None  # without '--init' there is '--plan'
    return _sweep(_order(plan, given))


def _order(file: Path, given: dict[str, Any]) -> SweepRequest:
    from vivavoce.examination.plan import BudgetPlan
    from vivavoce.examination.sweep.plan import read_sweep

    read, asking, seed = read_sweep(file), asking_of(given), given.pop("seed")
    budget = read.plan.budget
    limits = BudgetPlan(
        given.pop("questions") or budget.questions, asking.tokens or budget.tokens, asking.money or budget.money
    )
    reply_format = asking.reply_format or read.plan.reply_format
    whole = replace(read.plan, budget=limits, reply_format=reply_format, seed=read.plan.seed if seed is None else seed)
    output.check_files(asdict(read))
    out = given.pop("out") or output.folder_for(f"comparison-{file.stem}")
    how = replace(asking, reply_format=reply_format, finishes=True)  # other cells may ask what is under way when one ends
    return SweepRequest(replace(read, plan=whole), how, out, **given)


def _sweep(order: SweepRequest) -> int:
    """Estimate, examine and write; returns the exit code."""
    from rich.console import Console

    from vivavoce.examination.presentation import SweepProgress, cost_of
    from vivavoce.examination.sweep.examiner import subjects_of
    from vivavoce.interview.candidate_kinds import recorded_name
    from vivavoce.interview.transcript import Transcript
    from vivavoce.render.terminal import ProgressLine

    subjects = subjects_of(order.plan)
    with Transcript.open(None) as nowhere:
        ahead = _sweeping(order, subjects, nowhere, None)
        expected = {cell: cost_of(ahead.examiner, cell) for cell in ahead.cells}
    console = Console(stderr=True, quiet=order.asking.quiet and not order.dry_run)
    _print_outlook(order, ahead, expected, console)
    if order.dry_run:
        return 0
    try:
        order.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.UsageError(f"--out {order.out}: {error.strerror or error}; choose another folder.") from None
    with records_at(order.place) as [transcript]:
        with ProgressLine(console) as line, traced():
            progress = SweepProgress(line, {cell: estimate.calls for cell, estimate in expected.items()})
            sweeping = _sweeping(order, subjects, transcript, progress)
            candidates = [sweeping.examiner.candidate(index) for index in range(len(order.plan.entrants))]
            known = sum(map(transcript.answers, set(map(recorded_name, candidates))))
            try:
                finding = ask_in_loop(_run(sweeping, order))
            except KeyboardInterrupt:
                _write(order, sweeping.finding(), _kept(transcript, known))
                raise
        kept = _kept(transcript, known)
    _write(order, finding, kept)
    if not order.asking.quiet:
        scopes = output.scope_words(plan.scope for plan in order.plan.certificates)
        words = ["viva", "recheck", str(order.out / "comparison.json"), "--transcript", kept.name, *scopes]
        click.echo(f"Recheck: {shlex.join(words)}", err=options.wants_json())
    return CANNOT_CONTINUE if finding.swept.failed else 0


def _kept(transcript: Transcript, known: int) -> RecordSummary:
    """What to remember of it; an answer of this run that several cells and comparisons look at was not on record before."""
    kept = kept_of(transcript)
    return replace(kept, from_record=min(known, kept.from_record))


async def _run(sweeping: RunningSweep, order: SweepRequest) -> Sweep:
    from vivavoce.examination.sweep.run import LocalCellRunner

    try:
        return await sweeping.run(LocalCellRunner(sweeping.examiner))
    finally:
        await sweeping.examiner.close()


def _sweeping(
    order: SweepRequest, subjects: tuple[SweepScope, ...], transcript: Transcript, progress: SweepProgress | None
) -> RunningSweep:
    from vivavoce.examination.presentation import SweepProgress
    from vivavoce.examination.sweep.examiner import CellExaminer
    from vivavoce.examination.sweep.run import RunningSweep

    tells = SweepProgress(lambda _: None, {}) if progress is None else progress
    examiner = CellExaminer(order.plan, subjects, transcript, order.asking)
    for index in range(len(order.plan.entrants)):
        examiner.candidate(index)
    return RunningSweep(examiner, tells.of, tells.over, order.again)


def _print_outlook(
    order: SweepRequest, ahead: RunningSweep, expected: dict[SweepCell, ExaminationCost], console: Console
) -> None:
    from vivavoce.examination.presentation import print_cells, print_planned

    concurrency = order.asking.at_once(ahead.examiner.opened.values())
    swept = ahead.finding().swept
    labels = {cell: swept.label(cell) for cell in expected}
    if order.dry_run and options.wants_json():
        values = [
            {
                "cell": labels[cell],
                "kind": cell.kind,
                "calls": estimate.calls,
                "tokens": estimate.tokens,
                "money": estimate.money,
            }
            for cell, estimate in expected.items()
        ]
        output.print_json({"cells": values})
        return
    if order.dry_run:
        print_cells(labels, expected, console)
    print_planned(list(expected.values()), console, concurrency=concurrency)


def _write(order: SweepRequest, finding: Sweep, kept: RecordSummary) -> None:
    """Write page and JSON into the folder, and print the result."""
    from vivavoce.render.page import write_page

    page, values = order.out / "comparison.html", order.out / "comparison.json"
    text = json.dumps({**finding.as_json(), **head_of(kept)}, allow_nan=False, ensure_ascii=False)
    write_whole(values, text + "\n")
    write_page(page, [finding], made=datetime.now(UTC), version=__version__, answers=run_in_words(kept))
    output.running().record = kept
    output.show(finding)
    click.echo(f"Comparison: {page} · {values}", err=options.wants_json())
