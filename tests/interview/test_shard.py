"""Shards divide a list without gap or overlap, and their numbers are those of the scheduler."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadInput
from vivavoce.interview.shard import Shard

SLURM = {"SLURM_ARRAY_TASK_ID": "63", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_MAX": "63", "SLURM_ARRAY_TASK_COUNT": "64"}
"""As Slurm 23.11 sets them for the last task of `sbatch --array=0-63`."""


@given(st.integers(1, 200), st.integers(0, 500))
def test_each_item_is_taken_by_one_shard_and_shares_differ_by_one_at_most(of: int, items: int) -> None:
    shards = [Shard(number, of) for number in range(of)]
    taken = [[item for item in range(items) if shard.takes(item)] for shard in shards]
    assert sorted(item for some in taken for item in some) == list(range(items))
    assert [len(some) for some in taken] == [shard.share(items) for shard in shards]
    assert max(map(len, taken)) - min(map(len, taken)) <= 1


@pytest.mark.parametrize(
    ("text", "environment", "expected"),
    [
        ("0/1", {}, Shard(0, 1)),
        ("63/64", {}, Shard(63, 64)),
        (" 3/64\n", {}, Shard(3, 64)),
        ("auto/64", SLURM, Shard(63, 64)),
        ("auto/64", {"JOB_COMPLETION_INDEX": "0"}, Shard(0, 64)),
        ("auto/64", {"JOB_COMPLETION_INDEX": "7", "SLURM_ARRAY_TASK_ID": "7"}, Shard(7, 64)),
        ("auto/64", {"JOB_COMPLETION_INDEX": "7", "SLURM_ARRAY_TASK_ID": ""}, Shard(7, 64)),
        ("2/64", SLURM, Shard(2, 64)),
        # two of 64 tasks submitted again: sbatch --array=3,7
        ("auto/64", {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MAX": "7", "SLURM_ARRAY_TASK_COUNT": "2"}, Shard(7, 64)),
    ],
)
def test_the_number_is_given_or_told_by_the_scheduler(text: str, environment: dict[str, str], expected: Shard) -> None:
    assert Shard.parse(text, environment=environment) == expected


@pytest.mark.parametrize(
    ("text", "environment", "said"),
    [
        ("64/64", {}, "shard 64/64: shards are counted from 0, so of 64 the last is 63/64"),
        ("0/0", {}, "a list has from 1 to 1,000,000 shards"),
        ("0/2000000", {}, "a list has from 1 to 1,000,000 shards"),
        ("-1/64", {}, "'-1/64' is no shard: give I/N, such as 3/64, with I from 0 to N-1"),
        ("3", {}, "'3' is no shard"),
        ("auto", SLURM, "'auto' is no shard: give I/N, such as 3/64, with I from 0 to N-1, or auto/N"),
        ("3/64/2", {}, "is no shard"),
        ("1.5/64", {}, "is no shard"),
        ("²/64", {}, "is no shard"),
        ("3/" + "9" * 5000, {}, "is no shard"),
        ("auto/64", {}, "(set by sbatch --array=0-63) or JOB_COMPLETION_INDEX (set by Kubernetes in an Indexed Job"),
        ("auto/64", {"SLURM_ARRAY_TASK_ID": "three"}, "SLURM_ARRAY_TASK_ID is 'three', which is no whole number"),
        ("auto/64", {"SLURM_ARRAY_TASK_ID": "1", "JOB_COMPLETION_INDEX": "2"}, "give the number of the shard, such as 0/64"),
        ("auto/4", SLURM, "the array counts up to 63, and 4 shards from 0 to 3: submit it with --array=0-3"),
        # --array=1-64: refused by the first task as by the last, as nobody would take shard 0
        ("auto/64", {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MAX": "64"}, "submit it with --array=0-63"),
        ("auto/64", {"JOB_COMPLETION_INDEX": "64"}, "shards are counted from 0"),
    ],
)
def test_what_is_no_shard_is_refused_with_the_remedy(text: str, environment: dict[str, str], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        Shard.parse(text, environment=environment)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 400
