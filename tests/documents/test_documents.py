"""The commands of the documentation do what the documentation says.

Those of ```console blocks must end with exit code 0 (one that is meant to end otherwise shows it: `; echo $?`) and print what
stands below them. The scripts of ```sh and ```python blocks must run, with what `here.py` puts in place of servers and large
files.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.documents.here import BY_HAND, EVERYWHERE, NETWORKS, PAGES, STUDIES
from tests.documents.reading import DOCUMENTS, ROOT, commands, mentioned, name, steps
from tests.documents.running import LACKING, PROGRAMS, check, free_port, run, unable
from vivavoce.cli.viva import viva

CODED = {
    "README.md", "certificate.md", "compare.md", "draws.md", "scopes.md", "candidates.md", "transcript.md", "chess.md",
    "games.md", "forecasts.md", "making-tuples.md", "bail.md", "cases.md", "relations.md", "eqt.md", "documents.md", "luna.md",
    "luna-machines.md", "generalization.md", "belief-change.md", "surveys.md", "luna-ratings.md", "luna-prediction.md",
    "graders.md", "gate.md", "history.md", "examine.md", "inspect.md", "howto/own-questions.md", "howto/own-model.md",
    "howto/own-scope.md", "howto/own-law.md", "howto/own-engine.md", "howto/own-survey.md", "howto/many-machines.md",
    "start.md", "appendix/certificate.md", "appendix/strata.md", "appendix/many-scopes.md", "appendix/explanations.md",
    "appendix/deployed.md", "appendix/forecasts.md", "appendix/belief-change.md", "appendix/chess.md", "people.md",
    "variations.md", "agents.md", "ways-to-ask.md", "conversations.md", "howto/from-other-tools.md", "batch.md",
    "question-files.md", "recheck.md", "local-models.md", "appendix/attempts-and-answers.md", "appendix/draws.md",
    "appendix/laws.md", "appendix/question-files.md", "appendix/json.md",
}  # fmt: skip
"""Those that must have commands: if none is found in them, this test has lost its way."""

FIRST = [
    document
    for document in DOCUMENTS
    if name(document)
    in {
        "README.md", "start.md", "certificate.md", "examine.md", "scopes.md", "question-files.md", "candidates.md",
        "transcript.md", "recheck.md", "appendix/attempts-and-answers.md", "appendix/draws.md", "appendix/laws.md",
        "appendix/question-files.md", "appendix/json.md",
        "appendix/certificate.md", "appendix/strata.md", "appendix/many-scopes.md", "appendix/explanations.md",
        "appendix/deployed.md",
    }
]  # fmt: skip
"""What a new user reads; their commands are among the long tests, their scripts and all other pages among the slow ones."""
FROM_THE_BEGINNING = {"start.md"}
"""Those of them whose commands the slow tests run as well, as processes of their own, not copies of one that has begun."""
OTHERS = [
    document for document in DOCUMENTS if document not in FIRST or any(step.kind != "console" for step in steps(document))
]


@pytest.mark.long
@pytest.mark.parametrize("document", FIRST, ids=name)
def test_first_commands_print_what_the_document_says(document: Path, tmp_path: Path, viva_begun: Path) -> None:
    check(document, tmp_path, [step for step in steps(document) if step.kind == "console"], programs=viva_begun)


@pytest.mark.slow
@pytest.mark.parametrize("document", OTHERS, ids=name)
def test_commands_and_scripts_do_what_the_document_says(
    document: Path, tmp_path: Path, model_server: str, request: pytest.FixtureRequest
) -> None:
    program = steps(document)
    assert program or name(document) not in CODED
    if document in FIRST and name(document) not in FROM_THE_BEGINNING:
        program = [step for step in program if step.kind != "console"]
    given = {"SERVER": model_server, "PORT": free_port()}
    if any("postgresql://" in step.command for step in program):
        given["DATABASE"] = shlex.quote(request.getfixturevalue("postgres_address"))
    check(document, tmp_path, program, programs=PROGRAMS, **given)


@pytest.fixture(scope="session")
def model_server() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.documents.mind"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)


def test_what_is_put_in_place_of_something_still_has_something_to_replace() -> None:
    scripts = {name(document): [step.command for step in steps(document) if step.kind != "console"] for document in DOCUMENTS}
    typed = {page: "\n".join("\n".join([text, *commands(text)]) for text in texts) for page, texts in scripts.items()}
    for page, here in PAGES.items():
        assert [words for words in (*here.before, *here.instead) if words not in typed[page]] == [], page
    everything = "\n".join(typed.values())
    assert [words for words in EVERYWHERE if words not in everything] == []
    assert [word for word in (*BY_HAND, *STUDIES, *NETWORKS) if f"\n{word}" not in f"\n{everything}"] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_to_files_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_every_cited_key_is_in_the_bibliography() -> None:
    bibliography = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
    known = set(re.findall(r"^@\w+\{(\w+),", bibliography, flags=re.MULTILINE))
    sources = [*DOCUMENTS, *(ROOT / "src").rglob("*.py")]
    cited = {key for file in sources for key in re.findall(r"`([a-z]+[12]\d{3}[a-z]*)`", file.read_text(encoding="utf-8"))}
    assert cited
    assert cited <= known, sorted(cited - known)


MENTIONED = [(name(document), command) for document in DOCUMENTS for command in mentioned(document)]
SELDOM = [
    (name(document), command)
    for document in DOCUMENTS
    for step in steps(document)
    for command in commands(step.command)
    if command.startswith((*STUDIES, *NETWORKS))
]


def problem_of(typed: str) -> str:
    """What is wrong with a command of `viva`, of which words in capitals and dots stand for others."""
    command: click.Command = viva
    words = typed.split()[1:]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        subcommand = command.get_command(click.Context(command), words[0])
        words = words[1:]
        if subcommand is None:
            return f"there is no such command: {typed}"
        command = subcommand
    known = {name for option in command.get_params(click.Context(command)) for name in (*option.opts, *option.secondary_opts)}
    unknown = [word for word in words if word.strip("[]").startswith("--") and word.strip("[]").partition("=")[0] not in known]
    return f"there is no such option: {unknown[0]}" if unknown else ""


@pytest.mark.parametrize(("page", "typed"), sorted({pair for pair in MENTIONED + SELDOM if pair[1].startswith("viva ")}))
def test_commands_of_viva_exist_with_their_options(page: str, typed: str) -> None:
    assert problem_of(typed) == ""


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("viva certify ... --judge", ""),
        ("viva --help", ""),
        ("viva compare MODEL [--margin X]", ""),
        ("viva luna serve --worker N", "there is no such option: --worker"),
        ("viva luna prophesy", "there is no such command: viva luna prophesy"),
    ],
)
def test_a_command_that_does_not_exist_is_found_out(typed: str, problem: str) -> None:
    assert problem_of(typed) == problem


@pytest.mark.parametrize(("page", "typed"), sorted({pair for pair in MENTIONED + SELDOM if pair[1].startswith("python ")}))
def test_programs_exist(page: str, typed: str) -> None:
    program = typed.removeprefix("python ").split()
    if program[:2] == ["-m", "pytest"]:
        program = program[2:]
    file = ROOT / (f"{program[1].replace('.', '/')}.py" if program[0] == "-m" else program[0])
    assert file.is_file(), typed


def test_the_architecture_names_each_package_and_files_that_exist() -> None:
    source = ROOT / "src" / "vivavoce"
    named = set(re.findall(r"`([\w/.]+)`", (ROOT / "ARCHITECTURE.md").read_text()))
    assert {folder.name for folder in source.iterdir() if (folder / "__init__.py").exists()} <= named
    files = {name for name in named if name.endswith(".py") or "/" in name} - {"src/vivavoce"}
    assert files
    assert [name for name in files if not (source / name).exists()] == []


TYPED = [
    command
    for document in DOCUMENTS
    for command in [*mentioned(document), *(line for step in steps(document) for line in commands(step.command))]
    if command.startswith(STUDIES)
]
TIME_OUT = 3_600


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("command", sorted(set(TYPED)))
def test_long_commands_end_well_and_say_something(command: str, tmp_path: Path) -> None:
    if unable(command):
        pytest.skip(f"it {LACKING}".replace("need", "needs"))
    assert run(command, ROOT if command.startswith("python ") else tmp_path, time_out=TIME_OUT).stdout.strip()


STILTED = re.compile(
    r"\b(?:whoever|wherever|somebody|nobody's|likewise|hence|thus|lest|heeds?|anew|beside|begun|nor|in vain|for want of|by lot"
    r"|by and by|to and fro|at one go|in the midst|told (?:apart|from)|in place of|instead thereof|thereby|therein|whereby"
    r"|whilst|of today|mend(?:ed|s|ing)?|the own|one looks|as one does|none that|is that of|of which there"
    r"|comes? of (?:it|this|that)|stands? (?:in|on|at|by itself|behind|with)"
    r"|what (?:is|was|are|were) (?:asked|answered|drawn|said|told|found|kept))\b",
    re.IGNORECASE,
)
IN_TEN_THOUSAND = 3
REPLIES = ("interview/forms", "scripted_players", "game_texts", "prompts.py", "recipes.py")
"""What holds the words of candidates, players and prompts, rather than the program's own."""


def _of_python(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    yield from (line for line in text.splitlines() if line.lstrip().startswith("#"))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"\w \w", node.value):
            yield "" if re.search(r"\(\?|\\[bswd]", node.value) else node.value


def _of_markdown(path: Path) -> Iterator[str]:
    yield re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def _share(texts: Iterator[str]) -> tuple[float, list[str]]:
    """Stilted words per ten thousand, and the first of them with their surroundings."""
    words, places = 0, []
    for text in texts:
        words += len(re.findall(r"[A-Za-z']+", text))
        places += [" ".join(text[max(0, match.start() - 40) : match.end() + 40].split()) for match in STILTED.finditer(text)]
    return 1e4 * len(places) / max(words, 1), places


@pytest.mark.long
@pytest.mark.parametrize("part", ["README.md", "docs", "src"])
def test_text_is_in_plain_words(part: str) -> None:
    if part == "src":
        paths = [path for path in sorted((ROOT / "src").rglob("*.py")) if not any(each in path.as_posix() for each in REPLIES)]
        share, places = _share(text for path in paths for text in _of_python(path))
    else:
        paths = [ROOT / part] if part.endswith(".md") else sorted((ROOT / part).rglob("*.md"))
        share, places = _share(text for path in paths for text in _of_markdown(path))
    assert len(paths) >= 1
    assert share <= IN_TEN_THOUSAND, "\n".join(places)


def test_stilted_words_are_seen() -> None:
    share, places = _share(iter(["Whoever asks is told apart by lot.", "You choose the questions."]))
    assert (round(share), places) == (round(1e4 * 3 / 11), places)
    assert len(places) == 3


MOST_COMMANDS = 5
INSTALL = "pip install ."
GUIDE = "docs/howto/own-questions.md"


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of this repository; a copy of its folder where there is no repository."""
    folder = tmp_path_factory.mktemp("clone") / "vivavoce"
    if (ROOT / ".git").exists():
        subprocess.run(["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), folder], check=True, timeout=60)
    else:
        for name in ("src", "docs"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy(ROOT / "README.md", folder)
    return folder


@pytest.mark.long
def test_from_the_clone_to_the_page_it_takes_few_commands(clone: Path, tmp_path: Path) -> None:
    readme = (clone / "README.md").read_text(encoding="utf-8")
    assert f"`{INSTALL}` in this folder" in readme
    assert f"]({GUIDE})" in readme
    program = steps(clone / GUIDE)
    last = next(number for number, step in enumerate(program) if any("report.html" in line for line in step.prints))
    typed = ["git clone", INSTALL]
    for step in program[: last + 1]:
        run(f"export PYTHONPATH={clone / 'src'}\n{step.command}", tmp_path)
        if not step.command.startswith("cat > "):  # a file that the reader saves
            typed.append(step.command)
    assert len(typed) <= MOST_COMMANDS, typed
    page = (tmp_path / "support" / "report.html").read_text(encoding="utf-8")
    assert "file:support.csv" in page
    assert "100% correct" in page
