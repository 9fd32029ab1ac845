"""The column `rule` of a question file, and questions of other tools that are written as rows and read back."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.scopes.imported import as_scope
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.yaml_file import YamlSource
from vivavoce.interview.candidate import Reply
from vivavoce.scopes import open_scope
from vivavoce.scopes.importers.conversion import SourceRow, converted
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.question_file import row_questions
from vivavoce.scopes.questions import Question, prompt
from vivavoce.scopes.rules.scorers import Extraction, Scorer

pytest.importorskip("re2")

INCLUDES = {"kind": "scorer", "scorer": "includes", "targets": ["Rome"]}
PARTS = [{"type": "icontains", "value": "rome", "weight": 2}, {"type": "not-contains", "value": "Milan"}]


def row(**values: Any) -> dict[str, Any]:
    return {"question": "Capital of Italy?", **values}


@each_case(
    ("rule", "scores"),
    [
        (INCLUDES, {"It is rome.": 1.0, "Milan": 0.0}),
        ({"kind": "assertions", "parts": PARTS}, {"Rome": 1.0, "Rome, not Milan": 0.0, "Milan": 0.0}),
        ({"kind": "assertions", "parts": PARTS, "threshold": 0.6}, {"Rome, not Milan": 1.0, "Oslo": 0.0}),
        ({"kind": "extraction", "targets": ["Rome"], "until": ["\n"]}, {"Rome\nor Oslo": 1.0, "In Rome": 0.0}),
    ],
)
def test_a_row_names_its_rule_in_every_format(tmp_path: Path, rule: dict[str, Any], scores: dict[str, float]) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps(row(rule=rule)) + "\n")
    with (tmp_path / "q.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["question", "rule"], ["Capital of Italy?", json.dumps(rule)]])
    scopes = [open_scope(f"file:{tmp_path / name}") for name in ("q.jsonl", "q.csv")] + [open_scope([row(rule=rule)])]
    for scope in scopes:
        assert isinstance(scope, ListedScope)
        (question,) = scope.questions
        assert prompt(question).text == "Capital of Italy?"
        assert prompt(question).form is None, "asked with no word on how to end the reply"
        assert {score: scope.grade(question, Reply(score)).score for score in scores} == scores
    assert len({scope.digest for scope in scopes}) == 1


@each_case(
    ("values", "problem"),
    [
        ({"rule": "includes"}, "'rule' is 'includes': "),
        ({"rule": {"kind": "bleu"}}, "expected tags: 'assertions', 'extraction', 'scorer'"),
        ({"rule": [1]}, "'rule' is '[1]': "),
        ({"rule": {**INCLUDES, "locaton": "end"}}, "locaton"),
        ({"rule": {**INCLUDES, "targets": [" "]}}, "'rule': a target is empty"),
        ({"rule": {**INCLUDES, "scorer": "pattern", "pattern": "(?=a)"}}, "cannot be run in linear time"),
        ({"rule": {"kind": "extraction", "targets": ["a"], "regexes_to_ignore": ["("]}}, "the pattern '(' is not valid"),
        ({"rule": {"kind": "assertions", "parts": []}}, "it has no assertion"),
        ({"rule": {"kind": "assertions", "parts": [{"type": "equals", "value": "a", "weight": 0}]}}, "it has no assertion"),
        ({"rule": {"kind": "assertions", "parts": [{"type": "assert-set", "parts": []}]}}, "it has no assertion"),
        ({"rule": {"kind": "assertions", "parts": [{"type": "similar", "value": "a"}]}}, "'similar' is not an assertion"),
        ({"rule": {"kind": "assertions", "parts": [{"type": "equals", "parts": PARTS}]}}, "only assert-set has them"),
        ({"rule": {"kind": "assertions", "parts": [{"type": "contains"}]}}, "'contains' has no value"),
        ({"rule": {"kind": "assertions", "parts": [{"type": "regex", "value": "(a)\\1"}]}}, "'regex': the pattern"),
        ({"rule": {"kind": "assertions", "parts": [{"type": "word-count", "value": "few"}]}}, "is not a number of words"),
        ({"rule": {"kind": "assertions", "parts": PARTS, "threshold": 0}}, "greater than 0"),
        ({"rule": INCLUDES, "answer": "Rome"}, "'rule' scores the whole reply: leave out options, answers"),
        ({"rule": INCLUDES, "idk_score": 0.5}, "'rule' scores the whole reply"),
        ({}, "no 'answer', 'rubric', 'rule' or 'law'"),
        ({"rulle": INCLUDES}, "unknown column 'rulle': did you mean 'rule'?"),
    ],
)
def test_rules_by_which_nothing_could_be_scored_are_refused(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(BadInput) as caught:
        row_questions([row(**values)])
    assert "row 1: " in str(caught.value)
    assert problem in str(caught.value)


def test_a_column_that_says_who_speaks_is_not_a_slip() -> None:
    assert row_questions([row(answer="Rome", role="user")]).ignored == ("role",)


def source_row(question: Question) -> SourceRow:
    return SourceRow(YamlSource(Path("t.yaml"), None, first=7), (), f"test {question.id}", question)


SCORER = Scorer(scorer="match", targets=("1",), location="any").text
TRICKY = [
    Question("1", '[{"role": "user", "content": "Hi"}]', rule=SCORER),
    Question("2", "Which letter comes first?", ("B", "A", "C"), ("B",)),
    Question("3", "Which count?", ("2", "1", "0"), ("A", "C")),
    Question("4", "What does the sign say?", ("A. left", "B. right"), ("A",)),
    Question("5", "What does the sign say, in order?", ("1) left", "2) right"), ("A",)),
    Question("6", "Is it?", ("True", "False"), ("B",)),
    Question("7", "A or B?|C?", ("x|y", "['z']"), ("A",), category="a|b", system="Be [brief].", earlier=(("[1]", ""),)),
    Question("8", "What is 3/4 of 1.000?", rule=Extraction(targets=("nan", "1.000", ""), until=("", "\n")).text),
    Question("9", "Why?", rubric="10: says why\n0: does not", cluster="why"),
]


def test_what_could_be_read_otherwise_is_read_as_it_was_meant(tmp_path: Path) -> None:
    conversion = converted(map(source_row, TRICKY))
    assert not conversion.refused
    assert as_scope(conversion, tmp_path).questions == tuple(TRICKY)


texts = st.text(max_size=12)
questions = st.builds(
    Question,
    id=texts, text=texts, category=texts, system=texts,
    options=st.lists(texts, min_size=2, max_size=4).map(tuple),
    accepted=st.lists(st.sampled_from("ABCD"), min_size=1, max_size=2, unique=True).map(tuple),
    earlier=st.lists(st.tuples(texts, texts), max_size=2).map(tuple),
)  # fmt: skip


@given(st.lists(questions, max_size=4))
def test_a_question_is_written_as_it_is_or_refused(tmp_path_factory: pytest.TempPathFactory, asked: list[Question]) -> None:
    conversion = converted(map(source_row, asked))
    assert len(conversion.lines) + len(conversion.refused) == len(asked)
    if not conversion.lines:
        return
    for read in as_scope(conversion, tmp_path_factory.mktemp("rows")).questions:
        meant = next(question for question in asked if question.id.strip() == read.id)
        assert (read.text, read.options, read.accepted) == (meant.text.strip(), meant.options, meant.accepted)


def test_questions_that_cannot_be_rows_are_refused_with_their_place() -> None:
    same = [Question("a", "Capital?", ("Rome", "Oslo"), ("A",)), Question("b", "capital?", ("Oslo", "Rome"), ("A",))]
    cases = [
        ([Question("a", "Sum?", ("4", "4"), ("A",))], "two options are the same"),
        ([Question("a", "nan", rule=SCORER)], "as pandas writes an empty cell"),
        ([Question("a", "Sum?", ('="42"', "7"), ("A",))], "a question file would change options to"),
        ([Question("a", "x" * (5 << 20), rule=SCORER)], "has more than 4 MiB"),
        ([Question("a", "\ud800", rule=SCORER)], "half a surrogate pair"),
        ([Question("a ", "1?", rule=SCORER), Question("a", "2?", rule=SCORER)], "the id 'a' is already used"),
        (same, "asks the same as question 'a' with another right answer"),
    ]
    for asked, problem in cases:
        conversion = converted(map(source_row, asked))
        assert [problem in str(file) for file in conversion.refused] == [True], problem
        assert str(conversion.refused[0]).startswith("t.yaml, line 7: test ")
        assert len(conversion.lines) == len(asked) - 1


def test_a_worked_example_that_cannot_be_a_row_refuses_all() -> None:
    broken = source_row(Question("shown", "Sum?", ("4", "4"), ("A",)))._replace(example=True)
    with pytest.raises(BadFile, match="test shown: two options are the same"):
        converted([broken, source_row(TRICKY[1])])
