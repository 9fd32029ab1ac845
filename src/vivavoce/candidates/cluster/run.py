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
class Run:
    """Running counts over all candidates whose questions are dealt."""

    say: Callable[[str], object] = len
    """Called with one-sentence messages for the user who waits."""
    began: float = field(default_factory=time.monotonic)
    workers: set[str] = field(default_factory=set)
    """Addresses of all that were seen."""
    threads: Mapping[str, int] = field(default_factory=dict)
    """Of the workers that are there now, by their address."""
    lost: int = 0
    """Workers that went away."""
    refused: dict[str, str] = field(default_factory=dict)
    """Why workers are not dealt anything, by their address."""
    dealt: int = 0
    """Questions dealt; a question that is dealt twice counts twice."""
    answered: int = 0
    """Answers that came."""
    late: int = 0
    """Questions that took longer than they may."""
    failed: int = 0
    """Attempts that failed; those that are retried are among them."""
    heard_twice: int = 0
    """Questions that a lost worker had started, for a candidate whose next answer could differ."""
    usage: Usage = field(default_factory=Usage)
    """What the answers of this run cost."""

    _room: dict[int | None, int] = field(default_factory=dict)
    """What `room` found, until workers come or go."""

    @property
    def able(self) -> frozenset[str]:
        """Workers that are there, and not refused."""
        return frozenset(self.threads) - self.refused.keys()

    def sees(self, threads: Mapping[str, int]) -> None:
        """These workers are there now, each with so many threads."""
        self.lost += len(self.threads.keys() - threads.keys())
        self.threads = threads
        self.workers |= threads.keys()
        self._room.clear()

    def room(self, each: int | None) -> int:
        """Questions that keep all workers busy: one for each thread, less where a candidate bears no more in a process."""
        if each not in self._room:
            threads = [self.threads[worker] for worker in self.able]
            self._room[each] = min(MOST, max(1, sum(number if each is None else min(number, each) for number in threads)))
        return self._room[each]

    def refuse(self, worker: str, reason: str) -> None:
        """Deal this worker nothing; said once."""
        if worker not in self.refused:
            self._room.clear()
            self.refused[worker] = shortened(reason, 300)
            self.say(f"worker {worker} is refused: {self.refused[worker]}")

    def as_json(self) -> dict[str, Any]:
        """As plain values."""
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
        """In a line."""
        seconds = time.monotonic() - self.began
        lost = f", {self.lost} lost" if self.lost else ""
        refused = f", {len(self.refused)} refused" if self.refused else ""
        rate = f" ({self.answered / seconds:.3g}/s)" if seconds > 0 else ""
        return f"Cluster: {len(self.workers)} workers{lost}{refused}; {self.answered} answers in {seconds:.1f} s{rate}"
