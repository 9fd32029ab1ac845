"""`viva people survey create`: make a survey from answers of a candidate or of people."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE, SCOPE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import print_json
from vivavoce.cli.people.survey.group import codes_in_words, preview_address
from vivavoce.cli.progress import head_of
from vivavoce.cli.site_database import BASE_URL, database_option, site_address, site_database
from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.generalization.config import PAIRS, SurveyConfig
from vivavoce.generalization.survey.plan import (
    MINUTES_A_PAIR,
    CompletionCodes,
    QuestionSource,
    SurveyCard,
    SurveyPlan,
    checked_cards,
    read_cards,
    write_cards,
)

if TYPE_CHECKING:
    from vivavoce.generalization.survey.cards import CandidateAnswers
    from vivavoce.interview.candidate import Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview
    from vivavoce.web.store.surveys import Survey


@command(epilog=exit_codes("2 bad input, such as a name that is taken", GOES_ON))
@click.argument("name")
@database_option(required=False)
@BASE_URL
@click.option("--scope", type=SCOPE, metavar="S", help="Scope with the questions; see 'viva list scopes'.")
@click.option("--candidate", type=CANDIDATE, metavar="C", help="Show this model's answers; see 'viva list candidates'.")
@config_options(SurveyConfig, only=("by",))
@click.option(
    "--recorded",
    type=options.KNOWN_FILE,
    multiple=True,
    help="Read pairs with the shown answer (CSV or JSON Lines); columns are listed above.",
)
@config_options(SurveyConfig, only=("pairs", "questions", "longest"), longest={"option": "--max-characters"})
@click.option(
    "--predictor",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="MODEL",
    help="Prefer pairs likely to change beliefs, by this predictor ('predict fit').",
)
@config_options(SurveyConfig, only=("stage", "balanced", "seed"))
@click.option("--title", metavar="TEXT", help="Show this title to respondents.")
@config_options(
    SurveyPlan,
    only=("pairs_each", "answers_each", "told", "ask_why"),
    pairs_each={"type": options.count},
    answers_each={"type": options.count},
    told={"option": "--disclose"},
)
@config_options(SurveyPlan, only=("own_answers", "study"))
@click.option(
    "--codes",
    metavar="DONE,FAILED,WITHDRAWN[,AGAIN]",
    help="Use these completion codes; AGAIN: took part before. [default: random]",
)
@config_options(SurveyPlan, only=("return_url", "contact"))
@click.option("--pay", type=options.amount, metavar="X", help="Estimate the cost with this pay per respondent.")
@click.option("--save", type=options.OUTPUT, help="Also write the pairs for --recorded.")
@click.option("--dry-run", is_flag=True, help="Show a few pairs and the survey's size; create nothing.")
@asking_options
@options.JSON
def create(
    *,
    name: str,
    title: str | None,
    codes: str | None,
    database: str | None,
    base_url: str | None,
    pay: float | None,
    save: Path | None,
    **given: Any,
) -> None:
    """Make the survey NAME; it is a draft until 'open'.

    \b
    viva people survey create trust --scope file:questions.jsonl --candidate chat:llama3.2@http://localhost:11434/v1 \\
        --dry-run
    viva people survey create trust --scope arithmetic --candidate bot:calculator?wrong=0.3 --pairs 150 \\
        --database luna.sqlite
    viva people survey create both --recorded people-and-machine.csv --disclose either --database luna.sqlite
    viva people survey create trust-2 --scope file:questions.jsonl --candidate replay:answers.jsonl \\
        --predictor model --stage 2 --database luna.sqlite

    The candidate answers each question once, graded by the scope's rule; unparsed answers are counted and left out. Pairs
    are drawn uniformly, or by --predictor. A --recorded file has columns q1, q2, source1, source2, shown, previous_correct
    and perhaps by, weight, stage.
    """
    given["asking"] = asking_of(given)
    config, source = options.taken_out(given, SurveyConfig), options.taken_out(given, AnswerSource)
    plan = SurveyPlan(
        name,
        "What do you expect of the answers?" if title is None else title,
        _codes(codes),
        source=None if source.scope is None else QuestionSource(source.scope, config.seed, config.wanted, config.longest),
        **given,
    )
    _check(plan, config, source, None if source.dry_run else database, save)
    cards, result = (from_files(source, config), None) if source.recorded else from_candidate(source, config)
    if source.dry_run:
        pairs = len(checked_cards(cards, plan)) if result is None else config.pairs or PAIRS
        _show(cards, result, _estimate(plan, pairs, pay))
        return
    if save is not None:
        write_cards(save, cards)  # they are paid for, even if the survey fails
    with site_database(database or "") as c:
        from vivavoce.web.store.surveys import create as keep

        made = keep(c, plan, cards, datetime.now(UTC))
        preview = preview_address(made, site_address(c, base_url))
    values = {"survey": plan.slug, "state": made.state, "pairs": len(cards), "preview": preview}
    _tell_made(made, cards, result, values | _estimate(plan, len(cards), pay))


def _check(plan: SurveyPlan, config: SurveyConfig, source: AnswerSource, database: str | None, save: Path | None) -> None:
    """Refuse now whatever would fail after all questions have been paid for; `database` is None for a dry run."""
    scope, candidate = source.scope, source.candidate
    if bool(source.recorded) == bool(scope or candidate) or bool(scope) != bool(candidate):
        raise click.UsageError("there are no answers to show: give --scope and --candidate, or --recorded.")
    if database is None and not source.dry_run:
        raise click.UsageError("there is no database for the survey: give --database, or --dry-run.")
    if config.balanced and source.predictor is None:
        raise click.UsageError("--balanced needs --predictor FOLDER, which predicts the pairs that change beliefs.")
    if plan.own_answers and plan.source is None:
        raise click.UsageError("--own-answers needs --scope SCOPE, whose rules grade participants' answers.")
    if config.by == "person" and plan.told == "machine":
        raise click.UsageError("--by person needs --disclose either: no machine gave these answers.")
    if database is not None:
        with site_database(database, writes=False) as c:
            from vivavoce.web.store.surveys import survey as find

            if find(c, plan.slug) is not None:
                raise click.UsageError(f"a survey '{plan.slug}' exists already: choose another name.")


def _codes(given: str | None) -> CompletionCodes:
    if given is None:
        return CompletionCodes(*(secrets.token_hex(4).upper() for _ in range(4)))
    parts = [part.strip() for part in given.split(",")]
    if len(parts) not in (3, 4):
        raise click.UsageError(
            "--codes takes three codes, separated by commas: finished, failed, withdrew; and optionally a fourth: took part "
            "before."
        )
    return CompletionCodes(*parts)


def _tell_made(made: Survey, cards: Sequence[SurveyCard], result: InterviewResult | None, values: dict[str, Any]) -> None:
    if wants_json():
        interview = None if result is None else asdict(result)
        print_json(values | {"codes": asdict(made.plan.codes), "interview": interview} | head_of(None))
        return
    right = sum(card.previous_correct for card in cards)
    pairs = "1 pair" if len(cards) == 1 else f"{len(cards)} pairs"
    click.echo(f"Survey '{made.plan.slug}' with {pairs}, {right} of the shown answers right; it is a draft.")
    click.echo(f"Look at it: {values['preview']}")
    click.echo(f"Completion codes: {codes_in_words(made)}.")
    _tell(result)
    click.echo(_in_words(values), err=True)


def _show(cards: Sequence[SurveyCard], result: InterviewResult | None, estimate: dict[str, Any]) -> None:
    """The output of a dry run."""
    if result is not None:
        estimate |= {"questions": result.questions, "money": result.money / result.asked * result.questions}
    if wants_json():
        few = [asdict(card) for card in cards[:SHOWN]]
        print_json({"cards": few, **estimate, "interview": None if result is None else asdict(result), **head_of(None)})
        return
    for card in cards[:SHOWN]:
        _print_card(card)
    _tell(result)
    if result is not None:
        money = f", at about {estimate['money']:.2f}" if result.money else ""
        click.echo(f"viva: the whole survey would take {result.questions} questions to the candidate{money}", err=True)
    click.echo(_in_words(estimate), err=True)


def _print_card(card: SurveyCard) -> None:
    click.echo(f"--- pair {card.number}: {clipped(card.source1, 60)} -> {clipped(card.source2, 60)}, weight {card.weight:g}")
    for head, text in (("asked about", card.q2), ("shown", card.q1), ("answer", card.shown)):
        click.echo(f"{head}: " + clipped(text.replace("\n", " / "), 400))
    click.echo(f"which is {'right' if card.previous_correct else 'wrong'}, by a {card.by}")


def _tell(result: InterviewResult | None) -> None:
    """The outcomes of the questions."""
    if result is None:
        return
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in result.outcomes.items())
    click.echo(f"viva: {result.asked} answers: {outcomes}; {result.asked - result.shown} left out", err=True)
    if result.budget:
        click.echo(f"viva: the budget of {result.budget} ran out, so the other questions were not asked", err=True)


def _estimate(plan: SurveyPlan, pairs: int, pay: float | None) -> dict[str, Any]:
    """The number of respondents and the cost for all wanted answers, if no one stops early."""
    respondents = ceil(pairs * plan.answers_each / plan.pairs_each)
    paid = {} if pay is None else {"pay": respondents * pay}
    minutes = {"minutes_each": round(plan.pairs_each * MINUTES_A_PAIR, 1)}
    uncounted = {"minutes_without": "own answers"} if plan.own_answers else {}
    return {"pairs": pairs, "respondents": respondents, **minutes, **uncounted, **paid}


def _in_words(estimate: dict[str, Any]) -> str:
    number = estimate["respondents"]
    people = "1 respondent who finishes gives" if number == 1 else f"{number} respondents who finish give"
    pay = f", {estimate['pay']:.2f} in all" if "pay" in estimate else ""
    without = f" without the time for their {estimate['minutes_without']}" if "minutes_without" in estimate else ""
    return f"viva: {people} all the answers wanted, about {estimate['minutes_each']:g} minutes each{without}{pay}"


SHOWN = 3
"""Cards of a dry run."""
TRIED = 20
"""Most questions that a dry run asks to find enough answers that can be shown."""


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """The source of a survey's pairs."""

    scope: str | None
    candidate: str | None
    recorded: tuple[Path, ...]
    predictor: Path | None
    dry_run: bool
    asking: AskOptions


@dataclass(frozen=True, slots=True)
class InterviewResult:
    """The outcomes of the questions to the candidate."""

    questions: int
    """Drawn questions."""
    asked: int
    outcomes: Mapping[str, int]
    shown: int
    """Answers that can be shown."""
    right: int
    """The number of these that are right."""
    budget: str
    """The limit of the budget that ended the questions; empty if none did."""
    tokens: int
    money: float


def from_files(source: AnswerSource, config: SurveyConfig) -> Sequence[SurveyCard]:
    """The pairs of all files, or as many as requested. Raises `BadFile`, `BadInput`."""
    pool = [card for file in source.recorded for card in read_cards(file)]
    if config.pairs is not None or source.predictor is not None:
        return _chosen(source, config, pool, config.pairs or min(PAIRS, len(pool)))
    return [
        replace(card, number=number, stage=card.stage if config.stage is None else config.stage)
        for number, card in enumerate(pool, 1)
    ]


def from_candidate(source: AnswerSource, config: SurveyConfig) -> tuple[Sequence[SurveyCard], InterviewResult]:
    """The pairs, and the outcomes of the questions; a few for a dry run. Raises `BadInput` if nothing can be shown."""
    import numpy as np

    from vivavoce.candidates import open_candidate
    from vivavoce.generalization.survey.cards import ask_answers, draw_questions, pool_of
    from vivavoce.scopes import open_scope

    scope: Any = open_scope(source.scope or "")
    questions: list[Any] = draw_questions(scope, config, np.random.default_rng([config.seed, 0]))
    if len(questions) < 2:
        raise BadInput(
            f"'{source.scope}' has {len(questions)} questions of up to {config.longest} characters, and a pair "
            "needs 2: name a larger scope"
        )
    enough = SHOWN if source.dry_run else None

    async def ask(interview: Interview[Prompt, Reply]) -> tuple[CandidateAnswers, Usage]:
        tried = questions[:TRIED] if source.dry_run else questions
        return await ask_answers(interview, scope, tried, expected=enough), interview.spending

    candidate = open_candidate(source.candidate or "")
    answers, spent = source.asking.examined(candidate, ask, expected=enough or len(questions))
    if not answers.observed:
        outcomes = ", ".join(f"{number} {outcome}" for outcome, number in answers.outcomes.items())
        raise BadInput(f"no answer can be shown: {outcomes or 'none came'}; try --dry-run")
    pool = pool_of(answers, np.random.default_rng([config.seed, 1]), by=config.by)
    wanted = min(SHOWN, len(pool)) if source.dry_run else config.pairs or min(PAIRS, len(pool))
    result = InterviewResult(
        questions=len(questions),
        asked=sum(answers.outcomes.values()),
        outcomes=answers.outcomes,
        shown=len(answers.observed),
        right=sum(answer.right for answer in answers.observed),
        budget=answers.exhausted,
        tokens=spent.tokens,
        money=spent.money,
    )
    return _chosen(source, config, pool, wanted), result


def _chosen(source: AnswerSource, config: SurveyConfig, pool: Sequence[SurveyCard], n: int) -> Sequence[SurveyCard]:
    """Pairs of a pool. A dry run draws uniformly, because it has too few answers for a predictor to rank."""
    import numpy as np

    from vivavoce.generalization.survey.cards import choose_cards

    informed, predictor = bool(source.recorded) or not source.dry_run, None
    if source.predictor is not None and informed:
        from vivavoce.generalization.predictors.model_store import open_predictor

        predictor, _ = open_predictor(source.predictor)
    rng = np.random.default_rng([config.seed, 2])
    return choose_cards(pool, n, rng=rng, predictor=predictor, stage=config.stage, balanced=config.balanced and informed)
