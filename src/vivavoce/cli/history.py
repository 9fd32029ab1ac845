"""`--history WHERE`: what others answered or earned on the questions of a scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vivavoce.certificate.config import PredictionsConfig
from vivavoce.cli.config_options import config_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vivavoce.certificate.history import History

HISTORY: Final = config_options(PredictionsConfig, only=("history",))
"""For commands that compare."""


def opened_history(places: Sequence[str], scope: Any) -> History | None:
    """What these places hold, graded by the scope's rule; None where there are none. Raises `BadInput` and `BadFile`."""
    if not places:
        return None
    from vivavoce.candidates.recordings import open_history
    from vivavoce.certificate.history import history_of

    return history_of(scope, open_history(places, scope))
