"""A bot for questions on events in time: it parses statements on when events began and ended, and draws every conclusion.

It finds conclusions by search: point p is before point q if a path of "not after" steps, one of them strict, leads from p to q.
That is exact for statements of this kind (`vilain1986`).
"""

from __future__ import annotations

import re

from vivavoce.candidates.bots.chatterbots import DeterministicBot
from vivavoce.candidates.options import NoOptions
from vivavoce.interview.candidate import Prompt, Reply

Point = tuple[str, str]
"""An event, and which end of it: `begins` or `ends`."""
Order = tuple[Point, Point, bool]
"""The first point is not after the second; strictly before it where the third is true."""

BEGINS, ENDS = "begins", "ends"
TOGETHER, UNKNOWN = "same moment", "cannot be known"
DONT_KNOW = "I don't know"
STATEMENTS: tuple[tuple[str, tuple[tuple[int, str, str, int, str], ...]], ...] = (
    (r"(.+) happened during (.+)", ((2, BEGINS, "<", 1, BEGINS), (1, ENDS, "<", 2, ENDS))),
    (r"(.+) and (.+) began at the same moment", ((1, BEGINS, "=", 2, BEGINS),)),
    (r"(.+) and (.+) ended at the same moment", ((1, ENDS, "=", 2, ENDS),)),
    (r"(.+) was already going on when (.+) began", ((1, BEGINS, "<", 2, BEGINS), (2, BEGINS, "<", 1, ENDS))),
    (r"(.+) was over before (.+) began", ((1, ENDS, "<", 2, BEGINS),)),
    (r"(.+) ended at the very moment (.+) began", ((1, ENDS, "=", 2, BEGINS),)),
    (r"(.+) began before (.+) did", ((1, BEGINS, "<", 2, BEGINS),)),
    (r"(.+) ended before (.+) did", ((1, ENDS, "<", 2, ENDS),)),
)
"""The meaning of a sentence for its first and second event."""

_QUESTION = re.compile(
    r"Which (?P<verb>began|ended) first, (?P<a>.+) or (?P<b>.+)"
    r"|Was there a (?:stretch of )?time (?:when|during which) both (?P<c>.+) and (?P<d>.+) were going on"
    r"|Was (?P<e>.+) over before (?P<f>.+) began",
    re.IGNORECASE,
)
_OPTION = re.compile(r"^\(([A-Z])\) (.+)$", re.MULTILINE)


class Timekeeper(DeterministicBot):
    """Answers questions on the order of events exactly, "it cannot be known" among them."""

    def __init__(self, options: NoOptions) -> None:
        super().__init__("timekeeper", options)

    async def answer(self, question: Prompt, /) -> Reply:
        """The letter of the right option; "I don't know" to a prompt of any other kind."""
        text = _OPTION.split(question.text, maxsplit=1)[0][:20_000]
        conclusion = conclude(text)
        matching = [letter for letter, option in _OPTION.findall(question.text[:20_000]) if _says(option, conclusion)]
        return Reply(f"Answer: {matching[0] if matching else DONT_KNOW}")


def conclude(text: str) -> str:
    """The conclusion from a text's statements for the question at its end, in lower case; empty without a question.

    >>> conclude("The war happened during the drought. Which began first, the war or the drought?")
    'the drought'
    >>> conclude("The war began before the drought did. Which ended first, the war or the drought?")
    'cannot be known'
    """
    sentences = [sentence.strip(" ()\n").lower() for sentence in re.split(r"[.?]", text)]
    question = next(filter(None, map(_QUESTION.fullmatch, sentences)), None)
    if question is None:
        return ""
    known = [order for sentence in sentences for order in _read(sentence)]
    if question["verb"]:
        end = BEGINS if question["verb"] == "began" else ENDS
        return _which_first(known, (question["a"], end), (question["b"], end))
    if question["c"]:
        return _at_once(known, question["c"], question["d"])
    first, second = (question["e"], ENDS), (question["f"], BEGINS)
    return _verdict(_leads(known, first, second, strictly=True), _leads(known, second, first))


def _says(option: str, conclusion: str) -> bool:
    """Whether an option has the conclusion's words; "no" must be the whole option; other conclusions may be part of it."""
    words = option.strip().lower()
    return words == conclusion or (conclusion in (TOGETHER, UNKNOWN) and conclusion in words)


def _read(sentence: str) -> list[Order]:
    """The relations in one sentence, and that the events it names begin before they end."""
    for pattern, relations in STATEMENTS:
        if match := re.fullmatch(pattern, sentence):
            orders: list[Order] = [((event, BEGINS), (event, ENDS), True) for event in match.groups()]
            for first, first_end, relation, second, second_end in relations:
                p, q = (match[first], first_end), (match[second], second_end)
                orders += [(p, q, True)] if relation == "<" else [(p, q, False), (q, p, False)]
            return orders
    return []


def _leads(known: list[Order], start: Point, goal: Point, *, strictly: bool = False) -> bool:
    """Whether the start is never after the goal (strictly: always before it)."""
    seen = {(start, False)}
    frontier = [(start, False)]
    while frontier:
        point, strict = frontier.pop()
        for first, second, step in known:
            if first == point and (reached := (second, strict or step)) not in seen:
                seen.add(reached)
                frontier.append(reached)
    return (goal, True) in seen or (not strictly and (goal, False) in seen)


def _which_first(known: list[Order], first: Point, second: Point) -> str:
    if _leads(known, first, second, strictly=True):
        return first[0]
    if _leads(known, second, first, strictly=True):
        return second[0]
    return TOGETHER if _leads(known, first, second) and _leads(known, second, first) else UNKNOWN


def _at_once(known: list[Order], name: str, other: str) -> str:
    """Two events overlap if each begins before the other ends; they do not if either ends before, or when, the other begins."""
    overlap = all(_leads(known, (a, BEGINS), (b, ENDS), strictly=True) for a, b in ((name, other), (other, name)))
    apart = any(_leads(known, (a, ENDS), (b, BEGINS)) for a, b in ((name, other), (other, name)))
    return _verdict(overlap, apart)


def _verdict(yes: bool, no: bool) -> str:
    return "yes" if yes else "no" if no else UNKNOWN
