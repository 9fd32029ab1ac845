"""`--watch`: a page of the examination while it is held."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from vivavoce.cli.tracing import traced

if TYPE_CHECKING:
    from vivavoce.interview.progress import Progress
    from vivavoce.render.live import Watch


def _keep(context: click.Context, _: click.Parameter, port: int | None) -> None:
    context.meta[__name__] = port


WATCH = click.option(
    "--watch",
    expose_value=False,
    callback=_keep,
    is_flag=False,
    flag_value="0",
    type=click.IntRange(0, 65_535),
    metavar="[PORT]",
    help="Serve a page on this machine that shows the examination while it is held; without a number at any port that is free.",
)


@contextmanager
def watching(on_progress: Callable[[Progress], None]) -> Iterator[tuple[Callable[[Progress], None], Watch | None]]:
    """Let somebody look on at what is examined in this block, where the command was told to, and trace it where that is wanted.

    on_progress: who else is told.
    """
    context = click.get_current_context(silent=True)
    with traced("viva" if context is None else context.command_path):
        yield from _watching(context, on_progress)


def _watching(
    context: click.Context | None, on_progress: Callable[[Progress], None]
) -> Iterator[tuple[Callable[[Progress], None], Watch | None]]:
    port = None if context is None else context.meta.get(__name__)
    if context is None or port is None:
        yield on_progress, None
        return
    from vivavoce.interview.spectator import spectator
    from vivavoce.render.live import LivePage, Watch

    watch = Watch(f"viva {context.info_name}")

    def told(progress: Progress) -> None:
        watch(progress)
        on_progress(progress)

    with LivePage(watch, port) as page:
        click.echo(f"Watch: {page.address}", err=True)
        before = spectator.set(watch)
        try:
            yield told, watch
        finally:
            spectator.reset(before)


def tell_end(watch: Watch | None, found: object) -> None:
    """Whoever looks on sees what was found."""
    if watch is not None:
        watch.over(found, "Ended")
