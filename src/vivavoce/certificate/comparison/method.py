"""Sentences on the method and the caveats of a comparison or a gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.certificate.comparison.compared import PairDifference
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.report.caveats import AS_GRADED
from vivavoce.formats.wording import exactly

UNREAD_JUDGE: Final = "The judge caused the unreadable judgements: use another judge, or more judgements of each answer."
BLIND: Final = (
    "The judge was shown no candidate's name, and the answers of all candidates in the same words and in the same order of "
    "questions. Equal answers to a question have one judgement. Where a judgement could not be read, each claim uses the "
    "least favourable grade."
)


def caveats(
    pairs: Sequence[PairDifference], *, delta: float, share: bool, margin: float, unread_is_wrong: bool, published: bool
) -> tuple[str, ...]:
    """Caveats of a comparison."""
    messages = []
    rare, several = f"{delta * 100:.3g}%", len(pairs) > 1
    if share and several:
        messages.append(
            f"The guarantee is on average: of the statements that are made, an expected share of at most {rare} is wrong. A "
            "single one that is picked from them is less certain."
        )
    elif not all(pair.complete for pair in pairs):
        what = "any wrong statement on any pair" if several else "a wrong statement"
        messages.append(
            f"The guarantee is about the procedure: whatever the candidates are like, it makes {what} at most {rare} of "
            "the time."
        )
    open_ = sum(pair.verdict == "undecided" for pair in pairs)
    if open_:
        messages.append(
            "“Undecided” does not say that two candidates are equivalent." if margin else "“Undecided” says nothing."
        )
    messages.append(
        "It holds for questions drawn as the scope draws them, in these words, and for the candidates as they were when they "
        "answered."
    )
    messages.append(AS_GRADED)
    if several:
        messages.append(
            "Candidates stopped after different numbers of questions; differences are of the questions that both were asked."
        )
    if unread_is_wrong:
        messages.append("Replies that could not be graded count as wrong: a candidate may be worse for its form alone.")
    if published:
        messages.append("Answers to published questions don't show whether they were memorised.")
    return tuple(messages)


def how_drawn(drawing: Drawing, largest_weight: float | None) -> tuple[str, ...]:
    """How questions were drawn, if it matters to readers."""
    if drawing == "strata":
        return (
            "Categories were asked in proportion to their share of the scope, and questions at random in each. A difference is "
            "the mean of the categories' differences by their shares.",
        )
    if largest_weight is None:
        return ()
    return (
        f"Questions were drawn evenly, each once, and count by weight, the heaviest {largest_weight:.3g} times its share. Mean "
        "scores and differences are by weight, and heavier weights take more questions.",
    )


def method(margin: float, delta: float, *, several: bool) -> tuple[str, ...]:
    """How the numbers were computed."""
    claims = f" “Equal” is: by no more than {exactly(margin, '')} in either direction." if margin else ""
    return (
        "All candidates were asked the same questions, in an order that was drawn before any answer was looked at. After each "
        f"question bets on the paired differences were settled (e-processes); a pair ends once they earned enough.{claims}",
        "Where a reply could not be graded, each claim uses the least favourable grade.",
        f"Intervals are confidence sequences at level {1 - delta:.4g}, valid at any stopping time"
        + (", for all pairs at once." if several else "."),
    )


def gate_method(margin: float, delta: float) -> tuple[str, ...]:
    """How the verdict of a gate was reached."""
    passes = f"It passes once “worse by {exactly(margin, '')} or more” is rejected, and fails" if margin else "It fails"
    return (
        "Both were asked the same questions, in an order that was drawn before any answer was looked at. After each question "
        f"bets on the paired differences were settled (e-processes). {passes} once “not worse at all” is rejected"
        f"{', whichever comes first' if margin else ''}. Passing may err {delta:.3g} of the time, failing {delta / 2:.3g}. "
        "Once all of a finite scope was asked, the difference itself decides.",
        "Where a reply could not be graded, each verdict uses the least favourable grade.",
        f"The two-sided interval is a confidence sequence at level {1 - delta:.4g}, valid at any stopping time. The bound of a "
        "verdict is one-sided, at the verdict's own error.",
    )
