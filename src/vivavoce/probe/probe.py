"""A probe from its first question to its finding: search, random questions, and new questions for each failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import Prompt, Reply, is_deterministic
from vivavoce.interview.interview import Interview
from vivavoce.interview.requests import holds_conversation
from vivavoce.interview.scope import Signature
from vivavoce.probe.arms import ProbeArm, Topic, topics_of
from vivavoce.probe.config import ProbeConfig
from vivavoce.probe.confirmation import ProbeSearch, random_examination
from vivavoce.probe.conversations import ConversationGrader, ConversationHolder, FollowUpWriter, RuleGrader
from vivavoce.probe.finding import KIND, KindCounts, ProbeFinding, SearchCounts, ask_new_questions
from vivavoce.probe.follow_ups import KINDS, PLAIN, FollowUpKind, written
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.studies.study import settings_in_signature
from vivavoce.version import __version__

_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class ProbeHelpers:
    """Models that help; without any, sentences are fixed and the scope's rule grades."""

    examiner: str = ""
    """Its name; empty: none."""
    writer: FollowUpWriter | None = None
    """Writes follow-ups as the examiner."""
    judge: str = ""
    grader: ConversationGrader | None = None
    """Grades by the judge; None: by the scope's rule."""
    interviews: tuple[Interview[Prompt, Reply], ...] = ()
    """The interviews with both, for their caveats and their share of the budget."""


async def probe(
    interview: Interview[Prompt, Reply],
    scope: EndlessScope | ListedScope,
    config: ProbeConfig,
    helpers: ProbeHelpers = ProbeHelpers(),
    *,
    title: str = "",
) -> ProbeFinding:
    """Search for failures, repeat them, and test how common they are.

    title: the scope's name for readers; empty: its own. Raises `BadInput` if the candidate can't hold a conversation, or the
    scope has no question that can be graded, and passes on the interview's errors.
    """
    if not holds_conversation(interview.candidate):
        raise BadInput(
            f"{clipped(interview.candidate.name, 120)} can't hold a conversation: use a model ('chat:', 'inspect:'), or a "
            "function with an argument annotated 'Prompt', which has the earlier turns in 'prompt.conversation'"
        )
    topics = topics_of(scope, search=config.calls, fresh=config.fresh, seed=config.seed)
    if helpers.grader is None and (without := [q.id for topic in topics for q in topic.search if q.open_ended]):
        raise BadInput(f"question '{clipped(without[0], 80)}' has a rubric and no answer: name a model as --judge")
    grader = helpers.grader or RuleGrader(scope)
    holder = ConversationHolder(interview, scope, grader, writer=helpers.writer, limit=config.calls)
    arms = arms_of(topics, with_writer=helpers.writer is not None)
    search = ProbeSearch(holder, arms, config, is_deterministic(interview.candidate))
    await search.run()
    random: ProbeSearch | None = None
    random_holder = ConversationHolder(interview, scope, grader, limit=holder.calls, known=holder.known)
    interviews = (interview, *helpers.interviews)
    if config.random and not _exhausted(interviews):
        random = await random_examination(random_holder, topics, config, deterministic=search.deterministic)
    fresh = ConversationHolder(interview, scope, grader, writer=helpers.writer, known=holder.known)
    by_name = {topic.name: topic for topic in topics}
    fresh.ended = bool(_exhausted(interviews))
    modes = await ask_new_questions(fresh, by_name, search.confirmed, config)
    name = title or scope.name
    return ProbeFinding(
        candidate=interview.candidate.name,
        scope=name,
        config=config,
        topics=tuple(by_name),
        modes=tuple(sorted(modes, key=lambda mode: (not mode.common, -(mode.share.value or 0.0)))),
        unconfirmed=tuple(failure for failure in search.failures if not failure.confirmed),
        kinds=kind_counts(search.arms),
        search=_counts(search, holder),
        random=None if random is None else _counts(random, random_holder),
        signature=Signature(
            __version__,
            KIND,
            clipped(interview.candidate.name, _LONGEST_NAME),
            clipped(name, _LONGEST_NAME),
            scope.digest,
            config.seed,
            settings_in_signature(config) | interview.settings,
        ),
        new_calls=fresh.calls,
        unfinished=search.unfinished,
        exhausted=_exhausted(interviews),
        examiner=helpers.examiner,
        judge=helpers.judge,
        deterministic=search.deterministic,
        asked_so=tuple(dict.fromkeys(caveat for each in interviews for caveat in each.caveats)),
    )


def _exhausted(interviews: Sequence[Interview[Prompt, Reply]]) -> str:
    """The limit of the budget that ended one of them; empty if none did."""
    return next((interview.exhausted for interview in interviews if interview.exhausted), "")


def arms_of(topics: Sequence[Topic], *, with_writer: bool = False) -> list[ProbeArm]:
    """All arms, the plain ones first; with a writer, it words the follow-ups that it can."""
    kinds: Sequence[FollowUpKind] = [PLAIN, *(written(kind) if with_writer else kind for kind in KINDS)]
    return [ProbeArm(topic, kind) for kind in kinds for topic in topics]


def kind_counts(arms: Sequence[ProbeArm]) -> tuple[KindCounts, ...]:
    """The arms of each kind together."""
    kinds = {arm.kind.name: arm.kind for arm in arms}
    groups = {name: [arm for arm in arms if arm.kind.name == name] for name in kinds}
    return tuple(
        KindCounts(
            name,
            kinds[name].about,
            sum(arm.held for arm in group),
            sum(arm.unread for arm in group),
            sum(arm.failed for arm in group),
            sum(arm.is_confirmed for arm in group),
        )
        for name, group in groups.items()
    )


def _counts(search: ProbeSearch, holder: ConversationHolder) -> SearchCounts:
    modes = tuple(f"{failure.conversation.topic}, {failure.conversation.kind}" for failure in search.confirmed)
    return SearchCounts(holder.calls, search.conversations, len(search.failures) + search.unfinished, modes)
