"""`viva consistency games --cluster`: the table is that of one machine, also where a worker is killed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'vivavoce[cluster]'")

from tests.candidates.boards.servers import gtp_program, needs_fairy, needs_gnubg
from tests.candidates.cluster.conftest import address as address
from tests.candidates.cluster.conftest import local as local
from tests.candidates.cluster.daskers import daskers
from tests.cli.conftest import Viva, wait_for_records
from tests.cli.consistency.test_games import PLAYS
from vivavoce.candidates.backgammon.engine import GnubgEngine, GnubgSettings
from vivavoce.candidates.boards.engine import BoardEngine
from vivavoce.candidates.boards.places import There
from vivavoce.candidates.gtp.engine import GtpEngine, GtpSettings
from vivavoce.candidates.uci.idle import Made
from vivavoce.consistency.games.boards import board_of
from vivavoce.consistency.games.config import GameName, GamesConfig
from vivavoce.errors import CandidateMisconfigured
from vivavoce.interview.boards import GameToPlay

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
GAMES = ("consistency", "games")


@pytest.mark.long
def test_the_table_is_that_of_one_machine(viva: Viva, address: str, tmp_path: Path) -> None:
    engine = f"gtp:{gtp_program(tmp_path, PLAYS)}"
    command = (*GAMES, "go", engine, "--size", "5", "--limit", "8", "--opening", "6", "--quiet", "--json")
    here, there = viva(*command), viva(*command, "--cluster", address)
    assert (there.code, there.out, there.err) == (here.code, here.out, here.err) == (0, here.out, "")
    assert [row["n"] for row in json.loads(there.out)["rows"]] == [8, 8]


@pytest.mark.long
@pytest.mark.engine
@pytest.mark.parametrize(
    ("game", "engine"),
    [
        pytest.param("xiangqi", "uci:fairy-stockfish?nodes=200", marks=needs_fairy),
        pytest.param("shogi", "uci:fairy-stockfish?nodes=200", marks=needs_fairy),
        pytest.param("backgammon", "gnubg:gnubg", marks=needs_gnubg),
    ],
)
def test_so_it_is_where_a_worker_is_killed(viva: Viva, tmp_path: Path, game: str, engine: str) -> None:
    command = (*GAMES, game, engine, "--limit", "24", "--length", "30", "--quiet", "--json")
    here = json.loads(viva(*command).out)
    with daskers(tmp_path, 2) as cluster:
        kept = ("--cluster", cluster.address, "--transcript", str(tmp_path / "run.sqlite"))
        counting = cluster.count([*command, *kept], tmp_path / "run.json")
        wait_for_records(tmp_path / "run.sqlite", 8)  # the first games
        cluster.kill(0)
        counting.join(300)
        assert counting.exitcode == 0, (tmp_path / "run.err").read_text()
    there = json.loads((tmp_path / "run.json").read_text())
    assert there.pop("transcript_head")
    assert there == here


@pytest.mark.parametrize("game", ["go", pytest.param("backgammon", marks=needs_gnubg)])
def test_a_worker_with_another_engine_ends_the_run_by_name(address: str, tmp_path: Path, game: GameName) -> None:
    made: Made[BoardEngine]
    config = GamesConfig(size=5)
    if game == "go":
        command = (str(gtp_program(tmp_path, PLAYS)),)
        made = Made(GtpEngine, GtpSettings(command, "Fake Go 2", frozenset(), "estimate_score", "mover", 30.0))
    else:
        made = Made(GnubgEngine, GnubgSettings(("gnubg", "--tty", "--quiet", "--no-rc"), 0, 30.0, "GNU Backgammon 0.0"))

    async def asked() -> None:
        there = There("it", made, address)
        try:
            await there.all_of("play", [GameToPlay(game, 1, 0, 2, 4, board_of(game, config).start(config))])
        finally:
            await there.close()

    with pytest.raises(CandidateMisconfigured, match=r"worker tcp://.* is '(Fake Go 1|GNU Backgammon .*)' here, not '"):
        asyncio.run(asked())
