"""The baselines without text, against means counted by hand."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.errors import BadFile, NotEnoughEvidence
from vivavoce.generalization.pairs import BeliefPair, read_pairs
from vivavoce.generalization.predictors.base import labels_of
from vivavoce.generalization.predictors.previous_answer import fit, fit_with_task, load

RNG = np.random.default_rng(0)


def pair(right: bool, same: bool, changed: bool | None, **more: float) -> BeliefPair:
    return BeliefPair("a?", "b?", "sums", "sums" if same else "books", right, changed, **more)  # type: ignore[arg-type]


def practice() -> list[BeliefPair]:
    folder = os.environ.get("VIVA_DATA")
    if not folder:
        pytest.skip("$VIVA_DATA does not name the research data")
    return read_pairs(Path(folder) / "human_generalization" / "survey_practice.csv")


@pytest.mark.data
def test_on_the_practice_pairs_the_cells_and_their_ranking_are_those_counted_by_hand() -> None:
    from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]

    pairs = practice()
    changed = [bool(entry.changed) for entry in pairs]
    # after a right answer 38 of 116 change (20 of 30 of the same task), after a wrong one 71 of 130 (12 of 15); overall 109
    overall = (109 + 0.5) / 247
    two, four = fit(pairs, rng=RNG), fit_with_task(pairs, rng=RNG)
    assert two.cells[True][0].change == pytest.approx((38 + overall) / 117)
    assert two.cells[False][0].change == pytest.approx((71 + overall) / 131)
    assert [[cell.n for cell in row] for row in four.cells] == [[115, 15], [86, 30]]
    assert [cell.change for row in four.cells for cell in row] == pytest.approx(
        [(59 + overall) / 116, (12 + overall) / 16, (18 + overall) / 87, (20 + overall) / 31]
    )
    # 71 changed after a wrong answer stand above 78 that did not after a right one; equal cells tie:
    # (71 * 78 + (71 * 59 + 38 * 78) / 2) / (109 * 137) = .6104
    by_hand = (71 * 78 + (71 * 59 + 38 * 78) / 2) / (109 * 137)
    assert roc_auc_score(changed, two.predict(pairs)) == pytest.approx(by_hand) == pytest.approx(0.6104, abs=5e-5)
    assert roc_auc_score(changed, four.predict(pairs)) == pytest.approx(0.7019, abs=5e-5)


def test_the_four_means_say_what_a_logistic_regression_without_interaction_cannot() -> None:
    # a common task matters after a right answer only
    either = (False, True)
    pairs = [pair(right, same, changed) for right in either for same in either for changed in either for _ in range(50)]
    pairs += [pair(True, True, True)] * 400
    means = fit_with_task(pairs, rng=RNG)
    assert [round(means.cells[right][same].change, 2) for right in (0, 1) for same in (0, 1)] == [0.5, 0.5, 0.5, 0.9]


def test_a_cell_without_pairs_has_the_overall_share_and_no_chance_is_certain() -> None:
    only_right = [pair(True, True, True)] * 9
    chances = fit_with_task(only_right, rng=RNG).predict([pair(True, True, None), pair(False, False, None)])
    # overall (9 + 1/2) / 10 = .95; (9 + .95) / 10
    assert chances.tolist() == pytest.approx([0.995, 0.95])


def test_tasks_that_are_not_named_are_not_the_same() -> None:
    pairs = [pair(True, same, same) for same in (False, True) for _ in range(20)]
    unnamed = BeliefPair("a?", "b?", "", "", previous_correct=True)
    assert fit_with_task(pairs, rng=RNG).predict([unnamed, pairs[0]]).tolist() == pytest.approx([0.5 / 21] * 2)


def test_weights_count_and_teachers_count_by_their_chance() -> None:
    pairs = [pair(True, True, True, weight=30.0), pair(True, True, False, weight=10.0)]
    # weights with mean 1: 1.5 and .5; overall (1.5 + .5) / 3, and (1.5 + 2/3) / 3
    assert fit(pairs, rng=RNG).predict(pairs[:1])[0] == pytest.approx((1.5 + 2 / 3) / 3)
    taught = fit([], teachers=[pair(True, True, None, pred=0.25), pair(True, True, None)], rng=RNG)
    # overall (.25 + .5) / 2, and smoothed by it (.25 + .375) / 2 in the cell
    assert taught.predict(pairs[:1])[0] == pytest.approx(0.3125)
    assert labels_of(pairs, [pair(True, True, None, pred=0.25)])[2].tolist() == [1.5, 0.5, 1.0]
    with pytest.raises(NotEnoughEvidence, match="needs at least 1"):
        fit([pair(True, True, None), pair(True, True, True, weight=0.0)], rng=RNG)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_chances_lie_between_the_cell_and_the_overall_share(rows: list[tuple[bool, bool, bool]]) -> None:
    pairs = [pair(*row) for row in rows]
    overall = (sum(row[2] for row in rows) + 0.5) / (len(rows) + 1)
    for entry, chance in zip(pairs, fit_with_task(pairs, rng=RNG).predict(pairs), strict=True):
        cell = [row[2] for row in rows if row[:2] == (entry.previous_correct, entry.source1 == entry.source2)]
        ends = sorted((overall, sum(cell) / len(cell)))
        assert 0 < chance < 1
        assert ends[0] - 1e-12 <= chance <= ends[1] + 1e-12


def test_what_was_saved_predicts_the_same(tmp_path: Path) -> None:
    pairs = [pair(n % 2 == 0, n % 3 == 0, n % 5 == 0) for n in range(40)]
    for made in (fit(pairs, rng=RNG), fit_with_task(pairs, rng=RNG)):
        made.save(tmp_path)
        assert load(tmp_path) == made


@pytest.mark.parametrize(
    "kept",
    [
        b"", b"\xff\xfe", b"[]", b"{", b"null", b'{"with_task": 1, "cells": []}', b"[" * 100_000,
        b'{"with_task": true, "cells": 7}',
        b'{"with_task": true, "cells": [[[0.5, 1], [0.5, 1]], [[0.5, 1], [1.0, 1]]]}',
        b'{"with_task": true, "cells": [[[0.5, 1], [0.5, 1]], [[0.5, 1], [NaN, 1]]]}',
        b'{"with_task": true, "cells": [[[0.5, 1], [0.5, 1]], [[0.5, 1], [true, 1]]]}',
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_told(tmp_path: Path, kept: bytes) -> None:
    (tmp_path / "cells.json").write_bytes(kept)
    with pytest.raises(BadFile, match=r"cells\.json: "):
        load(tmp_path)
    with pytest.raises(BadFile, match="cannot be read"):
        load(tmp_path / "nowhere")
