"""A Luna site on a made-up clock, where people-bots play people-bots and machines, and what a player's browser receives."""

from __future__ import annotations

import hashlib
import random
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from math import exp
from pathlib import Path
from typing import Any, Final, Literal
from unittest import mock

from sqlalchemy import select
from starlette.testclient import TestClient

from tests.web.site import SECRET
from tests.web.store.players import START
from vivavoce.luna.rules import READY_WITHIN, AnswersMove, Game, GuessMove, Move, Phase, QuestionsMove, Seat
from vivavoce.luna.settings import THESIS
from vivavoce.web.app import create_app
from vivavoce.web.database import reading, transaction
from vivavoce.web.scripted_players import LINES
from vivavoce.web.settings import SiteSettings
from vivavoce.web.store import games, machines, move_delays, moves, people, queue
from vivavoce.web.store.people import Player
from vivavoce.web.store.site import alone
from vivavoce.web.tables import PLAYERS

Leak = Literal["none", "begins at once", "every move is news", "getting ready is news", "no delay", "delays 30% longer"]
LEAKS: Final[tuple[Leak, ...]] = (
    "begins at once", "every move is news", "getting ready is news", "no delay", "delays 30% longer",
)  # fmt: skip
MEDIANS: Final = {Phase.INTERVIEW: 55.0, Phase.RESPONSE: 80.0, Phase.GUESS: 20.0}
"""Seconds of a move of 300 characters; the site assumes 105, 130 and 40."""
PACE: Final = 0.08
"""Deviation of the logarithm of what a person's times are multiplied by."""
SPREAD: Final = 0.15
"""Deviation of the logarithm of a single time."""
LEAVE: Final = 0.02
"""Of the people who come to a phase, the share that never moves."""
ABSENT: Final = 0.03
"""Of the people who are paired, the share that is not ready."""
READY: Final = (3.0, 25.0)
"""Seconds until the others say that they are."""
RESIGN: Final = 0.01
"""Of the people who come to a phase, the share that resigns."""
RESIGNS: Final = 25.0
"""Seconds until they do, in the middle."""
CALLED: Final = 0.3
"""Seconds until a machine moves that was asked."""
PLAYERS_WITH_BROWSERS: Final = 10
_WORDS: Final = 8
"""Numbers into which the words of a page are hashed."""


@dataclass(frozen=True, slots=True)
class GameTraffic:
    """What a browser received in one game before its end."""

    machine: bool
    """Whether the other player was one: what is to be found out."""
    numbers: Mapping[str, float]
    """By what it is."""

    @property
    def waited(self) -> float:
        """The longest time in one phase, in seconds, that the player has waited for the other one's move."""
        return max(self.numbers[f"{phase.value} waited"] for phase in MEDIANS)


@dataclass(frozen=True, slots=True)
class BrowserTraffic:
    """What browsers received in the games that both players played to the end."""

    games: Sequence[GameTraffic]
    begun: int
    """Games, with those that were not."""

    @property
    def without_long_waits(self) -> list[GameTraffic]:
        """The games in which the browser waited no longer than anybody waits for a machine."""
        return [game for game in self.games if game.waited <= move_delays.LONGEST_WAIT.total_seconds()]


@dataclass(slots=True)
class SettableClock:
    """A clock that is put forward."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


class LeakStudy:
    """A site, its players, and what their browsers have received."""

    def __init__(self, leak: Leak, rng: random.Random, folder: Path, *, spread: float = 1.0) -> None:
        self.leak = leak
        self.spread = spread
        self.rng = rng
        self.clock = SettableClock()
        settings = SiteSettings(database=str(folder / "site.sqlite"), secret=SECRET)
        self.url = settings.base_url
        self.app = create_app(settings, clock=self.clock)
        self.engine = self.app.state.site.engine

    def run(self, count: int) -> BrowserTraffic:
        """Games of browsers until so many were played to the end, and what each of these received."""
        with TestClient(self.app, base_url=self.url) as first:
            self._tables_are_there()
            browsers = [BrowserOf(self, first if not number else TestClient(self.app, base_url=self.url))
                        for number in range(PLAYERS_WITH_BROWSERS)]  # fmt: skip
            games: list[GameTraffic] = []
            begun = 0
            while len(games) < count:
                begun += 1
                received = self._one(self.rng.choice(browsers))
                if received is not None:
                    games.append(received)
            return BrowserTraffic(games, begun)

    def _tables_are_there(self) -> None:
        with transaction(self.engine) as c:
            self.house = machines.of_the_house(c, "The house", self.clock())
            self.others = [people.create_guest(c, consent_version="1", now=self.clock()) for _ in range(PLAYERS_WITH_BROWSERS)]
            self.waiting = machines.create_machine(c, name="Model", now=self.clock())[0]

    def _one(self, browser: BrowserOf) -> GameTraffic | None:
        """Somebody else comes at about the same time; a lot says who plays whom."""
        self.clock.now += timedelta(hours=1, seconds=self.rng.uniform(0, 60))
        other = self.rng.choice(self.others)
        with transaction(self.engine) as c:
            for player in (self.house, self.waiting, other):
                people.seen(c, player, self.clock())
            queue.join_queue(c, self.waiting, self.clock())
            queue.join_queue(c, other, self.clock())
        self.clock.now += timedelta(seconds=self.rng.uniform(0, 2))
        arrived = self.clock()
        browser.join(arrived)
        if self.leak == "begins at once":  # against a person; a machine comes later
            self._begin(browser.player, other, at_once=self.rng.random() < 0.5)
        browser.look("look", arrived)
        tick = self.clock.now.timestamp()
        self.clock.now += timedelta(seconds=3 - tick % 3)
        with transaction(self.engine) as c:
            queue.sweep(c, self.clock(), tick=3, rng=self.rng)
            queue.leave_queue(c, other)
            queue.leave_queue(c, self.waiting)
        return self._play(browser)

    def _begin(self, player: Player, other: Player, *, at_once: bool) -> None:
        with transaction(self.engine) as c:
            queue.leave_queue(c, other)
            if at_once:
                queue.leave_queue(c, player)
                games.begin(c, ((player.id, True), (other.id, True)), self.clock())

    def _play(self, browser: BrowserOf) -> GameTraffic | None:
        """The game of the browser, and those of the others that began with it; None for one that was not played to the end."""
        with reading(self.engine) as c:
            mine = games.games_of(c, browser.player, self.clock(), limit=1)[0][0]
            others = {
                game.id: game
                for player in (*self.others, self.house, self.waiting)
                for game, _ in games.games_of(c, player, self.clock(), open_only=True)
            }
        other = next(seat for seat in mine.seats if seat.player != browser.player.id)
        for game in others.values():
            if game.id != mine.id and game.since == mine.since:
                self._play_unseen(game)
        self.clock.now = mine.since
        browser.open(mine, Phase.INTERVIEW)
        paces = {seat.player: exp(self.spread * PACE * self.rng.gauss(0, 1)) for seat in mine.seats}
        for phase in (Phase.INTERVIEW, Phase.RESPONSE, Phase.GUESS):
            if not self._phase(browser, mine.id, phase, paces):
                self._end(mine.id)
                with transaction(self.engine) as c:
                    for player in (browser.player, *self.others):
                        queue.leave_queue(c, player)
                return None
        return GameTraffic(not other.human, browser.received())

    def _phase(self, browser: BrowserOf, game_id: str, phase: Phase, paces: dict[str, float]) -> bool:
        """Both move, or leave; whether the next phase opens."""
        game = self._load(game_id, browser.player)
        since = game.since
        mine, theirs = self._move(phase), self._move(phase)
        own = since + timedelta(seconds=self._seconds(phase, mine, paces[browser.player.id]))
        seat = next(seat for seat in game.seats if seat.player != browser.player.id)
        when = since + timedelta(seconds=self._seconds(phase, theirs, paces[seat.player]) if seat.human else CALLED)
        deeds: list[tuple[datetime, Callable[[], None]]] = [
            (since + timedelta(seconds=2), lambda: browser.look("early", since)),
            (since + timedelta(seconds=20), lambda: browser.look("later", since)),
        ]
        if phase is Phase.INTERVIEW:
            deeds += self._ready(game, browser)
        if (mine_does := self._does(since)) == "moves":
            deeds.append((own, lambda: browser.move(phase, mine, since)))
        elif mine_does is not None:
            deeds.append((mine_does, lambda: browser.resign(since)))
        if (theirs_does := "moves" if not seat.human else self._does(since)) == "moves":
            deeds.append((when, lambda: self._other_moves(game, seat.player, browser.player, theirs)))
        elif isinstance(theirs_does, datetime):
            deeds.append((theirs_does, lambda: self._other_resigns(game, seat.player)))
        for at, deed in sorted(deeds, key=lambda entry: entry[0]):
            if self._now(game_id, at).phase(at) is not phase:
                break
            self.clock.now = at
            deed()
        opened = self._opens(game_id, browser.player, phase)
        if opened is None:
            return False
        self.clock.now = opened
        browser.note(opened, own, since)
        if phase is not Phase.GUESS:  # what comes after that is the end, where all is told
            game = self._load(game_id, browser.player)
            browser.open(game, game.phase(opened))
        return True

    def _does(self, since: datetime) -> Literal["moves"] | datetime | None:
        """What a person does in a phase: move, resign at some time, or nothing."""
        lot = self.rng.random()
        if lot < LEAVE:
            return None
        return since + timedelta(seconds=RESIGNS * exp(0.6 * self.rng.gauss(0, 1))) if lot < LEAVE + RESIGN else "moves"

    def _ready(self, game: Game, browser: BrowserOf) -> list[tuple[datetime, Callable[[], None]]]:
        """When the people in a game say that they are there; who does not does nothing else either."""
        result: list[tuple[datetime, Callable[[], None]]] = []
        for seat in game.seats:
            if not seat.human or self.rng.random() < ABSENT:
                continue
            at = game.since + timedelta(seconds=self.rng.uniform(*READY))
            mine = seat.player == browser.player.id
            result.append(
                (at, partial(browser.ready, game.since) if mine else partial(self._other_is_ready, game, seat.player, browser))
            )
        return result

    def _other_is_ready(self, game: Game, player_id: str, browser: BrowserOf | None) -> None:
        with transaction(self.engine) as c:
            player = people.player(c, player_id)
            assert player is not None
            moves.ready(c, game.id, player, self.clock())
            if browser is not None and self.leak == "getting ready is news":
                c.execute(PLAYERS.update().where(PLAYERS.c.id == browser.player.id).values(changes=PLAYERS.c.changes + 1))

    def _other_resigns(self, game: Game, player_id: str) -> None:
        with transaction(self.engine) as c:
            player = people.player(c, player_id)
            assert player is not None
            moves.resign(c, game.id, player, self.clock())

    def _end(self, game_id: str) -> None:
        """End a game as the site does that is not ended yet."""
        with transaction(self.engine) as c:
            alone(c)
            game = games.loaded(c, game_id, lock=True).game
            if game.closed:
                return
            absent = game.begun is not None and any(seat.ready is None for seat in game.seats)
            at = game.since + READY_WITHIN if absent else game.expires
            why = game.ended(at)
            assert why is not None
            moves.leave(c, game, why, at)

    def _other_moves(self, game: Game, player_id: str, seen_by: Player, move: Move) -> None:
        with transaction(self.engine) as c:
            player = people.player(c, player_id)
            assert player is not None
            hold_back = None if self.leak == "no delay" else self.rng
            moves.make_move(c, game.id, player, move, self.clock(), hold_back=hold_back)
            if self.leak == "every move is news":
                c.execute(PLAYERS.update().where(PLAYERS.c.id == seen_by.id).values(changes=PLAYERS.c.changes + 1))

    def _opens(self, game_id: str, player: Player, phase: Phase) -> datetime | None:
        """When the next phase opens: now, or when a held move is due; None if the other has left."""
        with transaction(self.engine) as c:
            moves.release(c, self.clock() + timedelta(hours=12))
            game = games.load(c, game_id, player)[0]
        going_on = game.phase(self.clock()) not in (phase, Phase.EXPIRED)
        return max(game.since, self.clock()) if going_on else None

    def _play_unseen(self, game: Game) -> None:
        """Without a browser; it counts among those from which the site learns."""
        began = self.clock.now
        paces = {seat.player: exp(self.spread * PACE * self.rng.gauss(0, 1)) for seat in game.seats}
        for phase in (Phase.INTERVIEW, Phase.RESPONSE, Phase.GUESS):
            since = self._since(game)
            if phase is Phase.INTERVIEW:
                self._are_ready_unseen(game, since)
            for seat in game.seats:
                self._moves_unseen(game, seat, phase, since, paces[seat.player])
            if self._opens_unseen(game, phase):
                self._end(game.id)
                break
        with transaction(self.engine) as c:
            for player in self.others:
                queue.leave_queue(c, player)
        self.clock.now = began

    def _are_ready_unseen(self, game: Game, since: datetime) -> None:
        for seat in game.seats:
            if seat.human and self.rng.random() >= ABSENT:
                self.clock.now = since + timedelta(seconds=self.rng.uniform(*READY))
                self._other_is_ready(game, seat.player, None)

    def _moves_unseen(self, game: Game, seat: Seat, phase: Phase, since: datetime, pace: float) -> None:
        """One player moves, or resigns, or does nothing; nobody does after the game has ended."""
        move, does = self._move(phase), self._does(since) if seat.human else "moves"
        if does is None:
            return
        seconds = timedelta(seconds=self._seconds(phase, move, pace) if seat.human else CALLED)
        self.clock.now = does if isinstance(does, datetime) else since + seconds
        if self._now(game.id, self.clock()).phase(self.clock()) is not phase:
            return
        if isinstance(does, datetime):
            self._other_resigns(game, seat.player)
        else:
            self._other_moves(game, seat.player, self.others[0], move)

    def _now(self, game_id: str, at: datetime) -> Game:
        """The game at this time, with the moves made that are due."""
        with transaction(self.engine) as c:
            moves.release(c, at)
            return games.loaded(c, game_id, lock=False).game

    def _since(self, game: Game) -> datetime:
        with reading(self.engine) as c:
            return games.loaded(c, game.id, lock=False).game.since

    def _opens_unseen(self, game: Game, phase: Phase) -> bool:
        """Whether it goes no further."""
        with transaction(self.engine) as c:
            moves.release(c, self.clock() + timedelta(hours=12))
            return games.loaded(c, game.id, lock=False).game.phase(self.clock()) in (phase, Phase.EXPIRED)

    def _load(self, game_id: str, player: Player) -> Game:
        with reading(self.engine) as c:
            return games.load(c, game_id, player)[0]

    def _move(self, phase: Phase) -> Move:
        """From the one source of all texts."""
        lines = self.rng.sample(LINES, THESIS.questions)
        if phase is Phase.INTERVIEW:
            return QuestionsMove(tuple(line.question for line in lines))
        if phase is Phase.RESPONSE:
            return AnswersMove(tuple(self.rng.choice((line.bright, line.middling, line.dull)) for line in lines))
        return GuessMove(float(self.rng.randint(20, 90)))

    def _seconds(self, phase: Phase, move: Move, pace: float) -> float:
        """Of a person."""
        texts = (
            move.questions
            if isinstance(move, QuestionsMove)
            else move.answers
            if isinstance(move, AnswersMove)
            else ("x" * 300,)
        )
        size = sum(map(len, texts)) / 300
        return float(MEDIANS[phase] * size**0.6 * pace * exp(self.spread * SPREAD * self.rng.gauss(0, 1)))


class BrowserOf:
    """A player's browser, which keeps what it receives."""

    def __init__(self, study: LeakStudy, client: TestClient) -> None:
        self._study, self._client = study, client
        self._client.headers["origin"] = str(client.base_url)
        study.clock.now += timedelta(seconds=1)  # so that nobody came at the same moment
        page = self._client.get("/consent").text
        self._client.post("/consent", data={"csrf": _token(page), "adult": "on", "release": "on", "as": "guest"})
        with reading(study.engine) as c:
            player = people.player(c, c.execute(select(PLAYERS.c.id).order_by(PLAYERS.c.created.desc()).limit(1)).scalar_one())
        assert player is not None
        self.player = player
        self._kept: dict[str, float] = {}
        self._at = self._game = ""
        self._news = 0

    def join(self, since: datetime) -> None:
        """Want a game."""
        self._kept, self._news, self._at = {}, 0, "wait"
        page = self._client.get("/profile").text
        self._keep("join", self._client.post("/games", data={"csrf": _token(page)}), since, words=False)

    def look(self, name: str, since: datetime) -> None:
        """Ask for news."""
        answer = self._client.get("/events/now")
        self._keep(name, answer, since, words=False)
        number = answer.json()["changes"]
        self._kept[f"{self._at} {name} news"] = float(number - self._news)
        self._news = number

    def open(self, game: Game, phase: Phase) -> None:
        """Look at the game, which began, or went on, at this moment."""
        self._game, self._at = f"/games/{game.id}", phase.value
        self.look("opens", game.since)
        self._keep("page", self._client.get(self._game), game.since)
        self._kept["id"] = float(int(game.id[:4], 16))
        self._kept[f"{self._at} tick"] = self._study.clock.now.timestamp() % 3

    def move(self, phase: Phase, move: Move, since: datetime) -> None:
        """Send what the player has written."""
        fields = {"csrf": _token(self._client.get(self._game).text)}
        match move:
            case QuestionsMove(texts):
                fields |= {f"question{number}": text for number, text in enumerate(texts, 1)}
            case AnswersMove(texts):
                fields |= {f"answer{number}": text for number, text in enumerate(texts, 1)}
            case GuessMove(guess):
                fields |= {"guess": str(guess), "who": "person", "sure": "70"}
        answer = self._client.post(f"{self._game}/{phase.value}", data=fields)
        over = phase is Phase.GUESS and "They guessed" in answer.text
        self._keep("sent", answer, since, words=not over, size=not over)
        self.look("after", since)

    def ready(self, since: datetime) -> None:
        """Say that the player is there."""
        token = _token(self._client.get(self._game).text)
        self._keep("ready", self._client.post(f"{self._game}/ready", data={"csrf": token}), since)
        self.look("after ready", since)

    def resign(self, since: datetime) -> None:
        """Give up the game."""
        self._client.post(f"{self._game}/resign", data={"csrf": _token(self._client.get(self._game).text)})

    def note(self, opened: datetime, own: datetime, since: datetime) -> None:
        """When the next part opened, and how long the player has waited for it."""
        self._kept[f"{self._at} took"] = (opened - since).total_seconds()
        self._kept[f"{self._at} waited"] = (opened - own).total_seconds()

    def received(self) -> Mapping[str, float]:
        """All of it."""
        return dict(self._kept)

    def _keep(self, name: str, answer: Any, since: datetime, *, words: bool = True, size: bool = True) -> None:
        at = f"{self._at} {name}"
        headers = sorted((name, value) for name, value in answer.headers.items() if name != "content-length")
        self._kept |= {
            f"{at} seconds": (self._study.clock.now - since).total_seconds(),
            f"{at} status": answer.status_code,
            f"{at} length": len(answer.text) if size else 0,
            f"{at} headers": _hash(repr(headers)),
            f"{at} redirects": len(answer.history),
        }
        if words:
            for word in re.findall(r"\w+", re.sub(r'value="[0-9a-f]{20,}"', "", answer.text)):
                column = f"words {int(_hash(word)) % _WORDS}"
                self._kept[column] = self._kept.get(column, 0.0) + 1


def _hash(text: str) -> float:
    return float(int.from_bytes(hashlib.sha256(text.encode()).digest()[:3], "big"))


def _token(page: str) -> str:
    match = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert match
    return match[1]


def collected(leak: Leak, count: int, seed: int, *, spread: float = 1.0) -> BrowserTraffic:
    """What browsers receive in so many games on a site with this leak, among people who differ so much."""
    rng = random.Random(seed)
    with ExitStack() as stack:
        stack.enter_context(_seeded(rng))
        if leak == "delays 30% longer":
            stack.enter_context(mock.patch.object(move_delays, "drawn_times", _longer(move_delays.drawn_times)))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        return LeakStudy(leak, rng, Path(folder), spread=spread).run(count)


@contextmanager
def _seeded(rng: random.Random) -> Iterator[None]:
    """Ids and tokens are drawn from a seed, so that the study says the same twice."""
    with (
        mock.patch("secrets.token_hex", lambda size=32: rng.randbytes(size).hex()),
        mock.patch("secrets.token_urlsafe", lambda size=32: rng.randbytes(size).hex()),
        mock.patch("secrets.token_bytes", lambda size=32: rng.randbytes(size)),
        mock.patch("secrets.randbelow", rng.randrange),
        mock.patch("secrets.choice", rng.choice),
        mock.patch("vivavoce.web.app._sweep", _nothing),  # ticks come by the made-up clock alone
        mock.patch("vivavoce.web.security.limits.Limiter.count", return_value=None),  # which has a clock of its own
    ):
        yield


async def _nothing(*_: object) -> None:
    """In place of what goes on in the background."""


def _longer(drawn: Callable[..., tuple[float, ...]]) -> Callable[..., tuple[float, ...]]:
    def longer(*given: Any) -> tuple[float, ...]:
        return tuple(1.3 * seconds for seconds in drawn(*given))

    return longer
