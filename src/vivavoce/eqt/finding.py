"""What an examination on a candidate's own explanations finds, as values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from vivavoce.eqt.config import EqtConfig
from vivavoce.eqt.figures import Example, Figures, Shown, Validity
from vivavoce.eqt.grounding import Grounding
from vivavoce.eqt.questions import UNREAD, Answer, Manner, Role
from vivavoce.eqt.readings import pattern_as_json
from vivavoce.eqt.report.cells import called
from vivavoce.eqt.report.examples import examples
from vivavoce.eqt.report.figures import CategoryBars, GapFigure, drawn, too_many
from vivavoce.eqt.report.grounding import grounded, sources_caveat, sources_say
from vivavoce.eqt.report.method import as_printed, consistency, cut_off, lead, method, not_as_many, said_back
from vivavoce.eqt.report.tables import by_part, most_frequent, numbers, readings, took, visitors, who, worth
from vivavoce.eqt.report.tables import reasons as reasons_listed
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, name_of, percent, percent_interval, score, score_interval
from vivavoce.interview.finding import Signature
from vivavoce.interview.forms.patterns import Pattern
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.report.blocks import Block, Caveats, Figure, Fold, InFull, InShort, Report, Section
from vivavoce.report.parts import notes, paragraphs
from vivavoce.report.reported import Reported


@dataclass(frozen=True, slots=True, repr=False)
class ExplainQueryTest(Reported):
    """What `score` returns."""

    candidate: str
    """Who answers."""
    roles: Mapping[Role, str]
    set_up: EqtConfig
    whole: Figures
    valid: Figures
    """Over valid questions alone, and paraphrases that keep the meaning."""
    categories: tuple[Figures, ...]
    concepts: tuple[Figures, ...]
    validity: Validity
    manners: Mapping[Manner, int]
    """How closed-book answers were read."""
    after_turn: int
    """How many of them were read only after a further turn that asked for the final answer alone."""
    pattern: Pattern[Choice] | None
    """The most frequent closed-book answer, and how often the keys have it; None where no answer could be read."""
    of_one_pattern: Mapping[str, Figures]
    """Where one answer prevails: the figures that are withheld from `whole` and `valid`, under these names; else empty."""
    unread: Mapping[str, int]
    """Why closed-book answers could not be read -> how many."""
    not_asked: int
    """Wordings that were there, but were not put, as the budget had run out."""
    no_explanation: Mapping[str, int]
    """Why concepts have no explanation -> how many."""
    examples: tuple[Example, ...]
    planned: int
    """Concepts that were to be examined."""
    completed: int
    calls: int
    tokens_in: int
    tokens_out: int
    money: float
    exhausted: str
    visitors: Mapping[str, Estimate]
    """Cross-examination: who else answered these questions -> closed-book accuracy on originals."""
    ahead: Mapping[str, Estimate]
    """The same names -> accuracy less the candidate's own on these questions, paired by question."""
    signature: Signature
    asking: tuple[str, ...] = ()
    """What to know about how the candidates were asked, in sentences."""
    answered: Mapping[str, Mapping[tuple[str, int], Answer]] = field(default_factory=dict, repr=False)
    """The visitors' answers themselves."""
    grounding: Grounding | None = None
    """What the user's sources show; None where there are none."""
    shown: Shown | None = None
    """How often the example of the printed prompts came as an answer; None with prompts of our own."""
    cut_explanations: int = 0
    """Explanations that were cut off by a limit, and count as far as they go."""
    other_options: int = 0
    """Questions with more or fewer options than were asked for."""

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return _headline(self)

    @property
    def others(self) -> str:
        """What comes next, in a sentence or two; may be empty."""
        return _others(self)

    @property
    def statement(self) -> str:
        """The result in plain words."""
        return f"{self.headline} {self.others}".rstrip()

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the figures do not show."""
        return _caveats(self)

    def report(self) -> Report:
        """All of it as blocks."""
        left_out = too_many(len(self.categories))
        return self.reported(
            "Explain, query, test",
            f"What {called(self.candidate)} makes of its own explanations",
            InFull(paragraphs(self.others, lead(self.signature.scope, its_own=self.explains_itself))),
            *self._gap(left_out),
            *numbers(self.whole, self.valid),
            InFull(paragraphs(consistency(self.whole, self.set_up, one_pattern=bool(self.of_one_pattern)))),
            *self._by_category(left_out),
            grounded(self.grounding),
            worth(self.validity, checked=self.set_up.checks),
            *examples(self.examples),
            visitors(self.visitors, self.ahead),
            Caveats(self.caveats),
            Section("How replies were read, and what it took", self._took()),
            method(self.set_up),
        )

    def _gap(self, left_out: str) -> tuple[Block, ...]:
        """The gap as a figure, where it is known."""
        if self.whole.gap.value is None:
            return ()
        return (Figure(GapFigure(self.whole, drawn(self.categories)), _GAP.format(left_out).strip()),)

    def _by_category(self, left_out: str) -> tuple[Block, ...]:
        """Figures by category, if there are several, and by concept."""
        blocks: list[Block] = []
        if len(self.categories) > 1:
            bars = Figure(CategoryBars(drawn(self.categories)), _BARS.format(left_out).strip())
            table = by_part("Category", self.categories, "categories")
            blocks += [InFull((Section("By category", (bars, Fold("The same in numbers", table, main=True))),)), InShort(table)]
        if self.concepts:
            blocks.append(Fold("By concept", by_part("Concept", self.concepts, "concepts"), main=True))
        return tuple(blocks)

    def _took(self) -> tuple[Block, ...]:
        """How replies were read, what could not be, and what was asked at what cost."""
        missing = reasons_listed(
            {
                "Answers that could not be used": self.unread,
                "Wordings that were not put": {"the budget had run out": self.not_asked},
                "Questions that were not written": self.validity.not_written,
                "Paraphrases that were not made": self.validity.not_paraphrased,
                "Concepts without an explanation": self.no_explanation,
            }
        )
        left = f" of {count(self.planned)}" if self.completed != self.planned else ""
        lines = [("Concepts", f"{count(self.completed)}{left}"), ("Calls", count(self.calls))]
        if self.tokens_in or self.tokens_out:
            lines.append(("Tokens", f"{count(self.tokens_in)} sent, {count(self.tokens_out)} received"))
        if self.money:
            lines.append(("Money", f"{self.money:.2f} at the given prices"))
        if self.exhausted:
            lines.append(("Ended by", clipped(self.exhausted, 60)))
        return (
            *readings(self.manners, self.validity.manners, self.after_turn),
            InFull(notes(*missing)),
            *most_frequent(self.pattern),
            *took(lines, missing, who(self.roles)),
        )

    @property
    def explains_itself(self) -> bool:
        """Whether the candidate answers questions on its own explanations, and not on another's."""
        return self.roles.get("explainer", self.candidate) == self.candidate

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values, without the texts; the names are part of the public face."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "roles": dict(self.roles),
            "set_up": asdict(self.set_up),
            "whole": self.whole.as_json(),
            "valid": self.valid.as_json(),
            "categories": [figures.as_json() for figures in self.categories],
            "concepts": [figures.as_json() for figures in self.concepts],
            "validity": asdict(self.validity),
            "manners": dict(self.manners),
            "after_turn": self.after_turn,
            "pattern": self.pattern and pattern_as_json(self.pattern),
            "of_one_pattern": {name: figures.as_json() for name, figures in self.of_one_pattern.items()},
            "unread": dict(self.unread),
            "not_asked": self.not_asked,
            "cut_explanations": self.cut_explanations,
            "other_options": self.other_options,
            "no_explanation": dict(self.no_explanation),
            "planned": self.planned,
            "completed": self.completed,
            "calls": self.calls,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "money": self.money,
            "exhausted": self.exhausted,
            "visitors": {name: estimate.as_json() for name, estimate in self.visitors.items()},
            "ahead": {name: estimate.as_json() for name, estimate in self.ahead.items()},
            "seed": self.signature.seed,
            "caveats": list(self.caveats),
            "signature": self.signature.line,
            **({} if self.grounding is None else {"grounding": self.grounding.as_json()}),
            **({} if self.shown is None else {"shown": asdict(self.shown)}),
        }


_GAP: Final = (
    "Each dot is the share of questions, in their original wording, that are answered exactly: full without the explanation, "
    "hollow with it. To the right the difference. Lines are 95% intervals. {}"
)
_BARS: Final = (
    "Answered exactly: all wordings without the explanation, solid; the original wording with it, hatched. Lines are 95% "
    "intervals. {}"
)


def _headline(finding: ExplainQueryTest) -> str:
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
    if finding.shown is not None and 2 * finding.shown.answers > finding.shown.of_answers:
        before += f"{said_back(finding.shown)}, the example in the prompt. "
    if 2 * faulty > checked.written:
        before += f"Most questions are worth nothing: {count(faulty)} of {count(checked.written)} have a fault. On the others: "
        return before + _said(finding, finding.valid)
    return before + _said(finding, whole)


def _others(finding: ExplainQueryTest) -> str:
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
    if finding.grounding is not None and (said := sources_say(finding.grounding)):
        parts.append(said)
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

    >>> from vivavoce.formats.interval import Interval
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


def _said(finding: ExplainQueryTest, figures: Figures) -> str:
    own = finding.explains_itself
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
        if finding.explains_itself:
            return "it explains more than it comprehends"
        return f"it comprehends less than {name_of(finding.roles['explainer'])} explains"
    if gap.interval.upper < 0:
        return "it does better without"
    most = math.ceil(round(100 * gap.interval.upper, 9))
    return f"no gap was found, though up to {most} points are possible" if most > 1 else "no gap was found"


def _share(estimate: Estimate, highest: float | None = None) -> str:
    value = percent(estimate.value or 0.0)
    if highest is not None and percent(highest) != value:
        value = f"{value.removesuffix('%')}–{percent(highest)}"
    return f"{value} {percent_interval(estimate.interval)}"


def _questions(number: int) -> str:
    return f"{count(number)} question{'' if number == 1 else 's'}"


def _minus(value: int) -> str:
    return f"−{-value}" if value < 0 else str(value)


FEW: Final = 10
"""Concepts below which an interval is told to be rough."""


def _caveats(finding: ExplainQueryTest) -> tuple[str, ...]:
    """What to keep in mind about these numbers; each only where it applies."""
    who = "the candidate" if finding.explains_itself else name_of(finding.roles["explainer"])
    return tuple(
        filter(
            None,
            (
                f"What {who} never mentions is never asked, and what it explains wrongly is keyed wrongly: the figures show "
                "whether an explanation is known, not whether it is true.",
                sources_caveat(
                    finding.grounding, itself=finding.roles.get("checker") == finding.candidate, completed=finding.completed
                ),
                as_printed(finding.shown),
                not_as_many(finding.other_options, finding.validity.written, finding.set_up.options),
                _key(finding),
                _same_reply(finding),
                _faults(finding),
                _pattern(finding),
                _unreadable(finding),
                cut_off((finding.manners, finding.validity.manners), finding.cut_explanations, finding.completed),
                _after_turn(finding),
                _paraphrases(finding),
                _concepts(finding),
                ""
                if finding.set_up.shuffle
                else "Options stood as their writer put them: a model that favours one place for what is right also finds "
                "it there (position bias).",
                _temperature(finding),
                _budget(finding),
                _no_explanation(finding),
                *finding.asking,
            ),
        )
    )


def _key(finding: ExplainQueryTest) -> str:
    if not finding.set_up.checks:
        return "Neither keys nor paraphrases were checked: a wrong key makes a right answer count as wrong."
    writer, checker = finding.roles.get("writer"), finding.roles.get("checker")
    if writer == checker:
        return "Nobody but their writer checked the keys: a mistake that it makes twice stays unseen."
    return f"Keys were checked by {name_of(checker or 'a model')}, which can be mistaken too, and by no person."


def _same_reply(finding: ExplainQueryTest) -> str:
    same = finding.set_up.checks and finding.roles.get("checker") == finding.roles.get("answerer")
    if not same or finding.valid.open_book.value != 1.0:
        return ""
    return (
        "The checker is the answerer, so questions without a fault are by definition those that it answers rightly with the "
        "explanation at hand: over them only the figures without the explanation say anything."
    )


def _faults(finding: ExplainQueryTest) -> str:
    checked = finding.validity
    faulty = checked.written - checked.valid
    if not faulty:
        return ""
    share = f"{count(faulty)} of {count(checked.written)} questions ({percent(faulty / checked.written)})"
    return f"{share} {'has' if faulty == 1 else 'have'} a fault; figures are given with and without them."


def _pattern(finding: ExplainQueryTest) -> str:
    """Where one answer is given more often than the keys explain, or may be; the headline says it where it prevails."""
    pattern = finding.pattern
    if pattern is None or not (pattern.repeated or pattern.untold):
        return ""
    said = f"The answer “{letters(pattern.value)}” is given to {count(pattern.questions)} of {count(pattern.of_questions)} "
    said += f"questions and is the key of {count(pattern.keys)}"
    if pattern.untold:
        return f"{said}: these are too few questions to tell whether it is given whatever is asked."
    constant = f"always the same answer would get at most {percent(pattern.best / pattern.of_questions)} right"
    if pattern.prevails:
        return f"{said}, more than the keys explain: all figures about knowledge are withheld; {constant}."
    return f"{said}, more than the keys explain: part of the answers do not depend on the question; {constant}."


def _unreadable(finding: ExplainQueryTest) -> str:
    missing = sum(finding.unread.values())
    if not missing:
        return ""
    total = finding.whole.unreadable.n
    unread = sum(number for manner, number in finding.manners.items() if manner in UNREAD)
    told = f"{count(missing)} of {count(total)} answers ({percent(missing / total)}) "
    told += f"could not be read or did not come{reasons(finding.unread)}"
    if not unread:
        return f"{told}; they count as wrong."
    copied = finding.manners.get("copied", 0)
    repeats = f" {count(copied)} only repeat what was shown." if copied else ""
    return f"{told}; {count(unread)} came and may have been right or wrong: figures are given for both.{repeats}"


def _after_turn(finding: ExplainQueryTest) -> str:
    if not finding.after_turn:
        return ""
    return (
        f"{count(finding.after_turn)} of {count(finding.whole.unreadable.n)} answers could be read only after a further turn "
        "that asked for the final answer alone."
    )


def _paraphrases(finding: ExplainQueryTest) -> str:
    checked = finding.validity
    missing = checked.paraphrases_wanted - checked.paraphrases_made
    parts = []
    if missing:
        parts.append(f"{count(missing)} of {count(checked.paraphrases_wanted)} paraphrases are missing")
    if checked.paraphrases_changed:
        parts.append(
            f"{count(checked.paraphrases_changed)} of {count(checked.paraphrases_made)} paraphrases mean something else"
        )
    return f"{', and '.join(parts)}: consistency over all wordings is rough where many are." if parts else ""


def _concepts(finding: ExplainQueryTest) -> str:
    concepts = finding.whole.concepts
    if not concepts:
        return ""
    if concepts == 1:
        return "One concept only: the intervals are about other questions on it, not about other concepts."
    rough = f"Only {count(concepts)} concepts, so that intervals are rough. " if concepts < FEW else ""
    return f"{rough}Intervals are about other concepts like these, with questions by the same writer."


def _temperature(finding: ExplainQueryTest) -> str:
    temperature = finding.set_up.temperature
    if temperature == 0:
        return ""
    which = "its own temperature" if temperature is None else f"temperature {temperature:g}"
    return f"Answers were drawn at {which}: part of the differences between wordings is chance, not the wording."


def _budget(finding: ExplainQueryTest) -> str:
    if not finding.exhausted and finding.completed >= finding.planned:
        return ""
    why = f" ({name_of(finding.exhausted)})" if finding.exhausted else ""
    left = f"; {count(finding.not_asked)} wordings were not put" if finding.not_asked else ""
    return f"The budget ran out{why}: {count(finding.completed)} of {count(finding.planned)} concepts were completed{left}."


def _no_explanation(finding: ExplainQueryTest) -> str:
    missing = sum(finding.no_explanation.values())
    if not missing:
        return ""
    return (
        f"{count(missing)} of {count(finding.completed)} concepts got no explanation{reasons(finding.no_explanation)}: "
        "no figure covers them."
    )
