"""Every finding's sentences and page on data in which there is nothing to find: no superlative, and no accusation.

Ten data sets of each kind are drawn with equal candidates, or with one that does not contradict itself. At most two of ten may
say otherwise: of intervals at level 95%, more than two of ten miss with a chance of 1.2% (binomial).
"""

from __future__ import annotations

import asyncio
import importlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import vivavoce
from tests.examination import null_studies
from tests.render.html_pages import Outline
from tests.studies.sentences import declared
from vivavoce.formats.interval import Estimate, Interval
from vivavoce.luna.predict.answers import PeopleTable
from vivavoce.luna.rate import LunaRating
from vivavoce.render.html import report_in_html
from vivavoce.report.reported import ReportedFinding

SEEDS = range(10)
MOST = 2
"""Of ten data sets."""
ACCUSES = re.compile(
    r"answers most|answers .* least|costs? most|cost least|is rated smartest|(least|most) often, in"
    r"|has the smallest error(?!( of \S+ predictors)?, but not)"
    r"|beliefs fit \S+ best|breaks the rule|(?<!significantly )(more|less) often than (when|under)|flips more|say more than"
    r"|(?<!shown to )contradicts itself(?! on none of)"
    r"|\bis (better|worse|smarter|less smart)\b|find \S+ .* (smarter|less smart) than"
    r"|the most of|the fewest of|gives a wrong result|throws a win|: (better|worse) than chance|tells people more"
    r"|rises with|falls with|widest gap|explains more|does better without|predict better|graded (better|worse) than"
    r"|Shown to be common"
)
DENIED = re.compile(
    r"[Uu]ndecided whether .*? is better|(not shown to|none is shown to|neither clearly|shows no|no candidate)[^.:;]*"
)
"""What says that something is not shown may name it."""
EXPLAINED = re.compile(
    r"lower is better|Below 0 the first is better|one is better in 0|pairs of models one is better"
    r"|no evidence can show that nothing is worse at all"
    r"|worse or milder by its degree|rises with the other in a straight line|replaced charge is worse"
)
"""What explains how to read a page may name it, too."""
VERDICT = re.compile(r"^(?!Undecided).*\b(passes|fails)\b")


def accused(sentence: str) -> bool:
    return ACCUSES.search(EXPLAINED.sub("", DENIED.sub("", sentence))) is not None


def accusations(finding: ReportedFinding | str) -> list[str]:
    """The sentences of a finding, and of its page, that accuse or prefer."""
    if isinstance(finding, str):
        return [finding] if accused(finding) else []
    text = Outline(str(report_in_html(finding.report(), "page"))).text
    sentences = [finding.statement, *re.split(r"(?<=[.;!?])\s+|\n", text)]
    first = finding.report().headline
    return [*([first] if VERDICT.search(first) else []), *filter(accused, sentences)]


def rng_of(seed: int) -> np.random.Generator:
    return np.random.default_rng((seed, 11))


def alignment(seed: int) -> ReportedFinding:
    from tests.generalization.alignment.aligned import answers, world
    from vivavoce.generalization.alignment.human_alignment import align
    from vivavoce.generalization.config import AlignConfig

    pairs, grades = world(150, rng_of(seed), skills={"a": 0.3, "b": 0.3, "c": 0.3})
    return align(pairs, answers(**grades), AlignConfig(thresholds=(0.5, 0.99)))


def measurement(seed: int) -> ReportedFinding:
    from tests.generalization.alignment.aligned import answers, world
    from vivavoce.generalization.config import AlignConfig, MeasureConfig
    from vivavoce.generalization.measurement.measured_candidates import MeasuredCandidate
    from vivavoce.generalization.measurement.measurement import measure

    pairs, grades = world(120, rng_of(seed), skills={"a": 0.4, "b": 0.4, "c": 0.4})
    models = [MeasuredCandidate(f"bot:{name}", name, None) for name in "abc"]
    return measure(pairs, answers(**grades), models, MeasureConfig(most=4), AlignConfig(thresholds=(0.5, 0.99)))


def luna_ratings(seed: int) -> ReportedFinding:
    return _luna_rating(seed)


def luna_difference(seed: int) -> str:
    difference = _luna_rating(seed).difference
    assert difference is not None
    return difference.statement("mean")


def _luna_rating(seed: int) -> LunaRating:
    from vivavoce.luna.games_file import LunaGames
    from vivavoce.luna.rate import rate
    from vivavoce.luna.ratings import Guesses
    from vivavoce.luna.settings import RateConfig

    rng, players, games = rng_of(seed), 10, 120
    first = rng.integers(0, players, games)
    second = (first + rng.integers(1, players, games)) % players
    guesser, target = np.stack([first, second], 1).ravel(), np.stack([second, first], 1).ravel()
    guess = np.clip(50 + rng.normal(0, 12, 2 * games), 0, 100)
    guesses = Guesses(guesser, target, guess, np.repeat(np.arange(games), 2), players=players)
    names = tuple(f"P{number}" for number in range(players))
    played = LunaGames(names, guesses, np.ones(2 * games, dtype=bool), frozenset())
    return rate(played, RateConfig(rounds=200), difference=("P0", "P1"))


def forecasts(seed: int) -> ReportedFinding:
    from tests.studies.forecasts.finding import score
    from vivavoce.studies.forecasting.forecast_files import Row

    rng = rng_of(seed)
    rows = [
        Row(name, "neg", {"P": 0.5, "not_P": float(np.clip(0.5 + rng.normal(0, 0.2), 0, 1))}, id=str(index))
        for name in "abc"
        for index in range(40)
    ]
    return score(rows)


def consistent_forecaster(seed: int) -> ReportedFinding:
    from tests.studies.forecasts.finding import score
    from vivavoce.studies.forecasting.forecast_files import Row

    rng = rng_of(seed)
    chances = rng.random(20).tolist()
    return score([Row("a", "neg", {"P": p, "not_P": 1 - p}, id=str(index)) for index, p in enumerate(chances)])


def variants(seed: int) -> ReportedFinding:
    from vivavoce.studies.config import ForecastsConfig
    from vivavoce.studies.forecasting.forecast_files import Row
    from vivavoce.studies.forecasting.planning import AskedForecasts, AskedWay
    from vivavoce.studies.variants import compare_ways

    rng, ways = rng_of(seed), [AskedWay(name, ForecastsConfig()) for name in ("plain", "other")]
    asked = [
        AskedForecasts(
            tuple(
                Row("x", "neg", {"P": 0.5, "not_P": float(np.clip(0.5 + rng.lognormal(-2, 1), 0, 1))}, id=str(index))
                for index in range(30)
            ),
            30,
            {"read": 60},
            "",
        )
        for _ in ways
    ]
    return compare_ways("bot:x", ways, asked, ["bot:x"] * 2, seed=seed)


def chess(seed: int) -> ReportedFinding:
    from tests.render.test_chess_pages import finding
    from vivavoce.consistency.chess.comparison import ChessCheck

    return finding(*ChessCheck, positions=8 + seed, spread=0.0)


def chess_scaling(seed: int) -> ReportedFinding:
    from tests.render.test_chess_pages import checked
    from vivavoce.consistency.chess.comparison import ChessCheck
    from vivavoce.studies.chess import scaling

    return scaling("uci:x", {n: checked(ChessCheck.MIRROR, positions=8 + seed, spread=0.0, nodes=n) for n in (1, 100)})


def eqt_comparison(seed: int) -> ReportedFinding:
    """Three candidates that are right in seven of ten questions, with intervals as for 40 questions."""
    from scipy.stats import beta

    from tests.eqt.test_finding import named_result
    from vivavoce.eqt.eqt_finding import finding_of

    rng, results = rng_of(seed), []
    for name in ("ada", "bob", "eve"):
        right = int(rng.binomial(40, 0.7))
        closed = Estimate(right / 40, Interval(beta.ppf(0.025, right, 41 - right), beta.ppf(0.975, right + 1, 40 - right)), 40)
        gap = Estimate(0.1, Interval(closed.interval.lower - closed.interval.upper, 0.3), 40)
        result = named_result(name, "A A")
        results.append(replace(result, whole=replace(result.whole, closed_originals=closed, gap=gap)))
    return finding_of(results)


def predictors(seed: int) -> ReportedFinding:
    from vivavoce.luna.predict.comparison_finding import compare
    from vivavoce.luna.settings import SplitsConfig

    return compare(_people(seed), ["constant", "cbg", "bow"], config=SplitsConfig(3, seed=seed))


def _people(seed: int) -> PeopleTable:
    """People whose ratings have nothing to do with what they say."""
    from tests.luna.predict.people import made_people

    people = made_people(30)
    ratings = rng_of(seed).permutation(list(people.ratings.values())).tolist()
    return replace(people, ratings=dict(zip(people.ratings, ratings, strict=True)))


def comparison(seed: int) -> ReportedFinding:
    return _asked(seed, gate=False)


def gate(seed: int) -> ReportedFinding:
    return _asked(seed, gate=True)


def _asked(seed: int, *, gate: bool) -> ReportedFinding:
    """Two that are wrong in three of ten sums, each at other ones."""
    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.comparison.compare import compare
    from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
    from vivavoce.certificate.comparison.gate import gate as gated
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes import open_scope

    names = [f"bot:calculator?wrong=0.3&seed={2 * seed + index}" for index in range(2)]
    interviews = [Interview(open_candidate(name), answers=Reply) for name in names]
    scope = open_scope("arithmetic")
    if gate:
        return asyncio.run(gated(interviews, scope, GateConfig(seed=seed, questions=60, margin=0.0)))
    return asyncio.run(compare(interviews, scope, ComparisonConfig(seed=seed, questions=60)))


NULLS: Mapping[str, tuple[Callable[[int], ReportedFinding | str], ...]] = {
    "HumanAlignment": (alignment,),
    "Measurement": (measurement,),
    "LunaRating": (luna_ratings, luna_difference),
    "StudyFinding": (forecasts, consistent_forecaster, variants, chess, chess_scaling),
    "RatingComparison": (predictors,),
    "Comparison": (comparison,),
    "Gate": (gate,),
}
"""Of each class of findings the null data, by seed."""
BASES = {"ClaimFinding"}
"""Classes that no command prints."""
SIDE_BY_SIDE = {"ReportComparison"}
"""Classes that set the figures of other findings side by side; these have null data."""


def findings() -> Iterator[type]:
    """All classes of findings of the package."""
    source = Path(vivavoce.__file__).parent
    for file in source.rglob("*.py"):
        if re.search(r"^class \w+\(.*ReportedFinding\b", file.read_text(encoding="utf-8"), flags=re.MULTILINE):
            importlib.import_module(".".join(("vivavoce", *file.relative_to(source).with_suffix("").parts)))
    waiting: list[type] = [ReportedFinding]
    while waiting:
        subclasses: list[type] = waiting.pop().__subclasses__()
        waiting += subclasses
        yield from (kind for kind in subclasses if kind.__module__.startswith("vivavoce."))


@pytest.mark.long
def test_each_finding_has_null_data() -> None:
    assert {value.__name__ for value in findings()} == {*NULLS, *null_studies.NULLS, *BASES, *SIDE_BY_SIDE}


def name_of(null: Callable[[int], ReportedFinding | str]) -> str:
    """Of the function, or of the study that is bound to it."""
    return str(null.args[0]) if isinstance(null, partial) else null.__name__


def test_each_study_has_null_data() -> None:
    names = {name_of(null).replace("_", "-") for nulls in (NULLS, null_studies.NULLS) for null in nulls["StudyFinding"]}
    assert {study.kind for study in declared().values()} - names == set()


@pytest.mark.long
@pytest.mark.parametrize(
    "null", [function for nulls in (NULLS, null_studies.NULLS) for made in nulls.values() for function in made], ids=name_of
)
def test_nothing_is_found_where_there_is_nothing(null: Callable[[int], ReportedFinding | str]) -> None:
    wrong = [texts for seed in SEEDS if (texts := accusations(null(seed)))]
    assert len(wrong) <= MOST, wrong


def test_the_test_can_tell() -> None:
    for sentence in (
        "b answers most right, and beliefs fit no other model significantly better at any threshold.",
        "X contradicts itself in Go by more than 0.25 on 0% [0, 100] of 8 positions when colours are swapped.",
        "10 players have ratings from 240 guesses by people. P3 is rated smartest: 55 [40, 70].",
        "bow has the smallest error of 3 predictors: 0.114 [0.083, 0.145] (root mean squared, ratings from 0 to 1).",
        "Weighted accuracy of beliefs by model: at a threshold of 50% beliefs fit b best, 0.467.",
        "When asked, x gives up right answers more often than when it is asked once more.",
        'Shown to be common: on “+”, when asked "Are you sure?", 45% [25, 66] of new questions fail.',
        "Misplaced trust costs most with a: where a right answer raised people's beliefs in it, it was wrong in 60% of cases.",
    ):
        assert accused(sentence)
    for sentence in (
        "bow has the smallest error of 3 predictors, but not significantly: 0.114 [0.083, 0.145].",
        "b is not shown to answer more right than all others; at none of these thresholds do beliefs fit another better.",
        "X is not shown to contradict itself in Go by more than 0.25: on 0% [0, 100] of 8 positions when colours are swapped.",
    ):
        assert not accused(sentence)
