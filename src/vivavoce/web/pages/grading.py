"""Grading: from the link that somebody was given to one answer after another."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from vivavoce.web.pages.forms import Form
from vivavoce.web.pages.grading_visit import GradersVisit, GradingRoute, UselessKey, cookie
from vivavoce.web.pages.grading_words import VERSION
from vivavoce.web.pages.survey_text import visible
from vivavoce.web.pages.visit import AnyVisit, Sent
from vivavoce.web.security.limits import Deed
from vivavoce.web.store import grading_people
from vivavoce.web.store.grading_people import POINTS, Task

router = APIRouter(prefix="/grading", route_class=GradingRoute)
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]
NO_GRADE = "Choose the points, and say whether the answer is ridiculous."
LONGEST_KEY = 100


@router.get("/link")
def link(visit: AnyVisit, key: str = "") -> Response:
    """Where the link leads: the browser keeps the key, and the address bar does not."""
    visit.count(Deed.ENTER)
    found = None
    if 0 < len(key) <= LONGEST_KEY:
        with visit.reading() as c:
            found = grading_people.grader(c, key, visit.now)
    if found is None:
        visit.count(Deed.WRONG_TOKEN)
        raise UselessKey("this key opens nothing")
    return cookie(visit).write(visit.to("/grading"), key)


@router.get("")
def grade(grading: GradersVisit) -> Response:
    """The answer that is to be graded now; before that, what graders agree to."""
    if grading.grader.withdrawn is not None:
        return grading.page("withdrawn")
    if grading.grader.consent is None:
        return grading.consent()
    with grading.visit.writing() as c:
        task = grading_people.take(c, grading.grader, grading.visit.now)
        done = grading_people.graded_by(c, grading.grader)
        waiting = grading_people.waiting_for(c, grading.grader, grading.visit.now)
    if task is None:
        over = grading.queue.state != "open" or grading.grader.expires <= grading.visit.now
        return grading.page("waiting", done=done, open=not over)
    return _show(grading, task, done, waiting)


@router.post("/consent")
def consented(grading: GradersVisit, form: Sent) -> Response:
    """Somebody agrees, and begins."""
    _count(grading)
    if not (form.ticked("adult") and form.ticked("agree")):
        return grading.consent(form)
    with grading.visit.writing() as c:
        grading_people.agree(c, grading.grader, VERSION)
    return grading.to()


@router.post("/answers/{number}")
def graded(number: Number, grading: GradersVisit, form: Sent) -> Response:
    """A grade, or that somebody cannot give one. What is sent twice counts once."""
    _count(grading)
    if form.text("do") == "pass":
        with grading.visit.writing() as c:
            kept = grading_people.pass_on(c, grading.grader, number)
        return grading.to("passed" if kept else "gone")
    points, said = form.text("points"), form.text("ridiculous")
    if points not in map(str, range(POINTS + 1)) or said not in ("yes", "no"):
        return _again(grading, number, form)
    with grading.visit.writing() as c:
        kept = grading_people.give(c, grading.grader, number, int(points), said == "yes")
    return grading.to("graded" if kept else "gone")


@router.get("/withdraw")
def withdrawal(grading: GradersVisit) -> Response:
    """Whether somebody really wants to withdraw."""
    return grading.page("withdrawn" if grading.grader.withdrawn is not None else "withdraw")


@router.post("/withdraw")
def withdrawn(grading: GradersVisit, form: Sent) -> Response:
    """Delete what is not part of a verdict, and forget who gave the rest."""
    _count(grading)
    with grading.visit.writing() as c:
        grading_people.withdraw(c, grading.grader, grading.visit.now)
    return grading.to()


def _again(grading: GradersVisit, number: int, form: Form) -> Response:
    """The same answer with what was chosen, where that was not enough."""
    with grading.visit.reading() as c:
        task = grading_people.task(c, grading.grader, number)
        done = grading_people.graded_by(c, grading.grader)
        waiting = grading_people.waiting_for(c, grading.grader, grading.visit.now)
    return grading.to("gone") if task is None else _show(grading, task, done, waiting, form)


def _show(grading: GradersVisit, task: Task, done: int, waiting: int, form: Form | None = None) -> Response:
    texts = {name: visible(getattr(task, name)) for name in ("question", "answer", "rubric")}
    chosen = {name: form.text(name) if form else "" for name in ("points", "ridiculous")}
    shown = {"number": task.number, "done": done, "waiting": waiting, "most": POINTS, "problem": NO_GRADE if form else None}
    return grading.page("answer", 422 if form else 200, chosen=chosen, **texts, **shown)


def _count(grading: GradersVisit) -> None:
    """By grader: several may share an address."""
    grading.visit.count(Deed.WRITE, f"grader {grading.grader.id}")
