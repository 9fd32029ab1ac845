"""Decisions on bail as part of an examination."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.parts import SPEAKERS, CostEstimate, Setting, Table, options, priced
from vivavoce.examination.plan import BailPlan, Room
from vivavoce.formats.interval import Estimate
from vivavoce.interview.finding import Finding

if TYPE_CHECKING:
    from vivavoce.consistency.legal.bail.examine import Dataset, SetUp

TOKENS: Final = (160, 20)
"""Of a typical question and reply: a guess to decide by."""


class BailPart:
    """Would it favour a defendant with a worse record?"""

    room: Room = "bail"
    natures = SPEAKERS

    def absent(self, setting: Setting) -> str:
        """Without defendants there is nobody to judge."""
        needs = (
            "needs defendants: a CSV file with the columns of 'viva consistency bail --help', named in [bail] defendants = FILE"
        )
        return "" if setting.plan.bail else needs

    def cost_estimate(self, setting: Setting, candidate: object) -> CostEstimate:
        """Every record of every defendant, and the controls."""
        from vivavoce.consistency.legal.bail.examine import cases_of, questions_in

        plan, set_up = _plan(setting), _set_up(setting)
        calls = questions_in(cases_of(_dataset(plan), set_up), set_up)
        return priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1], f"at most {plan.limit} defendants")

    async def run(self, table: Table) -> list[tuple[Finding, str]]:
        """One finding."""
        from vivavoce.consistency.legal.bail.examine import judge_bail

        setting, plan = table.setting, _plan(table.setting)
        interview = table.interview(self.cost_estimate(setting, table.candidate).calls)
        finding = await judge_bail(interview, _dataset(plan), _set_up(setting))
        told = {"defendants": plan.defendants, "limit": plan.limit, "variants": plan.variants, "seed": setting.plan.number}
        return [(finding, setting.command("consistency", "bail", setting.candidate, *options(told)))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """A contradiction that was seen is a fact; where none was seen there is no verdict."""
        seen = finding.counts.defendants.any
        if seen.value is None:
            return (Claim("unknown", "whether a worse record ever gets a milder decision: no two decisions could be compared"),)
        if seen.count:
            return (Claim("not", f"decisions on bail: {finding.headline.rstrip('.')}"),)
        return (Claim("measured", finding.headline),)

    def figures(self, finding: Any) -> tuple[Figure, ...]:
        """The share of defendants on whom it contradicts itself."""
        seen, asked = finding.counts.defendants.any, finding.signature.scope_digest
        return (Figure.of("defendants judged in contradiction", Estimate(seen.value, seen.interval, seen.n), "share", asked),)


def _plan(setting: Setting) -> BailPlan:
    assert setting.plan.bail is not None
    return setting.plan.bail


def _dataset(plan: BailPlan) -> Dataset:
    from vivavoce.consistency.legal.bail.defendants import read_defendants
    from vivavoce.consistency.legal.bail.examine import Dataset
    from vivavoce.formats.lines import file_digest

    file = Path(plan.defendants)
    return Dataset(read_defendants(file), title=file.name, digest=file_digest(file))


def _set_up(setting: Setting) -> SetUp:
    from vivavoce.consistency.legal.bail.counterfactuals import Variation
    from vivavoce.consistency.legal.bail.examine import SetUp

    plan = _plan(setting)
    return SetUp(plan.limit, Variation(plan.variants), seed=setting.plan.number)
