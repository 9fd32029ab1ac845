"""Counts and times of a cluster run; they do not affect results."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.candidates.text import shortened
from vivavoce.interview.candidate import Usage

MOST: Final = 10_000
"""Questions in flight, however many threads there are."""


@dataclass(slots=True)
class ClusterRun:
    """Running counts over all candidates that workers ask."""

    say: Callable[[str], object] = len
    """Called with one-sentence messages for the user who waits."""
    began: float = field(default_factory=time.monotonic)
    workers: set[str] = field(default_factory=set)
    """Addresses of all workers so far."""
    threads: Mapping[str, int] = field(default_factory=dict)
    """Threads of the present workers, by their address."""
    lost: int = 0
    """Workers that were lost."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why workers are not asked, by their address."""
    dealt: int = 0
    """Questions sent; a question that is sent twice counts twice."""
    answered: int = 0
    """Answers received."""
    late: int = 0
    """Questions that timed out."""
    failed: int = 0
    """Failed attempts, including those that were retried."""
    heard_twice: int = 0
    """Questions that a lost worker had started, for a candidate whose next answer could differ."""
    usage: Usage = field(default_factory=Usage)
    """The cost of all answers."""

    _room: dict[int | None, int] = field(default_factory=dict)
    """Results of `room`, until workers join or leave."""

    @property
    def able(self) -> frozenset[str]:
        return frozenset(self.threads) - self.refused.keys()

    def sees(self, threads: Mapping[str, int]) -> None:
        """Note the present workers, with their threads."""
        self.lost += len(self.threads.keys() - threads.keys())
        self.threads = threads
        self.workers |= threads.keys()
        self._room.clear()

    def room(self, each: int | None) -> int:
        """Questions that keep all workers busy: one per thread, or fewer if a process can handle only `each`."""
        if each not in self._room:
            threads = [self.threads[worker] for worker in self.able]
            self._room[each] = min(MOST, max(1, sum(number if each is None else min(number, each) for number in threads)))
        return self._room[each]

    def refuse(self, worker: str, reason: str) -> None:
        """Stop asking this worker, and say so once."""
        if worker not in self.refused:
            self._room.clear()
            self.refused[worker] = shortened(reason, 300)
            self.say(f"worker {worker} is refused: {self.refused[worker]}")

    @property
    def figures(self) -> dict[str, Any]:
        return {
            "seconds": round(time.monotonic() - self.began, 3),
            "workers": {"seen": len(self.workers), "lost": self.lost, "refused": self.refused},
            "questions": {
                "dealt": self.dealt,
                "answered": self.answered,
                "timed_out": self.late,
                "failed_attempts": self.failed,
                "heard_twice": self.heard_twice,
            },
            "spending": {"tokens": self.usage.tokens, "money": self.usage.money},
        }

    @property
    def statement(self) -> str:
        seconds = time.monotonic() - self.began
        lost = f", {self.lost} lost" if self.lost else ""
        refused = f", {len(self.refused)} refused" if self.refused else ""
        rate = f" ({self.answered / seconds:.3g}/s)" if seconds > 0 else ""
        return f"Cluster: {len(self.workers)} workers{lost}{refused}; {self.answered} answers in {seconds:.1f} s{rate}"
