"""Options of commands with a verdict: judges and people as graders, histories, expected questions and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.certificate.config import BATCH, JUDGE_ONLY, SAMPLES, GradingConfig, PredictionsConfig
from vivavoce.cli.asking import AskOptions
from vivavoce.cli.endings import raise_together
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import check_output
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import HasPrices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from vivavoce.certificate.claims.results import ClaimFinding
    from vivavoce.certificate.comparison.config import ComparisonConfig
    from vivavoce.certificate.design.history import History
    from vivavoce.certificate.forecast import QuestionForecast
    from vivavoce.certificate.graders.graders import Graders
    from vivavoce.certificate.graders.judge import CandidateJudge
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview


JUDGE = config_options(GradingConfig, only=("judge", "rubric", "judge_samples", "calibration"), judge={"type": CANDIDATE})
"""Options of a judge, for commands without human graders."""


def check_judge(grading: GradingConfig) -> None:
    """Refuse options of a judge if none is named."""
    raise_together(_without_judge(grading))


def _without_judge(grading: GradingConfig) -> list[click.UsageError]:
    given = {
        "--rubric": grading.rubric,
        "--set judge-samples": grading.judge_samples,
        "--set calibration": grading.calibration,
    }
    return [
        click.UsageError(f"'{option}' needs a judge: name one with '--judge CANDIDATE'.")
        for option, value in given.items()
        if value is not None and grading.judge is None
    ]


def open_judge(grading: GradingConfig) -> Candidate[Prompt, Reply] | None:
    """The judge as a candidate; None if none is named."""
    from vivavoce.candidates import open_candidate

    return None if grading.judge is None else open_candidate(grading.judge)


def judge_of(grading: GradingConfig, interview: Interview[Prompt, Reply], scope: str) -> CandidateJudge:
    """The judge with its rubric; `scope` names its topic in the transcript."""
    from vivavoce.certificate.graders.calibration import read_calibration
    from vivavoce.certificate.graders.judge import RUBRIC, CandidateJudge, rubric_of

    judge = CandidateJudge(
        interview,
        rubric=RUBRIC if grading.rubric is None else rubric_of(grading.rubric),
        draws=grading.judge_samples or SAMPLES,
        topic=f"judging/{scope}",
    )
    if grading.calibration is not None:
        judge.calibration = read_calibration(grading.calibration, judge)
    return judge


def graders_of(
    grading: GradingConfig, predictions: PredictionsConfig, judge: CandidateJudge | None, *, ahead: int = 0
) -> Graders:
    """The judge, people or both; `ahead`: answers that the interview may hold."""
    from vivavoce.certificate.graders.graders import Graders
    from vivavoce.certificate.graders.people import People, read_grades

    people = People(() if grading.grades is None else read_grades(grading.grades)) if grading.by_people else None
    return Graders(
        judge=judge,
        people=people,
        further=predictions.judge_only or JUDGE_ONLY,
        batch=grading.batch or BATCH,
        zero_is_unacceptable=grading.zero_is_unacceptable,
        unreadable=grading.unreadable,
        ahead=ahead,
    )


def check_grading(grading: GradingConfig, predictions: PredictionsConfig, *, on_transcript: bool) -> None:
    """Refuse options that don't fit together; `on_transcript`: whether answers are kept."""
    problems = {
        "'--set batch' needs people as graders: give '--grades FILE' or '--sheet FILE'.": (
            grading.batch is not None and not grading.by_people
        ),
        "'--set judge-only' needs a judge and people: give '--judge', and '--grades' or '--sheet'.": (
            predictions.judge_only is not None and not (grading.judge and grading.by_people)
        ),
        "'--sheet' with a judge needs '--transcript FILE', which keeps the key to the answers that people grade.": (
            grading.sheet is not None and grading.judge is not None and not on_transcript
        ),
        f"--sheet {grading.sheet}: the file exists and may hold grades; give another name.": (
            grading.sheet is not None and grading.sheet.exists()
        ),
    }
    errors = [click.UsageError(problem) for problem, applies in problems.items() if applies]
    raise_together([*_without_judge(grading), *errors])
    check_output("--sheet", grading.sheet)


def check_graders(grading: GradingConfig, scopes: Iterable[Any], *, people: bool = False) -> None:
    """Refuse scopes with questions that no rule can grade, if there is no grader; `people`: whether people may grade."""
    questions = (question for scope in scopes for question in getattr(scope, "questions", ()))
    lost = next((question for question in questions if question.open_ended), None)
    if not grading.by_graders and lost is not None:
        others = ", or people with '--grades' or '--sheet'" if people else ""
        raise click.UsageError(
            f"question '{lost.id[:80]}' has a rubric but no answer: name a judge with '--judge CANDIDATE'{others}."
        )


def write_sheet_of(finding: ClaimFinding, sheet: Path | None) -> None:
    """Write the answers that wait for people to a sheet, if requested."""
    from vivavoce.certificate.graders.people import write_sheet

    given = finding.grading
    if sheet is not None and given is not None and given.waiting:
        write_sheet(sheet, given.waiting)
        click.echo(f"Sheet: {sheet}, {len(given.waiting)} answers to grade", err=wants_json())


HISTORY: Final = config_options(PredictionsConfig, only=("history",))
"""The option `--history`."""


def opened_history(places: Sequence[str], scope: Any) -> History | None:
    """Earlier answers in these files, graded by the scope's rule; None without files. Raises `BadInput` and `BadFile`."""
    if not places:
        return None
    from vivavoce.candidates.earlier import open_history
    from vivavoce.certificate.design.history import history_of

    return history_of(scope, open_history(places, scope))


DECLARE: Final = "viva: if a candidate always gives the same answer, declare it: 'NAME?deterministic=yes'"


REPLY_TOKENS: Final = 100
"""Assumed tokens of a reply, for estimates of the price."""


def price_in_words(candidate: Candidate[Any, Any], calls: int, tokens: int) -> str:
    """The cost of these calls at the candidate's prices, as a clause; empty if it has no prices."""
    price_in, price_out = candidate.prices if isinstance(candidate, HasPrices) else (0.0, 0.0)
    money = (tokens * price_in + calls * REPLY_TOKENS * price_out) / 1e6
    return f", about {money:.2g} of money for replies of {REPLY_TOKENS} tokens" if money else ""


def say_forecast(
    candidates: Sequence[Candidate[Prompt, Reply]], scope: Any, asking: AskOptions, forecast: Callable[[], QuestionForecast]
) -> None:
    """Print expected questions, cost and chance of a verdict, unless all candidates are deterministic, or with '--quiet'."""
    from vivavoce.certificate.attempts.determinism import may_vary

    if asking.quiet or not any(map(may_vary, candidates)):
        return
    expected = forecast()
    click.echo(f"viva: {expected.words}", err=True)
    click.echo(DECLARE, err=True)
    questions = getattr(scope, "questions", ())[:100]
    tokens = sum(len(scope.prompt(question).text) for question in questions) // (4 * max(1, len(questions)))
    for candidate in candidates:
        if priced := price_in_words(candidate, expected.answers, expected.answers * tokens):
            click.echo(f"viva: {count(expected.answers)} answers of {candidate.name}{priced}", err=True)


def say_comparison(
    candidates: Sequence[Candidate[Prompt, Reply]], scope: Any, asking: AskOptions, config: ComparisonConfig
) -> None:
    """The same for a comparison, with the design under which a gate can reuse the answers."""
    from vivavoce.certificate.attempts.determinism import may_vary
    from vivavoce.certificate.forecast import forecast_comparison

    if config.draws is None and scope.population is None:
        return
    size = None if config.draws else scope.population
    say_forecast(candidates, scope, asking, lambda: forecast_comparison(config, len(candidates), size))
    if asking.quiet or len(candidates) != 2 or config.rule != "any" or not any(map(may_vary, candidates)):
        return
    reads = "with the same '--transcript', '--seed', '--delta' and grading, it reuses these answers and asks nothing new"
    if config.draws is None:
        click.echo(f"viva: '--draws 1' tests the models, as 'viva gate' does: {reads}", err=True)
    else:
        click.echo(f"viva: 'viva gate' draws the same questions: {reads}", err=True)
