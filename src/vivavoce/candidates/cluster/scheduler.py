"""Whether candidates compute here or on the workers of a cluster, and the connection to its Dask scheduler."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, Literal, Protocol

from vivavoce.errors import BadInput, CandidateUnreachable, MissingExtra
from vivavoce.interview.candidate import Candidate

CONNECT_SECONDS: Final = 10
"""Seconds for a scheduler to answer, and for a first worker, which may have been started with us."""


def dask_client(address: str, **settings: Any) -> Any:
    """Dask's client for the scheduler at that address; one that is `asynchronous` is yet to be awaited.

    Raises `MissingExtra` without Dask, `CandidateUnreachable` if no scheduler answers, and `BadInput` for an invalid address.
    """
    try:
        from distributed import Client
        from distributed.comm import get_address_host
    except ModuleNotFoundError as error:
        raise MissingExtra((error.name or "distributed").partition(".")[0], extra="cluster") from None
    connect: Any = Client  # it has no types
    try:
        get_address_host(address)  # a client that fails on it stays half open, and blocks others once it is collected
        return connect(address, timeout=CONNECT_SECONDS, set_as_default=False, **settings)
    except (OSError, TimeoutError) as error:
        raise nobody_at(address, error) from None
    except ValueError as error:
        raise BadInput(f"'{address}' is not an address of a Dask scheduler ({error}): write tcp://HOST:8786") from None


def with_workers(address: str) -> Any:
    """The same, once it has a worker. Raises `CandidateUnreachable` if none comes."""
    client = dask_client(address)
    try:
        client.wait_for_workers(1, timeout=CONNECT_SECONDS)
    except TimeoutError:
        client.close()
        raise CandidateUnreachable(
            f"the Dask scheduler at '{address}' has no workers: start some with 'dask worker {address}'", hearing="unheard"
        ) from None
    return client


def nobody_at(address: str, error: BaseException) -> CandidateUnreachable:
    return CandidateUnreachable(f"no Dask scheduler answers at '{address}' ({type(error).__name__})", hearing="unheard")


Opener = Literal["candidate", "classifier"]
"""The function that opens a candidate by name: `names.open_candidate` or `classifiers.open_classifier`."""


class Elsewhere(Protocol):
    """Opens candidates that compute on other machines."""

    def deal(self, name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]], /) -> Candidate[Any, Any]:
        """The candidate of that name; `here` opens it in this process."""
        ...


elsewhere: Final[ContextVar[Elsewhere | None]] = ContextVar("elsewhere", default=None)
"""Opens candidates on other machines; None: candidates compute in this process."""


def opened(name: str, opener: Opener, here: Callable[[], Candidate[Any, Any]]) -> Candidate[Any, Any]:
    """The candidate of that name, opened here or elsewhere."""
    others = elsewhere.get()
    return here() if others is None else others.deal(name.strip(), opener, here)
