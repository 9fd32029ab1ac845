"""The predictor `few-shot`: a language model that sees examples and is asked about each pair (log-probabilities or samples).

The prompts that ask a language model whether a belief changes: in our words, and as printed in Appendix C of `vafa2024`.

Departure: the printed prompt first says that the first question was answered correctly, and then asks about "seeing it answered
Question 1 incorrectly". Here both places state what happened, as it is unknown which of the two was sent. The chat marks of
Llama-2 are left out, because each model has its own template.
"""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from math import exp, fsum
from pathlib import Path
from textwrap import indent
from typing import Any, Final, Literal
from urllib.parse import parse_qsl

import numpy as np
from pydantic import TypeAdapter, ValidationError

from vivavoce.embeddings.embedding import plain_text, read_json, write_json
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.generalization.pairs import NEEDED, BeliefPair, Floats, labelled
from vivavoce.generalization.predictors.base import EDGE, FewShotConfig, Layout, Prompts
from vivavoce.interview.budget import Limit
from vivavoce.interview.candidate import Exchange, NoAnswer, Prompt, Reply
from vivavoce.interview.forms.judgements import Digit
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
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


def read_weights(reply: Reply) -> float | None:
    """The chance of a 1, exact except for tokens that the server does not list; None if neither digit is listed.

    Blanks and marks around a digit do not matter (` 1`, `1.`). If only one digit is listed, the other one has at most the
    weight of the least likely alternative and at most the rest of the total; it gets the smaller of the two.

    >>> from math import log
    >>> round(read_weights(Reply("1", first_token=(("1", log(0.5)), (" 1", log(0.1)), ("0", log(0.2)), ("No", log(0.1))))), 3)
    0.75
    >>> round(read_weights(Reply("1", first_token=(("1", log(0.9)), ("Yes", log(0.06))))), 3)  # 0.9 / (0.9 + 0.04)
    0.957
    """
    mass = {"0": 0.0, "1": 0.0}
    for token, logarithm in reply.first_token:
        digit = FORM.of_token(token)
        if digit is not None:
            mass[digit] += exp(logarithm)
    if not any(mass.values()):
        return None
    weights = [exp(logarithm) for _, logarithm in reply.first_token]
    unlisted = min(min(weights), max(0.0, 1 - fsum(weights)))
    zero, value = (mass[digit] or unlisted for digit in "01")
    return min(max(value / (zero + value), EDGE), 1 - EDGE)


def smoothed(ones: int, read: int) -> float:
    """The chance after this many samples of 1 among parsed ones, by Laplace's rule: never 0 or 1.

    >>> smoothed(5, 5), smoothed(0, 0)
    (0.8571428571428571, 0.5)
    """
    return (ones + 1) / (read + 2)


FILE: Final = "few_shot.json"
PROBES: Final = 3
"""Pairs that test whether the server gives log-probabilities."""
FIRST_TOKENS: Final = 10
"""Requested alternatives of the first token; some servers refuse more than 20, few refuse 10."""
TOPIC: Final = "generalization/few-shot"

PromptReply = tuple[Prompt, Reply | NoAnswer]
Interviewer = Callable[[], AbstractAsyncContextManager[Interview[Prompt, Reply]]]


@dataclass(frozen=True, slots=True)
class FewShotPredictions:
    """The predictions of a language model, and how they were obtained."""

    chances: Floats
    """One per pair; the base rate of the examples for a pair without a parsed reply."""
    way: Literal["exact", "sampling"]
    read: int
    """Pairs with a prediction by the model."""
    replies: int
    """Number of replies, recorded ones included, without those that only tested for log-probabilities."""
    unreadable: int
    """Replies other than 0 and 1."""
    unanswered: int
    """Missing replies."""
    absence: str = ""
    """The transport's reason for the first missing reply."""
    refusal: str = ""
    """Why log-probabilities were not available, if they were requested."""
    exhausted: Limit = ""
    """The limit of the budget that ran out; empty if none did."""

    @property
    def notes(self) -> tuple[str, ...]:
        """How the predictions were obtained, a sentence each."""
        without = len(self.chances) - self.read
        sentences = {
            f"Predicted by the log-probabilities of 0 and 1: {self.replies} replies.": self.way == "exact",
            f"Predicted by sampling: {self.replies} replies in total.": self.way == "sampling",
            f"Log-probabilities were not available: {self.refusal}.": bool(self.refusal),
            f"{self.unreadable} replies were neither 0 nor 1.": bool(self.unreadable),
            f"{self.unanswered} replies are missing: {self.absence}.": bool(self.unanswered),
            f"The budget of {self.exhausted} ran out.": bool(self.exhausted),
            f"{without} of {len(self.chances)} pairs have the base rate of the examples instead of a prediction.": bool(
                without
            ),
        }
        return tuple(sentence for sentence, applies in sentences.items() if applies)


@dataclass(frozen=True, slots=True)
class FewShotPredictor:
    """A language model with the examples that it is shown.

    Departures from `vafa2024`: the prompt has our words unless the printed ones are selected, examples are drawn by
    a seed and are the same for every pair, and samples are smoothed by Laplace's rule, because a wrong mean of 0 or 1 has an
    infinite loss.
    """

    config: FewShotConfig
    shots: tuple[BeliefPair, ...]
    base_rate: float
    """Share of changed beliefs among all pairs that it was fitted to, smoothed by one pair at 1/2."""
    interviewer: Interviewer | None = field(default=None, compare=False)
    """Opens an interview of the candidate for `predict`, and closes it."""

    def predict(self, pairs: Sequence[BeliefPair]) -> Floats:
        """Ask about each pair, in a new event loop; within a running loop, await `ask`.

        Raises `BadInput` without an `interviewer`, and the errors of `ask`.
        """
        if self.interviewer is None:
            raise BadInput(
                f"few-shot prompts ask {self.config.candidate[:200]}: give 'interviewer', or await 'ask' with an interview"
            )
        make = self.interviewer

        async def predictions() -> FewShotPredictions:
            async with make() as interview:
                return await self.ask(interview, pairs)

        return asyncio.run(predictions()).chances

    async def ask(self, interview: Interview[Prompt, Reply], pairs: Sequence[BeliefPair]) -> FewShotPredictions:
        """Ask the model about each pair.

        With `auto`, the first pairs request log-probabilities; if no reply has any, all pairs are sampled. One prompt without
        them goes first, as an interview counts a candidate that has never answered as unreachable. Recorded replies are not
        requested again, so a stopped run can continue.

        Raises the errors of the interview; earlier replies are on record.
        """
        probed: list[PromptReply] = []
        refusal = ""
        if self.config.way == "auto":
            await _answers(interview, islice(self._prompts(pairs, exact=False), 1))
            probed = await _answers(interview, map(self._exactly, pairs[:PROBES]))
            refusal = _refusal(probed)
            if refusal and "first_tokens" in str(interview.settings.get("left_out", "")):
                refusal = "the server refuses requests for them"
        exact = self.config.way == "exact" or (self.config.way == "auto" and not refusal)
        answers = probed if exact else []
        if not interview.exhausted:
            answers += await _answers(interview, self._prompts(pairs[len(answers) :], exact=exact))
        tally, times = _Tally(self.base_rate), 1 if exact else self.config.samples
        for start in range(0, len(answers), times):
            tally.add(answers[start : start + times], exact=exact)
        return tally.predictions("exact" if exact else "sampling", len(pairs), refusal, interview.exhausted)

    def save(self, folder: Path) -> None:
        """Write examples, candidate and settings as JSON; replies are in the transcript.

        Raises `BadInput` for a candidate that a folder must not name: a Python function, or one that names a key's variable.
        """
        _check_saved_name(self.config.candidate)
        shots = [{name: getattr(shot, name) for name in _SHOT} | {"belief_change": shot.changed} for shot in self.shots]
        set_up = {name: getattr(self.config, name) for name in _SET_UP}
        values = {"candidate": self.config.candidate, "base_rate": self.base_rate, "shots": shots}
        write_json(folder / FILE, values | {"set_up": set_up})

    def _prompts(self, pairs: Sequence[BeliefPair], *, exact: bool) -> Iterator[Prompt]:
        # ask about equal pairs separately, as each is a separate draw
        for pair in pairs:
            if exact:
                yield self._exactly(pair)
                continue
            prompt = predict_prompt(pair, self.shots, **self._words)
            for _ in range(self.config.samples):
                yield prompt

    @property
    def _words(self) -> dict[str, Any]:
        return {"layout": self.config.layout, "prompts": self.config.prompts}

    def _exactly(self, pair: BeliefPair) -> Prompt:
        return predict_prompt(pair, self.shots, **self._words, first_tokens=FIRST_TOKENS, max_tokens=1)


def fit(
    pairs: Sequence[BeliefPair], *, teachers: Sequence[BeliefPair] = (), rng: np.random.Generator, config: FewShotConfig
) -> FewShotPredictor:
    """Draw the examples without asking the model. Teachers are ignored, as examples have labels of people.

    Examples are stratified, so that the share of changes among them is as close as possible to the share among all pairs.

    Raises `NotEnoughEvidence` for fewer labelled pairs than `shots`, and `BadInput` without a candidate.
    """
    if not config.candidate:
        raise BadInput("no language model is named: give it with --candidate")
    known, shots = labelled(pairs), config.shots
    if len(known) < max(shots, 1):
        raise NotEnoughEvidence(f"{len(known)} labelled pairs: {shots} examples and a base rate need at least {max(shots, 1)}")
    changed, stayed = [pair for pair in known if pair.changed], [pair for pair in known if not pair.changed]
    weights = np.array([pair.weight for pair in known])
    total = float(weights.sum())
    share = float(weights @ [bool(pair.changed) for pair in known]) / total if total else len(changed) / len(known)
    ones = min(max(round(shots * share), shots - len(stayed)), len(changed))
    chosen = [changed[i] for i in rng.permutation(len(changed))[:ones]]
    chosen += [stayed[i] for i in rng.permutation(len(stayed))[: shots - ones]]
    drawn = tuple(chosen[i] for i in rng.permutation(len(chosen)))
    base_rate = (share * len(known) + 0.5) / (len(known) + 1)
    return FewShotPredictor(config, drawn, base_rate)


def load(folder: Path) -> FewShotPredictor:
    """Open a saved predictor. Raises `BadFile`."""
    file = folder / FILE
    saved = read_json(file)
    try:
        shots = tuple(TypeAdapter(list[BeliefPair]).validate_python(saved["shots"]))
        config, base_rate = FewShotConfig(saved["candidate"], len(shots), **saved["set_up"]), float(saved["base_rate"])
    except (KeyError, TypeError, ValueError, ValidationError, BadInput) as error:
        raise BadFile(file, f"not a few-shot predictor ({str(error).splitlines()[0][:100]}): fit it again") from None
    if not 0 < base_rate < 1:
        raise BadFile(file, f"its base rate is {base_rate}, not between 0 and 1: fit it again")
    try:
        _check_saved_name(config.candidate)
    except BadInput as error:
        raise BadFile(file, str(error)) from None
    return FewShotPredictor(config, shots, base_rate)


def _check_saved_name(candidate: str) -> None:
    """Reject a candidate that would run code or send a secret, as the folder may be untrusted."""
    kind, _, rest = candidate.strip().partition(":")
    options = {name.strip() for name, _ in parse_qsl(rest.partition("?")[2], keep_blank_values=True)}
    if kind == "function" or "key" in options:
        raise BadInput(
            f"a predictor's folder may not name '{candidate[:80]}': opening it would run code or send a secret. Serve the "
            "model, and name it as chat:MODEL@URL with the key in $VIVA_API_KEY"
        )


_SHOT: Final = (*NEEDED, "previous_correct")
_SET_UP: Final = ("way", "samples", "layout", "prompts")


async def _answers(interview: Interview[Prompt, Reply], prompts: Iterable[Prompt]) -> list[PromptReply]:
    return [reply async for reply in interview.ask_in_order(prompts, topic=TOPIC, all_wanted=True)]


def _refusal(probed: Sequence[PromptReply]) -> str:
    """Why no log-probabilities are available; empty if there are some, or if nothing was asked."""
    if any(isinstance(answer, Reply) and answer.first_token for _, answer in probed):
        return ""
    reasons = (answer.reason if isinstance(answer, NoAnswer) else "the server does not give them" for _, answer in probed)
    return next(reasons, "")


class _Tally:
    def __init__(self, base_rate: float) -> None:
        self._base_rate = base_rate
        self._chances: list[float] = []
        self._read = self._replies = self._unreadable = self._unanswered = 0
        self._absence = ""

    def add(self, replies: Sequence[PromptReply], *, exact: bool) -> None:
        """Add the replies about one pair."""
        self._replies += len(replies)
        absent = [answer for _, answer in replies if isinstance(answer, NoAnswer)]
        self._unanswered += len(absent)
        self._absence = self._absence or (absent[0].reason if absent else "")
        if exact:
            answer = replies[0][1]
            chance = read_weights(answer) if isinstance(answer, Reply) else None
            legible = int(chance is not None)
        else:
            digits = [reading.value for reading in (read(*reply) for reply in replies) if reading.value is not None]
            chance, legible = smoothed(digits.count("1"), len(digits)) if digits else None, len(digits)
        self._unreadable += len(replies) - len(absent) - legible
        self._read += chance is not None
        self._chances.append(self._base_rate if chance is None else chance)

    def predictions(
        self, method: Literal["exact", "sampling"], pairs: int, refusal: str, exhausted: Limit
    ) -> FewShotPredictions:
        """All predictions; pairs that were not reached have the base rate."""
        chances = np.full(pairs, self._base_rate)
        chances[: len(self._chances)] = self._chances
        return FewShotPredictions(
            chances, method, self._read, self._replies, self._unreadable, self._unanswered, self._absence, refusal, exhausted
        )
