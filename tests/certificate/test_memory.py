"""What an examination keeps of each question while it runs: numbers, and no text that is on record."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import vivavoce
from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.progress import Progress
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope

pytestmark = pytest.mark.long

FIRST, LAST = 200, 800
"""Questions after which memory is measured."""
CERTIFIED, COMPARED = 100, 20
"""Bytes that may be kept of a question to one candidate. The question alone would be 600."""
Interviews = list[Interview[Any, Reply]]


def allocated() -> int:
    """Bytes in use that the package itself asked for, without what bounded caches hold."""
    modules = [module for name, module in sys.modules.items() if name.startswith("vivavoce.")]
    for cache in [value for module in modules for value in vars(module).values() if hasattr(value, "cache_clear")]:
        cache.cache_clear()
    gc.collect()
    ours = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, f"{Path(vivavoce.__file__).parent}/*")])
    return sum(trace.size for trace in ours.traces)


@pytest.fixture
def tracing() -> Iterator[None]:
    tracemalloc.start(1)
    yield
    tracemalloc.stop()


async def certified(interviews: Interviews) -> object:
    fixed = Composition(procedure="fixed")
    return await certify(interviews[0], open_scope("arithmetic"), Criterion(0.9, None), fixed, seed=0, questions=LAST + 50)


async def compared(interviews: Interviews) -> object:
    config = ComparisonConfig(margin=0.0001, seed=0, questions=LAST + 50)
    return await compare(interviews, open_scope("arithmetic"), config)


async def gated(interviews: Interviews) -> object:
    return await gate(interviews, open_scope("arithmetic"), GateConfig(margin=0.0001, seed=0, questions=LAST + 50))


@pytest.mark.usefixtures("tracing")
@pytest.mark.parametrize(
    ("examination", "candidates", "most"), [(certified, 1, CERTIFIED), (compared, 2, COMPARED), (gated, 2, COMPARED)]
)
async def test_little_is_kept_of_a_question(
    tmp_path: Path, examination: Callable[[Interviews], Awaitable[object]], candidates: int, most: int
) -> None:
    measured: dict[int, int] = {}

    def measure(progress: Progress) -> None:
        if progress.answered in (FIRST, LAST) and progress.answered not in measured:
            measured[progress.answered] = allocated()

    names = ("bot:calculator", "bot:calculator?wrong=0.0001")[:candidates]
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        interviews: Interviews = [
            Interview(
                open_candidate(name), answers=Reply, transcript=transcript, concurrency=1, monitor=Monitor(on_progress=look)
            )
            for name, look in zip(names, (measure, None), strict=False)
        ]
        await examination(interviews)
    kept = (measured[LAST] - measured[FIRST]) / (LAST - FIRST) / candidates
    assert kept < most
