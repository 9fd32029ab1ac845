"""Which draws of its questions an attempt asks for: answers that were seen may have chosen the questions, or the claim.

Take a candidate that answers at random. Whoever has its answers on record can make a list of the questions that it missed, and
of those alone hold another examination: the answers on record are all wrong, whatever the candidate's probabilities are. So an
attempt begins, question by question, at the first draw that nothing on record stands at. Then, when its terms are settled,
none of the answers that it will rest on has been given, and the proofs in `attempts`, `evidence` and `draws.claim` hold.

Two kinds of attempts may have answers that are on record:

- one that goes on: its first draw is on record with its terms;
- one about the answers to a list, if the list with the same digest was examined before, at the same draw. The list was settled
  before these answers were given. Claims about probabilities always have answers of their own.

A candidate that says the same whenever it is asked has no other answers: its first draw is 0.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.certificate.attempts import Terms
from vivavoce.certificate.determinism import about
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Prompt, Recording, Reply, is_deterministic
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.interview import Interview

ATTEMPTS: Final = "attempts"
"""Topic of the records that begin attempts."""

EVENLY, DEPLOYED = "evenly", "deployment-certificate"
"""What terms call a design, and an examination, that draws each question once, whatever its weight."""

payment_notice: ContextVar[Callable[[str], None] | None] = ContextVar("payment_notice", default=None)
"""Who is told, before anything is asked, that answers on record are asked for again; None: nobody."""


@dataclass(frozen=True, slots=True)
class FirstDraws:
    """By a candidate's name on record the first draw of each question, where it is not 0, and what that costs."""

    of: Mapping[str, int]
    asked_again: Mapping[str, int]
    """By a candidate's name, how many questions have an answer on record and are asked again."""
    about: str = ""
    """What the claim is about where that is not the candidate (`determinism.about`)."""

    @property
    def words(self) -> str:
        """What is asked again, in a sentence; empty where nothing is.

        >>> FirstDraws({"chat:m": 1}, {"chat:m": 700}).words
        '700 questions that chat:m has answered are asked, and paid for, again: they may have been chosen by its answers.'
        """
        parts = [
            f"{count(number)} question{'' if number == 1 else 's'} that {name} has answered"
            for name, number in self.asked_again.items()
        ]
        listed = " and ".join(parts)
        return listed and f"{listed} are asked, and paid for, again: they may have been chosen by its answers."


async def first_draws(
    interviews: Sequence[Interview[Prompt, Reply]], scopes: Sequence[Any], terms: Terms, *, anew: bool = False
) -> FirstDraws:
    """Where a new attempt with these terms begins, for each who is asked.

    anew: no answer on record counts, since the candidate may have changed behind its name; of a recording all do.
    """
    found, again = dict[str, int](), dict[str, int]()
    evenly = terms.examination == DEPLOYED or terms.settings.get("design") == EVENLY or EVENLY in terms.settings
    each_once = evenly or all(scope.population is not None for scope in scopes)
    for interview in interviews:
        name = interview.name_on_record
        if isinstance(interview.candidate, Recording) if anew else is_deterministic(interview.candidate):
            continue
        if not anew and each_once and "draws" not in terms.settings:
            known = await asyncio.to_thread(_examined_at, interview, scopes)
            if known is not None:
                found[name] = known
                continue
        prompts = (scope.prompt(question) for scope in scopes for question in scope.questions) if _are_lists(scopes) else None
        if taken := await interview.recorded_draws(prompts):
            found[name] = max(taken) + 1
            if prompts is not None:
                again[interview.candidate.name] = len(taken)
    what = about([interview.candidate for interview in interviews], terms.settings, each_once=each_once)
    return FirstDraws({name: draw for name, draw in found.items() if draw}, again, what)


def _are_lists(scopes: Sequence[Any]) -> bool:
    return all(getattr(scope, "questions", ()) for scope in scopes)


def _examined_at(interview: Interview[Prompt, Reply], scopes: Sequence[Any]) -> int | None:
    """The draw at which all of these lists were examined before, for their answers; None where they were not."""
    found: dict[str, int] = {}
    for record in interview.transcript.records(candidate=COMMITTER, topic=ATTEMPTS):
        if "attempts of" not in json.loads(record.question):
            continue
        values = json.loads(record.answer)
        before = Terms.from_json(values["terms"])
        if "draws" not in before.settings and interview.name_on_record in before.names_on_record:
            draw = int(values.get("first_draws", {}).get(interview.name_on_record, 0))
            found |= {digest: draw for _, digest in before.scopes}
    draws = {found.get(digest) for scope in scopes for digest in getattr(scope, "parts", ()) or (scope.digest,)}
    return draws.pop() if len(draws) == 1 else None
