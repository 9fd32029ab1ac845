"""What had been spent after each answer."""

from __future__ import annotations

from array import array

from vivavoce.interview.candidate import Usage


class SpendingHistory:
    """The spending after each answer, in 24 bytes.

    >>> history = SpendingHistory()
    >>> history.append(Usage(10, 5, 0.1))
    >>> history.after(1)
    Usage(tokens_in=10, tokens_out=5, money=0.1)
    """

    def __init__(self) -> None:
        self._tokens_in, self._tokens_out, self._money = array("q"), array("q"), array("d")

    def __len__(self) -> int:
        return len(self._money)

    def append(self, spending: Usage) -> None:
        """The spending after one more answer."""
        self._tokens_in.append(spending.tokens_in)
        self._tokens_out.append(spending.tokens_out)
        self._money.append(spending.money)

    def after(self, answers: int) -> Usage:
        """The spending after so many answers, from 1 up to all of them."""
        return Usage(self._tokens_in[answers - 1], self._tokens_out[answers - 1], self._money[answers - 1])
