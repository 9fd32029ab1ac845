"""Plans: what is read is what was written, and rubbish is refused in one line that names it."""

from __future__ import annotations

import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vivavoce.certificate.config import ClaimConfig
from vivavoce.consistency.config import EnginesConfig
from vivavoce.eqt.record import ConceptsConfig
from vivavoce.errors import BadFile, BadInput
from vivavoce.examination.part import ExaminationConfig
from vivavoce.examination.parts.alignment import AlignmentPlan
from vivavoce.examination.parts.certificate import BUILT_IN, CertificatePlan
from vivavoce.examination.parts.chess import ChessPlan
from vivavoce.examination.parts.eqt import EqtPlan
from vivavoce.examination.parts.luna import LunaPlan
from vivavoce.examination.parts.studies import BailPlan, ForecastsPlan, VaryPlan
from vivavoce.examination.plan import Plan, PlanSection
from vivavoce.examination.plan_file import (
    INIT,
    LARGEST,
    as_toml,
    bare_values,
    checked_plan,
    digest_of_plan,
    from_bare_values,
    plan_of,
    read_plan,
    write_plan,
)
from vivavoce.examination.rooms import EXTENTS, Size, default_plan
from vivavoce.examination.run import look_ahead

SCOPES = st.builds(
    CertificatePlan,
    scope=st.text(min_size=1, max_size=50).filter(lambda text: text.isprintable()),
    claim=st.builds(
        ClaimConfig,
        passing_grade=st.floats(0.01, 0.99),
        unacceptable_limit=st.one_of(st.just("usual"), st.none(), st.floats(0.0001, 0.5)),
    ),
    questions=st.integers(1, 1_000_000),
)
PLANS = st.builds(
    Plan,
    seed=st.integers(0, 2**32),
    correction=st.sampled_from(["fwer", "fdr"]),
    sections=st.tuples(
        st.lists(SCOPES, max_size=3),
        st.lists(st.builds(EqtPlan, st.builds(ConceptsConfig, limit=st.integers(1, 9))), max_size=1),
        st.lists(st.builds(LunaPlan, games=st.integers(1, 50)), max_size=1),
        st.lists(st.builds(ChessPlan, engines=st.builds(EnginesConfig, workers=st.integers(1, 4))), max_size=1),
    ).map(lambda several: tuple(chain.from_iterable(several))),
)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=6,
)


def test_the_plan_to_start_from_is_the_default_written_out() -> None:
    plan = plan_of(INIT)
    assert plan.sections == (*BUILT_IN, EqtPlan(), LunaPlan())
    assert (plan.seed, plan.correction) == (None, "fwer")
    assert (plan.budget, plan.examinations) == (Plan().budget, None)


def test_what_is_commented_out_parses_too() -> None:
    # take the mark from every commented line that holds a key or a section
    lines = [line[2:] if line.startswith("# ") and (" = " in line or line[2:3] == "[") else line for line in INIT.splitlines()]
    without = [line for line in lines if not line.startswith("history")]
    with pytest.raises(BadFile, match="a history needs each drawn once"):
        plan_of("\n".join(lines))
    plan = plan_of("\n".join(without))
    assert all(map(plan.section, (ForecastsPlan, BailPlan, AlignmentPlan)))
    assert plan.section(ChessPlan) == ChessPlan()


def test_a_plan_says_one_thing_to_a_room_but_for_scopes() -> None:
    plan = Plan(sections=(LunaPlan(3), *BUILT_IN))
    assert plan.saying(LunaPlan(5), EqtPlan()).sections == (*BUILT_IN, LunaPlan(5), EqtPlan())
    assert (plan.section(LunaPlan), plan.section(EqtPlan), plan.sections_of(PlanSection)) == (LunaPlan(3), None, plan.sections)
    assert digest_of_plan(plan) == digest_of_plan(Plan(sections=(*BUILT_IN, LunaPlan(3))))
    with pytest.raises(BadInput, match="2 sections of the kind LunaPlan: give at most 1"):
        Plan(sections=(LunaPlan(3), LunaPlan(3)))


@given(PLANS)
@example(Plan(sections=(CertificatePlan(scope="file:\x7f\U0001d49c\u202e \"'\\.jsonl"),)))
def test_what_is_written_is_read(plan: Plan) -> None:
    assert plan_of(as_toml(plan)) == plan


@given(
    st.dictionaries(
        st.sampled_from(["seed", "examinations", "correction", "budget", "certificate", "eqt", "chess", "x"]), VALUES
    )
)
def test_rubbish_is_refused_or_is_a_plan(values: dict[str, Any]) -> None:
    text = ""
    try:
        checked_plan(Path("plan.toml"), values)
    except BadInput as error:
        text = str(error)
    assert "\n" not in text
    assert len(text) < 2_000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("sede = 1", "there is no key of a plan 'sede'; did you mean 'seed'?"),
        ("[eqt]\nlimt = 3", "there is no key of [eqt] 'limt'; did you mean 'limit'? There are: concepts, limit"),
        ("[eqt]\nlimit = 0", "eqt.limit: input should be greater than or equal to 1 (it is '0')"),
        ("[[certificate]]\npassing_grade = 0.5", "certificate.0.scope: "),
        ("[[certificate]]\nscope = 'a'\npassing_grade = 1.0", "input should be less than 1"),
        ("[certificate]\nscope = 'a'", "certificate: input should be a valid array"),
        ("seed = true", "seed: input should be a valid integer"),
        ("seed = 2020-01-01", "contains a date or a time"),
        ("[budget]\nmoney = nan", "input should be a finite number"),
        ("[budget]\ntokens = -5", "greater than or equal to 1"),
        ("examinations = ['ceritficate']", "input should be 'certificate'"),
        ("[luna]\nopponents = []", "luna.opponents"),
        ("[", "is not TOML"),
        ("a = 1\na = 2", "is not TOML"),
    ],
)
def test_each_mistake_is_named(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(BadInput) as caught:
        read_plan(tmp_path / "plan.toml")
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_that_are_no_plans(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large.toml").write_bytes(b"#" * (LARGEST + 1))
    (tmp_path / "deep.toml").write_text("a = " + "[" * 5_000)
    for name in ("binary.toml", "large.toml", "deep.toml", "none.toml"):
        with pytest.raises(BadInput, match=name):
            read_plan(tmp_path / name)


def test_paths_are_relative_to_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    text = "[[certificate]]\nscope = 'file:q.jsonl#a'\n[bail]\ndefendants = '/abs/d.csv'\n[forecasts]\ntuples = '../t.jsonl'"
    (tmp_path / "plans" / "plan.toml").write_text(text)
    plan = read_plan(Path("plans/plan.toml"))
    assert plan.sections == (CertificatePlan("file:plans/q.jsonl#a"), ForecastsPlan("t.jsonl"), BailPlan("/abs/d.csv"))
    write_plan(Path("out/plan.toml"), plan)
    assert tomllib.loads((tmp_path / "out" / "plan.toml").read_text())["forecasts"]["tuples"] == "../t.jsonl"
    again = read_plan(Path("out/plan.toml"))
    assert again == plan
    assert digest_of_plan(again) == digest_of_plan(plan_of(text))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (f"hf:openai/gsm8k@{'0' * 40}#test?config=main&after=####", None),
        ("inspect-task:evals/gsm8k", None),
        ("arithmetic?operations=*/", None),
        ("file:../law.csv?first=2&after=..//", "file:law.csv?first=2&after=..//"),
        ("mmlu-pro:all.jsonl#law/../tax", "mmlu-pro:plans/all.jsonl#law/../tax"),
    ],
)
def test_addresses_on_a_hub_and_what_stands_behind_a_path_are_no_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, read: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("plans").mkdir()
    Path("plans/plan.toml").write_text(f'[[certificate]]\nscope = "{written}"\n')
    assert [plan.scope for plan in read_plan(Path("plans/plan.toml")).sections_of(CertificatePlan)] == [read or written]


def test_what_limits_or_hurries_changes_no_digest() -> None:
    bare = digest_of_plan(plan_of("[chess]\nlimit = 5"))
    assert digest_of_plan(plan_of("[chess]\nlimit = 5\nworkers = 4\n[budget]\ntokens = 9")) == bare
    assert digest_of_plan(plan_of("[chess]\nlimit = 6")) != bare


def test_what_readers_are_told_changes_no_digest_and_stands_in_the_values() -> None:
    text = "[[certificate]]\nscope = 'arithmetic'\n"
    named = plan_of(f"name = 'Ann'\n{text}title = 'Sums'")
    assert digest_of_plan(named) == digest_of_plan(plan_of(text))
    assert from_bare_values(bare_values(named)) == named
    judged = digest_of_plan(plan_of(f"{text}judge = 'bot:eliza'"))
    assert judged != digest_of_plan(plan_of(text))
    assert judged != digest_of_plan(plan_of(f"{text}judge = 'bot:eliza'\nrubric = '10: right'"))


def test_a_rubric_s_file_is_relative_to_the_plan_and_words_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plans").mkdir()
    moved = {"rubric.md": "plans/rubric.md", "../my rubric.txt": "my rubric.txt", "10: it/is right": "10: it/is right"}
    for rubric, text in moved.items():
        (tmp_path / "plans" / "plan.toml").write_text(
            f"[[certificate]]\nscope = 'arithmetic'\njudge = 'bot:eliza'\nrubric = '{rubric}'"
        )
        plan = read_plan(Path("plans/plan.toml"))
        assert [certificate_plan.rubric for certificate_plan in plan.sections_of(CertificatePlan)] == [text]


SIZES = pytest.mark.parametrize("size", EXTENTS)


@SIZES
def test_the_plan_in_the_folder_is_the_plan(size: Size) -> None:
    assert plan_of(as_toml(default_plan(size))) == default_plan(size)


@SIZES
def test_every_test_of_a_language_model_is_in_it_and_fits_into_the_budget(size: Size) -> None:
    outlook = look_ahead(ExaminationConfig("chat:m@http://127.0.0.1:1/v1", "model", default_plan(size)), None)
    rooms = {planned.part.room for planned in outlook.rooms}
    studies = {"forecasts", "vary", "bail", "sycophancy", *(["self-knowledge"] if size != "quick" else [])}
    assert rooms == {"certificate", "eqt", "alignment", "luna", *studies}
    budget = EXTENTS[size].calls
    assert budget is None or sum(planned.cost_estimate.calls for planned in outlook.rooms) <= budget


@SIZES
def test_obvious_questions_are_varied_in_other_words_and_languages(size: Size) -> None:
    [own] = default_plan(size, ("arithmetic",)).sections_of(VaryPlan)
    [built_in] = default_plan(size).sections_of(VaryPlan)
    written = ["paraphrase", "translate:de", *(["translate:fr", "translate:es"] if size == "full" else [])]
    assert [kind for kind in built_in.config.vary if kind not in own.config.vary] == written
    assert (own.written, built_in.written) == (None, "material:obvious_variants.jsonl")


def test_scopes_of_ones_own_are_varied_instead_of_the_built_in_ones() -> None:
    plan = default_plan("quick", ("arithmetic",))
    assert plan.sections_of(CertificatePlan) == ()
    assert {section.scope for section in plan.sections if hasattr(section, "scope")} == {"arithmetic"}


def test_questions_that_only_a_judge_can_compare_are_not_varied(tmp_path: Path) -> None:
    file = tmp_path / "support.jsonl"
    file.write_text('{"question": "Write a poem.", "rubric": "Does it rhyme?"}\n')
    rooms = [type(section).__name__ for section in default_plan("quick", (f"file:{file}",)).sections]
    assert "VaryPlan" not in rooms
    assert rooms == ["EqtPlan", "LunaPlan"]


def test_of_some_tests_there_are_no_other_sections() -> None:
    assert [type(section).__name__ for section in default_plan("quick", only=("bail",)).sections] == ["BailPlan"]
