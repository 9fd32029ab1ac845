"""From a name to an engine: options, canonical names, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.candidates.engines import GOOD, fake, needs_glaurung, needs_gnuchess, needs_stockfish
from tests.each_case import each_case
from vivavoce.candidates import open_candidate
from vivavoce.candidates.uci.engine import checked_fen
from vivavoce.candidates.uci.options import find_engine
from vivavoce.errors import BadInput, UnknownName

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


@pytest.mark.engine
@needs_stockfish
@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("uci:stockfish", "nodes=10000&hash=1"),
        ("uci:/usr/games/stockfish?time_out=5&threads=1", "nodes=10000&hash=1"),
        ("uci:stockfish?use nnue=FALSE&Hash=16&nodes=1000", "nodes=1000&hash=16&Use NNUE=false"),
        ("uci:stockfish?Use%20NNUE=false&Skill Level=3", "nodes=10000&hash=1&Skill Level=3&Use NNUE=false"),
        ("uci:stockfish?Use NNUE=true&Skill Level=020", "nodes=10000&hash=1"),  # both are the engine's default
        ("uci:stockfish?nodes=81000", "nodes=81000&hash=1"),
        ("uci:stockfish?nodes=1000000&depth=9", "nodes=1000000&depth=9&hash=10"),
        ("uci:stockfish?depth=9", "depth=9&hash=1"),
        ("uci:stockfish?wdl=logistic&scale=0.004", "nodes=10000&hash=1&wdl=logistic&scale=0.004"),
    ],
)
def test_a_name_holds_what_changes_answers(name: str, canonical: str) -> None:
    named_engine = find_engine(name)
    options, _, engine = named_engine.name.removeprefix("uci:stockfish?").rpartition("&engine=")
    assert options == canonical
    assert engine.startswith("Stockfish ")
    assert engine == named_engine.settings.identity
    assert find_engine(named_engine.name).name == named_engine.name


@pytest.mark.engine
@needs_glaurung
def test_an_engine_without_wdl_is_logistic_by_name() -> None:
    # glaurung takes no hash below 4 MB, and would use a book and two threads if nobody forbade it
    named_engine = find_engine("uci:glaurung?nodes=1000")
    assert named_engine.name == "uci:glaurung?nodes=1000&hash=4&wdl=logistic&engine=Glaurung 2.2"
    assert dict(named_engine.settings.options) == {
        "Threads": "1", "MultiPV": "1", "Ponder": "false", "OwnBook": "false", "Hash": "4",
    }  # fmt: skip


@pytest.mark.engine
@needs_gnuchess
def test_a_program_may_have_arguments() -> None:
    name = find_engine("uci:gnuchess --uci?depth=3").name
    assert name.startswith("uci:gnuchess --uci?depth=3&hash=4&wdl=logistic&engine=GNU Chess ")


@pytest.fixture
def engine(tmp_path: Path) -> str:
    return f"uci:{fake(tmp_path, GOOD)}"


def test_the_folder_is_no_part_of_the_name(engine: str) -> None:
    assert find_engine(engine).name == "uci:fake?nodes=10000&hash=1&wdl=logistic&engine=Fake 1"
    assert find_engine(f"{engine}?Style=very wild&Book File=a b").name == (
        "uci:fake?nodes=10000&hash=1&Book File=a b&Style=Very Wild&wdl=logistic&engine=Fake 1"
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("Stile=Solid", "did you mean 'Style'"),
        ("nods=5", "did you mean 'nodes'"),
        ("Hash=65", "'Hash' .* from 1 to 64"),
        ("hash=0", "'Hash' .* from 1 to 64"),
        ("nodes=0", "greater than or equal to 1"),
        ("nodes=many", "valid integer"),
        ("threads=2", "less than or equal to 1"),
        ("Style=Wild", "one of Solid, Very Wild"),
        ("Fancy=yes", "true or false"),
        ("Clear Hash=1", "button"),
        ("Book File=a%0Aquit", "one line"),
        ("Fancy=true&fancy=false", "twice"),
        ("nodes=5&nodes=6", "twice"),
        ("wdl=guess", "'engine', 'moves' or 'logistic'"),
        ("engine=Fake 2", "is 'Fake 1', but the name says 'Fake 2'"),
    ],
)
def test_options_are_checked_against_the_engine(engine: str, options: str, words: str) -> None:
    with pytest.raises(UnknownName if "did you mean" in words else BadInput, match=words):
        find_engine(f"{engine}?{options}")


@pytest.mark.engine
@needs_stockfish
@pytest.mark.parametrize(("option", "words"), [("MultiPV=2", "fixed"), ("UCI_ShowWDL=false", "wdl=logistic")])
def test_what_must_not_vary_is_fixed(option: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        find_engine(f"uci:stockfish?{option}")


@each_case(
    ("name", "words"),
    [
        ("uci:no-such-engine-here", "there is no program 'no-such-engine-here': give its path, or install it$"),
        ("uci:", "write uci:PROGRAM"),
        ("stockfish", "write uci:PROGRAM"),
        ("uci:'stockfish", "cannot be split"),
        ("uci:true", "does not speak UCI"),
        ("uci:echo id name x?nodes=1", "does not speak UCI"),
    ],
)
def test_what_is_no_engine_is_told(name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        find_engine(name)


def test_an_engine_is_no_candidate_for_prompts() -> None:
    with pytest.raises(BadInput, match="answers positions, not prompts"):
        open_candidate("uci:stockfish")


@each_case(
    "fen",
    [
        "",
        START + "\nquit",
        START + " moves e2e4",
        START.removesuffix(" 0 1"),
        START.replace("K", "Q", 1),
        START.replace("k", "K", 1),
        START.replace("8/8", "8/9"),
        START.replace("8/8", "8/7"),
        START.replace("8/8", "88"),
        START.replace("pppppppp", "ppppppppp").replace("PPPPPPPP", "PPPPPPP"),
        START.replace("0 1", "٠ 1"),
        "quit",
    ],
)
def test_what_is_no_position_is_never_sent(fen: str) -> None:
    with pytest.raises(BadInput, match="not a valid position"):
        checked_fen(fen)


@given(st.text(max_size=100))
def test_no_other_text_passes_for_a_position(text: str) -> None:
    with pytest.raises(BadInput):
        checked_fen(text)
    assume(not re.fullmatch("[0-9]{1,3}", text))  # more digits of the move's number
    with pytest.raises(BadInput):
        checked_fen(START + (text or " "))
