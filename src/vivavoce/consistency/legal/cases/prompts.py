"""What language models are asked: for a probability, for paraphrases, and whether two facts say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.interview.candidate import Prompt

CLAIM: Final = "The facts show a violation of the European Convention on Human Rights."
"""What is judged, where the user gives no other claim."""

_JUDGE: Final = (
    "You assist a court. From the facts of a case you estimate how probable it is that a claim about the case is true. Weigh "
    "briefly what speaks for the claim and what speaks against it, then settle on a single number. The last line of your reply "
    "holds nothing but that number, between 0 (certainly false) and 1 (certainly true), in this form:\n[Answer] 0.35"
)
_WRITE: Final = "You reword sentences from legal documents without changing what they say."
_VERSIONS: Final = """\
Reword the fact below; number of versions: {number}, no two alike.
A version states all that the fact states and nothing besides, keeps its names, numbers and dates (also a number at its
beginning), and is as formal as the fact.
Reply with nothing but the versions, each on one line of its own, after its number in square brackets:
{form}

Fact:
"""
_CHECK: Final = "You compare two sentences from legal documents. Style does not matter to you, only what is stated."


def judgement_prompt(facts: Sequence[str], claim: str = CLAIM) -> Prompt:
    """How probable is the claim, by these facts?"""
    listed = "\n".join(f"- {fact}" for fact in facts)
    return Prompt(f"Claim: {claim}\n\nFacts of the case:\n{listed}\n\nHow probable is it that the claim is true?", _JUDGE)


def paraphrase_prompt(fact: str, number: int) -> Prompt:
    """So many paraphrases of one fact, all in one reply.

    >>> print(paraphrase_prompt("She was held for three days.", 2).text)
    Reword the fact below; number of versions: 2, no two alike.
    A version states all that the fact states and nothing besides, keeps its names, numbers and dates (also a number at its
    beginning), and is as formal as the fact.
    Reply with nothing but the versions, each on one line of its own, after its number in square brackets:
    [1] ...
    [2] ...
    <BLANKLINE>
    Fact:
    She was held for three days.
    """
    form = "\n".join(f"[{i}] ..." for i in range(1, number + 1))
    return Prompt(_VERSIONS.format(number=number, form=form) + fact, _WRITE)


def check_prompt(fact: str, paraphrase: str) -> Prompt:
    """Do both state the same?"""
    return Prompt(
        f"First:\n{fact}\n\nSecond:\n{paraphrase}\n\n"
        "Does the second state everything that the first states, and nothing that the first does not? Think it over, then end "
        "your reply with one of these two lines:\n[Answer] SAME\n[Answer] DIFFERENT",
        _CHECK,
    )
