"""One call of a machine: whose it is, and how it is refused, in JSON with one sentence under `detail`."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.luna.rules import IllegalMove
from vivavoce.web.database import DatabaseBusy, DatabaseGone, DatabaseProblem, reading, transaction
from vivavoce.web.pages import errors
from vivavoce.web.pages.visit import Site
from vivavoce.web.security.limits import Deed, TooOften, neighbourhood
from vivavoce.web.store import machines, people
from vivavoce.web.store.games import NotYourGame
from vivavoce.web.store.people import Player

BUSY_SECONDS: Final = 1
"""After which it is worth asking again when others hold the database."""
_BEARER = re.compile(r"bearer +([\x21-\x7e]{1,200})", re.IGNORECASE)


class Refusal(BaseModel):
    """Why a call was refused."""

    detail: str


REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    400: {"model": Refusal, "description": "The body is no JSON."},
    401: {"model": Refusal, "description": "The token is absent, wrong or revoked."},
    408: {"model": Refusal, "description": "The body took too long to come."},
    413: {"model": Refusal, "description": "The body is too large."},
    422: {"model": Refusal, "description": "The body is JSON, but not what is asked for."},
    429: {"model": Refusal, "description": "Too many calls; `Retry-After` says for how many seconds to wait."},
    503: {
        "model": Refusal,
        "description": "The database is busy or cannot be reached; `Retry-After` says for how many seconds to wait.",
    },
}
OF_A_GAME: Final[dict[int | str, dict[str, Any]]] = {
    404: {"model": Refusal, "description": "There is no such game of this machine."},
}
OF_A_MOVE: Final[dict[int | str, dict[str, Any]]] = OF_A_GAME | {
    409: {"model": Refusal, "description": "The rules do not allow this move now."},
}


class Unknown(VivavoceError):
    """No machine that may play has this token."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call by a machine whose token has been checked."""

    site: Site
    machine: Player
    now: datetime


class MachineRoute(APIRoute):
    """Checks the token before anything of the body is looked at, and refuses in JSON."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, within these checks."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                request.state.call = await run_in_threadpool(_called, request)
                return await handler(request)
            except (VivavoceError, RequestValidationError, HTTPException) as error:
                return _refused(error)

        return handle


def calling(request: Request) -> Call:
    """The call, which `MachineRoute` has put there."""
    call: Call = request.state.call
    return call


ByMachine = Annotated[Call, Depends(calling)]


def _called(request: Request) -> Call:
    """Whose call it is; the machine is marked as present. Raises `Unknown`, `TooOften`."""
    site: Site = request.app.state.site
    now = site.clock()
    given = _BEARER.fullmatch(request.headers.get("authorization", ""))
    machine = None
    if given:
        with reading(site.engine) as c:
            machine = machines.machine_by_token(c, given[1], now)
    if machine is None:
        client = request.client
        site.limiter.count(Deed.WRONG_TOKEN, neighbourhood(client.host if client else None), now=now.timestamp())
        raise Unknown("send the token of a machine that may play, as 'Authorization: Bearer TOKEN'")
    site.limiter.count(Deed.CALL, machine.id, now=now.timestamp())
    if site.limiter.allows(Deed.BE_SEEN, machine.id):
        with suppress(DatabaseBusy), transaction(site.engine) as c:  # who only reads need not be told to come back
            people.seen(c, machine, now)
    return Call(site, machine, now)


def _refused(error: Exception) -> Response:
    match error:
        case Unknown():
            return _because(401, str(error), {"WWW-Authenticate": "Bearer"})
        case TooOften():
            return _because(429, str(error), {"Retry-After": str(error.seconds)})
        case NotYourGame():
            return _because(404, str(error))
        case IllegalMove():
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
            errors.note(error)
            return _because(503, "the database cannot be reached: try again", {"Retry-After": str(errors.NO_DATABASE_SECONDS)})
        case DatabaseProblem():
            errors.note(error)
            return _because(503, "the database could not do it: tell the operator", {"Retry-After": "60"})
    raise error


def _first_problem(error: RequestValidationError) -> tuple[int, str]:
    """The first thing that is wrong, without repeating what was sent."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return 400, "the body is no JSON"
    where = ".".join(str(part) for part in first["loc"] if part != "body")[:100]
    said = str(first["msg"]).removeprefix("Value error, ")
    return 422, f"{where}: {said[:1].lower()}{said[1:]}" if where else f"the body: {said[:1].lower()}{said[1:]}"


def _because(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"detail": reason}, status, headers)
