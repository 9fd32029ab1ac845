"""Scores by option or answer, and how texts and numbers are matched."""

from __future__ import annotations

import asyncio
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.each_case import each_case
from vivavoce.candidates.function import Function
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.render.console import print_report
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category
from vivavoce.scopes.questions import Match, Question
from vivavoce.scopes.score import grade, overlooked

TEAM = ("Team",)


def score(reply: str, accepted: tuple[str, ...], match: Match | None = None, unacceptable: tuple[str, ...] = ()) -> float:
    return grade(Question("q", "What?", accepted=accepted, match=match, unacceptable=unacceptable), Reply(reply)).score


@each_case(
    "reply",
    [
        "Team", "It is Team", "It is Team.", "**Team**", "Sure! team", "Sure, Team.", "The answer is Team, I think.",
        "Answer: Team", "I would say Team", "It's the 'Team'.", "No, it is Team.", "Club is near, but wrong.\n\nTeam",
    ],
)  # fmt: skip
def test_an_accepted_text_at_the_end_or_after_is_counts(reply: str) -> None:
    assert score(reply, TEAM) == 1


@each_case(
    "reply",
    [
        "It is not Team", "It isn't Team.", "Never Team", "Club or Team", "Team or Club", "Team and Club", "Teamwork",
        "It is Team A", "It's no Team", "Club rather than Team", "Club, Team", "It is Team/Club", "Team is wrong",
        "The Team won yesterday", "Is it Team? I don't know", "A-Team",
    ],
)  # fmt: skip
def test_what_is_denied_or_one_of_several_or_in_passing_does_not(reply: str) -> None:
    assert score(reply, TEAM) == 0


@each_case(
    ("match", "accepted", "right", "wrong"),
    [
        ("exact", "Team", ["Team", "answer: team."], ["It is Team", "Sure! Team", "Team. It plays."]),
        ("contains", "Team", ["The Team won yesterday", "it is Team"], ["It was not the Team", "Teams", "not Team"]),
        ("number", "42", ["42.0", "It is 42", "Answer: 42"], ["43", "42 or 43"]),
        ("regex", "colou?rs?", ["Color", "Answer: colours."], ["a color", "colr"]),
        ("any", "42", ["It is 42", "42.0", "The 42 came late"], ["It is not 42"]),
    ],
)
def test_each_rule_counts_what_it_says(match: Match, accepted: str, right: list[str], wrong: list[str]) -> None:
    assert [score(reply, (accepted,), match) for reply in right] == [1] * len(right)
    assert [score(reply, (accepted,), match) for reply in wrong] == [0] * len(wrong)


def test_an_accepted_and_an_unacceptable_answer_together_are_none() -> None:
    assert score("It is Team. It is Club.", TEAM, unacceptable=("Club",)) == 0
    assert grade(Question("q", "What?", accepted=TEAM, unacceptable=("Club",)), Reply("It is Club.")).unacceptable


@each_case(
    ("row", "message"),
    [
        ('"answer": "(a+)+b", "match": "regex"', "repeats a group"),
        ('"answer": "a*a*a*a*a*", "match": "regex"', "too long"),
        ('"answer": "(a)\\\\1", "match": "regex"', "refers back"),
        ('"answer": "(?=a)a", "match": "regex"', "lookaround"),
        ('"answer": "[", "match": "regex"', "is not valid"),
        ('"answer": "many", "match": "number"', "'many' is not a number"),
        ('"answer": "A", "options": ["x", "y"], "match": "exact"', "no free 'answer'"),
        ('"answer": "x", "match": "fuzzy"', "'match' is 'fuzzy'"),
    ],
)
def test_a_rule_that_cannot_be_kept_is_refused(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(f'{{"question": "What?", {row}}}\n', encoding="utf-8")
    with pytest.raises(BadFile, match=message):
        open_scope(f"file:{file}")


def _file(folder: Path, *rows: str) -> Path:
    file = folder / "q.jsonl"
    file.write_text("".join(f'{{"question": "What?", {row}}}\n' for row in rows), encoding="utf-8")
    return file


def test_a_file_has_a_rule_and_a_question_its_own(tmp_path: Path) -> None:
    options, own = '"answer": "B", "options": ["x", "y"]', '"answer": "Team", "match": "exact"'
    file = _file(tmp_path, '"answer": "Team"', own, options, '"rubric": "Long is good."')
    scope = open_scope(f"file:{file}?match=contains")
    assert isinstance(scope, ListedScope)
    assert [question.match for question in scope.questions] == ["contains", "exact", None, None]
    reply = Reply("The Team won yesterday")
    assert [scope.grade(question, reply).score for question in scope.questions[:2]] == [1, 0]
    plain = open_scope(f"file:{file}")
    assert isinstance(plain, ListedScope)
    assert plain.grade(plain.questions[0], reply).score == 0
    assert plain.digest != scope.digest


def test_the_rule_of_a_file_stands_with_worked_examples_and_with_its_categories(tmp_path: Path) -> None:
    example = '"answer": "1", "example": true'
    file = _file(tmp_path, '"answer": "1", "category": "a"', '"answer": "1", "category": "b"', example)
    scope = open_scope(f"file:{file}?shots=1&match=any")
    assert isinstance(scope, ListedScope)
    assert [question.match for question in (*scope.questions, *scope.examples)] == ["any"] * 3
    assert [part.name for part in by_category([scope])] == [f"file:{file}#{name}?shots=1&match=any" for name in "ab"]


@each_case(
    ("options", "message"),
    [
        ("match=fuzzy", "no match 'fuzzy'.*contains"),
        ("match=", "no match ''"),
        ("macth=any", "did you mean 'match'"),
        ("match=any&match=exact", "given twice"),
        ("match=number", "line 1: 'match' is number, but 'many' is not a number"),
    ],
)
def test_a_rule_that_a_file_cannot_have_is_refused(tmp_path: Path, options: str, message: str) -> None:
    file = _file(tmp_path, '"answer": "many"')
    with pytest.raises((BadFile, BadInput), match=message):
        open_scope(f"file:{file}?{options}")


def test_match_is_for_files_of_ones_own(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no option of mmlu 'match'"):
        open_scope(f"mmlu:{tmp_path}?match=any")


def test_replies_that_hold_what_is_accepted_are_counted_and_said(tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text(
        "".join(f'{{"question": "Who is number {n}?", "answer": "Ann Lee", "match": "exact"}}\n' for n in range(4)),
        encoding="utf-8",
    )

    def answer(text: str) -> str:
        return "nobody" if "number 3" in text else "Ann Lee won, says the list"

    interview = Interview(Function("function:list", answer), answers=Reply)
    certificate = asyncio.run(
        certify(
            interview, open_scope(f"file:{file}"), Criterion(0.7, None), Composition(procedure="fixed"), questions=4, seed=0
        )
    )
    assert certificate.overlooked == certificate.as_json()["figures"]["overlooked"] == 3
    assert any("3 replies scored 0 although an accepted answer appears somewhere" in caveat for caveat in certificate.caveats)
    console = Console(file=StringIO(), width=200)
    print_report(certificate.report(), console)
    assert isinstance(console.file, StringIO)
    assert "expected: Ann Lee" in console.file.getvalue()


def test_letters_and_numbers_are_never_said_to_be_overlooked() -> None:
    for question in (Question("q", "?", ("Lyon", "Paris"), ("B",)), Question("q", "?", accepted=("42",))):
        reply = Reply("Answer: A. B is Paris, 42 is a number")
        assert not overlooked(question, reply, grade(question, reply))


OPTIONS = {"question": "Largest?", "options": ["Rome", "Milan", "Oslo", "Bari"], "scores": {"A": 1, "Milan": 0.5}}
TEXTS = {"question": "Which gas?", "scores": {"carbon dioxide": 1, "air": 0.25}, "unacceptable": ["gold"]}
NUMBERS = {"question": "What is 2/3, roughly?", "answer": ["0.667"], "scores": {"0.67": 0.8, "0.7": 0.5}}


def earned(row: dict[str, Any], answer: str) -> tuple[float, bool]:
    scope = open_scope([row])
    assert isinstance(scope, ListedScope)
    grade = scope.grade(scope.questions[0], Reply(f"Answer: {answer}"))
    assert not grade.outcome.unread
    return grade.score, grade.unacceptable


@each_case(
    ("row", "answer", "score", "unacceptable"),
    [
        (OPTIONS, "A", 1, False),
        (OPTIONS, "B", 0.5, False),
        (OPTIONS, "C", 0, False),
        (OPTIONS | {"unacceptable": ["C"]}, "C", 0, True),
        (TEXTS, "Carbon dioxide", 1, False),
        (TEXTS, "air", 0.25, False),
        (TEXTS, "gold", 0, True),
        (TEXTS, "oxygen", 0, False),
        (NUMBERS, "0.667", 1, False),
        (NUMBERS, "0.670", 0.8, False),
        (NUMBERS, ".7", 0.5, False),
        (NUMBERS, "0.6", 0, False),
        ({"question": "?", "options": ["a", "b", "c"], "scores": {"A": 0.5, "B": 0.25}}, "A", 0.5, False),
        ({"question": "?", "scores": {"x=y": 1, "x": 0.5}}, "x=y", 1, False),
    ],
)
def test_what_an_answer_earns(row: dict[str, Any], answer: str, score: float, unacceptable: bool) -> None:
    assert earned(row, answer) == (score, unacceptable)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6).filter(lambda scores: max(scores) > 0))
def test_every_option_earns_what_stands_there(scores: list[float]) -> None:
    letters = "ABCDEF"[: len(scores)]
    row = {"question": "Which?", "options": list(letters.lower()), "scores": dict(zip(letters, scores, strict=True))}
    assert [earned(row, letter)[0] for letter in letters] == scores


def test_a_table_and_json_lines_are_one_scope(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps(OPTIONS | {"id": "1"}) + "\n" + json.dumps({"id": "2", **NUMBERS}))
    (tmp_path / "q.csv").write_text(
        "id,question,options,answer,scores\n1,Largest?,Rome|Milan|Oslo|Bari,,A=1|Milan=0.5\n"
        '2,"What is 2/3, roughly?",,0.667,"{""0.67"": 0.8, ""0.7"": 0.5}"\n'
    )
    assert open_scope(tmp_path / "q.jsonl").digest == open_scope(tmp_path / "q.csv").digest


def test_without_scores_a_question_is_what_it_was() -> None:
    assert "scores" not in Question("1", "?", accepted=("a",)).as_json()
    assert open_scope([OPTIONS]).digest != open_scope([OPTIONS | {"scores": {"A": 1, "Milan": 0.4}}]).digest


@each_case(
    ("change", "words"),
    [
        ({"scores": {"A": 2}}, "scores"),
        ({"scores": {"E": 1}}, "not an option"),
        ({"scores": {"A": 0, "B": 0}}, "no answer more than 0"),
        ({"scores": {"A": 1, "B": 0.5}, "unacceptable": ["B"]}, "unacceptable"),
        ({"scores": {"A": 1, "Rome": 0.5}}, "two scores"),
        ({"answer": "B"}, "another answer more"),
    ],
)
def test_what_contradicts_itself_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words):
        open_scope([OPTIONS | change])


@each_case("cell", ["A", "A=1|A=0.5", "A=much", "{nonsense"])
def test_a_cell_that_holds_no_scores_is_refused_with_its_line(cell: str, tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text(f"question,options,scores\nLargest?,Rome|Milan,{cell}\n")
    with pytest.raises(BadFile, match="line 2"):
        open_scope(tmp_path / "q.csv")
