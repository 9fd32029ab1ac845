"""Games that a candidate has played, as a value: how they ended, and how what it said was read."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from vivavoce.luna.interface import Me, Result
from vivavoce.luna.reading import MANNERS, Answer, Guess, Manner, Questions
from vivavoce.luna.rules import Judgement


@dataclass(slots=True)
class Parts:
    """What a player has put into a game in this run; what was put in before is None."""

    questions: Questions | None = None
    answers: tuple[Answer, ...] | None = None
    guess: Guess | None = None


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game that has ended."""

    id: str
    questions: Manner | None
    """How they came about; None where that was in an earlier run, or never."""
    answers: tuple[Manner, ...]
    guess: Manner | None
    problems: tuple[str, ...]
    """Why something stands in place of the candidate's words, or less than all of them."""
    guessed: float | None
    result: Result | None
    """None where the game expired."""
    judgement: Judgement | None = None
    """What the other was taken for in this run."""
    judged: bool | None = None
    """Whether a judgement could be read; None where the candidate was not asked for one."""

    @classmethod
    def of(cls, id: str, parts: Parts, result: Result | None) -> PlayedGame:  # noqa: A002 - the word of the interface
        """The game with what was put into it."""
        answers = parts.answers or ()
        asked, guess = parts.questions, parts.guess
        unjudged = [f"judgement: {guess.unjudged}"] if guess is not None and guess.unjudged else []
        named = [("questions", asked), *((f"answer {n}", one) for n, one in enumerate(answers, 1)), ("guess", guess)]
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
        """How it ended, in a few words."""
        if self.result is None:
            return "expired, or taken away"
        rating = "no rating yet" if self.result.other_rating is None else f"{self.result.other_rating:.0f}"
        other = "a person" if self.result.other_human else "a machine"
        took = ""
        if self.result.other_judgement is not None:
            took = f"; taken for a {'person' if self.result.other_judgement.human else 'machine'}"
        ending = {"won": "won", "lost": "lost", "tied": "tied", "first": "its first game"}[self.result.outcome]
        own = "" if self.guessed is None else f"guessed {self.guessed:.0f}, "
        return f"{ending}; {own}the other, {other}, has {rating} and guessed {self.result.other_guess:.0f}{took}"


@dataclass(frozen=True, slots=True)
class Played:
    """All games of a run."""

    candidate: str
    me: Me
    games: tuple[PlayedGame, ...]
    left_open: tuple[str, ...]
    """Games that are not finished; the same command again goes on with them."""

    @property
    def statement(self) -> str:
        """The result in plain words.

        >>> Played("bot:eliza", Me("Eliza", 40.4, 9, 9, 4), (), ()).statement
        'Eliza (bot:eliza) finished 0 games in this run. Its rating is 40, the mean of 9 guesses of people.'
        """
        ended = Counter(game.result.outcome if game.result else "expired" for game in self.games)
        names = {"won": "won", "lost": "lost", "tied": "tied", "first": "the first of all", "expired": "expired or taken away"}
        how = ", ".join(f"{ended[key]} {name}" for key, name in names.items() if ended[key])
        finished = f"{len(self.games)} game{'' if len(self.games) == 1 else 's'}"
        rating = (
            "It has no rating yet: no person has finished a game with it."
            if self.me.rating is None
            else f"Its rating is {self.me.rating:.0f}, the mean of {self.me.guesses} guess"
            f"{'' if self.me.guesses == 1 else 'es'} of people."
        )
        return f"{self.me.name} ({self.candidate}) finished {finished} in this run{f' ({how})' if how else ''}. {rating}"

    @property
    def read(self) -> dict[str, dict[Manner, int]]:
        """How often each part came about in each manner; manners that did not occur are left out."""
        counts: dict[str, Counter[Manner]] = {
            "questions": Counter(game.questions for game in self.games if game.questions),
            "answers": Counter(manner for game in self.games for manner in game.answers),
            "guesses": Counter(game.guess for game in self.games if game.guess),
        }
        return {part: {m: count[m] for m in MANNERS if count[m]} for part, count in counts.items()}

    @property
    def judgements(self) -> tuple[int, int]:
        """How many guesses asked the candidate whether the other is a person, and in how many of them it could be read."""
        asked = [game.judged for game in self.games if game.judged is not None]
        return len(asked), sum(asked)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What these games do not show, each in a sentence."""
        said = ["A rating is what people have guessed so far: with few guesses, the next one can move it far."]
        fallbacks = sum(manners.get("fallback", 0) for manners in self.read.values())
        if fallbacks:
            said.append(
                f"{fallbacks} part{'' if fallbacks == 1 else 's'} could not be read, or did not come, and something else was "
                "sent instead: what people guessed says less about the candidate than it seems."
            )
        fixed = [game for game in self.games if game.questions == "fixed"]
        again = sum(any(text.startswith("questions: ") for text in game.problems) for game in fixed)
        if again:
            said.append(
                f"In {again} game{'' if again == 1 else 's'} the fixed questions were too few or too long: some were put "
                "again, or cut."
            )
        asked, judged = self.judgements
        if judged < asked:
            said.append(
                f"Whether the other is a person was said in a form that can be read in {judged} of {asked} guesses; in the "
                "others nothing was sent."
            )
        if self.left_open:
            still = "1 game is" if len(self.left_open) == 1 else f"{len(self.left_open)} games are"
            said.append(f"{still} still open: run the same command again to go on.")
        return tuple(said)

    def as_json(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return {
            "candidate": self.candidate,
            "machine": self.me.name,
            "rating": self.me.rating,
            "guesses": self.me.guesses,
            "games_finished": self.me.games,
            "wins": self.me.wins,
            "games": [_game(game) for game in self.games],
            "read": self.read,
            "judgements": dict(zip(("asked", "read"), self.judgements, strict=True)),
            "left_open": list(self.left_open),
            "statement": self.statement,
            "caveats": list(self.caveats),
        }


def _game(game: PlayedGame) -> dict[str, Any]:
    result = game.result
    ending = None if result is None else asdict(result)
    return {
        "id": game.id,
        "questions": game.questions,
        "answers": list(game.answers),
        "guess": game.guess,
        "guessed": game.guessed,
        "judgement": None if game.judgement is None else asdict(game.judgement),
        "problems": list(game.problems),
        "result": ending,
    }
