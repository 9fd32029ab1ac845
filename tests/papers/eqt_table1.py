"""Table 1 of `asgari2025`, as printed: the answer consistency score by category and model, and its averages."""

MODELS = ("Gemini-1.5-Pro", "GPT-4o", "Sonnet-3.5", "Llama-405B-Ins", "O1-preview")
TABLE_1 = """
business .85 .95 .96 .96 .89
law .85 .96 .97 .92 .93
psychology .84 .94 .98 .92 .89
biology .86 .95 .95 .91 .88
chemistry .87 .96 .97 .91 .91
history .89 .97 .96 .92 .92
other .86 .92 .98 .95 .90
health .86 .96 .99 .92 .93
economics .87 .95 .98 .94 .93
math .85 .97 .96 .91 .89
physics .86 .95 .94 .88 .90
computer_science .82 .97 .97 .93 .93
philosophy .83 .94 .97 .95 .89
engineering .84 .96 .98 .91 .92
"""
AVERAGES = (0.85, 0.95, 0.97, 0.92, 0.91)
CORRELATION, P_VALUE = 0.361, 3.151e-03
"""Of Figure 3a, between EQT and MMLU-Pro over all categories and models."""


def cells() -> dict[str, tuple[float, ...]]:
    """Scores by category, in the order of `MODELS`."""
    rows = (line.split() for line in TABLE_1.strip().splitlines())
    return {category: tuple(map(float, scores)) for category, *scores in rows}
