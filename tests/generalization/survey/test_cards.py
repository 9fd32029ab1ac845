"""Cards made from a scope and a candidate's answers, and cards from files."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.errors import BadFile, BadInput
from vivavoce.generalization.config import SurveyConfig
from vivavoce.generalization.pairs import BeliefPair, Floats, TaskQuestion
from vivavoce.generalization.survey.cards import (
    CandidateAnswers,
    CardAnswer,
    ask_answers,
    choose_cards,
    draw_questions,
    pool_of,
    wording,
)
from vivavoce.generalization.survey.plan import SurveyCard, read_cards, write_cards
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope

QUESTIONS = """\
{"id": "1", "question": "What is 2 + 2?", "answer": 4, "category": "sums"}
{"id": "2", "question": "Capital of Italy?", "options": ["Milan", "Rome"], "answer": "B", "category": "capitals"}
{"id": "3", "question": "Who wrote it?", "answer": "Homer"}
{"id": "4", "question": "Is P equal to NP?", "options": ["Yes", "No"], "answer": "No", "idk_score": 0.9}
{"id": "5", "question": "How many?", "answer": 7}
{"id": "6", "question": "What is the name of the first of them?", "answer": "Ann"}
"""
REPLIES = {
    "1": "Thinking aloud... Answer: 4",
    "2": "Answer: A",
    "3": "Answer: homer.",
    "4": "Answer: I don't know",
    "5": "seven or eight, 7 or 8",
    "6": "Answer: " + "x" * 3000,
}


class FixedReplies:
    """Gives the replies that it was made with."""

    name = "recorded"

    async def answer(self, question: Prompt, /) -> Reply:
        """By the question's id."""
        return Reply(REPLIES[question.id])


class First:
    """A predictor that finds pairs telling whose first question has a small number."""

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """Strictly between 0 and 1."""
        return np.asarray([1 / (2 + int(pair.q1)) for pair in pairs])

    def save(self, folder: Path) -> None:
        """Has nothing to save."""


def answers_to(tmp_path: Path) -> CandidateAnswers:
    """What came of the questions above."""
    file = tmp_path / "questions.jsonl"
    file.write_text(QUESTIONS)
    scope = open_scope(f"file:{file}")
    questions = draw_questions(scope, SurveyConfig(questions=10), np.random.default_rng(0))
    assert len(questions) == 6
    return asyncio.run(ask_answers(Interview(FixedReplies(), answers=Reply), scope, questions))


def numbered(n: int, right: bool = True) -> CandidateAnswers:
    """As many questions, all answered."""
    questions = tuple(TaskQuestion(str(number), "task") for number in range(n))
    return CandidateAnswers(questions, tuple(CardAnswer(number, "x", right) for number in range(n)), {"answer": n})


def test_answers_are_graded_by_the_scope_and_shown_without_what_was_said_around_them(tmp_path: Path) -> None:
    answers = answers_to(tmp_path)
    shown = {
        answers.questions[answer.question].text.split("\n")[0]: (answer.shown, answer.right) for answer in answers.observed
    }
    assert shown == {
        "What is 2 + 2?": ("4", True),
        "Capital of Italy?": ("(A) Milan", False),
        "Who wrote it?": ("homer", True),
        "Is P equal to NP?": ("I don't know", False),  # .9 by the scope's rule, but not right
    }
    assert answers.outcomes == {"answer": 3, "I don't know": 1, "unreadable": 1, "too long": 1}
    assert answers.left_out == 2
    sources = {question.text.split("\n")[0]: question.source for question in answers.questions}
    assert sources["What is 2 + 2?"] == "sums"
    assert sources["Who wrote it?"].startswith("file:")


def test_a_question_is_shown_with_its_options_and_without_instructions(tmp_path: Path) -> None:
    texts = {question.text for question in answers_to(tmp_path).questions}
    assert "Capital of Italy?\n(A) Milan\n(B) Rome" in texts
    assert not any("End your reply" in text for text in texts)


def test_an_answer_that_does_not_come_is_counted_and_not_shown() -> None:
    class TimedOutCandidate:
        name = "silent"

        async def answer(self, question: Prompt, /) -> Reply | NoAnswer:
            return NoAnswer("time-out")

    scope = open_scope("arithmetic")
    questions = draw_questions(scope, SurveyConfig(questions=3), np.random.default_rng(0))
    answers = asyncio.run(ask_answers(Interview(TimedOutCandidate(), answers=Reply), scope, questions))  # type: ignore[arg-type]
    assert (answers.observed, answers.outcomes) == ((), {"no answer": 3})


def test_the_budget_ends_the_questions() -> None:
    scope = open_scope("arithmetic")
    questions = draw_questions(scope, SurveyConfig(questions=20), np.random.default_rng(0))
    interview = Interview(open_candidate("bot:calculator"), answers=Reply, budget=Budget(questions=5))
    answers = asyncio.run(ask_answers(interview, scope, questions))
    assert (len(answers.observed), answers.exhausted, len(answers.questions)) == (5, "questions", 20)


def test_a_calculator_that_errs_is_graded_wrong_as_often_as_it_errs() -> None:
    scope = open_scope("arithmetic?digits=3")
    questions = draw_questions(scope, SurveyConfig(questions=400), np.random.default_rng(1))
    interview = Interview(open_candidate("bot:calculator?wrong=0.3"), answers=Reply)
    answers = asyncio.run(ask_answers(interview, scope, questions))
    # binomial with n = 400, p = .7: four standard deviations are .092
    assert len(answers.observed) == 400
    assert sum(answer.right for answer in answers.observed) / 400 == pytest.approx(0.7, abs=0.092)


@pytest.mark.long
def test_questions_differ_and_long_ones_are_left_out(tmp_path: Path) -> None:
    # there are 2 * 10 * 10 sums and differences of one digit; asking for more ends
    few = draw_questions(
        open_scope("arithmetic?digits=1&operations=+-"), SurveyConfig(questions=1000), np.random.default_rng(0)
    )
    assert len({wording(question) for question in few}) == len(few) <= 200
    file = tmp_path / "q.jsonl"
    file.write_text(QUESTIONS)
    assert (
        len(draw_questions(open_scope(f"file:{file}"), SurveyConfig(questions=10, longest=16), np.random.default_rng(0))) == 3
    )


def test_the_pool_has_every_pair_of_different_questions_once() -> None:
    pool = pool_of(numbered(5), np.random.default_rng(0), by="person")
    assert sorted((card.q1, card.q2) for card in pool) == [(a, b) for a in "01234" for b in "01234" if a != b]
    assert {card.weight for card in pool} == {1.0}
    assert {card.by for card in pool} == {"person"}
    assert [card.number for card in pool] == list(range(1, 21))


def test_a_large_pool_is_drawn_from_and_weights_say_so() -> None:
    pool = pool_of(numbered(1000), np.random.default_rng(0), size=500)
    assert len({(card.q1, card.q2) for card in pool}) == 500
    # 1000 * 999 pairs, of which 500
    assert {card.weight for card in pool} == {1998.0}


def test_uniform_cards_stand_for_the_same_number_of_pairs() -> None:
    cards = choose_cards(pool_of(numbered(10), np.random.default_rng(0)), 30, rng=np.random.default_rng(0), stage=1)
    assert [card.number for card in cards] == list(range(1, 31))
    assert {(card.weight, card.stage) for card in cards} == {(3.0, 1)}  # 90 pairs, 30 drawn


def test_cards_of_a_predictor_are_mostly_telling_and_their_weights_undo_that() -> None:
    pool = pool_of(numbered(40), np.random.default_rng(0))
    cards = choose_cards(pool, 60, rng=np.random.default_rng(0), predictor=First(), stage=2)
    # The first questions 0 to 3 make the top tenth, 156 of 1,560 pairs: 42 of 60 cards stand for these, 18 for 1,404.
    weights = Counter((int(card.q1) < 4, round(card.weight, 9)) for card in cards)
    assert weights == {(True, round(156 / 42, 9)): 42, (False, 78.0): 18}


def test_a_balanced_stage_comes_from_both_ends() -> None:
    pool = pool_of(numbered(100), np.random.default_rng(0))
    cards = choose_cards(pool, 30, rng=np.random.default_rng(0), predictor=First(), stage=8, balanced=True)
    # the top hundredth is the first question, the bottom one the last
    assert Counter(card.q1 for card in cards) == {"0": 20, "99": 10}


def test_too_small_a_pool_is_said() -> None:
    pool = pool_of(numbered(3), np.random.default_rng(0))
    with pytest.raises(BadInput, match="7 pairs"):
        choose_cards(pool, 7, rng=np.random.default_rng(0))
    with pytest.raises(BadInput, match="give a predictor"):
        choose_cards(pool, 3, rng=np.random.default_rng(0), balanced=True)


HEAD = "q1,q2,source1,source2,shown,previous_correct"


def test_cards_are_read_as_they_were_written(tmp_path: Path) -> None:
    cards = [
        SurveyCard(1, "a\r\n,b", "=1+1", "", "t\u2028", '"x"', previous_correct=True, by="person", weight=2.5, stage=3),
        SurveyCard(2, "\U0001f600", "c", "s", "t", "0", previous_correct=False),
    ]
    write_cards(tmp_path / "cards.jsonl", cards)
    assert read_cards(tmp_path / "cards.jsonl") == cards


def test_cards_of_a_table(tmp_path: Path) -> None:
    file = tmp_path / "cards.csv"
    file.write_text(f"{HEAD},by,more\n2+2?,3+4?,s,t,5,0,person,x\na,b,s,t,c,1,,\n")
    first, second = read_cards(file)
    assert (first.shown, first.previous_correct, first.by) == ("5", False, "person")
    assert (second.number, second.by, second.weight, second.stage) == (2, "machine", 1.0, None)


@each_case(
    ("name", "text", "problem"),
    [
        ("a.csv", "", "empty: the first line must name q1, q2"),
        ("a.csv", HEAD, "no pairs"),
        ("a.csv", f"{HEAD}\na,b,s,t,c", "line 2: the row ends after 5 of 6 cells"),
        ("a.csv", f"{HEAD}\na,b,s,t,c,2", "line 2: previous_correct is '2'"),
        ("a.csv", f"{HEAD}\na,b,s,t,c,", "previous_correct is empty"),
        ("a.csv", f"{HEAD}\n,b,s,t,c,1", "q1 has 0"),
        ("a.csv", f"{HEAD},by\na,b,s,t,c,1,dog", "'machine' or 'person'"),
        ("a.csv", f"{HEAD},weight\na,b,s,t,c,1,-1", "0 or more"),
        ("a.csv", f"{HEAD},weight\na,b,s,t,c,1,nan", "0 or more"),
        ("a.csv", f"{HEAD},weight\na,b,s,t,c,1,0", "the weight is 0.0"),
        ("a.csv", f"{HEAD},stage\na,b,s,t,c,1,1.5", "whole number"),
        ("a.csv", f"{HEAD},stage\na,b,s,t,c,1,²", "whole number"),
        ("a.csv", f"{HEAD},stage\na,b,s,t,c,1,{'0' * 5000}1", "whole number"),
        ("a.csv", f"{HEAD},q1\na,b,s,t,c,1,a", "two columns"),
        ("a.csv", 'q1\n"', "line 1"),
        ("a.jsonl", "[]", "object"),
        ("a.jsonl", "{}", "'q1' is missing"),
        ("a.jsonl", '{"q1": ["a"]}', "missing"),
        ("a.jsonl", json.dumps(dict(zip(HEAD.split(","), ([], "b", "s", "t", "c", 1), strict=True))), "list or an object"),
        ("a.jsonl", json.dumps(dict(zip(HEAD.split(","), ("x" * 20_001, "b", "s", "t", "c", 1), strict=True))), "20001"),
        ("a.jsonl", "\x00\xff", "not JSON"),
    ],
)
def test_rubbish_in_a_file_is_said_with_its_line(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(BadFile, match=problem):
        read_cards(tmp_path / name)


def test_no_file_and_no_text_are_said(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be read"):
        read_cards(tmp_path / "none.csv")
    (tmp_path / "a.csv.gz").write_bytes(b"\x1f\x8b\x00rubbish")
    with pytest.raises(BadFile, match="gzip"):
        read_cards(tmp_path / "a.csv.gz")
