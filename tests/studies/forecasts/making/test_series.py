import json
from pathlib import Path

import pytest

from vivavoce.errors import BadFile, BadInput
from vivavoce.laws.law import law_named
from vivavoce.studies.forecasting.config import MakingConfig
from vivavoce.studies.forecasting.making.series import Template, read_templates, series, split_values
from vivavoce.studies.forecasting.tuples import read_tuples, write_tuples

EVEREST = "How many people will have climbed Mount Everest by the year {}?"


def test_years_of_the_paper(tmp_path: Path) -> None:
    [made] = series([Template(EVEREST, split_values("2025,2028,2032,2036,2040"), "increasing")])
    assert list(made.questions) == ["2025", "2028", "2032", "2036", "2040"]
    assert made.questions["2032"] == "How many people will have climbed Mount Everest by the year 2032?"
    write_tuples(tmp_path / "series.jsonl", [made])
    assert read_tuples(tmp_path / "series.jsonl") == [made]


@pytest.mark.parametrize(
    ("text", "implies", "keys"),
    [
        # whoever climbs more than 3000 metres climbs more than 2000; what happens by 2030 has happened by 2040
        ("Will she climb more than {} metres?", "lower", ["3000", "2000", "999.5"]),
        ("Will it happen before {}?", "higher", ["999.5", "2000", "3000"]),
    ],
)
def test_each_link_of_a_chain_implies_the_next(text: str, implies: str, keys: list[str]) -> None:
    [made] = series([Template(text, ("2000", "3000", "999.5"), "chain", implies)])  # type: ignore[arg-type]
    assert list(made.questions) == keys
    law = law_named("chain", list(made.questions))
    assert law.constraints == ("E1 implies E2", "E2 implies E3")
    assert [statement.key for statement in law.statements] == keys


def test_templates_are_text_and_never_run() -> None:
    [made] = series([Template("Is {0.__class__} {x!r} over {} or {}?", ("1", "2"), "chain")])
    assert made.questions["1"] == "Is {0.__class__} {x!r} over 1 or 1?"


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        (Template("Will it?", ("1", "2"), "chain"), "has no gap"),
        (Template("Over {}?", ("1",), "chain"), "give 2 to 50"),
        (Template("Over {}?", tuple(map(str, range(51))), "chain"), "give 2 to 50"),
        (Template("Over {}?", tuple(map(str, range(17))), "chain"), "the limit is 16"),
        (Template("Over {}?", ("1", "1.0"), "chain"), "one number twice"),
        (Template("Over {}?", ("1", "many"), "chain"), "is not a number"),
        (Template("Over {}?", ("1", "nan"), "chain"), "is not a number"),
        (Template("Over {}?", ("1", "9" * 50), "chain"), "is not a number"),
        (Template("Over {}?", ("1", "2"), "rising"), "increasing, decreasing, chain"),
    ],
)
def test_what_is_no_series_is_refused(template: Template, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        series([template])


def test_a_series_that_is_no_question_is_kept_with_its_reason() -> None:
    [made] = series([Template("More than {} people.", ("1", "2"), "chain")])
    assert (made.status, made.reason) == ("rejected", "a statement is not a question: 2 has no question mark")


def test_many_templates(tmp_path: Path) -> None:
    file = tmp_path / "templates.jsonl"
    lines = [
        {"template": EVEREST, "values": [2025, 2030, 2040], "law": "increasing", "id": "everest"},
        {"template": "Will it happen before {}?", "values": ["2030", "2040"], "implies": "higher"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    first, second = series(read_templates(file, MakingConfig(laws=("chain",))))
    assert (first.law, first.id, first.base) == ("increasing", "increasing/1", ("everest",))
    assert (second.law, second.id, list(second.questions)) == ("chain", "chain/2", ["2030", "2040"])
    assert second.base != first.base


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"values": [1, 2]}, '"template"'),
        ({"template": "Over {}?", "values": "1,2"}, '"values"'),
        ({"template": "Over {}?", "values": [1, True]}, '"values"'),
        ({"template": "Over {}?", "values": [1, 2], "law": 3}, '"law" must be a text'),
        ({"template": "Over {}?", "values": [1, 2]}, "--law"),
        ({"template": "Over {}?", "values": [1, 2], "law": "chain", "implies": "up"}, "lower or higher"),
        ({"template": "Over?", "values": [1, 2], "law": "chain"}, "has no gap"),
    ],
)
def test_a_line_that_is_no_template_is_named(tmp_path: Path, record: object, problem: str) -> None:
    file = tmp_path / "templates.jsonl"
    file.write_text(f"\n{json.dumps(record)}\n")
    with pytest.raises(BadFile, match=problem) as raised:
        read_templates(file, MakingConfig())
    assert raised.value.line == 2
