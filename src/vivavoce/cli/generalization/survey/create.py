"""`viva generalization survey create`: a survey from questions and a candidate's answers, or from pairs in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_options, taken_from
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.generalization.survey.group import codes_in_words, preview_address
from vivavoce.cli.generalization.survey.making import MOST_ASKED, PAIRS, SHOWN, Interviewed, Order, from_candidate, from_files
from vivavoce.cli.output import print_json
from vivavoce.cli.pages import check_writable
from vivavoce.cli.site_database import BASE_URL, database_option, site_database

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.generalization.survey.rules import Card, Codes, SurveyPlan


@click.command(epilog=exit_codes("2 bad input, such as a name that is taken", GOES_ON))
@click.argument("name")
@database_option(required=False)
@BASE_URL
@click.option("--scope", metavar="S", help="Questions; 'viva scopes' lists which.")
@click.option("--candidate", metavar="C", help="Whose answers are shown; 'viva candidates' lists which.")
@click.option(
    "--by",
    type=click.Choice(["machine", "person"]),
    default="machine",
    show_default=True,
    help="Whether the candidate's answers are a machine's; a recording may hold a person's.",
)
@click.option(
    "--recorded",
    type=options.KNOWN_FILE,
    multiple=True,
    metavar="FILE",
    help="Pairs with the shown answer, CSV or JSON Lines: q1,q2,source1,source2,shown,previous_correct[,by,weight,stage].",
)
@click.option(
    "--pairs", type=click.IntRange(1, 1_000_000), metavar="N", help=f"Pairs of the survey: {PAIRS}, or all that are recorded."
)
@click.option(
    "--questions",
    type=click.IntRange(2, 1_000_000),
    metavar="N",
    help=f"Questions put to the candidate, once each: by default twice the pairs, and {MOST_ASKED} at most.",
)
@click.option(
    "--max-characters",
    "longest",
    type=click.IntRange(min=1, max=20_000),
    metavar="N",
    default=750,
    show_default=True,
    help="Characters of a question; longer ones are left out.",
)
@click.option(
    "--predictor",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="MODEL",
    help="From 'viva generalization fit': draw mostly pairs that it predicts to change beliefs. Weights are kept.",
)
@click.option("--stage", type=click.IntRange(1, 1_000_000), metavar="N", help="Stage of the survey, kept with the answers.")
@click.option("--balanced", is_flag=True, help="A test stage: 2/3 from the predictor's top hundredth, 1/3 from its bottom.")
@options.seed("Draws questions and pairs.")
@click.option("--title", metavar="TEXT", help="What respondents read at the top.")
@click.option("--pairs-each", type=options.count, metavar="N", default=15, show_default=True, help="Pairs per respondent.")
@click.option(
    "--answers-each",
    type=options.count,
    metavar="N",
    default=1,
    show_default=True,
    help="Answers wanted for a pair: 8 in a test stage.",
)
@click.option(
    "--disclose",
    "told",
    type=click.Choice(["machine", "either"]),
    default="machine",
    show_default=True,
    help="What respondents are told of who answers; 'either' where some answers are people's.",
)
@click.option("--ask-why", is_flag=True, help="Let respondents say why their number changed or did not, if they like.")
@click.option("--codes", metavar="DONE,FAILED,WITHDRAWN", help="Completion codes; by default random ones.")
@click.option("--return-url", metavar="URL", default="", help="Address of the platform; respondents return to it with cc=CODE.")
@click.option("--contact", metavar="TEXT", default="", help="How respondents reach you.")
@click.option("--pay", type=options.amount, metavar="X", help="Pay per respondent, for the estimate.")
@click.option("--save", type=options.FILE, metavar="FILE", help="Also write the pairs, as --recorded reads them.")
@click.option("--dry-run", is_flag=True, help="Make nothing: show a few pairs, and what the whole survey would take.")
@asking_options
@options.JSON
def create(**given: Any) -> None:
    """Make the survey NAME; it is a draft until 'open'.

    \b
    viva generalization survey create trust --scope file:questions.jsonl --candidate chat:llama3.2@http://localhost:11434/v1 \\
        --dry-run
    viva generalization survey create trust --scope arithmetic --candidate bot:calculator?wrong=0.3 --pairs 150 \\
        --database luna.sqlite
    viva generalization survey create both --recorded people-and-machine.csv --disclose either --database luna.sqlite
    viva generalization survey create trust-2 --scope file:questions.jsonl --candidate replay:answers.jsonl \\
        --predictor model --stage 2 --database luna.sqlite

    Every question is put to the candidate once and graded by the scope's rule; answers that cannot be read are counted and
    left out. Pairs are drawn uniformly, or by --predictor.
    """
    order = Order(**taken_from(given))
    _check(order)
    plan = _plan(order)
    cards, told = (from_files(order), None) if order.recorded else from_candidate(order)
    if order.dry_run:
        _show(order, plan, cards, told)
    else:
        _keep(order, plan, cards, told)


def _check(order: Order) -> None:
    """Refuse now what would otherwise fail after all questions have been paid for."""
    if bool(order.recorded) == bool(order.scope or order.candidate) or bool(order.scope) != bool(order.candidate):
        raise click.UsageError("give --scope and --candidate, or --recorded.")
    if order.database is None and not order.dry_run:
        raise click.UsageError("give --database, or --dry-run.")
    if order.balanced and order.predictor is None:
        raise click.UsageError("--balanced needs --predictor: it predicts which pairs change beliefs.")
    if order.by == "person" and order.told == "machine":
        raise click.UsageError("--by person needs --disclose either: respondents must not be told that a machine answers.")
    check_writable("--save", order.save)
    if order.database is not None and not order.dry_run:
        with site_database(order.database, writes=False) as c:
            from vivavoce.web.store.surveys import survey as find

            if find(c, order.name) is not None:
                raise click.UsageError(f"there is a survey '{order.name[:60]}' already: choose another name.")


def _plan(order: Order) -> SurveyPlan:
    from vivavoce.generalization.survey.rules import SurveyPlan

    return SurveyPlan(
        order.name,
        "What do you expect of the answers?" if order.title is None else order.title,
        _codes(order.codes),
        pairs_each=order.pairs_each,
        ask_why=order.ask_why,
        told=order.told,
        return_url=order.return_url,
        contact=order.contact,
        answers_each=order.answers_each,
    )


def _codes(given: str | None) -> Codes:
    import secrets

    from vivavoce.generalization.survey.rules import Codes

    if given is None:
        return Codes(*(secrets.token_hex(4).upper() for _ in range(3)))
    parts = [part.strip() for part in given.split(",")]
    if len(parts) != 3:
        raise click.UsageError("--codes takes three, separated by commas: finished, failed, withdrew.")
    return Codes(*parts)


def _keep(order: Order, plan: SurveyPlan, cards: Sequence[Card], told: Interviewed | None) -> None:
    from dataclasses import asdict
    from datetime import UTC, datetime

    if order.save is not None:
        from vivavoce.generalization.survey.recorded import write_cards

        write_cards(order.save, cards)  # they have been paid for, whatever becomes of the survey
    with site_database(order.database or "") as c:
        from vivavoce.web.store.surveys import create as keep

        made = keep(c, plan, cards, datetime.now(UTC))
    address, estimate = preview_address(made, order.base_url), _estimate(order, len(cards))
    if order.as_json:
        values = {"survey": plan.slug, "state": made.state, "pairs": len(cards), "preview": address, **estimate}
        values |= {"codes": asdict(plan.codes), "interview": None if told is None else asdict(told)}
        print_json(values)
        return
    right = sum(card.previous_correct for card in cards)
    click.echo(f"Survey '{plan.slug}' with {len(cards)} pairs, {right} of the shown answers right; it is a draft.")
    click.echo(f"Look at it: {address}")
    click.echo(f"Completion codes: {codes_in_words(made)}.")
    _tell(told)
    click.echo(_in_words(estimate), err=True)


def _show(order: Order, plan: SurveyPlan, cards: Sequence[Card], told: Interviewed | None) -> None:
    """What a dry run shows."""
    from dataclasses import asdict

    from vivavoce.generalization.survey.rules import checked_cards

    estimate = _estimate(order, order.pairs or PAIRS)
    if told is None:
        estimate = _estimate(order, len(checked_cards(cards, plan)))
    else:
        estimate |= {"questions": told.questions, "money": told.money / told.asked * told.questions}
    if order.as_json:
        few = [asdict(card) for card in cards[:SHOWN]]
        print_json({"cards": few, **estimate, "interview": None if told is None else asdict(told)})
        return
    for card in cards[:SHOWN]:
        _print_card(card)
    _tell(told)
    if told is not None:
        money = f", at about {estimate['money']:.2f}" if told.money else ""
        click.echo(f"viva: all would be {told.questions} questions to the candidate{money}", err=True)
    click.echo(_in_words(estimate), err=True)


def _print_card(card: Card) -> None:
    from vivavoce.formats.wording import clipped

    click.echo(f"--- pair {card.number}: {clipped(card.source1, 60)} -> {clipped(card.source2, 60)}, weight {card.weight:g}")
    for head, text in (("asked about", card.q2), ("shown", card.q1), ("answer", card.shown)):
        click.echo(f"{head}: " + clipped(text.replace("\n", " / "), 400))
    click.echo(f"which is {'right' if card.previous_correct else 'wrong'}, by a {card.by}")


def _tell(told: Interviewed | None) -> None:
    """What became of the questions."""
    if told is None:
        return
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in told.outcomes.items())
    click.echo(f"viva: {told.asked} answers: {outcomes}; {told.asked - told.shown} left out", err=True)
    if told.budget:
        click.echo(f"viva: the budget of {told.budget} ran out: the other questions were not asked", err=True)


def _estimate(order: Order, pairs: int) -> dict[str, Any]:
    """What it takes to have as many answers as are wanted, if nobody stops on the way."""
    from math import ceil

    from vivavoce.generalization.survey.rules import MINUTES_A_PAIR

    respondents = ceil(pairs * order.answers_each / order.pairs_each)
    pay = {} if order.pay is None else {"pay": respondents * order.pay}
    return {"pairs": pairs, "respondents": respondents, "minutes_each": round(order.pairs_each * MINUTES_A_PAIR, 1), **pay}


def _in_words(estimate: dict[str, Any]) -> str:
    number = estimate["respondents"]
    people = "1 respondent who finishes gives" if number == 1 else f"{number} respondents who finish give"
    pay = f", {estimate['pay']:.2f} in all" if "pay" in estimate else ""
    return f"viva: {people} all the answers wanted, about {estimate['minutes_each']:g} minutes each{pay}"
