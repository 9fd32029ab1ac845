"""`--cluster`: compute answers on the workers of a Dask scheduler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import click

from vivavoce.cli import options

if TYPE_CHECKING:
    from vivavoce.candidates.cluster.dealer import CandidateCluster
    from vivavoce.candidates.cluster.scheduler import Opener
    from vivavoce.interview.candidate import Candidate


class ClusterConnection:
    """The cluster of a command, connected when the first candidate is opened."""

    rate: float | None = None
    """Limit of questions per second."""

    def __init__(self, address: str, context: click.Context) -> None:
        self._address = address
        self._context = context
        self._cluster: CandidateCluster | None = None
        self._used = False

    def __enter__(self) -> Self:
        from vivavoce.candidates.cluster.scheduler import elsewhere

        self._before = elsewhere.set(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        from vivavoce.candidates.cluster.scheduler import elsewhere

        elsewhere.reset(self._before)
        if self._cluster is not None:
            if not self._context.params.get("quiet"):
                click.echo(self.statement, err=True)
            self._cluster.close()
        elif not self._used and (kind is None or issubclass(kind, click.exceptions.Exit)):
            _say("'--cluster' had no effect: workers can't compute the answers of these candidates")

    def deal(self, name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]], /) -> Candidate[Any, Any]:
        """The candidate of that name, computed on the cluster if it computes anything."""
        if self._cluster is None:
            from vivavoce.candidates.cluster.dealer import CandidateCluster

            self._cluster = CandidateCluster(self._address, rate=self.rate, say=_say)
        return self._cluster.deal(name, opener, here)

    @property
    def address(self) -> str:
        """The scheduler's address, for engines, which send positions to workers themselves."""
        self._used = True
        return self._address

    def leave(self, names: Iterable[str]) -> None:
        """Print which models of an Inspect task are asked from this machine rather than the cluster."""
        from vivavoce.candidates.cluster.dealer import WITHIN, asked_from_here

        for name in names:
            if not name.strip().startswith(WITHIN):
                self._used = True
                _say(asked_from_here(name))

    @property
    def run(self) -> dict[str, Any]:
        """The cluster's work, as JSON values."""
        return {} if self._cluster is None else self._cluster.run.figures

    @property
    def statement(self) -> str:
        """The same in one line; empty if the cluster was not used."""
        return "" if self._cluster is None else self._cluster.run.statement


def _say(text: str) -> None:
    click.echo(f"viva: {text}", err=True)


def clustered() -> ClusterConnection | None:
    """The running command's cluster; None without one."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(__name__)


def _enter(context: click.Context, _: click.Parameter, address: str | None) -> None:
    if address is not None and __name__ not in context.meta:
        context.meta[__name__] = context.with_resource(ClusterConnection(address, context))


def _limit(context: click.Context, _: click.Parameter, rate: float | None) -> None:
    if rate is None:
        return
    result = context.meta.get(__name__)
    if result is None:
        raise click.UsageError("'--set rate' limits a cluster's workers: give '--cluster ADDRESS'.")
    result.rate = rate


CLUSTER = options.together(
    click.option(
        "--cluster",
        expose_value=False,
        is_eager=True,
        callback=_enter,
        metavar="ADDRESS",
        help="Dask scheduler whose workers compute the answers (tcp://scheduler:8786).",
    ),
    click.option(
        "--rate",
        cls=options.ExpertOption,
        expose_value=False,
        callback=_limit,
        type=options.amount,
        metavar="X",
        help="Questions per second, over all workers of the cluster.",
    ),
)
"""Options of commands whose candidates may run on a cluster."""
