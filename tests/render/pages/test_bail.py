"""The page and the terminal of the bail examination."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tests.consistency.legal.bail.examined import text_of
from tests.consistency.legal.bail.judges import decisive, made_up
from tests.render.conftest import HOSTILE
from tests.render.html_pages import assert_fits, assert_self_contained, outline
from vivavoce.consistency.legal.bail.config import BailConfig
from vivavoce.consistency.legal.bail.counterfactuals import case_of, charges_of
from vivavoce.consistency.legal.bail.decisions import Decision, Judgement, judgement
from vivavoce.consistency.legal.bail.defendants import Defendant, Degree, Record
from vivavoce.consistency.legal.bail.finding import BailConsistency, Reach
from vivavoce.consistency.legal.bail.hearing import Hearing
from vivavoce.consistency.legal.bail.report import ContradictionRates, DecisionTransitions
from vivavoce.consistency.legal.bail.score import count_hearings
from vivavoce.interview.candidate import Usage
from vivavoce.interview.finding import Signature
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, drawing_of, svg

SVG = "{http://www.w3.org/2000/svg}"
CLIFF = 9
"""From so many convictions on, the faulty judge releases everybody."""


@cache
def finding(*, defendants: int = 40, faulty: bool = True, deferring: bool = False, hostile: str = "") -> BailConsistency:
    """Decisions of a judge by rule; faulty, one who gives bail for many convictions."""
    everybody = made_up(defendants)
    if hostile:
        record = Record(hostile, 30, hostile, Degree.FELONY, 6, 2, 2)
        everybody = [Defendant(f"{hostile}{i}", record) for i in range(3)] + everybody

    def decide(record: Record) -> Judgement:
        if hostile and record.sex == hostile:
            said = Decision.YES if record.priors > 6 else Decision.NO
        else:
            said = Decision.YES if faulty and record.priors >= CLIFF else Decision(decisive(text_of(record)))
        return judgement([Decision.UNDECIDED if deferring and record.priors == 2 else said])

    cases = [case_of(one, charges_of(made_up(40)), BailConfig(), seed=1) for one in everybody]
    hearings = [
        Hearing(
            case,
            decide(case.defendant.record),
            tuple(decide(other.record) for other in case.counterfactuals),
            decide(case.defendant.record) if i % 2 else None,
        )
        for i, case in enumerate(cases)
    ]
    name = f"chat:{hostile or 'judge'}"
    return BailConsistency(
        candidate=name,
        source=hostile or "defendants.csv",
        counts=count_hearings(hearings),
        reach=Reach(len(cases), len(cases), len(cases), ""),
        config=BailConfig(temperature=0.0),
        pairs=tuple(pair for hearing in hearings for pair in hearing.pairs),
        spending=Usage(),
        signature=Signature("0.1.0", "consistency/bail", "chat:judge", "defendants.csv", "ab" * 32, 7, {"limit": 40}),
    )


def printed(found: BailConsistency) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_verdict_first_numbers_second_method_last() -> None:
    found = finding()
    text = outline(found).text
    order = [
        found.headline,
        "Defendants with a contradiction",
        "Pairs of records that contradict",
        "Compared with judges by chance",
        "What this does not show",
        "The worst contradictions",
        "How this was found",
        "seed 7",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)
    any_kind = found.counts.defendants.any
    assert any_kind.count > 3
    assert f"{any_kind.count} of 40" in text


def test_the_worst_contradictions_stand_there_in_full_words() -> None:
    found = finding()
    text = outline(found).text
    worst = found.worst[0]
    record = worst.defendant.record
    assert f"Prior convictions: {record.priors}." in text
    assert f"prior convictions {record.priors} became {worst.other.record.priors}" in text
    assert "YES (blatant)" in text or "NO (blatant)" in text


def test_the_terminal_ends_with_the_sentence_and_shows_three() -> None:
    found = finding()
    text = printed(found)
    assert " ".join(text.split()).endswith(" ".join(found.statement.split()))
    assert text.count("became") >= 3


@pytest.mark.parametrize("deferring", [False, True])
def test_the_cells_of_the_plot_are_the_counts(deferring: bool) -> None:
    found = finding(deferring=deferring)
    drawing = drawing_of(DecisionTransitions(found.counts))
    assert isinstance(drawing, Drawing)
    words = [element.text for element in ET.fromstring(svg(drawing, "t")).iter(f"{SVG}text")]
    for table in found.counts.transitions.values():
        shown = [
            number
            for first, row in table.items()
            for second, number in row.items()
            if deferring or "UNDECIDED" not in (first, second)
        ]
        assert all(str(number) in words for number in shown)
    # NO to YES, and with deferring two more in each panel
    assert sum(str(word).startswith("contradiction") for word in words) == (6 if deferring else 2)


def test_without_a_contradiction_there_is_no_plot_of_rates() -> None:
    found = finding(faulty=False)
    assert drawing_of(ContradictionRates(found.counts)) is None
    text = outline(found).text
    assert "No contradiction was found." in text
    assert "did not contradict itself" in printed(found)


def test_nothing_heard_makes_a_page_all_the_same() -> None:
    found = finding(defendants=0)
    assert "Nothing was compared" in outline(found).text
    assert "Nothing was compared" in printed(found)


def test_the_same_finding_makes_the_same_bytes_and_no_foreign_request() -> None:
    assert_self_contained(finding(), finding(defendants=10))


def test_hostile_text_stays_text() -> None:
    found = finding(hostile=HOSTILE)
    told = outline(found)
    assert not {"script", "img"} & set(told.tags)
    assert not any(name.startswith("on") for name, _ in told.attributes)
    for text in (told.text, printed(found)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert len(text) < 60_000


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    assert_fits(tmp_path, finding(hostile=HOSTILE, deferring=True))


def test_undecided_three_ways_and_another_crime_stand_beside_bail() -> None:
    found = finding(deferring=True)
    plain = outline(found).text
    assert "Will this person commit another crime?" not in plain
    assert "The paper has it: all but YES and NO" in plain
    both = replace(found, recidivism=found.counts)
    text = outline(both).text
    assert text.index("If UNDECIDED counts as") < text.index("Pairs of records that contradict")
    assert text.index("Will this person commit another crime?") < text.index("What this does not show")
    assert "UNDECIDED is all but YES and NO" in text
    assert "Will this person commit another crime?" in printed(both)
