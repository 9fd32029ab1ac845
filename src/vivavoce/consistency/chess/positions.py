"""Where positions come from: files, self-play, and boards that are made."""

from vivavoce.consistency.chess.placed import Placed, Skipped, in_middle_game
from vivavoce.consistency.chess.selfplay import self_play
from vivavoce.consistency.chess.sources import from_file
from vivavoce.consistency.chess.synthetic import forced_from, has_hanging, synthetic_boards

__all__ = ["Placed", "Skipped", "forced_from", "from_file", "has_hanging", "in_middle_game", "self_play", "synthetic_boards"]
