"""A comparison whose questions many machines ask, each a part of them, of all candidates (see `certificate.sharded`)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import combinations

import numpy as np

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.comparison.compare import begun, checked, terms_of
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.drawing import PairedDrawing, paired_drawing
from vivavoce.certificate.comparison.history import known, with_known
from vivavoce.certificate.comparison.judging import Interviews
from vivavoce.certificate.comparison.order import Order
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.graders.in_order import all_together
from vivavoce.certificate.history import History
from vivavoce.certificate.prepared_order import (
    ENDLESS,
    TOPIC,
    Beyond,
    Prepared,
    ShardAsked,
    check_order,
    longest_order,
    order_of,
    write_order,
)
from vivavoce.certificate.questions import Question
from vivavoce.certificate.sharded import asked_of
from vivavoce.certificate.verdict import answers_topic
from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Prompt, Usage
from vivavoce.interview.commitment import COMMITTER
from vivavoce.interview.scope import Scope
from vivavoce.interview.shard import Shard


async def prepare_comparison(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig = ComparisonConfig(),  # noqa: B008 -- frozen
    *,
    drawing: Drawing = "scope",
    history: History | None = None,
    again: bool | timedelta = False,
) -> Prepared:
    """Begin a comparison that shards will ask: its attempt, seed and order go on record, and nothing is asked.

    The parameters are those of `compare`, whose verdict the answers of all shards give, once they are merged. Raises `BadInput`
    where questions have no end.
    """
    begun = await _begun(interviews, scope, config, drawing, history, again=again, on_record=False)
    held, drawn = begun.attempt.held, order_of(begun.prompts(config.questions))
    await asyncio.to_thread(write_order, interviews[0], held, config.questions, drawn)
    return Prepared(held.terms.candidate, scope.name, drawn, held.number, None)


async def ask_comparison_shard(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig = ComparisonConfig(),  # noqa: B008 -- frozen
    *,
    shard: Shard,
    drawing: Drawing = "scope",
    history: History | None = None,
) -> ShardAsked:
    """Put this part of the prepared questions to all candidates, side by side; each question counts once for each of them.

    Raises `BadInput` where the record does not begin with a preparation, or this machine draws other questions.
    """
    begun = await _begun(interviews, scope, config, drawing, history, again=False, on_record=True)
    held, drawn = begun.attempt.held, order_of(begun.prompts(config.questions))
    await asyncio.to_thread(check_order, interviews[0].transcript, held, config.questions, drawn)
    firsts = [held.first_draws.get(one.name_on_record, 0) for one in interviews]
    asking = [
        asked_of(one, begun.prompts(config.questions), scope.name, shard, first_draw)
        for one, first_draw in zip(interviews, firsts, strict=True)
    ]
    asked, no_answers = (sum(counts) for counts in zip(*await all_together(asking), strict=True))
    exhausted = next((one.exhausted for one in interviews if one.exhausted), "")
    spending = sum((one.spending for one in interviews), Usage())
    share, name = len(interviews) * shard.share(drawn.questions), held.terms.candidate
    return ShardAsked(name, scope.name, shard, share, asked, no_answers, exhausted, spending)


async def compared_beyond(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig,
    *,
    drawing: Drawing = "scope",
    history: History | None = None,
) -> Beyond | None:
    """What shards asked beyond what `compare` has just found, of all candidates; None where nothing was prepared for it."""
    transcript = interviews[0].transcript
    if not await asyncio.to_thread(transcript.knows_topic, COMMITTER, TOPIC):
        return None
    counted = sum(len(one.handed_out) for one in interviews)
    begun = await _begun(interviews, scope, config, drawing, history, again=False, on_record=True, endless=True)
    longest = await longest_order(transcript, begun.attempt.held)
    if longest is None:
        return None
    most, prepared = longest
    topic = answers_topic(scope.name)
    firsts = begun.attempt.held.first_draws
    answered = sum(
        [
            await one.on_record(begun.prompts(most), topic=topic, first_draw=firsts.get(one.name_on_record, 0))
            for one in interviews
        ]
    )
    return Beyond(prepared.questions * len(interviews), answered, counted)


@dataclass(frozen=True, slots=True)
class _Begun:
    """A comparison whose terms are on record."""

    scope: Scope[Question]
    config: ComparisonConfig
    drawing: PairedDrawing
    attempt: Attempt

    def prompts(self, questions: int | None) -> Iterator[Prompt]:
        """What is asked of each candidate, up to so many questions."""
        drawn = self.drawing.draw(np.random.default_rng(self.attempt.seed.number))
        return Order(self.scope, replace(self.config, questions=questions), drawn).prompts()


async def _begun(
    interviews: Interviews,
    scope: Scope[Question],
    config: ComparisonConfig,
    drawing: Drawing,
    history: History | None,
    *,
    again: bool | timedelta,
    on_record: bool,
    endless: bool = False,
) -> _Begun:
    """The comparison with its terms on record; `endless`: there may be any number of questions. Raises `BadInput`."""
    scope, _ = checked(scope, interviews, config.repeated)
    pairs = tuple(combinations(range(len(interviews)), 2))
    names = [one.candidate.name for one in interviews]
    drawn = with_known(paired_drawing(drawing, scope, config.repeated), history, names, pairs)
    if config.questions is None and drawn.population is None and not endless:
        raise BadInput(ENDLESS)
    terms = terms_of(interviews, scope, config, **drawn.settings, **known(history, config.margin))
    attempt = await begun(interviews, terms, scope, history, again=again, on_record=on_record)
    return _Begun(scope, config, drawn, attempt)
