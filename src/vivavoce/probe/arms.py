"""Topics with kinds of conversation, and which of them to try next.

A failure rate is drawn for each arm (Thompson sampling, `thompson1933`), from a model in which arms of one kind resemble each
other: the kind has a rate with a beta prior, and its arms have rates around that. The arm with the most expected failures for
each call comes next. A conversation about a new question tries its topic's questions alone as well, since it hardly goes well
if they fail. Likewise, several wordings are tried in one question, and several follow-ups in one turn; only if that fails, each
is tried by itself.

Questions by topic: some for the search, and others that only the test of common failures may use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.errors import BadInput
from vivavoce.probe.conversations import ConversationPlan
from vivavoce.probe.follow_ups import PLAIN, FollowUpKind, joined, rng_of
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.questions import Question, Unit

LOOKED_AT: Final = 400
"""Units of an endless scope in which its topics are looked for."""
_MOST_DRAWS: Final = 50_000
NO_TOPIC: Final = "all questions"


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with its questions, each part in random order. No unit of the scope is in both."""

    name: str
    search: tuple[Question, ...]
    fresh: tuple[Question, ...]


@dataclass(slots=True)
class _Parts:
    search: list[Question] = field(default_factory=list)
    fresh: list[Question] = field(default_factory=list)


def topics_of(scope: EndlessScope | ListedScope, *, search: int, fresh: int, seed: int) -> tuple[Topic, ...]:
    """The topics of a scope, which are the categories of its questions, in alphabetical order.

    search, fresh: most questions of each topic for the search, where the scope is endless, and for new questions. One question
    of each unit is used. Half of a topic's listed questions are for the search, at least one. Questions that are
    drawn by weight count the same here. Raises `BadInput` if no question can be graded by a rule or a judge.

    >>> from vivavoce.scopes import open_scope
    >>> rows = [{"question": f"{n} + 1?", "answer": str(n + 1), "category": "sums"} for n in range(5)]
    >>> [(topic.name, len(topic.search), len(topic.fresh)) for topic in topics_of(open_scope(rows), search=9, fresh=9, seed=0)]
    [('sums', 3, 2)]
    """
    rng = np.random.default_rng([seed, 1])
    if isinstance(scope, ListedScope):
        parts = _halved((scope.units[i] for i in rng.permutation(len(scope.units))), rng)
    else:
        parts = _drawn(scope, rng, search, fresh)
    topics = tuple(Topic(name, tuple(part.search), tuple(part.fresh[:fresh])) for name, part in sorted(parts.items()))
    if not topics:
        raise BadInput(f"'{scope.name[:120]}' has no question with a known right answer")
    return topics


def _one(unit: Unit, rng: np.random.Generator) -> Question | None:
    """A question of the unit whose answers can be right or wrong by themselves."""
    usable = [question for question in unit if not question.judged_by_law]
    return usable[int(rng.integers(len(usable)))] if usable else None


def _halved(units: Iterable[Unit], rng: np.random.Generator) -> Mapping[str, _Parts]:
    parts: dict[str, _Parts] = {}
    for question in filter(None, (_one(unit, rng) for unit in units)):
        part = parts.setdefault(question.category or NO_TOPIC, _Parts())
        (part.search if len(part.search) <= len(part.fresh) else part.fresh).append(question)
    return parts


def _drawn(scope: EndlessScope, rng: np.random.Generator, search: int, fresh: int) -> Mapping[str, _Parts]:
    """Questions for all topics of the first units, each text once, in turn for the search and for new questions."""
    parts: dict[str, _Parts] = {}
    seen: set[str] = set()
    for number, unit in enumerate(islice(scope.draw(rng), _MOST_DRAWS)):
        question = _one(unit, rng)
        if question is None or question.text in seen:
            continue
        name = question.category or NO_TOPIC
        if number >= LOOKED_AT and name not in parts:
            continue
        part = parts.setdefault(name, _Parts())
        is_new = len(part.fresh) < min(fresh, len(part.search))
        if is_new or len(part.search) < search:
            (part.fresh if is_new else part.search).append(question)
            seen.add(question.text)
        if number > LOOKED_AT and all(len(p.search) == search and len(p.fresh) >= fresh for p in parts.values()):
            break
    return parts


PRIOR_FAILED: Final = 0.5
PRIOR_PASSED: Final = 5.0
"""The beta prior of a kind's rate."""
ALIKE: Final = 8.0
"""How alike the arms of a kind are: their common rate weighs as much as so many conversations of one arm."""
KNOWN_KIND: Final = 0.03
"""Weight of failures of a kind that is confirmed on another topic, since they are probably the same failure."""


@dataclass(slots=True)
class SeenQuestions:
    """What the search knows of questions, by id."""

    alone: dict[str, bool | None] = field(default_factory=dict)
    """Whether the question asked alone was answered wrongly; None if that is not known."""
    passed: set[str] = field(default_factory=set)
    """Questions with a right reply in a conversation that did not begin with them."""

    def is_new(self, question: Question) -> bool:
        """Whether nothing is known of it."""
        return question.id not in self.alone and question.id not in self.passed


@dataclass(slots=True)
class ProbeArm:
    """A topic with a kind of conversation, and what the search has seen of it."""

    topic: Topic
    kind: FollowUpKind
    held: int = 0
    """Questions tried, with those that were answered wrongly alone and so were not followed up."""
    unread: int = 0
    """Of these, conversations whose outcome is not known."""
    failed: int = 0
    rests: bool = False
    """Whether a failure of it is confirmed, or no question is left."""
    is_confirmed: bool = False
    tried: set[str] = field(default_factory=set)
    """Questions used, by id."""


@dataclass(frozen=True, slots=True)
class ProbeTrial:
    """A planned conversation, and the arms of its topic that it tries: several if their kinds are joined."""

    arms: tuple[ProbeArm, ...]
    plan: ConversationPlan

    def apart(self, seed: int) -> list[ProbeTrial]:
        """A trial of each arm by itself, about the same question."""
        plans = [(arm, plan_of(arm.topic, arm.kind, self.plan.question, seed)) for arm in self.arms]
        return [ProbeTrial((arm,), plan) for arm, plan in plans if plan is not None]


def plan_of(topic: Topic, kind: FollowUpKind, question: Question, seed: int) -> ConversationPlan | None:
    """The conversation of this kind about a question; None if the kind does not apply to it.

    A rule of another tool grades whole replies, so it can't grade the reply to "Why?".
    """
    turns = kind.make(question, topic.search, rng_of(question, kind.name, seed))
    return None if turns is None or (question.rule and turns[-1].text) else ConversationPlan(topic.name, kind, question, turns)


@dataclass(slots=True)
class _TopicProgress:
    """How far the questions of a topic are used for the search."""

    topic: Topic
    asked_alone: int
    """Questions asked alone that were not wrong."""
    passed: int
    """Further questions with a right reply in another conversation."""
    has_new: bool


@dataclass(slots=True)
class ArmChooser:
    """Chooses trials; the arms and `seen` change as the search goes on."""

    arms: Sequence[ProbeArm]
    seen: SeenQuestions
    seed: int

    def choose(self, number: int, rng: np.random.Generator) -> list[ProbeTrial]:
        """So many trials, or fewer if no question is left."""
        progress = {arm.topic.name: self._progress(arm.topic) for arm in self.arms if arm.kind is PLAIN}
        trials: list[ProbeTrial] = []
        while len(trials) < number and (groups := self._groups()):
            values = self._values(groups, progress, rng)
            trial = self._trial(groups[int(np.argmax(values))])
            if trial is not None:
                trials.append(trial)
        return trials

    def _progress(self, topic: Topic) -> _TopicProgress:
        ids = {question.id for question in topic.search}
        asked = ids & self.seen.alone.keys()
        passed = len(ids & self.seen.passed - asked)
        right = sum(self.seen.alone[name] is not True for name in asked)
        return _TopicProgress(topic, right, passed, len(asked) + passed < len(ids))

    def _groups(self) -> list[list[ProbeArm]]:
        """The arms that do not rest: together if they can be tried at once, follow-ups also without the longest ones."""
        known = self._known_kinds()
        groups: dict[object, list[ProbeArm]] = {}
        for arm in self.arms:
            if not arm.rests:
                is_joined = arm.kind.joins and arm.kind.name not in known
                groups.setdefault((arm.topic.name, arm.kind.joins if is_joined else arm.kind.name), []).append(arm)
        follow_ups = [group for group in groups.values() if group[0].kind.joins == "follow-up"]
        shorter = [[arm for arm in group if arm.kind.turns == 2] for group in follow_ups]
        return [*groups.values(), *filter(None, shorter)]

    def _known_kinds(self) -> set[str]:
        return {arm.kind.name for arm in self.arms if arm.is_confirmed and arm.kind is not PLAIN}

    def _trial(self, group: Sequence[ProbeArm]) -> ProbeTrial | None:
        """The arms' next conversation about a question that was not wrong alone; None if none is left, so that they rest.

        A kind that begins with the question alone takes one that was asked before, which saves a call; others take new ones.
        """
        topic, follows_up = group[0].topic, _follows_up(group[0].kind)
        tried = set().union(*(arm.tried for arm in group))
        left = [question for question in topic.search if question.id not in tried and not self.seen.alone.get(question.id)]
        left.sort(key=lambda question: question.id not in self.seen.alone if follows_up else not self.seen.is_new(question))
        for question in left:
            usable = []
            for arm in group:
                arm.tried.add(question.id)
                if plan_of(topic, arm.kind, question, self.seed) is not None:
                    usable.append(arm)
            if usable:
                kind = joined([arm.kind for arm in usable]) if usable[1:] else usable[0].kind
                plan = plan_of(topic, kind, question, self.seed)
                assert plan is not None
                return ProbeTrial(tuple(usable), plan)
        for arm in group:
            arm.rests = True
        return None

    def _values(
        self, groups: Sequence[Sequence[ProbeArm]], progress: dict[str, _TopicProgress], rng: np.random.Generator
    ) -> list[float]:
        """Expected failures for each call of a trial of each group, with rates that are drawn."""
        rates = dict(zip(map(id, self.arms), self._rates(progress, rng), strict=True))
        alone = {arm.topic.name: 0.0 if arm.rests else rates[id(arm)] for arm in self.arms if arm.kind is PLAIN}
        known = self._known_kinds()
        values = []
        for group in groups:
            kind, topic = max((arm.kind for arm in group), key=lambda kind: kind.turns), progress[group[0].topic.name]
            rate = sum(rates[id(arm)] for arm in group)
            if kind is PLAIN:
                values.append(rate)
            elif kind.name in known:
                values.append(KNOWN_KIND * rate)
            elif _follows_up(kind) and topic.asked_alone > max(len(arm.tried) for arm in group):
                values.append(rate / (kind.turns - 1))
            else:
                questions = topic.has_new * (1 if kind.begins_alone else kind.turns)
                values.append((rate + questions * alone[topic.topic.name]) / kind.turns)
        return values

    def _rates(self, progress: dict[str, _TopicProgress], rng: np.random.Generator) -> NDArray[np.float64]:
        """A rate for each arm, drawn from its distribution given what was seen."""
        names = list(dict.fromkeys(arm.kind.name for arm in self.arms))
        kinds = np.array([names.index(arm.kind.name) for arm in self.arms])
        failed = np.array([arm.failed for arm in self.arms])
        passed = np.array(
            [arm.held - arm.failed + (progress[arm.topic.name].passed if arm.kind is PLAIN else 0) for arm in self.arms]
        )
        common = rng.beta(PRIOR_FAILED + np.bincount(kinds, failed), PRIOR_PASSED + np.bincount(kinds, passed))
        expected = np.clip(common[kinds], 1e-6, 1 - 1e-6)
        return np.asarray(rng.beta(ALIKE * expected + failed, ALIKE * (1 - expected) + passed))


def _follows_up(kind: FollowUpKind) -> bool:
    return kind is not PLAIN and kind.begins_alone
