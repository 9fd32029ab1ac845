"""What was done in an examination on a candidate's own explanations, and how its figures were found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from vivavoce.eqt.config import EqtConfig
from vivavoce.eqt.figures import Figures, Shown
from vivavoce.eqt.printed import EXAMPLE_ANSWER
from vivavoce.eqt.questions import Manner
from vivavoce.eqt.report.cells import counted
from vivavoce.formats.wording import clipped, count, score
from vivavoce.interview.forms.several_options import letters
from vivavoce.report.blocks import Fold
from vivavoce.report.parts import method_of

SHOWN_SOURCE: Final = 200
PRINTED: Final = (
    "The prompts are the paper's, whose example of an answer a weak model may say back: that cannot be told from an answer."
)


def lead(source: str, *, its_own: bool) -> str:
    """What was done, for somebody who has never heard of it; `its_own`: the candidate explains the concepts itself."""
    return (
        "First a concept is explained; then questions are written that this explanation answers. Asked afresh, without the "
        "explanation before it, the candidate has to rely on what it knows: does it comprehend "
        f"{'its own' if its_own else 'the'} explanation? With the explanation at hand it need only read. The difference is "
        f"the comprehension gap. Concepts: {clipped(source, SHOWN_SOURCE) or 'not named'}."
    )


def consistency(whole: Figures, config: EqtConfig, *, one_pattern: bool) -> str:
    """What the consistency scores say, in a few sentences; `one_pattern`: whatever was asked got one answer."""
    if one_pattern:
        return (
            "The same answer was given whatever was asked: that answers to one question agree says nothing about consistency."
        )
    number, acs, rescaled = config.paraphrases + 1, whole.acs.value, whole.acs_rescaled.value
    if acs is None or rescaled is None:
        return "No question was answered in more than one wording, so consistency is not known."
    each = score(1 / number)
    return (
        f"Each question was to be put in {count(number)} wordings that mean the same. The answer consistency score (ACS) of a "
        "question is 1 where all of them got the same answer, right or wrong. Every further different answer takes off "
        f"{each}, so that {each} is left where no two agree; rescaled, that is 0. The mean is {score(acs)}, rescaled "
        f"{score(rescaled)}."
    )


def as_printed(shown: Shown | None) -> str:
    """How many answers may be no more than the printed prompt's example said back; empty with prompts of our own."""
    if shown is None:
        return ""
    return f"{PRINTED} {said_back(shown)}, and {count(shown.keys)} of {count(shown.of_keys)} keys."


def said_back(shown: Shown) -> str:
    """How many answers are the example that the prompt shows."""
    example = letters(EXAMPLE_ANSWER)
    return f"{count(shown.answers)} of {count(shown.of_answers)} answers that could be read are “{example}”"


def not_as_many(other: int, written: int, options: int) -> str:
    """How many questions have another number of options than was asked for; empty where none has."""
    if not other:
        return ""
    have = "has" if other == 1 else "have"
    return (
        f"{count(other)} of {count(written)} questions {have} more or fewer than the {count(options)} options that were asked "
        "for: with fewer of them more is right by chance."
    )


def cut_off(manners: Iterable[Mapping[Manner, int]], explanations: int, concepts: int) -> str:
    """What a limit of tokens has cut off, by how replies were read; empty where it is nothing."""
    replies = sum(read.get("cut off", 0) for read in manners)
    told = [
        f"{count(replies)} repl{'y was' if replies == 1 else 'ies were'} cut off by a limit" if replies else "",
        f"{count(explanations)} of {count(concepts)} explanations end where a limit cut them off" if explanations else "",
    ]
    return f"{', and '.join(filter(None, told))}: give more room (?max_tokens=)." if any(told) else ""


def method(config: EqtConfig) -> Fold:
    """How the figures were found."""
    heat = "the candidate’s own temperature" if config.temperature is None else f"temperature {config.temperature:g}"
    order = "in an order drawn by the seed" if config.shuffle else "in the order of their writer"
    return method_of(
        [
            f"For each concept: one explanation, {counted(config.questions, 'question')} with {count(config.options)} options "
            f"of which one or several are right, and {counted(config.paraphrases, 'other wording')} of each. Every answer is "
            f"given in a conversation of its own, at {heat}, the options {order}. Explanations, questions and wordings are "
            "made at the candidate’s own temperature.",
            *_COUNTED,
            *(_CHECKED if config.checks else _UNCHECKED),
            "Intervals are at level 95% and allow for questions on one concept being alike; where there is one concept only "
            "they are about other questions on it. Where there is too little evidence, the interval is the whole possible "
            "range.",
        ]
    )


_COUNTED: Final = (
    "An answer is right if it names exactly the options of the key. Partial credit is the number of options chosen and "
    "right over the number chosen or right. What does not come is wrong. What came and cannot be read counts both ways: "
    "as wrong for the lower number and the lower end of the interval, as right for the upper. What was not put because the "
    "budget had run out does not count.",
    "The most frequent answer is held against the keys, question by question (Fisher’s exact test, one-sided, corrected "
    "for the number of different answers). Where it is given more often than they explain, and to most questions, all "
    "figures about knowledge are withheld; they stand in the JSON as “of_one_pattern”.",
    "The gap is taken question by question, over original wordings that were answered both ways.",
    "The answer consistency score of a question is 1 − (different answers − 1) / answers, as it is printed; rescaled it is "
    "1 − (different answers − 1) / (answers − 1). Answers are sets of options; what cannot be read is a value of its own.",
)
_CHECKED: Final = (
    "A question is valid if no words of it point at a text, the checker finds that it can be understood alone, no earlier "
    "question of the concept asks the same, and the checker, with the explanation at hand, gives the answer of the key. Of "
    "valid questions those wordings count of which the checker does not say that they mean something else.",
)
_UNCHECKED: Final = (
    "A question is valid if no words of it point at a text and no earlier question of the concept asks the same. Keys, and "
    "whether wordings mean the same, were not checked.",
)
