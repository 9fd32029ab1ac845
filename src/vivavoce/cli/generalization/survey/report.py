"""`viva generalization survey report`: how often, and how, beliefs changed in a survey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from vivavoce.cli import options
from vivavoce.cli.generalization.survey.exports import is_count, read_places, whole_export
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page

_ENDS = ("begun", "agreed", "done", "failed", "withdrawn", "unfinished")


@click.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE...")
@options.output_options
def report(places: tuple[Path, ...], as_json: bool, html: Path | None) -> None:
    """How often did answers change beliefs, by stage and direction, and how are beliefs spread?

    \b
    viva generalization survey report answers
    viva generalization survey report stage-1 stage-2 stage-3 --html page.html
    viva generalization survey report pairs.csv --json

    Reads what 'export' writes: its folders, one or several, or any file of pairs with belief changes.
    """
    from vivavoce.generalization.survey.belief_changes import score_survey
    from vivavoce.generalization.survey.conduct import conduct_of

    check_page(html)
    read = read_places(places)
    asked = {"flags", "own_right", "wave"} & read.columns
    conduct = conduct_of(read.responses, checked="flags" in asked) if asked else None
    pairs = [one.pair for one in read.responses]
    finding = score_survey(pairs, source=read.source, digest=read.digest, counts=_counts(places), conduct=conduct)
    show(finding, as_json=as_json, html=html)


def _counts(places: Sequence[Path]) -> Mapping[str, int] | None:
    """How many respondents came to which end, over all folders; None where a place does not say."""
    from vivavoce.errors import BadFile

    total = dict.fromkeys(_ENDS, 0)
    for place in places:
        file = place / "survey.json"
        if not place.is_dir() or not file.is_file():
            return None
        try:
            told = whole_export(file)["counts"]
            found = {name: told[name] for name in _ENDS}
        except (KeyError, TypeError) as error:
            raise BadFile(file, f"is no export of a survey ({type(error).__name__}): 'survey export' writes one") from None
        if not all(map(is_count, found.values())):
            raise BadFile(file, "its 'counts' are no whole numbers")
        for name in _ENDS:
            total[name] += found[name]
    return total
