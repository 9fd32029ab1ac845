"""What a candidate handed over of how it answers: each procedure with its audit, and what they came to."""

from __future__ import annotations

from typing import Final

from vivavoce.certificate.explanations.finding import Explained, Explanation
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, score, share, share_interval
from vivavoce.report.blocks import Block, Code, Column, Fold, InFull, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import paragraphs

SHOWN_CODE: Final = 1_200
"""Characters of a procedure: enough to see what it does."""
SHOWN_SOURCE: Final = 60
SHOWN_FAILURE: Final = 200


def explanations(explained: Explained | None, *, questions: int, delta: float) -> Section:
    """The procedures, what they saved of so many questions, and where the error of so much went; nothing without them."""
    if explained is None:
        return Section("", ())
    behind = f"Programs ran in a process of their own behind: {explained.sandbox}."
    return Section(
        "Explanations",
        (
            *_table(explained),
            *paragraphs(*summary(explained, questions=questions, delta=delta)),
            *(_code(place, explanation) for place, explanation in enumerate(explained.explanations, 1)),
            InFull(paragraphs(behind if explained.sandbox else "")),
        ),
    )


def summary(explained: Explained, *, questions: int, delta: float) -> list[str]:
    """What the explanations came to, in sentences."""
    offered, accepted = len(explained.explanations), len(explained.accepted)
    asked = f"The candidate was asked {_times(explained.requests)} for procedures. " if explained.requests else ""
    sentences = [f"{asked}{count(offered)} {'was' if offered == 1 else 'were'} handed over, {count(accepted)} accepted."]
    if explained.standing:
        sentences.append(
            f"The verdict is about the candidate together with {_procedures(explained.standing)}. "
            f"{_questions(explained.asked)} put to the candidate in all."
        )
    if saved := explained.saved_in(questions):
        sentences.append(saved)
    if explained.saved is not None and explained.clean is not None and explained.clean_alone is not None:
        change = f"{count(abs(explained.saved))} {'saved' if explained.saved >= 0 else 'more'}"
        sentences.append(
            f"To show that ridiculous answers are rare enough takes {count(explained.clean)} questions to it where none is "
            f"ridiculous, without explanations {count(explained.clean_alone)}: {change}, requests included."
        )
    return [*sentences, _error(explained, delta)]


def _table(explained: Explained) -> tuple[Block, ...]:
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
    return (Table(columns, tuple(_row(place, of) for place, of in enumerate(explained.explanations, 1))),)


def _row(place: int, explanation: Explanation) -> Row:
    return Row(
        Cell(str(place), place),
        (
            Cell(f"{explanation.kind}, {clipped(explanation.source, SHOWN_SOURCE)}"),
            _mass(explanation),
            _failures(explanation),
            count_cell(explanation.answered),
            Cell("accepted" if explanation.accepted else f"set aside: {explanation.why_dropped}"),
        ),
    )


def _mass(explanation: Explanation) -> Cell:
    mass = explanation.mass.value or 0.0
    if explanation.exact:
        return Cell(share(mass), mass)
    return Cell(share(mass), mass, explanation.mass.interval, share_interval(explanation.mass.interval))


def _failures(explanation: Explanation) -> Cell:
    if not explanation.covered:
        return Cell(f"none of {count(explanation.checks)} covered", known=False)
    words = f"{count(explanation.wrong)} of {count(explanation.covered)}"
    failing: Estimate = explanation.failing
    if explanation.exact:
        return Cell(f"{words}, all that there are", failing.value)
    return Cell(words, failing.value, failing.interval, share_interval(failing.interval))


def _error(explained: Explained, delta: float) -> str:
    """Where the error went."""
    whole = share(delta)
    if explained.as_known:
        return (
            "What Procedure 5.1 of the paper takes as known is known: the procedures were run on every question of the scope."
            if explained.accepted and all(explanation.exact for explanation in explained.accepted)
            else "What the checks found is taken as known, as in Procedure 5.1 of the paper; no part of the error is for it."
        )
    if explained.most_processes == 1:
        return (
            f"All of the error of {whole} is the verdict's: procedures are graded on every question that they answer, like the "
            "candidate, so the verdict does not depend on their checks."
        )
    return (
        f"Of the error of {whole} the verdict has {share(explained.delta)}, since the explanations might have changed "
        f"{_times(explained.most_processes - 1)}; they did {_times(explained.processes - 1)}. "
        "After each change counting begins again."
    )


def _code(place: int, explanation: Explanation) -> Fold:
    more = explanation.characters > len(explanation.beginning)
    mean = "unknown" if explanation.score is None else score(explanation.score)
    title = f"Procedure {place}, SHA-256 {explanation.digest[:12]}, {count(explanation.characters)} characters"
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


def _procedures(number: int) -> str:
    return f"{count(number)} procedure{'s' * (number > 1)}"


def _questions(number: int) -> str:
    return "1 question was" if number == 1 else f"{count(number)} questions were"
