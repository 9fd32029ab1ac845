"""What a page of a running examination shows, with a made-up clock."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise
from typing import Any

import pytest

from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.deployed import deployment_of
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate
from vivavoce.interview.candidate import NoAnswer, Prompt, Reply, Usage
from vivavoce.interview.interview import Interview
from vivavoce.interview.notation import QuestionOutcome
from vivavoce.interview.progress import Progress
from vivavoce.interview.results import AnswerEvent, spectator
from vivavoce.render.live import LATEST, LONGEST, Watch
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes import open_scope
from vivavoce.scopes.listed_and_endless import ListedScope
from vivavoce.scopes.questions import Question

HOSTILE = "<script>alert(1)</script>"


def heard(question: str, reply: Reply | NoAnswer, candidate: str = "bot:x") -> AnswerEvent:
    return AnswerEvent(candidate, QuestionOutcome(reply, Usage()), asked=Prompt(question))


class EveryFinding(Watch):
    """Looks at each finding, with what was shown of it."""

    def __init__(self) -> None:
        self.findings = list[ReportedFinding]()
        super().__init__("test", clock=lambda: 60.0 * len(self.findings))

    def stands(self, finding: Any) -> None:
        super().stands(finding)
        assert self._finding is not None
        self.findings.append(self._finding)


def watched(examination: Any) -> tuple[EveryFinding, Any]:
    """What was seen of an examination, and what it found."""
    watch = EveryFinding()

    async def held() -> Any:
        spectator.set(watch)
        return await examination()

    return watch, asyncio.run(held())


def asks(name: str) -> Interview[Prompt, Reply]:
    return Interview(open_candidate(name), answers=Reply)


@pytest.mark.parametrize("scopes", ["arithmetic", "several"])
def test_an_examination_stands_as_it_would_end_and_ends_the_same_unwatched(scopes: str) -> None:
    def examination() -> Any:
        scope: Any = open_scope("arithmetic") if scopes == "arithmetic" else [open_scope("arithmetic"), open_scope("intervals")]
        return certify(asks("bot:calculator?wrong=0.5"), scope, Criterion(0.7, None), seed=3)

    watch, result = watched(examination)
    assert asyncio.run(examination()).as_json() == result.as_json()
    assert len(watch.findings) == (result.questions if scopes == "arithmetic" else result.asked)
    if scopes == "arithmetic":
        assert [finding.as_json()["figures"]["questions"] for finding in watch.findings] == list(range(1, result.questions + 1))
        assert [finding.as_json()["verdict"] for finding in watch.findings][-1] == result.verdict.value == "fail"
        assert "it is under way" in watch.findings[0].statement
        last: Any = watch.findings[-1]
        assert last.path == result.path


@pytest.mark.parametrize("kind", ["compare", "gate"])
def test_a_comparison_stands_after_every_question(kind: str) -> None:
    names = ("bot:calculator?wrong=0.4", "bot:calculator")

    def examination() -> Any:
        interviews = [asks(name) for name in names]
        if kind == "gate":
            return gate(interviews, open_scope("arithmetic"), GateConfig(seed=0))
        return compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0))

    watch, result = watched(examination)
    assert asyncio.run(examination()).as_json() == result.as_json()
    verdicts = [finding.as_json()["verdict"] for finding in watch.findings]
    assert verdicts[-1] == result.verdict
    assert set(verdicts[:-1]) == {"undecided"}


def used() -> ListedScope:
    """Sums of which larger ones are asked more."""
    sums = (Question(str(n), f"What is {n} + 1?", accepted=(str(n + 1),), weight=n + 1) for n in range(99))
    return ListedScope("sums", tuple(sums))


@pytest.mark.parametrize("kind", ["certify", "several", "deployed", "compare", "compare several", "gate"])
def test_no_verdict_is_shown_before_the_end(kind: str) -> None:
    scope = open_scope("arithmetic")

    def examination() -> Any:
        if kind in ("certify", "several", "deployed"):
            scopes: dict[str, Any] = {"several": [scope, open_scope("intervals")], "deployed": deployment_of(used())}
            return certify(asks("bot:calculator?wrong=0.5"), scopes.get(kind, scope), Criterion(0.7, None), seed=3)
        if kind == "compare several":
            names = ("bot:calculator?wrong=0.4", "bot:calculator", "bot:calculator?wrong=0.9")
            return compare([asks(name) for name in names], scope, ComparisonConfig(seed=0))
        interviews = [asks(name) for name in ("bot:calculator?wrong=0.4", "bot:calculator")]
        if kind == "gate":
            return gate(interviews, scope, GateConfig(seed=0))
        return compare(interviews, scope, ComparisonConfig(seed=0))

    watch, result = watched(examination)
    watch(Progress(25, 21, 0, 0, 0, 4, Usage(), 10.0, 337))
    body = str(watch.body())
    assert "<h1>Running, 21 of about 337</h1>" in body
    assert 'class="verdict"' not in body
    assert result.report().headline not in body.replace("&#39;", "'")
    told_early = "Undecided|Fail|>(pass|fail|better|worse)<|shown:|[(]([≥≤]|&lt;|&gt;)"
    assert not re.search(told_early, re.sub("<svg.*?</svg>", "", body, flags=re.DOTALL))  # plots have a line for each claim
    watch.over(result, "Ended")
    assert 'class="verdict"' in str(watch.body())


def test_with_a_fixed_number_of_questions_nothing_is_shown_before_the_end() -> None:
    from vivavoce.certificate.certify import Composition

    watch = Watch("test", clock=lambda: 0.0)

    async def held() -> Any:
        spectator.set(watch)
        composition = Composition(procedure="fixed")
        return await certify(asks("bot:calculator"), open_scope("arithmetic"), Criterion(0.7, None), composition, questions=30)

    asyncio.run(held())
    assert "Certificate" not in watch.body()
    assert "What is " in watch.body()


def test_a_seed_that_is_not_revealed_is_not_shown() -> None:
    watch, result = watched(lambda: certify(asks("bot:calculator"), open_scope("arithmetic"), Criterion(0.7, None)))
    assert result.signature.seed is not None
    shown = [finding.signature.seed for finding in watch.findings]
    assert shown == [None] * len(shown)
    assert not any(str(result.signature.seed) in str(finding.report()) for finding in watch.findings)


def test_texts_are_escaped_cut_and_the_latest_come_first() -> None:
    watch = Watch(HOSTILE)
    for number in range(LATEST + 3):
        watch.heard(heard(f"question {number} {HOSTILE}", Reply(HOSTILE + "x" * 5_000), HOSTILE))
    watch.heard(heard("last", NoAnswer("time-out after 1 s")))
    body = str(watch.body())
    assert "<script" not in body
    assert body.count("&lt;script&gt;alert(1)") >= LATEST
    assert len(body) < LATEST * 3 * LONGEST
    assert body.index("last") < body.index("question 12") < body.index("question 4")
    assert "question 3 " not in body
    assert "no answer: time-out after 1 s" in body


async def test_what_fails_is_not_shown_and_ends_nothing() -> None:
    watch = Watch("certify")

    def fails() -> object:
        raise ZeroDivisionError

    watch.stands(fails)
    watch.stands(lambda: "no finding")
    assert "certify" in watch.body()


async def test_a_finding_costs_at_most_a_twentieth_of_the_time() -> None:
    now, made = 0.0, list[float]()
    watch = Watch("certify", clock=lambda: now)

    def finding() -> object:
        nonlocal now
        made.append(now)
        now += 0.5
        return None

    while now < 40:
        watch.stands(finding)
        now += 0.1
    gaps = [after - before for before, after in pairwise(made)]
    assert len(made) == 4  # 40 s at .5 s of every 10.5
    assert min(gaps) >= 10.5


def test_rooms_are_listed_with_their_news() -> None:
    watch = Watch("examine")
    watch.room("certificate", "")
    watch(Progress(3, 2, 0, 0, 0, 1, Usage(), 1.0, 10))
    assert "certificate: under way" in watch.body()
    assert "2 of about 10 answered" in watch.body()
    watch.room("certificate", "It understands.")
    watch.room("eqt", "")
    assert "certificate: It understands." in watch.body()
    assert "2 of about 10" not in watch.body()
    watch.over(None, "Ended")
    assert "Ended" in watch.body()
