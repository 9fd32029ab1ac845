"""Puts simulated games together to a finding: figures of chapter 3 by number, and the table of attacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from vivavoce.interview.finding import Signature
from vivavoce.luna.attacks import withstand
from vivavoce.luna.chapter3 import STEPS, draw_figures, over_trials
from vivavoce.luna.config import SimulationConfig
from vivavoce.luna.simulation import simulate
from vivavoce.luna.simulation_finding import LunaSimulation
from vivavoce.luna.strategies import Mixture
from vivavoce.version import __version__


def examine_simulation(
    numbers: Sequence[str],
    config: SimulationConfig,
    *,
    attacks: bool = False,
    executor: Executor | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> LunaSimulation:
    """Figures by number, each in both readings, and if wished which rating withstands what.

    Raises `UnknownName` for a number that the chapter has not, or an unknown way of rating.

    >>> examine_simulation(["3.2"], SimulationConfig(trials=2)).figures[0].figure.title
    'All guess honestly'
    """

    def told(words: str) -> None:
        if on_progress is not None:
            on_progress(words)

    figures = draw_figures(
        numbers,
        config,
        executor=executor,
        on_figure=lambda figure: told(f"Figure {figure.number}: {figure.title}"),
    )
    honest = None
    if "3.2" in numbers:
        judged = replace(config, steps=STEPS, truth="judged")
        (found,) = simulate(judged, [Mixture(times=(STEPS,))], executor=executor)
        honest = over_trials(found["mean"].mean[-1])
    rows = withstand(config, executor=executor, on_attack=lambda attack: told(attack.words)) if attacks else []
    return LunaSimulation(
        figures=tuple(figures),
        attacks=tuple(rows),
        honest=honest,
        signature=Signature(
            version=__version__,
            examination="luna simulate",
            candidate="simulated players",
            scope=", ".join([*(f"Figure {number}" for number in numbers), *(["attacks"] if attacks else [])]),
            scope_digest="",
            seed=config.seed,
            settings={
                "players": config.players,
                "trials": config.trials,
                "variance": config.variance,
                "rating": config.rating,
            },
        ),
    )
