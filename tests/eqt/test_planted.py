"""The whole examination against models with planted knowledge and faults: reported figures cover the planted ones."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from math import comb

import pytest

from tests.eqt.models import FAULTY, UNWRITTEN, MindModel, MindProbabilities
from vivavoce.eqt.examine import explain_query_test
from vivavoce.eqt.record import ROLES, Concept, EqtConfig, EqtRecord
from vivavoce.eqt.result import EqtResult
from vivavoce.eqt.score import score
from vivavoce.interview import Interview, Reply
from vivavoce.interview.forms.written_texts import UNMARKED

CONCEPTS = [Concept(f"Concept {number}", "math" if number % 2 else "law") for number in range(20)]
SET_UP = EqtConfig(questions=5, paraphrases=3)
OTHERS = 2**4 - 2
"""Sets of four options that are not empty, and another than a given one."""
SOUND = MindProbabilities(recall=0.7, reading=0.95, otherwise=0.15)


def examined(mind: MindProbabilities) -> EqtRecord:
    interview = Interview(MindModel(mind), answers=Reply, concurrency=50)
    return asyncio.run(explain_query_test(dict.fromkeys(ROLES, interview), CONCEPTS, SET_UP))


def planted(mind: MindProbabilities, *, valid: bool = False) -> dict[str, float]:
    """What the figures are in expectation, in closed form; `valid`: over questions and paraphrases without fault."""
    r, o, u = mind.recall, mind.reading, mind.unanswered
    b = 0.0 if valid else mind.broken
    # A paraphrase is answered as its original unless it means something else or the model is sensitive to it.
    s = mind.otherwise if valid else 1 - (1 - mind.changing) * (1 - mind.otherwise)
    made = (1 - mind.unworded) * (1 - mind.changing if valid else 1)
    value = 1 / OTHERS
    # Right are: what is known where the key is sound; and where it is broken, a wrong answer that happens to be the broken key.
    original = (1 - b) * r + b * (1 - r) * value
    opened = (1 - b) * o + b * (1 - o) * value
    # A paraphrase, key sound: known and kept, or wrong and by chance turned into what holds. Key broken: known, and turned into
    # the key; wrong, and the key, and kept; or wrong, another than the key, and turned into it.
    sound = r * (1 - s) + (1 - r) * s * value
    unsound = r * s * value + (1 - r) * (value * (1 - s) + (1 - value) * s * value)
    wording = (1 - b) * sound + b * unsound
    wordings = SET_UP.paraphrases * made
    return {
        "closed": (1 - u) * (original + wordings * wording) / (1 + wordings),
        "closed_originals": (1 - u) * original,
        "open_book": (1 - u) * opened,
        "gap": (1 - u) * (opened - original),
        "unreadable": u,
        "acs": _agreement(s, u, made, rescaled=False),
        "acs_rescaled": _agreement(s, u, made, rescaled=True),
    }


def _agreement(s: float, u: float, made: float, *, rescaled: bool) -> float:
    """The expected ACS over questions with at least one paraphrase."""
    total = weight = 0.0
    for n in range(1, SET_UP.paraphrases + 1):
        p = comb(SET_UP.paraphrases, n) * made**n * (1 - made) ** (SET_UP.paraphrases - n)
        own = 1 - u * (1 - (1 - u) * (1 - s)) ** n  # the original's answer is there: given to it, or to a paraphrase
        others = OTHERS * (1 - (1 - (1 - u) * s / OTHERS) ** n)  # so many of the other sets are there
        unread = 1 - (1 - u) ** (n + 1)  # whether what could not be read is there
        total += p * (1 - (own + others + unread - 1) / (n if rescaled else n + 1))
        weight += p
    return total / weight


def covered(finding: EqtResult, mind: MindProbabilities) -> dict[str, bool]:
    """Which 95% intervals hold what was planted."""
    result = {}
    for name, expected in planted(mind).items():
        interval = getattr(finding.whole, name).interval
        result[name] = interval.lower <= expected <= interval.upper
    for name, expected in planted(mind, valid=True).items():
        interval = getattr(finding.valid, name).interval
        result[f"valid {name}"] = interval.lower <= expected <= interval.upper
    return result


def assert_counted_where_it_belongs(finding: EqtResult, record: EqtRecord, mind: MindProbabilities) -> None:
    """Each kind of brokenness, as planned by the model for each question, against the counts."""
    plans = {(c.name, n): mind.plan(c.name, n) for c in CONCEPTS for n in range(1, SET_UP.questions + 1)}
    put = {key: plan for key, plan in plans.items() if not plan.unwritten}
    first: dict[tuple[str, int], int] = {}
    for (name, number), plan in put.items():
        first.setdefault((name, plan.aspect), number)
    wordings = [(name, plan.aspect, which) for (name, _), plan in put.items() for which in range(1, SET_UP.paraphrases + 1)]
    made = [wording for wording in wordings if not mind.leaves_out(*wording)]

    counts = finding.validity
    assert counts.wanted == len(plans)
    assert counts.written == len(put)
    assert counts.not_written == Counter(plan.unwritten for plan in plans.values() if plan.unwritten)
    assert set(counts.not_written) <= set(UNWRITTEN)
    assert counts.pointing == counts.not_self_contained == sum(plan.points for plan in put.values())
    assert counts.duplicates == len(put) - len(first)
    assert counts.key_checked == len(put)
    assert counts.key_failed == sum(plan.broken for plan in put.values())
    assert counts.key_unreadable == 0
    assert counts.paraphrases_wanted == len(wordings)
    assert counts.paraphrases_made == len(made)
    assert counts.not_paraphrased == ({UNMARKED: len(wordings) - len(made)} if len(made) < len(wordings) else {})
    assert counts.paraphrases_changed == sum(mind.changes(*wording) for wording in made)
    assert counts.paraphrases_unchecked == 0
    assert counts.valid == sum(
        not plan.points and not plan.broken and first[name, plan.aspect] == number for (name, number), plan in put.items()
    )
    assert finding.not_asked == 0
    assert set(finding.unread) <= {"no option named"}
    assert (
        finding.calls == record.calls == len(CONCEPTS) * (1 + SET_UP.questions) + 4 * len(put) + len(wordings) + 2 * len(made)
    )


@pytest.mark.parametrize(
    ("mind", "seeds"), [pytest.param(SOUND, (0, 1, 2), marks=pytest.mark.slow), (FAULTY, (1,))], ids=["sound", "faulty"]
)
def test_planted_figures_and_faults(mind: MindProbabilities, seeds: tuple[int, ...]) -> None:
    """A run or three: most intervals hold what was planted, and every fault is counted where it belongs."""
    held: list[bool] = []
    for seed in seeds:
        record = examined(replace(mind, seed=seed))
        finding = score(record)
        assert_counted_where_it_belongs(finding, record, replace(mind, seed=seed))
        held += covered(finding, mind).values()
    # 14 figures a run; at 95% each about 13 of 14. They go together within a run, so the bound is a wide one.
    assert len(held) == 14 * len(seeds)
    assert sum(held) >= 5 / 6 * len(held)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize(("mind", "runs"), [(SOUND, 50), (FAULTY, 200)], ids=["sound", "faulty"])
def test_coverage_over_many_runs(mind: MindProbabilities, runs: int) -> None:
    """Each figure's 95% interval holds the planted one in about 95% of seeded runs."""
    held = Counter[str]()
    means: Counter[str] = Counter()
    for seed in range(runs):
        record = examined(replace(mind, seed=seed))
        finding = score(record)
        assert_counted_where_it_belongs(finding, record, replace(mind, seed=seed))
        held.update({name: int(is_held) for name, is_held in covered(finding, mind).items()})
        means.update({name: getattr(finding.whole, name).value / runs for name in planted(mind)})
    for name, expected in planted(mind).items():
        # At the most 0.05 of standard deviation a run; five standard errors: 0.018 over 200 runs.
        assert means[name] == pytest.approx(expected, abs=5 * 0.05 / runs**0.5), name
    # 95% of 200 with a standard deviation of 1.5%: 91% is nearly three of them below; of 50 with 3.1%, 86%.
    least = 0.95 - 2.7 * (0.95 * 0.05 / runs) ** 0.5
    assert {name: times / runs for name, times in held.items() if times / runs < least} == {}
    print({name: f"{times / runs:.1%}" for name, times in held.items()})
