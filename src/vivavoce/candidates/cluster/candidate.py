"""A candidate whose questions the workers of a Dask cluster answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from vivavoce.candidates.cluster import outcomes
from vivavoce.candidates.cluster.run import ClusterRun
from vivavoce.candidates.cluster.scheduler import Opener, elsewhere, with_workers
from vivavoce.candidates.names import kind_of
from vivavoce.candidates.text import shortened
from vivavoce.errors import CandidateMisconfigured
from vivavoce.interview.candidate import Candidate, Prompt, Usage


class Pace:
    """Lets those who wait for their turn through one after the other.

    rate: turns a second at most; None: no limit.
    """

    def __init__(self, rate: float | None) -> None:
        self._gap = 0.0 if rate is None else 1 / rate
        self._next = 0.0

    async def turn(self) -> None:
        """Wait for a turn."""
        if not self._gap:
            return
        now = asyncio.get_running_loop().time()
        mine = max(now, self._next)
        self._next = mine + self._gap
        if mine > now:
            await asyncio.sleep(mine - now)


UNSEEN: Final = ("hf", "trained")
"""Kinds that this process does not open: loading one may take gigabytes, and this process does not need it."""
COMPUTES: Final = ("function", "bot", *UNSEEN)
"""Kinds whose questions go to workers; so do those of a server on each worker's machine."""
WITHIN: Final = "inspect:viva/"
"""Before the name of a candidate that Inspect asks as a model; it is opened, and dealt, by that name."""


def asked_from_here(name: str) -> str:
    """The message that workers are not asked."""
    return f"{name} is asked from here: workers have nothing to compute for it"


class CandidateCluster:
    """The workers of a Dask scheduler, which answer for every candidate that is opened within.

    address: of the scheduler, such as `tcp://scheduler:8786`.
    rate: questions a second at most, over all workers and candidates; None: no limit.
    say: called with messages for the user who waits.

    Raises `MissingExtra` without Dask, `CandidateUnreachable` without a scheduler or worker, `BadInput` for a wrong address,
    and `CandidateMisconfigured` if the scheduler lacks this package.

    >>> async def examine() -> None:
    ...     with CandidateCluster("tcp://scheduler:8786"):
    ...         candidate = open_candidate("function:my_model:answer?deterministic=yes")
    ...     ...
    """

    def __init__(self, address: str, *, rate: float | None = None, say: Callable[[str], object] = len) -> None:
        self.address = address
        self.run = ClusterRun(say)
        self.pace = Pace(rate)
        self._client = with_workers(address)
        try:
            self._client.run_on_scheduler(outcomes.program)
        except Exception as error:
            self._client.close()
            raise CandidateMisconfigured(
                f"the Dask scheduler at '{address}' lacks this package ({type(error).__name__}: {shortened(str(error))}): "
                "install it there as well",
                hearing="unheard",
            ) from None

    def __enter__(self) -> Self:
        self._before = elsewhere.set(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        elsewhere.reset(self._before)
        self.close()

    def close(self) -> None:
        """Disconnect from the cluster."""
        self._client.close()

    def deal(self, name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]], /) -> Candidate[Any, Any]:
        """The candidate of this name, which workers ask if it computes; any other is opened here.

        Raises `CandidateMisconfigured` if no worker has it in the version of this machine, or workers have several.
        """
        from vivavoce.candidates.cluster.workplace import version_of

        kind = kind_of(name)
        candidate = None if kind in UNSEEN else here()
        if kind not in COMPUTES and not (kind == "chat" and _is_on_this_machine(name)):
            assert candidate is not None
            if not name.startswith(WITHIN):
                self.run.say(asked_from_here(candidate.name))
            return candidate
        wanted = outcomes.CandidateRequest(name, opener, None if candidate is None else version_of(candidate))
        there = self._describe(wanted)
        return ClusterCandidate(
            self, replace(wanted, version=there.version), there.traits if candidate is None else outcomes.traits_of(candidate)
        )

    def _describe(self, wanted: outcomes.CandidateRequest) -> outcomes.CandidateDescription:
        """The properties that all workers share. Workers with another version are refused."""
        from vivavoce.candidates.cluster.workplace import describe

        values: dict[str, Any] = self._client.run(describe, wanted, on_error="return")
        self.run.sees(self._client.nthreads())
        described: dict[str, outcomes.CandidateDescription] = {}
        for worker, outcome in sorted(values.items()):
            if isinstance(outcome, outcomes.CandidateDescription):
                difference = "" if wanted.version is None else wanted.version.differs(outcome.version)
                if not difference:
                    described[worker] = outcome
                    continue
                outcome = outcomes.RefusalOutcome(worker, difference)
            self.run.refuse(
                worker,
                outcome.reason if isinstance(outcome, outcomes.RefusalOutcome) else f"{type(outcome).__name__}: {outcome}",
            )
        versions: dict[outcomes.Version, str] = {
            description.version: worker for worker, description in reversed(described.items())
        }
        if len(versions) > 1:
            (version, first), (other, second) = list(versions.items())[:2]
            raise CandidateMisconfigured(
                f"workers have several versions: by {first}, at {second} {version.differs(other)}; install one everywhere",
                hearing="unheard",
            )
        if not described:
            from vivavoce.candidates.cluster.dealer import all_refused

            raise CandidateMisconfigured(all_refused(self.run.refused), hearing="unheard")
        return next(iter(described.values()))


class ClusterCandidate:
    """A candidate with the name and traits of a local one; its questions go to cluster workers."""

    def __init__(self, cluster: CandidateCluster, wanted: outcomes.CandidateRequest, traits: dict[str, Any]) -> None:
        assert wanted.version is not None
        self.name = wanted.version.name
        self._each = traits.get("concurrency")
        self.__dict__.update((name, value) for name, value in traits.items() if name != "concurrency")
        self._cluster = cluster
        self._wanted = wanted
        self._same = traits.get("asked_again") == "same"
        self._dealer: Any = None
        self._beginning: asyncio.Lock | None = None

    def __repr__(self) -> str:
        return f"<{self.name} on {self._cluster.address}>"

    @property
    def concurrency(self) -> int:
        """Questions that keep the present workers busy."""
        return self._cluster.run.room(self._each)

    async def answer(self, question: Any, /) -> Any:
        """The answer of a worker's candidate."""
        return await self.answer_within(question, None)

    async def answer_within(self, question: Any, seconds: float | None, /) -> Any:
        """The same within this time. Raises `TimeoutError`, and the candidate's own errors."""
        await self._cluster.pace.turn()
        dealer, run = await self._ready(), self._cluster.run
        bare = replace(question, form=None) if isinstance(question, Prompt) else question
        try:
            outcome = await dealer.put(bare, seconds)
        except Exception:
            run.failed += 1
            raise
        match outcome:
            case outcomes.AnswerOutcome(answer):
                run.answered += 1
                run.usage += getattr(answer, "usage", None) or Usage()
                return answer
            case outcomes.TimeoutOutcome():
                run.late += 1
                raise TimeoutError
            case outcomes.ErrorOutcome():
                run.failed += 1
                raise outcome.error
        raise AssertionError(outcome)

    async def close(self) -> None:
        """Let workers forget the candidate."""
        dealer, self._dealer, self._beginning = self._dealer, None, None
        if dealer is not None:
            await dealer.close()

    async def _ready(self) -> Any:
        """The dealer of this event loop, started with the first question and again after a lost scheduler."""
        from vivavoce.candidates.cluster.dealer import QuestionDealer

        loop = asyncio.get_running_loop()
        if self._beginning is None or (self._dealer is not None and self._dealer.loop is not loop):
            self._beginning, self._dealer = asyncio.Lock(), None
        async with self._beginning:
            if self._dealer is None or not self._dealer.open:
                self._dealer = await QuestionDealer.connected(
                    self._cluster.address, self._wanted, self._cluster.run, same=self._same
                )
        return self._dealer


def _is_on_this_machine(name: str) -> bool:
    """Whether the server of a `chat:` candidate runs on the machine that asks it."""
    host = urlsplit(name.partition("@")[2].partition("?")[0]).hostname or ""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
