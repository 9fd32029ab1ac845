"""Pages of the operator: figures, reports, players and surveys."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Annotated, Final, cast

from fastapi import Depends
from fastapi.routing import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from vivavoce.errors import UnknownName, VivavoceError
from vivavoce.generalization.survey.plan import SurveyPlan
from vivavoce.generalization.survey.responses import OWN, SurveyResponse, about_own, own_answers_of, own_table
from vivavoce.luna.guessers import ALPHA
from vivavoce.luna.site_statistics import LunaStatistics, statistics
from vivavoce.web.pages.home import guess_chart
from vivavoce.web.pages.request_context import AnyVisit, SubmittedForm, Visit
from vivavoce.web.pages.survey_request import SLUG
from vivavoce.web.security.http import Cookie, new_visitor
from vivavoce.web.security.limits import RateLimitedAction
from vivavoce.web.store import moderation, ratings, surveys
from vivavoce.web.store.moderation import SANCTIONS, Sanction, carry_out, foreseen
from vivavoce.web.store.ratings import ListedPlayer, Order, flagged, guesses_given, listed_player, reports_of, roster
from vivavoce.web.store.surveys import ExportedAnswer, answers_by_card, counts, exported_answers
from vivavoce.web.survey_release import Graded, own_answers_graded

router = APIRouter()
LASTS: Final = timedelta(hours=1)
"""How long the operator stays signed in."""
WRONG: Final = "Wrong token."
SAID: Final = {"hide": "texts-hidden", "ban": "player-banned", "dismiss": "report-closed"}
"""The actions on a report, each with the notice that confirms it."""
WIDTH: Final = 600
"""Width of the histogram, in units of its picture."""
HEIGHT: Final = 160


@dataclass(frozen=True, slots=True)
class HistogramBar:
    """One bar of the histogram."""

    x: float
    y: float
    width: float
    height: float
    lower: int
    count: int


class NotOperator(HTTPException):
    """The page is for the operator; others are redirected to the form."""

    def __init__(self) -> None:
        super().__init__(303, headers={"Location": "/operator/sign-in"})


def operating(visit: AnyVisit) -> Visit:
    """A visit by the operator. Raises `NotOperator`, or 404 if the site has no operator's pages."""
    if not is_operator(visit):
        raise NotOperator
    return visit


OperatorsVisit = Annotated[Visit, Depends(operating)]


@router.get("/operator/sign-in")
def sign_in_form(visit: AnyVisit) -> Response:
    """The form for the token."""
    return visit.to("/operator") if is_operator(visit) else visit.page("operator_sign_in", problem=None)


@router.post("/operator/sign-in")
def sign_in(visit: AnyVisit, form: SubmittedForm) -> Response:
    """Sign in for an hour with the token."""
    token = _token(visit)
    visit.count(RateLimitedAction.SIGN_IN)
    if not hmac.compare_digest(form.text("token").strip().encode(errors="replace"), token.encode(errors="replace")):
        return visit.page("operator_sign_in", 422, problem=WRONG)
    visitor, until = new_visitor(), round((visit.now + LASTS).timestamp())
    response = visit.site.cookies.visitor.write(visit.to("/operator"), visitor)
    return _note(visit).write(response, f"{until}|{visitor}", days=LASTS / timedelta(days=1))


@router.post("/operator/sign-out")
def sign_out(visit: OperatorsVisit, form: SubmittedForm) -> Response:
    """Delete the browser's note."""
    response = visit.site.cookies.visitor.write(visit.to("/"), new_visitor())
    _note(visit).clear(response)
    return response


@router.get("/operator")
def open_reports(visit: OperatorsVisit) -> Response:
    """Open reports of players, and banned players."""
    with visit.reading() as c:
        return visit.page("operator", reports=moderation.open_reports(c), banned=moderation.banned_players(c))


@router.post("/operator/reports/{number}")
def see_to(visit: OperatorsVisit, form: SubmittedForm, number: int) -> Response:
    """Hide the text, also ban its author, or leave both alone; the report is closed in any case."""
    deed = form.text("do")
    if deed not in SAID:
        raise HTTPException(400)
    with visit.writing() as c:
        report = next(
            (player_report for player_report in moderation.open_reports(c, limit=10_000) if player_report.id == number), None
        )
        if report is not None:
            if deed != "dismiss":
                moderation.hide(c, report.game, report.place)
            if deed == "ban":
                moderation.ban(c, report.player, visit.now)
            moderation.close_report(c, report.id, visit.now)
    return visit.to("/operator", notice=SAID[deed] if report is not None else "report-gone")


@router.get("/operator/figures")
def figures(visit: OperatorsVisit) -> Response:
    """The figures of chapter 6 of the thesis for this site; rate-limited, because it reads all games."""
    visit.count(RateLimitedAction.REPORT, "operator")
    with visit.reading() as c:
        games = list(ratings.counted_games(c, salt=new_visitor().encode()))
        traffic = ratings.traffic(c)
    luna_statistics = statistics(games, traffic, site=visit.site.settings.base_url)
    return visit.page(
        "operator_figures", found=luna_statistics, tables=luna_statistics.tables, bars=bars(luna_statistics), height=HEIGHT
    )


def bars(statistics: LunaStatistics) -> Sequence[HistogramBar]:
    """The histogram of people's ratings as SVG data; empty if there are none."""
    most = max(statistics.histogram, default=0)
    step = WIDTH / len(statistics.histogram)
    return [
        HistogramBar(
            round(index * step + 2, 1), round(HEIGHT - high, 1), round(step - 4, 1), round(high, 1), 10 * index, number
        )
        for index, number in enumerate(statistics.histogram)
        for high in [HEIGHT * number / most]
    ] if most else []  # fmt: skip


def is_operator(visit: Visit) -> bool:
    """Whether this browser's note is valid. Raises 404 if there are no operator's pages."""
    until, _, visitor = (_note(visit).read(visit.request) or "0").partition("|")
    return visit.now.timestamp() < int(until) and hmac.compare_digest(visitor.encode(), visit.visitor.encode())


def _token(visit: Visit) -> str:
    token = visit.site.settings.operator_token
    if not token:
        raise HTTPException(404)
    return token


def _note(visit: Visit) -> Cookie:
    """The signed note, with the time at which the token was typed; a new token invalidates it. Raises 404 if there are no
    operator's pages.
    """
    digest = sha256(_token(visit).encode(errors="replace")).hexdigest()
    return Cookie(visit.site.settings, "operator", key=digest, same_site="strict")


ORDERS: Final = {"newest": "Newest first", "flags": "Most flagged first"}
MOST_PAGES: Final = 1_000_000
IN_TABLE: Final = 100
"""Most guesses of a player, or ratings changed by a sanction, that a page lists."""


@router.get("/operator/players")
def players(visit: OperatorsVisit, search: str = "", order: str = "newest", page: int = 1) -> Response:
    """All players, a page at a time."""
    visit.count(RateLimitedAction.OVERSEE, "operator")
    by = cast(Order, order) if order in ORDERS else "newest"
    with visit.reading() as c:
        rules = {player.id: len(player.statements) for player in flagged(c)} if by == "flags" else {}
        shown = roster(c, search=search, order=by, page=min(page, MOST_PAGES), flagged=rules)
    return visit.page("operator_players", roster=shown, search=search, order=by, orders=ORDERS, rules=rules)


@router.get("/operator/players/{player}")
def one_player(visit: OperatorsVisit, player: str) -> Response:
    """Everything about one player. Raises 404 for an unknown one."""
    visit.count(RateLimitedAction.OVERSEE, "operator")
    with visit.reading() as c:
        profile = listed_player(c, player)
        if profile is None:
            raise HTTPException(404)
        given, reports = guesses_given(c, player), reports_of(c, player)
        evidence = [
            line
            for flagged_player in flagged(c, with_voided_of=player)
            if flagged_player.id == player
            for line in flagged_player.statements
        ]
    return visit.page(
        "operator_player",
        one=profile,
        given=given,
        guess_chart=guess_chart(given),
        reports=reports,
        evidence=evidence,
        actions=_open_to(profile),
        sanctions=SANCTIONS,
        alpha=ALPHA,
        most=IN_TABLE,
    )


@router.get("/operator/players/{player}/{sanction}")
def before(visit: OperatorsVisit, player: str, sanction: str) -> Response:
    """The effect of a sanction. Raises 404 for an unknown sanction or player."""
    return _told(visit, player, _known(sanction))


@router.post("/operator/players/{player}/{sanction}")
def after(visit: OperatorsVisit, form: SubmittedForm, player: str, sanction: str) -> Response:
    """Carry out the sanction if its consequences are still those shown; otherwise show them again."""
    deed = _known(sanction)
    with visit.writing() as c:
        is_unchanged = str(foreseen(c, deed, player).guesses) == form.text("guesses")
        consequences = carry_out(c, deed, player, visit.now) if is_unchanged else None
    if consequences is None:
        return _told(visit, player, deed, 409)
    return visit.page("operator_done", found=consequences, words=SANCTIONS[deed], most=IN_TABLE)


@router.get("/operator/flags")
def flags(visit: OperatorsVisit) -> Response:
    """Players who seem to guess by a rule; it reads all games."""
    visit.count(RateLimitedAction.OVERSEE, "operator")
    with visit.reading() as c:
        rows = [(player, foreseen(c, "void", player.id)) for player in flagged(c)]
    return visit.page("operator_flags", flagged=rows, alpha=ALPHA, sanctions=SANCTIONS)


def _told(visit: Visit, player: str, sanction: Sanction, status: int = 200) -> Response:
    try:
        with visit.reading() as c:
            consequences = foreseen(c, sanction, player)
    except UnknownName:
        raise HTTPException(404) from None
    changed = "The consequences have changed meanwhile: please check them again." if status == 409 else None
    return visit.page("operator_before", status, found=consequences, words=SANCTIONS[sanction], problem=changed, most=IN_TABLE)


def _known(sanction: str) -> Sanction:
    if sanction not in SANCTIONS:
        raise HTTPException(404)
    return cast(Sanction, sanction)


def _open_to(player: ListedPlayer) -> tuple[Sanction, ...]:
    """The sanctions that are possible for a player in this state."""
    counts, voided = player.given > player.voided, player.voided > 0
    if player.banned:
        return (*(("void",) if counts else ()), "unban", *(("restore",) if voided else ()))
    shut_out: tuple[Sanction, ...] = () if player.left else ("ban",)
    both: tuple[Sanction, ...] = ("ban-and-void",) if counts and not player.left else ()
    return (*shut_out, *both, *(("void",) if counts else ()), *(("restore",) if voided else ()))


MOST: Final = 200
"""Most surveys that the page lists, the newest first."""


@router.get("/operator/surveys")
def all_surveys(visit: OperatorsVisit) -> Response:
    """All surveys, with their respondents by ending."""
    visit.count(RateLimitedAction.OVERSEE, "operator")
    with visit.reading() as c:
        rows = [(survey, counts(c, survey)) for survey in reversed(surveys.listed(c)[-MOST:])]
    return visit.page("operator_surveys", found=rows)


@router.get("/operator/surveys/{slug}")
def one_survey(visit: OperatorsVisit, slug: str) -> Response:
    """One survey; rate-limited, because it reads all its answers. Raises 404 if there is none."""
    visit.count(RateLimitedAction.REPORT, "operator")
    with visit.reading() as c:
        survey = surveys.survey(c, slug) if SLUG.fullmatch(slug) else None
        if survey is None:
            raise HTTPException(404)
        survey_counts, by_card = counts(c, survey), answers_by_card(c, survey)
        exported = list(exported_answers(c, survey))
    graded, ungraded = _grading(survey.plan, exported)
    own = own_answers_of([_read(answer, graded) for answer in exported])
    return visit.page(
        "operator_survey",
        survey=survey,
        counts=survey_counts,
        pairs=len(by_card),
        enough=sum(number >= survey.plan.answers_each for number in by_card.values()),
        tables=((OWN, own_table(own), about_own(own)),) if own else (),
        ungraded=ungraded,
    )


def _grading(plan: SurveyPlan, answers: Iterable[ExportedAnswer]) -> tuple[Graded | None, str]:
    """The grading of own answers, and why it is impossible if the scope can't be opened here; empty without a problem."""
    if not plan.own_answers or not any(answer.own for answer in answers):
        return None, ""
    try:
        return own_answers_graded(plan), ""
    except VivavoceError as error:
        return None, str(error)


def _read(answer: ExportedAnswer, graded: Graded | None) -> SurveyResponse:
    right = graded(answer.pair.q2, answer.own) if graded and answer.own else None
    return SurveyResponse(answer.pair, own_asked=graded is not None, own_right=right)
