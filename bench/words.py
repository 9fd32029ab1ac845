"""What the words of an instruction cost a model: the same sums, asked in words of before and of today, side by side.

    python bench/words.py chat:llama3.2@http://localhost:11434/v1?temperature=0 [--sums 40] [--seed 20]

Every sum is asked in all wordings; replies are read by the same reader, without a further turn.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter
from operator import add, mul, sub
from typing import Final

from scipy.stats import binomtest

from vivavoce.candidates import close_candidate, open_candidate
from vivavoce.formats.numbers import as_number
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.forms.number import Number
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.interview.retries import AskSettings

IGNORANCE: Final = 'If you do not know, "Answer: I don\'t know" is an acceptable reply.'
WORDINGS: Final = {
    "before": f'End your reply with a line "Answer: N", where N is a number.\n{IGNORANCE}',
    "today": Number().instruction,
    "today, ignorance may be admitted": Number(dont_know=True).instruction,
    "today, and the sentence on ignorance of before": f"{Number().instruction}\n{IGNORANCE}",
}
OPERATIONS: Final = {"+": add, "-": sub, "*": mul}
COLUMNS: Final = ("right", "wrong", "unreadable", "I don't know", "cut off", "no answer")

Sum = tuple[int, str, int]


def drawn(number: int, seed: int) -> list[Sum]:
    """Sums of two numbers below 100."""
    rng = random.Random(seed)
    return [(rng.randrange(100), rng.choice("+-*"), rng.randrange(100)) for _ in range(number)]


def became(asked: Sum, prompt: Prompt, answer: Reply | NoAnswer) -> str:
    """What one reply counts as."""
    first, operation, second = asked
    reading = read(prompt, answer)
    if reading.value is None:
        return Outcome.UNREADABLE.value if reading.outcome is Outcome.COPIED else reading.outcome.value
    return "right" if as_number(reading.value) == OPERATIONS[operation](first, second) else "wrong"


async def replies(name: str, sums: list[Sum]) -> dict[str, list[str]]:
    """By wording, what became of each sum."""
    candidate = open_candidate(name)
    interview = Interview(candidate, answers=Reply, concurrency=4, settings=AskSettings(time_out=600))
    questions = [f"What is {first} {operation} {second}?" for first, operation, second in sums]
    try:
        result = {}
        for wording, instruction in WORDINGS.items():
            asked = [interview.ask(Prompt(f"{question}\n\n{instruction}")) for question in questions]
            answers = await asyncio.gather(*asked)
            forms = [Prompt(question, form=Number()) for question in questions]
            result[wording] = [became(*each) for each in zip(sums, forms, answers, strict=True)]
        return result
    finally:
        await close_candidate(candidate)


def table(matches: dict[str, list[str]]) -> str:
    """One row a wording; the last column is McNemar's exact test of right answers against the words of before."""
    lines = [("words", *COLUMNS, "against before"), ("---",) * (len(COLUMNS) + 2)]
    before = matches["before"]
    for wording, outcomes in matches.items():
        counts = Counter(outcomes)
        gained = sum(now == "right" != then for now, then in zip(outcomes, before, strict=True))
        lost = sum(then == "right" != now for now, then in zip(outcomes, before, strict=True))
        p = f"{gained}:{lost}, p = {binomtest(gained, gained + lost).pvalue:.2g}" if gained + lost else "0:0"
        lines.append((wording, *(str(counts[column]) for column in COLUMNS), "" if wording == "before" else p))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("candidate")
    parser.add_argument("--sums", type=int, default=40)
    parser.add_argument("--seed", type=int, default=20)
    given = parser.parse_args()
    print(table(asyncio.run(replies(given.candidate, drawn(given.sums, given.seed)))))


if __name__ == "__main__":
    main()
