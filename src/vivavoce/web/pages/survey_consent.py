"""What respondents of a survey agree to, by version; a respondent's row says which one it was.

A version that somebody has agreed to is never changed: a new text is a new version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.generalization.survey.plan import Answerer, SurveyPlan


@dataclass(frozen=True, slots=True)
class SurveyConsent:
    """A text that respondents agree to."""

    task: Mapping[Answerer, str]
    """What they will do: of a machine, or of somebody who may be a person or a machine."""
    why: str
    """That they may say why."""
    paragraphs: tuple[tuple[str, str], ...]
    """Heading and words of the rest."""
    adult: str
    agree: str
    unaided: str = ""
    """That they need not know any answers, where they are not asked for their own."""
    arms: str = ""
    """That they are not all shown the same."""
    own: str = ""
    """That they answer the questions themselves, too."""
    closing: str = ""
    """That they are asked how they decided, and that the text is checked."""

    def shown(self, plan: SurveyPlan) -> tuple[tuple[str, str], ...]:
        """Heading and words of each paragraph, for one survey."""
        minutes = max(2, round(plan.pairs_each * SECONDS_EACH / 60) + 1)
        pairs = "one pair" if plan.pairs_each == 1 else f"{plan.pairs_each} pairs"
        task = self.task[plan.told].format(pairs=pairs, minutes=minutes)
        parts = (
            (self.unaided, not plan.own_answers),
            (self.arms, bool(plan.arms)),
            (self.own, plan.own_answers),
            (self.why, plan.ask_why),
            (self.closing, plan.closing_text),
        )
        told = " ".join([task, *(words for words, asked in parts if asked and words)])
        return (("What you will do", told), *self.paragraphs)


SECONDS_EACH: Final = 45
"""Of a pair: 15 took 12 minutes with all around them (`vafa2024`, section 3)."""
VERSION: Final = "3"
SIGNALS_SINCE: Final = 2
"""Who agreed to an earlier text was not told that the page counts anything."""
_FIRST: Final = SurveyConsent(
    task={
        "machine": "You read {pairs} of questions. Of each you say how sure you are that an AI system answers a "
        "question correctly, once before and once after you have seen an answer that it gave to another question. You need "
        "not know any answers yourself. It takes about {minutes} minutes.",
        "either": "You read {pairs} of questions. Of each you say how sure you are that somebody answers a question "
        "correctly, once before and once after you have seen an answer that they gave to another question. It may be a "
        "person or an AI system. You need not know any answers yourself. It takes about {minutes} minutes.",
    },
    why="If you like, you write a sentence on why you think so.",
    paragraphs=(
        (
            "What is kept",
            "The numbers that you give, what you write if you write anything, when you did so, and that you agreed to this "
            "text. If a platform sent you, its name for you is turned into a code that only tells that you have been here "
            "before: without this site's secret nobody can say whose it is. Your name, the platform's name for you and the "
            "address of your computer are not kept. A cookie lets this browser find your place again for 60 days.",
        ),
        (
            "What is published",
            "What you say may be published for research together with what others say, under a name made up by chance. "
            "Please write nothing by which you or anybody else could be recognised.",
        ),
        (
            "It is up to you",
            "You may stop at any time without saying why: there is a link at the foot of each page. What you have said is "
            "then deleted at once, and only that somebody has withdrawn is kept. You can do so after the end, too, as long "
            "as this browser knows you. What was handed on before that cannot be called back.",
        ),
    ),
    adult="I am 18 years old or older.",
    agree="I have read this, and I take part of my own free will.",
)
_SECOND: Final = SurveyConsent(
    task={
        "machine": "You read {pairs} of questions. Of each you say how sure you are that an AI system answers a "
        "question correctly, once before and once after you have seen an answer that it gave to another question. You "
        "need not know any answers yourself. It takes about {minutes} minutes.",
        "either": "You read {pairs} of questions. Of each you say how sure you are that somebody answers a question "
        "correctly, once before and once after you have seen an answer that they gave to another question. It may be a "
        "person or an AI system. You need not know any answers yourself. It takes "
        "about {minutes} minutes.",
    },
    arms="Participants are shown different things beside the answer; chance decides which.",
    own="Before you give a number you answer the question yourself, as well as you can without help; it does not matter "
    "how many you get right.",
    closing="At the end you say in a sentence how you decided; we check whether such texts were written by a machine.",
    why="If you like, you write a sentence on why you think so.",
    paragraphs=(
        (
            "What is kept",
            "The numbers that you give, what you write if you write anything, when you did so, and that you agreed to "
            "this text. While a page is open it counts keys and pastes in what you write, and how often and how long it "
            "is out of sight: not which keys, and not where else you go. If a platform sent you, its name for you is "
            "turned into a code that only tells that you have been here, or in an earlier part of the same study, "
            "before: without this site's secret nobody can say whose it is. Your name, the platform's name for you and "
            "the address of your computer are not kept. A cookie lets this browser find your place again for 60 days.",
        ),
        (
            "What is published",
            "What you say may be published for research together with what others say, under a name made up by chance. "
            "Please write nothing by which you or anybody else could be recognised.",
        ),
        (
            "It is up to you",
            "You may stop at any time without saying why: there is a link at the foot of each page. What you have said is "
            "then deleted at once, and only that somebody has withdrawn is kept. You can do so after the end, too, as long "
            "as this browser knows you. What was handed on before that cannot be called back.",
        ),
    ),
    adult="I am 18 years old or older.",
    agree="I have read this, and I take part of my own free will.",
)
_NEED_NOT: Final = " You need not know any answers yourself."
TEXTS: Final[Mapping[str, SurveyConsent]] = {
    "1": _FIRST,
    "2": _SECOND,
    "3": replace(
        _SECOND,
        task={told: words.replace(_NEED_NOT, "") for told, words in _SECOND.task.items()},
        unaided=_NEED_NOT.strip(),
    ),
}
