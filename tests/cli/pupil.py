"""A candidate that explains forty rules, remembers twenty of them, and does all else well."""

from __future__ import annotations

import re


def answer(prompt: str) -> str:
    """Its reply to each step of the examination."""
    if prompt.startswith("Explain"):
        return " ".join(f"Rule {n} gives {7 * n}." for n in range(1, 41))
    if "Write question number" in prompt:
        n = 4 * int(re.findall(r"question number (\d+)", prompt)[0])
        return f"Question: What does rule {n} give?\nA) {7 * n + 1}\nB) {7 * n}\nC) {n}\nD) {7 * n - 3}\nCorrect: B"
    n = int(re.findall(r"rule (\d+)", prompt)[-1])
    if "Put the question in other words" in prompt:
        return f"Paraphrase: Name the number that rule {n} gives."
    if "YES or NO" in prompt:
        return "Reason: Both ask the same.\nAnswer: YES"
    known = n <= 20 or "Rule 40 gives" in prompt
    options = {text: letter for letter, text in re.findall(r"^([A-D])\) (.*)$", prompt, re.MULTILINE)}
    return f"Answer: {options[str(7 * n if known else n)]}"


def forgetful(prompt: str) -> str:
    """The same, but it remembers nothing."""
    return answer(prompt) if "Rule 40 gives" in prompt or "Answer: A, C" not in prompt else "I do not know."
