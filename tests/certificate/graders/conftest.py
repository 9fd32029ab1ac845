"""Judges behind HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.interview.conftest import where as where
from tests.serving import process_of


@pytest.fixture(scope="session")
def judging_server() -> Iterator[str]:
    """Address of the server, with models `strict` and `mute` beside those that misbehave."""
    with process_of("tests.certificate.graders.judging") as address:
        yield address
