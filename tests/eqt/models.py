"""Models with planted knowledge and planted faults.

A fact base has 40 aspects of every concept; of the four words of each aspect one to three hold. A `MindProbabilities`
explains all of them, writes questions keyed by them, and recalls them with the probabilities that it was made with. All chance
is drawn from hashes of its seed and of what is asked, so that a served run (`tests.eqt.server`) is the same as one in process,
whatever is answered first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from vivavoce.eqt.prompts import WAYS
from vivavoce.interview.candidate import Prompt, Reply, Usage

FACTS = 40
STATED = "As stated in the text, "
ASKED = "which of these hold for aspect {} of «{}»?"
REWORDED = (
    "Of aspect {} of «{}», which hold?",
    "Name all that holds for aspect {} of «{}».",
    "Aspect {} of «{}»: what holds?",
    "Choose what holds when it comes to aspect {} of «{}».",
    "For aspect {} of «{}», what is it that holds?",
    "Consider aspect {} of «{}». What holds?",
)
CHANGED = "Which of these fail to hold for aspect {} of «{}»?"
UNWRITTEN = {
    "no key": "Question: {stem}\n{options}",
    "no options": "Question: {stem}\nCorrect: A",
    "the key names an option that there is not": "Question: {stem}\n{options}\nCorrect: A, F",
}
"""What an unreadable question looks like, by why it cannot be read."""

Words = frozenset[str]


def chance(*parts: object) -> float:
    """A number in [0, 1), the same for the same parts."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


@dataclass(frozen=True)
class TextFact:
    """Four words, of which one to three hold."""

    words: tuple[str, ...]
    right: Words


@lru_cache(maxsize=100_000)
def fact(concept: str, aspect: int) -> TextFact:
    """The fact base; it is the same for every mind."""
    words = tuple(f"{name} {hashlib.sha256(f'{concept}/{aspect}/{name}'.encode()).hexdigest()[:6]}" for name in "wxyz")
    holding = 1 + int(3 * chance("holding", concept, aspect))
    ranked = sorted(words, key=lambda word: chance("holds", concept, aspect, word))
    return TextFact(words, frozenset(ranked[:holding]))


def another(words: Sequence[str], than: Words, *parts: object, most: int = 4) -> Words:
    """One of the other sets of words that are not empty and hold at most so many, each as probable."""
    ordered = sorted(words)
    others = [frozenset(some) for size in range(1, most + 1) for some in combinations(ordered, size)]
    others.remove(than)
    return others[int(len(others) * chance(*parts))]


@lru_cache(maxsize=1_000)
def order_of_aspects(seed: int, concept: str) -> list[int]:
    """In which order a mind asks about them."""
    return sorted(range(FACTS), key=lambda aspect: chance(seed, "aspect", concept, aspect))


@dataclass(frozen=True)
class WriterPlan:
    """What a writer makes of one question."""

    aspect: int
    points: bool
    broken: bool
    unwritten: str
    """Why it cannot be read; empty where it can."""


@dataclass(frozen=True)
class MindProbabilities:
    """Probabilities."""

    seed: int = 0
    recall: float = 1.0
    """That an original is answered by what holds, closed-book."""
    reading: float = 1.0
    """That it is with the explanation at hand."""
    otherwise: float = 0.0
    """That a paraphrase is answered otherwise than its original."""
    broken: float = 0.0
    """That a question's key is another set."""
    unwritten: float = 0.0
    """That a question cannot be read."""
    unworded: float = 0.0
    """That a paraphrase cannot be read."""
    unanswered: float = 0.0
    """That an answer cannot be read."""
    pointing: float = 0.0
    """That a question points at the text."""
    repeating: float = 0.0
    """That a question, from the second on, is the first one again."""
    changing: float = 0.0
    """That a paraphrase means something else."""
    mistaken: float = 0.0
    """That it holds another set of words to be right, explains that, keys by that and answers by that."""

    def believed(self, concept: str, aspect: int) -> TextFact:
        """The fact as it holds it to be."""
        known = fact(concept, aspect)
        if self._chance("mistaken", concept, aspect) >= self.mistaken:
            return known
        return TextFact(known.words, another(known.words, known.right, self.seed, "belief", concept, aspect, most=3))

    def plan(self, concept: str, number: int) -> WriterPlan:
        """What becomes of this question."""
        unwritten = list(UNWRITTEN)[int(3 * self._chance("why", concept, number))]
        if self._chance("unwritten", concept, number) >= self.unwritten:
            unwritten = ""
        if number > 1 and self._chance("repeating", concept, number) < self.repeating:
            return replace(self.plan(concept, 1), unwritten=unwritten)
        return WriterPlan(
            order_of_aspects(self.seed, concept)[(number - 1) % FACTS],
            self._chance("pointing", concept, number) < self.pointing,
            self._chance("broken", concept, number) < self.broken,
            unwritten,
        )

    def changes(self, concept: str, aspect: int, which: int) -> bool:
        """Whether this paraphrase means something else."""
        return self._chance("changing", concept, aspect, which) < self.changing

    def leaves_out(self, concept: str, aspect: int, which: int) -> bool:
        """Whether this paraphrase cannot be read."""
        return self._chance("unworded", concept, aspect, which) < self.unworded

    def reply(self, text: str) -> str:
        """What it says to a prompt."""
        if asked := re.match(r"Explain the concept «(.+)» ", text):
            return parsed_explanation(asked[1], [self.believed(asked[1], aspect) for aspect in range(FACTS)])
        if asked := re.search(r"Write question number (\d+) of an examination on «(.+?)»", text):
            return self._write(asked[2], int(asked[1]))
        if "Put the question in other words" in text:
            return self._reword(text)
        if "Do both ask the same" in text:
            same = ("fail to hold" in within(text, "original")) == ("fail to hold" in within(text, "paraphrase"))
            return verdict(same, "One asks for what fails to hold.")
        if "Can somebody who knows the subject" in text:
            return verdict(STATED.lower() not in within(text, "question").lower(), "It points at a text.")
        return self._answer(text)

    def _write(self, concept: str, number: int) -> str:
        plan = self.plan(concept, number)
        known = self.believed(concept, plan.aspect)
        right = known.right
        if plan.broken:
            right = another(known.words, known.right, self.seed, "key", concept, plan.aspect, most=3)
        stem = ASKED.format(plan.aspect, concept)
        stem = f"{STATED}{stem}" if plan.points else f"W{stem[1:]}"
        options = "\n".join(f"{letter}) {word}" for letter, word in zip("ABCD", known.words, strict=True))
        form = UNWRITTEN[plan.unwritten] if plan.unwritten else "Question: {stem}\n{options}\nCorrect: {key}"
        return form.format(stem=stem, options=options, key=lettered(right, known.words))

    def _reword(self, text: str) -> str:
        aspect, concept = aspect_of(within(text, "question"))
        which = next(number for number, wording in enumerate(WAYS, 1) if wording in text)
        if self.leaves_out(concept, aspect, which):
            return "Let me see.\n\nThis could be said in many ways.\n\nIndeed."
        form = CHANGED if self.changes(concept, aspect, which) else REWORDED[which - 1]
        stem = form.format(aspect, concept)
        return f"Paraphrase: {stem if form != CHANGED else f'({which}) {stem}'}"

    def _answer(self, text: str) -> str:
        asked = within(text, "question") if "Establish the key" in text else re.split("</(?:explanation|source)>", text)[-1]
        aspect, concept = aspect_of(asked)
        words = re.findall(r"^[A-D]\) (.+)$", text, flags=re.MULTILINE)
        if "Establish the key" in text:
            (holding,) = re.findall(rf"Aspect {aspect} of «{re.escape(concept)}»: what holds is (.+?)\.", text)
            return f"So says the explanation.\nAnswer: {lettered(frozenset(holding.split(', ')), words)}"
        known = fact(concept, aspect) if "<source>" in text else self.believed(concept, aspect)
        if "<explanation>" in text or "<source>" in text:
            knows, salt = self._chance("reading", concept, aspect) < self.reading, "open"
        else:
            knows, salt = self._chance("recall", concept, aspect) < self.recall, "closed"
        texts = known.right if knows else another(words, known.right, self.seed, salt, concept, aspect)
        stem = next(line for line in asked.splitlines() if "aspect" in line.lower())
        original = stem.lower().removeprefix(STATED.lower()) == ASKED.format(aspect, concept).lower()
        if not original and ("fail to hold" in stem or self._chance("otherwise", stem) < self.otherwise):
            texts = another(words, texts, self.seed, "other", stem)
        if self._chance("unanswered", salt, stem) < self.unanswered:
            return "This is hard to say."
        return f"I go through them.\nAnswer: {lettered(texts, words)}"

    def _chance(self, *parts: object) -> float:
        return chance(self.seed, *parts)


FAULTY = MindProbabilities(
    recall=0.6, reading=0.85, otherwise=0.25, broken=0.1, unwritten=0.1, unworded=0.1, unanswered=0.08, pointing=0.1,
    repeating=0.1, changing=0.1,
)  # fmt: skip


@lru_cache(maxsize=1_000)
def explanation(concept: str) -> str:
    """All that holds of a concept, and what does not."""
    return parsed_explanation(concept, [fact(concept, aspect) for aspect in range(FACTS)])


def parsed_explanation(concept: str, facts: Sequence[TextFact]) -> str:
    """These facts in words."""
    lines = []
    for aspect, known in enumerate(facts):
        wrong = sorted(set(known.words) - known.right)
        text = f"what holds is {', '.join(sorted(known.right))}. Often mistaken: {', '.join(wrong)}."
        lines.append(f"Aspect {aspect} of «{concept}»: {text}")
    return "\n".join(lines)


def within(text: str, mark: str) -> str:
    """What stands between two marks."""
    return text.partition(f"<{mark}>\n")[2].partition(f"\n</{mark}>")[0]


def aspect_of(stem: str) -> tuple[int, str]:
    """Which fact a question is about."""
    (result,) = set(re.findall(r"(?i)aspect (\d+) of «(.+?)»", stem))
    return int(result[0]), result[1]


def lettered(right: Words, words: Sequence[str]) -> str:
    return ", ".join(letter for letter, word in zip("ABCD", words, strict=True) if word in right)


def verdict(holds: bool, reason: str) -> str:
    return f"[Verdict] {'yes' if holds else 'no'}\n[Reason] {'It is.' if holds else reason}"


class MindModel:
    """A mind as a candidate in this process."""

    def __init__(self, mind: MindProbabilities, name: str = "") -> None:
        self.mind = mind
        self.name = name or f"test:planted:{mind.seed}"
        self.asked: list[str] = []

    async def answer(self, question: Prompt, /) -> Reply:
        self.asked.append(question.id)
        text = self.mind.reply(question.text)
        return Reply(text, Usage(len(question.text) // 4, len(text) // 4, 0.001))
