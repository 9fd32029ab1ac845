"""Which options a statement such as "A, C", "(A) and (C)" or "A) a graph; C) a tree" names: a set, or in words why none.

Nothing is guessed at. The article "A" is no option; a letter and an option's words behind it have to agree; and a statement
that goes on to name further letters is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_uppercase
from typing import Final

from vivavoce.interview.forms.folding import folded

Choice = frozenset[int]
"""Places of chosen options, from 0; several may be right, and their order means nothing."""
MOST_OPTIONS: Final = 10
STATED: Final = 6_000
"""Characters of a statement that are looked at."""
NONE_NAMED: Final = "no option named"
NONE_CHOSEN: Final = "says that no option is right"
NO_SUCH: Final = "names an option that there is not"
DOUBTFUL: Final = "leaves open which options it means"

_AROUND: Final = " \t\r\n.,;:!*_$\"'“”✓✔✅"
_EMPHASIS = re.compile(r"\*\*|__|`|\\(?:text|boxed|mathrm)?")
_LEAD = re.compile(
    r"(?:(?:both|only|simply|the|options?|choices?|letters?|answers?|statements?)\b[\s:]{1,3}){1,4}(?=[(\[{\"']{0,2}[A-Za-z]\b)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,]{1,3}(?:only|(?:are|is) (?:both |all )?(?:the )?(?:correct|right|true)(?: \w{1,10})?)$", re.IGNORECASE
)
_LINK = re.compile(r"\b(?:and|options?)\b|[;&/+\n]|(?<=[)\]])(?=[(\[])", re.IGNORECASE)
_LETTER = re.compile(r"[(\[{\"']{0,2}([A-Za-z])[)\]}\"'.:]{0,2}", re.ASCII)
_GLUED = re.compile(r"[A-Z]{2,10}")
_COMMENT = re.compile(r"[.!;](?=\s)|,? (?:because|since)\b|\s[-–—]\s|\s?\((?=[a-z]{2})|\n", re.IGNORECASE)
_LABEL = re.compile(
    r"(?:^|[\n,;]|\band\b)[ \t]{0,4}(?:[-*•+][ \t]{1,4})?[*_(\[]{0,3}(?P<letter>[A-Z])(?:[)\].:]|[ \t][-–—])[*_]{0,2}(?=\s|$)"
)
_IN_BRACKETS = re.compile(r"(?<!\w)([A-Z]) ?\(([^()\n]{3,500})\)")
_ALONE = re.compile(r"(?<![\w'’])([A-Z])(?![\w'’])(?!(?<=A)\s{1,2}[a-z])")
_LIST_ITEM = re.compile(r"(?:[-*•+][ \t]{1,4})?[*_(\[]{0,3}[A-Za-z][)\].:][*_]{0,2}(?:\s|$)")
_DENIES = re.compile(r"\b(?:no|not|never|wrong|incorrect|false)\b|n't\b")
_ALL = re.compile(r"all(?: of)?(?: the| these)? (?:above|them|options|answers|choices)", re.IGNORECASE)
_NONE = re.compile(r"(?:none|neither|no (?:option|answer|choice|correct|right)s?)\b", re.IGNORECASE)


def options_named(statement: str, options: Sequence[str]) -> Choice | str:
    """The places of the options that a statement names, or in words why it cannot be read.

    Named is by letters (`A, C`; `(A) and (C)`; `[A, C]`; `AC`), by letters with words (`A) a graph, C) a tree`), by all
    words of one option, or by `all of the above`. What follows as a reason is left out if it names no further letters.

    >>> options = ("A graph", "A tree", "A path", "A cycle")
    >>> [sorted(options_named(said, options)) for said in ("[A, C]", "B) A tree and D) A cycle", "both (A) and (C).", "a path")]
    [[0, 2], [1, 3], [0, 2], [2]]
    >>> for said in ("A graph or a tree", "A, F", "None", "A. Or rather B."):
    ...     print(options_named(said, options))
    no option named
    names an option that there is not
    says that no option is right
    leaves open which options it means
    """
    said = _bare(statement[:STATED])
    by_words = _by_words(said, options)
    by_letters = (
        _all_letters(said, options)
        or _labelled(said, options)
        or _labelled(_IN_BRACKETS.sub(r"\1) \2", said), options)
        or _letters_and_reason(said, options)
    )
    if by_words is not None:
        return DOUBTFUL if isinstance(by_letters, frozenset) and by_letters != by_words else by_words
    if by_letters is not None:
        return by_letters
    if _ALL.fullmatch(said):
        return frozenset(range(len(options)))
    return NONE_CHOSEN if _NONE.match(said) else DOUBTFUL if _ALONE.search(said) else NONE_NAMED


def options_alone(line: str, options: Sequence[str]) -> Choice | None:
    """The options that a line names with nothing else on it: letters, or one option in all its words, or both.

    >>> options_alone("A, C", ("A graph", "A tree", "A path")), options_alone("A) A graph: no", ("A graph", "A tree"))
    (frozenset({0, 2}), None)
    """
    said = _bare(line[:STATED])
    ways = (_by_words(said, options), _all_letters(said, options), options_listed([line[:STATED]], options))
    found = {way for way in ways if isinstance(way, frozenset)}
    return found.pop() if len(found) == 1 else None


def options_listed(lines: Sequence[str], options: Sequence[str]) -> Choice | None:
    """The options that a list consists of, each a letter with all its words; None where it is no such list, or holds all.

    >>> options_listed(["- A) A graph", "- C) A path"], ("A graph", "A tree", "A path"))
    frozenset({0, 2})
    """
    labels = [_LABEL.match(_EMPHASIS.sub("", line).strip()) for line in lines[: len(options)]]
    named = [
        label["letter"]
        for line, label in zip(lines, labels, strict=False)
        if label and _agrees(label.string[label.end() :], label["letter"], options) == "to the word" and label.end() < len(line)
    ]
    if not named or len(named) < len(lines) or len(set(named)) == len(options):
        return None
    chosen = _chosen(named, options)
    return chosen if isinstance(chosen, frozenset) else None


def letters(choice: Choice) -> str:
    """Chosen options by their letters.

    >>> letters(frozenset([2, 0]))
    'A, C'
    """
    return ", ".join(ascii_uppercase[place] for place in sorted(choice))


def statement_from(lines: Sequence[str], number: int, rest: str) -> str:
    """What a marker states: the rest of its line, or else what follows, with the lettered list that goes on below."""
    rest = rest.strip(" \t*_:")
    while not rest and number + 1 < len(lines):
        number += 1
        rest = lines[number].strip()
    return "\n".join([rest, *_listed(lines, number + 1)])[:STATED]


def _bare(statement: str) -> str:
    """A statement without emphasis, brackets around the whole of it, and words that lead up to it or round it off."""
    said = _LEAD.sub("", _EMPHASIS.sub("", statement).strip(_AROUND), count=1)
    for opening, closing in ("[]", "()", "{}"):
        inner = said[1:-1]
        if said[:1] == opening and said[-1:] == closing and opening not in inner and closing not in inner:
            said = inner.strip(_AROUND)
    return _TAIL.sub("", said).strip(_AROUND)


def _by_words(said: str, options: Sequence[str]) -> Choice | None:
    """Where the statement is nothing but the words of an option."""
    words = folded(said)
    found = [place for place, option in enumerate(options) if words and words == folded(option)]
    return frozenset(found) if len(found) == 1 else None


def _all_letters(said: str, options: Sequence[str]) -> Choice | str | None:
    """Where the statement is nothing but letters; None where it is not."""
    if _GLUED.fullmatch(said) and list(said) == sorted(set(said)) and said != "I":
        return _chosen(said, options)
    parts = [part for part in re.split(r"[,\s]+", _LINK.sub(",", said)) if part]
    named = [match[1].upper() for part in parts if (match := _LETTER.fullmatch(part))]
    return _chosen(named, options) if parts and len(named) == len(parts) else None


def _labelled(said: str, options: Sequence[str]) -> Choice | str | None:
    """Where letters stand before words as labels; None where the statement does not begin with one."""
    labels = list(_LABEL.finditer(said))
    if not labels or labels[0].start() > 0:
        return None
    first = labels[0]
    if _agrees(said[first.end() :], first["letter"], options) == "to the word":
        return _chosen(first["letter"], options)  # a comma within the option's own words begins no other label
    ends = [label.start() for label in labels[1:]] + [len(said)]
    manners = [_agrees(said[label.end() : end], label["letter"], options) for label, end in zip(labels, ends, strict=True)]
    chosen = _chosen([label["letter"] for label in labels], options)
    if isinstance(chosen, str):
        return chosen
    if "not" in manners or ("free" in manners and len(labels) > 1):
        return DOUBTFUL
    return chosen if _names_no_others(said, chosen) or set(manners) == {"to the word"} else DOUBTFUL


def _letters_and_reason(said: str, options: Sequence[str]) -> Choice | str | None:
    """Where letters are followed by a reason; None where they are not."""
    comment = _COMMENT.search(said)
    if comment is None:
        return None
    chosen = _all_letters(said[: comment.start()].strip(_AROUND), options)
    if not isinstance(chosen, frozenset):
        return chosen
    return chosen if _names_no_others(said, chosen) else DOUBTFUL


def _agrees(words: str, letter: str, options: Sequence[str]) -> str:
    """How the words behind a label go with the option of that letter: `to the word`, `begins alike`, `free`, or `not`."""
    said = folded(words.strip(_AROUND).removesuffix(" and"))
    place = ascii_uppercase.index(letter)
    if not said or place >= len(options):
        return "to the word"
    own = folded(options[place])
    if said == own:
        return "to the word"
    if f"{said} ".startswith(f"{own} ") and _DENIES.search(said[len(own) :]):
        return "not"
    if f"{said} ".startswith(f"{own} ") or (" " in said and f"{own} ".startswith(f"{said} ")):
        return "begins alike"
    others = (folded(option) for option in options)
    return "not" if any(f"{said} ".startswith(f"{other} ") for other in others) else "free"


def _names_no_others(said: str, chosen: Choice) -> bool:
    return all(ascii_uppercase.index(letter) in chosen for letter in _ALONE.findall(said) if letter != "I")


def _chosen(named: Sequence[str], options: Sequence[str]) -> Choice | str:
    places = frozenset(ascii_uppercase.index(letter) for letter in named)
    return places if max(places) < len(options) else NO_SUCH


def _listed(lines: Sequence[str], start: int) -> Iterator[str]:
    """The lines from here on that are items of a lettered list, up to the first that is none."""
    for line in lines[start:]:
        if not _LIST_ITEM.match(line.strip()):
            return
        yield line.strip()
