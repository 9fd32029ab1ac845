"""Which answers people grade where a judge grades all: drawn in private, after the judge, the same when it goes on."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certificate.candidates import certified
from tests.certificate.candidates import scope as letters
from tests.certificate.graders.graded import Expert, PointsJudge, essays, interview, judge, people
from vivavoce.certificate.attempts.attempt import AttemptTerms, RecordedAttempt
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.graders.graders import Graders
from vivavoce.certificate.graders.grades import NoGrade
from vivavoce.certificate.graders.judge import CandidateJudge
from vivavoce.certificate.graders.people import People, Places, private_places, secret_name
from vivavoce.errors import OtherTerms, TranscriptError
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.commitment import COMMITTER, CommittedSecret, committed_secret
from vivavoce.interview.scope import Grade
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes.questions import Question

GRADE_ONLY = Criterion(0.7, None)
KNOWS = Expert(0.8)
SECRET = CommittedSecret("places", bytes(32))
many_essays = cache(partial(essays, 5_000))


def both(
    transcript: Transcript | None, *, grader: object = None, candidate: PointsJudge | None = None, batch: int = 12
) -> Graders:
    judging = CandidateJudge(interview(candidate or PointsJudge(), transcript=transcript), topic="judging/essays")
    return Graders(judge=judging, people=grader or People([]), further=4, batch=batch)  # type: ignore[arg-type]


async def examined(transcript: Transcript, graders: Graders, *, seed: int = 0, again: bool = False) -> Certificate:
    asked = interview(KNOWS, transcript=transcript)
    return await certify(asked, many_essays(), GRADE_ONLY, Composition(grading=graders), seed=seed, again=again)


def waiting(certificate: Certificate) -> list[str]:
    assert certificate.grading is not None
    return [answer.id for answer in certificate.grading.waiting]


async def test_an_examination_goes_on_at_its_places_in_every_store(where: str | Path | None) -> None:
    with Transcript.open(where) as transcript:
        first = waiting(await examined(transcript, both(transcript)))
        assert waiting(await examined(transcript, both(transcript))) == first
        further = waiting(await examined(transcript, both(transcript, batch=20)))
        assert (further[:12], len(further)) == (first, 20)
    if where is not None:
        with Transcript.open(where) as transcript:
            assert waiting(await examined(transcript, both(transcript))) == first


async def test_places_are_private_under_one_seed() -> None:
    texts = set()
    for _ in range(3):
        with Transcript.open(None) as transcript:
            texts.add(tuple(waiting(await examined(transcript, both(transcript), seed=7))))
    assert len(texts) == 3  # twelve places of five each: alike by chance once in 244 million


def ids(transcript: Transcript, topic: str) -> list[str]:
    """Of the questions at this topic, in the order of the record."""
    return [json.loads(record.question)["id"] for record in transcript.records(topic=topic)]


class WatchfulPeople:
    """People who look at the judgements on record whenever they are shown an answer."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self.judged: list[tuple[str, set[str]]] = []

    async def grade(self, question: Question, _: Prompt, answer: Reply, /) -> Grade | NoGrade:
        self.judged.append((question.id, set(ids(self.transcript, "judging/essays"))))
        return Grade(float(answer.text == "Answer: A"), False)


@pytest.mark.long
async def test_nobody_is_shown_an_answer_before_all_judgements_of_its_block_stand_in_the_record() -> None:
    with Transcript.open(None) as transcript:
        watching = WatchfulPeople(transcript)
        certificate = await certified(
            KNOWS,
            many_essays(),
            GRADE_ONLY,
            replace(both(transcript, grader=watching), ahead=1),
            seed=0,
            transcript=transcript,
            concurrency=1,
        )
        asked = ids(transcript, "certificate/essays")
    assert certificate.questions > 5
    for block, (shown, judged) in enumerate(watching.judged):
        whole = asked[5 * block : 5 * block + 5]
        assert shown in whole
        assert set(whole) <= judged


async def test_the_judge_is_asked_the_same_in_the_same_order_whatever_people_say() -> None:
    prompts = []
    for grader in (People([]), people(Expert(0.8), many_essays())):
        points = PointsJudge()
        with Transcript.open(None) as transcript:
            graders = both(transcript, candidate=points, grader=grader, batch=3)
            await certified(KNOWS, many_essays(), GRADE_ONLY, replace(graders, ahead=1), seed=0, concurrency=1)
        prompts.append([prompt.text for prompt in points.prompts])
    shorter = min(map(len, prompts))
    assert shorter >= 15
    assert prompts[0][:shorter] == prompts[1][:shorter]


async def test_a_judge_that_says_something_else_meets_other_places(tmp_path: Path) -> None:
    texts = []
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        for right in ("9", "8"):
            graders = both(
                None, candidate=PointsJudge(right=right)
            )  # its words are kept nowhere, so that it may take them back
            texts.append(waiting(await examined(transcript, graders)))
    assert texts[0] != texts[1]


async def test_the_commitment_stands_before_the_first_question_and_in_the_finding() -> None:
    knows, questions = Expert(0.9), letters(400)
    with Transcript.open(None) as transcript:
        certificate = await certified(
            knows, questions, GRADE_ONLY, Graders(judge(), people(knows, questions)), seed=0, transcript=transcript
        )
        first = next(record for record in transcript.records() if record.topic.startswith("commitment/places/"))
        asked = next(transcript.records(candidate="test:knows"))
        secret = committed_secret(transcript, secret_name("test:knows", "letters"))
    assert first.candidate == COMMITTER
    assert first.seq < asked.seq
    assert certificate.grading is not None
    assert certificate.grading.commitment == secret.digest
    assert certificate.as_json()["figures"]["grading"]["places_committed"] == secret.digest
    assert secret.digest in first.answer


async def test_the_secret_is_revealed_when_it_is_over_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[tuple[int, list[list[object]], int]] = []
    function = Places.place

    def noted(places: Places, block: int, judged: list[list[object]]) -> int:
        used.append((block, judged, function(places, block, judged)))
        return used[-1][2]

    monkeypatch.setattr(Places, "place", noted)
    knows, questions = Expert(0.9), letters(400)
    with Transcript.open(None) as transcript:
        for grader in (People([]), people(knows, questions)):
            asked = interview(knows, transcript=transcript)
            certificate = await certify(asked, questions, GRADE_ONLY, Composition(grading=Graders(judge(), grader)), seed=0)
            document = [json.loads(record.answer) for record in transcript.records(candidate=COMMITTER, topic="attempts")]
            revealed = [answer["places"] for answer in document if "places" in answer]
            assert bool(revealed) == (certificate.verdict is not Verdict.UNDECIDED)
        (committed,) = (
            json.loads(entry.answer) for entry in transcript.records() if entry.topic.startswith("commitment/places/")
        )
    (opened,) = revealed
    secret = bytes.fromhex(opened["secret"])
    assert hashlib.sha256(secret).hexdigest() == opened["commitment"] == committed["sha256"]
    for block, judged, found_at in used:  # as a stranger finds it: HMAC over name, digest of the scope, block and judgements
        text = json.dumps(
            [opened["name"], questions.digest, block, judged], ensure_ascii=False, separators=(",", ":"), sort_keys=True
        )
        assert int.from_bytes(hmac.digest(secret, text.encode(), "sha256")) % 5 == found_at


async def test_no_folder_stands_in_the_name_of_a_commitment() -> None:
    first = RecordedAttempt(1, 0.0475, AttemptTerms("certificate", "x", (("essays", "d"),), {}), "2026-01-01T00:00:00+00:00", 0)
    with Transcript.open(None) as transcript:
        scope = "file:/home/somebody/essays.jsonl"
        places = await private_places(transcript, candidate="x", scope=scope, digest="d", attempt=first, further=4)
        assert places.secret.name == "places/x/file:essays.jsonl"
        assert all("somebody" not in record.question + record.topic for record in transcript.records())


async def test_without_its_secret_it_cannot_go_on(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        await examined(transcript, both(transcript))
        (tmp_path / "t.sqlite.key").unlink()
        with pytest.raises(TranscriptError, match="can't continue"):
            await examined(transcript, both(transcript))


async def test_people_who_join_a_judge_that_graded_alone_are_another_attempt() -> None:
    with Transcript.open(None) as transcript:
        graders = both(transcript)
        await certified(
            KNOWS, many_essays(), GRADE_ONLY, Graders(judge=graders.judge), questions=20, seed=0, transcript=transcript
        )
        with pytest.raises(OtherTerms, match="graded by people no, now yes"):
            await examined(transcript, graders)
        assert len(waiting(await examined(transcript, graders, again=True))) == 12


@given(st.integers(1, 30), st.integers(1, 10**6), st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_place_is_within_the_block_and_the_same_each_time(further: int, block: int, values: list[float]) -> None:
    judged = [["q", "a", value, value] for value in values]
    places = Places(SECRET, "scope", further)
    assert places.place(block, judged) == Places(SECRET, "scope", further).place(block, judged) in range(further + 1)


def test_a_judge_that_tries_words_learns_nothing_of_places() -> None:
    places = Places(SECRET, "scope", 4)
    # whatever it says, the place is as uniform as before: chi-squared with 4 degrees of freedom, 99.9% below 18.5
    for value in (0.0, 0.5, 1.0):
        counts = Counter(places.place(t, [["q", "a", value, value]] * 5) for t in range(5_000))
        assert sum((counts[index] - 1_000) ** 2 / 1_000 for index in range(5)) < 18.5


async def test_clusters_are_shown_as_a_whole() -> None:
    with Transcript.open(None) as transcript:
        certificate = await certified(
            KNOWS, essays(400, copies=3), GRADE_ONLY, both(transcript, batch=9), seed=0, transcript=transcript
        )
    shown = Counter(id_.partition(".")[0] for id_ in waiting(certificate))
    assert set(shown.values()) == {3}


async def test_the_last_block_of_a_limit_counts_only_if_it_is_whole() -> None:
    knows, questions = Expert(0.8), letters(400)
    certificate = await certified(
        knows, questions, GRADE_ONLY, Graders(judge(), people(knows, questions), further=4), questions=14, seed=0
    )
    assert certificate.grading is not None
    assert (certificate.questions, certificate.grading.judged_only, certificate.grading.judgements) == (2, 8, 10)
