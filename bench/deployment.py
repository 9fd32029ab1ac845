"""Deployment certificates of eight real models: do they understand the questions as a whole, and as people will use them?

The questions are those of the published pairs of `vafa2024`. What people will put to a model comes from the predicted change of
their beliefs after the model's own answers; the answers are the model's graded ones. Each model is examined through the same
scope file, interview and procedure as `viva people deploy --all-questions` and `viva certify --deployed`.

    python bench/deployment.py $VIVA_DATA/human_generalization [--rule top:0.25] [--grade 0.5] [--check]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion, Verdict
from vivavoce.certificate.claims.deployed import DeploymentCertificate, deployment_of
from vivavoce.generalization.alignment.deployment import (
    UseRule,
    right_answers,
    rule_named,
    scope_rows,
    unused_questions,
    used_questions,
    write_scope,
)
from vivavoce.generalization.alignment.measures import believed_pairs, graded_model
from vivavoce.generalization.pairs import Beliefs, Grade, key_of, read_answers, read_pairs
from vivavoce.generalization.survey.cards import wording
from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope

PAIRS = ("correct_sample_with_pred.csv", "incorrect_sample_with_pred.csv")


class RecordedModel:
    """A model whose answers were graded: where it was wrong it gives another option, or the answer to another question."""

    def __init__(self, name: str, grades: Mapping[str, Grade], scope: ListedScope) -> None:
        self.name = name
        answers = {answer for question in scope.questions if not question.options for answer in question.accepted}
        self._says = {
            question.id: question.accepted[0]
            if grades.get(key_of(wording(question)))
            else min(({*question.letters} if question.options else answers).difference(question.accepted))
            for question in scope.questions
        }

    async def answer(self, question: Prompt, /) -> Reply:
        return Reply(f"Answer: {self._says[question.id]}")


async def examined(folder: Path, model: str, rule: UseRule, criterion: Criterion) -> DeploymentCertificate:
    """One model's certificate on the questions whose grades are known."""
    files = [folder / name for name in PAIRS]
    people = believed_pairs([pair for file in files for pair in read_pairs(file)], Beliefs())
    grades = read_answers(folder / "llm_correct_by_prompt.csv.gz").of(model)
    used = used_questions(people, graded_model(people, grades, model), rule)
    known = {key: answer for key, answer in right_answers(files).items() if grades.get(key) is not None}
    with tempfile.TemporaryDirectory() as position:
        file = Path(position) / "used.jsonl"
        write_scope(file, scope_rows((*used, *unused_questions(people, used)), known))
        scope = open_scope(f"file:{file}?closed=yes")
    assert isinstance(scope, ListedScope)
    interview = Interview(RecordedModel(model, grades, scope), answers=Reply)
    return await certify(interview, deployment_of(scope), criterion, seed=0)


def _cell(result: DeploymentCertificate) -> str:
    cells = []
    for entry in (result.whole, result.deployed):
        value, interval = entry.score.value or 0.0, entry.score.interval
        cells.append(f"{entry.verdict.value} | {value:.3f} [{interval.lower:.3f}, {interval.upper:.3f}], n = {entry.questions}")
    return " | ".join(cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rule", default="top:0.25")
    parser.add_argument("--grade", type=float, default=0.5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--check", action="store_true", help="fail unless the two verdicts differ for some model")
    given = parser.parse_args()
    models = read_answers(given.folder / "llm_correct_by_prompt.csv.gz").models
    criterion, rule = Criterion(given.grade, None, 0.05 / 0.9), rule_named(given.rule)
    result = [asyncio.run(examined(given.folder, model, rule, criterion)) for model in models]
    if given.json:
        print(json.dumps([entry.as_json() for entry in result]))
    else:
        print("| model | as a whole | mean score | as people will use it | mean score |\n| --- | --- | --- | --- | --- |")
        for entry in result:
            print(f"| {entry.candidate} | {_cell(entry)} |")
    differ = [entry for entry in result if set(entry.verdicts) == {Verdict.PASS, Verdict.FAIL}]
    return int(given.check and not differ)


if __name__ == "__main__":
    sys.exit(main())
