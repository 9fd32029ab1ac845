"""The task for Inspect: `inspect eval vivavoce/certificate`.

Inspect provides models, limits, retries, logs and the viewer; Vivavoce provides questions, scoring and findings. A sample's id
is its number in the drawn order. Inspect completes samples out of order, so the certificate takes their answers in drawn order
only. The finding's JSON is in `results.early_stopping.metadata` of the log. Inspect finds the task, and the models
`viva/CANDIDATE`, by the entry point of the package.
"""

from __future__ import annotations

from dataclasses import asdict

from inspect_ai import Task, task
from inspect_ai.viewer import ViewerConfig

from vivavoce.certificate.config import ClaimConfig, GradingConfig
from vivavoce.plugins.inspect_plugin import certificate as certifying
from vivavoce.plugins.inspect_plugin.provider import CandidateModel as CandidateModel
from vivavoce.plugins.inspect_plugin.provider import checked, plainly
from vivavoce.version import __version__

CLAIM, GRADING = ClaimConfig(), GradingConfig()
"""Defaults of `viva certify`."""
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
            early_stopping=certifying.Conclusion(terms),
            viewer=PLAIN,
            version=__version__,
        )
