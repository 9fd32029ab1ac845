"""Making tuples: base questions, their pairs, recipes, what is begun and its summary."""

from __future__ import annotations

import gzip
import io
import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.laws.law import law_named
from vivavoce.render.console import print_report
from vivavoce.studies.config import NOBODY, TEMPLATE, MakingConfig
from vivavoce.studies.forecasting.making.making import begin
from vivavoce.studies.forecasting.making.recipes import (
    COMPOSED_LAWS,
    MADE_LAWS,
    BaseQuestion,
    Pairs,
    composed,
    composed_recipe,
    groups,
    read_questions,
    written_recipe,
)
from vivavoce.studies.forecasting.making.review import MakingSummary, TupleTally


def test_one_question_a_line(tmp_path: Path) -> None:
    file = tmp_path / "base.txt"
    file.write_text("\ufeffWill it  rain?\n\n  Will it snow?\n", encoding="utf-8")
    assert read_questions(file) == (BaseQuestion("1", "Will it rain?"), BaseQuestion("3", "Will it snow?"))


def test_json_lines_with_question_or_title(tmp_path: Path) -> None:
    file = tmp_path / "base.jsonl.gz"
    lines = [
        {"question": "Will it\nrain?"},
        {"title": "Will it snow?", "body": " Yes if a flake falls. ", "id": 7, "resolution": True},
        {"question": "Will it hail?", "title": None, "body": None, "id": "hail"},
    ]
    file.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    assert read_questions(file) == (
        BaseQuestion("1", "Will it rain?"),
        BaseQuestion("7", "Will it snow?", "Yes if a flake falls."),
        BaseQuestion("hail", "Will it hail?"),
    )


@each_case(
    ("text", "line", "remedy"),
    [
        ('{"text": "Will it?"}', 1, '"question"'),
        ('{"question": "a?"}\n{"question": " "}', 2, "empty"),
        ('{"question": ["a?"]}', 1, "must be a text"),
        ('{"question": "a?", "body": 3}', 1, "must be a text"),
        ('{"question": "a?", "id": true}', 1, "whole number"),
        ('{"question": "a?", "id": ""}', 1, "1 to 200"),
        ('{"question": "a?", "id": "%s"}' % ("x" * 201), 1, "1 to 200"),
        ('{"question": "a?", "id": "x"}\n{"question": "b?", "id": "x"}', 2, "make it unique"),
        ('{"question": "a?"}\n{"question": "b?", "id": 1}', 2, "make it unique"),
        (r'{"question": "a \ud83d?"}', 1, "half a surrogate pair"),
        ("[1]", 1, "JSON object"),
        ("", None, "no questions"),
    ],
)
def test_what_is_no_question_is_named_with_its_line(tmp_path: Path, text: str, line: int | None, remedy: str) -> None:
    file = tmp_path / "base.jsonl"
    file.write_text(text)
    with pytest.raises(BadFile, match=remedy) as raised:
        read_questions(file)
    assert raised.value.line == line


def test_json_lines_under_another_name_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "base.txt"
    file.write_text('{"question": "a?"}\n')
    with pytest.raises(BadFile, match=r"ends in \.jsonl"):
        read_questions(file)


def drawn(number: int, size: int, *, pairs: Pairs = None, symmetric: bool = False, seed: int = 0) -> list[tuple[str, ...]]:
    questions = [BaseQuestion(str(n), f"Will {n}?") for n in range(number)]
    base_questions = groups(questions, size, pairs=pairs, rng=np.random.default_rng(seed), symmetric=symmetric)
    return [tuple(question.id for question in group) for group in base_questions]


@given(st.integers(3, 30), st.integers(2, 3), st.integers(0, 5))
def test_by_default_each_question_stands_once_in_each_place(number: int, size: int, seed: int) -> None:
    n = drawn(number, size, seed=seed)
    for index in range(size):
        assert sorted(group[index] for group in n) == sorted(map(str, range(number)))
    assert all(len(set(group)) == size for group in n)


@given(st.integers(2, 8), st.integers(2, 3), st.booleans(), st.integers(0, 5), st.data())
def test_so_many_groups_none_twice(number: int, size: int, symmetric: bool, seed: int, data: st.DataObject) -> None:
    if number < size:
        return
    possible = math.comb(number, size) if symmetric else math.perm(number, size)
    wanted: int | Literal["all"] = data.draw(st.one_of(st.integers(1, possible), st.just("all")))
    n = drawn(number, size, pairs=wanted, symmetric=symmetric, seed=seed)
    assert len(n) == (possible if wanted == "all" else wanted)
    assert len({tuple(sorted(group)) if symmetric else group for group in n}) == len(n)
    assert all(len(set(group)) == size for group in n)


def test_partners_are_drawn_and_the_seed_says_which() -> None:
    assert drawn(20, 2) == drawn(20, 2)
    assert drawn(20, 2) != drawn(20, 2, seed=1)
    # by hand: had neighbours in the file been paired, 19 of 20 partners were the next question; at random about one is
    assert sum(int(b) == int(a) + 1 for a, b in drawn(20, 2)) < 6


def test_single_questions_stay_in_their_order() -> None:
    assert drawn(3, 1) == [("0",), ("1",), ("2",)]


def test_too_few_questions_or_too_many_groups_are_refused() -> None:
    with pytest.raises(BadInput, match="needs 3 base questions"):
        drawn(2, 3)
    with pytest.raises(BadInput, match="3 questions make 6 groups of 2; give --pairs all"):
        drawn(3, 2, pairs=7)
    with pytest.raises(BadInput, match="give a smaller --pairs N"):
        drawn(400, 2, pairs="all")  # by hand: 400 x 399 = 159,600


MEANINGS: dict[str, Callable[..., bool]] = {
    "not_P": lambda p: not p,
    "P_and_Q": lambda p, q: p and q,
    "P_or_Q": lambda p, q: p or q,
    "P_and_not_Q": lambda p, q: p and not q,
    "Q_and_not_P": lambda p, q: q and not p,
    "neither": lambda p, q: not p and not q,
    "P_and_Q_and_R": lambda p, q, r: p and q and r,
}
PHRASES: dict[str, Callable[..., bool]] = {
    "Will the answer to this question be no": lambda a: not a,
    "Will the answers to both of these questions be yes": lambda a, b: a and b,
    "Will the answers to both of these questions be no": lambda a, b: not a and not b,
    "Will the answer to at least one of these questions be yes": lambda a, b: a or b,
    "Will the answer to (a) be yes and the answer to (b) no": lambda a, b: a and not b,
    "Will the answers to all of these questions be yes": lambda a, b, c: a and b and c,
}
"""What the English says, read apart from the code."""


@each_case("law", COMPOSED_LAWS)
def test_what_is_composed_says_in_english_what_its_name_says(law: str) -> None:
    recipe = composed_recipe(law)
    document = composed(recipe, {"P": "Pp?", "Q": "Qq?", "R": "Rr?"})
    for key in document.keys() & MEANINGS.keys():
        phrase, _, about = document[key].partition(": ")
        quoted = re.findall(r"“(\w)\w\?”", about)
        for p, q, r in product([False, True], repeat=3):
            truth = {"P": p, "Q": q, "R": r}
            meant = [truth[name] for name in "PQR" if name in recipe.base]
            assert PHRASES[phrase](*(truth[name] for name in quoted)) == MEANINGS[key](*meant), key


def test_conditions_by_template() -> None:
    document = composed(composed_recipe("expected-evidence"), {"P": "Rain?", "Q": "Clouds?"})
    assert document == {
        "P_given_Q": "Given that the answer to “Clouds?” is yes: Rain?",
        "P_given_not_Q": "Given that the answer to “Clouds?” is no: Rain?",
    }
    document = composed(composed_recipe("cond-cond"), {"P": "A?", "Q": "B?", "R": "C?"})
    assert document["Q_given_P"] == "Given that the answer to “A?” is yes: B?"
    assert document["R_given_P_and_Q"] == "Given that the answers to “A?” and “B?” are both yes: C?"


def test_braces_in_a_question_stay_what_they_are() -> None:
    document = composed(composed_recipe("and"), {"P": "Will {Q} be {0.__class__}?", "Q": r"Will \1 {P}?"})
    assert document["P_and_Q"].endswith(r"(a) “Will {Q} be {0.__class__}?” (b) “Will \1 {P}?”?")


@each_case("law", MADE_LAWS)
def test_a_writer_s_tuple_has_the_statements_of_its_law(law: str) -> None:
    recipe = written_recipe(law, MakingConfig(paraphrases=5, statements=4))
    assert set(law_named(law, recipe.keys).keys) == set(recipe.keys)
    assert set(recipe.keys) <= {*recipe.base, *(part.key for part in recipe.parts)}
    checked = {name for check in recipe.checks for name in check.about}
    assert {part.key for part in recipe.parts} <= checked, "nothing is written that nobody checks"


@each_case("law", COMPOSED_LAWS)
def test_a_composed_tuple_has_the_statements_of_its_law(law: str) -> None:
    recipe = composed_recipe(law)
    assert set(law_named(law, recipe.keys).keys) == set(recipe.keys)


def test_what_cannot_be_composed_or_made_is_refused_with_the_remedy() -> None:
    with pytest.raises(BadInput, match="--writer CANDIDATE"):
        composed_recipe("paraphrase")
    with pytest.raises(BadInput, match="--template"):
        composed_recipe("chain")
    for unknown in (composed_recipe, written_recipe):
        with pytest.raises(UnknownName, match="did you mean 'neg'"):
            unknown("negg")


def test_more_statements_than_a_law_can_have_are_refused() -> None:
    with pytest.raises(BadInput, match="the limit is 16"):
        written_recipe("chain", MakingConfig(statements=16))
    assert len(written_recipe("exclusive", MakingConfig(statements=15)).keys) == 16


BASE = [BaseQuestion(str(n), f"Will event {n} happen before 2031?") for n in range(30)]
CONFIG = MakingConfig(laws=("and", "neg", "and"), limit=8, seed=2)


def ids(config: MakingConfig, law: str) -> list[str]:
    return [draft.id for draft in begin(BASE, config) if draft.recipe.law == law]


def test_each_law_is_begun_once_with_the_same_questions_of_the_limit() -> None:
    drafts = begin(BASE, CONFIG)
    assert [draft.recipe.law for draft in drafts] == ["and"] * 8 + ["neg"] * 8
    alone, paired = ({question.id for draft in half for question in draft.base.values()} for half in (drafts[8:], drafts[:8]))
    assert alone == paired
    assert len(alone) == 8


def test_what_is_drawn_for_a_law_depends_on_the_seed_and_on_no_other_law() -> None:
    assert ids(CONFIG, "and") == ids(replace(CONFIG, laws=("and",)), "and")
    assert ids(CONFIG, "and") != ids(replace(CONFIG, seed=3), "and")


def test_a_limit_beyond_the_file_takes_all_in_their_order() -> None:
    assert ids(replace(CONFIG, limit=31), "neg") == [f"neg/{n}" for n in range(30)]


def test_a_writer_adds_as_many_statements_as_are_wanted_and_a_template_composes_them() -> None:
    config = MakingConfig(laws=("paraphrase", "chain"), paraphrases=2, statements=4, limit=1)
    assert [len(draft.recipe.keys) for draft in begin(BASE, config)] == [3, 5]  # and P
    (composed,) = begin(BASE, replace(config, laws=("neg",)), by_template=True)
    assert composed.as_tuple().status == "accepted"
    with pytest.raises(BadInput, match="'paraphrase' can't be made from a template"):
        begin(BASE, config, by_template=True)


MADE = MakingSummary(
    {"neg": TupleTally(5, 3, 0, 2, {"no exact negation": 2}), "and": TupleTally(5, 4, 1, 0, {})},
    TEMPLATE,
    NOBODY,
    seed=0,
    bodies=False,
    several=True,
    exhausted="",
)


def test_the_table_has_a_row_a_law_and_the_sentence_is_the_last_word() -> None:
    file = io.StringIO()
    print_report(MADE.report(), Console(file=file, width=80))
    lines = [line.split() for line in file.getvalue().splitlines()]
    assert lines[0] == ["Law", "Tuples", "Accepted", "Rejected", "Not", "checked"]
    assert lines[1:3] == [["neg", "5", "3", "2", "0"], ["and", "5", "4", "0", "1"]]
    assert "Rejected\n  2: no exact negation\n" in file.getvalue()
    assert "Not shown" in file.getvalue()
    assert file.getvalue().rstrip().endswith("7 of 10 tuples accepted, 2 rejected, 1 not checked.")


def test_without_a_rejected_tuple_no_reason_is_given() -> None:
    kept = MakingSummary({"and": MADE.laws["and"]}, TEMPLATE, NOBODY, 0, bodies=False, several=False, exhausted="")
    file = io.StringIO()
    print_report(kept.report(), Console(file=file, width=80))
    assert "\nRejected\n" not in file.getvalue()
