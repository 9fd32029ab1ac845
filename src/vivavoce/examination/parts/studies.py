"""The part of each study in a plan: its section, the opening of its material, and its lines in the template.

A study of the questions of a scope (`SCOPE_STUDIES`) needs nothing here: `scope_part` makes its part from its declaration.

Questions of a scope as subjects of variation, drawn, asked and read as in a certificate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

import numpy as np
from pydantic import Field

from vivavoce.consistency.config import CasesConfig, RelationsConfig
from vivavoce.errors import BadFile, BadInput, BudgetExhausted, NotEnoughEvidence
from vivavoce.examination.part import ExaminationContext, options
from vivavoce.examination.parts.study_part import REPLY_TOKENS, OpenedStudy, StudyPart, out_of_budget, scope_part
from vivavoce.examination.plan import Move, PlanSection, Text, config_words, in_a_plan
from vivavoce.formats.lines import expanded, file_digest
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.scope import Scope
from vivavoce.scopes.questions import Question
from vivavoce.studies.config import BailConfig, ForecastsConfig, VariantsConfig, VaryConfig
from vivavoce.studies.forecasting.forecast_files import QuestionTuple
from vivavoce.studies.scope_studies import SCOPE_STUDIES, scope_study
from vivavoce.studies.scope_subjects import every_subject, subjects_of
from vivavoce.studies.study import Source, StudyFinding
from vivavoce.studies.variations import writing
from vivavoce.studies.variations.varied_question import VariedQuestion, variations, vary
from vivavoce.studies.vary import Origin, VaryFinding, ask


@dataclass(frozen=True, slots=True)
class VaryPlan(PlanSection):
    """Variations of the questions of a scope."""

    scope: Text
    config: VaryConfig = in_a_plan(VaryConfig)
    written: Text | None = None
    """A file of accepted paraphrases and translations; None: there are none."""
    judge: Text | None = None
    """The candidate that decides whether two open answers say the same; None: no one does."""

    file_keys = ("written",)
    scope_keys = ("scope",)

    def __post_init__(self) -> None:
        from vivavoce.studies.variations.varied_question import variations

        try:
            kinds = [kind.name for kind in variations(self.config) if kind.kind.written]
        except BadInput as error:
            raise ValueError(str(error)) from None
        if kinds and self.written is None:
            raise ValueError(f"'{kinds[0]}' needs a file of accepted variants: give written = FILE")


def _opened_vary(plan: VaryPlan, seed: int) -> OpenedStudy:
    from vivavoce.certificate.claims.claim import brief
    from vivavoce.scopes import open_scope
    from vivavoce.studies import vary
    from vivavoce.studies.forecasting.forecast_files import read_tuples
    from vivavoce.studies.variations.varied_question import expected_questions, expected_tokens, judge_calls

    config = replace(plan.config, seed=seed)
    written, judged = None if plan.written is None else read_tuples(expanded(plan.written)), plan.judge is not None
    questions, origin = drawn(open_scope(plan.scope), config, title=brief(plan.scope), judged=judged, written=written)
    calls = expected_questions(questions, config)

    async def ask(table: ExaminationContext, judging: Interview[Prompt, Reply] | None) -> StudyFinding[Any]:
        return await vary.ask(table.interview(calls), questions, config, origin, judging=judging)

    words = options({"written": plan.written, "judge": plan.judge})
    return OpenedStudy(
        len(questions),
        calls,
        (expected_tokens(questions, config), calls * REPLY_TOKENS),
        ask,
        ["vary", "--scope", plan.scope, *config_words(config, joined=True), *words],
        judge=plan.judge,
        judge_calls=judge_calls(questions, config) if judged else 0,
        digest=origin.source.digest,
    )


@dataclass(frozen=True, slots=True)
class BailPlan(PlanSection):
    """Decisions on bail."""

    defendants: Text
    config: BailConfig = in_a_plan(BailConfig)

    file_keys = ("defendants",)


def _opened_bail(plan: BailPlan, seed: int) -> OpenedStudy:
    from vivavoce.studies.bail import judge_bail
    from vivavoce.studies.defendants.decisions import cases_of, open_dataset, questions_in

    config, dataset = replace(plan.config, seed=seed), open_dataset(expanded(plan.defendants))
    cases = cases_of(dataset, config)
    calls = questions_in(cases, config)

    async def ask(table: ExaminationContext, _: object) -> StudyFinding[Any]:
        return await judge_bail(table.interview(calls), dataset, config)

    words = ["bail", "--defendants", plan.defendants, *config_words(config)]
    return OpenedStudy(len(cases), calls, (calls * 160, calls * 20), ask, words, f"at most {config.limit} defendants")


@dataclass(frozen=True, slots=True)
class ForecastsPlan(PlanSection):
    """Forecasts that must be coherent."""

    tuples: Text
    config: ForecastsConfig = in_a_plan(ForecastsConfig)

    file_keys = ("tuples",)


def _opened_forecasts(plan: ForecastsPlan, seed: int) -> OpenedStudy:
    from vivavoce.studies.forecasting.asking import ask_forecasts, cost_estimate
    from vivavoce.studies.forecasting.scoring import score_each
    from vivavoce.studies.forecasts import finding_of

    config, tuples, file = replace(plan.config, seed=seed), _accepted(plan.tuples), expanded(plan.tuples)
    calls = cost_estimate(tuples, config).replies

    async def ask(table: ExaminationContext, _: object) -> StudyFinding[Any]:
        asked = await ask_forecasts(table.interview(calls), tuples, config)
        if not asked.rows:
            raise out_of_budget(table, "tuple")
        return finding_of(
            score_each(asked.rows),
            source=Source(file.name, file_digest(file)),
            seed=seed,
            settings=asked.settings,
            asked_so=asked.asked_so,
            not_reached=asked.planned - len(asked.rows),
        )

    note = "" if config.limit is None else f"at most {config.limit} tuples"
    words = ["forecasts ask", "--tuples", plan.tuples, *config_words(config)]
    return OpenedStudy(0, calls, (calls * 250, calls * 150), ask, words, note)


def _accepted(file: str) -> list[QuestionTuple]:
    from vivavoce.studies.forecasting.forecast_files import read_tuples

    accepted = [each for each in read_tuples(expanded(file)) if each.status == "accepted"]
    if not accepted:
        raise BadFile(file, "has no accepted tuples: 'viva consistency forecasts review' accepts them")
    return accepted


@dataclass(frozen=True, slots=True)
class VariantsPlan(PlanSection):
    """Several ways to ask for the same forecasts."""

    tuples: Text
    config: VariantsConfig = in_a_plan(VariantsConfig)
    limit: Annotated[int, Field(ge=1)] | None = 50

    def __post_init__(self) -> None:
        other = next((name for name in self.config.variants if "candidate:" in name), None)
        if other is not None:
            raise ValueError(f"'{other[:80]}' is another candidate, and a plan examines one: leave it out")

    def moved(self, file: Move, scope: Move) -> VariantsPlan:
        """The plan with other paths for its tuples and its files of instructions."""
        from vivavoce.studies.forecasting.planning import INSTRUCTIONS

        split = [name.partition(INSTRUCTIONS) for name in self.config.variants]
        moved = tuple(f"{before}{mark}{file(path) if mark else path}" for before, mark, path in split)
        return replace(self, tuples=file(self.tuples), config=VariantsConfig(moved))


def _opened_variants(plan: VariantsPlan, seed: int) -> OpenedStudy:
    from vivavoce.studies import variants
    from vivavoce.studies.forecasting.asking import cost_estimate
    from vivavoce.studies.forecasting.planning import ways_of

    tuples, file = _accepted(plan.tuples), expanded(plan.tuples)
    ways = ways_of(plan.config, ForecastsConfig(limit=plan.limit, seed=seed))
    calls = [cost_estimate(tuples, variant.config).replies for variant in ways]

    async def ask(table: ExaminationContext, _: object) -> StudyFinding[Any]:
        interviews = [table.interview(number) for number in calls]
        asked = await variants.ask(interviews, tuples, ways)
        if not all(each.rows for each in asked):
            raise out_of_budget(table, "tuple")
        name = interviews[0].candidate.name
        source = Source(file.name, file_digest(file))
        return variants.compare_ways(name, ways, asked, [name] * len(ways), source=source, seed=seed)

    named = [word for name in plan.config.variants for word in ("--variant", name)]
    words = ["prompts", "--tuples", plan.tuples, *named, *options({"limit": plan.limit, "seed": seed})]
    number = sum(calls)
    return OpenedStudy(0, number, (number * 250, number * 150), ask, words, f"{len(ways)} ways to ask")


@dataclass(frozen=True, slots=True)
class RelationsPlan(PlanSection):
    """Related inputs, and the rules that their outputs must keep."""

    table: Text
    config: RelationsConfig = in_a_plan(RelationsConfig)

    file_keys = ("table",)


def _opened_relations(plan: RelationsPlan, seed: int) -> OpenedStudy:
    from vivavoce.studies.rules import asking
    from vivavoce.studies.rules.rules import read_table

    config, file = replace(plan.config, seed=seed), expanded(plan.table)
    tuples = read_table(file)
    calls = asking.expected_questions(tuples)

    async def ask(table: ExaminationContext, _: object) -> StudyFinding[Any]:
        source = Source(file.name, file_digest(file))
        return await asking.ask(table.interview(calls), tuples, config=config, source=source)

    words = ["rules", "--table", plan.table, *config_words(config)]
    return OpenedStudy(0, calls, (calls * 100, calls * REPLY_TOKENS), ask, words)


@dataclass(frozen=True, slots=True)
class CasesPlan(PlanSection):
    """Legal cases, and paraphrases of their facts."""

    cases: Text
    paraphrases_file: Text
    claim: Text | None = None
    """The claim whose probability is asked for; None: the default claim."""
    config: CasesConfig = in_a_plan(CasesConfig)

    file_keys = ("cases", "paraphrases_file")


def _opened_cases(plan: CasesPlan, seed: int) -> OpenedStudy:
    from vivavoce.consistency.legal.case_files import read_cases, read_paraphrases
    from vivavoce.consistency.legal.examine_cases import Bench, chosen_cases, questions_in
    from vivavoce.consistency.legal.paraphrasing import PreparedParaphrases
    from vivavoce.consistency.legal.trials import CLAIM, ModelJudge
    from vivavoce.studies.cases import judge_cases

    config, file, written = replace(plan.config, seed=seed), expanded(plan.cases), expanded(plan.paraphrases_file)
    cases, paraphraser = chosen_cases(read_cases(file), config), PreparedParaphrases(read_paraphrases(written), written.name)
    calls = sum(questions_in(case, config, attention=False, writer=False, checker=False) for case in cases)

    async def ask(table: ExaminationContext, _: object) -> StudyFinding[Any]:
        judge = ModelJudge(table.interview(calls), plan.claim or CLAIM)
        try:
            return await judge_cases(Bench(judge, paraphraser, file.name), cases, config)
        except BudgetExhausted:
            raise NotEnoughEvidence("the budget ran out before all cases were judged: raise it, or lower the limit") from None

    words = ["cases check", "--cases", plan.cases, "--paraphrases-file", plan.paraphrases_file, *options({"claim": plan.claim})]
    words += config_words(config)
    return OpenedStudy(len(cases), calls, (calls * 400, calls * REPLY_TOKENS), ask, words, f"{len(cases)} cases")


_TUPLES: Final = "related questions: 'viva consistency forecasts make' writes them; name the file, [{}] tuples = FILE"
STUDY_PARTS: Final = (
    StudyPart(
        "forecasts",
        "Do its forecasts agree with each other?",
        ForecastsPlan,
        """\
# [forecasts]                    # forecasts that must be coherent; 'viva consistency forecasts make' writes tuples
# tuples = "tuples.jsonl"
# limit = 50
""",
        _TUPLES.format("forecasts"),
        _opened_forecasts,
        always_listed=True,
    ),
    StudyPart(
        "vary",
        "Does its answer change under variations that must not matter?",
        VaryPlan,
        """\
# [vary]                         # variations that must not matter; 'viva consistency vary --help' explains the kinds
# scope = "file:questions.jsonl"
# vary = ["order", "typos", "context", "persona"]
# questions = 50
# flip_limit = 0.1               # certify that the answer flips on at most this share of questions
# written = "variants.jsonl"     # accepted paraphrases and translations, for the kinds that need a writer
# judge = "chat:MODEL@URL"       # decides whether two open answers mean the same
""",
        "questions to vary: name a scope, [vary] scope = ... ('viva list scopes' lists them)",
        _opened_vary,
        always_listed=True,
    ),
    StudyPart(
        "bail",
        "Does a worse record ever get a milder decision?",
        BailPlan,
        """\
# [bail]                         # a worse record must not get a milder decision; columns as in 'viva consistency bail --help'
# defendants = "defendants.csv"
# limit = 50
# variants = 5
""",
        "defendants: a CSV file with the columns of 'viva consistency bail --help', named in [bail] defendants = FILE",
        _opened_bail,
        always_listed=True,
    ),
    *(scope_part(scope_study(name)) for name in SCOPE_STUDIES),
    StudyPart(
        "relations",
        "Does it keep rules about related inputs?",
        RelationsPlan,
        """\
# [relations]                    # rules of your own; 'viva consistency rules --help' explains the table
# table = "pairs.csv"
# task = "What is this house worth, in euros?"
""",
        "inputs in relations: a file as in 'viva consistency rules --help', named in [relations] table = FILE",
        _opened_relations,
    ),
    StudyPart(
        "variants",
        "Which prompt makes its forecasts agree best?",
        VariantsPlan,
        """\
# [variants]                     # prompt variants for forecasts; 'viva consistency prompts --help' explains them
# tuples = "tuples.jsonl"
# variants = ["plain", "opposite", "canonical"]
# limit = 50
""",
        _TUPLES.format("variants"),
        _opened_variants,
    ),
    StudyPart(
        "cases",
        "Does its decision on a case change when a fact is paraphrased?",
        CasesPlan,
        """\
# [cases]                        # legal cases and paraphrases of facts; 'viva consistency cases check --help' explains them
# cases = "cases.jsonl"
# paraphrases_file = "paraphrases.jsonl"
# limit = 50
""",
        "cases and paraphrases of their facts, named in [cases] cases = FILE and paraphrases_file = FILE",
        _opened_cases,
    ),
)
"""The parts of all studies that are asked in words, in the order of a report."""


def drawn(
    scope: Scope[Question],
    config: VaryConfig,
    *,
    title: str = "",
    judged: bool = False,
    written: Sequence[QuestionTuple] | None = None,
) -> tuple[list[VariedQuestion], Origin]:
    """The questions with all variants that need no writer, and where they come from.

    title: of the scope, for readers; empty: its name.
    judged: whether a judge compares open answers.
    written: accepted paraphrases and translations, as `viva consistency vary --save-variants` keeps them; None: there are none.

    Raises `BadInput` as `subjects_of` and `writing.with_tuples` do.
    """
    questions = vary(subjects_of(scope, config, judged=judged), config)
    population = None if config.flip_limit is None else population_of(scope, config, judged=judged)
    origin = Origin(Source(title or scope.name, scope.digest), population)
    if written is None:
        return questions, origin
    return writing.with_tuples(questions, written, config), replace(origin, writer=writing.FILE, checker=writing.FILE)


async def ask_variations(
    interview: Interview[Prompt, Reply],
    scope: Scope[Question],
    config: VaryConfig = VaryConfig(),  # noqa: B008 -- frozen
    *,
    judging: Interview[Prompt, Reply] | None = None,
    written: Sequence[QuestionTuple] | None = None,
) -> VaryFinding:
    """Test whether the answer stays the same under variations that must not matter.

    Parameters
    ----------
    interview: with the candidate. scope: its questions are drawn and varied. judging: with the judge that decides whether two
    open answers mean the same; None: they are compared as texts, and questions with only a rubric are refused.
    written: accepted paraphrases and translations (`read_tuples`), which the kinds that need a writer are taken from.

    Raises `BadInput`, and what the interviews raise.

    >>> import vivavoce as viva
    >>> def bot(question: str) -> str:
    ...     return "Answer: A"
    >>> ask = [{"question": "Largest?", "options": ["Rome", "Bari"], "answer": "A"}, {"question": "2?", "options": ["2", "3"],
    ...     "answer": "A"}]
    >>> interview = viva.Interview(viva.open_candidate(bot), answers=viva.Reply)
    >>> config = viva.VaryConfig(vary=("order",))
    >>> found = viva.run(viva.ask_variations(interview, viva.open_scope(ask, name="two"), config))
    >>> found.effects[0].rates["flipped"].events, found.control[0].rates["flipped"].events
    (2, 0)
    """
    needs = next((variation.name for variation in variations(config) if variation.kind.written), None)
    if needs is not None and written is None:
        raise BadInput(f"'{needs}' needs written variants: give accepted ones (written)")
    questions, origin = drawn(scope, config, judged=judging is not None, written=written)
    return await ask(interview, questions, config, origin, judging=judging)


def population_of(scope: Scope[Question], config: VaryConfig, *, judged: bool = False) -> int | None:
    """How many units of the scope can be varied, if each is drawn once and no writer is needed; else None."""
    if scope.population is None or any(variation.kind.written for variation in variations(config)):
        return None
    everything = vary(every_subject(scope, scope.draw(np.random.default_rng(config.seed)), config.law, judged=judged), config)
    return len({question.subject.unit for question in everything if question.variants})
