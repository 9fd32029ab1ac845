"""The checks of arrays that both versions of our own predictor read from a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vivavoce.errors import BadFile
from vivavoce.generalization.beliefs import Floats


def check_arrays(
    folder: Path, arrays: Mapping[str, Floats], needed: Mapping[str, tuple[int, ...]], sizes: Mapping[int, int], *, taught: bool
) -> None:
    """Raise `BadFile` for an array of another shape, or with numbers that no fit yields.

    Parameters
    ----------
    needed: the shape of each array; sizes below 0 stand for those in `sizes`.
    taught: whether there is a student.
    """
    for name, shape in needed.items():
        if arrays[name].shape != tuple(sizes.get(size, size) for size in shape):
            raise BadFile(
                folder / f"own-{name}.npy", f"of shape {arrays[name].shape}, which does not fit: fit the predictor again"
            )
    for name in ("scale", "rarity", "rarity-of-threes", "shares", *(("taught-scale",) if taught else ())):
        if (arrays[name] < (0 if name == "shares" else 1e-300)).any():
            raise BadFile(folder / f"own-{name}.npy", "holds a number that is not above 0: fit the predictor again")
    if abs(float(arrays["shares"].sum()) - 1) > 1e-6:
        raise BadFile(folder / "own-shares.npy", "does not sum to 1: fit the predictor again")
