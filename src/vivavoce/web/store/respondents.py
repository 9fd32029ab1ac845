"""Respondents of surveys: their arrival, progress and answers. Rules are in `vivavoce.generalization.survey.plan`.

Every change of a respondent locks their row first and the survey's row after it, so that there is no deadlock. A form that
is sent twice, late, or to two server processes at once changes nothing the second time: the first answer stays.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.generalization.survey import plan as rules
from vivavoce.generalization.survey.plan import RespondentProgress, SurveyCard, SurveyStep, checked_belief
from vivavoce.web.store.people import hashed, is_id, new_id, new_token
from vivavoce.web.store.surveys import CARD_FIELDS, Survey, by_id, card_of
from vivavoce.web.tables import CARDS, DEALS, RESPONDENT_TOKENS, RESPONDENTS, SURVEYS

KEPT: Final = 8
"""Older tokens that a respondent keeps. Two pages that open at once get one each, and the browser keeps either."""


def give_token(c: Connection, respondent: str, now: datetime) -> str:
    """A new token of a respondent, of which only a hash is stored; the oldest of more than `KEPT` becomes invalid."""
    mine = RESPONDENT_TOKENS.c.respondent == respondent
    # named one by one, because another process may issue a token at this moment
    oldest = select(RESPONDENT_TOKENS.c.token_hash).where(mine).order_by(RESPONDENT_TOKENS.c.made.desc()).offset(KEPT)
    c.execute(delete(RESPONDENT_TOKENS).where(RESPONDENT_TOKENS.c.token_hash.in_(list(c.execute(oldest).scalars()))))
    token = new_token()
    c.execute(insert(RESPONDENT_TOKENS).values(token_hash=hashed(token), respondent=respondent, made=now))
    return token


GIVEN_UP: Final = timedelta(hours=3)
"""Respondents absent for this long are not expected to answer: their cards go to others. They may still come back."""
AT_ONCE: Final = 200
"""Cards whose questions are read at once: most surveys have many more than a respondent gets."""


def deal(c: Connection, survey: str, respondent: str, pairs: int, now: datetime) -> None:
    """Deal this respondent's cards, in a random order.

    A card also counts as answered while a respondent may still answer it. No question appears twice for a respondent, asked or
    shown, if there are enough cards, since a repeat would influence the second belief. Deals of a survey are serialised, also
    between server processes, so that cards stay balanced.
    """
    # the survey does not change, but the next deal waits for this row; other rows may refer to it meanwhile
    c.execute(select(SURVEYS.c.id).where(SURVEYS.c.id == survey).with_for_update(key_share=True)).all()
    chosen = _chosen(c, survey, _by_need(c, survey, now), pairs)
    secrets.SystemRandom().shuffle(chosen)
    rows = [{"respondent": respondent, "place": i, "survey": survey, "card": n} for i, n in enumerate(chosen, 1)]
    c.execute(insert(DEALS), rows)


def _by_need(c: Connection, survey: str, now: datetime) -> list[int]:
    """Numbers of all cards: those with the fewest answers first, ties at random."""
    answered = DEALS.c.after.is_not(None)
    expected = or_(answered, RESPONDENTS.c.seen > now - GIVEN_UP)
    joined = DEALS.join(RESPONDENTS, RESPONDENTS.c.id == DEALS.c.respondent)
    counts = select(DEALS.c.card, func.count()).select_from(joined).where(DEALS.c.survey == survey, expected)
    answers = {int(card): int(number) for card, number in c.execute(counts.group_by(DEALS.c.card))}
    numbers = list(c.execute(select(CARDS.c.number).where(CARDS.c.survey == survey)).scalars())
    secrets.SystemRandom().shuffle(numbers)
    return sorted(numbers, key=lambda number: answers.get(number, 0))


def _chosen(c: Connection, survey: str, numbers: list[int], pairs: int) -> list[int]:
    """The first cards without a common question; if there are too few, also the first of the others."""
    chosen: list[int] = []
    others: list[int] = []
    seen: set[str] = set()
    for start in range(0, len(numbers), AT_ONCE):
        some = numbers[start : start + AT_ONCE]
        asked = select(CARDS.c.number, CARDS.c.q1, CARDS.c.q2).where(CARDS.c.survey == survey, CARDS.c.number.in_(some))
        questions = {number: {first, second} for number, first, second in c.execute(asked)}
        for number in some:
            if len(chosen) == pairs:
                return chosen
            if seen & questions[number]:
                others.append(number)
            else:
                chosen.append(number)
                seen |= questions[number]
    return chosen + others[: pairs - len(chosen)]


LONGEST_PID: Final = 128
_FIELDS = [RESPONDENTS.c[name] for name in ("id", "survey", "step", "place", "tries", "consent")]


class SurveyClosed(VivavoceError):
    """No new respondents: the survey is not open yet, or closed."""


class TookPartBefore(VivavoceError):
    """The respondent took part in an earlier stage of the study."""


@dataclass(frozen=True, slots=True)
class Respondent:
    """A respondent of a survey."""

    id: str
    """Random; reveals nothing about the person."""
    survey: str
    progress: RespondentProgress
    consent: str | None
    """The consent version."""


def enter(c: Connection, survey: Survey, *, pid: str | None, now: datetime) -> tuple[Respondent, str]:
    """The respondent with this pseudonym, or a new one, and a new token.

    Raises `SurveyClosed` for a new respondent of a closed survey, `TookPartBefore` if the respondent took part in an earlier
    stage of the study, `BadInput` for a malformed pseudonym.
    """
    if pid is not None and not (0 < len(pid) <= LONGEST_PID and pid.isascii() and pid.isprintable()):
        raise BadInput(f"a pseudonym has 1 to {LONGEST_PID} plain letters")
    known = None if pid is None else _by_pid(c, survey, pid)
    if known is None:
        # read again: it may have been closed meanwhile
        state = c.execute(select(SURVEYS.c.state).where(SURVEYS.c.id == survey.id)).scalar_one_or_none()
        if state != "open":
            raise SurveyClosed(f"the survey '{survey.plan.slug}' is not open: it is {state or 'gone'}")
        if _in_study(c, survey, pid):
            raise TookPartBefore(f"a respondent took part in an earlier stage of '{survey.plan.study}'")
        known = _begin(c, survey, pid, now)
    return known, give_token(c, known.id, now)


def by_token(c: Connection, token: str) -> Respondent | None:
    """The respondent of a token; None for an invalid one."""
    mine = select(*_FIELDS).join(RESPONDENT_TOKENS, RESPONDENT_TOKENS.c.respondent == RESPONDENTS.c.id)
    row = c.execute(mine.where(RESPONDENT_TOKENS.c.token_hash == hashed(token))).one_or_none()
    return None if row is None else _read(row)


def agree(c: Connection, respondent: Respondent, version: str, now: datetime) -> Respondent:
    """Record the consent of a respondent; the first accepted version is kept."""
    locked = _locked(c, respondent)
    after = rules.after_consent(locked.progress)
    return locked if after == locked.progress else _step(c, locked, after, now, consent=version)


def answer_checks(
    c: Connection, respondent: Respondent, given: Mapping[str, str], now: datetime, *, tries: int | None = None
) -> Respondent:
    """Record the answers to the questions on the task; deal the cards if they are passed.

    tries: failed tries when the form was issued, if known: a form that is sent twice counts as one try.
    """
    current = _locked(c, respondent)
    plan = by_id(c, current.survey).plan
    after = rules.after_checks(current.progress, given, plan.first_step)
    if after == current.progress or tries not in (None, current.progress.tries):
        return current
    if after.step not in rules.AT_PAIRS:
        return _step(c, current, after, now)
    deal(c, current.survey, current.id, plan.pairs_each, now)
    return _step(c, current, after, now, dealt=now)


def card(c: Connection, respondent: Respondent) -> SurveyCard | None:
    """The card at the respondent's place; None without one."""
    if respondent.progress.step not in rules.AT_PAIRS:
        return None
    at = (DEALS.c.respondent == respondent.id, DEALS.c.place == respondent.progress.place)
    joined = select(*CARD_FIELDS).join(DEALS, (DEALS.c.survey == CARDS.c.survey) & (DEALS.c.card == CARDS.c.number))
    row = c.execute(joined.where(*at)).one_or_none()
    return None if row is None else card_of(row)


def belief_before(c: Connection, respondent: Respondent) -> float | None:
    """The respondent's first belief at their current place, from 0 to 1; None without one."""
    at = (DEALS.c.respondent == respondent.id, DEALS.c.place == respondent.progress.place)
    return c.execute(select(DEALS.c.before).where(*at)).scalar_one_or_none()


def answer_own(c: Connection, respondent: Respondent, position: int, text: str, now: datetime) -> Respondent:
    """Save the respondent's own answer to the question at a place, if they are asked for it now. Raises `BadInput` for an empty
    or long answer.
    """
    text = text.strip()
    if not 0 < len(text) <= rules.LONGEST_OWN:
        raise BadInput(f"the answer has {len(text)} characters: give 1 to {rules.LONGEST_OWN}")
    current = _locked(c, respondent)
    after = rules.after_own(current.progress, position)
    return _said(c, current, after, {"own": text, "own_at": now}, now)


def believe_before(c: Connection, respondent: Respondent, position: int, belief: float, now: datetime) -> Respondent:
    """Save the first belief about the pair at a place, from 0 to 1, if the respondent is asked for it now. Raises `BadInput`
    for an invalid belief.
    """
    belief = checked_belief(belief)
    current = _locked(c, respondent)
    after = rules.after_before(current.progress, position)
    return _said(c, current, after, {"before": belief, "before_at": now}, now)


def believe_after(c: Connection, respondent: Respondent, position: int, belief: float, why: str, now: datetime) -> Respondent:
    """Save the second belief about the pair at a place, and the reason, if the respondent is asked for it now. Raises
    `BadInput` for an invalid belief or a long reason.
    """
    belief, why = checked_belief(belief), why.strip()
    if len(why) > rules.LONGEST_WHY:
        raise BadInput(f"the reason has {len(why)} characters: give at most {rules.LONGEST_WHY}")
    current = _locked(c, respondent)
    plan = by_id(c, current.survey).plan
    after = rules.after_after(current.progress, position, plan)
    document = {"after": belief, "after_at": now, "why": why if plan.ask_why and why else None}
    return _said(c, current, after, document, now)


def withdraw(c: Connection, respondent: Respondent, now: datetime) -> Respondent:
    """Delete a respondent's answers and times; the withdrawal itself is stored. Their pseudonym stays, so that they are not
    asked again, and a token, so that they find the page that says so.
    """
    current = _locked(c, respondent)
    if current.progress.step is SurveyStep.WITHDRAWN:
        return current
    c.execute(delete(DEALS).where(DEALS.c.respondent == current.id))
    nothing = dict.fromkeys(("consent", "dealt"))
    return _step(c, current, rules.after_withdrawal(current.progress), now, **nothing, entered=now)


def over(respondent: Respondent) -> bool:
    """Whether the respondent is finished."""
    return respondent.progress.step in rules.OVER


def _by_pid(c: Connection, survey: Survey, pid: str) -> Respondent | None:
    mine = (RESPONDENTS.c.survey == survey.id, RESPONDENTS.c.pid == pid)
    row = c.execute(select(*_FIELDS).where(*mine)).one_or_none()
    return None if row is None else _read(row)


def _in_study(c: Connection, survey: Survey, pid: str | None) -> bool:
    """Whether a respondent has taken part in another survey of the study; a respondent who never consented is deleted there."""
    if not survey.plan.study or pid is None:
        return False
    mine = (RESPONDENTS.c.study == survey.plan.study, RESPONDENTS.c.pid == pid)
    row = c.execute(select(RESPONDENTS.c.id, RESPONDENTS.c.step).where(*mine).with_for_update()).one_or_none()
    if row is None or row.step != str(SurveyStep.CONSENT):
        return row is not None
    c.execute(delete(RESPONDENT_TOKENS).where(RESPONDENT_TOKENS.c.respondent == row.id))
    c.execute(delete(RESPONDENTS).where(RESPONDENTS.c.id == row.id))
    return False


def _begin(c: Connection, survey: Survey, pid: str | None, now: datetime) -> Respondent:
    """A new respondent, or the one who arrived a moment earlier with the same pseudonym. Raises `TookPartBefore` if that was in
    another stage of the study.
    """
    fresh = Respondent(new_id(), survey.id, RespondentProgress(), None)
    row = {
        "id": fresh.id, "survey": survey.id, "pid": pid, "step": str(fresh.progress.step), "place": 0, "tries": 0,
        "entered": now, "seen": now, "study": survey.plan.study or None,
    }  # fmt: skip
    inserted = (postgres_insert if c.dialect.name == "postgresql" else sqlite_insert)(RESPONDENTS).values(row)
    once = inserted.on_conflict_do_nothing().returning(RESPONDENTS.c.id)
    if c.execute(once).first() is not None:
        return fresh
    assert pid is not None
    current = _by_pid(c, survey, pid)
    if current is None:
        raise TookPartBefore(f"a respondent takes part in another stage of '{survey.plan.study}'")
    return current


def _locked(c: Connection, respondent: Respondent) -> Respondent:
    """The respondent's current row, locked until the transaction ends."""
    mine = RESPONDENTS.c.id == (respondent.id if is_id(respondent.id) else "")
    return _read(c.execute(select(*_FIELDS).where(mine).with_for_update(key_share=True)).one())


def _step(c: Connection, respondent: Respondent, after: RespondentProgress, now: datetime, **more: Any) -> Respondent:
    values = {"step": str(after.step), "place": after.place, "tries": after.tries, "seen": now}
    c.execute(update(RESPONDENTS).where(RESPONDENTS.c.id == respondent.id).values(values | more))
    return Respondent(respondent.id, respondent.survey, after, more.get("consent", respondent.consent))


def _said(
    c: Connection, respondent: Respondent, after: RespondentProgress, document: Mapping[str, Any], now: datetime
) -> Respondent:
    """Save an answer, unless it does not change the progress: the first one stays."""
    if after == respondent.progress:
        return respondent
    at = (DEALS.c.respondent == respondent.id, DEALS.c.place == respondent.progress.place)
    if c.execute(update(DEALS).where(*at).values(document)).rowcount != 1:
        raise VivavoceError("a respondent has no card at their place: the survey's database was changed by hand")
    return _step(c, respondent, after, now)


def _read(row: Row[*tuple[Any, ...]]) -> Respondent:
    id_, survey_id, step, position, tries, consent = row
    return Respondent(id_, survey_id, RespondentProgress(SurveyStep(step), position, tries), consent)
