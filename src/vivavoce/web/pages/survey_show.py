"""The pages of a survey, as respondents and previews see them."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from vivavoce.errors import BadInput
from vivavoce.generalization.survey.rules import CHECK_QUESTIONS, LONGEST_WHY, TRIES, Card, Step
from vivavoce.web.pages.forms import Form
from vivavoce.web.pages.survey_consent import TEXTS, VERSION
from vivavoce.web.pages.survey_text import plain
from vivavoce.web.pages.survey_visit import Taking

NO_NUMBER = "Choose a place on the scale, or write a whole number from 0 to 100."


def consent(taking: Taking, form: Form | None = None) -> Response:
    """What respondents agree to; again, with what was ticked, where that was not enough."""
    text, ticked = TEXTS[VERSION], form.fields if form else {}
    problem = "To take part, tick both boxes." if form else None
    values = {"consent": text, "paragraphs": text.shown(taking.survey.plan), "version": VERSION}
    return taking.page("consent", 422 if form else 200, problem=problem, ticked=ticked, **values)


def agreed(form: Form) -> bool:
    """Whether both boxes are ticked."""
    return form.ticked("adult") and form.ticked("agree")


def how(taking: Taking, onward: str, *, at_checks: bool) -> Response:
    """How the survey works."""
    values = {"checks": len(CHECK_QUESTIONS), "tries": TRIES, "at_checks": at_checks}
    return taking.page("how", onward=f"{taking.base}/{onward}", **values)


def checks(taking: Taking, tries: int, given: Mapping[str, str] | None = None) -> Response:
    """The questions on the task; again where not all of them were answered, which is no try."""
    chosen = {check.id: (given or {}).get(check.id, "") for check in CHECK_QUESTIONS}
    problem = None if given is None else "Please answer each question."
    status = 200 if given is None else 422
    return taking.page("checks", status, checks=CHECK_QUESTIONS, tries=tries, given=chosen, problem=problem)


def chosen_checks(form: Form) -> dict[str, str]:
    """What was chosen; empty where nothing was."""
    return {check.id: form.text(f"check-{check.id}") for check in CHECK_QUESTIONS}


def before(taking: Taking, place: int, card: Card, given: str = "", problem: str | None = None) -> Response:
    """A question, and the first belief about it."""
    return taking.page("before", 422 if problem else 200, place=place, q2=plain(card.q2), given=given[:20], problem=problem)


def after(
    taking: Taking, place: int, card: Card, earlier: int, form: Form | None = None, problem: str | None = None
) -> Response:
    """An answer to another question, and the second belief."""
    given, why = (form.text("belief")[:20], form.text("why")) if form else ("", "")
    texts = {"q1": plain(card.q1), "shown": plain(card.shown), "right": card.previous_correct, "q2": plain(card.q2)}
    said = {"earlier": earlier, "given": given, "why": why, "longest_why": LONGEST_WHY}
    return taking.page("after", 422 if problem else 200, place=place, problem=problem, **texts, **said)


def end(taking: Taking, step: Step) -> Response:
    """That it is over, how it ended, and the code for the platform."""
    return taking.page("end", step=str(step), address=taking.survey.plan.return_address(step))


def withdrawal(taking: Taking, onward: str) -> Response:
    """Whether somebody really wants to withdraw."""
    return taking.page("withdraw", onward=f"{taking.base}/{onward}")


def percent(text: str) -> int:
    """A belief as people write it. Raises `BadInput`.

    >>> percent(" 62 "), percent("62 %"), percent("٦٢")
    (62, 62, 62)
    """
    text = text.strip().removesuffix("%").rstrip()
    if not text.isdecimal() or len(text) > 3 or not 0 <= int(text) <= 100:
        raise BadInput(NO_NUMBER)
    return int(text)


def reason(form: Form) -> str:
    """Why somebody changed their belief, or not. Raises `BadInput` for what is too long."""
    why = form.text("why").strip()
    if len(why) > LONGEST_WHY:
        raise BadInput(f"Your words have {len(why):,} characters: {LONGEST_WHY:,} are the most.")
    return why
