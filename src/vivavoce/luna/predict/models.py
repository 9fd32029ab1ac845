"""All predictors of ratings, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal, cast
from urllib.parse import parse_qsl

from vivavoce.errors import BadInput, UnknownName
from vivavoce.luna.predict.bags import Bag, Synsets
from vivavoce.luna.predict.base import RatingPredictor
from vivavoce.luna.predict.compared import Compared
from vivavoce.luna.predict.constant import Constant, Random
from vivavoce.luna.predict.features import Feature
from vivavoce.luna.predict.items import Items
from vivavoce.luna.predict.linear import Linear
from vivavoce.luna.predict.modern import Modern
from vivavoce.luna.predict.neighbours import Neighbour
from vivavoce.luna.predict.semantic import SemanticNets
from vivavoce.luna.predict.vectors import Vectors

Options = Mapping[str, str]

FEATURES: Final[Mapping[str, Callable[[Options], Feature]]] = MappingProxyType(
    {
        "bwo": lambda options: Compared("bwo"),
        "fwo": lambda options: Compared("fwo"),
        "ced": lambda options: Compared("ced"),
        "wed": lambda options: Compared("wed"),
        "wcs": lambda options: Vectors(),
        "snl": lambda options: SemanticNets(options.get("wordnet", "")),
        "bow": lambda options: Bag("words", options.get("by") == "question"),
        "big": lambda options: Bag("bigrams", options.get("by") == "question"),
        "syn": lambda options: Synsets(options.get("wordnet", ""), options.get("by") == "question"),
        "nno": lambda options: Neighbour("nno"),
        "nnc": lambda options: Neighbour("nnc"),
        "nnw": lambda options: Neighbour("nnw"),
    }
)
"""The twelve of `silver2016`, section 5.2.2."""
ITEMS: Final = "items"
"""Difficulty and discrimination of the questions: a predictor by itself, and an option of the others."""
OF_WORDNET: Final = ("snl", "syn")
"""They need WordNet, which is not part of the package; `com` leaves them out unless it is told where WordNet is."""

_FIT: Final = {"fit": ("ols", "lasso"), "items": ("no", "yes")}
_BY: Final = {"by": ("person", "question")}
_WORDNET: Final[Mapping[str, tuple[str, ...]]] = {"wordnet": ()}
OPTIONS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "constant": {},
        **dict.fromkeys(FEATURES, _FIT),
        "bow": _FIT | _BY,
        "big": _FIT | _BY,
        "snl": {**_FIT, **_WORDNET},
        "syn": {**_FIT, **_BY, **_WORDNET},
        "com": {**_FIT, **_BY, **_WORDNET},
        ITEMS: {"fit": _FIT["fit"]},
        "ran": {},
        "cbg": {},
        "modern": {"from": ("grades", "ratings"), "embeddings": ()},
    }
)
"""What may follow a name, with the values it may have, the default first; none stands for a folder or a model."""


def predictor(name: str) -> RatingPredictor:
    """A predictor that has learnt nothing yet.

    Parameters
    ----------
    name: `constant` and `cbg` (the mean), `ran` (random), one of the twelve features, `com` (ten of them together;
        all twelve with `wordnet`), `items` (what was learnt about the questions) or `modern`; then, after a
        question mark, options: `com?fit=lasso&by=question`, `com?items=yes`, `com?wordnet=FOLDER`,
        `modern?from=ratings`, `modern?embeddings=NAME_OR_FOLDER` of sentence-transformers (extra
        `neural`).

    Raises `UnknownName` and `BadInput`.

    >>> predictor("com?fit=lasso").name
    'com?fit=lasso'
    """
    which, _, query = name.partition("?")
    if which not in OPTIONS:
        raise UnknownName("predictor of ratings", which, OPTIONS)
    options = _options(which, query)
    if which in ("constant", "cbg"):
        return Constant(name)
    if which == "ran":
        return Random(name)
    if which == "modern":
        return Modern(name, options.get("from") == "ratings", options.get("embeddings", ""))
    features = tuple(FEATURES[one](options) for one in (combined(name) or (which,)) if one != ITEMS)
    if which == ITEMS or options.get("items") == "yes":
        features = (*features, Items())
    return Linear(name, features, cast(Literal["ols", "lasso"], options.get("fit", "ols")))


def combined(name: str) -> tuple[str, ...]:
    """The features that a predictor combines if it is `com`; none if it is another one.

    >>> len(combined("com")), len(combined("com?wordnet=")), combined("bow")
    (10, 12, ())
    """
    which, _, query = name.partition("?")
    if which != "com":
        return ()
    return tuple(one for one in FEATURES if "wordnet" in _options(which, query) or one not in OF_WORDNET)


def _options(which: str, query: str) -> Options:
    given: dict[str, str] = {}
    for option, value in parse_qsl(query.replace("+", "%2B"), keep_blank_values=True):
        if option not in OPTIONS[which]:
            raise UnknownName(f"option of '{which}'", option, OPTIONS[which])
        if option in given:
            raise BadInput(f"the option '{option}' of '{which}' is given twice: give it once")
        values = OPTIONS[which][option]
        if values and value not in values:
            raise UnknownName(f"{option} of '{which}'", value, values)
        given[option] = value
    if query and not given:
        raise BadInput(f"'{query[:60]}' are no options of '{which}': write them as name=value, with & between them")
    return given
