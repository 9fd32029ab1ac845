"""What is typed is given back, whatever becomes of the form that it was sent with: as a browser without a script sees it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import update

from tests.web.site import QUESTIONS, LiveSite, ScriptlessBrowser, ask_and_answer, pair, play_out
from vivavoce.web.database import transaction
from vivavoce.web.tables import PLAYERS

TYPED = {f"question{number}": f"My <b>question</b> {number}?" for number in range(1, 6)}
SHOWN = "My &lt;b&gt;question&lt;/b&gt; 5?</textarea>"


def page_fields(browser: ScriptlessBrowser) -> dict[str, str]:
    """The hidden fields by which a page is known."""
    return {name: re.findall(f'name="{name}" value="([^"]*)"', browser.page)[0] for name in ("page", "based_on")}


def another_tab(browser: ScriptlessBrowser, game: str) -> ScriptlessBrowser:
    tab = ScriptlessBrowser(str(browser.client.base_url))
    tab.client.cookies = browser.client.cookies
    tab.get(game)
    return tab


@pytest.mark.parametrize("path", ["interview", "report"])
def test_after_the_session_has_ended(site: LiveSite, path: str) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    tab = another_tab(ann, game)
    another_tab(ann, "/profile").send("/sign-out")
    tab.send(f"{game}/{path}", TYPED if path == "interview" else {"reason": TYPED["question5"]})
    assert tab.status == 403
    assert "You are signed out" in tab.words
    assert SHOWN in tab.page
    assert "<b>question" not in tab.page
    assert 'href="/sign-in"' in tab.page


def test_after_the_text_to_agree_to_has_changed(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    with transaction(site.engine) as c:
        c.execute(update(PLAYERS).values(consent="0"))
    ann.send(f"{game}/interview", TYPED)
    assert ann.status == 403
    assert "Please read this first" in ann.words
    assert SHOWN in ann.page
    ann.get(game)
    assert ann.path == "/consent"  # who opens a page is led there
    ann.send("/consent", {"adult": "on", "release": "on"})
    ann.get(game)
    ann.send(f"{game}/interview", TYPED)
    assert "still writing questions" in ann.words


def test_with_a_token_that_is_out_of_date(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    ann.send(f"{game}/interview", TYPED | {"csrf": "0" * 64})
    assert ann.status == 403
    assert "This form has expired" in ann.words
    assert SHOWN in ann.page


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
def test_a_form_of_another_site_gives_nothing_to_read(site: LiveSite, origin: str) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    ann.client.headers["Origin"] = origin
    ann.send(f"{game}/interview", TYPED)
    assert ann.status == 403
    assert "question" not in ann.words.replace("Drafts of questions", "")


def test_after_the_game_has_moved_on_or_ended(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.get(game)
    tab, third = another_tab(ann, game), another_tab(ann, game)
    token = ann.token
    ann.ask(game)
    for late in (tab, third):
        late.send(f"{game}/interview", TYPED | ({"draft": "1"} if late is third else {}))
        assert late.status == 409
        assert "This part of the game is already done" in late.words
        assert SHOWN in late.page
    put = tab.client.put(f"{game}/interview/draft", data={"csrf": token, **TYPED})
    assert put.status_code == 409
    assert "nothing more is saved" in put.json()["say"]
    bob.get(game)
    token = bob.token
    site.clock.ahead = timedelta(days=4)
    bob.send(f"{game}/interview", TYPED | {"csrf": token})
    assert SHOWN in bob.page
    bob.get(game)
    assert "The time ran out" in bob.words


@pytest.mark.long
def test_a_guess_that_comes_late_is_given_back_and_one_that_comes_twice_is_not(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ask_and_answer(ann, bob, game)
    ann.get(game)
    token = ann.token
    who = {"who": "person", "sure": "70"}
    ann.send(f"{game}/guess", {"guess": "70", **who})
    ann.send(f"{game}/guess", {"csrf": token, "guess": "70", **who})
    assert ann.status == 200
    assert "still guessing" in ann.words
    ann.send(f"{game}/guess", {"csrf": token, "guess": "12", "slider1": "34", "who": "machine", "sure": "99"})
    assert ann.status == 409
    assert "Mark of answer 1: 34. Guess: 12. Person or machine: machine. How sure: 99." in ann.words
    bob.get("/home")


@pytest.mark.long
def test_a_fault_of_ours_gives_it_back(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    ann.send(f"{game}/nonsense", TYPED)
    assert ann.status == 400
    assert SHOWN in ann.page
    ann.get(game)
    for _ in range(130):
        ann.client.put(f"{game}/interview/draft", data={"csrf": ann.token})
    ann.send(f"{game}/interview", TYPED)
    if site.processes == 1:  # each process counts for itself
        assert ann.status == 429
        assert SHOWN in ann.page


@pytest.mark.long
def test_two_tabs_keep_two_drafts_until_one_is_thrown_away(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    first, second = another_tab(ann, game), another_tab(ann, game)
    begun = page_fields(first)
    first.send(f"{game}/interview", page_fields(first) | {"question1": "From the first", "draft": "1"})
    assert "another tab" not in first.words
    answer = second.send(f"{game}/interview/draft", page_fields(second) | {"question1": "From the second"}, method="PUT")
    assert answer.status_code == 200
    assert "in another tab" in answer.json()["say"]
    ann.get(game)
    assert "From the second</textarea>" in ann.page
    assert "You typed another text in another tab" in ann.words
    assert "readonly>\nFrom the first</textarea>" in ann.page
    # the first page goes on: its own text is replaced, and the other's kept
    again = ann.client.put(f"{game}/interview/draft", data={"csrf": ann.token, "question1": "From the first one", **begun})
    assert again.status_code == 200
    ann.get(game)
    assert "readonly>\nFrom the second</textarea>" in ann.page
    assert ann.page.count("readonly>") == 1
    other = re.findall('name="take" value="([0-9a-f]+)"', ann.page)
    ann.send(f"{game}/interview", page_fields(ann) | {"question1": "From the first one", "take": other[0]})
    assert "The boxes now contain the other text" in ann.words
    assert "From the second</textarea>" in ann.page
    assert "readonly>\nFrom the first one</textarea>" in ann.page
    other = re.findall('name="drop" value="([0-9a-f]+)"', ann.page)
    ann.send(f"{game}/interview", page_fields(ann) | {"question1": "From the second", "drop": other[0]})
    assert "The other text is deleted" in ann.words
    assert "another tab" not in ann.words


def test_a_page_that_goes_on_with_a_draft_takes_its_place(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    ann.send(f"{game}/interview", page_fields(ann) | {"question1": "A text", "draft": "1"})
    later = another_tab(ann, game)
    later.send(f"{game}/interview", page_fields(later) | {"question1": "Quite another", "draft": "1"})
    assert "Quite another</textarea>" in later.page
    assert "another tab" not in later.words


def test_what_another_tab_holds_is_given_back_when_this_one_is_sent(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    ann.get(game)
    first, second = another_tab(ann, game), another_tab(ann, game)
    second.send(f"{game}/interview/draft", page_fields(second) | {"question2": "Only in the second"}, method="PUT")
    first.send(f"{game}/interview", page_fields(first) | {f"question{number}": "?" for number in range(1, 6)})
    assert first.status == 200
    assert "Sent" in first.words
    assert "Only in the second</textarea>" in first.page
    ann.get(game)
    assert "still writing questions" in ann.words
    bob.get(game)
    assert "Only in the second" not in bob.page


def test_too_long_a_text_is_cut_in_the_draft_and_says_so(site: LiveSite) -> None:
    ann, _, game = pair(site)
    ann.get(game)
    ann.send(f"{game}/interview", page_fields(ann) | {"question1": "x" * 10_001, "draft": "1"})
    assert "was too long and was cut" in ann.words
    answer = ann.send(f"{game}/interview/draft", page_fields(ann) | {"question1": "x" * 10_001}, method="PUT")
    assert "was too long and was cut" in answer.json()["say"]


@pytest.mark.long
def test_nothing_is_given_back_where_all_was_taken(site: LiveSite) -> None:
    ann, bob, game = pair(site)
    play_out(ann, bob, game)
    ann.get(game)
    assert "textarea" not in re.sub(r'(?s)<details class="report">.*?</details>', "", ann.page)
    assert QUESTIONS[0] in ann.words
