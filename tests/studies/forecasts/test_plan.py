from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.studies.forecasts.forecasters import probability_tuples, quantity_tuples
from vivavoce.studies.forecasting.asking import cost_estimate
from vivavoce.studies.forecasting.config import ForecastsConfig
from vivavoce.studies.forecasting.planning import all_series, plan
from vivavoce.studies.forecasting.prompts import ForecastKind
from vivavoce.studies.forecasting.tuples import QuestionTuple

TUPLES = [*probability_tuples(6), *quantity_tuples(6)]


def test_tuples_that_repeat_on_purpose_have_replies_of_their_own() -> None:
    own = QuestionTuple("repeat", {"P": "Will it?", "again_1": "Will it?"}, id="own")
    other = QuestionTuple("neg", {"P": "Will it?", "not_P": "Won't it?"}, id="other")
    planned = plan([own, other], control=5)
    assert sorted(planned_tuple.asked.law for planned_tuple in planned) == ["neg", "repeat"]  # it is controlled already
    assert Counter((series.question, series.number) for series in all_series(planned)) == {
        ("Will it?", 0): 1,
        ("Will it?", 1): 1,
        ("Won't it?", 0): 1,
    }


def test_one_text_as_probability_and_as_quantity_is_two_questions() -> None:
    as_quantity = QuestionTuple("increasing", {"2030": "How many?", "2040": "And later?", "2050": "And then?"})
    as_probability = QuestionTuple("paraphrase", {"P": "How many?", "para_P": "How many then?"})
    kinds = {(series.question, series.kind) for series in all_series(plan([as_quantity, as_probability]))}
    assert kinds >= {("How many?", ForecastKind.QUANTITY), ("How many?", ForecastKind.PROBABILITY)}
    assert cost_estimate([as_quantity, as_probability], ForecastsConfig(control=9)).replies == 3 * (5 + 3)


@given(st.integers(0, 80), st.integers(0, 30), st.integers(0, 99))
def test_a_plan_asks_what_it_should(limit: int, control: int, seed: int) -> None:
    planned = plan(TUPLES, limit=limit, control=control, seed=seed)
    own = [planned_tuple for planned_tuple in planned if planned_tuple.place < len(TUPLES)]
    controls = [planned_tuple for planned_tuple in planned if planned_tuple.place >= len(TUPLES)]
    assert [planned_tuple.place for planned_tuple in own] == [
        planned_tuple.place for planned_tuple in plan(TUPLES, limit=80, seed=seed)
    ][:limit]
    assert len(own) == min(limit, len(TUPLES))
    firsts = {
        next(iter(planned_tuple.asked.questions.values())) for planned_tuple in own if planned_tuple.asked.law != "increasing"
    }
    assert len(controls) == min(control, len(firsts))
    assert len({planned_tuple.asked.questions["P"] for planned_tuple in controls}) == len(controls)
    # whoever numbers the draws of a question by their order gives every series draws of its own
    before: Counter[str] = Counter()
    for series in all_series(planned):
        assert series.number == before[series.question]
        before[series.question] += 1
