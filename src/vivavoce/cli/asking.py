"""What all commands that ask a candidate have in common: their options, and the interviews that come of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from vivavoce.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vivavoce.interview.budget import Purse
    from vivavoce.interview.candidate import Candidate, Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Asking:
    """How a candidate is asked, whatever it is asked."""

    at_once: int
    transcript: str | None
    tokens: int | None
    money: float | None
    time_out: float
    attempts: int
    quiet: bool

    def interview(
        self,
        candidate: Candidate[Prompt, Reply],
        transcript: Transcript,
        *,
        expected: int | None,
        on_progress: Callable[[Progress], None] | None,
        spent: Usage | None = None,
        purse: Purse | None = None,
    ) -> Interview[Prompt, Reply]:
        """An interview within the budget, less what has been spent of it elsewhere; or within a purse that several share."""
        from vivavoce.interview.budget import Budget
        from vivavoce.interview.candidate import Reply
        from vivavoce.interview.interview import Interview

        tokens, money = self.tokens, self.money
        if spent is not None:
            tokens = None if tokens is None else max(0, tokens - spent.tokens)
            money = None if money is None else max(0.0, money - spent.money)
        return Interview(
            candidate,
            answers=Reply,
            transcript=transcript,
            at_once=self.at_once,
            time_out=self.time_out,
            attempts=self.attempts,
            budget=Budget(tokens=tokens, money=money) if purse is None else purse.share(),
            expected=expected,
            on_progress=on_progress,
        )


_AT_ONCE = click.option(
    "--at-once", type=click.IntRange(1, 10_000), metavar="N", default=8, show_default=True, help="Questions in flight."
)
_TRANSCRIPT = click.option(
    "--transcript", metavar="FILE|URL", help="Keep every answer there; what is there already is not asked again."
)
_TOKENS = click.option("--tokens", type=click.IntRange(min=1), metavar="N", help="Stop asking after so many tokens.")
_MONEY = click.option(
    "--money",
    "--budget",
    "money",
    type=options.amount,
    metavar="X",
    help="Stop asking after so much money, at the candidate's prices.",
)
_TIME_OUT = click.option(
    "--time-out", type=options.amount, metavar="S", default=120, show_default=True, help="Seconds for one answer to come."
)
_ATTEMPTS = click.option(
    "--attempts",
    type=click.IntRange(1, 100),
    metavar="N",
    default=5,
    show_default=True,
    help="If a question does not get through.",
)
_QUIET = click.option("--quiet", is_flag=True, help="No progress.")
_JSON = click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
_HTML = click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a page with plots.")


def asking_options(command: Command) -> Command:
    """The options of `Asking`."""
    return _with(command, (_AT_ONCE, _TRANSCRIPT, _TOKENS, _MONEY, _TIME_OUT, _ATTEMPTS, _QUIET))


def output_options(command: Command) -> Command:
    """`--json`, as `as_json`, and `--html`."""
    return _with(command, (_JSON, _HTML))


def taken_from(given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given on the command line, with the options of `Asking` as one value `asking`."""
    names = {field.name for field in fields(Asking)}
    rest = {name: value for name, value in given.items() if name not in names}
    return rest | {"asking": Asking(**{name: given[name] for name in names})}


def file_digest(file: Path) -> str:
    """SHA-256 of what is in a file, in hex. Raises `BadFile`."""
    from vivavoce.interview import lines

    return lines.file_digest(file)


def write_lines(file: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """Write values as JSON Lines."""
    import json

    with file.open("w", encoding="utf-8", errors="replace") as out:
        out.writelines(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n" for value in values)


def _with(command: Command, decorators: tuple[Callable[[Any], Any], ...]) -> Command:
    """Decorated so that the help lists them in this order."""
    return reduce(lambda decorated, option: option(decorated), reversed(decorators), command)
