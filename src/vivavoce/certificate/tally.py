"""What is counted and kept of the answers of a run, whatever the population and whoever grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from vivavoce.certificate.agent import AgentTally
from vivavoce.certificate.draws.claim import Draws
from vivavoce.certificate.draws.found import DrawsTally
from vivavoce.certificate.first_answers import show_first
from vivavoce.certificate.questions import Question, Unit
from vivavoce.certificate.reasons import GradedBy
from vivavoce.certificate.score import overlooked
from vivavoce.certificate.trace import EvidencePath, FirstReplies, WorstAnswers
from vivavoce.certificate.unit_laws import LawTally
from vivavoce.interview.candidate import NoAnswer, Reply
from vivavoce.interview.forms.form import Outcome
from vivavoce.interview.scope import Grade


class Tally:
    """Counts answers one by one, and units by the laws over their questions.

    by: who grades.
    ruled: whether the scope's own rule grades the questions that it can grade, and they the others.
    """

    def __init__(self, draws: Draws | None = None, *, by: GradedBy = "rule", ruled: bool = False) -> None:
        self._by, self._ruled = by, ruled
        self.drawn = None if draws is None else DrawsTally(draws)
        """What came of answering each question several times; None where each is answered once."""
        self.questions = 0
        """Of the units whose questions have all been answered."""
        self.outcomes: Counter[Outcome] = Counter()
        self.turned_away = self.asked_anew = self.ridiculous = self.overlooked = self.after_turn = 0
        self.laws = LawTally()
        self.path = EvidencePath()
        self.worst = WorstAnswers(each_once=draws is not None)
        self.unread = FirstReplies(lambda grade: grade.outcome.unread)
        self.assumed = FirstReplies(lambda grade: grade.assumed)
        """Short replies that are wrong only by assumption."""
        self.agent = AgentTally()
        """What was done before answers, by candidates that say so."""

    def add(self, question: Question, answer: Reply | NoAnswer, grade: Grade) -> None:
        """Count one answer."""
        self.outcomes[grade.outcome] += 1
        self.turned_away += answer.met == "turned away"
        self.asked_anew += answer.met == "asked anew"
        self.ridiculous += grade.ridiculous
        self.overlooked += overlooked(question, answer, grade)
        self.after_turn += grade.after_turn
        by: GradedBy = "rule" if self._ruled and question.for_rule else self._by
        self.unread.add(question, answer, grade, by)
        self.assumed.add(question, answer, grade, by)
        show_first(question, answer, grade, by)
        self.agent.add(question.id, answer, grade.score)
        if not question.law:  # else it may be worse than by itself
            self.worst.add(question, answer, grade, by)

    def add_unit(self, unit: Unit, answers: Sequence[Reply | NoAnswer], grades: Sequence[Grade]) -> Sequence[Grade]:
        """Count a unit whose answers have all been counted; its grades, judged by its law."""
        judged, contradiction = self.laws.judge(unit, grades)
        if unit[0].law:
            self.ridiculous += sum(g.ridiculous for g in judged) - sum(g.ridiculous for g in grades)
            self.worst.add_unit(unit, answers, judged, contradiction)
        self.questions += len(unit) if self.drawn is None else self.drawn.add(unit, answers, judged)
        return judged
