"""The interview: who is asked, what is asked, what was answered, and what was found.

The names of `vivavoce.interview.public` are names of the package. They are imported when one is first used: most programs need
some of its modules, and few of these the database of transcripts, which takes a quarter of a second to import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vivavoce.interview.public import *  # noqa: F403 -- what type checkers and editors offer


def __getattr__(name: str) -> Any:
    if name[:1].isupper():  # the names of modules are small, and one may be wanted while another is being imported
        from vivavoce.interview import public

        if name in public.__all__:
            return getattr(public, name)
    raise AttributeError(f"module 'vivavoce.interview' has no attribute '{name}'")


def __dir__() -> list[str]:
    from vivavoce.interview import public

    return [*globals(), *public.__all__]
