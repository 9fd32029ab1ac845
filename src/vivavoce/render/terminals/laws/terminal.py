"""Forecasts measured against laws, in the terminal: a table, comparisons, what was not shown, the sentence last."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from vivavoce.consistency.forecasts.finding import LawConsistency
from vivavoce.consistency.forecasts.ranking import CONTROL
from vivavoce.interview.wording import clipped, count, name_of, score
from vivavoce.laws.metrics import FORMULA
from vivavoce.render.pages.laws.pairs import by_pair, in_words, lines
from vivavoce.render.pages.laws.tables import (
    ABOUT_REFERENCES,
    AT_RANDOM,
    FEW,
    THE_SAME,
    View,
    mean,
    references,
    strong,
    tuples,
    view,
)
from vivavoce.render.pages.laws.worst import statements, worst
from vivavoce.render.replies import unused
from vivavoce.render.terminal import print_end, table

SHOWN_WORST: Final = 3
LONGEST_LAW: Final = 17
"""Characters of the widest built-in name; a user's law is cut to as many."""
NAME_WIDTH: Final = 24
SHARE_WIDTH: Final = 16
"""A share with its interval."""
NUMBERS_WIDTH: Final = 9
"""From the fewest tuples to the most."""
MOST_NAMES: Final = 20
"""Forecasters in a table."""
MOST_PAIRS: Final = 10


def print_laws(finding: LawConsistency, console: Console) -> None:
    """Strong contradictions by law and forecaster, beside those that know nothing; comparisons; the worst tuples."""
    shown = view(finding)
    if len(finding.forecasters) == 1:
        _of_one(shown, console)
    else:
        _of_several(shown, console)
    if shown.left_out:
        console.print(Text(shown.left_out, style="dim"))
    for line in _unread(finding):
        console.print(Text(line, style="dim"))
    _comparisons(finding, console)
    _worst(shown, console)
    print_end(console, finding)


def law_label(law: str) -> str:
    """The law as the command line calls it.

    >>> law_label("neg"), law_label("won: A, B where A implies B"), law_label("A, B, C where A implies B")
    ('neg', 'won', 'A, B, C where A i…')
    """
    name = clipped(law.partition(":")[0].strip(), 200)
    return name if len(name) <= LONGEST_LAW else f"{name[:LONGEST_LAW]}…"


def _of_one(shown: View, console: Console) -> None:
    made = table(("law", "strong", "mean", "random", "constant", "n"))
    for law in shown.laws:
        for row in shown.of_law(law):
            beside = references([row])
            found = (" ".join(strong(row)), " ".join(mean(row)))
            known = (beside[AT_RANDOM][0], beside[THE_SAME][0], count(row.n))
            made.add_row(*map(Text, (law_label(law), *found, *known)), style="dim" if law == CONTROL else None)
    console.print(made)
    at_least = " (0.2 or more on laws of your own)" if any(law not in FORMULA for law in shown.laws) else ""
    told = f"strong: share with a metric above 0.2{at_least}; random and constant: that of forecasters who know nothing"
    console.print(Text(told, style="dim"))


def _of_several(shown: View, console: Console) -> None:
    """Forecasters down, laws across, in blocks as wide as the terminal; intervals where they are few."""
    few = len(shown.forecasters) <= FEW
    names = list(shown.forecasters)
    if len(names) > MOST_NAMES:
        names = [*shown.ranked()[: MOST_NAMES // 2], *shown.ranked()[-MOST_NAMES // 2 :]]
        told = f"The {MOST_NAMES // 2} least and the {MOST_NAMES // 2} most contradictory of {count(len(shown.forecasters))}."
        console.print(Text(f"{told} The page and the JSON have all.", style="dim"))
    name_width = NAME_WIDTH if few else 3 * NAME_WIDTH // 2
    for laws in _blocks(shown.laws, console.width - name_width, SHARE_WIDTH if few else NUMBERS_WIDTH):
        rows = {law: shown.of_law(law) for law in laws}
        made = table(("strong", *map(law_label, laws)))
        made.columns[0].width, made.columns[0].overflow = name_width, "fold"
        for name in names:
            found = (shown.rows.get((name, law)) for law in laws)
            cells = ("not asked" if row is None else " ".join(strong(row)) if few else strong(row)[0] for row in found)
            made.add_row(*map(Text, (name_of(name), *cells)))
        for who in ABOUT_REFERENCES:
            beside = (references(rows[law])[who][0] for law in laws)
            made.add_row(*map(Text, (who.lower(), *beside)), style="dim")
        numbers = (tuples(rows[law]).removeprefix("n = ").replace(" to ", "–") for law in laws)
        made.add_row(*map(Text, ("tuples", *numbers)), style="dim")
        console.print(made)
        console.print()


def _blocks(laws: Sequence[str], width: int, least: int) -> Iterator[list[str]]:
    block: list[str] = []
    used = 0
    for law in laws:
        needed = max(least, len(law_label(law))) + 2
        if block and used + needed > width:
            yield block
            block, used = [], 0
        block.append(law)
        used += needed
    yield block


def _unread(finding: LawConsistency) -> list[str]:
    unread = sum(row.unreadable for row in finding.rows)
    told = [f"{count(unread)} tuple{'s' * (unread > 1)} with an unreadable forecast."] if unread else []
    return [*told, *filter(None, (unused(finding.replies),))]


def _comparisons(finding: LawConsistency, console: Console) -> None:
    pairs = by_pair(finding.comparisons)
    if pairs:
        console.print(Text("\nWho is more consistent", style="dim"))
    for first, second, of in pairs[:MOST_PAIRS]:
        console.print(Padding(Text(in_words(first, second, of)), (0, 0, 0, 2)))
    if len(pairs) > MOST_PAIRS:
        console.print(Text(f"  … and {count(len(pairs) - MOST_PAIRS)} more pairs", style="dim"))
    if len(pairs) == 1:
        rows = (
            (law_label(one.law), " ".join(line.difference), line.p, line.adjusted, line.strong)
            for one, line in zip(pairs[0][2], lines(pairs[0][2]), strict=True)
        )
        console.print()
        console.print(table(("law", "difference", "p", "after Holm", "strong in one alone"), rows))


def _worst(shown: View, console: Console) -> None:
    who = shown.forecasters if len(shown.forecasters) <= FEW else tuple(dict.fromkeys(reversed(shown.extremes())))
    found = worst(shown, who, SHOWN_WORST)
    if found:
        console.print(Text("\nThe worst contradictions: forecasts → the nearest coherent ones", style="dim"))
    for one in found:
        told = statements(one)[:8]
        name = "" if len(shown.forecasters) == 1 else f"{name_of(one.row.forecaster)}, "
        said = ", ".join(f"{logical or question[:40]} {forecast} → {nearest}" for question, logical, forecast, nearest in told)
        console.print(Text(f"  {name}{law_label(one.row.law)}, metric {score(one.metric or 0.0)}: {said}"), soft_wrap=True)
