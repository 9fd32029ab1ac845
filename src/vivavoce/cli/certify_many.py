"""`viva certify` over several scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vivavoce.cli.endings import OF_VERDICT, resumable
from vivavoce.cli.kept import Kept, keepsake, print_finding
from vivavoce.cli.pages import check_page, write_finding

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vivavoce.certificate.many_finding import ManyScopes
    from vivavoce.certificate.scopes.endless import EndlessScope
    from vivavoce.certificate.scopes.listed import ListedScope
    from vivavoce.cli.certify import Many, Order
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript


def certify_many(order: Order, many: Many) -> int:
    """Examine, print, write the page; the exit code.

    0: all scopes are understood. 3: at least one is not. 4: neither, as some have no verdict.
    """
    _check(order)
    finding, kept = _examine(order, many)
    try:
        print_finding(finding, "vivavoce.dossier.many_scopes_terminal:print_many", as_json=order.as_json, kept=kept)
    finally:  # whoever reads the output may have gone away; the page is wanted all the same
        write_finding(order.html, finding, quietly=order.as_json)
    found = {result.verdict for result in finding.scopes}
    return next(OF_VERDICT[v] for v in ("does not understand", "no conclusion", "understands") if v in found)


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if order.procedure == "fixed":
        raise click.UsageError("'--procedure fixed' is for one scope: of several, each stops when its own verdict stands.")
    if order.strata or order.evenly:
        raise click.UsageError("'--strata' and '--evenly' are for one scope: leave them out, or give one '--scope'.")
    check_page(order.html)


def _examine(order: Order, many: Many) -> tuple[ManyScopes, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    import asyncio

    from rich.console import Console

    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.scopes.categories import by_category
    from vivavoce.dossier.terminal import ProgressLine
    from vivavoce.interview.transcript import Transcript

    named = [open_scope(name, zero_is_ridiculous=order.zero_is_ridiculous) for name in many.scopes]
    scopes = by_category(named) if many.by_category else named
    candidate = open_candidate(order.candidate)
    with resumable(order.asking.transcript), Transcript.open(order.asking.transcript) as transcript:
        with ProgressLine(Console(stderr=True, quiet=order.asking.quiet)) as progress:
            finding = asyncio.run(_certify(order, many, candidate, scopes, transcript, progress))
        return finding, keepsake(transcript, order.asking.transcript)


async def _certify(
    order: Order,
    many: Many,
    candidate: Candidate[Prompt, Reply],
    scopes: Sequence[EndlessScope | ListedScope],
    transcript: Transcript,
    on_progress: Callable[[Progress], None],
) -> ManyScopes:
    from vivavoce.candidates import close_candidate
    from vivavoce.certificate.many import certify_many as examine

    interview = order.asking.interview(candidate, transcript, expected=order.questions, on_progress=on_progress)
    try:
        return await examine(interview, scopes, order.criterion, seed=order.seed, rule=many.rule, questions=order.questions)
    finally:
        await close_candidate(candidate)
