"""The finding of a comparison: the better candidate of each pair, with an interval for the difference, and tiers."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from vivavoce.certificate.attempts.attempt import AttemptHistory, attempt_as_json, how_often
from vivavoce.certificate.attempts.determinism import about_in_words
from vivavoce.certificate.claims.claim import range_as_json
from vivavoce.certificate.claims.repeated_answers import DrawsFinding, drawn_for_all, repeated_answers
from vivavoce.certificate.comparison import compared as how
from vivavoce.certificate.comparison import report as parts
from vivavoce.certificate.comparison.compared import ComparedCandidate, PairDifference
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.evidence import Pair
from vivavoce.certificate.config import Drawing
from vivavoce.certificate.design.history import HistoryUse, history_caveats
from vivavoce.certificate.graders.grades import GradingReport
from vivavoce.certificate.report.caveats import limits
from vivavoce.certificate.report.method import grading_method, known_before, who_graded
from vivavoce.formats.json_values import given, to_json
from vivavoce.formats.wording import clipped, count, name_of, numbered
from vivavoce.interview.budget import BudgetEnd
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Block, Report, Tiles, method_of
from vivavoce.report.reported import ReportedFinding


def tiers(candidates: int, above: Collection[Pair]) -> tuple[tuple[int, ...], ...]:
    """Tiers, the best first: each candidate is one tier below the lowest of those that are certainly better.

    Within a tier no candidate is significantly better. Two candidates in different tiers may not differ significantly
    themselves.

    above: pairs (better, worse) of positions. A cycle, which only wrong verdicts can cause, is one tier.

    >>> tiers(4, {(0, 2), (1, 2), (2, 3), (0, 3)})
    ((0, 1), (2,), (3,))
    """
    left, numbers = set(range(candidates)), []
    while left:
        first = {number for number in left if not any(worse == number and better in left for better, worse in above)} or left
        numbers.append(tuple(sorted(first)))
        left = left - first
    return tuple(numbers)


def unplaced(candidates: int, above: Collection[Pair]) -> tuple[int, ...]:
    """Candidates that differ significantly from no other, if others do: they are in tier 1 by default.

    >>> unplaced(3, {(0, 2)}), unplaced(3, set())
    ((1,), ())
    """
    placed = {number for pair in above for number in pair}
    return tuple(index for index in range(candidates) if placed and index not in placed)


def places(candidates: int, above: Collection[Pair]) -> tuple[tuple[int, int], ...]:
    """The best and the worst possible rank of each candidate.

    >>> places(3, {(0, 2)})
    ((1, 2), (1, 3), (2, 3))
    """
    better = [sum(worse == index for _, worse in above) for index in range(candidates)]
    worse_than = [sum(better_one == index for better_one, _ in above) for index in range(candidates)]
    return tuple((1 + up, candidates - down) for up, down in zip(better, worse_than, strict=True))


RECORDINGS: Final = ("replay:", "results:", "transcript:", "log:")
"""Prefixes of the names of recordings."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(ReportedFinding):
    """The result of `compare`."""

    document: ClassVar[str] = "comparison.json"
    candidates: tuple[ComparedCandidate, ...]
    """In the order in which they were named."""
    pairs: tuple[PairDifference, ...]
    scope: str
    scope_size: int | None
    left_out: int
    """Questions of the scope that some recording lacks."""
    config: ComparisonConfig
    questions: int
    """Number of questions drawn; each was put to all candidates that were still compared."""
    exhausted: tuple[str, ...]
    """Candidates whose budget ended, with the limit, in clauses."""
    asked_so: tuple[str, ...]
    """Caveats about how candidates were asked."""
    signature: Signature
    attempt: AttemptHistory | None = None
    title: str = ""
    """Display name of the scope."""
    drawn: tuple[DrawsFinding, ...] | None = None
    """Counts of each candidate's repeated answers; None if each question was answered once."""
    ended: tuple[tuple[str, BudgetEnd], ...] = ()
    """The candidates whose questions a budget ended, and after how many."""
    strict_faults: bool = False
    """Whether questions that were turned away counted as heard."""
    drawing: Drawing = "scope"
    """How questions were drawn."""
    largest_weight: float | None = None
    """The weight of the heaviest question as a multiple of its share, if questions are drawn evenly and count by weight."""
    history: HistoryUse | None = None
    """Predictions from the history, and their effect; None without a history."""
    grading: GradingReport | None = None
    """The judge's report; None if the scope's own rule graded."""
    judge_ended: str = ""
    """The limit of the budget that left no room for a judgement; empty if there was room."""

    def within(self, attempt: AttemptHistory) -> Comparison:
        """The finding with its attempt as recorded at the end."""
        signature = replace(self.signature, seed=attempt.told_seed)
        return replace(self, attempt=attempt, signature=signature)

    @property
    def complete(self) -> bool:
        """Whether every candidate was asked all of a finite scope."""
        return all(pair.complete for pair in self.pairs)

    @property
    def on(self) -> str:
        """The scope's display name."""
        return self.title or name_of(self.scope)

    def about(self, *, remedy: bool = True) -> str:
        """The scope, with the judge if one grades, and with the kind of answers if that matters.

        remedy: as for `about_in_words`.
        """
        judged = self.on
        if self.grading is not None:
            judged += f" (as judged by {self.grading.judge_in_headline('{}; {}')})"
        if self.attempt is None:
            return judged
        return judged + about_in_words(self.attempt.held.about, len(self.candidates), remedy=remedy)

    @property
    def judge_caveats(self) -> tuple[str, ...]:
        """Caveats that come from the grading."""
        if self.grading is None:
            return ()
        hidden = self.grading.unreadable and any(pair.hidden for pair in self.pairs)
        return (*self.grading.caveats, *((how.UNREAD_JUDGE,) if hidden else ()))

    @property
    def judge_method(self) -> tuple[str, ...]:
        """How the judge graded; nothing if the scope's own rule did."""
        return () if self.grading is None else (*grading_method(self.grading), how.BLIND)

    @property
    def verdict(self) -> str:
        """The verdict on two candidates; for several, the number of significant differences."""
        if len(self.pairs) == 1:
            return self.pairs[0].verdict
        return f"{self.told_apart} of {len(self.pairs)} differences are significant"

    @property
    def told_apart(self) -> int:
        """Number of pairs with a better candidate."""
        return sum(pair.verdict in ("better", "worse") for pair in self.pairs)

    @property
    def delta(self) -> float:
        """The error that this attempt is allowed."""
        return self.config.delta if self.attempt is None else self.attempt.delta

    @property
    def tiers(self) -> tuple[tuple[int, ...], ...]:
        """Candidates by tier: each is one tier below the lowest of those that are certainly better."""
        return tiers(len(self.candidates), self.above)

    @property
    def unplaced(self) -> tuple[int, ...]:
        """Candidates that differ significantly from no other, in tier 1 by default."""
        return unplaced(len(self.candidates), self.above)

    @property
    def above(self) -> frozenset[Pair]:
        """Pairs (better, worse) of candidates."""
        return frozenset(
            pair.pair if pair.verdict == "better" else (pair.pair[1], pair.pair[0])
            for pair in self.pairs
            if pair.verdict in ("better", "worse")
        )

    @property
    def ranks(self) -> tuple[tuple[int, int], ...]:
        """The best and the worst possible rank of each candidate."""
        return places(len(self.candidates), self.above)

    @property
    def statement(self) -> str:
        """The result in plain sentences."""
        return f"{self.headline} {self.basis}"

    @property
    def headline(self) -> str:
        """The verdict in a sentence or two."""
        return self._headline(self.about())

    def _headline(self, on: str) -> str:
        text = parts.headline(self.candidates, self.pairs, on, self.config.margin, of=self.measured)
        return f"{text}{parts.ungraded(self.candidates)}"

    @property
    def measured(self) -> str:
        """The compared quantity, in the plural."""
        return "mean scores" if self.drawn is None else self.drawn[0].compared

    @property
    def asked(self) -> str:
        """The number of questions drawn, and the way of drawing, in words."""
        questions = numbered(self.questions, "question")
        return questions if self.drawn is None else f"{questions} {self.drawn[0].drawn}"

    @property
    def basis(self) -> str:
        """The basis of the verdict, in a sentence."""
        questions = self.asked
        if self.complete:
            return f"All {questions} of the scope were asked."
        if self.config.rule == "share" and len(self.pairs) > 1:
            wrong = f"{self.config.delta * 100:.3g}%"
            return f"After {questions}, by a procedure with on average at most {wrong} wrong statements."
        any_ = "a wrong statement" if len(self.pairs) == 1 else "any wrong statement"
        return f"After {questions}, by a procedure that makes {any_} {how_often(self.config.delta, self.attempt)}."

    @property
    def how_drawn(self) -> tuple[str, ...]:
        """How questions were drawn, if it matters to readers."""
        return how.how_drawn(self.drawing, self.largest_weight)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats of the result, the most important first."""
        attempt = () if self.attempt is None else self.attempt.caveats
        further = how.caveats(
            self.pairs,
            delta=self.delta,
            share=self.config.rule == "share",
            margin=self.config.margin,
            unread_is_wrong=self.config.unreadable == "wrong",
            published=self.scope_size is not None,
        )
        left_out = self._left_out if self.left_out else ""
        ended = f"The budget ended early: {'; '.join(self.exhausted)}." if self.exhausted else ""
        known = history_caveats(self.history, several=True)
        more = (*self.same_answers, *self.recorded_answers, *filter(None, (left_out, ended)), *known, *self.asked_so, *attempt)
        return (*self.judge_caveats, *further, *more)

    @property
    def same_answers(self) -> tuple[str, ...]:
        """A sentence for each candidate that answered the same each time."""
        value = zip(self.candidates, self.drawn or (), strict=False)
        return tuple(sentence for candidate, drawn in value for sentence in drawn.caveats_of(candidate.called))

    @property
    def recorded_answers(self) -> tuple[str, ...]:
        """A sentence for each candidate whose draws came from a recording."""
        if self.drawn is None or self.drawn[0].draws.number > 1:
            return ()
        recorded = [candidate.called for candidate in self.candidates if candidate.name.startswith(RECORDINGS)]
        return tuple(
            f"For {name}, it is about these recorded answers, which stayed the same at each draw." for name in recorded
        )

    @property
    def drawn_how(self) -> tuple[str, ...]:
        """How questions were drawn and answered, where that was several times."""
        return () if self.drawn is None else drawn_for_all(self.drawn[0])

    def answers_again(self) -> tuple[Block, ...]:
        """How questions were answered by each candidate that several answers were asked of."""
        value = zip(self.candidates, self.drawn or (), strict=False)
        return tuple(block for candidate, drawn in value for block in repeated_answers(drawn, candidate.called))

    @property
    def _left_out(self) -> str:
        if all(candidate.name.startswith("log:") for candidate in self.candidates):
            samples = "1 sample is" if self.left_out == 1 else f"{count(self.left_out)} samples are"
            why = "since not all logs have them with one input and one target"
            return f"{samples} left out, {why}: it holds for the others alone."
        return (
            f"{count(self.left_out)} questions of the scope are left out, since not all recordings have them: it holds for the "
            "others alone."
        )

    def report(self) -> Report:
        """The whole report as blocks."""
        several = len(self.pairs) > 1
        names = [candidate.called for candidate in self.candidates]
        return Report(
            kind="Comparison on the same questions",
            title=f"{' against '.join(names[:3])}{' …' * (len(names) > 3)} on {self.on}",
            headline=clipped(self._short_headline, 600),
            verdict=parts.shown_verdict(self.pairs),
            chance=self.basis,
            blocks=(
                *(() if several else (self.tiles,)),
                *(() if several else parts.discordant(names, self.pairs[0])),
                parts.candidates_table(self.candidates, self.ranks if several else None, self.drawn),
                *(
                    parts.of_several(names, self.pairs, self.tiers, self.unplaced)
                    if several
                    else parts.of_two(names, self.pairs[0], self.drawn)
                ),
                *parts.ungraded_replies(self.candidates),
                *self.answers_again(),
                who_graded(self.grading),
                known_before(self.history),
                limits(self.caveats),
                method_of(
                    (
                        *self.how_drawn,
                        *self.judge_method,
                        *how.method(self.config.margin, self.delta, several=several),
                        *self.drawn_how,
                    )
                ),
            ),
            statement=self.statement,
            signature=self.signature.line,
        )

    @property
    def _short_headline(self) -> str:
        """The verdict without bounds and options; the tiles of the page show the bounds."""
        on, verdict = self.about(remedy=False), self.pairs[0].verdict
        if len(self.pairs) > 1 or verdict == "undecided":
            return self._headline(on)
        first, second = (self.candidates[index].called for index in self.pairs[0].pair)
        return f"{parts.claimed(first, second, verdict)} on {on}.{parts.ungraded(self.candidates)}"

    @property
    def tiles(self) -> Tiles:
        """The deciding numbers of two candidates."""
        what = parts.MEAN_SCORES if self.drawn is None else self.drawn[0].plotted
        return parts.tiles(self.candidates, self.pairs[0], self.config.margin, what)

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(candidate.name for candidate in self.candidates)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values; null for unknown ones."""
        names = [candidate.name for candidate in self.candidates]
        alone = self.pairs[0].figures(self.candidates) if len(self.pairs) == 1 else {}
        several = {
            "pairs": [pair.figures(self.candidates) for pair in self.pairs],
            "tiers": [[names[index] for index in tier] for tier in self.tiers],
        }
        return {
            "scope": self.scope,
            "scope_size": self.scope_size,
            "left_out": self.left_out,
            "questions": self.questions,
            "margin": self.config.margin,
            "delta": self.config.delta,
            "rule": self.config.rule,
            **given(drawing=self.drawing != "scope" and self.drawing, largest_weight=self.largest_weight, draws=self.drawn),
            "candidates": [
                {
                    "name": candidate.name,
                    "score": to_json(candidate.score) | range_as_json("value_range", candidate.score_range),
                    "questions": candidate.questions,
                    "unreadable": candidate.unreadable,
                    **given(unread=candidate.unread),
                    **({} if self.grading is None else {"unread_judgements": candidate.unread_judgements}),
                    "places": list(rank),
                    "tokens": candidate.spending.tokens,
                    "money": candidate.spending.money,
                }
                for candidate, rank in zip(self.candidates, self.ranks, strict=True)
            ],
            **({name: alone[name] for name in alone if name not in ("verdict", "questions")} if alone else several),
            **given(history=self.history, grading=self.grading),
        }

    @property
    def verdict_word(self) -> str | None:
        """The verdict on the pair; None if there are several."""
        return self.verdict

    def provenance(self) -> dict[str, Any]:
        """The seed, the attempt, and everything else needed to repeat it."""
        return {
            **({"seed": self.signature.seed} if self.attempt is None else attempt_as_json(self.signature, self.attempt)),
            **given(budget_ended=dict(self.ended), strict_faults=self.strict_faults, judge_ended=self.judge_ended),
        }
