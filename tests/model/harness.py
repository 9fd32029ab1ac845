"""How replies of whatever model is given were read, form by form, and each of them for whoever wants to read it himself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.interview.forms.instances import noted
from vivavoce.interview import interview as module
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import ParsedReply
from vivavoce.interview.reading import FormReadings, read

COLUMNS = ("asked", "at once", "after turn", "copied", "cut off", "unreadable", "no answer", "calls")


@dataclass
class ModelReadings:
    """What all interviews of a run read."""

    interviews: list[module.Interview[Any, Any]] = field(default_factory=list)
    replies: list[dict[str, Any]] = field(default_factory=list)

    @property
    def by_form(self) -> list[FormReadings]:
        """One row a form, over all interviews."""
        sums: dict[str, Counter[str]] = {}
        for interview in self.interviews:
            for row in interview.readings:
                numbers = {name.name: getattr(row, name.name) for name in fields(row) if name.name != "form"}
                sums.setdefault(row.form, Counter()).update(numbers)
        return [FormReadings(form, **counts) for form, counts in sorted(sums.items())]

    @property
    def table(self) -> str:
        """The rows as a table in Markdown."""
        rows = [("form", *COLUMNS)] + [
            (row.form, *(str(getattr(row, column.replace(" ", "_"))) for column in COLUMNS)) for row in self.by_form
        ]
        rows.insert(1, ("---",) * len(rows[0]))
        return "\n".join(f"| {' | '.join(row)} |" for row in rows)

    def write(self, file: Path) -> None:
        """All replies as JSON Lines."""
        with file.open("a", encoding="utf-8") as out:
            out.writelines(json.dumps(reply, ensure_ascii=False) + "\n" for reply in self.replies)


@contextmanager
def watched(seen: ModelReadings, room: str) -> Iterator[None]:
    """While it lasts, every interview that is begun and every reply that is read is noted."""
    begin = module.Interview.__init__

    def noted(self: module.Interview[Any, Any], *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        seen.interviews.append(self)

    def read_and_noted(prompt: Prompt, answer: Reply | NoAnswer) -> ParsedReply[Any]:
        reading = read(prompt, answer)
        if isinstance(answer, Reply):
            seen.replies.append(_as_line(room, prompt, answer, reading))
        return reading

    with patch.object(module.Interview, "__init__", noted), patch("vivavoce.interview.question_runner.read", read_and_noted):
        yield


def _as_line(room: str, prompt: Prompt, answer: Reply, reading: ParsedReply[Any]) -> dict[str, Any]:
    assert prompt.form is not None
    given: Any = prompt.form
    return {
        "room": room,
        "form": type(given).__name__,
        "settings": asdict(given),
        "prompt": prompt.text,
        "system": prompt.system,
        "schema": bool(prompt.schema),
        "reply": answer.text,
        "finish": answer.finish,
        "further": answer.further.text if answer.further else None,
        "outcome": reading.outcome.value,
        "value": noted(given, reading.value),
        "problem": reading.problem,
    }
