"""The rooms of an examination, each with the question that it answers: the one place that names them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Room = Literal["certificate", "eqt", "forecasts", "bail", "alignment", "luna", "chess", "recording"]

QUESTIONS: Final[Mapping[Room, str]] = {
    "certificate": "Does it understand what it was asked about?",
    "eqt": "Does it understand its own explanations?",
    "forecasts": "Do its forecasts agree with one another?",
    "bail": "Does a worse record ever get a milder decision?",
    "alignment": "Do people know where it fails?",
    "luna": "How does it play a game of questions and answers?",
    "chess": "Do its evaluations agree with one another?",
    "recording": "What does the recording hold?",
}
"""In a reader's words, in the order in which a dossier reports them."""
