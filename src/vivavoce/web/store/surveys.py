"""Surveys: their plans, whether they are open, and exports.

Exports have pseudonyms that are new each time. The rules are in `vivavoce.generalization.survey.plan`.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from vivavoce.errors import BadInput, UnknownName
from vivavoce.formats.json_values import to_json
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.survey import plan as rules
from vivavoce.generalization.survey.cards import majority
from vivavoce.generalization.survey.plan import By, SurveyCard, SurveyPlan, SurveyStep
from vivavoce.web.store.people import new_id
from vivavoce.web.tables import CARDS, DEALS, RESPONDENTS, SURVEYS

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


def create(c: Connection, plan: SurveyPlan, cards: Iterable[SurveyCard], now: datetime) -> Survey:
    """A new survey, which is a draft until it is opened. Raises `BadInput`, also if the name is taken."""
    survey_cards = rules.checked_cards(cards, plan)
    made = {"id": new_id(), "slug": plan.slug, "plan": to_json(plan), "state": "draft", "since": now}
    try:
        with c.begin_nested():
            c.execute(insert(SURVEYS).values(**made, preview_key=secrets.token_urlsafe(16), created=now))
    except IntegrityError:
        raise BadInput(f"a survey '{plan.slug}' exists already: choose another name") from None
    rows = [
        {name: getattr(card, name) for name in SurveyCard.__dataclass_fields__} | {"survey": made["id"]}
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


def set_state(c: Connection, slug: str, state: State, now: datetime) -> Survey:
    """Open a survey, also again, or close it to new respondents, so that others may finish. Raises `UnknownName`."""
    named_survey = _named(c, slug)
    if named_survey.state == state:
        return named_survey
    c.execute(update(SURVEYS).where(SURVEYS.c.id == named_survey.id).values(state=state, since=now))
    return replace(named_survey, state=state, since=now)


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
    given: dict[str, Any] = dict(zip(SurveyCard.__dataclass_fields__, row, strict=True))
    return SurveyCard(**given)


def _surveys() -> Any:
    return select(*(SURVEYS.c[name] for name in ("id", "plan", "state", "since", "created", "preview_key")))


def _survey(row: Row[*tuple[Any, ...]]) -> Survey:
    id_, plan, *others = row
    return Survey(id_, SurveyPlan.from_json(plan), *others)


def _named(c: Connection, slug: str) -> Survey:
    named_survey = survey(c, slug)
    if named_survey is None:
        raise UnknownName("survey", slug, [known.plan.slug for known in listed(c)])
    return named_survey


def _plain(text: str) -> str:
    """A name that cannot exist becomes empty: PostgreSQL refuses some characters."""
    return text if len(text) <= 100 and text.isascii() and text.isprintable() else ""


FEW: Final = 2
"""Fewest answers to a pair for a majority."""


@dataclass(frozen=True, slots=True)
class ExportedAnswer:
    """One respondent's answers about one pair."""

    pair: BeliefPair
    """Answers with both beliefs, if both were given; `person` is a pseudonym of this export only."""
    place: int
    """Position of the pair among this respondent's, from 1."""
    shown: str
    by: By
    why: str
    """The reason; empty if there is none."""
    seconds_before: float
    """Seconds from the moment that the pair was visible to the first belief, pauses included."""
    seconds_after: float | None
    """Seconds from the first belief to the second; None without a second."""
    finished: bool
    """Whether the respondent finished the survey."""
    own: str = ""
    """The respondent's own answer; empty if none was requested."""


@dataclass(frozen=True, slots=True)
class SurveyCounts:
    """Number of respondents by ending, including those without an exported answer."""

    begun: int
    """All respondents."""
    agreed: int
    """Respondents who agreed and have not withdrawn."""
    done: int
    failed: int
    """Respondents who failed the questions on the task."""
    withdrawn: int
    unfinished: int
    """Respondents who stopped, or are still answering."""


@dataclass(frozen=True, slots=True)
class PairLabel:
    """The majority's answer about a pair."""

    pair: BeliefPair
    """`belief_change` is None without a majority, or with too few respondents."""
    answers: int
    changed: int


def exported_answers(c: Connection, survey: Survey) -> Iterator[ExportedAnswer]:
    """All answers of respondents who agreed and have not withdrawn, by person, in random order.

    A pair with the first belief alone is included, without a belief change. Pseudonyms are random and are not stored: the
    next export has others, and no one can link them later, not even the operator.
    """
    about = [RESPONDENTS.c[name] for name in ("id", "dealt", "step")]
    people = list(c.execute(select(*about).where(*_agreed(survey))))
    secrets.SystemRandom().shuffle(people)
    names: set[str] = set()
    while len(names) < len(people):
        names.add(secrets.token_hex(6))
    # a set's order may not be random enough
    for person, name in zip(people, secrets.SystemRandom().sample(sorted(names), len(people)), strict=True):
        yield from _of_person(c, person, name)


def _agreed(survey: Survey) -> tuple[ColumnElement[bool], ...]:
    """Which respondents agreed and have not withdrawn."""
    not_withdrawn = RESPONDENTS.c.step != str(SurveyStep.WITHDRAWN)
    return RESPONDENTS.c.survey == survey.id, RESPONDENTS.c.consent.is_not(None), not_withdrawn


def _of_person(c: Connection, person: Row[*tuple[Any, ...]], name: str) -> Iterator[ExportedAnswer]:
    """One respondent's answers in their order."""
    rows = c.execute(_SAID.where(DEALS.c.respondent == person.id, DEALS.c.before.is_not(None)).order_by(DEALS.c.place)).all()
    began = person.dealt
    for row in rows:
        changed = None if row.after is None else row.after != row.before
        pair = BeliefPair(
            *(row.q1, row.q2, row.source1, row.source2, row.previous_correct, changed, name, row.stage, row.weight),
            prior=row.before,
            posterior=row.after,
        )
        yield ExportedAnswer(
            pair=pair,
            place=row.place,
            shown=row.shown,
            by=row.by,
            why=row.why or "",
            seconds_before=_seconds(row.own_at or began, row.before_at),
            seconds_after=None if row.after is None else _seconds(row.before_at, row.after_at),
            finished=person.step == str(SurveyStep.DONE),
            own=row.own or "",
        )
        began = row.after_at


def counts(c: Connection, survey: Survey) -> SurveyCounts:
    """Respondents by ending."""
    mine = RESPONDENTS.c.survey == survey.id
    by_step = select(RESPONDENTS.c.step, func.count()).where(mine).group_by(RESPONDENTS.c.step)
    steps = {str(step): int(number) for step, number in c.execute(by_step)}
    agreed = select(func.count()).where(*_agreed(survey))
    done, failed, withdrawn = (steps.get(str(step), 0) for step in (SurveyStep.DONE, SurveyStep.FAILED, SurveyStep.WITHDRAWN))
    begun = sum(steps.values())
    unfinished = begun - done - failed - withdrawn
    return SurveyCounts(begun, c.execute(agreed).scalar_one(), done, failed, withdrawn, unfinished)


def consents(c: Connection, survey: Survey) -> Mapping[str, int]:
    """Respondents who have not withdrawn, by consent version."""
    rows = select(RESPONDENTS.c.consent, func.count()).where(*_agreed(survey)).group_by(RESPONDENTS.c.consent)
    return dict(sorted((str(version), number) for version, number in c.execute(rows)))


def answers_by_card(c: Connection, survey: Survey) -> Mapping[int, int]:
    """How many answers each card has, those with none included."""
    answered = select(DEALS.c.card, func.count()).where(DEALS.c.survey == survey.id, DEALS.c.after.is_not(None))
    values = {int(card): int(number) for card, number in c.execute(answered.group_by(DEALS.c.card))}
    numbers = c.execute(select(CARDS.c.number).where(CARDS.c.survey == survey.id)).scalars()
    return {number: values.get(number, 0) for number in numbers}


def majority_labels(answers: Iterable[ExportedAnswer]) -> list[PairLabel]:
    """One label for each answered pair, in the order of the answers."""
    by_pair: dict[tuple[str, str, str, bool, str], tuple[BeliefPair, list[bool]]] = {}
    for answer in answers:
        pair = answer.pair
        if pair.belief_change is None:
            continue
        key = (pair.q1, pair.q2, answer.shown, pair.previous_correct, answer.by)
        by_pair.setdefault(key, (pair, []))[1].append(pair.belief_change)
    return [
        PairLabel(
            replace(pair, belief_change=majority(flags) if len(flags) >= FEW else None, person="", prior=None, posterior=None),
            len(flags),
            sum(flags),
        )
        for pair, flags in by_pair.values()
    ]


_OF_CARD: Final = (
    "q1", "q2", "source1", "source2", "previous_correct", "stage", "weight", "shown", "by",
)  # fmt: skip
_OF_DEAL: Final = ("place", "before", "before_at", "after", "after_at", "why", "own", "own_at")
_SAID: Final = select(*(CARDS.c[name] for name in _OF_CARD), *(DEALS.c[name] for name in _OF_DEAL)).join(
    CARDS, (CARDS.c.survey == DEALS.c.survey) & (CARDS.c.number == DEALS.c.card)
)


def _seconds(begin: datetime, end: datetime) -> float:
    """Seconds by which clocks of two server processes may differ."""
    return max(0.0, round((end - begin).total_seconds(), 1))
