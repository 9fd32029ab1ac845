"""The `eval.yaml` of a benchmark on a Hugging Face hub: its tasks, and what of them is used, ignored, and refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.certificate.scopes.importers.conversion import check_fields, fields_of
from vivavoce.formats.records import plain
from vivavoce.formats.wording import first_problem
from vivavoce.formats.yaml_file import Source

FRAMEWORK: Final = "inspect-ai"
"""The only framework of which a file says how questions are put and scored."""
HEAD: Final = ("name", "description", "evaluation_framework", "version", "metrics", "tasks")
_MEAN: Final = re.compile(r"mean|pass_at_1")
_FIELDS: Final = (
    "id",
    "config",
    "split",
    "field_spec",
    "shuffle_choices",
    "epochs",
    "epoch_reducer",
    "solvers",
    "scorers",
    "metrics",
)
_SPEC: Final = ("input", "target", "choices", "id", "metadata")
_REFUSED_SPEC: Final = {
    "input_image": "questions are texts here, and one without its picture would be another question",
    **dict.fromkeys(("sandbox", "files", "setup"), "it is for code, which is not run"),
}
IN_INSPECT: Final = "run the task in Inspect itself, as hf/OWNER/NAME"
SOLVERS: Final = ("prompt_template", "system_message", "chain_of_thought", "user_message", "generate", "multiple_choice")
_REFUSED_SOLVERS: Final = dict.fromkeys(("use_tools", "self_critique"), IN_INSPECT)
RULES: Final = ("includes", "match", "exact", "answer", "pattern")
JUDGES: Final = ("model_graded_qa", "model_graded_fact")
SCORERS: Final = (*RULES, *JUDGES, "choice")
_REFUSED_SCORERS: Final = {"f1": IN_INSPECT}


class Step(BaseModel):
    """A solver or a scorer with its arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    args: dict[str, Any] = {}


class FieldSpec(BaseModel):
    """Which columns hold what."""

    model_config = ConfigDict(frozen=True)

    input: str
    target: str
    choices: str | list[str] | None = None
    id: str | None = None
    metadata: list[str] = []


class Task(BaseModel):
    """One task."""

    model_config = ConfigDict(frozen=True)

    id: str | None = None
    config: str | None = None
    split: str = "test"
    field_spec: FieldSpec
    shuffle_choices: bool = False
    epochs: int = Field(default=1, ge=1)
    epoch_reducer: str | None = None
    solvers: list[Step] = Field(min_length=1)
    scorers: list[Step] = Field(min_length=1)


def read_tasks(source: Source, wanted: str) -> tuple[Task, tuple[str, ...]]:
    """The task of that id, or the only one, and the fields that change nothing here. Raises `BadFile`."""
    given = source.value
    tasks = given.get("tasks") if isinstance(given, Mapping) else None
    if (
        not isinstance(given, Mapping)
        or not isinstance(tasks, list)
        or not all(isinstance(one, Mapping) for one in tasks)
        or not tasks
    ):
        raise source.wrong("is no eval.yaml of a benchmark: it needs 'tasks', a list of objects with an 'id'")
    check_fields(source, given, HEAD, {}, where=())
    framework = str(given.get("evaluation_framework", ""))
    if framework != FRAMEWORK:
        raise source.wrong(
            f"'evaluation_framework' is '{framework[:80]}': only files for {FRAMEWORK} say how questions are put and scored",
            "evaluation_framework",
        )
    ids = [str(one.get("id", "")) for one in tasks]
    if wanted and wanted not in ids:
        raise source.wrong(f"has no task '{wanted[:80]}': there are {', '.join(ids)[:600]}", "tasks")
    if not wanted and len(tasks) > 1:
        raise source.wrong(f"has {len(tasks)} tasks: name one by --task, {', '.join(ids)[:600]}", "tasks")
    place = ids.index(wanted) if wanted else 0
    task = _task(source, tasks[place], ("tasks", place))
    steps = [*task.solvers, *task.scorers]
    unused = [f"{one.name}.{name}" for one in steps for name in one.args if name in _unused_arguments(one)]
    heads = fields_of(given, ("version", "metrics"))
    return task, (*heads, *fields_of(tasks[place], ("epochs", "epoch_reducer", "metrics")), *unused)


def _unused_arguments(step: Step) -> tuple[str, ...]:
    """Arguments that change nothing here: the judge is named on the command line, and choices are put in the house's way."""
    if step.name in JUDGES:
        return ("model", "model_role", "grade_pattern", "include_history", "template")
    if step.name == "multiple_choice":
        return ("cot", "template", "max_tokens")
    return ()


def _task(source: Source, given: Mapping[str, Any], where: tuple[str | int, ...]) -> Task:
    check_fields(source, given, _FIELDS, {}, where=where)
    spec = given.get("field_spec")
    if isinstance(spec, Mapping):
        check_fields(source, spec, _SPEC, _REFUSED_SPEC, where=(*where, "field_spec"))
    values = {str(name): plain(value) for name, value in given.items() if name in Task.model_fields and value is not None}
    try:
        task = Task.model_validate(values)
    except ValidationError as error:
        steps = error.errors(include_url=False)[0]["loc"]
        raise source.wrong(first_problem(error), *where, *steps) from None
    if task.epochs > 1 and task.epoch_reducer and not _MEAN.fullmatch(task.epoch_reducer):
        raise source.wrong(
            f"'epoch_reducer' is '{task.epoch_reducer[:80]}', which is no mean: a certificate asks each question once, "
            "or several times by --draws",
            *where,
            "epoch_reducer",
        )
    _check_steps(source, task, where)
    return task


def _check_steps(source: Source, task: Task, where: tuple[str | int, ...]) -> None:
    for kind, steps, known, refused in (
        ("solvers", task.solvers, SOLVERS, _REFUSED_SOLVERS),
        ("scorers", task.scorers, SCORERS, _REFUSED_SCORERS),
    ):
        for place, step in enumerate(steps):
            if step.name not in known:
                remedy = refused.get(step.name, IN_INSPECT)
                there = ", ".join(known)
                raise source.wrong(f"'{step.name[:80]}' is not used here: {remedy}; there are {there}", *where, kind, place)
    if len(task.scorers) > 1:
        names = ", ".join(one.name for one in task.scorers)
        raise source.wrong(f"has several scorers ({names[:200]}): a question has one score; keep one", *where, "scorers")
    last = task.solvers[-1].name
    earlier = [one.name for one in task.solvers[:-1]]
    if last not in ("generate", "multiple_choice") or {"generate", "multiple_choice"} & set(earlier):
        raise source.wrong(
            f"the solvers must end with generate or multiple_choice, and ask once; {IN_INSPECT}", *where, "solvers"
        )
    if (last == "multiple_choice") != (task.scorers[0].name == "choice") or (last == "multiple_choice") > bool(
        task.field_spec.choices
    ):
        raise source.wrong(
            "multiple_choice, the scorer choice and field_spec.choices go together: give all of them or none", *where, "scorers"
        )


def inside(path: str) -> bool:
    """Whether a template is the name of a file rather than a text."""
    return "\n" not in path and "{" not in path and PurePosixPath(path).suffix in (".txt", ".md")
