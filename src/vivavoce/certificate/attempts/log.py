"""The log of attempts in the transcript: an attempt is written there before its first question, and its outcome at its end.

Its records are ordinary ones, chained to all others, under a reserved candidate name. The n-th attempt of a candidate is the
n-th draw of one question. So if two processes begin at once, only one record is written, and the other process sees it.

Take a candidate that answers at random. An examiner with its recorded answers can list the questions that it missed, and
examine it on those alone: all recorded answers are wrong, whatever the candidate's probabilities are. So an attempt takes, for
each question, the first draw that is not on record. Then its terms are fixed before any of its answers is given, and the proofs
in `attempts.attempt`, `evidence.sequential` and `claims.draws` hold.

Two kinds of attempts may use recorded answers:

- a resumed one: its first draw is on record with its terms;
- one about the answers to a list, if the list with the same digest was examined before, at the same draw. The list was fixed
  before these answers were given. Claims about probabilities always have new answers.

A candidate that answers the same each time has no other answers: its first draw is 0.

A limit costs questions (331 clean answers for 1%, ten times as many for .1%), and shows nothing if no answer can be
unacceptable. So it is none there, and `USUAL` elsewhere.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from vivavoce.certificate.attempts.attempt import (
    PROCEDURE_VERSION,
    AttemptHistory,
    AttemptTerms,
    FinalResult,
    RecordedAttempt,
    Seed,
    counted,
    delta_of,
    refusal,
)
from vivavoce.certificate.attempts.determinism import about
from vivavoce.certificate.attempts.grades_log import Gradebook, write_grades
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.claims.claim import Criterion, Verdict, brief
from vivavoce.certificate.config import USUAL, USUAL_LIMIT, Limit
from vivavoce.errors import OtherTerms, TranscriptDamaged, TranscriptError
from vivavoce.formats.json_values import given, to_json
from vivavoce.formats.wording import numbered
from vivavoce.interview.candidate import Candidate, Prompt, Recording, Reply, is_deterministic
from vivavoce.interview.commitment import COMMITTER, CommittedSecret, commitment_to, committed_secret, own_entry, own_key
from vivavoce.interview.interview import Interview
from vivavoce.interview.record import Entry, Record, RecordReader, canonical_json
from vivavoce.interview.scope import Signature
from vivavoce.interview.transcript import Transcript

ATTEMPTS: Final = "attempts"
"""Topic of the records that begin attempts."""
SEEDS: Final = 2**63
"""The number of possible seeds: too many to search given the first questions."""
SEARCHED: Final = (
    "The candidate is a recording, so its answers are known. Questions may have been chosen by them, and seeds can be searched "
    "before a record starts. The guarantee holds only if neither was done."
)
READABLE: Final = (
    "The candidate is a function in the examiner's own process: nothing prevents it from reading the seed there. The guarantee "
    "holds only if it does not."
)


def terms_of(
    examination: str,
    interview: Interview[Prompt, Reply],
    scopes: Sequence[Any],
    criterion: Criterion,
    *,
    seed: int | None,
    **settings: object,
) -> AttemptTerms:
    """The terms of an examination that is about to begin; scopes count by title and digest, not by folder.

    seed: None if it is to be drawn.
    """
    how = {name: value for name, value in interview.settings.items() if name in ("asking", "strict_faults", "source")}
    return AttemptTerms(
        examination,
        interview.candidate.name,
        tuple((brief(scope.name), scope.digest) for scope in scopes),
        asdict(criterion) | settings | how | {"seed": "drawn" if seed is None else seed, "bets": PROCEDURE_VERSION},
    )


async def begin(
    interview: Interview[Prompt, Reply],
    terms: AttemptTerms,
    scopes: Sequence[Any],
    *,
    again: bool | timedelta,
    claim: str = "",
    asked: Sequence[Interview[Prompt, Reply]] = (),
    margin: float = 0.0,
) -> AttemptHistory:
    """The attempt with these terms: the one on record, or a new one, which is recorded before its first question.

    The record then also commits to a seed that will be drawn.

    again: begin a new one, unless the last with these terms was interrupted; then that one is resumed. A time: begin a new one,
        with new answers, if the last with these terms began longer ago.
    claim: see `AttemptHistory.claim`.
    asked: interviews with all candidates, if there are several.
    margin: see `RecordedAttempt.margin`; one on record stays.

    Raises `OtherTerms` if only attempts with other terms exist and no new one is wanted, and `TranscriptError` if the secret of
    the committed seed is gone.
    """
    while True:
        held = await asyncio.to_thread(attempts, interview.transcript, terms.ledger)
        related = [attempt for attempt in held if terms.touches(attempt.terms)]
        same = [attempt for attempt in related if attempt.terms.digest == terms.digest]
        too_old = bool(same) and isinstance(again, timedelta) and _age(interview, same[-1]) > again
        anew = again is True and bool(same) and bool(same[-1].verdict or await known_seed(interview, same[-1]) is None)
        if same and not (too_old or anew):
            others = tuple(attempt for attempt in related if attempt is not same[-1])
            finished = next((result.at for result in same[-1].final if result.claim == claim), "")
            return AttemptHistory(
                same[-1], others, await _seed(interview, same[-1]), foresight(interview.candidate), claim, finished
            )
        number = counted(terms, held)
        delta = float(terms.settings["delta"])
        draws = await first_draws(asked or [interview], scopes, terms, anew=too_old)
        if related and not (again is True or too_old):
            raise OtherTerms(refusal(terms, related[-1], number, delta, paid_again=draws.words))
        now = interview.clock.stamp()
        begun = RecordedAttempt(
            number, delta_of(delta, number), terms, now, len(held), first_draws=draws.of, about=draws.about, margin=margin
        )
        if await _written(interview.transcript, begun):
            if draws.words and (tell := payment_notice.get()) is not None:
                tell(draws.words)
            return AttemptHistory(begun, tuple(related), await _seed(interview, begun), foresight(interview.candidate), claim)


def _age(interview: Interview[Prompt, Reply], held: RecordedAttempt) -> timedelta:
    return interview.clock.now().astimezone(UTC) - datetime.fromisoformat(held.begun_at)


async def _seed(interview: Interview[Prompt, Reply], held: RecordedAttempt) -> Seed:
    """The seed of an attempt: the given or revealed one, else the one from the committed secret."""
    given = held.terms.settings["seed"]
    if isinstance(given, int):
        return Seed(given)
    if held.seed is not None:
        return held.seed
    name = _secret_name(held)
    secret = await asyncio.to_thread(committed_secret, interview.transcript, name, clock=interview.clock)
    return Seed(secret.number(SEEDS, "seed"), secret.digest, secret.secret.hex())


async def known_seed(interview: Interview[Prompt, Reply], held: RecordedAttempt) -> int | None:
    """The seed of an attempt, revealed or not; None if its secret is gone."""
    try:
        return (await _seed(interview, held)).number
    except TranscriptDamaged:
        raise
    except TranscriptError:
        return None


def _secret_name(held: RecordedAttempt) -> str:
    return f"seed/{held.terms.ledger}/{held.line}"


def foresight(candidate: Candidate[Prompt, Reply]) -> str:
    """Why a committed seed might still be known or searched for beforehand."""
    if isinstance(candidate, Recording):
        return SEARCHED
    return READABLE if candidate.name.startswith("function:") else ""


async def end(
    interview: Interview[Prompt, Reply],
    attempt: AttemptHistory,
    verdict: str,
    questions: int,
    *,
    over: bool,
    places: CommittedSecret | None = None,
) -> AttemptHistory:
    """Record the outcome of an attempt so far; returns the attempt with it.

    over: whether no further question can matter; then a drawn seed and the secret of `graders.people.Places` are revealed.
    """
    seed = attempt.seed if over and attempt.seed.committed else attempt.held.seed
    at = interview.clock.stamp()
    final = _with(attempt.held.final, FinalResult(attempt.claim, verdict, questions, at) if over else None)
    held = replace(attempt.held, verdict=verdict, questions=questions, seed=seed, final=final)
    question = {"outcome of": held.terms.ledger, "attempt": held.line, "verdict": verdict, "questions": questions}
    question |= given(claim=attempt.claim)
    answer = given(final=over, seed=seed and asdict(seed))
    if over and places is not None:
        held = replace(held, places=places)
        answer |= {"places": {"name": places.name, "commitment": places.digest, "secret": places.secret.hex()}}
    entry = _entry(question, answer, 0, at)
    [record] = await asyncio.to_thread(interview.transcript.append, [entry])
    return replace(attempt, held=held, finished_at="" if record.asked_at == at else record.asked_at)


async def ended(
    interview: Interview[Prompt, Reply],
    certificate: Certificate,
    criterion: Criterion,
    attempt: AttemptHistory,
    *,
    book: Gradebook | None = None,
    places: CommittedSecret | None = None,
    looked: bool = False,
) -> Certificate:
    """The certificate with its attempt, whose outcome is put on record; the criterion is the requested one.

    book: the grades to put on record with it.
    places: see `end`.
    looked: whether everything that a fixed look needs was asked.
    """
    if book is not None:
        await write_book(interview, attempt, book)
    over = looked or certificate.complete or certificate.verdict is not Verdict.UNDECIDED
    attempt = await end(interview, attempt, certificate.verdict.value, certificate.questions, over=over, places=places)
    return replace(
        certificate,
        criterion=criterion,
        attempt=attempt,
        caveats=(*certificate.caveats, *attempt.caveats),
        signature=of_attempt(certificate.signature, criterion, attempt),
    )


async def write_book(interview: Interview[Prompt, Reply], attempt: AttemptHistory, book: Gradebook) -> None:
    """Put the grades of an attempt on record."""
    held, at = attempt.held, interview.clock.stamp()
    await asyncio.to_thread(write_grades, interview.transcript, held.terms.candidate, held.line, book, at=at)


def of_attempt(signature: Signature, criterion: Criterion, attempt: AttemptHistory) -> Signature:
    """The signature with the attempt, and the seed if it may be revealed."""
    document = {"delta": criterion.delta, "attempt": attempt.number, "attempt_delta": attempt.delta}
    drawn = {"seed_commitment": attempt.seed.commitment[:12]} if attempt.seed.committed else {}
    return replace(signature, seed=attempt.told_seed, settings={**signature.settings, **document, **drawn})


def attempts(transcript: RecordReader, ledger: str) -> list[RecordedAttempt]:
    """All attempts on record under this name (`AttemptTerms.ledger`), in order, with their outcomes.

    Raises `TranscriptDamaged` if a number does not match its position.
    """
    held: list[RecordedAttempt] = []
    for record in transcript.records(candidate=COMMITTER, topic=ATTEMPTS):
        question = json.loads(record.question)
        if question.get("attempts of") == ledger:
            held.append(_held(record, held))
        elif question.get("outcome of") == ledger:
            document, revealed = question["attempt"], json.loads(record.answer)
            seed, places = revealed.get("seed"), revealed.get("places")
            claim, verdict, questions = question.get("claim", ""), question["verdict"], question["questions"]
            final = FinalResult(claim, verdict, questions, record.asked_at) if "final" in revealed else None
            held[document] = replace(
                held[document],
                verdict=verdict,
                questions=questions,
                final=_with(held[document].final, final),
                seed=held[document].seed if seed is None else Seed(**seed),
                places=held[document].places
                if places is None
                else CommittedSecret(str(places["name"]), bytes.fromhex(places["secret"])),
            )
    return held


def problem_with_seed(transcript: RecordReader, held: RecordedAttempt) -> str:
    """A clause that says what is wrong with a drawn and revealed seed; empty if it matches the commitment.

    The secret must have the recorded digest, the number must follow from the secret, and the candidate must have no answer
    between the record of the attempt and the commitment.
    """
    seed = held.seed
    if seed is None or not seed.committed:
        return "" if isinstance(held.terms.settings["seed"], int) else "it is not revealed"
    try:
        secret = CommittedSecret(_secret_name(held), bytes.fromhex(seed.secret))
    except (TypeError, ValueError):
        return "its secret is not a hexadecimal number"
    record = commitment_to(transcript, secret)
    if record is None or secret.digest != seed.commitment:
        return "its secret does not match the commitment on record"
    if secret.number(SEEDS, "seed") != seed.number:
        return "its number does not follow from the secret"
    begun = transcript.find_all([own_key(canonical_json({"attempts of": held.terms.ledger}), held.line)])[0]
    first = 0 if begun is None else begun.seq
    for name in held.terms.names_on_record:
        for answer in transcript.records(candidate=name):
            if first < answer.seq < record.seq:
                return "the record commits to it only after the first question"
            if answer.seq > record.seq:
                break
    return ""


def _with(final: tuple[FinalResult, ...], further: FinalResult | None) -> tuple[FinalResult, ...]:
    """The attempt with one more result, unless its claim has one."""
    return final if further is None or any(result.claim == further.claim for result in final) else (*final, further)


def _held(record: Record, before: Sequence[RecordedAttempt]) -> RecordedAttempt:
    values = json.loads(record.answer)
    terms = AttemptTerms.from_json(values["terms"])
    number = counted(terms, before)
    delta = delta_of(float(terms.settings["delta"]), number)
    if terms.settings.get("bets") != PROCEDURE_VERSION:
        delta = float(values["delta"])  # earlier versions gave .9 to the first; with later shares of ours that is less than 1
    if (record.draw, number, delta) != (len(before), values["number"], values["delta"]):
        raise TranscriptDamaged(f"{record} says that it is attempt {values['number']}, but it comes {number} in order")
    draws = {str(name): int(draw) for name, draw in values.get("first_draws", {}).items()}
    what = str(values.get("about", ""))
    margin = float(values.get("margin", 0.0))
    return RecordedAttempt(number, delta, terms, record.asked_at, len(before), first_draws=draws, about=what, margin=margin)


async def _written(transcript: Transcript, begun: RecordedAttempt) -> bool:
    """Put an attempt on record. Returns False if another process began one of this candidate at the same time."""
    answer = {"number": begun.number, "delta": begun.delta, "terms": to_json(begun.terms)}
    answer |= given(first_draws=dict(begun.first_draws), about=begun.about, margin=begun.margin)
    entry = _entry({"attempts of": begun.terms.ledger}, answer, begun.line, begun.begun_at)
    [record] = await asyncio.to_thread(transcript.append, [entry])
    return (record.answer, record.asked_at) == (entry.answer, entry.asked_at)


def _entry(question: Mapping[str, Any], answer: Mapping[str, Any], draw: int, at: str) -> Entry:
    return own_entry(canonical_json(question), canonical_json(answer), topic=ATTEMPTS, at=at, draw=draw)


EVENLY, DEPLOYED = "evenly", "deployment-certificate"
"""Names in terms of designs, and of examinations, that draw each question once, regardless of weight."""

payment_notice: ContextVar[Callable[[str], None] | None] = ContextVar("payment_notice", default=None)
"""Called with a notice before the first question if recorded answers are asked for again; None: no notice."""


@dataclass(frozen=True, slots=True)
class FirstDraws:
    """The first draw of each question, by the candidate's name on record, if it is not 0, and its cost."""

    of: Mapping[str, int]
    asked_again: Mapping[str, int]
    """The number of questions with a recorded answer that are asked again, by the candidate's name."""
    about: str = ""
    """The subject of the claim if it is not the candidate (`attempts.determinism.about`)."""

    @property
    def words(self) -> str:
        """A sentence on questions that are asked again; empty without any.

        >>> FirstDraws({"chat:m": 1}, {"chat:m": 700}).words
        '700 questions that chat:m has answered are asked, and paid for, again: they may have been chosen by its answers.'
        """
        parts = [f"{numbered(number, 'question')} that {name} has answered" for name, number in self.asked_again.items()]
        listed = " and ".join(parts)
        return listed and f"{listed} are asked, and paid for, again: they may have been chosen by its answers."


async def first_draws(
    interviews: Sequence[Interview[Prompt, Reply]], scopes: Sequence[Any], terms: AttemptTerms, *, anew: bool = False
) -> FirstDraws:
    """The first draws of a new attempt with these terms, for each candidate.

    anew: ignore recorded answers, because the candidate may have changed under the same name; those of a recording still count.
    """
    values, again = dict[str, int](), dict[str, int]()
    evenly = terms.examination == DEPLOYED or terms.settings.get("design") == EVENLY or EVENLY in terms.settings
    each_once = evenly or all(scope.population is not None for scope in scopes)
    for interview in interviews:
        name = interview.name_on_record
        if isinstance(interview.candidate, Recording) if anew else is_deterministic(interview.candidate):
            continue
        if not anew and each_once and "draws" not in terms.settings:
            known = await asyncio.to_thread(_examined_at, interview, scopes)
            if known is not None:
                values[name] = known
                continue
        are_lists = all(getattr(scope, "questions", ()) for scope in scopes)
        prompts = (scope.prompt(question) for scope in scopes for question in scope.questions) if are_lists else None
        if taken := await interview.recorded_draws(prompts):
            values[name] = max(taken) + 1
            if prompts is not None:
                again[interview.candidate.name] = len(taken)
    what = about([interview.candidate for interview in interviews], terms.settings, each_once=each_once)
    return FirstDraws({name: draw for name, draw in values.items() if draw}, again, what)


def _examined_at(interview: Interview[Prompt, Reply], scopes: Sequence[Any]) -> int | None:
    """The draw at which all of these lists were examined before; None if they were not."""
    result: dict[str, int] = {}
    for record in interview.transcript.records(candidate=COMMITTER, topic=ATTEMPTS):
        if "attempts of" not in json.loads(record.question):
            continue
        values = json.loads(record.answer)
        before = AttemptTerms.from_json(values["terms"])
        if "draws" not in before.settings and interview.name_on_record in before.names_on_record:
            draw = int(values.get("first_draws", {}).get(interview.name_on_record, 0))
            result |= {digest: draw for _, digest in before.scopes}
    draws = {result.get(digest) for scope in scopes for digest in getattr(scope, "parts", ()) or (scope.digest,)}
    return draws.pop() if len(draws) == 1 else None


def usual_limit(scopes: Sequence[Any], *, graded: bool = False) -> float | None:
    """The default limit for these scopes: `USUAL_LIMIT`, or None if no answer can be unacceptable.

    graded: whether judges or people grade; they may find any answer unacceptable.

    >>> from vivavoce.scopes.questions import Question
    >>> from vivavoce.scopes.listed_and_endless import ListedScope
    >>> plain = ListedScope("plain", (Question("1", "2 + 2?", accepted=("4",)),))
    >>> bounded = ListedScope("bounded", (Question("1", "2 + 2?", accepted=("4",), plausible=(0, 9)),))
    >>> usual_limit([plain]), usual_limit([plain, bounded]), usual_limit([plain], graded=True)
    (None, 0.01, 0.01)
    """
    return USUAL_LIMIT if graded or any(scope.can_be_unacceptable for scope in scopes) else None


def limit_of(
    given: Limit, interview: Interview[Prompt, Reply], scopes: Sequence[Any], *, again: bool = False, graded: bool = False
) -> float | None:
    """The limit of an examination: the given one, else the last attempt's on record, else the default.

    again: whether a new attempt is wanted; then the record does not matter.
    """
    if given != USUAL:
        return as_given(given, scopes)
    titles = {(brief(scope.name), scope.digest) for scope in scopes}
    held = [] if again else attempts(interview.transcript, interview.candidate.name)
    limits = [attempt.terms.settings["unacceptable_limit"] for attempt in held if any(map(attempt.terms.meets, titles))]
    return limits[-1] if limits else usual_limit(scopes, graded=graded)


def as_given(given: Limit, scopes: Sequence[Any], *, graded: bool = False) -> float | None:
    """The limit of an examination without a record."""
    return usual_limit(scopes, graded=graded) if given == USUAL else given
