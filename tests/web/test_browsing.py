"""Windows of a browser that does not answer."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

import pytest

from vivavoce.web import survey_bots


class Stuck:
    """A window that never closes."""

    async def close(self) -> None:
        await asyncio.Event().wait()


def test_a_window_that_never_closes_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey_bots, "CLOSING", 0.05)
    began = time.monotonic()
    asyncio.run(survey_bots.close(cast(Any, Stuck())))
    assert time.monotonic() - began < 20  # the usual patience is 30 seconds
