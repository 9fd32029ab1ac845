"""Rules on the page and in the terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

from tests.render.html_pages import assert_in_order, html_of, outline, printed
from vivavoce.relations import RelatedInputs, RelationFinding, Source, check, increasing, invariant
from vivavoce.render.drawing import drawing_of


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


def test_the_sentence_first_then_numbers_cases_caveats_and_the_method_last() -> None:
    result = finding()
    text = outline(result).text
    order = [result.headline, "Limits", "Mean violation", "Left out, rule 0", "Largest violations"]
    order += ["How this was found", "seed 0"]
    assert_in_order(text, order)
    # falls of 6, 8, ... 30 of 60 tuples: 24; gaps of 6 to 30 either way, less the fall of 7: 49
    assert "rule 1” in 82%" in text
    assert re.search(r"Broken\s*40%\s*\[", text) or re.search(r"rule 0\s*60\s*40%", text)
    assert re.search(r"Rule broken: 30, home 2\s*Inputs\s*area 30 → 0, of Rome → Oslo\s*Outputs\s*30 → 0, off by 30", text)


def test_what_became_of_replies_is_shown_where_a_candidate_was_asked_in_words() -> None:
    function, asked = finding(), finding()
    asked = replace(asked, replies={"cut off": 1, "read": 90, "read after a further turn": 6, "copied": 3})
    assert "Outcomes of replies" not in outline(function).text
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


def test_a_rule_that_is_kept_and_one_that_was_never_compared() -> None:
    kept = check(float, [RelatedInputs((i, i + i**0.5)) for i in range(40)], increasing(name="grows"), name="root")
    assert "root keeps the rule “grows” in all 40 cases (95% interval: up to 8.8%)." in outline(kept).text
    (figure,) = kept.report().figures
    plot = drawing_of(figure.data)
    assert plot is not None
    assert plot.alt.endswith("none of 40 beyond it.")
    nothing = check(lambda x: None, [RelatedInputs((1, 2))], increasing(), name="silent")
    assert "Nothing was compared" in outline(nothing).text
    assert "unknown" in printed(nothing)


def test_the_terminal_shows_an_example_in_a_line() -> None:
    assert "  rule 1: “area -30 → 0, of Rome → Oslo” -30 → 0, off by 30" in printed(finding()).splitlines()
