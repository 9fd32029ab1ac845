"""Tests whether a study shows a fault: its first event is more frequent than under the control, or than by guessing.

A report makes such a test of each study without a limit, and says which faults they show. Candidates answer every prompt by
itself, so replies to different prompts are independent given the prompts.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vivavoce.statistics.exact_tests import permuted_sum, sign_test, upper_tail
from vivavoce.studies.effects import Case, Event, Treatment


@dataclass(frozen=True, slots=True)
class FaultTest:
    """The evidence that a study shows a fault."""

    p: float
    """P-value of "the treatments make no difference", or of "no more frequent than by guessing"."""
    treatment: str
    """The treatment with the strongest evidence."""
    events: int
    """Cases under any treatment in which the event happened."""
    n: int


def fault_test(
    cases: Sequence[Case], treatments: Sequence[Treatment], event: str, guessing: float | None = None
) -> FaultTest | None:
    """Test the first event of a study; None if it could not happen under both a treatment and its control.

    If the treatments make no difference, the replies of a unit under treatments and control are exchangeable. Each treatment
    is compared with its control by a sign test over units. All are compared together by the number of events under the
    control: it is one of several equal draws in each unit. Bonferroni's factor allows for all these tests. An unknown event
    counts against the fault, which can only raise p.

    guessing: the share of events by guessing; if given, all events are compared with it instead. Events are independent, so
    that a binomial tail bounds the chance of as many if the mean of their chances is at most this (`hoeffding1956`).

    >>> treatments = [Treatment("hint", control="again"), Treatment("again", is_control=True)]
    >>> cases = [Case((n,), {"hint": {"flipped": n < 5}, "again": {"flipped": False}}) for n in range(9)]
    >>> fault_test(cases, treatments, "flipped").p  # 1/2 to the power of 5
    0.03125
    """
    treated = [treatment for treatment in treatments if not treatment.is_control and not treatment.is_detail]
    happened = [case.events[each.name][event] for case in cases for each in treated if event in case.events.get(each.name, {})]
    events = sum(value is True for value in happened)
    if guessing is not None:
        return FaultTest(upper_tail(events, len(happened), guessing), "", events, len(happened)) if happened else None
    by_unit: dict[tuple[Hashable, ...], list[Mapping[str, Mapping[str, Event]]]] = {}
    for case in cases:
        by_unit.setdefault(tuple(case.groups), []).append(case.events)
    units = list(by_unit.values())
    signs = {each.name: p for each in treated if (p := _sign(units, each, event)) is not None}
    if not signs:
        return None
    controls = dict.fromkeys(each.control for each in treated if each.name in signs)
    together = [_together(units, [each for each in treated if each.control == name], event) for name in controls]
    values = [*together, *(signs.values() if len(signs) > 1 else ())]
    strongest = min(signs, key=lambda name: signs[name])
    return FaultTest(min(1.0, len(values) * min(values)), strongest, events, len(happened))


Unit = Sequence[Mapping[str, Mapping[str, Event]]]
"""The events of cases that depend on each other."""


def _sign(units: Sequence[Unit], treatment: Treatment, event: str) -> float | None:
    """The sign test of a treatment; None if it has no case with its control."""
    both = [[events for events in unit if _could(events, event, treatment.name, treatment.control)] for unit in units]
    pairs = [(_happened(unit, treatment.name, event), _possible(unit, treatment.control, event)) for unit in both if unit]
    return sign_test(sum(more > less for more, less in pairs), sum(more < less for more, less in pairs)) if pairs else None


def _together(units: Sequence[Unit], treatments: Sequence[Treatment], event: str) -> float:
    """The test of all treatments with one control, over units in which all cases have the same ones."""
    sets, observed = [], 0
    for unit in units:
        kept = {
            frozenset(each.name for each in treatments if _could(events, event, each.name, each.control)) for events in unit
        }
        if len(kept) == 1 and (names := min(kept)):
            control = _possible(unit, treatments[0].control, event)
            sets.append(np.array([control, *(_happened(unit, name, event) for name in sorted(names))]))
            observed += control
    return permuted_sum(sets, observed)


def _could(events: Mapping[str, Mapping[str, Event]], event: str, *names: str) -> bool:
    return all(event in events.get(name, {}) for name in names)


def _happened(unit: Unit, name: str, event: str) -> int:
    return sum(events[name][event] is True for events in unit)


def _possible(unit: Unit, name: str, event: str) -> int:
    return sum(events[name][event] is not False for events in unit)
