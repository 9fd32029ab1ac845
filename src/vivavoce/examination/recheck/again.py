"""The recheck: the record is copied to memory, the examination runs again over the copy, and the documents are compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from vivavoce.certificate.attempts.grades_log import read_grades
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.comparison.gate import Gate
from vivavoce.errors import BadInput, NotAtHand, NotOnRecord, OtherTerms, TranscriptDamaged
from vivavoce.examination.dossier import KIND
from vivavoce.examination.recheck.attempt import (
    UNFINISHED,
    as_recorded,
    certificates_of,
    claimed,
    regraded,
    seed_differs,
    told_side_by_side,
)
from vivavoce.examination.recheck.certificate import (
    AMONG_JUDGEMENTS,
    CERTIFICATES,
    CannotBeRechecked,
    CertificateRecheck,
    certificate_again,
)
from vivavoce.examination.recheck.comparison import (
    HEAD,
    HEADS,
    NO_DOCUMENT,
    FieldDifference,
    RecheckFinding,
    What,
    as_written,
    differences,
    rounded_otherwise,
    settings_of,
    versions_of,
    without_run,
)
from vivavoce.examination.recheck.consistency import SETTINGS, TAKEN, StudyRecheck, TeachingRecheck, consistency_kind
from vivavoce.examination.recheck.dossier import dossier_again
from vivavoce.examination.recheck.recorded import Scopes
from vivavoce.examination.recheck.side_by_side import ComparisonRecheck, kind_of, taken
from vivavoce.examination.recheck.sweep import SweepRecheck, whose
from vivavoce.formats.wording import count
from vivavoce.interview.record import Head
from vivavoce.interview.scope import Scope
from vivavoce.interview.transcript import Transcript
from vivavoce.report.reported import ReportedFinding, figures_of, names_in
from vivavoce.scopes.questions import Question

LAST_DIGITS: Final = "The last digits of {} differ, which agree to a billionth: processors round differently."
DATED: Final = "Not rechecked: date and version."
NAMED: Final = "Not rechecked: display names."
PLANNED: Final = "Not rechecked: display names, the budget, and the limit on questions for a scope."
HEADLESS: Final = (
    "The document names no head of the record, so a record that was rewritten or rolled back since is not detected."
)
ADMITTED: Final = (
    "A recheck can't tell whether record and document were both made up, or both rolled back to an earlier state. A head kept "
    "elsewhere can (--set head)."
)


def recheck(
    document: Mapping[str, Any],
    transcript: Transcript,
    *,
    scopes: Sequence[str | Scope[Question]] = (),
    files: Sequence[Path] = (),
    head: Head | None = None,
    others: Sequence[Transcript] = (),
) -> RecheckFinding:
    """Compute every verdict, interval and figure of a document again, from the record alone.

    No candidate is asked, no key is needed, and nothing is written to the record.

    Parameters
    ----------
    document: the JSON of `viva certify`, `compare`, `gate`, `consistency teach` or a study in `RECHECKED` with `--json`, or of
        `report.json` or `comparison.json`.
    transcript: the record, opened verified; of a comparison with several, the first candidate's.
    scopes: those that are not generated, as addresses or opened; matched by digest.
    files: whatever else the examination read, such as a rubric; matched by digest.
    head: of the record at some moment, kept elsewhere: the record must begin like it.
    others: of a comparison whose candidates have a record each, those of the further ones, in their order.

    Raises `BadInput` where a scope is missing, with its digest, or where the document is none; `TranscriptDamaged` for a
    record that does not go on from the head.
    """
    if head is not None:
        transcript.verify(head)
    document = without_run(document)
    if document.get("kind") == "comparison-by-plan":
        return _swept_again(document, transcript, Scopes(scopes))
    if TeachingRecheck.wrote(document):
        return _taught_again(document, (transcript, *others), scopes, files)
    if (what := kind_of(document)) is not None:
        return _compared_again(what, document, (transcript, *others), Scopes(scopes), files)
    if others:
        raise BadInput(f"{len(others) + 1} records are given: only a comparison has one for each candidate")
    alone = consistency_kind(document)
    if alone is None and document.get("kind") not in (KIND, *CERTIFICATES):
        raise BadInput(NO_DOCUMENT)
    copy, mismatches = up_to(document, transcript)
    with copy:
        if alone is not None:
            return _consistency(alone, document, copy, Scopes(scopes), mismatches)
        if document.get("kind") == KIND:
            return _dossier(document, copy, transcript, Scopes(scopes), files, mismatches)
        return _certificate(document, copy, transcript, Scopes(scopes), files, mismatches)


def up_to(document: Mapping[str, Any], transcript: Transcript) -> tuple[Transcript, list[FieldDifference]]:
    """A copy of the record as it was when the document was written, and differences if it never was like that."""
    return _up_to(document.get(HEAD), transcript, HEAD)


def _up_to(named: object, transcript: Transcript, field: str) -> tuple[Transcript, list[FieldDifference]]:
    if named is None:
        return transcript.copy(), []
    count_text, _, digest = str(named).partition(":")
    records = int(count_text) if count_text.isascii() and count_text.isdecimal() and len(count_text) < 19 else -1
    now = transcript.head
    if not 0 <= records <= now.count:
        return transcript.copy(), [FieldDifference(field, str(named), f"ends with {now}")]
    copy = transcript.copy(records=records)
    if copy.head.digest == digest:
        return copy, []
    there = copy.head
    copy.close()
    return transcript.copy(), [
        FieldDifference(field, str(named), f"{there} at that place: it or an earlier record was rewritten")
    ]


def _certificate(
    document: Mapping[str, Any],
    copy: Transcript,
    whole: Transcript,
    scopes: Scopes,
    files: Sequence[Path],
    mismatches: list[FieldDifference],
) -> RecheckFinding:
    attempt = claimed(document, copy, whole)
    not_rechecked, taken = list[str](), list[str]()
    if attempt.unfinished:
        not_rechecked.append(UNFINISHED)
    else:
        mismatches += seed_differs(attempt)
        before = read_grades(copy.records(), attempt.held.terms, attempt.held.line)
        again = CertificateRecheck(document, copy, attempt.held.terms, scopes, files, before, attempt.held.places is not None)
        try:
            made = certificate_again(again)
        except (CannotBeRechecked, NotAtHand) as error:
            if before is None and isinstance(error, NotAtHand):
                raise
            differs, sentence = as_recorded(document, copy, attempt.held, str(error).rstrip("."))
            mismatches += differs
            not_rechecked.append(sentence)
        except NotOnRecord as error:
            mismatches.append(FieldDifference("questions", "answers that the figures rest on", f"lacks some: {error}"))
        except OtherTerms:
            raise TranscriptDamaged(f"transcript {copy.name} is damaged: its ledger has invalid terms") from None
        else:
            taken += _compared(document, made, mismatches)
            mismatches += regraded(None if before is None else before.book, copy.records(), attempt.held)
    return RecheckFinding(
        "certificate",
        " vs. ".join(names_in(document)),
        copy.head.count,
        tuple(mismatches),
        tuple(not_rechecked),
        (*_taken(document), *taken, *_later(attempt.later), ADMITTED),
    )


def _dossier(
    document: Mapping[str, Any],
    copy: Transcript,
    whole: Transcript,
    scopes: Scopes,
    files: Sequence[Path],
    mismatches: list[FieldDifference],
) -> RecheckFinding:
    attempts = [claimed(certificate, copy, whole).held for _, certificate in certificates_of(document)]
    before = [read_grades(copy.records(), held.terms, held.line) for held in attempts]
    made = dossier_again(document, copy, whole, scopes, files)
    mismatches += made.differences
    for held, kept in zip(attempts, before, strict=True):
        mismatches += regraded(None if kept is None else kept.book, copy.records(), held)
    made.values["made"] = document.get("made")
    taken = [DATED, *_compared(document, made.values, mismatches)]
    return RecheckFinding(
        "report",
        " vs. ".join(names_in(document)),
        copy.head.count,
        tuple(mismatches),
        tuple(made.not_rechecked),
        (*_taken(document), *taken, *_later(made.later), ADMITTED),
    )


def _swept_again(document: Mapping[str, Any], transcript: Transcript, scopes: Scopes) -> RecheckFinding:
    """Rerun all cells of a sweep by its plan."""
    copy, mismatches = up_to(document, transcript)
    not_rechecked, taken = list[str](), [PLANNED]
    with copy:
        again = SweepRecheck(document, copy, transcript, scopes)
        try:
            made = again.values()
        except CannotBeRechecked as error:
            not_rechecked.append(str(error))
        else:
            taken += _compared(document, made, again.differences)
            mismatches += again.named(again.differences)
            not_rechecked += again.not_rechecked
        headless = [HEADLESS] if document.get(HEAD) is None else []
        messages = (*headless, *taken, *_later(again.later), ADMITTED)
        return RecheckFinding(
            "comparison by plan", whose(document), copy.head.count, tuple(mismatches), tuple(not_rechecked), messages
        )


def _consistency(
    what: What, document: Mapping[str, Any], copy: Transcript, scopes: Scopes, mismatches: list[FieldDifference]
) -> RecheckFinding:
    """A finding of `viva consistency`."""
    not_rechecked, taken = list[str](), [SETTINGS]
    try:
        made = StudyRecheck(document, copy, scopes).finding()
    except CannotBeRechecked as error:
        not_rechecked.append(str(error))
    except NotOnRecord as error:
        mismatches.append(FieldDifference("replies", "answers that the figures rest on", f"lacks some: {error}"))
    else:
        taken += _compared(document, made.as_json(), mismatches)
    headless = [HEADLESS] if document.get(HEAD) is None else []
    return RecheckFinding(
        what,
        (names_in(document) or ["an unknown candidate"])[0],
        copy.head.count,
        tuple(mismatches),
        tuple(not_rechecked),
        (*headless, *taken, ADMITTED),
    )


def _taught_again(
    document: Mapping[str, Any], wholes: Sequence[Transcript], scopes: Sequence[str | Scope[Question]], files: Sequence[Path]
) -> RecheckFinding:
    """Recheck what a dialogue changed: its comparison, its turns, and the sentences about them."""
    taught = TeachingRecheck(document)
    heads = {name: document[name] for name in (HEAD, HEADS) if name in document}
    comparison = {**figures_of(document)["comparison"], **heads}

    def around(made: Comparison | Gate) -> ReportedFinding:
        if not isinstance(made, Comparison):
            raise BadInput(NO_DOCUMENT)
        return taught.finding(made)

    finding = _compared_again(
        "comparison", comparison, wholes, Scopes(taught.scopes(scopes)), files, around=around, written=document
    )
    differs = (*finding.differences, *taught.differences(wholes[0]))
    return replace(finding, differences=differs, caveats=(TAKEN, *finding.caveats))


def _compared_again(
    what: What,
    document: Mapping[str, Any],
    wholes: Sequence[Transcript],
    scopes: Scopes,
    files: Sequence[Path],
    *,
    around: Callable[[Comparison | Gate], ReportedFinding] = lambda made: made,
    written: Mapping[str, Any] | None = None,
) -> RecheckFinding:
    """A comparison or a gate: over one record, or one for each candidate.

    around: the finding that contains it;
    written: the document of that finding.
    """
    names = names_in(document)
    if len(wholes) not in (1, len(names)):
        raise BadInput(f"{len(wholes)} records for {len(names)} candidates: give one for all, or one for each, in their order")
    with ExitStack() as stack:
        copies, mismatches = _copies(document, wholes, stack)
        attempt = claimed(document, copies[0], wholes[0], what=what)
        not_rechecked, rest = list[str](), taken(document)
        if attempt.unfinished:
            not_rechecked.append(UNFINISHED)
        else:
            mismatches += seed_differs(attempt)
            try:
                made = ComparisonRecheck(document, copies, attempt.held, scopes, files).finding()
            except NotOnRecord as error:
                if "judge_ended" in document:
                    not_rechecked.append(AMONG_JUDGEMENTS)
                else:
                    mismatches.append(FieldDifference("questions", "answers that the figures rest on", f"lacks some: {error}"))
            except OtherTerms:
                raise TranscriptDamaged(f"transcript {copies[0].name} is damaged: its ledger has invalid terms") from None
            else:
                rest += _compared(document if written is None else written, around(made).as_json(), mismatches)
        return RecheckFinding(
            what,
            " vs. ".join(names),
            sum(transcript.head.count for transcript in {id(transcript): transcript for transcript in copies}.values()),
            tuple(mismatches),
            tuple(not_rechecked),
            (*_taken(document), *rest, *_later(attempt.later), ADMITTED),
            told_side_by_side(document),
        )


def _copies(
    document: Mapping[str, Any], wholes: Sequence[Transcript], stack: ExitStack
) -> tuple[list[Transcript], list[FieldDifference]]:
    """Copies of the records as they were when the document was written, and the differences of a record that never was like
    that."""
    heads, mismatches, copies = document.get(HEADS), list[FieldDifference](), dict[int, Transcript]()
    if heads is not None and (not isinstance(heads, list) or len(heads) != len(wholes)):
        many = f"{len(heads)} records" if isinstance(heads, list) else "other records"
        raise BadInput(f"the document is based on {many}, but {len(wholes)} given: name each with --record, in order")
    listed = [document.get(HEAD), *[None] * (len(wholes) - 1)] if heads is None else heads
    for index, (whole, named) in enumerate(zip(wholes, listed, strict=True)):
        if id(whole) not in copies:
            copies[id(whole)], differs = _up_to(named, whole, HEAD if heads is None else f"{HEADS}[{index}]")
            stack.enter_context(copies[id(whole)])
            mismatches += differs
    if heads and heads[0] != document.get(HEAD):
        mismatches.append(FieldDifference(HEAD, str(document.get(HEAD)), f"{heads[0]}, by the document itself"))
    return [copies[id(whole)] for whole in wholes], mismatches


def _compared(document: Mapping[str, Any], made: dict[str, Any], mismatches: list[FieldDifference]) -> list[str]:
    """Note differences, and messages on parts that do not come from the record."""
    written = as_written(document, made)
    written |= {name: document[name] for name in (HEAD, HEADS) if name in document}
    mismatches += differences(document, written)
    digits = rounded_otherwise(document, written)
    result = [LAST_DIGITS.format("1 figure" if digits == 1 else f"{count(digits)} figures")] if digits else []
    now, then = versions_of(json.loads(json.dumps(made))), versions_of(document)
    if then <= now:
        return result
    return [*result, f"It was made with {', '.join(sorted(then - now))}, and rechecked with {', '.join(sorted(now - then))}."]


def _taken(document: Mapping[str, Any]) -> list[str]:
    """Messages on parts that no record has."""
    result = [HEADLESS] if document.get(HEAD) is None else []
    if {"name", "title"} & figures_of(document).keys():
        result.append(NAMED)
    limit = settings_of(document.get("signature")).get("questions")
    if figures_of(document).get("procedure") != "fixed" and type(limit) is int:
        result.append(f"Not rechecked: that at most {count(limit)} questions were to be asked.")
    ended = document.get("budget_ended")
    if isinstance(ended, dict) and "limit" in ended:
        result.append(f"Not rechecked: that the budget for {str(ended.get('limit'))[:20]} ended the questions.")
    return result


def _later(number: int) -> list[str]:
    if not number:
        return []
    attempts = "1 later attempt is" if number == 1 else f"{count(number)} later attempts are"
    return [f"{attempts} now on record that the document does not know: each verdict counts."]
