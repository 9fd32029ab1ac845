import json

from tests.cli.conftest import Viva
from vivavoce.candidates import BOTS, KINDS, open_candidate
from vivavoce.cli.inspect_runs import TASK
from vivavoce.scopes import KINDS as SCOPES


def test_candidates_are_listed_and_explained(viva: Viva) -> None:
    ended = viva("list", "candidates")
    assert ended.code == 0
    for kind in (*KINDS, *BOTS):
        assert kind.form in ended.out
    listed = json.loads(viva("list", "candidates", "--json").out)
    assert len(listed) == len(KINDS) + len(BOTS)
    assert {"form", "example", "explanation"} == set(listed[0])


def test_every_example_of_a_bot_can_be_opened(viva: Viva) -> None:
    for row in json.loads(viva("list", "candidates", "--json").out):
        if row["example"].startswith("bot:"):
            assert open_candidate(row["example"]).name


def test_scopes_are_listed_and_explained(viva: Viva) -> None:
    out = viva("list", "scopes").out
    for kind in SCOPES:
        assert kind.form in out
        assert kind.example in out
    assert [row["form"] for row in json.loads(viva("list", "scopes", "--json").out)] == [
        *(kind.form for kind in SCOPES),
        TASK[0],
    ]
