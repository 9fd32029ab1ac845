"""The part of a certificate about explanations: each with its audit, the questions saved, and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, numbered, score, share, share_interval
from vivavoce.report.blocks import Block, Code, Column, Fold, InFull, ReportRow, ReportSection, ReportTable, paragraphs
from vivavoce.report.cells import TableCell, count_cell

SHOWN_CHARACTERS = 1_500
"""Characters of a procedure's text that are shown."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """One offered procedure, with its audit and its use."""

    source: str
    kind: str
    """`program` or `table`."""
    digest: str
    beginning: str
    """Its first characters; untrusted text."""
    characters: int
    frozen_after: int
    """Questions that the candidate had answered by then."""
    exact: bool
    """Whether it was checked on every question of the scope; else on fresh draws."""
    checks: int
    """Questions that it was checked on."""
    covered: int
    """Number of these that it answers and no earlier procedure does."""
    wrong: int
    """Number of these without full marks, including unacceptable ones."""
    unacceptable: int
    mass: Estimate
    """The share of the scope that it answers and no earlier one does; n are the checks."""
    failing: Estimate
    """The share of wrong answers among its own; n are the questions covered."""
    score: float | None
    """Mean of its answers; None if it covers nothing."""
    why_dropped: str
    """The reason why it was rejected, as a clause; empty if it was accepted."""
    failure: str
    """The program's message at its first failure; untrusted text."""
    answered: int = 0
    """Number of the verdict's questions that it answered for the candidate."""

    json_keys = (
        "source kind digest beginning characters frozen_after exact checks covered wrong unacceptable mass failing score "
        "why_dropped failure answered accepted"
    )

    @property
    def accepted(self) -> bool:
        """Whether it answered from then on."""
        return not self.why_dropped


@dataclass(frozen=True, slots=True)
class KnownPart:
    """The part of a finite scope on which the procedures were run in full before the first draw."""

    questions: int
    share: float
    """Its share of the scope, by weight."""
    score: float | None
    """Mean over these questions; None if there are none."""
    unacceptable: float | None
    required_score: float | None
    """The mean that the rest must reach, so that the whole has the passing grade; None if there is no rest."""
    required_unacceptable: float | None
    """The rate that the rest must not exceed; None if there is no rest, or no limit."""
    decides: bool
    """Whether this part alone decides the verdict, whatever the answers to the rest."""

    @property
    def sentences(self) -> str:
        """The known part, and what remains to be shown.

        >>> KnownPart(80, 0.8, 1.0, 0.0, -0.5, None, True).sentences.partition(". ")[0]
        'Known exactly: 80 questions of the scope (80%), mean score 1.00, unacceptable answers 0%'
        """
        if self.score is None or self.unacceptable is None:
            return "Known exactly: no question of the scope, since no unit is covered as a whole. No draw was saved."
        known = (
            f"Known exactly: {numbered(self.questions, 'question')} of the scope ({share(self.share)}), "
            f"mean score {score(self.score)}, unacceptable answers {share(self.unacceptable)}."
        )
        if self.required_score is None:
            return f"{known} That is the whole scope, so nothing is left to chance."
        if self.decides:
            return f"{known} This decides the verdict, whatever the answers to the others would be: they were not asked."
        return f"{known} They were all answered before the first draw. The others alone are drawn: {self._required}."

    @property
    def _required(self) -> str:
        limit, least = self.required_unacceptable, self.required_score or 0.0
        grade = f"their mean score must reach {score(least)}" if least > 0 else "any mean score of theirs is enough"
        if limit is None:
            return grade
        return f"{grade}, and {f'at most {share(limit)} of them may' if limit < 1 else 'all of them might'} be unacceptable"


@dataclass(frozen=True, slots=True)
class ExplanationFinding:
    """The part of a certificate about explanations."""

    explanations: tuple[Explanation, ...]
    standing: int
    """How many procedures the verdict covers, together with the candidate."""
    questions: int
    """Number of the verdict's questions that the candidate answered itself."""
    asked: int
    """Total questions to the candidate, including requests for explanations."""
    requests: int
    """How often it was asked for explanations."""
    delta: float
    """The error that the verdict's process was allowed."""
    processes: int
    """How many processes were started; the first is never restarted."""
    most_processes: int
    """The number of processes that the error was divided among."""
    clean: int | None
    """Questions to the candidate that are enough to show that unacceptable answers are rare, if it gives none; None without a
    limit."""
    clean_alone: int | None
    """The same for the candidate without explanations."""
    first_fails: bool
    """Whether the candidate without the later explanations fails."""
    as_known: bool
    """Whether the results of the checks were taken as known, as in Procedure 5.1."""
    sandbox: str
    """The active layers of the sandbox; empty if nothing was run."""
    unread: int = 0
    """Requests with an unparsed or missing reply, so that its procedures are unknown."""
    known: KnownPart | None = None
    """The part of a finite scope that was known exactly before the first question; None elsewhere."""

    json_keys = (
        "explanations standing answered_by_candidate=questions asked requests requests_unread=unread delta processes "
        "most_processes clean clean_alone saved known_exactly=known sandbox"
    )

    @property
    def accepted(self) -> tuple[Explanation, ...]:
        """Procedures that answered."""
        return tuple(explanation for explanation in self.explanations if explanation.accepted)

    @property
    def saved(self) -> int | None:
        """Questions that the explanations save if no answer is unacceptable; negative if they cost more."""
        if self.clean is None or self.clean_alone is None:
            return None
        return self.clean_alone - self.clean - self.requests

    def saved_in(self, questions: int) -> str:
        """What the procedures saved, out of this many questions behind the verdict, as a sentence; empty if there is none."""
        if not self.standing or self.as_known:
            return ""
        if self.known is not None:
            return self.known.sentences
        calls = count(questions - self.questions)
        return (
            f"The procedures answered {calls} of the {count(questions)} questions drawn. This saved calls of the candidate, "
            "but no draws: nothing is known exactly, since not all that they cover was run before the first draw."
        )

    @property
    def together(self) -> str:
        """Addition to the candidate's name, since the verdict is not on the candidate alone.

        >>> ExplanationFinding((), 2, 9, 10, 1, 0.05, 1, 1, None, None, False, False, "").together
        ', together with 2 procedures,'
        """
        return f", together with {numbered(self.standing, 'procedure')}," if self.standing else ""

    def of_these(self, questions: int) -> str:
        """How many of the questions of the verdict the candidate answered itself; "" where it answered all."""
        if not self.standing:
            return ""
        if questions == self.questions:
            return " to the candidate"
        return f" ({count(self.questions)} of them answered by the candidate, the others by what it handed over)"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats to add to the certificate."""
        texts = []
        if self.standing:
            texts.append(
                f"What was examined is the candidate together with {numbered(self.standing, 'procedure')}: the verdict is for "
                "both together. Whether the candidate by itself answers as its procedures do was not tested."
            )
        if self.as_known and self.standing and not all(explanation.exact for explanation in self.accepted):
            texts.append(
                "Share, score and unacceptable answers of the procedures were taken as known, as in the paper. They are "
                "estimates, and the bound on the error does not include their errors."
            )
        if self.standing and any(explanation.kind == "program" for explanation in self.accepted):
            texts.append(
                "It holds for programs as they ran here; one that looks at the clock may behave differently elsewhere."
            )
        if self.unread:
            texts.append(
                f"In {count(self.unread)} of {count(self.requests)} replies to the request for procedures, no "
                "procedure, and no statement that there is none, could be read."
            )
        if self.first_fails:
            texts.append("Without what it handed over later the candidate fails; this was found as well.")
        return tuple(texts)


SHOWN_CODE: Final = 1_200
"""Characters of a procedure that are shown."""
SHOWN_SOURCE: Final = 60
SHOWN_FAILURE: Final = 200


def explanations(explained: ExplanationFinding | None, *, questions: int, delta: float) -> ReportSection:
    """The procedures, the questions saved, and the use of the error; nothing without procedures."""
    if explained is None:
        return ReportSection("", ())
    behind = f"Programs ran in a process of their own behind: {explained.sandbox}."
    return ReportSection(
        "Explanations",
        (
            *_table(explained),
            *paragraphs(*summary(explained, questions=questions, delta=delta)),
            *(_code(index, explanation) for index, explanation in enumerate(explained.explanations, 1)),
            InFull(paragraphs(behind if explained.sandbox else "")),
        ),
    )


def summary(explained: ExplanationFinding, *, questions: int, delta: float) -> list[str]:
    """Sentences on the results of the explanations."""
    offered, accepted = len(explained.explanations), len(explained.accepted)
    asked = f"The candidate was asked {_times(explained.requests)} for procedures. " if explained.requests else ""
    sentences = [f"{asked}{count(offered)} {'was' if offered == 1 else 'were'} handed over, {count(accepted)} accepted."]
    if explained.standing:
        sentences.append(
            f"The verdict is about the candidate together with {numbered(explained.standing, 'procedure')}. "
            f"{_questions(explained.asked)} put to the candidate in all."
        )
    if saved := explained.saved_in(questions):
        sentences.append(saved)
    if explained.saved is not None and explained.clean is not None and explained.clean_alone is not None:
        change = f"{count(abs(explained.saved))} {'saved' if explained.saved >= 0 else 'more'}"
        sentences.append(
            f"To show that unacceptable answers are rare enough takes {count(explained.clean)} questions to it where none is "
            f"unacceptable, without explanations {count(explained.clean_alone)}: {change}, requests included."
        )
    return [*sentences, _error(explained, delta)]


def _table(explained: ExplanationFinding) -> tuple[Block, ...]:
    if not explained.explanations:
        return ()
    columns = (
        Column("No.", short="no."),
        Column("What", short="explanation"),
        Column("Share of the scope", short="share"),
        Column("Failed in its checks", short="failed"),
        Column("Answered", short="answered"),
        Column("Then", short="then"),
    )
    return (ReportTable(columns, tuple(_row(index, of) for index, of in enumerate(explained.explanations, 1))),)


def _row(index: int, explanation: Explanation) -> ReportRow:
    return ReportRow(
        TableCell(str(index), index),
        (
            TableCell(f"{explanation.kind}, {clipped(explanation.source, SHOWN_SOURCE)}"),
            _mass(explanation),
            _failures(explanation),
            count_cell(explanation.answered),
            TableCell("accepted" if explanation.accepted else f"set aside: {explanation.why_dropped}"),
        ),
    )


def _mass(explanation: Explanation) -> TableCell:
    mass = explanation.mass.value or 0.0
    if explanation.exact:
        return TableCell(share(mass), mass)
    return TableCell(share(mass), mass, explanation.mass.interval, share_interval(explanation.mass.interval))


def _failures(explanation: Explanation) -> TableCell:
    if not explanation.covered:
        return TableCell(f"none of {count(explanation.checks)} covered", known=False)
    words = f"{count(explanation.wrong)} of {count(explanation.covered)}"
    failing: Estimate = explanation.failing
    if explanation.exact:
        return TableCell(f"{words}, all that there are", failing.value)
    return TableCell(words, failing.value, failing.interval, share_interval(failing.interval))


def _error(explained: ExplanationFinding, delta: float) -> str:
    whole = share(delta)
    if explained.as_known:
        return (
            "The part that Procedure 5.1 of the paper takes as known was run on every question of the scope."
            if explained.accepted and all(explanation.exact for explanation in explained.accepted)
            else "Checks count as exact, as in Procedure 5.1 of the paper: no part of the error is set aside for them."
        )
    if explained.most_processes == 1:
        return (
            f"All of the error of {whole} is the verdict's: procedures are graded on every question that they answer, like the "
            "candidate. So the verdict does not depend on their checks."
        )
    return (
        f"From the error of {whole}, the verdict gets {share(explained.delta)}, as the explanations might have changed "
        f"{_times(explained.most_processes - 1)}; they did {_times(explained.processes - 1)}. "
        "After each change, counting starts again."
    )


def _code(index: int, explanation: Explanation) -> Fold:
    more = explanation.characters > len(explanation.beginning)
    mean = "unknown" if explanation.score is None else score(explanation.score)
    title = f"Procedure {index}, SHA-256 {explanation.digest[:12]}, {count(explanation.characters)} characters"
    failure = clipped(explanation.failure, SHOWN_FAILURE)
    return Fold(
        f"{title}, mean score {mean}",
        (
            Code(clipped(explanation.beginning, SHOWN_CODE) + ("\n…" if more else "")),
            *paragraphs(f"Its first failure, in its own words: {failure}" if failure else ""),
        ),
    )


def _times(number: int) -> str:
    return {0: "not once", 1: "once"}.get(number, f"{count(number)} times")


def _questions(number: int) -> str:
    return "1 question was" if number == 1 else f"{count(number)} questions were"
