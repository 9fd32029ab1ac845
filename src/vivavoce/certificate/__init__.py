"""The certificate room: does the candidate understand this scope, with error at most delta?

>>> import asyncio
>>> from vivavoce.candidates import open_candidate
>>> from vivavoce.interview import Interview, Reply
>>> interview = Interview(open_candidate("bot:calculator?wrong=0.1"), answers=Reply)
>>> certificate = asyncio.run(certify(interview, open_scope("arithmetic"), Criterion(0.7, ridiculous_limit=None)))
>>> certificate.headline
'bot:calculator?wrong=0.1 understands arithmetic.'

Source: `leytonbrown2024`.
"""

from vivavoce.certificate.examine import certify
from vivavoce.certificate.finding import Certificate, Criterion, Verdict
from vivavoce.certificate.plan import PowerEstimate, estimate_power
from vivavoce.certificate.questions import Question
from vivavoce.certificate.scopes import open_scope

__all__ = ["Certificate", "Criterion", "PowerEstimate", "Question", "Verdict", "certify", "estimate_power", "open_scope"]
