"""Cards: what somebody believes of a question after one answer or several, to tell whether these add up by Bayes' rule."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.formats.lines import write_whole
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import counted
from vivavoce.generalization.pairs import LONGEST, Pair, Question
from vivavoce.generalization.tables import flag, number

MOST_ANSWERS: Final = 10
"""On one card."""
_HEAD: Final = ("card", "person", "q2", "source2", "prior", "posterior")


@dataclass(frozen=True, slots=True)
class Seen:
    """A question whose answer is shown."""

    text: str
    source: str
    right: bool
    """Whether the answer was right."""


@dataclass(frozen=True, slots=True)
class Card:
    """A question in mind, the answers that are shown, and what somebody believed before and after.

    >>> shown = (Seen("2 + 2?", "sums", True), Seen("Who wrote Faust?", "books", False))
    >>> Card("1", Question("3 + 4?", "sums"), shown, "ann", prior=0.5, posterior=0.7).asked
    True
    """

    name: str
    """Of the card; its versions with one answer and with all have the same."""
    question: Question
    """Which the belief is about."""
    seen: tuple[Seen, ...]
    person: str = ""
    """Pseudonym of who was asked."""
    prior: float | None = None
    """Belief before, from 0 to 1, that the question is answered right."""
    posterior: float | None = None
    """Belief after all answers on the card."""

    @property
    def asked(self) -> bool:
        """Whether both beliefs are known."""
        return self.prior is not None and self.posterior is not None


def draw_cards(pairs: Iterable[Pair], *, cards: int, answers: int, rng: np.random.Generator) -> list[Card]:
    """Cards of which each stands there with each of its answers alone, and with all of them: `answers` + 1 versions.

    A belief after all answers can be compared with those after each alone only where other people were shown these alone; who
    is shown which version is to be left to chance. Questions in mind are those of `pairs`; so are the answers, which are of the
    same task first, since others move few people.

    Raises `NotEnoughEvidence` where there are too few questions, and `BadInput` for impossible numbers.

    >>> pairs = [Pair(f"{n} + {n}?", f"{n} - {n}?", "sums", "sums", previous_correct=n % 2 == 0) for n in range(5)]
    >>> drawn = draw_cards(pairs, cards=2, answers=3, rng=np.random.default_rng(0))
    >>> [len(card.seen) for card in drawn]
    [1, 1, 1, 3, 1, 1, 1, 3]
    """
    if not 2 <= answers <= MOST_ANSWERS or cards < 1:
        raise BadInput(f"{cards} cards of {answers} answers: there must be a card, and from 2 to {MOST_ANSWERS} answers")
    known = list(pairs)
    shown = list(dict.fromkeys(Seen(pair.q1, pair.source1, pair.previous_correct) for pair in known))
    targets = list(dict.fromkeys(Question(pair.q2, pair.source2) for pair in known))
    drawn: list[Card] = []
    for place in rng.permutation(len(targets)):
        target = targets[place]
        others = [one for one in (shown[other] for other in rng.permutation(len(shown))) if one.text != target.text]
        near = sorted(others, key=lambda one: one.source != target.source)  # stable: the drawn order stays
        seen = tuple({one.text: one for one in reversed(near)}.values())[::-1][:answers]
        if len(seen) == answers:
            name = str(len(drawn) // (answers + 1) + 1)
            drawn += [Card(name, target, (one,)) for one in seen]
            drawn.append(Card(name, target, seen))
        if len(drawn) == cards * (answers + 1):
            return drawn
    found = len(drawn) // (answers + 1)
    raise NotEnoughEvidence(
        f"of {counted(len(known), 'pair')} {counted(found, 'card')} of {answers} answers can be drawn; {cards} were asked for"
    )


def read_cards(file: Path) -> list[Card]:
    """The cards of a CSV file: `card,person,q2,source2,prior,posterior`, then `q1_1,source1_1,previous_correct_1`, `q1_2` ....

    Raises `BadFile`, with the line.
    """
    table = read_table(file, ("card", "q2", "q1_1", "previous_correct_1"))
    cards = []
    for line, row in table.rows:
        try:
            cards.append(_card(row))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not cards:
        raise BadFile(file, "no cards are below its first line")
    return cards


def write_cards(file: Path, cards: Sequence[Card]) -> None:
    """Write cards as `read_cards` reads them."""
    most = max((len(card.seen) for card in cards), default=1)
    names = [f"{name}_{place}" for place in range(1, most + 1) for name in ("q1", "source1", "previous_correct")]
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow([*_HEAD, *names])
    for card in cards:
        beliefs = ["" if belief is None else repr(belief) for belief in (card.prior, card.posterior)]
        cells = [card.name, card.person, card.question.text, card.question.source, *beliefs]
        for one in card.seen:
            cells += [one.text, one.source, str(int(one.right))]
        table.writerow(cells + [""] * (len(_HEAD) + len(names) - len(cells)))
    write_whole(file, out.getvalue())


def answered(card: Card, person: str, prior: float, posterior: float) -> Card:
    """The card with what somebody said."""
    return replace(card, person=person, prior=prior, posterior=posterior)


def _card(cells: dict[str, str]) -> Card:
    seen = []
    for place in range(1, MOST_ANSWERS + 2):
        text = cells.get(f"q1_{place}", "")
        if not text.strip():
            break
        if place > MOST_ANSWERS:
            raise BadInput(f"a card shows more than {MOST_ANSWERS} answers")
        right = flag(cells.get(f"previous_correct_{place}", "").strip(), f"previous_correct_{place}")
        seen.append(Seen(_question(text, f"q1_{place}"), cells.get(f"source1_{place}", "").strip(), right))
    if not seen or not cells["card"].strip():
        raise BadInput(
            "a card has a name in 'card', and shows an answer at least: 'q1_1' is empty" if not seen else "no 'card'"
        )
    if len({one.text for one in seen}) < len(seen):
        raise BadInput("the card shows a question twice")
    beliefs = [_belief(cells, name) for name in ("prior", "posterior")]
    question = Question(_question(cells["q2"], "q2"), cells.get("source2", "").strip())
    return Card(cells["card"].strip()[:200], question, tuple(seen), cells.get("person", "").strip()[:200], *beliefs)


def _question(text: str, name: str) -> str:
    if not text.strip() or len(text) > LONGEST:
        raise BadInput(f"{name} has {len(text)} characters; a question has 1 to {LONGEST}")
    return text


def _belief(cells: dict[str, str], name: str) -> float | None:
    cell = cells.get(name, "").strip()
    if not cell:
        return None
    value = number(cell, name)
    if value > 1:
        raise BadInput(f"{name} is {cell[:40]}: a belief is from 0 to 1")
    return value
