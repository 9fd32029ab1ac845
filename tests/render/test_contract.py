"""What every finding can do by its report: the same suite over one of each kind."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import FrozenInstanceError, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from tests.render import draws_findings, eqt_findings, many_scopes_findings, sweep_findings
from tests.render.conftest import certificate
from tests.render.html_pages import Nesting, Outline
from tests.studies.forecasts import made as laws
from vivavoce.errors import NotEnoughEvidence
from vivavoce.render.console import print_report
from vivavoce.render.drawing import Drawing, drawing_of
from vivavoce.render.html import report_in_html
from vivavoce.render.markdown import report_in_markdown
from vivavoce.render.page import page
from vivavoce.report.blocks import Block, Card, Fold, InFull, InShort, Section
from vivavoce.report.reported import Reported, rows_of

MADE = datetime(2026, 11, 23, tzinfo=UTC)
WIDTH = 80


def bail() -> Reported:
    from tests.render.pages.test_studies import bail

    return bail()


def cases() -> Reported:
    from tests.render.pages.test_studies import cases

    return cases()


def relations() -> Reported:
    from tests.render.pages.test_relations import finding

    return finding()


def variations() -> Reported:
    from tests.render.pages.test_studies import vary

    return vary()


def ways_to_ask() -> Reported:
    from tests.studies.forecasts.test_report import ways as finding

    return finding()


def conversations() -> Reported:
    from tests.render.pages.test_studies import sycophancy

    return sycophancy()


def numbers_before() -> Reported:
    from tests.render.pages.test_studies import anchoring

    return anchoring()


def published_forecasts() -> Reported:
    from tests.render.pages.test_studies import fixed_points

    return fixed_points()


def teaching() -> Reported:
    from tests.render.pages.test_teaching import finding

    return finding()


def chess() -> Reported:
    pytest.importorskip("chess")
    from tests.render.pages.chess.test_page import finding
    from vivavoce.consistency.chess.comparison import Check

    return finding(*Check)


def chess_scaling() -> Reported:
    pytest.importorskip("chess")
    from tests.render.pages.chess.test_page import study

    return study()


def deployed() -> Reported:
    from vivavoce.certificate.several.deployed_certificate import DeploymentCertificate

    whole = certificate(300)
    return DeploymentCertificate(
        whole, replace(whole, scope="file:used.jsonl"), whole.criterion, 300, (0.5, 0.3, 0.2), whole.signature
    )


def evaluation() -> Reported:
    from tests.render.pages.generalization.test_evaluation import evaluation as made

    return made()


def influential() -> Reported:
    from tests.render.pages.generalization.test_evaluation import told

    return told()


def survey() -> Reported:
    from tests.render.pages.generalization.test_survey import found

    return found()


def measurement() -> Reported:
    from tests.generalization.measurement.test_measurement import measurement as measured

    return measured({"small": 1e9, "middle": 7e9, "large": 7e10})


def alignment() -> Reported:
    from tests.generalization.alignment.aligned import answers, world
    from vivavoce.generalization.alignment.human_alignment import align
    from vivavoce.generalization.config import AlignConfig

    pairs, grades = world(200, np.random.default_rng(3), skills={"good": 0.85, "poor": 0.3})
    return align(pairs, answers(**grades), AlignConfig())


def luna_site() -> Reported:
    from tests.render.pages.luna.test_stats import judged

    return judged()


def luna_ratings() -> Reported:
    from tests.render.pages.luna.test_rate import found

    return found()


def luna_simulation() -> Reported:
    from vivavoce.luna.settings import SimulationConfig
    from vivavoce.luna.simulation_finding import examine_simulation

    return examine_simulation(["3.1", "3.3"], SimulationConfig(players=12, trials=2), attacks=True)


def predictors_compared() -> Reported:
    from tests.render.pages.luna.test_predict import compared

    return compared()


def predictors_by_people() -> Reported:
    from tests.render.pages.luna.test_predict import learning_curve

    return learning_curve()


def predicted_ratings() -> Reported:
    from tests.render.pages.luna.test_predict import predicted

    return predicted()


def grading() -> Reported:
    from tests.render.pages.luna.test_predict import grading as made

    return made()


def luna_series() -> Reported:
    from tests.examination.test_luna_series import plays, series

    return series(plays, 9)


def compared(*names: str) -> Reported:
    import asyncio

    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.comparison.compare import compare
    from vivavoce.certificate.comparison.config import ComparisonConfig
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes import open_scope

    interviews = [Interview(open_candidate(name), answers=Reply) for name in names]
    return asyncio.run(compare(interviews, open_scope("arithmetic"), ComparisonConfig(seed=0, questions=150)))


def two_compared() -> Reported:
    return compared("bot:calculator", "bot:calculator?wrong=0.3")


def several_compared() -> Reported:
    return compared("bot:calculator?wrong=0.3", "bot:calculator", "bot:calculator?wrong=0.01", "bot:gibberish")


def gated(new: str, baseline: str, **settings: Any) -> Reported:
    import asyncio

    from vivavoce.candidates import open_candidate
    from vivavoce.certificate.comparison.config import GateConfig
    from vivavoce.certificate.comparison.gate import gate
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes import open_scope

    interviews = [Interview(open_candidate(name), answers=Reply) for name in (new, baseline)]
    return asyncio.run(gate(interviews, open_scope("arithmetic"), GateConfig(seed=0, **settings)))


def gate_passed() -> Reported:
    return gated("bot:calculator", "bot:calculator?wrong=0.3")


def gate_failed() -> Reported:
    return gated("bot:calculator?wrong=0.3", "bot:calculator")


def gate_undecided() -> Reported:
    return gated("bot:gibberish", "bot:calculator", questions=20)


def logs_compared() -> Reported:
    """Logs of 200 samples in two epochs: one has them all right, the other every third wrong, and some without a score."""
    import asyncio

    from vivavoce.candidates.logged import LoggedReplies
    from vivavoce.certificate.comparison.compare import compare
    from vivavoce.certificate.comparison.config import ComparisonConfig
    from vivavoce.formats.logged import Log, LoggedAnswer
    from vivavoce.interview.candidate import Reply
    from vivavoce.interview.interview import Interview
    from vivavoce.scopes.logged import samples_in_common

    def log(file: str, worth: Callable[[int], float | None], samples: int) -> Log:
        answers = (LoggedAnswer(str(n), e, f"Question {n}", "4", "4", worth(n)) for n in range(samples) for e in (1, 2))
        return Log(file, file.encode().hex() * 8, "m/one", "sums", "match", tuple(answers))

    logs = [log("a.eval", lambda n: 1.0, 200), log("b.eval", lambda n: None if n % 7 == 0 else float(n % 3 > 0), 190)]
    scope, questions = samples_in_common(logs)
    interviews = [Interview(LoggedReplies(one, questions), answers=Reply) for one in logs]
    return asyncio.run(compare(interviews, scope, ComparisonConfig(seed=0)))


FINDINGS: Sequence[Callable[[], Reported]] = (
    laws.alone,
    laws.several,
    eqt_findings.finding,
    eqt_findings.nothing,
    eqt_findings.comparison,
    eqt_findings.benchmark,
    bail,
    cases,
    relations,
    variations,
    ways_to_ask,
    conversations,
    numbers_before,
    published_forecasts,
    teaching,
    chess,
    chess_scaling,
    deployed,
    many_scopes_findings.three,
    sweep_findings.table,
    sweep_findings.rooms,
    sweep_findings.short,
    evaluation,
    influential,
    survey,
    alignment,
    measurement,
    two_compared,
    several_compared,
    draws_findings.all_right,
    draws_findings.share,
    draws_findings.compared,
    draws_findings.gated,
    logs_compared,
    gate_passed,
    gate_failed,
    gate_undecided,
    luna_site,
    luna_ratings,
    luna_simulation,
    predictors_compared,
    predictors_by_people,
    predicted_ratings,
    grading,
    luna_series,
)


@pytest.fixture(scope="module", params=FINDINGS, ids=lambda make: f"{make.__module__.rpartition('.')[2]}-{make.__name__}")
def finding(request: pytest.FixtureRequest) -> Reported:
    made: Reported = request.param()
    return made


@pytest.fixture(scope="module")
def html(finding: Reported) -> str:
    """The finding on a page, drawn once."""
    return str(report_in_html(finding.report(), "s1"))


def every(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Section | Fold | Card | InFull | InShort):
            yield from every(block.blocks)


def test_a_report_is_a_frozen_value_and_the_same_each_time(finding: Reported) -> None:
    report = finding.report()
    assert report == finding.report()
    for block in every(report.blocks):
        with pytest.raises(FrozenInstanceError):
            setattr(block, fields(block)[0].name, None)
    assert report.statement == finding.statement
    assert report.signature == finding.signature.line


def test_page_terminal_markdown_and_notebook_hold_the_result_and_what_is_not_shown(finding: Reported, html: str) -> None:
    report = finding.report()
    file = io.StringIO()
    print_report(report, Console(file=file, width=WIDTH))
    shown = {
        "page": Outline(html).text,
        "notebook": Outline(finding._repr_html_()).text,
        "terminal": file.getvalue(),
        "markdown": report_in_markdown(report).replace("\\", ""),
    }
    for where, text in shown.items():
        words = " ".join(text.replace("\xad", "").split())
        for caveat in finding.caveats:
            assert " ".join(caveat.split())[:200] in words, where
        assert " ".join((report.statement if where == "terminal" else report.headline).split())[:200] in words, where
    assert Nesting(html).open == []


def test_a_terminal_of_eighty_columns_is_enough(finding: Reported) -> None:
    file = io.StringIO()
    print_report(finding.report(), Console(file=file, width=WIDTH))
    *lines, _ = file.getvalue().rstrip().splitlines()
    assert [line for line in lines if len(line) > WIDTH] == []


def test_rows_are_values_between_the_ends_of_their_intervals(finding: Reported) -> None:
    tables = finding.report().tables
    assert finding.rows() == rows_of(tables[0])
    for number, table in enumerate(tables):
        for row in finding.rows(number):
            for name, value in row.items():
                assert value is None or isinstance(value, float | int | str)
                assert not (isinstance(value, float) and math.isnan(value))
                lower, upper = row.get(f"{name}, lower"), row.get(f"{name}, upper")
                if isinstance(value, float | int) and lower is not None and upper is not None:
                    assert lower - 1e-9 <= value <= upper + 1e-9, (name, row)
        assert len({tuple(row) for row in finding.rows(number)}) == min(1, len(table.rows))


def test_figures_are_drawn_and_say_what_they_show(finding: Reported, html: str) -> None:
    report = finding.report()
    drawings = [drawing for figure in report.figures if (drawing := drawing_of(figure.data)) is not None]
    labels = [value for name, value in Outline(html).attributes if name == "aria-label"]
    for number, drawing in enumerate(drawings):
        assert len(drawing.alt) > 20
        assert drawing.alt in labels
        if isinstance(drawing, Drawing):
            assert finding.plot(number).axes
    with pytest.raises(NotEnoughEvidence, match=f"has {len(drawings)} figures"):
        finding.plot(len(drawings))


def test_it_is_saved_as_values_words_and_table(finding: Reported, tmp_path: Path) -> None:
    for kind in ("json", "md", "csv"):
        finding.save(tmp_path / f"finding.{kind}")
    assert json.loads((tmp_path / "finding.json").read_text(encoding="utf-8")) == json.loads(json.dumps(finding.as_json()))
    assert (tmp_path / "finding.md").read_text(encoding="utf-8") == report_in_markdown(finding.report())
    with (tmp_path / "finding.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == len(finding.rows())


def test_it_is_saved_as_a_page_that_holds_its_report(tmp_path: Path) -> None:
    """Of whatever kind it is: the page holds a report, as it is drawn above for each of them."""
    finding = laws.alone()
    finding.save(tmp_path / "finding.html")
    saved = (tmp_path / "finding.html").read_text(encoding="utf-8")
    assert saved.startswith("<!doctype html>")
    assert finding.signature.line in saved.replace("&#34;", '"')


def test_a_line_stands_for_it(finding: Reported) -> None:
    assert repr(finding).startswith(f"<{type(finding).__name__}: ")
    assert len(repr(finding)) < 400


def test_several_stand_on_one_page() -> None:
    both: Any = [laws.alone(), eqt_findings.finding()]
    html = page(both, made=MADE, version="0.1.0")
    ids = Outline(html).values_of("id")
    assert len(ids) == len(set(ids))
    assert html.count("<article>") == 2
    assert np.all([found.signature.line in html.replace("&#34;", '"') for found in both])
