"""Published dossiers: their list, and a page for each, made again from its JSON by templates of ours. They have no script."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.examination.cards import Card
from vivavoce.examination.page import SHOWN, WHO, answer_rows, spent
from vivavoce.examination.rooms import QUESTIONS
from vivavoce.formats.wording import clipped, count, with_technical
from vivavoce.web.pages.survey_text import visible
from vivavoce.web.pages.visit import AnyVisit
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import dossiers

router = APIRouter(prefix="/dossiers")
Id = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$")]


@router.get("")
def listed(visit: AnyVisit) -> Response:
    """What there is to read."""
    with visit.reading() as c:
        return visit.page("dossiers", dossiers=[(one, shown(one.title)) for one in dossiers.published(c)])


@router.get("/{id_}")
def dossier(visit: AnyVisit, id_: Id) -> Response:
    """One of them; it is checked again each time it is read."""
    visit.count(Deed.ENTER)
    with visit.reading() as c:
        found = dossiers.dossier(c, id_)
    if found is None:
        raise HTTPException(404)
    published, filed = found
    inside = filed.dossier
    return visit.page(
        "dossier",
        published=published,
        title=shown(published.title),
        who=WHO[inside.nature],
        candidate=shown(with_technical(inside.called, inside.candidate) if inside.name else inside.candidate),
        answer=[(*row, [shown(text) for text in texts]) for *row, texts in answer_rows(inside)],
        guarantee=inside.answer.guarantee,
        cards=[_card(card) for card in inside.cards],
        absent=[(one.question, shown(one.reason)) for one in inside.absent if one.fits],
        spending=spent(inside.spending),
        made=filed.made,
        by=shown(filed.version),
    )


def shown(text: str) -> str:
    """A stranger's words as they can be shown."""
    return visible(clipped(text, SHOWN))


def _card(card: Card) -> dict[str, Any]:
    return {
        "question": QUESTIONS[card.room],
        "statement": shown(card.statement),
        "figures": [(shown(one.titled), one.in_words, count(one.n)) for one in card.figures],
        "caveats": [shown(caveat) for caveat in card.caveats],
        "command": shown(card.command),
    }
