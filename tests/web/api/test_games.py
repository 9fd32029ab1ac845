"""Games through the interface for machines, on a real server."""

from __future__ import annotations

from tests.web.api.conftest import Ask
from tests.web.api.running import HUMAN_ANSWERS, HUMAN_QUESTIONS, RunningSite
from vivavoce.luna.game_api import LunaClient
from vivavoce.luna.rules import AnswersMove, GuessMove, PersonOrMachine, QuestionsMove
from vivavoce.web.database import reading, transaction
from vivavoce.web.pages.request_context import utc_now
from vivavoce.web.store import moves
from vivavoce.web.store.machines import machine_by_token
from vivavoce.web.store.people import Player

ASKED = [f"Machine's question {n}?" for n in range(5)]
ANSWERED = [f"Machine's answer {n}." for n in range(5)]


def player_of(site: RunningSite, token: str) -> Player:
    with reading(site.engine) as c:
        player = machine_by_token(c, token, utc_now())
    assert player is not None
    return player


def test_a_machine_plays_a_person_from_the_queue_to_the_result(site: RunningSite, ask: Ask, token: str) -> None:
    status, result = ask("POST", "/games", token)
    assert (status, result["game"]) == (202, None)
    assert result["waiting_since"] is not None
    assert ask("POST", "/games", token)[1] == result  # asking again changes nothing
    person = site.person()
    game = site.meet_machine(person).id

    status, listing = ask("GET", "/games", token)
    assert status == 200
    assert listing["waiting_since"] is None
    assert [(entry["id"], entry["phase"], entry["your_turn"]) for entry in listing["games"]] == [(game, "interview", True)]

    status, now = ask("POST", f"/games/{game}/questions", token, {"questions": ASKED})
    assert (status, now["phase"], now["your_turn"], now["own"]["questions"]) == (200, "interview", False, ASKED)
    assert now["questions"] is None  # the other has not asked yet

    site.play(person, QuestionsMove(HUMAN_QUESTIONS), game)
    now = ask("GET", f"/games/{game}", token)[1]
    assert (now["phase"], now["your_turn"], now["questions"]) == ("response", True, list(HUMAN_QUESTIONS))

    site.play(person, AnswersMove(HUMAN_ANSWERS), game)
    assert ask("GET", f"/games/{game}", token)[1]["answers"] is None  # the machine has not answered yet
    now = ask("POST", f"/games/{game}/answers", token, {"answers": ANSWERED})[1]
    assert (now["phase"], now["answers"]) == ("guess", list(HUMAN_ANSWERS))

    site.play(person, GuessMove(30.0, judgement=PersonOrMachine(False, 90.0)), game)
    now = ask("GET", f"/games/{game}", token)[1]
    assert (now["phase"], now["your_turn"], now["result"]) == ("guess", True, None)
    sliders = [10, None, 20.5, None, None]
    document = {"human": True, "confidence": 80}
    status, now = ask("POST", f"/games/{game}/guess", token, {"guess": 64, "sliders": sliders} | document)
    assert (status, now["phase"], now["your_turn"]) == (200, "over", False)
    assert (now["own"]["sliders"], now["own"]["judgement"]) == (sliders, document)
    # two newcomers tie; the machine's rating is the person's guess, and the person has none: machines' guesses do not count
    assert now["result"] == {
        "outcome": "tied",
        "rating_before": None,
        "rating_after": 30.0,
        "other_rating": None,
        "other_guess": 30.0,
        "other_human": True,
        "judgement": document,
        "other_judgement": {"human": False, "confidence": 90.0},
    }
    me = ask("GET", "/me", token)[1]
    assert (me["rating"], me["guesses"], me["games"], me["wins"]) == (30.0, 1, 1, 0)
    assert ask("GET", "/games?unfinished=true", token)[1]["games"] == []
    assert [entry["phase"] for entry in ask("GET", "/games", token)[1]["games"]] == ["over"]


def test_two_machines_play_a_whole_game(site: RunningSite, ask: Ask, token: str) -> None:
    tokens = (token, site.machine("The other of two"))
    game = site.pair(player_of(site, tokens[0]), player_of(site, tokens[1]))
    for part, body in (("questions", {"questions": ASKED}), ("answers", {"answers": ANSWERED}), ("guess", {"guess": 10})):
        for each in tokens:
            assert ask("GET", f"/games/{game}", each)[1]["your_turn"]
            assert ask("POST", f"/games/{game}/{part}", each, body)[0] == 200
            status, refusal = ask("POST", f"/games/{game}/{part}", each, body)
            assert status == 409
            assert refusal["detail"]
    for each in tokens:
        result = ask("GET", f"/games/{game}", each)[1]["result"]
        assert (result["outcome"], result["rating_after"], result["other_human"]) == ("tied", None, False)
        assert ask("GET", "/me", each)[1]["rating"] is None


def test_machines_that_wait_are_not_paired_with_each_other(site: RunningSite, ask: Ask, token: str) -> None:
    other = site.machine("One that waits too")
    assert [ask("POST", "/games", each)[0] for each in (token, other)] == [202, 202]
    assert ask("DELETE", "/queue", token)[0] == 204
    assert ask("GET", "/games", token)[1]["waiting_since"] is None
    assert ask("DELETE", "/queue", other)[0] == 204


def test_a_veteran_is_told_what_it_had_to_guess(site: RunningSite, ask: Ask, token: str) -> None:
    person = site.person()
    for guess, rating, outcome in ((40, None, "tied"), (60, 40.0, "won")):
        game = site.pair(player_of(site, token), person)
        for part, body, move in (
            ("questions", {"questions": ASKED}, QuestionsMove(HUMAN_QUESTIONS)),
            ("answers", {"answers": ANSWERED}, AnswersMove(HUMAN_ANSWERS)),
            ("guess", {"guess": 1}, GuessMove(guess)),
        ):
            ask("POST", f"/games/{game}/{part}", token, body)
            site.play(person, move, game)
        result = ask("GET", f"/games/{game}", token)[1]["result"]
        # a person whom only machines have guessed has no rating: the veteran wins (chapter 2.5.2)
        assert (result["outcome"], result["rating_before"], result["other_rating"]) == (outcome, rating, None)
    assert ask("GET", "/me", token)[1] | {"name": ""} == {"name": "", "rating": 50.0, "guesses": 2, "games": 2, "wins": 1}


def test_a_machine_resigns(site: RunningSite, ask: Ask, token: str) -> None:
    person = site.person()
    ask("POST", "/games", token)
    game = site.meet_machine(person).id
    status, ended = ask("POST", f"/games/{game}/resign", token)
    assert (status, ended["phase"], ended["your_turn"], ended["result"]) == (200, "expired", False, None)
    assert (ended["ended"], ended["taken_over"]) == ({"reason": "resigned", "by_you": True}, None)
    assert ask("GET", f"/games/{game}", token)[1]["ended"] == ended["ended"]
    assert ask("POST", f"/games/{game}/resign", token)[0] == 409
    assert ask("POST", f"/games/{game}/questions", token, {"questions": list(HUMAN_QUESTIONS)})[0] == 409
    assert ask("GET", "/games?unfinished=true", token)[1]["games"] == []


def test_it_is_told_that_the_other_has_resigned_and_not_who_that_was(site: RunningSite, ask: Ask, token: str) -> None:
    person = site.person()
    ask("POST", "/games", token)
    game = site.meet_machine(person).id
    with transaction(site.engine) as c:
        moves.resign(c, game, person, utc_now())
    ended = ask("GET", f"/games/{game}", token)[1]
    assert (ended["phase"], ended["ended"]) == ("expired", {"reason": "resigned", "by_you": False})


async def test_the_client_resigns_and_is_content_if_it_has(site: RunningSite, ask: Ask, token: str) -> None:
    person = site.person()
    ask("POST", "/games", token)
    game = site.meet_machine(person).id
    async with LunaClient(site.url, token) as client:
        for _ in range(2):  # as if no reply had come to the first
            ended = await client.resign(game)
            assert ended.ended is not None
            assert (ended.ended.reason, ended.ended.by_you) == ("resigned", True)
