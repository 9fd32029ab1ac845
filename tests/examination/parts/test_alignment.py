"""Beliefs beside what a model does, as part of an examination: each question is asked once, and graded as itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.examination.made import examined
from vivavoce.errors import BadInput
from vivavoce.examination.part import MeasuredFault
from vivavoce.examination.parts.alignment import AlignmentPlan
from vivavoce.examination.plan import Plan
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

DATA = Path(os.environ.get("VIVA_DATA", ""))
PUBLISHED = tuple(str(DATA / "human_generalization" / f"{kind}_sample_with_pred.csv") for kind in ("correct", "incorrect"))
data = [
    pytest.mark.data,
    pytest.mark.skipif(
        not (DATA / "human_generalization").is_dir(), reason="$VIVA_DATA does not name the research data folder"
    ),
]


class AllKnowing:
    """Answers every question of its scopes right, by the prompt's id."""

    name = "test:knowing"

    def __init__(self, scopes: Sequence[str]) -> None:
        opened = [listed_scope for listed_scope in map(open_scope, scopes) if isinstance(listed_scope, ListedScope)]
        self._answers = {question.id: question.accepted[0] for scope in opened for question in scope.questions}
        self.asked: list[str] = []

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question.id)
        return Reply(f"Answer: {self._answers[question.id]}")


def told(candidate: AllKnowing, pairs: Sequence[str], scopes: Sequence[str]) -> dict[str, Any]:
    """The figures of the room, by name; a "Figure" each."""
    scope = scopes[0] if len(scopes) == 1 else tuple(scopes)
    plan = Plan(examinations=("alignment",), sections=(AlignmentPlan(tuple(pairs), scope),))
    [card] = examined(candidate, plan).cards
    return {figure.name: figure for figure in card.figures} | {"statement": card.statement}


def written(folder: Path, questions: Sequence[str], pairs: Sequence[str]) -> tuple[str, str]:
    (folder / "scope.jsonl").write_text("\n".join(questions))
    (folder / "pairs.csv").write_text("\n".join(["q1,q2,source1,source2,previous_correct,posterior", *pairs]))
    return str(folder / "pairs.csv"), f"file:{folder / 'scope.jsonl'}"


SUMS = tuple(f'{{"id": "q{n}", "question": "{n} + {n}?", "answer": {2 * n}}}' for n in range(5))
AGAIN = '{"id": "again", "question": "0 + 0?", "answer": 0}'
AROUND = tuple(f"{n} + {n}?,{(n + 1) % 5} + {(n + 1) % 5}?,a,a,1,0.9" for n in range(5))


def test_a_repeated_question_is_asked_once_and_all_that_follow_are_graded_as_themselves(tmp_path: Path) -> None:
    # "0 + 0?" stands there twice; five different questions, all answered right
    pairs, scope = written(tmp_path, (SUMS[0], AGAIN, *SUMS[1:]), AROUND)
    candidate = AllKnowing([scope])
    right = told(candidate, [pairs], [scope])["right on the questions of the survey"]
    assert (right.value, right.n) == (1.0, 5)
    assert sorted(candidate.asked) == ["q0", "q1", "q2", "q3", "q4"]


def test_a_question_whose_repetition_accepts_something_else_is_left_out(tmp_path: Path) -> None:
    pairs, scope = written(tmp_path, SUMS, AROUND)
    (tmp_path / "other.jsonl").write_text(AGAIN.replace('"answer": 0', '"answer": 1'))
    scopes = [scope, f"file:{tmp_path / 'other.jsonl'}"]
    candidate = AllKnowing(scopes)
    told(candidate, [pairs], scopes)
    assert sorted(candidate.asked) == ["q1", "q2", "q3", "q4"]


def test_repetitions_that_contradict_each_other_are_no_questions(tmp_path: Path) -> None:
    pairs, scope = written(tmp_path, ['{"question": "1 + 1?", "answer": 2}'], ["1 + 1?,1 + 1?,a,a,1,0.9"])
    (tmp_path / "other.jsonl").write_text('{"question": "1 + 1?", "answer": 3}')
    scopes = [scope, f"file:{tmp_path / 'other.jsonl'}"]
    with pytest.raises(BadInput, match=r"has none of the questions in the pairs"):
        told(AllKnowing(scopes), [pairs], scopes)


def test_questions_of_two_scopes(tmp_path: Path) -> None:
    pairs, _ = written(tmp_path, SUMS, AROUND)
    (tmp_path / "one.jsonl").write_text("\n".join(SUMS[:3]))
    (tmp_path / "two.jsonl").write_text("\n".join(SUMS[2:]))
    scopes = [f"file:{tmp_path / name}" for name in ("one.jsonl", "two.jsonl")]
    candidate = AllKnowing(scopes)
    right = told(candidate, [pairs], scopes)["right on the questions of the survey"]
    # 0 to 2 of the first, 3 and 4 of the second: 2 is in both
    assert (right.value, right.n, len(candidate.asked)) == (1.0, 5, 5)


@pytest.mark.data
@pytest.mark.parametrize(
    ("folders", "asked"),
    [
        # of 958 different questions; MMLU's count is 675, that of the 57 tasks but for two whose option "None" became "nan"
        (("bbh:bbh",), 281),
        pytest.param(("mmlu:mmlu/test", "bbh:bbh"), 675 + 281, marks=pytest.mark.slow),
    ],
)
class TestPublished:
    pytestmark = data

    @pytest.mark.long
    def test_who_answers_all_right_is_right_on_all(self, folders: tuple[str, ...], asked: int) -> None:
        scopes = [f"{kind}:{DATA / where}" for kind, where in (folder.split(":") for folder in folders)]
        candidate = AllKnowing(scopes)
        right = told(candidate, PUBLISHED, scopes)["right on the questions of the survey"]
        assert len(candidate.asked) == len(set(candidate.asked)) == asked
        assert right.value == 1.0


def test_without_a_survey_a_model_predicts_beliefs_about_drawn_pairs() -> None:
    candidate = AllKnowing(["obvious"])
    plan = Plan(examinations=("alignment",), sections=(AlignmentPlan(drawn=30),), seed=0)
    [card] = examined(candidate, plan).cards
    [right, *fits] = card.figures
    assert (right.value, right.n) == (1.0, 30)
    assert 50 <= len(candidate.asked) <= 60
    assert len(set(candidate.asked)) == len(candidate.asked)
    assert len(fits) == 4
    assert any("include the error of the predictor" in caveat for caveat in card.caveats)
    assert card.scope_digest


class WrongOn(AllKnowing):
    """Wrong on questions with one of these ids, and unparsed on others."""

    def __init__(self, scopes: Sequence[str], wrong: Sequence[str], mumbled: Sequence[str] = ()) -> None:
        super().__init__(scopes)
        self._answers |= dict.fromkeys(wrong, "99") | dict.fromkeys(mumbled, "what a question")


def fault_of(candidate: AllKnowing, pairs: str, scope: str) -> MeasuredFault:
    plan = Plan(examinations=("alignment",), sections=(AlignmentPlan((pairs,), scope),))
    [card] = examined(candidate, plan).cards
    [claim] = card.claims
    assert claim.fault is not None
    return claim.fault


def test_misplaced_trust_is_tested_in_each_task(tmp_path: Path) -> None:
    """Seven questions of each of two tasks; people expect 90% right answers, and it is wrong on four of one task."""
    sums = [f'{{"id": "q{n}", "question": "{n} + {n}?", "answer": {2 * n}}}' for n in range(14)]
    task = {n: "early" if n < 7 else "late" for n in range(14)}
    around = [
        f"{n} + {n}?,{m} + {m}?,{task[n]},{task[m]},{right},0.9"
        for n in range(14)
        for m in [n // 7 * 7 + (n + 1) % 7]
        for right in (0, 1)
    ]
    pairs, scope = written(tmp_path, sums, around)
    fault = fault_of(WrongOn([scope], ["q7", "q8", "q9", "q10"]), pairs, scope)
    assert (
        fault.words == "questions on “late”, where people trust it too much: they expect 90% right answers, and it gives 3 of 7"
    )
    # four or more of seven at a chance of .1, for two tasks: 35 .1^4 .9^3 + 21 .1^5 .9^2 + 7 .1^6 .9 + .1^7
    assert fault.p == pytest.approx(2 * (35e-4 * 0.729 + 21e-5 * 0.81 + 7e-6 * 0.9 + 1e-7))
    unread = fault_of(WrongOn([scope], ["q7", "q8", "q9"], ["q10"]), pairs, scope)
    assert unread.words.endswith("it gives 3 of 6")
    assert unread.p > fault.p
    assert fault_of(AllKnowing([scope]), pairs, scope).p == 1.0
