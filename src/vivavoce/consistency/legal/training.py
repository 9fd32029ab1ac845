"""Measures of judges on held-out cases, and the training of judges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import fsum
from typing import Any, Final

import numpy as np
import scipy

from vivavoce.consistency.config import TrainingConfig
from vivavoce.consistency.legal.case_files import LabelledCase
from vivavoce.embeddings.embedding import Embedder, Floats, Lsa
from vivavoce.embeddings.set_classifier import AttentionHead, SetClassifier, Sets, loss_and_gradient
from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import CONFIDENCE, Estimate, Interval
from vivavoce.statistics.clustered import bounded_mean, share_interval
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True)
class DecidedCase:
    """A held-out case with the classifier's decision."""

    case: str
    violation: bool
    """The court's judgment."""
    probability: float
    """The classifier's decision."""
    facts: int
    top: int
    """The number from 0 of the fact with the most attention."""
    top_fact: str
    decisive: tuple[int, ...] = ()
    """The facts known to be decisive; empty if unknown."""
    on_decisive: float = 0.0
    """Total attention to the decisive facts."""

    json_keys = "case probability violation"


@dataclass(frozen=True, slots=True)
class LabelMeasures:
    """The recognition of one label: precision, recall and F1."""

    precision: Estimate
    """Precision: the share of cases with this decision that have the label."""
    recall: Estimate
    """Recall: the share of cases with the label that get this decision."""
    f1: Estimate


@dataclass(frozen=True, slots=True)
class Attention:
    """The facts that get attention, in cases whose decisive facts are known."""

    top: Estimate
    """Share of cases in which a decisive fact has the most attention."""
    top_violation: Estimate
    """The same for cases with a violation: a head may look only for signs of one label, and infer the other from their
    absence."""
    top_none: Estimate
    """The same for cases without a violation."""
    weight: Estimate
    """Mean total attention to the decisive facts."""
    chance: float
    """The expected value of both measures for uninformed attention: the mean share of decisive facts."""


@dataclass(frozen=True, slots=True)
class Measures:
    """All measures of the held-out cases."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    accuracy: Estimate
    violation: LabelMeasures
    """The label of Table 15 of `fluri2024`."""
    no_violation: LabelMeasures
    macro_f1: Estimate
    """The mean F1 of both labels."""
    attention: Attention | None
    """None if no case has a known decisive fact."""

    @property
    def cases(self) -> int:
        """The number of held-out cases."""
        return self.true_positives + self.false_positives + self.false_negatives + self.true_negatives

    @property
    def violations(self) -> int:
        """The number of cases with a violation."""
        return self.true_positives + self.false_negatives

    @property
    def majority(self) -> float:
        """The accuracy of always giving the more frequent label."""
        return max(self.violations, self.cases - self.violations) / self.cases


def measured(decided: Sequence[DecidedCase], threshold: float) -> Measures:
    """Compute all measures of the held-out cases.

    With two labels and one decision per case, the micro averages of precision, recall and F1 all equal the accuracy.

    >>> cases = [DecidedCase(str(i), i < 6, 0.9 if 2 <= i < 7 else 0.1, 1, 0, "") for i in range(10)]
    >>> measures = measured(cases, 0.5)  # 4 of 6 violations are found, and 1 of 4 others is taken for one
    >>> measures.accuracy.value, measures.violation.precision.value, round(measures.violation.f1.value, 4)
    (0.7, 0.8, 0.7273)
    """
    answers = [case.probability >= threshold for case in decided]
    pairs = [(case.violation, yes) for case, yes in zip(decided, answers, strict=True)]
    both, taken, missed, neither = (pairs.count(pair) for pair in ((True, True), (False, True), (True, False), (False, False)))
    level = (1 + CONFIDENCE) / 2
    return Measures(
        both, taken, missed, neither,
        accuracy=share(both + neither, len(pairs)),
        violation=of_label(both, taken, missed),
        no_violation=of_label(neither, missed, taken),
        macro_f1=_macro(f1(both, taken, missed, level=level), f1(neither, missed, taken, level=level)),
        attention=_attention([case for case in decided if case.decisive]),
    )  # fmt: skip


def of_label(right: int, taken: int, missed: int) -> LabelMeasures:
    """The measures of a label from its counts of true positives, false positives and false negatives."""
    return LabelMeasures(share(right, right + taken), share(right, right + missed), f1(right, taken, missed))


def share(hits: int, n: int, *, level: float = CONFIDENCE) -> Estimate:
    """A share with Clopper and Pearson's interval.

    >>> share(0, 0)
    Estimate(value=None, interval=Interval(lower=0.0, upper=1.0), n=0)
    """
    try:
        bounds = share_interval([True] * hits + [False] * (n - hits), [()] * n, confidence=level)
    except NotEnoughEvidence:
        return Estimate(None, Interval(0.0, 1.0), 0)
    return Estimate(hits / n, Interval(*bounds), n)


def f1(right: int, taken: int, missed: int, *, level: float = CONFIDENCE) -> Estimate:
    """F1 with an exact interval.

    F1 is 2 J / (1 + J), where J is the share of right decisions among cases that have the label or were given it. Conditional
    on their number, J has Clopper and Pearson's interval, and F1 increases with J.

    >>> round(f1(4, 1, 2).value, 4) == round(2 * 4 / (2 * 4 + 1 + 2), 4)
    True
    """
    of = share(right, right + taken + missed, level=level)
    if of.value is None:
        return of
    return Estimate(_f1(of.value), Interval(_f1(of.interval.lower), _f1(of.interval.upper)), of.n)


def _f1(jaccard: float) -> float:
    return 2 * jaccard / (1 + jaccard)


def _macro(first: Estimate, second: Estimate) -> Estimate:
    """The mean of both labels' F1. Each interval has level 97.5%, so both hold jointly at 95%."""
    values = [estimate.value for estimate in (first, second) if estimate.value is not None]
    ends = Interval((first.interval.lower + second.interval.lower) / 2, (first.interval.upper + second.interval.upper) / 2)
    return Estimate(fsum(values) / 2 if len(values) == 2 else None, ends, max(first.n, second.n))


def _attention(known: Sequence[DecidedCase]) -> Attention | None:
    if not known:
        return None
    weights = [case.on_decisive for case in known]
    tops = [(case.violation, case.top in case.decisive) for case in known]
    violation, none = (share(tops.count((label, True)), sum(of is label for of, _ in tops)) for label in (True, False))
    return Attention(
        share(sum(hit for _, hit in tops), len(tops)),
        violation,
        none,
        Estimate(fsum(weights) / len(weights), Interval(*bounded_mean(weights, [()] * len(weights))), len(weights)),
        fsum(len(case.decisive) / case.facts for case in known) / len(known),
    )


PENALTIES: Final = (1e-2, 1e-3, 1e-4, 1e-5)
"""The penalties in the order of the searches; each search begins where the one before ended."""
FEWEST: Final = 4
"""Minimum number of training cases of each label."""
BLOCK: Final = 256
"""Facts embedded between two progress reports."""

Progress = Callable[[str, int, int], None]
"""Called with the step, the amount done, and the total."""


@dataclass(frozen=True, slots=True)
class Division:
    """The division of the cases into training, validation and test sets."""

    training: tuple[LabelledCase, ...]
    validation: tuple[LabelledCase, ...]
    """Used to choose the penalty."""
    held_out: tuple[LabelledCase, ...]
    """Used to measure the classifier."""
    repeated: int = 0
    """Number of cases left out because their facts or ids occur in an earlier set."""


@dataclass(frozen=True, slots=True)
class Search:
    """The result of one search."""

    start: int
    """The number of the random starting point, from 0."""
    penalty: float
    steps: int
    converged: bool
    training_loss: float
    """The mean log loss without the penalty."""
    validation_loss: float


@dataclass(frozen=True, slots=True)
class FittedHead:
    """The head with the best predictions of the validation cases, and all searches."""

    head: AttentionHead
    searches: tuple[Search, ...]
    chosen: Search


def divided(
    cases: Sequence[LabelledCase],
    dev: Sequence[LabelledCase] | None,
    test: Sequence[LabelledCase] | None,
    config: TrainingConfig,
) -> Division:
    """Divide the cases as the files say; sets without a file are drawn at random.

    A case is left out of a set if its facts occur in an earlier one (training, then validation, then test): memorised cases
    would look like understanding.

    Raises `NotEnoughEvidence` for fewer than `FEWEST` training cases of either label, or if another set is empty.
    """
    order = [cases[i] for i in np.random.default_rng(config.seed).permutation(len(cases))]
    drawn_test, order = (test, order) if test is not None else _cut(order, config.held_out)
    drawn_dev, order = (dev, order) if dev is not None else _cut(order, config.validation)
    seen: set[object] = set()
    parts = [_new(part, seen) for part in (order, drawn_dev, drawn_test)]
    labels = [case.violation for case in parts[0]]
    if min(sum(labels), len(labels) - sum(labels)) < FEWEST:
        raise NotEnoughEvidence(
            f"{sum(labels)} violations among {len(labels)} cases to train on; training needs at least {FEWEST} of either label"
        )
    left_out = sum(map(len, (order, drawn_dev, drawn_test))) - sum(map(len, parts))
    for part, given, name, option in (
        (parts[1], drawn_dev, "to choose the penalty", "--dev"),
        (parts[2], drawn_test, "for the test", "--test"),
    ):
        if not part and given:
            raise NotEnoughEvidence(
                f"no cases {name}: the facts or ids of all {len(given)} are in an earlier set: give others with {option}"
            )
        if not part:
            raise NotEnoughEvidence(f"no cases {name}: give more cases, a larger share of them, or a file by {option}")
    return Division(tuple(parts[0]), tuple(parts[1]), tuple(parts[2]), repeated=left_out)


def embedded(cases: Sequence[LabelledCase], embedder: Embedder, progress: Progress | None = None) -> Sets:
    """Embed the facts of all cases; the vectors are grouped by case."""
    facts = [fact for case in cases for fact in case.case.facts]
    rows = []
    for start in range(0, len(facts), BLOCK):
        rows.append(embedder.embed(facts[start : start + BLOCK]))
        if progress is not None:
            progress("facts embedded", min(start + BLOCK, len(facts)), len(facts))
    sizes = [len(case.case.facts) for case in cases]
    return Sets(np.concatenate(rows), np.cumsum([0, *sizes[:-1]], dtype=np.intp))


def fit_head(
    training: tuple[Sets, Floats], validation: tuple[Sets, Floats], config: TrainingConfig, progress: Progress | None = None
) -> FittedHead:
    """Fit the head with the smallest penalized training loss, at the penalty that predicts the validation cases best.

    The search is L-BFGS (`liu1989`) with exact gradients over all cases at once. Only the starting point is random, so the
    same seed gives the same head. The loss has several minima, so the search has several starting points.

    The paper (Table 14 of `fluri2024`) uses 7 epochs in batches of 64 at a learning rate of .001. This search needs none of
    these, since it stops when the gradient vanishes.

    Parameters
    ----------
    training, validation: vectors, and a label of 0 or 1 for each case.
    """
    dimensions = training[0].vectors.shape[1]
    tried: list[tuple[AttentionHead, Search]] = []
    for start in range(config.starts):
        head = AttentionHead.random(dimensions, config.units, np.random.default_rng([config.seed, start]))
        for penalty in PENALTIES:
            head, search = _searched(head, penalty, training, config)
            completed = replace(search, start=start, validation_loss=loss_and_gradient(head, *validation, 0.0)[0])
            tried.append((head, completed))
            if progress is not None:
                progress("searches done", len(tried), config.starts * len(PENALTIES))
    best, chosen = min(tried, key=lambda attempt: attempt[1].validation_loss)
    return FittedHead(best, tuple(search for _, search in tried), chosen)


def labels_of(cases: Sequence[LabelledCase]) -> Floats:
    """Labels: 1 for each case with a violation, 0 for the others."""
    return np.array([case.violation for case in cases], dtype=float)


def _searched(
    head: AttentionHead, penalty: float, training: tuple[Sets, Floats], config: TrainingConfig
) -> tuple[AttentionHead, Search]:
    dimensions, units = head.dimensions, config.units

    def value(numbers: Floats) -> tuple[float, Floats]:
        return loss_and_gradient(AttentionHead.from_numbers(numbers, dimensions, units), *training, penalty)

    result = scipy.optimize.minimize(
        value, head.numbers, jac=True, method="L-BFGS-B", options={"maxiter": config.steps, "maxfun": 10**7}
    )
    reached = AttentionHead.from_numbers(np.asarray(result.x, dtype=float), dimensions, units)
    loss, _ = loss_and_gradient(reached, *training, 0.0)
    return reached, Search(0, penalty, int(result.nit), bool(result.success), loss, loss)


def _cut(order: list[LabelledCase], share: float) -> tuple[list[LabelledCase], list[LabelledCase]]:
    """Split off this share of the cases."""
    number = round(share * len(order))
    return order[:number], order[number:]


def _new(part: Sequence[LabelledCase], seen: set[object]) -> list[LabelledCase]:
    """The cases that do not occur in an earlier set."""
    new = [case for case in part if case.case.id not in seen and case.case.facts not in seen]
    for case in part:
        seen |= {case.case.id, case.case.facts}
    return new


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """A trained classifier, with the course of its training and its decisions."""

    classifier: SetClassifier
    division: Division
    fitted: FittedHead
    decided: tuple[DecidedCase, ...]


def train(
    division: Division,
    config: TrainingConfig = TrainingConfig(),  # noqa: B008 -- frozen
    *,
    embedder: Embedder | None = None,
    about: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Training:
    """Train a classifier as in appendix D of `fluri2024`: a frozen encoder of single facts, and a head trained on its vectors.

    As in the paper, the encoder is not trained. The paper's head is a self-attention layer and a linear one, without further
    details. Ours pools the facts by attention (`yang2016`, as in `chalkidis2019`). Like theirs, it gives each fact a weight.
    The order of facts does not matter.

    Parameters
    ----------
    embedder: embedder of facts; None: latent semantic analysis of the training facts.
    about: further JSON values to save with the classifier.

    Raises `NotEnoughEvidence` if the facts contain no words.
    """
    if embedder is None:
        words = [fact for case in division.training for fact in case.case.facts]
        embedder = Lsa().fitted(words, dimensions=config.dimensions, seed=config.seed)
    parts = (division.training, division.validation, division.held_out)
    facts = sum(len(case.case.facts) for part in parts for case in part)
    before = 0
    sets = []
    for part in parts:
        sets.append(embedded(part, embedder, _further(progress, before, facts)))
        before += len(sets[-1].vectors)
    fitted = fit_head((sets[0], labels_of(parts[0])), (sets[1], labels_of(parts[1])), config, progress)
    record = {
        "version": __version__,
        "settings": asdict(config),
        "cases": len(parts[0]),
        "violations": sum(case.violation for case in parts[0]),
        "penalty": fitted.chosen.penalty,
        **(about or {}),
    }
    decided = _decided(parts[2], sets[2], fitted.head)
    return Training(SetClassifier(embedder, fitted.head, record), division, fitted, decided)


def _further(progress: Progress | None, before: int, total: int) -> Progress | None:
    """Report the progress of a step as progress of the whole."""
    if progress is None:
        return None
    return lambda what, done, _: progress(what, before + done, total)


def _decided(cases: Sequence[LabelledCase], sets: Sets, head: AttentionHead) -> tuple[DecidedCase, ...]:
    rows = np.split(sets.vectors, sets.starts[1:])
    decided = []
    for case, vectors in zip(cases, rows, strict=True):
        attention = head.attention(vectors)
        top = int(np.argmax(attention))
        decided.append(
            DecidedCase(
                case.case.id,
                case.violation,
                head.probability(vectors),
                facts=len(vectors),
                top=top,
                top_fact=case.case.facts[top],
                decisive=case.decisive,
                on_decisive=float(attention[list(case.decisive)].sum()),
            )
        )
    return tuple(decided)
