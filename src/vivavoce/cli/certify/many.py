"""`viva certify` over several scopes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vivavoce.cli.endings import worst
from vivavoce.cli.output import Kept, show
from vivavoce.cli.pages import check_page

if TYPE_CHECKING:
    from vivavoce.certificate.many_finding import ManyScopes
    from vivavoce.cli.certify.order import Many, Order


def certify_many(order: Order, many: Many) -> int:
    """Examine, print, write the page; the exit code.

    0: all scopes are understood. 3: at least one is not. 4: neither, as some have no verdict.
    """
    _check(order)
    finding, kept = _examine(order, many)
    place = "vivavoce.render.terminals.certificate.many:print_many"
    show(order.naming.of(finding), place, as_json=order.as_json, html=order.html, kept=kept, key=order.sign)
    return worst([result.verdict for result in finding.scopes])


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if order.procedure == "fixed":
        raise click.UsageError("'--procedure fixed' is for one scope: of several, each stops when its own verdict stands.")
    if order.strata or order.evenly:
        raise click.UsageError(
            "'--strata' and '--importance-weighting' are for one scope: leave them out, or give one '--scope'."
        )
    if order.endurance.settings:
        raise click.UsageError("'--min-questions' and '--over-hours' are for one scope: leave them out, or give one '--scope'.")
    check_page(order.html)


def _examine(order: Order, many: Many) -> tuple[ManyScopes, Kept | None]:
    """The finding, and what to remember of the transcript; None for one in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.many import certify_many
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.scopes.categories import by_category

    named = [open_scope(name, zero_is_ridiculous=order.zero_is_ridiculous) for name in many.scopes]
    scopes = by_category(named) if many.by_category else named
    return order.asking.examined(
        open_candidate(order.candidate),
        lambda interview: certify_many(
            interview,
            scopes,
            order.criterion(interview, scopes),
            seed=order.seed,
            rule=many.rule,
            questions=order.questions,
            unreadable=order.unreadable,
            again=order.again,
        ),
        expected=order.questions,
        front=("scope",),
    )
