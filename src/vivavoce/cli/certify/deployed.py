"""`viva certify --deployed`: a scope as a whole, and as people will use it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vivavoce.cli.endings import worst
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page

if TYPE_CHECKING:
    from vivavoce.certificate.deployed_finding import DeploymentCertificate
    from vivavoce.cli.certify.order import Order


def certify_deployed(order: Order) -> int:
    """Examine, print, write the page; the exit code.

    0: understood both ways. 3: not understood one way at least. 4: neither, as one has no verdict.
    """
    if order.procedure == "fixed" or order.strata or order.evenly:
        raise click.UsageError("'--deployed' draws evenly and looks after every answer: leave out other designs.")
    check_page(order.html)
    finding, kept = _examine(order)
    place = "vivavoce.render.terminals.certificate.deployed:print_deployed"
    show(order.naming.of(finding), place, as_json=order.as_json, html=order.html, kept=kept, key=order.sign)
    return worst(finding.verdicts)


def _examine(order: Order) -> tuple[DeploymentCertificate, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.deployed import certify_deployed, of_either
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.weighing import weighing_of

    scope = open_scope(order.scope, zero_is_ridiculous=order.zero_is_ridiculous)
    weighing = weighing_of(scope)
    for sentence in () if order.asking.quiet else weighing.outlook(of_either(order.first_criterion(scope)), order.questions):
        click.echo(sentence, err=True)
    return order.asking.examined(
        open_candidate(order.candidate),
        lambda interview: certify_deployed(
            interview,
            scope,
            order.criterion(interview, [scope]),
            seed=order.seed,
            questions=order.questions,
            unreadable=order.unreadable,
            again=order.again,
            endurance=order.endurance,
        ),
        expected=min((n for n in (order.questions, getattr(scope, "size", None)) if n is not None), default=None),
    )
