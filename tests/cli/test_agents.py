"""An agent whose model a server plays, by the documentation's own files: what the server did wrong is what the finding says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest
from inspect_ai.log import list_eval_logs, read_eval_log

from tests.documents.reading import ROOT, steps

pytestmark = pytest.mark.long  # importing Inspect takes seconds

PAGE = ROOT / "docs" / "agents.md"
HASTY = "inspect:openai-api/local/hasty"
WRONG = 'WRONG = {"careful": 0.0, "hasty": 0.2}'
RATE = 0.1


def planted(ticket: str, times: int) -> int:
    """How often the server takes a wrong number, of so many times that it closes this ticket; by its own rule, said again."""
    lucks = (int(sha256(f"hasty {ticket} {time}".encode()).hexdigest()[:4], 16) / 16**4 for time in range(1, times + 1))
    return sum(luck < RATE for luck in lucks)


def test_the_planted_faults_are_those_of_the_finding(tmp_path: Path) -> None:
    for step in steps(PAGE):
        if step.command.startswith("cat > ") and step.command.splitlines()[0].split()[2].endswith(".py"):
            subprocess.run(["bash", "-c", step.command], cwd=tmp_path, check=True)
    server = tmp_path / "with_models.py"
    assert WRONG in server.read_text()
    server.write_text(server.read_text().replace(WRONG, WRONG.replace("0.2", str(RATE))))
    viva = [sys.executable, "-m", "vivavoce", "certify", HASTY, "--scope", "inspect-task:tickets.py@closing"]
    asked = [
        "--set",
        "trust-local",
        "--draws",
        "4",
        "--seed",
        "0",
        "--concurrency",
        "2",
        "--set",
        "log-dir=logs",
        "--html",
        "page.html",
        "--json",
    ]
    done = subprocess.run(
        [
            sys.executable,
            "with_models.py",
            *viva,
            *asked,
            "--set",
            "procedure=fixed",
            "--questions",
            "12",
            "--unacceptable-limit",
            "none",
        ],
        cwd=tmp_path,
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 3, 4), done.stderr
    document = json.loads(done.stdout)
    [log] = list_eval_logs(str(tmp_path / "logs"))
    samples = read_eval_log(log).samples or []
    times = Counter(str(sample.id) for sample in samples)
    assert len(samples) == 48  # all were drawn beforehand, so that none is left under way
    faults = sum(planted(ticket, number) for ticket, number in times.items())
    assert faults >= 3
    agent = document["figures"]["agent"]
    by_tool = {tool["tool"]: (tool["calls"], tool["failed_calls"]) for tool in agent["tools"]}
    assert by_tool == {"tickets": (48, 0), "close": (48, faults)}
    close = next(tool for tool in agent["tools"] if tool["tool"] == "close")
    assert close["failed_share"]["lower"] < RATE < close["failed_share"]["upper"]
    # a ticket whose call failed is not closed, whatever the model says: the scorer looks
    assert document["figures"]["score"]["mean"] == pytest.approx(1 - faults / 48)
    assert "there is no open ticket" in (tmp_path / "page.html").read_text()
