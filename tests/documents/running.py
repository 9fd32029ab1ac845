"""Runs what the documentation tells readers to type."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from tests.candidates.engines import missing
from tests.documents.here import BY_HAND, ENDLESS, EVERYWHERE, NETWORKS, PAGES, STUDIES, Here
from tests.documents.reading import DocumentStep, commands, name, plain

PROLOGUE = """\
set -euo pipefail
export VIVA_WEB_BASE_URL=http://127.0.0.1:$PORT LOCAL_BASE_URL=$SERVER/v1 LOCAL_API_KEY=none
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
await-site() { timeout 30 bash -c 'until (exec 3<>/dev/tcp/127.0.0.1/$PORT) 2>/dev/null; do sleep 0.1; done'; sleep 2; }
"""
EPILOGUE = 'for job in $(jobs -p); do kill -0 "$job"; done\n'
"""What was left running still does."""
PROGRAMS = Path(sys.executable).parent
_PORTS = count(20_000)
LACKING = "need stockfish (apt-get install stockfish) or $VIVA_DATA"


def script(step: DocumentStep, here: Here, leave: Sequence[str] = (), **given: str) -> str:
    """The step as it is run here, with what is `given` in place of `$SERVER` and the like.

    What is done by hand is left out, and commands that begin as one of `leave`.
    """
    text = _script(step, here, (*BY_HAND, *leave))
    for variable, value in given.items():
        text = text.replace(f"${variable}", value)
    return text


def _script(step: DocumentStep, here: Here, leave: Sequence[str]) -> str:
    before = "".join(commands for key, commands in here.before.items() if key in step.command)
    if step.kind == "python":
        block = _replaced(step.command, here.instead)
        return f"{PROLOGUE}{before}cat > block.py <<'END OF FILE'\n{block}END OF FILE\npython block.py\n{EPILOGUE}"
    typed = [_here(command, here) for command in commands(step.command) if not command.startswith(tuple(leave))]
    return PROLOGUE + before + "".join(f"{text}\n" for text in typed) + EPILOGUE


def _here(command: str, here: Here) -> str:
    typed = _replaced(command, {**here.instead, **EVERYWHERE})
    return f"{typed.removesuffix(' &')} &\nawait-site" if typed.startswith(ENDLESS) else typed


def _replaced(text: str, instead: Mapping[str, str]) -> str:
    for key, here in instead.items():
        text = text.replace(key, here)
    return text


def run(command: str, folder: Path, *, time_out: float = 600, programs: Path = PROGRAMS) -> subprocess.CompletedProcess[str]:
    """What the shell makes of it, with these programs before all others; it must end well."""
    path = os.pathsep.join([str(programs), str(PROGRAMS), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "COLUMNS": "120"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=time_out
    )
    assert done.returncode == 0, f"$ {command}\n{done.stdout[-2000:]}\n{done.stderr}"
    return done


def unable(script: str) -> bool:
    """Whether it needs an engine or data that are not here."""
    return ("uci:stockfish" in script and missing("stockfish")) or ("VIVA_DATA" in script and "VIVA_DATA" not in os.environ)


def check(document: Path, folder: Path, program: list[DocumentStep], *, programs: Path = PROGRAMS, **given: str) -> None:
    """Each step ends well and prints what it is said to, in one folder."""
    here, left_out = PAGES.get(name(document), Here()), 0
    for step in program:
        text = step.command if step.kind == "console" else script(step, here, (*STUDIES, *NETWORKS), **given)
        if unable(text):
            left_out += 1
            continue
        done = run(text, folder, programs=programs)
        rest = [plain(line) for line in (done.stdout + done.stderr).splitlines()]
        for line in step.prints:
            assert line in rest, f"$ {step.command}\ndoes not print (here): {line}\nbut:\n{done.stdout}{done.stderr}"
            rest = rest[rest.index(line) + 1 :]
    if left_out:
        pytest.skip(f"{left_out} of {len(program)} steps {LACKING}")


def free_port() -> str:
    """One that nobody listens on, below those that the system gives to who asks for any, and for this process's tests alone."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    for port in _PORTS:
        with suppress(OSError), socket.socket() as listening:
            listening.bind(("127.0.0.1", port + 500 * worker))
            return str(port + 500 * worker)
    raise AssertionError("no port is free")
