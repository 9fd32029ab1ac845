"""Surveys for the tests of their pages, and someone who takes them without a script."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from tests.web.site import LiveSite, ScriptlessBrowser
from vivavoce.generalization.survey.plan import CHECK_QUESTIONS, CompletionCodes, SurveyCard, SurveyPlan
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store import surveys
from vivavoce.web.store.surveys import ExportedAnswer, Survey, SurveyCounts

CODES = CompletionCodes("DONE-1", "FAILED-1", "WITHDRAWN-1")
RIGHT = {f"check-{check.id}": check.right for check in CHECK_QUESTIONS}
WRONG = RIGHT | {"check-number": "mine"}
_numbers = count(1)
LONG = "<b>Which of these is the longest word of all that were ever written on a card?<br></b>(A) " + "x" * 400 + "<br>(B) no"
ARABIC = "<b>ما هي عاصمة فرنسا؟<br></b>(A) باريس<br>(B) روما"
TALL = [
    SurveyCard(1, LONG, ARABIC, "a", "b", "(B) no", previous_correct=True),
    SurveyCard(2, ARABIC, LONG, "b", "a", "(A) باريس", previous_correct=False),
]
"""Words that never end, and lines that go from right to left."""


def cards(number: int = 30) -> list[SurveyCard]:
    """Cards that can be told apart, in the marks of the paper's data set."""
    return [
        SurveyCard(
            number=index,
            q1=f"<b>What is {index} and {index}?<br></b>(A) {2 * index}<br>(B) {index}",
            q2=f"<b>What is {index} times {index}?<br></b>(A) {index * index}<br>(B) {index}",
            source1="sums",
            source2="products",
            shown=f"(A) {2 * index}" if index % 2 else f"(B) {index}",
            previous_correct=bool(index % 2),
            weight=float(index),
            stage=1,
        )
        for index in range(1, number + 1)
    ]


def make(site: LiveSite, *, state: str = "open", of: Sequence[SurveyCard] | None = None, **plan: Any) -> Survey:
    """A survey of its own, open unless told otherwise."""
    given: dict[str, Any] = {
        "slug": f"trust-{next(_numbers)}",
        "title": "What do you trust it with?",
        "codes": CODES,
        "pairs_each": 2,
    }
    made = SurveyPlan(**given | plan)
    with transaction(site.engine) as c:
        survey = surveys.create(c, made, cards() if of is None else of, utc_now())
        if state != "draft":
            survey = surveys.set_state(c, made.slug, "open", utc_now())
        if state == "closed":
            survey = surveys.set_state(c, made.slug, "closed", utc_now())
    return survey


def address(survey: Survey) -> str:
    """Of its entry."""
    return f"/surveys/{survey.plan.slug}"


def counts(site: LiveSite, survey: Survey) -> SurveyCounts:
    """How many came to which end."""
    with reading(site.engine) as c:
        return surveys.counts(c, survey)


def exported(site: LiveSite, survey: Survey) -> list[ExportedAnswer]:
    """All that the survey gives away."""
    with reading(site.engine) as c:
        return list(surveys.exported_answers(c, survey))


class SurveyBrowser(ScriptlessBrowser):
    """Takes a survey without a script."""

    def __init__(self, site: LiveSite, survey: Survey, participant: str | None = None, *, follow: bool = True) -> None:
        super().__init__(site.url, follow=follow)
        self.base = address(survey)
        self.participant = participant

    def come(self) -> SurveyBrowser:
        """Follow the platform's link, or the bare one."""
        platform = f"?PROLIFIC_PID={self.participant}&STUDY_ID=6a&SESSION_ID=6b" if self.participant else ""
        self.get(f"{self.base}{platform}")
        return self

    def agree(self) -> SurveyBrowser:
        """From the entry to how it works."""
        self.come()
        self.send(f"{self.base}/consent", {"adult": "on", "agree": "on"})
        assert self.path == f"{self.base}/how", self.words
        return self

    def begin(self) -> SurveyBrowser:
        """From the entry to the first pair."""
        return self.agree().understand()

    def understand(self) -> SurveyBrowser:
        """From how it works to the first pair."""
        self.get(f"{self.base}/checks")
        self.check(RIGHT)
        assert self.path == f"{self.base}/pairs/1/before", self.words
        return self

    def check(self, given: dict[str, str], tries: int = 0) -> None:
        """Answer the questions on the task."""
        self.send(f"{self.base}/checks", given | {"tries": str(tries)})

    def say(self, before: str, after: str, why: str = "") -> None:
        """Both numbers of the pair that is asked."""
        self.send(self.path, {"belief": before})
        self.send(self.path, {"belief": after, "why": why})
