"""Game pages in each phase, and moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from vivavoce.errors import BadInput
from vivavoce.luna import rules
from vivavoce.web.pages import game_texts
from vivavoce.web.pages.error_pages import TypedText, on_record, typed
from vivavoce.web.pages.request_context import FormFields, PlayersVisit, SubmittedForm, Visit, number
from vivavoce.web.security.limits import RateLimitedAction
from vivavoce.web.store import games, moderation, moves, queue
from vivavoce.web.store.games import Drafts, FormDraft, in_words
from vivavoce.web.store.mails import TAKEN_OVER
from vivavoce.web.store.people import is_id, new_id

PLAYED_ON = "A machine now plays for you"
router = APIRouter()
TEMPLATES = {rules.Phase.INTERVIEW: "game_interview", rules.Phase.RESPONSE: "game_response", rules.Phase.GUESS: "game_guess"}
FIELDS = {rules.Phase.INTERVIEW: "question", rules.Phase.RESPONSE: "answer", rules.Phase.GUESS: "slider"}
ALONE = ("guess", "who", "sure")
"""Fields of the guess other than sliders."""
WHO = {"person": True, "machine": False}


@router.get("/games/{game_id}")
def game_page(game_id: str, visit: PlayersVisit) -> Response:
    """The game as this player may see it now."""
    with visit.reading() as c:
        game, position = games.load(c, game_id, visit.me)
        kept = games.drafts(c, game_id, visit.me)
        waits = queue.waiting_since(c, visit.me)
    ended = game.ended(visit.now)
    if ended is not None and ended.reason == "not ready" and ended.by == 1 - position and waits is not None:
        return visit.to("/waiting", "not-there")
    return _show(visit, game, position, kept.newest, others=kept.others)


@router.post("/games/{game_id}/report")
def report(game_id: str, visit: PlayersVisit, form: SubmittedForm) -> Response:
    """Report the other player's texts to the operator."""
    visit.count(RateLimitedAction.REPORT, visit.me.id)
    with visit.writing() as c:
        moderation.report(c, game_id, visit.me, form.text("reason"), visit.now)
    return visit.to(f"/games/{game_id}", "reported")


@router.post("/games/{game_id}/resign")
def resign(game_id: str, visit: PlayersVisit, form: SubmittedForm) -> Response:
    """Give up the game."""
    visit.count(RateLimitedAction.WRITE, visit.me.id)
    try:
        with visit.writing() as c:
            moves.resign(c, game_id, visit.me, visit.now)
    except rules.IllegalMove:
        return visit.to(f"/games/{game_id}", "moved-on")
    return visit.to(f"/games/{game_id}")


@router.post("/games/{game_id}/ready")
def ready(game_id: str, visit: PlayersVisit, form: SubmittedForm) -> Response:
    """Confirm that the player is present."""
    visit.count(RateLimitedAction.WRITE, visit.me.id)
    with visit.writing() as c:
        moves.ready(c, game_id, visit.me, visit.now)
    return visit.to(f"/games/{game_id}")


@router.post("/games/{game_id}/{phase}")
def move(game_id: str, phase: rules.Phase, visit: PlayersVisit, form: SubmittedForm) -> Response:
    """Handle what the player sends in one phase: a move, or a draft if that button was pressed."""
    visit.count(RateLimitedAction.WRITE, visit.me.id)
    game, position = _loaded(visit, game_id)
    fields = _fields(game, form, phase)
    draft, based_on = _page_of(form, fields)
    here = f"/games/{game_id}"
    if any(map(form.ticked, ("draft", "take", "drop"))):
        return _keep(visit, game_id, phase, form, draft)
    try:
        made = _made(game, position, fields, phase, visit.now)
        if made is None:
            return _suggest(visit, game_id, form, draft)
        with visit.writing() as c:
            kept = games.drafts(c, game_id, visit.me)
            moves.make_move(c, game_id, visit.me, made, visit.now)
    except rules.IllegalMove:
        return _too_late(visit, game_id, fields, phase)
    except BadInput as problem:
        return _show(visit, game, position, draft, problem=str(problem), status=422, based_on=based_on)
    unsent = kept.lost_by(draft, based_on)
    return (
        _given_back(visit, game_id, game_texts.UNSENT, [line for lost in unsent for line in typed(lost.fields)])
        if unsent
        else visit.to(here)
    )


@router.put("/games/{game_id}/{phase}/draft")
def keep_draft(game_id: str, phase: rules.Phase, visit: PlayersVisit, form: SubmittedForm) -> Response:
    """Save what the player types, for the page's script; the response says if some of it could not be kept."""
    visit.count(RateLimitedAction.WRITE, visit.me.id)
    fields = _fields(_loaded(visit, game_id)[0], form, phase)
    kept, cut = _save(visit, game_id, form, _page_of(form, fields)[0])
    if kept is None and _on_record(visit, game_id, fields, phase):
        return Response(status_code=204)
    if kept is None:
        return JSONResponse({"say": game_texts.NOT_KEPT}, 409)
    if kept.others or cut:
        return JSONResponse({"say": game_texts.KEPT_BESIDE if kept.others else game_texts.KEPT_CUT})
    return Response(status_code=204)


def _keep(visit: Visit, game_id: str, phase: rules.Phase, form: FormFields, draft: FormDraft) -> Response:
    """Save the draft, and swap or discard another one if that button was pressed."""
    kept, cut = _save(visit, game_id, form, draft)
    if kept is None:
        return _too_late(visit, game_id, draft.fields, phase)
    for name, change, text in (("take", games.take_draft, "taken"), ("drop", games.drop_draft, "dropped")):
        if form.ticked(name):
            with visit.writing() as c:
                change(c, game_id, visit.me, form.text(name), visit.now)
            return visit.to(f"/games/{game_id}", text)
    return visit.to(f"/games/{game_id}", "saved-cut" if cut else "saved")


def _page_of(form: FormFields, fields: Mapping[str, str]) -> tuple[FormDraft, str]:
    """The typed texts, with the page they were typed on and the version that the page started with."""
    page = form.text("page")
    return FormDraft(fields, page if is_id(page) else ""), form.text("based_on")


def _on_record(visit: Visit, game_id: str, fields: Mapping[str, str], phase: rules.Phase) -> bool:
    """Whether this player has sent exactly this before."""
    game, position = _loaded(visit, game_id)
    return on_record(fields, game.seats[position], phase)


def _too_late(visit: Visit, game_id: str, fields: Mapping[str, str], phase: rules.Phase) -> Response:
    """The current game page, with the typed texts, unless they were accepted before."""
    if _on_record(visit, game_id, fields, phase):
        return visit.to(f"/games/{game_id}", "moved-on")
    return _given_back(visit, game_id, game_texts.TOO_LATE, typed(fields), status=409)


def _given_back(visit: Visit, game_id: str, pair: tuple[str, str], lines: list[TypedText], *, status: int = 200) -> Response:
    return visit.page("given_back", status, game_id=game_id, heading=pair[0], words=pair[1], typed=lines)


def _loaded(visit: Visit, game_id: str) -> tuple[rules.Game, rules.Place]:
    with visit.reading() as c:
        return games.load(c, game_id, visit.me)


def _fields(game: rules.Game, form: FormFields, phase: rules.Phase) -> dict[str, str]:
    """The form's fields in this phase: as many as this game has questions."""
    if phase not in FIELDS:
        raise BadInput("This game has no such phase.")
    fields = form.numbered(FIELDS[phase], game.terms.questions)
    return fields | {name: form.text(name) for name in ALONE} if phase is rules.Phase.GUESS else fields


def _save(visit: Visit, game_id: str, form: FormFields, draft: FormDraft) -> tuple[Drafts | None, bool]:
    """The saved draft, None if too late; and whether it was cut."""
    with visit.writing() as c:
        longest = games.longest(games.load(c, game_id, visit.me)[0].terms)
        fields = {name: text[:longest] for name, text in draft.fields.items()}
        kept = games.save_draft(c, game_id, visit.me, replace(draft, fields=fields), visit.now, based_on=form.text("based_on"))
    return kept, fields != draft.fields


def _made(
    game: rules.Game, position: rules.Place, fields: Mapping[str, str], phase: rules.Phase, now: datetime
) -> rules.Move | None:
    """The move in the fields; None for sliders without a guess, which the player must confirm."""
    if phase is rules.Phase.INTERVIEW:
        return rules.QuestionsMove(tuple(fields.values()))
    if phase is rules.Phase.RESPONSE:
        return rules.AnswersMove(tuple(fields.values()))
    if game.phase(now) is not rules.Phase.GUESS or not game.awaits(position, now):
        raise rules.IllegalMove("this part of the game is already done")
    guess = number(fields["guess"], "guess")
    marks = [text for name, text in fields.items() if name not in ALONE]
    sliders = tuple(number(text, f"mark of answer {answer}") for answer, text in enumerate(marks, 1))
    if guess is None and rules.suggested(sliders) is not None:
        return None
    if guess is None:
        raise BadInput("Write a guess from 0 to 100.")
    return rules.GuessMove(guess, sliders, None if game.seats[position].knows_human else _judgement(fields))


def _judgement(fields: Mapping[str, str]) -> rules.PersonOrMachine:
    """Whether a player takes the other for a person. Players who accept machines are asked; those who refuse them know."""
    if fields["who"] not in WHO:
        raise BadInput("Say whether the other player is a person or a machine.")
    sure = number(fields["sure"], "confidence", least=rules.LEAST_SURE)
    if sure is None:
        raise BadInput("Say how sure you are, from 50 (a coin) to 100 percent.")
    return rules.PersonOrMachine(WHO[fields["who"]], sure)


def _suggest(visit: Visit, game_id: str, form: FormFields, draft: FormDraft) -> Response:
    """The guess page again, with the guess that the sliders suggest filled in."""
    fields = draft.fields
    if _save(visit, game_id, form, draft)[0] is None:
        return _too_late(visit, game_id, fields, rules.Phase.GUESS)
    game, position = _loaded(visit, game_id)
    guess = rules.suggested([number(text, name) for name, text in fields.items() if name not in ALONE])
    assert guess is not None
    marks = "mark suggests" if game.terms.questions == 1 else "marks suggest"
    problem = f"Your {marks} the guess below. Change it or keep it, and send it."
    filled = replace(draft, fields={**fields, "guess": f"{guess:.0f}"})
    return _show(visit, game, position, filled, problem=problem, status=422, based_on=form.text("based_on"))


def _show(
    visit: Visit,
    game: rules.Game,
    position: rules.Place,
    draft: FormDraft,
    *,
    problem: str | None = None,
    status: int = 200,
    others: Sequence[FormDraft] = (),
    based_on: str | None = None,
) -> Response:
    what = rules.view(game, position, visit.now)
    values: dict[str, Any] = {"game": game, "view": what, "ready_until": _ready_until(game, position), "taken_over": TAKEN_OVER}
    values |= {"fields": draft.fields, "problem": problem, "hints": game_texts.hints(what.phase, game.terms)}
    values["examples"] = game_texts.EXAMPLES
    values["typing"] = {
        "page": new_id() if based_on is None else draft.page or new_id(),
        "based_on": draft.version if based_on is None else based_on,
        "others": [(other.version, typed(other.fields)) for other in others],
    }
    if what.yours:
        return visit.page(TEMPLATES[what.phase], status, **values)
    if what.phase is rules.Phase.OVER:
        won = rules.outcome(game, position)
        return visit.page("game_over", status, outcome=won, outcomes=game_texts.OUTCOMES, **values)
    if what.ended is not None:
        text = in_words(game, what.ended, position)
        return visit.page("game_expired", status, said=text, played_on=PLAYED_ON if game.left(position) else None, **values)
    values |= {
        "theirs": game_texts.their_turn(what.phase, game.terms),
        "meanwhile": game_texts.meanwhile(what.phase, game.terms),
    }
    return visit.page("game_wait", status, **values)


def _ready_until(game: rules.Game, position: rules.Place) -> datetime | None:
    """The time until which the player must confirm to be present; None if that is done or not needed."""
    return None if game.begun is None or game.seats[position].ready is not None else game.begun + rules.READY_WITHIN
