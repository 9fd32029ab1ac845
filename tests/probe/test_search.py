"""Failures are confirmed by an exact test, shortened, and looked for where the search has not looked; counts match a hand
calculation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import comb

import numpy as np
import pytest

from tests.probe.planted import PlantedHolder, topics
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.conversations import Conversation, ConversationPlan, HeldTurn
from vivavoce.probe.follow_ups import KINDS, PLAIN, rng_of, with_places
from vivavoce.probe.modes import ModeCounts, ask_new_questions, selected
from vivavoce.probe.probe import arms_of, kind_counts
from vivavoce.probe.search import Holder, ProbeFailure, ProbeSearch, plan_of, random_examination, recurs
from vivavoce.probe.topics import topics_of
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Question
from vivavoce.statistics.confidence_sequences import rate_above
from vivavoce.studies.variations.kinds import Wording

TOPICS = topics(3, 40)


def tail(k: int, n: int, p: float) -> float:
    """P(at least k of n), summed."""
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


@pytest.mark.parametrize(("n", "rate"), [(8, 0.1), (8, 0.3), (5, 0.05), (20, 0.25)])
def test_a_failure_is_confirmed_if_the_binomial_tail_is_small(n: int, rate: float) -> None:
    assert [recurs(k, n, rate) for k in range(n + 1)] == [k > 0 and tail(k, n, rate) <= 0.05 for k in range(n + 1)]


def test_the_ends_of_the_interval_of_repeats_have_tails_of_two_and_a_half_percent() -> None:
    talk = Conversation(ConversationPlan("t", PLAIN, TOPICS[0].search[0], ()), (), failed=True)
    estimate = ProbeFailure(talk, recurred=3, repeats=8, confirmed=True).rate
    assert (estimate.value, estimate.n) == (0.375, 8)
    assert tail(3, 8, estimate.interval.lower) == pytest.approx(0.025)
    assert 1 - tail(4, 8, estimate.interval.upper) == pytest.approx(0.025)
    assert ProbeFailure(talk, 0, 0, confirmed=True, always=True).rate.value is None


async def searched(holder: PlantedHolder, **settings: int | bool) -> ProbeSearch:
    search = ProbeSearch(holder, arms_of(TOPICS), ProbeConfig(**settings), deterministic=False)  # type: ignore[arg-type]
    await search.run()
    return search


async def test_a_planted_fault_is_found_once_and_its_arm_rests() -> None:
    holder = PlantedHolder({("topic 1", "sure"): 1.0}, seed=0, limit=600)
    search = await searched(holder, calls=600)
    assert [(failure.conversation.topic, failure.conversation.kind) for failure in search.confirmed] == [("topic 1", "sure")]
    arm = next(arm for arm in search.arms if arm.is_confirmed)
    assert (arm.topic.name, arm.kind.name, arm.failed, arm.rests) == ("topic 1", "sure", arm.held, True)
    counts = {entry.kind: entry for entry in kind_counts(search.arms)}
    assert (counts["sure"].failed, counts["sure"].confirmed) == (arm.failed, 1)
    assert all(entry.failed == 0 for name, entry in counts.items() if name != "sure")


async def test_a_question_that_is_wrong_alone_is_not_followed_up() -> None:
    faults = {("topic 0", "plain"): 1.0, ("topic 0", "sure"): 1.0, ("topic 0", "capitals"): 1.0}
    search = await searched(PlantedHolder(faults, seed=1, limit=500), calls=500)
    assert {(failure.conversation.topic, failure.conversation.kind) for failure in search.failures} == {("topic 0", "plain")}
    others = [arm for arm in search.arms if arm.topic.name == "topic 0" and arm.kind is not PLAIN]
    assert sum(arm.held for arm in others) > 0
    assert sum(arm.failed for arm in others) == 0


async def test_a_failure_that_does_not_recur_is_not_confirmed() -> None:
    search = await searched(PlantedHolder({("topic 2", "why"): 0.5}, seed=2, limit=900, recurs=0.0), calls=900)
    assert search.failures
    assert not search.confirmed
    assert all(failure.recurred == 0 for failure in search.failures)


async def test_equal_answers_to_equal_questions_are_not_repeated() -> None:
    holder = PlantedHolder({("topic 0", "sure"): 1.0}, seed=0, limit=500)
    search = ProbeSearch(holder, arms_of(TOPICS), ProbeConfig(calls=500), deterministic=True)
    await search.run()
    assert [(failure.repeats, failure.always, failure.confirmed) for failure in search.failures] == [(0, True, True)]


class Scripted:
    """Fails if the last turn still has the needed ones before it (a `Holder` of conversations about texts)."""

    def __init__(self, needed: frozenset[str]) -> None:
        self._needed = needed
        self.calls = 0
        self.full = False

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]:
        self.calls += len(plans)
        return [self._held(plan) for plan in plans]

    def _held(self, plan: ConversationPlan) -> Conversation:
        texts = {turn.question.text for turn in plan.turns[:-1]}
        turns = tuple(HeldTurn(replace(_PROMPT, text=turn.text or turn.question.text), _REPLY) for turn in plan.turns)
        return Conversation(plan, turns, bool(texts) and self._needed <= texts)


_PROMPT, _REPLY = Prompt(""), Reply("Answer: B")


@pytest.mark.parametrize("needed", [0, 1])
async def test_a_failure_is_shortened_to_the_turns_it_needs(needed: int) -> None:
    kind = next(kind for kind in KINDS if kind.name == "after-two")
    plan = plan_of(TOPICS[0], kind, TOPICS[0].search[0], seed=0)
    assert plan is not None
    holder = Scripted(frozenset({plan.turns[needed].question.text}))
    search = ProbeSearch(holder, arms_of(TOPICS), ProbeConfig(), deterministic=True)
    arm = next(arm for arm in search.arms if arm.kind is kind)
    await search.hold([(arm, plan)])
    (failure,) = search.failures
    assert [turn.question.text for turn in failure.conversation.plan.turns] == [
        plan.turns[needed].question.text,
        plan.question.text,
    ]


async def test_the_random_examination_asks_each_question_alone_once() -> None:
    holder = PlantedHolder({("topic 0", "plain"): 1.0, ("topic 1", "sure"): 1.0}, seed=3)
    search = await random_examination(holder, TOPICS, ProbeConfig(), deterministic=False)
    assert [(failure.conversation.topic, failure.conversation.kind) for failure in search.confirmed] == [("topic 0", "plain")]
    assert search.conversations == 120
    assert holder.calls == 120 + 8


def test_claims_and_intervals_match_the_rule() -> None:
    """e-BH with 4 e-values at 5%: the k-th largest must be at least 80 / k, so 90 and 45 are selected, 20 (< 26.7) is not."""
    counts = [ModeCounts(9, 30, log_e=float(np.log(e))) for e in (45.0, 1.0, 90.0, 20.0)]
    chosen = selected(counts, common=0.05, delta=0.05)
    assert [is_common for is_common, _ in chosen] == [True, False, True, False]
    (_, first), (_, second) = chosen[0], chosen[2]
    assert first is not None
    assert first == second
    assert first.lower < 0.3 < first.upper
    narrower = selected(counts[:1], common=0.05, delta=0.05)[0][1]
    assert narrower is not None
    assert first.lower < narrower.lower, "two of four are held at 97.5%, one of one at 95%"
    unknown = selected([ModeCounts(9, 30, 10, log_e=9.0)], common=0.05, delta=0.05)[0][1]
    assert unknown is not None
    assert (unknown.lower, unknown.upper > narrower.upper) == (narrower.lower, True)


async def test_new_questions_are_none_that_the_search_saw() -> None:
    holder = PlantedHolder({("topic 1", "sure"): 0.5}, seed=4, limit=900)
    search = await searched(holder, calls=900)
    fresh = Spy(PlantedHolder({("topic 1", "sure"): 0.5}, seed=4))
    (mode,) = await ask_new_questions(fresh, {topic.name: topic for topic in TOPICS}, search.confirmed, ProbeConfig(fresh=40))
    assert fresh.questions == {question.id for question in TOPICS[1].fresh}
    assert not fresh.questions & {question.id for topic in TOPICS for question in topic.search}
    assert (mode.counts.asked, mode.counts.unknown, mode.common) == (40, 0, True)
    process = rate_above(0.05)
    process.update([1.0] * mode.counts.failed + [0.0] * (40 - mode.counts.failed))
    assert mode.counts.log_e == pytest.approx(process.log_e)


class Spy:
    """Notes which questions are asked."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self.questions: set[str] = set()

    @property
    def calls(self) -> int:
        return self._holder.calls

    @property
    def full(self) -> bool:
        return self._holder.full

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]:
        self.questions |= {plan.question.id for plan in plans}
        return await self._holder.hold(plans, again=again)


def test_each_kind_keeps_the_right_answer() -> None:
    question = Question("q", "Which of these is the largest city?", ("Oslo", "Rome", "Bern"), ("B",), unacceptable=("C",))
    others = [replace(question, id=f"q{i}", text=f"Which is city {i}?") for i in range(4)]
    for kind in (PLAIN, *KINDS):
        turns = kind.make(question, others, rng_of(question, kind.name, 0))
        assert turns is not None, kind.name
        last = turns[-1].question
        right = {last.options[last.letters.index(letter)] for letter in last.accepted}
        absurd = {last.options[last.letters.index(letter)] for letter in last.unacceptable}
        assert (right, absurd) == ({"Rome"}, {"Bern"}), kind.name
    assert {len(kind.sources) for kind in KINDS} <= {0, 1}
    moved = with_places(question, Wording(question.text, ("Bern", "Oslo", "Rome"), places=(2, 0, 1)))
    assert (moved.accepted, moved.unacceptable) == (("C",), ("A",))


def test_a_unit_is_never_both_searched_and_new() -> None:
    rows = [
        {"question": f"{n} + {k}?", "answer": str(n + k), "cluster": f"c{n}", "category": f"sums {n % 3}"}
        for n in range(30)
        for k in (1, 2)
    ]
    found = topics_of(open_scope(rows), search=100, fresh=100, seed=5)
    assert [(len(topic.search), len(topic.fresh)) for topic in found] == [(5, 5)] * 3
    clusters = [question.cluster for topic in found for question in (*topic.search, *topic.fresh)]
    assert len(set(clusters)) == len(clusters) == 30
    assert topics_of(open_scope(rows), search=100, fresh=100, seed=5) == found
    assert topics_of(open_scope(rows), search=100, fresh=100, seed=6) != found


@pytest.mark.parametrize(
    ("text", "capitals"),
    [
        ("Which gas do we breathe out?", "WHICH GAS DO WE BREATHE OUT?"),
        ("Which of 3 is in 2 of 5?", "WHICH OF 3 IS IN 2 OF 5?"),
        ("How many watts are 5 mW?", None),
        ("What does `len` return?", None),
        ("What is at https://example.org/a?", None),
    ],
)
def test_capitals_are_left_out_where_they_change_the_question(text: str, capitals: str | None) -> None:
    kind = next(kind for kind in KINDS if kind.name == "capitals")
    turns = kind.make(Question("q", text, accepted=("1",)), (), np.random.default_rng(0))
    assert (None if turns is None else turns[0].question.text) == capitals


def test_a_rule_for_whole_replies_does_not_grade_the_reply_to_why() -> None:
    question = replace(TOPICS[0].search[0], options=(), accepted=(), rule='{"type": "contains", "value": "Paris"}')
    made = {kind.name for kind in (PLAIN, *KINDS) if plan_of(TOPICS[0], kind, question, seed=0) is not None}
    assert made == {"plain", "near-miss", "after-two", "context", "typos", "capitals"}


@pytest.mark.parametrize(
    ("name", "sizes"), [("arithmetic?digits=1&operations=+", (50, 50)), ("arithmetic?operations=+", (90, 60))]
)
def test_an_endless_scope_with_few_questions_is_halved(name: str, sizes: tuple[int, int]) -> None:
    """There are 100 sums of two digits from 0 to 9."""
    (topic,) = topics_of(open_scope(name), search=90, fresh=60, seed=0)
    assert (len(topic.search), len(topic.fresh)) == sizes
    assert len({question.id for question in (*topic.search, *topic.fresh)}) == sum(sizes)
