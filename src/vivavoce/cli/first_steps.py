"""`viva init` starts a project, `viva try` shows how a few replies are graded, `viva doctor` checks the installation."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import sys
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

import click

from vivavoce.certificate.config import MOST_TRIED, TRIED, GradingConfig, PredictionsConfig
from vivavoce.cli import options
from vivavoce.cli.asking import asked_without_transcript, asking_of, close_all
from vivavoce.cli.endings import all_of, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.inspect_runs import is_task
from vivavoce.cli.names import CANDIDATE, FILE, PROVIDERS, SCOPE, candidate_name, read_settings, shown_setting
from vivavoce.cli.options import JSON, config_options, wants_json
from vivavoce.cli.output import print_json, say
from vivavoce.cli.progress import print_checked
from vivavoce.cli.verdict_options import check_graders, check_grading, judge_of
from vivavoce.errors import BadInput, VivavoceError
from vivavoce.formats.json_values import to_json
from vivavoce.version import __version__

if TYPE_CHECKING:
    from vivavoce.candidates.chat.candidate import Chat
    from vivavoce.certificate.claims.claim import GradedAnswer
    from vivavoce.certificate.graders.rule_grading import GradingMethod
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview


GRADED = ("judge", "rubric", "judge_samples", "zero_is_unacceptable")


@command("try", epilog=exit_codes("5 the model or the judge can't be reached"))
@click.argument("candidate", metavar="MODEL [SCOPE]", type=CANDIDATE)
@click.option("--scope", "scope_name", required=True, type=SCOPE, metavar="S", help="Ask this scope; see 'viva list scopes'.")
@click.option(
    "--questions",
    type=options.WholeNumber(1, MOST_TRIED),
    default=TRIED,
    show_default=True,
    help=f"Ask N questions, at most {MOST_TRIED}.",
)
@config_options(GradingConfig, only=GRADED, judge={"type": CANDIDATE})
@options.seed("Draw the questions with this seed.")
@asked_without_transcript
@options.JSON
def try_model(*, candidate: str, scope_name: str, questions: int, seed: int, **given: Any) -> None:
    """Ask MODEL a few questions, and show how each reply is parsed and graded, and why.

    \b
    viva try bot:calculator --scope arithmetic
    viva try chat:llama3.2@http://localhost:11434/v1 --scope file:questions.csv
    viva try bot:eliza --scope file:essays.jsonl --judge chat:llama3.2@http://localhost:11434/v1 --questions 2

    There is no verdict, no attempt is counted, and no transcript is written. 'viva certify' draws other questions.
    """
    from rich.console import Console

    from vivavoce.certificate.graders.graders import Graders
    from vivavoce.certificate.graders.rule_grading import ByRule, try_out
    from vivavoce.interview.budget import SharedBudget
    from vivavoce.interview.transcript import Transcript
    from vivavoce.scopes import open_scope

    grading = options.taken_out(given, GradingConfig)
    check_grading(grading, PredictionsConfig(), on_transcript=False)
    if is_task(scope_name):
        raise click.UsageError("'viva try' can't run an Inspect task: use 'inspect eval FILE.py@TASK --limit 5'.")
    asking = asking_of(given | {"transcript": None, "quiet": True})
    scope, model, *judges = all_of(
        partial(open_scope, scope_name, zero_is_unacceptable=grading.zero_is_unacceptable),
        *(partial(_opened, name) for name in (candidate, grading.judge) if name is not None),
    )
    check_graders(grading, [scope])
    judging, shared = judges[0] if judges else None, SharedBudget(asking.budget)
    answers: list[GradedAnswer] = []

    def interview(asked: Candidate[Prompt, Reply]) -> Interview[Prompt, Reply]:
        return asking.interview(asked, Transcript.open(None), expected=None, on_progress=lambda _: None, shared_budget=shared)

    async def ask() -> None:
        graded: GradingMethod = ByRule()
        try:
            if judging is not None:
                asked = judge_of(grading, interview(judging), "try")
                graded = Graders(judge=asked, zero_is_unacceptable=grading.zero_is_unacceptable)
            async for answer in try_out(interview(model), scope, graded, questions=questions, seed=seed):
                answers.append(answer)
                if not wants_json():
                    print_checked(answer, len(answers), Console())
        finally:
            await close_all(model, judging)

    asyncio.run(ask())
    if wants_json():
        print_json({"candidate": model.name, "scope": scope.name, "answers": to_json(answers)})
    elif len(answers) < questions:
        click.echo(
            f"{len(answers)} of {questions} questions: there are no more in the scope, or the budget is used up.", err=True
        )


def _opened(name: str) -> Candidate[Prompt, Reply]:
    """Open the model; refuses models that need a transcript."""
    from vivavoce.candidates import open_candidate
    from vivavoce.candidates.human import is_person
    from vivavoce.interview.vendor_batches import VendorBatchCandidate

    candidate = open_candidate(name)
    if isinstance(candidate, VendorBatchCandidate):
        raise click.UsageError(f"{name[:80]} answers by batch, which needs a transcript: leave out '?batch='.")
    if is_person(candidate):
        raise click.UsageError(f"{name[:80]} is a person, whose answers must be kept: use 'viva certify --transcript FILE'.")
    return candidate


EXTRAS: Final = {
    "models": ("inspect_ai",),
    "chess": ("chess", "ribs"),
    "web": ("fastapi", "uvicorn", "alembic"),
    "postgres": ("psycopg",),
    "text": ("sklearn", "rapidfuzz", "xgboost"),
    "neural": ("torch", "transformers", "peft"),
    "luna": ("openskill",),
    "traces": ("phonenumbers",),
}
"""The modules of each extra."""
ENGINES: Final = ("stockfish", "lc0")
LEAST_FREE: Final = 200_000_000
"""Bytes of free disk that a long run may need."""
SHOWN: Final = 10
"""Models of a server that are listed."""
WORKS, FAILS, ABSENT = "works", "fails", "not there"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One check."""

    name: str
    state: str
    """`works`, `fails`, or `not there` for something optional."""
    says: str


@command(epilog=exit_codes("0 everything that is needed works", "2 something fails"))
@click.argument("model", required=False, type=CANDIDATE)
@JSON
def doctor(*, model: str | None) -> int:
    """Check Python, extras, keys, engines and disk, and whether MODEL answers (default: the model of viva.toml).

    \b
    viva doctor
    viva doctor chat:llama3.2@http://localhost:11434/v1
    viva doctor --json

    Keys are listed by name; no value is printed. One question is asked of the model, and nothing is kept.
    """
    checks = [*_installation(), *_settings()]
    try:
        named = model or candidate_name(read_settings().values.get("model", ""))
    except VivavoceError as error:
        checks.append(DoctorCheck("model", FAILS, str(error)))
    else:
        absent = DoctorCheck("model", ABSENT, "no model: give MODEL, or set model in viva.toml")
        checks += asyncio.run(_asked(named)) if named else [absent]
    if wants_json():
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        for check in checks:
            mark = {WORKS: "✓", FAILS: "✕", ABSENT: "–"}[check.state]
            click.echo(f"{mark} {check.name}: {check.says}")
    return 2 if any(check.state == FAILS for check in checks) else 0


def _installation() -> list[DoctorCheck]:
    from importlib.util import find_spec

    checks = [
        DoctorCheck("Python", WORKS, f"{sys.version.split()[0]} at {sys.executable}"),
        DoctorCheck("Vivavoce", WORKS, f"{__version__} at {Path(__file__).parents[1]}"),
    ]
    for extra, modules in EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        says = f"pip install 'vivavoce[{extra}]' for {', '.join(missing)}" if missing else "installed"
        checks.append(DoctorCheck(f"extra {extra}", ABSENT if missing else WORKS, says))
    for engine in ENGINES:
        program = shutil.which(engine) or shutil.which(engine, path="/usr/games")
        checks.append(DoctorCheck(f"engine {engine}", ABSENT if program is None else WORKS, program or "not found"))
    free = shutil.disk_usage(".").free
    checks.append(
        DoctorCheck("free disk", WORKS if free >= LEAST_FREE else FAILS, f"{free / 1e9:.1f} GB in the current folder")
    )
    return checks


def _settings() -> list[DoctorCheck]:
    """The names of keys that are set, and the settings of viva.toml."""
    from vivavoce.candidates.chat.options import KEY_VARIABLES

    names = dict.fromkeys((*KEY_VARIABLES, *(provider.key for provider in PROVIDERS)))
    keys = [name for name in names if os.environ.get(name)]
    checks = [DoctorCheck("keys", WORKS if keys else ABSENT, ", ".join(keys) or f"none of {', '.join(names)} is set")]
    try:
        settings = read_settings()
    except VivavoceError as error:
        return [*checks, DoctorCheck("settings", FAILS, str(error))]
    words = ", ".join(map(shown_setting, settings.values, settings.values.values()))
    says = f"{settings.source}: {words or 'nothing set'}" if settings.source else "no viva.toml: the defaults apply"
    return [*checks, DoctorCheck("settings", WORKS if settings.source else ABSENT, says)]


async def _asked(name: str) -> list[DoctorCheck]:
    """Check whether the model's server answers, which models it has, and whether a reply can be parsed."""
    from vivavoce.candidates import close_candidate, open_candidate
    from vivavoce.candidates.chat.candidate import Chat

    try:
        candidate: Any = open_candidate(name)
    except VivavoceError as error:
        return [DoctorCheck("model", FAILS, str(error))]
    try:
        server = [await _server(candidate)] if isinstance(candidate, Chat) else []
        return [*server, await _reply(candidate)]
    finally:
        await close_candidate(candidate)


async def _server(candidate: Chat) -> DoctorCheck:
    """Check whether the server answers, and get the names of its models."""
    from yarl import URL

    try:
        response = await candidate.http.send("GET", URL(candidate.address + "/models"), longest=1 << 22)
        entries = json.loads(response.body)["data"] if response.status < 300 else None
        names = None if entries is None else [str(entry["id"]) for entry in entries]
    except VivavoceError as error:
        return DoctorCheck("server", FAILS, f"{candidate.address}: {error}")
    except (ValueError, KeyError, TypeError):
        names = None
    if names is None:
        return DoctorCheck("server", WORKS, f"{candidate.address} answers with status {response.status}; it lists no models")
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return DoctorCheck("server", WORKS, f"{candidate.address} has {', '.join(names[:SHOWN])}{more}")


async def _reply(candidate: Any) -> DoctorCheck:
    """Check whether the reply to one sum can be parsed."""
    from vivavoce.certificate.graders.rule_grading import try_out
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes import open_scope

    interview = Interview(candidate, answers=Reply)
    try:
        answers = [answer async for answer in try_out(interview, open_scope("arithmetic"), questions=1)]
    except VivavoceError as error:
        return DoctorCheck("reply", FAILS, str(error))
    if not answers or not answers[0].read_as:
        reply = answers[0].answer[:200] if answers else "none"
        return DoctorCheck("reply", FAILS, f"{candidate.name} gave no answer that can be parsed: {reply}")
    return DoctorCheck("reply", WORKS, f"{candidate.name} answers {answers[0].question} with {answers[0].read_as}")


QUESTIONS: Final = "questions.csv"
WORKFLOW: Final = ".github/workflows/viva.yml"
MODEL: Final = "bot:calculator"
PASSING_GRADE: Final = 0.7
UNKNOWN_ADDRESS: Final = "git+https://FILL-IN"
NEEDED_EXTRAS: Final = {
    "inspect": "models",
    "uci": "chess",
    ".xlsx": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".parquet": "parquet",
}
"""The extra that a kind of model or of file needs."""
LOCAL: Final = ("localhost", "127.0.0.1", "::1")
SUMS: Final = tuple((10 + 7 * n % 83, 3 + 11 * n % 89, "+-*"[n % 3]) for n in range(1, 31))
"""Operands and operations of the example questions."""

SETTINGS_TEMPLATE: Final = """\
# Defaults of 'viva try', 'certify', 'compare', 'gate', 'report' and 'consistency teach'; the command line overrides them.
model = {model}
scope = {scope}
passing_grade = {grade:g}
# budget = 5.0                     # stop after spending this much
# transcript = "viva.sqlite"       # keep every answer, to resume and to recheck
# judge = "chat:MODEL@URL"         # grade answers by a rubric

# [models]                         # short names for the command line
# big = "chat:MODEL@URL"
"""
WORKFLOW_TEMPLATE: Final = """\
# Test the model of viva.toml; the job fails unless it passes.
name: viva
on: [push, pull_request]
permissions:
  contents: read
jobs:
  certify:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1
        with:
          persist-credentials: false
      - uses: actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0
        with:
          python-version: "3.11"
{mark}\
      - run: {install}
      - run: viva certify --html viva.html --junit viva.xml
{environment}\
      - uses: actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f # v7.0.0
        if: always()
        with:
          name: viva
          path: viva.*
"""


@dataclass(frozen=True, slots=True)
class ProjectAnswers:
    """The answers to the questions of `viva init`."""

    model: str = MODEL
    questions: str = QUESTIONS
    passing_grade: float = PASSING_GRADE


@command("init", epilog=exit_codes("0 the files are written", "2 bad input, or a file exists already"))
@click.option("--yes", is_flag=True, help="Ask nothing, and take the defaults.")
@click.option(
    "--install",
    metavar="REQUIREMENT",
    help="Install this in CI: git+https://..., or what pip takes. [default: as here]",
)
@options.JSON
def init(yes: bool, install: str | None) -> None:
    """Write viva.toml, questions.csv and a CI workflow into the current folder; existing files are refused.

    \b
    viva init
    viva init --yes
    viva init --yes --install git+https://github.com/OWNER/vivavoce@COMMIT

    Asks for the model, the file of questions and the passing grade. After it, 'viva certify' needs no options.
    """
    requirement = install or installed_from()
    answers = ProjectAnswers() if yes else _ask_for_answers()
    if requirement is None and not yes:
        requirement = (
            click.prompt("Where CI installs Vivavoce from (git+https://...; empty: later)", default="", err=True) or None
        )
    files = project_files(answers, requirement)
    if existing := [name for name in files if Path(name).exists()]:
        raise BadInput(f"{', '.join(existing)}: exists already; remove it, or run 'viva init' in another folder")
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    words = f"Written: {', '.join(files)}.\nNext: viva try, then viva certify"
    say({"written": list(files), "install": requirement}, words)
    if requirement is None:
        line = 1 + files[WORKFLOW].partition(UNKNOWN_ADDRESS)[0].count("\n")
        click.echo(f"viva: fill in line {line} of {WORKFLOW}: the address that CI installs Vivavoce from is unknown", err=True)
    if (host := _host(answers.model)) in LOCAL:
        click.echo(f"viva: CI has no server at {host}: start one in {WORKFLOW}, or name another model in {FILE}", err=True)


def _ask_for_answers() -> ProjectAnswers:
    model = click.prompt("Model to test", default=MODEL, value_proc=_known_model, err=True)
    questions = click.prompt("File of questions", default=QUESTIONS, err=True)
    grade = click.prompt("Passing grade", default=PASSING_GRADE, value_proc=options.share, err=True)
    return ProjectAnswers(model, questions, grade)


def _known_model(name: str) -> str:
    from vivavoce.candidates.names import kind_of

    try:
        kind_of(_in_full(name))
    except BadInput as error:
        raise click.UsageError(str(error)) from None
    return name


def _in_full(model: str) -> str:
    """The candidate's full name, whether or not the key of its provider is set here."""
    return candidate_name(model, {provider.key: "set in CI" for provider in PROVIDERS})


def project_files(answers: ProjectAnswers, requirement: str | None) -> dict[str, str]:
    """The texts to write, by file; an existing file of questions is used as it is.

    requirement: what CI installs, or None for a line to fill in.
    """
    model, scope = json.dumps(answers.model, ensure_ascii=False), json.dumps(f"file:{answers.questions}", ensure_ascii=False)
    files = {FILE: SETTINGS_TEMPLATE.format(model=model, scope=scope, grade=answers.passing_grade)}
    if answers.questions == QUESTIONS or not Path(answers.questions).is_file():
        files[answers.questions] = _questions()
    mark = "" if requirement else "      # FILL IN where Vivavoce is: git+https://SERVER/OWNER/vivavoce@COMMIT\n"
    install = json.dumps(_install(answers, requirement or UNKNOWN_ADDRESS))
    files[WORKFLOW] = WORKFLOW_TEMPLATE.format(mark=mark, install=install, environment=_environment(answers.model))
    return files


def _install(answers: ProjectAnswers, requirement: str) -> str:
    """The command that installs Vivavoce, with the extras and packages that the model and the file of questions need."""
    kind = _in_full(answers.model).partition(":")[0]
    extras = sorted({NEEDED_EXTRAS[key] for key in (kind, Path(answers.questions).suffix) if key in NEEDED_EXTRAS})
    if "://" in requirement and " @ " not in requirement:
        package = f"vivavoce[{','.join(extras)}]" if extras else "vivavoce"
        requirement = f"{package} @ {requirement}"
    others = " -r requirements.txt" if kind == "function" and Path("requirements.txt").is_file() else ""
    return f"pip install {shlex.quote(requirement)}{others}"


def _questions() -> str:
    """Sums that `bot:calculator` answers, as an example of the columns."""
    results = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
    rows = (f"What is {a} {sign} {b}?,{results[sign](a, b)}" for a, b, sign in SUMS)
    return "question,answer\n" + "".join(f"{row}\n" for row in rows)


def _environment(model: str) -> str:
    """The secret that the step needs: the key of a model behind a server elsewhere."""
    if _host(model) in (None, *LOCAL):
        return ""
    named = parse_qs(_in_full(model).partition("?")[2]).get("key", ["OPENAI_API_KEY"])
    return f"        env:\n          {named[0]}: ${{{{ secrets.{named[0]} }}}}\n"


def _host(model: str) -> str | None:
    """The host of a model's server; None without a server."""
    full = _in_full(model)
    return urlsplit(full.rpartition("@")[2]).hostname if full.startswith("chat:") else None


def installed_from() -> str | None:
    """The address that this installation came from: its commit, or the repository in its metadata."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        package = distribution("vivavoce")
    except PackageNotFoundError:
        return None
    source = json.loads(package.read_text("direct_url.json") or "{}")
    if vcs := source.get("vcs_info"):
        return f"{vcs['vcs']}+{source['url']}@{vcs['commit_id']}"
    urls = (text.partition(", ") for text in package.metadata.get_all("Project-URL") or ())
    repository = next((url for label, _, url in urls if label.lower() in ("repository", "source")), None)
    return None if repository is None else f"git+{repository}"
