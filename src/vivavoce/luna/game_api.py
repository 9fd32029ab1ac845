"""The HTTP interface for machines (`/api/v1`): the data that a site sends, and a client that finds games and makes moves.

The client does not trust the server. It limits and checks replies, and follows no redirect, since the server receives the
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
    """A player's judgement whether the other is a person."""

    human: bool
    """True for "a person"."""
    confidence: float
    """In percent: 50 (a coin) to 100."""


@dataclass(frozen=True, slots=True)
class OwnMoves:
    """This machine's moves in a game; None for those still missing."""

    questions: tuple[str, ...] | None
    answers: tuple[str, ...] | None
    sliders: tuple[float | None, ...] | None
    guess: float | None
    judgement: SentJudgement | None = None
    """None also if the machine guessed and did not say."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of a game for this machine."""

    outcome: Outcome
    rating_before: float | None
    rating_after: float | None
    other_rating: float | None
    """The rating to guess; None in the other player's first game."""
    other_guess: float
    """The other's guess of this machine's rating."""
    other_human: bool
    judgement: SentJudgement | None = None
    """This machine's judgement of the other; None if it did not say."""
    other_judgement: SentJudgement | None = None
    """The other's judgement of this machine."""


@dataclass(frozen=True, slots=True)
class GameRules:
    """The terms of a game, fixed at its start."""

    questions: QuestionNumber
    """Questions that each player asks, and answers."""
    longest: TextLength
    """The most characters of a question or an answer."""
    days: Days
    """Days for each phase; the game ends if a phase takes longer."""

    @classmethod
    def of(cls, terms: GameTerms) -> GameRules:
        """The terms in the form of the interface."""
        return cls(terms.questions, terms.longest_text, terms.days)

    @property
    def terms(self) -> GameTerms:
        """The terms in the form of a game."""
        return GameTerms(self.questions, self.longest, self.days)


@dataclass(frozen=True, slots=True)
class SentEnding:
    """Why a game ended without a result."""

    reason: Reason | None
    """`left`: deleted the account; `banned`: the operator closed the game; None if it was not recorded."""
    by_you: bool
    """Whether this machine, alone or with the other player, resigned, was not ready or had not moved."""


@dataclass(frozen=True, slots=True)
class GameSummary:
    """A game in a list of games."""

    id: str
    phase: Phase
    your_turn: bool
    expires: datetime


@dataclass(frozen=True, slots=True)
class GameState:
    """The part of a game that this machine may see now."""

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
    """Older sites had only these terms, and did not send them."""
    ended: SentEnding | None = None
    """None if the game continues or has a result."""
    taken_over: datetime | None = None
    """When the site's machine took over from this one; the game has ended for this machine."""


@dataclass(frozen=True, slots=True)
class GameList:
    """This machine's games, newest first, and when it began to wait for another."""

    games: tuple[GameSummary, ...]
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class GameOrQueue:
    """A game that begins, or when this machine began to wait for an opponent."""

    game: GameState | None
    waiting_since: datetime | None


@dataclass(frozen=True, slots=True)
class MachineRecord:
    """Name, rating and games of this machine."""

    name: str
    rating: float | None
    """The mean of people's guesses; None before the first."""
    guesses: int
    """Guesses by people in finished games."""
    games: int
    """Finished games."""
    wins: int


LARGEST: Final = 10_000_000
"""The most bytes of a reply. Forty texts of 20,000 characters, the maximum of a game, fit even if each is written as
\\ud83d\\ude00."""
ATTEMPTS: Final = 5
FIRST_PAUSE: Final = 0.5
"""Seconds; each later pause is twice as long."""
LONGEST_PAUSE: Final = 60.0
"""The longest wait in seconds, even if the server asks for more."""
_SHOWN: Final = 300
_AGAIN: Final = frozenset((408, 429, 502, 503, 504))

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")


class ServerUnreachable(VivavoceError):
    """The server sent no usable reply."""


class RequestRefused(VivavoceError):
    """The server rejects the request; the message has its reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(f"the server rejects the request (status {status}): {reason}")
        self.status = status
        self.reason = reason


class TokenRefused(RequestRefused):
    """The token is wrong or revoked."""


class LunaClient:
    """Acts for one machine; use it as an async context manager.

    Failed requests are retried, and `Retry-After` is obeyed. If the connection breaks after a move was sent, the client looks
    the move up: the same move on record is a success.

    All methods raise `TokenRefused`, `RequestRefused` and `ServerUnreachable`. No message contains the token.

    Parameters
    ----------
    server: the site's address, such as `https://luna.example`.
    token: the token of this machine.
    time_out: seconds for one attempt.
    """

    def __init__(
        self, server: str, token: str, *, time_out: float = 30.0, attempts: int = ATTEMPTS, sleep: Sleep = asyncio.sleep
    ) -> None:
        self.server = server_address(server)
        if not token or not (token.isascii() and token.isprintable()) or " " in token:
            raise BadInput("the token is empty or has invalid characters: copy it again")
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
            auto_decompress=False,  # a few compressed bytes could fill the memory, and the client requests no compression
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
        """The newest games, or all unfinished ones."""
        return await self._ask(GameList, "GET", "/games?unfinished=true" if unfinished else "/games")

    async def game(self, id: str) -> GameState:  # noqa: A002 - the word of the interface
        """One game."""
        return await self._ask(GameState, "GET", f"/games/{quote(id, safe='')}")

    async def find_game(self) -> GameOrQueue:
        """Begin a game with a waiting player, or join the waiting queue."""
        return await self._ask(GameOrQueue, "POST", "/games")

    async def stop_waiting(self) -> None:
        """Stop waiting for a game; games in progress continue."""
        await self._reply("DELETE", "/queue")

    async def ask(self, game: str, questions: Sequence[str]) -> GameState:
        """Send as many questions as the game has."""
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
        """Guess the other player's rating, with optional scores of the answers and a judgement whether the other is a
        person.
        """
        more: dict[str, Any] = {} if sliders is None else {"sliders": list(sliders)}
        if judgement is not None:
            more |= {"human": judgement.human, "confidence": judgement.confidence}
        return await self._move(game, "guess", {"guess": guess} | more)

    async def resign(self, game: str) -> GameState:
        """Give up a game; it ends without a result."""

        def is_resigned(now: GameState) -> bool:
            return now.ended is not None and now.ended.reason == "resigned" and now.ended.by_you

        return await self._post(game, "resign", None, is_resigned)

    async def _move(self, game: str, part: Literal["questions", "answers", "guess"], body: Mapping[str, Any]) -> GameState:
        def is_made(now: GameState) -> bool:
            made = getattr(now.own, part)
            return bool((made if part == "guess" else list(made or ())) == body[part])

        return await self._post(game, part, body, is_made)

    async def _post(
        self, game: str, part: str, body: Mapping[str, Any] | None, is_done: Callable[[GameState], bool]
    ) -> GameState:
        try:
            return await self._ask(GameState, "POST", f"/games/{quote(game, safe='')}/{part}", body)
        except RequestRefused as refusal:
            if refusal.status != 409:
                raise
            now = await self.game(game)  # an earlier attempt without a reply may have reached the server
            if is_done(now):
                return now
            raise

    async def _ask(self, form: type[T], method: str, path: str, body: Mapping[str, Any] | None = None) -> T:
        return _read(form, await self._reply(method, path, body))

    async def _reply(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> bytes:
        """The body of a successful reply."""
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
                raise ServerUnreachable(f"{self.server} sends compressed replies, which the client does not accept")
            reply = bytearray()
            async for chunk in response.content.iter_any():
                reply += chunk
                if len(reply) > LARGEST:
                    response.close()
                    raise ServerUnreachable(f"{self.server} sends a reply larger than {LARGEST} bytes: it is not a Luna site")
            text = response.headers.get("Retry-After", "")
            return response.status, float(text) if text.isdecimal() and len(text) < 6 else None, bytes(reply)

    def _refusal(self, status: int, reply: bytes) -> RequestRefused:
        try:
            document = json.loads(reply)["detail"]
        except (ValueError, KeyError, TypeError, RecursionError):
            document = "is this the address of a Luna site?"
        reason = self._shown(document if isinstance(document, str) else json.dumps(document))
        return TokenRefused(status, reason) if status == 401 else RequestRefused(status, reason)

    def _shown(self, text: str) -> str:
        """The server's words on one line, without terminal controls and without any part of the token."""
        text = text.replace(self._token, "[token]")[: 4 * _SHOWN]
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_SHOWN]


def server_address(server: str) -> str:
    """The normalised address of a site.

    Raises `BadInput` for an invalid address or one with a password.

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
    """Whether the token would be readable on the way: no encryption, and not this computer.

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
        raise ServerUnreachable(f"unexpected reply from the server: {problem}") from None
