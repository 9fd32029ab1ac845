"""Budgets of one or more interviews, and their spending."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from vivavoce.errors import BadInput
from vivavoce.interview.candidate import Usage

if TYPE_CHECKING:
    from vivavoce.interview.results import AnswerEvent

Limit = Literal["", "questions", "tokens", "money"]


class Limits(Protocol):
    """A rule for when an interview must end."""

    @property
    def by_answers(self) -> bool:
        """Whether the end depends on the answers, and so on how many questions were drawn ahead of them."""
        ...

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        """The limit that rules out a further question; empty if there is room."""
        ...


@runtime_checkable
class HearsAnswers(Protocol):
    """Limits that depend on the content of answers."""

    def heard(self, event: AnswerEvent) -> None:
        """Note an answer that the interview returned."""
        ...


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits over all answers that an interview used, recorded ones included, so that a resumed run stops at the same question.

    Questions are counted before they are asked, so their limit is exact. The cost of an answer is known only when it arrives,
    so questions in flight may overrun the limits on tokens and money.

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
        """Whether tokens or money are limited."""
        return self.tokens is not None or self.money is not None

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        """The limit that rules out a further question; empty if there is room."""
        if self.questions is not None and questions >= self.questions:
            return "questions"
        if self.tokens is not None and usage.tokens >= self.tokens:
            return "tokens"
        if self.money is not None and usage.money >= self.money:
            return "money"
        return ""


@dataclass(frozen=True, slots=True)
class BudgetEnd:
    """The limit that ended an interview, and after how many questions; used as limits, it ends another one there.

    >>> ended = BudgetEnd("tokens", 37)
    >>> ended.reached(questions=36, usage=Usage()), ended.reached(questions=37, usage=Usage())
    ('', 'tokens')
    """

    limit: Limit
    questions: int

    @property
    def by_answers(self) -> bool:
        """False: only the number of questions counts."""
        return False

    def reached(self, *, questions: int, usage: Usage) -> Limit:
        """The limit, after this many questions at any cost."""
        return self.limit if questions >= self.questions else ""


class SharedBudget:
    """One budget for several interviews, e.g. if one candidate writes the questions that another answers.

    >>> shared = SharedBudget(Budget(tokens=100))
    >>> writer, answerer = shared.share(), shared.share()
    >>> writer.reached(questions=1, usage=Usage(tokens_in=60)), answerer.reached(questions=1, usage=Usage(tokens_in=40))
    ('', 'tokens')
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._shares: list[_Share] = []

    def share(self) -> Limits:
        """The limits for one more interview, reduced by the spending of the others."""
        self._shares.append(_Share(self))
        return self._shares[-1]

    def _reached(self) -> Limit:
        if self._budget == Budget():
            return ""  # without a limit, nothing needs adding up
        usage = sum((share.usage for share in self._shares), Usage())
        return self._budget.reached(questions=sum(share.questions for share in self._shares), usage=usage)


class _Share:
    """The part of a shared budget that one interview has used."""

    def __init__(self, shared_budget: SharedBudget) -> None:
        self._shared_budget = shared_budget
        self.questions = 0
        self.usage = Usage()

    @property
    def by_answers(self) -> bool:
        return self._shared_budget._budget != Budget()  # questions that others draw meanwhile count as well

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
