"""Shards: a long list of work divided among machines that know nothing of each other.

The number of a shard is told by hand or by the scheduler that started it. How many there are is always told by hand: when some
of an array's tasks are submitted again, Slurm says how many these are, not how many there were.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from vivavoce.errors import BadInput

AUTO: Final = "auto"
"""In place of the number: the scheduler tells it."""
NUMBERS: Final[Mapping[str, str]] = {
    "SLURM_ARRAY_TASK_ID": "set by sbatch --array=0-{last}",
    "JOB_COMPLETION_INDEX": "set by Kubernetes in an Indexed Job with completions: {of}",
}
"""Environment variables in which a scheduler tells the number, and what sets them.

Sources: the manual of sbatch, "Job arrays"; the documentation of Kubernetes, "Jobs: completion mode".
"""
LAST_OF_ARRAY: Final = "SLURM_ARRAY_TASK_MAX"
MOST: Final = 1_000_000
"""Shards at most."""
_WANTED: Final = "give I/N, such as 3/64, with I from 0 to N-1, or auto/N, which takes I from the scheduler"


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several equal parts of a list, counted from 0: it takes every `of`-th item, so that all end at about one time.

    Raises `BadInput` for a number that is not from 0 to `of` - 1, or more than a million parts.

    >>> [index for index in range(10) if Shard(1, of=4).takes(index)]
    [1, 5, 9]
    >>> Shard(64, of=64)
    Traceback (most recent call last):
    vivavoce.errors.BadInput: shard 64/64: shards are counted from 0, so of 64 the last is 63/64
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.of <= MOST:
            raise BadInput(f"shard {self.number}/{self.of}: a list has from 1 to {MOST:,} shards")
        if not 0 <= self.number < self.of:
            last = self.of - 1
            raise BadInput(
                f"shard {self.number}/{self.of}: shards are counted from 0, so of {self.of} the last is {last}/{self.of}"
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def takes(self, index: int) -> bool:
        """Whether the item with this number, counted from 0, is this shard's."""
        return index % self.of == self.number

    def share(self, items: int) -> int:
        """How many of so many items are this shard's.

        >>> [Shard(number, of=4).share(10) for number in range(4)]
        [3, 3, 2, 2]
        """
        return len(range(self.number, items, self.of))

    @classmethod
    def parse(cls, text: str, *, environment: Mapping[str, str]) -> Self:
        """The shard that `I/N` names, or `auto/N`, whose number the scheduler tells in the environment.

        Raises `BadInput` for anything else, and where no scheduler tells a number, or two tell different ones.

        >>> Shard.parse("3/64", environment={})
        Shard(number=3, of=64)
        >>> Shard.parse("auto/64", environment={"JOB_COMPLETION_INDEX": "5"})
        Shard(number=5, of=64)
        """
        number, slash, of = text.strip().partition("/")
        if not slash or _whole(of) is None or (number != AUTO and _whole(number) is None):
            raise BadInput(f"'{text[:80]}' is no shard: {_WANTED}")
        parts = int(of)
        return cls(_by_scheduler(parts, environment) if number == AUTO else int(number), parts)


def _by_scheduler(of: int, environment: Mapping[str, str]) -> int:
    """The number of this shard of so many."""
    set_by = {name: environment[name] for name in NUMBERS if environment.get(name)}
    if not set_by:
        known = " or ".join(f"{name} ({NUMBERS[name].format(last=of - 1, of=of)})" for name in NUMBERS)
        raise BadInput(f"'{AUTO}/{of}' takes the number from {known}; neither is set: give the number, such as 0/{of}")
    numbers = {name: _whole(value) for name, value in set_by.items()}
    if (none := next((name for name, number in numbers.items() if number is None), None)) is not None:
        raise BadInput(f"{none} is '{set_by[none][:80]}', which is no whole number: give the number, such as 0/{of}")
    if len(set(numbers.values())) > 1:
        both = " and ".join(f"{name} is {value[:80]}" for name, value in set_by.items())
        raise BadInput(f"{both}: give the number of the shard, such as 0/{of}")
    last = _whole(environment.get(LAST_OF_ARRAY, ""))
    if "SLURM_ARRAY_TASK_ID" in set_by and last is not None and last >= of:
        # also by the tasks whose number is in range, lest shard 0 be left out
        wanted = f"--array=0-{of - 1}"
        raise BadInput(f"the array counts up to {last}, and {of} shards from 0 to {of - 1}: submit it with {wanted}")
    (number,) = set(numbers.values())
    assert number is not None
    return number


def _whole(text: str) -> int | None:
    """A whole number from 0, as a scheduler writes it; None for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= len(str(MOST)) else None
