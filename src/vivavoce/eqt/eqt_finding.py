"""The finding of EQT on one or several candidates, optionally with a benchmark and with near-duplicate questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vivavoce.eqt.benchmark import BenchmarkComparison
from vivavoce.eqt.overlap import Overlap
from vivavoce.eqt.report.benchmark import benchmark_part, overlap_part
from vivavoce.eqt.report.candidate import candidate_part
from vivavoce.eqt.report.comparison import comparison_part, crossed_answers, mean_over_all_questions
from vivavoce.eqt.report.parts import ReportPart
from vivavoce.eqt.report.sentences import caveats_of
from vivavoce.eqt.result import KIND, EqtResult
from vivavoce.errors import BadInput
from vivavoce.formats.json_values import given, values_by_key
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Block, Caveats, InFull, Report, ReportSection, method_of, notes, paragraphs
from vivavoce.report.reported import ReportedFinding
from vivavoce.version import __version__


@dataclass(frozen=True, slots=True, repr=False)
class EqtFinding(ReportedFinding):
    """How well candidates answer questions on their own explanations (Table 1 and Figures 1 to 3 of `asgari2025`)."""

    results: tuple[EqtResult, ...]
    """One result per candidate."""
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
        sections = (ReportSection(part.heading, (*paragraphs(part.headline), *_blocks(part))) for part in rest)
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
        return {
            "results": [values_by_key(result) | {"caveats": caveats_of(result)} for result in self.results],
            **_crossed(self.results),
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


def _blocks(part: ReportPart) -> tuple[Block, ...]:
    return (InFull(paragraphs(part.others, part.lead)), *part.blocks)


def _crossed(results: Sequence[EqtResult]) -> Mapping[str, object]:
    """The cross-examination matrix, if there are several candidates."""
    if len(results) < 2:
        return {}
    return {"matrix": crossed_answers(results), "mean_over_all_questions": mean_over_all_questions(results)}
