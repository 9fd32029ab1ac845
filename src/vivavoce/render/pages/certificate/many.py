"""What an examination on several scopes says on its page: everything its template needs, already in words."""

from __future__ import annotations

from typing import Any

from vivavoce.certificate.finding import GradedAnswer, ScopeResult, Verdict, brief
from vivavoce.certificate.many_finding import ManyScopes
from vivavoce.formats.wording import (
    clipped,
    count,
    name_of,
    percent,
    percent_interval,
    score,
    score_interval,
    share,
    with_technical,
)
from vivavoce.render.pages.certificate.page import COLOUR, MARK, SHOWN_CHARACTERS, attempts, between, shown_answer, spending
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.many_scopes import evidence_by_scope

Cell = tuple[str, str]
"""A value, and its interval or what it is part of."""
_WORST = 10


def many_scopes_title(finding: ManyScopes) -> str:
    """What the page is."""
    return f"Certificates of understanding: {name_of(finding.called)} on {len(finding.scopes)} scopes"


def many_scopes_body(finding: ManyScopes, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    kind = overall(finding)
    names = short_names(finding)
    return {
        "finding": finding,
        "names": named_rows(finding),
        "headline": clipped(finding.headline, SHOWN_CHARACTERS),
        "mark": MARK[kind],
        "colour": COLOUR[kind],
        "understood": f"{len(finding.those(Verdict.UNDERSTANDS))} of {len(finding.scopes)} understood",
        "columns": columns(finding),
        "required": required(finding),
        "rows": [
            {"scope": name, "verdict": r.verdict.value, "mark": MARK[r.verdict], "colour": COLOUR[r.verdict], "cells": cells}
            for name, r, cells in zip(names, finding.scopes, rows(finding), strict=True)
        ],
        "plots": [figure(evidence_by_scope(finding, names, f"{name}e"))],
        "worst": worst(finding, names),
        "unread": unread(finding, names),
        "unread_title": "Replies that could not be read",
        "remedies": remedies(finding),
        "attempts": attempts(finding.attempt),
        "method": method(finding),
    }


def overall(finding: ManyScopes) -> Verdict:
    """The verdict that decides the whole: understood only if all scopes are, not understood if any is not."""
    found = {result.verdict for result in finding.scopes}
    return next(v for v in (Verdict.DOES_NOT_UNDERSTAND, Verdict.NO_CONCLUSION, Verdict.UNDERSTANDS) if v in found)


def short_names(finding: ManyScopes) -> list[str]:
    """The scopes' names without what they all begin with, up to a '#' or '?'.

    Where readers are told titles, these. Parts of one scope are told apart by their last part; others keep their names, without
    the folders of a file.
    """
    if any(result.title for result in finding.scopes):
        return [name_of(result.titled) for result in finding.scopes]
    names = [result.scope for result in finding.scopes]
    heads = {name[: max(name.find("#"), name.find("?")) + 1] for name in names}
    head = heads.pop() if len(heads) == 1 else ""
    return [name_of(name[len(head) :] if head else brief(name)) for name in names]


def named_rows(finding: ManyScopes) -> list[tuple[str, str]]:
    """Candidate and scopes with their names on record, where readers are told others."""
    shown = [
        ("Candidate", finding.called, finding.candidate),
        *(("Scope", one.titled, brief(one.scope)) for one in finding.scopes),
    ]
    return [(what, with_technical(told, clipped(name, 300))) for what, told, name in shown if told != name]


def columns(finding: ManyScopes) -> tuple[str, ...]:
    """What stands in the table next to each scope; ridiculous answers where they are limited."""
    limited = finding.criterion.ridiculous_limit is not None
    return ("Verdict", "Mean score", *(("Ridiculous",) if limited else ()), "Questions")


def rows(finding: ManyScopes) -> list[tuple[Cell, ...]]:
    """For each scope the cells behind its verdict."""
    limited = finding.criterion.ridiculous_limit is not None
    return [(_score(result), *((_ridiculous(result),) if limited else ()), _questions(result)) for result in finding.scopes]


def required(finding: ManyScopes) -> str:
    """What was required of every scope, in a sentence."""
    criterion = finding.criterion
    sentence = f"Required of each scope: a mean score of at least {score(criterion.passing_grade)}"
    if criterion.ridiculous_limit is None:
        return f"{sentence}."
    return f"{sentence}, and ridiculous answers to at most {share(criterion.ridiculous_limit)} of the questions."


def worst(finding: ManyScopes, names: list[str]) -> list[dict[str, str]]:
    """The worst answer of each scope, ten at most, the worst first."""
    first = [(result.worst[0], name) for result, name in zip(finding.scopes, names, strict=True) if result.worst]
    first.sort(key=lambda pair: (not pair[0].ridiculous, pair[0].score))
    return [_shown(answer, name) for answer, name in first[:_WORST]]


def unread(finding: ManyScopes, names: list[str]) -> list[dict[str, str]]:
    """A reply that could not be read from each of the first ten scopes that have one, those without a verdict first."""
    some = [(result, name) for result, name in zip(finding.scopes, names, strict=True) if result.unread]
    some.sort(key=lambda pair: not pair[0].unexamined)
    return [_shown(result.unread[0], name) for result, name in some[:_WORST]]


def remedies(finding: ManyScopes) -> tuple[str, ...]:
    """What to try where replies that could not be read stand in the way of a verdict."""
    return next((result.unread_counts.remedies for result in finding.scopes if result.unexamined), ())


def method(finding: ManyScopes) -> list[str]:
    """How the verdicts were reached, in sentences."""
    total, delta = len(finding.scopes), finding.delta
    least, most = count(round(1 / delta)), count(round(total / delta))
    sentences = [
        "Questions are drawn at random from each scope, independently of the other scopes, and answers are taken in the order "
        "of drawing. The evidence for and against understanding is counted for each scope as e-values; that for understanding "
        "is the lesser of the one for the score and the one for ridiculous answers."
    ]
    if finding.rule == "fwer":
        sentences.append(
            f"A verdict needs an e-value of {most}: the number of scopes over δ, so that all {total} scopes together "
            f"give a wrong verdict with probability at most {share(delta)}."
        )
    else:
        sentences.append(
            f"Each kind of verdict is given by e-BH at level {share(delta)}: to the k scopes with the largest e-values, where "
            f"k is the greatest number such that each of them is at least {total} / (k δ). That is {most} for a verdict that "
            f"stands alone and {least} where all scopes get the same. Scopes that have it together are asked no more, which "
            "keeps them on the list whatever becomes of the others."
        )
    sentences.append(
        f"{spending(finding.criterion.delta, finding.attempt)}"
        "The next question goes to the scope without a verdict that was asked least. The guarantee holds at whatever moment "
        "the examination ended."
    )
    late = finding.asked - sum(scope.questions for scope in finding.scopes)
    if late:
        sentences.append(
            f"Of {count(finding.asked)} answers {count(late)} count for nothing: the verdict on their scope stood, "
            "or all was over, before they could be judged."
        )
    return sentences


def _score(result: ScopeResult) -> Cell:
    value, ends = result.score.value, result.score_range
    shown = "unknown" if value is None else between(value, None if ends is None else ends.upper, score)
    return shown, score_interval(result.score.interval)


def _ridiculous(result: ScopeResult) -> Cell:
    value, ends = result.ridiculous.value, result.ridiculous_range
    shown = "unknown" if value is None else between(value, None if ends is None else ends.upper, percent)
    return shown, percent_interval(result.ridiculous.interval)


def _questions(result: ScopeResult) -> Cell:
    return count(result.questions), "" if result.scope_size is None else f"of {count(result.scope_size)}"


def _shown(answer: GradedAnswer, scope: str) -> dict[str, str]:
    return {"scope": scope} | shown_answer(answer)
