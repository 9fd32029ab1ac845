"""What the paraphrase checks do not show, each in a sentence."""

from __future__ import annotations

from vivavoce.consistency.legal.cases.counts import Counts
from vivavoce.consistency.legal.cases.importance import ATTENTION, LEAVE_ONE_OUT
from vivavoce.consistency.legal.cases.trials import Box
from vivavoce.formats.wording import clipped, count, share
from vivavoce.interview.caveats import unread_caveats

FEW_CASES = 30
"""With fewer, intervals over cases are rough."""


def caveats(counts: Counts, *, paraphraser: str, shortest: int) -> tuple[str, ...]:
    """The caveats that apply, the weightiest first."""
    return tuple(sentence for sentence in _all(counts, paraphraser, shortest) if sentence)


def _all(counts: Counts, paraphraser: str, shortest: int) -> tuple[str, ...]:
    again = counts.row(Box.AGAIN)
    noise = None if again is None else again.flips.value
    cases = max((row.cases for row in counts.rows), default=0)
    absent = sum(counts.absences.values())
    too_short = sum(counts.skipped.values())
    unchecked = counts.paraphrases - counts.checked
    return (
        f"Whether a paraphrase means the same as its fact rests on {clipped(paraphraser, 120)}: read those that flip."
        + (
            f" Nobody else checked {'them' if unchecked == counts.paraphrases else _of(unchecked, 'paraphrase')}."
            if unchecked
            else ""
        ),
        "A flip says that at least one of two decisions is wrong, not which; a decision that is kept need not be right.",
        "A flip may be a small step across the threshold: see by how much the probability shifts.",
        f"Asked the same again, it flips in {share(noise)} of the trials: that much is chance, not wording."
        if noise
        else "The control asks each case again as it is; it was left out, so chance and wording cannot be told apart."
        if again is None
        else "",
        "Attention is one measure of what a classifier relies on; the fact whose words matter most may be another one, "
        "so the white box may find fewer flips than there are."
        if counts.judged_by.get(ATTENTION)
        else "",
        "Importance was measured by leaving out one fact at a time: of two facts that say the same, neither counts."
        if counts.judged_by.get(LEAVE_ONE_OUT)
        else "",
        f"The classifier had no room for all facts in {_of(counts.truncated, 'case')}: what stands at their ends cannot change "
        "its decision."
        if counts.truncated
        else "",
        f"Facts with fewer than {count(shortest)} characters were left as they are." if shortest > 1 else "",
        f"Nothing was tried on {_of(too_short, 'case')}: "
        f"{', '.join(f'{reason} {count(number)}' for reason, number in counts.skipped.items())}."
        if too_short
        else "",
        f"Left out, since no judgement came or none could be read: {count(absent)}." if absent else "",
        *unread_caveats(
            total=counts.came,
            copied=counts.absences.get("copied", 0),
            cut_off=counts.absences.get("cut off", 0),
            after_turn=counts.after_turn,
        ),
        f"These are {_of(cases, 'case')} only: intervals are rough." if 0 < cases < FEW_CASES else "",
    )


def _of(number: int, what: str) -> str:
    return f"{count(number)} {what}{'' if number == 1 else 's'}"
