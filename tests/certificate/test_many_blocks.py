"""Several scopes by batches: verdicts are those of one question after the other, and little is drawn in vain."""

from __future__ import annotations

from math import log

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.certificate.by_batch import ByBatch
from tests.certificate.candidates import Knows, interview
from vivavoce.certificate.block_plan import SHARE, SPARE, BlockPlan
from vivavoce.certificate.composition import Composition
from vivavoce.certificate.evidence import SequentialTest, Taken
from vivavoce.certificate.examine import certify
from vivavoce.certificate.family import Family, FamilyTest
from vivavoce.certificate.many_block_plan import ManyBlockPlan
from vivavoce.certificate.many_finding import ManyScopes
from vivavoce.certificate.multiple_testing import MultipleTest
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.verdict import Criterion

CRITERION = Criterion(0.7, None)
EACH = Criterion(0.7, None, delta=0.025)
SCORES = {"easy": 0.95, "middling": 0.82, "hard": 0.3}


class Mixed(Knows):
    """Knows as much as the first part of a question's id says."""

    def right(self, prompt: object) -> bool:
        self.score = SCORES[prompt.id.split(".")[0]]  # type: ignore[attr-defined]
        return super().right(prompt)  # type: ignore[arg-type]


def scope(name: str, size: int = 400) -> ListedScope:
    questions = (Question(f"{name}.{n}", f"{name} {n}?", options=("yes", "no"), accepted=("A",)) for n in range(size))
    return ListedScope(name=name, questions=tuple(questions))


async def examined(candidate: object, seed: int) -> ManyScopes:
    asked = interview(candidate)  # type: ignore[arg-type]
    found = await certify(asked, [scope(name) for name in SCORES], CRITERION, Composition(correction="fwer"), seed=seed)
    assert isinstance(found, ManyScopes)
    return found


async def test_verdicts_are_those_of_one_question_after_the_other() -> None:
    for seed in range(2):
        mind = Mixed(0.0, salt=f"{seed}")
        by_batch = ByBatch(mind)
        found, direct = await examined(by_batch, seed), await examined(mind, seed)
        # each scope draws by itself, and the family-wise rule judges each by itself
        assert [(one.verdict, one.questions) for one in found.scopes] == [(one.verdict, one.questions) for one in direct.scopes]
        needed = sum(one.questions for one in found.scopes)
        assert found.asked <= sum(by_batch.lines.values())
        assert sum(by_batch.lines.values()) <= 1.15 * needed + 3 * SPARE
        assert len(by_batch.batches) < needed / 4


def all_right(number: int) -> Taken:
    right, never = np.ones(number), np.zeros(number)
    return Taken(right, never, right, never)


def test_a_scope_by_itself_is_planned_as_a_certificate_is() -> None:
    rule = MultipleTest(1, "fdr", delta=0.05)
    for seen in (0, 3, 6):
        alone = BlockPlan(CRITERION, population=None).next_block(all_right(seen))
        assert ManyBlockPlan([CRITERION], [None]).next_block([all_right(seen)], [(0.0, 0.0)], [0], rule) == alone


def test_company_lowers_what_each_scope_needs() -> None:
    seen, test = 6, SequentialTest(EACH)
    test.update(np.ones(100), np.zeros(100))
    together = MultipleTest(2, "fdr", delta=0.05)
    apart = MultipleTest(2, "fwer", delta=0.05)
    sizes = [
        ManyBlockPlan([EACH, EACH], [None, None]).next_block([all_right(seen)] * 2, [(0.0, 0.0)] * 2, [0, 1], rule)
        for rule in (together, apart)
    ]
    assert 0 < sizes[0] <= sizes[1]
    assert sizes[1] <= (test.n - seen) * 4 + SPARE + SHARE * test.n


def test_of_finite_scopes_no_more_is_asked_than_there_is() -> None:
    rule = MultipleTest(2, "fdr", delta=0.05)
    mixed = np.tile([1.0, 1.0, 0.0], 6)
    seen = Taken(mixed, mixed * 0, mixed, mixed * 0)
    assert ManyBlockPlan([EACH, EACH], [20, 20]).next_block([seen, seen], [(0.0, 0.0)] * 2, [0, 1], rule) <= 2


@settings(max_examples=50, deadline=None)
@given(arrays(float, (4, 3, 2), elements=st.floats(-3, 8)), st.sampled_from(["fdr", "fwer"]))
def test_what_would_stand_is_what_does(log_e: np.ndarray, rule: str) -> None:
    for evidence, found in zip(log_e, MultipleTest(3, rule, delta=0.05).stand_at(log_e), strict=True):  # type: ignore[arg-type]
        test = MultipleTest(3, rule, delta=0.05)  # type: ignore[arg-type]
        test.evidence = [(float(one), float(other)) for one, other in evidence]
        for kind in (0, 1):
            test._settle(kind)
        assert found.tolist() == [test.stands(scope) for scope in range(3)]


def test_of_a_family_too() -> None:
    log_e = np.log([[[19.0, 0.1]], [[21.0, 0.1]], [[21.0, 22.0]], [[0.1, 19.0]]])
    found = FamilyTest(Family(100), 0.05).stand_at(log_e)
    assert found.tolist() == [[False], [True], [True], [False]]
    assert FamilyTest(Family(100, understands=25), 0.05).stand_at(np.array([[[log(60.0), 0.0]]])).tolist() == [[False]]
