"""What language models are asked: for a probability, for paraphrases, and whether two facts say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.consistency.legal.cases.versions import HEADING
from vivavoce.interview.candidate import Prompt
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.forms.rewordings import Rewordings
from vivavoce.interview.forms.verdict import Verdict

PROBABILITY: Final = Probability()
VERDICT: Final = Verdict()
CLAIM: Final = "The facts show a violation of the European Convention on Human Rights."
"""What is judged, where the user gives no other claim."""

_JUDGE: Final = (
    "You assist a court. From the facts of a case you estimate how probable it is that a claim about the case is true. Weigh "
    "briefly what speaks for the claim and what speaks against it, then settle on a single probability, from 0% for a claim "
    "that is certainly false to 100% for one that is certainly true."
)
_WRITE: Final = "You reword sentences from legal documents without changing what they say."
_VERSIONS: Final = """\
Reword the fact below; number of versions: {number}, no two alike.
A version states all that the fact states and nothing besides, keeps its names, numbers and dates (also a number at its
beginning), and is as formal as the fact.

"""
_CHECK: Final = "You compare two sentences from legal documents. Style does not matter to you, only what is stated."


def judgement_prompt(facts: Sequence[str], claim: str = CLAIM) -> Prompt:
    """How probable is the claim, by these facts?"""
    listed = "\n".join(f"- {fact}" for fact in facts)
    text = f"Claim: {claim}\n\nFacts of the case:\n{listed}\n\nHow probable is it that the claim is true?"
    return Prompt(text, _JUDGE, form=PROBABILITY)


def paraphrase_prompt(fact: str, number: int) -> Prompt:
    """This many paraphrases of one fact, all in one reply.

    >>> print(paraphrase_prompt("She was held for three days.", 2).text)
    Reword the fact below; number of versions: 2, no two alike.
    A version states all that the fact states and nothing besides, keeps its names, numbers and dates (also a number at its
    beginning), and is as formal as the fact.
    <BLANKLINE>
    Fact:
    She was held for three days.
    """
    return Prompt(f"{_VERSIONS.format(number=number)}{HEADING}\n{fact}", _WRITE, form=Rewordings(number))


def check_prompt(fact: str, paraphrase: str) -> Prompt:
    """Do both state the same?"""
    return Prompt(
        f"First:\n{fact}\n\nSecond:\n{paraphrase}\n\n"
        "Does the second state everything that the first states, and nothing that the first does not?",
        _CHECK,
        form=VERDICT,
    )
