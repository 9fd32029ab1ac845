"""The result of one candidate's examination: figures, question quality and example questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from vivavoce.eqt.grounding import LocatedFailures
from vivavoce.eqt.record import Concept, EqtConfig, EqtRole, ParsedAnswer, ParseOutcome, QuestionRecord
from vivavoce.formats.interval import Estimate
from vivavoce.formats.json_values import to_json, values_by_key
from vivavoce.interview.forms.repeated_answers import RepeatedAnswer
from vivavoce.interview.forms.several_options import Choice, letters
from vivavoce.interview.scope import Signature

KIND: Final = "eqt"
"""The name of the examination and of its JSON document."""


@dataclass(frozen=True, slots=True)
class PromptExampleCounts:
    """How often an answer, and a key, equals the example in the printed prompt."""

    answers: int
    of_answers: int
    """Number of parsed answers."""
    keys: int
    of_keys: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one examination, category or concept.

    Intervals have level 95% and are clustered by concept. With one concept they are clustered by question, and generalize only
    to other questions on it. With too little evidence, an interval is the whole possible range. A value without observations is
    None.
    """

    name: str
    """The category or concept; empty for the whole."""
    concepts: int
    """Number of concepts with at least one question."""
    questions: int
    """Number of written questions."""
    closed: Estimate
    """Share of closed-book answers that are exactly the key, over originals and paraphrases.

    Unparsed replies count against this figure and the next four, down to the gap: see `highest`. Questions that were never
    asked do not count; they are in `not_asked`.
    """
    closed_originals: Estimate
    """The same for originals alone."""
    partial: Estimate
    """Partial credit for both: options chosen and right, over options chosen or right (Jaccard)."""
    open_book: Estimate
    """Share of originals answered exactly, with the explanation."""
    gap: Estimate
    """The comprehension gap: open-book minus closed-book accuracy, paired by question, over originals asked both ways."""
    acs: Estimate
    """Mean answer consistency as printed in the paper: 1 - (distinct answers - 1) / answers; its minimum is 1 / answers.

    Covers questions asked in at least two wordings, since consistency needs two answers.
    """
    acs_rescaled: Estimate
    """Mean of 1 - (distinct answers - 1) / (answers - 1), whose minimum is 0."""
    unreadable: Estimate
    """Share of closed-book answers that are unparsed or missing."""
    highest: Mapping[str, float] = field(default_factory=dict)
    """Maps the name of a figure to its value if all unparsed replies counted in its favour.

    The figure itself counts them against it, so the actual value lies between the two, and the interval covers both. Figures
    that do not depend on unparsed replies are omitted.
    """


@dataclass(frozen=True, slots=True)
class Validity:
    """Question quality: counts of questions and paraphrases by fault."""

    wanted: int
    written: int
    parses: Mapping[ParseOutcome, int]
    """Number of the writer's replies, by how they were parsed."""
    not_written: Mapping[str, int]
    """Number of missing questions, by reason."""
    pointing: int
    """Questions whose words refer to a text."""
    not_self_contained: int
    """Questions that the checker rejects as not self-contained."""
    duplicates: int
    key_checked: int
    key_failed: int
    """Keys that the checker, with the explanation, does not reproduce; unparsed checks do not count."""
    key_unreadable: int
    paraphrases_wanted: int
    paraphrases_made: int
    paraphrases_changed: int
    """Paraphrases that, according to the checker, mean something else."""
    paraphrases_unchecked: int
    not_paraphrased: Mapping[str, int]
    """Number of missing paraphrases, by reason."""
    valid: int
    """Questions without a fault: self-contained, not duplicates, and with a reproduced key.

    Without checks (`EqtConfig.checks`): questions without a detected fault.
    """


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """One question with all answers to it, for readers."""

    concept: Concept
    explanation: str
    item: QuestionRecord
    why: str
    """What it shows: `answered with the explanation, not without it`, `another answer to each wording`, ..."""


@dataclass(frozen=True, slots=True)
class EqtResult:
    """The result of one candidate."""

    candidate: str
    """The name of the answerer."""
    roles: Mapping[EqtRole, str]
    config: EqtConfig
    whole: Figures
    valid: Figures
    """Figures for valid questions alone, and for paraphrases that keep the meaning."""
    categories: tuple[Figures, ...]
    concepts: tuple[Figures, ...]
    validity: Validity
    parses: Mapping[ParseOutcome, int]
    """How closed-book answers were parsed."""
    after_turn: int
    """Number of closed-book answers that come from a follow-up that asked only for the final answer."""
    pattern: RepeatedAnswer[Choice] | None
    """The most frequent closed-book answer, and how often the keys have it; None without parsed answers."""
    of_one_pattern: Mapping[str, Figures]
    """The figures withheld from `whole` and `valid` because one answer prevails; otherwise empty."""
    unread: Mapping[str, int]
    """Number of unparsed or missing closed-book answers, by reason."""
    not_asked: int
    """Number of wordings that the budget did not cover."""
    no_explanation: Mapping[str, int]
    """Number of concepts without an explanation, by reason."""
    examples: tuple[ExampleQuestion, ...]
    planned: int
    completed: int
    calls: int
    tokens_in: int
    tokens_out: int
    money: float
    exhausted: str
    visitors: Mapping[str, Estimate]
    """Maps a visitor to its closed-book accuracy on the originals (cross-examination)."""
    ahead: Mapping[str, Estimate]
    """Maps a visitor to its accuracy minus the candidate's, paired by question."""
    signature: Signature
    asking: tuple[str, ...] = ()
    answered: Mapping[str, Mapping[tuple[str, int], ParsedAnswer]] = field(default_factory=dict, repr=False)
    grounding: LocatedFailures | None = None
    """Failures located with the user's sources; None without sources."""
    prompt_examples: PromptExampleCounts | None = None
    """How often answers repeat the example of the printed prompts; None with our own prompts."""
    cut_explanations: int = 0
    """Number of explanations that a token limit cut off."""
    other_options: int = 0
    """Number of questions with more or fewer options than requested."""

    json_keys = (
        "candidate roles config whole valid categories concepts validity parses after_turn pattern=pattern_values "
        "of_one_pattern unread not_asked no_explanation planned completed calls tokens_in tokens_out money exhausted "
        "visitors ahead grounding=grounding_values prompt_examples cut_explanations other_options "
        "signature=signature.line"
    )

    @property
    def pattern_values(self) -> dict[str, Any] | None:
        """The most frequent answer as JSON values."""
        return pattern_as_json(self.pattern)

    @property
    def grounding_values(self) -> dict[str, Any] | None:
        """The failures located with the sources, as JSON values."""
        if (grounding := self.grounding) is None:
            return None
        return {**to_json(grounding), "checker": pattern_as_json(grounding.checker)}

    @property
    def explains_itself(self) -> bool:
        """Whether the candidate answers questions on its own explanations."""
        return self.roles.get("explainer", self.candidate) == self.candidate

    @property
    def measured(self) -> bool:
        """Whether there is any question."""
        return self.whole.questions > 0


def pattern_as_json(pattern: RepeatedAnswer[Choice] | None) -> dict[str, Any] | None:
    """The most frequent answer as JSON values."""
    return None if pattern is None else {"answer": letters(pattern.value), **values_by_key(pattern)}
