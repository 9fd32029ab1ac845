"""Ratings that mistrust guessers who are far from everybody else, for many sets of guesses at once.

A guess is the player's rating, plus the guesser's severity where that is allowed for, plus an error whose variance is the
guesser's own. In turns: residuals from the others' guesses; each guesser's spread from these; a weight of 1 for a guesser who
is within `TOLERANCE` times the spread of the most consistent quarter, and less above it; new ratings as weighted means. It
begins at each player's median guess. Everything is one `bincount` over all rows, so a bootstrap of a
thousand rounds, or a hundred simulated worlds, cost as much as the sums that they need.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vivavoce.statistics.betting import Floats

Indices = NDArray[np.int64]

ROUNDS: Final = 40
TOLERANCE: Final = 1.5
"""Times the variance of the consistent quarter that still has full weight; above it, weight falls as one over the variance."""
FAR: Final = 5.0
"""Times as much again, from where it falls with the square: such guessers follow no rating at all."""
QUARTER: Final = 0.25
"""Of guesses, those of the most consistent guessers, that set the scale."""
PRIOR: Final = 8.0
"""Guesses of common spread that are added to each guesser's own, so that few guesses do not make a weight of their own. These
four were chosen on simulated worlds that no test uses. A larger `TOLERANCE` suits honest players and withstands fewer others:
at 2, the rating with severity gives way where half of the players are dishonest."""
SMALLEST: Final = 0.25
"""Variance below which no guesser is told apart from another: half a point of the scale."""
CLOSE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Stack:
    """Sets of guesses, a row each, in which players are numbered through: row times `players` plus the player's number."""

    guesser: Indices
    target: Indices
    value: Floats
    weight: Floats
    """How often each guess counts; 0 for one that is not in its row."""
    rows: int
    players: int

    def by_guesser(self, values: Floats) -> Floats:
        """Sums over the guesses that each player of each row made."""
        return np.asarray(np.bincount(self.guesser, values, self.rows * self.players), dtype=np.float64)

    def by_target(self, values: Floats) -> Floats:
        """Sums over the guesses that each player of each row received."""
        return np.asarray(np.bincount(self.target, values, self.rows * self.players), dtype=np.float64)


def stacked(guesser: Indices, target: Indices, value: Floats, weight: Floats, *, players: int) -> Stack:
    """A stack of `weight`'s rows; the others may have one row for all of them.

    Parameters
    ----------
    guesser, target, value: shape (rows, guesses) or (guesses,).
    weight: shape (rows, guesses).
    """
    rows = weight.shape[0]
    first = np.arange(rows, dtype=np.int64)[:, None] * players
    flat = [np.broadcast_to(array + first, weight.shape).ravel() for array in (guesser, target)]
    return Stack(flat[0], flat[1], np.broadcast_to(value, weight.shape).ravel(), weight.ravel(), rows, players)


def means(stack: Stack) -> Floats:
    """The mean of what each player received, shape (rows, players); NaN where nobody guessed."""
    return _ratio(stack.by_target(stack.weight * stack.value), stack.by_target(stack.weight)).reshape(stack.rows, -1)


def medians(stack: Stack) -> Floats:
    """The median of what each player received, weights left aside; NaN where nobody guessed."""
    order = np.lexsort((stack.value, stack.target))
    ordered = stack.value[order]
    counts = np.bincount(stack.target, minlength=stack.rows * stack.players)
    first = np.cumsum(counts) - counts
    middle = [np.minimum(first + places, ordered.size - 1) for places in ((counts - 1) // 2, counts // 2)]
    found = (ordered[middle[0]] + ordered[middle[1]]) / 2 if ordered.size else np.zeros(counts.size)
    return np.where(counts > 0, found, np.nan).reshape(stack.rows, -1)


def robust(stack: Stack, *, start: Floats, severity: bool, rounds: int = ROUNDS) -> Floats:
    """Weighted means as told at the head of this file, shape (rows, players); NaN where nobody guessed.

    Parameters
    ----------
    start: ratings to begin with, shape (rows, players) or (players,); NaN counts as unknown.
    severity: whether each guesser's own level is taken away.
    """
    counted, received = stack.by_guesser(stack.weight), stack.by_target(stack.weight)
    ratings = np.broadcast_to(np.nan_to_num(start), (stack.rows, stack.players)).ravel()
    level, pulled, trust = np.zeros(ratings.size), np.zeros(ratings.size), np.ones(ratings.size)
    moving = np.ones(stack.rows, dtype=bool)
    for turn in range(rounds):
        if severity:
            level, pulled = _levels(stack, ratings, counted, trust)
        residual = stack.value - ratings[stack.target] - level[stack.guesser]
        told = stack.weight
        if turn:  # nobody is judged by what the own guess has made of the rating; a median is nobody's own
            residual, told = _from_others(stack, residual, stack.weight * trust[stack.guesser])
        residual = residual / (1 - pulled[stack.guesser])
        trust = _trust(stack, residual, told)
        weight = stack.weight * trust[stack.guesser]
        new = np.nan_to_num(_ratio(stack.by_target(weight * (stack.value - level[stack.guesser])), stack.by_target(weight)))
        still = np.abs(new - ratings).reshape(stack.rows, -1).max(axis=1, initial=0.0) >= CLOSE
        ratings = np.where(np.repeat(moving, stack.players), new, ratings)
        moving &= still  # each row stops by itself: it does not hang on the others
        if not moving.any():
            break
    return np.where(received > 0, ratings, np.nan).reshape(stack.rows, -1)


def _from_others(stack: Stack, residual: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Distances to what all others make of the player, and how often each counts: not at all where nobody else guessed."""
    shared = weight / np.maximum(stack.by_target(weight)[stack.target], 1e-300)
    alone = shared > 1 - 1e-9
    return np.where(alone, 0.0, residual / np.where(alone, 1.0, 1 - shared)), np.where(alone, 0.0, stack.weight)


def _trust(stack: Stack, residual: Floats, told: Floats) -> Floats:
    """The weight of each guesser."""
    shape = (stack.rows, stack.players)
    number, squares = stack.by_guesser(told).reshape(shape), stack.by_guesser(told * residual**2).reshape(shape)
    scale = np.maximum(_quarter(_ratio(squares, number), number), SMALLEST)[:, None]
    share = TOLERANCE * scale * (number + PRIOR) / (squares + PRIOR * scale)
    return np.asarray(np.minimum(1.0, share) * np.minimum(1.0, FAR * share)).ravel()


def _levels(stack: Stack, ratings: Floats, counted: Floats, trust: Floats) -> tuple[Floats, Floats]:
    """How far above the ratings each guesser is, drawn towards the trusted ones as far as chance alone would explain it.

    And the share that one guess has in its guesser's level.
    """
    excess = stack.value - ratings[stack.target]
    shape = (stack.rows, stack.players)
    raw = np.nan_to_num(_ratio(stack.by_guesser(stack.weight * excess), counted))
    within = stack.by_guesser(stack.weight * (excess - raw[stack.guesser]) ** 2).reshape(shape)
    raw, number = raw.reshape(shape), counted.reshape(shape)
    noise = np.maximum(_quarter(_ratio(within, number - 1), number - 1), SMALLEST)[:, None]
    trusted = trust.reshape(shape) * number
    total = np.maximum(trusted.sum(axis=1), 1e-300)[:, None]
    centre = (trusted * raw).sum(axis=1)[:, None] / total
    chance = (trusted * noise / np.maximum(number, 1)).sum(axis=1)[:, None] / total
    between = (trusted * (raw - centre) ** 2).sum(axis=1)[:, None] / total - chance
    pull = noise / np.maximum(between, noise / 100)
    return np.asarray((raw - centre) * number / (number + pull)).ravel(), np.asarray(1 / (np.maximum(number, 1) + pull)).ravel()


def _ratio(above: Floats, below: Floats) -> Floats:
    """NaN where there is nothing below."""
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), np.nan)


def _quarter(values: Floats, weight: Floats) -> Floats:
    """The value of each row that has a quarter of the weight at it or below; 0 for a row without any."""
    order = np.argsort(values, axis=1)  # what is not known sorts last
    ordered = np.take_along_axis(values, order, axis=1)
    up_to = np.cumsum(np.where(np.isnan(ordered), 0.0, np.take_along_axis(weight, order, axis=1)), axis=1)
    place = (up_to < QUARTER * up_to[:, -1:]).sum(axis=1)
    return np.asarray(np.nan_to_num(ordered[np.arange(len(ordered)), place]))
