"""Findings of sweeps, held over bots."""

from __future__ import annotations

from tests.examination.sweep.held import swept
from vivavoce.report.reported import Reported

CANDIDATES = 'candidates = ["bot:calculator", { candidate = "bot:calculator?wrong=0.4", name = "<Sloppy>" }, "bot:eliza"]\n'
SCOPES = 'scopes = ["arithmetic?digits=2", { scope = "intervals", title = "Events & times" }]\nseed = 0\n'
LIMITS = "[certificate]\nridiculous_limit = 'none'\nquestions = 60\n"


def table() -> Reported:
    """Certificates and comparisons."""
    return swept(CANDIDATES + SCOPES + LIMITS + "[compare]\nquestions = 40\n")


def rooms() -> Reported:
    """Rooms alone, in which some candidates cannot be examined."""
    return swept(CANDIDATES + "seed = 0\n[vary]\nscope = 'arithmetic?digits=2'\nvary = ['typos']\nquestions = 5\n")


def short() -> Reported:
    """A sweep that its budget ends."""
    return swept(CANDIDATES + SCOPES + "budget = { questions = 20 }\n" + LIMITS)
