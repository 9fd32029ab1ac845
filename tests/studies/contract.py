"""What a test file of a study of scopes declares, so that the suites of all studies cover it.

They find it by the study's name, as the command line finds the study: `tests/studies/scope_studies/test_NAME.py` has a
`CONTRACT`. Tested by it are pages, terminals and hostile words (`tests/render`), plans and their rechecks
(`tests/examination/parts`), candidates without a fault (`tests/examination/test_null_data.py`), and `viva recheck`
(`tests/cli/test_recheck_consistency.py`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from vivavoce.examination.plan import config_words
from vivavoce.interview.budget import Budget
from vivavoce.interview.candidate import Candidate, Prompt, Reply
from vivavoce.interview.interview import Interview
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.studies.scope_studies import COMMAND_NAMES, scope_study
from vivavoce.studies.scope_subjects import conversed
from vivavoce.studies.study import NO_SOURCE, StudyFinding

Finding = StudyFinding[Any]
Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class StudyContract:
    """Questions, settings, a candidate with a fault and one without, and the words of the verdict on the first."""

    rows: Rows
    """Questions as a question file has them, at least 40; some are not asked if the study does not ask every question."""
    config: Any
    """The study's settings, without a limit."""
    faulty: Candidate[Prompt, Reply]
    """Shows the event in far more than 10% of cases. Replies that can't be parsed are welcome."""
    sound: Candidate[Prompt, Reply]
    """Does not show it more often than under the control."""
    fails: str
    """What follows "fails: it" at a limit of 10%, with `{}` for the measured share and `{}` for the number of cases."""

    def file(self, name: str) -> str:
        """The address of a file with the questions, written to the current folder."""
        Path(f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        return f"file:{name}.jsonl"

    def command(self, name: str) -> tuple[str, ...]:
        """Of `viva`: asks the faulty candidate, as a function of the test file."""
        candidate, words = f"function:{module_of(name)}:CONTRACT.faulty.answer", config_words(self.config, joined=True)
        return ("consistency", COMMAND_NAMES[name], candidate, *words, "--flip-limit", "0.1")


def module_of(name: str) -> str:
    """The test file of the study of that name, as a module."""
    return f"tests.studies.scope_studies.test_{name.replace('-', '_')}"


def contract_of(name: str) -> StudyContract:
    """What the test file of that study declares. Fails if it declares nothing, and says what to write."""
    module = module_of(name)
    try:
        contract = import_module(module).CONTRACT
    except (ModuleNotFoundError, AttributeError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name != module:
            raise
        remedy = "CONTRACT = StudyContract(rows, config, faulty, sound, fails), as in test_anchoring.py"
        raise AssertionError(f"{module.replace('.', '/')}.py declares no contract: write {remedy}") from None
    assert isinstance(contract, StudyContract)
    return contract


def examined(
    name: str, candidate: Candidate[Prompt, Reply], questions: Rows | ListedScope, config: Any, most: int | None = None
) -> Finding:
    """The study's finding on these questions; most: the budget in questions."""
    interview = Interview(candidate, answers=Reply, concurrency=4, budget=Budget(questions=most))
    scope = questions if isinstance(questions, ListedScope) else open_scope(questions)

    async def ask() -> Finding:
        return await scope_study(name).ask(interview, conversed(scope, config), config, NO_SOURCE)

    return asyncio.run(ask())


@cache
def faulty_finding(name: str, limit: float | None = None) -> Finding:
    """On the faulty candidate of the contract."""
    contract = contract_of(name)
    return examined(name, contract.faulty, contract.rows, replace(contract.config, flip_limit=limit))


def sound_finding(name: str, seed: int = 0) -> Finding:
    """On the sound candidate of the contract."""
    contract = contract_of(name)
    return examined(name, contract.sound, contract.rows, replace(contract.config, seed=seed))


def shares(finding: Finding, event: str) -> list[tuple[int, int, int]]:
    """Under each treatment and the control: cases with the event, those in which it is unknown, and all."""
    rates = (effect.rates[event] for effect in (*finding.effects, *finding.control))
    return [(rate.events, rate.unknown, rate.n) for rate in rates]
