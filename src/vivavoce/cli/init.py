"""`viva init`: start a project with settings, questions and a CI workflow."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click

from vivavoce.cli import options
from vivavoce.cli.endings import exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.names import candidate_name
from vivavoce.cli.output import say
from vivavoce.cli.settings_file import FILE
from vivavoce.errors import BadInput

QUESTIONS: Final = "questions.csv"
WORKFLOW: Final = ".github/workflows/viva.yml"
MODEL: Final = "bot:calculator"
PASSING_GRADE: Final = 0.7
SUMS: Final = tuple((10 + 7 * n % 83, 3 + 11 * n % 89, "+-*"[n % 3]) for n in range(1, 31))
"""Operands and operations of the example questions."""

SETTINGS_TEMPLATE: Final = """\
# Defaults of 'viva try', 'certify', 'compare', 'gate', 'report' and 'teach'; the command line overrides them.
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
      - run: pip install {requirement}
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
    metavar="ADDRESS",
    help="Install Vivavoce in CI from git+https://... [default: as here]",
)
@options.JSON
def init(yes: bool, install: str | None, as_json: bool) -> None:
    """Write viva.toml, questions.csv and a CI workflow into the current folder; existing files are refused.

    \b
    viva init
    viva init --yes
    viva init --yes --install git+https://github.com/OWNER/vivavoce@COMMIT

    Asks for the model, the file of questions and the passing grade. After it, 'viva certify' needs no options.
    """
    answers = ProjectAnswers() if yes else _asked()
    address = install or installed_from()
    files = project_files(answers, address)
    if existing := [name for name in files if Path(name).exists()]:
        raise BadInput(f"{', '.join(existing)}: exists already; remove it, or run 'viva init' in another folder")
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    words = [f"Written: {', '.join(files)}.", "Next: viva try, then viva certify"]
    if address is None:
        words.append("No CI workflow: where to install Vivavoce from is unknown here. Give --install ADDRESS for it.")
    say({"written": list(files), "install": address}, "\n".join(words), as_json)


def _asked() -> ProjectAnswers:
    model = click.prompt("Model to test", default=MODEL, value_proc=_known_model, err=True)
    questions = click.prompt("File of questions", default=QUESTIONS, err=True)
    grade = click.prompt("Passing grade", default=PASSING_GRADE, value_proc=options.share, err=True)
    return ProjectAnswers(model, questions, grade)


def _known_model(name: str) -> str:
    from vivavoce.candidates.names import kind_of

    try:
        kind_of(candidate_name(name))
    except BadInput as error:
        raise click.UsageError(str(error)) from None
    return name


def project_files(answers: ProjectAnswers, address: str | None) -> dict[str, str]:
    """The texts to write, by file; an existing file of questions is used as it is."""
    model, scope = json.dumps(answers.model, ensure_ascii=False), json.dumps(f"file:{answers.questions}", ensure_ascii=False)
    files = {FILE: SETTINGS_TEMPLATE.format(model=model, scope=scope, grade=answers.passing_grade)}
    if answers.questions == QUESTIONS or not Path(answers.questions).is_file():
        files[answers.questions] = _questions()
    if address is not None:
        requirement = json.dumps(address if "://" not in address else f"vivavoce @ {address}")
        files[WORKFLOW] = WORKFLOW_TEMPLATE.format(requirement=requirement, environment=_environment(answers.model))
    return files


def _questions() -> str:
    """Sums that `bot:calculator` answers, as an example of the columns."""
    results = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}
    rows = (f"What is {a} {sign} {b}?,{results[sign](a, b)}" for a, b, sign in SUMS)
    return "question,answer\n" + "".join(f"{row}\n" for row in rows)


def _environment(model: str) -> str:
    """The secret that the step needs: the key of a model behind a server."""
    full = candidate_name(model) if ":" in model or "-" not in model else model
    if not full.startswith("chat:"):
        return ""
    key = full.partition("?key=")[2].partition("&")[0] or "OPENAI_API_KEY"
    return f"        env:\n          {key}: ${{{{ secrets.{key} }}}}\n"


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
