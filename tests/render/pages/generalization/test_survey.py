"""The page and the terminal of a survey: figures, plots, and strangers' words escaped."""

from __future__ import annotations

import io
import random
from datetime import UTC, datetime

from rich.console import Console

from tests.render.conftest import HOSTILE
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.survey.belief_changes import SurveyFinding, respondents_in_words, score_survey
from vivavoce.render.console import print_report
from vivavoce.render.page import page

MADE = datetime(2026, 6, 14, tzinfo=UTC)
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
                Pair(f"q{number}", f"z{stage}", "a", "b", right, person=f"{number % 20}", stage=stage, weight=weight, **more)
            )
    return score_survey(pairs, source=source, counts=COUNTS if beliefs else None)


def test_a_page_has_the_figures_and_four_plots() -> None:
    html = page([found()], made=MADE, version="1")
    assert html.count("<svg") == 4
    assert "Answers that changed a belief, with 95% intervals: 20% " in html
    assert "Changes in percentage points: 65% of the beliefs stayed, 35% rose, and the others fell." in html
    assert "12 began the survey: 8 finished it, 1 failed the comprehension questions" in html
    assert html == page([found()], made=MADE, version="1")


def test_where_beliefs_are_not_known_there_is_one_plot() -> None:
    html = page([found(beliefs=False)], made=MADE, version="1")
    assert html.count("<svg") == 1
    assert "Belief before, mean" not in html


def test_strangers_words_are_escaped() -> None:
    html = page([found(HOSTILE)], made=MADE, version="1")
    assert "<script" not in html
    assert "onerror=alert(1)>" not in html
    out = io.StringIO()
    print_report(found(HOSTILE).report(), Console(file=out, width=120))
    assert "\x1b[2J" not in out.getvalue()


def test_the_terminal_has_every_line_and_the_sentence_last() -> None:
    out = io.StringIO()
    finding = found()
    print_report(finding.report(), Console(file=out, width=80))
    text = out.getvalue()
    for row in finding.report().tables[0].rows:
        share, answers = row.cells
        assert f"{row.head.short or row.head.text}  " in text
        assert f"{share.text} {share.interval}  " in text
        assert f" {answers.text} " in text
    assert respondents_in_words(finding.counts) in " ".join(text.split())
    *body, _ = text.rstrip().splitlines()
    assert max(map(len, body)) <= 80
    assert text.rstrip().endswith("of wrong ones.")


def test_lines_name_their_stage() -> None:
    lines = {row["What"]: row for row in found().rows()}
    assert lines["Changed in stage 1"]["Here"] == 0.2
    assert lines["Changed in stage 2"]["Here"] == 0.5
    assert lines["Changed in stage 2"]["Here, lower"] < 0.5 < lines["Changed in stage 2"]["Here, upper"]
    assert lines["Changed in stage 2"]["Answers"] == 100
    assert "Of all pairs of the pool in stage 2, by weights" in lines
    assert "Of all pairs of the pool in stage 1, by weights" not in lines
