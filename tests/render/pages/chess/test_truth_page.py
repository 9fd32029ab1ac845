"""The page of an engine against the truth."""

from __future__ import annotations

import io
import random
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from tests.render.html_pages import assert_fits, assert_self_contained, outline
from vivavoce.consistency.chess.truth.checked import Checked, row_of
from vivavoce.consistency.chess.truth.finding import ChessTruth
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.engine import Evaluation
from vivavoce.interview.finding import Signature
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, svg
from vivavoce.render.figures import drawing_of

SVG = "{http://www.w3.org/2000/svg}"
LONGEST = {"KQK": 10, "KRK": 16, "KPK": 28}


def checked(ending: str, number: int, rng: random.Random) -> Checked:
    """A position, mates announced the more seldom the farther they are."""
    value = rng.choice([1, 1, -1, 0])
    moves = rng.randint(1, LONGEST[ending]) if value else None
    seen = moves is not None and rng.random() < 1.2 - moves / 12
    q = value if seen or rng.random() < 0.9 else 0.0
    mate = value * (moves or 0) if seen else None
    evaluation = Evaluation(q=q, best_move="a1a2", nodes=100, mate=mate)
    after = value if rng.random() < 0.95 else min(value, 0)
    return Checked(ending, f"8/8/8/8/8/2k5/8/KQ6 w - - 0 {number + 1}", value, moves, evaluation, after, can_err=value > 0)


def finding() -> ChessTruth:
    rng = random.Random(2)
    rows = tuple(row_of(ending, [checked(ending, i, rng) for i in range(150)], 2) for ending in LONGEST)
    candidate = "uci:stockfish?nodes=100&hash=1&engine=Stockfish 15.1"
    return ChessTruth(candidate, rows, Signature("0.1.0", "consistency/chess-truth", candidate, "endings", "", 0, {}))


def test_the_sentence_first_then_numbers_distance_positions_and_the_method_last(tmp_path: Path) -> None:
    found = finding()
    text = outline(found).text
    order = [found.headline, "Error of the evaluation", "Wrong result", "Mate announced", "By the distance to mate"]
    order += ["The worst positions", "What this does not show", "How this was found"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "no evaluation: 6" in text
    assert_self_contained(found)
    assert_fits(tmp_path, found)


def test_the_plot_says_what_it_shows() -> None:
    [figure] = finding().report().figures
    drawing = drawing_of(figure.data)
    assert isinstance(drawing, Drawing)
    assert "KQK" in drawing.alt
    assert "up to 4 moves" in drawing.alt
    words = {text.get("aria-label") or "".join(text.itertext()) for text in ET.fromstring(svg(drawing, "n")).iter(f"{SVG}text")}
    assert {"1–4", "25–28", "mate announced", "wrong result", "Moves to mate"} <= words
    assert not {word for word in words if "." in word}  # nobody mates in 2.5 moves


def test_the_sentences_say_that_they_name_the_worst_of_several() -> None:
    found = finding()
    worst = max(found.endings, key=lambda row: row.wrong.value or 0.0)
    assert f"of 150 positions of {worst.ending}, where the right one is known." in found.headline
    few = [replace(row, wrong=Estimate(0.0, Interval(0.0, 0.024), 150)) for row in found.endings if row is not worst]
    told_apart = replace(found, endings=(replace(worst, wrong=Estimate(0.2, Interval(0.14, 0.27), 150)), *few))
    assert told_apart.headline.endswith("where the right one is known, the most of three endings.")
    assert "worst of several endings" in found.caveats[0]
    alone = replace(found, endings=found.endings[:1])
    assert alone.headline.endswith("where the right one is known.")
    assert not any("worst of several" in caveat for caveat in alone.caveats)


def test_of_endings_without_an_error_the_least_known_is_named() -> None:
    rng = random.Random(1)
    faultless = [
        replace(one, evaluation=replace(one.evaluation, q=one.value), after=one.value)
        for one in (checked("KQK", i, rng) for i in range(40))
    ]
    rows = (row_of("KQK", faultless, 0), row_of("KRK", faultless[:1], 0))
    told = replace(finding(), endings=rows).headline
    assert "0% [0, 98] of 1 position of KRK, where the right one is known, and on none of the other endings." in told


def test_a_terminal_has_the_shares_and_the_last_word() -> None:
    found, file = finding(), io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    text = file.getvalue()
    assert "Wrong result" in text
    assert text.rstrip().endswith(found.statement[-20:])
