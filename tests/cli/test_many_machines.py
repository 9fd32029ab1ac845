"""The examples for many machines: what they start runs here with the variables that a scheduler sets, four shards in all."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import json
import os
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import urllib.request
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest
import yaml  # type: ignore[import-untyped]

from tests.candidates.engines import GOOD, fake, positions
from tests.cli.conftest import VIVA, Viva
from tests.cli.schema_of_kubernetes import problems
from tests.serving import process_of
from vivavoce.interview.transcript import Transcript

EXAMPLES: Final = Path(__file__).parents[2] / "docs" / "machines"
BOT: Final = "bot:calculator?wrong=0.3"
SBATCH: Final = """#!{python}
# Runs an array as Slurm does: each task a process with its own variables, two at a time.
import os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

options = dict(one[2:].partition("=")[::2] for one in sys.argv[1:-1])
first, last = map(int, options["array"].split("-"))
told = {{"SLURM_ARRAY_TASK_MIN": str(first), "SLURM_ARRAY_TASK_MAX": str(last)}}

def run(number):
    with open(options["output"].replace("%a", str(number)), "w") as log:
        environment = {{**os.environ, **told, "SLURM_ARRAY_TASK_ID": str(number)}}
        return subprocess.run(["bash", sys.argv[-1]], env=environment, stdout=log, stderr=log).returncode

with ThreadPoolExecutor(2) as pool:
    codes = list(pool.map(run, range(first, last + 1)))
sys.exit(max(codes))
"""


def documents(name: str) -> list[Any]:
    """The objects of a manifest."""
    return list(yaml.safe_load_all((EXAMPLES / name).read_text()))


MANIFESTS: Final = sorted(path.name for path in EXAMPLES.glob("*.yaml"))


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_is_as_the_published_schema_says(name: str) -> None:
    pytest.importorskip("lightkube.models")
    found = documents(name)
    assert found
    assert [problem for one in found for problem in problems(one)] == []


def test_the_schema_finds_what_is_wrong() -> None:
    pytest.importorskip("lightkube.models")
    job = documents("kubernetes.yaml")[1]
    wrong = deepcopy(job)
    wrong["spec"]["completionsMode"] = wrong["spec"].pop("completionMode")
    wrong["spec"]["parallelism"] = "16"
    wrong["spec"]["template"]["spec"]["containers"][0]["args"].append(3)
    del wrong["spec"]["template"]["spec"]["containers"][0]["name"]
    assert sorted(problems(wrong)) == [
        "Job.spec has no field 'completionsMode'",
        "Job.spec.parallelism is '16', which is no int",
        "Job.spec.template.spec.containers[0] lacks 'name'",
        "Job.spec.template.spec.containers[0].args[6] is 3, which is no str",
    ]


def test_a_job_has_as_many_pods_as_shards_and_mounts_what_it_names() -> None:
    for name in ("kubernetes.yaml", "kubernetes-merge.yaml"):
        job = documents(name)[-1]
        pod = job["spec"]["template"]["spec"]
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
    job = documents("kubernetes.yaml")[-1]
    assert f"--shard=auto/{job['spec']['completions']}" in job["spec"]["template"]["spec"]["containers"][0]["args"]
    service, deployment = documents("vllm.yaml")
    assert service["spec"]["selector"] == deployment["spec"]["template"]["metadata"]["labels"]


def test_the_pods_of_the_job_ask_and_its_merge_gives_the_verdict(
    viva: Viva, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def here(words: list[str]) -> list[str]:
        """The command of a container, in this folder in place of what is mounted, with few shards and a bot."""
        own = {
            "chat:qwen2.5@http://vllm:8000/v1": BOT,
            "--shard=auto/64": "--shard=auto/4",
            "--questions=640": "--questions=60",
        }
        number = os.environ.get("JOB_COMPLETION_INDEX", "")
        kept = (own.get(word, word).replace("$(JOB_COMPLETION_INDEX)", number) for word in words)
        return [re.sub(r"(?<![\w.])/(shards|prepared)/", rf"{tmp_path}/\1/", word) for word in kept]

    for name in ("prepared", "shards"):
        (tmp_path / name).mkdir()
    examined = ("certify", BOT, "--scope=arithmetic", "--questions=60")
    assert viva(*examined, "--transcript=prepared/run.sqlite", "--prepare").code == 0
    pod = documents("kubernetes.yaml")[-1]["spec"]["template"]["spec"]["containers"][0]
    for index in range(4):
        monkeypatch.setenv("JOB_COMPLETION_INDEX", str(index))
        ended = viva(*here([*pod["command"], *pod["args"]])[1:])
        assert (ended.code, ended.err) == (0, "")
        assert f"Shard {index}/4 of {BOT} on arithmetic: 15 of 15 questions asked." in ended.out
    monkeypatch.delenv("JOB_COMPLETION_INDEX")
    job = documents("kubernetes-merge.yaml")[-1]["spec"]["template"]["spec"]
    [script] = here(job["initContainers"][0]["command"][2:])
    made, _, merge = script.partition(" && ")
    assert made == f"mkdir -p {tmp_path}/shards/merged"
    (tmp_path / "shards" / "merged").mkdir()
    _, *words, pattern = merge.split()
    shards = sorted(str(path) for path in Path(pattern).parent.glob(Path(pattern).name))
    assert viva(*words, *shards).code == 0
    ended = viva(*here([*job["containers"][0]["command"], *job["containers"][0]["args"]])[1:])
    found = json.loads(ended.out)
    assert {0: "understands", 3: "does not understand", 4: "no conclusion"}[ended.code] == found["verdict"]
    assert "60 of 60 prepared questions are on record" in ended.err or found["questions"] == 60


@pytest.mark.long
def test_the_array_asks_merges_and_goes_on(tmp_path: Path, viva_begun: Path) -> None:
    for name in ("examination.sh", "slurm.sh"):
        shutil.copy(EXAMPLES / name, tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "sbatch").write_text(SBATCH.format(python=sys.executable))
    (programs / "sbatch").chmod(0o755)
    told = {"VIVA_CANDIDATE": BOT, "VIVA_SHARDS": "4", "PATH": f"{programs}:{viva_begun}:{os.environ['PATH']}"}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_")} | told

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "slurm.sh"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    first = run()
    logs = sorted((tmp_path / "shards").glob("*.log"))
    assert len(logs) == 4, first.stderr
    assert all("160 of 160 questions asked" in log.read_text() for log in logs)
    assert first.returncode in (0, 3, 4), first.stderr
    assert "640 new records from 4 transcripts in run.sqlite" in first.stdout
    assert (tmp_path / "page.html").exists()
    with Transcript.open(tmp_path / "run.sqlite", must_exist=True) as transcript:
        count = transcript.head.count
    again = run()
    assert again.returncode == first.returncode
    assert "0 new records from 4 transcripts in run.sqlite" in again.stdout
    with Transcript.open(tmp_path / "run.sqlite", must_exist=True) as transcript:
        assert transcript.head.count == count
    told = {**environment, "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MAX": "4"}
    off_by_one = subprocess.run(["bash", "slurm.sh"], cwd=tmp_path, env=told, capture_output=True, text=True, timeout=60)
    assert (off_by_one.returncode, "submit it with --array=0-3" in off_by_one.stderr) == (2, True)


JOBS: Final = """#!{python}
# Takes a job as Slurm does, and begins it at once; `scancel NUMBER` ends it.
import os, signal, subprocess, sys

if sys.argv[0].endswith("scancel"):
    os.killpg(int(sys.argv[1]), signal.SIGTERM)
else:
    with open(sys.argv[1] + ".log", "w") as log:
        job = subprocess.Popen(["bash", "-s"], stdin=open(sys.argv[1]), stdout=log, stderr=log, start_new_session=True)
    print("Submitted batch job", job.pid)
"""


@pytest.mark.long
def test_jobs_of_a_batch_system_are_workers_of_one_run(tmp_path: Path) -> None:
    if importlib.util.find_spec("dask_jobqueue") is None:  # not imported here: it takes SIGINT from the tests that follow
        pytest.skip("dask_jobqueue is not installed")
    for name in ("sbatch", "scancel"):
        (tmp_path / name).write_text(JOBS.format(python=sys.executable))
        (tmp_path / name).chmod(0o755)
    engine = fake(tmp_path, GOOD)
    (tmp_path / "positions.fen").write_text("\n".join(positions(12)) + "\n")
    shutil.copy(EXAMPLES / "jobqueue.py", tmp_path)
    words = [str(VIVA), "consistency", "chess", f"uci:{engine}?nodes=10", "--positions", "positions.fen", "--json", "--quiet"]
    alone = subprocess.run([*words, "--transcript", "alone.sqlite"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert alone.returncode == 0, alone.stderr
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    program = f"import sys, jobqueue; sys.exit(jobqueue.main({words!r}, 1))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found, expected = json.loads(done.stdout), json.loads(alone.stdout)
    assert found.pop("transcript_head") != expected.pop("transcript_head")
    assert found == expected


def relay(to: list[int]) -> socketserver.ThreadingTCPServer:
    """One address before several servers: each connection goes to the next of them, as through a Service of Kubernetes."""
    turns = itertools.cycle(to)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection(("127.0.0.1", next(turns))) as upstream:
                back = threading.Thread(target=pump, args=(upstream, self.request), daemon=True)
                back.start()
                pump(self.request, upstream)
                back.join(10)

    class Relay(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 64

    return Relay(("127.0.0.1", 0), Handler)


def pump(source: socket.socket, sink: socket.socket) -> None:
    """All that comes, until no more does."""
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@pytest.mark.long
def test_replicas_behind_one_address_share_the_questions_and_give_one_verdict(viva: Viva) -> None:
    with process_of("tests.candidates.server") as one, process_of("tests.candidates.server") as other:
        with relay([int(server.rpartition(":")[2]) for server in (one, other)]) as balancing:
            threading.Thread(target=balancing.serve_forever, daemon=True).start()
            port = balancing.server_address[1]
            examined = ("--scope", "arithmetic", "--seed", "0", "--questions", "80", "--json", "--quiet", "--concurrency", "8")
            behind = viva("certify", f"chat:calculator@http://127.0.0.1:{port}/v1", *examined)
            balancing.shutdown()
        alone = viva("certify", f"chat:calculator@{one}/v1", *examined)
        seen = []
        for server in (one, other):
            with urllib.request.urlopen(f"{server}/seen", timeout=10) as response:
                seen.append(int(json.load(response).get("calculator", 0)))
    assert behind.code == alone.code, behind.err
    found, expected = json.loads(behind.out), json.loads(alone.out)
    same = ("verdict", "questions", "score")
    assert [found[name] for name in same] == [expected[name] for name in same]
    assert seen[1] >= 20  # of the eight connections half went there
