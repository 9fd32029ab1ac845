"""The door for people who live in Inspect: `inspect eval vivavoce/certificate`, `vivavoce/eqt` and `vivavoce/consistency`.

Models, limits, retries, logs and the viewer are Inspect's; questions, scoring and findings are Vivavoce's. A sample's id is its
number in the order in which it was drawn. Inspect completes samples out of order, so the certificate takes their answers in
drawn order only; the finding's JSON is in `results.early_stopping.metadata` of the log. Inspect finds all of this by the
entry point of the package: the tasks, and the models `viva/CANDIDATE`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from inspect_ai import Task, task
from inspect_ai.viewer import ViewerConfig

from vivavoce.certificate.config import ClaimConfig, GradingConfig
from vivavoce.eqt.record import ConceptsConfig, EqtConfig
from vivavoce.plugins.inspect_plugin import certificate as certifying
from vivavoce.plugins.inspect_plugin import consistency as forecasting
from vivavoce.plugins.inspect_plugin import eqt as explaining
from vivavoce.plugins.inspect_plugin.provider import CandidateModel as CandidateModel
from vivavoce.plugins.inspect_plugin.provider import checked, plainly
from vivavoce.studies.forecasting.config import ForecastsConfig
from vivavoce.version import __version__

CLAIM, GRADING = ClaimConfig(), GradingConfig()
"""What `viva certify` does unless it is said."""
EQT = EqtConfig()
"""What `viva eqt` does unless it is said."""
FORECASTS = ForecastsConfig()
"""What `viva consistency forecasts ask` does unless it is said."""
PLAIN = ViewerConfig(trust_content=False)
"""What a candidate said is a stranger's text: the viewer shows it as it is, without links, pictures or colours."""


@task
def certificate(
    scope: str = "arithmetic",
    passing_grade: float = CLAIM.passing_grade,
    unacceptable_limit: float | str | None = CLAIM.unacceptable_limit,
    delta: float = CLAIM.delta,
    questions: int = 5_000,
    seed: int = 0,
    zero_is_unacceptable: bool = GRADING.zero_is_unacceptable,
    unreadable: str = GRADING.unreadable,
) -> Task:
    """Does the model understand a scope, with error at most delta? As `viva certify`; samples are asked up to the verdict.

    A sample is a question, asked by `generate()` unless another solver is given. The guarantee is as for `certify`: a verdict
    is given and is wrong with probability at most delta, whatever the order in which samples complete, wherever limits,
    errors or an interruption end them.

    Parameters
    ----------
    unacceptable_limit: `none`: not examined; `usual`: .01, and none where no answer can be unacceptable.
    questions: samples at most; Inspect is given all of them before the first is asked, so that there must be an end.
    seed: no record commits to one that is drawn, so that one is given.
    unreadable: `interval`, a reply that cannot be read may be worth anything, so that no verdict rests on it; or `wrong`.
    """
    with plainly():
        terms = checked(
            certifying.Terms,
            {
                "scope": scope, "passing_grade": passing_grade, "unacceptable_limit": unacceptable_limit, "delta": delta,
                "questions": questions, "seed": seed, "zero_is_unacceptable": zero_is_unacceptable,
                "unreadable": unreadable,
            },
        )  # fmt: skip
        return Task(
            dataset=certifying.samples(terms),
            scorer=certifying.graded(asdict(terms)),
            metrics=[certifying.certified(asdict(terms))],
            early_stopping=certifying.conclusion(terms),
            viewer=PLAIN,
            version=__version__,
        )


@task
def eqt(
    concepts: str | Sequence[str] = (),
    questions: int = EQT.questions,
    paraphrases: int = EQT.paraphrases,
    options: int = EQT.options,
    shuffle: bool = EQT.shuffle,
    checks: bool = EQT.checks,
    temperature: float | str | None = EQT.temperature,
    seed: int = EQT.seed,
) -> Task:
    """Can the model answer questions about what it has explained itself? As `viva eqt`.

    A sample is a concept with all that is asked on it, so that a limit of Inspect's bounds a concept. Concepts come in an order
    that the seed draws: `--limit N` takes a random sample of them. Inspect's model roles explainer, writer, paraphraser,
    answerer and checker take a part from the model.

    Parameters
    ----------
    concepts: categories and files (.txt, .json, .csv); none: all 280 that are built in.
    temperature: of answers and checks; `none`: the model's own.
    """
    with plainly():
        given = {"questions": questions, "paraphrases": paraphrases, "options": options, "shuffle": shuffle}
        config = checked(EqtConfig, given | {"checks": checks, "temperature": temperature, "seed": seed})
        wanted = checked(ConceptsConfig, {"concepts": (concepts,) if isinstance(concepts, str) else concepts})
        return Task(
            dataset=explaining.samples(wanted.concepts, config.seed),
            solver=explaining.explain_and_answer(asdict(config)),
            scorer=explaining.comprehended(),
            metrics=[explaining.comprehension()],
            early_stopping=explaining.conclusion(),
            viewer=PLAIN,
            version=__version__,
        )


@task
def consistency(
    tuples: str | None = None,
    variant: str = FORECASTS.variant,
    temperature: float | str | None = FORECASTS.temperature,
    repeats: int | None = FORECASTS.repeats,
    control: int = FORECASTS.control,
    seed: int = FORECASTS.seed,
    prompts: str = FORECASTS.prompts,
) -> Task:
    """How far are the model's forecasts from being coherent? As `viva consistency forecasts ask`.

    A sample is a tuple of questions with the law that binds them; its scores are the violation. Tuples come in an order that
    the seed draws: `--limit N` takes a random sample of them. A question in several tuples is asked for each
    of them, as samples know nothing of each other.

    Parameters
    ----------
    tuples: a file that `viva consistency forecasts make` writes; none: three tuples to try the task with.
    temperature: `none`: the model's own.
    repeats: replies to a question; none: 3 at temperature 0, else 6.
    control: this many tuples have a question forecast three times more, word for word.
    prompts: `own`, ours; or `printed`, those of Boxes 1 to 4 of `fluri2024`.
    """
    with plainly():
        given = {"variant": variant, "temperature": temperature, "repeats": repeats, "control": control}
        config = checked(ForecastsConfig, given | {"seed": seed, "prompts": prompts})
        return Task(
            dataset=forecasting.samples(tuples, config),
            solver=forecasting.forecast(asdict(config)),
            scorer=forecasting.lawful(),
            metrics=[forecasting.lawfulness()],
            early_stopping=forecasting.conclusion(tuples, config),
            viewer=PLAIN,
            version=__version__,
        )
