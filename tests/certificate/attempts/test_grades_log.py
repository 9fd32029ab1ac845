"""The grades of an attempt stand on record, say nothing of what was asked, and give the certificate's figures again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import Expert, TalksFirst, certified, contradicts, interview, pairs, scope
from tests.certificate.design.test_designs import AllButC, in_categories, weighted
from tests.certificate.graders.graded import essays, judge, people
from tests.each_case import each_case
from vivavoce.certificate.attempts import log
from vivavoce.certificate.attempts.attempt import AttemptTerms
from vivavoce.certificate.attempts.grades_log import (
    Gradebook,
    GradedUnit,
    Grades,
    PeopleGrade,
    RecordedGrades,
    grades_taken,
    people_of,
    read_grades,
    unlike,
    write_grades,
)
from vivavoce.certificate.attempts.log import attempts
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.design.drawing import AsDrawn, Endurance
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.people import People
from vivavoce.certificate.graders.rule_grading import ByRule
from vivavoce.errors import BadInput, OtherTerms, TranscriptDamaged
from vivavoce.examination.recheck.attempt import RECOMPUTED, recomputed
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.record import Entry, Record, digest_of
from vivavoce.interview.requests import Notation
from vivavoce.interview.scope import Grade
from vivavoce.interview.sealed_transcript import read_sealed, write_sealed
from vivavoce.interview.transcript import Transcript

AT = "2025-06-01T12:00:00+00:00"
GRADE_ONLY = Criterion(0.7, None)
STRICT = Criterion(0.7, 0.05)


class MumblingExpert(Expert):
    """Every fifth reply cannot be read, every seventh does not come."""

    async def answer(self, prompt: Prompt, /) -> Reply:
        if int(prompt.id.partition(".")[0]) % 5 == 4:
            return Reply("Who knows what that is about?")
        return await super().answer(prompt)


Examination = Callable[[Transcript], Coroutine[Any, Any, Certificate]]


def plain(
    candidate: Any, size: int, criterion: Criterion, copies: int = 1, questions: int | None = None, **composed: Any
) -> Examination:
    asked = scope(size, copies=copies, unacceptable=criterion is STRICT)
    composition = Composition(**composed)
    return lambda transcript: certify(
        interview(candidate, transcript=transcript), asked, criterion, composition, questions=questions, seed=1
    )


def in_strata(size: int, weight: float = 1.0) -> Examination:
    listed = in_categories(size, weight)
    return lambda transcript: certify(
        interview(AllButC(1.0), transcript=transcript), listed, GRADE_ONLY, Composition("strata"), seed=1
    )


def evenly(transcript: Transcript) -> Coroutine[Any, Any, Certificate]:
    return certify(interview(MumblingExpert(0.9), transcript=transcript), weighted(100), STRICT, Composition("weights"), seed=1)


def in_clusters_of_weights(transcript: Transcript) -> Coroutine[Any, Any, Certificate]:
    questions = scope(90, copies=2).questions
    asked = replace(scope(90, copies=2), questions=tuple(replace(q, weight=1.0 + i % 3) for i, q in enumerate(questions)))
    return certified(Expert(0.9), asked, GRADE_ONLY, seed=1, transcript=transcript)


def lawful(transcript: Transcript) -> Coroutine[Any, Any, Certificate]:
    return certified(contradicts(1, 4), pairs(40), Criterion(0.7, 0.001), seed=1, transcript=transcript)


def of_partial_scores(transcript: Transcript) -> Coroutine[Any, Any, Certificate]:
    questions = tuple(replace(question, scores=(("A", 1.0), ("B", 0.5))) for question in scope(200).questions)
    asked = replace(scope(200), questions=questions)
    return certified(Expert(0.9), asked, GRADE_ONLY, seed=1, transcript=transcript)


def on_budget(transcript: Transcript) -> Coroutine[Any, Any, Certificate]:
    asked = interview(Expert(0.75), transcript=transcript, budget=Budget(questions=13))
    return certify(asked, scope(100, copies=2), GRADE_ONLY, seed=1)


def judged(transcript: Transcript) -> Coroutine[Any, Any, Certificate]:
    graders = Graders(judge=judge(transcript=transcript))
    return certified(Expert(0.9), essays(100), GRADE_ONLY, graders, seed=1, transcript=transcript)


def by_people(transcript: Transcript) -> Coroutine[Any, Any, Certificate]:
    graders = Graders(people=people(Expert(0.9), essays(100, copies=2), but=frozenset({"7.0"})), batch=1)
    return certified(Expert(0.9), essays(100, copies=2), GRADE_ONLY, graders, seed=1, transcript=transcript)


MODES: dict[str, Examination] = {
    "sequential": plain(Expert(0.8), 1_000, GRADE_ONLY),
    "with a limit": plain(Expert(0.999), 400, STRICT),
    "unread replies": plain(MumblingExpert(0.9), 300, GRADE_ONLY),
    "unread replies are wrong": plain(MumblingExpert(1.0), 300, STRICT, grading=ByRule("wrong")),
    "a further turn": plain(TalksFirst(0.9), 300, GRADE_ONLY),
    "all that there is": plain(Expert(0.7), 20, GRADE_ONLY),
    "clusters": plain(Expert(0.8), 200, STRICT, copies=3),
    "clusters of weights": in_clusters_of_weights,
    "at least": plain(Expert(1.0), 300, GRADE_ONLY, endurance=Endurance(60)),
    "fixed": plain(Expert(0.95), 300, GRADE_ONLY, procedure="fixed", questions=120),
    "few": plain(Expert(0.8), 300, GRADE_ONLY, questions=5),
    "a budget": on_budget,
    "partial scores": of_partial_scores,
    "strata without replacement": in_strata(400),
    "laws": lawful,
    "evenly": evenly,
    "a judge": judged,
    "people": by_people,
}


@pytest.mark.parametrize("mode", MODES)
async def test_the_grades_on_record_give_the_figures_of_the_certificate(mode: str) -> None:
    with Transcript.open(None) as transcript:
        as_json = (await MODES[mode](transcript)).as_json()
        (held,) = attempts(transcript, as_json["candidates"][0])
        kept = kept_of(transcript, as_json["candidates"][0])
        assert kept.book.grades is not None
        again = recomputed(held, kept.book.grades)
    assert (again["verdict"], again["candidates"]) == (as_json["verdict"], as_json["candidates"])
    assert {"score", "unacceptable", "path", "order", "questions"} <= again["figures"].keys() <= set(RECOMPUTED)
    for name, value in json.loads(json.dumps(again["figures"])).items():
        assert value == json.loads(json.dumps(as_json["figures"][name])), name
    grades = list(kept.book.grades.each)[: as_json["figures"]["questions"]]
    assert sum(grade.unacceptable for grade in grades) == as_json["figures"]["unacceptable"]["count"]


def terms(candidate: str) -> AttemptTerms:
    return AttemptTerms("certificate", candidate, (), {})


def kept_of(transcript: Transcript, candidate: str, line: int = 0) -> RecordedGrades:
    kept = read_grades(transcript.records(), terms(candidate), line)
    assert kept is not None
    return kept


async def test_each_grade_is_of_the_answer_in_its_record() -> None:
    asked = scope(300)
    by_text = {question.text: question for question in asked.questions}
    with Transcript.open(None) as transcript:
        certificate = await certified(MumblingExpert(0.8), asked, GRADE_ONLY, transcript=transcript, concurrency=8)
        grades = kept_of(transcript, "test:knows").book.grades
        records = {record.seq: record for record in transcript.records()}
    assert grades is not None
    assert len(grades.score) == certificate.questions
    for seq, grade in zip(grades.records, grades.each, strict=True):
        record = records[seq]
        question = by_text[json.loads(record.question)["text"].partition("\n")[0]]
        reply: Reply | NoAnswer = Notation(Reply).read(record).answer
        by_scope = asked.grade(question, reply)
        assert (grade.score, grade.upper, grade.unacceptable, grade.outcome) == (
            by_scope.score, by_scope.upper, by_scope.unacceptable, by_scope.outcome,
        )  # fmt: skip


async def test_the_entry_tells_nothing_by_which_a_text_could_be_found() -> None:
    with Transcript.open(None) as transcript:
        graders = Graders(people=people(Expert(0.9), essays(50)))
        await certified(Expert(0.9), essays(50), GRADE_ONLY, graders, transcript=transcript)
        record = kept_of(transcript, "test:knows").record
        others = list(transcript.records(candidate="test:knows"))
    assert record.candidate == "vivavoce"
    for other in others:
        for text in (other.question_digest, digest_of(other.answer), digest_of(json.loads(other.answer)["text"])):
            assert text[:12] not in record.answer
        assert json.loads(other.question)["text"] not in record.answer


async def test_left_again_it_is_written_again_only_where_it_differs_and_the_last_stands(tmp_path: Path) -> None:
    where, counts = tmp_path / "run.sqlite", []
    for questions in (3, 3, 6, None):
        with Transcript.open(where) as transcript:
            certificate = await certified(
                Expert(0.8), scope(500), GRADE_ONLY, questions=questions, seed=1, transcript=transcript
            )
            counts.append(sum(record.topic == "grades" for record in transcript.records()))
            grades = kept_of(transcript, "test:knows").book.grades
            assert grades is not None
            assert len(grades.score) == certificate.questions
    assert counts == [1, 1, 2, 3]


async def test_another_attempt_has_grades_of_its_own() -> None:
    with Transcript.open(None) as transcript:
        for grade in (0.7, 0.6):
            asked = interview(Expert(0.8), transcript=transcript)
            await certify(asked, scope(500), Criterion(grade, None), again=grade == 0.6, seed=1)
        first, second = (kept_of(transcript, "test:knows", line) for line in (0, 1))
        assert first.record.seq < second.record.seq
        assert read_grades(transcript.records(), terms("test:knows"), 2) is None


async def test_peoples_grades_travel_in_a_sealed_export(tmp_path: Path) -> None:
    asked = essays(60)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        given = people(Expert(0.9), asked, but=frozenset({"3"}))
        before = await certified(Expert(0.9), asked, GRADE_ONLY, Graders(people=given, batch=1), seed=2, transcript=transcript)
        write_sealed(tmp_path / "sealed.jsonl", transcript)
    with read_sealed(tmp_path / "sealed.jsonl").transcript() as copy:
        records = list(copy.records())
        kept = read_grades(records, terms("test:knows"), 0)
        assert kept is not None
        again = People(people_of(kept, records))
        certificate = await certified(Expert(0.9), asked, GRADE_ONLY, Graders(people=again, batch=1), seed=2, transcript=copy)
        assert copy.head.count == len(records)  # nothing was asked, and no other grades were written
    assert certificate.as_json() == before.as_json()
    assert before.grading is not None
    assert before.grading.graded_by_people > 0


async def test_where_a_judge_grades_as_well_only_peoples_grades_are_written() -> None:
    with Transcript.open(None) as transcript:
        graders = Graders(judge=judge(transcript=transcript), people=people(Expert(0.9), essays(300)), further=3)
        certificate = await certified(Expert(0.9), essays(300), GRADE_ONLY, graders, transcript=transcript)
        kept = kept_of(transcript, "test:knows")
    assert kept.book.grades is None
    assert certificate.grading is not None
    assert len(kept.book.people) == certificate.grading.graded_by_people == certificate.questions


def graded(*scores: float, **columns: object) -> dict[str, object]:
    places = list(range(1, len(scores) + 1))
    return {"grades": {"records": places, "score": list(scores), "population": None, "size": None, **columns}}


def test_hand_made_columns_are_read_as_they_are_meant() -> None:
    columns = graded(
        1.0, 0, 0.5, upper=[[1, 1]], unacceptable=[2], maybe_unacceptable=[1], outcomes={"unreadable": [1]}, after_turn=[0]
    )
    book = Gradebook.model_validate_json(json.dumps(columns))
    assert book.grades is not None
    assert list(book.grades.each) == [
        Grade(1.0, False, after_turn=True),
        Grade(0.0, False, Outcome.UNREADABLE, upper=1.0, maybe_unacceptable=True),
        Grade(0.5, True),
    ]


HOSTILE: dict[str, object] = {
    "no JSON": None,
    "another field": {"x": 1},
    "a score above 1": graded(1.5),
    "no number": graded(float("nan")),
    "a text for a number": {"grades": {"records": ["1"], "score": [1.0], "population": None, "size": None}},
    "fewer records": {"grades": {"records": [], "score": [1.0], "population": None, "size": None}},
    "a place twice": graded(1.0, 0.0, unacceptable=[1, 1]),
    "a place that there is not": graded(1.0, unacceptable=[1]),
    "a negative place": graded(1.0, unacceptable=[-1]),
    "above its most": graded(1.0, upper=[[0, 0.5]]),
    "an unknown outcome": graded(1.0, outcomes={"splendid": [0]}),
    "units for other grades": graded(1.0, 1.0, sizes=[1]),
    "a unit too many": graded(1.0, 1.0, sizes=[2, 1]),
    "a huge unit": graded(1.0, sizes=[10**12]),
    "fewer weights": graded(1.0, 1.0, sizes=[2], weights=[1.0]),
    "a weight of 0": graded(1.0, sizes=[1], weights=[0.0]),
    "a stratum that there is not": graded(1.0, strata={"names": ["a", "b"], "masses": [0.5, 0.5], "sizes": None, "of": [2]}),
    "strata without masses": graded(1.0, strata={"names": ["a", "b"], "masses": [1.0], "sizes": None, "of": [0]}),
    "an answer that is not on record": {"grades": {"records": [9], "score": [1.0], "population": None, "size": None}},
    "a grade of the examiner": {"people": [{"record": 2, "score": 1.0, "unacceptable": False}]},
    "a grade from the future": {"people": [{"record": 3, "score": 1.0, "unacceptable": False}]},
}


def an_entry(candidate: str, question: str, answer: str) -> Entry:
    return Entry(candidate, digest_of(question), 0, "", question, answer, "answer", AT, 0.0, 0, 0, 0.0)


@each_case("name", HOSTILE)
def test_what_holds_no_grades_is_damage_named_by_its_record(name: str) -> None:
    text = "[" if HOSTILE[name] is None else json.dumps(HOSTILE[name])
    with Transcript.open(None) as transcript:
        transcript.append([an_entry("bot:x", '"1"', '"1"')])
        transcript.append([an_entry("vivavoce", '{"attempt":0,"grades of":"bot:x"}', text)])
        transcript.append([an_entry("bot:x", '"2"', '"2"')])
        with pytest.raises(TranscriptDamaged, match="record 2") as error:
            read_grades(transcript.records(), terms("bot:x"), 0)
        assert "\n" not in str(error.value)


async def test_grades_that_do_not_fit_their_terms_are_refused() -> None:
    with Transcript.open(None) as transcript:
        await certified(Expert(0.8), scope(500), GRADE_ONLY, seed=1, transcript=transcript)
        (held,) = attempts(transcript, "test:knows")
        grades = kept_of(transcript, "test:knows").book.grades
        assert grades is not None
    strata = {"names": ["a", "b"], "masses": [0.5, 0.5], "sizes": None, "of": [0] * len(grades.score)}
    other = Grades.model_validate_json(json.dumps(grades.model_dump(mode="json") | {"strata": strata}))
    for terms, columns in (
        (held.terms, other),
        (replace(held.terms, settings={**held.terms.settings, "procedure": "guess"}), grades),
        (replace(held.terms, examination="certificates"), grades),
        (replace(held.terms, settings={"bets": held.terms.settings["bets"]}), grades),
    ):
        with pytest.raises(BadInput, match=r"do not fit|can't be recomputed"):
            recomputed(replace(held, terms=terms), columns)


async def test_records_of_an_earlier_version_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with Transcript.open(None) as transcript:
        with monkeypatch.context() as earlier:
            earlier.setattr(log, "PROCEDURE_VERSION", 2)
            earlier.setattr(log, "delta_of", lambda delta, number: 0.9 * delta)
            (candidate,) = (await in_strata(100)(transcript)).as_json()["candidates"]
        with pytest.raises(OtherTerms, match="version of the bets 2, now 5"):
            await in_strata(100)(transcript)
        (held,), grades = attempts(transcript, candidate), kept_of(transcript, candidate).book.grades
        assert held.delta == 0.9 * 0.05  # its own share, although the first attempt now has .95
        assert grades is not None
        with pytest.raises(BadInput, match="tested by an earlier procedure: recheck it with the version that made it"):
            recomputed(held, grades)


def a_book(*scores: float) -> Gradebook:
    return Gradebook.model_validate_json(json.dumps(graded(*scores)))


def test_an_altered_grade_is_named() -> None:
    assert unlike(a_book(1.0, 0.0), a_book(1.0, 0.0)) == ""
    assert unlike(a_book(1.0, 1.0), a_book(1.0, 0.0)) == "the grade of record 2 is 1 (answer), but 0 (answer) if graded again"
    assert unlike(a_book(1.0), a_book(1.0, 0.0)) == "there are 1 grades, but 2 if graded again"
    gradebook = Gradebook(people=(PeopleGrade(record=1, score=1.0, unacceptable=False),))
    assert unlike(Gradebook(), gradebook) == "people's grades differ"


SCORES = st.floats(0, 1)
GRADES = st.builds(
    Grade,
    SCORES,
    st.booleans(),
    st.sampled_from(Outcome),
    upper=st.none() | st.just(1.0),
    maybe_unacceptable=st.booleans(),
    after_turn=st.booleans(),
)


@given(st.lists(GRADES, max_size=30), st.integers(1, 3))
def test_any_grades_go_on_record_and_come_back(given: list[Grade], copies: int) -> None:
    units = [questions_of(number, copies) for number in range(-(-len(given) // copies))]
    taken = [GradedUnit.of(unit, given[number * copies : (number + 1) * copies]) for number, unit in enumerate(units)]
    written = grades_taken(taken, range(1, 100), scope(10), AsDrawn(scope(10)), "")
    text = json.dumps(Gradebook(grades=written).model_dump(mode="json", exclude_defaults=True))
    read = Gradebook.model_validate_json(text).grades
    assert read == written
    assert list(written.each) == given


def questions_of(number: int, copies: int) -> tuple[Any, ...]:
    return scope(40, copies=copies).questions[number * copies : (number + 1) * copies]


def test_thousands_of_grades_are_small_and_quick_to_write() -> None:
    taken = [
        GradedUnit.of((question,), [Grade(float(index % 3 > 0), False)])
        for index, question in enumerate(scope(10_000).questions)
    ]
    book = Gradebook(grades=grades_taken(taken, range(1, 10_001), scope(10_000), AsDrawn(scope(10_000)), ""))
    with Transcript.open(None) as transcript:
        write_grades(transcript, "bot:x", 0, book, at=AT)
        write_grades(transcript, "bot:x", 0, book, at=AT)
        (record,) = transcript.records()
    assert isinstance(record, Record)
    assert len(record.answer) < 100_000


def test_two_processes_that_leave_an_attempt_at_once_both_stand() -> None:
    with Transcript.open(None) as transcript:

        async def both() -> None:
            await asyncio.gather(
                *(asyncio.to_thread(write_grades, transcript, "bot:x", 0, Gradebook(people=()), at=AT) for _ in range(2))
            )

        asyncio.run(both())
        assert transcript.head.count == 1
