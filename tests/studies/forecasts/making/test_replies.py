import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.formats.wording import QUOTED
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import READ
from vivavoce.interview.forms.prose import BOTH, Proposals
from vivavoce.studies.forecasting.making.making import (
    VERDICT,
    CheckerVerdict,
    RejectionReason,
    WrittenStatements,
    fault_in,
    verdict_in,
    written_in,
)

GOOD = "Will it stay dry?"


def read_statements(answer: Reply | NoAnswer, names: list[str]) -> WrittenStatements:
    return written_in(Prompt("Write.", form=Proposals(tuple(names))), answer)


def read_verdict(answer: Reply | NoAnswer) -> CheckerVerdict:
    return verdict_in(Prompt("Check.", form=VERDICT), answer)


@each_case(
    "reply",
    [
        f"[Statement not_P] {GOOD}",
        f"Some thought [not_P].\n\n**[Statement not_P]** {GOOD}\n",
        f"- [statement not_P]: “{GOOD}”\r\nDone.",
        f'> [Statement not_P] **"{GOOD}"**',
        f"[Statement P] Will it rain?\n[Statement not_P] {GOOD}",
        f"[Statement not_P] {GOOD}\nAgain:\n[Statement not_P] {GOOD}",
    ],
)
def test_statements_are_read_from_marked_lines(reply: str) -> None:
    written = read_statements(Reply(reply), ["not_P"])
    assert (written.statements, written.fault) == ({"not_P": GOOD}, None)


@pytest.mark.parametrize("text", ['""Is it so?"', '"Yes" or "no"', "«Yes» or «no»"])
def test_quotation_marks_that_are_not_around_the_whole_stay(text: str) -> None:
    assert read_statements(Reply(f"[Statement not_P] {text}"), ["not_P"]).statements == {"not_P": text}


@each_case(
    ("answer", "kind"),
    [
        (NoAnswer("time-out after 120 s"), RejectionReason.NO_ANSWER),
        (Reply("I'm sorry, I can't."), RejectionReason.REFUSED),
        (Reply("I’m unable to do that."), RejectionReason.REFUSED),
        (Reply("", finish="content_filter"), RejectionReason.REFUSED),
        (Reply("[Cannot] P is two questions."), RejectionReason.DECLINED),
        (Reply(f"[Statement not_P] {GOOD}\n[Cannot] Really."), RejectionReason.UNREADABLE),
        (Reply(""), RejectionReason.UNREADABLE),
        (Reply(GOOD), RejectionReason.UNREADABLE),
        (Reply(f"[not_P] {GOOD}"), RejectionReason.UNREADABLE),
        (Reply(f"The line [Statement not_P] {GOOD}"), RejectionReason.UNREADABLE),
        (Reply("[Statement not_Q] Will it?"), RejectionReason.UNREADABLE),
        (Reply("[Statement not", finish="length"), RejectionReason.CUT_OFF),
        (Reply(f"[Statement not_P] {GOOD}\n[Statement not_P] Will it snow?"), RejectionReason.UNREADABLE),
    ],
)
def test_what_is_no_statement_has_its_kind(answer: Reply | NoAnswer, kind: RejectionReason) -> None:
    fault = read_statements(answer, ["not_P"]).fault
    assert fault is not None
    assert fault.kind is kind


def test_a_statement_that_is_missing_among_several_is_named() -> None:
    written = read_statements(Reply("[Statement P_and_Q] Both?"), ["P_and_Q", "P_or_Q"])
    assert "P_or_Q" in str(written.fault)


@each_case(
    ("reply", "passed"),
    [
        ("[Verdict] yes", True),
        ("Reason: So it is.\nAnswer: YES", True),
        ('{"reason": "So it is.", "verdict": "YES"}', True),
        ("Yes, they are opposites.", True),
        ("[Verdict]: **no**\n[Reason] The year differs.", False),
        ("[Verdict] yes\nOr:\n[verdict] YES", True),
    ],
)
def test_verdicts(reply: str, passed: bool) -> None:
    verdict = read_verdict(Reply(reply))
    assert verdict.passed is passed
    assert verdict.fault is (None if passed else RejectionReason.CHECK_FAILED)


@each_case("reply", ["", "[Verdict]", "[Verdict] maybe", "[Verdict] yes and no", "[Verdict] yes\n[Verdict] no"])
def test_a_verdict_that_is_none_does_not_pass(reply: str) -> None:
    assert read_verdict(Reply(reply)).fault is RejectionReason.CHECK_UNREADABLE
    assert read_verdict(NoAnswer("time-out")).fault is RejectionReason.CHECK_NO_ANSWER


@given(st.text() | st.text(alphabet='[]Statementno_PVrdicysRa \n*_>#-:"“”', max_size=300))
def test_any_reply_is_read_one_way_or_the_other(text: str) -> None:
    written = read_statements(Reply(text), ["not_P"])
    assert (written.fault is None) == (set(written.statements) == {"not_P"} and "[cannot]" not in text.lower())
    verdict = read_verdict(Reply(text))
    assert verdict.passed == (verdict.fault is None)
    assert len(verdict.reason) <= QUOTED + 1


@each_case(
    "piece",
    ["[Statement ", "*_" * 50, "> " * 50, "[Statement not_P]\n", "[Verdict] " + "y" * 50, " " * 100, "[Reason]\t", "\r"],
)
def test_a_hostile_reply_costs_no_more_than_a_long_one(piece: str) -> None:
    reply = Reply(piece * (2_000_000 // len(piece)))
    began = time.process_time()
    read_statements(reply, ["not_P"])
    read_verdict(reply)
    assert time.process_time() - began < 10  # backtracking would take hours


def test_only_the_end_of_a_reply_is_looked_at() -> None:
    assert read_statements(Reply(f"[Statement not_P] {GOOD}" + "\nx" * READ), ["not_P"]).fault is not None


@each_case(
    ("statements", "kind"),
    [
        ({"P": "Will it?", "not_P": ""}, RejectionReason.EMPTY),
        ({"P": "Will it?", "not_P": "\t "}, RejectionReason.EMPTY),
        ({"P": "Will it?", "not_P": "Will it" + " " * 2000 + "not?"}, RejectionReason.TOO_LONG),
        ({"P": "Will it?", "not_P": "“WILL  IT” ?"}, RejectionReason.COPY),
        ({"P": "Will it?", "not_P": "It will not."}, RejectionReason.NO_QUESTION),
        ({"P": "Will it?", "not_P": "Will it \x1b[2J not?"}, RejectionReason.UNSHOWABLE),
        ({"P": "Will it?", "not_P": "Will it \u202e not?"}, RejectionReason.UNSHOWABLE),
    ],
)
def test_faults_that_are_seen_without_a_model(statements: dict[str, str], kind: RejectionReason) -> None:
    fault = fault_in(statements, ["not_P"])
    assert fault is not None
    assert fault.kind is kind


def test_signs_and_numbers_make_another_statement() -> None:
    assert fault_in({"P": "Below -5?", "Q": "Below 5?", "R": "Below 5.1?", "S": "Below 51?"}, "PQRS") is None
    assert fault_in({"P": "Silver closes above 30."}) is None, "base questions are taken as they are"


def test_a_statement_beside_why_there_is_none_is_neither() -> None:
    """A real model filled every field: what it wrote, and that it cannot be written."""
    form = Proposals(("not_P",))
    assert form.read_fields({"not_P": "Will it stay dry? [Cannot] It is about logic."}).problem == BOTH
    assert form.read("[Statement not_P] Will it stay dry?\n[Cannot] It is about logic.").problem == BOTH
    declined = form.read_fields({"not_P": "[Cannot] It is about logic."}).value
    assert declined is not None
    assert declined.declined == "It is about logic."


def test_an_answer_is_no_statement() -> None:
    assert (
        Proposals(("P_and_Q",)).read("[Statement P_and_Q] No, both cannot be.").problem == "an answer in place of a statement"
    )
    assert Proposals(("not_P",)).read("[Statement not_P] No rain falls in Oslo?").value is not None
