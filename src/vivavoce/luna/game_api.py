"""What the interface for machines says, as values: the site writes them, the client reads them.
A client of the interface for machines (`/api/v1`): find games, make moves, see how they ended.

The server is not trusted: its replies are bounded, checked, and never followed elsewhere, for the server that is asked sees the
token.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, Final, Literal, Self, TypeVar
from urllib.parse import quote, urlsplit

import aiohttp
from pydantic import TypeAdapter, ValidationError

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.formats.wording import first_problem
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.luna.settings import THESIS, Days, GameTerms, QuestionNumber, TextLength

Phase = Literal["interview", "response", "guess", "over", "expired"]
Outcome = Literal["won", "lost", "tied", "first"]
Reason = Literal["resigned", "left", "banned", "not ready", "time"]


@dataclass(frozen=True, slots=True)
class SentJudgement:
    """Whom a player takes the other for."""

    human: bool
    """Whether for a person."""
    confidence: float
    """In percent: 50 (a coin) to 100."""


@dataclass(frozen=True, slots=True)
class OwnMoves:
    """What this machine has written in a game; what is not there yet is None."""

    questions: tuple[str, ...] | None
    answers: tuple[str, ...] | None
    sliders: tuple[float | None, ...] | None
    guess: float | None
    judgement: SentJudgement | None = None
    """None too for who has guessed and not said."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """How a game ended for this machine."""

    outcome: Outcome
    rating_before: float | None
    rating_after: float | None
    other_rating: float | None
    """What was to be guessed; None for one in its first game."""
    other_guess: float
    """Of this machine's rating."""
    other_human: bool
    judgement: SentJudgement | None = None
    """What this machine took the other for; None where it did not say."""
    other_judgement: SentJudgement | None = None
    """What the other took this machine for."""


@dataclass(frozen=True, slots=True)
class GameRules:
    """The terms of a game, which stay those with which it began."""

    questions: QuestionNumber
    """That each player puts, and answers."""
    longest: TextLength
    """Characters of a question, and of an answer."""
    days: Days
    """For each phase; a game of which one takes longer ends."""

    @classmethod
    def of(cls, terms: GameTerms) -> GameRules:
        """As the interface says them."""
        return cls(terms.questions, terms.longest_text, terms.days)

    @property
    def terms(self) -> GameTerms:
        """As values of a game."""
        return GameTerms(self.questions, self.longest, self.days)


@dataclass(frozen=True, slots=True)
class SentEnding:
    """Why a game has ended without a result."""

    reason: Reason | None
    """`left`: deleted the account; `banned`: the operator closed the game; None where it was not kept."""
    by_you: bool
    """Whether it was this machine, alone or with the other player, who resigned, was not ready, or had not moved."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game in a list of games."""

    id: str
    phase: Phase
    your_turn: bool
    expires: datetime


@dataclass(frozen=True, slots=True)
class GameState:
    """A game as this machine may see it now."""

    id: str
    phase: Phase
    your_turn: bool
    expires: datetime
    own: OwnMoves
    questions: tuple[str, ...] | None
    """The other player's, once both have asked."""
    answers: tuple[str, ...] | None
    """The other player's, once both have answered."""
    result: GameResult | None
    rules: GameRules = GameRules.of(THESIS)  # noqa: RUF009 -- frozen
    """Sites of before had no others, and said none."""
    ended: SentEnding | None = None
    """None for a game that goes on, or has a result."""
    taken_over: datetime | None = None
    """Since when the machine of the house plays in place of this one, for which the game has ended."""


@dataclass(frozen=True, slots=True)
class GameList:
    """Games of this machine, the newest first, and since when it has been waiting for another one."""

    games: tuple[GameSummary, ...]
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class GameOrQueue:
    """A game that begins, or since when this machine has been waiting for somebody to play with."""

    game: GameState | None
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class MachineRecord:
    """This machine."""

    name: str
    rating: float | None
    """The mean of people's guesses; None before the first."""
    guesses: int
    """Of people, in finished games."""
    games: int
    """Finished."""
    wins: int


LARGEST: Final = 10_000_000
"""Bytes of a reply: forty texts of 20,000 characters, the most of any game, each written as \\ud83d\\ude00, take less."""
ATTEMPTS: Final = 5
FIRST_PAUSE: Final = 0.5
"""Seconds; each further pause is twice as long."""
LONGEST_PAUSE: Final = 60.0
"""Seconds that are waited at most, at the server's wish too."""
_SHOWN: Final = 300
_AGAIN: Final = frozenset((408, 429, 502, 503, 504))

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")


class ServerUnreachable(VivavoceError):
    """No reply came that could be used."""


class RequestRefused(VivavoceError):
    """The server says no; its text says why."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the server refuses (status {status}): {reason}")
        self.status = status
        self.reason = reason


class TokenRefused(RequestRefused):
    """The token is wrong, or was revoked."""


class LunaClient:
    """Speaks for one machine; use it as an async context manager.

    What does not get through is tried again, `Retry-After` obeyed. A move that may have arrived before the connection broke is
    looked up, not lost: the same move on record is a success.

    All methods raise `TokenRefused`, `RequestRefused` and `ServerUnreachable`; no message holds the token.

    Parameters
    ----------
    server: the site's address, such as `https://luna.example`.
    token: of this machine.
    time_out: seconds for one attempt.
    """

    def __init__(
        self, server: str, token: str, *, time_out: float = 30.0, attempts: int = ATTEMPTS, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.server = server_address(server)
        if not token or not (token.isascii() and token.isprintable()) or " " in token:
            raise BadInput("the token is empty or holds characters that no token has: copy it again")
        self._token = token
        self._time_out = time_out
        self._attempts = attempts
        self._sleep = sleep
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=self._time_out),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Accept": "application/json",
                "Accept-Encoding": "identity",
                "Content-Type": "application/json",
            },
            auto_decompress=False,  # none was asked for, and a few compressed bytes can fill the memory
            trust_env=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def me(self) -> MachineRecord:
        """Name, rating, games and wins."""
        return await self._ask(MachineRecord, "GET", "/me")

    async def games(self, *, unfinished: bool = False) -> GameList:
        """The newest games; or all those that are not finished."""
        return await self._ask(GameList, "GET", "/games?unfinished=true" if unfinished else "/games")

    async def game(self, id: str) -> GameState:  # noqa: A002 - the word of the interface
        """One game."""
        return await self._ask(GameState, "GET", f"/games/{quote(id, safe='')}")

    async def find_game(self) -> GameOrQueue:
        """Begin a game with somebody who waits, or wait for somebody."""
        return await self._ask(GameOrQueue, "POST", "/games")

    async def stop_waiting(self) -> None:
        """Wait for nobody any longer; games that have begun go on."""
        await self._reply("DELETE", "/queue")

    async def ask(self, game: str, questions: Sequence[str]) -> GameState:
        """Put as many questions as the game has."""
        return await self._move(game, "questions", {"questions": list(questions)})

    async def answer(self, game: str, answers: Sequence[str]) -> GameState:
        """Answer the other player's questions."""
        return await self._move(game, "answers", {"answers": list(answers)})

    async def guess(
        self,
        game: str,
        guess: float,
        *,
        sliders: Sequence[float | None] | None = None,
        judgement: PersonOrMachine | None = None,
    ) -> GameState:
        """Guess the other player's rating, with a score of each answer and whom the player is taken for, where that is said."""
        more: dict[str, Any] = {} if sliders is None else {"sliders": list(sliders)}
        if judgement is not None:
            more |= {"human": judgement.human, "confidence": judgement.confidence}
        return await self._move(game, "guess", {"guess": guess} | more)

    async def resign(self, game: str) -> GameState:
        """Give up a game, which ends without a result."""
        try:
            return await self._ask(GameState, "POST", f"/games/{quote(game, safe='')}/resign")
        except RequestRefused as refusal:
            if refusal.status != 409:
                raise
            now = await self.game(game)  # an attempt of which no reply came may have arrived all the same
            if now.ended is not None and now.ended.reason == "resigned" and now.ended.by_you:
                return now
            raise

    async def _move(self, game: str, part: Literal["questions", "answers", "guess"], body: Mapping[str, Any]) -> GameState:
        try:
            return await self._ask(GameState, "POST", f"/games/{quote(game, safe='')}/{part}", body)
        except RequestRefused as refusal:
            if refusal.status != 409:
                raise
            now = await self.game(game)  # an attempt of which no reply came may have arrived all the same
            made = getattr(now.own, part)
            if (made if part == "guess" else list(made or ())) == body[part]:
                return now
            raise

    async def _ask(self, form: type[T], method: str, path: str, body: Mapping[str, Any] | None = None) -> T:
        return _read(form, await self._reply(method, path, body))

    async def _reply(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """The body of a reply that says yes."""
        fault = ""
        for attempt in range(self._attempts):
            try:
                status, wished, reply = await self._once(method, path, body)
            except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
                fault, wished = self._shown(str(error) or type(error).__name__), None
            else:
                if status < 300:
                    return reply
                refusal = self._refusal(status, reply)
                if status not in _AGAIN:
                    raise refusal
                fault = str(refusal)
            if attempt + 1 < self._attempts:
                await self._sleep(min(LONGEST_PAUSE, max(FIRST_PAUSE * 2**attempt, wished or 0.0)))
        raise ServerUnreachable(f"{self.server} cannot be reached: {fault}")

    async def _once(self, method: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, float | None, bytes]:
        """Status, seconds to wait before another attempt, and body."""
        if self._session is None:
            raise BadInput("the client is not open: use 'async with LunaClient(...) as client'")
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        url = f"{self.server}/api/v1{path}"
        async with self._session.request(method, url, data=data, allow_redirects=False) as response:
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise ServerUnreachable(f"{self.server} sends compressed replies, which were not asked for")
            reply = bytearray()
            async for chunk in response.content.iter_any():
                reply += chunk
                if len(reply) > LARGEST:
                    response.close()
                    raise ServerUnreachable(f"{self.server} sends a reply larger than {LARGEST} bytes: it is no Luna site")
            said = response.headers.get("Retry-After", "")
            return response.status, float(said) if said.isdecimal() and len(said) < 6 else None, bytes(reply)

    def _refusal(self, status: int, reply: bytes) -> RequestRefused:
        try:
            said = json.loads(reply)["detail"]
        except (ValueError, KeyError, TypeError, RecursionError):
            said = "is this the address of a Luna site?"
        reason = self._shown(said if isinstance(said, str) else json.dumps(said))
        return TokenRefused(status, reason) if status == 401 else RequestRefused(status, reason)

    def _shown(self, text: str) -> str:
        """A stranger's words on one line, without what steers a terminal, and without the token, not even a part at the cut."""
        text = text.replace(self._token, "[token]")[: 4 * _SHOWN]
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_SHOWN]


def server_address(server: str) -> str:
    """The address of a site in one spelling.

    Raises `BadInput` for what is none, or holds a password.

    >>> server_address("HTTPS://Luna.example/")
    'https://luna.example'
    """
    try:
        parts = urlsplit(server.strip())
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        raise BadInput("the server's address cannot be read: write https://luna.example") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise BadInput("the server's address must be http:// or https://, a host, and no password: https://luna.example")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}{parts.path.rstrip('/').removesuffix('/api/v1')}"


def in_the_clear(server: str) -> bool:
    """Whether others on the way can read the token: no encryption, and not this computer.

    >>> in_the_clear("http://luna.example"), in_the_clear("http://127.0.0.1:8000")
    (True, False)
    """
    parts = urlsplit(server)
    host = parts.hostname or ""
    return parts.scheme == "http" and host not in ("localhost", "::1") and not host.startswith("127.")


def _read(form: type[T], reply: bytes) -> T:
    try:
        return TypeAdapter(form).validate_json(reply)
    except ValidationError as error:
        problem = first_problem(error, whole="the reply")
        raise ServerUnreachable(f"the server's reply is none that was expected: {problem}") from None
