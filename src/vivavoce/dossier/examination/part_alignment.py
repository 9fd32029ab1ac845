"""People's beliefs beside what a model really does, as part of an examination: the model answers the questions of the pairs."""

from __future__ import annotations

import hashlib
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.dossier.examination.cards import Claim, Figure
from vivavoce.dossier.examination.parts import SPEAKERS, Ahead, Setting, Table, priced
from vivavoce.dossier.examination.plan import AlignmentPlan, Room
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.finding import Finding
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.lines import file_digest
from vivavoce.interview.wording import percent

if TYPE_CHECKING:
    from vivavoce.certificate.questions import Question
    from vivavoce.certificate.scopes.listed import ListedScope
    from vivavoce.generalization.pairs import Pair

TOKENS: Final = (150, 60)
"""Of a typical question and reply: a guess to decide by."""


class AlignmentPart:
    """Do people's beliefs about the candidate fit what it does?"""

    room: Room = "alignment"
    natures = SPEAKERS

    def absent(self, setting: Setting) -> str:
        """It takes beliefs, and questions that can be asked."""
        needs = (
            "needs people's beliefs and the questions they are about: pairs from 'viva generalization survey', and their "
            "scope; name both, [alignment] pairs = [FILE] and scope = SCOPE"
        )
        return "" if setting.plan.alignment else needs

    def ahead(self, setting: Setting, candidate: object) -> Ahead:
        """Each question of the pairs once."""
        calls = len(_chosen(_scope(_plan(setting)), _pairs(_plan(setting))))
        return priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], "each question of the pairs once")

    async def run(self, table: Table) -> list[tuple[Finding, str]]:
        """Raises `NotEnoughEvidence` where no pair shows what it did and holds a belief."""
        from vivavoce.generalization.alignment import SetUp, align
        from vivavoce.generalization.answers import Answers

        setting, plan = table.setting, _plan(table.setting)
        pairs, scope = _pairs(plan), _scope(plan)
        questions = _chosen(scope, pairs)
        grades = await _graded(table.interview(len(questions)), scope, questions)
        name = table.candidate.name if table.candidate else setting.candidate
        digests = [file_digest(Path(file)) for file in plan.pairs] + [scope.digest]
        finding = align(
            pairs,
            Answers((name,), grades, {}),
            SetUp(thresholds=plan.thresholds, seed=setting.plan.number),
            source=", ".join(Path(file).name for file in plan.pairs),
            digest=hashlib.sha256("".join(digests).encode()).hexdigest(),
        )
        return [(finding, setting.command("examine", setting.candidate, "--plan", "plan.toml", "--only", "alignment"))]

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


async def _graded(
    interview: Interview[Prompt, Reply], scope: ListedScope, questions: list[Question]
) -> dict[str, tuple[bool | None]]:
    """By the key of each question whether it was answered right; an unreadable reply is not, an absent one is none."""
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.cards import wording

    grades: dict[str, tuple[bool | None]] = {}
    replies = interview.ask_in_order(map(scope.prompt, questions), topic="alignment")
    async with aclosing(replies):
        async for _, answer in replies:
            question = questions[len(grades)]
            grade = scope.grade(question, answer)
            grades[key_of(wording(question))] = (None if grade.outcome is Outcome.NO_ANSWER else grade.score == 1,)
    return grades


def _plan(setting: Setting) -> AlignmentPlan:
    assert setting.plan.alignment is not None
    return setting.plan.alignment


def _pairs(plan: AlignmentPlan) -> list[Pair]:
    from vivavoce.generalization.pairs import read_pairs

    return [pair for file in plan.pairs for pair in read_pairs(Path(file))]


def _scope(plan: AlignmentPlan) -> ListedScope:
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.scopes.listed import ListedScope

    opened = open_scope(plan.scope)
    if not isinstance(opened, ListedScope):
        raise BadInput(f"'{plan.scope}' has no end, and its questions are in no list: name a scope that is a list of questions")
    return opened


def _chosen(scope: ListedScope, pairs: list[Pair]) -> list[Question]:
    """The questions of the scope that stand in a pair. Raises `BadInput` where none does."""
    from vivavoce.generalization.answers import key_of
    from vivavoce.generalization.cards import wording

    wanted = {key_of(text) for pair in pairs for text in (pair.q1, pair.q2)}
    found = [question for question in scope.questions if key_of(wording(question)) in wanted]
    if not found:
        raise BadInput(f"'{scope.name[:80]}' holds no question of the {len(wanted)} in the pairs: name the scope they are from")
    return found
