"""A candidate plays games on a site, also fifty of them against scripted people."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import mean

import pytest

from tests.serving import process_of
from tests.web.api.running import HUMAN_ANSWERS, HUMAN_QUESTIONS, RunningSite, running_site
from tests.web.store.players import check_whole
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.transcript import Transcript
from vivavoce.luna.game_api import GameRules, LunaClient, SentJudgement
from vivavoce.luna.messages import CONTROLS
from vivavoce.luna.players import CandidatePlayer, open_control
from vivavoce.luna.rules import AnswersMove, GuessMove, QuestionsMove
from vivavoce.luna.settings import GameTerms, PlayConfig
from vivavoce.luna.tournament import TournamentResult, play_games

DOC = Path(__file__).parents[2] / "docs" / "luna-machines.md"


@pytest.fixture(scope="module")
def chat() -> Iterator[str]:
    """Address of a chat server, without a path."""
    with process_of("tests.candidates.server") as address:
        yield address


async def tournament(
    site: RunningSite, token: str, player: CandidatePlayer, *, games: int, rating: float = 20.0
) -> TournamentResult:
    """Games with people who come by until all are played."""
    async with LunaClient(site.url, token) as client:
        playing = asyncio.create_task(play_games(client, player, PlayConfig(games), concurrency=3, pause=0.01))
        await site.attend(guess=lambda _: rating, wanted=lambda: not playing.done())
        return await playing


async def until_guess(client: LunaClient, game: str) -> None:
    while (await client.game(game)).phase != "guess":  # noqa: ASYNC110 - another process would not know of an event
        await asyncio.sleep(0.01)


def untold(candidate: Candidate[Prompt, Reply]) -> CandidatePlayer:
    return CandidatePlayer(Interview(candidate, answers=Reply), knows_game=False, questions=CONTROLS, guess=50)


@pytest.mark.parametrize("name", ["control:gibberish", "bot:eliza", "bot:gibberish"])
@pytest.mark.long
async def test_bots_play_several_games_with_people(site: RunningSite, token: str, name: str) -> None:
    candidate = open_control(name) if name.startswith("control") else open_candidate(name)
    played = await tournament(site, token, untold(candidate), games=4)
    assert len(played.games) >= 4  # whoever came by while the last was played is not left alone
    assert played.left_open == ()
    assert (played.me.rating, played.me.guesses) == (20.0, len(played.games))
    assert played.read["questions"] == {"fixed": len(played.games)}
    assert played.read["answers"] == {"as it is": 5 * len(played.games)}
    assert played.judgements == (0, 0)  # bots are not asked, and say nothing
    assert all(game.result is not None and game.result.other_human for game in played.games)
    async with LunaClient(site.url, token) as client:
        assert (await client.games()).waiting_since is None


async def test_bots_play_games_with_another_number_of_questions(tmp_path: Path) -> None:
    with running_site(tmp_path, GameTerms(2, 200)) as site:
        token = site.machine("Gibberish")
        played = await tournament(site, token, untold(open_control("control:gibberish")), games=2)
        assert played.read["answers"] == {"as it is": 2 * len(played.games)}
        assert [game.problems for game in played.games if game.problems] == []
        async with LunaClient(site.url, token) as client:
            game = await client.game(played.games[0].id)
    assert (game.own.questions, game.rules) == (CONTROLS[:2], GameRules(2, 200, 3.0))
    assert game.own.sliders == (None, None)


@pytest.mark.long
async def test_a_model_behind_a_chat_server_plays_several_games(site: RunningSite, token: str, chat: str) -> None:
    # this model repeats its prompt, and the person's "Guess: 100" with it: it stands above the last line, which has no number
    candidate = open_candidate(f"chat:echo@{chat}/v1")
    played = await tournament(site, token, CandidatePlayer(Interview(candidate, answers=Reply)), games=3, rating=70.0)
    await close_candidate(candidate)
    total = len(played.games)
    assert total >= 3
    # "Question 1: ..." to "Question 5: ..." are no questions
    assert played.read["questions"] == {"fallback": total}
    assert played.read["answers"] == {"as it is": 5 * total}
    assert played.read["guesses"] == {"fallback": total}
    assert any(f"{2 * total} parts could not be read" in caveat for caveat in played.caveats)
    assert played.judgements == (total, 0)
    assert any(f"was readable in 0 of {total} guesses; the" in name for name in played.caveats)
    assert all(game.result is not None and game.result.judgement is None for game in played.games)
    assert "Its rating is 70" in played.statement


async def test_a_model_that_never_answers_leaves_nobody_waiting(site: RunningSite, token: str, chat: str) -> None:
    candidate = open_candidate(f"chat:filtered@{chat}/v1")
    played = await tournament(site, token, CandidatePlayer(Interview(candidate, answers=Reply)), games=2)
    await close_candidate(candidate)
    assert set(played.read["answers"]) == set(played.read["guesses"]) == {"fallback"}
    assert all("filtered" in problem for game in played.games for problem in game.problems)


async def test_a_run_that_was_stopped_goes_on(site: RunningSite, token: str, tmp_path: Path) -> None:
    asked: list[str] = []

    class TournamentModel:
        name = "test:model"

        async def answer(self, question: Prompt, /) -> Reply:
            asked.append(question.id)
            text = "Other player: machine\nSure: 85\nGuess: 42"
            return Reply(text if question.id.endswith("guess") else "Well, well.")

    person = site.person()
    async with LunaClient(site.url, token) as client:
        assert (await client.find_game()).game is None
        game = site.meet_machine(person).id
        site.play(person, QuestionsMove(HUMAN_QUESTIONS), game)
        with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
            short = Interview(
                TournamentModel(), answers=Reply, transcript=transcript, budget=Budget(questions=3), concurrency=1
            )
            with pytest.raises(Exception, match="budget of questions"):
                await play_games(client, CandidatePlayer(short), pause=0.01)
            assert 2 <= len(asked) <= 3  # the questions, and some of the answers
            site.play(person, AnswersMove(HUMAN_ANSWERS), game)
            whole = CandidatePlayer(Interview(TournamentModel(), answers=Reply, transcript=transcript))
            going_on = asyncio.create_task(play_games(client, whole, pause=0.01))
            await until_guess(client, game)
            site.play(person, GuessMove(10.0), game)
            played = await going_on
    assert len(asked) == len(set(asked)) == 7  # nothing was asked twice
    assert [(tournament_game.id, tournament_game.guessed, tournament_game.questions) for tournament_game in played.games] == [
        (game, 42.0, None)
    ]
    result = played.games[0].result
    assert result is not None
    assert result.judgement == SentJudgement(False, 85.0)
    assert (played.judgements, played.figures()["judgements"]) == ((1, 1), {"asked": 1, "read": 1})
    assert not any("Whether the other is a person" in caveat for caveat in played.caveats)


async def test_patience_ends(site: RunningSite, token: str) -> None:
    async with LunaClient(site.url, token) as client:
        player = untold(open_control("control:gibberish"))
        played = await play_games(client, player, PlayConfig(patience=0.2), pause=0.01)
        assert (played.games, played.left_open) == ((), ())
        assert (await client.games()).waiting_since is None  # nobody will be paired with one that is not there
    assert "no rating yet" in played.statement


@pytest.mark.long
async def test_the_template_of_the_documentation_plays(site: RunningSite, token: str, tmp_path: Path) -> None:
    (script,) = re.findall(r"```python\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path / "machine.py"
    file.write_text(script, encoding="utf-8")
    given = {"LUNA_SERVER": site.url, "VIVA_LUNA_TOKEN": token, "LUNA_GAMES": "2", "LUNA_PAUSE": "0.1"}
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, file, stdout=pipe, stderr=pipe, env={**os.environ, **given})
    await site.attend(guess=lambda _: 33.0, wanted=lambda: process.returncode is None)
    out, err = await process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"has a rating of 33.0 after 2 games" in out


def judged(answers: tuple[str, ...]) -> float:
    """What a scripted person makes of answers: the share of small letters, of 80."""
    text = "".join(answers)
    return round(80 * sum(letter.islower() for letter in text) / len(text))


@pytest.mark.slow
async def test_gibberish_chatterbot_and_a_model_play_fifty_games(tmp_path: Path, chat: str) -> None:
    with running_site(tmp_path) as site:
        model = open_candidate(f"chat:calculator@{chat}/v1")
        players = [
            untold(open_control("control:gibberish")),
            untold(open_candidate("bot:eliza")),
            CandidatePlayer(Interview(model, answers=Reply)),
        ]
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(LunaClient(site.url, site.machine(player.name.partition("@")[0])))
                for player in players
            ]
            playing = [
                asyncio.create_task(play_games(client, player, PlayConfig(games), concurrency=4, pause=0.25))
                for client, player, games in zip(clients, players, (17, 17, 16), strict=True)
            ]
            people = [site.attend(guess=judged, wanted=lambda: not all(task.done() for task in playing)) for _ in range(4)]
            await asyncio.gather(*people)
            results = [task.result() for task in playing]
        await close_candidate(model)
        assert sum(len(result.games) for result in results) >= 50
        assert check_whole(site.engine) >= 50 * 6
    for result in results:
        received = [game.result.other_guess for game in result.games if game.result is not None]
        assert len(received) == len(result.games) == result.me.guesses
        assert result.me.rating == pytest.approx(mean(received))
    gibberish, eliza, _ = (result.me.rating for result in results)
    assert gibberish == 0.0  # capitals and digits alone
    assert eliza is not None
    assert eliza > 40
