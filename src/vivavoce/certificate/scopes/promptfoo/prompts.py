"""The prompts of a promptfoo configuration: texts with `{{variables}}`, or a conversation that ends with a question."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.certificate.scopes.messages import conversation_of
from vivavoce.certificate.scopes.promptfoo.asserting import text_of
from vivavoce.certificate.scopes.read import check_fields
from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import ending, whole_json
from vivavoce.formats.records import beside
from vivavoce.formats.yaml_file import Source, read_yaml

_PARTED: Final = re.compile(r"^---\s*$", re.MULTILINE)
_FIELDS: Final = ("id", "raw", "label", "display", "description")
_REFUSED: Final = {"function": "it is code, which is not run", "config": "settings are the candidate's own"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt before its variables are filled in."""

    label: str
    text: str
    system: str = ""
    earlier: tuple[tuple[str, str], ...] = ()
    """What was said before, each time by the user and then by the assistant."""


def prompts_of(source: Source, given: Any) -> list[Asked]:
    """All prompts that stand there, or in the files that are named there. Raises `BadFile`."""
    listed = given if isinstance(given, list) else [given]
    found: list[Asked] = []
    for place, one in enumerate(listed):
        found += _prompts(source, one, ("prompts", place) if isinstance(given, list) else ("prompts",))
    return found


def chosen(source: Source, found: list[Asked], wanted: str) -> Asked:
    """The one with that label or number. Raises `BadFile`, with all labels, where there are several and none is named."""
    if not wanted and len(found) == 1:
        return found[0]
    named = [one for one in found if wanted and one.label == wanted]
    if not named and wanted.isdecimal() and 1 <= int(wanted) <= len(found):
        named = [found[int(wanted) - 1]]
    if named:
        return named[0]
    labels = ", ".join(f"#{number} ({one.label[:40]!r})" for number, one in enumerate(found, 1))
    problem = f"has {len(found)} prompts, and each is a scope of its own" if not wanted else f"has no prompt '{wanted[:80]}'"
    raise source.wrong(f"{problem}: name one behind the file, {labels[:600]}", "prompts")


def _prompts(source: Source, given: Any, where: tuple[str | int, ...]) -> list[Asked]:
    label = ""
    if isinstance(given, Mapping):
        check_fields(source, given, _FIELDS, _REFUSED, where=where)
        label = str(given.get("label") or "")
        given = given.get("raw") or given.get("id")
    if not isinstance(given, str) or not given.strip():
        raise source.wrong("a prompt is a text, or file://FILE", *where)
    if given.startswith("file://"):
        return _in_file(source, given, label, where)
    return [_of_text(source, given, label, where)]


def _in_file(source: Source, named: str, label: str, where: tuple[str | int, ...]) -> list[Asked]:
    try:
        file = beside(source.file, named)
        form = ending(file, (".txt", ".md", ".json", ".yaml", ".yml", ".j2"))
    except BadFile as error:
        raise source.wrong(error.problem, *where) from None
    if form == ".json":
        return [_of_turns(source, whole_json(file), label or named, where)]
    if form in (".yaml", ".yml"):
        return [_of_turns(source, read_yaml(file, version="1.2").value, label or named, where)]
    parts = [part.strip() for part in _PARTED.split(text_of(file)) if part.strip()]
    many = len(parts) > 1
    return [
        _of_text(source, part, f"{label or named}{f' {number}' if many else ''}", where) for number, part in enumerate(parts, 1)
    ]


def _of_text(source: Source, text: str, label: str, where: tuple[str | int, ...]) -> Asked:
    """A text; one that is a list in JSON is a conversation."""
    if text.lstrip().startswith("["):
        try:
            return _of_turns(source, json.loads(text), label or text, where)
        except (ValueError, RecursionError):
            pass
    return Asked(label or text, text)


def _of_turns(source: Source, turns: Any, label: str, where: tuple[str | int, ...]) -> Asked:
    try:
        conversation = conversation_of(turns)
    except BadInput as error:
        raise source.wrong(f"the prompt: {error}", *where) from None
    return Asked(label, conversation.asked, conversation.system, conversation.earlier)
