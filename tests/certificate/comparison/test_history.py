"""Comparisons and gates with a history: a baseline on record saves questions, and nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.certificate.candidates import Expert, interview, scope
from vivavoce.candidates.recordings import OtherRecording
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import gate
from vivavoce.certificate.design.history import History, history_of, history_on_record
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.interview.candidate import Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

SIZE = 600
CATEGORIES = ListedScope(
    "categories", tuple(Question(f"{n}", f"{n}?", accepted=("A",), category="ab"[n % 2], weight=1 + n % 2) for n in range(8))
)
NEW, OLD = Expert(0.8, "test:new", salt="new"), Expert(0.72, "test:old", salt="old")


def earned(*candidates: Expert, size: int = SIZE) -> History:
    of = scope(size)
    return history_of(
        of,
        [
            OtherRecording(
                knows.name, {q.id: Reply("Answer: A" if knows.right(of.prompt(q)) else "Answer: B") for q in of.questions}
            )
            for knows in candidates
        ],
    )


async def compared(history: History | None, *candidates: Expert, seed: int = 0, size: int = SIZE) -> Comparison:
    interviews = [interview(knows) for knows in candidates]
    return await compare(interviews, scope(size), ComparisonConfig(seed=seed), history=history)


@pytest.mark.long
async def test_a_baseline_on_record_saves_questions() -> None:
    plain = [await compared(None, NEW, OLD, seed=seed) for seed in range(5)]
    known = [await compared(earned(OLD), NEW, OLD, seed=seed) for seed in range(5)]
    assert {comparison.verdict for comparison in known} <= {"better", "not worse"}
    assert sum(comparison.questions for comparison in known) < 0.85 * sum(comparison.questions for comparison in plain)
    use = known[0].history
    assert use is not None
    assert (use.others, use.candidate_among_others, use.questions_unknown) == (1, True, 0)
    assert known[0].as_json()["figures"]["history"]["explained"] > 0.2
    assert "Known from others" in str(known[0].report())
    assert any("is among the others" in caveat for caveat in known[0].caveats)
    assert plain[0].history is None
    assert "history" not in plain[0].as_json()


async def test_from_either_end_it_is_the_same() -> None:
    first, second = await compared(earned(OLD), NEW, OLD), await compared(earned(OLD), OLD, NEW)
    assert first.questions == second.questions
    assert first.pairs[0].log_e[0] == pytest.approx(second.pairs[0].log_e[1], rel=1e-6)


async def test_of_several_each_pair_has_its_own() -> None:
    third = Expert(0.3, "test:third", salt="third")
    comparison = await compared(earned(OLD, Expert(0.5, "test:other")), NEW, OLD, third)
    assert [pair.verdict for pair in comparison.pairs][1:] == ["better", "better"]
    assert comparison.history is not None


async def test_a_gate_takes_one_and_its_terms_name_it(tmp_path: Path) -> None:
    config, known = GateConfig(seed=0, margin=0.05), earned(OLD)

    async def gated(history: History | None, transcript: Transcript | None = None) -> tuple[str, int, float]:
        settings = {} if transcript is None else {"transcript": transcript}
        finding = await gate([interview(knows, **settings) for knows in (NEW, OLD)], scope(SIZE), config, history=history)
        return finding.verdict, finding.comparison.questions, finding.pair.log_e[2]

    plain, with_history = await gated(None), await gated(known)
    assert (plain[0], with_history[0]) == ("pass", "pass")
    assert with_history[1] < plain[1]
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        assert await gated(known, transcript) == with_history
        assert await gated(known, transcript) == with_history  # from the record
        assert history_on_record(transcript, known.digest) == known
        with pytest.raises(OtherTerms, match="history"):
            await gated(None, transcript)
        with pytest.raises(OtherTerms, match="history"):
            await gated(earned(NEW), transcript)


async def test_the_interval_is_that_without_it() -> None:
    known = await gate([interview(NEW), interview(OLD)], scope(SIZE), GateConfig(seed=0, margin=0.05), history=earned(OLD))
    short = GateConfig(seed=0, margin=0.05, questions=known.comparison.questions)
    plain = await gate([interview(NEW), interview(OLD)], scope(SIZE), short)
    assert plain.verdict == "undecided"
    assert known.pair.difference == plain.pair.difference


async def test_scopes_without_an_end_are_refused() -> None:
    endless = open_scope("arithmetic")
    for examine in (compare, gate):
        with pytest.raises(BadInput, match="needs a list of questions"):
            await examine([interview(NEW), interview(OLD)], endless, history=earned(OLD))


async def test_other_ways_of_drawing_are_refused() -> None:
    for drawing in ("strata", "weights"):
        with pytest.raises(BadInput, match="history"):
            await gate([interview(NEW), interview(OLD)], CATEGORIES, drawing=drawing, history=earned(OLD))
    with pytest.raises(BadInput, match="needs a list of questions"):
        await compare([interview(NEW), interview(OLD)], scope(SIZE), ComparisonConfig(draws=2), history=earned(OLD))
