"""What a sweep says in sentences."""

from __future__ import annotations

from typing import Final

from vivavoce.certificate.attempts.determinism import ANSWERS
from vivavoce.certificate.claim import Criterion, Verdict
from vivavoce.certificate.claim_results import ScopeResult
from vivavoce.certificate.comparison.config import Rule
from vivavoce.certificate.report.numbers import of_several
from vivavoce.examination.sweep.swept import SweepResults
from vivavoce.formats.wording import count, counted

THESE_ANSWERS: Final = (
    "Verdicts on lists are about these answers: a model that answers differently each time may do better or worse when it is "
    "asked again. 'viva certify --draws 1' tests the model."
)


def headline(swept: SweepResults) -> str:
    """The verdicts counted, in a sentence."""
    return next(filter(None, _counts(swept)), "Nothing was examined.")


def details(swept: SweepResults) -> str:
    """What else there is to be counted, and what bounds the errors."""
    further = [one for one in _counts(swept) if one and one != headline(swept)]
    return " ".join(filter(None, (*further, basis(swept))))


def _counts(swept: SweepResults) -> list[str]:
    return [_certified(swept), _compared(swept), _examined(swept), _missing(swept)]


def _certified(swept: SweepResults) -> str:
    if not swept.results:
        return ""
    kinds = (Verdict.PASS, Verdict.FAIL, Verdict.UNDECIDED)
    good, bad, undecided = map(swept.those, kinds)
    who = f"{counted(len(swept.names), 'candidate')} on {counted(len(swept.scopes), 'scope')}"
    left = f", {undecided} without a conclusion" if undecided else ""
    told = "; ".join((f"{good} of {len(swept.results)} cells pass, {bad} fail{left}", *_measured(swept)))
    return f"{who[:1].upper()}{who[1:]}: {told}."


def _measured(swept: SweepResults) -> list[str]:
    """What was measured and is required: a clause for each passing grade, with ridiculous answers where all have one limit."""
    of: dict[float, list[ScopeResult]] = {}
    limits = set()
    for found in swept.results.values():
        if found.result is not None and found.criterion is not None:
            of.setdefault(found.criterion.passing_grade, []).append(found.result)
            limits.add(found.criterion.ridiculous_limit)
    limit = limits.pop() if len(limits) == 1 else None
    clauses = (of_several(results, Criterion(grade, limit)) for grade, results in sorted(of.items()))
    return [clause for clause in clauses if clause]


def _compared(swept: SweepResults) -> str:
    pairs = [pair for one in swept.comparisons.values() for pair in one.pairs]
    if not pairs:
        return ""
    apart = sum(pair.verdict in ("better", "worse") for pair in pairs)
    scopes = counted(len(swept.comparisons), "scope")
    together = "" if swept.overall is None else f", over all together {swept.overall.told_apart} of {len(swept.overall.pairs)}"
    return f"{count(apart)} of {count(len(pairs))} pairs of candidates are told apart on {scopes}{together}."


def _examined(swept: SweepResults) -> str:
    found = sum(bool(one.cards) for one in swept.rooms)
    return f"{counted(found, 'cell')} examined in rooms.".capitalize() if found else ""


def _missing(swept: SweepResults) -> str:
    failed = f"{counted(len(swept.failed), 'cell')} could not be examined now" if swept.failed else ""
    left = f"{counted(swept.unfinished, 'cell')} not examined yet" if swept.unfinished else ""
    told = "; ".join(filter(None, (failed, left)))
    return f"{told[:1].upper()}{told[1:]}." if told else ""


def basis(swept: SweepResults) -> str:
    """What bounds the errors, in a sentence or two."""
    found = []
    if swept.results:
        wrong = f"{swept.delta * 100:.3g}%"
        found.append(
            f"By a procedure of whose verdicts in the table on average at most {wrong} are wrong, over all attempts."
            if swept.plan.plan.correction == "fdr"
            else f"By a procedure that gives any wrong verdict in the table at most {wrong} of the time, over all attempts."
        )
    if swept.comparisons and swept.plan.compare is not None:
        together = " on any scope, or on all together," if swept.overall is not None else " on any scope"
        wrong = f"{swept.plan.compare.delta * 100:.3g}%"
        found.append(
            f"Tiers: any wrong statement on any pair{together} at most {wrong} of the time."
            if swept.plan.compare.rule == "any"
            else f"Tiers: on each scope on average at most {wrong} of the statements on pairs are wrong."
        )
    return " ".join(found)


def caveats(swept: SweepResults) -> tuple[str, ...]:
    """What the table does not show, the weightiest first."""
    told = [*_of_missing(swept)]
    attempts = (one.finding.attempt for one in swept.outcomes if one.finding is not None)
    if any(one is not None and one.held.about == ANSWERS for one in attempts):
        told.append(THESE_ANSWERS)
    if swept.results:
        told += [
            "The guarantee is about the whole table, and on average: a single verdict that is picked from it is less sure than "
            "one from an examination of that candidate on that scope alone."
            if swept.plan.plan.correction == "fdr"
            else "The guarantee is about the procedure: whatever the candidates are like, it gives one or more wrong verdicts "
            "in the whole table at most that often.",
            "It holds for the plan as it was before the first answer: candidates and scopes that were added, or left out, in "
            "view of answers are not seen.",
            "Intervals are wide enough for all cells at once.",
        ]
    if swept.those(Verdict.UNDECIDED):
        told.append("“Undecided” is not a verdict: it says nothing for or against a candidate.")
    if swept.overall is not None:
        told.append("All scopes together are these, by their numbers of questions: over others the order may be another.")
    if swept.rooms:
        told.append("What rooms say is at their own error rates, and no part of what is bounded for the table.")
    told.append(
        "It holds for questions drawn as each scope draws them, in these words, and for candidates as they were when they "
        "answered."
    )
    if any(one.size for one in swept.scopes):
        told.append("Whether answers were memorised cannot be seen from answers to published questions.")
    return (*told, *_of_findings(swept))


def _of_missing(swept: SweepResults) -> list[str]:
    found = []
    if swept.failed or swept.unfinished:
        found.append("Cells are missing: the same command goes on with them, and verdicts on others may then follow.")
    return found


def _of_findings(swept: SweepResults) -> tuple[str, ...]:
    """What findings say of how candidates were asked and of their attempts, each once."""
    said: dict[str, None] = {}
    for one in swept.outcomes:
        if one.finding is not None:
            asked_so = one.finding.asked_so
            attempt = () if one.finding.attempt is None else one.finding.attempt.caveats
            said |= dict.fromkeys((*asked_so, *attempt))
    return tuple(said)


def method(swept: SweepResults) -> list[str]:
    """How the numbers were found."""
    found = []
    if swept.results:
        found += _of_certificates(swept)
    if swept.comparisons and swept.plan.compare is not None:
        found.append(
            "On each scope all candidates were asked the same questions, in an order of its own that was drawn before any "
            "answer was looked at; an answer that was on record from a certificate was not asked for again. "
            + _levels_of_comparisons(swept, swept.plan.compare.rule)
        )
    if swept.overall is not None:
        found.append(
            "All scopes together: a comparison on questions that were drawn from all of them, each alike, so that a scope "
            "counts by its number of questions."
        )
    if swept.plan.plan.budget.budget != type(swept.plan.plan.budget.budget)():
        found.append(
            "The budget was divided among cells beforehand, and what some left over went to those that were short of it, so "
            "that nothing depends on who answered faster."
        )
    return found


def _levels_of_comparisons(swept: SweepResults, rule: Rule) -> str:
    if rule == "share":
        return (
            "On each scope statements on pairs are made by e-BH at the δ of comparisons. It bounds the average share of wrong "
            "ones on each scope, and not the chance of any wrong one over all scopes."
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
            f"A verdict needs an e-value of {members} / δ, with the δ of certificates: the chance of any wrong verdict among "
            "all cells is at most δ.",
        ]
    return [
        drawn,
        f"Each kind of verdict is given by e-BH over all {members} cells: to the k with the largest e-values, where k is the "
        f"greatest number such that each of them is at least {members} / (k δ). Cells are asked in rounds: until their "
        "evidence is enough if all get a verdict, and then, as long as that is not so, until it is enough if only those do "
        "that have come so far.",
    ]
