"""`viva certify --eval-results` on a benchmark of a hub on loopback, and what is refused before anything is asked."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.certificate.test_scopes_hub import COMMIT, serving
from tests.cli.conftest import VIVA, Viva

yaml: Any = pytest.importorskip("yaml")
EVAL = b"""\
name: Floating
description: What floats.
evaluation_framework: inspect-ai
tasks:
  - id: words
    config: main
    split: test
    field_spec: {input: question, target: right}
    solvers: [{name: generate}]
    scorers: [{name: includes}]
"""
HEAD = b"---\nconfigs:\n- config_name: main\n  data_files:\n  - split: test\n    path: main/*.csv\n---\n"
FLOATING = {
    "README.md": HEAD,
    "eval.yaml": EVAL,
    "main/test.csv": b"question,right\nWhat floats?,Cork\nWhat sinks?,Lead\nWhat melts?,Ice\n",
}
NAME = f"hf-eval:me/floating@{COMMIT}#words"


@pytest.mark.long
def test_a_benchmark_is_certified_and_its_result_written(tmp_path: Path) -> None:
    (tmp_path / "clerk.py").write_text(
        'def answer(text):\n    return "Cork, I think." if "floats" in text else "Lead or ice."\n'
    )
    settings = {"HF_HOME": str(tmp_path / "cache"), "HF_HUB_DISABLE_TELEMETRY": "1"}
    with serving({"me/floating": FLOATING}) as hub:
        ran = subprocess.run(
            [
                VIVA, "certify", "function:clerk:answer", "--scope", NAME, "--seed", "0", "--quiet",
                "--eval-results", "words.yaml", "--eval-results-source", "https://example.org/record",
            ],
            cwd=tmp_path, env={**os.environ, **settings, "HF_ENDPOINT": hub.address},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "Results: words.yaml" in ran.stdout
    (entry,) = yaml.safe_load((tmp_path / "words.yaml").read_text())
    assert entry["dataset"] == {"id": "me/floating", "task_id": "words", "revision": COMMIT}
    assert (entry["value"], entry["source"]) == (1.0, {"url": "https://example.org/record"})


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--scope", "arithmetic", "--eval-results", "a.yaml"], "is no task of a benchmark on a hub"),
        (["--scope", NAME, "--eval-results", "none/a.yaml"], "there is no folder 'none'"),
        (["--scope", NAME, "--eval-results", "a.yaml", "--eval-results-source", "here"], "begins with https://"),
        (["--scope", NAME, "--eval-results-source", "https://example.org"], "belongs to '--eval-results'"),
        (["--scope", NAME, "--eval-results", "a.yaml", "--split-by", "category"], "publishes one mean score a scope"),
    ],
)
def test_what_could_not_be_written_is_refused_before_anything_is_asked(
    options: list[str], problem: str, viva: Viva, tmp_path: Path
) -> None:
    ended = viva("certify", "bot:calculator", *options)
    assert ended.code == 2
    assert problem in " ".join(ended.err.split())
    assert not (tmp_path / "a.yaml").exists()
