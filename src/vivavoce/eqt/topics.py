"""Where in a transcript each step stands: paths that, sorted, tell the examination in the order in which one would read it."""

from __future__ import annotations

from vivavoce.eqt.questions import Concept


def concept_topic(concept: Concept) -> str:
    """The path under which all on one concept stands.

    A slash within a name would begin another level, so that it is written as the division slash, which looks alike.

    >>> concept_topic(Concept("TCP/IP", "computer science"))
    'eqt/computer science/TCP∕IP'
    """
    return f"eqt/{level(concept.category)}/{level(concept.name)}"


def question_topic(concept: Concept, number: int) -> str:
    """The path under which all on one question stands, its number from 1.

    >>> question_topic(Concept("Graph theory", "math"), 3)
    'eqt/math/Graph theory/question 03'
    """
    return f"{concept_topic(concept)}/question {number:02d}"


def level(name: str) -> str:
    """A name as one level of a path: on one line, without slashes, and not empty.

    >>> level("  and / or\\n"), level("")
    ('and ∕ or', '-')
    """
    return " ".join(name.split()).replace("/", "∕") or "-"
