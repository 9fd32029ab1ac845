"""How often a record holds a wrong statement on a pair of candidates, where somebody claims whatever looks best on its answers.

Two attacks and their honest twins:

- One evidence, several claims (`claims`): a comparison and a gate in either order, then a gate with a margin that is chosen
  after looking, the smallest that still passes, and a comparison within a sweep of four scopes. The true difference is 0, or
  the margin itself. Wrong is a record with any wrong statement. `held_for_real` does the same by the commands' own code.
- Further candidates (`dummies`): the same two compared again and again, each time with another one, on new answers, until one
  is said to be better. The true difference is 0. Counted by the list of candidates, each would be the first.

The statements are those of `comparison.evidence`, on the e-values of `statistics.plug_in`, whose bets are made for one margin;
numbers of attempts are those of `attempts.counted`.

    python -m tests.validity.test_shared_claims [--runs 4000]
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.validity.error_studies import DELTA, TOGETHER, parts_of, runs_of, slack
from vivavoce.certificate.attempts.attempt import AttemptTerms, RecordedAttempt, counted, delta_of
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.evidence import PairStatement, closed_testing, gate_statements, settled_by
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import Gate, gate
from vivavoce.interview.candidate import Prompt, RepeatReason, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.differences import DifferenceTests
from vivavoce.statistics.plug_in import PairedDifferenceTests

pytestmark = [pytest.mark.slow, pytest.mark.study]

LOOKS: Final = 600
MARGIN: Final = 0.05
MARGINS: Final = (0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3)
"""Of which one is chosen after looking."""
SCOPES: Final = 4
"""Of the sweep, which share its delta."""
DUMMIES: Final = 30
SIZE: Final = 20
"""Questions of the scope on which it is held for real."""


@dataclass(frozen=True)
class Claims:
    """Shares of the records in which some statement is wrong, by who makes it, and the questions that each asks on average."""

    comparison: float
    gate: float
    chosen: float
    """A gate with the margin that was chosen after looking."""
    sweep: float
    any: float
    questions_of_comparison: float
    questions_of_gate: float
    questions_of_gate_before: float
    """As it was when both of its verdicts had the whole of delta, and no answers were shared."""


def claims(difference: float, *, ties: float, population: int | None, runs: int, seed: int = 0) -> Claims:
    """Of many records with this true difference; `ties`: the share of questions on which both candidates do the same."""
    rng, values = np.random.default_rng(seed), []
    for part in parts_of(runs):
        values.append(_claimed(drawn_differences(rng, part, difference, ties, population), difference, population))
    return Claims(*np.concatenate(values, axis=1).mean(axis=1).tolist())


def drawn_differences(
    rng: np.random.Generator, runs: int, difference: float, ties: float, population: int | None
) -> NDArray[np.float64]:
    """Differences of 0 and 1 grades, shape (runs, LOOKS); exactly so in the mean where each question is drawn once."""
    if population is None:
        drawn = rng.random((runs, LOOKS))
        return np.where(drawn < (1 - ties + difference) / 2, 1.0, np.where(drawn < 1 - ties, -1.0, 0.0))
    more = round(difference * population)
    apart = round((1 - ties) * population)
    questions = np.zeros(population)
    questions[: (apart + more) // 2], questions[(apart + more) // 2 : (apart + more) // 2 * 2 - more] = 1.0, -1.0
    return np.stack([rng.permutation(questions)[:LOOKS] for _ in range(runs)])


def _claimed(d: Floats, difference: float, population: int | None) -> Floats:
    """Of each run whether the comparison, the gate, the chosen margin and the sweep are wrong, and any; then the questions."""
    delta = delta_of(DELTA, 1)

    tests = {margin: PairedDifferenceTests(len(d), margin, aim=MARGIN, population=population) for margin in MARGINS}
    paths = {margin: np.moveaxis(test.update(d, d), 0, -1) for margin, test in tests.items()}
    log_e = paths[MARGIN]
    comparison, n = _made(closed_testing(log_e[..., None, :], delta)[..., 0, :], "any")
    sweep, _ = _made(closed_testing(log_e[..., None, :], delta / SCOPES)[..., 0, :], "any")
    gate, n_gate = _made(gate_statements(log_e, delta, MARGIN), "gate")
    seen = np.maximum(n, n_gate) - 1
    before = np.zeros(log_e.shape, dtype=bool)
    before[..., PairStatement.NO_WORSE : PairStatement.NO_WORSE + 1] = log_e[..., [PairStatement.NO_WORSE]] >= -np.log(delta)
    before[..., PairStatement.WORSE : PairStatement.WORSE + 1] = log_e[..., [PairStatement.WORSE]] >= -np.log(delta)
    _, n_before = _made(before, "gate")
    chosen = np.zeros(len(d), dtype=bool)
    for margin in MARGINS[::-1]:  # the smallest that passes on what was asked already is claimed; it is wrong up to -D
        passes = gate_statements(paths[margin], delta, margin)[..., PairStatement.NO_WORSE]
        passes &= np.arange(d.shape[1]) <= seen[:, None]
        chosen = np.where(passes.any(axis=1), difference <= -margin, chosen)
    wrong = np.array([difference <= 0, difference >= 0, difference <= -MARGIN, difference >= MARGIN])
    parts = [(comparison & wrong).any(axis=1), (gate & wrong).any(axis=1), chosen, (sweep & wrong).any(axis=1)]
    return np.stack([*parts, np.logical_or.reduce(parts), n, n_gate, n_before]).astype(float)


def _made(statements: NDArray[np.bool_], rule: str) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The statements that are made until a run is settled, shape (runs, 4), and after how many questions that is."""
    kept = np.logical_or.accumulate(statements, axis=1)
    settled = settled_by(kept, rule)  # type: ignore[arg-type]
    last = np.where(settled.any(axis=1), settled.argmax(axis=1), settled.shape[1] - 1)
    return kept[np.arange(len(kept)), last], last + 1


def dummies(*, runs: int, seed: int = 0, numbered: bool = True) -> float:
    """The share of the records in which one of two equal candidates is said to be better at least once.

    numbered: whether attempts are counted by pairs, as they are; else each list of candidates begins with the first.
    """
    rng = np.random.default_rng(seed)
    held: list[RecordedAttempt] = []
    wrong = np.zeros(runs, dtype=bool)
    for further in range(DUMMIES + 1):
        names = ["a", "b", *([f"dummy {further}"] if further else [])]
        asked = {name: {"asking": "by form", "source": None} for name in names}
        terms = AttemptTerms("comparison", " vs. ".join(names), (("scope", "digest"),), {"asked": asked, "delta": DELTA})
        number = counted(terms, held) if numbered else 1
        held.append(RecordedAttempt(number, delta_of(DELTA, number), terms, "", further))
        for start in range(0, runs, TOGETHER):
            d = drawn_differences(rng, min(TOGETHER, runs - start), 0.0, 0.5, None)[:, : LOOKS // 2]
            up, down = (DifferenceTests(np.zeros(len(d))).update(side) for side in (d, -d))
            log_e = np.stack([up, down, up, down], axis=-1)[..., None, :]
            made = closed_testing(log_e, delta_of(DELTA, number))[..., 0, :2]
            wrong[start : start + len(d)] |= made.any(axis=(1, 2))
    return float(wrong.mean())


class _ListedAnswers:
    """Right on these questions, whenever it is asked."""

    asked_again: RepeatReason = "same"

    def __init__(self, name: str, right: frozenset[int]) -> None:
        self.name = name
        self._right = right

    async def answer(self, question: Prompt, /) -> Reply:
        number = int(question.id)
        return Reply(f"Answer: {number if number in self._right else number + 1}")


def held_for_real(difference: float, *, runs: int, seed: int = 0) -> float:
    """The share of the records with a wrong statement on the pair, by the commands' own code, all on one record.

    Certificates of both, then a comparison and a gate in either order, a gate with half of the margin, and a comparison that
    shares delta with another one as in a sweep of two scopes; on SIZE questions, of which each is drawn once. A statement is
    wrong only before all questions were asked.
    """
    rng = np.random.default_rng(seed)
    rows = [{"id": str(number), "question": f"Say {number}.", "answer": number} for number in range(SIZE)]
    scope = open_scope(rows, name="numbers")
    assert isinstance(scope, ListedScope)
    wrong = sum(asyncio.run(_wrong_on_record(rng, scope, difference, gate_first=bool(run % 2))) for run in range(runs))
    return wrong / runs


async def _wrong_on_record(rng: np.random.Generator, scope: ListedScope, difference: float, *, gate_first: bool) -> bool:
    order, half = rng.permutation(SIZE), SIZE // 2
    shared, only = order[: half // 2], order[half // 2 :]
    apart = half // 2
    lost = round(-difference * SIZE)
    new, old = only[: apart - lost], only[apart - lost : 2 * apart - lost]
    pair = [_ListedAnswers(name, frozenset([*shared.tolist(), *own.tolist()])) for name, own in (("new", new), ("old", old))]
    with Transcript.open(None) as transcript:

        def both() -> list[Interview[Prompt, Reply]]:
            return [Interview(entry, answers=Reply, transcript=transcript) for entry in pair]

        for interview in both():
            await certify(interview, scope, Criterion(0.5, None))
        claims = [False, True] if not gate_first else [True, False]
        results: list[Comparison | Gate] = []
        for is_gate in claims:
            if is_gate:
                results.append(await gate(both(), scope, GateConfig(margin=MARGIN)))
            else:
                results.append(await compare(both(), scope, ComparisonConfig(margin=MARGIN)))
        results.append(await gate(both(), scope, GateConfig(margin=MARGIN / 2)))
        results.append(await compare(both(), scope, ComparisonConfig(margin=MARGIN), share=2))
    assert all(entry.attempt is not None and entry.attempt.number == 1 for entry in results)
    return any(_is_wrong(entry, difference) for entry in results)


def _is_wrong(comparison: Comparison | Gate, difference: float) -> bool:
    margin, near = (comparison.margin if isinstance(comparison, Gate) else comparison.config.margin), 1e-9
    return {
        "better": difference <= near,
        "worse": difference >= -near,
        "fail": difference >= -near,
        "pass": difference <= -margin + near,
        "equivalent": abs(difference) > margin + near,
        "not worse": difference < -margin - near,
    }.get(comparison.verdict, False)


CASES: Final = tuple(
    (difference, ties, population)
    for difference in (0.0, -MARGIN)
    for ties, population in ((0.0, None), (0.5, None), (0.5, LOOKS), (0.9, LOOKS))
)


RUNS = 2_000
SLACK = slack(RUNS)


@pytest.mark.parametrize(("difference", "ties", "population"), CASES)
def test_whatever_is_claimed_of_one_pair(difference: float, ties: float, population: int | None) -> None:
    counts = claims(difference, ties=ties, population=population, runs=RUNS)
    assert counts.any <= 0.05 + SLACK


@pytest.mark.parametrize("difference", [0.0, 0.1])
def test_equal_and_better_releases_pass_with_a_tenth_more_questions_at_most(difference: float) -> None:
    counts = claims(difference, ties=0.5, population=None, runs=RUNS)
    assert counts.questions_of_gate <= 1.1 * counts.questions_of_gate_before


def test_further_candidates_do_not_begin_again() -> None:
    assert dummies(runs=RUNS) <= 0.05 + SLACK
    assert dummies(runs=RUNS, numbered=False) > 0.2  # as it was when a list of candidates was counted by itself


def test_certificates_comparison_gate_and_sweep_on_one_record() -> None:
    for difference in (0.0, -MARGIN):
        assert held_for_real(difference, runs=RUNS) <= 0.05 + SLACK


if __name__ == "__main__":
    runs = runs_of(__doc__)
    for case in CASES:
        print(case, claims(case[0], ties=case[1], population=case[2], runs=runs))
    print("by the commands' own code:", *(held_for_real(difference, runs=runs) for difference in (0.0, -MARGIN)))
    print("further candidates:", dummies(runs=runs), "as it was counted before:", dummies(runs=runs, numbered=False))
