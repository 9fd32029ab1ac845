"""Who takes part in `viva consistency cases`, opened and let go of, and how far all of them have come."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import is_classifier, open_classifier
from vivavoce.consistency.legal.cases.examine import Bench, SetUp
from vivavoce.consistency.legal.cases.judges import ClassifierJudge, Judge, ModelJudge
from vivavoce.consistency.legal.cases.paraphrasing import Paraphraser, Prepared, Writer
from vivavoce.consistency.legal.cases.prompts import CLAIM
from vivavoce.consistency.legal.cases.trials import LegalCase, Paraphrase
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import CONCURRENCY, Candidate, Reply
from vivavoce.interview.classifier import Judgement
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Together
from vivavoce.interview.results import Results
from vivavoce.interview.transcript import Transcript

if TYPE_CHECKING:
    from vivavoce.cli.consistency.cases.order import Order


@asynccontextmanager
async def opened(
    order: Order,
    known: dict[str, list[Paraphrase]] | None,
    transcript: Transcript,
    together: Together,
    results: Results | None,
) -> AsyncIterator[Bench]:
    """Everybody who takes part; let go of at the end. The classifier's judgements alone become rows."""
    async with AsyncExitStack() as stack:

        def interview(
            candidate: Candidate[Any, Any], answers: type[Any], results: Results | None = None
        ) -> Interview[Any, Any]:
            stack.push_async_callback(close_candidate, candidate)
            return Interview(
                candidate,
                answers=answers,
                transcript=transcript,
                concurrency=order.asking.concurrency,
                time_out=order.asking.time_out,
                attempts=order.asking.attempts,
                on_progress=together.one(),
                asking=order.asking.asking,
                results=results,
            )

        judge: Judge
        if is_classifier(order.classifier):
            judge = ClassifierJudge(interview(open_classifier(order.classifier), Judgement, results))
        else:
            judge = ModelJudge(interview(open_candidate(order.classifier), Reply, results), order.claim or CLAIM)
        writer: Paraphraser | None = None
        if order.writer is not None:
            checker = None if order.checker is None else interview(open_candidate(order.checker), Reply)
            writer = Writer(interview(open_candidate(order.writer), Reply), checker)
        if known is not None and order.paraphrases_file is not None:
            writer = Prepared(known, order.paraphrases_file.name, otherwise=writer)
        assert writer is not None
        budget = Budget(tokens=order.asking.tokens, money=order.asking.money)
        yield Bench(judge, writer, source=order.cases.name, concurrency=order.asking.concurrency or CONCURRENCY, budget=budget)


def expected(order: Order, setup: SetUp, chosen: tuple[LegalCase, ...]) -> int:
    """About how many questions there will be, for the progress line alone."""
    attention = order.importance != "leave-one-out" and is_classifier(order.classifier)
    asked = [order.writer is not None and order.paraphrases_file is None, order.checker is not None]
    return sum(setup.questions(case, attention=attention, writer=asked[0], checker=asked[1]) for case in chosen)
