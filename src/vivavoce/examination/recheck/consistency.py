"""Rechecking findings of `viva consistency vary`, of the studies of scopes, and of `viva consistency teach`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.errors import BadInput
from vivavoce.examination.parts.studies import drawn
from vivavoce.examination.recheck.certificate import CannotBeRechecked
from vivavoce.examination.recheck.comparison import NO_DOCUMENT, FieldDifference, What, examined_by, settings_of
from vivavoce.examination.recheck.recorded import Scopes, read_again, silent
from vivavoce.examination.teaching import KIND, TOPIC, Dialogue, TeachingFinding, name_after
from vivavoce.interview.candidate import Exchange, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import ReportedFinding, figures_of, names_in
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.scope_studies import RECHECKED, SCOPE_STUDIES, scope_study
from vivavoce.studies.scope_subjects import conversed
from vivavoce.studies.study import Source
from vivavoce.studies.vary import ask as vary

WRITTEN_IF_SET: Final = {"flip_limit", "delta", "law"}
"""Settings that a signature names only if they were given."""
SETTINGS: Final = "Not rechecked: what was to be asked, which is all settings in the signature."
NO_SETTINGS: Final = "the signature does not say how it was examined"
WRITTEN: Final = "A writer took part, and its texts are not in the record."
BUDGET: Final = "A budget ended it, and the record does not show which answers came first."


def consistency_kind(document: Mapping[str, Any]) -> What | None:
    """The kind of study of a document; None for other documents."""
    return "finding of a study" if examined_by(document.get("signature"))[0] in RECHECKED else None


@dataclass(frozen=True, slots=True)
class StudyRecheck:
    """Everything needed to rerun such an examination."""

    document: Mapping[str, Any]
    transcript: Transcript
    scopes: Scopes

    def finding(self) -> ReportedFinding:
        """The finding by the record.

        Raises `NotAtHand` for a missing scope, `CannotBeRechecked` for a finding that no record can reproduce, `NotOnRecord` if
        the record lacks an answer, and `BadInput` for unusable settings.
        """
        try:
            if self.document["figures"]["not_reached"]:
                raise CannotBeRechecked(BUDGET)
            return asyncio.run(self._held_again())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{NO_SETTINGS} ({type(error).__name__})") from None

    async def _held_again(self) -> ReportedFinding:
        kind, settings = examined_by(self.document["signature"])[0], self._settings
        if kind in SCOPE_STUDIES:
            study = scope_study(kind)
            chosen = self._config(study.config)
            scope, title = self._scope()
            return await study.ask(self._interview, conversed(scope, chosen), chosen, Source(title, scope.digest))
        if {"writer", "checker"} & settings.keys():
            raise CannotBeRechecked(WRITTEN)
        config = self._config(VaryConfig)
        scope, title = self._scope()
        questions, origin = drawn(scope, config, title=title, judged="judge" in settings)
        return await vary(self._interview, questions, config, origin, judging=self._judging)

    def _config(self, kind: type[Any]) -> Any:
        """The settings of the study as the signature has them."""
        settings = {**self._settings, "seed": int(self.document["seed"])}
        names = [field.name for field in fields(kind)]
        given = {name: settings[name] for name in names if name in settings or name not in WRITTEN_IF_SET}
        return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in given.items()})

    @property
    def _settings(self) -> dict[str, Any]:
        return settings_of(self.document.get("signature"))

    @property
    def _interview(self) -> Interview[Prompt, Reply]:
        return self._reading(str(self.document["candidates"][0]), str(self._settings.get("source", "")))

    @property
    def _judging(self) -> Interview[Prompt, Reply] | None:
        settings = self._settings
        return self._reading(str(settings["judge"]), str(settings.get("judge_source", ""))) if "judge" in settings else None

    def _reading(self, name: str, source: str) -> Interview[Prompt, Reply]:
        settings, candidate = self._settings, silent(name, self.transcript, source)
        return read_again(candidate, self.transcript, asking=settings["asking"], strict_faults=settings.get("strict_faults"))

    def _scope(self) -> tuple[Any, str]:
        """The scope that the signature names, and its title there."""
        _, title, digest = examined_by(self.document["signature"])
        return self.scopes.beginning(title, digest), title


TAKEN: Final = "Not rechecked: which questions the teacher was shown, and why the dialogue ended early, if it did."


class TeachingRecheck:
    """A document of `viva consistency teach`.

    document: its JSON. Raises `BadInput` if it contains no dialogue.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._figures = figures = figures_of(document)
        try:
            exchanges = tuple(Exchange(str(figure["teacher"]), str(figure["candidate"])) for figure in figures["dialogue"])
            shown, broken = tuple(map(str, figures["shown_to_teacher"])), figures["broken_off"]
        except (KeyError, TypeError):
            raise BadInput(NO_DOCUMENT) from None
        self._candidate = (names_in(document) or [""])[0]
        self._dialogue = Dialogue(str(figures.get("teacher")), exchanges, shown, str(broken or ""))

    @staticmethod
    def wrote(document: Mapping[str, Any]) -> bool:
        """Whether `viva consistency teach` wrote a document."""
        return document.get("kind") == KIND and isinstance(figures_of(document).get("comparison"), dict)

    def finding(self, made: Comparison) -> TeachingFinding:
        """The finding around the comparison that was reproduced."""
        return TeachingFinding(made, self._candidate, self._dialogue)

    def scopes(self, given: Sequence[str | Scope[Question]]) -> list[str | Scope[Question]]:
        """The given scopes, and each list of questions without the questions that the teacher saw."""
        opened = [scope for scope in Scopes(given).opened if isinstance(scope, ListedScope)]
        return [*given, *filter(None, map(self._rest, opened))]

    def differences(self, record: Transcript) -> Iterator[FieldDifference]:
        """Every turn that differs from the record, and a name that does not belong to this dialogue."""
        rows = {(before[1:], text) for before, text in _turns(record, self._dialogue.teacher, "teacher")}
        replied = set(_turns(record, self._candidate, "student"))
        before: tuple[str, ...] = ()
        for index, exchange in enumerate(self._dialogue.exchanges):
            if (before, exchange.asked) not in rows:
                yield FieldDifference(f"figures.dialogue[{index}].teacher", json.dumps(exchange.asked), "no such turn")
            if ((*before, exchange.asked), exchange.replied) not in replied:
                yield FieldDifference(f"figures.dialogue[{index}].candidate", json.dumps(exchange.replied), "no such turn")
            before = (*before, exchange.asked, exchange.replied)
        name, after = name_after(self._candidate, self._dialogue), (names_in(self._figures["comparison"]) or [""])[0]
        if after != name:
            yield FieldDifference("figures.comparison.candidates[0]", json.dumps(after), json.dumps(name))

    def _rest(self, scope: ListedScope) -> ListedScope | None:
        shown = set(self._dialogue.shown)
        left = {question.id for unit in scope.units if unit[0].id not in shown for question in unit}
        return (
            replace(scope, questions=tuple(question for question in scope.questions if question.id in left)) if left else None
        )


def _turns(record: Transcript, name: str, role: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The conversation before each turn, and the reply to it."""
    said_by = re.compile(rf"{re.escape(name)}(@[0-9a-f]+)?")  # a function is on record with a digest of its source
    for entry in record.records(topic=f"{TOPIC}/{role}"):
        if not said_by.fullmatch(entry.candidate):
            continue
        asked, answered = json.loads(entry.question), json.loads(entry.answer)
        words = answered.get("text") if isinstance(answered, dict) else None
        if isinstance(words, str):
            earlier = [text for each in asked.get("earlier", ()) for text in (each["asked"], each["replied"])]
            yield (*earlier, asked["text"]), words
