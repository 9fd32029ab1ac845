"""Certificates with a history: fewer questions where it is right, the same terms again, and nothing that it could change."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.certificate.candidates import Expert, interview, scope
from tests.each_case import each_case
from vivavoce.candidates.earlier import OtherRecording
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.design.history import History, history_of, history_on_record, share_of_others
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.errors import BadInput, NotOnRecord, OtherTerms, TranscriptDamaged
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

CRITERION = Criterion(0.5, None)
LETTERS = scope(400)


def others(*candidates: Expert, of: ListedScope = LETTERS) -> History:
    """What these candidates would earn."""
    recordings = []
    for candidate in candidates:
        answers = {q.id: Reply("Answer: A" if candidate.right(of.prompt(q)) else "Answer: B") for q in of.questions}
        recordings.append(OtherRecording(candidate.name, answers))
    return history_of(of, recordings)


ALIKE = others(Expert(0.54, "test:a"), Expert(0.6, "test:b"), Expert(0.5, "test:c"))
"""They know what the candidate knows, by the same ids, or a bit more or less."""
STRANGERS = others(*(Expert(0.6, f"test:{n}", salt=f"other {n}") for n in range(3)))


async def examined(
    history: History | None, *, score: float = 0.57, of: ListedScope = LETTERS, seed: int = 1, where: Transcript | None = None
) -> Certificate:
    settings = {} if where is None else {"transcript": where}
    certificate = await certify(interview(Expert(score), **settings), of, CRITERION, Composition(history=history), seed=seed)
    assert isinstance(certificate, Certificate)
    return certificate


async def test_it_takes_fewer_questions_and_says_what_it_took() -> None:
    plain, known = (
        [await examined(None, seed=seed) for seed in range(4)],
        [await examined(ALIKE, seed=seed) for seed in range(4)],
    )
    assert {certificate.verdict for certificate in plain + known} == {Verdict.PASS}
    assert sum(entry.questions for entry in known) < 0.75 * sum(entry.questions for entry in plain)
    use = known[0].history
    assert use is not None
    assert (use.others, use.questions_known, use.questions_unknown, use.candidate_among_others) == (3, 400, 0, False)
    assert use.explained > 0.5
    assert known[0].as_json()["figures"]["history"]["digest"] == ALIKE.digest
    assert known[0].signature.settings["history"] == ALIKE.digest[:12]
    assert any("history" not in caveat and "other candidates' scores" in caveat for caveat in known[0].caveats)
    assert plain[0].history is None
    assert "history" not in plain[0].as_json()


async def test_a_worthless_history_costs_next_to_nothing() -> None:
    plain, known = [[await examined(history, seed=seed) for seed in range(6)] for history in (None, STRANGERS)]
    assert sum(certificate.questions for certificate in known) < 1.15 * sum(certificate.questions for certificate in plain)


async def test_intervals_rest_on_the_answers_alone() -> None:
    known = await examined(ALIKE)
    short = await certify(interview(Expert(0.57)), LETTERS, CRITERION, seed=1, questions=known.questions)
    assert known.score == short.score
    assert known.score.interval.lower < 0.5  # wider than the verdict needs, as a caveat says
    assert any("wider than the verdict needs" in caveat for caveat in known.caveats)


async def test_the_candidate_in_its_own_history_is_named() -> None:
    certificate = await examined(others(Expert(0.57)))
    assert certificate.history is not None
    assert certificate.history.candidate_among_others
    assert any("itself is among the others" in caveat for caveat in certificate.caveats)
    assert "Known from others" in str(certificate.report())


async def test_an_interrupted_examination_goes_on_with_the_same_history_alone(tmp_path: Path) -> None:
    whole = await examined(ALIKE)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        budget = Budget(questions=5)
        cut = await certify(
            Interview(Expert(0.57), answers=Reply, transcript=transcript, budget=budget),
            LETTERS,
            CRITERION,
            Composition(history=ALIKE),
            seed=1,
        )
        assert (cut.verdict, cut.questions) == (Verdict.UNDECIDED, 5)
        assert cut.still_needed is not None
        with pytest.raises(OtherTerms, match="history"):
            await examined(STRANGERS, where=transcript)
        with pytest.raises(OtherTerms, match="history"):
            await examined(None, where=transcript)
        certificate = await examined(ALIKE, where=transcript)
        assert history_on_record(transcript, ALIKE.digest) == ALIKE
        with pytest.raises(NotOnRecord):
            history_on_record(transcript, STRANGERS.digest)
    assert certificate.path == whole.path
    assert certificate.verdict is whole.verdict


def test_what_stands_on_record_must_be_the_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = History(ALIKE.others, ALIKE.scores)
    assert damaged.digest == ALIKE.digest
    monkeypatch.setitem(damaged.__dict__, "text", '{"others": ["x"], "scores": {}}')
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        asyncio.run(examined(damaged, where=transcript))
        with pytest.raises(TranscriptDamaged, match="should hold the history"):
            history_on_record(transcript, ALIKE.digest)


async def test_clusters_are_known_by_the_means_of_their_questions() -> None:
    pairs = scope(60, copies=2)
    history = others(Expert(0.62, "test:a"), of=pairs)
    by_units = history.by_units(pairs.units)
    asked = [history.scores[question.id][0] for question in pairs.units[3]]
    assert by_units.shape == (60, 1)
    assert by_units[3, 0] == pytest.approx(np.mean([value or 0.0 for value in asked]))
    certificate = await examined(history, score=0.75, of=pairs)
    assert certificate.verdict is Verdict.PASS


async def test_all_asked_is_exact_whatever_the_history() -> None:
    few = scope(9)
    certificate = await certify(
        interview(Expert(0.5)), few, Criterion(0.3, None, 1e-6), Composition(history=others(Expert(0.5), of=few))
    )
    assert certificate.verdict is not Verdict.UNDECIDED


async def test_what_nobody_knows_has_a_neutral_value() -> None:
    some = History(("a", "b"), {"0": (1.0, 0.0), "1": (0.0, None)})
    shares = share_of_others(some.by_units(scope(6).units))
    assert shares[0] > shares[2] > shares[1]
    assert (shares[2:] == shares[2]).all()
    assert shares.mean() == pytest.approx(0)
    certificate = await certify(interview(Expert(1.0)), scope(6), CRITERION, Composition(history=some), seed=0)
    assert certificate.history is not None
    assert certificate.history.questions_unknown == 4
    assert any("neutral" in caveat for caveat in certificate.caveats)


def test_answers_are_graded_by_the_rule_and_given_scores_count_where_there_is_none() -> None:
    ruled = Question("q", "2 + 2?", accepted=("4",))
    open_ended = Question("r", "Why?", rubric="A reason.")
    of = ListedScope("mixed", (ruled, open_ended))
    answers = {"q": Reply("Answer: 4"), "r": Reply("Because.")}
    history = history_of(of, [OtherRecording("a", answers, {"q": 0.1, "r": 0.4}), OtherRecording("a", scores={"q": 0.9})])
    assert history.others == ("a",)
    assert dict(history.scores) == {"q": (1.0,), "r": (0.4,)}
    assert history_of(of, [OtherRecording("a", {"q": NoAnswer("time-out")})]).scores == {"q": (0.0,)}


def test_nothing_known_is_refused() -> None:
    with pytest.raises(BadInput, match="no answers to questions"):
        history_of(LETTERS, [OtherRecording("a", {"elsewhere": Reply("Answer: A")})])
    with pytest.raises(BadInput, match="needs a list of questions"):
        history_of(open_scope("arithmetic"), [OtherRecording("a")])
    for others_, scores in (((), {}), (("a",), {"0": (1.0, 0.0)}), (("a",), {"0": (2.0,)})):
        with pytest.raises(BadInput):
            History(others_, scores)


@each_case(
    ("composition", "reason"),
    [
        (Composition("strata"), "predictions"),
        (Composition("weights"), "each once"),
        (Composition(procedure="fixed"), "looks once"),
        (Composition(grading=Procedures(ask=1)), "ledger"),
        (Composition(draws=Draws(2)), "again and again"),
    ],
)
async def test_what_does_not_go_together_is_refused(composition: Composition, reason: str) -> None:
    with pytest.raises(BadInput, match=reason):
        await certify(interview(Expert(1.0)), LETTERS, CRITERION, replace(composition, history=ALIKE), questions=20)


async def test_scopes_without_an_end_and_several_are_refused() -> None:
    known = Composition(history=ALIKE)
    with pytest.raises(BadInput, match="needs a list of questions"):
        await certify(interview(Expert(1.0)), open_scope("arithmetic"), CRITERION, known)
    with pytest.raises(BadInput, match="one scope"):
        await certify(interview(Expert(1.0)), [LETTERS, scope(20)], CRITERION, known)
    uneven = ListedScope("uneven", tuple(Question(str(n), f"{n}?", accepted=("A",), weight=1.0 + n) for n in range(4)))
    with pytest.raises(BadInput, match="with replacement"):
        await certify(interview(Expert(1.0)), uneven, CRITERION, Composition(history=History(("a",), {"0": (1.0,)})))
    assert isinstance(await certify(interview(Expert(1.0)), [LETTERS, scope(20)], CRITERION, seed=0), ManyScopes)
