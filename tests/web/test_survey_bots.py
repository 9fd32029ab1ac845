"""Simulated respondents."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import select

from tests.postgres import fresh_schema
from tests.web import survey_bots
from tests.web.chromium import started_playwright
from tests.web.processes import running_processes
from tests.web.site import LiveSite, running
from tests.web.survey_bots import Habit, SimulatedRespondent, rehearse
from tests.web.survey_site import CODES, address, cards, counts, exported, make
from vivavoce.generalization.pairs import read_pairs
from vivavoce.generalization.survey.plan import SurveyStep
from vivavoce.web.database import reading
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.pages.survey_views import plain
from vivavoce.web.store.surveys import ExportedAnswer, Survey
from vivavoce.web.survey_release import write_survey
from vivavoce.web.tables import TABLES

pytestmark = pytest.mark.browser
EIGHT = (Habit.BACK, Habit.TWICE, Habit.TABS, Habit.RETURNS, Habit.FAILS, Habit.WITHDRAWS, Habit.STOPS, Habit.KEYS)
Row = tuple[object, ...]


@pytest.fixture(scope="module", autouse=True)
def _browser() -> None:
    with started_playwright():  # or the tests are skipped
        pass


def said_by(played: SimulatedRespondent) -> frozenset[Row]:
    """What a bot remembers."""
    return frozenset(
        (answer.place, answer.question, answer.before / 100, *(() if answer.after is None else
         (answer.other, answer.shown, answer.right, answer.after / 100, answer.why)))
        for answer in played.said
    )  # fmt: skip


def kept_of(answers: Iterable[ExportedAnswer]) -> list[frozenset[Row]]:
    """What the survey gives away, person by person. Fails where it has something twice."""
    people: dict[str, list[Row]] = {}
    places: dict[str, list[int]] = {}
    for answer in answers:
        pair = answer.pair
        after = (plain(pair.q1), plain(answer.shown), pair.previous_correct, pair.posterior, answer.why)
        rest = () if pair.posterior is None else after
        people.setdefault(pair.person, []).append((answer.place, plain(pair.q2), pair.prior, *rest))
        places.setdefault(pair.person, []).append(answer.place)
    for person, rows in people.items():
        assert sorted(places[person]) == list(range(1, len(rows) + 1))
        assert len({row[1] for row in rows}) == len(rows)  # no card came twice
    return [frozenset(rows) for rows in people.values()]


def hold_against(site: LiveSite, survey: Survey, played: Sequence[SimulatedRespondent]) -> None:
    """Whether the survey has what the bots said, all of it, and nothing else."""
    assert not [(respondent.habit, respondent.problems) for respondent in played if respondent.problems]
    codes = {"done": CODES.done, "failed": CODES.failed, "withdrawn": CODES.withdrawn, "": ""}
    assert all(respondent.code == codes[respondent.end] for respondent in played)
    remembered = Counter(said_by(respondent) for respondent in played if respondent.said)
    assert Counter(kept_of(exported(site, survey))) == remembered
    ends = Counter(respondent.end for respondent in played)
    survey_counts = counts(site, survey)
    assert (survey_counts.begun, survey_counts.unfinished) == (len(played), ends[""])
    assert (survey_counts.done, survey_counts.failed, survey_counts.withdrawn) == tuple(
        ends[step] for step in (SurveyStep.DONE, SurveyStep.FAILED, SurveyStep.WITHDRAWN)
    )
    for answer in exported(site, survey):
        assert answer.seconds_before >= 0
        assert answer.seconds_after is None or answer.seconds_after >= 0


def hold_secret(site: LiveSite, survey: Survey, played: Sequence[SimulatedRespondent], folder: Path, out: Path) -> None:
    """Whether no participant's name is in the export, the database, its file, or what the servers wrote to their logs."""
    with reading(site.engine) as c:
        write_survey(out, c, survey, now=utc_now(), majority=True)
        tables = "\n".join(str(row) for table in TABLES.sorted_tables for row in c.execute(select(table)))
    files = {file.name: file.read_bytes() for file in (*folder.iterdir(), *out.iterdir()) if file.is_file()} | {
        "tables": tables.encode()
    }
    assert len(read_pairs(out / "pairs.csv")) == len(exported(site, survey))
    names = [respondent.participant for respondent in played if respondent.participant]
    assert len(set(names)) == len(names) > 0
    for name in names:
        for secret in (name.encode(), sha256(name.encode()).hexdigest().encode()):
            assert not [file for file, content in files.items() if secret in content]
    logs = [content for file, content in files.items() if file.startswith("log")]
    assert logs
    assert b"".join(logs) == b""


def play(
    site: LiveSite, survey: Survey, habits: Sequence[Habit], *, at_once: int = 4, seed: int = 1
) -> list[SimulatedRespondent]:
    """Playwright's own loop runs where pytest's does not."""
    asked = rehearse(f"{site.url}{address(survey)}", habits, at_once=at_once, seed=seed)
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, asked).result()


@pytest.mark.slow
def test_eight_bots_and_what_is_kept_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    with running_processes(folder, str(folder / "site.sqlite"), 1) as site:
        survey = make(site, ask_why=True)
        played = play(site, survey, EIGHT)
        hold_against(site, survey, played)
        hold_secret(site, survey, played, folder, tmp_path / "out")


@pytest.mark.slow
@pytest.mark.study
@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.postgres)], ids=["SQLite", "PostgreSQL"])
def test_fifty_bots_and_what_is_kept_of_them(tmp_path: Path, request: pytest.FixtureRequest, processes: int) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    file = str(folder / "site.sqlite")
    database = file if processes == 1 else fresh_schema(request.getfixturevalue("postgres_server"))
    with running_processes(folder, database, processes) as site:
        short, whole = (
            make(site, ask_why=True, pairs_each=3, of=cards(60)),
            make(site, pairs_each=15, told="either", of=cards(60)),
        )
        for survey, habits, seed in (
            (short, list(islice(cycle(Habit), 45)), 1),
            (whole, [Habit.CAREFUL, Habit.TABS, Habit.RELOADS, Habit.MOVES, Habit.TWICE], 2),
        ):
            played = play(site, survey, habits, seed=seed)
            hold_against(site, survey, played)
            hold_secret(site, survey, played, folder, tmp_path / survey.plan.slug)


@pytest.mark.slow
def test_the_comparison_would_see_what_is_lost_double_or_changed(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        survey = make(site, ask_why=True)
        played = play(site, survey, [Habit.CAREFUL, Habit.STOPS], seed=3)
        hold_against(site, survey, played)
        answer = played[0].said[1]
        for name, other in (
            ("before", answer.before + 1),
            ("why", answer.why + "."),
            ("shown", "x"),
            ("right", not answer.right),
        ):
            true = getattr(answer, name)
            setattr(answer, name, other)
            with pytest.raises(AssertionError):
                hold_against(site, survey, played)
            setattr(answer, name, true)
        with pytest.raises(AssertionError):
            hold_against(site, survey, played[:1])
        with pytest.raises(AssertionError):
            hold_against(site, survey, [*played, played[0]])
        rows = exported(site, survey)
        with pytest.raises(AssertionError):
            kept_of([*rows, rows[0]])


@pytest.mark.long
def test_bots_take_a_preview_which_keeps_nothing(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        survey = make(site, state="draft", return_url="https://app.example.org/done")
        preview = f"{site.url}{address(survey)}/preview?key={survey.preview_key}"
        with ThreadPoolExecutor(1) as aside:
            played = aside.submit(asyncio.run, rehearse(preview, [Habit.CAREFUL, Habit.FAILS])).result()
        assert [(respondent.end, respondent.problems) for respondent in played] == [("done", []), ("failed", [])]
        assert counts(site, survey).begun == 0


@pytest.mark.slow
def test_bots_go_through_own_answers(tmp_path: Path) -> None:
    habits = (Habit.BACK, Habit.TWICE, Habit.TABS, Habit.RETURNS, Habit.WITHDRAWS, Habit.KEYS)
    with running(tmp_path) as site:
        survey = make(site, own_answers=True)
        played = play(site, survey, habits)
        assert [respondent.problems for respondent in played] == [[]] * len(habits)
        kept = exported(site, survey)
    assert Counter(kept_of(kept)) == Counter(said_by(respondent) for respondent in played if respondent.said)
    assert all(answer.own for answer in kept)


class Stuck:
    """A window that never closes."""

    async def close(self) -> None:
        await asyncio.Event().wait()


def test_a_window_that_never_closes_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey_bots, "CLOSING", 0.05)
    began = time.monotonic()
    asyncio.run(survey_bots.close(cast(Any, Stuck())))
    assert time.monotonic() - began < 20  # the usual patience is 30 seconds
