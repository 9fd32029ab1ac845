"""`inspect-task:FILE.py@TASK?arg=value`: the task behind the name, as `inspect eval FILE.py@TASK -T arg=value` would run it."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.util import SandboxEnvironmentSpec, registry_info
from rich.text import Text

from vivavoce.errors import BadFile, BadInput, UnknownName, VivavoceError
from vivavoce.formats.lines import expanded, file_digest
from vivavoce.formats.task_name import PREFIX
from vivavoce.formats.wording import clipped
from vivavoce.plugins.inspect_plugin.private import load_tasks, parse_cli_args, registry_lookup, registry_params

FORM: Final = "inspect-task:FILE.py@TASK[?arg=value] or inspect-task:PACKAGE/TASK[?arg=value]"
LOCAL: Final = "local"
"""The sandbox that is none: tools run as the user does, on this machine."""


@dataclass(frozen=True, slots=True)
class Address:
    """A task by its name on the command line."""

    name: str
    """As written."""
    target: str
    """What Inspect knows it by: FILE.py@TASK with the file's whole path, or PACKAGE/TASK."""
    given: Mapping[str, Any]
    """Its arguments, read as those of `inspect eval -T`."""
    file: Path | None
    """None: it is installed."""

    @property
    def task(self) -> str:
        """What its code calls it: TASK, or PACKAGE/TASK."""
        return self.target if self.file is None else self.target.rpartition("@")[2]

    @property
    def title(self) -> str:
        """FILE.py@TASK without folders, or PACKAGE/TASK."""
        return self.task if self.file is None else f"{self.file.name}@{self.task}"

    @property
    def source(self) -> str:
        """What tells versions of its code apart: the file's digest, and of a package its version. Raises `BadFile`."""
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
    """The address of a task. Raises `BadInput`, and `BadFile` for a file that is not there."""
    target, _, query = name.removeprefix(PREFIX).partition("?")
    if not target:
        raise BadInput(f"'{name}' names no task: write {FORM}")
    given = _arguments(query, name)
    where, at, task = target.rpartition("@")
    if not at and target.endswith(".py"):
        raise BadInput(f"'{name[:200]}' names a file and no task in it: write {PREFIX}{target[:100]}@TASK")
    if not at:
        return Address(name, target, given, None)
    file = expanded(where).absolute()
    if not file.is_file():
        raise BadFile(where, "is no file: give the Python file that holds the task")
    return Address(name, f"{file}@{task}", given, file)


def load(address: Address) -> Task:
    """A new instance of the task. Runs the code of its file or package. Raises `BadInput` in one line."""
    if address.file is None and registry_lookup("task", address.target) is None:
        raise BadInput(f"no package that is installed has the task '{address.target[:200]}': write {FORM}")
    with in_a_line(f"Inspect cannot make the task '{address.title[:200]}'"):
        tasks = load_tasks([address.target], dict(address.given))
    if len(tasks) != 1:
        raise BadInput(f"'{address.name[:200]}' stands for {len(tasks)} tasks: write {FORM}")
    [task] = tasks
    taken = registry_params(task)  # Inspect passes over an argument that the task does not have
    if unknown := next((name for name in address.given if name not in taken), ""):
        known = registry_info(registry_lookup("task", address.task)).metadata["params"]
        raise UnknownName(f"argument of {address.title[:200]}", unknown, known)
    return task


def samples_of(task: Task) -> tuple[Sample, ...]:
    """The samples of a task with the ids that `inspect eval` gives them."""
    return tuple(
        sample.model_copy(update={"id": number}) if sample.id is None else sample
        for number, sample in enumerate(task.dataset, 1)
    )


def content_digest(sample: Sample) -> str:
    """SHA-256 in hex of a whole sample, without its message ids, which change each time."""
    content = sample.model_dump(mode="json", fallback=str)
    for message in content["input"] if isinstance(content["input"], list) else ():
        message.pop("id", None)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def sandboxes_of(task: Task, samples: Sequence[Sample]) -> frozenset[str]:
    """The kinds of sandboxes that it uses."""
    specs: list[SandboxEnvironmentSpec | None] = [task.sandbox, *(sample.sandbox for sample in samples)]
    return frozenset(spec.type for spec in specs if spec is not None)


@contextmanager
def in_a_line(what: str) -> Iterator[None]:
    """Say in a line what went wrong in the code of a task, whatever it was."""
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
        raise BadInput(f"'{name[:200]}' gives {twice[:80]} twice")
    with in_a_line(f"the arguments of '{name[:200]}' cannot be read"):
        return dict(parse_cli_args(tuple(f"{argument}={value}" for argument, value in pairs)))
