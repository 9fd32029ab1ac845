"""`--prepare` and `--shard`: an examination whose questions many machines ask, each a part of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.endings import OF_VERDICT
from vivavoce.cli.output import Kept, head_of, say, tell
from vivavoce.cli.pages import wanted
from vivavoce.cli.shards import shard_option
from vivavoce.cli.watching import is_watched

if TYPE_CHECKING:
    from vivavoce.certificate.prepared_order import Beyond, Prepared, ShardAsked
    from vivavoce.cli.asking import Asking
    from vivavoce.interview.shard import Shard


@dataclass(frozen=True, slots=True)
class Sharding:
    """Which part of an examination is held."""

    prepare: bool = False
    """Whether only its seed and order go on record."""
    shard: Shard | None = None
    """Whose questions are asked; None: all."""
    prepared: Path | None = None
    """The transcript that a shard's begins as a copy of; None: it is there already."""

    @property
    def wanted(self) -> bool:
        """Whether it is held in part, and so gives no verdict."""
        return self.prepare or self.shard is not None

    def check(self, asking: Asking, *, given: Mapping[str, object]) -> None:
        """Refuse what cannot be meant. `given`: what is for a verdict alone, by its option, where it was given."""
        if self.prepare and self.shard is not None:
            raise click.UsageError("'--prepare' comes first, once, and '--shard' after it, on each machine: give one of them.")
        if self.prepared is not None and self.shard is None:
            raise click.UsageError("'--prepared' is what a shard begins with: give '--shard I/N'.")
        if not self.wanted:
            return
        option = "--prepare" if self.prepare else "--shard"
        if asking.transcript is None:
            raise click.UsageError(f"'{option}' is on record: give '--transcript FILE'.")
        if self.prepared is not None and "://" in asking.transcript:
            raise click.UsageError("each shard keeps a file of its own: give '--transcript FILE'.")
        named = {**given, "--results": asking.results, **wanted().files, "--watch": is_watched() or None}
        if (too_much := next((name for name, value in named.items() if value), None)) is not None:
            raise click.UsageError(f"'{option}' gives no verdict: leave out '{too_much}' until all shards are merged.")

    def begin(self, transcript: str | None) -> None:
        """Let the shard's transcript begin as a copy of the prepared one, unless it is there."""
        if self.shard is None or transcript is None or "://" in transcript:
            return
        if self.prepared is not None:
            from vivavoce.interview.copying import begin_as_copy

            begin_as_copy(self.prepared, Path(transcript))
        elif not Path(transcript).exists():
            raise click.UsageError(f"there is no transcript {transcript}: say with '--prepared FILE' what it begins with.")

    def expected(self, questions: int | None) -> int | None:
        """How many of so many questions are asked here."""
        return questions if questions is None or self.shard is None else self.shard.share(questions)


sharding_options = options.together(
    click.option(
        "--prepare",
        is_flag=True,
        help="Put seed and order of the first '--questions' on record, and ask nothing: that many machines do by '--shard'.",
    ),
    shard_option("Ask only every N-th of the prepared questions, from the one with number I; no verdict."),
    click.option(
        "--prepared",
        type=options.KNOWN_FILE,
        metavar="FILE",
        help="With '--shard': the transcript of '--prepare', as a copy of which this shard's begins. It is only read.",
    ),
)


def say_part(found: Prepared | ShardAsked, kept: Kept | None, *, as_json: bool, quiet: bool) -> int:
    """What was prepared, and what it costs to ask all of it; or how far a shard has come. The exit code."""
    from vivavoce.certificate.prepared_order import Prepared

    say({**found.as_json(), **head_of(kept)}, found.statement, as_json)
    if not as_json:
        tell(kept)
    if not isinstance(found, Prepared):
        return 0 if found.complete else OF_VERDICT["no conclusion"]
    if not quiet:
        click.echo(found.cost, err=True)
    return 0


def say_beyond(found: Beyond | None) -> None:
    """What shards asked for nothing, where they did."""
    if found is not None and found.wasted:
        click.echo(found.statement, err=True)


def in_part(given: dict[str, Any]) -> Sharding:
    """Take out of what was given which part is held."""
    return options.taken_out(given, Sharding)
