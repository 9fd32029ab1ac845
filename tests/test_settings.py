"""Settings: each is declared once, and command line, plan and Inspect's tasks follow from it."""

from __future__ import annotations

import inspect
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_type_hints

import click
import pytest

from tests.each_case import each_case
from vivavoce.certificate.certify import Composition
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.comparison.config import ComparisonConfig, ComparisonPlanConfig
from vivavoce.certificate.config import (
    CertificateConfig,
    ClaimConfig,
    ExplanationsConfig,
    GradingConfig,
    LengthConfig,
    PopulationConfig,
    PredictionsConfig,
)
from vivavoce.certificate.explanations.examine import Procedures
from vivavoce.cli.certify import HEADS, certify
from vivavoce.cli.compare import compare as compare_candidates
from vivavoce.cli.compare import teach
from vivavoce.cli.consistency.chess import check as check_chess
from vivavoce.cli.consistency.chess import search
from vivavoce.cli.consistency.forecast_files import make
from vivavoce.cli.consistency.forecasts import ask, prompts
from vivavoce.cli.consistency.legal import bail, check_cases
from vivavoce.cli.consistency.studies import rules, study_command, vary
from vivavoce.cli.eqt.command import eqt
from vivavoce.cli.luna.ratings import compare, rate, simulate
from vivavoce.cli.luna.serve import play
from vivavoce.cli.mcp import mcp
from vivavoce.cli.options import ExpertOption, config_options
from vivavoce.cli.people.align import align
from vivavoce.cli.people.measure import measure
from vivavoce.cli.people.predict import influential
from vivavoce.cli.people.survey.create import create
from vivavoce.cli.people.survey.group import simulate as rehearsed
from vivavoce.cli.plan import plan as planned
from vivavoce.consistency.config import CasesConfig, ChessConfig, EnginesConfig, PositionsConfig, RelationsConfig, SearchConfig
from vivavoce.eqt.record import ConceptsConfig, EqtConfig
from vivavoce.errors import BadInput
from vivavoce.examination.parts.eqt import EqtPlan
from vivavoce.examination.parts.studies import BailPlan
from vivavoce.examination.plan import IN_A_PLAN, config_words, in_a_plan, is_config, names_in_a_plan
from vivavoce.examination.plan_file import as_toml, plan_of, values_of
from vivavoce.examination.rooms import SECTIONS
from vivavoce.generalization.config import AlignConfig, InfluentialConfig, MeasureConfig, RehearsalConfig, SurveyConfig
from vivavoce.generalization.survey.plan import SurveyPlan
from vivavoce.interview.forms.several_options import MOST_OPTIONS
from vivavoce.luna.settings import PlayConfig, RateConfig, SimulationConfig, SplitsConfig
from vivavoce.plugins.mcp_server.limits import AllowanceConfig
from vivavoce.settings import ConfigField, Count, Share, Temperature, Within, check, setting, settings_of
from vivavoce.studies.config import BailConfig, ForecastsConfig, MakingConfig, TeachingConfig, VariantsConfig, VaryConfig
from vivavoce.studies.scope_studies import SCOPE_STUDIES, scope_study

COMMANDS: dict[type[Any], click.Command] = {
    PopulationConfig: certify,
    GradingConfig: certify,
    ExplanationsConfig: certify,
    ClaimConfig: certify,
    PredictionsConfig: certify,
    LengthConfig: certify,
    BailConfig: bail,
    CasesConfig: check_cases,
    ForecastsConfig: ask,
    VariantsConfig: prompts,
    MakingConfig: make,
    ConceptsConfig: eqt,
    EqtConfig: eqt,
    ChessConfig: check_chess,
    PositionsConfig: check_chess,
    EnginesConfig: check_chess,
    SearchConfig: search,
    RelationsConfig: rules,
    VaryConfig: vary,
    **{scope_study(name).config: study_command(scope_study(name)) for name in SCOPE_STUDIES},
    TeachingConfig: teach,
    ComparisonConfig: compare_candidates,
    ComparisonPlanConfig: planned,
    AlignConfig: align,
    PlayConfig: play,
    AllowanceConfig: mcp,
    SimulationConfig: simulate,
    RateConfig: rate,
    SplitsConfig: compare,
    MeasureConfig: measure,
    InfluentialConfig: influential,
    RehearsalConfig: rehearsed,
    SurveyConfig: create,
}
INNER = {
    SimulationConfig: ("steps", "severity", "drift", "truth"),
    ComparisonPlanConfig: ("score", "delta", "questions", "price", "simulations", "seed"),
    AllowanceConfig: ("money", "tokens"),
}
"""Settings that no option has, since examinations set them for themselves; or whose option stands elsewhere."""
SECTION: dict[type[Any], tuple[str, str]] = {
    ClaimConfig: ("certificate", "[[certificate]]\nscope = 'arithmetic'\n"),
    BailConfig: ("bail", "[bail]\ndefendants = 'a.csv'\n"),
    ForecastsConfig: ("forecasts", "[forecasts]\ntuples = 'a.jsonl'\n"),
    VaryConfig: ("vary", "[vary]\nscope = 'arithmetic'\n"),
    **{scope_study(name).config: (name, f"[{name}]\nscope = 'arithmetic'\n") for name in SCOPE_STUDIES},
    RelationsConfig: ("relations", "[relations]\ntable = 'a.csv'\n"),
    VariantsConfig: ("variants", "[variants]\ntuples = 'a.jsonl'\n"),
    CasesConfig: ("cases", "[cases]\ncases = 'a.jsonl'\nparaphrases_file = 'b.jsonl'\n"),
    ConceptsConfig: ("eqt", "[eqt]\n"),
    EqtConfig: ("eqt", "[eqt]\n"),
    ChessConfig: ("chess", "[chess]\n"),
    PositionsConfig: ("chess", "[chess]\n"),
    EnginesConfig: ("chess", "[chess]\n"),
    AlignConfig: ("alignment", "[alignment]\npairs = ['a.csv']\nscope = 'file:a.jsonl'\n"),
}
"""Of a plan: its name, and how it begins with what it needs."""
EVERY = [(config, entry) for config in COMMANDS for entry in settings_of(config) if entry.name not in INNER.get(config, ())]
BOUNDED = [
    (config, entry, wrong)
    for config, entry in EVERY
    if entry.bounds and not entry.several
    for wrong in (-1, 10**9)
    if not entry.bounds.holds(wrong)
]


def option(config: type[Any], setting: ConfigField) -> click.Option:
    return next(
        parameter
        for parameter in COMMANDS[config].params
        if isinstance(parameter, click.Option) and parameter.name == setting.name
    )


@each_case("config", COMMANDS)
def test_every_field_is_a_setting_with_a_default_and_help(config: type[Any]) -> None:
    assert [field.name for field in settings_of(config)] == [field.name for field in fields(config) if field.name != "beliefs"]
    assert all(entry.default is not MISSING and entry.says.endswith((".", "]")) for entry in settings_of(config))
    assert config() == config()


@each_case(("config", "setting"), EVERY)
def test_the_option_follows_from_the_setting(config: type[Any], setting: ConfigField) -> None:
    click_option = option(config, setting)
    assert click_option.help == setting.says
    value = COMMANDS[config].make_context("command", [], resilient_parsing=True).params[setting.name]
    assert config(**{setting.name: tuple(value) if isinstance(value, list) else value}) == config()


@each_case("setting", settings_of(SurveyPlan))
def test_and_from_a_setting_of_a_survey_s_plan(setting: ConfigField) -> None:
    parameter = next(
        parameter for parameter in create.params if isinstance(parameter, click.Option) and parameter.name == setting.name
    )
    assert parameter.help == setting.says
    assert create.make_context("create", [], resilient_parsing=True).params[setting.name] == setting.default


@each_case(("config", "setting", "wrong"), BOUNDED)
def test_what_is_out_of_bounds_is_refused_in_python_and_on_the_command_line(
    config: type[Any], setting: ConfigField, wrong: int
) -> None:
    with pytest.raises(BadInput, match=f"^{setting.name} is {wrong}: give a "):
        config(**{setting.name: wrong})
    click_option = option(config, setting)
    with pytest.raises(click.UsageError, match=rf"{wrong}.* is (out of range: give a|not in the range) "):
        click_option.process_value(click.Context(COMMANDS[config]), str(wrong))


@each_case(
    ("config", "setting", "wrong"),
    [pair for pair in BOUNDED if pair[0] in SECTION and pair[1].name in names_in_a_plan(pair[0])],
)
def test_and_in_a_plan(config: type[Any], setting: ConfigField, wrong: int) -> None:
    section, begins = SECTION[config]
    with pytest.raises(BadInput, match=rf"^plan: {section}(\.0)?\.{setting.name}: input should be .* \(it is '{wrong}'\)$"):
        plan_of(f"{begins}{setting.name} = {wrong}")


@each_case("config", IN_A_PLAN)
def test_a_plan_has_the_defaults_of_the_room_but_for_those_with_a_reason(config: type[Any]) -> None:
    plan, own = in_a_plan(config), config()
    differ = {name: getattr(plan, name) for name in names_in_a_plan(config) if getattr(plan, name) != getattr(own, name)}
    assert differ == IN_A_PLAN[config].defaults
    assert bool(differ) is bool(IN_A_PLAN[config].reason)
    _, begins = SECTION[config]
    for read in plan_of(begins).sections:
        assert plan in [getattr(read, field.name) for field in fields(read)]


def test_every_configuration_of_a_plan_is_looked_at() -> None:
    held = {hint for kind in SECTIONS.values() for hint in get_type_hints(kind).values() if is_config(hint)}
    assert {*IN_A_PLAN} <= held == {*SECTION}


def test_a_plan_takes_every_setting_and_names_those_that_differ() -> None:
    text = "[bail]\ndefendants = 'a.csv'\nkeep_charge = true\ntemperature = 'none'\n[eqt]\nlimit = 'none'\n"
    plan = plan_of(text)
    to_bail, to_eqt = plan.section(BailPlan), plan.section(EqtPlan)
    assert to_bail is not None
    assert to_eqt is not None
    assert to_bail.config == BailConfig(limit=50, keep_charge=True, temperature=None)
    assert to_eqt.wanted.limit is None
    assert plan_of(as_toml(plan)) == plan
    assert values_of(plan)["bail"] == {
        "defendants": "a.csv", "limit": 50, "variants": 5, "keep_charge": True, "temperature": "none",
    }  # fmt: skip
    assert config_words(to_bail.config) == [
        "--limit", "50", "--variants", "5", "--seed", "0", "--keep-charge", "--temperature", "none",
    ]  # fmt: skip
    assert config_words(to_eqt.wanted) == []


def test_inspect_s_tasks_have_the_same_defaults() -> None:
    pytest.importorskip("inspect_ai")
    from vivavoce import inspect_tasks

    tasks: tuple[tuple[Any, type[Any], int], ...] = (
        (inspect_tasks.certificate, ClaimConfig, 3),
        (inspect_tasks.certificate, GradingConfig, 2),
    )
    for task, config, shared in tasks:
        taken = inspect.signature(task).parameters
        defaults = {entry.name: entry.default for entry in settings_of(config) if entry.name in taken}
        assert len(defaults) == shared
        assert {name: taken[name].default for name in defaults} == defaults


def test_what_is_composed_has_the_defaults_of_the_settings() -> None:
    config = CertificateConfig()
    claim, criterion = config.claim, Criterion()
    assert (criterion.passing_grade, criterion.delta) == (claim.passing_grade, claim.delta)
    composed, procedures = Composition(), Procedures()
    assert (composed.drawing, composed.procedure, composed.correction) == ("scope", claim.procedure, claim.correction)
    assert (procedures.checks, procedures.cpu_seconds) == (config.explanations.checks, config.explanations.programs_cpu)
    assert composed.grading.unreadable == procedures.unreadable == config.grading.unreadable


def test_the_settings_of_a_certificate_stand_under_the_heads_of_its_help() -> None:
    under = [name for names in HEADS.values() for name in names]
    assert len(under) == len(set(under))
    options = {max(entry.opts, key=len): entry for entry in certify.params if isinstance(entry, click.Option)}
    assert {name for name, entry in options.items() if not isinstance(entry, ExpertOption)} <= set(under)


def test_as_many_options_as_there_are_letters() -> None:
    (options,) = (entry for entry in settings_of(EqtConfig) if entry.name == "options")
    assert options.bounds == Within(2, MOST_OPTIONS)


@dataclass(frozen=True, slots=True)
class MadeConfig:
    """One setting of each kind."""

    number: Count | Literal["all"] = setting(3, "How many.")
    share: Share = setting(0.5, "How much.")
    heat: Temperature = setting(0.0, "How hot.")
    names: tuple[str, ...] = setting((), "Who.")
    way: Literal["here", "there"] = setting("here", "Where.")
    loud: bool = setting(False, "Whether aloud.")
    text: str = setting("", "What.")

    def __post_init__(self) -> None:
        check(self)


@each_case(
    ("wrong", "message"),
    [
        ({"number": 0}, "number is 0: give a whole number of 1 or more, or all"),
        ({"number": True}, "number is True: give a whole number"),
        ({"number": 1.5}, "number is 1.5: give a whole number"),
        ({"number": "some"}, "number is 'some': give"),
        ({"share": 1}, "share is 1: give a number above 0 and below 1"),
        ({"share": float("nan")}, "share is nan: give a number"),
        ({"heat": 11}, "heat is 11: give a number from 0 to 10, or none"),
        ({"names": "ann"}, "names is 'ann': give a tuple"),
        ({"names": (1,)}, "names is 1: give a text"),
        ({"way": "their"}, "there is no way 'their'; did you mean 'there'?"),
        ({"loud": 1}, "loud is 1: give true or false"),
        ({"text": None}, "text is None: give a text"),
    ],
)
def test_a_value_that_cannot_be_is_named_with_what_to_give(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput) as caught:
        MadeConfig(**wrong)
    assert str(caught.value).startswith(message)


def test_words_and_none_are_values() -> None:
    assert MadeConfig("all", heat=None).number == "all"


def test_options_of_every_kind(tmp_path: Path) -> None:
    from click.testing import CliRunner

    @click.command()
    @config_options(MadeConfig, number={"type": str})
    def made(**given: Any) -> None:
        number: Any = int(given.pop("number"))
        click.echo(repr(MadeConfig(number, **given)))

    assert CliRunner().invoke(made, []).output == f"{MadeConfig()!r}\n"
    output = CliRunner().invoke(made, ["--heat", "none", "--names", "a", "--names", "b", "--way", "there", "--loud"]).output
    assert output == f"{MadeConfig(heat=None, names=('a', 'b'), way='there', loud=True)!r}\n"
