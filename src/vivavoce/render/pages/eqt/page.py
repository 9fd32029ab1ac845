"""What an examination on a candidate's own explanations says on its page: everything the template needs, already in words."""

from __future__ import annotations

from typing import Any, Final

from vivavoce.eqt.finding import ExplainQueryTest
from vivavoce.interview.wording import clipped, count
from vivavoce.render.pages.eqt.examples import MOST, in_words
from vivavoce.render.pages.eqt.tables import (
    Cell,
    alone,
    called,
    consistency,
    cost,
    counted,
    left_out,
    lines,
    numbers,
    pattern,
    points_cell,
    readings,
    reasons,
    share_cell,
    who,
    worth,
)
from vivavoce.render.plots.drawing import figure
from vivavoce.render.plots.eqt import by_category, gap, too_many
from vivavoce.render.wording import breakable

SHOWN_SOURCE: Final = 200
MOST_VISITORS: Final = 24


def eqt_title(finding: ExplainQueryTest) -> str:
    """What the page is."""
    return f"What {called(finding.candidate)} makes of its own explanations"


def eqt_body(finding: ExplainQueryTest, name: str) -> dict[str, Any]:
    """The values of the template; `name` begins every id of this section."""
    top, bars = gap(finding, f"{name}g"), by_category(finding, f"{name}c")
    return {
        "finding": finding,
        "headline": breakable(finding.headline),
        "lead": lead(finding),
        "gap": figure(top) if top else None,
        "too_many": too_many(finding),
        "numbers": numbers(finding),
        "valid": count(finding.valid.questions),
        "bars": figure(bars) if bars else None,
        "categories": lines(finding.categories) if len(finding.categories) > 1 else [],
        "concepts": lines(finding.concepts),
        "left_out": left_out(finding.concepts, "concepts"),
        "left_out_categories": left_out(finding.categories, "categories"),
        "worth": worth(finding.validity, checked=finding.set_up.checks),
        "consistency": consistency(finding),
        "examples": [in_words(example) for example in finding.examples[:MOST]],
        "readings": readings(finding),
        "pattern": pattern(finding),
        "reasons": reasons(finding),
        "visitors": visitors(finding),
        "who": who(finding),
        "alone": alone(finding),
        "cost": cost(finding),
        "method": method(finding),
    }


def lead(finding: ExplainQueryTest) -> str:
    """What was done, for somebody who has never heard of it."""
    source = clipped(finding.signature.scope, SHOWN_SOURCE) or "not named"
    own = "its own" if finding.roles.get("explainer") == finding.candidate else "the"
    return (
        "First a concept is explained; then questions are written that this explanation answers. Asked afresh, without the "
        f"explanation before it, the candidate has to rely on what it knows: does it comprehend {own} explanation? With the "
        f"explanation at hand it need only read. The difference is the comprehension gap. Concepts: {source}."
    )


def visitors(finding: ExplainQueryTest) -> list[tuple[str, Cell, Cell | None]]:
    """Others who answered these questions: their accuracy, and how far they are ahead of the candidate, in points."""
    return [
        (called(name), share_cell(found), points_cell(finding.ahead[name]) if name in finding.ahead else None)
        for name, found in list(finding.visitors.items())[:MOST_VISITORS]
    ]


def method(finding: ExplainQueryTest) -> list[str]:
    """How the figures were found, in sentences."""
    set_up = finding.set_up
    heat = "the candidate’s own temperature" if set_up.temperature is None else f"temperature {set_up.temperature:g}"
    order = "in an order drawn by the seed" if set_up.shuffle else "in the order of their writer"
    return [
        f"For each concept: one explanation, {counted(set_up.questions, 'question')} with {count(set_up.options)} options of "
        f"which one or several are right, and {counted(set_up.paraphrases, 'other wording')} of each. Every answer is given "
        f"in a conversation of its own, at {heat}, the options {order}. Explanations, questions and wordings are made at the "
        "candidate’s own temperature.",
        "An answer is right if it names exactly the options of the key. Partial credit is the number of options chosen and "
        "right over the number chosen or right. What does not come is wrong. What came and cannot be read counts both ways: "
        "as wrong for the lower number and the lower end of the interval, as right for the upper. What was not put because the "
        "budget had run out does not count.",
        "The most frequent answer is held against the keys, question by question (Fisher’s exact test, one-sided, corrected "
        "for the number of different answers). Where it is given more often than they explain, and to most questions, all "
        "figures about knowledge are withheld; they stand in the JSON as “of_one_pattern”.",
        "The gap is taken question by question, over original wordings that were answered both ways.",
        "The answer consistency score of a question is 1 − (different answers − 1) / answers, as it is printed; rescaled it is "
        "1 − (different answers − 1) / (answers − 1). Answers are sets of options; what cannot be read is a value of its own.",
        *(_CHECKED if set_up.checks else _UNCHECKED),
        "Intervals are at level 95% and allow for questions on one concept being alike; where there is one concept only they "
        "are about other questions on it. Where there is too little evidence, the interval is the whole possible range.",
    ]


_CHECKED: Final = (
    "A question is valid if no words of it point at a text, the checker finds that it can be understood alone, no earlier "
    "question of the concept asks the same, and the checker, with the explanation at hand, gives the answer of the key. Of "
    "valid questions those wordings count of which the checker does not say that they mean something else.",
)
_UNCHECKED: Final = (
    "A question is valid if no words of it point at a text and no earlier question of the concept asks the same. Keys, and "
    "whether wordings mean the same, were not checked.",
)
