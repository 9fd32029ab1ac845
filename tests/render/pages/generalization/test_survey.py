"""The page and the terminal of a survey: figures, plots, and strangers' words escaped."""

from __future__ import annotations

import random

from tests.render.html_pages import html_of, printed
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.survey.belief_changes import SurveyFinding, respondents_in_words, score_survey

COUNTS = {"begun": 12, "agreed": 11, "done": 8, "failed": 1, "withdrawn": 1, "unfinished": 2}


def found(source: str = "answers", *, beliefs: bool = True) -> SurveyFinding:
    """Two stages of 100 answers, of which 20 and 50 changed."""
    dice = random.Random(0)
    pairs = []
    for stage, changes in ((1, 20), (2, 50)):
        for number in range(100):
            prior = dice.randrange(20, 70) / 100
            posterior = prior + 0.25 if number < changes else prior
            more = {"prior": prior, "posterior": posterior} if beliefs else {"belief_change": number < changes}
            right, weight = number % 2 == 0, 10.0 if stage == 1 else 1.0 + number % 7
            pairs.append(
                BeliefPair(
                    f"q{number}", f"z{stage}", "a", "b", right, person=f"{number % 20}", stage=stage, weight=weight, **more
                )
            )
    return score_survey(pairs, source=source, counts=COUNTS if beliefs else None)


def test_a_page_has_the_figures_and_four_plots() -> None:
    html = html_of(found())
    assert html.count("<svg") == 4
    assert "Answers that changed a belief, with 95% intervals: 20% " in html
    assert "Changes in percentage points: 65% of the beliefs stayed, 35% rose, and the others fell." in html
    assert "12 began the survey: 8 finished it, 1 failed the comprehension questions" in html


def test_where_beliefs_are_not_known_there_is_one_plot() -> None:
    html = html_of(found(beliefs=False))
    assert html.count("<svg") == 1
    assert "Belief before, mean" not in html


def test_lines_name_their_stage() -> None:
    lines = {row["What"]: row for row in found().rows()}
    assert lines["Changed in stage 1"]["Here"] == 0.2
    assert lines["Changed in stage 2"]["Here"] == 0.5
    assert lines["Changed in stage 2"]["Here, lower"] < 0.5 < lines["Changed in stage 2"]["Here, upper"]
    assert lines["Changed in stage 2"]["Answers"] == 100
    assert "Of all pairs of the pool in stage 2, by weights" in lines
    assert "Of all pairs of the pool in stage 1, by weights" not in lines


def test_the_terminal_says_what_became_of_respondents() -> None:
    text = printed(found())
    assert respondents_in_words(found().counts) in " ".join(text.split())
    assert text.rstrip().endswith("of wrong ones.")
