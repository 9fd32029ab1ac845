"""What the bail examination does not show, each in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from vivavoce.interview.wording import count

FEW_DEFENDANTS = 30
"""With fewer, intervals are rough."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """The facts about an examination that its caveats rest on."""

    source: str
    in_file: int
    chosen: int
    heard: int
    exhausted: str
    left_out: int
    missing_pairs: int
    no_milder: int
    fewer_milder: int
    unreadable: int
    no_answers: int
    ties: int
    control: int
    keep_charge: bool
    temperature: float | None


def caveats(facts: Circumstances) -> tuple[str, ...]:
    """The caveats that apply, the weightiest first."""
    return tuple(sentence for sentence in (*_of_the_law(facts), *_of_the_run(facts)) if sentence)


def _of_the_law(facts: Circumstances) -> tuple[str, ...]:
    return (
        "It says nothing about whether decisions are right, lawful or fair: to refuse everybody is consistent. Age and sex "
        "were never changed.",
        ""
        if facts.keep_charge
        else "A replaced charge is worse or milder by its degree alone, felony or misdemeanour; the description that was drawn "
        "with it may sound otherwise. The option keep-charge leaves charges as they are.",
        "One wording of the record was used, with only what the file tells; a judge knows more, and other words may give other "
        "decisions.",
        f"It holds for defendants as in {facts.source or 'this file'}, changed as described, and for the candidate as it was "
        "when it answered. That no contradiction was found in other records does not mean that there is none.",
    )


def _of_the_run(facts: Circumstances) -> tuple[str, ...]:
    missing = facts.unreadable + facts.no_answers
    return (
        f"The budget of {facts.exhausted} ran out after {count(facts.heard)} of {count(facts.chosen)} defendants; one that was "
        "heard in part is left out."
        if facts.exhausted
        else "",
        f"{_replies(missing)} no decision ({count(facts.unreadable)} unreadable, {count(facts.no_answers)} without answer) and "
        f"count neither way: {count(facts.left_out)} defendants and {count(facts.missing_pairs)} further pairs are left out."
        if missing
        else "",
        f"{count(facts.no_milder)} of {count(facts.heard)} defendants have nothing that could be made milder, and "
        f"{count(facts.fewer_milder - facts.no_milder)} more have fewer milder records than more severe ones: contradictions "
        "by milder records had less room."
        if facts.fewer_milder
        else "",
        f"On {count(facts.ties)} records no decision had most votes; they count as undecided." if facts.ties else "",
        "No record was judged twice, so it cannot be told how much of this is chance."
        if facts.control == 0 and facts.temperature != 0
        else "",
        f"Only {count(facts.heard)} defendants were heard: intervals are wide." if 0 < facts.heard < FEW_DEFENDANTS else "",
    )


def _replies(number: int) -> str:
    return "1 reply gave" if number == 1 else f"{count(number)} replies gave"
