"""The prompts that ask a language model whether a belief changes: in our words, and as printed in Appendix C of `vafa2024`.

Departure: the printed prompt first says that the first question was answered correctly, and then asks about "seeing it answered
Question 1 incorrectly". Here both places state what happened, as it is unknown which of the two was sent. The chat marks of
Llama-2 are left out, because each model has its own template.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from textwrap import indent
from typing import Final

from vivavoce.embeddings.embedding import plain_text
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors.predictor_settings import Layout, Prompts
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.interview.forms.judgements import Digit
from vivavoce.interview.requests import full_prompt


@cache
def system_text() -> str:
    """The printed system prompt: the text between <<SYS>> and <</SYS>>."""
    text = files("vivavoce.generalization.predictors").joinpath("printed.toml").read_text(encoding="utf-8")
    system: str = tomllib.loads(text)["system"]
    return system


def printed(pair: BeliefPair, first: str, second: str) -> str:
    """The rest of the printed prompt, with the two questions as they are shown.

    >>> shown = printed(BeliefPair("2 + 2?", "3 + 4?", "", "", previous_correct=False), "2 + 2?", "3 + 4?")
    >>> shown.count("incorrectly"), shown.count(" correctly")
    (2, 0)
    """
    graded = "correctly" if pair.previous_correct else "incorrectly"
    return (
        f"The large language model was asked the following question:\n\n<q1>\n{indent(first, '  ')}\n</q1>\n\n"
        f"It answered this question {graded}.\n\n"
        f"The large language model was then asked the following question:\n\n<q2>\n{indent(second, '  ')}\n</q2>\n\n"
        "Should you change your confidence in the large language model’s ability to answer Question 2 after seeing it answered "
        f"Question 1 {graded}?"
    )


LONGEST_SHOWN: Final = 4_000
"""Characters of a question in a prompt."""
SYSTEM: Final = (
    "People form beliefs about what AI models can do. Somebody has said how likely they think it that a model answers the "
    "second of two questions right. Then they are shown the first question, and whether the model's answer to it was right. "
    "Predict whether they now say anything else than before. Where two questions seem to have nothing to do with each other, "
    "most people stay with what they said."
)
FORM: Final = Digit({"1": "the belief changes", "0": "it stays as it was"})
"""A single digit, because the probabilities of the first token count if the server gives them."""


def predict_prompt(
    pair: BeliefPair,
    shots: Sequence[BeliefPair],
    *,
    layout: Layout = "turns",
    prompts: Prompts = "ours",
    first_tokens: int = 0,
    temperature: float | None = 1.0,
    max_tokens: int | None = None,
) -> Prompt:
    """The prompt about one belief; it does not contain the pair's label or its `pred`.

    first_tokens: above 0 to ask for log-probabilities. The form is then part of the text, whatever the interview's settings
        are: under a schema the first token is not a digit, and no follow-up is needed.
    shots: labelled pairs, shown as earlier turns of the conversation (`turns`) or written above the question (`text`), for
        models that handle earlier turns badly.
    prompts: our words or the printed ones. The printed words explain 0 and 1 themselves. If replies are sampled, the form is
        added below them nevertheless, as unparsed replies are left out.

    >>> shown = BeliefPair("2 + 2?", "3 + 4?", "sums", "sums", previous_correct=True, belief_change=True)
    >>> prompt = predict_prompt(BeliefPair("2 + 2?", "Who wrote Faust?", "sums", "books", previous_correct=False), [shown])
    >>> [exchange.replied for exchange in prompt.shown], prompt.text.splitlines()[-1]
    (['1'], 'Does the belief change (1) or not (0)?')
    """
    text = _described(pair, prompts)
    name = sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    if layout == "turns":
        turns: tuple[Exchange, ...] = tuple(Exchange(_described(shot, prompts), _label(shot)) for shot in shots)
    else:
        turns = ()
        examples = "\n\n".join(f"{_described(shot, prompts)}\n{_label(shot)}" for shot in shots)
        text = f"{examples}\n\n{text}".strip()
    prompt = Prompt(
        text,
        system=SYSTEM if prompts == "ours" else system_text(),
        id=name,
        temperature=temperature,
        max_tokens=max_tokens,
        shown=turns,
        first_tokens=first_tokens,
        form=FORM,
    )
    if not first_tokens:
        return prompt
    return replace(full_prompt(prompt) if prompts == "ours" else prompt, form=None)


def _described(pair: BeliefPair, prompts: Prompts) -> str:
    if prompts == "printed":
        return printed(pair, _shown(pair.q1), _shown(pair.q2))
    outcome = "correct" if pair.previous_correct else "wrong"
    return (
        f"First question:\n<<<\n{_shown(pair.q1)}\n>>>\nThe model's answer to it was {outcome}.\n\n"
        f"Second question:\n<<<\n{_shown(pair.q2)}\n>>>\n\nDoes the belief change (1) or not (0)?"
    )


def _shown(question: str) -> str:
    text = plain_text(question)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _label(pair: BeliefPair) -> str:
    return "1" if pair.changed else "0"
