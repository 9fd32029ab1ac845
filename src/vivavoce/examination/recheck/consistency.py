"""Findings of the consistency commands by themselves, again: what `viva consistency vary` and the studies of scopes print."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.examination.conversed import conversed
from vivavoce.examination.recheck.comparison import examined_by, settings_of
from vivavoce.examination.recheck.others import CannotBeRechecked
from vivavoce.examination.recheck.rechecked import What
from vivavoce.examination.recheck.recorded import read_again, silent
from vivavoce.examination.recheck.scopes import Scopes
from vivavoce.examination.varied import drawn
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import Reported
from vivavoce.studies.config import SCOPE_STUDIES, VaryConfig
from vivavoce.studies.scope_study import scope_study
from vivavoce.studies.study import Source
from vivavoce.studies.vary import ask as vary

WRITTEN_IF_SET: Final = {"flip_limit", "delta", "law"}
"""Settings that a signature names only if they were given."""
SETTINGS: Final = "Taken as it is written: what was to be asked, that is all settings in the signature."
NO_SETTINGS: Final = "the signature does not say how it was examined"
WRITTEN: Final = "A writer had a part, and what was written is not in the record."
BUDGET: Final = "A budget ended it, and the record does not tell which answers came first."


def consistency_kind(document: Mapping[str, Any]) -> What | None:
    """Which of these a document is; None for none of them."""
    kind = examined_by(document.get("signature"))[0]
    return "finding of a study" if kind == "vary" or kind in SCOPE_STUDIES else None


@dataclass(frozen=True, slots=True)
class StudyRecheck:
    """What it takes to hold such an examination again."""

    document: Mapping[str, Any]
    transcript: Transcript
    scopes: Scopes

    def finding(self) -> Reported:
        """What the record gives.

        Raises `NotAtHand` for a scope that was not given, `CannotBeRechecked` for what no record can give again,
        `NotOnRecord` where the record lacks an answer, and `BadInput` for unusable settings.
        """
        try:
            if self.document["figures"]["not_reached"]:
                raise CannotBeRechecked(BUDGET)
            return asyncio.run(self._held_again())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{NO_SETTINGS} ({type(error).__name__})") from None

    async def _held_again(self) -> Reported:
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
