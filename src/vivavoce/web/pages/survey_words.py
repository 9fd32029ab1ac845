"""What respondents are told about the answerer: a machine, or somebody who may be a person or a machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vivavoce.generalization.survey.plan import Answerer


@dataclass(frozen=True, slots=True)
class Words:
    """The same sentences for one kind of answerer."""

    who: str
    same: str
    it: str
    shown: str
    no_answer_yet: str
    before: str
    asked: str
    after: str


WORDS: Final[Mapping[Answerer, Words]] = {
    "machine": Words(
        who="an AI system",
        same="the AI system",
        it="the AI system",
        shown="The same AI system has answered a second question.",
        no_answer_yet="You have not yet seen any answer of this AI system.",
        before="How sure are you that an AI system answers this question correctly?",
        asked="The same AI system was asked another question",
        after="How sure are you now that this AI system answers the question from before correctly?",
    ),
    "either": Words(
        who="somebody, who may be a person or an AI system,",
        same="the one who gave that answer",
        it="the one who answers",
        shown="The one who answers the first question, a person or an AI system, has answered a second one. You are not told "
        "which of the two it is.",
        no_answer_yet="It may be a person or an AI system. You have not yet seen any of their answers.",
        before="How sure are you that a person or an AI system, whichever it is, answers this question correctly?",
        asked="The same person or AI system was asked another question",
        after="How sure are you now that the same person or AI system answers the question from before correctly?",
    ),
}
"""Nobody is told which machine it is, as in `vafa2024`, section 3; people and machines mixed, as in its Appendix F."""

NOTICES: Final = {
    "here": "You had moved on from that page. This is where you are.",
    "kept": "You had answered that already: your first answer counts. This is where you are.",
}
"""What a page says after somebody was sent to it; the address only names which."""

PROBLEMS: Final[Mapping[int, tuple[str, str]]] = {
    400: (
        "This link is not complete",
        "Something in it is missing or mistyped. Please open the survey from the page that sent you.",
    ),
    403: (
        "This page is out of date",
        "It may have been open for long, or cookies may be switched off, without which the survey cannot know you again. "
        "Nothing that you said is lost.",
    ),
    404: ("There is no such page", "The address may be mistyped. Please open the survey from the page that sent you."),
    429: ("That was a little fast", "Please wait a minute, and go on then. Nothing that you said is lost."),
    503: ("Too many are here just now", "Please try again in a moment. Nothing that you said is lost."),
}
DRAFT: Final = ("This survey has not begun yet", "Please come back later.")
CLOSED: Final = (
    "This survey is closed",
    "Nobody new can begin. Thank you for your interest. Please return the study on the platform.",
)
