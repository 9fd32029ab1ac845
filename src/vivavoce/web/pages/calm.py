"""Pages that stand apart from the game's: what goes wrong on them is said by calm pages of their own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.web.database import DatabaseBusy
from vivavoce.web.pages.errors import retry_after
from vivavoce.web.pages.visit import ForeignForm
from vivavoce.web.security.limits import TooOften

_STATUS: Final = ((TooOften, 429), (DatabaseBusy, 503), (ForeignForm, 403), (RequestValidationError, 404), (BadInput, 400))


def status_of(error: Exception) -> int | None:
    """With which status an error of any page is answered; None for one that these pages have no words for."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), None)


class CalmRoute(APIRoute):
    """Answers what goes wrong with a page of its own kind, not with one of the game."""

    @abstractmethod
    def problem(self, request: Request, error: Exception) -> Response | None:
        """The page that says what is wrong; None leaves it to the site."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, and what it says when something is wrong."""
        handle = super().get_route_handler()

        async def careful(request: Request) -> Response:
            try:
                return await handle(request)
            except (VivavoceError, RequestValidationError) as error:
                response = self.problem(request, error)
                if response is None:
                    raise
                response.headers.update(retry_after(error))
                return response

        return careful
