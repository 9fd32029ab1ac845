"""Vivavoce's tests as Inspect tasks: `inspect eval vivavoce/certificate`, `vivavoce/eqt` and `vivavoce/consistency`.

Models, limits, retries, logs and the viewer are Inspect's; questions, scoring and findings are Vivavoce's. A sample's id is its
number in drawn order. Inspect completes samples out of order, so the certificate takes their answers in drawn order only; the
finding's JSON is in `results.early_stopping.metadata` of the log. Inspect finds the tasks, and the models `viva/CANDIDATE`, by
the package's entry point.
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
"""Defaults of `viva certify`."""
EQT = EqtConfig()
"""Defaults of `viva eqt`."""
FORECASTS = ForecastsConfig()
"""Defaults of `viva consistency forecasts ask`."""
PLAIN = ViewerConfig(trust_content=False)
"""Untrusted text of a candidate: the viewer shows it unchanged, without links, pictures or colours."""


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
    """Test whether the model understands a scope, with error at most delta, like `viva certify`; samples are asked up to the
    verdict.

    A sample is a question, asked by `generate()` unless another solver is given. The guarantee is that of `certify`: a verdict
    is given and is wrong with probability at most delta, in whatever order samples complete, and wherever limits, errors or an
    interruption end them.

    Parameters
    ----------
    unacceptable_limit: `none`: not tested; `usual`: .01, and none if no answer can be unacceptable.
    questions: most samples; a limit is needed, because Inspect gets all of them before the first is asked.
    seed: must be given, because no record could commit to a drawn one.
    unreadable: `interval`: an unparsed reply may be worth anything, so no verdict rests on it; or `wrong`.
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
    """Test whether the model can answer questions about its own explanations, like `viva eqt`. A sample is a concept with all
    its questions, so Inspect's limits apply per concept. The seed draws the order of concepts, so `--limit N` takes a random
    sample. Inspect's model roles explainer, writer, paraphraser, answerer and checker can replace the model.

    Parameters
    ----------
    concepts: categories and files (.txt, .json, .csv); none: all 280 built-in ones.
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
    """Measure how far the model's forecasts are from coherent, like `viva consistency forecasts ask`. A sample is a tuple of
    questions with its law; its scores are the violation. The seed draws the order of tuples, so `--limit N` takes a random
    sample. A question in several tuples is asked for each of them, because samples are independent.

    Parameters
    ----------
    tuples: a file from `viva consistency forecasts make`; none: three tuples to try the task with.
    temperature: `none`: the model's own.
    repeats: replies to a question; none: 3 at temperature 0, else 6.
    control: in this many tuples, a question is asked three more times, word for word.
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
