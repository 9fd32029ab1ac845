"""Comparisons: how often a statement is wrong at the edge, and how many questions they take on recorded answers of models.

In the first study two candidates differ by exactly 0 or exactly the margin, in a list or in independent draws, over strata or
by weight, and one looks after every question. In the second several candidates are all equal, or all but one, and who is
settled is asked no more. The third takes 17 models' recorded answers to MMLU-Pro, category by category, and counts the
questions until it is known who is better: paired; by the same bets on answers to different questions; and by two confidence
sequences, one for each model, until they do not overlap. Last come the tiers of the 17 models over all categories.

    python -m tests.validity.comparison [--runs 4000] [--data DIR] [--only pairs|many|recorded]
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tests.validity.error_studies import DELTA, TOGETHER, Bools, RecordedAnswers, nulls_of, over, parser_of, parts_of
from vivavoce.certificate.comparison.evidence import PairedEvidence, closed_testing
from vivavoce.certificate.comparison.finding import tiers
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.confidence_sequences import mean_bounds
from vivavoce.statistics.differences import DifferenceTests
from vivavoce.statistics.plug_in import PairedDifferenceTests
from vivavoce.statistics.stratified import StratifiedTests, proportional

GAPS = ((0.02, 0.03), (0.02, 0.05), (0.05, 0.1), (0.1, 1.0), (0.03, 0.1), (0.1, 0.2), (0.2, 1.0))
_BLOCK = 32
"""Questions whose bets are kept in memory at once."""


@dataclass(frozen=True)
class ComparisonCase:
    """Two candidates, of whom each does better on a known number of questions, group by group."""

    sizes: tuple[int, ...]
    """Questions of each group."""
    won: tuple[int, ...]
    lost: tuple[int, ...]
    margin: float
    finite: bool
    drawing: Literal["scope", "strata", "weights"] = "scope"
    """What the groups are: strata, or questions of one weight; without either there is one."""
    weights: tuple[float, ...] = (1.0,)

    @property
    def size(self) -> int:
        return sum(self.sizes)

    @property
    def difference(self) -> float:
        """D."""
        weights = self._weights
        more = sum(weight * (won - lost) for weight, won, lost in zip(weights, self.won, self.lost, strict=True))
        return more / sum(weight * size for weight, size in zip(weights, self.sizes, strict=True))

    @property
    def name(self) -> str:
        kind = f"{self.size} questions" if self.finite else "independent draws"
        how = {"scope": "", "strata": ", strata", "weights": ", by weight"}[self.drawing]
        apart = (sum(self.won) + sum(self.lost)) / self.size
        return f"D {self.difference:+.2g}, {apart:.0%} discordant, margin {self.margin:g}, {kind}{how}"

    @property
    def largest(self) -> float:
        """How many times its share the heaviest question counts."""
        total = sum(weight * size for weight, size in zip(self._weights, self.sizes, strict=True))
        return max(self._weights) * self.size / total

    @property
    def strata(self) -> NDArray[np.intp]:
        """The stratum of each question, in drawn order."""
        shares = np.array(self.sizes) / self.size
        return np.array(list(islice(proportional(shares, sizes=self.sizes if self.finite else None), self.size)))

    @property
    def nulls(self) -> Bools:
        """Which are true: those of better, worse, no worse, no better."""
        return nulls_of(self.difference, self.margin)

    @property
    def _weights(self) -> tuple[float, ...]:
        return self.weights if self.drawing == "weights" else (1.0,) * len(self.sizes)

    def draw(self, rng: np.random.Generator, runs: int) -> Floats:
        """Differences as tests take them, in drawn order: shape (runs, size)."""
        groups = [
            np.repeat([weight, -weight, 0.0], [won, lost, size - won - lost]) / max(self._weights)
            for weight, won, lost, size in zip(self._weights, self.won, self.lost, self.sizes, strict=True)
        ]
        if self.drawing != "strata":
            return self._drawn(np.concatenate(groups), rng, (runs, self.size))
        result, where = np.zeros((runs, self.size)), self.strata
        for stratum, group in enumerate(groups):
            result[:, where == stratum] = self._drawn(group, rng, (runs, int((where == stratum).sum())))
        return result

    def _drawn(self, values: Floats, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        result: Floats = rng.permuted(np.tile(values, (shape[0], 1)), axis=1) if self.finite else rng.choice(values, size=shape)
        return result

    def paths(self, d: Floats) -> Iterator[Floats]:
        """The log e-values of all nulls after each question, in blocks of shape (B, runs, 4)."""
        runs = len(d)
        asked = self.size - self.finite  # the last question of a list leaves nothing to chance
        blocks = range(0, asked, _BLOCK)
        if self.drawing == "strata":
            sizes = self.sizes if self.finite else None
            over = StratifiedTests(2 * runs, np.array(self.sizes) / self.size, sizes=sizes)
            nulls, where = np.tile([0.0, -self.margin], (2 * runs, 1)), self.strata
            for start in blocks:
                steps = []
                for n in range(start, min(start + _BLOCK, asked)):
                    over.update(np.concatenate([d[:, n], -d[:, n]]), int(where[n]))
                    steps.append(over.log_e(nulls).reshape(2, runs, 2).transpose(1, 2, 0).reshape(runs, 4))
                yield np.stack(steps)
            return
        edge = self.margin / self.largest
        tests = PairedDifferenceTests(runs, edge, aim=edge, population=self.size if self.finite else None)
        for start in blocks:
            block = d[:, start : min(start + _BLOCK, asked)]
            yield tests.update(block, block).transpose(2, 1, 0)


def plain(difference: float, discordant: float, margin: float, finite: bool, size: int = 500) -> ComparisonCase:
    """Without groups."""
    apart = round(size * discordant)
    won = round((apart + size * difference) / 2)
    return ComparisonCase((size,), (won,), (apart - won,), margin, finite)


def mirrored(case: ComparisonCase) -> ComparisonCase:
    """With the candidates in the other order."""
    return replace(case, won=case.lost, lost=case.won)


_STRATA = (200, 150, 80, 50, 20)
_OVER_STRATA = (
    ComparisonCase(_STRATA, (70, 40, 10, 3, 2), (30, 35, 30, 22, 8), 0.05, True, "strata"),
    ComparisonCase(_STRATA, (8, 3, 1, 0, 0), (2, 3, 3, 3, 1), 0.02, True, "strata"),
    ComparisonCase(_STRATA, (60, 20, 3, 2, 0), (10, 15, 20, 12, 3), 0.05, True, "strata"),
    mirrored(ComparisonCase(_STRATA, (60, 20, 3, 2, 0), (10, 15, 20, 12, 3), 0.05, True, "strata")),
    mirrored(ComparisonCase(_STRATA, (15, 6, 3, 1, 0), (0, 0, 0, 0, 0), 0.05, True, "strata")),
)
_BY_WEIGHT = (
    ComparisonCase((125, 375), (50, 65), (30, 125), 0.05, True, "weights", (3.0, 1.0)),
    ComparisonCase((125, 375), (4, 5), (1, 14), 0.02, True, "weights", (3.0, 1.0)),
    ComparisonCase((125, 375), (40, 45), (20, 75), 0.04, True, "weights", (3.0, 1.0)),
    mirrored(ComparisonCase((125, 375), (40, 45), (20, 75), 0.04, True, "weights", (3.0, 1.0))),
    mirrored(ComparisonCase((125, 375), (9, 3), (0, 0), 0.04, True, "weights", (3.0, 1.0))),
)
CASES = (
    *(
        plain(difference, discordant, margin, finite)
        for difference, discordant, margin in (
            (0.0, 1.0, 0.05), (0.0, 0.5, 0.05), (0.0, 0.3, 0.02), (0.0, 0.048, 0.02),
            (0.05, 0.99, 0.05), (0.05, 0.51, 0.05), (0.05, 0.31, 0.05), (0.05, 0.05, 0.05),
            (-0.05, 0.99, 0.05), (-0.05, 0.51, 0.05), (-0.05, 0.11, 0.05), (-0.05, 0.05, 0.05),
            (0.02, 0.5, 0.02),
        )
        for finite in (True, False)
    ),
    *(replace(case, finite=finite) for case in _OVER_STRATA for finite in (True, False)),
    *_BY_WEIGHT,
)  # fmt: skip


@dataclass(frozen=True)
class ComparisonErrors:
    """What became of the runs of a case."""

    wrong: float
    stated: float
    median: float
    """Questions."""


def error_rates(case: ComparisonCase, *, runs: int, seed: int = 0) -> ComparisonErrors:
    """How often any statement of a run is ever wrong."""
    rng = np.random.default_rng(seed)
    parts = [_statements(case, case.draw(rng, part)) for part in parts_of(runs)]
    made, when = (np.concatenate(part) for part in zip(*parts, strict=True))
    return ComparisonErrors(float((made & case.nulls).any(axis=1).mean()), float(over(made).mean()), float(np.median(when)))


def _statements(case: ComparisonCase, d: Floats) -> tuple[Bools, NDArray[np.intp]]:
    """Those of each run when it was settled, or at its end, and after how many questions that was."""
    runs, n = len(d), 0
    made, when = np.zeros((runs, 4), dtype=bool), np.full(runs, case.size)
    for path in case.paths(d):
        for log_e in path:
            n, before = n + 1, over(made)
            made |= closed_testing(log_e[:, None], DELTA)[:, 0] & ~before[:, None]
            when[over(made) & ~before] = n
        if over(made).all():
            break
    return made, when


@dataclass(frozen=True)
class Many:
    """Several candidates, of whom the last is better than all others by this; the others are equal.

    They answer alike on a share of the questions; on the others each by itself, right on 60%.
    """

    candidates: int
    better: float
    alike: float = 0.5
    finite: bool = False
    size: int = 300
    margin: float = 0.05

    @property
    def name(self) -> str:
        kind = f"{self.size} questions" if self.finite else "independent draws"
        return f"{self.candidates} candidates, one better by {self.better:g}, {self.alike:.0%} answered alike, {kind}"

    def draw(self, rng: np.random.Generator, runs: int) -> Floats:
        """Scores in drawn order: shape (runs, candidates, size)."""
        if self.finite:
            listed = self._list(np.random.default_rng(1))
            return np.stack([listed[:, rng.permutation(self.size)] for _ in range(runs)])
        alike, shared = (rng.random((runs, 1, self.size)) < share for share in (self.alike, 0.6))
        own = rng.random((runs, self.candidates, self.size)) < 0.6
        scores = np.where(alike, shared, own).astype(float)
        if self.better:
            scores[:, -1] = rng.random((runs, self.size)) < 0.6 + self.better
        return scores

    def _list(self, rng: np.random.Generator) -> Floats:
        """One list, in which all but the last have exactly 60% right."""
        shared = round(self.size * self.alike)
        scores = np.zeros((self.candidates, self.size))
        scores[:, : round(shared * 0.6)] = 1.0
        for row in scores:
            rest = rng.permutation(np.arange(shared, self.size))
            row[rest[: round(self.size * 0.6) - round(shared * 0.6)]] = 1.0
        wrong = np.flatnonzero(scores[-1] == 0)
        scores[-1, wrong[: round(self.better * self.size)]] = 1.0
        return scores

    def nulls(self, pairs: NDArray[np.intp]) -> Bools:
        """Which nulls of each pair are true: (P, 4)."""
        d = np.where(pairs[:, 1] == self.candidates - 1, -self.better, 0.0)
        return np.stack([d <= 0, d >= 0, d <= -self.margin, d >= self.margin], axis=1)


MANY = (
    *(Many(candidates, better, finite=finite) for candidates in (3, 8) for better in (0.0, 0.2) for finite in (False, True)),
    *(Many(candidates, 0.0, alike=0.95) for candidates in (3, 8)),
)


def errors_of_many(case: Many, *, runs: int, seed: int = 0) -> dict[str, tuple[float, float]]:
    """By rule the share of runs with a wrong statement on any pair, and the mean share of wrong ones among those made."""
    rng, pairs = np.random.default_rng(seed), np.array(list(combinations(range(case.candidates), 2)))
    together = max(1, 8 * TOGETHER // len(pairs))
    made: dict[str, list[Bools]] = {"any": [], "share": []}
    for start in range(0, runs, together):
        scores = case.draw(rng, min(together, runs - start))
        for rule, values in _of_many(case, scores, pairs).items():
            made[rule].append(values)
    nulls = case.nulls(pairs)
    rates = {}
    for rule, parts in made.items():
        concatenate = np.concatenate(parts)
        wrong = (concatenate & nulls).sum(axis=(1, 2))
        rates[rule] = float((wrong > 0).mean()), float((wrong / np.maximum(concatenate.sum(axis=(1, 2)), 1)).mean())
    return rates


def _of_many(case: Many, scores: Floats, pairs: NDArray[np.intp]) -> dict[str, Bools]:
    """The statements of all runs at their end, by rule, shape (runs, P, 4); the values of settled pairs stay as they are."""
    runs, number = len(scores), len(pairs)
    d = (scores[:, pairs[:, 0]] - scores[:, pairs[:, 1]]).reshape(runs * number, case.size)
    population = case.size if case.finite else None
    tests = PairedDifferenceTests(len(d), case.margin, aim=case.margin, population=population)
    made = {rule: np.zeros((runs, number, 4), dtype=bool) for rule in ("any", "share")}
    held = {rule: np.zeros((runs, number, 4)) for rule in made}
    asked = case.size - case.finite
    for start in range(0, asked, _BLOCK):
        block = d[:, start : min(start + _BLOCK, asked)]
        path = tests.update(block, block).reshape(4, runs, number, -1)
        for log_e in path.transpose(3, 1, 2, 0):
            for rule, values in made.items():
                open_ = ~over(values)[..., None]
                held[rule] = np.where(open_, log_e, held[rule])
                values |= (closed_testing(held[rule], DELTA) if rule == "any" else share_of_runs(held[rule], DELTA)) & open_
        if all(over(values).all() for values in made.values()):
            break
    return made


def share_of_runs(log_e: Floats, delta: float) -> Bools:
    """e-BH in each run, over all nulls of all pairs: of M values the k largest, if the k-th is M / (k delta) or more."""
    flat = log_e.reshape(len(log_e), -1)
    enough = -np.sort(-flat, axis=1) + np.log(np.arange(1, flat.shape[1] + 1) * delta / flat.shape[1]) >= -1e-12
    last = np.where(enough.any(axis=1), flat.shape[1] - enough[:, ::-1].argmax(axis=1), 0)
    rank = (-flat).argsort(axis=1).argsort(axis=1)
    result: Bools = (rank < last[:, None]).reshape(log_e.shape)
    return result


@dataclass(frozen=True)
class RecordedPair:
    """Two models on a category of a benchmark: the questions to each until it is known who is better."""

    gap: float
    paired: int
    unpaired: int
    """By the same bets, each model on questions of its own."""
    apart: int
    """By two confidence sequences."""
    unsplit: int
    """Paired, at delta a side: valid unless the two are exactly equal."""
    informed: int
    """Paired, by the bets that grow fastest of all, which know how many questions of the scope each model alone has right."""
    size: int
    wrong: bool


def recorded_pairs(
    folder: Path, *, seed: int = 0, limit: int | None = None, categories: int | None = None, looks: int = 40
) -> list[RecordedPair]:
    """All pairs of models by category; looks: how often one looks at two confidence sequences."""
    of = RecordedAnswers.read(folder)
    rng, results = np.random.default_rng(seed), []
    for category in sorted(set(of.category.tolist()))[:categories]:
        scores = of.scores[:, of.category == category]
        scores = scores[:, rng.permutation(scores.shape[1])]
        pairs = list(combinations(range(len(of.names)), 2))
        chosen = pairs if limit is None else [pairs[index] for index in rng.permutation(len(pairs))[:limit]]
        others = scores[:, rng.permutation(scores.shape[1])]
        bounds = {model: _course(scores[model], looks) for model in {number for pair in chosen for number in pair}}
        for first, second in chosen:
            d = scores[first] - scores[second]
            n, wrong = _until(d)
            unpaired, _ = _until(scores[first] - others[second])
            unsplit, _ = _until(d, DELTA)
            apart = _apart(bounds[first], bounds[second], d.size)
            results.append(RecordedPair(abs(float(d.mean())), n, unpaired, apart, unsplit, _informed(d), d.size, wrong))
    return results


def _informed(d: Floats) -> int:
    """Questions that the likelihood ratio takes: the true numbers of wins and losses against as many wins as losses."""
    signs, half = np.sign(d.sum()) * d, np.abs(d).sum() / 2
    path = np.zeros(d.size)
    for side in (signs > 0, signs < 0):
        before = side.cumsum() - side
        with np.errstate(divide="ignore", invalid="ignore"):
            path += np.where(side, np.log((side.sum() - before) / np.maximum(half - before, 0)), 0.0)
    enough = np.flatnonzero(path.cumsum() >= np.log(2 / DELTA))
    return int(enough[0]) + 1 if enough.size else d.size


def _until(d: Floats, a_side: float = DELTA / 2) -> tuple[int, bool]:
    """Questions until it is known who is better, and whether that is wrong."""
    tests, size = DifferenceTests([0.0, 0.0], population=d.size), d.size
    for start in range(0, size, TOGETHER):
        path = tests.update(np.stack([d, -d])[:, start : start + TOGETHER])
        enough = np.flatnonzero((path >= -np.log(a_side)).any(axis=0))
        if enough.size:
            n = start + int(enough[0]) + 1
            better = path[0, enough[0]] >= path[1, enough[0]]
            return n, n < size and bool(better != (d.mean() > 0))
    return size, False


Course = tuple[NDArray[np.intp], Floats, Floats]


def _course(scores: Floats, looks: int) -> Course:
    """The confidence sequence of a model, looked at now and then: numbers of answers, and both ends."""
    at = np.unique(np.geomspace(8, scores.size - 1, looks).astype(int))
    ends = np.array([mean_bounds(scores[:n], DELTA / 2, population=scores.size) for n in at])
    return at, ends[:, 0], ends[:, 1]


def _apart(first: Course, second: Course, size: int) -> int:
    """Questions until the models' own confidence sequences do not overlap."""
    at, apart = first[0], (first[1] > second[2]) | (second[1] > first[2])
    return int(at[apart.argmax()]) if apart.any() else size


@dataclass(frozen=True)
class RankedModels:
    """All models on all questions."""

    tiers: list[list[str]]
    pairs: int
    told_apart: int
    wrong: int
    questions: list[int]
    """To each model."""


def ranked(folder: Path, *, seed: int = 0, questions: int | None = None) -> RankedModels:
    """Tiers of all models over all categories together."""
    of = RecordedAnswers.read(folder)
    models, scores = of.names, of.scores
    rng, pairs = np.random.default_rng(seed), list(combinations(range(len(models)), 2))
    evidence = PairedEvidence(pairs, margin=0.02, delta=DELTA, population=scores.shape[1])
    asked = np.zeros(len(models), dtype=int)
    for question in rng.permutation(scores.shape[1])[:questions]:
        wanted = np.unique(evidence.pairs[~evidence.settled])
        if not wanted.size:
            break
        asked[wanted] += 1
        evidence.take(scores[:, question], scores[:, question])
    direction = evidence.made[:, :2]
    above = {(a, b) if entry[0] else (b, a) for (a, b), entry in zip(pairs, direction, strict=True) if entry.any()}
    truth = scores.mean(axis=1)
    wrong = sum(truth[better] <= truth[worse] for better, worse in above)
    named = [[models[index] for index in tier] for tier in tiers(len(models), above)]
    return RankedModels(named, len(pairs), len(above), int(wrong), asked.tolist())


def main() -> None:
    """Print all tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", choices=["pairs", "many", "recorded"])
    given = parser.parse_args()
    if given.only in (None, "pairs"):
        for case in CASES:
            began, errors = time.process_time(), error_rates(case, runs=given.runs)
            text = f"wrong {errors.wrong:.2%}, stated {errors.stated:.0%}, median {errors.median:.0f}"
            print(f"{case.name}: {text} ({time.process_time() - began:.0f} s)", flush=True)
    if given.only in (None, "many"):
        for several in MANY:
            began, rates = time.process_time(), errors_of_many(several, runs=given.runs)
            (any_, _), (_, share) = rates["any"], rates["share"]
            text = f"any wrong {any_:.2%}; rule share: share of wrong ones {share:.2%}"
            print(f"{several.name}: {text} ({time.process_time() - began:.0f} s)", flush=True)
    if given.data is not None and given.only in (None, "recorded"):
        _print_recorded(given.data)


def _print_recorded(folder: Path) -> None:
    results = recorded_pairs(folder)
    for low, high in GAPS:
        some = [entry for entry in results if low <= entry.gap < high]
        numbers = {
            name: np.array([getattr(entry, name) for entry in some])
            for name in ("paired", "unpaired", "apart", "unsplit", "informed")
        }
        medians = ", ".join(f"{name} median {np.median(values):.0f}" for name, values in numbers.items())
        saved = [1 - numbers["paired"].sum() / numbers[name].sum() for name in ("unpaired", "apart")]
        more = (numbers["paired"] > numbers["unpaired"]).mean()
        rest = f"saved {saved[0]:.0%} and {saved[1]:.0%} in all, more than unpaired {more:.0%}"
        wrong = sum(entry.wrong for entry in some)
        print(f"gap {low:g} to {high:g}: {len(some)} pairs, {medians}, {rest}, wrong {wrong}", flush=True)
    tiered = ranked(folder)
    text = f"{tiered.told_apart} of {tiered.pairs} told apart, {tiered.wrong} wrongly"
    print(f"{text}; questions to each {sorted(tiered.questions)}")
    for number, tier in enumerate(tiered.tiers, 1):
        print(f"tier {number}: {', '.join(tier)}")


if __name__ == "__main__":
    main()
