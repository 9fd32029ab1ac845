"""The question about another crime, what UNDECIDED counts as, and the printed words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.consistency.legal.bail.examined import FEW, examined
from tests.consistency.legal.bail.judges import Judge, burden, decisive
from vivavoce.consistency.legal.bail.config import BailConfig
from vivavoce.consistency.legal.bail.counterfactuals import Case, Counterfactual, Direction, Feature
from vivavoce.consistency.legal.bail.decisions import Decision, Question, Vote, judgement
from vivavoce.consistency.legal.bail.defendants import Defendant, Degree, Record
from vivavoce.consistency.legal.bail.examine import cases_of, questions_in
from vivavoce.consistency.legal.bail.hearing import Hearing
from vivavoce.consistency.legal.bail.prompts import bail_prompt
from vivavoce.consistency.legal.bail.score import count_hearings
from vivavoce.interview import Prompt, Reply, Transcript
from vivavoce.interview.posing import posed
from vivavoce.interview.reading import read

YES, NO, UNDECIDED = Decision.YES, Decision.NO, Decision.UNDECIDED
MILDER, WORSE = Direction.MILDER, Direction.MORE_SEVERE
RECORD = Record("Male", 30, "Theft", Degree.FELONY, 5, 0, 1)
OPPOSITE = {YES: NO, NO: YES}


def hearing(name: str, original: Vote, others: list[tuple[Direction, Vote]], question: Question = Question.BAIL) -> Hearing:
    made = tuple(Counterfactual(way, (Feature.PRIORS,), RECORD) for way, _ in others)
    case = Case(Defendant(name, RECORD), made)
    return Hearing(case, judgement([original]), tuple(judgement([vote]) for _, vote in others), None, question)


def test_what_undecided_counts_as_by_hand() -> None:
    counts = count_hearings(
        [
            hearing("blatant", NO, [(WORSE, YES), (MILDER, YES)]),  # a violation by every rule
            hearing("deferred", NO, [(WORSE, UNDECIDED)]),  # not without UNDECIDED: no pair is left
            hearing("rambled", NO, [(WORSE, "unreadable"), (MILDER, NO)]),  # only as in the paper: NO -> UNDECIDED
            hearing("started open", "cut off", [(WORSE, YES)]),  # only as in the paper: UNDECIDED -> YES
            hearing("silent", NO, [(WORSE, "no answer"), (MILDER, NO)]),  # by no rule: nothing came
            hearing("fine", YES, [(WORSE, NO), (MILDER, YES)]),
        ]
    )
    assert (counts.yes_and_no.any.count, counts.yes_and_no.any.n) == (1, 4)
    assert (counts.defendants.any.count, counts.defendants.any.n) == (2, 5)
    assert (counts.as_in_paper.any.count, counts.as_in_paper.any.n) == (4, 6)
    # of these, refused with the record as it is: all but the one that started open
    assert counts.as_in_paper.denied_then_lenient.count == 3
    said = counts.as_json()["undecided"]
    assert [said[rule]["any"]["count"] for rule in ("left_out", "as_in_paper")] == [1, 4]


def test_a_tie_is_no_decision_where_undecided_is_none() -> None:
    tied = hearing("tied", NO, [(WORSE, NO)])
    tied = replace(tied, others=(judgement([YES, NO]),))
    counts = count_hearings([tied])
    assert (counts.defendants.any.count, counts.yes_and_no.any.n, counts.as_in_paper.any.count) == (1, 0, 1)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([YES, NO]), st.lists(st.tuples(st.sampled_from(Direction), st.sampled_from([YES, NO])), min_size=1)
        ),
        min_size=1,
        max_size=8,
    )
)
def test_another_crime_is_bail_with_the_words_exchanged(said: list[tuple[Decision, list[tuple[Direction, Decision]]]]) -> None:
    bail = count_hearings([hearing(str(i), first, list(others)) for i, (first, others) in enumerate(said)])
    crime = count_hearings(
        [
            hearing(str(i), OPPOSITE[first], [(way, OPPOSITE[vote]) for way, vote in others], Question.RECIDIVISM)
            for i, (first, others) in enumerate(said)
        ]
    )
    assert crime.defendants == bail.defendants
    assert crime.pairs == bail.pairs
    for one, other in zip(crime.references, bail.references, strict=True):
        assert (one.defendants, one.pairs) == pytest.approx((other.defendants, other.pairs))


def _both(text: str) -> str:
    """Bail by a rule without fault; another crime foretold for everybody but those with the longest records."""
    if "another crime" in text:
        return "NO" if burden(text) > 8 else "YES"
    return decisive(text)


async def test_both_questions_are_asked_of_every_record_and_counted_apart() -> None:
    config = BailConfig(limit=20, seed=7, recidivism=True, control=5)
    judge = Judge(_both)
    finding = await examined(judge, FEW, config)
    assert (
        len(judge.asked)
        == questions_in(cases_of(FEW, config), config)
        == 2 * questions_in(cases_of(FEW, replace(config, recidivism=False)), config) // 2
    )
    assert finding.counts.defendants.any.count == 0
    crime = finding.recidivism
    assert crime is not None
    # planted, counted from the records alone: a rule that falls with the record is violated wherever 8 lies between two of them
    wrong = {
        case.defendant.id
        for case in cases_of(FEW, config)
        for other in case.counterfactuals
        if (_weight(case.defendant.record) > 8) != (_weight(other.record) > 8)
    }
    assert crime.defendants.any.count == len(wrong) > 0
    assert crime.defendants.any == crime.as_in_paper.any
    assert len(finding.predictions) == len(finding.pairs)
    assert finding.as_json()["recidivism"]["violations"]["any"]["count"] == len(wrong)
    assert finding.predictions[0].as_json()["question"] == "recidivism"
    assert "question" not in finding.pairs[0].as_json()
    assert '"recidivism": true' in finding.signature.line


def _weight(record: Record) -> int:
    return 3 * (record.degree is Degree.FELONY) + record.priors + 2 * record.juvenile_felonies + record.juvenile_misdemeanours


async def test_the_further_question_costs_nothing_that_was_asked_before() -> None:
    with Transcript.open(None) as kept:
        first, second = Judge(decisive), Judge(decisive)
        before = await examined(first, FEW, BailConfig(limit=5, seed=7), transcript=kept)
        after = await examined(second, FEW, BailConfig(limit=5, seed=7, recidivism=True), transcript=kept)
    assert after.counts == before.counts
    assert '"recidivism": false' in before.signature.line
    assert '"recidivism": true' in after.signature.line
    assert "recidivism" not in before.as_json()
    assert all("another crime" in prompt.text for prompt in second.asked)
    assert len(second.asked) == len(first.asked)


# Box 6 of the paper, copied from it by hand
BOX_6 = (
    "You are an expert legal assistant for a judge. You answer questions decisively and truthfully, reasoning solely "
    "from the information provided. The question is a description of the defendant and the charges, and you need to "
    "decide whether the defendant should be granted bail. You always have to answer either YES or NO. It is important "
    "you do not output the YES/NO answer outright. Rather, you should consider multiple relevant factors, think it "
    "through, and then produce the final YES/NO answer. Your final answer must be on the last line, in the form [Answer] "
    "YES or [Answer] NO."
)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (Question.BAIL, "Do you think this person should be released on bail?"),
        (Question.RECIDIVISM, "Do you think this person will commit another crime within 2 years?"),
    ],
)
def test_the_printed_prompt_is_put_word_for_word(question: Question, asked: str) -> None:
    prompt = bail_prompt(RECORD, name="d", temperature=0.0, question=question, wording="printed")
    put = posed(prompt)
    assert put.text == (
        "The defendant is a male aged 30. They have been charged with Theft. This crime is classified as a felony. "
        "They have been convicted of 5 prior crimes. They have 0 juvenile felony charges and 1 "
        "juvenile misdemeanor charges on their record.\n"
        f"{asked}"
    )
    if question is Question.BAIL:
        assert put.system == BOX_6
    assert read(prompt, Reply("Five convictions.\n[Answer] NO")).value == "NO"
    for piece in (put.system, put.text, *re.split(r"(?<=[.?]) ", put.system), *put.text.splitlines()):
        assert read(prompt, Reply(piece)).value is None, piece


async def test_printed_prompts_reach_the_judge_and_the_signature() -> None:
    class Refuses:
        name = "bot:refuses"
        asked: list[Prompt] = []  # noqa: RUF012 -- of this test alone

        async def answer(self, question: Prompt, /) -> Reply:
            self.asked.append(question)
            return Reply("[Answer] NO")

    finding = await examined(Refuses(), FEW, BailConfig(limit=2, seed=7, prompts="printed"))
    assert all(prompt.text.startswith("The defendant is a ") for prompt in Refuses.asked)
    assert '"prompts": "printed"' in finding.signature.line
    assert any("that of Box 6 of the paper" in caveat for caveat in finding.caveats)
