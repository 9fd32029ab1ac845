"""What people would use a model for, and how it does there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.generalization.alignment.aligned import pair, seen, sets_of
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.generalization.alignment.deployment import (
    AboveThreshold,
    ProportionalUse,
    TopShare,
    UsedQuestion,
    UseRule,
    effective_number,
    model_use,
    performance_in_use,
    right_answers,
    rule_named,
    scope_rows,
    used_questions,
    write_scope,
)
from vivavoce.scopes.question_file import read_question_file

BELIEFS = {"b": 0.9, "c": 0.6, "d": 0.3}
ROWS = [pair("a", name, True, posterior=belief) for name, belief in BELIEFS.items()]
GRADES = {"a": True, "b": False, "c": True, "d": True}


def performance(rule: UseRule) -> tuple[float | None, float | None, int]:
    people, model = seen(ROWS, GRADES)
    use = model_use(people, model, rule, sets_of(people))
    return use.performance.value, use.used_for, use.performance.n


def test_human_deployed_performance_by_hand() -> None:
    value, part, n = performance(AboveThreshold(0.5))  # b wrong, c right
    assert (value, n) == (0.5, 2)
    assert part == pytest.approx(2 / 3)
    assert performance(AboveThreshold(0.6))[0] == 0.0  # above, not at: b alone
    assert performance(TopShare(1 / 3))[0] == 0.0
    assert performance(TopShare(1))[0] == pytest.approx(2 / 3)
    # right with .6 and .3, of .9, .6 and .3: .9 of 1.8
    assert performance(ProportionalUse())[0] == pytest.approx(0.5)
    # the upper half of three: all of b and half of c
    assert performance(TopShare(0.5))[0] == pytest.approx(0.5 / 1.5)


def test_where_nobody_would_use_it_there_is_no_number() -> None:
    assert performance(AboveThreshold(0.95)) == (None, 0.0, 0)
    people, model = seen(ROWS, {"a": False})
    assert model_use(people, model, TopShare(0.5), sets_of(people)).used_for is None
    people, model = seen(ROWS, GRADES)
    with pytest.raises(NotEnoughEvidence, match=r"by above:0.95 people use model for nothing .highest belief 0.900"):
        used_questions(people, model, AboveThreshold(0.95))
    people, model = seen(ROWS, {"b": True})
    with pytest.raises(NotEnoughEvidence, match="no pair shows model's result"):
        used_questions(people, model, TopShare(0.5))


def test_the_distribution_needs_no_answer_to_what_it_is_used_for() -> None:
    people, model = seen(ROWS, {"a": True})
    questions = used_questions(people, model, ProportionalUse())
    assert [question.key for question in questions] == ["b", "c", "d"]
    # .9, .6 and .3, of mean .6
    assert [question.weight for question in questions] == pytest.approx([1.5, 1.0, 0.5])
    # one question that is asked about twice
    twice = [*ROWS, pair("a", "d", True, posterior=0.6)]
    people, model = seen(twice, {"a": True})
    assert {question.key: question.weight for question in used_questions(people, model, ProportionalUse())}[
        "d"
    ] == pytest.approx(0.9 / 0.8)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(0.1, 5)), min_size=1, max_size=20),
    st.sampled_from([AboveThreshold(0.0), AboveThreshold(0.5), TopShare(0.1), TopShare(0.9), ProportionalUse()]),
    st.randoms(),
)
def test_performance_is_a_share_and_order_does_not_matter(
    rows: list[tuple[float, bool, float]], rule: UseRule, shuffler: object
) -> None:
    pairs = [pair("a", f"b{n}", True, posterior=belief, weight=weight) for n, (belief, _, weight) in enumerate(rows)]
    grades = {"a": True} | {f"b{n}": hit for n, (_, hit, _) in enumerate(rows)}
    people, model = seen(pairs, grades)
    value = performance_in_use(people, model, rule).value
    assert value is None or -1e-12 <= value <= 1 + 1e-12
    shuffler.shuffle(pairs)  # type: ignore[attr-defined]
    other = performance_in_use(*seen(pairs, grades), rule).value
    assert value == other or value == pytest.approx(other)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.01, 1))
def test_the_top_is_as_large_as_it_says(beliefs: list[float], part: float) -> None:
    uses = TopShare(part).uses(np.array(beliefs), np.ones(len(beliefs)))
    assert uses.sum() == pytest.approx(part * len(beliefs))
    assert ((uses >= 0) & (uses <= 1)).all()


@each_case("name", ["", "above", "above:", "above:x", "above:1", "above:-0.1", "top:0", "top:1.5", "top:nan",
                                  "proportional:1", "all", "above:inf"])  # fmt: skip
def test_rules_that_are_none(name: str) -> None:
    with pytest.raises(BadInput):
        rule_named(name)


def test_a_scope_file_is_read_by_the_certificate(tmp_path: Path) -> None:
    used = [
        UsedQuestion("one", "<b>Capital of Italy?<br></b>(A) Milan<br>(B) Rome,<br>the eternal", "geo", 2.0),
        UsedQuestion("two", "2 + 2 =", "sums", 1.0),
        UsedQuestion("three", "Twice?<br>(A) same<br>(B) Same", "odd", 0.5),
        UsedQuestion("four", "Is it so?<br>Options:<br>- Yes<br>- No", "", 0.4),
        UsedQuestion("lost", "Who knows?", "", 0.1),
    ]
    written = scope_rows(used, {"one": "B", "two": "4", "three": "B", "four": "Yes"})
    assert written.left_out == 1
    assert written.share == pytest.approx(3.9 / 4)
    file = tmp_path / "used.jsonl"
    write_scope(file, written)
    question, two, three, four = read_question_file(file).questions
    assert (question.text, question.options, question.accepted) == ("Capital of Italy?", ("Milan", "Rome, the eternal"), ("B",))
    assert (question.category, question.weight) == ("geo", 2.0)
    assert (two.text, two.options, two.accepted) == ("2 + 2 =", (), ("4",))
    # equal options could not be distinguished, so they stay in the text
    assert (three.text, three.options) == ("Twice?\n(A) same\n(B) Same", ())
    assert four.accepted == ("Yes",)


def test_a_row_of_a_scope_keeps_all_but_its_weight(tmp_path: Path) -> None:
    row = {"id": "x/1", "question": "Q", "options": ["a", "b"], "answer": ["A"], "unacceptable": ["B"], "weight": 7}
    (kept,) = scope_rows([UsedQuestion("k", "Q", "", 1.5)], {"k": row}).rows
    assert kept == row | {"weight": 1.5}


def test_what_is_right_stands_in_columns_of_some_files(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text('q1,answer1,q2,answer2\n"<b>one<br></b>",A,two,\n')
    (tmp_path / "none.csv").write_text("q1,q2\na,b\n")
    assert right_answers([tmp_path / "p.csv", tmp_path / "none.csv"]) == {"one": "A"}


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be written"):
        write_scope(tmp_path / "no" / "file.jsonl", scope_rows([], {}))


def test_effective_number_of_weights() -> None:
    assert effective_number([3, 3]) == 2
    assert json.dumps(effective_number([1e-9, 1])) != "2.0"
