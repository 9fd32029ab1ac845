"""Studies, rules, dialogues and trained classifiers on the page and in the terminal."""

from __future__ import annotations

import asyncio
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from math import floor

import pytest

from tests.consistency.legal.made_training import finding as training_finding
from tests.examination.teaching.serving import reply
from tests.render.conftest import HOSTILE, MARKUP
from tests.render.html_pages import assert_in_order, html_of, outline, printed, spaced
from tests.studies.bail import examined as judged
from tests.studies.bail.examined import faulty
from tests.studies.bail.judges import Judge
from tests.studies.contract import Finding, contract_of, faulty_finding
from tests.studies.sycophancy.faults import right_of
from tests.studies.vary import planted as varied
from tests.studies.vary.favourites import OPTIONS
from vivavoce.candidates.classifiers import FunctionClassifier
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig
from vivavoce.consistency.config import CasesConfig
from vivavoce.consistency.legal.examine_cases import Bench
from vivavoce.consistency.legal.paraphrasing import PreparedParaphrases
from vivavoce.consistency.legal.training import DecidedCase, measured
from vivavoce.consistency.legal.training_finding import TrainedOnCases, probabilities
from vivavoce.consistency.legal.trials import ClassifierJudge, LegalCase, Paraphrase
from vivavoce.examination.teaching import CandidateAfterDialogue, Dialogue, TeachingFinding, hold_dialogue, split_scope
from vivavoce.interview.candidate import Exchange, Prompt, Reply
from vivavoce.interview.candidate_kinds import CaseJudgement
from vivavoce.interview.interview import Interview
from vivavoce.relations import RelatedInputs, RelationFinding, Source, check, increasing, invariant
from vivavoce.render.canvas import Drawing, drawing_of, svg
from vivavoce.report.blocks import Panels
from vivavoce.report.figures import IntervalRows
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question
from vivavoce.studies.cases import judge_cases
from vivavoce.studies.config import TeachingConfig, VaryConfig
from vivavoce.studies.scope_studies import SCOPE_STUDIES

Make = Callable[[float | None], Finding]


@cache
def vary(limit: float | None = None) -> Finding:
    """Answers that change in German and by the order; some replies can't be parsed."""
    config = VaryConfig(vary=("order", "context", "translate:de"), questions=60, flip_limit=limit)
    candidate = varied.PlantedVariations(prefers_a=0.3, german=0.2, mumbles=0.1)
    return varied.examined(candidate, varied.scope(60), config, in_german=True)


@cache
def bail(_: float | None = None) -> Finding:
    """It grants bail for many convictions, and is sometimes silent."""

    def decide(text: str) -> str:
        return "perhaps" if "Age: 3" in text else faulty(text)

    return asyncio.run(judged.examined(Judge(decide), judged.FEW)).finding


@cache
def cases(_: float | None = None) -> Finding:
    """A classifier that looks for one word, with three paraphrases of each fact; one more of each is refused."""
    facts = ["A first fact that all cases share.", *(f"The applicant was {word} on 3 May." for word in ("asked", "detained"))]
    chosen = [LegalCase(f"c{n}", tuple(facts[: 2 + n % 2])) for n in range(40)]

    def judge(facts: Sequence[str]) -> float:
        return 0.85 if "detained" in " ".join(facts) else 0.35

    texts = {fact: [Paraphrase(fact, fact.replace("detained", word)) for word in ("held", "kept", "jailed")] for fact in facts}
    by = ClassifierJudge(Interview(FunctionClassifier("function:judge", judge), answers=CaseJudgement))
    bench = Bench(by, PreparedParaphrases(texts, "reviewed.jsonl"), source="cases.jsonl")
    return asyncio.run(judge_cases(bench, chosen, CasesConfig(shortest=5)))


LIMITED: Mapping[str, Make] = {"vary": vary, **{name: partial(faulty_finding, name) for name in SCOPE_STUDIES}}
"""Studies that may have a limit."""
MADE: Mapping[str, Make] = {**LIMITED, "bail": bail, "cases": cases}
STUDIES = pytest.mark.parametrize("name", LIMITED)


def study_finding(name: str, limit: float | None = None) -> Finding:
    """Of the study of that name."""
    return MADE[name](limit)


def hostile_study(name: str) -> Finding:
    """Hostile words wherever strangers can put words."""
    finding = study_finding(name, 0.1)
    examples = tuple(
        replace(
            example,
            id=f"{example.id}{HOSTILE}",
            expected=HOSTILE,
            texts=tuple((label, f"{text}{HOSTILE}") for label, text in example.texts),
            line=tuple(f"{text}{HOSTILE}" for text in example.line),
        )
        for example in finding.examples
    )
    effects = tuple(replace(effect, left_out={f"why{HOSTILE}": 2}) for effect in finding.effects)
    return replace(finding, examples=examples, effects=effects, candidate=f"model{HOSTILE}", scope=f"scope{HOSTILE}")


@STUDIES
def test_the_sentence_comes_first_then_numbers_examples_caveats_and_the_method(name: str) -> None:
    finding = study_finding(name)
    text = outline(finding).text
    heads = [table.columns[1].head for table in finding.report().tables if table.name]
    first, _, rest = text.partition("For example")
    report = finding.report()
    assert f"{report.headline} {report.chance}".rstrip() == finding.headline
    assert_in_order(first, [report.headline, report.chance, f"{finding.study.list_head}: {finding.ranked[0].label}"])
    assert_in_order(rest, [finding.examples[0].event, "Limits", "How this was found", "seed 0"])
    assert_in_order(rest[rest.index("Limits") :], [*heads, "How this was found"])
    assert outline(finding).tags["svg"] == 1


@STUDIES
def test_a_verdict_states_the_measured_value_the_limit_and_the_chance_of_an_error(name: str) -> None:
    finding = study_finding(name, 0.1)
    assert finding.limit_test is not None
    rate = finding.limit_test.rate
    least = floor(100 * rate.interval.lower)
    required = f", at most 10% allowed. Shown: above {least}%. Chance of a wrong verdict: at most 5%."
    fails = "changes its answer to {} of {} questions under these variations" if name == "vary" else contract_of(name).fails
    assert finding.headline == f"test:planted fails: it {fails.format(rate.text, rate.n)}{required}"
    assert finding.statement.startswith(finding.headline)
    assert finding.as_json()["verdict"] == "fail"


@STUDIES
def test_the_figure_says_each_rate_in_words(name: str) -> None:
    finding = study_finding(name, 0.1)
    (figure,) = finding.report().figures
    assert isinstance(figure.data, IntervalRows)
    drawing = drawing_of(figure.data)
    assert drawing is not None
    assert drawing.alt.startswith(f"Share of {finding.study.axis}: {finding.study.control_label} ")
    assert drawing.alt.endswith("The limit is 10%.")
    assert all(f"{effect.label} {effect.rates[finding.study.events[0]].text}" in drawing.alt for effect in finding.effects)
    assert replace(finding, effects=()).report().figures == ()


@pytest.mark.parametrize("name", MADE)
def test_without_any_treatment_it_says_that_nothing_was_compared(name: str) -> None:
    nothing = replace(study_finding(name), effects=())
    assert nothing.headline == nothing.study.nothing(nothing)
    assert not nothing.measured
    assert nothing.headline in " ".join(printed(nothing).split())


@cache
def relation_finding(rules: int = 2, hostile: str = "", name: str = "price") -> RelationFinding:
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
    result = relation_finding()
    text = outline(result).text
    order = [result.headline, "Limits", "Mean violation", "Left out, rule 0", "Largest violations"]
    order += ["How this was found", "seed 0"]
    assert_in_order(text, order)
    # falls of 6, 8, ... 30 of 60 tuples: 24; gaps of 6 to 30 either way, less the fall of 7: 49
    assert "rule 1” in 82%" in text
    assert re.search(r"Broken\s*40%\s*\[", text) or re.search(r"rule 0\s*60\s*40%", text)
    assert re.search(r"Rule broken: 30, home 2\s*Inputs\s*area 30 → 0, of Rome → Oslo\s*Outputs\s*30 → 0, off by 30", text)


def test_what_became_of_replies_is_shown_where_a_candidate_was_asked_in_words() -> None:
    function, asked = relation_finding(), relation_finding()
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
    shown = outline(relation_finding(rules=7))
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
    assert "  rule 1: “area -30 → 0, of Rome → Oslo” -30 → 0, off by 30" in printed(relation_finding()).splitlines()


class PlayedTeacher:
    """Who is served over the wire in other tests, here by itself."""

    ways = ("text", "turn")

    def __init__(self, model: str) -> None:
        self.name = f"test:{model}"
        self._model = model

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply(reply(self._model, question.conversation))


@cache
def teaching_finding(hostile: str = "", questions: int = 120) -> TeachingFinding:
    """A good teacher; hostile words in every place that strangers fill."""
    things = [str(n) for n in range(questions)]
    rows = tuple(Question(f"q{n}", f"Which colour has thing {n} in the room?", OPTIONS, (right_of(n),)) for n in things)
    result = asyncio.run(held(ListedScope("things", rows)))
    if not hostile:
        return result
    exchanges = tuple(
        Exchange(f"{exchange.asked}{hostile}", f"{exchange.replied}{hostile}") for exchange in result.dialogue.exchanges
    )
    spoilt = Dialogue(f"teacher{hostile}", exchanges, (hostile,))
    return replace(result, candidate=f"pupil{hostile}", dialogue=spoilt)


async def held(scope: ListedScope) -> TeachingFinding:
    teacher, pupil = PlayedTeacher("good"), PlayedTeacher("pupil")
    shown, rest = split_scope(scope, TeachingConfig())
    prompts = [scope.prompt(question) for question in shown]
    asks, answers = (Interview(who, answers=Reply) for who in (teacher, pupil))
    dialogue = await hold_dialogue(asks, answers, [question.id for question in shown], prompts, TeachingConfig())
    both = [Interview(who, answers=Reply) for who in (CandidateAfterDialogue(pupil, dialogue), pupil)]
    return TeachingFinding(await compare(both, rest, ComparisonConfig(seed=0)), pupil.name, dialogue)


def test_numbers_then_the_dialogue_then_caveats() -> None:
    result = teaching_finding()
    text = outline(result).text
    order = [result.headline, "pupil, after", "The dialogue", "Which rule holds for all things? (3)", "Limits"]
    assert_in_order(text, order)
    assert "is better on things" in result.headline


def test_another_dialogue_makes_another_candidate() -> None:
    dialogue = teaching_finding().dialogue
    pupil = PlayedTeacher("pupil")
    other = replace(dialogue, exchanges=dialogue.exchanges[:1])
    names = {CandidateAfterDialogue(pupil, entry).name for entry in (dialogue, other)}
    assert len(names) == 2
    assert CandidateAfterDialogue(pupil, dialogue).ways == pupil.ways  # type: ignore[attr-defined]  # as the candidate has it


def hostile_training() -> TrainedOnCases:
    """A stranger's words wherever a file or a name can have some."""
    decided = tuple(DecidedCase(f"{HOSTILE}{i}", i % 2 > 0, 0.9, 4, 1, MARKUP, (1,), 0.5) for i in range(12))
    return replace(
        training_finding(), candidate=HOSTILE, encoder=HOSTILE, source=HOSTILE, decided=decided, measures=measured(decided, 0.5)
    )


def test_numbers_stand_beside_the_papers() -> None:
    cases = training_finding(turned=20)
    text = spaced(outline(cases).text)
    for words in (cases.headline, "Always “violation”", "The paper", "Where attention falls", "Errors to read first"):
        assert words in text
    assert not any("it does not distinguish cases" in sentence for sentence in cases.caveats)
    rows = {row.pop(next(iter(row))): row for row in cases.rows()}
    assert [rows[what]["paper"] for what in ("Accuracy", "Violation: precision")] == [0.816, 0.814]
    assert rows["Accuracy"]["this classifier"] == cases.measures.accuracy.value
    assert "Case c" in printed(cases)
    wrong = [case for case in cases.decided if (case.probability >= 0.5) != case.violation]
    assert {case.case for case in cases.errors} == {case.case for case in wrong}
    assert cases.as_json()["figures"]["errors"][0]["case"] == cases.errors[0].case


def test_a_classifier_no_better_than_a_constant_says_so() -> None:
    decided = tuple(DecidedCase(str(i), i % 3 == 0, 0.1, 4, 1, "A fact.") for i in range(30))
    cases = replace(training_finding(), decided=decided, measures=measured(decided, 0.5))
    assert any("may not be better than that" in sentence for sentence in cases.caveats)
    assert "The classifier says no violation in every held-out case: it does not distinguish cases." in cases.caveats
    assert any("the deciding fact is not known for any held-out case" in sentence for sentence in cases.caveats)
    assert "Where attention falls" not in outline(cases).text


def test_the_plot_counts_the_wrong_ones() -> None:
    cases = tuple(DecidedCase(str(i), i < 6, i / 10, 1, 0, "") for i in range(10))
    (panels,) = probabilities(cases, 0.5)
    assert isinstance(panels, Panels)
    assert [figure.title for figure in panels.figures] == ["A violation was found", "None was found"]
    for figure, wrong in zip(panels.figures, ("5 of 6", "4 of 4"), strict=True):
        drawing = drawing_of(figure.data)
        assert isinstance(drawing, Drawing)
        assert f"found: {wrong} are decided wrongly" in drawing.alt
        ET.fromstring(svg(drawing, "plot"))
    assert probabilities((), 0.5) == ()
    (alone,) = probabilities(cases[:6], 0.5)
    assert isinstance(alone, Panels)
    assert len(alone.figures) == 1
