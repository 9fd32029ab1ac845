"""What `viva certify` needs where procedures may be handed over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from vivavoce.certificate.explanations.procedures import Procedure
    from vivavoce.certificate.finding import Certificate
    from vivavoce.certificate.strata import Strata
    from vivavoce.certificate.weighing import Weighing
    from vivavoce.cli.certify import Order
    from vivavoce.interview.candidate import Candidate, Prompt, Reply
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

Command = TypeVar("Command", bound=Callable[..., Any])

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_TABLES = (".json", ".csv", ".tsv")
_OPTIONS = (
    click.option(
        "--explanations",
        type=click.IntRange(1, 20),
        metavar="N",
        help="Ask the candidate first for at most N procedures (Python code), which then answer what they cover.",
    ),
    click.option(
        "--explain-again",
        type=click.IntRange(1, 20),
        metavar="N",
        help="Ask for one more after a ridiculous answer, at most N times; part of the error is set aside for it.",
    ),
    click.option(
        "--explanation",
        type=_FILE,
        multiple=True,
        metavar="FILE",
        help="A procedure from a file: a program (.py), or a table of questions and answers (.json, .csv, .tsv). Repeatable.",
    ),
    click.option(
        "--checks",
        type=click.IntRange(1, 10_000_000),
        metavar="N",
        help="Questions on which each procedure is checked, at no cost to the candidate; 10 000 to 100 000 if not given.",
    ),
)


@dataclass(frozen=True, slots=True)
class ExplainingOrder:
    """What was asked for about explanations on the command line."""

    explanations: int | None
    explain_again: int | None
    explanation: tuple[Path, ...]
    checks: int | None


def explaining_options(command: Command) -> Command:
    """The options of `ExplainingOrder`, in this order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def explaining_from(given: dict[str, Any]) -> ExplainingOrder | None:
    """Take the options on explanations out of what was given; None where there are to be none."""
    order = ExplainingOrder(**{field.name: given.pop(field.name) for field in fields(ExplainingOrder)})
    if order.explanations or order.explain_again or order.explanation:
        return order
    if order.checks is not None:
        raise click.UsageError("'--checks' is for explanations: ask for them with '--explanations N'.")
    return None


def check_explaining(order: Order, *, others: bool) -> None:
    """Refuse what explanations do not go with; `others`: several scopes, or other graders than the scope's own rule."""
    if others:
        raise click.UsageError("explanations are for one '--scope' that grades by itself: leave out the other options.")
    if order.strata or order.evenly:
        raise click.UsageError("explanations are strata of their own: leave out '--strata' and '--evenly'.")


def explained(
    given: ExplainingOrder,
) -> Callable[
    [Order, Candidate[Prompt, Reply], Any, Strata | Weighing | None, Transcript, Callable[[Progress], None]],
    Coroutine[Any, Any, Certificate],
]:
    """The examination with explanations, to be called as that without; reads the files now."""
    from vivavoce.certificate.explanations.examine import Plan, certify_explained

    plan = Plan(given.explanations or 0, given.explain_again or 0, tuple(map(_read, given.explanation)), given.checks)

    async def certify(
        order: Order,
        candidate: Candidate[Prompt, Reply],
        scope: Any,
        design: Strata | Weighing | None,
        transcript: Transcript,
        on_progress: Callable[[Progress], None],
    ) -> Certificate:
        from vivavoce.candidates import close_candidate

        interview = order.asking.interview(candidate, transcript, expected=order.questions, on_progress=on_progress)
        try:
            return await certify_explained(
                interview,
                scope,
                order.criterion,
                plan,
                seed=order.seed,
                procedure=order.procedure,
                questions=order.questions,
            )
        finally:
            await close_candidate(candidate)

    return certify


def _read(file: Path) -> Procedure:
    """A procedure from a file, by what its name ends with."""
    from vivavoce.certificate.explanations.lookup import read_table
    from vivavoce.certificate.explanations.procedures import Coded
    from vivavoce.certificate.explanations.program import Program
    from vivavoce.certificate.explanations.sandbox import Sandbox
    from vivavoce.errors import BadFile, BadInput
    from vivavoce.interview.lines import text_lines

    if file.suffix.lower() in _TABLES:
        return read_table(file)
    if file.suffix.lower() != ".py":
        raise BadFile(file, f"neither a program (.py) nor a table ({', '.join(_TABLES)}): name it by what it is")
    try:
        return Coded(file.name, Program("".join(text_lines(file))), Sandbox())
    except BadInput as error:
        raise error if isinstance(error, BadFile) else BadFile(file, str(error)) from None
