"""Cards put to a language model in place of people: a belief before, and one after the answers that the card shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from vivavoce.embeddings.embedding import plain_text
from vivavoce.generalization.cards import Card, answered
from vivavoce.interview.block_sizes import all_at_once
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.forms.probability import Probability
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read

TOPIC: Final = "generalization/cards"
LONGEST_SHOWN: Final = 4_000
"""Characters of a question in a prompt."""
SYSTEM: Final = (
    "You take part in a survey on what people expect of AI models. You know nothing of the model that is spoken of but what "
    "you are shown. Say how likely you think it that this model answers a question correctly."
)


@dataclass(frozen=True, slots=True)
class AskedCards:
    """What was said."""

    cards: tuple[Card, ...]
    """Those with both beliefs; each time that all cards were put is a person of its own."""
    unread: int
    """Cards of which a reply did not come or could not be read; they are left out."""
    exhausted: str = ""
    """Which limit of the budget ran out; empty where none did."""


def card_prompt(card: Card, *, shown: bool) -> Prompt:
    """The question for a belief, before the answers are shown or after; nothing that somebody said is in it.

    >>> from vivavoce.generalization.cards import Seen
    >>> from vivavoce.generalization.pairs import Question
    >>> card = Card("1", Question("3 + 4?"), (Seen("2 + 2?", "", True),))
    >>> "2 + 2?" in card_prompt(card, shown=True).text, "2 + 2?" in card_prompt(card, shown=False).text
    (True, False)
    """
    before = "".join(
        f"The model was asked:\n<<<\n{_clipped(one.text)}\n>>>\nIts answer was {'correct' if one.right else 'wrong'}.\n\n"
        for one in (card.seen if shown else ())
    )
    text = f"{before}How likely is it that the model answers this question correctly?\n<<<\n{_clipped(card.question.text)}\n>>>"
    name = sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return Prompt(text, system=SYSTEM, id=name, temperature=1.0, form=Probability())


async def ask_cards(interview: Interview[Prompt, Reply], cards: Sequence[Card], *, people: int) -> AskedCards:
    """Put every card so many times: its belief before, and the one after. What is on record is not asked again.

    Where the budget runs out, the cards that were answered are returned.
    """

    def prompts() -> Iterator[Prompt]:
        for _ in range(people):
            for card in cards:
                yield card_prompt(card, shown=False)
                yield card_prompt(card, shown=True)

    async with aclosing(interview.ask_in_order(prompts(), topic=TOPIC, block=all_at_once)) as answers:
        beliefs = [read(prompt, answer).value async for prompt, answer in answers]
    found, whole = [], len(beliefs) // 2
    for place in range(whole):
        prior, posterior = beliefs[2 * place], beliefs[2 * place + 1]
        if prior is not None and posterior is not None:
            person = f"{interview.candidate.name}/{place // len(cards) + 1}"
            found.append(answered(cards[place % len(cards)], person, float(prior), float(posterior)))
    return AskedCards(tuple(found), whole - len(found), str(interview.exhausted or ""))


def _clipped(question: str) -> str:
    text = plain_text(question)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
