"""Decisions as models write them, and what looks like one and is none."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.interview.forms.judgements import ReasonedDecision, ReasonedYesNo
from vivavoce.interview.forms.words import Words

BAIL = Words(
    ("YES", "NO", "UNDECIDED"),
    offered=("YES", "NO"),
    said_as={
        "YES": ("should be released", "would grant bail"),
        "NO": ("should not be released", "would not grant bail", "should be denied bail"),
        "UNDECIDED": ("defer", "deferred to the court"),
    },
)


@pytest.mark.parametrize(
    "reply",
    [
        "YES for release on bail.",
        "**Yes**, because the charge is minor.",
        "The defendant should be released on bail. [Answer] YES",
        "He has no record.\n\n[Answer] YES",
        "reasons\n**[Answer] YES**\n\n",
        "`[Answer] YES`",
        "[Answer]\nYES",
        "[Answer] YES, on conditions",
        "Answer: YES",
        "**Answer:** yes.",
        "**Answer: YES**",
        "## Decision\n\n**YES**\n\nIt is his first offence.",
        "Answer:\nYES\n\nThat he is young counts for him.",
        "Final answer: Yes.",
        "The answer is yes.",
        "My decision on bail is YES.",
        "The answer would be **YES**.",
        "YES",
        "yes.",
        "- Yes, he may go.",
        "No record speaks against him.\n\nYES.",
        "No prior convictions: that speaks for release. Answer: YES",
        "There are reasons on both sides. The charge is minor. YES.",
        "There are reasons on both sides.\nTherefore, YES.",
        "I would say yes.",
        "Taking all together, this person should be released on bail.",
        "The person should be released on bail. The charge is a misdemeanour. There is no record.",
        "Reasons: he is young.\n\nIn conclusion, he should be released.\n\nThis is no legal advice.",
        "On the facts I would grant bail.",
        "Decision: the person should be released on bail.",
        "I weighed YES and NO. Answer: YES",
        "[Answer] YES\nThat is my view.",
        "[Answer] YES\n[Answer] YES",
        "Answer: YES - there is no juvenile record.",
        "[Answer] ＹＥＳ",
        "Answer: YES<|eot_id|>",
        "<answer>YES</answer>",
        '{"answer": "YES"}',
        "\\boxed{YES}",
        "Answer: «YES»",
        "Answer → YES",
        "Answer: NO (just kidding, YES)",
    ],
)
def test_a_decision_is_read_wherever_a_person_would_read_it(reply: str) -> None:
    assert BAIL.read(reply).value == "YES"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("He should not be released on bail.", "NO"),
        ("No. He was convicted nine times.", "NO"),
        ("The answer is no.", "NO"),
        ("Considering this, the defendant should be denied bail.", "NO"),
        ("I would not grant bail.", "NO"),
        ("[Answer] Defer to the judge.", "UNDECIDED"),
        ("[Answer] deferred to the court", "UNDECIDED"),
        ("[Answer] UNDECIDED", "UNDECIDED"),
        ("Answer: NO\n\nThe person should not be released on bail. The charge is a misdemeanour, not a felony.", "NO"),
    ],
)
def test_the_other_decisions_are_read_too(reply: str, value: str) -> None:
    assert BAIL.read(reply).value == value


@pytest.mark.parametrize(
    "reply",
    [
        "[Answer] YES or [Answer] NO",
        "[Answer] YES or NO",
        "[Answer] YES/NO",
        "[Answer] YES, or NO if he has a record",
        "YES for release on bail, NO against it",
        "[Answer] NOT YET",
        "[Answer]",
        "not [Answer] YES",
        "not YES",
        "It is not YES.",
        "I would not say yes.",
        "Yes.\nNo.",
        "Yes, he is young.\n\nAnswer: NO",
        "[Answer] YES\nOn reflection:\n[Answer] NO",
        "No prior convictions: 0",
        "No. of convictions: 3",
        "No record at all",
        "Should this person be released on bail?",
        "Yes?",
        "If the answer is YES, he goes home.",
        "It depends on whether he should be released.",
        "One could argue that he should be released.",
        "I do not think that he should be released on bail.",
        "The person should be released on bail.\n\nIn conclusion, the person should not be released on bail.",
        "I cannot help with decisions about bail.",
        "yesterday",
        "YES NO",
        "№ 5",
        "The wrong answer is YES.",
        "I don't think the answer is yes.",
        "Answer: YES\n\nCorrection: NO",
        "The answer is yes, or rather no.",
        "Answer: yes, I mean no",
        "Answer: YES if he pays",
        "",
        " \n\t\n",
    ],
)
def test_what_is_no_decision_is_read_as_none(reply: str) -> None:
    assert BAIL.read(reply).value is None


def test_only_the_line_that_was_asked_for_is_strict() -> None:
    assert BAIL.read("He is young.\nAnswer: NO").strict
    assert not BAIL.read("No.").strict


@given(st.sampled_from(["YES", "NO", "UNDECIDED"]), st.text(max_size=200))
def test_a_word_in_its_line_is_read_or_contradicted_but_never_another(value: str, before: str) -> None:
    read = BAIL.read(f"{before}\n{BAIL.write(value)}").value
    assert read in (value, None)
    assert BAIL.read(BAIL.write(value)).value == value


@given(st.text(max_size=500))
def test_nothing_is_read_from_words_that_hold_none_of_them(text: str) -> None:
    held = unicodedata.normalize("NFKC", text.replace("№", "")).casefold()
    if not any(word in held for word in ("yes", "no", "undecided", "defer", "release", "bail")):
        assert BAIL.read(text).value is None


@given(st.sampled_from(["YES", "NO"]), st.text(st.characters(codec="ascii"), max_size=80))
def test_the_schema_is_read_as_it_is(value: str, reasoning: str) -> None:
    assert BAIL.read_fields({"reasoning": reasoning, "answer": value}).value == value
    assert BAIL.read_fields({"reasoning": value, "answer": reasoning}).value in (None, reasoning.strip().upper())


@pytest.mark.parametrize(
    ("before", "piece", "times", "after"),
    [
        ("", "*", 2_000_000, "x"),
        ("", "[Answer]", 200_000, "x"),
        ("[answer] no", "_ ", 900_000, "x"),
        ("", "\n", 2_000_000, "x"),
        ("", "answer is ", 200_000, "x"),
        ("", "not a ", 300_000, "YESx"),
        ("", "yes. ", 400_000, "x"),
        ("", "therefore should be released ", 70_000, "x"),
        ("", "- ", 900_000, "x"),
    ],
)
def test_hostile_replies_cost_no_time(before: str, piece: str, times: int, after: str) -> None:
    hostile = before + piece * times + after
    began = time.process_time()
    BAIL.read(hostile)
    assert time.process_time() - began < 10  # backtracking would take hours


@pytest.mark.parametrize(
    ("reply", "judged"),
    [
        ("Reason: The year differs.\nAnswer: NO", ReasonedDecision(False, "The year differs.")),
        ("Reason: No date is missing.\nAnswer: YES", ReasonedDecision(True, "No date is missing.")),
        ("**Reason:** Yes, the same.\n\n**Answer:** NO", ReasonedDecision(False, "Yes, the same.")),
        ("[Verdict] no\n[Reason] The year differs.", ReasonedDecision(False, "The year differs.")),
        ("Yes. Both say the same.", ReasonedDecision(True)),
        ("Verdict: yes", ReasonedDecision(True)),
        ("Reason: Yes, they are.", None),
        ("[Verdict] yes or no\n[Reason] one sentence", None),
        ("[Verdict] yes\n[Verdict] no", None),
        ("They are alike.", None),
    ],
)
def test_a_verdict_is_read_with_its_reason(reply: str, judged: ReasonedDecision | None) -> None:
    assert ReasonedYesNo().read(reply).value == judged


@given(st.booleans(), st.text(st.characters(codec="ascii", exclude_characters="\r\n\x0b\x0c\x1c\x1d\x1e\x1f"), max_size=80))
def test_a_verdict_is_read_as_it_is_written(passed: bool, reason: str) -> None:
    judged = ReasonedDecision(passed, reason.strip(" *_`\t:"))
    assert ReasonedYesNo().read(ReasonedYesNo().write(judged)).value in (judged, ReasonedDecision(passed, judged.reason))


@pytest.mark.parametrize("form", [BAIL, ReasonedYesNo(), Words(("SAME", "DIFFERENT"))])
def test_no_instruction_said_back_is_a_decision(form: Words | ReasonedYesNo) -> None:
    for text in (form.instruction, form.schema_instruction, form.further):
        for piece in (text, *text.split("\n"), *text.split(". ")):
            assert form.read(piece).value is None, piece
