"""A judge behind HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import asyncio
from tests.candidates import server
for name, said in {"strict": "Right in the main.\\nScore: 8\\nRidiculous: no", "mute": "I would rather not."}.items():
    server.BODIES[name] = server.completion(said)
asyncio.run(server.serve(0, 0.01))
"""


@pytest.fixture(scope="session")
def judging_server() -> Iterator[str]:
    """Address of the hostile chat server, with models `strict`, who gives 8 points, and `mute` beside those that misbehave."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.communicate(timeout=10)
