"""Examinations for clients: one at a time, over one record, within one allowance."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from vivavoce.certificate.attempts.log import limit_of
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.config import USUAL
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.examination.recheck import FieldDifference, RecheckFinding, recheck
from vivavoce.examination.recheck.again import up_to
from vivavoce.examination.recheck.attempt import ledger
from vivavoce.examination.recheck.comparison import document_of
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Candidate, Prompt, Reply, usual_concurrency, usual_time_out
from vivavoce.interview.forms.form import ReplyFormat
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.progress import Progress, together
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.tracing import examining
from vivavoce.interview.transcript import Transcript
from vivavoce.plugins.mcp_server import messages
from vivavoce.plugins.mcp_server.limits import Allowance
from vivavoce.plugins.mcp_server.messages import OfferedChoices
from vivavoce.report.reported import figures_of, names_in

Told = Callable[[Progress], None]
KEPT: Final = 100
"""Results that are remembered by name."""
LARGEST: Final = 1_000_000
"""Characters of a rechecked document: a finding of 10,000 questions has about 700,000."""
_FOREIGN: Final = ("dossier", "baseline", "grading", "explained", "history", "extension", "comparison", "verdicts", "whole")
"""Fields of documents that no examination of a server writes, and that name further files or candidates."""
_ON_COMMAND_LINE: Final = "'--new-attempt'"
"""The name of the remedy on the server."""


@dataclass(frozen=True, slots=True)
class _ResultDocument:
    """A result, and its whole document."""

    result: messages.Result
    document: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class InterviewConduct:
    """Settings of all interviews: see `Interview`."""

    concurrency: int | None = None
    """None: each candidate's own default."""
    time_out: float | None = None
    """Likewise."""
    attempts: int = 5
    asking: ReplyFormat | None = None
    strict_faults: bool = False


class Examiner:
    """Runs the examinations that clients request.

    Parameters
    ----------
    offered: candidates and scopes. allowance: limits of all calls. transcript: the record, in which attempts are counted.
    conduct: how candidates are asked. out: a folder for each whole finding, for `viva recheck`; None: none.
    """

    def __init__(
        self,
        offered: OfferedChoices,
        allowance: Allowance,
        transcript: Transcript,
        conduct: InterviewConduct = InterviewConduct(),
        *,
        out: Path | None = None,
    ) -> None:
        self.offered = offered
        self.allowance = allowance
        self._transcript = transcript
        self._conduct = conduct
        self._out = out
        self._turn = asyncio.Lock()
        self._made: OrderedDict[str, _ResultDocument] = OrderedDict()
        self._settled: dict[str, str] = {}
        """Names of results with a verdict, by request."""
        self._number = 0

    async def certify(self, given: messages.CertifyArguments, on_progress: Told) -> messages.Result:
        """Does the candidate understand the scope? Raises the examination's errors, and `BadInput`."""
        candidate, scope = self.offered.candidate(given.candidate), self.offered.scope(given.scope)
        delta, questions = self._bounded(given)

        async def held() -> Certificate:
            with examining("viva certify"):
                interview = self._interview(candidate, given, on_progress, expected=questions)
                limit = given.unacceptable_limit
                if limit is None:
                    limit = limit_of(USUAL, interview, [scope], again=given.new_attempt)
                criterion = Criterion(given.passing_grade, limit, delta)
                certificate: Certificate = await certify(
                    interview, scope, criterion, seed=given.seed, questions=questions, again=given.new_attempt
                )
                return certificate

        return await self._examined(given, held)

    async def compare(self, given: messages.CompareArguments, on_progress: Told) -> messages.Result:
        """Which of the candidates are better on the scope? Raises the comparison's errors, and `BadInput`."""
        candidates = [self.offered.candidate(name) for name in given.candidates]
        scope = self.offered.scope(given.scope)
        delta, questions = self._bounded(given)
        config = ComparisonConfig(margin=given.margin, delta=delta, questions=questions, seed=given.seed)

        async def held() -> Comparison:
            tell = together(len(candidates), on_progress, every=1)
            with examining("viva compare"):
                interviews = [
                    self._interview(candidate, given, function, expected=questions)
                    for candidate, function in zip(candidates, tell, strict=True)
                ]
                return await compare(interviews, scope, config, again=given.new_attempt)

        return await self._examined(given, held)

    async def recheck(self, given: messages.RecheckArguments) -> messages.RecheckResult:
        """Does a finding match the record? Raises `BadInput` for other candidates and scopes than this server's."""
        if (given.result is None) == (given.certificate is None):
            raise BadInput("give either 'result' (the name of a result) or 'certificate' (a finding itself)")
        document = self._document(given)
        names = names_in(document)
        fields = (*document, *figures_of(document))
        if foreign := [field for field in _FOREIGN if field in fields]:
            raise BadInput(f"a document with '{foreign[0]}' is not rechecked here: use 'viva recheck'")
        if document.get("kind") not in ("certificate", "comparison"):
            raise BadInput("only certificates and comparisons are rechecked here: use 'viva recheck'")
        if not names or not self.offered.has(names, [str(figures_of(document).get("scope"))]):
            raise BadInput("this server does not offer the document's candidate or scope: see list_candidates")
        async with self._turn:
            finding = await asyncio.to_thread(self._rechecked, document, names)
        never = [
            difference.path
            for difference in finding.differences
            if difference.path.removeprefix("figures.") in messages.SAID and not difference.said
        ]
        return messages.rechecked_result(_as_given(finding, never), without=never)

    def _rechecked(self, document: Mapping[str, Any], names: Sequence[str]) -> RecheckFinding:
        """The recheck of a recorded attempt on an offered candidate and scope; reports no other attempt."""
        attempt = document.get("attempt")
        named = attempt.get("terms_digest") if isinstance(attempt, dict) else None
        copy, _ = up_to(document, self._transcript)
        with copy:
            held = [recorded_attempt for recorded_attempt in ledger(copy, names) if recorded_attempt.terms.digest == named]
        if not any(self.offered.has(names, [title for title, _ in recorded_attempt.terms.scopes]) for recorded_attempt in held):
            raise BadInput("the record has no such attempt: give an unchanged finding of this server or its transcript")
        return recheck(document, self._transcript, scopes=list(self.offered.scopes.values()))

    def _document(self, given: messages.RecheckArguments) -> Mapping[str, Any]:
        if given.result is not None:
            if given.result not in self._made:
                raise BadInput(f"the result '{given.result}' is no longer here: give the finding itself, as 'certificate'")
            return self._made[given.result].document
        text = json.dumps(given.certificate)
        if len(text) > LARGEST:
            raise BadInput(f"the document has {len(text):,} characters, at most {LARGEST:,} are read: use 'viva recheck'")
        return document_of(text)

    def _bounded(self, given: messages.ExamineArguments) -> tuple[float, int]:
        """The error and the number of questions, within the operator's limits. Raises `BadInput`."""
        config = self.allowance.config
        delta, most = config.delta if given.delta is None else given.delta, config.questions_of_a_call
        if delta > config.delta:
            raise BadInput(f"delta is {delta:g}: this server takes at most {config.delta:g}")
        if given.questions is not None and given.questions > most:
            raise BadInput(f"questions is {given.questions:,}: one call may ask at most {most:,}")
        if given.money is not None and config.money is not None and given.money > config.money:
            raise BadInput(f"money is {given.money:g}: all calls together may cost at most {config.money:g}")
        return delta, most if given.questions is None else given.questions

    def _interview(
        self, candidate: Candidate[Prompt, Reply], given: messages.ExamineArguments, function: Told, *, expected: int
    ) -> Interview[Prompt, Reply]:
        conduct = self._conduct
        at_once = usual_concurrency(candidate) if conduct.concurrency is None else conduct.concurrency
        # an attempt costs at least one question: otherwise a client could use up delta by starting and cancelling attempts
        at_least = int(given.new_attempt)
        meter = self.allowance.meter(Budget(money=given.money), at_once=at_once, at_least=at_least)

        def tell(progress: Progress) -> None:
            meter.told(progress)
            function(progress)

        return Interview(
            candidate,
            answers=Reply,
            transcript=self._transcript,
            concurrency=at_once,
            budget=meter,
            settings=AskSettings(
                time_out=usual_time_out(candidate) if conduct.time_out is None else conduct.time_out,
                attempts=conduct.attempts,
                reply_format=conduct.asking,
                strict_faults=conduct.strict_faults,
            ),
            monitor=Monitor(expected=expected, on_progress=tell),
        )

    async def _examined(self, given: messages.ExamineArguments, held: Callable[[], Any]) -> messages.Result:
        """The result of an examination when its turn has come; a finished one is not asked again."""
        asked = f"{type(given).__name__} {given.model_dump_json()}"
        async with self._turn:
            before = self._made.get(self._settled.get(asked, ""))
            if before is not None:
                return before.result.model_copy(update={"budget_left": self.allowance.left})
            try:
                with self.allowance.call():
                    finding: Certificate | Comparison = await held()
            except OtherTerms as error:
                raise BadInput(str(error).replace(_ON_COMMAND_LINE, "'new_attempt': true")) from None
            document = {**finding.as_json(), "transcript_head": str(self._transcript.head)}
            self._number += 1
            result = messages.result_of(f"result-{self._number}", finding, document, self.allowance.left)
            self._made[result.result] = _ResultDocument(result, document)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
            if self._out is not None:
                await asyncio.to_thread(_write, self._out, document)
            if not given.new_attempt and finding.attempt is not None and _is_over(finding):
                self._settled[asked] = result.result
            return result


def _write(folder: Path, document: Mapping[str, Any]) -> None:
    """A separate file for each finding, named by the head of its record."""
    where, _, digest = str(document["transcript_head"]).partition(":")
    file = folder / f"{document['kind']}-{where}-{digest[:8]}.json"
    file.write_text(json.dumps(document, allow_nan=False) + "\n", encoding="utf-8")


def _is_over(finding: Certificate | Comparison) -> bool:
    """Whether asking again could add nothing."""
    if isinstance(finding, Comparison):
        return finding.complete or all(pair.verdict != "undecided" for pair in finding.pairs)
    return finding.complete or finding.verdict.value != "undecided"


def _as_given(finding: RecheckFinding, without: Sequence[str]) -> RecheckFinding:
    """Without fields that the document never had, and without equal numbers in another notation. JavaScript has one kind of
    number, so 1.0 comes back as 1.
    """
    kept = [
        difference for difference in finding.differences if difference.path not in without and not _is_equal_number(difference)
    ]
    return replace(finding, differences=tuple(kept))


def _is_equal_number(difference: FieldDifference) -> bool:
    try:
        return bool(difference.said) and float(difference.said) == float(difference.found)
    except ValueError:
        return False
