"""`--shard`: one part of the work, for schedulers that start the same command on many machines."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import click

from vivavoce.cli.options import Command
from vivavoce.errors import BadInput

if TYPE_CHECKING:
    from vivavoce.interview.shard import Shard

WHERE_FROM: Final = (
    "I counts from 0, as 'sbatch --array=0-63' and Kubernetes do. 'auto/N' takes I from SLURM_ARRAY_TASK_ID or "
    "JOB_COMPLETION_INDEX."
)
"""For the help, after what is divided."""


def shard(text: str) -> Shard:
    """`I/N`, or `auto/N` with the number that the scheduler tells."""
    from vivavoce.interview.shard import Shard

    try:
        return Shard.parse(text, environment=os.environ)
    except BadInput as error:
        raise click.BadParameter(f"{error}.") from None


def shard_option(divides: str) -> Callable[[Command], Command]:
    """`--shard I/N`; `divides` says in a sentence what is divided, and how."""
    return click.option("--shard", type=shard, metavar="I/N|auto/N", help=f"{divides} {WHERE_FROM}")
