"""Questions that a candidate has written, as a scope on which any candidate can be certified.

A question of a scope has one right choice, and one of ours has a set of right options. So the options become numbered
answers, and the choices are sets of them: "1 only", "2 and 3 only", "all of them". Choosing the right set is what counts as
right in this room too, so the score of the scope is closed-book accuracy.

With up to four options every set but the empty one is a choice. With more that would be too many, and to list the right set
among some that resemble it tells which options it holds: they come up most often. Here 15 or 16 sets are listed that keep the
secret, an orthogonal array (`hedayat1999`): over 16 sets each option is in 8 and each two options are in 4, and the sets would
be the same were another of them right. Only the empty set, which never is right, is left out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from string import ascii_uppercase
from typing import Any, Final

import numpy as np

from vivavoce.eqt.questions import Item, Record
from vivavoce.eqt.validity import faults, keeps_meaning
from vivavoce.interview.forms.several_options import Choice
from vivavoce.interview.forms.written_question import MultipleChoice

ALL_SETS: Final = 4
"""Options up to which all sets are listed: 2^4 - 1 = 15."""
_ASK = 'Which of the numbered answers are right? One or several may be; "only" rules out all others.'


def scope_lines(record: Record, *, only_valid: bool = True) -> Iterator[dict[str, Any]]:
    """Each wording of each question as a line of a scope file (`scopes.question_file`).

    Wordings of one question are one cluster, so they are drawn together; each question weighs the same, however many wordings
    it has.

    Parameters
    ----------
    record: with the questions.
    only_valid: leave out questions with a fault, and wordings that mean something else.

    >>> from vivavoce.eqt.config import EqtConfig
    >>> from vivavoce.eqt.questions import Concept, Phrasing, Sitting
    >>> question = MultipleChoice("Which are even?", ("2", "3", "4"), frozenset([0, 2]))
    >>> item = Item(1, "recall", question, "strict", phrasings=(Phrasing("Which are even?", None),))
    >>> sitting = Sitting(Concept("Numbers", "math"), "...", "", (item,))
    >>> record = Record({}, EqtConfig(checks=False), (sitting,), 1, 0, 0, 0, 0.0)
    >>> line = next(scope_lines(record))
    >>> line["options"]
    ['1 only', '2 only', '3 only', '1 and 2 only', '1 and 3 only', '2 and 3 only', 'all of them']
    >>> line["answer"], line["cluster"], line["category"]
    ('E', 'Numbers/1', 'math')
    """
    kept = [
        (sitting.concept, item.number, item.question, _wordings(item, only_valid))
        for sitting in record.sittings
        for item in sitting.items
        if item.question is not None and not (only_valid and faults(item, checked=record.set_up.checks))
    ]
    most = max((len(wordings) for *_, wordings in kept), default=0)
    clusters: set[str] = set()
    for concept, number, question, wordings in kept:
        cluster = f"{concept.name}/{number}"
        while cluster in clusters:  # two concepts may have the same name in two categories
            cluster += f" ({concept.category})"
        clusters.add(cluster)
        for place, stem in wordings:
            yield {
                "id": f"{cluster}/{f'paraphrase {place}' if place else 'original'}",
                "category": concept.category,
                "cluster": cluster,
                "weight": most / len(wordings),
                **_asked(stem, question),
            }


def sets_listed(options: int, key: Choice, rng: np.random.Generator) -> list[Choice]:
    """The sets of options that are given to choose from, the small ones first; the key is among them.

    Parameters
    ----------
    options: how many there are.
    key: those that are right; it does not influence which sets are drawn, but that it is one of them.
    rng: draws the array.

    >>> listed = sets_listed(6, frozenset([0, 3]), np.random.default_rng(0))
    >>> len(listed) in (15, 16), frozenset([0, 3]) in listed
    (True, True)
    """
    if options <= ALL_SETS:
        found = {frozenset(i for i in range(options) if number >> i & 1) for number in range(1 << options)}
    else:
        found = set()
        while len(found) < 1 << ALL_SETS:  # five to seven columns may all lie in one plane: then sets come twice
            columns = (1 + rng.permutation((1 << ALL_SETS) - 1)[:options]).tolist()
            found = {
                key ^ frozenset(i for i, column in enumerate(columns) if (row & column).bit_count() % 2)
                for row in range(1 << ALL_SETS)
            }
    return sorted(found - {frozenset()}, key=lambda chosen: (len(chosen), sorted(chosen)))


def _wordings(item: Item, only_valid: bool) -> list[tuple[int, str]]:
    """Place and text of each wording that there is."""
    return [
        (place, phrasing.stem)
        for place, phrasing in enumerate(item.phrasings)
        if phrasing.stem and phrasing.stem.strip() and (keeps_meaning(phrasing) or not only_valid)
    ]


def _asked(stem: str, question: MultipleChoice) -> dict[str, Any]:
    """Text, choices and the letter of the right one."""
    digest = hashlib.sha256(json.dumps([question.stem, *question.options]).encode()).digest()
    listed = sets_listed(len(question.options), question.key, np.random.default_rng(int.from_bytes(digest)))
    answers = "\n".join(f"{number}. {option}" for number, option in enumerate(question.options, start=1))
    return {
        "question": f"{stem}\n\n{answers}\n\n{_ASK}",
        "options": [_in_words(chosen, len(question.options)) for chosen in listed],
        "answer": ascii_uppercase[listed.index(question.key)],
    }


def _in_words(chosen: Choice, options: int) -> str:
    if len(chosen) == options:
        return "all of them"
    *some, last = (str(place + 1) for place in sorted(chosen))
    return f"{', '.join(some)} and {last} only" if some else f"{last} only"
