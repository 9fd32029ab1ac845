"""Settings of an interview by their names, where a test hands on what it was given."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from vivavoce.interview.interview import Monitor
from vivavoce.interview.retries import AskSettings


def interview_settings(**given: Any) -> dict[str, Any]:
    """`Interview`'s arguments: what belongs to `AskSettings` or `Monitor` is put there."""
    settings, monitor = ({field.name for field in fields(kind)} for kind in (AskSettings, Monitor))
    return {
        "settings": AskSettings(**{name: value for name, value in given.items() if name in settings}),
        "monitor": Monitor(**{name: value for name, value in given.items() if name in monitor}),
        **{name: value for name, value in given.items() if name not in settings | monitor},
    }
