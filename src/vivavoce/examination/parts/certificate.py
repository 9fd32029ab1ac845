"""Certificates as part of an examination: scopes with equal settings share one error rate."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from pydantic import Field

from vivavoce.certificate.attempts.attempt import delta_of
from vivavoce.certificate.attempts.determinism import about_in_words
from vivavoce.certificate.attempts.log import as_given, limit_of
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict, brief
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ClaimResult, DisplayNames
from vivavoce.certificate.config import PASSING_GRADE, USUAL_LIMIT, ClaimConfig, refuse
from vivavoce.certificate.design.history import History, history_of
from vivavoce.certificate.graders.judge import RUBRIC, CandidateJudge, names_file, rubric_of
from vivavoce.certificate.report.numbers import in_figures
from vivavoce.errors import BadInput
from vivavoce.examination import part
from vivavoce.examination.plan import Move, PlanSection, Shown, Text, Whole, in_a_plan
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.task_name import is_task
from vivavoce.formats.wording import name_of
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes.questions import LONGEST_RUBRIC, mixed
from vivavoce.scopes.unit_laws import refuse_laws
from vivavoce.settings import DELTA

if TYPE_CHECKING:
    from vivavoce.certificate.graders.graders import Graders
    from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope

TOKENS: Final = (90, 60)
"""Assumed tokens of a question and a reply."""
JUDGED_TOKENS: Final = (600, 100)
"""Assumed tokens of a judge's prompt and reply."""
NAMES: Final = {
    "obvious": "obvious questions, that is common sense in ten categories",
    "arithmetic": "arithmetic, that is sums, differences, products and quotients of whole numbers",
    "intervals": "intervals, that is which of two events began first, ended first, or overlapped",
}
"""Scopes that need no file, in a reader's words."""
_KINDS: Final[dict[Verdict, part.Kind]] = {
    Verdict.PASS: "trusted",
    Verdict.FAIL: "not",
    Verdict.UNDECIDED: "unknown",
}


@dataclass(frozen=True, slots=True)
class CertificatePlan(PlanSection):
    """One scope, and when it counts as understood."""

    scope: Text
    claim: ClaimConfig = in_a_plan(ClaimConfig)
    questions: Whole = 1_000
    """Most questions, shared by scopes with equal settings. There is a limit, because a full examination must end."""
    title: Shown | None = None
    """Display title of the scope."""
    judge: Text | None = None
    """The candidate that grades by a rubric; None: no judge, and every question has an accepted answer."""
    rubric: Annotated[str, Field(min_length=1, max_length=LONGEST_RUBRIC)] | None = None
    """For questions without their own rubric: a file, or the text itself."""
    calibration: Text | None = None
    """The judge's agreement with people, a file of `viva people calibrate`; None: unknown."""
    draws: Annotated[int, Field(ge=1, le=1_000)] | None = None
    """Answers per question, for a claim about probabilities; None: one answer, without such a claim."""
    history: Annotated[tuple[Text, ...], Field(min_length=1, max_length=100)] | None = None
    """Other models' answers or scores on the questions, as for `viva certify --history`."""
    scorer: Text | None = None
    """The score of an Inspect task that counts, if it has several."""
    model_role: Annotated[tuple[Text, ...], Field(min_length=1, max_length=20)] | None = None
    """Models in roles of an Inspect task, each as ROLE=MODEL."""

    most: ClassVar[int] = 1_000
    labels: ClassVar[tuple[str, ...]] = ("title",)

    def __post_init__(self) -> None:
        for name in ("rubric", "calibration"):
            if getattr(self, name) is not None and self.judge is None:
                raise ValueError(f"'{name}' needs a judge: give judge = MODEL")
        if self.by_task and self.judge is not None:
            raise ValueError("an Inspect task is graded by its own scorer: leave out the judge")
        if not self.by_task and (self.scorer is not None or self.model_role is not None):
            raise ValueError("'scorer' and 'model_role' are for an Inspect task: give scope = 'inspect-task:...'")
        try:
            refuse(
                (frozenset() if self.repeated is None else self.repeated.features) | ({"history"} if self.history else set())
            )
        except BadInput as error:
            raise ValueError(str(error)) from None

    @property
    def repeated(self) -> Draws | None:
        """Answers per question, and the claim about them. Raises `BadInput` for an incomplete claim."""
        return Draws.given(self.draws, self.claim.draws_claim, self.claim.reliability)

    @property
    def by_task(self) -> bool:
        """Whether the scope is a task of Inspect."""
        return is_task(self.scope)

    @property
    def alone(self) -> bool:
        """Whether it is certified alone, whatever the other scopes are."""
        return self.judge is not None or self.draws is not None or self.history is not None or self.by_task

    @property
    def terms(self) -> tuple[ClaimConfig, int]:
        """Settings that are equal for scopes that are certified together."""
        return self.claim, self.questions

    def moved(self, file: Move, scope: Move) -> CertificatePlan:
        """The plan with other paths for the scope and the judge's files; a rubric given as text stays."""
        rubric = file(self.rubric) if self.rubric is not None and names_file(self.rubric) else self.rubric
        known = None if self.history is None else tuple(history_moved(where, file) for where in self.history)
        calibration = None if self.calibration is None else file(self.calibration)
        return replace(self, scope=scope(self.scope), rubric=rubric, calibration=calibration, history=known)


def history_moved(where: str, file: Move) -> str:
    """A history with its file elsewhere; an address stays.

    >>> history_moved("replay:old/a.csv#b", str.upper), history_moved("postgresql://host/db", str.upper)
    ('replay:OLD/A.CSV#b', 'postgresql://host/db')
    """
    if "://" in where:
        return where
    kind, path = ("replay:", where.removeprefix("replay:")) if where.startswith("replay:") else ("", where)
    end = min((mark for mark in map(path.find, "?#") if mark >= 0), default=len(path))
    return f"{kind}{file(path[:end])}{path[end:]}"


BUILT_IN: Final = (CertificatePlan("arithmetic"), CertificatePlan("intervals"))
"""Scopes that need no file."""
INIT: Final = f"""\
[[certificate]]                  # scopes to certify: one section per scope; 'viva list scopes' lists them
scope = "arithmetic"
passing_grade = {PASSING_GRADE}              # mean score that is required
unacceptable_limit = "usual"       # rate of unacceptable answers that is still acceptable: \
{USUAL_LIMIT}, none where no answer can be
                                 # unacceptable; or a number, or "none"
delta = {DELTA}                     # bound on the chance of a wrong verdict
questions = 1000                 # at most
# title = "Sums"                 # display title of the scope
# judge = "chat:MODEL@URL"       # grades by a rubric what no rule can grade: questions with a rubric, in a file of yours
# rubric = "rubric.txt"          # or the words themselves, for questions without one of their own
# calibration = "judge.json"     # how far it agrees with people, from 'viva people calibrate --out' (docs/graders.md)
# draws = 5                      # answers to each question: the claim is about probabilities (docs/draws.md)
# draws_claim = "all-right"      # that all of them are right; or "mean"; or "share", of the questions with reliability = 0.9
# history = ["others.csv"]       # what others answered: fewer questions (docs/history.md)

[[certificate]]                  # with the same settings as another one: both are certified together, one delta for both
scope = "intervals"

# [[certificate]]                # a task of Inspect, run by inspect:PROVIDER/MODEL (docs/inspect.md)
# scope = "inspect-task:FILE.py@TASK"
# scorer = "match"               # which score counts, where it has several
# model_role = ["grader=openai/gpt-4o"]
"""


class CertificatePart(part.ExaminationPart):
    """Does it understand these scopes, with error at most delta?"""

    room = "certificate"
    question = "Does it understand what it was asked about?"
    natures = (*part.SPEAKERS, "recording")
    section = CertificatePlan
    init = INIT

    def absent(self, examination: part.ExaminationConfig, candidate: object) -> str:
        """The scope of a recording must be named."""
        if examination.nature == "recording" and examination.plan.section(CertificatePlan) is None:
            return "needs the recorded scope: name it in the plan, [[certificate]] scope = ... ('viva list scopes' lists them)"
        return ""

    def cost_estimate(self, examination: part.ExaminationConfig, candidate: object) -> part.ExaminationCost:
        """Questions until unacceptable answers are shown to be rare, if there are none."""
        groups = _groups(examination)
        calls = sum(_calls(examination, group, examination.plan.correction) for group in groups)
        note = "if it makes few mistakes; fewer if many"
        if any(plan.by_task and _opened(examination, [plan])[0].population is None for group in groups for plan in group):
            note += "; the number of samples of an Inspect task is known only to its code"
        asked = part.priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], note)
        judged = [
            _judging_estimate(examination, group[0], _opened(examination, group)[0], _calls(examination, group, ""))
            for group in groups
            if group[0].judge
        ]
        judgements = sum(estimate.calls for estimate in judged)
        return part.in_all([asked, *judged], f"{asked.note}; ~{judgements} of them to the judge") if judged else asked

    async def run(self, table: part.ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """One finding for each group of scopes with equal settings."""
        from vivavoce.certificate.certify import Composition, certify

        plan, again = table.examination.plan, table.again
        result: list[tuple[ReportedFinding, str]] = []
        for group in _groups(table.examination):
            first, scopes, most = group[0], _opened(table.examination, group), group[0].questions * len(group)
            # a judge can grade what no form reads
            with nullcontext() if first.judge else part.ending_early(table, keeps=True):
                interview = table.interview(_calls(table.examination, group, plan.correction), _task(table.examination, first))
            limit = limit_of(first.claim.unacceptable_limit, interview, scopes, again=again, graded=first.judge is not None)
            criterion = Criterion(first.claim.passing_grade, limit, first.claim.delta)
            finding: Certificate | ManyScopes
            if first.judge is not None:
                finding = await _certify_judged(table, interview, first, scopes[0], criterion)
            elif len(scopes) == 1:
                alone = Composition(draws=first.repeated, history=_history(first, scopes[0]))
                finding = await certify(interview, scopes[0], criterion, alone, seed=plan.seed, questions=most, again=again)
            else:
                together = Composition(correction=plan.correction)
                finding = await certify(interview, scopes, criterion, together, seed=plan.seed, questions=most, again=again)
            finding = DisplayNames(
                plan.name or "",
                {brief(certificate_plan.scope): certificate_plan.title for certificate_plan in group if certificate_plan.title},
            ).of(finding)
            result.append((finding, _command(table.examination, group, criterion, most, finding.signature.seed)))
        return result

    def claims(self, finding: Certificate | ManyScopes) -> tuple[part.Claim, ...]:
        """One verdict per scope."""
        return tuple(_claim(claim, finding) for claim in finding.claims)

    def figures(self, finding: Certificate | ManyScopes) -> tuple[part.ComparableFigure, ...]:
        """Mean score and unacceptable answers of each scope."""
        figures = []
        for claim in finding.claims:
            rows: tuple[tuple[str, Estimate, part.Unit], ...] = (
                ("mean score", _known(claim.score, claim.score_range), "score"),
                ("unacceptable answers", _known(claim.unacceptable, claim.unacceptable_range), "share"),
            )
            for what, estimate, unit in rows:
                title = f"{claim.title}: {what}" if claim.title else ""
                figures.append(
                    part.ComparableFigure.of(
                        f"{name_of(brief(claim.scope))}: {what}", estimate, unit, claim.digest, title=title
                    )
                )
        return tuple(figures)


def _groups(examination: part.ExaminationConfig) -> list[list[CertificatePlan]]:
    """Scopes with equal settings together, in the order of the plan; alone with a judge, draws or a history."""
    groups: dict[object, list[CertificatePlan]] = {}
    for plan in examination.plan.sections_of(CertificatePlan) or BUILT_IN:
        groups.setdefault(object() if plan.alone else plan.terms, []).append(plan)
    return list(groups.values())


def _task(examination: part.ExaminationConfig, plan: CertificatePlan) -> part.OpenedTask | None:
    """The Inspect task that is the scope; None for other scopes. Raises `BadInput` if it was not opened."""
    if not plan.by_task:
        return None
    task = examination.tasks.get(plan.scope)
    if task is None:
        raise BadInput(f"'{plan.scope[:200]}' is an Inspect task: run it with 'viva report inspect:PROVIDER/MODEL'")
    return task


def _opened(examination: part.ExaminationConfig, group: list[CertificatePlan]) -> list[EndlessScope | ListedScope]:
    """The scopes. Raises `BadInput` for one that no rule or judge can grade."""
    from vivavoce.scopes import open_scope

    tasks = [_task(examination, plan) for plan in group]
    scopes = [open_scope(plan.scope) if task is None else task.scope for plan, task in zip(group, tasks, strict=True)]
    for plan, scope in zip(group, scopes, strict=True):
        check_gradable(plan, scope)
    return scopes


def check_gradable(plan: CertificatePlan, scope: Any) -> None:
    """Raise `BadInput` for a scope that no rule or judge can grade."""
    lost = next((question for question in getattr(scope, "questions", ()) if question.open_ended), None)
    if plan.judge is not None:
        refuse_laws(scope, "judges")
    elif lost is not None:
        raise BadInput(
            f"question '{lost.id[:80]}' of {name_of(brief(plan.scope))} has a rubric but no answer: name a judge with "
            "--judge MODEL, or judge = MODEL in the plan's [[certificate]]"
        )


def _calls(examination: part.ExaminationConfig, group: list[CertificatePlan], many: str) -> int:
    from vivavoce.statistics.confidence_sequences import rate_boundary

    scopes, first = _opened(examination, group), group[0]
    limit = as_given(first.claim.unacceptable_limit, scopes, graded=first.judge is not None)
    delta = delta_of(first.claim.delta, 1) / (len(group) if many == "fwer" else 1)
    clean = next(islice(rate_boundary(limit, delta), 1)) if limit is not None else _FEW
    if first.draws is not None:
        return min(clean, first.questions) * first.draws
    return sum(min(clean, plan.questions, scope.population or clean) for plan, scope in zip(group, scopes, strict=True))


def _history(plan: CertificatePlan, scope: Any) -> History | None:
    """Scores of others on the questions of the scope; None without a history in the plan."""
    from vivavoce.candidates.earlier import open_history

    return None if plan.history is None else history_of(scope, open_history(plan.history, scope))


_FEW: Final = 50
"""Rough number of questions for a verdict on the score alone."""


def _judging_estimate(
    examination: part.ExaminationConfig, plan: CertificatePlan, scope: Any, calls: int
) -> part.ExaminationCost:
    """The expected judgements of this many answers at the judge's prices, without answers that the rule grades. Raises
    `BadInput` for an unreadable rubric, and `UnknownName` for an unknown judge.
    """
    from vivavoce.candidates.names import kind_of

    assert plan.judge is not None
    kind_of(plan.judge)
    if plan.rubric is not None:
        rubric_of(plan.rubric)
    questions = getattr(scope, "questions", ())
    if mixed(questions):
        calls = -(-calls * sum(not question.for_rule for question in questions) // len(questions))
    return part.priced(examination.judges.get(plan.judge), calls, calls * JUDGED_TOKENS[0], calls * JUDGED_TOKENS[1])


async def _certify_judged(
    table: part.ExaminationContext, interview: Interview[Prompt, Reply], plan: CertificatePlan, scope: Any, criterion: Criterion
) -> Certificate:
    """The certificate on this scope, graded by the plan's judge."""
    from vivavoce.certificate.certify import Composition, certify

    assert plan.judge is not None
    assert table.judged_by is not None
    grading = judged_grading(plan, scope, table.judged_by(plan.judge, scope.digest), ahead=interview.ahead)
    composition = Composition(grading=grading, draws=plan.repeated, history=_history(plan, scope))
    certificate: Certificate = await certify(
        interview,
        scope,
        criterion,
        composition,
        seed=table.examination.plan.seed,
        questions=plan.questions,
        again=table.again,
    )
    table.rests_on(certificate.spending)
    return certificate


def judged_grading(plan: CertificatePlan, scope: Any, judge: Interview[Prompt, Reply], *, ahead: int) -> Graders:
    """Grading by the plan's judge, who is asked in this interview."""
    from vivavoce.certificate.graders.calibration import read_calibration
    from vivavoce.certificate.graders.graders import Graders

    rubric = RUBRIC if plan.rubric is None else rubric_of(plan.rubric)
    grader = CandidateJudge(judge, rubric=rubric, topic=f"judging/{brief(scope.name)}")
    if plan.calibration is not None:
        grader.calibration = read_calibration(Path(plan.calibration), grader)
    return Graders(judge=grader, ahead=ahead)


def _command(
    examination: part.ExaminationConfig, group: list[CertificatePlan], criterion: Criterion, most: int, seed: int | None
) -> str:
    first, words = group[0], [word for plan in group for word in ("--scope", plan.scope)]
    words += [word for where in first.history or () for word in ("--history", where)]
    words += [word for role in first.model_role or () for word in part.settings({"model-role": role})]
    words += (
        [word for plan in group for word in part.settings({"title": plan.title})] if all(plan.title for plan in group) else []
    )
    few_need = {
        "name": examination.plan.name,
        "scorer": first.scorer,
        "calibration": first.calibration,
        "draws-claim": first.claim.draws_claim,
        "reliability": first.claim.reliability,
        "correction": examination.plan.correction if len(group) > 1 else None,
    }
    document = {
        "judge": first.judge,
        "rubric": first.rubric,
        "draws": first.draws,
        "passing-grade": criterion.passing_grade,
        "unacceptable-limit": criterion.unacceptable_limit or "none",
        "delta": criterion.delta,
        "questions": most,
        "seed": seed,
    }
    return examination.command("certify", examination.candidate, *words, *part.settings(few_need), *part.options(document))


def _known(estimate: Estimate, ends: Interval | None) -> Estimate:
    """The estimate; without a value if unparsed replies leave too much open."""
    wide = ends is not None and ends.upper - ends.lower > _TOO_WIDE
    return replace(estimate, value=None) if wide else estimate


_TOO_WIDE: Final = 0.1
"""A widest range of a mean that still counts as a comparable number."""


def _claim(result: ClaimResult, finding: Certificate | ManyScopes) -> part.Claim:
    criterion = finding.criterion
    subject, kind = result.title or name_of(brief(result.scope)), _KINDS[result.verdict]
    name = result.title or NAMES.get(result.scope) or subject
    if (grading := finding.grading) is not None and grading.judge_alone:
        name += f", by the judgement of {grading.judge_in_headline()}"
    if finding.attempt is not None:
        name += about_in_words(finding.attempt.held.about, remedy=False)
    if kind == "unknown" and result.unexamined:
        return part.Claim("unknown", f"{name} (could not be examined: {result.why_not})", subject=subject)
    if kind == "unknown":
        return part.Claim("unknown", f"{name} (not enough evidence: {finding.why_not})", subject=subject)
    # an exact verdict has no error by chance, but a bound on its error claims no more than was found
    shared = isinstance(finding, ManyScopes) and finding.rule == "fdr"
    drawn = finding.draws if isinstance(finding, Certificate) else None
    figures = in_figures(result, criterion, "" if drawn is None else drawn.claimed, joined=", ")
    return part.Claim(kind, f"{name}: {figures}", criterion.delta, shared, subject=subject)
