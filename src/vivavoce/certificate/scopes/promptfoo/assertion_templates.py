"""Assertions of a promptfoo configuration that stand there once, by name, and are referred to elsewhere in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from vivavoce.formats.yaml_file import MOST_VALUES, Source

_BEFORE: Final = "#/assertionTemplates/"


def with_templates(source: Source) -> Source:
    """The configuration with each `$ref: '#/assertionTemplates/NAME'` as what stands under that name.

    Raises `BadFile` for a name that is not there, and where all that they stand for is too much.
    """
    templates = source.value.get("assertionTemplates") or {}
    if not isinstance(templates, Mapping):
        raise source.wrong("'assertionTemplates' is an object of names and assertions", "assertionTemplates")
    room = MOST_VALUES

    def filled(value: Any, where: tuple[str | int, ...]) -> Any:
        nonlocal room
        if isinstance(value, list):
            return [filled(one, (*where, place)) for place, one in enumerate(value)]
        if not isinstance(value, Mapping):
            return value
        name = value.get("$ref")
        if not isinstance(name, str) or not name.startswith(_BEFORE):
            return {key: filled(one, (*where, key)) for key, one in value.items()}
        template = templates.get(name.removeprefix(_BEFORE))
        if not isinstance(template, Mapping):
            named = ", ".join(map(str, templates))[:200] or "none"
            raise source.wrong(f"'{name[:120]}' is not there: the templates are {named}", *where, "$ref")
        room -= _size(template)
        if room < 0:
            raise source.wrong(
                f"more than {MOST_VALUES:,} values with what references stand for: such a file is not read", *where
            )
        return {**template, **{key: one for key, one in value.items() if key != "$ref"}}

    if not templates:
        return source
    try:
        rest = {key: value if key == "assertionTemplates" else filled(value, (key,)) for key, value in source.value.items()}
    except RecursionError:
        raise source.wrong("its values stand within each other too deeply: such a file is not read") from None
    return replace(source, value=rest)


def _size(value: Any) -> int:
    if isinstance(value, Mapping):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1
