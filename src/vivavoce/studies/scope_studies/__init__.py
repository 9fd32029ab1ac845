"""Studies of the questions of a scope, a module each: its name is the command's, with `_` for `-`.

A module declares a `SCOPE_STUDY`. The command line, plans, rechecks and their help find it by its file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # a list of commands needs their names alone
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.studies.conversations import Subject
    from vivavoce.studies.study import Source, Study, StudyFinding

SCOPE_STUDIES: Final = tuple(sorted(file.stem.replace("_", "-") for file in Path(__file__).parent.glob("[a-z]*.py")))
"""Their names: of the section of a plan, and of the kind of document."""
COMMAND_NAMES: Final = {name: name for name in SCOPE_STUDIES} | {"sycophancy": "conversations"}
"""What `viva consistency` calls these studies."""
RECHECKED: Final = ("vary", *SCOPE_STUDIES)
"""Studies whose documents `viva recheck` takes."""
RECHECKED_COMMANDS: Final = ("vary", *COMMAND_NAMES.values())
"""The commands of these."""


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
    """The study of that name, imported now. Raises `KeyError` if there is none."""
    if name not in SCOPE_STUDIES:
        raise KeyError(name)
    study = import_module(f"{__name__}.{name.replace('-', '_')}").SCOPE_STUDY
    assert isinstance(study, ScopeStudy)
    return study
