"""A series of Luna games against resident bots, without a site: by the same rules, at a table of their own.

A rating is the mean of what people guess (`silver2016`), so a series among machines has none. What it shows: whether the
candidate can play, and whether what it says about three kinds of bots differs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final, Literal

from vivavoce.candidates.bots.eliza import Eliza
from vivavoce.candidates.bots.randomness import Seeded
from vivavoce.errors import BudgetExhausted
from vivavoce.examination.luna_finding import LunaSeries, SeriesGame
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Signature
from vivavoce.interview.vendor_batches import VendorBatchCandidate
from vivavoce.luna.echo import Echo, Remembered
from vivavoce.luna.players import CONTROL_GUESS, Gibberish, Player
from vivavoce.luna.questions import CONTROLS
from vivavoce.luna.rules import Answered, Asked, Game, Guessed, Place, Seat, conclude, play, view
from vivavoce.version import __version__

_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""The time of every move: nobody waits here, so no game expires."""
_SAID: Final = (
    Remembered("What color is the sky?", "Blue on most days, though I have seen it green before a storm."),
    Remembered("What is the direct object in this sentence?", "The ball."),
    Remembered("Why is 6 afraid of 7?", "Because 7 8 9, as my daughter tells me every week."),
    Remembered(
        "Why does poverty exist?", "Partly bad luck, partly bad rules, and those who could change the rules do well by them."
    ),
    Remembered("What is the capital of New York?", "Albany. Everybody says New York City."),
    Remembered("What is 17 times 3?", "51, I think."),
    Remembered("Tell me something about yourself", "I fix bicycles and read too many crime novels."),
    Remembered("If a train leaves at three and takes two hours, when does it arrive?", "At five, if it is a lucky train."),
    Remembered("What would you do with a million dollars?", "Pay the house off and then argue about the rest."),
    Remembered("What is the meaning of life?", "Ask me after coffee."),
)
"""What the echo repeats: written for it, since what people said in real games belongs to them."""

Opponent = Literal["gibberish", "chatterbot", "echo"]
OPPONENTS: Final[Mapping[Opponent, Callable[[], Candidate[Prompt, Reply]]]] = {
    "gibberish": Gibberish,
    "chatterbot": lambda: Eliza(Seeded()),
    "echo": lambda: Echo(_SAID),
}


async def play_series(
    interview: Interview[Prompt, Reply], games: int, opponents: Sequence[Opponent], *, told: bool, seed: int = 0
) -> LunaSeries:
    """Play this many games, against one opponent after the other.

    Parameters
    ----------
    told: whether the candidate knows of the game; else it answers only, asks the thesis' questions and guesses the middle.

    Games are played one by one, so that a budget that runs out cuts off the last ones; a game that was begun then counts for
    nothing. Who is asked by batch plays them side by side: each move waits for hours. The opponents' words follow from game
    and question, so only the candidate's are on record.
    """
    fixed = None if told else CONTROLS
    player = Player(interview, told=told, questions=fixed, guess=None if told else CONTROL_GUESS)
    names = [(opponents[number % len(opponents)], f"examine-{seed}-{number + 1}") for number in range(games)]
    played = await _played(player, names, together=isinstance(interview.candidate, VendorBatchCandidate))
    name = interview.candidate.name
    settings = {"games": games, "opponents": list(opponents), "told": told} | interview.settings
    scope = f"games against {', '.join(opponents)}"
    signature = Signature(__version__, "luna/series", name, scope, "", seed, settings)
    return LunaSeries(name, tuple(played), games, told, interview.exhausted, signature, interview.caveats)


async def _played(player: Player, names: Sequence[tuple[Opponent, str]], *, together: bool) -> list[SeriesGame]:
    """The games that came to their end within the budget, in their order."""
    played: list[SeriesGame] = []
    if together:
        found = await asyncio.gather(*(_game(player, *name) for name in names), return_exceptions=True)
        for game in found:
            if isinstance(game, SeriesGame):
                played.append(game)
            elif not isinstance(game, BudgetExhausted):
                raise game
        return played
    with suppress(BudgetExhausted):
        for name in names:
            played.append(await _game(player, *name))
    return played


async def _game(player: Player, opponent: Opponent, name: str) -> SeriesGame:
    """One game from the first question to the last guess."""
    other = Player(Interview(OPPONENTS[opponent](), answers=Reply), told=False, questions=CONTROLS, guess=CONTROL_GUESS)
    game = Game(name, (Seat(player.name, human=False), Seat(other.name, human=False)), _NEVER)
    questions = await player.questions(name)
    game = play(game, 0, Asked(questions.texts), _NEVER)
    game = play(game, 1, Asked((await other.questions(name)).texts), _NEVER)
    answers = await player.answers(name, _seen(game, 0)[0])
    game = play(game, 0, Answered(tuple(answer.text for answer in answers)), _NEVER)
    replies = await other.answers(name, _seen(game, 1)[0])
    game = play(game, 1, Answered(tuple(answer.text for answer in replies)), _NEVER)
    guess = await player.guess(name, questions.texts, _seen(game, 0)[1])
    game = play(game, 0, Guessed(guess.value, guess.sliders), _NEVER)
    game = conclude(play(game, 1, Guessed(CONTROL_GUESS), _NEVER), ((), ()))
    parts = [("questions", questions.problem), ("guess", guess.problem)]
    parts += [(f"answer {place}", answer.problem) for place, answer in enumerate(answers, 1)]
    return SeriesGame(
        opponent=opponent,
        questions=questions.texts,
        replies=_seen(game, 0)[1],
        asked=CONTROLS,
        answers=tuple(answer.text for answer in answers),
        guess=guess.value,
        guessed=guess.manner not in ("fallback", "fixed"),
        own_questions=questions.manner not in ("fallback", "fixed"),
        answered=sum(answer.manner != "fallback" for answer in answers),
        problems=tuple(f"{name}: {problem}" for name, problem in parts if problem),
    )


def _seen(game: Game, place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The other's questions and answers, as far as this player may see them."""
    seen = view(game, place, _NEVER)
    return seen.questions or (), seen.answers or ()
