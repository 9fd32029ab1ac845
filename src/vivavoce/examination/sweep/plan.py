"""The plan of a comparison: candidates, scopes and limits; and the cells that it leads to.

Its sections are those of `viva report`. A cell is a candidate on a scope, or all on a scope.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, get_type_hints

from pydantic import TypeAdapter, ValidationError

from vivavoce.candidates.names import kind_of
from vivavoce.certificate.claims.claim import ClaimFamily, MemberEvidence, Verdict
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.finding import Comparison
from vivavoce.certificate.config import PASSING_GRADE
from vivavoce.errors import BadFile, BadInput, UnknownName
from vivavoce.examination.part import NATURES
from vivavoce.examination.parts.certificate import CertificatePlan, history_moved
from vivavoce.examination.plan import STRICT, Move, Plan, Shown, Text
from vivavoce.examination.plan_file import LARGEST, bare_values, checked_plan, from_bare_values, from_here, placed
from vivavoce.formats.lines import whole_toml
from vivavoce.formats.wording import first_problem
from vivavoce.interview.budget import Budget, Limit
from vivavoce.interview.candidate import Usage
from vivavoce.settings import DELTA, MARGIN, settings_of

SPLIT: Final = "category"
TOGETHER: Final = "together"
CERTIFICATE: Final = "certificate"
OF_ONE_SCOPE: Final = ("draws", "history", "scorer", "model_role")
"""Keys of [certificate] that a sweep does not support, because its table has no place for such certificates."""
INIT: Final = f"""\
# A plan of `viva compare --plan FILE`: every candidate on every scope and in every examination.
# Paths are relative to this file.

candidates = [
    "chat:llama3.2@http://localhost:11434/v1",
    {{ candidate = "replay:answers.csv#gpt-4", name = "GPT-4, recorded" }},  # name: display name
]
scopes = [
    "arithmetic",
    {{ scope = "file:law.csv", title = "Law" }},
]
# split_by = "category"          # each category of a scope as a scope of its own
# seed = 0                       # draws the questions, for examples; without it seeds are drawn at random
correction = "fdr"               # of all verdicts of the table delta bounds the share of wrong ones; "fwer": the chance of any

[budget]                         # of the whole plan; each cell gets a part, and what is unused goes to those short of it
# questions = 50000
# tokens = 20000000
# money = 20.0                   # at the candidates' prices, as in chat:MODEL@URL?price_in=0.5&price_out=1.5

[certificate]                    # a certificate for each candidate on each scope, as in a plan of `viva report`
passing_grade = {PASSING_GRADE}
unacceptable_limit = "usual"
delta = {DELTA}                     # over the whole table
questions = 1000                 # at most, on one scope

[compare]                        # all candidates on the same questions, scope by scope; without it nothing is compared
margin = {MARGIN}
delta = {DELTA}                     # any wrong statement over all scopes; with rule = "share" the share of wrong ones on each
# together = true                # and on all scopes together, that is on questions drawn from all of them
"""
"""The plan that `viva compare --init` prints."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A candidate in the plan."""

    candidate: Text
    """The candidate, as on a command line."""
    name: Shown | None = None
    """Display name."""

    __pydantic_config__ = STRICT


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The candidates, scopes and limits of a sweep."""

    entrants: tuple[Entrant, ...]
    plan: Plan
    """The same for one candidate: certificates on the scopes."""
    compare: ComparisonConfig | None = None
    """Settings of the comparison; None: candidates are not compared."""
    split_by: Literal["category"] | None = None
    together: bool = False
    """Whether candidates are also compared on all scopes together."""

    @property
    def certificates(self) -> tuple[CertificatePlan, ...]:
        """One certificate for each scope in the plan."""
        return self.plan.sections_of(CertificatePlan)


def read_sweep(file: Path) -> SweepPlan:
    """Read the plan in a file; its paths become relative to the current folder.

    Raises `BadFile` for invalid TOML and values out of range, and `UnknownName` for an unknown key, with the nearest known one.
    """
    return _checked(file, whole_toml(file, longest=LARGEST), from_here(file.parent))


def sweep_of(text: str) -> SweepPlan:
    """Read a plan from text; paths do not change.

    >>> plan = sweep_of("candidates = ['bot:calculator']\\nscopes = ['arithmetic']\\n[certificate]\\npassing_grade = 0.9")
    >>> plan.certificates[0].scope, plan.certificates[0].claim.passing_grade, plan.plan.correction
    ('arithmetic', 0.9, 'fdr')
    >>> sweep_of("candidates = ['bot:calculator']\\nscope = ['arithmetic']")
    Traceback (most recent call last):
    ...
    vivavoce.errors.UnknownName: there is no key of a plan 'scope'; did you mean 'scopes'? There are: ...
    """
    return _checked(Path("plan"), tomllib.loads(text), lambda name: name)


def values_of_sweep(plan: SweepPlan) -> dict[str, Any]:
    """Everything in a plan about how cells are examined, as JSON values, without folders of files and without candidates.

    >>> plan = sweep_of("candidates = ['bot:calculator']\\nscopes = ['file:/home/me/sums.csv']")
    >>> values_of_sweep(plan)["certificate"][0]["scope"]
    'file:sums.csv'
    """
    compare = plan.compare
    return {
        **bare_values(plan.plan),
        "budget": asdict(plan.plan.budget),
        "compare": None if compare is None else {name: getattr(compare, name) for name in _of_comparison()},
        TOGETHER: plan.together,
    }


def sweep_of_values(values: Mapping[str, Any], candidates: Sequence[tuple[str, str]]) -> SweepPlan:
    """Make a plan from such values; paths are names of files. Raises `BadFile` and `UnknownName` for invalid values.

    candidates: the name and the display name of each.

    >>> plan = sweep_of("candidates = ['bot:calculator']\\nscopes = ['arithmetic']")
    >>> sweep_of_values(values_of_sweep(plan), [("bot:calculator", "x")]).certificates == plan.certificates
    True
    """
    file, given = Path("the plan"), dict(values)
    compare, together = given.pop("compare", None), given.pop(TOGETHER, False)
    budget = {name: limit for name, limit in dict(given.pop("budget", None) or {}).items() if limit is not None}
    limits = checked_plan(file, {"budget": budget}).budget
    known = {name: value for name, value in dict(compare or {}).items() if value is not None}
    return SweepPlan(
        tuple(Entrant(text, message) for text, message in candidates),
        replace(from_bare_values(given), budget=limits),
        None if compare is None else _comparison(file, known),
        together=together is True,
    )


def _checked(file: Path, given: Mapping[str, Any], move: Move) -> SweepPlan:
    values = deepcopy(dict(given))
    known = _keys()
    unknown = next((name for name in values if name not in known), None)
    if unknown is not None:
        raise UnknownName("key of a plan", unknown, known)
    entrants = _entrants(file, values.pop("candidates", None), move)
    compare = values.pop("compare", None)
    together = compare.pop(TOGETHER, False) if isinstance(compare, dict) else False
    if not isinstance(together, bool):
        raise BadFile(file, f"compare.{TOGETHER}: give true or false (it is {str(together)[:60]!a})")
    split_by = values.pop("split_by", None)
    if split_by not in (None, SPLIT):
        raise BadFile(file, f"split_by: there is only '{SPLIT}' (it is {str(split_by)[:60]!a})")
    settings = values.pop(CERTIFICATE, None)
    scopes = values.pop("scopes", None)
    values[CERTIFICATE] = _certificates(file, scopes, settings)
    plan = placed(checked_plan(file, {"correction": "fdr", **values}), move)
    _check_together(file, plan, compare=compare is not None, entrants=entrants)
    comparison = None if compare is None else _comparison(file, compare)
    return SweepPlan(entrants, plan, comparison, split_by, together)


def _entrants(file: Path, given: Any, move: Move) -> tuple[Entrant, ...]:
    if not isinstance(given, list) or not given:
        raise BadFile(file, 'candidates: name some, as in candidates = ["bot:calculator", "bot:eliza"]')
    raw = [{"candidate": text} if isinstance(text, str) else text for text in given]
    try:
        entrants = TypeAdapter(tuple[Entrant, ...]).validate_python(raw, strict=False)
    except ValidationError as error:
        raise BadFile(file, f"candidates: {first_problem(error)}") from None
    placed_ = []
    for entrant in entrants:
        name = entrant.candidate.strip()
        if (kind := kind_of(name)) not in NATURES or kind == "uci":
            raise BadFile(file, f"candidates: '{name[:80]}' can't be compared by a plan; test it by itself")
        placed_.append(Entrant(history_moved(name, move) if kind == "replay" else name, entrant.name))
    for what, of in (
        ("candidate", [entrant.candidate for entrant in placed_]),
        ("name", [entrant.name for entrant in placed_ if entrant.name]),
    ):
        twice = next((name for name in of if of.count(name) > 1), None)
        if twice is not None:
            raise BadFile(file, f"candidates: the {what} '{twice[:80]}' is given twice")
    return tuple(placed_)


def _certificates(file: Path, scopes: Any, settings: Any) -> list[Any]:
    """A section of a plan for each scope; keys of the scope take precedence over those for all."""
    if not isinstance(scopes, list) or not scopes:
        raise BadFile(file, 'scopes: name some, as in scopes = ["arithmetic", "file:law.csv"]')
    if settings is not None and not isinstance(settings, dict):
        raise BadFile(
            file, "write [certificate] once for all scopes, and put keys for a single scope next to it, as in { scope = S }"
        )
    result = []
    for scope in scopes:
        own = {"scope": scope} if isinstance(scope, str) else scope
        if not isinstance(own, dict) or "scope" not in own:
            raise BadFile(file, 'scopes: each is a name, or a table such as { scope = "file:law.csv", title = "Law" }')
        both = {**(settings or {}), **own}
        unfit = next((name for name in OF_ONE_SCOPE if name in both), None)
        if unfit is not None:
            raise BadFile(file, f"'{unfit}' is for a single certificate: leave it out, or use 'viva certify'")
        result.append(both)
    return result


def _of_comparison() -> list[str]:
    """Settings of `viva compare` that a plan may have."""
    return [setting.name for setting in settings_of(ComparisonConfig) if setting.name not in ("seed", "draws", "draws_claim")]


def _comparison(file: Path, given: Any) -> ComparisonConfig:
    known = [*_of_comparison(), TOGETHER]
    if not isinstance(given, dict):
        raise BadFile(file, "[compare] is a section with settings of 'viva compare'")
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise UnknownName("key of [compare]", unknown, known)
    try:
        return TypeAdapter(ComparisonConfig).validate_python(given)
    except ValidationError as error:
        raise BadFile(file, f"compare: {first_problem(error)}") from None
    except BadInput as error:
        raise BadFile(file, f"compare: {error}") from None


def _check_together(file: Path, plan: Plan, *, compare: bool, entrants: Sequence[Entrant]) -> None:
    certificates = plan.sections_of(CertificatePlan)
    if compare and len(entrants) < 2:
        raise BadFile(file, "[compare] needs two candidates or more")
    if any(certificate_plan.by_task for certificate_plan in certificates):
        raise BadFile(file, "a task of Inspect is certified by itself, with 'viva certify' or 'viva compare'")
    names = [certificate_plan.scope for certificate_plan in certificates]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadFile(file, f"scopes: '{twice[:80]}' is given twice")
    if len({certificate_plan.claim.delta for certificate_plan in certificates}) > 1:
        raise BadFile(file, "delta is for the whole table: give it once, in [certificate]")


def _keys() -> tuple[str, ...]:
    general = [name for name in get_type_hints(Plan) if name not in ("sections", "examinations", "name", "labels")]
    own = ("candidates", "scopes", "split_by", "compare", CERTIFICATE)
    return (*own, *(name for name in general if name in Plan.__dataclass_fields__))


Kind = Literal["certificate", "comparison"]
NOT_BEGUN: Final = "not examined yet: the same command goes on with it"


@dataclass(frozen=True, slots=True)
class SweepCell:
    """One part of a sweep, examined separately."""

    kind: Kind
    candidates: tuple[int, ...]
    """Positions in the plan; several for a comparison."""
    scope: int
    """Position among the opened scopes."""


@dataclass(frozen=True, slots=True)
class CellTask:
    """A cell to examine now, and its limits."""

    cell: SweepCell
    budget: Budget
    """The whole budget of the cell, including what was already spent."""
    family: ClaimFamily | None = None
    """The level of this round, for a certificate."""
    share: int = 1
    """How many comparisons share delta, for a comparison."""
    again: bool = False
    """Whether to start a new attempt."""


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """The outcome of a cell: a finding, or the reason why there is none."""

    cell: SweepCell
    finding: ManyScopes | Comparison | None = None
    reason: str = ""
    """The reason why there is no finding; empty if there is one."""
    unreachable: bool = False
    """Whether the same command may get further later."""
    questions: int = 0
    usage: Usage = field(default_factory=Usage)
    ended: Limit = ""
    """The limit of the budget that ended it."""

    @property
    def evidence(self) -> MemberEvidence:
        """The evidence of a certificate, for its family; none without a finding."""
        if not isinstance(self.finding, ManyScopes):
            return MemberEvidence()
        [result] = self.finding.scopes
        return MemberEvidence(result.log_e_understands, result.log_e_fails, self.finding.delta)

    @property
    def may_go_on(self) -> bool:
        """Whether a certificate stopped because its evidence was enough for the round: it continues at a higher level."""
        return isinstance(self.finding, ManyScopes) and self.finding.scopes[0].verdict is not Verdict.UNDECIDED


def cells_of(plan: SweepPlan, scopes: int) -> list[SweepCell]:
    """All cells in the order in which they are examined: candidate by candidate, so that a server holds one model at a time.

    scopes: the number of opened scopes, without all scopes together, which come last.
    """
    everybody = range(len(plan.entrants))
    cells = [SweepCell("certificate", (number,), scope) for number in everybody for scope in range(scopes)]
    if plan.compare is not None:
        cells += [SweepCell("comparison", tuple(everybody), scope) for scope in range(scopes + plan.together)]
    return cells


def parts(budget: Budget, cells: Sequence[SweepCell]) -> dict[SweepCell, Budget]:
    """The budget of each of these cells, with an equal part for each candidate in it, so that speed does not matter.

    >>> cells = [SweepCell("certificate", (0,), 0), SweepCell("certificate", (1,), 0), SweepCell("comparison", (0, 1), 0)]
    >>> [part.questions for part in parts(Budget(questions=100), cells).values()]
    [25, 25, 50]
    """
    whole = sum(len(cell.candidates) for cell in cells)
    return {cell: _times(budget, len(cell.candidates) / whole) for cell in cells}


def handed_on(budget: Budget, used: dict[SweepCell, CellOutcome], short: Sequence[SweepCell]) -> dict[SweepCell, Budget]:
    """The budgets of cells that ran short, if they share what others left over; includes what they have already used.

    >>> cells = [SweepCell("certificate", (0,), 0), SweepCell("certificate", (1,), 0)]
    >>> used = {cells[0]: CellOutcome(cells[0], questions=50, ended="questions"), cells[1]: CellOutcome(cells[1], questions=10)}
    >>> handed_on(Budget(questions=100), used, cells[:1])[cells[0]].questions
    90
    """
    whole = sum(len(cell.candidates) for cell in short)
    usage = sum((outcome.usage for outcome in used.values()), Usage())
    questions = sum(outcome.questions for outcome in used.values())
    left = Budget(
        None if budget.questions is None else max(0, budget.questions - questions),
        None if budget.tokens is None else max(0, budget.tokens - usage.tokens),
        None if budget.money is None else max(0.0, budget.money - usage.money),
    )
    result = {}
    for cell in short:
        more, so_far = _times(left, len(cell.candidates) / whole), used[cell]
        result[cell] = Budget(
            None if more.questions is None else more.questions + so_far.questions,
            None if more.tokens is None else more.tokens + so_far.usage.tokens,
            None if more.money is None else more.money + so_far.usage.money,
        )
    return result


def _times(budget: Budget, share: float) -> Budget:
    return Budget(
        None if budget.questions is None else int(budget.questions * share),
        None if budget.tokens is None else int(budget.tokens * share),
        None if budget.money is None else budget.money * share,
    )
