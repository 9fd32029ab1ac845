"""`viva certify`: one verdict on one candidate, or one on each of several scopes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.certificate.config import (
    CertificateConfig,
    ClaimConfig,
    ExplanationsConfig,
    Feature,
    GradingConfig,
    LengthConfig,
    PopulationConfig,
    PredictionsConfig,
    Unreadable,
    features_of,
    refusal,
)
from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, examined_side_by_side, examining_options
from vivavoce.cli.endings import GOES_ON, all_of, exit_codes, raise_together, worst
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import check_no_task, is_task, opened_task, say_logs
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options, names_of_options
from vivavoce.cli.output import show
from vivavoce.cli.verdict_options import (
    check_graders,
    check_grading,
    graders_of,
    judge_of,
    open_judge,
    opened_history,
    say_forecast,
    write_sheet_of,
)
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.claims.claim import Criterion
    from vivavoce.certificate.claims.draws import Draws
    from vivavoce.certificate.design.drawing import Endurance
    from vivavoce.certificate.design.extension import Extension
    from vivavoce.certificate.explanations.examine import Procedures
    from vivavoce.certificate.graders.rule_grading import GradingMethod
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview

HEADS: Final = {
    "Design: which questions, and how they are drawn": ("--scope", *names_of_options(PopulationConfig)),
    "Grading: rule, judge or people": names_of_options(GradingConfig, ExplanationsConfig),
    "Claim: pass mark and error bound": (*names_of_options(ClaimConfig), *names_of_options(PredictionsConfig)),
    "Asking": ("--questions", "--transcript", "--new-attempt", "--concurrency", "--budget", "--cluster", "--set"),
    "Output": ("--results", "--json", "--html", "--junit", "--quiet", "--help"),
}
"""Groups of options: by the parts of a certificate, then asking and output."""


@dataclass(frozen=True, slots=True)
class CertifyRequest:
    """Candidate, scopes and settings."""

    candidate: str
    scopes: tuple[str, ...]
    config: CertificateConfig
    asking: AskOptions
    again: bool
    """Whether to start a new attempt if one is on record."""
    task: TaskConfig
    """Options of an Inspect task."""

    @property
    def by_task(self) -> bool:
        """Whether the scope is an Inspect task."""
        return is_task(*self.scopes)

    @property
    def several(self) -> bool:
        """Whether each scope gets its own verdict."""
        return len(self.scopes) > 1 or self.config.population.split_by is not None

    @property
    def endurance(self) -> Endurance:
        """Minimum length and duration."""
        from vivavoce.certificate.design.drawing import Endurance

        return Endurance(self.config.length.min_questions, self.config.length.over_hours)

    @property
    def draws(self) -> Draws | None:
        """Samples per question and the claim about them. Raises `BadInput` for an incomplete claim."""
        from vivavoce.certificate.claims.draws import Draws

        claim = self.config.claim
        return Draws.given(self.config.population.draws, claim.draws_claim, claim.reliability)

    @property
    def features(self) -> frozenset[Feature]:
        """The features to check for compatibility, known before scopes are opened."""
        config, draws = self.config, self.draws
        wanted: dict[Feature, bool] = {
            "deployed": config.population.deployed,
            "several scopes": self.several,
            "fixed": config.claim.procedure == "fixed",
            "endurance": bool(self.endurance.settings),
            "asked again": bool(config.explanations.explain_again),
            "history": bool(config.predictions.history),
            "extended": config.grading.also_unacceptable is not None,
        }
        known = {self._who} | (frozenset() if draws is None else draws.features)
        return features_of(known, config.population.drawing, wanted)

    @property
    def _who(self) -> Feature:
        config = self.config
        if config.explanations.wanted:
            return "procedures"
        if not config.grading.judge:
            return "people" if config.grading.by_people else "rule"
        return "judge and people" if config.grading.by_people else "judge"

    @property
    def extension(self) -> Extension | None:
        """Answers listed as unacceptable after they were seen; None: no list. Raises `BadFile`."""
        from vivavoce.certificate.design.extension import extension_of

        file = self.config.grading.also_unacceptable
        return None if file is None else extension_of(file)


@dataclass(frozen=True, slots=True)
class OpenedRequest:
    """A request with its candidate and its scopes."""

    request: CertifyRequest
    candidate: Candidate[Prompt, Reply]
    scopes: Sequence[Any]
    runs: Sequence[Any]
    """The runs of an Inspect task, whose logs are named at the end."""

    @property
    def first_criterion(self) -> Criterion:
        """The criterion of a first attempt with its share of delta, for forecasts."""
        from vivavoce.certificate.attempts.attempt import delta_of
        from vivavoce.certificate.attempts.log import as_given
        from vivavoce.certificate.claims.claim import Criterion

        claim = self.request.config.claim
        return Criterion(claim.passing_grade, as_given(claim.unacceptable_limit, self.scopes[:1]), delta_of(claim.delta, 1))


@command(
    heads=HEADS,
    first=("rubric", "questions"),
    epilog=exit_codes(
        "0 pass",
        "3 fail",
        "4 undecided",
        GOES_ON,
    ),
)
@click.argument("candidate", metavar="MODEL [SCOPE]", type=CANDIDATE)
@click.option(
    "--scope",
    "scopes",
    required=True,
    type=SCOPE,
    multiple=True,
    metavar="S",
    help="Certify this scope; see 'viva list scopes'. Repeatable.",
)
@config_options(PopulationConfig)
@config_options(GradingConfig, judge={"type": CANDIDATE}, also_unacceptable={"type": options.KNOWN_FILE})
@config_options(ExplanationsConfig, explanation_file={"type": options.KNOWN_FILE})
@config_options(
    ClaimConfig,
    unacceptable_limit={"type": options.limit, "show_default": False},
    correction={"show_default": False},
)
@config_options(PredictionsConfig)
@config_options(LengthConfig)
@config_options(TaskConfig)
@options.NAME
@options.TITLE
@options.AGAIN
@options.HEAD
@examining_options
def certify(
    *, candidate: str, scopes: tuple[str, ...], name: str | None, titles: tuple[str, ...], again: bool, **given: Any
) -> int:
    """Test whether MODEL understands a scope, with a bound on the chance of a wrong verdict.

    \b
    viva certify bot:timekeeper intervals
    viva certify bot.py:answer support.csv
    viva certify bot:calculator?wrong=0.1 --scope arithmetic --html page.html
    viva certify 'bot:calculator?explains=multiplication' --scope arithmetic --explanations 1
    viva certify chat:llama3.2@http://localhost:11434/v1 --scope arithmetic --transcript run.sqlite
    viva certify bot:calculator --scope 'arithmetic?operations=+' --scope 'arithmetic?operations=/'
    viva certify bot:eliza --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1 --rubric rubric.txt
    viva certify bot:calculator --scope file:used.jsonl --deployed
    viva certify bot:eliza --scope mmlu-pro:questions.jsonl.gz --split-by category --set correction=fwer

    With several scopes, exit code 0 means that all pass, 3 that at least one fails, 4 neither.
    """
    from vivavoce.certificate.claims.results import DisplayNames

    config, task = _config(given), options.taken_out(given, TaskConfig)
    check_grading(config.grading, config.predictions, on_transcript=given["transcript"] is not None)
    naming = DisplayNames(name or "", options.titled(scopes, titles))
    request = CertifyRequest(candidate, scopes, config, asking_of(given), again, task)
    _check(request)
    finding = _examine(_open(request))
    write_sheet_of(finding, config.grading.sheet)
    show(naming.of(finding))
    return worst(finding.verdicts)


def _config(given: dict[str, Any]) -> CertificateConfig:
    """Build the configuration from the parsed options."""
    return CertificateConfig(
        options.taken_out(given, PopulationConfig),
        options.taken_out(given, GradingConfig),
        options.taken_out(given, ExplanationsConfig),
        options.taken_out(given, ClaimConfig),
        options.taken_out(given, PredictionsConfig),
        options.taken_out(given, LengthConfig),
    )


def _check(request: CertifyRequest) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    config, population, claim = request.config, request.config.population, request.config.claim
    by_graders, explained = config.grading.by_graders, config.explanations.wanted
    problems = {
        "'--set head' belongs to a transcript: give '--transcript'.": (
            request.asking.head is not None and request.asking.transcript is None
        ),
        "'--set checks' is for explanations: ask for them with '--explanations N'.": (
            config.explanations.checks is not None and not explained
        ),
        "explanations are graded by the scope's own rule: leave out '--explanations', or the judge and people.": (
            by_graders and explained and not request.by_task
        ),
        "'--strata' draws by weight within each category: leave out '--set importance-weighting'.": (
            bool(population.strata) and population.importance_weighting
        ),
        "a task of Inspect is graded by its own scorer: leave out judges, people and explanations.": (
            request.by_task and bool(by_graders or config.grading.also_unacceptable or explained)
        ),
        "'--set procedure=fixed' needs '--questions N': this procedure fixes the number before the first question.": (
            claim.procedure == "fixed" and config.length.questions is None
        ),
    }
    errors = [click.UsageError(problem) for problem, applies in problems.items() if applies]
    raise_together(errors)
    if not request.by_task:
        check_no_task(request.task)
    if reason := refusal(request.features):
        raise click.UsageError(f"{reason}.")
    request.endurance.check(claim.procedure, config.length.questions)


def _open(request: CertifyRequest) -> OpenedRequest:
    """Open the candidate and the scopes. Raises `BadInput`."""
    from vivavoce.candidates import open_candidate
    from vivavoce.scopes import open_scope
    from vivavoce.scopes.listed_and_endless import by_category

    strict = request.config.grading.zero_is_unacceptable
    scopes: Sequence[Any]
    runs: list[Any] = []
    if request.by_task:
        task, runs = opened_task(
            request.scopes[0], [request.candidate], request.task, request.asking.transcript, zero_is_unacceptable=strict
        )
        candidate, scopes = runs[0], [task]
    else:
        opening = [partial(open_scope, name, zero_is_unacceptable=strict) for name in request.scopes]
        candidate, *scopes = all_of(partial(open_candidate, request.candidate), *opening)
    if (extension := request.extension) is not None:
        scopes = [extension.scope(scope) for scope in scopes]
    if request.config.population.split_by is not None:
        scopes = by_category(scopes)
    return OpenedRequest(request, candidate, scopes, runs)


def _examine(opened: OpenedRequest) -> Any:
    from vivavoce.certificate.attempts.log import limit_of
    from vivavoce.certificate.certify import Composition
    from vivavoce.certificate.certify import certify as hold
    from vivavoce.certificate.claims.claim import Criterion, brief
    from vivavoce.certificate.claims.deployed import deployment_of
    from vivavoce.certificate.graders.rule_grading import ByRule

    request, scopes = opened.request, opened.scopes
    config, grading, questions = request.config, request.config.grading, request.config.length.questions
    claim, population = config.claim, config.population
    check_graders(grading, scopes, people=True)
    explained = _explained_by(config.explanations, grading.unreadable) if config.explanations.wanted else None
    subject: Any = scopes if request.several else deployment_of(scopes[0]) if population.deployed else scopes[0]
    _say_the_cost(opened)
    history = opened_history(config.predictions.history, scopes[0])
    topic = "many" if request.several else brief(scopes[0].name)

    async def examine(interviews: Sequence[Interview[Prompt, Reply]], judging: Interview[Prompt, Reply] | None) -> Any:
        (interview,) = interviews
        by: GradingMethod = explained or ByRule(grading.unreadable)
        if grading.by_graders:
            judge = None if judging is None else judge_of(grading, judging, topic)
            by = graders_of(grading, config.predictions, judge, ahead=interview.ahead)
        limit = limit_of(claim.unacceptable_limit, interview, scopes, again=request.again, graded=grading.by_graders)
        return await hold(
            interview,
            subject,
            Criterion(claim.passing_grade, limit, claim.delta),
            Composition(
                population.drawing,
                by,
                claim.procedure,
                claim.correction,
                request.endurance,
                request.draws,
                history,
                request.extension,
            ),
            seed=population.seed,
            questions=questions,
            again=request.again,
        )

    result = examined_side_by_side(
        [opened.candidate],
        examine,
        request.asking,
        expected=questions if request.several or explained or grading.by_graders else _expected(opened),
        front=("scope",) if request.several else () if request.draws is None else ("draw", "right"),
        graded=True,
        judging=open_judge(grading),
    )
    say_logs(opened.runs, quiet=request.asking.quiet)
    return result


def _explained_by(config: ExplanationsConfig, unreadable: Unreadable) -> Procedures:
    """The procedures that are requested or given; files are read now."""
    from vivavoce.certificate.explanations.examine import Procedures
    from vivavoce.certificate.explanations.procedures import read_procedure

    return Procedures(
        config.explanations or 0,
        config.explain_again or 0,
        tuple(map(read_procedure, config.explanation_file)),
        config.checks,
        config.programs_cpu,
        unreadable,
    )


def _say_the_cost(opened: OpenedRequest) -> None:
    """Say beforehand what fresh answers, or weights, will cost."""
    from vivavoce.certificate.claims.deployed import deployment_of, of_either
    from vivavoce.certificate.evidence.drawn_once import importance_weighting_of
    from vivavoce.certificate.forecast import forecast_certificate

    request, scope, first = opened.request, opened.scopes[0], opened.first_criterion
    population, questions, draws = request.config.population, request.config.length.questions, request.draws
    sequential = request.config.claim.procedure == "sequential"
    is_list = draws is None and scope.population is not None and population.drawing == "scope" and not population.deployed
    if sequential and ((is_list and not request.several) or (draws is not None and draws.claim != "share")):
        number, size = (None, scope.population) if draws is None else (draws.number, None)
        forecast = partial(forecast_certificate, first, questions, number, size=size)
        say_forecast([opened.candidate], scope, request.asking, forecast)
    if not (population.importance_weighting or population.deployed) or request.several:
        return
    if population.deployed:
        first = of_either(first)
    weighting = deployment_of(scope) if population.deployed else importance_weighting_of(scope)
    for sentence in () if request.asking.quiet else weighting.cost_estimate(first, questions):
        click.echo(sentence, err=True)


def _expected(opened: OpenedRequest) -> int | None:
    """About how many questions there will be, if nothing is unacceptable; for the progress line alone."""
    from vivavoce.statistics.confidence_sequences import rate_boundary

    request, scope, first = opened.request, opened.scopes[0], opened.first_criterion
    size, population, length = getattr(scope, "size", None), scope.population, request.config.length
    if request.config.population.deployed:
        return min((n for n in (length.questions, size) if n is not None), default=None)
    limit = first.unacceptable_limit if request.config.claim.procedure == "sequential" else None
    clean = () if limit is None else islice(rate_boundary(limit, first.delta), 1)
    if (draws := request.draws) is not None:
        return None if length.questions is None else length.questions * draws.number
    expected = min((n for n in (length.questions, population, *clean) if n is not None), default=None)
    least = min(n for n in (length.min_questions or 0, population) if n is not None)
    return None if expected is None else max(expected, least)
