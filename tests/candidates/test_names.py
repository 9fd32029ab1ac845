"""Names of candidates that are refused: the message says what to write."""

from __future__ import annotations

import pytest

from vivavoce.candidates import open_candidate
from vivavoce.errors import BadInput, UnknownName


def test_a_model_alone_is_answered_with_examples_that_hold_its_name() -> None:
    with pytest.raises(BadInput) as refused:
        open_candidate("gpt-4o")
    example = "chat:gpt-4o@http://localhost:11434/v1"
    assert example in str(refused.value)
    assert "inspect:PROVIDER/gpt-4o" in str(refused.value)
    assert open_candidate(example).name.startswith("chat:gpt-4o")


def test_a_slip_in_the_kind_is_still_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'chat'"):
        open_candidate("chatt:m@http://localhost:1/v1")
    with pytest.raises(UnknownName, match="did you mean 'bot'"):
        open_candidate("bots:calculator")
