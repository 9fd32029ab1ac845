"""Shards that were merged give the verdict of one run, for whatever can be asked in parts."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.certificate.candidates import Knows, interview, scope
from vivavoce.candidates import open_candidate
from vivavoce.certificate.composition import Composition
from vivavoce.certificate.deployed import deployment_of
from vivavoce.certificate.draws.claim import Draws
from vivavoce.certificate.examine import certify
from vivavoce.certificate.prepared_order import Beyond, Order, Prepared
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes import open_scope
from vivavoce.certificate.scopes.listed import ListedScope
from vivavoce.certificate.sharded import ask_shard, asked_beyond, prepare
from vivavoce.certificate.verdict import Criterion, Verdict
from vivavoce.errors import BadInput, OtherTerms
from vivavoce.interview.askings import Asking
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.copying import begin_as_copy, copy_key
from vivavoce.interview.merging import merge
from vivavoce.interview.record import Key
from vivavoce.interview.shard import Shard
from vivavoce.interview.transcript import Transcript

GRADE_ONLY = Criterion(0.7, None)


@dataclass(frozen=True)
class Case:
    """What is examined, and how."""

    subject: Callable[[], Any]
    composition: Composition = Composition()  # noqa: RUF009 -- frozen
    questions: int | None = 90
    criterion: Criterion = GRADE_ONLY


def weighted() -> ListedScope:
    """Sums in two categories, of unlike weights."""
    return ListedScope(
        "sums",
        tuple(
            Question(f"{n}", f"Question {n}?", options=("a", "b"), accepted=("A",), weight=1.0 + n % 3, category="ab"[n % 2])
            for n in range(120)
        ),
    )


CASES = {
    "as drawn, without an end": Case(lambda: open_scope("arithmetic?operations=+&digits=1")),
    "each once": Case(lambda: scope(500)),
    "clusters": Case(lambda: scope(60, copies=4), questions=91),
    "all there are": Case(lambda: scope(50), questions=None),
    "fixed": Case(lambda: scope(500), Composition(procedure="fixed")),
    "strata": Case(weighted, Composition("strata")),
    "weights": Case(weighted, Composition("weights")),
    "deployed": Case(lambda: deployment_of(weighted())),
    "several draws": Case(lambda: scope(20), Composition(draws=Draws.given(3, "mean", None)), questions=30),
}


async def in_shards(case: Case, who: Any, folder: Path, of: int, *, seed: int | None = 3) -> Path:
    """The merged record of so many shards, which begin from one preparation and are merged as they come."""
    prepared = folder / "prepared.sqlite"
    settled = case.criterion, case.composition
    with Transcript.open(prepared) as transcript:
        await prepare(interview(who, transcript=transcript), case.subject(), *settled, seed=seed, questions=case.questions)
    places = []
    for number in range(of):
        place = folder / f"{number}.sqlite"
        shutil.copy(prepared, place)
        if seed is None:
            copy_key(prepared, place)
        with Transcript.open(place, verified=False) as transcript:
            asking = interview(who, transcript=transcript)
            found = await ask_shard(
                asking, case.subject(), *settled, shard=Shard(number, of), seed=seed, questions=case.questions
            )
        assert found.complete
        places.append(str(place))
    merge(str(folder / "merged.sqlite"), places[::-1])
    return folder / "merged.sqlite"


def keys(place: Path) -> set[Key]:
    """Under which a record holds answers of the candidate."""
    with Transcript.open(place, must_exist=True) as transcript:
        return {record.key for record in transcript.records() if record.candidate != COMMITTER}


@pytest.mark.parametrize("name", CASES)
async def test_shards_that_were_merged_are_as_one_run(tmp_path: Path, name: str) -> None:
    case = CASES[name]
    who = open_candidate("bot:calculator?wrong=0.3") if "without an end" in name else Knows(0.75)
    merged = await in_shards(case, who, tmp_path, 3)
    asked_before = keys(merged)
    settled = case.criterion, case.composition
    with Transcript.open(tmp_path / "one.sqlite") as one, Transcript.open(merged) as transcript:
        alone = await certify(interview(who, transcript=one), case.subject(), *settled, seed=3, questions=case.questions)
        together = await certify(
            interview(who, transcript=transcript), case.subject(), *settled, seed=3, questions=case.questions
        )
        assert transcript.origins["new"] == 0
    assert together.as_json() == alone.as_json()
    assert keys(tmp_path / "one.sqlite") <= asked_before == keys(merged)
    if name == "fixed":
        assert keys(tmp_path / "one.sqlite") == asked_before


async def test_a_question_that_is_drawn_again_is_another_draw_in_whichever_shard(tmp_path: Path) -> None:
    merged = await in_shards(CASES["as drawn, without an end"], open_candidate("bot:calculator"), tmp_path, 4)
    draws = sorted(key.draw for key in keys(merged))
    assert len(draws) == 90
    assert draws[-1] >= 1  # there are 100 such sums, and 90 are drawn


async def test_sixty_four_shards_are_as_one_run_with_a_seed_that_nobody_chose(tmp_path: Path) -> None:
    case = Case(lambda: scope(20_000), questions=640, criterion=Criterion(0.7, 0.01))
    merged = await in_shards(case, Knows(1.0), tmp_path, 64, seed=None)
    assert len(keys(merged)) == 640
    with Transcript.open(merged) as transcript:
        asking = interview(Knows(1.0), transcript=transcript)
        found = await certify(asking, case.subject(), case.criterion, questions=640)
        beyond = await asked_beyond(asking, case.subject(), case.criterion, Composition(), seed=None, questions=640)
        assert transcript.origins["new"] == 0
    assert found.verdict is Verdict.UNDERSTANDS
    assert 300 < found.questions < 367  # as in one run, see `test_examine`
    assert beyond == Beyond(640, 640, found.questions)
    assert found.attempt is not None
    assert found.attempt.seed.committed
    with Transcript.open(tmp_path / "one.sqlite") as transcript:
        alone = await certify(
            interview(Knows(1.0), transcript=transcript), case.subject(), case.criterion, seed=found.attempt.seed.number
        )
    assert (alone.path, alone.score, alone.questions) == (found.path, found.score, found.questions)


async def test_what_a_shard_was_not_asked_is_asked_by_the_one_run(tmp_path: Path) -> None:
    case = CASES["each once"]
    await in_shards(case, Knows(0.75), tmp_path, 3)
    merge(str(tmp_path / "part.sqlite"), [str(tmp_path / "0.sqlite"), str(tmp_path / "2.sqlite")])
    with Transcript.open(tmp_path / "part.sqlite") as transcript:
        asking = interview(Knows(0.75), transcript=transcript)
        found = await certify(asking, case.subject(), case.criterion, case.composition, seed=3, questions=90)
        assert 0 < transcript.origins["new"] <= 30
    with Transcript.open(tmp_path / "merged.sqlite") as transcript:
        asking = interview(Knows(0.75), transcript=transcript)
        whole = await certify(asking, case.subject(), case.criterion, case.composition, seed=3, questions=90)
    assert found.as_json() == whole.as_json()


async def test_a_shard_goes_on_where_it_stopped_and_says_what_a_budget_left(tmp_path: Path) -> None:
    case = CASES["each once"]
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        await prepare(interview(Knows(1.0), transcript=transcript), case.subject(), GRADE_ONLY, questions=90)
        some = interview(Knows(1.0), transcript=transcript, budget=Budget(questions=7))
        found = await ask_shard(some, case.subject(), GRADE_ONLY, shard=Shard(1, 3), questions=90)
        assert (found.share, found.asked, found.exhausted, found.complete) == (30, 7, "questions", False)
        assert "7 of 30 questions asked; the budget for questions is used up." in found.statement
        found = await ask_shard(
            interview(Knows(1.0), transcript=transcript), case.subject(), GRADE_ONLY, shard=Shard(1, 3), questions=90
        )
        assert found.complete
        assert transcript.origins == {"new": 30, "from record": 7}


async def test_more_questions_are_prepared_over_what_was_merged(tmp_path: Path) -> None:
    case = CASES["each once"]
    merged = await in_shards(case, Knows(0.75), tmp_path, 3)
    more = replace(case, questions=120)
    with Transcript.open(merged) as transcript:
        asking = interview(Knows(0.75), transcript=transcript)
        further = await prepare(asking, more.subject(), GRADE_ONLY, seed=3, questions=120)
        assert (further.order.questions, further.attempt) == (120, 1)
    begin_as_copy(merged, tmp_path / "further.sqlite")
    with Transcript.open(tmp_path / "further.sqlite") as transcript:
        asking = interview(Knows(0.75), transcript=transcript)
        await ask_shard(asking, more.subject(), GRADE_ONLY, shard=Shard(0, 3), seed=3, questions=120)
        assert transcript.origins == {"from record": 30, "new": 10}


async def test_a_shard_that_was_not_prepared_asks_nothing(tmp_path: Path) -> None:
    shard = Shard(0, 3)
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        asking = interview(Knows(1.0), transcript=transcript)
        with pytest.raises(BadInput, match="one that is divided is prepared first"):
            await ask_shard(asking, scope(500), GRADE_ONLY, shard=shard, questions=90)
        assert transcript.head.count == 0
        await prepare(asking, scope(500), GRADE_ONLY, questions=90)
        with pytest.raises(BadInput, match=r"60 questions were not prepared .* but 90: give --questions as it was"):
            await ask_shard(asking, scope(500), GRADE_ONLY, shard=shard, questions=60)
        with pytest.raises(OtherTerms):
            await ask_shard(asking, scope(500), Criterion(0.9, None), shard=shard, questions=90)
        other = replace(scope(30), name="other letters")
        with pytest.raises(BadInput, match="one that is divided is prepared first"):
            await ask_shard(asking, other, GRADE_ONLY, shard=shard)
        assert transcript.head.count == 3
        await certify(asking, other, GRADE_ONLY)
        with pytest.raises(BadInput, match="was not prepared: run the same command with --prepare"):
            await ask_shard(asking, other, GRADE_ONLY, shard=shard)


async def test_a_machine_that_draws_otherwise_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        asking = interview(Knows(1.0), transcript=transcript)
        await prepare(asking, scope(500), GRADE_ONLY, seed=3, questions=90)
        drawn = ListedScope.draw
        monkeypatch.setattr(ListedScope, "draw", lambda self, rng: drawn(self, rng.spawn(1)[0]))  # another generator
        with pytest.raises(BadInput, match="this machine draws other questions than the one that prepared"):
            await ask_shard(asking, scope(500), GRADE_ONLY, shard=Shard(0, 3), seed=3, questions=90)
        with pytest.raises(BadInput, match="was prepared with another order"):
            await prepare(asking, scope(500), GRADE_ONLY, seed=3, questions=90)


@pytest.mark.parametrize(
    ("subject", "composition", "questions", "said"),
    [
        (lambda: [scope(50), scope(60)], Composition(), 40, "divide each scope by itself"),
        (lambda: open_scope("arithmetic"), Composition(), None, "drawn without an end: say how many"),
    ],
)
async def test_what_depends_on_answers_or_has_no_end_is_not_divided(
    subject: Callable[[], Any], composition: Composition, questions: int | None, said: str
) -> None:
    with pytest.raises(BadInput, match=said):
        await prepare(interview(Knows(1.0)), subject(), GRADE_ONLY, composition, questions=questions)


class MayHaveEndedIt:
    """Says what `Knows` would, and not that it would say it again."""

    name = "test:knows"

    async def answer(self, prompt: Prompt, /) -> Reply:
        return await Knows(1.0).answer(prompt)


async def test_a_second_try_in_another_shard_decides_nothing(tmp_path: Path) -> None:
    """A candidate that ends the program where it would be wrong, and is asked again by a shard that was begun anew."""
    case = Case(lambda: scope(8), questions=8)
    await in_shards(case, Knows(1.0), tmp_path, 2)
    first = min(keys(tmp_path / "0.sqlite"))
    with Transcript.open(tmp_path / "0.sqlite", must_exist=True) as transcript:
        [record] = transcript.find_all([first])
        assert record is not None
    begin_as_copy(tmp_path / "prepared.sqlite", tmp_path / "died.sqlite")
    with Transcript.open(tmp_path / "died.sqlite") as transcript:
        transcript.append([], askings=[Asking("asked", first, record.question, record.asked_at)])
    merge(str(tmp_path / "all.sqlite"), [str(tmp_path / name) for name in ("0.sqlite", "1.sqlite", "died.sqlite")])
    with Transcript.open(tmp_path / "all.sqlite") as transcript:
        found = await certify(interview(MayHaveEndedIt(), transcript=transcript), scope(8), GRADE_ONLY, seed=3, questions=8)
    assert found.faults == 1
    assert found.score.value != 1.0


def test_the_cost_of_asking_at_once_is_said() -> None:
    order = Order(640, "ab" * 32)
    assert "(a pass takes 337 questions at the earliest)" in Prepared("x", "s", order, 1, 337).cost
    assert "stops at its verdict; shards ask all 640" in Prepared("x", "s", order, 1, None).cost


class Refuses:
    """Is never asked."""

    name = "test:knows"

    async def answer(self, prompt: Prompt, /) -> Reply:
        raise AssertionError(prompt)


async def test_preparing_asks_nothing(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "t.sqlite") as transcript:
        await prepare(interview(Refuses(), transcript=transcript), scope(500), GRADE_ONLY, questions=90)
        assert {record.candidate for record in transcript.records()} == {COMMITTER}
        assert not list(transcript.askings())
