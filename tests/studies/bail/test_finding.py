"""What the finding says, and which contradictions it shows first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.studies.bail.examined import finding_of
from tests.studies.bail.test_counting import HEARINGS, MILDER, NO, PRIORS, WORSE, YES, hearing
from vivavoce.formats.json_values import to_json
from vivavoce.report.figures import IntervalRows
from vivavoce.studies.config import BailConfig
from vivavoce.studies.defendants.counterfactuals import Counterfactual, Feature
from vivavoce.studies.defendants.counting import DENIED
from vivavoce.studies.defendants.decisions import Decision, judgement
from vivavoce.studies.defendants.hearing import JudgedPair
from vivavoce.studies.defendants.records import Defendant, DefendantRecord, Degree
from vivavoce.studies.defendants.shown import gravity, worst_of

RECORD = DefendantRecord("Male", 30, "Theft", Degree.MISDEMEANOUR, 5, 0, 0)


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
        Defendant(name, RECORD), Counterfactual(WORSE, (Feature.PRIORS,), other), judgement([NO]), judgement([decision])
    )


@pytest.mark.parametrize(
    ("other", "decision", "expected"),
    [
        (replace(RECORD, priors=6), YES, (True, 1)),
        (replace(RECORD, priors=8, juvenile_felonies=2), YES, (True, 5)),
        (replace(RECORD, degree=Degree.FELONY), YES, (True, 3)),
        (replace(RECORD, priors=8), Decision.UNDECIDED, (False, 3)),
    ],
)
def test_blatant_ones_and_large_changes_are_the_worst(
    other: DefendantRecord, decision: Decision, expected: tuple[bool, int]
) -> None:
    assert gravity(pair(other, decision)) == expected


def test_the_worst_are_one_of_each_defendant_and_at_most_ten() -> None:
    pairs = [pair(replace(RECORD, priors=5 + step), YES, name=f"x{i}") for i in range(12) for step in (1, 3, 2)]
    worst = worst_of([*pairs, pair(replace(RECORD, priors=9), Decision.UNDECIDED, name="soft")])
    assert [(entry.defendant.id, entry.other.record.priors) for entry in worst] == [(f"x{i}", 8) for i in range(10)]


def test_json_of_a_pair_without_a_decision_is_null_not_false() -> None:
    without = next(pair for entry in HEARINGS for pair in entry.pairs if pair.decisions is None)
    values = to_json(without)
    assert values["violation"] is values["blatant"] is values["changed_decision"] is None
    assert values["changed_votes"] == {"unreadable": 1}
