"""A command whose package is not installed ends with one line that says what to install."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.interview.transcript import Transcript

WITHOUT = """
import sys
sys.modules[sys.argv[1]] = None
from vivavoce.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("package", "extra", "command"),
    [
        ("chess", "chess", "consistency chess check uci:stockfish"),
        ("mcp", "mcp", "mcp --candidate bot:calculator --scope arithmetic"),
        ("inspect_ai", "models", "certify inspect:openai/gpt-4o --scope arithmetic"),
        ("inspect_ai", "models", "compare a.eval b.eval"),
        ("torch", "neural", "consistency cases check hf:folder --cases cases.jsonl --writer bot:eliza"),
    ],
)
def test_a_missing_extra_is_named(tmp_path: Path, package: str, extra: str, command: str) -> None:
    for name in ("a.eval", "b.eval"):
        (tmp_path / name).touch()
    (tmp_path / "cases.jsonl").write_text('{"id": "a", "facts": ["He was held.", "He complained."], "violation": true}\n')
    Transcript.open(tmp_path / "run.sqlite").close()
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT, package, *command.split()], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"viva: '{package}' is not installed: pip install 'vivavoce[{extra}]'\n"
