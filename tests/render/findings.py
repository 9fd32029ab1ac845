"""One finding of each kind, and findings in which strangers' words stand wherever there can be any."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest

from tests.certificate.candidates import interview
from tests.certificate.claims.unsure import of, tasks
from tests.examination.made import swept
from tests.render import conftest, eqt_findings
from tests.render.conftest import HOSTILE, MARKUP, certificate, three_scopes
from tests.studies.forecasts import finding as laws
from vivavoce.candidates import open_candidate
from vivavoce.certificate.certify import Composition, certify
from vivavoce.certificate.claims.claim import Criterion
from vivavoce.certificate.claims.draws import Draws
from vivavoce.certificate.comparison.compare import compare
from vivavoce.certificate.comparison.config import ComparisonConfig, GateConfig
from vivavoce.certificate.comparison.gate import gate
from vivavoce.interview.candidate import Reply
from vivavoce.interview.interview import Interview
from vivavoce.report.reported import ReportedFinding
from vivavoce.scopes import open_scope
from vivavoce.studies.scope_studies import SCOPE_STUDIES

TASKS = tasks(40)
GRADE_ONLY = Criterion(0.7, None)
CANDIDATES = 'candidates = ["bot:calculator", { candidate = "bot:calculator?wrong=0.4", name = "<Sloppy>" }, "bot:eliza"]\n'
SCOPES = 'scopes = ["arithmetic?digits=2", { scope = "intervals", title = "Events & times" }]\nseed = 0\n'
LIMITS = "[certificate]\nunacceptable_limit = 'none'\nquestions = 60\n"


def made_in(name: str, *arguments: Any, **named: Any) -> Callable[[], ReportedFinding]:
    """What `MODULE:FUNCTION` in `tests` makes of the arguments; the module is imported when it is asked for."""

    def make() -> ReportedFinding:
        if ".chess" in name:
            pytest.importorskip("chess")
        finding: ReportedFinding = resolve_name(f"tests.{name}")(*arguments, **named)
        return finding

    given = "-".join(str(entry)[:9] for entry in (*arguments, *named.values()))
    make.__name__ = f"{name.rpartition('.')[2]}-{given}".strip("-")
    return make


def deployed() -> ReportedFinding:
    from vivavoce.certificate.claims.deployed import DeploymentCertificate

    whole = certificate(300)
    return DeploymentCertificate(
        whole, replace(whole, scope="file:used.jsonl"), whole.criterion, 300, (0.5, 0.3, 0.2), whole.signature
    )


def alignment() -> ReportedFinding:
    from tests.generalization.alignment.aligned import answers, world
    from vivavoce.generalization.alignment.human_alignment import align
    from vivavoce.generalization.config import AlignConfig

    pairs, grades = world(200, np.random.default_rng(3), skills={"good": 0.85, "poor": 0.3})
    return align(pairs, answers(**grades), AlignConfig())


def luna_simulation() -> ReportedFinding:
    from vivavoce.luna.settings import SimulationConfig
    from vivavoce.luna.simulation_finding import examine_simulation

    return examine_simulation(["3.1", "3.3"], SimulationConfig(players=12, trials=2), attacks=True)


def compared(*names: str) -> ReportedFinding:

    interviews = [Interview(open_candidate(name), answers=Reply) for name in names]
    return asyncio.run(compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0, questions=150)))


def two_compared() -> ReportedFinding:
    return compared("bot:calculator", "bot:calculator?wrong=0.3")


def several_compared() -> ReportedFinding:
    return compared("bot:calculator?wrong=0.3", "bot:calculator", "bot:calculator?wrong=0.01", "bot:gibberish")


def gated(new: str, baseline: str, **settings: Any) -> ReportedFinding:

    interviews = [Interview(open_candidate(name), answers=Reply) for name in (new, baseline)]
    return asyncio.run(gate(interviews, open_scope("arithmetic"), GateConfig(seed=0, **settings)))


def gate_passed() -> ReportedFinding:
    return gated("bot:calculator", "bot:calculator?wrong=0.3")


def gate_failed() -> ReportedFinding:
    return gated("bot:calculator?wrong=0.3", "bot:calculator")


def gate_undecided() -> ReportedFinding:
    return gated("bot:gibberish", "bot:calculator", questions=20)


def logs_compared() -> ReportedFinding:
    """Logs of 200 samples in two epochs: one has them all right, the other every third wrong, and some without a score."""
    from vivavoce.candidates.replay import LoggedReplies
    from vivavoce.formats.records import Log, LoggedAnswer
    from vivavoce.scopes.logged import samples_in_common

    def log(file: str, worth: Callable[[int], float | None], samples: int) -> Log:
        answers = (LoggedAnswer(str(n), e, f"Question {n}", "4", "4", worth(n)) for n in range(samples) for e in (1, 2))
        return Log(file, file.encode().hex() * 8, "m/one", "sums", "match", tuple(answers))

    logs = [log("a.eval", lambda n: 1.0, 200), log("b.eval", lambda n: None if n % 7 == 0 else float(n % 3 > 0), 190)]
    scope, questions = samples_in_common(logs)
    interviews = [Interview(LoggedReplies(entry, questions), answers=Reply) for entry in logs]
    return asyncio.run(compare(interviews, scope, ComparisonConfig(seed=0)))


def chess(*checks: str, **changes: Any) -> ReportedFinding:
    """Of `tests.render.test_chess_pages`, over these checks."""
    pytest.importorskip("chess")
    from vivavoce.consistency.chess.comparison import ChessCheck

    finding: ReportedFinding = resolve_name(f"tests.{CHESS}finding")(*map(ChessCheck, checks), **changes)
    return finding


def luna_series() -> ReportedFinding:
    from tests.examination.test_luna_series import plays, series

    return series(plays, 9)


def certified(draws: Draws, *p: float) -> ReportedFinding:
    asked = interview(of(TASKS, *p), concurrency=1)
    return asyncio.run(certify(asked, TASKS, GRADE_ONLY, Composition(draws=draws), seed=0, questions=200))


def certified_bot(name: str) -> ReportedFinding:
    asked = Interview(open_candidate(f"bot:{name}"), answers=Reply)
    return asyncio.run(certify(asked, open_scope("arithmetic"), GRADE_ONLY, seed=0))


def all_right() -> ReportedFinding:
    return certified(Draws(4, "all-right"), 1.0, 0.95)


def share() -> ReportedFinding:
    return certified(Draws(4, "share", 0.9), 0.97, 0.9)


def draws_compared() -> ReportedFinding:
    asked = [interview(of(TASKS, *p, name=f"test:{name}"), concurrency=1) for name, p in (("a", (1.0,)), ("b", (0.9, 0.4)))]
    return asyncio.run(compare(asked, TASKS, ComparisonConfig(seed=0, draws=3, draws_claim="all-right")))


def draws_gated() -> ReportedFinding:
    asked = [interview(of(TASKS, p, name=f"test:{name}"), concurrency=1) for name, p in (("a", 0.95), ("b", 0.9))]
    return asyncio.run(gate(asked, TASKS, GateConfig(seed=0, draws=3, questions=60)))


def sweep_table() -> ReportedFinding:
    """Certificates and comparisons."""
    return swept(CANDIDATES + SCOPES + LIMITS + "[compare]\nquestions = 40\n")


def short_sweep() -> ReportedFinding:
    """A sweep that its budget ends."""
    return swept(CANDIDATES + SCOPES + "budget = { questions = 20 }\n" + LIMITS)


BOTS = ("calculator?wrong=0.1", "eliza")
"""One that passes with some wrong answers, and one of which no reply can be graded."""
STUDIES, CHESS, GENERALIZATION, LUNA = (f"render.test_{name}_pages:" for name in ("study", "chess", "generalization", "luna"))
LIMITED = ("vary", *SCOPE_STUDIES)
"""Studies that may have a limit."""
FINDINGS: Sequence[Callable[[], ReportedFinding]] = (
    partial(certificate, 6282),
    *(partial(certified_bot, name) for name in BOTS),
    laws.alone,
    laws.several,
    eqt_findings.finding,
    eqt_findings.with_every_line,
    eqt_findings.nothing,
    eqt_findings.comparison,
    eqt_findings.benchmark,
    *(made_in(f"{STUDIES}study_finding", name) for name in ("bail", "cases", *LIMITED)),
    *(made_in(f"{STUDIES}study_finding", name, 0.1) for name in LIMITED),
    made_in(f"{STUDIES}relation_finding"),
    made_in("studies.forecasts.test_report:ways"),
    made_in(f"{STUDIES}teaching_finding"),
    made_in("consistency.legal.made_training:finding", turned=20),
    partial(chess, "forced", "recommended", "mirror", "boards"),
    made_in(f"{CHESS}study"),
    made_in(f"{CHESS}boards_searched"),
    deployed,
    three_scopes,
    partial(three_scopes, "fwer"),
    sweep_table,
    short_sweep,
    made_in(f"{GENERALIZATION}evaluation"),
    made_in(f"{GENERALIZATION}influential_pairs_finding"),
    made_in(f"{GENERALIZATION}survey_finding"),
    made_in("generalization.measurement.test_measurement:measurement", {"small": 1e9, "middle": 7e9, "large": 7e10}),
    alignment,
    two_compared,
    several_compared,
    all_right,
    share,
    draws_compared,
    draws_gated,
    logs_compared,
    gate_passed,
    gate_failed,
    gate_undecided,
    made_in(f"{LUNA}statistics_finding"),
    made_in(f"{LUNA}judged_statistics"),
    made_in(f"{LUNA}rating_finding"),
    luna_simulation,
    *(made_in(f"{LUNA}{name}") for name in ("compared", "predicted", "many_predicted", "grading")),
    luna_series,
)
"""One of each kind, and more where a report may have parts that the first one has not."""

HOSTILE_FINDINGS: Sequence[Callable[[], ReportedFinding]] = (
    conftest.hostile_certificate,
    made_in("render.test_certificate_pages:hostile_deployed"),
    made_in("render.test_certificate_pages:hostile_explained"),
    made_in("render.test_certificate_pages:hostile_graded"),
    partial(conftest.hostile_scopes, HOSTILE),
    partial(chess, "mirror", game=HOSTILE),
    made_in("render.test_eqt_pages:hostile"),
    made_in("render.test_eqt_pages:hostile_comparison"),
    made_in("render.test_eqt_pages:hostile_benchmark"),
    made_in(f"{GENERALIZATION}hostile_alignment"),
    made_in(f"{GENERALIZATION}evaluation", hostile=HOSTILE),
    made_in(f"{GENERALIZATION}influential_pairs_finding", hostile=HOSTILE),
    made_in(f"{GENERALIZATION}survey_finding", HOSTILE),
    made_in(f"{LUNA}compared", source=HOSTILE),
    made_in(f"{LUNA}predicted_of", HOSTILE),
    made_in(f"{LUNA}grading", HOSTILE),
    made_in(f"{LUNA}rating_finding", HOSTILE),
    made_in(f"{LUNA}statistics_finding", HOSTILE),
    made_in(f"{LUNA}judged_statistics", MARKUP[:100]),
    made_in(f"{STUDIES}hostile_training"),
    made_in(f"{STUDIES}relation_finding", hostile=HOSTILE),
    *(made_in(f"{STUDIES}hostile_study", name) for name in ("bail", "cases", *LIMITED)),
    made_in(f"{STUDIES}teaching_finding", hostile=HOSTILE),
    made_in("studies.forecasts.test_report:ways", HOSTILE),
    made_in("studies.forecasts.test_report:hostile_forecasts"),
)
"""Those in which candidates, files, questions and replies try to break out of where they are shown."""
