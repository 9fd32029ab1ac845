"""The model that $VIVA_MODEL names, and the table of how its replies were read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import viva as viva
from tests.model.harness import ModelReadings


@pytest.fixture(scope="session")
def model() -> str:
    """The candidate's name."""
    name = os.environ.get("VIVA_MODEL", "")
    if not name:
        pytest.skip("no model: set VIVA_MODEL to a candidate such as chat:llama3.2@http://localhost:11434/v1")
    return name


@pytest.fixture(scope="session")
def seen(request: pytest.FixtureRequest) -> Iterator[ModelReadings]:
    """What was read; the table is printed in the end, and all replies go to the file that $VIVA_REPLIES names."""
    result = ModelReadings()
    yield result
    if result.interviews:
        reporter = request.config.pluginmanager.get_plugin("terminalreporter")
        assert reporter is not None
        reporter.write_line(f"\n\n{result.table}")
        if file := os.environ.get("VIVA_REPLIES"):
            result.write(Path(file))
