"""The prompts of Boxes 1 to 4 of `fluri2024`, word for word, for those who repeat the paper (`ForecastsConfig.prompts`).

Departures. Each mark in brackets, such as `[Answer]`, begins a line, and so does what follows the derived question: the text
that we have runs them together. Replies are read by our own reader, which takes percentages, too.

Small models copy the one worked example, its number included. Our own prompts have a dozen, of which the question chooses one
(`prompts`), so that who copies contradicts itself; who copies the printed one is consistent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from vivavoce.interview.candidate import Exchange
from vivavoce.studies.forecasting.config import Variant


@dataclass(frozen=True, slots=True)
class Box:
    """A printed prompt."""

    system: str
    question: str
    """Of the worked example."""
    reply: str

    @property
    def stated(self) -> tuple[str, str]:
        """The lines with a number that it shows: at the end of its system text, and of the worked example.

        >>> PROBABILITY.stated
        ('[Answer] 0.5', '[Answer] 0.9')
        """
        return f"[Answer]{self.system.rpartition('[Answer]')[2]}", self.reply.splitlines()[-1]

    @property
    def shown(self) -> Exchange:
        """The worked example as it is put."""
        return Exchange(asked(self.question), self.reply)


def asked(question: str) -> str:
    """A question as it is put.

    >>> asked("Will it rain?")
    '[Q] Will it rain?'
    """
    return f"[Q] {question}"


PROBABILITY: Final = Box(
    system=(
        "The user needs help on a few prediction market questions. You should always output a single best probability "
        "estimate, without any intervals. It is important that you do not output the probability outright. Rather, you "
        "should consider multiple views, along with the intermediate estimates; and only then produce the final numerical "
        "answer in the last line, like this: [Answer] 0.5"
    ),
    question="Will China’s CO2 emissions peak before 2030?",
    reply=(
        "China is responsible for 27 per cent of global emissions, making it the highest carbon emitting country. On the YES "
        'side, China has pledged to peak CO2 emissions "before 2030" and to reduce its carbon intensity by "over 65%" in '
        "2030 from 2005 levels. China has also announced its aim for carbon neutrality by 2060, which implies a rapid "
        "decline of emissions after peaking. According to some analyses, China is set to significantly overachieve its 2030 "
        "climate goals under current policies. Therefore, I estimate that the probability of China’s CO2 emissions peaking "
        "before 2030 is very high.\n"
        "On the NO side, China’s economy is still reportedly growing at more than 4% per year. Additionally, the upcoming AI "
        "race might require large investments in energy-intensive industries.\n"
        "Hence, I estimate that the probability of China’s CO2 emissions peaking before 2030 is around 90%.\n"
        "[Answer] 0.9"
    ),
)
QUANTITY: Final = Box(
    system=(
        "The user needs help on a few prediction market questions. You should always output a single best numerical "
        "estimate, without any intervals. It is important you do not output the answer outright. Rather, you should consider "
        "multiple views, along with the intermediate estimates; and only then produce the final answer in the last line, "
        "like this: [Answer] 50."
    ),
    question="How many people will have climbed all 14 of the world’s 8,000-meter peaks by the year 2030?",
    reply=(
        "To estimate the number of people who will have climbed all 14 of the world’s 8,000-meter peaks by the year 2030, we "
        "can consider the following factors: 1. Current number of climbers: As of 2021, around 44 people have successfully "
        "climbed all 14 peaks. 2. Climbing trend: The first person to achieve this feat did so in 1986, and since then, the "
        "number of climbers completing all 14 peaks has been increasing. We can estimate that around 2-3 climbers achieve "
        "this feat per year on average. 3. Future growth: Considering advancements in climbing gear, technology, and "
        "increased interest in mountaineering, it is possible that the rate of climbers achieving this goal could increase "
        "over the next decade. 4. Potential obstacles: Factors such as climate change, government restrictions, and global "
        "events (e.g., pandemics) could impact the number of climbers attempting and achieving this feat.\n"
        "Taking these factors into account, let’s estimate the number of people who will have climbed all 14 peaks by 2030: "
        "Current climbers (44) + (Average annual climbers (2.5) * Years remaining (9)) = 44 + (2.5 * 9) = 44 + 22.5 = 66.5\n"
        "[Answer] 67"
    ),
)
OPPOSITE: Final = Box(
    system=(
        "The user needs help on a few prediction market questions. This is a part of a test which checks whether you provide "
        "consistent answers when asked about the negation of a question. At the start of your response, you should derive "
        "the opposite of the question. During your reasoning, make sure you consider the opposite question and that, if your "
        "final answer is p, the answer to the opposite question is 1-p. You should always output a single best probability "
        "estimate, without any intervals. It is important that you do not output the probability outright. Rather, you "
        "should consider multiple views, along with the intermediate estimates; and only then produce the final numerical "
        "answer in the last line, like this: [Answer] 0.5"
    ),
    question="Will over half of the US Senate be women in 2035?",
    reply=(
        "[Opposite Q] Will less than or equal to half of the US Senate be women in 2035?\n"
        "As of 2023, women make up about a quarter of the US Senate (25 out of 100 seats). The number of women in the Senate "
        "has been gradually increasing over the past few decades; it hit 20 in 2013, and it was 14 in 2003, and just 7 in "
        "1993. The current rate of growth is about 5-6 per 10 years. If the trend continues, the number of women in the US "
        "Senate in 2035 will likely be between 30 and 35, far from half of the US Senate.\n"
        "However, societal attitudes towards women in politics are changing. More women are running for office and winning "
        "elections than ever before. There is also growing public support for gender equality in politics. If these trends "
        "accelerate, it’s possible that we could see a significant increase in the number of women in the Senate. Political "
        "developments could also influence the gender balance in the Senate. For example, if there were a major push for "
        "gender equality in politics, this could lead to more women being elected. Alternatively, if there were a backlash "
        "against the progress of women in politics, this could slow down or even reverse the current trend.\n"
        "Given these factors, I would estimate that the probability of over half of the US Senate being women in 2035 is "
        "relatively low, but not impossible: around 10%. Considering the opposite question, the probability of less than or "
        "equal to half of the US Senate being women in 2035 is likely to be relatively high, given the current trend and "
        "potential obstacles to rapid change.\n"
        "Hence, I would estimate the probability of over half of the US Senate being women in 2035 to be around 10%. This "
        "implies that the probability of less than or equal to half of the US Senate being women in 2035 is around 90%.\n"
        "[Original Q] Will over half of the US Senate be women in 2035?\n"
        "[Answer] 0.1"
    ),
)
CANONICAL: Final = Box(
    system=(
        "The user needs help on a few prediction market questions. This is a part of a test to check whether you provide "
        "consistent answers when asked the same question in a different way. At the start of your response, derive the "
        "*canonical* version of the question: it’s a short and simple paraphrase of the question, keeping all the relevant "
        "information. During your reasoning, make sure you answer the canonical version and that, if your final answer is p, "
        "the answer to both the original question and the canonical version is p. You should always output a single best "
        "probability estimate, without any intervals. It is important that you do not output the probability outright. "
        "Rather, you should consider multiple views, along with the intermediate estimates; and only then produce the final "
        "numerical answer in the last line, like this: [Answer] 0.5"
    ),
    question="By 2035, will women occupy more than 50% of the seats in the US Senate?",
    reply=(
        "[Canonical Paraphrase] Will over half of the US senate be women in 2035?\n"
        "As of 2023, women make up about a quarter of the US Senate (25 out of 100 seats). The number of women in the Senate "
        "has been gradually increasing over the past few decades; it hit 20 in 2013, and it was 14 in 2003, and just 7 in "
        "1993. The current rate of growth is about 5-6 per 10 years. If the trend continues, the number of women in the US "
        "Senate in 2035 will likely be between 30 and 35, far from half of the US Senate.\n"
        "However, societal attitudes towards women in politics are changing. More women are running for office and winning "
        "elections than ever before. There is also growing public support for gender equality in politics. If these trends "
        "accelerate, it’s possible that we could see a significant increase in the number of women in the Senate. Political "
        "developments could also influence the gender balance in the Senate. For example, if there were a major push for "
        "gender equality in politics, this could lead to more women being elected. Alternatively, if there were a backlash "
        "against the progress of women in politics, this could slow down or even reverse the current trend.\n"
        "Given these factors, I would estimate that the probability of more than 50% of the US Senate being women in 2035 is "
        "relatively low, but not impossible: around 10%. Hence, I would estimate the probability of over half of the US "
        "Senate being women in 2035 to be around 10%.\n"
        "[Original Q] By 2035, will women occupy more than 50% of the seats in the US Senate?\n"
        "[Answer] 0.1"
    ),
)

BOXES: Final[Mapping[Variant, Box]] = MappingProxyType({"plain": PROBABILITY, "opposite": OPPOSITE, "canonical": CANONICAL})
"""For probabilities; quantities have one (`QUANTITY`)."""


def says_a_shown_line(reply: str) -> bool:
    """Whether a reply is nothing but a line with a number that a printed prompt shows: perhaps a copy, perhaps a forecast.

    >>> says_a_shown_line("[Answer] 0.5"), says_a_shown_line("It is open.\\n[Answer] 0.5")
    (True, False)
    """
    return any(reply.strip() in box.stated for box in (*BOXES.values(), QUANTITY))
