"""Tasks for Inspect: `inspect eval vivavoce/certificate`, `vivavoce/eqt` and `vivavoce/consistency`.

Inspect provides models, limits, retries, logs and the viewer; Vivavoce provides questions, scoring and findings. A sample's id
is its number in the drawn order. Inspect completes samples out of order, so the certificate takes their answers in drawn order
only. The finding's JSON is in `results.early_stopping.metadata` of the log. Inspect finds the tasks, and the models
`viva/CANDIDATE`, by the entry point of the package.
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
from vivavoce.studies.config import ForecastsConfig
from vivavoce.version import __version__

CLAIM, GRADING = ClaimConfig(), GradingConfig()
"""Defaults of `viva certify`."""
EQT = EqtConfig()
"""Defaults of `viva eqt`."""
FORECASTS = ForecastsConfig()
"""Defaults of `viva consistency forecasts ask`."""
PLAIN = ViewerConfig(trust_content=False)
"""Candidates' replies are untrusted text: the viewer shows them without links, pictures or colours."""


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
    """Certify a model on a scope, with error at most delta, as `viva certify` does; sampling stops at the verdict.

    A sample is a question, asked by `generate()` unless you give another solver. The guarantee is as for `certify`: the
    probability that it gives a verdict and that this verdict is wrong is at most delta, in whatever order samples complete, and
    at whatever point limits, errors or an interruption end them.

    Parameters
    ----------
    unacceptable_limit: `none`: not examined; `usual`: .01, or none if no answer can be unacceptable.
    questions: the most samples; a limit is needed, since Inspect gets all of them before the first is asked.
    seed: you must give one, since no record commits to a drawn one.
    unreadable: `interval`: an unparsed reply may be worth anything, so no verdict rests on it; or `wrong`.
    """
    with plainly():
        terms = checked(
            certifying.CertificateTerms,
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
    """Test whether a model can answer questions about its own explanations, as `viva eqt` does.

    A sample is a concept with all its questions, so Inspect's limits apply to a concept. The seed draws the order of concepts:
    `--limit N` takes a random sample of them. Inspect's model roles explainer, writer, paraphraser, answerer and checker each
    assign one part to another model.

    Parameters
    ----------
    concepts: categories and files (.txt, .json, .csv); none: all 280 built-in concepts.
    temperature: for answers and checks; `none`: the model's default.
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
    """Measure how consistent a model's forecasts are, as `viva consistency forecasts ask` does.

    A sample is a tuple of questions with the law that binds them; its scores measure the violation. The seed draws the order of
    tuples: `--limit N` takes a random sample of them. A question in several tuples is asked once for each, since samples are
    independent of each other.

    Parameters
    ----------
    tuples: a file that `viva consistency forecasts make` writes; none: three example tuples.
    temperature: `none`: the model's default.
    repeats: replies for each question; none: 3 at temperature 0, else 6.
    control: for this many tuples, a question is asked three more times, word for word.
    prompts: `own`: ours; `printed`: those of Boxes 1 to 4 of `fluri2024`.
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
