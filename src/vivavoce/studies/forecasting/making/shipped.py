"""Composes the built-in tuples of forecasting questions.

`python -m vivavoce.studies.forecasting.making.shipped > tuples.jsonl` prints them; `--after 2030-01-01` leaves out what is
decided by then. The questions are in `vivavoce.material`; templates combine them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Final

from vivavoce.formats.lines import MATERIAL, expanded, json_lines
from vivavoce.studies.forecasting.making.recipes import COMPOSED_LAWS, composed, composed_recipe
from vivavoce.studies.forecasting.making.series import Template, series
from vivavoce.studies.forecasting.tuples import QuestionTuple, tuple_as_json

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
