"""Who takes part in `viva consistency cases`, opened and let go of, and how far all of them have come."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.candidates.classifiers import is_classifier, open_classifier
from vivavoce.cli.asking import Asking
from vivavoce.cli.consistency.cases.cast import Cast
from vivavoce.consistency.legal.cases.config import CasesConfig
from vivavoce.consistency.legal.cases.examine import Bench, questions_in
from vivavoce.consistency.legal.cases.judges import ClassifierJudge, Judge, ModelJudge
from vivavoce.consistency.legal.cases.paraphrasing import Paraphraser, Prepared, Writer
from vivavoce.consistency.legal.cases.prompts import CLAIM
from vivavoce.consistency.legal.cases.trials import LegalCase, Paraphrase
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import CONCURRENCY, Candidate, Reply, usual_time_out
from vivavoce.interview.classifier import Judgement
from vivavoce.interview.interview import Interview, Monitor
from vivavoce.interview.outcomes import AskSettings
from vivavoce.interview.progress import Together
from vivavoce.interview.results import Results
from vivavoce.interview.transcript import Transcript


@asynccontextmanager
async def opened(
    cast: Cast,
    known: dict[str, list[Paraphrase]] | None,
    asking: Asking,
    place: tuple[Transcript, Together, Results | None],
) -> AsyncIterator[Bench]:
    """Everybody who takes part; let go of at the end. The classifier's judgements alone become rows."""
    transcript, together, results = place
    async with AsyncExitStack() as stack:

        def interview(
            candidate: Candidate[Any, Any], answers: type[Any], results: Results | None = None
        ) -> Interview[Any, Any]:
            stack.push_async_callback(close_candidate, candidate)
            return Interview(
                candidate,
                answers=answers,
                transcript=transcript,
                concurrency=asking.concurrency,
                settings=AskSettings(
                    time_out=usual_time_out(candidate) if asking.time_out is None else asking.time_out,
                    attempts=asking.attempts,
                    reply_format=asking.asking,
                ),
                monitor=Monitor(on_progress=together.one(), results=results),
            )

        judge: Judge
        if is_classifier(cast.classifier):
            judge = ClassifierJudge(interview(open_classifier(cast.classifier), Judgement, results))
        else:
            judge = ModelJudge(interview(open_candidate(cast.classifier), Reply, results), cast.claim or CLAIM)
        writer: Paraphraser | None = None
        if cast.writer is not None:
            checker = None if cast.checker is None else interview(open_candidate(cast.checker), Reply)
            writer = Writer(interview(open_candidate(cast.writer), Reply), checker)
        if known is not None and cast.paraphrases_file is not None:
            writer = Prepared(known, cast.paraphrases_file.name, otherwise=writer)
        assert writer is not None
        budget = Budget(tokens=asking.tokens, money=asking.money)
        yield Bench(judge, writer, concurrency=asking.concurrency or CONCURRENCY, budget=budget)


def expected(cast: Cast, config: CasesConfig, chosen: tuple[LegalCase, ...]) -> int:
    """About how many questions there will be, for the progress line alone."""
    attention = config.importance != "leave-one-out" and is_classifier(cast.classifier)
    asked = [cast.writer is not None and cast.paraphrases_file is None, cast.checker is not None]
    return sum(questions_in(case, config, attention=attention, writer=asked[0], checker=asked[1]) for case in chosen)
