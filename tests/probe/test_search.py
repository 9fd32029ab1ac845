"""Failures are found, and looked for where the search has not looked; claims match a hand calculation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.probe.planted import PlantedHolder, hashed, topics
from vivavoce.probe.arms import plan_of, topics_of
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.confirmation import Holder, ProbeSearch, random_examination
from vivavoce.probe.conversations import Conversation, ConversationPlan
from vivavoce.probe.finding import ModeCounts, ask_new_questions, selected
from vivavoce.probe.follow_ups import ANSWER_AGAIN, KINDS, PLAIN, joined, rng_of, with_places
from vivavoce.probe.probe import arms_of, kind_counts
from vivavoce.scopes import open_scope
from vivavoce.scopes.questions import Question
from vivavoce.statistics.confidence_sequences import rate_above
from vivavoce.studies.variations.kinds import Wording

TOPICS = topics(3, 40)


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


async def test_the_random_examination_asks_each_question_alone_once() -> None:
    holder = PlantedHolder({("topic 0", "plain"): 1.0, ("topic 1", "sure"): 1.0}, seed=3)
    search = await random_examination(holder, TOPICS, ProbeConfig(), deterministic=False)
    assert [(failure.conversation.topic, failure.conversation.kind) for failure in search.confirmed] == [("topic 0", "plain")]
    assert search.conversations == 120
    assert holder.calls == 120 + search.confirmed[0].repeats


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
    """Notes which conversations are held."""

    def __init__(self, holder: Holder) -> None:
        self._holder = holder
        self.held: list[tuple[str, str]] = []
        """Kind and question of each."""

    @property
    def questions(self) -> set[str]:
        return {question for _, question in self.held}

    @property
    def calls(self) -> int:
        return self._holder.calls

    @property
    def full(self) -> bool:
        return self._holder.full

    async def hold(self, plans: Sequence[ConversationPlan], *, again: bool = False) -> list[Conversation | None]:
        self.held += [(plan.kind.name, plan.question.id) for plan in plans]
        return await self._holder.hold(plans, again=again)


def test_kinds_that_are_joined_hold_the_words_of_each() -> None:
    question = Question("q", "Which gas do we breathe out, and how much of it every day?", accepted=("1",))
    rng = np.random.default_rng(0)
    by_sort = {sort: [kind for kind in KINDS if kind.joins == sort] for sort in ("wording", "follow-up", "earlier")}
    (worded,) = joined(by_sort["wording"]).make(question, (), rng) or ()
    assert worded.question.text.isupper()
    assert "WHICH GAS DO WE BREATHE OUT, AND HOW MUCH OF IT EVERY DAY?" not in worded.question.text
    assert worded.question.text.count(".") > 0, "an irrelevant sentence"
    first, second, third = joined(by_sort["follow-up"]).make(question, (), rng) or ()
    apart = [kind.make(question, (), rng) or () for kind in by_sort["follow-up"]]
    assert first == apart[0][0]
    assert all(turns[1].text.removesuffix(ANSWER_AGAIN).strip() in second.text for turns in apart)
    assert second.text.count("Are you sure?") == second.text.count(ANSWER_AGAIN) == 1
    assert third == next(turns for turns in apart if turns[2:])[2]
    assert len(joined(by_sort["earlier"]).make(question, TOPICS[0].search, rng) or ()) == 3


async def test_kinds_are_tried_at_once_and_apart_only_after_a_failure() -> None:
    """Half of the questions fail in capitals: only these are asked again in each wording by itself."""
    names = ("plain", "context", "typos", "capitals")
    arms = [arm for arm in arms_of(TOPICS) if arm.kind.name in names]
    holder = Spy(PlantedHolder({("topic 1", "capitals"): 0.5}, seed=0, limit=60))
    search = ProbeSearch(holder, arms, ProbeConfig(calls=60), deterministic=True)
    await search.run()
    assert [failure.conversation.kind for failure in search.confirmed] == ["capitals"]
    apart = {question for kind, question in holder.held if kind == "typos"}
    together = {question for kind, question in holder.held if "capitals" in kind and "+" in kind}
    assert 1 <= len(apart) < len(together) / 2
    assert all(hashed(0, question, "capitals") < 0.5 for question in apart)


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
