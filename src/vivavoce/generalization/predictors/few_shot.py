"""A language model that is shown some examples, and asked about each pair: exactly where its server tells log-probabilities."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from itertools import islice
from math import exp, fsum
from pathlib import Path
from typing import Any, Final, Literal
from urllib.parse import parse_qsl

import numpy as np
from pydantic import TypeAdapter, ValidationError

from vivavoce.embeddings.files import read_json, write_json
from vivavoce.errors import BadFile, BadInput, NotEnoughEvidence
from vivavoce.generalization.pairs import NEEDED, Floats, Pair, labelled
from vivavoce.generalization.predictors.base import EDGE
from vivavoce.generalization.predictors.prompts import FORM, predict_prompt
from vivavoce.generalization.predictors.registry import FewShotConfig
from vivavoce.interview.budget import Limit
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read


def read_weights(reply: Reply) -> float | None:
    """The chance of a 1, exact up to what the server does not list; None where neither digit is listed.

    Tokens count as a digit with blanks and marks around it (` 1`, `1.`). Where one digit is listed alone, the other has at most
    the weight of the least likely alternative, and at most what is left; it is given the smaller of both.

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
    zero, one = (mass[digit] or unlisted for digit in "01")
    return min(max(one / (zero + one), EDGE), 1 - EDGE)


def smoothed(ones: int, read: int) -> float:
    """The chance after this many samples of 1 among those that could be read, by Laplace's rule: never 0 or 1.

    >>> smoothed(5, 5), smoothed(0, 0)
    (0.8571428571428571, 0.5)
    """
    return (ones + 1) / (read + 2)


FILE: Final = "few_shot.json"
PROBES: Final = 3
"""Pairs by which it is found out whether the server tells log-probabilities."""
FIRST_TOKENS: Final = 10
"""Alternatives of the first token that are asked for; some servers refuse more than 20, few refuse 10."""
TOPIC: Final = "generalization/few-shot"

PromptReply = tuple[Prompt, Reply | NoAnswer]
Interviewer = Callable[[], AbstractAsyncContextManager[Interview[Prompt, Reply]]]


@dataclass(frozen=True, slots=True)
class FewShotPredictions:
    """What a language model predicted."""

    chances: Floats
    """One a pair, the base rate of the examples where nothing could be read."""
    way: Literal["exact", "sampling"]
    read: int
    """Pairs with a prediction of the model's own."""
    replies: int
    """All in all, those on record among them; not those that were only to find out the way."""
    unreadable: int
    """Replies that are neither 0 nor 1."""
    unanswered: int
    """Replies that did not come."""
    absence: str = ""
    """Why the first of them did not, in the words of the transport."""
    refusal: str = ""
    """Why it was not asked exactly, where that was tried; empty else."""
    exhausted: Limit = ""
    """Which limit of the budget ran out; empty where none did."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to say about it, each in a sentence."""
        fallen = len(self.chances) - self.read
        told = {
            f"Asked exactly, by the log-probabilities of 0 and 1: {self.replies} replies.": self.way == "exact",
            f"Asked by sampling: {self.replies} replies in all.": self.way == "sampling",
            f"Log-probabilities were not available: {self.refusal}.": bool(self.refusal),
            f"{self.unreadable} replies were neither 0 nor 1.": bool(self.unreadable),
            f"{self.unanswered} replies did not come: {self.absence}.": bool(self.unanswered),
            f"The budget of {self.exhausted} ran out.": bool(self.exhausted),
            f"{fallen} of {len(self.chances)} pairs have the base rate of the examples instead of a prediction.": bool(fallen),
        }
        return tuple(sentence for sentence, applies in told.items() if applies)


@dataclass(frozen=True, slots=True)
class FewShotPredictor:
    """Examples, and the model that is shown them.

    Departures from `vafa2024`: the prompt is worded in our own way unless its own is wished (`prompts`), examples are drawn by
    a seed and are the same for every pair, and samples are smoothed by Laplace's rule, since a mean of 0 or 1 has no finite
    likelihood if it errs.
    """

    config: FewShotConfig
    shots: tuple[Pair, ...]
    base_rate: float
    """Share of changed beliefs among all pairs it was fitted on, smoothed by one pair at 1/2."""
    interviewer: Interviewer | None = field(default=None, compare=False)
    """Opens an interview of the candidate, for `predict`, and closes what it has opened."""

    def predict(self, pairs: Sequence[Pair]) -> Floats:
        """Ask about each pair, in an event loop of its own; within a running loop, await `ask`.

        Raises `BadInput` where there is no `interviewer`, and what `ask` raises.
        """
        if self.interviewer is None:
            raise BadInput(
                f"few-shot prompts ask {self.config.candidate[:200]}: give 'interviewer', or await 'ask' with an interview"
            )
        make = self.interviewer

        async def asked() -> FewShotPredictions:
            async with make() as interview:
                return await self.ask(interview, pairs)

        return asyncio.run(asked()).chances

    async def ask(self, interview: Interview[Prompt, Reply], pairs: Sequence[Pair]) -> FewShotPredictions:
        """What does this model predict?

        With `auto`, the first pairs are asked for log-probabilities; if none of them has any, all are sampled. One question
        goes before without them: to an interview, a candidate that has never answered is out of reach, whatever it refuses.
        What is on record is not asked again, so that a run that was stopped goes on where it was.

        Raises what the interview raises; what was answered before is on record.
        """
        probed: list[PromptReply] = []
        refusal = ""
        if self.config.way == "auto":
            await _answers(interview, islice(self._prompts(pairs, exact=False), 1))
            probed = await _answers(interview, map(self._exactly, pairs[:PROBES]))
            refusal = _refusal(probed)
            if refusal and "first_tokens" in str(interview.settings.get("left_out", "")):
                refusal = "the server refuses to be asked for them"
        exact = self.config.way == "exact" or (self.config.way == "auto" and not refusal)
        answers = probed if exact else []
        if not interview.exhausted:
            answers += await _answers(interview, self._prompts(pairs[len(answers) :], exact=exact))
        tally, times = _Tally(self.base_rate), 1 if exact else self.config.samples
        for start in range(0, len(answers), times):
            tally.add(answers[start : start + times], exact=exact)
        return tally.told("exact" if exact else "sampling", len(pairs), refusal, interview.exhausted)

    def save(self, folder: Path) -> None:
        """Write examples, candidate and how it is asked as JSON; what was answered is in the transcript of who asked.

        Raises `BadInput` for a candidate that no folder may name: a Python function, or one whose key's variable is named.
        """
        _check_kept(self.config.candidate)
        shots = [{name: getattr(shot, name) for name in _SHOT} | {"belief_change": shot.changed} for shot in self.shots]
        set_up = {name: getattr(self.config, name) for name in _SET_UP}
        kept = {"candidate": self.config.candidate, "base_rate": self.base_rate, "shots": shots}
        write_json(folder / FILE, kept | {"set_up": set_up})

    def _prompts(self, pairs: Sequence[Pair], *, exact: bool) -> Iterator[Prompt]:
        # Equal pairs are asked again: each is a draw of its own.
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

    def _exactly(self, pair: Pair) -> Prompt:
        return predict_prompt(pair, self.shots, **self._words, first_tokens=FIRST_TOKENS, max_tokens=1)


def fit(
    pairs: Sequence[Pair],
    *,
    teachers: Sequence[Pair] = (),
    rng: np.random.Generator,
    config: FewShotConfig,
) -> FewShotPredictor:
    """Draw the examples; nothing is asked yet. Teachers are not needed: examples have labels of people.

    The examples are drawn by stratum, so that the share of changes among them is that of all pairs as nearly as can be.

    Raises `NotEnoughEvidence` for fewer labelled pairs than `shots`, and `BadInput` where no candidate is named.
    """
    if not config.candidate:
        raise BadInput("few-shot prompts ask a language model: name it with --candidate")
    told, shots = labelled(pairs), config.shots
    if len(told) < max(shots, 1):
        raise NotEnoughEvidence(f"{len(told)} labelled pairs; {shots} examples and a base rate need at least {max(shots, 1)}")
    changed, stayed = [pair for pair in told if pair.changed], [pair for pair in told if not pair.changed]
    weights = np.array([pair.weight for pair in told])
    total = float(weights.sum())
    share = float(weights @ [bool(pair.changed) for pair in told]) / total if total else len(changed) / len(told)
    ones = min(max(round(shots * share), shots - len(stayed)), len(changed))
    chosen = [changed[i] for i in rng.permutation(len(changed))[:ones]]
    chosen += [stayed[i] for i in rng.permutation(len(stayed))[: shots - ones]]
    drawn = tuple(chosen[i] for i in rng.permutation(len(chosen)))
    base_rate = (share * len(told) + 0.5) / (len(told) + 1)
    return FewShotPredictor(config, drawn, base_rate)


def load(folder: Path) -> FewShotPredictor:
    """What was saved there; raises `BadFile`."""
    file = folder / FILE
    kept = read_json(file)
    try:
        shots = tuple(TypeAdapter(list[Pair]).validate_python(kept["shots"]))
        config, base_rate = FewShotConfig(kept["candidate"], len(shots), **kept["set_up"]), float(kept["base_rate"])
    except (KeyError, TypeError, ValueError, ValidationError, BadInput) as error:
        raise BadFile(file, f"not a few-shot predictor ({str(error).splitlines()[0][:100]}): fit it again") from None
    if not 0 < base_rate < 1:
        raise BadFile(file, "its base rate cannot be: fit it again")
    try:
        _check_kept(config.candidate)
    except BadInput as error:
        raise BadFile(file, str(error)) from None
    return FewShotPredictor(config, shots, base_rate)


def _check_kept(candidate: str) -> None:
    """A folder may be a stranger's: what it names must neither run code nor choose which secret is sent to whom."""
    kind, _, rest = candidate.strip().partition(":")
    named = {name.strip() for name, _ in parse_qsl(rest.partition("?")[2], keep_blank_values=True)}
    if kind == "function" or "key" in named:
        raise BadInput(
            f"a predictor's folder may not name '{candidate[:80]}', which would run code, or send a secret, wherever it is "
            "opened: serve the model, and name it as chat:MODEL@URL with the key in $VIVA_API_KEY"
        )


_SHOT: Final = (*NEEDED, "previous_correct")
_SET_UP: Final = ("way", "samples", "layout", "prompts")


async def _answers(interview: Interview[Prompt, Reply], prompts: Iterable[Prompt]) -> list[PromptReply]:
    """Each prompt with what was said to it, in their order; fewer where the budget runs out."""
    async with aclosing(interview.ask_in_order(prompts, topic=TOPIC, all_wanted=True)) as answers:
        return [said async for said in answers]


def _refusal(probed: Sequence[PromptReply]) -> str:
    """Why no log-probabilities are available; empty where there are some, or nothing was asked."""
    if any(isinstance(answer, Reply) and answer.first_token for _, answer in probed):
        return ""
    reasons = (answer.reason if isinstance(answer, NoAnswer) else "the server does not tell them" for _, answer in probed)
    return next(reasons, "")


class _Tally:
    """Chances and outcomes so far."""

    def __init__(self, base_rate: float) -> None:
        self._base_rate = base_rate
        self._chances: list[float] = []
        self._read = self._replies = self._unreadable = self._unanswered = 0
        self._absence = ""

    def add(self, said: Sequence[PromptReply], *, exact: bool) -> None:
        """What was said to one pair."""
        self._replies += len(said)
        absent = [answer for _, answer in said if isinstance(answer, NoAnswer)]
        self._unanswered += len(absent)
        self._absence = self._absence or (absent[0].reason if absent else "")
        chance, legible = _of_weights(said[0][1]) if exact else _of_samples(said)
        self._unreadable += len(said) - len(absent) - legible
        self._read += chance is not None
        self._chances.append(self._base_rate if chance is None else chance)

    def told(self, way: Literal["exact", "sampling"], pairs: int, refusal: str, exhausted: Limit) -> FewShotPredictions:
        """All of it; pairs that were not asked have the base rate."""
        chances = np.full(pairs, self._base_rate)
        chances[: len(self._chances)] = self._chances
        return FewShotPredictions(
            chances, way, self._read, self._replies, self._unreadable, self._unanswered, self._absence, refusal, exhausted
        )


def _of_weights(answer: Reply | NoAnswer) -> tuple[float | None, int]:
    chance = read_weights(answer) if isinstance(answer, Reply) else None
    return chance, int(chance is not None)


def _of_samples(said: Sequence[PromptReply]) -> tuple[float | None, int]:
    digits = [reading.value for reading in (read(*each) for each in said) if reading.value is not None]
    return (smoothed(digits.count("1"), len(digits)) if digits else None), len(digits)
