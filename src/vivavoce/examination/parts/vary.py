"""Variations that must not matter, as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.consistency.invariance.clusters import Cluster, variations
from vivavoce.consistency.invariance.config import InvarianceConfig
from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.configs import config_words, in_a_plan
from vivavoce.examination.part import SPEAKERS, CostEstimate, ExaminationConfig, Table, options, priced
from vivavoce.examination.plan import Move, Section, Text
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import share
from vivavoce.report.reported import Reported

if TYPE_CHECKING:
    from vivavoce.consistency.invariance.examine import Origin
    from vivavoce.consistency.invariance.finding import InvarianceFinding

REPLY_TOKENS: Final = 60
"""Of a typical reply: a guess to decide by."""
JUDGED_TOKENS: Final = (400, 60)
"""Of what a judge is shown and what it says: the same."""


@dataclass(frozen=True, slots=True)
class VaryPlan(Section):
    """Variations of the questions of a scope."""

    scope: Text
    config: InvarianceConfig = in_a_plan(InvarianceConfig)
    written: Text | None = None
    """A file of paraphrases and translations that somebody has accepted; None: there are none."""
    judge: Text | None = None
    """The candidate that decides whether two open answers say the same; None: nobody."""

    def __post_init__(self) -> None:
        try:
            kinds = [one.name for one in variations(self.config) if one.kind.written]
        except BadInput as error:
            raise ValueError(str(error)) from None
        if kinds and self.written is None:
            raise ValueError(f"'{kinds[0]}' is written: name a file of accepted variants, written = FILE")

    def moved(self, file: Move, scope: Move) -> VaryPlan:
        """With its scope, and the file of variants, in other places."""
        return replace(self, scope=scope(self.scope), written=None if self.written is None else file(self.written))


INIT: Final = """\
# [vary]                         # variations that must not matter; 'viva consistency vary --help' explains the kinds
# scope = "file:questions.jsonl"
# vary = ["order", "typos", "context", "persona"]
# questions = 50
# flip_limit = 0.1               # certify that the answer flips on at most this share of questions
# written = "variants.jsonl"     # accepted paraphrases and translations, for the kinds that need a writer
# judge = "chat:MODEL@URL"       # decides whether two open answers say the same
"""


class VaryPart:
    """Does its answer stay the same when what must not matter is varied?"""

    room = "vary"
    question = "Does its answer change when what must not matter is varied?"
    natures = SPEAKERS
    section = VaryPlan
    init = INIT

    def absent(self, examination: ExaminationConfig) -> str:
        """Without a scope there is nothing to vary."""
        needs = "needs questions to vary: name a scope, [vary] scope = ... ('viva scopes' lists them)"
        return "" if examination.plan.section(VaryPlan) else needs

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> CostEstimate:
        """Every question as it is, once more as often as it has variants, and its variants."""
        from vivavoce.candidates.names import kind_of
        from vivavoce.consistency.invariance.examine import expected_questions, expected_tokens
        from vivavoce.consistency.invariance.judging import judge_calls

        plan, config = _plan(examination), _config(examination)
        clusters, _ = _clusters(plan, config)
        calls = expected_questions(clusters, config)
        asked = priced(candidate, calls, expected_tokens(clusters, config), calls * REPLY_TOKENS)
        if plan.judge is None:
            return asked
        kind_of(plan.judge)
        judged = judge_calls(clusters, config)
        of_judge = priced(examination.judges.get(plan.judge), judged, judged * JUDGED_TOKENS[0], judged * JUDGED_TOKENS[1])
        note = f"at most {judged} of them to the judge"
        return CostEstimate(calls + judged, asked.tokens + of_judge.tokens, asked.money + of_judge.money, note)

    async def run(self, table: Table) -> list[tuple[Reported, str]]:
        """Raises `NotEnoughEvidence` where the budget left no question with all its variants."""
        from vivavoce.consistency.invariance.examine import ask, expected_questions

        examination = table.examination
        plan, config = _plan(examination), _config(examination)
        clusters, origin = _clusters(plan, config)
        interview = table.interview(expected_questions(clusters, config))
        judging = None
        if plan.judge is not None:
            assert table.judged_by is not None
            judging = table.judged_by(plan.judge, origin.source.digest)
        finding = await ask(interview, clusters, config, origin, judging=judging)
        if judging is not None:
            table.rests_on(interview.spending + judging.spending)
        if finding.not_reached == len(clusters):
            raise NotEnoughEvidence(
                f"the budget of {interview.exhausted} ran out before a question was asked with its variants"
            )
        return [(finding, _command(examination, plan, config))]

    def claims(self, finding: InvarianceFinding) -> tuple[Claim, ...]:
        """The verdict of a certificate where one was wanted; a flip that was seen is a measurement, since chance flips, too."""
        found = finding.robustness
        if found is None:
            unknown = "whether its answer changes under variations: nothing could be compared"
            return (Claim("measured", finding.headline) if finding.measured else Claim("unknown", unknown),)
        flips = f"at most {share(found.limit)} of its answers change"
        if found.verdict == "robust":
            return (Claim("trusted", f"keeping its answer under variations that must not matter ({flips})", found.delta),)
        if found.verdict == "not robust":
            return (Claim("not", f"keeping its answer under variations (more than {share(found.limit)} change)", found.delta),)
        return (Claim("unknown", f"whether {flips} under variations (not enough evidence)"),)

    def figures(self, finding: InvarianceFinding) -> tuple[Figure, ...]:
        """Flip rates by kind, where nothing is open, and that of the identical question."""
        asked = finding.signature.scope_digest
        rates = [*((row.name, row.rate) for row in finding.kinds), ("identical question", finding.control)]
        return tuple(
            Figure.of(
                f"{name}: answers that change",
                Estimate(None if rate.unknown else rate.least, rate.interval, rate.n),
                "share",
                asked,
            )
            for name, rate in rates
        )


def _plan(examination: ExaminationConfig) -> VaryPlan:
    plan = examination.plan.section(VaryPlan)
    assert plan is not None
    return plan


def _config(examination: ExaminationConfig) -> InvarianceConfig:
    return replace(_plan(examination).config, seed=examination.plan.number)


def _clusters(plan: VaryPlan, config: InvarianceConfig) -> tuple[list[Cluster], Origin]:
    """The questions with their variants, and where they come from."""
    from vivavoce.certificate.scopes import open_scope
    from vivavoce.certificate.verdict import brief
    from vivavoce.consistency.forecasts.tuples import read_tuples
    from vivavoce.examination.varied import drawn

    written = None if plan.written is None else read_tuples(Path(plan.written))
    return drawn(open_scope(plan.scope), config, title=brief(plan.scope), judged=plan.judge is not None, written=written)


def _command(examination: ExaminationConfig, plan: VaryPlan, config: InvarianceConfig) -> str:
    words = ["--scope", plan.scope, "--vary", ",".join(config.vary), *config_words(config, without=("vary",))]
    given: dict[str, Any] = {"written": plan.written, "judge": plan.judge}
    return examination.command("consistency", "vary", examination.candidate, *words, *options(given))
