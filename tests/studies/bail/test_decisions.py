"""Replies as judges write them, and as they should not."""

from __future__ import annotations

import pytest

from tests.studies.bail.judges import made_up
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt
from vivavoce.studies.defendants.decisions import DECISION, PREDICTION, Decision, DefendantQuestion, judgement, vote_of
from vivavoce.studies.defendants.prompts import bail_prompt

YES, NO, UNDECIDED = Decision.YES, Decision.NO, Decision.UNDECIDED


@pytest.mark.parametrize(
    ("reply", "decision"),
    [
        ("YES for release on bail.", YES),
        ("... should be released on bail. [Answer] YES", YES),
        ("He has no record.\n\n[Answer] YES", YES),
        ("Taking both together, the defendant should be granted bail.", YES),
        ("I would not grant bail.", NO),
        ("The charge is grave.\n\nAnswer: NO", NO),
        ("The defendant should remain in custody until trial.", NO),
        ("[Answer] UNDECIDED", UNDECIDED),
        ("[Answer] Defer to the judge.", UNDECIDED),
        ("[Answer] deferred to the court", UNDECIDED),
        ("[Answer] YES or [Answer] NO", None),
        ("[Answer] NOT YET", None),
        ("not [Answer] YES", None),
        ("I cannot help with decisions about bail.", None),
    ],
)
def test_decisions_are_read_as_a_person_reads_them(reply: str, decision: Decision | None) -> None:
    assert DECISION.read(reply).value == decision


def test_nothing_that_the_judge_is_told_is_a_decision() -> None:
    asked = full_prompt(bail_prompt(made_up(1)[0].record, name="1", temperature=None))
    for text in (asked.text, asked.system):
        for piece in (text, *text.splitlines(), *text.split(". ")):
            assert DECISION.read(piece).value is None, piece


def test_an_absence_is_told_from_what_cannot_be_read() -> None:
    prompt = bail_prompt(made_up(1)[0].record, name="1", temperature=None)
    answers: list[Reply | NoAnswer] = [
        NoAnswer("time-out"),
        Reply("hm"),
        Reply("[Answer] NO"),
        Reply("<think>YES. Or no."),
        Reply("[Answer] NO", finish="length"),
        Reply(prompt.system),
        Reply("hm", further=Reply("NO")),
    ]
    votes = [vote_of(read(prompt, answer)) for answer in answers]
    assert votes == ["no answer", "unreadable", NO, "cut off", "cut off", "copied", NO]


@pytest.mark.parametrize(
    ("votes", "decision", "tied"),
    [
        ([YES], YES, False),
        ([YES, NO, YES], YES, False),
        ([YES, NO], UNDECIDED, True),
        ([YES, YES, NO, NO, UNDECIDED], UNDECIDED, True),
        ([UNDECIDED, UNDECIDED, NO], UNDECIDED, False),
        ([NO, "unreadable", "unreadable"], NO, False),
        (["unreadable", "no answer"], None, False),
        ([], None, False),
    ],
)
def test_the_majority_of_what_can_be_read_decides(votes: list[str], decision: Decision | None, tied: bool) -> None:
    result = judgement(votes)  # type: ignore[arg-type]
    assert (result.decision, result.tied) == (decision, tied)
    assert sum(result.votes.values()) == len(votes)


def test_leniency_is_ordered_as_the_law_has_it() -> None:
    assert sorted(Decision, key=DefendantQuestion.BAIL.leniency) == [NO, UNDECIDED, YES]
    # to be held likely to commit another crime is what no defendant wants
    assert sorted(Decision, key=DefendantQuestion.RECIDIVISM.leniency) == [YES, UNDECIDED, NO]


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("Four felonies.\n[Answer] YES", "YES"),
        ("He is young.\nAnswer: NO", "NO"),
        ("I weighed it. This person will likely commit another crime.", "YES"),
        ("I weighed it. This person is unlikely to reoffend.", "NO"),
        ("I weighed it. It is not certain that this person will reoffend.", None),
        ("Will this person commit another crime within the next two years?", None),
        ("I defer to the court.", "UNDECIDED"),
    ],
)
def test_predictions_are_read_where_a_person_would(text: str, decision: str | None) -> None:
    assert PREDICTION.read(text).value == decision
