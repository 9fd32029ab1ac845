"""Studies of the questions of a scope: what the command line, an examination and a recheck need to run one.

To add a study, write its module with a `ScopeStudy`, and name it in `config.SCOPE_STUDIES`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.studies.config import SCOPE_STUDIES
from vivavoce.studies.conversations import Subject
from vivavoce.studies.study import Source, Study, StudyFinding


@dataclass(frozen=True, slots=True)
class ScopeStudy:
    """A declared study with the procedure that asks its questions."""

    study: Study[Any]
    config: type[Any]
    """A dataclass of settings, which are the options of the command. Among them are `questions` (units of the scope to draw),
    `flip_limit` (None: no limit is tested), `delta` and `seed`."""
    question: str
    """That it answers about a candidate, for reports."""
    help: str
    """Of the command: a sentence, a blank line, examples and explanations."""
    ask: Callable[[Interview[Prompt, Reply], Sequence[Subject], Any, Source], Awaitable[StudyFinding[Any]]]
    calls: Callable[[Sequence[Subject], Any], tuple[int, int]]
    """Calls that `ask` makes at most, and tokens that it sends, roughly. Raises `BadInput` for settings that make no sense."""
    needs_conversation: bool = False
    """Whether the candidate must see earlier turns."""


def scope_study(name: str) -> ScopeStudy:
    """The study of that name, imported now."""
    module, _, attribute = SCOPE_STUDIES[name].partition(":")
    study = getattr(import_module(module), attribute)
    assert isinstance(study, ScopeStudy)
    return study
