"""The names of the package, which imports this when one of them is first used."""

__all__ = [
    "BatchCandidate",
    "BatchInterview",
    "Budget",
    "Candidate",
    "Clock",
    "Entry",
    "Estimate",
    "Evaluation",
    "Exchange",
    "Grade",
    "Head",
    "Interval",
    "Interview",
    "NoAnswer",
    "Outcome",
    "Position",
    "Progress",
    "Prompt",
    "Record",
    "Reply",
    "Scope",
    "SharedBudget",
    "Signature",
    "Step",
    "Transcript",
    "Usage",
]

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.interview.batch_interview import BatchCandidate, BatchInterview
from vivavoce.interview.budget import Budget, SharedBudget
from vivavoce.interview.candidate import Candidate, Exchange, NoAnswer, Prompt, Reply, Step, Usage
from vivavoce.interview.candidate_kinds import Evaluation, Position
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.interview import Interview
from vivavoce.interview.progress import Progress
from vivavoce.interview.record import Entry, Head, Record
from vivavoce.interview.schedule import Clock
from vivavoce.interview.scope import Grade, Scope, Signature
from vivavoce.interview.transcript import Transcript
