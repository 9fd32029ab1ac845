"""Inspect tasks and logs as scopes and candidates on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli.clustering import clustered
from vivavoce.cli.endings import needs_extra
from vivavoce.cli.options import ExpertOption
from vivavoce.errors import BadInput
from vivavoce.formats.task_name import PREFIX
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig

if TYPE_CHECKING:
    from vivavoce.formats.records import Log
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.plugins.inspect_plugin.task_scope.candidate import TaskCandidate
    from vivavoce.plugins.inspect_plugin.task_scope.opening import UnopenedTask
    from vivavoce.scopes.importers.spans import SpanCall
    from vivavoce.scopes.logged import LoggedScope, TaskScope


TASK: Final = (
    "inspect-task:FILE.py@TASK[?arg=value] | inspect-task:PACKAGE/TASK[?arg=value]",
    "inspect-task:inspect_evals/gsm8k",
    "the samples of a task of Inspect, with its solver and scorer; see docs/inspect.md",
)
"""Form, example and explanation."""


def is_task(*scopes: str | None) -> bool:
    """Whether the scope is an Inspect task. Refuses one among several."""
    tasks = [name for name in scopes if name is not None and name.startswith(PREFIX)]
    if tasks and len(scopes) > 1:
        raise click.UsageError(f"'{tasks[0][:80]}' is an Inspect task, which must be the only scope: leave out the others.")
    return bool(tasks)


def check_no_task(config: TaskConfig) -> None:
    """Refuse options for Inspect tasks if there is no task."""
    if config != TaskConfig():
        raise click.UsageError(f"scorer, model-role, trust-local and log-dir are for tasks: give '--scope {PREFIX}...'.")


def opened_task(
    name: str, candidates: Sequence[str], config: TaskConfig, record: str | None, *, zero_is_unacceptable: bool = False
) -> tuple[TaskScope, list[TaskCandidate]]:
    """The samples of a task as a scope, and the candidates that run them. Raises `BadInput`.

    record: where the transcript is; None: in memory.
    """
    with needs_extra("models", "inspect_ai"):
        from vivavoce.plugins.inspect_plugin.task_scope.opening import open_task
    if (cluster := clustered()) is not None:
        cluster.leave(candidates)
    where = "" if record is None else record if "://" in record else str(Path(record).absolute())
    return open_task(name, candidates, config, zero_is_unacceptable=zero_is_unacceptable, record=where)


def logged_inputs(file: Path) -> list[SpanCall]:
    """What the samples of a log asked. Raises `BadFile`."""
    with needs_extra("models", "inspect_ai"):
        from vivavoce.plugins.inspect_plugin.scored import read_inputs
    return read_inputs(file)


def unopened_task(name: str, candidate: str) -> UnopenedTask:
    """A task by its name, without running its code, for a dry run. Raises `BadInput`."""
    with needs_extra("models", "inspect_ai"):
        from vivavoce.plugins.inspect_plugin.task_scope.opening import look_at
    return look_at(name, candidate)


def scopes_of(name: str, config: TaskConfig) -> Sequence[Any]:
    """The scopes of that name for a recheck: a task under both rules for a score of 0; any other name alone."""
    if not is_task(name):
        return [name]
    return [opened_task(name, [], config, None, zero_is_unacceptable=strict)[0] for strict in (False, True)]


def task_candidates(candidates: Sequence[object]) -> Sequence[TaskCandidate]:
    """Whether all candidates run samples of an Inspect task."""
    return [candidate for candidate in candidates if getattr(candidate, "logs", None)]  # type: ignore[misc]  # no other candidate has logs


def say_logs(candidates: Sequence[TaskCandidate], *, quiet: bool) -> None:
    """Print where Inspect's logs are, and the cost of all samples, including those that no finding counts."""
    for log in () if quiet or not candidates else candidates[0].logs:
        click.echo(f"Inspect's log: {log}", err=True)
    for candidate in () if quiet else candidates:
        number, used = candidate.ran
        money = f" and {used.money:.2f} of money" if used.money else ""
        if number:
            click.echo(
                f"{candidate.name}: {number} sample{'' if number == 1 else 's'} ran and took {used.tokens:,} tokens{money}. "
                "Samples that were still running at the end are in the log; no finding counts them or their cost.",
                err=True,
            )


ENDING: Final = ".eval"
SCORER = click.option(
    "--scorer",
    cls=ExpertOption,
    metavar="NAME",
    help="Use this score of an Inspect log or task; NAME:VALUE if it has values.",
)


def are_logs(names: Sequence[str], scope: str | None, scorer: str | None) -> bool:
    """Whether these are Inspect logs. Refuses mixtures, and candidates without a scope."""
    logs = [name for name in names if is_log(name)]
    if not logs:
        if scorer is not None:
            raise click.UsageError("'--set scorer' is for Inspect logs (.eval): leave it out.")
        if scope is None:
            _refuse_files(names)
            raise click.MissingParameter(param_hint="'--scope'", param_type="option")
        return False
    if len(logs) < len(names):
        other = next(name for name in names if not is_log(name))
        raise click.UsageError(f"'{logs[0]}' is an Inspect log and '{other[:80]}' is not: compare logs with logs.")
    if scope is not None:
        raise click.UsageError(
            "'--scope' is not for Inspect logs, which are compared on the samples that they share: leave it out."
        )
    return True


def is_log(name: str) -> bool:
    """Whether a name is an Inspect log.

    >>> is_log("logs/2026-11-23_mmlu.eval"), is_log("function:my.eval")
    (True, False)
    """
    from vivavoce.candidates.names import KINDS

    prefixes = tuple(f"{kind.prefix}:" for kind in KINDS)
    return name.lower().endswith(ENDING) and not name.startswith(prefixes)


def opened_logs(
    names: Sequence[str], scorer: str | None, *, by_draw: bool = False
) -> tuple[LoggedScope, list[Candidate[Prompt, Reply]]]:
    """The samples that the logs share, and a candidate for each log. Raises `BadFile` and `BadInput`.

    by_draw: whether the epochs of a sample are draws of one question.
    """
    from vivavoce.candidates.replay import LoggedReplies, drawn_from_log
    from vivavoce.scopes.logged import samples_in_common

    logs = [_read(Path(name), scorer or "") for name in names]
    scope, questions = samples_in_common(logs, by_draw=by_draw)
    if by_draw:
        return scope, [drawn_from_log(log, questions) for log in logs]
    return scope, [LoggedReplies(log, questions) for log in logs]


def scope_of_logs(files: Sequence[Path], names: Sequence[str], *, by_draw: bool = False) -> Any:
    """The scope of a comparison of logs for a recheck; None if some of its logs are missing.

    names: of the candidates, on record.
    by_draw: as for `opened_logs`.
    """
    from vivavoce.candidates.replay import name_of_log, scorer_of
    from vivavoce.scopes.logged import samples_in_common

    logs: list[Log] = []
    for name in names:
        for file in files:
            try:
                log = _read(file, scorer_of(name))
            except BadInput:
                continue
            if name_of_log(log) == name:
                logs.append(log)
                break
    return samples_in_common(logs, by_draw=by_draw)[0] if len(logs) == len(names) else None


def _read(file: Path, scorer: str) -> Log:
    with needs_extra("models", "inspect_ai"):
        from vivavoce.plugins.inspect_plugin.scored import read_scored
    return read_scored(file, scorer)


def _refuse_files(names: Sequence[str]) -> None:
    """Explain how to use a file that was given as a candidate."""
    file = next((name for name in names if Path(name).is_file()), None)
    if file is not None:
        raise click.UsageError(
            f"'{file}' is not an Inspect log, whose name ends in {ENDING}. For a table of replies give replay:{file}#COLUMN "
            "and '--scope'; convert a log in JSON with 'inspect log convert --to eval'."
        )
