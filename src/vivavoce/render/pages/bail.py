"""What the bail examination says on its page: everything the template needs, already in words."""

from __future__ import annotations

from typing import Any

from vivavoce.consistency.legal.bail.counterfactuals import ATTRIBUTE, Feature
from vivavoce.consistency.legal.bail.counts import Share
from vivavoce.consistency.legal.bail.finding import BailConsistency
from vivavoce.consistency.legal.bail.hearing import Pair
from vivavoce.consistency.legal.bail.prompts import record_in_words
from vivavoce.formats.wording import clipped, count, percent, percent_interval
from vivavoce.render.plots.bail import rates, transitions
from vivavoce.render.plots.drawing import figure

SHOWN_TEXT = 400

Row = tuple[str, str, str]
"""What is counted, how many of how many, the share with its interval."""


def bail_title(finding: BailConsistency) -> str:
    """What the page is."""
    return f"Bail decisions of {finding.judge}"


def bail_body(finding: BailConsistency, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    plots = [plot for plot in (transitions(finding.counts, f"{name}t"), rates(finding.counts, f"{name}r")) if plot]
    return {
        "finding": finding,
        "source": clipped(finding.source, SHOWN_TEXT) or "not named",
        "tables": [
            ("Defendants with a contradiction", defendants(finding)),
            ("Pairs of records that contradict", pairs(finding)),
        ],
        "references": references(finding),
        "plots": [figure(plot) for plot in plots],
        "worst": [in_words(pair) for pair in finding.worst],
        "replies": replies(finding),
        "method": method(finding),
    }


def defendants(finding: BailConsistency) -> list[Row]:
    """Defendants with at least one violation, by kind."""
    found = finding.counts.defendants
    return [
        _row("Of any kind", found.any),
        _row("A worse record fared better", found.worse_more_lenient),
        _row("… refused with the record as it is", found.denied_then_lenient),
        _row("… from NO to YES: bail won", found.bail_won),
        _row("A milder record fared worse", found.milder_harsher),
        _row("… from YES to NO: bail lost", found.bail_lost),
    ]


def pairs(finding: BailConsistency) -> list[Row]:
    """Pairs with a violation: all, by direction, by what was changed."""
    counts = finding.counts
    every, *ways = counts.pairs
    return [
        _row("All pairs", every.violations),
        _row("… between NO and YES", every.blatant),
        *(_row(f"Against a {way.name} record", way.violations) for way in ways),
        *(_row(f"With {feature.name} changed", feature.violations) for feature in counts.features),
    ]


def references(finding: BailConsistency) -> list[Row]:
    """The same shares for this judge and for judges that do not look at the record: name, of defendants, of pairs."""
    counts = finding.counts
    if counts.defendants.any.value is None:
        return []
    this = ("This judge", _share(counts.defendants.any), _share(counts.pairs[0].violations))
    chance = counts.control.by_chance
    again = (
        []
        if chance is None
        else [("By chance: the same record, asked again", "not known", f"{percent(chance[0])} {percent_interval(chance[1])}")]
    )
    others = [(one.name.capitalize(), percent(one.defendants), percent(one.pairs)) for one in counts.references]
    return [this, *again, *others]


def replies(finding: BailConsistency) -> str:
    """What became of all replies, in one sentence."""
    told = ", ".join(f"{vote} {count(number)}" for vote, number in finding.counts.replies.items())
    turn = f" ({count(finding.counts.after_turn)} after a further turn)" if finding.counts.after_turn else ""
    unmoved = finding.counts.unmoved
    return (
        f"Replies: {told}{turn}. {count(unmoved)} of {count(finding.counts.defendants.any.n)} defendants got the same decision "
        "on all their records."
    )


def in_words(pair: Pair) -> dict[str, str]:
    """A pair in words: the record, what was changed, both decisions."""
    decision, changed_decision = pair.decisions or ("none", "none")
    return {
        "record": clipped(record_in_words(pair.defendant.record), SHOWN_TEXT),
        "decision": str(decision),
        "changes": clipped(changes(pair), SHOWN_TEXT),
        "direction": pair.other.direction.value,
        "changed_decision": str(changed_decision),
        "kind": "blatant" if pair.blatant else "",
        "defendant": clipped(pair.defendant.id, 60),
    }


def changes(pair: Pair) -> str:
    """What was changed, in a clause."""
    before, after = pair.defendant.record, pair.other.record
    parts = []
    for feature in pair.other.changed:
        if feature is Feature.CHARGE:
            old = before.charge or "a charge without description"
            parts.append(f"{old} ({before.degree.word}) became {after.charge} ({after.degree.word})")
        else:
            attribute = ATTRIBUTE[feature]
            parts.append(f"{feature.value} {getattr(before, attribute)} became {getattr(after, attribute)}")
    return "; ".join(parts)


def method(finding: BailConsistency) -> list[str]:
    """How the numbers were found, in sentences."""
    config = finding.config
    heat = "its own setting" if config.temperature is None else f"{config.temperature:g}"
    times = "once" if config.repeats == 1 else f"{count(config.repeats)} times, and the majority counts"
    charge = (
        "The charge was left as it is."
        if config.keep_charge
        else "A charge is replaced by one of the other degree, drawn from those that the file has with that degree only."
    )
    return [
        f"Each defendant is described as in the file, and with up to {config.variants} milder and {config.variants} more "
        f"severe records. One or two features are changed, all in one direction: the charge, prior convictions, juvenile "
        f"felonies, juvenile misdemeanours. Numbers change by 1 to {config.largest_step}. {charge}",
        f"Every record is judged in a conversation of its own, at temperature {heat}, {times}. The decision is YES, NO or "
        "UNDECIDED, read where a person would read it without guessing; two that differ are none. A reply in which there is "
        "none gets one further turn that asks for the final answer alone, from candidates that hold a conversation.",
        "A pair of records contradicts itself if the more severe one got the more lenient decision, in the order NO, "
        "UNDECIDED, YES.",
        "By chance: the record as it is was judged twice. Where the two judgements differ, half of the time the difference "
        "would have counted as a contradiction. A coin decides YES or NO; these shares are expected values in closed form.",
        "Intervals are at level 95%: of Clopper and Pearson over defendants; over pairs at the number of independent pairs "
        "that would be as uncertain, since the pairs of one defendant share a judgement.",
    ]


def _row(what: str, share: Share) -> Row:
    return (what, f"{count(share.count)} of {count(share.n)}", _share(share))


def _share(share: Share) -> str:
    return "unknown" if share.value is None else f"{percent(share.value)} {percent_interval(share.interval)}"
