"""The interview: one candidate answers many questions, and every answer goes on record.

The package has the names of `vivavoce.interview.public`. They are imported at the first use of one of them, since the database
of transcripts takes a quarter of a second to import, and few programs need it.
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
