"""Makes Markdown of docstrings for the reference: sections become headings in bold, entries lists, examples code."""

from __future__ import annotations

import re
from inspect import cleandoc
from typing import Any

import griffe

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", flags=re.MULTILINE)
_ENTRIES = re.compile(r"(?<=\*\*Parameters\*\*\n\n)(.*?)(?=\n\n|\Z)", flags=re.DOTALL)
_ENTRY = re.compile(r"^(\w[\w, *]*): ", flags=re.MULTILINE)
_DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", flags=re.DOTALL | re.MULTILINE)


def markdown(text: str) -> str:
    """A docstring as Markdown.

    >>> print(markdown("What.\\n\\nParameters\\n----------\\na, b: numbers,\\n    both."))
    What.
    <BLANKLINE>
    **Parameters**
    <BLANKLINE>
    - `a, b`: numbers,
        both.
    >>> markdown(">>> 1 + 1\\n2")
    '```pycon\\n>>> 1 + 1\\n2\\n```'
    """
    text = _SECTION.sub(r"**\1**\n\n", text)
    text = _ENTRIES.sub(lambda entries: _ENTRY.sub(r"- `\1`: ", entries[0]), text)
    return _DOCTEST.sub(lambda example: f"```pycon\n{example[0]}\n```", text)


class HouseDocstrings(griffe.Extension):
    """Rewrites each docstring as it is read."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:  # the name is griffe's
        """Called for every module, class, function and attribute."""
        if obj.docstring:
            obj.docstring.value = markdown(cleandoc(obj.docstring.value))
