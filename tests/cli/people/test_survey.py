"""`viva people survey` as an operator calls it, and `viva people simulate`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.cli.conftest import CliResult, Viva
from tests.web.site import ScriptlessBrowser, running
from tests.web.store.respondents import begun, finish
from vivavoce.cli import main
from vivavoce.generalization.pairs import read_pairs
from vivavoce.generalization.survey.plan import read_cards
from vivavoce.generalization.survey.responses import read_responses
from vivavoce.web.database import migrate, open_database, reading, transaction
from vivavoce.web.store import surveys

SURVEY = ("people", "survey")
MAKE = ("--scope", "arithmetic", "--candidate", "bot:calculator?wrong=0.3", "--pairs", "20", "--pairs-each", "3", "--quiet")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_database(tmp_path / "luna.sqlite")
    migrate(engine)
    yield engine
    engine.dispose()


def make(viva: Viva, name: str, *more: str) -> CliResult:
    """A survey of 20 sums."""
    return viva(*SURVEY, "create", name, *MAKE, "--database", "luna.sqlite", *more)


def take_part(engine: Engine, name: str, people: int) -> None:
    """So many answer all of it."""
    with transaction(engine) as c:
        survey = surveys.survey(c, name)
        assert survey is not None
        for number in range(people):
            finish(c, begun(c, survey, f"{number}"))


@pytest.mark.long
def test_from_questions_to_a_report(viva: Viva, engine: Engine, tmp_path: Path) -> None:
    made = make(viva, "trust", "--ask-why", "--codes", "A1,B1,C1", "--seed", "4")
    assert made.code == 0, made.err
    assert "Survey 'trust' with 20 pairs" in made.out
    assert "A1 finished, B1 asked to return the study, C1 withdrew" in made.out
    assert "7 respondents who finish" in made.err  # 20 pairs, 3 each
    assert "0 began" in viva(*SURVEY, "list", "--database", "luna.sqlite").out
    opened = viva(*SURVEY, "open", "trust", "--database", "luna.sqlite", "--base-url", "https://luna.example.org/")
    plain, platform = opened.out.splitlines()
    assert plain == "https://luna.example.org/surveys/trust"
    assert platform.startswith(f"{plain}?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID=")
    take_part(engine, "trust", 7)
    (listed,) = viva(*SURVEY, "list", "--database", "luna.sqlite", "--json").rows
    assert (listed["begun"], listed["done"], listed["answers"], listed["state"]) == (7, 7, 21, "open")
    exported = viva(*SURVEY, "export", "trust", "--database", "luna.sqlite", "--out", "out", "--majority")
    assert exported.code == 0
    assert "21 answers of 7 respondents written to out" in exported.out
    answered = read_pairs(tmp_path / "out" / "pairs.csv")
    assert len(answered) == 21
    # of 20; some may wait for a participant who has not seen their questions
    assert listed["enough"] == len({(pair.q1, pair.q2) for pair in answered}) <= 20
    output = viva(*SURVEY, "report", "out", "--html", "page.html")
    assert output.code == 0, output.err
    assert "7 began the survey: 7 finished it" in " ".join(output.out.split())
    assert "<svg" in (tmp_path / "page.html").read_text()
    figures = viva(*SURVEY, "report", "out", "--json").values
    assert (figures["figures"]["changed"]["n"], figures["figures"]["people"], figures["figures"]["counts"]["done"]) == (
        21,
        7,
        7,
    )
    twice = viva(*SURVEY, "report", "out", "out/pairs.csv", "--json").values
    assert (twice["figures"]["changed"]["n"], twice["figures"]["counts"]) == (42, None)
    assert viva(*SURVEY, "close", "trust", "--database", "luna.sqlite").code == 0
    assert viva(*SURVEY, "list", "--database", "luna.sqlite", "--json").rows[0]["state"] == "closed"


def test_links_lead_to_where_the_site_is_served(viva: Viva, engine: Engine, tmp_path: Path) -> None:
    assert json.loads(make(viva, "before", "--json").out)["preview"].startswith("http://127.0.0.1:8000/surveys/before/")
    with running(tmp_path, database=str(tmp_path / "luna.sqlite")) as site:
        preview = json.loads(make(viva, "trust", "--json").out)["preview"]
        assert ScriptlessBrowser(site.url).get(preview).status_code == 200
        opened = viva(*SURVEY, "open", "trust", "--database", "luna.sqlite").out.splitlines()[0]
        assert ScriptlessBrowser(site.url).get(opened).status_code == 200
    with running(tmp_path, database=str(tmp_path / "luna.sqlite")) as again:
        assert again.url != site.url
        assert viva(*SURVEY, "open", "trust", "--preview", "--database", "luna.sqlite").out.startswith(
            f"{again.url}/surveys/trust/preview"
        )


def test_cards_are_graded_as_the_candidate_errs(viva: Viva, engine: Engine) -> None:
    document = json.loads(make(viva, "trust", "--json").out)
    assert document["interview"]["outcomes"] == {"answer": 40}
    with reading(engine) as c:
        survey = surveys.survey(c, "trust")
        assert survey is not None
        cards = surveys.cards_of(c, survey)
    assert len(cards) == 20
    for card in cards:
        # "What is 12 + 34?", worked out here
        first, sign, second = card.q1.removeprefix("What is ").removesuffix("?").split(" ")[:3]
        exact = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}.get(sign)
        if exact is not None:
            assert card.previous_correct == (int(card.shown) == exact(int(first), int(second))), card
    # 40 questions were asked: 40 * 39 pairs, of which 20
    assert {card.weight for card in cards} == {78.0}


def test_a_dry_run_asks_little_and_makes_nothing(viva: Viva, engine: Engine) -> None:
    shown = viva(*SURVEY, "create", "trust", *MAKE, "--dry-run", "--pay", "2.5", "--answers-each", "8")
    assert shown.code == 0, shown.err
    assert shown.out.count("--- pair") == 3
    assert "3 answers: 3 answer; 0 left out" in shown.err
    assert "40 questions to the candidate" in shown.err
    # 160 answers, 3 each: 54 people at 2.50
    assert "54 respondents who finish give all the answers wanted, about 2.4 minutes each, 135.00 in all" in shown.err
    document = viva(*SURVEY, "create", "trust", *MAKE, "--dry-run", "--json").values
    assert len(document["cards"]) == 3
    assert viva(*SURVEY, "list", "--database", "luna.sqlite", "--json").rows == []


def test_what_is_saved_can_be_used_again(viva: Viva, engine: Engine, tmp_path: Path) -> None:
    assert make(viva, "trust", "--save", "cards.jsonl").code == 0
    again = viva(*SURVEY, "create", "again", "--recorded", "cards.jsonl", "--database", "luna.sqlite", "--stage", "3")
    assert again.code == 0, again.err
    with reading(engine) as c:
        first, second = (surveys.survey(c, name) for name in ("trust", "again"))
        assert first is not None
        assert second is not None
        cards, other = surveys.cards_of(c, first), surveys.cards_of(c, second)
    assert [(card.q1, card.shown, card.weight) for card in cards] == [(card.q1, card.shown, card.weight) for card in other]
    assert {card.stage for card in other} == {3}
    assert len(read_cards(tmp_path / "cards.jsonl")) == 20


def test_people_are_said_to_be_people(viva: Viva, engine: Engine, tmp_path: Path) -> None:
    rows = [f"q{number},z{number},s,t,{number},{number % 2},{'person' if number % 3 else 'machine'}" for number in range(6)]
    (tmp_path / "both.csv").write_text("\n".join(["q1,q2,source1,source2,shown,previous_correct,by", *rows]))
    both = (*SURVEY, "create", "both", "--recorded", "both.csv", "--pairs-each", "3", "--database", "luna.sqlite")
    refused = viva(*both)
    assert refused.code == 2
    assert "4 of the 6 shown answers are by people" in refused.err
    assert viva(*both, "--disclose", "either").code == 0


def test_a_predictor_chooses(viva: Viva, engine: Engine, tmp_path: Path) -> None:
    pytest.importorskip("vivavoce.generalization.predictors.model_store")
    rows = [f"q{number},z{number},s,t,{number % 2},{number % 2}" for number in range(40)]
    (tmp_path / "train.csv").write_text("\n".join(["q1,q2,source1,source2,previous_correct,belief_change", *rows]))
    fitted = viva("people", "predict", "fit", "train.csv", "--predictor", "previous", "--out", "model")
    assert fitted.code == 0, fitted.err
    made = make(viva, "stage-2", "--predictor", "model", "--stage", "2")
    assert made.code == 0, made.err
    with reading(engine) as c:
        survey = surveys.survey(c, "stage-2")
        assert survey is not None
        cards = surveys.cards_of(c, survey)
    # 14 from the top tenth, which after such training is after right answers, 6 from the rest
    weights = [card.weight for card in cards]
    assert len(set(weights)) == 2
    assert weights.count(min(weights)) == 14
    assert all(card.previous_correct for card in cards if card.weight == min(weights))
    assert sum(weights) == pytest.approx(40 * 39)
    assert {card.stage for card in cards} == {2}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("create", "x", "--database", "luna.sqlite"), "give --scope and --candidate, or --recorded"),
        (("create", "x", "--scope", "arithmetic", "--database", "luna.sqlite"), "give --scope and --candidate"),
        (("create", "x", *MAKE), "give --database, or --dry-run"),
        (("create", "x", *MAKE, "--database", "none.sqlite"), "there is no such database"),
        (("create", "X Y", *MAKE, "--database", "luna.sqlite"), "lower-case letters"),
        (("create", "x", *MAKE, "--database", "luna.sqlite", "--codes", "a,b"), "--codes takes three"),
        (("create", "x", *MAKE, "--database", "luna.sqlite", "--codes", "a,a,b"), "codes are equal"),
        (("create", "x", *MAKE, "--database", "luna.sqlite", "--return-url", "http://a"), "https"),
        (("create", "x", *MAKE, "--database", "luna.sqlite", "--balanced"), "--balanced needs --predictor"),
        (("create", "x", *MAKE, "--database", "luna.sqlite", "--by", "person"), "--disclose either"),
        (("create", "x", *MAKE, "--database", "luna.sqlite", "--save", "no/where"), "does not exist"),
        (("create", "x", *MAKE, "--database", "luna.sqlite", "--pairs-each", "30"), "20 cards"),
        (("create", "x", *MAKE[:-1], "--questions", "3", "--database", "luna.sqlite"), "20 pairs can't be drawn from 6"),
        (
            ("create", "x", "--scope", "arithmetic", "--candidate", "bot:gibberish", "--dry-run"),
            "no answer can be shown: 20 unr",
        ),
        (("create", "x", "--scope", "arithmetics", "--candidate", "bot:calculator", "--dry-run"), "did you mean 'arithmetic'"),
        (("open", "none", "--database", "luna.sqlite"), "there is no survey 'none'"),
        (("open", "none", "--preview", "--database", "luna.sqlite"), "there is no survey 'none'"),
        (("export", "none", "--database", "luna.sqlite", "--out", "out"), "there is no survey 'none'"),
        (("report", "folder"), "cannot be read"),
        (("report", "rubbish.csv"), "no column q1"),
    ],
)
def test_what_cannot_be_is_one_line(
    viva: Viva, engine: Engine, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "rubbish.csv").write_text("a,b\n1,2\n")
    ended = viva(*SURVEY, *arguments)
    assert ended.code == 2
    assert ended.out == ""
    line = ended.err.strip().splitlines()[-1]
    assert problem in line


def test_a_name_that_is_taken_is_said_before_anything_is_asked(viva: Viva, engine: Engine) -> None:
    assert make(viva, "trust").code == 0
    again = make(viva, "trust", "--transcript", "run.sqlite")
    assert again.code == 2
    assert "already" in again.err
    assert not Path("run.sqlite").exists()


@pytest.mark.parametrize(
    "counts", ["[]", '{"counts": {}}', '{"counts": {"begun": "x"}}', "\x00", '{"counts": 3}', "[" * 100_000]
)
def test_an_export_that_was_changed_is_said(viva: Viva, tmp_path: Path, counts: str) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "pairs.csv").write_text("q1,q2,source1,source2,previous_correct,belief_change\na,b,s,t,1,1\n")
    (tmp_path / "out" / "survey.json").write_text(counts)
    ended = viva(*SURVEY, "report", "out")
    assert ended.code == 2
    assert "survey.json" in ended.err
    assert any(text in ended.err for text in ("is not an export", "not JSON", "more than 64 levels deep"))


def test_a_preview_has_its_key(viva: Viva, engine: Engine) -> None:
    document = json.loads(make(viva, "trust", "--json").out)
    shown = viva(*SURVEY, "open", "trust", "--preview", "--database", "luna.sqlite").out.strip()
    assert shown == document["preview"]
    with reading(engine) as c:
        assert surveys.preview(c, "trust", shown.partition("key=")[2]) is not None


def test_own_answers_are_graded_in_the_export(viva: Viva, engine: Engine, tmp_path: Path) -> None:
    made = make(viva, "trust", "--own-answers", "--codes", "A1,B1,C1,D1")
    assert made.code == 0, made.err
    assert "D1 took part before" in made.out
    viva(*SURVEY, "open", "trust", "--database", "luna.sqlite")
    take_part(engine, "trust", 9)
    exported = viva(*SURVEY, "export", "trust", "--database", "luna.sqlite", "--out", "out")
    assert exported.code == 0, exported.err
    assert "could not be graded" not in exported.err
    elsewhere = viva(*SURVEY, "export", "trust", "--database", "luna.sqlite", "--out", "more", "--scope", "arithmetic?digits=1")
    assert "own answers could not be graded" in elsewhere.err
    both = viva(*SURVEY, "report", "more", "--json")
    assert (
        json.loads((tmp_path / "more" / "survey.json").read_text())["ungraded"]
        == both.values["figures"]["own_answers"]["unreadable"]
    )
    report = viva(*SURVEY, "report", "out", "--json").values
    # everybody adds up where that is asked, and says 0 where it is something else, which may be right there too
    rows = read_responses(tmp_path / "out" / "pairs.csv")
    sums = [row for row in rows if " + " in row.pair.q2]
    assert 0 < len(sums) < 27
    assert all(row.own_right for row in sums)
    own_answers = report["figures"]["own_answers"]
    assert own_answers["right"]["value"] == pytest.approx(sum(bool(row.own_right) for row in rows) / 27)
    assert not all(row.own_right for row in rows)


def test_own_answers_need_a_scope(viva: Viva, tmp_path: Path) -> None:
    rows = ["q1,q2,source1,source2,shown,previous_correct", *(f"q{number},z{number},s,t,{number},1" for number in range(1, 6))]
    (tmp_path / "pairs.csv").write_text("\n".join(rows))
    given = (*SURVEY, "create", "trust", "--recorded", "pairs.csv", "--pairs-each", "3", "--database", "luna.sqlite")
    refused = viva(*given, "--own-answers")
    assert (refused.code, "--own-answers needs --scope" in refused.err) == (2, True), refused.err


def test_yield_by_rank(viva: Viva, tmp_path: Path) -> None:
    done = viva("people", "simulate", "--stages", "1", "--answers", "200", "--pool", "500", "--out", "train.csv", "--quiet")
    assert done.code == 0, done.err
    output = viva(*SURVEY, "yield", "train.csv", "--predictor", "previous-task", "--html", "yield.html")
    assert output.code == 0, output.err
    assert "had not seen" in output.out
    assert "<svg" in (tmp_path / "yield.html").read_text()
    document = viva(*SURVEY, "yield", "train.csv", "--predictor", "previous-task", "--json").values
    assert (len(document["figures"]["tenths"]), document["figures"]["all"]["n"], document["figures"]["folds"]) == (10, 200, 5)
    same = viva(*SURVEY, "yield", "train.csv", "--fit", "train.csv")
    assert (same.code, "no held-out pairs" in same.err) == (same.code or 1, True)


SMALL = ("--stages", "2", "--answers", "90", "--pool", "600", "--predictor", "previous-task", "--quiet")


def test_a_rehearsal_prints_writes_and_can_be_had_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["people", "simulate", *SMALL, "--out", str(tmp_path / "a.csv"), "--html", str(tmp_path / "a.html")]
    assert main([*arguments, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert [stage["changed"]["n"] for stage in first["figures"]["stages"]] == [90, 90]
    pairs = read_pairs(tmp_path / "a.csv")
    assert len(pairs) == 180
    share = sum(bool(pair.changed) for pair in pairs[:90]) / 90
    assert first["figures"]["stages"][0]["changed"]["value"] == pytest.approx(share)
    assert "Rehearsed survey" in (tmp_path / "a.html").read_text()
    assert main(arguments) == 0
    assert first["statement"] in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("wrong", [("--answers", "3"), ("--epsilon", "1"), ("--predictor", "oracle"), ("--pool", "100")])
def test_what_cannot_be_rehearsed(wrong: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["people", "simulate", "--answers", "200", "--quiet", *wrong]) == 2
    assert capsys.readouterr().out == ""
