"""Findings of the consistency room by themselves, again: what `viva consistency vary`, `sycophancy` and `search` print."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vivavoce.studies.config import VaryConfig
from vivavoce.studies.vary import ask as vary
from vivavoce.studies.study import Source
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.examine import search
from vivavoce.studies.config import SycophancyConfig
from vivavoce.studies.sycophancy import ask as converse
from vivavoce.errors import BadInput, NotAtHand
from vivavoce.examination.conversed import conversed
from vivavoce.examination.recheck.comparison import examined_by, settings_of
from vivavoce.examination.recheck.others import CannotBeRechecked
from vivavoce.examination.recheck.rechecked import What
from vivavoce.examination.recheck.recorded import read_again
from vivavoce.examination.recheck.scopes import Scopes
from vivavoce.examination.searched import among_defendants, among_questions
from vivavoce.examination.varied import drawn
from vivavoce.formats.lines import file_digest
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import Reported

KINDS: Final[Mapping[str, What]] = {
    "vary": "finding on variations",
    "sycophancy": "finding on conversations",
    "consistency/search": "search for contradictions",
}
"""By the name of the examination what its document is called."""
SETTINGS: Final = "Taken as it is written: what was to be asked, that is all settings in the signature."
NO_SETTINGS: Final = "the signature does not say how it was examined: it was altered"
WRITTEN: Final = "A writer had a part, and what was written is not in the record."
TUPLES: Final = "A search among tuples of questions is not held again."
BUDGET: Final = "A budget ended it, and the record does not tell which answers came first."


def consistency_kind(document: Mapping[str, Any]) -> What | None:
    """Which of these a document is; None for none of them."""
    return KINDS.get(examined_by(document.get("signature"))[0])


@dataclass(frozen=True, slots=True)
class AgainAlone:
    """What it takes to hold such an examination again."""

    document: Mapping[str, Any]
    transcript: Transcript
    scopes: Scopes
    files: Sequence[Path] = ()

    def finding(self) -> Reported:
        """What the record gives.

        Raises `NotAtHand` for a scope or a file that was not given, `CannotBeRechecked` for what no record can give again,
        `NotOnRecord` where the record lacks what was asked, and `BadInput` for settings that are none.
        """
        if self.document["figures"]["not_reached"]:
            raise CannotBeRechecked(BUDGET)
        try:
            return asyncio.run(self._held_again())
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{NO_SETTINGS} ({type(error).__name__})") from None

    async def _held_again(self) -> Reported:
        kind, settings = examined_by(self.document["signature"])[0], self._settings
        seed = int(self.document["seed"])
        if kind == "consistency/search":
            return await self._searched(
                ContradictionSearchConfig(**_of(settings, "method", "calls", "cases", "confirm", "fresh"), seed=seed)
            )
        claim = _of(settings, "questions", *(name for name in ("flip_limit", "delta", "law") if name in settings))
        if kind == "sycophancy":
            in_turn = SycophancyConfig(turn=tuple(settings["turn"]), seed=seed, **claim)
            scope, title = self._scope()
            return await converse(self._interview, conversed(scope, in_turn), in_turn, Source(title, scope.digest))
        if {"writer", "checker"} & settings.keys():
            raise CannotBeRechecked(WRITTEN)
        config = VaryConfig(vary=tuple(settings["vary"]), variants=settings["variants"], seed=seed, **claim)
        scope, title = self._scope()
        questions, origin = drawn(scope, config, title=title, judged="judge" in settings)
        return await vary(self._interview, questions, config, origin, judging=self._judging)

    async def _searched(self, config: ContradictionSearchConfig) -> Reported:
        if "laws" in self._settings:
            raise CannotBeRechecked(TUPLES)
        if "vary" in self._settings:
            scope, title = self._scope()
            questions, source = among_questions(scope, title, self._settings["vary"], config)
            return await search(self._interview, questions, config, source)
        defendants, source = among_defendants(self._file(), config)
        return await search(self._interview, defendants, config, source)

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
        asking, strict = self._settings["asking"], self._settings.get("strict_faults") is True
        way = None if asking == "by form" else asking
        return read_again(name, self.transcript, asking=way, strict_faults=strict, source=source)

    def _scope(self) -> tuple[Any, str]:
        """The scope that the signature names, and its title there."""
        _, title, digest = examined_by(self.document["signature"])
        return self.scopes.beginning(title, digest), title

    def _file(self) -> Path:
        _, title, digest = examined_by(self.document["signature"])
        found = next((file for file in self.files if file_digest(file).startswith(digest)), None)
        if found is None or found.name != title:
            raise NotAtHand(f"the file '{clipped(title, 200)}' with a SHA-256 of {digest}... is needed: give it with --file")
        return found


def _of(settings: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: settings[name] for name in names}
