"""An explanation: free text, all of which counts, unless it is a refusal."""

from __future__ import annotations

from typing import Final

from vivavoce.interview.forms.form import Reading, answered, unreadable
from vivavoce.interview.forms.prose import REFUSED, TOO_LONG, refuses

LONGEST: Final = 60_000
"""Characters; it is shown again with every question that is made from it."""


def read_explanation(text: str) -> Reading[str]:
    """The explanation that a reply's words are.

    It has no form that could be asked for: nothing has to be told from other words, and one that was cut off for its length is
    an explanation as far as it goes.

    >>> read_explanation("A graph is a set of vertices and a set of edges.").value
    'A graph is a set of vertices and a set of edges.'
    >>> read_explanation("I'm sorry, but I can't help with that.").problem
    'refused'
    """
    if len(text) > LONGEST:
        return unreadable(TOO_LONG)
    return unreadable(REFUSED) if refuses(text) else answered(text, strict=True)
