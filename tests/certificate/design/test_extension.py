"""A list of unacceptable answers that is extended after answers were seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.certificate.design.extension import Extension, ExtensionRule, extension_of
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import EndlessScope
from vivavoce.scopes.questions import Question

CAPITAL = Question("it", "Capital of Italy?", ("Milan", "Rome", "Oslo"), ("B",), category="geo")


def also(*answers: str, **to: str) -> Extension:
    return Extension((ExtensionRule(unacceptable=answers, **to),))


def test_rules_are_about_one_question_a_category_or_all() -> None:
    assert also("Oslo", id="it").of(CAPITAL).unacceptable == ("C",)
    assert also("C", category="geo").of(CAPITAL).unacceptable == ("C",)
    assert also("oslo").of(CAPITAL).unacceptable == ("C",)
    assert also("Oslo", id="fr").of(CAPITAL) is CAPITAL
    assert also("Oslo", category="history").of(CAPITAL) is CAPITAL
    assert also("Rome").of(CAPITAL) is CAPITAL, "a rule for many passes over those to which it is right"


@pytest.mark.parametrize("answer", ["Rome", "Bergen", "I don't know"])
def test_what_cannot_be_unacceptable_is_refused(answer: str) -> None:
    with pytest.raises(BadInput):
        also(answer, id="it").of(CAPITAL)


def test_a_refusal_names_the_question() -> None:
    with pytest.raises(BadInput, match=r"question 'it' .*: 'B' is both right and unacceptable"):
        also("Rome", id="it").of(CAPITAL)


def test_a_rule_about_nothing_is_refused() -> None:
    scope = open_scope([{"question": "What is 7 times 7?", "answer": 49}])
    with pytest.raises(BadInput, match="matches no answer"):
        also("3", id="no such question").scope(scope)


@given(st.lists(st.integers(-999, 999).map(str), min_size=1, max_size=3), st.integers(0, 2**32))
def test_an_extension_changes_no_prompt_and_no_score(answers: list[str], seed: int) -> None:
    scope = open_scope("arithmetic?digits=1")
    assert isinstance(scope, EndlessScope)
    longer = also(*answers).scope(scope)
    assert isinstance(longer, EndlessScope)
    assert longer.digest != scope.digest
    assert longer.together is None
    assert longer.listing is not None
    assert sum(1 for _ in longer.listing()) == 3 * 10 * 10  # three operations on two digits
    [before], [after] = (next(entry.draw(np.random.default_rng(seed))) for entry in (scope, longer))
    assert longer.prompt(after) == scope.prompt(before)
    for text in (*answers, *before.accepted, "7"):
        reply = Reply(f"Answer: {text}")
        old, new = scope.grade(before, reply), longer.grade(after, reply)
        assert (new.score, new.outcome) == (old.score, old.outcome)
        assert new.unacceptable >= old.unacceptable
        assert new.unacceptable == (old.unacceptable or (old.score == 0 and text in answers and not old.outcome.unread))


def test_a_file_of_rules(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,unacceptable\nit,Oslo|Milan\n,0\n")
    (tmp_path / "a.jsonl").write_text('{"id": "it", "unacceptable": ["Oslo", "Milan"]}\n{"unacceptable": 0}\n')
    assert extension_of(tmp_path / "a.csv") == extension_of(tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text('{"unacceptable": ["1"], "weight": 2}\n')
    with pytest.raises(BadFile, match="line 1"):
        extension_of(tmp_path / "b.jsonl")
