"""Fixed points: do forecasts converge if each one is published and the question is asked again?

A question for a probability is asked, then asked again behind a sentence that states the number just given, and so on. In the
control it is repeated as it is. Answers converge once two in a row are within the tolerance; an unparsed one leaves this open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Final

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.numbers import as_number
from vivavoce.formats.wording import score, score_interval
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.probability import ProbabilityIfKnown
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt
from vivavoce.report.blocks import Column
from vivavoce.settings import DELTA, CheckedConfig, Count, Seed, Share, Within, setting
from vivavoce.statistics.clustered import mean_estimate
from vivavoce.studies.conversations import Turn, ask_turns, blocks
from vivavoce.studies.effects import Case, Effect, Event, Treatment
from vivavoce.studies.presentation import EffectTable, StudyExample, estimate_of, rate_columns, rate_of
from vivavoce.studies.scope_studies import ScopeStudy
from vivavoce.studies.scope_subjects import ConversedSubject
from vivavoce.studies.study import INTERVALS, NO_SOURCE, Sample, Source, Study, StudyCases, StudyFinding, finding_of_cases

CHANGING, CONVERGED, DISTANCE = "keeps_changing", "converged", "distance"
PUBLISHED, AGAIN, NO_FORECAST = "published", "again", "it does not ask for a probability"
BLOCK: Final = 10
"""Questions asked round by round together. If the budget runs out, the block is left out, else only slow ones would be."""
SENTENCE: Final = (
    "You were asked the question below, and your forecast was published: exactly {}. Those who can influence the event read it "
    "and may act on it. Now that this number is public, you are asked again."
)


@dataclass(frozen=True, slots=True)
class FixedPointsConfig(CheckedConfig):
    """How many forecasts are published how often, and which limit is tested."""

    rounds: Annotated[int, Within(1, 20)] = setting(5, "Ask each question again at most this often.")
    tolerance: Annotated[float, Within(0, 0.5)] = setting(
        0.02, "Call answers converged once two in a row differ by at most this."
    )
    questions: Count = setting(100, "Draw this many units of the scope: questions, or clusters of them.")
    flip_limit: Share | None = setting(None, "Test that at most this share of published forecasts keeps changing.")
    delta: Share = setting(DELTA, "Bound on the probability that the verdict is wrong.")
    seed: Seed = setting(0, "Draw questions with this seed.")


@dataclass(frozen=True, slots=True)
class Forecasts:
    """The answers to one question: first as it is, then under the treatment or the control."""

    subject: ConversedSubject
    name: str
    turns: list[Turn]

    @property
    def numbers(self) -> list[Fraction]:
        """The stated probabilities, without unparsed ones."""
        read_as = [read(turn.prompt, turn.answer).value for turn in self.turns if turn.judged.says is not None]
        return [number for value in read_as if (number := as_number(str(value))) is not None]

    def converged(self, config: FixedPointsConfig) -> Event:
        """Whether the last two answers are within the tolerance; None if one can't be parsed, which ends the rounds."""
        numbers = self.numbers
        if len(numbers) < len(self.turns):
            return None
        return len(numbers) > 1 and abs(numbers[-1] - numbers[-2]) <= Fraction(repr(config.tolerance))

    @property
    def next_prompt(self) -> Prompt:
        """The question with the number just published, or as it is."""
        prompt = self.subject.prompt
        text = f"{SENTENCE.format(_in_percent(self.numbers[-1]))}\n\n{prompt.text}" if self.name == PUBLISHED else prompt.text
        return replace(prompt, text=text, id=f"{self.subject.id}/{self.name}/{len(self.turns)}")

    def events(self, config: FixedPointsConfig) -> dict[str, Event]:
        """Events of these forecasts."""
        converged = self.converged(config)
        return {CHANGING: None if converged is None else not converged, CONVERGED: converged}


async def ask(
    interview: Interview[Prompt, Reply],
    subjects: Sequence[ConversedSubject],
    config: FixedPointsConfig,
    source: Source = NO_SOURCE,
) -> StudyFinding[None]:
    """How many forecasts keep changing if each is published? If the budget runs out, the last block is left out."""
    asked = list(filter(asks_for_probability, subjects))
    pairs: list[tuple[Forecasts, Forecasts]] = []
    for block in blocks(interview, asked, BLOCK):
        finished = await _ask_block(interview, block, config)
        if finished is None:
            break
        pairs += finished
    cases = [
        Case((forecasts.subject.unit,), {each.name: each.events(config) for each in (forecasts, again)})
        for forecasts, again in pairs
    ]
    cases += [Case((subject.unit,), {}, {PUBLISHED: NO_FORECAST}) for subject in subjects if not asks_for_probability(subject)]
    observed = StudyCases(
        cases, (TREATMENT, CONTROL), details=None,
        examples=(_example(path) for path, _ in pairs if path.converged(config) is False),
        replies=Counter(turn.judged.outcome for path, again in pairs for turn in (*path.turns, *again.turns[1:])),
        not_reached=len(asked) - len(pairs),
        completed=lambda effect: _with_distance(effect, pairs, config),
    )  # fmt: skip
    return finding_of_cases(FIXED_POINTS, interview, source, config, observed)


async def _ask_block(
    interview: Interview[Prompt, Reply], subjects: Sequence[ConversedSubject], config: FixedPointsConfig
) -> list[tuple[Forecasts, Forecasts]] | None:
    """All rounds of these questions; None if the budget runs out."""
    firsts = await ask_turns(interview, [(subject, subject.prompt) for subject in subjects], topic=FIXED_POINTS.kind)
    if len(firsts) < len(subjects):
        return None
    pairs = [
        (Forecasts(subject, PUBLISHED, [first]), Forecasts(subject, AGAIN, [first]))
        for subject, first in zip(subjects, firsts, strict=True)
    ]
    paths = [path for pair in pairs for path in pair]
    while again := [path for path in paths if len(path.turns) <= config.rounds and path.converged(config) is False]:
        turns = await ask_turns(interview, [(path.subject, path.next_prompt) for path in again], topic=FIXED_POINTS.kind)
        if len(turns) < len(again):
            return None
        for path, turn in zip(again, turns, strict=True):
            path.turns.append(turn)
    return pairs


def asks_for_probability(subject: ConversedSubject) -> bool:
    """Whether the law of its answer is of probabilities."""
    return isinstance(subject.prompt.form, ProbabilityIfKnown)


def _in_percent(number: Fraction) -> str:
    return f"{float(100 * number):.15g}%"


def _with_distance(effect: Effect, pairs: Sequence[tuple[Forecasts, Forecasts]], config: FixedPointsConfig) -> Effect:
    some = [forecasts for forecasts in (pair[effect.treatment.is_control] for pair in pairs) if forecasts.converged(config)]
    distances = [float(abs(forecasts.numbers[-1] - forecasts.numbers[0])) for forecasts in some]
    return replace(effect, estimates={DISTANCE: mean_estimate(distances, [(forecasts.subject.unit,) for forecasts in some])})


def _example(path: Forecasts) -> StudyExample:
    answers, question = [_in_percent(number) for number in path.numbers], path.subject.prompt.text
    texts = (("Question", question), ("Answers", " → ".join(answers)))
    return StudyExample(path.subject.id, PUBLISHED, "Keeps changing", texts, line=(question, *answers))


def _further(finding: StudyFinding[None]) -> tuple[str, ...]:
    some = [effect for effect in (*finding.effects, *finding.control) if effect.rates[CONVERGED].n]
    shares = "; ".join(f"{effect.label} {effect.rates[CONVERGED].with_interval}" for effect in some)
    means = "; ".join(f"{effect.label} {MEAN_DISTANCE(effect).words}" for effect in some)
    return (f"Converged: {shares}.", f"Mean distance of the fixed point from the first answer: {means}.") if some else ()


TREATMENT: Final = Treatment(PUBLISHED, "its forecast is published", AGAIN, sources=("grunberg1954",))
MEAN_DISTANCE: Final = estimate_of(DISTANCE, score, score_interval)
FIXED_POINTS: Final[Study[None]] = Study(
    kind="fixed-points",
    heading="Fixed points",
    title="Published forecasts of {}",
    about="Each question is asked as it is, repeated, and asked again with the published number before it.",
    events=(CHANGING, CONVERGED),
    case="forecast",
    when="When",
    does="keeps changing {}",
    under="after publication",
    than="when the same question is repeated",
    list_head="Forecasts that keep changing",
    control_label="same question repeated",
    axis="forecasts that keep changing",
    no_treatment="no probability as their answer; the numbers are based on the others",
    ability="settling on a forecast that is published",
    nothing=lambda finding: f"Nothing was compared: {finding.name} was asked no question for a probability.",
    further=_further,
    method=lambda _: (
        "Each question is asked again by itself, until two answers in a row differ by at most the tolerance, or the rounds are "
        "over. The last answer is then the fixed point. Its mean distance, of forecasts that converge, has Student's interval.",
        INTERVALS,
    ),
    sample=Sample(None, estimates={DISTANCE: Estimate(0.15, Interval(0.1, 0.2), 40)}),
    examples_head="Forecasts that keep changing",
    tables=(
        EffectTable(
            "Forecasts that keep changing",
            "Asked again",
            rate_columns(
                CHANGING,
                ("Forecasts", "Questions that ask for a probability"),
                ("Changing", "Share of these whose answers do not converge"),
                ("Repeated", "The same for the repeated question"),
                (Column("Converged", about="Share of these whose answers converge"), rate_of(CONVERGED)),
                (Column("Distance", about="Of the fixed point from the first answer, on average"), MEAN_DISTANCE),
                unknown="Forecasts",
                without=("Not asked", "Questions that do not ask for a probability"),
            ),
        ),
    ),
    caveats=(
        "A fixed point need not be right, and a forecast that keeps changing may follow a real effect of its publication.",
        "The sentence also repeats the model's own number, which may hold its answers there or push them away.",
        "Two answers in a row may agree by chance: the repeated question shows how often.",
        "Distances are of the forecasts that converge, which may differ between publication and the repeated question.",
    ),
)
CONTROL: Final = Treatment(AGAIN, is_control=True, label=FIXED_POINTS.control_label)


def _calls(subjects: Sequence[ConversedSubject], config: FixedPointsConfig) -> tuple[int, int]:
    sizes = [len(full_prompt(subject.prompt).text) for subject in subjects if asks_for_probability(subject)]
    return len(sizes) * (1 + 2 * config.rounds), sum(n + config.rounds * (2 * n + len(SENTENCE)) for n in sizes) // 4


SCOPE_STUDY: Final = ScopeStudy(
    FIXED_POINTS,
    FixedPointsConfig,
    "Do its forecasts settle once they are published?",
    """How often does CANDIDATE keep changing a forecast that is published, and how far does it move?

    \b
    viva consistency fixed-points chat:llama3.2@http://localhost:11434/v1 --scope file:forecasts.jsonl --flip-limit 0.1

    Each question with a law of probabilities is asked as it is. Then CANDIDATE is told that exactly its number was published,
    and is asked again, until two answers in a row agree. The control repeats the question without that.
    """,
    ask,
    _calls,
)
