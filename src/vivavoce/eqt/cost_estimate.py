"""What an examination will take, told before the first call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from vivavoce.eqt.config import EqtConfig
from vivavoce.eqt.questions import Role

# Tokens of typical replies and prompts, rounded up from pages of text: an explanation fills a page and a half, a question with
# its options a paragraph. They are guesses to decide by, not limits; real use is told while the examination runs.
EXPLANATION: Final = 1_200
QUESTION: Final = 200
WORDING: Final = 60
ANSWER: Final = 30
FRAME: Final = 150
"""Of the instructions around every prompt."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one role will be asked, about."""

    calls: int
    tokens_in: int
    tokens_out: int


def cost_estimate(concepts: int, config: EqtConfig, *, visitors: int = 0, sources: int = 0) -> dict[Role, Share]:
    """Calls and about how many tokens each role will take, if nothing fails; `sources`: concepts that have one.

    >>> found = cost_estimate(1, EqtConfig(questions=5, paraphrases=3, checks=False))
    >>> {role: share.calls for role, share in found.items()}
    {'explainer': 1, 'writer': 5, 'paraphraser': 15, 'answerer': 25, 'checker': 0}
    """
    questions = concepts * config.questions
    wordings = questions * config.paraphrases
    grounded = sources * config.questions
    closed, opened = questions * (1 + config.paraphrases + visitors), questions + grounded
    # The key with the explanation at hand, whether the question stands by itself, and each wording against the original.
    keys, alone, meanings = (questions, questions, wordings) if config.checks else (0, 0, 0)
    keys += grounded
    return {
        "explainer": _share(concepts, FRAME, EXPLANATION),
        "writer": _share(questions, FRAME + EXPLANATION, QUESTION),
        "paraphraser": _share(wordings, FRAME + WORDING, WORDING),
        "answerer": Share(
            closed + opened,
            (closed + opened) * (FRAME + QUESTION) + opened * EXPLANATION,
            (closed + opened) * ANSWER,
        ),
        "checker": Share(
            keys + alone + meanings,
            (keys + alone + meanings) * (FRAME + QUESTION) + keys * EXPLANATION,
            (keys + alone + meanings) * ANSWER,
        ),
    }


def calls_ahead(concepts: int, config: EqtConfig, *, visitors: int = 0) -> int:
    """How many questions an examination puts, if every explanation and every question comes: there will be no more.

    With q questions and k paraphrases a concept takes 1 + q + q k + q (1 + k) calls, q more with the explanation at hand, and
    2 q + q k checks: key and self-containment of each question, and the meaning of each paraphrase.

    >>> calls_ahead(1, EqtConfig(questions=5, paraphrases=3, checks=False)) == 1 + 5 + 5 * 3 + 5 * (1 + 3) + 5
    True
    >>> calls_ahead(280, EqtConfig()), calls_ahead(1, EqtConfig(), visitors=2)
    (19880, 81)
    """
    return sum(share.calls for share in cost_estimate(concepts, config, visitors=visitors).values())


def _share(calls: int, tokens_in: int, tokens_out: int) -> Share:
    return Share(calls, calls * tokens_in, calls * tokens_out)
