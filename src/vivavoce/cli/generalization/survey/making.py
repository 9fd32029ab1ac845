"""The cards of a survey, as they are made from the command line: from files, or by asking a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vivavoce.cli.asking import Asking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.generalization.survey.cards import CandidateAnswers
    from vivavoce.generalization.survey.rules import Card
    from vivavoce.interview.candidate import Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview

PAIRS = 300
"""Of a survey, unless it is said."""
MOST_ASKED = 500
"""Questions put to the candidate, unless it is said."""
SHOWN = 3
"""Cards of a dry run."""
TRIED = 20
"""Questions that a dry run asks at most to find as many answers that can be shown."""


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for on the command line."""

    name: str
    database: str | None
    base_url: str
    asking: Asking
    scope: str | None
    candidate: str | None
    by: Literal["machine", "person"]
    recorded: tuple[Path, ...]
    pairs: int | None
    questions: int | None
    longest: int
    predictor: Path | None
    stage: int | None
    balanced: bool
    seed: int
    title: str | None
    pairs_each: int
    answers_each: int
    told: Literal["machine", "either"]
    ask_why: bool
    codes: str | None
    return_url: str
    contact: str
    pay: float | None
    save: Path | None
    dry_run: bool
    as_json: bool

    @property
    def wanted(self) -> int:
        """Questions that the candidate is asked at most."""
        return self.questions or min(MOST_ASKED, 2 * (self.pairs or PAIRS))


@dataclass(frozen=True, slots=True)
class Interviewed:
    """What became of the questions that were put to the candidate."""

    questions: int
    """That were drawn."""
    asked: int
    outcomes: Mapping[str, int]
    shown: int
    """Answers that can be shown."""
    right: int
    """Of these."""
    budget: str
    """Which limit of it ended the questions; empty while none has."""
    tokens: int
    money: float


def from_files(order: Order) -> Sequence[Card]:
    """The pairs of all files, or as many as are wanted of them. Raises `BadFile`, `BadInput`."""
    from dataclasses import replace

    from vivavoce.generalization.survey.recorded import read_cards

    pool = [card for file in order.recorded for card in read_cards(file)]
    if order.pairs is not None or order.predictor is not None:
        return _chosen(order, pool, order.pairs or min(PAIRS, len(pool)), informed=True)
    return [
        replace(card, number=number, stage=card.stage if order.stage is None else order.stage)
        for number, card in enumerate(pool, 1)
    ]


def from_candidate(order: Order) -> tuple[Sequence[Card], Interviewed]:
    """The pairs, and what became of the questions; of a dry run a few. Raises `BadInput` where nothing can be shown."""
    import numpy as np

    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.errors import BadInput
    from vivavoce.generalization.survey.cards import ask_answers, draw_questions, pool_of

    scope: Any = open_scope(order.scope or "")
    questions: list[Any] = draw_questions(scope, order.wanted, np.random.default_rng([order.seed, 0]), longest=order.longest)
    if len(questions) < 2:
        raise BadInput(f"'{order.scope}' has {len(questions)} questions of up to {order.longest} characters: a pair needs 2")
    enough = SHOWN if order.dry_run else None

    async def ask(interview: Interview[Prompt, Reply]) -> tuple[CandidateAnswers, Usage]:
        tried = questions[:TRIED] if order.dry_run else questions
        return await ask_answers(interview, scope, tried, expected=enough), interview.spending

    candidate = open_candidate(order.candidate or "")
    (answers, spent), _ = order.asking.examined(candidate, ask, expected=enough or len(questions))
    if not answers.observed:
        outcomes = ", ".join(f"{number} {outcome}" for outcome, number in answers.outcomes.items())
        raise BadInput(f"no answer can be shown: {outcomes or 'none came'}; try --dry-run")
    pool = pool_of(answers, np.random.default_rng([order.seed, 1]), by=order.by)
    wanted = min(SHOWN, len(pool)) if order.dry_run else order.pairs or min(PAIRS, len(pool))
    told = Interviewed(
        questions=len(questions),
        asked=sum(answers.outcomes.values()),
        outcomes=answers.outcomes,
        shown=len(answers.observed),
        right=sum(one.right for one in answers.observed),
        budget=answers.exhausted,
        tokens=spent.tokens,
        money=spent.money,
    )
    return _chosen(order, pool, wanted, informed=not order.dry_run), told


def _chosen(order: Order, pool: Sequence[Card], n: int, *, informed: bool) -> Sequence[Card]:
    """Pairs of a pool; of a dry run's few answers uniformly, for a predictor needs the others to rank them."""
    import numpy as np

    from vivavoce.generalization.survey.cards import choose_cards

    predictor = None
    if order.predictor is not None and informed:
        from vivavoce.generalization.predictors.model_store import open_predictor

        predictor, _ = open_predictor(order.predictor)
    balanced = order.balanced and informed
    rng = np.random.default_rng([order.seed, 2])
    return choose_cards(pool, n, rng=rng, predictor=predictor, stage=order.stage, balanced=balanced)
