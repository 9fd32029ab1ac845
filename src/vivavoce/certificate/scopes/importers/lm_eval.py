"""Tasks of lm-evaluation-harness as rows of a question file.

`multiple_choice`: there the choice with the highest log-likelihood counts; here the choices are lettered and one is asked for
in words, worked examples standing before it as turns. `generate_until` with `exact_match`: the prompt is theirs, and the reply
is cut, filtered and compared as there, by the question's `rule`. A description is the system text, as it is there with a chat
template.

Departures: worked examples are the first of their split, also where the harness draws them; they never come from the split
that is asked. Of a choice's text the lettered lines and the last "Answer:" are taken off, since the house letters choices
itself. Patterns run in linear time (`formats.linear_regex`). No code is run, and no file is read outside of the task's
folder.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.certificate.questions import MAX_OPTIONS, Question
from vivavoce.certificate.rules.extraction import Extraction
from vivavoce.certificate.scopes import MOST_SHOTS
from vivavoce.certificate.scopes.hub import Repository
from vivavoce.certificate.scopes.importers.conversion import Conversion, SourceRow, check_fields, converted, fields_of
from vivavoce.certificate.scopes.importers.lm_eval_task import UNUSED, Task, extraction_of, read_task
from vivavoce.certificate.scopes.importers.templates import TemplateProblem, rendered
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.bounds import MOST_ROWS
from vivavoce.formats.records import beside, records
from vivavoce.formats.yaml_file import Source

_CUE: Final = re.compile(r"\s*\b(?:answer|a)\s*:\s*\Z", re.IGNORECASE)
_INDEX: Final = re.compile(r"[0-9]{1,4}")
_LETTERED: Final = re.compile(r"^\(?([A-Z])[.):]\s*(\S.*)$", re.MULTILINE)
BUILDERS: Final = ("json", "csv", "parquet", "arrow")
"""What `dataset_path` says where the data are files."""
COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_KWARGS: Final = ("data_files", "field", "revision", "streaming", "cache_dir", "keep_in_memory", "num_proc")
_REFUSED: Final = {
    "trust_remote_code": "no code of a data set is run here: leave it out",
    "data_dir": "name files as data_files",
    "name": "write it as dataset_name",
    "split": "name splits as test_split and the like",
    "token": "set HF_TOKEN",
}

Rows = list[dict[str, Any]]


def from_lm_eval(file: Path, filter: str | None = None, shots: int | None = None, revision: str | None = None) -> Conversion:  # noqa: A002
    """The rows of a task.

    Parameters
    ----------
    filter: the name of one of its filters, where it has several.
    shots: worked examples before each question, in place of `num_fewshot`.
    revision: the commit of its data set on a hub.

    Raises `BadFile` for what cannot be asked or checked here of all rows, with its line and the remedy.
    """
    source, task = read_task(file)
    number = task.shots if shots is None else shots
    if number > MOST_SHOTS:
        raise BadInput(f"{number} worked examples: at most {MOST_SHOTS}")
    if revision is not None and not COMMIT.fullmatch(revision):
        raise BadInput(f"the revision is '{revision[:80]}': write the 40 digits of a commit: branches and tags move")
    asked = task.asked_split
    if asked is None:
        raise source.wrong("names neither a test_split nor a validation_split")
    rows = rows_of(source, task, asked, revision)
    examples = _examples(source, task, asked, number, revision) if number else []
    extraction = None if task.output_type == "multiple_choice" else extraction_of(source, task, filter)
    found = _Reader(source, task, rows, examples).rows(extraction)
    return converted(found, unused=fields_of(source.value, UNUSED))


def _examples(source: Source, task: Task, asked: str, number: int, revision: str | None) -> Rows:
    config = task.fewshot_config
    split = task.fewshot_split or (config.split if config else None)
    if split is None and config and config.samples is not None:
        pool = config.samples
    else:
        split = split or task.training_split or task.validation_split
        if split is None or split == asked:
            raise source.wrong(
                f"{number} worked examples, but no fewshot_split other than the one that is asked: name one, or give --shots 0",
                "fewshot_split",
            )
        pool = rows_of(source, task, split, revision)
    if config and config.fewshot_indices:
        if max(config.fewshot_indices) >= len(pool) or min(config.fewshot_indices) < 0:
            raise source.wrong("'fewshot_indices' go beyond the examples that there are", "fewshot_config", "fewshot_indices")
        pool = [pool[place] for place in config.fewshot_indices]
    if len(pool) < number:
        raise source.wrong(f"{number} worked examples, but there are {len(pool)}: ask for fewer by --shots", "num_fewshot")
    return pool[:number]


class _Reader:
    """Renders a task's templates for all of its rows at once, the examples first."""

    def __init__(self, source: Source, task: Task, rows: Rows, examples: Rows) -> None:
        self._source, self._task = source, task
        self._rows = [*examples, *rows]
        self._shown = len(examples)
        fields = ("doc_to_text", "doc_to_target", "doc_to_choice", "description")
        self._texts = rendered((row, [self._template(row, field) for field in fields]) for row in self._rows)

    def rows(self, extraction: Extraction | None) -> Iterator[SourceRow | BadFile]:
        """The questions, with a problem in the place of a row that is none. Raises `BadFile` for a worked example that is none.

        extraction: how replies are cut, filtered and compared; None: one of several options is the answer.
        """
        shown = "".join(self._turn(number) for number in range(self._shown)) if extraction else ""
        for number in range(self._shown if extraction else 0, len(self._rows)):
            try:
                put = self._match(number, shown, extraction) if extraction else self._choice(number)
            except BadFile as problem:
                if number < self._shown:
                    raise
                yield problem
            else:
                yield SourceRow(self._source, ("dataset_path",), self._name(number), put, example=number < self._shown)

    def _choice(self, number: int) -> Question:
        """A question with lettered options."""
        row, texts = self._rows[number], self._rendered(number)
        choices = [str(one).strip() for one in self._choices(number, row, texts[2])]
        if not 2 <= len(choices) <= MAX_OPTIONS or not all(choices):
            problem = f"{len(choices)} choices: there must be 2 to {MAX_OPTIONS}, none empty"
            raise self._wrong(number, problem, "doc_to_choice")
        right = self._right(number, self._target(row, texts[1]), choices)
        text, choices = _unlettered(_CUE.sub("", self._text(row, texts[0])).strip(), choices)
        if not text:
            raise self._wrong(number, "'doc_to_text' gives an empty question", "doc_to_text")
        return Question(self._id(number), text, tuple(choices), right, system=texts[3])

    def _match(self, number: int, shown: str, extraction: Extraction) -> Question:
        """A question whose reply is cut, filtered and compared."""
        texts = self._rendered(number)
        text = (shown + self._text(self._rows[number], texts[0])).strip()
        if not text:
            raise self._wrong(number, "'doc_to_text' gives an empty question", "doc_to_text")
        rule = extraction.model_copy(update={"targets": self._targets(number)})
        return Question(self._id(number), text, rule=rule.text, system=texts[3])

    def _rendered(self, number: int) -> list[str]:
        texts = self._texts[number]
        if isinstance(texts, TemplateProblem):
            field = next((name for name, value in self._source.value.items() if value == texts.template), "doc_to_text")
            raise self._wrong(number, f"the template {texts.template[:80]!r}: {texts.problem}", field)
        return texts

    def _turn(self, number: int) -> str:
        text = self._text(self._rows[number], self._rendered(number)[0])
        return f"{text}{self._task.target_delimiter}{self._targets(number)[0]}{self._task.fewshot_delimiter}"

    def _targets(self, number: int) -> tuple[str, ...]:
        row, texts = self._rows[number], self._rendered(number)
        target = self._target(row, texts[1])
        if isinstance(target, int) and not isinstance(target, bool) and self._task.doc_to_choice is not None:
            choices = self._choices(number, row, texts[2])
            if not 0 <= target < len(choices):
                raise self._wrong(number, f"'doc_to_target' is {target}, and there are {len(choices)} choices", "doc_to_target")
            target = choices[target]
        listed = [str(one) for one in (target if isinstance(target, list) else [target])]
        if not listed or target is None:
            raise self._wrong(number, "'doc_to_target' gives no target", "doc_to_target")
        return tuple(listed)

    def _template(self, row: dict[str, Any], field: str) -> str:
        """The template of a field; none where it names a column, or says the value itself."""
        said = getattr(self._task, field)
        return said if isinstance(said, str) and said not in row else ""

    def _text(self, row: dict[str, Any], rendered: str) -> str:
        return str(row[self._task.doc_to_text]) if self._task.doc_to_text in row else rendered

    def _target(self, row: dict[str, Any], rendered: str) -> Any:
        said = self._task.doc_to_target
        if not isinstance(said, str):
            return said
        if said in row:
            return row[said]
        if _INDEX.fullmatch(rendered) and self._task.doc_to_choice is not None:
            return int(rendered)
        if rendered[:1] == "[" and rendered[-1:] == "]":
            return _literal(rendered, rendered)
        return rendered

    def _choices(self, number: int, row: dict[str, Any], rendered: str) -> list[Any]:
        said = self._task.doc_to_choice
        found = said if not isinstance(said, str) else row[said] if said in row else _literal(rendered, None)
        if isinstance(found, dict):
            found = list(found.values())
        if not isinstance(found, list):
            raise self._wrong(number, "'doc_to_choice' gives no list of choices", "doc_to_choice")
        return found

    def _right(self, number: int, target: Any, choices: Sequence[str]) -> tuple[str, ...]:
        places = []
        for one in target if isinstance(target, list) else [target]:
            if isinstance(one, str) and one.strip() in choices:
                one = choices.index(one.strip())
            elif isinstance(one, str) and _INDEX.fullmatch(one.strip()):
                one = int(one)
            if not isinstance(one, int) or not 0 <= one < len(choices):
                raise self._wrong(
                    number, f"'doc_to_target' gives {str(one)[:80]!r}, which is none of {len(choices)} choices", "doc_to_target"
                )
            places.append(int(one))
        return tuple(ascii_uppercase[place] for place in dict.fromkeys(places))

    def _id(self, number: int) -> str:
        return f"example {number + 1}" if number < self._shown else str(number - self._shown + 1)

    def _name(self, number: int) -> str:
        return f"worked example {number + 1}" if number < self._shown else f"row {number - self._shown + 1}"

    def _wrong(self, number: int, problem: str, field: str) -> BadFile:
        return self._source.wrong(f"{self._name(number)}: {problem}", field)


def _unlettered(text: str, choices: list[str]) -> tuple[str, list[str]]:
    """A question whose choices are letters, with the texts that stand behind these letters in it as choices."""
    letters = list(ascii_uppercase[: len(choices)])
    if choices != letters:
        return text, choices
    found = list(_LETTERED.finditer(text))[-len(letters) :]
    if [one[1] for one in found] != letters:
        return text, choices
    kept = text[: found[0].start()].rstrip()
    return (kept, [one[2].strip() for one in found]) if kept else (text, choices)


def _literal(text: str, otherwise: Any) -> Any:
    """A list, number or text as Python writes it."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return otherwise


def rows_of(source: Source, task: Task, split: str, revision: str | None) -> Rows:
    """The rows of a split. Raises `BadFile`."""
    kwargs = task.dataset_kwargs or {}
    check_fields(source, kwargs, _KWARGS, _REFUSED, where=("dataset_kwargs",))
    try:
        if task.dataset_path in BUILDERS:
            files = _files(source, kwargs.get("data_files"), split)
            field = str(kwargs.get("field") or "")
        else:
            files, field = _fetched(source, task, split, revision or str(kwargs.get("revision") or "")), ""
        found = [row for file in files for _, row in records(file, field=field)]
    except BadFile:
        raise
    except BadInput as error:
        raise source.wrong(f"{task.dataset_path}: {error}", "dataset_path") from None
    if not 0 < len(found) <= MOST_ROWS:
        raise source.wrong(
            f"the split '{split[:80]}' has {len(found):,} rows: there must be 1 to {MOST_ROWS:,}", "dataset_path"
        )
    return found


def _files(source: Source, named: Any, split: str) -> Sequence[Path]:
    """The files of a split: files that are named without splits are all of the split `train`, as in the library `datasets`."""
    where = ("dataset_kwargs", "data_files")
    splits = named if isinstance(named, dict) else {"train": named} if named else {}
    if not splits:
        raise source.wrong(
            "'dataset_kwargs' names no data_files, such as data_files: {test: questions.jsonl}", "dataset_kwargs"
        )
    if split not in splits:
        there = ", ".join(splits)
        raise source.wrong(f"no data_files for the split '{split[:80]}', only for {there[:200]}", *where)
    listed = splits[split] if isinstance(splits[split], list) else [splits[split]]
    try:
        return [beside(source.file, str(one)) for one in listed]
    except BadFile as error:
        raise source.wrong(error.problem, *where) from None


def _fetched(source: Source, task: Task, split: str, commit: str) -> Sequence[Path]:
    if task.dataset_path.startswith((".", "/", "~")) or task.dataset_path.count("/") > 1 or "\\" in task.dataset_path:
        raise source.wrong(
            f"'dataset_path' is '{task.dataset_path[:80]}': write {', '.join(BUILDERS)} and the files as "
            "dataset_kwargs.data_files, or OWNER/NAME of a hub",
            "dataset_path",
        )
    if not COMMIT.fullmatch(commit):
        raise source.wrong(
            f"'{task.dataset_path[:80]}' is a data set of a hub: name its commit, by --revision and 40 digits, "
            "or as dataset_kwargs.revision, since branches and tags move",
            "dataset_path",
        )
    return Repository(task.dataset_path, commit).split(split, task.dataset_name or "")
