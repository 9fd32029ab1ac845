"""What graders agree to, by version, and what else they read. A version that somebody has agreed to is never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class GradingConsent:
    """A text that graders agree to."""

    paragraphs: tuple[tuple[str, str], ...]
    """Heading and words of each."""
    adult: str
    agree: str


VERSION: Final = "1"
TEXTS: Final[Mapping[str, GradingConsent]] = {
    "1": GradingConsent(
        paragraphs=(
            (
                "What you will do",
                "You read one answer at a time, with the question and with what earns how many points, and give it 0 to 10 "
                "points. You also say whether it is ridiculous: so wrong that nobody who understands the matter would say it. "
                "You are not told who gave the answer. Some answers are graded by two people, neither of whom sees the other's "
                "grade.",
            ),
            (
                "What is kept",
                "The points that you give, whether you found an answer ridiculous, which answers you said you cannot grade, "
                "and that you agreed to this text. Your name and the address of your computer are not kept. Your link is the "
                "only key to what you do here: keep it to yourself. A cookie lets this browser know you again for 60 days.",
            ),
            (
                "What is handed on",
                "Grades count in a verdict on whoever gave the answers, and may be published under a name made up by chance.",
            ),
            (
                "It is up to you",
                "You may stop at any time without saying why: there is a link at the foot of each page. Grades that are not "
                "part of a verdict yet are then deleted, and somebody else gives them again. A verdict that was given stands: "
                "the grades in it stay, and nothing ties them to you any more.",
            ),
        ),
        adult="I am 18 years old or older.",
        agree="I have read this, and I grade of my own free will.",
    ),
}
NOTICES: Final = {
    "graded": "Your grade is kept.",
    "passed": "Somebody else will grade that one.",
    "gone": "That answer went to somebody else meanwhile, or you have graded it already: nothing was kept just now.",
}
"""What a page says after a form was taken; the address only names which."""
PROBLEMS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("That did not make sense to us", "Please go back, and send the form as it stands on the page."),
    403: (
        "This page is out of date",
        "It may have been open for long, or cookies may be switched off, without which we cannot know you again. Grades that "
        "you gave are kept.",
    ),
    404: ("There is no such page", "Please open the link that you were given."),
    410: (
        "This link opens nothing",
        "It may have been cut off when it was copied, or it holds no more. Please ask for a new one where you got it.",
    ),
    429: ("That was a little fast", "Please wait a minute, and go on then. Grades that you gave are kept."),
    503: ("Too many are here just now", "Please try again in a moment. Grades that you gave are kept."),
}
