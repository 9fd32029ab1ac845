from __future__ import annotations

import gzip
import json
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.each_case import each_case
from vivavoce.consistency.legal import case_files as files
from vivavoce.consistency.legal.case_files import read_cases, read_paraphrases, write_paraphrases
from vivavoce.consistency.legal.trials import REVIEW, LegalCase, Paraphrase, digest_of_cases
from vivavoce.errors import BadFile


def written(folder: Path, *lines: object) -> Path:
    file = folder / "cases.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return file


def test_cases_are_read(tmp_path: Path) -> None:
    file = written(
        tmp_path, {"id": "x-1", "facts": ["One.", "Two."], "label": 1}, "", {"facts": ["Three."]}, {"id": 7, "facts": ["4"]}
    )
    assert read_cases(file) == (LegalCase("x-1", ("One.", "Two.")), LegalCase("3", ("Three.",)), LegalCase("7", ("4",)))
    packed = tmp_path / "cases.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read_cases(packed) == read_cases(file)


def test_each_unknown_column_is_compared_with_the_fields_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def counting(name: str, *rest: Any, **how: Any) -> list[str]:
        compared.append(name)
        return get_close_matches(name, *rest, **how)

    monkeypatch.setattr(files, "get_close_matches", counting)
    more = {f"column of this test {number}": "x" for number in range(5)}
    assert len(read_cases(written(tmp_path, *({"id": n, "facts": ["One."], **more} for n in range(300))))) == 300
    assert sorted(compared) == sorted(more)


@each_case(
    ("lines", "message"),
    [
        (["{"], "line 1: not JSON"),
        (["[1]"], "must be a JSON object"),
        ([{"id": "a"}], "line 1: 'facts' must be a list"),
        ([{"facts": "One."}], "'facts' must be a list"),
        ([{"facts": []}], "at least one"),
        ([{"facts": ["One.", ""]}], "fact 2 is ''"),
        ([{"facts": ["One.", 2]}], "fact 2 is '2'"),
        ([{"fact": ["One."]}], "did you mean 'facts'"),
        ([{"id": [], "facts": ["One."]}], "'id' is"),
        ([{"id": True, "facts": ["One."]}], "'id' is 'True'"),
        ([{"id": "x" * 300, "facts": ["One."]}], "shorten it"),
        ([{"id": "a", "facts": ["One."]}, {"id": "a", "facts": ["Two."]}], "line 2: id 'a' occurs twice"),
        (['{"facts": ["\\ud83d"]}'], "half a surrogate pair"),
        ([{"facts": ["x" * 20_001]}], "20001 characters"),
        ([{"facts": ["x"] * 2_001}], "2001 facts"),
        ([""], "has no cases"),
    ],
)
def test_a_bad_file_is_told_with_line_and_remedy(tmp_path: Path, lines: list[object], message: str) -> None:
    with pytest.raises(BadFile) as caught:
        read_cases(written(tmp_path, *lines))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_too_many_cases_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_CASES", 2)
    with pytest.raises(BadFile, match="line 3: more than 2 cases"):
        read_cases(written(tmp_path, *({"facts": ["x"]} for _ in range(3))))


FACTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(lambda text: bool(text.strip()))
PARAPHRASES = st.builds(
    lambda fact, text, problem, checked: Paraphrase(fact, text, problem, checked=checked and not problem),
    FACTS, FACTS, st.sampled_from(["", "", "refused", "too free"]), st.booleans(),
)  # fmt: skip


@settings(max_examples=30)
@given(st.lists(PARAPHRASES, min_size=1, max_size=8))
def test_what_is_written_for_review_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, paraphrases: list[Paraphrase]
) -> None:
    file = tmp_path_factory.mktemp("review") / "paraphrases.jsonl"
    distinct = list(dict.fromkeys(paraphrases))
    assert write_paraphrases(file, paraphrases) == len(distinct)
    read = read_paraphrases(file)
    for fact, result in read.items():
        assert result == [paraphrase for paraphrase in distinct if paraphrase.fact == fact]


def test_people_accept_and_reject(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        {"fact": "f", "paraphrase": "a", "status": "accepted"},
        {"fact": "f", "paraphrase": "b", "status": "rejected", "reason": "another date"},
        {"fact": "f", "paraphrase": "c", "status": "rejected"},
        {"fact": "g", "paraphrase": "d"},
        {"fact": "g", "paraphrase": "", "status": "rejected", "reason": "refused"},
    )
    assert read_paraphrases(file) == {
        "f": [Paraphrase("f", "a", checked=True), Paraphrase("f", "b", "another date"), Paraphrase("f", "c", REVIEW)],
        "g": [Paraphrase("g", "d"), Paraphrase("g", "", "refused")],
    }


@each_case(
    ("line", "message"),
    [
        ({"fact": "f"}, "paraphrase is 'None'"),
        ({"paraphrase": "p"}, "fact is 'None'"),
        ({"fact": "f", "paraphrase": ""}, "must be a text that is not empty"),
        ({"fact": "f", "paraphrase": "p", "status": "ok"}, "write one of proposed, accepted, rejected"),
        ({"fact": "f", "paraphrase": "p", "statuss": "accepted"}, "did you mean 'status'"),
        ("", "has no paraphrases"),
    ],
)
def test_a_bad_file_of_paraphrases_is_told(tmp_path: Path, line: object, message: str) -> None:
    with pytest.raises(BadFile) as caught:
        read_paraphrases(written(tmp_path, line))
    assert message in str(caught.value)


def test_the_digest_heeds_ids_facts_and_order() -> None:
    case, other = LegalCase("a", ("x", "y")), LegalCase("b", ("z",))
    assert (
        len({digest_of_cases(cases) for cases in ([case, other], [other, case], [case], [LegalCase("a", ("xy",)), other])}) == 4
    )
