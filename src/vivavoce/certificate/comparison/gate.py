"""The gate for releases: compares a new candidate with its baseline until it is clear that it is good enough, or worse.

D is the mean difference of scores, new minus baseline, and m the margin. The candidate passes once "worse by the margin or
more", D <= -m, is rejected at delta, and fails once "not worse at all", D >= 0, is at delta / 2, whichever comes first. One
that is worse by m or more passes with probability at most delta, one that is not worse fails with at most half of that, at
any stopping time; the other half is for a comparison on the same answers that says "better". The proof is in `evidence`. In
between, -m < D < 0, both verdicts are right: it is worse, by less than m.

Once all of a finite scope was asked, the verdict is exact: D > -m passes, else D < 0 fails. With m = 0 nothing can pass: a
candidate fails or stays undecided.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from math import log
from typing import Any, ClassVar, Final, Literal

from vivavoce.certificate.attempts.attempt import AttemptHistory, how_often
from vivavoce.certificate.attempts.determinism import may_vary
from vivavoce.certificate.claims.draws import check_answers_once
from vivavoce.certificate.comparison import compared as how
from vivavoce.certificate.comparison import report as parts
from vivavoce.certificate.comparison.asking import Interviews
from vivavoce.certificate.comparison.compare import PairClaim, examine_pairs
from vivavoce.certificate.comparison.compared import ComparedCandidate, PairDifference, PairVerdict, finite
from vivavoce.certificate.comparison.concluding import needed_for
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.evidence import PairedEvidence, PairStatement, differences
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.paired_answers import PairedAnswers
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.design.history import History
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.certificate.report.caveats import limits, these_replies
from vivavoce.certificate.report.method import known_before, who_graded
from vivavoce.errors import BadInput
from vivavoce.formats.json_values import given
from vivavoce.formats.wording import clipped, exactly, signed_exactly, signed_interval
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.scope import Scope, Signature
from vivavoce.report.blocks import Report, VerdictLabel, method_of
from vivavoce.report.cells import TONES
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes.questions import Question
from vivavoce.statistics.betting import Floats

GateVerdict = Literal["pass", "fail", "undecided"]
SHARED: Final = (
    "scope", "scope_size", "left_out", "questions", "margin", "delta", "candidates", "difference", "shown", "first_better",
    "second_better", "share_better", "complete", "still_needed", "discordant", "categories", "drawing", "largest_weight",
    "grading",
)  # fmt: skip
"""JSON values that gates share with comparisons."""


@dataclass(frozen=True, slots=True, repr=False)
class Gate(ReportedFinding):
    """The result of `gate`."""

    document: ClassVar[str] = "gate.json"
    comparison: Comparison
    """The comparison of the new candidate with its baseline, on the questions asked."""
    verdict: GateVerdict
    if_anew_wrong: GateVerdict | None = None
    """The verdict if the new candidate's repeated answers counted 0; None if there are none."""

    @property
    def new(self) -> ComparedCandidate:
        """The candidate to be released."""
        return self.comparison.candidates[0]

    @property
    def baseline(self) -> ComparedCandidate:
        """The candidate that it would replace."""
        return self.comparison.candidates[1]

    @property
    def pair(self) -> PairDifference:
        """Their difference, new minus baseline."""
        return self.comparison.pairs[0]

    @property
    def margin(self) -> float:
        """A drop of this size or more must not pass."""
        return self.comparison.config.margin

    @property
    def attempt(self) -> AttemptHistory | None:
        """The attempt on record."""
        return self.comparison.attempt

    @property
    def complete(self) -> bool:
        """Whether all of a finite scope was asked of both."""
        return self.comparison.complete

    def within(self, attempt: AttemptHistory) -> Gate:
        """The finding with its attempt as recorded at the end."""
        return replace(self, comparison=self.comparison.within(attempt))

    @property
    def signature(self) -> Signature:
        """The signature, which lets anyone compute the numbers again."""
        return replace(self.comparison.signature, examination="gate")

    @property
    def statement(self) -> str:
        """The result in plain sentences."""
        return " ".join(filter(None, (self.headline, self.basis, self._without_anew if self.verdict == "pass" else "")))

    @property
    def headline(self) -> str:
        """The verdict, with the share of ungraded replies if it is large."""
        return self._headline(self.comparison.about())

    def _headline(self, on: str) -> str:
        return f"{self._verdict_in_words(on)}{parts.ungraded(self.comparison.candidates)}"

    def _verdict_in_words(self, on: str) -> str:
        new, baseline = self.new.called, self.baseline.called
        if self.pair.difference.value is None:
            return f"Undecided: {new} was not asked anything on {on}."
        text = f"difference of their {self.comparison.measured} is {parts.measured(self.pair)}"
        required = f"above {signed_exactly(-self.margin)} is required"
        between = "" if self.pair.complete else f" {signed_interval(self.pair.difference.interval)}"
        by = f"The {text}{between}; {required if self.margin else 'below 0 fails'}"
        match self.verdict:
            case "pass":
                passed = parts.above(self.pair, -self.margin)
                return f"Pass: {new} is not worse than {baseline} on {on}: the {text}{passed}; {required}."
            case "fail":
                return f"Fail: {new} is worse than {baseline} on {on}: the {text}{parts.below(self.pair, 0.0)}; below 0 fails."
        if self.pair.as_read != "undecided":
            result = "fails" if self.pair.as_read == "worse" else "passes"
            return f"Undecided: {new} {result} on {on} if {these_replies(self.pair.assumed)} wrong. {by}."
        if not self.margin:
            return f"Undecided: {new} is not shown to be worse than {baseline} on {on}. {by}."
        return (
            f"Undecided whether {new} is worse than {baseline} on {on}. It is not shown to be worse, and a drop "
            f"of {exactly(self.margin, '')} or more is not ruled out. {by}."
        )

    @property
    def _short_headline(self) -> str:
        """The verdict without bounds and options; the tiles of the page show the bounds."""
        on = self.comparison.about(remedy=False)
        if self.verdict == "undecided":
            return self._headline(on)
        word: PairVerdict = "not worse" if self.verdict == "pass" else "worse"
        claim = parts.claimed(self.new.called, self.baseline.called, word)
        return f"{claim} on {on}.{parts.ungraded(self.comparison.candidates)}"

    @property
    def basis(self) -> str:
        """The basis of the verdict, in a sentence."""
        questions = self.comparison.asked
        if self.comparison.complete:
            return f"All {questions} of the scope were asked."
        wrong = how_often(self.comparison.config.delta, self.attempt)
        return f"After {questions}, by a procedure that gives either wrong verdict {wrong}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the result, the most important first."""
        messages = []
        if self.verdict == "undecided":
            left = self.pair.still_needed != 0 and not self.pair.hidden
            reason = "too few questions were asked for either" if left else "too many replies could not be graded"
            messages.append(f"“Undecided” is not a pass or a fail: {reason}.")
        if self.verdict == "undecided" and not self.margin:
            messages.append("With a margin of 0, nothing can pass: no evidence can show that nothing is worse at all.")
        if self.margin:
            messages.append(
                f"A candidate that is worse by less than {exactly(self.margin, '')} may pass or fail, and either is right. It "
                "is worse, and it is worse by less than the margin."
            )
        messages.append(
            f"It is about {self.comparison.measured}: a candidate that passes may have unlearnt some questions and learnt "
            "others."
        )
        if self._without_anew:
            messages.append(self._without_anew)
        judged = self.comparison.judge_caveats
        general = [caveat for caveat in self.comparison.caveats if "“Undecided”" not in caveat and caveat not in judged]
        return (*judged, *messages, *general)

    @property
    def _without_anew(self) -> str:
        """A sentence on the result if answers that a later run asked again counted 0; empty if there are none."""
        if self.if_anew_wrong is None:
            return ""
        return (
            f"If the answers of {self.new.called} that a later run asked again, after a fault of its service, counted 0, the "
            f"result would be: {self.if_anew_wrong}."
        )

    def report(self) -> Report:
        """The whole report as blocks."""
        compared = self.comparison
        names = [candidate.called for candidate in compared.candidates]
        return Report(
            kind="Gate for a release",
            title=f"{names[0]} instead of {names[1]} on {compared.on}",
            headline=clipped(self._short_headline, 600),
            verdict=VerdictLabel(self.verdict.capitalize(), TONES[self.verdict]),
            chance=" ".join(filter(None, (self.basis, self._without_anew))),
            blocks=(
                compared.tiles,
                *parts.discordant(names, self.pair),
                parts.candidates_table(compared.candidates, None, compared.drawn),
                *parts.of_two(names, self.pair, compared.drawn),
                *parts.ungraded_replies(compared.candidates),
                *compared.answers_again(),
                who_graded(compared.grading),
                known_before(compared.history),
                limits(self.caveats),
                method_of(
                    (
                        *compared.how_drawn,
                        *compared.judge_method,
                        *how.gate_method(self.margin, compared.delta),
                        *compared.drawn_how,
                    )
                ),
            ),
            statement=self.statement,
            signature=self.signature.line,
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.new.name, self.baseline.name)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for unknown ones."""
        compared = self.comparison
        values = compared.figures()
        log_e = dict(zip(("worse", "no_worse"), map(finite, self.pair.log_e[1:3]), strict=True))
        return {
            **{name: values[name] for name in SHARED if name in values},
            **given(draws=compared.drawn),
            "log_e": log_e,
            **given(history=compared.history, verdict_if_asked_again_is_wrong=self.if_anew_wrong),
        }

    @property
    def verdict_word(self) -> str:
        """The verdict."""
        return self.verdict

    def provenance(self) -> dict[str, Any]:
        """The seed, the attempt, and everything else needed to repeat it."""
        return self.comparison.provenance()


MOST_DRAWN: Final = 10_000
"""Default number of questions drawn with replacement from a list."""
_ROUNDING = 1e-9


async def gate(
    interviews: Interviews,
    scope: Scope[Question],
    config: GateConfig = GateConfig(),  # noqa: B008 -- frozen
    *,
    drawing: Drawing = "scope",
    history: History | None = None,
    again: bool | timedelta = False,
    judge: CandidateJudge | None = None,
) -> Gate:
    """Test whether the first candidate is good enough to replace the second, its baseline, on a scope.

    Parameters
    ----------
    interviews: one with the new candidate, one with the baseline; each may have its own record.
    drawing: as in `compare`.
    history: scores of others, or of the baseline before, on the questions; the bets use them.
    again: as in `compare`.
    judge: as in `compare`.

    Raises what `compare` raises, and `BadInput` for another number of interviews.

    >>> import asyncio
    >>> from vivavoce.candidates import open_candidate
    >>> from vivavoce.scopes import open_scope
    >>> from vivavoce.interview.candidate import Reply
    >>> from vivavoce.interview.interview import Interview
    >>> names = ("bot:calculator?wrong=0.3", "bot:calculator")
    >>> interviews = [Interview(open_candidate(name), answers=Reply) for name in names]
    >>> asyncio.run(gate(interviews, open_scope("arithmetic"), GateConfig(seed=0))).verdict
    'fail'
    """
    if len(interviews) != 2:
        raise BadInput(f"a gate compares a new candidate with its baseline, but there are {len(interviews)} candidates")
    if not interviews[0].from_record:  # the terms on record say how it was asked
        config = with_answers_afresh(config, scope, [interview.candidate for interview in interviews], drawing, history)
    claim: PairClaim[Gate] = PairClaim(f"gate of {interviews[0].candidate.name}, margin {config.margin:g}", "gate", _concluded)
    return await examine_pairs(
        interviews,
        scope,
        ComparisonConfig(**asdict(config)),
        claim,
        drawing=drawing,
        history=history,
        judge=judge,
        again=again,
    )


def _concluded(compared: Comparison, evidence: PairedEvidence, answers: PairedAnswers) -> Gate:
    margin = compared.config.margin
    verdict = _verdict_on(evidence, answers.differences(), answers, margin)
    if_wrong = _if_anew_wrong(evidence, answers, margin) if answers.asked_again[0] else None
    return Gate(_of_gate(compared, evidence, answers, verdict), verdict, if_wrong)


def with_answers_afresh(
    config: GateConfig,
    scope: Scope[Question],
    candidates: Sequence[Candidate[Prompt, Reply]],
    drawing: Drawing = "scope",
    history: History | None = None,
) -> GateConfig:
    """The settings of a gate on a list drawn with replacement, unless both answer the same each time (`attempts.determinism`).

    Raises `BadInput` for a way of drawing, or a history, that needs each question once, and for a gate that would not end.
    """
    each_once = scope.population is not None or drawing == "weights"
    sampling = next((candidate for candidate in candidates if may_vary(candidate)), None)
    if sampling is None or config.draws is not None or not each_once:
        return config
    odd = {"strata": "--strata", "weights": "--set importance-weighting"}.get(drawing, "" if history is None else "--history")
    if odd:
        raise BadInput(
            f"{clipped(sampling.name, 200)} may answer differently each time, so a gate draws with replacement, but "
            f"{odd} draws each once: leave it out, or add '?deterministic=yes' if answers never change"
        )
    check_answers_once(candidates)
    if not config.margin and config.questions is None:
        raise BadInput(
            f"{clipped(sampling.name, 200)} may answer differently each time, and a gate with a margin of 0 ends only if "
            "it fails: give a margin, or --questions N"
        )
    return replace(config, draws=1, questions=config.questions or MOST_DRAWN)


def _verdict_on(
    evidence: PairedEvidence, differences: tuple[Floats, Floats], protocol: PairedAnswers, margin: float
) -> GateVerdict:
    """The verdict by the statement that was made; once a finite scope is used up, by the difference itself, if known."""
    made = evidence.made[0]
    if made[PairStatement.NO_WORSE]:
        return "pass"
    means = protocol.drawing.means
    if evidence.n[0] and evidence.n[0] == means.population:
        least, most = (means.mean(ends[0], protocol.places) for ends in differences)
        return exact_verdict(least, most, margin)
    return "fail" if made[PairStatement.WORSE] else "undecided"


def _if_anew_wrong(evidence: PairedEvidence, protocol: PairedAnswers, margin: float) -> GateVerdict:
    again = PairedEvidence([(0, 1)], margin=margin, delta=evidence.delta, rule="gate", means=evidence.means)
    least, most = protocol.scores_if_anew_wrong()
    for position, low, high in zip(protocol.places, least.T, most.T, strict=True):
        again.take(low, high, position)
    return _verdict_on(again, differences(again.pairs, least, most), protocol, margin)


def exact_verdict(least: float, most: float, margin: float) -> GateVerdict:
    """The verdict if all of a finite scope was asked and the difference is known, or lies between these ends.

    >>> exact_verdict(-0.01, -0.01, 0.02), exact_verdict(-0.02, -0.02, 0.02), exact_verdict(-0.03, 0.01, 0.02)
    ('pass', 'fail', 'undecided')
    >>> exact_verdict(-0.01, -0.01, 0), exact_verdict(0.1, 0.1, 0)
    ('fail', 'undecided')
    """
    if margin and least > -margin + _ROUNDING:
        return "pass"
    return "fail" if most < -_ROUNDING else "undecided"


def _of_gate(compared: Comparison, evidence: PairedEvidence, protocol: PairedAnswers, verdict: GateVerdict) -> Comparison:
    """The pair with the questions that this verdict still needs."""
    [pair], margin = compared.pairs, compared.config.margin
    least, most = protocol.differences()
    needed = None
    if verdict == "undecided" and least.size and not pair.hidden:
        means, (_, worse, no_worse, _) = protocol.drawing.means, pair.log_e
        middle = means.counted((least + most)[0] / 2, protocol.places)
        sides = [(-middle, 0.0, worse - log(2)), *([(middle, -margin / means.largest, no_worse)] if margin else [])]
        needed = needed_for(sides, evidence.delta, means.population)
    return replace(compared, pairs=(replace(pair, still_needed=needed, shown=None if verdict == "undecided" else pair.shown),))
