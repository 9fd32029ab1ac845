"""Can a player tell a machine before the end, by anything but its words?

    python -m tests.validity.nobody_can_tell [--games 400] [--seed 0]

On a site with a made-up clock, people-bots play people-bots and machines that draw their texts from one source. One of the
people in each game has a browser, which looks at the waiting page, the game and the news, and keeps all that the server sends
before the game is over, and how it ended where it has no result: status, headers, sizes, texts, numbers, and when each came.
Some people are not ready when a game begins, some never move, some resign. Machines are called within half a second;
what they say then goes through the site's own ways. The people's timing is none of what the site assumes of people: it is
log-normal with other medians and a person's own pace.

A classifier (extra trees) learns from what the browsers of other games received whether the other player was a machine, in
folds that keep games whole. If it does no better than chance, nothing that a browser receives tells. Beside it, the same on
sites that leak on purpose: whether it would have found out.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from math import exp
from pathlib import Path
from typing import Any, Final, Literal
from unittest import mock

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier  # type: ignore[import-untyped]
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]
from sklearn.model_selection import StratifiedKFold, cross_val_predict  # type: ignore[import-untyped]
from sqlalchemy import select
from starlette.testclient import TestClient

from tests.web.site import SECRET
from tests.web.store.players import START
from vivavoce.luna.limits import THESIS
from vivavoce.luna.rules import READY_WITHIN, Answered, Asked, Game, Guessed, Move, Phase, Seat
from vivavoce.web.app import create_app
from vivavoce.web.database import reading, transaction
from vivavoce.web.demo_script import LINES
from vivavoce.web.settings import Settings
from vivavoce.web.store import ending, games, machines, moves, pacing, people, queue
from vivavoce.web.store.locking import alone
from vivavoce.web.store.people import Player
from vivavoce.web.tables import PLAYERS

Leak = Literal["none", "begins at once", "every move is news", "getting ready is news", "no delay", "delays 30% longer"]
LEAKS: Final[tuple[Leak, ...]] = (
    "begins at once", "every move is news", "getting ready is news", "no delay", "delays 30% longer",
)  # fmt: skip
FOLDS: Final = 5
PERMUTATIONS: Final = 200
POLL: Final = 4.0
"""Seconds between two looks of a browser."""
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
"""Seconds until they do, in the middle; the site assumes 45."""
CALLED: Final = 0.3
"""Seconds until a machine moves that was asked."""
PLAYERS_WITH_BROWSERS: Final = 10
_WORDS: Final = 8
"""Numbers into which the words of a page are hashed."""


@dataclass(frozen=True, slots=True)
class Received:
    """What a browser received in one game before its end."""

    machine: bool
    """Whether the other player was one: what is to be found out."""
    numbers: Mapping[str, float]
    """By what it is."""


@dataclass(slots=True)
class Clock:
    """A clock that is put forward."""

    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


class Study:
    """A site, its players, and what their browsers have received."""

    def __init__(self, leak: Leak, rng: random.Random, folder: Path) -> None:
        self.leak = leak
        self.rng = rng
        self.clock = Clock()
        settings = Settings(database=str(folder / "site.sqlite"), secret=SECRET)
        self.url = settings.base_url
        self.app = create_app(settings, clock=self.clock)
        self.engine = self.app.state.site.engine

    def run(self, count: int) -> list[Received]:
        """So many games of browsers, and what each received."""
        with TestClient(self.app, base_url=self.url) as first:
            self._tables_are_there()
            browsers = [BrowserOf(self, first if not number else TestClient(self.app, base_url=self.url))
                        for number in range(PLAYERS_WITH_BROWSERS)]  # fmt: skip
            return [self._one(self.rng.choice(browsers)) for _ in range(count)]

    def _tables_are_there(self) -> None:
        with transaction(self.engine) as c:
            self.house = machines.of_the_house(c, "The house", self.clock())
            self.others = [people.create_guest(c, consent_version="1", now=self.clock()) for _ in range(PLAYERS_WITH_BROWSERS)]
            self.waiting = machines.create_machine(c, name="Model", now=self.clock())[0]

    def _one(self, browser: BrowserOf) -> Received:
        """Somebody else comes at about the same time; a lot says who plays whom."""
        self.clock.now += timedelta(hours=1, seconds=self.rng.uniform(0, 60))
        other = self.rng.choice(self.others)
        with transaction(self.engine) as c:
            for one in (self.house, self.waiting, other):
                people.seen(c, one, self.clock())
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

    def _begin(self, one: Player, other: Player, *, at_once: bool) -> None:
        with transaction(self.engine) as c:
            queue.leave_queue(c, other)
            if at_once:
                queue.leave_queue(c, one)
                games.begin(c, ((one.id, True), (other.id, True)), self.clock())

    def _play(self, browser: BrowserOf) -> Received:
        """The game of the browser to its end, and those of the others that began with it."""
        with reading(self.engine) as c:
            mine = games.games_of(c, browser.player, self.clock(), limit=1)[0][0]
            others = {
                game.id: game
                for one in (*self.others, self.house, self.waiting)
                for game, _ in games.games_of(c, one, self.clock(), open_only=True)
            }
        other = next(seat for seat in mine.seats if seat.player != browser.player.id)
        for game in others.values():
            if game.id != mine.id and game.since == mine.since:
                self._play_unseen(game)
        self.clock.now = mine.since
        browser.open(mine, Phase.INTERVIEW)
        paces = {seat.player: exp(PACE * self.rng.gauss(0, 1)) for seat in mine.seats}
        for phase in (Phase.INTERVIEW, Phase.RESPONSE, Phase.GUESS):
            if not self._phase(browser, mine.id, phase, paces):
                self._see_end(browser, mine.id)
                break
        return Received(not other.human, browser.received())

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
        found: list[tuple[datetime, Callable[[], None]]] = []
        for seat in game.seats:
            if not seat.human or self.rng.random() < ABSENT:
                continue
            at = game.since + timedelta(seconds=self.rng.uniform(*READY))
            mine = seat.player == browser.player.id
            found.append(
                (at, partial(browser.ready, game.since) if mine else partial(self._other_is_ready, game, seat.player, browser))
            )
        return found

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

    def _see_end(self, browser: BrowserOf, game_id: str) -> None:
        """The browser looks when its game has ended without a result."""
        since = self._load(game_id, browser.player).since
        self.clock.now = self._end(game_id)
        browser.see_end(since)
        with transaction(self.engine) as c:
            for one in (browser.player, *self.others):
                queue.leave_queue(c, one)

    def _end(self, game_id: str) -> datetime:
        """End a game as the site does that is not ended yet; when it ends."""
        with transaction(self.engine) as c:
            alone(c)
            game = games.loaded(c, game_id, lock=True).game
            if game.closed:
                return max(game.expires, self.clock())
            absent = game.begun is not None and any(seat.ready is None for seat in game.seats)
            at = game.since + READY_WITHIN if absent else game.expires
            why = game.ended(at)
            assert why is not None
            ending.leave(c, game, why, at)
        return at

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
        paces = {seat.player: exp(PACE * self.rng.gauss(0, 1)) for seat in game.seats}
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
            for one in self.others:
                queue.leave_queue(c, one)
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
            return Asked(tuple(line.question for line in lines))
        if phase is Phase.RESPONSE:
            return Answered(tuple(self.rng.choice((line.bright, line.middling, line.dull)) for line in lines))
        return Guessed(float(self.rng.randint(20, 90)))

    def _seconds(self, phase: Phase, move: Move, pace: float) -> float:
        """Of a person."""
        texts = move.questions if isinstance(move, Asked) else move.answers if isinstance(move, Answered) else ("x" * 300,)
        size = sum(map(len, texts)) / 300
        return float(MEDIANS[phase] * size**0.6 * pace * exp(SPREAD * self.rng.gauss(0, 1)))


class BrowserOf:
    """A player's browser, which keeps what it receives."""

    def __init__(self, study: Study, client: TestClient) -> None:
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
            case Asked(texts):
                fields |= {f"question{number}": text for number, text in enumerate(texts, 1)}
            case Answered(texts):
                fields |= {f"answer{number}": text for number, text in enumerate(texts, 1)}
            case Guessed(guess):
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

    def see_end(self, since: datetime) -> None:
        """Look at a game that has ended without a result."""
        self.look("end", since)
        self._keep("end", self._client.get(self._game), since)

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
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', page)
    assert found
    return found[1]


def collected(leak: Leak, count: int, seed: int) -> list[Received]:
    """What browsers receive in so many games on a site with this leak."""
    rng = random.Random(seed)
    with ExitStack() as stack:
        stack.enter_context(_seeded(rng))
        if leak == "delays 30% longer":
            stack.enter_context(mock.patch.object(pacing, "drawn", _longer(pacing.drawn)))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        return Study(leak, rng, Path(folder)).run(count)


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


def _longer(drawn: Callable[..., pacing.Drawn]) -> Callable[..., pacing.Drawn]:
    def longer(c: Any, game: Game, *more: Any) -> pacing.Drawn:
        found = drawn(c, game, *more)
        return replace(found, due=game.since + 1.3 * (found.due - game.since))

    return longer


@dataclass(frozen=True, slots=True)
class Told:
    """How well a classifier tells machines from people."""

    games: int
    machines: int
    auc: float
    lower: float
    upper: float
    """Ends of its 95% interval, by bootstrap over games."""
    p: float
    """The share of permutations of the labels with which it does as well, itself included."""


def told(received: Sequence[Received], *, permutations: int = PERMUTATIONS, seed: int = 0) -> Told:
    """What a classifier finds out in folds that keep games whole: there is one row for each game."""
    columns = sorted({name for one in received for name in one.numbers})
    rows = np.array([[one.numbers.get(name, -1.0) for name in columns] for one in received])
    rows = rows[:, np.ptp(rows, axis=0) > 0]
    labels = np.array([one.machine for one in received])
    rng = np.random.default_rng(seed)
    scores = _scores(rows, labels, seed)
    auc = float(roc_auc_score(labels, scores))
    picks = (rng.integers(0, labels.size, labels.size) for _ in range(1_000))
    again = [roc_auc_score(labels[pick], scores[pick]) for pick in picks if 0 < labels[pick].sum() < pick.size]
    by_chance = []
    for _ in range(permutations):
        shuffled = rng.permutation(labels)
        by_chance.append(roc_auc_score(shuffled, _scores(rows, shuffled, seed)))
    p = (1 + sum(one >= auc for one in by_chance)) / (1 + permutations)
    lower, upper = np.quantile(again, [0.025, 0.975])
    return Told(labels.size, int(labels.sum()), auc, float(lower), float(upper), p)


def _scores(rows: NDArray[np.float64], labels: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
    forest = ExtraTreesClassifier(100, min_samples_leaf=4, max_features=0.5, random_state=seed)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    found: NDArray[np.float64] = cross_val_predict(forest, rows, labels, cv=folds, method="predict_proba")[:, 1]
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--permutations", type=int, default=PERMUTATIONS)
    given = parser.parse_args()
    print(f"{'leak':20} games machines  AUC [95% interval]      p")
    for leak in ("none", *LEAKS):
        found = told(collected(leak, given.games, given.seed), permutations=given.permutations if leak == "none" else 0)
        p = f"{found.p:.3f}" if leak == "none" else ""
        print(f"{leak:20} {found.games:5} {found.machines:8}  {found.auc:.2f} [{found.lower:.2f}, {found.upper:.2f}]  {p:>7}")


if __name__ == "__main__":
    main()
