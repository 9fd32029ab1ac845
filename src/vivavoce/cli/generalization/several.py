"""`viva generalization several`: cards with several answers, and whether beliefs after them keep to Bayes' rule in odds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, taken_from
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.lazy import LazyGroup
from vivavoce.cli.output import say, tell
from vivavoce.cli.pages import check_output

COMMANDS = {name: f"vivavoce.cli.generalization.several:{name}" for name in ("draw", "ask", "test")}
"""Where each command is."""


@click.command(cls=LazyGroup, places=COMMANDS)
def several() -> None:
    """Do several answers add up in people's minds as Bayes' rule in odds says?

    \b
    viva generalization several draw pairs.csv --cards 30 --answers 3 --out cards.csv
    viva generalization several ask cards.csv --candidate chat:llama3.2@http://localhost:11434/v1 --people 10 --out said.csv
    viva generalization several test said.csv
    """


@click.command()
@click.argument("pairs", type=options.KNOWN_FILE)
@click.option("--cards", type=click.IntRange(1, 10_000), default=30, show_default=True, help="Questions in mind.")
@click.option("--answers", type=click.IntRange(2, 10), default=3, show_default=True, help="Answers shown on a card, at most.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the drawing.")
@click.option("--out", type=options.FILE, metavar="FILE", required=True, help="Write the cards there, as CSV.")
def draw(pairs: Path, cards: int, answers: int, seed: int, out: Path) -> None:
    """Draw cards from PAIRS, each with each of its answers alone and with all of them.

    Show each version to several people, and leave to chance who sees which. Their beliefs go into the columns 'person',
    'prior' and 'posterior', one row for each person and version.
    """
    import numpy as np

    from vivavoce.generalization.cards import draw_cards, write_cards
    from vivavoce.generalization.pairs import read_pairs

    check_output("--out", out)
    drawn = draw_cards(read_pairs(pairs), cards=cards, answers=answers, rng=np.random.default_rng(seed))
    write_cards(out, drawn)
    click.echo(f"{cards} cards in {len(drawn)} versions: {out}", err=True)


@click.command(epilog=exit_codes("4 no card was answered", GOES_ON))
@click.argument("cards", type=options.KNOWN_FILE)
@click.option("--candidate", metavar="CANDIDATE", required=True, help="Who is asked in place of people; see 'viva candidates'.")
@click.option("--people", type=click.IntRange(1, 1_000), default=10, show_default=True, help="How often all cards are put.")
@click.option("--out", type=options.FILE, metavar="FILE", required=True, help="Write the beliefs there, as CSV.")
@asking_options
def ask(cards: Path, candidate: str, people: int, out: Path, **given: Any) -> None:
    """Put CARDS to a language model in place of people; each time that it answers them counts as a person.

    What a model says of its beliefs is not what people believe: it serves to try a survey out, or to study the model.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.generalization.card_asking import ask_cards
    from vivavoce.generalization.cards import read_cards, write_cards

    asking: Asking = taken_from(given)["asking"]
    check_output("--out", out)
    drawn = read_cards(cards)
    found, kept = asking.examined(
        open_candidate(candidate),
        lambda interview: ask_cards(interview, drawn, people=people),
        expected=2 * people * len(drawn),
    )
    write_cards(out, found.cards)
    ran_out = f"; the budget of {found.exhausted} ran out" if found.exhausted else ""
    click.echo(f"{len(found.cards)} cards answered, {found.unread} not read{ran_out}: {out}", err=True)
    if not asking.quiet:
        tell(kept, err=True)
    if not found.cards:
        click.get_current_context().exit(OF_VERDICT["no conclusion"])


@click.command()
@click.argument("files", type=options.KNOWN_FILE, nargs=-1, required=True, metavar="CARDS...")
@options.JSON
def test(files: tuple[Path, ...], as_json: bool) -> None:
    """Do beliefs after several answers keep to Bayes' rule in odds? With a p-value and an interval.

    \b
    viva generalization several test said.csv

    CARDS has what people said (see 'draw'). Refused with fewer than 10 complete cards or 10 people.
    """
    from vivavoce.generalization.bayes_fit import bayes_fit
    from vivavoce.generalization.cards import read_cards

    found = bayes_fit([card for file in files for card in read_cards(file)])
    values = {
        "statement": found.statement,
        "weight": found.weight.as_json(),
        "gap": found.gap.as_json(),
        "p": found.p,
        "people": found.people,
        "beliefs": found.beliefs,
        "incomplete": found.incomplete,
        "at_ends": found.at_ends,
        "by_answers": [{"answers": answers, "weight": weight.as_json()} for answers, weight in found.by_answers],
        "caveats": list(found.caveats),
    }
    say(values, "\n".join([found.statement, *found.details, *found.caveats]), as_json)
