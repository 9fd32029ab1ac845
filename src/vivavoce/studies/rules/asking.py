"""Outputs for related inputs: call a function, or ask a candidate in words."""

from __future__ import annotations

import hashlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from vivavoce.consistency.config import RelationsConfig
from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.forms.probability import Quantity
from vivavoce.interview.interview import Interview
from vivavoce.interview.notation import QuestionOutcome
from vivavoce.interview.reading import outcome_of, read
from vivavoce.interview.results import AnswerEvent as Row
from vivavoce.interview.results import ResultMark, ResultRows
from vivavoce.studies.relations import RELATIONS, RelationFinding, finding_of
from vivavoce.studies.rules.judging import RuleOutputs, written
from vivavoce.studies.rules.rules import RelatedInputs, Rule
from vivavoce.studies.study import NO_SOURCE, Source

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
