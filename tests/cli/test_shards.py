"""`--shard` as an option: what the command line and the scheduler say, and the line for what is none."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from vivavoce.cli.shards import shard_option
from vivavoce.interview.shard import Shard


@click.command
@shard_option("Do this part of the list.")
def divided(shard: Shard | None) -> None:
    """Say which part is done."""
    click.echo(f"{shard}")


@pytest.fixture(autouse=True)
def no_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MAX", "JOB_COMPLETION_INDEX"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("arguments", "environment", "said"),
    [
        ((), {}, "None\n"),
        ((), {"SLURM_ARRAY_TASK_ID": "3"}, "None\n"),  # a job of another kind is not divided unless it says so
        (("--shard", "3/64"), {}, "3/64\n"),
        (("--shard", "auto/64"), {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MAX": "63"}, "3/64\n"),
        (("--shard", "auto/64"), {"JOB_COMPLETION_INDEX": "5"}, "5/64\n"),
    ],
)
def test_the_shard_is_the_one_that_is_said(arguments: tuple[str, ...], environment: dict[str, str], said: str) -> None:
    assert CliRunner(env=environment).invoke(divided, arguments).output == said


def test_what_is_none_is_bad_input_with_the_remedy() -> None:
    refused = CliRunner().invoke(divided, ("--shard", "8/8"))
    assert refused.exit_code == 2
    assert "shards are counted from 0, so of 8 the last is 7/8." in " ".join(refused.output.split())


def test_the_help_says_from_where_it_counts_and_which_variables_are_read() -> None:
    help_text = " ".join(CliRunner().invoke(divided, ("--help",)).output.split())
    assert "Do this part of the list. I counts from 0" in help_text
    assert "'auto/N' takes I from SLURM_ARRAY_TASK_ID or JOB_COMPLETION_INDEX." in help_text
