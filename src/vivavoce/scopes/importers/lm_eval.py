"""Tasks of lm-evaluation-harness as rows of a question file.

`multiple_choice`: the harness takes the choice with the highest log-likelihood; here the choices get letters, one is asked for
in words, and worked examples come before it as turns. `generate_until` with `exact_match`: the prompt is theirs, and the reply
is cut, filtered and compared as there, by the question's `rule`. A description is the system text, as it is there with a chat
template.

Departures: worked examples are the first of their split, even if the harness draws them; they never come from the split that is
asked. The lettered lines and the last "Answer:" are removed from a prompt, since we letter the options ourselves. Patterns run
in linear time (`formats.linear_regex`). No code is run, and no file is read outside of the task's folder.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.bounds import MOST_ROWS
from vivavoce.formats.records import plain, records, sibling_path
from vivavoce.formats.wording import first_problem
from vivavoce.formats.yaml_file import YamlSource, read_yaml
from vivavoce.scopes import MOST_SHOTS
from vivavoce.scopes.hub import Repository
from vivavoce.scopes.importers.conversion import Conversion, SourceRow, check_fields, converted, fields_of
from vivavoce.scopes.importers.promptfoo import TemplateProblem, rendered
from vivavoce.scopes.questions import MAX_OPTIONS, Question
from vivavoce.scopes.rules.scorers import Extraction, Filter

_CUE: Final = re.compile(r"\s*\b(?:answer|a)\s*:\s*\Z", re.IGNORECASE)
_INDEX: Final = re.compile(r"[0-9]{1,4}")
_LETTERED: Final = re.compile(r"^\(?([A-Z])[.):]\s*(\S.*)$", re.MULTILINE)
BUILDERS: Final = ("json", "csv", "parquet", "arrow")
"""Values of `dataset_path` for data in files."""
COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_KWARGS: Final = ("data_files", "field", "revision", "streaming", "cache_dir", "keep_in_memory", "num_proc")
_REFUSED_KWARGS: Final = {
    "trust_remote_code": "no code of a data set is run here: leave it out",
    "data_dir": "name files as data_files",
    "name": "write it as dataset_name",
    "split": "name splits as test_split and the like",
    "token": "set HF_TOKEN",
}

Rows = list[dict[str, Any]]
DEEPEST: Final = 10
"""Most files that include each other."""
UNUSED: Final = (
    *("task", "task_alias", "tag", "group", "group_alias", "metadata", "batch_size", "repeats"),
    *("should_decontaminate", "doc_to_decontamination_query"),
)
"""Fields that change no question and no score here."""
_CODE: Final = "it is code, which is not run: write its result to a file, and name that in dataset_kwargs.data_files"
REFUSED: Final = {
    **dict.fromkeys(("process_docs", "process_results", "class", "custom_dataset", "unsafe_code"), _CODE),
    **dict.fromkeys(("doc_to_image", "doc_to_audio"), "questions are texts here"),
    "use_prompt": "write the prompt out as doc_to_text, doc_to_target and doc_to_choice",
    "gen_prefix": "a candidate writes its reply from the beginning; put the words into doc_to_text",
}
BY_CHOICE: Final = frozenset(
    ("acc", "acc_norm", "acc_mutual_info", "acc_bytes", "exact_match", "brier_score", "likelihood", "f1", "mcc")
)
_METRIC: Final = ("metric", "aggregation", "higher_is_better", "hf_evaluate")
_IGNORING: Final = ("ignore_case", "ignore_punctuation", "ignore_numbers", "regexes_to_ignore")


def from_lm_eval(
    file: Path, filter_name: str | None = None, shots: int | None = None, revision: str | None = None
) -> Conversion:
    """The rows of a task.

    Parameters
    ----------
    filter_name: one of its filters, where it has several.
    shots: worked examples before each question; overrides `num_fewshot`.
    revision: the commit of its data set on a hub.

    Raises `BadFile` if the task as a whole can't be asked or checked, with the line and the remedy.
    """
    source, task = read_task(file)
    number = task.shots if shots is None else shots
    if number > MOST_SHOTS:
        raise BadInput(f"{number} worked examples: at most {MOST_SHOTS}")
    if revision is not None and not COMMIT.fullmatch(revision):
        raise BadInput(f"the revision is '{revision[:80]}': write the 40 digits of a commit: branches and tags move")
    asked = task.test_split or task.validation_split
    if asked is None:
        raise source.wrong("names no test_split and no validation_split")
    rows = rows_of(source, task, asked, revision)
    examples = _examples(source, task, asked, number, revision) if number else []
    extraction = None if task.output_type == "multiple_choice" else extraction_of(source, task, filter_name)
    results = _TemplateRenderer(source, task, rows, examples).rows(extraction)
    return converted(results, unused=fields_of(source.value, UNUSED))


def _examples(source: YamlSource, task: LmEvalTask, asked: str, number: int, revision: str | None) -> Rows:
    config = task.fewshot_config
    split = task.fewshot_split or (config.split if config else None)
    if split is None and config and config.samples is not None:
        pool = config.samples
    else:
        split = split or task.training_split or task.validation_split
        if split is None or split == asked:
            raise source.wrong(
                f"{number} worked examples, but no separate fewshot_split: name one, or give --shots 0",
                "fewshot_split",
            )
        pool = rows_of(source, task, split, revision)
    if config and config.fewshot_indices:
        if max(config.fewshot_indices) >= len(pool) or min(config.fewshot_indices) < 0:
            raise source.wrong("'fewshot_indices' are beyond the last example", "fewshot_config", "fewshot_indices")
        pool = [pool[fewshot_index] for fewshot_index in config.fewshot_indices]
    if len(pool) < number:
        raise source.wrong(f"{number} worked examples, but there are {len(pool)}: ask for fewer by --shots", "num_fewshot")
    return pool[:number]


class _TemplateRenderer:
    """Renders a task's templates for all of its rows at once, the examples first."""

    def __init__(self, source: YamlSource, task: LmEvalTask, rows: Rows, examples: Rows) -> None:
        self._source, self._task = source, task
        self._rows = [*examples, *rows]
        self._shown = len(examples)
        fields = ("doc_to_text", "doc_to_target", "doc_to_choice", "description")
        self._texts = rendered((row, [self._template(row, field) for field in fields]) for row in self._rows)

    def rows(self, extraction: Extraction | None) -> Iterator[SourceRow | BadFile]:
        """The questions, with a problem instead of each invalid row. Raises `BadFile` for an invalid worked example.

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
        choices = [str(choice).strip() for choice in self._choices(number, row, texts[2])]
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
        listed = [str(entry) for entry in (target if isinstance(target, list) else [target])]
        if not listed or target is None:
            raise self._wrong(number, "'doc_to_target' gives no target", "doc_to_target")
        return tuple(listed)

    def _template(self, row: dict[str, Any], field: str) -> str:
        """The template of a field; None if it names a column, or is the value itself."""
        text = getattr(self._task, field)
        return text if isinstance(text, str) and text not in row else ""

    def _text(self, row: dict[str, Any], rendered: str) -> str:
        return str(row[self._task.doc_to_text]) if self._task.doc_to_text in row else rendered

    def _target(self, row: dict[str, Any], rendered: str) -> Any:
        result = self._task.doc_to_target
        if not isinstance(result, str):
            return result
        if result in row:
            return row[result]
        if _INDEX.fullmatch(rendered) and self._task.doc_to_choice is not None:
            return int(rendered)
        if rendered[:1] == "[" and rendered[-1:] == "]":
            return _literal(rendered, rendered)
        return rendered

    def _choices(self, number: int, row: dict[str, Any], rendered: str) -> list[Any]:
        text = self._task.doc_to_choice
        result = text if not isinstance(text, str) else row[text] if text in row else _literal(rendered, None)
        if isinstance(result, dict):
            result = list(result.values())
        if not isinstance(result, list):
            raise self._wrong(number, "'doc_to_choice' gives no list of choices", "doc_to_choice")
        return result

    def _right(self, number: int, target: Any, choices: Sequence[str]) -> tuple[str, ...]:
        places = []
        for name in target if isinstance(target, list) else [target]:
            if isinstance(name, str) and name.strip() in choices:
                name = choices.index(name.strip())
            elif isinstance(name, str) and _INDEX.fullmatch(name.strip()):
                name = int(name)
            if not isinstance(name, int) or not 0 <= name < len(choices):
                raise self._wrong(
                    number,
                    f"'doc_to_target' gives {str(name)[:80]!r}, which is not one of the {len(choices)} choices",
                    "doc_to_target",
                )
            places.append(int(name))
        return tuple(ascii_uppercase[index] for index in dict.fromkeys(places))

    def _id(self, number: int) -> str:
        return f"example {number + 1}" if number < self._shown else str(number - self._shown + 1)

    def _name(self, number: int) -> str:
        return f"worked example {number + 1}" if number < self._shown else f"row {number - self._shown + 1}"

    def _wrong(self, number: int, problem: str, field: str) -> BadFile:
        return self._source.wrong(f"{self._name(number)}: {problem}", field)


def _unlettered(text: str, choices: list[str]) -> tuple[str, list[str]]:
    """A question whose choices are letters, with the texts of these letters as choices."""
    letters = list(ascii_uppercase[: len(choices)])
    if choices != letters:
        return text, choices
    matches = list(_LETTERED.finditer(text))[-len(letters) :]
    if [match[1] for match in matches] != letters:
        return text, choices
    kept = text[: matches[0].start()].rstrip()
    return (kept, [match[2].strip() for match in matches]) if kept else (text, choices)


def _literal(text: str, otherwise: Any) -> Any:
    """A list, number or text as Python writes it."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return otherwise


def rows_of(source: YamlSource, task: LmEvalTask, split: str, revision: str | None) -> Rows:
    """The rows of a split. Raises `BadFile`."""
    kwargs = task.dataset_kwargs or {}
    check_fields(source, kwargs, _KWARGS, _REFUSED_KWARGS, where=("dataset_kwargs",))
    try:
        if task.dataset_path in BUILDERS:
            files = _files(source, kwargs.get("data_files"), split)
            field = str(kwargs.get("field") or "")
        else:
            files, field = _fetched(source, task, split, revision or str(kwargs.get("revision") or "")), ""
        result = [row for file in files for _, row in records(file, field=field)]
    except BadFile:
        raise
    except BadInput as error:
        raise source.wrong(f"{task.dataset_path}: {error}", "dataset_path") from None
    if not 0 < len(result) <= MOST_ROWS:
        raise source.wrong(
            f"the split '{split[:80]}' has {len(result):,} rows: there must be 1 to {MOST_ROWS:,}", "dataset_path"
        )
    return result


def _files(source: YamlSource, named: Any, split: str) -> Sequence[Path]:
    """The files of a split; files without a named split belong to `train`, as in the library `datasets`."""
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
        return [sibling_path(source.file, str(entry)) for entry in listed]
    except BadFile as error:
        raise source.wrong(error.problem, *where) from None


def _fetched(source: YamlSource, task: LmEvalTask, split: str, commit: str) -> Sequence[Path]:
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


class Fewshot(BaseModel):
    """The source of worked examples."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sampler: Literal["default", "first_n"] = "default"
    samples: list[dict[str, Any]] | None = None
    num_fewshot: int | None = Field(default=None, ge=0, le=MOST_SHOTS)
    fewshot_indices: list[int] | None = None
    split: str | None = None


class Pipeline(BaseModel):
    """A named list of filters."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = ""
    filter: list[Filter] = Field(min_length=1)
    metric_list: list[dict[str, Any]] | None = None


class LmEvalTask(BaseModel):
    """The fields that are used."""

    model_config = ConfigDict(frozen=True)

    output_type: Literal["multiple_choice", "generate_until"] = "generate_until"
    dataset_path: str
    dataset_name: str | None = None
    dataset_kwargs: dict[str, Any] | None = None
    training_split: str | None = None
    validation_split: str | None = None
    test_split: str | None = None
    fewshot_split: str | None = None
    fewshot_config: Fewshot | None = None
    doc_to_text: str
    doc_to_target: int | str | list[str]
    doc_to_choice: str | list[str] | dict[str, str] | None = None
    description: str = ""
    target_delimiter: str = " "
    fewshot_delimiter: str = "\n\n"
    num_fewshot: int | None = Field(default=None, ge=0, le=MOST_SHOTS)
    generation_kwargs: dict[str, Any] | None = None
    metric_list: list[dict[str, Any]] | None = None
    filter_list: list[Pipeline] | None = None

    @property
    def shots(self) -> int:
        """Worked examples before each question."""
        return self.num_fewshot or (self.fewshot_config.num_fewshot if self.fewshot_config else None) or 0


def read_task(file: Path) -> tuple[YamlSource, LmEvalTask]:
    """The task in a file, with its included files. Raises `BadFile` if it is not such a task, or can't be converted."""
    source = _with_included(file, 0)
    given = source.value
    if isinstance(given.get("task"), list):
        raise source.wrong("is a group of tasks: name the file of one of them", "task")
    if given.get("output_type") in ("loglikelihood", "loglikelihood_rolling"):
        raise source.wrong(
            "'output_type' asks for probabilities of given texts, not for an answer: choose a task that is "
            "multiple_choice or generate_until",
            "output_type",
        )
    check_fields(source, given, (*LmEvalTask.model_fields, *UNUSED), REFUSED, where=())
    try:
        task = LmEvalTask.model_validate({name: value for name, value in given.items() if name in LmEvalTask.model_fields})
    except ValidationError as error:
        steps = error.errors(include_url=False)[0]["loc"]
        function = next((entry for entry in error.errors() if entry["type"].startswith("union_tag")), None)
        if function is not None:
            raise source.wrong(
                f"'filter_list': the filter {str(function['input'])[:120]} is not used here: there are regex, map, lowercase, "
                "uppercase, remove_whitespace and take_first",
                "filter_list",
            ) from None
        raise source.wrong(first_problem(error), *steps) from None
    _check_metrics(source, task)
    return source, task


def extraction_of(source: YamlSource, task: LmEvalTask, wanted: str | None) -> Extraction:
    """How a reply is compared, without a target yet.

    wanted: the name of the filter, if there are several.
    """
    pipeline = _pipeline(source, task, wanted)
    metrics = (pipeline.metric_list if pipeline else None) or task.metric_list or [{"metric": "exact_match"}]
    settings = next(metric for metric in metrics if metric.get("metric") == "exact_match")
    kwargs = task.generation_kwargs or {}
    until = kwargs.get("until", [task.fewshot_delimiter])
    try:
        made = Extraction(
            targets=("",),
            until=tuple(until if isinstance(until, list) else [until] if until else []),
            filters=tuple(pipeline.filter) if pipeline else (),
            **{name: settings[name] for name in _IGNORING if settings.get(name) is not None},
        )
    except ValidationError as error:
        raise source.wrong(first_problem(error), "metric_list") from None
    try:
        made.check()
    except MissingExtra:
        raise
    except BadInput as error:
        raise source.wrong(str(error), "filter_list") from None
    return made


def _with_included(file: Path, depth: int) -> YamlSource:
    """A file merged over the file that it includes."""
    source = read_yaml(file)
    if not isinstance(source.value, Mapping):
        raise source.wrong("is not a task of lm-evaluation-harness: it has no fields")
    own = {str(name): plain(value) for name, value in source.value.items()}
    included = own.pop("include", None)
    if included is None:
        return replace(source, value=own)
    if depth == DEEPEST:
        raise source.wrong(f"more than {DEEPEST} files include each other", "include")
    if not isinstance(included, str):
        raise source.wrong("'include' names one file", "include")
    try:
        base = _with_included(sibling_path(file, included), depth + 1)
    except BadFile as error:
        if error.file == file:
            raise source.wrong(error.problem, "include") from None
        raise
    return replace(source, value={**base.value, **own})


def _check_metrics(source: YamlSource, task: LmEvalTask) -> None:
    """Check that one of the metrics is the share of right answers, which is scored here."""
    given = [*(task.metric_list or ()), *(entry for line in task.filter_list or () for entry in line.metric_list or ())]
    names = [str(entry.get("metric")) for entry in given]
    if task.output_type == "multiple_choice":
        if names and not BY_CHOICE & set(names):
            raise source.wrong(
                f"'metric_list' has {', '.join(names)[:120]}: of choices the share of right ones is scored", "metric_list"
            )
        return
    if names and "exact_match" not in names:
        raise source.wrong(
            f"'metric_list' has {', '.join(names)[:120]}, but not exact_match, the only metric for replies here", "metric_list"
        )
    for index, entry in enumerate(task.metric_list or ()):
        if entry.get("metric") == "exact_match":
            check_fields(source, entry, (*_METRIC, *_IGNORING), {}, where=("metric_list", index))
            if entry.get("aggregation", "mean") != "mean":
                raise source.wrong("exact_match is aggregated as a mean here", "metric_list", index, "aggregation")


def _pipeline(source: YamlSource, task: LmEvalTask, wanted: str | None) -> Pipeline | None:
    pipelines = task.filter_list or []
    if wanted is not None:
        matches = [pipeline for pipeline in pipelines if pipeline.name == wanted]
        if not matches:
            names = ", ".join(pipeline.name for pipeline in pipelines) or "none"
            raise source.wrong(f"there is no filter '{wanted[:80]}': there are {names[:300]}", "filter_list")
        return matches[0]
    if len(pipelines) > 1:
        names = ", ".join(f"--filter {pipeline.name}" for pipeline in pipelines)
        raise source.wrong(f"has {len(pipelines)} filters, which score differently: name one, {names[:300]}", "filter_list")
    return pipelines[0] if pipelines else None
