"""Compares people's beliefs with what a model does, as part of an examination: the model answers the questions of the pairs.

The questions of pairs, found in their scopes, asked once each and graded by these scopes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import Field

from vivavoce.certificate.graders.marking import all_together
from vivavoce.certificate.graders.trace import in_order, mark_of
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.examination import part
from vivavoce.examination.plan import PlanSection, Text, in_a_plan
from vivavoce.formats.lines import expanded, file_digest
from vivavoce.formats.wording import count, name_of, percent
from vivavoce.generalization.config import BELIEFS, AlignConfig
from vivavoce.generalization.pairs import BeliefPair, GradedAnswers, key_of, read_pairs
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.interview import Interview
from vivavoce.interview.results import ResultMark
from vivavoce.interview.scope import Grade
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes.listed_and_endless import ListedScope

if TYPE_CHECKING:
    from vivavoce.generalization.alignment.human_alignment import HumanAlignment
    from vivavoce.generalization.pairs import Floats
    from vivavoce.scopes.questions import Question


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
            document = await ask_graded(table.interview(len(chosen)), chosen, topic="alignment")
        drawn = None
        if not plan.pairs:
            pairs, drawn = predicted(pairs, expanded(BELIEFS))
        grades = {
            key: (None if grade.outcome is Outcome.NO_ANSWER or grade.outcome.unread else grade.score == 1,)
            for key, (grade, _) in document.items()
        }
        known = {key for key, (grade,) in grades.items() if grade is not None}
        if not any({key_of(pair.q1), key_of(pair.q2)} <= known for pair in pairs):
            raise NotEnoughEvidence("no pair of questions has two answers that could be parsed")
        name = table.candidate.name if table.candidate else examination.candidate
        digests = [file_digest(Path(file)) for file in plan.pairs] + [scope.digest for scope in listed_scopes(plan.scopes)]
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


def _asked(examination: part.ExaminationConfig) -> tuple[list[BeliefPair], dict[str, Asked]]:
    """The pairs, and their questions by key."""
    plan = _plan(examination)
    scopes = listed_scopes(plan.scopes)
    pairs = [pair for file in plan.pairs for pair in read_pairs(Path(file))]
    if not plan.pairs:
        pairs = drawn_pairs(agreed_questions(scopes), plan.drawn, examination.plan.number)
    return pairs, questions_of_pairs(scopes, pairs)


Asked: TypeAlias = "tuple[ListedScope, Question]"
"""A question, and the scope that asks and grades it."""
Told: TypeAlias = "tuple[Grade, Reply | NoAnswer]"
"""An answer and its grade."""

DRAWS: Final = 200
"""Fits of a predictor that its error is computed from."""


def listed_scopes(names: Sequence[str]) -> list[ListedScope]:
    """The scopes of these names; raises `BadInput` for an endless one, and what `open_scope` raises."""
    from vivavoce.scopes import open_scope

    scopes = []
    for name in names:
        opened = open_scope(name)
        if not isinstance(opened, ListedScope):
            raise BadInput(f"'{name}' is endless: name a scope that is a list of questions")
        scopes.append(opened)
    return scopes


def agreed_questions(scopes: Sequence[ListedScope]) -> dict[str, Asked]:
    """All questions of these scopes, each once, by key; without questions that occur with different accepted answers."""
    from vivavoce.generalization.pairs import key_of
    from vivavoce.generalization.survey.cards import wording

    values: dict[str, list[Asked]] = {}
    for scope in scopes:
        for question in scope.questions:
            values.setdefault(key_of(wording(question)), []).append((scope, question))
    return {key: alike[0] for key, alike in values.items() if len({_right(question) for _, question in alike}) == 1}


def questions_of_pairs(scopes: Sequence[ListedScope], pairs: Sequence[BeliefPair]) -> dict[str, Asked]:
    """The questions of pairs, by key, in the order of the scopes. Raises `BadInput` without any."""
    from vivavoce.generalization.pairs import key_of

    wanted = {key_of(text) for pair in pairs for text in (pair.q1, pair.q2)}
    agreed = {key: agreed_question for key, agreed_question in agreed_questions(scopes).items() if key in wanted}
    if not agreed:
        names = "', '".join(scope.name[:80] for scope in scopes)
        raise BadInput(f"'{names}' has none of the questions in the pairs ({len(wanted)}): name their scope")
    return agreed


def drawn_pairs(pool: Mapping[str, Asked], number: int, seed: int) -> list[BeliefPair]:
    """Pairs of these questions, drawn uniformly. Raises `NotEnoughEvidence` for fewer than two questions."""
    import numpy as np

    from vivavoce.generalization.evaluation.influential_pairs import draw_pairs
    from vivavoce.generalization.pairs import TaskQuestion
    from vivavoce.generalization.survey.cards import wording

    questions = [TaskQuestion(wording(question), question.category or scope.name) for scope, question in pool.values()]
    return draw_pairs(questions, number, rng=np.random.default_rng(seed))


def predicted(pairs: Sequence[BeliefPair], model: Path) -> tuple[list[BeliefPair], Floats | None]:
    """Each pair after a right and after a wrong answer, with the chance of a change that the model in a folder predicts; and
    the chances by other fits of it, or None if it does not know its error. Raises `BadFile`, and `BadInput` for a model that
    asks another one.
    """
    import numpy as np

    from vivavoce.generalization.evaluation.influential_pairs import both_ways
    from vivavoce.generalization.predictors.base import UncertainPredictor
    from vivavoce.generalization.predictors.few_shot import FewShotPredictor
    from vivavoce.generalization.predictors.model_store import open_predictor

    predictor, _ = open_predictor(model)
    if isinstance(predictor, FewShotPredictor):
        raise BadInput("this predictor asks a language model: run 'viva people predict apply', and give its file as --beliefs")
    both = both_ways(pairs)
    drawn = None
    if isinstance(predictor, UncertainPredictor):
        drawn = predictor.drawn(both, DRAWS, rng=np.random.default_rng(0))
    return [replace(pair, pred=float(chance)) for pair, chance in zip(both, predictor.predict(both), strict=True)], drawn


async def ask_graded(interview: Interview[Prompt, Reply], chosen: Mapping[str, Asked], *, topic: str) -> dict[str, Told]:
    """The answer and grade by key; questions after the end of a budget are missing."""
    asked = list(chosen.items())
    result: dict[str, Told] = {}
    marks: list[ResultMark] = []
    interview.results.mark_by(lambda heard: in_order(heard, marks))
    replies = interview.ask_in_order(
        (scope.prompt(question) for scope, question in chosen.values()), topic=topic, all_wanted=True
    )
    async with aclosing(replies):
        async for _, answer in replies:
            key, (scope, question) = asked[len(result)]
            grade = scope.grade(question, answer)
            marks.append(mark_of(question, grade, scope=scope.name))
            result[key] = (grade, answer)
    return result


async def all_graded(
    interviews: Sequence[Interview[Prompt, Reply]], chosen: Mapping[str, Asked], *, topic: str
) -> list[dict[str, Told]]:
    """The same for several candidates side by side; if one can't be asked any more, the others stop as well."""
    return await all_together(ask_graded(interview, chosen, topic=topic) for interview in interviews)


def _right(question: Question) -> frozenset[str]:
    """The right answers, as text."""
    document = dict(zip(question.letters, question.options, strict=True))
    return frozenset(fold(document.get(answer, answer)) for answer in question.accepted)
