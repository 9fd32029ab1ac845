"""The wheel in an empty environment, without extras: small, enough to examine with, and what is missing is told in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_BYTES = 450_000_000
MOST_DISTRIBUTIONS = 36
"""Of others; pip and setuptools are there already."""
OWN = {"vivavoce", "pip", "setuptools"}

FILES = {
    "graded.csv": "person,question,answer,grade\n" + "".join(f"{name},What is 2 + 2?,four,1\n" for name in "abcdefghijkl"),
    "pairs.csv": "q1,q2,source1,source2,previous_correct,belief_change\n"
    + "".join(f"What is {n} + 2?,What is {n} + 5?,sums,sums,{n % 2},{n // 2 % 2}\n" for n in range(40)),
    "rules.pdf": "%PDF-1.7",
    "guesses.csv": "guesser,target,guess\n" + "".join(f"{pair[0]},{pair[1]},50\n" for pair in permutations("abc", 2)),
}

pytestmark = [pytest.mark.slow, pytest.mark.study]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel of this tree and what it asks for; skipped where pip has nothing to install from."""
    folder = tmp_path_factory.mktemp("bare")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "venv", folder / "env"], check=True)
    made = subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", folder, ROOT], capture_output=True, text=True, timeout=600
    )
    if made.returncode:
        pytest.skip(f"pip cannot build the wheel here: {made.stderr[-300:]}")
    (wheel,) = folder.glob("vivavoce-*.whl")
    installing: list[str | Path] = [folder / "env" / "bin" / "python", *pip[1:], "install", wheel]
    installed = subprocess.run(installing, capture_output=True, text=True, timeout=600)
    if installed.returncode:
        pytest.skip(f"pip cannot install here: {installed.stderr[-300:]}")
    return folder / "env"


def viva(bare: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run that environment's command, away from this tree."""
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(
        [bare / "bin" / "viva", *arguments], cwd=folder, env=clean, capture_output=True, text=True, timeout=120
    )


def test_it_is_as_small_as_promised(bare: Path) -> None:
    frozen = subprocess.run([bare / "bin" / "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True)
    names = {line.partition("==")[0] for line in frozen.stdout.splitlines()} - OWN
    assert len(names) <= MOST_DISTRIBUTIONS, sorted(names)
    assert sum(file.lstat().st_size for file in bare.rglob("*") if file.is_file()) <= MOST_BYTES


def test_a_bot_is_examined_without_any_extra(bare: Path, tmp_path: Path) -> None:
    ran = viva(
        bare, "certify", "--seed", "0", "bot:calculator", "--scope", "arithmetic", "--unacceptable-limit", "none",
        "--transcript", "run.sqlite", "--html", "page.html", folder=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "bot:calculator passes arithmetic" in ran.stdout
    assert "<svg" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "package", "extra"),
    [
        ("consistency chess check uci:stockfish --limit 5", "chess", "chess"),
        ("luna serve --database site.sqlite", "uvicorn", "web"),
        ("mcp --candidate bot:calculator --scope arithmetic", "mcp", "mcp"),
        ("luna machine add Model --database site.sqlite", "alembic", "web"),
        ("certify inspect:openai/gpt-4o --scope arithmetic", "inspect_ai", "models"),
        ("certify bot:calculator --scope arithmetic --transcript postgresql://me@localhost/viva", "psycopg", "postgres"),
        ("certify bot:calculator --scope arithmetic --results rows.parquet", "pyarrow", "parquet"),
        ("certify bot:calculator --scope file:questions.parquet", "pyarrow", "parquet"),
        ("make questions rules.pdf --writer bot:eliza --out questions.jsonl", "pypdf", "documents"),
        ("import promptfoo promptfooconfig.yaml", "yaml", "task-files"),
        ("import lm-eval task.yaml", "yaml", "task-files"),
        ("import hf-eval eval.yaml", "yaml", "task-files"),
        ("import traces spans.jsonl --rubric rubric.txt", "phonenumbers", "traces"),
        ("luna predict fit graded.csv --out model.json", "scikit-learn", "text"),
        ("people predict fit pairs.csv --predictor bert --model . --out model", "torch", "neural"),
        ("people predict fit pairs.csv --predictor embeddings --out model", "xgboost", "text"),
    ],
)
def test_a_missing_extra_is_one_line_with_its_remedy(
    bare: Path, tmp_path: Path, command: str, package: str, extra: str
) -> None:
    ran = viva(bare, *command.split(), folder=tmp_path)
    assert ran.returncode == 2
    messages = [line for line in ran.stderr.splitlines() if line.startswith("viva: ")]
    assert messages == [f"viva: '{package}' is not installed: pip install 'vivavoce[{extra}]'"]
    assert "Traceback" not in ran.stderr
    assert not ran.stdout


def test_ratings_are_given_without_the_ladder_that_needs_an_extra(bare: Path, tmp_path: Path) -> None:
    ran = viva(bare, "luna", "rate", "guesses.csv", "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "pip install 'vivavoce[luna]'" in ran.stdout
