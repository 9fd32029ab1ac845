"""Vary: does the answer stay the same when the question is varied in ways that must not matter?

Each question is asked as it is, repeated as often as it has variants (the control), and asked in its variants. A question flips
under a kind of variation if two of the answers differ. Unparsed answers and admissions of ignorance leave that unknown, unless
the others differ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.errors import BadInput
from vivavoce.formats.wording import clipped, count, numbered
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.requests import holds_conversation
from vivavoce.studies import study
from vivavoce.studies.config import SAME, VaryConfig
from vivavoce.studies.effects import Case, Treatment
from vivavoce.studies.presentation import EffectTable, StudyExample, rate_columns
from vivavoce.studies.variations.kinds import RequestedVariation, in_words
from vivavoce.studies.variations.varied_question import (
    AGAIN,
    Judgements,
    VariedAnswers,
    VariedQuestion,
    judge,
    variations,
    varied_answers,
)

FLIPPED: Final = "flipped"


@dataclass(frozen=True, slots=True)
class VaryDetails:
    """Data that only this study has."""

    variants: int
    """Variants of each question and kind; the identical question was repeated as often."""
    free_texts: int
    """Number of questions whose answers are texts."""
    law: str
    """The law that the answers must obey."""
    writer: str = ""
    """The writer of the variants; empty if there was none."""
    checker: str = ""
    judge: str = ""
    """The judge of open answers; empty if there was none."""
    judgements: Judgements | None = None


VaryFinding = study.StudyFinding[VaryDetails]


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of the questions, and the writer of variants that no program made."""

    source: study.Source = study.NO_SOURCE
    population: int | None = None
    """Number of all units that can be varied, if each is drawn once and their number is known."""
    writer: str = ""
    checker: str = ""
    about_writing: tuple[str, ...] = ()
    """Caveats on how writer and checker were asked."""


async def ask(
    interview: Interview[Prompt, Reply],
    questions: Sequence[VariedQuestion],
    config: VaryConfig,
    origin: Origin = Origin(),
    *,
    judging: Interview[Prompt, Reply] | None = None,
) -> VaryFinding:
    """On which share of questions does the answer flip under variations that must not matter?

    All questions and variants are fixed before the first is asked. If the interview's budget runs out, questions that were not
    asked with all their variants are left out. Passes on the interviews' errors. Raises `BadInput` for earlier turns if the
    candidate doesn't see them.

    judging: the interview with the judge of open answers; None: they are compared as texts.
    """
    if "turn" in config.vary and not holds_conversation(interview.candidate):
        raise BadInput(f"{interview.candidate.name} sees the question only, not earlier turns: leave out 'turn'")
    replies: Counter[str] = Counter()
    answered = await varied_answers(interview, questions, config.variants, replies, VARY.kind)
    answered, judgements = (answered, None) if judging is None else await judge(judging, answered)
    observed = study.StudyCases(
        [_case(answers) for answers in answered],
        _treatments(config),
        VaryDetails(
            config.variants,
            sum(answers.question.subject.free_text for answers in answered),
            config.law,
            origin.writer,
            origin.checker,
            "" if judging is None else judging.candidate.name,
            judgements,
        ),
        _examples(answered, variations(config)),
        replies,
        len(questions) - len(answered),
        population=origin.population,
        settings=_settings(config, origin, judging),
        asked_so=(*origin.about_writing, *(() if judging is None else judging.caveats)),
    )
    return study.finding_of_cases(VARY, interview, origin.source, config, observed)


def _treatments(config: VaryConfig) -> list[Treatment]:
    kinds = [Treatment(kind.name, kind.about, control=AGAIN, sources=(kind.kind.source,)) for kind in variations(config)]
    return [*kinds, Treatment(AGAIN, is_control=True, label=VARY.control_label)]


def _case(answers: VariedAnswers) -> Case:
    kinds = (*answers.question.variants, AGAIN)
    events = {kind: {FLIPPED: answers.flipped(kind)} for kind in kinds}
    return Case((answers.question.subject.unit,), events, answers.question.left_out)


def _examples(answered: Sequence[VariedAnswers], kinds: Sequence[RequestedVariation]) -> Iterator[StudyExample]:
    """Each question that flips, with its first variant that has another answer."""
    for answers in answered:
        for kind in kinds:
            if kind.name in answers.question.variants and answers.flipped(kind.name):
                yield _example(answers, kind.name)


def _example(answers: VariedAnswers, kind: str) -> StudyExample:
    subject = answers.question.subject
    (first, answer), *others = [(ask, text) for ask, text in answers.answers if ask.kind in ("", kind) and text is not None]
    varied, other = next((ask, text) for ask, text in others if answers.differ(answer, text))
    before = in_words(first.wording if first.kind else subject.wording), answer
    after = in_words(varied.wording), other
    return StudyExample.of_answers(subject.id, kind, "Another answer", before=before, after=after, change="Varied")


def _settings(config: VaryConfig, origin: Origin, judging: Interview[Prompt, Reply] | None) -> Mapping[str, object]:
    values = {name: value for name, value in study.settings_in_signature(config).items() if (name, value) != ("law", SAME)}
    values |= {name: writer for name, writer in (("writer", origin.writer), ("checker", origin.checker)) if writer}
    if judging is not None:
        values["judge"] = judging.candidate.name
        values |= {"judge_source": judging.settings["source"]} if "source" in judging.settings else {}
    return values


def _nothing(finding: VaryFinding) -> str:
    unused = ", or no written variant could be used" if finding.details.writer else ""
    return f"Nothing was varied: no variation applies to the questions of {finding.name}{unused}."


def _further(finding: VaryFinding) -> tuple[str, ...]:
    judgements = finding.details.judgements
    if judgements is None or not judgements.not_asked:
        return ()
    return (f"The budget ran out before the judge saw {numbered(judgements.not_asked, 'pair')}.",)


def _method(finding: VaryFinding) -> tuple[str, ...]:
    details = finding.details
    variants = "one variant" if details.variants == 1 else f"{count(details.variants)} variants"
    law = (
        "" if details.law == SAME else f" An answer differs if it breaks the law '{clipped(details.law, study.LONGEST_NAME)}'."
    )
    judged = (
        f"{clipped(details.judge, study.LONGEST_NAME)} judged {count(details.judgements.pairs)} pairs of open answers in both "
        f"orders. {count(details.judgements.undecided)} stay undecided, {count(details.judgements.torn)} of them because the "
        "judge changed its mind with the order."
        if details.judgements
        else ""
    )
    return (
        f"Each question has {variants} of each kind, fixed before anything was asked, and is repeated as often. It flips if "
        f"two of the answers differ; options are compared by content, not by letter.{law}",
        *filter(None, (judged,)),
        study.INTERVALS,
    )


VARY: Final[study.Study[VaryDetails]] = study.Study(
    kind="vary",
    heading="Variations",
    title="Variations and {}",
    about="Each question is asked as it is, repeated, and asked with variations that must not matter.",
    events=(FLIPPED,),
    case="question",
    when="With",
    does="changes its answer to {}",
    under="under these variations",
    than="when the same question is repeated",
    list_head="Answers changed",
    control_label="same question repeated",
    axis="questions on which the answer changes",
    no_treatment="no variant of kind '{}'; its rate is based on the others",
    ability="keeping its answer under variations that must not matter",
    nothing=_nothing,
    further=_further,
    method=_method,
    sample=study.Sample(
        VaryDetails(2, 3, SAME, "the writer", "the checker", "the judge", Judgements(40, 30, 8, 2, 1, undecided=2))
    ),
    examples_head="Changed answers",
    tables=(
        EffectTable(
            "Changed answers by kind of variation",
            "Variation",
            rate_columns(
                FLIPPED,
                ("Questions", ""),
                ("Changed", "Share of questions with at least one different answer"),
                ("Repeated", "The same for the repeated question"),
                unknown="Questions",
                without=("Not varied", "Questions without such a variant"),
            ),
        ),
    ),
    caveats=(
        "An answer that stays the same need not be right; one that changes is wrong at least once.",
        "Read the changed questions first: whether a variation may change the answer is a judgement.",
        "Other variants, or more of them, may change more answers.",
        ("An answer counts as changed if it breaks the law that you gave.", lambda finding: finding.details.law != SAME),
        (
            "Free texts differ by rule only if both are closed, such as names and numbers. A judge can compare the rest.",
            lambda finding: bool(finding.details.free_texts) and finding.details.judgements is None,
        ),
        ("A judge decided whether open answers say the same, and judges err.", lambda f: f.details.judgements is not None),
        (
            "The model judged its own answers.",
            lambda finding: bool(finding.details.judge) and finding.details.judge == finding.candidate,
        ),
        ("A typing error may by chance make another word.", lambda f: any(e.label == "typos" and e.n for e in f.effects)),
        (
            "The model wrote the variants itself, in words familiar to it, so changes may be too few.",
            lambda finding: finding.details.writer == finding.candidate,
        ),
        ("The writer checked itself.", lambda f: f.details.writer == f.details.checker != ""),
        (
            "No one checked the written variants: a change may be the writer's error.",
            lambda finding: bool(finding.details.writer) and not finding.details.checker,
        ),
        ("A checker may err: a variant that asks something else causes a false change.", lambda f: bool(f.details.checker)),
    ),
)
