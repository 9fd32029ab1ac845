"""The generic paired study: candidates are observed under treatments and under a control on the same questions.

A study declares its events and its words (`Study`); all studies share the counting (`effects`) and the `StudyFinding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Protocol, TypeVar

import numpy as np

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, exactly, numbered, percent
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import copies_of, unread_caveats_of
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import (
    Block,
    Caveats,
    InFull,
    Report,
    ReportFigure,
    ReportTable,
    Tiles,
    VerdictLabel,
    method_of,
    notes,
    paragraphs,
    replies,
)
from vivavoce.report.cells import TONES
from vivavoce.report.reported import ReportedFinding
from vivavoce.studies import presentation
from vivavoce.studies.comparisons import FaultTest, SubjectComparison, compared, fault_test
from vivavoce.studies.effects import (
    Case,
    Effect,
    LimitTest,
    Rate,
    Treatment,
    effects_of,
    limit_test_of,
    listed_reasons,
    points_interval,
    split_control,
)
from vivavoce.version import __version__

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

LONGEST_NAME: Final = 120
SHOWN_NAME: Final = 200
"""Most characters of a name in a signature."""
INTERVALS: Final = (
    "Intervals are at level 95%: Clopper and Pearson's for shares; for the excess one made from both shares (zou2008)."
)
"""Sentence for the methods of studies that compare shares with those of a control."""
FEW: Final = 30
"""Fewest cases without a caveat about their number."""


@dataclass(frozen=True, slots=True)
class Source:
    """The source of the questions."""

    title: str = ""
    digest: str = ""
    """SHA-256 of the scope or file; empty if there is none."""


NO_SOURCE: Final = Source()


class LimitConfig(Protocol):
    """A configuration dataclass with a limit that can be tested."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def questions(self) -> int: ...

    @property
    def flip_limit(self) -> float | None:
        """Largest share allowed; None: no limit is tested."""
        ...

    @property
    def delta(self) -> float: ...

    @property
    def seed(self) -> int: ...


D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Sample(Generic[D]):
    """Made-up values for listing and testing the sentences of a study."""

    details: D
    treatments: tuple[str, ...] = ("first treatment", "second treatment")
    rates: tuple[str, ...] = ()
    """Names of rates besides those of the events."""
    numbers: Mapping[str, float | None] = field(default_factory=dict)
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    """Descriptions of treatments by name; by default "a" and the name."""


@dataclass(frozen=True, slots=True)
class Study(Generic[D]):
    """A declared study. `D` is the type of its own data (`StudyFinding.details`)."""

    kind: str
    """Name of the examination and of its JSON document."""
    heading: str
    """The subject of the study, in a few words."""
    title: str
    """Title of the page; `{}` stands for the candidate."""
    about: str
    """The design, in a sentence."""
    events: tuple[str, ...]
    """Events to count. The first decides the headline, the figure and the test of a limit."""
    case: str
    """The unit of counting: a noun with a regular plural."""
    list_head: str
    """Words before the list of all rates."""
    control_label: str
    axis: str
    """The cases that the figure's shares are about."""
    no_treatment: str
    """The missing part of a question without a treatment; `{}` is the name of the group."""
    ability: str
    """The ability that a pass shows, as a gerund: `keeping its answer under variations that must not matter`."""
    nothing: Callable[[StudyFinding[D]], str]
    """The headline if the first event could not happen."""
    tables: tuple[presentation.EffectTable, ...]
    caveats: tuple[str | tuple[str, Callable[[StudyFinding[D]], bool]], ...]
    """Caveats, the most important first; one that does not always apply comes with its condition."""
    method: Callable[[StudyFinding[D]], tuple[str, ...]]
    sample: Sample[D]
    further: Callable[[StudyFinding[D]], tuple[str, ...]] = lambda _: ()
    """Further sentences of the statement, after the list of rates."""
    sentence: Callable[[StudyFinding[D], Effect], str] | None = None
    """The headline about the treatment with the highest rate; None: a comparison with its control, in the words below."""
    when: str = ""
    """Word before a treatment's action: `With` or `When`."""
    does: str = ""
    """The candidate's action in a share of cases, with `{}` for the share: `changes its answer to {}`."""
    under: str = ""
    """Words after `does` in a verdict, in which any treatment counts: `under these variations`."""
    than: str = ""
    """Words after a comparative: `when the same question is repeated`."""
    figures: Callable[[StudyFinding[D]], tuple[ReportFigure, ...]] | None = None
    """Figures; None: one of the rates of the first event."""
    worst: Callable[[StudyFinding[D]], tuple[Block, ...]] = lambda finding: presentation.worst_of_examples(finding.examples)
    """The worst case, which begins a page."""
    sections: Callable[[StudyFinding[D]], tuple[Block, ...]] = lambda _: ()
    metrics: Callable[[StudyFinding[D]], tuple[ReportTable, ...]] = lambda _: ()
    """Tables that belong to the method."""
    subject: str = "Candidate"
    """The noun for a subject, if several are compared."""
    measure: str = ""
    """The measure in comparisons of subjects; a lower value is better."""
    flaw: str = ""
    """The use that an examination advises against if the first event occurred, as a gerund; empty if chance may cause it."""
    guessing: float | None = None
    """The share of first events by guessing, which a fault exceeds; None: a fault is an excess over the control."""
    only_figure: str = ""
    """Display name in reports of the single rate that they compare, the first treatment's; empty: they compare all rates."""
    item: str = "question"
    """The noun for the unit that gets a treatment, with a regular plural."""
    examples_head: str = "Examples"
    shown_examples: int = 3
    """Examples shown of each treatment on a page."""


@dataclass(frozen=True, slots=True, repr=False)
class StudyFinding(ReportedFinding, Generic[D]):
    """The result of a study."""

    study: Study[D]
    candidate: str
    scope: str
    effects: tuple[Effect, ...]
    """Effects, in the order in which the treatments were requested."""
    details: D
    signature: Signature
    control: tuple[Effect, ...] = ()
    limit_test: LimitTest | None = None
    """Test of the limit; None if no limit was tested, or there was nothing to test."""
    fault_test: FaultTest | None = None
    """Test for a fault; None if a limit was tested, or there was nothing to test."""
    examples: tuple[presentation.StudyExample, ...] = ()
    not_reached: int = 0
    is_clustered: bool = False
    """Whether some questions were drawn together."""
    replies: Mapping[str, int] = field(default_factory=dict)
    """Numbers of replies by outcome: parsed, or why not."""
    asked_so: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    """Names of all candidates; empty: only `candidate`."""
    comparisons: tuple[SubjectComparison, ...] = ()
    """Comparisons of two subjects under the same treatment."""

    @property
    def subjects(self) -> tuple[str, ...]:
        """Subjects whose treatments these are, in order of first occurrence."""
        return tuple(dict.fromkeys(effect.treatment.subject for effect in (*self.effects, *self.control)))

    @property
    def measured(self) -> bool:
        """Whether anything is known about any event, not counting details."""
        effects = (effect for effect in self.effects if not effect.treatment.is_detail)
        return any(rate.n > rate.unknown for effect in effects for rate in effect.rates.values())

    @property
    def name(self) -> str:
        """The candidate's name, at a length fit for a sentence."""
        return clipped(self.candidate, LONGEST_NAME)

    @property
    def ranked(self) -> list[Effect]:
        """Effects of treatments under which the first event could happen, most frequent first."""
        event = self.study.events[0]
        effects = (effect for effect in self.effects if effect.rates[event].n and not effect.treatment.is_detail)
        return sorted(effects, key=lambda effect: effect.rates[event].least or 0.0, reverse=True)

    @property
    def headline(self) -> str:
        """The verdict, or else the treatment under which the first event is most frequent."""
        return " ".join(filter(None, self._result))

    @property
    def _result(self) -> tuple[str, str]:
        """The result in a sentence, and a second one: the chance of error, or the comparison with the control."""
        if self.limit_test is not None:
            return self._verdict_sentences(self.limit_test)
        if not self.ranked:
            return self.study.nothing(self), ""
        study, effect = self.study, self.ranked[0]
        if study.sentence is not None:
            return study.sentence(self, effect), ""
        excess, rate = effect.excess[study.events[0]], effect.rates[study.events[0]]
        return (
            f"{study.when} {effect.treatment.about}, {self.name} {study.does.format(self.share_of_cases(rate))}.",
            f"That is {excess.direction} than {study.than} ({excess.text} {points_interval(excess.interval)} points).",
        )

    @property
    def others(self) -> str:
        """The rates of all treatments and of the control, with the study's further sentences; empty without rates."""
        event, rows = self.study.events[0], self.ranked if len(self.subjects) == 1 else []
        listed = ", ".join(f"{effect.label} {effect.rates[event].with_interval}" for effect in rows)
        again = [effect.rates[event] for effect in self.control[:1] if effect.rates[event].n]
        listed += "".join(f"; {self.study.control_label} {rate.with_interval}" for rate in again if rows)
        first = f"{self.study.list_head}: {listed}." if rows and (again or len(rows) > 1) else ""
        return " ".join(filter(None, (first, *self.study.further(self))))

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return " ".join(filter(None, (self.headline, copies_of(self.replies), self.others)))

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the numbers."""
        conditions = ((caveat, lambda _: True) if isinstance(caveat, str) else caveat for caveat in self.study.caveats)
        declared = [sentence for sentence, applies in conditions if applies(self)]
        return (*declared, *self._common_caveats(), *unread_caveats_of(self.replies), *self.asked_so)

    @property
    def method(self) -> tuple[str, ...]:
        """How it was done, with the sources of the treatments."""
        groups = {effect.treatment.group or effect.label: ", ".join(effect.treatment.sources) for effect in self.effects}
        listed = "; ".join(f"{name} {sources}" for name, sources in groups.items() if sources)
        return (*self.study.method(self), *((f"Sources: {listed}.",) if listed else ()))

    @property
    def score_changes(self) -> str:
        """The mean score before, and how much each treatment changes it; empty without scores."""
        scored = [effect for effect in self.effects if effect.scores and effect.scores["before"].n]
        changes = [(effect.label, effect.scores["difference"]) for effect in scored]
        listed = ", ".join(f"{label} {change.text} {change.interval_text}" for label, change in changes)
        return f"Mean score {scored[0].scores['before'].text} at first; change: {listed}." if scored else ""

    def share_of_cases(self, rate: Rate) -> str:
        """A rate as a noun phrase, such as `10% [0.25, 45] of 10 questions`."""
        return f"{rate.with_interval} of {numbered(rate.n, self.study.case)}"

    def report(self) -> Report:
        """The whole report as blocks."""
        study, test = self.study, self.limit_test
        tables = [presentation.table_of(table, (*self.effects, *self.control), study.subject) for table in study.tables]
        tables = [table for table in tables if table]
        report = self.reported(
            study.heading,
            study.title.format(self.name),
            *self._tiles(),
            InFull(study.worst(self)),
            InFull(notes(f"{study.about} {study.item.capitalize()}s: {clipped(self.scope, LONGEST_NAME) or 'not named'}.")),
            Caveats(self.caveats),
            InFull(paragraphs(self.others)),
            *(block for table in tables[:1] for block in table),
            *(self._rates() if study.figures is None else study.figures(self)),
            *(block for table in tables[1:] for block in table),
            *notes(
                *(
                    f"Left out, {group}: {listed_reasons(effect.left_out)}."
                    for group, effect in self._groups.items()
                    if effect.left_out and len(self.subjects) == 1
                )
            ),
            *compared(self.comparisons, study.subject, study.measure),
            *study.sections(self),
            *presentation.examples_of(self.examples, study.examples_head, study.shown_examples),
            *replies(self.replies),
            method_of(self.method, *study.metrics(self)),
        )
        verdict = None if test is None else VerdictLabel(test.verdict.capitalize(), TONES[test.verdict])
        return replace(report, headline=self._result[0], chance=self._result[1], verdict=verdict)

    @property
    def examined(self) -> tuple[str, ...]:
        """Names of the candidates."""
        return self.candidates or (self.candidate,)

    @property
    def verdict_word(self) -> str | None:
        """Whether the limit holds; None if none was tested."""
        return None if self.limit_test is None else self.limit_test.verdict

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values."""
        return {
            "treatments": self.effects,
            "control": self.control,
            **({"comparisons": self.comparisons} if len(self.subjects) > 1 else {}),
            "limit_test": self.limit_test,
            "not_reached": self.not_reached,
            "replies": self.replies,
        }

    def provenance(self) -> dict[str, Any]:
        """The seed, the questions, examples, and the study's own data."""
        return {"seed": self.signature.seed, "scope": self.scope, "examples": self.examples, "details": self.details}

    def _tiles(self) -> tuple[Tiles, ...]:
        """Tiles: the rate that a limit was tested on, the most frequent treatments and the control; empty without any."""
        study, event, several = self.study, self.study.events[0], len(self.subjects) > 1
        tiles = [] if self.limit_test is None else [presentation.limit_tile(self.limit_test, study.list_head)]
        tiles += presentation.rate_tiles(
            self.ranked[: presentation.MOST_TILES - len(tiles)], event, study.list_head, named=several
        )
        if tiles and not several and self.control and self.control[0].rates[event].n:
            tiles.append(presentation.rate_tile(f"To compare: {study.control_label}", self.control[0].rates[event]))
        return (Tiles(tuple(tiles)),) if tiles else ()

    def _rates(self) -> tuple[ReportFigure, ...]:
        control = self.control[:1] if len(self.subjects) == 1 else self.control
        limit = None if self.limit_test is None else self.limit_test.limit
        effects = [effect for effect in self.effects if not effect.treatment.is_detail]
        return presentation.rates_figure(
            (*control, *effects), self.study.events[0], self.study.axis, self.study.control_label, limit
        )

    def _verdict_sentences(self, test: LimitTest) -> tuple[str, str]:
        study = self.study
        allowed = f"at most {exactly(test.limit)} allowed"
        if test.verdict == "undecided":
            return f"Undecided: {self.name} {study.does.format(self.share_of_cases(test.rate))} {study.under}, {allowed}.", ""
        verb = {"pass": "passes", "fail": "fails"}[test.verdict]
        measured = study.does.format(f"{test.measured} of {numbered(test.rate.n, study.case)}")
        return (
            f"{self.name} {verb}: it {measured} {study.under}, {allowed}.",
            f"Shown: {test.shown}. Chance of a wrong verdict: at most {exactly(test.delta)}.",
        )

    def _common_caveats(self) -> Iterable[str]:
        event, case = self.study.events[0], self.study.case
        rates = [rate for effect in (*self.effects, *self.control) for rate in effect.rates.values()]
        largest = max((effect.rates[event].n for effect in self.effects), default=0)
        if self.limit_test is not None:
            yield "The verdict counts every event, also those that chance alone causes, as the control shows."
        if len(self.effects) > 1:
            yield "Each interval is at level 95% by itself: among several treatments, one may stand out by chance."
        if any(rate.unknown for rate in rates):
            yield "Replies that can't be parsed leave some events unknown: numbers are given from least to greatest."
        for group, (number, total) in self._left_out.items():
            lacks = self.study.no_treatment.format(group)
            yield f"{numbered(number, self.study.item)} ({percent(number / total)}) had {lacks}."
        if 0 < largest < FEW:
            yield f"Only {numbered(largest, case)}: the intervals are wide."
        if self.is_clustered:
            yield f"Some {self.study.item}s were drawn together and are alike; intervals and verdict allow for that."
        if self.not_reached:
            yield f"The budget ran out before {numbered(self.not_reached, self.study.item)} were finished; they don't count."

    @property
    def _groups(self) -> dict[str, Effect]:
        """The first effect of each group of treatments."""
        groups: dict[str, Effect] = {}
        for effect in self.effects:
            groups.setdefault(clipped(effect.treatment.group or effect.treatment.name, LONGEST_NAME), effect)
        return groups

    @property
    def _left_out(self) -> dict[str, tuple[int, int]]:
        """For each group of treatments, the cases without them and all cases; several subjects are added up."""
        if len(self.subjects) > 1:
            number = sum(sum(effect.left_out.values()) for effect in (*self.effects, *self.control))
            total = number + sum(effect.n for effect in (*self.effects, *self.control))
            return {"any": (number, total)} if number else {}
        numbers = {group: (sum(effect.left_out.values()), effect) for group, effect in self._groups.items()}
        return {group: (number, number + effect.n) for group, (number, effect) in numbers.items() if number}


@dataclass(frozen=True, slots=True)
class StudyCases(Generic[D]):
    """A study's observations in each case."""

    cases: Sequence[Case]
    treatments: Sequence[Treatment]
    """All treatments, including the controls."""
    details: D
    examples: Iterable[presentation.StudyExample]
    replies: Mapping[str, int]
    not_reached: int
    """Questions that the budget left unfinished."""
    tested: Sequence[Case] | None = None
    """Cases for the test of the limit; None: all cases."""
    population: int | None = None
    """Number of all units, as for `LimitTest.of`."""
    settings: Mapping[str, object] | None = None
    """Settings for the signature; None: the whole configuration."""
    asked_so: tuple[str, ...] = ()
    """Caveats on how it was asked, in addition to the interview's."""
    completed: Callable[[Effect], Effect] = lambda effect: effect
    """Adds the study's own numbers to an effect."""


def finding_of_cases(
    study: Study[D], interview: Interview[Any, Any], source: Source, config: LimitConfig, observed: StudyCases[D]
) -> StudyFinding[D]:
    """Make the finding of a study: count its first event, and test the limit of its configuration."""
    cases = observed.cases
    effects = map(observed.completed, effects_of(cases, observed.treatments, study.events))
    tested = cases if observed.tested is None else observed.tested
    settings = settings_in_signature(config) if observed.settings is None else observed.settings
    candidate, event = interview.candidate.name, study.events[0]
    return StudyFinding(
        study,
        candidate,
        source.title,
        **split_control(effects),
        limit_test=limit_test_of(
            tested, observed.treatments, event, limit=config.flip_limit, delta=config.delta, population=observed.population
        ),
        fault_test=None if config.flip_limit is not None else fault_test(cases, observed.treatments, event, study.guessing),
        examples=tuple(observed.examples),
        not_reached=observed.not_reached,
        is_clustered=len({case.groups for case in tested}) < len(tested),
        replies={outcome: number for outcome, number in observed.replies.items() if number},
        details=observed.details,
        asked_so=tuple(dict.fromkeys((*observed.asked_so, *interview.caveats))),
        signature=signature_of(study, candidate, source, config.seed, {**settings, **interview.settings}),
    )


def settings_in_signature(config: DataclassInstance) -> dict[str, object]:
    """All settings but the seed, in the form that a recheck looks up: the limit and its delta only if a limit is tested."""
    values = {entry.name: getattr(config, entry.name) for entry in fields(config) if entry.name != "seed"}
    if values.get("flip_limit") is None:
        values = {name: value for name, value in values.items() if name not in ("flip_limit", "delta")}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()} | {
        "numpy": np.__version__
    }


def signature_of(study: Study[Any], candidate: str, source: Source, seed: int, settings: Mapping[str, object]) -> Signature:
    """Make the signature of a finding. settings: of the study, and how it was asked."""
    title = clipped(source.title, SHOWN_NAME)
    return Signature(__version__, study.kind, clipped(candidate, SHOWN_NAME), title, source.digest, seed, dict(settings))
