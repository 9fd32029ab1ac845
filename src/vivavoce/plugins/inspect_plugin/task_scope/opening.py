"""Opens an Inspect task and its models by their names.

`inspect-task:FILE.py@TASK?arg=value` is run as `inspect eval FILE.py@TASK -T arg=value` would run it.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import chain, count
from pathlib import Path
from typing import Any, ClassVar, Final
from urllib.parse import parse_qsl

from inspect_ai import SampleSource, Task, task_with
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, Model
from inspect_ai.util import SandboxEnvironmentSpec, registry_info
from rich.text import Text

from vivavoce.candidates.inspect_ai import ATTEMPT_SECONDS, InspectOptions, model_of, named_model
from vivavoce.candidates.text import as_unicode
from vivavoce.errors import BadFile, BadInput, UnknownName, VivavoceError
from vivavoce.formats.lines import expanded, file_digest, text_lines
from vivavoce.formats.task_name import PREFIX
from vivavoce.formats.wording import clipped
from vivavoce.plugins.inspect_plugin.private import load_tasks, parse_cli_args, registry_lookup, registry_params
from vivavoce.plugins.inspect_plugin.scored import asked_of, target_of
from vivavoce.plugins.inspect_plugin.task_scope.candidate import ElsewhereCandidate, TaskCandidate, TaskModel
from vivavoce.plugins.inspect_plugin.task_scope.config import TaskConfig
from vivavoce.plugins.inspect_plugin.task_scope.evaluation import UNBOUNDED, CandidateTask, Feed, TaskEvaluation
from vivavoce.plugins.inspect_plugin.task_scope.logs import KEY, About
from vivavoce.scopes.logged import TaskScope
from vivavoce.scopes.questions import Question

FORM: Final = "inspect-task:FILE.py@TASK[?arg=value] or inspect-task:PACKAGE/TASK[?arg=value]"
LOCAL: Final = "local"
"""The sandbox 'local', which does not isolate: tools run as the user, on this machine."""


@dataclass(frozen=True, slots=True)
class Address:
    """A task by its name on the command line."""

    name: str
    """The name as written."""
    target: str
    """The name for Inspect: FILE.py@TASK with the file's whole path, or PACKAGE/TASK."""
    given: Mapping[str, Any]
    """The task's arguments, read like those of `inspect eval -T`."""
    file: Path | None
    """None: an installed task."""

    @property
    def task(self) -> str:
        """The task's name in its code: TASK, or PACKAGE/TASK."""
        return self.target if self.file is None else self.target.rpartition("@")[2]

    @property
    def title(self) -> str:
        """FILE.py@TASK without folders, or PACKAGE/TASK."""
        return self.task if self.file is None else f"{self.file.name}@{self.task}"

    @property
    def source(self) -> str:
        """Identifies the version of its code: the file's digest, and for a package also its version. Raises `BadFile`."""
        if self.file is not None:
            return file_digest(self.file)
        function = inspect.unwrap(registry_lookup("task", self.target))  # type: ignore[arg-type]
        where = inspect.getsourcefile(function)
        digest = file_digest(Path(where)) if where else ""
        distributions = metadata.packages_distributions().get(function.__module__.partition(".")[0], [])
        return " ".join(
            (digest, *(f"{distribution} {metadata.version(distribution)}" for distribution in sorted(set(distributions))))
        )


def address_of(name: str) -> Address:
    """The address of a task. Raises `BadInput`, and `BadFile` for a missing file."""
    target, _, query = name.removeprefix(PREFIX).partition("?")
    if not target:
        raise BadInput(f"'{name}' names no task: write {FORM}")
    given = _arguments(query, name)
    where, at, task = target.rpartition("@")
    if not at and target.endswith(".py"):
        raise BadInput(f"'{name[:200]}' names a file but no task in it: write {PREFIX}{target[:100]}@TASK")
    if not at:
        return Address(name, target, given, None)
    file = expanded(where).absolute()
    if not file.is_file():
        raise BadFile(where, "is not a file: give the Python file with the task")
    return Address(name, f"{file}@{task}", given, file)


def load(address: Address) -> Task:
    """A new instance of the task. Runs the code of its file or package. Raises `BadInput` in one line."""
    if address.file is None and registry_lookup("task", address.target) is None:
        raise BadInput(f"no installed package has the task '{address.target[:200]}': write {FORM}")
    with in_a_line(f"Inspect can't make the task '{address.title[:200]}'"):
        tasks = load_tasks([address.target], dict(address.given))
    if len(tasks) != 1:
        raise BadInput(f"'{address.name[:200]}' names {len(tasks)} tasks: write {FORM}")
    [task] = tasks
    taken = registry_params(task)  # Inspect ignores an argument that the task does not have
    if unknown := next((name for name in address.given if name not in taken), ""):
        known = registry_info(registry_lookup("task", address.task)).metadata["params"]
        raise UnknownName(f"argument of {address.title[:200]}", unknown, known)
    return task


def content_digest(sample: Sample) -> str:
    """SHA-256 in hex of a whole sample, without its message ids, which change each time."""
    content = sample.model_dump(mode="json", fallback=str)
    for message in content["input"] if isinstance(content["input"], list) else ():
        message.pop("id", None)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


@contextmanager
def in_a_line(what: str) -> Iterator[None]:
    """Report in one line any error in a task's code."""
    try:
        yield
    except VivavoceError:
        raise
    except Exception as error:
        problem = Text.from_markup(" ".join(str(getattr(error, "message", error)).split())).plain
        raise BadInput(f"{what}: {clipped(problem or type(error).__name__, 400)}") from None


def _arguments(query: str, name: str) -> Mapping[str, Any]:
    """`a=1&b=x` as `-T a=1 -T b=x`; percent-encoding is undone, a plus sign is a plus sign."""
    pairs = parse_qsl(query.replace("+", "%2B"), keep_blank_values=True)
    given = [argument for argument, _ in pairs]
    if twice := next((text for text in given if given.count(text) > 1), ""):
        raise BadInput(f"'{name[:200]}' has {twice[:80]} twice")
    with in_a_line(f"the arguments of '{name[:200]}' can't be read"):
        return dict(parse_cli_args(tuple(f"{argument}={value}" for argument, value in pairs)))


KIND: Final = "inspect:"
RETRIES: Final = 5
"""Retries of a failed model call unless the task or the name sets them; Inspect's default is no limit."""


def open_task(
    name: str,
    candidates: Sequence[str | tuple[str, Model]],
    config: TaskConfig = TaskConfig(),  # noqa: B008 -- frozen
    *,
    zero_is_unacceptable: bool = False,
    record: str = "",
) -> tuple[TaskScope, list[TaskCandidate]]:
    """The samples of a task as a scope, and candidates that run them in one evaluation, with a log each.

    Parameters
    ----------
    name: as on the command line (`FORM`). The code of its file or package is run.
    candidates: names such as `inspect:openai/gpt-4o?temperature=0`; or a name with an Inspect model.
    config: its `scorer` must be given where the task has several.
    record: the place of the transcript, by which a stopped run is recognised and continues its log; empty: none.

    Raises `BadInput` for a task that can't be made or can't be a scope, for the sandbox 'local' without `trust_local`, and for
    candidates that are not Inspect models; `BadFile` for a missing file.
    """
    address = address_of(name)
    models = [model_named(candidate) for candidate in candidates]
    tasks = [load(address) for _ in candidates] or [load(address)]
    roles = _roles(config.model_role)
    samples = _samples(tasks[0], address)
    specs: list[SandboxEnvironmentSpec | None] = [tasks[0].sandbox, *(sample.sandbox for sample in samples)]
    sandboxes = {spec.type for spec in specs if spec is not None}
    if LOCAL in sandboxes and candidates and not config.trust_local:
        raise BadInput(
            f"'{address.title}' has the sandbox 'local', which does not isolate: the candidate's tools run on this machine, "
            f"as you. Give --set trust-local to allow that"
        )
    scorer = _scorer(tasks[0], config.scorer or "", address)
    scope = _scope(address, samples, zero_is_unacceptable, scorer=scorer, roles=roles)
    by_id = {str(sample.id): sample for sample in samples}
    known = hashlib.sha256(record.encode()).hexdigest() if record else ""  # an address may contain a password
    about = {"scope": scope.name, "scope_digest": scope.digest, "record": known}
    parts = [
        _part(task, model, options, about | {"candidate": named}, owned=isinstance(candidate, str))
        for task, candidate, (named, model, options) in zip(tasks, candidates, models, strict=False)
    ]
    evaluation = TaskEvaluation(parts, log_dir=config.log_dir, roles=roles)
    kind = TaskCandidate if LOCAL in sandboxes else ElsewhereCandidate
    return scope, [
        kind(named, part, evaluation, by_id, TaskModel(str(model), scorer, options, model.api.api_key or ""))
        for part, (named, model, options) in zip(parts, models, strict=True)
    ]


def model_named(candidate: str | tuple[str, Model]) -> tuple[str, Model, InspectOptions]:
    """A candidate's name, its model and its options."""
    if not isinstance(candidate, str):
        return (*candidate, InspectOptions())
    if not candidate.strip().startswith(KIND):
        raise BadInput(
            f"'{candidate[:80]}' can't run an Inspect task: write inspect:PROVIDER/MODEL, or inspect:viva/{candidate[:80]} "
            f"for a candidate that answers prompts"
        )
    target, _, query = candidate.strip().removeprefix(KIND).partition("?")
    named, options = named_model(target, query)
    if options.system:
        raise BadInput(f"'{candidate[:80]}' has a system prompt, which the task must set: leave out 'system'")
    return named, model_of(target, options, GenerateConfig()), options


def _samples(task: Task, address: Address) -> tuple[Sample, ...]:
    """The samples. Raises `BadInput` if they are not known beforehand."""
    if isinstance(task.sample_source, SampleSource) or task.early_stopping is not None:
        raise BadInput(f"'{address.title}' chooses its samples while it runs: a scope needs them beforehand")
    with in_a_line(f"the samples of '{address.title}' can't be read"):
        samples = tuple(  # with the ids that `inspect eval` gives them
            sample.model_copy(update={"id": number}) if sample.id is None else sample
            for number, sample in enumerate(task.dataset, 1)
        )
    if not samples:
        raise BadInput(f"'{address.title}' has no samples")
    if len({str(sample.id) for sample in samples}) < len(samples):
        raise BadInput(f"'{address.title}' has samples with the same id: give each its own")
    return samples


def _scorer(task: Task, wanted: str, address: Address) -> str:
    """The scorer that counts. Raises `BadInput` if there is none or one must be named, and `UnknownName` for an unknown one."""
    names = scorer_names(task)
    if not names:
        raise BadInput(f"'{address.title}' has no scorer: a scope needs one")
    if not wanted and len(names) > 1:
        raise BadInput(f"'{address.title}' has several scorers: name one with --set scorer=NAME, of {', '.join(names)[:400]}")
    if wanted and wanted not in names and not any(wanted.startswith(f"{name}:") for name in names):
        raise UnknownName(f"scorer of {address.title}", wanted, names)
    return wanted or names[0]


def scorer_names(task: Task) -> list[str]:
    """The names of a sample's scores: without the package, and numbered if equal."""
    names: list[str] = []
    for scorer in task.scorer or ():
        name = registry_info(scorer).name
        own = name.partition("/")[2] or name
        names.append(next(text for text in chain([own], (f"{own}{number}" for number in count(1))) if text not in names))
    return names


def _roles(given: Sequence[str]) -> Mapping[str, str]:
    """Models by role. Raises `BadInput` for text other than ROLE=MODEL, and for a repeated role."""
    roles: dict[str, str] = {}
    for name in given:
        role, _, model = name.partition("=")
        if not role or "/" not in model or role in roles:
            raise BadInput(f"--set model-role '{name[:80]}': write each role once, as ROLE=PROVIDER/MODEL")
        roles[role] = model
    return roles


def _scope(address: Address, samples: Sequence[Sample], strict: bool, *, scorer: str, roles: Mapping[str, str]) -> TaskScope:
    parts: list[Any] = [address.title, address.source, dict(address.given), scorer, dict(roles)]
    version = hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()
    units = tuple((_question(sample, address, version),) for sample in samples)
    return TaskScope(address.name, units, version, zero_is_unacceptable=strict)


def _question(sample: Sample, address: Address, version: str) -> Question:
    """A sample as a question; its text names its version, so that answers to other versions are not reused."""
    digest = hashlib.sha256(f"{version}{content_digest(sample)}".encode()).hexdigest()[:12]
    text = f"{address.title}, sample {sample.id} ({digest})\n\n{asked_of(sample)}"
    return Question(as_unicode(str(sample.id)), as_unicode(text), accepted=(as_unicode(target_of(sample.target)),))


def _part(task: Task, model: Model, options: InspectOptions, about: About, *, owned: bool) -> CandidateTask:
    """The unchanged task, with samples from a feed, for one model."""
    feed = Feed()
    wished = GenerateConfig(
        temperature=options.temperature, max_tokens=options.max_tokens, top_p=options.top_p, seed=options.seed
    )
    unless = GenerateConfig(max_retries=RETRIES, attempt_timeout=ATTEMPT_SECONDS, max_connections=UNBOUNDED)
    fed = task_with(
        task,
        dataset=feed,
        model=model,
        config=unless.merge(task.config).merge(wished),
        epochs=1,
        fail_on_error=False,
        metadata={**(task.metadata or {}), KEY: dict(about)},
    )
    return CandidateTask(fed, feed, about, model.api if owned else None)


@dataclass(frozen=True, slots=True)
class UnopenedTask:
    """A placeholder for a scope of which only the name is known."""

    name: str
    """The name as written."""

    population: ClassVar[None] = None
    """The number of samples is known only to its code."""
    can_be_unacceptable: ClassVar[bool] = False
    digest: ClassVar[str] = ""


def look_at(name: str, candidate: str) -> UnopenedTask:
    """The task of that name, without running its code. Raises `BadInput` for a name without a task, for a file without that
    task, and for a candidate that is not an Inspect model; `BadFile` for a missing or unreadable file.
    """
    address = address_of(name)
    model_named(candidate)
    named = re.compile(rf"\b{re.escape(address.task)}\b")
    if address.file is not None and not any(map(named.search, text_lines(address.file))):
        raise BadInput(f"'{address.file.name[:100]}' has no task '{address.task[:100]}'")
    return UnopenedTask(name)
