"""How much an interview may cost, or several together, and what it has cost."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Literal, Protocol

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Usage

Limit = Literal["", "questions", "tokens", "money"]


class Limits(Protocol):
    """What says when an interview must end."""

    @property
    def by_answers(self) -> bool:
        """Whether answers decide after which question that is, and so how many were drawn ahead of them."""
        ...

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        """Which limit leaves no room for a further question; empty where there is room."""
        ...


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits over all answers that an interview used, recorded ones included: a resumed run stops where it would have anyway.

    Questions are counted before they are asked, so their limit is kept to the letter. What an answer costs is known only when
    it is there, so tokens and money may be overrun by what was in flight when they ran out.

    >>> Budget(tokens=100).reached(questions=3, usage=Usage(tokens_in=60, tokens_out=40))
    'tokens'
    """

    questions: int | None = None
    tokens: int | None = None
    """In both directions."""
    money: float | None = None
    """In the currency of the candidate's prices."""

    def __post_init__(self) -> None:
        for name in ("questions", "tokens", "money"):
            limit = getattr(self, name)
            if limit is not None and not limit >= 0:
                raise BadInput(f"a budget of {limit} {name} is impossible: it must be 0 or more")

    @property
    def by_answers(self) -> bool:
        """Whether there is a limit on what they cost."""
        return self.tokens is not None or self.money is not None

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        """Which limit leaves no room for a further question; empty where there is room."""
        if self.questions is not None and questions >= self.questions:
            return "questions"
        if self.tokens is not None and usage.tokens >= self.tokens:
            return "tokens"
        if self.money is not None and usage.money >= self.money:
            return "money"
        return ""


@dataclass(frozen=True, slots=True)
class Ended:
    """That a limit ended the questions, and after how many; as limits of its own it ends them there again.

    >>> ended = Ended("tokens", 37)
    >>> ended.reached(questions=36, usage=Usage()), ended.reached(questions=37, usage=Usage())
    ('', 'tokens')
    """

    limit: Limit
    questions: int

    @property
    def by_answers(self) -> bool:
        """It is a matter of their number alone."""
        return False

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        """The limit after this many questions, whatever they cost."""
        return self.limit if questions >= self.questions else ""


class SharedBudget:
    """One budget for several interviews, as where one candidate writes what another answers.

    >>> shared = SharedBudget(Budget(tokens=100))
    >>> writer, answerer = shared.share(), shared.share()
    >>> writer.reached(questions=1, usage=Usage(tokens_in=60)), answerer.reached(questions=1, usage=Usage(tokens_in=40))
    ('', 'tokens')
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._shares: list[_Share] = []

    def share(self) -> Limits:
        """The limits for one more interview: what the others have used counts, too."""
        self._shares.append(_Share(self))
        return self._shares[-1]

    def _reached(self) -> Limit:
        if self._budget == Budget():
            return ""  # without a limit there is nothing to add up after every answer
        usage = sum((share.usage for share in self._shares), Usage())
        return self._budget.reached(questions=sum(share.questions for share in self._shares), usage=usage)


class _Share:
    """What one interview has used of a shared budget."""

    def __init__(self, shared_budget: SharedBudget) -> None:
        self._shared_budget = shared_budget
        self.questions = 0
        self.usage = Usage()

    @property
    def by_answers(self) -> bool:
        return self._shared_budget._budget != Budget()  # what others draw meanwhile counts, too

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        self.questions, self.usage = questions, usage
        return self._shared_budget._reached()


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
