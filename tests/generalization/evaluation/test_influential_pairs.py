"""The most influential pairs: means against the paper's own predictions, and pairs drawn without a bias."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import scipy

from tests.each_case import each_case
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.generalization.config import InfluentialConfig
from vivavoce.generalization.evaluation.influential_pairs import (
    both_ways,
    draw_pairs,
    influential_pairs,
    read_drawn,
    read_questions,
)
from vivavoce.generalization.pairs import BeliefPair, TaskQuestion, read_pairs

QUESTIONS = [TaskQuestion(f"question {n}?", f"task {n % 3}") for n in range(8)]


@pytest.mark.data
def test_the_means_are_those_of_the_paper() -> None:
    folder = os.environ.get("VIVA_DATA")
    if not folder:
        pytest.skip("$VIVA_DATA does not name the research data")
    data = Path(folder) / "human_generalization"
    right, wrong = (read_pairs(data / f"{name}_sample_with_pred.csv") for name in ("correct", "incorrect"))
    predicted = {(pair.q1, pair.q2, pair.previous_correct): pair.pred or 0.0 for pair in right + wrong}
    pairs = both_ways(right)
    result = influential_pairs(pairs, [predicted[pair.q1, pair.q2, pair.previous_correct] for pair in pairs])
    # section 4: the mean prediction is .46 after a wrong answer and .32 after a right one
    assert (round(result.after_wrong.value or 0, 2), round(result.after_right.value or 0, 2)) == (0.46, 0.32)
    assert result.statement.endswith("Wrong answers change more beliefs.")
    assert result.highest_right[0].change == max(pair.pred or 0 for pair in right)
    assert result.lowest_wrong[0].change == min(pair.pred or 0 for pair in wrong)


def test_intervals_are_student_s_where_nothing_is_shared() -> None:
    pairs = both_ways([BeliefPair(f"{n}?", f"{n}!", "a", "b", True) for n in range(20)])
    chances = np.random.default_rng(0).random(40)
    result = influential_pairs(pairs, chances)
    expected = scipy.stats.ttest_1samp(chances[20:] - chances[:20], 0).confidence_interval()
    assert (result.difference.interval.lower, result.difference.interval.upper) == pytest.approx((expected.low, expected.high))
    assert result.difference.value == pytest.approx(np.mean(chances[20:]) - np.mean(chances[:20]))
    assert (result.n, result.questions) == (20, 40)
    assert result.compared == "The difference is not significant"


def test_both_ends_in_order() -> None:
    pairs = both_ways([BeliefPair(f"{n}?", f"{n}!", "a", "b", True) for n in range(6)])
    result = influential_pairs(pairs, [0.1, 0.5, 0.3, 0.3, 0.9, 0.2] + [0.6] * 6, InfluentialConfig(most=2))
    assert [predicted_pair.change for predicted_pair in result.highest_right] == [0.9, 0.5]
    assert [predicted_pair.change for predicted_pair in result.lowest_right] == [0.1, 0.2]
    assert [predicted_pair.pair.q1 for predicted_pair in result.highest_wrong] == ["0?", "1?"]
    document = json.loads(json.dumps(result.as_json(), allow_nan=False))
    pair = {"q1": "0?", "q2": "0!", "source1": "a", "source2": "b"}
    assert document["figures"]["lowest_right"][0] == {"pair": pair, "change": 0.1}


def test_a_single_pair_has_no_interval_but_the_widest() -> None:
    pairs = influential_pairs(both_ways([BeliefPair("a?", "b?", "", "", True)]), [0.4, 0.6])
    assert (pairs.after_right.interval.lower, pairs.after_right.interval.upper) == (0, 1)
    assert (pairs.difference.interval.lower, pairs.difference.interval.upper) == (-1, 1)


def test_equal_chances_are_no_certainty() -> None:
    pairs = influential_pairs(both_ways([BeliefPair(f"{n}?", f"{n}!", "", "", True) for n in range(2)]), [0.4] * 4)
    # an event never seen in 2 may have a share of 1 - .025^(1/2)
    assert pairs.after_right.interval.upper == pytest.approx(0.4 + 0.6 * (1 - 0.025**0.5))


def test_what_cannot_be_is_told() -> None:
    pairs = both_ways([BeliefPair(f"{n}?", f"{n}!", "a", "b", True) for n in range(3)])
    for wrong in (pairs[:-1], pairs[:3], pairs[::-1], []):
        with pytest.raises(BadInput, match="both_ways"):
            influential_pairs(wrong, [0.5] * len(wrong))
    for chances in ([0.5] * 5, [0.5] * 5 + [float("nan")], [0.5] * 5 + [1.5]):
        with pytest.raises(BadInput, match="give numbers from 0 to 1"):
            influential_pairs(pairs, chances)


def test_both_ways_forgets_what_is_known() -> None:
    pair = BeliefPair("a?", "b?", "s", "t", False, belief_change=True, person="ann", weight=3.0, pred=0.3)
    assert both_ways([pair, pair]) == [BeliefPair("a?", "b?", "s", "t", True), BeliefPair("a?", "b?", "s", "t", False)]


def test_pairs_are_drawn_uniformly_and_never_of_one_question_alone() -> None:
    counted: Counter[tuple[str, str]] = Counter()
    for seed in range(400):
        drawn = draw_pairs(QUESTIONS, 14, rng=np.random.default_rng(seed))
        assert len({(pair.q1, pair.q2) for pair in drawn}) == 14
        counted.update((pair.q1, pair.q2) for pair in drawn)
    # 56 pairs, each expected 100 times; without replacement the counts spread less than chance, so the test is on the safe side
    assert len(counted) == 56
    assert all(name != other for name, other in counted)
    assert scipy.stats.chisquare(list(counted.values())).pvalue > 0.01
    assert len(draw_pairs(QUESTIONS, 10_000, rng=np.random.default_rng(0))) == 56
    with pytest.raises(NotEnoughEvidence, match="at least 2"):
        draw_pairs([QUESTIONS[0]] * 5, 3, rng=np.random.default_rng(0))
    with pytest.raises(BadInput):
        draw_pairs(QUESTIONS, 0, rng=np.random.default_rng(0))


def test_questions_are_read_from_scopes_answers_and_pairs(tmp_path: Path) -> None:
    (tmp_path / "scope.jsonl").write_text(
        '{"question": "one?", "category": "a", "answer": 1}\n{"question": "two?", "answer": 2}\n'
    )
    assert read_questions(tmp_path / "scope.jsonl") == [TaskQuestion("one?", "a"), TaskQuestion("two?")]
    with gzip.open(tmp_path / "answers.csv.gz", "wt") as stream:
        stream.write("prompt,gpt-4\none?,1\n\ntwo?,0\n")
    assert [question.text for question in read_questions(tmp_path / "answers.csv.gz")] == ["one?", "two?"]
    (tmp_path / "scope.tsv").write_text("id\tquestion\ttask\n1\tone?\ta\n")
    assert read_questions(tmp_path / "scope.tsv") == [TaskQuestion("one?", "a")]
    (tmp_path / "pairs.csv").write_text("q1,q2,source1,source2,previous_correct\na?,b?,s,t,0\n")
    assert read_drawn(tmp_path / "pairs.csv", 5, rng=np.random.default_rng(0)) == [BeliefPair("a?", "b?", "s", "t", False)]
    assert len(read_drawn(tmp_path / "scope.jsonl", 5, rng=np.random.default_rng(0))) == 2


@each_case(
    ("name", "content"),
    [
        ("q.csv", b""), ("q.csv", b"question\n"), ("q.csv", b"text\none?\n"), ("q.csv", b"question\n" + b"x" * 100_001 + b"\n"),
        ("q.csv", b"\x80\x04\x95"), ("q.csv.gz", b"no gzip"), ("q.jsonl", b"{}\n"), ("q.jsonl", b"[]"),
        ("q.jsonl", b'{"question": " "}\n'), ("q.jsonl", b'{"question": "one?"}\n{"question": null}\n'),
        ("q.jsonl", b'{"question": "one?"}\n{"question": ["two?"]}\n'),
        ("q.csv", b"question,id\n ,1\n"),
    ],
)  # fmt: skip
def test_rubbish_is_told(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadFile, match=name):
        read_drawn(tmp_path / name, 5, rng=np.random.default_rng(0))
