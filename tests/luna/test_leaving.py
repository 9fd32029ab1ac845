"""Ways out of a game: not to be there, to resign, to leave, to let time pass; and a machine that plays on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.luna.rules import (
    PLACES,
    READY_WITHIN,
    AnswersMove,
    Game,
    GameEnding,
    GuessMove,
    IllegalMove,
    Move,
    Phase,
    Place,
    QuestionsMove,
    Reason,
    Seat,
    conclude,
    is_by,
    play,
    rates_nobody,
    take_over,
    view,
)
from vivavoce.luna.settings import THESIS
from vivavoce.web.store.games import in_words

EXPIRY = THESIS.expiry
START = datetime(2026, 1, 1, tzinfo=UTC)
SOON = START + timedelta(seconds=10)
MOVES: tuple[Move, ...] = (QuestionsMove(("?",) * 5), AnswersMove(("!",) * 5), GuessMove(40.0))


def begun(*, ready: tuple[bool, bool] = (False, False), human: tuple[bool, bool] = (True, True), agreed: bool = False) -> Game:
    seats = [
        Seat(name, kind, ready=START if is_ready else None) for name, kind, is_ready in zip("ab", human, ready, strict=True)
    ]
    return Game("1", (seats[0], seats[1]), START, begun=START, machines_may_take_over=agreed)


def after(game: Game, phases: int, *more: Place) -> Game:
    """After so many whole phases, and further moves of these."""
    for move in MOVES[:phases]:
        for position in PLACES:
            game = play(game, position, move, SOON)
    for position in more:
        game = play(game, position, MOVES[phases], SOON)
    return game


@pytest.mark.parametrize(
    ("ready", "by"), [((True, False), 1), ((False, True), 0), ((False, False), None), ((True, True), "nobody")]
)
def test_whoever_is_not_there_in_time_ends_the_game(ready: tuple[bool, bool], by: Place | str | None) -> None:
    game = begun(ready=ready)
    just = START + READY_WITHIN - timedelta(milliseconds=1)
    assert game.phase(just) is Phase.INTERVIEW
    assert game.ended(just) is None
    at = START + READY_WITHIN
    if by == "nobody":
        assert game.phase(at) is Phase.INTERVIEW
    else:
        assert game.phase(at) is Phase.EXPIRED
        assert game.ended(at) == GameEnding("not ready", by)  # type: ignore[arg-type]
        with pytest.raises(IllegalMove, match="has ended"):
            play(game, 0, MOVES[0], at)


def test_a_move_says_that_its_player_is_there() -> None:
    game = play(play(begun(), 0, MOVES[0], SOON), 1, MOVES[0], SOON)
    assert [seat.ready for seat in game.seats] == [SOON, SOON]
    assert game.phase(START + timedelta(days=2)) is Phase.RESPONSE


def test_games_in_which_nobody_is_asked_wait_for_their_three_days() -> None:
    assert replace(begun(), begun=None).phase(START + timedelta(days=2)) is Phase.INTERVIEW


@pytest.mark.parametrize("phases", [0, 1, 2])
@pytest.mark.parametrize(("moved", "by"), [((), None), ((0,), 1), ((1,), 0)])
def test_time_runs_out_for_who_has_not_moved(phases: int, moved: tuple[Place, ...], by: Place | None) -> None:
    game = after(begun(ready=(True, True)), phases, *moved)
    assert game.ended(game.since + EXPIRY) == GameEnding("time", by)
    text = in_words(game, GameEnding("time", 1), 0)
    assert text == f"The time ran out: the other player had not {('asked', 'answered', 'guessed')[phases]}"


def test_what_was_written_down_stays() -> None:
    game = replace(begun(ready=(True, True)), closed=True, ending=GameEnding("resigned", 0))
    assert game.ended(START) == GameEnding("resigned", 0)
    assert replace(game, ending=None).ended(START) == GameEnding(None, None)


@given(
    reason=st.sampled_from([*get_args(Reason), None]),
    by=st.sampled_from([0, 1, None]),
    human=st.tuples(st.booleans(), st.booleans()),
    phases=st.integers(0, 2),
)
def test_words_tell_of_nobody_whether_it_is_a_machine(
    reason: Reason | None, by: Place | None, human: tuple[bool, bool], phases: int
) -> None:
    game, ended = after(begun(human=human), phases), GameEnding(reason, by)
    for position in PLACES:
        text = in_words(game, ended, position)
        assert text == in_words(after(begun(), phases), ended, position)
        assert not any(word in text.lower() for word in ("machine", "person", "robot", "human", "{", "}"))
        assert text[0].isupper()
        if by is not None and reason in ("resigned", "left", "time", "not ready"):
            assert text.startswith("You") == (position == by and reason != "time") or "you had" in text
        assert is_by(ended, position) == (reason is not None and by in (None, position))


@pytest.mark.parametrize("reason", ["resigned", "time", "left"])
def test_a_machine_plays_on_where_both_had_agreed(reason: Reason) -> None:
    now = SOON + timedelta(days=1)
    game = begun(ready=(True, True), agreed=True)
    going_on = take_over(game, GameEnding(reason, 0), now)
    assert going_on is not None
    assert going_on.phase(now + EXPIRY - timedelta(seconds=1)) is Phase.INTERVIEW  # the time begins anew
    assert going_on.left(0) == GameEnding(reason, 0)
    assert going_on.left(1) is None
    assert take_over(replace(game, machines_may_take_over=False), GameEnding(reason, 0), now) is None


@pytest.mark.parametrize("reason", ["banned", "not ready"])
def test_for_other_reasons_it_does_not(reason: Reason) -> None:
    assert take_over(begun(agreed=True), GameEnding(reason, 0), SOON) is None


def test_nor_for_both_nor_for_a_machine_that_stays_nor_twice() -> None:
    game = begun(ready=(True, True), agreed=True)
    assert take_over(game, GameEnding("time", None), SOON) is None
    assert take_over(begun(human=(True, False), agreed=True), GameEnding("resigned", 0), SOON) is None
    assert take_over(begun(human=(False, True), agreed=True), GameEnding("resigned", 0), SOON) is not None
    once = take_over(game, GameEnding("resigned", 0), SOON)
    assert once is not None
    assert take_over(once, GameEnding("resigned", 1), SOON) is None
    assert take_over(once, GameEnding("time", 0), SOON) is None


def test_who_takes_along_what_was_seen_ends_the_game() -> None:
    game = begun(ready=(True, True), agreed=True)
    assert take_over(after(game, 0, 0), GameEnding("left", 0), SOON) is not None
    assert take_over(after(game, 1), GameEnding("left", 0), SOON) is None
    assert take_over(after(game, 1), GameEnding("resigned", 0), SOON) is not None


def test_a_game_that_was_taken_over_shows_nothing_to_who_left_and_rates_nobody() -> None:
    game = take_over(after(begun(ready=(True, True), agreed=True), 1), GameEnding("resigned", 0), SOON)
    assert game is not None
    with pytest.raises(IllegalMove):
        play(game, 0, MOVES[1], SOON)
    with pytest.raises(IllegalMove):
        play(game, 1, MOVES[1], SOON, machine=True)
    for move in MOVES[1:]:
        assert game.awaits(0, SOON, machine=True)
        assert not game.awaits(0, SOON)
        game = play(play(game, 0, move, SOON, machine=True), 1, move, SOON)
    assert rates_nobody(game)
    game = conclude(game, ([10.0, 20.0], [70.0]))
    assert game.verdicts is not None
    assert [(change.rating_before, change.rating_after) for change in game.verdicts] == [(15.0, 15.0), (70.0, 70.0)]
    gone, stays = view(game, 0, SOON), view(game, 1, SOON)
    assert (gone.phase, gone.ended) == (Phase.EXPIRED, GameEnding("resigned", 0))
    assert (gone.questions, gone.answers, gone.other_guess, gone.own.questions, gone.other_human) == (None,) * 5
    assert (stays.phase, stays.other_taken_over, stays.other_guess) == (Phase.OVER, SOON, 40.0)
