"""The commands of the documentation do what the documentation says.

Those of ```console blocks must end with exit code 0 (one that is meant to end otherwise shows it: `; echo $?`) and print what
stands below them. The scripts of ```sh and ```python blocks must run, with what `here.py` puts in place of servers and large
files.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents.here import BY_HAND, EVERYWHERE, NETWORKS, PAGES, STUDIES
from tests.documents.reading import DOCUMENTS, ROOT, commands, name, steps
from tests.documents.running import PROGRAMS, check, free_port

CODED = {
    "README.md", "certificate.md", "compare.md", "draws.md", "scopes.md", "candidates.md", "transcript.md", "chess.md",
    "games.md", "forecasts.md", "making-tuples.md", "bail.md", "cases.md", "relations.md", "eqt.md", "luna.md",
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
