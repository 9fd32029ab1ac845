"""The plan of a survey of belief changes: its settings, its checks, and how a respondent goes through it.

A respondent agrees and answers two comprehension questions. For each card they then state twice how sure they are that a
question is answered correctly: before and after seeing an answer to another question (section 3 of `vafa2024`). A form that
does not fit the respondent's current step changes nothing, as forms are sent twice, late, and from two windows.

The cards of a survey, pairs of questions with the shown answer, and the files that hold them.

Files are CSV with a header, or JSON Lines, also gzipped, with the columns `q1,q2,source1,source2,shown,previous_correct` in any
order. Optional columns are `by` (machine or person), `weight` (how many pairs it represents) and `stage`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from vivavoce.errors import BadFile, BadInput
from vivavoce.formats.lines import JSON_LINES, ending, json_lines, write_whole
from vivavoce.formats.tables import read_table
from vivavoce.generalization.pairs import HEAVIEST, flag, weight
from vivavoce.settings import Within, check, setting

LONGEST_QUESTION: Final = 20_000
"""Characters of a question or an answer on a card."""
By = Literal["machine", "person"]
"""The author of a shown answer."""


@dataclass(frozen=True, slots=True)
class SurveyCard:
    """A pair of questions with the answer to the first, which is shown between the two beliefs about the second."""

    number: int
    """In its survey, from 1."""
    q1: str
    """The question whose answer is shown."""
    q2: str
    """The question that the beliefs are about."""
    source1: str
    """Task of the first question."""
    source2: str
    shown: str
    """The answer to the first."""
    previous_correct: bool
    """Whether that answer is right; respondents see this."""
    by: By = "machine"
    weight: float = 1.0
    """How many pairs of the pool it represents, up to a factor."""
    stage: int | None = None

    def __post_init__(self) -> None:
        for name, text in (("q1", self.q1), ("q2", self.q2), ("the shown answer", self.shown)):
            if not text.strip() or len(text) > LONGEST_QUESTION:
                raise BadInput(f"{name} has {len(text)} characters: a card needs 1 to {LONGEST_QUESTION}")
        if self.by not in ("machine", "person"):
            raise BadInput(f"an answer is by {str(self.by)[:40]!r}: write 'machine' or 'person'")
        if not 1 / HEAVIEST <= self.weight <= HEAVIEST:
            raise BadInput(f"the weight is {self.weight}: give a number from {1 / HEAVIEST:g} to {HEAVIEST:g}")


def checked_belief(belief: float) -> float:
    """The belief as a float. Raises `BadInput` unless it is from 0 to 1."""
    if not isfinite(belief) or not 0 <= belief <= 1:
        raise BadInput(f"a belief is {belief}: give a number from 0 to 1")
    return float(belief)


NEEDED: Final = ("q1", "q2", "source1", "source2", "shown", "previous_correct")
_MOST: Final = 1_000_000


def read_cards(file: Path) -> list[SurveyCard]:
    """Read the cards of a file, numbered from 1. Raises `BadFile`, with the line."""
    rows = json_lines(file) if ending(file) in JSON_LINES else read_table(file, NEEDED).rows
    cards: list[SurveyCard] = []
    for line, row in rows:
        if len(cards) == _MOST:
            raise BadFile(file, f"more than {_MOST} pairs: split the file", line=line)
        try:
            cards.append(_card(len(cards) + 1, row))
        except BadInput as error:
            raise BadFile(file, str(error), line=line) from None
    if not cards:
        raise BadFile(file, f"has no pairs: write rows with the columns {','.join(NEEDED)}")
    return cards


def write_cards(file: Path, cards: Iterable[SurveyCard]) -> None:
    """Write cards as JSON Lines, as `read_cards` reads them. Raises `BadFile`."""
    names = [name for name in SurveyCard.__dataclass_fields__ if name != "number"]
    rows = ({name: getattr(card, name) for name in names} for card in cards)
    known = ({name: value for name, value in row.items() if value is not None} for row in rows)
    write_whole(file, "".join(json.dumps(row) + "\n" for row in known))


def _card(number_: int, row: Mapping[str, Any]) -> SurveyCard:
    missing = [name for name in NEEDED if row.get(name) is None]
    if missing:
        raise BadInput(f"'{missing[0]}' is missing: write the columns {','.join(NEEDED)}")
    cells = {name: _as_text(value, name) for name, value in row.items() if name in SurveyCard.__dataclass_fields__}
    values: dict[str, Any] = {name: cells[name] for name in ("q1", "q2", "source1", "source2", "shown")}
    values |= {name: read(cells[name].strip(), name) for name, read in _READ.items() if cells.get(name, "").strip()}
    if "previous_correct" not in values:
        raise BadInput("previous_correct is empty: write 1 if the shown answer is right, else 0")
    return SurveyCard(number_, **values)


def _as_text(value: Any, name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, str | int | float):
        return str(value)
    raise BadInput(f"{name} is a list or an object: write a text or a number")


def _stage(cell: str, name: str) -> int:
    if not (cell.isascii() and cell.isdigit() and len(cell) <= 6 and int(cell)):
        raise BadInput(f"{name} is {cell[:40]!r}: write a whole number from 1")
    return int(cell)


def _by(cell: str, name: str) -> str:
    if cell not in ("machine", "person"):
        raise BadInput(f"{name} is {cell[:40]!r}: write 'machine' or 'person'")
    return cell


_READ: Final[dict[str, Callable[[str, str], Any]]] = {
    "previous_correct": flag, "weight": weight, "stage": _stage, "by": _by,
}  # fmt: skip


TRIES: Final = 2
"""Attempts at the comprehension questions; platforms require at least two before a respondent is turned away."""
LONGEST_WHY: Final = 1_000
LONGEST_OWN: Final = 500
"""Characters of a participant's own answer."""
PAIRS_EACH: Final = 15
"""Pairs per respondent, as in `vafa2024`."""
MOST_PAIRS: Final = 100
MINUTES_A_PAIR: Final = 0.8
"""The paper's respondents took 12 minutes for 15 pairs (median, appendix A)."""
Answerer = Literal["machine", "either"]
"""The answerer according to the instructions: a machine, or either a person or a machine (Appendix F)."""
_SLUG: Final = re.compile(r"[a-z0-9-]{1,40}")
_CODE: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")


class SurveyStep(StrEnum):
    """A respondent's current step."""

    CONSENT = "consent"
    CHECKS = "checks"
    OWN = "own"
    """The step at which they answer the question themselves, if the survey asks for it."""
    BEFORE = "before"
    AFTER = "after"
    DONE = "done"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


AT_PAIRS: Final = frozenset({SurveyStep.OWN, SurveyStep.BEFORE, SurveyStep.AFTER})
"""Steps at which a pair is shown."""
OVER: Final = frozenset({SurveyStep.DONE, SurveyStep.FAILED, SurveyStep.WITHDRAWN})
"""Steps at which the survey has ended."""


@dataclass(frozen=True, slots=True)
class ComprehensionCheck:
    """A comprehension question about the task."""

    id: str
    text: str
    options: Mapping[str, str]
    """Choices: the value that a form sends, and its words."""
    right: str


CHECK_QUESTIONS: Final = (
    ComprehensionCheck(
        "number",
        "You will often be asked for a number from 0 to 100. What does it say?",
        {
            "mine": "How sure I am that I could answer the question correctly myself.",
            "theirs": "How sure I am that the question is answered correctly by the one who answers it.",
            "liked": "How much I like the question.",
        },
        "theirs",
    ),
    ComprehensionCheck(
        "again",
        "You have given a number. Then you are shown an answer to another question, and asked for your number again. What is "
        "expected of the second number?",
        {
            "higher": "It has to be higher than the first.",
            "other": "It has to be another number than the first.",
            "either": "It says what I think then: it may be the same number or another one.",
        },
        "either",
    ),
)
"""Our own words, as the paper does not print its checks."""


@dataclass(frozen=True, slots=True)
class CompletionCodes:
    """The codes that respondents return to the platform, one for each ending.

    >>> CompletionCodes("OK1", "NO1", "OUT1").of(SurveyStep.DONE)
    'OK1'
    """

    done: str
    failed: str
    """For respondents who fail the comprehension questions: they are asked to return the study and are not rejected."""
    withdrawn: str
    again: str = ""
    """For people who took part in an earlier stage and can't take part again; empty: the same as `failed`."""

    def __post_init__(self) -> None:
        codes = {name: code for name, code in asdict(self).items() if code or name != "again"}
        for name, code in codes.items():
            if not _CODE.fullmatch(code):
                raise BadInput(f"the code for {name} is {code[:60]!r}: give 1 to 40 letters, digits, - or _")
        if len(set(codes.values())) < len(codes):
            raise BadInput("two completion codes are equal: give different ones, as the platform distinguishes endings by them")

    @property
    def of_again(self) -> str:
        """The code for a repeated participation. It is never the code for finishing, because that would pay a person twice."""
        return self.again or self.failed

    def of(self, step: SurveyStep) -> str:
        """The code of an ending. Raises `BadInput` for other steps."""
        match step:
            case SurveyStep.DONE:
                return self.done
            case SurveyStep.FAILED:
                return self.failed
            case SurveyStep.WITHDRAWN:
                return self.withdrawn
        raise BadInput(f"a survey at the step '{step}' has not ended and has no completion code yet")


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """How the questions of a survey were drawn, so that they can be drawn again."""

    scope: str
    seed: int
    questions: int
    longest: int


@dataclass(frozen=True, slots=True)
class SurveyPlan:
    """The operator's settings of a survey.

    >>> from vivavoce.formats.json_values import to_json
    >>> codes = CompletionCodes("OK1", "NO1", "OUT1")
    >>> plan = SurveyPlan("trust", "What do you trust it with?", codes, return_url="https://a.example/done")
    >>> plan.return_address(SurveyStep.DONE), SurveyPlan.from_json(to_json(plan)) == plan
    ('https://a.example/done?cc=OK1', True)
    """

    slug: str
    """Part of the survey's address: lower-case letters, digits and -."""
    title: str
    codes: CompletionCodes
    pairs_each: Annotated[int, Within(1, MOST_PAIRS)] = setting(PAIRS_EACH, "Show this many pairs to each respondent.")
    ask_why: bool = setting(False, "Let respondents explain why their number changed or not.")
    """After each pair (Appendix E)."""
    told: Answerer = setting("machine", "Who answers, in the instructions; 'either' if some answers are people's.")
    return_url: str = setting("", "Send respondents back to this platform, with cc=CODE.", metavar="URL")
    """An https address. Empty: the code is shown to be copied."""
    contact: str = setting("", "Tell respondents how to reach you.", metavar="TEXT")
    answers_each: Annotated[int, Within(1, 1_000)] = setting(1, "Collect this many answers per pair (8 in a test stage).")
    own_answers: bool = setting(False, "Let participants answer each question before they state their belief.")
    study: str = setting("", "Name shared by surveys; a person can take part in only one of them.", metavar="NAME")
    source: QuestionSource | None = None
    """The source of the questions, for grading participants' own answers."""

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(self.slug):
            raise BadInput(f"the survey's name is {self.slug[:60]!r}: give 1 to 40 lower-case letters, digits or -")
        if not 1 <= len(self.title.strip()) <= 200 or not self.title.isprintable():
            raise BadInput(f"the survey's title is {self.title[:60]!r}: give 1 to 200 printable characters on one line")
        check(self)
        if len(self.contact) > 200 or not self.contact.isprintable():
            raise BadInput(f"the contact is {self.contact[:60]!r}: give one line of up to 200 characters")
        if self.return_url:
            _check_return(self.return_url)
        if self.study and not _SLUG.fullmatch(self.study):
            raise BadInput(f"the study's name is {self.study[:60]!r}: give 1 to 40 lower-case letters, digits or -")

    @property
    def first_step(self) -> SurveyStep:
        """The first step of each pair."""
        return SurveyStep.OWN if self.own_answers else SurveyStep.BEFORE

    def again_address(self) -> str | None:
        """The return address for a repeated participation; None if the code is shown to be copied."""
        return self._return_with(self.codes.of_again)

    def return_address(self, step: SurveyStep) -> str | None:
        """The return address for an ending; None if the code is shown to be copied."""
        return self._return_with(self.codes.of(step))

    def _return_with(self, code: str) -> str | None:
        if not self.return_url:
            return None
        address = urlsplit(self.return_url)
        query = [*parse_qsl(address.query, keep_blank_values=True), ("cc", code)]
        return address._replace(query=urlencode(query)).geturl()

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> Self:
        """Read a saved plan. Raises `BadInput`."""
        try:
            source = saved.get("source")
            codes = CompletionCodes(**saved["codes"])
            return cls(**{**saved, "codes": codes, "source": QuestionSource(**source) if source else None})
        except (TypeError, KeyError) as error:
            raise BadInput(f"not a plan of a survey: {error}") from None


@dataclass(frozen=True, slots=True)
class RespondentProgress:
    """A respondent's progress."""

    step: SurveyStep = SurveyStep.CONSENT
    place: int = 0
    """Number of the current pair, from 1; 0 before the first, and the last one at the end."""
    tries: int = 0
    """Failed attempts at the comprehension questions."""


def after_consent(progress: RespondentProgress) -> RespondentProgress:
    """The progress after a respondent has agreed."""
    return replace(progress, step=SurveyStep.CHECKS) if progress.step is SurveyStep.CONSENT else progress


def after_checks(
    progress: RespondentProgress, choices: Mapping[str, str], first: SurveyStep = SurveyStep.BEFORE
) -> RespondentProgress:
    """The progress after the comprehension questions: the first pair if all answers are right; the end after two attempts.

    first: the first step of each pair, see `SurveyPlan.first_step`.

    >>> after_checks(RespondentProgress(SurveyStep.CHECKS), {"number": "theirs", "again": "either"})
    RespondentProgress(step=<SurveyStep.BEFORE: 'before'>, place=1, tries=0)
    >>> after_checks(RespondentProgress(SurveyStep.CHECKS, tries=1), {"number": "mine", "again": "either"}).step
    <SurveyStep.FAILED: 'failed'>
    """
    if progress.step is not SurveyStep.CHECKS:
        return progress
    if all(choices.get(check.id) == check.right for check in CHECK_QUESTIONS):
        return replace(progress, step=first, place=1)
    tries = progress.tries + 1
    return replace(progress, step=SurveyStep.FAILED if tries >= TRIES else SurveyStep.CHECKS, tries=tries)


def after_own(progress: RespondentProgress, position: int) -> RespondentProgress:
    """The progress after the respondent's own answer to the pair at `position`."""
    return (
        replace(progress, step=SurveyStep.BEFORE) if (progress.step, progress.place) == (SurveyStep.OWN, position) else progress
    )


def after_before(progress: RespondentProgress, position: int) -> RespondentProgress:
    """The progress after the first belief about the pair at `position`."""
    return (
        replace(progress, step=SurveyStep.AFTER)
        if (progress.step, progress.place) == (SurveyStep.BEFORE, position)
        else progress
    )


def after_after(progress: RespondentProgress, position: int, plan: SurveyPlan) -> RespondentProgress:
    """The progress after the second belief about the pair at `position`: the next pair, or the end."""
    if (progress.step, progress.place) != (SurveyStep.AFTER, position):
        return progress
    if position >= plan.pairs_each:
        return replace(progress, step=SurveyStep.DONE)
    return replace(progress, step=plan.first_step, place=position + 1)


def after_withdrawal(progress: RespondentProgress) -> RespondentProgress:
    """The progress after a withdrawal, which is possible at every step including the end; earlier progress is forgotten."""
    del progress
    return RespondentProgress(SurveyStep.WITHDRAWN)


def checked_cards(cards: Iterable[SurveyCard], plan: SurveyPlan) -> tuple[SurveyCard, ...]:
    """The cards, if they fit the plan. Raises `BadInput`."""
    deck = tuple(cards)
    if len(deck) < plan.pairs_each:
        raise BadInput(
            f"{len(deck)} cards, but each respondent gets {plan.pairs_each}: make more cards, or ask for fewer pairs"
        )
    if len({card.number for card in deck}) < len(deck):
        raise BadInput("two cards have the same number: number them differently")
    people = sum(card.by == "person" for card in deck)
    if people and plan.told == "machine":
        raise BadInput(
            f"{people} of the {len(deck)} shown answers are by people, but the instructions name a machine: use --told either"
        )
    return deck


def _check_return(url: str) -> None:
    try:
        address = urlsplit(url)
        is_valid = address.scheme == "https" and bool(address.hostname) and not address.username and url.isprintable()
    except ValueError:
        is_valid = False
    if not is_valid or len(url) > 500 or " " in url:
        raise BadInput(f"the return address is {url[:80]!r}: give one that begins with https://, as the code is sent there")
