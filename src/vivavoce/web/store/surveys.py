"""Surveys: their plans, and whether they are open. The rules are in `vivavoce.generalization.survey.plan`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.json_values import to_json
from vivavoce.generalization.survey import plan as rules
from vivavoce.generalization.survey.card_file import CardExtras, SurveyCard
from vivavoce.generalization.survey.plan import SurveyPlan
from vivavoce.web.store.people import new_id
from vivavoce.web.tables import CARDS, SURVEYS

State = Literal["draft", "open", "closed"]

CARD_FIELDS: Final = [CARDS.c[name] for name in SurveyCard.__dataclass_fields__]
"""The columns of a `SurveyCard`, in its order."""


@dataclass(frozen=True, slots=True)
class Survey:
    """A survey of the site."""

    id: str
    plan: SurveyPlan
    state: State
    since: datetime
    """When it reached this state."""
    created: datetime
    preview_key: str = field(repr=False)
    """Key of the preview, which stores nothing."""
    wave: int = 1
    """The wave that is open, or was last."""


def create(c: Connection, plan: SurveyPlan, cards: Iterable[SurveyCard], now: datetime) -> Survey:
    """A new survey, which is a draft until it is opened. Raises `BadInput`, also if the name is taken."""
    survey_cards = rules.checked_cards(cards, plan)
    made = {"id": new_id(), "slug": plan.slug, "plan": to_json(plan), "state": "draft", "since": now, "wave": 1, "drawn": 0}
    try:
        with c.begin_nested():
            c.execute(insert(SURVEYS).values(**made, preview_key=secrets.token_urlsafe(16), created=now))
    except IntegrityError:
        raise BadInput(f"a survey '{plan.slug}' exists already: choose another name") from None
    rows = [
        {name: getattr(card, name) for name in SurveyCard.__dataclass_fields__}
        | {"survey": made["id"], "extras": to_json(card.extras)}
        for card in survey_cards
    ]
    c.execute(insert(CARDS), rows)
    return _named(c, plan.slug)


def survey(c: Connection, slug: str) -> Survey | None:
    """The survey of that name, or None."""
    row = c.execute(_surveys().where(SURVEYS.c.slug == _plain(slug))).one_or_none()
    return None if row is None else _survey(row)


def by_id(c: Connection, id_: str) -> Survey:
    """The survey with that id, which exists."""
    return _survey(c.execute(_surveys().where(SURVEYS.c.id == id_)).one())


def open_survey(c: Connection, slug: str, now: datetime, *, new_wave: bool = False) -> Survey:
    """Open a survey, also again after it was closed. new_wave: whether new respondents belong to the next wave; others stay in
    theirs. Raises `UnknownName`, and `BadInput` for a new wave of a survey that was never open.
    """
    if not new_wave:
        return _set_state(c, slug, "open", now)
    current = _named(c, slug)
    if current.state == "draft":
        raise BadInput(f"the survey '{slug}' was never open: open it without a new wave first")
    wave = SURVEYS.c.wave + 1
    c.execute(update(SURVEYS).where(SURVEYS.c.id == current.id).values(state="open", since=now, wave=wave))
    return _named(c, slug)


def close_survey(c: Connection, slug: str, now: datetime) -> Survey:
    """Close a survey to new respondents; others may finish. Raises `UnknownName`."""
    return _set_state(c, slug, "closed", now)


def listed(c: Connection) -> list[Survey]:
    """All surveys, oldest first."""
    return [_survey(row) for row in c.execute(_surveys().order_by(SURVEYS.c.created, SURVEYS.c.slug))]


def preview(c: Connection, slug: str, key: str) -> Survey | None:
    """The survey, in any state, whose preview this key opens; None for a wrong key."""
    match = survey(c, slug)
    fits = match is not None and secrets.compare_digest(match.preview_key.encode(), _plain(key).encode())
    return match if fits else None


def cards_of(c: Connection, survey: Survey, *, limit: int | None = None) -> list[SurveyCard]:
    """The cards of a survey in their order: the first ones, if a limit is given."""
    rows = c.execute(select(*CARD_FIELDS).where(CARDS.c.survey == survey.id).order_by(CARDS.c.number).limit(limit))
    return [card_of(row) for row in rows]


def card_of(row: Row[*tuple[Any, ...]]) -> SurveyCard:
    """The card in a row of `CARD_FIELDS`."""
    *values, extras = row
    given: dict[str, Any] = dict(zip(SurveyCard.__dataclass_fields__, values, strict=False))
    return SurveyCard(**given, extras=CardExtras.from_json(extras))


def _surveys() -> Any:
    return select(*(SURVEYS.c[name] for name in ("id", "plan", "state", "since", "created", "preview_key", "wave")))


def _survey(row: Row[*tuple[Any, ...]]) -> Survey:
    id_, plan, *others = row
    return Survey(id_, SurveyPlan.from_json(plan), *others)


def _named(c: Connection, slug: str) -> Survey:
    named_survey = survey(c, slug)
    if named_survey is None:
        raise UnknownName("survey", slug, [known.plan.slug for known in listed(c)])
    return named_survey


def _set_state(c: Connection, slug: str, state: State, now: datetime) -> Survey:
    named_survey = _named(c, slug)
    if named_survey.state == state:
        return named_survey
    c.execute(update(SURVEYS).where(SURVEYS.c.id == named_survey.id).values(state=state, since=now))
    return replace(named_survey, state=state, since=now)


def _plain(text: str) -> str:
    """A name that cannot exist becomes empty: PostgreSQL refuses some characters."""
    return text if len(text) <= 100 and text.isascii() and text.isprintable() else ""
