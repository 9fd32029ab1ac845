"""The finding of EQT on one or several candidates: ranking, Table 1 of the paper, cross-examination matrix, benchmark."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any, Final

from vivavoce.eqt.benchmark import BenchmarkComparison
from vivavoce.eqt.concept_extraction import Overlap
from vivavoce.eqt.report.benchmark import benchmark_part, overlap_part
from vivavoce.eqt.report.candidate import EXACTLY, ORIGINALS, candidate_part
from vivavoce.eqt.report.parts import (
    MOST_GROUPS,
    ReportPart,
    ShareRow,
    display_name,
    figure_cell,
    in_points,
    not_shown,
    share_cell,
    shares_figure,
    short_label,
    with_n_below,
    without_and_with,
    without_n,
)
from vivavoce.eqt.report.sentences import FEW, caveats_of
from vivavoce.eqt.result import KIND, EqtResult
from vivavoce.errors import BadInput
from vivavoce.formats.interval import Estimate
from vivavoce.formats.json_values import given, values_by_key
from vivavoce.formats.wording import count, name_of, percent
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import (
    Block,
    Caveats,
    Column,
    InFull,
    InShort,
    Report,
    ReportFigure,
    ReportRow,
    ReportSection,
    ReportTable,
    method_of,
    notes,
    paragraphs,
)
from vivavoce.report.cells import NOT_ASKED, TableCell, Tint
from vivavoce.report.figures import Kind
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__

MOST_CANDIDATES: Final = 24
MOST_CATEGORIES: Final = 60
MOST_DRAWN: Final = 5
"""Maximum number of candidates in a figure of all categories."""
KINDS: Final[tuple[Kind, ...]] = ("plain", "reference", "control")
"""The marks of candidates in such a figure, in turn."""
TINTS: Final = (0.2, 0.4, 0.6, 0.8)
"""Accuracies at which a cell of the matrix gets a darker tint."""
SETTINGS: Final = ("questions", "paraphrases", "options", "shuffle", "checks", "temperature")
"""Settings that must be equal in a comparison."""
OVERVIEW: Final = ("closed", "closed_originals", "open_book", "gap", "acs", "acs_rescaled")
HEADS: Final = (
    Column("Without", "all wordings", "closed book"),
    Column("Without", "original", "closed book, original", detail=True),
    Column("With", "original", "open book"),
    Column("Gap", "points", "gap"),
    Column("ACS", "as printed", "ACS"),
    Column("ACS", "rescaled", "ACS, rescaled", detail=True),
    Column("Valid", "questions", "valid questions", detail=True),
)
"""The columns of `OVERVIEW`, and the number of valid questions."""


def comparison_part(results: Sequence[EqtResult]) -> ReportPart:
    """The report part on several candidates."""
    shown = results[:MOST_CANDIDATES]
    every = list(dict.fromkeys(figures.name for result in shown for figures in result.categories))
    categories = every[:MOST_CATEGORIES]
    rows = [row for result in shown for row in without_and_with(display_name(result.candidate), result.whole)]
    return ReportPart(
        "Several candidates",
        f"{count(len(results))} candidates on their own explanations",
        _headline(results),
        _others(results),
        _LEAD,
        (
            *_overview(shown),
            *notes(not_shown(len(shown), len(results), "candidates"), not_shown(len(categories), len(every), "categories")),
            ReportSection(
                "Right without the explanation, by category",
                (*_drawn_by_category(shown, categories), *_by_category(shown, categories, "closed", "Right")),
            ),
            ReportSection(
                "Answer consistency (ACS) by category",
                (*_by_category(shown, categories, "acs", "Answer consistency"), InFull(notes(_ACS))),
            ),
            *_crossed_section(shown),
        ),
        _caveats(results),
        (
            "Each candidate explained the concepts, wrote questions on its own explanations and answered them without the "
            "explanations, unless other models took part. So each has its own questions.",
            *((_CROSS,) if any(result.visitors for result in results) else ()),
            "Intervals are at level 95% and clustered by concept.",
        ),
        shares_figure(rows, EXACTLY, ORIGINALS),
    )


def crossed_answers(results: Sequence[EqtResult]) -> Mapping[str, Mapping[str, Estimate]]:
    """Maps an author of questions and an answering candidate (including the author) to closed-book accuracy on originals."""
    return {result.candidate: {result.candidate: result.whole.closed_originals, **result.visitors} for result in results}


def mean_over_all_questions(results: Sequence[EqtResult]) -> Mapping[str, float]:
    """Each candidate's mean accuracy on all candidates' questions, including its own; empty if any is missing.

    Each candidate's questions have the same weight. The mean shows which candidate knows most, regardless of the author.
    """
    matrix = crossed_answers(results)
    values = {name: [row[name].value if name in row else None for row in matrix.values()] for name in matrix}
    known = {name: [value for value in of_name if value is not None] for name, of_name in values.items()}
    if any(len(of_name) < len(matrix) for of_name in known.values()):
        return {}
    return {name: fsum(of_name) / len(of_name) for name, of_name in known.items()}


def _headline(results: Sequence[EqtResult]) -> str:
    """The candidates with the highest and lowest accuracy on their own questions."""
    shares = {result.candidate: result.whole.closed_originals for result in results}
    closed = {name: share.value for name, share in shares.items() if share.value is not None}
    if len(closed) < 2:
        return f"No comparison: {count(len(closed))} of {count(len(results))} candidates answered any question."
    best, worst = max(closed, key=lambda name: closed[name]), min(closed, key=lambda name: closed[name])
    if closed[best] == closed[worst]:
        return f"All of {count(len(closed))} candidates answer {percent(closed[best])} of questions on their own explanations."
    is_most = shares[best].is_largest(share for name, share in shares.items() if name != best)
    is_least = shares[worst].is_smallest(share for name, share in shares.items() if name != worst)
    start = f"Of {count(len(results))} candidates, each on questions about its own explanations,"
    if not is_most and not is_least:
        return (
            f"{start} no candidate answers significantly most or least without them. {name_of(best)} answers "
            f"{percent(closed[best])}, and {name_of(worst)} {percent(closed[worst])}."
        )
    return (
        f"{start} {name_of(best)} answers {'most ' if is_most else ''}without them, {percent(closed[best])}, and "
        f"{name_of(worst)}{' least' if is_least else ''}, {percent(closed[worst])}."
    )


def _others(results: Sequence[EqtResult]) -> str:
    """The widest gap, and the best candidate on all questions; may be empty."""
    answered = [result for result in results if result.whole.closed_originals.value is not None]
    if len(answered) < 2:
        return ""
    gaps = {result.candidate: result.whole.gap for result in results if result.whole.gap.interval.lower > 0}
    parts = []
    if gaps:
        widest = max(gaps, key=lambda name: gaps[name].value or 0.0)
        is_widest = gaps[widest].is_largest(result.whole.gap for result in answered if result.candidate != widest)
        gains = "gains most" if is_widest else "gains"
        parts.append(f"{name_of(widest)} {gains} with the explanation: {in_points(gaps[widest])}.")
    if means := mean_over_all_questions(results):
        first, last = (pick(means, key=lambda name: means[name]) for pick in (max, min))
        parts.append(
            f"On the questions of all of them {name_of(first)} answers {percent(means[first])}, and {name_of(last)} "
            f"{percent(means[last])}."
        )
    return " ".join(parts)


def _caveats(results: Sequence[EqtResult]) -> tuple[str, ...]:
    set_ups = {tuple(getattr(result.config, name) for name in SETTINGS) for result in results}
    concepts = {frozenset(figures.name for figures in result.concepts) for result in results}
    faulty = [name_of(result.candidate) for result in results if 2 * result.validity.valid < result.validity.written]
    pair = (
        "A candidate may find its own questions easier or harder than those of others: the matrix shows it."
        if mean_over_all_questions(results)
        else "Each candidate answers questions on its own explanations: one that writes harder questions gets lower figures.",
        "They were examined in different ways: each signature says how." if len(set_ups) > 1 else "",
        "They were not examined on the same concepts." if len(concepts) > 1 else "",
        f"More than half of the questions have a fault for {', '.join(faulty[:6])}." if faulty else "",
        f"Fewer than {FEW} concepts for some: read the intervals, not the order."
        if any(result.whole.concepts < FEW for result in results)
        else "",
    )
    return tuple(filter(None, pair))


def _overview(results: Sequence[EqtResult]) -> tuple[Block, ...]:
    """One row per candidate: its figures over all its questions, and the number of valid ones."""
    rows = []
    for number, result in enumerate(results, 1):
        name, validity = display_name(result.candidate), result.validity
        valid = TableCell(f"{count(validity.valid)} of {count(validity.written)}", validity.valid)
        cells = (*(with_n_below(figure_cell(result.whole, what)) for what in OVERVIEW), valid)
        rows.append(ReportRow(TableCell(f"{count(number)} · {name}", name), cells))
    table = ReportTable((Column("Candidate", short="candidate"), *HEADS), tuple(rows), name="The candidates side by side")
    return table, InFull(notes(_FIGURES))


def _drawn_by_category(results: Sequence[EqtResult], categories: Sequence[str]) -> tuple[ReportFigure, ...]:
    """Figure 1 of the paper; omitted for one category."""
    drawn = results[:MOST_DRAWN]
    rows = [
        ShareRow(
            display_name(name),
            f"{count(number)} · {short_label(result.candidate)}",
            category.closed,
            category.highest.get("closed"),
            KINDS[(number - 1) % len(KINDS)],
        )
        for name in categories[:MOST_GROUPS]
        for number, result in enumerate(drawn, 1)
        for category in result.categories
        if category.name == name
    ]
    left = (
        not_shown(len(drawn), len(results), "candidates", "the table has all"),
        not_shown(MOST_GROUPS, len(categories), "categories", "the table has all"),
    )
    caption = " ".join(filter(None, ("All wordings. Lines are 95% intervals.", *left)))
    return shares_figure(rows, "questions answered exactly, without the explanation", caption) if len(categories) > 1 else ()


def _by_category(results: Sequence[EqtResult], categories: Sequence[str], what: str, name: str) -> tuple[Block, ...]:
    """Accuracy by category and candidate, with all questions last (Table 1 of the paper)."""
    by_name = [{figures.name: figures for figures in result.categories} for result in results]
    rows = [
        ReportRow(
            TableCell(display_name(category)),
            without_n(
                figure_cell(categories_of[category], what) if category in categories_of else NOT_ASKED
                for categories_of in by_name
            ),
        )
        for category in categories
        if len(categories) > 1
    ]
    rows.append(ReportRow(TableCell("All questions"), without_n(figure_cell(result.whole, what) for result in results), "sum"))
    named = (Column(count(number), display_name(result.candidate)) for number, result in enumerate(results, 1))
    numbered = (Column(count(number)) for number in range(1, len(results) + 1))
    return (
        InFull((ReportTable((Column("Category"), *named), tuple(rows), name=f"{name} by category and candidate"),)),
        InShort((ReportTable((Column("category"), *numbered), tuple(rows)),)),
    )


def _crossed_section(authors: Sequence[EqtResult]) -> tuple[Block, ...]:
    """Accuracy by author and answering candidate; omitted without cross-examination."""
    names = list(
        dict.fromkeys([*(result.candidate for result in authors), *(name for result in authors for name in result.visitors)])
    )
    shown, matrix, means = names[:MOST_CANDIDATES], crossed_answers(authors), mean_over_all_questions(authors)
    if not any(author.visitors for author in authors):
        return ()
    rows = tuple(
        ReportRow(
            TableCell(display_name(author.candidate), short=f"{count(number)} {display_name(author.candidate)}"),
            tuple(_answered(matrix[author.candidate].get(name), own=name == author.candidate) for name in shown),
        )
        for number, author in enumerate(authors, 1)
    )
    foot = tuple(TableCell(percent(means[name]), means[name]) if name in means else TableCell("") for name in shown)
    sums = (ReportRow(TableCell("All of these"), foot, "sum"),) if means else ()
    head, *short = (Column("Questions of"), *(Column(f"answered by {count(n)}") for n in range(1, len(shown) + 1)))
    in_full = ReportTable(
        (head, *(Column("answered by", display_name(name)) for name in shown)), rows, sums, "Who answers whose questions"
    )
    in_short = ReportTable((replace(head, head="questions of"), *short), rows, sums)
    own = {author.candidate for author in authors}
    guests = [f"{count(number)} {display_name(name)}" for number, name in enumerate(shown, 1) if name not in own]
    about = f"{_MATRIX}{_MEANS if means else ''}"
    also = f"also asked: {', '.join(guests)}" if guests else ""
    return (
        ReportSection("Who answers whose questions", (InFull((in_full, *notes(about))), InShort((in_short, *notes(also))))),
    )


def tint(share: float) -> int:
    """The tint of a cell, from 0 to 4.

    >>> tint(0.0), tint(0.2), tint(0.79), tint(1.0)
    (0, 1, 3, 4)
    """
    return bisect_right(TINTS, share)


def _answered(estimate: Estimate | None, *, own: bool) -> TableCell:
    if estimate is None:
        return NOT_ASKED
    cell = with_n_below(share_cell(estimate))
    level = Tint(0 if estimate.value is None else tint(estimate.value), "plain", framed=own)
    return replace(cell, text=f"{cell.text} its own" if own else cell.text, short=cell.text, tint=level)


_LEAD: Final = (
    "Each candidate explained the same kind of concepts and wrote questions on its own explanations. It answered them without "
    "the explanation, from what it knows, and with it."
)
_FIGURES: Final = (
    "Share of questions answered exactly, with 95% intervals. Gap: with minus without the explanation, question by question. "
    "ACS: how alike answers to the wordings of one question are."
)
_ACS: Final = "1 if all wordings of a question get the same answer, right or wrong. As printed in the paper, it can't reach 0."
_MATRIX: Final = "Original wordings answered exactly without the explanation; a stronger tint means more of them."
_MEANS: Final = " All of these: the mean of the column; each set of questions counts the same."
_CROSS: Final = (
    "Who answers whose questions: the original wordings, without the explanation, each in a separate conversation. A row is "
    "one "
    "set of questions, so figures in a row can be compared."
)


@dataclass(frozen=True, slots=True, repr=False)
class EqtFinding(ReportedFinding):
    """How well candidates answer questions on their own explanations (Table 1 and Figures 1 to 3 of `asgari2025`)."""

    results: tuple[EqtResult, ...]
    benchmark: BenchmarkComparison | None
    overlaps: tuple[Overlap, ...]
    """The number of each candidate's questions that repeat the benchmark's; empty if not requested."""
    signature: Signature

    @property
    def parts(self) -> tuple[ReportPart, ...]:
        """The parts of the report, the main one first."""
        parts = []
        if self.results:
            parts.append(candidate_part(self.results[0]) if len(self.results) == 1 else comparison_part(self.results))
        if self.benchmark is not None:
            parts.append(benchmark_part(self.benchmark))
        return (*parts, *map(overlap_part, self.overlaps))

    @property
    def headline(self) -> str:
        """The result in one sentence."""
        return self.parts[0].headline

    @property
    def statement(self) -> str:
        """The result in words."""
        return " ".join(text for part in self.parts for text in (part.headline, part.others) if text)

    @property
    def caveats(self) -> tuple[str, ...]:
        """The limits of the figures."""
        return tuple(dict.fromkeys(caveat for part in self.parts for caveat in part.caveats))

    @property
    def measured(self) -> bool:
        """Whether any question was written."""
        return any(result.measured for result in self.results)

    def report(self) -> Report:
        """The whole report as blocks."""
        first, *rest = parts = self.parts
        sections = (
            ReportSection(part.heading, (*paragraphs(part.headline), InFull(paragraphs(part.others, part.lead)), *part.blocks))
            for part in rest
        )
        method = dict.fromkeys(sentence for part in parts for sentence in part.method)
        return self.reported(
            "Explain, query, test",
            first.title,
            *first.first,
            InFull(notes(first.lead)),
            Caveats(self.caveats),
            InFull(paragraphs(first.others)),
            *first.blocks,
            *sections,
            *(block for part in parts for block in part.closing),
            method_of(tuple(method)),
        )

    @property
    def kind(self) -> str:
        """The kind of the JSON document."""
        return KIND

    @property
    def examined(self) -> tuple[str, ...]:
        """The names of the candidates."""
        return tuple(result.candidate for result in self.results)

    def figures(self) -> dict[str, Any]:
        """The numbers as JSON values, without the texts."""
        crossed = {"matrix": crossed_answers(self.results), "mean_over_all_questions": mean_over_all_questions(self.results)}
        return {
            "results": [values_by_key(result) | {"caveats": caveats_of(result)} for result in self.results],
            **(crossed if len(self.results) > 1 else {}),
            **given(benchmark=self.benchmark, overlaps=self.overlaps),
        }


def finding_of(
    results: Sequence[EqtResult], *, benchmark: BenchmarkComparison | None = None, overlaps: Sequence[Overlap] = ()
) -> EqtFinding:
    """The finding on these candidates.

    Raises `BadInput` for two results of one candidate, or without results.
    """
    duplicates = [name for name, times in Counter(result.candidate for result in results).items() if times > 1]
    if duplicates:
        raise BadInput(f"two results are of '{duplicates[0][:80]}': give one for each candidate")
    if not results and benchmark is None:
        raise BadInput("there is no result: give at least one")
    return EqtFinding(tuple(results), benchmark, tuple(overlaps), _signature(results, benchmark, overlaps))


def _signature(results: Sequence[EqtResult], benchmark: BenchmarkComparison | None, overlaps: Sequence[Overlap]) -> Signature:
    if len(results) == 1 and benchmark is None and not overlaps:
        return results[0].signature
    signatures = [result.signature for result in results]
    scopes = dict.fromkeys(signature.scope for signature in signatures)
    digests = {signature.scope_digest for signature in signatures}
    seeds = {signature.seed for signature in signatures}
    settings: dict[str, object] = {
        signature.candidate: dict(signature.settings) | {"seed": signature.seed} for signature in signatures
    }
    if benchmark is not None:
        settings["benchmark"] = {"file": benchmark.benchmark, "digest": benchmark.digest, "names": dict(benchmark.names)}
    if overlaps:
        settings["originals"] = {"file": overlaps[0].benchmark, "digest": overlaps[0].digest}
    return Signature(
        __version__,
        KIND,
        results[0].candidate if len(results) == 1 else f"{len(results)} candidates",
        next(iter(scopes)) if len(scopes) == 1 else f"{len(scopes)} lists of concepts",
        digests.pop() if len(digests) == 1 else "",
        seeds.pop() if len(seeds) == 1 else 0,
        settings,
    )
