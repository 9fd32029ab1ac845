"""Paired differences of which some are not known: how often a comparison or a gate is wrong, whatever decides which.

Two candidates differ by exactly 0, or the first is worse by exactly the margin. In the first study some of their replies cannot
be read. In the second a judge grades all answers by points, with noise, and some of its judgements cannot be read. The true
worth of what cannot be read is known to the study alone. What is unread is drawn at random, depends on what it is worth, or is
chosen by an adversary who sees the evidence. Somebody looks after every question. Lists and strata are asked to one half.

Two procedures that are not sound run on the same answers, to show that the study can tell: units with something unread are
left out, and what is unread counts 0.

    python -m tests.validity.test_paired_intervals [--runs 4000] [--only replies|judges]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tests.validity.error_studies import DELTA, Bools, Row, RunStatements, parser_of, print_table
from vivavoce.certificate.comparison.drawing import UNWEIGHTED, Means, OneByOne, OverStrata, UnitPosition
from vivavoce.certificate.comparison.evidence import PairedEvidence, PairStatement
from vivavoce.statistics.betting import Floats
from vivavoce.statistics.stratified import proportional

Drawing = Literal["list", "draws", "strata"]
Counts = Literal["interval", "left out", "as 0"]
"""How what is unread counts; of these the first is sound."""
Kind = Literal["replies", "judges"]
DRAWINGS: tuple[Drawing, ...] = ("list", "draws", "strata")
UNSOUND: tuple[Counts, ...] = ("left out", "as 0")
KINDS: tuple[Kind, ...] = ("replies", "judges")
LOOKS, MARGIN = 200, 0.05
BOUNDARIES = (0.0, -MARGIN)
"""D."""
_DISCORDANT, _BOTH_RIGHT = 0.5, 0.3
"""Shares of the questions: one candidate alone is right, and both are."""
_STRATA = (100, 60, 40)


@dataclass(frozen=True)
class AdversaryView:
    """What an adversary sees before the next question is graded."""

    log_e: Floats
    """Of each null in each run, shape (runs, 4)."""
    aims_higher: Bools
    """Which runs the adversary wants to end with a statement for the first candidate."""


Unread = Callable[[Floats, Floats, np.random.Generator, AdversaryView], tuple[Bools, Bools]]
"""Of what both candidates earn by the next question, shape (runs, draws), which parts cannot be read."""


def at_random(share: float) -> Unread:
    """Whatever it is worth."""
    return lambda a, b, rng, seen: (rng.random(a.shape) < share, rng.random(b.shape) < share)


def by_worth(first: str, second: str, share: float = 1.0) -> Unread:
    """Of each candidate those that are `good`, `poor`, worth `nothing` or `all`, or none of them (empty): these, or a share."""

    def chosen(worth: Floats, which: str, rng: np.random.Generator) -> Bools:
        fits = {"good": worth > 0.5, "poor": worth < 0.5, "nothing": worth == 0, "all": worth == 1, "": worth < 0}[which]
        result: Bools = fits & (rng.random(worth.shape) < share)
        return result

    return lambda a, b, rng, seen: (chosen(a, first, rng), chosen(b, second, rng))


def where_they_differ(share: float) -> Unread:
    """Both, on questions that one did better."""

    def found(a: Floats, b: Floats, rng: np.random.Generator, _: AdversaryView) -> tuple[Bools, Bools]:
        apart: Bools = (a.mean(axis=1) != b.mean(axis=1))[:, None] & (rng.random((len(a), 1)) < share)
        return np.broadcast_to(apart, a.shape), np.broadcast_to(apart, b.shape)

    return found


def adversary(share: float) -> Unread:
    """Hides what speaks for its statement while there is nothing to lose, so that more of it is left, and what speaks against
    it once it leads."""

    def found(a: Floats, b: Floats, rng: np.random.Generator, seen: AdversaryView) -> tuple[Bools, Bools]:
        targets = np.where(seen.aims_higher, PairStatement.NO_WORSE, PairStatement.WORSE)
        leads = np.take_along_axis(seen.log_e, targets[:, None], axis=1)[:, 0]
        d = a.mean(axis=1) - b.mean(axis=1)
        d = np.where(seen.aims_higher, d, -d)
        hides = ((d > 0) & (leads < 0)) | ((d < 0) & (leads > 1))
        apart: Bools = hides[:, None] & (rng.random((len(a), 1)) < share)
        return np.broadcast_to(apart, a.shape), np.broadcast_to(apart, b.shape)

    return found


REPLIES: dict[str, Unread] = {
    "none": at_random(0.0),
    "5% at random": at_random(0.05),
    "30% at random": at_random(0.3),
    "the first's, exactly when wrong": by_worth("poor", ""),
    "the second's, exactly when right": by_worth("", "good"),
    "wrong ones of the first, right ones of the second": by_worth("poor", "good", 0.2),
    "right ones of the first, wrong ones of the second": by_worth("good", "poor", 0.2),
    "where they differ, 30%": where_they_differ(0.3),
    "an adversary, 30%": adversary(0.3),
    "an adversary, all that it likes": adversary(1.0),
    "all": at_random(1.0),
}
JUDGES: dict[str, Unread] = {
    "all is read": at_random(0.0),
    "5% at random": at_random(0.05),
    "20% at random": at_random(0.2),
    "stumbles over poor answers of the first": by_worth("poor", "", 0.5),
    "stumbles over good answers of the second": by_worth("", "good", 0.5),
    "is silent on the first's poor and the second's good answers": by_worth("poor", "good"),
    "is silent where the first has no points, the second all": by_worth("nothing", "all"),
    "is silent where it would say that one is better": where_they_differ(0.5),
    "sees the evidence": adversary(0.5),
}

POLICIES: dict[Kind, dict[str, Unread]] = {"replies": REPLIES, "judges": JUDGES}


def replies(rng: np.random.Generator, runs: int, difference: float, drawing: Drawing) -> tuple[Floats, Floats]:
    """What replies of two candidates are worth, right or wrong: shape (runs, LOOKS, 1)."""
    size = LOOKS if drawing == "draws" else 2 * LOOKS  # half of a list is asked, so that something is left to chance
    alone = ((_DISCORDANT + difference) / 2, (_DISCORDANT - difference) / 2)
    counts = [round(share * size) for share in (*alone, _BOTH_RIGHT)]
    kinds = np.repeat([0, 1, 2, 3], [*counts, size - sum(counts)])
    drawn = _drawn(rng, kinds, runs, drawing)
    return np.isin(drawn, (0, 2)).astype(float)[..., None], np.isin(drawn, (1, 2)).astype(float)[..., None]


def judged(
    rng: np.random.Generator, runs: int, difference: float, drawing: Drawing, *, draws: int = 1
) -> tuple[Floats, Floats]:
    """The points of ten that a noisy judge gives, as shares, draw by draw: shape (runs, LOOKS, draws).

    Each pair of points stands there with its mirror image, and in a share of the questions the first gets 0, the second 10.
    """
    size = 2 * LOOKS
    apart = round(-difference * size)
    quality = rng.choice([1, 5, 9], size=((size - apart) // 2, 1))
    pairs = np.clip(quality[..., None] + rng.integers(-3, 4, (len(quality), 2, draws)), 0, 10) / 10
    ends = np.stack([np.zeros((apart, draws)), np.ones((apart, draws))], axis=1)
    units = np.concatenate([pairs, pairs[:, ::-1], ends])
    values = units[_drawn(rng, np.arange(len(units)), runs, drawing)]
    return values[..., 0, :], values[..., 1, :]


def _drawn(rng: np.random.Generator, kinds: NDArray[np.int64], runs: int, drawing: Drawing) -> NDArray[np.int64]:
    """Units in drawn order: each once, or again and again; over strata each of these has its part of the units."""
    if drawing == "draws":
        return rng.choice(kinds, size=(runs, LOOKS))
    if drawing == "list":
        return rng.permuted(np.tile(kinds, (runs, 1)), axis=1)[:, :LOOKS]
    result, strata = np.empty((runs, LOOKS), dtype=np.int64), np.array([position.stratum for position in places(drawing)])
    parts = np.split(kinds, np.cumsum([len(kinds) * size // LOOKS for size in _STRATA])[:-1])
    for stratum, part in enumerate(parts):
        of = strata == stratum
        result[:, of] = rng.permuted(np.tile(part, (runs, 1)), axis=1)[:, : of.sum()]
    return result


def places(drawing: Drawing) -> Sequence[UnitPosition]:
    """Of the units in drawn order."""
    if drawing != "strata":
        return [UNWEIGHTED] * LOOKS
    order = islice(proportional(np.array(_STRATA) / LOOKS, sizes=[2 * size for size in _STRATA]), LOOKS)
    return [UnitPosition(stratum=int(stratum)) for stratum in order]


def means_of(drawing: Drawing) -> Means:
    """How units are drawn, as a comparison has it."""
    if drawing == "strata":
        return OverStrata(tuple(size / LOOKS for size in _STRATA), tuple(2 * size for size in _STRATA))
    return OneByOne(2 * LOOKS if drawing == "list" else None, aim=MARGIN)


def error_rates(
    worth: tuple[Floats, Floats],
    unread: Unread,
    difference: float,
    drawing: Drawing,
    *,
    counts: Counts = "interval",
    seed: int = 1,
) -> tuple[float, float]:
    """How often any statement of a comparison, or verdict of a gate, is ever wrong, by what both candidates earn."""
    (a, b), rng = worth, np.random.default_rng(seed)
    tests, made = means_of(drawing).tests(len(a), MARGIN), RunStatements(len(a), difference, MARGIN)
    aims, log_e = np.arange(len(a)) % 2 == 0, np.zeros((len(a), 4))
    for n, position in enumerate(places(drawing)):
        earned = a[:, n], b[:, n]
        lost = unread(*earned, rng, AdversaryView(log_e, aims))
        log_e = tests.take(*_ends(earned, lost, counts), position)
        made.take(log_e)
    return made.errors


def _ends(earned: tuple[Floats, Floats], lost: tuple[Bools, Bools], counts: Counts) -> tuple[Floats, Floats]:
    """The least and the most that differences are taken to be."""
    if counts == "left out":
        whole = ~(lost[0].any(axis=1) | lost[1].any(axis=1))
        d = np.where(whole, earned[0].mean(axis=1) - earned[1].mean(axis=1), 0.0)  # a tie is all but no bet
        return d, d
    pairs = list(zip(earned, lost, strict=True))
    least, most = ([np.where(gone, end, values).mean(axis=1) for values, gone in pairs] for end in (0.0, 1.0))
    if counts == "as 0":
        return least[0] - least[1], least[0] - least[1]
    return least[0] - most[1], most[0] - least[1]


def study(
    kind: Kind, name: str, difference: float, drawing: Drawing, *, runs: int, counts: Counts = "interval", draws: int = 1
) -> tuple[float, float]:
    """One case, by the name of what decides which cannot be read; `draws`: judgements of each answer."""
    rng = np.random.default_rng(0)
    if kind == "replies":
        return error_rates(replies(rng, runs, difference, drawing), REPLIES[name], difference, drawing, counts=counts)
    worth = judged(rng, runs, difference, drawing, draws=draws)
    return error_rates(worth, JUDGES[name], difference, drawing, counts=counts)


def main() -> None:
    """Print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--only", choices=("replies", "judges"))
    given = parser.parse_args()
    for kind in KINDS if given.only is None else (given.only,):
        heads = (f"{kind}: what cannot be read", "D", "wrong statements", "wrong verdicts of gates", "left out", "as 0")
        print_table(heads, (_row(kind, name, difference, given.runs) for name in POLICIES[kind] for difference in BOUNDARIES))


def _row(kind: Kind, name: str, difference: float, runs: int) -> Row:
    errors = [study(kind, name, difference, drawing, runs=runs) for drawing in DRAWINGS]
    ranges = [f"{min(shares):.1%} to {max(shares):.1%}" for shares in zip(*errors, strict=True)]
    others = [study(kind, name, difference, "draws", runs=runs, counts=counts)[0] for counts in UNSOUND]
    return [name, f"{difference:g}", *ranges, *others]


RUNS = 4_000


def most() -> float:
    """More errors than that have a chance of .1% where each run errs with probability delta: 6.1%."""
    return float(scipy.stats.binom.ppf(0.999, RUNS, DELTA)) / RUNS


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("name", REPLIES)
def test_replies_that_cannot_be_read_make_nothing_wrong_too_often(name: str) -> None:
    for drawing in DRAWINGS:
        for difference in BOUNDARIES:
            errors = study("replies", name, difference, drawing, runs=RUNS)
            assert max(errors) <= most(), (drawing, difference, errors)


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("name", JUDGES)
def test_judgements_that_cannot_be_read_make_nothing_wrong_too_often(name: str) -> None:
    for drawing in DRAWINGS:
        for difference in BOUNDARIES:
            errors = study("judges", name, difference, drawing, runs=RUNS, draws=2)
            assert max(errors) <= most(), (drawing, difference, errors)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("replies", "an adversary, 30%"), ("judges", "is silent on the first's poor and the second's good answers")],
)
def test_a_small_study_that_can_tell(kind: Kind, name: str) -> None:
    # 100 runs at 5%: thirteen errors or more have a chance of .1% (binomial), and the seed is fixed
    for difference in BOUNDARIES:
        assert max(study(kind, name, difference, "draws", runs=100)) < 13 / 100
    assert study(kind, name, 0.0, "list", runs=100, counts="left out")[0] > 0.13


@pytest.mark.parametrize("drawing", DRAWINGS)
@pytest.mark.parametrize("difference", BOUNDARIES)
def test_candidates_stand_at_the_boundary(difference: float, drawing: Drawing) -> None:
    for first, second in (
        replies(np.random.default_rng(0), 400, difference, drawing),
        judged(np.random.default_rng(0), 400, difference, drawing, draws=2),
    ):
        assert first.shape[:2] == second.shape[:2] == (400, LOOKS)
        error = np.std((first - second).mean(axis=2)) / np.sqrt(400 * LOOKS)
        assert (first - second).mean() == pytest.approx(difference, abs=4 * error)


@pytest.mark.parametrize("kind", ["replies", "judges"])
@pytest.mark.parametrize("drawing", DRAWINGS)
def test_the_study_tests_what_a_comparison_tests(kind: Kind, drawing: Drawing) -> None:
    """For one run the evidence is that of `PairedEvidence`, which comparisons and gates take their answers to."""
    rng = np.random.default_rng(3)
    a, b = (replies if kind == "replies" else judged)(rng, 1, 0.0, drawing)
    unread = POLICIES[kind]["5% at random" if kind == "replies" else "20% at random"]
    means = means_of(drawing)
    evidence, tests = PairedEvidence([(0, 1)], margin=MARGIN, delta=1e-9, means=means), means.tests(1, MARGIN)
    for n, position in enumerate(places(drawing)):
        values, two = a[:, n], b[:, n]
        lost = unread(values, two, rng, AdversaryView(np.zeros((1, 4)), np.array([True])))
        pairs = list(zip((values, two), lost, strict=True))
        least, most = (np.array([np.where(gone, end, x).mean() for x, gone in pairs]) for end in (0.0, 1.0))
        evidence.take(least, most, position)
        log_e = tests.take(least[:1] - most[1:], most[:1] - least[1:], position)
        if evidence.hidden[0]:
            break  # it is shown that what is unread hides who is better
        assert evidence.log_e == pytest.approx(log_e)
    assert evidence.n[0] > LOOKS / 4


if __name__ == "__main__":
    main()
