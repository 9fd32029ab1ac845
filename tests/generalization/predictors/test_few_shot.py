"""Few-shot prompts against the local chat server, with log-probabilities and without."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.candidates.conftest import seen as seen
from tests.candidates.conftest import server as server
from tests.each_case import each_case
from tests.interview_settings import interview_settings
from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.errors import BadFile, BadInput, CandidateUnreachable, NotEnoughEvidence
from vivavoce.generalization.pairs import BeliefPair
from vivavoce.generalization.predictors.base import FewShotConfig, Layout
from vivavoce.generalization.predictors.few_shot import (
    FewShotPredictions,
    FewShotPredictor,
    fit,
    load,
    predict_prompt,
    read_weights,
    smoothed,
)
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.requests import full_prompt
from vivavoce.interview.transcript import Transcript

TRAIN = [BeliefPair(f"{n} + {n}?", f"<b>{n} * {n}?</b>", "sums", "products", n % 2 == 0, n % 4 == 0) for n in range(40)]
EXACT_WRONG = 0.75 / 0.95
"""The server gives 1 .6, 1 with a blank .15 and 0 .2 after a wrong answer (and something else .05)."""
EXACT_RIGHT = 0.1 / 0.8
"""After a right answer 1 has .1 and 0 has .7."""


def asked_about(name: str) -> list[BeliefPair]:
    """Four pairs that no other test asks about: the server counts how often it is asked."""
    return [BeliefPair(f"{name} {n}?", f"{name} {n}!", "a", "b", previous_correct=n % 2 == 0) for n in range(4)]


@asynccontextmanager
async def interview(
    server: str, model: str, transcript: Transcript | None = None, **settings: Any
) -> AsyncIterator[Interview[Prompt, Reply]]:
    candidate = open_candidate(f"chat:{model}@{server}/v1")
    try:
        yield Interview(candidate, answers=Reply, transcript=transcript, **interview_settings(**settings))
    finally:
        await close_candidate(candidate)


async def ask(server: str, model: str, pairs: list[BeliefPair], **more: Any) -> FewShotPredictions:
    made = fit(TRAIN, rng=np.random.default_rng(0), config=FewShotConfig(f"chat:{model}@{server}/v1", **more))
    async with interview(server, model) as entry:
        return await made.ask(entry, pairs)


async def test_chances_are_exact_where_the_server_tells_log_probabilities(
    server: str, seen: Callable[[], dict[str, int]]
) -> None:
    before = seen().get("predict", 0)
    asked = await ask(server, "predict", asked_about("exact"))
    assert asked.chances.tolist() == pytest.approx([EXACT_RIGHT, EXACT_WRONG] * 2)
    assert (asked.way, asked.read, asked.replies, asked.refusal) == ("exact", 4, 4, "")
    # once for each, one before without log-probabilities, and a probe of the settings of either
    assert seen()["predict"] - before == 7


@pytest.mark.parametrize(
    ("model", "refusal", "first"),
    [("predict-plain", "the server does not give them", 0.3), ("predict-refuses", "the server refuses requests for them", 0.4)],
)
async def test_else_replies_are_sampled_and_that_is_said(server: str, model: str, refusal: str, first: float) -> None:
    asked = await ask(server, model, asked_about("sampled"), samples=8)
    # replies go round in fours: 3 of 4 are 1 after a wrong answer, 1 of 4 after a right one; so (6 + 1) / 10 and (2 + 1) / 10;
    # where log-probabilities are refused, the question without them takes a reply of the first round of the first pair
    assert asked.chances.tolist() == pytest.approx([first, 0.7, 0.3, 0.7])
    assert (asked.way, asked.read, asked.replies, asked.unreadable, asked.refusal) == ("sampling", 4, 32, 0, refusal)
    assert f"Log-probabilities were not available: {refusal}." in asked.notes


async def test_neither_digit_among_the_alternatives_is_unreadable_and_falls_back(server: str) -> None:
    asked = await ask(server, "predict-mute", asked_about("mute"))
    # 10 of 40 changed, smoothed by one pair at 1/2: 10.5 / 41
    assert asked.chances.tolist() == pytest.approx([10.5 / 41] * 4)
    assert (asked.way, asked.read, asked.unreadable, asked.unanswered) == ("exact", 0, 4, 0)
    assert "4 of 4 pairs have the base rate of the examples instead of a prediction." in asked.notes


async def test_replies_that_cannot_be_read_are_counted_apart_from_those_that_did_not_come(server: str) -> None:
    rambling = await ask(server, "predict-rambles", asked_about("rambles"), way="sampling", samples=3)
    assert (rambling.read, rambling.unreadable, rambling.unanswered) == (0, 12, 0)
    pairs = asked_about("refused")
    pairs[2] = replace(pairs[2], q1="unspeakable")
    refused = await ask(server, "predict-plain", pairs, samples=2)
    assert (refused.way, refused.read, refused.unreadable, refused.unanswered) == ("sampling", 3, 0, 2)
    assert refused.absence == "status 400: logprobs are not supported"
    assert refused.chances[2] == pytest.approx(10.5 / 41)


async def test_a_server_that_answers_nothing_is_out_of_reach(server: str) -> None:
    for method in ("auto", "exact", "sampling"):
        with pytest.raises(CandidateUnreachable, match="status 422"):
            await ask(server, "status-422", asked_about("nothing"), way=method)


async def test_a_run_that_stopped_goes_on_where_it_was(server: str, seen: Callable[[], dict[str, int]], tmp_path: Path) -> None:
    made = fit(TRAIN, rng=np.random.default_rng(0), config=FewShotConfig(f"chat:predict-plain@{server}/v1", samples=3))
    pairs = asked_about("stopped")
    with Transcript.open(str(tmp_path / "run.sqlite")) as transcript:
        async with interview(server, "predict-plain", transcript, budget=Budget(questions=7), concurrency=1) as entry:
            stopped = await made.ask(entry, pairs)
        before = seen()["predict-plain"]
        async with interview(server, "predict-plain", transcript) as entry:
            whole = await made.ask(entry, pairs)
        async with interview(server, "predict-plain", transcript) as entry:
            again = await made.ask(entry, pairs)
    assert stopped.exhausted == "questions"
    assert stopped.read == 1  # four questions to find out the way, three for the first pair
    assert stopped.chances[1:].tolist() == pytest.approx([10.5 / 41] * 3)
    assert "The budget of questions ran out." in stopped.notes
    assert (whole.read, whole.replies) == (4, 12)
    assert seen()["predict-plain"] - before == 9  # three for each of the other pairs
    assert again.chances.tolist() == whole.chances.tolist()


def test_predict_asks_in_a_loop_of_its_own(server: str) -> None:
    made = fit(TRAIN, rng=np.random.default_rng(0), config=FewShotConfig(f"chat:predict@{server}/v1", way="exact"))
    with pytest.raises(BadInput, match="give 'interviewer'"):
        made.predict(asked_about("alone"))

    chances = replace(made, interviewer=lambda: interview(server, "predict")).predict(asked_about("alone"))
    assert chances.tolist() == pytest.approx([EXACT_RIGHT, EXACT_WRONG] * 2)


def test_the_prompt_shows_examples_and_no_label_of_the_pair() -> None:
    pair = BeliefPair("<b>2 < 3?</b>", "Who?", "a", "b", True, belief_change=True, pred=0.987)
    made = fit(TRAIN, rng=np.random.default_rng(0), config=FewShotConfig("bot:x", shots=10))
    layouts: tuple[Layout, ...] = ("turns", "text")
    for layout in layouts:
        prompt = predict_prompt(pair, made.shots, layout=layout)
        other = replace(pair, belief_change=False, pred=None, prior=0.1, posterior=0.9, person="ann")
        assert predict_prompt(other, made.shots, layout=layout) == prompt
        assert "2 < 3?" in prompt.text
        assert "<b>" not in prompt.text + "".join(turn.asked for turn in prompt.shown)
    turns = predict_prompt(pair, made.shots)
    assert len(turns.shown) == 10
    # 10 of 40 changed, so 2 or 3 of 10 examples
    assert sum(turn.replied == "1" for turn in turns.shown) in (2, 3)
    assert len(predict_prompt(replace(pair, q1="x" * 100_000), []).text) < 5_000


@pytest.mark.parametrize(("right", "word", "unsaid"), [(True, "correct", "wrong"), (False, "wrong", "correct")])
def test_the_prompt_is_of_one_mind(right: bool, word: str, unsaid: str) -> None:
    """The prompt in the paper's appendix C calls one answer correct, and then incorrect."""
    text = predict_prompt(BeliefPair("2 + 2?", "3 + 4?", "sums", "sums", right), []).text
    assert text.count(word) == 1
    assert unsaid not in text


@pytest.mark.parametrize(("right", "word"), [(True, "correctly"), (False, "incorrectly")])
def test_the_printed_prompt_is_the_papers_and_of_one_mind(right: bool, word: str) -> None:
    pair = BeliefPair("2 + 2?", "<b>3 + 4?</b>", "sums", "sums", right)
    exactly = predict_prompt(pair, [], prompts="printed", first_tokens=10)
    # the printed sentences, by hand from the paper's text
    assert "The final prediction will be 0 (for no change) or 1 (for change)." in exactly.system
    assert exactly.text.startswith("The large language model was asked the following question:")
    assert exactly.text.endswith(f"ability to answer Question 2 after seeing it answered Question 1 {word}?")
    assert exactly.text.count(f" {word}") == 2
    assert exactly.text.replace(" incorrectly", " correctly").count(" correctly") == 2
    assert "<q1>\n  2 + 2?\n</q1>" in exactly.text
    assert "<q2>\n  3 + 4?\n</q2>" in exactly.text
    assert exactly.form is None
    sampled = predict_prompt(pair, [TRAIN[0]], prompts="printed")
    assert sampled.text == exactly.text
    assert read(sampled, Reply("1")).value == "1"
    assert sampled.shown[0].asked != predict_prompt(pair, [TRAIN[0]]).shown[0].asked
    assert predict_prompt(pair, []) == predict_prompt(pair, [], prompts="ours")


def test_whose_prompts_they_are_is_kept(tmp_path: Path) -> None:
    for prompts in ("ours", "printed"):
        FewShotPredictor(FewShotConfig("bot:x", shots=2, prompts=prompts), tuple(TRAIN[:2]), 0.3).save(tmp_path)
        assert load(tmp_path).config.prompts == prompts


def test_examples_are_drawn_by_the_seed() -> None:
    first, again, other = (
        fit(TRAIN, rng=np.random.default_rng(seed), config=FewShotConfig("bot:x")).shots for seed in (1, 1, 2)
    )
    assert first == again != other
    assert len(set(first)) == 10
    rare = [replace(pair, belief_change=n == 0) for n, pair in enumerate(TRAIN)]
    assert len(fit(rare, rng=np.random.default_rng(0), config=FewShotConfig("bot:x", shots=40)).shots) == 40
    with pytest.raises(NotEnoughEvidence, match="need at least 41"):
        fit(TRAIN, rng=np.random.default_rng(0), config=FewShotConfig("bot:x", shots=41))
    with pytest.raises(NotEnoughEvidence):
        fit([replace(TRAIN[0], belief_change=None)], rng=np.random.default_rng(0), config=FewShotConfig("bot:x", shots=0))
    with pytest.raises(BadInput, match="give it with --candidate"):
        fit(TRAIN, rng=np.random.default_rng(0), config=FewShotConfig())


@each_case(
    ("alternatives", "chance"),
    [
        ((("1", log(0.5)), ("0", log(0.5))), 0.5),
        (((" 1.", log(0.3)), ('"1"', log(0.3)), ("0\n", log(0.2)), ("\u25810", log(0.2))), 0.6),
        ((("1", log(0.98)),), 0.98 / (0.98 + 0.02)),  # the other has what is left
        ((("0", log(0.9)), ("x", log(0.001))), 0.001 / 0.901),  # or as much as the least likely
        ((("10", log(0.9)), ("01", log(0.05)), ("one", log(0.05))), None),
        ((), None),
        ((("1", 0.0), ("x", -1e308)), 1 - 1e-6),
        ((("1", -1e308), ("0", -1e308)), None),
    ],
)
def test_weights_are_read_by_hand(alternatives: tuple[tuple[str, float], ...], chance: float | None) -> None:
    value = read_weights(Reply("", first_token=alternatives))
    assert value is None if chance is None else value == pytest.approx(chance)


@given(st.lists(st.tuples(st.sampled_from(["0", "1", " 1", "x", ""]), st.floats(-1e3, 0)), max_size=20))
def test_whatever_is_told_a_chance_stays_inside(examples: list[tuple[str, float]]) -> None:
    chance = read_weights(Reply("", first_token=tuple(examples)))
    assert chance is None or 0 < chance < 1


@given(st.text(max_size=50))
def test_whatever_is_said_is_a_digit_or_nothing(text: str) -> None:
    prompt = predict_prompt(TRAIN[0], [])
    assert read(prompt, Reply(text)).value in ("0", "1", None)
    assert read(prompt, NoAnswer(text)).value is None


def test_a_thought_predicts_nothing() -> None:
    prompt = predict_prompt(TRAIN[0], TRAIN[:3])
    assert read(prompt, Reply("<think>At first 1.</think>0")).value == "0"
    assert read(prompt, Reply("Hard to say.", thoughts="1")).value is None
    assert read(prompt, Reply("1", finish="length")).value is None
    for layout in ("turns", "text"):
        whole = full_prompt(predict_prompt(TRAIN[0], TRAIN[:3], layout=layout))
        assert read(prompt, Reply(whole.text)).value is None


async def test_whatever_the_way_of_asking_the_first_token_is_a_digit(server: str) -> None:
    """A schema would make it a brace, and a further turn has nothing to ask."""
    exactly = predict_prompt(TRAIN[0], [], first_tokens=10)
    assert exactly.form is None
    assert exactly.text == full_prompt(predict_prompt(TRAIN[0], [])).text
    assert exactly.text.endswith("1 if the belief changes, 0 if it stays as it was.")
    made = fit(TRAIN, rng=np.random.default_rng(0), config=FewShotConfig(f"chat:predict@{server}/v1"))
    async with interview(server, "predict", reply_format="schema") as entry:
        asked = await made.ask(entry, asked_about("asking"))
    assert asked.chances.tolist() == pytest.approx([EXACT_RIGHT, EXACT_WRONG] * 2)


def test_samples_are_smoothed() -> None:
    assert [smoothed(ones, 5) for ones in (0, 5)] == pytest.approx([1 / 7, 6 / 7])


def test_kept_and_opened_it_is_the_same(tmp_path: Path) -> None:
    by_beliefs = [replace(pair, belief_change=None, prior=0.5, posterior=0.5 + (n % 3) / 10) for n, pair in enumerate(TRAIN)]
    made = fit(
        by_beliefs, rng=np.random.default_rng(0), config=FewShotConfig("bot:x", way="sampling", samples=7, layout="text")
    )
    made.save(tmp_path)
    opened = load(tmp_path)
    pair = asked_about("kept")[0]
    assert (opened.config, opened.base_rate) == (made.config, made.base_rate)
    assert predict_prompt(pair, opened.shots) == predict_prompt(pair, made.shots)
    assert "interviewer" not in (tmp_path / "few_shot.json").read_text()


@each_case(
    "edit",
    [
        {"shots": 7}, {"shots": [{"q1": "a"}]}, {"set_up": {"way": "guess"}}, {"set_up": {"samples": 10**9}}, {"base_rate": 1},
        {"base_rate": "x"}, {"candidate": 7}, {"set_up": None},
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_told(tmp_path: Path, edit: dict[str, object]) -> None:
    FewShotPredictor(FewShotConfig("bot:x"), tuple(TRAIN[:2]), 0.3).save(tmp_path)
    file = tmp_path / "few_shot.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | edit))
    with pytest.raises(BadFile, match=r"few_shot\.json: "):
        load(tmp_path)


@pytest.mark.parametrize("candidate", [" function:model.evil:answer", "chat:x@https://a.example/v1?top_p=1&k%65y=AWS_SECRET"])
def test_a_folder_names_no_code_and_no_secret(tmp_path: Path, candidate: str) -> None:
    with pytest.raises(BadInput, match="run code or send a secret"):
        FewShotPredictor(FewShotConfig(candidate), (), 0.3).save(tmp_path)
    FewShotPredictor(FewShotConfig("bot:x"), (), 0.3).save(tmp_path)
    file = tmp_path / "few_shot.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"candidate": candidate}))
    with pytest.raises(BadFile, match="run code or send a secret"):
        load(tmp_path)
