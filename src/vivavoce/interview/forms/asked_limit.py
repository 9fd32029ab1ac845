"""Replies to questions about a limit or an end, with the bound as a plain value: "up to 50" is 50 there, "until 9 pm" is 9 pm.

Elsewhere a bound is no answer. A reply with a word that may turn the bound into something else stays as it is, and so is not
graded: a denial, a condition, a past or future, another number.
"""

from __future__ import annotations

import re

from vivavoce.interview.forms.spelled_numbers import SPELLED

_QUESTION = re.compile(r"(?<![^.!?\n])[^.!?\n]+\?")
_ASKS_LIMIT = re.compile(
    r"\bmax(?:im\w+|\.)?\b|\b(?:at most|up to|limit(?:ed)?|capacity|ceiling|cap|most|höchst\w*|bis zu|jusqu'à|hasta)\b"
    r"|\b(?:how (?:many|much|long|far|large|big|heavy|high|old|late)|wie ?(?:viele?|lange|weit|groß|schwer|hoch))\b[^?]{0,100}"
    r"\b(?:can|may|could|allowed|permitted|fits?|holds?|seats?|supports?|accommodates?|kann|können|darf|dürfen|passen)\b",
    re.IGNORECASE,
)
"""Questions to which "up to 50" answers 50."""
_ASKS_LEAST = re.compile(
    r"\b(?:min(?:im\w+|\.)?|least|lowest|fewest|smallest|shortest|earliest|mindest\w*|wenigst\w*)\b", re.IGNORECASE
)
_UP_TO = re.compile(
    r"\b(?:(?:for )?up to(?: a max(?:imum)? of)?|(?:at|a) max(?:imum)?(?: of)?|max(?:imal)?|at most|(?:no|not) more than"
    r"|as (?:many|much|long|far) as|(?:limited|capped|restricted) (?:to|at)|bis zu|höchstens|jusqu'à|au maximum|hasta"
    rf"|como máximo)[:\s]\s{{0,2}}(?=(?:[$€£]\s?)?\d|{SPELLED.pattern})",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|(?:no|not) (?:less|fewer|younger) than|a min(?:imum)? of|mindestens)\s(?=(?:[$€£]\s?)?\d)", re.IGNORECASE
)
_AT_MOST = re.compile(
    r"(?P<number>(?<![\d.,])\d[\d.,]*(?:\s?[^\W\d_]{1,15}){0,2}?)\s?(?:max(?:imum|imal)?|tops|at (?:the )?most)\b\.?",
    re.IGNORECASE,
)
_OTHER_THING = re.compile(
    rf"(?:\d|\b{SPELLED.pattern})\s(?!(?:max|maximum|tops|at|per|each|in|on|for|and|total|with)\b)([a-z]{{3,}})", re.IGNORECASE
)
"""The thing that a number counts."""
_ASKS_END = re.compile(
    r"\b(?:clos(?:es?|ing)|ends?|ending|finish(?:es)?|latest|until|till|expires?|deadline|check-?out|schließt|endet)\b",
    re.IGNORECASE,
)
"""Questions to which "until 9 pm" answers 9 pm."""
_UNTIL = re.compile(
    r"(?:^\W*|(?<=open )|(?<=runs )|(?<=valid )|(?<=have )|(?<= on ))(?:until|till|bis) (?=(?:um )?\d|(?-i:[A-Z]))",
    re.IGNORECASE,
)
_NO_LIMIT = re.compile(
    r"n't\b|\bnot\b(?! more than)|\b(?:cannot|never|no longer|unless|except|but|however|though|usually|normally|typically"
    r"|depend\w*|closed|previous\w*|former\w*|old|used to|was|were|had|will|soon|if|least|min(?:imum)?|beyond|maybe|perhaps"
    r"|possibly|from|between|double|twice|half|times|per ?cent|nicht|kein\w*|pas|ne|aber|sonst)\b|%",
    re.IGNORECASE,
)
"""Words with which a bound may not be the limit that is asked for."""


def limit_as_value(text: str, question: str) -> str:
    """A reply to a question about a limit, with the limit as a plain value; any other reply unchanged.

    >>> [limit_as_value(text, "How many users can it have?") for text in ("Up to 50.", "50 users max.", "Not up to 50.")]
    ['it is 50.', 'it is 50 users', 'Not up to 50.']
    >>> limit_as_value("Up to 50.", "How many users are there?"), limit_as_value("Open until 9 pm.", "When does it close?")
    ('Up to 50.', 'Open , it is 9 pm.')
    """
    question = last_question(question)
    if _ASKS_LEAST.search(question):
        return text if _NO_LIMIT.search(_AT_LEAST.sub("", text)) else _AT_LEAST.sub("it is ", text)
    if _NO_LIMIT.search(text):
        return text
    if _ASKS_END.search(question):
        return _UNTIL.sub(", it is ", text)
    if not _ASKS_LIMIT.search(question) or _counts_another_thing(text, question):
        return text
    return _AT_MOST.sub(r"it is \g<number>", text) if _AT_MOST.search(text) else _UP_TO.sub("it is ", text)


def last_question(text: str) -> str:
    """The last sentence that asks, without what is told before it; the whole text without such a sentence.

    >>> last_question("You must be at least 18. How many can join?")
    'How many can join?'
    """
    asked = _QUESTION.findall(text)
    return asked[-1].strip() if asked else text


def _counts_another_thing(text: str, question: str) -> bool:
    """Whether a number is of a thing that a question of how many does not name: 50 projects, not users."""
    asked = question.lower()
    return "how many" in asked and any(thing[1].lower() not in asked for thing in _OTHER_THING.finditer(text))
