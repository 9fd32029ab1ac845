"""Candidates that are asked in words: each question once, unless a tuple holds it twice; what cannot be read is no answer."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from vivavoce.errors import BadInput
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.relations import RelatedInputs, RelationFinding, RelationsConfig, ask, at_most, invariant
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
