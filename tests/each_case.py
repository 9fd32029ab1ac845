"""Many small cases of one test: all are tried, and each that fails is reported with its values."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

SHORTENED = reprlib.Repr()
SHORTENED.maxstring = SHORTENED.maxother = 200
SHORTENED.maxtuple = SHORTENED.maxlist = SHORTENED.maxdict = 8
Test = Callable[..., Any]
MARKED = type(pytest.param())


def each_case(names: str | Sequence[str], rows: Iterable[Any]) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but one test: most cases take less time and memory than a test of their own.

    Cases share the test's fixtures.
    """
    columns = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = list(rows)
    assert table, f"no cases of {names}"
    assert not any(isinstance(row, MARKED) for row in table), "a case can't have marks: use pytest.mark.parametrize"
    cases = [dict(zip(columns, row if len(columns) > 1 else (row,), strict=True)) for row in table]

    def decorate(test: Test) -> Test:
        parameters = {name: at for name, at in inspect.signature(test).parameters.items() if name not in columns}
        has_cases = "subtests" in parameters

        def run(subtests: pytest.Subtests, **given: Any) -> None:
            given |= {"subtests": subtests} if has_cases else {}
            for case in cases:
                with _reported(subtests, case):
                    test(**given, **case)

        async def run_async(subtests: pytest.Subtests, **given: Any) -> None:
            given |= {"subtests": subtests} if has_cases else {}
            for case in cases:
                with _reported(subtests, case):
                    await test(**given, **case)

        result: Test = run_async if inspect.iscoroutinefunction(test) else run
        for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(result, attribute, getattr(test, attribute))
        parameters["subtests"] = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        result.__signature__ = inspect.Signature(list(parameters.values()))  # type: ignore[attr-defined]
        return result

    return decorate


@contextmanager
def _reported(subtests: pytest.Subtests, case: dict[str, Any]) -> Iterator[None]:
    try:
        yield
    except (Exception, pytest.fail.Exception):
        with subtests.test(SHORTENED.repr(case)):
            raise
