"""Rehearses a staged survey in a simulated world, to see whether its bandit finds the pairs that change beliefs.

The world has questions, a candidate that answers some of them, and people whose behaviour is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray

from vivavoce.errors import NotEnoughEvidence
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import count, percent, percent_interval
from vivavoce.generalization.config import RehearsalConfig
from vivavoce.generalization.evaluation.predictor_evaluation import auc
from vivavoce.generalization.pairs import BeliefPair, Floats
from vivavoce.generalization.predictors.base import Predictor
from vivavoce.generalization.predictors.model_store import fit_predictor
from vivavoce.generalization.survey.cards import PairDraw, majority, sample_stage, sample_test, weighted_share
from vivavoce.generalization.survey.plan import PAIRS_EACH
from vivavoce.interview.scope import Signature
from vivavoce.report import blocks
from vivavoce.report.cells import TableCell, share_cell
from vivavoce.report.figures import Axis, Line, LinePoint, Lines
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.clustered import share_interval

Places = NDArray[np.int64]

SUBJECTS: Final = 5
TASKS_EACH: Final = 4
WORDS_SUBJECT: Final = 20
WORDS_TASK: Final = 12
LENGTH: Final = 12
"""Words per question."""
ACCURACY: Final = 0.6
"""Share of questions that the candidate answers right."""
_SYLLABLES: Final = ("ba", "do", "fi", "gu", "ka", "lo", "mi", "nu", "pe", "ra", "so", "tu", "ve", "zi")


@dataclass(frozen=True, slots=True)
class SimulatedPeople:
    """Parameters of people's belief changes, in log-odds; our choice, so that most pairs change few beliefs."""

    start: float = -2.6
    same_task: float = 2.0
    same_subject: float = 1.0
    """Another task of the same subject."""
    per_shared_word: float = 0.25
    after_wrong: float = 0.7
    """Mistakes change beliefs more often than right answers (section 4 of `vafa2024`)."""
    spread: float = 0.5
    """Standard deviation between persons."""


@dataclass(frozen=True, slots=True)
class SimulatedWorld:
    """Questions, the candidate's grades, and people."""

    texts: tuple[str, ...]
    task: Places
    """Index of each question's task."""
    words: NDArray[np.bool_]
    """The words of each question, shape (questions, words)."""
    right: NDArray[np.bool_]
    """Whether the candidate answers each question right."""
    people: SimulatedPeople

    def pool(self, size: int, rng: np.random.Generator) -> Places:
        """Random pairs of different questions, shape (size, 2): the shown one, and the other."""
        first = rng.integers(0, len(self.texts), size)
        other = rng.integers(0, len(self.texts) - 1, size)
        return np.column_stack([first, other + (other >= first)])

    def chance(self, places: Places, persons: Floats | float = 0.0) -> Floats:
        """The true chance of a change, one per pair; `persons` are the people's effects in log-odds."""
        first, second = places.T
        same_task = self.task[first] == self.task[second]
        same_subject = self.task[first] // TASKS_EACH == self.task[second] // TASKS_EACH
        shared = (self.words[first] & self.words[second]).sum(axis=1)
        rule = self.people
        logit = rule.start + rule.same_task * same_task + rule.same_subject * (same_subject & ~same_task)
        logit = logit + rule.per_shared_word * shared + rule.after_wrong * ~self.right[first] + persons
        return np.asarray(1 / (1 + np.exp(-logit)), dtype=float)

    def true_shares(self, places: Places) -> Floats:
        """The share of people who change their belief, one per pair: the chance averaged over people."""
        nodes, weights = hermegauss(21)
        each = [self.chance(places, self.people.spread * node) for node in nodes]
        return np.asarray(np.average(each, axis=0, weights=weights), dtype=float)

    def pairs(self, places: Places) -> list[BeliefPair]:
        """The pairs of a survey, before people are asked."""
        return [
            BeliefPair(
                self.texts[first],
                self.texts[second],
                self._source(first),
                self._source(second),
                previous_correct=bool(self.right[first]),
            )
            for first, second in places
        ]

    def answers(self, places: Places, rng: np.random.Generator, *, first_person: int = 0) -> list[dict[str, object]]:
        """People's answers to these pairs, 15 per person, as fields of `BeliefPair`."""
        persons = np.arange(len(places)) // PAIRS_EACH
        moods = rng.normal(0, self.people.spread, int(persons[-1]) + 1)[persons]
        changed = rng.random(len(places)) < self.chance(places, moods)
        prior = np.clip(np.round(rng.normal(63, 15, len(places))), 10, 90)
        step = np.maximum(np.round(np.abs(rng.normal(12, 8, len(places)))), 1) * np.where(self.right[places[:, 0]], 1, -1)
        posterior = np.clip(prior + np.where(changed, step, 0), 0, 100)
        return [
            {
                "belief_change": bool(moved),
                "person": f"p{first_person + int(person)}",
                "prior": before / 100,
                "posterior": after / 100,
            }
            for moved, person, before, after in zip(changed, persons, prior, posterior, strict=True)
        ]

    def _source(self, question: int) -> str:
        task = int(self.task[question])
        return f"subject{task // TASKS_EACH + 1}_task{task % TASKS_EACH + 1}"


def make_world(rng: np.random.Generator, *, questions: int, people: SimulatedPeople | None = None) -> SimulatedWorld:
    """Questions from 20 tasks of 5 subjects, in invented words; each subject and each task has its own words.

    >>> world = make_world(np.random.default_rng(0), questions=40)
    >>> len(world.texts), world.texts[0].endswith("?"), world.pool(100, np.random.default_rng(1)).shape
    (40, True, (100, 2))
    """
    tasks = np.arange(questions) % (SUBJECTS * TASKS_EACH)
    vocabulary = _vocabulary(SUBJECTS * WORDS_SUBJECT + SUBJECTS * TASKS_EACH * WORDS_TASK, rng)
    present = np.zeros((questions, len(vocabulary)), dtype=bool)
    texts = []
    for index, task in enumerate(tasks):
        subject = task // TASKS_EACH
        of_task = SUBJECTS * WORDS_SUBJECT + task * WORDS_TASK + np.arange(WORDS_TASK)
        choices = np.concatenate([subject * WORDS_SUBJECT + np.arange(WORDS_SUBJECT), of_task])
        chosen = rng.choice(choices, LENGTH, replace=False)
        present[index, chosen] = True
        texts.append(" ".join(vocabulary[word] for word in chosen).capitalize() + "?")
    return SimulatedWorld(tuple(texts), tasks, present, rng.random(questions) < ACCURACY, people or SimulatedPeople())


def _vocabulary(size: int, rng: np.random.Generator) -> Sequence[str]:
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(rng.choice(_SYLLABLES, 3))] = None
    return list(words)


TENTHS: Final = 10
HELD_OUT: Final = 2_000
"""Pairs on which each refitted predictor is judged; they are in no stage."""
ANSWERS_EACH: Final = 8
"""Answers to each pair of the test stage, as in `vafa2024`."""


@dataclass(frozen=True, slots=True)
class RehearsedStage:
    """One stage, and the predictor that was fitted after it."""

    number: int
    changed: Estimate
    """Share of its answers that are a change: the yield."""
    weighted: Estimate
    """The weighted share, an estimate for the whole pool."""
    auc: float
    """On held-out pairs, for the predictor fitted to all answers so far."""
    tenths: tuple[float, ...]
    """Share of changes among held-out pairs by tenth of its ranking, the highest first (Figure 3, right)."""


@dataclass(frozen=True, slots=True)
class PairGroup:
    """Pairs of one kind: their true share of changes, and the estimates from all stages."""

    name: str
    truth: float
    weighted: Estimate
    unweighted: float


@dataclass(frozen=True, slots=True)
class RehearsalResult:
    """The results of a rehearsal."""

    truth: float
    """True share of the pool's pairs that change a belief."""
    stages: tuple[RehearsedStage, ...]
    cells: tuple[PairGroup, ...]
    test: Estimate
    """Share of the test pairs with a majority for a change; ties are left out."""
    pairs: tuple[BeliefPair, ...]
    """All answers, as a survey would export them."""


def rehearse(config: RehearsalConfig, *, on_stage: Callable[[RehearsedStage], None] | None = None) -> RehearsalResult:
    """Run all stages: draw, ask and refit. Raises `NotEnoughEvidence` if a stage changes no belief, or all beliefs."""
    rng = np.random.default_rng(config.seed)
    world = make_world(rng, questions=config.questions)
    places, held_out = world.pool(config.pool, rng), world.pool(HELD_OUT, rng)
    pool, judged = world.pairs(places), world.pairs(held_out)
    outcome = np.array([bool(answer["belief_change"]) for answer in world.answers(held_out, rng)])
    answers: list[BeliefPair] = []
    drawn: list[Places] = []
    stages: list[RehearsedStage] = []
    predictor: Predictor | None = None
    for number in range(1, config.stages + 1):
        chances = None if predictor is None else predictor.predict(pool)
        draw = sample_stage(
            chances, config.answers, rng=rng, top=config.top, epsilon=config.epsilon, pool=None if predictor else config.pool
        )
        new = _asked(world, places, draw, pool, rng, stage=number, first_person=(number - 1) * config.answers)
        answers += new
        drawn.append(places[draw.indices])
        predictor = fit_predictor(config.predictor, answers, rng=rng)
        stages.append(_stage(number, new, predictor.predict(judged), outcome))
        if on_stage is not None:
            on_stage(stages[-1])
    assert predictor is not None
    test = _test(world, places, sample_test(predictor.predict(pool), config.test, rng=rng), rng)
    truth = world.true_shares(places)
    return RehearsalResult(
        float(truth.mean()), tuple(stages), _cells(world, places, drawn, answers, truth), test, tuple(answers)
    )


def _asked(
    world: SimulatedWorld,
    places: Places,
    draw: PairDraw,
    pool: Sequence[BeliefPair],
    rng: np.random.Generator,
    *,
    stage: int,
    first_person: int,
) -> list[BeliefPair]:
    answers: list[dict[str, Any]] = world.answers(places[draw.indices], rng, first_person=first_person)
    return [
        replace(pool[index], stage=stage, weight=float(weight), **answer)
        for index, weight, answer in zip(draw.indices, draw.weights, answers, strict=True)
    ]


def _stage(number: int, new: Sequence[BeliefPair], chances: Floats, outcome: np.ndarray[Any, Any]) -> RehearsedStage:
    changed = [bool(pair.changed) for pair in new]
    order = np.argsort(-chances, kind="stable")
    return RehearsedStage(
        number=number,
        changed=Estimate(
            float(np.mean(changed)), Interval(*share_interval(changed, [(pair.person,) for pair in new])), len(changed)
        ),
        weighted=weighted_share(changed, [pair.weight for pair in new]),
        auc=auc(outcome, chances),
        tenths=tuple(float(part.mean()) for part in np.array_split(outcome[order], TENTHS)),
    )


def _test(world: SimulatedWorld, places: Places, draw: PairDraw, rng: np.random.Generator) -> Estimate:
    """Ask several people about each pair; the majority counts."""
    each = [world.answers(places[draw.indices], rng) for _ in range(ANSWERS_EACH)]
    votes = [majority([bool(answer["belief_change"]) for answer in answers]) for answers in zip(*each, strict=True)]
    clear = [vote for vote in votes if vote is not None]
    if len(clear) < 2:
        raise NotEnoughEvidence(f"{len(clear)} pairs of the test stage have a majority: a share needs at least 2")
    return Estimate(float(np.mean(clear)), Interval(*share_interval(clear, [()] * len(clear))), len(clear))


def _cells(
    world: SimulatedWorld, places: Places, drawn: Sequence[Places], answers: Sequence[BeliefPair], truth: Floats
) -> tuple[PairGroup, ...]:
    """Shares of changes by whether tasks are the same and whether the answer was right."""
    asked = np.concatenate(drawn)
    changed = np.array([bool(pair.changed) for pair in answers])
    weights = np.array([pair.weight for pair in answers])
    cells = []
    for same in (True, False):
        for right in (True, False):
            inside, mine = (
                ((world.task[first] == world.task[second]) == same) & (world.right[first] == right)
                for first, second in (places.T, asked.T)
            )
            if inside.any() and 0 < changed[mine].sum() < mine.sum():
                name = f"{'same' if same else 'other'} task, after a {'right' if right else 'wrong'} answer"
                weighted = weighted_share(changed[mine].tolist(), weights[mine])
                cells.append(PairGroup(name, float(truth[inside].mean()), weighted, float(changed[mine].mean())))
    return tuple(cells)


ABOUT_CELLS: Final = (
    "All stages together: the true share of changes for each kind of pair, and its estimates with and without weights."
)


def yield_lines(stages: Sequence[RehearsedStage], truth: float) -> Lines:
    """Share of changes by stage, unweighted and weighted, with the true share of all pairs."""
    shares = ", ".join(percent(stage.changed.value or 0.0) for stage in stages)
    alt = (
        f"Share of answers that are a change of belief, by stage: {shares}. Weighted shares stay near the true one of "
        f"{percent(truth)}. Bars are 95% intervals."
    )
    lines = (
        Line("as drawn", LinePoint.all_of((stage.number - 0.08 for stage in stages), (stage.changed for stage in stages))),
        Line("weighted", LinePoint.all_of((stage.number + 0.08 for stage in stages), (stage.weighted for stage in stages))),
    )
    top = max(point.interval.upper for line in lines for point in line.points if point.interval)
    across = Axis("Stage", span=(0.5, len(stages) + 0.5), ticks=tuple((stage.number, str(stage.number)) for stage in stages))
    upwards = Axis("Answers that are a change (%)", "percent", span=(0.0, 1.1 * top))
    return Lines(across, upwards, lines, alt, (truth, "true of all pairs"))


def ranking_lines(stages: Sequence[RehearsedStage]) -> Lines:
    """Share of changes by tenth of the ranking, for the first, the middle and the last predictor (Figure 3 of `vafa2024`)."""
    first, last = stages[0], stages[-1]
    alt = (
        f"Share of changes among held-out pairs, by tenth of the predictor's ranking, the highest first. "
        f"After stage {first.number}: from {percent(first.tenths[0])} in the top tenth to {percent(first.tenths[-1])} in the "
        f"bottom tenth; after stage {last.number}: from {percent(last.tenths[0])} to {percent(last.tenths[-1])}."
    )
    shown = [stages[index] for index in sorted({0, len(stages) // 2, len(stages) - 1}, reverse=True)]
    lines = tuple(
        Line(
            f"after stage {stage.number}",
            tuple(LinePoint((index + 0.5) / TENTHS, share) for index, share in enumerate(stage.tenths)),
            marked=False,
        )
        for stage in shown
    )
    top = max(point.y for line in lines for point in line.points)
    across = Axis("Place in the ranking (%), the highest first", "percent", span=(0.0, 1.0))
    return Lines(across, Axis("Held-out pairs that change a belief (%)", "percent", span=(0.0, 1.05 * top or 1.0)), lines, alt)


def stage_table(stages: Sequence[RehearsedStage]) -> blocks.ReportTable:
    """The yield of each stage, and the AUC of the predictor that is fitted after it."""
    columns = (blocks.Column("Stage"), blocks.Column("Changes"), blocks.Column("Weighted"), blocks.Column("AUC after it"))
    rows = tuple(
        blocks.ReportRow(
            TableCell(str(stage.number), stage.number),
            (share_cell(stage.changed), share_cell(stage.weighted), TableCell(f"{stage.auc:.2f}", stage.auc)),
        )
        for stage in stages
    )
    return blocks.ReportTable(columns, rows)


def group_table(groups: Sequence[PairGroup]) -> blocks.ReportTable:
    """The true share of each kind of pairs, and the estimates from all stages."""
    columns = (blocks.Column("Pairs"), blocks.Column("True"), blocks.Column("Weighted"), blocks.Column("Unweighted"))
    return blocks.ReportTable(
        columns,
        tuple(
            blocks.ReportRow(TableCell(group.name), (_plain(group.truth), share_cell(group.weighted), _plain(group.unweighted)))
            for group in groups
        ),
    )


def rehearsal_method(settings: Mapping[str, Any], predictor: str) -> blocks.Fold:
    """How the numbers were computed."""
    return blocks.method_of(
        (
            f"From a pool of {count(settings['pool'])} random pairs each stage draws {count(settings['answers'])}, the first "
            f"stage uniformly. Each later one draws {percent(1 - settings['epsilon'])} from the top {percent(settings['top'])} "
            f"of the ranking of the predictor “{predictor}”, refitted to all answers so far. The rest are from below it. Each "
            "pair's weight is the number of pairs of the pool that it represents.",
            f"AUC and rankings are from the predictor fitted after the stage, on {count(HELD_OUT)} other pairs.",
            f"The test stage draws {count(settings['test'])} pairs, two thirds from the top hundredth of the last ranking and "
            f"one third from the bottom hundredth. Each is put to {ANSWERS_EACH} people, and the majority counts.",
        )
    )


def _plain(share: float) -> TableCell:
    return TableCell(percent(share), share)


@dataclass(frozen=True, slots=True, repr=False)
class SurveyRehearsal(ReportedFinding):
    """The finding of a rehearsed survey."""

    result: RehearsalResult
    predictor: str
    """Its name."""
    signature: Signature

    json_keys = "truth=result.truth stages=result.stages cells=result.cells test=result.test predictor"

    @property
    def statement(self) -> str:
        """The result in one plain sentence."""
        first, last = self.result.stages[0], self.result.stages[-1]
        if first is last:
            return (
                f"In one stage of {count(first.changed.n)} synthetic answers {_percent(first.changed.value)} changed a belief."
            )
        return (
            f"Over {len(self.result.stages)} stages of {count(first.changed.n)} synthetic answers the share that changed a "
            f"belief went from {_percent(first.changed.value)} to {_percent(last.changed.value)}. The weighted last stage "
            f"estimates the share among all pairs as {_percent(last.weighted.value)} "
            f"{percent_interval(last.weighted.interval)}; the true share is {percent(self.result.truth)}."
        )

    @property
    def caveats(self) -> tuple[str, ...]:
        """Limits of the result."""
        return (
            "These people are simulated and follow our own rule. The bandit's gain with real people depends on how well a "
            "predictor ranks pairs by their chance of a change.",
            "Weights correct for the choice of pairs, not for the choice of people or for flaws of the pool.",
            "The test stage contains only the two ends of the ranking: its share of changes says nothing about the pool.",
        )

    def report(self) -> blocks.Report:
        """The whole finding as blocks."""
        result, test = self.result, share_cell(self.result.test)
        in_test = f"Test stage: {test.text} of its pairs {test.interval} changed most people's belief."
        return self.reported(
            "Rehearsed survey",
            "A survey rehearsed on synthetic people",
            blocks.ReportFigure(yield_lines(result.stages, result.truth)),
            blocks.Caveats(self.caveats),
            blocks.ReportFigure(ranking_lines(result.stages)),
            stage_table(result.stages),
            blocks.ReportSection(
                "Changes by kind of pair", (blocks.Paragraph(ABOUT_CELLS), group_table(result.cells), blocks.Paragraph(in_test))
            ),
            rehearsal_method(self.signature.settings, self.predictor),
            headline=self.statement,
        )


def _percent(value: float | None) -> str:
    return "unknown" if value is None else percent(value)
