"""How decisions on bail are presented: tables, the figure of pairs, and the worst contradictions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import Final, Literal

from vivavoce.formats.wording import count, percent
from vivavoce.report.blocks import Column, ReportFigure
from vivavoce.report.cells import TableCell, share_cell
from vivavoce.report.figures import IntervalRow, IntervalRows
from vivavoce.studies.defendants.asking import record_in_words
from vivavoce.studies.defendants.counterfactuals import ATTRIBUTE, Direction, Feature
from vivavoce.studies.defendants.counting import (
    AGAIN,
    ANY,
    BLATANT,
    BLATANT_PAIRS,
    BY_CHANCE,
    CONTRADICTED,
    CRIME,
    DENIED,
    KINDS,
    PAIRS,
    RULES,
    name_of,
)
from vivavoce.studies.defendants.decisions import Decision, JudgedPair
from vivavoce.studies.effects import Effect, Treatment
from vivavoce.studies.presentation import EffectColumn, EffectTable, StudyExample, number_of, rate_of

WORST: Final = 10
MILDER, WORSE = Direction.MILDER.value, Direction.MORE_SEVERE.value


def worst_of(pairs: Iterable[JudgedPair]) -> list[JudgedPair]:
    """Up to ten contradictions, at most one for each defendant: blatant ones first, then the largest changes of the record."""
    by_defendant: dict[str, JudgedPair] = {}
    for pair in sorted((pair for pair in pairs if pair.violation), key=gravity, reverse=True):
        by_defendant.setdefault(pair.defendant.id, pair)
    return list(by_defendant.values())[:WORST]


def gravity(pair: JudgedPair) -> tuple[bool, int]:
    """Sort key of a contradiction: whether it is blatant, then how far the record changes; a replaced charge weighs 3."""
    before, after = pair.defendant.record.severity, pair.other.record.severity
    degree, *numbers = (abs(x - y) for x, y in zip(before, after, strict=True))
    return pair.blatant, 3 * degree + sum(numbers)


def example(pair: JudgedPair) -> StudyExample:
    """A contradiction with both decisions, as an example."""
    assert pair.decisions is not None
    worse = pair.other.direction is Direction.MORE_SEVERE
    record, (first, second) = record_in_words(pair.defendant.record), pair.decisions
    return StudyExample(
        pair.defendant.id,
        f"With a {'worse' if worse else 'milder'} record",
        f"{first} → {second}",
        (("Record", record), ("Decision", first), ("Worse" if worse else "Milder", _changes(pair)), ("Decision", second)),
        line=(record.replace("\n", " "), f"{first}, {_changes(pair)}", second),
    )


def _changes(pair: JudgedPair) -> str:
    before, after = pair.defendant.record, pair.other.record
    parts = []
    for feature in pair.other.changed:
        if feature is Feature.CHARGE:
            old = before.charge or "a charge without description"
            parts.append(f"{old} ({before.degree.word}) became {after.charge} ({after.degree.word})")
        else:
            attribute = ATTRIBUTE[feature]
            parts.append(f"{feature.value} {getattr(before, attribute)} became {getattr(after, attribute)}")
    return "; ".join(parts)


def pairs_figure(effects: Sequence[Effect], control: Sequence[Effect]) -> tuple[ReportFigure, ...]:
    """Shares of pairs by kind of change, with the share that chance alone would make."""
    rows = [
        IntervalRow("by chance", percent(value), value, value, chance.interval, "control")
        for chance in control[0].estimates.values()
        for value in [chance.value or 0.0]
    ]
    for effect in effects:
        rate = effect.rates.get(PAIRS)
        if rate is not None and rate.n and not effect.treatment.name.startswith(CRIME) and effect.treatment.name != DENIED:
            rows.append(IntervalRow(effect.label, rate.text, rate.least or 0.0, rate.most or 0.0, rate.interval))
    return (ReportFigure(IntervalRows("pairs of records that contradict each other", tuple(rows))),)


def _kinds(*names: str, rules: Sequence[str] = ("",), crime: bool = False) -> Callable[[Treatment], bool]:
    """Make a condition that selects treatments of one question by their names."""
    prefix = f"{CRIME}: " if crime else ""
    wanted = {f"{prefix}{name_of(name, rule=rule)}" for name in names for rule in rules}
    return lambda treatment: treatment.name in wanted


def tables_of(*, crime: bool) -> tuple[EffectTable, ...]:
    """All tables of one question."""
    asked = "Another crime: " if crime else ""
    defendants = Column("Defendants", about="Share of defendants with at least one contradiction")
    pairs = Column("Pairs", about="Share of pairs of records that contradict each other")
    blatant = Column("NO and YES", about="Share of defendants with a contradiction between NO and YES")
    columns = ((defendants, rate_of(CONTRADICTED)), (blatant, rate_of(BLATANT)), (pairs, _pairs_cell))
    all_pairs = (Column("Pairs, NO and YES", about="The same between NO and YES", detail=True), rate_of(BLATANT_PAIRS))
    return (
        EffectTable(f"{asked}Contradictions", "Changed record", (*columns, all_pairs), _kinds(*KINDS, AGAIN, crime=crime)),
        EffectTable(
            f"{asked}Contradictions by changed feature",
            "Changed feature",
            (*columns, all_pairs),
            _kinds(*(feature.value for feature in Feature), crime=crime),
        ),
        EffectTable(
            f"{asked}What UNDECIDED counts as",
            "Rule for UNDECIDED",
            columns[:2],
            _kinds(ANY, rules=[*RULES], crime=crime),
        ),
        EffectTable(
            f"{asked}Judges that ignore the record",
            "Contradictions",
            (columns[0], *_ignorant(""), columns[2], *_ignorant("pairs")),
            _kinds(ANY, crime=crime),
        ),
        EffectTable(
            f"{asked}Decisions before and after",
            "Changed record",
            tuple(_changed_decisions()),
            _kinds(MILDER, WORSE, crime=crime),
        ),
    )


def _ignorant(counted: Literal["", "pairs"]) -> tuple[EffectColumn, ...]:
    """A table of judges that ignore the record, by defendants or by pairs."""
    head, name = (f", {counted}", f"_{counted}") if counted else ("", "")
    coin, at_random = ("", "") if counted else ("Defendants, if a coin decides", "Defendants, with its own shares")
    return (
        (Column(f"Coin{head}", about=coin, control=True, detail=bool(counted)), number_of(f"coin{name}", percent)),
        (Column(f"At random{head}", about=at_random, detail=bool(counted)), number_of(f"own_shares{name}", percent)),
    )


def _changed_decisions() -> Iterator[EffectColumn]:
    """A table of how many pairs go from one decision to another."""
    for first, second in permutations(Decision, 2):
        column = Column(f"{first} → {second}", number=True, detail=Decision.UNDECIDED in (first, second))
        yield column, number_of(f"{first} to {second}", lambda number: count(int(number)))


def _pairs_cell(effect: Effect) -> TableCell:
    """The share of pairs; for the control, the share by chance alone."""
    if effect.treatment.is_control:
        return share_cell(effect.estimates[BY_CHANCE]) if effect.estimates else TableCell("unknown", known=False)
    return rate_of(PAIRS)(effect)
