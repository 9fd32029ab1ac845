"""What an agent did: its tools, how often calls of them failed, and its steps, answer by answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from vivavoce.certificate.agent import AgentFound, ToolUse
from vivavoce.formats.wording import clipped, count, score, share, share_interval
from vivavoce.interview.candidate import NOTHING, Step, Usage
from vivavoce.report.blocks import Block, Column, Fold, InFull, Pairs, Row, Section, Table
from vivavoce.report.cells import Cell, count_cell
from vivavoce.report.parts import notes

SHOWN_CHARACTERS: Final = 1_200
SHOWN_NAME: Final = 100


def what_it_did(found: AgentFound | None) -> tuple[Block, ...]:
    """All that is known of an agent's steps; nothing where no answer had any."""
    if found is None:
        return ()
    several = (*found.tools, ToolUse("all", found.calls, found.failed)) if len(found.tools) > 1 else found.tools
    table = (Table(_COLUMNS, tuple(map(_row, several))),) if found.tools else ()
    shown = tuple(
        Fold(
            f"{clipped(one.id, SHOWN_NAME)}, score {score(one.score)}: {in_short(one.steps)}{_cost(one.usage)}",
            steps(one.steps),
            main=True,
        )
        for one in found.shown
    )
    first = notes(f"Those of the first {len(shown)} answers:") if len(shown) < found.answers else ()
    return (Section("What it did", (*notes(_summary(found)), *table, InFull((*first, *shown)))),)


def folded_steps(done: Sequence[Step]) -> tuple[Block, ...]:
    """The steps of one answer, to be opened; nothing where there are none."""
    return (Fold(f"What it did: {in_short(done)}", steps(done), main=True),) if done else ()


def steps(done: Sequence[Step]) -> tuple[Block, ...]:
    """Steps in their order."""
    pairs = [pair for number, step in enumerate(done, 1) for pair in _pairs(number, step)]
    return (Pairs(tuple(pairs)),)


def in_short(done: Sequence[Step]) -> str:
    """How many steps and calls there are, how many of these failed, and how long they took.

    >>> in_short([Step(said="Well."), Step(tool="add", error="no number", seconds=1.5)])
    '2 steps, 1 tool call (1 failed), 1.5 s'
    """
    calls, failed = sum(bool(step.tool) for step in done), sum(bool(step.error) for step in done)
    number = len(done) + sum(step.left_out for step in done)
    called = _number(calls, "tool call") + (f" ({count(failed)} failed)" if failed else "")
    return f"{_number(number, 'step')}, {called}, {sum(step.seconds for step in done):.1f} s"


_COLUMNS: Final = (
    Column("Tool", short="tool"),
    Column("Calls", short="calls", number=True),
    Column("Failed", short="failed", number=True),
    Column("Share that failed", short="share", number=True),
)


def _row(tool: ToolUse) -> Row:
    found = tool.failing
    value = Cell.of(found, share, share_interval)
    return Row(Cell(clipped(tool.tool, SHOWN_NAME)), (count_cell(tool.calls), count_cell(tool.failed), value))


def _summary(found: AgentFound) -> str:
    done = f"{_number(found.steps, 'step')}, {_number(found.calls, 'tool call')} among them"
    answers = f"{_number(found.answers, 'answer')} with {done}"
    failed = f"; on the way to {_number(found.failed_answers, 'answer')} a call failed" if found.failed_answers else ""
    return f"{answers}{failed}. The steps took {found.seconds:.1f} s in all."


def _cost(usage: Usage) -> str:
    """The cost of an answer, where it was counted."""
    tokens = f", {_number(usage.tokens, 'token')}" if usage.tokens else ""
    return f"{tokens}, {usage.money:.4g} of money" if usage.money else tokens


def _pairs(number: int, step: Step) -> list[tuple[str, str]]:
    took = f" ({step.seconds:.2f} s)" if step.seconds else ""
    said = clipped(step.said, SHOWN_CHARACTERS) or NOTHING
    found = [(f"{number}. Said{took}", said)] if step.said or not step.tool else []
    if step.tool:
        arguments = clipped(step.arguments, SHOWN_CHARACTERS)
        found.append((f"{number}. Called{took}", f"{clipped(step.tool, SHOWN_NAME)}({arguments})"))
        gave = ("Failed", step.error) if step.error else ("Result", step.result)
        found.append((gave[0], clipped(gave[1], SHOWN_CHARACTERS) or "(empty)"))
    if step.left_out:
        found.append(("Left out", _number(step.left_out, "further step")))
    return found


def _number(number: int, what: str) -> str:
    return f"{count(number)} {what}{'' if number == 1 else 's'}"
