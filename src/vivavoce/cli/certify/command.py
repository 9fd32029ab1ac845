"""`viva certify`: certificates on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.certificate.config import (
    CertificateConfig,
    ClaimConfig,
    ExplanationsConfig,
    GradingConfig,
    LengthConfig,
    PopulationConfig,
    PredictionsConfig,
)
from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, asking_options
from vivavoce.cli.certify.graded import check_graders, check_grading, graded, write_sheet_of
from vivavoce.cli.certify.request import CertifyRequest
from vivavoce.cli.endings import GOES_ON, exit_codes, worst
from vivavoce.cli.inspect_runs import check_no_task, opened_task, say_logs
from vivavoce.cli.options import config_options, names_of_options
from vivavoce.cli.output import RESULTS, RecordSummary, check_page, show, verdict_options
from vivavoce.cli.verdict_options import say_forecast
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from vivavoce.certificate.claims.results import DisplayNames
    from vivavoce.certificate.config import Unreadable
    from vivavoce.certificate.explanations.examine import Procedures
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview

HEADS: Final = {
    "Design: which questions, and how they are drawn": ("--scope", *names_of_options(PopulationConfig)),
    "Grading: rule, judge or people": names_of_options(GradingConfig, ExplanationsConfig),
    "Claim: pass mark and error bound": names_of_options(ClaimConfig),
    "Predictions: use earlier results to ask fewer questions": names_of_options(PredictionsConfig),
    "Asking": (
        *names_of_options(LengthConfig), "--transcript", "--new-attempt", "--head", "--concurrency", "--tokens", "--budget",
        "--timeout", "--max-tries", "--reply-format", "--temperature", "--strict-faults", "--cluster", "--rate",
    ),
    "Inspect tasks (--scope inspect-task:...)": names_of_options(TaskConfig),
    "Output": (
        "--name", "--title", "--results", "--json", "--html", "--junit", "--quiet", "--help",
    ),
}  # fmt: skip
"""The options in the four parts of a certificate, and what is about asking and output."""


class HeadedCommand(click.Command):
    """A command whose help lists its options under heads, in their order; those that are under none come last, as "Options".

    heads: for each head its options by their longest names.
    """

    def __init__(self, *arguments: Any, heads: Mapping[str, Sequence[str]], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.heads = heads

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write all options, head by head."""
        left = {max(option.opts, key=len): option for option in self.get_params(ctx) if isinstance(option, click.Option)}
        heads = [(head, [left.pop(name) for name in names if name in left]) for head, names in self.heads.items()]
        for head, listed in (*heads, ("Options", list(left.values()))):
            if lines := [line for option in listed if (line := option.get_help_record(ctx)) is not None]:
                with formatter.section(head):
                    formatter.write_dl(lines)


@click.command(
    cls=HeadedCommand,
    heads=HEADS,
    epilog=exit_codes(
        "0 pass",
        "3 fail",
        "4 undecided",
        GOES_ON,
    ),
)
@click.argument("candidate")
@click.option(
    "--scope",
    "scopes",
    required=True,
    multiple=True,
    metavar="S",
    help="Scope to certify; see 'viva scopes'. Repeatable.",
)
@config_options(PopulationConfig)
@config_options(GradingConfig, also_ridiculous={"type": options.KNOWN_FILE})
@config_options(ExplanationsConfig, explanation_file={"type": options.KNOWN_FILE})
@config_options(
    ClaimConfig,
    ridiculous_limit={"type": options.limit, "show_default": False},
    correction={"show_default": False},
)
@config_options(PredictionsConfig)
@config_options(LengthConfig)
@config_options(TaskConfig)
@options.NAME
@options.TITLE
@options.AGAIN
@options.HEAD
@RESULTS
@asking_options
@verdict_options
@click.pass_context
def certify(
    context: click.Context,
    /,
    *,
    candidate: str,
    scopes: tuple[str, ...],
    name: str | None,
    titles: tuple[str, ...],
    again: bool,
    as_json: bool,
    html: Path | None,
    **given: Any,
) -> None:
    """Test whether CANDIDATE understands a scope, with a bound on the chance of a wrong verdict.

    \b
    viva certify bot:timekeeper --scope intervals
    viva certify bot:calculator?wrong=0.1 --scope arithmetic --html page.html
    viva certify bot:calculator --scope arithmetic --strata category
    viva certify 'bot:calculator?explains=multiplication' --scope arithmetic --explanations 1
    viva certify chat:llama3.2@http://localhost:11434/v1 --scope arithmetic --transcript run.sqlite
    viva certify bot:calculator --scope 'arithmetic?operations=+' --scope 'arithmetic?operations=/'
    viva certify bot:eliza --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1 --rubric rubric.txt
    viva certify bot:calculator --scope file:used.jsonl --deployed
    viva certify bot:eliza --scope mmlu-pro:questions.jsonl.gz --split-by category --correction fwer

    With several scopes, exit code 0 means that all pass, 3 that at least one fails, 4 neither.
    """
    config, task = _config(given), options.taken_out(given, TaskConfig)
    check_grading(config.grading, config.predictions, on_transcript=given["transcript"] is not None)
    if config.explanations.checks is not None and not config.explanations.wanted:
        raise click.UsageError("'--checks' is for explanations: ask for them with '--explanations N'.")
    naming = _naming(name, scopes, titles)
    request = CertifyRequest(candidate, scopes, config, asking_of(given), again, task)
    _check(request)
    check_page(html)
    finding, kept = _examine(request)
    write_sheet_of(finding, config.grading.sheet, err=as_json)
    show(naming.of(finding), as_json=as_json, html=html, kept=kept)
    context.exit(worst(finding.verdicts))


def _config(given: dict[str, Any]) -> CertificateConfig:
    """Take all settings out of what was given."""
    return CertificateConfig(
        options.taken_out(given, PopulationConfig),
        options.taken_out(given, GradingConfig),
        options.taken_out(given, ExplanationsConfig),
        options.taken_out(given, ClaimConfig),
        options.taken_out(given, PredictionsConfig),
        options.taken_out(given, LengthConfig),
    )


def _naming(name: str | None, scopes: Sequence[str], titles: Sequence[str]) -> DisplayNames:
    from vivavoce.certificate.claims.results import DisplayNames

    return DisplayNames(name or "", options.titled(scopes, titles))


def _check(request: CertifyRequest) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    from vivavoce.certificate.features import refusal

    config, population = request.config, request.config.population
    if request.asking.head is not None and request.asking.transcript is None:
        raise click.UsageError("'--head' belongs to a transcript: give '--transcript'.")
    if config.grading.by_graders and config.explanations.wanted:
        raise click.UsageError("explanations are graded by the scope's own rule: leave them out, or '--judge' and the like.")
    if population.strata and population.importance_weighting:
        raise click.UsageError("'--strata' draws by weight within each category: leave out '--importance-weighting'.")
    if not request.by_task:
        check_no_task(request.task)
    elif config.grading.by_graders or config.grading.also_ridiculous or config.explanations.wanted:
        raise click.UsageError("a task of Inspect is graded by its own scorer: leave out judges, people and explanations.")
    if reason := refusal(request.features):
        raise click.UsageError(f"{reason}.")
    procedure, questions = config.claim.procedure, config.length.questions
    if procedure == "fixed" and questions is None:
        raise click.UsageError("'--procedure fixed' needs '--questions N': the number is chosen before anything is asked.")
    request.endurance.check(procedure, questions)


def _examine(request: CertifyRequest) -> tuple[Any, RecordSummary | None]:
    """Run it; returns the finding, and the record's summary unless in memory."""
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.certify import certify as hold
    from vivavoce.certificate.graders.rule_grading import ByRule
    from vivavoce.scopes import open_scope
    from vivavoce.scopes.listed import by_category

    config, grading = request.config, request.config.grading
    strict = grading.zero_is_ridiculous
    if request.by_task:
        task, runs = opened_task(
            request.scopes[0], [request.candidate], request.task, request.asking.transcript, zero_is_ridiculous=strict
        )
        named: list[Any] = [task]
    else:
        named, runs = [open_scope(name, zero_is_ridiculous=strict) for name in request.scopes], []
    if (extension := request.extension) is not None:
        named = [extension.scope(scope) for scope in named]
    opened = named if config.population.split_by is None else by_category(named)
    check_graders(grading, opened)
    explained = _explained_by(config.explanations, grading.unreadable) if config.explanations.wanted else None
    candidate, subject = runs[0] if runs else open_candidate(request.candidate), request.subject(opened)
    _say_the_cost(request, candidate, opened[0])
    if grading.by_graders:
        return graded(request, candidate, opened)
    composition = request.composition(explained or ByRule(grading.unreadable), request.history(opened[0]))
    questions = config.length.questions

    async def examine(interview: Interview[Prompt, Reply]) -> Any:
        criterion, seed = request.criterion(interview, opened), config.population.seed
        return await hold(interview, subject, criterion, composition, seed=seed, questions=questions, again=request.again)

    expected = questions if request.several or explained else _expected(request, opened[0])
    found = request.asking.examined(candidate, examine, expected=expected, front=request.front, graded=True)
    say_logs(runs, quiet=request.asking.quiet)
    return found


def _explained_by(config: ExplanationsConfig, unreadable: Unreadable) -> Procedures:
    """The procedures that are asked for or given; files are read now."""
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


def _say_the_cost(request: CertifyRequest, candidate: Candidate[Prompt, Reply], scope: Any) -> None:
    """Say beforehand what fresh answers, or weights, will cost."""
    from vivavoce.certificate.claims.deployed import deployment_of, of_either
    from vivavoce.certificate.evidence.importance_weighting import importance_weighting_of
    from vivavoce.certificate.forecast import forecast_certificate

    population, first, questions = request.config.population, request.first_criterion(scope), request.config.length.questions
    draws, sequential = request.draws, request.config.claim.procedure == "sequential"
    is_list = draws is None and scope.population is not None and population.drawing == "scope" and not population.deployed
    if sequential and ((is_list and not request.several) or (draws is not None and draws.claim != "share")):
        number, size = (None, scope.population) if draws is None else (draws.number, None)
        say_forecast([candidate], scope, request.asking, lambda: forecast_certificate(first, questions, number, size=size))
    if not (population.importance_weighting or population.deployed) or request.several:
        return
    if population.deployed:
        first = of_either(first)
    weighting = deployment_of(scope).weighting if population.deployed else importance_weighting_of(scope)
    for sentence in () if request.asking.quiet else weighting.cost_estimate(first, questions):
        click.echo(sentence, err=True)


def _expected(request: CertifyRequest, scope: Any) -> int | None:
    """About how many questions there will be, if nothing is ridiculous; for the progress line alone."""
    from itertools import islice

    from vivavoce.statistics.planning import rate_boundary

    size, population, length = getattr(scope, "size", None), scope.population, request.config.length
    if request.config.population.deployed:
        return min((n for n in (length.questions, size) if n is not None), default=None)
    first = request.first_criterion(scope)
    limit = first.ridiculous_limit if request.config.claim.procedure == "sequential" else None
    clean = () if limit is None else islice(rate_boundary(limit, first.delta), 1)
    if (draws := request.draws) is not None:
        return None if length.questions is None else length.questions * draws.number
    expected = min((n for n in (length.questions, population, *clean) if n is not None), default=None)
    least = min(n for n in (length.min_questions or 0, population) if n is not None)
    return None if expected is None else max(expected, least)
