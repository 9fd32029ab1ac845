"""What counts as an explanation."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from tests.eqt.examined import all_roles
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.pipeline import parsed_explanation
from vivavoce.eqt.record import Concept, EqtConfig
from vivavoce.eqt.record_file import record_as_json, record_from_json
from vivavoce.eqt.report.sentences import caveats_of
from vivavoce.eqt.score import score
from vivavoce.interview import Interview, NoAnswer, Prompt, Reply
from vivavoce.interview.forms.written_texts import LONGEST_EXPLANATION


@pytest.mark.parametrize(
    ("reply", "explanation", "problem"),
    [
        (Reply(" A graph is a set. "), "A graph is a set.", ""),
        (Reply("<think>Hm.</think>A graph is a set."), "A graph is a set.", ""),
        (Reply("<think>A graph is", finish="length"), None, "cut off"),
        (Reply("A graph is a", finish="length"), "A graph is a", ""),  # as far as it goes
        (Reply(" \n"), None, "empty"),
        (Reply("I cannot help with that."), None, "refused"),
        (Reply("x" * (LONGEST_EXPLANATION + 1)), None, "too long"),
        (Reply("A graph", finish="content_filter"), None, "filtered"),
        (NoAnswer("time-out after 120 s"), None, "time-out"),
        (NoAnswer("HTTP 400"), None, "no answer"),
    ],
)
def test_explanations(reply: Reply | NoAnswer, explanation: str | None, problem: str) -> None:
    assert parsed_explanation(reply) == (explanation, problem)


class RunsOn:
    """Has no end, as models under a limit of tokens."""

    name = "test:runs on"

    async def answer(self, question: Prompt, /) -> Reply:
        """Half an explanation, and no question."""
        return Reply("A graph is a set of", finish="length")


def test_explanations_that_a_limit_cut_off_count_as_far_as_they_go_and_are_told() -> None:
    interview = Interview(RunsOn(), answers=Reply)
    record = asyncio.run(explain_query_test(all_roles(interview), [Concept("Graphs")], EqtConfig(questions=2, paraphrases=0)))
    result = score(record)
    assert result.cut_explanations == 1
    text = "2 replies were cut off by a limit, and 1 of 1 explanations end at a limit: raise the limit of tokens"
    assert any(text in caveat for caveat in caveats_of(result))
    assert score(record_from_json(record_as_json(record))).cut_explanations == 1
    whole = record_as_json(replace(record, concept_records=(replace(record.concept_records[0], ends_early=False),)))
    assert "ends_early" not in json.dumps(whole)


def test_a_long_explanation_that_speaks_of_refusals_is_none() -> None:
    text = "I cannot overstate how central refusals are. " * 20
    assert parsed_explanation(Reply(text)) == (text.strip(), "")
