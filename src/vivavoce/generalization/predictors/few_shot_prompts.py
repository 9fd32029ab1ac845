"""How a language model is asked whether a belief changes: the task, some examples, and the pair in question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from vivavoce.embeddings.embedding import plain_text
from vivavoce.generalization.pairs import Pair
from vivavoce.generalization.predictors import printed_prompts
from vivavoce.generalization.predictors.config import Layout, Prompts
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.interview.forms.judgements import Digit
from vivavoce.interview.requests import full_prompt

LONGEST_SHOWN: Final = 4_000
"""Characters of a question in a prompt."""
SYSTEM: Final = (
    "People form beliefs about what AI models can do. Somebody has said how likely they think it that a model answers the "
    "second of two questions right. Then they are shown the first question, and whether the model's answer to it was right. "
    "Predict whether they now say anything else than before. Where two questions seem to have nothing to do with each other, "
    "most people stay with what they said."
)
FORM: Final = Digit({"1": "the belief changes", "0": "it stays as it was"})
"""A digit and nothing else, since its first token's chances count where the server tells them."""


def predict_prompt(
    pair: Pair,
    shots: Sequence[Pair],
    *,
    layout: Layout = "turns",
    prompts: Prompts = "ours",
    first_tokens: int = 0,
    temperature: float | None = 1.0,
    max_tokens: int | None = None,
) -> Prompt:
    """The question whether this belief changes; neither the pair's label nor its `pred` is in it.

    Parameters
    ----------
    first_tokens: more than 0 for log-probabilities: then the form stands in the text already, whatever way of asking the
        interview has, as the first token of a reply under a schema is no digit, and what was not said needs no further turn.
    shots: labelled pairs; earlier turns of the conversation (`turns`), or written out above the question (`text`), for models
        that take no earlier turns well.
    prompts: in whose words. Printed ones say themselves what 0 and 1 stand for; only where replies are sampled does the form
        stand below them all the same, as what cannot be read is left out.

    >>> shown = Pair("2 + 2?", "3 + 4?", "sums", "sums", previous_correct=True, belief_change=True)
    >>> prompt = predict_prompt(Pair("2 + 2?", "Who wrote Faust?", "sums", "books", previous_correct=False), [shown])
    >>> [said.replied for said in prompt.shown], prompt.text.splitlines()[-1]
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
        system=SYSTEM if prompts == "ours" else printed_prompts.system_text(),
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


def _described(pair: Pair, prompts: Prompts) -> str:
    if prompts == "printed":
        return printed_prompts.printed(pair, _shown(pair.q1), _shown(pair.q2))
    outcome = "correct" if pair.previous_correct else "wrong"
    return (
        f"First question:\n<<<\n{_shown(pair.q1)}\n>>>\nThe model's answer to it was {outcome}.\n\n"
        f"Second question:\n<<<\n{_shown(pair.q2)}\n>>>\n\nDoes the belief change (1) or not (0)?"
    )


def _shown(question: str) -> str:
    text = plain_text(question)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def _label(pair: Pair) -> str:
    return "1" if pair.changed else "0"
