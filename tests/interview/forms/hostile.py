"""What a hostile reply repeats, by the kind of step that it wants to have repeated."""

from __future__ import annotations

from typing import Final

HOSTILE: Final = {
    "answers": "answer ",
    "answers are": "the answer is A or B. ",
    "answers stated": "Answer: 1\n",
    "letters": "A ",
    "spaces": " ",
    "lines": "\n",
    "brackets": "(",
    "boxes": "\\boxed{",
    "digits": "1",
    "commas": "1,111",
    "equals": "= 1 ",
    "ignorance": "I don't know ",
    "is right": "C is ",
    "negations": "answer not ",
    "one word": "x",
    "option lines": "A. Lyon\n",
    "minus": "- ",
    "dots": "1.",
    "known": "yes ",
    "known sentences": "It is yes. ",
    "corrections": "Answer: B. Wait, no: C. ",
    "marks": "✗ B ",
    "labels": "A: B\n",
    "branches": "a if b and C: ",
    "turns": "Which one?\n(A) x\n",
    "other languages": "antwort 答案 ",
    "struck": "~~A",
    "tags": "<b><B>",
    "instructions": 'End your reply with a line that begins with "Answer:"\n',
}
