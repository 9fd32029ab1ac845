"""What a reply holds of thoughts that are marked as such, told apart from its words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

_MARKS: Final = {
    "think": (r"(?:think|thinking|thoughts?)>", r"/(?:think|thinking|thoughts?)>"),  # DeepSeek R1, Qwen 3, EXAONE, Gemini
    "reasoning": (r"reasoning>", r"/reasoning>"),
    "seed": (r"seed:think>", r"/seed:think>"),  # Seed-OSS
    "mistral": (r"THINK\]", r"/THINK\]"),  # Magistral
    "kimi": (r"think▷", r"/think▷"),  # Kimi-VL
    "cohere": (r"\|START_THINKING\|>", r"\|END_THINKING\|>"),  # Command A Reasoning
    "sky": (r"\|begin_of_thought\|>", r"\|end_of_thought\|>"),  # Sky-T1, OpenThinker
    "apertus": (r"\|inner_prefix\|>", r"\|inner_suffix\|>"),
    "gemma": (r"\|channel>thought\b", r"channel\|>"),  # Gemma 4
    "harmony": (  # gpt-oss
        r"\|channel\|>(?:analysis|commentary)[^<]{0,100}<\|message\|>",
        r"(?:\|end\|><)?(?:\|start\|>assistant<)?\|channel\|>final[^<]{0,100}<\|message\|>",
    ),
}
"""How models open and close a thought, by kind, behind the first bracket: what one kind opens, only that kind closes."""
_MARK: Final = re.compile(
    r"[<\[◁](?:"  # by these alone most of a reply is passed over, fast
    + "|".join(f"(?P<{kind}>{opens})|(?P<{kind}_end>{closes})" for kind, (opens, closes) in _MARKS.items())
    + ")",
    re.IGNORECASE,
)
_BARE: Final = re.compile(r"analysis(?=[A-Z])")
_BARE_END: Final = "assistantfinal"
"""What is left of gpt-oss's marks where a server drops its special tokens."""
_FRAME: Final = re.compile(
    r"\A(?:<\|START_RESPONSE\|>|<\|begin_of_solution\|>)\s*"
    r"|\s*(?:<\|END_RESPONSE\|>|<\|end_of_solution\|>|<\|return\|>|<\|end\|>)\Z"
)
"""What such models put around the words that follow a thought."""
_QUOTES: Final = frozenset("\"'`“”‘’«»")
"""A mark behind one of these is spoken of, not used."""


class Split(NamedTuple):
    """A reply in two parts."""

    thoughts: str
    """Without the marks; of a thought that has no end, the whole reply as it came."""
    words: str
    """What is left: empty where a thought has no end."""
    ended: bool
    """Whether every thought has an end. One that has none was cut off, and what would have followed it is not known."""


@lru_cache(maxsize=4)
def split_thoughts(text: str) -> Split:
    """Tell thoughts from words, in time that grows with the length of the text alone.

    A thought begins at the start of the text or of a line. In the midst of a line it needs an end as well, else the mark is
    only spoken of; in quotes it always is. An end without a beginning ends a thought, since some servers drop the beginning.
    What is left when a reply has been split stays as it is when it is split again.

    >>> split_thoughts("<think>12? No.</think> Answer: 13")
    Split(thoughts='12? No.', words='Answer: 13', ended=True)
    >>> split_thoughts("12? No.</think> Answer: 13").words, split_thoughts("<think>Answer: 12").words
    ('Answer: 13', '')
    >>> split_thoughts("I use the <think> tag.").words
    'I use the <think> tag.'
    """
    bare = _BARE.match(text)
    before, found, after = text.rpartition(_BARE_END)
    if found:
        rest = split_thoughts(after.strip())
        return (
            rest._replace(thoughts=before[bare.end() if bare else 0 :].strip()) if rest.ended else Split(text, "", ended=False)
        )
    if bare:
        return Split(text, "", ended=False)
    marks = list(_MARK.finditer(text))
    last_end = {str(mark.lastgroup).removesuffix("_end"): mark.end() for mark in marks if _ends(mark)}
    thoughts: list[str] = []
    words: list[str] = []
    opened = spoken_of = ""
    taken = seen = 0  # all before `taken` has its place; all before `seen` has been looked at
    for mark in marks:
        kind = str(mark.lastgroup).removesuffix("_end")
        between = text[seen : mark.start()].rstrip(" \t")
        at_start = between.endswith("\n") or (not between and seen == taken)
        seen = mark.end()
        if opened:
            if kind != opened or not _ends(mark):
                continue
            opened = ""
            thoughts.append(text[taken : mark.start()])
        elif _ends(mark):
            if kind == spoken_of or _quoted(text, mark):
                spoken_of = ""
                continue
            thoughts += [*words, text[taken : mark.start()]]
            words = []
        else:
            if _quoted(text, mark) or not (at_start or mark.end() < last_end.get(kind, 0)):
                spoken_of = kind
                continue
            opened, spoken_of = kind, ""
            words.append(text[taken : mark.start()])
        taken = mark.end()
    if opened:
        return Split(text, "", ended=False)
    if not thoughts:
        return Split("", text, ended=True)
    left = " ".join(filter(None, (part.strip(" \t") for part in (*words, text[taken:])))).strip()
    return Split("\n\n".join(filter(None, map(str.strip, thoughts))), _FRAME.sub("", left).strip(), ended=True)


def _ends(mark: re.Match[str]) -> bool:
    return str(mark.lastgroup).endswith("_end")


def _quoted(text: str, mark: re.Match[str]) -> bool:
    return text[max(0, mark.start() - 1) : mark.start()] in _QUOTES
