"""Settings and fixtures that all tests share."""

import gc
import linecache
import random
import re
import signal
from collections.abc import Generator, Iterator
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from tests.begun import begun
from tests.postgres import postgres_address as postgres_address
from tests.postgres import postgres_server as postgres_server
from vivavoce.interview import commitment, transcript_opening

# machines differ in speed, and a run must say the same thing twice
settings.register_profile("vivavoce", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("vivavoce")
# it also draws constants of the modules that are loaded, which depend on what ran before in the same process
providers._get_local_constants = Constants

LONG = re.compile(r"long( and [\w ]+)?$")
"""An expression of markers that only long tests can meet."""

COLLECTED = count(1)
QUICK = "not slow and not long"
ALL_LONG = re.compile(r"^pytestmark = .*\bmark\.(long|slow)\b", re.MULTILINE)
"""A file of which each test is marked so."""

# to look for garbage among all that was collected, again and again, takes a second in each process
gc.disable()

# a shell may have let us begin in the background, where an interrupt is ignored; what we start would ignore it as well
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> Generator[None, list[object], list[object]]:
    """Files of tests hold no examples; one without a test that is wanted, long or not, is not imported."""
    collectors = yield
    if LONG.match(parent.config.option.markexpr) and not any(map(_marks_long, (file_path, *_above(file_path)))):
        return []
    if not file_path.name.startswith("test_"):
        return collectors
    if parent.config.option.markexpr == QUICK and ALL_LONG.search(file_path.read_text("utf-8")):
        return []
    return [collector for collector in collectors if type(collector) is pytest.Module]


def _above(file: Path) -> list[Path]:
    """What else may mark the tests of a file: each `conftest` on the way to it, but this one."""
    folders = [folder for folder in file.parents if Path(__file__).parent in folder.parents]
    return [folder / "conftest.py" for folder in folders if (folder / "conftest.py").exists()]


@cache
def _marks_long(file: Path) -> bool:
    return "mark.long" in file.read_text("utf-8")


def pytest_collectreport() -> None:
    """Now and then, drop what is left of importing files and of a search for examples, which reads whole files."""
    if next(COLLECTED) % 50 == 0:
        _drop_garbage()


def pytest_collection_finish() -> None:
    """Modules and tests stay: they are no longer searched for garbage, which took a tenth of all time."""
    _drop_garbage()
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


def _drop_garbage() -> None:
    linecache.clearcache()
    gc.collect()
    gc.freeze()  # so that each is looked at once


@pytest.fixture(autouse=True)
def keys_of_records_are_seeded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record's key, from which seeds and places come, is drawn from the test's name: a test says the same thing twice."""
    rng = random.Random(request.node.nodeid)
    monkeypatch.setattr(transcript_opening, "token_bytes", rng.randbytes)
    monkeypatch.setattr(commitment, "token_hex", lambda: rng.randbytes(32).hex())


@pytest.fixture(scope="session")
def viva_begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a `viva` whose calls are copies of a process that has begun."""
    with begun(tmp_path_factory.mktemp("viva")) as programs:
        yield programs
