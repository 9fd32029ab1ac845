"""Which modules pytest looks into for examples."""

from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

collect_ignore = [] if find_spec("torch") else ["src/vivavoce/candidates/classifiers.py"]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[object], list[object]]:
    """A module without examples is not imported to look for some."""
    collectors = yield
    if file_path.suffix == ".py" and ">>>" not in file_path.read_text("utf-8"):
        return [collector for collector in collectors if type(collector) is pytest.Module]
    return collectors
