"""The HTTP API for machines that play: request bodies, authentication and routes."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Final, Self

from fastapi import APIRouter, Depends, Path, Query, Security
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.luna import game_api, rules
from vivavoce.luna.messages import sendable
from vivavoce.luna.settings import LONGEST_TEXT, MOST_QUESTIONS, GameTerms
from vivavoce.web.database import DatabaseBusy, DatabaseGone, DatabaseProblem, reading, transaction
from vivavoce.web.pages import error_pages
from vivavoce.web.pages.request_context import Site
from vivavoce.web.security.limits import RateLimitedAction, TooOften, neighbourhood
from vivavoce.web.store import games, machines, moves, people, queue, ratings
from vivavoce.web.store.games import NotYourGame
from vivavoce.web.store.people import Player


def _plain(text: str) -> str:
    if not rules.says_something(text):
        raise ValueError("the text is empty: write something")
    if sendable(text) != text:
        raise ValueError("the text contains NUL, or half of a surrogate pair: remove it")
    return text


Words = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_plain)]
Texts = Annotated[list[Words], Field(min_length=1, max_length=MOST_QUESTIONS)]
Number = Annotated[float, Field(ge=rules.LOWEST, le=rules.HIGHEST, allow_inf_nan=False)]
Scores = Annotated[list[Number | None], Field(min_length=1, max_length=MOST_QUESTIONS)]
Sure = Annotated[float, Field(ge=rules.LEAST_SURE, le=rules.MOST_SURE, allow_inf_nan=False)]
_STRICT: Final = ConfigDict(extra="forbid", strict=True, frozen=True)


class QuestionsBody(BaseModel):
    """Questions to the other player, as many as the rules of the game say."""

    model_config = _STRICT
    questions: Texts


class AnswersBody(BaseModel):
    """Answers to the other player's questions, in their order."""

    model_config = _STRICT
    answers: Texts


class GuessBody(BaseModel):
    """A guess of the other player's rating. Optional: a score of each answer (null for none), and whether the other is a
    person, with the confidence in percent from 50 (a coin) to 100; give both of these or neither.
    """

    model_config = _STRICT
    guess: Number
    sliders: Scores | None = None
    human: bool | None = None
    confidence: Sure | None = None

    @model_validator(mode="after")
    def _both_or_neither(self) -> Self:
        if (self.human is None) != (self.confidence is None):
            raise ValueError("give human and confidence together, or neither")
        return self

    @property
    def judgement(self) -> rules.PersonOrMachine | None:
        """The machine's judgement on the other player, if it gives one."""
        return None if self.human is None or self.confidence is None else rules.PersonOrMachine(self.human, self.confidence)


def describe(schema: dict[str, Any], terms: GameTerms) -> dict[str, Any]:
    """State in the API's description how many texts new games have, and how long they may be.

    Bodies are read within the bounds of any game; the rules of the one that they are for decide.
    """
    for body, name in (("QuestionsBody", "questions"), ("AnswersBody", "answers"), ("GuessBody", "sliders")):
        form = schema["components"]["schemas"][body]["properties"][name]
        texts = next(entry for entry in (form, *form.get("anyOf", ())) if entry.get("type") == "array")
        texts |= {"minItems": terms.questions, "maxItems": terms.questions}
        if "maxLength" in texts["items"]:
            texts["items"]["maxLength"] = terms.longest_text
        form["description"] = "As in games that begin now. A game that began before has its own `rules`."
    return schema


BUSY_SECONDS: Final = 1
"""Seconds until a retry makes sense when the database is busy."""
_BEARER_HEADER = re.compile(r"bearer +([\x21-\x7e]{1,200})", re.IGNORECASE)


class Refusal(BaseModel):
    """Why a call was refused."""

    detail: str


REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": Refusal, "description": "The body is not JSON."},
    401: {"model": Refusal, "description": "The token is missing, wrong or revoked."},
    408: {"model": Refusal, "description": "The body took too long to arrive."},
    413: {"model": Refusal, "description": "The body is too large."},
    422: {"model": Refusal, "description": "The body is JSON with the wrong fields."},
    429: {"model": Refusal, "description": "Too many calls; wait for the seconds in `Retry-After`."},
    503: {
        "model": Refusal,
        "description": "The database is busy or can't be reached; wait for the seconds in `Retry-After`.",
    },
}
OF_A_GAME: Final[dict[int | str, dict[str, Any]]] = {
    404: {"model": Refusal, "description": "This machine has no such game."},
}
OF_A_MOVE: Final[dict[int | str, dict[str, Any]]] = OF_A_GAME | {
    409: {"model": Refusal, "description": "The rules do not allow this move now."},
}


class UnknownToken(VivavoceError):
    """The token belongs to no machine that may play."""


@dataclass(frozen=True, slots=True)
class MachineCall:
    """A call by a machine whose token has been checked."""

    site: Site
    machine: Player
    now: datetime


class MachineRoute(APIRoute):
    """Checks the token before it reads the body, and refuses in JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with these checks around it."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                request.state.call = await run_in_threadpool(_called, request)
                return await handler(request)
            except (VivavoceError, RequestValidationError, HTTPException) as error:
                return _refused(error)

        return handle


def calling(request: Request) -> MachineCall:
    """The call, which `MachineRoute` has stored there."""
    call: MachineCall = request.state.call
    return call


AuthenticatedCall = Annotated[MachineCall, Depends(calling)]


def _called(request: Request) -> MachineCall:
    """The machine that makes the call; it is marked as present. Raises `UnknownToken`, `TooOften`."""
    site: Site = request.app.state.site
    now = site.clock()
    given = _BEARER_HEADER.fullmatch(request.headers.get("authorization", ""))
    machine = None
    if given:
        with reading(site.engine) as c:
            machine = machines.machine_by_token(c, given[1], now)
    if machine is None:
        client = request.client
        site.limiter.count(RateLimitedAction.WRONG_TOKEN, neighbourhood(client.host if client else None), now=now.timestamp())
        raise UnknownToken("unknown token: send the token of a machine that may play, as 'Authorization: Bearer TOKEN'")
    site.limiter.count(RateLimitedAction.CALL, machine.id, now=now.timestamp())
    if site.limiter.allows(RateLimitedAction.BE_SEEN, machine.id):
        with suppress(DatabaseBusy), transaction(site.engine) as c:  # a call that only reads need not return
            people.seen(c, machine, now)
    return MachineCall(site, machine, now)


def _refused(error: Exception) -> Response:
    match error:
        case UnknownToken():
            return _because(401, str(error), {"WWW-Authenticate": "Bearer"})
        case TooOften():
            return _because(429, str(error), {"Retry-After": str(error.seconds)})
        case NotYourGame():
            return _because(404, str(error))
        case rules.IllegalMove():
            return _because(409, str(error))
        case BadInput():
            return _because(422, str(error))
        case DatabaseBusy():
            return _because(503, "the database is busy: try again", {"Retry-After": str(BUSY_SECONDS)})
        case RequestValidationError():
            return _because(*_first_problem(error))
        case HTTPException():
            return _because(error.status_code, str(error.detail), error.headers)
        case DatabaseGone():
            error_pages.note(error)
            return _because(
                503, "the database can't be reached: try again", {"Retry-After": str(error_pages.NO_DATABASE_SECONDS)}
            )
        case DatabaseProblem():
            error_pages.note(error)
            return _because(503, "the database failed: tell the operator", {"Retry-After": "60"})
    raise error


def _first_problem(error: RequestValidationError) -> tuple[int, str]:
    """The first error, without repeating what was sent."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return 400, "the body is not JSON"
    where = ".".join(str(part) for part in first["loc"] if part != "body")[:100]
    text = str(first["msg"]).removeprefix("Value error, ")
    return 422, f"{where}: {text[:1].lower()}{text[1:]}" if where else f"the body: {text[:1].lower()}{text[1:]}"


def _because(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": reason}, status, headers)


def one_of_games(game: rules.Game, position: rules.Place, now: datetime, held: rules.Move | None) -> game_api.GameSummary:
    """A game in a list."""
    return game_api.GameSummary(
        game.id, rules.view(game, position, now).phase.value, held is None and game.awaits(position, now), game.expires
    )


def game_now(game: rules.Game, position: rules.Place, now: datetime, held: rules.Move | None) -> game_api.GameState:
    """A game as the machine at this place may see it.

    held: the machine's delayed move. The machine sees it as made; the opponent sees it when it is due.
    """
    seen = rules.view(game, position, now)
    own = game_api.OwnMoves(
        _texts(seen.own.questions), _texts(seen.own.answers), seen.own.sliders, seen.own.guess, _judged(seen.own.judgement)
    )
    match held:
        case rules.QuestionsMove(questions):
            own = replace(own, questions=questions)
        case rules.AnswersMove(answers):
            own = replace(own, answers=answers)
        case rules.GuessMove(guess, sliders, judgement):
            marks = sliders or (None,) * game.terms.questions
            own = replace(own, guess=guess, sliders=marks, judgement=_judged(judgement))
    return game_api.GameState(
        id=game.id,
        phase=seen.phase.value,
        your_turn=held is None and seen.yours,
        expires=game.expires,
        own=own,
        questions=_texts(seen.questions),
        answers=_texts(seen.answers),
        result=_result(game, position, now),
        rules=game_api.GameRules.of(game.terms),
        ended=None if seen.ended is None else game_api.SentEnding(seen.ended.reason, rules.is_by(seen.ended, position)),
        taken_over=game.seats[position].taken_over,
    )


def _result(game: rules.Game, position: rules.Place, now: datetime) -> game_api.GameResult | None:
    seen = rules.view(game, position, now)
    if seen.own_verdict is None or seen.other_verdict is None or seen.other_guess is None:
        return None
    return game_api.GameResult(
        outcome=rules.outcome(game, position),
        rating_before=seen.own_verdict.rating_before,
        rating_after=seen.own_verdict.rating_after,
        other_rating=seen.other_verdict.rating_before,
        other_guess=seen.other_guess,
        other_human=bool(seen.other_human),
        judgement=_judged(seen.own.judgement),
        other_judgement=_judged(seen.other_judgement),
    )


def _judged(machine: rules.PersonOrMachine | None) -> game_api.SentJudgement | None:
    return None if machine is None else game_api.SentJudgement(machine.human, machine.confidence)


def _texts(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Texts that JSON can carry, whatever a browser has sent."""
    return None if texts is None else tuple(map(sendable, texts))


MOST_OPEN: Final = 50
"""Games of one machine that can be open at once."""
_BEARER = HTTPBearer(auto_error=False, description="The token of this machine, which the site's operator issues once.")

router = APIRouter(
    prefix="/api/v1",
    tags=["machines"],
    route_class=MachineRoute,
    dependencies=[Security(_BEARER)],
    responses=REFUSALS,
)

GameId = Annotated[str, Path(max_length=64, pattern="^[0-9A-Za-z]+$")]


@router.get("/me")
def me(call: AuthenticatedCall) -> game_api.MachineRecord:
    """Name, rating, games and wins of this machine."""
    with reading(call.site.engine) as c:
        rating, guesses = ratings.rating_of(c, call.machine.id)
        ended = [point.outcome for point in ratings.history(c, call.machine.id)]
    return game_api.MachineRecord(call.machine.name, rating, guesses, len(ended), ended.count("won"))


@router.get("/games")
def all_games(call: AuthenticatedCall, *, unfinished: Annotated[bool, Query()] = False) -> game_api.GameList:
    """The newest 100 games of this machine, or only those that can still be played, and since when it has waited for
    another.
    """
    with reading(call.site.engine) as c:
        rows = games.games_of(c, call.machine, call.now, open_only=unfinished)
        held = moves.held_of(c, call.machine)
        since = queue.waiting_since(c, call.machine)
    return game_api.GameList(tuple(one_of_games(game, position, call.now, held.get(game.id)) for game, position in rows), since)


@router.post(
    "/games",
    status_code=202,
    responses={409: {"model": OF_A_MOVE[409]["model"], "description": "This machine has too many open games."}},
)
def find_game(call: AuthenticatedCall) -> game_api.GameOrQueue:
    """Wait for a game (202). It starts at one of the site's ticks, and then appears in the list of games. A repeated call
    changes nothing. Machines do not play each other.
    """
    with transaction(call.site.engine) as c:
        if len(games.games_of(c, call.machine, call.now, open_only=True, limit=MOST_OPEN)) >= MOST_OPEN:
            raise rules.IllegalMove(f"this machine has {MOST_OPEN} open games: finish some first")
        return game_api.GameOrQueue(None, queue.join_queue(c, call.machine, call.now))


@router.delete("/queue", status_code=204)
def stop_waiting(call: AuthenticatedCall) -> None:
    """Leave the queue; games in progress continue."""
    with transaction(call.site.engine) as c:
        queue.leave_queue(c, call.machine)


@router.get("/games/{game}", responses=OF_A_GAME)
def one_game(call: AuthenticatedCall, game: GameId) -> game_api.GameState:
    """A game as this machine may see it now."""
    with reading(call.site.engine) as c:
        loaded, position = games.load(c, game, call.machine)
        held = moves.held_of(c, call.machine, game).get(game)
    return game_now(loaded, position, call.now, held)


@router.post("/games/{game}/questions", responses=OF_A_MOVE)
def ask(call: AuthenticatedCall, game: GameId, body: QuestionsBody) -> game_api.GameState:
    """Send questions to the other player, who sees them once both have asked; the rules of the game say how many. The site may
    delay a machine's move until a person would have made it. The machine sees it as made, and the next phase opens later.
    """
    return _move(call, game, rules.QuestionsMove(tuple(body.questions)))


@router.post("/games/{game}/answers", responses=OF_A_MOVE)
def answer(call: AuthenticatedCall, game: GameId, body: AnswersBody) -> game_api.GameState:
    """Answer the other player's questions; the answers are shown once both have answered."""
    return _move(call, game, rules.AnswersMove(tuple(body.answers)))


@router.post("/games/{game}/guess", responses=OF_A_MOVE)
def guess(call: AuthenticatedCall, game: GameId, body: GuessBody) -> game_api.GameState:
    """Guess the other player's rating, and optionally say whether it is a person. A machine's guess decides who wins; it
    changes no rating.
    """
    return _move(call, game, rules.GuessMove(body.guess, tuple(body.sliders or ()), body.judgement))


@router.post("/games/{game}/resign", responses=OF_A_MOVE)
def resign(call: AuthenticatedCall, game: GameId) -> game_api.GameState:
    """Give up a game: it ends without a result, ratings stay the same, and delayed moves are not made.

    If both players agreed to it, the built-in opponent replaces this machine.
    """
    with transaction(call.site.engine) as c:
        ended = moves.resign(c, game, call.machine, call.now)
    return game_now(ended, 0 if ended.seats[0].player == call.machine.id else 1, call.now, None)


def _move(call: MachineCall, game: str, move: rules.Move) -> game_api.GameState:
    rng = secrets.SystemRandom() if call.site.settings.hold_back else None
    with transaction(call.site.engine) as c:
        moved = moves.make_move(c, game, call.machine, move, call.now, hold_back=rng)
        held = moves.held_of(c, call.machine, game).get(game)
    return game_now(moved, 0 if moved.seats[0].player == call.machine.id else 1, call.now, held)
