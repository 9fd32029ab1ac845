"""`viva generalization survey rehearse`: bots take a survey before people do."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from vivavoce.web.survey_habits import Played

PROBLEMS_FOUND = 1


@click.command()
@click.argument("address", metavar="URL")
@click.option("--bots", type=click.IntRange(1, 1000), default=15, show_default=True, metavar="N", help="How many.")
@click.option("--at-once", type=click.IntRange(1, 64), default=4, show_default=True, metavar="N", help="At the same time.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="What they say by chance depends on it.")
@click.option(
    "--chromium",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The browser. [default: the one that is installed, or Playwright's own]",
)
@click.option("--json", "as_json", is_flag=True, help="JSON alone on standard output.")
@click.option("--quiet", is_flag=True, help="No progress.")
def rehearse(address: str, bots: int, at_once: int, seed: int, chromium: Path | None, as_json: bool, quiet: bool) -> None:
    """Have bots take the survey at URL in a real browser, the careful and the careless, and see whether all goes well.

    \b
    viva generalization survey rehearse "$(viva generalization survey preview trust)"
    viva generalization survey rehearse http://127.0.0.1:8000/surveys/dress-rehearsal --bots 50 --json

    Some fail the questions on the task, reload, go back, send forms twice, have two tabs, change the browser, withdraw or
    stop. At the address of a preview nothing is kept. At a survey that is open all that they say is: rehearse at one that was
    made for it, and not where people answer.

    \b
    Exit codes:
      0  every bot ended where it should, and the browser had nothing to complain of
      1  some did not
      2  what was given cannot be used
    """
    from vivavoce.web.survey_bots import rehearse as play
    from vivavoce.web.survey_habits import Habit

    done = 0

    def told(played: Played) -> None:
        nonlocal done
        done += 1
        if not quiet:
            click.echo(f"{done} of {bots}: {in_words(played)}", err=True)

    habits = list(islice(cycle(Habit), bots))
    program = None if chromium is None else str(chromium)
    played = asyncio.run(play(address, habits, at_once=at_once, seed=seed, chromium=program, told=told))
    click.echo(json.dumps(as_json_of(played)) if as_json else summary(played))
    if any(one.problems for one in played):
        sys.exit(PROBLEMS_FOUND)


def in_words(played: Played) -> str:
    """How one bot fared."""
    end = f"ended as {played.end} with code {played.code}" if played.end else "stopped on the way"
    problems = f"; {'; '.join(played.problems)}" if played.problems else ""
    return f"{played.habit}: {end}, {len(played.said)} pairs, {played.seconds:.0f} s{problems}"


def summary(played: Sequence[Played]) -> str:
    """How all of them fared."""
    troubled = [one for one in played if one.problems]
    if not troubled:
        return f"All {len(played)} bots ended where they should."
    return "\n".join([f"{len(troubled)} of {len(played)} bots met a problem:", *(in_words(one) for one in troubled)])


def as_json_of(played: Sequence[Played]) -> dict[str, object]:
    """What each bot said, and where it ended; they call themselves by names that they have made up."""
    return {"bots": [asdict(one) for one in played], "troubled": sum(bool(one.problems) for one in played)}
