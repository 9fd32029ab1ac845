"""`viva generalization measure`: section 5 of the paper for one's own models, in one command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import Asking, asking_options, taken_from
from vivavoce.cli.config_options import config_options
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.generalization.align import AMONG, BELIEFS, THRESHOLDS, belief_averages
from vivavoce.cli.output import Kept, show
from vivavoce.cli.results import RESULTS
from vivavoce.cli.side_by_side import examined_side_by_side
from vivavoce.generalization.config import AlignConfig, MeasureConfig

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vivavoce.cli.generalization.measuring import Subject
    from vivavoce.examination.pair_questions import Told
    from vivavoce.generalization.answers import GradedAnswers
    from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate, ModelReplies
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.interview import Interview

TOKENS = (150, 60)
"""Of a typical question and reply: a guess to decide by."""


@click.command(epilog=exit_codes("2 bad input, such as pairs whose questions no scope holds", GOES_ON))
@click.argument("scopes", nargs=-1, required=True)
@click.option(
    "--candidate", "candidates", multiple=True, metavar="C", help="Who is measured; may be given again. 'viva candidates'."
)
@click.option(
    "--candidates",
    "listed",
    type=options.KNOWN_FILE,
    metavar="FILE",
    help="CSV of more of them: candidate, and name and size if known.",
)
@click.option(
    "--beliefs",
    "where",
    required=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="MODEL|FILE",
    help="A predictor of 'viva generalization fit', or a survey's CSV: pairs with posterior, pred or belief_change.",
)
@config_options(MeasureConfig, only=("pairs",))
@click.option(
    "--pairs-file", type=options.FILE, metavar="FILE", help="Keep the pairs there; pairs that are there already are used again."
)
@config_options(
    MeasureConfig, only=("longest", "most", "seed"), longest={"option": "--max-characters"}, most={"option": "--list"}
)
@config_options(
    AlignConfig,
    only=("thresholds", "rules", "among", "confidence"),
    thresholds=THRESHOLDS,
    rules={"option": "--rule"},
    among=AMONG,
)
@BELIEFS
@click.option("--out", required=True, type=options.FOLDER, metavar="FOLDER", help="Write record, tables and page there.")
@RESULTS
@asking_options
@options.JSON
def measure(*, scopes: tuple[str, ...], out: Path, as_json: bool, **given: Any) -> None:
    """Measure models on pairs of questions from SCOPES: do people's beliefs about them fit, and where is trust misplaced?

    \b
    viva generalization measure mmlu:FOLDER bbh:FOLDER --candidate chat:A@http://localhost:11434/v1 \\
        --candidate chat:B@http://localhost:11434/v1 --beliefs model --out measured
    viva generalization measure pool:FOLDER --candidates models.csv --beliefs model --pairs-file pairs.csv --out measured
    viva generalization measure file:questions.jsonl --candidates models.csv --beliefs answers/pairs.csv --out mine

    Pairs are drawn uniformly from all questions, unless --beliefs is a file, which brings its own. Every candidate is asked
    every question of them once. The record is in FOLDER, or where --transcript says: the same command goes on where it stopped.
    """
    from vivavoce.candidates import open_candidate
    from vivavoce.cli.generalization.measuring import Wanted, subject_of, who
    from vivavoce.generalization.alignment.human_alignment import rules_of
    from vivavoce.generalization.measurement.measurement import measure as measure_all
    from vivavoce.generalization.measurement.measurement_files import PAGE, RECORD, begin_folder, write_measurement

    given = taken_from(given)
    asking: Asking = given.pop("asking")
    config, beliefs = options.taken_out(given, MeasureConfig), belief_averages(given)
    how = replace(options.taken_out(given, AlignConfig), seed=config.seed, beliefs=beliefs)
    if not out.absolute().parent.is_dir():
        raise click.UsageError(f"--out {out}: there is no folder '{out.absolute().parent}'; make it first.")
    rules_of(how)
    measured = who(given["candidates"], given["listed"])
    opened = [open_candidate(one.candidate) for one in measured]
    subject = subject_of(Wanted(scopes, given["where"], given["pairs_file"]), config)
    begin_folder(out, subject.pairs)
    told, ended, kept = _asked(opened, subject, replace(asking, transcript=asking.transcript or str(out / RECORD)))
    answers, replies = _kept(out, measured, subject, told, ended)
    finding = measure_all(subject.pairs, answers, measured, config, how, replies=replies, origins=subject.origins)
    write_measurement(out, finding)
    show(finding, as_json=as_json, html=out / PAGE, kept=kept)


def _asked(
    candidates: Sequence[Candidate[Prompt, Reply]], subject: Subject, asking: Asking
) -> tuple[list[dict[str, Told]], list[str], Kept | None]:
    """What each candidate answered, which limit of the budget ended its questions, and what to remember of the record."""
    from vivavoce.examination.pair_questions import all_graded

    _announce(candidates, len(subject.chosen), quiet=asking.quiet)

    async def ask(
        interviews: Sequence[Interview[Prompt, Reply]], _: Interview[Prompt, Reply] | None
    ) -> tuple[list[dict[str, Told]], list[str]]:
        told = await all_graded(interviews, subject.chosen, topic="measure")
        return told, [str(interview.exhausted) for interview in interviews]

    (told, ended), kept = examined_side_by_side(candidates, ask, asking, expected=len(subject.chosen))
    return told, ended, kept


def _kept(
    out: Path, measured: Sequence[MeasuredCandidate], subject: Subject, told: Sequence[Mapping[str, Told]], ended: Sequence[str]
) -> tuple[GradedAnswers, list[ModelReplies]]:
    """Write the answers, and pairs with them for a survey; the graded answers, and what became of all questions."""
    from collections import Counter

    from vivavoce.cli.generalization.measuring import cards_of
    from vivavoce.generalization.answers import GradedAnswers
    from vivavoce.generalization.measurement.measured_candidates import ModelReplies, grade_of
    from vivavoce.generalization.measurement.measurement_files import write_graded
    from vivavoce.generalization.survey.card_file import write_cards

    graded = {
        one.name: {key: grade_of(grade) for key, (grade, _) in of.items()} for one, of in zip(measured, told, strict=True)
    }
    write_graded(out, subject.prompts, graded)
    for number, of in enumerate(told, 1):
        if cards := cards_of(subject, of):
            write_cards(out / f"cards-{number}.jsonl", cards)
    replies = [
        ModelReplies(one.name, len(subject.chosen), Counter(str(grade.outcome) for grade, _ in of.values()), limit)
        for one, of, limit in zip(measured, told, ended, strict=True)
    ]
    by_key = {key: tuple(of.get(key) for of in graded.values()) for key in subject.chosen}
    return GradedAnswers(tuple(graded), by_key, {}), replies


def _announce(candidates: Sequence[Candidate[Prompt, Reply]], questions: int, *, quiet: bool) -> None:
    """Say what it will take."""
    from vivavoce.formats.wording import count
    from vivavoce.interview.candidate import Priced

    if quiet:
        return
    prices = [one.prices if isinstance(one, Priced) else (0.0, 0.0) for one in candidates]
    money = sum(questions * (TOKENS[0] * price_in + TOKENS[1] * price_out) / 1e6 for price_in, price_out in prices)
    priced = f", roughly {money:.2f} of money" if money else ""
    calls = questions * len(candidates)
    click.echo(
        f"viva: {count(questions)} questions to each of {count(len(candidates))} candidates: {count(calls)} calls, roughly "
        f"{count(calls * sum(TOKENS))} tokens{priced}, less what is on record",
        err=True,
    )
