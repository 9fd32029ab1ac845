"""A study of grading says how long it will take."""

from __future__ import annotations

from itertools import count

from vivavoce.luna.predict.grading_study import _estimating


def test_the_rest_takes_as_long_as_what_was_before() -> None:
    told: list[str] = []
    seconds = iter([0, 10, 40, 100])  # begun; asked when the second, third and fourth part begin
    tell = _estimating(told.append, 4, lambda: next(seconds))
    for number in count(1):
        tell(f"part {number}")
        if number == 4:
            break
    # 10 s for one part leave 3 x 10; 40 s for two leave 2 x 20; 100 s for three leave 33
    assert told == ["part 1", "part 2; about 30 s left", "part 3; about 40 s left", "part 4; about 33 s left"]
