"""Logs of Inspect in the place of candidates: what they are compared on are the samples that they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

if TYPE_CHECKING:
    from vivavoce.formats.logged import Log
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.scopes.logged import LoggedScope

ENDING: Final = ".eval"
SCORER = click.option(
    "--scorer",
    metavar="NAME",
    help="Of logs, or a task of Inspect, with several scores the one to compare by; NAME:VALUE where it has several values.",
)


def are_logs(names: Sequence[str], scope: str | None, scorer: str | None) -> bool:
    """Whether these are logs of Inspect. Refuses what cannot be compared with them, and candidates without a scope."""
    logs = [name for name in names if is_log(name)]
    if not logs:
        if scorer is not None:
            raise click.UsageError("'--scorer' is for logs of Inspect (.eval): leave it out.")
        if scope is None:
            _refuse_files(names)
            raise click.MissingParameter(param_hint="'--scope'", param_type="option")
        return False
    if len(logs) < len(names):
        other = next(name for name in names if not is_log(name))
        raise click.UsageError(f"'{logs[0]}' is a log, and '{other[:80]}' is none: logs are compared with logs.")
    if scope is not None:
        raise click.UsageError("'--scope' is for candidates that are asked: logs are compared on the samples in common.")
    return True


def is_log(name: str) -> bool:
    """Whether a name is that of a log of Inspect.

    >>> is_log("logs/2026-11-23_mmlu.eval"), is_log("function:my.eval")
    (True, False)
    """
    from vivavoce.candidates.names import KINDS

    prefixes = tuple(f"{kind.prefix}:" for kind in KINDS)
    return name.lower().endswith(ENDING) and not name.startswith(prefixes)


def opened_logs(
    names: Sequence[str], scorer: str | None, *, by_draw: bool = False
) -> tuple[LoggedScope, list[Candidate[Prompt, Reply]]]:
    """The samples that the logs have in common, and a candidate for each log. Raises `BadFile` and `BadInput`.

    by_draw: whether the epochs of a sample are draws of one question.
    """
    from vivavoce.candidates.logged import Logged, drawn_from_log
    from vivavoce.scopes.logged import samples_in_common

    logs = [_read(Path(name), scorer or "") for name in names]
    scope, questions = samples_in_common(logs, by_draw=by_draw)
    if by_draw:
        return scope, [drawn_from_log(log, questions) for log in logs]
    return scope, [Logged(log, questions) for log in logs]


def scope_of_logs(files: Sequence[Path], names: Sequence[str], *, by_draw: bool = False) -> Any:
    """The scope of a comparison of logs, for whoever rechecks it; None where these files are not all of its logs.

    names: of the candidates, on record.
    by_draw: as for `opened_logs`.
    """
    from vivavoce.candidates.logged import name_of_log, scorer_of
    from vivavoce.errors import BadInput
    from vivavoce.scopes.logged import samples_in_common

    found: list[Log] = []
    for name in names:
        for file in files:
            try:
                log = _read(file, scorer_of(name))
            except BadInput:
                continue
            if name_of_log(log) == name:
                found.append(log)
                break
    return samples_in_common(found, by_draw=by_draw)[0] if len(found) == len(names) else None


def _read(file: Path, scorer: str) -> Log:
    from vivavoce.errors import MissingExtra

    try:
        from vivavoce.plugins.inspect_plugin.scored import read_scored
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "inspect_ai").partition(".")[0], extra="models") from None
    return read_scored(file, scorer)


def _refuse_files(names: Sequence[str]) -> None:
    """Say of a file that stands in the place of a candidate what it would have to be."""
    file = next((name for name in names if Path(name).is_file()), None)
    if file is not None:
        raise click.UsageError(
            f"'{file}' is a file, and no log of Inspect, which ends in {ENDING}: for a table of replies give "
            f"replay:{file}#COLUMN and '--scope'; an Inspect log in JSON is converted by 'inspect log convert --to eval'."
        )
