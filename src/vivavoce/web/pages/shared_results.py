"""Shared results: created by a form, shown with a picture to anyone with the address, withdrawn by a form."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from typing import Final

from fastapi import APIRouter, HTTPException
from PIL import Image, ImageDraw, ImageFont
from starlette.responses import Response

from vivavoce.web.pages.rendering import rating
from vivavoce.web.pages.request_context import AnyVisit, KnownVisit, PlayersVisit, SubmittedForm, Visit
from vivavoce.web.security.limits import RateLimitedAction
from vivavoce.web.store import public_data
from vivavoce.web.store.public_data import SharedScores

SIZE: Final = (1200, 630)
"""Pixels, as Open Graph wants them."""
OUTCOMES: Final = {"won": "I won", "lost": "The stranger won", "tied": "A tie", "first": "My first game"}
_PAPER, _CARD, _INK, _QUIET, _HAIRLINE, _ACCENT = "#f8f6f1", "#ffffff", "#1b1c1d", "#5c5f63", "#dcd9d2", "#0072b2"
_FINE: Final = 2
"""Drawn at this multiple of the size, for smooth edges."""
_COLOURS: Final = 64
_KEPT: Final = 256
"""Pictures kept in memory, of about 20 kB each."""


def sentences(scores: SharedScores) -> tuple[str, str, str]:
    """The result in words, from the player's point of view.

    >>> sentences(SharedScores(81, 66.3, 91, None, False, "first"))
    ('I guessed 81, it is 66.3.', 'They guessed 91, I had no rating yet.', 'The stranger was a machine.')
    """
    return (
        f"I guessed {rating(scores.guess)}, {_it_is(scores)}.",
        f"They guessed {rating(scores.their_guess)}, {_mine(scores)}.",
        who(scores),
    )


def who(scores: SharedScores) -> str:
    """The kind of the other player."""
    return f"The stranger was a {'person' if scores.other_human else 'machine'}."


@lru_cache(_KEPT)
def picture(scores: SharedScores) -> bytes:
    """A PNG."""
    image = Image.new("RGB", (SIZE[0] * _FINE, SIZE[1] * _FINE), _PAPER)
    pen = ImageDraw.Draw(image)
    _moon(pen)
    _write(pen, (150, 76), "Luna", 60, _INK, bold=True)
    _write(pen, (1140, 76), OUTCOMES[scores.outcome], 54, _INK, anchor="rm")
    _card(pen, 60, "I guessed", scores.guess, _it_is(scores), scores.their_rating)
    _card(pen, 615, "They guessed", scores.their_guess, _mine(scores), scores.own_rating)
    _write(pen, (600, 572), who(scores), 50, _INK, anchor="mm")
    small = image.reduce(_FINE).quantize(_COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    out = BytesIO()
    small.save(out, "PNG")
    return out.getvalue()


def _it_is(scores: SharedScores) -> str:
    return "they had no rating yet" if scores.their_rating is None else f"it is {rating(scores.their_rating)}"


def _mine(scores: SharedScores) -> str:
    return "I had no rating yet" if scores.own_rating is None else f"mine was {rating(scores.own_rating)}"


def _card(pen: ImageDraw.ImageDraw, left: int, label: str, guess: float, truth: str, rated: float | None) -> None:
    """A guess, the true rating, and both on the scale from 0 to 100."""
    middle, right = left + 262, left + 525
    pen.rounded_rectangle(_fine(left, 140, right, 520), 24 * _FINE, _CARD, _HAIRLINE, 2 * _FINE)
    _write(pen, (middle, 186), label, 46, _QUIET, anchor="mm")
    _write(pen, (middle, 290), rating(guess), 150, _ACCENT, anchor="mm", bold=True)
    _write(pen, (middle, 404), truth, 62 if rated is not None else 44, _INK, anchor="mm")
    start, per_point, height = left + 50, 4.25, 470
    pen.line(_fine(start, height, start + 100 * per_point, height), _HAIRLINE, 6 * _FINE)
    at = start + guess * per_point
    if rated is not None:
        there = start + rated * per_point
        pen.line(_fine(at, height, there, height), _ACCENT, 10 * _FINE)
        pen.line(_fine(there, height - 24, there, height + 24), _INK, 8 * _FINE)
    pen.ellipse(_fine(at - 17, height - 17, at + 17, height + 17), _CARD, _ACCENT, 8 * _FINE)


def _moon(pen: ImageDraw.ImageDraw) -> None:
    pen.ellipse(_fine(60, 40, 132, 112), _ACCENT)
    pen.ellipse(_fine(84, 28, 150, 94), _PAPER)


def _write(
    pen: ImageDraw.ImageDraw, at: tuple[int, int], text: str, size: int, colour: str, *, anchor: str = "lm", bold: bool = False
) -> None:
    font = ImageFont.load_default(size * _FINE)
    stroke = round(size * _FINE / 40) if bold else 0
    pen.text((at[0] * _FINE, at[1] * _FINE), text, colour, font, anchor, stroke_width=stroke, stroke_fill=colour)


def _fine(*lengths: float) -> list[float]:
    return [length * _FINE for length in lengths]


router = APIRouter()
KEPT = "public, max-age=600"
"""Seconds for which others may still see a withdrawn picture: ten minutes."""


@router.post("/games/{game_id}/share")
def share(game_id: str, visit: PlayersVisit, form: SubmittedForm) -> Response:
    """An address for this player's scores of a finished game."""
    visit.count(RateLimitedAction.SHARE, visit.me.id)
    with visit.writing() as c:
        key = public_data.share(c, game_id, visit.me, visit.now)
    return visit.to(f"/shared/{key}", "shared")


@router.get("/shared/{key}.png")
def shared_picture(key: str, visit: AnyVisit) -> Response:
    """The scores as a picture."""
    visit.count(RateLimitedAction.DRAW)
    png = picture(_found(visit, key).scores)
    headers = {"Cache-Control": KEPT, "ETag": f'"{sha256(png).hexdigest()[:16]}"', "X-Robots-Tag": "noindex"}
    if visit.request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(png, media_type="image/png", headers=headers)


@router.get("/shared/{key}")
def shared(key: str, visit: AnyVisit) -> Response:
    """The scores, with buttons for the player who shares them."""
    visit.count(RateLimitedAction.DRAW)
    result = _found(visit, key)
    mine = visit.player is not None and visit.player.id == result.owner
    return visit.page(
        "shared",
        key=key,
        url=f"{visit.site.settings.base_url}/shared/{key}",
        size=SIZE,
        outcome=OUTCOMES[result.scores.outcome],
        sentences=sentences(result.scores),
        game_id=result.game if mine else None,
    )


@router.post("/shared/{key}/withdraw")
def withdraw(key: str, visit: KnownVisit, form: SubmittedForm) -> Response:
    """Withdraw the result, so that no one sees it any more."""
    with visit.writing() as c:
        public_data.withdraw(c, key, visit.me)
    return visit.to("/home", "withdrawn")


def _found(visit: Visit, key: str) -> public_data.SharedResult:
    with visit.reading() as c:
        result = public_data.shared(c, key)
    if result is None:
        raise HTTPException(404)
    return result
