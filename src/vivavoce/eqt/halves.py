"""Each model's accuracy in both halves of explain-query-test and of a benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from vivavoce.eqt.benchmark_file import Accuracy, category_name
from vivavoce.eqt.drop import Halves
from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.eqt.order import drawn

Pair = tuple[float, float]


def halves_by_model(
    results: Iterable[ExplainQueryTest | Accuracy],
    benchmark: Sequence[Accuracy],
    pairs: Sequence[tuple[str, str]],
    names: Mapping[str, str],
) -> list[Halves]:
    """Models that have all halves, over the categories that all models have in both tests.

    Of a finding, concepts make the halves, since questions on one explanation are alike: which concept is in which half its
    name decides. Of a file, its columns `half_1` and `half_2`.

    Parameters
    ----------
    pairs: models and categories that are in both tests.
    names: what candidates are called in the benchmark.
    """
    models = list(dict.fromkeys(model for model, _ in pairs))
    there = set(pairs)
    common = {category for _, category in pairs if all((model, category) in there for model in models)}
    ours: dict[str, Pair] = {}
    files: dict[str, list[Accuracy]] = {}
    for result in results:
        if isinstance(result, ExplainQueryTest):
            if (found := _of_concepts(result)) is not None:
                ours[names.get(result.candidate, result.candidate)] = found
        else:
            files.setdefault(names.get(result.model, result.model), []).append(result)
    ours |= {model: found for model, rows in files.items() if (found := _of_rows(rows, common)) is not None}
    theirs = {model: _of_rows([row for row in benchmark if row.model == model], common) for model in models}
    return [Halves(model, found, ours[model]) for model in models if model in ours and (found := theirs[model]) is not None]


def _of_concepts(finding: ExplainQueryTest) -> Pair | None:
    sides: tuple[list[float], list[float]] = ([], [])
    for concept in finding.concepts:
        if concept.closed.value is not None:
            sides[drawn("half", concept.name)[0] % 2].append(concept.closed.value)
    return (fmean(sides[0]), fmean(sides[1])) if all(sides) else None


def _of_rows(rows: Sequence[Accuracy], categories: set[str]) -> Pair | None:
    """The means over these categories, if each has both halves."""
    held = {category_name(row.category): row.halves for row in rows}
    halves = [held.get(category) for category in sorted(categories)]
    known = [pair for pair in halves if pair is not None]
    if not known or len(known) < len(halves):
        return None
    return fmean(first for first, _ in known), fmean(second for _, second in known)
