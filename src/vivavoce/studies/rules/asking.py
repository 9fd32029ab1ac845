"""Outputs for related inputs: call a function, or ask a candidate in words.

Relations: related inputs must have related outputs (section 3 of `fluri2024`); how often do they not?

A rule says what must hold; the right outputs need not be known. Two references show what a candidate gets that ignores its
inputs: the same outputs assigned at random, and the first input's output given to all inputs.
"""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from vivavoce.consistency.config import RelationsConfig
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, numbered, percent
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.probability import Quantity
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import outcome_of, read
from vivavoce.interview.requests import QuestionOutcome
from vivavoce.interview.results import AnswerEvent as Row
from vivavoce.interview.results import ResultMark, ResultRows
from vivavoce.report.blocks import Column, ReportFigure
from vivavoce.report.figures import Histogram
from vivavoce.studies.effects import Effect, Treatment, effects_of
from vivavoce.studies.presentation import EffectTable, StudyExample, cases_of, estimate_of, left_out, number_of, rate_of
from vivavoce.studies.rules.judging import (
    ARROW,
    BROKEN,
    SKIPPED,
    JudgedTuple,
    RuleOutputs,
    TupleResult,
    cases_of_rule,
    histogram,
    judged,
    plain,
    rough,
    with_numbers,
    written,
)
from vivavoce.studies.rules.rules import NOISE, RelatedInputs, Rule
from vivavoce.studies.study import LONGEST_NAME, NO_SOURCE, SHOWN_NAME, Sample, Source, Study, StudyFinding, signature_of

WORST: Final = 10
"""Violations of each rule that are kept as examples."""


@dataclass(frozen=True, slots=True)
class RelationDetails:
    """Data that only this study has."""

    tolerances: Mapping[str, tuple[float, ...]]
    """Tolerances by rule; a gap up to the tolerance is not a violation."""
    histograms: Mapping[str, Histogram]
    """How far each tuple is beyond its tolerance, by rule; rules with few distinct gaps are left out."""
    is_shared: bool
    """Whether some tuples were made from the same source."""
    each: tuple[TupleResult, ...] | None = None
    """All tuples, if requested."""


RelationFinding = StudyFinding[RelationDetails]


def finding_of(
    given: Iterable[RuleOutputs],
    *,
    candidate: str,
    source: Source = NO_SOURCE,
    seed: int = 0,
    each: bool = False,
    replies: Mapping[str, int] = {},
    settings: Mapping[str, object] = {},
    asked_so: tuple[str, ...] = (),
) -> RelationFinding:
    """Make the finding from the outputs; rules are treatments, in order of first occurrence.

    Raises `BadInput` if a rule fails on outputs.
    """
    tuples = [judged(outputs, number) for number, outputs in enumerate(given, start=1)]
    by_rule: dict[str, list[JudgedTuple]] = {}
    for judged_tuple in tuples:
        by_rule.setdefault(judged_tuple.given.rule.name, []).append(judged_tuple)
    rng, cases = np.random.default_rng(seed), [case for ones in by_rule.values() for case in cases_of_rule(ones)]
    counted = {name: [judged_tuple for judged_tuple in ones if judged_tuple.gap is not None] for name, ones in by_rule.items()}
    details = _details(by_rule, counted, tuples if each else None)
    rules = {"rules": [clipped(name, SHOWN_NAME) for name in by_rule], "numpy": np.__version__}
    effects = effects_of(cases, [Treatment(name, f"“{clipped(name, LONGEST_NAME)}”") for name in by_rule], RELATIONS.events)
    return StudyFinding(
        RELATIONS,
        candidate,
        source.title,
        effects=tuple(with_numbers(effect, counted[effect.treatment.name], rng) for effect in effects),
        examples=tuple(example for name, ones in counted.items() for example in _examples(name, ones)),
        is_clustered=details.is_shared,
        replies=replies,
        details=details,
        asked_so=asked_so,
        signature=signature_of(
            RELATIONS, candidate, Source(source.title or "tuples", source.digest), seed, {**rules, **settings}
        ),
    )


def _details(
    by_rule: Mapping[str, Sequence[JudgedTuple]],
    counted: Mapping[str, Sequence[JudgedTuple]],
    each: Sequence[JudgedTuple] | None,
) -> RelationDetails:
    """Collect the details. counted: tuples that have a gap. each: all tuples in order; None if not requested."""
    bases = [judged.base for tuples in counted.values() for judged in tuples]
    return RelationDetails(
        {name: tuple(sorted({judged.given.rule.tolerance for judged in tuples})) for name, tuples in by_rule.items()},
        {name: bars for name, tuples in counted.items() if (bars := histogram(tuples))},
        len({base for ids in bases for base in ids}) < sum(map(len, bases)),
        None if each is None else tuple(judged.result() for judged in each),
    )


def _examples(rule: str, tuples: Sequence[JudgedTuple]) -> Iterable[StudyExample]:
    """Examples with the largest violations, largest first."""
    broken = sorted((each for each in tuples if each.violation), key=lambda each: (-each.violation, each.number))
    for judged_tuple in broken[:WORST]:
        result = judged_tuple.result()
        outputs = ARROW.join("no answer" if out is None else plain(out) for out in result.outputs)
        text = f"{outputs}, off by {rough(judged_tuple.violation)}"
        name = ", ".join(part for part in (clipped(result.id, 80), clipped(", ".join(result.base), 80)) if part)
        texts = (("Inputs", result.change), ("Outputs", text))
        yield StudyExample(name or str(judged_tuple.number), rule, "Rule broken", texts, line=(result.change, text))


def _sentence(finding: RelationFinding, effect: Effect) -> str:
    rate, largest = effect.rates[BROKEN], effect.numbers["largest"]
    if not rate.events:
        cases = numbered(rate.n, "case")
        return f"{finding.name} keeps the rule {effect.treatment.about} in all {cases} ({rate.at_most})."
    assert largest is not None
    return (
        f"{finding.name} breaks the rule {effect.treatment.about} in {finding.share_of_cases(rate)}, by up to {rough(largest)}."
    )


def _figures(finding: RelationFinding) -> tuple[ReportFigure, ...]:
    """Histograms of how far the outputs of each tuple are from breaking its rule, or beyond."""
    unit, histograms = "Beyond the limit of the rule, in the unit of the output", finding.details.histograms
    drawn = ((effect, bars) for effect in finding.effects if (bars := histograms.get(effect.treatment.name)) is not None)
    return tuple(ReportFigure(bars.labelled(_alt(finding, effect), unit)) for effect, bars in drawn)


def _alt(finding: RelationFinding, effect: Effect) -> str:
    rate, largest = effect.rates[BROKEN], effect.numbers["largest"]
    beyond = f"{rate.events or 'none'} of {rate.n}"
    from_zero = max(finding.details.tolerances[effect.treatment.name]) <= NOISE  # else the largest is further from 0
    furthest = f", the furthest by {rough(largest)}" if rate.events and from_zero and largest is not None else ""
    return f"How far cases are from the limit of the rule {effect.treatment.about}: {beyond} beyond it{furthest}."


def _method(_: RelationFinding) -> tuple[str, ...]:
    return (
        "Each tuple has related inputs. If the rule applies to them, their outputs must be related, too. "
        "Their distance from it is the violation, in the unit of the output; within the tolerance it is 0.",
        "At random: the same outputs, assigned to the inputs of all tuples at random, up to 20 times. By a constant: every "
        "input is given the output of the first.",
        "Intervals are at level 95%: Clopper and Pearson's for shares, Student's for means; both allow for tuples that share "
        "what they were made from.",
    )


def _compared(finding: RelationFinding) -> Iterable[Effect]:
    return (effect for effect in finding.effects if effect.n)


def _near_chance(effect: Effect) -> bool:
    at_random, rate = effect.numbers["at_random"], effect.rates[BROKEN]
    return bool(rate.events) and at_random is not None and at_random in rate.interval


def _all_alike(effect: Effect) -> bool:
    distinct, outputs = effect.numbers["distinct"], effect.numbers["outputs"]
    return distinct == 1 and outputs != 1


RELATIONS: Final[Study[RelationDetails]] = Study(
    kind="relations",
    heading="Rules of consistency",
    title="Rules and {}",
    about="Related inputs must have related outputs; the right outputs need not be known.",
    events=(BROKEN,),
    case="case",
    list_head="Rules broken",
    control_label="",
    axis="cases in which the rule is broken",
    no_treatment="no answer under the rule '{}', or it does not apply; they don't count",
    ability="keeping these rules",
    item="tuple",
    nothing=lambda finding: f"Nothing was compared: no tuple has an answer of {finding.name} to each of its inputs.",
    sentence=_sentence,
    figures=_figures,
    method=_method,
    sample=Sample(
        RelationDetails({"first treatment": (0.0,), "second treatment": (0.0,)}, {}, is_shared=False),
        numbers={"largest": 4.0, "at_random": 0.25, "by_a_constant": 0.0, "distinct": 9, "outputs": 80},
        estimates={"mean": Estimate(1.5, Interval(1.0, 2.0), 40)},
    ),
    examples_head="Largest violations",
    shown_examples=5,
    tables=(
        EffectTable(
            "Rules",
            "Rule",
            (
                (Column("Cases", number=True), cases_of(BROKEN)),
                (Column("Broken", about="Share of cases in which the rule is broken"), rate_of(BROKEN)),
                (
                    Column("At random", about="Broken if outputs were assigned at random", control=True),
                    number_of("at_random", percent),
                ),
                (Column("Constant", about="Broken if all outputs were the same"), number_of("by_a_constant", percent)),
                (
                    Column("Mean violation"),
                    estimate_of("mean", rough, lambda ends: f"[{rough(ends.lower, -1)}, {rough(ends.upper, 1)}]"),
                ),
                (Column("Largest"), number_of("largest", rough)),
                (Column("Left out", about="No answer, or the rule does not apply", number=True, detail=True), left_out),
            ),
        ),
    ),
    caveats=(
        "A rule is its author's claim; a violation is an error only if the rule must hold.",
        (
            "A kept rule does not show right answers: a candidate that always says the same keeps it, too.",
            lambda finding: any(effect.numbers["by_a_constant"] == 0 for effect in _compared(finding)),
        ),
        ("All outputs were the same: nothing was tested.", lambda finding: any(map(_all_alike, _compared(finding)))),
        (
            "A rule is broken about as often as if the same outputs had been assigned at random.",
            lambda finding: any(map(_near_chance, _compared(finding))),
        ),
        "Other inputs may show more or fewer violations.",
        (
            "Missing answers don't count: a candidate that fails on difficult inputs looks better than it is.",
            lambda finding: any(reason != SKIPPED for effect in finding.effects for reason in effect.left_out),
        ),
        "Each input was given once: a candidate that answers differently each time breaks rules by chance.",
    ),
)


BATCH = 10_000
"""Most inputs in one call of a function."""
NOT_ASKED = "not asked: the budget ran out"
THINK = "Think first if that helps."
NUMBER = Quantity()


def check(
    function: Callable[[Any], Any],
    tuples: Iterable[RelatedInputs],
    rule: Rule | None = None,
    config: RelationsConfig = RelationsConfig(),  # noqa: B008 -- frozen
    *,
    name: str = "",
    source: Source = NO_SOURCE,
    each: bool = False,
    results: ResultRows | None = None,
) -> RelationFinding:
    """How often and how far does a function break a rule?

    An exception is no answer, and neither is an output that is not a number if the rule needs numbers. Missing answers are
    counted, and left out of all shares.

    Parameters
    ----------
    function: maps one input to its output; with `config.batch`, a list of inputs to an equally long list of outputs.
    tuples: related inputs, such as `raised` makes; tuples to which the rule does not apply are skipped.
    rule: what must hold of the outputs; None: each tuple has its own rule.
    name: display name of the function in reports; empty: its own name.
    each: keep the result of every tuple, not only counts and the worst ones.
    results: receives each input with its output.

    Raises `BadInput` if a tuple has no rule, if a rule itself fails, or if the configuration has a task (for candidates only).

    >>> from vivavoce.relations import increasing, raised
    >>> rows = [{"rooms": rooms} for rooms in range(1, 9)]
    >>> finding = check(lambda home: 100 * (home["rooms"] % 6), raised(rows, "rooms", by=1), increasing(), name="price")
    >>> finding.effects[0].rates["broken"].events, finding.effects[0].n, finding.effects[0].numbers["largest"]
    (1, 8, 500.0)
    """
    config.check_fits(function=True)
    if inspect.iscoroutinefunction(function):
        raise BadInput("the function is async: give one that returns its output, such as lambda x: asyncio.run(f(x))")
    ruled = _ruled(tuples, rule)
    wanted = [value for related, _, holds in ruled if holds for value in related.inputs]
    outputs = list(_batched(function, wanted) if config.batch else [_called(function, value) for value in wanted])
    name = name or name_of(function)
    if results is not None:
        _tell(results, name, wanted, outputs)
    coming = iter(outputs)
    answered = [
        RuleOutputs(related, rule, tuple(next(coming) for _ in related.inputs) if holds else None)
        for related, rule, holds in ruled
    ]
    return finding_of(answered, candidate=name, source=source, seed=config.seed, each=each)


def _tell(results: ResultRows, name: str, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Report a row for each input with the function's output; single calls are not timed."""
    texts = [None if isinstance(output, NoAnswer) else written(output) for output in outputs]
    results.mark_by(lambda _: [ResultMark(read_as=text or "") for text in texts])
    for value, output, text in zip(inputs, outputs, texts, strict=True):
        answer = output if text is None else Reply(text)
        results.hear(Row(name, QuestionOutcome(answer, Usage(), put=Prompt(written(value), id=_id_of(written(value))))))


async def ask(
    interview: Interview[Prompt, Reply],
    tuples: Iterable[RelatedInputs],
    rule: Rule | None = None,
    config: RelationsConfig = RelationsConfig(),  # noqa: B008 -- frozen
    *,
    source: Source = NO_SOURCE,
    each: bool = False,
) -> RelationFinding:
    """How often and how far do a candidate's numbers break a rule?

    An input that several tuples share is asked once for all of them; one that occurs twice in the same tuple is asked twice.
    The number is the one that the reply states as its answer; without one, there is no answer.

    If the interview's budget runs out, tuples that were not asked in full count as no answer. Passes on the interview's errors,
    and raises `BadInput` if the configuration is for batches.
    """
    config.check_fits(function=False)
    ruled = _ruled(tuples, rule)
    prompts = [[prompt(value, config.task) for value in related.inputs] if holds else [] for related, _, holds in ruled]
    document: dict[tuple[str, int], float | NoAnswer] = {}
    times: Counter[str] = Counter()
    replies: Counter[str] = Counter()
    async with aclosing(interview.ask_in_order(_each_once(prompts), topic=RELATIONS.kind, all_wanted=True)) as answers:
        async for question, answer in answers:
            reading = read(question, answer)
            outcome = outcome_of(reading)
            replies[outcome] += 1
            document[question.text, times[question.text]] = NoAnswer(outcome) if reading.value is None else reading.value
            times[question.text] += 1
    answered = []
    for (related, own, holds), asked in zip(ruled, prompts, strict=True):
        outputs = tuple(document.get(position, NoAnswer(NOT_ASKED)) for position in _places(asked))
        answered.append(RuleOutputs(related, own, outputs if holds else None))
    return finding_of(
        answered,
        candidate=interview.candidate.name,
        source=source,
        seed=config.seed,
        each=each,
        replies=dict(replies),
        settings=interview.settings,
        asked_so=interview.caveats,
    )


def expected_questions(tuples: Iterable[RelatedInputs], rule: Rule | None = None) -> int:
    """Number of questions that `ask` sends, including those on record.

    >>> from vivavoce.relations import invariant
    >>> tuples = [RelatedInputs(("a", "b")), RelatedInputs(("a", "c")), RelatedInputs(("c", "c"))]
    >>> expected_questions(tuples, invariant())  # c once more
    4
    """
    prompts = [[prompt(value) for value in related.inputs] for related, _, holds in _ruled(tuples, rule) if holds]
    return sum(1 for _ in _each_once(prompts))


def prompt(value: Any, task: str = "") -> Prompt:
    """The prompt for one input: the task, and the input (as JSON unless it is a text). The reply must be a quantity.

    >>> prompt({"rooms": 3}, "What is this house worth?").text.splitlines()[:3]
    ['What is this house worth?', '', '{"rooms": 3}']
    """
    words = written(value)
    text = "\n\n".join(part for part in (task, words, THINK) if part)
    return Prompt(text, id=_id_of(words), form=NUMBER)


def _id_of(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def name_of(function: Callable[[Any], Any]) -> str:
    """Name of a function, with the class of its object if it has one.

    >>> name_of(len), name_of([].count), name_of(lambda x: x)
    ('len', 'list.count', 'a function')
    """
    name = getattr(function, "__name__", type(function).__name__)
    if name == "<lambda>":
        return "a function"
    owner = getattr(function, "__self__", None)
    return name if owner is None or inspect.ismodule(owner) else f"{type(owner).__name__}.{name}"


def _ruled(tuples: Iterable[RelatedInputs], rule: Rule | None) -> list[tuple[RelatedInputs, Rule, bool]]:
    """Each tuple, its rule, and whether the rule applies to it."""
    ruled = []
    for number, related in enumerate(tuples, start=1):
        own = related.rule or rule
        if own is None:
            raise BadInput(f"tuple {number} has no rule: give one to all of them, or to each")
        if not related.inputs:
            raise BadInput(f"tuple {number} has no inputs")
        ruled.append((related, own, own.holds_of(related.inputs)))
    return ruled


def _called(function: Callable[[Any], Any], value: Any) -> Any:
    try:
        return function(value)
    except (Exception, SystemExit) as error:
        return _fault(error)


def _batched(function: Callable[[Any], Any], values: Sequence[Any]) -> Iterator[Any]:
    for start in range(0, len(values), BATCH):
        given = list(values[start : start + BATCH])
        try:
            outputs = list(function(given))
        except (Exception, SystemExit) as error:
            yield from [_fault(error)] * len(given)
            continue
        if len(outputs) != len(given):
            raise BadInput(f"the function returned {len(outputs)} outputs for {len(given)} inputs: return one for each")
        yield from outputs


def _fault(error: BaseException) -> NoAnswer:
    return NoAnswer(f"raised {type(error).__name__}: {clipped(' '.join(str(error).split()), 100)}".rstrip(": "))


def _each_once(prompts: Sequence[Sequence[Prompt]]) -> Iterator[Prompt]:
    """Every prompt as often as it occurs in the tuple that repeats it most, in the order of the tuples."""
    drawn: Counter[str] = Counter()
    for asked in prompts:
        for (text, draw), question in zip(_places(asked), asked, strict=True):
            if draw >= drawn[text]:
                drawn[text] += 1
                yield question


def _places(asked: Sequence[Prompt]) -> list[tuple[str, int]]:
    """Each prompt's text, with the number of its earlier occurrences in the tuple."""
    seen: Counter[str] = Counter()
    places = []
    for question in asked:
        places.append((question.text, seen[question.text]))
        seen[question.text] += 1
    return places
