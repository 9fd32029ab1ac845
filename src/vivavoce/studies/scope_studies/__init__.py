"""Studies of the questions of a scope, a module each. The module's name is the command's, with `_` for `-`.

A module declares a `SCOPE_STUDY`. The command line, plans, rechecks and help texts find it by its file.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # commands are listed by these names alone, without importing the modules
    from vivavoce.interview.candidate import Prompt, Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.studies.scope_subjects import ConversedSubject
    from vivavoce.studies.study import Source, Study, StudyFinding

SCOPE_STUDIES: Final = tuple(sorted(file.stem.replace("_", "-") for file in Path(__file__).parent.glob("[a-z]*.py")))
"""Names of the studies, also as sections of a plan and as kinds of document."""
COMMAND_NAMES: Final = {name: name for name in SCOPE_STUDIES} | {"sycophancy": "conversations"}
"""Names of these studies under `viva consistency`."""
RECHECKED: Final = ("vary", *SCOPE_STUDIES)
"""Studies whose documents `viva recheck` accepts."""
RECHECKED_COMMANDS: Final = ("vary", *COMMAND_NAMES.values())
"""Commands of the studies in `RECHECKED`."""


@dataclass(frozen=True, slots=True)
class ScopeStudy:
    """A declared study, and the procedure that asks its questions."""

    study: Study[Any]
    config: type[Any]
    """A dataclass of settings, which become the options of the command. They include `questions` (units of the scope to draw),
    `flip_limit` (None: no limit is tested), `delta` and `seed`.
    """
    question: str
    """The question about a candidate that it answers, for reports."""
    help: str
    """Help of the command: a sentence, a blank line, examples and explanations."""
    ask: Callable[[Interview[Prompt, Reply], Sequence[ConversedSubject], Any, Source], Awaitable[StudyFinding[Any]]]
    calls: Callable[[Sequence[ConversedSubject], Any], tuple[int, int]]
    """Returns the most calls that `ask` makes, and a rough number of tokens that it sends. May raise `BadInput`."""
    needs_conversation: bool = False
    """Whether the candidate must see earlier turns."""


def scope_study(name: str) -> ScopeStudy:
    """Import the study of this name. Raises `KeyError` if there is none."""
    if name not in SCOPE_STUDIES:
        raise KeyError(name)
    study = import_module(f"{__name__}.{name.replace('-', '_')}").SCOPE_STUDY
    assert isinstance(study, ScopeStudy)
    return study
