"""Rechecking a dialogue: the scope without the teacher's examples, and whether each turn is on record."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.errors import BadInput
from vivavoce.examination.recheck.comparison import NO_DOCUMENT
from vivavoce.examination.recheck.rechecked import Difference
from vivavoce.examination.recheck.scopes import Scopes
from vivavoce.examination.teaching import KIND, TOPIC, Dialogue, TeachingFinding, name_after
from vivavoce.interview.candidate import Exchange
from vivavoce.interview.scope import Scope
from vivavoce.interview.transcript import Transcript
from vivavoce.report.document import figures_of, names_in
from vivavoce.scopes.listed import ListedScope
from vivavoce.scopes.questions import Question

TAKEN: Final = "Taken as it is written: which questions the teacher was shown, and why the dialogue ended where it ended early."


class TeachingRecheck:
    """What `viva teach` wrote.

    document: its JSON. Raises `BadInput` where that holds no dialogue.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._figures = figures = figures_of(document)
        try:
            said = tuple(Exchange(str(one["teacher"]), str(one["candidate"])) for one in figures["dialogue"])
            shown, broken = tuple(map(str, figures["shown_to_teacher"])), figures["broken_off"]
        except (KeyError, TypeError):
            raise BadInput(NO_DOCUMENT) from None
        self._candidate = (names_in(document) or [""])[0]
        self._dialogue = Dialogue(str(figures.get("teacher")), said, shown, str(broken or ""))

    @staticmethod
    def wrote(document: Mapping[str, Any]) -> bool:
        """Whether it was that which wrote a document."""
        return document.get("kind") == KIND and isinstance(figures_of(document).get("comparison"), dict)

    def finding(self, made: Comparison) -> TeachingFinding:
        """The finding around the comparison that the record gives."""
        return TeachingFinding(made, self._candidate, self._dialogue)

    def scopes(self, given: Sequence[str | Scope[Question]]) -> list[str | Scope[Question]]:
        """What was given, and each list of questions without what the teacher was shown."""
        opened = [one for one in Scopes(given).opened if isinstance(one, ListedScope)]
        return [*given, *filter(None, map(self._rest, opened))]

    def differences(self, record: Transcript) -> Iterator[Difference]:
        """Every turn that differs from the record, and a name that is not this dialogue's."""
        told = {(before[1:], said) for before, said in _turns(record, self._dialogue.teacher, "teacher")}
        replied = set(_turns(record, self._candidate, "student"))
        before: tuple[str, ...] = ()
        for place, one in enumerate(self._dialogue.exchanges):
            if (before, one.asked) not in told:
                yield Difference(f"figures.dialogue[{place}].teacher", json.dumps(one.asked), "no such turn")
            if ((*before, one.asked), one.replied) not in replied:
                yield Difference(f"figures.dialogue[{place}].candidate", json.dumps(one.replied), "no such turn")
            before = (*before, one.asked, one.replied)
        name, after = name_after(self._candidate, self._dialogue), (names_in(self._figures["comparison"]) or [""])[0]
        if after != name:
            yield Difference("figures.comparison.candidates[0]", json.dumps(after), json.dumps(name))

    def _rest(self, scope: ListedScope) -> ListedScope | None:
        shown = set(self._dialogue.shown)
        left = {one.id for unit in scope.units if unit[0].id not in shown for one in unit}
        return replace(scope, questions=tuple(one for one in scope.questions if one.id in left)) if left else None


def _turns(record: Transcript, name: str, role: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The conversation before each turn, and the reply to it."""
    said_by = re.compile(rf"{re.escape(name)}(@[0-9a-f]+)?")  # a function is on record with a digest of its source
    for one in record.records(topic=f"{TOPIC}/{role}"):
        if not said_by.fullmatch(one.candidate):
            continue
        asked, answered = json.loads(one.question), json.loads(one.answer)
        said = answered.get("text") if isinstance(answered, dict) else None
        if isinstance(said, str):
            earlier = [text for each in asked.get("earlier", ()) for text in (each["asked"], each["replied"])]
            yield (*earlier, asked["text"]), said
