"""Every plot. Importing the modules of `plots` teaches `drawing_of` what each type of data looks like."""

from __future__ import annotations

from vivavoce.render.drawing import Drawing as Drawing
from vivavoce.render.drawing import drawing_of as drawing_of
from vivavoce.render.plots import bail as bail
from vivavoce.render.plots import case_training as case_training
from vivavoce.render.plots import cases as cases
from vivavoce.render.plots import certificate as certificate
from vivavoce.render.plots import chess as chess
from vivavoce.render.plots import chess_search as chess_search
from vivavoce.render.plots import comparison as comparison
from vivavoce.render.plots import eqt as eqt
from vivavoce.render.plots import eqt_benchmark as eqt_benchmark
from vivavoce.render.plots import eqt_comparison as eqt_comparison
from vivavoce.render.plots import forecast_variants as forecast_variants
from vivavoce.render.plots import forecasts as forecasts
from vivavoce.render.plots import game_boards as game_boards
from vivavoce.render.plots import games as games
from vivavoce.render.plots import interval_rows as interval_rows
from vivavoce.render.plots import laws as laws
from vivavoce.render.plots import many_scopes as many_scopes
from vivavoce.render.plots import relations as relations
from vivavoce.render.plots import sweep as sweep
from vivavoce.render.plots.generalization import alignment as alignment
from vivavoce.render.plots.generalization import arms as arms
from vivavoce.render.plots.generalization import evaluation as evaluation
from vivavoce.render.plots.generalization import measurement as measurement
from vivavoce.render.plots.generalization import simulation as simulation
from vivavoce.render.plots.generalization import survey as survey
from vivavoce.render.plots.luna import humanity as humanity
from vivavoce.render.plots.luna import predict as predict
from vivavoce.render.plots.luna import simulate as simulate
from vivavoce.render.plots.luna import site as site
