"""What is kept of each output, and how a later one is compared with it.

A record has a line for each command: its exit code, its numbers and its verdicts by key, and how many texts each key has. A
key is a path in which the places of a list are left out, such as `kinds[].rate.n`; in the file, keys are nested. Of more
than six values only their number and a digest of their first eight digits are kept. Prose is free; a key or a word that is
renamed goes into `renamed.json`, with the kinds of documents whose treatments were keys of their own (`treatments[milder].n`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.frozen.running import Output, values_of

RECORD = Path(__file__).with_name("record.jsonl")
RENAMED = Path(__file__).with_name("renamed.json")

LONGEST = 6
"""Values of a key that are kept one by one."""
RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Tolerances of a number."""
DIGITS = 12
"""Of a number that is kept."""

WORDS = {"verdict", "better", "tiers[][]", "outcome", "decision", "effect", "direction", "dominating[][]", "wrong_verdicts[]"}
"""Last parts of keys whose texts are findings."""

VARYING: Mapping[str, str] = {
    "* *[].seconds": "how long a reply took",
    "* records": "of a recheck: questions that were under way when a verdict fell are on record, too, and others another time",
    "luna-site bytes": "the size of a database, which depends on its tables",
}
"""Patterns of a case and a key that is left out, and why."""
ENVELOPE = {"kind", "format", "version", "candidates", "figures", "signature"}
"""Keys by which a document of a finding is known."""
KEPT = "="
"""Before a word that was not renamed: the verdict of a gate was always pass, fail or undecided."""
PLANS = {"plan", "comparison-plan"}
"""Kinds of documents that were their figures alone."""
UNSEEDED = {"teaching", "comparison-by-plan", "human-alignment", "recording"}
"""Kinds of documents that had no seed."""
FILE_DIGEST = re.compile(r"[?&]sha256=\w+")
"""In the name of a recorded candidate: of a file that a command wrote, with its words."""

Value = float | bool | str | None
Column = list[Value] | Value
"""The values of a key: one by itself, several in a list, many as the text `NUMBER values, DIGEST`."""


@dataclass
class RecordedOutput:
    """What is kept of one output."""

    case: str
    step: int
    code: int
    numbers: dict[str, Column] = field(default_factory=dict)
    words: dict[str, Column] = field(default_factory=dict)
    texts: dict[str, int] = field(default_factory=dict)
    """How many texts a key has that are not empty."""

    def as_line(self) -> str:
        """A line of the record."""
        kept = {name: _nested(value) if isinstance(value, dict) else value for name, value in vars(self).items() if value != {}}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def of_line(cls, line: str) -> RecordedOutput:
        """The same from such a line."""
        kept: dict[str, Any] = json.loads(line)
        columns = {name: _flat(kept[name]) for name in ("numbers", "words", "texts") if name in kept}
        return cls(kept["case"], kept["step"], kept["code"], **columns)


def _nested(columns: Mapping[str, Any]) -> dict[str, Any]:
    """`{"a.": {"b": 1}, "a": 2}` for the keys `a.b` and `a`."""
    tree: dict[str, Any] = {}
    for key, value in columns.items():
        *above, last = key.split(".")
        branch = tree
        for part in above:
            branch = branch.setdefault(f"{part}.", {})
        branch[last] = value
    return tree


def _flat(tree: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for part, value in tree.items():
        columns |= _flat(value, above + part) if isinstance(value, dict) else {above + part: value}
    return columns


@dataclass(frozen=True)
class Renames:
    """Keys and words that were renamed, as (old, new, names of cases); `None` where there was none, or is none any more.

    An empty old key is a level that there was not.
    """

    keys: tuple[tuple[str | None, str | None, str], ...] = ()
    words: tuple[tuple[str | None, str | None, str], ...] = ()
    named: tuple[str, ...] = ()
    """Kinds of documents whose treatments have keys by name."""
    studies: tuple[str, ...] = ()
    """Kinds of documents that are mapped key by key. Others had their numbers beside other keys, and one candidate's name."""

    @classmethod
    def read(cls, text: str) -> Renames:
        """Of the file: lists of [old, new] or [old, new, patterns of cases joined by |]."""
        values = json.loads(text)
        keys, words = (tuple((*value, "*")[:3] for value in values[name]) for name in ("keys", "words"))
        return cls(keys, words, tuple(values.get("named", ())), tuple(values.get("studies", ())))

    def old_key(self, key: str, case: str) -> str | None:
        """The key as it was called; `None` for one that there was not."""
        for old, new, cases in self.keys:
            if new is None or not _concerns(case, cases):
                continue
            parts = _as_part(new).split(key)
            if old is None and len(parts) > 1:
                return None
            key = (old or "").join(parts).replace("..", ".").strip(".")
        return key

    def old_word(self, word: Value, key: str, case: str) -> Value:
        """The word as it was under an old key; a pattern of cases may name the key, too: `gate* categories*`."""
        if isinstance(word, str) and word.startswith(KEPT):
            return word.removeprefix(KEPT)
        texts = (old for old, new, cases in self.words if word == new and _concerns(case, cases, f"{case} {key}"))
        return next(texts, word)

    def gone(self, key: str, case: str) -> bool:
        """Whether a recorded key, or one that it is part of, is no longer there."""
        return any(
            old is not None and new is None and _concerns(case, cases) and _as_part(old).search(key)
            for old, new, cases in self.keys
        )


def _concerns(case: str, patterns: str, key: str = "") -> bool:
    return any(fnmatch(key if " " in pattern else case, pattern) for pattern in patterns.split("|"))


@cache
def _as_part(key: str) -> re.Pattern[str]:
    """Finds it where it is one or more whole parts of another key."""
    return re.compile(rf"(?<![^.]){re.escape(key)}(?![^.\[])")


def as_before(value: Any, studies: Sequence[str]) -> Any:
    """Documents of findings without the keys that all have now, and with their numbers where they were."""
    if isinstance(value, list):
        return [as_before(item, studies) for item in value]
    if not isinstance(value, dict):
        return value
    values = {name: as_before(item, studies) for name, item in value.items()}
    if not values.keys() >= ENVELOPE or values["kind"] in studies:
        return values
    names = values["candidates"]
    more = {name: item for name, item in values.items() if name not in {*ENVELOPE, "statement", "verdict", "caveats"}}
    if values["kind"] == "report":
        answer = {"dossier": values["format"], "version": values["version"], "answer": values["statement"]}
        return {**answer, "candidate": names[0], **values["figures"], **more}
    if values["kind"] == "reports":
        return {"candidates": names, "caveats": values["caveats"], **values["figures"], **more}
    if values["kind"] in PLANS:
        return values["figures"]
    rest = {name: item for name, item in values.items() if name not in ENVELOPE or name == "signature"}
    if values["kind"] == "gate":
        rest["verdict"] = f"{KEPT}{rest['verdict']}"
    if values["kind"] in UNSEEDED or values["kind"].startswith(("luna", "generalization s")):
        del rest["seed"]
    return {**({"candidate": names[0]} if len(names) == 1 else {}), **values["figures"], **rest}


def recorded(case: str, step: int, output: Output, renames: Renames = Renames()) -> RecordedOutput:
    """What is kept of this output, under its old names."""
    columns: dict[str, list[Value]] = {}
    for new, value in _leaves(as_before(values_of(output.out), renames.studies), renames.named):
        key = renames.old_key(FILE_DIGEST.sub("", new), case)
        if key is not None and not any(fnmatch(f"{case} {key}", varying) for varying in VARYING):
            columns.setdefault(key, []).append(renames.old_word(value, key, case) if _is_word(key) else value)
    kept = RecordedOutput(case, step, output.code)
    for key, column in columns.items():
        if _is_word(key):
            kept.words[key] = _compact([FILE_DIGEST.sub("", value) if isinstance(value, str) else value for value in column])
            continue
        if any(isinstance(value, str) for value in column):
            kept.texts[key] = sum(isinstance(value, str) and value != "" for value in column)
        if rest := [value for value in column if not isinstance(value, str)]:
            kept.numbers[key] = _compact([*rest])
    return kept


def _is_word(key: str) -> bool:
    return key.rpartition(".")[2] in WORDS


def _leaves(values: Any, kinds: tuple[str, ...], key: str = "", *, named: bool = False) -> Iterator[tuple[str, Value]]:
    """Keys and values, those of a dictionary in the order of its keys' names."""
    if isinstance(values, dict) and values:
        named = named or values.get("kind") in kinds
        for name in sorted(values, key=lambda name: (name == "control", name)):  # controls were the last rows
            yield from _leaves(values[name], kinds, f"{key}.{name}" if key else str(name), named=named)
    elif isinstance(values, list) and values:
        has_names = named and key.endswith(("treatments", "control"))
        for value in values:
            yield from _leaves(value, kinds, f"{key}[{value['name'] if has_names else ''}]", named=named)
    elif isinstance(values, dict | list):
        yield key, "empty"
    elif values is not None or key:
        yield key, values


def _compact(column: list[Value]) -> Column:
    if len(column) > LONGEST:
        return f"{len(column)} values, {sha256(''.join(map(_rounded, column)).encode()).hexdigest()[:12]}"
    kept = [float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value for value in column]
    return kept if len(kept) > 1 else kept[0]


def _rounded(value: Value) -> str:
    """A text that ends where it ends: `1.0` and `1` are the same number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{json.dumps(value)}\n"
    return f"{round(value, 12) + 0.0:.8g}\n"


def read_record() -> dict[str, list[RecordedOutput]]:
    """What was recorded, by case."""
    cases: dict[str, list[RecordedOutput]] = {}
    for line in RECORD.read_text("utf-8").splitlines():
        entry = RecordedOutput.of_line(line)
        cases.setdefault(entry.case, []).append(entry)
    return cases


def differences(then: RecordedOutput, now: RecordedOutput, renames: Renames = Renames()) -> list[str]:
    """A line for each thing that is not as it was."""
    result = [] if then.code == now.code else [f"exit code {now.code}, once {then.code}"]
    for kind in ("numbers", "words", "texts"):
        before, after = (_said(getattr(entry, kind)) if kind == "words" else getattr(entry, kind) for entry in (then, now))
        for key in sorted({*before, *after}):
            if renames.gone(key, then.case):
                continue
            if key not in after or key not in before:
                there = "is missing" if key in before else "is new"
                result.append(f"{kind}: '{key}' {there}: {before.get(key, after.get(key))}")
            elif not _same(before[key], after[key]):
                result.append(f"{kind}: '{key}' is {after[key]}, once {before[key]}")
    return result


def _said(words: Mapping[str, Column]) -> dict[str, Column]:
    """Without those that are null: a document without a verdict has none."""
    result: dict[str, Column] = {}
    for key, column in words.items():
        known = [word for word in (column if isinstance(column, list) else [column]) if word is not None]
        if known:
            result[key] = [*known] if len(known) > 1 else known[0]
    return result


def _same(then: Any, now: Any) -> bool:
    if isinstance(then, list) and isinstance(now, list):
        return len(then) == len(now) and all(map(_same, then, now))
    if isinstance(then, int | float) and isinstance(now, int | float) and isinstance(then, bool) == isinstance(now, bool):
        return math.isclose(then, now, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return type(then) is type(now) and bool(then == now)


def write_record(cases: Iterable[RecordedOutput]) -> None:
    """A line for each command."""
    RECORD.write_text("".join(f"{case.as_line()}\n" for case in cases), encoding="utf-8")
