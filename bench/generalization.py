"""The predictor `stacked-logistic` beside the baselines, by nested cross-validation on the practice pairs of `vafa2024`.

    python bench/generalization.py [--check] [--repeats 5] [--folds 10] [--labels N] [--harder] FOLDER

FOLDER has survey_practice.csv and the two files with the paper's BERT predictions, which serve as teacher's labels. Whatever
is fitted (vocabulary, the student's penalty, weights) is fitted anew on each fold's training pairs. Pairs that share a
question, also by way of others, are held out together. Intervals are by bootstrap over such groups, for the mean over repeats.

AUC compares all pairs; "in fold" compares only pairs held out together. Chances of different folds come from different fits,
whose levels move against the labels held out; that costs a predictor of few distinct chances, such as a baseline, much AUC.
"taught apart" leaves out the teacher's labels on every pair that has a question of the pairs held out.

`--labels` fits on so many of each fold's training pairs, drawn by
chance. `--harder` holds whole tasks out as well. `--check` fails unless, with a teacher, AUC is at least .80 and NLL at most
.55, and both are surely better than those of the better baseline.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from vivavoce.generalization.pairs import BeliefPair, read_pairs
from vivavoce.generalization.predictors import previous_answer as previous
from vivavoce.generalization.predictors import stacked_logistic
from vivavoce.generalization.predictors.base import Predictor

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]
Fit = Callable[[Sequence[BeliefPair], Sequence[BeliefPair]], Predictor]
"""From training pairs, and those held out, whose labels it leaves alone."""
RESAMPLES = 2000
CONFIDENCE = 0.95


def folds_by_question(pairs: Sequence[BeliefPair], folds: int) -> NDArray[np.int64]:
    """A fold for each pair, the same for pairs that share a question, also by way of others; whatever order they come in.

    >>> a, b, c = (BeliefPair(q1, q2, "t", "t", previous_correct=True) for q1, q2 in [("1", "2"), ("2", "3"), ("4", "5")])
    >>> found = folds_by_question([a, b, c], 2)
    >>> bool(found[0] == found[1] != found[2])
    True
    """
    leader: dict[str, str] = {}

    def lead(question: str) -> str:
        while leader.setdefault(question, question) != question:
            leader[question] = leader[leader[question]]
            question = leader[question]
        return question

    for pair in pairs:
        low, high = sorted((lead(pair.q1), lead(pair.q2)))
        leader[high] = low  # the first by alphabet leads, so that the order of pairs does not matter
    leaders = [lead(pair.q1) for pair in pairs]
    shuffled = sorted(set(leaders), key=lambda question: (crc32(question.encode("utf-8", "replace")), question))
    fold = {question: index % folds for index, question in enumerate(shuffled)}
    return np.array([fold[question] for question in leaders], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Chances that a predictor gave to pairs that it was not fitted on."""

    chances: Floats
    """[repeats, pairs]."""
    folds: Groups
    """[repeats, pairs]."""


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over repeats; each an array of [the pairs themselves, *resamples of them]."""

    auc: Floats
    in_fold: Floats
    """AUC over pairs of pairs that were held out together."""
    after_right: Floats
    after_wrong: Floats
    nll: Floats
    spread: tuple[float, float]
    """Standard deviation of AUC and NLL over repeats."""


def cross_validate(
    fit: Fit, pairs: Sequence[BeliefPair], groups: Groups, *, repeats: int, folds: int, labels: int | None = None
) -> HeldOut:
    """Hold each group out once a repeat, in folds drawn anew each time; fit on all others, or on so many of them."""
    ids = np.unique(groups)
    chances, result = np.zeros((repeats, len(pairs))), np.zeros((repeats, len(pairs)), dtype=np.int64)
    for repeat in range(repeats):
        rng = np.random.default_rng(repeat)
        drawn = rng.permutation(len(ids)) % folds
        result[repeat] = drawn[np.searchsorted(ids, groups)]
        for fold in range(folds):
            training = [pair for pair, position in zip(pairs, result[repeat], strict=True) if position != fold]
            asked = [pair for pair, position in zip(pairs, result[repeat], strict=True) if position == fold]
            if labels is not None:
                training = [training[index] for index in rng.permutation(len(training))[:labels].tolist()]
            chances[repeat, result[repeat] == fold] = fit(training, asked).predict(asked)
    return HeldOut(chances, result)


def score(held: HeldOut, pairs: Sequence[BeliefPair], counts: Floats) -> Scores:
    """Scores, and those of resamples, which are given by how often each pair is in them: [resamples, pairs]."""
    labels = np.array([bool(pair.changed) for pair in pairs])
    right = np.array([pair.previous_correct for pair in pairs])
    yes, no = np.flatnonzero(labels), np.flatnonzero(~labels)
    gaps = held.chances[:, yes, None] - held.chances[:, None, no]
    wins = (gaps > 0) + (gaps == 0) / 2.0
    together = (held.folds[:, yes, None] == held.folds[:, None, no]).astype(float)
    weights = np.vstack([np.ones(len(pairs)), counts])

    def share(won: Floats, compared: Floats) -> Floats:
        over = np.einsum("ri,ij,rj->r", weights[:, yes], compared, weights[:, no], optimize=True)
        return np.asarray(np.einsum("ri,ij,rj->r", weights[:, yes], won, weights[:, no], optimize=True) / over)

    alike = {side: (right[yes] == side)[:, None] * (right[no] == side)[None] * 1.0 for side in (True, False)}
    losses = -np.log(np.where(labels, held.chances, 1 - held.chances))
    mean, everywhere = wins.mean(axis=0), np.ones((len(yes), len(no)))
    return Scores(
        auc=share(mean, everywhere),
        in_fold=share((wins * together).sum(axis=0), together.sum(axis=0)),
        after_right=share(mean * alike[True], alike[True]),
        after_wrong=share(mean * alike[False], alike[False]),
        nll=weights @ losses.mean(axis=0) / weights.sum(axis=1),
        spread=(float(wins.mean(axis=(1, 2)).std()), float(losses.mean(axis=1).std())),
    )


def resamples(groups: Groups, rng: np.random.Generator) -> Floats:
    """How often each pair is in each of the bootstrap's resamples, which draw whole groups."""
    ids, places = np.unique(groups, return_inverse=True)
    return rng.multinomial(len(ids), np.full(len(ids), 1 / len(ids)), RESAMPLES)[:, places].astype(float)


def interval(values: Floats) -> str:
    """As text, of the resamples."""
    low, high = np.quantile(values[1:], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return f"[{low:.3f}, {high:.3f}]"


def fits(teachers: Sequence[BeliefPair]) -> dict[str, Fit]:
    """All that are compared."""
    rng = np.random.default_rng(0)

    def apart(training: Sequence[BeliefPair], asked: Sequence[BeliefPair]) -> Predictor:
        questions = {question for pair in asked for question in (pair.q1, pair.q2)}
        kept = [pair for pair in teachers if questions.isdisjoint((pair.q1, pair.q2))]
        return stacked_logistic.fit(training, teachers=kept, rng=rng)

    return {
        "previous": lambda training, asked: previous.fit(training, rng=rng),
        "previous-task": lambda training, asked: previous.fit_with_task(training, rng=rng),
        "stacked-logistic": lambda training, asked: stacked_logistic.fit(training, rng=rng),
        "stacked-logistic, taught": lambda training, asked: stacked_logistic.fit(training, teachers=teachers, rng=rng),
        "stacked-logistic, taught apart": apart,
    }


def groupings(pairs: Sequence[BeliefPair]) -> dict[str, Groups]:
    """What is held out together in harder tests."""
    ways: dict[str, Callable[[BeliefPair], object]] = {
        "pairs of tasks": lambda pair: sorted((pair.source1, pair.source2)),
        "first tasks": lambda pair: pair.source1,
        "second tasks": lambda pair: pair.source2,
    }
    result = {"single pairs": np.arange(len(pairs))}
    for name, way in ways.items():
        keys = [str(way(pair)) for pair in pairs]
        result[name] = np.unique(keys, return_inverse=True)[1]
    return result


def show(name: str, scores: Scores, began: float) -> None:
    """One line of the table."""
    sides = "  ".join(f"{side[0]:.3f}" for side in (scores.in_fold, scores.after_right, scores.after_wrong))
    print(
        f"{name:<28} {scores.auc[0]:.3f} {interval(scores.auc)}  {sides}  {scores.nll[0]:.3f} {interval(scores.nll)}"
        f"  ±{scores.spread[0]:.3f} ±{scores.spread[1]:.3f}  {time.perf_counter() - began:.0f} s",
        flush=True,
    )


def compare(folder: Path, *, repeats: int, folds: int, labels: int | None, harder: bool) -> bool:
    """Print the table; whether the claim holds."""
    pairs = read_pairs(folder / "survey_practice.csv")
    teachers = [pair for name in ("correct", "incorrect") for pair in read_pairs(folder / f"{name}_sample_with_pred.csv")]
    groups = folds_by_question(pairs, len(pairs))
    counts = resamples(groups, np.random.default_rng(1))
    print(f"{len(pairs)} pairs in {len(set(groups.tolist()))} groups, {repeats} x {folds} folds, {CONFIDENCE:.0%} intervals")
    print(f"{'predictor':<28} AUC                   in fold right  wrong  NLL                   over repeats")
    table = {}
    compared = fits(teachers)
    for name, fit in compared.items():
        began = time.perf_counter()
        table[name] = score(cross_validate(fit, pairs, groups, repeats=repeats, folds=folds, labels=labels), pairs, counts)
        show(name, table[name], began)
    began = time.perf_counter()
    alone = stacked_logistic.fit([], teachers=teachers, rng=np.random.default_rng(0)).predict(pairs)[None]
    show("teacher's labels alone", score(HeldOut(alone, np.zeros(alone.shape, dtype=np.int64)), pairs, counts), began)
    made, theirs = table["stacked-logistic, taught"], table["previous-task"]
    better, closer = made.in_fold - theirs.in_fold, made.nll - theirs.nll
    gained = f"AUC in fold {better[0]:+.3f} {interval(better)}, NLL {closer[0]:+.3f} {interval(closer)}"
    print(f"stacked-logistic, taught, less previous-task: {gained}")
    for way, held in groupings(pairs).items() if harder else ():
        for name in ("stacked-logistic", "stacked-logistic, taught"):
            began = time.perf_counter()
            result = cross_validate(compared[name], pairs, held, repeats=repeats, folds=folds, labels=labels)
            show(f"{name}; {way}", score(result, pairs, resamples(held, np.random.default_rng(1))), began)
    sure = np.quantile(better[1:], (1 - CONFIDENCE) / 2) > 0 and np.quantile(closer[1:], (1 + CONFIDENCE) / 2) < 0
    holds = bool(made.auc[0] >= 0.80 and made.nll[0] <= 0.55 and sure)
    print(f"AUC >= .80, NLL <= .55, and surely better than the baseline: {'holds' if holds else 'DOES NOT HOLD'}")
    return holds


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--labels", type=int)
    parser.add_argument("--harder", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    holds = compare(given.folder, repeats=given.repeats, folds=given.folds, labels=given.labels, harder=given.harder)
    return int(given.check and not holds)


if __name__ == "__main__":
    sys.exit(main())
