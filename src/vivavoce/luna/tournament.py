"""Plays games on a site with a candidate, several at a time, through the interface for machines, and reports the results."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.errors import BadInput, VivavoceError
from vivavoce.luna.game_api import GameResult, LunaClient, MachineRecord, RequestRefused
from vivavoce.luna.messages import MANNERS, Manner, PreparedAnswer, PreparedGuess, PreparedQuestions
from vivavoce.luna.players import CandidatePlayer
from vivavoce.luna.rules import PersonOrMachine
from vivavoce.luna.settings import PlayConfig


@dataclass(slots=True)
class PreparedMoves:
    """A player's moves in a game in this run; None for moves of an earlier run."""

    questions: PreparedQuestions | None = None
    answers: tuple[PreparedAnswer, ...] | None = None
    guess: PreparedGuess | None = None


@dataclass(frozen=True, slots=True)
class TournamentGame:
    """A finished game."""

    id: str
    questions: Manner | None
    """How they were obtained; None if that was in an earlier run, or never."""
    answers: tuple[Manner, ...]
    guess: Manner | None
    problems: tuple[str, ...]
    """Why something else replaces the candidate's words, or part of them is missing."""
    guessed: float | None
    result: GameResult | None
    """None if the game expired."""
    judgement: PersonOrMachine | None = None
    """The judgement of the other player in this run."""
    judged: bool | None = None
    """Whether a judgement was parsed; None if the candidate was not asked for one."""

    @classmethod
    def of(cls, id: str, parts: PreparedMoves, result: GameResult | None) -> TournamentGame:  # noqa: A002 - the word of the interface
        """The game with its moves."""
        answers = parts.answers or ()
        asked, guess = parts.questions, parts.guess
        unjudged = [f"judgement: {guess.unjudged}"] if guess is not None and guess.unjudged else []
        named = [
            ("questions", asked),
            *((f"answer {n}", answer) for n, answer in enumerate(answers, 1)),
            ("guess", guess),
        ]
        return cls(
            id=id,
            questions=None if asked is None else asked.manner,
            answers=tuple(answer.manner for answer in answers),
            guess=None if guess is None else guess.manner,
            problems=(
                *(f"{name}: {part.problem}" for name, part in named if part is not None and part.problem),
                *unjudged,
            ),
            guessed=None if guess is None else guess.value,
            result=result,
            judgement=None if guess is None else guess.judgement,
            judged=None if guess is None or not (guess.judgement or guess.unjudged) else guess.judgement is not None,
        )

    @property
    def in_words(self) -> str:
        """How the game ended, in a few words."""
        if self.result is None:
            return "expired or deleted"
        rating = "no rating yet" if self.result.other_rating is None else f"{self.result.other_rating:.0f}"
        other = "a person" if self.result.other_human else "a machine"
        took = ""
        if self.result.other_judgement is not None:
            took = f"; taken for a {'person' if self.result.other_judgement.human else 'machine'}"
        ending = {"won": "won", "lost": "lost", "tied": "tied", "first": "its first game"}[self.result.outcome]
        own = "" if self.guessed is None else f"guessed {self.guessed:.0f}, "
        return f"{ending}; {own}the other, {other}, has {rating} and guessed {self.result.other_guess:.0f}{took}"


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """All games of a run."""

    candidate: str
    me: MachineRecord
    games: tuple[TournamentGame, ...]
    left_open: tuple[str, ...]
    """Unfinished games; the same command continues them."""

    @property
    def statement(self) -> str:
        """The result in plain words.

        >>> TournamentResult("bot:eliza", MachineRecord("Eliza", 40.4, 9, 9, 4), (), ()).statement
        'Eliza (bot:eliza) finished 0 games in this run. Its rating is 40, the mean of 9 guesses by people.'
        """
        ended = Counter(game.result.outcome if game.result else "expired" for game in self.games)
        names = {"won": "won", "lost": "lost", "tied": "tied", "first": "the first of all", "expired": "expired or deleted"}
        how = ", ".join(f"{ended[key]} {name}" for key, name in names.items() if ended[key])
        finished = f"{len(self.games)} game{'' if len(self.games) == 1 else 's'}"
        rating = (
            "It has no rating yet: no person has finished a game with it."
            if self.me.rating is None
            else f"Its rating is {self.me.rating:.0f}, the mean of {self.me.guesses} "
            f"guess{'' if self.me.guesses == 1 else 'es'} by people."
        )
        return f"{self.me.name} ({self.candidate}) finished {finished} in this run{f' ({how})' if how else ''}. {rating}"

    @property
    def read(self) -> dict[str, dict[Manner, int]]:
        """How often each part was obtained in each way; ways that did not occur are left out."""
        counts: dict[str, Counter[Manner]] = {
            "questions": Counter(game.questions for game in self.games if game.questions),
            "answers": Counter(answer_manner for game in self.games for answer_manner in game.answers),
            "guesses": Counter(game.guess for game in self.games if game.guess),
        }
        return {part: {m: count[m] for m in MANNERS if count[m]} for part, count in counts.items()}

    @property
    def judgements(self) -> tuple[int, int]:
        """How many guesses asked for a judgement, and how many of these judgements were parsed."""
        asked = [game.judged for game in self.games if game.judged is not None]
        return len(asked), sum(asked)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of these games, one sentence each."""
        caveats = ["A rating is the mean of people's guesses so far: with few guesses, the next one can change it a lot."]
        fallbacks = sum(manners.get("fallback", 0) for manners in self.read.values())
        if fallbacks:
            caveats.append(
                f"{fallbacks} part{'' if fallbacks == 1 else 's'} could not be read or did not come, and a "
                "replacement was sent: people's guesses say less about the candidate than it seems."
            )
        fixed = [game for game in self.games if game.questions == "fixed"]
        again = sum(any(text.startswith("questions: ") for text in game.problems) for game in fixed)
        if again:
            caveats.append(
                f"In {again} game{'' if again == 1 else 's'} the fixed questions were too few or too long: some "
                "were repeated or cut."
            )
        asked, judged = self.judgements
        if judged < asked:
            caveats.append(
                f"The judgement whether the other is a person was readable in {judged} of {asked} guesses; the "
                "others sent none."
            )
        if self.left_open:
            still = "1 game is" if len(self.left_open) == 1 else f"{len(self.left_open)} games are"
            caveats.append(f"{still} still open: run the same command again to continue.")
        return tuple(caveats)

    def figures(self) -> dict[str, Any]:
        """All values by name, for `to_json` to convert."""
        return {
            "candidate": self.candidate,
            "machine": self.me,
            "games": self.games,
            "read": self.read,
            "judgements": dict(zip(("asked", "read"), self.judgements, strict=True)),
            "left_open": self.left_open,
            "statement": self.statement,
            "caveats": self.caveats,
        }


PAUSE: Final = 2.0
"""Seconds between two checks whose turn it is."""
_GONE: Final = frozenset((404, 409, 410))
"""Status codes for a move in a game that has just ended in another way."""


async def play_games(
    client: LunaClient,
    player: CandidatePlayer,
    config: PlayConfig = PlayConfig(),  # noqa: B008 -- frozen
    *,
    concurrency: int = 1,
    pause: float = PAUSE,
    on_news: Callable[[str], None] | None = None,
) -> TournamentResult:
    """Play games until they end, and return the results.

    Open games of an earlier run are continued first and count, since the other players are waiting. With the transcript of that
    run, the candidate's replies are not requested again.

    Parameters
    ----------
    config: the number of games, and the seconds without news after which the run stops and leaves games open.
    concurrency: games open at a time; the candidate's own interview limits its concurrent requests.
    on_news: gets a line about each event.

    Raises what the client and the interview raise; open games can then be continued. The machine always leaves the waiting
    queue.
    """
    if concurrency < 1:
        raise BadInput(f"{concurrency} games at once: give at least 1")
    patience = config.patience
    tour = _Tour(client, player, games=config.games, concurrency=concurrency, say=on_news or (lambda _: None))
    quiet_since, before = time.monotonic(), tour.events
    try:
        while not await tour.look():
            await tour.rest(pause if patience is None else min(pause, patience))
            if tour.events != before or tour.moving:
                quiet_since, before = time.monotonic(), tour.events
            if patience is not None and time.monotonic() - quiet_since > patience:
                break
    finally:
        await tour.leave()
    return TournamentResult(player.name, await client.me(), tuple(tour.finished), tuple(sorted(tour.open)))


class _Tour:
    """The state of a run."""

    def __init__(
        self, client: LunaClient, player: CandidatePlayer, *, games: int, concurrency: int, say: Callable[[str], None]
    ) -> None:
        self._client = client
        self._player = player
        self._games = games
        self._concurrency = concurrency
        self._say = say
        self._waiting = False
        self.open: dict[str, PreparedMoves] = {}
        self.finished: list[TournamentGame] = []
        self.moving: dict[str, asyncio.Task[None]] = {}
        self.events = 0

    async def look(self) -> bool:
        """Check for news, start due moves and games, and return whether all games are finished."""
        listing = await self._client.games(unfinished=True)
        self._waiting = listing.waiting_since is not None
        for game in listing.games:
            if game.id not in self.open:
                self._news(f"game {game.id} begins" if game.phase == "interview" else f"game {game.id} goes on")
                self.open[game.id] = PreparedMoves()
        there = {game.id: game for game in listing.games}
        for game_id in [each for each in self.open if each not in there and each not in self.moving]:
            await self._finish(game_id)
        for game_id, game in there.items():
            if game.your_turn and game_id not in self.moving:
                self.moving[game_id] = asyncio.create_task(self._move(game_id))
        begun = len(self.open) + len(self.finished)
        if begun < self._games and len(self.open) < self._concurrency and not self._waiting:
            self._waiting = (await self._client.find_game()).game is None
        elif self._waiting and begun >= self._games:
            await self._stop_waiting()
        return not self.open and len(self.finished) >= self._games

    async def rest(self, seconds: float) -> None:
        """Wait for a move, or for some seconds. Raises the error of a failed move."""
        if not self.moving:
            await asyncio.sleep(seconds)
            return
        done, _ = await asyncio.wait(self.moving.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        for game_id in [each for each, task in self.moving.items() if task in done]:
            self.moving.pop(game_id).result()

    async def leave(self) -> None:
        """Stop running moves. Their errors are ignored, since the reason to leave matters more."""
        for task in self.moving.values():
            task.cancel()
        await asyncio.gather(*self.moving.values(), return_exceptions=True)
        if self._waiting:
            with suppress(VivavoceError):
                await self._stop_waiting()

    async def _move(self, game_id: str) -> None:
        """Make the move that is due, if it still is."""
        try:
            await self._due_move(game_id)
        except RequestRefused as refusal:
            if refusal.status not in _GONE or await self._is_due(game_id):
                raise
        self.events += 1

    async def _due_move(self, game_id: str) -> None:
        game, parts = await self._client.game(game_id), self.open[game_id]
        if not game.your_turn:
            return
        terms = game.rules.terms
        if game.phase == "interview":
            parts.questions = await self._player.questions(game_id, terms)
            await self._client.ask(game_id, parts.questions.texts)
        elif game.phase == "response" and game.questions is not None:
            parts.answers = await self._player.answers(game_id, game.questions, terms)
            await self._client.answer(game_id, [answer.text for answer in parts.answers])
        elif game.phase == "guess" and game.answers is not None and game.own.questions is not None:
            parts.guess = await self._player.guess(game_id, game.own.questions, game.answers)
            guess = parts.guess
            await self._client.guess(game_id, guess.value, sliders=guess.sliders or None, judgement=guess.judgement)

    async def _is_due(self, game_id: str) -> bool:
        try:
            return (await self._client.game(game_id)).your_turn
        except RequestRefused as refusal:
            if refusal.status not in _GONE:
                raise
            return False

    async def _finish(self, game_id: str) -> None:
        parts = self.open.pop(game_id)
        try:
            game = await self._client.game(game_id)
        except RequestRefused as refusal:
            if refusal.status not in _GONE:
                raise
            self.finished.append(TournamentGame.of(game_id, parts, None))
            self._news(f"game {game_id} no longer exists")
            return
        if game.ended is not None and game.ended.reason == "not ready":
            self._news(f"game {game_id} did not begin: a player was not ready")
            return
        played = TournamentGame.of(game_id, parts, game.result)
        self.finished.append(played)
        self._news(f"game {game_id}: {played.in_words}")

    async def _stop_waiting(self) -> None:
        await self._client.stop_waiting()
        self._waiting = False

    def _news(self, line: str) -> None:
        self.events += 1
        self._say(line)
