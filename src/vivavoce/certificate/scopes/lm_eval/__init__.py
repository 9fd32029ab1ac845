"""Scopes from task files of lm-evaluation-harness: ``lm-eval:FILE[?filter=NAME&shots=N&revision=COMMIT]``.

`multiple_choice`: there the choice with the highest log-likelihood counts; here the choices are lettered and one is asked for
in words, worked examples standing before it as turns. `generate_until` with `exact_match`: the prompt is theirs, the reply is
cut and filtered as there, and compared as there. A description is the system text, as it is there with a chat template.

Departures: worked examples are the first of their split, also where the harness draws them; they never come from the split
that is asked. Of a choice's text the lettered lines and the last "Answer:" are taken off, since the house letters choices
itself. Patterns run in linear time (`formats.linear_regex`). No code is run, and no file is read outside of the task's
folder.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Any, Final

from vivavoce.certificate.questions import MAX_OPTIONS, Question
from vivavoce.certificate.rules.extraction import Extraction
from vivavoce.certificate.scopes.lm_eval.data import COMMIT, Rows, rows_of
from vivavoce.certificate.scopes.lm_eval.task import MOST_SHOTS, UNUSED, Task, extraction_of, read_task
from vivavoce.certificate.scopes.read import Read, bounded, fields_of
from vivavoce.certificate.scopes.templates import TemplateProblem, Templates
from vivavoce.errors import BadInput
from vivavoce.formats.yaml_file import Source

_CUE: Final = re.compile(r"\s*\b(?:answer|a)\s*:\s*\Z", re.IGNORECASE)
_INDEX: Final = re.compile(r"[0-9]{1,4}")
_LETTERED: Final = re.compile(r"^\(?([A-Z])[.):]\s*(\S.*)$", re.MULTILINE)


def read_lm_eval(place: str, filter: str | None = None, shots: str | None = None, revision: str | None = None) -> Read:  # noqa: A002
    """The questions of a task.

    Parameters
    ----------
    place: the task's file.
    filter: the name of one of its filters, where it has several.
    shots: worked examples before each question, in place of `num_fewshot`.
    revision: the commit of its data set on a hub.

    Raises `BadFile` for what cannot be asked or checked here, with its line and the remedy.
    """
    source, task = read_task(place)
    number = _shots(shots, task)
    if revision is not None and not COMMIT.fullmatch(revision):
        raise BadInput(f"revision={revision[:80]}: write the 40 digits of a commit: branches and tags move")
    asked = task.asked_split
    if asked is None:
        raise source.wrong("names neither a test_split nor a validation_split")
    rows = rows_of(source, task, asked, revision)
    examples = _examples(source, task, asked, number, revision) if number else []
    reader = _Reader(source, task, rows, examples)
    unused = fields_of(source.value, UNUSED)
    if task.output_type == "multiple_choice":
        found = bounded(source, reader.choices())
        return Read(found[len(examples) :], found[: len(examples)], unused, checked=True)
    return Read(bounded(source, reader.matches(extraction_of(source, task, filter))), unused=unused, checked=True)


def _shots(given: str | None, task: Task) -> int:
    if given is None:
        return task.shots
    if not re.fullmatch(r"\d{1,3}", given) or int(given) > MOST_SHOTS:
        raise BadInput(f"shots={given[:40]}: must be a number from 0 to {MOST_SHOTS}")
    return int(given)


def _examples(source: Source, task: Task, asked: str, number: int, revision: str | None) -> Rows:
    config = task.fewshot_config
    split = task.fewshot_split or (config.split if config else None)
    if split is None and config and config.samples is not None:
        pool = config.samples
    else:
        split = split or task.training_split or task.validation_split
        if split is None or split == asked:
            raise source.wrong(
                f"{number} worked examples, but no fewshot_split other than the one that is asked: name one, or give ?shots=0",
                "fewshot_split",
            )
        pool = rows_of(source, task, split, revision)
    if config and config.fewshot_indices:
        if max(config.fewshot_indices) >= len(pool) or min(config.fewshot_indices) < 0:
            raise source.wrong("'fewshot_indices' go beyond the examples that there are", "fewshot_config", "fewshot_indices")
        pool = [pool[place] for place in config.fewshot_indices]
    if len(pool) < number:
        raise source.wrong(f"{number} worked examples, but there are {len(pool)}: ask for fewer by ?shots=", "num_fewshot")
    return pool[:number]


class _Reader:
    """Renders a task's templates for all of its rows at once, the examples first."""

    def __init__(self, source: Source, task: Task, rows: Rows, examples: Rows) -> None:
        self._source, self._task = source, task
        self._rows = [*examples, *rows]
        self._shown = len(examples)
        waiting = Templates()
        for row in self._rows:
            waiting.add(
                row, *(self._template(row, field) for field in ("doc_to_text", "doc_to_target", "doc_to_choice", "description"))
            )
        try:
            self._texts = waiting.rendered()
        except TemplateProblem as error:
            field = next((name for name in source.value if source.value[name] == error.template), "doc_to_text")
            raise self._wrong(error.row, f"the template {error.template[:80]!r}: {error.problem}", field) from None

    def choices(self) -> Iterator[Question]:
        """Questions with lettered options."""
        for number, (row, texts) in enumerate(zip(self._rows, self._texts, strict=True)):
            choices = [str(one).strip() for one in self._choices(number, row, texts[2])]
            if not 2 <= len(choices) <= MAX_OPTIONS or not all(choices):
                raise self._wrong(
                    number, f"{len(choices)} choices: there must be 2 to {MAX_OPTIONS}, none empty", "doc_to_choice"
                )
            right = self._right(number, self._target(row, texts[1]), choices)
            text, choices = _unlettered(_CUE.sub("", self._text(row, texts[0])).strip(), choices)
            if not text:
                raise self._wrong(number, "'doc_to_text' gives an empty question", "doc_to_text")
            yield Question(self._id(number), text, tuple(choices), right, system=texts[3].strip())

    def matches(self, extraction: Extraction) -> Iterator[Question]:
        """Questions whose replies are cut, filtered and compared."""
        shown = "".join(self._turn(number) for number in range(self._shown))
        for number in range(self._shown, len(self._rows)):
            row, texts = self._rows[number], self._texts[number]
            text = (shown + self._text(row, texts[0])).strip()
            if not text:
                raise self._wrong(number, "'doc_to_text' gives an empty question", "doc_to_text")
            rule = extraction.model_copy(update={"targets": self._targets(number)})
            yield Question(self._id(number), text, rule=rule.text, system=texts[3].strip())

    def _turn(self, number: int) -> str:
        text = self._text(self._rows[number], self._texts[number][0])
        return f"{text}{self._task.target_delimiter}{self._targets(number)[0]}{self._task.fewshot_delimiter}"

    def _targets(self, number: int) -> tuple[str, ...]:
        row, texts = self._rows[number], self._texts[number]
        target = self._target(row, texts[1])
        if isinstance(target, int) and not isinstance(target, bool) and self._task.doc_to_choice is not None:
            choices = self._choices(number, row, texts[2])
            if not 0 <= target < len(choices):
                raise self._wrong(number, f"'doc_to_target' is {target}, and there are {len(choices)} choices", "doc_to_target")
            target = choices[target]
        listed = [str(one) for one in (target if isinstance(target, list) else [target])]
        if not listed or target is None:
            raise self._wrong(number, "'doc_to_target' gives no target", "doc_to_target")
        return tuple(listed)

    def _template(self, row: dict[str, Any], field: str) -> str:
        """The template of a field; none where it names a column, or says the value itself."""
        said = getattr(self._task, field)
        return said if isinstance(said, str) and said not in row else ""

    def _text(self, row: dict[str, Any], rendered: str) -> str:
        return str(row[self._task.doc_to_text]) if self._task.doc_to_text in row else rendered

    def _target(self, row: dict[str, Any], rendered: str) -> Any:
        said = self._task.doc_to_target
        if not isinstance(said, str):
            return said
        if said in row:
            return row[said]
        if _INDEX.fullmatch(rendered) and self._task.doc_to_choice is not None:
            return int(rendered)
        if rendered[:1] == "[" and rendered[-1:] == "]":
            return _literal(rendered, rendered)
        return rendered

    def _choices(self, number: int, row: dict[str, Any], rendered: str) -> list[Any]:
        said = self._task.doc_to_choice
        found = said if not isinstance(said, str) else row[said] if said in row else _literal(rendered, None)
        if isinstance(found, dict):
            found = list(found.values())
        if not isinstance(found, list):
            raise self._wrong(number, "'doc_to_choice' gives no list of choices", "doc_to_choice")
        return found

    def _right(self, number: int, target: Any, choices: Sequence[str]) -> tuple[str, ...]:
        places = []
        for one in target if isinstance(target, list) else [target]:
            if isinstance(one, str) and one.strip() in choices:
                one = choices.index(one.strip())
            elif isinstance(one, str) and _INDEX.fullmatch(one.strip()):
                one = int(one)
            if not isinstance(one, int) or not 0 <= one < len(choices):
                raise self._wrong(
                    number, f"'doc_to_target' gives {str(one)[:80]!r}, which is none of {len(choices)} choices", "doc_to_target"
                )
            places.append(int(one))
        return tuple(ascii_uppercase[place] for place in dict.fromkeys(places))

    def _id(self, number: int) -> str:
        return f"example {number + 1}" if number < self._shown else str(number - self._shown + 1)

    def _wrong(self, number: int, problem: str, field: str) -> BadInput:
        where = f"worked example {number + 1}" if number < self._shown else f"row {number - self._shown + 1}"
        return self._source.wrong(f"{where}: {problem}", field)


def _unlettered(text: str, choices: list[str]) -> tuple[str, list[str]]:
    """A question whose choices are letters, with the texts that stand behind these letters in it as choices."""
    letters = list(ascii_uppercase[: len(choices)])
    if choices != letters:
        return text, choices
    found = list(_LETTERED.finditer(text))[-len(letters) :]
    if [one[1] for one in found] != letters:
        return text, choices
    kept = text[: found[0].start()].rstrip()
    return (kept, [one[2].strip() for one in found]) if kept else (text, choices)


def _literal(text: str, otherwise: Any) -> Any:
    """A list, number or text as Python writes it."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return otherwise
