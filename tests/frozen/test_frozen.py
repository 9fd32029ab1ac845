"""What commands find is what they found when it was recorded, and the list of deleted tests is true."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from tests.frozen.recording import RENAMED, RecordedOutput, Renames, differences, read_record, recorded
from tests.frozen.running import Output, read_cases, run_case
from vivavoce.cli.viva import viva
from vivavoce.studies.scope_studies import SCOPE_STUDIES

pytestmark = pytest.mark.filterwarnings(  # both are Inspect's: of tenacity, and of anyio
    "ignore:The 'initial' parameter:DeprecationWarning", "ignore:Unclosed <MemoryObject:ResourceWarning"
)

CASES, record = read_cases(), cache(read_record)
RENAMES = Renames.read(RENAMED.read_text("utf-8"))
ENGINES = {"stockfish": "Stockfish 15.1"}
"""Engines, and the versions whose values are on record."""

LEFT_OUT = {
    "init": "it writes files, and finds nothing",
    "doctor": "what it finds depends on the machine",
    "view": "it opens a browser",
    "luna serve": "it runs until it is stopped",
    "mcp": "it speaks to an agent until it is stopped",
    "luna play": "it needs a site with people, and waits for them",
    "people survey rehearse": "it needs a browser and a site",
}
"""Commands without a record, and why; `tests/studies/contract.py` covers the studies of scopes."""


@pytest.fixture
def keys_of_records_are_seeded() -> None:
    """In place of the fixture of that name: what is drawn comes from the name of the case, as when it was recorded."""


@cache
def version_of(engine: str) -> str:
    """What the engine says that it is; nothing where it is not installed."""
    program = shutil.which(engine) or shutil.which(engine, path="/usr/games")
    if program is None:
        return ""
    output = subprocess.run([program], input="uci\nquit\n", capture_output=True, text=True, timeout=20, check=False).stdout
    return next((line.removeprefix("id name ") for line in output.splitlines() if line.startswith("id name ")), "")


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_a_command_finds_what_it_found(name: str, tmp_path: Path) -> None:
    for mark in CASES[name].marks:
        if mark in ENGINES and not version_of(mark).startswith(ENGINES[mark]):
            pytest.skip(f"the record is of {ENGINES[mark]}, and this is '{version_of(mark)}'")
    results = []
    for step, output in enumerate(run_case(CASES[name], tmp_path), 1):
        then = record()[name][step - 1]
        now = recorded(name, step, output, RENAMES)
        if changed := differences(then, now, RENAMES):
            results += [f"viva {output.line}", *(output.err.splitlines() if then.code != now.code else ()), *changed]
    assert not results, "\n".join(results)
    assert len(record()[name]) == step


def test_there_is_a_record_of_each_case_and_of_nothing_else() -> None:
    assert list(record()) == list(CASES)


def test_each_command_has_a_case_or_a_reason() -> None:
    recorded_commands = {
        command
        for case in CASES.values()
        for line in case.lines
        for command in _commands(viva)
        if line.startswith(f"{command} ") or line == command
    }
    by_contract = {f"consistency {name}" for name in SCOPE_STUDIES}
    assert {*_commands(viva)} - recorded_commands - {*LEFT_OUT} - by_contract == set()


def _commands(group: click.Group, above: str = "") -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from _commands(command, f"{above}{name} ")
        else:
            yield f"{above}{name}"


def kept(values: object, *, code: int = 0, renames: Renames = Renames()) -> RecordedOutput:  # noqa: B008
    return recorded("case", 1, Output("certify", code, json.dumps(values), ""), renames)


def test_a_changed_number_verdict_code_or_count_of_caveats_is_found() -> None:
    then = {"verdict": "pass", "score": {"mean": 0.25}, "caveats": ["a", "b"], "path": list(range(100)), "done": True}
    before = kept(then)
    assert differences(before, kept(then | {"score": {"mean": 0.25 * (1 + 1e-10)}, "caveats": ["c", "d"]})) == []
    for now, text in (
        ({"score": {"mean": 0.25 * (1 + 1e-8)}}, "'score.mean'"),
        ({"score": {"mean": None}}, "'score.mean'"),
        ({"score": {}}, "'score.mean' is missing"),
        ({"verdict": "fail"}, "'verdict' is fail, once pass"),
        ({"caveats": ["a"]}, "'caveats[]' is 1, once 2"),
        ({"path": [*range(99), 99.001]}, "'path[]'"),
        ({"path": [*range(99)]}, "'path[]'"),
        ({"done": 1}, "'done'"),
        ({"more": 1}, "'more' is new"),
    ):
        texts = differences(before, kept(then | now))
        assert texts, now
        assert any(text in name for name in texts), (text, texts)
    assert differences(before, kept(then, code=3)) == ["exit code 3, once 0"]


def test_a_line_of_the_record_is_read_as_it_was_written() -> None:
    entry = kept({"a": {"b": [1, None, "x"], "c": 1 / 3}, "verdict": "pass", "deep": [{"path": [[1, 2]] * 9}], "none": []})
    again = RecordedOutput.of_line(entry.as_line())
    assert (again, differences(entry, again)) == (entry, [])
    assert entry.numbers == {"a.b[]": [1, None], "a.c": 0.333333333333, "deep[].path[][]": entry.numbers["deep[].path[][]"]}
    assert entry.texts == {"a.b[]": 1, "none": 1}


def test_renamed_keys_and_words_are_the_same_and_nothing_else_is() -> None:
    then = kept({"verdict": "understands", "rows": [{"rate": {"n": 3}}], "gone": {"x": 1}, "rated": 2})
    now = {"verdict": "pass", "kinds": [{"share": {"n": 3}}], "new": [1], "rated": 2}
    renames = Renames.read(
        '{"keys": [["rows", "kinds"], ["rate", "share", "ca*"], ["gone", null], [null, "new"]],'
        ' "words": [["understands", "pass"]]}'
    )
    assert differences(then, kept(now, renames=renames), renames) == []
    changed = kept(now | {"kinds": [{"share": {"n": 4}}]}, renames=renames)
    assert differences(then, changed, renames) == ["numbers: 'rows[].rate.n' is 4, once 3"]
    assert len(differences(then, kept(now))) == 5


def test_a_level_may_be_new_and_a_verdict_that_is_null_is_none() -> None:
    then, now = kept({"n": 3}), {"figures": {"results": [{"n": 3}]}, "verdict": None}
    renames = Renames.read('{"keys": [["", "figures.results[]"]], "words": []}')
    assert differences(then, kept(now, renames=renames), renames) == []
    assert differences(kept({"verdict": "pass"}), kept({"verdict": None})) == ["words: 'verdict' is missing: pass"]


def test_two_cases_of_one_name_are_refused() -> None:
    assert [(case.marks, case.lines) for case in read_cases("[a stockfish]\nb \\\n c\n# d\n").values()] == [
        (("stockfish",), ("b   c",))
    ]
    with pytest.raises(ValueError, match="named 'a'"):
        read_cases("[a]\nb\n[a]\nc\n")


ROOT = Path(__file__).parents[2]
LISTED = tomllib.loads(Path(__file__).with_name("deleted_tests.toml").read_text("utf-8"))


def exists(name: str) -> bool:
    """Whether there is a file of tests, or a test `FILE::TEST` in one."""
    file, _, test = name.partition("::")
    path = ROOT / file
    return path.is_file() and (not test or f"def {test}(" in path.read_text("utf-8"))


def test_no_listed_test_exists() -> None:
    names = [name for group in LISTED.values() for tests in group.values() for name in tests]
    assert len(names) == len(set(names)) > 80
    assert [name for name in names if exists(name)] == []


def test_each_test_that_replaces_others_exists() -> None:
    assert [name for name in LISTED["replaced"] if not exists(name)] == []
