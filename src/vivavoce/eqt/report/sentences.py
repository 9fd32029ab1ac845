"""Sentences about one candidate: headline, further results and caveats."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

from vivavoce.eqt.prompts import EXAMPLE_ANSWER
from vivavoce.eqt.record import UNREAD
from vivavoce.eqt.report.parts import in_points, share_in_words
from vivavoce.eqt.result import EqtResult, Figures, LocatedFailures, PromptExampleCounts
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import capital, count, name_of, numbered, percent, score, score_interval
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer
from vivavoce.interview.forms.several_options import Choice, letters

FEW: Final = 10
"""The caveats warn of fewer concepts than this."""


def headline_of(result: EqtResult) -> str:
    """Accuracy without and with the explanations, and the conclusion."""
    whole, checked = result.whole, result.validity
    if not whole.questions:
        return f"No result: no question was written{reasons(checked.not_written or result.no_explanation)}."
    if not whole.closed.n:
        return f"No result: {numbered(whole.questions, 'question')} written, and none asked."
    if result.pattern is not None and result.pattern.prevails:
        pattern = result.pattern
        return (
            f"{count(pattern.answers)} of {count(pattern.of_answers)} answers are “{letters(pattern.value)}”; "
            f"{count(pattern.keys)} of {count(pattern.of_questions)} keys are: these answers say nothing about knowledge."
        )
    if not checked.valid:
        return f"No result: {numbered(checked.written, 'question')} written, and none without a fault."
    faulty = checked.written - checked.valid
    if 2 * faulty <= checked.written:
        return " ".join((*_warnings(result), _comparison(result, whole)))
    fault = f"Most questions are unusable: {count(faulty)} of {count(checked.written)} have a fault. On the others:"
    return " ".join((*_warnings(result), fault, _comparison(result, result.valid)))


def others_of(result: EqtResult) -> str:
    """The gap in points, with and without faulty questions, and the consistency of answers."""
    whole, valid, checked = result.whole, result.valid, result.validity
    if not whole.closed.n or not checked.valid or result.of_one_pattern:
        return ""
    parts = []
    if whole.gap.value is not None:
        parts.append(f"the gap is {in_points(whole.gap, whole.highest.get('gap'))}")
        if checked.valid < checked.written and valid.gap.value is not None:
            some = f"the {count(checked.valid)} of {count(checked.written)} questions without a fault"
            parts[-1] += f", and {in_points(valid.gap, valid.highest.get('gap'))} over {some}"
    wrong = result.grounding.shares["explaining"] if result.grounding is not None else None
    if wrong is not None and wrong.value is not None:
        parts.append(f"by the sources {share_in_words(wrong)} of the questions rest on a wrong explanation")
    if whole.acs.value is not None:
        alike = f"{score(whole.acs.value)} {score_interval(whole.acs.interval)}"
        parts.append(f"answers to one question in several wordings agree at {alike} (ACS)")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def caveats_of(result: EqtResult) -> tuple[str, ...]:
    """The limits of the figures; each caveat appears only if it applies."""
    return (*_about_questions(result), *_about_answers(result), *_about_the_run(result), *result.asking)


def reasons(counts: Mapping[str, int]) -> str:
    """The most frequent reasons in brackets; empty without any.

    >>> reasons({"time-out": 3, "no key": 1})
    ' (time-out: 3, no key: 1)'
    """
    shown = [f"{name_of(reason)}: {count(number)}" for reason, number in list(counts.items())[:3]]
    return f" ({', '.join(shown)})" if shown else ""


def _warnings(result: EqtResult) -> Iterator[str]:
    answers = result.whole.unreadable.n
    if (result.whole.unreadable.value or 0.0) > 0.5:
        yield f"Most answers can't be parsed: {count(sum(result.unread.values()))} of {count(answers)}."
    copied = result.parses.get("copied", 0)
    if 10 * copied > answers:
        yield f"{count(copied)} of {count(answers)} answers only repeat the prompt."
    if result.prompt_examples is not None and 2 * result.prompt_examples.answers > result.prompt_examples.of_answers:
        yield f"{_repeats(result.prompt_examples)}, the example in the prompt."


def _comparison(result: EqtResult, figures: Figures) -> str:
    closed, opened, most = figures.closed_originals, figures.open_book, figures.highest
    if closed.value is None:
        return f"{name_of(result.candidate)} was not asked any question without a fault."
    whose = "its own" if result.explains_itself else f"{name_of(result.roles['explainer'])}'s"
    about, them = ("explanations", "them") if figures.concepts != 1 else ("explanation of one concept", "it")
    share = share_in_words(closed, most.get("closed_originals"))
    start = f"{name_of(result.candidate)} answers {share} of the questions on {whose} {about} without {them}"
    if opened.value is None:
        return f"{start}. How many it answers with {them} is not known."
    gap = capital(_gap_in_words(result, figures.gap))
    return f"{start}, and {share_in_words(opened, most.get('open_book'))} with {them}. {gap}."


def _gap_in_words(result: EqtResult, gap: Estimate) -> str:
    if gap.value is None or (gap.interval.lower <= -1 and gap.interval.upper >= 1):
        return "too little to tell whether there is a gap"
    if gap.interval.lower > 0:
        if result.explains_itself:
            return "it explains more than it can answer"
        return f"it can answer less than {name_of(result.roles['explainer'])} explains"
    if gap.interval.upper < 0:
        return "it does better without"
    most = math.ceil(round(100 * gap.interval.upper, 9))
    return f"no gap was found, though up to {most} points are possible" if most > 1 else "no gap was found"


def _about_questions(result: EqtResult) -> Iterator[str]:
    checked = result.validity
    who = "the candidate" if result.explains_itself else name_of(result.roles["explainer"])
    yield (
        f"No question goes beyond what {who} explains, and a wrong explanation gives a wrong key. The figures show whether "
        "an explanation is known, not whether it is true."
    )
    if result.grounding is not None:
        yield _sources(result.grounding, result)
    if result.prompt_examples is not None:
        yield (
            "The prompts are the paper's. A weak model may repeat their example of an answer, which looks like an answer. "
            f"{_repeats(result.prompt_examples)}, and {count(result.prompt_examples.keys)} of "
            f"{count(result.prompt_examples.of_keys)} keys."
        )
    if result.other_options:
        yield (
            f"{count(result.other_options)} of {count(checked.written)} questions don't have the "
            f"{count(result.config.options)} requested options: with fewer options, chance makes more answers right."
        )
    yield _keys(result)
    same = result.config.checks and result.roles.get("checker") == result.roles.get("answerer")
    if same and result.valid.open_book.value == 1.0:
        yield (
            "The checker is also the answerer, so questions without a fault are those that it answers correctly with the "
            "explanation. On these, only the figures without the explanation are informative."
        )
    if faulty := checked.written - checked.valid:
        share = f"{count(faulty)} of {count(checked.written)} questions ({percent(faulty / checked.written)})"
        yield f"{share} {'has' if faulty == 1 else 'have'} a fault; figures are given with and without them."


def _about_answers(result: EqtResult) -> Iterator[str]:
    yield from _repeated_answer(result.pattern)
    answers, missing = result.whole.unreadable.n, sum(result.unread.values())
    unread = sum(number for parse, number in result.parses.items() if parse in UNREAD)
    if missing:
        share = f"{count(missing)} of {count(answers)} answers ({percent(missing / answers)})"
        text = f"{share} can't be parsed or are missing{reasons(result.unread)}"
        copied = result.parses.get("copied", 0)
        repeats = f" {count(copied)} only repeat{'s' * (copied == 1)} the prompt." if copied else ""
        if unread:
            yield f"{text}; {count(unread)} of them may be right or wrong: figures are given for both.{repeats}"
        else:
            yield f"{text}; they count as wrong."
    yield from _cut_off(result)
    if result.after_turn:
        yield f"{count(result.after_turn)} of {count(answers)} answers could be parsed only after a follow-up question."
    checked = result.validity
    parts = []
    if missing := checked.paraphrases_wanted - checked.paraphrases_made:
        parts.append(f"{count(missing)} of {count(checked.paraphrases_wanted)} paraphrases are missing")
    if checked.paraphrases_changed:
        changed = f"{count(checked.paraphrases_changed)} of {count(checked.paraphrases_made)} paraphrases"
        parts.append(f"{changed} mean something else")
    if parts:
        yield f"{', and '.join(parts)}: consistency over all wordings is rough if many are."


def _about_the_run(result: EqtResult) -> Iterator[str]:
    concepts, temperature = result.whole.concepts, result.config.temperature
    if concepts == 1:
        yield "One concept only: the intervals are about other questions on it, not about other concepts."
    elif concepts:
        rough = f"Only {count(concepts)} concepts: the intervals are rough. " if concepts < FEW else ""
        yield f"{rough}Intervals are about other concepts like these, with questions by the same writer."
    if not result.config.shuffle:
        yield (
            "Options are in the order of their writer. A model that prefers one position for the right option also finds it "
            "there (position bias)."
        )
    if temperature != 0:
        which = "its own temperature" if temperature is None else f"temperature {temperature:g}"
        yield f"Answers were drawn at {which}: some differences between wordings are chance."
    if result.exhausted or result.completed < result.planned:
        why = f" ({name_of(result.exhausted)})" if result.exhausted else ""
        left = f"; {count(result.not_asked)} wordings were not asked" if result.not_asked else ""
        yield f"The budget ran out{why}: {count(result.completed)} of {count(result.planned)} concepts were completed{left}."
    if unexplained := sum(result.no_explanation.values()):
        yield (
            f"{count(unexplained)} of {count(result.completed)} concepts got no explanation{reasons(result.no_explanation)}: "
            "no figure covers them."
        )


def _keys(result: EqtResult) -> str:
    if not result.config.checks:
        return "Keys and paraphrases were not checked: a wrong key makes a right answer count as wrong."
    writer, checker = result.roles.get("writer"), result.roles.get("checker")
    if writer == checker:
        return "Only their writer checked the keys: a mistake that it makes twice remains hidden."
    return f"Keys were checked by {name_of(checker or 'a model')}, which can also be wrong, and not by a person."


def _repeated_answer(pattern: RepeatedAnswer[Choice] | None) -> Iterator[str]:
    if pattern is None or not (pattern.repeated or pattern.untold):
        return
    given = (
        f"The answer “{letters(pattern.value)}” is given to {count(pattern.questions)} of {count(pattern.of_questions)} "
        f"questions and is the key of {count(pattern.keys)}"
    )
    constant = f"always the same answer would get at most {percent(pattern.best / pattern.of_questions)} right"
    if pattern.untold:
        yield f"{given}: too few questions to tell whether it is given regardless of the question."
    elif pattern.prevails:
        yield f"{given}, more than the keys explain: all figures about knowledge are withheld; {constant}."
    else:
        yield f"{given}, more than the keys explain: some answers don't depend on the question; {constant}."


def _cut_off(result: EqtResult) -> Iterator[str]:
    replies, ends = sum(read.get("cut off", 0) for read in (result.parses, result.validity.parses)), result.cut_explanations
    parts = (
        f"{count(replies)} repl{'y was' if replies == 1 else 'ies were'} cut off by a limit" if replies else "",
        f"{count(ends)} of {count(result.completed)} explanations end at a limit" if ends else "",
    )
    if cut_off := ", and ".join(filter(None, parts)):
        yield f"{cut_off}: raise the limit of tokens."


def _repeats(prompt_examples: PromptExampleCounts) -> str:
    example = letters(EXAMPLE_ANSWER)
    return f"{count(prompt_examples.answers)} of {count(prompt_examples.of_answers)} parsed answers are “{example}”"


def _sources(grounding: LocatedFailures, result: EqtResult) -> str:
    """The limits of the sources: a checker that may be the candidate, and concepts without a source."""
    itself = (
        ". The checker is the candidate itself: give the checking to another model"
        if result.roles.get("checker") == result.candidate
        else ""
    )
    missing = f" {count(grounding.without)} of {count(result.completed)} concepts have none." if grounding.without else ""
    text = f"Only the sources show whether it is true, as far as the checker finds it there{itself}.{missing}"
    pattern = grounding.checker
    if pattern is None or not (pattern.prevails or pattern.untold):
        return text
    text += (
        f" The checker finds “{letters(pattern.value)}” in {count(pattern.questions)} of {count(pattern.of_questions)} "
        f"questions; it is the key of {count(pattern.keys)}"
    )
    if pattern.prevails:
        return f"{text}: its findings are uninformative, so the located failures are withheld."
    return f"{text}: too few questions to tell whether it finds that regardless of the question."
