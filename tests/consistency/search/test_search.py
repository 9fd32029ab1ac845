"""Searching planted candidates: what is found, shrunk, confirmed, counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consistency.search.planted import (
    FOUR_ASIDES,
    FOUR_PEOPLE,
    Flips,
    coherent,
    conjunction,
    nothing_to_learn,
    one_feature,
    searched,
)
from vivavoce.consistency.invariance.sentences import PERSONAS
from vivavoce.consistency.search.config import ContradictionSearchConfig
from vivavoce.consistency.search.finding import NO_RATE, ContradictionSearch
from vivavoce.consistency.search.summary import Run
from vivavoce.interview.budget import Budget
from vivavoce.interview.transcript import Transcript

SHORT = ContradictionSearchConfig(calls=400)


def run_of(finding: ContradictionSearch, method: str) -> Run:
    return next(run for run in finding.runs if run.method == method)


def test_one_feature_is_found_and_nothing_else_is_left_in_it() -> None:
    found = searched(Flips(one_feature), SHORT)
    assert len(found.contradictions) >= 10
    assert {one.changes for one in found.contradictions} == {(("persona", PERSONAS[2]),)}
    assert {run.patterns for run in found.runs} == {1}
    assert any(len(one.found_with) > 1 for one in found.contradictions)
    assert NO_RATE in found.caveats


@pytest.mark.long
def test_a_conjunction_is_shrunk_to_its_three_parts() -> None:
    found = searched(Flips(conjunction), ContradictionSearchConfig(calls=1_500, method="search"))
    assert found.contradictions
    for one in found.contradictions:
        assert [name for name, _ in one.changes] == ["order", "context", "persona"]
        words = dict(one.changes)
        assert (words["context"] in FOUR_ASIDES, words["persona"] in FOUR_PEOPLE) == (True, True)
        as_it_is, varied = one.sides
        assert (list(as_it_is.answers.values()), list(varied.answers.values())) == ([5], [5])
        assert set(as_it_is.answers).isdisjoint(varied.answers)
        assert words["persona"] in varied.question
        assert words["persona"] not in as_it_is.question


def test_one_set_of_changes_leads_to_others() -> None:
    found = [searched(Flips(conjunction), ContradictionSearchConfig(calls=500, seed=seed), questions=10) for seed in (0, 1)]
    searching, by_chance = (sum(run_of(one, method).patterns for one in found) for method in ("search", "random"))
    assert searching >= 4 * by_chance > 0


def test_a_coherent_candidate_has_none_and_that_is_no_proof() -> None:
    found = searched(Flips(coherent), SHORT)
    assert found.contradictions == ()
    assert [run.distinct for run in found.runs] == [0, 0]
    assert "does not show that there is none" in found.headline


@pytest.mark.long
def test_chance_is_found_and_not_confirmed() -> None:
    """Each answer is anything on three of ten asks: a pair differs at once in nearly half of all attempts."""
    found = searched(Flips(coherent, noise=0.3, seed=3), ContradictionSearchConfig(calls=1_500))
    assert sum(run.contradicting for run in found.runs) > 200
    assert sum(run.refuted for run in found.runs) > 100
    assert sum(run.distinct for run in found.runs) <= 2
    assert any("not confirmed by fresh answers" in caveat for caveat in found.caveats)


def test_what_cannot_be_read_contradicts_nothing() -> None:
    config = ContradictionSearchConfig(calls=200)
    found = searched(Flips(one_feature, mumbles=True), config)
    assert found.contradictions == ()
    assert sum(run.unread for run in found.runs) > 100
    assert any("could not be read" in caveat for caveat in found.caveats)
    assert found.measured


def test_no_more_calls_than_were_given_and_each_is_one_question_to_the_candidate() -> None:
    for method in ("search", "random"):
        who = Flips(one_feature)
        found = searched(who, ContradictionSearchConfig(calls=300, method=method))
        (run,) = found.runs
        assert who.asked == run.calls <= 300
        assert run.exhausted
        assert sum(run.replies.values()) == run.calls
        assert run.course[-1] == (run.calls, run.distinct)


def test_the_same_seed_takes_the_same_course_whatever_is_in_flight_and_on_record(tmp_path: Path) -> None:
    config = ContradictionSearchConfig(calls=150, seed=4)
    plain = searched(Flips(nothing_to_learn), config, concurrency=1)
    asked = []
    for _ in range(2):
        who = Flips(nothing_to_learn)
        with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
            again = searched(who, config, transcript=transcript, concurrency=16)
        asked.append(who.asked)
        assert (again.runs, again.contradictions) == (plain.runs, plain.contradictions)
    assert asked[0] <= 2 * 150
    assert asked[1] == 0
    other = searched(Flips(nothing_to_learn), ContradictionSearchConfig(calls=150, seed=5))
    assert other.runs != plain.runs


@pytest.mark.long
def test_a_run_that_money_ended_goes_on_where_it_stopped(tmp_path: Path) -> None:
    config = ContradictionSearchConfig(calls=300)
    whole = searched(Flips(one_feature), config)
    asked = []
    for budget in (Budget(questions=120), Budget()):
        who = Flips(one_feature)
        with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
            found = searched(who, config, transcript=transcript, budget=budget)
        asked.append(who.asked)
        if budget.questions:
            assert found.ended == "questions"
            assert any("do not compare them" in caveat for caveat in found.caveats)
    assert (found.runs, found.contradictions) == (whole.runs, whole.contradictions)
    fresh = Flips(one_feature)
    searched(fresh, config)
    assert sum(asked) == fresh.asked


def test_a_small_space_is_searched_to_its_end() -> None:
    """Two questions, and three orders beside that of each: six attempts, and a call for each question as it is."""
    found = searched(Flips(coherent), ContradictionSearchConfig(calls=5_000), questions=2, kinds=("order",))
    assert [(run.attempts, run.calls, run.exhausted) for run in found.runs] == [(6, 8, False)] * 2


@pytest.mark.parametrize("method", ["search", "random"])
def test_one_method_alone(method: str) -> None:
    found = searched(Flips(one_feature), ContradictionSearchConfig(calls=200, method=method))  # type: ignore[arg-type]
    assert [run.method for run in found.runs] == [method]
    assert "each" not in found.headline.partition("calls")[0]
