"""`viva certify --deployed`: a scope as a whole, and as people will use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli.endings import OF_VERDICT, resumable
from vivavoce.cli.kept import Kept, keepsake, print_finding
from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from vivavoce.certificate.deployed_finding import DeploymentCertificate
    from vivavoce.cli.certify import Order
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


def certify_deployed(order: Order) -> int:
    """Examine, print, write the page; the exit code.

    0: understood both ways. 3: not understood one way at least. 4: neither, as one has no verdict.
    """
    if order.procedure == "fixed" or order.strata or order.evenly:
        raise click.UsageError("'--deployed' draws evenly and looks after every answer: leave out other designs.")
    check_page(order.html)
    finding, kept = _examine(order)
    try:
        place = "vivavoce.dossier.certificate_deployed_terminal:print_deployed"
        print_finding(finding, place, as_json=order.as_json, kept=kept)
    finally:  # whoever reads the output may have gone away; the page is wanted all the same
        write_finding(order.html, finding, quietly=order.as_json)
    return next(OF_VERDICT[v] for v in ("does not understand", "no conclusion", "understands") if v in finding.verdicts)


def _examine(order: Order) -> tuple[DeploymentCertificate, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    import asyncio

    from rich.console import Console

    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.weighing import weighing_of
    from vivavoce.dossier.terminal import ProgressLine
    from vivavoce.interview.transcript import Transcript

    scope = open_scope(order.scope, zero_is_ridiculous=order.zero_is_ridiculous)
    for sentence in () if order.asking.quiet else weighing_of(scope).outlook(order.criterion, order.questions):
        click.echo(sentence, err=True)
    candidate = open_candidate(order.candidate)
    with resumable(order.asking.transcript), Transcript.open(order.asking.transcript) as transcript:
        with ProgressLine(Console(stderr=True, quiet=order.asking.quiet)) as progress:
            finding = asyncio.run(_certify(order, candidate, scope, transcript, progress))
        return finding, keepsake(transcript, order.asking.transcript)


async def _certify(
    order: Order,
    candidate: Candidate[Prompt, Reply],
    scope: Any,
    transcript: Transcript,
    on_progress: Callable[[Progress], None],
) -> DeploymentCertificate:
    from vivavoce.candidates import close_candidate
    from vivavoce.certificate.deployed import certify_deployed as examine

    expected = min((n for n in (order.questions, getattr(scope, "size", None)) if n is not None), default=None)
    interview = order.asking.interview(candidate, transcript, expected=expected, on_progress=on_progress)
    try:
        return await examine(interview, scope, order.criterion, seed=order.seed, questions=order.questions)
    finally:
        await close_candidate(candidate)
