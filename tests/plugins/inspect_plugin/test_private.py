"""What is taken from inside Inspect."""

from __future__ import annotations

import inspect
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import inspect_ai
import pytest

from vivavoce.plugins.inspect_plugin import private

pytestmark = pytest.mark.long  # importing Inspect takes seconds


ROOT = Path(__file__).parents[3]
FROM_INSIDE = re.compile(r"^\s*(?:from|import) (inspect_ai(?:\.\w+)*\._\w[\w.]*)", flags=re.MULTILINE)
NEEDED = "inspect-ai>=0.3.285"


def test_one_file_reaches_inside_inspect() -> None:
    texts = {file.relative_to(ROOT).as_posix() for file in (ROOT / "src").rglob("*.py") if FROM_INSIDE.search(file.read_text())}
    assert texts == {"src/vivavoce/plugins/inspect_plugin/private.py"}


def test_the_version_that_is_needed_is_the_oldest_that_was_seen_to_work() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert NEEDED in project["optional-dependencies"]["models"]
    assert NEEDED.partition(">=")[2] in str(private.__doc__)
    assert inspect_ai.__version__ == version("inspect-ai")


def test_what_is_taken_is_called_as_it_is_defined() -> None:
    text = f"Inspect {inspect_ai.__version__} moved what private.py takes; it worked with {NEEDED}"
    parameters = {
        name: list(inspect.signature(getattr(private, name)).parameters) for name in private.__all__ if name[0].islower()
    }
    assert parameters["load_tasks"][:2] == ["task_specs", "task_args"], text
    assert parameters["parse_cli_args"][:1] == ["args"], text
    assert parameters["registry_lookup"] == ["type", "name"], text
    assert parameters["registry_params"] == ["o"], text
    assert parameters["init_display_type"] == ["display"], text
    assert issubclass(private.PrerequisiteError, Exception), text
    assert {f"`{name}`" for name in private.__all__} <= set(re.findall(r"`\w+`", str(private.__doc__)))
