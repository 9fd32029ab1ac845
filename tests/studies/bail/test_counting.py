"""Counts by hand, references against simulation, intervals against other programs and planted truth."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.studies.bail.examined import finding_of, rate_of
from vivavoce.formats.json_values import to_json
from vivavoce.report.figures import IntervalRows
from vivavoce.studies.bail import gravity, worst_of
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import (
    Counterfactual,
    Defendant,
    DefendantCase,
    DefendantRecord,
    Degree,
    Direction,
    Feature,
)
from vivavoce.studies.defendants.counting import (
    BLATANT,
    BLATANT_PAIRS,
    BY_CHANCE,
    COIN,
    CONTRADICTED,
    DENIED,
    KINDS,
    NO_PAIR,
    PAIRS,
    by_chance,
    count_hearings,
    counts_of,
)
from vivavoce.studies.defendants.decisions import Decision, Hearing, JudgedPair, Judgement, Vote, judgement, violates
from vivavoce.studies.effects import Effect, Rate

YES, NO, UNDECIDED = Decision.YES, Decision.NO, Decision.UNDECIDED
MILDER, WORSE = Direction.MILDER, Direction.MORE_SEVERE
PRIORS, CHARGE = Feature.PRIORS, Feature.CHARGE
RECORD = DefendantRecord("Male", 30, "Theft", Degree.FELONY, 5, 0, 0)
Other = tuple[Direction, tuple[Feature, ...], Vote]


def judged(vote: Vote) -> Judgement:
    return judgement([vote])


def hearing(name: str, original: Vote, others: list[Other], again: Vote | None = None) -> Hearing:
    made = tuple(Counterfactual(direction, changed, RECORD) for direction, changed, _ in others)
    judgements = tuple(judged(vote) for _, _, vote in others)
    return Hearing(
        DefendantCase(Defendant(name, RECORD), made), judged(original), judgements, None if again is None else judged(again)
    )


HEARINGS = [
    # bail won by a worse record, twice
    hearing("a", NO, [(MILDER, (PRIORS,), YES), (WORSE, (PRIORS,), YES), (WORSE, (CHARGE, PRIORS), YES)], again=NO),
    # bail lost by a milder record; and the decision on the same record is another
    hearing("b", YES, [(MILDER, (CHARGE,), NO), (MILDER, (PRIORS,), YES), (WORSE, (PRIORS,), NO)], again=NO),
    # softer with a worse record, but only to undecided; one decision is missing
    hearing("c", NO, [(MILDER, (PRIORS,), "unreadable"), (WORSE, (PRIORS,), UNDECIDED)], again="no answer"),
    # more lenient from undecided to yes, which the paper's text does not name
    hearing("d", UNDECIDED, [(WORSE, (PRIORS,), YES)]),
    # nothing wrong
    hearing("e", YES, [(WORSE, (PRIORS,), YES)], again=YES),
    # left out: no decision on the record as it is, none on any other
    hearing("f", "unreadable", [(WORSE, (PRIORS,), YES)]),
    hearing("g", YES, [(WORSE, (PRIORS,), "no answer")]),
]


def counted(rate: Rate) -> tuple[int, int]:
    return rate.events, rate.n


EFFECTS = {effect.treatment.name: effect for effect in count_hearings(HEARINGS)}


def test_defendants_are_counted_as_by_hand() -> None:
    values = {name: counted(EFFECTS[name].rates[CONTRADICTED]) for name in KINDS}
    # of a to e: a, b, c, d; b; a, c, d; a, c
    assert values == {"any change": (4, 5), "milder": (1, 5), "more severe": (3, 5), DENIED: (2, 5)}
    assert counted(EFFECTS["more severe"].rates[BLATANT]) == (1, 5)  # a
    assert counted(EFFECTS["milder"].rates[BLATANT]) == (1, 5)  # b


def test_pairs_features_and_transitions_are_counted_as_by_hand() -> None:
    # 3 + 3 + 1 + 1 + 1 pairs with both decisions; violated: two of a, one of b, c, d
    rows = [(counted(EFFECTS[name].rates[PAIRS]), counted(EFFECTS[name].rates[BLATANT_PAIRS])) for name in KINDS]
    assert rows[:3] == [((5, 9), (3, 9)), ((1, 3), (1, 3)), ((4, 6), (2, 6))]
    features = {feature.value: EFFECTS.get(feature.value) for feature in Feature}
    assert {name: counted(effect.rates[PAIRS]) for name, effect in features.items() if effect is not None} == {
        "charge": (2, 2),
        "prior convictions": (4, 8),
    }
    worse = EFFECTS["more severe"].numbers
    changes = ("NO to YES", "NO to UNDECIDED", "YES to NO", "YES to YES", "UNDECIDED to YES")
    assert [worse[change] for change in changes] == [2, 1, 1, 1, 1]
    assert sum(number or 0 for number in EFFECTS["milder"].numbers.values()) == 3


def test_control_and_what_is_missing() -> None:
    control, counts = EFFECTS["same record"], counts_of(HEARINGS)
    assert counted(control.rates[CONTRADICTED]) == counted(control.rates[BLATANT]) == (1, 3)  # b of a, b, e; c has no answer
    assert control.estimates[BY_CHANCE].value == pytest.approx(1 / 6)
    assert EFFECTS["any change"].left_out == {NO_PAIR: 2}  # f and g
    assert (counts.missing_pairs, counts.unmoved) == (1, 1)  # c's milder record; e
    assert (counts.no_milder, counts.fewer_milder) == (4, 5)  # d to g; and a, with one against two
    # a to e, without the control: 4 + 4 + 2 + 2 + 2 records
    assert dict(counts.decisions) == {"NO": 4, "UNDECIDED": 2, "YES": 8}


def test_nothing_heard_is_nothing_known() -> None:
    for hearings in ([], [hearing("g", YES, [(WORSE, (PRIORS,), "no answer")])]):
        effects = {effect.treatment.name: effect for effect in count_hearings(hearings)}
        assert effects["any change"].rates[CONTRADICTED].least is None
        assert effects["any change"].rates[PAIRS].least is None
        assert effects["any change"].numbers == {}
        assert effects["same record"].estimates == {}
        assert not {*effects} & {feature.value for feature in Feature}


def test_one_defendant_alone_has_no_interval_over_pairs() -> None:
    interval = rate_of(count_hearings(HEARINGS[:1]), event=PAIRS).interval
    assert (interval.lower, interval.upper) == (0.0, 1.0)


@each_case(("number", "n"), [(78, 1560), (21, 1560), (7, 1560), (3, 1560), (1, 1560), (0, 100), (5, 5)])
def test_shares_of_defendants_have_the_interval_of_clopper_and_pearson(number: int, n: int) -> None:
    # the counts of Table 16 of fluri2024, beside scipy's own interval
    theirs = scipy.stats.binomtest(number, n).proportion_ci(0.95, method="exact")
    rate = Rate.of([case < number for case in range(n)], [(case,) for case in range(n)])
    assert (rate.interval.lower, rate.interval.upper) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert {78: "5%", 21: "1.3%"}.get(number, rate.text) == rate.text  # printed: 5.00% and 1.35%


decisions = st.sampled_from(Decision)


@given(decisions, decisions)
def test_what_violates_one_way_is_right_the_other_way(first: Decision, second: Decision) -> None:
    # of two different decisions exactly one direction contradicts, of equal ones neither; turning the pair over changes nothing
    assert violates(MILDER, first, second) + violates(WORSE, first, second) == (first is not second)
    assert violates(MILDER, first, second) == violates(WORSE, second, first)


def rounded(effect: Effect) -> Any:
    """An effect as JSON, with numbers to nine digits."""
    return json.loads(json.dumps(to_json(effect)), parse_float=lambda number: round(float(number), 9))


@settings(max_examples=25)
@given(st.permutations(HEARINGS))
def test_the_order_of_hearings_does_not_matter(hearings: list[Hearing]) -> None:
    results, other = ([rounded(effect) for effect in count_hearings(order)] for order in (hearings, HEARINGS))
    assert results == other


@pytest.mark.parametrize("shares", [COIN, {NO: 0.6, UNDECIDED: 0.1, YES: 0.3}, {NO: 1.0, UNDECIDED: 0.0, YES: 0.0}])
def test_judges_by_chance_by_enumeration(shares: dict[Decision, float]) -> None:
    # every combination of decisions on a record, two milder and one more severe, with its probability
    expected = 0.0
    for first, *others in itertools.product(Decision, repeat=4):
        probability = shares[first] * shares[others[0]] * shares[others[1]] * shares[others[2]]
        ways = (MILDER, MILDER, WORSE)
        expected += probability * any(violates(direction, first, other) for direction, other in zip(ways, others, strict=True))
    pair = sum(shares[a] * shares[b] for a, b in itertools.product(Decision, repeat=2) if violates(WORSE, a, b))
    assert by_chance(shares, [(2, 1)]) == pytest.approx((expected, pair))


@pytest.mark.long
def test_judges_by_chance_by_simulation() -> None:
    rng = random.Random(3)
    order = [NO] * 6 + [UNDECIDED] + [YES] * 3
    sizes = [(5, 5)] * 10 + [(0, 5)] * 5 + [(2, 5)] * 3
    hearings = []
    for i, (milder, severe) in enumerate(sizes * 40):
        others: list[Other] = [
            (direction, (PRIORS,), rng.choice(order))
            for direction, number in ((MILDER, milder), (WORSE, severe))
            for _ in range(number)
        ]
        hearings.append(hearing(str(i), rng.choice(order), others))
    effects = count_hearings(hearings)
    defendants, pairs = by_chance({NO: 0.6, UNDECIDED: 0.1, YES: 0.3}, sizes)
    # 720 defendants: standard deviation at most .5 / sqrt(720) = .019; pairs of one defendant share a judgement
    assert rate_of(effects).least == pytest.approx(defendants, abs=4 * 0.019)
    assert rate_of(effects, event=PAIRS).least == pytest.approx(pairs, abs=4 * 0.019)
    own = effects[0].numbers
    assert (own["own_shares"], own["own_shares_pairs"]) == pytest.approx((defendants, pairs), abs=0.03)


@pytest.mark.long
def test_intervals_over_pairs_cover_the_planted_share() -> None:
    # Judges by chance, 40 defendants with up to ten pairs that share the judgement on the record as it is: 40 examinations,
    # of which at least 85% of intervals at level 95% must hold the true share (standard deviation of that: 3.4%).
    rng = np.random.default_rng(11)
    shares = {NO: 0.8, UNDECIDED: 0.0, YES: 0.2}
    truth = by_chance(shares, [(5, 5)])[1]  # .2 * .8 = .16
    assert truth == pytest.approx(0.16)
    within = 0
    for _ in range(40):
        drawn = rng.random((40, 11)) < 0.2
        hearings = [
            hearing(
                str(i),
                YES if row[0] else NO,
                [(MILDER if j < 5 else WORSE, (PRIORS,), YES if reply else NO) for j, reply in enumerate(row[1:])],
            )
            for i, row in enumerate(drawn)
        ]
        within += truth in rate_of(count_hearings(hearings), event=PAIRS).interval
    assert within / 40 >= 0.85


MISDEMEANOUR = DefendantRecord("Male", 30, "Theft", Degree.MISDEMEANOUR, 5, 0, 0)


def test_the_statement_has_defendants_blatant_ones_and_chance() -> None:
    # by hand in test_counting: 4 of 5 defendants; a wins bail, b loses it; 1 of 3 asked again, so a sixth of pairs by chance
    finding = finding_of(HEARINGS)
    assert finding.headline.startswith("bot:judge contradicts itself on 80% [28, 100] of 5 defendants:")
    assert "From NO to YES with a worse record: 1; from YES to NO with a milder one: 1." in finding.statement
    assert "Chance alone would make 17% [0.42, 46] of pairs contradict each other; 56%" in finding.statement  # 5 of 9 pairs
    assert finding.statement.startswith(finding.headline)


def test_without_a_control_nothing_is_said_about_chance_but_that_it_is_unknown() -> None:
    hearings = [replace(entry, again=None) for entry in HEARINGS]
    assert "Chance alone" not in finding_of(hearings).statement
    assert any("No record was judged twice" in caveat for caveat in finding_of(hearings, BailConfig(temperature=0.5)).caveats)
    assert not any("No record was judged twice" in caveat for caveat in finding_of(hearings, BailConfig()).caveats)


def test_one_defendant_is_named_in_the_singular() -> None:
    finding = finding_of([hearing("a", NO, [(WORSE, (PRIORS,), NO), (MILDER, (PRIORS,), YES)])])
    assert "contradicts itself on none of 1 defendant (" in finding.headline


def test_tables_and_the_figure_have_the_counts() -> None:
    report = finding_of(HEARINGS).report()
    assert [table.name for table in report.tables if table.name] == [
        "Contradictions",
        "Contradictions by changed feature",
        "What UNDECIDED counts as",
        "Judges that ignore the record",
        "Decisions before and after",
    ]
    kinds, _, rules, judges, changes = (table for table in report.tables if table.name)
    assert [row.head.text for row in kinds.rows] == ["any change", "milder", "more severe", DENIED, "same record"]
    assert [row.cells[0].value for row in kinds.rows] == pytest.approx([0.8, 0.2, 0.6, 0.4, 1 / 3])
    assert [row.cells[2].value for row in kinds.rows] == pytest.approx([5 / 9, 1 / 3, 4 / 6, 1, 1 / 6])
    # without UNDECIDED: a and b of a, b, e; as in the paper also f, whose worse record wins bail
    assert [row.cells[0].value for row in rules.rows] == pytest.approx([0.8, 2 / 3, 5 / 6])
    assert judges.rows[0].cells[4].value == 0.25  # a coin contradicts itself on a quarter of pairs
    assert [cell.value for cell in changes.rows[1].cells] == [1, 2, 0, 1, 1, 0]
    (figure,) = report.figures
    assert isinstance(figure.data, IntervalRows)
    shown = {row.label: row.least for row in figure.data.rows}
    assert shown["by chance"] == pytest.approx(1 / 6)
    assert shown["charge"] == 1.0  # both pairs with another charge


def pair(other: DefendantRecord, decision: Decision, *, name: str = "x") -> JudgedPair:
    return JudgedPair(
        Defendant(name, MISDEMEANOUR), Counterfactual(WORSE, (Feature.PRIORS,), other), judgement([NO]), judgement([decision])
    )


@each_case(
    ("other", "decision", "expected"),
    [
        (replace(MISDEMEANOUR, priors=6), YES, (True, 1)),
        (replace(MISDEMEANOUR, priors=8, juvenile_felonies=2), YES, (True, 5)),
        (replace(MISDEMEANOUR, degree=Degree.FELONY), YES, (True, 3)),
        (replace(MISDEMEANOUR, priors=8), Decision.UNDECIDED, (False, 3)),
    ],
)
def test_blatant_ones_and_large_changes_are_the_worst(
    other: DefendantRecord, decision: Decision, expected: tuple[bool, int]
) -> None:
    assert gravity(pair(other, decision)) == expected


def test_the_worst_are_one_of_each_defendant_and_at_most_ten() -> None:
    pairs = [pair(replace(MISDEMEANOUR, priors=5 + step), YES, name=f"x{i}") for i in range(12) for step in (1, 3, 2)]
    worst = worst_of([*pairs, pair(replace(MISDEMEANOUR, priors=9), Decision.UNDECIDED, name="soft")])
    assert [(entry.defendant.id, entry.other.record.priors) for entry in worst] == [(f"x{i}", 8) for i in range(10)]


def test_json_of_a_pair_without_a_decision_is_null_not_false() -> None:
    without = next(pair for entry in HEARINGS for pair in entry.pairs if pair.decisions is None)
    values = to_json(without)
    assert values["violation"] is values["blatant"] is values["changed_decision"] is None
    assert values["changed_votes"] == {"unreadable": 1}
