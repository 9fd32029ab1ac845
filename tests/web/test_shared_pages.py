"""Shared results and questions that are shown: what strangers see, and what they do not."""

from __future__ import annotations

import re
from html import unescape
from io import BytesIO

import pytest
from PIL import Image

from tests.web.site import ANSWERS, QUESTIONS, Browser, LiveSite, pair, play_out
from vivavoce.web.pages.shared_results import picture, sentences
from vivavoce.web.store.public_data import SharedScores

SCORES = SharedScores(81.0, 66.3, 91.0, 70.0, True, "won")
OTHERS = (
    SharedScores(82.0, 66.3, 91.0, 70.0, True, "won"),
    SharedScores(81.0, None, 91.0, 70.0, True, "won"),
    SharedScores(81.0, 66.3, 9.1, 70.0, True, "won"),
    SharedScores(81.0, 66.3, 91.0, None, True, "won"),
    SharedScores(81.0, 66.3, 91.0, 70.0, False, "won"),
    SharedScores(81.0, 66.3, 91.0, 70.0, True, "lost"),
)


def share(site: LiveSite) -> tuple[Browser, Browser, str, str]:
    """Two players, their game, and where the first shares the result of it."""
    ann, bob, game = pair(site.url)
    play_out(ann, bob, game, ("66", "70"))
    ann.start()
    game = bob.begin_game()
    play_out(ann, bob, game)
    ann.get(game)
    ann.send(f"{game}/share")
    assert re.fullmatch("/shared/[0-9a-f]{32}", ann.path)
    return ann, bob, game, ann.path


def test_a_result_is_shared_by_a_form_and_shows_scores_alone(site: LiveSite) -> None:
    ann, bob, game, path = share(site)
    assert "This is what others see" in ann.words
    stranger = Browser(site.url)
    stranger.get(path)
    assert stranger.status == 200
    words = "I guessed 81, it is 66. They guessed 91, mine was 70. The stranger was a person."
    assert words in unescape(stranger.page)
    assert '<meta name="robots" content="noindex">' in stranger.page
    for name, content in (("og:image", f"{path}.png"), ("og:url", path), ("og:description", words), ("og:image:width", "1200")):
        assert re.search(f'<meta property="{name}" content="[^"]*{re.escape(content)}">', stranger.page), name
    assert 'href="/consent">Play</a>' in stranger.page
    for browser in (ann, bob):
        browser.get("/profile")
        name = re.findall("<h1>(.*?)</h1>", browser.page)[0]
        assert name not in stranger.page
    for text in (*QUESTIONS, *ANSWERS, game, "Withdraw"):
        assert text not in stranger.page
    bob.get(path)
    assert "Withdraw" not in bob.page
    bob.send(f"{path}/withdraw")
    assert bob.status == 403  # there is no such form on the page, and so no token
    bob.get("/profile")
    bob.send(f"{path}/withdraw")
    assert bob.status == 404
    ann.get(path)
    ann.send(f"{path}/withdraw")
    assert "Your result is withdrawn" in ann.words
    for gone in (path, f"{path}.png"):
        assert stranger.get(gone).status_code == 404


@pytest.mark.long
def test_the_picture_is_a_png_that_others_may_keep_for_a_while(site: LiveSite) -> None:
    *_, path = share(site)
    stranger = Browser(site.url)
    response = stranger.client.get(f"{path}.png")
    assert response.headers["content-type"] == "image/png"
    assert response.headers["cache-control"] == "public, max-age=600"
    assert response.headers["x-robots-tag"] == "noindex"
    assert "set-cookie" not in response.headers
    assert Image.open(BytesIO(response.content)).size == (1200, 630)
    again = stranger.client.get(f"{path}.png", headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = stranger.client.head(f"{path}.png")
    assert (head.status_code, head.content) == (200, b"")
    for nothing in ("/shared/x.png", f"{path}0.png", f"{path}.jpg", "/shared/%00.png"):
        assert stranger.client.get(nothing).status_code == 404


@pytest.mark.parametrize("other", OTHERS)
def test_each_score_changes_the_picture(other: SharedScores) -> None:
    png = picture(SCORES)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    image = Image.open(BytesIO(png))
    image.load()
    assert (image.format, image.size) == ("PNG", (1200, 630))
    assert len(png) < 60_000
    paper, card = (image.convert("RGB").getpixel(at) for at in ((5, 5), (80, 300)))
    assert paper != card  # few colours, and yet not too few
    assert picture(other) != png
    assert sentences(other) != sentences(SCORES) or other.outcome != SCORES.outcome


@pytest.mark.long
def test_looking_at_shared_results_is_bounded(site: LiveSite) -> None:
    stranger = Browser(site.url)
    statuses = {stranger.client.get(f"/shared/{'0' * 32}.png").status_code for _ in range(130 * site.processes)}
    assert statuses == {404, 429}


def test_only_a_finished_game_is_shared_and_nobody_elses(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    ann.get(game)
    ann.send(f"{game}/share")
    assert ann.status == 400
    assert "Only the result of a finished game can be shared" in ann.words
    play_out(ann, bob, game)
    eve = Browser(site.url).join()
    eve.get("/home")
    eve.send(f"{game}/share")
    assert eve.status == 404
    ann.get(game)
    assert ann.client.post(f"{game}/share", data={"csrf": "0"}).status_code == 403


def test_again_leads_straight_to_waiting(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    play_out(ann, bob, game)
    ann.get(game)
    assert ">Again</button>" in ann.page
    ann.send("/games")
    assert ann.path == "/waiting"


def test_questions_are_shown_with_the_players_consent(site: LiveSite) -> None:
    ann, bob, game = pair(site.url)
    five = tuple(f"Is <b>this</b> {name} shown?" for name in "abcde")
    for browser in (ann, bob):
        browser.ask(game, five if browser is ann else QUESTIONS)
    for browser in (ann, bob):
        browser.answer(game)
        browser.guess(game, "50")
    for browser in (ann, bob):
        browser.guess(game, "50")
    stranger = Browser(site.url)
    stranger.get("/questions")
    assert "shown?" not in stranger.words
    ann.get("/profile")
    assert re.search('name="questions"(?! checked)', ann.page)
    ann.send("/settings", {"machines": "on", "questions": "on"})
    assert 'name="questions" checked' in ann.page
    stranger.get("/questions")
    assert "The newest questions" in stranger.words
    assert "Is &lt;b&gt;this&lt;/b&gt; a shown?" in stranger.page
    assert "<b>this" not in stranger.page
    ann.get("/profile")
    ann.send("/settings", {"machines": "on"})
    stranger.get("/questions")
    assert "shown?" not in stranger.words


def test_counts_are_of_games_that_ended(site: LiveSite) -> None:
    def counted() -> tuple[int, ...]:
        stranger.get("/leaderboard")
        match = re.search(r"(\S+) players? ha(?:ve|s) finished (\S+) games?, (\S+) of them in the last 30 days", stranger.words)
        assert match is not None
        return tuple(int(number.replace("\u2009", "")) for number in match.groups())

    stranger = Browser(site.url)
    before = counted()
    ann, bob, game = pair(site.url)
    for browser in (ann, bob):
        browser.ask(game)
    assert counted() == before
    play_out(ann, bob, game)
    assert counted() == (before[0] + 2, before[1] + 1, before[2] + 1)
