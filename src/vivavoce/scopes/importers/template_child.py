"""The process that renders untrusted templates.

`bounded_process` runs it by its path, and it imports nothing of this package.

One JSON object comes in: `templates`, `rows` (for each the numbers of its templates and its variables), `longest`, `most`
and `dialect`. One goes out: `rows`, for each a list of texts, or its first `problem` with the number of the `template`.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment


def environment(dialect: str) -> ImmutableSandboxedEnvironment:
    """An environment without loaders, with the filters that tools add to Jinja's own.

    dialect: how values are written: `python`, or `javascript` with lists and objects as JSON.
    """
    made = ImmutableSandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)
    if dialect == "javascript":
        made.finalize = _as_json
    made.filters["regex_replace"] = lambda text, pattern, by, count=0: re.sub(pattern, by, text, count=count)
    made.filters["dump"] = lambda value: json.dumps(value, ensure_ascii=False)
    made.filters["load"] = json.loads
    return made


def _as_json(value: Any) -> Any:
    if isinstance(value, dict | list | tuple | bool):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e21:
        return int(value)
    return "" if value is None else value


def rows_of(environment: ImmutableSandboxedEnvironment, asked: dict[str, Any]) -> list[Any]:
    """The texts of each row, or its first problem."""
    compiled: dict[int, Template] = {}
    broken: dict[int, str] = {}
    result: list[Any] = []
    room = asked["most"]
    for wanted, variables in asked["rows"]:
        texts: list[str] = []
        for position in wanted:
            try:
                if position in broken:
                    raise ValueError(broken[position])
                if position not in compiled:
                    compiled[position] = environment.from_string(asked["templates"][position])
                texts.append(text_of(compiled[position], variables, asked["longest"], room))
                room -= len(texts[-1])
            except (TemplateError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError) as error:
                problem = str(error)[:300]
            except (RecursionError, MemoryError):
                problem = "takes more memory than it may"
            else:
                continue
            if position not in compiled:
                broken[position] = problem
            result.append({"problem": problem, "template": position})
            break
        else:
            result.append(texts)
    return result


def text_of(template: Template, variables: dict[str, Any], longest: int, room: int) -> str:
    """The text of a rendered template. Raises `ValueError` if it is too long, alone or with the earlier ones."""
    parts, size = [], 0
    for part in template.generate(variables):
        size += len(part)
        if size > longest:
            raise ValueError(f"gives more than {longest:,} characters")
        if size > room:
            raise ValueError("and those before it give too many characters: split the file")
        parts.append(part)
    return "".join(parts)


if __name__ == "__main__":
    given = json.loads(sys.stdin.buffer.read())
    sys.stdout.write(json.dumps({"rows": rows_of(environment(given["dialect"]), given)}))
    sys.stdout.flush()
