"""Findings on made data in which there is nothing to find: certificates, studies, tests on own explanations, surveys, Luna."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from tests.studies.contract import sound_finding
from vivavoce.certificate.certificate import Certificate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.betting import Floats
from vivavoce.studies.scope_studies import SCOPE_STUDIES

QUESTIONS = 60


def calculators(seed: int, *, wrong: float = 0.3) -> Interview[Prompt, Reply]:
    """One that is wrong so often."""
    from vivavoce.candidates import open_candidate

    return Interview(open_candidate(f"bot:calculator?wrong={wrong}&seed={seed}"), answers=Reply)


def certificate(seed: int) -> Certificate:
    """At the boundary."""
    from vivavoce.scopes import open_scope

    scope = open_scope("arithmetic")
    return asyncio.run(certify(calculators(seed), scope, Criterion(0.7, None), seed=seed, questions=QUESTIONS))


def many_scopes(seed: int) -> ManyScopes:
    """At the boundary on each of two."""
    from vivavoce.scopes import open_scope

    scopes = [open_scope(f"arithmetic?operations={sign}") for sign in "+*"]
    return asyncio.run(certify(calculators(seed), scopes, Criterion(0.7, None), seed=seed, questions=QUESTIONS))


def deployed(seed: int) -> ReportedFinding:
    """At the boundary as a whole, and as people will use it."""
    from vivavoce.certificate.claims.deployed import DeploymentCertificate

    whole = certificate(seed)
    return DeploymentCertificate(
        whole, replace(whole, scope="used"), whole.criterion, whole.questions, (0.5, 0.5), whole.signature
    )


def sweep(seed: int) -> ReportedFinding:
    """Two that are equally good."""
    from tests.examination.made import swept

    names = ", ".join(f'"bot:calculator?wrong=0.3&seed={2 * seed + index}"' for index in range(2))
    limits = "[certificate]\nunacceptable_limit = 'none'\nquestions = 60\n[compare]\nquestions = 40\n"
    return swept(f'candidates = [{names}]\nscopes = ["arithmetic?digits=2"]\nseed = {seed}\n{limits}')


def teaching(seed: int) -> ReportedFinding:
    """A dialogue that changes nothing but which questions are answered rightly."""
    from tests.render.test_study_pages import teaching_finding
    from vivavoce.certificate.comparison.compare import compare
    from vivavoce.certificate.comparison.config import ComparisonConfig
    from vivavoce.scopes import open_scope

    config, scope = ComparisonConfig(seed=seed, questions=QUESTIONS), open_scope("arithmetic")
    both = [calculators(2 * seed + index) for index in range(2)]
    return replace(teaching_finding(), comparison=asyncio.run(compare(both, scope, config)))


def vary(seed: int) -> ReportedFinding:
    """Its letters differ as often between variants as when the question is repeated."""
    from tests.studies.vary import planted
    from vivavoce.studies.config import VaryConfig

    config = VaryConfig(vary=("order", "context"), questions=40, seed=seed)
    return planted.examined(planted.PlantedVariations(noise=0.1, seed=seed), planted.scope(QUESTIONS), config)


def bail(seed: int) -> ReportedFinding:
    """A judge whose bail never rises with guilt the wrong way round."""
    from tests.studies.bail.examined import examined
    from tests.studies.bail.judges import Judge, made_up, monotone
    from vivavoce.studies.defendants.decisions import Dataset
    from vivavoce.studies.study import Source

    return asyncio.run(examined(Judge(monotone), Dataset(made_up(40, seed=seed), Source("made up")))).finding


def cases(seed: int) -> ReportedFinding:
    """A classifier that looks at no words."""
    from vivavoce.candidates.classifiers import FunctionClassifier
    from vivavoce.consistency.config import CasesConfig
    from vivavoce.consistency.legal.examine_cases import Bench
    from vivavoce.consistency.legal.paraphrasing import PreparedParaphrases
    from vivavoce.consistency.legal.trials import ClassifierJudge, LegalCase, Paraphrase
    from vivavoce.interview.candidate_kinds import CaseJudgement
    from vivavoce.studies.cases import judge_cases

    draw = random.Random(seed)
    facts = ["A first fact that all cases share.", *(f"The applicant was {word} on 3 May." for word in ("asked", "detained"))]
    chosen = [LegalCase(f"c{n}", tuple(facts[: 2 + n % 2])) for n in range(40)]

    def judge(facts: Sequence[str]) -> float:
        return draw.choice((0.4, 0.6))

    texts = {fact: [Paraphrase(fact, f"{fact} {n}") for n in range(3)] for fact in facts}
    by = ClassifierJudge(Interview(FunctionClassifier("function:judge", judge), answers=CaseJudgement))
    return asyncio.run(
        judge_cases(Bench(by, PreparedParaphrases(texts, "reviewed.jsonl"), source="cases"), chosen, CasesConfig(shortest=5))
    )


def relations(seed: int) -> ReportedFinding:
    """It keeps its rule."""
    from vivavoce.relations import RelatedInputs, Source, check, increasing

    draw = random.Random(seed)
    rule = increasing(0.0, name="larger homes cost more")
    pairs = [RelatedInputs(({"area": a}, {"area": a + draw.random()}), base=(f"{a}",), rule=rule, id=f"{a}") for a in range(40)]
    return check(lambda home: home["area"], pairs, name="price", source=Source("pairs.jsonl"))


def explain_query(seed: int) -> ReportedFinding:
    """It answers no better with its explanation at hand."""
    from tests.render.eqt_findings import record
    from vivavoce.eqt.eqt_finding import finding_of
    from vivavoce.eqt.score import score

    asked = record(f"openai:model-{seed}", categories=("math", "law", "health"))
    concept_records = [
        replace(
            concept_record,
            items=tuple(
                replace(question_record, open_book=question_record.phrasings[0].answer)
                for question_record in concept_record.items
                if question_record.phrasings
            ),
        )
        for concept_record in asked.concept_records
    ]
    return finding_of([score(replace(asked, concept_records=tuple(concept_records)))])


def eqt_benchmark(seed: int) -> ReportedFinding:
    """Accuracies that have nothing to do with each other."""
    from vivavoce.eqt.benchmark import compare_with_benchmark
    from vivavoce.eqt.eqt_finding import finding_of
    from vivavoce.eqt.files import Accuracy

    draw = random.Random(seed)
    cells = list(product((f"openai:model-{where}" for where in "abcdefgh"), ("math", "law", "health", "physics")))
    ours, theirs = ([Accuracy(*cell, draw.random()) for cell in cells] for _ in range(2))
    return finding_of([], benchmark=compare_with_benchmark(ours, theirs, source="mmlu_pro.csv", digest="cd" * 32))


def eqt_overlap(seed: int) -> ReportedFinding:
    """Answers to near-duplicates are right as often as the others."""
    from tests.render.eqt_findings import record
    from vivavoce.eqt.concept_extraction import overlap
    from vivavoce.eqt.eqt_finding import finding_of
    from vivavoce.eqt.files import Original
    from vivavoce.eqt.score import score

    asked = record(f"openai:model-{seed}", categories=("math", "law"))
    written = [
        question_record.question
        for concept_record in asked.concept_records
        for question_record in concept_record.items
        if question_record.question
    ]
    originals = [Original(f"{number}", "math", question) for number, question in enumerate(written[::2])]
    return finding_of([score(asked)], overlaps=[overlap(asked, originals, source="benchmark")])


def evaluation(seed: int) -> ReportedFinding:
    """Chances that were drawn without regard to what changed."""
    from vivavoce.generalization.evaluation.predictor_evaluation import evaluate
    from vivavoce.generalization.pairs import PredictionOrigin

    pairs, chances = _told(seed, 300)
    return evaluate(pairs, chances, origin=PredictionOrigin("stacked-logistic", "pairs.csv"))


def influential(seed: int) -> ReportedFinding:
    """Right and wrong answers are predicted to tell as much."""
    from vivavoce.generalization.evaluation.influential_pairs import both_ways, influential_pairs
    from vivavoce.generalization.pairs import PredictionOrigin

    pairs, chances = _told(seed, 40)
    drawn = np.random.default_rng((seed, 2)).random(40).tolist()
    return influential_pairs(both_ways(pairs), [*chances, *drawn], origin=PredictionOrigin("stacked-logistic", "pairs.csv"))


def _told(seed: int, number: int) -> tuple[list[BeliefPair], list[float]]:
    rng = np.random.default_rng((seed, 3))
    pairs = [
        BeliefPair(f"{k}?", f"{k}!", f"from {k % 9}", f"to {k % 3}", k % 2 == 0, bool(rng.random() < 0.5))
        for k in range(number)
    ]
    return pairs, rng.uniform(0.05, 0.95, number).tolist()


def survey(seed: int) -> ReportedFinding:
    """In both stages a third of the beliefs change, whatever the answer was."""
    from vivavoce.generalization.survey.belief_changes import score_survey

    draw = random.Random(seed)
    pairs = [
        BeliefPair(
            f"q{number}", "z", "a", "b", draw.random() < 0.5, person=f"{number % 20}", stage=stage, weight=1.0,
            prior=0.4, posterior=draw.choice((0.4, 0.4, 0.6)),
        )
        for stage in (1, 2)
        for number in range(100)
    ]  # fmt: skip
    return score_survey(pairs, source="answers")


def graded_by_model(seed: int) -> ReportedFinding:
    """A grader that errs as a constant does."""
    from tests.render.test_luna_pages import grading
    from vivavoce.formats.interval import Estimate, Interval
    from vivavoce.luna.predict.grading_study import GraderScore, GradingStudy

    made, gain = grading(), np.random.default_rng(seed).normal(0, 0.1)
    assert isinstance(made, GradingStudy)

    def about(value: float) -> Estimate:
        return Estimate(value, Interval(value - 0.2, value + 0.2), 90)

    rows = {
        "grader": GraderScore(about(1.0), about(0.0), None),
        "constant": GraderScore(about(1.0 + gain), Estimate(None, Interval(-1, 1), 90), about(gain)),
    }
    split = replace(made.unseen_answers, graders=rows)
    return replace(made, unseen_answers=split, unseen_questions=split)


def predicted_ratings(seed: int) -> ReportedFinding:
    """Of people whose grades have nothing to do with what they say."""
    from tests.luna.predict.people import pupils
    from vivavoce.luna.predict.predicted_ratings import learn, predict_ratings

    people = pupils(24, seed=seed)
    ratings = np.random.default_rng(seed).permutation(list(people.ratings.values())).tolist()
    shuffled = replace(people, ratings=dict(zip(people.ratings, ratings, strict=True)))
    return predict_ratings(learn(shuffled, "bow"), pupils(12, seed=seed + 100), source="new")


def luna_statistics(seed: int) -> ReportedFinding:
    """Judges who toss coins."""
    from tests.luna.test_site_statistics import site_game, site_seat
    from vivavoce.luna.site_statistics import statistics

    draw, games = random.Random(seed), []
    for number in range(30):
        machine, right = number % 2 == 0, draw.random() < 0.5
        judge = site_seat(
            f"judge {number}", 50.0, judged_human=right is not machine, confidence=draw.uniform(50, 100), right=right,
            seconds=(9, 9, 9),
        )  # fmt: skip
        other = site_seat(
            f"p{number}", draw.uniform(30, 70), ("x" * draw.randrange(1, 40),) * 5, "machine" if machine else "guest"
        )
        games.append(site_game(judge, other))
    return statistics(games, [], site="luna.sqlite")


def luna_series(seed: int) -> ReportedFinding:
    """It finds all bots equally smart."""
    from tests.examination.test_luna_series import plays, series

    draw = random.Random(seed)

    def guesses(text: str) -> str:
        words = plays(text)
        return f"{words.partition('Guess:')[0]}Guess: {draw.randrange(40, 60)}" if "Guess:" in words else words

    return series(guesses, 9)


def luna_simulation(seed: int) -> ReportedFinding:
    """Of a few players."""
    from vivavoce.luna.settings import SimulationConfig
    from vivavoce.luna.simulation_finding import examine_simulation

    return examine_simulation(["3.1"], SimulationConfig(players=12, trials=2, seed=seed), attacks=False)


def held_out(seed: int) -> ReportedFinding:
    """A predictor that knows nothing."""
    from vivavoce.generalization.survey.responses import held_out_yield

    class Drawn:
        def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
            return np.random.default_rng(seed).random(len(pairs))

        def save(self, folder: Path) -> None:
            raise NotImplementedError

    pairs, _ = _told(seed, 200)
    return held_out_yield(pairs, lambda _: Drawn(), predictor="stacked-logistic", source="answers", seed=seed)


def rehearsal(seed: int) -> ReportedFinding:
    """Two short stages."""
    from vivavoce.generalization.config import RehearsalConfig
    from vivavoce.generalization.survey.rehearsal import SurveyRehearsal, rehearse
    from vivavoce.interview.scope import Signature

    config = RehearsalConfig(stages=2, answers=30, pool=200, test=10, questions=40, seed=seed)
    settings = {name: value for name, value in asdict(config).items() if name != "seed"}
    signature = Signature("0", "generalization simulate", "synthetic people", "40 questions", "", seed, settings)
    return SurveyRehearsal(rehearse(config), config.predictor, signature)


def chess_search(seed: int) -> ReportedFinding:
    """An engine that values every image of a board alike."""
    from tests.consistency.chess.search.engines import Formula, interview, perfect
    from vivavoce.consistency.chess.search.search_boards import search_boards
    from vivavoce.consistency.config import SearchConfig

    config = SearchConfig(evaluations=60, seeds=2, threshold=0.1, seed=seed)
    return asyncio.run(search_boards(interview(Formula(perfect)), config))


def trained_on_cases(seed: int) -> ReportedFinding:
    """Cases whose labels were drawn."""
    from tests.consistency.legal.made_training import labelled
    from vivavoce.consistency.config import TrainingConfig
    from vivavoce.consistency.legal.training import divided, train
    from vivavoce.consistency.legal.training_finding import finding_of

    draw, config = random.Random(seed), TrainingConfig(steps=60, starts=1, units=8, dimensions=20, seed=seed)
    cases = [replace(case, violation=draw.random() < 0.5) for case in labelled(60, seed=seed)]
    return finding_of(train(divided(cases, None, None, config), config), config, candidate="trained:judge", source="made cases")


def follow_up(seed: int) -> ReportedFinding:
    """A pupil that slips once in a hundred replies, whatever was asked before."""
    from tests.probe.pupils import Pupil, sums
    from vivavoce.probe.config import ProbeConfig
    from vivavoce.probe.probe import probe

    draw = random.Random(seed)
    slipping = Pupil(lambda texts, right: f"Answer: {right + 1}" if draw.random() < 0.01 else None)
    interview = Interview(slipping.candidate(), answers=Reply, concurrency=1)
    return asyncio.run(probe(interview, sums(), ProbeConfig(calls=150, fresh=30, seed=seed)))


def holdings(seed: int) -> ReportedFinding:
    """A recording."""
    from vivavoce.examination.rooms import Holdings
    from vivavoce.interview.scope import Signature

    return Holdings("replay:a.csv#x", 12, seed, Signature("0", "recording", "", "", "", 0, {}))


NULLS: dict[str, tuple[Callable[[int], ReportedFinding], ...]] = {
    "Certificate": (certificate,),
    "ManyScopes": (many_scopes,),
    "DeploymentCertificate": (deployed,),
    "Sweep": (sweep,),
    "TeachingFinding": (teaching,),
    "StudyFinding": (vary, *(partial(sound_finding, name) for name in SCOPE_STUDIES), bail, cases, relations),
    "EqtFinding": (explain_query, eqt_benchmark, eqt_overlap),
    "PredictorEvaluation": (evaluation,),
    "InfluentialPairs": (influential,),
    "SurveyFinding": (survey,),
    "GradingStudy": (graded_by_model,),
    "PredictedRatings": (predicted_ratings,),
    "LunaStatistics": (luna_statistics,),
    "LunaSeries": (luna_series,),
    "LunaSimulation": (luna_simulation,),
    "HeldOutYield": (held_out,),
    "SurveyRehearsal": (rehearsal,),
    "ChessSearch": (chess_search,),
    "TrainedOnCases": (trained_on_cases,),
    "ProbeFinding": (follow_up,),
    "Holdings": (holdings,),
}
"""Of each class of findings the null data, by seed."""
