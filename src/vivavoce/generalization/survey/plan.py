"""@@@
The arms of a survey: what a participant is shown beside the answer, drawn at random.

The arm belongs to the participant, not to the pair: who has read a model card, or has seen what explanations look like, cannot
forget it at the next pair, so arms within a person would mix. Arms are drawn in random blocks in which each occurs once, by the
survey's seed and the number of the participant, so that they stay balanced and can be had again.

---
A survey of belief changes: its plan, its cards, and how one respondent goes through it.

A respondent agrees, answers two questions that tell whether the task is understood, and then says about each card how sure they
are that a question is answered correctly: before they have seen an answer to another question, and after (section 3 of
`vafa2024`). What does not fit where a respondent is changes nothing, for forms are sent twice, late, and from two windows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Self, get_args
from urllib.parse import parse_qsl, urlencode, urlsplit

from vivavoce.errors import BadInput
from vivavoce.generalization.survey.card_file import SurveyCard
from vivavoce.settings import Seed, Within, check, setting

ArmKind = Literal["plain", "explanation", "confidence", "card", "answers"]
MOST_ARMS: Final = 8
MOST_ANSWERS: Final = 5
"""Shown at once."""
PLAIN: Final = "plain"
_ANSWERS: Final = re.compile(rf"answers:([2-{MOST_ANSWERS}])")


@dataclass(frozen=True, slots=True)
class Arm:
    """What participants of an arm are shown.

    >>> Arm.named("answers:3"), str(Arm.named("plain"))
    (Arm(kind='answers', answers=3), 'plain')
    """

    kind: ArmKind = "plain"
    """`explanation`: why the answerer says that this is the answer. `confidence`: how sure it says that it is. `card`: the
    model card, before the first belief too. `answers`: answers to several other questions instead of one."""
    answers: int = 1
    """How many answers are seen before the second belief."""

    @classmethod
    def named(cls, name: str) -> Arm:
        """The arm of this name. Raises `BadInput`."""
        if found := _ANSWERS.fullmatch(name):
            return cls("answers", int(found[1]))
        for kind in get_args(ArmKind):
            if name == kind != "answers":
                return cls(kind)
        known = ", ".join(kind for kind in get_args(ArmKind) if kind != "answers")
        raise BadInput(f"there is no arm {name[:40]!r}: {known}, or answers:K with K from 2 to {MOST_ANSWERS}")

    def __str__(self) -> str:
        return f"answers:{self.answers}" if self.kind == "answers" else self.kind


def checked_arms(names: Sequence[str]) -> tuple[Arm, ...]:
    """The arms of a survey; none where nothing is compared. Raises `BadInput` for one alone, or one twice."""
    arms = tuple(map(Arm.named, names))
    if len(arms) == 1 or len(arms) > MOST_ARMS or len(set(arms)) < len(arms):
        raise BadInput(f"the arms are {', '.join(names)[:200]}: give 2 to {MOST_ARMS} different ones, or none")
    return arms


def drawn_arm(names: Sequence[str], seed: int, number: int) -> str:
    """The arm of the participant who is the `number`th of a survey, counted from 0; empty where there are no arms.

    Each block of as many participants as there are arms is a random permutation of these. Nobody can tell the next arm without
    the seed.

    >>> names = ("plain", "card", "confidence")
    >>> sorted(drawn_arm(names, 7, number) for number in range(3)) == sorted(names)
    True
    """
    if not names:
        return ""
    block, place = divmod(number, len(names))
    # hashes instead of a generator: the same on every machine and in every release of a library
    order = sorted(names, key=lambda name: sha256(f"arm {seed} {block} {name}".encode()).digest())
    return order[place]


TRIES: Final = 2
"""At the two questions on the task; platforms ask for two at least before somebody is sent away."""
LONGEST_WHY: Final = 1_000
LONGEST_OWN: Final = 500
"""Characters of a participant's own answer."""
LONGEST_CARD: Final = 10_000
"""Characters of a model card."""
PAIRS_EACH: Final = 15
"""Of a respondent, as in `vafa2024`."""
MOST_PAIRS: Final = 100
MINUTES_A_PAIR: Final = 0.8
"""The paper's respondents took 12 minutes for 15 pairs (median, appendix A)."""
Answerer = Literal["machine", "either"]
"""Whether respondents are told that a machine answers, or that it may be a person or a machine (Appendix F)."""
_SLUG: Final = re.compile(r"[a-z0-9-]{1,40}")
_CODE: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")


class SurveyStep(StrEnum):
    """Where a respondent is."""

    CONSENT = "consent"
    CHECKS = "checks"
    OWN = "own"
    """They answer the question themselves, where the survey asks for that."""
    BEFORE = "before"
    AFTER = "after"
    CLOSING = "closing"
    """They say in their own words how they went about it, where the survey asks for that."""
    DONE = "done"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


AT_PAIRS: Final = frozenset({SurveyStep.OWN, SurveyStep.BEFORE, SurveyStep.AFTER})
"""Steps at which a pair is asked about."""
OVER: Final = frozenset({SurveyStep.DONE, SurveyStep.FAILED, SurveyStep.WITHDRAWN})
"""Steps after which nothing more is asked."""


@dataclass(frozen=True, slots=True)
class ComprehensionCheck:
    """A question that tells whether somebody has understood what they are asked to do."""

    id: str
    text: str
    options: Mapping[str, str]
    """What can be chosen: what a form sends, and its words."""
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
"""In words of our own: the paper does not print its checks."""


@dataclass(frozen=True, slots=True)
class CompletionCodes:
    """What a respondent takes back to the platform that sent them: never the same for two endings.

    >>> CompletionCodes("OK1", "NO1", "OUT1").of(Step.DONE)
    'OK1'
    """

    done: str
    failed: str
    """Of who has not passed the questions on the task: they are asked to return the study, and are not rejected."""
    withdrawn: str
    again: str = ""
    """Of who took part in an earlier stage or wave and is not asked again; empty: the code to return the study."""

    def __post_init__(self) -> None:
        codes = {name: code for name, code in asdict(self).items() if code or name != "again"}
        for name, code in codes.items():
            if not _CODE.fullmatch(code):
                raise BadInput(f"the code for {name} is {code[:60]!r}: it has 1 to 40 letters, digits, - or _")
        if len(set(codes.values())) < len(codes):
            raise BadInput("two completion codes are the same: the platform could not tell how a survey ended")

    @property
    def of_again(self) -> str:
        """The code of who took part before: never that of somebody who finished, by which they would be paid twice."""
        return self.again or self.failed

    def of(self, step: SurveyStep) -> str:
        """The code of an ending. Raises `BadInput` for a step that is none."""
        match step:
            case SurveyStep.DONE:
                return self.done
            case SurveyStep.FAILED:
                return self.failed
            case SurveyStep.WITHDRAWN:
                return self.withdrawn
        raise BadInput(f"a survey at the step '{step}' has not ended: it has no completion code yet")


@dataclass(frozen=True, slots=True)
class QuestionSource:
    """How the questions of a survey were drawn, so that the same can be drawn again."""

    scope: str
    seed: int
    questions: int
    longest: int


@dataclass(frozen=True, slots=True)
class SurveyPlan:
    """What the operator of a survey decides about it.

    >>> plan = SurveyPlan("trust", "What do you trust it with?", CompletionCodes("OK1", "NO1", "OUT1"), return_url="https://a.example/done")
    >>> plan.return_address(Step.DONE), SurveyPlan.from_json(plan.as_json()) == plan
    ('https://a.example/done?cc=OK1', True)
    """

    slug: str
    """In the address of the survey: small letters, digits and -."""
    title: str
    codes: CompletionCodes
    pairs_each: Annotated[int, Within(1, MOST_PAIRS)] = setting(PAIRS_EACH, "Pairs per respondent.")
    ask_why: bool = setting(False, "Let respondents say why their number changed or did not, if they like.")
    """After each pair (Appendix E)."""
    told: Answerer = setting("machine", "What respondents are told of who answers; 'either' where some answers are people's.")
    return_url: str = setting("", "Address of the platform; respondents return to it with cc=CODE.", metavar="URL")
    """Over https. Empty: the code is shown to be copied."""
    contact: str = setting("", "How respondents reach you.", metavar="TEXT")
    answers_each: Annotated[int, Within(1, 1_000)] = setting(1, "Answers wanted for a pair: 8 in a test stage.")
    arms: tuple[str, ...] = setting(
        (),
        "What participants are shown, drawn at random for each: plain, explanation, confidence, card or answers:K; give two or "
        "more.",
        metavar="ARM",
    )
    arms_seed: Seed = setting(0, "Draws the arms.")
    model_card: str = ""
    """Text that participants of the arm `card` read."""
    own_answers: bool = setting(False, "Have participants answer each question themselves before they state their belief.")
    closing_text: bool = setting(
        False, "Ask at the end, in a sentence, how they decided; the page holds a check for texts that a machine wrote."
    )
    study: str = setting("", "Name that several surveys share: nobody takes part in two of them.", metavar="NAME")
    source: QuestionSource | None = None
    """Where the questions are from, for grading participants' own answers."""

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(self.slug):
            raise BadInput(f"the survey's name is {self.slug[:60]!r}: it has 1 to 40 small letters, digits or -")
        if not 1 <= len(self.title.strip()) <= 200 or not self.title.isprintable():
            raise BadInput("the survey's title has 1 to 200 letters that can be printed, on one line")
        check(self)
        if len(self.contact) > 200 or not self.contact.isprintable():
            raise BadInput("the contact is one line of up to 200 letters")
        if self.return_url:
            _check_return(self.return_url)
        kinds = {arm.kind for arm in checked_arms(self.arms)}
        if ("card" in kinds) != bool(self.model_card.strip()) or len(self.model_card) > LONGEST_CARD:
            raise BadInput(f"the arm 'card' shows a model card of 1 to {LONGEST_CARD} characters, and no other arm does")
        if "card" in kinds and self.told == "either":
            raise BadInput("a model card would tell that a machine answers: leave out the arm 'card', or tell respondents so")
        if self.study and not _SLUG.fullmatch(self.study):
            raise BadInput(f"the study's name is {self.study[:60]!r}: it has 1 to 40 small letters, digits or -")

    @property
    def first_step(self) -> SurveyStep:
        """Where each pair begins."""
        return SurveyStep.OWN if self.own_answers else SurveyStep.BEFORE

    def again_address(self) -> str | None:
        """Where somebody goes who took part before; None where the code is shown to be copied."""
        return self._return_with(self.codes.of_again)

    def return_address(self, step: SurveyStep) -> str | None:
        """Where a respondent goes from this ending; None where the code is shown to be copied."""
        return self._return_with(self.codes.of(step))

    def _return_with(self, code: str) -> str | None:
        if not self.return_url:
            return None
        address = urlsplit(self.return_url)
        query = [*parse_qsl(address.query, keep_blank_values=True), ("cc", code)]
        return address._replace(query=urlencode(query)).geturl()

    def as_json(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """A plan that was kept. Raises `BadInput`."""
        try:
            source = kept.get("source")
            read = {"codes": CompletionCodes(**kept["codes"]), "arms": tuple(kept.get("arms", ()))}
            return cls(**{**kept, **read, "source": QuestionSource(**source) if source else None})
        except (TypeError, KeyError) as error:
            raise BadInput(f"this is no plan of a survey: {error}") from None


@dataclass(frozen=True, slots=True)
class RespondentProgress:
    """How far a respondent has come."""

    step: SurveyStep = SurveyStep.CONSENT
    place: int = 0
    """Of the pair that is asked, from 1; 0 before the first, and the last one when all are done."""
    tries: int = 0
    """At the questions on the task that were not passed."""


def after_consent(progress: RespondentProgress) -> RespondentProgress:
    """Somebody has agreed."""
    return replace(progress, step=SurveyStep.CHECKS) if progress.step is SurveyStep.CONSENT else progress


def after_checks(
    progress: RespondentProgress, given: Mapping[str, str], first: SurveyStep = SurveyStep.BEFORE
) -> RespondentProgress:
    """Somebody has answered the questions on the task: on to the first pair if all are right, out after two tries.

    first: where each pair begins, see `SurveyPlan.first_step`.

    >>> after_checks(RespondentProgress(Step.CHECKS), {"number": "theirs", "again": "either"})
    RespondentProgress(step=<Step.BEFORE: 'before'>, place=1, tries=0)
    >>> after_checks(RespondentProgress(Step.CHECKS, tries=1), {"number": "mine", "again": "either"}).step
    <Step.FAILED: 'failed'>
    """
    if progress.step is not SurveyStep.CHECKS:
        return progress
    if all(given.get(check.id) == check.right for check in CHECK_QUESTIONS):
        return replace(progress, step=first, place=1)
    tries = progress.tries + 1
    return replace(progress, step=SurveyStep.FAILED if tries >= TRIES else SurveyStep.CHECKS, tries=tries)


def after_own(progress: RespondentProgress, place: int) -> RespondentProgress:
    """Somebody has answered the question of the pair at `place` themselves."""
    return replace(progress, step=SurveyStep.BEFORE) if (progress.step, progress.place) == (SurveyStep.OWN, place) else progress


def after_before(progress: RespondentProgress, place: int) -> RespondentProgress:
    """The first belief about the pair at `place` was given."""
    return (
        replace(progress, step=SurveyStep.AFTER) if (progress.step, progress.place) == (SurveyStep.BEFORE, place) else progress
    )


def after_after(progress: RespondentProgress, place: int, plan: SurveyPlan) -> RespondentProgress:
    """The second belief about the pair at `place` was given: on to the next pair, or to the end."""
    if (progress.step, progress.place) != (SurveyStep.AFTER, place):
        return progress
    if place >= plan.pairs_each:
        return replace(progress, step=SurveyStep.CLOSING if plan.closing_text else SurveyStep.DONE)
    return replace(progress, step=plan.first_step, place=place + 1)


def after_closing(progress: RespondentProgress) -> RespondentProgress:
    """Somebody has said how they went about it, or has left that empty."""
    return replace(progress, step=SurveyStep.DONE) if progress.step is SurveyStep.CLOSING else progress


def after_withdrawal(progress: RespondentProgress) -> RespondentProgress:
    """Somebody wants to have nothing to do with it, at any step, the end included: also how far they came is forgotten."""
    del progress
    return RespondentProgress(SurveyStep.WITHDRAWN)


def checked_cards(cards: Iterable[SurveyCard], plan: SurveyPlan) -> tuple[SurveyCard, ...]:
    """The cards of a survey, if it can be held with them. Raises `BadInput`."""
    found = tuple(cards)
    if len(found) < plan.pairs_each:
        raise BadInput(
            f"{len(found)} cards, but each respondent gets {plan.pairs_each}: make more cards, or ask for fewer pairs"
        )
    if len({card.number for card in found}) < len(found):
        raise BadInput("two cards have the same number")
    people = sum(card.by == "person" for card in found)
    if people and plan.told == "machine":
        raise BadInput(
            f"{people} of the {len(found)} shown answers are by people, but respondents are told that a machine answers: "
            "tell them that it may be either"
        )
    for arm in map(Arm.named, plan.arms):
        lacking = sum(not _has(card, arm) for card in found)
        if lacking:
            raise BadInput(f"{lacking} of {len(found)} cards have nothing that the arm '{arm}' shows: {_REMEDY[arm.kind]}")
    return found


_REMEDY: Final[Mapping[str, str]] = {
    "explanation": "give recorded pairs a column 'explanation', or ask a candidate",
    "confidence": "give recorded pairs a column 'confidence' from 0 to 1, or ask a candidate",
    "answers": "it needs answers by the same answerer to as many other questions",
}


def _has(card: SurveyCard, arm: Arm) -> bool:
    """Whether a card holds what an arm shows; a model card is the survey's."""
    extras = card.extras
    has = {
        "explanation": bool(extras.explanation.strip()),
        "confidence": extras.confidence is not None,
        "answers": len(extras.more) >= arm.answers - 1,
    }
    return has.get(arm.kind, True)


def _check_return(given: str) -> None:
    try:
        address = urlsplit(given)
        fine = address.scheme == "https" and bool(address.hostname) and not address.username and given.isprintable()
    except ValueError:
        fine = False
    if not fine or len(given) > 500 or " " in given:
        raise BadInput(f"the address to return to is {given[:80]!r}: it begins with https://, for the code is sent there")
