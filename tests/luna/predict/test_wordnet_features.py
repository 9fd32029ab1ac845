"""WordNet and what rests on it: with a small one of its own format, and by hand."""

from __future__ import annotations

from math import exp, tanh
from pathlib import Path

import numpy as np
import pytest

from tests.luna.predict.people import made_people
from vivavoce.errors import BadFile, BadInput
from vivavoce.luna.predict.predictors import predictor
from vivavoce.luna.predict.wordnet_features import ALPHA, BETA, PARTS, Synsets, WordLikeness, WordNet, likeness, open_wordnet

TREE = {
    "entity": ((), ("entity",)),
    "living": (("entity",), ("living_thing", "organism")),
    "person": (("living",), ("person", "human")),
    "boy": (("person",), ("boy", "lad")),
    "girl": (("person",), ("girl",)),
    "stone": (("entity",), ("stone", "rock")),
    "music": ((), ("rock", "music")),
}
"""Each meaning with the broader ones and its words."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The tree as WordNet's files; places are bytes, so that lines have one length."""
    width, places = 120, {name: 8 + 120 * number for number, name in enumerate(TREE)}
    lines, index = ["  made.\n"], dict[str, list[int]]()
    for name, (broader, words) in TREE.items():
        listed = " ".join(f"{word} 0" for word in words)
        pointers = "".join(f" @ {places[text]:08d} n 0000" for text in broader)
        line = f"{places[name]:08d} 03 n {len(words):02x} {listed} {len(broader):03d}{pointers} | a meaning"
        lines.append(line.ljust(width - 1) + "\n")
        for word in words:
            index.setdefault(word, []).append(places[name])
    for part in PARTS.values():
        (tmp_path / f"index.{part}").write_text("  1 licence\n")
    (tmp_path / "data.noun").write_text("".join(lines))
    entries = [f"{w} n {len(at)} 1 @ {len(at)} 0 {' '.join(f'{p:08d}' for p in at)}  \n" for w, at in sorted(index.items())]
    (tmp_path / "index.noun").write_text("  1 licence\n" + "".join(entries))
    return tmp_path


def test_synonyms_and_broader_words(folder: Path) -> None:
    words = WordNet(folder)
    assert words.synonyms("lad") == {"boy", "lad"}
    assert words.synonyms("boys") == {"boys", "boy", "lad"}  # by its ending
    assert words.synonyms("rock") == {"rock", "stone", "music"}
    assert words.synonyms("organism") == {"organism"}  # words of two words are left out
    assert words.synonyms("unknown") == {"unknown"}
    (boy,) = words.synsets("boy")
    assert [words.words(pair) for pair in words.broader(boy)] == [("person", "human")]


def test_likeness_of_words_is_equation_6(folder: Path) -> None:
    alike = WordLikeness(WordNet(folder))
    assert alike("boy", "boy") == 1
    assert alike("boy", "lad") == pytest.approx(tanh(BETA * 3))  # no steps apart; entity, living, person above
    assert alike("boy", "girl") == pytest.approx(exp(-ALPHA * 2) * tanh(BETA * 2))  # by way of person
    assert alike("girl", "boy") == alike("boy", "girl")
    assert alike("boy", "stone") == 0  # what both are kinds of has depth 0
    assert alike("boy", "music") == 0


def test_likeness_of_sentences_by_hand(folder: Path) -> None:
    alike = WordLikeness(WordNet(folder))
    near = exp(-ALPHA * 2) * tanh(BETA * 2)
    assert near > 0.4
    # joint words: boy, girl. Meanings (1, near) and (near, 1); order (1, 1) in both: the nearest words stand first
    cosine = 2 * near / (1 + near**2)
    assert likeness(("boy",), ("girl",), alike, lambda word: 1.0) == pytest.approx(0.85 * cosine + 0.15)
    assert likeness(("boy",), (), alike, lambda word: 1.0) == 0
    # nothing in common: meanings are at right angles; orders (1, 0) and (0, 1) are as far apart as their sum is long
    assert likeness(("boy",), ("music",), alike, lambda word: 1.0) == pytest.approx(0.0)


def test_a_synonym_counts_as_the_word(folder: Path) -> None:
    sheet = [["a boy", "music"]]
    synsets = Synsets(str(folder)).fit(sheet, np.zeros(2), ())
    assert synsets.terms == ((0, "boy"), (0, "music"))
    assert synsets.columns([["the lad", "rock music", "nothing"]]).toarray().tolist() == [[1, 0], [0, 1], [0, 0]]


def test_predictors_of_wordnet_learn_and_apply(folder: Path) -> None:
    people = made_people(20)
    for name in (f"snl?wordnet={folder}", f"syn?wordnet={folder}&by=question", f"com?wordnet={folder}"):
        fitted = predictor(name).fit(people)
        again = predictor(name).from_state(fitted.state())
        assert np.array_equal(again.predict(people.unrated()), fitted.predict(people))


def test_without_wordnet_one_line_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WNSEARCHDIR", str(tmp_path))
    for name in ("snl", "syn"):
        with pytest.raises(BadInput, match=r"install Debian's wordnet-base, or give .* \$WNSEARCHDIR"):
            predictor(name).fit(made_people(10))


def test_damaged_files_are_named(folder: Path) -> None:
    good = (folder / "data.noun").read_text()
    (folder / "data.noun").write_text(good.replace(" n 0000", " x 0000"))
    (boy,) = WordNet(folder).synsets("boy")
    with pytest.raises(BadFile, match="not an entry of WordNet at byte 368"):
        WordNet(folder).broader(boy)
    (folder / "data.noun").write_text("nothing\n" * 200)
    words = open_wordnet(str(folder))
    with pytest.raises(BadFile, match="not an entry of WordNet at byte 368"):  # the fourth of lines that begin at 8
        words.synonyms("boy")
    (folder / "index.noun").write_text("boy n\n")
    with pytest.raises(BadFile, match="not an entry of WordNet: 'boy n'"):
        WordNet(folder).synonyms("boy")
