"""Who graded a certificate's answers and how far graders agree, in words for the page and the terminal."""

from __future__ import annotations

from vivavoce.certificate.finding import Certificate
from vivavoce.certificate.graders.agreement import Agreement
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import count, name_of, share, share_interval, signed, signed_interval

Row = tuple[str, tuple[str, ...]]


def grading_rows(certificate: Certificate) -> list[Row]:
    """What to say about the grading: what, and its value in parts; empty where the scope's own rule graded."""
    grading = certificate.grading
    if grading is None:
        return []
    rows: list[Row] = []
    if grading.by_rule or grading.ruled_only:
        rows.append(("Graded by rule", (count(grading.by_rule + grading.ruled_only),)))
    if grading.judge_alone:
        rows.append(("Graded by the judge", (count(grading.by_judge),)))
    if grading.judge:
        rows.append(("Judge", (name_of(grading.judge),)))
        each = f"{count(grading.judgements)} in all, {count(grading.draws)} an answer"
        rows.append(("Judgements", (each, f"({count(grading.unreadable)} unreadable)") if grading.unreadable else (each,)))
    if grading.judge and grading.judge_spending.tokens:
        rows.append(("Tokens of the judge", (count(grading.judge_spending.tokens), "among all")))
    if grading.by_people:
        waiting = (f"({count(len(grading.waiting))} wait)",) if grading.waiting else ()
        rows.append(("Graded by people", (count(grading.graded_by_people), *waiting)))
    if grading.judge and grading.by_people:
        rows.append(("By the judge alone", (count(grading.judged_only),)))
    if grading.agreement is not None:
        rows += agreement_rows(grading.agreement, "the judge", "people")
    if grading.between_people is not None:
        rows.append(("Graded by two people", (count(grading.between_people.answers),)))
        rows += agreement_rows(grading.between_people, "the first person", "the second")
    return rows


def grading_method(certificate: Certificate) -> list[str]:
    """How answers got their grades, in sentences; empty where the scope's own rule graded."""
    grading = certificate.grading
    if grading is None:
        return []
    worth = "counts 0 points" if grading.unreadable_is_wrong else "may have been for any points"
    draws = "once" if grading.draws == 1 else f"{count(grading.draws)} times"
    ruled = (
        "The scope's own rule graded the answers to questions without a rubric: nobody else is asked about them. What is "
        "examined is the mean of all grades."
    )
    which = "every answer to a question with a rubric" if grading.by_rule or grading.ruled_only else "every answer"
    judged = (
        f"A judge, {name_of(grading.judge)}, was asked {draws} about {which} and gave points by a rubric; what could not "
        f"be read {worth}."
    )
    waits = "Where an answer waits for people's grade the evidence ends, whatever is known of later ones."
    together = (
        "People graded one answer of each block, drawn in private once the judge had graded the whole block, from a secret to "
        f"which the record commits (SHA-256 {grading.commitment[:16]}...). What they gave is corrected by what the "
        "judge says about other answers minus what it says about this one: by nothing on average, whatever its bias. Half "
        "of the bets are on people's grades alone."
    )
    return [
        *([ruled] if grading.by_rule or grading.ruled_only else []),
        *([judged] if grading.judge else []),
        *([waits] if grading.by_people else []),
        *([together] if grading.judge and grading.by_people else []),
    ]


def agreement_rows(agreement: Agreement, first: str, second: str) -> list[Row]:
    """How far two graders agree, each number with its interval and n; `first` and `second` name them."""
    return [
        (f"Mean difference, {first} minus {second}", _parts(agreement.difference, signed_numbers=True)),
        ("Scores at most 0.1 apart", _parts(agreement.close)),
        *([] if agreement.correlation is None else [("Correlation", _parts(agreement.correlation, signed_numbers=True))]),
        (f"Ridiculous by {second}: {first} agrees", _parts(agreement.sensitivity)),
        (f"Not ridiculous by {second}: {first} agrees", _parts(agreement.specificity)),
    ]


def _parts(found: Estimate, *, signed_numbers: bool = False) -> tuple[str, ...]:
    if found.value is None:
        return ("unknown: there are none",)
    write, write_interval = (signed, signed_interval) if signed_numbers else (share, share_interval)
    return f"{write(found.value)} {write_interval(found.interval)},", f"n = {count(found.n)}"
