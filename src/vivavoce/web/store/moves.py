"""Moves in games; games that end early or continue with a machine."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, or_, select, update

from vivavoce.formats.json_values import to_json
from vivavoce.luna import rules
from vivavoce.luna.rules import outcome as outcome_of
from vivavoce.web.store import move_delays
from vivavoce.web.store.games import LoadedGame, get_ready, loaded, tell, tell_of_end
from vivavoce.web.store.machines import house_seen
from vivavoce.web.store.mails import Occasion
from vivavoce.web.store.people import Player, seen
from vivavoce.web.store.ratings import received
from vivavoce.web.store.site import alone, changed, lock_players
from vivavoce.web.tables import DRAFTS, GAMES, HELD, PLAYERS, QUEUE, SEATS


def games_to_end(c: Connection, now: datetime) -> tuple[Sequence[str], Collection[str]]:
    """Unmarked games that ran out of time, or whose player was not ready in time, now locked; and their players."""
    absent = GAMES.c.id.in_(select(SEATS.c.game).where(SEATS.c.ready.is_(None)))
    return _locked(c, or_(GAMES.c.expires <= now, (GAMES.c.begun <= now - rules.READY_WITHIN) & absent))


def end_games(c: Connection, games: Sequence[str], now: datetime) -> int:
    """End the games that are over by now; the players must be locked. Returns the number of games."""
    ended = 0
    for game_id in games:
        game = loaded(c, game_id, lock=False).game
        why = game.ended(now)
        if why is not None:
            leave(c, game, why, now)
            ended += 1
    return ended


def leave(c: Connection, game: rules.Game, ended: rules.GameEnding, now: datetime) -> None:
    """End a locked game with its players, or let a machine take over the seat of the player who left."""
    if ended.by is not None and (going_on := rules.take_over(game, ended, now)) and house_seen(c, now) is not None:
        _take_over(c, going_on, ended, ended.by, now)
        return
    row = {"state": "expired", "ending": ended.reason, "ended_by": ended.by, "expires": min(now, game.expires)}
    c.execute(update(GAMES).where(GAMES.c.id == game.id).values(row))
    for table in (DRAFTS, HELD):
        c.execute(delete(table).where(table.c.game == game.id))
    if ended.reason == "not ready":
        _wait_again(c, game, now)
    tell_of_end(c, game, ended, now)


def end_games_of(c: Connection, player: str, reason: rules.Reason, now: datetime) -> None:
    """End the games of a player who will not return, so that opponents do not wait."""
    games, players = _locked(c, GAMES.c.id.in_(select(SEATS.c.game).where(SEATS.c.player == player)))
    lock_players(c, {player, *players})
    for game_id in games:
        game = loaded(c, game_id, lock=False).game
        position: rules.Place = 0 if game.seats[0].player == player else 1
        if game.seats[position].taken_over and game.phase(now) is rules.Phase.INTERVIEW:
            continue  # a machine has taken over this player's seat
        leave(c, game, game.ended(now) or rules.GameEnding(reason, position), now)


def _take_over(c: Connection, game: rules.Game, ended: rules.GameEnding, position: rules.Place, now: datetime) -> None:
    row = {"expires": game.expires, "ending": ended.reason, "ended_by": position}
    c.execute(update(GAMES).where(GAMES.c.id == game.id).values(row))
    seat, other = game.seats[position], game.seats[1 - position]
    taken = update(SEATS).where(SEATS.c.game == game.id, SEATS.c.place == position)
    c.execute(taken.values(taken_over=now, ready=seat.ready))
    c.execute(delete(DRAFTS).where(DRAFTS.c.game == game.id, DRAFTS.c.player == seat.player))
    c.execute(delete(HELD).where(HELD.c.game == game.id))
    changed(c, (seat.player,))
    tell(c, other.player, "taken over", game, now)


def _wait_again(c: Connection, game: rules.Game, now: datetime) -> None:
    """Players who were ready wait for another game; machines queue themselves."""
    there = [game.seats[position] for position in rules.PLACES if position not in game.unready(now)]
    for player in [seat.player for seat in there if seat.human and seat.taken_over is None]:
        waits = select(QUEUE.c.player).where(QUEUE.c.player == player)
        gone = select(PLAYERS.c.id).where(PLAYERS.c.id == player, PLAYERS.c.banned | PLAYERS.c.left_at.is_not(None))
        if c.execute(waits.union(gone)).first() is None:
            c.execute(insert(QUEUE).values(player=player, since=now))


def _locked(c: Connection, which: ColumnElement[bool]) -> tuple[Sequence[str], Collection[str]]:
    order = select(GAMES.c.id).where(GAMES.c.state == "open", which).order_by(GAMES.c.expires, GAMES.c.id)
    games = c.execute(order.with_for_update()).scalars().all()
    players = c.execute(select(SEATS.c.player).where(SEATS.c.game.in_(games)).distinct()).scalars().all() if games else []
    return games, players


_SEAT_OF = (SEATS.c.game == bindparam("of_game"), SEATS.c.place == bindparam("of_place"))
_WRITE_SEAT = update(SEATS).where(*_SEAT_OF)
_WRITE_GAME = update(GAMES).where(GAMES.c.id == bindparam("of_game"))
_NO_DRAFT = delete(DRAFTS).where(DRAFTS.c.game == bindparam("of_game"), DRAFTS.c.player == bindparam("of_player"))
_DUE = select(HELD.c.game, HELD.c.place, HELD.c.move, HELD.c.due).order_by(HELD.c.due, HELD.c.game)
_ANY_DUE = select(HELD.c.game).where(HELD.c.due <= bindparam("now")).limit(1)
_DUE_AGAINST = _ANY_DUE.where(HELD.c.opponent == bindparam("of"))
_PUT = (
    update(HELD).where(HELD.c.game == bindparam("of_game"), HELD.c.place == bindparam("of_place")).values(due=bindparam("at"))
)
_NOT_HELD = delete(HELD).where(HELD.c.game == bindparam("of_game"), HELD.c.place == bindparam("of_place"))


def make_move(
    c: Connection, game_id: str, player: Player, move: rules.Move, now: datetime, *, hold_back: random.Random | None = None
) -> rules.Game:
    """Make a player's move, and return the game. The last move changes both ratings in the same transaction.

    Parameters
    ----------
    hold_back: draws the delay of a machine's move, during which the game does not change. None: no delay.

    The other player learns what opens for them, and nothing else; by mail if they want mail and are away. The draft is deleted.

    Raises `NotYourGame`, `IllegalMove`, `BadInput`; then nothing has changed.
    """
    before = _newest(c, game_id, now)
    position = before.place_of(player)
    game = rules.play(before.game, position, move, now)
    other: rules.Place = 0 if position else 1
    if before.held[position] is not None:
        raise rules.IllegalMove("you have finished this phase: wait for the other player")
    seen(c, player, now)
    if hold_back is not None and not player.human:
        times = move_delays.drawn_times(c, before.game, move, now, hold_back)
        due = move_delays.due(times, before.game.since, now, before.game.waits_since(other, now))
        if due > now:
            _hold(c, before.game, position, move, times, due)
            return before.game
    held = before.held[other]
    if held is None:
        return _write(c, before, game, position, move, now)
    lock_players(c, {seat.player for seat in game.seats})  # both change where the other's move is made with this one
    _write(c, before, game, position, move, now)
    due = move_delays.due(held.times, game.since, now, now)
    c.execute(_PUT, {"of_game": game.id, "of_place": other, "at": due})
    _release(c, HELD.c.game == game.id, now)
    return loaded(c, game.id, lock=False).game


def move_in_place(
    c: Connection, game_id: str, position: rules.Place, machine: Player, move: rules.Move, now: datetime
) -> rules.Game:
    """The game after a replacement machine's move, which is not delayed because both players know about it. Raises as
    `make_move` does.
    """
    before = _newest(c, game_id, now)
    game = rules.play(before.game, position, move, now, machine=True)
    seen(c, machine, now)
    return _write(c, before, game, position, move, now)


def resign(c: Connection, game_id: str, player: Player, now: datetime) -> rules.Game:
    """Give up a game: it ends without a result, or a machine continues it. Raises `NotYourGame`, `IllegalMove`."""
    before = _newest(c, game_id, now)
    position = before.place_of(player)
    if before.game.phase(now) in (rules.Phase.OVER, rules.Phase.EXPIRED) or before.game.seats[position].taken_over:
        raise rules.IllegalMove("this game has ended")
    lock_players(c, {seat.player for seat in before.game.seats})
    leave(c, before.game, rules.GameEnding("resigned", position), now)
    seen(c, player, now)
    return loaded(c, game_id, lock=False).game


def ready(c: Connection, game_id: str, player: Player, now: datetime) -> None:
    """Record that the player is present and starts. Raises `NotYourGame`; does nothing in a game that has ended."""
    before = _newest(c, game_id, now)
    seen(c, player, now)
    get_ready(c, before.game, before.place_of(player), now)


def _newest(c: Connection, game_id: str, now: datetime) -> LoadedGame:
    """The game, locked, after its due moves are made."""
    before = loaded(c, game_id, lock=True)
    if not any(held is not None and held.due <= now for held in before.held):
        return before
    _release(c, HELD.c.game == before.game.id, now)
    return loaded(c, game_id, lock=True)


def release(c: Connection, now: datetime, player: Player | None = None) -> int:
    """Make due moves, each with its own time, in this player's games or in all. Returns their number."""
    mine = True if player is None else or_(HELD.c.player == player.id, HELD.c.opponent == player.id)
    alone(c)  # several games are locked
    return _release(c, mine, now)


def any_due(c: Connection, player: Player | None, now: datetime) -> bool:
    """Whether due moves in this player's games, or in any, are not yet made."""
    if player is None:
        return c.execute(_ANY_DUE, {"now": now}).first() is not None
    return c.execute(_DUE_AGAINST, {"now": now, "of": player.id}).first() is not None


def held_of(c: Connection, player: Player, game: str | None = None) -> dict[str, rules.Move]:
    """The delayed moves of this machine, by game; of one game, or of all."""
    if player.human:
        return {}
    which = HELD.c.player == player.id if game is None else (HELD.c.player == player.id) & (HELD.c.game == game)
    return {row.game: as_move(row.move) for row in c.execute(select(HELD.c.game, HELD.c.move).where(which))}


def _release(c: Connection, which: Any, now: datetime) -> int:
    made = 0
    for game_id, position, move, due in c.execute(_DUE.where(which, HELD.c.due <= now)).all():
        before = loaded(c, game_id, lock=True)
        if not c.execute(_NOT_HELD, {"of_game": game_id, "of_place": position}).rowcount:
            continue  # another process was quicker
        try:
            _write(c, before, rules.play(before.game, position, as_move(move), due), position, as_move(move), due)
        except rules.IllegalMove:  # the game has ended meanwhile
            continue
        made += 1
    return made


def _hold(
    c: Connection, game: rules.Game, position: rules.Place, move: rules.Move, times: Sequence[float], due: datetime
) -> None:
    own, other = game.seats[position], game.seats[1 - position]
    row = {"game": game.id, "place": position, "player": own.player, "opponent": other.player}
    c.execute(insert(HELD).values(row | {"move": to_json(move), "times": times, "due": due}))


def _write(
    c: Connection, before: LoadedGame, game: rules.Game, position: rules.Place, move: rules.Move, at: datetime
) -> rules.Game:
    """Save the game after a move, and tell both players."""
    player, other = before.game.seats[position].player, before.game.seats[1 - position].player
    if rules.is_complete(game):
        game = _conclude(c, game, at)
    over = game.verdicts is not None
    _update(c, game, position, move, at)
    state: dict[str, object] = {"state": "over", "finished": at} if over else {"expires": game.expires}
    c.execute(_WRITE_GAME, {"of_game": game.id, **state})
    c.execute(_NO_DRAFT, {"of_game": game.id, "of_player": player})
    opens = game.phase(at) is not before.game.phase(at)
    occasion: Occasion | None = "over" if over else "turn" if opens else None
    for text in sorted((player, other)):
        if text == player:
            changed(c, (player,))
        elif occasion is not None:  # a player must not learn of changes that open nothing for them yet
            tell(c, other, occasion, game, at)
    return game


def _update(c: Connection, game: rules.Game, position: rules.Place, move: rules.Move, at: datetime) -> None:
    seat = game.seats[position]
    written: Mapping[str, object]
    match move:
        case rules.QuestionsMove():
            written = {"questions": seat.questions, "asked": at, "ready": seat.ready}
        case rules.AnswersMove():
            written = {"answers": seat.answers, "answered": at}
        case rules.GuessMove():
            machine = seat.judgement
            written = {"guess": seat.guess, "sliders": seat.sliders, "guessed": at, "thinks_human": machine and machine.human,
                       "confidence": machine and machine.confidence}  # fmt: skip
    c.execute(_WRITE_SEAT, {"of_game": game.id, "of_place": position, **written})


def _conclude(c: Connection, game: rules.Game, now: datetime) -> rules.Game:
    """The finished game, with each player's result."""
    first, second = game.seats
    lock_players(c, (first.player, second.player))  # if two games of one player end at once, they count one after the other
    game = rules.conclude(game, (received(c, _who_answered(c, game, 0, now)), received(c, _who_answered(c, game, 1, now))))
    assert game.verdicts is not None
    c.execute(_WRITE_SEAT, [_result(game, 0, game.verdicts[0], now), _result(game, 1, game.verdicts[1], now)])
    return game


def _who_answered(c: Connection, game: rules.Game, position: rules.Place, now: datetime) -> str:
    """The player whose rating the other guessed: the built-in opponent's, if it took over the seat and gave the answers."""
    seat = game.seats[position]
    if seat.taken_over is None or (house := house_seen(c, now)) is None:
        return seat.player
    answered = c.execute(select(SEATS.c.answered).where(SEATS.c.game == game.id, SEATS.c.place == position)).scalar_one()
    return house[0] if answered >= seat.taken_over else seat.player


def _result(game: rules.Game, position: rules.Place, verdict: rules.RatingChange, now: datetime) -> dict[str, object]:
    other = game.seats[1 - position]
    counts = not rules.rates_nobody(game)  # ratings, statistics and flags use finished seats only
    return {
        "of_game": game.id,
        "of_place": position,
        "finished": now if counts else None,
        "received": other.guess if counts else None,
        "received_from_human": other.human if counts else None,
        "rating_before": verdict.rating_before,
        "rating_after": verdict.rating_after,
        "outcome": outcome_of(game, position),
    }


def as_move(saved: dict[str, Any]) -> rules.Move:
    """The move that was saved.

    >>> guesses = rules.GuessMove(7.0), rules.GuessMove(7.0, judgement=rules.PersonOrMachine(False, 80.0))
    >>> [as_move(to_json(move)) == move for move in guesses]
    [True, True]
    """
    if "questions" in saved:
        return rules.QuestionsMove(tuple(saved["questions"]))
    if "answers" in saved:
        return rules.AnswersMove(tuple(saved["answers"]))
    judgement = None if saved["judgement"] is None else rules.PersonOrMachine(**saved["judgement"])
    return rules.GuessMove(saved["guess"], tuple(saved["sliders"]), judgement)
