"""People's beliefs compared with what a model really does, as part of an examination: the model answers the questions of the
pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import Field

from vivavoce.certificate.rows import in_order, mark_of
from vivavoce.errors import BadInput
from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.configs import in_a_plan
from vivavoce.examination.part import SPEAKERS, CostEstimate, ExaminationConfig, Table, priced
from vivavoce.examination.plan import Move, Section, Text
from vivavoce.formats.lines import file_digest
from vivavoce.formats.wording import percent
from vivavoce.generalization.config import AlignConfig
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import Mark
from vivavoce.report.reported import Reported

if TYPE_CHECKING:
    from vivavoce.certificate.questions import Question
    from vivavoce.certificate.scopes.listed import ListedScope
    from vivavoce.generalization.pairs import Pair

Asked: TypeAlias = "tuple[ListedScope, Question]"
"""A question, and the scope that asks and grades it."""

TOKENS: Final = (150, 60)
"""Of a typical question and reply: a guess to decide by."""


@dataclass(frozen=True, slots=True)
class AlignmentPlan(Section):
    """People's beliefs about a model, and the scopes that hold the questions they are about, with the right answers."""

    pairs: Annotated[tuple[Text, ...], Field(min_length=1)]
    scope: Text | Annotated[tuple[Text, ...], Field(min_length=1, max_length=100)]
    config: AlignConfig = in_a_plan(AlignConfig)

    @property
    def scopes(self) -> tuple[str, ...]:
        """All of them."""
        return (self.scope,) if isinstance(self.scope, str) else self.scope

    def moved(self, file: Move, scope: Move) -> AlignmentPlan:
        """With these files in other places, one scope or a list of them as before."""
        moved = tuple(map(scope, self.scopes))
        return replace(self, pairs=tuple(map(file, self.pairs)), scope=moved[0] if isinstance(self.scope, str) else moved)


INIT: Final = """\
# [alignment]                    # do people know where it fails? Pairs come from 'viva generalization survey'
# pairs = ["pairs.csv"]
# scope = "file:questions.jsonl" # holds the questions of the pairs, with the right answers; or ["bbh:DIR", "mmlu:DIR"]
# thresholds = [0.5, 0.9, 0.95, 0.99]
"""


class AlignmentPart:
    """Do people's beliefs about the candidate fit what it does?"""

    room = "alignment"
    question = "Do people know where it fails?"
    natures = SPEAKERS
    section = AlignmentPlan
    init = INIT

    def absent(self, examination: ExaminationConfig) -> str:
        """It takes beliefs, and questions that can be asked."""
        needs = (
            "needs people's beliefs and the questions they are about: pairs from 'viva generalization survey', and their "
            "scope; name both, [alignment] pairs = [FILE] and scope = SCOPE"
        )
        return "" if examination.plan.section(AlignmentPlan) else needs

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> CostEstimate:
        """Each question of the pairs once."""
        calls = len(_chosen(_scopes(_plan(examination)), _pairs(_plan(examination))))
        return priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], "each question of the pairs once")

    async def run(self, table: Table) -> list[tuple[Reported, str]]:
        """Raises `NotEnoughEvidence` where no pair shows what it did and holds a belief."""
        from vivavoce.generalization.alignment.score import align
        from vivavoce.generalization.answers import Answers

        examination, plan = table.examination, _plan(table.examination)
        pairs, scopes = _pairs(plan), _scopes(plan)
        chosen = _chosen(scopes, pairs)
        grades = await _graded(table.interview(len(chosen)), chosen)
        name = table.candidate.name if table.candidate else examination.candidate
        digests = [file_digest(Path(file)) for file in plan.pairs] + [scope.digest for scope in scopes]
        finding = align(
            pairs,
            Answers((name,), grades, {}),
            replace(plan.config, seed=examination.plan.number),
            source=", ".join(Path(file).name for file in plan.pairs),
            digest=hashlib.sha256("".join(digests).encode()).hexdigest(),
        )
        return [(finding, examination.command("examine", examination.candidate, "--plan", "plan.toml", "--only", self.room))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """There is no verdict."""
        return (Claim("measured", finding.headline),)

    def figures(self, finding: Any) -> tuple[Figure, ...]:
        """How right it is, and how well beliefs fit it, weighted for each threshold."""
        one, asked = finding.models[0], finding.signature.scope_digest
        fits = zip(finding.thresholds, one.accuracy, strict=True)
        return (
            Figure.of("right on the questions of the survey", one.right, "share", asked),
            *(Figure.of(f"beliefs that fit, for use above {percent(t)}", found, "share", asked) for t, found in fits),
        )


async def _graded(interview: Interview[Prompt, Reply], chosen: Mapping[str, Asked]) -> dict[str, tuple[bool | None]]:
    """By the key of each question whether it was answered right; an unreadable reply is not, an absent one is none."""
    asked = list(chosen.items())
    grades: dict[str, tuple[bool | None]] = {}
    marks: list[Mark] = []
    interview.results.mark_by(lambda heard: in_order(heard, marks))
    replies = interview.ask_in_order((scope.prompt(question) for scope, question in chosen.values()), topic="alignment")
    async with aclosing(replies):
        async for _, answer in replies:
            key, (scope, question) = asked[len(grades)]
            grade = scope.grade(question, answer)
            marks.append(mark_of(question, grade, scope=scope.name))
            grades[key] = (None if grade.outcome is Outcome.NO_ANSWER else grade.score == 1,)
    return grades


def _plan(examination: ExaminationConfig) -> AlignmentPlan:
    plan = examination.plan.section(AlignmentPlan)
    assert plan is not None
    return plan


def _pairs(plan: AlignmentPlan) -> list[Pair]:
    from vivavoce.generalization.pairs import read_pairs

    return [pair for file in plan.pairs for pair in read_pairs(Path(file))]


def _scopes(plan: AlignmentPlan) -> list[ListedScope]:
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.scopes.listed import ListedScope

    scopes = []
    for name in plan.scopes:
        opened = open_scope(name)
        if not isinstance(opened, ListedScope):
            raise BadInput(f"'{name}' is endless: name a scope that is a list of questions")
        scopes.append(opened)
    return scopes


def _chosen(scopes: Sequence[ListedScope], pairs: Sequence[Pair]) -> dict[str, Asked]:
    """The questions that stand in a pair, each once, by key; those whose repetitions accept other answers are left out.

    Raises `BadInput` where there is none.
    """
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.survey.cards import wording

    wanted = {key_of(text) for pair in pairs for text in (pair.q1, pair.q2)}
    found: dict[str, list[Asked]] = {}
    for scope in scopes:
        for question in scope.questions:
            if (key := key_of(wording(question))) in wanted:
                found.setdefault(key, []).append((scope, question))
    agreed = {key: alike[0] for key, alike in found.items() if len({_right(question) for _, question in alike}) == 1}
    if not agreed:
        names = "', '".join(scope.name[:80] for scope in scopes)
        raise BadInput(f"'{names}' holds no question of the {len(wanted)} in the pairs: name the scope they are from")
    return agreed


def _right(question: Question) -> frozenset[str]:
    """What is right, in words."""
    said = dict(zip(question.letters, question.options, strict=True))
    return frozenset(fold(said.get(answer, answer)) for answer in question.accepted)
