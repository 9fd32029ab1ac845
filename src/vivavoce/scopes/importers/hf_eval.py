"""Tasks of a benchmark's `eval.yaml`, on a Hugging Face hub or in a copy of the data set, as rows of a question file.

Tasks are for Inspect: `multiple_choice` with `choice` becomes a question with lettered options, put and parsed in our own
format; `generate` with a scorer that needs no model is asked as the solvers put it, and the scorer is its `rule`;
`model_graded_qa` and `model_graded_fact` become a rubric for a judge.

Departures: `shuffle_choices` shuffles by the text of each question, so that everybody gets the same order. An `epoch` is a
question asked once more, which a certificate of the mean does not need. A whole number as the target of a free answer is that
number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path, PurePosixPath
from string import ascii_uppercase
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.errors import BadFile, BadInput, MissingExtra
from vivavoce.formats.bounds import MOST_ROWS
from vivavoce.formats.records import plain, records
from vivavoce.formats.wording import first_problem
from vivavoce.formats.yaml_file import YamlSource, read_yaml
from vivavoce.scopes.hub import README, Repository, front_of, split_named, splits_of
from vivavoce.scopes.importers.conversion import Conversion, SourceRow, check_fields, converted, fields_of
from vivavoce.scopes.questions import LONGEST_RUBRIC, MAX_OPTIONS, Question
from vivavoce.scopes.rules.scorers import Scorer

EVAL: Final = "eval.yaml"
ON_HUB: Final = re.compile(r"(?P<name>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")
MOST_FILES: Final = 100_000
_PLACEHOLDER: Final = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_LITERAL: Final = "literal:"
_STEP_BY_STEP: Final = "Think step by step before you answer."
_JUDGED: Final = (
    "10 points: the answer says in substance what the reference answer says, in whatever words.\n"
    "0 points: it says something else, or does not say it."
)
_IN_PART: Final = "\n5 points: it says a part of it, and nothing that is wrong."
FRAMEWORK: Final = "inspect-ai"
"""The only framework whose tasks define how questions are asked and scored."""
HEAD: Final = ("name", "description", "evaluation_framework", "version", "metrics", "tasks")
_MEAN: Final = re.compile(r"mean|pass_at_1")
_FIELDS: Final = (
    *("id", "config", "split", "field_spec", "shuffle_choices", "epochs", "epoch_reducer", "solvers", "scorers", "metrics"),
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


def from_hf_eval(address: str, task: str = "") -> Conversion:
    """The rows of a task.

    Parameters
    ----------
    address: `OWNER/NAME@COMMIT`, or a file `eval.yaml` in a copy of the data set.
    task: its id; it may be left out where there is one.

    Raises `BadFile` and `BadInput` if the task as a whole can't be fetched, asked or scored.
    """
    match = ON_HUB.fullmatch(address)
    if match:
        repository = Repository(match["name"], match["commit"])
        if EVAL not in repository.sizes:
            raise BadInput(f"{address} has no {EVAL}: name its columns yourself, as --scope hf:OWNER/NAME@COMMIT#SPLIT")
        source = read_yaml(repository.fetch([EVAL])[0])
        wanted, unused = read_tasks(source, task)
        files: Sequence[Path] = repository.split(wanted.split, _config(wanted, repository.front()))
    else:
        if not address.endswith((".yaml", ".yml")):
            raise BadInput(f"'{address[:200]}': write OWNER/NAME@COMMIT, the commit in 40 digits, or the place of an {EVAL}")
        source = read_yaml(Path(address))
        wanted, unused = read_tasks(source, task)
        files = _copied(source, wanted)
    return converted(_rows(source, wanted, [row for file in files for _, row in records(file)]), unused=unused)


def _config(task: HfEvalTask, front: Mapping[str, Any]) -> str:
    """The configuration, if the data set has any; `default` is the usual one."""
    named = [entry.get("config_name") for entry in front.get("configs") or () if isinstance(entry, Mapping)]
    return "" if task.config is None or (task.config == "default" and "default" not in named) else task.config


def _copied(source: YamlSource, task: HfEvalTask) -> Sequence[Path]:
    """The files of a split in a copy of the data set."""
    folder = source.file.parent
    paths = []
    for number, entry in enumerate(folder.rglob("*")):
        if number > MOST_FILES:
            raise source.wrong(f"more than {MOST_FILES:,} files in its folder: put a copy of the data set alone there")
        if entry.is_file() and entry.resolve().is_relative_to(folder.resolve()):
            paths.append(entry.relative_to(folder).as_posix())
    front = front_of(folder / README)
    try:
        files = splits_of(front, paths, _config(task, front))
        return [folder / path for path in files[split_named(task.split, files)]]
    except BadFile:
        raise
    except BadInput as error:
        raise source.wrong(f"the data set in its folder: {error}") from None


def _rows(source: YamlSource, task: HfEvalTask, rows: Sequence[Mapping[str, Any]]) -> Iterator[SourceRow | BadFile]:
    if not 0 < len(rows) <= MOST_ROWS:
        raise source.wrong(f"the split '{task.split[:80]}' has {len(rows):,} rows: there must be 1 to {MOST_ROWS:,}")
    spec = task.field_spec
    literal = spec.target.startswith(_LITERAL)
    columns = [spec.input, *([] if literal else [spec.target]), *_listed(spec.choices), *_listed(spec.id), *spec.metadata]
    if lost := next((name for name in columns if name not in rows[0]), None):
        raise source.wrong(f"'field_spec' names the column '{lost[:80]}', and there are {', '.join(rows[0])[:300]}", "tasks")
    scorer = task.scorers[0]
    if scorer.name in RULES:
        try:
            _rule(scorer, ("a target",)).check()
        except BadInput as error:
            raise source.wrong(str(error), "tasks") from None
    for number, row in enumerate(rows, 1):
        name = f"row {number}"
        try:
            put = _question(task, row, str(row[spec.id]) if spec.id else str(number))
        except MissingExtra:
            raise
        except KeyError as error:
            yield source.wrong(f"{name}: no column {error}", "tasks")
        except BadInput as error:
            yield source.wrong(f"{name}: {error}", "tasks")
        else:
            yield SourceRow(source, ("tasks",), name, put)


def _question(task: HfEvalTask, row: Mapping[str, Any], name: str) -> Question:
    spec = task.field_spec
    given = row[spec.input]
    if not isinstance(given, str) or not given.strip():
        raise BadInput(f"'{spec.input}' is {str(given)[:80]!r}: a question is a text")
    text, system = _put(task.solvers, given, {word: row[word] for word in spec.metadata})
    scorer = task.scorers[0]
    if spec.choices and scorer.name == "choice":
        options = [str(choice) for choice in _choices(row, spec.choices)]
        right = _letters(_target(row, spec.target, choices=True), options)
        if task.shuffle_choices:
            options, right = shuffled(given, options, right)
        return Question(name, text, tuple(options), right, system=system)
    targets = [word if isinstance(word, str) else str(word) for word in _listed(_target(row, spec.target, choices=False))]
    if not targets or not all(targets):
        raise BadInput(f"'{spec.target}' is empty: a question needs its right answer")
    if scorer.name in JUDGES:
        return Question(name, text, rubric=_rubric(scorer, targets), system=system)
    return Question(name, text, rule=_rule(scorer, targets).text, system=system)


def _rubric(scorer: EvalStep, targets: Sequence[str]) -> str:
    """Instruction to a judge; it replaces the scorer's own prompt."""
    parts = [_JUDGED + (_IN_PART if scorer.args.get("partial_credit") else ""), str(scorer.args.get("instructions") or "")]
    rubric = "\n".join(filter(None, (*map(str.strip, parts), *(f"Reference answer: {target}" for target in targets))))
    if len(rubric) > LONGEST_RUBRIC:
        raise BadInput(f"a rubric of {len(rubric):,} characters with its reference answer: at most {LONGEST_RUBRIC:,}")
    return rubric


def _put(solvers: Iterable[EvalStep], given: str, metadata: Mapping[str, Any]) -> tuple[str, str]:
    """The question and the system text, as the solvers make them."""
    text, systems = given, []
    for step in solvers:
        template = step.args.get("template")
        if template is not None and (not isinstance(template, str) or inside(template)):
            raise BadInput(f"the template of {step.name} is a file: write the text out")
        values = {**metadata, **{name: value for name, value in step.args.items() if name != "template"}}
        match step.name:
            case "system_message":
                systems.append(formatted(template or "", values))
            case "user_message":
                text = f"{text}\n\n{formatted(template or '', values)}"
            case "prompt_template":
                text = formatted(template or "{prompt}", {**values, "prompt": text})
            case "chain_of_thought":
                text = formatted(template, {"prompt": text}) if template else f"{text}\n\n{_STEP_BY_STEP}"
            case "multiple_choice" if step.args.get("multiple_correct"):
                raise BadInput(f"multiple_correct: a question has one option as its answer here; {IN_INSPECT}")
    return text.strip(), "\n\n".join(system.strip() for system in systems if system.strip())


def formatted(template: str, values: Mapping[str, Any]) -> str:
    """A template with the values of its `{names}`; names without a value stay, and `{{` is a brace.

    >>> formatted("{prompt} Answer {as_json} in {{braces}}.", {"prompt": "1 + 1?"})
    '1 + 1? Answer {as_json} in {braces}.'
    """

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        return match[0] if values.get(match[1]) is None else str(values[match[1]])

    return _PLACEHOLDER.sub(value, template)


def shuffled(key: str, options: Sequence[str], right: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """Options in an order that the text of the question decides, with the letters of the right ones.

    >>> options, right = shuffled("Capital of Italy?", ["Rome", "Milan", "Oslo"], ["A"])
    >>> options[ord(right[0]) - ord("A")], sorted(options)
    ('Rome', ['Milan', 'Oslo', 'Rome'])
    """
    order = sorted(range(len(options)), key=lambda index: sha256(f"{key}\0{index}\0{options[index]}".encode()).digest())
    letters = tuple(sorted(ascii_uppercase[order.index(ascii_uppercase.index(letter))] for letter in right))
    return [options[index] for index in order], letters


def _choices(row: Mapping[str, Any], named: str | list[str]) -> list[Any]:
    result = [row[name] for name in named] if isinstance(named, list) else row[named]
    if isinstance(result, Mapping) and isinstance(result.get("text"), list):
        result = result["text"]
    if not isinstance(result, list) or not 2 <= len(result) <= MAX_OPTIONS or any(entry in (None, "") for entry in result):
        raise BadInput(f"the choices are {str(result)[:120]}: there must be 2 to {MAX_OPTIONS}, none empty")
    return result


def _target(row: Mapping[str, Any], named: str, *, choices: bool) -> Any:
    if named.startswith(_LITERAL):
        return named.removeprefix(_LITERAL)
    target = row[named]
    if choices and isinstance(target, int) and not isinstance(target, bool) and 0 <= target < MAX_OPTIONS:
        return ascii_uppercase[target]
    return target


def _letters(target: Any, options: Sequence[str]) -> tuple[str, ...]:
    letters = ascii_uppercase[: len(options)]
    if isinstance(target, str) and len(target.strip()) == 1 and target.strip() in letters:
        return (target.strip(),)
    raise BadInput(f"the target is {str(target)[:80]!r}, which is not a letter from A to {letters[-1]}")


def _listed(value: Any) -> list[Any]:
    return [] if value is None else list(value) if isinstance(value, list) else [value]


def _rule(scorer: EvalStep, targets: Sequence[str]) -> Scorer:
    """The rule of a scorer that needs no model."""
    args = dict(scorer.args)
    if scorer.name == "answer":
        args["answer"] = args.pop("pattern", None)
    known = {
        "ignore_case",
        *{"match": ("location", "numeric"), "pattern": ("pattern", "match_all"), "answer": ("answer",)}.get(scorer.name, ()),
    }
    if unknown := next((name for name in args if name not in known), None):
        raise BadInput(f"the scorer {scorer.name} has no argument '{unknown[:80]}': there are {', '.join(sorted(known))}")
    try:
        return Scorer.model_validate({"scorer": scorer.name, "targets": tuple(targets), **args})
    except ValidationError as error:
        raise BadInput(f"the scorer {scorer.name}: {first_problem(error)}") from None


class EvalStep(BaseModel):
    """A solver or a scorer with its arguments."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    args: dict[str, Any] = {}


class FieldSpec(BaseModel):
    """The columns of a question's parts."""

    model_config = ConfigDict(frozen=True)

    input: str
    target: str
    choices: str | list[str] | None = None
    id: str | None = None
    metadata: list[str] = []


class HfEvalTask(BaseModel):
    """One task."""

    model_config = ConfigDict(frozen=True)

    id: str | None = None
    config: str | None = None
    split: str = "test"
    field_spec: FieldSpec
    shuffle_choices: bool = False
    epochs: int = Field(default=1, ge=1)
    epoch_reducer: str | None = None
    solvers: list[EvalStep] = Field(min_length=1)
    scorers: list[EvalStep] = Field(min_length=1)


def read_tasks(source: YamlSource, wanted: str) -> tuple[HfEvalTask, tuple[str, ...]]:
    """The task of that id, or the only one, and the fields that change nothing here. Raises `BadFile`."""
    given = source.value
    tasks = given.get("tasks") if isinstance(given, Mapping) else None
    if (
        not isinstance(given, Mapping)
        or not isinstance(tasks, list)
        or not all(isinstance(entry, Mapping) for entry in tasks)
        or not tasks
    ):
        raise source.wrong("is not an eval.yaml of a benchmark: it needs 'tasks', a list of objects with an 'id'")
    check_fields(source, given, HEAD, {}, where=())
    framework = str(given.get("evaluation_framework", ""))
    if framework != FRAMEWORK:
        raise source.wrong(
            f"'evaluation_framework' is '{framework[:80]}': only files for {FRAMEWORK} say how questions are asked and scored",
            "evaluation_framework",
        )
    ids = [str(entry.get("id", "")) for entry in tasks]
    if wanted and wanted not in ids:
        raise source.wrong(f"has no task '{wanted[:80]}': there are {', '.join(ids)[:600]}", "tasks")
    if not wanted and len(tasks) > 1:
        raise source.wrong(f"has {len(tasks)} tasks: name one by --task, {', '.join(ids)[:600]}", "tasks")
    index = ids.index(wanted) if wanted else 0
    task = _task(source, tasks[index], ("tasks", index))
    steps = [*task.solvers, *task.scorers]
    unused = [f"{step.name}.{name}" for step in steps for name in step.args if name in _unused_arguments(step)]
    heads = fields_of(given, ("version", "metrics"))
    return task, (*heads, *fields_of(tasks[index], ("epochs", "epoch_reducer", "metrics")), *unused)


def _unused_arguments(step: EvalStep) -> tuple[str, ...]:
    """Arguments without effect here: the judge is named on the command line, and options are put in our own format."""
    if step.name in JUDGES:
        return ("model", "model_role", "grade_pattern", "include_history", "template")
    if step.name == "multiple_choice":
        return ("cot", "template", "max_tokens")
    return ()


def _task(source: YamlSource, given: Mapping[str, Any], where: tuple[str | int, ...]) -> HfEvalTask:
    check_fields(source, given, _FIELDS, {}, where=where)
    spec = given.get("field_spec")
    if isinstance(spec, Mapping):
        check_fields(source, spec, _SPEC, _REFUSED_SPEC, where=(*where, "field_spec"))
    values = {str(name): plain(value) for name, value in given.items() if name in HfEvalTask.model_fields and value is not None}
    try:
        task = HfEvalTask.model_validate(values)
    except ValidationError as error:
        steps = error.errors(include_url=False)[0]["loc"]
        raise source.wrong(first_problem(error), *where, *steps) from None
    if task.epochs > 1 and task.epoch_reducer and not _MEAN.fullmatch(task.epoch_reducer):
        raise source.wrong(
            f"'epoch_reducer' is '{task.epoch_reducer[:80]}', which is not a mean: a certificate asks each question once, "
            "or several times by --draws",
            *where,
            "epoch_reducer",
        )
    _check_steps(source, task, where)
    return task


def _check_steps(source: YamlSource, task: HfEvalTask, where: tuple[str | int, ...]) -> None:
    for kind, steps, known, refused in (
        ("solvers", task.solvers, SOLVERS, _REFUSED_SOLVERS),
        ("scorers", task.scorers, SCORERS, _REFUSED_SCORERS),
    ):
        for index, step in enumerate(steps):
            if step.name not in known:
                remedy = refused.get(step.name, IN_INSPECT)
                there = ", ".join(known)
                raise source.wrong(f"'{step.name[:80]}' is not used here: {remedy}; there are {there}", *where, kind, index)
    if len(task.scorers) > 1:
        names = ", ".join(scorer.name for scorer in task.scorers)
        raise source.wrong(f"has several scorers ({names[:200]}): a question has one score; keep one", *where, "scorers")
    last = task.solvers[-1].name
    earlier = [solver.name for solver in task.solvers[:-1]]
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
