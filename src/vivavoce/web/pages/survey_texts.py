"""Texts of survey pages: the consent by version, and how the answerer is described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from vivavoce.generalization.survey.plan import Answerer, SurveyPlan


@dataclass(frozen=True, slots=True)
class SurveyConsent:
    """A text that respondents agree to."""

    task: Mapping[Answerer, str]
    """The respondents' task, by answerer: a machine, or a person or a machine."""
    why: str
    """Text on the optional reason."""
    paragraphs: tuple[tuple[str, str], ...]
    """Heading and words of the rest."""
    adult: str
    agree: str
    unaided: str
    """Text for respondents who are not asked for their own answers."""
    own: str
    """Text for respondents who answer the questions themselves, too."""

    def shown(self, plan: SurveyPlan) -> tuple[tuple[str, str], ...]:
        """Heading and words of each paragraph, for one survey."""
        minutes = max(2, round(plan.pairs_each * SECONDS_EACH / 60) + 1)
        pairs = "one pair" if plan.pairs_each == 1 else f"{plan.pairs_each} pairs"
        task = self.task[plan.told].format(pairs=pairs, minutes=minutes)
        parts = (
            (self.unaided, not plan.own_answers),
            (self.own, plan.own_answers),
            (self.why, plan.ask_why),
        )
        text = " ".join([task, *(words for words, asked in parts if asked)])
        return (("What you will do", text), *self.paragraphs)


SECONDS_EACH: Final = 45
"""Seconds for a pair: 15 took 12 minutes in total (`vafa2024`, section 3)."""
VERSION: Final = "1"
"""Version of the text that new respondents agree to."""
TEXTS: Final[Mapping[str, SurveyConsent]] = {
    VERSION: SurveyConsent(
        task={
            "machine": "You read {pairs} of questions. For each pair you say how sure you are that an AI system answers one "
            "question correctly. Then you see its answer to the other question, and say it again. It takes about {minutes} "
            "minutes.",
            "either": "You read {pairs} of questions. For each pair you say how sure you are that someone, a person or an AI "
            "system, answers one question correctly. Then you see their answer to the other question, and say it again. It "
            "takes about {minutes} minutes.",
        },
        unaided="You need not know any answers yourself.",
        own="Before you give a number you answer the question yourself, as well as you can without help. It does not matter "
        "how many you get right.",
        why="If you like, you write a sentence on why you think so.",
        paragraphs=(
            (
                "What is stored",
                "The numbers that you give, what you write if you write anything, when you did so, and that you agreed to "
                "this text. If a platform sent you, its name for you is turned into a code. The code only tells that you "
                "have been here, or in an earlier part of the same study. Without this site's secret no one can say whose it "
                "is. Your name, the platform's name for you and the address of your computer are not stored. A cookie lets "
                "this browser find your place again for 60 days.",
            ),
            (
                "What is published",
                "What you say may be published for research together with what others say, under a random name. "
                "Please write nothing by which you or anybody else could be recognised.",
            ),
            (
                "It is up to you",
                "You may stop at any time without saying why: there is a link at the foot of each page. What you have said "
                "is then deleted at once; only the fact that a participant withdrew is kept. You can withdraw after the "
                "end, too, as long as this browser knows you. What was handed on before that cannot be called back.",
            ),
        ),
        adult="I am 18 years old or older.",
        agree="I have read this, and I take part of my own free will.",
    ),
}


@dataclass(frozen=True, slots=True)
class AnswererWords:
    """The sentences for one kind of answerer."""

    who: str
    same: str
    it: str
    shown: str
    no_answer_yet: str
    before: str
    asked: str
    after: str


WORDS: Final[Mapping[Answerer, AnswererWords]] = {
    "machine": AnswererWords(
        who="an AI system",
        same="the AI system",
        it="the AI system",
        shown="The same AI system has answered a second question.",
        no_answer_yet="You have not yet seen any answer of this AI system.",
        before="How sure are you that an AI system answers this question correctly?",
        asked="The same AI system was asked another question",
        after="How sure are you now that this AI system answers the question from before correctly?",
    ),
    "either": AnswererWords(
        who="someone, who may be a person or an AI system,",
        same="the one who gave that answer",
        it="the one who answers",
        shown="The one who answers the first question, a person or an AI system, has answered a second one. You do not learn "
        "which of the two it is.",
        no_answer_yet="It may be a person or an AI system. You have not yet seen any of their answers.",
        before="How sure are you that a person or an AI system, whichever it is, answers this question correctly?",
        asked="The same person or AI system was asked another question",
        after="How sure are you now that the same person or AI system answers the question from before correctly?",
    ),
}
"""Respondents never learn which machine it is (`vafa2024`, section 3; Appendix F for people and machines mixed)."""

NOTICES: Final = {
    "here": "You had moved on from that page. This is where you are.",
    "kept": "You had answered that already: your first answer counts. This is where you are.",
}
"""Notices after a redirect, by the name in the address."""

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
DRAFT: Final = ("This survey has not started yet", "Please come back later.")
CLOSED: Final = (
    "This survey is closed",
    "Nobody new can begin. Thank you for your interest. Please return the study on the platform.",
)
