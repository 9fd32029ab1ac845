"""The results of a comparison on candidates and pairs, and the sentences on its method and caveats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from vivavoce.certificate.claims.claim import GradedAnswer, estimate_as_json, range_as_json
from vivavoce.certificate.comparison.evidence import LARGEST, Pair
from vivavoce.certificate.comparison.paired_answers import DiscordantQuestion
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.report.caveats import AS_GRADED, MANY_UNGRADED
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.json_values import given, to_json
from vivavoce.formats.wording import exactly, name_of
from vivavoce.interview.candidate import Usage

PairVerdict = Literal["better", "worse", "equivalent", "not worse", "undecided"]
"""Verdict on the first against the second. `equivalent`: they differ by at most the margin; `not worse`: worse by less than
it.
"""


@dataclass(frozen=True, slots=True)
class ComparedCandidate:
    """One candidate."""

    name: str
    score: Estimate
    """Mean score, at level 1 - delta; n units. With unparsed replies, the middle of its range."""
    questions: int
    unreadable: int
    spending: Usage
    answers: int = 0
    """Number of answers that could not be graded."""
    unread: tuple[GradedAnswer, ...] = ()
    """The first five of these."""
    title: str = ""
    """Its name without the part that all names share."""
    unread_judgements: int = 0
    """Judgements of its answers that were unparsed or missing, which is the judge's fault, not the candidate's."""
    score_range: Interval | None = None
    """The range of its mean score; None if all grades are known."""

    @property
    def called(self) -> str:
        """The display name."""
        return self.title or name_of(self.name)

    @property
    def often_ungraded(self) -> bool:
        """Whether the headline must mention ungraded replies."""
        return self.unreadable >= MANY_UNGRADED * self.answers > 0


@dataclass(frozen=True, slots=True)
class CategoryDifference:
    """The difference on the questions of one category."""

    name: str
    difference: Estimate
    """The difference at level 1 - delta, for each category by itself."""
    verdict: PairVerdict
    """Verdict by e-BH over all categories."""
    range: Interval | None = None
    """The range of the difference; None if all grades are known."""


@dataclass(frozen=True, slots=True)
class PairDifference:
    """Two candidates on the questions that both were asked."""

    pair: Pair
    """Indices of the candidates."""
    verdict: PairVerdict
    questions: int
    difference: Estimate
    """Mean score of the first minus the second's; n units. With unparsed replies, the middle of its range."""
    better: int
    """Units on which the first is known to be better."""
    worse: int
    log_e: tuple[float, float, float, float]
    """Evidence for better, worse, not worse, not better."""
    complete: bool
    """Whether all of a finite scope was asked and parsed."""
    still_needed: int | None
    """Further questions to a verdict if the trend continues; None: unknown, or there is one."""
    discordant: tuple[DiscordantQuestion, ...] = ()
    """Discordant answers that are kept."""
    categories: tuple[CategoryDifference, ...] = ()
    as_read: PairVerdict = "undecided"
    """The verdict if short replies that are assumed wrong are wrong, if there is no other verdict."""
    assumed: int = 0
    """How many of these replies there are, of both."""
    hidden: bool = False
    """Whether unparsed replies hide which is better, however many questions are asked."""
    range: Interval | None = None
    """The least and the most that the difference on the units asked may be; None if all their grades are known."""
    unknown: int = 0
    """Units on which the better one is unknown, because a grade is."""
    shown: Interval | None = None
    """Bounds of the difference that decided the verdict, each at its own level; None without a verdict."""
    shares: tuple[float, float] | None = None
    """Shares by weight of the questions on which the first was better, and the second; None if all count the same."""

    def figures(self, candidates: Sequence[ComparedCandidate]) -> dict[str, Any]:
        """The numbers, with the names of these candidates."""
        first, second = (candidates[index].name for index in self.pair)
        return {
            "first": first,
            "second": second,
            "verdict": self.verdict,
            "questions": self.questions,
            "difference": estimate_as_json("mean", self.difference) | range_as_json("mean_range", self.range),
            **given(shown=self.shown and {"above": self.shown.lower, "below": self.shown.upper}),
            "first_better": self.better,
            "second_better": self.worse,
            **given(share_better=self.shares),
            "log_e": dict(zip(("better", "worse", "no_worse", "no_better"), map(finite, self.log_e), strict=True)),
            "complete": self.complete,
            "still_needed": self.still_needed,
            **({"verdict_as_read": self.as_read, "assumed_wrong": self.assumed} if self.as_read != "undecided" else {}),
            **given(hidden=self.hidden, unknown=self.unknown),
            "discordant": [
                {
                    "id": question.id,
                    "category": question.category,
                    "better": (first, second)[question.better],
                    "scores": list(question.scores),
                }
                | given(weight=question.weight)
                for question in self.discordant
            ],
            "categories": [
                {
                    "category": difference.name,
                    "verdict": difference.verdict,
                    "difference": to_json(difference.difference) | range_as_json("value_range", difference.range),
                }
                for difference in self.categories
            ],
        }


def finite(log_e: float) -> float:
    """The logarithm of an e-value, cut to what JSON can hold.

    >>> finite(2.5), finite(float("inf")), finite(float("-inf"))
    (2.5, 600.0, -600.0)
    """
    return max(-LARGEST, min(LARGEST, log_e))


_DIGEST: Final = re.compile(r"[?&]sha256=[0-9a-f]+")
_ENDS: Final = ":#@?/"
"""Characters that may separate the common prefix of names from the rest."""


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names without digests, declarations and their common prefix; whole names if the short ones are equal.

    >>> short_names(["replay:all.csv#new?sha256=ab12", "replay:all.csv#old?sha256=ab12"]), short_names(["bot:a", "bot:a?x=1"])
    (('new', 'old'), ('a', 'a?x=1'))
    >>> short_names(["log:a.eval#openai/gpt-4o?sha256=ab12", "log:b.eval#openai/gpt-4o?sha256=cd34"])
    ('a.eval', 'b.eval')
    >>> short_names(["log:a.eval#openai/gpt-4o?sha256=ab12", "log:b.eval#openai/o3?sha256=cd34"])
    ('gpt-4o', 'o3')
    """
    bare = [_DIGEST.sub("", name).removesuffix("?deterministic=yes") for name in names]
    if all(name.startswith("log:") for name in names):
        files, models = zip(*((name.partition("#")[0], name.partition("#")[2]) for name in bare), strict=True)
        bare = list(models) if len(set(models)) == len(names) else list(files) if len(set(models)) == 1 else bare
    end = min(map(len, bare))
    while end and (len({name[:end] for name in bare}) > 1 or bare[0][end - 1] not in _ENDS):
        end -= 1
    cut = [name[end:] for name in bare]
    for short in (cut, bare):
        if len(set(short)) == len(names) and all(short):
            return tuple(map(name_of, short))
    return tuple(map(name_of, names))


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
