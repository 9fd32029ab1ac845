"""Forecasts that must be coherent, as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.errors import BadFile, NotEnoughEvidence
from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.configs import config_words, in_a_plan
from vivavoce.examination.part import SPEAKERS, CostEstimate, ExaminationConfig, Table, priced
from vivavoce.examination.parts.of_study import claims_of, figures_of
from vivavoce.examination.plan import Move, Section, Text
from vivavoce.formats.lines import file_digest
from vivavoce.report.reported import Reported
from vivavoce.studies.forecasting.config import ForecastsConfig
from vivavoce.studies.forecasting.counting import STRONG

if TYPE_CHECKING:
    from vivavoce.studies.forecasting.tuples import QuestionTuple

TOKENS: Final = (250, 150)
"""Of a typical question and reply: a guess to decide by."""


@dataclass(frozen=True, slots=True)
class ForecastsPlan(Section):
    """Forecasts that must be coherent."""

    tuples: Text
    config: ForecastsConfig = in_a_plan(ForecastsConfig)

    def moved(self, file: Move, scope: Move) -> ForecastsPlan:
        """With its tuples in another place."""
        return replace(self, tuples=file(self.tuples))


INIT: Final = """\
# [forecasts]                    # forecasts that must be coherent; 'viva consistency make' writes tuples
# tuples = "tuples.jsonl"
# limit = 50
"""


class ForecastsPart:
    """How far are its forecasts from being coherent?"""

    room = "forecasts"
    question = "Do its forecasts agree with one another?"
    natures = SPEAKERS
    section = ForecastsPlan
    init = INIT

    def absent(self, examination: ExaminationConfig) -> str:
        """Without related questions there is nothing to ask."""
        needs = "needs related questions: 'viva consistency make' writes them; name the file, [forecasts] tuples = FILE"
        return "" if examination.plan.section(ForecastsPlan) else needs

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> CostEstimate:
        """Replies to all questions of the tuples, repeats and controls among them."""
        from vivavoce.studies.forecasting.asking import cost_estimate

        config = _config(examination)
        replies = cost_estimate(_tuples(_plan(examination)), config).replies
        note = "" if config.limit is None else f"at most {config.limit} tuples"
        return priced(candidate, replies, replies * TOKENS[0], replies * TOKENS[1], note)

    async def run(self, table: Table) -> list[tuple[Reported, str]]:
        """Raises `NotEnoughEvidence` where the budget ran out before a single tuple was asked."""
        from vivavoce.studies.forecasting.asking import ask_forecasts, cost_estimate
        from vivavoce.studies.forecasting.scoring import score_each
        from vivavoce.studies.forecasts import finding_of
        from vivavoce.studies.study import Source

        examination, plan = table.examination, _plan(table.examination)
        tuples, config, file = _tuples(plan), _config(examination), Path(plan.tuples)
        asked = await ask_forecasts(table.interview(cost_estimate(tuples, config).replies), tuples, config)
        if not asked.rows:
            raise NotEnoughEvidence(f"the budget of {asked.exhausted} ran out before a tuple of questions was asked")
        finding = finding_of(
            score_each(asked.rows),
            source=Source(file.name, file_digest(file)),
            seed=examination.plan.number,
            settings=asked.settings,
            asked_so=asked.asked_so,
            not_reached=asked.planned - len(asked.rows),
        )
        words = ("consistency", "ask", examination.candidate, "--tuples", plan.tuples, *config_words(config))
        return [(finding, examination.command(*words))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """A contradiction that was seen is a fact; if none was seen there is no verdict."""
        if any(effect.rates[STRONG].events for effect in finding.effects):
            return (Claim("not", f"taking its forecasts at their word: {finding.headline.rstrip('.')}"),)
        return claims_of(finding)

    def figures(self, finding: Any) -> tuple[Figure, ...]:
        """The share of strong contradictions, by law."""
        return figures_of(finding)


def _plan(examination: ExaminationConfig) -> ForecastsPlan:
    plan = examination.plan.section(ForecastsPlan)
    assert plan is not None
    return plan


def _tuples(plan: ForecastsPlan) -> list[QuestionTuple]:
    from vivavoce.studies.forecasting.tuples import read_tuples

    accepted = [one for one in read_tuples(Path(plan.tuples)) if one.status == "accepted"]
    if not accepted:
        raise BadFile(plan.tuples, "holds no tuples that somebody has accepted: 'viva consistency review' accepts them")
    return accepted


def _config(examination: ExaminationConfig) -> ForecastsConfig:
    return replace(_plan(examination).config, seed=examination.plan.number)
