"""Who takes part in `viva consistency cases`, opened and let go of, and how far all of them have come."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
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
from vivavoce.interview.candidate import Candidate, Reply, Usage
from vivavoce.interview.classifier import Judgement
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Progress
from vivavoce.interview.transcript import Transcript

if TYPE_CHECKING:
    from vivavoce.cli.cases import Order


class Together:
    """Adds up how far several interviews have come, and tells it after every step of any of them.

    expected: questions of all of them together, as far as one knows.
    """

    def __init__(self, on_progress: Callable[[Progress], None], *, expected: int | None) -> None:
        self._on_progress = on_progress
        self._expected = expected
        self._latest: dict[int, Progress] = {}

    def one(self) -> Callable[[Progress], None]:
        """What to call on the progress of one more interview."""
        number = len(self._latest)
        self._latest[number] = Progress(0, 0, 0, 0, 0, 0, Usage(), 0.0, None)

        def tell(progress: Progress) -> None:
            self._latest[number] = progress
            self._on_progress(self.sum)

        return tell

    @property
    def sum(self) -> Progress:
        """All interviews as one."""
        every = self._latest.values()
        return Progress(
            asked=sum(one.asked for one in every),
            answered=sum(one.answered for one in every),
            from_record=sum(one.from_record for one in every),
            no_answers=sum(one.no_answers for one in every),
            retries=sum(one.retries for one in every),
            in_flight=sum(one.in_flight for one in every),
            usage=sum((one.usage for one in every), Usage()),
            seconds=max((one.seconds for one in every), default=0.0),
            expected=self._expected,
        )


@asynccontextmanager
async def opened(
    order: Order, known: dict[str, list[Paraphrase]] | None, transcript: Transcript, together: Together
) -> AsyncIterator[Bench]:
    """Everybody who takes part; let go of at the end."""
    async with AsyncExitStack() as stack:

        def interview(candidate: Candidate[Any, Any], answers: type[Any]) -> Interview[Any, Any]:
            stack.push_async_callback(close_candidate, candidate)
            return Interview(
                candidate,
                answers=answers,
                transcript=transcript,
                at_once=order.asking.at_once,
                time_out=order.asking.time_out,
                attempts=order.asking.attempts,
                on_progress=together.one(),
            )

        judge: Judge
        if is_classifier(order.classifier):
            judge = ClassifierJudge(interview(open_classifier(order.classifier), Judgement))
        else:
            judge = ModelJudge(interview(open_candidate(order.classifier), Reply), order.claim or CLAIM)
        writer: Paraphraser | None = None
        if order.writer is not None:
            checker = None if order.checker is None else interview(open_candidate(order.checker), Reply)
            writer = Writer(interview(open_candidate(order.writer), Reply), checker)
        if known is not None and order.paraphrases_file is not None:
            writer = Prepared(known, order.paraphrases_file.name, otherwise=writer)
        assert writer is not None
        budget = Budget(tokens=order.asking.tokens, money=order.asking.money)
        yield Bench(judge, writer, source=order.cases.name, at_once=order.asking.at_once, budget=budget)


def expected(order: Order, setup: SetUp, chosen: tuple[LegalCase, ...]) -> int:
    """About how many questions there will be, for the progress line alone."""
    attention = order.importance != "leave-one-out" and is_classifier(order.classifier)
    asked = [order.writer is not None and order.paraphrases_file is None, order.checker is not None]
    return sum(setup.questions(case, attention=attention, writer=asked[0], checker=asked[1]) for case in chosen)
