"""Three made-up companies with two documents each, of some 4,000 words a company, and the facts that they state.

The documents are written from compact rules, so facts and documents can't disagree: `companies()[0].write(folder)` writes the
files, and `companies()[0].facts` are questions with right answers, plausible wrong ones, and the words that state them.
"""

from __future__ import annotations

from functools import cache

from tests.companies import bikes, bikes_manual, furniture, insurer
from tests.companies.policy import Company


@cache
def companies() -> tuple[Company, ...]:
    """A bike rental (md), a health insurer (html) and a furniture maker (docx)."""
    return (
        Company("Kranich bike rental", (bikes.terms(), bikes_manual.manual())),
        Company("Aarau Valley Health", (insurer.handbook(), insurer.guide())),
        Company("Eichholt & Daughters", (furniture.warranty(), furniture.repairs())),
    )
