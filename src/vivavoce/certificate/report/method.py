"""How the verdict of a certificate was reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.certificate.attempts import Attempt
from vivavoce.certificate.config import Procedure
from vivavoce.certificate.graders.grading import Grading
from vivavoce.certificate.order import STRONG
from vivavoce.certificate.report.attempts import spending
from vivavoce.certificate.report.grading import grading_method
from vivavoce.certificate.verdict import Criterion
from vivavoce.formats.wording import count, score, share
from vivavoce.report.blocks import Fold
from vivavoce.report.parts import method_of


def method(
    criterion: Criterion,
    procedure: Procedure,
    attempt: Attempt | None,
    settings: Mapping[str, Any],
    *,
    drawn: str,
    grading: Grading | None,
    ordered: bool,
    unread: bool,
    repeated: Sequence[str] = (),
) -> Fold:
    """The test, graders, and what was done about change and replies that could not be graded.

    Parameters
    ----------
    settings: of the signature.
    drawn: from where and how questions were drawn, see `drawn_from`.
    ordered: whether it was looked for a change over time.
    unread: whether replies could not be graded.
    repeated: what is claimed of questions that were answered several times.
    """
    delta = criterion.delta if attempt is None else attempt.delta
    return method_of(
        [
            f"{_rule(criterion)}. Questions are drawn at random from {drawn}answers are taken in the order of drawing.",
            *repeated,
            _looks(procedure, delta),
            *grading_method(grading),
            *_over_time(settings, ordered=ordered),
            *([_WRONG if settings.get("unreadable") == "wrong" else _UNREAD] if unread else []),
            f"The guarantee is on the procedure: whatever the candidate, it gives a wrong verdict at most {share(delta)} of "
            f"the time. {spending(criterion.delta, attempt)}The intervals hold at the moment the examination stopped.",
        ]
    )


def drawn_from(*, stratified: bool, weighted: bool) -> str:
    """From where and how questions were drawn, up to the next clause."""
    if stratified:
        return (
            "the strata of the scope, always from the one that lags most behind its share. The bets are compared with what "
            "would make the answers most likely among all strata that break the claim, so the error is not "
            "divided among strata; "
        )
    return "the scope, each once, whatever its weight, and answers count by weight; " if weighted else "the scope and "


def _rule(criterion: Criterion) -> str:
    rule = f"A candidate passes a scope if its mean score is at least {score(criterion.passing_grade)}"
    if criterion.ridiculous_limit is None:
        return rule
    return f"{rule} and it gives a ridiculous answer to at most {share(criterion.ridiculous_limit)} of the questions"


def _looks(procedure: Procedure, delta: float) -> str:
    if procedure == "fixed":
        return (
            f"The number of questions was fixed in advance and the evidence looked at once, with error at most {share(delta)}."
        )
    return (
        "After every answer the evidence is counted as e-values: what is won by betting against each claim, at odds that are "
        f"fair if the claim is true. If it is true, an e-value ever reaches {count(round(1 / delta))} with probability at most "
        f"{share(delta)}, however often one looks (anytime-valid). The examination stops at the first verdict."
    )


def _over_time(settings: Mapping[str, Any], *, ordered: bool) -> list[str]:
    """What was done about candidates that do not stay the same."""
    sentences = []
    if at_least := settings.get("at_least"):
        sentences.append(f"There is no verdict “pass” before {at_least} questions, or all of the scope.")
    if hours := settings.get("spread_hours"):
        sentences.append(f"That many were to be asked at random times over {hours:g} hours, further ones at the same rate.")
    return [*sentences, _ORDER] if ordered else sentences


_ORDER = (
    "The scores of a fixed candidate come in random order (they are exchangeable). The e-value for a change over time compares "
    "how likely their order is if they changed once with how likely it can be at most if they did not; for a fixed candidate "
    f"it is {STRONG:.0f} or more in at most 1 of {STRONG:.0f} examinations. No verdict rests on it."
)
_WRONG = "A reply that could not be graded scored 0, as requested."
_UNREAD = (
    "A reply that no rule can grade may be worth anything. It counts as 0 in the bets that show understanding and as 1 in "
    "those against it, and the mean score is a range; it said nothing ridiculous, unless every score of 0 is ridiculous by "
    "definition. The guarantee holds whatever decides which replies can be graded."
)
