"""No sequence of moves breaks a rule of the game: a machine of states plays at random beside a log; and all ways out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from tests.each_case import each_case
from vivavoce.errors import BadInput
from vivavoce.luna.rules import (
    PLACES,
    READY_WITHIN,
    AnswersMove,
    Game,
    GameEnding,
    GuessMove,
    IllegalMove,
    Move,
    PersonOrMachine,
    Phase,
    Place,
    QuestionsMove,
    RatingChange,
    Reason,
    Seat,
    conclude,
    is_by,
    is_complete,
    outcome,
    play,
    rates_nobody,
    rating,
    suggested,
    take_over,
    view,
)
from vivavoce.luna.settings import LONGEST_TEXT, MOST_QUESTIONS, THESIS, GameTerms
from vivavoce.web.store.games import in_words

START = datetime(2026, 1, 1, tzinfo=UTC)
MIRROR = {"won": ("lost", "first"), "lost": ("won",), "tied": ("tied",), "first": ("won",)}
KINDS: tuple[type[Move], ...] = (QuestionsMove, AnswersMove, GuessMove)
DUE: dict[Phase, type[Move]] = {Phase.INTERVIEW: QuestionsMove, Phase.RESPONSE: AnswersMove, Phase.GUESS: GuessMove}

guesses = st.floats(0, 100)
sliders = st.lists(st.none() | st.floats(0, 100), min_size=MOST_QUESTIONS, max_size=MOST_QUESTIONS).map(tuple)
"""Of which a game takes as many as it has questions."""
all_terms = st.builds(
    GameTerms, st.integers(1, MOST_QUESTIONS), st.integers(200, LONGEST_TEXT), st.sampled_from([0.04, 0.5, 3.0, 30.0])
)


class SeveralGames(RuleBasedStateMachine):
    """Four people and two machines play several games at once; `log` is what was guessed of whom, in the order of endings."""

    games = Bundle("games")

    @initialize(terms=all_terms)
    def begin(self, terms: GameTerms) -> None:
        self.now = START
        self.terms = terms
        self.human = {"ann": True, "bob": True, "eve": True, "kim": True, "bot": False, "eliza": False}
        self.live: dict[int, Game] = {}
        self.secrets: dict[int, dict[Place, list[str]]] = {}
        self.log: list[tuple[str, float, bool]] = []
        self.ended: dict[int, Game] = {}
        self.opened: dict[int, datetime] = {}
        self.made: dict[int, set[tuple[Place, type[Move]]]] = {}

    @rule(target=games, pair=st.sampled_from(["ann bob", "ann eve", "bob bot", "eve kim", "bot eliza", "kim bot"]))
    def new_game(self, pair: str) -> int:
        number, (name, other) = len(self.live), pair.split()
        seats = Seat(name, self.human[name]), Seat(other, self.human[other])
        self.live[number] = Game(str(number), seats, self.now, terms=self.terms)
        self.secrets[number], self.made[number] = {0: [], 1: []}, set()
        self.opened[number] = self.now
        return number

    @rule(share=st.sampled_from([0.001, 0.07, 0.4, 0.999, 1]))
    def wait(self, share: float) -> None:
        self.now += share * self.terms.expiry

    @rule(number=games, guess=guesses, surenesses=sliders)
    def go_on(self, number: int, guess: float, surenesses: tuple[float | None, ...]) -> None:
        """Two moves that are due: by chance alone games would hardly ever end."""
        for _ in range(2):
            due = {Phase.INTERVIEW: QuestionsMove, Phase.RESPONSE: AnswersMove, Phase.GUESS: GuessMove}.get(
                self.live[number].phase(self.now)
            )
            for position in PLACES:
                if due is not None and (position, due) not in self.made[number]:
                    self.move(number, position, due, guess, surenesses)
                    break

    @rule(number=games, position=st.sampled_from(PLACES), kind=st.sampled_from(KINDS), guess=guesses, sureness=sliders)
    def move(self, number: int, position: Place, kind: type[Move], guess: float, sureness: tuple[float | None, ...]) -> None:
        before = self.live[number]
        texts = tuple(f"{number}/{position}/{kind.__name__}/{n}" for n in range(self.terms.questions))
        sureness = sureness[: self.terms.questions]
        move: Move = (
            GuessMove(guess, sureness)
            if kind is GuessMove
            else QuestionsMove(texts)
            if kind is QuestionsMove
            else AnswersMove(texts)
        )
        due = DUE.get(before.phase(self.now))
        allowed = (
            kind is due and (position, kind) not in self.made[number] and self.now - self.opened[number] < self.terms.expiry
        )
        try:
            after = play(before, position, move, self.now)
        except IllegalMove:
            assert not allowed
            assert self.live[number] == before
            return
        assert allowed
        assert after.terms == self.terms
        self.made[number].add((position, kind))
        if (1 - position, kind) in self.made[number]:  # both have made it, so that the next phase opens
            self.opened[number] = self.now
        self.secrets[number][position] += [] if kind is GuessMove else texts
        if is_complete(after):
            after = self.end(number, after)
        assert after.seats[1 - position] == before.seats[1 - position]  # nobody moves for somebody else
        self.live[number] = after

    def end(self, number: int, game: Game) -> Game:
        entry, other = game.seats
        before = tuple([guess for whose, guess, human in self.log if whose == seat.player and human] for seat in game.seats)
        game = conclude(game, (before[0], before[1]))
        assert entry.guess is not None
        assert other.guess is not None
        self.log += [(entry.player, other.guess, other.human), (other.player, entry.guess, entry.human)]
        assert game.verdicts is not None
        for seat, verdict, known in zip(game.seats, game.verdicts, before, strict=True):
            assert verdict.rating_before == (pytest.approx(fmean(known)) if known else None)
            after = [guess for whose, guess, human in self.log if whose == seat.player and human]
            assert verdict.rating_after == (pytest.approx(fmean(after)) if after else None)
        self.ended[number] = game
        with pytest.raises(IllegalMove):
            conclude(game, (before[0], before[1]))
        return game

    @invariant()
    def hidden_parts_stay_hidden(self) -> None:
        for number, game in self.live.items():
            for position in PLACES:
                seen = view(game, position, self.now)
                both = {kind for kind in (QuestionsMove, AnswersMove, GuessMove) if {(0, kind), (1, kind)} <= self.made[number]}
                secrets = self.secrets[number][1 if position == 0 else 0]
                wanted = [kind.__name__ for kind in (QuestionsMove, AnswersMove) if kind in both]
                assert [text for text in secrets if text in repr(seen)] == [
                    text for text in secrets if text.split("/")[2] in wanted
                ]
                ending = (seen.other_guess, seen.other_human, seen.own_verdict, seen.other_verdict)
                assert all((part is not None) == (GuessMove in both) for part in ending)

    @invariant()
    def both_see_the_same_outcome_and_it_never_changes(self) -> None:
        for number, game in self.ended.items():
            assert self.live[number] == game
            assert game.phase(self.now + 10 * self.terms.expiry) is Phase.OVER
            assert outcome(game, 1) in MIRROR[outcome(game, 0)]
            player_view, other = view(game, 0, self.now), view(game, 1, self.now)
            assert (player_view.own_verdict, player_view.other_verdict) == (other.other_verdict, other.own_verdict)
            assert (player_view.own.guess, player_view.other_guess) == (other.other_guess, other.own.guess)

    @invariant()
    def no_turn_after_the_end(self) -> None:
        for number, game in self.live.items():
            phase = game.phase(self.now)
            expired = number not in self.ended and self.now - self.opened[number] >= self.terms.expiry
            assert (phase is Phase.EXPIRED) == expired
            assert (phase is Phase.OVER) == (number in self.ended)
            turns = [game.awaits(index, self.now) for index in PLACES]
            assert any(turns) == (phase not in (Phase.OVER, Phase.EXPIRED))  # somebody can always go on


TestSite = SeveralGames.TestCase
TestSite.settings = settings(max_examples=15, stateful_step_count=50)


def over(before: tuple[float | None, float | None], given: tuple[float, float]) -> Game:
    """A finished game: with these ratings, the first guessed the first number, the second the second."""
    seats = (Seat("ann", True, guess=given[0]), Seat("bob", True, guess=given[1]))
    return Game("1", seats, START, (RatingChange(before[0], None), RatingChange(before[1], None)))


@each_case(
    ("before", "given", "outcomes"),
    [
        # Ann has 80, Bob 40. Ann guesses 50 of Bob: 10 off; Bob guesses 60 of Ann: 20 off
        ((80.0, 40.0), (50.0, 60.0), ("won", "lost")),
        ((80.0, 40.0), (10.0, 60.0), ("lost", "won")),  # 30 off, 20 off
        ((80.0, 40.0), (20.0, 100.0), ("tied", "tied")),  # 20 below, 20 above: distance is all that counts
        ((80.0, 40.0), (40.0, 80.0), ("tied", "tied")),
        ((None, 40.0), (40.0, 0.0), ("first", "won")),  # the veteran wins, and the newcomer does not lose
        ((80.0, None), (0.0, 80.0), ("won", "first")),
        ((None, None), (0.0, 100.0), ("tied", "tied")),
    ],
)
def test_who_wins(before: tuple[float | None, float | None], given: tuple[float, float], outcomes: tuple[str, str]) -> None:
    game = over(before, given)
    assert (outcome(game, 0), outcome(game, 1)) == outcomes


def test_machines_guesses_are_seen_and_do_not_count() -> None:
    seats = (Seat("ann", True, guess=10.0), Seat("bot", False, guess=99.0))
    game = conclude(Game("1", seats, START), ([60.0], []))
    assert game.verdicts == (RatingChange(60.0, 60.0), RatingChange(None, 10.0))
    assert view(game, 0, START).other_guess == 99.0
    assert view(game, 0, START).other_human is False


@each_case(
    "move",
    [
        QuestionsMove(("?",) * 4), QuestionsMove(("?",) * 6), QuestionsMove(()), QuestionsMove(("?",) * 4 + ("",)),
        QuestionsMove(("?",) * 4 + (" \n\t",)),
        QuestionsMove(("?",) * 4 + ("x" * (THESIS.longest_text + 1),)),
    ],
)  # fmt: skip
def test_what_is_no_five_texts(move: Move) -> None:
    game = Game("1", (Seat("ann", True), Seat("bob", True)), START)
    with pytest.raises(BadInput) as caught:
        play(game, 0, move, START)
    assert len(str(caught.value)) < 100


@each_case("guess", [-0.001, 100.001, float("nan"), float("inf"), -float("inf")])
def test_what_is_no_guess(guess: float) -> None:
    seats = (Seat("ann", True, ("?",) * 5, ("!",) * 5), Seat("bob", True, ("?",) * 5, ("!",) * 5))
    game = Game("1", seats, START)
    for move in (GuessMove(guess), GuessMove(50.0, (guess, None, None, None, None)), GuessMove(50.0, (None,) * 4)):
        with pytest.raises(BadInput):
            play(game, 0, move, START)


def test_a_judgement_is_kept_and_hidden_until_the_end() -> None:
    seats = (Seat("ann", True, ("?",) * 5, ("!",) * 5), Seat("bot", False, ("?",) * 5, ("!",) * 5))
    game = play(Game("1", seats, START), 0, GuessMove(50.0, judgement=PersonOrMachine(True, 70.0)), START)
    seen = view(game, 1, START)
    assert (seen.other_judgement, seen.other_knew, seen.other_human) == (None, False, None)
    game = conclude(play(game, 1, GuessMove(60.0), START), ((), ()))
    mine, other = view(game, 0, START), view(game, 1, START)
    assert (mine.own.judgement, mine.other_judgement) == (PersonOrMachine(True, 70.0), None)
    assert (other.own.judgement, other.other_judgement) == (None, PersonOrMachine(True, 70.0))


def test_who_has_refused_machines_has_nothing_to_say() -> None:
    ann = Seat("ann", True, ("?",) * 5, ("!",) * 5, knows_human=True)
    game = Game("1", (ann, Seat("bob", True, ("?",) * 5, ("!",) * 5)), START)
    with pytest.raises(BadInput, match="you have refused machines"):
        play(game, 0, GuessMove(50.0, judgement=PersonOrMachine(True, 100.0)), START)
    game = play(play(game, 0, GuessMove(50.0), START), 1, GuessMove(50.0, judgement=PersonOrMachine(True, 60.0)), START)
    assert not view(game, 1, START).other_knew  # nothing of the other's settings before the end
    assert view(conclude(game, ((), ())), 1, START).other_knew


def test_the_longest_texts_are_kept_as_they_are() -> None:
    game = Game("1", (Seat("ann", True), Seat("bob", True)), START)
    texts = ("x" * THESIS.longest_text, " spaces ", "\0?", "\ud800", "<script>")
    assert play(game, 0, QuestionsMove(texts), START).seats[0].questions == texts


@given(st.lists(guesses))
def test_a_rating_is_a_mean(given_guesses: list[float]) -> None:
    assert rating(given_guesses) == (pytest.approx(fmean(given_guesses)) if given_guesses else None)


def test_untouched_sliders_suggest_nothing() -> None:
    assert suggested((None,) * 5) is None
    assert suggested((0.0, None, None, None, None)) == 0.0


@given(all_terms, st.integers(0, 12), st.integers(0, 2))
def test_a_game_takes_as_many_texts_as_its_terms_say_and_none_longer(terms: GameTerms, count: int, above: int) -> None:
    game = Game("1", (Seat("ann", True), Seat("bob", True)), START, terms=terms)
    texts = ("?",) * (count - 1) + ("x" * (terms.longest_text - 1 + above),) if count else ()
    if count == terms.questions and above < 2:
        assert play(game, 0, QuestionsMove(texts), START).seats[0].questions == texts
        return
    with pytest.raises(BadInput) as caught:
        play(game, 0, QuestionsMove(texts), START)
    wanted = f"there must be {terms.questions_in_words} in this game, not {count}"
    too_long = f"question {count} has {terms.longest_text + 1} characters; the limit is {terms.longest_text}"
    assert str(caught.value) == (wanted if count != terms.questions else too_long)


def test_a_guess_without_sliders_has_untouched_ones() -> None:
    seats = (Seat("ann", True, ("?",) * 2, ("!",) * 2), Seat("bob", True, ("?",) * 2, ("!",) * 2))
    game = Game("1", seats, START, terms=GameTerms(questions=2))
    assert play(game, 0, GuessMove(50.0), START).seats[0].sliders == (None, None)
    with pytest.raises(BadInput, match="two sliders"):
        play(game, 0, GuessMove(50.0, (1.0,)), START)


@each_case(
    ("days", "words"),
    [(3.0, "three days"), (1, "one day"), (30.0, "30 days"), (0.5, "twelve hours"), (1.5, "36 hours"), (0.0417, "one hour"),
     (0.04, "58 minutes")],  # .04 x 1,440 = 57.6
)  # fmt: skip
def test_the_words_for_the_time_are_those_of_the_time(days: float, words: str) -> None:
    terms = GameTerms(days=days)
    assert (terms.time_in_words, terms.expiry) == (words, timedelta(days=days))


@each_case(
    ("terms", "message"),
    [
        ({"questions": 0}, "questions is 0: give a whole number from 1 to 10"),
        ({"questions": 11}, "from 1 to 10"), ({"questions": 5.0}, "whole number"),
        ({"longest_text": 199}, "from 200 to 20,000"),
        ({"longest_text": 20_001}, "from 200 to 20,000"), ({"days": 0}, "from 0.04 to 30"), ({"days": 30.1}, "from 0.04 to 30"),
        ({"days": float("nan")}, "from 0.04 to 30"),
    ],
)  # fmt: skip
def test_terms_that_no_game_can_have(terms: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        GameTerms(**terms)


EXPIRY = THESIS.expiry
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


@each_case(("ready", "by"), [((True, False), 1), ((False, True), 0), ((False, False), None), ((True, True), "nobody")])
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


@each_case("phases", [0, 1, 2])
@each_case(("moved", "by"), [((), None), ((0,), 1), ((1,), 0)])
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
