"""Plays for a candidate: asks it what a game wants of it, and reads what it replies.

What a candidate does not do itself stands fixed. A language model does all three parts. The two machines of `silver2016`
(section 6.2.2) only answered, and asked five fixed questions; so do a chatterbot and the gibberish bot here.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable, Sequence
from string import ascii_uppercase, digits
from typing import Final

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.luna.limits import THESIS, Terms
from vivavoce.luna.prompts import answer_prompt, bare_prompt, guess_prompt, questions_prompt, topic
from vivavoce.luna.questions import fitted
from vivavoce.luna.reading import MIDDLE, Answer, Guess, Questions, as_answer, as_guess, as_questions
from vivavoce.luna.rules import number

LONGEST_GIBBERISH: Final = 200
"""Characters (`silver2016`, section 6.2.2)."""
Predict = Callable[[Sequence[str], Sequence[str]], float | None]
"""From questions and the other player's answers to a guess of its rating, or None where these questions tell it nothing."""
_LETTERS: Final = ascii_uppercase + digits + " "


class Player:
    """Plays for one candidate. Every question to it goes through an interview, so all is on record before it is sent.

    Parameters
    ----------
    interview: with the candidate.
    told: whether the candidate is told of the game; otherwise it is given the questions as they are, as chatterbots are.
    questions: put in every game, as many as it has (`fitted`); None: the candidate writes them.
    guess: made in every game; None: the candidate makes it.
    guess_by: makes the guess before all others wherever it can; `vivavoce.luna.predict.predicted_ratings.guesser` is one.

    All methods raise what the interview raises.

    >>> player = Player(Interview(Gibberish(), answers=Reply), told=False, questions=tuple("abcde"), guess=50)
    >>> asyncio.run(player.guess("7", tuple("abcde"), tuple("vwxyz"))).value
    50.0
    """

    def __init__(
        self,
        interview: Interview[Prompt, Reply],
        *,
        told: bool = True,
        questions: tuple[str, ...] | None = None,
        guess: float | None = None,
        guess_by: Predict | None = None,
    ) -> None:
        self.name = interview.candidate.name
        self.interview = interview
        self._told = told
        self._questions = questions
        self._guess = None if guess is None else number(guess, "guess")
        self._guess_by = guess_by

    async def questions(self, game: str, terms: Terms = THESIS) -> Questions:
        """As many questions as this game has."""
        if self._questions is not None:
            texts, problem = fitted(self._questions, terms)
            return Questions(texts, "fixed", problem)
        prompt = questions_prompt(game, terms)
        return as_questions(prompt, await self.interview.ask(prompt, topic=topic(game)), terms)

    async def answers(self, game: str, questions: Sequence[str], terms: Terms = THESIS) -> tuple[Answer, ...]:
        """An answer to each question of the other player, each from a conversation of its own."""
        put = answer_prompt if self._told else bare_prompt
        prompts = [put(game, place, question, terms) for place, question in enumerate(questions, start=1)]
        asked = (self.interview.ask(prompt, topic=topic(game)) for prompt in prompts)
        replies = await asyncio.gather(*asked, return_exceptions=True)  # what is on its way is paid for: it goes on record
        answers = []
        for prompt, reply in zip(prompts, replies, strict=True):
            if isinstance(reply, BaseException):
                raise reply
            answers.append(as_answer(prompt, reply, terms))
        return tuple(answers)

    async def guess(self, game: str, questions: Sequence[str], answers: Sequence[str]) -> Guess:
        """A guess of the other player's rating, from its answers to these questions."""
        predicted = None if self._guess_by is None else self._guess_by(questions, answers)
        if predicted is not None:
            return Guess(number(predicted, "guess"), (None,) * len(answers), "predicted")
        if self._guess is not None:
            return Guess(self._guess, (None,) * len(answers), "fixed")
        prompt = guess_prompt(game, questions, answers)
        return as_guess(prompt, await self.interview.ask(prompt, topic=topic(game)))


class Gibberish:
    """The first control of `silver2016`: 1 to 200 random capitals, digits and spaces, whatever is asked.

    The thesis does not say whether a reply may be blank or end in spaces; here it begins and ends with a letter or digit, since
    a game takes no blank answers. Its guess is not given either: `CONTROL_GUESS`.
    """

    def __init__(self, seed: int = 0) -> None:
        self.name = "control:gibberish" + (f"?seed={seed}" if seed else "")
        self._seed = seed

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """Letters that depend on the prompt, its id and the seed alone."""
        rng = random_for(self.name, self._seed, question)
        ends = _LETTERS.strip()
        length = rng.randint(1, LONGEST_GIBBERISH)
        middle = "".join(rng.choices(_LETTERS, k=max(0, length - 2)))
        return Reply((rng.choice(ends) + middle + rng.choice(ends))[:length])


CONTROL_GUESS: Final = MIDDLE
"""Of the controls: the thesis does not say what its machines guessed, and by its rules a machine's guess moves no rating."""


def random_for(name: str, seed: int, prompt: Prompt) -> random.Random:
    """A generator of its own for one bot, seed, prompt and game; neither order nor repetition changes what it draws."""
    words = "\n".join((name, str(seed), prompt.id, prompt.system, prompt.text))
    return random.Random(hashlib.sha256(words.encode("utf-8", "replace")).digest())  # noqa: S311 - nothing here is a secret
