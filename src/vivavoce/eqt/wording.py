"""What an examination on a candidate's own explanations says in a sentence or two."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from vivavoce.interview.finding import Estimate
from vivavoce.interview.forms.letters import Choice, letters
from vivavoce.interview.forms.patterns import Pattern
from vivavoce.interview.wording import count, name_of, percent, percent_interval, score, score_interval, signed, signed_interval

if TYPE_CHECKING:
    from vivavoce.eqt.benchmark_finding import EqtBenchmark
    from vivavoce.eqt.finding import EqtComparison, ExplainQueryTest, Figures


def headline(finding: ExplainQueryTest) -> str:
    """The result in a sentence: how much is answered without the explanations and with them, and what that says."""
    whole, checked = finding.whole, finding.validity
    if not whole.questions:
        why = reasons(checked.not_written or finding.no_explanation)
        return f"Nothing can be said: no question was written{why}."
    if not whole.closed.n:
        return f"Nothing can be said: {_questions(whole.questions)} written, and none put."
    if finding.pattern is not None and finding.pattern.prevails:
        return _one_pattern(finding.pattern)
    faulty = checked.written - checked.valid
    if not checked.valid:
        return f"Nothing can be said: {_questions(checked.written)} written, and none without a fault."
    before = ""
    if (whole.unreadable.value or 0.0) > 0.5:
        unread = sum(finding.unread.values())
        before = f"Most answers cannot be read: {count(unread)} of {count(whole.unreadable.n)}. "
    copied = finding.manners.get("copied", 0)
    if 10 * copied > whole.unreadable.n:
        before += f"{count(copied)} of {count(whole.unreadable.n)} answers only repeat what was shown. "
    if 2 * faulty > checked.written:
        before += f"Most questions are worth nothing: {count(faulty)} of {count(checked.written)} have a fault. On the others: "
        return before + _said(finding, finding.valid)
    return before + _said(finding, whole)


def others(finding: ExplainQueryTest) -> str:
    """The gap in points, with and without questions that have a fault, and how alike answers to one question are."""
    whole, valid, checked = finding.whole, finding.valid, finding.validity
    if not whole.closed.n or not checked.valid or finding.of_one_pattern:
        return ""
    parts = []
    if whole.gap.value is not None:
        parts.append(f"the gap is {points(whole.gap, whole.highest.get('gap'))}")
        if checked.valid < checked.written and valid.gap.value is not None:
            some = f"the {count(checked.valid)} of {count(checked.written)} questions without a fault"
            parts[-1] += f", and {points(valid.gap, valid.highest.get('gap'))} over {some}"
    if whole.acs.value is not None:
        alike = f"{score(whole.acs.value)} {score_interval(whole.acs.interval)}"
        parts.append(f"answers to one question in several wordings agree at {alike} (ACS)")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _one_pattern(pattern: Pattern[Choice]) -> str:
    """What is said in place of accuracy where one answer is given whatever is asked."""
    said = letters(pattern.value)
    return (
        f"{count(pattern.answers)} of {count(pattern.of_answers)} answers are “{said}”; {count(pattern.keys)} of "
        f"{count(pattern.of_questions)} keys are: these answers say nothing about knowledge."
    )


def points(gap: Estimate, highest: float | None = None) -> str:
    """A difference of two shares in points of percent, with its interval; up to `highest` where it lies between two.

    >>> from vivavoce.interview.finding import Interval
    >>> points(Estimate(0.32, Interval(0.2612, 0.3788), 100)), points(Estimate(0.01, Interval(-0.011, 0.03), 100))
    ('32 points [26, 38]', '1 point [−2, 3]')
    """
    value = round(100 * (gap.value or 0.0))
    lower, upper = math.floor(round(100 * gap.interval.lower, 9)), math.ceil(round(100 * gap.interval.upper, 9))
    if highest is not None and round(100 * highest) != value:
        return f"{_minus(value)} to {_minus(round(100 * highest))} points [{_minus(lower)}, {_minus(upper)}]"
    return f"{_minus(value)} point{'' if abs(value) == 1 else 's'} [{_minus(lower)}, {_minus(upper)}]"


def reasons(counts: Mapping[str, int]) -> str:
    """The most frequent reasons in brackets; empty where there are none.

    >>> reasons({"time-out": 3, "no key": 1})
    ' (time-out: 3, no key: 1)'
    """
    shown = [f"{name_of(reason)}: {count(number)}" for reason, number in list(counts.items())[:3]]
    return f" ({', '.join(shown)})" if shown else ""


def explained_by_itself(finding: ExplainQueryTest) -> bool:
    """Whether the candidate answers questions on its own explanations, and not on another's."""
    return finding.roles.get("explainer", finding.candidate) == finding.candidate


def _said(finding: ExplainQueryTest, figures: Figures) -> str:
    own = explained_by_itself(finding)
    whose = "its own" if own else f"{name_of(finding.roles['explainer'])}'s"
    one = figures.concepts == 1
    about, them = (f"{whose} explanation of one concept", "it") if one else (f"{whose} explanations", "them")
    closed, opened, most = figures.closed_originals, figures.open_book, figures.highest
    if closed.value is None:
        return f"{name_of(finding.candidate)} was not asked a single question without a fault."
    share = _share(closed, most.get("closed_originals"))
    start = f"{name_of(finding.candidate)} answers {share} of the questions on {about} without {them}"
    if opened.value is None:
        return f"{start}; what it answers with {them} at hand is not known."
    return f"{start}, and {_share(opened, most.get('open_book'))} with {them} at hand: {_verdict(finding, figures.gap)}."


def _verdict(finding: ExplainQueryTest, gap: Estimate) -> str:
    if gap.value is None or (gap.interval.lower <= -1 and gap.interval.upper >= 1):
        return "too little to tell whether there is a gap"
    if gap.interval.lower > 0:
        if explained_by_itself(finding):
            return "it explains more than it comprehends"
        return f"it comprehends less than {name_of(finding.roles['explainer'])} explains"
    if gap.interval.upper < 0:
        return "it does better without"
    most = math.ceil(round(100 * gap.interval.upper, 9))
    return f"no gap was found, though up to {most} points are possible" if most > 1 else "no gap was found"


def headline_of_comparison(compared: EqtComparison) -> str:
    """Who of several answers most of its own questions, and who least."""
    found = [one.candidate for one in compared.findings]
    closed = {one.candidate: value for one in compared.findings if (value := one.whole.closed_originals.value) is not None}
    if len(closed) < 2:
        return f"Nothing can be compared: {count(len(closed))} of {count(len(found))} candidates answered any question."
    best, worst = max(closed, key=lambda name: closed[name]), min(closed, key=lambda name: closed[name])
    if closed[best] == closed[worst]:
        return f"All of {count(len(closed))} candidates answer {percent(closed[best])} of questions on their own explanations."
    return (
        f"Of {count(len(found))} candidates, each on questions about its own explanations, {name_of(best)} answers most "
        f"without them, {percent(closed[best])}, and {name_of(worst)} least, {percent(closed[worst])}."
    )


def others_of_comparison(compared: EqtComparison) -> str:
    """Where the gap is widest, and who answers everyone's questions; may be empty."""
    answered = [one for one in compared.findings if one.whole.closed_originals.value is not None]
    gaps = {one.candidate: one.whole.gap for one in compared.findings if one.whole.gap.interval.lower > 0}
    if len(answered) < 2:
        return ""
    parts = []
    if gaps:
        widest = max(gaps, key=lambda name: gaps[name].value or 0.0)
        parts.append(
            f"The widest gap to what they answer with the explanation at hand is that of {name_of(widest)}: "
            f"{points(gaps[widest])}."
        )
    everywhere = compared.everywhere
    if everywhere:
        first = max(everywhere, key=lambda name: everywhere[name])
        parts.append(f"On the questions of all of them {name_of(first)} answers most: {percent(everywhere[first])}.")
    return " ".join(parts)


def headline_of_benchmark(beside: EqtBenchmark) -> str:
    """How the two tests go together, over all pairs and over models."""
    source = name_of(beside.benchmark)
    overall, between = beside.overall, beside.between_models
    if overall.pearson.value is None:
        return f"Whether EQT correlates with {source} is not known: {overall.problem}."
    ends = overall.pearson.interval
    verdict = "rises with" if ends.lower > 0 else "falls with" if ends.upper < 0 else "shows no clear relation to"
    pairs = f"{count(overall.pearson.n)} pairs of model and category"
    text = f"EQT {verdict} {source}: r = {_correlation(overall.pearson)} over {pairs}"
    if between.pearson.value is None:
        return f"{text}; between models alone it is not known ({between.problem})."
    return f"{text}, and {_correlation(between.pearson)} between {count(between.pearson.n)} models."


def others_of_benchmark(beside: EqtBenchmark) -> str:
    """How many ranks match; empty where nothing can be said about the two tests."""
    if beside.overall.pearson.value is None:
        return ""
    chance = f"{beside.matches_by_chance:.1f}".removesuffix(".0")
    return f"Ranks match in {count(beside.matches)} of {count(len(beside.pairings))}, where chance would match {chance}."


def _correlation(estimate: Estimate) -> str:
    return f"{signed(estimate.value or 0.0)} {signed_interval(estimate.interval)}"


def _share(estimate: Estimate, highest: float | None = None) -> str:
    value = percent(estimate.value or 0.0)
    if highest is not None and percent(highest) != value:
        value = f"{value.removesuffix('%')}–{percent(highest)}"
    return f"{value} {percent_interval(estimate.interval)}"


def _questions(number: int) -> str:
    return f"{count(number)} question{'' if number == 1 else 's'}"


def _minus(value: int) -> str:
    return f"−{-value}" if value < 0 else str(value)
