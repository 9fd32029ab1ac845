"""The commands of the documentation do what the documentation says.

Those of ```console blocks must end with exit code 0 (one that is meant to end otherwise shows it: `; echo $?`) and print what
stands below them. The scripts of ```sh and ```python blocks must run, with what `here.py` puts in place of servers and large
files.
"""

from __future__ import annotations

import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.candidates.engines import missing
from tests.documents.here import BY_HAND, ENDLESS, EVERYWHERE, PAGES, Here
from tests.documents.reading import DOCUMENTS, ROOT, Step, commands, name, plain, steps

CODED = {
    "README.md", "certificate.md", "scopes.md", "candidates.md", "transcript.md", "chess.md",
    "forecasts.md", "making-tuples.md", "bail.md", "cases.md", "relations.md", "eqt.md", "luna.md", "luna-machines.md",
    "generalization.md", "belief-change.md", "surveys.md", "luna-ratings.md", "luna-prediction.md",
    "graders.md", "examine.md", "inspect.md", "howto/own-model.md", "howto/own-scope.md", "howto/own-law.md",
    "howto/own-engine.md", "howto/own-survey.md", "howto/many-machines.md", "start.md",
}  # fmt: skip
"""Those that must have commands: if none is found in them, this test has lost its way."""

DATA = os.environ.get("VIVA_DATA")

FIRST = [
    document
    for document in DOCUMENTS
    if name(document)
    in {"README.md", "start.md", "certificate.md", "examine.md", "scopes.md", "candidates.md", "transcript.md"}
]
"""What whoever is new reads; their commands are among the fast tests, their scripts and all other pages among the slow ones."""
OTHERS = [
    document for document in DOCUMENTS if document not in FIRST or any(step.kind != "console" for step in steps(document))
]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What the shell makes of it; it must end well."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"$ {command}\n{done.stdout[-2000:]}\n{done.stderr}"
    return done


def unable(script: str) -> bool:
    """Whether it needs an engine or data that are not here."""
    return ("uci:stockfish" in script and missing("stockfish")) or ("VIVA_DATA" in script and not DATA)


def check(document: Path, folder: Path, program: list[Step], **given: str) -> None:
    """Each step ends well and prints what it is said to, in one folder."""
    here, left_out = PAGES.get(name(document), Here()), 0
    for step in program:
        text = step.command if step.kind == "console" else script(step, here, **given)
        if unable(text):
            left_out += 1
            continue
        done = run(text, folder)
        rest = [plain(line) for line in (done.stdout + done.stderr).splitlines()]
        for line in step.prints:
            assert line in rest, f"$ {step.command}\ndoes not print (here): {line}\nbut:\n{done.stdout}{done.stderr}"
            rest = rest[rest.index(line) + 1 :]
    if left_out:
        pytest.skip(f"{left_out} of {len(program)} steps need stockfish (apt-get install stockfish) or $VIVA_DATA")


@pytest.mark.parametrize("document", FIRST, ids=name)
def test_first_commands_print_what_the_document_says(document: Path, tmp_path: Path) -> None:
    check(document, tmp_path, [step for step in steps(document) if step.kind == "console"])


@pytest.mark.slow
@pytest.mark.parametrize("document", OTHERS, ids=name)
def test_commands_and_scripts_do_what_the_document_says(
    document: Path, tmp_path: Path, model_server: str, request: pytest.FixtureRequest
) -> None:
    program = steps(document)
    assert program or name(document) not in CODED
    if document in FIRST:
        program = [step for step in program if step.kind != "console"]
    given = {"SERVER": model_server, "PORT": free_port()}
    if any("postgresql://" in step.command for step in program):
        given["DATABASE"] = shlex.quote(request.getfixturevalue("postgres_address"))
    check(document, tmp_path, program, **given)


PROLOGUE = """\
set -euo pipefail
export VIVA_WEB_BASE_URL=http://127.0.0.1:$PORT LOCAL_BASE_URL=$SERVER/v1 LOCAL_API_KEY=none
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
await-site() { timeout 30 bash -c 'until (exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>/dev/null; do sleep 0.1; done'; sleep 2; }
"""
EPILOGUE = 'for job in $(jobs -p); do kill -0 "$job"; done\n'
"""What was left running still does."""


def script(step: Step, here: Here, **given: str) -> str:
    """The step as it is run here, with what is `given` in place of `$SERVER` and the like."""
    text = _script(step, here)
    for variable, value in given.items():
        text = text.replace(f"${variable}", value)
    return text


def _script(step: Step, here: Here) -> str:
    before = "".join(commands for said, commands in here.before.items() if said in step.command)
    if step.kind == "python":
        block = _replaced(step.command, here.instead)
        return f"{PROLOGUE}{before}cat > block.py <<'END OF FILE'\n{block}END OF FILE\npython block.py\n{EPILOGUE}"
    return PROLOGUE + before + "\n".join(_here(command, here) for command in commands(step.command)) + "\n" + EPILOGUE


def _here(command: str, here: Here) -> str:
    typed = re.sub(r"\s+# .*", "", command)
    if typed.startswith(tuple(BY_HAND)):
        return f"{typed} --help >/dev/null" if typed.startswith("viva") else ""
    typed = _replaced(typed, {**here.instead, **EVERYWHERE})
    return f"{typed.removesuffix(' &')} &\nawait-site" if typed.startswith(ENDLESS) else typed


def _replaced(text: str, instead: Mapping[str, str]) -> str:
    for said, here in instead.items():
        text = text.replace(said, here)
    return text


@pytest.fixture(scope="session")
def model_server() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.documents.mind"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)


def free_port() -> str:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])


def test_what_is_put_in_place_of_something_still_has_something_to_replace() -> None:
    scripts = {name(document): [step.command for step in steps(document) if step.kind != "console"] for document in DOCUMENTS}
    typed = {page: "\n".join("\n".join([text, *commands(text)]) for text in texts) for page, texts in scripts.items()}
    for page, here in PAGES.items():
        assert [said for said in (*here.before, *here.instead) if said not in typed[page]] == [], page
    everything = "\n".join(typed.values())
    assert [said for said in EVERYWHERE if said not in everything] == []
    assert [beginning for beginning in BY_HAND if f"\n{beginning}" not in f"\n{everything}"] == []


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
