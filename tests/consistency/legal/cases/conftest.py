"""The paraphrasing server as a process of its own, and a classifier trained once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.consistency.legal.cases.attention_pooling import AttentionPooling
from tests.consistency.legal.cases.made_cases import made_cases

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="session")
def paraphraser() -> Iterator[str]:
    """Address of the server, as the end of a candidate's name: `chat:MODEL` and this."""
    command = [sys.executable, "-m", "tests.consistency.legal.cases.paraphraser"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        yield f"@{process.stdout.readline().strip()}/v1"
        process.communicate(timeout=10)


@pytest.fixture(scope="session")
def trained() -> AttentionPooling:
    """Trained on 200 made cases."""
    return AttentionPooling(made_cases(200, seed=1)[0])
