"""Errors that a proxy tells in the place of the assistant's words: "Internal server error. Error code 500"."""

from __future__ import annotations

import re
from typing import Final

from vivavoce.interview.candidate import Prompt

_LONGEST: Final = 400
"""Characters; a longer text is a reply that speaks of errors."""
_STATUS: Final = (
    r"(?:internal (?:server )?error|server error|bad gateway|service (?:temporarily )?unavailable|gateway time-?out"
    r"|too many requests|payment required|request time-?out)"
)
_BEGINNING: Final = re.compile(
    r"[^\w<]*(?:(?:sorry|oops|apologies)\W+)?(?:<!doctype html|<html"
    r"|(?:(?:api|http|upstream|proxy|llm|model|provider|openai|anthropic)[ _-]?)?(?:error|exception)\b"
    rf"|{_STATUS}\b|[45]\d\d\b|rate[ -]limit|upstream\b|request failed|something went wrong"
    r"|an? (?:\w+ )?error (?:has )?occurred|(?:failed|unable) to (?:connect|reach|get|fetch|generate)"
    r"|(?:the |this )?(?:server|service|model|engine|system) (?:is|was|has|had) (?:currently |temporarily |been )?"
    r"(?:overloaded|unavailable|an error|busy|down))",
    re.IGNORECASE,
)
_EVIDENCE: Final = re.compile(
    r"\b(?:error|code|status|http)\W{0,3}(?:code\W{0,3})?[45]\d\d\b"
    rf"|\b[45]\d\d\b\W{{0,3}}(?:{_STATUS}|unauthorized|forbidden)|{_STATUS}\W*$"
    r"|\b(?:please|and) try again\b|\btry again (?:later|in|soon|shortly)\b|contact (?:\w+ )?support"
    r"|rate[ -]limit(?:ed)? (?:exceeded|reached|hit)|connect error|disconnect/reset|connection (?:error|refused|reset)"
    r"|\b(?:overloaded|temporarily unavailable)\b|\btraceback\b",
    re.IGNORECASE,
)
_ON_ERRORS: Final = re.compile(r"error|exception|\bhttp|status|\bserver|traceback|went wrong", re.IGNORECASE)


def tells_of_an_error(text: str, question: Prompt) -> bool:
    """Whether a short reply is an error of the service, told as content; never where the conversation itself is on errors.

    >>> tells_of_an_error("Internal server error. Please contact support. Error code 500", Prompt("What is 6 times 7?"))
    True
    >>> tells_of_an_error("Internal server error", Prompt("Which HTTP error has status 500?"))
    False
    """
    text = text.strip()
    if len(text) > _LONGEST or not (_BEGINNING.match(text) and _EVIDENCE.search(text)):
        return False
    return not any(_ON_ERRORS.search(said) for said in (question.system, *(said for _, said in question.conversation)))
