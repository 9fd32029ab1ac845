"""Candidates that are asked in words, and models of scikit-learn."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from vivavoce.errors import BadInput
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.relations import (
    RelatedInputs,
    RelationFinding,
    RelationsConfig,
    Rule,
    ask,
    at_most,
    check,
    increasing,
    invariant,
    raised,
    replaced,
)
from vivavoce.studies.rules.asking import expected_questions


class Valuer:
    """Values homes in words: 100 a room, but 50 for the eighth; it rambles on homes of 5 rooms."""

    name = "test:valuer"

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()

    async def answer(self, question: Prompt, /) -> Reply:
        home = re.search(r"\{.*\}", question.text)
        assert home is not None
        rooms = json.loads(home[0])["rooms"]
        self.asked[rooms] += 1
        await asyncio.sleep(0)
        if rooms == 5:
            return Reply("Somewhere between [Answer] 400 and 600, I would say.")
        drift = self.asked[rooms] - 1
        return Reply(f"Many rooms, a good street.\n[Answer] {50 if rooms == 8 else 100 * rooms + drift}")


PAIRS = [RelatedInputs(({"rooms": rooms}, {"rooms": rooms + 1}), base=(f"home {rooms}",)) for rooms in range(1, 11)]


def asked(valuer: Valuer, tuples: list[RelatedInputs], **more: object) -> RelationFinding:
    budget = more.get("budget", Budget())
    transcript = more.get("transcript")
    assert isinstance(budget, Budget)
    assert transcript is None or isinstance(transcript, Transcript)
    interview = Interview(valuer, answers=Reply, budget=budget, transcript=transcript, concurrency=3)
    return asyncio.run(ask(interview, tuples, at_most(), RelationsConfig(task="What is it worth?"), each=True))


def test_planted_faults_are_found_and_ramblings_are_counted() -> None:
    valuer = Valuer()
    finding = asked(valuer, PAIRS)
    (row,) = finding.effects
    # ten pairs; two touch the home of 5 rooms; from 7 to 8 rooms the value falls by 650
    assert (row.n, row.rates["broken"].events, row.numbers["largest"], sum(row.left_out.values())) == (8, 1, 650, 2)
    assert row.left_out == {"a range": 2}
    assert set(valuer.asked.values()) == {1}
    assert len(valuer.asked) == 11 == expected_questions(PAIRS, at_most())
    assert finding.candidate == "test:valuer"


def test_the_same_input_twice_in_a_tuple_is_asked_twice() -> None:
    valuer = Valuer()
    again = [RelatedInputs(({"rooms": 3},) * 3), RelatedInputs(({"rooms": 3}, {"rooms": 3}))]
    interview = Interview(valuer, answers=Reply, concurrency=1)
    (row,) = asyncio.run(ask(interview, again, invariant())).effects
    assert valuer.asked[3] == 3 == expected_questions(again, invariant())
    assert (row.rates["broken"].events, row.numbers["largest"]) == (2, 2)  # 300, 301, 302 in the first; 300, 301 in the second


def test_what_is_on_record_is_not_asked_again(tmp_path: Path) -> None:
    first, second = Valuer(), Valuer()
    with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
        before = asked(first, PAIRS[:6], transcript=transcript)
        assert asked(second, PAIRS[:6], transcript=transcript) == before
        assert not second.asked
        asked(second, PAIRS, transcript=transcript)
        assert set(second.asked) == {8, 9, 10, 11}


def test_when_the_budget_ends_the_rest_is_no_answer() -> None:
    (row,) = asked(Valuer(), PAIRS, budget=Budget(questions=4)).effects
    assert row.n == 3  # homes of 1 to 4 rooms
    assert row.left_out["not asked: the budget ran out"] >= 6


def test_a_candidate_that_is_asked_in_words_takes_no_batch() -> None:
    valuer = Valuer()
    with pytest.raises(BadInput, match="batch is for functions"):
        asyncio.run(ask(Interview(valuer, answers=Reply), PAIRS, at_most(), RelationsConfig(batch=True)))
    assert not valuer.asked


BATCH = RelationsConfig(batch=True)


@pytest.fixture(scope="module")
def ensemble() -> ModuleType:
    """Imported by the first test that needs it, not while tests are collected."""
    module: ModuleType = pytest.importorskip("sklearn.ensemble")
    return module


def material() -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The outcome grows with the first feature, is noisy, and knows nothing of the third."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(1_500, 3))
    return table, table[:, 0] + np.sin(3 * table[:, 1]) + rng.normal(0, 1, 1_500)


def test_a_model_built_to_grow_never_falls_and_a_free_one_does(ensemble: ModuleType) -> None:
    table, outcome = material()
    built = ensemble.HistGradientBoostingRegressor(monotonic_cst=[1, 0, 0], random_state=0).fit(table, outcome)
    free = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table, outcome)
    pairs = list(raised(table[:400], 0, by=0.25))
    kept = check(built.predict, pairs, increasing(), BATCH)
    assert kept.effects[0].rates["broken"].events == 0
    assert kept.statement.startswith("HistGradientBoostingRegressor.predict keeps the rule")
    broken = check(free.predict, pairs, increasing(), BATCH).effects[0]
    # counted by hand, with the model alone
    before, after = free.predict(table[:400]), free.predict(table[:400] + np.array([0.25, 0, 0]))
    assert broken.rates["broken"].events == int((before - after > 1e-9).sum()) > 20
    assert broken.numbers["largest"] == pytest.approx(float((before - after).max()))


def test_a_model_that_never_saw_a_feature_does_not_care_for_it(ensemble: ModuleType) -> None:
    table, outcome = material()
    model = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table[:, :2], outcome)
    pairs = list(replaced(table[:300], 2, rng=np.random.default_rng(1)))
    blind = check(lambda rows: model.predict([row[:2] for row in rows]), pairs, invariant(), BATCH)
    assert blind.effects[0].rates["broken"].events == 0
    seeing = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table, outcome)
    assert check(seeing.predict, pairs, invariant(), BATCH).effects[0].rates["broken"].events > 200


def test_a_rule_of_ones_own_on_one_prediction_at_a_time(ensemble: ModuleType) -> None:
    table, outcome = material()
    model = ensemble.HistGradientBoostingRegressor(random_state=0).fit(table, outcome)
    larger_in_all = Rule("larger in all", gap=lambda y: y[0] - y[1], applies=lambda x: bool((x[0] <= x[1]).all()))
    pairs = list(raised(table[:20], 0, by=1.0))
    finding = check(lambda row: model.predict([row]), pairs, larger_in_all)  # an array of one number each
    assert finding.effects[0].n == 20
