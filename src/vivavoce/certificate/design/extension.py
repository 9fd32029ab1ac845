"""Extends a list of unacceptable answers after answers were seen.

"The ridiculous answers need not be entirely specified in advance, [...] but rather can be presented or expanded post-hoc on an
ongoing basis" (section 6 of `leytonbrown2024`, which gives no procedure). Scoring the
same answers again, by a list made in view of them, is not a test. If you list each wrong answer that you saw, all of them are
unacceptable, although no other question has such an answer. If you pick the list with the fewest matches, the rate is too low
(`tests/validity/test_extended.py`: 1,000 and 184 of 1,000 verdicts are then wrong).

Here an extension begins another attempt (`attempts.attempt`), whose seed is drawn and committed to once the extension is on
record.

Claim. The verdict of attempt k on the extended scope is wrong with probability at most delta_k, whatever the extension is and
however it was chosen; all verdicts on record together, those by the earlier list included, err with at most delta.

Proof. Fix the candidate, and what it would answer to each draw of each question. Given all that was on record when the attempt
began, the extension is fixed, so the score S(q, a) of every answer is, and with it the mean score s and the rate r of the
extended scope. The questions of the attempt are drawn by a seed that is independent of that past. So its test is one of a
fixed null, valid at delta_k at any stopping time. The shares of delta add up to at most delta, whichever list each attempt
used. Answers of the earlier attempts enter no e-value. A question that is drawn again has the same answer as before: the draw
is random, and the table of answers is fixed.

That needs a new seed: an earlier seed draws the same questions again, which the author of the extension has seen. Such a seed
is refused.

Earlier answers are scored again for description alone (`RescoredAttempt`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from vivavoce.certificate.attempts.attempt import AttemptHistory, AttemptTerms, RecordedAttempt
from vivavoce.certificate.attempts.grades_log import read_grades
from vivavoce.errors import BadFile, BadInput, TranscriptDamaged, TranscriptError
from vivavoce.formats.lines import JSON_LINES, ending, json_lines
from vivavoce.formats.tables import read_table
from vivavoce.formats.wording import first_problem
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.commitment import own_entry, own_key, read_document, write_document
from vivavoce.interview.forms.plain import fold
from vivavoce.interview.interview import DrawPlan, Interview
from vivavoce.interview.record import Record, RecordReader, canonical_json, digest_of
from vivavoce.interview.retries import AskSettings
from vivavoce.interview.scope import Scope, unknowable
from vivavoce.scopes.listed_and_endless import EndlessScope, ListedScope
from vivavoce.scopes.question_checks import check_question
from vivavoce.scopes.questions import Question, Unit

TOPIC: Final = "extension"
MOST: Final = 100_000
"""The most rules of one extension."""
LONGEST: Final = 10_000
"""Characters of an answer."""

Seeds = Callable[[Interview[Prompt, Reply], RecordedAttempt], Awaitable[int | None]]
S = TypeVar("S", bound=Scope[Question])


def _as_list(value: Any) -> Any:
    if isinstance(value, str):
        return [part.strip() for part in value.split("|")]
    return value if isinstance(value, list | tuple) else [value]


class ExtensionRule(BaseModel):
    """Answers that are unacceptable from now on: to one question, to those of a category, or to all."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True, str_strip_whitespace=True)

    unacceptable: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=LONGEST)], ...], BeforeValidator(_as_list), Field(min_length=1)
    ]
    """Letters or texts of options, or free answers."""
    id: str = ""
    """Id of one question; empty: all questions."""
    category: str = ""

    def meets(self, question: Question) -> bool:
        """Whether it applies to this question."""
        return self.id in ("", question.id) and self.category in ("", question.category)


@dataclass(frozen=True)
class Extension:
    """Rules in their order.

    >>> more = Extension((ExtensionRule(unacceptable=("Oslo",)),))
    >>> asked = Question("1", "Capital of Italy?", ("Milan", "Rome", "Oslo"), ("B",))
    >>> more.of(asked).unacceptable
    ('C',)
    """

    rules: tuple[ExtensionRule, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.rules) <= MOST:
            raise BadInput(f"an extension can have 1 to {MOST} rules, but this one has {len(self.rules)}")

    @cached_property
    def text(self) -> str:
        """The text on record."""
        return canonical_json([rule.model_dump(exclude_defaults=True) for rule in self.rules])

    @cached_property
    def digest(self) -> str:
        """SHA-256 in hex."""
        return digest_of(self.text)

    @cached_property
    def _by_id(self) -> Mapping[str, tuple[ExtensionRule, ...]]:
        values: dict[str, list[ExtensionRule]] = {}
        for rule in self.rules:
            values.setdefault(rule.id, []).append(rule)
        return {id_: tuple(rules) for id_, rules in values.items()}

    def of(self, question: Question) -> Question:
        """The question with its longer list. Raises `BadInput` for what cannot be unacceptable there."""
        rules = (*self._by_id.get("", ()), *(self._by_id.get(question.id, ()) if question.id else ()))
        new = tuple(name for rule in rules if rule.meets(question) for name in _fitting(rule, question))
        if not new:
            return question
        extended = replace(question, unacceptable=tuple(dict.fromkeys((*question.unacceptable, *new))))
        if extended.dont_know_offered and not question.dont_know_offered:
            raise BadInput(
                f"\"I don't know\" cannot become unacceptable for question '{question.id[:80]}': the prompt offers it, and "
                "another wording is another question"
            )
        try:
            check_question(extended)
        except BadInput as error:
            raise BadInput(f"question '{question.id[:80]}' with the added unacceptable answers: {error}") from None
        return extended

    def scope(self, scope: S) -> S:
        """The scope with this list; its digest is another one. Raises `BadInput` for a rule that matches no question."""
        result: Any = scope
        if isinstance(scope, ListedScope):
            questions = tuple(map(self.of, scope.questions))
            for rule in self.rules:
                if not any(rule.meets(question) and _fitting(rule, question) for question in scope.questions):
                    raise BadInput(f"the extension matches no answer of {scope.name[:200]}: {rule.model_dump_json()[:200]}")
            result = replace(scope, questions=questions)
        elif isinstance(scope, EndlessScope):
            result = self._endless(scope)
        else:
            raise BadInput(f"the list of {scope.name[:200]} can't be extended, because it is not a list of questions")
        return result  # type: ignore[no-any-return]

    def _endless(self, scope: EndlessScope) -> EndlessScope:
        generate, together, listing = scope.generate, scope.together, scope.listing
        words = f"{scope.generator}, also unacceptable {self.digest}"

        def generated(rng: np.random.Generator) -> Question:
            question = generate(rng)
            return question if together is not None else self.of(question)

        def unit(question: Question) -> Unit:
            assert together is not None
            return tuple(map(self.of, together(question)))

        def listed() -> Iterator[tuple[Question, float]]:
            assert listing is not None
            return ((self.of(question), weight) for question, weight in listing())

        return replace(
            scope,
            generator=words,
            generate=generated,
            together=None if together is None else unit,
            listing=None if listing is None else listed,
        )


def _fitting(rule: ExtensionRule, question: Question) -> tuple[str, ...]:
    """The answers of a rule in comparable form; a rule for many questions skips those for which they are right."""
    texts = []
    for answer in rule.unacceptable:
        named = answer
        if question.options and answer not in question.letters:
            letters = [a for a, option in zip(question.letters, question.options, strict=True) if fold(option) == fold(answer)]
            if not letters:
                if rule.id:
                    raise BadInput(f"'{answer[:80]}' is not an option of question '{question.id[:80]}'")
                continue
            named = letters[0]
        if not rule.id and fold(named) in map(fold, question.accepted):
            continue
        texts.append(named)
    return tuple(texts)


def extension_of(file: Path) -> Extension:
    """The extension in a file, JSON Lines, CSV or TSV: `unacceptable`, and `id` or `category` if it is not about all of them.

    Raises `BadFile`.
    """
    formats = (*JSON_LINES, ".csv", ".tsv")
    named = ("id", "category", "unacceptable")
    if ending(file, formats) in JSON_LINES:
        records: Any = json_lines(file)
    else:
        table = read_table(file, sought=named, cut=True)
        records = ((line, {name: cell for name, cell in row.items() if cell.strip()}) for line, row in table.rows)
    rules = []
    for line, record in records:
        try:
            rules.append(ExtensionRule.model_validate(record))
        except ValidationError as error:
            raise BadFile(file, first_problem(error, whole="the rule"), line=line) from None
    if not rules:
        raise BadFile(file, "has no rules: give rows with 'unacceptable', and 'id' or 'category'")
    return Extension(tuple(rules))


@dataclass(frozen=True, slots=True)
class RescoredAttempt:
    """An earlier attempt, scored by its own list and by the extended one; for description only."""

    attempt: int
    """Number of the attempt."""
    answers: int
    unacceptable_before: int
    """Unacceptable answers by the list of that attempt."""
    unacceptable_after: int
    """Unacceptable answers by the extended list."""


@dataclass(frozen=True, slots=True)
class ExtendedList:
    """The extension, and earlier answers scored by it."""

    digest: str
    rules: int
    rescored: tuple[RescoredAttempt, ...] = field(default=())


def check_seed(seed: int | None, terms: AttemptTerms, held: Sequence[RecordedAttempt]) -> None:
    """Raise `BadInput` for the seed of an earlier attempt, whose answers the extension's author may have seen."""
    if seed is None:
        return
    for attempt in held:
        known = attempt.terms.settings["seed"] if attempt.seed is None else attempt.seed.number
        if known == seed and attempt.terms.touches(terms) and attempt.terms.digest != terms.digest:
            raise BadInput(
                f"attempt {attempt.number} drew its questions from seed {seed}, and its answers may have been known to the "
                "extension's author: leave out '--seed', or change it"
            )


async def put_on_record(interview: Interview[Prompt, Reply], extension: Extension) -> None:
    """Write the extension to the transcript, once."""
    await write_document(interview.transcript, extension, name="also unacceptable", topic=TOPIC, clock=interview.clock)


def extension_on_record(transcript: RecordReader, digest: str) -> Extension:
    """The extension with that digest. Raises `NotOnRecord`, and `TranscriptDamaged` for an entry that holds another one."""
    missing = f"the extension {digest[:12]} of the list of unacceptable answers is not on record"
    return read_document(transcript, digest, _parsed, name="also unacceptable", missing=missing, what="extension")


def _parsed(text: str) -> Extension:
    return Extension(tuple(map(ExtensionRule.model_validate, json.loads(text))))


async def rescore(
    interview: Interview[Prompt, Reply], extension: Extension, scope: Scope[Question], attempt: AttemptHistory, seeds: Seeds
) -> None:
    """Record, once, earlier attempts' answers scored by the extension, as far as they can be found.

    These are attempts by the scope's rule, drawn as the scope draws, with one answer to each question.

    seeds: tells the seed of an attempt, which need not be revealed; None if it is gone.
    """
    question = _rescored_question(extension, attempt)
    if interview.transcript.find_all([own_key(question)])[0] is not None:
        return
    attempts = []
    for other in attempt.others:
        if other.line < attempt.held.line and (rescored_attempt := await _rescored(interview, scope, other, seeds)) is not None:
            attempts.append(rescored_attempt)
    answer = canonical_json(list(map(astuple, attempts)))
    entry = own_entry(question, answer, topic=TOPIC, at=interview.clock.stamp())
    await asyncio.to_thread(interview.transcript.append, [entry])


def extended_by(transcript: RecordReader, extension: Extension, attempt: AttemptHistory) -> ExtendedList:
    """The extension with its results for earlier attempts, by the record. Raises `TranscriptDamaged`."""
    record = transcript.find_all([own_key(_rescored_question(extension, attempt))])[0]
    try:
        rescored = tuple(
            RescoredAttempt(*map(int, entry)) for entry in json.loads(record.answer if isinstance(record, Record) else "")
        )
    except (ValueError, TypeError, RecursionError):
        raise TranscriptDamaged("the record lacks earlier answers graded by the extended list") from None
    return ExtendedList(extension.digest, len(extension.rules), rescored)


async def _rescored(
    interview: Interview[Prompt, Reply], scope: Scope[Question], held: RecordedAttempt, seeds: Seeds
) -> RescoredAttempt | None:
    settings = held.terms.settings
    plain = held.terms.examination == "certificate" and settings.get("design") is None
    ruled = not any(name in settings for name in ("draws", "graded_by_people", "explanations"))
    given = await seeds(interview, held) if plain and ruled else None
    if given is None:
        return None
    kept = read_grades(interview.transcript.records(), held.terms, held.line)
    if kept is None or kept.book.grades is None:
        return None
    grades = kept.book.grades
    questions: list[Question] = []
    for unit in scope.draw(np.random.default_rng(given)):
        questions += unit
        if len(questions) >= len(grades.score):
            break
    asked = questions[: len(grades.score)]
    asking: Any = settings["asking"]
    again: Interview[Prompt, Reply] = Interview(
        interview.candidate,
        answers=Reply,
        transcript=interview.transcript,
        settings=AskSettings(reply_format=None if asking == "by form" else asking, from_record=True),
    )
    answers: list[Reply | NoAnswer] = []
    try:
        first_draw = held.first_draws.get(again.name_on_record, 0)
        async for _, answer in again.ask_in_order(map(scope.prompt, asked), plan=DrawPlan(first_draw=first_draw)):
            answers.append(answer)
    except TranscriptError:
        return None  # they were asked in words that the scope no longer has
    if list(again.handed_out) != list(grades.records):
        return None
    after = sum(
        (unknowable(answer) or scope.grade(question, answer)).unacceptable
        for question, answer in zip(asked, answers, strict=True)
    )
    return RescoredAttempt(held.number, len(asked), len(grades.unacceptable), after)


def _rescored_question(extension: Extension, attempt: AttemptHistory) -> str:
    held = attempt.held
    return canonical_json(
        {"attempt": held.line, "rescored answers of": held.terms.candidate, "also unacceptable": extension.digest}
    )
