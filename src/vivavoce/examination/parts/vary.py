"""Variations that must not matter, as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.errors import BadInput, NotEnoughEvidence
from vivavoce.examination.cards import Claim, Figure
from vivavoce.examination.configs import config_words, in_a_plan
from vivavoce.examination.part import SPEAKERS, CostEstimate, ExaminationConfig, Table, options, priced
from vivavoce.examination.parts.of_study import claims_of, figures_of
from vivavoce.examination.plan import Move, Section, Text
from vivavoce.report.reported import Reported
from vivavoce.studies.config import VaryConfig
from vivavoce.studies.variations.varied_question import VariedQuestion, variations

if TYPE_CHECKING:
    from vivavoce.studies.vary import Origin, VaryFinding

REPLY_TOKENS: Final = 60
"""Of a typical reply: a guess to decide by."""
JUDGED_TOKENS: Final = (400, 60)
"""Of what a judge is shown and what it says: the same."""


@dataclass(frozen=True, slots=True)
class VaryPlan(Section):
    """Variations of the questions of a scope."""

    scope: Text
    config: VaryConfig = in_a_plan(VaryConfig)
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
        from vivavoce.studies.variations.asking import expected_questions, expected_tokens
        from vivavoce.studies.variations.judging import judge_calls

        plan, config = _plan(examination), _config(examination)
        questions, _ = _questions(plan, config)
        calls = expected_questions(questions, config)
        asked = priced(candidate, calls, expected_tokens(questions, config), calls * REPLY_TOKENS)
        if plan.judge is None:
            return asked
        kind_of(plan.judge)
        judged = judge_calls(questions, config)
        of_judge = priced(examination.judges.get(plan.judge), judged, judged * JUDGED_TOKENS[0], judged * JUDGED_TOKENS[1])
        note = f"at most {judged} of them to the judge"
        return CostEstimate(calls + judged, asked.tokens + of_judge.tokens, asked.money + of_judge.money, note)

    async def run(self, table: Table) -> list[tuple[Reported, str]]:
        """Raises `NotEnoughEvidence` where the budget left no question with all its variants."""
        from vivavoce.studies.variations.asking import expected_questions
        from vivavoce.studies.vary import ask

        examination = table.examination
        plan, config = _plan(examination), _config(examination)
        questions, origin = _questions(plan, config)
        interview = table.interview(expected_questions(questions, config))
        judging = None
        if plan.judge is not None:
            assert table.judged_by is not None
            judging = table.judged_by(plan.judge, origin.source.digest)
        finding = await ask(interview, questions, config, origin, judging=judging)
        if judging is not None:
            table.rests_on(interview.spending + judging.spending)
        if finding.not_reached == len(questions):
            raise NotEnoughEvidence(
                f"the budget of {interview.exhausted} ran out before a question was asked with its variants"
            )
        return [(finding, _command(examination, plan, config))]

    def claims(self, finding: VaryFinding) -> tuple[Claim, ...]:
        """The verdict of a limit if one was tested, else a measurement, since chance alone changes answers, too."""
        return claims_of(finding)

    def figures(self, finding: VaryFinding) -> tuple[Figure, ...]:
        """The share of changed answers by kind and for the repeated question, unless some are unknown."""
        return figures_of(finding)


def _plan(examination: ExaminationConfig) -> VaryPlan:
    plan = examination.plan.section(VaryPlan)
    assert plan is not None
    return plan


def _config(examination: ExaminationConfig) -> VaryConfig:
    return replace(_plan(examination).config, seed=examination.plan.number)


def _questions(plan: VaryPlan, config: VaryConfig) -> tuple[list[VariedQuestion], Origin]:
    """The questions with their variants, and where they come from."""
    from vivavoce.certificate.claim import brief
    from vivavoce.examination.varied import drawn
    from vivavoce.scopes import open_scope
    from vivavoce.studies.forecasting.tuples import read_tuples

    written = None if plan.written is None else read_tuples(Path(plan.written))
    return drawn(open_scope(plan.scope), config, title=brief(plan.scope), judged=plan.judge is not None, written=written)


def _command(examination: ExaminationConfig, plan: VaryPlan, config: VaryConfig) -> str:
    words = ["--scope", plan.scope, "--vary", ",".join(config.vary), *config_words(config, without=("vary",))]
    given: dict[str, Any] = {"written": plan.written, "judge": plan.judge}
    return examination.command("consistency", "vary", examination.candidate, *words, *options(given))
