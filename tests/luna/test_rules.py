"""No sequence of moves breaks a rule of the game: a machine of states plays at random, beside a log that is kept apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule

from vivavoce.errors import BadInput
from vivavoce.luna.rules import (
    AnswersMove,
    Game,
    GuessMove,
    IllegalMove,
    Move,
    PersonOrMachine,
    Phase,
    Place,
    QuestionsMove,
    RatingChange,
    Seat,
    conclude,
    is_complete,
    outcome,
    play,
    rating,
    suggested,
    view,
)
from vivavoce.luna.settings import LONGEST_TEXT, MOST_QUESTIONS, THESIS, GameTerms

START = datetime(2026, 1, 1, tzinfo=UTC)
MIRROR = {"won": ("lost", "first"), "lost": ("won",), "tied": ("tied",), "first": ("won",)}
PLACES: tuple[Place, Place] = (0, 1)
KINDS: tuple[type[Move], ...] = (QuestionsMove, AnswersMove, GuessMove)
DUE: dict[Phase, type[Move]] = {Phase.INTERVIEW: QuestionsMove, Phase.RESPONSE: AnswersMove, Phase.GUESS: GuessMove}

guesses = st.floats(0, 100)
sliders = st.lists(st.none() | st.floats(0, 100), min_size=MOST_QUESTIONS, max_size=MOST_QUESTIONS).map(tuple)
"""Of which a game takes as many as it has questions."""
all_terms = st.builds(
    GameTerms, st.integers(1, MOST_QUESTIONS), st.integers(200, LONGEST_TEXT), st.sampled_from([0.04, 0.5, 3.0, 30.0])
)


class Site(RuleBasedStateMachine):
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

    @rule(
        number=games,
        position=st.sampled_from(PLACES),
        kind=st.sampled_from(KINDS),
        guess=guesses,
        sureness=sliders,
    )
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


TestSite = Site.TestCase
TestSite.settings = settings(max_examples=15, stateful_step_count=50)


def over(before: tuple[float | None, float | None], given: tuple[float, float]) -> Game:
    """A finished game: with these ratings, the first guessed the first number, the second the second."""
    seats = (Seat("ann", True, guess=given[0]), Seat("bob", True, guess=given[1]))
    return Game("1", seats, START, (RatingChange(before[0], None), RatingChange(before[1], None)))


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize("guess", [-0.001, 100.001, float("nan"), float("inf"), -float("inf")])
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
    too_long = f"question {count} has {terms.longest_text + 1} characters: {terms.longest_text} is the most"
    assert str(caught.value) == (wanted if count != terms.questions else too_long)


def test_a_guess_without_sliders_has_untouched_ones() -> None:
    seats = (Seat("ann", True, ("?",) * 2, ("!",) * 2), Seat("bob", True, ("?",) * 2, ("!",) * 2))
    game = Game("1", seats, START, terms=GameTerms(questions=2))
    assert play(game, 0, GuessMove(50.0), START).seats[0].sliders == (None, None)
    with pytest.raises(BadInput, match="two sliders"):
        play(game, 0, GuessMove(50.0, (1.0,)), START)


@pytest.mark.parametrize(
    ("days", "words"),
    [(3.0, "three days"), (1, "one day"), (30.0, "30 days"), (0.5, "twelve hours"), (1.5, "36 hours"), (0.0417, "one hour"),
     (0.04, "58 minutes")],  # .04 x 1,440 = 57.6
)  # fmt: skip
def test_the_words_for_the_time_are_those_of_the_time(days: float, words: str) -> None:
    terms = GameTerms(days=days)
    assert (terms.time_in_words, terms.expiry) == (words, timedelta(days=days))


@pytest.mark.parametrize(
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
