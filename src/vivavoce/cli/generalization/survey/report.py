"""`viva generalization survey report`: how often, and how, beliefs changed in a survey."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vivavoce.cli import options
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page

if TYPE_CHECKING:
    from vivavoce.generalization.pairs import Pair

_ENDS = ("begun", "agreed", "done", "failed", "withdrawn", "unfinished")
_MOST_BYTES = 1 << 30


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
    from hashlib import sha256

    from vivavoce.formats.lines import file_digest
    from vivavoce.generalization.pairs import read_pairs
    from vivavoce.generalization.survey.score import score_survey

    check_page(html)
    pairs: list[Pair] = []
    digests: list[str] = []
    for place in places:
        file = place / "pairs.csv" if place.is_dir() else place
        pairs += read_pairs(file)
        digests.append(file_digest(file))
    digest = digests[0] if len(digests) == 1 else sha256("".join(digests).encode()).hexdigest()
    finding = score_survey(pairs, source=", ".join(place.name for place in places), digest=digest, counts=_counts(places))
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
            if file.stat().st_size > _MOST_BYTES:
                raise BadFile(file, "larger than 1 GiB: no export is")
            told = json.loads(file.read_text(encoding="utf-8"))["counts"]
            found = {name: told[name] for name in _ENDS}
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise BadFile(file, f"is no export of a survey ({type(error).__name__}): 'survey export' writes one") from None
        if any(type(number) is not int or number < 0 for number in found.values()):
            raise BadFile(file, "its 'counts' are no whole numbers")
        for name in _ENDS:
            total[name] += found[name]
    return total
