"""What a deployment certificate has found: two verdicts on the same answers, and what sets them apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Self

from vivavoce.certificate.attempts import Attempt, how_often
from vivavoce.certificate.claims import ClaimFinding
from vivavoce.certificate.determinism import about_in_words
from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.grading import Grading
from vivavoce.certificate.naming import names_of
from vivavoce.certificate.report import deployed as both
from vivavoce.certificate.report.answers import SHOWN_HEADLINE, Shown, worst_answers
from vivavoce.certificate.report.attempts import attempts
from vivavoce.certificate.report.bounds import rate_in_cell, score_in_cell
from vivavoce.certificate.report.verdicts import names, overall, shown_verdict
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.candidate import Usage
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Figure, InFull, InShort, Report, Section, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import paragraphs

_MOST_USED = 0.1


@dataclass(frozen=True, slots=True, repr=False)
class DeploymentCertificate(ClaimFinding):
    """What `certify` returns on a scope as people will use it (`deployed.deployment_of`)."""

    whole: Certificate
    """Every question counts the same; at delta / 2."""
    deployed: Certificate
    """Questions count by how often people will ask them; at delta / 2."""
    criterion: Criterion
    """Its delta is that of both verdicts together."""
    asked: int
    shares: tuple[float, ...]
    """Of each unit among all that people will ask, the largest first; they add up to 1."""
    signature: Signature
    attempt: Attempt | None = None
    """As in a certificate."""

    @property
    def candidate(self) -> str:
        """Who was examined."""
        return self.whole.candidate

    @property
    def scope(self) -> str:
        """On what."""
        return self.whole.scope

    @property
    def grading(self) -> Grading | None:
        """Who graded, where it was not the scope's own rule."""
        return self.whole.grading

    @property
    def spending(self) -> Usage:
        """What it took."""
        return self.whole.spending

    @property
    def claims(self) -> tuple[Certificate, Certificate]:
        """As a whole, and as people will use it."""
        return self.whole, self.deployed

    def named(self, name: str, title: Callable[[str], str]) -> Self:
        """As in a certificate."""
        return replace(self, whole=self.whole.named(name, title), deployed=self.deployed.named(name, title))

    @property
    def verdicts(self) -> tuple[Verdict, Verdict]:
        """As a whole, and as people will use it."""
        return self.whole.verdict, self.deployed.verdict

    @property
    def statement(self) -> str:
        """Both verdicts in plain words, and what they rest on."""
        return f"{self.headline} {self.basis}"

    @property
    def headline(self) -> str:
        """Both verdicts in one sentence; with the share of replies that could not be graded, where that is large."""
        said = self._both_verdicts
        words = self.whole.unread_counts.in_headline or self.deployed.unread_counts.in_headline
        return said if not words or words in said else f"{said.removesuffix('.')}; {words}."

    @property
    def _both_verdicts(self) -> str:
        who, scope, whole, deployed = self.whole.called, self.whole.titled, self.whole, self.deployed
        scope += "" if self.attempt is None else about_in_words(self.attempt.held.about)
        verbs = {Verdict.PASS: "passes", Verdict.FAIL: "fails"}
        first, second = (one.because for one in (whole, deployed))
        match self.verdicts:
            case (Verdict.UNDECIDED, Verdict.UNDECIDED):
                return f"Undecided whether {who} passes {scope}: as a whole, {first}; as people will use it, {second}."
            case (Verdict.UNDECIDED, sure):
                return f"{who} {verbs[sure]} {scope} as people will use it: {second}; undecided as a whole: {first}."
            case (sure, Verdict.UNDECIDED):
                return f"{who} {verbs[sure]} {scope} as a whole: {first}; undecided as people will use it: {second}."
            case (one, other):
                return f"{who} {verbs[one]} {scope} as a whole: {first}; it {verbs[other]} as people will use it: {second}."

    @property
    def basis(self) -> str:
        """What the verdicts rest on, in one sentence."""
        questions = f"{count(self.asked)} question{'' if self.asked == 1 else 's'}"
        if self.whole.complete and self.deployed.complete:
            return f"All {questions} of the scope were asked."
        if Verdict.UNDECIDED in self.verdicts:
            return f"After {questions}."
        rare = how_often(self.criterion.delta, self.attempt)
        return f"After {questions}, by a procedure that gives any wrong verdict {rare}."

    @property
    def most_used(self) -> float:
        """The share of all that people will ask which falls on the tenth of the questions that they ask most."""
        return fsum(self.shares[: max(1, round(_MOST_USED * len(self.shares)))])

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the verdicts do not say."""
        own = (
            "How often people will ask each question is taken as given: uncertainty about their beliefs is not part of delta.",
            "Questions that are not in the file do not count, however much people may use the candidate for them.",
        )
        counted = () if self.attempt is None else self.attempt.caveats
        return (*own, *dict.fromkeys((*self.whole.caveats, *self.deployed.caveats, *counted)))

    def report(self) -> Report:
        """All of it as blocks."""
        whole, deployed, use = self.whole, self.deployed, both.use(self.most_used)
        return Report(
            kind="Deployment certificate",
            title=f"Deployment certificate: {name_of(whole.called)} on {whole.titled}",
            headline=clipped(self.headline, SHOWN_HEADLINE),
            verdict=shown_verdict(overall(self.verdicts), both.both_verdicts(self.verdicts)),
            blocks=(
                InFull(paragraphs(f"{self.basis} {use}")),
                *names((whole.called, whole.candidate), [(whole.titled, whole.scope)]),
                self._numbers(),
                InShort(paragraphs(use)),
                Section("As a whole", (Figure(whole.evidence_path),)),
                Section("As people will use it", (Figure(deployed.evidence_path),)),
                *deployed.unread_replies(deployed.remedies or whole.remedies),
                attempts(self.attempt),
                Caveats(self.caveats),
                *worst_answers([*map(Shown, deployed.worst)], unread=bool(deployed.unread)),
                both.method(self.criterion.delta, self.attempt),
            ),
            statement=self.statement,
            signature=self.signature.line,
        )

    def _numbers(self) -> Table:
        """Both verdicts in figures."""
        whole, deployed = self.whole, self.deployed
        return both.side_by_side(
            both.verdict_row(self.verdicts),
            both.score_row((_score(whole), _score(deployed)), self.criterion),
            both.ridiculous_row((_ridiculous(whole), _ridiculous(deployed)), self.criterion),
            both.questions_row((whole.questions, deployed.questions), whole.scope_size),
            *both.laws_row(whole.broken_laws, deployed.broken_laws),
            *both.interval_rows((whole.score, deployed.score), (whole.ridiculous, deployed.ridiculous)),
        )

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            **names_of(name=self.whole.name),
            "scope": self.scope,
            **names_of(title=self.whole.title),
            "scope_digest": self.signature.scope_digest,
            "passing_grade": self.criterion.passing_grade,
            "ridiculous_limit": self.criterion.ridiculous_limit,
            "delta": self.criterion.delta,
            "asked": self.asked,
            "most_used_tenth": self.most_used,
            "whole": self.whole.as_json(),
            "deployed": self.deployed.as_json(),
            "tokens": self.spending.tokens,
            "money": self.spending.money,
        }


def _score(certificate: Certificate) -> Cell:
    return both.counted_below(score_in_cell(certificate, certificate.criterion), certificate.score)


def _ridiculous(certificate: Certificate) -> Cell:
    return both.counted_below(rate_in_cell(certificate, certificate.criterion), certificate.ridiculous)
