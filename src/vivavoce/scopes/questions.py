"""A question with its options or accepted answers, its prompt, and its unacceptable answers."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from string import ascii_uppercase
from typing import Any, Final, Literal

from vivavoce.errors import BadInput
from vivavoce.formats.identity import Identity
from vivavoce.formats.numbers import as_number
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.interview.forms.asked_unit import with_currency
from vivavoce.interview.forms.ending import ADMIT, DONT_KNOW
from vivavoce.interview.forms.form import ReplyForm
from vivavoce.interview.forms.number import Number
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.forms.text import ShortText
from vivavoce.scopes.answer_laws import asked_for
from vivavoce.scopes.free_text import is_unanswerable
from vivavoce.scopes.rules import rule_of

MAX_OPTIONS = len(ascii_uppercase)
LONGEST_RUBRIC = 50_000
"""Most characters: a rubric goes to the judge with every answer."""

Match = Literal["exact", "contains", "number", "regex", "any"]
"""When a free answer is right: `exact`, as a whole; `contains`, at any place of the reply outside a negation; `number`, as a
number; `regex`, if the answer as a whole fits a pattern; `any`, by any of the first three. Each of them decides every reply."""


_CODE = re.compile(r"[-+]?0\d|\+\d{7}")
"""Begins a code such as 0228 or +442079460018, which is a text unless `match` is `number`."""
_LABEL = re.compile(
    r"\b(?:versions?|releases?|sections?|chapters?|clauses?|articles?|figures?|exercises?|builds?|firmware|paragraphs?|appendix"
    r"|scenes?)\b",
    re.IGNORECASE,
)
"""What a number with a point may label: 4.2 and 4.20 differ."""
_OF_PARTS = re.compile(
    r"\b(?:signature|pressure|seasons?|dates?|when|months?|invoice|odds|ratings?|events?|scenes?|verses?|articles?)\b",
    re.IGNORECASE,
)
"""What two numbers with a slash may be, instead of a fraction."""
"""Words of a question for which 3.10 is not 3.1."""
_OPTIONAL: Final = ("rubric", "law", "match", "scores", "exact", "tolerance", "turns", "rule", "system", "earlier", "closed")
"""Fields that are written, and part of the digest, only if they are given."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a scope, with everything needed to ask it and to score the answer.

    >>> from vivavoce.interview.requests import full_prompt
    >>> q = Question("capital/fr", "What is the capital of France?", ("Lyon", "Paris"), ("B",), unacceptable=("A",))
    >>> q.letters
    ('A', 'B')
    >>> print(full_prompt(prompt(q)).text)
    What is the capital of France?
    <BLANKLINE>
    (A) Lyon
    (B) Paris
    <BLANKLINE>
    End your reply with a line that begins with "Answer:" and gives the letter of one option alone.
    """

    id: str
    """Unique in the scope."""
    text: str
    options: tuple[str, ...] = ()
    """Empty: the answer is free, a number or a text."""
    accepted: tuple[str, ...] = ()
    """Letters if there are options, else the right answers."""
    category: str = ""
    weight: float = 1.0
    """Above 0; the probability of being drawn is proportional to it."""
    cluster: str = ""
    """Questions of one cluster (paraphrases, one passage) are drawn together; empty: a cluster of its own."""
    dont_know_score: float = 0.0
    """The score of "I don't know", in [0, 1]."""
    unacceptable: tuple[str, ...] = ()
    """Unacceptable letters or answers, which may include "I don't know"; a wrong answer is not unacceptable as such."""
    plausible: tuple[int, int] | None = None
    """Numbers below the first or above the second are unacceptable; None: no bounds."""
    rubric: str = ""
    """Rubric for a judge or for people; empty if the scope's own rule scores."""
    law: str = ""
    """The law of its cluster, the same for each question (`answer_laws`); empty: none."""

    match: Match | None = None
    """When a free answer is right; None: if an accepted one is asserted (`forms.assertion`), and then some replies can't be
    graded by rule (`free_text`)."""
    scores: tuple[tuple[str, float], ...] = ()
    """Letters or answers with their scores, in [0, 1]; `accepted` ones may be missing here. All others score 0."""

    exact: str = ""
    """The exact value as a fraction, such as `22/7`, if nearby answers are right; empty: only `accepted` counts."""
    tolerance: str = ""
    """The largest distance of a right answer from `exact`, as a fraction."""
    turns: tuple[str, ...] = ()
    """Further turns after the candidate's answer, in order, for conversations."""
    rule: str = ""
    """The rule for a whole reply, as JSON (`rules`); the question is then asked without instructions on the reply. Empty:
    `accepted` and other fields decide."""
    system: str = ""
    """System text before the conversation."""
    closed: tuple[str, ...] = ()
    """All accepted answers in the scope, if no others are possible: any that is not accepted here is wrong."""
    earlier: tuple[tuple[str, str], ...] = ()
    """Messages before the question: pairs of user and assistant."""

    @property
    def letters(self) -> tuple[str, ...]:
        """One capital letter per option."""
        return tuple(ascii_uppercase[: len(self.options)])

    @property
    def numeric(self) -> bool:
        """Whether the answer is a number: without options, all accepted answers are numbers; without accepted ones, by the
        law."""
        return _is_numeric(Identity(self))

    @property
    def form(self) -> ReplyForm[str] | None:
        """The form: how a reply must end and how it is parsed; None if it is open-ended."""
        if self.open_ended or self.rule:
            return None
        if self.options:
            from vivavoce.interview.forms.one_option import OneOption  # its patterns take long to compile

            return OneOption(self.options, dont_know=self.dont_know_offered, question=self.text)
        if self.numeric:
            if asked_for(self.law) == "probability":
                from vivavoce.interview.forms.probability import ProbabilityIfKnown

                return ProbabilityIfKnown(dont_know=self.dont_know_offered)
            return Number(dont_know=self.dont_know_offered, question=with_currency(self.text, self.accepted))
        if self.match in ("exact", "regex"):
            return ShortText(dont_know=self.dont_know_offered)
        others = (*(answer for answer, _ in self.scores), *(r for r in self.unacceptable if not _is_ignorance(r)), *self.closed)
        folded = set(map(fold, self.accepted))
        known = tuple(
            filter(None, (self.accepted, *((other,) for other in dict.fromkeys(others) if fold(other) not in folded)))
        )
        anywhere = self.match is not None
        return ShortText(known, anywhere, dont_know=self.dont_know_offered, question="" if anywhere else self.text)

    @property
    def decided_by_form(self) -> bool:
        """Whether every parsed reply is right or wrong: no free text, or one with the user's own rule."""
        return bool(self.options or self.rule or self.match) or self.numeric or self.judged_by_law

    @property
    def dont_know_offered(self) -> bool:
        """Whether the prompt allows "I don't know": if it earns a score, or is unacceptable.

        Elsewhere the sentence only costs. Of 40 sums of two numbers below 100, a model of .5 billion weights at temperature 0
        had 29 right without it, 27 with "If you do not know, say so.", and 25 with `"Answer: I don't know" is an acceptable
        reply` (each pair by McNemar: p ≥ .12), and never said that it did not know.
        """
        return self.dont_know_score > 0 or any(map(_is_ignorance, self.unacceptable))

    @property
    def unanswerable(self) -> bool:
        """Whether the right answer is that none is known or stated; "I don't know" is then right."""
        return not self.options and is_unanswerable(self.accepted)

    @property
    def judged_by_law(self) -> bool:
        """Whether no right answer is listed, so that an answer can only contradict another one."""
        return bool(self.law) and not self.accepted

    @property
    def open_ended(self) -> bool:
        """Whether no rule can score an answer: no right answer is listed, and a rubric describes good ones."""
        return bool(self.rubric) and not self.accepted

    @property
    def can_be_unacceptable(self) -> bool:
        """Whether an answer can be unacceptable: by the list, by the bounds, or by a grader."""
        return bool(self.unacceptable) or self.plausible is not None or self.open_ended

    @property
    def expected(self) -> str:
        """The right answers in words, with the partial scores.

        >>> Question("1", "Largest?", ("Rome", "Milan", "Oslo"), ("A",), scores=(("A", 1.0), ("B", 0.5))).expected
        'A (B: 0.5)'
        """
        if self.rule:
            return rule_of(self.rule).wanted
        parts = [f"{answer}: {score:g}" for answer, score in self.scores if answer not in self.accepted or score < 1]
        right = " or ".join(self.accepted)
        return f"{right} ({', '.join(parts)})" if parts else right

    @property
    def for_rule(self) -> bool:
        """Whether only a rule grades it, while other questions have a rubric: it has a right answer and no rubric.

        With both, graders grade it, and see the right answer.
        """
        return bool(self.accepted or self.rule) and not self.rubric

    def as_json(self) -> dict[str, Any]:
        """The question as JSON values, without empty fields such as a rubric, a law, a match, scores or a tolerance.

        Written by hand, because the digest of a scope is computed from it, with a digest for `closed`.
        """
        values = {name: getattr(self, name) for name in _FIELDS}
        values["closed"] = _digest(self.closed) if self.closed else ""
        return {name: value for name, value in values.items() if name not in _OPTIONAL or value}


Unit = tuple[Question, ...]
"""Questions that are drawn together: one question, or one cluster."""


def mixed(questions: Sequence[Question]) -> bool:
    """Whether some questions have a rubric, for graders, and others are graded by their rule.

    >>> mixed([Question("1", "2 + 2?", accepted=("4",)), Question("2", "Why?", rubric="10: says why")])
    True
    """
    return any(question.rubric for question in questions) and any(question.for_rule for question in questions)


def give_partial_credit(questions: Sequence[Question]) -> bool:
    """Whether the rules of most of these questions have scores between 0 and 1.

    >>> give_partial_credit([Question("1", "Largest?", ("Rome", "Milan", "Oslo"), ("A",), scores=(("A", 1.0), ("B", 0.5)))])
    True
    """
    return 2 * sum(any(0 < score < 1 for _, score in question.scores) for question in questions) > len(questions)


_FIELDS: Final = tuple(field.name for field in fields(Question))


@lru_cache(maxsize=256)  # asked for by the form, and several times by the rule that scores
def _is_numeric(asked: Identity[Question]) -> bool:
    question = asked.value
    accepted = question.accepted
    of_numbers = asked_for(question.law) != "anything" if question.judged_by_law else _all_numbers(accepted)
    of_numbers = of_numbers and (not question.scores or _all_numbers(tuple(answer for answer, _ in question.scores)))
    if question.options or not of_numbers or question.match is not None:
        return not question.options and of_numbers and question.match == "number"
    is_label = any("." in answer for answer in accepted) and _LABEL.search(question.text)
    of_parts = any("/" in answer for answer in accepted) and _OF_PARTS.search(question.text)
    return not is_label and not of_parts and not any(map(_CODE.match, accepted))


@lru_cache(maxsize=64)
def _digest(answers: tuple[str, ...]) -> str:
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()


@lru_cache(maxsize=4096)
def _all_numbers(answers: tuple[str, ...]) -> bool:
    return bool(answers) and all(as_number(answer) is not None for answer in answers)


def _is_ignorance(answer: str) -> bool:
    return fold(answer) == fold(DONT_KNOW)


def prompt(question: Question, examples: Sequence[Question] = ()) -> Prompt:
    """The prompt: the text with the lettered options and its form, after worked examples as turns.

    Parameters
    ----------
    examples: questions with accepted answers, shown with answers in the form.
    """
    return _prompt(Identity(question), tuple(map(Identity, examples)))


@lru_cache(maxsize=256)  # asked for when a question is drawn, and when its answer is graded
def _prompt(asked: Identity[Question], worked: tuple[Identity[Question], ...]) -> Prompt:
    question, examples = asked.value, [example.value for example in worked]
    shown = (*map(_worked, examples), *(Exchange(asked, replied) for asked, replied in question.earlier))
    if question.open_ended:
        return Prompt(f"{_asked(question)}\n\n{ADMIT}", question.system, question.id, shown=shown)
    return Prompt(_asked(question), question.system, question.id, shown=shown, form=question.form)


def _asked(question: Question) -> str:
    if not question.options:
        return question.text
    options = (f"({letter}) {option}" for letter, option in zip(question.letters, question.options, strict=True))
    return "\n\n".join(filter(None, (question.text, "\n".join(options))))


def _worked(example: Question) -> Exchange:
    if example.form is None or not example.accepted:
        raise BadInput(f"question '{example.id[:80]}' has no answer, so it cannot be shown as an example: leave it out")
    return Exchange(_asked(example), example.form.write(example.accepted[0]))
