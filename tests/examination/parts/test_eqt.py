"""The test for a fault of questions on own explanations: what counts, and its p-value by hand."""

from __future__ import annotations

import pytest

from vivavoce.eqt.eqt_finding import finding_of
from vivavoce.eqt.record import ROLES, Concept, ConceptRecord, EqtConfig, EqtRecord, ParsedAnswer, Phrasing, QuestionRecord
from vivavoce.eqt.score import score
from vivavoce.examination.part import Claim
from vivavoce.examination.parts.eqt import EqtPart
from vivavoce.interview.forms.written_question import MultipleChoice

UNREAD = ParsedAnswer(None, "unreadable", "no option named")
TREES = ["oak", "elm", "ash", "fir", "yew", "fig", "bay", "box", "may", "tea"]


def claim_of(answers: str, *, spoiled: int = 0) -> Claim:
    """Ten questions with an answer each: right (r), wrong (w), unparsed (?); the keys of some are not reproduced."""
    items = []
    for number, (tree, answer) in enumerate(zip(TREES, answers, strict=True)):
        right, wrong = (ParsedAnswer(frozenset({(number + other) % 2}), "strict") for other in (0, 1))
        assert right.chosen is not None
        asked = f"Which of these does {tree} have?"
        items.append(
            QuestionRecord(
                number=number + 1,
                kind="definition",
                question=MultipleChoice(asked, (f"{tree} 1", f"{tree} 2"), right.chosen),
                parse="strict",
                phrasings=(Phrasing(asked, {"r": right, "w": wrong, "?": UNREAD}[answer]),),
                open_book=right,
                key_check=wrong if number < spoiled else right,
                self_contained=True,
            )
        )
    concept = ConceptRecord(Concept("Trees", "math"), "A tree is a graph.", "", tuple(items))
    config = EqtConfig(questions=10, paraphrases=0, options=2)
    [claim] = EqtPart().claims(
        finding_of([score(EqtRecord(dict.fromkeys(ROLES, "test:x"), config, (concept,), 1, 1, 1, 1, 0.0))])
    )
    return claim


def test_fewer_than_half_right_is_a_fault() -> None:
    fault = claim_of("wwwwwwwwwr").fault
    assert fault is not None
    assert fault.words == "answering questions on its own explanations: it answers 1 of 10 without the explanations"
    assert fault.p == pytest.approx(11 / 1024)  # nine or ten of ten coins


def test_unparsed_answers_and_faulty_questions_do_not_count_against_it() -> None:
    unread, spoiled = claim_of("wwwwwww??r").fault, claim_of("wwwwwwwwwr", spoiled=3).fault
    assert unread is not None
    assert unread.p == pytest.approx(176 / 1024)  # seven or more of ten coins
    assert spoiled is not None
    assert spoiled.p == pytest.approx(8 / 128)  # six or seven of seven coins


def test_without_a_valid_question_nothing_is_tested() -> None:
    assert claim_of("w" * 10, spoiled=10).fault is None
