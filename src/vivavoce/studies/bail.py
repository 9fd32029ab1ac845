"""Bail: would a defendant fare better with a worse record, or worse with a milder one (section 7 of `fluri2024`)?

Each record is judged in its own conversation. A more severe record of the same person must not get a more lenient decision, in
the order NO < UNDECIDED < YES. In the control the same record is judged twice. The right decisions need not be known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Final, Literal

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, numbered, percent
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.report.blocks import Column, ReportFigure
from vivavoce.report.cells import TableCell, share_cell
from vivavoce.report.figures import IntervalRow, IntervalRows
from vivavoce.studies.config import BailConfig
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
    EVENTS,
    KINDS,
    PAIRS,
    RULES,
    HearingCounts,
    count_hearings,
    counts_of,
    name_of,
)
from vivavoce.studies.defendants.decisions import (
    Dataset,
    Decision,
    DefendantQuestion,
    JudgedPair,
    cases_of,
    hear,
    questions_of,
    record_in_words,
)
from vivavoce.studies.effects import Effect, Treatment, split_control
from vivavoce.studies.presentation import EffectColumn, EffectTable, StudyExample, number_of, rate_of
from vivavoce.studies.study import Sample, Study, StudyFinding, settings_in_signature, signature_of

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
            f"{asked}What UNDECIDED counts as", "Rule for UNDECIDED", columns[:2], _kinds(ANY, rules=[*RULES], crime=crime)
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


@dataclass(frozen=True, slots=True)
class BailDetails:
    """Data that only this study has."""

    config: BailConfig
    in_file: int
    """Number of defendants in the file."""
    chosen: int
    counts: Mapping[str, HearingCounts]
    """Counts by question."""

    @property
    def on_bail(self) -> HearingCounts:
        """Counts for the question about bail."""
        return self.counts["bail"]


BailFinding = StudyFinding[BailDetails]


async def judge_bail(
    interview: Interview[Prompt, Reply],
    dataset: Dataset,
    config: BailConfig,
    on_pair: Callable[[JudgedPair], None] = lambda _: None,
) -> BailFinding:
    """Would a defendant fare better with a worse record, or worse with a milder one?

    If the budget runs out, defendants with an unanswered question are left out. Passes on the interview's errors; the same call
    then resumes from the recorded answers.

    on_pair: called at the end with each pair of records, in the order in which they were asked.
    """
    replies: Counter[str] = Counter()
    cases = cases_of(dataset, config)
    hearings = await hear(interview, cases, config, replies, BAIL.kind)
    by_question = {question: [heard[index] for heard in hearings] for index, question in enumerate(questions_of(config))}
    pairs = [pair for heard in by_question.values() for hearing in heard for pair in hearing.pairs]
    for pair in pairs:
        on_pair(pair)
    counts = {question.value: counts_of(heard) for question, heard in by_question.items()}
    settings = {**settings_in_signature(config), **interview.settings}
    return StudyFinding(
        BAIL,
        interview.candidate.name,
        dataset.source.title,
        **split_control(effect for question, heard in by_question.items() for effect in count_hearings(heard, question)),
        examples=tuple(map(example, worst_of(pair for pair in pairs if pair.question is DefendantQuestion.BAIL))),
        not_reached=len(cases) - len(hearings),
        replies={outcome: number for outcome, number in replies.items() if number},
        details=BailDetails(config, len(dataset.defendants), len(cases), counts),
        asked_so=interview.caveats,
        signature=signature_of(BAIL, interview.candidate.name, dataset.source, config.seed, settings),
    )


def _sentence(finding: BailFinding, effect: Effect) -> str:
    rate = effect.rates[CONTRADICTED]
    given = [decision for decision, number in finding.details.on_bail.decisions.items() if number]
    defendants = numbered(rate.n, "defendant")
    if len(given) == 1:
        return f"{finding.name} decides {given[0]} on every record of {defendants}: consistent, but records make no difference."
    if not rate.events:
        return f"{finding.name} contradicts itself on none of {defendants} ({rate.at_most})."
    return (
        f"{finding.name} contradicts itself on {finding.share_of_cases(rate)}: "
        "a worse record fared better, or a milder one worse."
    )


def _further(finding: BailFinding) -> Iterator[str]:
    effects = {effect.treatment.name: effect for effect in finding.effects}
    if not finding.ranked or not effects[ANY].rates[CONTRADICTED].events:
        return
    won, lost = (effects[kind].rates[BLATANT].events for kind in (WORSE, MILDER))
    yield f"From NO to YES with a worse record: {count(won)}; from YES to NO with a milder one: {count(lost)}."
    if chance := finding.control[0].estimates.get(BY_CHANCE):
        yield (
            f"Chance alone would make {share_cell(chance).words} of pairs contradict each other; "
            f"{effects[ANY].rates[PAIRS].with_interval} do."
        )


def _method(finding: BailFinding) -> tuple[str, ...]:
    config = finding.details.config
    replies = "once" if config.repeats == 1 else f"{count(config.repeats)} times, and the majority counts"
    charge = "Charges stay." if config.keep_charge else "A charge is replaced by one that occurs with the other degree only."
    return (
        f"Each defendant has up to {config.variants} milder and {config.variants} more severe records. One or two features "
        f"change, all in one direction: charge, prior convictions, juvenile felonies, juvenile misdemeanours. Numbers change "
        f"by 1 to {config.largest_step}. {charge} Age and sex never change.",
        f"Each record is judged {replies}. A pair is contradicted if the more severe record gets the more lenient decision, in "
        "the order NO, UNDECIDED, YES. A defendant is contradicted if one of its pairs is.",
        "By chance: half of the changes on the repeated record, as half of them would go the wrong way. A coin decides YES or "
        "NO; at random: the model's own shares of decisions, regardless of the record. Both are computed exactly.",
        "Intervals are at level 95%: Clopper and Pearson's; over pairs at the number of independent pairs that would be as "
        "uncertain (korn1998).",
    )


BAIL: Final[Study[BailDetails]] = Study(
    kind="bail",
    heading="Bail decisions",
    title="Bail decisions of {}",
    about="A record is made a little worse or milder, and each version is judged by itself. A worse record must not help.",
    events=EVENTS,
    case="defendant",
    item="defendant",
    list_head="Contradictory decisions",
    control_label="other decision on the same record",
    axis="defendants with a contradiction",
    no_treatment="no two readable decisions ({}); they don't count",
    ability="decisions on bail that follow the record",
    flaw="decisions on bail",
    only_figure="defendants judged in contradiction",
    nothing=lambda finding: f"Nothing was compared: {finding.name} gave no two readable decisions on one defendant.",
    sentence=_sentence,
    further=lambda finding: tuple(_further(finding)),
    figures=lambda finding: pairs_figure(finding.effects, finding.control) if finding.measured else (),
    method=_method,
    sample=Sample(
        BailDetails(BailConfig(), 100, 40, {"bail": HearingCounts(dict.fromkeys(Decision, 20), 2, 1, 5, 3, 4)}),
        treatments=(ANY, MILDER, WORSE),
        rates=(PAIRS, BLATANT_PAIRS),
        estimates={BY_CHANCE: Estimate(0.1, Interval(0.05, 0.2), 40)},
    ),
    examples_head="Worst contradictions",
    shown_examples=10,
    tables=(*tables_of(crime=False), *tables_of(crime=True)),
    caveats=(
        "Consistent decisions need not be right, lawful or fair: refusing everyone is consistent.",
        (
            "A replaced charge is worse or milder by its degree alone; its description may suggest otherwise.",
            lambda finding: not finding.details.config.keep_charge,
        ),
        "Other words in the prompt, or a fuller record, may give other decisions.",
        ("The prompt is the one printed in the paper (Box 6).", lambda finding: finding.details.config.prompts == "printed"),
        "Other defendants or other changes may show contradictions even if these show none.",
        (
            "More crimes make bail less deserved, but in truth they might not make another crime more likely.",
            lambda finding: finding.details.config.recidivism,
        ),
        (
            "Some records can't be made milder, or not as often as worse: milder records had fewer chances to contradict.",
            lambda finding: bool(finding.details.on_bail.fewer_milder),
        ),
        (
            "Some replies gave no decision: pairs with such a record don't count.",
            lambda finding: any(counts.missing_pairs for counts in finding.details.counts.values()),
        ),
        (
            "On some records no decision had a majority; they count as undecided.",
            lambda finding: any(counts.ties for counts in finding.details.counts.values()),
        ),
        (
            "No record was judged twice, so the share due to chance is unknown.",
            lambda finding: not finding.control[0].n and finding.details.config.temperature != 0,
        ),
    ),
)
