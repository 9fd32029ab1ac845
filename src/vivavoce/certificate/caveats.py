"""What a certificate does not show, each in a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.certificate.unread_caveats import Unread, unread_caveats
from vivavoce.certificate.verdict import Verdict
from vivavoce.interview.faults import asked_anew_caveat, turned_away_caveat

SEVERAL = 2
"""Zero-scored replies that hold an accepted answer and are worth a sentence: one may be chance."""
NAMED = 10
"""Columns that are named where more were ignored."""


_FIXED = "a fixed candidate, which would do as well at any question whenever it is asked"


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The facts about an examination that its caveats rest on."""

    population: int | None
    clustered: bool
    ridiculous_limit: float | None
    exact: bool
    """Whether all of a finite scope was asked."""
    unread: Unread
    no_answers: int
    orphans: int
    faults: int
    turned_away: int
    asked_anew: int
    if_anew_wrong: Verdict | None
    """The verdict if answers that were asked anew counted 0."""
    decided: bool
    changed: bool
    """Whether the scores say that the candidate did not stay the same."""
    overlooked: int = 0
    """Replies that earned nothing and hold an accepted answer somewhere."""
    strata_unasked: int = 0
    """Strata in which no question was asked."""
    unread_is_wrong: bool = False
    """Whether a reply that could not be read scored 0, as the user wished."""
    zero_is_ridiculous: bool = False
    largest_weight: float | None = None
    """How many times its share the heaviest question counted, where questions were drawn evenly."""


AS_GRADED: Final = (
    "It is about grades as they were given: how often a rule or a judge misreads a reply is measured at best, not proven."
)


def caveats(facts: Circumstances) -> tuple[str, ...]:
    """The caveats that apply, the weightiest first.

    The first says what the guarantee is (and what it is not: given a verdict, that it is right with probability 1 - delta).
    """
    return tuple(sentence for sentence in _all(facts) if sentence)


def _all(facts: Circumstances) -> tuple[str, ...]:
    return (
        ""
        if facts.exact or not facts.decided
        else "The guarantee is about the procedure: whatever the candidate is like, a wrong verdict comes out at most that "
        "often. It is not the probability that this one verdict is wrong.",
        "The scores did not come in random order: something changed while questions were asked, the candidate or its service. "
        f"The guarantee assumes {_FIXED}; this one was not."
        if facts.changed
        else "",
        ""
        if facts.exact or facts.changed or not facts.decided
        else f"It assumes {_FIXED}. One that tires, learns or is replaced may do well until the verdict and badly "
        "afterwards: '--min-questions' and '--over-hours' ask more, and for longer.",
        "Every question of the scope was asked, so nothing about these questions is left to chance; a candidate that answers "
        "differently each time may do otherwise tomorrow."
        if facts.exact
        else "",
        "It holds for questions drawn as the scope draws them, in these words, and for the candidate as it was when it "
        "answered; it says nothing about other questions.",
        AS_GRADED,
        _some(
            facts.no_answers,
            "got no answer (a time-out, a refusal by a content filter, or an error of the candidate's own) and scored 0.",
        ),
        *unknowable_caveats(facts.orphans, facts.faults, facts.turned_away),
        *asked_anew_caveats(facts.asked_anew, facts.if_anew_wrong),
        ""
        if facts.overlooked < SEVERAL
        else f"{facts.overlooked} replies scored 0 although an accepted answer appears somewhere in them: look at these, and "
        "if they are right, have the questions matched in another way ('match' in a file of your own).",
        *unread_caveats(facts.unread, wrong=facts.unread_is_wrong, zero_is_ridiculous=facts.zero_is_ridiculous),
        "Ridiculous answers were not examined: no limit was set." if facts.ridiculous_limit is None else "",
        "" if not facts.strata_unasked or facts.exact else _unasked(facts.strata_unasked),
        ""
        if facts.largest_weight is None
        else f"Questions were drawn evenly and count by weight, the heaviest {facts.largest_weight:.3g} times its share: "
        "the mean score is an estimate whose values are not all between 0 and 1.",
        "Questions of one cluster are not independent: each cluster counts once, with its mean." if facts.clustered else "",
        "Whether answers were memorised cannot be seen from answers to published questions." if facts.population else "",
    )


def ignored_caveats(scopes: Sequence[object]) -> tuple[str, ...]:
    """What to say about how a file was read, and what of it was not; nothing where there is nothing, or no file."""
    notes = dict.fromkeys(note for scope in scopes for note in getattr(scope, "notes", ()))
    names = tuple(dict.fromkeys(name for scope in scopes for name in getattr(scope, "ignored", ())))
    if not names:
        return tuple(notes)
    shown = ", ".join(f"“{name[:40]}”" for name in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return (*notes, f"Unknown columns of the file were ignored: {shown}{more}.")


def _unasked(strata: int) -> str:
    some = "One stratum was" if strata == 1 else f"{strata} strata were"
    return (
        f"{some} not asked about: the evidence and the intervals allow for anything there, the mean score and the rate leave "
        f"{'it' if strata == 1 else 'them'} out."
    )


def _some(number: int, rest: str) -> str:
    return f"{number} question{'' if number == 1 else 's'} {rest}" if number else ""


def unknowable_caveats(orphans: int, faults: int, turned_away: int) -> tuple[str, ...]:
    """What to say about questions whose worth nobody knows, whatever was replied; nothing where there are none.

    >>> unknowable_caveats(0, 1, 0)[0][:60]
    '1 question met a fault of the server, which may have heard i'
    """
    found = (
        _some(
            orphans,
            "had been asked when the program ended, and got no answer: each counts as 0 in the evidence for understanding and "
            "as 1 in the evidence against it, and was not asked again, since the candidate may have ended the program itself.",
        ),
        _some(
            faults,
            "met a fault of the server, which may have heard it: each counts as 0 in the evidence for understanding and as 1 "
            "in the evidence against it, and as possibly ridiculous, whatever was said to a second try. The next run over the "
            "same transcript asks those without an answer again.",
        ),
        turned_away_caveat(turned_away) if turned_away else "",
    )
    return tuple(sentence for sentence in found if sentence)


def asked_anew_caveats(number: int, otherwise: Verdict | None) -> tuple[str, ...]:
    """What to say about questions that met a fault of the service in an earlier run and were answered in a later one.

    otherwise: the verdict if these answers counted 0; None where that is not known.

    >>> asked_anew_caveats(3, Verdict.UNDECIDED)[0][-79:]
    'If the 3 answers that a later run asked again counted 0, it would be undecided.'
    """
    if not number:
        return ()
    would = "" if otherwise is None else f" {if_anew_wrong(number, otherwise)}"
    return (asked_anew_caveat(number) + would,)


def followed_up(settings: Mapping[str, object]) -> str:
    """What a headline adds to a candidate whose replies the user chose to have followed up.

    >>> followed_up({"asking": "turn"}), followed_up({"asking": "by form"})
    (' with follow-up', '')
    """
    return " with follow-up" if settings.get("asking") == "turn" else ""


def if_anew_wrong(number: int, otherwise: Verdict) -> str:
    """What the verdict would be if so many answers that a later run asked again counted 0.

    >>> if_anew_wrong(1, Verdict.PASS)
    'If the answer that a later run asked again counted 0, it would pass all the same.'
    """
    answers = "the answer that a later run asked again" if number == 1 else f"the {number} answers that a later run asked again"
    would = {
        Verdict.PASS: "it would pass all the same",
        Verdict.FAIL: "it would fail",
        Verdict.UNDECIDED: "it would be undecided",
    }
    return f"If {answers} counted 0, {would[otherwise]}."
