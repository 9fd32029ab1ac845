"""Scores of samples from Inspect logs. Logs are untrusted: they are bounded and checked."""

from __future__ import annotations

import json
import logging
import math
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ChatMessageBase

from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import file_digest, whole_json
from vivavoce.formats.records import Log, LoggedAnswer
from vivavoce.formats.wording import clipped
from vivavoce.formats.yaml_file import YamlSource
from vivavoce.interview.record import digest_of
from vivavoce.scopes.importers.spans import SpanCall

ENDING: Final = ".eval"
LARGEST: Final = 4 << 30
"""Bytes of an unpacked log."""
LARGEST_PART: Final = 1 << 29
"""Bytes of one sample, or of all summaries."""
MOST: Final = 1_000_000
"""Samples."""
LONGEST: Final = 20_000
"""Characters of an input or a target that are kept."""
LONGEST_NAME: Final = 200
"""Characters of the name of a model, a task or a scorer."""
LETTERS: Final[Mapping[str, float]] = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Scores in letters or words, as Inspect's own metrics read them, in either case."""
_NOT_READ: Final = {"events", "attachments", "messages", "store", "timelines", "error_retries", "model_usage"}


def read_scored(file: Path, scorer: str = "") -> Log:
    """The content of an Inspect log.

    scorer: the scorer, or SCORER:VALUE if it gives several values; empty: the only one. Raises `BadFile` for a file that is not
    a log, is too large, or has no scores in [0, 1]; `BadInput` if a scorer must be named, and `UnknownName` for an unknown one.
    """
    _check_size(file)
    digest = file_digest(file)
    log, samples = _read(file)
    chosen, value, others = _scorer(file, log, samples, scorer)
    answers = [_answer(file, sample, chosen, value) for sample in samples]
    named = f"{chosen}:{value}" if value else chosen
    model, task, by = (clipped(in_a_line(name), LONGEST_NAME) for name in (log.eval.model, log.eval.task, named))
    return Log(file.name, digest, model, task, by, tuple(answers), others)


def read_inputs(file: Path) -> list[SpanCall]:
    """The input of each sample of a log, `.eval` or `.json`, as chat messages; epochs of a sample are one conversation.

    Raises `BadFile` for a file that is not a log or is too large; its message quotes nothing of the log.
    """
    if file.suffix == ENDING:
        _check_size(file)
    else:
        whole_json(file)  # which checks size and depth
    try:
        _, samples = _read(file)
    except BadFile as error:
        raise BadFile(file, "can't be read as an Inspect log with samples: run it again, or name another log") from error
    source = YamlSource(file, None)
    return [_input(source, number, sample) for number, sample in enumerate(samples, 1)]


def _input(source: YamlSource, number: int, sample: EvalSample) -> SpanCall:
    given = sample.input
    messages = (
        [{"role": "user", "content": given}]
        if isinstance(given, str)
        else [{"role": message.role, "content": message.model_dump()["content"]} for message in given]
    )
    return SpanCall(source, f"sample {number}", str(number), str(sample.id), sample.epoch, messages)


def _read(file: Path) -> tuple[EvalLog, list[EvalSample]]:
    """A log with its samples, of which there is at least one. Raises `BadFile`."""
    with _quiet():
        try:
            log = read_eval_log(str(file), exclude_fields=_NOT_READ)
        except Exception as error:  # a damaged or hostile file may make a stranger's reader raise anything
            raise BadFile(file, f"can't be read as an Inspect log: {clipped(in_a_line(error), 200)}") from None
    samples = log.samples or []
    if not samples:
        raise BadFile(file, f"has no samples (its status is '{log.status}'): run it again, or name another log")
    if len(samples) > MOST:
        raise BadFile(file, f"has {len(samples)} samples: at most {MOST} are read")
    return log, samples


def _check_size(file: Path) -> None:
    """Raises `BadFile` for a file that is not an archive, or is too large."""
    if file.exists() and not file.is_file():
        raise BadFile(file, "is not a file: name an Inspect log")
    try:
        with zipfile.ZipFile(file) as archive:
            sizes = [member.file_size for member in archive.infolist()]
    except OSError as error:
        raise BadFile(file, f"can't be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise BadFile(file, f"is not an Inspect log (an archive): {in_a_line(error)}") from None
    if sum(sizes) > LARGEST or max(sizes, default=0) > LARGEST_PART:
        raise BadFile(
            file,
            f"has {sum(sizes) >> 20} MiB when unpacked, up to {max(sizes) >> 20} MiB in one part: at most "
            f"{LARGEST >> 20} and {LARGEST_PART >> 20} MiB are read",
        )


def _scorer(file: Path, log: EvalLog, samples: Sequence[EvalSample], wanted: str) -> tuple[str, str, bool]:
    """The scorer, its value (empty if it gives one), and whether there are other scores."""
    values: dict[str, dict[str, None]] = {}
    for sample in samples:
        for name, score in (sample.scores or {}).items():
            kept = values.setdefault(name, {})
            kept |= dict.fromkeys(map(str, score.value)) if isinstance(score.value, dict) else {}
    if not values:
        raise BadFile(file, f"has no scores (its status is '{log.status}'): run 'inspect score {file.name}'")
    name, value = chosen_scorer(values, wanted, file.name)
    return name, value, len(values) > 1 or len(values[name]) > 1


def chosen_scorer(values: Mapping[str, Mapping[str, None]], wanted: str, where: str) -> tuple[str, str]:
    """The scorer, and the name of its value; empty if it gives one value.

    values: for each scorer, the names of its values if it gives several.
    wanted: SCORER or SCORER:VALUE; empty: the only one.

    Raises `BadInput` where one must be named, and `UnknownName` for one that is not there.
    """
    choices = [choice for name, inner in values.items() for choice in ([f"{name}:{text}" for text in inner] or [name])]
    if not wanted and len(choices) > 1:
        raise BadInput(f"{where} has several scores: name one with --set scorer=NAME, of {clipped(', '.join(choices), 400)}")
    chosen = wanted or choices[0]
    if chosen not in choices:
        raise UnknownName(f"scorer in {where}", chosen, choices)
    name = chosen if chosen in values else max((value for value in values if chosen.startswith(f"{value}:")), key=len)
    return name, chosen[len(name) + 1 :]


def _answer(file: Path, sample: EvalSample, scorer: str, value: str) -> LoggedAnswer:
    score = (sample.scores or {}).get(scorer)
    given: Any = None if score is None else score.value
    if value:
        given = given.get(value) if isinstance(given, dict) else given
    reply = sample.output.completion if sample.output.choices else ""
    if not reply and sample.error is not None:
        reply = f"({clipped(in_a_line(sample.error.message), 400)})"
    try:
        number = number_of(given)
    except ValueError as error:
        where = f"sample '{str(sample.id)[:80]}', epoch {sample.epoch}"
        raise BadFile(file, f"{where}: {error}; only scores from 0 to 1 (or C, I, P, N) can be compared") from None
    texts = (str(sample.id), asked_of(sample), target_of(sample.target), reply)
    id_, asked, target, text = map(as_unicode, texts)
    return LoggedAnswer(id_, sample.epoch, asked, target, text, number)


def number_of(value: Any) -> float | None:
    """The score as a number, as Inspect's own metrics read it; None for NaN. Raises `ValueError`."""
    if value is None:
        return None
    if isinstance(value, str):
        known = LETTERS.get(value, LETTERS.get(value.lower()) if len(value) > 1 else None)
        number = float(value) if known is None and _isnumber_of(value) else known
    else:
        number = float(value) if isinstance(value, bool | int | float) else None
    if number is None:
        raise ValueError(f"its score is {clipped(in_a_line(value), 80)!r}")
    if math.isnan(number):
        return None
    if not 0 <= number <= 1:
        raise ValueError(f"its score is {number:g}")
    return number


def _isnumber_of(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def asked_of(sample: EvalSample | Sample) -> str:
    """The input in words, with any options."""
    given = sample.input
    text = given if isinstance(given, str) else "\n\n".join(f"{message.role}: {_said(message)}" for message in given)
    options = "\n".join(f"({index}) {choice}" for index, choice in enumerate(sample.choices or (), 1))
    return _kept("\n\n".join(filter(None, (text, options))))


def _said(message: ChatMessageBase) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(text.text if text.type == "text" else _shown(text.model_dump()) for text in message.content)


def _shown(part: Mapping[str, Any]) -> str:
    """A picture, sound or the like by its kind and content, which distinguishes it from others."""
    return f"[{part.get('type')}: {clipped(json.dumps(part, sort_keys=True, default=str), 200)}]"


def target_of(target: str | Sequence[str]) -> str:
    return _kept(target if isinstance(target, str) else " | ".join(target))


def _kept(text: str) -> str:
    """The text; for a long text both ends and a digest, which distinguishes it from others."""
    return text if len(text) <= LONGEST else f"{clipped(text, LONGEST)} [SHA-256 {digest_of(as_unicode(text))[:12]}]"


def in_a_line(error: object) -> str:
    return " ".join(str(error).split()) or type(error).__name__


@contextmanager
def _quiet() -> Any:
    """Suppress Inspect's messages about logs of older versions."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
