"""The cards of a survey, as they are made from the command line: from files, or by asking a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vivavoce.cli.asking import Asking
from vivavoce.generalization.config import PAIRS, SurveyConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.generalization.survey.card_file import SurveyCard
    from vivavoce.generalization.survey.cards import CandidateAnswers
    from vivavoce.interview.candidate import Prompt, Reply, Usage
    from vivavoce.interview.interview import Interview

SHOWN = 3
"""Cards of a dry run."""
TRIED = 20
"""Questions that a dry run asks at most to find as many answers that can be shown."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the pairs of a survey come from."""

    scope: str | None
    candidate: str | None
    recorded: tuple[Path, ...]
    predictor: Path | None
    dry_run: bool
    asking: Asking
    arms: tuple[str, ...] = ()
    """Of the survey, which say what else is asked of the candidate."""


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


def from_files(source: Source, config: SurveyConfig) -> Sequence[SurveyCard]:
    """The pairs of all files, or as many as are wanted of them. Raises `BadFile`, `BadInput`."""
    from dataclasses import replace

    from vivavoce.generalization.survey.card_file import read_cards

    pool = [card for file in source.recorded for card in read_cards(file)]
    if config.pairs is not None or source.predictor is not None:
        return _with_more(source, config, _chosen(source, config, pool, config.pairs or min(PAIRS, len(pool))), pool)
    numbered = [
        replace(card, number=number, stage=card.stage if config.stage is None else config.stage)
        for number, card in enumerate(pool, 1)
    ]
    return _with_more(source, config, numbered, pool)


def from_candidate(source: Source, config: SurveyConfig) -> tuple[Sequence[SurveyCard], Interviewed]:
    """The pairs, and what became of the questions; of a dry run a few. Raises `BadInput` where nothing can be shown."""
    import numpy as np

    from vivavoce.candidates import open_candidate
    from vivavoce.errors import BadInput
    from vivavoce.generalization.survey.cards import ask_answers, ask_self_reports, draw_questions, pool_of
    from vivavoce.generalization.survey.plan import Arm
    from vivavoce.scopes import open_scope

    scope: Any = open_scope(source.scope or "")
    questions: list[Any] = draw_questions(scope, config, np.random.default_rng([config.seed, 0]))
    if len(questions) < 2:
        raise BadInput(f"'{source.scope}' has {len(questions)} questions of up to {config.longest} characters: a pair needs 2")
    enough = SHOWN if source.dry_run else None

    async def ask(interview: Interview[Prompt, Reply]) -> tuple[CandidateAnswers, Usage]:
        tried = questions[:TRIED] if source.dry_run else questions
        answers = await ask_answers(interview, scope, tried, expected=enough)
        kinds = {Arm.named(name).kind for name in source.arms}
        return await ask_self_reports(interview, answers, kinds), interview.spending

    candidate = open_candidate(source.candidate or "")
    asked_of_each = 1 + len({"explanation", "confidence"} & set(source.arms))
    (answers, spent), _ = source.asking.examined(candidate, ask, expected=(enough or len(questions)) * asked_of_each)
    if not answers.observed:
        outcomes = ", ".join(f"{number} {outcome}" for outcome, number in answers.outcomes.items())
        raise BadInput(f"no answer can be shown: {outcomes or 'none came'}; try --dry-run")
    pool = pool_of(answers, np.random.default_rng([config.seed, 1]), by=config.by)
    wanted = min(SHOWN, len(pool)) if source.dry_run else config.pairs or min(PAIRS, len(pool))
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
    return _with_more(source, config, _chosen(source, config, pool, wanted), pool), told


def _chosen(source: Source, config: SurveyConfig, pool: Sequence[SurveyCard], n: int) -> Sequence[SurveyCard]:
    """Pairs of a pool; of a dry run's few answers uniformly, for a predictor needs the others to rank them."""
    import numpy as np

    from vivavoce.generalization.survey.cards import choose_cards

    informed, predictor = bool(source.recorded) or not source.dry_run, None
    if source.predictor is not None and informed:
        from vivavoce.generalization.predictors.model_store import open_predictor

        predictor, _ = open_predictor(source.predictor)
    rng = np.random.default_rng([config.seed, 2])
    return choose_cards(pool, n, rng=rng, predictor=predictor, stage=config.stage, balanced=config.balanced and informed)


def _with_more(
    source: Source, config: SurveyConfig, cards: Sequence[SurveyCard], pool: Sequence[SurveyCard]
) -> Sequence[SurveyCard]:
    """The cards with as many further answers as some arm shows."""
    import numpy as np

    from vivavoce.generalization.survey.cards import with_more_answers
    from vivavoce.generalization.survey.plan import Arm

    most = max((Arm.named(name).answers for name in source.arms), default=1)
    return cards if most == 1 else with_more_answers(cards, pool, most, np.random.default_rng([config.seed, 3]))
