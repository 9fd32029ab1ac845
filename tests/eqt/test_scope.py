"""Questions as a scope: opened as `viva certify` does, right sets score 1, all others 0, and the choices give nothing away."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.eqt.records import answer, concept_record, item, record
from vivavoce.eqt.exports import scope_lines, sets_listed
from vivavoce.eqt.record import EqtRecord, Phrasing
from vivavoce.interview.candidate import Reply
from vivavoce.interview.forms.written_question import MultipleChoice
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

NAMES = tuple(f"option {n}" for n in range(1, 11))


def opened(lines: list[dict[str, Any]], folder: Path) -> ListedScope:
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scope = open_scope(f"file:{file}")
    assert isinstance(scope, ListedScope)
    return scope


def asked(options: int, key: str) -> EqtRecord:
    question_record = item(1, "A A", key=key)
    question = MultipleChoice("Which?", NAMES[:options], frozenset("ABCDEFGHIJ".index(letter) for letter in key))
    return record([concept_record("Graph theory", [replace(question_record, question=question)])])


KEYS = [(options, key) for options in range(2, 5) for n in range(1, options + 1) for key in combinations("ABCD"[:options], n)]
KEYS += [(options, tuple(key)) for options in range(5, 11) for key in ("A", "BD", "ABCDE", "ABCDEFGHIJ"[:options])]


@pytest.mark.parametrize(("options", "key"), KEYS)
def test_only_the_right_set_is_scored_as_right(options: int, key: tuple[str, ...], tmp_path: Path) -> None:
    scope = opened(list(scope_lines(asked(options, "".join(key)))), tmp_path)
    numbers = ["ABCDEFGHIJ".index(letter) + 1 for letter in key]
    text = {1: f"{numbers[0]} only", options: "all of them"}.get(
        len(numbers), f"{', '.join(map(str, numbers[:-1]))} and {numbers[-1]} only"
    )
    for question in scope.questions:
        assert question.text.startswith("Wording ")
        assert all(f"\n{number}. {NAMES[number - 1]}" in question.text for number in range(1, options + 1))
        right = question.letters[question.options.index(text)]
        for letter in question.letters:
            assert scope.grade(question, Reply(f"Answer: {letter}")).score == (letter == right)
        # In words too; two sets without "only" are no choice, and are not taken for a smaller one.
        assert scope.grade(question, Reply(f"Answer: {text}")).score == 1
        assert scope.grade(question, Reply("Answer: 1, 2")).read_as == ""


def test_wordings_are_drawn_together_and_questions_weigh_the_same(tmp_path: Path) -> None:
    changed = Phrasing("Other?", answer("A"), same_meaning=False)
    four, three = item(1, "A A A A"), item(2, "A A A")
    lost = replace(item(3, "A"), phrasings=(Phrasing("Only this?", None), Phrasing(None, None), changed))
    lines = list(scope_lines(record([concept_record("one", [four, three, lost]), concept_record("two", [four], "law")])))
    scope = opened(lines, tmp_path)
    assert [len(unit) for unit in scope.units] == [4, 3, 1, 4]
    assert [sum(question.weight for question in unit) for unit in scope.units] == pytest.approx([4.0] * 4)
    assert [unit[0].cluster for unit in scope.units] == ["one/1", "one/2", "one/3", "two/1"]
    assert {question.category for question in scope.units[3]} == {"law"}
    assert [question.id for question in scope.units[1]] == ["one/2/original", "one/2/paraphrase 1", "one/2/paraphrase 2"]


def test_where_all_have_as_many_wordings_they_are_drawn_without_replacement(tmp_path: Path) -> None:
    lines = list(scope_lines(record([concept_record("one", [item(1, "A A"), item(2, "A A")])])))
    assert {line["weight"] for line in lines} == {1.0}
    assert opened(lines, tmp_path).population == 2


def test_faults_are_left_out_unless_wanted() -> None:
    changed = Phrasing("Other?", answer("A"), same_meaning=False)
    question_record = replace(item(1, "A"), phrasings=(*item(1, "A").phrasings, changed))
    whole = record([concept_record("one", [question_record, item(2, "A", pointing="above")])])
    assert [line["id"] for line in scope_lines(whole)] == ["one/1/original"]
    ids = [line["id"] for line in scope_lines(whole, only_valid=False)]
    assert ids == ["one/1/original", "one/1/paraphrase 1", "one/2/original"]
    assert list(scope_lines(record([]))) == []


def test_concepts_of_the_same_name_are_kept_apart(tmp_path: Path) -> None:
    whole = record([concept_record("Power", [item(1, "A")], "physics"), concept_record("Power", [item(1, "A")], "math")])
    scope = opened(list(scope_lines(whole)), tmp_path)
    assert [unit[0].cluster for unit in scope.units] == ["Power/1", "Power/1 (math)"]


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    nasty = '{"a": 1}\n\u2028Answer: A\n(B) is correct \x00 [bold] <script>'
    question_record = replace(
        item(1, "A"), question=MultipleChoice(nasty, (nasty, "Answer: B"), frozenset([1])), phrasings=(Phrasing(nasty, None),)
    )
    scope = opened(
        list(scope_lines(record([concept_record(nasty, [replace(question_record, key_check=answer("B"))])]))), tmp_path
    )
    assert scope.questions[0].accepted == ("B",)
    assert scope.grade(scope.questions[0], Reply("Answer: B")).score == 1


@given(st.integers(5, 10), st.integers(0, 2**32), st.data())
def test_no_option_comes_up_more_often_because_it_is_right(options: int, seed: int, data: st.DataObject) -> None:
    key = data.draw(st.frozensets(st.integers(0, options - 1), min_size=1))
    listed = sets_listed(options, key, np.random.default_rng(seed))
    assert key in listed
    assert len(set(listed)) == len(listed)
    every = {*listed, *([frozenset[int]()] if len(listed) == 15 else [])}
    assert len(every) == 16
    # An orthogonal array of strength 2: each option in 8 sets, each two of them together in 4.
    once = Counter(option for chosen in every for option in chosen)
    twice = Counter(pair for chosen in every for pair in combinations(sorted(chosen), 2))
    assert set(once.values()) == {8}
    assert len(once) == options
    assert set(twice.values()) == {4}
    assert len(twice) == options * (options - 1) // 2
    # Were another of the sets right, the same would be listed.
    for other in listed:
        assert sets_listed(options, other, np.random.default_rng(seed)) == listed
