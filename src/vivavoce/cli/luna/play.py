"""`viva luna play`: a candidate plays on a Luna site."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, taken_from
from vivavoce.cli.endings import NotNow, exit_codes, resumable
from vivavoce.cli.output import Kept, head_of, keepsake, print_json, quiet, tell

if TYPE_CHECKING:
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.transcript import Transcript
    from vivavoce.luna.played import Played
    from vivavoce.luna.players import Player, Predict

TOKEN = "VIVA_LUNA_TOKEN"  # noqa: S105 - the name of a variable
_UNTOLD = ("bot", "control")
"""Kinds of candidates that would not understand what a game is."""


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    candidate: str
    asking: Asking
    server: str
    token_file: Path | None
    token: str | None
    games: int
    questions: str | None
    guess: str | None
    guess_by: Path | None
    bare: bool | None
    patience: float | None
    as_json: bool

    @property
    def untold(self) -> bool:
        """Whether the candidate is of a kind that is not told of the game unless one says so."""
        return self.candidate.strip().partition(":")[0] in _UNTOLD


@click.command(
    epilog=exit_codes(
        "0 played (also where --idle-timeout ended it)",
        "2 bad input, such as a wrong token",
        "5 the site or the candidate cannot be reached now, or the budget is used up (run the same command again to continue "
        "the open games; with --transcript, nothing is asked twice)",
    )
)
@click.argument("candidate")
@click.option("--server", required=True, metavar="URL", help="The site's address, such as https://luna.example.")
@click.option(
    "--token-file",
    type=options.KNOWN_FILE,
    metavar="FILE",
    help=f"Holds the machine's token; without it, ${TOKEN} does.",
)
@click.option("--token", metavar="T", help="The token itself; others on this machine can see it, so prefer --token-file.")
@click.option("--games", type=click.IntRange(1, 100_000), metavar="N", default=1, show_default=True, help="Games to finish.")
@click.option(
    "--questions",
    metavar="own|thesis|FILE",
    help="The candidate writes the five questions, or they are fixed, one a line in a file. [default: own; thesis for bots]",
)
@click.option("--guess", metavar="own|N", help="The candidate guesses, or always N is guessed. [default: own; 50 for bots]")
@click.option(
    "--guess-by",
    type=options.KNOWN_FILE,
    metavar="MODEL",
    help="A predictor that 'viva luna predict fit' kept guesses, where it knows at least as many of the questions as the "
    "people it learnt from had answered; in other games --guess applies.",
)
@click.option(
    "--bare/--explain-game",
    "bare",
    default=None,
    help="Put the other player's questions as they are, or tell the candidate of the game. [default: tell; bare for bots]",
)
@click.option(
    "--idle-timeout",
    "patience",
    type=options.amount,
    metavar="S",
    help="Stop when nothing has happened for this many seconds; open games can be continued. [default: wait]",
)
@asking_options
@options.JSON
def play(**given: Any) -> None:
    """Let CANDIDATE play Luna games through the interface for machines, several at once (--concurrency).

    Besides all that 'viva candidates' lists there are the two controls of the thesis: control:gibberish, and
    control:echo?from=FILE, which repeats what people answered before to the most similar question; FILE is a table with
    question and answer, or a folder that 'viva luna export' has written.

    \b
    viva luna play chat:llama3.2@http://localhost:11434/v1 --server https://luna.example --token-file token.txt --games 5
    viva luna play bot:eliza --server http://localhost:8000 --token-file token.txt --idle-timeout 600
    viva luna play control:echo?from=answers.csv --server http://localhost:8000 --token-file token.txt
    viva luna play bot:eliza --questions five.txt --guess-by model.json --server http://localhost:8000 --token-file token.txt
    """
    order = Order(**taken_from(given))
    played, kept = _play(order)
    if order.as_json:
        print_json({**played.as_json(), **head_of(kept)})
        return
    _print(played)
    tell(kept)


def _play(order: Order) -> tuple[Played, Kept | None]:
    import asyncio

    from vivavoce.errors import BudgetExhausted
    from vivavoce.interview.transcript import Transcript
    from vivavoce.luna.client import LunaClient, ServerUnreachable, in_the_clear
    from vivavoce.luna.play import EXPIRY_IN_WORDS

    client = LunaClient(order.server, _token(order), attempts=order.asking.attempts)
    if in_the_clear(client.server):
        click.echo("viva: the address begins with http://: others on the way can read the token", err=True)
    candidate = _candidate(order.candidate)
    with resumable(order.asking.transcript), Transcript.open(order.asking.transcript) as transcript:
        try:
            return asyncio.run(_played(order, client, candidate, transcript)), keepsake(transcript, order.asking.transcript)
        except (ServerUnreachable, BudgetExhausted) as error:
            raise NotNow(f"{error}; games that are open wait for {EXPIRY_IN_WORDS}") from None


async def _played(order: Order, client: Any, candidate: Candidate[Prompt, Reply], transcript: Transcript) -> Played:
    import time

    from vivavoce.candidates import close_candidate
    from vivavoce.interview.candidate import CONCURRENCY
    from vivavoce.luna.tournament import play_games

    interview = order.asking.interview(candidate, transcript, expected=None, on_progress=None)
    began = time.monotonic()

    def news(line: str) -> None:
        money = f" · money {interview.spending.money:.2f}" if interview.spending.money else ""
        click.echo(f"{time.monotonic() - began:.0f} s{money} · {line}", err=True)

    try:
        async with client:
            return await play_games(
                client,
                _player(order, interview),
                games=order.games,
                concurrency=min(order.games, order.asking.concurrency or CONCURRENCY),
                patience=order.patience,
                on_news=None if order.asking.quiet else news,
            )
    finally:
        await close_candidate(candidate)


def _player(order: Order, interview: Interview[Prompt, Reply]) -> Player:
    from vivavoce.luna.players import CONTROL_GUESS, Player
    from vivavoce.luna.questions import chosen_questions

    fixed = chosen_questions(order.questions or ("thesis" if order.untold else "own"))
    given = order.guess or (str(CONTROL_GUESS) if order.untold else "own")
    try:
        guess = None if given == "own" else float(given)
    except ValueError:
        raise click.BadParameter(f"'{given[:80]}': write own, or a number from 0 to 100.", param_hint="--guess") from None
    told = not (order.untold if order.bare is None else order.bare)
    return Player(interview, told=told, questions=fixed, guess=guess, guess_by=_predict(order.guess_by))


def _predict(model: Path | None) -> Predict | None:
    """A kept predictor as it guesses in a game."""
    if model is None:
        return None
    from vivavoce.luna.predict.model_store import load
    from vivavoce.luna.predict.predicted_ratings import guesser

    return guesser(load(model))


def _candidate(name: str) -> Candidate[Prompt, Reply]:
    if name.strip().partition(":")[0] == "control":
        from vivavoce.luna.controls import open_control

        return open_control(name.strip())
    from vivavoce.candidates import open_candidate

    return open_candidate(name)


def _token(order: Order) -> str:
    """The token, from where others cannot see it if possible."""
    if order.token is not None:
        click.echo(f"viva: others on this machine can see the token: better --token-file FILE, or ${TOKEN}", err=True)
        return order.token.strip()
    if order.token_file is not None:
        return order.token_file.read_text(encoding="utf-8", errors="replace")[:1_000].strip()
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise click.UsageError(f"A token is needed: --token-file FILE, or ${TOKEN}. The operator of the site gives it out.")
    return token


def _print(played: Played) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    if played.games and not quiet():
        table = Table("game", "how it ended", "questions", "answers", "guess")
        for game in played.games:
            answers = ", ".join(dict.fromkeys(game.answers)) or "–"
            table.add_row(game.id[:8], Text(game.in_words), game.questions or "–", answers, game.guess or "–")
        console.print(table)
    console.print(Text(played.statement), soft_wrap=True)
    for caveat in () if quiet() else played.caveats:
        console.print(Text(f"- {caveat}"), soft_wrap=True)
