"""What a gate has found: whether the new candidate passes, and all that the comparison behind it shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from vivavoce.certificate.attempts import Attempt, how_often
from vivavoce.certificate.comparison import report as parts
from vivavoce.certificate.comparison.compared import Compared, PairDifference, finite
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.report.grading import who_graded
from vivavoce.certificate.report.history import known_before
from vivavoce.certificate.unread_caveats import these_replies
from vivavoce.formats.wording import clipped, exactly, signed_exactly, signed_interval
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Report, Verdict
from vivavoce.report.cells import Tone
from vivavoce.report.parts import method_of
from vivavoce.report.reported import Reported

GateVerdict = Literal["pass", "fail", "undecided"]
SHARED: Final = (
    "scope", "scope_size", "left_out", "questions", "margin", "delta", "candidates", "difference", "shown", "first_better",
    "second_better", "share_better", "complete", "still_needed", "discordant", "categories", "drawing", "largest_weight",
    "grading",
)  # fmt: skip
"""JSON values that a gate has in common with a comparison."""
TONES: Final[dict[GateVerdict, Tone]] = {"pass": "good", "fail": "bad", "undecided": "open"}


@dataclass(frozen=True, slots=True, repr=False)
class Gate(Reported):
    """What `gate` returns."""

    comparison: Comparison
    """Of the new candidate with its baseline, on the questions that were asked."""
    verdict: GateVerdict
    if_anew_wrong: GateVerdict | None = None
    """The verdict if the new candidate's answers that were asked anew counted 0; None where there are none."""

    @property
    def new(self) -> Compared:
        """The candidate that is to be released."""
        return self.comparison.candidates[0]

    @property
    def baseline(self) -> Compared:
        """The one whose place it is to take."""
        return self.comparison.candidates[1]

    @property
    def pair(self) -> PairDifference:
        """Their difference, new minus baseline."""
        return self.comparison.pairs[0]

    @property
    def margin(self) -> float:
        """A drop of this mean score or more is not to pass."""
        return self.comparison.config.margin

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that it is."""
        return self.comparison.attempt

    @property
    def signature(self) -> Signature:
        """Enough for a stranger to have the numbers again."""
        return replace(self.comparison.signature, examination="gate")

    @property
    def statement(self) -> str:
        """The result in plain sentences."""
        return " ".join(filter(None, (self.headline, self.basis, self._without_anew if self.verdict == "pass" else "")))

    @property
    def headline(self) -> str:
        """The verdict in a sentence; with the share of replies that could not be graded, where that is large."""
        return f"{self._verdict_in_words.removesuffix('.')}{parts.ungraded(self.comparison.candidates)}."

    @property
    def _verdict_in_words(self) -> str:
        new, baseline, on = self.new.called, self.baseline.called, self.comparison.as_judged
        if self.pair.difference.value is None:
            return f"Undecided: {new} was not asked anything on {on}."
        found = f"the difference of their {self.comparison.measured} is {parts.measured(self.pair)}"
        required = f"above {signed_exactly(-self.margin)} is required"
        between = "" if self.pair.complete else f" {signed_interval(self.pair.difference.interval)}"
        by = f"{found}{between}; {required if self.margin else 'below 0 fails'}"
        match self.verdict:
            case "pass":
                passed = parts.above(self.pair, -self.margin)
                return f"Pass: {new} is not worse than {baseline} on {on}: {found}{passed}; {required}."
            case "fail":
                return f"Fail: {new} is worse than {baseline} on {on}: {found}{parts.below(self.pair, 0.0)}; below 0 fails."
        if self.pair.as_read != "undecided":
            result = "fails" if self.pair.as_read == "worse" else "passes"
            return f"Undecided: {new} {result} on {on} if {these_replies(self.pair.assumed)} wrong; {by}."
        if not self.margin:
            return f"Undecided: {new} is not shown to be worse than {baseline} on {on}; {by}."
        return (
            f"Undecided: {new} is shown neither to be worse than {baseline} on {on}, nor not to be worse by "
            f"{exactly(self.margin, '')} or more; {by}."
        )

    @property
    def basis(self) -> str:
        """What the verdict rests on, in a sentence."""
        questions = self.comparison.asked
        if self.comparison.complete:
            return f"All {questions} of the scope were asked."
        wrong = how_often(self.comparison.config.delta, self.attempt)
        return f"After {questions}, by a procedure that gives either wrong verdict {wrong}."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the result does not show, the weightiest first."""
        told = []
        if self.verdict == "undecided":
            left = self.pair.still_needed != 0 and not self.pair.hidden
            reason = "too few questions were asked for either" if left else "too many replies could not be graded"
            told.append(f"“Undecided” is neither a pass nor a failure: {reason}.")
        if self.verdict == "undecided" and not self.margin:
            told.append("With a margin of 0 nothing can pass: that nothing is worse at all cannot be shown.")
        if self.margin:
            told.append(
                f"A candidate that is worse by less than {exactly(self.margin, '')} may pass or fail, and either is right: it "
                "is worse, and it is worse by less than the margin."
            )
        told.append(
            f"It is about {self.comparison.measured}: a candidate that passes may have unlearnt some questions and learnt "
            "others."
        )
        if self._without_anew:
            told.append(self._without_anew)
        judged = self.comparison.judge_caveats
        general = [one for one in self.comparison.caveats if "“Undecided”" not in one and one not in judged]
        return (*judged, *told, *general)

    @property
    def _without_anew(self) -> str:
        """What the result would be if answers that a later run asked again counted 0; empty where there are none."""
        if self.if_anew_wrong is None:
            return ""
        return (
            f"If the answers of {self.new.called} that a later run asked again, after a fault of its service, counted 0, the "
            f"result would be: {self.if_anew_wrong}."
        )

    def report(self) -> Report:
        """All of it as blocks."""
        compared = self.comparison
        names = [one.called for one in compared.candidates]
        return Report(
            kind="Gate for a release",
            title=f"{names[0]} in place of {names[1]} on {compared.on}",
            headline=clipped(self.headline, 600),
            verdict=Verdict(self.verdict.capitalize(), TONES[self.verdict]),
            blocks=(
                *parts.opening(" ".join(filter(None, (self.basis, self._without_anew)))),
                parts.candidates_table(compared.candidates, None, compared.drawn),
                *parts.of_two(names, self.pair, compared.drawn),
                *compared.answers_again(),
                *parts.ungraded_replies(compared.candidates),
                who_graded(compared.grading),
                known_before(compared.history),
                Caveats(self.caveats),
                *parts.discordant(names, self.pair),
                method_of(
                    (
                        *compared.how_drawn,
                        *compared.judge_method,
                        *parts.gate_method(self.margin, compared.delta),
                        *compared.drawn_how,
                    )
                ),
            ),
            statement=self.statement,
            signature=self.signature.line,
        )

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return (self.new.name, self.baseline.name)

    def figures_as_json(self) -> dict[str, Any]:
        """The numbers as JSON values; null for what is not known."""
        compared = self.comparison
        values = compared.figures_as_json()
        log_e = dict(zip(("worse", "no_worse"), map(finite, self.pair.log_e[1:3]), strict=True))
        return {
            **{name: values[name] for name in SHARED if name in values},
            **compared.draws_as_json(),
            "log_e": log_e,
            **({} if self.comparison.history is None else {"history": values["history"]}),
            **({} if self.if_anew_wrong is None else {"verdict_if_asked_anew_is_wrong": self.if_anew_wrong}),
        }

    @property
    def verdict_word(self) -> str:
        """The verdict."""
        return self.verdict

    def conduct_as_json(self) -> dict[str, Any]:
        """The seed, the attempt, and what else it takes to hold it again."""
        return self.comparison.conduct_as_json()
