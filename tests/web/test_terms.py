"""The terms of games and of surveys: kept as they were, and said in the same words everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.each_case import each_case
from tests.web.api.running import RunningSite
from tests.web.site import PLAIN, SECRET, LiveSite, OneServer, ScriptlessBrowser, pair, running
from vivavoce.errors import BadInput
from vivavoce.generalization.survey.plan import Answerer, CompletionCodes, SurveyPlan
from vivavoce.luna.settings import THESIS, GameTerms
from vivavoce.web.database import reading
from vivavoce.web.pages.survey_texts import TEXTS, VERSION
from vivavoce.web.pages.survey_views import percent, plain
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import machines
from vivavoce.web.store.mails import letter
from vivavoce.web.store.people import Player


def texts(number: int, what: str = "Why") -> tuple[str, ...]:
    return tuple(f"{what} {index}?" for index in range(1, number + 1))


def to_the_end(ann: ScriptlessBrowser, bob: ScriptlessBrowser, game: str, number: int) -> None:
    """A whole game with so many questions."""
    for browser in (ann, bob):
        browser.ask(game, texts(number))
    for browser in (ann, bob):
        browser.answer(game, texts(number, "Because"))
    for browser in (ann, bob):
        browser.guess(game, "50")
    assert "A tie" in bob.words


@contextmanager
def site_with(folder: Path, address: str, terms: GameTerms) -> Iterator[OneServer]:
    """The site on this database with these terms."""
    with running(folder, database=address, terms=terms) as site:
        yield site


@pytest.mark.parametrize(
    ("number", "answers"),
    [
        (
            1,
            ["One question. One stranger.", "You write one question for a stranger, who writes one for you.", "Two minutes of"],
        ),
        (2, ["Two questions. One stranger.", "You answer the two questions that you were asked", "Four minutes of your time"]),
        (10, ["Ten questions. One stranger.", "who writes ten for you", "Twenty minutes of your time"]),
    ],
)
def test_a_whole_game_with_another_number_of_questions(tmp_path: Path, number: int, answers: list[str]) -> None:
    with running(tmp_path, terms=GameTerms(number, 300, 0.5)) as site:
        visitor = ScriptlessBrowser(site.url)
        shown = visitor.get("/").text + visitor.get("/how-it-works").text
        assert [words for words in answers if words not in shown] == []
        assert "takes longer than twelve hours" in visitor.words
        ann, bob, game = pair(site)
        name = "question" if number == 1 else answers[0].partition(".")[0].lower()
        ann.get(game)
        assert f"Ask a stranger {'one question' if number == 1 else name}" in ann.words
        assert f"Send my {name}" in ann.words
        assert "At most 300 characters" in ann.words
        assert ann.page.count("<textarea") == number
        assert ann.page.count('data-longest="300"') == number
        ann.get("/home")
        assert f"Write your {name}" in ann.words
        to_the_end(ann, bob, game, number)
        assert bob.page.count("<dt>") == 2 * number
        assert not re.search(r"\bfive\b|5,000|three days", bob.words)


def test_games_under_way_keep_their_terms(tmp_path: Path, address: str) -> None:
    with site_with(tmp_path, address, GameTerms(2, 200, 1.0)) as site:
        ann, bob, old = pair(site)
        ann.ask(old, ("x" * 200, "y"))
    cookies = [browser.client.cookies for browser in (ann, bob)]
    with site_with(tmp_path, address, GameTerms(3, 400, 30.0)) as site:
        ann, bob = (ScriptlessBrowser(site.url) for _ in range(2))
        for browser, kept in zip((ann, bob), cookies, strict=True):
            browser.client.cookies.update(kept)
        bob.get(old)
        assert "Ask a stranger two questions" in bob.words
        assert bob.page.count("<textarea") == 2
        assert "At most 200 characters" in bob.words
        assert "The game ends by itself in 24 hours" in bob.words
        bob.ask(old, ("x" * 201, "y"))
        assert "Question 1 has 201 characters; the limit is 200" in bob.words
        bob.ask(old, ("x", "y", "z"))  # of a form with more fields than the game has, the first are read
        for browser in (ann, bob):
            browser.answer(old, texts(2))
        ann.start()
        new = bob.begin_game()
        ann.get(new)
        assert "Ask a stranger three questions" in ann.words
        assert "At most 400 characters" in ann.words
        to_the_end(ann, bob, new, 3)
        for browser in (ann, bob):
            browser.guess(old, "50")
        assert "A tie" in bob.words


def test_a_draft_is_as_long_as_its_game_allows(tmp_path: Path) -> None:
    with running(tmp_path, terms=GameTerms(2, 200)) as site:
        ann, _, game = pair(site)
        ann.get(game)
        assert ann.send(f"{game}/interview/draft", {"question1": "é" * 500, "question3": "no"}, method="PUT").status_code == 200
        ann.get(game)
        assert ">\n" + "é" * 400 + "<" in ann.page  # twice what a move takes: it may still be cut
        assert "no</textarea>" not in ann.page


def test_the_longest_texts_of_the_largest_game_get_through(tmp_path: Path) -> None:
    with running(tmp_path, terms=GameTerms(10, 20_000)) as site:
        ann, bob, game = pair(site)
        longest = tuple("🙂" * 20_000 for _ in range(10))  # written as %F0%9F%99%82, twelve bytes each
        for browser in (ann, bob):
            browser.ask(game, longest)
            assert browser.status == 200
        ann.get(game)
        assert ann.page.count("🙂" * 20_000) == 10
        assert ann.send(f"{game}/response", {"answer1": "x" * 5_000_000}).status_code == 413


def test_machines_are_told_the_rules_of_each_game(tmp_path: Path, address: str) -> None:
    with site_with(tmp_path, address, GameTerms(2, 300, 1.0)) as running_one:
        site = RunningSite(running_one)
        token = site.machine("Marvin")
        machine = _machine(running_one)
        game = site.pair(site.person(), machine, GameTerms(2, 300, 1.0))
        assert _call(site, token, "GET", f"/games/{game}")[1]["rules"] == {"questions": 2, "longest": 300, "days": 1.0}
    with site_with(tmp_path, address, GameTerms(7)) as running_one:
        site = RunningSite(running_one)
        schema = httpx.get(f"{site.url}/api/openapi.json", verify=PLAIN).json()["components"]["schemas"]
        asked = schema["QuestionsBody"]["properties"]["questions"]
        assert (asked["minItems"], asked["maxItems"], asked["items"]["maxLength"]) == (7, 7, 5_000)
        assert "a game that began before has its own" in asked["description"].lower()
        status, document = _call(site, token, "POST", f"/games/{game}/questions", {"questions": list(texts(7))})
        assert (status, document) == (422, {"detail": "there must be two questions in this game, not 7"})
        status, document = _call(site, token, "POST", f"/games/{game}/questions", {"questions": ["x" * 301, "y"]})
        assert (status, document) == (422, {"detail": "question 1 has 301 characters; the limit is 300"})
        status, document = _call(site, token, "POST", f"/games/{game}/questions", {"questions": list(texts(2))})
        assert (status, document["own"]["questions"]) == (200, list(texts(2)))


def test_mail_says_what_the_game_wants() -> None:
    _, body = letter("begun", "7", GameTerms(1, days=2.0))
    assert "Ask your question here:" in body
    assert "longer than two days." in body
    assert "Ask your five questions here:" in letter("begun", "7", THESIS)[1]


def test_terms_from_the_environment() -> None:
    given = {"VIVA_WEB_QUESTIONS": "2", "VIVA_WEB_LONGEST_TEXT": "300", "VIVA_WEB_DAYS": "0.5"}
    base = {"VIVA_WEB_DATABASE": "x", "VIVA_WEB_SECRET": SECRET}
    assert SiteSettings.from_environment(base).terms == THESIS
    assert SiteSettings.from_environment(base | given).terms == GameTerms(2, 300, 0.5)
    assert SiteSettings.from_environment(base | given, terms=GameTerms(9)).terms == GameTerms(9)


@each_case(
    ("name", "value", "message"),
    [
        ("QUESTIONS", "11", "VIVA_WEB_QUESTIONS is '11': give a whole number from 1 to 10"),
        ("QUESTIONS", "0", "from 1 to 10"), ("QUESTIONS", "2.5", "a whole number"),
        ("LONGEST_TEXT", "10", "from 200 to 20,000"),
        ("DAYS", "nan", "a number from 0.04 to 30"), ("DAYS", "soon", "VIVA_WEB_DAYS is 'soon': give a number from 0.04 to 30"),
    ],
)  # fmt: skip
def test_terms_that_cannot_be(name: str, value: str, message: str) -> None:
    with pytest.raises(BadInput, match=re.escape(message)):
        SiteSettings.from_environment({"VIVA_WEB_DATABASE": "x", "VIVA_WEB_SECRET": SECRET, f"VIVA_WEB_{name}": value})


def _machine(site: LiveSite) -> Player:
    with reading(site.engine) as c:
        return machines.machines(c)[0].player


def _call(
    site: RunningSite, token: str, method: str, path: str, body: dict[str, object] | None = None
) -> tuple[int, dict[str, Any]]:
    answer = httpx.request(
        method, f"{site.url}/api/v1{path}", json=body, headers={"Authorization": f"Bearer {token}"}, verify=PLAIN
    )
    return answer.status_code, answer.json()


@each_case("answerer", ["machine", "either"])
@each_case("own", [True, False])
def test_the_consent_says_once_whether_answers_are_asked_for(answerer: Answerer, own: bool) -> None:
    plan = SurveyPlan("trust", "Trust", CompletionCodes("OK1", "NO1", "OUT1"), told=answerer, own_answers=own)
    task = TEXTS[VERSION].shown(plan)[0][1]
    assert ("You need not know any answers yourself." in task) is not own
    assert ("you answer the question yourself" in task) is own
    assert "  " not in task


@each_case(
    ("written", "shown"),
    [
        ("<b>One?<br></b>(A) x<BR />(B) y", "One?\n(A) x\n(B) y"),
        ("<b>Find it:<br>Options:<br></b>(A) Babe", "Find it:\nOptions:\n(A) Babe"),
        ("a < b and b > c", "a < b and b > c"),
        ("Which of <a>, <p> and <br > ends a line?", "Which of <a>, <p> and\n ends a line?"),
        ("10<sup>3</sup>", "10<sup>3</sup>"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("<b onclick=alert(1)>x</b>", "<b onclick=alert(1)>x"),
        ("<<b>b>x", "<b>x"),  # shown as it stands, and escaped there
        ("1\r\n2\r3\x00\x1b[31m", "1\n2\n3  [31m"),
        ("<br><br><br>far<br><br><br><br>below<br>", "far\n\nbelow"),
        ("&lt;b&gt; &amp;", "&lt;b&gt; &amp;"),
    ],
)
def test_marks_of_the_data_set_are_taken_away_and_all_else_stays(written: str, shown: str) -> None:
    assert plain(written) == shown


@given(st.text())
def test_plain_text_has_no_marks_of_its_own_and_no_unseen_letters(text: str) -> None:
    name = plain(text)
    assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in name)
    if "<" not in text:
        assert "<" not in name


@given(st.integers(0, 100))
def test_percents_are_read_as_people_write_them(number: int) -> None:
    eastern = str(number).translate({ord("0") + digit: ord("٠") + digit for digit in range(10)})
    for text in (str(number), f" {number} %", f"{number}%", eastern):
        assert percent(text) == number


@each_case("text", ["", " ", "-1", "101", "1e1", "62.5", "0x10", "²", "nan", "1 2", "%", "9" * 5_000, "10\x00", "+5"])
def test_what_is_no_percent_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="whole number from 0 to 100"):
        percent(text)
