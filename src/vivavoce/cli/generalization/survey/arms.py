"""`viva generalization survey arms`: what the arms of a survey do to beliefs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from vivavoce.cli import options
from vivavoce.cli.generalization.survey.exports import is_count, read_places, whole_export
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page


@click.command()
@click.argument("places", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="FOLDER|FILE...")
@click.option("--reference", metavar="ARM", help="The arm that the others are compared with. [default: plain]")
@options.output_options
def arms(places: tuple[Path, ...], reference: str | None, as_json: bool, html: Path | None) -> None:
    """What does it do to beliefs to show an explanation, a stated confidence, a model card, or several answers?

    \b
    viva generalization survey arms answers
    viva generalization survey arms wave-1 wave-2 --reference plain --html arms.html

    Differences between participants of the arms, with 95% intervals: of beliefs, their change, and misplaced trust. Reads what
    'export' writes of a survey with arms.
    """
    from vivavoce.generalization.survey.arm_effects import compare_arms

    check_page(html)
    read = read_places(places)
    finding = compare_arms(
        read.responses, source=read.source, digest=read.digest, reference=reference, finished=_finished(places)
    )
    show(finding, as_json=as_json, html=html)


def _finished(places: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Who began with the pairs in each arm, and who finished; empty where a place does not say. Raises `BadInput`."""
    from vivavoce.errors import BadFile
    from vivavoce.generalization.survey.plan import Arm

    found: dict[str, tuple[int, int]] = {}
    for place in places:
        file = place / "survey.json"
        if not place.is_dir() or not file.is_file():
            return {}
        try:
            rows = [(row["arm"], row["began"], row["finished"]) for row in whole_export(file).get("arms", [])]
        except (KeyError, TypeError):
            rows = [("", None, None)]
        for arm, began, done in rows:
            if not (isinstance(arm, str) and is_count(began) and is_count(done)):
                raise BadFile(file, "its 'arms' are no counts: 'survey export' writes them")
            if arm:
                before = found.get(str(Arm.named(arm)), (0, 0))
                found[arm] = (before[0] + began, before[1] + done)
    return found
