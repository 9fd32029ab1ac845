"""The generic part of an examination for studies that ask in words, and the parts made from declared studies of a scope."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, make_dataclass, replace
from typing import Any, Final

from vivavoce.errors import NotEnoughEvidence
from vivavoce.examination import part
from vivavoce.examination.plan import PlanSection, Text, config_words, in_a_plan, names_in_a_plan
from vivavoce.formats.interval import Estimate
from vivavoce.formats.wording import clipped, count, numbered, percent, share
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.report.reported import ReportedFinding
from vivavoce.studies.scope_studies import COMMAND_NAMES, ScopeStudy
from vivavoce.studies.study import Source, StudyFinding

REPLY_TOKENS: Final = 60
"""Assumed tokens of a reply, and similarly for the other numbers of tokens."""
JUDGED_TOKENS: Final = (400, 60)
"""Assumed tokens of a judge's prompt and reply."""

ONE_TURN: Final = "can't hold a conversation"
"""The end of the reason why a candidate can't take a test."""

Asks = Callable[[part.ExaminationContext, Interview[Prompt, Reply] | None], Awaitable[StudyFinding[Any]]]


@dataclass(frozen=True, slots=True)
class OpenedStudy:
    """A study with the material that a plan names."""

    units: int
    """The cases, such as questions or defendants. If none is finished, there is no evidence."""
    calls: int
    tokens: tuple[int, int]
    """Assumed tokens of a prompt and a reply."""
    ask: Asks
    """Asks within the budget of the table; the interview is the judge's, if there is one."""
    command: list[str]
    """Arguments of `viva consistency`, without the candidate; the study's name comes first."""
    note: str = ""
    """The basis of the number of calls."""
    judge: str | None = None
    """The candidate that judges answers, as the plan names it."""
    judge_calls: int = 0
    digest: str = ""
    """Digest of the judged scope."""


@dataclass(frozen=True, slots=True)
class StudyPart(part.ExaminationPart):
    """A study as a part of an examination. It runs only if the plan has its section, or names it among the examinations."""

    room: str
    question: str
    section: type[PlanSection]
    init: str
    needs: str
    """What the plan must have, to follow "needs"."""
    opens: Callable[[Any, int], OpenedStudy]
    """Reads what a section names; the number is the seed."""
    always_listed: bool = False
    """Whether a report names it as not examined if the plan has no section for it."""
    needs_conversation: bool = False

    def absent(self, examination: part.ExaminationConfig, candidate: object) -> str:
        """A section is needed, and for some studies a candidate that holds conversations."""
        from vivavoce.interview.requests import holds_conversation

        if not examination.plan.section(self.section):
            return f"needs {self.needs}"
        if self.needs_conversation and candidate is not None and not holds_conversation(candidate):
            return f"{clipped(examination.candidate, 120)} {ONE_TURN}"
        return ""

    def cost_estimate(self, examination: part.ExaminationConfig, candidate: object) -> part.ExaminationCost:
        """Calls of the candidate and of the judge."""
        from vivavoce.candidates.names import kind_of

        opened = self._opened(examination)
        asked = part.priced(candidate, opened.calls, *opened.tokens, opened.note)
        if opened.judge is None:
            return asked
        kind_of(opened.judge)
        calls, judge = opened.judge_calls, examination.judges.get(opened.judge)
        judged = part.priced(judge, calls, calls * JUDGED_TOKENS[0], calls * JUDGED_TOKENS[1])
        return part.in_all([asked, judged], f"at most {calls} of them to the judge")

    async def run(self, table: part.ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """Raises `NotEnoughEvidence` if the budget ran out before anything was finished."""
        examination = table.examination
        opened = self._opened(examination)
        judging = None
        if opened.judge is not None:
            assert table.judged_by is not None
            judging = table.judged_by(opened.judge, opened.digest)
        with part.ending_early(table):
            finding = await opened.ask(table, judging)
        if judging is not None:
            table.rests_on(table.interviews[-1].spending + judging.spending)
        if 0 < opened.units <= finding.not_reached:
            raise out_of_budget(table, finding.study.item)
        name, *words = opened.command
        return [(finding, examination.command("consistency", *name.split(), examination.candidate, *words))]

    def claims(self, finding: StudyFinding[Any]) -> tuple[part.Claim, ...]:
        """The verdict if a limit was tested; a contradiction that was found; otherwise a measurement."""
        ability, test, flaw = finding.study.ability, finding.limit_test, finding.study.flaw
        event = finding.study.events[0]
        if test is not None:
            limit = share(test.limit)
            claims = {
                "pass": part.Claim("trusted", f"{ability} (at most {limit} change)", test.delta, subject=ability),
                "fail": part.Claim("not", f"{ability} (more than {limit} change)", test.delta, subject=ability),
                "undecided": part.Claim("unknown", f"{ability} (undecided at a limit of {limit})", subject=ability),
            }
            return (claims[test.verdict],)
        if flaw and any(effect.rates[event].events for effect in finding.ranked):
            return (part.Claim("not", f"{flaw}: {finding.headline.rstrip('.')}", subject=flaw),)
        if finding.measured:
            return (part.Claim("measured", finding.headline, fault=_fault(finding)),)
        return (part.Claim("unknown", f"{ability} (nothing could be compared)"),)

    def figures(self, finding: StudyFinding[Any]) -> tuple[part.ComparableFigure, ...]:
        """The rate of the first event under each treatment and the control, or the study's one figure."""
        study, asked = finding.study, finding.signature.scope_digest
        effects = (*finding.effects, *finding.control)
        if study.only_figure:
            effects = effects[:1]
        names = [study.only_figure or f"{effect.label}: {study.list_head.lower()}" for effect in effects]
        rates = [effect.rates[study.events[0]] for effect in effects]
        return tuple(
            part.ComparableFigure.of(
                name, Estimate(None if rate.unknown else rate.least, rate.interval, rate.n), "share", asked
            )
            for name, rate in zip(names, rates, strict=True)
        )

    def _opened(self, examination: part.ExaminationConfig) -> OpenedStudy:
        section = examination.plan.section(self.section)
        assert section is not None
        return self.opens(section, examination.plan.number)


def _fault(finding: StudyFinding[Any]) -> part.MeasuredFault | None:
    """The fault that the study tested for, with its rates; None without a test."""
    study, test = finding.study, finding.fault_test
    if test is None:
        return None
    if study.guessing is not None:
        does = study.does.format(f"{count(test.events)} of {numbered(test.n, study.case)}")
        words = f"{finding.name} {does} {study.under}; guesses would be in {percent(study.guessing)}"
    else:
        event = study.events[0]
        effect = next(effect for effect in finding.effects if effect.treatment.name == test.treatment)
        does = study.does.format(finding.share_of_cases(effect.rates[event]))
        words = f"{study.when.lower()} {effect.treatment.about}, {finding.name} {does}; "
        words += f"{study.than}, {effect.control[event].with_interval}"
    return part.MeasuredFault(test.p, f"{study.ability}: {words}", study.ability)


def out_of_budget(table: part.ExaminationContext, item: str) -> NotEnoughEvidence:
    """The error if the budget ran out before anything was finished. item: a noun for the unit."""
    return NotEnoughEvidence(f"the budget of {table.interviews[-1].exhausted} ran out before a {item} was finished")


@dataclass(frozen=True, slots=True)
class ScopePlan(PlanSection):
    """The questions of a scope, for a study that is declared; `scope_part` adds the study's configuration."""

    scope: Text

    scope_keys = ("scope",)


def scope_part(declared: ScopeStudy) -> StudyPart:
    """The part of a study of the questions of a scope."""
    kind, config = declared.study.kind, declared.config
    usual = in_a_plan(config)
    section = make_dataclass(
        f"{kind.title().replace('-', '')}Plan",
        [("config", config, field(default=usual))],
        bases=(ScopePlan,),
        frozen=True,
        slots=True,
    )

    def opens(plan: Any, seed: int) -> OpenedStudy:
        from vivavoce.certificate.claims.claim import brief
        from vivavoce.scopes import open_scope
        from vivavoce.studies.scope_subjects import conversed

        settings, scope = replace(plan.config, seed=seed), open_scope(plan.scope)
        subjects = conversed(scope, settings)
        calls, sent = declared.calls(subjects, settings)

        async def ask(table: part.ExaminationContext, _: object) -> StudyFinding[Any]:
            return await declared.ask(table.interview(calls), subjects, settings, Source(brief(plan.scope), scope.digest))

        words = [COMMAND_NAMES[kind], "--scope", plan.scope, *config_words(settings, joined=True)]
        return OpenedStudy(len(subjects), calls, (sent, calls * REPLY_TOKENS), ask, words)

    values = {name: getattr(usual, name) for name in names_in_a_plan(config)} | {"flip_limit": 0.1}
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items() if value is not None and name != "delta"]
    init = [f"[{kind}]", 'scope = "file:questions.jsonl"', *lines]
    return StudyPart(
        kind,
        declared.question,
        section,
        "".join(f"# {line}\n" for line in [f"{init[0]:<30} # 'viva consistency {kind} --help' explains it", *init[1:]]),
        f"questions: name a scope, [{kind}] scope = ... ('viva list scopes' lists them)",
        opens,
        needs_conversation=declared.needs_conversation,
    )
