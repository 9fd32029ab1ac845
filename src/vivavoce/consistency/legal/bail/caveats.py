"""What the bail examination does not show, each in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from vivavoce.consistency.legal.bail.decisions import Unread
from vivavoce.interview.unread import unread_caveats
from vivavoce.interview.wording import clipped, count

if TYPE_CHECKING:
    from vivavoce.consistency.legal.bail.finding import BailConsistency

FEW_DEFENDANTS = 30
"""With fewer, intervals are rough."""
SHOWN_NAME = 120


def caveats(finding: BailConsistency) -> tuple[str, ...]:
    """The caveats that apply, the weightiest first."""
    return tuple(sentence for sentence in (*_of_the_law(finding), *_of_the_run(finding)) if sentence)


def _of_the_law(finding: BailConsistency) -> tuple[str, ...]:
    return (
        "It says nothing about whether decisions are right, lawful or fair: refusing everybody is consistent. Age and sex "
        "were never changed.",
        ""
        if finding.variation.keep_charge
        else "A replaced charge is worse or milder by its degree alone, felony or misdemeanour; the description that was drawn "
        "with it may sound otherwise. The option keep-charge leaves charges as they are.",
        "One wording of the record was used, with only what the file tells; a judge knows more, and other words may give other "
        "decisions.",
        f"It holds for defendants as in {clipped(finding.source, SHOWN_NAME) or 'this file'}, changed as described, and for "
        "the candidate as it was when it answered. That no contradiction was found in other records does not mean that there "
        "is none.",
    )


def _of_the_run(finding: BailConsistency) -> tuple[str, ...]:
    counts, reach = finding.counts, finding.reach
    unread = {vote: counts.replies[vote] for vote in get_args(Unread)}
    missing = sum(unread.values())
    reasons = ", ".join(f"{count(number)} {vote}" for vote, number in unread.items() if number)
    return (
        f"The budget of {reach.exhausted} ran out after {count(reach.heard)} of {count(reach.chosen)} defendants; one that was "
        "heard in part is left out."
        if reach.exhausted
        else "",
        f"{_replies(missing)} no decision ({reasons}) and count neither way: {count(counts.left_out)} defendants and "
        f"{count(counts.missing_pairs)} further pairs are left out."
        if missing
        else "",
        *unread_caveats(total=counts.came, copied=unread["copied"], cut_off=unread["cut off"], after_turn=counts.after_turn),
        f"{count(counts.no_milder)} of {count(reach.heard)} defendants have nothing that could be made milder, and "
        f"{count(counts.fewer_milder - counts.no_milder)} more have fewer milder records than more severe ones: contradictions "
        "by milder records had less room."
        if counts.fewer_milder
        else "",
        f"On {count(counts.ties)} records no decision had most votes; they count as undecided." if counts.ties else "",
        "No record was judged twice, so how much of this is chance is not known."
        if counts.control.changed.n == 0 and finding.temperature != 0
        else "",
        f"Heard: {count(reach.heard)} of {count(reach.in_file)} defendants only; intervals are wide."
        if 0 < reach.heard < FEW_DEFENDANTS
        else "",
    )


def _replies(number: int) -> str:
    return "1 reply gave" if number == 1 else f"{count(number)} replies gave"
