"""Questions that ask the same as an earlier one, found without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from vivavoce.interview.forms.folding import folded, words_of
from vivavoce.interview.forms.written_question import MultipleChoice

ALIKE: Final = 0.7
"""Share of equal word triples from which on two questions with the same right options and numbers ask the same.

Of a question with 12 words in its stem and 8 in each of 4 options, exchanging a word in the middle leaves 0.87 of the triples.
Among all 3,791 pairs of MMLU-Pro questions of one subject with the same right option this finds 87 that are not equal to the
letter; the 40 least alike of them were read, and all are one question in two copies. Between 0.5 and 0.7 every second pair is.
"""


def duplicates(questions: Sequence[tuple[int, MultipleChoice]]) -> dict[int, int]:
    """Number of a question -> number of the first earlier one that asks the same, where there is one.

    Parameters
    ----------
    questions: of one concept, with their numbers, in order.

    >>> tree = MultipleChoice("What is a tree?", ("A graph without cycles", "A plant"), frozenset([0]))
    >>> again = MultipleChoice("what is a Tree", ("a plant.", "a graph without cycles"), frozenset([1]))
    >>> other = MultipleChoice("What is a path?", ("A row of edges", "A way"), frozenset([0]))
    >>> duplicates([(1, tree), (2, other), (4, again)])
    {4: 1}
    """
    seen: list[tuple[int, Gist]] = []
    found = {}
    for number, question in questions:
        gist = Gist(question)
        twin = next((earlier for earlier, other in seen if gist.asks_the_same(other)), None)
        if twin is None:
            seen.append((number, gist))
        else:
            found[number] = twin
    return found


class Gist:
    """What of a question is compared: its words, three in a row, its numbers and its right options."""

    def __init__(self, question: MultipleChoice) -> None:
        options = [folded(option) for option in question.options]
        self.whole = (folded(question.stem), frozenset(options))
        self.right = frozenset(options[place] for place in question.key)
        texts = [question.stem, *question.options]
        self.numbers = Counter(word for text in texts for word in words_of(text) if any(map(str.isdigit, word)))
        self.triples = triples_of(texts)

    def asks_the_same(self, other: Gist) -> bool:
        """Whether both ask the same: equal to the letter, or alike with the same right options and numbers."""
        if self.whole == other.whole:
            return True  # even with another key: then one of the two keys is wrong
        if self.right != other.right or self.numbers != other.numbers:
            return False
        return len(self.triples & other.triples) >= ALIKE * len(self.triples | other.triples)


def triples_of(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
    """Three words in a row, the edges of a text counting as words."""
    rows = (("", *words_of(text), "") for text in texts)
    return frozenset(row[place : place + 3] for row in rows for place in range(max(1, len(row) - 2)))
