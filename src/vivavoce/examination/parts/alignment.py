"""Compares people's beliefs with what a model does, as part of an examination: the model answers the questions of the pairs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from vivavoce.errors import NotEnoughEvidence
from vivavoce.examination import pair_questions, part
from vivavoce.examination.plan import PlanSection, Text, in_a_plan
from vivavoce.formats.lines import expanded, file_digest
from vivavoce.formats.wording import count, name_of, percent
from vivavoce.generalization.config import BELIEFS, AlignConfig
from vivavoce.generalization.pairs import BeliefPair, GradedAnswers, key_of, read_pairs
from vivavoce.interview.forms.form import Outcome
from vivavoce.report.reported import ReportedFinding

if TYPE_CHECKING:
    from vivavoce.generalization.alignment.human_alignment import HumanAlignment

TOKENS: Final = (150, 60)
"""Assumed tokens of a question and its reply."""


@dataclass(frozen=True, slots=True)
class AlignmentPlan(PlanSection):
    """People's beliefs about a model, and the scopes that hold the questions they are about, with the right answers."""

    pairs: tuple[Text, ...] = ()
    """Files of pairs; without one, pairs are drawn and the built-in model predicts beliefs."""
    scope: Text | Annotated[tuple[Text, ...], Field(min_length=1, max_length=100)] = "obvious"
    drawn: Annotated[int, Field(ge=1, le=100_000)] = 100
    """Number of pairs that are drawn."""
    config: AlignConfig = in_a_plan(AlignConfig)

    file_keys = ("pairs",)
    scope_keys = ("scope",)

    @property
    def scopes(self) -> tuple[str, ...]:
        """All of them."""
        return (self.scope,) if isinstance(self.scope, str) else self.scope


INIT: Final = """\
# [alignment]                    # do people know where it fails?
# pairs = ["pairs.csv"]          # from 'viva people survey'; without it, a built-in model predicts people's beliefs
# drawn = 100                    # about so many pairs of questions
# scope = "file:questions.jsonl" # has the questions of the pairs, with the right answers; or ["bbh:DIR", "mmlu:DIR"]
# thresholds = [0.5, 0.9, 0.95, 0.99]
"""


class AlignmentPart(part.ExaminationPart):
    """Do people's beliefs about the candidate fit what it does?"""

    room = "alignment"
    question = "Do people know where it fails?"
    section = AlignmentPlan
    init = INIT

    def absent(self, examination: part.ExaminationConfig, candidate: object) -> str:
        needs = "needs the questions that people's beliefs are about: [alignment] scope = SCOPE"
        return "" if examination.plan.section(AlignmentPlan) else needs

    def cost_estimate(self, examination: part.ExaminationConfig, candidate: object) -> part.ExaminationCost:
        calls = len(_asked(examination)[1])
        return part.priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], "each question of the pairs once")

    async def run(self, table: part.ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """Raises `NotEnoughEvidence` if no pair has both a belief and the model's answers."""
        from vivavoce.generalization.alignment.human_alignment import align

        examination, plan = table.examination, _plan(table.examination)
        pairs, chosen = _asked(examination)
        with part.ending_early(table):
            document = await pair_questions.ask_graded(table.interview(len(chosen)), chosen, topic="alignment")
        drawn = None
        if not plan.pairs:
            pairs, drawn = pair_questions.predicted(pairs, expanded(BELIEFS))
        grades = {
            key: (None if grade.outcome is Outcome.NO_ANSWER or grade.outcome.unread else grade.score == 1,)
            for key, (grade, _) in document.items()
        }
        known = {key for key, (grade,) in grades.items() if grade is not None}
        if not any({key_of(pair.q1), key_of(pair.q2)} <= known for pair in pairs):
            raise NotEnoughEvidence("no pair of questions has two answers that could be parsed")
        name = table.candidate.name if table.candidate else examination.candidate
        digests = [file_digest(Path(file)) for file in plan.pairs] + [
            scope.digest for scope in pair_questions.listed_scopes(plan.scopes)
        ]
        finding = align(
            pairs,
            GradedAnswers((name,), grades, {}),
            replace(plan.config, seed=examination.plan.number),
            source=", ".join(Path(file).name for file in plan.pairs) or f"{BELIEFS}, {', '.join(plan.scopes)}",
            digest=hashlib.sha256("".join(digests).encode()).hexdigest(),
            drawn=drawn,
        )
        return [(finding, examination.command("report", examination.candidate, "--plan", "plan.toml", "--only", self.room))]

    def claims(self, finding: Any) -> tuple[part.Claim, ...]:
        """There is no verdict: a measurement, with a test for misplaced trust."""
        return (part.Claim("measured", finding.headline, fault=_fault(finding)),)

    def figures(self, finding: Any) -> tuple[part.ComparableFigure, ...]:
        """The model's accuracy, and how well beliefs fit it at each threshold."""
        entry, asked = finding.models[0], finding.signature.scope_digest
        fits = entry.accuracy.items()
        return (
            part.ComparableFigure.of("right on the questions of the survey", entry.right, "share", asked),
            *(
                part.ComparableFigure.of(f"beliefs that fit, for use above {percent(t)}", share, "share", asked)
                for t, share in fits
            ),
        )


def _fault(finding: HumanAlignment) -> part.MeasuredFault | None:
    """The task in which it most surely answers fewer questions right than people expect; Bonferroni's factor for all tasks."""
    if not finding.tasks:
        return None
    worst = min(finding.tasks, key=lambda trust: (trust.p, trust.right / trust.n - trust.belief))
    about = f"questions on “{name_of(worst.task)}”, where people trust it too much"
    expected = percent(round(worst.belief, 2))
    words = f"{about}: they expect {expected} right answers, and it gives {count(worst.right)} of {count(worst.n)}"
    return part.MeasuredFault(min(1.0, len(finding.tasks) * worst.p), words, about)


def _plan(examination: part.ExaminationConfig) -> AlignmentPlan:
    plan = examination.plan.section(AlignmentPlan)
    assert plan is not None
    return plan


def _asked(examination: part.ExaminationConfig) -> tuple[list[BeliefPair], dict[str, pair_questions.Asked]]:
    """The pairs, and their questions by key."""
    plan = _plan(examination)
    scopes = pair_questions.listed_scopes(plan.scopes)
    pairs = [pair for file in plan.pairs for pair in read_pairs(Path(file))]
    if not plan.pairs:
        pairs = pair_questions.drawn_pairs(pair_questions.agreed_questions(scopes), plan.drawn, examination.plan.number)
    return pairs, pair_questions.questions_of_pairs(scopes, pairs)
