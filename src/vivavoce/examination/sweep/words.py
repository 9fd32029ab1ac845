"""The sentences about a sweep.

The results of a sweep as values: verdicts by the rule for the whole table, tiers, and missing cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from vivavoce.certificate.attempts.determinism import ANSWERS
from vivavoce.certificate.claims.claim import Criterion, MemberEvidence, Verdict, verdicts
from vivavoce.certificate.claims.many_scopes import BLOCKS, IN_FLIGHT
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.claims.results import ScopeResult
from vivavoce.certificate.comparison.config import Rule
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.report.numbers import of_several
from vivavoce.examination.sweep.plan import NOT_BEGUN, CellOutcome, SweepCell, SweepPlan
from vivavoce.formats.wording import capital, count, counted, share
from vivavoce.interview.candidate import Usage
from vivavoce.report.cells import listed


@dataclass(frozen=True, slots=True)
class SweptScope:
    """A scope of a sweep."""

    name: str
    title: str
    """Display name."""
    size: int | None
    """Number of questions; None: endless."""
    digest: str
    passing_grade: float
    section: int
    """Position of its claim in the plan; categories of one scope have the same."""

    json_keys = "scope=name title scope_size=size scope_digest=digest passing_grade certificate=section"


@dataclass(frozen=True, slots=True)
class CellResult:
    """A candidate on a scope."""

    verdict: Verdict | None
    """The verdict; None if it was not, or could not be, examined."""
    result: ScopeResult | None
    why: str = ""
    """The reason why there is no verdict, as a clause."""
    questions: int = 0
    """Questions asked, including answers that came too late to count."""
    usage: Usage = field(default_factory=Usage)
    criterion: Criterion | None = None
    """The requirement; None without a result."""
    ahead: Mapping[str, Any] = field(default_factory=dict)
    """How far ahead questions were drawn, if the number of questions depends on it: settings of the signature."""


@dataclass(frozen=True)
class SweepResults:
    """All results, by positions of candidates and scopes."""

    plan: SweepPlan
    names: tuple[str, ...]
    """Recorded names of the candidates."""
    called: tuple[str, ...]
    """Display names."""
    scopes: tuple[SweptScope, ...]
    cells: tuple[SweepCell, ...]
    """All cells to examine."""
    outcomes: tuple[CellOutcome, ...]
    """Outcomes of the cells that were examined, or could not be, in the order of the cells."""

    @property
    def delta(self) -> float:
        """The bound on the share of wrong verdicts, or on the chance of any."""
        return self.plan.certificates[0].claim.delta

    @cached_property
    def became(self) -> Mapping[SweepCell, CellOutcome]:
        """The outcome of each cell that was examined, or could not be."""
        return {outcome.cell: outcome for outcome in self.outcomes}

    @cached_property
    def results(self) -> Mapping[tuple[int, int], CellResult]:
        """The result of each candidate on each scope to examine."""
        cells = [cell for cell in self.cells if cell.kind == "certificate"]
        of = self.became
        evidence = [of[cell].evidence if cell in of else MemberEvidence() for cell in cells]
        given = verdicts(evidence, self.plan.plan.correction, self.delta)
        return {
            (cell.candidates[0], cell.scope): _result(of.get(cell), verdict) for cell, verdict in zip(cells, given, strict=True)
        }

    @cached_property
    def comparisons(self) -> Mapping[int, Comparison]:
        """The comparison on each scope on which candidates were compared."""
        return {scope: comparison for scope, comparison in self._compared.items() if scope < len(self.scopes)}

    @cached_property
    def overall(self) -> Comparison | None:
        """The comparison on all scopes together, if there is one."""
        return self._compared.get(len(self.scopes))

    @cached_property
    def _compared(self) -> Mapping[int, Comparison]:
        return {outcome.cell.scope: outcome.finding for outcome in self.outcomes if isinstance(outcome.finding, Comparison)}

    @property
    def failed(self) -> tuple[CellOutcome, ...]:
        """Cells that could not be examined now."""
        return tuple(outcome for outcome in self.outcomes if outcome.unreachable)

    @property
    def unfinished(self) -> int:
        """Cells that were not reached."""
        return len(self.cells) - len(self.outcomes)

    def those(self, verdict: Verdict | None) -> int:
        """The number of certificates with that verdict."""
        return sum(result.verdict is verdict for result in self.results.values())

    def label(self, cell: SweepCell) -> str:
        """A cell in words."""
        who = self.called[cell.candidates[0]] if len(cell.candidates) == 1 else f"comparison of {len(cell.candidates)}"
        return f"{who} on {self.scopes[cell.scope].title if cell.scope < len(self.scopes) else 'all scopes together'}"


def _result(outcome: CellOutcome | None, verdict: Verdict) -> CellResult:
    if outcome is None:
        return CellResult(None, None, NOT_BEGUN)
    if not isinstance(outcome.finding, ManyScopes):
        return CellResult(None, None, outcome.reason)
    [result] = outcome.finding.scopes
    result = replace(result, verdict=verdict)
    settings, beyond = outcome.finding.signature.settings, outcome.questions != result.questions
    ahead = {name: settings[name] for name in (IN_FLIGHT, BLOCKS) if name in settings and beyond}
    criterion = outcome.finding.criterion
    why = _why(outcome, result, criterion)
    return CellResult(verdict, result, why, outcome.questions, outcome.usage, criterion, ahead)


def _why(outcome: CellOutcome, result: ScopeResult, criterion: Criterion) -> str:
    if result.verdict is not Verdict.UNDECIDED:
        return ""
    if outcome.ended:
        return f"budget: its part of the {outcome.ended} is used up"
    if result.unexamined:
        return result.why_not
    if outcome.may_go_on:
        return "enough evidence for a verdict by itself, but not for one among so many"
    sentence, limit = f"the evidence of {counted(result.questions, 'question')} is not sufficient", criterion.unacceptable_limit
    if limit is None or result.unacceptable.interval.upper <= limit or result.score.interval.lower < criterion.passing_grade:
        return sentence
    return f"{sentence}: up to {share(result.unacceptable.interval.upper)} of the answers may be unacceptable"


MOST_NAMED: Final = 4
"""Most candidates that the headline names."""
LONGEST_HEADLINE: Final = 20
"""Most words of a headline."""
THESE_ANSWERS: Final = (
    "Verdicts on lists are about these answers. A model that answers differently each time may do better or worse if asked "
    "again: a certificate with fresh draws tests the model."
)


def headline(swept: SweepResults) -> str:
    """The candidates that pass each scope, for a small table; otherwise counts of verdicts."""
    return _passes(swept) or _certified(swept)


def _passes(swept: SweepResults) -> str:
    """The candidates that pass each scope, if they fit into one short sentence; otherwise empty."""
    if not 2 <= len(swept.names) <= MOST_NAMED or any(result.verdict is None for result in swept.results.values()):
        return ""
    scopes: dict[tuple[str, ...], list[str]] = {}
    for index, scope in enumerate(swept.scopes):
        values = {who: swept.results.get((who, index)) for who in range(len(swept.names))}
        if any(result is None for result in values.values()):
            return ""
        passing = (who for who, result in values.items() if result is not None and result.verdict is Verdict.PASS)
        scopes.setdefault(tuple(swept.called[who] for who in passing), []).append(scope.title)
    clauses = [
        f"{listed(who)} {'pass' if len(who) > 1 else 'passes'} {listed(titles)}" if who else f"none passes {listed(titles)}"
        for who, titles in sorted(scopes.items(), key=lambda item: -len(item[0]))
    ]
    sentence = (
        f"{'; '.join(clauses)}."
        if any(scopes)
        else f"None is shown to pass {listed([swept_scope.title for swept_scope in swept.scopes])}."
    )
    return sentence if len(sentence.split()) <= LONGEST_HEADLINE else ""


def details(swept: SweepResults) -> str:
    """Further counts, and the bound on errors."""
    return " ".join(filter(None, (*counts(swept), basis(swept))))


def counts(swept: SweepResults) -> list[str]:
    """Counts that the headline does not have, one sentence each."""
    sentences = (_certified(swept), _compared(swept), _missing(swept))
    return [sentence for sentence in sentences if sentence and sentence != headline(swept)]


def _certified(swept: SweepResults) -> str:
    kinds = (Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED)
    good, bad, undecided = map(swept.those, kinds)
    who = f"{counted(len(swept.names), 'candidate')} on {counted(len(swept.scopes), 'scope')}"
    left = f", {undecided} without a conclusion" if undecided else ""
    first = f"{capital(who)}: {good} of {len(swept.results)} cells pass, {bad} fail{left}."
    return " ".join((first, *(f"{capital(clause)}." for clause in _measured(swept))))


def _measured(swept: SweepResults) -> list[str]:
    """Measured and required values: a clause for each passing grade, with unacceptable answers if all have the same limit."""
    of: dict[float, list[ScopeResult]] = {}
    limits = set()
    for result in swept.results.values():
        if result.result is not None and result.criterion is not None:
            of.setdefault(result.criterion.passing_grade, []).append(result.result)
            limits.add(result.criterion.unacceptable_limit)
    limit = limits.pop() if len(limits) == 1 else None
    clauses = (of_several(results, Criterion(grade, limit)) for grade, results in sorted(of.items()))
    return [clause for clause in clauses if clause]


def _compared(swept: SweepResults) -> str:
    pairs = [pair for comparison in swept.comparisons.values() for pair in comparison.pairs]
    if not pairs:
        return ""
    apart = sum(pair.verdict in ("better", "worse") for pair in pairs)
    scopes = counted(len(swept.comparisons), "scope")
    together = "" if swept.overall is None else f", over all together {swept.overall.told_apart} of {len(swept.overall.pairs)}"
    return f"{count(apart)} of {count(len(pairs))} differences are significant on {scopes}{together}."


def _missing(swept: SweepResults) -> str:
    failed = f"{counted(len(swept.failed), 'cell')} could not be examined now" if swept.failed else ""
    left = f"{counted(swept.unfinished, 'cell')} not examined yet" if swept.unfinished else ""
    text = "; ".join(filter(None, (failed, left)))
    return f"{capital(text)}." if text else ""


def basis(swept: SweepResults) -> str:
    """The bound on errors, in a sentence or two."""
    wrong = f"{swept.delta * 100:.3g}%"
    texts = [
        f"By this procedure, on average at most {wrong} of the verdicts in the table are wrong, over all attempts."
        if swept.plan.plan.correction == "fdr"
        else f"The chance of any wrong verdict in the table is at most {wrong}, over all attempts."
    ]
    if swept.comparisons and swept.plan.compare is not None:
        together = " on any scope, or on all together," if swept.overall is not None else " on any scope"
        wrong = f"{swept.plan.compare.delta * 100:.3g}%"
        texts.append(
            f"Tiers: any wrong statement on any pair{together} at most {wrong} of the time."
            if swept.plan.compare.rule == "any"
            else f"Tiers: on each scope on average at most {wrong} of the statements on pairs are wrong."
        )
    return " ".join(texts)


def caveats(swept: SweepResults) -> tuple[str, ...]:
    """The limits of the table, the most important first."""
    messages = []
    if swept.failed or swept.unfinished:
        messages.append("Cells are missing: the same command continues with them, and may then decide others too.")
    attempts = (outcome.finding.attempt for outcome in swept.outcomes if outcome.finding is not None)
    if any(attempt is not None and attempt.held.about == ANSWERS for attempt in attempts):
        messages.append(THESE_ANSWERS)
    messages += [
        "The guarantee is about the whole table, on average. A single verdict picked from it is less certain than one from a "
        "certificate of that candidate on that scope alone."
        if swept.plan.plan.correction == "fdr"
        else "The guarantee is about the procedure: for any candidates, it gives one or more wrong verdicts in the whole table "
        "at most that often.",
        "It holds for the plan before the first answer. It does not cover candidates and scopes that were added or left out "
        "because of answers.",
        "Intervals are wide enough for all cells at once.",
    ]
    if swept.those(Verdict.UNDECIDED):
        messages.append("“Undecided” is not a verdict: it says nothing for or against a candidate.")
    if swept.overall is not None:
        messages.append("All scopes together count by their numbers of questions. With other scopes the order may differ.")
    messages.append(
        "It holds for questions drawn as each scope draws them, in these words, and for candidates as they were when they "
        "answered."
    )
    if any(scope.size for scope in swept.scopes):
        messages.append("Answers to published questions don't show whether they were memorised.")
    return (*messages, *_of_findings(swept))


def _of_findings(swept: SweepResults) -> tuple[str, ...]:
    """Caveats of the findings on how candidates were asked and on their attempts, each once."""
    document: dict[str, None] = {}
    for outcome in swept.outcomes:
        if outcome.finding is not None:
            asked_so = outcome.finding.asked_so
            attempt = () if outcome.finding.attempt is None else outcome.finding.attempt.caveats
            document |= dict.fromkeys((*asked_so, *attempt))
    return tuple(document)


def method(swept: SweepResults) -> list[str]:
    """How the numbers were computed."""
    result = _of_certificates(swept)
    if swept.comparisons and swept.plan.compare is not None:
        result.append(
            "On each scope all candidates were asked the same questions, in an order drawn before any answer was looked at. "
            "Recorded answers of certificates were not asked for again. "
            + _levels_of_comparisons(swept, swept.plan.compare.rule)
        )
    if swept.overall is not None:
        result.append(
            "All scopes together: a comparison on questions drawn from all of them with equal probability. So a scope counts "
            "by its number of questions."
        )
    if swept.plan.plan.budget.budget != type(swept.plan.plan.budget.budget)():
        result.append(
            "The budget was divided among cells beforehand, and unused parts went to cells that needed them. So nothing "
            "depends on which candidate answered faster."
        )
    return result


def _levels_of_comparisons(swept: SweepResults, rule: Rule) -> str:
    if rule == "share":
        return (
            "On each scope statements on pairs are made by e-BH at the δ of comparisons. It bounds the average share of wrong "
            "ones on each scope, not the chance of any wrong one over all scopes."
        )
    scopes = counted(len(swept.scopes), "scope") + (" and all of them together" if swept.plan.together else "")
    divided = "" if scopes == "one scope" else f"equally among {scopes}, on each "
    return f"The δ of comparisons is divided {divided}among pairs by closed testing."


def _of_certificates(swept: SweepResults) -> list[str]:
    members = len(swept.names) * len(swept.scopes)
    drawn = (
        "Questions are drawn at random from each scope, for each candidate independently, and answers are taken in the order "
        "of drawing. The evidence for and against understanding is counted for each cell as e-values."
    )
    if swept.plan.plan.correction == "fwer":
        return [
            drawn,
            f"A verdict needs an e-value of {members} / δ, with the δ of certificates. So the chance of any wrong verdict "
            "among all cells is at most δ.",
        ]
    return [
        drawn,
        f"Each kind of verdict is given by e-BH over all {members} cells: to the k with the largest e-values. Here k is the "
        f"greatest number such that each of them is at least {members} / (k δ). Cells are asked in rounds. First, their "
        "evidence must be enough if all get a verdict; then, if some got none, enough if only those with one so far do.",
    ]
