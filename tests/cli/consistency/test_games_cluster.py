"""`viva consistency games --cluster`: the table equals the one of a single machine, also if a worker is killed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.candidates.boards.servers import needs_fairy, variant_program
from tests.candidates.cluster.conftest import address as address
from tests.candidates.cluster.conftest import local as local
from tests.candidates.cluster.daskers import daskers
from tests.cli.conftest import Viva, wait_for_records
from tests.cli.consistency.test_games import TASTE
from vivavoce.candidates.uci.options import find_engine
from vivavoce.candidates.uci.pool import EngineRecipe
from vivavoce.candidates.uci.variants import ClusterEngines, VariantEngine
from vivavoce.errors import CandidateMisconfigured
from vivavoce.interview.candidate_kinds import GameToPlay

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
    pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed: pip install 'vivavoce[cluster]'"),
]
GAMES = ("consistency", "games")


@pytest.mark.long
def test_the_table_is_that_of_one_machine(viva: Viva, address: str, tmp_path: Path) -> None:
    engine = f"uci:{variant_program(tmp_path, TASTE)}"
    command = (*GAMES, "xiangqi", engine, "--limit", "8", "--length", "30", "--check", "mirror,colours", "--quiet", "--json")
    here, there = viva(*command), viva(*command, "--cluster", address)
    assert (there.code, there.out, there.err) == (here.code, here.out, here.err) == (0, here.out, "")
    assert [row["n"] for row in json.loads(there.out)["figures"]["treatments"]] == [8, 8]


@pytest.mark.long
@pytest.mark.engine
@pytest.mark.parametrize("game", ["xiangqi", "shogi"])
@needs_fairy
def test_so_it_is_where_a_worker_is_killed(viva: Viva, tmp_path: Path, game: str) -> None:
    command = (*GAMES, game, "uci:fairy-stockfish?nodes=200", "--limit", "24", "--length", "30", "--quiet", "--json")
    here = viva(*command).values
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


def test_a_worker_with_another_engine_ends_the_run_by_name(address: str, tmp_path: Path) -> None:
    settings = find_engine(f"uci:{variant_program(tmp_path)}?UCI_Variant=xiangqi").settings
    made = EngineRecipe(VariantEngine, replace(settings, identity="Fake Variant 2"))

    async def asked() -> None:
        there = ClusterEngines("it", made, address)
        try:
            await there.all_of("play", [GameToPlay("xiangqi", 1, 0, 2, 4)])
        finally:
            await there.close()

    with pytest.raises(
        CandidateMisconfigured, match=r"worker tcp://.* is 'Fake Variant 1' on this machine, not 'Fake Variant 2'"
    ):
        asyncio.run(asked())
