"""`viva luna serve` runs the site with the Luna game; `viva luna play` lets a candidate play on one."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from socket import AF_INET, AF_INET6, IPPROTO_TCP, TCP_NODELAY, create_server, socket
from threading import Thread
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options
from vivavoce.cli.endings import CannotContinue, ask_in_loop, exit_codes, open_file_limit, records_at
from vivavoce.cli.help import command
from vivavoce.cli.names import CANDIDATE
from vivavoce.cli.options import config_options, taken_out, wants_json
from vivavoce.cli.output import print_json, quiet, running
from vivavoce.cli.progress import head_of, kept_of, tell
from vivavoce.cli.tracing import traced
from vivavoce.errors import BadInput, BudgetExhausted, MissingExtra
from vivavoce.formats.json_values import to_json
from vivavoce.interview.candidate import CONCURRENCY, Candidate, Prompt, Reply
from vivavoce.luna.settings import GameTerms, PlayConfig
from vivavoce.settings import Within, setting, settings_of

if TYPE_CHECKING:
    from uvicorn import Server

    from vivavoce.interview.interview import Interview
    from vivavoce.luna.game_api import LunaClient
    from vivavoce.luna.players import CandidatePlayer, Predict
    from vivavoce.luna.tournament import TournamentResult
    from vivavoce.web.scripted_players import Bot
    from vivavoce.web.settings import SiteSettings


GRACE_SECONDS = 5
"""Time for running requests when the server stops."""
BUILT_IN = "built-in"
NOBODY = "none"
MOST_CONNECTIONS = 2_500
"""Connections per server process; others get a "try again" reply."""
LISTENING = 0.8
"""The share of them that pages may keep open to listen for changes."""
FEWEST_CONNECTIONS = 20
OTHER_FILES = 100
"""Files that a server process has open: the database, the built-in opponent, modules."""
BACKLOG = 128
"""Connections that wait to be accepted; asyncio accepts all of them twice before the first can be closed."""

_FROM_ENVIRONMENT: dict[str, Any] = {
    term.name: {"default": None, "help": f"{term.says} [default: {term.default:g}]"} for term in settings_of(GameTerms)
}
"""Terms that are not given come from the environment."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Where and how the site is served."""

    database: str | None = setting(
        None, "Database: a file, or postgresql://USER@HOST/DATABASE. [default: luna.sqlite]", metavar="FILE|URL"
    )
    host: str = setting("127.0.0.1", "Listen on this address; 0.0.0.0 for all.", metavar="ADDRESS")
    port: Annotated[int, Within(0, 65_535)] = setting(8000, "Port to listen on; 0: any free one.")
    workers: Annotated[int, Within(1, 64)] = setting(1, "Server processes.")
    secret_file: Path | None = setting(None, "Sign cookies with this secret, created if missing. [default: luna.secret]")
    operator_token_file: Path | None = setting(
        None, "Open /operator with this token, made if missing. [default: no such pages]"
    )
    base_url: str | None = setting(None, "Public address of the site, if it is not host and port.", metavar="URL")
    behind_proxy: bool = setting(False, "Trust the client addresses from a proxy on this machine.")
    reveal_ratings: bool = setting(False, "Show all ratings; players can then guess without reading.")
    contact: str | None = setting(None, "Show this address on the page 'Contact'.")
    house: str = setting(
        BUILT_IN, "Opponent of players who find no one else: a candidate, or the built-in bot.", metavar="CANDIDATE|none"
    )
    house_money: Annotated[float, Within(above=0)] | None = setting(
        None, "After spending this much, use the built-in bot instead."
    )
    demo: bool = setting(False, "Add scripted players who play with visitors.")


@command(epilog=exit_codes("0 stopped by Ctrl+C", "2 bad input, or the address is taken"))
@config_options(
    ServeOptions,
    only=(
        "database", "host", "port", "workers", "secret_file", "operator_token_file", "base_url", "behind_proxy",
        "reveal_ratings",
    ),
)  # fmt: skip
@config_options(GameTerms, **_FROM_ENVIRONMENT)
@config_options(ServeOptions, only=("contact", "house", "house_money", "demo"))
def serve(**given: Any) -> None:
    """Serve the site where people and machines interview each other.

    \b
    viva luna serve
    viva luna serve --demo --database demo.sqlite --reveal-ratings
    viva luna serve --operator-token-file operator.token
    viva luna serve --database postgresql://luna@localhost/luna --workers 4 --base-url https://luna.example.org
    VIVA_WEB_MAIL_HOW=smtp VIVA_WEB_MAIL_HOST=mail.example.org viva luna serve

    Other settings come from the environment: VIVA_WEB_DATABASE, VIVA_WEB_BASE_URL and so on. If the address begins with
    https://, cookies are sent over HTTPS only, so put an HTTPS proxy in front.
    """
    site = taken_out(given, ServeOptions)
    if site.demo and site.workers > 1:
        raise click.UsageError("--demo runs in one server process: leave --workers out.")
    if site.demo and (site.house != BUILT_IN or site.house_money is not None):
        raise click.UsageError("--demo has machines of its own: leave --house and --house-money out.")
    _most_connections(open_file_limit())
    bot = None if site.demo or site.house == NOBODY else _bot(site.house, site.house_money)
    with _listening(site.host, site.port) as listening:
        host = f"[{site.host}]" if ":" in site.host else site.host
        settings, environment = _settled(f"http://{host}:{listening.getsockname()[1]}", site, given)
        click.echo(f"Luna is at {settings.base_url}, kept in {settings.shown_database}. Stop it with Ctrl+C.", err=True)
        if site.operator_token_file is not None:
            pages = f"{settings.base_url}/operator"
            click.echo(f"The operator's pages are at {pages}; the token is in {site.operator_token_file}.", err=True)
        if settings.mail.how == "console" and settings.https:
            click.echo(
                "Mail is printed here, with its links: if strangers play, set VIVA_WEB_MAIL_HOW to smtp or none.", err=True
            )
        if site.demo:
            click.echo("Its players are scripted, even those shown as people: ratings mean nothing.", err=True)
        os.environ.update(environment)  # where server processes find it
        if bot is not None:
            Thread(target=_play_for_the_house, args=(settings, bot), name="house", daemon=True).start()
        _run(settings, listening, site.workers, demo=site.demo)


def _bot(house: str, money: float | None) -> Bot:
    """The built-in opponent's candidate. Raises `BadInput` and the like if it can't be opened."""
    try:
        from vivavoce.web.scripted_players import ScriptedBot
    except ImportError as error:
        raise MissingExtra(error.name or "alembic", extra="web") from None
    if house == BUILT_IN:
        return ScriptedBot()
    from vivavoce.interview.budget import Budget
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview

    return player_of(Interview(candidate_of(house), answers=Reply, budget=Budget(money=money)), PlayConfig())


def _play_for_the_house(settings: SiteSettings, bot: Bot) -> None:
    from vivavoce.web.scripted_players import run_house

    asyncio.run(run_house(settings, bot))


def _settled(address: str, site: ServeOptions, terms: Mapping[str, Any]) -> tuple[SiteSettings, dict[str, str]]:
    """The operator's settings, also set as environment variables; the site's tables are created."""
    try:
        import uvicorn  # noqa: F401  missed here rather than later

        from vivavoce.web.database import check_writable, migrate, open_database, reading
        from vivavoce.web.pages.game_texts import check_version
        from vivavoce.web.settings import PREFIX, SiteSettings, kept_secret
    except ImportError as error:
        raise MissingExtra(error.name or "alembic", extra="web") from None
    decided = {name: value for name, value in os.environ.items() if name.startswith(PREFIX)}
    if site.secret_file is not None or PREFIX + "SECRET" not in decided:
        decided[PREFIX + "SECRET"] = kept_secret(site.secret_file or Path("luna.secret"))
    if site.operator_token_file is not None:
        decided[PREFIX + "OPERATOR_TOKEN"] = kept_secret(site.operator_token_file)
    wanted = {
        "DATABASE": site.database or decided.get(PREFIX + "DATABASE") or "luna.sqlite",
        "BASE_URL": site.base_url or decided.get(PREFIX + "BASE_URL") or address,
        "OPERATOR_CONTACT": site.contact,
        "REVEAL_DISTRIBUTION": "yes" if site.reveal_ratings else None,
        "BEHIND_PROXY": "yes" if site.behind_proxy else None,
        **{term.name.upper(): terms[term.name] for term in settings_of(GameTerms)},
    }
    decided |= {PREFIX + name: str(value) for name, value in wanted.items() if value is not None}
    if decided[PREFIX + "BASE_URL"].startswith("https://"):
        decided.setdefault(PREFIX + "HTTPS", "yes")
    decided.setdefault(PREFIX + "OPEN_PAGES", str(int(LISTENING * _most_connections(open_file_limit()))))
    settings = SiteSettings.from_environment(decided)
    check_version(settings.consent_version)
    engine = open_database(settings.database)
    try:
        migrate(engine)  # a server process does this again at its start; here an error is one line
        check_writable(engine)
        if site.demo:
            from vivavoce.web.demo import check_own

            with reading(engine) as c:
                check_own(c)
    finally:
        engine.dispose()
    return settings, decided


def _listening(host: str, port: int) -> socket:
    try:
        listening = create_server((host, port), family=AF_INET6 if ":" in host else AF_INET, backlog=BACKLOG)
        # connections inherit it; without it each answer waits 40 ms for the acknowledgement of its first half
        listening.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
    except OSError as error:
        raise BadInput(
            f"the site cannot listen on {host}:{port}: {error.strerror or error}; choose another --host or --port"
        ) from None
    return listening


def _most_connections(files: float) -> int:
    """Connections that the open-file limit allows.

    Raises `BadInput` for too few.
    """
    from vivavoce.web.settings import HEADROOM

    most = int(min(MOST_CONNECTIONS, (files - OTHER_FILES - 2 * BACKLOG) / HEADROOM))
    if most < FEWEST_CONNECTIONS:
        needed = ceil(FEWEST_CONNECTIONS * HEADROOM) + OTHER_FILES + 2 * BACKLOG
        raise BadInput(f"the site needs {needed} open files, and the limit is {files}: raise it ('ulimit -n 4096')")
    return most


def _run(settings: SiteSettings, listening: socket, workers: int, *, demo: bool) -> None:
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from vivavoce.web.security.limits import PatientProtocol

    config = uvicorn.Config(
        "vivavoce.web.app:from_environment",
        factory=True,
        http=PatientProtocol,
        workers=workers,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=settings.behind_proxy,
        backlog=BACKLOG,
        limit_concurrency=_most_connections(open_file_limit()),
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # uvicorn catches it, ends, and raises it again
    with suppress(KeyboardInterrupt):  # the intended end
        if demo:
            asyncio.run(_with_players(settings, uvicorn.Server(config), listening))
        elif workers > 1:
            Multiprocess(config, sockets=[listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])


async def _with_players(settings: SiteSettings, server: Server, listening: socket) -> None:
    """The site, with scripted players for as long as it runs."""
    from vivavoce.web.demo import run_demo

    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not (server.started or serving.done()):  # noqa: ASYNC110 - uvicorn tells by this flag alone that tables are made
        await asyncio.sleep(0.05)
    playing = asyncio.create_task(run_demo(settings))
    await asyncio.wait((playing, serving), return_when=asyncio.FIRST_COMPLETED)
    server.should_exit = True
    playing.cancel()
    await serving
    with suppress(asyncio.CancelledError):
        await playing


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
    from vivavoce.luna.predict.predicted_ratings import guesser, load

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
