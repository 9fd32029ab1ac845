"""Scopes by name: the kinds of scopes, and functions that open one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any, Final, Literal, Protocol
from urllib.parse import unquote

from vivavoce.errors import BadInput
from vivavoce.formats.lines import MATERIAL, choose, expanded
from vivavoce.formats.task_name import is_task, moved_task
from vivavoce.scopes import benchmarks
from vivavoce.scopes.column_names import OPTIONS, ColumnNames
from vivavoce.scopes.generated import arithmetic, intervals
from vivavoce.scopes.hub import ADDRESS, read_hub
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope, parted_options
from vivavoce.scopes.pool import pool_questions
from vivavoce.scopes.question_file import FORMATS, ParsedQuestions, read_question_file, row_questions
from vivavoce.scopes.questions import Question

MOST_SHOTS = 50
"""Worked examples before each question."""


@dataclass(frozen=True, slots=True)
class ScopeKind:
    """One kind of scope, as listed for a user."""

    prefix: str
    form: str
    example: str
    explanation: str
    generator: Callable[..., EndlessScope] | None = None
    """Makes an endless scope from its name and its options."""
    options: tuple[str, ...] = ()
    """Options after the "?", passed to the generator or to `read`."""
    read: Callable[..., ParsedQuestions] | None = None
    """Reads listed questions from the text between the prefix and the options."""
    material: str = ""
    """The built-in file with its questions, if it is a list that ships with the package."""


def _parted(where: str) -> tuple[Path, str]:
    """FILE#PART as file and part; the part is empty if there is none."""
    path, _, part = where.rpartition("#") if "#" in where else (where, "", "")
    return expanded(path), part


def _published(
    questions: Callable[[Path, str], tuple[Question, ...]], examples: Callable[[Path, str], Iterable[Question]]
) -> Callable[..., ParsedQuestions]:
    """Reads published files, with their worked examples on request."""

    def read(where: str, shots: str | None = None) -> ParsedQuestions:
        file, part = _parted(where)
        return _with_shots(ParsedQuestions(questions(file, part), tuple(examples(file, part)) if shots else ()), shots)

    return read


KINDS: tuple[ScopeKind, ...] = (
    ScopeKind(
        "arithmetic",
        "arithmetic[?digits=D&operations=OPS&laws=commute&decimals=N&places=P]",
        "arithmetic?digits=3&operations=+-*/",
        "sums, differences, products and quotients of numbers with up to D digits (1 to 9, else 3) and N decimals (0 to 6, "
        "else 0). Quotients are whole, or rounded to P places with decimals or places; endless",
        generator=arithmetic,
        options=("digits", "operations", "laws", "decimals", "places"),
    ),
    ScopeKind(
        "intervals",
        "intervals[?events=N]",
        "intervals?events=4",
        "which of two events began first, ended first, overlapped, from premises on 3 to 5 events; endless",
        generator=intervals,
        options=("events",),
    ),
    ScopeKind(
        "obvious",
        "obvious",
        "obvious",
        "300 common-sense questions in ten categories that no one who understands English gets wrong; ships with Vivavoce",
        material="material:obvious.jsonl",
    ),
    ScopeKind(
        "mmlu",
        "mmlu:FOLDER[#TASK][?shots=N]",
        "mmlu:data/mmlu#astronomy",
        "a task of MMLU, or all, from a folder of TASK_test.csv files",
        options=("shots",),
        read=_published(benchmarks.mmlu_questions, benchmarks.mmlu_examples),
    ),
    ScopeKind(
        "mmlu-pro",
        "mmlu-pro:FILE[#CATEGORY][?shots=N]",
        "mmlu-pro:data/questions.jsonl.gz#physics",
        "a category of MMLU-Pro, or all, from a JSON Lines file",
        options=("shots",),
        read=_published(benchmarks.mmlu_pro_questions, benchmarks.mmlu_pro_examples),
    ),
    ScopeKind(
        "bbh",
        "bbh:FOLDER[#TASK][?shots=N]",
        "bbh:data/bbh#temporal_sequences",
        "a task of BIG-Bench Hard, or all, from a folder of TASK.json files",
        options=("shots",),
        read=_published(benchmarks.bbh_questions, benchmarks.bbh_examples),
    ),
    ScopeKind(
        "pool",
        "pool:FILE.toml | pool:FOLDER",
        "pool:pool.toml",
        "several scopes as one, without some tasks and long questions; for a folder with mmlu and bbh, the 79 tasks of the "
        "paper",
        read=lambda position: ParsedQuestions(pool_questions(expanded(position), lambda name: _listed(name).questions)),
    ),
    ScopeKind(
        "file",
        "file:FILE[?match=RULE&shots=N&question=COLUMN&options=COLUMN&answer=COLUMN&first=N&after=MARK&closed=yes&sheet=NAME]",
        "file:questions.jsonl",
        "your own questions, from JSON, JSON Lines, CSV, TSV (also .gz), Parquet, Arrow, .xlsx: question, answer, options",
        options=("match", "shots", "sheet", *OPTIONS),
        read=lambda position, match=None, shots=None, sheet="", **names: _with_shots(
            read_question_file(expanded(position), match=match, names=ColumnNames(**names), sheet=sheet), shots
        ),
    ),
    ScopeKind(
        "hf",
        "hf:OWNER/NAME@COMMIT[#SPLIT][?config=NAME&match=RULE&question=COLUMN&options=COLUMN&answer=COLUMN&first=N&after=MARK]",
        "hf:openai/gsm8k@COMMIT#test?config=main",
        "a split of a data set of a Hugging Face hub, at a commit, with the meaning of its columns",
        options=("config", "match", *OPTIONS),
        read=lambda position, match=None, config="", **names: read_hub(
            position, match=match, config=config, names=ColumnNames(**names)
        ),
    ),
)
BUILT_IN: Final = tuple(kind.prefix for kind in KINDS if kind.generator is not None or kind.material)
"""Scopes that need no file."""


class Frame(Protocol):
    """A data frame of pandas."""

    def to_dict(self, orient: Literal["records"], /) -> Any: ...


class OtherFrame(Protocol):
    """A data frame of polars."""

    def to_dicts(self) -> Any: ...


def open_scope(
    source: str | Path | Sequence[Mapping[str, Any]] | Frame | OtherFrame,
    *,
    name: str = "rows",
    zero_is_unacceptable: bool = False,
) -> EndlessScope | ListedScope:
    """The scope of that name, of a file, or of rows; with `zero_is_unacceptable`, every score of 0 counts as unacceptable.

    Parameters
    ----------
    source: a name as on the command line (`viva list scopes` lists them); a file of questions as a `Path`; or the questions
        themselves, a list of dicts or a data frame with the columns of such a file (`question_file`).
    name: for rows, which have none; the record of attempts identifies them by it and by their digest.

    Raises `UnknownName` (with the nearest ones), `BadInput` and `BadFile`.

    >>> open_scope([{"question": "Capital of Italy?", "answer": "Rome"}], name="capitals").population
    1

    >>> open_scope("arithmetic?digits=2&operations=+-").population is None
    True
    >>> open_scope("arithmatic")
    Traceback (most recent call last):
    vivavoce.errors.UnknownName: there is no scope 'arithmatic'; did you mean 'arithmetic'? There are: ...
    """
    if isinstance(source, Path):
        source = f"file:{source}"
    if not isinstance(source, str):
        return _of_read(name, row_questions(_rows(source)), zero_is_unacceptable)
    return _named(source, zero_is_unacceptable)


def _rows(source: Any) -> list[Mapping[str, Any]]:
    """Rows as they are, or those of a data frame."""
    if hasattr(source, "to_dicts"):
        return list(source.to_dicts())
    if hasattr(source, "to_dict"):
        return list(source.to_dict("records"))
    rows = list(source)
    if not all(isinstance(row, Mapping) for row in rows):
        raise BadInput("rows of a scope are dicts with a 'question' and an 'answer', or a data frame with such columns")
    return rows


def _named(name: str, zero_is_unacceptable: bool) -> EndlessScope | ListedScope:
    prefix = re.split("[:?]", name, maxsplit=1)[0]
    if prefix.removesuffix(".gz").endswith(FORMATS):
        absent = "" if isfile(name.partition("?")[0]) else ", and there is no such file here"
        raise BadInput(f"'{name[:200]}' has no kind of scope{absent}; did you mean 'file:{name[:200]}'?")
    if is_task(name):
        raise BadInput(
            f"'{name[:200]}' is a task of Inspect, which 'viva certify', 'compare', 'gate' and 'report' run: name a scope"
        )
    if prefix == MATERIAL.removesuffix(":"):
        raise BadInput(f"'{name[:200]}' is built-in material, not a scope: its scope is 'obvious'")
    choose("scope", prefix, [kind.prefix for kind in KINDS])
    kind = next(kind for kind in KINDS if kind.prefix == prefix)
    rest = name[len(prefix) :]
    if kind.material:
        if rest:
            raise BadInput(f"'{name[:200]}' has no options: write {kind.form}")
        return _of_read(name, read_question_file(expanded(kind.material)), zero_is_unacceptable)
    if kind.read:
        if not rest.startswith(":") or len(rest) == 1:
            raise BadInput(f"'{name}' lacks a file: write {kind.form}, such as {kind.example}")
        where, behind = parted_options(rest[1:])
        return _of_read(name, kind.read(where, **_options(behind, kind)), zero_is_unacceptable)
    assert kind.generator
    if rest and not rest.startswith("?"):
        raise BadInput(f"'{name}' is not a scope: write {kind.form}, such as {kind.example}")
    return kind.generator(name, **_options(rest[1:], kind), zero_is_unacceptable=zero_is_unacceptable)


def _of_read(name: str, read: ParsedQuestions, zero_is_unacceptable: bool) -> ListedScope:
    return ListedScope(name, read.questions, zero_is_unacceptable, read.examples, True, read.ignored, read.notes)


def _with_shots(read: ParsedQuestions, shots: str | None) -> ParsedQuestions:
    """The scope with the requested number of worked examples; none if the option is left out."""
    if shots is None:
        return read._replace(examples=())
    if not re.fullmatch(r"\d{1,3}", shots) or not 1 <= int(shots) <= MOST_SHOTS:
        raise BadInput(f"shots={shots[:40]}: must be a number from 1 to {MOST_SHOTS}")
    return read._replace(examples=_chosen(read.examples, int(shots), read.questions))


def _listed(name: str) -> ListedScope:
    """A scope that is a list of questions; raises `BadInput` for an endless one."""
    opened = _named(name, zero_is_unacceptable=False)
    if not isinstance(opened, ListedScope):
        raise BadInput(f"'{name[:200]}' is endless: a pool combines lists of questions")
    if opened.examples:
        raise BadInput(f"'{name[:200]}' has worked examples, but a pool can't have any: leave out its shots=")
    return opened


def _chosen(examples: Iterable[Question], shots: int, asked: tuple[Question, ...]) -> tuple[Question, ...]:
    """The first worked examples of each category in the scope, or those without a category if it has none of its own."""
    there: dict[str, list[Question]] = {}
    for example in examples:
        there.setdefault(example.category, []).append(example)
    used = sorted({question.category if question.category in there else "" for question in asked})
    for name in used:
        if len(there.get(name, ())) < shots:
            where = f"of category '{name[:80]}'" if name else "for questions without examples of their category"
            raise BadInput(f"shots={shots}, but there are {len(there.get(name, ()))} worked examples {where}: ask for fewer")
    return tuple(example for name in used for example in there[name][:shots])


def _options(text: str, kind: ScopeKind) -> dict[str, str]:
    """`a=1&b=2` as a dictionary; "+" stays "+"."""
    result: dict[str, str] = {}
    for item in filter(None, text.split("&")):
        option, _, value = item.partition("=")
        if choose(f"option of {kind.prefix}", option, kind.options) in result:
            raise BadInput(f"{option} is given twice")
        result[option] = unquote(value)
    return result


def bare_scope(name: str) -> str:
    """The name of a scope without the folders of its file.

    >>> bare_scope("inspect-task:evals/sums.py@sums?n=3"), bare_scope("file:data/a.csv?after=//")
    ('inspect-task:sums.py@sums?n=3', 'file:a.csv?after=//')
    >>> bare_scope("mmlu-pro:data/all.jsonl#law/tax"), bare_scope("hf:openai/gsm8k@" + 40 * "0")[:20]
    ('mmlu-pro:all.jsonl#law/tax', 'hf:openai/gsm8k@0000')
    """
    return moved_scope(name, lambda where: Path(where).name)


def moved_scope(name: str, move: Callable[[str], str]) -> str:
    """The name with another path for the scope's file; generated scopes and addresses on a hub have none.

    >>> moved_scope("file:a.csv?after=//", "data/{}".format), moved_scope("arithmetic?digits=2", "data/{}".format)
    ('file:data/a.csv?after=//', 'arithmetic?digits=2')
    """
    if is_task(name):
        return moved_task(name, move)
    whole, _ = parted_options(name)
    kind, _, where = whole.partition(":")
    path, sharp, part = where.partition("#")
    if not path or re.fullmatch(ADDRESS, path):
        return name
    return f"{kind}:{move(path)}{sharp}{part}{name[len(whole) :]}"
