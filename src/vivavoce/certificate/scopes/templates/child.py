"""The process in which templates of strangers are rendered.

`bounded_process` runs it by its path, and it imports nothing of this package.

One JSON object comes in: `templates`, `rows` (for each the numbers of its templates and its variables), `longest`, `most`
and `dialect`. One goes out: `texts`, a list for each row, or `problem` with the `row` and the
`template`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment


def environment(dialect: str) -> ImmutableSandboxedEnvironment:
    """Without loaders, with the filters that tools add to Jinja's own.

    dialect: how values are written: as `python` does, or as `javascript` does, with lists and objects as JSON.
    """
    made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    if dialect == "javascript":
        made.finalize = _as_json
    made.filters["regex_replace"] = _regex_replace
    made.filters["dump"] = lambda value: json.dumps(value, ensure_ascii=False)
    made.filters["load"] = json.loads
    return made


def _as_json(value: Any) -> Any:
    if isinstance(value, dict | list | tuple | bool):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value)
    return "" if value is None else value


def _regex_replace(text: str, pattern: str, by: str, count: int = 0) -> str:
    return re.sub(pattern, by, text, count=count)


def texts_of(
    environment: ImmutableSandboxedEnvironment, asked: dict[str, Any], failed: Callable[[str, int, int], None]
) -> list[list[str]]:
    """The texts of each row; `failed` hears of the first that there cannot be."""
    compiled: dict[int, Template] = {}
    found: list[list[str]] = []
    total = 0
    for number, (wanted, variables) in enumerate(asked["rows"]):
        texts = []
        for place in wanted:
            try:
                if place not in compiled:
                    compiled[place] = environment.from_string(asked["templates"][place])
                parts, size = [], 0
                for part in compiled[place].generate(variables):
                    size += len(part)
                    if size > asked["longest"]:
                        failed(f"gives more than {asked['longest']:,} characters", number, place)
                    parts.append(part)
            except (TemplateError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
                failed(str(error)[:300], number, place)
            except (RecursionError, MemoryError, OverflowError):
                failed("takes more memory than it may", number, place)
            total += size
            if total > asked["most"]:
                failed(f"and those before it give more than {asked['most']:,} characters", number, place)
            texts.append("".join(parts))
        found.append(texts)
    return found


def main() -> None:
    """Read, render, write."""
    asked = json.loads(sys.stdin.buffer.read())

    def failed(problem: str, row: int, template: int) -> None:
        answer({"problem": problem, "row": row, "template": template})
        raise SystemExit(0)

    answer({"texts": texts_of(environment(asked["dialect"]), asked, failed)})


def answer(value: object) -> None:
    """One JSON object."""
    sys.stdout.write(json.dumps(value))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
