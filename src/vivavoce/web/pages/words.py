"""What the pages say about a game: hints for each phase, whose turn it is, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from vivavoce.luna.rules import Phase

HINTS: Final[Mapping[Phase, tuple[str, ...]]] = {
    Phase.INTERVIEW: (
        "Five questions have to place a stranger between 0 and 100. Ask what will tell you most.",
        "Mix easy and hard ones. What everybody can answer, or nobody, tells you nothing.",
        "There need not be a right answer: open questions show how somebody thinks.",
        "The other player may look things up, so plain facts say little.",
        "The other player may be a machine, or may not.",
    ),
    Phase.RESPONSE: (
        "Answer as well as you can. You may look things up, and take your time.",
        "The other player will guess your rating from these answers alone.",
        "A high guess lifts your rating, so there is nothing to gain by seeming dull.",
    ),
    Phase.GUESS: (
        "Go by the answers. What the other player asked you may come from a program.",
        "You are guessing what people before you thought of this player, on average.",
        "The nearer guess wins. A low guess out of spite only makes you lose.",
    ),
}
"""After silver2016, sections 2.2.1, 2.3.1 and 2.4; no number is given that could serve as a first guess."""

TO_DO: Final[Mapping[Phase, str]] = {
    Phase.INTERVIEW: "Write your five questions",
    Phase.RESPONSE: "Answer five questions",
    Phase.GUESS: "Read the answers, and guess",
}
THEIR_TURN: Final[Mapping[Phase, str]] = {
    Phase.INTERVIEW: "The other player is still writing questions",
    Phase.RESPONSE: "The other player is still answering",
    Phase.GUESS: "The other player is still guessing",
}
MEANWHILE: Final[Mapping[Phase, str]] = {
    Phase.INTERVIEW: "Your questions are on their way. You will get yours as soon as both of you are done.",
    Phase.RESPONSE: "Your answers are in. You will read the other player's as soon as both of you are done.",
    Phase.GUESS: "Your guess is in. The cards are turned over as soon as both of you have guessed.",
}
OUTCOMES: Final[Mapping[str, str]] = {
    "won": "You won",
    "lost": "The other player won",
    "tied": "A tie",
    "first": "Your first game",
}
