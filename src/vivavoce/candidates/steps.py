"""Steps from outside, made fit to be kept: valid Unicode, without keys, bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite

from vivavoce.candidates.text import as_unicode, without_key
from vivavoce.interview.candidate import Step, kept_steps


def clean_steps(steps: Sequence[Step], *keys: str) -> tuple[Step, ...]:
    """As many steps, and as much of each, as a record keeps.

    keys: are cut out before anything is shortened, so that no beginning of one is left.

    >>> [step.result for step in clean_steps([Step(tool="env", result="KEY=sk-0123456789")], "sk-0123456789")]
    ['KEY=[key]']
    """
    return kept_steps([_clean(step, keys) for step in steps])


def _clean(step: Step, keys: tuple[str, ...]) -> Step:
    def clean(text: str) -> str:
        return as_unicode(without_key(text, *keys))

    return replace(
        step,
        said=clean(step.said),
        tool=clean(step.tool),
        arguments=clean(step.arguments),
        result=clean(step.result),
        error=clean(step.error),
        seconds=step.seconds if isfinite(step.seconds) and step.seconds > 0 else 0.0,
    )
