"""What the paraphrase checks say on their page: everything the template needs, already in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, Literal

from vivavoce.consistency.legal.cases.counts import QUANTILES, THRESHOLDS, Counts, Row
from vivavoce.consistency.legal.cases.finding import CaseConsistency
from vivavoce.consistency.legal.cases.trials import Box, Trial
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.wording import (
    clipped,
    count,
    percent,
    percent_interval,
    score_interval,
    signed,
    signed_interval,
)
from vivavoce.render.plots.cases import before_and_after
from vivavoce.render.plots.drawing import figure

HEADS: Final = {Box.BLACK: "Random fact", Box.WHITE: "Most important fact", Box.AGAIN: "Asked again"}
"""The boxes as columns: black box, white box, control."""
SHOWN_CHARACTERS: Final = 1_500
"""Of a fact and of a paraphrase."""
SHOWN_WORDS: Final = 300
"""That are compared; the time grows with their square."""

Cell = tuple[str, str]
"""A number and its interval."""
Kind = Literal["same", "removed", "added"]
Piece = tuple[Kind, str]


def cases_title(finding: CaseConsistency) -> str:
    """What the page is."""
    return f"Decisions of {clipped(finding.candidate, 120)} on paraphrased cases"


def cases_body(finding: CaseConsistency, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plot = before_and_after(finding.trials, finding.counts.rows, f"{name}b", threshold=finding.threshold)
    return {
        "finding": finding,
        "source": clipped(finding.source, 160) or "not named",
        "paraphraser": clipped(finding.paraphraser, 160),
        "columns": [HEADS[row.box] for row in finding.counts.rows],
        "numbers": numbers(finding.counts.rows),
        "notes": notes(finding.counts),
        "plots": [figure(plot)] if plot else [],
        "worst": [_shown(trial, finding.threshold) for trial in finding.worst],
        "method": method(finding),
    }


def numbers(rows: Sequence[Row]) -> list[tuple[str, tuple[Cell, ...]]]:
    """The table: what is counted, and a number with its interval for each box."""
    return [
        ("Decision flips", tuple(_share(row.flips) for row in rows)),
        ("… no violation before", tuple(_share_of(row.to_violation) for row in rows)),
        ("… violation before", tuple(_share_of(row.from_violation) for row in rows)),
        ("Cases with a flip", tuple(_share(row.flipped_cases) for row in rows)),
        ("Mean shift", tuple(_number(row.mean_shift) for row in rows)),
        ("Median shift", tuple(_number(row.quantiles[0]) for row in rows)),
        (f"… {QUANTILES[1]:.0%} are below", tuple(_number(row.quantiles[1]) for row in rows)),
        *((f"Shift over {limit:g}", tuple(_share(row.over[i]) for row in rows)) for i, limit in enumerate(THRESHOLDS)),
        ("Largest shift", tuple(("none" if row.largest is None else f"{row.largest:.2f}", "") for row in rows)),
        ("Shift with its sign", tuple(_signed(row.signed_shift) for row in rows)),
        ("Trials", tuple((count(row.trials), "") for row in rows)),
        ("Cases", tuple((count(row.cases), "") for row in rows)),
    ]


def notes(counts: Counts) -> list[str]:
    """What became of the cases and paraphrases, in sentences."""
    wanted = counts.paraphrases + sum(counts.problems.values())
    found = [
        f"Cases judged: {count(counts.examined)}, {count(counts.violations)} of them as a violation."
        + (f" Passed over: {_listed(counts.skipped)}." if counts.skipped else ""),
        f"Paraphrases: {count(counts.paraphrases)} of {count(wanted)} could be used."
        + (f" The others: {_listed(counts.problems)}." if counts.problems else ""),
    ]
    if counts.judged_by:
        ways = (f"{way} in {count(number)} case{'' if number == 1 else 's'}" for way, number in counts.judged_by.items())
        found.append(f"Importance measured by {', '.join(ways)}.")
    if counts.absences:
        first = clipped(counts.first_absence, 200)
        found.append(f"Judgements that did not come: {_listed(counts.absences)}. The first: {first}")
    return found


def method(finding: CaseConsistency) -> list[str]:
    """How the numbers were found, in sentences."""
    pairs = finding.counts.pairs
    return [
        "Each case is judged as it is, and again with one fact paraphrased: a fact drawn at random (black box), or the one "
        "that is most important to the classifier (white box). All other facts stay as they are. The decision is a violation "
        f"where the probability is at least {finding.threshold:g}.",
        "Importance is the attention that the classifier pays to a fact, where it reports that; else the change of the "
        "probability when the fact is left out.",
        "Asked again: the identical case is put once more, as an independent draw. A classifier that always answers alike has "
        "no flips there; a language model may.",
        "Intervals are at level 95%. Trials of one case are alike and count as a group: shares have the interval of Clopper "
        "and Pearson at the number of independent trials that would be as uncertain, means Student’s with a variance robust "
        "to groups, quantiles Woodruff’s.",
        *(
            [
                "White box against black box: of each case the first random fact, and as many paraphrases of either fact; "
                f"in {count(pairs.both)} cases both flip, in {count(pairs.white_only)} the most important fact alone, in "
                f"{count(pairs.black_only)} the random one alone, in {count(pairs.neither)} neither. McNemar’s exact test; the "
                "interval is that of Bonett and Price."
            ]
            if pairs
            else []
        ),
    ]


def marked(before: str, after: str) -> tuple[list[Piece], list[Piece]]:
    """Both texts in pieces: words that stay, words that were removed, words that were added.

    >>> marked("He was jailed twice.", "He was imprisoned twice.")[1]
    [('same', 'He was '), ('added', 'imprisoned'), ('same', ' twice.')]
    """
    old, new = (re.findall(r"\S+\s*", clipped(text, SHOWN_CHARACTERS))[:SHOWN_WORDS] for text in (before, after))
    matcher = SequenceMatcher(None, [word.strip() for word in old], [word.strip() for word in new], autojunk=False)
    removed: list[Piece] = []
    added: list[Piece] = []
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        _add(removed, "same" if kind == "equal" else "removed", "".join(old[old_from:old_to]))
        _add(added, "same" if kind == "equal" else "added", "".join(new[new_from:new_to]))
    return removed, added


def _add(pieces: list[Piece], kind: Kind, text: str) -> None:
    """One more piece; the blank behind it is marked as little as that before it."""
    words, blank = text.rstrip(), text[len(text.rstrip()) :]
    parts: tuple[Piece, Piece] = ((kind, words), ("same", blank))
    for part, piece in parts:
        if piece and pieces and pieces[-1][0] == part:
            pieces[-1] = (part, pieces[-1][1] + piece)
        elif piece:
            pieces.append((part, piece))


def decision(probability: float, threshold: float) -> str:
    """The hard decision in words."""
    return "violation" if probability >= threshold else "no violation"


def step(trial: Trial, threshold: float) -> str:
    """What the trial did to the decision, in words."""
    before, after = decision(trial.before, threshold), decision(trial.after, threshold)
    verdicts = f"still {before}" if before == after else f"{before} → {after}"
    return f"{verdicts}, {trial.before:.2f} → {trial.after:.2f}"


def _shown(trial: Trial, threshold: float) -> dict[str, Any]:
    before, after = marked(trial.fact, trial.paraphrase)
    return {
        "case": clipped(trial.case, 120),
        "number": trial.number + 1,
        "box": HEADS[trial.box].lower(),
        "flips": trial.flips(threshold),
        "step": step(trial, threshold),
        "before": before,
        "after": after,
    }


def _listed(words: Mapping[str, int]) -> str:
    return ", ".join(f"{clipped(word, 80)} {count(number)}" for word, number in words.items())


def _share(estimate: Estimate) -> Cell:
    return ("none" if estimate.value is None else percent(estimate.value), _if_any(estimate, percent_interval))


def _share_of(estimate: Estimate) -> Cell:
    value, interval = _share(estimate)
    return (value, f"{interval} of {count(estimate.n)}" if estimate.n else "")


def _number(estimate: Estimate) -> Cell:
    return ("none" if estimate.value is None else f"{estimate.value:.2f}", _if_any(estimate, score_interval))


def _signed(estimate: Estimate) -> Cell:
    return ("none" if estimate.value is None else signed(estimate.value), _if_any(estimate, signed_interval))


def _if_any(estimate: Estimate, write: Callable[[Interval], str]) -> str:
    return "" if estimate.value is None else write(estimate.interval)
