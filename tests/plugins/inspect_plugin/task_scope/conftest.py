"""Each test of a task runs in a folder of its own."""

import pytest


@pytest.fixture(autouse=True)
def in_own_folder(own_folder: None) -> None:
    """Every test runs in a folder of its own."""
