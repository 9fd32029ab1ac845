"""Certificates with a history: how many questions they save, and how often they are wrong, whatever the history is worth.

Recorded models: each of 17 models on each of the 14 categories of MMLU-Pro at five passing grades, the others as its history,
in the same drawn order with and without; then without the models of its own family; and with the history of other questions,
which is worth nothing (the rows are shuffled).

Made-up lists at the boundary: the mean lies one question from the passing grade, on the wrong side of a verdict, and the
history is what an adversary would choose who knows every answer.

    python -m tests.validity.history [--runs 4000] [--data DIR] [--seeds 1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.validity.error_studies import DELTA, RecordedAnswers, Row, parser_of, print_table
from tests.validity.history_shuffled import first_verdicts
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.design.history import share_of_others
from vivavoce.certificate.evidence.drawn_once import HistoryTest
from vivavoce.certificate.evidence.sequential import SequentialTest
from vivavoce.scopes.score import UnitMean

Floats = NDArray[np.float64]
GRADES: Final = (0.3, 0.4, 0.5, 0.6, 0.7)
FAMILIES: Final = ("Llama", "Mi", "mathstral", "Qwen", "Yi")
"""What names of one family have in common; mathstral is one of Mistral's."""
SIZE: Final = 40


def examined(least: Floats, most: Floats, grade: float, order: NDArray[np.intp], history: Floats | None) -> tuple[int, Verdict]:
    """Questions until the verdict, and the verdict.

    least, most: what each question is worth to the candidate, in the order of the scope.
    history: scores of others, shape (questions, others); None: there is none.
    """
    criterion = Criterion(grade, None, DELTA)
    if history is None:
        test = SequentialTest(criterion, population=least.size)
        verdict = test.update(least[order], np.zeros(least.size), upper=most[order])
        return test.n, verdict
    with_history = HistoryTest(criterion, history)
    verdict, at_once = Verdict.UNDECIDED, 16
    for start in range(0, order.size, at_once):
        places = order[start : start + at_once].tolist()
        verdict = with_history.take(places, [UnitMean(least[index], 0.0, most[index], 0.0) for index in places])
        if with_history.over:
            break
    return with_history.n, verdict


def family(name: str) -> str:
    """The family of a model, by its name."""
    text = next((word for word in FAMILIES if word in name), name)
    return "Mi" if text == "mathstral" else text


Choice = Callable[[RecordedAnswers, int, NDArray[np.intp], np.random.Generator], Floats | None]
"""The history of a model on some questions."""


def nothing(_: RecordedAnswers, model: int, rows: NDArray[np.intp], rng: np.random.Generator) -> None:
    """None."""


def all_others(of: RecordedAnswers, model: int, rows: NDArray[np.intp], rng: np.random.Generator) -> Floats:
    """All models but this one."""
    return of.right[rows][:, [index for index in range(len(of.names)) if index != model]]


def other_families(of: RecordedAnswers, model: int, rows: NDArray[np.intp], rng: np.random.Generator) -> Floats:
    """All models of other families."""
    own = family(of.names[model])
    return of.right[rows][:, [index for index, name in enumerate(of.names) if family(name) != own]]


def worthless(of: RecordedAnswers, model: int, rows: NDArray[np.intp], rng: np.random.Generator) -> Floats:
    """All others, on other questions."""
    return rng.permutation(all_others(of, model, rows, rng))


CHOICES: Final[Mapping[str, Choice]] = {"all others": all_others, "other families": other_families, "worthless": worthless}


@dataclass(frozen=True)
class HistorySavings:
    """What a history saves at one passing grade."""

    plain: Floats
    """Questions without it, of each examination."""
    known: Floats
    """With it."""
    wrong: int
    """Wrong verdicts with it."""
    decided: NDArray[np.bool_]
    """Which examinations end with a verdict, with it and without."""
    models: int
    """The examinations of each model stand together."""

    @property
    def interval(self) -> tuple[float, float]:
        """Of `total`, at level 95%, by the bootstrap over models: a few long examinations carry it."""
        drawn = np.random.default_rng(0).integers(self.models, size=(2_000, self.models))
        plain, known = (values.reshape(self.models, -1).sum(axis=1)[drawn].sum(axis=1) for values in (self.plain, self.known))
        low, high = np.quantile(known / plain - 1, [0.025, 0.975])
        return float(low), float(high)

    @property
    def where_decided(self) -> float:
        """As `total`, of these alone."""
        return float(self.known[self.decided].sum() / self.plain[self.decided].sum() - 1)

    @property
    def total(self) -> float:
        """Questions with it over questions without it, less 1."""
        return float(self.known.sum() / self.plain.sum() - 1)

    @property
    def usual(self) -> float:
        """The same of the geometric mean over examinations."""
        return float(np.exp(np.log(self.known / self.plain).mean()) - 1)


def saved(
    of: RecordedAnswers, choice: Choice, grade: float, *, seeds: int = 1, categories: Sequence[str] = (), strict: bool = False
) -> HistorySavings:
    """With and without, in the same drawn order.

    strict: whether a reply that cannot be read counts as wrong; else it may be worth anything.
    """
    plain, known, decided, wrong = [], [], [], 0
    for model in range(len(of.names)):
        for category in categories or sorted(set(of.category.tolist())):
            rows = np.flatnonzero(of.category == category)
            least = of.right[rows, model]
            most = least if strict else least + of.unread[rows, model]
            for seed in range(seeds):
                order = np.random.default_rng(seed).permutation(rows.size)
                history = choice(of, model, rows, np.random.default_rng([seed, model, 1]))
                without, plainly = examined(least, most, grade, order, None)
                n, verdict = examined(least, most, grade, order, history)
                plain.append(without)
                known.append(n)
                decided.append(Verdict.UNDECIDED not in (verdict, plainly))
                wrong += wrongly(verdict, least, most, grade)
    return HistorySavings(np.array(plain, dtype=float), np.array(known, dtype=float), wrong, np.array(decided), len(of.names))


def wrongly(verdict: Verdict, least: Floats, most: Floats, grade: float) -> bool:
    """Whether this verdict is wrong whatever the answers are worth that cannot be read."""
    if verdict is Verdict.PASS:
        return bool(most.mean() < grade - 1e-9)
    return verdict is Verdict.FAIL and bool(least.mean() >= grade - 1e-9)


@dataclass(frozen=True)
class Boundary:
    """A list of questions whose mean is one question from the passing grade, and a history that an adversary chose."""

    name: str
    history: Callable[[Floats, np.random.Generator], Floats]
    """By what the candidate earns."""
    partial: bool = False
    """Whether answers earn anything from 0 to 1."""
    unread: Callable[[Floats, Floats], NDArray[np.bool_]] | None = None
    """Which replies cannot be read, by what they are worth and by the share of others that are right."""


def _noisy(x: Floats, rng: np.random.Generator) -> Floats:
    """Eight others that agree with the candidate on three questions of four."""
    return np.abs(np.round(x)[:, None] - (rng.random((x.size, 8)) < 0.25))


def _turncoat(x: Floats, rng: np.random.Generator) -> Floats:
    """Others that agree on one half of the list and are the opposite on the other."""
    right = np.repeat(np.round(x)[:, None], 4, axis=1)
    right[::2] = 1 - right[::2]
    return right


BOUNDARY: Final = (
    Boundary("informative", _noisy),
    Boundary("constant", lambda x, rng: np.ones((x.size, 3))),
    Boundary("worthless", lambda x, rng: (rng.random((x.size, 8)) < 0.5).astype(float)),
    Boundary("inverted", lambda x, rng: 1 - _noisy(x, rng)),
    Boundary("the answers themselves", lambda x, rng: np.repeat(np.round(x)[:, None], 3, axis=1)),
    Boundary("their opposite", lambda x, rng: np.repeat(1 - np.round(x)[:, None], 3, axis=1)),
    Boundary("right on one half, opposite on the other", _turncoat),
    Boundary("one question stands out", lambda x, rng: (np.arange(x.size) == int(np.argmax(x))).astype(float)[:, None]),
    Boundary("informative, scores between 0 and 1", _noisy, partial=True),
    Boundary("informative, unread where it speaks against", _noisy, unread=lambda x, f: (x == 0) & (f > 0.5)),
    Boundary("informative, unread where it speaks for", _noisy, unread=lambda x, f: (x == 1) & (f < 0.5)),
)


def rates(case: Boundary, grade: float, *, runs: int, seed: int = 1, size: int = SIZE) -> tuple[float, float]:
    """How often it is wrong where the candidate just fails, and where it just passes; by `history_shuffled` if all is read."""
    values = []
    for passes in (False, True):
        rngs = [np.random.default_rng([seed, int(passes), run]) for run in range(runs)]
        drawn = [_list(case, grade, size, passes, rng) for rng in rngs]
        if case.unread is None:
            x, logits = (np.stack(rows) for rows in zip(*((pair[0][pair[2]], pair[3][pair[2]]) for pair in drawn), strict=True))
            _, which = first_verdicts(x, logits, np.stack([pair[4].mean(axis=0) for pair in drawn]), grade, DELTA)
            wrong = int((which == (-1 if passes else 1)).sum())
        else:
            verdicts = [examined(least, most, grade, order, history)[1] for least, most, order, _, history in drawn]
            wrong = sum(verdict is (Verdict.FAIL if passes else Verdict.PASS) for verdict in verdicts)
        values.append(wrong / runs)
    return values[0], values[1]


def _list(
    case: Boundary, grade: float, size: int, passes: bool, rng: np.random.Generator
) -> tuple[Floats, Floats, NDArray[np.intp], Floats, Floats]:
    """The least and the most that each question is worth, the order, what is known of each, and the history."""
    x = _worth(grade, size, passes, case.partial, rng)
    history = case.history(x, rng)
    unread = np.zeros(size, dtype=bool) if case.unread is None else case.unread(x, history.mean(axis=1))
    # what cannot be read is worth what it is, and nobody knows it
    least, most = np.where(unread, 0.0, x), np.where(unread, 1.0, x)
    return least, most, rng.permutation(size), share_of_others(history), history


def _worth(grade: float, size: int, passes: bool, partial: bool, rng: np.random.Generator) -> Floats:
    """Scores whose mean just passes, or just fails."""
    right = int(np.ceil(grade * size - 1e-9)) - (not passes)
    if not partial:
        return (np.arange(size) < right).astype(float)
    x = rng.beta(2 * grade, 2 * (1 - grade), size)
    aim = grade if passes else grade - 1 / size
    for _ in range(200):
        x = np.clip(x + aim - x.mean(), 0, 1)
    return x + (aim - x.mean()) if passes else x


ERROR_HEADS: Final = ("history", "passing grade", "understands, wrongly", "does not understand, wrongly")
RECORDED_HEADS: Final = (
    *("unreadable", "history", "passing grade", "questions, of all", "95%"),
    *("with a verdict", "of a usual examination", "wrong"),
)


def error_rows(runs: int) -> Iterator[Row]:
    """Of the lists at the boundary."""
    return ((case.name, f"{grade}", *rates(case, grade, runs=runs)) for case in BOUNDARY for grade in (0.5, 0.7))


def recorded_rows(of: RecordedAnswers, seeds: int) -> Iterator[Row]:
    """Of recorded models."""
    for strict in (False, True):
        for name, choice in CHOICES.items():
            rows = []
            for grade in GRADES:
                savings = saved(of, choice, grade, seeds=seeds, strict=strict)
                rows.append((savings.total, savings.where_decided, savings.usual))
                wrong, (low, high) = f"{savings.wrong} of {savings.plain.size}", savings.interval
                yield _row(strict, name, f"{grade}", rows[-1], f"{low:+.1%} to {high:+.1%}", wrong)
            yield _row(strict, name, "mean", np.mean(rows, axis=0).tolist(), "", "")


def _row(strict: bool, name: str, grade: str, shares: Sequence[float], interval: str, wrong: str) -> Row:
    total, *others = (f"{share:+.1%}" for share in shares)
    return "wrong" if strict else "anything", name, grade, total, interval, *others, wrong


def bound(share: float, runs: int) -> float:
    """What a share that is at most this one exceeds by chance once in some thousands of times."""
    return share + 3.5 * float(np.sqrt(share * (1 - share) / runs)) + log(2) / runs


def print_tables(
    about: str | None,
    recorded: tuple[Sequence[str], Callable[[RecordedAnswers, int], Iterator[Row]]],
    errors: tuple[Sequence[str], Callable[[int], Iterator[Row]]],
    number: tuple[str, int, str],
) -> None:
    """Print both tables of a study, each by its heads and its rows, as the command line wants them.

    about: what the study is.
    number: the option that says how many examinations of recorded models there are: its name, its default, its help.
    """
    name, usual, text = number
    parser = parser_of(about)
    parser.add_argument(f"--{name}", type=int, default=usual, help=text)
    parser.add_argument("--data", type=Path, help="folder that holds mmlu_pro; none: made-up lists alone")
    given = parser.parse_args()
    if given.data is not None:
        print_table(recorded[0], recorded[1](RecordedAnswers.read(given.data), getattr(given, name)))
    if given.runs:
        print_table(errors[0], errors[1](given.runs))


if __name__ == "__main__":
    number = ("seeds", 1, "orders of the questions for each examination")
    print_tables(__doc__, (RECORDED_HEADS, recorded_rows), (ERROR_HEADS, error_rows), number)
