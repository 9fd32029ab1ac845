"""Backgammon's men by hand, and questions that its engine is never asked."""

from __future__ import annotations

import pytest

from vivavoce.candidates.backgammon.engine import ROLLS, GnubgEngine, GnubgSettings, _are_shares, _is_move
from vivavoce.candidates.backgammon.men import Men
from vivavoce.errors import BadInput
from vivavoce.interview.boards import BoardPosition


def men(**places: int) -> tuple[int, ...]:
    """Such as p6=5, bar=1."""
    return (*(places.get(f"p{point}", 0) for point in range(1, 25)), places.get("bar", 0))


def test_a_blot_is_hit_and_goes_to_the_bar() -> None:
    """The mover's point 5 is the other side's point 20."""
    after = Men(men(p6=2), men(p20=1, p1=3), "X").played((6, 5))
    assert (after.side, after.other, after.own) == ("O", men(p6=1, p5=1), men(p1=3, bar=1))


def test_men_come_in_from_the_bar_and_go_off() -> None:
    assert Men(men(bar=1), men(p1=1), "O").played((25, 22)).other == men(p22=1)
    last = Men(men(p2=1), men(p1=1), "X").played((2, 0))
    assert last.is_over
    assert Men(men(p2=1), men(p1=1), "X").played(()).side == "O"  # no move is legal


@pytest.mark.parametrize("move", [(5, 3), (6, 7), (6, 6), (0, 0), (26, 20), (6, -1), (6, 4)])
def test_what_cannot_be_played_is_refused(move: tuple[int, int]) -> None:
    with pytest.raises(BadInput):
        Men(men(p6=1), men(p21=2), "X").played(move)


def test_the_rolls_are_all_36() -> None:
    assert (len(ROLLS), sum(weight for _, _, weight in ROLLS)) == (21, 36)
    assert Men.read(Men(men(p6=1), men(p21=2), "O").written) == Men(men(p6=1), men(p21=2), "O")


def test_text_never_reaches_the_engine() -> None:
    engine = GnubgEngine(GnubgSettings(("/nowhere/gnubg",), 0, 1.0))
    for text in ("", "X=1 O=1 X", f"X={','.join(['1'] * 25)} O=__import__('os') X", "X=" + "9" * 200):
        with pytest.raises(BadInput, match="no position of backgammon"):
            engine.assess(BoardPosition("backgammon", text))


def test_what_makes_no_sense_is_not_taken_for_an_answer() -> None:
    assert _are_shares((0.5, 0.1, 0.0, 0.1, 0.0, 0.02))
    assert not any(map(_are_shares, [None, (), (0.5,) * 5, (0.5,) * 5 + ("0",), (2.0, 0.0, 0.0, 0.0, 0.0, 0.0), 0.5]))
    assert _is_move(())
    assert _is_move((8, 5, 6, 5))
    assert not any(map(_is_move, [None, (1,), (1,) * 10, (1.5, 2.0), "85"]))
