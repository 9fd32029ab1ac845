"""Attempts: repeating an examination until it passes proves nothing, unless every attempt is counted.

An attempt is one examination of a candidate on a scope with fixed terms: criterion, wording, design, rule for unparsed replies,
graders, a fixed number of questions, and the source of the seed. A run with the same terms resumes the attempt. Other terms are
another attempt, and so is a fresh start with the same terms; either needs `again`. Attempt k of a candidate on a scope has the
error delta_k:

    delta_1 = .95 delta,    delta_k = .05 delta 6 / (pi^2 (k - 1)^2)  for k >= 2,

which add up to delta over all k, as the sum of 1/j^2 is pi^2/6. So the first attempt, usually the only one, needs about 1.7%
more questions than with delta itself (ln(1/.0475) / ln(1/.05) = 1.017), and the second about twice as many. With .9 in place of
.95, scores of .72 to .98 would take 0.4% to 2.4% more questions in the first attempt, and 8% to 10% fewer in the second.

What that guarantees. Fix a candidate and its answer to each draw of each question. When attempt k begins, its terms and its
number are on record, so every choice made in view of earlier attempts is fixed. Its questions are drawn by a seed that is
independent of everything before. So, given the past, it gives a wrong verdict with probability at most delta_k, for any terms
and any stopping time. The union bound over attempts: any verdict on this candidate and scope in the whole record is wrong with
probability at most delta_1 + delta_2 + ... <= delta. If attempts ask for different deltas, the bound is the largest of them,
since each takes its share of its own delta and the shares add up to at most 1.

Which attempts are counted together. Those of the same candidate on a scope with the same title or the same digest: a renamed
file, or other questions under the same name, is the same scope. So is a file with another `?match=` after its name. k is one
more than the number of earlier ones, so the attempts on one digest have, in order, numbers of at least 1, 2, 3, ... and their
shares add up to at most 1. The same holds for the attempts on one title.

Several scopes at once. Their examination is an attempt on each of them. k is one more than the largest number of earlier
attempts on any of them, and the whole list has the error delta_k. For one scope, the attempts that include it have numbers of
at least 1, 2, 3, ... Family-wise: any verdict on it, in a list or alone, is wrong with probability at most delta in the whole
record. By e-BH: list m has an expected share E[D_m / R_m] <= delta_m of wrong verdicts. For all lists in which the scope took
part, sum D_m / sum R_m <= sum (D_m / R_m), so among all their verdicts together the expected share of wrong ones is at most
delta. As with one list, this says less about a single verdict picked from it.

Several candidates: attempts are counted for each separately. If you try many candidates until one passes, the guarantee holds
for each of them, but not for the one that you picked.

Comparisons: attempts are counted for each pair of candidates. A comparison of several is an attempt on each of its pairs. k is
one more than the largest number of earlier attempts on any of them, and the whole has the error delta_k. So the attempts that
include a pair have numbers of at least 1, 2, 3, ..., with any other candidates: P(any wrong statement on this pair in the whole
record) <= delta. Comparisons and gates of the same candidates that differ only in the margin are one attempt, since all their
claims come from the same e-processes (`comparison.evidence`), with bets for the margin of the first claim.

Not seen: records that were discarded, and candidates or scopes that were renamed (scopes: both title and questions).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log, pi
from typing import Any, Final

from vivavoce.errors import BadInput
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import capital, share
from vivavoce.interview.candidate_kinds import name_on_record
from vivavoce.interview.commitment import CommittedSecret
from vivavoce.interview.record import canonical_json, digest_of
from vivavoce.interview.scope import Signature

UNSEEN: Final = (
    "Attempts are counted within this transcript, by the names of candidate and scope. Records that were discarded and "
    "candidates or scopes that were renamed are not seen."
)

CHOSEN: Final = (
    "The seed was given, not drawn and committed to. The guarantee holds only if it was drawn honestly, without regard to "
    "the candidate's answers."
)

REVEALED: Final = (
    "An earlier claim on these answers was settled after {} questions, and the seed was revealed then. For later questions the "
    "guarantee holds only if the candidate was not shown the record."
)

_DIGEST: Final = re.compile("[0-9a-f]{64}")
_MATCH: Final = re.compile(r"(?<=[?&])match=[^&]*(?:&|$)")
NAMES: Final = {
    "delta": "error allowed (delta)",
    "unreadable": "rule for unreadable replies",
    "questions": "fixed number of questions",
    "design": "way of drawing",
    "asking": "way of asking",
    "at_least": "questions at least",
    "spread_hours": "hours that questions are spread over",
    "many": "rule for several scopes",
    "judge_draws": "judgements of each answer",
    "judge_calibration": "calibration of the judge",
    "by_rule": "questions without a rubric are graded by their rule",
    "judged": "answers that the judge alone grades, for each of people's",
    "zero_is_unacceptable": "a score of 0 is unacceptable",
    "draws": "answers to each question",
    "draws_claim": "claim on these",
    "extension": "extension of the list of unacceptable answers",
    "bets": "version of the bets",
}
"""Names of terms in sentences; other terms appear under their own names, without underscores."""


PROCEDURE_VERSION: Final = 5
"""In the terms of attempts and in signatures; it changes with the bets of a test, and with the shares of delta."""


def refuse_earlier_tests(settings: Mapping[str, Any]) -> None:
    """Raise `BadInput` for the terms of an attempt whose tests had other bets or another share of delta.

    >>> refuse_earlier_tests({"delta": 0.05})
    Traceback (most recent call last):
    vivavoce.errors.BadInput: it was tested by an earlier procedure: recheck it with the version that made it
    """
    if settings.get("bets") != PROCEDURE_VERSION:
        raise BadInput("it was tested by an earlier procedure: recheck it with the version that made it")


def delta_of(delta: float, number: int) -> float:
    """delta_k: the error allowed in attempt `number`, from 1.

    >>> [round(delta_of(0.05, k), 6) for k in (1, 2, 3)]
    [0.0475, 0.00152, 0.00038]
    """
    return delta * 19 / 20 if number == 1 else delta / 20 * 6 / (pi * (number - 1)) ** 2


PAIRS: Final = "pairs of candidates"
"""The name under which comparisons are logged: one line, since an attempt may cover many pairs."""


@dataclass(frozen=True, slots=True)
class AttemptTerms:
    """Everything that identifies an attempt: an examination with the same terms resumes it, with other terms it is another."""

    examination: str
    """The kind: `certificate`, `certificates` and so on."""
    candidate: str
    scopes: tuple[tuple[str, str], ...]
    """Title and digest of each; a digest covers questions, wording and scoring."""
    settings: Mapping[str, Any]
    """Everything else that changes the test, as JSON values: criterion, procedure, design, graders, way of asking, seed."""

    def __post_init__(self) -> None:
        # equal terms are equal bytes, also if read from a record
        object.__setattr__(self, "settings", dict(sorted(self.settings.items())))

    @property
    def name_on_record(self) -> str:
        """The candidate's name, under which its answers are found."""
        return name_on_record(self.candidate, str(self.settings.get("source", "")))

    @property
    def names_on_record(self) -> tuple[str, ...]:
        """The names of all candidates, one or several."""
        asked = self.settings.get("asked")
        if not isinstance(asked, Mapping):
            return (self.name_on_record,)
        return tuple(name_on_record(name, str(how.get("source") or "")) for name, how in asked.items())

    @property
    def ledger(self) -> str:
        """The name under which the attempt is logged."""
        return self.candidate if len(self.examined) == 1 else PAIRS

    @property
    def examined(self) -> tuple[str, ...]:
        """The candidate, or all that are compared."""
        asked = self.settings.get("asked")
        return tuple(asked) if isinstance(asked, Mapping) else (self.candidate,)

    @property
    def subjects(self) -> frozenset[tuple[str, ...]]:
        """The subjects of verdicts: the candidate, or each pair of compared candidates."""
        examined = sorted(self.examined)
        return frozenset(combinations(examined, 2)) if len(examined) > 1 else frozenset({tuple(examined)})

    @property
    def digest(self) -> str:
        """SHA-256 in hex; equal terms have equal digests.

        >>> AttemptTerms("certificate", "bot:x", (("sums", "ab"),), {"delta": 0.05}).digest[:12]
        'e7b7e455974c'
        """
        return digest_of(canonical_json(to_json(self)))

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> AttemptTerms:
        """Terms from a record."""
        scopes = tuple((title, digest) for title, digest in values["scopes"])
        return cls(values["examination"], values["candidate"], scopes, values["settings"])

    def meets(self, scope: tuple[str, str]) -> bool:
        """Whether they are about this scope, by its title or by its digest."""
        return any(_file(title) == _file(scope[0]) or digest == scope[1] for title, digest in self.scopes)

    def touches(self, other: AttemptTerms) -> bool:
        """Whether both share a candidate or a pair, and a scope."""
        return not self.subjects.isdisjoint(other.subjects) and any(map(other.meets, self.scopes))

    def edited(self, other: AttemptTerms) -> str:
        """A clause that names scopes whose questions or scoring have changed since other terms; empty if none have.

        >>> before = AttemptTerms("certificate", "bot:x", (("file:q.csv", "ab"),), {})
        >>> AttemptTerms("certificate", "bot:x", (("file:q.csv", "cd"),), {}).edited(before)
        'the questions of file:q.csv, or how they are scored, have changed'
        """
        there = {_file(title): digest for title, digest in other.scopes}
        changed = [title for title, digest in self.scopes if there.get(_file(title), digest) != digest]
        return f"the questions of {', '.join(changed)}, or how they are scored, have changed" if changed else ""

    def unlike(self, other: AttemptTerms) -> list[tuple[str, str, str]]:
        """The differences from other terms: name, value here, value there.

        >>> before = AttemptTerms("certificate", "bot:x", (("sums", "ab"),), {"passing_grade": 0.7})
        >>> AttemptTerms("certificate", "bot:x", (("sums", "cd"),), {"passing_grade": 0.6}).unlike(before)
        [('questions or scoring', 'sums cd', 'sums ab'), ('passing grade', '0.6', '0.7')]
        """
        rows = [
            ("examination", self.examination, other.examination),
            ("candidates", self.candidate, other.candidate),
            ("questions or scoring", self._scopes, other._scopes),
        ]
        for name in sorted({*self.settings, *other.settings}):
            here, there = self.settings.get(name), other.settings.get(name)
            rows.append((NAMES.get(name, name.replace("_", " ")), _word(here), _word(there)))
        return [(name, here, there) for name, here, there in rows if here != there]

    @property
    def _scopes(self) -> str:
        return " + ".join(f"{title} {digest[:12]}" for title, digest in self.scopes)


@dataclass(frozen=True, slots=True)
class Seed:
    """The seed of the questions."""

    number: int
    commitment: str = ""
    """SHA-256 of the secret that it is computed from, recorded before the first question; empty for a chosen number."""
    secret: str = field(default="", repr=False)
    """The secret in hex; anyone can use it to check commitment and number."""

    @property
    def committed(self) -> bool:
        """Whether the record committed to it, so no one could choose it."""
        return bool(self.commitment)


@dataclass(frozen=True, slots=True)
class FinalResult:
    """A result on record that no further question can change."""

    claim: str
    """The claim, if an attempt may have several; else empty."""
    verdict: str
    questions: int
    at: str
    """UTC, ISO 8601."""


@dataclass(frozen=True, slots=True)
class RecordedAttempt:
    """An attempt on record and its outcome."""

    number: int
    """Its number among the attempts on these scopes, from 1."""
    delta: float
    """Its allowed error."""
    terms: AttemptTerms
    begun_at: str = field(compare=False)
    """UTC, ISO 8601."""
    line: int
    """Its index in the log under the same name, from 0."""
    verdict: str = ""
    """When it was last left; empty if it never was, as after a crash."""
    questions: int | None = None
    seed: Seed | None = field(default=None, compare=False)
    """The seed once it is revealed, which happens when no further question can matter."""
    first_draws: Mapping[str, int] = field(default_factory=dict)
    """The first draw of each question if it is not 0, by the candidate's recorded name (`attempts.log.first_draws`)."""
    about: str = ""
    """The subject of the claim if it is not the candidate: `answers`, or `recorded answers` (`attempts.determinism`)."""
    margin: float = 0.0
    """For a comparison or gate: the margin of its first claim, for which plug-in bets are made (`statistics.plug_in`)."""
    places: CommittedSecret | None = field(default=None, compare=False)
    """The secret, once revealed, that decided which answers people grade in addition to a judge."""
    final: tuple[FinalResult, ...] = field(default=(), compare=False)
    """Its final results, which no further question can change, in order."""

    json_keys = "number delta begun_at verdict=final_verdict questions terms terms_digest=terms.digest"

    @property
    def final_verdict(self) -> str | None:
        """The verdict; None without one."""
        return self.verdict or None

    @property
    def came_of_it(self) -> str:
        """The verdict, or a statement that there is none."""
        return self.verdict or "not finished"


@dataclass(frozen=True, slots=True)
class AttemptHistory:
    """The attempt behind a finding, among all on record for its candidate and scopes."""

    held: RecordedAttempt
    others: tuple[RecordedAttempt, ...]
    """The other attempts on record, in their order."""
    seed: Seed = field(compare=False)
    """The seed of this attempt; secret until it is revealed."""
    foresight: str = ""
    """A sentence that says why the committed seed might be known beforehand; empty if there is no reason."""
    claim: str = ""
    """The claim, if other claims may be made on the same answers."""
    finished_at: str = field(default="", compare=False)
    """When an earlier run had this result, UTC in ISO 8601; empty if this run is the first, or has no result yet.

    While it runs: when an earlier run had a final one."""

    json_keys = "number delta terms=held.terms terms_digest=held.terms.digest overall others"

    @property
    def number(self) -> int:
        """From 1."""
        return self.held.number

    @property
    def told_seed(self) -> int | None:
        """The seed if it was chosen or is revealed."""
        return self.seed.number if self.held.seed is not None or not self.seed.committed else None

    @property
    def delta(self) -> float:
        """The error that this attempt is allowed."""
        return self.held.delta

    @property
    def overall(self) -> float:
        """The error that all attempts together may have: the largest delta that one of them asked for."""
        return max(float(attempt.terms.settings["delta"]) for attempt in (self.held, *self.others))

    @property
    def guarantee(self) -> str:
        """How often verdicts are wrong at most, in a clause: over all attempts, and in this one."""
        return f"at most {_percent(self.overall)} of the time over all attempts ({_percent(self.delta)} in this one)"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row for each attempt, this one included: number, differences from this one, error and outcome; none if it is
        alone.
        """
        if not self.others:
            return []
        listed = sorted((self.held, *self.others), key=lambda attempt: (attempt.number, attempt.line))
        return [
            (
                str(attempt.number),
                self._otherwise(attempt),
                attempt.begun_at[:16].replace("T", " "),
                share(attempt.delta),
                _outcome(attempt),
            )
            for attempt in listed
        ]

    def _otherwise(self, attempt: RecordedAttempt) -> str:
        if attempt is self.held:
            return "this one"
        return "; ".join(f"{name} {there}" for name, there, _ in attempt.terms.unlike(self.held.terms)) or "as this one"

    @property
    def caveats(self) -> tuple[str, ...]:
        """Caveats to add to the finding."""
        texts = [] if not self.others else [self._among_others]
        edited = [attempt for attempt in self.others if attempt.line < self.held.line and self.held.terms.edited(attempt.terms)]
        if edited:
            texts.append(_counts_as_attempt(self.held.terms, edited[-1]))
        texts.append(UNSEEN)
        if not self.seed.committed:
            texts.append(CHOSEN)
        elif (known := self._seed_known_after) is not None:
            texts.append(REVEALED.format(known))
        if self.foresight:
            texts.append(self.foresight)
        return tuple(texts)

    @property
    def _seed_known_after(self) -> int | None:
        """The number of questions after which an earlier claim revealed the seed; None if no question came after that."""
        claims = [result.claim for result in self.held.final]
        before = self.held.final[: claims.index(self.claim)] if self.claim in claims else self.held.final
        first = before[0].questions if before else None
        return first if first is not None and first < (self.held.questions or 0) else None

    @property
    def _among_others(self) -> str:
        listed = "; ".join(f"attempt {attempt.number}: {_outcome(attempt)}" for attempt in self.others)
        more = "1 other attempt is" if len(self.others) == 1 else f"{len(self.others)} other attempts are"
        return f"This is attempt {self.number}: {more} on record, and every verdict counts ({listed})."

    def seed_as_json(self) -> dict[str, Any]:
        """The seed as JSON values; it is null while the examination may go on."""
        return {
            "seed": self.told_seed,
            "seed_committed": self.seed.committed,
            "seed_commitment": self.seed.commitment or None,
        }


def how_often(delta: float, attempt: AttemptHistory | None) -> str:
    """How often verdicts are wrong at most, in a clause.

    >>> how_often(0.05, None)
    'at most 5% of the time'
    """
    return f"at most {delta * 100:.3g}% of the time" if attempt is None else attempt.guarantee


def attempt_as_json(signature: Signature, attempt: AttemptHistory | None) -> dict[str, Any]:
    """The seed as JSON values, whether the record committed to it before the first question, and the attempt."""
    if attempt is None:
        return {"seed": signature.seed, "seed_committed": False}
    return attempt.seed_as_json() | {"attempt": attempt}


def counted(terms: AttemptTerms, held: Sequence[RecordedAttempt]) -> int:
    """The number of a new attempt with these terms: one more than the most earlier attempts on any of its scopes, or for a
    comparison on any of its pairs.

    >>> counted(AttemptTerms("certificate", "bot:x", (("sums", "ab"),), {}), [])
    1
    """
    before = Counter(
        (subject, scope)
        for attempt in held
        for scope in terms.scopes
        if attempt.terms.meets(scope)
        for subject in terms.subjects & attempt.terms.subjects
    )
    return 1 + max(before.values(), default=0)


def refusal(terms: AttemptTerms, before: RecordedAttempt, number: int, delta: float, *, paid_again: str = "") -> str:
    """Explain why an examination with these terms does not resume the record, and what another attempt costs.

    paid_again: a sentence on the recorded answers that another attempt asks for again; empty if there are none.
    """
    now, usual = delta_of(delta, number), delta_of(delta, 1)
    more = log(now) / log(usual) - 1
    edited = f" {_counts_as_attempt(terms, before)}" if terms.edited(before.terms) else ""
    differs = "; ".join(f"{name} {_short(there)}, now {_short(here)}" for name, here, there in terms.unlike(before.terms))
    return (
        f"attempt {before.number} of {terms.candidate} on {', '.join(title for title, _ in terms.scopes)} is on record with "
        f"other terms: {differs}.{edited} Give the same ones to resume it, or '--new-attempt' to start attempt "
        f"{number}. It may err {share(now)} of the time, the first {share(usual)}, so it needs about {more * 100:.0f}% more "
        f"questions than the first. The finding lists all attempts{paid_again and f'. {paid_again[:-1]}'}"
    )


def _file(title: str) -> str:
    """The title of a scope without the rule by which replies are matched."""
    return _MATCH.sub("", title).rstrip("?&")


def _counts_as_attempt(terms: AttemptTerms, before: RecordedAttempt) -> str:
    """A sentence that says that an edited question file counts as another attempt."""
    edited = terms.edited(before.terms)
    return f"{capital(edited)} since attempt {before.number} began: that counts as another attempt."


def _outcome(attempt: RecordedAttempt) -> str:
    if attempt.questions is None:
        return attempt.came_of_it
    return f"{attempt.came_of_it}, {attempt.questions} question{'' if attempt.questions == 1 else 's'}"


def _percent(value: float) -> str:
    return f"{value * 100:.3g}%"


def _word(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "none" if value is None else "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value)


def _short(word: str) -> str:
    """A digest's first digits; any other text unchanged."""
    return word[:12] if _DIGEST.fullmatch(word) else word
