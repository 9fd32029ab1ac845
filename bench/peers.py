"""How long 1,000 questions take here and with other tools: a local server that takes 100 ms, 100 questions in flight.

`python bench/peers.py [--peers VENV] [--promptfoo PROGRAM] [--questions 1000] [--tries 3] [--patience 120] [--json]` asks one
server (a process of its own) in a process for each way. An interview, the `openai` client and Inspect's `get_model` are
measured without their set-up (`bench/calls.py`); `viva certify`, `lm_eval` and `promptfoo eval` as whole commands, with their
start and the files that they write. Peers are taken from the virtual environment that you name, and promptfoo from its program;
those that are not there are listed as absent. A way that fails or takes longer than the patience is tried again; one that never
ends well is listed with its last words, and the others are still measured. A run counts only if the server got all questions.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import which
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.calls import IN_FLIGHT, LATENCY, NAMES, prompts, served

ROOT = Path(__file__).parent.parent
MODULES = {"openai": "openai", "inspect": "inspect_ai"}
"""What each way of `bench/calls.py` needs."""
LAST_WORDS = 200


@dataclass(frozen=True, slots=True)
class Row:
    """What one way took, or why there is no number."""

    way: str
    wall_seconds: float | None = None
    cpu_ms: float | None = None
    """Milliseconds of CPU a question, of the process and its children."""
    tries: int = 0
    problem: str = ""


def has(python: str, module: str) -> bool:
    """Whether this Python can import a module."""
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def asked(url: str) -> int:
    """How many questions the server has got."""
    with urllib.request.urlopen(f"{url}/seen", timeout=10) as response:
        seen: dict[str, int] = json.load(response)
    return seen.get("ok", 0)


def questions_file(folder: Path, questions: int) -> Path:
    """The questions with their answers, as JSON Lines."""
    file = folder / "questions.jsonl"
    options = ["this", "that", "these", "those"]
    rows = ({"id": str(n), "question": text, "options": options, "answer": "C"} for n, text in enumerate(prompts(questions)))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def lm_eval_task(folder: Path, file: Path) -> None:
    """A task of lm-evaluation-harness with these questions."""
    task = {
        "task": "local_questions",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(file)}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{question}}",
        "doc_to_target": "Answer: {{answer}}",
        "metric_list": [{"metric": "exact_match"}],
        "generation_kwargs": {"until": [], "max_gen_toks": 64},
    }
    (folder / "local_questions.yaml").write_text(json.dumps(task))  # JSON is YAML


def promptfoo_config(folder: Path, url: str, questions: int) -> Path:
    """A configuration of promptfoo with the same questions."""
    config = {
        "providers": [{"id": "openai:chat:ok", "config": {"apiBaseUrl": f"{url}/v1", "apiKey": "none"}}],
        "prompts": ["{{question}}"],
        "tests": [
            {"vars": {"question": text}, "assert": [{"type": "contains", "value": "Answer: C"}]} for text in prompts(questions)
        ],
    }
    file = folder / "promptfooconfig.json"
    file.write_text(json.dumps(config))
    return file


def commands(given: argparse.Namespace, url: str, folder: Path) -> dict[str, list[str] | None]:
    """The command of each way; None for a peer that is absent."""
    peers = str(given.peers / "bin" / "python") if given.peers else sys.executable
    result: dict[str, list[str] | None] = {}
    for way, name in NAMES.items():
        python = sys.executable if way == "interview" else peers
        call = [python, str(ROOT / "bench" / "calls.py"), "--way", way, "--url", url, "--questions", str(given.questions)]
        result[name] = call if way == "interview" or has(python, MODULES[way]) else None
    file = questions_file(folder, given.questions)
    scope = ["--scope", f"file:{file}", "--set", "procedure=fixed", "--questions", str(given.questions), "--seed", "1"]
    flight = ["--concurrency", str(IN_FLIGHT), "--transcript", str(folder / "kept-{try}.sqlite"), "--quiet"]
    result["viva certify (command)"] = [sys.executable, "-m", "vivavoce", "certify", f"chat:ok@{url}/v1", *scope, *flight]
    lm_eval_task(folder, file)
    settings = f"model=ok,base_url={url}/v1/chat/completions,num_concurrent={IN_FLIGHT},max_retries=3,tokenized_requests=False"
    task = ["--tasks", "local_questions", "--include_path", str(folder), "--apply_chat_template"]
    harness = [peers, "-m", "lm_eval", "--model", "local-chat-completions", "--model_args", settings, *task]
    result["lm_eval (command)"] = harness if has(peers, "lm_eval") else None
    program = given.promptfoo or which("promptfoo")
    config = promptfoo_config(folder, url, given.questions)
    flags = ["-c", str(config), "-j", str(IN_FLIGHT), "--no-cache", "--no-table", "--no-write", "--no-progress-bar"]
    result["promptfoo eval (command)"] = [str(program), "eval", *flags] if program else None
    return result


def environment() -> Mapping[str, str]:
    """The environment of all ways: they talk to loopback alone."""
    silent = {
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_OFFLINE": "1",
        "OPENAI_API_KEY": "none",
    }
    return {**os.environ, **silent}


def tried(command: list[str], folder: Path, patience: float) -> tuple[float, float, str]:
    """Seconds, and seconds of CPU of the process and its children, and what it printed. Raises `SystemExit` with a reason."""
    began, before = time.perf_counter(), os.times()
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=patience, check=False
        )
    except subprocess.TimeoutExpired:
        raise SystemExit(f"longer than {patience:g} s") from None
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    if done.returncode not in (0, 3, 4, 100):  # verdicts of `viva`, and failed tests of promptfoo
        raise SystemExit(" ".join((done.stderr or done.stdout).split())[-LAST_WORDS:] or f"exit code {done.returncode}")
    return time.perf_counter() - began, cpu, done.stdout


def measured(way: str, command: list[str] | None, url: str, folder: Path, given: argparse.Namespace) -> Row:
    """The first try that ends well, or the last reason why none did."""
    if command is None:
        return Row(way, problem="absent")
    problem = ""
    for number in range(1, given.tries + 1):
        before = asked(url)
        try:
            wall, cpu, out = tried([word.replace("{try}", str(number)) for word in command], folder, given.patience)
        except SystemExit as error:
            problem = str(error)
            continue
        if asked(url) - before < given.questions:
            problem = f"only {asked(url) - before:,} questions came to the server"
            continue
        if "--way" in command:
            cost: dict[str, Any] = json.loads(out.splitlines()[-1])
            return Row(way, cost["wall_seconds"], cost["cpu_ms"], number)
        return Row(way, wall, 1000 * cpu / given.questions, number)
    return Row(way, tries=given.tries, problem=problem)


def line(row: Row) -> str:
    """One row of the table."""
    if row.wall_seconds is None or row.cpu_ms is None:
        return f"{row.way:28}{row.problem}"
    return f"{row.way:28}{row.wall_seconds:>7.2f} s{row.cpu_ms:>10.2f} ms{row.tries:>8}"


def main() -> int:
    """Measure every way, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--peers", type=Path, help="the virtual environment with the peers [default: this one]")
    parser.add_argument("--promptfoo", type=Path, help="promptfoo's program [default: on the path]")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--patience", type=float, default=120.0, help="seconds for one try")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, served() as url:
        folder = Path(name)
        rows = [measured(way, command, url, folder, given) for way, command in commands(given, url, folder).items()]
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
        return 0
    least = given.questions / IN_FLIGHT * LATENCY
    print(f"{given.questions:,} questions, {IN_FLIGHT} in flight, {LATENCY * 1000:.0f} ms each: {least:.2f} s at the least")
    print(f"{'':28}{'wall':>9}{'CPU each':>13}{'try':>8}")
    print("\n".join(map(line, rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
