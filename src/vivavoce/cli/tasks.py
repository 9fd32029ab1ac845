"""Tasks of Inspect in the place of scopes, on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.clustering import clustered
from vivavoce.formats.task_name import PREFIX
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig

if TYPE_CHECKING:
    from vivavoce.plugins.inspect_plugin.task_scope.candidate import TaskCandidate
    from vivavoce.plugins.inspect_plugin.task_scope.opening import UnopenedTask
    from vivavoce.plugins.inspect_plugin.task_scope.scope import TaskScope

TASK: Final = (
    "inspect-task:FILE.py@TASK[?arg=value] | inspect-task:PACKAGE/TASK[?arg=value]",
    "inspect-task:inspect_evals/gsm8k",
    "the samples of a task of Inspect, with its solver and scorer; see docs/inspect.md",
)
"""Form, example and explanation."""


def is_task(*scopes: str | None) -> bool:
    """Whether the scope is a task of Inspect. Refuses one among several."""
    tasks = [name for name in scopes if name is not None and name.startswith(PREFIX)]
    if tasks and len(scopes) > 1:
        raise click.UsageError(f"'{tasks[0][:80]}' is a task of Inspect, which is examined alone: leave out the other scopes.")
    return bool(tasks)


def check_no_task(config: TaskConfig) -> None:
    """Refuse what is about tasks of Inspect where there is none."""
    if config != TaskConfig():
        raise click.UsageError(f"'--scorer', '--model-role', '--trust-local' and '--log-dir' belong to '--scope {PREFIX}...'.")


def opened_task(
    name: str, candidates: Sequence[str], config: TaskConfig, record: str | None, *, zero_is_ridiculous: bool = False
) -> tuple[TaskScope, list[TaskCandidate]]:
    """The samples of a task as a scope, and the candidates that run them. Raises `BadInput`.

    record: where the transcript is; None: in memory.
    """
    with _extra():
        from vivavoce.plugins.inspect_plugin.task_scope.opening import open_task
    if (cluster := clustered()) is not None:
        cluster.leave(candidates)
    place = "" if record is None else record if "://" in record else str(Path(record).absolute())
    return open_task(name, candidates, config, zero_is_ridiculous=zero_is_ridiculous, record=place)


def unopened_task(name: str, candidate: str) -> UnopenedTask:
    """A task by its name alone, none of whose code is run, for a dry run. Raises `BadInput`."""
    with _extra():
        from vivavoce.plugins.inspect_plugin.task_scope.opening import look_at
    return look_at(name, candidate)


def samples_of_task(name: str) -> int:
    """How many samples a task has. Runs its code. Raises `BadInput`."""
    with _extra():
        from vivavoce.plugins.inspect_plugin.task_scope.opening import count_samples
    return count_samples(name)


@contextmanager
def _extra() -> Iterator[None]:
    """Around an import of what needs Inspect. Raises `MissingExtra` where it is not installed."""
    from vivavoce.errors import MissingExtra

    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "inspect_ai").partition(".")[0], extra="models") from None


def scopes_of(name: str, config: TaskConfig) -> Sequence[Any]:
    """The scope of that name, for whoever rechecks: of a task by both rules for a score of 0, and of any other the name."""
    if not is_task(name):
        return [name]
    return [opened_task(name, [], config, None, zero_is_ridiculous=strict)[0] for strict in (False, True)]


def task_candidates(candidates: Sequence[object]) -> Sequence[TaskCandidate]:
    """Those that run samples of a task of Inspect."""
    return [one for one in candidates if getattr(one, "logs", None)]  # type: ignore[misc]  # no other candidate has logs


def say_logs(candidates: Sequence[TaskCandidate], *, quiet: bool) -> None:
    """Say where Inspect's logs are, and what all samples cost that ran, also those that no finding counts."""
    for log in () if quiet or not candidates else candidates[0].logs:
        click.echo(f"Inspect's log: {log}", err=True)
    for candidate in () if quiet else candidates:
        number, used = candidate.ran
        money = f" and {used.money:.2f} of money" if used.money else ""
        if number:
            click.echo(
                f"{candidate.name}: {number} sample{'' if number == 1 else 's'} ran and took {used.tokens:,} tokens{money}. "
                "Those that were under way at the end are in the log, and no finding counts them or what they cost.",
                err=True,
            )
