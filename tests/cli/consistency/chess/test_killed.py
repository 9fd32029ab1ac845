"""`viva consistency chess check` when the run, a worker or an engine is killed, and on a cluster: the same table."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.consistency.chess.engines import random_positions

pytestmark = [
    pytest.mark.engine,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("stockfish", path="/usr/games:/usr/bin") is None, reason="stockfish is not installed"),
]
ENGINE = "uci:stockfish?nodes=5000&hash=1"


@pytest.fixture(scope="module")
def positions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("positions") / "random.fen"
    file.write_text("".join(f"{placed.fen}\n" for placed in random_positions(100)), encoding="utf-8")
    return file


def command(positions: Path, *more: str) -> list[str]:
    fixed = [
        "--check",
        "mirror,recommended,boards",
        "--positions",
        str(positions),
        "--limit",
        "60",
        "--json",
        "--details",
        "--quiet",
    ]
    return [sys.executable, "-m", "vivavoce", "consistency", "chess", "check", ENGINE, *fixed, *more]


def table(text: str) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(text)
    result.pop("transcript_head", None)  # holds the times of the answers
    assert all(row["n"] == 60 for row in result["figures"]["treatments"])
    return result


@pytest.fixture(scope="module")
def whole(positions: Path) -> dict[str, Any]:
    done = subprocess.run(command(positions, "--workers", "2"), capture_output=True, text=True, timeout=300, check=True)
    return table(done.stdout)


def descendants(pid: int) -> dict[int, str]:
    """Processes below this one, with their program's name."""
    parents: dict[int, tuple[int, str]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue  # it has ended meanwhile
        parents[int(stat.parent.name)] = (int(fields.split()[1]), name.split("(", 1)[1])
    result: dict[int, str] = {}
    fresh = {pid}
    while fresh:
        fresh = {child for child, (parent, _) in parents.items() if parent in fresh} - result.keys()
        result |= {child: parents[child][1] for child in fresh}
    return result


def engines(run: int) -> list[int]:
    """Engines of workers; not the one that the run itself asks for its options at the start."""
    below = descendants(run)
    return [pid for worker in workers(run) for pid in descendants(worker) if below.get(pid) == "stockfish"]


def workers(run: int) -> list[int]:
    """Processes that have an engine below them, the nearest ones to it."""
    parents = [
        pid for pid, name in descendants(run).items() if name != "stockfish" and "stockfish" in descendants(pid).values()
    ]
    return [pid for pid in parents if not set(descendants(pid)) & set(parents)]


def test_the_run_is_killed(positions: Path, whole: dict[str, Any], tmp_path: Path) -> None:
    again = command(positions, "--workers", "2", "--transcript", str(tmp_path / "t.sqlite"))
    rng = random.Random(3)
    for _ in range(4):
        with subprocess.Popen(again, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
            time.sleep(rng.uniform(1.5, 3.5))
            left = [pid for pid, name in descendants(run.pid).items() if name == "stockfish"]
            run.kill()
        deadline = time.monotonic() + 20
        for pid in left:  # no engine outlives its run
            while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
                time.sleep(0.05)
            assert not os.path.exists(f"/proc/{pid}")
    done = subprocess.run(again, capture_output=True, text=True, timeout=300, check=True)
    assert table(done.stdout) == whole


@pytest.mark.parametrize("victims", [engines, workers])
def test_an_engine_or_a_worker_is_killed(positions: Path, whole: dict[str, Any], victims: Callable[[int], list[int]]) -> None:
    with subprocess.Popen(
        command(positions, "--workers", "2"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        killed = 0
        deadline = time.monotonic() + 60
        while killed < 2 and run.poll() is None and time.monotonic() < deadline:
            time.sleep(0.5)
            if numbers := victims(run.pid):
                with suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(numbers[0], signal.SIGKILL)
                    killed += 1
        out, err = run.communicate(timeout=300)
    assert killed
    assert run.returncode == 0, err
    assert table(out) == whole


def test_a_cluster_gives_the_same_table(positions: Path, whole: dict[str, Any]) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", host="127.0.0.1"
    ) as cluster:
        done = subprocess.run(
            command(positions, "--cluster", cluster.scheduler_address), capture_output=True, text=True, timeout=300, check=False
        )
    assert done.returncode == 0, done.stderr
    assert table(done.stdout) == whole
