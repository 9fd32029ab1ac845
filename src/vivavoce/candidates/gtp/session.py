"""A conversation in GTP 2 (`gtp2`): commands with numbers, replies that end with an empty line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count

from vivavoce.candidates.boards.held import HeldProcess, check_identity
from vivavoce.candidates.text import shortened
from vivavoce.candidates.uci.process import EngineProcess
from vivavoce.errors import TransportFault

_REPLY = re.compile(rb"([=?])([0-9]{0,9})[ \t]*(.*)", re.DOTALL)
MOST_NOISE = 100
"""Lines that belong to no reply, and are passed over."""


class Refused(TransportFault):
    """The engine does not do that, and says so: the conversation goes on."""

    def __init__(self, command: str, reason: str) -> None:
        super().__init__(f"the engine refuses '{shortened(command, 40)}': {shortened(reason, 80)}", worth_retrying=False)


class Session:
    """Tells commands and reads replies; what it raises is `TransportFault`.

    seconds: to wait for a reply.
    identity: what the engine must call itself, whenever it is started; empty: whatever it does.
    """

    def __init__(self, command: Sequence[str], *, seconds: float, identity: str = "") -> None:
        self._numbers = count(1)
        self._program = command[0]
        self._identity = identity
        self.held = HeldProcess(lambda: EngineProcess(command), seconds=seconds, greet=self._greet)

    def identity(self) -> str:
        """What the engine calls itself, with its version."""
        return shortened(f"{self.say('name')} {self.say('version')}", 80)

    def say(self, command: str) -> str:
        """Tell a command; what the engine replies, without its sign. To be called within `held.asking()`.

        Raises `Refused` where it replies with an error.
        """
        number = next(self._numbers)
        told = f"{number} {command}\n".encode()
        for _ in range(MOST_NOISE):
            found = _REPLY.fullmatch(self.held.hear(told, b"\n").strip())
            told = b""
            if found and found[2] == str(number).encode():
                said = found[3].decode("utf-8", "replace").strip()
                if found[1] == b"?":
                    raise Refused(command, said)
                return said
        raise TransportFault("the engine does not speak GTP", worth_retrying=False)

    def _greet(self) -> None:
        if self._identity:
            check_identity(self._program, self.identity(), self._identity)
