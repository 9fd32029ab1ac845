"""The pages of a survey, as respondents and previews see them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.generalization.survey.plan import CHECK_QUESTIONS, LONGEST_OWN, LONGEST_WHY, TRIES, SurveyCard, SurveyStep
from vivavoce.web.pages.request_context import FormFields
from vivavoce.web.pages.survey_request import SurveyVisit
from vivavoce.web.pages.survey_texts import TEXTS, VERSION

_BREAK: Final = re.compile(r"[ \t]*<\s*br\s*/?\s*>", re.IGNORECASE)
_MARK: Final = re.compile(r"<\s*/?\s*(?:b|i|u|em|strong)\s*>", re.IGNORECASE)
_UNSEEN: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_GAP: Final = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def plain(text: str) -> str:
    r"""A question or an answer without markup of its data set: `<br>` ends a line, `<b>` and the like are removed.

    The result is plain text and is escaped when shown. Other tags stay, because a question may be about them.

    >>> plain("<b>Which tag makes a link?<br></b>(A) <a><br/>(B) <link>")
    'Which tag makes a link?\n(A) <a>\n(B) <link>'
    >>> plain("Is 1 <b and c> 2?"), plain("<script>alert(1)</script>")
    ('Is 1 <b and c> 2?', '<script>alert(1)</script>')
    """
    lines = _BREAK.sub("\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _GAP.sub("\n\n", visible(_MARK.sub("", lines))).strip()


def visible(text: str) -> str:
    r"""The text, with spaces for characters that cannot be shown.

    >>> visible("<b>1\x00</b>\r\n2")
    '<b>1 </b>\n2'
    """
    return _UNSEEN.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))


NO_ANSWER = "Please write an answer, also where you have to guess."
NO_NUMBER = "Choose a place on the scale, or write a whole number from 0 to 100."


def consent(taking: SurveyVisit, form: FormFields | None = None) -> Response:
    """The consent page; again with the ticked boxes if one is missing."""
    text, ticked = TEXTS[VERSION], form.fields if form else {}
    problem = "To take part, tick both boxes." if form else None
    values = {"consent": text, "paragraphs": text.shown(taking.survey.plan), "version": VERSION}
    return taking.page("consent", 422 if form else 200, problem=problem, ticked=ticked, **values)


def agreed(form: FormFields) -> bool:
    """Whether both boxes are ticked."""
    return form.ticked("adult") and form.ticked("agree")


def how(taking: SurveyVisit, onward: str, *, at_checks: bool) -> Response:
    """How the survey works."""
    values = {"checks": len(CHECK_QUESTIONS), "tries": TRIES, "at_checks": at_checks}
    return taking.page("how", onward=f"{taking.base}/{onward}", **values)


def checks(taking: SurveyVisit, tries: int, given: Mapping[str, str] | None = None) -> Response:
    """The questions on the task; again if one was not answered, which is not a try."""
    chosen = {check.id: (given or {}).get(check.id, "") for check in CHECK_QUESTIONS}
    problem = None if given is None else "Please answer each question."
    status = 200 if given is None else 422
    return taking.page("checks", status, checks=CHECK_QUESTIONS, tries=tries, given=chosen, problem=problem)


def chosen_checks(form: FormFields) -> dict[str, str]:
    """The chosen options; empty for unanswered questions."""
    return {check.id: form.text(f"check-{check.id}") for check in CHECK_QUESTIONS}


@dataclass(frozen=True, slots=True)
class ShownCard:
    """A respondent's current pair."""

    place: int
    card: SurveyCard


def own(taking: SurveyVisit, shown: ShownCard, form: FormFields | None = None, problem: str | None = None) -> Response:
    """A question that the participant answers themselves."""
    given = form.text("own")[:LONGEST_OWN] if form else ""
    values = {"q2": plain(shown.card.q2), "given": given, "longest": LONGEST_OWN}
    return taking.page("own", 422 if problem else 200, place=shown.place, problem=problem, **values)


def before(taking: SurveyVisit, shown: ShownCard, given: str = "", problem: str | None = None) -> Response:
    """A question, and the first belief about it."""
    values = {"q2": plain(shown.card.q2), "given": given[:20]}
    return taking.page("before", 422 if problem else 200, place=shown.place, problem=problem, **values)


def after(
    taking: SurveyVisit, shown: ShownCard, earlier: int, form: FormFields | None = None, problem: str | None = None
) -> Response:
    """An answer to another question, and the second belief."""
    card = shown.card
    given, why = (form.text("belief")[:20], form.text("why")) if form else ("", "")
    texts = {"q1": plain(card.q1), "shown": plain(card.shown), "right": card.previous_correct, "q2": plain(card.q2)}
    document = {"earlier": earlier, "given": given, "why": why, "longest_why": LONGEST_WHY}
    return taking.page("after", 422 if problem else 200, place=shown.place, problem=problem, **texts, **document)


def again(taking: SurveyVisit) -> Response:
    """The page for a respondent who took part before."""
    plan = taking.survey.plan
    return taking.page("again", code=plan.codes.of_again, address=plan.again_address())


def end(taking: SurveyVisit, step: SurveyStep) -> Response:
    """The end page: how it ended, and the code for the platform."""
    return taking.page("end", step=str(step), address=taking.survey.plan.return_address(step))


def withdrawal(taking: SurveyVisit, onward: str) -> Response:
    """Ask to confirm the withdrawal."""
    return taking.page("withdraw", onward=f"{taking.base}/{onward}")


def percent(text: str) -> int:
    """A belief as people type it. Raises `BadInput`.

    >>> percent(" 62 "), percent("62 %"), percent("٦٢")
    (62, 62, 62)
    """
    text = text.strip().removesuffix("%").rstrip()
    if not text.isdecimal() or len(text) > 3 or not 0 <= int(text) <= 100:
        raise BadInput(NO_NUMBER)
    return int(text)


def own_answer(form: FormFields) -> str:
    """A participant's own answer. Raises `BadInput`."""
    text = form.text("own").strip()
    if not text:
        raise BadInput(NO_ANSWER)
    if len(text) > LONGEST_OWN:
        raise BadInput(f"Your answer has {len(text):,} characters: {LONGEST_OWN:,} are the most.")
    return text


def reason(form: FormFields) -> str:
    """A participant's reason, which is optional. Raises `BadInput` if it is too long."""
    text = form.text("why").strip()
    if len(text) > LONGEST_WHY:
        raise BadInput(f"Your words have {len(text):,} characters: {LONGEST_WHY:,} are the most.")
    return text
