"""A task file of lm-evaluation-harness: what of it is used, what changes nothing, and what is refused by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.certificate.rules.extraction import Extraction, Filter
from vivavoce.certificate.scopes import MOST_SHOTS
from vivavoce.certificate.scopes.importers.conversion import check_fields
from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.records import beside, plain
from vivavoce.formats.wording import first_problem
from vivavoce.formats.yaml_file import Source, read_yaml

DEEPEST: Final = 10
"""Files that include each other."""
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


class Fewshot(BaseModel):
    """Where worked examples come from."""

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


class Task(BaseModel):
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
    def asked_split(self) -> str | None:
        """The split that is asked."""
        return self.test_split or self.validation_split

    @property
    def shots(self) -> int:
        """Worked examples before each question."""
        return self.num_fewshot or (self.fewshot_config.num_fewshot if self.fewshot_config else None) or 0


def read_task(file: Path) -> tuple[Source, Task]:
    """The task of a file, with what it includes. Raises `BadFile` for what is no such task, or cannot be one here."""
    source = _with_included(file, 0)
    given = source.value
    if isinstance(given.get("task"), list):
        raise source.wrong("is a group of tasks: name the file of one of them", "task")
    if given.get("output_type") in ("loglikelihood", "loglikelihood_rolling"):
        raise source.wrong(
            "'output_type' asks for probabilities of given texts, which is no question: choose a task that is "
            "multiple_choice or generate_until",
            "output_type",
        )
    check_fields(source, given, (*Task.model_fields, *UNUSED), REFUSED, where=())
    try:
        task = Task.model_validate({name: value for name, value in given.items() if name in Task.model_fields})
    except ValidationError as error:
        steps = error.errors(include_url=False)[0]["loc"]
        function = next((one for one in error.errors() if one["type"].startswith("union_tag")), None)
        if function is not None:
            raise source.wrong(
                f"'filter_list': the filter {str(function['input'])[:120]} is not used here: there are regex, map, lowercase, "
                "uppercase, remove_whitespace and take_first",
                "filter_list",
            ) from None
        raise source.wrong(first_problem(error), *steps) from None
    _check_metrics(source, task)
    return source, task


def extraction_of(source: Source, task: Task, wanted: str | None) -> Extraction:
    """How a reply is compared, as yet with no target.

    wanted: the name of the filter, where there are several.
    """
    pipeline = _pipeline(source, task, wanted)
    metrics = (pipeline.metric_list if pipeline else None) or task.metric_list or [{"metric": "exact_match"}]
    settings = next(one for one in metrics if one.get("metric") == "exact_match")
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


def _with_included(file: Path, depth: int) -> Source:
    """A file over the one that it includes."""
    source = read_yaml(file)
    if not isinstance(source.value, Mapping):
        raise source.wrong("is no task of lm-evaluation-harness: it names no fields")
    own = {str(name): plain(value) for name, value in source.value.items()}
    included = own.pop("include", None)
    if included is None:
        return replace(source, value=own)
    if depth == DEEPEST:
        raise source.wrong(f"more than {DEEPEST} files include each other", "include")
    if not isinstance(included, str):
        raise source.wrong("'include' names one file", "include")
    try:
        base = _with_included(beside(file, included), depth + 1)
    except BadFile as error:
        if error.file == file:
            raise source.wrong(error.problem, "include") from None
        raise
    return replace(source, value={**base.value, **own})


def _check_metrics(source: Source, task: Task) -> None:
    """One of the metrics must be what is scored here: the share of right answers."""
    given = [*(task.metric_list or ()), *(one for line in task.filter_list or () for one in line.metric_list or ())]
    names = [str(one.get("metric")) for one in given]
    if task.output_type == "multiple_choice":
        if names and not BY_CHOICE & set(names):
            raise source.wrong(
                f"'metric_list' has {', '.join(names)[:120]}: of choices the share of right ones is scored", "metric_list"
            )
        return
    if names and "exact_match" not in names:
        raise source.wrong(
            f"'metric_list' has {', '.join(names)[:120]}, and no exact_match, by which replies are scored here", "metric_list"
        )
    for place, one in enumerate(task.metric_list or ()):
        if one.get("metric") == "exact_match":
            check_fields(source, one, (*_METRIC, *_IGNORING), {}, where=("metric_list", place))
            if one.get("aggregation", "mean") != "mean":
                raise source.wrong("exact_match is aggregated as a mean here", "metric_list", place, "aggregation")


def _pipeline(source: Source, task: Task, wanted: str | None) -> Pipeline | None:
    pipelines = task.filter_list or []
    if wanted is not None:
        found = [one for one in pipelines if one.name == wanted]
        if not found:
            names = ", ".join(one.name for one in pipelines) or "none"
            raise source.wrong(f"there is no filter '{wanted[:80]}': there are {names[:300]}", "filter_list")
        return found[0]
    if len(pipelines) > 1:
        names = ", ".join(f"--filter {one.name}" for one in pipelines)
        raise source.wrong(f"has {len(pipelines)} filters, and each scores otherwise: name one, {names[:300]}", "filter_list")
    return pipelines[0] if pipelines else None
