"""Conversations are held, recorded and resumed; what can't be read is no failure; and the report says what was found."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.probe import killed
from tests.probe.pupils import Pupil, gives_up_when_sure, sums
from vivavoce.errors import BadInput
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.finding import ProbeFinding
from vivavoce.probe.probe import probe
from vivavoce.render.page import page
from vivavoce.scopes import open_scope

CONFIG = ProbeConfig(calls=500, fresh=30)


async def probed(
    pupil: Pupil,
    *,
    config: ProbeConfig = CONFIG,
    transcript: Transcript | None = None,
    budget: Budget = Budget(),  # noqa: B008 -- frozen
    deterministic: bool = False,
) -> ProbeFinding:
    candidate = pupil.candidate(deterministic=deterministic)
    interview = Interview(candidate, answers=Reply, transcript=transcript, budget=budget, concurrency=4)
    return await probe(interview, sums(), config)


@pytest.fixture(scope="module")
def finding() -> ProbeFinding:
    return asyncio.run(probed(Pupil(gives_up_when_sure)))


async def test_a_planted_fault_is_found_confirmed_and_called_common(finding: ProbeFinding) -> None:
    assert [(mode.topic, mode.kind_name, mode.common) for mode in finding.modes] == [("high", "sure", True)]
    (mode,) = finding.modes
    assert (mode.example.recurred, mode.example.repeats, mode.example.same_words) == (2, 2, True)
    assert "Repeats in the same words each time show little more than one repeat would." in finding.caveats
    interval = mode.share.interval
    assert interval.lower < 1 / 3 < interval.upper
    assert mode.share.value == pytest.approx(mode.counts.failed / mode.counts.asked)
    talk = mode.example.conversation
    right = int(talk.answer)
    assert right % 3 == 0
    assert [turn.replied for turn in talk.turns] == [f"Answer: {right}", f"Answer: {right + 1}"]
    assert finding.random is not None
    assert (finding.random.modes, finding.search.modes) == ((), ("high, sure",))
    assert finding.search.calls <= 500
    words = finding.headline
    assert words.startswith("function:pupil fails in 1 confirmed way, found in ")
    assert 'Shown to be common: on “high”, when asked "Are you sure?", ' in words


async def test_nothing_is_confirmed_where_nothing_is_planted() -> None:
    finding = await probed(Pupil(lambda _, __: None))
    assert (finding.modes, finding.unconfirmed, finding.new_calls) == ((), (), 0)
    assert finding.headline == f"No failure is confirmed in {finding.search.conversations} conversations with function:pupil."


async def test_what_cannot_be_read_is_never_a_failure() -> None:
    for mumbled in ("Well, who knows.", "Answer: yes", ""):
        finding = await probed(Pupil(lambda texts, _, mumbled=mumbled: mumbled if len(texts) > 1 else None))  # type: ignore[misc]
        assert (finding.modes, finding.unconfirmed) == ((), ()), mumbled
        several = [entry for entry in finding.kinds if entry.kind in ("sure", "why", "near-miss", "pressed")]
        assert all(entry.held == entry.unread > 0 for entry in several)


async def test_a_missing_answer_ends_a_conversation_and_is_no_failure() -> None:
    def fails(texts: list[str], _: int) -> str | None:
        if len(texts) > 1:
            raise RuntimeError("the tool broke")
        return None

    finding = await probed(Pupil(fails), config=replace(CONFIG, calls=200))
    assert (finding.modes, finding.unconfirmed) == ((), ())


async def test_a_failure_happens_always_where_equal_questions_get_equal_answers() -> None:
    finding = await probed(Pupil(gives_up_when_sure), deterministic=True)
    (mode,) = finding.modes
    assert (mode.example.always, mode.example.repeats) == (True, 0)
    assert any("a repeat shows nothing new" in caveat for caveat in finding.caveats)


async def test_a_rerun_asks_nothing_and_finds_the_same(tmp_path: Path, finding: ProbeFinding) -> None:
    first, second = Pupil(gives_up_when_sure), Pupil(gives_up_when_sure)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        once = await probed(first, transcript=transcript)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        again = await probed(second, transcript=transcript)
    assert first.asked
    assert not second.asked
    assert once.as_json() == again.as_json() == finding.as_json()


@pytest.mark.parametrize("questions", [1, 37, 150, 480, 510])
async def test_a_budget_that_ends_anywhere_is_resumed_there(tmp_path: Path, finding: ProbeFinding, questions: int) -> None:
    """Also in the middle of a conversation, of repeats, of random questions and of new ones."""
    first, second = Pupil(gives_up_when_sure), Pupil(gives_up_when_sure)
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        short = await probed(first, transcript=transcript, budget=Budget(questions=questions))
    assert (short.exhausted, len(first.asked)) == ("questions", questions)
    assert short.statement.endswith("The budget of questions ran out before the end.")
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        whole = await probed(second, transcript=transcript)
    assert whole.as_json() == finding.as_json()
    alone = Pupil(gives_up_when_sure)
    await probed(alone)
    assert len(first.asked) + len(second.asked) == len(alone.asked)


@pytest.mark.long
@pytest.mark.parametrize("moment", [1, 9, 22])
def test_a_process_killed_between_two_turns_asks_no_call_twice(tmp_path: Path, moment: int) -> None:
    """The calls of both processes together are those of a run that was not killed, repeats included."""
    command = [sys.executable, "-m", "tests.probe.killed", str(tmp_path / "run.sqlite"), str(tmp_path / "calls"), str(moment)]
    root = Path(__file__).parents[2]
    ran = subprocess.run(command, cwd=root, timeout=120, check=False)
    assert ran.returncode == -signal.SIGKILL
    before = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    resumed = asyncio.run(killed.run(tmp_path / "run.sqlite", tmp_path / "calls"))
    whole = asyncio.run(killed.run(tmp_path / "whole.sqlite", tmp_path / "all calls"))
    both = (tmp_path / "calls").read_text(encoding="utf-8").splitlines()
    assert 0 < len(before) < len(both)
    assert Counter(both) == Counter((tmp_path / "all calls").read_text(encoding="utf-8").splitlines())
    assert resumed == whole


async def test_the_cost_of_an_answer_counts_once(finding: ProbeFinding) -> None:
    """Each prompt of draw 0 is asked once, although conversations and the random examination share first turns."""
    pupil = Pupil(gives_up_when_sure)
    interview = Interview(pupil.candidate(), answers=Reply, concurrency=4)
    await probe(interview, sums(), CONFIG)
    assert len(interview.results.rows) == 0
    assert finding.random is not None
    total = finding.search.calls + finding.random.calls + finding.new_calls
    assert len(pupil.asked) < total


async def test_new_questions_come_from_the_other_half(finding: ProbeFinding) -> None:
    without = await probed(Pupil(gives_up_when_sure), config=replace(CONFIG, fresh=0, random=False))
    assert (without.random, without.new_calls) == (None, 0)
    assert [(mode.counts.asked, mode.common) for mode in without.modes] == [(0, False)]
    assert without.headline.endswith(" conversations.")
    assert finding.modes[0].example.conversation.question == without.modes[0].example.conversation.question


async def test_a_candidate_or_a_scope_that_does_not_fit_is_refused() -> None:
    from vivavoce.candidates import open_candidate

    with pytest.raises(BadInput, match="can't hold a conversation"):
        await probe(Interview(open_candidate("bot:calculator"), answers=Reply), sums(), CONFIG)
    rubric = open_scope([{"question": "Why?", "rubric": "10: says why"}])
    with pytest.raises(BadInput, match="name a model as --judge"):
        await probe(Interview(Pupil(gives_up_when_sure).candidate(), answers=Reply), rubric, CONFIG)
    with pytest.raises(BadInput, match="calls is 0"):
        ProbeConfig(calls=0)


HOSTILE = "<script>alert(1)</script>\x1b[2J\u202eevil"


async def test_hostile_words_are_harmless_on_the_page() -> None:
    rows = [
        {"question": f"What is {n} plus 1? {HOSTILE}", "answer": str(n + 1), "category": f"sums {HOSTILE}"} for n in range(40)
    ]
    pupil = Pupil(lambda texts, right: f"{HOSTILE}\nAnswer: {right + 1}" if "Are you sure" in texts[-1] else None)
    interview = Interview(pupil.candidate(), answers=Reply, concurrency=4)
    finding = await probe(interview, open_scope(rows), replace(CONFIG, calls=300))
    assert finding.modes
    from datetime import UTC, datetime

    text = page([finding], made=datetime(2026, 1, 1, tzinfo=UTC), version="1")
    assert "<script>alert" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;alert(1)" in text
    values = json.loads(json.dumps(finding.as_json(), allow_nan=False))
    assert values["kind"] == "probe"
    assert values["figures"]["modes"][0]["example"]["conversation"]["kind"] == "sure"
    assert re.search(r"What the search found is never an estimate", text)
