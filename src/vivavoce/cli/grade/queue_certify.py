"""`viva certify --queue`: an examination whose answers people grade on a site while it runs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import click

from vivavoce.certificate.config import POLL
from vivavoce.cli.endings import NotNow
from vivavoce.cli.site_database import site_engine

if TYPE_CHECKING:
    from vivavoce.certificate.finding import Certificate
    from vivavoce.certificate.graders.grading import Grader


async def graded_by_queue(
    place: str,
    scope: str,
    examine: Callable[[Grader], Coroutine[Any, Any, Certificate]],
    *,
    every: float | None,
    say: Callable[[str], object],
) -> Certificate:
    """The examination with the people of a queue; made again from the record where a grade under its verdict was withdrawn.

    Parameters
    ----------
    place: DATABASE, or DATABASE#NAME.
    scope: its digest.
    every: seconds between two looks at the queue.
    """
    database, _, name = place.partition("#")
    with site_engine(database) as engine:
        from vivavoce.web.database import DatabaseProblem, reading
        from vivavoce.web.store.grading import named
        from vivavoce.web.store.grading_wait import QueuedPeople

        try:
            with reading(engine) as c:
                queue = named(c, name)
            say(f"Answers go into the queue '{queue.slug}'. Stop with Ctrl+C; the same command goes on.")
            while True:
                people = QueuedPeople(engine, queue, scope, every=POLL if every is None else every)
                try:
                    found = people.conclude(await examine(people))
                finally:
                    people.close()
                if found is not None:
                    return found
                say("Somebody withdrew a grade: the examination goes on without it.")
        except DatabaseProblem as problem:
            raise NotNow(f"{problem}; grades that were given are kept: run the same command again") from None


def check_queue(place: str) -> None:
    """Refuse now a database or a queue that is not there."""
    database, _, name = place.partition("#")
    with site_engine(database) as engine:
        from vivavoce.web.database import reading
        from vivavoce.web.store.grading import named

        with reading(engine) as c:
            queue = named(c, name)
    if queue.state != "open":
        click.echo(f"The queue '{queue.slug}' is closed: grades that are there count, and nobody gives new ones.", err=True)
