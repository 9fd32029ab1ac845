"""Candidates that may answer differently each time: what a gate asks of them, and what claims on a list say."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import Guesser, of, tasks
from tests.each_case import each_case
from vivavoce.candidates.bots import Calculator, Errors
from vivavoce.candidates.replay import Replay
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import Gate, gate
from vivavoce.certificate.config import Drawing
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope

LIST = tasks(40)
HALF = Criterion(0.5, None)
BY_THESE = "(these answers; '--draws 1' tests the model"


@dataclass
class DeclaredDeterministic(Guesser):
    """One of which it is said that it answers the same each time; that is so where it is `constant`."""

    declared_deterministic: bool = True
    constant: bool = True
    calls: list[str] = field(default_factory=list)

    async def answer(self, prompt: Prompt, /) -> Reply:
        self.calls.append(prompt.id)
        if self.constant:
            self.asked.clear()
        return await super().answer(prompt)


def declared(name: str, p: float, **settings: Any) -> DeclaredDeterministic:
    return DeclaredDeterministic(of(LIST, p).p, name, **settings)


def recording(name: str, right: int) -> Replay:
    return Replay(f"replay:{name}", {q.id: f"Answer: {'A' if n < right else 'B'}" for n, q in enumerate(LIST.questions)})


async def gated(*candidates: Any, **settings: Any) -> Gate:
    with Transcript.open(None) as record:
        config = GateConfig(seed=1, margin=0.1, questions=settings.pop("questions", 120))
        return await gate([interview(candidate, transcript=record) for candidate in candidates], LIST, config, **settings)


async def test_a_gate_asks_a_sampling_model_afresh_at_every_draw() -> None:
    new, old = of(LIST, 0.8, name="test:new"), of(LIST, 0.8, name="test:old", seed=1)
    finding = await gated(new, old)
    assert finding.comparison.drawn is not None, "as with --draws 1"
    assert not finding.comparison.complete
    assert finding.comparison.questions > LIST.size, "a list that is run to its end proves nothing about them"
    assert "drawn with replacement and answered afresh once each" in finding.statement
    assert new.asked.total() >= finding.comparison.questions


async def test_equal_answers_do_not_show_that_they_stay_equal() -> None:
    always = of(LIST, 1.0, name="test:always")  # says the same as often as it is asked, and has not been declared
    finding = await gated(always, of(LIST, 1.0, name="test:other"))
    assert finding.comparison.drawn is not None


@pytest.mark.parametrize(
    "both",
    [(declared("test:new", 0.9), declared("test:old", 0.9, seed=1)), (recording("a.csv#x", 30), recording("a.csv#y", 30))],
)
async def test_who_answers_the_same_each_time_is_asked_each_question_once(both: tuple[Any, Any]) -> None:
    finding = await gated(*both)
    assert finding.comparison.drawn is None
    assert finding.comparison.questions <= LIST.size
    assert "replacement" not in finding.statement
    assert BY_THESE not in finding.statement


@each_case(("number", "again"), [(4, 1), (9, 1), (10, 1), (19, 1), (60, 6), (99, 9), (150, 10)])
async def test_a_declaration_costs_one_question_of_ten_up_to_ten(number: int, again: int) -> None:
    scope = tasks(200)
    same = DeclaredDeterministic(of(scope, 0.9).p, "test:same")
    with Transcript.open(None) as record:
        fixed = Composition(procedure="fixed")
        certificate = await certify(interview(same, transcript=record), scope, HALF, fixed, seed=0, questions=number)
        assert certificate.questions == number
        assert len(same.calls) == number + again
        twice = [name for name in dict.fromkeys(same.calls) if same.calls.count(name) == 2]
        assert twice == [name for index, name in enumerate(dict.fromkeys(same.calls)) if index % 10 == 0][:again]
        asked = len(same.calls)
        await certify(interview(same, transcript=record), scope, HALF, fixed, seed=0, questions=number)
        assert len(same.calls) == asked


async def test_each_side_of_a_gate_is_asked_again_as_often_as_its_questions_allow() -> None:
    new, old = declared("test:new", 0.9), declared("test:old", 0.9, seed=1)
    finding = await gated(new, old)
    for entry, compared in zip((new, old), finding.comparison.candidates, strict=True):
        assert compared.questions <= LIST.size
        assert len(entry.calls) - len(set(entry.calls)) == compared.questions // 10


async def test_a_false_declaration_ends_the_run() -> None:
    false = declared("test:false", 0.5, constant=False)
    with pytest.raises(BadInput, match=r"test:false is not deterministic: to question .* it said") as info:
        await gated(false, declared("test:old", 0.9))
    assert "leave out '?deterministic=yes'" in str(info.value)
    assert len(false.calls) < LIST.size, "it ends there and then"
    with pytest.raises(BadInput, match="is not deterministic"):
        await certify(interview(declared("test:false", 0.5, constant=False)), LIST, HALF, seed=0)
    with pytest.raises(BadInput, match="is not deterministic"):  # also where fewer than ten questions are asked
        await certify(interview(declared("test:false", 0.5, constant=False)), LIST, Criterion(0.5, None), seed=0, questions=6)


async def test_certificates_and_comparisons_of_a_list_say_that_they_are_about_these_answers() -> None:
    coin, other = of(LIST, 0.9), of(LIST, 0.4, name="test:other")
    assert f"{BY_THESE})" in (await certify(interview(coin), LIST, HALF, seed=0)).headline
    assert f"{BY_THESE})" in (await certify(interview(coin), [LIST], HALF, seed=0)).headline
    comparison = await compare([interview(unsure) for unsure in (coin, other)], LIST, ComparisonConfig(seed=0))
    assert f"on tasks {BY_THESE}s): " in comparison.headline
    with_one = await compare([interview(coin), interview(declared("test:same", 0.4))], LIST, ComparisonConfig(seed=0))
    assert BY_THESE in with_one.headline, "one of the two may answer differently"
    for same in (declared("test:same", 0.9), Calculator(Errors())):
        scope = LIST if isinstance(same, DeclaredDeterministic) else open_scope("arithmetic")
        assert "these" not in (await certify(interview(same), scope, HALF, seed=0)).headline
    endless = await certify(
        interview(Guesser({}, name="test:none", unreadable=1.0)), open_scope("arithmetic"), HALF, seed=0, questions=5
    )
    assert "these" not in endless.headline, "each of its questions is a draw of its own"


async def test_a_person_is_not_asked_again_and_again() -> None:
    person, other = of(LIST, 0.9, name="human:p07"), declared("test:other", 0.9, seed=1)
    finding = await gated(person, other)
    assert finding.comparison.drawn is None
    assert (await certify(interview(person), LIST, HALF, seed=0)).headline == (
        "human:p07 passes tasks (these answers): 100% correct (shown: at least 50%), 50% required."
    )


async def test_recordings_are_judged_by_these_recorded_answers() -> None:
    first, second = recording("a.csv#x", 38), recording("a.csv#y", 10)
    assert (await certify(interview(first), LIST, HALF, seed=0)).headline == (
        "replay:a.csv#x passes tasks (these recorded answers): 100% correct (shown: at least 50%), 50% required."
    )
    finding = await gated(second, first)
    assert finding.headline.startswith("Fail: y is worse than x on tasks (these recorded answers): ")
    assert any("Questions may have been chosen by them" in caveat for caveat in finding.caveats)
    against = await gated(of(LIST, 0.9), first)
    assert against.comparison.drawn is not None
    assert any("it is about these recorded answers" in caveat for caveat in against.caveats)


async def test_a_function_beside_a_recording_leaves_the_warning_about_the_recording() -> None:
    function = of(LIST, 0.9, name="function:model:answer")
    for both in ((function, recording("a.csv#x", 38)), (recording("a.csv#x", 38), function)):
        caveats = " ".join((await gated(*both)).caveats)
        assert "Questions may have been chosen by them" in caveats
        assert "reading the seed there" in caveats


@pytest.mark.parametrize(("drawing", "option"), [("strata", "--strata"), ("weights", "--set importance-weighting")])
async def test_ways_to_draw_each_question_once_are_refused_at_a_gate(drawing: Drawing, option: str) -> None:
    with pytest.raises(BadInput, match=f"may answer differently each time.* {option} draws each once"):
        await gated(of(LIST, 0.9), recording("a.csv#x", 38), drawing=drawing)
