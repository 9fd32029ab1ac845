"""Questions on a candidate's own explanations as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.eqt.record import ROLES, Concept, ConceptsConfig, EqtConfig
from vivavoce.examination import part
from vivavoce.examination.plan import Move, PlanSection, config_words, in_a_plan
from vivavoce.formats.wording import count
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.bounds import upper_tail

if TYPE_CHECKING:
    from vivavoce.eqt.result import EqtResult


@dataclass(frozen=True, slots=True)
class EqtPlan(PlanSection):
    """Questions on a candidate's own explanations."""

    wanted: ConceptsConfig = in_a_plan(ConceptsConfig)
    config: EqtConfig = in_a_plan(EqtConfig)

    def moved(self, file: Move, scope: Move) -> EqtPlan:
        """The plan with other paths for its concept files; names of categories stay."""
        concepts = (file(name) if Path(name).suffix else name for name in self.wanted.concepts)
        return replace(self, wanted=replace(self.wanted, concepts=tuple(concepts)))


INIT: Final = """\
[eqt]                            # it explains concepts, and answers questions on its explanations without seeing them
# concepts = ["math", "my-concepts.txt"]
limit = 4                        # concepts
questions = 3                    # a concept
paraphrases = 1                  # a question
"""


class EqtPart(part.ExaminationPart):
    """Can it answer questions about its own explanations?"""

    room = "eqt"
    question = "Does it understand its own explanations?"
    section = EqtPlan
    init = INIT

    def absent(self, examination: part.ExaminationConfig, candidate: object) -> str:
        """Bots can't explain, but a plan may ask one all the same."""
        if examination.nature == "bot" and examination.plan.section(EqtPlan) is None:
            return "a bot without a model explains nothing; a plan with a section [eqt] asks it anyway"
        return ""

    def cost_estimate(self, examination: part.ExaminationConfig, candidate: object) -> part.ExaminationCost:
        """Calls of all five roles, which one candidate has here."""
        from vivavoce.eqt.examine import cost_estimate

        concepts = _concepts(examination)
        shares = cost_estimate(len(concepts), _config(examination)).values()
        calls, tokens_in, tokens_out = (sum(getattr(cost, name) for cost in shares) for name in _PARTS)
        return part.priced(candidate, calls, tokens_in, tokens_out, f"{len(concepts)} concept{'s' * (len(concepts) != 1)}")

    async def run(self, table: part.ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """One candidate in all roles."""
        from vivavoce.eqt.concepts import concepts_in_words
        from vivavoce.eqt.eqt_finding import finding_of
        from vivavoce.eqt.examine import explain_query_test
        from vivavoce.eqt.score import score

        examination, concepts = table.examination, _concepts(table.examination)
        with part.ending_early(table):
            interview = table.interview(self.cost_estimate(examination, table.candidate).calls)
            record = await explain_query_test(dict.fromkeys(ROLES, interview), concepts, _config(examination))
        source, digest = concepts_in_words(concepts)
        return [(finding_of([score(record, source=source, digest=digest)]), _command(examination))]

    def claims(self, finding: Any) -> tuple[part.Claim, ...]:
        """There is no verdict: a measurement with a test for a fault, or nothing."""
        [result] = finding.results
        is_measured = result.whole.closed.n and result.validity.valid
        return (
            part.Claim("measured", finding.headline, fault=_fault(result))
            if is_measured
            else part.Claim("unknown", "how well it understands its explanations"),
        )

    def figures(self, finding: Any) -> tuple[part.ComparableFigure, ...]:
        """Accuracy without and with the explanation, and agreement of answers."""
        whole, asked = finding.results[0].whole, finding.signature.scope_digest
        return (
            part.ComparableFigure.of("right without its explanation", whole.closed_originals, "share", asked),
            part.ComparableFigure.of("right with its explanation", whole.open_book, "share", asked),
            part.ComparableFigure.of("agreement of answers to one question", whole.acs, "score", asked),
        )


def _fault(result: EqtResult) -> part.MeasuredFault | None:
    """That it can't answer most questions on its explanations; None without answers.

    Only questions without a fault count, in their original wording. An unparsed answer counts as right. Questions are answered
    independently, so a binomial tail bounds the chance of as many wrong answers if it answers at least half.
    """
    closed, highest = result.valid.closed_originals, result.valid.highest.get("closed_originals")
    if closed.value is None:
        return None
    right = round((closed.value if highest is None else highest) * closed.n)
    about = "answering questions on its own explanations"
    words = f"{about}: it answers {count(right)} of {count(closed.n)} without the explanations"
    return part.MeasuredFault(upper_tail(closed.n - right, closed.n, 0.5), words, about)


_PARTS = ("calls", "tokens_in", "tokens_out")


def _plan(examination: part.ExaminationConfig) -> EqtPlan:
    return examination.plan.section(EqtPlan) or EqtPlan()


def _config(examination: part.ExaminationConfig) -> EqtConfig:
    return replace(_plan(examination).config, seed=examination.plan.number)


def _concepts(examination: part.ExaminationConfig) -> tuple[Concept, ...]:
    """The plan's concepts, drawn by the seed as in `viva eqt --limit`."""
    from vivavoce.eqt.concepts import chosen_concepts, drawn_concepts

    wanted = _plan(examination).wanted
    return drawn_concepts(chosen_concepts(wanted.concepts), wanted.limit, seed=examination.plan.number)


def _command(examination: part.ExaminationConfig) -> str:
    wanted, config = _plan(examination).wanted, _config(examination)
    return examination.command("eqt", examination.candidate, *config_words(wanted), *config_words(config))
