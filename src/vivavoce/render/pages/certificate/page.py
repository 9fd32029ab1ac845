"""What a certificate says on its page: everything its template needs, already in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.finding import Certificate, GradedAnswer, ScopeResult, Verdict, brief
from vivavoce.certificate.order import STRONG, ScoreOrder
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import clipped, count, score, score_interval, share, share_interval, with_technical
from vivavoce.interview.forms.form import Outcome
from vivavoce.render.pages.certificate.explanations import explanations
from vivavoce.render.pages.certificate.grading import grading_method, grading_rows
from vivavoce.render.plots.certificate import evidence_path, intervals
from vivavoce.render.plots.drawing import figure

SHOWN_CHARACTERS = 1200
"""Of one question or answer: enough to judge it by, too little to fill the page."""

_NEXT_TO_NOTHING, _HUGE = 0.01, 1_000_000
"""E-values below the first and above the second are all the same to a reader."""

MARK = {Verdict.UNDERSTANDS: "●", Verdict.DOES_NOT_UNDERSTAND: "✕", Verdict.NO_CONCLUSION: "◆"}
"""A shape beside each colour, the same as in the plots."""
COLOUR = {Verdict.UNDERSTANDS: "green", Verdict.DOES_NOT_UNDERSTAND: "vermilion", Verdict.NO_CONCLUSION: "grey"}


def certificate_title(certificate: Certificate) -> str:
    """What the page is."""
    return f"Certificate of understanding: {certificate.called} on {certificate.titled}"


def certificate_body(certificate: Certificate, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    return {
        "finding": certificate,
        "names": named_rows(certificate),
        "mark": MARK[certificate.verdict],
        "colour": COLOUR[certificate.verdict],
        "verdict_line": verdict_line(certificate),
        "numbers": numbers(certificate),
        "strata": strata(certificate),
        "grading": grading_rows(certificate),
        "explanations": explanations(certificate),
        "plots": [
            figure(plot) for plot in (evidence_path(certificate, f"{name}e"), intervals(certificate, f"{name}i")) if plot
        ],
        "worst": [shown_answer(answer) for answer in certificate.worst],
        "unread": [shown_answer(answer) for answer in certificate.unread],
        "unread_title": unread_title(certificate),
        "remedies": certificate.remedies,
        "attempts": attempts(certificate.attempt),
        "method": method(certificate),
    }


def named_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Candidate and scope with their names on record, where readers are told others."""
    shown = (
        ("Candidate", certificate.called, certificate.candidate),
        ("Scope", certificate.titled, brief(certificate.scope)),
    )
    return [(what, with_technical(told, clipped(name, 300))) for what, told, name in shown if told != name]


def attempts(attempt: Attempt | None) -> list[tuple[str, ...]]:
    """All attempts on record, where there are several: number, what was otherwise, beginning, error and outcome."""
    return [] if attempt is None else [tuple(clipped(cell, 300) for cell in row) for row in attempt.rows]


def verdict_line(certificate: Certificate) -> str:
    """What comes after the verdict: the questions that are still needed, if that is known."""
    if certificate.still_needed is None:
        return ""
    more = "question" if certificate.still_needed == 1 else "questions"
    return f"A verdict needs about {count(certificate.still_needed)} more {more}."


def numbers(certificate: Certificate) -> list[tuple[str, tuple[str, ...], str]]:
    """The findings in figures: what, how much with its interval and n, and what was required."""
    criterion = certificate.criterion
    required = "not limited" if criterion.ridiculous_limit is None else f"at most {share(criterion.ridiculous_limit)}"
    rows = [
        ("Mean score", mean_score(certificate), f"at least {score(criterion.passing_grade)}"),
        ("Ridiculous answers", ridiculous_rate(certificate), required),
        ("Questions", (count(certificate.questions),), f"of {size(certificate)}"),
        ("“I don’t know”", (count(certificate.dont_know),), ""),
        ("Unreadable", (count(certificate.unreadable),), ""),
        *((name, (count(number),), "") for name, number in further_outcomes(certificate)),
        ("No answer", (count(certificate.no_answers),), ""),
    ]
    if order := certificate.order:
        rows.append(("Change over time", changed(order), "not part of the verdict"))
    if certificate.orphans:
        rows.append(("Asked, never answered", (count(certificate.orphans),), "the program ended first"))
    if certificate.faults:
        rows.append(("Met a fault", (count(certificate.faults),), "worth anything, whatever a second try said"))
    if certificate.turned_away:
        rows.append(("Turned away first", (count(certificate.turned_away),), "assumed unheard, and asked again"))
    if laws := certificate.broken_laws:
        rows.append(("Broken laws", (count(laws.count),), f"of {count(laws.judged)} that could be judged"))
    if certificate.spending.tokens:
        rows.append(("Tokens", (count(certificate.spending.tokens),), ""))
    if certificate.spending.money:
        rows.append(("Money", (f"{certificate.spending.money:.2f}",), "at the given prices"))
    return rows


def changed(order: ScoreOrder) -> tuple[str, ...]:
    """What speaks for a change of the candidate while it was asked, and where."""
    if not order.changed:
        return ("none to be seen,", "e < 0.01" if order.e_value < _NEXT_TO_NOTHING else f"e = {order.e_value:.2g}")
    value = f"e = {order.e_value:,.0f}" if order.e_value < _HUGE else f"e > {_HUGE:,}"
    units = count(order.units - order.after)
    return (f"{score(order.before)} in the first {count(order.after)}, {score(order.since)} in the {units} after,", value)


def mean_score(found: Certificate | ScopeResult) -> tuple[str, ...]:
    """The mean score with its interval; the range where some replies could not be read."""
    return estimate(found.score, score, score_interval, found.score_range)


def ridiculous_rate(found: Certificate | ScopeResult) -> tuple[str, ...]:
    """The same for ridiculous answers."""
    return estimate(found.ridiculous, share, share_interval, found.ridiculous_range)


def further_outcomes(certificate: Certificate) -> list[tuple[str, int]]:
    """What can become of replies that has a row only where there are any."""
    kinds = [
        ("Copied from the prompt", certificate.copied),
        ("Cut off", certificate.cut_off),
        ("Read after a further turn", certificate.after_turn),
    ]
    return [(name, number) for name, number in kinds if number]


def unread_title(certificate: Certificate) -> str:
    """What stands above the replies that could not be read."""
    counts, shown = certificate.unread_counts, len(certificate.unread)
    which = f"{shown} of the {count(counts.count)} replies" if counts.count > shown else "Replies"
    return f"{which} that could not be {counts.verb}"


def strata(certificate: Certificate) -> list[tuple[str, str, str, str, str]]:
    """For each stratum its name, mass, questions, ridiculous answers and mean score."""
    return [
        (
            clipped(stratum.name, 60) or "(no category)",
            share(stratum.mass),
            count(stratum.questions),
            count(stratum.ridiculous),
            "unknown" if stratum.score is None else between(stratum.score, stratum.upper, score),
        )
        for stratum in certificate.strata
    ]


def size(certificate: Certificate) -> str:
    """How large the scope is."""
    return "an endless scope" if certificate.scope_size is None else f"{count(certificate.scope_size)} in the scope"


def method(certificate: Certificate) -> list[str]:
    """How the verdict was reached, in sentences."""
    criterion, delta = certificate.criterion, share(certificate.delta)
    rule = f"A candidate understands a scope if its mean score is at least {score(criterion.passing_grade)}"
    if criterion.ridiculous_limit is not None:
        rule += f" and it gives a ridiculous answer to at most {share(criterion.ridiculous_limit)} of the questions"
    sentences = [f"{rule}. Questions are drawn at random from {_drawn(certificate)}answers are taken in the order of drawing."]
    if certificate.procedure == "sequential":
        enough = count(round(1 / certificate.delta))
        sentences.append(
            "After every answer the evidence is counted as e-values: what is won by betting against each claim, at odds that "
            f"are fair if the claim is true. If it is true, an e-value ever reaches {enough} with probability at most {delta}, "
            "however often one looks (anytime-valid). The examination stops at the first verdict."
        )
    else:
        sentences.append(
            f"The number of questions was fixed in advance and the evidence looked at once, with error at most {delta}."
        )
    sentences += grading_method(certificate)
    sentences += of_time(certificate)
    if certificate.unread_counts.count:
        sentences.append(_of_unread(certificate))
    sentences.append(
        f"The guarantee is on the procedure: whatever the candidate, it gives a wrong verdict at most {delta} of the time. "
        f"{spending(certificate.criterion.delta, certificate.attempt)}The intervals hold at the moment the examination stopped."
    )
    return sentences


def spending(delta: float, attempt: Attempt | None) -> str:
    """How delta is spent over attempts, in a sentence."""
    if attempt is None:
        return ""
    return (
        f"This is attempt {attempt.number}: of an error of {share(delta)} over all attempts the first has nine tenths, and "
        "those after it share the last tenth, so that the record as a whole gives a wrong verdict at most that often. "
    )


def of_time(certificate: Certificate) -> list[str]:
    """What was done about candidates that do not stay the same, in sentences."""
    sentences, settings = [], certificate.signature.settings
    if at_least := settings.get("at_least"):
        sentences.append(f"There is no verdict “understands” before {at_least} questions, or all of the scope.")
    if hours := settings.get("spread_hours"):
        sentences.append(f"That many were to be asked at random times over {hours:g} hours, further ones at the same rate.")
    if certificate.order is not None:
        sentences.append(
            "The scores of a fixed candidate come in random order (they are exchangeable). The e-value for a change over "
            "time compares how likely their order is if they changed once with how likely it can be at most if they did "
            f"not; for a fixed candidate it is {STRONG:.0f} or more in at most 1 of {STRONG:.0f} examinations. No verdict "
            "rests on it."
        )
    return sentences


def _of_unread(certificate: Certificate) -> str:
    """What a reply counts for that could not be read."""
    if certificate.signature.settings.get("unreadable") == "wrong":
        return "A reply that could not be read scored 0, as requested."
    return (
        "Nobody knows what an unreadable reply is worth. It counts as 0 in the bets that show understanding and as "
        "1 in those against it, and the mean score is a range; an unreadable reply said nothing ridiculous, unless every score "
        "of 0 is ridiculous by definition. The guarantee holds whatever decides which replies can be read."
    )


def _drawn(certificate: Certificate) -> str:
    """From where and how questions were drawn, up to the next clause."""
    if certificate.strata:
        return (
            "the strata of the scope, always from the one that lags most behind its share. The bets are compared with what "
            "would make the answers most likely among all strata that break the claim, so the error is not "
            "divided among strata; "
        )
    if certificate.largest_weight is not None:
        return "the scope, each once, whatever its weight, and answers count by weight; "
    return "the scope and "


def between(least: float, most: float | None, write: Callable[[float], str]) -> str:
    """A number, or from the least to the most that it may be."""
    return write(least) if most is None or write(most) == write(least) else f"{write(least)} to {write(most)}"


def estimate(
    number: Estimate,
    write: Callable[[float], str],
    write_interval: Callable[[Interval], str],
    ends: Interval | None = None,
) -> tuple[str, ...]:
    """A number with its interval, and the n behind it; `ends` where it may be anything between them."""
    value = "unknown" if number.value is None else between(number.value, None if ends is None else ends.upper, write)
    told, n = f"{write_interval(number.interval)},", f"n = {count(number.n)}"
    # a range is too long to stand on one line with its interval
    return (f"{value} {told}", n) if ends is None else (value, told, n)


def shown_answer(answer: GradedAnswer) -> dict[str, str]:
    """One of the worst answers, in words."""
    words = "ridiculous" if answer.ridiculous else f"score {score(answer.score)}"
    if answer.upper is not None:
        words = "not known"
    outcome = "" if answer.outcome is Outcome.ANSWER else f", {answer.outcome.value}"
    return {
        "id": clipped(answer.id, 100),
        "question": clipped(answer.question, SHOWN_CHARACTERS),
        "answer": clipped(answer.answer, SHOWN_CHARACTERS),
        "expected": clipped(answer.expected, SHOWN_CHARACTERS),
        "grade": f"{words}: {clipped(answer.broken_law, SHOWN_CHARACTERS)}" if answer.broken_law else f"{words}{outcome}",
    }
