"""The interview: who is asked, what is asked, what was answered, and what was found.

The names of `vivavoce.interview.public` are names of the package. They are imported when one is first used: most programs need
some of its modules, and few of these the database of transcripts, which takes a quarter of a second to import.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.interview.public import *  # noqa: F403 -- what type checkers and editors offer


def __getattr__(name: str) -> Any:
    public = _public()
    if name in public.__all__:
        return getattr(public, name)
    raise AttributeError(f"module 'vivavoce.interview' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *_public().__all__]


def _public() -> ModuleType:
    # an import statement would ask here for the module as long as that is being imported, and it imports others from here
    return import_module("vivavoce.interview.public")
