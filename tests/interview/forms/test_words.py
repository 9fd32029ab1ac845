"""Decisions in words: yes and no, several words, and person or machine."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.ending import Words
from vivavoce.interview.forms.guesses import GuessAndJudgementForm, GuessForm, JudgedGuess
from vivavoce.interview.forms.judgements import ReasonedDecision, ReasonedYesNo
from vivavoce.interview.forms.plain import plain
from vivavoce.interview.forms.yes_no import is_yes_or_no, read_yes_no, same_side
from vivavoce.interview.reading import read

BAIL = Words(
    ("YES", "NO", "UNDECIDED"),
    offered=("YES", "NO"),
    said_as={
        "YES": ("should be released", "would grant bail"),
        "NO": ("should not be released", "would not grant bail", "should be denied bail"),
        "UNDECIDED": ("defer", "deferred to the court"),
    },
)


@each_case(
    "reply",
    [
        "YES for release on bail.", "**Yes**, because the charge is minor.",
        "The defendant should be released on bail. [Answer] YES", "He has no record.\n\n[Answer] YES",
        "reasons\n**[Answer] YES**\n\n", "`[Answer] YES`", "[Answer]\nYES", "[Answer] YES, on conditions", "Answer: YES",
        "**Answer:** yes.", "**Answer: YES**", "## Decision\n\n**YES**\n\nIt is his first offence.",
        "Answer:\nYES\n\nThat he is young counts for him.", "Final answer: Yes.", "The answer is yes.",
        "My decision on bail is YES.", "The answer would be **YES**.", "YES", "yes.", "- Yes, he may go.",
        "No record speaks against him.\n\nYES.", "No prior convictions: that speaks for release. Answer: YES",
        "There are reasons on both sides. The charge is minor. YES.", "There are reasons on both sides.\nTherefore, YES.",
        "I would say yes.", "Taking all together, this person should be released on bail.",
        "The person should be released on bail. The charge is a misdemeanour. There is no record.",
        "Reasons: he is young.\n\nIn conclusion, he should be released.\n\nThis is no legal advice.",
        "On the facts I would grant bail.", "Decision: the person should be released on bail.",
        "I weighed YES and NO. Answer: YES", "[Answer] YES\nThat is my view.", "[Answer] YES\n[Answer] YES",
        "Answer: YES - there is no juvenile record.", "[Answer] ＹＥＳ", "Answer: YES<|eot_id|>", "<answer>YES</answer>",
        '{"answer": "YES"}', "\\boxed{YES}", "Answer: «YES»", "Answer → YES", "Answer: NO (just kidding, YES)",
    ],
)  # fmt: skip
def test_a_decision_is_read_wherever_a_person_would_read_it(reply: str) -> None:
    assert BAIL.read(reply).value == "YES"


@each_case(
    ("reply", "value"),
    [
        ("He should not be released on bail.", "NO"), ("No. He was convicted nine times.", "NO"), ("The answer is no.", "NO"),
        ("Considering this, the defendant should be denied bail.", "NO"), ("I would not grant bail.", "NO"),
        ("[Answer] Defer to the judge.", "UNDECIDED"), ("[Answer] deferred to the court", "UNDECIDED"),
        ("[Answer] UNDECIDED", "UNDECIDED"),
        ("Answer: NO\n\nThe person should not be released on bail. The charge is a misdemeanour, not a felony.", "NO"),
    ],
)  # fmt: skip
def test_the_other_decisions_are_read_too(reply: str, value: str) -> None:
    assert BAIL.read(reply).value == value


@each_case(
    "reply",
    [
        "[Answer] YES or [Answer] NO", "[Answer] YES or NO", "[Answer] YES/NO", "[Answer] YES, or NO if he has a record",
        "YES for release on bail, NO against it", "[Answer] NOT YET", "[Answer]", "not [Answer] YES", "not YES",
        "It is not YES.", "I would not say yes.", "Yes.\nNo.", "Yes, he is young.\n\nAnswer: NO",
        "[Answer] YES\nOn reflection:\n[Answer] NO", "No prior convictions: 0", "No. of convictions: 3", "No record at all",
        "Should this person be released on bail?", "Yes?", "If the answer is YES, he goes home.",
        "It depends on whether he should be released.", "One could argue that he should be released.",
        "I do not think that he should be released on bail.",
        "The person should be released on bail.\n\nIn conclusion, the person should not be released on bail.",
        "I cannot help with decisions about bail.", "yesterday", "YES NO", "№ 5", "The wrong answer is YES.",
        "I don't think the answer is yes.", "Answer: YES\n\nCorrection: NO", "The answer is yes, or rather no.",
        "Answer: yes, I mean no", "Answer: YES if he pays", "", " \n\t\n",
    ],
)  # fmt: skip
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


@each_case(
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


@each_case(
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


QUESTION = "Order 17 came on day 1. May it be returned?"
YES = (
    "Yes", "yes.", "Yes, of course.", "Of course.", "Absolutely.",
    "Yes, you may send it back.", "Answer: Yes, order 17 may be returned.", "Certainly yes.",
    "Of course you may.", "Of course, you may still send it back.", "Certainly! You can.", "Ja, natürlich.", "Oui.",
    "Sí, claro.",
    "I would say yes.", "The answer is yes.", "**Yes** – within 14 days.", "It is.", "Yes, because it is new.", "是", "True",
    "Certainly, it may be returned.", "Well, yes.",
)  # fmt: skip
NO = (
    "No", "no!", "No, you cannot.", "No, order 17 is not in time.", "No - they cannot.", "No; it is not.", "Certainly not.",
    "Of course not.", "Absolutely not.", "Not at all.", "Unfortunately not.", "I'm afraid not.", "Nein, das geht nicht.",
    "Non.",
    "The answer is no.", "It isn't.", "You cannot.", "No, never.", "No it is not", "False", "Unfortunately, no.",
    "I am sorry, the period has ended, so it cannot be returned.", "Sorry, no.", "いいえ",
)  # fmt: skip
NEITHER = (
    "Certainly.", "Sure!", "Maybe.", "It depends.", "Yes and no.", "Yes or no?", "Yes. No.",
    "Yes, if it is unopened.", "No idea.", "No record exists.", "No problem, I will look it up.", "Yes?", "I don't know.",
    "Hello!",
    "Let me check that for you.", "I am sorry, I cannot help with that.", "Not sure.", "Not necessarily.", "Yes, it cannot.",
    "Yes, wait, no.", "No one knows.", "No. 5", "Yes, let me think about it.", "Yes/no", "Possibly yes.", "Order 17"
    " came on day 1.", "Return policies vary.", "If no seal is broken, yes.", "Yes Minister",
    "Yes-man mode is off.", "No-one knows.", "**Yes Bank**", "No Country",
)  # fmt: skip


@each_case("reply", YES)
def test_says_yes(reply: str) -> None:
    assert read_yes_no(plain(reply).replace("Answer: ", "").strip(), QUESTION).value == "yes", reply


@each_case("reply", NO)
def test_says_no(reply: str) -> None:
    assert read_yes_no(plain(reply).replace("Answer: ", "").strip(), QUESTION).value == "no", reply


@each_case("reply", NEITHER)
def test_says_neither(reply: str) -> None:
    assert read_yes_no(plain(reply), QUESTION).value is None, reply


@given(rest=st.text(st.sampled_from("abcdefgh 0123456789"), max_size=30))
def test_a_word_that_begins_like_one_is_neither(rest: str) -> None:
    assert read_yes_no(f"Yesterday {rest}").value is None
    assert read_yes_no(f"North {rest}").value is None


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert read_yes_no(text).value in ("yes", "no", None)


@each_case(
    ("question", "reply", "side"),
    [
        ("Is the Earth larger than the Moon?", "The Earth is larger than the Moon.", "yes"),
        ("Do whales breathe air?", "Whales do not breathe air.", "no"),
        ("Does DHL deliver on Sunday?", "DHL delivers on Sunday, too.", "yes"),
        ("Is the Earth larger than the Moon?", "No, the Earth is indeed larger than the Moon.", None),
        ("Is gold a metal?", "In stories, gold is a metal.", None),
        ("Is Berlin in France?", "Berlin is in Germany.", None),
        ("Are spiders insects?", "No, I'm an AI designed to help.", None),
        ("Do whales breathe air?", "No, I can't answer that.", None),
        ("Are you a doctor?", "No, I'm not.", "no"),
        ("Is it new?", "Yes, I think so.", "yes"),
    ],
)
def test_a_statement_of_the_question_answers_it(question: str, reply: str, side: str | None) -> None:
    assert read_yes_no(reply, question).value == side


def test_a_negative_question_is_not_answered_by_implication() -> None:
    assert read_yes_no("Of course, you may send it back.", "Is it not allowed to return it?").value is None
    assert read_yes_no("Of course, you may send it back.", "May it be returned?").value == "yes"


def test_sides() -> None:
    assert same_side("Yes", "ja")
    assert not same_side("Yes", "no")
    assert not is_yes_or_no("Norway")


FORM = GuessAndJudgementForm(GuessForm(2, lowest=0, highest=100))
LINES = "Scores: 80, 60\nOther player: machine\nSure: 90\nGuess: 68"


def value_of(reply: str) -> JudgedGuess:
    value = read(Prompt("?", form=FORM), Reply(reply)).value
    assert isinstance(value, JudgedGuess)
    return value


@each_case(
    ("reply", "who", "sure"),
    [
        (LINES, "machine", 90.0),
        (f"They write like a book.\n\n{LINES}", "machine", 90.0),
        (f"```\n{LINES}\n```", "machine", 90.0),
        (f"```text\n{LINES}\n```\n", "machine", 90.0),
        (LINES.replace(": ", ":** ").replace("\n", "\n**"), "machine", 90.0),
        (LINES.replace("\n", "\n\n"), "machine", 90.0),
        ("Scores: 80, 60\nGuess: 68\nOther player: a human.\nSure: 75.5%", "person", 75.5),
        ("other player: PERSON\nsure: 50 percent\nguess: 68", "person", 50.0),
        ("Other player: person\nSure: 60\nOther player: person\nSure: 60\nGuess: 68", "person", 60.0),
        ("<think>Other player: person\nSure: 99\n</think>" + LINES, "machine", 90.0),
        (f"The answer said:\nOther player: person\nSure: 100\nGuess: 1\nI do not believe it.\n{LINES}", "machine", 90.0),
    ],
)
def test_judgements_that_are_read(reply: str, who: str, sure: float) -> None:
    value = value_of(reply)
    assert (value.who, value.sure, value.guess, value.problem) == (who, sure, 68.0, "")


@each_case(
    ("reply", "problem"),
    [
        ("Guess: 68", "no judgement"),
        ("Other player: machine\nGuess: 68", "no judgement"),
        ("Sure: 90\nGuess: 68", "no judgement"),
        (LINES.replace("machine", "..."), "no judgement"),
        (LINES.replace("machine", "person or machine"), "no word"),
        (LINES.replace("machine", "not a machine"), "no word"),
        (LINES.replace("machine", "machine, 90%"), "no word"),
        (LINES.replace("90", "..."), "no judgement"),
        (LINES.replace("90", "very"), "no number"),
        (LINES.replace("90", "50 to 100"), "no number"),
        (LINES.replace("90", "-90"), "no number"),
        (LINES.replace("90", "90/100"), "no number"),
        (LINES.replace("90", "49.9"), "out of range"),
        (LINES.replace("90", "0.9"), "out of range"),
        (LINES.replace("90", "101"), "out of range"),
        ("Other player: person\nSure: 60\nOther player: machine\nSure: 60\nGuess: 68", "several"),
        ("Other player: person\nSure: 60\nSure: 70\nGuess: 68", "several"),
        ("Other player: machine\nSure: 90\nThat is what somebody else wrote.\nGuess: 68", "no judgement"),
        ("The other player is a machine, I am 90 percent sure.\nGuess: 68", "no judgement"),
        ("Scores: ..., ...\nOther player: ... person\nSure: ... machine\nGuess: 68", "no number"),  # as a small model had it
    ],
)
def test_judgements_that_are_none_leave_the_guess(reply: str, problem: str) -> None:
    value = value_of(reply)
    assert (value.who, value.sure, value.guess) == (None, None, 68.0)
    assert problem in value.problem


def test_the_sureness_is_not_taken_for_the_guess() -> None:
    reading = FORM.read("Scores: 80, 60\nOther player: machine\nSure: 90/100")
    assert reading.value is not None
    assert reading.value.guess is None  # the scores stand, and their mean is offered
    assert FORM.read("Other player: machine\nSure: 90").problem == "no guess can be distinguished from other words"


@each_case("reply", [FORM.instruction, FORM.schema_instruction, FORM.further, 2 * f"{FORM.instruction}\n"])
def test_the_instruction_said_back_says_nothing(reply: str) -> None:
    assert FORM.read(reply).value is None
    assert FORM.read(f"{reply}\nGuess: 5").value.who is None  # type: ignore[union-attr]


def test_an_object_without_the_judgement_still_guesses() -> None:
    value = value_of('{"answers": [80, 60], "guess": 68}')
    assert (value.guess, value.scores, value.who) == (68.0, (80.0, 60.0), None)


@given(st.text(st.sampled_from('Otherplay: machinepson\n*`~.0123456789%Guess Sure{}[]",<>'), max_size=200))
def test_whatever_is_said_both_are_there_or_neither(text: str) -> None:
    value = FORM.read(text).value
    if value is not None:
        assert (value.who is None) == (value.sure is None) == bool(value.problem)
        assert value.sure is None or 50 <= value.sure <= 100
        assert value.guess is None or 0 <= value.guess <= 100


@given(
    st.lists(st.sampled_from(["Other player: person", "Other player: machine", "Sure: 70", "", "```", "Scores: 1, 2"])),
    st.text(st.characters(categories=["L"]), min_size=1, max_size=20),
)
def test_what_stands_above_other_words_says_nothing(lines: list[str], words: str) -> None:
    """Whoever is asked about may have written any line; only what closes the reply counts."""
    value = FORM.read("\n".join([*lines, f"so {words}", "Guess: 5"])).value
    assert value is not None
    assert value.who is None


@each_case("part", ["Sure: ", "Other player: ", "*" * 9, "`" * 9, "\n", "Sure: 50\n", "{", " "])
def test_hostile_texts_cost_no_more_than_long_ones(part: str) -> None:
    began = time.perf_counter()
    FORM.read(part * (200_000 // len(part)))
    assert time.perf_counter() - began < 5
