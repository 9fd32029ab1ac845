"""What several candidates show, each examined on its own explanations, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any, Final

from vivavoce.eqt.finding import FEW, ExplainQueryTest, points
from vivavoce.eqt.report.cells import counted
from vivavoce.eqt.report.comparison import (
    MOST_CANDIDATES,
    accuracy,
    categories_of,
    consistency,
    left_out,
    matrix,
    method,
    overview,
    panels,
)
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, name_of, percent
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import notes, paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class EqtComparison(Reported):
    """Several candidates, each examined on its own explanations (Table 1 of the paper), and who answers whose questions."""

    findings: tuple[ExplainQueryTest, ...]
    signature: Signature

    @property
    def matrix(self) -> Mapping[str, Mapping[str, Estimate]]:
        """Whose questions -> who answers them -> closed-book accuracy on originals; the owner itself among them."""
        return {one.candidate: {one.candidate: one.whole.closed_originals, **one.visitors} for one in self.findings}

    @property
    def everywhere(self) -> Mapping[str, float]:
        """Each candidate's mean accuracy over all candidates' questions, its own among them; empty where any is missing.

        Each candidate's questions count the same. It shows who knows most on the same questions, no matter who wrote them.
        """
        matrix = self.matrix
        values = {name: [row[name].value if name in row else None for row in matrix.values()] for name in matrix}
        known = {name: [value for value in of_name if value is not None] for name, of_name in values.items()}
        if any(len(of_name) < len(matrix) for of_name in known.values()):
            return {}
        return {name: fsum(of_name) / len(of_name) for name, of_name in known.items()}

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return _headline(self)

    @property
    def others(self) -> str:
        """What comes next, in a sentence or two; may be empty."""
        return _others(self)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the comparison does not show."""
        return _caveats(self)

    def report(self) -> Report:
        """All of it as blocks."""
        shown = self.findings[:MOST_CANDIDATES]
        categories = categories_of(shown)
        return self.reported(
            "Explain, query, test: several candidates",
            f"{counted(len(self.findings), 'candidate')} on their own explanations",
            InFull(paragraphs(self.others, _LEAD)),
            *overview(shown),
            *notes(left_out(self.findings, shown, categories)),
            accuracy(shown, categories),
            panels(shown, categories),
            consistency(shown, categories),
            matrix(shown, self.matrix, self.everywhere),
            Caveats(self.caveats),
            method(self.findings),
        )

    def as_json(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        return {
            "statement": self.statement,
            "findings": [finding.as_json() for finding in self.findings],
            "matrix": {
                owner: {name: estimate.as_json() for name, estimate in row.items()} for owner, row in self.matrix.items()
            },
            "everywhere": dict(self.everywhere),
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }


_LEAD: Final = (
    "Each candidate explained the same kind of concepts, wrote questions on its own explanations, and answered them: without "
    "the explanation, from what it knows, and with the explanation at hand."
)


def _headline(compared: EqtComparison) -> str:
    """Who of several answers most of its own questions, and who least."""
    found = [one.candidate for one in compared.findings]
    shares = {one.candidate: one.whole.closed_originals for one in compared.findings}
    closed = {name: share.value for name, share in shares.items() if share.value is not None}
    if len(closed) < 2:
        return f"Nothing can be compared: {count(len(closed))} of {count(len(found))} candidates answered any question."
    best, worst = max(closed, key=lambda name: closed[name]), min(closed, key=lambda name: closed[name])
    if closed[best] == closed[worst]:
        return f"All of {count(len(closed))} candidates answer {percent(closed[best])} of questions on their own explanations."
    is_most = shares[best].is_largest(share for name, share in shares.items() if name != best)
    is_least = shares[worst].is_smallest(share for name, share in shares.items() if name != worst)
    of = f"Of {count(len(found))} candidates, each on questions about its own explanations,"
    if not is_most and not is_least:
        return (
            f"{of} none is shown to answer most or least without them: {name_of(best)} answers {percent(closed[best])}, and "
            f"{name_of(worst)} {percent(closed[worst])}."
        )
    return (
        f"{of} {name_of(best)} answers {'most ' if is_most else ''}without them, {percent(closed[best])}, and {name_of(worst)}"
        f"{' least' if is_least else ''}, {percent(closed[worst])}."
    )


def _others(compared: EqtComparison) -> str:
    """Where the gap is widest, and who answers everyone's questions; may be empty."""
    answered = [one for one in compared.findings if one.whole.closed_originals.value is not None]
    gaps = {one.candidate: one.whole.gap for one in compared.findings if one.whole.gap.interval.lower > 0}
    if len(answered) < 2:
        return ""
    parts = []
    if gaps:
        widest = max(gaps, key=lambda name: gaps[name].value or 0.0)
        is_widest = gaps[widest].is_largest(one.whole.gap for one in answered if one.candidate != widest)
        parts.append(
            f"{'The widest' if is_widest else 'A'} gap to what they answer with the explanation at hand is that of "
            f"{name_of(widest)}: {points(gaps[widest])}."
        )
    everywhere = compared.everywhere
    if everywhere:
        first, last = (pick(everywhere, key=lambda name: everywhere[name]) for pick in (max, min))
        parts.append(
            f"On the questions of all of them {name_of(first)} answers {percent(everywhere[first])}, and {name_of(last)} "
            f"{percent(everywhere[last])}."
        )
    return " ".join(parts)


SETTINGS: Final = ("questions", "paraphrases", "options", "shuffle", "checks", "temperature")
"""What must be the same for two examinations to be compared."""


def _caveats(compared: EqtComparison) -> tuple[str, ...]:
    """What a comparison of candidates does not show."""
    findings = compared.findings
    set_ups = {tuple(getattr(one.set_up, name) for name in SETTINGS) for one in findings}
    concepts = {frozenset(figures.name for figures in one.concepts) for one in findings}
    faulty = [name_of(one.candidate) for one in findings if 2 * one.validity.valid < one.validity.written]
    return tuple(
        filter(
            None,
            (
                "Each candidate answers questions about its own explanations: a candidate that writes harder ones gets "
                "lower figures."
                if not compared.everywhere
                else "On its own questions each candidate may find them easier or harder than others' are: the matrix "
                "shows it.",
                "They were not examined in the same way: the signature of each says how." if len(set_ups) > 1 else "",
                "They were not examined on the same concepts." if len(concepts) > 1 else "",
                f"More than half of the questions have a fault for {', '.join(faulty[:6])}." if faulty else "",
                f"Fewer than {FEW} concepts for some: read the intervals, not the order."
                if any(one.whole.concepts < FEW for one in findings)
                else "",
            ),
        )
    )
