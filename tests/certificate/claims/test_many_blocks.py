"""Several scopes by batches: verdicts are those of one question after the other, in few blocks."""

from __future__ import annotations

from tests.certificate.by_batch import ByBatch
from tests.certificate.candidates import Expert, interview
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.many_scopes_finding import ManyScopes
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

CRITERION = Criterion(0.7, None)
SCORES = {"easy": 0.95, "middling": 0.82, "hard": 0.3}


class ExpertById(Expert):
    """Knows as much as the first part of a question's id says."""

    def right(self, prompt: object) -> bool:
        self.score = SCORES[prompt.id.split(".")[0]]  # type: ignore[attr-defined]
        return super().right(prompt)  # type: ignore[arg-type]


def scope(name: str, size: int = 400) -> ListedScope:
    questions = (Question(f"{name}.{n}", f"{name} {n}?", options=("yes", "no"), accepted=("A",)) for n in range(size))
    return ListedScope(name=name, questions=tuple(questions))


async def examined(candidate: object, seed: int) -> ManyScopes:
    asked = interview(candidate)  # type: ignore[arg-type]
    scopes = await certify(asked, [scope(name) for name in SCORES], CRITERION, Composition(correction="fwer"), seed=seed)
    assert isinstance(scopes, ManyScopes)
    return scopes


async def test_verdicts_are_those_of_one_question_after_the_other() -> None:
    for seed in range(2):
        mind = ExpertById(0.0, salt=f"{seed}")
        by_batch = ByBatch(mind)
        scopes, direct = await examined(by_batch, seed), await examined(mind, seed)
        # each scope draws by itself, and the family-wise rule judges each by itself
        assert [(result.verdict, result.questions) for result in scopes.scopes] == [
            (result.verdict, result.questions) for result in direct.scopes
        ]
        needed = sum(result.questions for result in scopes.scopes)
        assert scopes.asked <= sum(by_batch.lines.values())
        assert sum(by_batch.lines.values()) <= 1.5 * needed + 20
        assert len(by_batch.batches) < needed / 4
