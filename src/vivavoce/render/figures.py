"""Every plot. Importing the modules of `plots` teaches `drawing_of` what each type of data looks like."""

from __future__ import annotations

from vivavoce.render.drawing import Drawing as Drawing
from vivavoce.render.drawing import drawing_of as drawing_of
from vivavoce.render.plots import bail as bail
from vivavoce.render.plots import cases as cases
from vivavoce.render.plots import eqt as eqt
from vivavoce.render.plots import laws as laws
from vivavoce.render.plots import relations as relations
from vivavoce.render.plots.generalization import align as align
from vivavoce.render.plots.generalization import evaluate as evaluate
from vivavoce.render.plots.generalization import simulate as simulate
from vivavoce.render.plots.generalization import survey as survey
