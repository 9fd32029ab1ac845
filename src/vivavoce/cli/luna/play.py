"""`viva luna play`: let a candidate play on a Luna site."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options
from vivavoce.cli.endings import CannotContinue, ask_in_loop, exit_codes, records_at
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options, wants_json
from vivavoce.cli.output import print_json, quiet, running
from vivavoce.cli.record_summary import head_of, kept_of, tell
from vivavoce.cli.tracing import traced
from vivavoce.errors import BudgetExhausted
from vivavoce.formats.json_values import to_json
from vivavoce.interview.candidate import CONCURRENCY, Candidate, Prompt, Reply
from vivavoce.luna.settings import PlayConfig

if TYPE_CHECKING:
    from vivavoce.interview.interview import Interview
    from vivavoce.luna.game_api import LunaClient
    from vivavoce.luna.players import CandidatePlayer, Predict
    from vivavoce.luna.tournament import TournamentResult

TOKEN = "VIVA_LUNA_TOKEN"  # noqa: S105 - the name of a variable
_UNTOLD = ("bot", "control")
"""Kinds of candidates that would not understand the rules of the game."""


def _guess(text: str) -> float | Literal["own"]:
    return "own" if text == "own" else options.within(text, 0, 100, "a number from 0 to 100, or own")


@command(
    epilog=exit_codes(
        "0 played (also where --idle-timeout ended it)",
        "2 bad input, such as a wrong token",
        "5 the site or the candidate can't be reached, or the budget is used up (run the same command again to continue the "
        "open games; with --transcript, nothing is asked twice)",
    )
)
@click.argument("candidate", type=CANDIDATE)
@click.option("--server", required=True, metavar="URL", help="Play on the site at this address, such as https://luna.example.")
@click.option("--token-file", type=options.KNOWN_FILE, help=f"Read the machine's token from this file. [default: ${TOKEN}]")
@config_options(PlayConfig, only=("games", "questions", "guess"), guess={"type": _guess})
@click.option(
    "--guess-by",
    type=options.KNOWN_FILE,
    metavar="MODEL",
    help="Let this predictor guess if it knows enough questions; otherwise --guess.",
)
@config_options(PlayConfig, only=("patience",), patience={"option": "--idle-timeout"})
@asking_options
@options.JSON
def play(*, candidate: str, server: str, token_file: Path | None, guess_by: Path | None, **given: Any) -> None:
    """Let CANDIDATE play Luna games on a site, several at once (--concurrency).

    CANDIDATE can also be one of the thesis' two controls: control:gibberish, and control:echo?from=FILE, which repeats an
    earlier answer to the most similar question. FILE is a table with question and answer, or a folder written by
    'viva luna admin export'.

    \b
    viva luna play chat:llama3.2@http://localhost:11434/v1 --server https://luna.example --token-file token.txt --games 5
    viva luna play bot:eliza --server http://localhost:8000 --token-file token.txt --idle-timeout 600
    viva luna play control:echo?from=answers.csv --server http://localhost:8000 --token-file token.txt
    viva luna play bot:eliza --questions five.txt --guess-by model.json --server http://localhost:8000 --token-file token.txt
    """
    from vivavoce.luna.game_api import LunaClient, in_the_clear

    config, asking = options.taken_out(given, PlayConfig), asking_of(given)
    client = LunaClient(server, _token(token_file), attempts=asking.attempts)
    if in_the_clear(client.server):
        click.echo("viva: the address begins with http://, so others can read the token on its way", err=True)
    played = _play(candidate_of(candidate), client, config, asking, guess_by=guess_by)
    if wants_json():
        print_json({**to_json(played.figures()), **head_of(running().record)})
        return
    _print(played)
    tell(running().record)


def _play(
    candidate: Candidate[Prompt, Reply], client: LunaClient, config: PlayConfig, asking: AskOptions, *, guess_by: Path | None
) -> TournamentResult:
    from vivavoce.luna.game_api import ServerUnreachable

    with records_at(asking.transcript) as [transcript], traced():
        interview = asking.interview(candidate, transcript, expected=None, on_progress=None)
        try:
            played = ask_in_loop(_played(interview, client, config, asking, guess_by=guess_by))
            running().record = None if asking.transcript is None else kept_of(transcript)
            return played
        except (ServerUnreachable, BudgetExhausted) as error:
            raise CannotContinue(f"{error}; open games wait until they expire") from None


async def _played(
    interview: Interview[Prompt, Reply], client: LunaClient, config: PlayConfig, asking: AskOptions, *, guess_by: Path | None
) -> TournamentResult:
    from vivavoce.candidates import close_candidate
    from vivavoce.luna.tournament import play_games

    began = time.monotonic()

    def news(line: str) -> None:
        money = f" · money {interview.spending.money:.2f}" if interview.spending.money else ""
        click.echo(f"{time.monotonic() - began:.0f} s{money} · {line}", err=True)

    try:
        async with client:
            return await play_games(
                client,
                player_of(interview, config, guess_by),
                config,
                concurrency=min(config.games, asking.concurrency or CONCURRENCY),
                on_news=None if asking.quiet else news,
            )
    finally:
        await close_candidate(interview.candidate)


def player_of(interview: Interview[Prompt, Reply], config: PlayConfig, guess_by: Path | None = None) -> CandidatePlayer:
    """The player for a candidate; bots that would not understand the game get only the questions."""
    from vivavoce.luna.messages import chosen_questions
    from vivavoce.luna.players import CONTROL_GUESS, CandidatePlayer

    untold = interview.candidate.name.partition(":")[0] in _UNTOLD
    guess = config.guess if config.guess is not None else CONTROL_GUESS if untold else "own"
    return CandidatePlayer(
        interview,
        knows_game=not untold,
        questions=chosen_questions(config.questions or ("thesis" if untold else "own")),
        guess=None if guess == "own" else guess,
        guess_by=_predict(guess_by),
    )


def _predict(model: Path | None) -> Predict | None:
    """A stored predictor that guesses in a game."""
    if model is None:
        return None
    from vivavoce.luna.predict.model_store import load
    from vivavoce.luna.predict.predicted_ratings import guesser

    return guesser(load(model))


def candidate_of(name: str) -> Candidate[Prompt, Reply]:
    """The candidate of that name, or one of the two controls. Raises what opening it raises."""
    if name.strip().partition(":")[0] == "control":
        from vivavoce.luna.players import open_control

        return open_control(name.strip())
    from vivavoce.candidates import open_candidate

    return open_candidate(name)


def _token(file: Path | None) -> str:
    if file is not None:
        return file.read_text(encoding="utf-8", errors="replace")[:1_000].strip()
    result = os.environ.get(TOKEN, "").strip()
    if not result:
        raise click.UsageError(
            f"there is no token: name a file with --token-file, or set ${TOKEN}. The operator of the site issues tokens."
        )
    return result


def _print(played: TournamentResult) -> None:
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
