"""Compares two JSON documents field by field (numbers exactly, parts without figures separately), and reports the result."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from math import isclose
from typing import Any, Final, Literal

from vivavoce.certificate.claims.claim import brief
from vivavoce.certificate.claims.many_scopes import BLOCKS, IN_FLIGHT
from vivavoce.errors import BadInput
from vivavoce.examination.part import without_folders
from vivavoce.formats.wording import capital, clipped, name_of, numbered
from vivavoce.interview.budget import BudgetEnd, Limit
from vivavoce.studies.scope_studies import RECHECKED_COMMANDS

What = Literal[
    "certificate",
    "report",
    "comparison",
    "gate",
    "finding of a study",
    "comparison by plan",
]
SHOWN: Final = 200
"""Most characters shown of a value that differs."""


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """One field that differs from the record.

    >>> print(FieldDifference("score.mean", "0.9", "0.7"))
    score.mean: the document says 0.9, the record 0.7
    """

    path: str
    """Its path in the document, such as `scopes[0].score.mean`."""
    said: str
    """The document's value, as JSON; empty if it lacks the field."""
    found: str
    """The record's value, as JSON; empty if it has none. In words for differences that are not a field."""

    def __str__(self) -> str:
        words, name = (clipped(text, SHOWN) or "nothing" for text in (self.said, self.found))
        return f"{clipped(self.path, SHOWN)}: the document says {words}, the record {name}"


@dataclass(frozen=True, slots=True)
class RecheckFinding:
    """The result of a recheck.

    >>> found = RecheckFinding("certificate", "bot:x", 12, (), (), ())
    >>> found.same, found.statement
    (True, 'The same: each verdict, interval and figure of the certificate of bot:x is reproduced from the record.')
    """

    what: What
    candidate: str
    records: int
    """Number of answers that the document rests on, including all earlier ones."""
    differences: tuple[FieldDifference, ...]
    not_rechecked: tuple[str, ...]
    """Parts that could not be reproduced, and why, one sentence each."""
    caveats: tuple[str, ...]
    """Parts that were not rechecked, and limits of a recheck, one sentence each."""
    called: str = ""
    """Display name; empty: `candidate`, clipped."""

    json_keys = "recheck=what same statement candidate records differences not_rechecked caveats"

    @property
    def same(self) -> bool:
        """Whether the whole document was reproduced, to the byte."""
        return not (self.differences or self.not_rechecked)

    @property
    def statement(self) -> str:
        """The result in a sentence or two."""
        whose = f"the {self.what} of {self.called or name_of(self.candidate)}"
        if self.differences:
            number = len(self.differences)
            return f"{capital(whose)} differs from the record in {numbered(number, 'place')}."
        if self.not_rechecked:
            rest = " Nothing else differs." if self.what == "report" else ""
            return f"Not all of {whose} could be rechecked: {' '.join(self.not_rechecked)}{rest}"
        return f"The same: each verdict, interval and figure of {whose} is reproduced from the record."


LARGEST: Final = 20_000_000
"""Most characters of a document."""
NO_DOCUMENT: Final = (
    "it can't be rechecked: give what 'viva certify', 'compare', 'gate' or "
    f"'consistency {'|'.join((*RECHECKED_COMMANDS, 'teach'))}' printed with --json, "
    "or a file of 'viva report' or 'viva compare --plan'"
)
ROUNDING: Final = 1e-9
"""Relative difference of a figure that two processors may have, because they add up in different orders, in steps of about
1e-16.
"""
_TINY: Final = 1e-12
"""Values this small are rounding errors of 0."""
HEAD: Final = "transcript_head"
"""Field of a document: COUNT:DIGEST of the record when it was written."""
HEADS: Final = "record_heads"
"""Field of a comparison over several records: the head of each, in the order of the candidates."""
LIMITS: Final[tuple[Limit, ...]] = ("questions", "tokens", "money")
"""The limits of a budget."""
MOST_IN_FLIGHT: Final = 10_000
MOST_BLOCKS: Final = 1_000
_ABSENT: Final = object()
_VERSIONS: Final = ("numpy",)
"""Settings of a signature that say how it was computed, not what."""


def document_of(text: str | bytes) -> dict[str, Any]:
    """A document as JSON values. A repeated key is refused, because two readers could read two documents.

    Raises `BadInput`.

    >>> document_of('{"verdict": "pass", "verdict": "undecided"}')
    Traceback (most recent call last):
    vivavoce.errors.BadInput: it is not a JSON document of viva: 'verdict' occurs twice; give what --json printed
    """

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        values = dict(pairs)
        if len(values) < len(pairs):
            twice = next(name for index, (name, _) in enumerate(pairs) if any(name == other for other, _ in pairs[:index]))
            raise ValueError(f"'{twice[:80]}' occurs twice")
        return values

    def refused(text: str) -> Any:
        raise ValueError(f"{text} is not a JSON number")

    if isinstance(text, bytes) and text.startswith(b"SQLite format 3"):
        raise BadInput("it is a transcript: give the document that --json printed, and the transcript with --transcript")
    if len(text) > LARGEST:
        raise BadInput(f"it is larger than {LARGEST} bytes, so it is not a document of viva")
    try:
        document = json.loads(text, object_pairs_hook=unique, parse_constant=refused)
    except (ValueError, RecursionError) as error:
        raise BadInput(
            f"it is not a JSON document of viva: {' '.join(str(error).split())[:200]}; give what --json printed"
        ) from None
    if not isinstance(document, dict):
        raise BadInput(NO_DOCUMENT)
    return document


def without_run(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document without the keys of the run; heads of records move to their usual place.

    >>> without_run({"verdict": "", "run": {"seconds": 3.1, "transcript_head": "3:ab"}})
    {'verdict': '', 'transcript_head': '3:ab'}
    """
    run = document.get("run")
    rest = {name: value for name, value in document.items() if name != "run"}
    heads = {name: run[name] for name in (HEAD, HEADS) if name in run} if isinstance(run, dict) else {}
    return rest | heads


def differences(written: Mapping[str, Any], computed: Mapping[str, Any]) -> list[FieldDifference]:
    """Every field in which a document differs from the record's result; empty if both are the same JSON.

    Figures that agree to a billionth are equal, because their last digits depend on the processor.

    >>> [str(one) for one in differences({"n": 3, "mean": 0.5}, {"n": 4, "mean": 0.5000000000000001})]
    ['n: the document says 3, the record 4']
    """
    again = _in_digits_of(written, json.loads(json.dumps(computed, allow_nan=False)))
    named = list(_differences(written, again, ""))
    if not named and json.dumps(written) != json.dumps(again):
        return [FieldDifference("", "its fields in another order", "another one")]
    return named


def rounded_otherwise(written: Any, computed: Any) -> int:
    """The number of figures in a document that agree with the record's to a billionth, but not in the last digits.

    >>> rounded_otherwise({"path": [[0.1, 0.5]]}, {"path": [[0.1, 0.5000000000000001]]})
    1
    """
    if isinstance(written, dict) and isinstance(computed, dict):
        return sum(rounded_otherwise(written[name], value) for name, value in computed.items() if name in written)
    if isinstance(written, list) and isinstance(computed, list | tuple):
        return sum(map(rounded_otherwise, written, computed))
    return int(_is_close(written, computed) and written != computed)


def _in_digits_of(items: Any, results: Any) -> Any:
    """The found values, with the last digits of the document's values."""
    if isinstance(items, dict) and isinstance(results, dict):
        return {name: _in_digits_of(items.get(name, _ABSENT), value) for name, value in results.items()}
    if isinstance(items, list) and isinstance(results, list):
        return [_in_digits_of(entry, value) for entry, value in zip_longest(items[: len(results)], results)]
    return items if _is_close(items, results) else results


def _is_close(entry: object, value: object) -> bool:
    return isinstance(entry, float) and isinstance(value, float) and isclose(entry, value, rel_tol=ROUNDING, abs_tol=_TINY)


def _differences(document: Any, results: Any, path: str) -> Iterator[FieldDifference]:
    if isinstance(document, dict) and isinstance(results, dict):
        for name in dict.fromkeys((*document, *results)):
            yield from _differences(document.get(name, _ABSENT), results.get(name, _ABSENT), f"{path}.{name}" if path else name)
    elif isinstance(document, list) and isinstance(results, list):
        for index in range(max(len(document), len(results))):
            value, other = (values[index] if index < len(values) else _ABSENT for values in (document, results))
            yield from _differences(value, other, f"{path}[{index}]")
    elif type(document) is not type(results) or document != results:
        yield FieldDifference(path, _shown(document), _shown(results))


def _shown(value: Any) -> str:
    return "" if value is _ABSENT else json.dumps(value, ensure_ascii=False)


def settings_of(line: object) -> dict[str, Any]:
    """The settings at the end of a signature's line; empty without any.

    >>> settings_of('vivavoce 0.1.0 · certificate · bot:x · {"delta": 0.05}')
    {'delta': 0.05}
    """
    return _parted(line)[1]


def examined_by(line: object) -> tuple[str, str, str]:
    """The examination, the title of its scope, and the beginning of the scope's digest, from a signature's line; empty if
    absent.

    >>> examined_by('vivavoce 0.1.0 · sycophancy · bot:x · sums · scope abababababab · seed 0 · {"questions": 9}')
    ('sycophancy', 'sums', 'abababababab')
    """
    before, settings = _parted(line)
    parts = before.split(" · ")
    if not settings or len(parts) < 6 or not parts[-2].startswith("scope "):
        return "", "", ""
    return parts[1], parts[-3], parts[-2].removeprefix("scope ")


def in_flight(settings: Mapping[str, Any]) -> int | None:
    """Number of questions in flight by a signature's settings; None: the default.

    >>> in_flight(settings_of('vivavoce 0.1.0 · certificates · {"in_flight": 2}'))
    2
    """
    number = settings.get(IN_FLIGHT)
    return number if type(number) is int and 1 <= number <= MOST_IN_FLIGHT else None


def blocks_drawn(settings: Mapping[str, Any]) -> list[tuple[int, int]] | None:
    """The times at which blocks were drawn, by a signature's settings; None unless questions were asked by batch.

    >>> blocks_drawn({"blocks": [[0, 40], [38, 50]]})
    [(0, 40), (38, 50)]
    """
    given = settings.get(BLOCKS)
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_BLOCKS:
        return None
    pairs = [
        tuple(results) for results in given if isinstance(results, list) and [type(number) for number in results] == [int, int]
    ]
    return pairs if len(pairs) == len(given) else None


def budget_end(value: object) -> BudgetEnd | None:
    """The limit of the budget that a document names; None for a value that none of our documents has.

    >>> budget_end({"limit": "questions", "questions": 12}), budget_end({"limit": "time", "questions": 12})
    (BudgetEnd(limit='questions', questions=12), None)
    """
    if not isinstance(value, dict) or value.get("limit") not in LIMITS or type(value.get("questions")) is not int:
        return None
    return BudgetEnd(value["limit"], value["questions"])


def with_versions(line: object, again: str) -> str:
    """A recomputed signature's line with the versions of the program and of numpy that the first one names.

    >>> with_versions('vivavoce 9 · certificate · {"numpy": "1"}', 'vivavoce 0.1.0 · certificate · {"numpy": "2.4"}')
    'vivavoce 9 · certificate · {"numpy": "1"}'
    """
    before, settings = _parted(line)
    now, own = _parted(again)
    if not settings or not own:
        return again
    version, rest = before.partition(" · ")[0], now.partition(" · ")[2]
    if not version.startswith("vivavoce ") or len(version) > 40:
        return again
    own |= {name: settings[name] for name in _VERSIONS if name in settings and name in own}
    return f"{version} · {rest} · {json.dumps(own, sort_keys=True)}"


def versions_of(document: Any) -> frozenset[str]:
    """The versions of the program and of numpy that the signatures of a document name.

    >>> sorted(versions_of({"cards": [{"signature": 'vivavoce 0.1.0 · eqt · {"numpy": "2.4"}'}]}))
    ['numpy 2.4', 'vivavoce 0.1.0']
    """
    if isinstance(document, list):
        return frozenset[str]().union(*map(versions_of, document))
    if not isinstance(document, dict):
        return frozenset()
    texts = [versions_of(value) for value in document.values()]
    line = document.get("signature")
    if isinstance(line, str):
        before, settings = _parted(line)
        named = [f"{name} {str(settings[name])[:40]}" for name in _VERSIONS if name in settings]
        texts.append(frozenset([before.partition(" · ")[0][:40], *named]))
    return frozenset[str]().union(*texts)


def _parted(line: object) -> tuple[str, dict[str, Any]]:
    """A signature's line divided into the part before the settings, and the settings; names may contain text that looks like
    settings."""
    text = line if isinstance(line, str) else ""
    index = text.find(" · {")
    while index >= 0:
        try:
            document = json.loads(text[index + 3 :])
        except (ValueError, RecursionError):
            index = text.find(" · {", index + 1)
        else:
            return text[:index], document
    return text, {}


def as_written(written: object, computed: Any) -> Any:
    """The record's result, with the document's values for what no record has.

    These are the folders of files in names of scopes and in commands, the versions in a signature, and the kernel features that
    isolated programs.

    >>> as_written({"scope": "file:/home/me/sums.csv"}, {"scope": "file:sums.csv", "n": 3})
    {'scope': 'file:/home/me/sums.csv', 'n': 3}
    """
    if isinstance(computed, dict):
        known = written if isinstance(written, dict) else {}
        return {name: _written(name, known.get(name), value) for name, value in computed.items()}
    if isinstance(computed, list | tuple):
        values = written if isinstance(written, list) else []
        return [as_written(entry, value) for entry, value in zip_longest(values[: len(computed)], computed)]
    return computed


def _written(name: str, value: object, text: Any) -> Any:
    if isinstance(value, str) and isinstance(text, str):
        if name == "signature":
            return with_versions(value, text)
        if name == "sandbox":
            return value
        if (name == "scope" and brief(value) == brief(text)) or (name == "command" and _bare(value) == _bare(text)):
            return value
    return as_written(value, text)


def _bare(command: str) -> list[str]:
    try:
        return [without_folders(word) for word in shlex.split(command)]
    except ValueError:
        return [command]
