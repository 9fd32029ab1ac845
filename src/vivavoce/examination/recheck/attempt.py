"""The attempt of a certificate in the ledger, and the result from its recorded grades, which replace a missing scope."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeGuard, cast, get_args

from vivavoce.certificate.attempts.attempt import PAIRS, AttemptHistory, RecordedAttempt, Seed, refuse_earlier_tests
from vivavoce.certificate.attempts.grades_log import Gradebook, Grades, read_grades, unlike
from vivavoce.certificate.attempts.log import attempts, problem_with_seed
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.config import Procedure, Unreadable
from vivavoce.certificate.design import drawing
from vivavoce.certificate.evidence.drawn_once import ImportanceWeighting
from vivavoce.certificate.graders.grades import PARTIAL_CREDIT
from vivavoce.certificate.run import CertificateRun, RunTerms
from vivavoce.errors import BadInput, TranscriptDamaged
from vivavoce.examination.recheck.comparison import FieldDifference, differences
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import clipped, count, name_of
from vivavoce.interview.candidate import NoAnswer, Usage
from vivavoce.interview.record import Record, RecordReader
from vivavoce.report.reported import figures_of, names_in
from vivavoce.scopes.questions import Question, Unit

RECOMPUTED: Final = (
    "procedure", "questions", "complete", "score", "unacceptable", "unreadable", "copied", "cut_off", "after_turn",
    "no_answers", "orphans", "dont_know", "log_e_values", "path", "order", "strata", "largest_weight",
)  # fmt: skip
"""The figures of a certificate that depend only on its grades."""
_NOBODY: Final = NoAnswer("not looked at")


@dataclass(frozen=True, slots=True)
class _SizeOnlyScope:
    """A scope of which only the number of units is known."""

    name: str
    digest: str
    population: int | None
    size: int | None


def recomputed(held: RecordedAttempt, grades: Grades) -> dict[str, Any]:
    """Compute verdict, candidates, and the figures in `RECOMPUTED` from grades and the terms of their attempt.

    Raises `BadInput` for terms of several scopes, or terms that do not fit the grades.
    """
    terms = held.terms
    if terms.examination != "certificate" or len(terms.scopes) != 1:
        raise BadInput(f"an examination of the kind '{terms.examination[:80]}' can't be recomputed from its grades")
    refuse_earlier_tests(terms.settings)
    try:
        run = _run(held, grades)
        each = grades.each
        for unit in _units(grades):
            run.expect(unit)
        for grade in each:
            run.take_grade(_NOBODY, grade)
        document = run.certificate(terms.candidate, grades.exhausted, Usage(), 0).as_json()
    except (KeyError, TypeError, ValueError, IndexError, ArithmeticError) as error:
        raise BadInput(f"the grades on record do not fit the terms of their attempt ({type(error).__name__})") from None
    figures = {name: document["figures"][name] for name in RECOMPUTED if name in document["figures"]}
    return {"verdict": document["verdict"], "candidates": document["candidates"], "figures": figures}


def _run(held: RecordedAttempt, grades: Grades) -> CertificateRun:
    settings, (title, digest) = held.terms.settings, held.terms.scopes[0]
    limit = settings["unacceptable_limit"]
    criterion = Criterion(float(settings["passing_grade"]), None if limit is None else float(limit), held.delta)
    procedure, unreadable = settings.get("procedure", "sequential"), settings["unreadable"]
    if procedure not in get_args(Procedure) or unreadable not in get_args(Unreadable):
        raise ValueError
    scope = _SizeOnlyScope(title, digest, grades.population, grades.size)
    terms = RunTerms(
        procedure,
        settings.get("questions"),
        unreadable,
        drawing.Endurance(settings.get("at_least"), settings.get("spread_hours")),
        graded={name: settings[name] for name in (PARTIAL_CREDIT,) if name in settings},
        judged=settings.get("graded_by_people") is False,
        draws=Draws.of(settings),
    )
    return CertificateRun(
        cast(Any, scope), _population(settings["design"], scope, grades, terms.draws).inference(criterion, procedure), terms
    )


def _population(name: object, scope: _SizeOnlyScope, grades: Grades, draws: Draws | None) -> drawing.Population:
    strata, evenly = grades.strata, grades.evenly
    if (strata is not None, evenly is not None) != (name == drawing.Strata.name, name == "evenly"):
        raise ValueError
    if (draws is not None) is not (name == drawing.WithReplacement.name):
        raise ValueError
    if draws is not None:
        return drawing.WithReplacement(cast(Any, scope), draws)
    if strata is not None:
        return drawing.Strata(strata.names, strata.masses, strata.sizes, cast(Any, scope))
    if evenly is None:
        return drawing.AsDrawn(cast(Any, scope))
    if grades.population is None:
        raise ValueError
    return ImportanceWeighting(((Question("", ""),),) * grades.population, evenly.total, evenly.largest)


def _units(grades: Grades) -> Iterator[Unit]:
    """Units with the sizes, weights and strata of the asked ones."""
    weights = iter(grades.weights or (1.0,) * sum(grades.unit_sizes))
    strata = grades.strata
    for number, size in enumerate(grades.unit_sizes):
        category = "" if strata is None else strata.names[strata.of[number]]
        yield tuple(
            Question(f"{number}/{index}", "", category=category, weight=next(weights), cluster=str(number) if size > 1 else "")
            for index in range(size)
        )


UNFINISHED = (
    "The examination may continue, so its seed is not revealed yet. It can be rechecked once it has a verdict, or all "
    "questions were asked."
)


@dataclass(frozen=True, slots=True)
class ClaimedAttempt:
    """The attempt that a certificate names, as the ledger has it."""

    held: RecordedAttempt
    seed: str
    """The problem with its seed, in a clause; empty without one."""
    later: int
    """Attempts on these scopes that started after the certificate was written."""

    @property
    def unfinished(self) -> bool:
        """Whether the seed is not revealed yet."""
        return self.held.seed is None and not isinstance(self.held.terms.settings["seed"], int)


def claimed(
    document: Mapping[str, Any], copy: RecordReader, whole: RecordReader, *, what: str = "certificate"
) -> ClaimedAttempt:
    """The attempt as the ledger had it when the certificate was written.

    If no attempt in the ledger has the certificate's terms, it is the most similar one, and the comparison finds the
    differences.

    copy, whole: the record up to the certificate, and as it is now.
    what: the kind of document, for the reader.

    Raises `BadInput` where the record holds no attempt of the candidate.
    """
    named = document.get("attempt")
    named = named if isinstance(named, dict) else {}
    for names in _candidates(document, named):
        held = ledger(copy, names)
        if alike := [attempt for attempt in held if sorted(attempt.terms.examined) == sorted(names)]:
            own = _most_like(named, alike)
            later = [attempt for attempt in ledger(whole, names)[len(held) :] if own.terms.touches(attempt.terms)]
            return ClaimedAttempt(own, problem_with_seed(copy, own), len(later))
    whose = " against ".join(names_in(document)) or "nobody"
    raise BadInput(f"the record has no {what} of {clipped(whose, 200)}: give the transcript of that run")


def ledger(transcript: RecordReader, names: Sequence[str]) -> list[RecordedAttempt]:
    """All attempts of a candidate; for several names all comparisons. Raises `TranscriptDamaged` for an invalid line."""
    try:
        held = attempts(transcript, names[0] if len(names) == 1 else PAIRS)
        for attempt in held:
            attempt.terms.settings["seed"]
        return held
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError):
        raise TranscriptDamaged(
            f"transcript {transcript.name} is damaged: its ledger of attempts has an entry that is not an attempt"
        ) from None


def criterion_of(settings: Mapping[str, Any]) -> Criterion:
    """When a candidate passes, by the terms of an attempt."""
    limit = settings["unacceptable_limit"]
    return Criterion(float(settings["passing_grade"]), None if limit is None else float(limit), float(settings["delta"]))


def seed_differs(attempt: ClaimedAttempt) -> Iterator[FieldDifference]:
    """A message that a seed differs from the commitment on record."""
    if attempt.seed and not attempt.unfinished:
        yield FieldDifference("seed", "drawn and committed to before the first question", f"that {attempt.seed}")


def _candidates(document: Mapping[str, Any], named: Mapping[str, Any]) -> list[list[str]]:
    """All candidates that the document names."""
    terms = named["terms"] if isinstance(named.get("terms"), dict) else {}
    settings = terms["settings"] if isinstance(terms.get("settings"), dict) else {}
    alone = [terms["candidate"]] if isinstance(terms.get("candidate"), str) else []
    asked = list(settings["asked"]) if isinstance(settings.get("asked"), dict) else []
    named_ones = names_in(document)
    return [names for names in (named_ones[:1] if len(named_ones) == 1 else [], alone, asked, named_ones) if names]


def told_side_by_side(document: Mapping[str, Any]) -> str:
    """Display names of the compared candidates."""
    names = names_in(document)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return (
        clipped((" instead of " if document.get("kind") == "gate" else " against ").join(map(name_of, names[:3])), 400) + more
    )


def _most_like(named: Mapping[str, Any], held: list[RecordedAttempt]) -> RecordedAttempt:
    """The most similar attempt: by digest, else by terms, else by number; the last of several."""

    def alike(attempt: RecordedAttempt) -> tuple[bool, bool, bool, int]:
        terms = attempt.terms
        return (
            terms.digest == named.get("terms_digest"),
            to_json(terms) == named.get("terms"),
            attempt.number == named.get("number"),
            attempt.line,
        )

    return max(held, key=alike)


GRADES: Final = "grades on record"


def as_recorded(
    document: Mapping[str, Any], records: RecordReader, held: RecordedAttempt, reason: str
) -> tuple[list[FieldDifference], str]:
    """Differences from the result of the recorded grades, and a sentence on what was used.

    records: as of the time of the certificate.
    reason: a clause on why the answers are not graded again.
    """
    if "history" in held.terms.settings:
        return [], f"Not rechecked, since {reason}: bets with a history need the question of each grade."
    if held.terms.settings.get("draws_claim") == "vote":
        return [], f"Not rechecked, since {reason}: a vote needs to know which answers are equal."
    kept = read_grades(records.records(), held.terms, held.line)
    if kept is None or kept.book.grades is None:
        return [], f"Not rechecked, since {reason}, and the recorded grades are not enough."
    of_grades, of_terms, figures = recomputed(held, kept.book.grades), _of_terms(records, held), figures_of(document)
    made = {**of_grades, **of_terms, "figures": of_grades["figures"] | of_terms["figures"]}
    values = {name: document[name] for name in made if name in document}
    values["figures"] = {name: figures[name] for name in made["figures"] if name in figures}
    grades = len(kept.book.grades.score)
    return (
        differences(values, made),
        f"Grades taken as recorded: {count(grades)}, since {reason}; verdict, intervals and evidence are computed from them.",
    )


def regraded(before: Gradebook | None, records: Iterable[Record], held: RecordedAttempt) -> Iterator[FieldDifference]:
    """A difference if the recorded grades differ from those of the answers graded again.

    before: the grades on record.
    records: of the copy on which the examination was rerun; changed grades come last.
    """
    after = read_grades(records, held.terms, held.line)
    if before is not None and after is not None and (problem := unlike(before, after.book)):
        yield FieldDifference(GRADES, "", problem)


def _of_terms(records: RecordReader, held: RecordedAttempt) -> dict[str, Any]:
    """Fields of a certificate's document that come from the ledger."""
    settings = held.terms.settings
    criterion = criterion_of(settings)
    others = tuple(
        recorded_attempt
        for recorded_attempt in ledger(records, held.terms.examined)
        if recorded_attempt.line != held.line and held.terms.touches(recorded_attempt.terms)
    )
    given = settings["seed"]
    attempt = AttemptHistory(
        held, others, held.seed or Seed(given if isinstance(given, int) else 0, "" if isinstance(given, int) else "-")
    )
    figures = {**asdict(criterion), "scope_digest": held.terms.scopes[0][1]}
    made = {"figures": figures, "attempt": to_json(attempt)}
    if held.seed is not None or isinstance(given, int):
        made |= attempt.seed_as_json()
    return made


def certificates_of(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The certificates of one scope in a document, each with its place."""
    if _is_certificate(document):
        yield "", document
    for number, card in enumerate(_cards(document)):
        if _is_certificate(details := card.get("details")):
            yield f"cards[{number}].details.", details


def _is_certificate(values: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether these are the values of a certificate of one scope."""
    return isinstance(values, dict) and {"verdict", "attempt"} <= values.keys() and "path" in figures_of(values)


def _cards(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    cards = document.get("cards")
    return [card for card in cards if isinstance(card, dict)] if isinstance(cards, list) else []
