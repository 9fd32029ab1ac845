"""Influential pairs: pairs in which an answer is predicted to change a belief most or least (Figures 2 and 6 of `vafa2024`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from vivavoce.embeddings.embedding import plain_text
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.interval import Estimate
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import clipped, count, percent, share, share_interval
from vivavoce.generalization.config import InfluentialConfig
from vivavoce.generalization.evaluation.evaluation_finding import LEAD, clipped_notes, how_obtained
from vivavoce.generalization.evaluation.predictor_evaluation import groups_of
from vivavoce.generalization.pairs import LONGEST, BeliefPair, PredictionOrigin, QuestionPair, TaskQuestion, read_pairs
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import (
    Block,
    CaseCard,
    Caveats,
    Column,
    Fold,
    InFull,
    InShort,
    Pairs,
    Paragraph,
    Report,
    ReportRow,
    ReportSection,
    ReportTable,
    method_of,
    notes,
)
from vivavoce.report.cells import TableCell, share_cell, signed_cell
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.clustered import mean_estimate

_COLUMNS: Final = ("question", "prompt")
_TASKS: Final = ("source", "task", "category")
_LONGEST_TASK: Final = 200


def both_ways(pairs: Sequence[BeliefPair]) -> list[BeliefPair]:
    """Each pair of questions twice, without labels: all after a right answer, then all after a wrong one."""
    distinct = dict.fromkeys((pair.q1, pair.q2, pair.source1, pair.source2) for pair in pairs)
    return [BeliefPair(*texts, previous_correct=right) for right in (True, False) for texts in distinct]


def draw_pairs(questions: Sequence[TaskQuestion], n: int, *, rng: np.random.Generator) -> list[BeliefPair]:
    """Pairs of two different questions, drawn uniformly without replacement, to be predicted `both_ways`.

    If there are no more than n, all are taken. Raises `NotEnoughEvidence` for fewer than two questions.

    >>> drawn = draw_pairs([TaskQuestion("1 + 1?"), TaskQuestion("2 + 2?")], 10, rng=np.random.default_rng(0))
    >>> [(pair.q1, pair.q2) for pair in drawn]
    [('1 + 1?', '2 + 2?'), ('2 + 2?', '1 + 1?')]
    """
    distinct = list(dict.fromkeys(questions))
    size = len(distinct)
    if size < 2:
        raise NotEnoughEvidence(f"{size} different questions: pairs need at least 2")
    if n < 1:
        raise BadInput(f"{n} pairs requested: give at least 1")
    total = size * (size - 1)
    numbers = np.arange(total) if total <= n else rng.choice(total, size=n, replace=False)
    pairs = []
    for number in numbers.tolist():
        first, second = divmod(number, size - 1)
        second += second >= first
        shown, other = distinct[first], distinct[second]
        pairs.append(BeliefPair(shown.text, other.text, shown.source, other.source, previous_correct=True))
    return pairs


def read_drawn(file: Path, n: int, *, rng: np.random.Generator) -> list[BeliefPair]:
    """The pairs of a file (`read_pairs`), or n pairs drawn from its questions (`read_questions`)."""
    if ending(file) == ".csv" and {"q1", "q2"} <= set(read_table(file).names):
        return read_pairs(file)
    return draw_pairs(read_questions(file), n, rng=rng)


def read_questions(file: Path) -> list[TaskQuestion]:
    """Read the questions of a CSV, TSV or JSON Lines file, also gzipped, such as a scope file or a file of answers.

    Questions are in the column `question` or `prompt`, and their tasks in `source`, `task` or `category`. Raises `BadFile`.
    """
    if ending(file) in JSON_LINES:
        rows = [
            (line, {key: str(value) for key, value in row.items() if isinstance(value, str | int | float)})
            for line, row in json_lines(file)
        ]
    else:
        rows = list(read_table(file, cut=True).rows)
    if not rows:
        raise BadFile(file, "has no questions")
    column = next((name for name in _COLUMNS if name in rows[0][1]), None)
    if column is None:
        raise BadFile(file, f"has no pairs (q1,q2,...) and no column {' or '.join(map(repr, _COLUMNS))}", line=1)
    questions = []
    for line, row in rows:
        text = row.get(column, "")
        if not text.strip() or len(text) > LONGEST:
            raise BadFile(file, f"the question has {len(text)} characters: write 1 to {LONGEST}", line=line)
        questions.append(TaskQuestion(text, next((row[name] for name in _TASKS if row.get(name)), "")[:_LONGEST_TASK]))
    return questions


SHOWN_QUESTION: Final = 600
SHOWN_TASK: Final = 60
MOST_IN_SHORT: Final = 3
"""Pairs of each kind in a terminal."""
SHOWN_IN_SHORT: Final = 160


@dataclass(frozen=True, slots=True)
class PredictedPair:
    """A pair with the predicted chance that the belief changes."""

    pair: QuestionPair
    change: float


def means_table(after_wrong: Estimate, after_right: Estimate, difference: Estimate) -> ReportTable:
    """Mean chances of a change, and their difference."""
    rows = (
        ("After a wrong answer", share_cell(after_wrong)),
        ("After a right answer", share_cell(after_right)),
        ("Difference", signed_cell(difference)),
    )
    columns = (Column("Mean chance of a change"), Column("Predicted"))
    return ReportTable(columns, tuple(ReportRow(TableCell(what), (cell,)) for what, cell in rows))


def pairs_section(title: str, predicted: Sequence[PredictedPair]) -> tuple[Block, ...]:
    """The pairs of one kind; only a few short ones in a terminal."""
    lines = tuple(line for each in predicted[:MOST_IN_SHORT] for line in _lines(each))
    return (InFull((ReportSection(title, tuple(map(_card, predicted))),)), InShort((ReportSection(title, lines),)))


def influential_method(n: int, questions: int, notes: Sequence[str]) -> Fold:
    """How the chances were computed."""
    return method_of(
        (
            f"{count(n)} pairs of {count(questions)} questions, each after a right and after a wrong answer. Means have "
            "Student's intervals at level 95%, which allow for pairs that share a question.",
            *clipped_notes(notes),
        )
    )


def _card(predicted: PredictedPair) -> CaseCard:
    pair = predicted.pair
    tasks = " → ".join(clipped(task.replace("_", " "), SHOWN_TASK) for task in (pair.source1, pair.source2) if task)
    words = (
        ("Chance", " ".join(filter(None, (percent(predicted.change), tasks)))),
        ("Shown", clipped(plain_text(pair.q1), SHOWN_QUESTION)),
        ("Believed", clipped(plain_text(pair.q2), SHOWN_QUESTION)),
    )
    return CaseCard((Pairs(words),))


def _lines(predicted: PredictedPair) -> tuple[Paragraph, ...]:
    first, second = (clipped(plain_text(text), SHOWN_IN_SHORT) for text in (predicted.pair.q1, predicted.pair.q2))
    return (Paragraph(f"{percent(predicted.change)}  {first}"), Paragraph(f" →  {second}"))


@dataclass(frozen=True, slots=True, repr=False)
class InfluentialPairs(ReportedFinding):
    """The finding of `influential_pairs`."""

    predictor: str
    source: str
    n: int
    """Pairs of questions; each is predicted after a right answer and after a wrong one."""
    questions: int
    """Number of different questions."""
    after_right: Estimate
    """Mean predicted chance of a change."""
    after_wrong: Estimate
    difference: Estimate
    """After a wrong answer minus after a right one, pair by pair."""
    highest_right: tuple[PredictedPair, ...]
    """After a right answer, the highest chance first."""
    lowest_right: tuple[PredictedPair, ...]
    """After a right answer, the lowest chance first."""
    highest_wrong: tuple[PredictedPair, ...]
    lowest_wrong: tuple[PredictedPair, ...]
    notes: tuple[str, ...]
    """How the chances were obtained, a sentence each."""
    signature: Signature

    json_keys = (
        "predictor source n questions after_right after_wrong difference highest_right lowest_right highest_wrong "
        "lowest_wrong notes"
    )

    @property
    def statement(self) -> str:
        """The result in plain words."""
        right, wrong = (
            f"{share(estimate.value or 0.0)} {share_interval(estimate.interval)}"
            for estimate in (self.after_right, self.after_wrong)
        )
        name = f"the predictor “{clipped(self.predictor, 80)}”" if self.predictor else "the predictor"
        return f"By {name}, wrong answers change another belief in {wrong} of cases, right ones in {right}. {self.compared}."

    @property
    def compared(self) -> str:
        """Which kind of answer changes more beliefs."""
        interval = self.difference.interval
        if interval.lower > 0:
            return "Wrong answers change more beliefs"
        return "Right answers change more beliefs" if interval.upper < 0 else "The difference is not significant"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the numbers."""
        return (
            "These are predictions, not people's answers: people may see other answers as informative.",
            "The highest and lowest of many predictions also have the largest errors.",
            "Intervals are about other pairs of questions, not about another predictor: 'evaluate' measures its error.",
            "The predictor predicts whether a belief changes, not its direction.",
        )

    def report(self) -> Report:
        """The whole finding as blocks."""
        return self.reported(
            "Influential answers",
            f"Answers that change beliefs, predicted by {clipped(self.predictor, 80) or 'a predictor'}",
            InFull(tuple(ReportSection("The wrong answer with the most effect", (_card(p),)) for p in self.highest_wrong[:1])),
            InFull(notes(f"{LEAD} Questions: {clipped(self.source, 120) or 'not named'}.")),
            Caveats(self.caveats),
            means_table(self.after_wrong, self.after_right, self.difference),
            *pairs_section("Wrong answers that change the belief", self.highest_wrong),
            *pairs_section("Right answers that change the belief", self.highest_right),
            *pairs_section("Wrong answers without effect", self.lowest_wrong),
            *pairs_section("Right answers without effect", self.lowest_right),
            how_obtained(self.notes),
            influential_method(self.n, self.questions, self.notes),
            headline=self.statement,
        )


def influential_pairs(
    pairs: Sequence[BeliefPair],
    chances: ArrayLike,
    config: InfluentialConfig = InfluentialConfig(),  # noqa: B008 -- frozen
    *,
    origin: PredictionOrigin = PredictionOrigin(),  # noqa: B008 -- frozen
) -> InfluentialPairs:
    """Find the answers predicted to change beliefs most, and the mean predicted chance.

    Parameters
    ----------
    pairs: as returned by `both_ways`: each pair of questions after a right and after a wrong answer.
    chances: one per pair.
    origin: the predictor and the file of pairs, for the signature.

    Raises `BadInput` for pairs in another order, and for invalid chances.

    >>> from vivavoce.generalization.evaluation.influential_pairs import both_ways
    >>> pairs = both_ways([BeliefPair(f"{n} + {n}?", f"{n} + 1?", "sums", "sums", True) for n in range(3)])
    >>> influence = influential_pairs(pairs, [0.1, 0.2, 0.3, 0.5, 0.6, 0.7])
    >>> round(influence.after_right.value, 2), round(influence.after_wrong.value, 2), influence.highest_wrong[0].pair.q1
    (0.2, 0.6, '2 + 2?')
    """
    predicted = np.asarray(chances, dtype=float)
    half = len(pairs) // 2
    right, wrong = pairs[:half], pairs[half:]
    if not pairs or [replace(pair, previous_correct=False) for pair in right] != list(wrong):
        raise BadInput("the pairs must all follow a right answer, and then again a wrong one: use 'both_ways'")
    if predicted.shape != (len(pairs),) or not ((predicted >= 0) & (predicted <= 1)).all():
        raise BadInput(f"{len(pairs)} pairs need as many chances: give numbers from 0 to 1")
    groups = [groups_of(pair) for pair in right]
    after_right, after_wrong = predicted[:half], predicted[half:]
    orders = [np.argsort(-values, kind="stable") for values in (after_right, after_wrong)]
    ends = [
        tuple(PredictedPair(side[index].questions, float(values[index])) for index in indices)
        for side, values, order in zip((right, wrong), (after_right, after_wrong), orders, strict=True)
        for indices in (order[: config.most], order[::-1][: config.most])
    ]
    return InfluentialPairs(
        predictor=origin.predictor,
        source=origin.source,
        n=half,
        questions=len({text for pair in right for text in (pair.q1, pair.q2)}),
        after_right=mean_estimate(after_right, groups),
        after_wrong=mean_estimate(after_wrong, groups),
        difference=mean_estimate(after_wrong - after_right, groups, smallest=-1.0),
        highest_right=ends[0],
        lowest_right=ends[1],
        highest_wrong=ends[2],
        lowest_wrong=ends[3],
        notes=origin.notes,
        signature=origin.signature("generalization/telling", {"pairs": half}),
    )
