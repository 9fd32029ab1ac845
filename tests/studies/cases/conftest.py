"""The paraphrasing server as a process of its own, and a classifier trained once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.serving import process_of
from tests.studies.cases.attention_pooling import AttentionPooling
from tests.studies.cases.made_cases import made_cases


@pytest.fixture(scope="session")
def paraphraser() -> Iterator[str]:
    """Address of the server, as the end of a candidate's name: `chat:MODEL` and this."""
    with process_of("tests.studies.cases.paraphraser") as address:
        yield f"@{address}/v1"


@pytest.fixture(scope="session")
def trained() -> AttentionPooling:
    """Trained on 200 made cases."""
    return AttentionPooling(made_cases(200, seed=1)[0])
