"""Comparisons: one question after the other, by batch, and with a history."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.certificate.candidates import ByBatch, Expert, TalksFirst, interview, scope
from vivavoce.candidates import open_candidate
from vivavoce.candidates.earlier import OtherRecording
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.finding import Comparison, places, tiers
from vivavoce.certificate.comparison.gate import gate
from vivavoce.certificate.design.history import History, history_of, history_on_record
from vivavoce.errors import BadInput, CandidateMisconfigured, OtherTerms
from vivavoce.formats.wording import signed
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

CONFIG = ComparisonConfig(seed=0)


def knows(name: str, score: float, *, salt: str = "") -> Expert:
    return Expert(score, name=f"test:{name}", salt=salt)


async def compared(*candidates: Expert, size: int = 600, config: ComparisonConfig = CONFIG, **settings: object) -> Comparison:
    return await compare([interview(candidate, **settings) for candidate in candidates], scope(size), config)


async def test_the_better_one_is_found_from_either_end() -> None:
    good, poor = knows("good", 0.9), knows("poor", 0.6, salt="other")
    first, second = await compared(good, poor), await compared(poor, good)
    assert (first.verdict, second.verdict) == ("better", "worse")
    assert first.questions == second.questions < 120
    (pair,), (turned,) = first.pairs, second.pairs
    assert pair.still_needed is None  # nothing is missing
    assert pair.difference.value == pytest.approx(-(turned.difference.value or 0.0))
    assert 0 <= pair.difference.interval.lower < 0.3 < pair.difference.interval.upper
    # by hand, over the whole list
    right = [[entry.right(scope(600).prompt(question)) for question in scope(600).questions] for entry in (good, poor)]
    truth = sum(a - b for a, b in zip(*right, strict=True)) / 600
    assert pair.difference.interval.lower <= truth <= pair.difference.interval.upper
    assert pair.better - pair.worse == pytest.approx((pair.difference.value or 0.0) * pair.difference.n)


async def test_twins_are_equal_and_without_a_margin_it_takes_all_questions() -> None:
    twins = knows("a", 0.7), knows("b", 0.7)
    equal = await compared(*twins)
    assert (equal.verdict, equal.complete) == ("equivalent", False)
    strict = await compared(*twins, size=100, config=replace(CONFIG, margin=0.0))
    assert (strict.verdict, strict.complete, strict.questions) == ("equivalent", True, 100)
    assert "All 100 questions of the scope were asked." in strict.statement


async def test_too_few_questions_are_no_conclusion_and_say_what_is_missing() -> None:
    comparison = await compared(knows("a", 0.8), knows("b", 0.7, salt="x"), config=replace(CONFIG, questions=30))
    assert (comparison.verdict, comparison.questions) == ("undecided", 30)
    assert 0 < (comparison.pairs[0].still_needed or 0) <= 570
    assert any("does not say that two candidates are equivalent" in caveat for caveat in comparison.caveats)


@pytest.mark.long
async def test_who_is_settled_is_asked_no_more() -> None:
    best, good, twin = knows("best", 0.99), knows("good", 0.5, salt="g"), knows("twin", 0.5, salt="g")
    comparison = await compared(best, good, twin, config=replace(CONFIG, margin=0.0, questions=400))
    asked = [candidate.questions for candidate in comparison.candidates]
    assert asked[0] < 100
    assert asked[1:] == [400, 400]
    assert comparison.tiers == ((0,), (1, 2))
    assert comparison.ranks == ((1, 1), (2, 3), (2, 3))
    assert [pair.verdict for pair in comparison.pairs] == ["better", "better", "undecided"]
    assert comparison.pairs[0].questions == asked[0]


async def test_what_is_on_record_is_not_asked_again(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        good = knows("good", 0.9)
        await certify(interview(good, transcript=transcript), scope(600), Criterion(0.7, None), seed=0)
        candidates = good, knows("poor", 0.6, salt="other")
        first = await compare([interview(candidate, transcript=transcript) for candidate in candidates], scope(600), CONFIG)
        known = transcript.origins["from record"]
        again = await compare([interview(candidate, transcript=transcript) for candidate in candidates], scope(600), CONFIG)
        assert known > 0  # the seed is that of the certificate, so that its questions come again
        assert transcript.origins["from record"] >= known + 2 * first.questions
        assert again.as_json() == first.as_json()
        with pytest.raises(OtherTerms, match="error allowed"):
            await compare(
                [interview(candidate, transcript=transcript) for candidate in candidates],
                scope(600),
                replace(CONFIG, delta=0.1),
            )
        other = await compare(
            [interview(candidate, transcript=transcript) for candidate in candidates],
            scope(600),
            replace(CONFIG, delta=0.04),
            again=True,
        )
        assert other.attempt is not None
        assert (other.attempt.number, other.delta < 0.005) == (2, True)


async def test_each_candidate_may_have_a_record_of_its_own(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "a.sqlite") as transcript, Transcript.open(tmp_path / "b.sqlite") as other:
        pair = [interview(knows("a", 0.9), transcript=transcript), interview(knows("b", 0.5, salt="x"), transcript=other)]
        comparison = await compare(pair, scope(600), replace(CONFIG, seed=None))
        assert comparison.attempt is not None
        assert comparison.attempt.seed.committed
        assert comparison.signature.seed == comparison.attempt.seed.number  # it is over, so the seed is told
        assert {record.candidate for record in other.records()} == {"test:b"}


async def test_a_candidate_that_is_settled_counts_what_it_answered() -> None:
    comparison = await compared(knows("a", 0.9), knows("b", 0.8, salt="x"), knows("c", 0.2, salt="y"))
    asked = [candidate.questions for candidate in comparison.candidates]
    assert asked[2] < asked[0] == asked[1]
    assert [candidate.score.n for candidate in comparison.candidates] == asked


async def test_a_budget_that_runs_out_is_told() -> None:
    comparison = await compared(knows("a", 0.8), knows("b", 0.75, salt="x"), budget=Budget(questions=40))
    assert comparison.verdict == "undecided"
    assert comparison.questions == 40
    assert any("The budget ended early: test:a, questions" in caveat for caveat in comparison.caveats)


async def test_what_cannot_be_read_is_no_evidence_unless_it_is_wrong() -> None:
    class EvasiveExpert(Expert):
        async def answer(self, prompt: Prompt, /) -> Reply:
            return Reply("Well.")

    pair = knows("good", 0.95), EvasiveExpert(0.5, name="test:mumbles")
    open_ = await compared(*pair, config=replace(CONFIG, questions=200))
    wrong = await compared(*pair, config=replace(CONFIG, unreadable="wrong"))
    assert (open_.verdict, wrong.verdict) == ("undecided", "better")
    assert open_.candidates[1].unreadable == 200
    right = open_.candidates[0].score.value or 0.0
    assert open_.pairs[0].range is not None
    assert (open_.pairs[0].range.lower, open_.pairs[0].range.upper) == pytest.approx((right - 1, right))
    assert f"The difference is between {signed(right - 1)} and {signed(right)} [" in open_.headline
    assert open_.pairs[0].unknown == 200
    assert open_.as_json()["figures"]["candidates"][1]["score"]["value_range"] == [0.0, 1.0]
    (mean, *_) = next(row.cells for table in open_.report().tables for row in table.rows if row.head.text == "mumbles")
    assert mean.text == "between 0.00 and 1.00"
    assert "value_range" not in wrong.as_json()["figures"]["candidates"][1]["score"]
    assert wrong.pairs[0].range is None
    assert open_.pairs[0].difference.interval.upper == pytest.approx(1.0, abs=0.1)
    assert any("count as wrong" in caveat for caveat in wrong.caveats)


async def test_clusters_count_once_and_categories_apart() -> None:
    questions = tuple(
        Question(f"{n}", f"Question {n}?", ("first", "second"), ("A",), category="even" if n % 2 == 0 else "odd")
        for n in range(400)
    )

    class KnowingCandidate(Expert):
        def right(self, prompt: Prompt) -> bool:
            return int(prompt.id) % 2 == self.score

    both = [interview(KnowingCandidate(0, name="test:even")), interview(KnowingCandidate(1, name="test:odd"))]
    comparison = await compare(both, ListedScope("numbers", questions), replace(CONFIG, margin=0.0, questions=100))
    assert comparison.verdict == "undecided"
    even, odd = comparison.pairs[0].categories
    assert (even.name, even.verdict, even.difference.value) == ("even", "better", 1.0)
    assert (odd.name, odd.verdict, odd.difference.value) == ("odd", "worse", -1.0)
    clustered = await compare([interview(knows("all", 1.0)), interview(knows("none", 0.0))], scope(100, copies=3), CONFIG)
    assert clustered.questions == 3 * clustered.pairs[0].difference.n


async def test_recordings_are_compared_on_what_all_of_them_have(tmp_path: Path) -> None:
    rows = "\n".join(f"{n},A,{'A' if n % 3 else 'B'}" for n in range(300))
    (tmp_path / "a.csv").write_text(f"id,new,old\n{rows}\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("id,other\n" + "\n".join(f"{n},B" for n in range(100, 400)), encoding="utf-8")
    names = [f"replay:{tmp_path}/a.csv#new", f"replay:{tmp_path}/b.csv#other"]
    comparison = await compare([interview(open_candidate(name)) for name in names], scope(400), CONFIG)
    assert comparison.left_out == 200
    assert comparison.scope_size == 200
    assert any("200 questions of the scope are left out" in caveat for caveat in comparison.caveats)
    assert any("seeds can be searched" in caveat for caveat in comparison.caveats)
    with pytest.raises(BadInput, match="no question of letters is in all recordings"):
        await compare([interview(open_candidate(name)) for name in names], scope(50, unacceptable=True), CONFIG)


async def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(BadInput, match="two candidates or more"):
        await compared(knows("alone", 0.5))
    with pytest.raises(BadInput, match="is given twice"):
        await compared(knows("a", 0.5), knows("a", 0.7))
    with pytest.raises(BadInput, match="margin"):
        ComparisonConfig(margin=1.0)


async def test_where_one_fails_all_end_with_its_error() -> None:
    class Gone(Expert):
        async def answer(self, prompt: Prompt, /) -> Reply:
            raise CandidateMisconfigured("wrong key")

    slow = replace(knows("slow", 0.5), seconds_when_right=0.05, seconds_when_wrong=0.05)
    with pytest.raises(CandidateMisconfigured, match="wrong key"):
        await compared(slow, Gone(0.5, name="test:gone"))


def test_tiers_and_places() -> None:
    assert tiers(3, set()) == ((0, 1, 2),)
    assert tiers(3, {(0, 1), (1, 0)}) == ((2,), (0, 1))  # a circle, which wrong statements alone can make
    assert places(2, {(1, 0)}) == ((2, 2), (1, 1))


def minds(*scores: float, talks: bool = False) -> list[Expert]:
    return [(TalksFirst if talks else Expert)(score, f"test:{n}", salt=f"{n}") for n, score in enumerate(scores)]


def told(finding: Any) -> dict[str, Any]:
    return dict(finding.as_json())


@pytest.mark.parametrize(
    ("scores", "config", "size", "talks"),
    [
        ((0.9, 0.6), CONFIG, 600, True),
        ((0.8, 0.75), replace(CONFIG, questions=70), 600, False),
        ((0.7, 0.7), replace(CONFIG, margin=0.3), 600, False),
        ((0.9, 0.5), CONFIG, 30, True),
        ((0.95, 0.7, 0.4), CONFIG, 400, False),
        ((0.95, 0.7, 0.4), replace(CONFIG, rule="share", margin=0.0, questions=60), 400, True),
    ],
)
async def test_blocks_change_no_finding(scores: tuple[float, ...], config: ComparisonConfig, size: int, *, talks: bool) -> None:
    by_batch = [ByBatch(mind) for mind in minds(*scores, talks=talks)]
    comparison = await compare([interview(batch) for batch in by_batch], scope(size), config)
    direct = await compare([interview(knows) for knows in minds(*scores, talks=talks)], scope(size), config)
    assert told(comparison) == told(direct)
    for batch in by_batch:
        assert set(batch.lines.values()) == {1} or talks
        assert len(batch.batches) < 20


async def test_a_gate_is_the_same_too() -> None:
    by_batch = [ByBatch(mind) for mind in minds(0.6, 0.9)]
    finding = await gate([interview(batch) for batch in by_batch], scope(600), GateConfig(seed=0))
    direct = await gate([interview(knows) for knows in minds(0.6, 0.9)], scope(600), GateConfig(seed=0))
    assert (finding.verdict, told(finding)) == ("fail", told(direct))


async def test_candidates_get_the_same_blocks_and_further_turns_cost_no_rounds() -> None:
    scores = (0.85, 0.65)
    plain, talking = ([ByBatch(mind) for mind in minds(*scores, talks=talks)] for talks in (False, True))
    for candidates in (plain, talking):
        await compare([interview(batch) for batch in candidates], scope(600), CONFIG)
    assert plain[0].batches == plain[1].batches
    assert talking[0].batches == talking[1].batches
    assert len(talking[0].batches) <= len(plain[0].batches) + 3


async def test_one_by_batch_may_be_compared_with_one_that_is_asked_at_once() -> None:
    by_batch, other = (ByBatch(minds(0.9)[0]), minds(0.9, 0.6)[1])
    comparison = await compare([interview(by_batch), interview(other)], scope(600), CONFIG)
    direct = await compare([interview(knows) for knows in minds(0.9, 0.6)], scope(600), CONFIG)
    assert told(comparison) == told(direct)


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


async def compared_with(history: History | None, *candidates: Expert, seed: int = 0, size: int = SIZE) -> Comparison:
    interviews = [interview(knows) for knows in candidates]
    return await compare(interviews, scope(size), ComparisonConfig(seed=seed), history=history)


@pytest.mark.long
async def test_a_baseline_on_record_saves_questions() -> None:
    plain = [await compared_with(None, NEW, OLD, seed=seed) for seed in range(5)]
    known = [await compared_with(earned(OLD), NEW, OLD, seed=seed) for seed in range(5)]
    assert {comparison.verdict for comparison in known} <= {"better", "not worse"}
    assert sum(comparison.questions for comparison in known) < 0.85 * sum(comparison.questions for comparison in plain)
    use = known[0].history
    assert use is not None
    assert (use.others, use.candidate_among_others, use.questions_unknown) == (1, True, 0)
    assert any(caveat.startswith("A candidate that is compared is among the others") for caveat in known[0].caveats)
    assert known[0].as_json()["figures"]["history"]["explained"] > 0.2
    assert "Known from others" in str(known[0].report())
    assert any("is among the others" in caveat for caveat in known[0].caveats)
    assert plain[0].history is None
    assert "history" not in plain[0].as_json()


async def test_from_either_end_it_is_the_same() -> None:
    first, second = await compared_with(earned(OLD), NEW, OLD), await compared_with(earned(OLD), OLD, NEW)
    assert first.questions == second.questions
    assert first.pairs[0].log_e[0] == pytest.approx(second.pairs[0].log_e[1], rel=1e-6)


async def test_of_several_each_pair_has_its_own() -> None:
    third = Expert(0.3, "test:third", salt="third")
    comparison = await compared_with(earned(OLD, Expert(0.5, "test:other")), NEW, OLD, third)
    assert [pair.verdict for pair in comparison.pairs][1:] == ["better", "better"]
    assert comparison.history is not None


@pytest.mark.long
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
