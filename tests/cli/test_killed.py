"""`viva certify` against a real server, killed at 20 random moments: the certificate is that of an uninterrupted run."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.serving import process_of

KILLS, AT_ONCE = 20, 4


def command(server: str, transcript: Path) -> list[str]:
    options = [
        "--scope",
        "arithmetic",
        "--ridiculous-limit",
        "0.01",
        "--seed",
        "3",
        "--concurrency",
        str(AT_ONCE),
        "--json",
        "--quiet",
    ]
    return [
        sys.executable,
        "-m",
        "vivavoce",
        "certify",
        "--seed",
        "0",
        f"chat:calculator@{server}/v1",
        *options,
        "--transcript",
        str(transcript),
    ]


def asked(server: str) -> int:
    with urllib.request.urlopen(f"{server}/seen", timeout=10) as response:
        return int(json.load(response).get("calculator", 0))


def certificate(server: str, transcript: Path) -> dict[str, object]:
    done = subprocess.run(command(server, transcript), capture_output=True, text=True, timeout=120, check=True)
    found: dict[str, object] = json.loads(done.stdout)
    found.pop("transcript_head")  # holds the times of the answers
    caveats = found["caveats"]
    assert isinstance(caveats, list)
    found["caveats"] = [caveat for caveat in caveats if "put to chat:calculator" not in caveat]
    found["asked again"] = len(caveats) - len(found["caveats"])  # type: ignore[arg-type]
    return found


@pytest.mark.slow
def test_killed_and_restarted(tmp_path: Path) -> None:
    with process_of("tests.candidates.server", "--latency", "0.05") as server:
        whole = certificate(server, tmp_path / "whole.sqlite")
        asked_by_whole = asked(server)

        killed, rng = tmp_path / "killed.sqlite", random.Random(7)
        for _ in range(KILLS):
            with subprocess.Popen(command(server, killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(rng.uniform(0.5, 1.5))
                except subprocess.TimeoutExpired:
                    process.kill()
        resumed = certificate(server, killed)
        assert whole.pop("asked again") == 0
        assert resumed.pop("asked again") in (0, 1)  # in a sentence of its own, unless each was killed before it asked anything
        assert resumed == whole
        # at each kill at most what was in flight was lost, and the last run may have had as much ahead of the verdict
        assert asked(server) - asked_by_whole <= asked_by_whole + (KILLS + 1) * AT_ONCE
        verified = subprocess.run(
            [sys.executable, "-m", "vivavoce", "transcript", "verify", str(killed)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert verified.returncode == 0, verified.stderr


@pytest.mark.slow
def test_a_comparison_of_four_that_is_killed_finds_the_same_table(tmp_path: Path) -> None:
    def command(server: str, transcript: Path) -> list[str]:
        models = (("calculator", ""), ("calculator", "?temperature=0.5"), ("echo", ""))
        names = [f"chat:{model}@{server}/v1{options}" for model, options in models]
        limits = ["--margin", "0", "--questions", "40", "--seed", "0", "--concurrency", str(AT_ONCE)]
        own = ["--scope", "arithmetic", "--transcript", str(transcript), "--json", "--quiet"]
        return [sys.executable, "-m", "vivavoce", "compare", *names, "bot:calculator?wrong=0.6", *limits, *own]

    def compared(server: str, transcript: Path) -> dict[str, object]:
        done = subprocess.run(command(server, transcript), capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode in (0, 4), done.stderr
        found: dict[str, object] = json.loads(done.stdout)
        return {name: found[name] for name in ("candidates", "pairs", "tiers", "questions", "statement")}

    with process_of("tests.candidates.server", "--latency", "0.05") as server:
        whole, killed, rng = compared(server, tmp_path / "whole.sqlite"), tmp_path / "killed.sqlite", random.Random(7)
        for _ in range(6):
            with subprocess.Popen(command(server, killed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                try:
                    process.wait(1 + rng.random())
                except subprocess.TimeoutExpired:
                    process.kill()
        assert compared(server, killed) == whole
