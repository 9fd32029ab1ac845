"""Reads and writes files of cases, labels and paraphrases. Errors are `BadFile` with the line number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from vivavoce.consistency.legal.trials import REVIEW, LegalCase, Paraphrase
from vivavoce.errors import BadFile
from vivavoce.formats.lines import json_lines, whole_json, write_whole

MOST_CASES: Final = 100_000
MOST_FACTS: Final = 2_000
"""Maximum number per case."""
LONGEST_FACT: Final = 20_000
"""Maximum number of characters."""
LONGEST_ID: Final = 200

FIELDS: Final = ("id", "facts")
IDS: Final = ("id", "case_id", "ITEMID", "itemid")
"""Field names of a case's id: our own, and those of the published data."""
FACTS: Final = ("facts", "text", "TEXT")
"""Field names of the list of facts."""
PARAPHRASE_FIELDS: Final = ("fact", "paraphrase", "status", "reason")
STATUSES: Final = ("proposed", "accepted", "rejected")


def read_cases(file: Path) -> tuple[LegalCase, ...]:
    """Read cases from a file with one per line: `{"id": "001-5432", "facts": ["...", "..."]}`; the file may be gzipped.

    Without an id, a case has the number of its line. Other fields are ignored, unless the name looks like a typo. Published
    data can be read unchanged (`case_records`). Raises `BadFile` with the line and the remedy.
    """
    return tuple(case for case, _ in case_records(file))


def case_records(file: Path) -> Iterator[tuple[LegalCase, Labels]]:
    """Iterate over the cases of a file or folder, each with the rest of its record.

    A file has lines with `id` and `facts`, or lines of `ECtHR` (`chalkidis2021`; `case_id`, `facts`) or LexGLUE (`text`). In a
    folder of `ECHR` (`chalkidis2019`), each `.json` file is a case with `ITEMID` and `TEXT`.

    Raises `BadFile` for a record that is not a case, a repeated id, too many cases, or no cases.
    """
    known: set[str] = set()
    for path, line, record in _records(file):
        _no_slips(record, FIELDS, path, line)
        case = LegalCase(_id(record, path, line), _facts(record, path, line))
        if case.id in known:
            raise BadFile(path, f"id '{case.id}' occurs twice: make it unique", line=line)
        if len(known) == MOST_CASES:
            raise BadFile(path, f"more than {MOST_CASES} cases: split it", line=line)
        known.add(case.id)
        yield case, Labels(path, line, record)
    if not known:
        raise BadFile(file, 'has no cases: give one per line, such as {"id": "1", "facts": ["...", "..."]}')


def _records(file: Path) -> Iterator[tuple[Path, int | None, dict[str, Any]]]:
    """The JSON objects of a file with their line numbers, or those of a folder's files, sorted by file name."""
    if not file.is_dir():
        yield from ((file, line, record) for line, record in json_lines(file))
        return
    for path in sorted(file.glob("*.json")):
        record = whole_json(path)
        if not isinstance(record, dict):
            raise BadFile(path, "must be a JSON object, a case as in {...}")
        yield path, None, record


@dataclass(frozen=True, slots=True)
class Labels:
    """The record of a case, which contains its labels."""

    file: Path
    line: int | None
    """The line number; None if the whole file is one case."""
    record: Mapping[str, Any]


def read_paraphrases(file: Path) -> dict[str, list[Paraphrase]]:
    """Read paraphrases by fact, one per line: `{"fact": "...", "paraphrase": "...", "status": "accepted"}`.

    This is the format of `write_paraphrases`. A paraphrase with the status `rejected` is kept, with the reason as its problem.
    Without a status it counts as proposed, and is used. Raises `BadFile` with the line and the remedy.
    """
    paraphrases: dict[str, list[Paraphrase]] = {}
    for line, record in json_lines(file):
        _no_slips(record, PARAPHRASE_FIELDS, file, line)
        fact = _text(record.get("fact"), "fact", file, line)
        status = record.get("status", "proposed")
        if status not in STATUSES:
            raise BadFile(file, f"the status is {str(status)[:40]!r}: write one of {', '.join(STATUSES)}", line=line)
        text = _text(record.get("paraphrase"), "paraphrase", file, line, empty=status == "rejected")
        paraphrases.setdefault(fact, []).append(
            Paraphrase(fact, text, _problem(record) if status == "rejected" else "", checked=status == "accepted")
        )
    if not paraphrases:
        raise BadFile(file, 'has no paraphrases: give one per line, such as {"fact": "...", "paraphrase": "..."}')
    return paraphrases


def write_paraphrases(file: Path, paraphrases: Iterable[Paraphrase]) -> int:
    """Write each paraphrase once, for people to review and `read_paraphrases` to read; return how many were written.

    Raises `BadFile` if the file can't be written.
    """
    distinct = dict.fromkeys(paraphrases)
    write_whole(file, "".join(json.dumps(_as_json(paraphrase), ensure_ascii=False) + "\n" for paraphrase in distinct))
    return len(distinct)


def _as_json(paraphrase: Paraphrase) -> dict[str, str]:
    words = {"fact": paraphrase.fact, "paraphrase": paraphrase.text}
    if paraphrase.problem:
        return words | {"status": "rejected", "reason": paraphrase.problem}
    return words | {"status": "accepted" if paraphrase.checked else "proposed"}


def _problem(record: dict[str, Any]) -> str:
    """The reason of a rejection, or a default."""
    return str(record.get("reason") or REVIEW)[:LONGEST_ID]


def _id(record: dict[str, Any], file: Path, line: int | None) -> str:
    name = next((name for name in IDS if name in record), "id")
    value = record.get(name, file.stem if line is None else line)
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise BadFile(file, f"'{name}' is {str(value)[:80]!r}: give a text or a whole number", line=line)
    case_id = str(value).strip()
    if len(case_id) > LONGEST_ID:
        raise BadFile(file, f"'{name}' is longer than {LONGEST_ID} characters: shorten it", line=line)
    return case_id


def _facts(record: dict[str, Any], file: Path, line: int | None) -> tuple[str, ...]:
    name = next((name for name in FACTS if name in record), "facts")
    facts = record.get(name)
    if not isinstance(facts, list) or not facts:
        raise BadFile(file, f"'{name}' must be a list of texts, with at least one", line=line)
    if len(facts) > MOST_FACTS:
        raise BadFile(file, f"{len(facts)} facts, more than {MOST_FACTS}: split the case", line=line)
    return tuple(_text(fact, f"fact {number}", file, line) for number, fact in enumerate(facts, 1))


def _text(value: object, what: str, file: Path, line: int | None, *, empty: bool = False) -> str:
    if not isinstance(value, str) or not (empty or value.strip()):
        raise BadFile(file, f"{what} is {str(value)[:40]!r}: it must be a text that is not empty", line=line)
    if len(value) > LONGEST_FACT:
        raise BadFile(file, f"{what} has {len(value)} characters, more than {LONGEST_FACT}: split it", line=line)
    return value


def _no_slips(record: dict[str, Any], fields: tuple[str, ...], file: Path, line: int | None) -> None:
    for name in record:
        nearest = "" if name in fields else _nearest(name, fields)
        if nearest and nearest not in record:
            raise BadFile(file, f"unknown field '{name[:40]}': did you mean '{nearest}'?", line=line)


@lru_cache(maxsize=4096)
def _nearest(name: str, fields: tuple[str, ...]) -> str:
    """The field name most similar to an unknown one; empty if none is. Records share names, so results are cached."""
    return next(iter(get_close_matches(name.strip().lower(), fields, n=1, cutoff=0.75)), "")


ARTICLES: Final = ("violated_articles", "VIOLATED_ARTICLES", "labels")
"""Field names of the list of violated articles: in `ECtHR`, in `ECHR`, and in the Hugging Face versions of both."""
RATIONALES: Final = ("gold_rationales", "silver_rationales")
"""Field names of the facts that a lawyer, or the court itself, considered decisive; numbered from 0."""
MOST_ARTICLES: Final = 1_000


@dataclass(frozen=True, slots=True)
class LabelledCase:
    """A case with its label."""

    case: LegalCase
    violation: bool
    decisive: tuple[int, ...] = ()
    """Numbers from 0 of the facts known to be decisive; empty if unknown."""


def read_labelled(file: Path, article: str = "") -> tuple[LabelledCase, ...]:
    """Read the cases of a file or folder with their labels.

    A label is `violation` (true or false), or a list of violated articles: `violated_articles`, `VIOLATED_ARTICLES` or
    `labels`. A case without a label is an error. The decisive facts are `decisive`, or the rationales of `ECtHR`.

    article: the article whose violation counts; empty: any article.

    Raises `BadFile` with the line and the remedy.
    """
    return tuple(
        LabelledCase(case, _violation(labels, article), _decisive(labels, len(case.facts)))
        for case, labels in case_records(file)
    )


def _violation(labels: Labels, article: str) -> bool:
    record = labels.record
    if "violation" in record:
        label = record["violation"]
        if article:
            raise _label_problem(labels, "'violation' does not name an article: leave out --article")
        if not isinstance(label, bool) and (type(label) is not int or label not in (0, 1)):
            raise _label_problem(labels, f"'violation' is {str(label)[:40]!r}: give true or false")
        return bool(label)
    name = next((name for name in ARTICLES if name in record), "")
    if not name:
        alleged = "allegedly_violated_articles" in record
        raise _label_problem(
            labels,
            "has only alleged violations: give 'violated_articles'"
            if alleged
            else "does not give the judgment: add 'violation' (true or false), or a list 'violated_articles'",
        )
    articles = record[name]
    if not isinstance(articles, list) or len(articles) > MOST_ARTICLES:
        raise _label_problem(labels, f"'{name}' is {str(articles)[:40]!r}: give a list of articles, empty if none was violated")
    if not article:
        return bool(articles)
    if not all(isinstance(item, str) for item in articles):
        raise _label_problem(labels, f"'{name}' has numbers of classes, not names of articles: leave out --article")
    return article in articles


def _decisive(labels: Labels, facts: int) -> tuple[int, ...]:
    """The decisive facts. Published rationales that match no fact are ignored; in our own field they are an error."""
    record: Mapping[str, Any] = labels.record
    if "decisive" in record:
        numbers = _numbers(record["decisive"], facts)
        if numbers is None:
            raise _label_problem(labels, f"'decisive' must be a list of numbers of facts, from 0 to {facts - 1}")
        return numbers
    return next((numbers for name in RATIONALES if (numbers := _numbers(record.get(name), facts))), ())


def _numbers(value: object, facts: int) -> tuple[int, ...] | None:
    if not isinstance(value, list) or not all(type(number) is int and 0 <= number < facts for number in value):
        return None
    return tuple(sorted(set(value)))


def _label_problem(labels: Labels, problem: str) -> BadFile:
    return BadFile(labels.file, problem, line=labels.line)
