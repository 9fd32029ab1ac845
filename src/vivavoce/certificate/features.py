"""Combinations of a certificate's parts that are refused, each with the reason; no other module refuses any.

What is not refused here is sound; the proof is in the inference or the procedure that does it:

- any way of drawing with any grades in [0, 1] that are taken in drawn order, looked at after each: `evidence.sequential`,
  `evidence.stratified`, `evidence.importance_weighting`; once: `evidence.inference.FixedLook`,
  `evidence.stratified.StratifiedLook`, `evidence.importance_weighting.WeightedLook`
- a judge alone or people alone, whatever is drawn: `graders.graders.Graders`; both together: `graders.judge_predictions`
- two verdicts on the same answers: `claims.deployed`; several scopes, by a rule or a judge: `claims.claim.MultipleTest`,
  `claims.many_scopes`
- a history, with any grades of questions that are drawn each once: `evidence.history_bets`, `statistics.covariate`
- procedures, with strata and weights as well: `explanations.protocol`, `explanations.known`
- several answers to each question, as the scope draws but with replacement, by a rule or a judge, clusters too: `claims.draws`
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Final, Literal

from vivavoce.errors import BadInput

Feature = Literal[
    "rule", "judge", "people", "judge and people", "procedures", "asked again",
    "strata", "weights", "deployed", "several scopes",
    "fixed", "endurance", "history", "extended",
    "laws", "clusters", "each once",
    "draws", "several answers", "share of questions", "vote",
]  # fmt: skip
"""Features: grading, drawing, times of checking, properties of the scope, answers to each question."""

_LAWS: Final = "this scope has laws over its questions, which {} do not know: leave out one or the other"
_INDEPENDENT: Final = (
    "a judge and people together need questions drawn independently of each other, and have {}: leave one of them out"
)

_ONE_SCOPE: Final = "a history is of one scope, whose questions are drawn each once and count alike: leave out --history, or {}"
_EVENLY: Final = "'--deployed' draws evenly: leave out other designs"
_WITH_REPLACEMENT: Final = "--draws draws questions with replacement, as its claim is about probabilities: leave out {}"
_GRADED_ONCE: Final = "people grade an answer once, and --draws asks for many: have a rule or a judge grade"

_RULED: Final = "judges and people decide what is unacceptable, whatever the scope lists: leave out --set also-unacceptable"

REFUSED: Final[Mapping[frozenset[Feature], str]] = {
    frozenset({"deployed", "strata"}): _EVENLY,
    frozenset({"deployed", "weights"}): _EVENLY,
    frozenset({"fixed", "several scopes"}): "the fixed procedure is for one scope: of several, each stops when its own verdict "
    "stands",
    frozenset(
        {"endurance", "several scopes"}
    ): "--set min-questions and --set over-hours are for one scope: of several, each stops when its own verdict stands",
    frozenset({"deployed", "several scopes"}): "--deployed is for one scope: several would have two verdicts each",
    frozenset({"people", "several scopes"}): "people's grades are for one scope: an answer that waits for a grade would hold "
    "up all the others",
    frozenset({"judge and people", "several scopes"}): "people's grades are for one scope: an answer that waits for a grade "
    "would hold up all the others",
    frozenset({"procedures", "several scopes"}): "explanations are for one scope: name each procedure's own",
    frozenset({"judge and people", "strata"}): _INDEPENDENT.format("no strata"),
    frozenset({"judge and people", "weights"}): _INDEPENDENT.format("no evenly drawn weights"),
    frozenset({"judge and people", "deployed"}): _INDEPENDENT.format("no evenly drawn weights"),
    frozenset(
        {"judge and people", "fixed"}
    ): "the fixed procedure looks once at grades, and knows no predictions of them: leave out the judge or people",
    frozenset({"procedures", "deployed"}): "people ask the candidate, and not its procedures: leave out --deployed, or "
    "explanations",
    frozenset(
        {"procedures", "endurance"}
    ): "procedures never tire: leave out --set min-questions and --set over-hours, or explanations",
    frozenset({"procedures", "fixed", "strata"}): "the paper's procedure with explanations draws as the scope does: leave out "
    "--strata",
    frozenset({"procedures", "fixed", "weights"}): "the paper's procedure with explanations draws as the scope does: leave out "
    "--set importance-weighting",
    frozenset({"procedures", "fixed", "clusters"}): "the paper's procedure with explanations knows no clusters: use the "
    "sequential one",
    frozenset(
        {"asked again", "fixed"}
    ): "explanations can be asked for again only on an endless scope, with a check after each question",
    frozenset(
        {"asked again", "each once"}
    ): "explanations can be asked for again only on an endless scope, with a check after each question",
    frozenset({"draws", "strata"}): _WITH_REPLACEMENT.format("--strata"),
    frozenset({"draws", "weights"}): _WITH_REPLACEMENT.format("--set importance-weighting"),
    frozenset({"draws", "deployed"}): _WITH_REPLACEMENT.format("--deployed"),
    frozenset({"draws", "several scopes"}): "--draws is for one scope: examine each by itself",
    frozenset({"draws", "people"}): _GRADED_ONCE,
    frozenset({"draws", "judge and people"}): _GRADED_ONCE,
    frozenset({"draws", "procedures"}): "a procedure answers the same each time: leave out --draws, or explanations",
    frozenset({"several answers", "laws"}): "this scope has laws over answers that are given together, and of several draws "
    "none are: leave out one or the other, or give --draws 1",
    frozenset({"share of questions", "fixed"}): "the fixed procedure looks at one mean, and '--set draws-claim=share' rests on "
    "several: use the sequential one",
    frozenset({"history", "strata"}): _ONE_SCOPE.format("--strata, whose test knows no predictions"),
    frozenset({"history", "weights"}): _ONE_SCOPE.format("--set importance-weighting"),
    frozenset({"history", "deployed"}): _ONE_SCOPE.format("--deployed"),
    frozenset({"history", "several scopes"}): _ONE_SCOPE.format("all scopes but one"),
    frozenset(
        {"history", "fixed"}
    ): "the fixed procedure looks once, by a bound that knows no predictions: leave out --history",
    frozenset({"history", "draws"}): "--draws draws questions again and again, and a history needs each drawn once: leave out "
    "one of them",
    frozenset({"history", "procedures"}): "explanations have a ledger of their own, which knows no predictions: leave out "
    "--history, or explanations",
    frozenset({"history", "judge and people"}): "a judge and people together need questions drawn independently of each other, "
    "and a history questions drawn each once: leave out one of the three",
    frozenset({"vote", "judge"}): "a vote counts answers that are the same, which a rule reads and a judge does not: leave out "
    "--judge, or '--set draws-claim=vote'",
    frozenset({"extended", "judge"}): _RULED,
    frozenset({"extended", "people"}): _RULED,
    frozenset({"extended", "judge and people"}): _RULED,
    frozenset({"extended", "procedures"}): "procedures were checked by the list as it was: leave out explanations, or "
    "--set also-unacceptable",
    frozenset({"extended", "several scopes"}): "a list of unacceptable answers is of one scope: leave out all scopes but one",
    frozenset({"extended", "deployed"}): "--deployed gives two verdicts, and an extended list begins an attempt at one: leave "
    "out one or the other",
    frozenset(
        {"extended", "draws"}
    ): "--set also-unacceptable was made in view of answers, and a claim about probabilities needs new answers: "
    "write the list into the file of questions, which is then asked again, or leave out --draws",
    frozenset({"judge", "laws"}): _LAWS.format("graders"),
    frozenset({"people", "laws"}): _LAWS.format("graders"),
    frozenset({"judge and people", "laws"}): _LAWS.format("graders"),
    frozenset({"procedures", "laws"}): _LAWS.format("explanations"),
}
"""Features that exclude each other, with the message."""


def refusal(features: Set[Feature]) -> str:
    """Why these do not go together; empty if they do.

    >>> refusal({"judge", "strata"}), refusal({"fixed", "several scopes"})[:35]
    ('', 'the fixed procedure is for one scop')
    """
    return next((reason for together, reason in REFUSED.items() if together <= features), "")


def refuse(features: Set[Feature]) -> None:
    """Raise `BadInput` if these do not go together."""
    if reason := refusal(features):
        raise BadInput(reason)
