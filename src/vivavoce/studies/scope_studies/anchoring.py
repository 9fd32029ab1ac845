"""Anchoring: does an irrelevant number before the question pull a numeric answer towards it?

Each question with a numeric answer is asked as it is, repeated (the control), and asked behind a sentence that mentions an
unrelated number: once a high one, once a low one. An answer moves towards a number if it is closer to it than the answer to the
question as it is. Unparsed answers and admissions of ignorance leave that unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from vivavoce.errors import BadInput
from vivavoce.formats.numbers import as_number
from vivavoce.formats.wording import count
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.requests import full_prompt
from vivavoce.report.blocks import Column
from vivavoce.settings import DELTA, Count, Seed, Share, check, setting
from vivavoce.studies.conversations import Turn, ask_turns, generator_of
from vivavoce.studies.effects import Case, Event, Treatment
from vivavoce.studies.presentation import EffectTable, StudyExample, rate_columns, rate_of
from vivavoce.studies.scope_studies import ScopeStudy
from vivavoce.studies.scope_subjects import ConversedSubject
from vivavoce.studies.study import INTERVALS, NO_SOURCE, Sample, Source, Study, StudyCases, StudyFinding, finding_of_cases

TOWARDS, AWAY = "towards", "away"
HIGH, LOW, AGAIN = "high", "low", "again"
SENTENCES: Final = (
    "The house at the corner has the number {}.",
    "My locker at the station has the number {}.",
    "The parcel in the hall has the number {}.",
    "The ticket on the table has the number {}.",
)


@dataclass(frozen=True, slots=True)
class AnchoringConfig:
    """Which numbers are mentioned, before how many questions, and which limit is tested."""

    low: Count = setting(10, "Draw the low number from 1 to this one.")
    high: Count = setting(1000, "Draw the high number from this one to ten times as much.")
    questions: Count = setting(100, "Draw this many units of the scope: questions, or clusters of them.")
    flip_limit: Share | None = setting(None, "Test that at most this share of answers moves towards a number.")
    """None: no limit is tested."""
    delta: Share = setting(DELTA, "Bound on the probability that the verdict is wrong.")
    seed: Seed = setting(0, "Draw questions, sentences and numbers with this seed.")

    def __post_init__(self) -> None:
        check(self)
        if self.low >= self.high:
            raise BadInput(f"low is {self.low:,} and high {self.high:,}: give a low number below the high one")

    @property
    def ranges(self) -> dict[str, tuple[int, int]]:
        """The smallest and the largest number that can be mentioned, by treatment."""
        return {HIGH: (self.high, 10 * self.high), LOW: (1, self.low)}


Ranges = Mapping[str, tuple[int, int]]
AnchoringFinding = StudyFinding[Ranges]
Moves = Mapping[str, tuple[Mapping[str, Event], Mapping[str, Event]]]


@dataclass(frozen=True, slots=True)
class AnchoredQuestion:
    """A question with the numbers to mention before it, by treatment."""

    subject: ConversedSubject
    sentence: str
    numbers: Mapping[str, int]

    @property
    def prompts(self) -> list[tuple[ConversedSubject, Prompt]]:
        """The question as it is, repeated, and behind each number."""
        prompt = self.subject.prompt
        varied = [(name, f"{self.sentence.format(number)}\n\n{prompt.text}") for name, number in self.numbers.items()]
        named = [replace(prompt, text=text, id=f"{self.subject.id}/{name}") for name, text in [(AGAIN, prompt.text), *varied]]
        return [(self.subject, entry) for entry in (prompt, *named)]

    def moves(self, first: Turn, again: Turn, *after: Turn) -> Moves:
        """For each treatment, how the answer behind the number and the repeated answer moved."""
        before, repeated = first.judged.says, again.judged.says
        return {
            name: (moved(before, turn.judged.says, number), moved(before, repeated, number))
            for (name, number), turn in zip(self.numbers.items(), after, strict=True)
        }


async def ask(
    interview: Interview[Prompt, Reply],
    subjects: Sequence[ConversedSubject],
    config: AnchoringConfig,
    source: Source = NO_SOURCE,
) -> AnchoringFinding:
    """How many answers move towards a number before the question? If the budget runs out, unfinished questions are left out."""
    asked = anchored(subjects, config)
    turns = await ask_turns(interview, [prompt for question in asked for prompt in question.prompts], topic=ANCHORING.kind)
    answered = zip(asked, zip(*[iter(turns)] * 4, strict=False), strict=False)
    rows = [(question, four, question.moves(*four)) for question, four in answered]
    whole = [
        Case((question.subject.unit,), {name: events for name, (events, _) in moves.items()}) for question, _, moves in rows
    ]
    # one case for each number, because the repeated answer is compared with both
    cases = [
        Case((question.subject.unit,), {name: events, AGAIN: control})
        for question, _, moves in rows
        for name, (events, control) in moves.items()
    ] + [
        Case((subject.unit,), {}, {ANCHORING.kind: "the answer is not a number"}) for subject in subjects if not subject.numeric
    ]
    observed: StudyCases[Ranges] = StudyCases(
        cases,
        (*TREATMENTS, CONTROL),
        config.ranges,
        (example for question, four, moves in rows for example in _examples(question, four, moves)),
        replies=Counter(turn.judged.outcome for _, four, _ in rows for turn in four),
        not_reached=len(asked) - len(rows),
        tested=whole,
    )
    return finding_of_cases(ANCHORING, interview, source, config, observed)


def anchored(subjects: Sequence[ConversedSubject], config: AnchoringConfig) -> list[AnchoredQuestion]:
    """Questions with a numeric answer, with numbers drawn by the seed."""
    questions = []
    for subject in subjects:
        if subject.numeric:
            drawn = generator_of(subject, ANCHORING.kind, config.seed)
            numbers = {name: int(drawn.integers(*ends, endpoint=True)) for name, ends in config.ranges.items()}
            questions.append(AnchoredQuestion(subject, SENTENCES[int(drawn.integers(len(SENTENCES)))], numbers))
    return questions


def moved(before: str | None, after: str | None, number: int) -> dict[str, Event]:
    """Whether an answer is closer to the number, or farther from it, than the one before; empty if that was the number."""
    first, second = (None if text is None else as_number(text) for text in (before, after))
    if first == number:
        return {}
    if first is None or second is None:
        return {TOWARDS: None, AWAY: None}
    return {TOWARDS: abs(second - number) < abs(first - number), AWAY: abs(second - number) > abs(first - number)}


def _examples(question: AnchoredQuestion, four: Sequence[Turn], moves: Moves) -> Iterator[StudyExample]:
    for (name, (events, _)), turn in zip(moves.items(), four[2:], strict=True):
        if events.get(TOWARDS):
            before, after = ((each.prompt.text, each.judged.says or "") for each in (four[0], turn))
            event, change = "Moved towards the number", "With a number"
            yield StudyExample.of_answers(
                question.subject.id, name, event, before=before, after=after, change=change, expected=question.subject.expected
            )


def _method(finding: AnchoringFinding) -> tuple[str, ...]:
    ranges = " and ".join(f"the {name} one from {' to '.join(map(count, ends))}" for name, ends in finding.details.items())
    return (
        f"Both numbers are in the same sentence. The seed draws {ranges}. An answer moves towards a number if it "
        "is closer to it than the answer to the question as it is. Far beyond the number, it has moved away. The repeated "
        "answer is compared with both numbers.",
        INTERVALS,
    )


TREATMENTS: Final = tuple(
    Treatment(name, f"a {name} number is mentioned", AGAIN, sources=("tversky1974",), group="anchoring") for name in (HIGH, LOW)
)
ANCHORING: Final[Study[Ranges]] = Study(
    kind="anchoring",
    heading="Anchoring",
    title="Irrelevant numbers and {}",
    about="Each question is asked as it is, repeated, and asked after a sentence that mentions an unrelated number.",
    events=(TOWARDS, AWAY),
    case="answer",
    when="When",
    does="moves {} towards the number",
    under="mentioned first",
    than="when the same question is repeated",
    list_head="Answers moved towards the number",
    control_label="same question repeated",
    axis="answers that move towards the number",
    no_treatment="no numeric answer; the numbers are based on the others",
    ability="keeping its answer when an irrelevant number is mentioned",
    nothing=lambda finding: f"Nothing was compared: {finding.name} was asked no question with a numeric answer.",
    method=_method,
    sample=Sample({HIGH: (1000, 10_000), LOW: (1, 10)}),
    examples_head="Moved answers",
    tables=(
        EffectTable(
            "Answers moved by a number mentioned before the question",
            "Number",
            rate_columns(
                TOWARDS,
                ("Answers", "Answers that are compared with a number"),
                ("Towards", "Share of these that move towards the number"),
                ("Repeated", "The same for the repeated question"),
                (Column("Away", about="Share of these that move away from the number", detail=True), rate_of(AWAY)),
                unknown="Answers",
                without=("Not asked", "Questions without a numeric answer"),
            ),
        ),
    ),
    caveats=(
        "An answer that does not move need not be right, and one that moves may become right.",
        "The sentence may change answers whatever its number: compare the high number with the low one.",
        "Asking first whether the answer is above or below the number may pull more than a mention.",
    ),
)
CONTROL: Final = Treatment(AGAIN, is_control=True, label=ANCHORING.control_label)


def _calls(subjects: Sequence[ConversedSubject], config: AnchoringConfig) -> tuple[int, int]:
    prompts = [prompt for question in anchored(subjects, config) for _, prompt in question.prompts]
    return len(prompts), sum(len(full_prompt(prompt).text) for prompt in prompts) // 4


SCOPE_STUDY: Final = ScopeStudy(
    ANCHORING,
    AnchoringConfig,
    "Do irrelevant numbers pull its answers?",
    """How often does CANDIDATE move a numeric answer towards an irrelevant number that is mentioned before the question?

    \b
    viva consistency anchoring chat:llama3.2@http://localhost:11434/v1 --scope arithmetic
    viva consistency anchoring chat:llama3.2@http://localhost:11434/v1 --scope file:questions.jsonl \\
        --low 10 --high 1000 --flip-limit 0.1 --transcript run.sqlite --html page.html

    Each question with a numeric answer is asked as it is, once more, and behind a sentence that mentions a high or a low number
    of something else, such as a locker. What moves in the repeated answer is chance: all shares are compared with it.
    """,
    ask,
    _calls,
)
