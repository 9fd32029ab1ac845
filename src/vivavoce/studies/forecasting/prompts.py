"""Prompts for forecasts: our own words, and those of the paper.

Differences: each mark in brackets, such as `[Answer]`, begins a new line, and so does the text after the derived question,
because our copy of the text runs them together. Replies are parsed by our own parser, which also accepts percentages.

Small models copy the one worked example, including its number, and so appear consistent. Our own prompts have a dozen examples
and the question selects one (`prompts`), so a model that copies contradicts itself.

Unless the printed prompts are chosen (`printed`), words and examples are our own. Figures can then differ slightly from the
paper's. As in the paper, the model reasons first, considers both sides, and ends with a single number.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, TypeVar, get_args

from vivavoce.errors import UnknownName
from vivavoce.interview.candidate import Exchange, Prompt
from vivavoce.interview.forms.probability import Probability, Quantity
from vivavoce.interview.forms.repeated_answers import PrintedForm
from vivavoce.studies.config import Variant, Wording


@dataclass(frozen=True, slots=True)
class PrintedPrompt:
    """A printed prompt."""

    system: str
    question: str
    """Question of the worked example."""
    reply: str

    @property
    def stated(self) -> tuple[str, str]:
        """The two lines with a number that the prompt shows: at the end of the system text, and of the worked example.

        >>> boxes()["plain"].stated
        ('[Answer] 0.5', '[Answer] 0.9')
        """
        return f"[Answer]{self.system.rpartition('[Answer]')[2]}", self.reply.splitlines()[-1]

    @property
    def shown(self) -> Exchange:
        """The worked example as an exchange."""
        return Exchange(asked(self.question), self.reply)


def asked(question: str) -> str:
    """The question as printed.

    >>> asked("Will it rain?")
    '[Q] Will it rain?'
    """
    return f"[Q] {question}"


@cache
def boxes() -> Mapping[str, PrintedPrompt]:
    """Boxes for probabilities by variant, and the box for quantities.

    >>> list(boxes())
    ['plain', 'quantity', 'opposite', 'canonical']
    """
    text = files("vivavoce.studies.forecasting").joinpath("printed.toml").read_text(encoding="utf-8")
    return {name: PrintedPrompt(**texts) for name, texts in tomllib.loads(text).items()}


def says_a_shown_line(reply: str) -> bool:
    """Whether a reply consists only of a line with a number that a printed prompt shows: perhaps a copy, perhaps a forecast.

    >>> says_a_shown_line("[Answer] 0.5"), says_a_shown_line("It is open.\\n[Answer] 0.5")
    (True, False)
    """
    return any(reply.strip() in box.stated for box in boxes().values())


VARIANTS: Final[tuple[Variant, ...]] = get_args(Variant)
PROBABILITY: Final = Probability()
QUANTITY: Final = Quantity()


@dataclass(frozen=True, slots=True)
class Instructions:
    """The user's instructions on forecasting probabilities, instead of ours."""

    name: str
    """Name of their file, without its folder."""
    text: str

    @property
    def digest(self) -> str:
        """SHA-256 of the text, in hex."""
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()


class ForecastKind(StrEnum):
    """Type of number to forecast."""

    PROBABILITY = "probability"
    QUANTITY = "quantity"


def forecast_prompt(
    question: str,
    kind: ForecastKind = ForecastKind.PROBABILITY,
    *,
    variant: Variant = "plain",
    temperature: float | None = 0.0,
    wording: Wording = "own",
    instructions: Instructions | None = None,
) -> Prompt:
    """Make the prompt for one question about the future.

    Equal questions give equal prompts in every tuple, so one recorded answer serves them all. The id is the beginning of the
    question's SHA-256; recorded answers are found by it.

    variant: only for probabilities; a quantity has no opposite, and only one prompt in the paper.
    temperature: None leaves the candidate's own setting.
    wording: our own, or the paper's.
    instructions: how to forecast a probability; None: those of the variant. The worked example stays.

    >>> prompt = forecast_prompt("Will it rain in Oslo tomorrow?")
    >>> prompt.text, len(prompt.shown), prompt.shown[0].replied.splitlines()[-1]
    ('Question: Will it rain in Oslo tomorrow?', 1, 'Answer: 22%')
    """
    if variant not in VARIANTS:
        raise UnknownName("variant", variant, VARIANTS)
    name = hashlib.sha256(question.encode("utf-8", "replace")).hexdigest()[:16]
    if wording == "printed":
        box = boxes()["quantity" if kind is ForecastKind.QUANTITY else variant]
        form = PrintedForm(QUANTITY if kind is ForecastKind.QUANTITY else PROBABILITY)
        system = box.system if instructions is None or kind is ForecastKind.QUANTITY else instructions.text
        return Prompt(asked(question), system=system, id=name, temperature=temperature, shown=(box.shown,), form=form)
    prompt = Prompt(f"Question: {question}", id=name, temperature=temperature)
    if kind is ForecastKind.QUANTITY:
        return replace(prompt, system=_QUANTITY, shown=(_counted(chosen(QUANTITIES, question)),), form=QUANTITY)
    shown = _worked(chosen(PROBABILITIES, question), variant)
    system = _SYSTEM[variant] if instructions is None else instructions.text
    return replace(prompt, system=system, shown=(shown,), form=PROBABILITY)


_TASK = """\
You are asked about events that lie in the future, as on a forecasting market. Nobody can know the outcome; say how likely it \
is. Where a question supposes that something has happened, take it as given."""
_SINGLE = """\
Think before you commit yourself: what speaks for the event, what speaks against it, how often such things have happened, and \
what rough numbers follow from each. Do not begin with the result. Settle on a single probability, never on a range."""
_OPPOSITE = """\
It will be checked whether a question and its opposite get answers that fit together. So begin by writing down the opposite \
question, which is answered by yes exactly when the original is answered by no. Keep both in view while you think: if you give \
the original the probability p, the opposite has 1 - p. The last line answers the original."""
_CANONICAL = """\
It will be checked whether one question gets one answer however it is worded. So begin by writing down its canonical wording: \
the shortest and plainest question that asks the same and leaves out nothing that matters. Think about that one; your \
probability holds for the original as well."""

_SYSTEM: Final[Mapping[Variant, str]] = MappingProxyType(
    {
        "plain": f"{_TASK}\n\n{_SINGLE}",
        "opposite": f"{_TASK}\n\n{_OPPOSITE}\n\n{_SINGLE}",
        "canonical": f"{_TASK}\n\n{_CANONICAL}\n\n{_SINGLE}",
    }
)
_QUANTITY: Final = """\
You are asked for numbers that only the future will show. Give your single best estimate.

Think before you commit yourself: where the number stands today, how fast it has changed, and what could make it change \
faster or slower. Do not begin with the result. Settle on one number, never on a range, and write it in plain digits."""


def _worked(worked: EventExample, variant: Variant) -> Exchange:
    """The worked example in the requested variant."""
    asked = worked.long_winded if variant == "canonical" else worked.question
    thoughts = [worked.speaks_for, worked.speaks_against, worked.settles]
    match variant:
        case "opposite":
            opposite = f"{worked.settles} For the opposite that leaves {1 - worked.probability:.0%}, which fits."
            thoughts = [
                f"Opposite question: {worked.opposite}",
                *thoughts[:2],
                opposite,
                f"Original question: {worked.question}",
            ]
        case "canonical":
            thoughts = [
                f"Canonical question: {worked.question}",
                *thoughts[:2],
                f"{worked.settles} That holds for either wording.",
            ]
    return Exchange(f"Question: {asked}", "\n".join([*thoughts, PROBABILITY.write(worked.probability)]))


def _counted(counted: QuantityExample) -> Exchange:
    return Exchange(f"Question: {counted.question}", "\n".join([*counted.thoughts, f"Answer: {counted.number}"]))


E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class EventExample:
    """A question about an event, with a forecaster's reasoning."""

    question: str
    opposite: str
    """The opposite question: answered yes exactly when the question is answered no."""
    long_winded: str
    """The same question in more words than it needs."""
    speaks_for: str
    speaks_against: str
    settles: str
    probability: float


@dataclass(frozen=True, slots=True)
class QuantityExample:
    """A question about a quantity, with a forecaster's reasoning."""

    question: str
    thoughts: tuple[str, ...]
    number: int


def chosen(examples: Sequence[E], question: str) -> E:
    """Choose the example for a question by the question alone.

    >>> chosen(("first", "second"), "Will it rain?") == chosen(("first", "second"), "Will it rain?")
    True
    """
    digest = hashlib.sha256(question.encode("utf-8", "replace")).digest()
    return examples[int.from_bytes(digest[:8], "big") % len(examples)]


PROBABILITIES: Final = (
    EventExample(
        "Will a spacecraft have brought rock samples from Mars back to Earth before 2035?",
        "Will no spacecraft have brought rock samples from Mars back to Earth before 2035?",
        "Is it to be the case, at some time before 2035, that material from the rocks of Mars reaches Earth by spacecraft?",
        "For it: two space agencies have worked on such a mission, and samples came back from the Moon and from asteroids, "
        "so most of the steps are known. Were the plans kept, I would say 60%.",
        "Against it: nobody has ever launched from Mars, large missions are late by years, and one programme was put on hold.",
        "A delay of one launch window already leads beyond the date, so I settle well below one half, at 31%.",
        0.31,
    ),
    EventExample(
        "Will the world record in the men's marathon be below two hours at the end of 2032?",
        "Will the world record in the men's marathon be two hours or more at the end of 2032?",
        "When 2032 has come to its end, will the fastest officially accepted men's marathon have taken less than two hours?",
        "For it: shoes have become better, the record fell by more than a minute within ten years, and a paced run was under "
        "two hours once.",
        "Against it: paced runs do not count, and courses and weather must fit on the very day.",
        "What is missing is little compared with the usual step, and there are years to go: 73%.",
        0.73,
    ),
    EventExample(
        "Will a total solar eclipse be visible from somewhere in Spain in August 2026?",
        "Will no total solar eclipse be visible from anywhere in Spain in August 2026?",
        "Can it be expected that in August 2026 there is at least one place in Spain at which the Sun is covered completely?",
        "For it: eclipses are computed centuries ahead, and the path of this one crosses the country.",
        "Against it: only clouds over the whole path could hide it, and the path is long.",
        "Little is left to chance here: 94%.",
        0.94,
    ),
    EventExample(
        "Will Iceland have joined the European Union by the end of 2030?",
        "Will Iceland be outside the European Union at the end of 2030?",
        "Is Iceland to be counted among the members of the European Union at the moment at which 2030 ends?",
        "For it: the country applied once before, and parties there speak of a referendum.",
        "Against it: a referendum, talks on fisheries and approval by all members rarely fit into five years; others took ten.",
        "Each step is uncertain and all are needed: 8%.",
        0.08,
    ),
    EventExample(
        "Will more than half of the new cars sold in Germany in 2030 be fully electric?",
        "Will at most half of the new cars sold in Germany in 2030 be fully electric?",
        "Looking at all cars newly sold in Germany during 2030, will those without any combustion engine be the larger part?",
        "For it: limits on emissions become stricter, batteries become cheaper, and makers have announced many models.",
        "Against it: sales fell when subsidies ended, and a share near one fifth would have to more than double.",
        "Growth of that kind has been seen in Norway, though with larger incentives. The two sides nearly balance: 46%.",
        0.46,
    ),
    EventExample(
        "Will a woman be Secretary-General of the United Nations at some time in 2027?",
        "Will no woman be Secretary-General of the United Nations at any time in 2027?",
        "Is there going to be a day in 2027 on which the office of the UN's Secretary-General is held by a woman?",
        "For it: the office has never been held by a woman, many states want that changed, and strong candidates are known.",
        "Against it: the permanent members decide, and they passed over several women the last time.",
        "The pressure is larger than ten years ago, and the field is open: 57%.",
        0.57,
    ),
    EventExample(
        "Will Mount Etna have erupted in at least one month of 2028?",
        "Will there be no eruption of Mount Etna in any month of 2028?",
        "Taking the months of 2028 together, will there have been any in which the volcano Etna was in eruption?",
        "For it: in most years of the last decades there was some activity, often in several months.",
        "Against it: quiet years do occur, about one in eight.",
        "The past frequency is the best guide, and nothing speaks for a change: 86%.",
        0.86,
    ),
    EventExample(
        "Will a computer program have proved the Riemann hypothesis by the end of 2031?",
        "Will the Riemann hypothesis be without a proof by a computer program at the end of 2031?",
        "By the time at which 2031 is over, will the conjecture of Riemann have been settled by a proof that a program found?",
        "For it: programs now solve problems of olympiads, and their progress is fast.",
        "Against it: people have tried for more than 150 years, and no route to a proof is in sight.",
        "Even large progress need not lead there: 3%.",
        0.03,
    ),
    EventExample(
        "Will coffee cost more in supermarkets in Italy in December 2027 than two years before?",
        "Will coffee cost the same or less in supermarkets in Italy in December 2027 than two years before?",
        "Comparing the supermarkets of Italy in December 2027 with those of two years earlier, is coffee going to be dearer?",
        "For it: prices in general rise by some two percent a year, and harvests have suffered from heat.",
        "Against it: the price had gone up steeply before, and after such peaks it has fallen in about half of the cases.",
        "Inflation tips the balance: 64%.",
        0.64,
    ),
    EventExample(
        "Will a living northern white rhinoceros calf have been born by the middle of 2029?",
        "Will no living northern white rhinoceros calf have been born by the middle of 2029?",
        "Before the second half of 2029 begins, will a calf of the northern white rhinoceros have come into the world alive?",
        "For it: embryos are in store, and an embryo of a close relative has been carried for weeks.",
        "Against it: only two old females are left, a pregnancy takes 16 months, and most transfers fail.",
        "It needs a success very soon, so I stay below one quarter, at 22%.",
        0.22,
    ),
    EventExample(
        "Will the summer sea ice of the Arctic fall below its record low of 2012 before 2030?",
        "Will the summer sea ice of the Arctic stay at or above its record low of 2012 until 2030?",
        "Does the time before 2030 hold a summer in which there is less sea ice in the Arctic than there was in 2012?",
        "For it: the trend goes down, and single years vary widely around it.",
        "Against it: the record has stood for more than a decade, and the last summers were well above it.",
        "A few summers at about one in nine each come to 38%.",
        0.38,
    ),
    EventExample(
        "Will the tallest building in the world be more than 900 metres high at the end of 2029?",
        "Will the tallest building in the world be 900 metres high or less at the end of 2029?",
        "At the end of 2029, will there be a finished building anywhere whose height is beyond 900 metres?",
        "For it: one tower of such a height is being built again after a long break.",
        "Against it: very tall buildings are finished late, often by years, and this one stood still once.",
        "Its owners name 2028, and I give that a chance of one in seven or so: 15%.",
        0.15,
    ),
)
"""Worked examples: the question, its opposite, a long-winded wording, and reasons for and against."""

QUANTITIES: Final = (
    QuantityExample(
        "How many countries will have landed a spacecraft softly on the Moon by the end of 2032?",
        (
            "By early 2024 five countries had done it: two of them in the 1960s, and three more from 2013 on. That is one "
            "further country about every four years of late.",
            "Several more are preparing a lander. On the other hand roughly every second attempt has failed, and dates slip.",
            "At the recent pace it is 5 + 8 / 4 by the end of 2032; newcomers and failures about cancel out.",
        ),
        7,
    ),
    QuantityExample(
        "How many visitors will the Louvre count in 2029, in thousands?",
        (
            "Before 2020 it had some 9,600 thousand a year, and it came back to nearly 9,000 thousand afterwards.",
            "A daily limit holds the number down; a second entrance may open, though hardly by then.",
            "The limit decides, so I stay close to the last years.",
        ),
        8900,
    ),
    QuantityExample(
        "What will be the population of Denmark at the start of 2031, in thousands?",
        (
            "It was about 5,960 thousand at the start of 2024, and it has grown by some 25 thousand a year.",
            "Births are few, and most of the growth comes from migration, which goes up and down.",
            "Seven years at that pace add about 170 thousand.",
        ),
        6130,
    ),
    QuantityExample(
        "How many medals will Kenya win at the Olympic Games of 2032?",
        (
            "In the last four Games it won between 10 and 14, nearly all of them in running.",
            "Rivals from neighbouring countries have become stronger, but so has the number of distances with a favourite.",
            "The middle of the past results is a fair guess.",
        ),
        11,
    ),
)
"""Worked examples with the reasoning before the number."""
