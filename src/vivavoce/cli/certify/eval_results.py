"""`--eval-results FILE`: refused before anything is asked if there is nothing to publish it for, and written at the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vivavoce.cli import options
from vivavoce.cli.pages import check_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.claims import ClaimFinding

EVAL_RESULTS = options.together(
    click.option(
        "--eval-results",
        type=options.FILE,
        metavar="FILE",
        help="Write the mean score as YAML for .eval_results/ of a model on a Hugging Face hub; the scopes are hf-eval:.",
    ),
    click.option(
        "--eval-results-source",
        metavar="URL",
        help="Where the record of --eval-results can be seen.",
    ),
)


@dataclass(frozen=True, slots=True)
class EvalResults:
    """Where results for a hub go; None: nowhere."""

    file: Path | None
    source: str = ""

    @classmethod
    def taken_out(cls, given: dict[str, Any]) -> EvalResults:
        """Out of what was given."""
        return cls(given.pop("eval_results"), given.pop("eval_results_source") or "")

    def check(self, scopes: Sequence[str], *, one_number: bool) -> None:
        """Refuse what could not be written later; `one_number`: whether each scope has one mean score."""
        if self.file is None:
            if self.source:
                raise click.UsageError("'--eval-results-source' belongs to '--eval-results': give that.")
            return
        from vivavoce.render.eval_results import place_of

        check_output("--eval-results", self.file)
        if not one_number:
            raise click.UsageError(
                "'--eval-results' publishes one mean score a scope: leave out '--deployed' and '--split-by'."
            )
        if self.source and not self.source.startswith(("https://", "http://")):
            raise click.UsageError(f"--eval-results-source {self.source[:120]}: give an address that begins with https://.")
        for scope in scopes:
            place_of(scope)

    def write(self, finding: ClaimFinding, *, quietly: bool) -> None:
        """Write the file, if one is wanted, and name it; `quietly` on standard error."""
        if self.file is None:
            return
        from datetime import UTC, datetime

        from vivavoce.formats.lines import write_whole
        from vivavoce.render.eval_results import eval_results

        write_whole(self.file, eval_results(finding, made=datetime.now(UTC).date(), source=self.source))
        click.echo(f"Results: {self.file}", err=quietly)
