"""Rules on the page and in the terminal."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from tests.render.conftest import HOSTILE
from tests.render.html_pages import MADE, assert_fits, assert_self_contained, html_of, outline
from vivavoce.relations import RelatedInputs, RelationFinding, Source, check, increasing, invariant
from vivavoce.render.console import print_report
from vivavoce.render.drawing import drawing_of
from vivavoce.render.page import page


@cache
def finding(rules: int = 2, hostile: str = "", name: str = "price") -> RelationFinding:
    """Falls of every size, some answers missing; hostile words in every place that strangers fill."""
    tuples = []
    for number in range(rules):
        rule = (increasing, invariant)[number % 2](5.0, name=f"rule {number}{hostile}")
        for gap in range(-30, 31):
            inputs = ({"area": float(gap), f"of{hostile}": hostile or "Rome"}, {"area": 0.0, f"of{hostile}": hostile or "Oslo"})
            tuples.append(RelatedInputs(inputs, base=(f"home {gap % 7}{hostile}",), rule=rule, id=f"{gap}{hostile}"))

    def area(home: dict[str, float]) -> float:
        if home["area"] == 7:
            raise ValueError(f"no homes of 7 {hostile}")
        return home["area"]

    return check(area, tuples, name=f"{name}{hostile}", source=Source(f"pairs.jsonl{hostile}"))


def printed(found: RelationFinding) -> str:
    file = io.StringIO()
    print_report(found.report(), Console(file=file, width=80))
    return file.getvalue()


def test_the_sentence_first_then_numbers_cases_caveats_and_the_method_last() -> None:
    found = finding()
    text = outline(found).text
    order = [found.headline, "Mean violation", "Left out, rule 0", "Largest violations", "Limits"]
    order += ["How this was found", "seed 0"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert all(caveat in text for caveat in found.caveats)
    # falls of 6, 8, ... 30 of 60 tuples: 24; gaps of 6 to 30 either way, less the fall of 7: 49
    assert "rule 1” in 82%" in text
    assert re.search(r"Broken\s*40%\s*\[", text) or re.search(r"rule 0\s*60\s*40%", text)
    assert re.search(r"Rule broken: 30, home 2\s*Inputs\s*area 30 → 0, of Rome → Oslo\s*Outputs\s*30 → 0, off by 30", text)


def test_what_became_of_replies_is_shown_where_a_candidate_was_asked_in_words() -> None:
    function, asked = finding(), finding()
    asked = replace(asked, replies={"cut off": 1, "read": 90, "read after a further turn": 6, "copied": 3})
    assert "What became of the replies" not in outline(function).text
    rows = re.findall(r'<th scope="row">([^<]+)</th><td>(\d+)</td><td>(\d+%)</td>', html_of(asked))
    assert rows == [
        ("read", "90", "90%"),
        ("read after a further turn", "6", "6%"),
        ("copied", "3", "3%"),
        ("cut off", "1", "1%"),
    ]
    assert "Replies that could not be used: cut off 1, copied 3." in printed(asked)
    assert "could not be used" not in printed(function)


def test_each_rule_has_a_row_and_a_plot() -> None:
    shown = outline(finding(rules=7))
    assert shown.tags["table"] == 1
    assert shown.tags["svg"] == 7


def test_hostile_words_stay_words() -> None:
    shown, harmless = outline(finding(hostile=HOSTILE)), outline(finding())
    assert shown.tags["script"] == shown.tags["img"] == 0
    assert set(shown.tags) <= {*harmless.tags, "wbr"}
    html = page([finding(hostile=HOSTILE)], made=MADE, version="0.1.0")
    assert "\x1b" not in html
    assert len(html.encode(errors="replace")) < 1_000_000
    assert "\x1b" not in printed(finding(hostile=HOSTILE))


def test_ids_are_unique_nothing_is_fetched_and_bytes_repeat() -> None:
    assert_self_contained(finding(), finding(rules=3))


def test_a_rule_that_is_kept_and_one_that_was_never_compared() -> None:
    kept = check(float, [RelatedInputs((i, i + i**0.5)) for i in range(40)], increasing(name="grows"), name="root")
    assert "root keeps the rule “grows” in all 40 cases (more than 8.8% is not likely)." in outline(kept).text
    (figure,) = kept.report().figures
    plot = drawing_of(figure.data)
    assert plot is not None
    assert plot.alt.endswith("none of 40 beyond it.")
    nothing = check(lambda x: None, [RelatedInputs((1, 2))], increasing(), name="silent")
    assert "Nothing was compared" in outline(nothing).text
    assert "unknown" in printed(nothing)


def test_in_the_terminal_the_sentence_is_the_last_word() -> None:
    text = printed(finding())
    assert text.rstrip().splitlines()[-1] == finding().statement
    assert "  rule 1: “area -30 → 0, of Rome → Oslo” -30 → 0, off by 30" in text.splitlines()


@pytest.mark.slow
@pytest.mark.browser
def test_nothing_is_wider_than_the_window(tmp_path: Path) -> None:
    assert_fits(tmp_path, finding(rules=3, hostile=HOSTILE), finding())
