"""Decisions on bail as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.configs import config_words, in_a_plan
from vivavoce.examination.part import SPEAKERS, CostEstimate, ExaminationConfig, Table, priced
from vivavoce.examination.parts.of_study import claims_of
from vivavoce.examination.plan import Move, Section, Text
from vivavoce.formats.interval import Estimate
from vivavoce.report.reported import Reported
from vivavoce.studies.defendants.config import BailConfig

if TYPE_CHECKING:
    from vivavoce.studies.bail import BailFinding
    from vivavoce.studies.defendants.asking import Dataset

TOKENS: Final = (160, 20)
"""Of a typical question and reply: a guess to decide by."""


@dataclass(frozen=True, slots=True)
class BailPlan(Section):
    """Decisions on bail."""

    defendants: Text
    config: BailConfig = in_a_plan(BailConfig)

    def moved(self, file: Move, scope: Move) -> BailPlan:
        """With its defendants in another place."""
        return replace(self, defendants=file(self.defendants))


INIT: Final = """\
# [bail]                         # a worse record must not fare better; columns as in 'viva consistency bail --help'
# defendants = "defendants.csv"
# limit = 50
# variants = 5
"""


class BailPart:
    """Does a worse record ever get a milder decision?"""

    room = "bail"
    question = "Does a worse record ever get a milder decision?"
    natures = SPEAKERS
    section = BailPlan
    init = INIT

    def absent(self, examination: ExaminationConfig) -> str:
        """It needs a file of defendants."""
        needs = (
            "needs defendants: a CSV file with the columns of 'viva consistency bail --help', named in [bail] defendants = FILE"
        )
        return "" if examination.plan.section(BailPlan) else needs

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> CostEstimate:
        """Every record of every defendant, and the controls."""
        from vivavoce.studies.defendants.asking import cases_of, questions_in

        config = _config(examination)
        calls = questions_in(cases_of(_dataset(_plan(examination)), config), config)
        return priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], f"at most {config.limit} defendants")

    async def run(self, table: Table) -> list[tuple[Reported, str]]:
        """One finding."""
        from vivavoce.studies.bail import judge_bail

        examination, plan, config = table.examination, _plan(table.examination), _config(table.examination)
        interview = table.interview(self.cost_estimate(examination, table.candidate).calls)
        finding = await judge_bail(interview, _dataset(plan), config)
        words = ("consistency", "bail", examination.candidate, "--defendants", plan.defendants, *config_words(config))
        return [(finding, examination.command(*words))]

    def claims(self, finding: BailFinding) -> tuple[Claim, ...]:
        """A contradiction that was seen is a fact; without one there is no verdict."""
        seen = any(effect.rates["contradicted"].events for effect in finding.ranked[:1])
        return (Claim("not", f"decisions on bail: {finding.headline.rstrip('.')}"),) if seen else claims_of(finding)

    def figures(self, finding: BailFinding) -> tuple[Figure, ...]:
        """The share of defendants on whom it contradicts itself."""
        rate, asked = finding.effects[0].rates["contradicted"], finding.signature.scope_digest
        estimate = Estimate(rate.least, rate.interval, rate.n)
        return (Figure.of("defendants judged in contradiction", estimate, "share", asked),)


def _plan(examination: ExaminationConfig) -> BailPlan:
    plan = examination.plan.section(BailPlan)
    assert plan is not None
    return plan


def _dataset(plan: BailPlan) -> Dataset:
    from vivavoce.studies.defendants.asking import open_dataset

    return open_dataset(Path(plan.defendants))


def _config(examination: ExaminationConfig) -> BailConfig:
    return replace(_plan(examination).config, seed=examination.plan.number)
