"""How long an examination takes: 20 concepts with 20 questions, 50 in flight, a local server that takes 100 ms, all on disk.

    python bench/eqt.py [--concepts 20] [--questions 20] [--paraphrases 0] [--runs 3] [--json] [--check]

The same server (a process of its own) is examined as `viva eqt` does it, each concept a straight pipeline, and stage by
stage (all explanations, then all questions, all paraphrases, and then the rest), each in a fresh process. Once all
replies take 100 ms; once they take so long on average, half of it exponential, as with replies of different lengths.
The ideal schedule takes calls x latency / in flight, and no less than the longest chain: explanation, question,
paraphrase if there is one, answer. Of each, the best of `--runs` is told: what else a machine does only ever adds.

Last, both examine a model in their own process, by a clock of their own: it counts what this process computes, and the
replies that it waits for, but nothing that other programs do, nor the disk. With `--check` it exits with 1 if the pipeline
takes more than 1.3 of the ideal schedule by this clock.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import selectors
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent))

if TYPE_CHECKING:
    from tests.eqt.models import MindModel
    from vivavoce.eqt.record import Concept, EqtConfig
    from vivavoce.interview.candidate import Candidate, NoAnswer, Prompt, Reply
    from vivavoce.interview.interview import Interview

IN_FLIGHT = 50
LATENCY = 0.1
SPREAD = 0.5
MOST_RATIO = 1.3

Way = Callable[["Interview[Prompt, Reply]", "Sequence[Concept]", "EqtConfig"], Awaitable[int]]
"""Examines, and gives the number of calls."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one way took."""

    way: str
    spread: float
    calls: int
    wall_seconds: float
    ideal_seconds: float

    @property
    def ratio(self) -> float:
        """To the ideal schedule."""
        return self.wall_seconds / self.ideal_seconds


async def pipeline(interview: Interview[Prompt, Reply], concepts: Sequence[Concept], config: EqtConfig) -> int:
    """As `viva eqt` does it."""
    from vivavoce.eqt.examine import explain_query_test
    from vivavoce.eqt.record import ROLES

    record = await explain_query_test(dict.fromkeys(ROLES, interview), concepts, config, concurrency=IN_FLIGHT)
    if any(item.open_book is None for concept_record in record.concept_records for item in concept_record.items):
        raise SystemExit("pipeline: answers are missing")
    return record.calls


async def stages(interview: Interview[Prompt, Reply], concepts: Sequence[Concept], config: EqtConfig) -> int:
    """The same prompts, a stage after the other for all concepts (`asgari2025`, algorithm 1, with every loop at once)."""
    from vivavoce.eqt import prompts
    from vivavoce.eqt.pipeline import parsed_explanation, shuffle_options
    from vivavoce.interview.reading import read

    async def put(asked: list[Prompt]) -> list[Reply | NoAnswer]:
        return list(await asyncio.gather(*map(interview.ask, asked)))

    numbers = range(1, config.questions + 1)
    places = [(concept, number) for concept in concepts for number in numbers]
    words = await put([prompts.explanation_prompt(concept) for concept in concepts])
    known = {concept: parsed_explanation(reply)[0] or "" for concept, reply in zip(concepts, words, strict=True)}
    seed, options = config.seed, config.options
    kinds = {index: prompts.kind_of(*index, seed=seed) for index in places}
    rights = {index: prompts.right_of(*index, options=options, seed=seed) for index in places}
    asked = [prompts.question_prompt(c, known[c], n, kind=kinds[c, n], options=options, right=rights[c, n]) for c, n in places]
    written = [read(prompt, reply).value for prompt, reply in zip(asked, await put(asked), strict=True)]
    questions = {
        index: shuffle_options(question, *index, seed=config.seed)
        for index, question in zip(places, written, strict=True)
        if question is not None
    }
    wanted = [(index, which) for index in questions for which in range(1, config.paraphrases + 1)]
    rewordings = [prompts.paraphrase_prompt(*index, questions[index], which) for index, which in wanted]
    replies = await put(rewordings)
    stems = [(*index, questions[index].stem, 0) for index in questions]
    checks = []
    for (position, which), prompt, reply in zip(wanted, rewordings, replies, strict=True):
        stem = read(prompt, reply).value
        if stem is not None:
            stems.append((*position, stem, which))
            checks.append(
                prompts.meaning_prompt(
                    *position, questions[position], paraphrase=stem, which=which, temperature=config.temperature
                )
            )
    last = checks + [
        prompts.answer_prompt(c, n, stem, questions[c, n].options, which=which, temperature=config.temperature)
        for c, n, stem, which in stems
    ]
    for (c, n), question in questions.items():
        last.append(prompts.open_book_prompt(c, n, question, explanation=known[c], temperature=config.temperature))
        last.append(prompts.key_prompt(c, n, question, explanation=known[c], temperature=config.temperature))
        last.append(prompts.self_contained_prompt(c, n, question, temperature=config.temperature))
    await put(last)
    return len(words) + len(asked) + len(replies) + len(last)


WAYS: dict[str, Way] = {"pipeline": pipeline, "stages": stages}
NAMES = {"pipeline": "side by side (viva eqt)", "stages": "stage by stage"}


class LateModel:
    """A model in this process, each of whose replies takes a while."""

    name = "bench:late"

    def __init__(self, model: MindModel) -> None:
        self._model = model

    async def answer(self, question: Prompt, /) -> Reply:
        """Its reply."""
        await asyncio.sleep(LATENCY)
        return await self._model.answer(question)


class _NoWaiting(selectors.DefaultSelector):
    """Adds to the loop's clock what it would wait for."""

    loop: OwnClock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout is None:
            return ready or super().select(None)
        self.loop.skipped += max(0.0, timeout)
        return []


class OwnClock(asyncio.SelectorEventLoop):
    """An event loop whose clock counts CPU seconds of this process, and waits that it skips."""

    def __init__(self) -> None:
        self.skipped = 0.0
        selector = _NoWaiting()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        """Seconds."""
        return self.skipped + time.process_time()


def alone(way: str, sizes: tuple[int, int, int]) -> Cost:
    """What a way takes by its own clock."""
    from tests.eqt.models import MindModel, MindProbabilities

    with asyncio.Runner(loop_factory=OwnClock) as runner:
        return runner.run(examined(way, LateModel(MindModel(MindProbabilities())), sizes, 0.0))


async def measure(way: str, address: str, sizes: tuple[int, int, int], spread: float) -> Cost:
    """What a way takes with the model at this address."""
    from vivavoce.candidates import close_candidate, open_candidate

    candidate = open_candidate(address)
    try:
        return await examined(way, candidate, sizes, spread)
    finally:
        await close_candidate(candidate)


async def examined(way: str, candidate: Candidate[Prompt, Reply], sizes: tuple[int, int, int], spread: float) -> Cost:
    """Examine in this process, after a few questions that are not counted; seconds are those of the event loop."""
    from vivavoce.eqt.examine import calls_ahead
    from vivavoce.eqt.record import Concept, EqtConfig
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.interview.transcript import Transcript

    concepts = [Concept(f"Concept {number}", "math") for number in range(sizes[0])]
    config = EqtConfig(questions=sizes[1], paraphrases=sizes[2])
    loop = asyncio.get_running_loop()
    with tempfile.TemporaryDirectory() as folder, Transcript.open(Path(folder) / "run.sqlite") as transcript:
        interview = Interview(candidate, answers=Reply, transcript=transcript, concurrency=IN_FLIGHT)
        warm = [Concept(f"Warm {number}", "math") for number in range(IN_FLIGHT)]
        await stages(interview, warm, EqtConfig(questions=1, paraphrases=0))
        began = loop.time()
        calls = await WAYS[way](interview, concepts, config)
        wall = loop.time() - began
    if calls != calls_ahead(len(concepts), config):
        raise SystemExit(f"{way}: {calls} calls, there should be {calls_ahead(len(concepts), config)}")
    chain = 3 + (config.paraphrases > 0)
    return Cost(way, spread, calls, wall, max(calls / IN_FLIGHT, chain) * LATENCY)


def in_a_fresh_process(way: str, address: str, sizes: tuple[int, int, int], spread: float) -> Cost:
    """So that no way pays for what another has loaded."""
    options = ["--way", way, "--address", address, "--spread", str(spread)]
    numbers = [
        word for name, n in zip(("concepts", "questions", "paraphrases"), sizes, strict=True) for word in (f"--{name}", str(n))
    ]
    done = subprocess.run([sys.executable, __file__, *options, *numbers], stdout=subprocess.PIPE, text=True, check=True)
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


def table(costs: list[Cost], by_own_clock: list[Cost]) -> str:
    """The costs as a table in plain text."""
    first = costs[0]
    lines = [
        f"{first.calls:,} calls, {IN_FLIGHT} in flight, {LATENCY * 1000:.0f} ms each: {first.ideal_seconds:.2f} s at the least",
        f"{'':28}{'replies take':>28}{'wall':>9}{'ratio':>8}",
    ]
    for cost in costs:
        take = "100 ms" if not cost.spread else "100 ms on average"
        lines.append(f"{NAMES[cost.way]:28}{take:>28}{cost.wall_seconds:>7.2f} s{cost.ratio:>8.2f}")
    for cost in by_own_clock:
        lines.append(f"{NAMES[cost.way]:28}{'100 ms, its own clock':>28}{cost.wall_seconds:>7.2f} s{cost.ratio:>8.2f}")
    return "\n".join(lines)


def main() -> int:
    """Measure one way (in a fresh process) or all; 1 if `--check` is given and the pipeline takes too long."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--concepts", type=int, default=20)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--paraphrases", type=int, default=0)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 if it takes too long")
    parser.add_argument("--way", choices=WAYS, help="measure this one alone, against --address")
    parser.add_argument("--address")
    parser.add_argument("--spread", type=float, default=0.0)
    given = parser.parse_args()
    sizes = (given.concepts, given.questions, given.paraphrases)
    if given.way and given.address:
        print(json.dumps(asdict(asyncio.run(measure(given.way, given.address, sizes, given.spread)))))
        return 0
    from tests.eqt.models import MindProbabilities
    from tests.eqt.server import serving

    costs = []
    for spread in (0.0, SPREAD):
        with serving(MindProbabilities(), latency=LATENCY, spread=spread) as server:
            runs = [in_a_fresh_process(way, server.candidate(), sizes, spread) for _ in range(given.runs) for way in WAYS]
        costs += [min((run for run in runs if run.way == way), key=lambda run: run.ratio) for way in WAYS]
    own = [min((alone(way, sizes) for _ in range(given.runs)), key=lambda run: run.ratio) for way in WAYS]
    rows = [asdict(cost) | {"ratio": cost.ratio, "own_clock": cost in own} for cost in (*costs, *own)]
    print(json.dumps(rows, indent=2) if given.json else table(costs, own))
    return int(given.check and own[0].ratio > MOST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
