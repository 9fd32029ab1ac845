"""Several scopes: a row each, their evidence side by side, and how verdicts were given on them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.config import Correction
from vivavoce.certificate.report.answers import Shown, unread_replies
from vivavoce.certificate.report.attempts import spending
from vivavoce.certificate.report.bounds import rate_in_cell, score_in_cell, shown_of
from vivavoce.certificate.report.verdicts import TONES
from vivavoce.certificate.scope_result import ScopeResult
from vivavoce.certificate.verdict import Criterion, brief
from vivavoce.formats.wording import count, exactly, name_of, score_interval, share, share_interval
from vivavoce.report.blocks import Block, Column, Fold, Row, Table
from vivavoce.report.cells import Cell
from vivavoce.report.parts import method_of

MOST_ANSWERS: Final = 10
"""The worst ones, and replies that could not be graded."""


def short_names(scopes: Sequence[ScopeResult]) -> list[str]:
    """The scopes' names without what they all begin with, up to a '#' or '?'.

    Where readers are told titles, these. Parts of one scope are told apart by their last part; others keep their names, without
    the folders of a file.
    """
    if any(result.title for result in scopes):
        return [name_of(result.titled) for result in scopes]
    return tails([result.scope for result in scopes])


def tails(names: Sequence[str]) -> list[str]:
    """Names of scopes without what they all begin with, up to a '#' or '?', or else without folders.

    >>> tails(["file:all.csv#law", "file:all.csv#physics"]), tails(["arithmetic", "file:data/law.csv"])
    (['law', 'physics'], ['arithmetic', 'file:law.csv'])
    """
    heads = {name[: max(name.find("#"), name.find("?")) + 1] for name in names}
    head = heads.pop() if len(heads) == 1 else ""
    return [name_of(name[len(head) :] if head else brief(name)) for name in names]


def required(criterion: Criterion) -> str:
    """What was required of every scope, in a sentence."""
    sentence = f"Required of each scope: a mean score of at least {exactly(criterion.passing_grade, '')}"
    if criterion.ridiculous_limit is None:
        return f"{sentence}."
    return f"{sentence}, and ridiculous answers to at most {exactly(criterion.ridiculous_limit)} of the questions."


def by_scope(names: Sequence[str], scopes: Sequence[ScopeResult], criterion: Criterion, *, decided: bool = True) -> Table:
    """Verdict and numbers of each scope; ridiculous answers where they are limited.

    decided: whether verdicts are shown; while questions are still asked they are not.
    """
    columns = (
        Column("Scope", short="scope"),
        *((Column("Verdict", short="verdict"),) if decided else ()),
        Column("Mean score", short="mean score"),
        *((Column("Ridiculous", short="ridiculous"),) if criterion.ridiculous_limit is not None else ()),
        Column("Questions", short="questions"),
    )
    rows = (_row(name, scope, criterion, decided=decided) for name, scope in zip(names, scopes, strict=True))
    return Table(columns, tuple(rows))


def intervals_by_scope(names: Sequence[str], scopes: Sequence[ScopeResult], criterion: Criterion) -> tuple[Fold, ...]:
    """The two-sided intervals of the scopes where one-sided bounds stand beside the values; nothing where none does."""
    decided = [(name, one) for name, one in zip(names, scopes, strict=True) if any(shown_of(one, criterion))]
    if not decided:
        return ()
    limited = criterion.ridiculous_limit is not None
    heads = ("Scope", "Mean score", *(("Ridiculous",) if limited else ()))
    rows = tuple(
        Row(
            Cell(name),
            (
                Cell(score_interval(one.score.interval)),
                *((Cell(share_interval(one.ridiculous.interval)),) if limited else ()),
            ),
        )
        for name, one in decided
    )
    return (Fold("Two-sided intervals", (Table(tuple(map(Column, heads)), rows),), main=True),)


def worst(names: Sequence[str], scopes: Sequence[ScopeResult]) -> list[Shown]:
    """The worst answer of each scope, ten at most, the worst first."""
    first = [Shown(scope.worst[0], name) for name, scope in zip(names, scopes, strict=True) if scope.worst]
    return sorted(first, key=lambda shown: (not shown.answer.ridiculous, shown.answer.score))[:MOST_ANSWERS]


def unread(names: Sequence[str], scopes: Sequence[ScopeResult]) -> tuple[Block, ...]:
    """A reply that could not be graded from each of the first ten scopes that have one, those without a verdict first.

    In a terminal one, from a scope that has no verdict for it.
    """
    some = [(scope, Shown(scope.unread[0], name)) for name, scope in zip(names, scopes, strict=True) if scope.unread]
    some.sort(key=lambda pair: not pair[0].unexamined)
    shown = [reply for _, reply in some[:MOST_ANSWERS]]
    remedies = next((scope.unread_counts.remedies for scope in scopes if scope.unexamined), ())
    in_the_way = [reply for scope, reply in some if scope.unexamined][:1]
    return unread_replies("Replies that could not be graded", shown, remedies, in_short=in_the_way)


def method(criterion: Criterion, rule: Correction, scopes: Sequence[ScopeResult], attempt: Attempt | None, asked: int) -> Fold:
    """How the verdicts were reached; `asked`: questions in all."""
    total, delta = len(scopes), criterion.delta if attempt is None else attempt.delta
    late = asked - sum(scope.questions for scope in scopes)
    return method_of(
        [
            _METHOD,
            _family_wise(total, delta) if rule == "fwer" else _false_discoveries(total, delta),
            f"{spending(criterion.delta, attempt)}{_NEXT}",
            *(
                [
                    f"Of {count(asked)} answers {count(late)} count for nothing: the verdict on their scope stood, "
                    "or all was over, before they could be judged."
                ]
                if late
                else []
            ),
        ]
    )


_METHOD = (
    "Questions are drawn at random from each scope, independently of the other scopes, and answers are taken in the order of "
    "drawing. The evidence for and against understanding is counted for each scope as e-values; that for understanding is the "
    "lesser of the one for the score and the one for ridiculous answers."
)
_NEXT = (
    "The next question goes to the scope without a verdict that was asked least. The guarantee holds at whatever moment the "
    "examination ended."
)


def _family_wise(total: int, delta: float) -> str:
    return (
        f"A verdict needs an e-value of {count(round(total / delta))}: the number of scopes over δ, so that all {total} scopes "
        f"together give a wrong verdict with probability at most {share(delta)}."
    )


def _false_discoveries(total: int, delta: float) -> str:
    return (
        f"Each kind of verdict is given by e-BH at level {share(delta)}: to the k scopes with the largest e-values, where k is "
        f"the greatest number such that each of them is at least {total} / (k δ). That is {count(round(total / delta))} for a "
        f"verdict that stands alone and {count(round(1 / delta))} where all scopes get the same. Scopes that have it together "
        "are asked no more, which keeps them on the list whatever becomes of the others."
    )


def _row(name: str, scope: ScopeResult, criterion: Criterion, *, decided: bool) -> Row:
    of = "" if scope.scope_size is None else f"of {count(scope.scope_size)}"
    return Row(
        Cell(name),
        (
            *((Cell(scope.verdict.word, tone=TONES[scope.verdict]),) if decided else ()),
            score_in_cell(scope, criterion),
            *((rate_in_cell(scope, criterion),) if criterion.ridiculous_limit is not None else ()),
            Cell(count(scope.questions), scope.questions, interval=of),
        ),
    )
