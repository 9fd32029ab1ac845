"""`viva init`: start a project with settings, questions and a CI workflow."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, urlsplit

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import PROVIDERS, candidate_name
from vivavoce.cli.output import say
from vivavoce.cli.settings_file import FILE
from vivavoce.errors import BadInput

QUESTIONS: Final = "questions.csv"
WORKFLOW: Final = ".github/workflows/viva.yml"
MODEL: Final = "bot:calculator"
PASSING_GRADE: Final = 0.7
UNKNOWN_ADDRESS: Final = "git+https://FILL-IN"
EXTRAS: Final = {"inspect": "models", "uci": "chess", ".xlsx": "excel", ".xls": "excel", ".ods": "excel", ".parquet": "parquet"}
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
    answers = ProjectAnswers() if yes else _asked()
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
    if (host := _server(answers.model)) in LOCAL:
        click.echo(f"viva: CI has no server at {host}: start one in {WORKFLOW}, or name another model in {FILE}", err=True)


def _asked() -> ProjectAnswers:
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
    extras = sorted({EXTRAS[key] for key in (kind, Path(answers.questions).suffix) if key in EXTRAS})
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
    if _server(model) in (None, *LOCAL):
        return ""
    named = parse_qs(_in_full(model).partition("?")[2]).get("key", ["OPENAI_API_KEY"])
    return f"        env:\n          {named[0]}: ${{{{ secrets.{named[0]} }}}}\n"


def _server(model: str) -> str | None:
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
