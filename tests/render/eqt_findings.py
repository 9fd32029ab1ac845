"""Examinations on a candidate's own explanations drawn at random and scored once, as a page and a terminal show them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from vivavoce.eqt.benchmark import BenchmarkComparison, compare_with_benchmark
from vivavoce.eqt.eqt_finding import EqtFinding, finding_of
from vivavoce.eqt.files import Accuracy
from vivavoce.eqt.record import (
    ROLES,
    Concept,
    ConceptRecord,
    EqtConfig,
    EqtRecord,
    ParsedAnswer,
    ParseOutcome,
    Phrasing,
    QuestionRecord,
)
from vivavoce.eqt.result import EqtResult, ExampleQuestion, Figures
from vivavoce.eqt.score import score
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice

CATEGORIES = (
    "biology",
    "business",
    "chemistry",
    "computer science",
    "economics",
    "engineering",
    "health",
    "history",
    "law",
    "math",
    "philosophy",
    "physics",
    "psychology",
    "other",
)
SUBJECTS = ("Graph theory", "Natural selection", "Supply and demand", "Entropy")
EXPLANATION = "A tree is a connected graph without cycles.\nIts edges are one fewer than its vertices. " * 40
OPTIONS = ("It has n − 1 edges.", "It holds exactly one cycle.", "Any two vertices are joined by one path.", "It is directed.")
ONE_OF_EACH = QuestionRecord(
    number=2,
    kind="properties",
    question=MultipleChoice("Which of these are properties of every tree with n vertices?", OPTIONS, frozenset({0, 2})),
    parse="strict",
    phrasings=(
        Phrasing("Which of these are properties of every tree with n vertices?", ParsedAnswer(frozenset({0}), "strict")),
        Phrasing("A tree on n vertices always …?", ParsedAnswer(frozenset({0, 2}), "lenient"), same_meaning=True),
        Phrasing("What holds for all trees?", ParsedAnswer(None, "unreadable", "no option named"), same_meaning=False),
        Phrasing(None, None, problem="empty"),
    ),
    open_book=ParsedAnswer(frozenset({0, 2}), "strict"),
    key_check=ParsedAnswer(frozenset({0, 1}), "strict"),
    pointing="according to the passage",
    self_contained=False,
    duplicate_of=1,
)
"""A question on which everything is wrong that can be."""


def shown(figures: Figures, name: str, write: Callable[[float], str]) -> str:
    """A figure as it is shown: where replies could not be read, from what it is without them to what it is at most."""
    lowest, highest = write(getattr(figures, name).value or 0), write(figures.highest.get(name, -9.0))
    return lowest if name not in figures.highest or lowest == highest else f"{lowest.removesuffix('%')}–{highest}"


def answer(draw: random.Random, key: Choice, right: float) -> ParsedAnswer:
    """Right with this probability, else often partly; one in fifty cannot be read."""
    if draw.random() < 0.02:
        return (
            ParsedAnswer(None, "unreadable", "no option named")
            if draw.random() < 0.8
            else ParsedAnswer(None, "no answer", "time-out")
        )
    parse: ParseOutcome = "strict" if draw.random() < 0.9 else "lenient"
    return ParsedAnswer(key if draw.random() < right else frozenset({draw.randrange(4)}) ^ key & {0, 1}, parse)


def item(draw: random.Random, number: int, right: float, paraphrases: int) -> QuestionRecord:
    """A question, one in forty without a key, with its faults."""
    if draw.random() < 0.025:
        return QuestionRecord(number, "recall", None, "unreadable", "no key")
    key = frozenset(draw.sample(range(4), draw.choice((1, 1, 2))))
    asked = MultipleChoice(f"Which of these holds, number {number}?", OPTIONS, key)
    known = right + 0.25 * (draw.random() - 0.5)
    wordings = [
        Phrasing(f"In wording {index}, which holds?", answer(draw, key, known), same_meaning=draw.random() < 0.96)
        for index in range(2, paraphrases + 2)
    ]
    return QuestionRecord(
        number=number,
        kind="recall",
        question=asked,
        parse="strict" if draw.random() < 0.9 else "lenient",
        phrasings=(Phrasing(asked.stem, answer(draw, key, known)), *wordings),
        open_book=answer(draw, key, min(1.0, right + 0.3)),
        key_check=answer(draw, key, 0.95),
        pointing="in the text" if draw.random() < 0.05 else "",
        self_contained=draw.random() < 0.95,
        duplicate_of=1 if number > 1 and draw.random() < 0.03 else None,
    )


def record(
    candidate: str = "openai:model-a",
    *,
    categories: Sequence[str] = CATEGORIES,
    concepts: int = 4,
    right: float = 0.62,
    questions: int = 5,
    paraphrases: int = 3,
) -> EqtRecord:
    """So many concepts a category, answered rightly with about this probability, and with .3 more with the explanation."""
    draw = random.Random(f"{candidate[-20:]} {right}")
    concept_records = [
        ConceptRecord(
            Concept(f"{SUBJECTS[index % 4]}, part {index + 1} of {category}", category),
            EXPLANATION,
            "",
            tuple(item(draw, number, right, paraphrases) for number in range(1, questions + 1)),
        )
        for category in categories
        for index in range(concepts)
    ]
    return EqtRecord(
        roles=dict.fromkeys(ROLES, candidate),
        config=EqtConfig(questions=questions, paraphrases=paraphrases, seed=7),
        concept_records=tuple(concept_records),
        planned=len(concept_records),
        calls=2461,
        tokens_in=310_000,
        tokens_out=120_500,
        money=1.234,
    )


def finding() -> EqtFinding:
    """One candidate on its own explanations."""
    return finding_of([result()])


def with_every_line() -> EqtFinding:
    """One on which everything is said that can be."""
    return finding_of([result_with_every_line()])


def nothing() -> EqtFinding:
    """No concept was explained."""
    return finding_of([result_of_nothing()])


def benchmark() -> EqtFinding:
    """Five models in both tests."""
    return finding_of([], benchmark=benchmark_comparison())


@cache
def result(candidate: str = "openai:model-a", *, categories: Sequence[str] = CATEGORIES, **how: float | int) -> EqtResult:
    """One candidate on its own explanations."""
    return score(record(candidate, categories=categories, **how), source="the built-in concepts")  # type: ignore[arg-type]


@cache
def result_with_every_line(candidate: str = "openai:model-a") -> EqtResult:
    """Roles apart, a budget that ran out, a concept without explanation, visitors, a question with everything wrong."""
    asked = record(candidate, categories=("math", "physics"))
    first, second, *others = asked.concept_records
    odd = [
        replace(first, concept=Concept("Trees", "math"), items=(first.items[0], ONE_OF_EACH)),
        replace(second, explanation=None, problem="refused", items=()),
    ]
    eqt_record = replace(
        asked,
        roles={**asked.roles, "writer": "openai:model-w", "checker": "openai:model-c"},
        concept_records=(*odd, *others),
        planned=10,
        exhausted="money",
        visitors={
            "openai:model-v": {
                (concept_record.concept.name, question_record.number): ParsedAnswer(
                    question_record.question.key if index % 2 else frozenset({3}), "strict"
                )
                for index, (concept_record, question_record) in enumerate((s, i) for s in others for i in s.items)
                if question_record.question
            }
        },
    )
    eqt_result = score(eqt_record, source="concepts.txt", digest="ab" * 32)
    return replace(
        eqt_result,
        examples=(ExampleQuestion(Concept("Trees", "math"), EXPLANATION, ONE_OF_EACH, "everything"), *eqt_result.examples),
    )


@cache
def result_of_nothing() -> EqtResult:
    """No concept was explained."""
    asked = record(categories=("math",), concepts=2)
    return score(
        replace(
            asked,
            concept_records=tuple(replace(s, explanation=None, problem="refused", items=()) for s in asked.concept_records),
        )
    )


@cache
def comparison(number: int = 5, categories: Sequence[str] = CATEGORIES, concepts: int = 2) -> EqtFinding:
    """So many candidates, the later the better, who all but the last have answered the questions of the others too."""
    names = [f"openai:model-{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"[:number]]
    results = []
    for index, name in enumerate(names):
        asked = record(name, categories=categories, concepts=concepts, right=0.35 + 0.5 * index / number)
        draw = random.Random(index)
        keys = {
            (s.concept.name, question_record.number): question_record.question.key
            for s in asked.concept_records
            for question_record in s.items
            if question_record.question
        }
        visits = {
            other: {at: answer(draw, key, 0.35 + 0.5 * where / number) for at, key in keys.items()}
            for where, other in enumerate(names[:-1])
            if other != name
        }
        results.append(score(replace(asked, visitors=visits), source="the built-in concepts"))
    return finding_of(results)


@cache
def benchmark_comparison(number: int = 5, categories: Sequence[str] = CATEGORIES) -> BenchmarkComparison:
    """So many models in both tests, the later the better in both."""
    draw = random.Random(5)
    models = [f"openai:model-{chr(97 + index % 26)}{index // 26 or ''}" for index in range(number)]
    eqt = {(m, c): 0.5 + 0.3 * k / number + 0.2 * draw.random() for k, m in enumerate(models) for c in categories}
    ours = [Accuracy(model, category, value) for (model, category), value in eqt.items()]
    theirs = [Accuracy(model, category, max(0.0, value - 0.2 * draw.random())) for (model, category), value in eqt.items()]
    return compare_with_benchmark([*ours, Accuracy(models[0], "chess", 0.5)], theirs, source="mmlu_pro.csv", digest="cd" * 32)
