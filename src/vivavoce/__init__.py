"""Oral examinations for AI systems: what does a model understand, and how sure can you be?

The package offers the names of `vivavoce.public`: `import vivavoce as viva`, then `viva.certify` and so on. Each is imported at
its first use, so commands and workers load only what they need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vivavoce import errors as errors  # before __getattr__, which is called for a submodule that is not loaded yet
from vivavoce.report.presenting import Presenter, present_with
from vivavoce.version import __version__ as __version__

if TYPE_CHECKING:
    from vivavoce.public import *  # noqa: F403 -- what type checkers and editors offer


def _presenter() -> Presenter:
    from vivavoce.render import markdown

    return markdown


present_with(_presenter)


def __getattr__(name: str) -> Any:
    import vivavoce.public as public  # "from vivavoce" would call this function for the name

    if name in public.__all__:
        return getattr(public, name)
    raise AttributeError(f"module 'vivavoce' has no attribute '{name}'")


def __dir__() -> list[str]:
    import vivavoce.public as public

    return [*globals(), *public.__all__]
