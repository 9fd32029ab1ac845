"""The options of predictors on the command line, and how a predictor is fitted and said to be."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import file_digest
from vivavoce.cli.config_options import config_options
from vivavoce.cli.options import Command
from vivavoce.generalization.predictors.registry import PREDICTORS, PredictorKind, predictor_kind

if TYPE_CHECKING:
    from vivavoce.generalization.pairs import Pair
    from vivavoce.generalization.predictors.base import Predictor
    from vivavoce.generalization.predictors.model_store import PredictorRecord

EVERY: Final = 5.0
"""Seconds between two lines of progress."""
FEW: Final = 100
"""Pairs, below which that is said."""
_MOST: Final = 1_000_000


def predictor_options(command: Command) -> Command:
    """An option for all that some predictor can be told; `chosen` sorts them out.

    None is given unless it is said. Predictors that share an option differ in its default, and each refuses what it cannot use.
    """
    takers: dict[str, list[PredictorKind]] = {}
    for kind in PREDICTORS.values():
        for one in kind.settings:
            takers.setdefault(one.name, []).append(kind)
    return options.together(*(_option(name, takers[name]) for name in _in_order()))(command)


def _in_order() -> list[str]:
    """All options, each after the one that it follows where it is first taken."""
    found: list[str] = []
    for kind in PREDICTORS.values():
        place = len(found)
        for one in kind.settings:
            if one.name not in found:
                found.insert(place, one.name)
            place = found.index(one.name) + 1
    return found


def _option(name: str, takers: Sequence[PredictorKind]) -> Callable[[Command], Command]:
    config = takers[0].config
    assert config is not None
    (one,) = (one for one in takers[0].settings if one.name == name)
    said = f"{', '.join(kind.name for kind in takers)}: {one.says[0].lower()}{one.says[1:]}"
    odd: dict[str, Any] = {"default": None, "help": said}
    if one.kind is int:
        odd["type"] = click.IntRange(0 if one.problem_with(0) is None else 1, _MOST)
    return config_options(config, only=(name,), **{name: odd})


def chosen(predictor: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given; one that the predictor does not take is refused."""
    known = [one.name for one in predictor_kind(predictor).settings]
    settings = {name: given[name] for name in _in_order() if given[name] is not None}
    for name in settings:
        if name not in known:
            takes = ", ".join(f"--{one.replace('_', '-')}" for one in known)
            raise click.UsageError(
                f"--{name.replace('_', '-')} is not for --predictor {predictor}, which takes {takes or 'no options'}."
            )
    return settings


def read_all(files: Sequence[Path]) -> tuple[list[Pair], list[tuple[str, str]]]:
    """The pairs of all files, and each file's name and SHA-256."""
    from vivavoce.generalization.pairs import read_pairs

    pairs = [pair for file in files for pair in read_pairs(file)]
    return pairs, [(file.name, file_digest(file)) for file in files]


def fitted(
    predictor: str, train: Sequence[Path], teacher: Sequence[Path], settings: Mapping[str, Any], *, seed: int, quiet: bool
) -> tuple[Predictor, PredictorRecord, list[str]]:
    """The predictor, how it came to be, and what to say about that."""
    import numpy as np

    from vivavoce.errors import BadFile
    from vivavoce.generalization.pairs import labelled
    from vivavoce.generalization.predictors.model_store import fit_predictor, new_about

    pairs, training = read_all(train)
    taught, teachers = read_all(teacher)
    for file in teacher:
        if not any(pair.pred is not None for pair in read_all([file])[0]):
            raise BadFile(file, "a teacher's file has a column 'pred', the chance of a change, and this one has none", line=1)
    told = labelled(pairs)
    with_pred = [pair for pair in taught if pair.pred is not None]
    rng = np.random.default_rng(seed)
    progress = None if quiet else _Line()
    made = fit_predictor(predictor, pairs, teachers=with_pred, rng=rng, options=settings, progress=progress)
    about = new_about(
        predictor,
        seed=seed,
        options=settings,
        training=training,
        teachers=tuple(teachers),
        n=len(told),
        changed=sum(bool(pair.changed) for pair in told),
        taught=0 if predictor_kind(predictor).asks else len(with_pred),
    )
    return made, about, _notes(about, len(pairs) - len(told), bool(with_pred), len({pair.weight for pair in told}) > 1)


def sentence(about: PredictorRecord) -> str:
    """What was fitted on what."""
    if not about.n:
        return f"Fitted '{about.predictor}' on {about.taught} pairs with a teacher's predictions, and on no human labels."
    of_teachers = f", and on {about.taught} pairs with a teacher's predictions" if about.taught else ""
    return (
        f"Fitted '{about.predictor}' on {about.n} pairs, in {about.changed} of which the belief changed "
        f"({about.changed / about.n:.0%}){of_teachers}."
    )


def _notes(about: PredictorRecord, unlabelled: int, teachers: bool, weighted: bool) -> list[str]:
    kind = predictor_kind(about.predictor)
    told = {
        f"{unlabelled} pairs do not say whether the belief changed: at most their words were used.": bool(unlabelled),
        "All beliefs changed, or none did: it has seen one kind only.": about.n > 0 and about.changed in (0, about.n),
        f"Fewer than {FEW} pairs: it knows little, and an evaluation of it will be rough.": about.n + about.taught < FEW,
        "Pairs count by their weights.": weighted,
        "It does not look at the questions: pairs of a kind all get the same chance.": not kind.looks,
        "Nothing was asked yet: each prediction asks the language model, at its price.": kind.asks,
        "Examples need human labels: the teacher's predictions were not used.": kind.asks and teachers,
        "What a teacher predicts is not what people said: its errors were learnt as well.": about.taught > 0,
    }
    return [note for note, applies in told.items() if applies]


class _Line:
    """Progress of a fine-tuning on standard error, now and then."""

    def __init__(self) -> None:
        self._due = time.monotonic() + EVERY

    def __call__(self, steps: Any) -> None:
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + EVERY
        from vivavoce.formats.wording import duration

        left = "" if steps.seconds_left is None else f" · {duration(steps.seconds_left)} to go"
        click.echo(f"step {steps.done} of {steps.total}{left}", err=True)
