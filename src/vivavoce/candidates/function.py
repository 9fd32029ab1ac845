"""`function:MODULE:CALLABLE`: a Python function as a candidate.

A function that is not async runs in its own daemon thread, so a hanging call does not block other calls or the end of the
program.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import inspect
import numbers
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from vivavoce.candidates.options import canonical, read_options
from vivavoce.candidates.text import as_unicode, clean_steps, shortened
from vivavoce.errors import BadInput, TransportFault, UnknownName, VivavoceError
from vivavoce.formats.lines import file_digest
from vivavoce.interview.candidate import CONCURRENCY, Prompt, RepeatReason, Reply


@dataclass(frozen=True, slots=True)
class FunctionOptions:
    """Options after the `?`."""

    deterministic: Literal["yes", "no"] = "no"
    """Whether you declare that it gives the same answer each time. Then questions in flight when a program or a worker
    ended are asked again, which is not a second try.
    """


def open_function(target: str, query: str) -> Function:
    """The candidate `function:TARGET?QUERY`, where the target is `MODULE:CALLABLE`.

    The current folder is put on the module path. Raises `BadInput` if the module cannot be imported, and `UnknownName` if it
    has no such callable.
    """
    options = read_options(query, FunctionOptions, of="function")
    result = named_object(target, example="function:my_model:answer")
    if not callable(result):
        raise BadInput(f"'{target}' is a {type(result).__name__} and cannot be called: name a function")
    return Function(
        f"function:{target}{canonical(options)}",
        result,
        source_digest=source_digest(target, result),
        deterministic=options.deterministic == "yes",
    )


def function_given(function: Callable[..., Any], *, deterministic: bool = False) -> Function:
    """A function object as a candidate; it is on record by its module and name, with a digest of its source."""
    module = getattr(function, "__module__", None) or "builtins"
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    try:
        digest = hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:12]
    except (OSError, TypeError):  # built in, or entered where no source is kept
        digest = ""
    options = canonical(FunctionOptions("yes" if deterministic else "no"))
    return Function(f"function:{module}:{name}{options}", function, source_digest=digest, deterministic=deterministic)


def source_digest(target: str, function: object) -> str:
    """Twelve hex digits of SHA-256 over the file of the module that `MODULE:NAME` names, and the object's own if it is another.

    Functions that it calls are mostly in that file; what it takes from other modules, models and data is not covered. Empty
    where there is no file, as for what is built in.
    """
    modules = dict.fromkeys((target.partition(":")[0], getattr(function, "__module__", None) or ""))
    files = dict.fromkeys(getattr(sys.modules.get(name), "__file__", None) for name in modules)
    digests = [file_digest(Path(file)) for file in files if file is not None]
    return hashlib.sha256(" ".join(digests).encode()).hexdigest()[:12] if digests else ""


def named_object(target: str, *, example: str) -> Any:
    """The object that `MODULE:NAME` names, with the current folder on the module path; the name may have dots.

    Raises `BadInput` for another form or a module that cannot be imported, and `UnknownName` if it has no such name.
    """
    module_name, colon, path = target.partition(":")
    if not (colon and module_name and path):
        raise BadInput(f"'function:' needs a module and a callable, such as {example}")
    result: Any = _module(module_name)
    for part in path.split("."):
        try:
            result = getattr(result, part)
        except AttributeError:
            names = [
                name
                for name in dir(result)
                if not name.startswith("_") and callable(inspect.getattr_static(result, name, None))
            ]
            raise UnknownName(f"callable of '{module_name}'", part, names) from None
        except Exception as error:
            raise BadInput(f"'{target}' raised {type(error).__name__}: {shortened(str(error))}; fix it first") from error
    return result


async def called(name: str, function: Callable[[Any], Any], given: Any) -> Any:
    """Call a candidate's function, async or not; an exception becomes a `TransportFault` with the candidate's name."""
    try:
        words = await (function(given) if _is_async(function) else in_thread(function, given))
        return await words if inspect.isawaitable(words) else words
    except VivavoceError:
        raise
    except (Exception, SystemExit) as error:
        raise TransportFault(
            f"{name} raised {type(error).__name__}: {shortened(str(error))}{_place_of(error)}",
            reached=not isinstance(error, ConnectionError),
            worth_retrying=isinstance(error, OSError),
        ) from error


def _place_of(error: BaseException) -> str:
    """The file and line of the user's code that it came from; empty if none of it is in the current folder."""
    places = [(Path(frame.f_code.co_filename), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    here = Path.cwd()
    own = [(file, line) for file, line in places if file.is_relative_to(here) and "site-packages" not in file.parts]
    return f" ({own[-1][0].name}, line {own[-1][1]})" if own else ""


class Function:
    """A callable that gets a prompt's text, or the `Prompt` if its first parameter is annotated so.

    It returns a text, a number, or a `Reply`, which may have an agent's `steps`. An exception is a fault of that question; only
    connection errors are retried.

    A callable that is not async is asked one question at a time by default: its threads share Python's lock, it need not be
    thread-safe, and if the program ends, only one question has no answer.
    source_digest: from `source_digest`; it separates records; empty: only the name does.
    deterministic: whether it gives the same answer each time.
    """

    asked_again: RepeatReason

    def __init__(
        self, name: str, function: Callable[[Any], Any], *, source_digest: str = "", deterministic: bool = False
    ) -> None:
        self.name = name
        self.source_digest = source_digest
        self.declared_deterministic = deterministic
        if deterministic:
            self.asked_again = "same"
        self._function = function
        self._takes_prompt = _takes_prompt(name, function)
        self.concurrency = CONCURRENCY if _is_async(function) else 1
        """Default number of questions at the same time."""

    @property
    def converses(self) -> bool:
        """Whether it gets the whole prompt with earlier messages."""
        return self._takes_prompt

    def __repr__(self) -> str:
        return f"<{self.name}>"

    async def answer(self, question: Prompt, /) -> Reply:
        """The function's result as a reply."""
        reply = await called(self.name, self._function, question if self._takes_prompt else question.text)
        if isinstance(reply, Reply):
            return replace(reply, steps=clean_steps(reply.steps)) if reply.steps else reply
        if isinstance(reply, str | numbers.Number):
            return Reply(as_unicode(str(reply)))
        raise TransportFault(f"{self.name} returned a {type(reply).__name__}, not a text or a number", worth_retrying=False)


async def in_thread(function: Callable[[Any], Any], given: Any) -> Any:
    """Call the function in a daemon thread; its result is dropped if no caller waits for it any more."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def hand_over(result: Any, error: BaseException | None) -> None:
        if outcome.done():
            return
        if error is None:
            outcome.set_result(result)
        else:
            outcome.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = function(given)
        except BaseException as raised:  # its exit or cancellation must not be ours
            ordinary = isinstance(raised, Exception) and not isinstance(raised, StopIteration)  # a future cannot hold it
            error = raised if ordinary else RuntimeError(f"{type(raised).__name__}: {raised}")
        if not loop.is_closed():
            loop.call_soon_threadsafe(hand_over, result, error)

    threading.Thread(target=work, daemon=True, name="function candidate").start()
    return await outcome


def _is_async(function: Callable[[Any], Any]) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004 - not whether it can be called, but how
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _module(name: str) -> Any:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        with redirect_stdout(sys.stderr):  # standard output is for results
            return importlib.import_module(name)
    except Exception as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == name.split(".")[0]
        remedy = "it is searched for in the current folder and among installed packages" if missing else "fix it first"
        if name.endswith(".py"):
            remedy = f"a module is named without .py: {name.removesuffix('.py').replace('/', '.')}"
        raise BadInput(
            f"the module '{name}' cannot be imported ({type(error).__name__}: {shortened(str(error))}); {remedy}"
        ) from error


def _takes_prompt(name: str, function: Callable[[Any], Any]) -> bool:
    """Whether the first parameter is annotated `Prompt`; raises `BadInput` if one argument does not do."""
    try:
        signature = inspect.signature(function)
        first = next(iter(signature.bind(None).arguments))
    except (ValueError, StopIteration):
        return False
    except TypeError as error:
        raise BadInput(f"'{name}' must be callable with the prompt alone: {error}") from None
    annotation = signature.parameters[first].annotation
    return annotation is Prompt or (isinstance(annotation, str) and annotation.rpartition(".")[2] == "Prompt")
