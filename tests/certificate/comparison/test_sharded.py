"""A comparison in shards, once they are merged, is that of one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.certificate.candidates import Knows, interview, scope
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.certificate.comparison.sharded import ask_comparison_shard, compared_beyond, prepare_comparison
from vivavoce.certificate.prepared_order import Beyond
from vivavoce.certificate.scopes import open_scope
from vivavoce.errors import BadInput, CandidateMisconfigured
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.copying import begin_as_copy
from vivavoce.interview.merging import merge
from vivavoce.interview.shard import Shard
from vivavoce.interview.transcript import Transcript

WHO = (Knows(0.9, name="test:good"), Knows(0.5, name="test:poor", salt="other"), Knows(0.7, name="test:fair", salt="third"))
CONFIG = ComparisonConfig(seed=4, questions=150)


async def test_shards_that_were_merged_are_as_one_run(tmp_path: Path) -> None:
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        found = await prepare_comparison([interview(one, transcript=transcript) for one in WHO], scope(600), CONFIG)
        assert found.order.questions == 150
    for number in range(3):
        begin_as_copy(tmp_path / "run.sqlite", tmp_path / f"{number}.sqlite")
        with Transcript.open(tmp_path / f"{number}.sqlite") as transcript:
            asking = [interview(one, transcript=transcript) for one in WHO]
            asked = await ask_comparison_shard(asking, scope(600), CONFIG, shard=Shard(number, 3))
            assert (asked.share, asked.asked, asked.complete) == (150, 150, True)
    merge(str(tmp_path / "run.sqlite"), [str(tmp_path / f"{number}.sqlite") for number in range(3)])
    with Transcript.open(tmp_path / "run.sqlite") as merged, Transcript.open(tmp_path / "one.sqlite") as one:
        together = [interview(who, transcript=merged) for who in WHO]
        found_together = await compare(together, scope(600), CONFIG)
        beyond = await compared_beyond(together, scope(600), CONFIG)
        alone = await compare([interview(who, transcript=one) for who in WHO], scope(600), CONFIG)
        assert merged.origins["new"] == 0
    assert found_together.as_json() == alone.as_json()
    assert isinstance(beyond, Beyond)
    assert (beyond.prepared, beyond.answered) == (450, 450)


class Misconfigured(Knows):
    """Has a wrong key."""

    async def answer(self, prompt: Prompt, /) -> Reply:
        raise CandidateMisconfigured("wrong key")


async def test_what_one_candidate_meets_ends_the_shard(tmp_path: Path) -> None:
    who = (WHO[0], Misconfigured(0.5, name="test:shut"))
    with Transcript.open(tmp_path / "run.sqlite") as transcript:
        asking = [interview(one, transcript=transcript) for one in who]
        with pytest.raises(BadInput, match="one that is divided is prepared first"):
            await ask_comparison_shard(asking, scope(600), CONFIG, shard=Shard(0, 3))
        await prepare_comparison(asking, scope(600), CONFIG)
        with pytest.raises(CandidateMisconfigured, match="wrong key"):
            await ask_comparison_shard(asking, scope(600), CONFIG, shard=Shard(0, 3))
        with pytest.raises(BadInput, match="drawn without an end"):
            await prepare_comparison(asking, open_scope("arithmetic"), ComparisonConfig())
