"""How a prompt with a form is put: in words, under a schema, or once more for the final answer alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from vivavoce.interview.candidate import Exchange, Prompt, Recording, Reply
from vivavoce.interview.forms.form import Form, Way


@runtime_checkable
class Asked(Protocol):
    """A candidate that can be asked in more ways than in words: it holds a conversation, or its server takes a schema."""

    @property
    def ways(self) -> tuple[Way, ...]:
        """The ways in which it can be asked."""
        ...


@runtime_checkable
class Conversing(Protocol):
    """A candidate that may be told what was said before, without being asked in other ways."""

    @property
    def converses(self) -> bool:
        """Whether it is."""
        ...


def holds_conversation(candidate: object) -> bool:
    """Whether a candidate hears earlier turns; of a recording the answer to each turn is looked up by its id."""
    if isinstance(candidate, Recording) or "turn" in ways_of(candidate):
        return True
    return isinstance(candidate, Conversing) and candidate.converses


def ways_of(candidate: object) -> tuple[Way, ...]:
    """The ways in which a candidate can be asked: recordings, engines, people, bots and plain functions in words alone."""
    return candidate.ways if isinstance(candidate, Asked) else ("text",)


def way_for(form: Form[Any], wished: Way | None, ways: tuple[Way, ...]) -> Way:
    """How a form is asked for: as the user wishes, else as the form says, as far as the candidate can be asked so."""
    way = form.way if wished is None else wished
    return way if way in ways else "text"


def posed(prompt: Prompt, way: Way = "text") -> Prompt:
    """The prompt as it is sent, with its form in words at its end; one without a form stays as it is."""
    form = prompt.form
    if form is None:
        return prompt
    under_schema = way == "schema"
    instruction = form.schema_instruction if under_schema else form.instruction
    # in the order of the form: what stands first is written first, and what follows can rest on it
    schema = json.dumps(form.schema, ensure_ascii=False, separators=(",", ":")) if under_schema else ""
    return replace(prompt, text="\n\n".join(filter(None, (prompt.text, instruction))), schema=schema)


def further_turn(asked: Prompt, reply: Reply) -> Prompt:
    """What is put after a reply that cannot be read: the conversation so far, and a request for the final answer alone.

    Parameters
    ----------
    asked: as it was sent (`posed`).
    """
    assert asked.form is not None
    said = Exchange(asked.text, reply.text)
    if asked.earlier:
        return replace(asked, text=asked.form.further, earlier=(*asked.earlier, said))
    return replace(asked, text=asked.form.further, shown=(*asked.shown, said))


def next_turn(asked: Prompt, reply: Reply, text: str, *, id: str) -> Prompt:  # noqa: A002 - Prompt's own word
    """The next turn of a conversation, after all that was really said: the reply, and the one to the further turn, if any.

    Parameters
    ----------
    asked: the turn before, as it was sent (`posed`).
    text: what is said now; the form is asked for again.

    >>> first = Prompt("Capital of Italy?", id="q")
    >>> next_turn(first, Reply("Rome."), "Are you sure?", id="q/sure/1").conversation
    (('user', 'Capital of Italy?'), ('assistant', 'Rome.'), ('user', 'Are you sure?'))
    """
    said = [Exchange(asked.text, reply.text)]
    if reply.further is not None and asked.form is not None:
        said.append(Exchange(asked.form.further, reply.further.text))
    return replace(asked, text=text, id=id, schema="", earlier=(*asked.earlier, *said))
