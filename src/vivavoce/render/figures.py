"""Every plot. Importing the modules of `plots` teaches `drawing_of` what each type of data looks like."""

from __future__ import annotations

from vivavoce.render.drawing import Drawing as Drawing
from vivavoce.render.drawing import drawing_of as drawing_of
from vivavoce.render.plots import eqt as eqt
from vivavoce.render.plots import eqt_benchmark as eqt_benchmark
from vivavoce.render.plots import eqt_comparison as eqt_comparison
from vivavoce.render.plots import laws as laws
