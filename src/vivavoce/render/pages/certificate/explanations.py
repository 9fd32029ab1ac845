"""What a certificate's page says about the explanations."""

from __future__ import annotations

from typing import Any

from vivavoce.certificate.explanations.finding import Explained, Explanation
from vivavoce.certificate.finding import Certificate
from vivavoce.formats.wording import clipped, count, score, share, share_interval

SHOWN_CODE = 1_200
"""Characters of a procedure: enough to see what it does."""


def explanations(certificate: Certificate) -> dict[str, Any]:
    """The values of the section; empty where there could be none."""
    explained = certificate.explained
    if explained is None:
        return {}
    return {
        "summary": summary(explained, certificate),
        "rows": explanation_rows(explained),
        "codes": [_code(number, one) for number, one in enumerate(explained.explanations, 1)],
        "sandbox": explained.sandbox,
    }


def explanation_rows(explained: Explained) -> list[tuple[str, ...]]:
    """For each procedure its number, source, share of the scope, failures, questions answered, and what became of it."""
    return [
        (
            f"{number}",
            f"{one.kind}, {clipped(one.source, 60)}",
            share(one.mass.value or 0.0)
            if one.exact
            else f"{share(one.mass.value or 0.0)} {share_interval(one.mass.interval)}",
            _failures(one),
            count(one.answered),
            "accepted" if one.accepted else f"set aside: {one.why_dropped}",
        )
        for number, one in enumerate(explained.explanations, 1)
    ]


def summary(explained: Explained, certificate: Certificate) -> list[str]:
    """What the explanations came to, in sentences."""
    offered, accepted = len(explained.explanations), len(explained.accepted)
    asked = f"The candidate was asked {_times(explained.requests)} for procedures. " if explained.requests else ""
    sentences = [f"{asked}{count(offered)} {'was' if offered == 1 else 'were'} handed over, {count(accepted)} accepted."]
    if explained.standing:
        sentences.append(
            f"The verdict is about the candidate together with {_procedures(explained.standing)}. "
            f"{_number(explained.asked)} put to the candidate in all."
        )
    if saved := explained.saved_in(certificate.questions):
        sentences.append(saved)
    if explained.saved is not None and explained.clean is not None and explained.clean_alone is not None:
        change = f"{count(abs(explained.saved))} {'saved' if explained.saved >= 0 else 'more'}"
        sentences.append(
            f"To show that ridiculous answers are rare enough takes {count(explained.clean)} questions to it where none is "
            f"ridiculous, without explanations {count(explained.clean_alone)}: {change}, requests included."
        )
    return [*sentences, _budget(explained, certificate)]


def _budget(explained: Explained, certificate: Certificate) -> str:
    """Where the error went."""
    whole = share(certificate.delta)
    if explained.as_known:
        return (
            "What Procedure 5.1 of the paper takes as known is known: the procedures were run on every question of the scope."
            if explained.accepted and all(one.exact for one in explained.accepted)
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


def _failures(one: Explanation) -> str:
    if not one.covered:
        return f"none of {count(one.checks)} covered"
    found = f"{count(one.wrong)} of {count(one.covered)}"
    if one.exact:
        return f"{found}, all that there are"
    return f"{found} {share_interval(one.failing.interval)}"


def _code(number: int, one: Explanation) -> dict[str, str]:
    beginning = clipped(one.beginning, SHOWN_CODE)
    left = one.characters - len(one.beginning)
    return {
        "title": f"Procedure {number}, SHA-256 {one.digest[:12]}, {count(one.characters)} characters",
        "text": beginning + ("" if left <= 0 else "\n…"),
        "failure": clipped(one.failure, 200),
        "score": "unknown" if one.score is None else score(one.score),
    }


def _times(number: int) -> str:
    return {0: "not once", 1: "once"}.get(number, f"{count(number)} times")


def _procedures(number: int) -> str:
    return f"{count(number)} procedure{'s' * (number > 1)}"


def _number(questions: int) -> str:
    return "1 question was" if questions == 1 else f"{count(questions)} questions were"
