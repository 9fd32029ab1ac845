"""The options of predictors on the command line, and how a predictor is fitted and said to be."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import file_digest

if TYPE_CHECKING:
    from vivavoce.generalization.pairs import Pair
    from vivavoce.generalization.predictors.base import Predictor
    from vivavoce.generalization.predictors.model_store import About

PREDICTORS: Final = ("previous", "previous-task", "embeddings", "bert", "causal", "few-shot", "own")
EVERY: Final = 5.0
"""Seconds between two lines of progress."""
FEW: Final = 100
"""Pairs, below which that is said."""

_WHOLE = click.IntRange(1, 1_000_000)
_OPTIONS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "embedder": click.option(
        "--embedder", metavar="NAME", help="embeddings: lsa, or sentences:FOLDER_OR_NAME of sentence-transformers."
    ),
    "dimensions": click.option("--dimensions", type=_WHOLE, metavar="N", help="embeddings: dimensions of the embedder lsa."),
    "trees": click.option("--trees", type=_WHOLE, metavar="N", help="embeddings: number of boosted trees."),
    "depth": click.option("--depth", type=_WHOLE, metavar="N", help="embeddings: depth of each tree."),
    "model": click.option("--model", metavar="NAME|FOLDER", help="bert, causal: the model of transformers to fine-tune."),
    "members": click.option("--members", type=_WHOLE, metavar="N", help="bert: members of the ensemble."),
    "epochs": click.option("--epochs", type=_WHOLE, metavar="N", help="bert, causal: passes over the training pairs."),
    "batch": click.option("--batch", type=_WHOLE, metavar="N", help="bert, causal: pairs per training step."),
    "learning_rate": click.option(
        "--learning-rate", type=options.amount, metavar="X", help="bert, causal: learning rate of Adam."
    ),
    "max_length": click.option("--max-length", type=_WHOLE, metavar="N", help="bert, causal: tokens that are read, at most."),
    "lora": click.option("--lora", is_flag=True, default=None, help="causal: train a LoRA adapter only (needs peft)."),
    "rank": click.option("--rank", type=_WHOLE, metavar="N", help="causal: rank of the LoRA adapter."),
    "device": click.option("--device", metavar="NAME", help="bert, causal: as torch names it, such as cuda."),
    "candidate": click.option("--candidate", metavar="CANDIDATE", help="few-shot: the language model; see 'viva candidates'."),
    "shots": click.option("--shots", type=click.IntRange(0, 1_000_000), metavar="N", help="few-shot: examples that are shown."),
    "way": click.option(
        "--way",
        type=click.Choice(["auto", "exact", "sampling"]),
        help="few-shot: by log-probabilities, by the share of replies, or exactly where the server can (auto).",
    ),
    "samples": click.option("--samples", type=_WHOLE, metavar="N", help="few-shot: replies per pair where they are sampled."),
    "layout": click.option(
        "--layout", type=click.Choice(["turns", "text"]), help="few-shot: examples as earlier turns, or within the text."
    ),
}


predictor_options = options.together(*_OPTIONS.values())
"""All options that some predictor takes; `chosen` sorts them out."""


def chosen(predictor: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given; one that the predictor does not take is refused."""
    from vivavoce.generalization.predictors.model_store import options_of

    settings = {name: given[name] for name in _OPTIONS if given[name] is not None}
    if predictor == "few-shot" and "candidate" not in settings:
        raise click.UsageError("--predictor few-shot asks a language model: name it with --candidate.")
    known = options_of(predictor) if settings else ()
    for name in settings:
        if name not in known:
            takes = ", ".join(f"--{one.replace('_', '-')}" for one in known if one in _OPTIONS)
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
) -> tuple[Predictor, About, list[str]]:
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
        taught=0 if predictor == "few-shot" else len(with_pred),
    )
    return made, about, _notes(about, len(pairs) - len(told), bool(with_pred), len({pair.weight for pair in told}) > 1)


def sentence(about: About) -> str:
    """What was fitted on what."""
    if not about.n:
        return f"Fitted '{about.predictor}' on {about.taught} pairs with a teacher's predictions, and on no human labels."
    of_teachers = f", and on {about.taught} pairs with a teacher's predictions" if about.taught else ""
    return (
        f"Fitted '{about.predictor}' on {about.n} pairs, in {about.changed} of which the belief changed "
        f"({about.changed / about.n:.0%}){of_teachers}."
    )


def _notes(about: About, unlabelled: int, teachers: bool, weighted: bool) -> list[str]:
    told = {
        f"{unlabelled} pairs do not say whether the belief changed: at most their words were used.": bool(unlabelled),
        "All beliefs changed, or none did: it has seen one kind only.": about.n > 0 and about.changed in (0, about.n),
        f"Fewer than {FEW} pairs: it knows little, and an evaluation of it will be rough.": about.n + about.taught < FEW,
        "Pairs count by their weights.": weighted,
        "It does not look at the questions: pairs of a kind all get the same chance.": about.predictor.startswith("previous"),
        "Nothing was asked yet: each prediction asks the language model, at its price.": about.predictor == "few-shot",
        "Examples need human labels: the teacher's predictions were not used.": about.predictor == "few-shot" and teachers,
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
