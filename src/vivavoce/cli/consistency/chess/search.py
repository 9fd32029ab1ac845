"""`viva consistency chess-search`: boards on which an engine contradicts itself, searched by several methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vivavoce.cli import options
from vivavoce.cli.asking import on_record
from vivavoce.cli.config_options import config_options
from vivavoce.cli.consistency.chess.sources import Engines, engine_options, engines_of, require_chess
from vivavoce.cli.endings import GOES_ON, exit_codes
from vivavoce.cli.output import show
from vivavoce.cli.pages import check_page
from vivavoce.consistency.chess.config import THRESHOLDS, SearchConfig

if TYPE_CHECKING:
    from vivavoce.consistency.chess.search.finding import ChessSearch
    from vivavoce.interview.progress import Progress
    from vivavoce.interview.transcript import Transcript

_THRESHOLD: Final[Mapping[str, Any]] = {
    "type": click.Choice([f"{threshold:g}" for threshold in THRESHOLDS]),
    "metavar": None,
    "callback": lambda _, __, given: float(given),
}


@click.command("chess-search", epilog=exit_codes(GOES_ON))
@click.argument("engine")
@config_options(SearchConfig, threshold=_THRESHOLD)
@engine_options
@options.output_options
def chess_search(*, engine: str, as_json: bool, html: Path | None, **given: Any) -> None:
    """Search for boards on which ENGINE contradicts itself, by several methods with equal budgets.

    \b
    viva consistency chess-search 'uci:stockfish?nodes=1000&hash=1' --workers 2 --html search.html
    """
    require_chess()
    config, engines = options.taken_out(given, SearchConfig), engines_of(given)
    check_page(html)
    finding, kept = on_record(engines.transcript, partial(_search, engine, config, engines), quiet=engines.quiet)
    show(finding, as_json=as_json, html=html, kept=kept)


async def _search(
    name: str, config: SearchConfig, engines: Engines, transcript: Transcript, on_progress: Callable[[Progress], None]
) -> ChessSearch:
    from vivavoce.consistency.chess.search.examine import search_boards

    expected = len(config.methods) * config.seeds * config.evaluations
    async with engines.interview(name, transcript, on_progress, expected=expected) as interview:
        return await search_boards(interview, config)
