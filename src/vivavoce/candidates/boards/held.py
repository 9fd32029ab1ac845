"""An engine process that is started when it is needed, waited for with a deadline, and replaced after a fault."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from vivavoce.candidates.uci.process import EngineProcess
from vivavoce.errors import BadInput, CandidateMisconfigured, TransportFault


def check_identity(program: str, says: str, wanted: str) -> None:
    """Refuse an engine that is another than it should be, as on a machine with another version of it.

    >>> check_identity("fairy-stockfish", "Fairy-Stockfish 14", "Fairy-Stockfish 11.1")
    Traceback (most recent call last):
    vivavoce.errors.CandidateMisconfigured: 'fairy-stockfish' is 'Fairy-Stockfish 14' here, not 'Fairy-Stockfish 11.1'
    """
    if says != wanted:
        raise CandidateMisconfigured(f"'{program}' is '{says}' here, not '{wanted}'")


class HeldProcess:
    """Holds one process; blocking.

    start: starts it, lets it say what it is, and sets it up.
    seconds: to wait for an answer.
    """

    def __init__(self, start: Callable[[], EngineProcess], *, seconds: float) -> None:
        self._start = start
        self._seconds = seconds
        self._process: EngineProcess | None = None
        self._deadline = 0.0
        self._ended = False

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Within, the process is there and has its time; what goes wrong costs it, since it would say too late what was asked.

        Raises `TransportFault`, worth retrying if the process has died.
        """
        try:
            if self._process is None:
                self._process = self._start()
            if self._ended:
                raise TransportFault("the engines have been closed", worth_retrying=False)
            self.renew()
            yield
        except BadInput:
            raise
        except BaseException as error:
            self._drop()
            if isinstance(error, TransportFault) and error.reason == "time-out":
                raise TransportFault(f"time-out after {self._seconds:g} s", worth_retrying=False) from None
            raise

    def renew(self) -> None:
        """Begin anew to wait, as for the next move of a game."""
        self._deadline = time.monotonic() + self._seconds

    def hear(self, told: bytes, word: bytes) -> bytes:
        """Tell it lines; all that it says up to and with the line that begins with that word."""
        if self._process is None:
            raise TransportFault("the engine died")
        self._process.tell(told)
        return self._process.read_until(word, deadline=self._deadline)

    def interrupt(self) -> None:
        """Kill the process, from any thread, for good; who waits for it is told that it has died."""
        self._ended = True
        process = self._process
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def _drop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process = None
