"""What is written of games and surveys: nothing lost, nothing double, nobody named, and no spreadsheet runs it."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Engine, select

from tests.web.store.players import START, account, played
from tests.web.store.respondents import PLAN, begun, belief, cards, finish, made
from tests.web.store.respondents import START as OPENED
from vivavoce.errors import BadFile
from vivavoce.generalization.pairs import read_pairs
from vivavoce.generalization.survey.plan import SurveyPlan
from vivavoce.luna.games_file import ExportedGame, ExportedSeat
from vivavoce.luna.players import _as_written as written
from vivavoce.web.database import back_up, migrate, open_database, reading, transaction
from vivavoce.web.pages.survey_texts import TEXTS, WORDS
from vivavoce.web.release import ANSWERS, CODEBOOK, GAMES, QUOTING, SEATS, WHOLE, safe, write_release
from vivavoce.web.store import respondents, surveys
from vivavoce.web.store.accounts import confirm, want_address
from vivavoce.web.store.people import by_email, new_key
from vivavoce.web.store.ratings import exported_games
from vivavoce.web.survey_release import COLUMNS, LABELS, PAIRS, SurveyExportCounts, write_survey
from vivavoce.web.survey_release import WHOLE as SURVEY_WHOLE
from vivavoce.web.tables import KEYS, RESPONDENT_TOKENS, RESPONDENTS

NOW = datetime(2026, 6, 14, 12, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
FIVE = st.tuples(TEXT, TEXT, TEXT, TEXT, TEXT)
MARK = st.none() | st.floats(0, 100)


@st.composite
def seats(draw: st.DrawFn, name: str) -> ExportedSeat:
    hidden, flag = draw(st.booleans()), draw(st.booleans())
    return ExportedSeat(
        player=name,
        kind=draw(st.sampled_from(["guest", "account", "machine"])),
        questions=None if hidden else draw(FIVE),
        answers=None if hidden else draw(FIVE),
        sliders=draw(st.tuples(MARK, MARK, MARK, MARK, MARK)),
        guess=draw(st.floats(0, 100)),
        rating_before=draw(MARK),
        rating_after=draw(MARK),
        outcome="won",
        seconds=(1.0, 2.0, 3.0),
        judged_human=draw(st.booleans()) if flag else None,
        confidence=draw(st.floats(50, 100)) if flag else None,
        right=draw(st.none() | st.booleans()) if flag else None,
    )


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.DictReader(opened))


def mark(text: str) -> float | None:
    return float(text) if text else None


@given(TEXT)
@example("'")
@example("''=1")
@example("\r=1")
def test_a_cell_is_safe_and_can_be_undone(text: str) -> None:
    cell = safe(text)
    assert written(cell) == text
    assert cell[0] not in "=+-@\t\r\n"
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n", quoting=QUOTING).writerow([cell, "next"])
    (row,) = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert row == [cell, "next"]


@given(st.lists(st.tuples(seats("ann"), seats("bob")), max_size=3))
@pytest.mark.long
def test_tables_and_whole_hold_the_same(played: list[tuple[ExportedSeat, ExportedSeat]]) -> None:
    games = [ExportedGame(f"g{number}", NOW, NOW, both) for number, both in enumerate(played)]
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        counts = write_release(out, games, now=NOW)
        assert {file.name for file in out.iterdir()} == {GAMES, SEATS, ANSWERS, WHOLE, CODEBOOK}
        whole = json.loads((out / WHOLE).read_text())
        tables = {name: rows(out / name) for name in (GAMES, SEATS, ANSWERS)}
    assert (counts.games, len(whole), len(tables[GAMES])) == (len(games), len(games), len(games))
    assert [(row["player"], float(row["guess"]), mark(row["rating_before"])) for row in tables[SEATS]] == [
        (seat.player, seat.guess, seat.rating_before) for game in games for seat in game.seats
    ]
    truths = {"true": True, "false": False, "": None}
    assert [(truths[row["judged_human"]], mark(row["confidence"]), truths[row["right"]]) for row in tables[SEATS]] == [
        (seat.judged_human, seat.confidence, seat.right) for game in games for seat in game.seats
    ]
    expected = [
        (game.game, str(index), question, answer, slider)
        for game in games
        for index, own, other in ((0, game.seats[0], game.seats[1]), (1, game.seats[1], game.seats[0]))
        if own.answers is not None and other.questions is not None
        for question, answer, slider in zip(other.questions, own.answers, other.sliders or (), strict=True)
    ]
    assert [
        (row["game"], row["place"], written(row["question"]), written(row["answer"]), mark(row["slider"]))
        for row in tables[ANSWERS]
    ] == expected
    assert counts.answers == len(expected)
    for game, entry in zip(games, whole, strict=True):
        for seat, other in zip(game.seats, entry["seats"], strict=True):
            assert other["answers"] == (None if seat.answers is None else list(seat.answers))
            assert other["sliders"] == list(seat.sliders or ())
            assert (other["judged_human"], other["confidence"], other["right"]) == (
                seat.judged_human,
                seat.confidence,
                seat.right,
            )


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "games.csv").write_text("mine")
    with pytest.raises(BadFile, match="not empty"):
        write_release(tmp_path, [], now=NOW)
    assert (tmp_path / "games.csv").read_text() == "mine"
    with pytest.raises(BadFile, match="cannot be written"):
        write_release(tmp_path / "games.csv" / "deeper", [], now=NOW)


def test_addresses_and_keys_are_in_a_backup_and_in_no_export(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "site.sqlite")
    migrate(engine)
    with transaction(engine) as c:
        ann, bob = account(c), account(c)
        played(c, (ann, 40.0), (bob, 80.0))
        key = new_key(c, "confirm", want_address(c, ann, "new@example.org").id, "new@example.org", START)
        secrets = [*c.execute(select(KEYS.c.id, KEYS.c.secret_hash)).one(), key, "example.org", ann.id, ann.name]
    with reading(engine) as c:
        assert write_release(tmp_path / "out", exported_games(c, salt=b"salt"), now=NOW).games == 1
    files = [file.read_text() for file in (tmp_path / "out").iterdir()]
    assert len(files) == 5
    assert not [secret for secret in secrets for file in files if secret in file]
    engine.dispose()
    back_up(str(tmp_path / "site.sqlite"), tmp_path / "copy.sqlite")
    copy = open_database(tmp_path / "copy.sqlite")
    with transaction(copy) as c:
        assert confirm(c, key, OPENED) is not None
        assert by_email(c, "new@example.org") is not None
    copy.dispose()


NASTY = ('=HYPERLINK("http://evil")', "'quoted', \"twice\"", "two\r\nlines, a lone \r and a \u2028", "\x00 \ud800 \x1b[31m")
PIDS = ("5f0a1b2c3d4e5f6071829301", "hashed-pseudonym-of-ann", "hashed-pseudonym-of-bob")


def lived(engine: Engine) -> surveys.Survey:
    """One who finished, one who stopped in the middle of a pair, one who withdrew, one who failed, one who only agreed."""
    survey = made(engine, n=6)
    with transaction(engine) as c:
        finish(c, begun(c, survey, PIDS[0]))
        halfway = begun(c, survey, PIDS[1], OPENED)
        halfway = respondents.believe_before(c, halfway, 1, 0.25, OPENED + timedelta(seconds=12))
        halfway = respondents.believe_after(c, halfway, 1, 0.5, NASTY[0], OPENED + timedelta(seconds=20.25))
        respondents.believe_before(c, halfway, 2, 0.75, OPENED + timedelta(seconds=30))
        respondents.withdraw(c, finish(c, begun(c, survey, PIDS[2])), OPENED)
        failed, _ = respondents.enter(c, survey, pid=None, now=OPENED)
        failed = respondents.agree(c, failed, "1", OPENED)
        for _ in range(2):
            respondents.answer_checks(c, failed, {}, OPENED)
        only, _ = respondents.enter(c, survey, pid=None, now=OPENED)
        respondents.agree(c, only, "1", OPENED)
    return survey


def table(file: Path) -> list[dict[str, str]]:
    """The rows of a table, as any other program reads them."""
    return list(csv.DictReader(io.StringIO(file.read_bytes().decode(), newline="")))


def written_to(engine: Engine, survey: surveys.Survey, folder: Path, **how: Any) -> SurveyExportCounts:
    """An export."""
    with reading(engine) as c:
        return write_survey(folder, c, survey, now=OPENED, **how)


def test_an_export_has_every_answer_once(engine: Engine, tmp_path: Path) -> None:
    counts = written_to(engine, lived(engine), tmp_path / "out")
    assert (counts.answers, counts.begun_only, counts.respondents) == (4, 1, 2)
    survey_counts = counts.counts
    assert (
        survey_counts.begun,
        survey_counts.agreed,
        survey_counts.done,
        survey_counts.failed,
        survey_counts.withdrawn,
        survey_counts.unfinished,
    ) == (5, 4, 1, 1, 1, 2)
    # the one who finished has three pairs, the one who stopped the other three, of which one is answered; the rest is gone
    assert (counts.pairs, counts.enough) == (6, 4)
    pairs = read_pairs(tmp_path / "out" / PAIRS)
    assert len(pairs) == 5
    people = {pair.person for pair in pairs}
    assert len(people) == 2
    assert {(pair.weight, pair.stage) for pair in pairs} == {(2.0, 1)}
    by_number = {card.q2: card for card in cards(6)}
    whole = [pair for pair in pairs if pair.posterior is not None and pair.prior != 0.25]
    for pair in whole:
        card = by_number[pair.q2]
        assert (pair.prior, pair.posterior) == (belief(card, "before"), belief(card, "after"))
        assert (pair.q1, pair.previous_correct) == (card.q1, card.previous_correct)
        assert pair.belief_change == bool(card.number % 2)
    half = next(pair for pair in pairs if pair.posterior is None)
    assert (half.prior, half.belief_change) == (0.75, None)


def test_times_are_from_one_form_to_the_next(engine: Engine, tmp_path: Path) -> None:
    written_to(engine, lived(engine), tmp_path / "out")
    rows = table(tmp_path / "out" / PAIRS)
    halfway = [row for row in rows if row["finished"] == "0"]
    assert [(row["place"], row["seconds_before"], row["seconds_after"]) for row in halfway] == [
        ("1", "12.0", "8.2"),  # 8.25 to the even tenth
        ("2", "9.8", ""),  # 9.75
    ]
    assert {(row["seconds_before"], row["seconds_after"]) for row in rows if row["finished"] == "1"} == {("7.0", "3.0")}


def test_times_can_be_left_out(engine: Engine, tmp_path: Path) -> None:
    written_to(engine, lived(engine), tmp_path / "out", times=False)
    for file in (PAIRS, SURVEY_WHOLE, "codebook.md"):
        text = (tmp_path / "out" / file).read_text()
        assert "`seconds_before`" not in text
        assert '"seconds_before"' not in text


def test_nobody_is_named(engine: Engine, tmp_path: Path) -> None:
    survey = lived(engine)
    written_to(engine, survey, tmp_path / "one", majority=True)
    written_to(engine, survey, tmp_path / "two", majority=True)
    texts = "".join(file.read_text() for folder in ("one", "two") for file in (tmp_path / folder).iterdir())
    with reading(engine) as c:
        secrets = [*PIDS, survey.preview_key, *vars_of(survey.plan)]
        secrets += [str(value) for row in c.execute(select(RESPONDENTS.c.id, RESPONDENTS.c.survey)) for value in row]
        secrets += list(c.execute(select(RESPONDENT_TOKENS.c.token_hash)).scalars())
    assert not [secret for secret in secrets if secret in texts]
    first, second = ({pair.person for pair in read_pairs(tmp_path / name / PAIRS)} for name in ("one", "two"))
    assert not first & second


def vars_of(plan: SurveyPlan) -> list[str]:
    """The completion codes."""
    return [f'"{code}"' for code in (plan.codes.done, plan.codes.failed, plan.codes.withdrawn)]


def test_tables_json_and_codebook_say_the_same(engine: Engine, tmp_path: Path) -> None:
    survey = lived(engine)
    written_to(engine, survey, tmp_path / "out", majority=True)
    rows = table(tmp_path / "out" / PAIRS)
    whole = json.loads((tmp_path / "out" / SURVEY_WHOLE).read_text())
    assert [row["person"] for row in rows] == [row["person"] for row in whole["rows"]]
    assert [float(row["prior"]) for row in rows] == [row["prior"] for row in whole["rows"]]
    assert whole["counts"] == {"begun": 5, "agreed": 4, "done": 1, "failed": 1, "withdrawn": 1, "unfinished": 2}
    codebook = (tmp_path / "out" / "codebook.md").read_text()
    for file, columns in COLUMNS.items():
        assert f"## {file}" in codebook
        assert list(table(tmp_path / "out" / file)[0]) == list(columns)
        assert all(f"| `{name}` |" in codebook for name in columns)
    assert "5 began: 1 finished, 1 did not pass the questions on the task, 1 withdrew, 2 stopped" in codebook
    assert WORDS[PLAN.told].before in codebook
    assert "4 agreed to version 1 of the text:" in codebook
    assert all(text in codebook for _, text in TEXTS["1"].shown(PLAN))


@pytest.mark.parametrize("nasty", NASTY)
def test_what_people_write_does_not_break_tables_or_run(engine: Engine, tmp_path: Path, nasty: str) -> None:
    survey = made(engine)
    with transaction(engine) as c:
        respondent = respondents.believe_before(c, begun(c, survey, "a"), 1, 0.5, OPENED)
        respondents.believe_after(c, respondent, 1, 0.5, nasty, OPENED)
    written_to(engine, survey, tmp_path / "out")
    (row,) = table(tmp_path / "out" / PAIRS)
    assert not row["why"].startswith("=")
    shown = nasty.encode("utf-8", "backslashreplace").decode().strip()
    assert written(row["why"]) == shown
    assert not any(control in row["why"] for control in "\x00\x1b")
    assert json.loads((tmp_path / "out" / SURVEY_WHOLE).read_text())["rows"][0]["why"] == nasty.strip()
    assert len(read_pairs(tmp_path / "out" / PAIRS)) == 1


def test_a_majority_needs_two_who_agree(engine: Engine, tmp_path: Path) -> None:
    survey = made(engine, n=3)
    with transaction(engine) as c:
        for number in range(4):
            respondent = begun(c, survey, str(number))
            for index in (1, 2, 3):
                card = respondents.card(c, respondent)
                assert card is not None
                # card 1: one of four changes; card 2: two; card 3: all
                change = {1: number == 0, 2: number < 2, 3: True}[card.number]
                respondent = respondents.believe_before(c, respondent, index, 0.5, OPENED)
                respondent = respondents.believe_after(c, respondent, index, 0.6 if change else 0.5, "", OPENED)
    counts = written_to(engine, survey, tmp_path / "out", majority=True)
    assert counts.divided == 1
    rows = {row["q2"]: row for row in table(tmp_path / "out" / LABELS)}
    document = {name: (row["belief_change"], row["answers"], row["changed"]) for name, row in rows.items()}
    assert document == {"second 1?": ("0", "4", "1"), "second 2?": ("", "4", "2"), "second 3?": ("1", "4", "4")}
    labels = {pair.q2: pair.belief_change for pair in read_pairs(tmp_path / "out" / LABELS)}
    assert labels == {"second 1?": False, "second 2?": None, "second 3?": True}


def test_one_answer_is_no_majority(engine: Engine, tmp_path: Path) -> None:
    survey = made(engine, n=3)
    with transaction(engine) as c:
        finish(c, begun(c, survey, "a"))
    assert written_to(engine, survey, tmp_path / "out", majority=True).divided == 3


def test_a_survey_without_answers_is_written_too(engine: Engine, tmp_path: Path) -> None:
    counts = written_to(engine, made(engine), tmp_path / "out", majority=True)
    assert (counts.answers, counts.pairs, counts.enough) == (0, 12, 0)
    assert json.loads((tmp_path / "out" / SURVEY_WHOLE).read_text())["rows"] == []
    with pytest.raises(BadFile, match="no pairs"):
        read_pairs(tmp_path / "out" / PAIRS)


def test_nothing_is_written_over(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("x")
    survey = made(engine)
    with pytest.raises(BadFile, match="not empty"):
        written_to(engine, survey, tmp_path / "out")
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadFile, match="cannot be written"):
        written_to(engine, survey, tmp_path / "file")
