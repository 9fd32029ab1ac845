"""Texts of the game pages, and the consent texts by version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vivavoce.errors import BadInput
from vivavoce.luna.rules import Phase
from vivavoce.luna.settings import GameTerms


def hints(phase: Phase, terms: GameTerms) -> tuple[str, ...]:
    """Advice for each phase, after silver2016, sections 2.2.1, 2.3.1 and 2.4. It names no number, which could become a first
    guess.
    """
    match phase:
        case Phase.INTERVIEW:
            many, alone = terms.questions_in_words.capitalize(), terms.questions == 1
            where = f"{many} {'has' if alone else 'have'} to place a stranger between 0 and 100."
            return (
                f"{where} Ask the questions that tell you most.",
                f"{'' if alone else 'Mix easy and hard ones. '}A question that everyone can answer, or no one, tells you "
                f"nothing.",
                "Open questions without a right answer show how a person thinks.",
                "The other player may look things up, so plain facts say little.",
                "The other player may be a person or a machine.",
            )
        case Phase.RESPONSE:
            these = "this answer" if terms.questions == 1 else "these answers"
            return (
                "Answer as well as you can. You may look things up. Take your time.",
                f"The other player will guess your rating from {these} alone.",
                "A high guess raises your rating, so there is nothing to gain by seeming dull.",
            )
        case Phase.GUESS:
            return (
                f"Go by the {_several('answer', terms)}. The other player's questions may come from a program.",
                "You guess what people before you thought of this player, on average.",
                "The nearer guess wins, so a spiteful low guess only makes you lose.",
            )
    return ()


def to_do(phase: Phase, terms: GameTerms) -> str:
    """The next action of a player whose turn it is."""
    return {
        Phase.INTERVIEW: f"Write your {'question' if terms.questions == 1 else terms.questions_in_words}",
        Phase.RESPONSE: f"Answer {terms.questions_in_words}",
        Phase.GUESS: f"Read the {_several('answer', terms)}, and guess",
    }[phase]


def their_turn(phase: Phase, terms: GameTerms) -> str:
    """The other player's current action."""
    doing = {
        Phase.INTERVIEW: f"writing {'a question' if terms.questions == 1 else 'questions'}",
        Phase.RESPONSE: "answering",
        Phase.GUESS: "guessing",
    }
    return f"The other player is still {doing[phase]}"


def meanwhile(phase: Phase, terms: GameTerms) -> str:
    """The state of the player's own move."""
    alone = terms.questions == 1
    asked = "question is on its way" if alone else "questions are on their way"
    sent = {
        Phase.INTERVIEW: f"Your {asked}. You will get yours",
        Phase.RESPONSE: f"Your {'answer is' if alone else 'answers are'} in. You will read the other player's",
        Phase.GUESS: "Your guess is in. The cards are turned over",
    }
    return f"{sent[phase]} as soon as both of you {'have guessed' if phase is Phase.GUESS else 'are done'}."


EXAMPLES: Final = (
    "What do most people believe that you think is wrong, and why do they believe it?",
    "A friend says: this sentence is false. What do you answer?",
    "How many piano tuners does a city of a million people need? Show how you get there.",
    "Explain to a child of six why the moon seems to follow a car.",
    "You have a rope that burns for an hour, but unevenly. How do you measure half an hour with it?",
    "Which rule at a place where you worked or learned made no sense, and what was it meant for?",
    "Invent a proverb that sounds old, and say when it would mislead someone.",
    "What would change if people could not forget anything?",
    "Describe a chair without saying what it is used for.",
    "Give the best argument against an opinion that you hold.",
    "Two doctors disagree about you. How do you decide whom to believe?",
    "What did you change your mind about last, and what changed it?",
)
"""Example questions for players without an idea."""
SAMPLE: Final = (
    (
        "You may take one tool into an empty house for a week. Which one?",
        "A kettle. I can sleep on my coat and eat cold things, but a week without tea would make me a worse person.",
    ),
    (
        "Why do mirrors swap left and right, but not up and down?",
        "They swap front and back. We imagine a person who has walked around to face us, and so has turned.",
    ),
    (
        "How many of the people who live today will be alive in fifty years?",
        "About half? The median age is around thirty, and most people of thirty live to eighty. The older half will be gone.",
    ),
)
"""Questions and answers of a made-up game, as an example."""
OUTCOMES: Final[Mapping[str, str]] = {
    "won": "You won",
    "lost": "The other player won",
    "tied": "A tie",
    "first": "Your first game",
}
UNSENT: Final = (
    "Sent",
    "You had typed something else for this part of the game in another tab. It was not sent; copy what you want to keep.",
)
TOO_LATE: Final = (
    "This part of the game is already done",
    "What you have just sent was not accepted. Copy what you want to keep.",
)
"""Headings and words over texts that are given back."""
NOT_KEPT: Final = "This part of the game is already done, so nothing more is saved. Copy your text if you want to keep it."
KEPT_BESIDE: Final = (
    "Draft saved. You typed something else in another tab: it is kept, and shown when you load this page again."
)
KEPT_CUT: Final = "Draft saved, but one of your texts was too long and was cut."


def _several(noun: str, terms: GameTerms) -> str:
    return noun if terms.questions == 1 else f"{noun}s"


@dataclass(frozen=True, slots=True)
class Consent:
    """A text that players agree to."""

    paragraphs: tuple[tuple[str, str], ...]
    """Heading and words of each paragraph."""
    adult: str
    """Text of the first box."""
    release: str
    """Text of the second box."""


TEXTS: Final[Mapping[str, Consent]] = {
    "1": Consent(
        paragraphs=(
            (
                "What you will do",
                "You write questions for a stranger, and answer the stranger's questions. Then you guess how smart other "
                "people have found them, and say whether you take them for a person or a machine. Some strangers are "
                "machines. You learn which only when a game is over.",
            ),
            (
                "What is published",
                "Luna is a study of how people judge each other and machines. Your questions, answers, marks, guesses and "
                "what you took strangers for may be published for research. So may their times, and the ratings from them. "
                "Your name and your address are not published. So please write nothing by which you or anybody else could be "
                "recognised.",
            ),
            (
                "What is not",
                "A name and an e-mail address, if you give them, stay here. Your password is kept only in a form from which "
                "it cannot be read.",
            ),
            (
                "It is up to you",
                "You may stop at any time without saying why. If you delete your account, what you wrote is deleted with it "
                "at once. What was published before that cannot be called back, and the ratings that your guesses gave to "
                "others stay.",
            ),
        ),
        adult="I am 18 years old or older.",
        release="I have read this, I take part of my own free will, and what I write may be published as described.",
    ),
}


def check_version(version: str) -> None:
    """The consent text of a version. Raises `BadInput` for an unknown one."""
    if version not in TEXTS:
        raise BadInput(f"there is no consent text {version!r}: there are {', '.join(TEXTS)}")
