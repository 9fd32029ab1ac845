"""What a trained classifier of cases is worth on cases that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from vivavoce.consistency.legal.cases.trials import digest_of_cases
from vivavoce.consistency.legal.published import published
from vivavoce.consistency.legal.training.config import TrainingConfig
from vivavoce.consistency.legal.training.examine import Training
from vivavoce.consistency.legal.training.fit import Search
from vivavoce.consistency.legal.training.report import attention, by_label, errors_to_read, method, probabilities
from vivavoce.consistency.legal.training.score import Decided, Measures, measured
from vivavoce.formats.wording import clipped, count, counted, percent, percent_interval, score, score_interval
from vivavoce.interview.finding import Signature
from vivavoce.report.blocks import Caveats, InFull, Report
from vivavoce.report.parts import paragraphs
from vivavoce.report.reported import Reported
from vivavoce.version import __version__

FEW_CASES: Final = 100
"""With fewer held out, intervals are wide."""
LONGEST_NAME: Final = 160


@dataclass(frozen=True, slots=True, repr=False)
class TrainedOnCases(Reported):
    """What came of a training."""

    candidate: str
    """The classifier's name, by which it can be examined."""
    encoder: str
    source: str
    """Where the cases come from."""
    training: int
    """Cases trained on."""
    training_violations: int
    validation: int
    repeated: int
    """Cases left out since they stand in an earlier part."""
    searches: tuple[Search, ...]
    chosen: Search
    threshold: float
    measures: Measures
    decided: tuple[Decided, ...]
    signature: Signature

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the numbers do not show."""
        return tuple(filter(None, self._caveats()))

    @property
    def headline(self) -> str:
        """Accuracy beside that of a constant, in one sentence."""
        found = self.measures
        return (
            f"{clipped(self.candidate, LONGEST_NAME)} decides {percent(found.accuracy.value or 0.0)} "
            f"{percent_interval(found.accuracy.interval)} of {counted(found.cases, 'held-out case')} as the court did; "
            f"always giving the more frequent answer would be right in {percent(found.majority)}."
        )

    @property
    def others(self) -> str:
        """F1 beside the paper's, and where attention falls."""
        f1 = self.measures.violation.f1
        told = (
            f"F1 of a violation is {score(f1.value)} {score_interval(f1.interval)} (the paper’s classifier, on other cases or "
            f"with another encoder: {published('measures')['f1']})."
            if f1.value is not None
            else "F1 of a violation is unknown: there was none, and none was said."
        )
        where = self.measures.attention
        if where is None:
            return told
        return (
            f"{told} A decisive fact has the most attention in {percent(where.top.value or 0.0)} "
            f"{percent_interval(where.top.interval)} of {counted(where.top.n, 'case')}; by chance it would be "
            f"{percent(where.chance)}."
        )

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}"

    @property
    def errors(self) -> tuple[Decided, ...]:
        """Cases that are decided wrongly, the surest first."""
        wrong = [one for one in self.decided if (one.probability >= self.threshold) != one.violation]
        return tuple(sorted(wrong, key=lambda one: -abs(one.probability - self.threshold)))

    def report(self) -> Report:
        """All of it as blocks."""
        about = (
            f"A frozen encoder ({clipped(self.encoder, LONGEST_NAME)}) turns each fact into numbers; attention over facts and "
            f"a line that decides were trained on {counted(self.training, 'case')}, {count(self.training_violations)} of them "
            f"with a violation; {count(self.validation)} others chose the penalty. Cases: "
            f"{clipped(self.source, LONGEST_NAME) or 'not named'}."
        )
        return self.reported(
            "A classifier of cases",
            f"Decisions of {clipped(self.candidate, 120)} on held-out cases",
            InFull(paragraphs(self.others, about)),
            by_label(self.measures),
            *attention(self.measures),
            *probabilities(self.decided, self.threshold),
            errors_to_read(self.errors),
            Caveats(self.caveats),
            method(self.searches, self.chosen, self.threshold),
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.candidate,)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        return {
            "encoder": self.encoder,
            "source": self.source,
            "training": {"cases": self.training, "violations": self.training_violations},
            "validation": {"cases": self.validation},
            "left_out": self.repeated,
            "threshold": self.threshold,
            "held_out": self.measures.as_json(),
            "published": dict(published("measures")),
            "penalty": self.chosen.penalty,
            "searches": [asdict(one) for one in self.searches],
            "errors": [{"case": one.case, "probability": one.probability, "violation": one.violation} for one in self.errors],
        }

    def _caveats(self) -> Sequence[str]:
        found = self.measures
        short = sum(not one.converged for one in self.searches)
        lower = found.accuracy.interval.lower
        said = found.true_positives + found.false_positives
        return (
            "The numbers of the paper are those of another encoder (a BERT trained on legal texts) on the test set of "
            "chalkidis2019: where the cases or the encoder are others, a difference says nothing of either.",
            f"Always giving the more frequent answer is right in {percent(found.majority)}: the classifier may not be better "
            "than that."
            if lower <= found.majority
            else "",
            f"The classifier says {'a violation' if said else 'no violation'} in every held-out case: it tells none apart."
            if said in (0, found.cases)
            else "",
            f"{counted(self.repeated, 'case')} left out of a later part: their facts, or ids, stand in an earlier one."
            if self.repeated
            else "",
            "That a classifier decides as the court did does not show that it decides for the court's reasons, nor that the "
            "court was right.",
            f"Attention is where the classifier looks, which need not be what its decision rests on"
            f"{'' if found.attention else '; of no held-out case is it known which fact decides'}.",
            f"Of {len(self.searches)} searches {short} ended at the limit of steps: give more --steps." if short else "",
            f"There are {count(found.cases)} held-out cases only: intervals are wide." if found.cases < FEW_CASES else "",
        )


def finding_of(training: Training, config: TrainingConfig, *, candidate: str, source: str) -> TrainedOnCases:
    """The finding on a trained classifier that is kept under that name."""
    division, fitted = training.division, training.fitted
    settings = {name: value for name, value in asdict(config).items() if name != "seed"}
    encoder = training.classifier.embedder.name
    return TrainedOnCases(
        candidate=candidate,
        encoder=encoder,
        source=source,
        training=len(division.training),
        training_violations=sum(one.violation for one in division.training),
        validation=len(division.validation),
        repeated=division.repeated,
        searches=fitted.searches,
        chosen=fitted.chosen,
        threshold=config.threshold,
        measures=measured(training.decided, config.threshold),
        decided=training.decided,
        signature=Signature(
            version=__version__,
            examination="consistency/cases/train",
            candidate=candidate,
            scope=source,
            scope_digest=digest_of_cases([one.case for one in division.held_out]),
            seed=config.seed,
            settings=settings | {"encoder": encoder},
        ),
    )
