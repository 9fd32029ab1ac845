"""Cases with labels: our own form and the published ones, and everything that is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vivavoce.consistency.legal.case_files import read_cases, read_labelled
from vivavoce.errors import BadFile

ECTHR = {
    "case_id": "001-59587",
    "case_no": ["32967/96"],
    "title": "CASE OF A v. B",
    "judgment_date": "2001-07-17",
    "facts": ["8. The first applicant is a company.", "9. In 1990 it bought a plant."],
    "applicants": ["A"],
    "defendants": ["B"],
    "allegedly_violated_articles": ["6", "P1-1"],
    "violated_articles": ["6"],
    "court_assessment_references": {"6": [30]},
    "silver_rationales": [1],
    "gold_rationales": [],
}
ECHR = {
    "ITEMID": "001-83979",
    "LANGUAGEISOCODE": "ENG",
    "RESPONDENT": "ROU",
    "TEXT": ["5. The applicant was born in 1945.", "6. He lives in Deva."],
    "VIOLATED_ARTICLES": ["6", "1"],
    "NON_VIOLATED_ARTICLES": [],
}


def written(folder: Path, *records: dict[str, Any]) -> Path:
    file = folder / "cases.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    return file


def test_the_form_of_ecthr(tmp_path: Path) -> None:
    file = written(tmp_path, ECTHR, {**ECTHR, "case_id": "001-2", "violated_articles": [], "gold_rationales": [0]})
    first, second = read_labelled(file)
    assert (first.case.id, len(first.case.facts), first.violation, first.decisive) == ("001-59587", 2, True, (1,))
    assert (second.violation, second.decisive) == (False, (0,))
    assert [labelled_case.violation for labelled_case in read_labelled(file, "P1-1")] == [False, False]
    assert [case.id for case in read_cases(file)] == ["001-59587", "001-2"]
    none = {**ECTHR, "silver_rationales": [2]}  # points to no fact
    assert read_labelled(written(tmp_path, none))[0].decisive == ()


def test_the_form_of_echr_a_folder_with_a_case_a_file(tmp_path: Path) -> None:
    (tmp_path / "EN_train").mkdir()
    (tmp_path / "EN_train" / "001-83979.json").write_text(json.dumps(ECHR, indent=1))
    (tmp_path / "EN_train" / "001-1.json").write_text(json.dumps({**ECHR, "ITEMID": "001-1", "VIOLATED_ARTICLES": []}))
    cases = read_labelled(tmp_path / "EN_train")
    assert [(case.case.id, case.violation) for case in cases] == [("001-1", False), ("001-83979", True)]
    assert read_cases(tmp_path / "EN_train")[0].facts == tuple(ECHR["TEXT"])


def test_the_form_of_lexglue_and_our_own(tmp_path: Path) -> None:
    file = written(tmp_path, {"text": ["One.", "Two."], "labels": [3]}, {"text": ["One.", "Three."], "labels": []})
    assert [(case.case.id, case.violation) for case in read_labelled(file)] == [("1", True), ("2", False)]
    with pytest.raises(BadFile, match="line 1: 'labels' has numbers of classes"):
        read_labelled(file, "3")
    own = written(tmp_path, {"id": 7, "facts": ["a", "b"], "violation": 1, "decisive": [1, 0, 1]})
    assert [(case.case.id, case.violation, case.decisive) for case in read_labelled(own)] == [("7", True, (0, 1))]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"facts": ["a"]}, "does not give the judgment"),
        ({"facts": ["a"], "allegedly_violated_articles": ["3"]}, "alleged to be violated, not which were"),
        ({"facts": ["a"], "violation": "yes"}, "'violation' is 'yes': give true or false"),
        ({"facts": ["a"], "violation": 2}, "'violation' is '2'"),
        ({"facts": ["a"], "violated_articles": "3"}, "give a list of articles"),
        ({"facts": ["a"], "violation": True, "decisive": [1]}, "from 0 to 0"),
        ({"facts": ["a"], "violation": True, "decisive": [True]}, "must be a list of numbers of facts"),
        ({"facts": ["a"], "violation": True, "decisive": "0"}, "must be a list of numbers of facts"),
        ({"TEXT": "one long text", "violation": True}, "'TEXT' must be a list of texts"),
        ({"case_id": "", "facts": ["a"], "violation": True}, "'case_id' is ''"),
        ({"facts": ["\ud800"], "violation": True}, "half a surrogate pair"),
        ({"facts": [""], "violation": True}, "must be a text that is not empty"),
    ],
)
def test_what_is_no_labelled_case_is_an_error_with_its_line(tmp_path: Path, record: dict[str, Any], message: str) -> None:
    file = written(tmp_path, {"facts": ["first"], "violation": False}, record)
    with pytest.raises(BadFile, match=r"cases\.jsonl, line 2: ") as error:
        read_labelled(file)
    assert message in str(error.value)


def test_an_article_is_not_known_of_a_mere_violation(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="leave out --article"):
        read_labelled(written(tmp_path, {"facts": ["a"], "violation": True}), "3")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "must be a JSON object"),
        ("{", "not JSON"),
        ("[" * 100_000, "more than 64 levels deep"),
        ('{"TEXT": []}', "'TEXT'"),
    ],
)
def test_a_file_of_a_folder_that_is_no_case_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(BadFile, match=r"a\.json") as error:
        read_labelled(tmp_path)
    assert message in str(error.value)


def test_an_empty_folder_and_ids_that_are_there_twice(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="holds no cases"):
        read_labelled(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps(ECHR))
    with pytest.raises(BadFile, match=r"b\.json: id '001-83979' occurs twice"):
        read_labelled(tmp_path)
