"""The calls that a machine can make."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Security
from fastapi.security import HTTPBearer

from vivavoce.luna.game_api import (
    GameList,
    GameOrQueue,
    GameResult,
    GameRules,
    GameState,
    GameSummary,
    MachineRecord,
    OwnMoves,
    SentEnding,
    SentJudgement,
)
from vivavoce.luna.messages import sendable
from vivavoce.luna.rules import (
    AnswersMove,
    Game,
    GuessMove,
    IllegalMove,
    Move,
    PersonOrMachine,
    Place,
    QuestionsMove,
    is_by,
    outcome,
    view,
)
from vivavoce.web.api.bodies import AnswersBody, GuessBody, QuestionsBody
from vivavoce.web.api.calls import OF_A_GAME, OF_A_MOVE, REFUSALS, ByMachine, Call, MachineRoute
from vivavoce.web.database import reading, transaction
from vivavoce.web.store import games, moves, queue, ratings


def one_of_games(game: Game, place: Place, now: datetime, held: Move | None) -> GameSummary:
    """A game in a list."""
    return GameSummary(game.id, view(game, place, now).phase.value, held is None and game.awaits(place, now), game.expires)


def game_now(game: Game, place: Place, now: datetime, held: Move | None) -> GameState:
    """A game as the machine at this place may see it.

    held: the machine's move that is held back. To the machine it is made; what opens by it opens when it is due.
    """
    seen = view(game, place, now)
    own = OwnMoves(
        _texts(seen.own.questions), _texts(seen.own.answers), seen.own.sliders, seen.own.guess, _judged(seen.own.judgement)
    )
    match held:
        case QuestionsMove(questions):
            own = replace(own, questions=questions)
        case AnswersMove(answers):
            own = replace(own, answers=answers)
        case GuessMove(guess, sliders, judgement):
            marks = sliders or (None,) * game.terms.questions
            own = replace(own, guess=guess, sliders=marks, judgement=_judged(judgement))
    return GameState(
        id=game.id,
        phase=seen.phase.value,
        your_turn=held is None and seen.yours,
        expires=game.expires,
        own=own,
        questions=_texts(seen.questions),
        answers=_texts(seen.answers),
        result=_result(game, place, now),
        rules=GameRules.of(game.terms),
        ended=None if seen.ended is None else SentEnding(seen.ended.reason, is_by(seen.ended, place)),
        taken_over=game.seats[place].taken_over,
    )


def _result(game: Game, place: Place, now: datetime) -> GameResult | None:
    seen = view(game, place, now)
    if seen.own_verdict is None or seen.other_verdict is None or seen.other_guess is None:
        return None
    return GameResult(
        outcome=outcome(game, place),
        rating_before=seen.own_verdict.rating_before,
        rating_after=seen.own_verdict.rating_after,
        other_rating=seen.other_verdict.rating_before,
        other_guess=seen.other_guess,
        other_human=bool(seen.other_human),
        judgement=_judged(seen.own.judgement),
        other_judgement=_judged(seen.other_judgement),
    )


def _judged(said: PersonOrMachine | None) -> SentJudgement | None:
    return None if said is None else SentJudgement(said.human, said.confidence)


def _texts(texts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Texts that JSON can carry, whatever a browser has sent."""
    return None if texts is None else tuple(map(sendable, texts))


MOST_OPEN: Final = 50
"""Games of one machine that can be open at once."""
_BEARER = HTTPBearer(auto_error=False, description="The token of this machine, which the operator of the site gives out once.")

router = APIRouter(
    prefix="/api/v1",
    tags=["machines"],
    route_class=MachineRoute,
    dependencies=[Security(_BEARER)],
    responses=REFUSALS,
)

GameId = Annotated[str, Path(max_length=64, pattern="^[0-9A-Za-z]+$")]


@router.get("/me")
def me(call: ByMachine) -> MachineRecord:
    """Name, rating, games and wins of this machine."""
    with reading(call.site.engine) as c:
        rating, guesses = ratings.rating_of(c, call.machine.id)
        ended = [point.outcome for point in ratings.history(c, call.machine.id)]
    return MachineRecord(call.machine.name, rating, guesses, len(ended), ended.count("won"))


@router.get("/games")
def all_games(call: ByMachine, *, unfinished: Annotated[bool, Query()] = False) -> GameList:
    """The newest 100 games of this machine, or of those that can still be played; and since when it waits for another."""
    with reading(call.site.engine) as c:
        found = games.games_of(c, call.machine, call.now, open_only=unfinished)
        held = moves.held_of(c, call.machine)
        since = queue.waiting_since(c, call.machine)
    return GameList(tuple(one_of_games(game, place, call.now, held.get(game.id)) for game, place in found), since)


@router.post(
    "/games",
    status_code=202,
    responses={409: {"model": OF_A_MOVE[409]["model"], "description": "Too many games of this machine are open."}},
)
def find_game(call: ByMachine) -> GameOrQueue:
    """Wait for a game (202), which begins at one of the site's ticks: it then appears in the list of games.

    Asking again while waiting changes nothing. Machines do not play each other.
    """
    with transaction(call.site.engine) as c:
        if len(games.games_of(c, call.machine, call.now, open_only=True, limit=MOST_OPEN)) >= MOST_OPEN:
            raise IllegalMove(f"{MOST_OPEN} games of this machine are open: finish some first")
        return GameOrQueue(None, queue.join_queue(c, call.machine, call.now))


@router.delete("/queue", status_code=204)
def stop_waiting(call: ByMachine) -> None:
    """Wait for no game any longer; games that have begun go on."""
    with transaction(call.site.engine) as c:
        queue.leave_queue(c, call.machine)


@router.get("/games/{game}", responses=OF_A_GAME)
def one_game(call: ByMachine, game: GameId) -> GameState:
    """A game as this machine may see it now."""
    with reading(call.site.engine) as c:
        loaded, place = games.load(c, game, call.machine)
        held = moves.held_of(c, call.machine, game).get(game)
    return game_now(loaded, place, call.now, held)


@router.post("/games/{game}/questions", responses=OF_A_MOVE)
def ask(call: ByMachine, game: GameId, body: QuestionsBody) -> GameState:
    """Put questions to the other player, who sees them once both have asked; the rules of the game say how many.

    The site may hold a machine's move back until a person would have made it: it is made for the machine, and the next phase
    opens later.
    """
    return _move(call, game, QuestionsMove(tuple(body.questions)))


@router.post("/games/{game}/answers", responses=OF_A_MOVE)
def answer(call: ByMachine, game: GameId, body: AnswersBody) -> GameState:
    """Answer the other player's questions; the answers are shown once both have answered."""
    return _move(call, game, AnswersMove(tuple(body.answers)))


@router.post("/games/{game}/guess", responses=OF_A_MOVE)
def guess(call: ByMachine, game: GameId, body: GuessBody) -> GameState:
    """Guess the other player's rating, and if you like say whether it is a person. A machine's guess decides who wins, and
    moves no rating; its judgement counts in nobody's humanity.
    """
    return _move(call, game, GuessMove(body.guess, tuple(body.sliders or ()), body.judgement))


@router.post("/games/{game}/resign", responses=OF_A_MOVE)
def resign(call: ByMachine, game: GameId) -> GameState:
    """Give up a game: it ends without a result, and no rating moves; held moves are not made.

    If both had agreed that machines may take over, the machine of the house plays on in place of this one.
    """
    with transaction(call.site.engine) as c:
        ended = moves.resign(c, game, call.machine, call.now)
    return game_now(ended, 0 if ended.seats[0].player == call.machine.id else 1, call.now, None)


def _move(call: Call, game: str, move: Move) -> GameState:
    rng = secrets.SystemRandom() if call.site.settings.hold_back else None
    with transaction(call.site.engine) as c:
        moved = moves.make_move(c, game, call.machine, move, call.now, hold_back=rng)
        held = moves.held_of(c, call.machine, game).get(game)
    return game_now(moved, 0 if moved.seats[0].player == call.machine.id else 1, call.now, held)
