"""`viva people predict fit`, `apply`, `evaluate` and `influential`: predictors of belief change."""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import AskOptions, asking_of, asking_options
from vivavoce.cli.endings import GOES_ON, OF_VERDICT, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.options import Command, config_options, wants_json
from vivavoce.cli.output import output_options, print_json, running, show
from vivavoce.cli.progress import now_and_then, tell
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.formats.lines import file_digest, table_rows, write_whole
from vivavoce.formats.wording import clipped, duration
from vivavoce.generalization.config import InfluentialConfig
from vivavoce.generalization.pairs import NEEDED, BeliefPair, Floats, PredictionOrigin, labelled, read_pairs
from vivavoce.generalization.predictors.base import PREDICTORS, PredictorKind, predictor_kind

if TYPE_CHECKING:
    from vivavoce.generalization.predictors.base import Predictor
    from vivavoce.generalization.predictors.model_store import PredictorRecord, TrainingFile


FEW: Final = 100
"""Number of pairs below which a warning is printed."""
_MOST: Final = 1_000_000


def predictor_options(command: Command) -> Command:
    """An option for each setting of any predictor; `chosen` selects those that apply. Options have no default. Predictors that
    share an option differ in its default, and each refuses options that it does not take.
    """
    takers: dict[str, list[PredictorKind]] = {}
    for kind in PREDICTORS.values():
        for setting in kind.settings:
            takers.setdefault(setting.name, []).append(kind)
    return options.together(*(_predictor_option(name, takers[name]) for name in _in_order()))(command)


def _in_order() -> list[str]:
    """All options; each follows the option before it in the first predictor that takes it."""
    result: list[str] = []
    for kind in PREDICTORS.values():
        index = len(result)
        for setting in kind.settings:
            if setting.name not in result:
                result.insert(index, setting.name)
            index = result.index(setting.name) + 1
    return result


def _predictor_option(name: str, takers: Sequence[PredictorKind]) -> Callable[[Command], Command]:
    config = takers[0].config
    assert config is not None
    (setting,) = (setting for setting in takers[0].settings if setting.name == name)
    text = f"{', '.join(kind.name for kind in takers)}: {setting.says[0].lower()}{setting.says[1:]}"
    odd: dict[str, Any] = {"default": None, "help": text}
    if setting.kind is int:
        odd["type"] = options.WholeNumber(0 if setting.problem_with(0) is None else 1, _MOST)
    return config_options(config, only=(name,), **{name: odd})


def chosen(predictor: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The given options; refuses those that the predictor does not take."""
    known = [setting.name for setting in predictor_kind(predictor).settings]
    settings = {name: given[name] for name in _in_order() if given[name] is not None}
    for name in settings:
        if name not in known:
            takes = ", ".join(f"--{text.replace('_', '-')}" for text in known)
            raise click.UsageError(
                f"--{name.replace('_', '-')} is not for --predictor {predictor}, which takes {takes or 'no options'}."
            )
    return settings


def read_all(files: Sequence[Path]) -> tuple[list[BeliefPair], tuple[TrainingFile, ...]]:
    """The pairs of all files, and the files."""
    from vivavoce.generalization.predictors.model_store import TrainingFile

    pairs = [pair for file in files for pair in read_pairs(file)]
    return pairs, tuple(TrainingFile(file.name, file_digest(file)) for file in files)


def fitted(
    predictor: str, train: Sequence[Path], teacher: Sequence[Path], settings: Mapping[str, Any], *, seed: int, quiet: bool
) -> tuple[Predictor, PredictorRecord, list[str]]:
    """The predictor, its training data, and messages on that."""
    import numpy as np

    from vivavoce.generalization.predictors.model_store import PredictorRecord, fit_predictor

    pairs, training = read_all(train)
    taught, teachers = read_all(teacher)
    for file in teacher:
        if not any(pair.pred is not None for pair in read_all([file])[0]):
            raise BadFile(file, "there is no column 'pred': a teacher's file needs it (the chance of a change)", line=1)
    known = labelled(pairs)
    with_pred = [pair for pair in taught if pair.pred is not None]
    rng = np.random.default_rng(seed)
    progress = None if quiet else now_and_then(_step)
    made = fit_predictor(predictor, pairs, teachers=with_pred, rng=rng, options=settings, progress=progress)
    about = PredictorRecord(
        predictor,
        seed=seed,
        options=settings,
        training=training,
        teachers=teachers,
        n=len(known),
        changed=sum(bool(pair.changed) for pair in known),
        taught=0 if predictor_kind(predictor).asks else len(with_pred),
    )
    return made, about, _notes(about, len(pairs) - len(known), bool(with_pred), len({pair.weight for pair in known}) > 1)


def sentence(about: PredictorRecord) -> str:
    """A description of the training data."""
    if not about.n:
        return f"Fitted '{about.predictor}' on {about.taught} pairs with a teacher's predictions, and on no human labels."
    of_teachers = f", and on {about.taught} pairs with a teacher's predictions" if about.taught else ""
    return (
        f"Fitted '{about.predictor}' on {about.n} pairs, in {about.changed} of which the belief changed "
        f"({about.changed / about.n:.0%}){of_teachers}."
    )


def _notes(about: PredictorRecord, unlabelled: int, teachers: bool, weighted: bool) -> list[str]:
    kind = predictor_kind(about.predictor)
    document = {
        f"{unlabelled} pairs don't say whether the belief changed: only their texts may have been used.": bool(unlabelled),
        "All beliefs changed, or none did, so it has learnt only one outcome.": about.n > 0 and about.changed in (0, about.n),
        f"Fewer than {FEW} pairs: it has learnt little, and an evaluation will be imprecise.": about.n + about.taught < FEW,
        "Pairs count by their weights.": weighted,
        "It does not look at the questions: pairs of a kind all get the same chance.": not kind.looks,
        "Nothing has been asked yet: each prediction asks the language model, at its price.": kind.asks,
        "The teacher's predictions were not used, because examples need human labels.": kind.asks and teachers,
        "A teacher's predictions are not people's answers: its errors were learnt, too.": about.taught > 0,
    }
    return [note for note, applies in document.items() if applies]


def _step(steps: Any) -> str:
    left = "" if steps.seconds_left is None else f" · {duration(steps.seconds_left)} to go"
    return f"step {steps.done} of {steps.total}{left}"


@dataclass(frozen=True, slots=True)
class PredictionResult:
    """Probabilities, and how they were obtained."""

    chances: Floats
    notes: tuple[str, ...] = ()
    nothing: bool = False
    """Whether no reply at all could be read."""


CANDIDATE = click.option("--candidate", metavar="CANDIDATE", help="Confirm the language model that MODEL asks (few-shot).")


def predicted(predictor: Predictor, pairs: Sequence[BeliefPair], asking: AskOptions, candidate: str | None) -> PredictionResult:
    """The chance of a change for each pair. A stranger's folder may name any server, so the user must confirm where few-shot
    prompts go.
    """
    from vivavoce.generalization.predictors.few_shot import FewShotPredictor

    if not isinstance(predictor, FewShotPredictor):
        if asking.transcript is not None:
            raise click.UsageError("--transcript is for few-shot predictors, and this one asks no model: leave it out.")
        return PredictionResult(predictor.predict(pairs))
    config = predictor.config
    if candidate != config.candidate:
        raise click.UsageError(f"this predictor asks {config.candidate}: confirm with --candidate '{config.candidate}'.")
    from vivavoce.candidates import open_candidate

    times = config.samples if config.way == "sampling" else 1
    asked = asking.examined(
        open_candidate(config.candidate),
        lambda interview: predictor.ask(interview, pairs),
        expected=len(pairs) * times,
    )
    return PredictionResult(asked.chances, asked.notes, not asked.read)


def with_pred(file: Path, pairs: Sequence[BeliefPair], chances: Floats) -> str:
    """The file of pairs as CSV with all its columns and a new column `pred`. If `previous_correct` is only in the file's name,
    it becomes a column, because the new file has another name.
    """
    from vivavoce.formats.tables import read_table

    rows = table_rows(file, delimiter=read_table(file, NEEDED).delimiter)
    _, header = next(rows)
    names = [name.strip() for name in header]
    added = [name for name in ("previous_correct", "pred") if name not in names]
    index = (names + added).index("pred")
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(names + added)
    for (_, row), pair, chance in zip(rows, pairs, chances, strict=True):
        cells = row + [str(int(pair.previous_correct)) if name == "previous_correct" else "" for name in added]
        cells[index] = repr(float(chance))
        table.writerow(cells)
    return out.getvalue()


NOTHING_TOLD = OF_VERDICT["undecided"]
_NOTHING = "4 no prediction (few-shot only: no reply could be parsed)"
_DEVICE = click.option("--device", metavar="NAME", help="Run networks on this device, such as cuda.")
_LISTED = "\n".join(f"      {kind.name:<16} {kind.explanation}" for kind in PREDICTORS.values())
FIT = f"""Fit a predictor of belief changes on TRAIN: pairs of questions, and whether a person's belief changed.

    \b
    viva people predict fit survey.csv --predictor stacked-logistic --teacher predicted.csv --out model
    viva people predict fit survey.csv --predictor embeddings --embedder sentences:./minilm --out model
    viva people predict fit survey.csv --predictor few-shot --candidate chat:llama3.2@http://localhost:11434/v1 --out model

    \b
    TRAIN is CSV with q1,q2,source1,source2,previous_correct,belief_change[,weight,person,...]. Predictors:
{_LISTED}

    An existing MODEL is replaced; any other non-empty folder is refused.
    """


@command(help=FIT)
@click.argument("train", nargs=-1, required=True, type=options.FILE, metavar="TRAIN...")
@click.option("--predictor", type=options.Choice(tuple(PREDICTORS)), required=True, help="Predictor; see above.")
@click.option("--teacher", multiple=True, type=options.FILE, help="Pairs with a soft label 'pred'. Repeatable.")
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, metavar="MODEL", help="Write the predictor to this folder."
)
@options.seed("Seed all random choices.")
@predictor_options
@options.QUIET
@options.JSON
def fit(
    train: tuple[Path, ...], predictor: str, teacher: tuple[Path, ...], out: Path, seed: int, *, quiet: bool, **given: Any
) -> None:
    """Replaced by FIT."""
    from vivavoce.generalization.predictors.model_store import check_replaceable, save_predictor

    check_replaceable(out)
    settings = chosen(predictor, given)
    if "candidate" in settings:
        _check_candidate(settings["candidate"])
    made, about, notes = fitted(predictor, train, teacher, settings, seed=seed, quiet=quiet)
    save_predictor(out, made, about)
    if wants_json():
        print_json({**to_json(about), "model": str(out), "notes": notes})
        return
    click.echo(sentence(about))
    for note in notes:
        click.echo(note)
    click.echo(f"Model: {out}. How well it predicts other pairs: viva people predict evaluate {out} HELD_OUT")


@command(epilog=exit_codes(_NOTHING, GOES_ON))
@click.argument("model", type=options.FOLDER)
@click.argument("pairs", type=options.FILE)
@click.option("--out", type=options.OUTPUT, help="Write CSV. [default: standard output]")
@_DEVICE
@CANDIDATE
@asking_options
def apply(model: Path, pairs: Path, out: Path | None, device: str | None, candidate: str | None, **given: Any) -> int:
    """Add the column 'pred' to PAIRS: the chance that the belief changes, as MODEL predicts it.

    \b
    viva people predict apply model pairs.csv --out predicted.csv
    viva people align --pairs predicted.csv --answers answers.csv
    """
    from vivavoce.generalization.predictors.model_store import open_predictor

    asking, all_pairs = asking_of(given), read_pairs(pairs)
    predictor, _ = open_predictor(model, device=device)
    result = predicted(predictor, all_pairs, asking, candidate)
    table = with_pred(pairs, all_pairs, result.chances)
    _tell(result, asking)
    if out is None:
        click.echo(table, nl=False)
    else:
        write_whole(out, table)
        click.echo(f"{len(all_pairs)} predictions: {out}", err=True)
    return NOTHING_TOLD if result.nothing else 0


@command(
    epilog=exit_codes(
        "2 bad input, such as pairs without labels",
        "4 all beliefs changed or none did, or no reply of a few-shot model could be parsed",
        GOES_ON,
    )
)
@click.argument("model", type=options.FOLDER)
@click.argument("pairs", type=options.FILE)
@_DEVICE
@CANDIDATE
@asking_options
@output_options
def evaluate(model: Path, pairs: Path, device: str | None, candidate: str | None, **given: Any) -> int:
    """Measure how well MODEL predicts belief changes in PAIRS: overall, after right and wrong answers, and by task.

    \b
    viva people predict evaluate model held-out.csv
    viva people predict evaluate model held-out.csv --json --html page.html
    """
    from vivavoce.generalization.evaluation.predictor_evaluation import evaluate as evaluated
    from vivavoce.generalization.predictors.model_store import open_predictor

    asking, all_pairs = asking_of(given), read_pairs(pairs)
    known = labelled(all_pairs)
    if not known:
        raise BadInput(
            f"{pairs}: none of {len(all_pairs)} pairs has a change of belief: add 'belief_change' (0 or 1), "
            "or 'prior' and 'posterior'"
        )
    predictor, about = open_predictor(model, device=device)
    digest = file_digest(pairs)
    result = predicted(predictor, known, asking, candidate)
    origin = PredictionOrigin(
        predictor=about.predictor,
        source=pairs.name,
        digest=digest,
        seed=about.seed,
        in_sample=digest in {file.sha256 for file in about.training},
        unlabelled=len(all_pairs) - len(known),
        notes=result.notes,
    )
    finding = evaluated(known, result.chances, origin=origin)
    show(finding)
    return NOTHING_TOLD if finding.overall.auc.value is None or result.nothing else 0


@command(epilog=exit_codes(_NOTHING, GOES_ON))
@click.argument("model", type=options.FOLDER)
@click.argument("file", type=options.FILE, metavar="QUESTIONS|PAIRS")
@config_options(InfluentialConfig, drawn={"option": "--pairs"}, most={"option": "--top"})
@_DEVICE
@CANDIDATE
@asking_options
@output_options
def influential(model: Path, file: Path, device: str | None, candidate: str | None, **given: Any) -> int:
    """List the answers that MODEL predicts to change beliefs most, and how often it predicts a change.

    \b
    viva people predict influential model questions.jsonl --pairs 1000
    viva people predict influential model answers.csv --html page.html
    viva people predict influential model pairs.csv --json

    The file has pairs (q1,q2,...), or questions under 'question' or 'prompt' (CSV, TSV or JSON Lines, also .gz), from which
    --pairs are drawn at random. Each pair is predicted after a right and after a wrong answer.
    """
    import numpy as np

    from vivavoce.generalization.evaluation.influential_pairs import both_ways, influential_pairs, read_drawn
    from vivavoce.generalization.predictors.model_store import open_predictor

    asking, config = asking_of(given), options.taken_out(given, InfluentialConfig)
    pairs = both_ways(read_drawn(file, config.drawn, rng=np.random.default_rng(config.seed)))
    predictor, about = open_predictor(model, device=device)
    result = predicted(predictor, pairs, asking, candidate)
    origin = PredictionOrigin(about.predictor, file.name, file_digest(file), config.seed, notes=result.notes)
    finding = influential_pairs(pairs, result.chances, config, origin=origin)
    show(finding)
    return NOTHING_TOLD if result.nothing else 0


def _tell(result: PredictionResult, asking: AskOptions) -> None:
    """Print to standard error, because standard output may be the table."""

    for note in result.notes:
        click.echo(clipped(note, 600), err=True)
    if not asking.quiet:
        tell(running().record, err=True)


def _check_candidate(name: str) -> None:
    """Refuse a language model that can't be asked later."""
    from vivavoce.candidates import close_candidate, open_candidate

    asyncio.run(close_candidate(open_candidate(name)))
