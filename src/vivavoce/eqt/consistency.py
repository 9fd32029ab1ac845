"""The Answer Consistency Score: how alike are the answers to the wordings of one question?

Answers are sets of options, so {A, C} and {C, A} are one answer. An answer that could not be read, or did not come, is a value
of its own: all such answers to one question count as one and the same, different from every set of options. To leave them out
would call a candidate consistent that answers one wording in four; to tell them from each other would call one inconsistent
that never answers at all, of which the share of unreadable answers tells.
"""

from __future__ import annotations

from collections.abc import Sequence

from vivavoce.interview.forms.several_options import Choice


def acs(answers: Sequence[Choice | None]) -> float | None:
    """1 - (distinct answers - 1) / answers, as `asgari2025` prints it (equation 1).

    Departure: the paper says that it is 0 where all answers differ. It is 1 / answers then, .25 with a question and three
    paraphrases, and never 0: `acs_rescaled` does what the paper says.

    Parameters
    ----------
    answers: to a question and its paraphrases, in any order; None for one that could not be read. Of none there is no score.

    >>> a, b, c, ac = frozenset([0]), frozenset([1]), frozenset([2]), frozenset([0, 2])
    >>> acs([a, a, a, a]), acs([a, a, a, b]), acs([a, b, c, ac])  # 1, 1 - 1/4, 1 - 3/4
    (1.0, 0.75, 0.25)
    >>> acs([ac, frozenset([2, 0]), None, None])  # two values: the set, and what could not be read
    0.75
    >>> acs([a]), acs([])
    (1.0, None)
    """
    return 1 - (len(set(answers)) - 1) / len(answers) if answers else None


def acs_rescaled(answers: Sequence[Choice | None]) -> float | None:
    """1 - (distinct answers - 1) / (answers - 1): 1 where all are the same, 0 where no two are.

    A single answer can neither agree nor differ: with fewer than two there is no score.

    >>> a, b, c, d = (frozenset([place]) for place in range(4))
    >>> acs_rescaled([a, a, a, a]), acs_rescaled([a, b, c, d]), acs_rescaled([a, b, None])
    (1.0, 0.0, 0.0)
    >>> round(acs_rescaled([a, a, a, b]), 4)  # 1 - 1/3
    0.6667
    >>> acs_rescaled([a]) is None
    True
    """
    return 1 - (len(set(answers)) - 1) / (len(answers) - 1) if len(answers) > 1 else None
