"""Reruns a comparison or a gate over its records, without asking candidates."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from vivavoce.candidates.earlier import open_baseline
from vivavoce.candidates.names import open_candidate
from vivavoce.certificate.attempts.attempt import RecordedAttempt, refuse_earlier_tests
from vivavoce.certificate.comparison.compare import EXAMINATION as COMPARISON
from vivavoce.certificate.comparison.compare import compare, in_common
from vivavoce.certificate.comparison.config import OF_DRAWS, ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import Gate, gate
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.design.history import history_on_record
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.errors import BadInput, NotAtHand, VivavoceError
from vivavoce.examination.recheck.certificate import graders_again
from vivavoce.examination.recheck.comparison import budget_end, settings_of
from vivavoce.examination.recheck.recorded import RECORDED, Scopes, read_again, silent
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, Recording, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import figures_of, names_in
from vivavoce.scopes.listed_and_endless import ListedScope

What = Literal["comparison", "gate"]
_NO_TERMS: Final = "the ledger has terms of no known comparison"


def kind_of(document: Mapping[str, Any]) -> What | None:
    """Whether a document is a comparison or a gate; None for neither.

    >>> kind_of({"kind": "gate"}), kind_of({"kind": "certificate"})
    ('gate', None)
    """
    kind = document.get("kind")
    return kind if kind in ("comparison", "gate") else None


@dataclass(frozen=True, slots=True)
class ComparisonRecheck:
    """Everything needed to rerun a comparison or a gate."""

    document: Mapping[str, Any]
    transcripts: Sequence[Transcript]
    """Copies: one for each candidate in the order of the document, or one for all."""
    held: RecordedAttempt
    """Terms from the ledger."""
    scopes: Scopes
    files: Sequence[Path] = ()

    def finding(self) -> Comparison | Gate:
        """The finding by the records.

        Raises `NotAtHand` for a missing scope or recording, `NotOnRecord` if a record lacks an answer, and `BadInput` for
        invalid terms.
        """
        try:
            return asyncio.run(self._held_again())
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput(f"{_NO_TERMS}: {type(error).__name__}") from None

    async def _held_again(self) -> Comparison | Gate:
        terms, names = self.held.terms, self._names()
        if terms.examination != COMPARISON:
            raise BadInput(f"{_NO_TERMS}: '{terms.examination[:80]}'")
        scope, recorded = self._scope(names)
        places = self.transcripts if len(self.transcripts) == len(names) else [self.transcripts[0]] * len(names)
        interviews = [
            self._interview(name, transcript, recorded.get(name, {})) for name, transcript in zip(names, places, strict=True)
        ]
        digest = terms.settings.get("history")
        history = None if digest is None else history_on_record(self.transcripts[0], str(digest))
        judge = self._judge(names[0])
        if kind_of(self.document) == "gate":
            config = GateConfig(**self._settings("delta", "unreadable"))
            return await gate(interviews, scope, config, drawing=self._drawing, history=history, judge=judge)
        several = ComparisonConfig(**self._settings("delta", "rule", "unreadable"))
        return await compare(interviews, scope, several, drawing=self._drawing, history=history, judge=judge)

    def _judge(self, candidate: str) -> CandidateJudge | None:
        """The judge from the ledger, asked as this candidate was; None if the scope's own rule graded."""
        settings, transcript = self.held.terms.settings, self.transcripts[0]
        if "judge" not in settings:
            return None
        asking = settings["asked"][candidate]["asking"]

        def interview(name: str) -> Interview[Prompt, Reply]:
            source = str(settings.get("judge_source", ""))
            return read_again(silent(name, transcript, source), transcript, asking=asking)

        [(title, _)] = self.held.terms.scopes
        return graders_again(settings, {}, self.files, interview, scope=title, people=(), revealed=False).judge

    @property
    def _drawing(self) -> Drawing:
        """How questions were drawn, from the ledger."""
        settings = self.held.terms.settings
        refuse_earlier_tests(settings)
        return "strata" if "strata" in settings else "weights" if "evenly" in settings else "scope"

    def _settings(self, *names: str) -> dict[str, Any]:
        """Settings from the ledger; the margin and the most questions come from the document."""
        settings = self.held.terms.settings
        given, limit = settings["seed"], settings_of(self.document.get("signature")).get("questions")
        known = type(limit) is int and limit >= 1
        return {
            **{name: settings[name] for name in names},
            **{name: settings[name] for name in OF_DRAWS if name in settings},
            "margin": settings.get("margin", figures_of(self.document).get("margin")),
            "questions": limit if known else None,
            "seed": given if isinstance(given, int) else None,
        }

    def _names(self) -> list[str]:
        """All candidates of the ledger, in the document's order, which no record has."""
        terms = self.held.terms
        asked, named = list(terms.settings["asked"]), names_in(self.document)
        return named if sorted(named) == sorted(asked) else asked

    def _interview(self, name: str, transcript: Transcript, recorded: Mapping[str, str]) -> Interview[Prompt, Reply]:
        how, ended = self.held.terms.settings["asked"][name], self.document.get("budget_ended")
        return read_again(
            silent(name, transcript, str(how.get("source") or ""), recorded),
            transcript,
            asking=how["asking"],
            budget=budget_end(ended.get(name)) if isinstance(ended, dict) else None,
            strict_faults=self.document.get("strict_faults"),
        )

    def _scope(self, names: Sequence[str]) -> tuple[Any, dict[str, Mapping[str, str]]]:
        """The scope as given, and for each recording the questions that it answers.

        The record names the scope without the questions that a recording lacks. If no given scope is that one, a given scope
        without these questions must be; the recordings are then needed, too.
        """
        [(title, digest)] = self.held.terms.scopes
        recordings = [name for name in names if name.partition(":")[0] in RECORDED]
        try:
            scope = self.scopes.find(title, digest)
        except NotAtHand as error:
            if not recordings:
                raise
            if any(name.startswith("log:") for name in recordings):
                logs = clipped(", ".join(recordings), 400)
                raise NotAtHand(f"the logs that were compared are needed, unchanged: give each with --file ({logs})") from None
            return self._less_what_is_lacking(title, digest, recordings, error)
        everything = {question.id: "" for question in getattr(scope, "questions", ())}
        return scope, dict.fromkeys(recordings, everything)

    def _less_what_is_lacking(
        self, title: str, digest: str, recordings: Sequence[str], missing: NotAtHand
    ) -> tuple[Any, dict[str, Mapping[str, str]]]:
        for scope in self.scopes.opened:
            values = {name: self._recorded(name, scope) for name in recordings} if isinstance(scope, ListedScope) else {}
            known = {name: answers for name, answers in values.items() if answers is not None}
            asked = [Interview(silent(name, self.transcripts[0], "", of), answers=Reply) for name, of in known.items()]
            with suppress(BadInput):  # no question is in all of them
                if in_common(scope, asked)[0].digest == digest:
                    return self.scopes.titled(scope, title), known
        raise NotAtHand(f"{missing}; if a recording lacks questions, also give the recording with --file") from None

    def _recorded(self, name: str, scope: ListedScope) -> Mapping[str, str] | None:
        """The questions that the recording of that name answers, from the given files; None if no file is that recording."""
        kind, _, rest = name.partition(":")
        behind = rest.partition("#")[2]
        who = behind.rpartition("?sha256=")[0]
        for file in self.files:
            for several in (False, True):
                try:
                    if kind == "replay":
                        candidate = open_candidate(f"replay:{file}#{behind}")
                    else:
                        where = f"{file}#{who}" if who else str(file)
                        candidate = open_baseline(where, list(map(scope.prompt, scope.questions)), several=several)
                except VivavoceError:
                    continue
                if candidate.name == name and isinstance(candidate, Recording):
                    return candidate.recorded
        return None


def taken(document: Mapping[str, Any]) -> list[str]:
    """Messages on parts that are taken from the document, since no record has them, one sentence each."""
    result = []
    if len(names_in(document)) > 1:
        result.append("Not rechecked: the order of the candidates, and the margin.")
    ended = document.get("budget_ended")
    if isinstance(ended, dict) and ended:
        whom = clipped(", ".join(map(str, ended)), 200)
        result.append(f"Not rechecked: that a budget ended the questions to {whom}.")
    if document.get("strict_faults") is True:
        result.append("Not rechecked: that questions which were turned away counted as received.")
    return result
