"""The examples for many machines: what they start runs here, in processes of this machine."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import json
import os
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
from tests.documents.running import free_port
from tests.serving import process_of

EXAMPLES: Final = Path(__file__).parents[2] / "docs" / "machines"


def documents(name: str) -> list[Any]:
    """The objects of a manifest."""
    return list(yaml.safe_load_all((EXAMPLES / name).read_text()))


MANIFESTS: Final = sorted(path.name for path in EXAMPLES.glob("*.yaml"))


@pytest.mark.parametrize("name", MANIFESTS)
def test_a_manifest_is_as_the_published_schema_says(name: str) -> None:
    pytest.importorskip("lightkube.models")
    results = documents(name)
    assert results
    assert [problem for entry in results for problem in problems(entry)] == []


def test_the_schema_finds_what_is_wrong() -> None:
    pytest.importorskip("lightkube.models")
    job = documents("kubernetes.yaml")[-1]
    wrong = deepcopy(job)
    wrong["spec"]["backoffLimits"] = wrong["spec"].pop("backoffLimit")
    wrong["spec"]["parallelism"] = "16"
    wrong["spec"]["template"]["spec"]["containers"][0]["args"].append(3)
    del wrong["spec"]["template"]["spec"]["containers"][0]["name"]
    assert sorted(problems(wrong)) == [
        "Job.spec has no field 'backoffLimits'",
        "Job.spec.parallelism is '16', which is no int",
        "Job.spec.template.spec.containers[0] lacks 'name'",
        "Job.spec.template.spec.containers[0].args[5] is 3, which is no str",
    ]


def container(kind: str, name: str) -> dict[str, Any]:
    """The only container of that object of the example for Kubernetes."""
    [result] = [
        document
        for document in documents("kubernetes.yaml")
        if (document["kind"], document["metadata"]["name"]) == (kind, name)
    ]
    [only] = result["spec"]["template"]["spec"]["containers"]
    return dict(only)


def test_what_manifests_name_is_there() -> None:
    for name in MANIFESTS:
        objects = {(document["kind"], document["metadata"]["name"]): document for document in documents(name)}
        for (kind, _), result in objects.items():
            if kind == "Service":
                [port] = result["spec"]["ports"]
                templates = [entry["spec"]["template"] for entry in objects.values() if "template" in entry["spec"]]
                [pod] = [
                    template
                    for template in templates
                    if template.get("metadata", {}).get("labels") == result["spec"]["selector"]
                ]
                assert port["targetPort"] in {entry["name"] for each in pod["spec"]["containers"] for entry in each["ports"]}
            elif "template" in result["spec"]:
                pod = result["spec"]["template"]["spec"]
                volumes = {volume["name"] for volume in pod.get("volumes", ())}
                assert {mount["name"] for entry in pod["containers"] for mount in entry.get("volumeMounts", ())} <= volumes
                claims = [
                    entry["persistentVolumeClaim"] for entry in pod.get("volumes", ()) if "persistentVolumeClaim" in entry
                ]
                assert {("PersistentVolumeClaim", claim["claimName"]) for claim in claims} <= objects.keys()
    rules = documents("kubernetes.yaml")[-1]["spec"]["podFailurePolicy"]["rules"]
    assert rules[0]["onExitCodes"]["containerName"] == container("Job", "viva")["name"]


@pytest.mark.long
def test_scheduler_workers_and_job_of_the_manifest_find_what_one_machine_finds(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    page = (EXAMPLES.parent / "howto" / "many-machines.md").read_text(encoding="utf-8")
    function = page.partition('```python title="my_model.py"\n')[2].partition("```")[0]
    (tmp_path / "my_model.py").write_text(function)
    (tmp_path / "record").mkdir()
    address = f"127.0.0.1:{free_port()}"
    own = {"scheduler:8786": address, "--port=8786": f"--port={address.rpartition(':')[2]}", "/record/": "record/", "/tmp": "."}

    def words(kind: str, name: str) -> list[str]:
        """Its command, with this machine's paths instead of the cluster's."""
        only = container(kind, name)
        command = [*only["command"], *only["args"]]
        for theirs, ours in own.items():
            command = [word.replace(theirs, ours) for word in command]
        programs = {"viva": [str(VIVA)], "dask": [sys.executable, "-m", "dask"]}
        return [*programs[command[0]], *command[1:]]

    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    settings: dict[str, Any] = {"cwd": tmp_path, "env": environment, "stderr": subprocess.DEVNULL}
    begun = [subprocess.Popen(words("Deployment", name), **settings) for name in ("scheduler", "workers", "workers")]
    try:
        there = subprocess.run(
            [*words("Job", "viva"), "--seed=0"], **{**settings, "stderr": subprocess.PIPE}, stdout=subprocess.PIPE, timeout=120
        )
    finally:
        for process in begun:
            process.terminate()
        for process in begun:
            process.wait(30)
    alone = [word for word in words("Job", "viva") if "--cluster" not in word and "--transcript" not in word]
    here = subprocess.run([*alone, "--seed=0"], **settings, stdout=subprocess.PIPE, timeout=120)
    assert there.returncode == here.returncode == 0, there.stderr
    document, expected = json.loads(there.stdout), json.loads(here.stdout)
    run = document.pop("run")
    assert run["workers"]["seen"] >= 1
    assert run["questions"]["answered"] >= document["figures"]["questions"]
    assert document == expected
    assert (tmp_path / "record" / "run.sqlite").exists()


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
    words = [
        str(VIVA),
        "consistency",
        "chess",
        "check",
        f"uci:{engine}?nodes=10",
        "--positions",
        "positions.fen",
        "--json",
        "--quiet",
    ]
    alone = subprocess.run([*words, "--transcript", "alone.sqlite"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert alone.returncode == 0, alone.stderr
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    program = f"import sys, jobqueue; sys.exit(jobqueue.main({words!r}, 1))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    document, expected = json.loads(done.stdout), json.loads(alone.stdout)
    assert document.pop("transcript_head") != expected.pop("transcript_head")
    assert document == expected


def relay(to: list[int]) -> socketserver.ThreadingTCPServer:
    """One address before several servers: each connection goes to the next of them, as through a Service of Kubernetes."""
    turns = itertools.cycle(to)

    class ProxyHandler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.create_connection(("127.0.0.1", next(turns))) as upstream:
                back = threading.Thread(target=pump, args=(upstream, self.request), daemon=True)
                back.start()
                pump(self.request, upstream)
                back.join(10)

    class Relay(socketserver.ThreadingTCPServer):
        daemon_threads = True
        request_queue_size = 64

    return Relay(("127.0.0.1", 0), ProxyHandler)


def pump(source: socket.socket, sink: socket.socket) -> None:
    """All that comes, until no more does."""
    with contextlib.suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


@pytest.mark.long
def test_replicas_behind_one_address_share_the_questions_and_give_one_verdict(viva: Viva) -> None:
    with process_of("tests.candidates.server") as text, process_of("tests.candidates.server") as other:
        with relay([int(server.rpartition(":")[2]) for server in (text, other)]) as balancing:
            threading.Thread(target=balancing.serve_forever, daemon=True).start()
            port = balancing.server_address[1]
            examined = ("--scope", "arithmetic", "--seed", "0", "--questions", "80", "--json", "--quiet", "--concurrency", "8")
            behind = viva("certify", f"chat:calculator@http://127.0.0.1:{port}/v1", *examined)
            balancing.shutdown()
        alone = viva("certify", f"chat:calculator@{text}/v1", *examined)
        seen = []
        for server in (text, other):
            with urllib.request.urlopen(f"{server}/seen", timeout=10) as response:
                seen.append(int(json.load(response).get("calculator", 0)))
    assert behind.code == alone.code, behind.err
    document, expected = behind.values, alone.values
    assert document["verdict"] == expected["verdict"]
    assert [document["figures"][name] for name in ("questions", "score")] == [
        expected["figures"][name] for name in ("questions", "score")
    ]
    assert seen[1] >= 20  # of the eight connections half went there
