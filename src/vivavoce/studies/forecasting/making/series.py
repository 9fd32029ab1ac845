"""Make series by template, without a model: one question for each of several years or thresholds.

Composes the built-in tuples of forecasting questions.

`python -m vivavoce.studies.forecasting.making.series > tuples.jsonl` prints them; `--after 2030-01-01` leaves out what is
decided by then. The questions are in `vivavoce.material`; templates combine them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final, cast, get_args

from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.formats.lines import MATERIAL, expanded, json_lines
from vivavoce.laws.law import QUANTITIES, law_named
from vivavoce.studies.config import Implied, MakingConfig
from vivavoce.studies.forecasting.forecast_files import MOST_STATEMENTS, QuestionTuple, tuple_as_json
from vivavoce.studies.forecasting.making.making import BY_TEMPLATE, fault_in
from vivavoce.studies.forecasting.making.recipes import COMPOSED_LAWS, composed, composed_recipe

GAP = "{}"
"""Placeholder for the value."""
SERIES_LAWS = ("increasing", "decreasing", "chain")


@dataclass(frozen=True, slots=True)
class Template:
    """A question with a placeholder, and the values to insert."""

    text: str
    values: tuple[str, ...]
    """Numbers as written in the question."""
    law: str
    """`increasing` or `decreasing` for quantities, `chain` for probabilities."""
    implies: Implied = "lower"
    """Only for a chain."""
    id: str = ""
    """Series with the same id are not independent; if empty, a digest of the text is the id."""


def series(templates: Sequence[Template]) -> list[QuestionTuple]:
    """Make one tuple for each template; the values name its statements.

    Quantities are in ascending order of the values; a chain is in the order in which each statement implies the next.

    Raises `BadInput` for a template without a placeholder, values that are not numbers, or a law that is not for series.
    Source: `fluri2024`, section 6.2 (quantities by year).

    >>> [one] = series([Template("Will more than {} people walk on the moon by 2050?", ("20", "50", "100"), "chain")])
    >>> list(one.questions)
    ['100', '50', '20']
    >>> one.questions["50"]
    'Will more than 50 people walk on the moon by 2050?'
    """
    made: list[QuestionTuple] = []
    for number, template in enumerate(templates, start=1):
        values = _ordered(template)
        # Insert the value as plain text, so other braces in the template stay.
        questions = {value: template.text.replace(GAP, value) for value in values}
        fault = fault_in(questions, questions)
        base = template.id or hashlib.sha256(template.text.encode()).hexdigest()[:12]
        made.append(
            QuestionTuple(
                law=template.law,
                questions=questions,
                id=f"{template.law}/{number}",
                base=(base,),
                status="rejected" if fault else "accepted",
                reason=str(fault) if fault else BY_TEMPLATE,
            )
        )
    return made


def read_templates(file: Path, config: MakingConfig) -> list[Template]:
    """Read templates from JSON Lines: `template`, `values`, and optionally `law`, `implies` and `id`, else as configured.

    Raises `BadFile` with the line and the remedy.
    """
    templates = [_template(file, line, record, config) for line, record in json_lines(file)]
    if not templates:
        raise BadFile(file, "holds no templates")
    return templates


def split_values(text: str) -> tuple[str, ...]:
    """Split a list of values at commas.

    >>> split_values("2025, 2028,2032")
    ('2025', '2028', '2032')
    """
    return tuple(value.strip() for value in text.split(","))


def _template(file: Path, line: int, record: dict[str, Any], config: MakingConfig) -> Template:
    text, values = record.get("template"), record.get("values")
    if not isinstance(text, str):
        raise BadFile(file, '"template" must be a text with {} in it', line=line)
    if not isinstance(values, list) or any(
        isinstance(value, bool) or not isinstance(value, str | int | float) for value in values
    ):
        raise BadFile(file, '"values" must be a list of numbers, such as [2025, 2030, 2040]', line=line)
    usual: dict[str, Any] = {"law": config.law_of_series, "implies": config.implies, "id": ""}
    fields = {name: record.get(name, value) for name, value in usual.items()}
    for name, value in fields.items():
        if value is None:
            raise BadFile(file, f'"{name}" is missing: give it in each line, or --{name}', line=line)
        if not isinstance(value, str):
            raise BadFile(file, f'"{name}" must be a text', line=line)
    if fields["implies"] not in get_args(Implied):
        raise BadFile(
            file, f"\"implies\" is '{fields['implies'][:80]}', it must be {' or '.join(get_args(Implied))}", line=line
        )
    implied = cast(Implied, fields["implies"])
    template = Template(text, tuple(str(value).strip() for value in values), str(fields["law"]), implied, str(fields["id"]))
    try:
        _ordered(template)
    except BadInput as error:
        raise BadFile(file, str(error), line=line) from None
    return template


def _ordered(template: Template) -> list[str]:
    """The values in the law's order. Raises `BadInput` if they can't be a series."""
    if template.law not in SERIES_LAWS:
        raise UnknownName("law of series", template.law, SERIES_LAWS)
    if GAP not in template.text:
        raise BadInput(f"the template '{template.text[:80]}' has no gap: put {{}} where the values go")
    fewest = 3 if template.law in QUANTITIES else 2  # the rank correlation of two values means nothing
    if not fewest <= len(template.values) <= MOST_STATEMENTS:
        raise BadInput(f"a series of {len(template.values)} values: give {fewest} to {MOST_STATEMENTS}, separated by commas")
    numbers = {value: _number(value) for value in template.values}
    if len(set(numbers.values())) < len(template.values):
        raise BadInput(f"the values {', '.join(template.values)[:80]} contain a number twice: give each once")
    falling = template.law == "chain" and template.implies == "lower"
    ordered = sorted(numbers, key=lambda value: numbers[value], reverse=falling)
    if template.law == "chain":
        law_named("chain", ordered)
    return ordered


def _number(value: str) -> float:
    try:
        number = float(value) if len(value) <= 40 else math.nan
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise BadInput(f"the value '{value[:40]}' is not a number: give numbers such as 2025,2030,2040")
    return number


ROUND: Final = 40
"""Tuples of each law that combines several base questions."""
COMBINED: Final = tuple(law for law in COMPOSED_LAWS if law not in ("neg", "exclusive", "partition"))
"""Laws of several base questions; rival events and negations are written for each question."""


def shipped_tuples(after: date = date.min) -> list[QuestionTuple]:
    """All tuples whose questions are decided after a date.

    >>> {made.law for made in shipped_tuples()} >= {"neg", "paraphrase", "consequence", "cond-cond", "increasing"}
    True
    """
    base = [entry for entry in _entries("base") if _is_open(entry, after)]
    rivals, chains = ([entry for entry in _entries(name) if _is_open(entry, after)] for name in ("partitions", "chains"))
    return [
        *(_made("neg", entry, {"P": entry["question"], "not_P": entry["negation"]}) for entry in base),
        *map(_paraphrases, base),
        *(_made("consequence", entry, {"P": entry["question"], "cons_P": entry["consequence"]}) for entry in base),
        *(made for law in COMBINED for made in _combined(law, base)),
        *(_listed("partition", entry) for entry in rivals),
        *(_listed("chain", entry) for entry in chains),
        *_series(after),
    ]


def _entries(name: str) -> list[dict[str, Any]]:
    return [values for _, values in json_lines(expanded(f"{MATERIAL}forecasts_{name}.jsonl"))]


def _is_open(entry: Mapping[str, Any], after: date) -> bool:
    return date.fromisoformat(entry["resolves"]) > after


def _made(law: str, entry: Mapping[str, Any], questions: Mapping[str, str]) -> QuestionTuple:
    return QuestionTuple(law, questions, f"{law}/{entry['id']}", (entry["id"],), reason="written for this material")


def _paraphrases(entry: Mapping[str, Any]) -> QuestionTuple:
    first, second = entry["paraphrases"]
    return _made("paraphrase", entry, {"P": entry["question"], "para_P": first, "para_P_2": second})


def _listed(law: str, entry: Mapping[str, Any]) -> QuestionTuple:
    return _made(law, entry, {f"S{number}": text for number, text in enumerate(entry["statements"], start=1)})


def _combined(law: str, base: Sequence[Mapping[str, Any]]) -> Iterator[QuestionTuple]:
    """Each base question at most once a law and position: the questions in a circle, in an order of the law's own."""
    recipe = composed_recipe(law)
    circle = sorted(base, key=lambda entry: hashlib.sha256(f"{law} {entry['id']}".encode()).digest())
    size = len(recipe.base)
    for start in range(min(ROUND, len(circle)) if len(circle) >= size else 0):
        chosen = [circle[(start + offset) % len(circle)] for offset in range(size)]
        texts = {name: str(entry["question"]) for name, entry in zip(recipe.base, chosen, strict=True)}
        statements = texts | composed(recipe, texts)
        ids = tuple(str(entry["id"]) for entry in chosen)
        yield QuestionTuple(
            law, {key: statements[key] for key in recipe.keys}, f"{law}/{'+'.join(ids)}", ids, reason="composed"
        )


def _series(after: date) -> Iterator[QuestionTuple]:
    for entry in _entries("series"):
        years = [year for year in entry["values"] if year > after.year]
        if len(years) > 2:
            [made] = series([Template(entry["template"], tuple(map(str, years)), entry["direction"], id=entry["id"])])
            yield replace(made, id=f"{entry['direction']}/{entry['id']}")


def lines(tuples: Iterable[QuestionTuple]) -> Iterator[str]:
    """Each tuple as a line of JSON."""
    return (json.dumps(tuple_as_json(made), ensure_ascii=False) for made in tuples)


def main(words: Sequence[str] | None = None) -> None:
    """Print the tuples."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--after", type=date.fromisoformat, default=date.min, metavar="DATE")
    print(*lines(shipped_tuples(parser.parse_args(words).after)), sep="\n")


if __name__ == "__main__":
    main()
