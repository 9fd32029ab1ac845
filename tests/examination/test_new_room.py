"""A new room takes six files and a line in each of two tables: a made-up one, added to a copy of the package.

It asks some sums several times each: does the candidate answer the same when it is asked again?
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import ndiff
from pathlib import Path
from typing import Final

import pytest

import vivavoce
from tests.begun import begun

CONFIG: Final = '''\
"""How the same is asked again: every setting, once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from vivavoce.settings import Within, check, setting


@dataclass(frozen=True, slots=True)
class RetestConfig:
    """How the same is asked again."""

    repeats: Annotated[int, Within(2, 20)] = setting(2, "How often each question is asked.")

    def __post_init__(self) -> None:
        check(self)
'''
EXAMINE: Final = '''\
"""The examination: every question several times, each time in a conversation of its own."""

from __future__ import annotations

from contextlib import aclosing
from typing import Final

from vivavoce.interview.candidate import Prompt, Reply
from vivavoce.interview.scope import Signature
from vivavoce.interview.forms.number import Number
from vivavoce.interview.interview import Interview
from vivavoce.interview.reading import read
from vivavoce.retest.config import RetestConfig
from vivavoce.retest.finding import Asked, Retest
from vivavoce.version import __version__

QUESTIONS: Final = tuple(f"What is {number} + {3 * number}?" for number in range(17, 25))


async def ask_again(interview: Interview[Prompt, Reply], config: RetestConfig) -> Retest:
    """Does the candidate answer the same when it is asked again? Where the budget ends, whole questions count."""
    asked: list[Asked] = []
    answers: list[str | None] = []
    prompts = (Prompt(text, id=text, form=Number()) for text in QUESTIONS)
    several = (prompt for prompt in prompts for _ in range(config.repeats))
    async with aclosing(interview.ask_in_order(several, topic="retest")) as replies:
        async for prompt, reply in replies:
            answers.append(read(prompt, reply).value)
            if len(answers) == config.repeats:
                asked.append(Asked(prompt.text, tuple(answers)))
                answers = []
    name = interview.candidate.name
    settings = {"repeats": config.repeats, **interview.settings}
    signature = Signature(__version__, "retest", name, "sums", "", 0, settings)
    return Retest(name, tuple(asked), signature, interview.caveats)
'''
FINDING: Final = '''\
"""What asking again has found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vivavoce.formats.interval import Estimate, Interval
from vivavoce.formats.json_values import to_json
from vivavoce.formats.wording import count, name_of, percent, percent_interval
from vivavoce.interview.scope import Signature
from vivavoce.report.blocks import Caveats, Column, Report, ReportRow, ReportTable
from vivavoce.report.cells import TableCell, share_cell
from vivavoce.report.reported import ReportedFinding
from vivavoce.statistics.bounds import clopper_pearson_lower, clopper_pearson_upper


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what was answered each time; None where that could not be read."""

    question: str
    answers: tuple[str | None, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Retest(ReportedFinding):
    """How often the same question got different answers."""

    candidate: str
    asked: tuple[Asked, ...]
    signature: Signature
    asked_so: tuple[str, ...] = ()

    @property
    def changed(self) -> Estimate:
        """The share of questions with different answers, of those whose answers could all be read; 95%, Clopper-Pearson."""
        compared = [one for one in self.asked if None not in one.answers]
        n, changed = len(compared), sum(len(set(one.answers)) > 1 for one in compared)
        if not n:
            return Estimate(None, Interval(0, 1), 0)
        return Estimate(
            changed / n, Interval(clopper_pearson_lower(changed, n, 0.025), clopper_pearson_upper(changed, n, 0.025)), n
        )

    @property
    def statement(self) -> str:
        """The result in one sentence."""
        changed = self.changed
        if changed.value is None:
            return f"Whether {name_of(self.candidate)} answers the same when asked again is not known: nothing could be read."
        share = f"{percent(changed.value)} {percent_interval(changed.interval)}"
        return f"{name_of(self.candidate)} changes its answer to {share} of {count(changed.n)} questions when asked again."

    @property
    def caveats(self) -> tuple[str, ...]:
        """What that does not show."""
        return ("The same answer each time may be wrong each time.", *self.asked_so)

    def report(self) -> Report:
        """All of it as blocks."""
        every = ReportRow(TableCell("All"), (share_cell(self.changed),))
        share = ReportTable((Column("Questions"), Column("Answer changed")), (every,))
        rows = tuple(ReportRow(TableCell(one.question), (TableCell(", ".join(map(str, one.answers))),)) for one in self.asked)
        return Report(
            kind="Asked again",
            title=f"Does {name_of(self.candidate)} answer the same when asked again?",
            headline=self.statement,
            blocks=(share, ReportTable((Column("Question"), Column("Answers")), rows), Caveats(self.caveats)),
            statement=self.statement,
            signature=self.signature.line,
        )

    def as_json(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {
            "statement": self.statement,
            "candidate": self.candidate,
            "changed": to_json(self.changed),
            "asked": [{"question": one.question, "answers": list(one.answers)} for one in self.asked],
            "caveats": list(self.caveats),
            "signature": self.signature.line,
        }
'''
COMMAND: Final = '''\
"""`viva retest`: does a candidate answer the same when asked again?"""

from __future__ import annotations

from typing import Any

import click

from vivavoce.cli import options
from vivavoce.cli.asking import asking_of, examining_options
from vivavoce.cli.options import config_options
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.help import command
from vivavoce.cli.output import show
from vivavoce.retest.config import RetestConfig


@command(epilog=exit_codes(GOES_ON))
@click.argument("candidate")
@config_options(RetestConfig)
@examining_options
def retest(*, candidate: str, **given: Any) -> None:
    """Does CANDIDATE answer the same when it is asked again?"""
    from vivavoce.candidates import open_candidate
    from vivavoce.retest.examine import QUESTIONS, ask_again

    config, asking = options.taken_out(given, RetestConfig), asking_of(given)
    finding = asking.examined(
        open_candidate(candidate),
        lambda interview: ask_again(interview, config),
        expected=len(QUESTIONS) * config.repeats,
    )
    show(finding)
'''
PART: Final = '''\
"""Asking again as part of an examination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from vivavoce.examination.part import Claim, ComparableFigure
from vivavoce.examination.plan import config_words, in_a_plan
from vivavoce.examination.part import ExaminationConfig, ExaminationContext, ExaminationCost, ExaminationPart, priced
from vivavoce.examination.plan import PlanSection
from vivavoce.report.reported import ReportedFinding
from vivavoce.retest.config import RetestConfig

TOKENS: Final = (60, 20)
"""Of a typical question and reply: a guess to decide by."""


@dataclass(frozen=True, slots=True)
class RetestPlan(PlanSection):
    """How the same is asked again."""

    config: RetestConfig = in_a_plan(RetestConfig)


INIT: Final = """\\
[retest]                         # the same sums several times
repeats = 2                      # how often each is asked
"""


class RetestPart(ExaminationPart):
    """Does it answer the same when asked again?"""

    room = "retest"
    question = "Does it answer the same when it is asked again?"
    section = RetestPlan
    init = INIT

    def cost_estimate(self, examination: ExaminationConfig, candidate: object) -> ExaminationCost:
        """Every question as often as the plan says."""
        from vivavoce.retest.examine import QUESTIONS

        calls = len(QUESTIONS) * _config(examination).repeats
        return priced(candidate, calls, calls * TOKENS[0], calls * TOKENS[1])

    async def run(self, table: ExaminationContext) -> list[tuple[ReportedFinding, str]]:
        """One finding."""
        from vivavoce.retest.examine import ask_again

        examination, config = table.examination, _config(table.examination)
        interview = table.interview(self.cost_estimate(examination, table.candidate).calls)
        words = ("retest", examination.candidate, *config_words(config))
        return [(await ask_again(interview, config), examination.command(*words))]

    def claims(self, finding: Any) -> tuple[Claim, ...]:
        """There is no verdict."""
        known = finding.changed.value is not None
        return (Claim("measured", finding.statement) if known else Claim("unknown", "whether it answers the same again"),)

    def figures(self, finding: Any) -> tuple[ComparableFigure, ...]:
        """The share of questions with different answers."""
        return (ComparableFigure.of("answers that change", finding.changed, "share", "retest"),)


def _config(examination: ExaminationConfig) -> RetestConfig:
    return (examination.plan.section(RetestPlan) or RetestPlan()).config
'''

FILES: Final[Mapping[str, str]] = {
    "retest/__init__.py": '"""Asking again: does a candidate answer the same?"""\n',
    "retest/config.py": CONFIG,
    "retest/examine.py": EXAMINE,
    "retest/finding.py": FINDING,
    "cli/retest.py": COMMAND,
    "examination/parts/retest.py": PART,
}
"""What is written anew, by its place in the package."""
EDITS: Final[Mapping[str, Mapping[str, str]]] = {
    "examination/rooms.py": {
        "from vivavoce.examination.plan import": "from vivavoce.examination.parts.retest import RetestPart\n",
        "    RecordingPart(),": "    RetestPart(),\n",
    },
    "cli/viva.py": {'        "people": (': '        "retest": ("vivavoce.cli.retest:retest", "Ask the same twice."),\n'},
}
"""What existing files get: before the line that begins so, these lines."""


def add_to(package: Path) -> None:
    """Add the room to a copy of the package."""
    for key, text in FILES.items():
        file = package / key
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    for key, edits in EDITS.items():
        file = package / key
        text = file.read_text()
        for before, lines in edits.items():
            assert text.count(f"\n{before}") == 1
            text = text.replace(f"\n{before}", f"\n{lines}{before}")
        file.write_text(text)


@dataclass(frozen=True, slots=True)
class NewRoom:
    """The package before and after the room was added."""

    before: Path
    after: Path

    def file(self, name: str) -> Path:
        """A file beside the copy."""
        return self.after.parent / name


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> NewRoom:
    before, after = Path(vivavoce.__file__).parent, tmp_path_factory.mktemp("added") / "vivavoce"
    shutil.copytree(before, after)
    add_to(after)
    return NewRoom(before, after)


@pytest.fixture
def viva(added: NewRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """What a command of the copy prints on standard output, run beside it."""
    monkeypatch.setenv("PYTHONPATH", str(added.after.parent))
    with begun(tmp_path) as programs:

        def call(*arguments: str) -> str:
            ended = subprocess.run([programs / "viva", *arguments], cwd=added.after.parent, capture_output=True, text=True)
            assert ended.returncode == 0, ended.stderr
            return ended.stdout

        yield call


def test_it_takes_six_files_and_three_lines_in_two(added: NewRoom) -> None:
    sources = {file.relative_to(added.after).as_posix(): file.read_text() for file in added.after.rglob("*.py")}
    there = {source: file.read_text() for source in sources if (file := added.before / source).exists()}
    assert sources.keys() - there.keys() == FILES.keys()
    assert len(FILES) <= 6
    edited = {key: changes(text, sources[key]) for key, text in there.items() if text != sources[key]}
    assert edited == {key: list(lines.values()) for key, lines in EDITS.items()}
    assert {key: len(lines) for key, lines in edited.items()} == {"examination/rooms.py": 2, "cli/viva.py": 1}


def changes(before: str, after: str) -> list[str]:
    """The lines that were added; those that went are an error."""
    messages = [line for line in ndiff(before.splitlines(keepends=True), after.splitlines(keepends=True)) if line[0] in "+-"]
    assert all(line[0] == "+" for line in messages)
    return [line[2:] for line in messages]


@pytest.mark.long
def test_it_is_part_of_a_plan_and_its_command_finds_what_the_examination_found(
    added: NewRoom, viva: Callable[..., str]
) -> None:
    init = viva("report", "--init")
    assert "\n\n[retest]                         # the same sums several times\nrepeats = 2 " in init
    added.file("plan.toml").write_text(init.replace("repeats = 2", "repeats = 3"))
    asked = ("--plan", "plan.toml", "--only", "retest", "--out", "out")
    document = json.loads(viva("report", "bot:calculator", *asked, "--json", "--quiet"))
    assert document["examination"]["plan"]["retest"] == {"repeats": 3}
    assert "[retest]\nrepeats = 3\n" in added.file("out/plan.toml").read_text()
    [card] = document["cards"]
    assert (card["room"], card["command"]) == ("retest", "viva retest bot:calculator --repeats 3")
    [figure] = card["figures"]
    assert (figure["value"], figure["lower"], figure["n"]) == (0, 0, 8)
    assert figure["upper"] == pytest.approx(1 - 0.025 ** (1 / 8))  # where none of eight is seen 2.5% of the time
    assert "0% [0, 37] of 8 questions when asked again" in document["statement"]
    page = added.file("out/report.html").read_text()
    for shown in ("Does it answer the same when it is asked again?", "0% [0, 37]", "What is 24 + 72?", "96, 96, 96"):
        assert shown in page
    assert json.loads(viva(*shlex.split(card["command"])[1:], "--json")) == card["details"]
    assert "The same: each" in viva("recheck", "out", "--transcript", "out/transcript.sqlite")
