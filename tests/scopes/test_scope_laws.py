"""Contradictions as unacceptable answers: from a file of questions to the certificate."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import pair, pairs
from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.probability import Probability, ProbabilityIfKnown
from vivavoce.interview.forms.text import ShortText
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.scope import Grade
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope, by_category
from vivavoce.scopes.questions import Question, prompt
from vivavoce.scopes.score import SCORING, grade, unit_mean
from vivavoce.scopes.unit_laws import BrokenLaws, LawTally, check_law


def test_a_question_with_a_law_alone_is_asked_for_what_the_law_needs() -> None:
    forms = {law: prompt(pair(1, law)[0]).form for law in ("same", "at most", "neg")}
    assert isinstance(forms["same"], ShortText)
    assert isinstance(forms["at most"], Number)
    assert forms["neg"] == ProbabilityIfKnown()
    assert ProbabilityIfKnown().instruction == Probability().instruction


def test_a_probability_is_read_as_forecasts_are() -> None:
    unit = pair(1, "neg", dont_know_score=0.25)
    shown = full_prompt(prompt(unit[0], [Question("w", "Rain?", accepted=("0.3",), law="neg")])).shown
    assert [exchange.replied for exchange in shown] == ["Answer: 30%"]
    tally = LawTally()
    result = ("It looks like rain.\nAnswer: 70%", "The probability is 0.3")
    grades, broken = tally.judge(unit, [grade(q, Reply(text)) for q, text in zip(unit, result, strict=True)])
    assert ([g.read_as for g in grades], broken) == (["0.7", "0.3"], "")
    _, broken = tally.judge(unit, [grade(q, Reply(text)) for q, text in zip(unit, ("70%", "60%"), strict=True)])
    assert "contradict each other" in broken


@each_case(
    ("law", "reply", "expected"),
    [
        ("neg", "Answer: 0.7", Grade(1.0, False, Outcome.ANSWER, "0.7")),
        ("neg", "Answer: 70", Grade(1.0, False, Outcome.ANSWER, "0.7")),
        ("neg", "Answer: 170", Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)),  # none that could be a probability
        ("neg", "Answer: 20-30%", Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)),
        ("neg", "Who knows?", Grade(0.0, False, Outcome.UNREADABLE, upper=1.0)),
        ("neg", "Answer: I don't know", Grade(0.25, False, Outcome.DONT_KNOW, "I don't know")),
        ("at most", "Answer: 70", Grade(1.0, False, Outcome.ANSWER, "70")),
        ("same", "Answer: seventy", Grade(1.0, False, Outcome.ANSWER, "seventy")),
        ("same", "Answer: none", Grade(0.0, True, Outcome.ANSWER, "none")),
    ],
)
def test_what_an_answer_scores_before_its_law_is_judged(law: str, reply: str, expected: Grade) -> None:
    question = pair(1, law, dont_know_score=0.25, unacceptable=("none",))[0]
    assert grade(question, Reply(reply)) == expected


def test_right_answers_keep_their_score_and_are_unacceptable_all_the_same() -> None:
    unit = pair(1, right=("17",))
    grades, sentence = LawTally().judge(unit, [grade(unit[0], Reply("17")), grade(unit[1], Reply("16"))])
    assert grades == [Grade(1.0, True, read_as="17"), Grade(0.0, True, read_as="16")]
    assert (
        sentence
        == "“How many in 1, counted up?” was answered 17, “How many in 1, counted down?” 16: the answers must be the same."
    )


def test_where_nothing_is_right_a_contradiction_scores_nothing() -> None:
    unit = pair(1)
    grades, _ = LawTally().judge(unit, [grade(q, Reply(text)) for q, text in zip(unit, ("17", "16"), strict=True)])
    assert [(g.score, g.unacceptable) for g in grades] == [(0.0, True), (0.0, True)]


@pytest.mark.parametrize("answer", ["Answer: I don't know", "hm\nhm", ""])
def test_ignorance_and_what_cannot_be_read_break_nothing(answer: str) -> None:
    unit, tally = pair(1), LawTally()
    grades, sentence = tally.judge(unit, [grade(unit[0], Reply("Answer: 17")), grade(unit[1], Reply(answer))])
    assert not sentence
    assert not any(g.unacceptable for g in grades)
    assert tally.found == BrokenLaws(0, judged=0, unjudged=1, without_truth=2)
    assert "In 1 cluster too few answers could be read to judge the law." in tally.found.caveats
    grades, _ = tally.judge(unit, [grade(q, NoAnswer("time-out")) for q in unit])
    assert not any(g.unacceptable for g in grades)


def test_who_takes_no_part_in_a_contradiction_is_not_unacceptable() -> None:
    unit = tuple(replace(question, id=f"{n}") for n, question in enumerate((*pair(1), pair(1)[0])))
    texts = ("Answer: 17", "Answer: I don't know", "Answer: 16")
    grades, _ = LawTally().judge(unit, [grade(q, Reply(text)) for q, text in zip(unit, texts, strict=True)])
    assert [g.unacceptable for g in grades] == [True, False, True]
    assert unit_mean(grades, [1, 1, 1])[1] == pytest.approx(2 / 3)


def test_right_answers_in_other_words_are_no_contradiction() -> None:
    unit, tally = pair(1, right=("3/4", "0.75")), LawTally()
    grades, sentence = tally.judge(unit, [grade(unit[0], Reply("Answer: 3/4")), grade(unit[1], Reply("Answer: 0.75"))])
    assert not sentence
    assert [g.score for g in grades] == [1, 1]
    assert tally.found == BrokenLaws(0, judged=1, unjudged=0)


def test_options_are_compared_by_their_words_not_their_letters() -> None:
    first, second = pair(1, "same")
    unit = (replace(first, options=("Yes", "No")), replace(second, options=("No", "Yes")))
    for letters, broken in ((("A", "B"), False), (("A", "A"), True)):
        grades = [grade(q, Reply(f"Answer: {letter}")) for q, letter in zip(unit, letters, strict=True)]
        assert bool(LawTally().judge(unit, grades)[1]) is broken


@given(
    st.lists(st.tuples(st.sampled_from(["1", "2", "I don't know", "?!\n?"]), st.floats(0.5, 4)), min_size=2, max_size=5),
    st.booleans(),
)
def test_judging_adds_unacceptability_and_takes_none_away(answers: list[tuple[str, float]], keyed: bool) -> None:
    unit = tuple(
        Question(f"{n}", "?", accepted=("1",) if keyed else (), cluster="c", law="same", weight=weight)
        for n, (_, weight) in enumerate(answers)
    )
    before = [grade(q, Reply(f"Answer: {text}")) for q, (text, _) in zip(unit, answers, strict=True)]
    after, sentence = LawTally().judge(unit, before)
    read = {g.read_as for g in before if g.outcome is Outcome.ANSWER}
    assert bool(sentence) is (len(read) > 1)
    assert all(new.unacceptable >= old.unacceptable for old, new in zip(before, after, strict=True))
    assert all(new.score == old.score or not keyed for old, new in zip(before, after, strict=True))
    assert all(0 <= value <= 1 for value in unit_mean(after, [q.weight for q in unit]))
    if not sentence:
        assert after == before


def test_the_digest_is_of_the_laws_too() -> None:
    same, other = pairs(3), pairs(3, law="same within 1")
    plain = ListedScope("pairs", tuple(replace(q, law="", accepted=("1",)) for q in same.questions))
    assert len({same.digest, other.digest, plain.digest}) == 3
    assert "law" not in plain.questions[0].as_json()
    assert open_scope("arithmetic?laws=commute").digest != open_scope("arithmetic").digest
    # From the scoring and the questions' other fields alone.
    known = ListedScope("one", (Question("a", "What is 1 + 1?", accepted=("2",)),))
    fields = {"id": "a", "text": "What is 1 + 1?", "options": [], "accepted": ["2"], "category": "", "weight": 1.0}
    fields |= {"cluster": "", "dont_know_score": 0.0, "ridiculous": [], "plausible": None}
    assert known.digest == hashlib.sha256(json.dumps([SCORING, False, [fields]], sort_keys=True).encode()).hexdigest()


def test_both_ways_round() -> None:
    scope = open_scope("arithmetic?digits=2&laws=commute")
    units = list(islice(scope.draw(np.random.default_rng(0)), 300))
    for first, second in units:
        assert first.text.split()[2] == second.text.split()[4].rstrip("?")
        assert first.category == second.category
        check_law((first, second))
    assert Counter(first.law for first, _ in units).keys() == {"same", "opposite"}
    alone = list(islice(open_scope("arithmetic?digits=2").draw(np.random.default_rng(0)), 300))
    assert [unit[0].text for unit in units] == [unit[0].text for unit in alone]


@pytest.mark.parametrize(
    ("name", "problem"),
    [("arithmetic?laws=commutes", "the only law is 'commute'"), ("arithmetic?operations=*/&laws=commute", "division does not")],
)
def test_laws_of_arithmetic_that_there_are_not(name: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        open_scope(name)


FIRST = {"question": "How many?", "cluster": "c", "law": "at most"}


@each_case(
    ("first", "second", "problem"),
    [
        ({}, {"law": "at least"}, "cluster 'c' has several laws"),
        ({}, {"law": None, "answer": 3}, "cluster 'c' has several laws, or questions without one"),
        ({"cluster": None}, {"cluster": None}, "question '1', without a cluster,: the law 'at most' needs at least 2"),
        ({"law": "atmost"}, {"law": "atmost"}, "did you mean 'at most'"),
        ({"category": "a"}, {"category": "b"}, "several categories"),
        ({"rubric": "short"}, {}, "leave out 'rubric'"),
        ({"answer": "many"}, {"answer": 3}, "law of numbers, but 'many' is not one"),
        ({"options": ["few", "many"]}, {"options": ["few", "many"]}, "law of numbers, but 'few' is not one"),
        ({"answer": 4}, {"answer": 3}, "right answers in cluster 'c' break their own law 'at most'"),
        ({"law": "neg", "answer": 70}, {"law": "neg", "answer": 0.3}, "law of probabilities from 0 to 1, but '70' is not one"),
        ({"law": "x" * 501}, {"law": "x" * 501}, "'law' is"),
    ],
)  # fmt: skip
def test_a_law_that_its_cluster_cannot_have_is_named(
    tmp_path: Path, first: dict[str, object], second: dict[str, object], problem: str
) -> None:
    file = tmp_path / "q.jsonl"
    rows = [FIRST | {"question": f"How many in {n}?"} | change for n, change in enumerate((first, second))]
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(BadFile, match=problem) as error:
        open_scope(f"file:{file}")
    assert error.value.line == 1


def test_a_law_is_not_cut_in_two() -> None:
    split = tuple(replace(q, category=q.id[-2:]) for q in pairs(2).questions)
    with pytest.raises(BadInput, match="several categories"):
        ListedScope("split", split)
    whole = ListedScope("whole", tuple(replace(q, category=q.cluster) for q in pairs(2).questions))
    assert [scope.population for scope in by_category([whole])] == [1, 1]
