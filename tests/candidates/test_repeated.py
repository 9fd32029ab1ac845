"""Recordings with several answers to a question: each is given once, and nobody knows a further one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import of, tasks
from vivavoce.candidates import open_candidate
from vivavoce.candidates.earlier import open_baseline
from vivavoce.candidates.replay import RepeatedReplies, ReplayedAnswer
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate
from vivavoce.errors import BadFile, BadInput
from vivavoce.interview.candidate import NoAnswer, Prompt, Recording, RepeatedRecording, Reply
from vivavoce.interview.transcript import Transcript

SCOPE = tasks(200)
GRADE = Criterion(0.7, None)


def recording(file: Path, right: float, times: int, *, column: str = "epoch", seed: int = 0) -> str:
    """Answers to all tasks, so many times, of which this share is right."""
    rng = np.random.default_rng(seed)
    lines = [f"id,{column},said"]
    for epoch in range(1, times + 1):
        lines += [f"{question.id},{epoch},Answer: {'AB'[int(rng.random() > right)]}" for question in SCOPE.questions]
    file.write_text("\n".join(lines), encoding="utf-8")
    return f"replay:{file}#said"


async def held(name: str, draws: Draws | None, *, where: Transcript | None = None, questions: int = 150) -> Certificate:
    more = {} if where is None else {"transcript": where}
    asked = interview(open_candidate(name), **more)
    certificate = await certify(asked, SCOPE, GRADE, Composition(draws=draws), seed=3, questions=questions)
    assert isinstance(certificate, Certificate)
    return certificate


async def test_each_answer_is_one_draw_and_a_further_one_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,draw,x\nq,1 of 2,first\np,1 of 2,other\nq,2 of 2,second\n", encoding="utf-8")
    candidate = open_candidate(f"replay:{tmp_path / 'a.csv'}#x")
    assert isinstance(candidate, RepeatedReplies)
    assert isinstance(candidate, RepeatedRecording)
    assert isinstance(candidate, Recording)
    assert (candidate.times, candidate.recorded["q"]) == ({"q": 2, "p": 1}, "first")
    values: list[object] = [await candidate.answer_draw(Prompt("?", id="q"), draw) for draw in range(3)]
    assert values[:2] == [Reply("first"), Reply("second")]
    assert isinstance(values[2], NoAnswer)
    assert values[2].orphan


async def test_without_such_a_column_an_id_stands_there_once(tmp_path: Path) -> None:
    name = recording(tmp_path / "a.csv", 0.9, 2, column="number")
    with pytest.raises(BadFile, match="ids must be unique"):
        open_candidate(name)
    once = open_candidate(recording(tmp_path / "b.csv", 0.9, 1))
    assert not isinstance(once, RepeatedRecording)


@pytest.mark.parametrize(("right", "verdict"), [(0.95, Verdict.PASS), (0.4, Verdict.FAIL)])
async def test_a_recording_is_certified_by_its_epochs(tmp_path: Path, right: float, verdict: Verdict) -> None:
    name = recording(tmp_path / "a.csv", right, 3)
    certificate = await held(name, Draws(3))
    assert certificate.verdict is verdict
    assert certificate.draws is not None
    assert certificate.draws.answers == 3 * certificate.questions


async def test_what_was_drawn_more_often_than_answered_may_be_worth_anything(tmp_path: Path) -> None:
    name = recording(tmp_path / "a.csv", 1.0, 1 + 1)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        certificate = await held(name, Draws(2, "all-right"), where=transcript, questions=400)
        again = await held(name, Draws(2, "all-right"), where=transcript, questions=400)
    assert certificate.path == again.path
    assert certificate.draws is not None
    drawn_again = certificate.questions - certificate.draws.questions
    assert certificate.draws.unrecorded == certificate.replies.orphans == 2 * drawn_again
    assert not certificate.draws.unrecorded or any("are in no recording" in caveat for caveat in certificate.caveats)


async def test_no_verdict_rests_on_them() -> None:
    few = tasks(5)
    answers = {question.id: ["Answer: A"] for question in few.questions}
    candidate = RepeatedReplies(
        "replay:made.csv#up", {name: [ReplayedAnswer(Reply(text)) for text in answer] for name, answer in answers.items()}
    )
    certificate = await certify(interview(candidate), few, GRADE, Composition(draws=Draws(1)), seed=1, questions=2_000)
    assert isinstance(certificate, Certificate)
    assert certificate.verdict is Verdict.UNDECIDED  # all that is known is right, and of most draws nothing is known
    assert certificate.draws is not None
    assert certificate.draws.unrecorded == certificate.questions - 5


async def test_fewer_answers_than_draws_are_refused_and_several_without_draws(tmp_path: Path) -> None:
    name = recording(tmp_path / "a.csv", 0.9, 2)
    with pytest.raises(BadInput, match=r"fewer than 3 answers to 200 of 200 questions, such as '.*', which has 2"):
        await held(name, Draws(3))
    with pytest.raises(BadInput, match=r"has several answers to a question: give '--draws N'"):
        await held(name, None)
    pair = [interview(open_candidate(name)), interview(of(SCOPE, 0.9))]
    with pytest.raises(BadInput, match="fewer than 3 answers"):
        await compare(pair, SCOPE, ComparisonConfig(draws=3))
    with pytest.raises(BadInput, match="has several answers"):
        await gate(pair, SCOPE, GateConfig())


async def test_two_recordings_are_compared_by_draws(tmp_path: Path) -> None:
    names = [recording(tmp_path / f"{n}.csv", right, 4, seed=n) for n, right in enumerate((0.95, 0.5))]
    pair = [interview(open_candidate(name)) for name in names]
    comparison = await compare(pair, SCOPE, ComparisonConfig(draws=4, seed=1))
    assert comparison.pairs[0].verdict == "better"


async def test_a_comparison_ends_once_most_of_what_is_drawn_has_no_answers_left() -> None:
    few = tasks(5)
    document = {question.id: [ReplayedAnswer(Reply("Answer: A"))] for question in few.questions}
    pair = [interview(RepeatedReplies(f"replay:{name}.csv#a", document)) for name in "ab"]
    comparison = await compare(pair, few, ComparisonConfig(draws=1, seed=1))
    assert comparison.pairs[0].verdict == "undecided"
    assert 5 <= comparison.questions <= 11  # each is known once, and more than half of those drawn must have been drawn before


async def test_a_transcript_and_its_results_answer_as_often_as_their_candidate_did(tmp_path: Path) -> None:
    few = tasks(8)
    prompts = [few.prompt(question) for question in few.questions]
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        asked = interview(of(few, 0.5), transcript=transcript)
        for draw in (0, 1, 3):  # the run ended before the third answer was there
            for prompt in prompts:
                await asked.ask(prompt, draw=draw)
    once, several = (open_baseline(f"{tmp_path / 'run.sqlite'}", prompts, several=by) for by in (False, True))
    assert isinstance(several, RepeatedReplies)
    assert set(several.times.values()) == {4}
    assert several.name != once.name
    lost: object = await several.answer_draw(prompts[0], 2)
    assert isinstance(lost, NoAnswer)
    assert lost.orphan
    for draw in (0, 1, 3):
        known = await asked.ask(prompts[0], draw=draw)
        assert isinstance(known, Reply)
        assert (await several.answer_draw(prompts[0], draw)).text == known.text
